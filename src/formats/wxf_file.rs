//! The WXF file format: keyword lines, then moves between `START{` and `}END` (`formats.md` 12).
//! Start at [`WxfGames`] and [`write()`].

use std::fmt::Write as _;
use std::io::BufRead;

use super::encoding::decode;
use super::movetext::read_moves;
use super::pgn::{Game, finish, notation_of_format};
use super::record::{GameResult, Reason, Record, RecordError};
use super::source::Lines;
use crate::xiangqi::{Notation, Position, Side, append_move};

/// Most bytes of one game.
const MAX_GAME: usize = 4 << 20;

/// The games of a source; each ends with `}END` or where the next `FORMAT` begins.
pub struct WxfGames<R> {
    lines: Lines<R>,
    forced: Option<Notation>,
    text: Vec<u8>,
    held: Vec<u8>,
    count: u64,
    ended: bool,
}

impl<R: BufRead> WxfGames<R> {
    /// Reads from a source; a forced notation outranks the `FORMAT` line.
    pub fn new(source: R, forced: Option<Notation>) -> WxfGames<R> {
        let (text, held) = (Vec::new(), Vec::new());
        WxfGames { lines: Lines::new(source), forced, text, held, count: 0, ended: false }
    }

    /// Collects a game's bytes and the number of its first line.
    fn collect(&mut self) -> Result<u64, Reason> {
        self.text.clear();
        self.text.append(&mut self.held);
        let mut first = self.lines.number + u64::from(self.text.is_empty());
        loop {
            let before = self.text.len();
            if !self.lines.read(&mut self.text)? {
                self.ended = true;
                return Ok(first);
            }
            let line = self.text[before..].trim_ascii();
            if self.text[..before].trim_ascii().is_empty() && line.is_empty() {
                self.text.clear();
                first = self.lines.number + 1;
            } else if line.starts_with(b"FORMAT") && before > 0 {
                self.held = self.text.split_off(before);
                return Ok(first);
            } else if line.ends_with(b"}END") {
                return Ok(first);
            } else if self.text.len() > MAX_GAME {
                self.ended = true;
                return Err(Reason::TooMuch("bytes of one game (4 MB)"));
            }
        }
    }
}

impl<R: BufRead> Iterator for WxfGames<R> {
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended || !self.held.is_empty() {
            let collected = self.collect();
            let (text, encoding) = decode(&self.text);
            let line = *collected.as_ref().unwrap_or(&self.lines.number);
            let game = Game { number: self.count + 1, text: &text, line, encoding };
            if let Err(reason) = collected {
                self.ended = true;
                return Some(Err(game.error(0, "", reason)));
            }
            if !text.trim().is_empty() {
                self.count += 1;
                return Some(read_game(&game, self.forced));
            }
        }
        None
    }
}

/// Keywords and the tags that hold them.
const KEYWORDS: [(&str, &str); 8] = [
    ("GAME", "Title"),
    ("RED", "Red"),
    ("BLACK", "Black"),
    ("DATE", "Date"),
    ("EVENT", "Event"),
    ("SITE", "Site"),
    ("ROUND", "Round"),
    ("RESULT", "Result"),
];

fn read_game(game: &Game<'_>, forced: Option<Notation>) -> Result<Record, RecordError> {
    let Some((head, body)) = game.text.split_once("START{") else {
        return Err(game.error(0, game.text, Reason::Malformed("there is no START{".to_owned())));
    };
    let offset = head.len() + "START{".len();
    let moves = body.rfind("}END").map_or(body, |end| &body[..end]);
    let mut tags = Vec::new();
    let (mut start, mut hint, mut result) = (Position::start(), Some(Notation::Wxf), None);
    for line in head.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (keyword, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let value = value.trim();
        match keyword {
            "FORMAT" => hint = notation_of_format(value),
            "RESULT" => result = GameResult::from_words(value),
            "FEN" => {
                start =
                    Position::from_fen(value).map_err(|why| game.error(0, value, Reason::Position(why)))?;
            }
            "RED" | "BLACK" => players(keyword, value, &mut tags),
            _ if !value.is_empty() => {
                let tag = KEYWORDS.iter().find(|(word, _)| *word == keyword).map(|(_, tag)| *tag);
                tags.push((tag.unwrap_or(keyword).to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    let parsed = read_moves(moves, &start, forced.or(hint));
    let mut record = Record::new(start);
    record.tags = tags;
    finish(game, record, parsed, offset, result)
}

/// Name, rating and team, split by `;`.
fn players(keyword: &str, value: &str, tags: &mut Vec<(String, String)>) {
    let side = if keyword == "RED" { "Red" } else { "Black" };
    for (field, suffix) in value.split(';').map(str::trim).zip(["", "Elo", "Team"]) {
        if !field.is_empty() {
            tags.push((format!("{side}{suffix}"), field.to_owned()));
        }
    }
}

/// Writes a game's main line without comments, for which the format has no place.
pub fn write(record: &Record) -> String {
    let mut out = String::with_capacity(256 + record.moves.len() * 8);
    let clean = |name: &str| record.tag(name).unwrap_or_default().replace([';', '\n', '\r', '{', '}'], " ");
    let _ = writeln!(out, "FORMAT WXF");
    let _ = writeln!(out, "RESULT {}", record.result.unwrap_or(GameResult::Unknown).token());
    for (keyword, tag) in KEYWORDS {
        let value = clean(tag);
        match keyword {
            "RED" | "BLACK" => {
                let _ = writeln!(
                    out,
                    "{keyword} {value} ; {} ; {} ;",
                    clean(&format!("{tag}Elo")),
                    clean(&format!("{tag}Team"))
                );
            }
            "RESULT" => {}
            _ if value.is_empty() => {}
            _ => {
                let _ = writeln!(out, "{keyword} {value}");
            }
        }
    }
    if !record.starts_usually() {
        let _ = writeln!(out, "FEN {}", record.start.fen());
    }
    out.push_str("\nSTART{\n");
    let mut position = record.start.clone();
    for (ply, mv) in (usize::from(position.side() == Side::Black)..).zip(record.line()) {
        if ply % 2 == 0 {
            let _ = write!(out, "{}. ", ply / 2 + 1);
        } else if out.ends_with('\n') {
            let _ = write!(out, "{}. ... ", ply / 2 + 1);
        }
        append_move(&position, mv, Notation::Wxf, &mut out);
        out.push(if ply % 2 == 0 { ' ' } else { '\n' });
        position.make(mv);
    }
    if out.ends_with(' ') {
        out.pop();
        out.push('\n');
    }
    out.push_str("}END\n\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "FORMAT WXF\nGAME   A vs B\nRESULT 1-0\nRED    A ; 2721 ;;\nBLACK  B ; 2594 ;;\nEVENT  cup\n\
        FEN    rheakae1r/9/1c4hc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RHEAKAEHR b\n\nSTART{\n1. ... h2+3 2. H2+3 p3+1\n}END\n";

    #[test]
    fn what_is_written_reads_back() {
        let two = format!("\n\n{GAME}\n{GAME}");
        let games: Vec<Record> = WxfGames::new(two.as_bytes(), None).map(Result::unwrap).collect();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].origin.line, games[1].origin.line), (3, 15));
        let again = WxfGames::new(write(&games[0]).as_bytes(), None).next().unwrap().unwrap();
        assert_eq!(again.moves, games[0].moves);
        assert_eq!(again.start, games[0].start);
        assert_eq!(
            (again.tag("Red"), again.tag("BlackElo"), again.result),
            (Some("A"), Some("2594"), Some(GameResult::RedWins))
        );
    }

    #[test]
    fn faults_are_told() {
        let text = format!("FORMAT WXF\nno moves here\n{GAME}");
        let read: Vec<_> = WxfGames::new(text.as_bytes(), None).collect();
        assert!(matches!(read[0].as_ref().unwrap_err().reason, Reason::Malformed(_)));
        assert!(read[1].is_ok());
        let bad = GAME.replace("H2+3", "H2+4");
        let error = WxfGames::new(bad.as_bytes(), None).next().unwrap().unwrap_err();
        assert_eq!((error.line, error.ply, error.token.as_str()), (10, Some(2), "H2+4"));
    }
}
