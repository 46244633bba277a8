//! What a position is worth: piece values and places, tapered from the full board to the bare one,
//! and kept up to date move by move. Never looks ahead. Start at [`Balance`].

use crate::xiangqi::{Board, Kind, Move, Piece, Side, Square};

/// Phase of a board with all chariots, horses and cannons.
const FULL_PHASE: i32 = 16;

/// Having the move is worth a little.
const TEMPO: i32 = 8;

/// Rough value of a kind, for exchanges and move ordering.
pub(super) const fn worth(kind: Kind) -> i32 {
    match kind {
        Kind::General => 2000,
        Kind::Advisor | Kind::Elephant => 200,
        Kind::Horse => 420,
        Kind::Chariot => 900,
        Kind::Cannon => 430,
        Kind::Soldier => 120,
    }
}

/// The sum of all pieces in the middle game and in the endgame, Red's minus Black's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Balance {
    middle: i32,
    end: i32,
    phase: i32,
    /// Pieces that can cross the river, Red's and Black's.
    attackers: [i8; 2],
    /// The same without soldiers.
    officers: [i8; 2],
}

impl Balance {
    /// Adds up a board.
    pub fn of(board: &Board) -> Balance {
        let mut balance = Balance::default();
        for (square, piece) in board.pieces() {
            balance.count(piece, square, 1);
        }
        balance
    }

    /// The balance after a piece's move.
    pub fn after(mut self, piece: Piece, mv: Move, captured: Option<Piece>) -> Balance {
        if let Some(captured) = captured {
            self.count(captured, mv.to, -1);
        }
        let places = &PLACES[piece.index()];
        let (old, new) = (places[mv.from.index()], places[mv.to.index()]);
        self.middle += i32::from(new.0) - i32::from(old.0);
        self.end += i32::from(new.1) - i32::from(old.1);
        self
    }

    fn count(&mut self, piece: Piece, square: Square, times: i8) {
        let (middle, end) = PLACES[piece.index()][square.index()];
        self.middle += i32::from(middle) * i32::from(times);
        self.end += i32::from(end) * i32::from(times);
        let side = piece.side() as usize;
        let weight = match piece.kind() {
            Kind::General | Kind::Advisor | Kind::Elephant => return,
            Kind::Soldier => 0,
            Kind::Horse | Kind::Cannon => 1,
            Kind::Chariot => 2,
        };
        self.attackers[side] += times;
        self.officers[side] += if weight > 0 { times } else { 0 };
        self.phase += weight * i32::from(times);
    }

    /// The worth of the position to the side to move, in about hundredths of a soldier. A side that
    /// has nothing to attack with is never better than even.
    pub fn score(self, to_move: Side) -> i32 {
        let phase = self.phase.min(FULL_PHASE);
        let red = (self.middle * phase + self.end * (FULL_PHASE - phase)) / FULL_PHASE;
        let own = TEMPO + if to_move == Side::Red { red } else { -red };
        let most = if self.attackers[to_move as usize] == 0 { 0 } else { i32::MAX };
        let least = if self.attackers[!to_move as usize] == 0 { 0 } else { i32::MIN };
        own.min(most).max(least)
    }

    /// Whether a side has a chariot, horse or cannon: enough that passing the move is rarely best.
    pub fn has_officers(self, side: Side) -> bool {
        self.officers[side as usize] > 0
    }
}

/// Values by place for one half of the board: the enemy's back rank first, files a to e.
type Half = [[i16; 5]; 10];

const SOLDIER: Half = [
    [5, 5, 5, 10, 15],
    [60, 90, 120, 160, 170],
    [60, 90, 110, 140, 150],
    [55, 80, 95, 110, 115],
    [40, 60, 70, 75, 80],
    [10, 0, 20, 0, 25],
    [0, 0, 5, 0, 10],
    [0; 5],
    [0; 5],
    [0; 5],
];

const HORSE: Half = [
    [-10, 0, 10, 5, 0],
    [0, 20, 45, 25, 5],
    [10, 25, 40, 40, 30],
    [15, 30, 40, 45, 35],
    [10, 25, 30, 40, 40],
    [5, 20, 25, 25, 30],
    [5, 10, 20, 15, 20],
    [0, 5, 15, 10, 5],
    [-10, 0, 5, 5, -35],
    [-20, -10, -5, -10, -20],
];

const CHARIOT: Half = [
    [15, 15, 15, 25, 20],
    [20, 25, 25, 40, 50],
    [15, 20, 20, 35, 35],
    [15, 25, 25, 35, 35],
    [20, 25, 25, 35, 35],
    [15, 20, 20, 30, 30],
    [10, 15, 15, 25, 20],
    [0, 10, 5, 20, 10],
    [0, 5, 5, 20, -10],
    [-15, 10, 5, 15, -5],
];

const CANNON: Half = [
    [15, 15, 5, -10, -10],
    [10, 10, 5, -10, -5],
    [5, 5, 0, -10, -15],
    [0, 10, 10, 5, 15],
    [0, 5, 10, 10, 20],
    [0, 5, 10, 10, 20],
    [0, 5, 10, 10, 15],
    [5, 10, 15, 10, 25],
    [0, 5, 5, 5, 5],
    [0, 0, 5, 5, 5],
];

/// Middle game and endgame value of a kind on a point seen from its own side.
const fn place(kind: Kind, file: u8, rank: u8) -> (i16, i16) {
    let column = (if file > 4 { 8 - file } else { file }) as usize;
    let row = 9 - rank as usize;
    match kind {
        Kind::General => match rank {
            0 => (if column == 4 { 0 } else { -10 }, 0),
            1 => (-30, if column == 4 { 5 } else { 0 }),
            _ => (-60, -5),
        },
        Kind::Advisor => (if rank == 1 { 200 } else { 192 }, 190),
        Kind::Elephant => match column {
            0 => (180, 180),
            4 => (205, 200),
            _ => (192, 190),
        },
        Kind::Horse => (395 + HORSE[row][column], 420 + HORSE[row][column]),
        Kind::Chariot => (890 + CHARIOT[row][column], 920 + CHARIOT[row][column] / 2),
        Kind::Cannon => (430 + CANNON[row][column], 400 + CANNON[row][column] / 2),
        Kind::Soldier => (80 + SOLDIER[row][column], 110 + SOLDIER[row][column]),
    }
}

const fn places() -> [[(i16, i16); 90]; 14] {
    let mut table = [[(0, 0); 90]; 14];
    let mut number = 0;
    while number < 14 {
        let mut index = 0;
        while index < 90 {
            let (file, rank) = (index as u8 % 9, index as u8 / 9);
            let kind = Kind::ALL[number % 7];
            table[number][index] = if number < 7 {
                place(kind, file, rank)
            } else {
                let (middle, end) = place(kind, file, 9 - rank);
                (-middle, -end)
            };
            index += 1;
        }
        number += 1;
    }
    table
}

/// By [`Piece::index`] and point, Black's negative.
static PLACES: [[(i16, i16); 90]; 14] = places();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    fn score(fen: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        Balance::of(position.board()).score(position.side())
    }

    #[test]
    fn even_and_uneven_boards() {
        assert_eq!(score(crate::xiangqi::START_FEN), TEMPO);
        assert!(score("4k4/9/9/9/9/9/9/9/4A4/R3K4 w") > 800);
        assert!(score("4k4/9/9/9/9/9/9/9/4A4/R3K4 b") < -800);
        assert_eq!(score("4k4/9/9/9/9/9/9/4B4/4A4/4K4 w"), 0, "nobody can attack");
        assert!(score("4k4/9/9/9/9/9/4p4/4B4/4A4/3AK1B2 w") <= 0, "only Black can attack");
    }

    #[test]
    fn kept_up_to_date_by_moves() {
        let mut position = Position::start();
        let mut balance = Balance::of(position.board());
        for step in 0..200usize {
            let moves = position.legal_moves();
            let Some(mv) = moves.get(step * 7 % moves.len().max(1)) else { break };
            let piece = position.get(mv.from).unwrap();
            balance = balance.after(piece, *mv, position.get(mv.to));
            position.make(*mv);
            assert_eq!(balance, Balance::of(position.board()));
        }
    }
}
