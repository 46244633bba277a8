//! Floor 2: the referee of one game: clocks, legality, the law's endings. Never knows of processes,
//! protocols or tournaments. Start at [`Game`].

mod adjudication;
mod clock;
mod referee;
mod termination;

pub use adjudication::{Adjudication, DrawRule, MATE_SCORE, ResignRule};
pub use clock::{
    Clock, Pace, TimeControl, TimeControlError, default_reserve, parse_time, scale_time, write_seconds,
};
pub use referee::{Answer, Game, MoveMade, Next, Overran, OverrunRule, Overruns, Reply, Terms};
pub use termination::{FaultClass, Outcome, Termination};
