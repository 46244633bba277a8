//! The table of misbehaviour: one row a switch of `chuhe fake-engine`. A row says when it shows and what
//! is then done; new ones are added here. Start at [`QUIRKS`].

use std::time::Duration;

/// When a quirk shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The process has started and read nothing.
    Start,
    /// `uci` or `ucci` was read.
    Greeting,
    /// `isready` was read.
    Ready,
    /// `readyok` was said.
    Prepared,
    /// `go` was read, at any ply.
    Go,
    /// `go` was read with so many plies on the board since the usual start.
    GoAt(u32),
    /// `quit` was read.
    Quit,
    /// The input has ended.
    InputEnds,
}

/// What is done then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Exit with status 3.
    Exit,
    /// Die by SIGABRT.
    Abort,
    /// Read and say nothing any more.
    Hang,
    /// Go on without the words that belong here.
    Mute,
    /// Wait, then go on.
    Wait(Duration),
    /// Say this in place of the move.
    Answer(&'static str),
    /// Answer so long after the time that was told.
    Overstep(Duration),
    /// Write the answer in two pieces.
    Halves,
    /// Write so many useless lines.
    Flood(u64),
    /// Write so many lines to stderr.
    Errors(u64),
    /// Start a process that keeps our output open.
    Grandchild,
}

/// A switch.
pub struct Quirk {
    /// Its name, without the dashes.
    pub switch: &'static str,
    /// What its number is, empty if it takes none.
    pub takes: &'static str,
    /// What it does, for the list of switches.
    pub about: &'static str,
    /// When and what, from its number.
    pub shows: fn(u64) -> (Moment, Deed),
}

impl Quirk {
    /// Name and number as shown in the list of switches.
    pub fn title(&self) -> String {
        format!("{} {}", self.switch, self.takes).trim_end().to_owned()
    }
}

const fn row(
    switch: &'static str,
    takes: &'static str,
    about: &'static str,
    shows: fn(u64) -> (Moment, Deed),
) -> Quirk {
    Quirk { switch, takes, about, shows }
}

const fn millis(number: u64) -> Duration {
    Duration::from_millis(number)
}

const fn ply(number: u64) -> Moment {
    // A ply that does not fit is never reached.
    Moment::GoAt(if number > u32::MAX as u64 { u32::MAX } else { number as u32 })
}

/// All switches of misbehaviour.
pub static QUIRKS: &[Quirk] = &[
    row("no-greeting", "", "never ends its greeting", |_| (Moment::Greeting, Deed::Mute)),
    row("greet-slowly", "MS", "waits before it greets", |n| (Moment::Greeting, Deed::Wait(millis(n)))),
    row("exit-at-start", "", "exits with status 3 before it reads anything", |_| (Moment::Start, Deed::Exit)),
    row("never-ready", "", "never says readyok", |_| (Moment::Ready, Deed::Mute)),
    row("never-reads", "", "reads nothing after its first readyok", |_| (Moment::Prepared, Deed::Hang)),
    row("exit-at-ply", "N", "exits with status 3 when asked at ply N", |n| (ply(n), Deed::Exit)),
    row("crash-at-ply", "N", "dies by SIGABRT when asked at ply N", |n| (ply(n), Deed::Abort)),
    row("hang-at-ply", "N", "never answers at ply N, nor anything after", |n| (ply(n), Deed::Hang)),
    row("illegal-at-ply", "N", "answers an illegal move at ply N", |n| (ply(n), Deed::Answer("a0b9"))),
    row("null-move", "", "always answers 0000", |_| (Moment::Go, Deed::Answer("0000"))),
    row("late", "MS", "answers so long after its time", |n| (Moment::Go, Deed::Overstep(millis(n)))),
    row("half-line", "", "writes its answers in two pieces", |_| (Moment::Go, Deed::Halves)),
    row("flood", "N", "writes N useless lines before each move", |n| (Moment::Go, Deed::Flood(n))),
    row("stderr-flood", "N", "writes N lines to stderr at its start", |n| (Moment::Start, Deed::Errors(n))),
    row("ignore-quit", "", "does not end at quit", |_| (Moment::Quit, Deed::Mute)),
    row("ignore-eof", "", "does not end with its input", |_| (Moment::InputEnds, Deed::Mute)),
    row("fork-grandchild", "", "leaves a process that keeps its output open", |_| {
        (Moment::Start, Deed::Grandchild)
    }),
];
