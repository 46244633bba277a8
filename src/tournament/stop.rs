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
