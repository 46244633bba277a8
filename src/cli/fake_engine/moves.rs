//! Where the test engine's moves come from. Never searches. Start at [`Moves::choose`].

use std::time::Duration;

use crate::xiangqi::{Position, SquareStyle};

/// A legal game from the usual start that ends in mate, played by the built-in engine.
pub const SCRIPT: &str = include_str!("script.txt");

/// Plies of [`SCRIPT`].
pub const SCRIPT_PLIES: u32 = 161;

/// What is said where there is no move.
const NONE: &str = "(none)";

/// A chariot of each side to and fro, from the usual start.
const SHUFFLE: [&str; 4] = ["a0a1", "a9a8", "a1a0", "a8a9"];

/// A source of moves.
#[derive(Debug, Default)]
pub enum Moves {
    /// The next move of [`SCRIPT`], by the number of plies.
    #[default]
    Script,
    /// Random legal moves from a seed.
    Random(u64),
    /// A chariot to and fro, with either side.
    Shuffle,
    /// Its own moves in turn.
    List {
        /// The moves.
        moves: Vec<String>,
        /// Where they begin again.
        again: usize,
    },
}

impl Moves {
    /// Reads a list: `a0a1 | a1a0 a0a1` plays the first once and the others for ever.
    pub fn list(text: &str) -> Moves {
        let again = text.split_once('|').map_or(0, |(first, _)| first.split_whitespace().count());
        let moves = text.split([' ', '|']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Moves::List { moves, again }
    }

    /// The move for a `position` line with `ply` plies since the usual start.
    pub fn choose(&self, ply: u32, position: &[u8]) -> String {
        let turn = ply as usize / 2;
        match self {
            Moves::Script => SCRIPT.split_ascii_whitespace().nth(ply as usize).unwrap_or(NONE).to_owned(),
            Moves::Shuffle => SHUFFLE[ply as usize % SHUFFLE.len()].to_owned(),
            Moves::Random(seed) => random(*seed, position).unwrap_or_else(|| NONE.to_owned()),
            Moves::List { moves, again } => {
                let number = match moves.len() - again {
                    cycle if turn >= moves.len() && cycle > 0 => again + (turn - again) % cycle,
                    _ => turn,
                };
                moves.get(number).cloned().unwrap_or_else(|| NONE.to_owned())
            }
        }
    }
}

fn parts(position: &[u8]) -> (&[u8], &[u8]) {
    let position = position.trim_ascii();
    match memchr::memmem::find(position, b" moves ") {
        Some(at) => (&position[..at], &position[at + 7..]),
        None => (position, &[]),
    }
}

/// Plies since the usual start, by the FEN's move number and side and the moves after it.
pub fn ply_of(position: &[u8]) -> u32 {
    let (start, moves) = parts(position);
    let mut plies = moves.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count() as u32;
    let fields: Vec<&[u8]> = start.split(|byte| *byte == b' ').skip(2).collect();
    if let (Some(side), Some(number)) = (fields.get(1), fields.last()) {
        let number = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok()).unwrap_or(1u32);
        plies += number.saturating_sub(1) * 2 + u32::from(*side == b"b");
    }
    plies
}

fn random(seed: u64, position: &[u8]) -> Option<String> {
    let (start, moves) = parts(position);
    let mut reached = match start.strip_prefix(b"position fen ") {
        Some(fen) => Position::from_fen(std::str::from_utf8(fen).ok()?).ok()?,
        None => Position::start(),
    };
    for word in moves.split(|byte| *byte == b' ') {
        if let Some(mv) = SquareStyle::Zero.read(word) {
            reached.make(mv);
        }
    }
    let legal = reached.legal_moves();
    // Splitmix: the same on every platform, different at every position.
    let mut mixed = seed ^ reached.key() ^ u64::from(reached.number()).rotate_left(32);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^= mixed >> 31;
    let number = usize::try_from(mixed % (legal.len() as u64).max(1)).ok()?;
    legal.get(number).map(ToString::to_string)
}

/// The time that a `go` line gives for the move: the mover's clock or the fixed time.
pub fn told_time(go: &[u8], ply: u32) -> Duration {
    let own: &[u8] = if ply.is_multiple_of(2) { b"wtime" } else { b"btime" };
    let mut words = go.split(|byte| *byte == b' ');
    while let Some(word) = words.next() {
        if word == own || word == b"movetime" || word == b"time" {
            let number = words.next().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
            return Duration::from_millis(number.unwrap_or(0));
        }
    }
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::START_FEN;

    #[test]
    fn the_script_is_a_legal_game_that_ends_in_mate() {
        let mut position = Position::start();
        for (ply, word) in SCRIPT.split_ascii_whitespace().enumerate() {
            let mv = SquareStyle::Zero.read(word.as_bytes()).unwrap();
            assert!(position.is_legal(mv), "{ply}: {word}");
            position.make(mv);
        }
        assert_eq!(SCRIPT.split_ascii_whitespace().count(), SCRIPT_PLIES as usize);
        assert!(!position.has_legal_move() && position.in_check(position.side()));
    }

    #[test]
    fn plies_are_counted_from_the_usual_start() {
        for (text, plies) in [
            ("position startpos", 0),
            ("position startpos moves h2e2 h9g7", 2),
            (&format!("position fen {START_FEN}"), 0),
            ("position fen 4k4/9/9/9/9/9/9/9/9/4K4 b - - 3 20 moves e9d9 e0e1\r\n", 41),
        ] {
            assert_eq!(ply_of(text.as_bytes()), plies, "{text}");
        }
    }

    #[test]
    fn lists_begin_again_at_the_bar() {
        let list = Moves::list("a0a1 | b0b1 c0c1");
        let played: Vec<String> = (0..6).map(|turn| list.choose(turn * 2 + 1, b"")).collect();
        assert_eq!(played, ["a0a1", "b0b1", "c0c1", "b0b1", "c0c1", "b0b1"]);
        assert_eq!(Moves::list("a0a1 |").choose(2, b""), NONE);
    }

    #[test]
    fn random_moves_are_legal_and_the_same_every_time() {
        let mut position = Position::start();
        let mut line = b"position startpos moves".to_vec();
        for _ in 0..60 {
            let text = random(7, &line).unwrap();
            assert_eq!(random(7, &line).as_ref(), Some(&text));
            let mv = SquareStyle::Zero.read(text.as_bytes()).unwrap();
            assert!(position.is_legal(mv), "{text}");
            position.make(mv);
            line.push(b' ');
            line.extend_from_slice(text.as_bytes());
        }
    }

    #[test]
    fn the_time_of_a_move() {
        assert_eq!(told_time(b"go wtime 100 btime 200", 1).as_millis(), 200);
        assert_eq!(told_time(b"go time 300 increment 0", 1).as_millis(), 300);
        assert_eq!(told_time(b"go movetime 40", 0).as_millis(), 40);
    }
}
