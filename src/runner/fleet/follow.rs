//! Follows a stream through everything that can happen to the connection: what was there and what comes is
//! passed on in order, once. Never looks into a message. Start at [`follow`].

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;

use super::link::Link;

/// After so long without a message the server is asked whether there is one.
const QUIET: Duration = Duration::from_secs(3);

/// How long after a failure the next attempt is made.
const AGAIN: Duration = Duration::from_millis(500);

/// Messages that may wait to be looked at.
const WAITING: usize = 64;

/// A message of a stream.
#[derive(Debug)]
pub struct Stored {
    /// Its subject.
    pub subject: String,
    /// Its number.
    pub number: u64,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// The messages of a stream under a subject whose numbers are greater than `after`.
pub fn follow(link: &Link, stream: &'static str, subject: String, after: u64) -> mpsc::Receiver<Stored> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let link = link.clone();
    tokio::task::spawn_local(async move {
        let mut seen = after;
        // The receiver is gone when nobody wants to know any more.
        while pass_on(&link, stream, &subject, &mut seen, &sender).await {
            tokio::time::sleep(AGAIN).await;
        }
    });
    receiver
}

/// Passes messages on until something goes wrong; false when nobody listens any more.
async fn pass_on(
    link: &Link,
    stream: &str,
    subject: &str,
    seen: &mut u64,
    sender: &mpsc::Sender<Stored>,
) -> bool {
    let following = link.follow(stream, subject.to_owned(), *seen + 1);
    let Ok(mut messages) = following.await else { return !sender.is_closed() };
    loop {
        let next = tokio::select! {
            next = tokio::time::timeout(QUIET, messages.next()) => next,
            () = sender.closed() => return false,
        };
        let message = match next {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(_)) | None) => return true,
            Err(_) => match link.last(stream, subject).await {
                Ok(last) if last.is_none_or(|last| last <= *seen) => continue,
                Ok(_) | Err(_) => return true,
            },
        };
        let Ok(number) = message.info().map(|info| info.stream_sequence) else { continue };
        if number <= *seen {
            continue;
        }
        *seen = number;
        let (subject, bytes) = (message.subject.to_string(), message.payload.to_vec());
        if sender.send(Stored { subject, number, bytes }).await.is_err() {
            return false;
        }
    }
}
