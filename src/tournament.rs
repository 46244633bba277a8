//! Floor 3: who plays whom, who stands where and why. Pure functions of results; never knows of
//! games in progress. Start at [`Format`].

mod format;
mod id;
mod opening;

pub use format::{CycleOrder, Format, GameResult, Pairing};
pub use id::{GameId, GameIdError};
pub use opening::{Opening, OpeningBook, OpeningOrder};
