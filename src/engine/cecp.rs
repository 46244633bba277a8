//! CECP, XBoard protocol 2, for xiangqi (`engines.md` 5): features, a board that is told moves one by
//! one, and what comes back. An engine is sent only what its features ask for, because some end
//! themselves at an unknown word. Start at [`Cecp::hear`] and [`Cecp::ask`].

use std::io::Write as _;
use std::time::Duration;

use super::answer::{Answer, AnsweredMove};
use super::go::{Go, Unit};
use super::options::{Listed, OptionKind, same_name};
use super::session::{Heard, Phase, Progress};
use super::sheet::Sheet;
use super::words::{first_word, number, put_line, words};
use crate::xiangqi::{Move, Side, SquareStyle};

/// The state of a CECP engine.
#[derive(Debug)]
pub(super) struct Cecp {
    features: Features,
    /// The engine said `done=0`: it needs time.
    asked_for_time: bool,
    /// Number of the last `ping`.
    ping: u32,
    /// Ticket of the game on the engine's board; 0 if we do not know what stands there.
    board: u32,
    /// The last ticket given.
    tickets: u32,
    /// It plays the side it moved with last: the opponent's next move is answered without `go`.
    playing: bool,
    /// The move it answered, which its own board already holds.
    own: Option<Move>,
    /// How its clock was set for the game on its board.
    pace: Option<Pace>,
    /// The depth limit last sent to this process; three engines keep it after `new`, the others do not.
    depth: Option<u32>,
    /// Whether it was sent since the last `new`.
    depth_told: bool,
    /// A position was set up and the engine has given no sign of readiness since.
    placed: bool,
}

/// What the engine's `feature` lines say; the defaults are the protocol's.
#[derive(Debug)]
struct Features {
    ping: bool,
    setboard: bool,
    usermove: bool,
    time: bool,
    draw: bool,
    memory: bool,
    smp: bool,
    reuse: bool,
    /// Whether its variants name xiangqi; `None` if it names no variants.
    xiangqi: Option<bool>,
}

/// How an engine's clock was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    Level,
    /// Whole seconds a move; 0 if it is less than one.
    PerMove(u64),
}

/// What a line was.
pub(super) enum Said<'a> {
    Heard(Heard<'a>),
    /// `done=1`: the greeting is complete.
    Done,
}

/// Told to an engine without a clock of ours: an hour. CECP has no word for "no limit".
const UNTIMED: Duration = Duration::from_secs(3600);

/// Takes back an earlier `sd`: no engine gets so deep.
const NO_DEPTH: u32 = 99;

/// Without features an engine of protocol 1 or a slow one: the protocol's limit.
const SILENCE: Duration = Duration::from_secs(2);

/// Moves from the start position made before `edit`, which leaves the side to move as it is: nine bring
/// Black's turn, ten Red's. They also empty file a, which MaxQi's `#` forgets to clear.
const BEFORE_EDIT: [&[u8]; 10] =
    [b"a0a1", b"a9a8", b"a1d1", b"a8d8", b"a3a4", b"a6a5", b"a4a5", b"d8d7", b"a5b5", b"d7d8"];

/// Features that are answered with `accepted`; all others, and `san`, with `rejected`.
const KNOWN: [&[u8]; 22] = [
    b"ping",
    b"setboard",
    b"playother",
    b"usermove",
    b"time",
    b"draw",
    b"sigint",
    b"sigterm",
    b"reuse",
    b"analyze",
    b"myname",
    b"myversion",
    b"variants",
    b"colors",
    b"ics",
    b"name",
    b"pause",
    b"nps",
    b"debug",
    b"memory",
    b"smp",
    b"option",
];

impl Default for Cecp {
    fn default() -> Cecp {
        Cecp {
            features: Features {
                ping: false,
                setboard: false,
                usermove: false,
                time: true,
                draw: true,
                memory: false,
                smp: false,
                reuse: true,
                xiangqi: None,
            },
            asked_for_time: false,
            ping: 0,
            board: 0,
            tickets: 0,
            playing: false,
            own: None,
            pace: None,
            depth: None,
            depth_told: false,
            placed: false,
        }
    }
}

/// Appends `option` for a listed option.
pub(super) fn put_option(listed: &Listed, value: &str, out: &mut Vec<u8>) {
    match listed.kind {
        OptionKind::Button => put_line(out, &["option ", &listed.name]),
        OptionKind::Check => {
            let on = value == "1" || value.eq_ignore_ascii_case("true");
            put_line(out, &["option ", &listed.name, if on { "=1" } else { "=0" }]);
        }
        OptionKind::Spin | OptionKind::Combo | OptionKind::String | OptionKind::Other => {
            put_line(out, &["option ", &listed.name, "=", value]);
        }
    }
}

impl Cecp {
    pub(super) fn plays_xiangqi(&self) -> bool {
        self.features.xiangqi != Some(false)
    }

    pub(super) fn reusable(&self) -> bool {
        self.features.reuse
    }

    pub(super) fn silence(&self) -> Option<Duration> {
        (!self.asked_for_time).then_some(SILENCE)
    }

    /// Memory and cores have commands of their own, for engines whose features ask for them.
    pub(super) fn put_command_option(&self, name: &str, value: &str, out: &mut Vec<u8>) -> bool {
        let is = |names: [&str; 2]| names.iter().any(|known| same_name(known, name));
        if self.features.memory && is(["memory", "Hash"]) {
            put_line(out, &["memory ", value]);
        } else if self.features.smp && is(["cores", "Threads"]) {
            put_line(out, &["cores ", value]);
        } else {
            return false;
        }
        true
    }

    pub(super) fn put_ping(&mut self, out: &mut Vec<u8>) -> bool {
        if !self.features.ping {
            return false;
        }
        self.ping = self.ping.wrapping_add(1);
        // Writing into a Vec cannot fail.
        let _ = writeln!(out, "ping {}", self.ping);
        true
    }

    /// A line without white space around it.
    pub(super) fn hear<'a>(
        &mut self,
        style: SquareStyle,
        progress: &mut Progress,
        line: &'a [u8],
        out: &mut Vec<u8>,
    ) -> Said<'a> {
        let (word, rest) = first_word(line);
        let heard = match word {
            b"feature" => return self.hear_features(progress, rest, out),
            b"move" => self.hear_move(style, progress, rest),
            b"pong" if number(first_word(rest).0) == Some(self.ping) => {
                self.placed = false;
                progress.readied()
            }
            b"resign" => Heard::Resign,
            b"offer" if first_word(rest).0 == b"draw" => Heard::Offer,
            _ if is_result(word) => {
                self.board = 0;
                Heard::Claim { line, instead_of_move: progress.phase == Phase::Thinking }
            }
            _ if self.refuses(style, word, rest) => {
                self.board = 0;
                Heard::Refused(line)
            }
            _ => {
                if progress.searches() {
                    progress.kept.thinking(line);
                }
                Heard::Nothing
            }
        };
        Said::Heard(heard)
    }

    fn hear_move<'a>(&mut self, style: SquareStyle, progress: &mut Progress, rest: &'a [u8]) -> Heard<'a> {
        let mv = AnsweredMove::read(first_word(rest).0, style);
        let heard = progress.answered(Answer::only(mv), rest);
        if let (Heard::Answer(_), AnsweredMove::Move(mv)) = (&heard, mv) {
            self.own = Some(mv);
            self.placed = false;
        } else {
            // It has played something on its board that we do not follow.
            self.board = 0;
        }
        heard
    }

    /// `Illegal move: M`, `Error (TYPE): M`, or trouble with a position that was just set up. Errors about
    /// other words (`post`, `draw`) are harmless.
    fn refuses(&self, style: SquareStyle, word: &[u8], rest: &[u8]) -> bool {
        if word.eq_ignore_ascii_case(b"illegal") {
            let what = rest.get(..4).unwrap_or_default();
            return what.eq_ignore_ascii_case(b"move") || what.eq_ignore_ascii_case(b"posi");
        }
        if word.eq_ignore_ascii_case(b"error") {
            let last = words(rest).last().unwrap_or_default();
            return style.read(last).is_some()
                || (self.placed && words(rest).any(|word| matches!(word, b"setboard" | b"edit")));
        }
        word == b"tellusererror" && self.placed
    }

    fn hear_features<'a>(&mut self, progress: &mut Progress, mut text: &[u8], out: &mut Vec<u8>) -> Said<'a> {
        let mut done = false;
        while let Some((name, value, rest)) = next_feature(text) {
            text = rest;
            if name == b"done" {
                done = value == b"1";
                self.asked_for_time |= value == b"0";
                continue;
            }
            let accepted = KNOWN.contains(&name);
            if accepted {
                self.set_feature(progress, name, value);
            }
            out.extend_from_slice(if accepted { b"accepted " } else { b"rejected " });
            out.extend_from_slice(name);
            out.push(b'\n');
        }
        if done && progress.phase == Phase::Greeting {
            return Said::Done;
        }
        Said::Heard(Heard::Nothing)
    }

    fn set_feature(&mut self, progress: &mut Progress, name: &[u8], value: &[u8]) {
        let on = value != b"0";
        match name {
            b"ping" => self.features.ping = on,
            b"setboard" => self.features.setboard = on,
            b"usermove" => self.features.usermove = on,
            b"time" => self.features.time = on,
            b"draw" => self.features.draw = on,
            b"memory" => self.features.memory = on,
            b"smp" => self.features.smp = on,
            b"reuse" => self.features.reuse = on,
            b"variants" => {
                let mut names = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
                self.features.xiangqi = Some(names.any(|name| name == b"xiangqi"));
            }
            b"myname" => progress.identity.set_name(value),
            b"myversion" => progress.identity.set_version(value),
            b"option" => progress.identity.hear_feature_option(value),
            // Known, and without consequence for us.
            _ => {}
        }
    }

    /// Sets up the engine's board: a new game, its position, the moves so far; in force mode.
    pub(super) fn set_up(&mut self, style: SquareStyle, sheet: &mut Sheet, out: &mut Vec<u8>) {
        out.extend_from_slice(b"new\n");
        if self.plays_xiangqi() {
            out.extend_from_slice(b"variant xiangqi\n");
        }
        out.extend_from_slice(b"force\n");
        if !sheet.is_usual_start() {
            self.place(style, sheet, out);
        }
        self.tickets = self.tickets.wrapping_add(1).max(1);
        self.board = self.tickets;
        sheet.ticket = self.tickets;
        sheet.told = 0;
        self.playing = false;
        self.own = None;
        self.pace = None;
        self.depth_told = false;
        self.put_fresh_moves(style, sheet, out);
    }

    fn place(&mut self, style: SquareStyle, sheet: &Sheet, out: &mut Vec<u8>) {
        self.placed = true;
        if self.features.setboard {
            out.extend_from_slice(b"setboard ");
            sheet.put_fen(out);
            out.push(b'\n');
            return;
        }
        let moves = if sheet.base().side() == Side::Red { &BEFORE_EDIT[..] } else { &BEFORE_EDIT[..9] };
        for mv in moves.iter().filter_map(|mv| SquareStyle::Zero.read(mv)) {
            self.put_move(style, mv, out);
        }
        out.extend_from_slice(b"edit\n#\n");
        for side in Side::BOTH {
            if side == Side::Black {
                out.extend_from_slice(b"c\n");
            }
            for (square, piece) in sheet.base().board().pieces().filter(|(_, p)| p.side() == side) {
                out.push(sheet.letter(piece).to_ascii_uppercase());
                let _ = writeln!(out, "{square}");
            }
        }
        out.extend_from_slice(b".\n");
    }

    fn put_move(&self, style: SquareStyle, mv: Move, out: &mut Vec<u8>) {
        if self.features.usermove {
            out.extend_from_slice(b"usermove ");
        }
        style.write(mv, out);
        out.push(b'\n');
    }

    fn put_fresh_moves(&self, style: SquareStyle, sheet: &mut Sheet, out: &mut Vec<u8>) {
        for mv in sheet.moves().get(sheet.told..).unwrap_or_default() {
            self.put_move(style, *mv, out);
        }
        sheet.told = sheet.moves().len();
    }

    /// Asks for a move, setting up the board first if it holds anything but this game.
    pub(super) fn ask(&mut self, style: SquareStyle, sheet: &mut Sheet, go: &Go<'_>, out: &mut Vec<u8>) {
        if let Some(own) = self.own.take() {
            if sheet.ticket == self.board && sheet.moves().get(sheet.told) == Some(&own) {
                sheet.told += 1;
            } else {
                self.board = 0;
            }
        }
        if self.board == 0 || sheet.ticket != self.board || sheet.told > sheet.moves().len() {
            self.set_up(style, sheet, out);
        }
        let replies = self.playing && sheet.moves().len() == sheet.told + 1;
        if !replies {
            if self.playing {
                out.extend_from_slice(b"force\n");
            }
            self.put_fresh_moves(style, sheet, out);
        }
        self.put_clock(go, out);
        if go.draw_offered && self.features.draw {
            out.extend_from_slice(b"draw\n");
        }
        if replies {
            self.put_fresh_moves(style, sheet, out);
        } else {
            out.extend_from_slice(b"go\n");
        }
        self.playing = true;
    }

    /// Ends thinking on the opponent's time: the game on the board is over.
    pub(super) fn rest(&mut self, out: &mut Vec<u8>) {
        if self.playing {
            out.extend_from_slice(b"force\n");
            self.playing = false;
        }
    }

    fn put_clock(&mut self, go: &Go<'_>, out: &mut Vec<u8>) {
        let own = go.movetime.or(go.own).unwrap_or(UNTIMED);
        let pace = go.movetime.map_or(Pace::Level, |time| Pace::PerMove(time.as_secs()));
        if self.pace != Some(pace) {
            self.pace = Some(pace);
            put_pace(pace, own, go, out);
        }
        let depth = go.depth.or(self.depth.map(|_| NO_DEPTH));
        if let Some(limit) = depth
            && !(self.depth_told && self.depth == depth)
        {
            let _ = writeln!(out, "sd {limit}");
            self.depth = depth;
            self.depth_told = true;
        }
        if self.features.time {
            let opponent = go.opponent.unwrap_or(own);
            let count = |time| Unit::Centiseconds.count(time).max(1);
            let _ = writeln!(out, "time {}\notim {}", count(own), count(opponent));
        }
    }
}

/// Appends `st` or `level`. `st` knows whole seconds only: for less the engine is shown a clock that holds
/// just this move's time, of which it will use a part. (A period of one move, `level 1 ..`, would let it
/// use all, but HoiXiangqi then thinks for a second whatever `time` says.)
fn put_pace(pace: Pace, own: Duration, go: &Go<'_>, out: &mut Vec<u8>) {
    let (moves, base) = match pace {
        Pace::PerMove(0) => (0, 1),
        Pace::PerMove(seconds) => {
            let _ = writeln!(out, "st {seconds}");
            return;
        }
        Pace::Level => (go.moves_to_go.unwrap_or(0), own.as_secs().max(1)),
    };
    let _ = write!(out, "level {moves} {}", base / 60);
    if base % 60 > 0 {
        let _ = write!(out, ":{:02}", base % 60);
    }
    let increment = if pace == Pace::Level { go.own_increment } else { Duration::ZERO };
    let hundredths = increment.subsec_millis() / 10;
    let _ = write!(out, " {}", increment.as_secs());
    if hundredths > 0 {
        let _ = write!(out, ".{hundredths:02}");
    }
    out.push(b'\n');
}

fn is_result(word: &[u8]) -> bool {
    word == b"*" || [&b"1-0"[..], b"0-1", b"1/2-1/2"].iter().any(|result| word.starts_with(result))
}

/// The next `NAME=VALUE` or `NAME="VALUE"`, and what follows it.
fn next_feature(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let equals = text.iter().position(|byte| *byte == b'=')?;
    let name = text[..equals].trim_ascii();
    let after = &text[equals + 1..];
    let (value, rest) = match after.strip_prefix(b"\"") {
        Some(quoted) => {
            let end = quoted.iter().position(|byte| *byte == b'"').unwrap_or(quoted.len());
            (&quoted[..end], quoted.get(end + 1..).unwrap_or_default())
        }
        None => after.split_at(after.iter().position(u8::is_ascii_whitespace).unwrap_or(after.len())),
    };
    Some((name, value, rest))
}
