//! `At`: the only notion of time below the top floor, microseconds since the run began.
//! Never reads a clock; the runner stamps every input with one of these. Start at [`At`].

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment of the run: microseconds since the run began (pauses of a stopped runner left out).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct At(pub u64);

impl At {
    /// The beginning of the run.
    pub const ZERO: At = At(0);

    /// Time from `earlier` to `self`; zero if `earlier` is later.
    pub fn since(self, earlier: At) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for At {
    type Output = At;
    fn add(self, length: Duration) -> At {
        At(self.0.saturating_add(micros(length)))
    }
}

impl AddAssign<Duration> for At {
    fn add_assign(&mut self, length: Duration) {
        *self = *self + length;
    }
}

impl Sub<At> for At {
    type Output = Duration;
    fn sub(self, earlier: At) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}s", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// Whole microseconds of a duration, saturating (584,000 years are enough for any game).
pub fn micros(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}

/// Serde form of a duration: whole microseconds as a JSON integer.
pub mod as_micros {
    use super::{Duration, micros};
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a duration as microseconds.
    pub fn serialize<S: Serializer>(length: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(micros(*length))
    }

    /// Reads a duration from microseconds.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_never_goes_below_zero() {
        assert_eq!(At(5).since(At(9)), Duration::ZERO);
        assert_eq!(At(9) - At(5), Duration::from_micros(4));
        assert_eq!((At(1) + Duration::from_millis(2)).0, 2001);
        assert_eq!(At(1_500_000).to_string(), "1.500000s");
    }
}
