//! Teams at a table (II.2, IV.4): the members of a side move in turn, by the number of the side's turns; the
//! clock is the side's. Members that wait sit on a bench; all are ready before the game begins. Where a team
//! discusses, the others are asked for advice first, within the time of the move; the member on turn is not
//! told and has the last word. Never knows who they are. Start at [`Table::with_team`].

use super::chair::State;
use super::{Chair, Effect, Table, lossy};
use crate::game::{Answer, Next, Reply};
use crate::time::At;
use crate::xiangqi::Side;

/// Whether and how far the members of teams have said what they think of the turn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Discussion {
    is_on: bool,
    /// How many of the others were heard.
    pub(super) heard: usize,
}

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

    /// Lets the members of teams advise the one on turn.
    #[must_use]
    pub fn with_discussion(mut self, is_on: bool) -> Table {
        self.discussion.is_on = is_on;
        self
    }

    /// Whether it is an adviser's word that is waited for.
    pub(super) fn discusses(&self, side: Side) -> bool {
        self.discussion.is_on && self.discussion.heard < self.benches[side].len()
    }

    /// How many share the time for a move of a side.
    pub(super) fn sharers(&self, side: Side) -> u32 {
        if self.discussion.is_on { self.benches[side].len() as u32 + 1 } else { 1 }
    }

    /// An adviser has spoken: its word is noted and the next one is asked.
    pub(super) fn advised(&mut self, at: At, side: Side, answer: Answer<'_>, effects: &mut Vec<Effect>) {
        let next = self.game.timer(at);
        if next != Next::Wait {
            return self.follow(at, next, effects);
        }
        let word = match answer.reply {
            Reply::Move(mv) => mv.to_string(),
            Reply::NoBestMove => "nobestmove".to_owned(),
            Reply::Unreadable(text) => lossy(text),
        };
        effects.push(Effect::Advised(side, self.chairs[side].member, word));
        self.discussion.heard += 1;
        self.ask_if_due(at, side, effects);
    }

    fn rotate(&mut self, side: Side, effects: &mut Vec<Effect>) {
        let bench = &mut self.benches[side];
        if let Some(next) = bench.pop_front() {
            bench.push_back(std::mem::replace(&mut self.chairs[side], next));
            effects.push(Effect::Rotate(side));
        }
    }

    /// How many turns a side has had: its half-moves and those it lost without one.
    fn turns(&self, side: Side) -> usize {
        let trail = self.game.trail();
        let played = trail.halves().len();
        let own = if trail.start().side() == side { played.div_ceil(2) } else { played / 2 };
        own + self.lost_turns[side] as usize
    }

    /// The member whose turn is next, from 0.
    pub(super) fn due_member(&self, side: Side) -> usize {
        self.turns(side) % (self.benches[side].len() + 1)
    }

    /// The member whose turn is next comes to the board, or the next one who may advise.
    pub(super) fn bring_to_board(&mut self, side: Side, effects: &mut Vec<Effect>) {
        let members = self.benches[side].len() + 1;
        if members == 1 {
            return;
        }
        let mut due = self.turns(side);
        if self.begun && self.discusses(side) {
            due += 1 + self.discussion.heard;
        }
        for _ in 0..members {
            if self.chairs[side].member == (due + self.first[side]) % members {
                return;
            }
            self.rotate(side, effects);
        }
    }

    /// Gets the members of a side ready one after the other; true when all are, and the one whose turn is
    /// first sits at the board. A member with unsent words is not moved, for they would go to another.
    pub(super) fn seat_team(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) -> bool {
        if self.chairs[side].state == State::Away {
            return true;
        }
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
