//! What a table does when a side overruns its time and does not lose by it (II.5): the search is stopped and
//! its answer discarded, the turn is lost in the way of the rule. Also the table's part in an exhibition: the
//! beginning for which all boards wait, and the master's arrival. Never decides what an overrun means.
//! Start at [`Table::overran`].

use super::{Effect, SETTLE, State, Table, send};
use crate::game::{Overran, OverrunRule, Termination};
use crate::time::At;
use crate::xiangqi::{BySide, Side};

impl Table {
    /// Turns that each side lost without a half-move before the game goes on, and whether the side to move
    /// may not before the master comes again (resume).
    #[must_use]
    pub fn with_lost_turns(mut self, turns: BySide<u32>, barred: bool) -> Table {
        self.lost_turns = turns;
        self.barred = barred;
        self
    }

    pub(super) fn overran(&mut self, at: At, overran: Overran, effects: &mut Vec<Effect>) {
        let side = overran.side;
        effects.push(Effect::Overran(overran, self.due_member(side)));
        self.discussion.heard = 0;
        self.chairs[side].stop(at, SETTLE);
        send(side, &self.chairs[side], effects);
        match overran.rule {
            OverrunRule::Loses | OverrunRule::Free => {}
            OverrunRule::Pass => {
                let next = self.game.pass();
                let after = self.game.trail().position();
                for side in Side::BOTH {
                    self.chairs[side].sheet.passed(after);
                    for waiting in &mut self.benches[side] {
                        waiting.sheet.passed(after);
                    }
                }
                self.follow(at, next, effects);
            }
            OverrunRule::NextSeat => {
                self.lost_turns[side] += 1;
                self.ask_if_due(at, side, effects);
            }
            OverrunRule::Wait => {
                self.lost_turns[side] += 1;
                self.barred = true;
            }
        }
    }

    /// The table of an exhibition: `master` serves others too, and it may begin only when all may.
    pub(super) fn in_exhibition(&mut self, master: Side) {
        self.master = Some(master);
        self.permitted = false;
    }

    /// Whether the game has ended.
    pub fn is_over(&self) -> bool {
        self.over
    }

    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// All tables are ready: it may begin.
    pub(super) fn permit(&mut self, at: At, effects: &mut Vec<Effect>) {
        self.permitted = true;
        self.begin_when_ready(at, effects);
        self.settle(effects);
    }

    /// The master has come to this table.
    pub(super) fn arrive(&mut self, at: At, effects: &mut Vec<Effect>) {
        let Some(master) = self.master.filter(|_| !self.over) else { return };
        if !self.begun {
            // Whoever was lost before the beginning is called once more for this game.
            let chair = &mut self.chairs[master];
            if chair.state == State::Gone {
                chair.state = State::Absent;
            }
            if chair.state == State::Absent {
                chair.renew(self.game.trail());
                self.call(at, master, effects);
            }
            self.begin_when_ready(at, effects);
            return;
        }
        let side = self.game.side();
        if std::mem::take(&mut self.barred) || side == master {
            self.ask_if_due(at, side, effects);
        }
    }

    /// Whether the side to move waits for the master to come again.
    pub(super) fn is_barred(&self) -> bool {
        self.barred
    }

    /// The time of all boards is over: what is not decided is drawn (II.5).
    pub(super) fn end_session(&mut self, at: At, effects: &mut Vec<Effect>) {
        let next = self.game.stop(Termination::SessionOver);
        self.follow(at, next, effects);
        self.settle(effects);
    }
}
