//! Whether a bag can be what a worker played: the games that were asked for, from their openings, by the rules,
//! with the engines that were announced. Everything in it comes from the network and nothing is believed.
//! Pure; never decides what follows. Start at [`check`].

use std::collections::BTreeSet;

use super::message::{Bag, OpeningText, is_name};
use crate::director::Assignment;
use crate::game::{Termination, scale_time};
use crate::plan::Plan;
use crate::record::{GameOver, Noted, read_termination};
use crate::runner::verify::replay;
use crate::tournament::Opening;
use crate::xiangqi::{Move, Position, Side, SquareStyle};

/// Least and greatest factor on clocks.
pub const SCALES: std::ops::RangeInclusive<f64> = 0.25..=4.0;

/// Most notes of a pair.
pub const MAX_NOTES: usize = 40;

/// Most characters of a text that people read: a reason, a note, an engine's line.
pub const MAX_TEXT: usize = 2000;

/// Most lines of an engine that are kept of a game.
const MAX_LINES: usize = 100;

/// Most opening moves.
const MAX_OPENING: usize = 1000;

/// What a bag has to fit.
#[derive(Debug)]
pub struct Expected<'a> {
    /// What is played.
    pub plan: &'a Plan,
    /// Program and version.
    pub program: &'a str,
    /// The ids of the engines.
    pub engines: &'a [String],
    /// Whether clocks may be scaled.
    pub scales: bool,
}

/// Looks at a bag.
///
/// # Errors
/// In words, what cannot be.
pub fn check(bag: &Bag, games: &[Assignment], expected: &Expected<'_>) -> Result<(), String> {
    if bag.program != expected.program {
        return Err(format!("it was played by {}, not by {}", short(&bag.program), expected.program));
    }
    if !is_name(&bag.worker) {
        return Err("its worker has no proper name".to_owned());
    }
    if bag.engines != expected.engines {
        return Err("it was played with other engines (their SHA-256 differ)".to_owned());
    }
    match bag.scale {
        Some(_) if !expected.scales => return Err("its clocks were scaled".to_owned()),
        Some(scale) if !SCALES.contains(&scale) => return Err(format!("its clocks were scaled by {scale}")),
        None if expected.scales => return Err("its clocks were not scaled".to_owned()),
        Some(_) | None => {}
    }
    if bag.games.len() != games.len() {
        return Err(format!("it holds {} games where {} were asked for", bag.games.len(), games.len()));
    }
    let plan = scaled(expected.plan, bag.scale.unwrap_or(1.0));
    for (over, assignment) in bag.games.iter().zip(games) {
        check_game(over, assignment, &plan).map_err(|why| format!("game {}: {why}", assignment.id))?;
    }
    check_notes(&bag.notes, games, &plan)
}

/// The plan with all clocks multiplied, as a worker plays it.
pub fn scaled(plan: &Plan, factor: f64) -> Plan {
    let mut plan = plan.clone();
    if factor != 1.0 {
        for stage in &mut plan.stages {
            stage.time = stage.time.scaled(factor);
        }
        for entrant in &mut plan.entrants {
            entrant.time = entrant.time.map(|time| time.scaled(factor));
        }
        plan.conduct.margin = scale_time(plan.conduct.margin, factor);
    }
    plan
}

fn check_game(over: &GameOver, assignment: &Assignment, plan: &Plan) -> Result<(), String> {
    if over.game != assignment.id {
        return Err("it is another game".to_owned());
    }
    let names = assignment.seats.map(|seat| plan.entrants.get(seat).map(|entrant| entrant.name.as_str()));
    if Some(over.red.as_str()) != names.red || Some(over.black.as_str()) != names.black {
        return Err("others sit at it".to_owned());
    }
    let opening = plan.openings.opening(assignment.opening).map_or_else(usual, text_of);
    let plies = opening.moves.split_ascii_whitespace().count();
    let begins = over.moves.strip_prefix(&opening.moves);
    let begins = begins.is_some_and(|rest| rest.is_empty() || plies == 0 || rest.starts_with(' '));
    if over.fen != opening.fen
        || over.opening != opening.name
        || over.opening_plies as usize != plies
        || !begins
    {
        return Err("it has another opening".to_owned());
    }
    let terms = plan.terms(assignment.id.stage, assignment.seats);
    if over.time_controls != Side::BOTH.map(|side| terms.controls[side].to_string()) {
        return Err("its clocks are others".to_owned());
    }
    if !over.members.is_empty() || over.thoughts.len() > over.used_us.len() {
        return Err("it has thoughts without moves".to_owned());
    }
    let end = &over.termination;
    let texts = end.detail.iter().chain(&end.last_lines).chain([&over.date]);
    if end.last_lines.len() > MAX_LINES || texts.into_iter().any(|text| !is_text(text)) {
        return Err("its texts are too long, or no texts".to_owned());
    }
    let termination = read_termination(end).map_err(|error| short(&error.to_string()))?;
    let ended = !matches!(
        termination,
        Termination::Held { .. }
            | Termination::Abandoned { .. }
            | Termination::Forfeited { .. }
            | Termination::SessionOver
    );
    let token = termination.outcome().map(|outcome| outcome.token());
    if !ended || token.is_none() || over.result.as_deref() != token {
        return Err("its result does not follow from its end".to_owned());
    }
    let mut replayed = 0;
    replay(over, &[], Some(plan), &[], &mut replayed).map_err(|why| short(&why))
}

fn check_notes(notes: &[Noted], games: &[Assignment], plan: &Plan) -> Result<(), String> {
    let ids: BTreeSet<_> = games.iter().map(|game| game.id).collect();
    let fits = |note: &Noted| {
        note.game.is_some_and(|game| ids.contains(&game))
            && note.entrant.as_ref().is_none_or(|name| plan.entrants.iter().any(|one| one.name == *name))
            && note.kind.len() <= 40
            && note.kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            && is_text(&note.text)
    };
    let sound = notes.len() <= MAX_NOTES && notes.iter().all(fits);
    if sound { Ok(()) } else { Err("its notes do not fit".to_owned()) }
}

fn is_text(text: &str) -> bool {
    text.len() <= MAX_TEXT && !text.chars().any(|c| c.is_control() && c != '\t')
}

/// A text for people, cut and without characters that move a cursor.
pub fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

fn usual() -> OpeningText {
    OpeningText { fen: Position::start().fen(), moves: String::new(), name: String::new() }
}

/// An opening as text.
pub fn text_of(opening: &Opening) -> OpeningText {
    let moves: Vec<String> = opening.moves.iter().map(Move::to_string).collect();
    OpeningText { fen: opening.start.fen(), moves: moves.join(" "), name: opening.name.clone() }
}

/// Reads an opening from its text.
///
/// # Errors
/// In words, what is wrong with it.
pub fn opening_of(text: &OpeningText) -> Result<Opening, String> {
    let start = Position::from_fen(&text.fen).map_err(|error| format!("the opening's start: {error}"))?;
    if !is_text(&text.name) {
        return Err("the opening's name is no text".to_owned());
    }
    let mut moves = Vec::new();
    let mut position = start.clone();
    for word in text.moves.split_ascii_whitespace() {
        let mv = SquareStyle::Zero.read(word.as_bytes()).filter(|mv| position.is_legal(*mv));
        let mv = mv.filter(|_| moves.len() < MAX_OPENING);
        moves.push(mv.ok_or_else(|| format!("the opening's move {} is not legal", moves.len() + 1))?);
        mv.map(|mv| position.make(mv));
    }
    Ok(Opening { start, moves, name: text.name.clone() })
}
