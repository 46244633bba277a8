//! The trace of a run: everything its machines were given, each with its moment, one JSON object a line,
//! so that the run can be played again without engines. Decides nothing; off unless a file is named.
//! Start at [`Traced`] and [`Tracer`].

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::record::Noted;
use crate::table::Input;
use crate::time::At;
use crate::tournament::GameId;
use crate::xiangqi::{BySide, Side};

/// One line of a trace. Engines are named by their process numbers; lines that are no UTF-8 are written
/// with replacement characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trace", rename_all = "snake_case")]
pub enum Traced {
    /// The run's first event was recorded.
    Head {
        /// When.
        at: At,
    },
    /// An engine was greeted before the first game.
    Greeted {
        /// Index of its entrant.
        entrant: usize,
        /// Its process.
        process: u32,
        /// When the greeting was complete.
        at: At,
        /// How long it took, in µs.
        took_us: u64,
        /// What it said; null where the protocol ends a greeting by silence.
        said: Vec<Option<String>>,
    },
    /// A game was begun, or goes on.
    Begun {
        /// Which game.
        game: GameId,
        /// When.
        at: At,
        /// The local date and time.
        date: String,
        /// The engines that were seated already, Red first.
        seated: [Option<u32>; 2],
    },
    /// Its table was given an input.
    Given {
        /// Which game.
        game: GameId,
        /// When.
        at: At,
        /// What.
        #[serde(flatten)]
        input: Given,
    },
    /// The runner noted what it had seen itself.
    Noted {
        /// When.
        at: At,
        /// What.
        noted: Noted,
    },
    /// It ended: what the runner knew beside the referee.
    Over {
        /// Which game.
        game: GameId,
        /// Longest delay of the runner, in µs.
        delay_us: u64,
        /// Last lines of each engine that went wrong, Red first.
        last_lines: [Vec<String>; 2],
    },
    /// Its engines were let go; those that play on, Red first.
    Left {
        /// Which game.
        game: GameId,
        /// The engines that stay for the entrant's next game.
        kept: [Option<u32>; 2],
    },
    /// It was broken off.
    BrokenOff {
        /// Which game.
        game: GameId,
    },
    /// No further game was to be started.
    Stopped,
    /// The last event was recorded.
    Finished {
        /// When.
        at: At,
    },
}

/// [`Input`] with owned texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case")]
pub enum Given {
    /// The game may begin.
    Begin,
    /// A process runs.
    Started {
        /// Whose: `red` or `black`.
        side: String,
    },
    /// A process could not be started.
    NotStarted {
        /// Whose.
        side: String,
        /// Why.
        why: String,
    },
    /// An engine printed a line.
    Line {
        /// Whose.
        side: String,
        /// The line.
        line: String,
    },
    /// An outbox was flushed.
    Sent {
        /// Whose.
        side: String,
    },
    /// A process or its output ended.
    Closed {
        /// Whose.
        side: String,
        /// How.
        how: String,
    },
    /// A moment had come.
    Timer,
    /// The game was broken off.
    Abandon {
        /// Why.
        why: String,
    },
}

impl Given {
    fn of(input: &Input<'_>) -> Given {
        let word = |side: Side| side.word().to_owned();
        match *input {
            Input::Begin => Given::Begin,
            Input::Started(side) => Given::Started { side: word(side) },
            Input::NotStarted(side, why) => Given::NotStarted { side: word(side), why: why.to_owned() },
            Input::Line(side, line) => {
                Given::Line { side: word(side), line: String::from_utf8_lossy(line).into_owned() }
            }
            Input::Sent(side) => Given::Sent { side: word(side) },
            Input::Closed(side, how) => Given::Closed { side: word(side), how: how.to_owned() },
            Input::Timer => Given::Timer,
            Input::Abandon(why) => Given::Abandon { why: why.to_owned() },
        }
    }

    /// The table's input again.
    pub fn input(&self) -> Input<'_> {
        let seat = |word: &str| if word == Side::Red.word() { Side::Red } else { Side::Black };
        match self {
            Given::Begin => Input::Begin,
            Given::Started { side } => Input::Started(seat(side)),
            Given::NotStarted { side, why } => Input::NotStarted(seat(side), why),
            Given::Line { side, line } => Input::Line(seat(side), line.as_bytes()),
            Given::Sent { side } => Input::Sent(seat(side)),
            Given::Closed { side, how } => Input::Closed(seat(side), how),
            Given::Timer => Input::Timer,
            Given::Abandon { why } => Input::Abandon(why),
        }
    }
}

/// Writes a trace.
#[derive(Debug)]
pub struct Tracer {
    file: RefCell<BufWriter<File>>,
    /// The first write that failed; nothing is written after it.
    failure: RefCell<Option<io::Error>>,
}

impl Tracer {
    /// A trace in a new file.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(path: &Path) -> io::Result<Tracer> {
        let file = BufWriter::new(File::create(path)?);
        Ok(Tracer { file: RefCell::new(file), failure: RefCell::new(None) })
    }

    /// Writes a line.
    pub fn write(&self, line: &Traced) {
        let mut failure = self.failure.borrow_mut();
        if failure.is_some() {
            return;
        }
        let mut file = self.file.borrow_mut();
        let written = serde_json::to_writer(&mut *file, line)
            .map_err(io::Error::from)
            .and_then(|()| file.write_all(b"\n"));
        *failure = written.err();
    }

    /// Writes what a table is given.
    pub fn given(&self, game: GameId, at: At, input: &Input<'_>) {
        self.write(&Traced::Given { game, at, input: Given::of(input) });
    }

    /// Red's and Black's things in the order of the trace.
    pub fn pair<T>(both: BySide<T>) -> [T; 2] {
        [both.red, both.black]
    }

    /// Writes out what is still held back.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn finish(&self) -> io::Result<()> {
        match self.failure.borrow_mut().take() {
            Some(error) => Err(error),
            None => self.file.borrow_mut().flush(),
        }
    }
}
