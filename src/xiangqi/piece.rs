//! Pieces: a kind and a side in one byte. Knows nothing of squares. Start at [`Piece`].

use std::fmt;

use super::side::Side;

/// The seven kinds of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// 帅/将, letter K.
    General = 0,
    /// 仕/士, letter A.
    Advisor = 1,
    /// 相/象, letter B (also read: E).
    Elephant = 2,
    /// 马, letter N (also read: H).
    Horse = 3,
    /// 车, letter R.
    Chariot = 4,
    /// 炮, letter C.
    Cannon = 5,
    /// 兵/卒, letter P.
    Soldier = 6,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; 7] = [
        Kind::General,
        Kind::Advisor,
        Kind::Elephant,
        Kind::Horse,
        Kind::Chariot,
        Kind::Cannon,
        Kind::Soldier,
    ];

    /// The FEN letter in upper case: one of `K A B N R C P`.
    pub const fn letter(self) -> char {
        match self {
            Kind::General => 'K',
            Kind::Advisor => 'A',
            Kind::Elephant => 'B',
            Kind::Horse => 'N',
            Kind::Chariot => 'R',
            Kind::Cannon => 'C',
            Kind::Soldier => 'P',
        }
    }

    /// The English name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::General => "general",
            Kind::Advisor => "advisor",
            Kind::Elephant => "elephant",
            Kind::Horse => "horse",
            Kind::Chariot => "chariot",
            Kind::Cannon => "cannon",
            Kind::Soldier => "soldier",
        }
    }

    const fn from_number(number: u8) -> Kind {
        match number {
            0 => Kind::General,
            1 => Kind::Advisor,
            2 => Kind::Elephant,
            3 => Kind::Horse,
            4 => Kind::Chariot,
            5 => Kind::Cannon,
            _ => Kind::Soldier,
        }
    }
}

/// A piece: kind and side, packed as `kind + 7 * side + 1` so that 0 can mean an empty point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece(u8);

impl Piece {
    /// Makes a piece.
    pub const fn new(side: Side, kind: Kind) -> Piece {
        Piece(kind as u8 + 7 * side as u8 + 1)
    }

    /// Whose it is.
    pub const fn side(self) -> Side {
        if self.0 > 7 { Side::Black } else { Side::Red }
    }

    /// What it is.
    pub const fn kind(self) -> Kind {
        Kind::from_number((self.0 - 1) % 7)
    }

    /// 0..14, Red's kinds first: an index for tables.
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// The FEN letter: upper case for Red.
    pub const fn letter(self) -> char {
        match self.side() {
            Side::Red => self.kind().letter(),
            Side::Black => self.kind().letter().to_ascii_lowercase(),
        }
    }

    /// Reads `K A B N R C P` in either case, and `E`/`H` for elephant and horse. `G M S` are not
    /// read: `G` means advisor in one tradition and general in another.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        let kind = match letter.to_ascii_uppercase() {
            'K' => Kind::General,
            'A' => Kind::Advisor,
            'B' | 'E' => Kind::Elephant,
            'N' | 'H' => Kind::Horse,
            'R' => Kind::Chariot,
            'C' => Kind::Cannon,
            'P' => Kind::Soldier,
            _ => return None,
        };
        let side = if letter.is_ascii_uppercase() { Side::Red } else { Side::Black };
        Some(Piece::new(side, kind))
    }

    pub(super) const fn code(self) -> u8 {
        self.0
    }

    pub(super) const fn from_code(code: u8) -> Option<Piece> {
        if code == 0 { None } else { Some(Piece(code)) }
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_survives_its_letter_and_code() {
        for side in Side::BOTH {
            for kind in Kind::ALL {
                let piece = Piece::new(side, kind);
                assert_eq!((piece.side(), piece.kind()), (side, kind));
                assert_eq!(Piece::from_letter(piece.letter()), Some(piece));
                assert_eq!(Piece::from_code(piece.code()), Some(piece));
            }
        }
        assert_eq!(Piece::from_letter('h'), Piece::from_letter('n'));
        assert_eq!(Piece::from_letter('G'), None);
    }
}
