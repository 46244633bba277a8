//! Estimates of strength from a match: Elo, normalized Elo, likelihood of superiority and ratios
//! (formulas: fastchess's, checked against its published numbers). What a sample does not define is
//! `None`, never an infinite number or NaN. Start at [`Sample::elo`].

use super::counts::{Pentanomial, Sample, Wdl};

/// Half-width of the 95 % interval of the normal distribution, in standard deviations.
pub const Z_95: f64 = 1.959_963_984_540_054;
/// Elo (and normalized Elo) of one unit of the natural logarithm of odds, times two: 800 / ln 10.
pub const NELO_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// A value with its 95 % error, both in Elo or normalized Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Half the width of its interval; `None` where the interval leaves what scores can express.
    pub error: Option<f64>,
}

/// The Elo difference at which this score (0 to 1) is expected; `None` for 0, 1 and beyond.
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| -400.0 * (1.0 / score - 1.0).log10())
}

/// The score (0 to 1) expected at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The distribution function of the normal distribution.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// A quotient, if it is a number.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    Some(part / whole).filter(|quotient| quotient.is_finite())
}

impl Sample {
    /// Mean score of a game, 0 to 1; `None` without games.
    pub fn score(self) -> Option<f64> {
        let sum: f64 = self.classes().iter().map(|(value, count)| value * f64::from(*count)).sum();
        ratio(sum, self.size().into())
    }

    /// Variance of the score of one item (game or pair); `None` without games.
    pub fn variance(self) -> Option<f64> {
        let mean = self.score()?;
        let classes = self.classes();
        let sum: f64 = classes.iter().map(|(value, count)| f64::from(*count) * (value - mean).powi(2)).sum();
        ratio(sum, self.size().into())
    }

    fn standard_error(self) -> Option<f64> {
        Some((self.variance()? / f64::from(self.size())).sqrt())
    }

    /// Elo difference; `None` for a score of 0 or 1 and without games.
    pub fn elo(self) -> Option<Estimate> {
        let (score, spread) = (self.score()?, Z_95 * self.standard_error()?);
        let value = elo_of_score(score)?;
        let error = match (elo_of_score(score + spread), elo_of_score(score - spread)) {
            (Some(high), Some(low)) => Some((high - low) / 2.0),
            (Some(_) | None, _) => None,
        };
        Some(Estimate { value, error })
    }

    /// Normalized Elo: the score's distance from one half in standard deviations of a game, in a unit
    /// that makes it comparable to Elo. `None` where all items had one result.
    pub fn nelo(self) -> Option<Estimate> {
        let games = f64::from(self.games_of_an_item()).sqrt();
        let distance = ratio(self.score()? - 0.5, games * self.variance()?.sqrt())?;
        let error = Z_95 * NELO_UNIT / (games * f64::from(self.size()).sqrt());
        Some(Estimate { value: distance * NELO_UNIT, error: Some(error) })
    }

    /// Likelihood of superiority, 0 to 1; `None` where nothing but level items was seen.
    pub fn los(self) -> Option<f64> {
        let distance = (self.score()? - 0.5) / self.standard_error()?;
        Some(normal_cdf(distance)).filter(|likelihood| !likelihood.is_nan())
    }

    /// Share of drawn games, or of level pairs; `None` without games.
    pub fn draw_ratio(self) -> Option<f64> {
        let level = match self {
            Sample::Games(games) => games.draws,
            Sample::Pairs(pairs) => pairs.wl + pairs.dd,
        };
        ratio(level.into(), self.size().into())
    }
}

impl Pentanomial {
    /// Pairs that were won over pairs that were lost; `None` without lost ones.
    pub fn pairs_ratio(self) -> Option<f64> {
        ratio((self.ww + self.wd).into(), (self.ld + self.ll).into())
    }

    /// Level pairs with decided games over level pairs with drawn ones; `None` without the latter.
    pub fn wl_dd_ratio(self) -> Option<f64> {
        ratio(self.wl.into(), self.dd.into())
    }
}

impl Wdl {
    /// Likelihood of superiority by decided games alone (the line that cutechess prints); `None` without
    /// decided games.
    pub fn los_of_decided(self) -> Option<f64> {
        let (wins, losses) = (f64::from(self.wins), f64::from(self.losses));
        ratio(wins - losses, (wins + losses).sqrt()).map(normal_cdf)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("defined");
        assert!((found - expected).abs() < 5e-3, "{found} is not {expected}");
    }

    #[test]
    fn a_match_by_hand() {
        // 6 wins, 2 draws, 2 losses: score 0.7, variance (6 * 0.09 + 2 * 0.04 + 2 * 0.49) / 10 = 0.16,
        // standard error 0.4 / sqrt(10) = 0.126491.
        let sample = Sample::from(Wdl { wins: 6, draws: 2, losses: 2 });
        near(sample.score(), 0.7);
        near(sample.variance(), 0.16);
        near(sample.draw_ratio(), 0.2);
        near(sample.elo().map(|elo| elo.value), 400.0 * (7.0f64 / 3.0).log10());
        near(sample.nelo().map(|nelo| nelo.value), 0.5 * NELO_UNIT);
        near(sample.los(), 0.943_077);
        // The pairs WW WW WD LD LW: the same games.
        let pairs = Pentanomial { ww: 2, wd: 1, ld: 1, wl: 1, ..Pentanomial::default() };
        assert_eq!(Sample::from(pairs.games()), sample);
        near(Sample::from(pairs).score(), 0.7);
        near(pairs.pairs_ratio(), 3.0);
        assert_eq!(pairs.wl_dd_ratio(), None);
    }

    #[test]
    fn what_is_not_defined_is_none() {
        let none = Sample::from(Wdl::default());
        assert_eq!((none.score(), none.elo(), none.nelo(), none.los()), (None, None, None, None));
        assert_eq!(Sample::from(Pentanomial::default()).draw_ratio(), None);
        let lost = Sample::from(Pentanomial { ll: 1, ..Pentanomial::default() });
        assert_eq!((lost.elo(), lost.nelo(), lost.los()), (None, None, Some(0.0)));
        let drawn = Sample::from(Wdl { draws: 4, ..Wdl::default() });
        assert_eq!((drawn.nelo(), drawn.los()), (None, None));
        assert_eq!(drawn.elo(), Some(Estimate { value: 0.0, error: Some(0.0) }));
        let few = Sample::from(Wdl { wins: 1, draws: 1, losses: 0 });
        assert_eq!(few.elo().map(|elo| elo.error), Some(None));
        assert_eq!(Wdl { draws: 3, ..Wdl::default() }.los_of_decided(), None);
    }

    proptest! {
        #[test]
        fn numbers_are_finite_and_the_other_side_sees_the_opposite(
            wins in 0u32..2000, draws in 0u32..2000, losses in 0u32..2000,
        ) {
            let games = Wdl { wins, draws, losses };
            let (own, other) = (Sample::from(games), Sample::from(games.reversed()));
            for (a, b) in [(own.elo(), other.elo()), (own.nelo(), other.nelo())] {
                prop_assert_eq!(a.is_some(), b.is_some());
                if let (Some(a), Some(b)) = (a, b) {
                    prop_assert!(a.value.is_finite() && (a.value + b.value).abs() < 1e-6);
                    prop_assert!(a.error.is_none_or(|error| error.is_finite() && error >= 0.0));
                }
            }
            if let (Some(a), Some(b)) = (own.los(), other.los()) {
                prop_assert!((a + b - 1.0).abs() < 1e-9 && (0.0..=1.0).contains(&a));
            }
        }
    }
}
