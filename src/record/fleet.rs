//! What the journal holds of a run that many machines play, and the fold of it: who brought which games, what
//! was refused, which pairs were given out again. Never decides anything. Start at [`Fleet`] and [`FleetRun`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::run::Run;
use crate::tournament::GameId;

/// Something that happened between the coordinator of a fleet and its workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fleet", rename_all = "snake_case")]
pub enum Fleet {
    /// The run was given to a fleet under this name.
    Opened {
        /// Who publishes it.
        publisher: String,
        /// Its name, unique at the server.
        name: String,
    },
    /// A worker's games are in the journal, right before this event.
    Brought(Brought),
    /// What was stored as a result cannot be one.
    Refused {
        /// Its number in the stream of results.
        stored: u64,
        /// Who sent it, as it says itself; empty if it cannot be read.
        worker: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pair is given out again.
    Issued {
        /// The first game of the pair.
        game: GameId,
        /// How often it was given out now.
        issue: u8,
        /// Why.
        reason: String,
    },
    /// A pair is no longer given out.
    Dead {
        /// The first game of the pair.
        game: GameId,
        /// Why.
        reason: String,
    },
    /// A worker gets no more pairs of this run.
    PutAside {
        /// Its name.
        worker: String,
        /// Why.
        reason: String,
    },
}

/// The games of a pair as a worker brought them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brought {
    /// Its number in the stream of results.
    pub stored: u64,
    /// Who played them.
    pub worker: String,
    /// The games.
    pub games: Vec<GameId>,
    /// How many of them ended by a time loss.
    pub time_losses: u32,
    /// How many of them ended by any fault of an engine.
    pub faults: u32,
    /// How often the pair was handed out before it came back.
    pub deliveries: u64,
    /// Nodes a second of the first entrant's engine on the worker, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<u64>,
    /// Factor on the clocks of these games for the worker's speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// How long the games took, in microseconds.
    pub played_us: u64,
    /// How long the worker's place had been without a game before, in microseconds.
    pub waited_us: u64,
}

/// What a worker has done for a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Pairs it brought.
    pub pairs: u64,
    /// Games it brought.
    pub games: u64,
    /// Games that ended by a time loss.
    pub time_losses: u64,
    /// Games that ended by any fault of an engine.
    pub faults: u64,
    /// Pairs that others had been handed before it.
    pub redelivered: u64,
    /// Results of it that were refused.
    pub refused: u64,
    /// Nodes a second at its last pair.
    pub speed: Option<u64>,
    /// Factor on the clocks at its last pair.
    pub scale: Option<f64>,
    /// How long its games took, in microseconds.
    pub played_us: u64,
    /// How long its places were without a game between pairs, in microseconds.
    pub waited_us: u64,
    /// Whether it was put aside.
    pub aside: bool,
}

/// The fleet's part of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FleetRun {
    /// Publisher and name of the run at the server.
    pub opened: Option<(String, String)>,
    /// Number of the last stored result that was looked at.
    pub stored: u64,
    /// What each worker has done.
    pub workers: BTreeMap<String, Tally>,
    /// How often pairs were given out, where it is more than once.
    pub issues: BTreeMap<GameId, u8>,
    /// Pairs that are no longer given out, and why.
    pub dead: BTreeMap<GameId, String>,
}

/// Most workers of which a tally is kept: names come from the network.
const WORKERS_KEPT: usize = 10_000;

impl FleetRun {
    /// Takes the next event.
    pub fn apply(&mut self, event: &Fleet) {
        match event {
            Fleet::Opened { publisher, name } => {
                self.opened = Some((publisher.clone(), name.clone()));
                // Who goes on wants to try the dead ones again.
                self.dead.clear();
            }
            Fleet::Brought(brought) => self.brought(brought),
            Fleet::Refused { stored, worker, .. } => {
                self.stored = self.stored.max(*stored);
                self.tally(worker, |tally| tally.refused += 1);
            }
            Fleet::Issued { game, issue, .. } => drop(self.issues.insert(*game, *issue)),
            Fleet::Dead { game, reason } => drop(self.dead.insert(*game, reason.clone())),
            Fleet::PutAside { worker, .. } => self.tally(worker, |tally| tally.aside = true),
        }
    }

    fn brought(&mut self, brought: &Brought) {
        self.stored = self.stored.max(brought.stored);
        for game in &brought.games {
            self.issues.remove(game);
        }
        self.tally(&brought.worker, |tally| {
            tally.pairs += 1;
            tally.games += brought.games.len() as u64;
            tally.time_losses += u64::from(brought.time_losses);
            tally.faults += u64::from(brought.faults);
            tally.redelivered += u64::from(brought.deliveries > 1);
            tally.speed = brought.speed;
            tally.scale = brought.scale;
            tally.played_us = tally.played_us.saturating_add(brought.played_us);
            tally.waited_us = tally.waited_us.saturating_add(brought.waited_us);
        });
    }

    fn tally(&mut self, worker: &str, change: impl FnOnce(&mut Tally)) {
        if self.workers.len() < WORKERS_KEPT || self.workers.contains_key(worker) {
            change(self.workers.entry(worker.to_owned()).or_default());
        }
    }
}

impl Run {
    /// What a fleet of workers did, if one plays the run.
    pub fn fleet(&self) -> Option<&FleetRun> {
        self.fleet.as_deref()
    }
}
