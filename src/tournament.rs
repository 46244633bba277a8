//! Floor 3: who plays whom, who stands where and why. Pure functions of results; never knows of
//! games in progress. Start at [`Format`].

mod chance;
mod format;
mod gauntlet;
mod id;
mod opening;
mod pairs;
mod points;
mod round_robin;
mod standings;
mod tiebreak;

pub use chance::Chance;
pub use format::{CycleOrder, Format, FormatError, GameResult, MAX_CYCLES, MAX_ENTRANTS, MAX_GAMES, Pairing};
pub use id::{GameId, GameIdError};
pub use opening::{Opening, OpeningBook, OpeningOrder};
pub use points::Points;
pub use standings::{CrossTable, Line, Mark, Scoresheet, Standings, Wdl, standings};
pub use tiebreak::{Criterion, Decided, PlayOff, TieBreak};
