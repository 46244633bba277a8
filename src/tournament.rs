//! Floor 3: who plays whom, who stands where and why. Pure functions of results; never knows of
//! games in progress. Start at [`GameId`].

mod id;

pub use id::{GameId, GameIdError};
