//! Teams at a table (II.2, IV.4): the members of a side move in turn, by the number of the side's moves; the
//! clock is the side's. Members that wait sit on a bench; all are ready before the game begins. Never knows
//! who they are. Start at [`Table::with_team`].

use super::chair::State;
use super::{Chair, Effect, Table};
use crate::time::At;
use crate::xiangqi::Side;

impl Table {
    /// Gives a side its further members, the second one first. The chair given to [`Table::new`] is the first
    /// member's.
    #[must_use]
    pub fn with_team(mut self, side: Side, further: Vec<Chair>) -> Table {
        self.benches[side] = further.into();
        for (member, chair) in (1..).zip(&mut self.benches[side]) {
            chair.member = member;
        }
        self
    }

    /// Lets another member (from 0) than the first make a side's first move: where the order of seats runs on
    /// from an earlier game of the bout (IV.4).
    #[must_use]
    pub fn with_first_member(mut self, side: Side, member: usize) -> Table {
        self.first[side] = member;
        self
    }

    /// Which member of its side's team sits at the board, from 0.
    pub fn member(&self, side: Side) -> usize {
        self.chairs[side].member
    }

    /// Takes all chairs back when the table has settled: of each side the one at the board, then the bench
    /// in its order.
    pub fn into_teams(self) -> [Vec<Chair>; 2] {
        let Table { chairs, benches, .. } = self;
        let team = |chair: Chair, bench| std::iter::once(chair).chain(bench).collect();
        [team(chairs.red, benches.red), team(chairs.black, benches.black)]
    }

    fn rotate(&mut self, side: Side, effects: &mut Vec<Effect>) {
        let bench = &mut self.benches[side];
        if let Some(next) = bench.pop_front() {
            bench.push_back(std::mem::replace(&mut self.chairs[side], next));
            effects.push(Effect::Rotate(side));
        }
    }

    /// The member whose turn is next comes to the board.
    pub(super) fn bring_to_board(&mut self, side: Side, effects: &mut Vec<Effect>) {
        let members = self.benches[side].len() + 1;
        if members == 1 {
            return;
        }
        let trail = self.game.trail();
        let played = trail.halves().len();
        let own = if trail.start().side() == side { played.div_ceil(2) } else { played / 2 };
        for _ in 0..members {
            if self.chairs[side].member == (own + self.first[side]) % members {
                return;
            }
            self.rotate(side, effects);
        }
    }

    /// Gets the members of a side ready one after the other; true when all are, and the one whose turn is
    /// first sits at the board. A member with unsent words is not moved, for they would go to another.
    pub(super) fn seat_team(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) -> bool {
        let is_ready = |chair: &Chair| chair.state == State::Ready && chair.is_called;
        for _ in 0..=self.benches[side].len() {
            if !is_ready(&self.chairs[side]) {
                return false;
            }
            if self.benches[side].iter().all(is_ready) {
                self.bring_to_board(side, effects);
                return true;
            }
            if !self.chairs[side].outbox.is_empty() {
                return false;
            }
            self.rotate(side, effects);
            if !is_ready(&self.chairs[side]) {
                self.call(at, side, effects);
            }
        }
        false
    }
}
