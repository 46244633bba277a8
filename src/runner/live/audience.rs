//! Those who watch: each has a short queue of messages of its own. Who does not take them misses some and is
//! given everything as it stands once the queue is empty again; who takes nothing for long is let go. Never
//! waits for anybody. Start at [`Audience::tell`].

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Bytes, HttpBody};
use hyper::body::Frame;
use tokio::sync::mpsc;

/// Messages that wait for one viewer at most.
const QUEUE: usize = 8;

/// How long a viewer may take nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// One who watches.
#[derive(Debug)]
struct Viewer {
    queue: mpsc::Sender<Bytes>,
    /// Since when it misses messages.
    behind: Option<Instant>,
}

/// All who watch.
#[derive(Debug, Default)]
pub struct Audience {
    viewers: Vec<Viewer>,
}

impl Audience {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.viewers.len()
    }

    /// Somebody comes and is given the first messages.
    pub fn enter(&mut self, first: impl IntoIterator<Item = Bytes>) -> Messages {
        let (queue, messages) = mpsc::channel(QUEUE);
        for message in first {
            let _ = queue.try_send(message);
        }
        self.viewers.push(Viewer { queue, behind: None });
        Messages(messages)
    }

    /// Tells all of them something; `all` makes a message with everything for those who were behind.
    pub fn tell(&mut self, message: &Bytes, mut all: impl FnMut() -> Bytes) {
        let now = Instant::now();
        let mut whole: Option<Bytes> = None;
        self.viewers.retain_mut(|viewer| {
            if viewer.queue.is_closed() || viewer.behind.is_some_and(|since| now - since > PATIENCE) {
                return false;
            }
            let message = match viewer.behind {
                None => message,
                // Everything is told when it has taken what it had.
                Some(_) if viewer.queue.capacity() == QUEUE => {
                    viewer.behind = None;
                    &*whole.get_or_insert_with(&mut all)
                }
                Some(_) => return true,
            };
            if viewer.queue.try_send(message.clone()).is_err() {
                viewer.behind = Some(now);
            }
            true
        });
    }

    /// Everybody goes.
    pub fn leave(&mut self) {
        self.viewers.clear();
    }
}

/// The messages of one viewer as the body of an answer that does not end by itself.
#[derive(Debug)]
pub struct Messages(mpsc::Receiver<Bytes>);

impl HttpBody for Messages {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(cx).map(|message| message.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(messages: &mut Messages) -> Vec<Bytes> {
        std::iter::from_fn(|| messages.0.try_recv().ok()).collect()
    }

    #[test]
    fn who_is_slow_misses_messages_and_is_given_everything_later() {
        let mut audience = Audience::default();
        let (mut quick, mut slow) = (audience.enter([]), audience.enter([Bytes::from("all")]));
        let all = || Bytes::from("all again");
        for number in 0..QUEUE + 5 {
            audience.tell(&Bytes::from(number.to_string()), all);
            assert_eq!(taken(&mut quick), [number.to_string()]);
        }
        let late = taken(&mut slow);
        assert_eq!((late.len(), &late[0], &late[QUEUE - 1]), (QUEUE, &Bytes::from("all"), &Bytes::from("6")));
        audience.tell(&Bytes::from("next"), all);
        assert_eq!(
            (taken(&mut quick), taken(&mut slow)),
            (vec![Bytes::from("next")], vec![Bytes::from("all again")])
        );
        drop(slow);
        audience.tell(&Bytes::from("last"), all);
        assert_eq!((audience.count(), taken(&mut quick)), (1, vec![Bytes::from("last")]));
    }
}
