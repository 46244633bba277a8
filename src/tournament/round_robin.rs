//! Round robins by Berger's tables: everybody meets everybody, in bouts or in cycles. Pure tables.
//! Start at [`round`].

use super::format::{CycleOrder, Pairing, numbered};

/// How many games a round robin has.
pub fn games(entrants: usize, cycles: u32) -> u64 {
    let entrants = entrants as u64;
    entrants.saturating_mul(entrants.saturating_sub(1)).saturating_mul(cycles.into()) / 2
}

/// Rounds of one cycle: an odd field needs one more for the byes.
fn rounds_of_a_cycle(entrants: usize) -> u32 {
    (entrants + entrants % 2).saturating_sub(1) as u32
}

/// How many rounds a round robin has.
pub fn rounds(entrants: usize, cycles: u32, order: CycleOrder) -> u32 {
    match order {
        CycleOrder::Bouts => rounds_of_a_cycle(entrants),
        CycleOrder::Cycles => rounds_of_a_cycle(entrants).saturating_mul(cycles),
    }
}

/// A round of Berger's table, both counted from 0, first-named Red. The first round sets ends against
/// ends; each next one adds half the field to every number but the highest, modulo all but the highest,
/// and lets the highest change sides. In an odd field whoever would meet the highest number is idle.
fn berger(entrants: usize, round: u32) -> Vec<(usize, usize)> {
    let field = entrants + entrants % 2;
    let (highest, around) = (field - 1, field - 1);
    let shift = round as usize * (field / 2);
    let place = |number: usize| (number + shift) % around;
    let top = if round.is_multiple_of(2) { (place(0), highest) } else { (highest, place(0)) };
    let others = (1..field / 2).map(|number| (place(number), place(highest - number)));
    std::iter::once(top).filter(|_| field == entrants).chain(others).collect()
}

/// The round of the table that is played in a place of a cycle, both from 0. Between two cycles two
/// entrants of an even field would have one colour three times running; exchanging the last two rounds
/// of the earlier cycle cures it (FIDE's cure for double round robins). In a field of four the exchanged
/// rounds of two neighbouring cycles touch, so there only every second cycle is changed.
fn table_round(entrants: usize, place: u32, cycle: u32, cycles: u32) -> u32 {
    let length = rounds_of_a_cycle(entrants);
    let cured = entrants.is_multiple_of(2)
        && entrants >= 4
        && cycle + 1 < cycles
        && (entrants > 4 || cycle.is_multiple_of(2));
    if cured && place + 2 >= length { 2 * length - 3 - place } else { place }
}

/// The pairings of a round, from 1. Bouts: all games of two entrants in the round of the table, the
/// first with the table's colours. Cycles: one game in a round, every second cycle with colours
/// reversed; a cycle and its reversal share their openings.
pub fn round(entrants: usize, cycles: u32, order: CycleOrder, round: u32) -> Vec<Pairing> {
    if entrants < 2 {
        return Vec::new();
    }
    let (length, boards) = (rounds_of_a_cycle(entrants), (entrants / 2) as u32);
    let index = round.saturating_sub(1);
    match order {
        CycleOrder::Bouts => {
            let openings_of_a_bout = cycles.div_ceil(2);
            let mut pairings = numbered(&berger(entrants, index % length), cycles as u8, index * boards, 0);
            for pairing in &mut pairings {
                pairing.opening = pairing.serial * openings_of_a_bout;
            }
            pairings
        }
        CycleOrder::Cycles => {
            let (cycle, place) = (index / length, index % length);
            let row = table_round(entrants, place, cycle, cycles);
            let mut meetings = berger(entrants, row);
            if !cycle.is_multiple_of(2) {
                meetings.iter_mut().for_each(|two| *two = (two.1, two.0));
            }
            numbered(&meetings, 1, index * boards, (cycle / 2 * length + row) * boards)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::tournament::Format;
    use crate::tournament::format::tests::{Tally, tally};

    /// The tables as they are printed, first-named Red, numbers from 1.
    const PRINTED: [(usize, &str); 3] = [
        (4, "1-4 2-3 | 4-3 1-2 | 2-4 3-1"),
        (6, "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1"),
        (
            8,
            "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3 | 3-8 4-2 5-1 6-7 | \
             8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1",
        ),
    ];

    fn written(format: &Format, entrants: usize) -> String {
        let rounds = format.rounds(entrants).expect("known");
        let round = |round| {
            let pairings = format.round(1, round, entrants, &[]).expect("a round");
            let two: Vec<_> = pairings.iter().map(|p| format!("{}-{}", p.first + 1, p.second + 1)).collect();
            two.join(" ")
        };
        (1..=rounds).map(round).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn printed_tables() {
        for (entrants, table) in PRINTED {
            for cycles in [1, 2, 4] {
                let format = Format::RoundRobin { cycles, order: CycleOrder::Bouts };
                assert_eq!(written(&format, entrants), table, "{entrants} entrants, {cycles} legs");
            }
            let without = |text: &str| {
                let highest = entrants.to_string();
                let round = |round: &str| {
                    let kept: Vec<_> =
                        round.split_whitespace().filter(|two| two.split('-').all(|n| n != highest)).collect();
                    kept.join(" ")
                };
                text.split(" | ").map(round).collect::<Vec<_>>().join(" | ")
            };
            let format = Format::RoundRobin { cycles: 2, order: CycleOrder::Bouts };
            assert_eq!(written(&format, entrants - 1), without(table), "{} entrants", entrants - 1);
        }
    }

    #[test]
    fn cycles_reverse_and_the_end_of_the_first_is_exchanged() {
        let format = Format::RoundRobin { cycles: 2, order: CycleOrder::Cycles };
        assert_eq!(written(&format, 4), "1-4 2-3 | 2-4 3-1 | 4-3 1-2 | 4-1 3-2 | 3-4 2-1 | 4-2 1-3");
        assert_eq!(written(&format, 2), "1-2 | 2-1");
        assert_eq!(written(&format, 3), "2-3 | 1-2 | 3-1 | 3-2 | 2-1 | 1-3");
    }

    #[test]
    fn no_colour_three_times_running() {
        for entrants in 2..=16 {
            for cycles in [1, 2, 4] {
                let format = Format::RoundRobin { cycles, order: CycleOrder::Cycles };
                let mut runs = vec![(true, 0); entrants];
                for round in 1..=format.rounds(entrants).expect("known") {
                    for pairing in format.round(1, round, entrants, &[]).expect("a round") {
                        for (entrant, red) in [(pairing.first, true), (pairing.second, false)] {
                            let (last, length) = runs[entrant];
                            runs[entrant] = (red, if last == red { length + 1 } else { 1 });
                            assert!(runs[entrant].1 < 3, "{entrant} of {entrants}, {cycles} cycles");
                        }
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn everybody_meets_everybody(entrants in 2usize..20, cycles in 1u32..6, bouts: bool) {
            let order = if bouts { CycleOrder::Bouts } else { CycleOrder::Cycles };
            let format = Format::RoundRobin { cycles, order };
            let Tally { met, balance, games } = tally(&format, entrants);
            prop_assert_eq!(Some(games), format.games(entrants));
            prop_assert_eq!(met.len(), entrants * (entrants - 1) / 2);
            for (two, (count, difference)) in met {
                prop_assert_eq!(count, cycles, "{:?}", two);
                prop_assert_eq!(difference.unsigned_abs(), cycles % 2, "{:?}", two);
            }
            let uneven = cycles * (entrants as u32 - 1) % 2;
            prop_assert!(balance.iter().all(|difference| difference.unsigned_abs() == uneven), "{:?}", balance);
        }

        #[test]
        fn both_colours_share_an_opening(entrants in 2usize..12, pairs in 1u32..4, bouts: bool) {
            let order = if bouts { CycleOrder::Bouts } else { CycleOrder::Cycles };
            let format = Format::RoundRobin { cycles: 2 * pairs, order };
            let mut uses: HashMap<u32, Vec<(usize, usize)>> = HashMap::new();
            for round in 1..=format.rounds(entrants).expect("known") {
                for pairing in format.round(1, round, entrants, &[]).expect("a round") {
                    for leg in 1..=pairing.legs {
                        uses.entry(pairing.opening_of(leg)).or_default().push(pairing.seats(leg));
                    }
                }
            }
            prop_assert_eq!(uses.len() as u32, pairs * (entrants * (entrants - 1) / 2) as u32);
            for (opening, seats) in uses {
                prop_assert!((opening as usize) < entrants * (entrants - 1) / 2 * pairs as usize);
                prop_assert!(seats.len() == 2 && seats[0] == (seats[1].1, seats[1].0), "{:?}", seats);
            }
        }
    }
}
