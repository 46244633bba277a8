//! Where games begin: a list of openings and the order in which they are taken, the same for a seed
//! on every platform. Start at [`OpeningBook`].

use super::chance::Chance;
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpeningBook {
    openings: Vec<Opening>,
    order: Vec<u32>,
}

impl OpeningBook {
    /// A book that takes openings as listed or shuffled by `seed`, and begins at place `start` of that
    /// order (from 0, counted round). Runs with the same list, order and seed whose starts lie at least
    /// as far apart as each run has pairings use different openings. Openings beyond 2^32 - 1 are never
    /// reached.
    pub fn new(openings: Vec<Opening>, order: OpeningOrder, seed: u64, start: u64) -> OpeningBook {
        let weights = vec![1; openings.len()];
        OpeningBook::weighted(openings, &weights, order, seed, start)
    }

    /// The same with openings that are taken more or less often: each stands as often in the order as its
    /// weight says, as listed right behind each other. Openings without a weight are left out.
    pub fn weighted(
        openings: Vec<Opening>,
        weights: &[u32],
        order: OpeningOrder,
        seed: u64,
        start: u64,
    ) -> OpeningBook {
        let numbers = (0..u32::MAX).take(openings.len());
        let mut places: Vec<u32> = numbers
            .zip(weights)
            .flat_map(|(number, weight)| std::iter::repeat_n(number, *weight as usize))
            .collect();
        match order {
            OpeningOrder::InOrder => {}
            OpeningOrder::Shuffled => Chance::new(seed, "openings").shuffle(&mut places),
        }
        if !places.is_empty() {
            let start = start % places.len() as u64;
            places.rotate_left(start as usize);
        }
        OpeningBook { openings, order: places }
    }

    /// The opening with this number ([`Pairing::opening_of`](super::Pairing::opening_of); both colours of
    /// a bout get the same one), going round when the list is exhausted; `None` is the usual start position.
    pub fn opening(&self, number: u32) -> Option<&Opening> {
        if self.order.is_empty() {
            return None;
        }
        let place = self.order.get(number as usize % self.order.len())?;
        self.openings.get(*place as usize)
    }

    /// How many openings there are, each counted as often as its weight says; 0 means the usual start
    /// position only.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether every game begins at the usual start position.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// All openings in the order in which they are taken.
    pub fn iter(&self) -> impl Iterator<Item = &Opening> {
        self.order.iter().filter_map(|place| self.openings.get(*place as usize))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn book(length: usize, order: OpeningOrder, seed: u64, start: u64) -> OpeningBook {
        let opening =
            |number: usize| Opening { start: Position::start(), moves: Vec::new(), name: number.to_string() };
        OpeningBook::new((0..length).map(opening).collect(), order, seed, start)
    }

    fn names(book: &OpeningBook) -> Vec<u32> {
        book.iter().map(|opening| opening.name.parse().expect("a number")).collect()
    }

    #[test]
    fn the_order_of_a_seed_never_changes() {
        assert_eq!(names(&book(5, OpeningOrder::InOrder, 7, 0)), [0, 1, 2, 3, 4]);
        assert_eq!(names(&book(5, OpeningOrder::InOrder, 7, 13)), [3, 4, 0, 1, 2]);
        assert_eq!(names(&book(10, OpeningOrder::Shuffled, 1, 0)), [8, 4, 2, 7, 1, 3, 6, 9, 0, 5]);
        assert_eq!(names(&book(10, OpeningOrder::Shuffled, 2, 0)), [8, 4, 2, 1, 9, 0, 7, 6, 3, 5]);
    }

    #[test]
    fn starts_give_disjoint_slices() {
        for order in [OpeningOrder::InOrder, OpeningOrder::Shuffled] {
            let mut seen = HashSet::new();
            for start in (0..100).step_by(25) {
                let book = book(100, order, 42, start);
                seen.extend((0..25).map(|number| book.opening(number).expect("listed").name.clone()));
            }
            assert_eq!(seen.len(), 100);
        }
    }

    #[test]
    fn weights_say_how_often() {
        let opening =
            |name: &str| Opening { start: Position::start(), moves: Vec::new(), name: name.to_owned() };
        let openings = ["0", "1", "2", "3"].map(opening).to_vec();
        let book = |order| OpeningBook::weighted(openings.clone(), &[1, 3, 0], order, 1, 0);
        assert_eq!(names(&book(OpeningOrder::InOrder)), [0, 1, 1, 1]);
        let mut shuffled = names(&book(OpeningOrder::Shuffled));
        shuffled.sort();
        assert_eq!(shuffled, [0, 1, 1, 1]);
    }

    #[test]
    fn a_list_goes_round_and_an_empty_one_is_the_start_position() {
        let three = book(3, OpeningOrder::InOrder, 0, u64::MAX);
        let name = |number| three.opening(number).map(|opening| opening.name.as_str());
        assert_eq!((name(0), name(3), name(u32::MAX)), (Some("0"), Some("0"), Some("0")));
        let empty = book(0, OpeningOrder::Shuffled, 0, 9);
        assert_eq!((empty.len(), empty.is_empty(), empty.opening(0)), (0, true, None));
    }
}
