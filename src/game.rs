//! Floor 2: the referee of one game: clocks, legality, the law's endings. Never knows of processes,
//! protocols or tournaments. Start at [`Termination`].

mod clock;
mod termination;

pub use clock::{
    Clock, Pace, TimeControl, TimeControlError, default_reserve, parse_time, scale_time, write_seconds,
};
pub use termination::{FaultClass, Outcome, Termination};
