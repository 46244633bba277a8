//! A game's place in the schedule. Data only. Start at [`GameId`].

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Which game of a run: written `stage.round.pair.leg`, and `+attempt` from the second attempt on, all
/// counted from 1. The order of ids is the order of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId {
    /// Stage of the event, from 1.
    pub stage: u8,
    /// Round of the stage, from 1.
    pub round: u32,
    /// Pairing within the round, from 1.
    pub pair: u32,
    /// Game of the pairing, from 1; odd legs have the first-named as Red unless colours are settled otherwise.
    pub leg: u8,
    /// Attempt, from 1; standings take the last attempt that is not annulled.
    pub attempt: u8,
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}.{}", self.stage, self.round, self.pair, self.leg)?;
        if self.attempt > 1 {
            write!(f, "+{}", self.attempt)?;
        }
        Ok(())
    }
}

/// A text that is no game id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no game id; they look like 1.2.3.1 (stage.round.pair.leg) or 1.2.3.1+2 (second attempt)")]
pub struct GameIdError(String);

impl FromStr for GameId {
    type Err = GameIdError;

    fn from_str(text: &str) -> Result<GameId, GameIdError> {
        let fail = || GameIdError(text.chars().take(40).collect());
        let (place, attempt) = text.split_once('+').unwrap_or((text, "1"));
        let mut parts = place.split('.');
        let mut next = || parts.next().and_then(|part| part.parse::<u32>().ok()).filter(|n| *n > 0);
        let (stage, round, pair, leg) = (next(), next(), next(), next());
        let id = (|| {
            Some(GameId {
                stage: u8::try_from(stage?).ok()?,
                round: round?,
                pair: pair?,
                leg: u8::try_from(leg?).ok()?,
                attempt: attempt.parse().ok().filter(|n| *n > 0)?,
            })
        })();
        match (id, parts.next()) {
            (Some(id), None) => Ok(id),
            (Some(_) | None, _) => Err(fail()),
        }
    }
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GameId, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_and_sort_by_schedule() {
        let id = GameId { stage: 1, round: 12, pair: 3, leg: 2, attempt: 1 };
        assert_eq!(id.to_string(), "1.12.3.2");
        assert_eq!("1.12.3.2".parse(), Ok(id));
        let again = GameId { attempt: 2, ..id };
        assert_eq!(again.to_string().parse(), Ok(again));
        assert!(GameId { round: 2, ..id } < id && id < again);
        for wrong in ["", "1.2.3", "1.2.3.4.5", "0.1.1.1", "1.1.1.1+0", "a.b.c.d", "1.1.1.300"] {
            assert!(wrong.parse::<GameId>().is_err(), "{wrong}");
        }
    }
}
