//! Floor 4: the journal's events, their encoding and recovery, and the run folded from them.
//! Never opens files. Start at [`What`] and [`Run`].

mod decision;
mod event;
#[cfg(test)]
#[expect(dead_code, reason = "tests/reports.rs uses the rest")]
pub(crate) mod fixture;
mod fleet;
mod hearing;
mod journal;
mod ledger;
pub mod packed;
mod reproduction;
mod run;
mod scoresheet;
mod settings;
mod termination;

pub use decision::{Decision, Ordered};
pub use event::{
    Advice, CheckedIn, Drawn, Event, FORMAT, GameBegan, GameOver, HELD, Host, LinesRecord, Locked, Moved,
    Noted, OUT_OF_TIME, Overrun, PASS, Resumed, RunBegan, STOPPED, TerminationRecord, ThoughtRecord, What,
};
pub use fleet::{Brought, Fleet, FleetRun, Tally};
pub use hearing::{Said, Spoken};
pub use journal::{JournalError, Reader as JournalReader, Reason, Torn, encode, encode_into};
pub use ledger::Ledger;
pub use reproduction::reproducible;
pub use run::{
    Answer, DeskWord, FoldError, GameSummary, JudgedMoves, Kept, Misfit, Request, Run, Unfinished,
};
pub use scoresheet::Scoresheet;
pub use settings::{
    ConductSettings, DrawSettings, EntrantSettings, FormatSettings, ResignSettings, RuleSettings,
    ScreensSettings, Settings, SprtSettings, StageSettings, TimeSettings,
};
pub use termination::{
    RulingError, TerminationError, label_word, read_ruling, read_termination, ruling_record,
    termination_record,
};
