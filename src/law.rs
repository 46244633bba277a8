//! Floor 1: from the moves of a game to how it ends by rule: repetition rulings, mate and stalemate,
//! dead positions, the no-capture limit. Never knows of clocks, engines or files; imports nothing but
//! `xiangqi` and the standard library. Start at [`ending`].

mod asian;
mod computer;
mod endings;
mod explain;
mod judge;
mod levels;
mod readings;
mod rounds;
mod rules;
mod ruling;
mod span;
mod terms;
mod trail;

pub use asian::{ARTICLES, Article, Example, GENERAL_RULE, Outcome, Text, article};
pub use endings::{Ending, ending, loses_by_repetition, losing_moves};
pub use explain::{ExplainedHalf, Explanation, Reason, Why, explain};
pub use judge::{Judged, judge, judge_by, verdict};
pub use readings::{Newness, Readings, RootsAway};
pub use rounds::{LoopError, play_loop};
pub use rules::{Book, CheckCounting, NoCapture, Repetition, Rules};
pub use ruling::{Chase, Deed, Label, Level, Manner, Ruling, Verdict};
pub use span::SpanError;
pub use terms::root::{Fault, Guard};
pub use trail::{Half, Trail};
