//! Floor 2: what engines are told and what they say. State machines over lines; never knows of
//! processes, clocks that run, or the law. Start at [`Session`], one engine process; [`Sheet`] is what
//! that process is told of one game and [`Manifest`] what is known of the engine beforehand.

mod answer;
mod cecp;
mod go;
mod info;
mod manifest;
mod options;
mod session;
mod sheet;
mod ucci;
mod uci;
mod words;

pub use answer::{Answer, AnsweredMove};
pub use go::Go;
pub use info::{KeptLines, Score, Thought};
pub use manifest::{Far, FenFields, FenLetters, Keeps, Manifest, Protocol, START_PATIENCE_MS, TimeUnit};
pub use options::{Identity, Listed, OptionKind};
pub use session::{Heard, Phase, Session};
pub use sheet::Sheet;
pub use words::printable;
