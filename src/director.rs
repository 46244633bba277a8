//! Floor 5: the director of a run: which game is next, what is recorded, when the run is over. A pure
//! machine; never knows of processes, files or the moves of a game. Start at [`Director`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::plan::{Plan, Stage};
use crate::record::{GameSummary, Run};
use crate::tournament::{GameId, GameResult, Next, Opening, Pairing};
use crate::xiangqi::BySide;

/// A game to be played now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Which game.
    pub id: GameId,
    /// Indices of the entrants.
    pub seats: BySide<usize>,
    /// Number of its opening in the stage.
    pub opening: u32,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// Everything was played.
    Complete,
    /// A game is held: only the chief referee can go on.
    Held,
    /// It was stopped before everything was played.
    Stopped,
}

/// What the director wants next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Play this game.
    Play(Assignment),
    /// Nothing can start before a running game ends.
    Wait,
    /// Nothing is left to be started.
    Finished,
}

/// The director.
#[derive(Debug)]
pub struct Director {
    plan: Arc<Plan>,
    stage: usize,
    round: u32,
    due: VecDeque<Assignment>,
    running: BTreeSet<GameId>,
    /// Results of the present stage, for formats whose pairings depend on them.
    results: Vec<GameResult>,
    done: BTreeMap<GameId, Option<GameResult>>,
    stopped: bool,
    broken_off: bool,
    /// A stage cannot go on without a word of the chief referee.
    held: bool,
}

impl Director {
    /// A director for a plan of which `run` was already played.
    pub fn new(plan: Arc<Plan>, run: &Run) -> Director {
        let done = run
            .games()
            .map(|game| {
                let GameSummary { id, red, black, .. } = *game;
                (id, game.outcome.map(|outcome| GameResult { id, red, black, outcome }))
            })
            .collect();
        let mut director = Director {
            plan,
            stage: 0,
            round: 0,
            due: VecDeque::new(),
            running: BTreeSet::new(),
            results: Vec::new(),
            done,
            stopped: false,
            broken_off: false,
            held: false,
        };
        director.enter_stage();
        director
    }

    /// Number of games of the whole run, where it is known beforehand.
    pub fn games(&self) -> Option<u64> {
        let entrants = self.plan.entrants.len();
        self.plan.stages.iter().map(|stage| stage.format.games(entrants)).sum()
    }

    /// The opening of a game.
    pub fn opening(&self, assignment: &Assignment) -> Option<&Opening> {
        self.plan.openings.opening(assignment.opening)
    }

    /// The stage a game belongs to.
    pub fn stage_of(&self, id: GameId) -> Option<&Stage> {
        self.plan.stages.get(usize::from(id.stage).checked_sub(1)?)
    }

    /// No further game is to be started (an interrupt, a stop rule).
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Asks for work. The game of a [`Order::Play`] counts as running until [`Director::over`] or
    /// [`Director::abandoned`].
    pub fn next_order(&mut self) -> Order {
        let idle = if self.running.is_empty() { Order::Finished } else { Order::Wait };
        if self.stopped || !self.fill() {
            return idle;
        }
        match self.due.pop_front() {
            None => idle,
            Some(assignment) => {
                self.running.insert(assignment.id);
                Order::Play(assignment)
            }
        }
    }

    /// Puts games on the list if it is empty and there are any that can start now.
    fn fill(&mut self) -> bool {
        !self.due.is_empty() || self.next_round()
    }

    /// Whether nothing is running and nothing is left to be played.
    pub fn is_exhausted(&mut self) -> bool {
        self.running.is_empty() && !self.fill()
    }

    /// A game ended; `result` is absent while it is held.
    pub fn over(&mut self, id: GameId, result: Option<GameResult>) {
        self.running.remove(&id);
        self.done.insert(id, result);
        if usize::from(id.stage) == self.stage + 1 {
            self.results.extend(result);
        }
    }

    /// A game was broken off; it is due again when the run is resumed.
    pub fn abandoned(&mut self, id: GameId) {
        self.running.remove(&id);
        self.broken_off = true;
    }

    /// How the run ends when nothing is running any more.
    pub fn finish(&mut self) -> Finish {
        if self.broken_off || !self.is_exhausted() {
            Finish::Stopped
        } else if self.held || self.done.values().any(Option::is_none) {
            Finish::Held
        } else {
            Finish::Complete
        }
    }

    fn enter_stage(&mut self) {
        self.round = 0;
        let stage = self.stage + 1;
        self.results = self
            .done
            .iter()
            .filter(|(id, _)| usize::from(id.stage) == stage)
            .filter_map(|(_, result)| *result)
            .collect();
    }

    /// Puts the games of the next round on the list; false when none can start now.
    fn next_round(&mut self) -> bool {
        while let Some(stage) = self.plan.stages.get(self.stage) {
            let (number, entrants) = (self.stage as u8 + 1, self.plan.entrants.len());
            match stage.format.next(number, self.round + 1, entrants, &self.results) {
                Next::Round(pairings) => {
                    self.round += 1;
                    for pairing in pairings {
                        self.list_pairing(number, pairing);
                    }
                    if !self.due.is_empty() {
                        return true;
                    }
                }
                Next::Waiting => return false,
                Next::Held(_) => {
                    self.held = true;
                    return false;
                }
                Next::Over if !self.running.is_empty() => return false,
                Next::Over => {
                    self.stage += 1;
                    self.enter_stage();
                }
            }
        }
        false
    }

    fn list_pairing(&mut self, stage: u8, pairing: Pairing) {
        for leg in 1..=pairing.legs {
            let id = GameId { stage, round: self.round, pair: pairing.pair, leg, attempt: 1 };
            if self.done.contains_key(&id) {
                continue;
            }
            let (red, black) = pairing.seats(leg);
            let opening = pairing.opening_of(leg);
            self.due.push_back(Assignment { id, seats: BySide { red, black }, opening });
        }
    }
}
