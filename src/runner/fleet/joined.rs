//! A run that a worker plays for: its plan as announced, its engines as they are here, its hall. What comes from
//! the network is read by the same checks as a config and never names a file. Start at [`join`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;

use super::check::{scaled, short};
use super::link::{RunName, words};
use super::message::{self, Announcement};
use super::speed::{measure, scale};
use super::tap::Tap;
use super::worker::Worker;
use crate::config::{self, Files, Overrides};
use crate::director::Director;
use crate::engine::Manifest;
use crate::plan::Plan;
use crate::record::Run;
use crate::runner::PROGRAM;
use crate::runner::affinity::Cores;
use crate::runner::desk::Desk;
use crate::runner::hall::{Hall, Halt};
use crate::runner::lock::Vault;
use crate::runner::start::greet;
use crate::runner::store::Store;
use crate::tournament::GameId;

/// How long a place waits for a pair before it looks at other runs.
const WAIT: Duration = Duration::from_millis(900);

/// After so long an answer of the server does not come any more.
const LOST: Duration = Duration::from_secs(3);

/// Shortest and longest time without a sign of life that a run may ask for.
const LEASES: std::ops::RangeInclusive<u64> = 500..=3_600_000;

/// A run that is played for.
pub struct Joined {
    /// Which.
    pub run: RunName,
    /// Where its games are played.
    pub hall: Rc<Hall>,
    /// The ids of its engines.
    pub engines: Vec<String>,
    /// Nodes a second of the first entrant's engine here.
    pub speed: Option<u64>,
    /// Factor on the clocks.
    pub scale: Option<f64>,
    /// Without a sign of life for so long a pair is given to somebody else.
    pub lease: Duration,
    /// Whether no pair is to be begun for now.
    pub paused: Cell<bool>,
    /// Whether this worker gets no more pairs.
    pub aside: Cell<bool>,
    /// Pairs that are played here now, by their first games.
    pub playing: RefCell<BTreeSet<GameId>>,
    consumer: PullConsumer,
    probing: JoinHandle<()>,
}

/// A config from the network names no files.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("an announced run names no files".to_owned())
    }

    fn exists(&self, _path: &str) -> bool {
        false
    }
}

/// Joins a run, if this worker can and may play it.
///
/// # Errors
/// In words, why not.
pub async fn join(worker: &Worker, run: &RunName, announced: &[u8]) -> Result<Joined, String> {
    let announcement: Announcement = message::read(announced)?;
    if announcement.program != PROGRAM {
        return Err(format!("it is {}'s, this is {PROGRAM}", short(&announcement.program)));
    }
    if !LEASES.contains(&announcement.lease_ms) {
        return Err(format!("its lease of {} ms is out of bounds", announcement.lease_ms));
    }
    let mut plan = plan_of(&announcement)?;
    for (entrant, spec) in plan.entrants.iter_mut().zip(&announcement.engines) {
        let seated = worker.cabinet.seat(&worker.link, &run.publisher, spec, &entrant.engine).await;
        let manifest = seated.map_err(|why| format!("{}: {why}", entrant.name))?;
        entrant.engine = Arc::new(manifest);
    }
    let consumer = worker.link.pairs(run).await?;
    let (idle, speed) = check_in(worker, &plan).await?;
    let scale = scale(announcement.reference, speed);
    let plan = Arc::new(scaled(&plan, scale.unwrap_or(1.0)));
    let hall = hall(worker, plan)?;
    for (entrant, idle) in idle.into_iter().enumerate() {
        match idle {
            Some(idle) if hall.plan.conduct.reuse && idle.session.reusable() => {
                let _ = hall.give_idle((entrant, 0, hall.home(0)), idle);
            }
            Some(idle) => hall.quit(idle),
            None => {}
        }
    }
    let probing = tokio::task::spawn_local({
        let hall = Rc::clone(&hall);
        async move { hall.delays.probe(&hall.wall, |stood| hall.tell_stood(stood)).await }
    });
    Ok(Joined {
        run: run.clone(),
        hall,
        engines: announcement.engines.into_iter().map(|spec| spec.id).collect(),
        speed,
        scale,
        lease: Duration::from_millis(announcement.lease_ms),
        paused: Cell::new(false),
        aside: Cell::new(false),
        playing: RefCell::default(),
        consumer,
        probing,
    })
}

fn plan_of(announcement: &Announcement) -> Result<Plan, String> {
    let resolved = config::from_value(&announcement.config, "", &NoFiles, &Overrides::default());
    let resolved = resolved.map_err(|problems| {
        let words: Vec<String> = problems.iter().take(5).map(|problem| short(&problem.to_string())).collect();
        format!("its config is wrong: {}", words.join("; "))
    })?;
    let plan = resolved.plan;
    let strange = plan.regulation.is_some()
        || plan.entrants.iter().any(|entrant| !entrant.team.is_empty() || !is_placeholder(&entrant.engine));
    if strange || plan.entrants.len() != announcement.engines.len() {
        return Err("its config is none for a fleet".to_owned());
    }
    Ok(plan)
}

/// Whether a manifest says nothing of a program, as those that are sent.
fn is_placeholder(manifest: &Manifest) -> bool {
    manifest.command == "@self"
        && manifest.args.is_empty()
        && manifest.env.is_empty()
        && manifest.dir.is_none()
        && manifest.files.is_empty()
}

type Greeted = Vec<Option<crate::runner::hall::Idle>>;

/// Every engine is started and greeted once; the first one's speed is measured.
async fn check_in(worker: &Worker, plan: &Plan) -> Result<(Greeted, Option<u64>), String> {
    let mut all: Greeted = Vec::new();
    let mut speed = None;
    let mut failed = None;
    for (index, entrant) in plan.entrants.iter().enumerate() {
        match greet(&worker.spawner, &entrant.engine, &[], &worker.wall, None, &mut |_| ()).await {
            Ok(mut idle) => {
                if index == 0 {
                    speed = measure(&mut idle, &entrant.engine, &worker.wall).await;
                }
                all.push(Some(idle));
            }
            Err(not) => {
                failed = Some(format!("{} does not start here: {}", entrant.name, not.reason));
                break;
            }
        }
    }
    let Some(why) = failed else { return Ok((all, speed)) };
    for idle in all.into_iter().flatten() {
        idle.process.kill().await;
    }
    Err(why)
}

fn hall(worker: &Worker, plan: Arc<Plan>) -> Result<Rc<Hall>, String> {
    let store = Store::unnamed().map_err(|error| error.to_string())?;
    let desk = Desk::open(store, Run::new()).map_err(|error| error.to_string())?;
    let director = Director::new(Arc::clone(&plan), desk.run());
    let spawner = worker.spawner.clone();
    let mut hall = Hall::new(
        plan,
        worker.wall.clone(),
        (spawner, Cores::default()),
        director,
        desk,
        None,
        Vault::default(),
    );
    hall.tap = Some(Tap::default());
    Ok(Rc::new(hall))
}

impl Joined {
    /// Whether a pair of it can be begun.
    pub fn is_open(&self) -> bool {
        !self.paused.get() && !self.aside.get()
    }

    /// The next pair, if there is one soon.
    ///
    /// # Errors
    /// In words, why the server cannot be asked.
    pub async fn next_pair(&self) -> Result<Option<Message>, String> {
        let fail = words("fetch a pair");
        let asking = async {
            let fetched = self.consumer.fetch().max_messages(1).expires(WAIT).messages().await;
            let mut batch = fetched.map_err(|error| fail(&error))?;
            match batch.next().await {
                None => Ok(None),
                Some(Ok(message)) => Ok(Some(message)),
                Some(Err(error)) => Err(fail(&error)),
            }
        };
        tokio::time::timeout(LOST, asking).await.unwrap_or_else(|_| Err(fail(&"no answer")))
    }

    /// Gives a pair back that was not begun or not finished.
    pub async fn give_back(&self, message: &Message) {
        let _ = tokio::time::timeout(LOST, message.ack_with(AckKind::Nak(None))).await;
    }

    /// Breaks off what is played for it and ends its engines.
    pub async fn leave(&self) {
        self.hall.stop(Halt::Now);
        self.probing.abort();
        self.hall.close_all().await;
    }
}
