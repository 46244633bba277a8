//! What statistics are made of: games by result and pairs of games by their joint result. Start at
//! [`Sample`].

use super::format::{GameResult, counted};

/// Wins, draws and losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Wdl {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Wdl {
    /// All games.
    pub const fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points in units: 2 a win, 1 a draw.
    pub const fn units(self) -> u32 {
        2 * self.wins + self.draws
    }

    /// The other side's view.
    pub const fn reversed(self) -> Wdl {
        Wdl { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// An entrant's games in these results, against everybody or (with `other`) against one.
    pub fn of(results: &[GameResult], own: usize, other: Option<usize>) -> Wdl {
        let mut wdl = Wdl::default();
        for game in counted(results).iter() {
            let met = other.is_none_or(|other| other == game.red || other == game.black);
            if let Some(score) = game.score_of(own).filter(|_| met && game.red != game.black) {
                wdl.add(score);
            }
        }
        wdl
    }

    /// Counts a game by its score in units (0 a loss, 1 a draw, else a win).
    pub fn add(&mut self, score: u32) {
        match score {
            0 => self.losses += 1,
            1 => self.draws += 1,
            2.. => self.wins += 1,
        }
    }
}

/// Pairs of games (same opening, colours exchanged) by what both brought one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pentanomial {
    /// Both lost.
    pub ll: u32,
    /// One lost, one drawn.
    pub ld: u32,
    /// One won, one lost.
    pub wl: u32,
    /// Both drawn.
    pub dd: u32,
    /// One won, one drawn.
    pub wd: u32,
    /// Both won.
    pub ww: u32,
}

impl Pentanomial {
    /// All pairs.
    pub const fn pairs(self) -> u32 {
        self.ll + self.ld + self.wl + self.dd + self.wd + self.ww
    }

    /// Counts by points, from no point to two wins: the order in which other runners print them.
    pub const fn ptnml(self) -> [u32; 5] {
        [self.ll, self.ld, self.wl + self.dd, self.wd, self.ww]
    }

    /// The same games one by one.
    pub const fn games(self) -> Wdl {
        Wdl {
            wins: self.wl + self.wd + 2 * self.ww,
            draws: self.ld + 2 * self.dd + self.wd,
            losses: 2 * self.ll + self.ld + self.wl,
        }
    }

    /// Counts a pair by the scores of its games in units (0 a loss, 1 a draw, else a win).
    pub fn add(&mut self, first: u32, second: u32) {
        let class = match (first.min(2), second.min(2)) {
            (0, 0) => &mut self.ll,
            (0, 1) | (1, 0) => &mut self.ld,
            (0, 2..) | (2.., 0) => &mut self.wl,
            (1, 1) => &mut self.dd,
            (1, 2..) | (2.., 1) => &mut self.wd,
            (2.., 2..) => &mut self.ww,
        };
        *class += 1;
    }
}

/// What an estimate is made from: games one by one, or pairs (better where both games of a pair share an
/// opening, because their results then depend on each other).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sample {
    /// Games (trinomial).
    Games(Wdl),
    /// Pairs of games (pentanomial).
    Pairs(Pentanomial),
}

impl From<Wdl> for Sample {
    fn from(games: Wdl) -> Sample {
        Sample::Games(games)
    }
}

impl From<Pentanomial> for Sample {
    fn from(pairs: Pentanomial) -> Sample {
        Sample::Pairs(pairs)
    }
}

impl Sample {
    /// How many games or pairs.
    pub const fn size(self) -> u32 {
        match self {
            Sample::Games(games) => games.games(),
            Sample::Pairs(pairs) => pairs.pairs(),
        }
    }

    /// Games in one item of the sample.
    pub const fn games_of_an_item(self) -> u32 {
        match self {
            Sample::Games(_) => 1,
            Sample::Pairs(_) => 2,
        }
    }

    /// The classes from worst to best: mean score of a game (0 to 1) and how often it occurred.
    pub fn classes(self) -> Vec<(f64, u32)> {
        match self {
            Sample::Games(Wdl { wins, draws, losses }) => vec![(0.0, losses), (0.5, draws), (1.0, wins)],
            Sample::Pairs(pairs) => [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().zip(pairs.ptnml()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_by_both_games() {
        let mut pairs = Pentanomial::default();
        for first in 0..3 {
            for second in 0..3 {
                pairs.add(first, second);
            }
        }
        assert_eq!(pairs, Pentanomial { ll: 1, ld: 2, wl: 2, dd: 1, wd: 2, ww: 1 });
        assert_eq!((pairs.pairs(), pairs.ptnml()), (9, [1, 2, 3, 2, 1]));
        assert_eq!(pairs.games(), Wdl { wins: 6, draws: 6, losses: 6 });
        assert_eq!(Sample::from(pairs).size(), 9);
        assert_eq!(pairs.games().reversed().units(), 18);
    }
}
