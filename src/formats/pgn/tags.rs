//! Tag lines, and what a game is made of once its tags and moves are read. Knows no bytes.
//! Start at [`Tags`].

use crate::formats::encoding::Encoding;
use crate::formats::movetext::{Parsed, read_moves};
use crate::formats::record::{GameResult, Odd, Origin, Reason, Record, RecordError, Remark, shown};
use crate::xiangqi::{Notation, Position, Setup};

/// Most tags of one game.
pub const MAX_TAGS: usize = 500;

/// Whether a line begins like a tag pair, `[Name "`; spaces before it are allowed.
pub fn is_tag_line(line: &[u8]) -> bool {
    tag_name(line).is_some()
}

/// The name of a tag pair.
pub(super) fn tag_name(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii_start().strip_prefix(b"[")?.trim_ascii_start();
    let length = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (name, rest) = line.split_at(length);
    (length > 0 && rest.trim_ascii_start().first() == Some(&b'"')).then_some(name)
}

/// Whether a line below a tag is what is left of one: the second line of a value with a line break, or a
/// name that is none. Such a line ends as tags do and opens no comment.
pub(super) fn is_torn_tag(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"\"]") && !line.contains(&b'{')
}

/// The tags at the head of a game.
pub(super) struct Tags {
    /// Name and unescaped value, in order.
    pub pairs: Vec<(String, String)>,
    /// Tag lines that cannot be read, with their offset.
    pub bad: Vec<(usize, Odd)>,
    /// Where the moves begin.
    pub end: usize,
}

impl Tags {
    /// Reads the tag lines that a text begins with.
    pub fn read(text: &str) -> Tags {
        let mut tags = Tags { pairs: Vec::new(), bad: Vec::new(), end: 0 };
        for line in text.split_inclusive('\n') {
            if !line.trim().is_empty() {
                let torn = (!tags.pairs.is_empty() || !tags.bad.is_empty()) && is_torn_tag(line.as_bytes());
                if !torn && !is_tag_line(line.as_bytes()) {
                    break;
                }
                tags.read_line(line.trim());
            }
            tags.end += line.len();
        }
        tags
    }

    /// Several pairs may stand on one line.
    fn read_line(&mut self, line: &str) {
        let mut rest = line;
        while let Some((name, value, after)) = read_pair(rest) {
            if self.pairs.len() < MAX_TAGS {
                self.pairs.push((name.to_owned(), unescape(value)));
            }
            rest = after.trim_start();
        }
        if !rest.is_empty() {
            self.bad.push((self.end, Odd::Tag(shown(rest))));
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Name, value still escaped, and the text after the pair. The value ends at the first unescaped quote
/// that a `]` follows; programs that do not escape put quotes inside.
fn read_pair(text: &str) -> Option<(&str, &str, &str)> {
    let name = tag_name(text.as_bytes()).and_then(|name| std::str::from_utf8(name).ok())?;
    let value = &text[text.find('"')? + 1..];
    let mut escaped = false;
    for (at, byte) in value.bytes().enumerate() {
        if byte == b'"' && !escaped {
            let after = value[at + 1..].trim_start();
            if let Some(after) = after.strip_prefix(']')
                && (after.trim_start().is_empty() || is_tag_line(after.as_bytes()))
            {
                return Some((name, &value[..at], after));
            }
        }
        escaped = byte == b'\\' && !escaped;
    }
    None
}

fn unescape(value: &str) -> String {
    if !value.contains('\\') {
        return value.to_owned();
    }
    let mut out = String::with_capacity(value.len());
    let mut characters = value.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some('"' | '\\')) => out.extend(characters.next()),
            _ => out.push(c),
        }
    }
    out
}

/// The notation that a `Format` tag names; `None` for unknown words.
pub(in crate::formats) fn notation_of_format(format: &str) -> Option<Notation> {
    match format.trim().to_ascii_uppercase().as_str() {
        "LALG" | "SALG" => Some(Notation::San0),
        other => Notation::from_name(other),
    }
}

/// A game whose text is known but not yet understood.
pub(in crate::formats) struct Game<'a> {
    /// Number in the source, from 1.
    pub number: u64,
    /// Its whole text, which the offsets of remarks count in.
    pub text: &'a str,
    /// Line of the beginning of the text, from 1.
    pub line: u64,
    /// Its encoding.
    pub encoding: Encoding,
}

impl Game<'_> {
    /// The line of a byte offset in the text.
    pub fn line_at(&self, at: usize) -> u64 {
        self.line
            + memchr::memchr_iter(b'\n', &self.text.as_bytes()[..at.min(self.text.len())]).count() as u64
    }

    /// An error at an offset.
    pub fn error(&self, at: usize, token: &str, reason: Reason) -> RecordError {
        let (game, line) = (self.number, self.line_at(at));
        RecordError { game, line, ply: None, token: shown(token), reason, before: None }
    }
}

/// Reads a game's text: tags, start position, moves.
pub(super) fn read_game(game: &Game<'_>, forced: Option<Notation>) -> Result<Record, RecordError> {
    let tags = Tags::read(game.text);
    let start = match tags.get("FEN") {
        None => Position::start(),
        Some(fen) => match Position::from_fen(fen) {
            Ok(position) => position,
            Err(why) => return Err(game.error(0, fen, Reason::Position(why))),
        },
    };
    let format = tags.get("Format").and_then(notation_of_format);
    let parsed = read_moves(&game.text[tags.end..], &start, forced.or(format));
    let mut record = Record::new(start);
    let bad = tags.bad.iter().map(|(at, odd)| remark_at(game, *at, odd.clone()));
    record.remarks.extend(bad);
    if let (Some(format), Some(found)) = (tags.get("Format"), parsed.notation)
        && notation_of_format(format).is_none_or(|named| family(named) != family(found))
    {
        record.remarks.push(remark_at(game, 0, Odd::FormatTag(shown(format))));
    }
    let tagged = tags.get("Result").and_then(GameResult::from_words);
    record.tags = tags.pairs;
    finish(game, record, parsed, tags.end, tagged)
}

/// Which notations a `Format` tag does not tell apart.
fn family(notation: Notation) -> u8 {
    match notation {
        Notation::Uci0 | Notation::Uci1 | Notation::Iccs => 0,
        Notation::Wxf => 1,
        Notation::ChineseSimplified | Notation::ChineseTraditional => 2,
        Notation::San0 | Notation::San1 => 3,
    }
}

/// A remark with its line.
pub(in crate::formats) fn remark_at(game: &Game<'_>, at: usize, what: Odd) -> Remark {
    Remark { line: game.line_at(at), what }
}

/// Puts tags and moves together. `offset` is where the move text began in the game's text.
pub(in crate::formats) fn finish(
    game: &Game<'_>,
    mut record: Record,
    parsed: Parsed,
    offset: usize,
    tagged: Option<GameResult>,
) -> Result<Record, RecordError> {
    let Game { number, line, encoding, .. } = *game;
    record.origin = Origin { game: number, line, encoding, notation: parsed.notation };
    if !record.starts_usually() {
        let odd = Setup::oddities(&record.start.setup());
        record.remarks.extend(odd.into_iter().map(|odd| remark_at(game, 0, Odd::Placement(odd))));
    }
    let more = parsed.remarks.into_iter().map(|(at, odd)| remark_at(game, offset + at, odd));
    record.remarks.extend(more);
    if let (Some(tag), Some(token)) = (tagged, parsed.result)
        && tag != token
    {
        record.remarks.push(remark_at(game, 0, Odd::ResultsDiffer { tag, token }));
    }
    record.preface = parsed.preface;
    record.moves = parsed.moves;
    record.result = parsed.result.or(tagged);
    match parsed.stop {
        None => Ok(record),
        Some(stop) => Err(RecordError {
            game: number,
            line: game.line_at(offset + stop.at),
            ply: stop.ply,
            token: stop.token,
            reason: stop.reason,
            before: Some(Box::new(record)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)], bad: usize) {
        let tags = Tags::read(text);
        let pairs: Vec<(&str, &str)> =
            tags.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, expected, "{text}");
        assert_eq!(tags.bad.len(), bad, "{text}");
    }

    #[test]
    fn tags_of_every_dialect() {
        check("[A \"x\"]\r\n\r\n [B  \"\" ]\n1. h2e2", &[("A", "x"), ("B", "")], 0);
        check("[A \"x\"][B \"y\"] [C \"z\"]", &[("A", "x"), ("B", "y"), ("C", "z")], 0);
        check(r#"[A "say \"x\" \\ \n"]"#, &[("A", r#"say "x" \ \n"#)], 0);
        check(r#"[A "the "best" one"]"#, &[("A", r#"the "best" one"#)], 0);
        check(r#"[A "]"]"#, &[("A", "]")], 0);
        check("[A \"never closed\n[B \"y\"]", &[("B", "y")], 1);
        check("[A \"two\nlines\"]\n[B \"y\"]\n1. h2e2", &[("B", "y")], 2);
        check("[A \"x\"]\n[<b> \"y\"]\n[C \"z\"]\n{a \"]", &[("A", "x"), ("C", "z")], 1);
        check("torn \"]\n[A \"x\"]", &[], 0);
        check("[DhtmlXQ_title]x", &[], 0);
        check("[Event]", &[], 0);
    }
}
