//! When a match ends before its last game: an SPRT that is decided. Counts only the unbroken run of
//! finished pairs from the first in schedule order, so that short games do not come first and the
//! verdict is the same whatever is played at once. Pure. Start at [`SprtTrial`].

use std::collections::BTreeMap;

use super::counts::Pentanomial;
use super::format::{GameResult, counted};
use super::sprt::{Sprt, SprtState};

/// A decided test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// H0 or H1.
    pub state: SprtState,
    /// The log likelihood ratio that decided it.
    pub llr: f64,
    /// The pairs that decided it, from the first on.
    pub counts: Pentanomial,
}

/// The pairs of a match ([`Format::Pairs`](super::Format::Pairs)) as they come in, from the view of
/// entrant 0. Holds the pairs that are not yet their turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairCount {
    counts: Pentanomial,
    waiting: BTreeMap<u32, [Option<u32>; 2]>,
}

impl PairCount {
    /// The pairs counted so far: from the first without a gap.
    pub const fn counts(&self) -> Pentanomial {
        self.counts
    }

    /// Takes in a game, in any order; `each` sees the counts after every pair whose turn has come. Games that belong to no pair, and games again of counted pairs, change nothing.
    fn add(&mut self, result: &GameResult, mut each: impl FnMut(Pentanomial)) {
        let (id, score) = (result.id, result.score_of(0));
        let (Some(score), 1, 1..=2) = (score, id.pair, id.leg) else { return };
        if id.round <= self.counts.pairs() {
            return;
        }
        self.waiting.entry(id.round).or_default()[usize::from(id.leg - 1)] = Some(score);
        while let Some(&[Some(first), Some(second)]) = self.waiting.get(&(self.counts.pairs() + 1)) {
            self.waiting.remove(&(self.counts.pairs() + 1));
            self.counts.add(first, second);
            each(self.counts);
        }
    }
}

/// The finished pairs of a match from the first without a gap, from the view of entrant 0.
pub fn contiguous_pairs(results: &[GameResult]) -> Pentanomial {
    let mut pairs = PairCount::default();
    counted(results).iter().for_each(|result| pairs.add(result, |_| {}));
    pairs.counts()
}

/// A test as its match goes on: a fold of the match's results. The first verdict stands, whatever games
/// that were still running bring. After a ruling fold all results again.
#[derive(Debug, Clone, PartialEq)]
pub struct SprtTrial {
    sprt: Sprt,
    pairs: PairCount,
    verdict: Option<Verdict>,
}

impl SprtTrial {
    /// A test of which nothing is known yet.
    pub fn new(sprt: Sprt) -> SprtTrial {
        SprtTrial { sprt, pairs: PairCount::default(), verdict: None }
    }

    /// Takes in a finished game, in any order.
    pub fn add(&mut self, result: &GameResult) {
        let SprtTrial { sprt, pairs, verdict } = self;
        pairs.add(result, |counts| {
            if verdict.is_some() {
                return;
            }
            if let Some(llr) = sprt.llr(counts) {
                let state = sprt.state_at(llr);
                *verdict = (state != SprtState::Undecided).then_some(Verdict { state, llr, counts });
            }
        });
    }

    /// The test.
    pub const fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// The verdict, once there is one: no further game is needed.
    pub const fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// All pairs that count now, those after the verdict too.
    pub const fn counts(&self) -> Pentanomial {
        self.pairs.counts()
    }

    /// The log likelihood ratio of these pairs.
    pub fn llr(&self) -> Option<f64> {
        self.sprt.llr(self.counts())
    }
}

/// A match that is to bring its first entrant a share of all points: a fold of its results. What it says is
/// certain, whatever the games left bring.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreGoal {
    least: f64,
    pairs: u32,
    count: PairCount,
}

impl ScoreGoal {
    /// A share (0 to 1) of the points of so many pairs of games, of which these are played.
    pub fn of(least: f64, pairs: u32, results: &[GameResult]) -> ScoreGoal {
        let mut goal = ScoreGoal { least, pairs, count: PairCount::default() };
        counted(results).iter().for_each(|result| goal.add(result));
        goal
    }

    /// Takes in a finished game, in any order.
    pub fn add(&mut self, result: &GameResult) {
        self.count.add(result, |_| {});
    }

    /// Whether the share is reached (`true`) or out of reach though games are left; `None` while these can
    /// change it, and when nothing is left.
    pub fn verdict(&self) -> Option<bool> {
        let counts = self.count.counts();
        // A share of nothing is reached before anything is played, and would be no match.
        if counts.pairs() == 0 || counts.pairs() >= self.pairs {
            return None;
        }
        let (all, played) = (4 * u64::from(self.pairs), 4 * u64::from(counts.pairs()));
        let units = u64::from(counts.games().units());
        certain(self.least, units, all.saturating_sub(played), all)
    }
}

/// Whether `units` of half a point, of `all` with `left` still to be won, are a share of at least `least`:
/// `None` while both are possible.
pub fn certain(least: f64, units: u64, left: u64, all: u64) -> Option<bool> {
    let needed = least * all as f64;
    // A share like 0.55 is no binary number: a thousandth of a unit is nobody's point.
    let reaches = |units: u64| units as f64 + 1e-3 >= needed;
    if reaches(units) {
        Some(true)
    } else if reaches(units + left) {
        None
    } else {
        Some(false)
    }
}

/// Whether a match is decided by these results, and by which of its pairs.
pub fn sprt_verdict(sprt: Sprt, results: &[GameResult]) -> Option<Verdict> {
    let mut trial = SprtTrial::new(sprt);
    counted(results).iter().for_each(|result| trial.add(result));
    trial.verdict
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Outcome;
    use crate::tournament::{Chance, GameId, Model};

    fn game(round: u32, leg: u8, outcome: Outcome) -> GameResult {
        let (red, black) = if leg == 1 { (0, 1) } else { (1, 0) };
        GameResult { id: GameId { stage: 1, round, pair: 1, leg, attempt: 1 }, red, black, outcome }
    }

    #[test]
    fn pairs_count_in_schedule_order_without_a_gap() {
        let (red, black, draw) = (Outcome::RedWins, Outcome::BlackWins, Outcome::Draw);
        let mut list = vec![game(1, 1, red), game(3, 1, draw), game(3, 2, draw), game(2, 2, black)];
        assert_eq!(contiguous_pairs(&list).pairs(), 0);
        list.push(game(1, 2, black));
        assert_eq!(contiguous_pairs(&list), Pentanomial { ww: 1, ..Pentanomial::default() });
        list.push(game(2, 1, black));
        assert_eq!(contiguous_pairs(&list), Pentanomial { ww: 1, wl: 1, dd: 1, ..Pentanomial::default() });
        let later = GameResult { id: GameId { attempt: 2, ..list[0].id }, outcome: draw, ..list[0] };
        list.push(later);
        assert_eq!(contiguous_pairs(&list), Pentanomial { wd: 1, wl: 1, dd: 1, ..Pentanomial::default() });
    }

    #[test]
    fn a_share_is_certain_as_soon_as_the_games_left_cannot_change_it() {
        let goal = |least: f64, results: &[(u32, Outcome)]| {
            let mut goal = ScoreGoal::of(least, 5, &[]);
            for (round, outcome) in results {
                goal.add(&game(*round, 1, *outcome));
                let second = match outcome {
                    Outcome::RedWins => Outcome::BlackWins,
                    Outcome::Draw => Outcome::Draw,
                    Outcome::BlackWins => Outcome::RedWins,
                };
                goal.add(&game(*round, 2, second));
            }
            goal.verdict()
        };
        let (won, lost) = (Outcome::RedWins, Outcome::BlackWins);
        assert_eq!(goal(0.0, &[]), None, "nothing is played");
        assert_eq!(goal(0.0, &[(1, lost)]), Some(true), "nothing is wanted");
        assert_eq!(goal(1.0, &[]), None);
        assert_eq!(goal(0.6, &[(1, won), (2, won)]), None);
        assert_eq!(goal(0.6, &[(1, won), (2, won), (3, won)]), Some(true), "exactly the share");
        assert_eq!(goal(0.6, &[(1, lost), (2, lost)]), None);
        assert_eq!(goal(0.6, &[(1, lost), (2, lost), (3, Outcome::Draw)]), Some(false));
        assert_eq!(goal(0.6, &[(2, won), (3, won), (4, won)]), None, "the first pair is not finished");
        assert_eq!(certain(0.55, 11, 0, 20), Some(true), "11 of 20 are 0.55");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_order_of_arrival_changes_no_verdict(seed: u64, gain in 0u32..30) {
            let mut chance = Chance::new(seed, "games");
            let sprt = Sprt { elo0: 0.0, elo1: 60.0, alpha: 0.1, beta: 0.1, model: Model::Normalized };
            let mut list: Vec<GameResult> = (1..=150)
                .flat_map(|round| [(round, 1), (round, 2)])
                .map(|(round, leg)| {
                    let own = match chance.below(100) {
                        draw if draw < 40 => return game(round, leg, Outcome::Draw),
                        won => won < 70 + gain,
                    };
                    game(round, leg, if own == (leg == 1) { Outcome::RedWins } else { Outcome::BlackWins })
                })
                .collect();
            let expected = sprt_verdict(sprt, &list);
            chance.shuffle(&mut list);
            let mut trial = SprtTrial::new(sprt);
            list.iter().for_each(|result| trial.add(result));
            prop_assert_eq!(trial.verdict(), expected.as_ref());
            prop_assert_eq!(trial.counts(), contiguous_pairs(&list));
            if let Some(Verdict { state, llr, counts }) = expected {
                prop_assert!(sprt.llr(counts) == Some(llr) && sprt.state_at(llr) == state);
                prop_assert!(counts.pairs() <= trial.counts().pairs());
            }
        }
    }
}
