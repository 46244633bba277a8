//! A sequence of moves on a line: `h2e2 h9g7 ...`, with or without quotes, with a leading FEN or in the
//! words of `position` (`formats.md` 2 and 13). Start at `read_line` and [`write()`].

use super::list::titles;
use super::movetext::read_moves;
use super::pgn::{Game, finish};
use super::record::{Reason, Record, RecordError};
use crate::xiangqi::{Notation, Position, SquareStyle, notation_of};

/// Reads one line. Quotes, commas and brackets of program sources are taken as blanks.
pub(super) fn read_line(game: &Game<'_>, forced: Option<Notation>) -> Result<Record, RecordError> {
    let (text, title) = game.text.split_at(end_of_moves(game.text));
    let clean: String =
        text.chars().map(|c| if matches!(c, '\'' | '"' | '`' | ',' | '[' | ']') { ' ' } else { c }).collect();
    let (fen, moves) = split_start(&clean);
    let start = if fen.is_empty() {
        Position::start()
    } else {
        Position::from_fen(fen).map_err(|why| game.error(0, fen, Reason::Position(why)))?
    };
    let parsed = read_moves(moves, &start, forced);
    let offset = clean.len() - moves.len();
    let mut record = Record::new(start);
    record.tags = titles(title.trim_start_matches(';'));
    finish(game, record, parsed, offset, None)
}

/// Where the moves end: at the first `;` outside of comments.
fn end_of_moves(line: &str) -> usize {
    let mut depth = 0usize;
    let end = line.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b';' && depth == 0
    });
    end.unwrap_or(line.len())
}

/// The FEN (or nothing) and the moves of a line.
fn split_start(line: &str) -> (&str, &str) {
    let mut rest = line.trim_start();
    for word in ["position", "startpos", "fen"] {
        rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
    }
    if let Some((fen, moves)) = rest.split_once("moves") {
        return (fen.trim(), moves);
    }
    if !rest.split_whitespace().next().is_some_and(|word| word.contains('/')) {
        return ("", rest);
    }
    let mut at = 0;
    for word in rest.split_inclusive(char::is_whitespace) {
        if at > 0 && notation_of(word.trim()).is_some() {
            break;
        }
        at += word.len();
    }
    let (fen, moves) = rest.split_at(at);
    (fen.trim(), moves)
}

/// Writes a game as one line of coordinate moves, its FEN and `moves` before them unless it starts from
/// the usual position.
pub fn write(record: &Record, style: SquareStyle) -> String {
    let mut out = Vec::with_capacity(record.moves.len() * 6 + 80);
    if !record.starts_usually() {
        out.extend_from_slice(record.start.fen().as_bytes());
        out.extend_from_slice(b" moves ");
    }
    for (index, mv) in record.line().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        style.write(mv, &mut out);
    }
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::list::games;

    fn read(list: &str, forced: Option<Notation>) -> Vec<Result<Record, RecordError>> {
        games(list.as_bytes(), forced).collect()
    }

    fn check(text: &str, start_side: char, moves: &str) {
        let record = read(text, None).remove(0).unwrap();
        assert_eq!(write(&record, SquareStyle::Zero).trim().rsplit("moves ").next(), Some(moves), "{text}");
        assert_eq!(record.start.side().letter(), start_side, "{text}");
    }

    #[test]
    fn every_kind_of_line() {
        for text in [
            "h2e2 h9g7",
            "\n# openings\n'h2e2 h9g7',\n",
            "[\"h2e2\", \"h9g7\"],",
            "position startpos moves h2e2 h9g7",
            "startpos moves h2e2 h9g7",
            "1. H2-E2 H9-G7",
            "炮二平五 马８进７",
        ] {
            check(text, 'w', "h2e2 h9g7");
        }
        for start in ["position fen 3k5/9/9/9/9/9/9/9/9/4K3R b - - 0 1 moves", "3k5/9/9/9/9/9/9/9/9/4K3R b"] {
            check(&format!("{start} d9d8 i0i8"), 'b', "d9d8 i0i8");
        }
    }

    #[test]
    fn errors_name_the_line_and_the_next_is_read() {
        let read = read("h2e2 h2e2\n\nh2e2\n9/9 w h2e2\n", None);
        let error = read[0].as_ref().unwrap_err();
        assert_eq!((error.game, error.line, error.ply, error.token.as_str()), (1, 1, Some(2), "h2e2"));
        assert_eq!(read[1].as_ref().unwrap().moves.len(), 1);
        assert_eq!(read[2].as_ref().unwrap_err().line, 4);
    }

    #[test]
    fn ranks_from_one_when_told() {
        let told = read("h3e3 h10g8\n", Some(Notation::Uci1)).remove(0).unwrap();
        assert_eq!(write(&told, SquareStyle::One), "h3e3 h10g8\n");
        assert_eq!(read("h3e3 h10g8\n", None).remove(0).unwrap_err().ply, Some(1));
    }
}
