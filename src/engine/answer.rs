//! An engine's answer to `go`, read leniently: only the first word is the move, whatever follows. Never
//! judges whether the move is legal. Start at [`Answer`].

use super::words::{first_word, words};
use crate::xiangqi::{Move, SquareStyle};

/// What an engine answered to a `go`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The move, or what stood in its place.
    pub mv: AnsweredMove<'a>,
    /// The reply the engine would like to ponder on, if it can be read as a move at all. Not checked.
    pub ponder: Option<Move>,
    /// It offers a draw, or accepts one that was offered (UCCI).
    pub draw: bool,
    /// It resigns; the move must then not be played (UCCI).
    pub resign: bool,
}

/// The place of the move in an [`Answer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredMove<'a> {
    /// A move in the engine's style of squares. Nothing is said of its legality.
    Move(Move),
    /// The engine says that it has no move: `nobestmove`, `(none)`, `0000`, `a0a0`, `xxxx`, `null` or
    /// nothing at all. As written.
    None(&'a [u8]),
    /// Something that is no move in the engine's style of squares. As written.
    Unreadable(&'a [u8]),
}

/// Words that stand for "no move".
const NO_MOVE: [&[u8]; 8] = [b"(none)", b"none", b"null", b"0000", b"00000", b"a0a0", b"xxxx", b"nomove"];

impl<'a> AnsweredMove<'a> {
    /// Reads one word.
    pub(super) fn read(word: &'a [u8], style: SquareStyle) -> AnsweredMove<'a> {
        if word.is_empty() || NO_MOVE.iter().any(|none| word.eq_ignore_ascii_case(none)) {
            return AnsweredMove::None(word);
        }
        match style.read(word) {
            Some(mv) if mv.from == mv.to => AnsweredMove::None(word),
            Some(mv) => AnsweredMove::Move(mv),
            None => AnsweredMove::Unreadable(word),
        }
    }
}

impl<'a> Answer<'a> {
    /// An answer that is a move and nothing else.
    pub(super) fn only(mv: AnsweredMove<'a>) -> Answer<'a> {
        Answer { mv, ponder: None, draw: false, resign: false }
    }

    /// Reads what follows `bestmove`: `MOVE [ponder MOVE] [draw | resign]`, with anything between.
    pub(super) fn read(rest: &'a [u8], style: SquareStyle) -> Answer<'a> {
        let (first, after) = first_word(rest);
        // `bestmove resign` and `bestmove ponder h2e2` leave the move out.
        let (first, after) = match first {
            b"resign" | b"draw" | b"ponder" => (&rest[..0], rest),
            _ => (first, after),
        };
        let mut answer = Answer::only(AnsweredMove::read(first, style));
        let mut words = words(after);
        while let Some(word) = words.next() {
            match word {
                b"draw" => answer.draw = true,
                b"resign" => answer.resign = true,
                // `ponder draw`: the pondered move is missing.
                b"ponder" => match words.next() {
                    Some(b"draw") => answer.draw = true,
                    Some(b"resign") => answer.resign = true,
                    Some(word) => answer.ponder = style.read(word).filter(|mv| mv.from != mv.to),
                    None => {}
                },
                _ => {}
            }
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: SquareStyle, rest: &str, expected: &str) {
        let answer = Answer::read(rest.as_bytes(), style);
        let mut shown = match answer.mv {
            AnsweredMove::Move(mv) => mv.to_string(),
            AnsweredMove::None(word) => format!("none<{}>", String::from_utf8_lossy(word)),
            AnsweredMove::Unreadable(word) => format!("unreadable<{}>", String::from_utf8_lossy(word)),
        };
        shown.extend(answer.ponder.map(|mv| format!(" ponder {mv}")));
        shown.push_str(if answer.draw { " draw" } else { "" });
        shown.push_str(if answer.resign { " resign" } else { "" });
        assert_eq!(shown, expected, "bestmove {rest}");
    }

    #[test]
    fn forms_of_an_answer() {
        let zero = [
            ("h2e2", "h2e2"),
            ("H2-E2", "h2e2"),
            ("h2-e2 ponder h9g7", "h2e2 ponder h9g7"),
            ("h2e2\tponder   h9g7 draw", "h2e2 ponder h9g7 draw"),
            ("h2e2 draw", "h2e2 draw"),
            ("h2e2 ponder h9g7 resign", "h2e2 ponder h9g7 resign"),
            ("h2e2 resign", "h2e2 resign"),
            ("h2e2 ponder", "h2e2"),
            ("h2e2 ponder draw", "h2e2 draw"),
            ("i0i1 ponder ^<^<", "i0i1"),
            ("h2e2 (the best)", "h2e2"),
            ("", "none<>"),
            ("(none)", "none<(none)>"),
            ("(none) ponder (none)", "none<(none)>"),
            ("0000", "none<0000>"),
            ("a0a0", "none<a0a0>"),
            ("a1a1", "none<a1a1>"),
            ("NULL", "none<NULL>"),
            ("xxxx", "none<xxxx>"),
            ("resign", "none<> resign"),
            ("draw", "none<> draw"),
            ("ponder h9g7", "none<> ponder h9g7"),
            ("h10g8", "unreadable<h10g8>"),
            ("h2", "unreadable<h2>"),
            ("h2 e2", "unreadable<h2>"),
        ];
        for (rest, expected) in zero {
            check(SquareStyle::Zero, rest, expected);
        }
        check(SquareStyle::One, "h10g8 ponder a1a10", "h9g7 ponder a0a9");
        check(SquareStyle::One, "a1a1", "none<a1a1>");
        check(SquareStyle::One, "a0a0", "none<a0a0>");
        check(SquareStyle::One, "a0a1", "unreadable<a0a1>");
    }
}
