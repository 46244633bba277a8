//! Verifying the seats of teams (II.2, IV.4): at each turn of a side the member moved whose turn it was, lost
//! turns counted. Changes nothing. Start at [`seats`].

use std::collections::BTreeMap;

use crate::plan::{Plan, Rotation};
use crate::record::{Event, Ordered, Run, What};
use crate::tournament::GameId;
use crate::xiangqi::{BySide, Side};

/// A game's turns so far: the half-move that was due and whose it was.
#[derive(Debug, Clone)]
struct Turns {
    black_first: bool,
    /// The turns that each side had before in the bout, where the order of seats runs on.
    before: BySide<usize>,
    /// How many members each side has.
    members: BySide<usize>,
    done: Vec<(u32, Side)>,
}

impl Turns {
    fn mover(&self, ply: u32) -> Side {
        if ply.is_multiple_of(2) == self.black_first { Side::Red } else { Side::Black }
    }

    /// A turn of whoever is due, which `member` (from 1) had; the one who should have had it, if not that one.
    fn take(&mut self, ply: u32, member: Option<u8>) -> Option<usize> {
        let side = self.mover(ply);
        let before = self.done.iter().filter(|(_, mover)| *mover == side).count();
        self.done.push((ply, side));
        let size = self.members[side];
        let due = (self.before[side] + before) % size.max(1) + 1;
        (size > 1 && member.map(usize::from) != Some(due)).then_some(due)
    }
}

/// Names every turn that another member had than the one whose it was.
pub fn seats(run: &Run, events: &[Event], plan: &Plan, wrong: &mut Vec<String>) {
    let mut games: BTreeMap<GameId, Turns> = BTreeMap::new();
    // As it stood when a game began: that is where the order of seats ran on from.
    let mut so_far = Run::new();
    for event in events {
        let _ = so_far.apply(event);
        let (game, ply, member) = match &event.what {
            What::GameBegan(began) => {
                let size = |name: &str| {
                    let entrant = run.index_of(name).and_then(|index| plan.entrants.get(index));
                    entrant.map_or(1, |entrant| entrant.members().count())
                };
                let members = BySide { red: size(&began.red), black: size(&began.black) };
                let black_first = began.fen.split_ascii_whitespace().nth(1) == Some("b");
                let before = |name: &str| match (plan.conduct.rotation, run.index_of(name)) {
                    (Rotation::Continue, Some(index)) => so_far.moves_in_bout(index, began.game) as usize,
                    (Rotation::Continue, None) | (Rotation::Restart, _) => 0,
                };
                let before = BySide { red: before(&began.red), black: before(&began.black) };
                let mut turns = Turns { black_first, before, members, done: Vec::new() };
                for (ply, _) in (1..).zip(began.opening.split_ascii_whitespace()) {
                    let side = turns.mover(ply);
                    turns.done.push((ply, side));
                }
                games.insert(began.game, turns);
                continue;
            }
            What::Decided(decision) => {
                let (game, new, to_move) = match &decision.ordered {
                    Ordered::Corrected { game, to_move, .. } => (game, game, to_move),
                    Ordered::Reopened { game, new, to_move, .. } => (game, new, to_move),
                    _ => continue,
                };
                if let Some(mut turns) = games.get(game).cloned() {
                    turns.done.retain(|(ply, _)| ply <= to_move);
                    games.insert(*new, turns);
                }
                continue;
            }
            What::Moved(moved) => (moved.game, moved.ply, moved.member),
            What::Overran(overrun) => (overrun.game, overrun.ply, overrun.member),
            _ => continue,
        };
        if let Some(due) = games.get_mut(&game).and_then(|turns| turns.take(ply, member)) {
            wrong.push(format!("game {game}: half-move {ply} was member {due}'s turn"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_take_turns_and_lost_turns_count() {
        let members = BySide { red: 1, black: 3 };
        let before = BySide { red: 0, black: 0 };
        let mut turns = Turns { black_first: false, before, members, done: Vec::new() };
        for (ply, member, wrong) in [
            (1, None, None),
            (2, Some(1), None),
            (4, Some(2), None),
            (4, Some(3), None),
            (6, Some(2), Some(1)),
            (8, None, Some(2)),
        ] {
            assert_eq!(turns.take(ply, member), wrong, "half-move {ply}");
        }
    }
}
