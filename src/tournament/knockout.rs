//! A knockout: two entrants meet in a bout, the loser is out. The bracket is drawn by seeds (the order of
//! entry): the best two can meet only in the final, and the first seeds have the byes. A level bout is
//! followed by pairs of games up to a limit, each in a round of its own; after that a setting decides. A
//! pure function of results: each question replays the bracket. Start at [`next`].

use std::collections::BTreeMap;

use super::format::{GameResult, Next, numbered};

/// Settings of a knockout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Knockout {
    /// Games of a bout, colours in turn.
    pub games: u8,
    /// Most extra pairs of games after a level bout.
    pub extra: u8,
    /// What happens when those are level too.
    pub level: Level,
}

/// What becomes of a bout that no game decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Level {
    /// It waits for the chief referee; no winner is invented.
    #[default]
    Held,
    /// The higher seed (the earlier entrant) goes on.
    HigherSeed,
}

/// Games of an extra bout.
const EXTRA_GAMES: u8 = 2;

/// The bracket's places from top to bottom as seeds from 0: neighbours meet, 0 and 1 last. The length is
/// the next power of two.
fn bracket(entrants: usize) -> Vec<Option<usize>> {
    let mut seeds = vec![0];
    while seeds.len() < entrants {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|seed| [*seed, last - seed]).collect();
    }
    seeds.into_iter().map(|seed| (seed < entrants).then_some(seed)).collect()
}

/// How far the bracket was played.
struct Replay<'a> {
    knockout: Knockout,
    results: BTreeMap<(u32, u32), Vec<&'a GameResult>>,
    /// The round that is being played, from 1.
    round: u32,
    serial: u32,
    openings: u32,
    survived: Vec<u32>,
}

/// Two that meet in a tier of the bracket, the higher seed first, and what they have so far.
#[derive(Debug, Clone, Copy)]
struct Tie {
    seeds: (usize, usize),
    units: (u32, u32),
}

impl Replay<'_> {
    /// Plays a round of these ties; what is needed if it cannot be passed.
    fn pass(&mut self, ties: &mut [Tie], legs: u8, swap: bool, asked: u32) -> Result<(), Next> {
        let seats: Vec<_> =
            ties.iter().map(|tie| if swap { (tie.seeds.1, tie.seeds.0) } else { tie.seeds }).collect();
        let mut pairings = numbered(&seats, legs, self.serial, 0);
        let openings = u32::from(legs).div_ceil(2);
        for (pairing, place) in pairings.iter_mut().zip(0..) {
            pairing.opening = self.openings + place * openings;
        }
        if self.round == asked {
            return Err(Next::Round(pairings));
        }
        for (tie, pairing) in ties.iter_mut().zip(&pairings) {
            let games = self.results.get(&(self.round, pairing.pair)).map_or(&[][..], Vec::as_slice);
            let score = |one: usize| games.iter().filter_map(|game| game.score_of(one)).sum::<u32>();
            if games.len() != usize::from(legs)
                || games.iter().any(|game| game.score_of(tie.seeds.0).is_none())
            {
                return Err(Next::Waiting);
            }
            tie.units.0 += score(tie.seeds.0);
            tie.units.1 += score(tie.seeds.1);
        }
        self.round += 1;
        self.serial += ties.len() as u32;
        self.openings += ties.len() as u32 * openings;
        Ok(())
    }

    /// Plays a tier: the bouts, then extra bouts of the level ones. Returns the winners in the ties' order.
    fn tier(&mut self, mut ties: Vec<Tie>, asked: u32) -> Result<BTreeMap<usize, usize>, Next> {
        let mut winners = BTreeMap::new();
        for bout in 0..=self.knockout.extra {
            if ties.is_empty() {
                break;
            }
            let legs = if bout == 0 { self.knockout.games } else { EXTRA_GAMES };
            self.pass(&mut ties, legs, bout % 2 == 1, asked)?;
            ties.retain(|tie| {
                let (upper, lower) = tie.units;
                if upper != lower {
                    let winner = if upper > lower { tie.seeds.0 } else { tie.seeds.1 };
                    winners.insert(tie.seeds.0, winner);
                }
                upper == lower
            });
        }
        match self.knockout.level {
            Level::Held if !ties.is_empty() => Err(Next::Held(ties.iter().map(|tie| tie.seeds).collect())),
            Level::Held => Ok(winners),
            Level::HigherSeed => {
                winners.extend(ties.iter().map(|tie| (tie.seeds.0, tie.seeds.0)));
                Ok(winners)
            }
        }
    }

    fn play(&mut self, entrants: usize, asked: u32) -> Next {
        let mut places = bracket(entrants);
        while places.len() > 1 {
            let meet = |two: &[Option<usize>]| match two {
                &[Some(a), Some(b)] => Some(Tie { seeds: (a.min(b), a.max(b)), units: (0, 0) }),
                _ => None,
            };
            let ties = places.chunks(2).filter_map(meet).collect();
            let winners = match self.tier(ties, asked) {
                Ok(winners) => winners,
                Err(next) => return next,
            };
            places = places
                .chunks(2)
                .map(|two| match meet(two) {
                    Some(tie) => winners.get(&tie.seeds.0).copied(),
                    None => two.iter().flatten().next().copied(),
                })
                .collect();
            for survivor in places.iter().flatten() {
                self.survived[*survivor] += 1;
            }
        }
        Next::Over
    }
}

fn replay(knockout: Knockout, entrants: usize, results: &[GameResult]) -> Replay<'_> {
    let mut games: BTreeMap<(u32, u32), Vec<&GameResult>> = BTreeMap::new();
    for result in results {
        games.entry((result.id.round, result.id.pair)).or_default().push(result);
    }
    Replay { knockout, results: games, round: 1, serial: 0, openings: 0, survived: vec![0; entrants] }
}

/// The round, or what it waits for. `results` are those of the stage that count.
pub fn next(knockout: Knockout, entrants: usize, round: u32, results: &[GameResult]) -> Next {
    replay(knockout, entrants, results).play(entrants, round)
}

/// For each entrant how many tiers of the bracket it survived (byes count), so far.
pub fn survived(knockout: Knockout, entrants: usize, results: &[GameResult]) -> Vec<u32> {
    let mut replay = replay(knockout, entrants, results);
    let _ = replay.play(entrants, u32::MAX);
    replay.survived
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Outcome;
    use crate::tournament::{Chance, Format, GameId, Pairing, Scoresheet, TieBreak};

    fn knockout(games: u8, extra: u8, level: Level) -> Format {
        Format::Knockout(Knockout { games, extra, level })
    }

    fn seats(next: &Next) -> Vec<(usize, usize)> {
        match next {
            Next::Round(pairings) => pairings.iter().map(|pairing| (pairing.first, pairing.second)).collect(),
            Next::Waiting | Next::Held(_) | Next::Over => panic!("{next:?}"),
        }
    }

    fn play(round: u32, pairing: &Pairing, outcome: impl Fn(usize, usize) -> Outcome) -> Vec<GameResult> {
        (1..=pairing.legs)
            .map(|leg| {
                let (red, black) = pairing.seats(leg);
                let id = GameId { stage: 1, round, pair: pairing.pair, leg, attempt: 1 };
                GameResult { id, red, black, outcome: outcome(red, black) }
            })
            .collect()
    }

    fn higher_seed(red: usize, black: usize) -> Outcome {
        if red < black { Outcome::RedWins } else { Outcome::BlackWins }
    }

    #[test]
    fn the_bracket_keeps_the_best_apart_and_gives_them_byes() {
        let seeds = |entrants| {
            bracket(entrants).into_iter().map(|seed| seed.map_or(0, |s| s + 1)).collect::<Vec<_>>()
        };
        assert_eq!(seeds(8), [1, 8, 4, 5, 2, 7, 3, 6]);
        assert_eq!(seeds(6), [1, 0, 4, 5, 2, 0, 3, 6]);
        let format = knockout(2, 3, Level::Held);
        let mut results = Vec::new();
        for (round, expected) in [(1, vec![(3, 4), (2, 5)]), (2, vec![(0, 3), (1, 2)]), (3, vec![(0, 1)])] {
            let next = format.next(1, round, 6, &results);
            assert_eq!(seats(&next), expected);
            assert_eq!(format.next(1, round + 1, 6, &results), Next::Waiting);
            let pairings = format.round(1, round, 6, &results).expect("a round");
            results.extend(pairings.iter().flat_map(|pairing| play(round, pairing, higher_seed)));
        }
        assert_eq!((format.next(1, 4, 6, &results), format.round(1, 4, 6, &results)), (Next::Over, None));
        assert_eq!(format.survived(6, &results), [3, 2, 1, 1, 0, 0]);
        let survived = format.survived(6, &results);
        let sheet = Scoresheet { survived: &survived, ..Scoresheet::new(6, &results) };
        assert_eq!(sheet.standings(&TieBreak::none()).order()[..3], [0, 1, 2]);
    }

    #[test]
    fn level_bouts_play_on_until_the_limit() {
        let draw = |_, _| Outcome::Draw;
        for (level, end) in
            [(Level::Held, Next::Held(vec![(1, 2)])), (Level::HigherSeed, Next::Round(vec![]))]
        {
            let format = knockout(2, 2, level);
            let mut results = Vec::new();
            for round in 1..=3u32 {
                let pairings = format.round(1, round, 4, &results).expect("a round");
                let first = if round == 2 { (2, 1) } else { (1, 2) };
                let level_one = pairings.last().expect("a pairing");
                assert_eq!((level_one.first, level_one.second), first, "colours change from bout to bout");
                assert_eq!(pairings.len(), if round == 1 { 2 } else { 1 });
                results.extend(play(round, level_one, draw));
                if round == 1 {
                    results.extend(play(round, &pairings[0], higher_seed));
                }
            }
            let next = format.next(1, 4, 4, &results);
            match end {
                Next::Round(_) => assert_eq!(seats(&next), [(0, 1)]),
                Next::Held(_) | Next::Waiting | Next::Over => assert_eq!(next, end),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn one_is_left(entrants in 2usize..40, seed: u64, games in 1u8..4, extra in 0u8..3) {
            let format = knockout(games, extra, Level::HigherSeed);
            let mut chance = Chance::new(seed, "knockout");
            let mut results: Vec<GameResult> = Vec::new();
            let (mut serial, mut round) = (0, 1);
            while let Some(pairings) = format.round(1, round, entrants, &results) {
                prop_assert!(!pairings.is_empty());
                for pairing in &pairings {
                    prop_assert_eq!(pairing.serial, serial);
                    serial += 1;
                    let draws = chance.below(3);
                    let outcome = |red, black| if draws == 0 { higher_seed(black, red) } else { Outcome::Draw };
                    results.extend(play(round, pairing, outcome));
                }
                prop_assert_eq!(Some(pairings), format.round(1, round, entrants, &results), "the same later");
                round += 1;
            }
            prop_assert_eq!(format.next(1, round, entrants, &results), Next::Over);
            let mut survived = format.survived(entrants, &results);
            survived.sort_unstable();
            let tiers = entrants.next_power_of_two().trailing_zeros();
            prop_assert_eq!(survived[entrants - 1], tiers);
            prop_assert!(survived[entrants - 2] < tiers);
        }
    }
}
