//! Floor 5: the director of a run: which game is next, what is recorded, when the run is over. A pure
//! machine; never knows of processes, files or the moves of a game. Start at [`Director`].

pub mod seating;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::game::Termination;
use crate::plan::Plan;
use crate::record::{Answer, HELD, OUT_OF_TIME, Run, STOPPED, What};
use crate::tournament::{
    Format, GameId, GameResult, Known, Next, Opening, Pairing, ScoreGoal, SprtState, SprtTrial, Verdict,
    Void, Withdrawal,
};
use crate::xiangqi::{BySide, Side};

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
    /// The share of points that was wanted is reached.
    ScoreReached,
    /// It is out of reach.
    ScoreMissed,
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
            Finish::Held => What::Interrupted { reason: HELD.to_owned() },
            Finish::Stopped => What::Interrupted { reason: STOPPED.to_owned() },
            Finish::Early(Early::SprtH0) => What::RunOver { reason: "sprt_h0".to_owned() },
            Finish::Early(Early::SprtH1) => What::RunOver { reason: "sprt_h1".to_owned() },
            Finish::Early(Early::ScoreReached) => What::RunOver { reason: "score_reached".to_owned() },
            Finish::Early(Early::ScoreMissed) => What::RunOver { reason: "score_missed".to_owned() },
            Finish::Early(Early::EngineFailures) => What::RunOver { reason: "engine_failures".to_owned() },
            Finish::Early(Early::OutOfTime) => What::Interrupted { reason: OUT_OF_TIME.to_owned() },
        }
    }
}

/// What the director wants next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Play this game.
    Play(Assignment),
    /// Play these games of an exhibition as one.
    Display(Vec<Assignment>),
    /// Record this game as lost by a side that has withdrawn, without playing it.
    Forfeit(Assignment, Side),
    /// Nothing can start before a running game ends.
    Wait,
    /// Nothing is left to be started.
    Finished,
}

/// A game that ended.
#[derive(Debug, Clone, Copy)]
struct Ended {
    /// Its last attempt.
    attempt: u8,
    seats: BySide<usize>,
    /// Whether the chief referee has to say how it goes on.
    held: bool,
}

/// The director.
#[derive(Debug)]
pub struct Director {
    plan: Arc<Plan>,
    stage: usize,
    round: u32,
    due: VecDeque<Assignment>,
    running: BTreeMap<GameId, BySide<usize>>,
    /// The results that count, of all stages; `None` where no pairing follows from them.
    results: Option<Vec<GameResult>>,
    /// What ended before its round was listed, and what is held, under the number of the first attempt: of a
    /// game that was played from the list and has its result nothing has to be known any more.
    ended: BTreeMap<GameId, Ended>,
    /// Attempts that are due because the chief referee had a game played again.
    due_again: BTreeMap<GameId, u8>,
    withdrawn: Vec<Withdrawal>,
    orders: Vec<Vec<usize>>,
    void: Vec<Void>,
    /// The next round waits for results that nobody is going to bring.
    waits: bool,
    stopped: bool,
    broken_off: bool,
    /// The referee's desk is open: what is held waits for its word instead of ending the run.
    attended: bool,
    /// The referee's desk lets no game begin, or has something to answer.
    paused: bool,
    asked: bool,
    /// A game is under way under a number that is another one's since a ruling: it is looked again at its end.
    displaced: bool,
    /// A stage cannot go on without a word of the chief referee.
    held: bool,
    trial: Option<SprtTrial>,
    goal: Option<ScoreGoal>,
    early: Option<Early>,
}

fn first_attempt(id: GameId) -> GameId {
    GameId { attempt: 1, ..id }
}

impl Director {
    /// A director for a plan of which `run` was already played.
    pub fn new(plan: Arc<Plan>, run: &Run) -> Director {
        // A run of which nothing is recorded yet knows of no test.
        let trial = run.trial().cloned().or_else(|| plan.sprt.map(SprtTrial::new));
        let looks_back = plan.stages.iter().any(|stage| stage.format.looks_back());
        let mut director = Director {
            plan,
            stage: 0,
            round: 0,
            due: VecDeque::new(),
            running: BTreeMap::new(),
            results: looks_back.then(|| run.results().collect()),
            ended: ended(run),
            due_again: run.replays().clone(),
            withdrawn: run.withdrawals().to_vec(),
            orders: run.orders().to_vec(),
            void: run.void().to_vec(),
            waits: false,
            stopped: false,
            broken_off: false,
            attended: false,
            paused: run.paused().is_some(),
            asked: run.requests().iter().any(|request| request.answer == Answer::Open),
            displaced: false,
            held: false,
            trial,
            goal: None,
            early: None,
        };
        director.set_goal(run);
        director.look_at_test();
        director
    }

    /// The share of points that is wanted, with what was played already.
    fn set_goal(&mut self, run: &Run) {
        let (Some(least), Some(stage)) = (self.plan.min_score, self.plan.stages.first()) else { return };
        let Format::Pairs { pairs } = stage.format else { return };
        let results: Vec<GameResult> = run.results().collect();
        self.goal = Some(ScoreGoal::of(least, pairs, &results));
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

    /// From now on the referee's desk is open: what is held waits for its word, and so does a run that is paused
    /// or of which a request for a correction is open.
    pub fn attend(&mut self) {
        self.attended = true;
    }

    /// The referee's desk has spoken: `run` is what follows from it. Games under way go on, but for those that
    /// were [set aside](Director::set_aside); whatever else is due follows from the run anew.
    pub fn reconsider(&mut self, run: &Run) {
        let fresh = Director::new(Arc::clone(&self.plan), run);
        let old = std::mem::replace(self, fresh);
        let own = |early: &Early| match early {
            Early::EngineFailures | Early::OutOfTime => true,
            Early::SprtH0 | Early::SprtH1 | Early::ScoreReached | Early::ScoreMissed => false,
        };
        self.running = old.running;
        self.stopped = old.stopped;
        self.broken_off = old.broken_off;
        self.attended = old.attended;
        self.early = self.early.or(old.early.filter(own));
    }

    /// Whether a game that ended was under way under a number that a ruling gave to another one:
    /// [`Director::reconsider`] is due.
    pub fn is_outdated(&self) -> bool {
        self.displaced
    }

    /// The games under way.
    pub fn running(&self) -> impl Iterator<Item = (GameId, BySide<usize>)> {
        self.running.iter().map(|(id, seats)| (*id, *seats))
    }

    /// The referee's desk had a game broken off that goes on later: nobody plays it now.
    pub fn set_aside(&mut self, id: GameId) {
        self.running.remove(&id);
    }

    /// Whether nothing is played and only a word of the referee's desk, which is open, can change that.
    pub fn waits_for_desk(&self) -> bool {
        self.running.is_empty() && self.attends() && (self.paused || self.asked || self.is_held())
    }

    fn attends(&self) -> bool {
        self.attended && !self.stopped && self.early.is_none()
    }

    fn is_held(&self) -> bool {
        self.held || self.waits || self.ended.values().any(|game| game.held)
    }

    /// Asks for work. The games of an [`Order::Play`] or [`Order::Display`] count as running until [`Director::over`] or
    /// [`Director::abandoned`].
    pub fn next_order(&mut self) -> Order {
        let idle = |director: &Director| {
            if director.running.is_empty() && !director.waits_for_desk() {
                Order::Finished
            } else {
                Order::Wait
            }
        };
        if self.stopped || self.early.is_some() {
            return idle(self);
        }
        if self.paused && self.attended {
            return Order::Wait;
        }
        if !self.fill() {
            return idle(self);
        }
        let display = self.is_display();
        let forfeits = |place: &usize| self.due.get(*place).and_then(|one| self.who_forfeits(one)).is_some();
        // What a display leaves out is recorded before it begins.
        let first = (0..self.due.len()).find(forfeits).filter(|_| display);
        let next = first.or_else(|| (0..self.due.len()).find(|place| self.may_start(*place)));
        if display && first.is_none() && next == Some(0) {
            return self.display();
        }
        let Some(assignment) = next.and_then(|place| self.due.remove(place)) else {
            return if self.due.is_empty() { idle(self) } else { Order::Wait };
        };
        self.running.insert(assignment.id, assignment.seats);
        match self.who_forfeits(&assignment) {
            Some(loser) => Order::Forfeit(assignment, loser),
            None => Order::Play(assignment),
        }
    }

    /// Whether the games that are due are those of an exhibition.
    fn is_display(&self) -> bool {
        let Some(first) = self.due.front() else { return false };
        let stage = self.plan.stages.get(usize::from(first.id.stage).saturating_sub(1));
        stage.is_some_and(|stage| stage.format.exhibition().is_some())
    }

    /// All boards of an exhibition are played as one.
    fn display(&mut self) -> Order {
        let games: Vec<Assignment> = self.due.drain(..).collect();
        for assignment in &games {
            self.running.insert(assignment.id, assignment.seats);
        }
        Order::Display(games)
    }

    /// Whether the game in this place of the list can start now. Where games are played in order nobody of
    /// it sits elsewhere or has an earlier game to play.
    fn may_start(&self, place: usize) -> bool {
        let Some(assignment) = self.due.get(place) else { return false };
        let stage = self.plan.stages.get(usize::from(assignment.id.stage).saturating_sub(1));
        if !stage.is_some_and(|stage| stage.format.in_order()) {
            return true;
        }
        let sits = |seats: &BySide<usize>| {
            [seats.red, seats.black]
                .iter()
                .any(|one| [assignment.seats.red, assignment.seats.black].contains(one))
        };
        !self.running.values().any(sits) && !self.due.iter().take(place).any(|earlier| sits(&earlier.seats))
    }

    fn has_withdrawn(&self, entrant: usize, stage: u8) -> Option<&Withdrawal> {
        self.withdrawn.iter().find(|one| one.entrant == entrant && one.stage <= stage)
    }

    fn who_forfeits(&self, assignment: &Assignment) -> Option<Side> {
        let gone = |side: &Side| self.has_withdrawn(assignment.seats[*side], assignment.id.stage).is_some();
        Side::BOTH.into_iter().find(gone)
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
        match self.early {
            Some(
                Early::SprtH0
                | Early::SprtH1
                | Early::ScoreReached
                | Early::ScoreMissed
                | Early::EngineFailures,
            ) => true,
            Some(Early::OutOfTime) | None => false,
        }
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
        if let Some(reached) = self.goal.as_ref().and_then(ScoreGoal::verdict)
            && self.trial.is_none()
        {
            let early = if reached { Early::ScoreReached } else { Early::ScoreMissed };
            self.early = Some(early);
            return;
        }
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
        if let (Some(trial), Some(result)) = (&mut self.trial, &result) {
            trial.add(result);
        }
        if let (Some(goal), Some(result)) = (&mut self.goal, &result) {
            goal.add(result);
        }
        self.look_at_test();
        let seats = self.running.remove(&id);
        let seats = seats.or(result.map(|result| BySide { red: result.red, black: result.black }));
        if let Some(seats) = seats {
            // An earlier attempt may have counted until now, and what follows from it.
            self.displaced |= id.attempt > 1;
            // A round is listed once: what has its result after that is not asked for again.
            let listed = (usize::from(id.stage), id.round) <= (self.stage + 1, self.round);
            // While it was played a later attempt may have been ordered.
            if self.due_again.get(&first_attempt(id)).is_some_and(|due| *due > id.attempt) {
                self.displaced = true;
            } else if listed && result.is_some() {
                self.ended.remove(&first_attempt(id));
            } else {
                let ended = Ended { attempt: id.attempt, seats, held: result.is_none() };
                self.ended.insert(first_attempt(id), ended);
            }
        }
        if let Some(results) = &mut self.results {
            results.extend(result);
        }
    }

    /// A game was broken off; it is due again when the run is resumed.
    pub fn abandoned(&mut self, id: GameId) {
        if self.running.remove(&id).is_some() {
            self.broken_off = true;
        }
    }

    /// How the run ends when nothing is running any more.
    pub fn finish(&mut self) -> Finish {
        if let Some(early) = self.early {
            Finish::Early(early)
        } else if self.broken_off || !self.is_exhausted() {
            Finish::Stopped
        } else if self.is_held() {
            Finish::Held
        } else {
            Finish::Complete
        }
    }

    /// Puts the games of the next round on the list; false when none can start now.
    fn next_round(&mut self) -> bool {
        self.waits = false;
        while let Some(stage) = self.plan.stages.get(self.stage) {
            let (number, entrants) = (self.stage as u8 + 1, self.plan.entrants.len());
            let known = Known {
                results: self.results.as_deref().unwrap_or_default(),
                withdrawn: &self.withdrawn,
                void: &self.void,
                orders: &self.orders,
            };
            match stage.format.next_of(number, self.round + 1, entrants, &known) {
                Next::Round(pairings) => {
                    self.round += 1;
                    for pairing in pairings {
                        self.list_pairing(number, pairing);
                    }
                    if !self.due.is_empty() {
                        return true;
                    }
                }
                Next::Waiting => {
                    self.waits = true;
                    return false;
                }
                Next::Held(_) => {
                    self.held = true;
                    return false;
                }
                Next::Over if !self.running.is_empty() => return false,
                Next::Over if self.holds_up(number) => {
                    self.held = true;
                    return false;
                }
                Next::Over => {
                    self.stage += 1;
                    self.round = 0;
                }
            }
        }
        false
    }

    /// Whether a held game keeps the next stage from beginning.
    fn holds_up(&self, stage: u8) -> bool {
        let later = self.plan.stages.len() > usize::from(stage);
        later && self.ended.iter().any(|(id, game)| id.stage == stage && game.held)
    }

    fn list_pairing(&mut self, stage: u8, pairing: Pairing) {
        if self.is_void(stage, pairing) {
            return;
        }
        for leg in 1..=pairing.legs {
            let (red, black) = self.plan.colours.seats(pairing, leg);
            let seats = BySide { red, black };
            let mut id = GameId { stage, round: self.round, pair: pairing.pair, leg, attempt: 1 };
            if let Some(ended) = self.ended.get(&id) {
                if ended.seats == seats {
                    if !ended.held {
                        self.ended.remove(&id);
                    }
                    continue;
                }
                // A ruling has changed who meets here: the game between others stays under its number.
                id.attempt = ended.attempt.saturating_add(1);
            }
            if let Some(attempt) = self.due_again.get(&first_attempt(id)) {
                id.attempt = id.attempt.max(*attempt);
            }
            if let Some((under_way, others)) = self.under_way(id) {
                // What is played is played to its end; then it is seen what this number stands for.
                self.displaced |= others != seats || under_way.attempt < id.attempt;
                continue;
            }
            let opening = pairing.opening_of(leg);
            self.due.push_back(Assignment { id, seats, opening });
        }
    }

    /// The game that is played under the number of another, and who plays it.
    fn under_way(&self, id: GameId) -> Option<(GameId, BySide<usize>)> {
        let all = GameId { attempt: 0, ..id }..=GameId { attempt: u8::MAX, ..id };
        self.running.range(all).next().map(|(id, seats)| (*id, *seats))
    }

    /// Whether a pairing is not played at all: both have withdrawn, or the results of one are cancelled.
    fn is_void(&self, stage: u8, pairing: Pairing) -> bool {
        let gone = [pairing.first, pairing.second].map(|one| self.has_withdrawn(one, stage));
        let cancelled = |one: &Withdrawal| one.cancelled && one.stage == stage;
        gone.iter().all(Option::is_some) || gone.iter().flatten().any(|one| cancelled(one))
    }
}

/// What ended, of each game the last attempt, but for those that are to be played again.
fn ended(run: &Run) -> BTreeMap<GameId, Ended> {
    let mut ended = BTreeMap::new();
    for game in run.attempts() {
        if game.id.attempt < run.attempt_due(game.id)
            || matches!(game.termination, Termination::Abandoned { .. })
        {
            continue;
        }
        let seats = BySide { red: game.red, black: game.black };
        let held = game.outcome.is_none() && !game.annulled;
        ended.insert(first_attempt(game.id), Ended { attempt: game.id.attempt, seats, held });
    }
    ended
}
