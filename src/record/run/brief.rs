//! What the summary of a finished game is made of, from the event of its end, and how two folds share it.
//! Start at [`print_of`].

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::{Kept, Run};
use crate::record::GameOver;
use crate::tournament::GameId;
use crate::xiangqi::{BySide, Side};

/// Most characters kept of an engine's last line.
const LAST_LINE_KEPT: usize = 200;

/// The first eight bytes of SHA-256.
pub(super) fn print_of(over: &GameOver) -> u64 {
    let hash = Sha256::new().chain_update(&over.fen).chain_update("\n").chain_update(&over.moves).finalize();
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash[..8]);
    u64::from_le_bytes(bytes)
}

pub(super) fn plies_of(moves: &str) -> u32 {
    u32::try_from(moves.split_ascii_whitespace().count()).unwrap_or(u32::MAX)
}

/// Adds up the times of each side; whoever moves in the start position made the first half-move.
pub(super) fn used_by(over: &GameOver) -> BySide<Duration> {
    let black_first = over.fen.split_ascii_whitespace().nth(1) == Some("b");
    let mut black = black_first ^ (over.opening_plies % 2 == 1);
    let mut used = BySide { red: 0u64, black: 0u64 };
    for time in &over.used_us {
        let side = if black { Side::Black } else { Side::Red };
        used[side] = used[side].saturating_add(*time);
        black = !black;
    }
    used.map(Duration::from_micros)
}

pub(super) fn last_words(lines: &[String]) -> Option<Arc<str>> {
    let line = lines.iter().rev().find(|line| !line.trim().is_empty())?;
    Some(line.chars().take(LAST_LINE_KEPT).collect::<String>().into())
}

impl Run {
    /// What is kept of the attempt that ended last, to be held by another fold of the same events: see
    /// [`Run::share`].
    pub fn shared(&self, id: GameId) -> Kept {
        self.games.kept(id)
    }

    /// Holds what another fold of the same events holds in place of the own copy, where they are the same: a
    /// long test is folded twice, and each game is kept once.
    pub fn share(&mut self, kept: Kept) {
        self.games.share(kept);
    }
}
