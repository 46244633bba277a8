//! Floor 1: from the moves of a game to how it ends by rule: repetition rulings, mate and stalemate,
//! dead positions, the no-capture limit. Never knows of clocks, engines or files; imports nothing but
//! `xiangqi` and the standard library. Start at [`ending`].

mod endings;
mod rules;
mod ruling;
mod trail;

pub use endings::{Ending, ending, loses_by_repetition};
pub use rules::{Book, CheckCounting, NoCapture, Repetition, Rules};
pub use ruling::{Chase, Deed, Label, Level, Manner, Ruling, Verdict};
pub use trail::{Half, Trail};
