//! What is carried between a remote engine's seat and its team's machine (I.3): numbered parcels over a WebSocket
//! that may break and be made anew, none lost and none doubled. Both ends are the same; each keeps what the other
//! has not yet taken, up to a limit, beyond which it takes nothing more in. Knows neither engines nor seats. Start
//! at [`Mailbox`].

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::lines::MAX_LINE;

/// What both ends speak; another number is refused.
pub const VERSION: u32 = 1;

/// Most bytes in one message: a line and what stands before it.
pub const MOST_MESSAGE: usize = MAX_LINE + 256;

/// Most bytes that wait for the other end; with so many, nothing more is read from the engine or the runner.
pub const WINDOW: usize = 512 * 1024;

/// What an honest other end can have under way: its window, and the one parcel that went over it.
const MOST_WAITING: usize = WINDOW + 2 * MOST_MESSAGE;

/// What a parcel counts beside its bytes, so that empty ones are limited too.
const WRAPPING: usize = 32;

/// How often an end says that it is there.
pub const HEARTBEAT: Duration = Duration::from_secs(2);

/// How long an end may say nothing before the connection counts as dead.
pub const SILENCE: Duration = Duration::from_secs(7);

/// How long the first word may take.
const GREETING_PATIENCE: Duration = Duration::from_secs(5);

/// A kind of parcel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To the far end: start the engine anew.
    Begin,
    /// A line, without its newline.
    Line,
    /// To the far end: end the engine. From it: the engine has ended; in words, how.
    End,
    /// From the far end: what its engine is made of, as JSON.
    Declared,
    /// To the far end: the run is over.
    Over,
    /// Made by a mailbox itself: the other end has begun a new life and knows nothing of what was.
    Stranger,
}

impl Kind {
    const SENT: [(u8, Kind); 5] = [
        (b'b', Kind::Begin),
        (b'l', Kind::Line),
        (b'e', Kind::End),
        (b'd', Kind::Declared),
        (b'o', Kind::Over),
    ];
}

/// One thing that is carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// Its number among all from its end, from 1; 0 for one that was not carried.
    pub number: u64,
    /// What it is.
    pub kind: Kind,
    /// The start of the engine that it belongs to, as the runner counts them.
    pub start: u64,
    /// Its bytes, at most [`MAX_LINE`].
    pub bytes: Vec<u8>,
}

impl Parcel {
    fn size(&self) -> usize {
        self.bytes.len() + WRAPPING
    }

    /// `KIND NUMBER START` and a newline, then the bytes as they are.
    fn message(&self) -> Vec<u8> {
        let letter =
            Kind::SENT.iter().find(|(_, kind)| *kind == self.kind).map_or('?', |(b, _)| char::from(*b));
        let mut message = format!("{letter} {} {}\n", self.number, self.start).into_bytes();
        message.extend_from_slice(&self.bytes);
        message
    }

    fn read(message: &[u8]) -> Option<Parcel> {
        let newline = memchr::memchr(b'\n', message)?;
        let mut words = std::str::from_utf8(&message[..newline]).ok()?.split(' ');
        let letter = words.next()?;
        let kind = Kind::SENT.iter().find(|(b, _)| letter.as_bytes() == [*b])?.1;
        let (number, start) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let bytes = message[newline + 1..].to_vec();
        (bytes.len() <= MAX_LINE).then_some(Parcel { number, kind, start, bytes })
    }
}

/// Why a connection has ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Parted {
    /// Nothing was heard for [`SILENCE`], or nothing could be said.
    #[error("nothing was heard any more")]
    Silent,
    /// The connection was closed or broke.
    #[error("the connection was closed")]
    Closed,
    /// It said what nobody of ours says, or more than it may.
    #[error("the other end does not keep to the protocol")]
    Foreign,
    /// It does not speak our version.
    #[error("the other end speaks another version of the protocol")]
    Version,
    /// Another connection has taken its place.
    #[error("another connection has taken its place")]
    Replaced,
    /// The seat is taken by another.
    #[error("the seat is taken by another machine")]
    Taken,
}

#[derive(Debug, Default)]
struct State {
    /// The other end's life, once it was heard.
    peer: Option<String>,
    next: u64,
    outbox: VecDeque<Parcel>,
    waiting: usize,
    inbox: VecDeque<Parcel>,
    inside: usize,
    received: u64,
    taken: u64,
    /// The connection that counts, if there is one.
    connection: Option<u64>,
    connections: u64,
}

/// One end of what is carried.
#[derive(Debug)]
pub struct Mailbox {
    life: String,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

impl Mailbox {
    /// An empty one, for one life of its end; `life` is a word that no other has.
    pub fn new(life: String) -> Mailbox {
        let state = State { next: 1, ..State::default() };
        Mailbox { life, state: Mutex::new(state), changed: watch::channel(()).0 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of every change.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn tell(&self) {
        self.changed.send_replace(());
    }

    /// Sends something to the other end, now or when there is one.
    pub fn push(&self, kind: Kind, start: u64, bytes: &[u8]) {
        let mut state = self.state();
        let bytes = bytes[..bytes.len().min(MAX_LINE)].to_vec();
        let parcel = Parcel { number: state.next, kind, start, bytes };
        state.next += 1;
        state.waiting += parcel.size();
        state.outbox.push_back(parcel);
        drop(state);
        self.tell();
    }

    /// Whether more may be taken in for the other end.
    pub fn has_room(&self) -> bool {
        self.state().waiting < WINDOW
    }

    /// Whether the other end has taken everything.
    pub fn is_through(&self) -> bool {
        self.state().outbox.is_empty()
    }

    /// Whether there is a connection.
    pub fn is_joined(&self) -> bool {
        self.state().connection.is_some()
    }

    /// What has come, in order; whoever takes a thing is answerable for it.
    pub fn take(&self) -> Option<Parcel> {
        let mut state = self.state();
        let parcel = state.inbox.pop_front()?;
        state.inside -= parcel.size();
        state.taken = state.taken.max(parcel.number);
        drop(state);
        self.tell();
        Some(parcel)
    }

    /// The first words of this end: `chuhe VERSION LIFE PEER SEEN`.
    fn greeting(&self) -> Message {
        let state = self.state();
        let peer = state.peer.as_deref().unwrap_or("-");
        Message::text(format!("chuhe {VERSION} {} {peer} {}", self.life, state.received))
    }

    /// Hears the first words of the other end: from then on the connection counts.
    fn greeted(&self, greeting: &str) -> Result<u64, Parted> {
        let mut words = greeting.split(' ');
        if words.next() != Some("chuhe") {
            return Err(if greeting == "taken" { Parted::Taken } else { Parted::Foreign });
        }
        if words.next().and_then(|version| version.parse().ok()) != Some(VERSION) {
            return Err(Parted::Version);
        }
        let (Some(life), Some(known)) = (words.next().filter(|life| life.len() <= 64), words.next()) else {
            return Err(Parted::Foreign);
        };
        let seen: u64 = words.next().and_then(|seen| seen.parse().ok()).ok_or(Parted::Foreign)?;
        let mut state = self.state();
        let same = state.peer.as_deref() == Some(life);
        if state.connection.is_some() && !same {
            return Err(Parted::Taken);
        }
        if !same {
            if state.peer.is_some() {
                let stranger = Parcel { number: 0, kind: Kind::Stranger, start: 0, bytes: Vec::new() };
                state.inbox.clear();
                state.inside = stranger.size();
                state.inbox.push_back(stranger);
            }
            state.peer = Some(life.to_owned());
            (state.received, state.taken) = (0, 0);
        }
        if known == self.life {
            state.seen(seen);
        }
        state.connections += 1;
        state.connection = Some(state.connections);
        let connection = state.connections;
        drop(state);
        self.tell();
        Ok(connection)
    }

    /// Forgets everything that waits for the other end and belongs to the starts before this one.
    pub fn forget_before(&self, start: u64) {
        let mut state = self.state();
        state.outbox.retain(|parcel| parcel.start >= start);
        state.waiting = state.outbox.iter().map(Parcel::size).sum();
    }

    /// Whether the other end may know something of this start.
    pub fn has_begun(&self, start: u64) -> bool {
        !self.state().outbox.iter().any(|parcel| parcel.kind == Kind::Begin && parcel.start == start)
    }

    /// Carries both ways over a connection until it ends. `first` is whether this end speaks first.
    ///
    /// # Errors
    /// Never `Ok`: why it ended.
    pub async fn carry<S>(&self, mut socket: WebSocketStream<S>, first: bool) -> Parted
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let connection = match tokio::time::timeout(GREETING_PATIENCE, self.greet(&mut socket, first)).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(parted)) => return parted,
            Err(_) => return Parted::Silent,
        };
        let (sink, stream) = socket.split();
        let parted = tokio::select! {
            parted = self.hear(stream) => parted,
            parted = self.say(sink, connection) => parted,
        };
        let mut state = self.state();
        if state.connection == Some(connection) {
            state.connection = None;
        }
        drop(state);
        self.tell();
        parted
    }

    async fn greet<S>(&self, socket: &mut WebSocketStream<S>, first: bool) -> Result<u64, Parted>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        if first {
            socket.send(self.greeting()).await.map_err(|_| Parted::Closed)?;
        }
        let greeting = match socket.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(_)) => return Err(Parted::Foreign),
            Some(Err(_)) | None => return Err(Parted::Closed),
        };
        // What this end has seen is said before it hears that the other is a stranger: then the other does not
        // know this number, and it counts for nothing.
        let connection = self.greeted(greeting.as_str());
        if !first {
            let answer = match &connection {
                Ok(_) => self.greeting(),
                Err(_) => Message::text("taken"),
            };
            socket.send(answer).await.map_err(|_| Parted::Closed)?;
        }
        connection
    }

    async fn hear<S>(&self, mut stream: SplitStream<WebSocketStream<S>>) -> Parted
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        loop {
            match tokio::time::timeout(SILENCE, stream.next()).await {
                Err(_) => return Parted::Silent,
                Ok(None | Some(Err(tokio_tungstenite::tungstenite::Error::Io(_)))) => return Parted::Closed,
                Ok(Some(Ok(Message::Close(_)))) => return Parted::Closed,
                Ok(Some(Err(tokio_tungstenite::tungstenite::Error::Capacity(_)))) => return Parted::Foreign,
                Ok(Some(Err(_))) => return Parted::Closed,
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
                Ok(Some(Ok(Message::Text(text)))) => match text.strip_prefix("seen ").map(str::parse) {
                    Some(Ok(seen)) => self.state().seen(seen),
                    _ => return Parted::Foreign,
                },
                Ok(Some(Ok(Message::Binary(bytes)))) => match Parcel::read(&bytes) {
                    Some(parcel) => {
                        if !self.state().hear(parcel) {
                            return Parted::Foreign;
                        }
                    }
                    None => return Parted::Foreign,
                },
                Ok(Some(Ok(Message::Frame(_)))) => return Parted::Foreign,
            }
            self.tell();
        }
    }

    async fn say<S>(&self, mut sink: SplitSink<WebSocketStream<S>, Message>, connection: u64) -> Parted
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut changes = self.changes();
        let (mut cursor, mut told) = (0, None);
        let mut beat = tokio::time::interval(HEARTBEAT);
        loop {
            changes.mark_unchanged();
            let (next, taken) = {
                let state = self.state();
                if state.connection != Some(connection) {
                    return Parted::Replaced;
                }
                let next = state.outbox.iter().find(|parcel| parcel.number > cursor);
                (next.map(|parcel| (parcel.number, parcel.message())), state.taken)
            };
            let message = if let Some((number, message)) = next {
                cursor = number;
                Message::binary(message)
            } else if told != Some(taken) {
                told = Some(taken);
                Message::text(format!("seen {taken}"))
            } else {
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() { return Parted::Closed },
                    _ = beat.tick() => told = None,
                }
                continue;
            };
            match tokio::time::timeout(SILENCE, sink.send(message)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Parted::Closed,
                Err(_) => return Parted::Silent,
            }
        }
    }
}

impl State {
    /// The other end has taken everything up to a number.
    fn seen(&mut self, seen: u64) {
        while self.outbox.front().is_some_and(|parcel| parcel.number <= seen) {
            self.waiting -= self.outbox.pop_front().map_or(0, |parcel| parcel.size());
        }
    }

    /// Keeps what has come, once; false where there is more than an honest end can have sent.
    fn hear(&mut self, parcel: Parcel) -> bool {
        if parcel.number <= self.received {
            return true;
        }
        self.received = parcel.number;
        self.inside += parcel.size();
        self.inbox.push_back(parcel);
        self.inside <= MOST_WAITING
    }
}

/// How both ends use a WebSocket: small buffers, no message longer than it needs to be.
pub fn socket_config() -> WebSocketConfig {
    let mut config = WebSocketConfig::default();
    config.read_buffer_size = 8 * 1024;
    config.write_buffer_size = 0;
    config.max_write_buffer_size = 4 * MOST_MESSAGE;
    config.max_message_size = Some(MOST_MESSAGE);
    config.max_frame_size = Some(MOST_MESSAGE);
    config
}

#[cfg(test)]
mod tests {
    use tokio_tungstenite::tungstenite::protocol::Role;

    use super::*;

    async fn joined(near: &Mailbox, far: &Mailbox, buffer: usize, until: impl Future<Output = ()>) {
        let (one, other) = tokio::io::duplex(buffer);
        let config = Some(socket_config());
        let (server, client) = tokio::join!(
            WebSocketStream::from_raw_socket(one, Role::Server, config),
            WebSocketStream::from_raw_socket(other, Role::Client, config)
        );
        let carried = async { tokio::join!(near.carry(server, false), far.carry(client, true)) };
        tokio::select! {
            _ = carried => {}
            () = until => {}
        }
    }

    /// Takes everything that has come.
    fn drain(mailbox: &Mailbox, into: &mut Vec<Vec<u8>>) {
        while let Some(parcel) = mailbox.take() {
            into.push(parcel.bytes);
        }
    }

    #[test]
    fn nothing_is_lost_or_doubled_however_often_the_connection_breaks() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (near, far) = (Mailbox::new("near".to_owned()), Mailbox::new("far".to_owned()));
        let sent: Vec<Vec<u8>> =
            (0..400u32).map(|n| format!("{n} \u{7ebf}").into_bytes().repeat(9)).collect();
        let (mut at_near, mut at_far) = (Vec::new(), Vec::new());
        let mut left = sent.iter();
        runtime.block_on(async {
            for round in 0u64.. {
                for line in left.by_ref().take(7) {
                    near.push(Kind::Line, 1, line);
                    far.push(Kind::Line, 1, line);
                }
                // Cut after another number of steps each time, in the midst of a frame too.
                let steps = async {
                    for _ in 0..round * 7 % 40 {
                        tokio::task::yield_now().await;
                        if round % 3 > 0 {
                            drain(&near, &mut at_near);
                            drain(&far, &mut at_far);
                        }
                    }
                };
                joined(&near, &far, 300, steps).await;
                // What dropped connections leave behind is known only to the connections' own end.
                near.state().connection = None;
                far.state().connection = None;
                if at_near.len() >= sent.len() && at_far.len() >= sent.len() {
                    break;
                }
                assert!(round < 20_000, "{} and {} of {}", at_near.len(), at_far.len(), sent.len());
            }
        });
        assert!(at_near == sent && at_far == sent);
    }

    #[test]
    fn a_parcel_reads_as_it_was_written_and_nothing_else_does() {
        let parcel = Parcel { number: 7, kind: Kind::Line, start: 3, bytes: b"go \xff\n x".to_vec() };
        assert_eq!(Parcel::read(&parcel.message()), Some(parcel));
        for wrong in ["", "l 1 2", "x 1 2\n", "l -1 2\n", "l 1\n", "l 99999999999999999999 1\n"] {
            assert_eq!(Parcel::read(wrong.as_bytes()), None, "{wrong:?}");
        }
        let long = [b"l 1 1\n".as_slice(), &vec![b'a'; MAX_LINE + 1]].concat();
        assert_eq!(Parcel::read(&long), None);
    }

    #[test]
    fn another_life_is_a_stranger_and_a_second_machine_finds_the_seat_taken() {
        let mailbox = Mailbox::new("near".to_owned());
        let first = mailbox.greeted("chuhe 1 one - 0").unwrap();
        assert_eq!(mailbox.greeted("chuhe 1 two - 0"), Err(Parted::Taken));
        assert_eq!(mailbox.take(), None);
        // The same life takes over at once: its own end knows best that the old connection is dead.
        assert!(mailbox.greeted("chuhe 1 one near 0").unwrap() > first);
        mailbox.state().connection = None;
        mailbox.greeted("chuhe 1 two - 0").unwrap();
        assert_eq!(mailbox.take().map(|parcel| parcel.kind), Some(Kind::Stranger));
        for wrong in ["", "chuhe", "chuhe 1 x", "chuhe 1 x - y", "GET / HTTP/1.1"] {
            assert!(mailbox.greeted(wrong).is_err(), "{wrong}");
        }
        assert_eq!(mailbox.greeted("chuhe 2 two - 0"), Err(Parted::Version));
    }

    #[test]
    fn what_an_honest_end_cannot_have_sent_ends_the_connection() {
        let mut state = State::default();
        let parcel = |number| Parcel { number, kind: Kind::Line, start: 1, bytes: vec![b'a'; MAX_LINE] };
        let taken = (1..100).take_while(|number| state.hear(parcel(*number))).count();
        assert!((8..=12).contains(&taken), "{taken}");
        // What comes twice counts once.
        assert!(State::default().hear(parcel(1)) && state.hear(parcel(1)));
    }
}
