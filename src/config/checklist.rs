//! Looks an opening list over before anybody plays from it: lines that are no openings, positions that
//! come twice or mirrored, positions that are lost. Searches with the built-in engine by nodes, so that
//! the same list gives the same findings. Start at [`check`].

use std::collections::HashMap;
use std::time::Duration;

use crate::formats::{detect, read};
use crate::sparring::{Engine, Job, Limits, Line, Moment, Progress, Settings, Watch};
use crate::xiangqi::{Notation, Position};

/// By what positions are called lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Most that one side may be ahead, in hundredths of a soldier.
    pub score: u32,
    /// Positions searched for each opening.
    pub nodes: u64,
}

/// What is wrong with a line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Number of the line, from 1.
    pub line: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is no opening.
    #[error("no opening: {0}")]
    Illegal(String),
    /// Its position stands in an earlier line.
    #[error("the position of line {0} again")]
    Twice(u64),
    /// Its position is the mirror image of an earlier one.
    #[error("the mirror image of line {0}")]
    Mirrored(u64),
    /// One side is too far ahead.
    #[error("the side to move is {0:+} hundredths of a soldier ahead")]
    Lost(i32),
}

/// Searches limited by nodes need no clock.
struct Timeless;

impl Watch for Timeless {
    fn moment(&mut self) -> Moment {
        Moment { elapsed: Duration::ZERO, charged: None, stop: false }
    }

    fn finished(&mut self, _: &Progress<'_>) {}
}

/// How much of a text is looked at to find its format.
const HEAD: usize = 1 << 16;

/// How many openings a list holds, and what is wrong with it; `name` is that of its file. Of each game so
/// many half-moves are taken, all if there is no limit.
pub fn check(
    bytes: &[u8],
    name: Option<&str>,
    notation: Option<Notation>,
    plies: Option<usize>,
    limit: Limit,
) -> (usize, Vec<Finding>) {
    let kind = detect(&bytes[..bytes.len().min(HEAD)], name);
    let mut engine = Engine::default();
    let mut seen: HashMap<String, (u64, bool)> = HashMap::new();
    let (mut count, mut findings) = (0, Vec::new());
    for game in read(bytes, kind, notation) {
        let record = match game {
            Ok(record) => record,
            Err(error) => {
                let why = format!("'{}': {}", error.token, error.reason);
                findings.push(Finding { line: error.line, fault: Fault::Illegal(why) });
                continue;
            }
        };
        count += 1;
        let line = record.origin.line;
        let mut position = record.start.clone();
        record.line().take(plies.unwrap_or(usize::MAX)).for_each(|mv| {
            position.make(mv);
        });
        let (plain, mirrored) = keys(&position);
        match seen.get(&plain) {
            Some((first, false)) => findings.push(Finding { line, fault: Fault::Twice(*first) }),
            Some((first, true)) => findings.push(Finding { line, fault: Fault::Mirrored(*first) }),
            None => {
                seen.insert(mirrored, (line, true));
                seen.insert(plain, (line, false));
            }
        }
        let score = score(&mut engine, position, limit.nodes);
        if score.unsigned_abs() > limit.score {
            findings.push(Finding { line, fault: Fault::Lost(score) });
        }
    }
    (count, findings)
}

/// Board and side to move, as they are and with left and right exchanged.
fn keys(position: &Position) -> (String, String) {
    let fen = position.fen();
    let mut words = fen.split(' ');
    let (board, side) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    (format!("{board} {side}"), format!("{} {side}", ranks.join("/")))
}

fn score(engine: &mut Engine, position: Position, nodes: u64) -> i32 {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let settings = Settings::default();
    let job =
        Job { line: Line::new(position), only: None, banned: Vec::new(), limits, settings, fresh: true };
    engine.think(&job, &mut Timeless).score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_found_at_its_line() {
        let list = "# a list\n\
                    h2e2 h9g7 ; one\n\
                    b2e2 b9c7 ; its mirror image\n\
                    h2e2 h9g7\n\
                    h2e3\n\
                    \n\
                    4k4/9/9/9/9/9/9/9/4A4/R3K4 w\n\
                    h2e2 b9c7 ; another one";
        let (count, findings) =
            check(list.as_bytes(), Some("a.txt"), None, None, Limit { score: 200, nodes: 300 });
        let lines: Vec<(u64, &str)> = findings
            .iter()
            .map(|finding| {
                let kind = match finding.fault {
                    Fault::Illegal(_) => "illegal",
                    Fault::Twice(2) => "twice",
                    Fault::Mirrored(2) => "mirrored",
                    Fault::Twice(_) | Fault::Mirrored(_) => "elsewhere",
                    Fault::Lost(_) => "lost",
                };
                (finding.line, kind)
            })
            .collect();
        assert_eq!((count, lines), (5, vec![(3, "mirrored"), (4, "twice"), (5, "illegal"), (7, "lost")]));
    }
}
