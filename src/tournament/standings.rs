//! Standings and cross tables: who stands where, and what decided it. A pure function of results.
//! Start at [`Scoresheet::standings`].

use std::borrow::Cow;

use super::counts::Wdl;
use super::format::{GameResult, counted};
use super::id::GameId;
use super::tiebreak::{Decided, Evidence, PlayOff, TieBreak, separate};

/// An entrant's line in the standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Index of the entrant.
    pub entrant: usize,
    /// Its place, from 1; entrants with a shared place have the same one, and the next is left out.
    pub rank: u32,
    /// Its games as Red.
    pub red: Wdl,
    /// Its games as Black.
    pub black: Wdl,
    /// Points without a game (byes), in units.
    pub bonus: u32,
    /// Points in units (2 a win, 1 a draw), byes included: the points of the scale 2/1/0, twice those of
    /// 1/0.5/0 ([`Points::write`](super::Points::write)).
    pub points: u32,
    /// Sonneborn-Berger: over all games score times opponent's points, both in units. Always computed,
    /// used for places only where a setting says so.
    pub sonneborn_berger: u64,
    /// What gave it its place.
    pub decided: Decided,
}

impl Line {
    /// All its games.
    pub const fn total(&self) -> Wdl {
        Wdl {
            wins: self.red.wins + self.black.wins,
            draws: self.red.draws + self.black.draws,
            losses: self.red.losses + self.black.losses,
        }
    }
}

/// The standings: lines in the order of places (entrants that share a place in the order of entry).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standings {
    /// One line for each entrant.
    pub lines: Vec<Line>,
}

impl Standings {
    /// Entrants in the order of places.
    pub fn order(&self) -> Vec<usize> {
        self.lines.iter().map(|line| line.entrant).collect()
    }

    /// An entrant's line.
    pub fn line(&self, entrant: usize) -> Option<&Line> {
        self.lines.iter().find(|line| line.entrant == entrant)
    }

    /// The blocks of entrants that share a place, best place first: who would have to play off (I.8).
    pub fn shared(&self) -> Vec<Vec<usize>> {
        let blocks = self.lines.chunk_by(|a, b| a.rank == b.rank);
        blocks
            .filter(|block| block.len() > 1)
            .map(|block| block.iter().map(|line| line.entrant).collect())
            .collect()
    }
}

/// One game in a cell of the cross table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Which game.
    pub game: GameId,
    /// Whether the row's entrant was Red.
    pub as_red: bool,
    /// The row's points in units: 2, 1 or 0.
    pub score: u32,
}

/// Everybody against everybody, rows and columns in the order of places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossTable {
    /// The entrants of rows and columns.
    pub order: Vec<usize>,
    /// `cells[row][column]`: the row's games against the column, first those as Red, then those as Black,
    /// each in schedule order. The diagonal is empty.
    pub cells: Vec<Vec<Vec<Mark>>>,
}

/// What places are made of.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scoresheet<'a> {
    /// How many entrants there are; results with others are not counted.
    pub entrants: usize,
    /// The games; of several attempts the last one counts, annulled ones are left out by the caller.
    pub results: &'a [GameResult],
    /// Extra games, for [`Criterion::PlayOff`](super::Criterion::PlayOff) alone.
    pub play_offs: &'a [PlayOff],
    /// The chief referee's word on equals that nothing separated: each the entrants of a block, best first.
    pub orders: &'a [Vec<usize>],
    /// Entrants that have withdrawn: they stand behind their equals.
    pub withdrawn: &'a [usize],
    /// For each entrant its points without a game, in units; empty for none
    /// ([`Format::bonus`](super::Format::bonus)).
    pub bonus: &'a [u32],
    /// For each entrant how many ties of a knockout it survived; empty for none
    /// ([`Format::survived`](super::Format::survived)). Goes before points.
    pub survived: &'a [u32],
}

impl<'a> Scoresheet<'a> {
    /// Games alone.
    pub fn new(entrants: usize, results: &'a [GameResult]) -> Scoresheet<'a> {
        Scoresheet { entrants, results, ..Scoresheet::default() }
    }

    fn games(&self) -> Cow<'a, [GameResult]> {
        let games = counted(self.results);
        let fits = |game: &GameResult| game.red != game.black && game.red.max(game.black) < self.entrants;
        if games.iter().all(fits) {
            return games;
        }
        Cow::Owned(games.iter().copied().filter(fits).collect())
    }

    fn lines(&self, games: &[GameResult]) -> Vec<Line> {
        let blank = |entrant| Line {
            entrant,
            rank: 1,
            red: Wdl::default(),
            black: Wdl::default(),
            bonus: self.bonus.get(entrant).copied().unwrap_or(0),
            points: 0,
            sonneborn_berger: 0,
            decided: Decided::Points,
        };
        let mut lines: Vec<Line> = (0..self.entrants).map(blank).collect();
        let scores = |game: &GameResult| (game.score_of(game.red), game.score_of(game.black));
        for game in games {
            if let (Some(red), Some(black)) = scores(game) {
                lines[game.red].red.add(red);
                lines[game.black].black.add(black);
            }
        }
        for line in &mut lines {
            line.points = line.total().units() + line.bonus;
        }
        for game in games {
            if let (Some(red), Some(black)) = scores(game) {
                lines[game.red].sonneborn_berger += u64::from(red * lines[game.black].points);
                lines[game.black].sonneborn_berger += u64::from(black * lines[game.red].points);
            }
        }
        lines
    }

    /// The standings: by survival in a knockout, points, then the criteria of `how` in their order.
    pub fn standings(&self, how: &TieBreak) -> Standings {
        let games = self.games();
        let lines = self.lines(&games);
        let survived = |entrant: usize| self.survived.get(entrant).copied().unwrap_or(0);
        let first = if self.survived.is_empty() { Decided::Points } else { Decided::Survival };
        let merit = |entrant: &usize| (survived(*entrant), lines[*entrant].points);
        let mut entrants: Vec<usize> = (0..self.entrants).collect();
        entrants.sort_by_key(|entrant| std::cmp::Reverse(merit(entrant)));
        let evidence = Evidence {
            criteria: &how.0,
            results: &games,
            play_offs: self.play_offs,
            orders: self.orders,
            withdrawn: self.withdrawn,
            lines: &lines,
        };
        let mut placed = Vec::with_capacity(self.entrants);
        for block in entrants.chunk_by(|a, b| merit(a) == merit(b)) {
            let rivals = entrants.iter().filter(|other| survived(**other) == survived(block[0])).count();
            let made = if rivals > block.len() { Decided::Points } else { first };
            for group in separate(&evidence, block, made) {
                let rank = placed.len() as u32 + 1;
                placed.extend(group.into_iter().map(|(entrant, decided)| Line {
                    rank,
                    decided,
                    ..lines[entrant]
                }));
            }
        }
        Standings { lines: placed }
    }

    /// The cross table in the order of these standings.
    pub fn cross_table(&self, standings: &Standings) -> CrossTable {
        let order = standings.order();
        let mut place = vec![None; self.entrants];
        for (row, entrant) in order.iter().enumerate() {
            if let Some(slot) = place.get_mut(*entrant) {
                *slot = Some(row);
            }
        }
        let mut cells = vec![vec![Vec::new(); order.len()]; order.len()];
        let games = self.games();
        for as_red in [true, false] {
            for game in games.iter() {
                let (own, other) = if as_red { (game.red, game.black) } else { (game.black, game.red) };
                if let (Some(row), Some(column), Some(score)) = (place[own], place[other], game.score_of(own))
                {
                    cells[row][column].push(Mark { game: game.id, as_red, score });
                }
            }
        }
        CrossTable { order, cells }
    }
}

/// The standings of games alone: see [`Scoresheet::standings`].
pub fn standings(entrants: usize, results: &[GameResult], how: &TieBreak) -> Standings {
    Scoresheet::new(entrants, results).standings(how)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Outcome;
    use crate::tournament::{Criterion, Points};

    /// Games of one round: `red black score-of-red`.
    fn games(round: u32, list: &[(usize, usize, u32)]) -> Vec<GameResult> {
        (1..)
            .zip(list)
            .map(|(pair, &(red, black, score))| GameResult {
                id: GameId { stage: 1, round, pair, leg: 1, attempt: 1 },
                red,
                black,
                outcome: [Outcome::BlackWins, Outcome::Draw, Outcome::RedWins][score as usize],
            })
            .collect()
    }

    const WUKONG: usize = 0;
    const TIGER: usize = 1;
    const LOTUS: usize = 2;
    const RIVER: usize = 3;

    /// The sample table: four engines, double round robin.
    fn sample() -> Vec<GameResult> {
        games(
            1,
            &[
                (WUKONG, TIGER, 1),
                (TIGER, WUKONG, 1),
                (WUKONG, LOTUS, 2),
                (LOTUS, WUKONG, 0),
                (WUKONG, RIVER, 1),
                (RIVER, WUKONG, 1),
                (TIGER, LOTUS, 2),
                (LOTUS, TIGER, 1),
                (TIGER, RIVER, 2),
                (RIVER, TIGER, 1),
                (LOTUS, RIVER, 2),
                (RIVER, LOTUS, 1),
            ],
        )
    }

    fn play_off() -> PlayOff {
        let results =
            games(9, &[(WUKONG, TIGER, 1), (TIGER, WUKONG, 1), (TIGER, WUKONG, 1), (WUKONG, TIGER, 2)]);
        PlayOff { among: vec![TIGER, WUKONG], results }
    }

    #[test]
    fn the_sample_table() {
        let (results, play_offs) = (sample(), [play_off()]);
        let sheet = Scoresheet { play_offs: &play_offs, ..Scoresheet::new(4, &results) };
        let table = sheet.standings(&TieBreak::championship());
        assert_eq!(table.order(), [WUKONG, TIGER, LOTUS, RIVER]);
        assert_eq!(table.shared(), Vec::<Vec<usize>>::new());
        let rows: Vec<_> = table
            .lines
            .iter()
            .map(|line| {
                let Wdl { wins, draws, losses } = line.total();
                let berger = Points::TwoOneZero.write_sonneborn_berger(line.sonneborn_berger);
                (line.rank, wins, draws, losses, line.points, line.red.wins, line.black.wins, berger)
            })
            .collect();
        let row = |rank, wins, draws, losses, points, red, black, berger: &str| {
            (rank, wins, draws, losses, points, red, black, berger.to_owned())
        };
        assert_eq!(
            rows,
            [
                row(1, 2, 4, 0, 8, 1, 1, "20.0"),
                row(2, 2, 4, 0, 8, 2, 0, "20.0"),
                row(3, 1, 2, 3, 4, 1, 0, "10.0"),
                row(4, 0, 4, 2, 4, 0, 0, "14.0"),
            ]
        );
        let decided: Vec<_> = table.lines.iter().map(|line| line.decided).collect();
        assert_eq!(
            decided,
            [
                Decided::PlayOff { own: 5, other: 3 },
                Decided::PlayOff { own: 3, other: 5 },
                Decided::HeadToHead { own: 3, other: 1 },
                Decided::HeadToHead { own: 1, other: 3 },
            ]
        );
        let cells = sheet.cross_table(&table).cells;
        let marks: Vec<Vec<String>> = cells
            .iter()
            .map(|row| {
                row.iter().map(|cell| cell.iter().map(|mark| mark.score.to_string()).collect()).collect()
            })
            .collect();
        assert_eq!(
            marks,
            [["", "11", "22", "11"], ["11", "", "21", "21"], ["00", "10", "", "21"], ["11", "10", "10", ""]]
        );
        assert!(cells[2][3][0].as_red && !cells[2][3][1].as_red);
    }

    #[test]
    fn other_criteria_give_other_tables() {
        let results = sample();
        let check = |criteria: &[Criterion], order: [usize; 4], ranks: [u32; 4]| {
            let table = standings(4, &results, &TieBreak(criteria.to_vec()));
            assert_eq!(table.order(), order, "{criteria:?}");
            assert_eq!(table.lines.iter().map(|line| line.rank).collect::<Vec<_>>(), ranks, "{criteria:?}");
            table
        };
        let none = check(&[], [WUKONG, TIGER, LOTUS, RIVER], [1, 1, 3, 3]);
        assert!(none.lines.iter().all(|line| line.decided == Decided::Shared));
        assert_eq!(none.shared(), [vec![WUKONG, TIGER], vec![LOTUS, RIVER]]);
        check(&[Criterion::SonnebornBerger], [WUKONG, TIGER, RIVER, LOTUS], [1, 1, 3, 4]);
        check(&[Criterion::HeadToHead, Criterion::PlayOff], [WUKONG, TIGER, LOTUS, RIVER], [1, 1, 3, 4]);
        let open = check(&TieBreak::default().0, [WUKONG, TIGER, LOTUS, RIVER], [1, 2, 3, 4]);
        assert_eq!(open.lines[0].decided, Decided::WinsAsBlack(1));
        check(&[Criterion::Wins], [WUKONG, TIGER, LOTUS, RIVER], [1, 1, 3, 4]);
    }

    #[test]
    fn a_smaller_block_starts_again_with_its_own_games() {
        // 0, 1 and 2 have equal points; among them 2 has less, and 1 beat 0.
        let results = games(
            1,
            &[(0, 1, 0), (1, 2, 1), (2, 0, 0), (2, 3, 2), (3, 0, 1), (3, 1, 1), (0, 4, 1), (4, 2, 0)],
        );
        let mut with_bonus = Scoresheet::new(5, &results);
        let bonus = [0, 0, 0, 0, 9];
        with_bonus.bonus = &bonus;
        let lines = with_bonus.standings(&TieBreak::championship()).lines;
        assert_eq!((lines[0].entrant, lines[0].points, lines[0].decided), (4, 10, Decided::Points));
        let tied: Vec<_> = lines[1..].iter().map(|line| (line.entrant, line.rank, line.points)).collect();
        assert_eq!(tied[..], [(2, 2, 5), (1, 3, 4), (0, 4, 4), (3, 5, 2)]);

        // A circle of three and a fourth below: the mini-table is level, the play-off of three puts 2
        // first, and the rest starts again with the game 0-1.
        let circle = games(1, &[(0, 1, 2), (1, 2, 2), (2, 0, 2), (0, 3, 2), (1, 3, 2), (2, 3, 2)]);
        let three = PlayOff { among: vec![0, 1, 2], results: games(2, &[(2, 0, 2), (1, 2, 0), (0, 1, 1)]) };
        let play_offs = [three];
        let sheet = Scoresheet { play_offs: &play_offs, ..Scoresheet::new(4, &circle) };
        let lines = sheet.standings(&TieBreak::championship()).lines;
        let found: Vec<_> = lines.iter().map(|line| (line.entrant, line.rank, line.decided)).collect();
        assert_eq!(
            found,
            [
                (2, 1, Decided::PlayOffTable { own: 4, among: 3 }),
                (0, 2, Decided::HeadToHead { own: 2, other: 0 }),
                (1, 3, Decided::HeadToHead { own: 0, other: 2 }),
                (3, 4, Decided::Points),
            ]
        );
        let before = Scoresheet::new(4, &circle).standings(&TieBreak::championship());
        assert_eq!(before.shared(), [vec![0, 1, 2]]);
    }

    #[test]
    fn equals_that_did_not_all_meet_are_not_compared() {
        let results = games(1, &[(0, 1, 2), (2, 3, 2)]);
        let table = standings(4, &results, &TieBreak::championship());
        assert_eq!(table.shared(), [vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn survival_goes_before_points() {
        let results = games(1, &[(0, 1, 1), (2, 3, 2)]);
        let survived = [0, 2, 1, 0];
        let sheet = Scoresheet { survived: &survived, ..Scoresheet::new(4, &results) };
        let lines = sheet.standings(&TieBreak::none()).lines;
        let found: Vec<_> = lines.iter().map(|line| (line.entrant, line.decided)).collect();
        assert_eq!(
            found,
            [(1, Decided::Survival), (2, Decided::Survival), (0, Decided::Points), (3, Decided::Points)]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn standings_add_up(list in prop::collection::vec((0usize..6, 0usize..6, 0u32..3), 0..40)) {
            let list: Vec<_> = list.into_iter().filter(|(red, black, _)| red != black).collect();
            let results = games(1, &list);
            let all = TieBreak(vec![
                Criterion::HeadToHead,
                Criterion::PlayOff,
                Criterion::WinsAsBlack,
                Criterion::Wins,
                Criterion::SonnebornBerger,
            ]);
            let sheet = Scoresheet::new(6, &results);
            let table = sheet.standings(&all);
            let sum = |value: fn(&Line) -> u32| table.lines.iter().map(value).sum::<u32>();
            prop_assert_eq!(sum(|line| line.points), 2 * list.len() as u32);
            prop_assert_eq!(sum(|line| line.total().wins), sum(|line| line.total().losses));
            prop_assert_eq!(sum(|line| line.red.games()), list.len() as u32);
            let mut order = table.order();
            order.sort_unstable();
            prop_assert_eq!(order, (0..6).collect::<Vec<_>>());
            prop_assert!(table.lines.windows(2).all(|two| two[0].points >= two[1].points));
            for (place, line) in (1..).zip(&table.lines) {
                let alone = table.lines.iter().filter(|other| other.rank == line.rank).count() == 1;
                prop_assert_eq!(alone, line.decided != Decided::Shared);
                prop_assert!(line.rank <= place && (!alone || line.rank == place));
            }
            let cells = sheet.cross_table(&table).cells;
            let marks: usize = cells.iter().flatten().map(Vec::len).sum();
            prop_assert_eq!(marks, 2 * list.len());
            // The order in which results arrive changes nothing.
            let reversed: Vec<_> = results.iter().rev().copied().collect();
            prop_assert_eq!(&standings(6, &reversed, &all), &table);
        }
    }
}
