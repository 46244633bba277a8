//! The words of both protocols: reading `go`, writing greetings, scores, progress and answers.
//! Keeps no state. Start at [`Go::read`] and [`Protocol`].

use std::fmt::Write as _;
use std::time::Duration;

use super::search::{Outcome, Progress};
use super::time::{Budget, Clock};
use super::{MATE, MATE_RANGE, Settings};
use crate::xiangqi::{Move, Side, SquareStyle};

/// UCCI counts a minor piece as 100, the search about four times that.
const UCCI_SCALE: i32 = 4;

/// UCCI has no word for a mate; one in `n` plies is shown as this less `n`.
const UCCI_MATE: i32 = 9999;

/// Which of the two protocols is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Ucci,
    Uci,
}

/// What a `go` asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Go {
    pub ponder: bool,
    pub draw: bool,
    pub infinite: bool,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub budget: Option<Budget>,
    pub only: Option<Vec<Move>>,
}

/// Reads a number; a negative one (a clock that has run out) is 0.
fn number(word: Option<&str>) -> Option<u64> {
    let word = word?;
    word.parse().ok().or_else(|| word.parse::<i64>().ok().map(|_| 0))
}

impl Go {
    /// Reads what follows `go`. Times of UCCI are in `unit`s, all others in milliseconds; a clock is
    /// that of the side to move. Unknown words are passed over. Without any limit it is infinite.
    pub fn read(protocol: Protocol, text: &str, side: Side, unit: Duration) -> Go {
        let (time, increment, unit) = match (protocol, side) {
            (Protocol::Ucci, _) => ("time", "increment", unit),
            (Protocol::Uci, Side::Red) => ("wtime", "winc", Duration::from_millis(1)),
            (Protocol::Uci, Side::Black) => ("btime", "binc", Duration::from_millis(1)),
        };
        let span = |count: u64| unit.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        let mut go = Go::default();
        let (mut left, mut added, mut moves) = (None, Duration::ZERO, None);
        let mut words = text.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "ponder" => go.ponder = true,
                "draw" => go.draw = true,
                "infinite" => go.infinite = true,
                "depth" => go.depth = number(words.next()).map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
                "nodes" => go.nodes = number(words.next()),
                "movestogo" => moves = number(words.next()).map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
                "movetime" => {
                    go.budget = number(words.next()).map(|n| Budget::of_move(Duration::from_millis(n)));
                }
                "searchmoves" => {
                    let mut only = Vec::new();
                    while let Some(mv) = words.peek().and_then(|word| read_move(word)) {
                        only.push(mv);
                        words.next();
                    }
                    go.only = Some(only);
                }
                word if word == time => left = number(words.next()).map(span),
                word if word == increment => added = number(words.next()).map_or(Duration::ZERO, span),
                _ => {}
            }
        }
        if let Some(left) = left {
            let clock = Clock { left, increment: added, moves: moves.filter(|moves| *moves > 0) };
            go.budget = go.budget.or(Some(Budget::of_clock(clock)));
        }
        go.infinite |= go.depth.is_none() && go.nodes.is_none() && go.budget.is_none();
        go
    }
}

/// Reads a coordinate move.
pub(super) fn read_move(word: &str) -> Option<Move> {
    SquareStyle::Zero.read(word.as_bytes())
}

impl Protocol {
    /// The answer to the greeting.
    pub fn greeting(self) -> Vec<String> {
        let d = Settings::default();
        let (low, high) = Settings::LEVELS;
        let version = env!("CARGO_PKG_VERSION");
        let spins = [
            ("Level", u64::from(d.level), u64::from(low), u64::from(high)),
            ("Noise", u64::from(d.noise), 0, u64::from(Settings::MOST_NOISE)),
            ("Seed", d.seed, 0, Settings::MOST_SEED),
            (self.hash_name(), u64::from(d.hash), 1, u64::from(Settings::MOST_HASH)),
        ];
        let mut lines = vec![format!("id name chuhe sparring {version}"), "id author chuhe".to_owned()];
        match self {
            Protocol::Ucci => {
                lines.push("option usemillisec type check default false".to_owned());
                lines.push("option newgame type button".to_owned());
                lines.push("option ponder type check default false".to_owned());
                lines.extend(spins.map(|(name, default, min, max)| {
                    format!("option {name} type spin min {min} max {max} default {default}")
                }));
                lines.push("ucciok".to_owned());
            }
            Protocol::Uci => {
                lines.push("option name Ponder type check default false".to_owned());
                lines.extend(spins.map(|(name, default, min, max)| {
                    format!("option name {name} type spin default {default} min {min} max {max}")
                }));
                lines.push("uciok".to_owned());
            }
        }
        lines
    }

    fn hash_name(self) -> &'static str {
        match self {
            Protocol::Ucci => "hashsize",
            Protocol::Uci => "Hash",
        }
    }

    /// A remark for people.
    pub fn remark(self, text: &str) -> String {
        match self {
            Protocol::Ucci => format!("info message {text}"),
            Protocol::Uci => format!("info string {text}"),
        }
    }

    /// What is said of a finished depth.
    pub fn progress(self, progress: &Progress<'_>) -> Vec<String> {
        let Progress { depth, nodes, .. } = *progress;
        let time = progress.elapsed.as_millis();
        let score = self.score(progress.score);
        let mut line = String::new();
        for mv in progress.line {
            let _ = write!(line, " {mv}");
        }
        match self {
            Protocol::Ucci => vec![
                format!("info time {time} nodes {nodes}"),
                format!("info depth {depth} score {score} pv{line}"),
            ],
            Protocol::Uci => {
                let per_second = u128::from(nodes) * 1_000_000 / progress.elapsed.as_micros().max(1);
                vec![format!(
                    "info depth {depth} score {score} nodes {nodes} nps {per_second} time {time} pv{line}"
                )]
            }
        }
    }

    fn score(self, score: i32) -> String {
        let plies = MATE - score.abs();
        let mate = score.abs() > MATE_RANGE;
        match self {
            Protocol::Ucci if mate => format!("{}", score.signum() * (UCCI_MATE - plies)),
            Protocol::Ucci => format!("{}", score / UCCI_SCALE),
            Protocol::Uci if mate => format!("mate {}", score.signum() * ((plies + 1) / 2)),
            Protocol::Uci => format!("cp {score}"),
        }
    }

    /// The answer to a `go`.
    pub fn answer(self, outcome: &Outcome, draw: bool) -> String {
        let Some(best) = outcome.best else {
            return match self {
                Protocol::Ucci => "nobestmove".to_owned(),
                Protocol::Uci => "bestmove (none)".to_owned(),
            };
        };
        let mut answer = format!("bestmove {best}");
        if let Some(reply) = outcome.reply {
            let _ = write!(answer, " ponder {reply}");
        }
        if draw {
            answer.push_str(" draw");
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn clock(left: u64, increment: u64, moves: Option<u32>) -> Option<Budget> {
        Some(Budget::of_clock(Clock { left: ms(left), increment: ms(increment), moves }))
    }

    fn check(protocol: Protocol, text: &str, side: Side, unit: u64, expected: Go) {
        assert_eq!(Go::read(protocol, text, side, ms(unit)), expected, "{text}");
    }

    #[test]
    fn go_in_both_protocols() {
        let uci = "wtime 5000 btime 7000 winc 10 binc 20 movestogo 9";
        let none = Go::default();
        check(Protocol::Uci, uci, Side::Red, 1, Go { budget: clock(5000, 10, Some(9)), ..none.clone() });
        check(Protocol::Uci, uci, Side::Black, 1, Go { budget: clock(7000, 20, Some(9)), ..none.clone() });
        let ucci = "draw time 60 increment 2 opptime 50 oppincrement 1";
        let offered = Go { draw: true, ..none.clone() };
        check(
            Protocol::Ucci,
            ucci,
            Side::Black,
            1000,
            Go { budget: clock(60_000, 2000, None), ..offered.clone() },
        );
        check(Protocol::Ucci, ucci, Side::Black, 1, Go { budget: clock(60, 2, None), ..offered });
        let moves = "time 60 movestogo 5 opptime 50 oppmovestogo 7";
        check(Protocol::Ucci, moves, Side::Red, 1, Go { budget: clock(60, 0, Some(5)), ..none.clone() });
        check(
            Protocol::Uci,
            "depth 5 nodes 70",
            Side::Red,
            1,
            Go { depth: Some(5), nodes: Some(70), ..none.clone() },
        );
        check(
            Protocol::Uci,
            "movetime 100",
            Side::Red,
            1,
            Go { budget: Some(Budget::of_move(ms(100))), ..none.clone() },
        );
        for endless in ["", "infinite", "depth", "nodes x", "btime 100"] {
            check(Protocol::Uci, endless, Side::Red, 1, Go { infinite: true, ..none.clone() });
        }
    }

    #[test]
    fn scores_in_both_protocols() {
        for (score, uci, ucci) in [
            (120, "cp 120", "30"),
            (-40, "cp -40", "-10"),
            (MATE - 1, "mate 1", "9998"),
            (MATE - 5, "mate 3", "9994"),
            (2 - MATE, "mate -1", "-9997"),
        ] {
            assert_eq!((Protocol::Uci.score(score), Protocol::Ucci.score(score)), (uci.into(), ucci.into()));
        }
    }

    #[test]
    fn progress_in_both_protocols() {
        let line: Vec<Move> = ["h2e2", "h9g7"].iter().filter_map(|text| read_move(text)).collect();
        let progress = Progress { depth: 2, score: 8, nodes: 900, elapsed: ms(3), line: &line };
        assert_eq!(
            Protocol::Uci.progress(&progress),
            ["info depth 2 score cp 8 nodes 900 nps 300000 time 3 pv h2e2 h9g7"]
        );
        let ucci = ["info time 3 nodes 900", "info depth 2 score 2 pv h2e2 h9g7"];
        assert_eq!(Protocol::Ucci.progress(&progress), ucci);
    }
}
