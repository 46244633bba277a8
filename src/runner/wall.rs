//! The runner's clock: turns the system's monotonic clock into [`At`], and says what day it is.
//! The only place below the command line that reads a clock. Start at [`Wall`].
//!
//! It stands still while the runner is stopped (Ctrl-Z, SIGSTOP, a frozen container, a disk that holds everything
//! up): in that time nobody reads an answer, so nobody's clock runs. What tells is a beat, see [`Wall::beat`].

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::time::{At, micros};

/// Time from one beat to the next.
pub const BEAT: Duration = Duration::from_millis(10);

/// Shorter absences than this are not told from a busy machine, and charged as ever (but see
/// [`super::delays::Delays::excused`]).
const ABSENCE: Duration = Duration::from_millis(250);

/// A monotonic clock that began at some moment of the run. It belongs to the thread on which the games run; others
/// have a [`Face`] of it.
#[derive(Debug, Clone)]
pub struct Wall {
    face: Face,
    still: Rc<Still>,
}

/// What the clock shows to other threads.
#[derive(Debug, Clone)]
pub struct Face {
    began: Instant,
    offset: At,
    stood_us: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Still {
    /// When somebody looked last, since the beginning; nobody is missed before the first beat.
    seen: Cell<Option<Duration>>,
    /// How long the clock has stood in all, and how much of that was asked for.
    stood: Cell<Duration>,
    told: Cell<Duration>,
}

impl Still {
    /// How long the clock has stood when so much has gone by.
    #[inline]
    fn look(&self, elapsed: Duration) -> Duration {
        if let Some(seen) = self.seen.get() {
            let absent = elapsed.saturating_sub(seen).saturating_sub(BEAT);
            if absent > ABSENCE {
                self.stood.set(self.stood.get() + absent);
            }
            self.seen.set(Some(elapsed));
        }
        self.stood.get()
    }
}

impl Wall {
    /// A clock that stands at `at` now (0 for a new run, the journal's last stamp on resume).
    pub fn starting_at(at: At) -> Wall {
        Wall { face: Face::starting_at(at), still: Rc::default() }
    }

    /// Now.
    #[inline]
    pub fn now(&self) -> At {
        let elapsed = self.face.began.elapsed();
        let before = self.still.stood.get();
        let stood = self.still.look(elapsed);
        if stood != before {
            self.face.stood_us.store(micros(stood), Ordering::Relaxed);
        }
        self.face.offset + elapsed.saturating_sub(stood)
    }

    /// Says that the runner is awake. From the first beat on, whoever does it has to come back after [`BEAT`], for
    /// a longer absence counts as time in which the runner was stopped.
    pub fn beat(&self) {
        if self.still.seen.get().is_none() {
            self.still.seen.set(Some(self.face.began.elapsed()));
        }
        self.now();
    }

    /// How long the clock has stood since this was asked last.
    pub fn stood(&self) -> Duration {
        let stood = self.still.stood.get();
        stood - self.still.told.replace(stood)
    }

    /// The instant of a moment, for timers. One that is set before the clock stands still rings too early.
    pub fn instant(&self, at: At) -> tokio::time::Instant {
        (self.face.began + at.since(self.face.offset) + self.still.stood.get()).into()
    }

    /// What other threads see of it.
    pub fn face(&self) -> Face {
        self.face.clone()
    }
}

impl Face {
    /// A clock that stands at `at` now, and never stands still.
    pub fn starting_at(at: At) -> Face {
        Face { began: Instant::now(), offset: at, stood_us: Arc::default() }
    }

    /// Now, for display: it may be ahead until the clock's own thread has looked.
    pub fn now(&self) -> At {
        let stood = Duration::from_micros(self.stood_us.load(Ordering::Relaxed));
        self.offset + self.began.elapsed().saturating_sub(stood)
    }
}

/// Local date and time in RFC 3339, to the second.
pub fn date() -> String {
    chrono::Local::now().format("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stands_while_nobody_looks() {
        let check = |looks: &[u64], stood_ms: u64| {
            let still = Still { seen: Cell::new(Some(Duration::ZERO)), ..Still::default() };
            let mut shown = Duration::ZERO;
            for at in looks.iter().copied().map(Duration::from_millis) {
                let now = at - still.look(at);
                assert!(now >= shown, "it went back: {looks:?}");
                shown = now;
            }
            assert_eq!(still.stood.get(), Duration::from_millis(stood_ms), "{looks:?}");
        };
        check(&[5, 15, 25, 35], 0);
        // A busy machine is no absence.
        check(&[10, 20, 270, 280], 0);
        // Stopped for five seconds, of which one beat is as ever; whoever looks first finds out.
        check(&[10, 20, 5020, 5021, 5030], 4990);
        check(&[10, 1010, 1020, 3020], 990 + 1990);
    }

    #[test]
    fn nobody_is_missed_before_the_first_beat() {
        let wall = Wall::starting_at(At::ZERO);
        wall.still.look(Duration::from_secs(100));
        assert_eq!((wall.still.stood.get(), wall.stood()), (Duration::ZERO, Duration::ZERO));
        wall.beat();
        let shown = wall.now();
        // As if it had been stopped for a minute before the next look.
        wall.still.seen.set(wall.still.seen.get().map(|seen| seen.saturating_sub(Duration::from_secs(60))));
        wall.still.look(wall.face.began.elapsed() + Duration::from_secs(60));
        assert!(wall.stood() > Duration::from_secs(59) && wall.stood() == Duration::ZERO);
        assert!(wall.instant(shown) > tokio::time::Instant::now() + Duration::from_secs(59));
    }
}
