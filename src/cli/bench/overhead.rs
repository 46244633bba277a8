//! What a move costs the runner, with engines that answer at once. Start at [`measure`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::fake_engine::SCRIPT_PLIES;
use super::pair::{Pair, play};
use super::{BenchError, Row, cpu_time, micros_each, peak_memory};
use crate::record::What;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Games in all
    #[arg(long, default_value_t = 400)]
    games: u32,
    /// Games at once
    #[arg(long, default_value_t = 8)]
    concurrency: u16,
    /// Info lines a move
    #[arg(long, default_value_t = 1)]
    infos: u32,
    /// Plies that are asked for in each game; what is before them is the opening
    #[arg(long, default_value_t = SCRIPT_PLIES)]
    plies: u32,
    /// Fresh engine processes for each game
    #[arg(long)]
    fresh: bool,
    /// Write transcripts too
    #[arg(long)]
    transcripts: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What the process has spent at a moment.
#[derive(Debug, Clone, Copy)]
struct Mark {
    cpu: Duration,
    wall: Instant,
}

impl Mark {
    fn now() -> Mark {
        Mark { cpu: cpu_time(), wall: Instant::now() }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    games: u32,
    plies: u64,
    began: Option<Mark>,
    ended: Option<Mark>,
}

/// Plays and counts from the end of the first games (by then all engines run) to the last game's end.
pub fn measure(arguments: &Arguments) -> Result<Vec<Row>, BenchError> {
    let Arguments { games, concurrency, infos, plies, fresh, transcripts, json: _ } = *arguments;
    let warm = u32::from(concurrency);
    if games <= warm {
        return Err(BenchError::Unfit(format!(
            "more than {warm} games are needed to measure {warm} at once"
        )));
    }
    let switches = ["--script".to_owned(), "--info".to_owned(), infos.to_string()];
    let pair = Pair {
        games,
        concurrency,
        switches: &switches,
        plies,
        fresh,
        transcripts,
        time: "1000",
        stagger_ms: 0,
    };
    let marks = Arc::new(Mutex::new(Marks::default()));
    let seen = Arc::clone(&marks);
    let asked = u64::from(plies.min(SCRIPT_PLIES));
    play(&pair, move |event| {
        if let What::GameOver(_) = event.what {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.games += 1;
            if seen.games == warm {
                seen.began = Some(Mark::now());
            } else if seen.games > warm {
                seen.plies += asked;
                seen.ended = Some(Mark::now());
            }
        }
    })?;
    let end = Instant::now();
    let marks = *marks.lock().unwrap_or_else(PoisonError::into_inner);
    let (Some(began), Some(ended)) = (marks.began, marks.ended) else {
        return Err(BenchError::Unfit("the games were not all played".to_owned()));
    };
    let (cpu, wall) = (ended.cpu - began.cpu, ended.wall - began.wall);
    let counted = u64::from(marks.games - warm);
    Ok(vec![
        ("games counted", counted as f64, ""),
        ("moves counted", marks.plies as f64, ""),
        ("runner CPU a move", micros_each(cpu, marks.plies), "us"),
        ("runner CPU a game", micros_each(cpu, counted) / 1000.0, "ms"),
        ("wall a game", micros_each(wall, counted) / 1000.0, "ms"),
        ("games", counted as f64 / wall.as_secs_f64(), "1/s"),
        ("peak memory", peak_memory(), "MB"),
        ("end of the run", (end - ended.wall).as_secs_f64() * 1000.0, "ms"),
    ])
}
