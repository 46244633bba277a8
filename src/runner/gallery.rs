//! The gallery: everything that people see of a run, on a thread of its own with a fold of its own: lines
//! or a bar in the terminal, and the documents in the folder. A terminal that blocks and the tables of a
//! long test, which take longer to draw than any clock may wait, so never hold up a game.
//! Start at [`Gallery`].

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::show::Show;
use super::store::write_whole;
use crate::record::{Event, Run};
use crate::report::{Album, DOCUMENTS, Style};

/// Shortest time between two drawings of the documents while games run.
const DRAW_EVERY: Duration = Duration::from_secs(2);

/// The time between two drawings is at least this many times what a drawing took, so that drawing never
/// takes more than a fiftieth of a core from the engines.
const SHARE: u32 = 50;

/// How long the end of a run waits for a terminal that takes nothing any more.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// What the gallery is told.
#[derive(Debug)]
enum Message {
    /// An event that is in the journal.
    Event(Box<Event>),
    /// A line for people.
    Say(String),
    /// The bar is removed.
    Close,
}

/// The thread that shows a run.
#[derive(Debug)]
pub struct Gallery {
    messages: Option<mpsc::Sender<Message>>,
    thread: Option<JoinHandle<()>>,
    ended: mpsc::Receiver<()>,
}

impl Gallery {
    /// Opens the gallery on a run as it stands; its documents are drawn into `dir`, if there is one.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn open(dir: Option<PathBuf>, run: Run, show: Show) -> std::io::Result<Gallery> {
        let dirty = dir.is_some();
        let (messages, inbox) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let thread = std::thread::Builder::new().name("gallery".to_owned()).spawn(move || {
            Room { dir, run, show, dirty, next: Instant::now() }.follow(&inbox);
            let _ = end.send(());
        })?;
        Ok(Gallery { messages: Some(messages), thread: Some(thread), ended })
    }

    /// Shows an event that is in the journal.
    pub fn event(&self, event: Event) {
        self.tell(Message::Event(Box::new(event)));
    }

    /// Says something beside the progress.
    pub fn say(&self, text: &str) {
        self.tell(Message::Say(text.to_owned()));
    }

    /// Removes the bar: what follows is printed below the lines.
    pub fn clear(&self) {
        self.tell(Message::Close);
    }

    fn tell(&self, message: Message) {
        if let Some(messages) = &self.messages {
            let _ = messages.send(message);
        }
    }
}

impl Drop for Gallery {
    /// Everything told so far is shown first, unless the terminal takes nothing any more.
    fn drop(&mut self) {
        self.messages = None;
        let ended = self.ended.recv_timeout(END_PATIENCE) != Err(RecvTimeoutError::Timeout);
        if let Some(thread) = self.thread.take().filter(|_| ended) {
            let _ = thread.join();
        }
    }
}

struct Room {
    dir: Option<PathBuf>,
    run: Run,
    show: Show,
    dirty: bool,
    next: Instant,
}

impl Room {
    fn follow(mut self, inbox: &mpsc::Receiver<Message>) {
        loop {
            let received = if self.dirty {
                inbox.recv_timeout(self.next.saturating_duration_since(Instant::now()))
            } else {
                inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match received {
                Ok(Message::Event(event)) => {
                    // The desk has folded the same event before; if it does not fit, the desk says so.
                    let _ = self.run.apply(&event);
                    self.show.event(&event, &self.run);
                    self.dirty = self.dir.is_some();
                }
                Ok(Message::Say(text)) => self.show.say(&text),
                Ok(Message::Close) => self.show.close(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.dirty && Instant::now() >= self.next {
                self.draw();
            }
        }
    }

    /// A document that cannot be written now is written, or its error told, at the end of the run.
    fn draw(&mut self) {
        let Some(dir) = &self.dir else { return };
        let began = Instant::now();
        for document in DOCUMENTS.iter().filter(|document| document.live) {
            let text = document.draw(&self.run, &Album::default(), &Style::default());
            let _ = write_whole(&dir.join(document.file), text.as_bytes());
        }
        self.dirty = false;
        self.next = Instant::now() + DRAW_EVERY.max(began.elapsed() * SHARE);
    }
}
