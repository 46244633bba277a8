//! `chuhe fake-engine`: the project's own test engine. Speaks UCI, UCCI and CECP, plays a script, random legal
//! moves or a fixed list, and misbehaves exactly as it is told. It never thinks, and nothing of it is
//! used in play. It starts without the command line's parser, because it is started thousands of times.
//! Start at [`run`]; what it can do wrong stands in [`quirks::QUIRKS`].

mod cecp;
mod manners;
mod moves;
mod quirks;

use std::ffi::OsString;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::time::{Duration, Instant};

use cecp::{Board, Wanted};
use moves::{Moves, ply_of};
pub use moves::{SCRIPT, SCRIPT_PLIES};
use quirks::{Deed, Dress, Moment};

/// First argument with which our own binary is the test engine.
pub const FAKE_ENGINE_WORD: &str = "fake-engine";

/// Longest line read.
const LONGEST_LINE: u64 = 1 << 20;

/// How long a hanging engine hangs, so that a forgotten one does not stay for ever.
const HANG: Duration = Duration::from_secs(600);

/// What an engine that is told to fail exits with.
const FAILED: i32 = 3;

/// How the engine behaves: its switches as they were typed.
#[derive(Debug, Default)]
struct Habits {
    moves: Moves,
    /// `info` lines before each answer.
    infos: u32,
    think: Duration,
    spin: Duration,
    /// Whether the last `info` line says, as nodes, the microseconds from reading `go` to answering.
    elapsed: bool,
    quirks: Vec<(Moment, Deed)>,
}

/// The engine's `main`. Returns its exit status.
pub fn run(arguments: impl Iterator<Item = OsString>) -> i32 {
    let words: Option<Vec<String>> = arguments.map(|word| word.into_string().ok()).collect();
    match words.ok_or_else(|| "arguments are UTF-8".to_owned()).and_then(|words| habits(&words)) {
        Ok(habits) => Engine::new(habits).serve(),
        Err(why) => {
            eprintln!("{why}\n{}", usage());
            2
        }
    }
}

fn usage() -> String {
    let mut text = "chuhe fake-engine [SWITCHES]\n\
        \x20 --script            the next move of a game of 161 plies that ends in mate (the default)\n\
        \x20 --random SEED       random legal moves\n\
        \x20 --moves LIST        its own moves in turn, again and again from the `|` if there is one\n\
        \x20 --shuffle           a chariot to and fro, with either side: every game is drawn by repetition\n\
        \x20 --info N            N info lines before each move\n\
        \x20 --think MS          sleeps before each move\n\
        \x20 --spin US           burns time before each move\n\
        \x20 --elapsed           its last info line names as nodes its own µs for the move\n"
        .to_owned();
    for quirk in quirks::QUIRKS {
        text.push_str(&format!("  --{:<22}{}\n", quirk.title(), quirk.about));
    }
    text
}

fn habits(words: &[String]) -> Result<Habits, String> {
    let mut habits = Habits::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let switch = word.strip_prefix("--").ok_or_else(|| format!("'{word}' is no switch"))?;
        let mut value = || words.next().map(String::as_str).ok_or_else(|| format!("{word} wants a value"));
        let number = |text: &str| text.parse().map_err(|_| format!("{word} wants a number"));
        match switch {
            "script" => habits.moves = Moves::Script,
            "random" => habits.moves = Moves::Random(number(value()?)?),
            "moves" => habits.moves = Moves::list(value()?),
            "shuffle" => habits.moves = Moves::Shuffle,
            "info" => habits.infos = number(value()?)? as u32,
            "think" => habits.think = Duration::from_millis(number(value()?)?),
            "spin" => habits.spin = Duration::from_micros(number(value()?)?),
            "elapsed" => habits.elapsed = true,
            _ => {
                let known = quirks::QUIRKS.iter().find(|quirk| quirk.switch == switch);
                let quirk = known.ok_or_else(|| format!("there is no switch {word}"))?;
                let value = if quirk.takes.is_empty() { 0 } else { number(value()?)? };
                habits.quirks.extend((quirk.shows)(value));
            }
        }
    }
    Ok(habits)
}

/// Whether the engine goes on after a moment.
enum Then {
    /// It does, and says what it usually says.
    Speak,
    /// It does, without a word.
    Mute,
    /// It ends with this status.
    End(i32),
}

struct Engine {
    habits: Habits,
    /// The last `position` line.
    position: Vec<u8>,
    /// The board, where the protocol is CECP.
    board: Option<Board>,
    /// The line just read.
    heard: Vec<u8>,
    /// Its move in the position.
    choice: String,
    /// Its move before.
    before: String,
    dress: Option<Dress>,
    /// Whether the answer waits for the next line.
    unflushed: bool,
    out: Vec<u8>,
}

impl Engine {
    fn new(habits: Habits) -> Engine {
        Engine {
            habits,
            position: Vec::new(),
            board: None,
            heard: Vec::new(),
            choice: String::new(),
            before: String::new(),
            dress: None,
            unflushed: false,
            out: Vec::new(),
        }
    }

    fn serve(mut self) -> i32 {
        if let Then::End(status) = self.at(Moment::Start) {
            return status;
        }
        self.flush();
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
            let heard = Instant::now();
            if read.is_err() || line.is_empty() {
                return if let Then::Mute = self.at(Moment::InputEnds) { hang() } else { 0 };
            }
            if let Some(status) = self.hear(&mut line, heard) {
                return status;
            }
        }
    }

    /// One line; the exit status if the engine ends by it.
    fn hear(&mut self, line: &mut Vec<u8>, heard: Instant) -> Option<i32> {
        if std::mem::take(&mut self.unflushed) {
            self.flush();
        }
        if line.starts_with(b"position") {
            std::mem::swap(&mut self.position, line);
            return self.ends_at(Moment::Position);
        }
        let text = line.trim_ascii();
        text.clone_into(&mut self.heard);
        let end = memchr::memchr(b' ', text).unwrap_or(text.len());
        let (word, rest) = (&text[..end], text[end..].trim_ascii());
        let then = match word {
            b"uci" => self.greet("uciok\n"),
            b"ucci" => self.greet("option usemillisec type check default false\nucciok\n"),
            b"protover" => {
                self.board = Some(Board::default());
                self.say_at(Moment::Greeting, cecp::FEATURES, Moment::Greeted)
            }
            b"isready" => self.say_at(Moment::Ready, "readyok\n", Moment::Prepared),
            b"ping" => {
                let pong = format!("pong {}\n", String::from_utf8_lossy(rest));
                self.say_at(Moment::Ready, &pong, Moment::Prepared)
            }
            b"setoption" | b"option" => self.at(Moment::Option),
            b"ucinewgame" => self.at(Moment::NewGame),
            b"stop" | b"?" => self.at(Moment::Stop),
            b"quit" => match self.at(Moment::Quit) {
                Then::Speak => Then::End(0),
                then => then,
            },
            _ => return self.hear_board(word, rest, heard),
        };
        if !self.unflushed {
            self.flush();
        }
        ended(&then)
    }

    /// A line about the board, in CECP one of many.
    fn hear_board(&mut self, word: &[u8], rest: &[u8], heard: Instant) -> Option<i32> {
        let wanted = match &mut self.board {
            Some(board) => board.hear(word, rest)?,
            None if word == b"go" => Wanted::Move,
            None => return None,
        };
        match wanted {
            Wanted::Nothing => None,
            Wanted::NewGame => self.ends_at(Moment::NewGame),
            Wanted::Move => {
                if let Some(board) = &self.board {
                    board.position().clone_into(&mut self.position);
                    if let Some(status) = self.ends_at(Moment::Position) {
                        return Some(status);
                    }
                }
                let go = self.heard.clone();
                let then = self.answer(&go, heard);
                ended(&then)
            }
        }
    }

    fn ends_at(&mut self, moment: Moment) -> Option<i32> {
        let then = self.at(moment);
        self.flush();
        ended(&then)
    }

    /// Names itself, then says what ends the greeting.
    fn greet(&mut self, end: &str) -> Then {
        self.out.extend_from_slice(b"id name Fake\nid author chuhe\n");
        self.say_at(Moment::Greeting, end, Moment::Greeted)
    }

    /// Says its words unless it is to be mute, then does what is told for the moment after.
    fn say_at(&mut self, moment: Moment, words: &str, after: Moment) -> Then {
        let then = self.at(moment);
        let Then::Speak = then else { return then };
        // What comes after goes with it in one write, unless the deed itself writes or ends: were it alone, whoever
        // listens might have asked in between.
        self.out.extend_from_slice(words.as_bytes());
        self.at(after)
    }

    /// Does what is told for this moment.
    fn at(&mut self, moment: Moment) -> Then {
        let mut then = Then::Speak;
        for number in 0..self.habits.quirks.len() {
            let (when, deed) = self.habits.quirks[number];
            if when != moment {
                continue;
            }
            match deed {
                Deed::Exit => {
                    self.flush();
                    eprintln!("fake engine: fails as told");
                    return Then::End(FAILED);
                }
                Deed::Abort => std::process::abort(),
                Deed::Hang => {
                    self.flush();
                    return Then::End(hang());
                }
                Deed::Mute => then = Then::Mute,
                Deed::Wait(time) => std::thread::sleep(time),
                Deed::Say(text) => self.put(text),
                Deed::Flood(lines) => self.flood(lines),
                Deed::FloodForEver => self.flood(u64::MAX),
                Deed::FloodAside => manners::flood_aside(),
                Deed::Endless(megabytes) => self.put_endless(megabytes),
                Deed::Options(count) => self.put_options(count),
                Deed::Dress(dress) => self.dress = Some(dress),
                Deed::CloseOutput => {
                    self.flush();
                    manners::close_output();
                }
                Deed::Complain(text) => eprintln!("{text}"),
                Deed::Errors(lines) => manners::complain(lines),
                Deed::ErrorsForEver => drop(std::thread::spawn(|| manners::complain(u64::MAX))),
                Deed::LongName(kilobytes) => {
                    let size = usize::try_from(kilobytes.saturating_mul(1024)).unwrap_or(usize::MAX);
                    let _ = writeln!(self.out, "id name {}", "x".repeat(size));
                }
                Deed::Grandchild => manners::leave_grandchild(),
                Deed::Runaway => manners::leave_runaway(),
                Deed::CloseInput => manners::close_input(),
                Deed::Burn => manners::burn(),
                Deed::IgnoreSignals => manners::ignore_signals(),
                Deed::Answer(_)
                | Deed::LastWords
                | Deed::CutShort
                | Deed::Unflushed
                | Deed::Overstep(_)
                | Deed::Halves => {}
            }
        }
        then
    }

    fn answer(&mut self, go: &[u8], heard: Instant) -> Then {
        let ply = ply_of(&self.position);
        self.before = std::mem::take(&mut self.choice);
        self.choice = self.habits.moves.choose(ply, &self.position);
        for number in 0..self.habits.infos {
            let (depth, nodes, mv) = (number + 1, 1000 + number, &self.choice);
            let _ = writeln!(
                self.out,
                "info depth {depth} seldepth 9 score cp 21 nodes {nodes} nps 1000000 time 1 pv {mv}",
            );
        }
        if !self.habits.think.is_zero() {
            std::thread::sleep(self.habits.think);
        }
        while heard.elapsed() < self.habits.spin {
            std::hint::spin_loop();
        }
        for moment in [Moment::Go, Moment::GoAt(ply)] {
            match self.at(moment) {
                Then::Speak => {}
                then => {
                    self.flush();
                    return then;
                }
            }
        }
        if self.habits.elapsed {
            let own = heard.elapsed().as_micros();
            let _ = writeln!(self.out, "info depth 1 score cp 0 nodes {own} pv {}", self.choice);
        }
        if let Some(status) = self.put_answer(go, ply) {
            return Then::End(status);
        }
        let then = self.at(Moment::Answered);
        if !self.unflushed {
            self.flush();
        }
        then
    }

    /// Writes the answer, in the way that is told; the exit status if the engine ends by it.
    fn put_answer(&mut self, go: &[u8], ply: u32) -> Option<i32> {
        let mut text: &[u8] = if self.board.is_some() { b"move {m}" } else { b"bestmove {m}" };
        let mut way = None;
        for (when, deed) in &self.habits.quirks {
            if *when != Moment::Go && *when != Moment::GoAt(ply) {
                continue;
            }
            match deed {
                Deed::Answer(told) => text = told,
                Deed::Overstep(late) => std::thread::sleep(moves::told_time(go, ply) + *late),
                Deed::Halves | Deed::LastWords | Deed::CutShort | Deed::Unflushed => way = Some(*deed),
                _ => {}
            }
        }
        if let Some(board) = &mut self.board {
            board.play(self.choice.as_bytes());
        }
        let from = self.out.len();
        self.put(text);
        if way == Some(Deed::Halves) || way == Some(Deed::CutShort) {
            let rest = self.out.split_off(from + 5);
            self.flush();
            std::thread::sleep(Duration::from_millis(5));
            self.out = rest;
        }
        match way {
            Some(Deed::CutShort) => return Some(FAILED),
            Some(Deed::LastWords) => {
                self.flush();
                return Some(FAILED);
            }
            Some(Deed::Unflushed) => self.unflushed = true,
            _ => {}
        }
        self.out.push(b'\n');
        if !self.unflushed {
            self.flush();
        }
        None
    }

    /// Appends a text with everything filled in.
    fn put(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'{', rest) {
            self.out.extend_from_slice(&rest[..at]);
            let filled = match rest.get(at..at + 3) {
                Some(b"{m}") => self.choice.clone().into_bytes(),
                Some(b"{M}") => self.choice.to_ascii_uppercase().into_bytes(),
                Some(b"{d}") if self.choice.len() == 4 => {
                    format!("{}-{}", &self.choice[..2], &self.choice[2..]).into_bytes()
                }
                Some(b"{p}") if self.before.is_empty() => self.choice.clone().into_bytes(),
                Some(b"{p}") => self.before.clone().into_bytes(),
                Some(b"{o}") => {
                    self.position.trim_ascii().rsplit(|byte| *byte == b' ').next().unwrap_or(b"-").to_vec()
                }
                Some(b"{c}") => self.heard.clone(),
                _ => {
                    self.out.push(b'{');
                    rest = &rest[at + 1..];
                    continue;
                }
            };
            self.out.extend_from_slice(&filled);
            rest = &rest[at + 3..];
        }
        self.out.extend_from_slice(rest);
    }

    fn flood(&mut self, lines: u64) {
        for number in 0..lines {
            let _ = writeln!(self.out, "info depth 1 currmove a0a1 currmovenumber {number}");
            if self.out.len() > 32 * 1024 && !self.flush() {
                return;
            }
        }
        self.flush();
    }

    fn put_endless(&mut self, megabytes: u64) {
        self.out.extend_from_slice(b"info string ");
        for _ in 0..megabytes.saturating_mul(16) {
            self.out.resize(self.out.len() + 64 * 1024, b'x');
            self.flush();
        }
        self.out.push(b'\n');
    }

    fn put_options(&mut self, count: u64) {
        let long = "x".repeat(1000);
        for number in 0..count {
            let _ = writeln!(self.out, "option name Option {number} type string default {long}");
        }
    }

    /// One write, unless every byte is to be written alone. Whoever does not listen any more is no reason to
    /// fail; returns whether somebody does.
    fn flush(&mut self) -> bool {
        let mut output = io::stdout().lock();
        if self.dress.is_none() {
            let written = output.write_all(&self.out).and_then(|()| output.flush());
            self.out.clear();
            return written.is_ok();
        }
        let dressed = manners::dressed(&self.out, self.dress);
        self.out.clear();
        let piece = if self.dress == Some(Dress::Bytes) { 1 } else { dressed.len().max(1) };
        dressed.chunks(piece).all(|bytes| output.write_all(bytes).and_then(|()| output.flush()).is_ok())
    }
}

fn ended(then: &Then) -> Option<i32> {
    match then {
        Then::End(status) => Some(*status),
        Then::Speak | Then::Mute => None,
    }
}

fn hang() -> i32 {
    std::thread::sleep(HANG);
    FAILED
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: &str) {
        let words: Vec<String> = words.split('_').map(str::to_owned).collect();
        let shown = match habits(&words) {
            Ok(habits) => format!("{:?} {:?}", habits.moves, habits.quirks),
            Err(why) => why,
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn switches_are_read() {
        check("--script", "Script []");
        check("--random_7_--exit-at-ply_3", "Random(7) [(GoAt(3), Exit)]");
        check("--moves_a0a1 | a1a0", "List { moves: [\"a0a1\", \"a1a0\"], again: 1 } []");
        check("--exit-at-ply", "--exit-at-ply wants a value");
        check("--exit-at-ply_x", "--exit-at-ply wants a number");
        check("--dance", "there is no switch --dance");
        check("dance", "'dance' is no switch");
    }
}
