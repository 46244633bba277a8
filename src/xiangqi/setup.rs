//! A set-up board: anything a FEN may say, playable or not. Reads leniently, writes strictly
//! (`formats.md` 2), names every oddity. Never judges play. Start at [`Setup::parse`].

use std::fmt::{self, Write as _};

use super::board::Board;
use super::piece::{Kind, Piece};
use super::position::Position;
use super::side::Side;
use super::square::Square;

/// The usual start position, as it is written in a FEN.
pub const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// What a FEN says.
#[derive(Clone, PartialEq, Eq)]
pub struct Setup {
    /// The pieces.
    pub board: Board,
    /// Who is to move.
    pub side: Side,
    /// Plies since the last capture, as the FEN's fifth field says (0 if missing).
    pub quiet: u16,
    /// Full-move number, from 1, raised after Black's move.
    pub number: u32,
}

/// Why a text is no FEN. Ranks are counted from the top as they are written, columns from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FenError {
    /// Nothing but white space.
    Empty,
    /// Not ten ranks.
    RankCount(usize),
    /// A rank does not add up to nine.
    RankWidth {
        /// 1..=10 from the top.
        rank: usize,
        /// What it adds up to.
        width: usize,
        /// The rank as written.
        text: String,
    },
    /// A letter that is no piece.
    Letter {
        /// The character found.
        letter: char,
        /// 1..=10 from the top.
        rank: usize,
    },
    /// The second field is not a side.
    Side(String),
    /// A counter is not a number in range.
    Counter {
        /// Which field.
        field: &'static str,
        /// As written.
        text: String,
        /// Greatest value.
        high: u32,
    },
    /// The FEN is longer than any board can be.
    TooLong(usize),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenError::Empty => f.write_str("the FEN is empty"),
            FenError::RankCount(count) => {
                write!(f, "a xiangqi board has 10 ranks separated by '/', this one has {count}")
            }
            FenError::RankWidth { rank, width, text } => write!(
                f,
                "rank {rank} (counted from the top) adds up to {width} points instead of 9: '{text}'"
            ),
            FenError::Letter { letter, rank } => write!(
                f,
                "'{letter}' in rank {rank} (counted from the top) is no piece; pieces are K A B N R C P (E and H are read too)"
            ),
            FenError::Side(text) => {
                write!(f, "the side to move is '{text}'; it must be w (Red) or b (Black)")
            }
            FenError::Counter { field, text, high } => {
                write!(f, "the {field} is '{text}', which is no number from 0 to {high}")
            }
            FenError::TooLong(length) => {
                write!(f, "the FEN has {length} bytes; no board needs more than {MAX_FEN}")
            }
        }
    }
}

impl std::error::Error for FenError {}

/// Longest FEN that is read, in bytes: ten full ranks and all fields need 130.
const MAX_FEN: usize = 400;

/// Why a set-up board cannot be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unplayable {
    /// A side has no general.
    NoGeneral(Side),
    /// A side has more than one general.
    ManyGenerals(Side, usize),
    /// A general stands outside its palace.
    OutsidePalace(Side, Square),
    /// The generals face each other; Red's general is named.
    Facing(Square),
    /// The side that is not to move stands in check.
    WaitingInCheck {
        /// The side in check.
        side: Side,
        /// An attacker.
        by: Square,
    },
    /// More pieces than a set holds.
    TooManyPieces(Side, usize),
}

impl fmt::Display for Unplayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unplayable::NoGeneral(side) => write!(f, "{side} has no general"),
            Unplayable::ManyGenerals(side, count) => write!(f, "{side} has {count} generals"),
            Unplayable::OutsidePalace(side, square) => {
                write!(f, "{side}'s general stands on {square}, outside its palace")
            }
            Unplayable::Facing(square) => {
                write!(f, "the generals face each other on file {}", char::from(b'a' + square.file()))
            }
            Unplayable::WaitingInCheck { side, by } => {
                write!(f, "{side} is not to move and stands in check from {by}")
            }
            Unplayable::TooManyPieces(side, count) => {
                write!(f, "{side} has {count} pieces; a side has at most 16")
            }
        }
    }
}

impl std::error::Error for Unplayable {}

/// A placement that no game reaches, which is played nevertheless (puzzles have them).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// A piece stands where its moves never bring it.
    OffItsPoints(Piece, Square),
    /// More pieces of a kind than a set holds.
    TooMany(Piece, usize),
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Oddity::OffItsPoints(piece, square) => {
                write!(f, "{}'s {} on {square} could never get there", piece.side(), piece.kind().name())
            }
            Oddity::TooMany(piece, count) => {
                write!(f, "{} has {count} pieces of the kind {}", piece.side(), piece.kind().name())
            }
        }
    }
}

impl Setup {
    /// Reads a FEN leniently: `w r W R` for Red, `E`/`H` letters, missing fields (side Red, counters
    /// 0 and 1), an empty hand `[]`, `_` for blanks, a trailing `;`.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn parse(fen: &str) -> Result<Setup, FenError> {
        if fen.len() > MAX_FEN {
            return Err(FenError::TooLong(fen.len()));
        }
        let fen = fen.trim().trim_end_matches(';').replace('_', " ");
        let mut fields = fen.split_whitespace();
        let board = fields.next().ok_or(FenError::Empty)?;
        let board = parse_board(board.split_once('[').map_or(board, |(before, _)| before))?;
        let side = match fields.next() {
            None | Some("w" | "W" | "r" | "R") => Side::Red,
            Some("b" | "B") => Side::Black,
            Some(other) => return Err(FenError::Side(other.to_owned())),
        };
        let rest: Vec<&str> = fields.filter(|field| *field != "-").collect();
        let quiet = counter("count of plies since a capture", rest.first(), u32::from(u16::MAX))?;
        let number = counter("move number", rest.get(1), 1_000_000)?.max(1);
        Ok(Setup { board, side, quiet: u16::try_from(quiet).unwrap_or(u16::MAX), number })
    }

    /// The usual start position.
    pub fn start() -> Setup {
        Position::start().setup()
    }

    /// Writes all six fields, letters `K A B N R C P`, side `w` or `b`.
    pub fn fen(&self) -> String {
        let mut fen = board_fen(&self.board);
        let _ = write!(fen, " {} - - {} {}", self.side.letter(), self.quiet, self.number);
        fen
    }

    /// Placements that no game reaches; they are warnings, not errors.
    pub fn oddities(&self) -> Vec<Oddity> {
        let mut found = Vec::new();
        for (square, piece) in self.board.pieces() {
            if !reachable(piece, square) {
                found.push(Oddity::OffItsPoints(piece, square));
            }
        }
        for side in Side::BOTH {
            for kind in Kind::ALL {
                let piece = Piece::new(side, kind);
                let count = self.board.pieces().filter(|(_, p)| *p == piece).count();
                let most = match kind {
                    Kind::General => 1,
                    Kind::Soldier => 5,
                    Kind::Advisor | Kind::Elephant | Kind::Horse | Kind::Chariot | Kind::Cannon => 2,
                };
                if count > most {
                    found.push(Oddity::TooMany(piece, count));
                }
            }
        }
        found
    }

    /// Makes a playable position of it.
    ///
    /// # Errors
    /// Why it cannot be played.
    pub fn playable(&self) -> Result<Position, Unplayable> {
        Position::from_setup(self)
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

/// The first field of a FEN.
pub(super) fn board_fen(board: &Board) -> String {
    let mut fen = String::with_capacity(90);
    for rank in (0..10).rev() {
        let mut empty = 0u8;
        for file in 0..9 {
            match Square::at(file, rank).and_then(|square| board.get(square)) {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        fen.push(char::from(b'0' + empty));
                        empty = 0;
                    }
                    fen.push(piece.letter());
                }
            }
        }
        if empty > 0 {
            fen.push(char::from(b'0' + empty));
        }
        if rank > 0 {
            fen.push('/');
        }
    }
    fen
}

fn parse_board(text: &str) -> Result<Board, FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 10 {
        return Err(FenError::RankCount(ranks.len()));
    }
    let mut board = Board::new();
    for (row, text) in ranks.iter().enumerate() {
        let mut width = 0usize;
        for letter in text.chars() {
            match letter {
                '1'..='9' => width += letter as usize - '0' as usize,
                _ => {
                    let piece =
                        Piece::from_letter(letter).ok_or(FenError::Letter { letter, rank: row + 1 })?;
                    if let Some(square) = Square::at(width.min(9) as i8, 9 - row as i8) {
                        board.put(square, piece);
                    }
                    width += 1;
                }
            }
        }
        if width != 9 {
            return Err(FenError::RankWidth { rank: row + 1, width, text: (*text).to_owned() });
        }
    }
    Ok(board)
}

fn counter(field: &'static str, text: Option<&&str>, high: u32) -> Result<u32, FenError> {
    let Some(text) = text else { return Ok(if field == "move number" { 1 } else { 0 }) };
    match text.parse::<u32>() {
        Ok(number) if number <= high => Ok(number),
        Ok(_) | Err(_) => Err(FenError::Counter { field, text: (*text).to_owned(), high }),
    }
}

fn reachable(piece: Piece, square: Square) -> bool {
    let side = piece.side();
    let home = if side == Side::Red { square } else { square.flipped() };
    let (file, rank) = (home.file(), home.rank());
    match piece.kind() {
        Kind::General => square.in_palace(side),
        Kind::Advisor => square.in_palace(side) && (file + rank) % 2 == 1,
        Kind::Elephant => {
            matches!((file, rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2))
        }
        Kind::Soldier => rank >= 5 || (rank >= 3 && file.is_multiple_of(2)),
        Kind::Horse | Kind::Chariot | Kind::Cannon => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(fen: &str) -> FenError {
        Setup::parse(fen).expect_err(fen)
    }

    #[test]
    fn strict_writing_reads_back() {
        let setup = Setup::parse(START_FEN).unwrap();
        assert_eq!(setup.fen(), START_FEN);
        assert!(setup.oddities().is_empty());
    }

    #[test]
    fn lenient_reading() {
        for fen in [
            "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR[] w",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR_w_-_-_0_1",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w 0 1;",
        ] {
            assert_eq!(Setup::parse(fen).unwrap().fen(), START_FEN, "{fen}");
        }
    }

    #[test]
    fn errors_name_their_place() {
        assert_eq!(error("  "), FenError::Empty);
        assert_eq!(error("9/9/9 w"), FenError::RankCount(3));
        assert!(matches!(error("10/9/9/9/9/9/9/9/9/9 w"), FenError::Letter { letter: '0', rank: 1 }));
        assert!(matches!(error("9/9/8/9/9/9/9/9/9/9 w"), FenError::RankWidth { rank: 3, width: 8, .. }));
        assert!(matches!(error("9/9/9/9/9/9/9/9/9/9 x"), FenError::Side(_)));
        assert!(matches!(error("9/9/9/9/9/9/9/9/9/9 w - - x 1"), FenError::Counter { .. }));
        assert!(matches!(error(&"9".repeat(1000)), FenError::TooLong(1000)));
    }

    #[test]
    fn unplayable_boards_say_why() {
        let why = |fen: &str| Setup::parse(fen).unwrap().playable().err();
        assert_eq!(why("9/9/9/9/9/9/9/9/9/4K4"), Some(Unplayable::NoGeneral(Side::Black)));
        assert_eq!(why("3kk4/9/9/9/9/9/9/9/9/5K3"), Some(Unplayable::ManyGenerals(Side::Black, 2)));
        assert!(matches!(why("4k4/9/9/9/9/9/9/9/9/4K4"), Some(Unplayable::Facing(_))));
        assert!(matches!(why("k8/9/9/9/9/9/9/9/9/4K4"), Some(Unplayable::OutsidePalace(Side::Black, _))));
        assert!(matches!(
            why("4k4/9/9/9/9/9/9/9/4R4/3K5 w"),
            Some(Unplayable::WaitingInCheck { side: Side::Black, .. })
        ));
        assert_eq!(why("4k4/9/9/9/9/9/9/9/4R4/3K5 b"), None);
    }

    #[test]
    fn odd_placements_are_warnings() {
        let setup = Setup::parse("4k4/9/9/9/9/9/P8/3P5/3A5/B3K4 w").unwrap();
        let odd: Vec<String> = setup.oddities().iter().map(Oddity::to_string).collect();
        assert_eq!(
            odd,
            [
                "Red's elephant on a0 could never get there",
                "Red's advisor on d1 could never get there",
                "Red's soldier on d2 could never get there"
            ]
        );
    }
}
