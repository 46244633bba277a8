//! The live page: a run in the browser, read-only, served by a thread of its own with a runtime of its own at
//! a lower priority than the run. Nothing listens unless it is asked to. Start at [`Live`] for a page beside
//! a run, at [`watch`] for a run folder.

mod audience;
mod chamber;
mod chamber_words;
mod desk;
mod feed;
mod guard;
mod hub;
mod pages;
mod person;
mod remote;
mod seat_pages;
mod seats;
mod server;
mod tail;
mod token;

use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::desk::DeskError;
use super::event::RunError;
use super::hearing::{Petitions, Waiting};
use crate::record::Run;
use crate::report::live::Watched;
pub use feed::{Aloud, Feed, Message};
use guard::Door;
use hub::{Hub, SharedHub, TURN};
use pages::{Hosts, Room};
use seats::Seats;
pub use seats::{FarSeat, LINKS, far_seats};
use tail::Tail;
pub use token::Token;

/// Most connections at once; fewer where the system allows fewer open files, of which half are left to
/// the engines.
const MOST_CONNECTIONS: usize = 1024;

/// How much nicer the page's thread is than the run.
const NICENESS: i32 = 5;

/// How long the end waits for the last words to reach those who watch.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How long the run waits for the page to close.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// How a page is to be served.
#[derive(Debug, Clone)]
pub struct LiveOptions {
    /// Where it listens.
    pub address: SocketAddr,
    /// Names by which it is called beside addresses: those of a proxy in front of it.
    pub hosts: Vec<String>,
    /// What links begin with, if not with the address: where a proxy in front of it is reached.
    pub base: Option<String>,
    /// How long what happens is held back.
    pub delay: Duration,
    /// Whether the referee's desk is opened beside it.
    pub desk: bool,
}

/// A page that listens and is not served yet.
#[derive(Debug)]
pub struct Live {
    listener: TcpListener,
    options: LiveOptions,
    desk: Option<(OpenDesk, Waiting)>,
}

/// The referee's desk of a page: who may sit at it, and where the hall is reached.
#[derive(Debug, Clone)]
pub struct OpenDesk {
    /// What lets in.
    pub token: Token,
    /// To the hall.
    pub petitions: Petitions,
}

/// A page that is served beside a run; it is closed when this goes.
#[derive(Debug)]
pub struct Served {
    feed: Feed,
    seats: Arc<Seats>,
    thread: Option<JoinHandle<()>>,
    ended: Receiver<()>,
    waiting: Option<Waiting>,
    attended: bool,
}

impl Live {
    /// Takes the address.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn bind(options: LiveOptions) -> std::io::Result<Live> {
        let listener = TcpListener::bind(options.address)?;
        listener.set_nonblocking(true)?;
        let desk = options.desk.then(|| {
            let (petitions, waiting) = Petitions::new();
            Ok::<_, std::io::Error>((OpenDesk { token: Token::fresh()?, petitions }, waiting))
        });
        Ok(Live { listener, options, desk: desk.transpose()? })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.options.address)
    }

    /// What links to it begin with, without a `/` at the end.
    pub fn base(&self) -> String {
        self.options.base.clone().unwrap_or_else(|| format!("http://{}", self.address()))
    }

    /// The link to the referee's desk, if it is opened.
    pub fn desk_link(&self) -> Option<String> {
        let (desk, _) = self.desk.as_ref()?;
        Some(format!("{}/desk#{}", self.base(), desk.token.link_text()))
    }

    /// Serves the page of a run as it stands; what follows is told by the feed. The secrets of its seats are kept
    /// in the run's folder, if it has one.
    ///
    /// # Errors
    /// The system gives no thread, no randomness or no place for the lines of seats.
    pub fn open(mut self, run: Run, seats: Vec<FarSeat>, dir: Option<&Path>) -> std::io::Result<Served> {
        let (desk, waiting) = self.desk.take().unzip();
        let attended = desk.is_some();
        let (feed, news) = Feed::new();
        let seats = Arc::new(Seats::new(seats, dir, self.base())?);
        let lines = (!seats.is_empty()).then(|| seats.listen()).transpose()?;
        let own = Arc::clone(&seats);
        let (end, ended) = mpsc::channel();
        let thread = std::thread::Builder::new().name("live".to_owned()).spawn(move || {
            // Refused niceness is no reason not to serve. Whoever plays from elsewhere waits for no viewer's sake.
            if lines.is_none() {
                let _ = rustix::process::nice(NICENESS);
            }
            let take = move || Ok(news.try_iter().map(|message| (Instant::now(), message)).collect());
            // A page that cannot be served does not end the run.
            let _ = self.conduct(Watched::new(run), take, (own, lines, desk));
            let _ = end.send(());
        })?;
        Ok(Served { feed, seats, thread: Some(thread), ended, waiting, attended })
    }

    /// Serves until nothing more follows.
    fn conduct(
        self,
        watched: Watched,
        mut news: impl FnMut() -> Result<Vec<(Instant, Message)>, DeskError>,
        (seats, lines, desk): (Arc<Seats>, Option<UnixListener>, Option<OpenDesk>),
    ) -> Result<(), RunError> {
        let most = most_connections();
        let hub = SharedHub::new(Hub::new(watched, most, self.options.delay));
        let hosts = Arc::new(Hosts::new(self.address().ip(), &self.options.hosts));
        let seated = Arc::clone(&seats);
        let room = Room { hub: hub.clone(), door: Door::new(most), hosts, seats: seated, desk };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
        let system = |error| RunError::System { what: "serve the live page", error };
        runtime.map_err(system)?.block_on(async {
            let serving = tokio::spawn(server::serve(self.listener, room));
            if let Some(lines) = lines {
                tokio::spawn(Arc::clone(&seats).attend(lines));
                tokio::spawn(Arc::clone(&seats).beat());
            }
            loop {
                let goes_on = hub.lock().turn(news()?);
                if !goes_on {
                    break;
                }
                if serving.is_finished() {
                    return Ok(());
                }
                tokio::time::sleep(TURN).await;
            }
            seats.end();
            if hub.lock().viewers() > 0 || !seats.is_empty() {
                tokio::time::sleep(LAST_WORDS).await;
            }
            // A run that was stopped may go on: whoever plays from elsewhere comes back then.
            if hub.lock().is_over() {
                remote::farewell(&seats).await;
            }
            hub.lock().close();
            Ok(())
        })
    }
}

impl Served {
    /// Where the run tells what happens.
    pub fn feed(&self) -> &Feed {
        &self.feed
    }

    /// Where the lines of seats find the server, if there are such seats.
    pub fn place(&self) -> Option<String> {
        (!self.seats.is_empty()).then(|| self.seats.place())
    }

    /// The seats and the secret link of each, for whoever holds the event alone.
    pub fn links(&self) -> impl Iterator<Item = (&FarSeat, String)> {
        self.seats.all().iter().map(|seat| (&seat.facts, self.seats.link(seat)))
    }

    /// What far sides have declared of their engines since this was asked last: the entrant, and in words what.
    pub fn take_declared(&self) -> Vec<(String, String)> {
        remote::declared(&self.seats)
    }

    /// Whether the referee's desk is open.
    pub fn is_attended(&self) -> bool {
        self.attended
    }

    /// Where the hall finds what comes from the referee's desk, once.
    pub fn take_waiting(&mut self) -> Option<Waiting> {
        self.waiting.take()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.feed.tell(Message::End);
        let ended = self.ended.recv_timeout(END_PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout);
        if let Some(thread) = self.thread.take().filter(|_| ended) {
            let _ = thread.join();
        }
    }
}

/// Serves the page of a run folder, from its journal alone, until the program is stopped.
///
/// # Errors
/// There is no journal, it is not sound, or the page cannot be served.
pub fn watch(dir: &Path, live: Live) -> Result<(), RunError> {
    let mut tail = Tail::new(dir);
    let nobody = Seats::new(Vec::new(), None, live.base())
        .map_err(|error| RunError::System { what: "serve the live page", error })?;
    live.conduct(Watched::default(), move || tail.read(), (Arc::new(nobody), None, None))
}

/// Whether there is a run in a folder that can be watched.
///
/// # Errors
/// There is none.
pub fn look_before_watching(dir: &Path) -> Result<(), RunError> {
    Tail::new(dir).read()?;
    Ok(())
}

fn most_connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let half = files.map_or(MOST_CONNECTIONS, |files| usize::try_from(files / 2).unwrap_or(MOST_CONNECTIONS));
    half.min(MOST_CONNECTIONS)
}
