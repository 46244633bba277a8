//! The seats that are played from elsewhere: who may sit at which by what secret link, and the line of each
//! (`runner::seat_line`) that waits for them. Knows no word of what is said there. Start at [`Seats`].

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};

use super::person::{PersonSeat, Team};
use super::remote::Relay;
use super::token::{Token, bearer};
use crate::engine::Far;
use crate::plan::Plan;
use crate::runner::files::read_text;

/// The file of a run folder that holds the secret link of every seat, and keeps the secrets for a run that goes
/// on. Only its owner can read it; it goes when the run is over.
pub const LINKS: &str = "links.json";

/// Longest first line of a seat's process, and how long it may take.
const MOST_GREETING: u64 = 256;
const GREETING_PATIENCE: Duration = Duration::from_secs(5);

/// The pause after the system refused a line (too many open files).
const REFUSED_PAUSE: Duration = Duration::from_millis(200);

/// How often those who sit somewhere are told how it stands when nothing happens.
const BEAT_EVERY: Duration = Duration::from_secs(10);

/// A seat that is played from elsewhere, as the plan has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarSeat {
    /// Its number in the event, `ENTRANT.MEMBER` from 1.
    pub label: String,
    /// Who sits there.
    pub far: Far,
    /// The name of its entrant.
    pub entrant: String,
    /// The Chinese name of its entrant, if any.
    pub entrant_zh: Option<String>,
    /// Which member of a team it is, from 1; none where its entrant is no team.
    pub member: Option<usize>,
    /// How many members the entrant has.
    pub members: usize,
    /// Whether it is the master's seat of an exhibition, who sees no board (II.2).
    pub blindfold: bool,
}

/// All seats of a plan that are played from elsewhere, in its order.
pub fn far_seats(plan: &Plan) -> Vec<FarSeat> {
    let exhibition = plan.stages.iter().any(|stage| stage.format.exhibition().is_some());
    let mut seats = Vec::new();
    for (index, entrant) in plan.entrants.iter().enumerate() {
        for (member, manifest) in (1..).zip(entrant.members()) {
            let Some(far) = manifest.far() else { continue };
            seats.push(FarSeat {
                label: format!("{}.{member}", index + 1),
                far,
                entrant: entrant.name.clone(),
                entrant_zh: entrant.name_zh.clone(),
                member: (!entrant.team.is_empty()).then_some(member),
                members: entrant.team.len() + 1,
                blindfold: exhibition && index == crate::tournament::MASTER,
            });
        }
    }
    seats
}

/// What is behind a seat.
#[derive(Debug)]
pub enum Behind {
    /// A person.
    Person(Arc<PersonSeat>),
    /// An engine on another machine.
    Remote(Arc<Relay>),
}

/// A seat and the secret that opens it.
#[derive(Debug)]
pub struct Seat {
    /// Whose.
    pub facts: FarSeat,
    /// Who has this may sit there.
    pub token: Token,
    /// Who sits there.
    pub behind: Behind,
}

/// The seats of a run.
#[derive(Debug)]
pub struct Seats {
    all: Vec<Seat>,
    /// What links begin with.
    base: String,
    secret: Token,
    name: String,
}

impl Seats {
    /// Gives every seat its secret: that of the run's folder, if it has one from an earlier life, else a new one.
    /// `base` is what links begin with, without a `/` at the end.
    ///
    /// # Errors
    /// There is no randomness, or the secrets cannot be kept.
    pub fn new(facts: Vec<FarSeat>, dir: Option<&Path>, base: String) -> std::io::Result<Seats> {
        let known = dir.map(read_links).unwrap_or_default();
        let mut all = Vec::new();
        // Those of one entrant advise one another.
        let mut teams: BTreeMap<String, Arc<Team>> = BTreeMap::new();
        for facts in facts {
            let token = match known.get(&facts.label) {
                Some(token) => token.clone(),
                None => Token::fresh()?,
            };
            let behind = match facts.far {
                Far::Person => {
                    let team = teams.entry(facts.entrant.clone()).or_default();
                    Behind::Person(Arc::new(PersonSeat::new(facts.clone(), Arc::clone(team))))
                }
                Far::Remote => Behind::Remote(Arc::new(Relay::new(facts.clone())?)),
            };
            all.push(Seat { facts, token, behind });
        }
        let (secret, name) = (Token::fresh()?, format!("chuhe-{}", Token::fresh()?.link_text()));
        let seats = Seats { all, base, secret, name };
        if let Some(dir) = dir.filter(|_| !seats.all.is_empty()) {
            seats.keep_links(dir)?;
        }
        Ok(seats)
    }

    fn keep_links(&self, dir: &Path) -> std::io::Result<()> {
        let links: BTreeMap<&str, String> =
            self.all.iter().map(|seat| (seat.facts.label.as_str(), self.link(seat))).collect();
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(dir.join(LINKS));
        file?.write_all(serde_json::to_string_pretty(&links)?.as_bytes())
    }

    /// The secret link of a seat.
    pub fn link(&self, seat: &Seat) -> String {
        let page = match seat.facts.far {
            Far::Person => "seat",
            Far::Remote => "remote",
        };
        format!("{}/{page}#{}", self.base, seat.token.link_text())
    }

    /// Whether nobody sits elsewhere.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All seats.
    pub fn all(&self) -> &[Seat] {
        &self.all
    }

    /// Where the processes of seats find us: what [`super::super::seat_line::SEATS`] is to be set to.
    pub fn place(&self) -> String {
        format!("{} {}", self.name, self.secret.link_text())
    }

    /// The seat that a request has the secret of.
    pub fn of_request(&self, headers: &HeaderMap) -> Option<&Seat> {
        let token = bearer(headers)?;
        // All are compared: how long it takes tells nothing.
        self.all.iter().fold(None, |found, seat| if seat.token.matches(token) { Some(seat) } else { found })
    }

    /// Takes the place where the processes of seats call.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn listen(&self) -> std::io::Result<std::os::unix::net::UnixListener> {
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&self.name)?;
        let listener = std::os::unix::net::UnixListener::bind_addr(&address)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Joins every line that calls with whoever is behind its seat, for ever.
    pub async fn attend(self: Arc<Seats>, listener: std::os::unix::net::UnixListener) {
        let Ok(listener) = UnixListener::from_std(listener) else { return };
        loop {
            match listener.accept().await {
                Ok((line, _)) => drop(tokio::spawn(Arc::clone(&self).join(line))),
                Err(_) => tokio::time::sleep(REFUSED_PAUSE).await,
            }
        }
    }

    /// Tells those who sit somewhere that we are there, for ever: a window that is gone is found by that.
    pub async fn beat(self: Arc<Seats>) {
        loop {
            tokio::time::sleep(BEAT_EVERY).await;
            self.persons().for_each(|seat| seat.team().tell());
        }
    }

    /// Nothing follows at any seat.
    pub fn end(&self) {
        self.persons().for_each(|seat| seat.team().end());
    }

    fn persons(&self) -> impl Iterator<Item = &PersonSeat> {
        self.all.iter().filter_map(|seat| match &seat.behind {
            Behind::Person(person) => Some(&**person),
            Behind::Remote(_) => None,
        })
    }

    async fn join(self: Arc<Seats>, line: UnixStream) {
        let mut line = BufReader::new(line);
        let mut greeting = String::new();
        let mut limited = (&mut line).take(MOST_GREETING);
        let read = tokio::time::timeout(GREETING_PATIENCE, limited.read_line(&mut greeting));
        if !matches!(read.await, Ok(Ok(_))) {
            return;
        }
        let mut words = greeting.split_ascii_whitespace();
        let (secret, _kind, label) = (words.next(), words.next(), words.next());
        if !secret.is_some_and(|secret| self.secret.matches(secret)) {
            return;
        }
        match self.all.iter().find(|seat| Some(seat.facts.label.as_str()) == label).map(|seat| &seat.behind) {
            Some(Behind::Person(seat)) => Arc::clone(seat).serve(line).await,
            Some(Behind::Remote(relay)) => Arc::clone(relay).serve(line).await,
            None => {}
        }
    }
}

/// The secrets of an earlier life.
fn read_links(dir: &Path) -> BTreeMap<String, Token> {
    let text = read_text(&dir.join(LINKS)).unwrap_or_default();
    let links: BTreeMap<String, String> = serde_json::from_str(&text).unwrap_or_default();
    let secret = |link: &str| Token::parse(link.rsplit('#').next()?);
    links.into_iter().filter_map(|(label, link)| Some((label, secret(&link)?))).collect()
}
