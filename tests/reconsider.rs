//! The director under a referee's desk that speaks while games run, in virtual time: results overruled, games
//! annulled and played again, withdrawals, pauses, holds, at any moment. Whatever was said when, the director
//! ends where one that reads the journal afterwards stands. Start at [`Event`].

#[path = "simulate/dice.rs"]
#[allow(dead_code)]
mod dice;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chuhe::config::{self, Overrides};
use chuhe::director::{Assignment, Director, Finish, Order};
use chuhe::game::Termination;
use chuhe::plan::Plan;
use chuhe::record::{
    Decision, FORMAT, Host, Ordered, Run, RunBegan, Said, Scoresheet, Settings, Spoken, What,
};
use chuhe::runner::{DiskFiles, Wish, orders};
use chuhe::time::At;
use chuhe::tournament::{GameId, GameResult};
use chuhe::xiangqi::Side;
use dice::Dice;
use serde_json::{Value, json};

/// Most words of the desk in one event, so that it ends.
const MOST_WORDS: u32 = 8;

/// An event with its desk.
struct Event {
    plan: Arc<Plan>,
    run: Run,
    director: Director,
    running: Vec<(Assignment, Scoresheet)>,
    dice: Dice,
    words: u32,
    /// What was met, by a word.
    met: BTreeMap<&'static str, u32>,
}

fn plan(format: Value, entrants: usize, seed: u64) -> Arc<Plan> {
    let entrants: Vec<Value> =
        (0..entrants).map(|index| json!({ "name": format!("E{index}"), "engine": "sparring" })).collect();
    let config = json!({ "entrants": entrants, "format": format, "time": "60", "seed": seed });
    let read = config::read(&config.to_string(), ".", &DiskFiles, &Overrides::default());
    Arc::new(read.unwrap_or_else(|problems| panic!("{problems:?}")).plan)
}

impl Event {
    fn new(plan: Arc<Plan>, seed: u64) -> Event {
        let head = RunBegan {
            format: FORMAT,
            program: "simulation".to_owned(),
            settings: Settings::of(&plan),
            config: Value::Null,
            base: "/".to_owned(),
            sources: BTreeMap::new(),
            date: String::new(),
            host: Host { cpu: "none".into(), threads: 1, memory_mib: 1, system: "none".into(), cores: None },
        };
        let mut run = Run::new();
        apply(&mut run, What::RunBegan(Box::new(head)));
        let mut director = Director::new(Arc::clone(&plan), &run);
        director.attend();
        let (running, met) = (Vec::new(), BTreeMap::new());
        Event { plan, run, director, running, dice: Dice::new(seed), words: 0, met }
    }

    fn sheet(&self, assignment: &Assignment) -> Scoresheet {
        let names = assignment.seats.map(|entrant| self.plan.entrants[entrant].name.clone());
        let opening = self.plan.openings.opening(assignment.opening);
        Scoresheet::new(assignment.id, names, opening, self.run.last(), String::new())
    }

    fn begin(&mut self, assignment: Assignment) {
        let sheet = self.sheet(&assignment);
        apply(&mut self.run, What::GameBegan(sheet.began()));
        self.running.push((assignment, sheet));
    }

    /// A game ends, as the hall has it: journal first, then the director.
    fn end(&mut self, assignment: &Assignment, mut sheet: Scoresheet, termination: &Termination) {
        let game = sheet.game(self.plan.terms(assignment.id.stage, assignment.seats));
        let over = sheet.over(self.run.last(), &game, termination, Duration::ZERO);
        apply(&mut self.run, What::GameOver(Box::new(over)));
        let (id, red, black) = (assignment.id, assignment.seats.red, assignment.seats.black);
        let result = game.outcome(termination).map(|outcome| GameResult { id, red, black, outcome });
        self.director.over(id, result);
        if self.director.is_outdated() {
            *self.met.entry("outdated").or_default() += 1;
            self.director.reconsider(&self.run);
        }
    }

    fn end_one(&mut self) {
        let place = self.dice.below(self.running.len() as u64) as usize;
        let (assignment, sheet) = self.running.swap_remove(place);
        let reason = "x".to_owned();
        let termination = match self.dice.below(10) {
            0 => Termination::Held { reason },
            1..4 => Termination::Agreed,
            4..8 => Termination::Forfeited { loser: Side::Black, reason },
            _ => Termination::Forfeited { loser: Side::Red, reason },
        };
        self.end(&assignment, sheet, &termination);
    }

    /// Whatever may begin begins; true when nothing is left.
    fn order(&mut self, at_once: usize) -> bool {
        while self.running.len() < at_once {
            let order = self.director.next_order();
            let paused = self.run.paused().is_some();
            assert!(!paused || order == Order::Wait, "a game begins in a pause: {order:?}");
            match order {
                Order::Play(assignment) => {
                    let again = self.running.iter().any(|(one, _)| same(one.id, assignment.id));
                    assert!(!again, "{} is played twice at once", assignment.id);
                    self.begin(assignment);
                }
                Order::Forfeit(assignment, loser) => {
                    let sheet = self.sheet(&assignment);
                    apply(&mut self.run, What::GameBegan(sheet.began()));
                    let reason = "withdrawn".to_owned();
                    self.end(&assignment, sheet, &Termination::Forfeited { loser, reason });
                }
                Order::Display(_) => panic!("no exhibition"),
                Order::Wait => return false,
                Order::Finished => return true,
            }
        }
        false
    }

    fn speak(&mut self, said: Said) {
        let (date, person, reason) = (String::new(), "P".to_owned(), "r".to_owned());
        let spoken = Spoken { date, person, article: None, reason, said };
        apply(&mut self.run, What::Spoken(Box::new(spoken)));
        self.director.reconsider(&self.run);
    }

    /// The desk decides, as the hall has it: written first, games of one who withdraws broken off, all else
    /// reconsidered.
    fn decide(&mut self, wish: &Wish) {
        let Ok(orders) = orders(&self.run, wish, &|_| None) else { return };
        for ordered in orders {
            if let Ordered::Withdrawn { entrant, .. } = &ordered {
                let index = self.run.index_of(entrant).expect("an entrant");
                if self.run.withdrawals().iter().any(|one| one.entrant == index) {
                    return;
                }
                let (gone, kept) = std::mem::take(&mut self.running)
                    .into_iter()
                    .partition(|(one, _)| [one.seats.red, one.seats.black].contains(&index));
                self.running = kept;
                let gone: Vec<(Assignment, Scoresheet)> = gone;
                gone.iter().for_each(|(one, _)| self.director.set_aside(one.id));
            }
            let number = self.run.decisions().len() as u32 + 1;
            let (date, person, article) = (String::new(), "P".to_owned(), "I.14".to_owned());
            let reason = "r".to_owned();
            let decision = Decision { number, date, person, article, reason, request: None, ordered };
            apply(&mut self.run, What::Decided(Box::new(decision)));
        }
        self.director.reconsider(&self.run);
    }

    /// The desk says something, or what must be said because nothing goes on without it.
    fn desk(&mut self) {
        if self.run.paused().is_some() {
            return self.speak(Said::WentOn);
        }
        self.words += 1;
        let pick = |games: Vec<GameId>, dice: &mut Dice| {
            (!games.is_empty()).then(|| games[dice.below(games.len() as u64) as usize])
        };
        let played = |id: &GameId| !self.running.iter().any(|(one, _)| same(one.id, *id));
        let held = self.run.games().filter(|game| game.outcome.is_none()).map(|game| game.id).filter(played);
        let held = pick(held.collect(), &mut self.dice);
        let ended = self.run.attempts().map(|game| game.id).filter(played).collect();
        // In the end he gives every held game a result and says no more.
        let act = if self.words < MOST_WORDS { self.dice.below(12) } else { 11 };
        let results = ["1-0", "0-1", "1/2-1/2"];
        let result = results[self.dice.below(3) as usize].to_owned();
        let any = pick(ended, &mut self.dice).filter(|_| self.words < MOST_WORDS);
        let (word, wish) = match (held.or(any), act) {
            (_, 0 | 1) if held.is_none() && self.words < MOST_WORDS => {
                *self.met.entry("paused").or_default() += 1;
                return self.speak(Said::Paused);
            }
            (_, 2) if held.is_none() => {
                let who = self.dice.below(self.plan.entrants.len() as u64) as usize;
                ("withdrawn", Wish::Withdraw(self.run.name(who).to_owned()))
            }
            (None, _) => return,
            (Some(game), 3 | 4) => ("annulled", Wish::Annul(game)),
            (Some(game), 5..8) => ("again", Wish::Replay(game)),
            (Some(game), _) => ("ruled", Wish::Rule(game, result)),
        };
        *self.met.entry(word).or_default() += 1;
        self.decide(&wish);
    }

    /// Whoever reads the journal afterwards stands where the director stands.
    fn check_end(&mut self) {
        let finish = self.director.finish();
        let mut fresh = Director::new(Arc::clone(&self.plan), &self.run);
        assert_eq!(fresh.next_order(), Order::Finished, "{:?}", self.run.decisions());
        assert_eq!(finish, fresh.finish(), "{:?}", self.run.decisions());
        if finish == Finish::Complete {
            assert!(self.run.games().all(|game| game.outcome.is_some()), "a game has no result");
        }
    }

    /// Whether nothing but a word on a whole round could go on: it waits for results that nobody brings.
    fn is_stuck(&self) -> bool {
        let held = self.run.games().any(|game| game.outcome.is_none());
        self.running.is_empty() && self.words >= MOST_WORDS && !held && self.run.paused().is_none()
    }

    fn play(mut self, at_once: usize) -> BTreeMap<&'static str, u32> {
        for _ in 0..100_000 {
            let finished = self.order(at_once);
            if finished && self.running.is_empty() || self.is_stuck() {
                *self.met.entry(if finished { "complete" } else { "stuck" }).or_default() += 1;
                self.check_end();
                return self.met;
            }
            let speaks = self.words < MOST_WORDS && self.dice.once_in(5);
            if self.running.is_empty() || speaks {
                assert!(speaks || self.director.waits_for_desk(), "nothing goes on: {:?}", self.director);
                self.desk();
            } else {
                self.end_one();
            }
        }
        panic!("it has no end");
    }
}

fn apply(run: &mut Run, what: What) {
    let (seq, at) = (run.event_count(), At(run.last().0 + 1));
    let event = chuhe::record::Event { seq, at, what };
    run.apply(&event).unwrap_or_else(|error| panic!("{error}: {event:?}"));
}

fn same(one: GameId, other: GameId) -> bool {
    GameId { attempt: 1, ..one } == GameId { attempt: 1, ..other }
}

#[test]
fn whatever_is_said_while_games_run_the_event_ends_as_the_journal_has_it() {
    let formats = [
        (json!({ "type": "round-robin", "cycles": 2 }), 5),
        (json!({ "type": "pairs", "pairs": 6 }), 2),
        (json!({ "type": "gauntlet" }), 4),
        (json!({ "type": "swiss", "rounds": 4 }), 7),
        (json!({ "type": "championship", "groups": 2, "qualify_per_group": 2 }), 6),
    ];
    let seeds = if cfg!(debug_assertions) { 120 } else { 2_000 };
    let mut met: BTreeMap<&str, u32> = BTreeMap::new();
    for (format, entrants) in formats {
        for seed in 0..seeds {
            let event = Event::new(plan(format.clone(), entrants, seed), seed);
            for (word, count) in event.play(1 + (seed % 4) as usize) {
                *met.entry(word).or_default() += count;
            }
        }
    }
    println!("{met:?}");
    for word in ["paused", "withdrawn", "annulled", "again", "ruled", "outdated", "complete"] {
        assert!(met.get(word).is_some_and(|count| *count > 0), "{word} was never met: {met:?}");
    }
}

/// A game of round 1 that is overruled while round 2 is played changes who meets in round 2: what is played
/// goes on, and the new pairing is played after it.
#[test]
fn games_under_way_are_not_disturbed() {
    let mut event = Event::new(plan(json!({ "type": "round-robin", "cycles": 1 }), 4, 1), 1);
    assert!(!event.order(2));
    let (first, second) = (event.running[0].0.clone(), event.running[1].0.clone());
    let (one, sheet) = event.running.remove(0);
    event.end(&one, sheet, &Termination::Agreed);
    event.decide(&Wish::Replay(first.id));
    let running: Vec<GameId> = event.director.running().map(|(id, _)| id).collect();
    assert_eq!(running, [second.id], "the other game goes on");
    let Order::Play(again) = event.director.next_order() else { panic!("nothing is due") };
    assert_eq!((again.id, again.seats), (GameId { attempt: 2, ..first.id }, first.seats));
    // What is set aside is due again; nothing else is.
    event.director.set_aside(again.id);
    event.director.reconsider(&event.run);
    assert_eq!(event.director.next_order(), Order::Play(again));
}
