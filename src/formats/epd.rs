//! Lists of positions, one a line: FEN, EPD with operations, FEN with a title after `;`
//! (`formats.md` 2 and 13). A position is a record without moves. Start at `read_line` and [`write()`].

use super::list::titles;
use super::pgn::Game;
use super::record::{Odd, Origin, Reason, Record, RecordError, Remark};
use crate::xiangqi::{Position, Setup};

/// Most operations of one line.
const MAX_OPERATIONS: usize = 100;

/// Reads one line: up to the first `;` or the first operation it is a FEN.
pub(super) fn read_line(game: &Game<'_>) -> Result<Record, RecordError> {
    let line = game.text.trim();
    let before_semicolon = line.find(';').unwrap_or(line.len());
    let fen_end = operations_at(&line[..before_semicolon]);
    let fen = line[..fen_end].trim();
    let start = Position::from_fen(fen).map_err(|why| game.error(0, line, Reason::Position(why)))?;
    let mut record = Record::new(start);
    record.origin = Origin { game: game.number, line: game.line, encoding: game.encoding, notation: None };
    if fen.split_whitespace().nth(1).is_none_or(|side| side == "-") {
        record.remarks.push(Remark { line: game.line, what: Odd::NoSide });
    }
    let odd = Setup::oddities(&record.start.setup());
    record.remarks.extend(odd.into_iter().map(|odd| Remark { line: game.line, what: Odd::Placement(odd) }));
    let rest = line[fen_end..].trim();
    record.tags = match rest.strip_prefix(';') {
        Some(rest) => titles(rest),
        None => operations(rest),
    };
    Ok(record)
}

/// Where the operations begin: at the first word from the third on that begins with a letter.
fn operations_at(fen: &str) -> usize {
    let mut at = 0;
    for (index, word) in fen.split_inclusive(char::is_whitespace).enumerate() {
        if index >= 2 && word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return at;
        }
        at += word.len();
    }
    at
}

/// `bm h2e2; id "x";` as names and values.
fn operations(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.trim().is_empty() && found.len() < MAX_OPERATIONS {
        let mut quoted = false;
        let end = rest.find(|c: char| {
            quoted ^= c == '"';
            c == ';' && !quoted
        });
        let (operation, after) = rest.split_at(end.unwrap_or(rest.len()));
        let (name, value) =
            operation.trim().split_once(char::is_whitespace).unwrap_or((operation.trim(), ""));
        if !name.is_empty() {
            found.push((name.to_owned(), value.trim().trim_matches('"').to_owned()));
        }
        rest = after.strip_prefix(';').unwrap_or(after);
    }
    found
}

/// Writes the final position of a game as one EPD line, named after its players and result.
pub fn write(record: &Record) -> String {
    let fen = record.last_position().fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let clean = |text: &str| text.replace(['"', ';', '\n', '\r'], " ");
    let mut line = fields.join(" ");
    let players =
        [record.tag("Red").or(record.tag("White")), record.tag("Black")].map(Option::unwrap_or_default);
    if players.iter().any(|name| !name.is_empty()) {
        line += &format!(" id \"{} - {}\";", clean(players[0]), clean(players[1]));
    }
    if let Some(result) = record.result {
        line += &format!(" result \"{}\";", result.token());
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::list::games;

    fn read(list: &str) -> Vec<Result<Record, RecordError>> {
        games(list.as_bytes(), None).collect()
    }

    fn check(line: &str, fen: &str, tags: &[(&str, &str)]) {
        let record = read(line).remove(0).unwrap();
        assert_eq!(record.start.fen(), fen, "{line}");
        let found: Vec<(&str, &str)> = record.tags.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, tags, "{line}");
    }

    #[test]
    fn every_kind_of_line() {
        const BARE: &str = "3k5/9/9/9/9/9/9/9/9/4K3R";
        check(&format!("{BARE} b - - 3 9"), &format!("{BARE} b - - 3 9"), &[]);
        check(&format!("  {BARE} w - - 0 1;\r\n"), &format!("{BARE} w - - 0 1"), &[]);
        check(&format!("{BARE} w - - 0 1 ; 第001局"), &format!("{BARE} w - - 0 1"), &[("Title", "第001局")]);
        check(
            &format!("{BARE} w - - bm i0i9; dm 6; id \"a; b\";"),
            &format!("{BARE} w - - 0 1"),
            &[("bm", "i0i9"), ("dm", "6"), ("id", "a; b")],
        );
        check(&format!("{BARE} w bm i0i9"), &format!("{BARE} w - - 0 1"), &[("bm", "i0i9")]);
        let record = read(BARE).remove(0).unwrap();
        assert_eq!(record.remarks[0].what, Odd::NoSide);
    }

    #[test]
    fn bad_lines_do_not_stop_the_list() {
        let list = "# a list\n9/9 w\n\n3k5/9/9/9/9/9/9/9/9/4K3R x\n3k5/9/9/9/9/9/9/9/9/4K3R w\n";
        let good: Vec<bool> = read(list).iter().map(Result::is_ok).collect();
        assert_eq!(good, [false, false, true]);
        let first = read(list).remove(0).unwrap_err();
        assert!(first.to_string().starts_with("game 1, line 2, '9/9 w': start position: "), "{first}");
    }
}
