//! The sequential probability ratio test: is the tested engine's strength rather `elo0` or `elo1`? The
//! likelihoods are those of the most likely distributions under each hypothesis (generalised ratio).
//! Root finding is bounded; what cannot be solved is `None`. Start at [`Sprt::llr`].

use super::counts::{Pentanomial, Sample};
use super::elo::{NELO_UNIT, score_of_elo};

/// What stands in for a class that never occurred, so that its logarithm exists (as in fishtest).
const NEVER_SEEN: f64 = 1e-3;
/// Most improvements of the normalized model's distribution; it settles in a few.
const MAX_ROUNDS: u32 = 10;
/// Change of a probability below which the distribution has settled.
const SETTLED: f64 = 1e-9;
/// Most steps to a root; from half a dozen to as many halvings as a double has digits are needed.
const MAX_STEPS: u32 = 200;
/// Relative change at which a root has settled.
const PRECISION: f64 = 1e-14;
/// Largest bound in Elo: beyond it scores are 0 or 1 for all purposes.
pub const MAX_ELO_BOUND: f64 = 1_000.0;

/// In what Elo the bounds are meant. The same counts and bounds give another verdict under another
/// model, so the model is printed with every result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Model {
    /// Normalized Elo: games needed do not depend on the draw rate.
    #[default]
    Normalized,
    /// Logistic (ordinary) Elo.
    Logistic,
    /// BayesElo with the draw rate seen; looks at games one by one. As fastchess does, both hypotheses
    /// are turned into scores and tested as such.
    Bayesian,
}

impl Model {
    /// All models.
    pub const ALL: [Model; 3] = [Model::Normalized, Model::Logistic, Model::Bayesian];

    /// The word for it in settings and output.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
            Model::Bayesian => "bayesian",
        }
    }
}

/// A test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// Elo difference of the hypothesis H0 (no gain), less than `elo1`.
    pub elo0: f64,
    /// Elo difference of the hypothesis H1 (gain).
    pub elo1: f64,
    /// Chance of accepting H1 though H0 is true.
    pub alpha: f64,
    /// Chance of accepting H0 though H1 is true.
    pub beta: f64,
    /// In what Elo the bounds are meant.
    pub model: Model,
}

/// Where a test stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SprtState {
    /// Neither bound reached.
    #[default]
    Undecided,
    /// H0 accepted.
    H0,
    /// H1 accepted.
    H1,
}

/// A test that makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The bounds.
    #[error("elo0 ({0}) must be less than elo1 ({1}), both within {MAX_ELO_BOUND} of zero")]
    Bounds(f64, f64),
    /// Bounds that no distribution of results can have under this model.
    #[error(
        "{0} Elo bounds of {1} and {2} are too far from zero: no ratio can be computed; take smaller ones"
    )]
    TooFar(&'static str, f64, f64),
    /// An error rate.
    #[error("{name} must be more than 0 and less than 0.5, not {value}")]
    ErrorRate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was given.
        value: f64,
    },
}

impl Sprt {
    /// Whether the test makes sense. Errors: bounds out of order or range or impossible under the model, error rates outside 0 to 0.5.
    pub fn check(&self) -> Result<(), SprtError> {
        let sound = |elo: f64| elo.abs() <= MAX_ELO_BOUND;
        if !(sound(self.elo0) && sound(self.elo1) && self.elo0 < self.elo1) {
            return Err(SprtError::Bounds(self.elo0, self.elo1));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::ErrorRate { name, value });
            }
        }
        // Where the fit begins there is a class on each side of every bound, or there never is one.
        let evenly = Pentanomial { ll: 1, ld: 1, wl: 1, dd: 0, wd: 1, ww: 1 };
        if self.llr(evenly).is_none() {
            return Err(SprtError::TooFar(self.model.name(), self.elo0, self.elo1));
        }
        Ok(())
    }

    /// The log likelihood ratios at which H0 (lower) and H1 (upper) are accepted (Wald).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log likelihood ratio of H1 to H0. `None` where a hypothesis cannot be fitted at all.
    pub fn llr(&self, sample: impl Into<Sample>) -> Option<f64> {
        let seen = Seen::new(match (self.model, sample.into()) {
            (Model::Bayesian, Sample::Pairs(pairs)) => Sample::Games(pairs.games()),
            (Model::Normalized | Model::Logistic | Model::Bayesian, sample) => sample,
        });
        let (under0, under1) = match self.model {
            Model::Normalized => (seen.with_nelo(self.elo0)?, seen.with_nelo(self.elo1)?),
            Model::Logistic => {
                (seen.with_score(score_of_elo(self.elo0))?, seen.with_score(score_of_elo(self.elo1))?)
            }
            Model::Bayesian => {
                let score = |elo| seen.score_of_bayes_elo(elo);
                (seen.with_score(score(self.elo0)?)?, seen.with_score(score(self.elo1)?)?)
            }
        };
        let terms = seen.shares.iter().zip(under0.iter().zip(&under1));
        let ratio: f64 = terms.map(|(share, (p0, p1))| share * (p1 / p0).ln()).sum();
        Some(seen.size * ratio).filter(|llr| llr.is_finite())
    }

    /// Where the test stands after a look at this sample alone. A run asks
    /// [`SprtTrial`](super::SprtTrial), which keeps the first verdict.
    pub fn state(&self, sample: impl Into<Sample>) -> SprtState {
        self.llr(sample).map_or(SprtState::Undecided, |llr| self.state_at(llr))
    }

    /// Where the test stands at this log likelihood ratio.
    pub fn state_at(&self, llr: f64) -> SprtState {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            SprtState::H1
        } else if llr <= lower {
            SprtState::H0
        } else {
            SprtState::Undecided
        }
    }
}

/// A sample as shares of its classes.
struct Seen {
    values: Vec<f64>,
    shares: Vec<f64>,
    size: f64,
    games_of_an_item: f64,
}

impl Seen {
    fn new(sample: Sample) -> Seen {
        let count = |count: u32| if count == 0 { NEVER_SEEN } else { count.into() };
        let (values, counts): (Vec<_>, Vec<_>) =
            sample.classes().into_iter().map(|(value, n)| (value, count(n))).unzip();
        let size: f64 = counts.iter().sum();
        let shares = counts.iter().map(|count| count / size).collect();
        Seen { values, shares, size, games_of_an_item: sample.games_of_an_item().into() }
    }

    /// The most likely distribution in which the terms have mean zero: share / (1 + theta * term).
    fn tilted(&self, terms: &[f64]) -> Option<Vec<f64>> {
        let greatest = terms.iter().copied().fold(f64::MIN, f64::max);
        let least = terms.iter().copied().fold(f64::MAX, f64::min);
        if !(greatest > 0.0 && least < 0.0) {
            return None;
        }
        let mean = |theta: f64| {
            self.shares.iter().zip(terms).fold((0.0, 0.0), |(value, slope), (share, term)| {
                let part = term / (1.0 + theta * term);
                (value + share * part, slope - share * part * part)
            })
        };
        let theta = falling_root(-1.0 / greatest, -1.0 / least, mean);
        Some(self.shares.iter().zip(terms).map(|(share, term)| share / (1.0 + theta * term)).collect())
    }

    /// The most likely distribution with this mean score.
    fn with_score(&self, score: f64) -> Option<Vec<f64>> {
        let terms: Vec<f64> = self.values.iter().map(|value| value - score).collect();
        self.tilted(&terms)
    }

    /// The most likely distribution with this normalized Elo, by repeated fits: the condition that
    /// (mean - 1/2) / deviation has a given value is made linear at the last fit.
    fn with_nelo(&self, nelo: f64) -> Option<Vec<f64>> {
        let target = nelo / NELO_UNIT * self.games_of_an_item.sqrt();
        let mut fit = vec![1.0 / self.values.len() as f64; self.values.len()];
        for _ in 0..MAX_ROUNDS {
            let over = |value: &dyn Fn(f64) -> f64| -> f64 {
                self.values.iter().zip(&fit).map(|(a, p)| p * value(*a)).sum()
            };
            let mean = over(&|a| a);
            let deviation = over(&|a| (a - mean).powi(2)).sqrt();
            let term =
                |a: &f64| a - 0.5 - 0.5 * target * deviation * (1.0 + ((a - mean) / deviation).powi(2));
            let terms: Vec<f64> = self.values.iter().map(term).collect();
            let next = self.tilted(&terms)?;
            let change = next.iter().zip(&fit).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            fit = next;
            if change < SETTLED {
                break;
            }
        }
        Some(fit)
    }

    /// The score that BayesElo expects at a difference, with the draw rate of this sample of games.
    fn score_of_bayes_elo(&self, elo: f64) -> Option<f64> {
        let &[loss, _, win] = self.shares.as_slice() else { return None };
        let draw_elo = 200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10();
        let (win, loss) = (score_of_elo(elo - draw_elo), score_of_elo(-elo - draw_elo));
        Some(win + (1.0 - win - loss) / 2.0).filter(|score| score.is_finite())
    }
}

/// Where a falling function crosses zero between two poles around 0: Newton's steps from 0, halvings of
/// the bracket where a step would leave it; bounded. The function gives value and slope.
fn falling_root(mut low: f64, mut high: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut at = 0.0;
    for _ in 0..MAX_STEPS {
        let (value, slope) = function(at);
        if value > 0.0 {
            low = at
        } else {
            high = at
        }
        let step = at - value / slope;
        let next = if step > low && step < high { step } else { low + (high - low) / 2.0 };
        if (next - at).abs() <= PRECISION * at.abs() {
            return next;
        }
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tournament::Wdl;

    fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model }
    }

    #[test]
    fn without_draws_the_logistic_ratio_is_the_binomial_one() {
        // Two classes: no fit is free, so the ratio is W ln(s1/s0) + L ln((1-s1)/(1-s0)); the unseen
        // draws (0.001 of a game) move it by less than a hundredth.
        let (wins, losses) = (60u32, 40u32);
        let (s0, s1) = (score_of_elo(0.0), score_of_elo(50.0));
        let expected = f64::from(wins) * (s1 / s0).ln() + f64::from(losses) * ((1.0 - s1) / (1.0 - s0)).ln();
        let found = sprt(0.0, 50.0, Model::Logistic).llr(Wdl { wins, draws: 0, losses }).expect("defined");
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }

    #[test]
    fn states() {
        let test = sprt(0.0, 10.0, Model::Normalized);
        let (lower, upper) = test.bounds();
        assert!((lower + 19f64.ln()).abs() < 1e-12 && (upper - 19f64.ln()).abs() < 1e-12);
        assert_eq!(test.state_at(upper), SprtState::H1);
        assert_eq!(test.state_at(lower), SprtState::H0);
        assert_eq!(test.state_at(0.0), SprtState::Undecided);
        assert_eq!(test.state(Wdl::default()), SprtState::Undecided);
        assert_eq!(test.state(Wdl { wins: 3000, draws: 1000, losses: 2000 }), SprtState::H1);
        assert_eq!(test.state(Wdl { wins: 2000, draws: 1000, losses: 3000 }), SprtState::H0);
    }

    #[test]
    fn tests_without_sense_are_refused() {
        let good = sprt(0.0, 2.0, Model::Normalized);
        assert_eq!(good.check(), Ok(()));
        for bad in [
            Sprt { elo1: 0.0, ..good },
            Sprt { elo0: f64::NAN, ..good },
            Sprt { elo1: 1e9, ..good },
            Sprt { alpha: 0.0, ..good },
            Sprt { beta: 0.5, ..good },
            Sprt { alpha: f64::NAN, ..good },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn ratios_are_numbers_and_have_two_sides(
            counts in prop::array::uniform6(0u32..500), elo0 in -200.0f64..200.0, width in 0.1f64..200.0,
        ) {
            let [ll, ld, wl, dd, wd, ww] = counts;
            let pairs = Pentanomial { ll, ld, wl, dd, wd, ww };
            let mirrored = Pentanomial { ll: ww, ld: wd, wd: ld, ww: ll, ..pairs };
            for model in Model::ALL {
                let (elo1, other0) = (elo0 + width, -elo0 - width);
                for (own, other) in [
                    (Sample::from(pairs), Sample::from(mirrored)),
                    (pairs.games().into(), mirrored.games().into()),
                ] {
                    let own = sprt(elo0, elo1, model).llr(own);
                    let other = sprt(other0, -elo0, model).llr(other);
                    prop_assert!(own.is_none_or(f64::is_finite));
                    if let (Some(own), Some(other)) = (own, other) {
                        prop_assert!((own + other).abs() < 1e-4 * own.abs().max(1.0), "{own} {other} {model:?}");
                    }
                }
            }
        }
    }
}
