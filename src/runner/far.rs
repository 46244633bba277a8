//! The far side of a remote engine's seat (I.3): on the team's machine it joins the runner's server, starts and ends
//! the engine as the runner says, and carries its lines. Comes back when the connection is lost; decides nothing.
//! Start at [`sit`].

use std::cell::Cell;
use std::future::poll_fn;
use std::path::PathBuf;
use std::task::Poll;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::LocalSet;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::event::RunError;
use super::hall::ground;
use super::live::Token;
use super::lock::hash_of;
use super::mailbox::{Kind, Mailbox, Parted, socket_config};
use super::process::{EXIT_GRACE, EngineProcess, ReadEvent};
use super::site::Site;
use super::spawner::{Spawner, find_program};
use super::start::start_engine;
use super::tls::{Distrust, Trust};
use crate::engine::{Manifest, Protocol};

/// How long a connection may take to be made.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// How long bytes may be under way to a server that has gone without a word.
const GONE_AFTER_MS: u32 = 10_000;

/// The pause before the next attempt, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long what an engine said last may still lie in its pipe when it has ended.
const LAST_WORDS: Duration = Duration::from_millis(20);

/// How long the last word of ours has to reach the server.
const FAREWELL: Duration = Duration::from_millis(200);

/// Where to sit, and with what.
#[derive(Debug, Clone)]
pub struct FarSide {
    /// The server.
    pub server: Site,
    /// The seat's secret.
    pub token: String,
    /// The engine: a program as [`find_program`] takes it.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Files that it reads, to be declared with the program (I.10).
    pub files: Vec<PathBuf>,
    /// How long the server may be out of reach before it is given up.
    pub give_up: Duration,
}

/// What happens on the far side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FarNews {
    /// The seat is taken.
    Joined,
    /// The connection is lost, or there is none; why, in words. It is tried again.
    Lost(String),
    /// The engine was started.
    Began,
    /// The engine has ended by itself or would not start: how, and its last lines.
    Ended(String, Vec<String>),
}

/// How it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FarEnd {
    /// The run is over.
    Over,
    /// The server does not let us in: its HTTP status (401: the token is wrong).
    Refused(u16),
    /// It has no certificate that we trust, and never had.
    Untrusted(Distrust),
    /// It does not speak what we speak.
    Foreign,
    /// The server was out of reach for too long.
    GaveUp,
    /// Somebody has stopped us.
    Interrupted,
}

struct Far<'a> {
    side: &'a FarSide,
    mailbox: Mailbox,
    spawner: Spawner,
    manifest: Manifest,
    declared: Vec<u8>,
    /// Whom we trust, where TLS is spoken.
    trust: Option<Trust>,
    joined: Cell<Instant>,
    /// Whether the seat was ever taken.
    known: Cell<bool>,
    over: Cell<bool>,
    say: &'a dyn Fn(FarNews),
}

/// What a server is spoken to over: TCP, or TLS over it.
trait Connection: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection for S {}

/// Sits at a seat until the run is over; `say` is told what happens.
///
/// # Errors
/// The engine's files cannot be read, or the system refuses what every run needs.
pub fn sit(side: &FarSide, say: &dyn Fn(FarNews)) -> Result<FarEnd, RunError> {
    let not_started =
        |reason| RunError::NotStarted { entrant: side.program.clone(), reason, last_lines: Vec::new() };
    let program = find_program(&side.program).map_err(not_started)?;
    let declared = declare(program.clone(), side).map_err(not_started)?;
    let trust = match side.server.is_secure().then(Trust::of_system).transpose() {
        Ok(trust) => trust,
        Err(distrust) => return Ok(FarEnd::Untrusted(distrust)),
    };
    let life = Token::fresh().map_err(|error| RunError::System { what: "name this side", error })?;
    let mut manifest = Manifest::new(program.to_string_lossy(), Protocol::Ucci);
    manifest.args.clone_from(&side.args);
    let (runtime, spawner) = ground()?;
    let mailbox = Mailbox::new(life.link_text());
    let (joined, known, over) = (Cell::new(Instant::now()), Cell::new(false), Cell::new(false));
    let far = Far { side, mailbox, spawner, manifest, declared, trust, joined, known, over, say };
    far.mailbox.push(Kind::Declared, 0, &far.declared);
    LocalSet::new().block_on(&runtime, async {
        let system = |error| RunError::System { what: "listen for signals", error };
        let mut interrupt = signal(SignalKind::interrupt()).map_err(system)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(system)?;
        Ok(tokio::select! {
            end = far.keep_joined() => end,
            end = far.keep_engine() => end,
            _ = interrupt.recv() => FarEnd::Interrupted,
            _ = terminate.recv() => FarEnd::Interrupted,
        })
    })
}

/// What the engine is made of: SHA-256 of its program and of the files named.
fn declare(program: PathBuf, side: &FarSide) -> Result<Vec<u8>, String> {
    let mut files = serde_json::Map::new();
    for path in std::iter::once(program).chain(side.files.iter().cloned()) {
        let hash = hash_of(&path).map_err(|error| format!("'{}': {error}", path.display()))?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        files.insert(name.to_string_lossy().into_owned(), json!(hash));
    }
    Ok(json!({ "files": files, "args": side.args }).to_string().into_bytes())
}

impl Far<'_> {
    /// Joins the server again and again.
    async fn keep_joined(&self) -> FarEnd {
        let mut pause = FIRST_PAUSE;
        let mut told = String::new();
        loop {
            let before = self.joined.get();
            let lost = match self.connect().await {
                Ok(socket) => match self.mailbox.carry(socket, true).await {
                    Parted::Foreign | Parted::Version => return FarEnd::Foreign,
                    parted => parted.to_string(),
                },
                Err(Error::Http(response)) if refuses(response.status().as_u16()) => {
                    return FarEnd::Refused(response.status().as_u16());
                }
                Err(error) => match distrust(&error) {
                    // Who was trusted once has an impostor before him now, who goes away again: the engine stays.
                    Some(distrust) if !self.known.get() => return FarEnd::Untrusted(distrust),
                    Some(_) | None => error.to_string(),
                },
            };
            if self.over.get() {
                return FarEnd::Over;
            }
            if self.joined.get() > before {
                pause = FIRST_PAUSE;
                self.joined.set(Instant::now());
                told.clear();
            } else if before.elapsed() > self.side.give_up {
                return FarEnd::GaveUp;
            }
            if lost != told {
                (self.say)(FarNews::Lost(lost.clone()));
                told = lost;
            }
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    async fn connect(&self) -> Result<WebSocketStream<Box<dyn Connection>>, Error> {
        let server = &self.side.server;
        let connected = async {
            let stream = TcpStream::connect(server.address()).await?;
            stream.set_nodelay(true)?;
            let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, GONE_AFTER_MS);
            let stream: Box<dyn Connection> = match &self.trust {
                Some(trust) => Box::new(trust.join(stream, server).await?),
                None => Box::new(stream),
            };
            let scheme = if server.is_secure() { "wss" } else { "ws" };
            let mut request = format!("{scheme}://{}/remote", server.authority()).into_client_request()?;
            let bearer = HeaderValue::from_str(&format!("Bearer {}", self.side.token));
            request
                .headers_mut()
                .insert(AUTHORIZATION, bearer.map_err(|error| Error::HttpFormat(error.into()))?);
            let (socket, _) = client_async_with_config(request, stream, Some(socket_config())).await?;
            Ok(socket)
        };
        let late = |_| Error::Io(std::io::ErrorKind::TimedOut.into());
        tokio::time::timeout(CONNECT_PATIENCE, connected).await.map_err(late)?
    }

    /// Does with the engine what the runner says, and sends what it says.
    async fn keep_engine(&self) -> FarEnd {
        let mut changes = self.mailbox.changes();
        let mut engine: Option<(u64, EngineProcess)> = None;
        let mut joined = false;
        loop {
            changes.mark_unchanged();
            if self.mailbox.is_joined() != joined {
                joined = !joined;
                if joined {
                    self.joined.set(Instant::now());
                    self.known.set(true);
                    (self.say)(FarNews::Joined);
                }
            }
            // An engine that does not read is given nothing more: the window of the other end fills.
            while engine.as_ref().is_none_or(|(_, process)| !process.has_unsent())
                && let Some(mut parcel) = self.mailbox.take()
            {
                let own = engine.as_ref().is_some_and(|(start, _)| *start == parcel.start);
                match parcel.kind {
                    Kind::Begin => {
                        end_at_once(engine.take()).await;
                        engine = self.begin(parcel.start).await;
                    }
                    Kind::Line if own => {
                        parcel.bytes.push(b'\n');
                        // A broken pipe shows as the engine's end.
                        engine.as_mut().map(|(_, process)| process.write(&mut parcel.bytes));
                    }
                    Kind::End if own => {
                        if let Some((_, process)) = engine.take() {
                            process.finish().await;
                        }
                    }
                    Kind::Stranger => {
                        end_at_once(engine.take()).await;
                        self.mailbox.forget_before(u64::MAX);
                        self.mailbox.push(Kind::Declared, 0, &self.declared);
                    }
                    Kind::Over => {
                        self.over.set(true);
                        end_at_once(engine.take()).await;
                        tokio::time::sleep(FAREWELL).await;
                        return FarEnd::Over;
                    }
                    Kind::Line | Kind::End | Kind::Declared => {}
                }
            }
            tokio::select! {
                _ = changes.changed() => {}
                heard = hear(&mut engine, &self.mailbox) => self.carry_lines(&mut engine, heard).await,
            }
        }
    }

    async fn begin(&self, start: u64) -> Option<(u64, EngineProcess)> {
        match start_engine(&self.spawner, &self.manifest, &[]).await {
            Ok(process) => {
                (self.say)(FarNews::Began);
                Some((start, process))
            }
            Err(error) => {
                let why = error.to_string();
                self.mailbox.push(Kind::End, start, why.as_bytes());
                (self.say)(FarNews::Ended(why, Vec::new()));
                None
            }
        }
    }

    async fn carry_lines(&self, engine: &mut Option<(u64, EngineProcess)>, heard: Heard) {
        let Some((start, process)) = engine.as_mut() else { return };
        let start = *start;
        self.send_lines(start, process);
        if heard == Heard::Grew {
            return;
        }
        while self.mailbox.has_room() {
            let read = tokio::time::timeout(LAST_WORDS, poll_fn(|cx| process.poll_read(cx)));
            if read.await != Ok(ReadEvent::Grew) {
                break;
            }
            self.send_lines(start, process);
        }
        if let Some(rest) = process.lines.last_line() {
            self.mailbox.push(Kind::Line, start, rest);
        }
        let _ = tokio::time::timeout(EXIT_GRACE, poll_fn(|cx| process.poll_exit(cx))).await;
        let how = process.exit_status().unwrap_or_else(|| "it closed its output".to_owned());
        self.mailbox.push(Kind::End, start, how.as_bytes());
        (self.say)(FarNews::Ended(how, process.last_lines()));
        end_at_once(engine.take()).await;
    }

    fn send_lines(&self, start: u64, process: &mut EngineProcess) {
        while let Some(line) = process.lines.next_line() {
            self.mailbox.push(Kind::Line, start, line);
        }
    }
}

/// Whether trying again is of no use: it is not for us, or elsewhere.
fn refuses(status: u16) -> bool {
    const TOO_MANY_REQUESTS: u16 = 429;
    (300..500).contains(&status) && status != TOO_MANY_REQUESTS
}

fn distrust(error: &Error) -> Option<Distrust> {
    let Error::Io(error) = error else { return None };
    Distrust::of(error)
}

/// What an engine did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Grew,
    Ended,
}

/// Waits for the engine, if there is one; reads nothing while too much is under way to the server.
async fn hear(engine: &mut Option<(u64, EngineProcess)>, mailbox: &Mailbox) -> Heard {
    poll_fn(|cx| {
        let Some((_, process)) = engine else { return Poll::Pending };
        if process.has_unsent() && process.poll_unsent(cx).is_ready() {
            // There is room for more of what the runner says.
            return Poll::Ready(Heard::Grew);
        }
        if mailbox.has_room()
            && let Poll::Ready(event) = process.poll_read(cx)
        {
            return Poll::Ready(if event == ReadEvent::Grew { Heard::Grew } else { Heard::Ended });
        }
        process.poll_exit(cx).map(|()| Heard::Ended)
    })
    .await
}

async fn end_at_once(engine: Option<(u64, EngineProcess)>) {
    if let Some((_, process)) = engine {
        process.kill().await;
    }
}
