//! What an engine uses of the processors while nothing is asked of it: time it takes from the other side's thinking
//! and from other games. Looked at rarely, told once, never judged: the clocks stay the referee's. Start at
//! [`Idleness`].

use std::time::Duration;

use crate::time::At;

/// How long it is not looked again: a look costs two reads of the system's counts.
const APART: Duration = Duration::from_secs(1);

/// Idle time that must have been looked at before anything is said: the system counts in hundredths of a second.
const ENOUGH: Duration = Duration::from_secs(1);

/// From which share of one processor on, in percent, it is told.
const SHARE: u128 = 20;

/// The idle time of one process that was looked at.
#[derive(Debug, Default)]
pub struct Idleness {
    /// Since when it is idle, and what it had used of the processors by then, while that is looked at.
    since: Option<(At, Duration)>,
    next: At,
    idle: Duration,
    used: Duration,
    told: bool,
}

/// An engine that worked while nothing was asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy {
    /// Idle time that was looked at.
    pub idle: Duration,
    /// Processor time it used in it, on all its threads.
    pub used: Duration,
}

impl Idleness {
    /// It has answered and is asked nothing. `used` gives the processor time of the process so far, if the system
    /// tells it; it is called only when it is time to look.
    pub fn rests(&mut self, now: At, used: impl FnOnce() -> Option<Duration>) {
        if self.is_due(now) {
            self.next = now + APART;
            self.since = used().map(|used| (now, used));
        }
    }

    /// Whether it is time to look.
    pub fn is_due(&self, now: At) -> bool {
        !self.told && now >= self.next
    }

    /// It is written to. What is worth telling of its idle time, once.
    pub fn called(&mut self, now: At, used: impl FnOnce() -> Option<Duration>) -> Option<Busy> {
        let (since, before) = self.since.take()?;
        self.used += used()?.saturating_sub(before);
        self.idle += now - since;
        let busy = self.used.as_micros() * 100 >= self.idle.as_micros() * SHARE;
        if self.idle < ENOUGH || !busy {
            return None;
        }
        self.told = true;
        Some(Busy { idle: self.idle, used: self.used })
    }
}

/// Processor time of all threads of a process so far; `None` where the system does not tell it.
pub fn processor_time(process: u32) -> Option<Duration> {
    let counts = std::fs::read(format!("/proc/{process}/stat")).ok()?;
    let ticks = parse_ticks(&counts)?;
    Some(Duration::from_micros(ticks.checked_mul(1_000_000)? / rustix::param::clock_ticks_per_second()))
}

/// User and system time together, in clock ticks. The program's name, which comes before them, may hold anything.
fn parse_ticks(counts: &[u8]) -> Option<u64> {
    let after_name = counts.iter().rposition(|byte| *byte == b')')? + 1;
    let mut fields = std::str::from_utf8(counts.get(after_name..)?).ok()?.split_ascii_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    next()?.checked_add(next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Moves of an engine that is idle for `idle_ms` between them and uses `used_ms` of the processors meanwhile;
    /// what is told, and at which move.
    fn play(moves: u64, idle_ms: u64, used_ms: u64) -> Vec<(u64, Busy)> {
        let mut idleness = Idleness::default();
        let (mut now, mut used, mut told) = (At::ZERO, Duration::ZERO, Vec::new());
        for number in 0..moves {
            // It thinks as long as it rests, on one processor.
            now += ms(idle_ms);
            used += ms(idle_ms);
            idleness.rests(now, || Some(used));
            now += ms(idle_ms);
            used += ms(used_ms);
            told.extend(idleness.called(now, || Some(used)).map(|busy| (number, busy)));
        }
        told
    }

    #[test]
    fn only_work_in_idle_time_is_told_and_once() {
        assert_eq!(play(20, 700, 0), []);
        assert_eq!(play(20, 700, 100), [], "a little is no trouble to anyone");
        let all = Busy { idle: ms(1400), used: ms(1400) };
        assert_eq!(play(20, 700, 700), [(1, all)]);
        let three_threads = Busy { idle: ms(1400), used: ms(4200) };
        assert_eq!(play(20, 700, 2100), [(1, three_threads)]);
    }

    #[test]
    fn fast_games_are_looked_at_once_a_second() {
        let mut looks = 0;
        let mut idleness = Idleness::default();
        for number in 0..1000 {
            idleness.rests(At::ZERO + ms(10 * number), || {
                looks += 1;
                Some(Duration::ZERO)
            });
            assert_eq!(idleness.called(At::ZERO + ms(10 * number + 5), || Some(Duration::ZERO)), None);
        }
        assert_eq!(looks, 10);
        // 5 ms of each second: 200 s until something may be said of a whole second.
        assert_eq!(play(150_000, 5, 5).len(), 1);
    }

    #[test]
    fn names_may_hold_anything() {
        let counts = b"12 (a ) b) S) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14";
        assert_eq!(parse_ticks(counts), Some(23));
        assert_eq!(parse_ticks(b"12 (x) R 1 2"), None);
        assert_eq!(parse_ticks(b""), None);
        let own = processor_time(std::process::id());
        assert!(own.is_some() || !std::path::Path::new("/proc/self/stat").exists());
    }
}
