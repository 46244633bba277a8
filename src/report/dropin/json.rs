//! Finished pairs as JSON, one object a line, with the fields that a worker which plays xiangqi by itself
//! sends to its server. Pure. Start at [`Pairs::take`].

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::game::{Outcome, Termination};
use crate::record::{GameOver, read_termination};
use crate::tournament::{Pentanomial, Wdl};

/// Games that wait for the other game of their pair.
#[derive(Debug, Default)]
pub struct Pairs {
    halves: BTreeMap<u64, (GameOver, u64)>,
}

impl Pairs {
    /// Takes a finished game; the line of its pair once both are finished. Games without a result never
    /// finish a pair.
    pub fn take(&mut self, game: &GameOver, number: u64) -> Option<String> {
        game.result.as_deref().and_then(Outcome::from_token)?;
        let pair = number.div_ceil(2);
        let Some((other, earlier)) = self.halves.remove(&pair) else {
            self.halves.insert(pair, (game.clone(), number));
            return None;
        };
        let games = if earlier < number { [&other, game] } else { [game, &other] };
        Some(line(pair, games).to_string())
    }
}

/// What a game brought Red, in units of half a point.
fn units(game: &GameOver) -> u32 {
    match game.result.as_deref().and_then(Outcome::from_token) {
        Some(Outcome::RedWins) => 2,
        Some(Outcome::Draw) => 1,
        Some(Outcome::BlackWins) | None => 0,
    }
}

/// The first engine is Red in the first game; all counts are its own.
fn line(pair: u64, games: [&GameOver; 2]) -> Value {
    let scores = [units(games[0]), 2 - units(games[1])];
    let (mut total, mut as_red, mut pairs) = (Wdl::default(), Wdl::default(), Pentanomial::default());
    scores.into_iter().for_each(|score| total.add(score));
    as_red.add(scores[0]);
    pairs.add(scores[0], scores[1]);
    let list = |wdl: Wdl| [wdl.wins, wdl.draws, wdl.losses];
    let records: Vec<Value> =
        games.into_iter().enumerate().map(|(order, game)| record(order, game)).collect();
    json!({
        "pair": pair,
        "engines": [games[0].red, games[0].black],
        "wdl": list(total),
        "fwdl": list(as_red),
        "ptnml": pairs.ptnml(),
        "game_records": records,
        "program_version": concat!("chuhe ", env!("CARGO_PKG_VERSION")),
    })
}

fn record(order: usize, game: &GameOver) -> Value {
    let termination = read_termination(&game.termination).ok();
    let sign = units(game) as i32 - 1;
    // A loss on time counts two.
    let result = if matches!(termination, Some(Termination::Flag { .. })) { 2 * sign } else { sign };
    let opening = game.opening_plies as usize;
    let moves = game.moves.split_ascii_whitespace().enumerate().map(|(ply, mv)| {
        let place = ply.checked_sub(opening);
        let thought = place.and_then(|place| game.thoughts.get(place)).copied().unwrap_or_default();
        let time = place.and_then(|place| game.used_us.get(place)).map(|us| us / 1000);
        json!({
            "move": mv,
            "score": thought.cp,
            "mate": thought.mate,
            "time": time,
            "depth": thought.depth,
            "nodes": thought.nodes,
        })
    });
    json!({
        "order": order,
        "fen": game.fen,
        "moves": moves.collect::<Vec<_>>(),
        "result": result,
        "comment": termination.as_ref().map(super::reason),
    })
}
