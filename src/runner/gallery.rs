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
use crate::record::{Event, Kept, Run, What};
use crate::report::{Album, DOCUMENTS, Style};

/// Shortest time between two drawings of the documents while games run.
const DRAW_EVERY: Duration = Duration::from_secs(2);

/// The time between two drawings is at least this many times what a drawing took, so that drawing never
/// takes more than a fiftieth of a core from the engines.
const SHARE: u32 = 50;

/// How long the end of a run waits for a terminal that takes nothing any more.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// How long an exit at once waits for the bar to be removed.
const CLEAR_PATIENCE: Duration = Duration::from_millis(200);

/// What the gallery is told.
#[derive(Debug)]
enum Message {
    /// An event that is in the journal, and what the desk keeps of the game that it ends.
    Event(Box<Event>, Option<Kept>),
    /// A line for people, in English and Chinese.
    Say(String, String),
    /// The bar is removed, and this told of it.
    Close(mpsc::Sender<()>),
}

/// The thread that shows a run.
#[derive(Debug)]
pub struct Gallery {
    /// Whether what was thought is wanted too.
    whole: bool,
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
        let (dirty, whole) = (dir.is_some(), show.wants_thoughts());
        let (messages, inbox) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let thread = std::thread::Builder::new().name("gallery".to_owned()).spawn(move || {
            Room { dir, run, show, dirty, next: Instant::now() }.follow(&inbox);
            let _ = end.send(());
        })?;
        Ok(Gallery { whole, messages: Some(messages), thread: Some(thread), ended })
    }

    /// Shows an event that is in the journal; `game` is what the desk keeps of the game that it ends.
    pub fn event(&self, mut event: Event, game: Option<Kept>) {
        if let What::GameOver(over) = &mut event.what {
            // Events wait while documents are drawn, and as long as a terminal takes nothing: they are kept small.
            if !self.whole {
                (over.thoughts, over.lines) = (Vec::new(), Vec::new());
            }
            over.moves.shrink_to_fit();
            over.used_us.shrink_to_fit();
        }
        self.tell(Message::Event(Box::new(event), game));
    }

    /// Says something beside the progress, in English or in Chinese.
    pub fn say(&self, english: &str, chinese: &str) {
        self.tell(Message::Say(english.to_owned(), chinese.to_owned()));
    }

    /// Removes the bar: what follows is printed below the lines.
    /// Returns when that is done, or when the terminal takes too long.
    pub fn clear(&self) {
        let (done, wait) = mpsc::channel();
        self.tell(Message::Close(done));
        let _ = wait.recv_timeout(CLEAR_PATIENCE);
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
                Ok(Message::Event(event, game)) => {
                    // The desk has folded the same event before; if it does not fit, the desk says so.
                    let _ = self.run.apply(&event);
                    game.into_iter().for_each(|kept| self.run.share(kept));
                    self.show.event(&event, &self.run);
                    self.dirty = self.dir.is_some();
                }
                Ok(Message::Say(english, chinese)) => self.show.say_either(&english, &chinese),
                Ok(Message::Close(done)) => {
                    self.show.close();
                    let _ = done.send(());
                }
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
