//! The door of the live page: who may come in, how many at once and how often, and a connection that is
//! closed when the other end takes nothing. Knows nothing of what the pages say. Start at [`Door`].

use std::collections::HashMap;
use std::future::Future as _;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// Most connections of one address; a hall may sit behind one. Our own machine has no limit but that of all.
const MOST_OF_ONE: usize = 100;

/// Requests an address may make at once, and how many it may make again each second.
const BURST: f64 = 200.0;
const REFILL: f64 = 20.0;
/// On our own machine, where a proxy may stand for everybody.
const OWN_FACTOR: f64 = 10.0;

/// Most addresses whose requests are counted; then those that have been quiet are forgotten.
const MOST_ADDRESSES: usize = 4096;

/// How long the other end may take nothing of what is written.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug)]
struct Caller {
    connections: usize,
    allowed: f64,
    counted: Instant,
}

/// Who is in, and how often everybody asked.
#[derive(Debug)]
pub struct Door {
    most: usize,
    inside: Mutex<(usize, HashMap<IpAddr, Caller>)>,
}

/// A place for a connection; it is free again when this goes.
#[derive(Debug)]
pub struct Ticket {
    door: Arc<Door>,
    /// Whose it is.
    pub from: IpAddr,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut inside = self.door.inside();
        inside.0 -= 1;
        if let Some(caller) = inside.1.get_mut(&self.from) {
            caller.connections -= 1;
        }
    }
}

impl Door {
    /// A door for at most so many connections.
    pub fn new(most: usize) -> Arc<Door> {
        Arc::new(Door { most, inside: Mutex::default() })
    }

    fn inside(&self) -> MutexGuard<'_, (usize, HashMap<IpAddr, Caller>)> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a connection in, or not.
    pub fn enter(self: &Arc<Door>, from: IpAddr) -> Option<Ticket> {
        let from = from.to_canonical();
        let mut inside = self.inside();
        if inside.0 >= self.most {
            return None;
        }
        let caller = caller(&mut inside.1, from)?;
        if caller.connections >= MOST_OF_ONE && !from.is_loopback() {
            return None;
        }
        caller.connections += 1;
        inside.0 += 1;
        Some(Ticket { door: Arc::clone(self), from })
    }

    /// Whether an address may ask for something now.
    pub fn may_ask(&self, from: IpAddr) -> bool {
        let mut inside = self.inside();
        let Some(caller) = caller(&mut inside.1, from) else { return false };
        let factor = if from.is_loopback() { OWN_FACTOR } else { 1.0 };
        let now = Instant::now();
        let refill = REFILL * factor * (now - caller.counted).as_secs_f64();
        caller.allowed = (caller.allowed + refill).min(BURST * factor);
        caller.counted = now;
        let may = caller.allowed >= 1.0;
        caller.allowed -= f64::from(u8::from(may));
        may
    }
}

fn caller(callers: &mut HashMap<IpAddr, Caller>, from: IpAddr) -> Option<&mut Caller> {
    if callers.len() >= MOST_ADDRESSES && !callers.contains_key(&from) {
        let full = Duration::from_secs_f64(BURST / REFILL);
        callers.retain(|_, caller| caller.connections > 0 || caller.counted.elapsed() < full);
        if callers.len() >= MOST_ADDRESSES {
            return None;
        }
    }
    let factor = if from.is_loopback() { OWN_FACTOR } else { 1.0 };
    let new = || Caller { connections: 0, allowed: BURST * factor, counted: Instant::now() };
    Some(callers.entry(from).or_insert_with(new))
}

/// A connection whose writes fail when the other end takes nothing for long.
#[derive(Debug)]
pub struct Guarded {
    stream: TcpStream,
    /// Rings when a write has waited too long.
    waiting: Option<Pin<Box<Sleep>>>,
    _ticket: Ticket,
}

impl Guarded {
    /// Guards a connection that holds a ticket.
    pub fn new(stream: TcpStream, ticket: Ticket) -> Guarded {
        Guarded { stream, waiting: None, _ticket: ticket }
    }

    fn watched<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<std::io::Result<T>>,
    ) -> Poll<std::io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_PATIENCE)));
        waiting.as_mut().poll(cx).map(|()| Err(std::io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_requests_run_out() {
        let (own, foreign): (IpAddr, IpAddr) = ([127, 0, 0, 1].into(), [192, 0, 2, 7].into());
        let door = Door::new(MOST_OF_ONE + 3);
        let foreigners: Vec<_> = std::iter::from_fn(|| door.enter(foreign)).collect();
        let owners: Vec<_> = std::iter::from_fn(|| door.enter(own)).collect();
        assert_eq!((foreigners.len(), owners.len()), (MOST_OF_ONE, 3));
        drop(owners);
        assert!(door.enter(own).is_some() && door.enter(foreign).is_none());
        let asked = (0..1000).filter(|_| door.may_ask(foreign)).count();
        assert!((200..300).contains(&asked), "{asked}");
        assert!(door.may_ask(own));
    }

    #[test]
    fn addresses_that_were_never_seen_do_not_fill_the_memory() {
        let door = Door::new(1);
        let count = (0..10_000u32).filter(|number| door.may_ask(IpAddr::from(number.to_be_bytes()))).count();
        assert_eq!((count, door.inside().1.len()), (MOST_ADDRESSES, MOST_ADDRESSES));
    }
}
