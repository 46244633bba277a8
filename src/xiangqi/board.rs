//! The bare board: which piece stands where, and what its geometry reaches and attacks.
//! Knows nothing of whose turn it is, of history or of legality beyond "is this general attacked".
//! Start at [`Board`].

use super::piece::{Kind, Piece};
use super::side::Side;
use super::square::{Move, Square};
use super::steps::{self, Steps};

/// Ninety points with an occupancy line for every file and rank, so that sliding pieces and checks
/// need no loop over empty points.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    codes: [u8; 90],
    files: [u16; 9],
    ranks: [u16; 10],
    sides: [u128; 2],
}

/// The nearest two pieces in one direction along a line, as positions on that line.
#[derive(Clone, Copy)]
struct Ahead {
    first: Option<u32>,
    second: Option<u32>,
}

fn above(line: u16, from: u32) -> Ahead {
    let rest = u32::from(line) >> (from + 1);
    if rest == 0 {
        return Ahead { first: None, second: None };
    }
    let first = from + 1 + rest.trailing_zeros();
    let beyond = rest & (rest - 1);
    let second = if beyond == 0 { None } else { Some(from + 1 + beyond.trailing_zeros()) };
    Ahead { first: Some(first), second }
}

fn below(line: u16, from: u32) -> Ahead {
    let rest = u32::from(line) & ((1 << from) - 1);
    if rest == 0 {
        return Ahead { first: None, second: None };
    }
    let first = rest.ilog2();
    let beyond = rest & !(1 << first);
    let second = if beyond == 0 { None } else { Some(beyond.ilog2()) };
    Ahead { first: Some(first), second }
}

impl Default for Board {
    fn default() -> Self {
        Board::new()
    }
}

impl Board {
    /// An empty board.
    pub const fn new() -> Board {
        Board { codes: [0; 90], files: [0; 9], ranks: [0; 10], sides: [0; 2] }
    }

    /// The piece on a point.
    #[inline]
    pub fn get(&self, square: Square) -> Option<Piece> {
        Piece::from_code(self.codes[square.index()])
    }

    /// Puts a piece on a point, replacing what stands there.
    pub fn put(&mut self, square: Square, piece: Piece) {
        self.lift(square);
        self.codes[square.index()] = piece.code();
        self.files[usize::from(square.file())] |= 1 << square.rank();
        self.ranks[usize::from(square.rank())] |= 1 << square.file();
        self.sides[piece.side() as usize] |= 1 << square.index();
    }

    /// Takes the piece off a point.
    pub fn lift(&mut self, square: Square) -> Option<Piece> {
        let piece = self.get(square)?;
        self.codes[square.index()] = 0;
        self.files[usize::from(square.file())] &= !(1 << square.rank());
        self.ranks[usize::from(square.rank())] &= !(1 << square.file());
        self.sides[piece.side() as usize] &= !(1 << square.index());
        Some(piece)
    }

    /// Moves a piece, returning what it captured. The point it leaves must be occupied; if it is
    /// empty nothing happens.
    #[inline]
    pub fn shift(&mut self, mv: Move) -> Option<Piece> {
        let captured = self.lift(mv.to);
        if let Some(piece) = self.lift(mv.from) {
            self.put_on_empty(mv.to, piece);
        }
        captured
    }

    /// Takes a move back.
    #[inline]
    pub fn unshift(&mut self, mv: Move, captured: Option<Piece>) {
        if let Some(piece) = self.lift(mv.to) {
            self.put_on_empty(mv.from, piece);
        }
        if let Some(piece) = captured {
            self.put_on_empty(mv.to, piece);
        }
    }

    #[inline]
    fn put_on_empty(&mut self, square: Square, piece: Piece) {
        self.codes[square.index()] = piece.code();
        self.files[usize::from(square.file())] |= 1 << square.rank();
        self.ranks[usize::from(square.rank())] |= 1 << square.file();
        self.sides[piece.side() as usize] |= 1 << square.index();
    }

    /// The board after a move, by copy.
    pub fn after(&self, mv: Move) -> Board {
        let mut board = self.clone();
        board.shift(mv);
        board
    }

    /// The points a side's pieces stand on, from a0 to i9.
    pub fn squares(&self, side: Side) -> Squares {
        Squares(self.sides[side as usize])
    }

    /// All pieces with their points, from a0 to i9.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        Squares(self.sides[0] | self.sides[1]).filter_map(|square| Some((square, self.get(square)?)))
    }

    /// Where a side's (first) general stands.
    pub fn general(&self, side: Side) -> Option<Square> {
        let general = Piece::new(side, Kind::General);
        self.squares(side).find(|square| self.get(*square) == Some(general))
    }

    #[inline]
    pub(super) fn is_own(&self, square: Square, side: Side) -> bool {
        self.sides[side as usize] >> square.index() & 1 != 0
    }

    #[inline]
    fn is_empty(&self, square: Square) -> bool {
        self.codes[square.index()] == 0
    }

    fn is(&self, square: Square, side: Side, kind: Kind) -> bool {
        self.codes[square.index()] == Piece::new(side, kind).code()
    }

    /// Whether a side's general on `general` stands in check: attacked by an enemy piece, or facing
    /// the other general on an open file.
    #[inline]
    pub fn general_attacked(&self, general: Square, side: Side) -> bool {
        self.each_attacker(general, !side, &mut |_| true)
    }

    /// The enemy pieces that attack a side's general on `general`, a facing general included.
    pub fn attackers_of_general(&self, general: Square, side: Side) -> Vec<Square> {
        let mut found = Vec::new();
        self.each_attacker(general, !side, &mut |from| {
            found.push(from);
            false
        });
        found
    }

    /// Calls `stop` with each point from which a chariot, cannon, horse, soldier or the general (along
    /// an open file) of side `by` attacks `target`; ends when it answers true, and returns that.
    #[inline]
    fn each_attacker(&self, target: Square, by: Side, stop: &mut impl FnMut(Square) -> bool) -> bool {
        let (file, rank) = (u32::from(target.file()), u32::from(target.rank()));
        let column = self.files[target.file() as usize];
        let row = self.ranks[target.rank() as usize];
        for (ahead, vertical) in [
            (above(column, rank), true),
            (below(column, rank), true),
            (above(row, file), false),
            (below(row, file), false),
        ] {
            let point = |place: u32| {
                let index = if vertical { place * 9 + file } else { rank * 9 + place };
                Square::known(index as u8)
            };
            let Some(first) = ahead.first.map(point) else { continue };
            let near = self.codes[first.index()];
            if (near == Piece::new(by, Kind::Chariot).code()
                || vertical && near == Piece::new(by, Kind::General).code())
                && stop(first)
            {
                return true;
            }
            let Some(second) = ahead.second.map(point) else { continue };
            if self.is(second, by, Kind::Cannon) && stop(second) {
                return true;
            }
        }
        for step in steps::HORSE_FROM[target.index()].iter() {
            if self.is(step.to, by, Kind::Horse) && self.is_empty(step.over) && stop(step.to) {
                return true;
            }
        }
        for step in steps::SOLDIER_FROM[by as usize][target.index()].iter() {
            if self.is(step.to, by, Kind::Soldier) && stop(step.to) {
                return true;
            }
        }
        false
    }

    /// Whether the piece on `mv.from` reaches `mv.to` by its geometry, its own pieces in the way and
    /// the safety of its general left aside for the caller: `mv.to` must not hold a piece of its own side.
    pub fn reaches(&self, mv: Move) -> bool {
        let Some(piece) = self.get(mv.from) else { return false };
        if mv.from == mv.to || self.is_own(mv.to, piece.side()) {
            return false;
        }
        let side = piece.side() as usize;
        let from = mv.from.index();
        match piece.kind() {
            Kind::General => steps::GENERAL[side][from].contains(mv.to),
            Kind::Advisor => steps::ADVISOR[side][from].contains(mv.to),
            Kind::Soldier => steps::SOLDIER[side][from].contains(mv.to),
            Kind::Elephant => self.leaps(&steps::ELEPHANT[side][from], mv.to),
            Kind::Horse => self.leaps(&steps::HORSE[from], mv.to),
            Kind::Chariot => self.between(mv.from, mv.to) == Some(0),
            Kind::Cannon => self.between(mv.from, mv.to) == Some(u32::from(!self.is_empty(mv.to))),
        }
    }

    fn leaps(&self, steps: &Steps, to: Square) -> bool {
        steps.iter().any(|step| step.to == to && self.is_empty(step.over))
    }

    /// How many pieces stand strictly between two points of one file or rank; `None` if they share none.
    pub fn between(&self, a: Square, b: Square) -> Option<u32> {
        let count = |line: u16, x: u8, y: u8| {
            let (low, high) = (x.min(y), x.max(y));
            (u32::from(line) & ((1 << high) - 1) & !((2 << low) - 1)).count_ones()
        };
        if a.file() == b.file() {
            Some(count(self.files[usize::from(a.file())], a.rank(), b.rank()))
        } else if a.rank() == b.rank() {
            Some(count(self.ranks[usize::from(a.rank())], a.file(), b.file()))
        } else {
            None
        }
    }

    /// Calls `visit` with each point the piece on `from` reaches by its geometry (quiet or capturing).
    #[inline]
    pub fn each_reach(&self, from: Square, visit: &mut impl FnMut(Square)) {
        let Some(piece) = self.get(from) else { return };
        let side = piece.side();
        let mut offer = |to: Square| {
            if !self.is_own(to, side) {
                visit(to);
            }
        };
        let index = from.index();
        match piece.kind() {
            Kind::General => steps::GENERAL[side as usize][index].iter().for_each(|s| offer(s.to)),
            Kind::Advisor => steps::ADVISOR[side as usize][index].iter().for_each(|s| offer(s.to)),
            Kind::Soldier => steps::SOLDIER[side as usize][index].iter().for_each(|s| offer(s.to)),
            Kind::Elephant => {
                for step in steps::ELEPHANT[side as usize][index].iter() {
                    if self.is_empty(step.over) {
                        offer(step.to);
                    }
                }
            }
            Kind::Horse => {
                for step in steps::HORSE[index].iter() {
                    if self.is_empty(step.over) {
                        offer(step.to);
                    }
                }
            }
            Kind::Chariot => self.each_slide(from, false, &mut offer),
            Kind::Cannon => self.each_slide(from, true, &mut offer),
        }
    }

    #[inline]
    fn each_slide(&self, from: Square, jumps: bool, visit: &mut impl FnMut(Square)) {
        let (file, rank) = (u32::from(from.file()), u32::from(from.rank()));
        let column = self.files[from.file() as usize];
        let row = self.ranks[from.rank() as usize];
        let mut walk = |ahead: Ahead, at: u32, end: u32, stride: i32| {
            let step = if end > at { 1i32 } else { -1 };
            let stop = ahead.first.map_or(end as i32 + step, |first| first as i32);
            let mut place = at as i32 + step;
            let mut index = i32::from(from.index() as u8) + step * stride;
            while place != stop {
                visit(Square::known(index as u8));
                place += step;
                index += step * stride;
            }
            let target = if jumps { ahead.second } else { ahead.first };
            if let Some(target) = target {
                let index = from.index() as i32 + (target as i32 - at as i32) * stride;
                visit(Square::known(index as u8));
            }
        };
        if rank < 9 {
            walk(above(column, rank), rank, 9, 9);
        }
        if rank > 0 {
            walk(below(column, rank), rank, 0, 9);
        }
        if file < 8 {
            walk(above(row, file), file, 8, 1);
        }
        if file > 0 {
            walk(below(row, file), file, 0, 1);
        }
    }
}

/// Iterator over a set of points, from a0 to i9.
#[derive(Clone)]
pub struct Squares(u128);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let index = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(Square::known(index as u8))
    }
}
