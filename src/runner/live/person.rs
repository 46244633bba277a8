//! A person's seat: the chamber where a person's moves and wishes become the words of an engine, and the runner's
//! words a board. Start at [`Chamber`].

use std::sync::Arc;

use tokio::io::BufReader;
use tokio::net::UnixStream;

use super::seats::FarSeat;

/// What the members of a team share.
#[derive(Debug, Default)]
pub struct Team {}

/// A person's seat.
#[derive(Debug)]
pub struct Chamber {
    facts: FarSeat,
    team: Arc<Team>,
}

impl Chamber {
    /// An empty one.
    pub fn new(facts: FarSeat, team: Arc<Team>) -> Chamber {
        Chamber { facts, team }
    }

    /// Plays at the line of the seat until it closes.
    pub async fn serve(self: Arc<Chamber>, line: BufReader<UnixStream>) {
        let _ = (line, &self.facts, &self.team);
    }
}
