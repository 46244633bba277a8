//! The hall: what all tables of a run share: clock, journal, director, idle engines, and the word to
//! stop. Everything runs on one thread; nothing here waits. Start at [`Hall`].

use std::cell::{Cell, RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::JoinSet;

use super::affinity::Cores;
use super::delays::Delays;
use super::desk::Desk;
use super::event::{RunError, system};
use super::fleet::Tap;
use super::live::{Feed, Message};
use super::lock::{Admission, Vault, changed};
use super::process::EngineProcess;
use super::spawner::Spawner;
use super::store::TRANSCRIPTS;
use super::trace::{Traced, Tracer};
use super::transcript::Transcript;
use super::wall::Wall;
use crate::director::Director;
use crate::engine::Session;
use crate::plan::Plan;
use crate::record::{Noted, Unfinished, What};
use crate::time::At;
use crate::tournament::GameId;

/// How far a stop has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Halt {
    /// Play on.
    No,
    /// Finish the running games, start none.
    Drain,
    /// Break off the running games.
    Now,
}

/// An engine between games.
#[derive(Debug)]
pub struct Idle {
    /// Its process.
    pub process: EngineProcess,
    /// Its session.
    pub session: Session,
}

/// Whose engine it is: the entrant, the member of its team (from 0), and the place at which it is used, which
/// is 0 for all where games are not bound to cores.
pub type Whose = (usize, usize, usize);

/// That games are under way, until this goes.
#[derive(Debug)]
pub struct Seated<'a> {
    hall: &'a Hall,
    /// Told when they are to be broken off and all others go on.
    pub apart: Rc<Notify>,
}

impl Drop for Seated<'_> {
    fn drop(&mut self) {
        self.hall.seated.borrow_mut().retain(|(_, apart)| !Rc::ptr_eq(apart, &self.apart));
    }
}

/// What all tables share.
#[derive(Debug)]
pub struct Hall {
    /// The clock.
    pub wall: Wall,
    /// Starts engines.
    pub spawner: Spawner,
    /// The processor cores of each place at which games are played.
    pub cores: Cores,
    /// No game begins before, where beginnings are kept apart.
    next_beginning: Cell<Option<tokio::time::Instant>>,
    /// What is played.
    pub plan: Arc<Plan>,
    /// Which game is next.
    pub director: RefCell<Director>,
    /// Told when a game ended or the halt changed: waiting slots look again.
    pub changed: Notify,
    /// Where events go instead of the journal, on a worker of a fleet.
    pub tap: Option<Tap>,
    /// The live page, if there is one.
    pub live: Option<Feed>,
    /// The trace, if one is kept.
    pub trace: Option<Tracer>,
    desk: RefCell<Desk>,
    /// The copies of engines that are locked, and the stage for which all of them were read last.
    vault: RefCell<(Vault, u8)>,
    idle: RefCell<BTreeMap<Whose, Vec<Idle>>>,
    /// When the chief referee admitted the changed files of an entrant: what was started before is what it was.
    admitted: RefCell<BTreeMap<usize, Instant>>,
    halt: watch::Sender<Halt>,
    failure: RefCell<Option<RunError>>,
    /// How late the runner itself was.
    pub delays: Delays,
    /// Entrants of whose work in idle time was told.
    busy: RefCell<BTreeSet<usize>>,
    unfinished: RefCell<BTreeMap<GameId, Unfinished>>,
    transcripts: Option<PathBuf>,
    next_transcript: RefCell<Vec<u32>>,
    closing: RefCell<JoinSet<()>>,
    /// Games under way, each with what breaks it off alone.
    seated: RefCell<Vec<(GameId, Rc<Notify>)>>,
    /// Whether it was said that the run waits for the referee's desk.
    waiting: Cell<bool>,
    /// Held by whoever makes room for another process, and how often that was done.
    room: Mutex<()>,
    rooms: Cell<u32>,
}

/// What every hall stands on: the runtime of its one thread, and the thread that starts engines with its watchdog.
///
/// # Errors
/// What the system refuses.
pub fn ground() -> Result<(Runtime, Spawner), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(system("start the runtime"))?;
    let spawner = Spawner::start().map_err(system("start the spawning thread and the watchdog"))?;
    Ok((runtime, spawner))
}

impl Hall {
    /// A hall for a run whose journal is open at `desk`.
    pub fn new(
        plan: Arc<Plan>,
        wall: Wall,
        (spawner, cores): (Spawner, Cores),
        director: Director,
        desk: Desk,
        trace: Option<Tracer>,
        vault: Vault,
    ) -> Hall {
        let entrants = plan.entrants.len();
        let unfinished = desk.run().going_on(plan.conduct.grain);
        let live = desk.live().cloned();
        live.iter().for_each(|live| live.tell(Message::Clock(wall.face())));
        let transcripts = plan.conduct.transcripts.then(|| desk.dir().join(TRANSCRIPTS));
        Hall {
            wall,
            spawner,
            cores,
            next_beginning: Cell::new(None),
            director: RefCell::new(director),
            changed: Notify::new(),
            tap: None,
            live,
            trace,
            desk: RefCell::new(desk),
            vault: RefCell::new((vault, 0)),
            idle: RefCell::new(BTreeMap::new()),
            admitted: RefCell::new(BTreeMap::new()),
            halt: watch::Sender::new(Halt::No),
            failure: RefCell::new(None),
            delays: Delays::of_this_thread(),
            busy: RefCell::new(BTreeSet::new()),
            unfinished: RefCell::new(unfinished),
            transcripts,
            next_transcript: RefCell::new(vec![0; entrants]),
            closing: RefCell::new(JoinSet::new()),
            seated: RefCell::new(Vec::new()),
            waiting: Cell::new(false),
            room: Mutex::new(()),
            rooms: Cell::new(0),
            plan,
        }
    }

    /// Records an event that happened at `at`. If the journal cannot take it the run stops at once.
    pub fn record(&self, at: At, what: What) {
        if let Some(tap) = &self.tap {
            return tap.record(what);
        }
        if self.failure.borrow().is_some() {
            return;
        }
        if let Err(error) = self.desk.borrow_mut().record(at, what) {
            self.fail(error.into());
        }
    }

    /// Records what the runner itself saw and no machine of a game decided; a trace needs it too.
    pub fn remark(&self, at: At, noted: Noted) {
        if let Some(trace) = &self.trace {
            trace.write(&Traced::Noted { at, noted: noted.clone() });
        }
        self.record(at, What::Noted(noted));
    }

    /// Whether it is told for the first time that an entrant's engine works while nothing is asked of it.
    pub fn first_busy(&self, entrant: usize) -> bool {
        self.busy.borrow_mut().insert(entrant)
    }

    /// Something failed that is ours: the run stops at once, running games are abandoned. The first failure
    /// counts.
    pub fn fail(&self, error: RunError) {
        self.failure.borrow_mut().get_or_insert(error);
        self.stop(Halt::Now);
    }

    /// The game of this number as it stood when the runner stopped, where moves are journalled.
    pub fn take_unfinished(&self, id: GameId) -> Option<Unfinished> {
        self.unfinished.borrow_mut().remove(&id)
    }

    /// These games, played as one, are under way from now on.
    pub fn seated(&self, games: &[GameId]) -> Seated<'_> {
        let apart = Rc::new(Notify::new());
        self.seated.borrow_mut().extend(games.iter().map(|game| (*game, Rc::clone(&apart))));
        Seated { hall: self, apart }
    }

    /// Breaks these games off, and those that are played as one with them, while all others go on: nothing is
    /// recorded of them any more. Where moves are journalled they go on later from where they stand.
    pub fn break_off(&self, games: &[GameId]) {
        let seated = self.seated.borrow();
        for (_, apart) in seated.iter().filter(|(game, _)| games.contains(game)) {
            apart.notify_one();
            let together = seated.iter().filter(|(_, other)| Rc::ptr_eq(other, apart));
            together.for_each(|(game, _)| self.director.borrow_mut().set_aside(*game));
        }
        games.iter().for_each(|game| self.director.borrow_mut().set_aside(*game));
    }

    /// The referee's desk has spoken and the journal has it: what is due follows from the run anew.
    pub fn reconsider(&self) {
        let decided = {
            let (desk, mut director) = (self.desk.borrow(), self.director.borrow_mut());
            director.reconsider(desk.run());
            let running: Vec<GameId> = director.running().map(|(id, _)| id).collect();
            let mut unfinished = desk.run().going_on(self.plan.conduct.grain);
            unfinished.retain(|id, _| !running.contains(id));
            *self.unfinished.borrow_mut() = unfinished;
            director.is_decided()
        };
        if decided {
            self.stop(Halt::Now);
        }
        self.changed.notify_waiters();
    }

    /// Says so when nothing can go on without the referee's desk.
    pub fn tell_waiting(&self) {
        let waits = self.director.borrow().waits_for_desk();
        if self.waiting.replace(waits) != waits && waits {
            self.say("the run waits for the referee's desk", "比赛等待裁判席裁定");
        }
    }

    /// Says something to people beside the progress, in English or in Chinese.
    pub fn say(&self, english: &str, chinese: &str) {
        if let Some(gallery) = self.desk.borrow().gallery() {
            gallery.say(english, chinese);
        }
    }

    /// Removes the progress bar, for an exit at once, and waits a moment until that is done.
    pub fn clear_display(&self) {
        if let Some(gallery) = self.desk.borrow().gallery() {
            gallery.clear();
        }
    }

    /// The desk, for the head and the end of the run.
    pub fn desk(&self) -> RefMut<'_, Desk> {
        self.desk.borrow_mut()
    }

    /// What failed, if anything did.
    pub fn failure(&self) -> Option<RunError> {
        self.failure.borrow_mut().take()
    }

    /// Stops the run; never takes a stop back.
    pub fn stop(&self, halt: Halt) {
        self.halt.send_if_modified(|now| {
            let more = halt > *now;
            *now = halt.max(*now);
            more
        });
        self.director.borrow_mut().stop();
        if let Some(trace) = &self.trace {
            trace.write(&Traced::Stopped);
        }
        self.changed.notify_waiters();
    }

    /// How far a stop has gone.
    pub fn halt(&self) -> Halt {
        *self.halt.borrow()
    }

    /// Waits until no further game is to be started.
    pub async fn halted(&self) {
        let mut halt = self.halt.subscribe();
        let _ = halt.wait_for(|halt| *halt > Halt::No).await;
    }

    /// Waits until running games are to be broken off.
    pub async fn broken_off(&self) {
        let mut halt = self.halt.subscribe();
        let _ = halt.wait_for(|halt| *halt == Halt::Now).await;
    }

    /// The place by which idle engines are kept: a running engine stays on its cores.
    pub fn home(&self, place: usize) -> usize {
        if self.cores.is_bound() { place } else { 0 }
    }

    /// An idle engine that is still alive.
    pub fn take_idle(&self, whose: Whose) -> Option<Idle> {
        loop {
            let idle = self.idle.borrow_mut().get_mut(&whose)?.pop()?;
            if idle.process.exit_status().is_none() {
                return Some(idle);
            }
            self.close(idle.process, false);
        }
    }

    /// An engine is free for its next game; returns the number of its process. One that was started before the
    /// changed files of its entrant were admitted quits.
    pub fn give_idle(&self, whose: Whose, mut idle: Idle) -> Option<u32> {
        if self.admitted.borrow().get(&whose.0).is_some_and(|since| idle.process.started() < *since) {
            self.quit(idle);
            return None;
        }
        idle.process.rest();
        let number = idle.process.number();
        self.idle.borrow_mut().entry(whose).or_default().push(idle);
        Some(number)
    }

    /// The chief referee lets an entrant play on with its files as they are now: from its next game on they are
    /// what plays, and no process of before.
    pub fn admit(&self, entrant: usize, admission: Admission) {
        self.vault().admit(entrant, admission);
        self.admitted.borrow_mut().insert(entrant, Instant::now());
        let is_own = |whose: &Whose| whose.0 == entrant;
        let own: Vec<Idle> = {
            let mut idle = self.idle.borrow_mut();
            let places: Vec<Whose> = idle.keys().copied().filter(is_own).collect();
            places.iter().filter_map(|whose| idle.remove(whose)).flatten().collect()
        };
        own.into_iter().for_each(|idle| self.quit(idle));
    }

    /// Waits until a game may begin, where beginnings are kept apart; false if none may any more.
    pub async fn may_begin(&self) -> bool {
        let stagger = self.plan.conduct.stagger;
        if stagger.is_zero() {
            return true;
        }
        loop {
            let now = tokio::time::Instant::now();
            match self.next_beginning.get().filter(|next| *next > now) {
                // Another one may begin at that moment; then it is looked again.
                Some(next) if !self.sleep_until(next).await => return false,
                Some(_) => {}
                None => {
                    self.next_beginning.set(Some(now + stagger));
                    return true;
                }
            }
        }
    }

    /// A place rests between two games, unless the run is stopped.
    pub async fn rest(&self) {
        let pause = self.plan.conduct.pause;
        if !pause.is_zero() {
            self.sleep_until(tokio::time::Instant::now() + pause).await;
        }
    }

    /// False if the run was stopped before.
    async fn sleep_until(&self, moment: tokio::time::Instant) -> bool {
        let mut halt = self.halt.subscribe();
        tokio::select! {
            biased;
            _ = halt.wait_for(|halt| *halt != Halt::No) => false,
            () = tokio::time::sleep_until(moment) => true,
        }
    }

    /// The copies of locked engines.
    pub fn vault(&self) -> RefMut<'_, Vault> {
        RefMut::map(self.vault.borrow_mut(), |(vault, _)| vault)
    }

    /// What keeps an entrant from playing: what its engines are made of has changed since it was locked. All
    /// of it is read again when a stage begins.
    pub fn change(&self, entrant: usize, stage: u8) -> Option<String> {
        if self.vault.borrow().1 != stage {
            self.vault.borrow_mut().1 = stage;
            self.read_vault();
        }
        self.vault().change(entrant)
    }

    /// Reads all locked files again and tells what has changed.
    pub fn read_vault(&self) {
        let differ = self.vault().read_again();
        for (entrant, file) in differ {
            let noted = Noted {
                game: None,
                entrant: self.plan.entrants.get(entrant).map(|entrant| entrant.name.clone()),
                kind: "lock_broken".to_owned(),
                text: changed(&file),
            };
            self.remark(self.wall.now(), noted);
        }
    }

    /// Tells that the runner was stopped for so long, and that all clocks stood still meanwhile.
    pub fn tell_stood(&self, stood: Duration) {
        let text = format!("the runner did not run for {} ms; all clocks stood still", stood.as_millis());
        let kind = "runner_stopped".to_owned();
        self.remark(self.wall.now(), Noted { game: None, entrant: None, kind, text });
    }

    /// Ends a process in the background: by patience after `quit`, or by force.
    pub fn close(&self, process: EngineProcess, gently: bool) {
        let mut closing = self.closing.borrow_mut();
        while closing.try_join_next().is_some() {}
        if gently {
            closing.spawn_local(process.finish());
        } else {
            closing.spawn_local(process.kill());
        }
    }

    /// Asks all idle engines to quit and waits until every process is gone.
    pub async fn close_all(&self) {
        self.make_room().await;
    }

    /// Asks all idle engines to quit and waits until they and all others that are ending are gone. Returns
    /// whether there were any: the system may have room for another process now.
    pub async fn make_room(&self) -> bool {
        let before = self.rooms.get();
        let _alone = self.room.lock().await;
        if self.rooms.get() != before {
            // Somebody else has made room while we waited.
            return true;
        }
        let all: Vec<Idle> = std::mem::take(&mut *self.idle.borrow_mut()).into_values().flatten().collect();
        for idle in all {
            self.quit(idle);
        }
        let closing = std::mem::take(&mut *self.closing.borrow_mut());
        let any = !closing.is_empty();
        closing.join_all().await;
        self.rooms.set(before + u32::from(any));
        any
    }

    /// Says `quit` to an engine and ends it.
    pub fn quit(&self, mut idle: Idle) {
        let mut words = Vec::new();
        idle.session.quit(&mut words);
        let written = idle.process.write(&mut words).unwrap_or(false);
        self.close(idle.process, written);
    }

    /// A transcript file for a new process of a member (from 0) of an entrant, if transcripts are kept.
    pub fn transcript(&self, entrant: usize, member: usize) -> Option<Transcript> {
        let log = self.plan.conduct.engine_log.as_ref();
        let Some(folder) = &self.transcripts else {
            // Nobody wants transcripts; the log alone is kept.
            return self.logged(log?, entrant);
        };
        let number = {
            let mut numbers = self.next_transcript.borrow_mut();
            let number = numbers.get_mut(entrant)?;
            *number += 1;
            *number
        };
        std::fs::create_dir_all(folder).ok()?;
        let team = self.plan.entrants.get(entrant).is_some_and(|entrant| !entrant.team.is_empty());
        let member = if team { format!("m{}", member + 1) } else { String::new() };
        let file = folder.join(format!("{}{member}-{number}.txt", entrant + 1));
        let transcript = Transcript::open(&file).ok()?;
        Some(match log.and_then(|log| self.logged(log, entrant)) {
            Some(log) => transcript.beside(log),
            None => transcript,
        })
    }

    /// The log of all engines, for one of them.
    fn logged(&self, log: &str, entrant: usize) -> Option<Transcript> {
        let name = self.plan.entrants.get(entrant).map(|entrant| entrant.name.as_str())?;
        Some(Transcript::open(Path::new(log)).ok()?.named(name))
    }
}
