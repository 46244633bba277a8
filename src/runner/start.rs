//! Starting an engine's process, for a seat of a game or alone, and greeting it outside a game (check-in,
//! `engines check`). Never plays. Start at [`start_engine`] and [`greet`].

use std::future::poll_fn;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::hall::{Hall, Idle};
use super::lock::changed;
use super::process::{EngineProcess, ReadEvent};
use super::seat_line::{SEAT_WORD, SEATS};
use super::spawner::{Launch, Spawner, find_program};
use super::transcript::Transcript;
use super::wall::Wall;
use crate::engine::{Far, Heard, Manifest, Phase, Session, printable};

/// Why the process of an engine does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It is the engine's: in words.
    #[error("{0}")]
    Engine(String),
    /// The system refuses us what it refuses nobody in particular: processes, memory, descriptors.
    #[error("{0}")]
    System(std::io::Error),
}

impl From<std::io::Error> for StartError {
    fn from(error: std::io::Error) -> StartError {
        use rustix::io::Errno;
        let ours = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN];
        match Errno::from_io_error(&error) {
            Some(errno) if ours.contains(&errno) => StartError::System(error),
            Some(_) | None => StartError::Engine(error.to_string()),
        }
    }
}

/// Starts the process of an engine, bound to processor cores if there are any.
///
/// # Errors
/// Why it cannot be started.
pub async fn start_engine(
    spawner: &Spawner,
    manifest: &Manifest,
    cores: &[usize],
) -> Result<EngineProcess, StartError> {
    let mut launch = Launch {
        program: find_program(&manifest.command).map_err(StartError::Engine)?,
        args: manifest.args.clone(),
        dir: manifest.dir.as_ref().map(PathBuf::from),
        env: manifest.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        cores: cores.to_vec(),
    };
    if let Some(far) = manifest.far() {
        let why = || {
            let who = match far {
                Far::Person => "a person",
                Far::Remote => "a remote engine",
            };
            StartError::Engine(format!("this seat is for {who}: the run has to be begun with --live"))
        };
        let place = spawner.seats().ok_or_else(why)?;
        launch.args.splice(0..0, [SEAT_WORD.to_owned(), far.command().to_owned()]);
        launch.env.push((SEATS.to_owned(), place.to_owned()));
    }
    if let Some(dir) = launch.dir.as_ref().filter(|dir| !dir.is_dir()) {
        let why = format!("its working directory '{}' does not exist", dir.display());
        return Err(StartError::Engine(why));
    }
    let child = spawner.spawn(launch).await?;
    let id = child.id();
    let adopted = EngineProcess::adopt(child, spawner.clone());
    Ok(adopted.inspect_err(|_| spawner.abandon(id))?)
}

/// Starts a seat's engine at a place of the hall. What the system refuses it may grant when the engines that
/// wait for other games are gone; they are started again when their games come.
///
/// # Errors
/// Why it cannot be started; also that it is not what was locked (I.10).
pub async fn start_seat(
    hall: Rc<Hall>,
    entrant: usize,
    manifest: Arc<Manifest>,
    place: usize,
) -> Result<EngineProcess, StartError> {
    // Before a game it was looked at already; in the middle of one nobody else would see that what is started
    // again is not what was locked.
    if let Some(file) = hall.vault().change(entrant) {
        return Err(StartError::Engine(changed(&file)));
    }
    loop {
        match start_engine(&hall.spawner, &manifest, hall.cores.of(place)).await {
            Err(StartError::System(_)) if hall.make_room().await => {}
            started => return started,
        }
    }
}

/// An engine that could not be greeted.
#[derive(Debug)]
pub struct NotGreeted {
    /// Why.
    pub reason: String,
    /// The last lines it printed, stderr's marked with `! `.
    pub last_lines: Vec<String>,
    /// What the system refused, where the engine is not to blame.
    pub system: Option<std::io::Error>,
}

/// Starts an engine and waits for the end of its greeting; `heard` is told every line, and `None` where
/// the protocol ends the greeting by silence.
///
/// # Errors
/// Why it did not come to that, with its last lines.
pub async fn greet(
    spawner: &Spawner,
    manifest: &Arc<Manifest>,
    cores: &[usize],
    wall: &Wall,
    transcript: Option<Transcript>,
    heard: &mut dyn FnMut(Option<&[u8]>),
) -> Result<Idle, NotGreeted> {
    let plain = |error: StartError| NotGreeted {
        reason: error.to_string(),
        last_lines: Vec::new(),
        system: match error {
            StartError::System(error) => Some(error),
            StartError::Engine(_) => None,
        },
    };
    let mut process = start_engine(spawner, manifest, cores).await.map_err(plain)?;
    process.transcript = transcript;
    let mut session = Session::new(Arc::clone(manifest));
    let mut words = Vec::new();
    session.open(&mut words);
    let patience = Duration::from_millis(manifest.start_patience_ms);
    let mut idle = Idle { process, session };
    let greeted = tokio::time::timeout(patience, exchange(&mut idle, &mut words, wall, heard)).await;
    let reason = match greeted {
        Ok(Ok(())) if idle.session.plays_xiangqi() => return Ok(idle),
        Ok(Ok(())) => "it does not play xiangqi".to_owned(),
        Ok(Err(reason)) => reason,
        Err(_) => format!("no end of its greeting within {} s", patience.as_secs_f64()),
    };
    let last_lines = idle.process.last_lines();
    idle.process.kill().await;
    Err(NotGreeted { reason, last_lines, system: None })
}

/// Writes the first words and answers lines until the session is idle.
async fn exchange(
    idle: &mut Idle,
    words: &mut Vec<u8>,
    wall: &Wall,
    heard: &mut dyn FnMut(Option<&[u8]>),
) -> Result<(), String> {
    loop {
        if !words.is_empty() {
            if let Some(transcript) = &mut idle.process.transcript {
                transcript.sent(wall.now(), words);
            }
            // What a full pipe does not take now follows below; a broken one shows as its end.
            let _ = idle.process.write(words);
        }
        if idle.session.phase() == Phase::Idle {
            return Ok(());
        }
        let silence = idle.session.silence().unwrap_or(Duration::MAX);
        let deadline = tokio::time::Instant::now() + silence.min(Duration::from_secs(3600));
        match tokio::time::timeout_at(deadline, next_read(&mut idle.process)).await {
            Err(_) => {
                heard(None);
                idle.session.settle(words);
            }
            Ok(ReadEvent::Grew) => {
                let at = wall.now();
                while let Some(line) = idle.process.lines.next_line() {
                    if let Some(transcript) = &mut idle.process.transcript {
                        transcript.heard(at, line);
                    }
                    heard(Some(line));
                    if let Heard::Refused(text) = idle.session.hear(line, words) {
                        return Err(printable(text));
                    }
                }
            }
            Ok(ReadEvent::Closed) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let how = idle.process.exit_status();
                return Err(how.map_or_else(
                    || "it closed its output during the greeting".to_owned(),
                    |how| format!("it ended during the greeting ({how})"),
                ));
            }
        }
    }
}

async fn next_read(process: &mut EngineProcess) -> ReadEvent {
    poll_fn(|cx| {
        if process.has_unsent() {
            let _ = process.poll_unsent(cx);
        }
        match process.poll_read(cx) {
            Poll::Ready(event) => Poll::Ready(event),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
