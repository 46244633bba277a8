//! The transposition table: what was found out about positions already searched.
//! Takes no memory before its first use and gives it back when cleared. Start at [`Table`].

use super::{DECIDED, MATE_RANGE};
use crate::xiangqi::{Move, Square};

/// What a stored score says about the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true score is at most this.
    AtMost,
    /// The true score is at least this.
    AtLeast,
    /// The true score.
    Exact,
}

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub mv: Option<Move>,
    pub score: i32,
    pub depth: i32,
    pub bound: Bound,
}

impl Entry {
    /// Whether the score settles a search with this window.
    pub fn settles(&self, alpha: i32, beta: i32) -> bool {
        match self.bound {
            Bound::AtMost => self.score <= alpha,
            Bound::AtLeast => self.score >= beta,
            Bound::Exact => true,
        }
    }
}

/// A key and a packed [`Entry`]: move 16 bits, score 16, depth 8, bound 2, generation 6. Plain
/// numbers, so that a fresh table is zeroed memory the system hands out page by page.
type Slot = [u64; 2];

/// Pairs of slots for each remainder of the key.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    pairs: usize,
    generation: u64,
}

impl Table {
    /// An empty table of a size in megabytes.
    pub fn new(megabytes: u16) -> Table {
        let pairs = (usize::from(megabytes.max(1)) << 20) / (2 * size_of::<Slot>());
        Table { slots: Vec::new(), pairs, generation: 0 }
    }

    /// A new search begins: what older ones left gives way first.
    pub fn next_search(&mut self) {
        if self.slots.is_empty() {
            self.slots = vec![[0; 2]; self.pairs * 2];
        }
        self.generation = (self.generation + 1) % 64;
    }

    fn pair(&self, key: u64) -> usize {
        ((u128::from(key) * self.pairs as u128) >> 64) as usize * 2
    }

    /// Looks a position up; mates are counted from `ply`.
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        let pair = self.pair(key);
        let slot = self.slots.get(pair..pair + 2)?.iter().find(|slot| slot[0] == key && slot[1] != 0)?;
        let mut entry = unpack(slot[1])?;
        entry.score -= mate_sign(entry.score) * ply as i32;
        Some(entry)
    }

    /// Stores what was found. Scores that rest on a perpetual check depend on how the position came
    /// about and are not kept.
    pub fn store(&mut self, key: u64, ply: usize, mut entry: Entry) {
        if entry.score.abs() > DECIDED && mate_sign(entry.score) == 0 {
            return;
        }
        entry.score += mate_sign(entry.score) * ply as i32;
        let pair = self.pair(key);
        let generation = self.generation;
        let Some(slots) = self.slots.get_mut(pair..pair + 2) else { return };
        let value = |slot: &Slot| {
            let depth = (slot[1] >> 32 & 0xff) as i32;
            let current = slot[1] >> 42 & 63 == generation;
            if slot[0] == key {
                -2
            } else if slot[1] == 0 {
                -1
            } else {
                depth + if current { 256 } else { 0 }
            }
        };
        let weaker = usize::from(value(&slots[1]) < value(&slots[0]));
        let slot = &mut slots[weaker];
        if entry.mv.is_none() && slot[0] == key {
            entry.mv = unpack(slot[1]).and_then(|old| old.mv);
        }
        *slot = [key, pack(entry) | generation << 42];
    }
}

/// 1 or -1 for a mate of either side, else 0.
fn mate_sign(score: i32) -> i32 {
    if score.abs() > MATE_RANGE { score.signum() } else { 0 }
}

fn pack(entry: Entry) -> u64 {
    let mv = entry.mv.map_or(0, |mv| mv.from.index() * 90 + mv.to.index()) as u64;
    let score = u64::from(entry.score as i16 as u16);
    let depth = entry.depth.clamp(0, 255) as u64;
    let bound = match entry.bound {
        Bound::AtMost => 1,
        Bound::AtLeast => 2,
        Bound::Exact => 3,
    };
    mv | score << 16 | depth << 32 | bound << 40
}

fn unpack(packed: u64) -> Option<Entry> {
    let mv = (packed & 0xffff) as usize;
    let mv = Move::new(Square::from_index(mv / 90)?, Square::from_index(mv % 90)?);
    let bound = match packed >> 40 & 3 {
        1 => Bound::AtMost,
        2 => Bound::AtLeast,
        3 => Bound::Exact,
        _ => return None,
    };
    Some(Entry {
        mv: (mv.from != mv.to).then_some(mv),
        score: i32::from((packed >> 16) as u16 as i16),
        depth: (packed >> 32 & 0xff) as i32,
        bound,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{MATE, PERPETUAL};
    use super::*;

    fn entry(score: i32) -> Entry {
        let mv = Move::new(Square::from_index(89).unwrap(), Square::from_index(7).unwrap());
        Entry { mv: Some(mv), score, depth: 12, bound: Bound::AtLeast }
    }

    #[test]
    fn stored_is_found_again() {
        let mut table = Table::new(1);
        assert_eq!(table.probe(7, 0), None, "nothing before the first search");
        table.next_search();
        for (key, score) in [(u64::MAX, 15), (1, -23), (1 << 63, MATE - 9), (5 << 40, 9 - MATE)] {
            table.store(key, 4, entry(score));
            assert_eq!(table.probe(key, 4), Some(entry(score)));
        }
        assert_eq!(table.probe(1 << 63, 6).unwrap().score, MATE - 11, "two plies further down");
        table.store(99, 0, entry(PERPETUAL - 3));
        assert_eq!(table.probe(99, 0), None);
    }
}
