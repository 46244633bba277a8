//! Floor 3: who plays whom, who stands where and why. Pure functions of results; never knows of
//! games in progress. Start at [`Format`].

mod format;
mod gauntlet;
mod id;
mod opening;
mod pairs;
mod round_robin;

pub use format::{CycleOrder, Format, FormatError, GameResult, MAX_CYCLES, MAX_ENTRANTS, MAX_GAMES, Pairing};
pub use id::{GameId, GameIdError};
pub use opening::{Opening, OpeningBook, OpeningOrder};
