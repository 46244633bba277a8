//! Exit codes and the one place where failures become words for people. Start at [`Exit`].

use std::io;
use std::process::{ExitCode, Termination};

use crate::config::Problem;
use crate::runner::{DeskError, Ended, RunError, StoreError};

/// An exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Usage or config.
    Usage = 1,
    /// An engine would not start.
    NotStarted = 2,
    /// More engine faults than allowed.
    Faults = 3,
    /// A gate failed.
    GateFailed = 4,
    /// A gate stayed undecided.
    GateUndecided = 5,
    /// Held for the chief referee.
    Held = 6,
    /// A check found something wrong.
    Wrong = 7,
    /// Our own fault, or the machine's (a full disk).
    Internal = 70,
    /// Interrupted, can be resumed.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

impl From<Ended> for Exit {
    fn from(ended: Ended) -> Exit {
        match ended {
            Ended::Complete => Exit::Done,
            Ended::Faults => Exit::Faults,
            Ended::Held => Exit::Held,
            Ended::EngineFailures => Exit::Faults,
            Ended::Interrupted | Ended::OutOfTime => Exit::Interrupted,
        }
    }
}

/// The exit code of a command that may have failed to write its output. Whoever closes the pipe early has
/// seen enough.
pub fn written(outcome: io::Result<Exit>) -> Exit {
    match outcome {
        Ok(exit) => exit,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            eprintln!("error: {error}");
            Exit::Internal
        }
    }
}

/// Says what is wrong with a config, all of it, each with its place.
pub fn report_problems(what: &str, problems: &[Problem]) -> Exit {
    let count = problems.len();
    let s = if count == 1 { "" } else { "s" };
    eprintln!("{what}: {count} error{s}");
    for problem in problems {
        eprintln!("  {problem}");
    }
    Exit::Usage
}

/// Says why a run could not be played, and which code that is.
pub fn report_error(error: &RunError) -> Exit {
    match error {
        RunError::Config(problems) => report_problems("config", problems),
        RunError::NotStarted { last_lines, .. } => {
            eprintln!("error: {error}");
            if !last_lines.is_empty() {
                eprintln!("its last lines (stderr marked with !):");
                for line in last_lines {
                    eprintln!("  {line}");
                }
            }
            Exit::NotStarted
        }
        RunError::Desk(DeskError::Store(
            StoreError::Occupied(_) | StoreError::NoRun(_) | StoreError::Locked(_),
        ))
        | RunError::Desk(DeskError::Journal { .. })
        | RunError::SourceChanged(_)
        | RunError::Files(_)
        | RunError::TraceOfTeam(_)
        | RunError::Cores(_)
        | RunError::Fleet(_)
        | RunError::NoServer(_)
        | RunError::Lock(_) => {
            eprintln!("error: {error}");
            Exit::Usage
        }
        RunError::Desk(DeskError::Store(StoreError::Io { .. })) => {
            eprintln!("error: {error}");
            eprintln!("the journal holds every game that was shown as finished; go on with `chuhe resume`");
            Exit::Internal
        }
        RunError::Desk(DeskError::Fold(_)) | RunError::System { .. } => {
            eprintln!("error: {error}");
            Exit::Internal
        }
    }
}
