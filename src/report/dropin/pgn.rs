//! A game as PGN for test frameworks: tags, an empty line, moves, an empty line; White and Black, moves
//! in coordinates, comments as `{+0.31/12 0.123s, n=4000}`. Pure. Start at [`game`].

use std::time::Duration;

use super::reason;
use crate::game::{Clock, Termination, TimeControl};
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
    /// Words of the engine's last line: greatest depth, nodes a second, fill of its table, tablebase hits.
    pub words: Vec<Word>,
    /// Its line of play.
    pub pv: bool,
    /// Time left after the move.
    pub time_left: bool,
    /// Time charged less the engine's own.
    pub latency: bool,
    /// Only tags that readers need, no comments.
    pub minimal: bool,
}

/// A word of `info` that is written under a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// `sd=`.
    Seldepth,
    /// `nps=`.
    Nps,
    /// `hashfull=`.
    Hashfull,
    /// `tbhits=`.
    Tbhits,
}

impl Word {
    /// All words, in the order in which they are written.
    pub const ALL: [Word; 4] = [Word::Seldepth, Word::Nps, Word::Hashfull, Word::Tbhits];

    /// The word in `info`, which is also the flag's.
    pub const fn name(self) -> &'static str {
        match self {
            Word::Seldepth => "seldepth",
            Word::Nps => "nps",
            Word::Hashfull => "hashfull",
            Word::Tbhits => "tbhits",
        }
    }

    const fn key(self) -> &'static str {
        match self {
            Word::Seldepth => "sd",
            Word::Nps => "nps",
            Word::Hashfull => "hashfull",
            Word::Tbhits => "tbhits",
        }
    }
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
    let left = if details.time_left { times_left(over) } else { Vec::new() };
    let mut column = 0;
    for (ply, mv) in moves.iter().enumerate() {
        let turn = ply + usize::from(black_first);
        let number = match (turn % 2, ply) {
            (0, _) => format!("{}. ", turn / 2 + 1),
            (_, 0) => format!("{}... ", turn / 2 + 1),
            _ => String::new(),
        };
        let last = (ply + 1 == moves.len()).then_some(reason);
        let comment = comment(over, ply, details, &left, last);
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

fn comment(
    over: &GameOver,
    ply: usize,
    details: &Details,
    left: &[Option<Duration>],
    reason: Option<&str>,
) -> String {
    if details.minimal {
        return String::new();
    }
    let Some(place) = ply.checked_sub(over.opening_plies as usize) else { return " {book}".to_owned() };
    let thought = over.thoughts.get(place).copied().unwrap_or_default();
    let lines = over.lines.get(place).cloned().unwrap_or_default();
    let ms = over.used_us.get(place).map_or(0, |us| us.saturating_add(500) / 1000);
    let mut text = format!("{}/{} {}", score(&thought), thought.depth.unwrap_or(0), seconds(ms));
    let mut add = |key: &str, value: String| text.push_str(&format!(", {key}={value}"));
    if let Some(left) = left.get(place).copied().flatten() {
        add("tl", seconds(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)));
    }
    if let Some(own) = word_after(&lines.info, "time").filter(|_| details.latency) {
        add("latency", seconds(ms.saturating_sub(own)));
    }
    if let Some(nodes) = thought.nodes.filter(|_| details.nodes) {
        add("n", nodes.to_string());
    }
    for word in &details.words {
        if let Some(value) = word_after(&lines.info, word.name()) {
            add(word.key(), value.to_string());
        }
    }
    if let Some(line) = line_of_play(&lines.info).filter(|_| details.pv) {
        add("pv", quoted(line));
    }
    if let Some(reason) = reason {
        text.push_str(&format!(", {reason}"));
    }
    if !lines.matched.is_empty() {
        text.push_str(&format!(", line={}", quoted(&lines.matched)));
    }
    format!(" {{{text}}}")
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}s", ms / 1000, ms % 1000)
}

/// Between quotes; what would end the quotes or the comment becomes something like it.
fn quoted(text: &str) -> String {
    let plain = |letter| match letter {
        '"' => '\'',
        '{' => '(',
        '}' => ')',
        letter if letter.is_control() || !letter.is_ascii() => '?',
        letter => letter,
    };
    format!("\"{}\"", text.chars().map(plain).collect::<String>())
}

/// The number behind a word of an `info` line, before its line of play.
pub(super) fn word_after(info: &str, word: &str) -> Option<u64> {
    let mut words = info.split_ascii_whitespace().take_while(|word| *word != "pv");
    words.find(|found| *found == word)?;
    words.next()?.parse().ok()
}

/// The moves behind `pv`.
pub(super) fn line_of_play(info: &str) -> Option<&str> {
    let (_, line) = info.split_once(" pv ")?;
    Some(line.trim()).filter(|line| !line.is_empty())
}

/// What each mover's clock showed after its move.
fn times_left(over: &GameOver) -> Vec<Option<Duration>> {
    let control =
        |index: usize| TimeControl::parse(&over.time_controls[index]).unwrap_or(TimeControl::UNLIMITED);
    let mut clocks = [Clock::new(control(0)), Clock::new(control(1))];
    let black_first = over.fen.split_ascii_whitespace().nth(1) == Some("b");
    let first = usize::from(black_first) + over.opening_plies as usize;
    let after = |(place, used): (usize, &u64)| {
        let clock = &mut clocks[(first + place) % 2];
        clock.charge(Duration::from_micros(*used));
        clock.left()
    };
    over.used_us.iter().enumerate().map(after).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::LinesRecord;
    use crate::record::fixture::game_over;

    #[test]
    fn what_the_flags_ask_for_stands_in_the_comments() {
        let mut over = game_over("1.1.1.1".parse().unwrap(), "A", "B", "resigned black");
        over.moves = "h2e2 h9g7 h0g2".to_owned();
        over.opening_plies = 1;
        over.used_us = vec![1_532_400, 900];
        over.time_controls = ["60+0.5".to_owned(), "10".to_owned()];
        let thought = ThoughtRecord { cp: Some(-35), mate: None, depth: Some(9), nodes: Some(1234) };
        over.thoughts = vec![thought; 2];
        let info = "info depth 9 seldepth 12 score cp -35 nodes 1234 nps 800 hashfull 7 tbhits 0 time 1500 pv h9g7 h0g2";
        over.lines = vec![LinesRecord {
            info: info.to_owned(),
            matched: "info string pgncomment \"x\" {y}".to_owned(),
        }];
        let all = Details {
            nodes: true,
            words: Word::ALL.to_vec(),
            pv: true,
            time_left: true,
            latency: true,
            ..Details::default()
        };
        let check = |details: &Details, expected: &str| {
            let text = game(&over, 1, details).replace('\n', " ");
            assert!(text.contains(expected), "{text}\n{expected}");
        };
        check(
            &all,
            "h9g7 {-0.35/9 1.532s, tl=8.467s, latency=0.032s, n=1234, sd=12, nps=800, hashfull=7, tbhits=0, \
             pv=\"h9g7 h0g2\", line=\"info string pgncomment 'x' (y)\"}",
        );
        check(&all, "2. h0g2 {-0.35/9 0.001s, tl=60.499s, n=1234, ");
        check(&Details::default(), "h9g7 {-0.35/9 1.532s, line=");
    }
}
