//! A game as PGN for test frameworks: tags, an empty line, moves, an empty line; White and Black, moves
//! in coordinates, comments as `{+0.31/12 0.123s, n=4000}`. Pure. Start at [`game`].

use super::reason;
use crate::game::Termination;
use crate::record::{GameOver, ThoughtRecord, read_termination};
use crate::xiangqi::START_FEN;

/// What is written beside score, depth and time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Details {
    /// `Event`.
    pub event: String,
    /// `Site`.
    pub site: String,
    /// Number of nodes.
    pub nodes: bool,
    /// Only tags that readers need, no comments.
    pub minimal: bool,
}

/// Widest line of moves.
const WIDTH: usize = 80;

/// One game.
pub fn game(over: &GameOver, number: u64, details: &Details) -> String {
    let mut out = String::with_capacity(1024);
    let result = over.result.as_deref().unwrap_or("*");
    let termination = read_termination(&over.termination).ok();
    let date = over.date.get(..10).map_or_else(|| "????.??.??".to_owned(), |date| date.replace('-', "."));
    let mut tag = |name: &str, value: &str| {
        let value: String =
            value.chars().map(|c| if c == '"' || c.is_control() { '\'' } else { c }).collect();
        out.push_str(&format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\")));
    };
    tag("Event", &details.event);
    tag("Site", &details.site);
    tag("Date", &date);
    tag("Round", &number.div_ceil(2).to_string());
    tag("White", &over.red);
    tag("Black", &over.black);
    tag("Result", result);
    if over.fen != START_FEN {
        tag("SetUp", "1");
        tag("FEN", &over.fen);
    }
    if !details.minimal {
        tag("Variant", "xiangqi");
        tag("GameDuration", &clock(over.took_us));
        tag("GameStartTime", &over.date);
        tag("PlyCount", &over.moves.split_ascii_whitespace().count().to_string());
        tag("Termination", termination.as_ref().map_or("unterminated", word));
        let [white, black] = &over.time_controls;
        if white == black {
            tag("TimeControl", white);
        } else {
            tag("WhiteTimeControl", white);
            tag("BlackTimeControl", black);
        }
    }
    out.push('\n');
    let reason = termination.as_ref().map(reason).unwrap_or_default();
    write_moves(over, details, &reason, &mut out);
    if !out.ends_with('\n') {
        out.push(' ');
    }
    out.push_str(result);
    out.push_str("\n\n");
    out
}

/// `hh:mm:ss`.
fn clock(us: u64) -> String {
    let seconds = us / 1_000_000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn word(termination: &Termination) -> &'static str {
    match termination {
        Termination::Flag { .. } | Termination::OverrunInCheck { .. } => "time forfeit",
        Termination::IllegalMove { .. } => "illegal move",
        Termination::Crashed { .. } | Termination::Forfeited { .. } => "abandoned",
        Termination::Stalled { .. } => "stalled",
        Termination::Adjudicated { .. } | Termination::MaxLength => "adjudication",
        Termination::SessionOver | Termination::Held { .. } | Termination::Abandoned { .. } => "unterminated",
        Termination::Mated { .. }
        | Termination::NoMove { .. }
        | Termination::Repetition(_)
        | Termination::DeadPosition
        | Termination::NoCapture
        | Termination::Resigned { .. }
        | Termination::Agreed => "normal",
    }
}

fn write_moves(over: &GameOver, details: &Details, reason: &str, out: &mut String) {
    let black_first = over.fen.split_ascii_whitespace().nth(1) == Some("b");
    let moves: Vec<&str> = over.moves.split_ascii_whitespace().collect();
    let mut column = 0;
    for (ply, mv) in moves.iter().enumerate() {
        let turn = ply + usize::from(black_first);
        let number = match (turn % 2, ply) {
            (0, _) => format!("{}. ", turn / 2 + 1),
            (_, 0) => format!("{}... ", turn / 2 + 1),
            _ => String::new(),
        };
        let comment = comment(over, ply, details, (ply + 1 == moves.len()).then_some(reason));
        let token = format!("{number}{mv}{comment}");
        if column > 0 && column + token.len() > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
        }
        column += token.len() + 1;
        out.push_str(&token);
    }
}

fn comment(over: &GameOver, ply: usize, details: &Details, reason: Option<&str>) -> String {
    if details.minimal {
        return String::new();
    }
    let Some(place) = ply.checked_sub(over.opening_plies as usize) else { return " {book}".to_owned() };
    let thought = over.thoughts.get(place).copied().unwrap_or_default();
    let ms = over.used_us.get(place).map_or(0, |us| us.saturating_add(500) / 1000);
    let mut text =
        format!("{}/{} {}.{:03}s", score(&thought), thought.depth.unwrap_or(0), ms / 1000, ms % 1000);
    if let Some(nodes) = thought.nodes.filter(|_| details.nodes) {
        text.push_str(&format!(", n={nodes}"));
    }
    if let Some(reason) = reason {
        text.push_str(&format!(", {reason}"));
    }
    format!(" {{{text}}}")
}

fn score(thought: &ThoughtRecord) -> String {
    match (thought.mate, thought.cp) {
        (Some(mate), _) => format!("{}M{}", if mate < 0 { '-' } else { '+' }, mate.unsigned_abs()),
        (None, Some(cp)) => {
            let size = cp.unsigned_abs();
            format!("{}{}.{:02}", if cp < 0 { '-' } else { '+' }, size / 100, size % 100)
        }
        (None, None) => "0.00".to_owned(),
    }
}
