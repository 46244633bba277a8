//! The table of misbehaviour: one row a switch of `chuhe fake-engine`. A row says when it shows and what
//! is then done; new ones are added here, and a row of the end-to-end tests must say what they come to.
//! Start at [`QUIRKS`].

use std::time::Duration;

/// When a quirk shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The process has started and read nothing.
    Start,
    /// `uci`, `ucci` or `protover` was read.
    Greeting,
    /// The greeting was said.
    Greeted,
    /// An option was set.
    Option,
    /// `isready` or `ping` was read.
    Ready,
    /// `readyok` or `pong` was said.
    Prepared,
    /// A new game was announced.
    NewGame,
    /// A position was given.
    Position,
    /// `go` was read, at any ply.
    Go,
    /// `go` was read with so many plies on the board since the usual start.
    GoAt(u32),
    /// A move was answered.
    Answered,
    /// `stop` or `?` was read.
    Stop,
    /// `quit` was read.
    Quit,
    /// The input has ended.
    InputEnds,
}

/// What is done then. In texts `{m}` stands for the move, `{M}` for it in capitals, `{d}` for it with a
/// dash, `{p}` for the engine's move before, `{o}` for the opponent's last one, `{c}` for the line just read.
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
    /// Say this beside the words that belong here.
    Say(&'static [u8]),
    /// Say this on stderr.
    Complain(&'static str),
    /// Say this in place of the answer.
    Answer(&'static [u8]),
    /// Say the answer without its newline, then exit.
    LastWords,
    /// Say half of the answer, then exit.
    CutShort,
    /// Say the answer only when the next line was read.
    Unflushed,
    /// Answer so long after the time that was told.
    Overstep(Duration),
    /// Write the answer in two pieces.
    Halves,
    /// Write so many useless lines.
    Flood(u64),
    /// Write useless lines for ever.
    FloodForEver,
    /// Write useless lines from now on, for ever, beside everything else.
    FloodAside,
    /// Write one line of so many megabytes.
    Endless(u64),
    /// Write so many options of a kilobyte each.
    Options(u64),
    /// Write so many lines to stderr.
    Errors(u64),
    /// Write to stderr from now on, for ever, beside everything else.
    ErrorsForEver,
    /// Write a name of so many kilobytes.
    LongName(u64),
    /// Start a process that keeps our output open.
    Grandchild,
    /// Start a process in a session of its own, which no signal to our group reaches.
    Runaway,
    /// Close the input.
    CloseInput,
    /// Close the output.
    CloseOutput,
    /// Burn time from now on, whoever is to move.
    Burn,
    /// Take no notice of SIGTERM and SIGINT from now on.
    IgnoreSignals,
    /// Dress every line that is written.
    Dress(Dress),
}

/// What is done to every line that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// It ends in `\r\n`.
    Crlf,
    /// Blanks and tabs stand before, between and after its words.
    Blanks,
    /// It is written byte by byte.
    Bytes,
}

/// What a switch makes the engine do, and when.
pub type Show = fn(u64) -> Vec<(Moment, Deed)>;

/// A switch.
pub struct Quirk {
    /// Its name, without the dashes.
    pub switch: &'static str,
    /// What its number is, empty if it takes none.
    pub takes: &'static str,
    /// What it does, for the list of switches.
    pub about: &'static str,
    /// When and what, from its number.
    pub shows: Show,
}

impl Quirk {
    /// Name and number as shown in the list of switches.
    pub fn title(&self) -> String {
        format!("{} {}", self.switch, self.takes).trim_end().to_owned()
    }
}

const fn row(switch: &'static str, takes: &'static str, about: &'static str, shows: Show) -> Quirk {
    Quirk { switch, takes, about, shows }
}

const fn millis(number: u64) -> Duration {
    Duration::from_millis(number)
}

const fn ply(number: u64) -> Moment {
    // A ply that does not fit is never reached.
    Moment::GoAt(if number > u32::MAX as u64 { u32::MAX } else { number as u32 })
}

const BANNER: &[u8] = b"Fake 1.0 by nobody, built for trouble\n\n+--+--+--+\n| r| n| b|\n+--+--+--+\n\n\
    # New game 'XiangQi'\ntellics say hello\nhash=16384MB\n";

const ODD_OPTIONS: &[u8] = b"option name Clear Hash type button\n\
    option name Skill_Level type spin default 20 min 0\n\
    option name Book File type string default\n\
    option name Style type combo var Solid default Normal var Normal var Risky\n\
    option name\noption type spin\noption name Threads type spin default x min y max z\n\
    option name Hash type spin min -5 max 99999999999999999999 default 16\n";

const ODD_INFO: &[u8] = b"info depth 1 seldepth  score cp  nodes  pv {m}\n\
    info depth 99999999999999999999 score cp +-5 nodes nan nps -1 time 1e9 pv {m} z9z9 {m}\n\
    info score mate\ninfo\ninfo depth\ninfo pv\ninfo score lowerbound cp cp 3\n";

const BYTES: &[u8] = b"info string \xb3\xfe\xba\xd3 \xff\xfe \xc3\x28 \xf0\x9f\n\xb3\xfe\xba\xd3\n";

const CLAIMS: &[u8] = b"1-0 {White mates}\n1/2-1/2 {Draw by fifty move rule}\n0-1 {3 repetitions}\n\
    resigns or not\ntellusererror nothing at all\n";

/// All switches of misbehaviour.
pub static QUIRKS: &[Quirk] = &[
    // Start and greeting.
    row("banner", "", "prints a banner, blank lines and a board first", |_| {
        vec![(Moment::Start, Deed::Say(BANNER)), (Moment::Greeting, Deed::Say(BANNER))]
    }),
    row("many-options", "N", "lists N options of a kilobyte each", |n| {
        vec![(Moment::Greeting, Deed::Options(n))]
    }),
    row("long-option", "MB", "lists something of so many megabytes", |n| {
        vec![(Moment::Greeting, Deed::Endless(n))]
    }),
    row("long-name", "KB", "has a name of so many kilobytes", |n| {
        vec![(Moment::Greeting, Deed::LongName(n))]
    }),
    row("flood-at-greeting", "", "writes useless lines for ever when it is greeted", |_| {
        vec![(Moment::Greeting, Deed::FloodForEver)]
    }),
    row("flood-when-ready", "", "writes useless lines for ever after its first readyok", |_| {
        vec![(Moment::Prepared, Deed::FloodForEver)]
    }),
    row("ok-unasked", "", "greets before it was asked", |_| {
        vec![(Moment::Start, Deed::Say(b"id name Early\nuciok\nucciok\n"))]
    }),
    row("greet-slowly", "MS", "waits before it greets", |n| vec![(Moment::Greeting, Deed::Wait(millis(n)))]),
    row("no-greeting", "", "never ends its greeting", |_| vec![(Moment::Greeting, Deed::Mute)]),
    row("deaf", "", "does not know the word it is greeted with", |_| {
        vec![(Moment::Greeting, Deed::Say(b"Unknown command: {c}\n")), (Moment::Greeting, Deed::Mute)]
    }),
    row("crlf", "", "ends its lines in \\r\\n", |_| vec![(Moment::Start, Deed::Dress(Dress::Crlf))]),
    row("blanks", "", "writes blanks and tabs around all words", |_| {
        vec![(Moment::Start, Deed::Dress(Dress::Blanks))]
    }),
    row("byte-by-byte", "", "writes every byte alone", |_| vec![(Moment::Start, Deed::Dress(Dress::Bytes))]),
    row("bom", "", "begins with a byte order mark", |_| vec![(Moment::Start, Deed::Say(b"\xef\xbb\xbf"))]),
    row("gbk", "", "has a name and says words that are not UTF-8", |_| {
        vec![
            (Moment::Greeting, Deed::Say(b"id name \xb3\xfe\xba\xd3\xbd\xe7\nid author \xa8\xa8\xff\n")),
            (Moment::Go, Deed::Say(BYTES)),
        ]
    }),
    row("nul-bytes", "", "writes NUL bytes, alone and within lines", |_| {
        vec![
            (Moment::Greeting, Deed::Say(b"\0\0\0\nid name N\0U\0L\n")),
            (Moment::Go, Deed::Say(b"\0\ninfo string \0bestmove\0 a0a0\0\n\0\0\0\n")),
        ]
    }),
    row("odd-options", "", "lists options in every odd form", |_| {
        vec![(Moment::Greeting, Deed::Say(ODD_OPTIONS))]
    }),
    row("refuse-options", "", "lists an option and refuses it in four spellings", |_| {
        let refusal = b"No such option: Hash\nError (Illegal move or unknown command): {c}\n\
            Unknown command: {c}\nError (unkown command): {c}\n";
        vec![
            (Moment::Greeting, Deed::Say(b"option name Hash type spin default 16 min 1 max 64\n")),
            (Moment::Option, Deed::Say(refusal)),
        ]
    }),
    row("hostile-name", "", "has a name made of paths, terminal codes and markup", |_| {
        vec![(
            Moment::Greeting,
            Deed::Say(
                b"id name ../../x/\x1b[31m<script>alert(1)</script>\"'`$(reboot)\\\n\
                id author \x1b]0;owned\x07\x9b2J<img src=x onerror=y>\n",
            ),
        )]
    }),
    row("renames", "", "gives itself another name after the greeting and before each move", |_| {
        vec![
            (Moment::Greeted, Deed::Say(b"id name Somebody Else\nuciok\nucciok\n")),
            (Moment::Go, Deed::Say(b"id name {m}\noption name {m} type button\nuciok\n")),
        ]
    }),
    row("exit-at-start", "", "exits with status 3 before it reads anything", |_| {
        vec![(Moment::Start, Deed::Exit)]
    }),
    row("exit-at-greeting", "", "exits with status 3 when it is greeted", |_| {
        vec![(Moment::Greeting, Deed::Exit)]
    }),
    row("exit-after-greeting", "", "exits with status 3 after its greeting", |_| {
        vec![(Moment::Greeted, Deed::Exit)]
    }),
    row("exit-at-option", "", "lists an option and exits with status 3 when it is set", |_| {
        vec![
            (Moment::Greeting, Deed::Say(b"option name Hash type spin default 16 min 1 max 64\n")),
            (Moment::Option, Deed::Exit),
        ]
    }),
    row("exit-at-ready", "", "exits with status 3 when asked whether it is ready", |_| {
        vec![(Moment::Ready, Deed::Exit)]
    }),
    row("exit-at-new-game", "", "exits with status 3 at a new game", |_| vec![(Moment::NewGame, Deed::Exit)]),
    row("exit-at-position", "", "exits with status 3 when it is given a position", |_| {
        vec![(Moment::Position, Deed::Exit)]
    }),
    row("never-ready", "", "never says readyok", |_| vec![(Moment::Ready, Deed::Mute)]),
    row("ready-late", "MS", "waits before each readyok", |n| vec![(Moment::Ready, Deed::Wait(millis(n)))]),
    row("new-game-slow", "MS", "takes so long to begin a game", |n| {
        vec![(Moment::NewGame, Deed::Wait(millis(n)))]
    }),
    row("new-game-never", "", "reads nothing after a new game was announced", |_| {
        vec![(Moment::NewGame, Deed::Hang)]
    }),
    row("never-reads", "", "reads nothing after its first readyok", |_| vec![(Moment::Prepared, Deed::Hang)]),
    row("no-network", "", "greets well and exits at its first move", |_| {
        vec![
            (Moment::Go, Deed::Say(b"info string ERROR: the network file was not found\n")),
            (Moment::Go, Deed::Exit),
        ]
    }),
    // Death and silence in play.
    row("exit-at-ply", "N", "exits with status 3 when asked at ply N", |n| vec![(ply(n), Deed::Exit)]),
    row("crash-at-ply", "N", "dies by SIGABRT when asked at ply N", |n| vec![(ply(n), Deed::Abort)]),
    row("hang-at-ply", "N", "never answers at ply N, nor anything after", |n| vec![(ply(n), Deed::Hang)]),
    row("exit-after-answer", "", "exits with status 3 after each answer", |_| {
        vec![(Moment::Answered, Deed::Exit)]
    }),
    row("last-words", "", "answers without a newline and exits", |_| vec![(Moment::Go, Deed::LastWords)]),
    row("cut-short", "", "says half of its answer and exits", |_| vec![(Moment::Go, Deed::CutShort)]),
    row("closes-input", "", "closes its input when asked", |_| vec![(Moment::Go, Deed::CloseInput)]),
    row("closes-output", "", "closes its output when asked", |_| {
        vec![(Moment::Go, Deed::CloseOutput), (Moment::Go, Deed::Hang)]
    }),
    row("unflushed", "", "its answer appears with the next line it reads", |_| {
        vec![(Moment::Go, Deed::Unflushed)]
    }),
    row("answers-at-stop", "MS", "answers so long after stop and not before", |n| {
        vec![
            (Moment::Go, Deed::Mute),
            (Moment::Stop, Deed::Wait(millis(n))),
            (Moment::Stop, Deed::Say(b"bestmove {m}\n")),
        ]
    }),
    row("exit-at-stop", "", "exits with status 3 at stop and does not answer before", |_| {
        vec![(Moment::Go, Deed::Mute), (Moment::Stop, Deed::Exit)]
    }),
    row("late", "MS", "answers so long after its time", |n| vec![(Moment::Go, Deed::Overstep(millis(n)))]),
    row("burns", "", "burns time whoever is to move", |_| vec![(Moment::Prepared, Deed::Burn)]),
    // Answers.
    row("illegal-at-ply", "N", "answers an illegal move at ply N", |n| {
        vec![(ply(n), Deed::Answer(b"bestmove a0b9"))]
    }),
    row("null-move", "", "always answers 0000", |_| vec![(Moment::Go, Deed::Answer(b"bestmove 0000"))]),
    row("none-move", "", "always answers (none)", |_| vec![(Moment::Go, Deed::Answer(b"bestmove (none)"))]),
    row("empty-move", "", "always answers bestmove and no move", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove"))]
    }),
    row("nonsense-move", "", "always answers xxxx", |_| vec![(Moment::Go, Deed::Answer(b"bestmove xxxx"))]),
    row("same-point", "", "always moves a piece to where it stands", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove a0a0"))]
    }),
    row("off-board", "", "always moves off the board", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove a0j7"))]
    }),
    row("chinese-move", "", "answers in Chinese notation", |_| {
        vec![(Moment::Go, Deed::Answer("bestmove 炮二平五".as_bytes()))]
    }),
    row("stale", "", "answers its move of before, which cannot be played again", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {p}"))]
    }),
    row("their-move", "", "answers the opponent's last move", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {o}"))]
    }),
    row("capitals", "", "answers in capitals", |_| vec![(Moment::Go, Deed::Answer(b"bestmove {M}"))]),
    row("dashes", "", "answers with a dash", |_| vec![(Moment::Go, Deed::Answer(b"bestmove {d}"))]),
    row("half-ponder", "", "says ponder and no move after it", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {m} ponder"))]
    }),
    row("wild-ponder", "", "ponders on something that is no move", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {m} ponder ^<^<"))]
    }),
    row("remarks", "", "remarks on its answer in the same line", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {m} ponder a0a0 (a fine move) !? 12.5 %"))]
    }),
    row("draw-words", "", "offers a draw with each answer", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {m} ponder a0a0 draw"))]
    }),
    row("resign-at-ply", "N", "resigns with a move at ply N", |n| {
        vec![(ply(n), Deed::Answer(b"bestmove {m} resign"))]
    }),
    row("nobestmove-at-ply", "N", "says nobestmove at ply N", |n| {
        vec![(ply(n), Deed::Answer(b"nobestmove"))]
    }),
    row("twice", "", "answers everything twice", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {m}\nbestmove {m}"))]
    }),
    row("second-thoughts", "", "answers, then says nobestmove", |_| {
        vec![(Moment::Go, Deed::Answer(b"bestmove {m}\nnobestmove"))]
    }),
    row("unasked", "", "says moves that nobody asked for", |_| {
        vec![
            (Moment::Greeted, Deed::Say(b"bestmove a0a1\n")),
            (Moment::Prepared, Deed::Say(b"bestmove h2e2\nnobestmove\n")),
        ]
    }),
    row("half-line", "", "writes its answers in two pieces", |_| vec![(Moment::Go, Deed::Halves)]),
    row("info-after", "", "goes on thinking aloud after its answer", |_| {
        vec![(Moment::Answered, Deed::Say(b"info depth 99 score cp 29999 nodes 5 pv a0a0\n"))]
    }),
    row("echo", "", "repeats what it hears", |_| {
        vec![(Moment::Go, Deed::Say(b"info string {c} bestmove a0a0\ninfo string bestmove a0a0\n"))]
    }),
    row("words-elsewhere", "", "says the words of the protocol in wrong places", |_| {
        let words = b"info depth 1 pv z9z9 bestmove a0a0\n0readyok\nxbestmove a0a0\n: bestmove a0a0\n\
            ponder bestmove a0a0\nerror bestmove a0a0\nreadyok bestmove a0a0\n";
        vec![(Moment::Go, Deed::Say(words))]
    }),
    row("odd-info", "", "thinks aloud in broken lines", |_| vec![(Moment::Go, Deed::Say(ODD_INFO))]),
    row("claims", "", "claims results with each move", |_| vec![(Moment::Go, Deed::Say(CLAIMS))]),
    row("claim-at-ply", "N", "claims a draw in place of its move at ply N", |n| {
        vec![(ply(n), Deed::Answer(b"1/2-1/2 {3 repetitions}"))]
    }),
    row("refuse-at-ply", "N", "calls the opponent's move illegal at ply N", |n| {
        vec![(ply(n), Deed::Answer(b"Illegal move: {o}"))]
    }),
    row("give-up-at-ply", "N", "resigns apart from a move at ply N (CECP)", |n| {
        vec![(ply(n), Deed::Answer(b"resign"))]
    }),
    row("offers", "", "offers a draw before each move (CECP)", |_| {
        vec![(Moment::Go, Deed::Say(b"offer draw\n"))]
    }),
    // Output.
    row("flood", "N", "writes N useless lines before each move", |n| vec![(Moment::Go, Deed::Flood(n))]),
    row("flood-at-ply", "N", "writes useless lines for ever at ply N", |n| {
        vec![(ply(n), Deed::FloodForEver)]
    }),
    row("flood-for-ever", "", "writes useless lines for ever, beside everything else", |_| {
        vec![(Moment::Start, Deed::FloodAside)]
    }),
    row("endless-line", "MB", "writes a line of so many megabytes before each move", |n| {
        vec![(Moment::Go, Deed::Endless(n))]
    }),
    row("stderr-flood", "N", "writes N lines to stderr at its start", |n| {
        vec![(Moment::Start, Deed::Errors(n))]
    }),
    row("stderr-for-ever", "", "writes to stderr for ever, beside everything else", |_| {
        vec![(Moment::Start, Deed::ErrorsForEver)]
    }),
    row("stderr-protocol", "", "speaks the protocol on stderr too", |_| {
        vec![
            (Moment::Greeting, Deed::Complain("option name Hash type spin\nuciok\nid name Errors")),
            (Moment::Go, Deed::Complain("bestmove a0a0\ninfo score cp 5")),
        ]
    }),
    // The end.
    row("ignore-quit", "", "does not end at quit", |_| vec![(Moment::Quit, Deed::Mute)]),
    row("crash-at-quit", "", "dies by SIGABRT at quit", |_| vec![(Moment::Quit, Deed::Abort)]),
    row("ignore-eof", "", "does not end with its input", |_| vec![(Moment::InputEnds, Deed::Mute)]),
    row("ignore-signals", "", "takes no notice of SIGTERM and SIGINT", |_| {
        vec![(Moment::Start, Deed::IgnoreSignals)]
    }),
    row("fork-grandchild", "", "leaves a process that keeps its output open", |_| {
        vec![(Moment::Start, Deed::Grandchild)]
    }),
    row("fork-runaway", "", "leaves a process in a session of its own", |_| {
        vec![(Moment::Start, Deed::Runaway)]
    }),
];
