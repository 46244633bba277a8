//! What events under a regulation meet in the simulated world: lots, games that are given up, programs that
//! change, games that are not played. Everything follows from the game, never from the life.
//! Start at [`Fates`].

use std::sync::Arc;
use std::time::Duration;

use chuhe::director::Assignment;
use chuhe::game::Termination;
use chuhe::plan::LockRule;
use chuhe::record::{Decision, Drawn, Ordered, What as Entry};
use chuhe::tournament::{GameId, GameResult, lots};
use chuhe::xiangqi::{BySide, Side};

use super::{Life, mixed};

/// What an event under a regulation meets. Everything follows from the game alone, never from the life, so
/// that a run which was cut has the same games as one that was not.
#[derive(Debug, Clone, Default)]
pub struct Fates {
    /// Of a hundred games so many are drawn; in the others a side gives up.
    pub draws: u64,
    /// A process dies at one position in so many, unless it was started again; none does if 0.
    pub dies: u64,
    /// The files of this entrant have changed from this game on.
    pub changed: Option<(usize, GameId)>,
    /// No game is begun from the moment on at which so many games have ended: the chief referee wants a word.
    pub stop_at: Option<usize>,
}

impl Fates {
    /// Which side gives up in a game, and before which half-move at the latest.
    pub(super) fn gives_up(&self, seed: u64, id: GameId) -> Option<(Side, usize)> {
        let luck = mixed(seed ^ luck_of(id));
        let side = if luck & 1 == 0 { Side::Red } else { Side::Black };
        (luck % 100 >= self.draws).then_some((side, 3 + (luck >> 8) as usize % 6))
    }
}

/// A number for a game that has nothing to do with when it is played.
pub(super) fn luck_of(id: GameId) -> u64 {
    let GameId { stage, round, pair, leg, attempt } = id;
    let parts = [u64::from(stage), u64::from(round), u64::from(pair), u64::from(leg), u64::from(attempt)];
    parts.into_iter().fold(0x2006, |sum, part| mixed(sum ^ part))
}

impl Life<'_> {
    /// Everybody has checked in: the lots are announced (I.4), as the runner does.
    pub(super) fn draw_lots(&mut self) {
        let plan = Arc::clone(&self.scenario.plan);
        let Some(event) = plan.stages.iter().find_map(|stage| stage.format.championship()) else { return };
        if self.ledger.run().drawn().is_some() {
            return;
        }
        let lot = |(index, entrant): (usize, &chuhe::plan::Entrant)| {
            lots::code(&event.groups, index).map(|lot| (lot, entrant.name.clone()))
        };
        let drawn = Drawn {
            algorithm: lots::ALGORITHM.to_owned(),
            commitment: lots::commitment(event.seed),
            seed: event.seed,
            lots: plan.entrants.iter().enumerate().filter_map(lot).collect(),
        };
        self.record(self.now, Entry::Drawn(drawn));
    }

    /// What becomes of a game whose side has changed its program, as the runner sees to it (I.10).
    pub(super) fn may_not_begin(&self, assignment: &Assignment) -> Option<Termination> {
        let (changed, from) = self.scenario.fates.as_ref()?.changed?;
        let side = Side::BOTH.into_iter().find(|side| assignment.seats[*side] == changed)?;
        let name = &self.scenario.plan.entrants[changed].name;
        let admits =
            |one: &Decision| matches!(&one.ordered, Ordered::Admitted { entrant } if entrant == name);
        let admitted = self.ledger.run().decisions().iter().any(admits);
        if admitted || (GameId { attempt: 1, ..assignment.id }) < from {
            return None;
        }
        let reason = "the locked copy has changed".to_owned();
        Some(match self.scenario.plan.conduct.lock {
            LockRule::Forfeit => Termination::Forfeited { loser: side, reason },
            LockRule::Hold | LockRule::Off => Termination::Held { reason },
        })
    }

    /// A game that is not played, as the runner records it.
    pub(super) fn settle_unplayed(&mut self, assignment: &Assignment, why: &Termination) {
        let mut sheet = self.sheet(assignment);
        match self.unfinished.remove(&assignment.id) {
            Some(unfinished) => sheet.go_on(unfinished),
            None => self.record(self.now, Entry::GameBegan(sheet.began())),
        }
        let game = sheet.game(self.scenario.plan.terms(assignment.id.stage, assignment.seats));
        let over = sheet.over(self.now, &game, why, Duration::ZERO);
        self.record(self.now, Entry::GameOver(Box::new(over)));
        if self.ended.is_none() {
            *self.met.ends.entry(why.kind()).or_default() += 1;
        }
        let Assignment { id, seats: BySide { red, black }, .. } = *assignment;
        let result = why.outcome().map(|outcome| GameResult { id, red, black, outcome });
        self.director.over(id, result);
        self.changed = true;
    }
}
