//! The error of the runner's clock: what it charges less what the engine itself says it took. A loaded
//! machine shows here as it would in a match. Start at [`measure`].

use std::sync::{Arc, Mutex, PoisonError};

use super::pair::{Pair, play};
use super::{BenchError, Row};
use crate::record::{GameOver, What};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Games at once, and in all
    #[arg(long, default_value_t = 64)]
    games: u16,
    /// What the engines sleep before each move, in milliseconds
    #[arg(long, default_value_t = 10)]
    think: u32,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Plies at the beginning that are left out: processes that have just started fault their pages in.
const SETTLING: usize = 20;

/// Plays and compares move by move.
pub fn measure(arguments: &Arguments) -> Result<Vec<Row>, BenchError> {
    let switches = ["--script", "--elapsed", "--think"].map(str::to_owned);
    let switches: Vec<String> = switches.into_iter().chain([arguments.think.to_string()]).collect();
    let pair = Pair {
        games: u32::from(arguments.games),
        concurrency: arguments.games,
        switches: &switches,
        plies: u32::MAX,
        fresh: false,
        transcripts: false,
        time: "1000",
        stagger_ms: 0,
    };
    let errors = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&errors);
    play(&pair, move |event| {
        if let What::GameOver(game) = &event.what {
            seen.lock().unwrap_or_else(PoisonError::into_inner).extend(errors_of(game));
        }
    })?;
    let mut errors = std::mem::take(&mut *errors.lock().unwrap_or_else(PoisonError::into_inner));
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors.get((errors.len() as f64 * part) as usize).copied().unwrap_or(f64::NAN);
    Ok(vec![
        ("moves counted", errors.len() as f64, ""),
        ("charged less own time, p50", at(0.50), "ms"),
        ("charged less own time, p90", at(0.90), "ms"),
        ("charged less own time, p99", at(0.99), "ms"),
        ("charged less own time, p99.9", at(0.999), "ms"),
    ])
}

/// In milliseconds, for each move after the first ones.
fn errors_of(game: &GameOver) -> Vec<f64> {
    let both = game.used_us.iter().zip(&game.thoughts).skip(SETTLING);
    both.filter_map(|(used, thought)| Some((*used as f64 - thought.nodes? as f64) / 1000.0)).collect()
}
