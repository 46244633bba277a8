//! Floor 1: records, positions and openings as bytes and text. Readers take any byte source and give
//! one game at a time; writers' output is read back and replayed before it counts. Never opens files and
//! never knows who plays or why. Start at [`record::Record`].

mod branches;
pub mod dhtmlxq;
pub mod encoding;
mod movetext;
pub mod pgn;
pub mod record;
mod source;
pub mod xqf;

pub use encoding::Encoding;
pub use movetext::{MAX_DEPTH, MAX_MOVES};
pub use record::{GameResult, Odd, Origin, Reason, Record, RecordError, RecordedMove, Remark};
pub use source::{MAX_LINE, MAX_WHOLE};
