//! Points of the board and moves between them. Knows no pieces and no rules. Start at [`Square`].

use std::fmt;

use super::side::Side;

/// A point of the board: `rank * 9 + file`, file 0..9 = a..i from Red's left, rank 0..10 from Red's home.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Number of points.
    pub const COUNT: usize = 90;

    /// The point at a file (0..9) and rank (0..10), or `None` outside the board.
    pub const fn at(file: i8, rank: i8) -> Option<Square> {
        if file >= 0 && file < 9 && rank >= 0 && rank < 10 {
            Some(Square((rank * 9 + file) as u8))
        } else {
            None
        }
    }

    /// The point with an index of 0..90; `None` above.
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < Square::COUNT { Some(Square(index as u8)) } else { None }
    }

    /// Index of a point that is known to be on the board (table look-ups of this floor only).
    pub(super) const fn known(index: u8) -> Square {
        Square(index)
    }

    /// 0..90.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// File 0..9, a = 0.
    pub const fn file(self) -> u8 {
        self.0 % 9
    }

    /// Rank 0..10, Red's home rank = 0.
    pub const fn rank(self) -> u8 {
        self.0 / 9
    }

    /// All points from a0 to i9.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (0..90).map(Square)
    }

    /// The point reached by a step, or `None` off the board.
    pub const fn step(self, files: i8, ranks: i8) -> Option<Square> {
        Square::at(self.file() as i8 + files, self.rank() as i8 + ranks)
    }

    /// Mirrored left to right.
    pub const fn mirrored(self) -> Square {
        Square(self.0 - self.file() + (8 - self.file()))
    }

    /// Seen from the other side of the board (turned by half a circle).
    pub const fn turned(self) -> Square {
        Square(89 - self.0)
    }

    /// Mirrored top to bottom: the same file, the rank counted from the other home.
    pub const fn flipped(self) -> Square {
        Square((9 - self.rank()) * 9 + self.file())
    }

    /// Whether the point lies in a side's palace.
    pub const fn in_palace(self, side: Side) -> bool {
        let rank = match side {
            Side::Red => self.rank(),
            Side::Black => 9 - self.rank(),
        };
        rank <= 2 && self.file() >= 3 && self.file() <= 5
    }

    /// Whether the point lies in a side's own half (before the river).
    pub const fn in_half(self, side: Side) -> bool {
        match side {
            Side::Red => self.rank() <= 4,
            Side::Black => self.rank() >= 5,
        }
    }

    /// Reads the zero style (`h2`): file letter in either case and one rank digit.
    pub const fn parse(text: &[u8]) -> Option<Square> {
        if text.len() != 2 {
            return None;
        }
        let file = text[0].to_ascii_lowercase() as i8 - b'a' as i8;
        let rank = text[1] as i8 - b'0' as i8;
        Square::at(file, rank)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A move of one piece from a point to another. Nothing is said of its legality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
}

impl Move {
    /// Makes a move.
    pub const fn new(from: Square, to: Square) -> Move {
        Move { from, to }
    }

    /// The move on the board mirrored left to right.
    pub const fn mirrored(self) -> Move {
        Move { from: self.from.mirrored(), to: self.to.mirrored() }
    }

    /// The move with the colours exchanged (same files, ranks counted from the other home).
    pub const fn flipped(self) -> Move {
        Move { from: self.from.flipped(), to: self.to.flipped() }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece: moves are written far more often than anything else.
        let [from, to] = [self.from, self.to].map(|square| [b'a' + square.file(), b'0' + square.rank()]);
        let text = [from[0], from[1], to[0], to[1]];
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How ranks are counted in coordinate moves (`formats.md` 1). A setting of an engine or file, never guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SquareStyle {
    /// Ranks 0..9, `h2e2`: UCCI, ICCS, most UCI engines.
    #[default]
    Zero,
    /// Ranks 1..10, `h3e3`, `h10g8`: the Fairy-Stockfish family.
    One,
}

impl SquareStyle {
    /// Appends a move in this style.
    pub fn write(self, mv: Move, out: &mut Vec<u8>) {
        for square in [mv.from, mv.to] {
            out.push(b'a' + square.file());
            match (self, square.rank()) {
                (SquareStyle::Zero, rank) => out.push(b'0' + rank),
                (SquareStyle::One, 9) => out.extend_from_slice(b"10"),
                (SquareStyle::One, rank) => out.push(b'1' + rank),
            }
        }
    }

    /// Reads a move in this style: lower or upper case, an optional `-` between the points, nothing else.
    pub fn read(self, text: &[u8]) -> Option<Move> {
        let (from, rest) = self.read_square(text)?;
        let rest = rest.strip_prefix(b"-").unwrap_or(rest);
        let (to, rest) = self.read_square(rest)?;
        rest.is_empty().then_some(Move { from, to })
    }

    fn read_square(self, text: &[u8]) -> Option<(Square, &[u8])> {
        let file = text.first()?.to_ascii_lowercase().checked_sub(b'a')?;
        let digit = text.get(1)?;
        if file > 8 || !digit.is_ascii_digit() {
            return None;
        }
        let (rank, used) = match self {
            SquareStyle::Zero => (digit - b'0', 2),
            SquareStyle::One if *digit == b'1' && text.get(2) == Some(&b'0') => (9, 3),
            SquareStyle::One => ((digit - b'0').checked_sub(1)?, 2),
        };
        Some((Square::known(rank * 9 + file), &text[used..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: SquareStyle, text: &str, zero: Option<&str>) {
        let read = style.read(text.as_bytes()).map(|mv| mv.to_string());
        assert_eq!(read.as_deref(), zero, "{style:?} {text}");
    }

    #[test]
    fn coordinates_in_both_styles() {
        check(SquareStyle::Zero, "h2e2", Some("h2e2"));
        check(SquareStyle::Zero, "H2-E2", Some("h2e2"));
        check(SquareStyle::Zero, "h10g8", None);
        check(SquareStyle::Zero, "j2e2", None);
        check(SquareStyle::Zero, "h2", None);
        check(SquareStyle::Zero, "0000", None);
        check(SquareStyle::One, "h3e3", Some("h2e2"));
        check(SquareStyle::One, "h10g8", Some("h9g7"));
        check(SquareStyle::One, "a9a10", Some("a8a9"));
        check(SquareStyle::One, "a0a1", None);
    }

    #[test]
    fn writing_reads_back() {
        for from in Square::all() {
            for to in Square::all() {
                for style in [SquareStyle::Zero, SquareStyle::One] {
                    let mut text = Vec::new();
                    style.write(Move { from, to }, &mut text);
                    assert_eq!(style.read(&text), Some(Move { from, to }));
                }
            }
        }
    }

    #[test]
    fn symmetries_are_their_own_inverse() {
        for square in Square::all() {
            assert_eq!(square.mirrored().mirrored(), square);
            assert_eq!(square.flipped().flipped(), square);
            assert_eq!(square.turned(), square.flipped().mirrored());
        }
    }
}
