//! One engine process as a state machine over lines: greeting, options, readiness, one `go` outstanding
//! at a time, and its answer. Time limits are the caller's; nothing here waits. Start at [`Session`].

use std::sync::Arc;
use std::time::Duration;

use regex_lite::Regex;

use super::answer::{Answer, AnsweredMove};
use super::cecp::{self, Cecp};
use super::go::{Go, Unit};
use super::info::{Kept, KeptLines, MAX_KEPT, Thought};
use super::manifest::{Manifest, Protocol};
use super::options::{Identity, same_name};
use super::sheet::Sheet;
use super::words::{first_word, put_line};
use super::{ucci, uci};
use crate::xiangqi::{Move, SquareStyle};

/// One engine process. It may serve several games in turn, with one `go` outstanding at a time.
///
/// Everything that must be written to the engine is appended to `out`; everything it writes is given to
/// [`Session::hear`] line by line.
#[derive(Debug)]
pub struct Session {
    manifest: Arc<Manifest>,
    dialect: Dialect,
    progress: Progress,
    /// At which board of several it sits, from 1.
    board: Option<u32>,
    /// What lines are looked for, and the last one of the search that matched.
    matching: Option<Regex>,
    matched: Vec<u8>,
}

#[derive(Debug)]
enum Dialect {
    Uci,
    Ucci(Unit),
    Cecp(Box<Cecp>),
}

/// What a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The greeting is not complete.
    Greeting,
    /// Options or a new game were sent; `readyok` or `pong` is awaited.
    Settling,
    /// Nothing is awaited.
    Idle,
    /// `go` was sent.
    Thinking,
    /// `stop` was sent; the answer will come as [`Heard::Late`].
    Stopping,
    /// `go ponder` was sent.
    Pondering,
    /// `quit` was sent.
    Quitting,
}

/// What a line of an engine means for the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard<'a> {
    /// Nothing: chatter, thinking, echoes.
    Nothing,
    /// The greeting is complete and options were appended to `out`. [`Session::phase`] is then `Settling`
    /// if a [`Heard::Ready`] will follow, else `Idle`.
    Greeted,
    /// The engine has done everything that it was told before.
    Ready,
    /// The answer to the outstanding `go`.
    Answer(Answer<'a>),
    /// An answer that nobody waits for: to a stopped search, a second one, one without `go`. Discard it;
    /// if the phase was `Stopping` it is now `Idle`.
    Late,
    /// The engine refuses a move or a position that we hold legal (CECP). The whole line.
    Refused(&'a [u8]),
    /// The engine claims a result (CECP). It decides nothing.
    Claim {
        /// The whole line.
        line: &'a [u8],
        /// It came while a move was awaited, and no move may follow.
        instead_of_move: bool,
    },
    /// A draw is offered apart from a move (CECP).
    Offer,
    /// The engine resigns, apart from a move (CECP).
    Resign,
    /// The engine says good-bye (UCCI).
    Bye,
}

/// The part of a session that no dialect changes.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) phase: Phase,
    pub(super) identity: Identity,
    pub(super) unlisted: Vec<String>,
    pub(super) kept: Kept,
    /// `isready`s without their `readyok`.
    awaited: u32,
    /// Answers before the awaited `readyok` belong to an older search.
    fenced: bool,
    /// A `stop` was sent since the last fence: ElephantEye answers one that comes too late as well.
    stopped: bool,
    /// It has answered a question since it was last told of a game.
    answered: bool,
    /// It has answered a question twice: it may do so again, and the second answer may come when the next
    /// question is out already. So each of its searches has a fence.
    repeats: bool,
    /// The answer that came while pondering, without its first word.
    early: Option<Vec<u8>>,
    /// No line was heard yet: a byte order mark may come.
    unheard: bool,
}

/// Longest answer that is kept while pondering, in bytes: two moves and a word.
const MAX_EARLY: usize = 64;

/// The option by which engines are told that they will be asked to think on the opponent's time.
const PONDER: &str = "Ponder";

/// A byte order mark, as some programs on Windows write it first.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Session {
    /// A session with a process that has just been started.
    pub fn new(manifest: Arc<Manifest>) -> Session {
        let dialect = match manifest.protocol {
            Protocol::Uci => Dialect::Uci,
            Protocol::Ucci => Dialect::Ucci(Unit::Seconds),
            Protocol::Cecp => Dialect::Cecp(Box::default()),
        };
        // A pattern that cannot be read was refused with the config; here it finds nothing.
        let matching = manifest.keeps.matching.as_deref().and_then(|pattern| Regex::new(pattern).ok());
        Session { manifest, dialect, progress: Progress::new(), board: None, matching, matched: Vec::new() }
    }

    /// What is known of the engine.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What it waits for.
    pub fn phase(&self) -> Phase {
        self.progress.phase
    }

    /// Who the engine says it is, and the options it listed.
    pub fn identity(&self) -> &Identity {
        &self.progress.identity
    }

    /// Options of the manifest that the engine did not list and that were therefore not sent; known once
    /// it is greeted.
    pub fn unlisted(&self) -> &[String] {
        &self.progress.unlisted
    }

    /// Whether the engine, once greeted, lists xiangqi or lists no variants at all.
    pub fn plays_xiangqi(&self) -> bool {
        match &self.dialect {
            Dialect::Uci => {
                let variants = self.progress.identity.option(uci::VARIANT);
                variants.is_none_or(|v| v.vars.iter().any(|v| v.eq_ignore_ascii_case("xiangqi")))
            }
            Dialect::Ucci(_) => true,
            Dialect::Cecp(cecp) => cecp.plays_xiangqi(),
        }
    }

    /// Whether the process may serve another game: the manifest and the engine both say so.
    pub fn reusable(&self) -> bool {
        let allows = match &self.dialect {
            Dialect::Uci | Dialect::Ucci(_) => true,
            Dialect::Cecp(cecp) => cecp.reusable(),
        };
        self.manifest.reuse && allows
    }

    /// The first words to the engine.
    pub fn open(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(match &self.dialect {
            Dialect::Uci => b"uci\n",
            Dialect::Ucci(_) => b"ucci\n",
            Dialect::Cecp(_) => b"xboard\nprotover 2\n",
        });
    }

    /// How long after [`Session::open`] the greeting is over without a word from the engine, by the
    /// protocol: 2 s in CECP unless the engine has asked for more. The caller then calls
    /// [`Session::settle`]. `None`: the engine must complete the greeting itself.
    pub fn silence(&self) -> Option<Duration> {
        match &self.dialect {
            Dialect::Cecp(cecp) if self.progress.phase == Phase::Greeting => cecp.silence(),
            Dialect::Uci | Dialect::Ucci(_) | Dialect::Cecp(_) => None,
        }
    }

    /// Ends a greeting that the engine has not completed, after [`Session::silence`]. Nothing happens in
    /// other phases and protocols.
    pub fn settle(&mut self, out: &mut Vec<u8>) -> Heard<'static> {
        if self.silence().is_none() {
            return Heard::Nothing;
        }
        self.greeted(out)
    }

    /// A line of the engine, without its newline.
    pub fn hear<'a>(&mut self, line: &'a [u8], out: &mut Vec<u8>) -> Heard<'a> {
        let mut line = line;
        if std::mem::take(&mut self.progress.unheard) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        let line = line.trim_ascii();
        if let Some(matching) = &self.matching
            && self.progress.searches()
            && std::str::from_utf8(line).is_ok_and(|line| matching.is_match(line))
        {
            self.matched.clear();
            self.matched.extend_from_slice(&line[..line.len().min(MAX_KEPT)]);
        }
        match &mut self.dialect {
            Dialect::Cecp(cecp) => {
                let style = self.manifest.squares;
                match cecp.hear(style, &mut self.progress, line, out) {
                    cecp::Said::Heard(heard) => heard,
                    cecp::Said::Done => self.greeted(out),
                }
            }
            Dialect::Uci | Dialect::Ucci(_) => self.hear_words(line, out),
        }
    }

    fn hear_words<'a>(&mut self, line: &'a [u8], out: &mut Vec<u8>) -> Heard<'a> {
        let greeting = self.progress.phase == Phase::Greeting;
        let (word, rest) = first_word(line);
        match word {
            b"info" => {
                if self.progress.searches() {
                    self.progress.kept.info(rest);
                }
                Heard::Nothing
            }
            b"bestmove" => self.progress.answered(Answer::read(rest, self.manifest.squares), rest),
            b"nobestmove" => self.progress.answered(Answer::only(AnsweredMove::None(word)), word),
            b"readyok" => self.progress.readied(),
            b"id" if greeting => {
                self.progress.identity.hear_id(rest);
                Heard::Nothing
            }
            b"option" if greeting => {
                self.progress.identity.hear_option(rest);
                Heard::Nothing
            }
            b"uciok" if greeting && matches!(self.dialect, Dialect::Uci) => self.greeted(out),
            b"ucciok" if greeting && matches!(self.dialect, Dialect::Ucci(_)) => self.greeted(out),
            b"bye" if matches!(self.dialect, Dialect::Ucci(_)) => Heard::Bye,
            _ => Heard::Nothing,
        }
    }

    /// Sends everything that follows the greeting.
    fn greeted(&mut self, out: &mut Vec<u8>) -> Heard<'static> {
        let manifest = Arc::clone(&self.manifest);
        self.put_needed_options(out);
        for line in &manifest.init {
            put_line(out, &[line]);
        }
        // The run's own word on pondering goes before a manifest's.
        let overruled = |name: &str| manifest.ponder && same_name(name, PONDER);
        for (name, value) in manifest.options.iter().filter(|(name, _)| !overruled(name)) {
            if !self.put_option(name, value, out) {
                self.progress.unlisted.push(name.clone());
            }
        }
        self.settle_down(out);
        Heard::Greeted
    }

    /// Settings without which the engine would play another game or count another clock, unless the
    /// manifest gives them itself.
    fn put_needed_options(&mut self, out: &mut Vec<u8>) {
        let given = |name: &str| self.manifest.options.iter().any(|(given, _)| same_name(given, name));
        let identity = &self.progress.identity;
        match &mut self.dialect {
            Dialect::Uci => {
                if identity.offers(uci::VARIANT, "xiangqi")
                    && !given(uci::VARIANT)
                    && let Some(variant) = identity.option(uci::VARIANT)
                {
                    uci::put_option(variant, "xiangqi", out);
                }
            }
            Dialect::Ucci(unit) => {
                *unit = ucci::unit(&self.manifest, identity);
                if let Some(listed) = identity.option(ucci::MILLISECONDS)
                    && !given(ucci::MILLISECONDS)
                {
                    let value = if *unit == Unit::Milliseconds { "true" } else { "false" };
                    ucci::put_option(listed, value, out);
                }
            }
            Dialect::Cecp(_) => {
                let pondering = if self.manifest.ponder { &b"post\nhard\n"[..] } else { b"post\neasy\n" };
                out.extend_from_slice(pondering);
            }
        }
        if self.manifest.ponder && !matches!(self.dialect, Dialect::Cecp(_)) {
            self.put_option(PONDER, "true", out);
        }
    }

    /// Sets an option if the engine lists it.
    fn put_option(&self, name: &str, value: &str, out: &mut Vec<u8>) -> bool {
        let listed = self.progress.identity.option(name);
        match (&self.dialect, listed) {
            (Dialect::Uci, Some(listed)) => uci::put_option(listed, value, out),
            (Dialect::Ucci(_), Some(listed)) => ucci::put_option(listed, value, out),
            (Dialect::Cecp(_), Some(listed)) => cecp::put_option(listed, value, out),
            (Dialect::Cecp(cecp), None) => return cecp.put_command_option(name, value, out),
            (Dialect::Uci | Dialect::Ucci(_), None) => return false,
        }
        true
    }

    /// Begins a game. `true`: a [`Heard::Ready`] will follow, and the first `go` should wait for it;
    /// `false`: the engine may be asked at once.
    pub fn new_game(&mut self, sheet: &mut Sheet, out: &mut Vec<u8>) -> bool {
        for line in &self.manifest.new_game {
            put_line(out, &[line]);
        }
        match &mut self.dialect {
            Dialect::Uci => out.extend_from_slice(b"ucinewgame\n"),
            Dialect::Ucci(_) => {
                if let Some(listed) = self.progress.identity.option(ucci::NEW_GAME) {
                    ucci::put_option(listed, "", out);
                }
            }
            Dialect::Cecp(cecp) => cecp.set_up(self.manifest.squares, sheet, out),
        }
        self.progress.kept.clear();
        self.progress.early = None;
        self.settle_down(out)
    }

    /// It serves several boards (II.2) and sits at this one now, from 1; told with the next question to whoever
    /// lists an option for it.
    pub fn sit_at(&mut self, board: u32) {
        self.board = Some(board);
    }

    /// Asks for a move in the position that the sheet has reached. Everything is appended as one piece.
    pub fn ask(&mut self, sheet: &mut Sheet, go: &Go<'_>, out: &mut Vec<u8>) {
        self.begin_search(Phase::Thinking, out);
        match &mut self.dialect {
            Dialect::Uci => {
                sheet.put_position(out);
                uci::put_go(&self.manifest, go, false, out);
            }
            Dialect::Ucci(unit) => {
                let listed = self.progress.identity.option(ucci::BOARD);
                if let (Some(board), Some(listed)) = (self.board, listed) {
                    ucci::put_option(listed, &board.to_string(), out);
                }
                sheet.put_position(out);
                ucci::put_go(&self.manifest, *unit, go, false, out);
            }
            Dialect::Cecp(cecp) => cecp.ask(self.manifest.squares, sheet, go, out),
        }
    }

    /// Asks the engine to stop. Its answer still comes, as [`Heard::Late`], unless the phase is `Idle` at
    /// once: then it had answered while pondering. Nothing is sent to an engine that does not search.
    pub fn stop(&mut self, out: &mut Vec<u8>) {
        match self.progress.phase {
            Phase::Pondering if self.progress.early.take().is_some() => self.progress.phase = Phase::Idle,
            Phase::Thinking | Phase::Pondering => {
                out.extend_from_slice(match &self.dialect {
                    Dialect::Uci | Dialect::Ucci(_) => b"stop\n",
                    Dialect::Cecp(_) => b"?\n",
                });
                self.progress.phase = Phase::Stopping;
                self.progress.stopped = true;
            }
            Phase::Greeting | Phase::Settling | Phase::Idle | Phase::Stopping | Phase::Quitting => {}
        }
    }

    /// Whether [`Session::ponder`] has a word for this engine: UCI or UCCI, and it lists the option.
    pub fn is_asked_to_ponder(&self) -> bool {
        !matches!(self.dialect, Dialect::Cecp(_)) && self.progress.identity.option(PONDER).is_some()
    }

    /// The game is over: an engine that thinks on the opponent's time by itself (CECP's `hard`) is to rest.
    pub fn rest(&mut self, out: &mut Vec<u8>) {
        if let Dialect::Cecp(cecp) = &mut self.dialect
            && self.manifest.ponder
        {
            cecp.rest(out);
        }
    }

    /// Lets the engine think on the opponent's time about the position after `expected`, with the clocks
    /// as they stand. `false`, and nothing is sent, if the protocol has no word for it (CECP) or the
    /// engine lists no option `ponder`.
    pub fn ponder(&mut self, sheet: &mut Sheet, expected: Move, go: &Go<'_>, out: &mut Vec<u8>) -> bool {
        if !self.is_asked_to_ponder() {
            return false;
        }
        self.begin_search(Phase::Pondering, out);
        sheet.put_position_after(expected, out);
        match &self.dialect {
            Dialect::Uci => uci::put_go(&self.manifest, go, true, out),
            Dialect::Ucci(unit) => ucci::put_go(&self.manifest, *unit, go, true, out),
            Dialect::Cecp(_) => {}
        }
        true
    }

    /// The expected move was played: the engine's clock runs from now. If it had answered already, that
    /// answer is returned, with no time used, and nothing is sent. `draw`: the opponent has offered one with
    /// its move (UCCI has a word for it).
    pub fn ponder_hit(&mut self, draw: bool, out: &mut Vec<u8>) -> Option<Answer<'_>> {
        if self.progress.phase != Phase::Pondering {
            return None;
        }
        if self.progress.early.is_some() {
            self.progress.phase = Phase::Idle;
            let style = self.manifest.squares;
            return self.progress.early.as_deref().map(|rest| read_early(rest, style));
        }
        let told = draw && matches!(self.dialect, Dialect::Ucci(_));
        out.extend_from_slice(if told { b"ponderhit draw\n" } else { b"ponderhit\n" });
        self.progress.phase = Phase::Thinking;
        None
    }

    /// The answer just heard came before the engine was given the question, so it is none: the engine still
    /// owes one.
    pub fn disregard_answer(&mut self) {
        if self.progress.phase == Phase::Idle {
            self.progress.phase = Phase::Thinking;
        }
    }

    /// Asks the engine to end itself.
    pub fn quit(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"quit\n");
        self.progress.phase = Phase::Quitting;
    }

    /// What the engine said last of the search under way, or of the one just answered.
    pub fn thought(&self) -> Option<Thought> {
        self.progress.kept.read(Some(self.manifest.squares))
    }

    /// Score, depth and nodes of [`Session::thought`] alone: the record of a move needs no more, and reading
    /// the line of play costs more than all the rest.
    pub fn thought_in_brief(&self) -> Option<Thought> {
        self.progress.kept.read(None)
    }

    /// The lines of that search which are kept as they were written, where any are.
    pub fn kept_lines(&self) -> Option<Box<KeptLines>> {
        let keeps = &self.manifest.keeps;
        let info = if keeps.info { self.progress.kept.scored_line() } else { String::new() };
        let matched = String::from_utf8_lossy(&self.matched).into_owned();
        let lines = KeptLines { info, matched };
        (lines != KeptLines::default()).then(|| Box::new(lines))
    }

    fn begin_search(&mut self, phase: Phase, out: &mut Vec<u8>) {
        self.progress.kept.clear();
        self.matched.clear();
        self.progress.early = None;
        self.progress.phase = phase;
        // An engine whose answer crossed our `stop` may answer the `stop` too; what it says before it has
        // read this is not the answer to what follows.
        let stopped = std::mem::take(&mut self.progress.stopped);
        // A CECP engine may move by itself, and some move at once when they are pinged: no fence there.
        let repeats = self.progress.repeats && !matches!(self.dialect, Dialect::Cecp(_));
        if (stopped || repeats) && self.put_ping(out) {
            self.progress.fenced = true;
        }
    }

    /// Asks for a sign of readiness, if this engine gives one.
    fn settle_down(&mut self, out: &mut Vec<u8>) -> bool {
        let waits = self.put_ping(out);
        self.progress.answered = false;
        if waits {
            self.progress.stopped = false;
            self.progress.fenced = false;
        }
        self.progress.phase = if waits { Phase::Settling } else { Phase::Idle };
        waits
    }

    fn put_ping(&mut self, out: &mut Vec<u8>) -> bool {
        if !self.manifest.ping {
            return false;
        }
        match &mut self.dialect {
            Dialect::Uci | Dialect::Ucci(_) => out.extend_from_slice(b"isready\n"),
            Dialect::Cecp(cecp) => {
                if !cecp.put_ping(out) {
                    return false;
                }
                // A `pong` carries its number, so only the last one counts.
                self.progress.awaited = 0;
            }
        }
        self.progress.awaited = self.progress.awaited.saturating_add(1);
        true
    }
}

fn read_early(rest: &[u8], style: SquareStyle) -> Answer<'_> {
    if rest == b"nobestmove" { Answer::only(AnsweredMove::None(rest)) } else { Answer::read(rest, style) }
}

impl Progress {
    fn new() -> Progress {
        Progress {
            phase: Phase::Greeting,
            identity: Identity::default(),
            unlisted: Vec::new(),
            kept: Kept::default(),
            awaited: 0,
            fenced: false,
            stopped: false,
            answered: false,
            repeats: false,
            early: None,
            unheard: true,
        }
    }

    /// Whether a search of ours is under way, so that thinking lines belong to it.
    pub(super) fn searches(&self) -> bool {
        match self.phase {
            Phase::Thinking | Phase::Stopping | Phase::Pondering => !self.fenced,
            Phase::Greeting | Phase::Settling | Phase::Idle | Phase::Quitting => false,
        }
    }

    /// An answer came; `rest` is its text.
    pub(super) fn answered<'a>(&mut self, answer: Answer<'a>, rest: &'a [u8]) -> Heard<'a> {
        if self.fenced {
            return Heard::Late;
        }
        match self.phase {
            Phase::Thinking => {
                self.phase = Phase::Idle;
                self.answered = true;
                Heard::Answer(answer)
            }
            Phase::Stopping => {
                self.phase = Phase::Idle;
                Heard::Late
            }
            Phase::Pondering if self.early.is_none() => {
                self.early = Some(rest[..rest.len().min(MAX_EARLY)].to_vec());
                Heard::Nothing
            }
            Phase::Idle => {
                self.repeats |= self.answered;
                Heard::Late
            }
            Phase::Pondering | Phase::Greeting | Phase::Settling | Phase::Quitting => Heard::Late,
        }
    }

    /// A sign of readiness came.
    pub(super) fn readied(&mut self) -> Heard<'static> {
        if self.awaited == 0 {
            return Heard::Nothing;
        }
        self.awaited -= 1;
        if self.awaited > 0 {
            return Heard::Nothing;
        }
        self.fenced = false;
        if self.phase == Phase::Settling {
            self.phase = Phase::Idle;
            return Heard::Ready;
        }
        Heard::Nothing
    }
}
