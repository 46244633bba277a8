//! Whether engines that use nearly all of a fixed time a move lose on time through the runner: many games at
//! once, engines that sleep, each overrun with what proves whose it was. Measures only. Start at [`measure`].
//!
//! A loss needs a charge above the limit. The engine's own stamps say how much of it was its own; the runner's
//! longest delay during the game how much may have been the runner's. What is left is the time in which the
//! system had not yet woken the engine.

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
    #[arg(long, default_value_t = 95)]
    think: u32,
    /// The time of a move, in milliseconds
    #[arg(long, default_value_t = 100)]
    limit: u32,
    /// Plies that are asked for in each game
    #[arg(long, default_value_t = 60)]
    plies: u32,
    /// Least time between the beginnings of two games, in milliseconds
    #[arg(long, default_value_t = 20)]
    stagger: u32,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Default)]
struct Seen {
    games: u32,
    /// Charge and the engine's own time of each move, in milliseconds.
    moves: Vec<(f64, f64)>,
    losses: u32,
    delay_ms: f64,
}

/// Plays, prints every loss with its proof to standard error, and counts.
pub fn measure(arguments: &Arguments) -> Result<Vec<Row>, BenchError> {
    let Arguments { games, think, limit, plies, stagger, json: _ } = *arguments;
    let switches = ["--script", "--elapsed", "--think"].map(str::to_owned);
    let switches: Vec<String> = switches.into_iter().chain([think.to_string()]).collect();
    let time = format!("{limit}ms/move");
    let pair = Pair {
        games: u32::from(games),
        concurrency: games,
        switches: &switches,
        plies,
        fresh: false,
        transcripts: false,
        time: &time,
        stagger_ms: stagger,
    };
    let seen = Arc::new(Mutex::new(Seen::default()));
    let watched = Arc::clone(&seen);
    play(&pair, move |event| {
        if let What::GameOver(game) = &event.what {
            watched.lock().unwrap_or_else(PoisonError::into_inner).take(game);
        }
    })?;
    let mut seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    seen.moves.sort_by(|one, other| one.0.total_cmp(&other.0));
    let at = |part: f64| {
        let place = (seen.moves.len() as f64 * part) as usize;
        seen.moves.get(place).or(seen.moves.last()).map_or(f64::NAN, |(charged, _)| *charged)
    };
    let worst = seen.moves.iter().map(|(charged, own)| charged - own).fold(f64::NAN, f64::max);
    Ok(vec![
        ("games", f64::from(seen.games), ""),
        ("moves counted", seen.moves.len() as f64, ""),
        ("time losses", f64::from(seen.losses), ""),
        ("charged, p50", at(0.50), "ms"),
        ("charged, p99", at(0.99), "ms"),
        ("charged, most", at(1.0), "ms"),
        ("charged less own time, most", worst, "ms"),
        ("runner delay, most", seen.delay_ms, "ms"),
    ])
}

impl Seen {
    fn take(&mut self, game: &GameOver) {
        let ms = |us: u64| us as f64 / 1000.0;
        self.games += 1;
        self.delay_ms = self.delay_ms.max(ms(game.runner_delay_us));
        let both = game.used_us.iter().zip(&game.thoughts);
        self.moves.extend(both.filter_map(|(used, thought)| Some((ms(*used), ms(thought.nodes?)))));
        let Some([used, allowed]) = game.termination.flag_us else { return };
        self.losses += 1;
        let own = own_time(game).map_or_else(
            || "no answer had come when the flag fell".to_owned(),
            |own| format!("the engine says it took {} ms", ms(own)),
        );
        eprintln!(
            "game {}: {} ms of {} ms; {own}; the runner's longest delay {} ms",
            game.game,
            ms(used),
            ms(allowed),
            ms(game.runner_delay_us)
        );
    }
}

/// The engine's own µs for the move that came too late, if its line came before the flag was noticed.
fn own_time(game: &GameOver) -> Option<u64> {
    let lines = &game.termination.last_lines;
    let [.., info, answer] = lines.as_slice() else { return None };
    if !answer.starts_with("bestmove") {
        return None;
    }
    let mut words = info.split_ascii_whitespace();
    words.find(|word| *word == "nodes").and_then(|_| words.next()?.parse().ok())
}
