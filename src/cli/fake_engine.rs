//! `chuhe fake-engine`: the project's own test engine. Speaks UCI and UCCI, plays a script, random legal
//! moves or a fixed list, and misbehaves exactly as it is told. It never thinks, and nothing of it is
//! used in play. It starts without the command line's parser, because it is started thousands of times.
//! Start at [`run`]; what it can do wrong stands in [`quirks::QUIRKS`].

mod moves;
mod quirks;

use std::ffi::OsString;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::time::{Duration, Instant};

use moves::{Moves, ply_of};
pub use moves::{SCRIPT, SCRIPT_PLIES};
use quirks::{Deed, Moment};

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
        Ok(habits) => Engine { habits, position: Vec::new(), out: Vec::new() }.serve(),
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
        text.push_str(&format!("  --{:<18}{}\n", quirk.title(), quirk.about));
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
                habits.quirks.push((quirk.shows)(value));
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
    out: Vec<u8>,
}

impl Engine {
    fn serve(mut self) -> i32 {
        if let Then::End(status) = self.at(Moment::Start) {
            return status;
        }
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
        let text = line.trim_ascii();
        let word = text.split(|byte| *byte == b' ').next().unwrap_or_default();
        let then = match word {
            b"position" => {
                std::mem::swap(&mut self.position, line);
                return None;
            }
            b"go" => {
                let go = text.to_vec();
                self.answer(&go, heard)
            }
            b"uci" => self.say_at(Moment::Greeting, "id name Fake\nid author chuhe\nuciok\n"),
            b"ucci" => self.say_at(
                Moment::Greeting,
                "id name Fake\nid author chuhe\noption usemillisec type check default false\nucciok\n",
            ),
            b"isready" => match self.say_at(Moment::Ready, "readyok\n") {
                Then::Speak => self.at(Moment::Prepared),
                then => then,
            },
            b"quit" => match self.at(Moment::Quit) {
                Then::Speak => Then::End(0),
                then => then,
            },
            _ => Then::Mute,
        };
        match then {
            Then::End(status) => Some(status),
            Then::Speak | Then::Mute => None,
        }
    }

    fn say_at(&mut self, moment: Moment, words: &str) -> Then {
        let then = self.at(moment);
        if let Then::Speak = then {
            self.out.extend_from_slice(words.as_bytes());
            self.flush();
        }
        then
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
                    eprintln!("fake engine: fails as told");
                    return Then::End(FAILED);
                }
                Deed::Abort => std::process::abort(),
                Deed::Hang => return Then::End(hang()),
                Deed::Mute => then = Then::Mute,
                Deed::Wait(time) => std::thread::sleep(time),
                Deed::Flood(lines) => self.flood(lines),
                Deed::Errors(lines) => complain(lines),
                Deed::Grandchild => leave_grandchild(),
                Deed::Answer(_) | Deed::Overstep(_) | Deed::Halves => {}
            }
        }
        then
    }

    fn answer(&mut self, go: &[u8], heard: Instant) -> Then {
        let ply = ply_of(&self.position);
        let mut mv = self.habits.moves.choose(ply, &self.position);
        for number in 0..self.habits.infos {
            let _ = writeln!(
                self.out,
                "info depth {} seldepth 9 score cp 21 nodes {} nps 1000000 time 1 pv {mv}",
                number + 1,
                1000 + number,
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
                then => return then,
            }
        }
        let mut halves = false;
        for (when, deed) in &self.habits.quirks {
            if *when != Moment::Go && *when != Moment::GoAt(ply) {
                continue;
            }
            match deed {
                Deed::Answer(text) => (*text).clone_into(&mut mv),
                Deed::Overstep(late) => std::thread::sleep(moves::told_time(go, ply) + *late),
                Deed::Halves => halves = true,
                _ => {}
            }
        }
        if self.habits.elapsed {
            let own = heard.elapsed().as_micros();
            let _ = writeln!(self.out, "info depth 1 score cp 0 nodes {own} pv {mv}");
        }
        if halves {
            self.out.extend_from_slice(b"bestm");
            self.flush();
            std::thread::sleep(Duration::from_millis(5));
            let _ = writeln!(self.out, "ove {mv}");
        } else {
            let _ = writeln!(self.out, "bestmove {mv}");
        }
        self.flush();
        Then::Speak
    }

    fn flood(&mut self, lines: u64) {
        for number in 0..lines {
            let _ = writeln!(self.out, "info depth 1 currmove a0a1 currmovenumber {number}");
            if self.out.len() > 32 * 1024 {
                self.flush();
            }
        }
        self.flush();
    }

    /// One write. Whoever does not listen any more is no reason to fail.
    fn flush(&mut self) {
        let mut output = io::stdout().lock();
        let _ = output.write_all(&self.out).and_then(|()| output.flush());
        self.out.clear();
    }
}

fn hang() -> i32 {
    std::thread::sleep(HANG);
    FAILED
}

fn complain(lines: u64) {
    let mut errors = io::stderr().lock();
    for number in 0..lines {
        let _ = writeln!(errors, "fake engine: complaint {number} about nothing in particular");
    }
}

/// A process that keeps our output open after we have ended.
fn leave_grandchild() {
    let Ok(own) = std::env::current_exe() else { return };
    let _ = std::process::Command::new(own)
        .args([FAKE_ENGINE_WORD, "--ignore-eof"])
        .stdin(std::process::Stdio::null())
        .spawn();
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
