//! The runner's own delays: how late it wakes up, and how long its thread stood ready and had no processor. No side
//! loses a game by what was the runner's: an answer that was read too late by no more than the thread had waited
//! counts as in time. Start at [`Delays::probe`] and [`Delays::excused`].

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use super::wall::{BEAT, Wall};
use crate::time::At;

/// Delays shorter than this are not worth keeping: the timer's own millisecond is part of each.
const NOTABLE: Duration = Duration::from_millis(1);

/// Most delays kept; older ones are forgotten.
const MOST: usize = 1000;

/// Shorter times in which the clock stood still are told together.
const WORTH_TELLING: Duration = Duration::from_secs(1);

/// Measures of the wait that are kept: enough to reach back beyond any answer that was just read.
const MOST_WAITS: usize = 256;

/// What the system counts of a thread: time on a processor, time ready and waiting for one, times it ran.
const COUNTS: &str = "/proc/thread-self/schedstat";

/// The delays of the thread on which all games run.
#[derive(Debug, Default)]
pub struct Delays {
    late: RefCell<VecDeque<(At, Duration)>>,
    /// At a moment, how long the thread had waited for a processor in all its life.
    waits: RefCell<VecDeque<(At, Duration)>>,
    counts: Option<File>,
}

impl Delays {
    /// For the thread that calls. Where the system does not count the wait nobody is excused by it.
    pub fn of_this_thread() -> Delays {
        Delays { counts: File::open(COUNTS).ok(), ..Delays::default() }
    }

    /// Measures for ever, and beats for the clock. Tells each time how long the clock has stood still, once it is
    /// long enough to be worth it.
    pub async fn probe(&self, wall: &Wall, tell: impl Fn(Duration)) {
        let mut stood = Duration::ZERO;
        loop {
            wall.beat();
            stood += wall.stood();
            if stood >= WORTH_TELLING {
                tell(std::mem::take(&mut stood));
            }
            if let Some(waited) = self.waited() {
                keep(&mut self.waits.borrow_mut(), MOST_WAITS, (wall.now(), waited));
            }
            let due = tokio::time::Instant::now() + BEAT;
            tokio::time::sleep_until(due).await;
            let late = tokio::time::Instant::now().saturating_duration_since(due);
            if late > NOTABLE {
                keep(&mut self.late.borrow_mut(), MOST, (wall.now(), late));
            }
        }
    }

    fn waited(&self) -> Option<Duration> {
        let mut bytes = [0; 96];
        let count = self.counts.as_ref()?.read_at(&mut bytes, 0).ok()?;
        parse_waited(bytes.get(..count)?)
    }

    /// The longest delay since a moment; the timer's own millisecond is part of it.
    pub fn longest_since(&self, began: At) -> Duration {
        let late = self.late.borrow();
        late.iter().filter(|(at, _)| *at >= began).map(|(_, late)| *late).max().unwrap_or_default()
    }

    /// For an answer read at `at` that had to be there at `due`: the moment for which it counts, and how long the
    /// thread had waited for a processor meanwhile. `None` where that changes nothing. At most the wait since the
    /// last measure before `due` is taken off, and never more than the overrun.
    pub fn excused(&self, at: At, due: At) -> Option<(At, Duration)> {
        if at <= due {
            return None;
        }
        let before =
            self.waits.borrow().iter().rev().find(|(when, _)| *when <= due).map(|(_, waited)| *waited);
        let waited = self.waited()?.saturating_sub(before?);
        (waited >= at - due).then_some((due, waited))
    }
}

fn keep(kept: &mut VecDeque<(At, Duration)>, most: usize, one: (At, Duration)) {
    if kept.len() == most {
        kept.pop_front();
    }
    kept.push_back(one);
}

/// The second of the system's counts, in nanoseconds.
fn parse_waited(counts: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(counts).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> At {
        At::ZERO + Duration::from_millis(ms)
    }

    /// A thread that had waited so many ms by now, and at a measure before.
    fn delays(now_ms: u64, measures: &[(u64, u64)]) -> (Delays, std::path::PathBuf) {
        let name = format!("chuhe-delays-{}-{now_ms}-{}", std::process::id(), measures.len());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, format!("123 {} 4\n", now_ms * 1_000_000)).unwrap();
        let delays = Delays { counts: File::open(&path).ok(), ..Delays::default() };
        for (when, waited) in measures {
            keep(&mut delays.waits.borrow_mut(), MOST_WAITS, (at(*when), Duration::from_millis(*waited)));
        }
        (delays, path)
    }

    #[test]
    fn only_what_the_thread_waited_is_excused() {
        let check = |now: u64, measures: &[(u64, u64)], read: u64, due: u64, excused: bool| {
            let (delays, path) = delays(now, measures);
            let found = delays.excused(at(read), at(due));
            assert_eq!(
                found.map(|(moment, _)| moment),
                excused.then_some(at(due)),
                "{measures:?} {read} {due}"
            );
            std::fs::remove_file(path).unwrap();
        };
        // In time: nothing to excuse.
        check(9, &[(90, 2)], 100, 100, false);
        // 3 ms late, of which the thread waited 3 or more.
        check(5, &[(90, 2)], 103, 100, true);
        check(9, &[(90, 2)], 103, 100, true);
        // 4 ms late, of which it waited 3: the rest was the engine's.
        check(5, &[(90, 2)], 104, 100, false);
        // A measure after the moment is none; without any nobody is excused.
        check(5, &[(90, 4), (101, 2)], 103, 100, false);
        check(5, &[], 103, 100, false);
    }

    #[test]
    fn the_system_counts_this_thread() {
        if let Ok(counts) = std::fs::read(COUNTS) {
            assert!(parse_waited(&counts).is_some(), "{counts:?}");
        }
    }
}
