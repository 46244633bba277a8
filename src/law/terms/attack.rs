//! Attack: a capture that would be legal for its side, whoever's turn it is (`asian-rules.md` 1).
//! Ignores roots. Start at [`each_attack`].

use crate::law::span::Ply;
use crate::xiangqi::{Board, Kind, Move, Position, Side, Square};

/// The attackers of a side's general that are left out of account when the legality of its captures
/// is asked: those that stood before the half-move, so that an attack which could not be carried out
/// only because its side stood in check stays an old one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tolerated(Vec<Square>);

impl Tolerated {
    /// Nothing is left out: legality as it is.
    pub const NOTHING: Tolerated = Tolerated(Vec::new());

    /// The pieces that check a side in a position.
    pub fn checkers(position: &Position, side: Side) -> Tolerated {
        if position.in_check(side) {
            Tolerated(position.board().attackers_of_general(position.general(side), side))
        } else {
            Tolerated::NOTHING
        }
    }
}

/// Whether a side's general on `general` is attacked by a piece that is not tolerated.
fn exposed(board: &Board, general: Square, side: Side, tolerated: &Tolerated) -> bool {
    if tolerated.0.is_empty() {
        board.general_attacked(general, side)
    } else {
        board.attackers_of_general(general, side).iter().any(|by| !tolerated.0.contains(by))
    }
}

/// The board after a capture, if the capture is legal for the side that owns the piece. The caller
/// has made sure that the piece reaches its target.
pub(super) fn played(position: &Position, mv: Move, side: Side, tolerated: &Tolerated) -> Option<Board> {
    let mut board = position.board().clone();
    let general = if mv.from == position.general(side) { mv.to } else { position.general(side) };
    board.shift(mv);
    (!exposed(&board, general, side, tolerated)).then_some(board)
}

/// Whether the piece on `mv.from` could capture on `mv.to` if it were its side's turn.
pub(crate) fn attacks(position: &Position, mv: Move, tolerated: &Tolerated) -> bool {
    let (Some(by), Some(on)) = (position.get(mv.from), position.get(mv.to)) else { return false };
    by.side() != on.side()
        && position.board().reaches(mv)
        && played(position, mv, by.side(), tolerated).is_some()
}

/// Calls `visit` with every capture that a side's pieces reach by their geometry, the general's own
/// capture left out: no half-move leaves that to be taken but a check.
pub(super) fn each_reached(position: &Position, side: Side, visit: &mut impl FnMut(Move)) {
    let board = position.board();
    for from in board.squares(side) {
        board.each_reach(from, &mut |to| {
            if board.get(to).is_some_and(|piece| piece.kind() != Kind::General) {
                visit(Move::new(from, to));
            }
        });
    }
}

/// Calls `visit` with every attack of a side.
pub(crate) fn each_attack(position: &Position, side: Side, visit: &mut impl FnMut(Move)) {
    each_reached(position, side, &mut |mv| {
        if played(position, mv, side, &Tolerated::NOTHING).is_some() {
            visit(mv);
        }
    });
}

/// A new legal capture made by a half-move, roots ignored, by any piece, points after the half-move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strike {
    /// The capture.
    pub mv: Move,
    /// What attacks.
    pub by: Kind,
    /// What is attacked.
    pub on: Kind,
    /// Identity of what is attacked.
    pub on_id: Square,
}

/// The new attacks of a half-move, roots ignored; none when it checks.
pub(crate) fn strikes(ply: &Ply) -> Vec<Strike> {
    let mut found = Vec::new();
    if ply.check {
        return found;
    }
    let tolerated = Tolerated::checkers(&ply.before, ply.side);
    each_attack(&ply.after, ply.side, &mut |mv| {
        let old = Move::new(ply.earlier_point(mv.from), mv.to);
        let (Some(by), Some(on)) = (ply.after.get(mv.from), ply.after.get(mv.to)) else { return };
        if !attacks(&ply.before, old, &tolerated) {
            found.push(Strike { mv, by: by.kind(), on: on.kind(), on_id: ply.ids.of(mv.to) });
        }
    });
    found
}

/// Whether a soldier on a point has not crossed the river.
pub(crate) fn uncrossed(square: Square, side: Side) -> bool {
    square.in_half(side)
}
