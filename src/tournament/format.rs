//! Tournament formats: each names the pairings of a round as a pure function of the number of
//! entrants and the results so far. No cursor to save. Start at [`Format`].

use super::id::GameId;
use crate::game::Outcome;

/// A form of competition, with its own settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody, by Berger's tables.
    RoundRobin {
        /// How often each two meet (2 is a double round robin).
        cycles: u32,
        /// Whether the games of two entrants are played back to back or cycle by cycle.
        order: CycleOrder,
    },
    /// The first `seeds` entrants meet all others, not each other.
    Gauntlet {
        /// How many entrants, from the first, are challengers.
        seeds: usize,
        /// Games of each pairing (both colours in turn).
        games: u32,
    },
    /// Two entrants, pairs of games with the same opening and colours exchanged.
    Pairs {
        /// How many pairs of games.
        pairs: u32,
    },
}

/// The order of a round robin with several cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CycleOrder {
    /// The games of two entrants back to back with colours exchanged (2006 and Chinese practice).
    #[default]
    Bouts,
    /// One cycle after the other, colours reversed in every second one (UCCI league, FIDE).
    Cycles,
}

/// Two entrants that meet in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// Number within the round, from 1.
    pub pair: u32,
    /// Index of the entrant that is Red in the first game (and in every odd one).
    pub first: usize,
    /// Index of the other.
    pub second: usize,
    /// Games of this pairing in this round; colours change from game to game.
    pub legs: u8,
    /// Serial number of the pairing in the stage, from 0, in schedule order: names its opening.
    pub serial: u32,
}

/// One finished game of a stage as the formats and standings see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GameResult {
    /// Which game.
    pub id: GameId,
    /// Index of the entrant that was Red.
    pub red: usize,
    /// Index of the entrant that was Black.
    pub black: usize,
    /// How it ended.
    pub outcome: Outcome,
}

impl Format {
    /// Whether the pairings of a round do not depend on results, so that games of later rounds may
    /// start while earlier ones run.
    pub fn is_fixed(&self) -> bool {
        match self {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Pairs { .. } => true,
        }
    }
}
