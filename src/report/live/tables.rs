//! The tables of a run for those who watch it, as data: standings with what decided them, schedule,
//! rulings, notes, in both languages. What costs a look at every game is asked for seldom.
//! Never lays anything out. Start at [`tables`].

use serde_json::{Value, json};

use super::desk;
use crate::game::Termination;
use crate::record::{GameSummary, Run, Settings};
use crate::report::crosstable::{below_with, game_text, name, wdl};
use crate::report::lang::Lang;
use crate::report::notes::words;
use crate::report::sheet::{Cell, Row, Sheet, decided, sheets, token};
use crate::report::{header, reasons};
use crate::time::At;
use crate::tournament::{GameId, GameResult, Next};

/// Most finished games in the schedule, the latest ones.
const ENDED_SHOWN: usize = 60;
/// Most games to come in the schedule.
const COMING_SHOWN: usize = 40;
/// Most rulings listed, the latest ones.
const RULINGS_SHOWN: usize = 100;
/// Most notes listed, the latest ones.
const NOTES_SHOWN: usize = 30;
/// Rounds looked through for games to come, from the first that is not over.
const ROUNDS_AHEAD: u32 = 200;

/// A text in both languages.
pub fn both(write: impl Fn(Lang) -> String) -> Value {
    json!({"en": write(Lang::English), "zh": write(Lang::Chinese)})
}

/// The event: what does not change while it is played.
pub fn event(run: &Run) -> Value {
    let Some(settings) = run.settings() else { return Value::Null };
    let stage = |stage: &crate::record::StageSettings| {
        json!({
            "name": stage.name,
            "format": both(|lang| header::format(&stage.format, settings.colours(), lang)),
            "time": stage.time.control,
        })
    };
    json!({
        "name": settings.event,
        "site": settings.site,
        "entrants": (0..settings.entrants.len())
            .map(|entrant| json!([name(run, entrant, Lang::English), name(run, entrant, Lang::Chinese)]))
            .collect::<Vec<_>>(),
        "stages": settings.stages.iter().map(stage).collect::<Vec<_>>(),
        "games": settings.games(),
    })
}

/// How far the run is.
pub fn state(run: &Run) -> Value {
    json!({
        "done": run.decided(),
        "over": run.over(),
        "interrupted": run.interrupted(),
        "paused": desk::paused(run),
    })
}

/// Everything that follows from finished games.
pub fn tables(run: &Run) -> Value {
    let sheets = sheets(run);
    json!({
        "sheets": sheets.iter().map(table).collect::<Vec<_>>(),
        "below": {
            "en": below_with(run, &sheets, Lang::English, Vec::new()),
            "zh": below_with(run, &sheets, Lang::Chinese, Vec::new()),
        },
        "schedule": schedule(run),
        "rulings": rulings(run),
        "desk": desk::public(run),
        "notes": notes(run),
    })
}

fn table(sheet: &Sheet) -> Value {
    let rows: Vec<Value> = sheet.rows.iter().map(|row| table_row(sheet, row)).collect();
    json!({ "title": both(|lang| sheet.title(lang).to_owned()), "grid": sheet.grid, "rows": rows })
}

fn table_row(sheet: &Sheet, row: &Row) -> Value {
    let cell = |cell: &Cell| match cell {
        Cell::Own => json!([]),
        Cell::Sum(sum) if sum.games() == 0 => json!([[".", ".", null]]),
        Cell::Sum(sum) => json!([[wdl(*sum), wdl(*sum), null]]),
        Cell::Games(games) => {
            let text = |game, lang| game_text(game, sheet.points, lang);
            let games = games.iter().map(|game| {
                let game = game.as_ref();
                let id = game.map(|game| game.id.to_string());
                json!([text(game, Lang::English), text(game, Lang::Chinese), id])
            });
            Value::Array(games.collect())
        }
    };
    let total = row.line.total();
    json!({
        "rank": row.line.rank,
        "entrant": row.entrant,
        "cells": row.cells.iter().map(cell).collect::<Vec<_>>(),
        "games": total.games(),
        "wdl": wdl(total),
        "points": sheet.points.write(row.line.points),
        "black": row.line.black.wins,
        "decided": both(|lang| decided(row.line.decided, sheet.points, lang)),
    })
}

/// A finished game in the schedule.
pub fn ended(game: &GameSummary) -> Value {
    json!({
        "id": game.id.to_string(),
        "red": game.red,
        "black": game.black,
        "result": token(game.outcome),
        "reason": both(|lang| reasons::sentence(&game.termination, lang)),
        "short": both(|lang| reasons::short(&game.termination, lang)),
        "plies": game.plies,
    })
}

/// The latest finished games, those under way, and those to come.
fn schedule(run: &Run) -> Value {
    let mut last: Vec<(At, GameId)> = run.games().map(|game| (game.at, game.id)).collect();
    last.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    last.truncate(ENDED_SHOWN);
    let last: Vec<GameSummary> = last.iter().filter_map(|(_, id)| run.attempt(*id)).collect();
    let now: Vec<Value> = run
        .unfinished()
        .map(|game| {
            let began = &game.began;
            json!({
                "id": began.game.to_string(),
                "red": run.index_of(&began.red),
                "black": run.index_of(&began.black),
            })
        })
        .collect();
    json!({
        "ended": last.iter().map(ended).collect::<Vec<_>>(),
        "now": now,
        "coming": coming(run),
    })
}

/// Games that are due and have not begun, as far as pairings are known.
fn coming(run: &Run) -> Vec<Value> {
    let Some(settings) = run.settings().filter(|_| run.over().is_none()) else { return Vec::new() };
    let results: Vec<GameResult> = run.results().collect();
    let mut coming = Vec::new();
    for (stage, facts) in (1u8..).zip(&settings.stages) {
        let format = facts.format.format();
        // Games end nearly in order: rounds before the first game under way or the last finished are over.
        let under_way = run.unfinished().map(|game| game.began.game).filter(|id| id.stage == stage).min();
        let latest = results.iter().map(|game| game.id).filter(|id| id.stage == stage).max();
        let again = run.replays().iter().map(|(id, attempt)| GameId { attempt: *attempt, ..*id });
        let again = again.filter(|id| id.stage == stage && !begun(run, *id)).map(|id| id.round).min();
        let first = under_way.or(latest).map_or(1, |id| id.round).min(again.unwrap_or(u32::MAX));
        for round in first..first.saturating_add(ROUNDS_AHEAD) {
            let known = run.known(&results);
            let Next::Round(pairings) = format.next_of(stage, round, settings.entrants.len(), &known) else {
                break;
            };
            for pairing in pairings {
                for leg in 1..=pairing.legs {
                    let id = GameId { stage, round, pair: pairing.pair, leg, attempt: 1 };
                    let id = GameId { attempt: run.attempt_due(id), ..id };
                    if begun(run, id) {
                        continue;
                    }
                    if coming.len() == COMING_SHOWN {
                        return coming;
                    }
                    let (red, black) = settings.colours().seats(pairing, leg);
                    coming.push(json!({ "id": id.to_string(), "red": red, "black": black }));
                }
            }
        }
    }
    coming
}

/// Whether this attempt of a game or a later one has begun.
fn begun(run: &Run, id: GameId) -> bool {
    let is_it = |other: GameId| GameId { attempt: id.attempt, ..other } == id && other.attempt >= id.attempt;
    run.attempt(id).is_some() || run.unfinished().any(|game| is_it(game.began.game))
}

fn rulings(run: &Run) -> Value {
    let ruled = |game: &GameSummary| matches!(game.termination, Termination::Repetition(_));
    let list = run.games().filter(ruled).map(|game| ended(&game));
    let mut list: Vec<Value> = list.collect();
    let from = list.len().saturating_sub(RULINGS_SHOWN);
    list.drain(..from);
    Value::Array(list)
}

fn notes(run: &Run) -> Value {
    let (notes, left_out) = run.notes();
    let latest = notes.iter().skip(notes.len().saturating_sub(NOTES_SHOWN)).map(|note| {
        json!({
            "game": note.game.map(|id| id.to_string()),
            "entrant": note.entrant.as_deref().and_then(|name| run.index_of(name)),
            "text": both(|lang| words(note, lang)),
        })
    });
    json!({ "list": latest.collect::<Vec<_>>(), "left_out": left_out })
}

/// Most games that run at once, by the settings.
pub fn concurrency(run: &Run) -> usize {
    run.settings().map_or(1, |settings: &Settings| settings.conduct.concurrency.max(1))
}
