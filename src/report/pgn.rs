//! A finished game as PGN (`formats.md` 7 and 16): ICCS moves, one full move a line, what the engine
//! thought and how long behind each move, the reason of the end last. Written from the journal's event
//! alone, fast enough for every game of a long test. Start at [`game`].

use std::fmt::Write as _;

use super::lang::Lang;
use super::reasons;
use crate::formats::pgn::{DRAW_ODDS, Quotes, Thought, append_comment, append_number, append_tag, day};
use crate::game::Outcome;
use crate::record::{GameOver, PASS, Run, RunBegan, ThoughtRecord, read_termination};
use crate::xiangqi::START_FEN;

/// What the tags of all games of a run have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading<'a> {
    /// `Event`.
    pub event: &'a str,
    /// `Site`.
    pub site: &'a str,
}

impl<'a> Heading<'a> {
    /// The heading of a run.
    pub fn of(head: &'a RunBegan) -> Heading<'a> {
        Heading { event: &head.settings.event, site: &head.settings.site }
    }
}

/// Bytes a move takes, about, with its comment.
const MOVE_SIZE: usize = 40;
/// Bytes the tags take, about.
const TAGS_SIZE: usize = 512;

/// One game of a run, with an empty line at its end. Scores are the mover's view; `{book}` marks opening
/// moves.
pub fn game(over: &GameOver, heading: &Heading<'_>) -> String {
    ruled_game(over, heading, None)
}

/// The same, of a run: where the chief referee has overruled the game, its tags give his result, the number
/// of his decision and the automatic result.
pub fn game_of(run: &Run, over: &GameOver, heading: &Heading<'_>) -> String {
    let summary = run.attempt(over.game);
    let ruled = summary.and_then(|game| {
        Some(Ruled { decision: game.decision?, result: game.outcome.map_or("*", Outcome::token) })
    });
    ruled_game(over, heading, ruled)
}

/// The chief referee's last word on a game.
#[derive(Debug, Clone, Copy)]
struct Ruled {
    decision: u32,
    result: &'static str,
}

fn ruled_game(over: &GameOver, heading: &Heading<'_>, ruled: Option<Ruled>) -> String {
    let mut out = String::with_capacity(TAGS_SIZE + MOVE_SIZE * (over.used_us.len() + 1));
    let automatic = over.result.as_deref().unwrap_or("*");
    let result = ruled.map_or(automatic, |ruled| ruled.result);
    write_tags(over, heading, result, &mut out);
    if let Some(ruled) = ruled {
        write_tag("Decision", &ruled.decision.to_string(), &mut out);
        write_tag("AutomaticResult", automatic, &mut out);
    }
    out.push('\n');
    write_moves(over, &mut out);
    append_comment(&reason(over), &mut out);
    out.push('\n');
    out.push_str(result);
    out.push_str("\n\n");
    out
}

fn reason(over: &GameOver) -> String {
    match read_termination(&over.termination) {
        Ok(termination) => {
            let odds = if has_draw_odds(over) { "; draw odds: it counts as won by Black" } else { "" };
            format!("{}{odds}", reasons::sentence(&termination, Lang::English))
        }
        Err(_) => over.termination.kind.clone(),
    }
}

/// Whether a draw was counted as a win.
pub fn has_draw_odds(over: &GameOver) -> bool {
    let drawn = || read_termination(&over.termination).is_ok_and(|how| how.outcome() == Some(Outcome::Draw));
    over.result.as_deref().is_some_and(|result| result != Outcome::Draw.token()) && drawn()
}

fn write_tags(over: &GameOver, heading: &Heading<'_>, result: &str, out: &mut String) {
    let [red_time, black_time] = &over.time_controls;
    out.push_str("[Game \"Chinese Chess\"]\n");
    write_tag("Event", heading.event, out);
    write_tag("Site", heading.site, out);
    write_tag("Date", &day(&over.date), out);
    write_tag("Round", &over.game.to_string(), out);
    write_tag("Red", &over.red, out);
    write_tag("Black", &over.black, out);
    write_tag("Result", result, out);
    if !over.opening.is_empty() {
        write_tag("Opening", &over.opening, out);
    }
    if over.fen != START_FEN {
        write_tag("FEN", &over.fen, out);
    }
    if has_draw_odds(over) {
        write_tag(DRAW_ODDS, "Black", out);
    }
    out.push_str("[Format \"ICCS\"]\n");
    write_tag("Termination", termination_word(&over.termination.kind), out);
    if red_time == black_time {
        write_tag("TimeControl", red_time, out);
    } else {
        write_tag("RedTimeControl", red_time, out);
        write_tag("BlackTimeControl", black_time, out);
    }
    write_tag("PlyCount", &over.moves.split_ascii_whitespace().count().to_string(), out);
}

/// The words of the PGN standard.
fn termination_word(kind: &str) -> &'static str {
    match kind {
        "flag" | "overrun_in_check" => "time forfeit",
        "illegal_move" => "rules infraction",
        "crashed" | "stalled" | "abandoned" => "abandoned",
        "adjudicated" | "session_over" => "adjudication",
        "held" => "unterminated",
        _ => "normal",
    }
}

/// Many readers do not unescape quotes.
fn write_tag(name: &str, value: &str, out: &mut String) {
    append_tag(name, value, Quotes::Softened, out);
}

fn write_moves(over: &GameOver, out: &mut String) {
    let black_first = over.fen.split_ascii_whitespace().nth(1) == Some("b");
    let opening = over.opening_plies as usize;
    let mut number = 1;
    let mut reds_turn = !black_first;
    let mut started = false;
    for (ply, mv) in over.moves.split_ascii_whitespace().enumerate() {
        if reds_turn || !started {
            append_number(number, 1, out);
            out.push_str(if reds_turn { ". " } else { ". ... " });
        } else {
            out.push(' ');
        }
        started = true;
        write_move(mv, out);
        if ply < opening {
            out.push_str(" {book}");
        } else {
            let place = ply - opening;
            if mv == PASS {
                out.push_str(" {time overrun, the turn is lost}");
            }
            let member = over.members.get(place).copied().filter(|member| *member > 0);
            write_thought(over.thoughts.get(place), over.used_us.get(place), member, out);
        }
        if !reds_turn {
            out.push('\n');
            number += 1;
        }
        reds_turn = !reds_turn;
    }
    if started && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// `h2e2` as `H2-E2`; anything else (a pass) as it is.
fn write_move(mv: &str, out: &mut String) {
    match mv.as_bytes() {
        [_, _, _, _] if mv.is_ascii() => {
            for (place, byte) in mv.bytes().enumerate() {
                if place == 2 {
                    out.push('-');
                }
                out.push(char::from(byte.to_ascii_uppercase()));
            }
        }
        _ => out.push_str(mv),
    }
}

/// ` {+0.35/24 1.532s n=1234 member 2}`; nothing if nothing is known.
fn write_thought(
    thought: Option<&ThoughtRecord>,
    used_us: Option<&u64>,
    member: Option<u8>,
    out: &mut String,
) {
    let before = out.len();
    out.push_str(" {");
    let inside = out.len();
    let said = thought.copied().unwrap_or_default();
    let used_us = used_us.copied();
    Thought { cp: said.cp, mate: said.mate, depth: said.depth, nodes: said.nodes, used_us }.append(out);
    if let Some(member) = member {
        if out.len() > inside {
            out.push(' ');
        }
        let _ = write!(out, "member {member}");
    }
    if out.len() == inside {
        out.truncate(before);
    } else {
        out.push('}');
    }
}
