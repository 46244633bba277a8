//! SAN-like notation of the chess family, `Che3`, `Rxe9+` (`formats.md` 6), with ranks counted from 0
//! (XBoard) or from 1 (pychess, Fairy-Stockfish). Knows no other notation. Start at [`parse`].

use super::piece::{Kind, Piece};
use super::position::Position;
use super::square::{Move, Square, SquareStyle};
use super::wxf::letter;

/// Appends a legal move. XBoard writes a soldier without a letter, with its file whenever it captures or
/// changes file; Fairy-Stockfish writes `P` and treats it as any piece. `+` is check, `#` mate.
pub(super) fn append(position: &Position, piece: Piece, mv: Move, style: SquareStyle, out: &mut String) {
    let capture = position.get(mv.to).is_some();
    let bare_soldier = piece.kind() == Kind::Soldier && style == SquareStyle::Zero;
    if !bare_soldier {
        out.push(letter(piece.kind()));
    }
    let (mut rivals, mut on_file, mut on_rank) = (false, false, false);
    for from in position.board().squares(piece.side()) {
        let rival = from != mv.from && position.get(from) == Some(piece);
        if rival && position.is_legal(Move { from, to: mv.to }) {
            rivals = true;
            on_file |= from.file() == mv.from.file();
            on_rank |= from.rank() == mv.from.rank();
        }
    }
    let sidestep = bare_soldier && (capture || mv.from.file() != mv.to.file());
    let with_rank = on_file;
    if sidestep || rivals && (!on_file || on_rank) {
        out.push(file_letter(mv.from));
    }
    if with_rank {
        append_rank(mv.from, style, out);
    }
    if capture {
        out.push('x');
    }
    out.push(file_letter(mv.to));
    append_rank(mv.to, style, out);
    let after = position.after(mv);
    if after.in_check(after.side()) {
        out.push(if after.has_legal_move() { '+' } else { '#' });
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}

fn append_rank(square: Square, style: SquareStyle, out: &mut String) {
    match (style, square.rank()) {
        (SquareStyle::Zero, rank) => out.push(char::from(b'0' + rank)),
        (SquareStyle::One, 9) => out.push_str("10"),
        (SquareStyle::One, rank) => out.push(char::from(b'1' + rank)),
    }
}

/// A move as this notation names it: a kind, what is said of its origin, and where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SanMove {
    kind: Kind,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
}

impl SanMove {
    /// Calls `visit` with each move the text may mean, legal or not.
    pub fn each(&self, position: &Position, visit: &mut impl FnMut(Move)) {
        let piece = Piece::new(position.side(), self.kind);
        for from in position.board().squares(position.side()) {
            if position.get(from) == Some(piece)
                && self.file.is_none_or(|file| file == from.file())
                && self.rank.is_none_or(|rank| rank == from.rank())
            {
                visit(Move { from, to: self.to });
            }
        }
    }
}

/// Reads an ASCII token, an appended check, mate or judgement sign left aside, and the longer
/// `Ch2-e2` too; `None` if it has not this shape.
pub(super) fn parse(text: &[u8], style: SquareStyle) -> Option<SanMove> {
    let end = text.iter().rposition(|byte| !matches!(byte, b'+' | b'#' | b'!' | b'?'))?;
    let text = &text[..=end];
    let (kind, rest) = match text.first()? {
        letter @ (b'K' | b'A' | b'B' | b'E' | b'H' | b'N' | b'R' | b'C' | b'P') => {
            (Piece::from_letter(char::from(*letter))?.kind(), &text[1..])
        }
        _ => (Kind::Soldier, text),
    };
    let (rest, rank) = split_rank(rest, style)?;
    let (rest, file) = split_file(rest)?;
    let to = Square::at(file as i8, rank as i8)?;
    let rest = rest.strip_suffix(b"x").or(rest.strip_suffix(b"-")).unwrap_or(rest);
    let (rest, rank) = split_rank(rest, style).map_or((rest, None), |(rest, rank)| (rest, Some(rank)));
    let (rest, file) = split_file(rest).map_or((rest, None), |(rest, file)| (rest, Some(file)));
    rest.is_empty().then_some(SanMove { kind, file, rank, to })
}

fn split_rank(text: &[u8], style: SquareStyle) -> Option<(&[u8], u8)> {
    let (last, rest) = text.split_last()?;
    match style {
        SquareStyle::One if text.ends_with(b"10") => Some((&text[..text.len() - 2], 9)),
        SquareStyle::One => {
            last.is_ascii_digit().then(|| last - b'0')?.checked_sub(1).map(|rank| (rest, rank))
        }
        SquareStyle::Zero => last.is_ascii_digit().then(|| (rest, last - b'0')),
    }
}

fn split_file(text: &[u8]) -> Option<(&[u8], u8)> {
    let (last, rest) = text.split_last()?;
    matches!(last, b'a'..=b'i').then(|| (rest, last - b'a'))
}
