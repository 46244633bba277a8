//! Floor 5: the director of a run: which game is next, what is recorded, when the run is over. A pure
//! machine; never knows of processes, files or the moves of a game. Start at [`Director`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::plan::Plan;
use crate::record::{GameSummary, Run, What};
use crate::tournament::{GameId, GameResult, Next, Opening, Pairing, SprtState, SprtTrial, Verdict};
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
    /// Its own rules ended it before everything was played.
    Early(Early),
}

/// Why a run ends before everything is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Early {
    /// The sequential test accepted H0.
    SprtH0,
    /// The sequential test accepted H1.
    SprtH1,
    /// One engine failed too many times on end.
    EngineFailures,
    /// The time for starting games is over.
    OutOfTime,
}

impl Finish {
    /// The event that closes the journal, for now or for good.
    pub fn event(self) -> What {
        match self {
            Finish::Complete => What::RunOver { reason: "complete".to_owned() },
            Finish::Held => What::Interrupted { reason: "held for the chief referee".to_owned() },
            Finish::Stopped => What::Interrupted { reason: "stopped by a signal".to_owned() },
            Finish::Early(Early::SprtH0) => What::RunOver { reason: "sprt_h0".to_owned() },
            Finish::Early(Early::SprtH1) => What::RunOver { reason: "sprt_h1".to_owned() },
            Finish::Early(Early::EngineFailures) => What::RunOver { reason: "engine_failures".to_owned() },
            Finish::Early(Early::OutOfTime) => What::Interrupted { reason: "out of time".to_owned() },
        }
    }
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
    trial: Option<SprtTrial>,
    early: Option<Early>,
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
            trial: run.trial().cloned(),
            early: None,
        };
        director.look_at_test();
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

    /// No further game is to be started (an interrupt, a stop rule).
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Asks for work. The game of a [`Order::Play`] counts as running until [`Director::over`] or
    /// [`Director::abandoned`].
    pub fn next_order(&mut self) -> Order {
        let idle = if self.running.is_empty() { Order::Finished } else { Order::Wait };
        if self.stopped || self.early.is_some() || !self.fill() {
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
        self.running.is_empty() && (self.early.is_some() || !self.fill())
    }

    /// Whether no further game is needed: running ones are to be broken off. Then every pair that
    /// decided a test is complete, and games of later pairs would change nothing.
    pub fn is_decided(&self) -> bool {
        matches!(self.early, Some(Early::SprtH0 | Early::SprtH1 | Early::EngineFailures))
    }

    /// One engine has now lost so many games on end by crash or stall.
    pub fn failures_on_end(&mut self, count: u32) {
        if self.plan.conduct.max_failures.is_some_and(|most| count >= most) {
            self.early.get_or_insert(Early::EngineFailures);
        }
    }

    /// The time for starting games is over.
    pub fn out_of_time(&mut self) {
        if !self.is_exhausted() {
            self.early.get_or_insert(Early::OutOfTime);
        }
    }

    fn look_at_test(&mut self) {
        let verdict = self.trial.as_ref().and_then(SprtTrial::verdict);
        let early = match verdict.map(|Verdict { state, .. }| state) {
            Some(SprtState::H0) => Early::SprtH0,
            Some(SprtState::H1) => Early::SprtH1,
            Some(SprtState::Undecided) | None => return,
        };
        // A verdict counts for more than a clock that ran out while the last games were played.
        self.early = Some(early);
    }

    /// A game ended; `result` is absent while it is held.
    pub fn over(&mut self, id: GameId, result: Option<GameResult>) {
        self.running.remove(&id);
        if let (Some(trial), Some(result)) = (&mut self.trial, &result) {
            trial.add(result);
        }
        self.look_at_test();
        self.done.insert(id, result);
        if usize::from(id.stage) == self.stage + 1 {
            self.results.extend(result);
        }
    }

    /// A game was broken off; it is due again when the run is resumed.
    pub fn abandoned(&mut self, id: GameId) {
        if self.running.remove(&id) {
            self.broken_off = true;
        }
    }

    /// How the run ends when nothing is running any more.
    pub fn finish(&mut self) -> Finish {
        if let Some(early) = self.early {
            Finish::Early(early)
        } else if self.broken_off || !self.is_exhausted() {
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
