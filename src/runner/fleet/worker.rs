//! The worker: looks for runs, joins those it can and may play, and plays their pairs in its places with the same
//! tables and referee as a run at home. Says that a pair lives only while its game's loop does what it said.
//! Start at [`work`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::Instant;

use super::engines::Cabinet;
use super::joined::{Joined, join};
use super::link::{Address, Link, RunName};
use super::message::{Card, FORMAT, Notice, State};
use super::pair::{Pair, play_pair};
use crate::runner::PROGRAM;
use crate::runner::event::{Ended, RunError};
use crate::runner::hall::{Halt, ground};
use crate::runner::host::host;
use crate::runner::spawner::Spawner;
use crate::runner::wall::Wall;
use crate::time::At;

/// How often a worker looks how runs stand.
const LOOK: Duration = Duration::from_secs(1);

/// How often it says that it is there.
const CARD: Duration = Duration::from_secs(10);

/// How long a place waits when there is nothing to play.
const IDLE: Duration = Duration::from_millis(200);

/// How long it waits after the server did not answer.
const AGAIN: Duration = Duration::from_millis(500);

/// How a worker works.
#[derive(Debug)]
pub struct Options {
    /// Where the server is.
    pub address: Address,
    /// Its name.
    pub name: String,
    /// Pairs it plays at once.
    pub slots: u32,
    /// Folder with manifests of its own engines.
    pub engines: Option<PathBuf>,
    /// Publishers whose engines may be fetched and run.
    pub allow: Vec<String>,
    /// Where fetched engines are kept.
    pub cache: PathBuf,
    /// It ends after so long without a pair.
    pub idle_exit: Option<Duration>,
    /// Whether it prints only what is wrong.
    pub quiet: bool,
}

/// What all places of a worker share.
pub struct Worker {
    /// How it works.
    pub options: Options,
    /// The server.
    pub link: Link,
    /// Its engines.
    pub cabinet: Cabinet,
    /// Starts them.
    pub spawner: Spawner,
    /// Its clock.
    pub wall: Wall,
    joined: RefCell<BTreeMap<RunName, Rc<Joined>>>,
    refused: RefCell<BTreeMap<RunName, (Vec<u8>, String)>>,
    halt: watch::Sender<Halt>,
    busy: Cell<u32>,
    /// When a pair was played last.
    worked: Cell<Instant>,
}

/// Works until it is told to stop, or has nothing to do for too long.
///
/// # Errors
/// Why it cannot.
pub fn work(options: Options) -> Result<Ended, RunError> {
    let (runtime, spawner) = ground()?;
    let cabinet = Cabinet::open(options.engines.as_deref(), options.allow.clone(), options.cache.clone());
    let cabinet = cabinet.map_err(RunError::Fleet)?;
    LocalSet::new().block_on(&runtime, async move {
        let link = Link::connect(&options.address, &options.name).await.map_err(RunError::Fleet)?;
        let worker = Rc::new(Worker {
            options,
            link,
            cabinet,
            spawner,
            wall: Wall::starting_at(At::ZERO),
            joined: RefCell::default(),
            refused: RefCell::default(),
            halt: watch::Sender::new(Halt::No),
            busy: Cell::new(0),
            worked: Cell::new(Instant::now()),
        });
        Ok(worker.hold().await)
    })
}

impl Worker {
    async fn hold(self: Rc<Self>) -> Ended {
        let slots = self.options.slots;
        self.say(&format!("worker {}: {slots} at once; waiting for runs", self.options.name));
        let listening = tokio::task::spawn_local(listen(Rc::clone(&self)));
        let looking = tokio::task::spawn_local(look(Rc::clone(&self)));
        let mut places = JoinSet::new();
        for number in 0..slots as usize {
            places.spawn_local(place(Rc::clone(&self), number));
        }
        places.join_all().await;
        looking.abort();
        listening.abort();
        let joined = std::mem::take(&mut *self.joined.borrow_mut());
        for joined in joined.into_values() {
            joined.leave().await;
        }
        self.link.remove_card(&self.options.name).await;
        self.link.flush().await;
        let stopped = *self.halt.borrow() != Halt::No;
        if stopped && !self.is_idle_too_long() { Ended::Interrupted } else { Ended::Complete }
    }

    /// Says something to people.
    pub fn say(&self, text: &str) {
        use std::io::Write as _;
        if !self.options.quiet {
            // Whoever reads may be gone; the worker works on.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    /// Waits until running pairs are to be broken off.
    pub async fn broken_off(&self) {
        let mut halt = self.halt.subscribe();
        let _ = halt.wait_for(|halt| *halt == Halt::Now).await;
    }

    fn is_idle_too_long(&self) -> bool {
        let idle = self.options.idle_exit;
        self.busy.get() == 0 && idle.is_some_and(|most| self.worked.get().elapsed() >= most)
    }

    fn stop(&self, halt: Halt) {
        self.halt.send_if_modified(|now| {
            let more = halt > *now;
            *now = halt.max(*now);
            more
        });
    }

    fn card(&self) -> Card {
        let host = host();
        let joined = self.joined.borrow();
        Card {
            format: FORMAT,
            program: PROGRAM.to_owned(),
            slots: self.options.slots,
            busy: self.busy.get(),
            threads: host.threads,
            cpu: host.cpu,
            joined: joined.iter().map(|(run, joined)| (run.dotted(), joined.speed)).collect(),
            refused: self
                .refused
                .borrow()
                .iter()
                .map(|(run, (_, why))| (run.dotted(), why.clone()))
                .collect(),
        }
    }

    /// Brings what it knows of runs up to what the server says.
    async fn follow(self: &Rc<Self>) -> Result<bool, String> {
        let runs = self.link.runs().await?;
        let mut changed = false;
        for (run, notice) in &runs {
            let known = self.joined.borrow().get(run).cloned();
            match (known, notice.state) {
                (Some(joined), State::Running | State::Paused) => self.update(run, &joined, notice),
                (Some(joined), State::Stopped | State::Cancelled) => {
                    self.say(&format!("{}: {} {}", run.dotted(), word(notice.state), notice.reason));
                    self.part(run, &joined).await;
                    changed = true;
                }
                (None, State::Running) => changed |= self.try_to_join(run, notice).await?,
                (None, State::Paused | State::Stopped | State::Cancelled) => {}
            }
        }
        let gone: Vec<_> = {
            let joined = self.joined.borrow();
            let gone = joined.iter().filter(|(run, _)| !runs.contains_key(*run));
            gone.map(|(run, joined)| (run.clone(), Rc::clone(joined))).collect()
        };
        for (run, joined) in gone {
            self.say(&format!("{}: it is gone", run.dotted()));
            self.part(&run, &joined).await;
            changed = true;
        }
        self.refused.borrow_mut().retain(|run, _| runs.contains_key(run));
        Ok(changed)
    }

    fn update(&self, run: &RunName, joined: &Joined, notice: &Notice) {
        let aside = notice.aside.contains(&self.options.name);
        if aside && !joined.aside.replace(true) {
            self.say(&format!("{}: this worker was put aside and gets no more pairs", run.dotted()));
        }
        let paused = notice.state == State::Paused;
        if joined.paused.replace(paused) != paused {
            self.say(&format!("{}: {}", run.dotted(), if paused { "paused" } else { "goes on" }));
        }
    }

    async fn part(&self, run: &RunName, joined: &Rc<Joined>) {
        self.joined.borrow_mut().remove(run);
        joined.leave().await;
    }

    async fn try_to_join(self: &Rc<Self>, run: &RunName, notice: &Notice) -> Result<bool, String> {
        let Some(announced) = self.link.announcement(run).await? else { return Ok(false) };
        let known = self.refused.borrow().get(run).is_some_and(|(bytes, _)| *bytes == announced);
        if known || *self.halt.borrow() != Halt::No {
            return Ok(false);
        }
        match join(self, run, &announced).await {
            Ok(joined) => {
                let speed = joined.speed.map_or(String::new(), |speed| format!("; {speed} nodes a second"));
                self.say(&format!("{}: joined{speed}", run.dotted()));
                self.update(run, &joined, notice);
                self.refused.borrow_mut().remove(run);
                self.joined.borrow_mut().insert(run.clone(), Rc::new(joined));
            }
            Err(why) => {
                eprintln!("{}: refused: {why}", run.dotted());
                self.refused.borrow_mut().insert(run.clone(), (announced, why));
            }
        }
        Ok(true)
    }

    /// A run of which a pair can be begun, each place in its own turn.
    fn choose(&self, turn: usize) -> Option<Rc<Joined>> {
        let joined = self.joined.borrow();
        let open: Vec<_> = joined.values().filter(|joined| joined.is_open()).collect();
        open.get(turn % open.len().max(1)).map(|joined| Rc::clone(joined))
    }
}

fn word(state: State) -> &'static str {
    match state {
        State::Running => "running",
        State::Paused => "paused",
        State::Stopped => "over:",
        State::Cancelled => "stopped:",
    }
}

/// Looks how runs stand, for ever.
async fn look(worker: Rc<Worker>) {
    let mut said: Option<(Instant, u32)> = None;
    let mut silent = false;
    loop {
        match worker.follow().await {
            Ok(changed) => {
                silent = false;
                let busy = worker.busy.get();
                if changed || said.is_none_or(|(when, then)| when.elapsed() >= CARD || then != busy) {
                    let put = worker.link.put_card(&worker.options.name, &worker.card()).await;
                    said = put.is_ok().then(|| (Instant::now(), busy));
                }
            }
            Err(why) if !silent => {
                silent = true;
                eprintln!("warning: {why}");
            }
            Err(_) => {}
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// One of the places at which pairs are played.
async fn place(worker: Rc<Worker>, number: usize) {
    let mut turn = number;
    let mut empty = Instant::now();
    loop {
        if *worker.halt.borrow() != Halt::No || worker.is_idle_too_long() {
            return;
        }
        let Some(joined) = worker.choose(turn) else {
            tokio::time::sleep(IDLE).await;
            continue;
        };
        let message = match joined.next_pair().await {
            Ok(Some(message)) => message,
            Ok(None) => {
                turn += 1;
                continue;
            }
            Err(_) => {
                tokio::time::sleep(AGAIN).await;
                continue;
            }
        };
        if *worker.halt.borrow() != Halt::No {
            joined.give_back(&message).await;
            return;
        }
        worker.busy.set(worker.busy.get() + 1);
        let waited = empty.elapsed();
        play_pair(Pair { worker: &worker, joined: &joined, message, waited }).await;
        worker.busy.set(worker.busy.get() - 1);
        worker.worked.set(Instant::now());
        empty = Instant::now();
    }
}

/// First signal: running pairs are finished, none is begun. Second: they are given back. Third: leave at once.
async fn listen(worker: Rc<Worker>) {
    let (Ok(mut interrupts), Ok(mut terms)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    for signals in 1.. {
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = terms.recv() => {}
        }
        match signals {
            1 => {
                worker.say("stopping: running pairs are finished; once more gives them back");
                worker.stop(Halt::Drain);
            }
            2 => {
                worker.say("giving running pairs back");
                worker.stop(Halt::Now);
            }
            _ => std::process::exit(130),
        }
    }
}
