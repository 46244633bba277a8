//! Ratings of three and more entrants: the most likely strengths if the chance of a point follows the
//! logistic curve and a draw is half a point (Bradley and Terry's model), with errors that use the spread
//! actually seen (so that draws make them smaller, as in a match of two), and the likelihood that one is
//! stronger than the other. Where the games do not tie entrants together there is no rating: `None`, never
//! an infinite one. Start at [`ratings`].

use std::collections::BTreeMap;

use super::counts::Wdl;
use super::elo::{NELO_UNIT, Z_95, normal_cdf};
use super::format::{GameResult, counted};

/// Most entrants that are rated: the work grows with the third power.
pub const MAX_RATED: usize = 256;
/// Elo of one unit of the natural logarithm of odds.
const ELO_UNIT: f64 = NELO_UNIT / 2.0;
/// Most steps of Newton's method; it needs a dozen.
const MAX_STEPS: u32 = 200;
/// Longest step, so that early ones do not overshoot where the curve is flat.
const LONGEST_STEP: f64 = 1.0;
/// Step below which the strengths have settled.
const SETTLED: f64 = 1e-10;

/// An entrant's rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Elo, the mean of all rated being 0.
    pub elo: f64,
    /// Half the width of its 95 % interval (against the mean of all rated).
    pub error: f64,
}

/// Ratings of all entrants.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// For each entrant its rating. Rated is the largest group in which everybody is tied to everybody by
    /// points in both directions, directly or through others; not rated are those beyond it (all games won
    /// or lost, no games) and fields of more than [`MAX_RATED`].
    pub ratings: Vec<Option<Rating>>,
    /// `los[a][b]`: likelihood that a is stronger than b, 0 to 1; `None` unless both are rated and their
    /// games left some doubt.
    pub los: Vec<Vec<Option<f64>>>,
}

type Matrix = Vec<Vec<f64>>;

/// The games of two entrants, from the view of the first.
struct Meeting {
    a: usize,
    b: usize,
    games: Wdl,
}

impl Meeting {
    fn expected(&self, strengths: &[f64]) -> f64 {
        1.0 / (1.0 + (strengths[self.b] - strengths[self.a]).exp())
    }

    fn size(&self) -> f64 {
        self.games.games().into()
    }

    /// Points beyond expectation.
    fn surplus(&self, expected: f64) -> f64 {
        f64::from(self.games.units()) / 2.0 - self.size() * expected
    }

    /// Sum of the squared distances of single results from the expectation.
    fn spread(&self, expected: f64) -> f64 {
        let Wdl { wins, draws, losses } = self.games;
        let part = |count: u32, score: f64| f64::from(count) * (score - expected).powi(2);
        part(wins, 1.0) + part(draws, 0.5) + part(losses, 0.0)
    }
}

/// The ratings that make these results most likely.
pub fn ratings(entrants: usize, results: &[GameResult]) -> Ratings {
    let mut found = Ratings { ratings: vec![None; entrants], los: vec![vec![None; entrants]; entrants] };
    if entrants > MAX_RATED {
        return found;
    }
    let mut all: BTreeMap<(usize, usize), Wdl> = BTreeMap::new();
    for game in counted(results).iter() {
        let (a, b) = (game.red.min(game.black), game.red.max(game.black));
        if let (true, Some(score)) = (a < b && b < entrants, game.score_of(a)) {
            all.entry((a, b)).or_default().add(score);
        }
    }
    let members = tied_together(entrants, &all);
    let place = |entrant: usize| members.iter().position(|member| *member == entrant);
    let meetings: Vec<Meeting> = all
        .iter()
        .filter_map(|(&(a, b), &games)| Some(Meeting { a: place(a)?, b: place(b)?, games }))
        .collect();
    let Some((strengths, spread)) = fit(members.len(), &meetings) else { return found };
    let size = members.len() as f64;
    let mean = strengths.iter().sum::<f64>() / size;
    let rows: Vec<f64> = spread.iter().map(|row| row.iter().sum::<f64>() / size).collect();
    let overall = rows.iter().sum::<f64>() / size;
    for (i, &own) in members.iter().enumerate() {
        let variance = (spread[i][i] - 2.0 * rows[i] + overall).max(0.0);
        let error = Z_95 * variance.sqrt() * ELO_UNIT;
        found.ratings[own] = Some(Rating { elo: (strengths[i] - mean) * ELO_UNIT, error });
        for (j, &other) in members.iter().enumerate().filter(|(j, _)| *j != i) {
            let variance = (spread[i][i] + spread[j][j] - 2.0 * spread[i][j]).max(0.0);
            let distance = (strengths[i] - strengths[j]) / variance.sqrt();
            found.los[own][other] = Some(normal_cdf(distance)).filter(|los| !los.is_nan());
        }
    }
    found
}

/// The largest group (of several the one with the earliest entrant) in which everybody took points, directly
/// or through others, from everybody; the most likely strengths exist exactly within such groups.
fn tied_together(entrants: usize, meetings: &BTreeMap<(usize, usize), Wdl>) -> Vec<usize> {
    let mut took_from = vec![Vec::new(); entrants];
    for (&(a, b), games) in meetings {
        if games.units() > 0 {
            took_from[a].push(b);
        }
        if games.reversed().units() > 0 {
            took_from[b].push(a);
        }
    }
    let reach = |from: usize| {
        let (mut seen, mut list) = (vec![false; entrants], vec![from]);
        seen[from] = true;
        while let Some(one) = list.pop() {
            for &next in &took_from[one] {
                if !std::mem::replace(&mut seen[next], true) {
                    list.push(next);
                }
            }
        }
        seen
    };
    let reached: Vec<Vec<bool>> = (0..entrants).map(reach).collect();
    let group = |one: usize| -> Vec<usize> {
        (0..entrants).filter(|other| reached[one][*other] && reached[*other][one]).collect()
    };
    let mut largest = Vec::new();
    for one in 0..entrants {
        let group = group(one);
        if group.len() > largest.len() {
            largest = group;
        }
    }
    largest
}

/// Strengths (natural logarithm of odds, the first one's being 0) and their covariances, by Newton's
/// method; `None` for fewer than two, or if it does not settle.
fn fit(size: usize, meetings: &[Meeting]) -> Option<(Vec<f64>, Matrix)> {
    if size < 2 {
        return None;
    }
    let mut strengths = vec![0.0; size];
    for _ in 0..MAX_STEPS {
        let (surplus, inverse) = (surpluses(&strengths, meetings), inverse(curvature(&strengths, meetings))?);
        let mut step: Vec<f64> =
            inverse.iter().map(|row| row.iter().zip(&surplus[1..]).map(|(a, b)| a * b).sum()).collect();
        let longest = step.iter().fold(0.0f64, |longest, part| longest.max(part.abs()));
        if longest > LONGEST_STEP {
            step.iter_mut().for_each(|part| *part *= LONGEST_STEP / longest);
        }
        strengths[1..].iter_mut().zip(&step).for_each(|(strength, part)| *strength += part);
        if longest < SETTLED {
            let spread = covariances(&inverse, &strengths, meetings);
            return Some((strengths, spread));
        }
    }
    None
}

fn surpluses(strengths: &[f64], meetings: &[Meeting]) -> Vec<f64> {
    let mut surplus = vec![0.0; strengths.len()];
    for meeting in meetings {
        let beyond = meeting.surplus(meeting.expected(strengths));
        surplus[meeting.a] += beyond;
        surplus[meeting.b] -= beyond;
    }
    surplus
}

/// Weights of meetings as a matrix over all but the first.
fn laplacian(size: usize, weights: impl Iterator<Item = (usize, usize, f64)>) -> Matrix {
    let mut matrix = vec![vec![0.0; size]; size];
    for (a, b, weight) in weights {
        matrix[a][a] += weight;
        matrix[b][b] += weight;
        matrix[a][b] -= weight;
        matrix[b][a] -= weight;
    }
    matrix.into_iter().skip(1).map(|row| row.into_iter().skip(1).collect()).collect()
}

fn curvature(strengths: &[f64], meetings: &[Meeting]) -> Matrix {
    let weight = |meeting: &Meeting| {
        let expected = meeting.expected(strengths);
        (meeting.a, meeting.b, meeting.size() * expected * (1.0 - expected))
    };
    laplacian(strengths.len(), meetings.iter().map(weight))
}

/// Covariances of all strengths (the first one's are 0): inverse curvature on both sides of the spread
/// that was seen.
fn covariances(inverse: &Matrix, strengths: &[f64], meetings: &[Meeting]) -> Matrix {
    let weight = |meeting: &Meeting| (meeting.a, meeting.b, meeting.spread(meeting.expected(strengths)));
    let seen = laplacian(strengths.len(), meetings.iter().map(weight));
    let inner = product(&product(inverse, &seen), inverse);
    let mut all = vec![vec![0.0; strengths.len()]; strengths.len()];
    for (row, values) in all[1..].iter_mut().zip(inner) {
        row[1..].copy_from_slice(&values);
    }
    all
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let cell = |row: &[f64], column: usize| row.iter().zip(b).map(|(x, line)| x * line[column]).sum();
    a.iter().map(|row| (0..b.len()).map(|column| cell(row, column)).collect()).collect()
}

/// The inverse by elimination; `None` if a matrix has none. Weights of tied entrants need no pivoting.
fn inverse(mut matrix: Matrix) -> Option<Matrix> {
    let size = matrix.len();
    for (place, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == place))));
    }
    for pivot in 0..size {
        let head = matrix[pivot][pivot];
        if !head.is_normal() {
            return None;
        }
        matrix[pivot].iter_mut().for_each(|value| *value /= head);
        let line = matrix[pivot].clone();
        for (place, row) in matrix.iter_mut().enumerate() {
            let factor = row[pivot];
            if place != pivot && factor != 0.0 {
                row.iter_mut().zip(&line).for_each(|(value, part)| *value -= factor * part);
            }
        }
    }
    Some(matrix.into_iter().map(|mut row| row.split_off(size)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Outcome;
    use crate::tournament::{GameId, Sample};

    fn games(list: &[(usize, usize, Wdl)]) -> Vec<GameResult> {
        let outcomes = list.iter().flat_map(|&(a, b, Wdl { wins, draws, losses })| {
            [(wins, Outcome::RedWins), (draws, Outcome::Draw), (losses, Outcome::BlackWins)]
                .into_iter()
                .flat_map(move |(count, outcome)| (0..count).map(move |_| (a, b, outcome)))
        });
        (1..)
            .zip(outcomes)
            .map(|(round, (red, black, outcome))| GameResult {
                id: GameId { stage: 1, round, pair: 1, leg: 1, attempt: 1 },
                red,
                black,
                outcome,
            })
            .collect()
    }

    fn wdl(wins: u32, draws: u32, losses: u32) -> Wdl {
        Wdl { wins, draws, losses }
    }

    #[test]
    fn two_are_rated_as_in_a_match() {
        let counts = wdl(330, 420, 250);
        let found = ratings(2, &games(&[(0, 1, counts)]));
        let elo = Sample::from(counts).elo().expect("defined");
        let (first, second) = (found.ratings[0].expect("rated"), found.ratings[1].expect("rated"));
        assert!((first.elo - second.elo - elo.value).abs() < 1e-6);
        // Each is half the difference away from the mean.
        assert!((first.error + second.error - elo.error.expect("defined")).abs() < 0.02, "{first:?} {elo:?}");
        let los = found.los[0][1].expect("defined");
        assert!((los - Sample::from(counts).los().expect("defined")).abs() < 1e-4, "{los}");
        assert!((los + found.los[1][0].expect("defined") - 1.0).abs() < 1e-12 && found.los[0][0].is_none());
    }

    #[test]
    fn strengths_that_fit_exactly_are_found() {
        // Odds 3 and 3 and so 9: 190.85 Elo apart each.
        let list = [(0, 1, wdl(30, 0, 10)), (2, 1, wdl(5, 10, 25)), (0, 2, wdl(36, 0, 4))];
        let found = ratings(3, &games(&list));
        let apart = 400.0 * 3f64.log10();
        for (rating, expected) in found.ratings.iter().zip([apart, 0.0, -apart]) {
            assert!((rating.expect("rated").elo - expected).abs() < 1e-6, "{rating:?} {expected}");
        }
    }

    #[test]
    fn who_is_not_tied_to_the_others_has_no_rating() {
        let rated = |entrants, list: &[(usize, usize, Wdl)]| {
            let found = ratings(entrants, &games(list));
            found.ratings.iter().map(Option::is_some).collect::<Vec<_>>()
        };
        let level = wdl(1, 1, 1);
        assert_eq!(rated(3, &[(0, 1, wdl(9, 0, 0)), (1, 2, level)]), [false, true, true]);
        assert_eq!(rated(4, &[(0, 1, level), (2, 3, level)]), [true, true, false, false]);
        assert_eq!(rated(3, &[(0, 1, wdl(1, 0, 0)), (1, 2, wdl(1, 0, 0)), (2, 0, wdl(1, 0, 0))]), [true; 3]);
        assert_eq!(rated(2, &[]), [false, false]);
        assert_eq!(rated(0, &[]), [false; 0]);
        assert_eq!(rated(MAX_RATED + 1, &[(0, 1, level)]), [false; MAX_RATED + 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn everybody_has_the_points_expected(counts in prop::collection::vec((0u32..9, 0u32..9, 0u32..9), 15)) {
            let twos = (0..6usize).flat_map(|a| (a + 1..6).map(move |b| (a, b)));
            let list: Vec<_> = twos.zip(&counts).map(|((a, b), &(w, d, l))| (a, b, wdl(w, d, l))).collect();
            let found = ratings(6, &games(&list));
            let rating = |one: usize| found.ratings[one];
            for own in 0..6 {
                let Some(Rating { elo, error }) = rating(own) else { continue };
                prop_assert!(elo.is_finite() && error.is_finite());
                let (mut points, mut expected) = (0.0, 0.0);
                for &(a, b, games) in &list {
                    let (other, games) = if a == own { (b, games) } else { (a, games.reversed()) };
                    if let (true, Some(other)) = (a == own || b == own, rating(other)) {
                        points += f64::from(games.units()) / 2.0;
                        expected += f64::from(games.games()) / (1.0 + 10f64.powf((other.elo - elo) / 400.0));
                    }
                }
                prop_assert!((points - expected).abs() < 1e-6, "{} {}", points, expected);
            }
            let mean: f64 = found.ratings.iter().flatten().map(|rating| rating.elo).sum();
            prop_assert!(mean.abs() < 1e-6);
        }
    }
}
