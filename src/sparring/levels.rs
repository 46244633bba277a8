//! The ten levels of strength and the seeded randomness that weakens play.
//! Never looks at a position. Start at [`Level`].

use super::Settings;

/// What a level may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    /// Deepest iteration.
    pub depth: u32,
    /// Hundredths of the given nodes and time that it uses.
    pub share: u32,
    /// Greatest random addition to the score of a root move.
    pub noise: u16,
}

const fn level(depth: u32, share: u32, noise: u16) -> Level {
    Level { depth, share, noise }
}

const LEVELS: [Level; 10] = [
    level(1, 4, 250),
    level(1, 6, 110),
    level(2, 9, 100),
    level(2, 13, 65),
    level(3, 18, 60),
    level(4, 25, 46),
    level(5, 36, 34),
    level(6, 50, 20),
    level(8, 70, 8),
    level(u32::MAX, 100, 0),
];

impl Level {
    /// The level of some settings, the noise being theirs if that is greater.
    pub fn of(settings: &Settings) -> Level {
        let number = usize::from(settings.level.clamp(1, 10));
        let level = LEVELS[number - 1];
        Level { noise: level.noise.max(settings.noise), ..level }
    }

    /// This level's share of an amount, at least 1 of something.
    pub fn share_of(&self, amount: u64) -> u64 {
        let share = u128::from(amount) * u128::from(self.share) / 100;
        u64::try_from(share).unwrap_or(u64::MAX).max(amount.min(1))
    }
}

/// A small generator of random numbers, the same on every platform (split-mix).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for the same seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// An evenly spread number from `-most` to `most`.
    pub fn noise(&mut self, most: u16) -> i32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let width = 2 * u64::from(most) + 1;
        ((z ^ (z >> 31)) % width) as i32 - i32::from(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_may_use_more_than_the_one_below() {
        for pair in LEVELS.windows(2) {
            assert!(pair[0].share < pair[1].share);
            let deeper = pair[0].depth < pair[1].depth;
            assert!(deeper || pair[0].depth == pair[1].depth && pair[0].noise > pair[1].noise);
        }
        let strongest = Level::of(&Settings::default());
        assert_eq!((strongest.share_of(2000), strongest.noise), (2000, 0));
        let weakest = Level::of(&Settings { level: 1, noise: 300, ..Settings::default() });
        assert_eq!((weakest.share_of(2000), weakest.share_of(3), weakest.noise), (80, 1, 300));
    }

    #[test]
    fn dice_stay_in_range_and_repeat() {
        let mut dice = Dice::new(5);
        let thrown: Vec<i32> = (0..200).map(|_| dice.noise(3)).collect();
        assert!((-3..=3).all(|n| thrown.contains(&n)));
        assert!(thrown.iter().all(|n| n.abs() <= 3));
        let mut again = Dice::new(5);
        assert!(thrown.iter().all(|n| *n == again.noise(3)));
        assert_eq!(again.noise(0), 0);
    }
}
