//! Makes the opening list `openings/chuhe-500.epd`: short games of the built-in engine with chance in
//! its choices, kept where Fairy-Stockfish at a fixed number of nodes sees a level position. The same
//! arguments give the same list: `cargo run --example make_openings -- [COUNT] [SEED] > LIST`.
//! Start at [`main`].

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use chuhe::sparring::{Engine, Job, Limits, Line, Moment, Progress, Settings, Watch};
use chuhe::xiangqi::{Move, Position};

/// Half-moves of an opening: even, so that Red is to move in all of them.
const PLIES: usize = 8;
/// Positions the built-in engine searches for a move.
const NODES: u64 = 200;
/// How far chance may lead away from its best move, in hundredths of a soldier.
const NOISE: u16 = 90;
/// Positions that Fairy-Stockfish searches to judge a position.
const JUDGED_NODES: u64 = 20_000;
/// How far from level a position may be, in hundredths of a soldier.
const LEVEL: i32 = 60;
/// Where the judge is installed.
const JUDGE: &str = "/usr/games/fairy-stockfish";

/// Searches limited by nodes need no clock.
struct Timeless;

impl Watch for Timeless {
    fn moment(&mut self) -> Moment {
        Moment { elapsed: Duration::ZERO, charged: None, stop: false }
    }

    fn finished(&mut self, _: &Progress<'_>) {}
}

/// A short game from the start position; `None` if it ended.
fn play(engine: &mut Engine, seed: u64) -> Option<Position> {
    let mut line = Line::new(Position::start());
    for ply in 0..PLIES as u64 {
        let settings = Settings { noise: NOISE, seed: seed * PLIES as u64 + ply, ..Settings::default() };
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let job = Job { line: line.clone(), only: None, banned: Vec::new(), limits, settings, fresh: true };
        let best: Move = engine.think(&job, &mut Timeless).best?;
        line.make(best);
    }
    Some(line.position().clone())
}

/// The FEN with its counters as at a game's beginning, so that equal positions are equal texts.
fn text(position: &Position) -> String {
    let fen = position.fen();
    let mut words = fen.split(' ');
    let (board, side) = (words.next().unwrap_or(""), words.next().unwrap_or("w"));
    format!("{board} {side} - - 0 1")
}

/// The same with left and right exchanged.
fn mirrored(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').unwrap_or((fen, ""));
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {rest}", ranks.join("/"))
}

/// The judge.
struct Judge {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Judge {
    fn start() -> std::io::Result<Judge> {
        let mut process = Command::new(JUDGE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || std::io::Error::other("no pipe");
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        let mut judge = Judge { process, input, output };
        writeln!(
            judge.input,
            "uci\nsetoption name UCI_Variant value xiangqi\nsetoption name Threads value 1"
        )?;
        Ok(judge)
    }

    /// The score for the side to move; `None` for a mate.
    fn score(&mut self, fen: &str) -> std::io::Result<Option<i32>> {
        writeln!(self.input, "ucinewgame\nposition fen {fen}\ngo nodes {JUDGED_NODES}")?;
        let mut score = None;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(std::io::Error::other("the judge has ended"));
            }
            if line.starts_with("bestmove") {
                return Ok(score);
            }
            if let Some((_, rest)) = line.split_once(" score ") {
                let mut words = rest.split_ascii_whitespace();
                score = (words.next() == Some("cp")).then(|| words.next()?.parse().ok()).flatten();
            }
        }
    }
}

fn main() -> std::io::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>().unwrap_or(0));
    let (count, seed) = (numbers.next().unwrap_or(512), numbers.next().unwrap_or(2006));
    let mut engine = Engine::default();
    let mut judge = Judge::start()?;
    let (mut seen, mut kept) = (HashSet::new(), 0);
    println!(
        "# {count} level positions after {PLIES} half-moves of the built-in engine (chance up to {NOISE}),"
    );
    println!("# within {LEVEL} hundredths of a soldier for Fairy-Stockfish 11.1 at {JUDGED_NODES} nodes.");
    println!("# Made by `cargo run --example make_openings -- {count} {seed}`.");
    for game in 0.. {
        let Some(fen) =
            play(&mut engine, seed.wrapping_mul(1_000_003) + game).map(|position| text(&position))
        else {
            continue;
        };
        if !seen.insert(fen.clone()) || !seen.insert(mirrored(&fen)) {
            continue;
        }
        if judge.score(&fen)?.is_some_and(|score| score.abs() <= LEVEL) {
            println!("{fen}");
            kept += 1;
        }
        if kept == count {
            break;
        }
    }
    writeln!(judge.input, "quit")?;
    judge.process.wait().map(|_| ())
}
