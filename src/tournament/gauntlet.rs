//! A gauntlet: the first entrants (the challengers) meet all others, not each other. In a round each
//! challenger meets one opponent. Pure tables. Start at [`round`].

use super::format::{Pairing, numbered};

/// How many games a gauntlet has.
pub fn games(entrants: usize, seeds: usize, games: u32) -> u64 {
    (seeds as u64).saturating_mul(entrants.saturating_sub(seeds) as u64).saturating_mul(games.into())
}

/// Rounds until each challenger has met each opponent once. With more challengers than opponents some
/// challengers are idle in each round.
fn rounds_of_a_cycle(entrants: usize, seeds: usize) -> u32 {
    seeds.max(entrants.saturating_sub(seeds)) as u32
}

/// How many rounds a gauntlet has: the games of two entrants are played two at a time (one opening,
/// colours exchanged), each time in a cycle of its own; an odd last game stands alone.
pub fn rounds(entrants: usize, seeds: usize, games: u32) -> u32 {
    games.div_ceil(2).saturating_mul(rounds_of_a_cycle(entrants, seeds))
}

/// The pairings of a round, from 1. In round r of a cycle challenger i meets opponent i + r, counted
/// round. Challenger and opponent of equal parity: the challenger is Red first. So single games give
/// every challenger and every opponent equally many of both colours, or one more of one.
pub fn round(entrants: usize, seeds: usize, games: u32, round: u32) -> Vec<Pairing> {
    let opponents = entrants.saturating_sub(seeds);
    let length = rounds_of_a_cycle(entrants, seeds).max(1);
    let (cycle, place) = (round.saturating_sub(1) / length, round.saturating_sub(1) % length);
    let meet = |place: u32| {
        (0..seeds).filter_map(move |seed| {
            let opponent = (seed + place as usize) % length as usize;
            (opponent < opponents).then_some((seed, opponent))
        })
    };
    let before: usize = (0..place).map(|earlier| meet(earlier).count()).sum();
    let serial = cycle * (seeds * opponents) as u32 + before as u32;
    let meetings: Vec<_> = meet(place)
        .map(|(seed, opponent)| {
            let (seat, other) = (seed, seeds + opponent);
            if (seed + opponent) % 2 == 0 { (seat, other) } else { (other, seat) }
        })
        .collect();
    let legs = if 2 * (cycle + 1) <= games { 2 } else { 1 };
    numbered(&meetings, legs, serial, serial)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use crate::tournament::Format;
    use crate::tournament::format::tests::{Tally, tally};

    #[test]
    fn one_engine_against_three() {
        let format = Format::Gauntlet { seeds: 1, games: 2 };
        assert_eq!((format.rounds(4), format.games(4)), (Some(3), Some(6)));
        let seats: Vec<_> = (1..=3)
            .flat_map(|round| format.round(1, round, 4, &[]).expect("a round"))
            .map(|pairing| (pairing.serial, pairing.first, pairing.second, pairing.legs))
            .collect();
        assert_eq!(seats, [(0, 0, 1, 2), (1, 2, 0, 2), (2, 0, 3, 2)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn challengers_meet_all_others(seeds in 1usize..8, opponents in 1usize..12, games in 1u32..8) {
            let entrants = seeds + opponents;
            let format = Format::Gauntlet { seeds, games };
            let Tally { met, balance, games: played } = tally(&format, entrants);
            prop_assert_eq!(Some(played), format.games(entrants));
            let expected: HashMap<_, _> = (0..seeds)
                .flat_map(|seed| (seeds..entrants).map(move |other| ((seed, other), games)))
                .collect();
            let found: HashMap<_, _> = met.iter().map(|(two, (count, _))| (*two, *count)).collect();
            prop_assert_eq!(found, expected);
            for (two, (count, difference)) in met {
                prop_assert!(difference.unsigned_abs() == count % 2, "{:?}: {}", two, difference);
            }
            prop_assert!(balance.iter().all(|difference| difference.abs() <= 1), "{:?}", balance);
        }
    }
}
