//! Running an event from its config to its last document: check-in (I.4, III.3, IV.3), slots that play, signals, the end.
//! Start at [`run`] and [`resume`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use tokio::task::LocalSet;

use super::affinity::{Cores, NoCores, cores, unbound};
use super::checkup::play_moves;
use super::descriptors::{self, Shortage};
use super::desk::{Desk, DeskError, fold};
use super::files::{DiskFiles, read_text};
use super::fleet;
use super::hall::{Hall, Halt, ground};
use super::hearing::{attend, go_on_undirected};
use super::host::host;
use super::live::{LINKS, far_seats};
use super::lock::Vault;
use super::manifest;
use super::show::Show;
use super::signals::listen;
use super::slots::play_here;
use super::start::greet;
use super::store::{Store, StoreError};
use super::trace::{Traced, Tracer};
use super::wall::{Wall, date};
use crate::config::{self, Overrides, Problem, Resolved};
use crate::director::{Director, Early, Finish};
use crate::engine::{Far, Manifest};
use crate::plan::{Entrant, Plan};
use crate::record::{CheckedIn, Drawn, FORMAT, Host, Noted, Resumed, Run, RunBegan, Settings, What};
use crate::time::{At, micros};
use crate::tournament::lots;

/// Program and version, for records.
pub const PROGRAM: &str = concat!("chuhe ", env!("CARGO_PKG_VERSION"));

/// What the system may refuse at any time of a run.
pub const STARTING: &str = "start an engine's process";

/// How a run ended, for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything was played.
    Complete,
    /// More engine faults than allowed.
    Faults,
    /// A game waits for the chief referee.
    Held,
    /// Stopped before its end; can be resumed.
    Interrupted,
    /// One engine failed too many times on end.
    EngineFailures,
    /// The time for starting games is over; can be resumed.
    OutOfTime,
}

/// Why a run could not be played.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The config is wrong, in these places.
    #[error("the config has {} problem(s)", .0.len())]
    Config(Vec<Problem>),
    /// An engine did not start.
    #[error("{entrant} would not start: {reason}")]
    NotStarted {
        /// Whose engine.
        entrant: String,
        /// Why.
        reason: String,
        /// Its last lines.
        last_lines: Vec<String>,
    },
    /// The folder or its journal fails.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// A file of the config has changed since the run began.
    #[error("'{0}' has changed since the run began; a resumed run must use the same file")]
    SourceChanged(String),
    /// A trace was asked for of a run with teams.
    #[error("--trace: '{0}' is a team; a trace names the engine of a seat, not which member sits there")]
    TraceOfTeam(String),
    /// An engine cannot be locked.
    #[error("{0}")]
    Lock(String),
    /// The system allows too few open files.
    #[error(transparent)]
    Files(#[from] Shortage),
    /// Games cannot be bound to processor cores as it was asked for.
    #[error(transparent)]
    Cores(#[from] NoCores),
    /// It cannot be given to a fleet, or a worker cannot work.
    #[error("{0}")]
    Fleet(String),
    /// Somebody plays from elsewhere and there is no server to reach.
    #[error(
        "entrant '{0}' plays from elsewhere: begin the run with --live, which prints the links of all seats"
    )]
    NoServer(String),
    /// The system refuses something we cannot do without.
    #[error("cannot {what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> Self {
        RunError::Desk(error.into())
    }
}

/// Reads a config file.
///
/// # Errors
/// All problems of the config.
pub fn read_config(path: &Path, overrides: &Overrides) -> Result<(Resolved, PathBuf), Vec<Problem>> {
    let one = |message: String| vec![Problem::new("", message)];
    let text = read_text(path).map_err(|error| one(format!("cannot read '{}': {error}", path.display())))?;
    let base = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    let resolved = config::read(&text, &base.to_string_lossy(), &DiskFiles, overrides)?;
    Ok((resolved, base))
}

/// Plays a config in a new run folder. Everything the machines are given is written into the file
/// `trace`, if one is named.
///
/// # Errors
/// Why it could not be played (to its end).
pub fn run(
    resolved: &Resolved,
    base: &Path,
    dir: &Path,
    show: Show,
    trace: Option<&Path>,
) -> Result<Ended, RunError> {
    descriptors::check(&resolved.plan)?;
    reachable(&resolved.plan, &show)?;
    let team = resolved.plan.entrants.iter().find(|entrant| !entrant.team.is_empty());
    if let Some(team) = team.filter(|_| trace.is_some()) {
        return Err(RunError::TraceOfTeam(team.name.clone()));
    }
    let trace = trace.map(Tracer::create).transpose().map_err(system("make the trace"))?;
    let cores = cores(&resolved.plan)?;
    let store = Store::create(dir, resolved.plan.conduct.sync)?;
    begin(resolved, base, store, show, Extras { trace, cores: Some(cores), fleet: None })
}

/// Plays a config in a new run folder with the workers of a fleet.
///
/// # Errors
/// Why it could not be played (to its end).
pub fn run_on_fleet(
    resolved: &Resolved,
    base: &Path,
    dir: &Path,
    show: Show,
    fleet: &fleet::Options,
) -> Result<Ended, RunError> {
    fleet::playable(&resolved.plan).map_err(RunError::Fleet)?;
    let store = Store::create(dir, resolved.plan.conduct.sync)?;
    begin(resolved, base, store, show, Extras { fleet: Some(fleet), ..Extras::default() })
}

/// Plays a config without a run folder: nothing is left behind but what `show` makes of it.
///
/// # Errors
/// Why it could not be played (to its end).
pub fn run_unnamed(resolved: &Resolved, base: &Path, show: Show) -> Result<Ended, RunError> {
    descriptors::check(&resolved.plan)?;
    reachable(&resolved.plan, &show)?;
    let cores = cores(&resolved.plan)?;
    begin(resolved, base, Store::unnamed()?, show, Extras { cores: Some(cores), ..Extras::default() })
}

/// Whoever plays from elsewhere needs the server.
fn reachable(plan: &Plan, show: &Show) -> Result<(), RunError> {
    let first = far_seats(plan).into_iter().next().filter(|_| !show.is_live());
    first.map_or(Ok(()), |seat| Err(RunError::NoServer(seat.entrant)))
}

/// What a run may have beside its plan.
#[derive(Default)]
struct Extras<'a> {
    /// Everything the machines are given is written here.
    trace: Option<Tracer>,
    /// The workers that play, in place of this machine.
    fleet: Option<&'a fleet::Options>,
    /// The cores of each place, and what records say of them.
    cores: Option<(Cores, Option<String>)>,
}

fn begin(
    resolved: &Resolved,
    base: &Path,
    store: Store,
    show: Show,
    extras: Extras<'_>,
) -> Result<Ended, RunError> {
    let plan = Arc::new(resolved.plan.clone());
    let bound = extras.cores.as_ref().and_then(|(_, bound)| bound.clone());
    let mut desk = Desk::open(store, Run::new())?;
    desk.open_gallery(show, &plan)?;
    let head = RunBegan {
        format: FORMAT,
        program: PROGRAM.to_owned(),
        settings: Settings::of(&plan),
        config: resolved.config.clone(),
        base: base.to_string_lossy().into_owned(),
        sources: resolved.sources.clone(),
        date: date(),
        host: Host { cores: bound, ..host() },
    };
    desk.record(At::ZERO, What::RunBegan(Box::new(head)))?;
    if let Some(commitment) = &plan.commitment {
        let text = format!(
            "before entries closed this commitment to the seed of the lots was published: {commitment}"
        );
        let kind = "lots_promised".to_owned();
        desk.record(At::ZERO, What::Noted(Noted { game: None, entrant: None, kind, text }))?;
    }
    if let Some(trace) = &extras.trace {
        trace.write(&Traced::Head { at: At::ZERO });
    }
    conduct(&plan, desk, extras)
}

/// Goes on with a run that was stopped.
///
/// # Errors
/// Why it could not be played (to its end).
pub fn resume(dir: &Path, show: Show) -> Result<Ended, RunError> {
    go_on(dir, show, None)
}

/// Goes on with a run that was stopped, with the workers of a fleet.
///
/// # Errors
/// Why it could not be played (to its end).
pub fn resume_on_fleet(dir: &Path, show: Show, fleet: &fleet::Options) -> Result<Ended, RunError> {
    go_on(dir, show, Some(fleet))
}

fn go_on(dir: &Path, show: Show, fleet: Option<&fleet::Options>) -> Result<Ended, RunError> {
    let (run, _) = fold(dir)?;
    let Some(head) = run.head() else { return Err(StoreError::NoRun(dir.to_owned()).into()) };
    let resolved = config::from_value(&head.config, &head.base, &DiskFiles, &Overrides::default());
    let resolved = resolved.map_err(RunError::Config)?;
    if let Some((path, _)) =
        head.sources.iter().find(|(path, hash)| resolved.sources.get(*path) != Some(hash))
    {
        return Err(RunError::SourceChanged(path.clone()));
    }
    let plan = Arc::new(resolved.plan);
    descriptors::check(&plan)?;
    reachable(&plan, &show)?;
    // Locked first, then read again: another runner may have gone on in between.
    let store = Store::open(dir, plan.conduct.sync)?;
    let (run, length) = fold(dir)?;
    let mut store = store;
    store.cut(length)?;
    let over = run.over().is_some();
    let last = run.last();
    let mut desk = Desk::open(store, run)?;
    let finish = Director::new(Arc::clone(&plan), desk.run()).finish();
    let resumed = |host| What::Resumed(Resumed { program: PROGRAM.to_owned(), date: date(), host });
    // A decision of the chief referee may have given an event that was over something to play again, or
    // something to be held.
    if over && finish != Finish::Stopped {
        if finish == Finish::Held {
            desk.record(last, resumed(host()))?;
            desk.record(last, finish.event())?;
        }
        desk.finish()?;
        seal(&desk)?;
        return Ok(verdict(&plan, desk.run(), finish));
    }
    desk.open_gallery(show, &plan)?;
    // On another machine the run goes on as well as it can.
    let (cores, bound) = cores(&plan).unwrap_or_else(|why| (Cores::default(), Some(unbound(&why))));
    desk.record(last, resumed(Host { cores: bound, ..host() }))?;
    go_on_undirected(&mut desk)?;
    conduct(&plan, desk, Extras { cores: Some((cores, None)), fleet, trace: None })
}

/// What the journal of a run folder says. Nothing is written.
///
/// # Errors
/// The journal cannot be read.
pub fn read_run(dir: &Path) -> Result<Run, RunError> {
    Ok(fold(dir)?.0)
}

/// Draws all documents of a run folder again from its journal alone.
///
/// # Errors
/// The folder cannot be read or written.
pub fn redraw(dir: &Path) -> Result<Run, RunError> {
    let (run, _) = fold(dir)?;
    let store = Store::open(dir, crate::plan::Sync::Never)?;
    let mut desk = Desk::open(store, run)?;
    desk.finish()?;
    seal(&desk)?;
    Ok(desk.into_run())
}

/// Writes the event manifest of a run under a regulation: its files are as they will be handed in (I.13).
pub fn seal(desk: &Desk) -> Result<(), StoreError> {
    let under = desk.run().settings().is_some_and(|settings| settings.regulation.is_some());
    if under { manifest::write(desk.dir()) } else { Ok(()) }
}

/// The system refused something.
pub fn system(what: &'static str) -> impl FnOnce(std::io::Error) -> RunError {
    move |error| RunError::System { what, error }
}

fn conduct(plan: &Arc<Plan>, desk: Desk, extras: Extras<'_>) -> Result<Ended, RunError> {
    let Extras { trace, fleet, cores } = extras;
    let cores = cores.map(|(cores, _)| cores).unwrap_or_default();
    let (runtime, spawner) = ground()?;
    let spawner = spawner.with_seats(desk.seats());
    let local = LocalSet::new();
    local.block_on(&runtime, async move {
        let wall = Wall::starting_at(desk.run().last());
        let mut played = (**plan).clone();
        let vault = Vault::fill(&mut played, desk.dir(), desk.run()).map_err(RunError::Lock)?;
        let played = Arc::new(played);
        let director = Director::new(Arc::clone(&played), desk.run());
        let hall = Rc::new(Hall::new(played, wall, (spawner, cores), director, desk, trace, vault));
        let outcome = hold_event(&hall, plan, fleet).await;
        hall.close_all().await;
        if let Some(trace) = &hall.trace {
            trace.finish().map_err(system("write the trace"))?;
        }
        if hall.desk().run().over().is_some() {
            // Nobody sits down any more; what is handed in holds no secrets. A folder without them is as well.
            let _ = std::fs::remove_file(hall.desk().dir().join(LINKS));
        }
        seal(&hall.desk())?;
        outcome
    })
}

async fn hold_event(hall: &Rc<Hall>, plan: &Plan, fleet: Option<&fleet::Options>) -> Result<Ended, RunError> {
    let listening = tokio::task::spawn_local(listen(Rc::clone(hall)));
    let probing = tokio::task::spawn_local({
        let hall = Rc::clone(hall);
        async move { hall.delays.probe(&hall.wall, |stood| hall.tell_stood(stood)).await }
    });
    let timing = tokio::task::spawn_local(watch_budget(Rc::clone(hall)));
    let waiting = hall.desk().take_waiting();
    let hearing = waiting.map(|waiting| {
        hall.director.borrow_mut().attend();
        tokio::task::spawn_local(attend(Rc::clone(hall), waiting))
    });
    let outcome = play_all(hall, plan, fleet).await;
    hearing.into_iter().for_each(|hearing| hearing.abort());
    listening.abort();
    timing.abort();
    probing.abort();
    outcome
}

async fn play_all(hall: &Rc<Hall>, plan: &Plan, fleet: Option<&fleet::Options>) -> Result<Ended, RunError> {
    if !hall.director.borrow_mut().is_exhausted() {
        check_in(hall, plan).await?;
    }
    match fleet {
        Some(fleet) => fleet::conduct(hall, fleet).await.map_err(RunError::Fleet)?,
        None => play_here(hall).await,
    }
    if let Some(error) = hall.failure() {
        return Err(error);
    }
    hall.read_vault();
    let finish = hall.director.borrow_mut().finish();
    let at = hall.wall.now();
    if let Some(trace) = &hall.trace {
        trace.write(&Traced::Finished { at });
    }
    hall.record(at, finish.event());
    let mut desk = hall.desk();
    desk.finish()?;
    Ok(verdict(&hall.plan, desk.run(), finish))
}

fn verdict(plan: &Plan, run: &Run, finish: Finish) -> Ended {
    match finish {
        Finish::Stopped if run.fleet().is_some_and(|fleet| !fleet.dead.is_empty()) => Ended::Faults,
        Finish::Stopped => Ended::Interrupted,
        Finish::Held => Ended::Held,
        Finish::Early(Early::EngineFailures) => Ended::EngineFailures,
        Finish::Early(Early::OutOfTime) => Ended::OutOfTime,
        Finish::Complete
        | Finish::Early(Early::SprtH0 | Early::SprtH1 | Early::ScoreReached | Early::ScoreMissed)
            if plan.conduct.max_faults.is_some_and(|most| run.fault_count() > most) =>
        {
            Ended::Faults
        }
        Finish::Complete
        | Finish::Early(Early::SprtH0 | Early::SprtH1 | Early::ScoreReached | Early::ScoreMissed) => {
            Ended::Complete
        }
    }
}

/// Every entrant's engine is started and greeted once before the first game; a missing or silent one is
/// named before anything is played.
async fn check_in(hall: &Rc<Hall>, plan: &Plan) -> Result<(), RunError> {
    for (index, entrant) in hall.plan.entrants.iter().enumerate() {
        for (member, engine) in entrant.members().enumerate() {
            let greeted = tokio::select! {
                greeted = greet_member(hall, (index, member), entrant, engine) => greeted?,
                () = hall.broken_off() => return Ok(()),
            };
            // The lock names the engine as it registered, not its copy.
            let named = plan.entrants.get(index).and_then(|entrant| entrant.members().nth(member));
            let before = hall.desk().run().lock(index, member).is_some();
            if let Some(named) = named.filter(|_| !before) {
                let locked = hall.vault().locked((index, member), &entrant.name, named, &greeted);
                locked.into_iter().for_each(|locked| hall.record(hall.wall.now(), What::Locked(locked)));
            }
        }
    }
    tell_equals(hall);
    draw_lots(hall);
    Ok(())
}

/// Starts and greets one engine; under a regulation it makes a move too. Returns the name it gives itself.
async fn greet_member(
    hall: &Rc<Hall>,
    (index, member): (usize, usize),
    entrant: &Entrant,
    engine: &Arc<Manifest>,
) -> Result<String, RunError> {
    let began = hall.wall.now();
    let transcript = hall.transcript(index, member);
    let mut said = Vec::new();
    let mut heard = |line: Option<&[u8]>| {
        if hall.trace.is_some() {
            said.push(line.map(|line| String::from_utf8_lossy(line).into_owned()));
        }
    };
    let not_started =
        |reason, last_lines| RunError::NotStarted { entrant: entrant.name.clone(), reason, last_lines };
    let idle = greet(&hall.spawner, engine, hall.cores.of(0), &hall.wall, transcript, &mut heard).await;
    let mut idle = idle.map_err(|not| match not.system {
        Some(error) => RunError::System { what: STARTING, error },
        None => not_started(not.reason, not.last_lines),
    })?;
    let at = hall.wall.now();
    if let Some(trace) = &hall.trace {
        let (entrant, process, took_us) = (index, idle.process.number(), micros(at - began));
        trace.write(&Traced::Greeted { entrant, process, at, took_us, said });
    }
    for mut what in CheckedIn::events(&entrant.name, &idle.session, at - began) {
        if let What::CheckedIn(checked) = &mut what {
            checked.member = member;
        }
        hall.record(at, what);
    }
    // A person is no program that has to show that it can move.
    if hall.plan.regulation.is_some() && engine.far() != Some(Far::Person) {
        let moved = play_moves(&mut idle, engine, &hall.wall, 1, &mut Vec::new()).await;
        if let Err(why) = moved {
            let last_lines = idle.process.last_lines();
            idle.process.kill().await;
            return Err(not_started(format!("no legal move at check-in: {why}"), last_lines));
        }
    }
    let name = idle.session.identity().name.clone();
    if hall.plan.conduct.reuse && idle.session.reusable() {
        let _ = hall.give_idle((index, member, 0), idle);
    } else {
        hall.quit(idle);
    }
    Ok(name)
}

/// Entrants whose programs are the same file are told to the chief referee (I.1); nothing follows from it.
fn tell_equals(hall: &Rc<Hall>) {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (index, entrant) in hall.plan.entrants.iter().enumerate() {
        let desk = hall.desk();
        let Some(locked) = desk.run().lock(index, 0) else { return };
        for hash in locked.files.values() {
            owners.entry(hash.clone()).or_default().push(entrant.name.clone());
        }
    }
    let known = hall.desk().run().notes().0.iter().any(|note| note.kind == "equal_files");
    for (hash, names) in owners.into_iter().filter(|(_, names)| names.len() > 1 && !known) {
        let text = format!("the same file (SHA-256 {}..): {}", &hash[..16], names.join(", "));
        let kind = "equal_files".to_owned();
        hall.record(hall.wall.now(), What::Noted(Noted { game: None, entrant: None, kind, text }));
    }
}

/// Everybody has checked in: the lots are drawn and the seed is told that was promised before (I.4).
fn draw_lots(hall: &Rc<Hall>) {
    let Some(event) = hall.plan.stages.iter().find_map(|stage| stage.format.championship()) else { return };
    if hall.desk().run().drawn().is_some() {
        return;
    }
    let lot = |(index, entrant): (usize, &Entrant)| {
        lots::code(&event.groups, index).map(|lot| (lot, entrant.name.clone()))
    };
    let drawn = Drawn {
        algorithm: lots::ALGORITHM.to_owned(),
        commitment: lots::commitment(event.seed),
        seed: event.seed,
        lots: hall.plan.entrants.iter().enumerate().filter_map(lot).collect(),
    };
    hall.record(hall.wall.now(), What::Drawn(drawn));
}

/// When the time for starting games is over the running ones are finished, at most the drain's time long.
async fn watch_budget(hall: Rc<Hall>) {
    let Some(budget) = hall.plan.conduct.time_budget else { return };
    tokio::time::sleep(budget).await;
    hall.director.borrow_mut().out_of_time();
    hall.say("the time for starting games is over", "开始新局的时限已到");
    hall.stop(Halt::Drain);
    tokio::time::sleep(hall.plan.conduct.drain).await;
    hall.stop(Halt::Now);
}
