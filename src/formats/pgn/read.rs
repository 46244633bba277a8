//! Cuts a byte source into games, finds the encoding of each and reads it. Holds one game at a time.
//! Start at [`PgnGames`].

use std::io::BufRead;

use super::tags::{Game, is_tag_line, is_torn_tag, read_game, tag_name};
use crate::formats::encoding::{BOM, Encoding};
use crate::formats::record::{Reason, Record, RecordError};
use crate::formats::source::Lines;
use crate::xiangqi::Notation;

/// Most bytes of one game: thousands of moves with long comments fit, a file that is no PGN does not.
pub const MAX_GAME: usize = 32 << 20;

/// The games of a PGN source, one after the other; an error ends its game, not the source.
pub struct PgnGames<R> {
    lines: Lines<R>,
    forced: Option<Notation>,
    /// Bytes of the game being read.
    text: Vec<u8>,
    /// The line that ended it: the first of the next.
    held: Vec<u8>,
    /// The Chinese encoding that fitted last.
    guess: Encoding,
    game: u64,
    ended: bool,
}

impl<R: BufRead> PgnGames<R> {
    /// Reads from a source. A forced notation outranks the `Format` tag and settles the rank style.
    pub fn new(source: R, forced: Option<Notation>) -> PgnGames<R> {
        let lines = Lines::new(source);
        let (text, held, guess) = (Vec::new(), Vec::new(), Encoding::Gb18030);
        PgnGames { lines, forced, text, held, guess, game: 0, ended: false }
    }

    /// Collects the bytes of the next game; the number of its first line, or `None` at the end.
    fn collect(&mut self) -> Result<Option<u64>, Reason> {
        self.text.clear();
        let mut head = Head::default();
        let mut first = self.lines.number;
        if self.held.is_empty() {
            first += 1;
        } else {
            std::mem::swap(&mut self.text, &mut self.held);
            head.take(&self.text);
        }
        let mut too_long = false;
        loop {
            let before = self.text.len();
            if !self.lines.read(&mut self.text)? {
                self.ended = true;
                break;
            }
            if self.text[before..].starts_with(BOM) {
                self.text.drain(before..before + BOM.len());
            }
            if head.ends_before(&self.text[before..]) {
                self.held.clear();
                self.held.extend_from_slice(&self.text[before..]);
                self.text.truncate(before);
                break;
            }
            head.take(&self.text[before..]);
            if self.text.len() > MAX_GAME {
                self.text.truncate(before);
                too_long = true;
            }
        }
        if too_long {
            return Err(Reason::TooMuch("bytes of one game (32 MB)"));
        }
        Ok((!self.text.trim_ascii().is_empty()).then_some(first))
    }

    /// Reads the collected game in the encoding in which more of its moves are moves.
    fn read(&mut self, line: u64) -> Result<Record, RecordError> {
        let attempt = |encoding: Encoding, text: &str| {
            read_game(&Game { number: self.game, text, line, encoding }, self.forced)
        };
        if let Ok(text) = std::str::from_utf8(&self.text) {
            return attempt(Encoding::Utf8, text);
        }
        let other = if self.guess == Encoding::Gb18030 { Encoding::Big5 } else { Encoding::Gb18030 };
        let first = attempt(self.guess, &self.guess.decode(&self.text));
        if first.as_ref().is_ok_and(|record| !record.moves.is_empty() && is_chinese(record)) {
            return first;
        }
        let second_text = other.decode(&self.text);
        let second = attempt(other, &second_text);
        let score = |read: &Result<Record, RecordError>| (plies(read), read.is_ok());
        let strange = |encoding: Encoding| encoding.decode(&self.text).matches('\u{FFFD}').count();
        let better = score(&second) > score(&first)
            || score(&second) == score(&first) && strange(other) < strange(self.guess);
        if better {
            self.guess = other;
        }
        if better { second } else { first }
    }
}

fn is_chinese(record: &Record) -> bool {
    matches!(record.origin.notation, Some(Notation::ChineseSimplified | Notation::ChineseTraditional))
}

fn plies(read: &Result<Record, RecordError>) -> usize {
    match read {
        Ok(record) => record.moves.len(),
        Err(error) => error.before.as_ref().map_or(0, |record| record.moves.len()),
    }
}

impl<R: BufRead> Iterator for PgnGames<R> {
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended || !self.held.is_empty() {
            match self.collect() {
                Ok(None) => {}
                Ok(Some(line)) => {
                    self.game += 1;
                    let read = self.read(line);
                    if !read.as_ref().is_ok_and(says_nothing) {
                        return Some(read);
                    }
                    self.game -= 1;
                }
                Err(reason) => {
                    self.game += 1;
                    self.ended |= !matches!(reason, Reason::TooMuch(_));
                    let (game, line) = (self.game, self.lines.number.max(1));
                    let token = String::new();
                    return Some(Err(RecordError { game, line, ply: None, token, reason, before: None }));
                }
            }
        }
        None
    }
}

/// Comment lines between games are no game.
fn says_nothing(record: &Record) -> bool {
    record.tags.is_empty() && record.moves.is_empty() && record.result.is_none()
}

/// What has been seen of a game, to know where the next begins.
#[derive(Default)]
struct Head {
    /// Something other than tags and blank lines.
    moves: bool,
    /// The first tag's name.
    first_tag: Vec<u8>,
    /// A blank line after tags.
    blank: bool,
    /// Braces open.
    depth: usize,
}

impl Head {
    /// Whether a line is the first of the next game: a tag after moves, or the first tag's name again
    /// after a blank line. In an open comment only `Game` and `Event` count, the tags games begin with.
    fn ends_before(&self, line: &[u8]) -> bool {
        let Some(name) = tag_name(line) else { return false };
        if self.depth > 0 {
            return name.eq_ignore_ascii_case(b"Game") || name.eq_ignore_ascii_case(b"Event");
        }
        self.moves || self.blank && name == self.first_tag.as_slice()
    }

    fn take(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            self.blank |= !self.first_tag.is_empty();
        } else if !self.moves && (is_tag_line(line) || !self.first_tag.is_empty() && is_torn_tag(line)) {
            if self.first_tag.is_empty() {
                self.first_tag = tag_name(line).unwrap_or_default().to_vec();
            }
        } else {
            self.moves = true;
            self.braces(line);
        }
    }

    /// Counts braces. In GBK and Big5 the second byte of a character can look like one.
    fn braces(&mut self, line: &[u8]) {
        if memchr::memchr2(b'{', b'}', line).is_none() {
            return;
        }
        let double = !line.is_ascii() && std::str::from_utf8(line).is_err();
        let mut bytes = line.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'{' => self.depth += 1,
                b'}' => self.depth = self.depth.saturating_sub(1),
                0x81.. if double => {
                    bytes.next();
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each game as `plies result` or its error.
    fn check(text: &[u8], expected: &[&str]) {
        let games: Vec<String> = PgnGames::new(text, None)
            .map(|read| match read {
                Ok(record) => {
                    let result = record.result.map_or("-", |result| result.token());
                    let mut line = format!("{} {result}", record.moves.len());
                    record
                        .remarks
                        .iter()
                        .for_each(|remark| line += &format!(" <{}: {}>", remark.line, remark.what));
                    line
                }
                Err(error) => format!("{} kept; {error}", error.before.as_ref().map_or(0, |r| r.moves.len())),
            })
            .collect();
        assert_eq!(games, expected, "{}", String::from_utf8_lossy(text));
    }

    #[test]
    fn games_are_told_apart() {
        check(b"", &[]);
        check(b"\n\n; nothing here\n", &[]);
        check(b"h2e2 h9g7", &["2 -"]);
        check(
            b"\xEF\xBB\xBF[Game \"x\"]\n1. h2e2 1-0\n[Game \"y\"]\n1. h2e2 h9g7 0-1\n",
            &["1 1-0", "2 0-1"],
        );
        check(b"[Event \"a\"]\n[Site \"b\"]\n\n[Event \"c\"]\n\nh2e2\n", &["0 -", "1 -"]);
        check(b"[Event \"a\"]\nh2e2 {\n[White \"fake\"]\n} h9g7\n[Event \"b\"]\n*", &["2 -", "0 *"]);
        check(
            b"[Event \"a\"]\nh2e2 { open\n[Event \"b\"]\nh2e2",
            &["1 kept; game 1, line 2, '{': a comment is opened with '{' and never closed", "1 -"],
        );
        check(
            b"[Result \"1-0\"]\nh2e2 0-1",
            &["1 0-1 <1: the Result tag says 1-0, the moves end with 0-1; the latter was taken>"],
        );
        check(b"[Result \"1-0\"]\nh2e2", &["1 1-0"]);
        check(
            b"[Format \"WXF\"]\nh2e2\n\n[FEN \"9/9 w\"]\nh2e2\n[A \"\"]\nh2e2 x h9g7\n[A \"\"]\nh2e2",
            &[
                "1 - <1: the Format tag says 'WXF', the moves are written otherwise>",
                "0 kept; game 2, line 4, '9/9 w': start position: a xiangqi board has 10 ranks separated by '/', this one has 2",
                "1 kept; game 3, line 7, ply 2, 'x': this is no move in any notation that is read here",
                "1 -",
            ],
        );
    }

    #[test]
    fn encodings_change_between_games() {
        let game = |encoding: Encoding, moves: &str| {
            encoding
                .encode(&format!("[Game \"Chinese Chess\"]\n[Red \"名\"]\n{moves}\n\n"))
                .unwrap()
                .into_owned()
        };
        let text = [
            game(Encoding::Gb18030, "炮二平五 马８进７"),
            game(Encoding::Utf8, "炮二平五 马８进７"),
            game(Encoding::Big5, "炮二平五 馬８進７"),
            game(Encoding::Big5, "馬二進三 馬８進７"),
            game(Encoding::Gb18030, "马二进三 马８进７"),
        ]
        .concat();
        check(&text, &["2 -"; 5]);
        let names: Vec<String> = PgnGames::new(&text[..], None)
            .map(|read| read.unwrap().tag("Red").unwrap_or_default().to_owned())
            .collect();
        assert_eq!(names, ["名"; 5]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            PgnGames::new(&bytes[..], None).for_each(drop);
        }

        #[test]
        fn any_tokens_are_survived(text in "(\\[[A-Z]{1,3} \"[a\"\\]]{0,3}\"\\]|\n|\\{|\\}|\\(|\\)|;|\\$3|1\\.|h2e2|h9g7|炮二平五|Che3|C2\\.5|1-0| ){0,60}") {
            PgnGames::new(text.as_bytes(), None).for_each(drop);
        }
    }
}
