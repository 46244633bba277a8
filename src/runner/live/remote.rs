//! A remote engine's seat (I.3): what joins its line with the WebSocket of its team's machine. The line stays open
//! while a connection is lost, so that the runner sees nothing but silence; it closes when the far engine ends. Start
//! at [`Relay`].

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use hyper_util::rt::TokioIo;
use memchr::memchr;
use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::super::lines::MAX_LINE;
use super::super::mailbox::{Kind, Mailbox, socket_config};
use super::super::seat_line::ENDED;
use super::pages::Room;
use super::seats::{Behind, FarSeat, Seats};
use super::token::Token;
use crate::engine::printable;

/// How long the end of a run waits until the far ends know of it.
const FAREWELL: Duration = Duration::from_millis(800);

/// Bytes read from a line at once.
const BUFFER: usize = 8 * 1024;

/// Most files of a declaration that are recorded, and most letters of a name.
const MOST_FILES: usize = 32;
const MOST_NAME: usize = 100;

/// A remote engine's seat.
#[derive(Debug)]
pub struct Relay {
    facts: FarSeat,
    mailbox: Mailbox,
    /// How often its engine was begun, on from a number that no other life of the runner comes to.
    starts: AtomicU64,
    declared: Mutex<Declared>,
}

/// What the far side has declared last, and whether the run knows it.
#[derive(Debug, Default)]
struct Declared {
    bytes: Vec<u8>,
    news: bool,
}

/// A declaration as the far side sends it.
#[derive(Debug, Deserialize)]
struct Declaration {
    /// The names of files, and SHA-256 of each.
    files: BTreeMap<String, String>,
}

impl Relay {
    /// An empty one.
    ///
    /// # Errors
    /// There is no randomness.
    pub fn new(facts: FarSeat) -> std::io::Result<Relay> {
        let mailbox = Mailbox::new(Token::fresh()?.link_text());
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let starts = AtomicU64::new(since.as_secs() << 20);
        Ok(Relay { facts, mailbox, starts, declared: Mutex::default() })
    }

    /// Joins the line of the seat with the far engine until either ends.
    pub async fn serve(self: Arc<Relay>, line: BufReader<UnixStream>) {
        let start = self.starts.fetch_add(1, Ordering::SeqCst) + 1;
        // Lines to an engine that was ended before the far side heard of it are of no use to anybody.
        self.mailbox.forget_before(start);
        self.mailbox.push(Kind::Begin, start, b"");
        self.join(line, start).await;
        self.mailbox.push(Kind::End, start, b"");
    }

    async fn join(&self, mut line: BufReader<UnixStream>, start: u64) {
        let mut changes = self.mailbox.changes();
        let (mut open, mut begun) = (true, Vec::new());
        loop {
            changes.mark_unchanged();
            // A later line has taken the place of one that was left hanging.
            if self.starts.load(Ordering::SeqCst) != start {
                return;
            }
            while let Some(parcel) = self.mailbox.take() {
                let ours = parcel.start == start;
                match parcel.kind {
                    Kind::Line if ours => {
                        let mut text = parcel.bytes;
                        text.push(b'\n');
                        if line.write_all(&text).await.is_err() {
                            return;
                        }
                    }
                    Kind::End if ours => {
                        let _ = line.write_all(&last_word(&parcel.bytes)).await;
                        return;
                    }
                    Kind::Stranger if self.mailbox.has_begun(start) => return,
                    Kind::Declared => self.hear_declared(parcel.bytes),
                    Kind::Line | Kind::End | Kind::Stranger | Kind::Begin | Kind::Over => {}
                }
            }
            let mut bytes = [0; BUFFER];
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                read = line.read(&mut bytes), if open && self.mailbox.has_room() => match read {
                    // The runner says nothing more; what the far engine still says is for it.
                    Ok(0) => open = false,
                    Ok(count) => self.take_lines(&mut begun, &bytes[..count], start),
                    Err(_) => return,
                },
            }
        }
    }

    /// Sends the whole lines of what the runner wrote; `begun` keeps the beginning of one that is not whole.
    fn take_lines(&self, begun: &mut Vec<u8>, mut bytes: &[u8], start: u64) {
        while let Some(newline) = memchr(b'\n', bytes) {
            begun.extend_from_slice(&bytes[..newline]);
            self.mailbox.push(Kind::Line, start, begun);
            begun.clear();
            bytes = &bytes[newline + 1..];
        }
        let room = MAX_LINE.saturating_sub(begun.len());
        begun.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn declared(&self) -> MutexGuard<'_, Declared> {
        self.declared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear_declared(&self, bytes: Vec<u8>) {
        let mut declared = self.declared();
        if declared.bytes != bytes {
            *declared = Declared { bytes, news: true };
        }
    }

    /// What is new of what the far side declares, in words.
    fn take_declared(&self) -> Option<(String, String)> {
        let mut declared = self.declared();
        std::mem::take(&mut declared.news).then(|| {
            let member = self.facts.member.map_or_else(String::new, |member| format!(" of member {member}"));
            let files = files_in_words(&declared.bytes);
            let text = format!("the engine{member} on another machine, as its own side declares it: {files}");
            (self.facts.entrant.clone(), text)
        })
    }
}

/// How the far engine has ended, as its line at home is told; nothing where nothing is said of it.
fn last_word(how: &[u8]) -> Vec<u8> {
    let how: String = printable(how).chars().take(MOST_NAME).collect();
    if how.is_empty() { Vec::new() } else { [&[ENDED], how.as_bytes()].concat() }
}

fn files_in_words(declared: &[u8]) -> String {
    let Ok(declaration) = serde_json::from_slice::<Declaration>(declared) else {
        return "in a way that cannot be read".to_owned();
    };
    let proper = |hash: &str| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let files = declaration.files.iter().filter(|(_, hash)| proper(hash)).take(MOST_FILES);
    let words = files.map(|(name, hash)| {
        let name: String = printable(name.as_bytes()).chars().take(MOST_NAME).collect();
        format!("{name} (SHA-256 {hash})")
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What far sides have declared since this was asked last: the entrant, and in words what.
pub fn declared(seats: &Seats) -> Vec<(String, String)> {
    relays(seats).filter_map(|relay| relay.take_declared()).collect()
}

fn relays(seats: &Seats) -> impl Iterator<Item = &Arc<Relay>> {
    seats.all().iter().filter_map(|seat| match &seat.behind {
        Behind::Remote(relay) => Some(relay),
        Behind::Person(_) => None,
    })
}

/// The address at which remote engines join.
pub fn routes() -> Router<Room> {
    Router::new().route("/remote", get(join))
}

/// Tells every far end that the run is over, and waits a little until they know.
pub async fn farewell(seats: &Seats) {
    relays(seats).for_each(|relay| relay.mailbox.push(Kind::Over, 0, b""));
    let told = async {
        for relay in relays(seats) {
            let mut changes = relay.mailbox.changes();
            while relay.mailbox.is_joined() && !relay.mailbox.is_through() {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        }
    };
    let _ = tokio::time::timeout(FAREWELL, told).await;
}

async fn join(State(room): State<Room>, mut request: Request) -> Response {
    let headers = request.headers();
    let relay = match room.seats.of_request(headers).map(|seat| &seat.behind) {
        Some(Behind::Remote(relay)) => Arc::clone(relay),
        Some(Behind::Person(_)) => return StatusCode::FORBIDDEN.into_response(),
        None => return StatusCode::UNAUTHORIZED.into_response(),
    };
    let Some(accept) = accept(headers) else {
        return (StatusCode::UPGRADE_REQUIRED, [(UPGRADE, "websocket")]).into_response();
    };
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(upgraded) = upgrade.await else { return };
        let io = TokioIo::new(upgraded);
        let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(socket_config())).await;
        relay.mailbox.carry(socket, false).await;
    });
    let says = [
        (CONNECTION, "Upgrade".to_owned()),
        (UPGRADE, "websocket".to_owned()),
        (SEC_WEBSOCKET_ACCEPT, accept),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, says, Body::empty()).into_response()
}

/// The answer to a proper wish for a WebSocket (RFC 6455, 4.2.1).
fn accept(headers: &HeaderMap) -> Option<String> {
    let says = |name: HeaderName, word: &str| {
        let values = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        values.split(',').any(|value| value.trim().eq_ignore_ascii_case(word))
    };
    let proper =
        says(CONNECTION, "upgrade") && says(UPGRADE, "websocket") && says(SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| proper && key.len() == 24)?;
    Some(derive_accept_key(key.as_bytes()))
}
