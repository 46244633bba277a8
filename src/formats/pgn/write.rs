//! Writes a game as PGN text in the style asked for (`formats.md` 7 and 16). What cannot stand in a tag
//! or comment is replaced, never written raw. Start at [`write`].

use super::text::{Quotes, append_comment, append_number, append_tag};
use crate::formats::record::{GameResult, Record, RecordedMove};
use crate::xiangqi::{Notation, Position, Side, append_move};

/// How a PGN is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PgnStyle {
    /// Notation of the moves; named in the `Format` tag.
    pub notation: Notation,
    /// Line ends of Windows, which old Chinese programs want.
    pub crlf: bool,
    /// Also writes `White` beside `Red`, and `Variant` and `SetUp`, for programs of the chess family.
    pub chess_tags: bool,
    /// What becomes of `"` and `\` in tag values.
    pub quotes: Quotes,
}

impl PgnStyle {
    /// Coordinates, LF, Red and Black only: read by most programs.
    pub const ICCS: PgnStyle =
        PgnStyle { notation: Notation::Iccs, crlf: false, chess_tags: false, quotes: Quotes::Escaped };
    /// WXF moves.
    pub const WXF: PgnStyle = PgnStyle { notation: Notation::Wxf, ..PgnStyle::ICCS };
    /// Chinese moves with CRLF, as XQBase programs write them (encode as GBK for these).
    pub const CHINESE: PgnStyle = PgnStyle {
        notation: Notation::ChineseSimplified,
        crlf: true,
        chess_tags: false,
        quotes: Quotes::Replaced,
    };
    /// SAN-like moves with ranks 0 to 9 and the chess family's tags.
    pub const XBOARD: PgnStyle =
        PgnStyle { notation: Notation::San0, crlf: false, chess_tags: true, quotes: Quotes::Escaped };
    /// SAN-like moves with ranks 1 to 10 and the chess family's tags.
    pub const PYCHESS: PgnStyle = PgnStyle { notation: Notation::San1, ..PgnStyle::XBOARD };

    /// The value of the `Format` tag.
    const fn format(self) -> &'static str {
        match self.notation {
            Notation::Iccs | Notation::Uci0 => "ICCS",
            Notation::Wxf => "WXF",
            Notation::ChineseSimplified | Notation::ChineseTraditional => "Chinese",
            Notation::Uci1 => "UCI1",
            Notation::San0 => "SAN0",
            Notation::San1 => "SAN1",
        }
    }
}

/// Writes a game: `Game` first, the other tags in the record's order, `Result`, `FEN` (unless the start is
/// the usual one) and `Format` made to agree with the record; a pair of moves a line; the result last.
pub fn write(record: &Record, style: &PgnStyle) -> String {
    let mut out = String::with_capacity(512 + record.moves.len() * 32);
    write_tags(record, style, &mut out);
    out.push('\n');
    if !record.preface.is_empty() {
        append_comment(&record.preface, &mut out);
        out.push('\n');
    }
    let mut position = record.start.clone();
    for (index, played) in record.moves.iter().enumerate() {
        let starts_line = position.side() == Side::Red || index == 0;
        if starts_line {
            write_number(index, &record.start, true, &mut out);
        }
        write_played(played, index, &record.start, &mut position, style.notation, &mut out);
        out.push(if position.side() == Side::Red { '\n' } else { ' ' });
    }
    if out.ends_with(' ') {
        out.pop();
        out.push('\n');
    }
    out.push_str(record.result.unwrap_or(GameResult::Unknown).token());
    out.push_str("\n\n");
    if style.crlf { out.replace('\n', "\r\n") } else { out }
}

/// Tags that the writer sets by itself.
const OWN_TAGS: [&str; 6] = ["Game", "Result", "FEN", "Format", "SetUp", "Variant"];

fn write_tags(record: &Record, style: &PgnStyle, out: &mut String) {
    let result = record.result.unwrap_or(GameResult::Unknown).token();
    let is = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
    append_tag("Game", record.tag("Game").unwrap_or("Chinese Chess"), style.quotes, out);
    let mut result_written = false;
    for (name, value) in &record.tags {
        if is(name, "Result") {
            append_tag(name, result, style.quotes, out);
            result_written = true;
        } else if !OWN_TAGS.iter().any(|own| is(name, own)) {
            // Files of the chess family name Red `White`; ours name both or Red alone.
            let red = is(name, "White") && record.tag("Red").is_none();
            if red || !is(name, "White") {
                append_tag(if red { "Red" } else { name }, value, style.quotes, out);
            }
            if style.chess_tags && (red || is(name, "Red")) {
                append_tag("White", value, style.quotes, out);
            }
        }
    }
    if !result_written {
        append_tag("Result", result, style.quotes, out);
    }
    if style.chess_tags {
        append_tag("Variant", "xiangqi", style.quotes, out);
    }
    if !record.starts_usually() {
        append_tag("FEN", &record.start.fen(), style.quotes, out);
        if style.chess_tags {
            append_tag("SetUp", "1", style.quotes, out);
        }
    }
    append_tag("Format", style.format(), style.quotes, out);
}

/// `1. ` before a first move; `1. ... ` where Black begins or Black's number is repeated.
fn write_number(index: usize, start: &Position, main: bool, out: &mut String) {
    let ply = index + usize::from(start.side() == Side::Black);
    append_number((ply / 2 + 1) as u64, 1, out);
    out.push_str(match (ply % 2, main) {
        (0, _) => ". ",
        (_, true) => ". ... ",
        (_, false) => "... ",
    });
}

/// A move, its glyphs, comment and variations; the position is moved on.
fn write_played(
    played: &RecordedMove,
    index: usize,
    start: &Position,
    position: &mut Position,
    notation: Notation,
    out: &mut String,
) {
    append_move(position, played.mv, notation, out);
    for nag in &played.nags {
        out.push_str(" $");
        out.push_str(&nag.to_string());
    }
    if !played.comment.is_empty() {
        out.push(' ');
        append_comment(&played.comment, out);
    }
    for variation in &played.variations {
        out.push_str(" (");
        let mut branch = position.clone();
        for (offset, other) in variation.iter().enumerate() {
            if offset > 0 {
                out.push(' ');
            }
            if offset == 0 || branch.side() == Side::Red {
                write_number(index + offset, start, false, out);
            }
            write_played(other, index + offset, start, &mut branch, notation, out);
        }
        out.push(')');
    }
    position.make(played.mv);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pgn::PgnGames;
    use crate::xiangqi::SquareStyle;

    fn game(fen: Option<&str>, moves: &[&str]) -> Record {
        let start = fen.map_or_else(Position::start, |fen| Position::from_fen(fen).unwrap());
        let mut record = Record::new(start);
        for text in moves {
            record.moves.push(RecordedMove::plain(SquareStyle::Zero.read(text.as_bytes()).unwrap()));
        }
        record
    }

    fn reread(text: &str) -> Record {
        let mut games = PgnGames::new(text.as_bytes(), None);
        let record = games.next().unwrap().unwrap();
        assert!(games.next().is_none(), "{text}");
        record
    }

    #[test]
    fn the_usual_form() {
        let mut record = game(None, &["h2e2", "h9g7", "h0g2"]);
        record.tags =
            [("Event", "a \"match\""), ("White", "A"), ("Black", "B"), ("Result", "?"), ("Round", "1")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec();
        record.result = Some(GameResult::Draw);
        record.moves[0].comment = "+0.35/24 1.532s".to_owned();
        assert_eq!(
            write(&record, &PgnStyle::ICCS),
            "[Game \"Chinese Chess\"]\n[Event \"a \\\"match\\\"\"]\n[Red \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\
             [Round \"1\"]\n[Format \"ICCS\"]\n\n1. H2-E2 {+0.35/24 1.532s} H9-G7\n2. H0-G2\n1/2-1/2\n\n"
        );
        assert_eq!(
            write(&record, &PgnStyle::CHINESE),
            "[Game \"Chinese Chess\"]\r\n[Event \"a 'match'\"]\r\n[Red \"A\"]\r\n[Black \"B\"]\r\n\
             [Result \"1/2-1/2\"]\r\n[Round \"1\"]\r\n[Format \"Chinese\"]\r\n\r\n\
             1. 炮二平五 {+0.35/24 1.532s} 马８进７\r\n2. 马二进三\r\n1/2-1/2\r\n\r\n"
        );
        let xboard = write(&record, &PgnStyle::XBOARD);
        assert!(xboard.contains("[Red \"A\"]\n[White \"A\"]\n[Black \"B\"]"), "{xboard}");
        assert!(xboard.contains("[Variant \"xiangqi\"]"), "{xboard}");
        assert_eq!(reread(&xboard).line().collect::<Vec<_>>(), record.line().collect::<Vec<_>>());
    }

    #[test]
    fn black_first_variations_and_fen() {
        let mut record = game(Some("3k5/9/9/9/9/9/9/9/9/4K3R b - - 0 1"), &["d9d8", "i0i1", "d8d7"]);
        let line = ["i0i8", "d8d7"].map(|text| SquareStyle::Zero.read(text.as_bytes()).unwrap());
        record.moves[1].variations = vec![line.map(RecordedMove::plain).to_vec()];
        record.moves[1].nags = vec![3, 7];
        record.preface = "first".to_owned();
        let text = write(&record, &PgnStyle::ICCS);
        assert!(
            text.ends_with(
                "[Result \"*\"]\n[FEN \"3k5/9/9/9/9/9/9/9/9/4K3R b - - 0 1\"]\n[Format \"ICCS\"]\n\n{first}\n\
             1. ... D9-D8\n2. I0-I1 $3 $7 (2. I0-I8 D8-D7) D8-D7\n*\n\n"
            ),
            "{text}"
        );
        let again = reread(&text);
        assert_eq!(again.moves, record.moves);
        assert_eq!(again.preface, record.preface);
    }

    #[test]
    fn hostile_text_stays_inside() {
        let nasty = "a\"]\n[Event \"fake\"]\n\n1. h2e2 } { \\ ( ; $ % \u{0}\u{1b}[31m 0-1 \\";
        let mut record = game(None, &["h2e2", "h9g7"]);
        record.tags = vec![("Red".to_owned(), nasty.to_owned()), ("bad name".to_owned(), "x".to_owned())];
        record.preface = nasty.to_owned();
        record.moves[1].comment = nasty.repeat(20_000);
        for style in [PgnStyle::ICCS, PgnStyle::WXF, PgnStyle::CHINESE, PgnStyle::XBOARD, PgnStyle::PYCHESS] {
            let again = reread(&write(&record, &style));
            assert_eq!(again.line().collect::<Vec<_>>(), record.line().collect::<Vec<_>>());
            assert_eq!(again.result, Some(GameResult::Unknown));
            if style.quotes == Quotes::Escaped {
                let shown: String = nasty.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                assert_eq!(again.tag("Red"), Some(shown.as_str()));
            }
            assert!(again.moves[1].comment.len() > 500_000);
        }
    }
}
