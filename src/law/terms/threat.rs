//! What a side would do if it could move now: mate by checks alone, or check and then take
//! (`asian-citation.md`, definitions). Small searches that end when their budget ends. For labels
//! only; no verdict asks them. Start at [`mates`].

use super::attack::Tolerated;
use super::chase::{Standing, counts, standing};
use crate::law::readings::Readings;
use crate::xiangqi::{Move, Position};

/// Moves of the side that threatens, within which mate must come.
pub(super) const MATE_MOVES: u32 = 4;

/// Checks that may come before the capture of a threat to check and take.
pub(super) const CHECKS_BEFORE_TAKING: u32 = 2;

/// Moves that one search may make. The labels of all known cases are the same with half of it; the bound keeps
/// a crowded position from holding up the referee for more than a millisecond or two. Where the budget ends
/// depends on the order of moves, so a label (never a verdict) may differ in the mirror image.
const NODES: u32 = 2_000;

/// The moves that a search may still make.
pub(super) struct Budget(u32);

impl Budget {
    /// A full budget.
    pub fn new() -> Budget {
        Budget(NODES)
    }

    fn spend(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

/// Whether the side to move mates at once or by checks alone within `moves` of its own moves. When the
/// budget ends the answer is no.
pub(super) fn mates(position: &mut Position, moves: u32, budget: &mut Budget) -> bool {
    (1..=moves).any(|depth| mates_in(position, depth, budget))
}

fn mates_in(position: &mut Position, depth: u32, budget: &mut Budget) -> bool {
    for mv in position.legal_moves() {
        if !budget.spend() {
            return false;
        }
        let undo = position.make(mv);
        let mated = position.in_check(position.side())
            && if depth == 1 {
                !position.has_legal_move()
            } else {
                against_every_answer(position, budget, &mut |position, budget| {
                    mates_in(position, depth - 1, budget)
                })
            };
        position.unmake(undo);
        if mated {
            return true;
        }
    }
    false
}

/// Whether `then` holds after every legal move of the side to move.
fn against_every_answer(
    position: &mut Position,
    budget: &mut Budget,
    then: &mut dyn FnMut(&mut Position, &mut Budget) -> bool,
) -> bool {
    for mv in position.legal_moves() {
        if !budget.spend() {
            return false;
        }
        let undo = position.make(mv);
        let holds = then(position, budget);
        position.unmake(undo);
        if !holds {
            return false;
        }
    }
    true
}

/// Whether the side to move can give up to `checks` checks in a row that lead against every answer to a
/// capture which is a threat, or capture so with check.
pub(super) fn checks_and_takes(
    position: &mut Position,
    checks: u32,
    readings: &Readings,
    budget: &mut Budget,
) -> bool {
    for mv in position.legal_moves() {
        if !budget.spend() {
            return false;
        }
        let gains = takes(position, mv, readings);
        let undo = position.make(mv);
        let found = position.in_check(position.side())
            && (gains
                || against_every_answer(position, budget, &mut |position, budget| {
                    has_taking(position, readings)
                        || checks > 1 && checks_and_takes(position, checks - 1, readings, budget)
                }));
        position.unmake(undo);
        if found {
            return true;
        }
    }
    false
}

fn has_taking(position: &Position, readings: &Readings) -> bool {
    let mut found = false;
    position.each_capture(|mv| found = found || takes(position, mv, readings));
    found
}

fn takes(position: &Position, mv: Move, readings: &Readings) -> bool {
    counts(position, mv) && standing(position, mv, &Tolerated::NOTHING, readings) == Standing::Threat
}
