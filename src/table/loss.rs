//! Engines that are lost: their processes end, do not start, or do not do in time what they are waited for.
//! They are started again where that is allowed, else the clock or the rule decides. Start at [`Table::lost`].

use super::{CrashRule, Effect, State, Table};
use crate::game::Termination;
use crate::time::At;
use crate::xiangqi::Side;

impl Table {
    /// An engine is gone.
    pub(super) fn lost(&mut self, at: At, side: Side, how: &str, effects: &mut Vec<Effect>) {
        let chair = &mut self.chairs[side];
        if matches!(chair.state, State::Gone | State::Away) {
            return;
        }
        let stopped = matches!(chair.state, State::Stopping { .. });
        chair.state = State::Gone;
        effects.push(Effect::Kill(side));
        if self.over {
            return;
        }
        let restarts = self.begun && self.manners.crash == CrashRule::Restart;
        if restarts && stopped {
            // Its turn is over; it is started again at its next one.
            self.note(side, "gone", format!("{how} after its turn"), effects);
            self.ask_if_due(at, side, effects);
            return;
        }
        if restarts && self.start_again(at, side, how, effects) {
            self.let_clock_run(at, side);
            return;
        }
        if restarts && self.game.has_flag(side) {
            self.note(side, "gone", format!("{how}; not started again, the flag decides"), effects);
            self.let_clock_run(at, side);
            return;
        }
        let next = self.game.stop(Termination::Crashed { loser: side, how: how.to_owned() });
        self.follow(at, next, effects);
    }

    /// Starts a seat's engine once more, if it may.
    pub(super) fn start_again(&mut self, at: At, side: Side, how: &str, effects: &mut Vec<Effect>) -> bool {
        let chair = &mut self.chairs[side];
        if self.manners.crash != CrashRule::Restart || !chair.restart(self.game.trail()) {
            return false;
        }
        chair.expect_start(at, self.manners.patience);
        self.note(side, "restarted", format!("{how}; started again, its clock runs on"), effects);
        effects.push(Effect::Start(side));
        true
    }

    /// Whoever is due to be asked is gone: starts it again if it may be. False if somebody else was asked
    /// instead, or the game is lost by it.
    pub(super) fn call_back(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) -> bool {
        let chair = &mut self.chairs[side];
        if chair.was_lost_elsewhere {
            // Another game was lost by that, or goes on without him: for this one he is started anew.
            chair.renew(self.game.trail());
            chair.expect_start(at, self.manners.patience);
            effects.push(Effect::Start(side));
            return true;
        }
        if self.start_again(at, side, "gone", effects) {
            return true;
        }
        if self.discusses(side) {
            self.discussion.heard += 1;
            self.ask_if_due(at, side, effects);
            return false;
        }
        if !self.game.has_flag(side) {
            let how = "gone and not started again".to_owned();
            let next = self.game.stop(Termination::Crashed { loser: side, how });
            self.follow(at, next, effects);
            return false;
        }
        true
    }

    /// The clock of a seat that cannot be asked runs all the same.
    pub(super) fn let_clock_run(&mut self, at: At, side: Side) {
        if self.begun && !self.over && self.game.side() == side {
            self.game.asked(at);
        }
    }

    /// A seat's engine did not do in time what it was waited for.
    pub(super) fn overdue(&mut self, at: At, side: Side, what: &'static str, effects: &mut Vec<Effect>) {
        let greeting = self.chairs[side].is_starting();
        let stopped = matches!(self.chairs[side].state, State::Stopping { .. });
        self.chairs[side].state = State::Gone;
        effects.push(Effect::Kill(side));
        if self.over || stopped {
            self.note(side, "killed", format!("did not answer {what} and was killed"), effects);
            self.ask_if_due(at, side, effects);
            return;
        }
        if self.begun && self.manners.crash == CrashRule::Restart && self.game.has_flag(side) {
            self.note(side, "gone", format!("no sign of {what}; the flag decides"), effects);
            self.let_clock_run(at, side);
            return;
        }
        let why = if greeting {
            Termination::Crashed { loser: side, how: format!("did not start: no sign of {what}") }
        } else {
            Termination::Stalled { loser: side, waiting_for: what.to_owned() }
        };
        let next = self.game.stop(why);
        self.follow(at, next, effects);
    }
}
