//! Playing a loop again and again until it is a repetition: how a case or a worked example becomes a
//! game. Never judges. Start at [`play_loop`].

use std::fmt;

use super::trail::Trail;
use crate::xiangqi::{Move, Position};

/// Why moves make no repetition. Plies count from 0 over prefix and loop together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopError {
    /// A move is not legal.
    Illegal {
        /// Half-moves played before it.
        ply: usize,
        /// The move.
        mv: Move,
    },
    /// There are no moves to repeat.
    Empty,
    /// After the loop the position is not the one before it (or a capture cut the history).
    Open {
        /// Half-moves of prefix and loop together.
        plies: usize,
    },
}

impl fmt::Display for LoopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoopError::Illegal { ply, mv } => write!(f, "half-move {} ({mv}) is not legal", ply + 1),
            LoopError::Empty => f.write_str("there are no moves to repeat"),
            LoopError::Open { plies } => {
                write!(f, "after half-move {plies} the position before the loop has not come back")
            }
        }
    }
}

impl std::error::Error for LoopError {}

/// Plays `prefix`, then `round` again and again until a position has stood `occurrences` times (at least 2).
///
/// # Errors
/// The first illegal move, or that the round does not come back to where it began.
pub fn play_loop(
    start: Position,
    prefix: &[Move],
    round: &[Move],
    occurrences: u32,
) -> Result<Trail, LoopError> {
    if round.is_empty() {
        return Err(LoopError::Empty);
    }
    let mut trail = Trail::new(start);
    for mv in prefix {
        step(&mut trail, *mv)?;
    }
    let key = trail.position().key();
    let cut = trail.cut();
    let plies = prefix.len() + round.len();
    loop {
        for mv in round {
            step(&mut trail, *mv)?;
            if trail.occurrences() >= occurrences.max(2) {
                return Ok(trail);
            }
        }
        if trail.position().key() != key || trail.cut() != cut {
            return Err(LoopError::Open { plies });
        }
    }
}

fn step(trail: &mut Trail, mv: Move) -> Result<(), LoopError> {
    if !trail.position().is_legal(mv) {
        return Err(LoopError::Illegal { ply: trail.plies(), mv });
    }
    trail.play(mv);
    Ok(())
}
