//! Random small positions with random loops that come back, from a seed: food for the property test.
//! Start at [`random_loop`].

use chuhe::law::play_loop;
use chuhe::xiangqi::{Board, Kind, Move, Piece, Position, Setup, Side, Square};

/// A small generator of our own, so that a seed means the same loops everywhere.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        if list.is_empty() { None } else { Some(list[self.roll(list.len())]) }
    }
}

fn points(piece: Piece) -> Vec<Square> {
    let side = piece.side();
    let home = |square: Square| if side == Side::Red { square } else { square.flipped() };
    let at_home = |square: Square, list: &[(u8, u8)]| {
        let square = home(square);
        list.contains(&(square.file(), square.rank()))
    };
    Square::all()
        .filter(|square| match piece.kind() {
            Kind::General => square.in_palace(side),
            Kind::Advisor => at_home(*square, &[(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)]),
            Kind::Elephant => at_home(*square, &[(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)]),
            Kind::Soldier => {
                let home = home(*square);
                home.rank() >= 5 || home.rank() >= 3 && home.file() % 2 == 0
            }
            Kind::Horse | Kind::Chariot | Kind::Cannon => true,
        })
        .collect()
}

/// A random playable position with up to `most` pieces beside the generals.
pub fn random_position(dice: &mut Dice, most: usize) -> Option<Position> {
    let kinds = [
        Kind::Chariot,
        Kind::Chariot,
        Kind::Cannon,
        Kind::Cannon,
        Kind::Horse,
        Kind::Horse,
        Kind::Soldier,
        Kind::Advisor,
        Kind::Elephant,
    ];
    let mut board = Board::new();
    for side in Side::BOTH {
        place(dice, &mut board, Piece::new(side, Kind::General));
    }
    for _ in 0..2 + dice.roll(most - 1) {
        let side = Side::BOTH[dice.roll(2)];
        let kind = kinds[dice.roll(kinds.len())];
        place(dice, &mut board, Piece::new(side, kind));
    }
    Setup { board, side: Side::BOTH[dice.roll(2)], quiet: 0, number: 1 }.playable().ok()
}

/// The position after one to three random changes: a piece taken away, moved, added or turned into another.
pub fn jiggled(dice: &mut Dice, position: &Position) -> Option<Position> {
    let mut setup = position.setup();
    for _ in 0..1 + dice.roll(3) {
        let board = &mut setup.board;
        let pieces: Vec<(Square, Piece)> =
            board.pieces().filter(|(_, piece)| piece.kind() != Kind::General).collect();
        let (at, piece) = dice.pick(&pieces)?;
        let side = Side::BOTH[dice.roll(2)];
        let kind = Kind::ALL[1 + dice.roll(6)];
        match dice.roll(4) {
            0 => {
                board.lift(at);
            }
            1 => {
                board.lift(at);
                place(dice, board, piece);
            }
            2 => board.put(at, Piece::new(piece.side(), kind)),
            _ => place(dice, board, Piece::new(side, kind)),
        }
    }
    setup.playable().ok()
}

fn place(dice: &mut Dice, board: &mut Board, piece: Piece) {
    let free: Vec<Square> = points(piece).into_iter().filter(|at| board.get(*at).is_none()).collect();
    if let Some(at) = dice.pick(&free) {
        board.put(at, piece);
    }
}

/// A random loop from a position: each side plays 2, 3 or 4 half-moves that bring its pieces back.
pub fn random_loop(dice: &mut Dice, start: &Position) -> Option<Vec<Move>> {
    let each = [2, 2, 2, 3, 4, 4][dice.roll(6)];
    let mut position = start.clone();
    let mut open: [Vec<Move>; 2] = [Vec::new(), Vec::new()];
    let mut round = Vec::new();
    for step in 0..2 * each {
        let side = step % 2;
        let left = each - step / 2;
        let mv = next(dice, &position, &open[side], left)?;
        if let Some(last) = open[side].last().copied()
            && last.to == mv.from
        {
            open[side].pop();
            if last.from != mv.to {
                open[side].push(Move::new(last.from, mv.to));
            }
        } else {
            open[side].push(mv);
        }
        position.make(mv);
        round.push(mv);
    }
    play_loop(start.clone(), &[], &round, 3).ok().map(|_| round)
}

/// A quiet legal move that leaves enough half-moves to bring everything back.
fn next(dice: &mut Dice, position: &Position, open: &[Move], left: usize) -> Option<Move> {
    let back = open.last().map(|mv| Move::new(mv.to, mv.from));
    if open.len() == left {
        return back.filter(|mv| position.is_legal(*mv));
    }
    let quiet: Vec<Move> = position
        .legal_moves()
        .into_iter()
        .filter(|mv| position.get(mv.to).is_none())
        .filter(|mv| back.is_none_or(|back| back.from != mv.from || back.to != mv.to))
        .filter(|mv| {
            let same_piece = open.last().is_some_and(|last| last.to == mv.from);
            open.len() + usize::from(!same_piece) < left
        })
        .collect();
    dice.pick(&quiet)
}
