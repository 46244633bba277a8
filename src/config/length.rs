//! Lengths of time and time controls as configs write them. Start at [`control`].

use std::time::Duration;

use super::form::{Length, TimeFields, TimeForm};
use super::problem::{Problem, member};
use crate::game::{Pace, TimeControl, default_reserve, parse_time};

/// Longest time that is accepted, 1000 hours, as in the texts of time controls.
const MAX_SECONDS: f64 = 3_600_000.0;

/// Reads a length of time; zero is one.
pub fn length(form: &Length, path: &str) -> Result<Duration, Problem> {
    match form {
        Length::Seconds(seconds) if (0.0..=MAX_SECONDS).contains(seconds) => {
            Ok(Duration::from_micros((seconds * 1e6).round() as u64))
        }
        Length::Seconds(seconds) => {
            Err(Problem::new(path, format!("{seconds} is no length of time from 0 to 1000 hours")))
        }
        Length::Text(text) => match text.trim() {
            "0" | "0s" | "0ms" => Ok(Duration::ZERO),
            text => parse_time(text).map_err(|why| {
                Problem::new(path, format!("'{}' is no length of time: {why}", super::problem::quoted(text)))
                    .hint("write seconds as a number, or `500ms`, `10s`, `30m`, `1:30:00`")
            }),
        },
    }
}

/// Reads a time control.
pub fn control(form: &TimeForm, path: &str) -> Result<TimeControl, Vec<Problem>> {
    match form {
        TimeForm::Text(text) => TimeControl::parse(text).map_err(|error| {
            let message =
                format!("'{}' is no time control: {}", super::problem::quoted(&error.text), error.reason);
            vec![Problem::new(path, message).hint(EXAMPLES)]
        }),
        TimeForm::Fields(fields) => fields_control(fields, path),
    }
}

/// Texts that are time controls.
const EXAMPLES: &str = "examples: 30m, 10+0.1, 40/60+0.5, 60s/move, nodes=5000, depth=8";

fn fields_control(fields: &TimeFields, path: &str) -> Result<TimeControl, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut take = |name: &str, form: &Option<Length>| -> Option<Duration> {
        let read = length(form.as_ref()?, &member(path, name));
        read.map_err(|problem| problems.push(problem)).ok()
    };
    let base = take("base", &fields.base);
    let increment = take("increment", &fields.increment);
    let per_move = take("per_move", &fields.per_move);
    let reserve = take("reserve", &fields.reserve);
    let mut wrong = |name: &str, message: &str| problems.push(Problem::new(member(path, name), message));

    let bank = fields.base.is_some() || fields.increment.is_some();
    if bank && fields.per_move.is_some() {
        wrong("per_move", "goes with no `base` and no `increment`: a clock is one or the other");
    }
    if fields.moves.is_some() && !bank {
        wrong("moves", "needs a `base`: it is given again after so many moves");
    }
    match (per_move, reserve) {
        (None, Some(_)) if fields.per_move.is_none() => {
            wrong("reserve", "needs a `per_move`: it is kept back from a fixed time a move");
        }
        (Some(limit), Some(reserve)) if reserve >= limit => {
            wrong("reserve", "must be below `per_move`, or the engine has no time at all");
        }
        (Some(limit), _) if limit.is_zero() => wrong("per_move", "must be above 0"),
        (Some(_) | None, Some(_) | None) => {}
    }
    let pace = match (per_move, bank) {
        (Some(limit), _) => {
            Pace::PerMove { limit, reserve: reserve.unwrap_or_else(|| default_reserve(limit)) }
        }
        (None, true) => Pace::Bank {
            base: base.unwrap_or_default(),
            increment: increment.unwrap_or_default(),
            moves: fields.moves,
        },
        (None, false) => Pace::Untimed,
    };
    let no_time = matches!(pace, Pace::Bank { base, increment, .. } if base.is_zero() && increment.is_zero());
    let no_limit = pace == Pace::Untimed && fields.nodes.is_none() && fields.depth.is_none();
    if problems.is_empty() && no_time {
        problems.push(Problem::new(path, "gives no time at all").hint(EXAMPLES));
    }
    if problems.is_empty() && no_limit && fields.per_move.is_none() {
        problems.push(Problem::new(path, "names no clock, no nodes and no depth").hint(EXAMPLES));
    }
    match problems.is_empty() {
        true => Ok(TimeControl { pace, nodes: fields.nodes, depth: fields.depth }),
        false => Err(problems),
    }
}
