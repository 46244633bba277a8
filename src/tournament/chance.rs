//! Seeded chance for openings and lots, the same on every platform and for ever: a ChaCha8 stream
//! under a key made of seed and purpose, and our own bounded draws and shuffle, so that no library's
//! change of mind changes a draw. Never asks the system for randomness. Start at [`Chance::new`].

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of draws.
#[derive(Debug, Clone)]
pub struct Chance {
    stream: ChaCha8Rng,
}

impl Chance {
    /// The stream of a seed for one purpose (`openings`, `lots`); different purposes draw independently.
    /// Of the purpose's name the first 24 bytes count.
    pub fn new(seed: u64, purpose: &str) -> Chance {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        for (place, byte) in key[8..].iter_mut().zip(purpose.bytes()) {
            *place = byte;
        }
        Chance { stream: ChaCha8Rng::from_seed(key) }
    }

    /// A number below `bound`, each equally likely; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound == 0 {
            return 0;
        }
        // Draws from the incomplete last stretch of the 32-bit numbers are thrown away; at least half
        // of all draws are kept, so this ends.
        let whole = u32::MAX - u32::MAX % bound;
        loop {
            let draw = self.stream.next_u32();
            if draw < whole {
                return draw % bound;
            }
        }
    }

    /// Puts a list in random order (Fisher-Yates from the end). Of lists longer than 2^32 - 1 only that
    /// many entries from the front are moved.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        let length = u32::try_from(list.len()).unwrap_or(u32::MAX);
        for last in (1..length).rev() {
            let other = self.below(last + 1);
            list.swap(last as usize, other as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draws_of_a_seed_never_change() {
        let mut chance = Chance::new(2006, "lots");
        let draws: Vec<_> = (0..8).map(|_| chance.below(1000)).collect();
        assert_eq!(draws, [896, 683, 418, 482, 549, 312, 878, 7]);
        let mut list: Vec<u32> = (0..10).collect();
        Chance::new(1, "openings").shuffle(&mut list);
        assert_eq!(list, [8, 4, 2, 7, 1, 3, 6, 9, 0, 5]);
    }

    #[test]
    fn purposes_and_seeds_differ_and_bounds_hold() {
        let draw = |seed, purpose| {
            let mut chance = Chance::new(seed, purpose);
            (0..16).map(|_| chance.below(u32::MAX)).collect::<Vec<_>>()
        };
        assert_ne!(draw(1, "lots"), draw(1, "openings"));
        assert_ne!(draw(1, "lots"), draw(2, "lots"));
        let mut chance = Chance::new(3, "bounds");
        assert_eq!((chance.below(0), chance.below(1)), (0, 0));
        let mut counts = [0u32; 6];
        (0..6000).for_each(|_| counts[chance.below(6) as usize] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
