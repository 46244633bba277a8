//! Time controls and a side's clock (sudden death in I.7, III.5 and IV.6). Microseconds inside; never reads a clock, times come in as
//! arguments. Start at [`TimeControl`] and [`Clock`].

use std::fmt;
use std::time::Duration;

use crate::time::micros;

/// How much a side may think: a clock, and limits of search beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeControl {
    /// The clock.
    pub pace: Pace,
    /// Most nodes a move.
    pub nodes: Option<u64>,
    /// Most plies of search depth a move.
    pub depth: Option<u32>,
}

/// What the clock does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pace {
    /// No clock; only nodes or depth limit the search.
    Untimed,
    /// A budget for many moves.
    Bank {
        /// Time for the period (for the whole game in sudden death).
        base: Duration,
        /// Added after each move.
        increment: Duration,
        /// Moves of a period, after which `base` is added again; `None` is sudden death.
        moves: Option<u32>,
    },
    /// A fixed time a move, nothing saved.
    PerMove {
        /// The flag falls after this.
        limit: Duration,
        /// The engine is told `limit - reserve`; min(50 ms, limit/4) unless set.
        reserve: Duration,
    },
}

/// Why a text is no time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is no time control: {reason}; examples: 30m, 10+0.1, 40/60+0.5, 60s/move, nodes=5000, depth=8"
)]
pub struct TimeControlError {
    /// As given.
    pub text: String,
    /// What is wrong.
    pub reason: &'static str,
}

/// Longest time that is accepted, 1000 hours: more is a slip of the pen.
const MAX_TIME: Duration = Duration::from_secs(3_600_000);

/// The reserve kept back from an engine's fixed time a move when none is set.
pub fn default_reserve(limit: Duration) -> Duration {
    Duration::from_millis(50).min(limit / 4)
}

impl TimeControl {
    /// No limit at all.
    pub const UNLIMITED: TimeControl = TimeControl { pace: Pace::Untimed, nodes: None, depth: None };

    /// Sudden death with `base` for the whole game.
    pub const fn sudden_death(base: Duration) -> TimeControl {
        let pace = Pace::Bank { base, increment: Duration::ZERO, moves: None };
        TimeControl { pace, nodes: None, depth: None }
    }

    /// Reads words separated by blanks or commas: one clock (`[MOVES/]TIME[+INCREMENT]`, or
    /// `TIME/move`) and `nodes=N`, `depth=N`. TIME is seconds (`10`, `0.5`), `min:sec`, `h:min:sec`,
    /// or a number with `ms`, `s`, `m`/`min`, `h`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<TimeControl, TimeControlError> {
        let fail = |reason| TimeControlError { text: text.to_owned(), reason };
        let mut control = TimeControl::UNLIMITED;
        let mut words = 0;
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            words += 1;
            if let Some(nodes) = word.strip_prefix("nodes=") {
                let nodes = nodes.parse().map_err(|_| fail("nodes is no number"))?;
                control.nodes = Some(nodes).filter(|n| *n > 0);
            } else if let Some(depth) = word.strip_prefix("depth=") {
                let depth = depth.parse().map_err(|_| fail("depth is no number"))?;
                control.depth = Some(depth).filter(|d| *d > 0);
            } else if control.pace == Pace::Untimed {
                control.pace = parse_pace(word).map_err(fail)?;
            } else {
                return Err(fail("it names two clocks"));
            }
        }
        if words == 0 {
            return Err(fail("it is empty"));
        }
        if control == TimeControl::UNLIMITED {
            return Err(fail("nodes and depth must be at least 1"));
        }
        Ok(control)
    }

    /// All times multiplied by `factor` (for rehearsals), never below 1 ms where they were above zero;
    /// nodes and depth stay.
    pub fn scaled(self, factor: f64) -> TimeControl {
        let scale = |time: Duration| {
            if time.is_zero() { time } else { scale_time(time, factor).max(Duration::from_millis(1)) }
        };
        let pace = match self.pace {
            Pace::Untimed => Pace::Untimed,
            Pace::Bank { base, increment, moves } => {
                Pace::Bank { base: scale(base), increment: scale(increment), moves }
            }
            Pace::PerMove { limit, reserve } => {
                let limit = scale(limit);
                Pace::PerMove { limit, reserve: scale(reserve).min(limit / 4) }
            }
        };
        TimeControl { pace, ..self }
    }
}

/// A duration times a factor, saturating.
pub fn scale_time(time: Duration, factor: f64) -> Duration {
    Duration::from_micros((micros(time) as f64 * factor).round() as u64)
}

fn parse_pace(word: &str) -> Result<Pace, &'static str> {
    if let Some(time) = word.strip_suffix("/move") {
        let limit = parse_time(time)?;
        return Ok(Pace::PerMove { limit, reserve: default_reserve(limit) });
    }
    let (moves, rest) = match word.split_once('/') {
        None => (None, word),
        Some((moves, rest)) => {
            let moves: u32 = moves.parse().map_err(|_| "the number of moves before '/' is no number")?;
            (Some(moves).filter(|m| *m > 0), rest)
        }
    };
    let (base, increment) = match rest.split_once('+') {
        None => (parse_time(rest)?, Duration::ZERO),
        Some((base, increment)) => {
            let base = if base == "0" { Duration::ZERO } else { parse_time(base)? };
            let increment = if increment == "0" { Duration::ZERO } else { parse_time(increment)? };
            (base, increment)
        }
    };
    if base.is_zero() && increment.is_zero() {
        return Err("it gives no time at all");
    }
    Ok(Pace::Bank { base, increment, moves })
}

/// Reads a length of time: seconds (`10`, `0.5`), `min:sec`, `h:min:sec`, or with a unit
/// `ms`, `s`, `m`, `min`, `h`.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse_time(text: &str) -> Result<Duration, &'static str> {
    let seconds = if text.contains(':') {
        let mut total = 0.0;
        for part in text.split(':') {
            total = total * 60.0 + number(part)?;
        }
        total
    } else {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor = match &text[digits.len()..] {
            "" | "s" | "sec" => 1.0,
            "ms" => 0.001,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err("the unit must be ms, s, m or h"),
        };
        number(digits)? * factor
    };
    if seconds <= 0.0 {
        return Err("the time must be above zero");
    }
    if seconds > MAX_TIME.as_secs_f64() {
        return Err("the time is over 1000 hours");
    }
    Ok(Duration::from_micros((seconds * 1e6).round() as u64))
}

fn number(text: &str) -> Result<f64, &'static str> {
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Err("the time is no number");
    }
    text.parse().map_err(|_| "the time is no number")
}

/// Writes seconds without trailing zeros, microseconds at most: `0.1`, `30`, `1.5`.
pub fn write_seconds(time: Duration) -> String {
    let text = format!("{}.{:06}", time.as_secs(), time.subsec_micros());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        match self.pace {
            Pace::Untimed => {}
            Pace::Bank { base, increment, moves } => {
                let moves = moves.map(|m| format!("{m}/")).unwrap_or_default();
                let plus = if increment.is_zero() {
                    String::new()
                } else {
                    format!("+{}", write_seconds(increment))
                };
                words.push(format!("{moves}{}{plus}", write_seconds(base)));
            }
            Pace::PerMove { limit, .. } => words.push(format!("{}/move", write_seconds(limit))),
        }
        words.extend(self.nodes.map(|n| format!("nodes={n}")));
        words.extend(self.depth.map(|d| format!("depth={d}")));
        f.write_str(&words.join(" "))
    }
}

/// One side's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    moves_left: u32,
}

impl Clock {
    /// A full clock.
    pub fn new(control: TimeControl) -> Clock {
        let mut clock = Clock { control, left: Duration::ZERO, moves_left: 0 };
        match control.pace {
            Pace::Untimed => {}
            Pace::Bank { base, increment, moves } => {
                // Without a base the first move has the increment that all later ones have.
                clock.left = if base.is_zero() { increment } else { base };
                clock.moves_left = moves.unwrap_or(0);
            }
            Pace::PerMove { limit, .. } => clock.left = limit,
        }
        clock
    }

    /// A clock that stands at `left` with `moves_left` to the next period (resume, correction).
    pub fn standing_at(control: TimeControl, left: Duration, moves_left: u32) -> Clock {
        Clock { control, left, moves_left }
    }

    /// The time control.
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// Time that may be used for the next move; `None` without a clock.
    pub fn left(&self) -> Option<Duration> {
        match self.control.pace {
            Pace::Untimed => None,
            Pace::Bank { .. } | Pace::PerMove { .. } => Some(self.left),
        }
    }

    /// Moves to the next period; 0 in sudden death.
    pub fn moves_left(&self) -> u32 {
        self.moves_left
    }

    /// Whether a move that took `used` is late. Exactly the time that was left is in time.
    pub fn is_late(&self, used: Duration, margin: Duration) -> bool {
        self.left().is_some_and(|left| used > left.saturating_add(margin))
    }

    /// Charges a move that was in time and makes the clock ready for the next one.
    pub fn charge(&mut self, used: Duration) {
        match self.control.pace {
            Pace::Untimed => {}
            Pace::PerMove { limit, .. } => self.left = limit,
            Pace::Bank { base, increment, moves } => {
                self.left = self.left.saturating_sub(used) + increment;
                if let Some(moves) = moves {
                    self.moves_left = self.moves_left.saturating_sub(1);
                    if self.moves_left == 0 {
                        self.moves_left = moves;
                        self.left += base;
                    }
                }
            }
        }
    }

    /// Runs down without a move (a crash whose restart the clock paid for is charged with the move).
    pub fn run_down(&mut self, used: Duration) {
        self.left = self.left.saturating_sub(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, canonical: &str) {
        let control = TimeControl::parse(text).unwrap();
        assert_eq!(control.to_string(), canonical, "{text}");
        assert_eq!(TimeControl::parse(canonical), Ok(control), "{text}");
    }

    #[test]
    fn time_controls_read_and_write() {
        check("30m", "1800");
        check("30:00", "1800");
        check("1:00:00", "3600");
        check("10+0.1", "10+0.1");
        check("40/60+0.5", "40/60+0.5");
        check("0+100ms", "0+0.1");
        check("60s/move", "60/move");
        check("nodes=5000", "nodes=5000");
        check("1+0.05, depth=8", "1+0.05 depth=8");
    }

    #[test]
    fn wrong_time_controls_say_why() {
        for (text, reason) in [
            ("", "it is empty"),
            ("fast", "the unit must be ms, s, m or h"),
            ("10 20", "it names two clocks"),
            ("x/10", "the number of moves before '/' is no number"),
            ("nodes=0", "nodes and depth must be at least 1"),
            ("0+0", "it gives no time at all"),
            ("9999999m", "the time is over 1000 hours"),
            ("-5", "the time is no number"),
        ] {
            assert_eq!(TimeControl::parse(text).unwrap_err().reason, reason, "{text}");
        }
    }

    #[test]
    fn exactly_zero_is_in_time_and_a_microsecond_over_is_late() {
        let clock = Clock::new(TimeControl::sudden_death(Duration::from_secs(1800)));
        let all = Duration::from_secs(1800);
        assert!(!clock.is_late(all, Duration::ZERO));
        assert!(clock.is_late(all + Duration::from_micros(1), Duration::ZERO));
        assert!(!clock.is_late(all + Duration::from_micros(1), Duration::from_millis(1)));
    }

    #[test]
    fn increments_and_periods_are_added_after_the_move() {
        let mut clock = Clock::new(TimeControl::parse("2/10+1").unwrap());
        clock.charge(Duration::from_secs(4));
        assert_eq!((clock.left(), clock.moves_left()), (Some(Duration::from_secs(7)), 1));
        clock.charge(Duration::from_secs(4));
        assert_eq!((clock.left(), clock.moves_left()), (Some(Duration::from_secs(14)), 2));
    }

    #[test]
    fn without_a_base_the_first_move_has_the_increment() {
        let clock = Clock::new(TimeControl::parse("0+1").unwrap());
        assert_eq!(clock.left(), Some(Duration::from_secs(1)));
    }

    #[test]
    fn the_official_clocks_are_whole_milliseconds() {
        for (minutes, ms) in [(30, 1_800_000), (45, 2_700_000), (50, 3_000_000)] {
            let clock = Clock::new(TimeControl::parse(&format!("{minutes}m")).unwrap());
            assert_eq!(clock.left().map(|left| left.as_millis()), Some(ms));
        }
    }
}
