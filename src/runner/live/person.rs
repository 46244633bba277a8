//! Persons' seats as the server has them: each joins a line of the runner with the windows that show the seat. What
//! happens there is the chamber's (`chamber`); this only carries it. Start at [`PersonSeat::serve`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::body::Bytes;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::audience::{Audience, Messages};
use super::chamber::{Chamber, LineId, Reply, Say, Words};
use super::hub::Full;
use super::seats::FarSeat;

/// Most windows of one seat at once.
const MOST_WINDOWS: usize = 32;

/// The seats of one entrant: its members may advise one another.
#[derive(Debug, Default)]
pub struct Team(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    chamber: Chamber,
    /// Of each seat those who see it.
    windows: Vec<Audience>,
    lines: BTreeMap<LineId, UnboundedSender<String>>,
}

impl Team {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all windows how everything stands: something has changed, or they are to see that we are there.
    pub fn tell(&self) {
        self.inside().tell();
    }

    /// Nothing follows: everybody is told.
    pub fn end(&self) {
        let mut inside = self.inside();
        inside.chamber.end();
        inside.tell();
        inside.windows.iter_mut().for_each(Audience::leave);
    }
}

impl Inside {
    fn message(&self, member: usize) -> Bytes {
        Bytes::from(format!("data: {}\n\n", self.chamber.state(Instant::now(), member)))
    }

    fn tell(&mut self) {
        let mut windows = std::mem::take(&mut self.windows);
        for (member, audience) in windows.iter_mut().enumerate().filter(|(_, audience)| audience.count() > 0)
        {
            audience.tell(&self.message(member), || self.message(member));
        }
        self.windows = windows;
    }

    /// Sends words and tells what has changed.
    fn pass(&mut self, words: Words) {
        for (id, words) in words {
            // A line that has just closed is asked nothing any more.
            let _ = self.lines.get(&id).map(|line| line.send(words));
        }
        self.tell();
    }
}

/// A person's seat.
#[derive(Debug)]
pub struct PersonSeat {
    team: Arc<Team>,
    member: usize,
}

impl PersonSeat {
    /// An empty one.
    pub fn new(facts: FarSeat, team: Arc<Team>) -> PersonSeat {
        let member = {
            let mut inside = team.inside();
            inside.windows.push(Audience::default());
            inside.chamber.add(facts)
        };
        PersonSeat { team, member }
    }

    /// Its entrant's seats.
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// How the seat stands.
    pub fn state(&self) -> Value {
        self.team.inside().chamber.state(Instant::now(), self.member)
    }

    /// A window that shows the seat: how it stands, and again after each change.
    ///
    /// # Errors
    /// There are as many as there may be.
    pub fn enter(&self) -> Result<Messages, Full> {
        let mut inside = self.team.inside();
        if inside.windows[self.member].count() >= MOST_WINDOWS {
            return Err(Full);
        }
        let first = inside.message(self.member);
        Ok(inside.windows[self.member].enter([first]))
    }

    /// The person says something.
    pub fn say(&self, say: &Say) -> Reply {
        let mut inside = self.team.inside();
        let (reply, words) = inside.chamber.say(self.member, say);
        inside.pass(words);
        reply
    }

    /// Plays at a line of the seat until it closes.
    pub async fn serve(self: Arc<PersonSeat>, line: BufReader<UnixStream>) {
        let (sender, mut words) = unbounded_channel();
        let id = {
            let mut inside = self.team.inside();
            let id = inside.chamber.open(self.member);
            inside.lines.insert(id, sender);
            id
        };
        let (read, mut write) = tokio::io::split(line);
        let mut lines = BufReader::new(read).lines();
        loop {
            tokio::select! {
                line = lines.next_line() => match line {
                    Ok(Some(line)) => {
                        let mut inside = self.team.inside();
                        let words = inside.chamber.hear(Instant::now(), id, &line);
                        inside.pass(words);
                    }
                    Ok(None) | Err(_) => break,
                },
                Some(words) = words.recv() => {
                    let said = write.write_all(words.as_bytes()).await;
                    if said.is_err() || write.flush().await.is_err() || words == "bye\n" {
                        break;
                    }
                }
            }
        }
        let mut inside = self.team.inside();
        inside.lines.remove(&id);
        inside.chamber.close(id);
        inside.tell();
    }
}
