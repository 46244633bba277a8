//! Floor 3: the built-in engine, everybody's first opponent; it speaks UCCI and UCI.
//! Never starts a thread, reads a clock or a pipe, or prints: lines come in and go out as text, time
//! comes in through [`Watch`]. Start at [`Dialogue`] for the talk, at [`Engine`] for the play.

mod dialogue;
mod evaluation;
mod hash;
mod levels;
mod line;
mod ordering;
mod search;
mod time;
mod words;

pub use dialogue::{Dialogue, Out};
pub use line::Line;
pub use search::{Engine, Job, Limits, Moment, Outcome, Progress, Watch};
pub use time::{Budget, Clock};

/// Score of a side that has just mated; a mate `n` plies away is worth `MATE - n`.
pub const MATE: i32 = 30_000;

/// Scores beyond this are mates.
const MATE_RANGE: i32 = 29_000;

/// Score of a side whose opponent has checked perpetually, less the plies until then.
const PERPETUAL: i32 = 28_000;

/// Scores beyond this rest on a mate or on a perpetual check.
const DECIDED: i32 = 27_000;

/// How many plies a line may go down from the root.
const MAX_PLY: usize = 120;

/// What the engine may be told before a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// 1..=10; 10 is full strength.
    pub level: u8,
    /// Greatest random addition to the score of a root move, in hundredths of a soldier; 0 is none.
    pub noise: u16,
    /// Seed of the random additions.
    pub seed: u64,
    /// Size of the transposition table in megabytes.
    pub hash: u16,
}

impl Settings {
    /// Weakest and strongest level.
    pub const LEVELS: (u8, u8) = (1, 10);
    /// Most noise: about a chariot.
    pub const MOST_NOISE: u16 = 1000;
    /// Greatest seed that can be set in the talk.
    pub const MOST_SEED: u64 = u32::MAX as u64;
    /// Largest table in megabytes: more would not help a search this simple.
    pub const MOST_HASH: u16 = 1024;
}

impl Default for Settings {
    fn default() -> Settings {
        // 8 MB: sixteen engines side by side stay cheap.
        Settings { level: 10, noise: 0, seed: 0, hash: 8 }
    }
}
