//! The coordinator: the director's games go out to workers in pairs, a window ahead; what they store comes back
//! in the order of the stream and is journalled as if it had been played here. It judges no game itself and
//! survives its own death, its workers' and the server's. Start at [`conduct`].

mod upkeep;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::Instant;

use super::check::{Expected, check, short, text_of};
use super::engines::{pack, upload};
use super::follow::{Stored, follow};
use super::link::{Address, DEAD, Link, RESULT, RunName, WORK, is_passing};
use super::message::{self, Announcement, Bag, FORMAT, Notice, Seated, Slip, State, read_token, token};
use super::roster::why_aside;
use super::speed::measure;
use super::window::{Unit, Window};
use crate::director::{Assignment, Order};
use crate::game::FaultClass;
use crate::plan::{Entrant, LockRule, Plan};
use crate::record::{Brought, Fleet, GameBegan, GameOver, Tally, What, read_termination};
use crate::runner::PROGRAM;
use crate::runner::hall::{Hall, Halt};
use crate::runner::start::greet;
use crate::runner::unplayed::forfeit;
use crate::tournament::{GameId, GameResult};

/// Pairs that are out for each place at which pairs are played.
pub(super) const AHEAD: usize = 4;

/// Fewest and most pairs that are out.
const WINDOW: std::ops::RangeInclusive<usize> = 8..=4096;

/// Most pairs that are looked for when a result of an earlier life comes in.
const MOST_DERIVED: usize = 20_000;

/// How long a server is waited for that does not answer when a run begins.
const OPENING: Duration = Duration::from_secs(30);

/// Most different lines about workers and the server.
const MOST_TOLD: usize = 10_000;

/// How often the server is asked how things stand.
const TICK: Duration = Duration::from_secs(1);

/// How often pairs are looked for that got lost.
const AUDIT: Duration = Duration::from_secs(10);

/// Over how long games a minute are counted.
const PACE: Duration = Duration::from_secs(300);

/// How long the end of a run waits for a server that is not there.
const FAREWELL: Duration = Duration::from_secs(20);

/// How a run is given to a fleet.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the server is.
    pub address: Address,
    /// Who publishes the run.
    pub publisher: String,
    /// Without a sign of life for so long a pair is given to somebody else.
    pub lease: Duration,
    /// Whether workers scale their clocks by their speed.
    pub scale_clocks: bool,
}

struct Coordinator {
    hall: Rc<Hall>,
    link: Link,
    run: RunName,
    engines: Vec<String>,
    scales: bool,
    window: Window,
    size: usize,
    /// Number of the last stored result that was looked at.
    seen: u64,
    caught_up: bool,
    notice: Notice,
    revision: u64,
    /// What was said last of how the run stands.
    said: Option<Notice>,
    told: BTreeSet<String>,
    ended: VecDeque<(Instant, usize)>,
    audited: Instant,
    audit_now: bool,
    /// Pairs at the server that it did not know of at the last audit.
    forgotten: BTreeSet<(GameId, u8)>,
    /// A test that waits for a pair which nobody brings.
    hopeless: bool,
}

/// Plays the run with a fleet.
///
/// # Errors
/// In words, why it cannot be given to one.
pub async fn conduct(hall: &Rc<Hall>, options: &Options) -> Result<(), String> {
    playable(&hall.plan)?;
    let mut fleet = Coordinator::open(hall, options).await?;
    let results = follow(&fleet.link, RESULT, fleet.run.result("*"), fleet.seen);
    let dead = follow(
        &fleet.link,
        DEAD,
        format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{WORK}.{}", fleet.run.consumer()),
        0,
    );
    fleet.conduct(results, dead).await;
    fleet.close().await;
    Ok(())
}

/// Whether a fleet can play a run.
///
/// # Errors
/// In words, why not.
pub fn playable(plan: &Plan) -> Result<(), String> {
    let why = if let Some(regulation) = plan.regulation {
        format!("it is held under the regulation {}, which wants one hall", regulation.name())
    } else if plan.stages.iter().any(|stage| stage.format.championship().is_some()) {
        "a championship wants one hall".to_owned()
    } else if plan.stages.iter().any(|stage| stage.format.exhibition().is_some()) {
        "an exhibition's master goes from board to board of one hall".to_owned()
    } else if plan.entrants.iter().any(|entrant| !entrant.team.is_empty()) {
        "teams play in one hall".to_owned()
    } else if plan.conduct.lock != LockRule::Off {
        "its engines are locked, which is done in one hall".to_owned()
    } else if plan.entrants.iter().flat_map(Entrant::members).any(|engine| engine.far().is_some()) {
        "persons and remote engines come to one hall".to_owned()
    } else {
        return Ok(());
    };
    Err(format!("this run cannot be given to a fleet: {why}"))
}

impl Coordinator {
    async fn open(hall: &Rc<Hall>, options: &Options) -> Result<Coordinator, String> {
        let (config, opened, seen) = {
            let desk = hall.desk();
            let head = desk.run().head().ok_or("the run has no head")?;
            let fleet = desk.run().fleet();
            let opened = fleet.and_then(|fleet| fleet.opened.clone());
            (head.config.clone(), opened, fleet.map_or(0, |fleet| fleet.stored))
        };
        let packed = pack(&hall.plan, &config)?;
        let link = Link::connect(&options.address, "coordinator").await?;
        let (publisher, name) = opened.unwrap_or_else(|| (options.publisher.clone(), fresh_name(hall)));
        let run = RunName { publisher, name };
        let reference = if options.scale_clocks { reference(hall).await } else { None };
        let announcement = Announcement {
            format: FORMAT,
            program: PROGRAM.to_owned(),
            config: packed.config,
            engines: packed.engines,
            lease_ms: options.lease.as_millis() as u64,
            reference,
        };
        let bytes = message::write(&announcement)?;
        let began = Instant::now();
        // The server may be starting again just now; what it refuses for good it still refuses after a while.
        let known = loop {
            match prepare(&link, &run, &packed.files, &bytes, options.lease).await {
                Ok(known) => break known,
                Err(why) if began.elapsed() > OPENING || !is_passing(&why) => return Err(why),
                Err(_) => tokio::time::sleep(TICK).await,
            }
        };
        let opened = Fleet::Opened { publisher: run.publisher.clone(), name: run.name.clone() };
        hall.record(hall.wall.now(), What::Fleet(opened));
        let aside = known.as_ref().map(|(notice, _)| notice.aside.clone()).unwrap_or_default();
        Ok(Coordinator {
            hall: Rc::clone(hall),
            run,
            engines: announcement.engines.into_iter().map(|spec| spec.id).collect(),
            scales: reference.is_some(),
            window: Window::default(),
            size: *WINDOW.start(),
            seen,
            caught_up: false,
            notice: Notice {
                format: FORMAT,
                state: State::Running,
                reason: String::new(),
                aside,
                decided: 0,
                planned: hall.director.borrow().games(),
                out: 0,
                redelivered: 0,
                dead: 0,
                pace: 0.0,
            },
            revision: known.map_or(0, |(_, revision)| revision),
            said: None,
            told: BTreeSet::new(),
            ended: VecDeque::new(),
            audited: Instant::now(),
            audit_now: false,
            forgotten: BTreeSet::new(),
            hopeless: false,
            link,
        })
    }

    async fn conduct(&mut self, mut results: Receiver<Stored>, mut dead: Receiver<Stored>) {
        let run = self.run.dotted();
        self.hall.say(&format!("fleet: published as {run}"), &format!("机群：以 {run} 发布"));
        let hall = Rc::clone(&self.hall);
        tokio::select! {
            () = self.catch_up(&mut results) => {}
            () = hall.halted() => {}
        }
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let halted = hall.halted();
        tokio::pin!(halted);
        while !self.is_over() {
            self.fill().await;
            tokio::select! {
                Some(stored) = results.recv() => self.result(stored).await,
                Some(stored) = dead.recv() => self.fell_silent(&stored).await,
                _ = ticks.tick() => self.tick().await,
                () = &mut halted => break,
            }
        }
    }

    fn is_over(&self) -> bool {
        let mut director = self.hall.director.borrow_mut();
        self.hopeless || director.is_decided() || (self.window.is_empty() && director.is_exhausted())
    }

    /// Everything that was stored while no coordinator lived is counted before anything is published.
    async fn catch_up(&mut self, results: &mut Receiver<Stored>) {
        let last = loop {
            match self.link.last(RESULT, &self.run.result("*")).await {
                Ok(last) => break last.unwrap_or(0),
                Err(_) => tokio::time::sleep(TICK).await,
            }
        };
        while self.seen < last && !self.is_over_by_test() {
            match results.recv().await {
                Some(stored) => self.result(stored).await,
                None => break,
            }
        }
        self.caught_up = true;
    }

    fn is_over_by_test(&self) -> bool {
        self.hall.director.borrow().is_decided()
    }

    /// Takes games of the director until so many pairs are not back.
    fn derive(&mut self, many: usize) {
        while self.window.len() < many {
            let order = self.hall.director.borrow_mut().next_order();
            match order {
                Order::Play(assignment) => self.window.push(assignment),
                Order::Forfeit(assignment, loser) => forfeit(&self.hall, &assignment, loser, "withdrawn"),
                // An exhibition is no run for a fleet (see `playable`).
                Order::Display(_) | Order::Wait | Order::Finished => return self.window.flush(),
            }
        }
    }

    /// Publishes pairs until the window is full. What cannot be published now is tried again at the next tick.
    async fn fill(&mut self) {
        if self.notice.state != State::Running {
            return;
        }
        self.derive(self.size);
        while let Some((id, unit)) = self.window.next(self.size) {
            let issue = {
                let desk = self.hall.desk();
                let known = desk.run().fleet().and_then(|fleet| fleet.issues.get(&id).copied());
                unit.issue.max(known.unwrap_or(1))
            };
            let token = token(id, issue);
            let message_id = format!("{}/{token}", self.run.dotted());
            let slip = match message::write(&self.slip(unit)) {
                Ok(slip) => slip,
                Err(why) => return self.give_up(id, &why),
            };
            self.window.set_issue(id, issue);
            match self.link.publish(self.run.work(&token), &message_id, slip).await {
                Ok(known) => {
                    self.window.set_published(id);
                    // Published in an earlier life: whether it is still there is looked at soon.
                    self.audit_now |= known;
                }
                Err(why) => return self.say_once(&why),
            }
        }
    }

    fn slip(&self, unit: &Unit) -> Slip {
        let seated =
            |game: &Assignment| Seated { game: game.id, red: game.seats.red, black: game.seats.black };
        let opening = unit.games.first().and_then(|game| self.hall.plan.openings.opening(game.opening));
        Slip { format: FORMAT, games: unit.games.iter().map(seated).collect(), opening: opening.map(text_of) }
    }

    fn record(&self, event: Fleet) {
        self.hall.record(self.hall.wall.now(), What::Fleet(event));
    }

    fn say_once(&mut self, text: &str) {
        // Names and reasons come from the network: not for ever.
        if self.told.len() < MOST_TOLD && self.told.insert(text.to_owned()) {
            self.hall.say(&format!("fleet: {text}"), &format!("机群：{text}"));
        }
    }

    /// Takes what is stored under a subject.
    async fn result(&mut self, stored: Stored) {
        self.seen = self.seen.max(stored.number);
        let read = stored.subject.rsplit('.').next().and_then(read_token);
        let Some((id, issue)) = read else {
            let reason = "its subject names no pair".to_owned();
            return self.record(Fleet::Refused { stored: stored.number, worker: String::new(), reason });
        };
        if !self.caught_up && !self.is_waited_for(id) && self.hall.desk().run().attempt(id).is_none() {
            self.derive_until(id);
        }
        let Some(key) = self.key(id) else {
            // A second result of a pair that is counted, or one that nobody asked for: it stays in the stream.
            return;
        };
        let bag = message::read::<Bag>(&stored.bytes);
        let worker = bag.as_ref().map(|bag| short(&bag.worker)).unwrap_or_default();
        let unit_games = self.window.get(key).map(|unit| unit.games.clone()).unwrap_or_default();
        let checked = bag.and_then(|mut bag| {
            // One of the games may be in the journal already: the coordinator died between the two.
            let wanted: BTreeSet<GameId> = unit_games.iter().map(|game| game.id).collect();
            if key != id && bag.games.len() == 2 {
                bag.games.retain(|over| wanted.contains(&over.game));
                bag.notes.retain(|note| note.game.is_some_and(|game| wanted.contains(&game)));
            }
            let expected = Expected {
                plan: &self.hall.plan,
                program: PROGRAM,
                engines: &self.engines,
                scales: self.scales,
            };
            check(&bag, &unit_games, &expected).map(|()| bag)
        });
        match checked {
            Ok(bag) => self.accept(key, bag, stored.number),
            Err(reason) => {
                let refused = Fleet::Refused { stored: stored.number, worker: worker.clone(), reason };
                self.record(refused);
                self.look_at(&worker);
                self.give_again(key, issue, "its result could not be", false).await;
            }
        }
    }

    fn is_waited_for(&self, id: GameId) -> bool {
        self.key(id).is_some()
    }

    /// The pair that a result belongs to: by its first game, or by its second if the first is journalled.
    fn key(&self, id: GameId) -> Option<GameId> {
        let second = GameId { leg: id.leg.saturating_add(1), ..id };
        let known = self.hall.desk().run().attempt(id).is_some();
        let by_second = || (known && self.window.get(second).is_some()).then_some(second);
        self.window.get(id).map(|_| id).or_else(by_second)
    }

    fn derive_until(&mut self, id: GameId) {
        while !self.is_waited_for(id) && self.window.len() < MOST_DERIVED {
            let before = self.window.len();
            self.derive(before + 1);
            if self.window.len() == before {
                return;
            }
        }
    }

    /// A pair counts: its games are journalled in one go, then who brought them.
    fn accept(&mut self, key: GameId, bag: Bag, number: u64) {
        self.window.take(key);
        let fault = |over: &GameOver| read_termination(&over.termination).ok().and_then(|end| end.fault());
        let faults: Vec<FaultClass> = bag.games.iter().filter_map(fault).collect();
        let brought = Brought {
            stored: number,
            worker: bag.worker.clone(),
            games: bag.games.iter().map(|over| over.game).collect(),
            time_losses: faults.iter().filter(|class| matches!(class, FaultClass::Time)).count() as u32,
            faults: faults.len() as u32,
            deliveries: bag.deliveries,
            speed: bag.speed,
            scale: bag.scale,
            played_us: bag.played_us,
            waited_us: bag.waited_us,
        };
        self.ended.push_back((Instant::now(), bag.games.len()));
        let mut notes = bag.notes;
        for over in bag.games {
            let at = self.hall.wall.now();
            self.hall.record(at, What::GameBegan(began(&over)));
            for note in notes.extract_if(.., |note| note.game == Some(over.game)) {
                self.hall.record(at, What::Noted(note));
            }
            self.count(over);
        }
        self.record(Fleet::Brought(brought));
        self.look_at(&bag.worker);
        if self.hall.director.borrow().is_decided() {
            self.hall.stop(Halt::Now);
        }
    }

    fn count(&self, over: GameOver) {
        let index = |name: &str| self.hall.desk().run().index_of(name);
        let ends = (index(&over.red), index(&over.black));
        let outcome = read_termination(&over.termination).ok().and_then(|end| end.outcome());
        let (id, now) = (over.game, self.hall.wall.now());
        self.hall.record(now, What::GameOver(Box::new(over)));
        if let (Some(red), Some(black)) = ends {
            let result = outcome.map(|outcome| GameResult { id, red, black, outcome });
            let mut director = self.hall.director.borrow_mut();
            director.over(id, result);
            director.failures_on_end(self.hall.desk().run().failures_on_end());
        }
    }

    /// Puts a worker aside if it gives reason to.
    fn look_at(&mut self, worker: &str) {
        if worker.is_empty() || self.notice.aside.iter().any(|known| known == worker) {
            return;
        }
        let why = {
            let desk = self.hall.desk();
            let Some(fleet) = desk.run().fleet() else { return };
            let all: Vec<Tally> = fleet.workers.values().copied().collect();
            fleet.workers.get(worker).and_then(|own| why_aside(own, &all))
        };
        if let Some(reason) = why {
            self.notice.aside.push(worker.to_owned());
            self.record(Fleet::PutAside { worker: worker.to_owned(), reason });
        }
    }

    /// Gives a pair out again, unless that was done too often.
    async fn give_again(&mut self, key: GameId, issue: u8, reason: &str, fell_silent: bool) {
        let subject = self.run.work(&token(key, issue));
        // Whoever has the old one plays in vain; if it cannot be removed now, so does the next.
        let _ = self.link.take_back(&subject).await;
        match self.window.again(key, fell_silent) {
            Some(issue) => {
                self.record(Fleet::Issued { game: key, issue, reason: reason.to_owned() });
            }
            None => self.give_up(key, reason),
        }
    }

    /// A pair is not given out any more in this life of the coordinator.
    fn give_up(&mut self, key: GameId, reason: &str) {
        let Some(unit) = self.window.take(key) else { return };
        for game in &unit.games {
            self.hall.director.borrow_mut().abandoned(game.id);
        }
        self.record(Fleet::Dead { game: key, reason: reason.to_owned() });
        // A test counts pairs in their order: without this one it never ends.
        self.hopeless |= self.hall.plan.sprt.is_some();
    }
}

/// Makes everything at the server ready for a run. Gives how it stood there.
async fn prepare(
    link: &Link,
    run: &RunName,
    files: &BTreeMap<String, PathBuf>,
    announcement: &[u8],
    lease: Duration,
) -> Result<Option<(Notice, u64)>, String> {
    link.furnish().await?;
    upload(link, files).await?;
    link.announce(run, announcement.to_vec()).await?;
    link.hand_out(run, lease).await?;
    link.notice(run).await
}

fn began(over: &GameOver) -> GameBegan {
    let opening: Vec<&str> = over.moves.split_ascii_whitespace().take(over.opening_plies as usize).collect();
    GameBegan {
        game: over.game,
        red: over.red.clone(),
        black: over.black.clone(),
        fen: over.fen.clone(),
        opening: opening.join(" "),
        locks: None,
        date: over.date.clone(),
    }
}

/// A name that no other run has: of its time, its process and its folder.
fn fresh_name(hall: &Hall) -> String {
    use sha2::{Digest as _, Sha256};
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    let text = format!("{:?} {} {}", now, std::process::id(), hall.desk().dir().display());
    let hash = Sha256::digest(text);
    let hex: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{hex}", chrono::Local::now().format("%m%d"))
}

/// How fast the first entrant's engine is here.
async fn reference(hall: &Rc<Hall>) -> Option<u64> {
    let entrant = hall.plan.entrants.first()?;
    let mut idle = greet(&hall.spawner, &entrant.engine, &[], &hall.wall, None, &mut |_| ()).await.ok()?;
    let speed = measure(&mut idle, &entrant.engine, &hall.wall).await;
    hall.quit(idle);
    speed
}
