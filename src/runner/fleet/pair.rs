//! One pair at a worker: read the slip, play its games, store them, and only then say that the pair is done.
//! Whatever happens in between costs a replayed pair, never a second count. Start at [`play_pair`].

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::check::{MAX_NOTES, MAX_TEXT, opening_of};
use super::joined::Joined;
use super::link::{RESULT, Stored};
use super::message::{self, Bag, FORMAT, Slip, read_token, token};
use super::worker::Worker;
use crate::director::Assignment;
use crate::record::{GameOver, Noted, What};
use crate::runner::PROGRAM;
use crate::runner::play::play;
use crate::tournament::{GameId, Opening};
use crate::xiangqi::BySide;

/// How long the server is given to take an acknowledgement.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long after a failure a result is sent again.
const AGAIN: Duration = Duration::from_millis(500);

/// How long a place waits after a pair that it could not bring.
const BREATH: Duration = Duration::from_millis(200);

/// A pair that was handed out.
pub struct Pair<'a> {
    /// Who plays it.
    pub worker: &'a Rc<Worker>,
    /// For which run.
    pub joined: &'a Rc<Joined>,
    /// Its message.
    pub message: Message,
    /// How long the place was empty before.
    pub waited: Duration,
}

/// Plays a pair and brings it.
pub async fn play_pair(pair: Pair<'_>) {
    let (games, opening, key, issue) = match pair.read() {
        Ok(read) => read,
        Err(why) => {
            eprintln!("warning: {}: a pair that cannot be played: {why}", pair.joined.run.dotted());
            // The coordinator sees that it got lost.
            return pair.acknowledge(AckKind::Term).await;
        }
    };
    // The pair was handed out again while it is played here: the game that runs is enough.
    if !pair.joined.playing.borrow_mut().insert(key) {
        return tokio::time::sleep(BREATH).await;
    }
    pair.play_and_bring(&games, opening, &token(key, issue)).await;
    pair.joined.playing.borrow_mut().remove(&key);
}

type Read = (Vec<Assignment>, Option<Opening>, GameId, u8);

impl Pair<'_> {
    fn read(&self) -> Result<Read, String> {
        let subject = self.message.subject.as_str();
        let read = subject.rsplit('.').next().and_then(read_token);
        let (key, issue) = read.ok_or("its subject names no pair")?;
        let slip: Slip = message::read(&self.message.payload)?;
        let plan = &self.joined.hall.plan;
        let mut games = Vec::new();
        for seated in &slip.games {
            let sits = |index: usize| index < plan.entrants.len();
            let stage = usize::from(seated.game.stage) <= plan.stages.len();
            if !sits(seated.red) || !sits(seated.black) || seated.red == seated.black || !stage {
                return Err(format!("nobody sits at game {}", seated.game));
            }
            let seats = BySide { red: seated.red, black: seated.black };
            games.push(Assignment { id: seated.game, seats, opening: 0 });
        }
        let ids: BTreeSet<GameId> = games.iter().map(|game| game.id).collect();
        if !(1..=2).contains(&games.len()) || ids.len() != games.len() || games[0].id != key {
            return Err("its games are no pair".to_owned());
        }
        let opening = slip.opening.as_ref().map(opening_of).transpose()?;
        Ok((games, opening, key, issue))
    }

    async fn play_and_bring(&self, games: &[Assignment], opening: Option<Opening>, token: &str) {
        let deliveries = self.message.info().map_or(1, |info| info.delivered.max(1) as u64);
        let subject = self.joined.run.result(token);
        // Somebody may have brought it and died before saying so.
        if deliveries > 1 && matches!(self.worker.link.last(RESULT, &subject).await, Ok(Some(_))) {
            return self.acknowledge(AckKind::Ack).await;
        }
        let began = Instant::now();
        let mut bag = self.bag(deliveries);
        for assignment in games {
            if !self.play(assignment, opening.clone(), &mut bag).await {
                games.iter().for_each(|game| drop(self.tap(|tap| tap.take(game.id))));
                return self.joined.give_back(&self.message).await;
            }
        }
        bag.played_us = began.elapsed().as_micros() as u64;
        // A machine that stood still has judged by a clock that nobody could obey.
        let still =
            Duration::from_micros(bag.games.iter().map(|over| over.runner_delay_us).max().unwrap_or(0));
        let timed = |over: &GameOver| matches!(over.termination.kind.as_str(), "flag" | "stalled");
        if still > self.joined.lease / 2 && bag.games.iter().any(timed) {
            eprintln!("warning: this machine stood still for {} s; a pair is given back", still.as_secs());
            return self.joined.give_back(&self.message).await;
        }
        self.bring(subject, bag).await;
    }

    fn bag(&self, deliveries: u64) -> Bag {
        Bag {
            format: FORMAT,
            program: PROGRAM.to_owned(),
            worker: self.worker.options.name.clone(),
            engines: self.joined.engines.clone(),
            games: Vec::new(),
            notes: Vec::new(),
            speed: self.joined.speed,
            scale: self.joined.scale,
            deliveries,
            played_us: 0,
            waited_us: self.waited.as_micros() as u64,
        }
    }

    fn tap<T>(&self, read: impl FnOnce(&super::tap::Tap) -> T) -> Option<T> {
        self.joined.hall.tap.as_ref().map(read)
    }

    /// Plays a game; false if it was broken off. The server hears of the pair only while the game's own loop
    /// does what it said, and from the task in which that loop runs.
    async fn play(&self, assignment: &Assignment, opening: Option<Opening>, bag: &mut Bag) -> bool {
        let hall = &self.joined.hall;
        self.tap(|tap| tap.begin(assignment.id, opening, hall.wall.now()));
        let apart = Notify::new();
        let game = play(Rc::clone(hall), vec![assignment.clone()], 0, &apart);
        tokio::pin!(game);
        let mut beats = tokio::time::interval(self.joined.lease / 3);
        loop {
            tokio::select! {
                () = &mut game => break,
                _ = beats.tick() => {
                    if self.tap(|tap| tap.is_alive(assignment.id, hall.wall.now())) == Some(true) {
                        let beat = self.message.ack_with(AckKind::Progress);
                        let _ = tokio::time::timeout(PATIENCE, beat).await;
                    }
                }
                () = hall.broken_off() => return false,
                () = self.worker.broken_off() => return false,
            }
        }
        for what in self.tap(|tap| tap.take(assignment.id)).unwrap_or_default() {
            match what {
                What::GameOver(over) => bag.games.push(fitting(*over)),
                What::Noted(noted) if bag.notes.len() < MAX_NOTES => {
                    bag.notes.push(Noted { text: cut(&noted.text), ..noted })
                }
                _ => {}
            }
        }
        true
    }

    /// Stores the games until it is known that they, or somebody's, are stored; then the pair is done.
    async fn bring(&self, subject: String, mut bag: Bag) {
        let mut written = message::write(&bag);
        if written.is_err() {
            // The moves decide; what was thought is left out where there is too much of it.
            bag.games.iter_mut().for_each(|over| over.thoughts = Vec::new());
            written = message::write(&bag);
        }
        let bytes = match written {
            Ok(bytes) => bytes,
            Err(why) => {
                eprintln!("warning: {why}");
                return self.acknowledge(AckKind::Term).await;
            }
        };
        loop {
            match self.worker.link.store(subject.clone(), bytes.clone()).await {
                Ok(stored) => {
                    self.tell(&bag, stored);
                    return self.acknowledge(AckKind::Ack).await;
                }
                Err(_) => {
                    tokio::select! {
                        () = tokio::time::sleep(AGAIN) => {}
                        () = self.joined.hall.broken_off() => return,
                        () = self.worker.broken_off() => return,
                    }
                }
            }
        }
    }

    fn tell(&self, bag: &Bag, stored: Stored) {
        let result = |over: &GameOver| {
            let result = over.result.as_deref().unwrap_or("*");
            format!("{} {} - {} {result}", over.game, over.red, over.black)
        };
        let games: Vec<String> = bag.games.iter().map(result).collect();
        let late = match stored {
            Stored::Now => "",
            Stored::Before => " (somebody else was faster)",
        };
        self.worker.say(&format!("{}: {}{late}", self.joined.run.dotted(), games.join(", ")));
    }

    async fn acknowledge(&self, kind: AckKind) {
        let _ = tokio::time::timeout(PATIENCE, self.message.double_ack_with(kind)).await;
    }
}

/// A game with texts that may be sent.
fn fitting(mut over: GameOver) -> GameOver {
    let end = &mut over.termination;
    end.detail = end.detail.as_deref().map(cut);
    end.last_lines.iter_mut().for_each(|line| *line = cut(line));
    over
}

/// A text without control characters, not too long.
fn cut(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c });
    let mut length = 0;
    clean
        .take_while(|c| {
            length += c.len_utf8();
            length <= MAX_TEXT
        })
        .collect()
}
