//! What an engine says while it thinks. Of all its lines only the last scored one is kept, as bytes, and
//! it is read once, when the move has come. Never touches the state of a game. Start at [`Thought`].

use super::words::{first_word, lossy, number, words};
use crate::xiangqi::SquareStyle;

/// What an engine said of its last search. Fields it did not name are absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thought {
    /// The value of the position, seen from the side to move.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Greatest depth reached, in plies.
    pub seldepth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The engine's own idea of the time used, in milliseconds.
    pub time_ms: Option<u64>,
    /// Nodes a second, as the engine says.
    pub nps: Option<u64>,
    /// How full its table is, in thousandths.
    pub hashfull: Option<u32>,
    /// The line it expects, at most [`Thought::MAX_PV`] bytes: coordinates in the zero style (UCI, UCCI),
    /// or as the engine writes it (CECP).
    pub pv: String,
    /// Lines as the engine wrote them, where some are kept.
    pub lines: Option<Box<KeptLines>>,
}

/// Lines of one search as the engine wrote them, each cut at a kilobyte; empty where there was none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptLines {
    /// The last one with a score.
    pub info: String,
    /// The last one that matched what was looked for.
    pub matched: String,
}

impl Thought {
    /// Longest line of play that is kept, in bytes: 60 moves, more than anybody reads.
    pub const MAX_PV: usize = 300;

    /// Reads one line that an engine wrote while it thinks, for those who watch it (UCI and UCCI: `info ..`;
    /// CECP: four numbers and the line of play). `None` if it tells no score.
    pub fn of_line(line: &[u8], style: SquareStyle) -> Option<Thought> {
        let mut kept = Kept::default();
        match first_word(line) {
            (b"info", rest) => kept.info(rest),
            _ => kept.thinking(line),
        }
        kept.read(Some(style)).filter(|thought| thought.score.is_some())
    }
}

/// A value, seen from the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of the engine's unit.
    Cp(i32),
    /// Mate in so many moves; negative if the side to move is mated.
    Mate(i32),
}

/// Longest kept line, in bytes: everything before the line of play, and [`Thought::MAX_PV`], fits.
pub(super) const MAX_KEPT: usize = 1024;

/// CECP writes mate in N moves as 100000 + N.
const CECP_MATE: i64 = 100_000;

/// How a kept line is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    /// `info` words.
    #[default]
    Info,
    /// `PLY SCORE CENTISECONDS NODES PV`.
    Thinking,
}

/// The lines worth keeping of one search, in buffers that are used again and again.
#[derive(Debug, Default)]
pub(super) struct Kept {
    scored: Vec<u8>,
    /// ElephantEye names nodes and time in a line of their own.
    counts: Vec<u8>,
    form: Form,
}

/// What an `info` line is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    Nothing,
    Counts,
    Bound,
    Scored,
}

impl Kept {
    /// A new search begins.
    pub(super) fn clear(&mut self) {
        self.scored.clear();
        self.counts.clear();
    }

    /// What follows the word `info`.
    pub(super) fn info(&mut self, rest: &[u8]) {
        self.form = Form::Info;
        match worth(rest) {
            Worth::Scored => keep(&mut self.scored, rest),
            // A bound is better than nothing, but never replaces a value.
            Worth::Bound if self.scored.is_empty() => keep(&mut self.scored, rest),
            Worth::Counts => keep(&mut self.counts, rest),
            Worth::Bound | Worth::Nothing => {}
        }
    }

    /// A line that may be one of CECP's thinking lines: four numbers, the first with an optional mark.
    pub(super) fn thinking(&mut self, line: &[u8]) {
        let mut words = words(line);
        let ply = words.next().is_some_and(|word| {
            number::<i32>(word.strip_suffix(b".").unwrap_or(word)).is_some_and(|ply| ply > 0)
        });
        if ply && words.by_ref().take(3).filter(|word| number::<i64>(word).is_some()).count() == 3 {
            self.form = Form::Thinking;
            keep(&mut self.scored, line);
        }
    }

    /// The last scored line as it was written.
    pub(super) fn scored_line(&self) -> String {
        let word = if self.form == Form::Info && !self.scored.is_empty() { "info " } else { "" };
        format!("{word}{}", String::from_utf8_lossy(&self.scored))
    }

    /// Reads what was kept; `None` if nothing was. Without a style only score, depth and nodes are read.
    pub(super) fn read(&self, style: Option<SquareStyle>) -> Option<Thought> {
        if self.scored.is_empty() && self.counts.is_empty() {
            return None;
        }
        let mut thought = Thought::default();
        match self.form {
            Form::Info => {
                thought.read_info(&self.counts, style);
                thought.read_info(&self.scored, style);
            }
            Form::Thinking => thought.read_thinking(&self.scored, style.is_some()),
        }
        Some(thought)
    }
}

fn keep(buffer: &mut Vec<u8>, line: &[u8]) {
    buffer.clear();
    buffer.extend_from_slice(&line[..line.len().min(MAX_KEPT)]);
}

/// Looks at the words before the line of play only.
fn worth(rest: &[u8]) -> Worth {
    let mut words = words(rest);
    let mut worth = Worth::Nothing;
    while let Some(word) = words.next() {
        match word {
            b"score" => {
                let bound = words.take(3).any(|word| matches!(word, b"lowerbound" | b"upperbound"));
                return if bound { Worth::Bound } else { Worth::Scored };
            }
            b"nodes" => worth = Worth::Counts,
            b"multipv" if words.next() != Some(b"1") => return Worth::Nothing,
            b"string" | b"message" => return Worth::Nothing,
            b"pv" => return worth,
            _ => {}
        }
    }
    worth
}

impl Thought {
    fn read_info(&mut self, mut rest: &[u8], style: Option<SquareStyle>) {
        loop {
            let (word, after) = first_word(rest);
            if word.is_empty() {
                return;
            }
            let (value, beyond) = first_word(after);
            rest = beyond;
            match word {
                b"seldepth" | b"time" | b"nps" | b"hashfull" if style.is_none() => {}
                b"depth" => self.depth = number(value).or(self.depth),
                b"seldepth" => self.seldepth = number(value).or(self.seldepth),
                b"nodes" => self.nodes = number(value).or(self.nodes),
                b"time" => self.time_ms = number(value).or(self.time_ms),
                b"nps" => self.nps = number(value).or(self.nps),
                b"hashfull" => self.hashfull = number(value).or(self.hashfull),
                b"score" if value == b"cp" || value == b"mate" => {
                    let (amount, beyond) = first_word(beyond);
                    rest = beyond;
                    let make = if value == b"cp" { Score::Cp } else { Score::Mate };
                    self.score = number(amount).map(clamp).map(make);
                }
                b"score" => self.score = number(value).map(clamp).map(Score::Cp),
                b"pv" => {
                    self.pv = style.map_or_else(String::new, |style| line_of_play(after, style));
                    return;
                }
                // A word without a value, or one we do not know: go on with the next word.
                _ => rest = after,
            }
        }
    }

    fn read_thinking(&mut self, line: &[u8], with_play: bool) {
        // With a tab the words between the fourth and the tab are seldepth, nodes a second, table hits.
        let tab = line.iter().position(|byte| *byte == b'\t');
        let (ply, rest) = first_word(line);
        let (score, rest) = first_word(rest);
        let (time, rest) = first_word(rest);
        let (nodes, rest) = first_word(rest);
        self.depth = number(ply.strip_suffix(b".").unwrap_or(ply));
        self.score = number(score).map(|value: i64| {
            if value.abs() > CECP_MATE {
                Score::Mate(clamp((value.abs() - CECP_MATE) * value.signum()))
            } else {
                Score::Cp(clamp(value))
            }
        });
        self.time_ms = number::<u64>(time).and_then(|time| time.checked_mul(10));
        self.nodes = number(nodes);
        let pv = match tab {
            Some(tab) if line.len() - rest.len() <= tab => {
                let mut extra = words(rest);
                self.seldepth = extra.next().and_then(number);
                self.nps = extra.next().and_then(number);
                &line[tab..]
            }
            Some(_) | None => rest,
        };
        if with_play {
            self.pv = lossy(pv.trim_ascii(), Thought::MAX_PV);
        }
    }
}

fn clamp(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN + 1), i64::from(i32::MAX)) as i32
}

/// The moves up to the first word that is none, in the zero style.
fn line_of_play(rest: &[u8], style: SquareStyle) -> String {
    let mut pv = Vec::with_capacity(Thought::MAX_PV);
    for mv in words(rest).map_while(|word| style.read(word)) {
        if pv.len() + 5 > Thought::MAX_PV {
            break;
        }
        if !pv.is_empty() {
            pv.push(b' ');
        }
        SquareStyle::Zero.write(mv, &mut pv);
    }
    // Coordinates are ASCII.
    String::from_utf8(pv).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thought(lines: &[&str], style: SquareStyle) -> Option<Thought> {
        let mut kept = Kept::default();
        for line in lines {
            match line.strip_prefix("info ") {
                Some(rest) => kept.info(rest.as_bytes()),
                None => kept.thinking(line.as_bytes()),
            }
        }
        kept.read(Some(style))
    }

    fn check(lines: &[&str], style: SquareStyle, expected: &str) {
        let shown = thought(lines, style).map(|t| {
            let count = |value: Option<u64>| value.map_or("-".to_owned(), |v| v.to_string());
            format!(
                "{:?} d{} s{} n{} t{} nps{} h{} pv[{}]",
                t.score,
                count(t.depth.map(u64::from)),
                count(t.seldepth.map(u64::from)),
                count(t.nodes),
                count(t.time_ms),
                count(t.nps),
                count(t.hashfull.map(u64::from)),
                t.pv
            )
        });
        assert_eq!(shown.as_deref().unwrap_or("nothing"), expected, "{lines:?}");
    }

    #[test]
    fn the_last_scored_line_counts() {
        let (zero, one) = (SquareStyle::Zero, SquareStyle::One);
        check(&[], zero, "nothing");
        check(&["info string score cp 5", "info currmove h2e2 currmovenumber 1"], zero, "nothing");
        check(
            &[
                "info depth 1 seldepth 2 multipv 1 score cp -16 nodes 42 nps 42000 hashfull 3 tbhits 0 time 1 pv a3a4",
                "info depth 2 multipv 2 score cp -90 nodes 50 pv b0c2",
                "info depth 2 score cp 900 lowerbound nodes 60 pv b0c2",
                "info depth 3 currmove h2e2 currmovenumber 4",
            ],
            zero,
            "Some(Cp(-16)) d1 s2 n42 t1 nps42000 h3 pv[a3a4]",
        );
        check(
            &["info depth 12 score mate -3 time 7 pv h10g8 a1a10 @@"],
            one,
            "Some(Mate(-3)) d12 s- n- t7 nps- h- pv[h9g7 a0a9]",
        );
        check(
            &["info time 139 nodes 255109", "info depth 7 score 5 pv g3g4 i9i8"],
            zero,
            "Some(Cp(5)) d7 s- n255109 t139 nps- h- pv[g3g4 i9i8]",
        );
        check(
            &["info depth 9 score cp 20 upperbound nodes 4"],
            zero,
            "Some(Cp(20)) d9 s- n4 t- nps- h- pv[]",
        );
        check(
            &["info score cp 99999999999999 wdl 1 2 3 depth x nodes -4 pv"],
            zero,
            "Some(Cp(2147483647)) d- s- n- t- nps- h- pv[]",
        );
    }

    #[test]
    fn in_brief_only_score_depth_and_nodes_are_read() {
        let mut kept = Kept::default();
        kept.info(b"depth 4 seldepth 9 score cp 7 nodes 42 nps 9 hashfull 3 time 1 pv a3a4");
        let brief =
            Thought { score: Some(Score::Cp(7)), depth: Some(4), nodes: Some(42), ..Thought::default() };
        assert_eq!(kept.read(None), Some(brief));
    }

    #[test]
    fn one_line_for_those_who_watch() {
        let read = |line: &[u8]| {
            Thought::of_line(line, SquareStyle::Zero).map(|thought| (thought.depth, thought.pv))
        };
        assert_eq!(read(b"info depth 3 score cp 7 pv h2e2 x"), Some((Some(3), "h2e2".to_owned())));
        assert_eq!(read(b"  4    17        7      18089 h0g2"), Some((Some(4), "h0g2".to_owned())));
        for line in [&b"info nodes 5"[..], b"info string score cp 5", b"bestmove h2e2", b"", b"\xff"] {
            assert_eq!(read(line), None, "{line:?}");
        }
    }

    #[test]
    fn thinking_lines() {
        let zero = SquareStyle::Zero;
        check(
            &["  4    17        7      18089 h0g2", "9  r n b a k a b n r", "Iteration aborted after 5/44"],
            zero,
            "Some(Cp(17)) d4 s- n18089 t70 nps- h- pv[h0g2]",
        );
        check(
            &["10 70 73 29525 11 40445 0\t b0c2 h9g7"],
            zero,
            "Some(Cp(70)) d10 s11 n29525 t730 nps40445 h- pv[b0c2 h9g7]",
        );
        check(
            &["  6    13     56     43695  1. Hc2 Pg5 2. Pc4"],
            zero,
            "Some(Cp(13)) d6 s- n43695 t560 nps- h- pv[1. Hc2 Pg5 2. Pc4]",
        );
        check(&["3. -100002 5 7 a0a1"], zero, "Some(Mate(-2)) d3 s- n7 t50 nps- h- pv[a0a1]");
        check(&["-1    440        0          1 h2h9", "1-0 {White mates}"], zero, "nothing");
    }
}
