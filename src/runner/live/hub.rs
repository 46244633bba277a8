//! The middle of the live page: takes what a run tells, holds it back for as long as the public may not see
//! it, and tells the audience what changed, a few times a second at most. Start at [`Hub::turn`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::body::Bytes;

use super::audience::{Audience, Messages};
use super::feed::{Aloud, Message};
use crate::record::What;
use crate::report::live::Watched;
use crate::runner::wall::Face;
use crate::time::{At, micros};
use crate::tournament::GameId;
use crate::xiangqi::Side;

/// How often the hub looks for news.
pub const TURN: Duration = Duration::from_millis(50);

/// Shortest time between two messages to the audience, and how much longer it is for each viewer: a
/// message to one of them costs some 20 µs, and all together may not take more than some hundredths of a
/// core from the engines.
const TELL_EVERY: Duration = Duration::from_millis(200);
const TELL_EACH: Duration = Duration::from_millis(1);

/// Shortest time between two tables, and how many times the work of making them it is at least.
const TABLES_EVERY: Duration = Duration::from_secs(1);
const TABLES_SHARE: u32 = 50;

/// Longest time between two tables.
const TABLES_LONGEST: Duration = Duration::from_secs(30);

/// How often engines' lines are looked at while somebody watches.
const LISTEN_EVERY: Duration = Duration::from_millis(200);

/// How often the audience is told the time when nothing happens, so that a dead connection is seen.
const BEAT_EVERY: Duration = Duration::from_secs(10);

/// There is no room for one more viewer.
#[derive(Debug)]
pub struct Full;

/// A hub that pages and the hub's own loop use.
#[derive(Debug, Clone)]
pub struct SharedHub(Arc<Mutex<Hub>>);

impl SharedHub {
    /// Shares a hub.
    pub fn new(hub: Hub) -> SharedHub {
        SharedHub(Arc::new(Mutex::new(hub)))
    }

    /// The hub. Both users are on one thread and hold it for a moment.
    pub fn lock(&self) -> MutexGuard<'_, Hub> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long this thread has worked: time in which others had the machine is not ours.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The hub.
#[derive(Debug)]
pub struct Hub {
    watched: Watched,
    audience: Audience,
    most: usize,
    delay: Duration,
    wall: Option<Face>,
    /// What has happened and may not be seen yet.
    held: VecDeque<(Instant, Message)>,
    aloud: BTreeMap<GameId, Arc<Aloud>>,
    /// Names this hub in the ids of its messages: those of another one mean nothing here.
    name: u64,
    number: u64,
    /// Everything as JSON, as it was told last and when.
    whole: Option<(u64, Instant, Arc<str>)>,
    told: Instant,
    listened: Instant,
    tables_due: Instant,
    /// Tables were made that the audience was not told of.
    tables_untold: bool,
    ended: bool,
}

impl Hub {
    /// A hub over a run as it stands, for at most so many viewers; what happens is shown after `delay`.
    pub fn new(watched: Watched, most: usize, delay: Duration) -> Hub {
        let now = Instant::now();
        let name = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64);
        Hub {
            watched,
            audience: Audience::default(),
            most,
            delay,
            wall: None,
            held: VecDeque::new(),
            aloud: BTreeMap::new(),
            name,
            number: 0,
            whole: None,
            told: now,
            listened: now,
            tables_due: now,
            tables_untold: false,
            ended: false,
        }
    }

    /// Takes the news, shows what may be seen by now and tells the audience. Returns whether anything will
    /// follow.
    pub fn turn(&mut self, news: impl IntoIterator<Item = (Instant, Message)>) -> bool {
        let now = Instant::now();
        for (at, message) in news {
            match message {
                Message::Clock(wall) => self.wall = Some(wall),
                message => self.held.push_back((at, message)),
            }
        }
        self.listen(now);
        while self.held.front().is_some_and(|(at, _)| now.saturating_duration_since(*at) >= self.delay) {
            self.held.pop_front().into_iter().for_each(|(_, message)| self.take(message));
        }
        // What is held back when the run ends stays unseen: it may be part of a game that goes on later.
        self.ended |= matches!(self.held.back(), Some((_, Message::End)));
        self.tell(now);
        !self.ended
    }

    /// Whether the run is over and does not go on.
    pub fn is_over(&self) -> bool {
        let end = |(_, message): &(Instant, Message)| match message {
            Message::Event(event, _) => matches!(event.what, What::RunOver { .. }),
            _ => false,
        };
        self.watched.run().over().is_some() || self.held.iter().any(end)
    }

    /// How many watch.
    pub fn viewers(&self) -> usize {
        self.audience.count()
    }

    /// Everybody goes.
    pub fn close(&mut self) {
        self.audience.leave();
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Event(event, game) => {
                if let What::GameOver(over) = &event.what {
                    self.aloud.remove(&over.game);
                }
                // The desk has folded the same event before; if it does not fit, the desk says so.
                let _ = self.watched.event(&event, game);
            }
            Message::Moved(at, moved) => self.watched.moved(at, &moved),
            Message::Asked(asked) => self.watched.asked(&asked),
            Message::Seated(game, aloud) => drop(self.aloud.insert(game, aloud)),
            Message::Thought(game, side, thought) => self.watched.thought(game, side, *thought),
            Message::Clock(wall) => self.wall = Some(wall),
            Message::Still => self.watched.stand_still(),
            Message::End => {
                self.watched.stand_still();
                self.ended = true;
            }
        }
    }

    /// Looks at what engines said last. Lines are held back like all else.
    fn listen(&mut self, now: Instant) {
        if self.audience.count() == 0 || now - self.listened < LISTEN_EVERY {
            return;
        }
        self.listened = now;
        for (game, aloud) in &self.aloud {
            for side in Side::BOTH {
                let thought = aloud.thought(side).map(Box::new);
                self.held.extend(thought.map(|thought| (now, Message::Thought(*game, side, thought))));
            }
        }
    }

    fn tell(&mut self, now: Instant) {
        let count = self.audience.count();
        let every = TELL_EVERY + TELL_EACH * u32::try_from(count).unwrap_or(u32::MAX);
        let since = now.saturating_duration_since(self.told);
        if count == 0 || since < every && !self.ended {
            return;
        }
        if self.watched.is_stale() && (now >= self.tables_due || self.ended) {
            self.make_tables();
        }
        let tables = std::mem::take(&mut self.tables_untold);
        let message = if tables || self.watched.has_changed() {
            self.number += 1;
            let change = self.watched.change(self.now(), tables);
            Bytes::from(format!("id: {}\nevent: change\ndata: {change}\n\n", self.id()))
        } else if since >= BEAT_EVERY {
            self.time()
        } else {
            return;
        };
        self.told = now;
        let mut audience = std::mem::take(&mut self.audience);
        audience.tell(&message, || self.whole());
        self.audience = audience;
    }

    fn make_tables(&mut self) {
        let began = worked();
        self.watched.make_tables();
        self.tables_untold = true;
        let work = worked().saturating_sub(began);
        self.tables_due = Instant::now() + (work * TABLES_SHARE).clamp(TABLES_EVERY, TABLES_LONGEST);
    }

    /// The moment of the run that is shown now.
    fn now(&self) -> At {
        let now = self.wall.as_ref().map_or(self.watched.run().last(), Face::now);
        At(now.0.saturating_sub(micros(self.delay)))
    }

    fn id(&self) -> String {
        format!("{}-{}", self.name, self.number)
    }

    fn time(&self) -> Bytes {
        Bytes::from(format!("event: time\ndata: {}\n\n", self.now().0))
    }

    /// The message with everything.
    fn whole(&mut self) -> Bytes {
        let all = self.state();
        Bytes::from(format!("id: {}\nevent: all\ndata: {all}\n\n", self.id()))
    }

    /// Everything as JSON. Many may ask for it at once, so it is made again only when it is old.
    pub fn state(&mut self) -> Arc<str> {
        let now = Instant::now();
        if let Some((number, made, all)) = &self.whole
            && *number == self.number
            && now - *made < TELL_EVERY
        {
            return Arc::clone(all);
        }
        if self.watched.is_stale() && now >= self.tables_due {
            self.make_tables();
        }
        let all: Arc<str> = self.watched.all(self.now()).into();
        self.whole = Some((self.number, now, Arc::clone(&all)));
        all
    }

    /// A viewer comes; `known` is the id of the last message it has seen.
    ///
    /// # Errors
    /// There are as many as there may be.
    pub fn enter(&mut self, known: Option<&str>) -> Result<Messages, Full> {
        if self.audience.count() >= self.most {
            return Err(Full);
        }
        let whole = if known == Some(self.id().as_str()) { None } else { Some(self.whole()) };
        let first: Vec<Bytes> = whole.into_iter().chain([self.time()]).collect();
        Ok(self.audience.enter(first))
    }

    /// A finished game as JSON.
    pub fn game(&self, id: GameId) -> Option<String> {
        self.watched.game(id)
    }

    /// The explanation of a ruling as JSON.
    pub fn ruling(&self, id: GameId) -> Option<String> {
        self.watched.ruling(id)
    }
}
