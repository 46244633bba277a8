//! A remote engine's seat (I.3): what joins its line with the WebSocket of its team's machine. Start at [`Relay`].

use std::sync::Arc;

use tokio::io::BufReader;
use tokio::net::UnixStream;

use super::seats::FarSeat;

/// A remote engine's seat.
#[derive(Debug)]
pub struct Relay {
    facts: FarSeat,
}

impl Relay {
    /// An empty one.
    pub fn new(facts: FarSeat) -> Relay {
        Relay { facts }
    }

    /// Joins the line of the seat with the far engine until it closes.
    pub async fn serve(self: Arc<Relay>, line: BufReader<UnixStream>) {
        let _ = (line, &self.facts);
    }
}
