//! The runner's clock: turns the system's monotonic clock into [`At`], and says what day it is.
//! The only place below the command line that reads a clock. Start at [`Wall`].

use std::time::Instant;

use crate::time::At;

/// A monotonic clock that began at some moment of the run.
#[derive(Debug, Clone, Copy)]
pub struct Wall {
    began: Instant,
    offset: At,
}

impl Wall {
    /// A clock that stands at `at` now (0 for a new run, the journal's last stamp on resume).
    pub fn starting_at(at: At) -> Wall {
        Wall { began: Instant::now(), offset: at }
    }

    /// Now.
    #[inline]
    pub fn now(&self) -> At {
        self.offset + self.began.elapsed()
    }

    /// The instant of a moment, for timers.
    pub fn instant(&self, at: At) -> tokio::time::Instant {
        (self.began + at.since(self.offset)).into()
    }
}

/// Local date and time in RFC 3339, to the second.
pub fn date() -> String {
    chrono::Local::now().format("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
