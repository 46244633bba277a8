//! Counts how many mate problems of an EPD file (`bm` in coordinates) the built-in engine solves in a
//! second each: `cargo run --release --example mates -- FILE [MILLISECONDS]`.
//! Prints a line for each problem not solved, then the totals. Start at [`main`].

use std::time::{Duration, Instant};

use chuhe::sparring::{Budget, Engine, Job, Limits, Line, MATE, Moment, Outcome, Progress, Settings, Watch};
use chuhe::xiangqi::Position;

/// A real clock, never stopped by hand.
struct Stopwatch(Instant);

impl Watch for Stopwatch {
    fn moment(&mut self) -> Moment {
        let elapsed = self.0.elapsed();
        Moment { elapsed, charged: Some(elapsed), stop: false }
    }

    fn finished(&mut self, _: &Progress<'_>) {}
}

fn solve(position: Position, time: Duration) -> Outcome {
    let job = Job {
        line: Line::new(position),
        only: None,
        banned: Vec::new(),
        limits: Limits { budget: Some(Budget { soft: time, hard: time }), ..Limits::default() },
        settings: Settings::default(),
        fresh: true,
    };
    Engine::new(job.settings).think(&job, &mut Stopwatch(Instant::now()))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: mates FILE [MILLISECONDS]");
        std::process::exit(2);
    };
    let time = Duration::from_millis(arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1000));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            std::process::exit(1);
        }
    };
    let (mut count, mut first_moves, mut mates, mut either, mut nodes) = (0, 0, 0, 0, 0);
    let began = Instant::now();
    for record in text.lines().filter(|line| !line.trim().is_empty()) {
        let (fen, operations) = record.split_once(" bm ").unwrap_or((record, ""));
        let expected = operations.split(';').next().unwrap_or("").trim();
        let Ok(position) = Position::from_fen(fen) else {
            println!("not playable: {record}");
            continue;
        };
        let outcome = solve(position, time);
        let same = outcome.best.is_some_and(|best| best.to_string() == expected);
        let mate = MATE - outcome.score < 200;
        count += 1;
        first_moves += u32::from(same);
        mates += u32::from(mate);
        either += u32::from(same || mate);
        nodes += outcome.nodes;
        if !mate {
            println!(
                "no mate: {record} played {:?} {}, depth {}",
                outcome.best, outcome.score, outcome.depth
            );
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{count} problems: first move as given {first_moves}, mate found {mates}, either {either}");
    println!("{nodes} nodes in {seconds:.1} s, {:.0} nodes/s", nodes as f64 / seconds);
}
