//! What a resume has to know of an exhibition beside its games: how far the clock of all boards had run, and
//! where each colour moved last. Stood-still time is left out. Never decides where the master goes.
//! Start at [`Display`].

use std::time::Duration;

use super::{Misfit, Overrun, Run, Unfinished};
use crate::game::OverrunRule;
use crate::record::{GameOver, Moved, PASS};
use crate::time::At;
use crate::tournament::GameId;
use crate::xiangqi::{BySide, Side};

/// The display that is or was last under way; renewed by the first game that begins when none is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Display {
    used: Duration,
    /// Since when the clock of all boards runs.
    since: Option<At>,
    last: BySide<Option<GameId>>,
}

impl Display {
    pub(super) fn runs(&mut self, at: At, used_us: u64) {
        self.used = Duration::from_micros(used_us);
        self.since = Some(at);
    }

    /// The runner had stopped; the last that it wrote was at `at`.
    pub(super) fn stops(&mut self, at: At) {
        if let Some(since) = self.since.take() {
            self.used += at - since;
        }
    }

    pub(super) fn moved(&mut self, game: &Unfinished, moved: &Moved) {
        if moved.mv != PASS {
            self.last[game.mover(moved.ply)] = Some(moved.game);
        }
    }
}

impl Unfinished {
    /// Who makes a half-move (from 1).
    pub fn mover(&self, ply: u32) -> Side {
        let black_first = self.began.fen.split_ascii_whitespace().nth(1) == Some("b");
        if ply.is_multiple_of(2) == black_first { Side::Red } else { Side::Black }
    }

    /// How often a side has overrun its time since its last move.
    pub fn overruns_in_row(&self, side: Side) -> u32 {
        let own = || self.moves.iter().rev().filter(|moved| self.mover(moved.ply) == side);
        let passes = own().take_while(|moved| moved.mv == PASS).count();
        let last = own().find(|moved| moved.mv != PASS).map_or(0, |moved| moved.ply);
        let lost = self.overruns.iter().filter(|one| one.ply > last && self.mover(one.ply) == side).count();
        u32::try_from(passes + lost).unwrap_or(u32::MAX)
    }

    /// Turns that each side lost without a half-move.
    pub fn lost_turns(&self) -> BySide<u32> {
        BySide::from_fn(|side| self.overruns.iter().filter(|one| self.mover(one.ply) == side).count() as u32)
    }

    /// Whether the half-move that is due was overrun without anything following.
    pub fn is_overrun(&self) -> bool {
        let opening = self.began.opening.split_whitespace().count();
        self.overruns.last().is_some_and(|last| last.ply as usize == opening + self.moves.len() + 1)
    }

    /// How often the master of an exhibition has come for a move on this side: the moves he made, and the times
    /// he came for nothing. What a correction struck out he came for all the same.
    pub fn served(&self, master: Side) -> u32 {
        let own = |moved: &&Moved| moved.mv != PASS && self.mover(moved.ply) == master;
        let waits = self.overruns.iter().filter(|one| one.rule == OverrunRule::Wait.name());
        (self.moves.iter().filter(own).count() + waits.count()) as u32 + self.struck[master]
    }

    /// A correction: the first `keep` moves stand, up to half-move `to_move`.
    pub(super) fn strike(&mut self, keep: usize, to_move: u32) {
        let before = Side::BOTH.map(|side| self.served(side));
        self.moves.truncate(keep);
        self.overruns.retain(|overrun| overrun.ply <= to_move);
        for (side, before) in Side::BOTH.into_iter().zip(before) {
            self.struck[side] += before.saturating_sub(self.served(side));
        }
    }
}

impl Run {
    /// A game is over: takes it from those that go on; how many turns were lost in it by overruns. With the last
    /// board the clock of all boards stands: one that goes on after its end has what was left then.
    pub(super) fn close_game(&mut self, at: At, over: &GameOver) -> u32 {
        let lost = self.unfinished.remove(&over.game).map_or(0, |game| game.overruns.len());
        if self.unfinished.is_empty() {
            self.display.stops(at);
        }
        let passes = over.moves.split_ascii_whitespace().filter(|mv| *mv == PASS).count();
        u32::try_from(lost + passes).unwrap_or(u32::MAX)
    }

    pub(super) fn overran(&mut self, overrun: &Overrun) -> Result<(), Misfit> {
        let game = overrun.game;
        let unfinished = self.unfinished.get_mut(&game).ok_or(Misfit::NotBegun(game))?;
        unfinished.overruns.push(overrun.clone());
        Ok(())
    }

    /// How much of the session's time was used when the runner stopped last.
    pub fn session_used(&self) -> Duration {
        self.display.used
    }

    /// The game in which this colour moved last, over all boards of the display.
    pub fn last_moved(&self, side: Side) -> Option<GameId> {
        self.display.last[side]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Points;
    use crate::record::fixture::{self, game_over};
    use crate::record::{Decision, Event, GameBegan, Ordered, What};

    fn id(text: &str) -> GameId {
        text.parse().unwrap()
    }

    fn began(game: &str) -> GameBegan {
        let (red, black) = ("Tiger".to_owned(), "Lotus".to_owned());
        let (fen, opening, date) = (String::new(), String::new(), String::new());
        GameBegan { game: id(game), red, black, fen, opening, locks: None, date }
    }

    #[test]
    fn the_clock_of_all_boards_stands_from_the_end_of_the_last_one() {
        let over = |game: &str| What::GameOver(Box::new(game_over(id(game), "Tiger", "Lotus", "agreed")));
        let reopened = Decision {
            number: 1,
            date: String::new(),
            person: "P".to_owned(),
            article: "II.7".to_owned(),
            reason: "a slip".to_owned(),
            request: None,
            ordered: Ordered::Reopened {
                game: id("1.1.1.1"),
                old: Some("1/2-1/2".to_owned()),
                new: id("1.1.1.1+2"),
                to_move: 0,
                struck: String::new(),
                clocks_us: [0, 0],
                began: Box::new(began("1.1.1.1+2")),
                made: Vec::new(),
            },
        };
        let events = [
            (0, What::RunBegan(Box::new(fixture::head(Points::TwoOneZero)))),
            (1, What::GameBegan(began("1.1.1.1"))),
            (1, What::GameBegan(began("1.1.2.1"))),
            (2, What::SessionRuns { used_us: 0 }),
            (12, over("1.1.1.1")),
            (22, over("1.1.2.1")),
            // The desk takes its time; nothing is played meanwhile.
            (900, What::Decided(Box::new(reopened))),
        ];
        let mut run = Run::new();
        for (seq, (at, what)) in (0..).zip(events) {
            run.apply(&Event { seq, at: At(at), what }).unwrap();
        }
        assert_eq!(run.session_used(), Duration::from_micros(20));
    }
}
