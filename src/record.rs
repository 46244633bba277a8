//! Floor 4: the journal's events, their encoding and recovery, and the run folded from them.
//! Never opens files. Start at [`What`].

mod event;

pub use event::{
    CheckedIn, Event, FORMAT, GameBegan, GameOver, Host, Moved, Noted, Resumed, RunBegan, TerminationRecord,
    ThoughtRecord, What,
};
