//! Tournament formats: each names the pairings of a round as a pure function of the number of
//! entrants and the results so far. No cursor to save. Never knows of games in progress. Start at
//! [`Format`].

use std::borrow::Cow;
use std::sync::Arc;

use super::championship::{Championship, Known, Part};
use super::exhibition::{self, Exhibition};
use super::id::GameId;
use super::knockout::{self, Knockout};
use super::swiss::{self, Swiss};
use super::{boards, gauntlet, pairs, round_robin};
use crate::game::Outcome;

/// Most entrants of a stage: a pairing table of this size already has half a million games.
pub const MAX_ENTRANTS: usize = 1_000;
/// Most games of two entrants in a round robin: legs of a bout are numbered in a byte.
pub const MAX_CYCLES: u32 = 200;
/// Most games of a bout in a Swiss or knockout round.
pub const MAX_BOUT: u8 = 100;
/// Most boards of an exhibition: each has its processes running at the same time.
pub const MAX_BOARDS: usize = 40;
/// Most games of a stage: ten years of one-second games on thirty boards; keeps all numbers in 32 bits.
pub const MAX_GAMES: u64 = 100_000_000;

/// A form of competition, with its own settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody, by Berger's tables.
    RoundRobin {
        /// How often each two meet (2 is a double round robin).
        cycles: u32,
        /// Whether the games of two entrants are played back to back or cycle by cycle.
        order: CycleOrder,
    },
    /// The first `seeds` entrants meet all others, not each other.
    Gauntlet {
        /// How many entrants, from the first, are challengers.
        seeds: usize,
        /// Games of each pairing (both colours in turn).
        games: u32,
    },
    /// Two entrants, pairs of games with the same opening and colours exchanged.
    Pairs {
        /// How many pairs of games.
        pairs: u32,
    },
    /// Equal points meet, nobody twice.
    Swiss(Swiss),
    /// The loser of a bout is out.
    Knockout(Knockout),
    /// Entrants meet by twos in the order of entry, a board each; level stays level (III, IV).
    Boards {
        /// Games of each two, colours in turn.
        games: u8,
    },
    /// The first entrant, a master, meets all others at once, a board each (II).
    Exhibition(Exhibition),
    /// A part of a championship by groups and a final (I).
    Championship(Arc<Championship>, Part),
}

/// What a stage needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// These games, in this order.
    Round(Vec<Pairing>),
    /// Results of earlier rounds: the pairings depend on them.
    Waiting,
    /// A word of the chief referee on these bouts (entrants, the earlier first), which stayed level.
    Held(Vec<(usize, usize)>),
    /// Nothing; or it cannot be played at all ([`Format::check`]).
    Over,
}

/// The order of a round robin with several cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CycleOrder {
    /// The games of two entrants back to back with colours exchanged (2006 and Chinese practice).
    #[default]
    Bouts,
    /// One cycle after the other, colours reversed in every second one (UCCI league, FIDE).
    Cycles,
}

/// Two entrants that meet in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// Number within the round, from 1.
    pub pair: u32,
    /// Index of the entrant that is Red in the first game (and in every odd one).
    pub first: usize,
    /// Index of the other.
    pub second: usize,
    /// Games of this pairing in this round; colours change from game to game.
    pub legs: u8,
    /// Serial number of the pairing in the stage, from 0, in schedule order.
    pub serial: u32,
    /// Number of the opening of its first two games in the stage, from 0. Games that belong together
    /// (both colours of a bout, or of two cycles) share a number. Ask [`Pairing::opening_of`].
    pub opening: u32,
}

impl Pairing {
    /// Red and Black (indices of entrants) of a game of this pairing, by its leg from 1.
    pub const fn seats(&self, leg: u8) -> (usize, usize) {
        if leg % 2 == 1 { (self.first, self.second) } else { (self.second, self.first) }
    }

    /// The number of a leg's opening (legs count from 1): a new one every two games.
    pub fn opening_of(&self, leg: u8) -> u32 {
        self.opening.saturating_add(u32::from(leg.saturating_sub(1) / 2))
    }
}

/// One finished game of a stage as the formats and standings see it. Annulled games are left out by
/// the caller; of several attempts the last one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GameResult {
    /// Which game.
    pub id: GameId,
    /// Index of the entrant that was Red.
    pub red: usize,
    /// Index of the entrant that was Black.
    pub black: usize,
    /// How it ended.
    pub outcome: Outcome,
}

impl GameResult {
    /// What the game brought an entrant: 2 for a win, 1 for a draw, 0 for a loss; `None` if it did not
    /// play in it. These are points of the scale 2/1/0 and half points of the scale 1/0.5/0.
    pub fn score_of(&self, entrant: usize) -> Option<u32> {
        if entrant != self.red && entrant != self.black {
            return None;
        }
        Some(match self.outcome {
            Outcome::Draw => 1,
            Outcome::RedWins => 2 * u32::from(entrant == self.red),
            Outcome::BlackWins => 2 * u32::from(entrant == self.black),
        })
    }
}

/// The results that count, in schedule order: of each game's attempts the last one.
pub(super) fn counted(results: &[GameResult]) -> Cow<'_, [GameResult]> {
    let place = |result: &GameResult| GameId { attempt: 1, ..result.id };
    // They mostly are what is wanted already, and a long test has many.
    if results.is_sorted_by(|one, next| place(one) < place(next)) {
        return Cow::Borrowed(results);
    }
    let mut last = results.to_vec();
    last.sort_by_key(|result| result.id);
    last.dedup_by(|later, kept| {
        let same = place(later) == place(kept);
        if same {
            *kept = *later;
        }
        same
    });
    Cow::Owned(last)
}

/// A format that cannot be played by a field of this size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Too few or too many entrants.
    #[error("{form} needs {least} to {most} entrants, there are {found}")]
    Entrants {
        /// Name of the format.
        form: &'static str,
        /// Least number.
        least: usize,
        /// Greatest number.
        most: usize,
        /// What was given.
        found: usize,
    },
    /// A setting out of its range.
    #[error("{setting} must be 1 to {most}, not {found}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// Greatest value.
        most: u64,
        /// What was given.
        found: u64,
    },
    /// Somebody would be without an opponent.
    #[error("a match on boards needs an even number of entrants, there are {0}")]
    Odd(usize),
    /// More games than a stage may have.
    #[error("{0} games are too many for a stage (at most {MAX_GAMES})")]
    Games(u64),
}

/// Refuses a setting outside 1..=most.
pub(super) fn within(setting: &'static str, found: u64, most: u64) -> Result<(), FormatError> {
    if (1..=most).contains(&found) { Ok(()) } else { Err(FormatError::Setting { setting, most, found }) }
}

/// Numbers the pairings of a round. `serial` and `opening` are those of the first; each pairing takes
/// one number of both.
pub(super) fn numbered(meetings: &[(usize, usize)], legs: u8, serial: u32, opening: u32) -> Vec<Pairing> {
    (0u32..)
        .zip(meetings)
        .map(|(place, &(first, second))| Pairing {
            pair: place + 1,
            first,
            second,
            legs,
            serial: serial + place,
            opening: opening + place,
        })
        .collect()
}

/// Refuses a field of a size outside least..=most.
pub(super) fn field(form: &'static str, found: usize, least: usize, most: usize) -> Result<(), FormatError> {
    if (least..=most).contains(&found) {
        Ok(())
    } else {
        Err(FormatError::Entrants { form, least, most, found })
    }
}

impl Format {
    /// Whether the pairings of a round do not depend on results, so that games of later rounds may
    /// start while earlier ones run.
    pub fn is_fixed(&self) -> bool {
        match self {
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Pairs { .. }
            | Format::Boards { .. }
            | Format::Exhibition(_)
            | Format::Championship(_, Part::Groups) => true,
            Format::Swiss(_) | Format::Knockout(_) | Format::Championship(_, _) => false,
        }
    }

    /// Whether an entrant plays one game at a time and the games of a bout follow each other, whatever else
    /// is played at the same time (I.5, I.13, III.4).
    pub fn in_order(&self) -> bool {
        match self {
            Format::Boards { .. } | Format::Exhibition(_) | Format::Championship(_, _) => true,
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Pairs { .. }
            | Format::Swiss(_)
            | Format::Knockout(_) => false,
        }
    }

    /// Whether its pairings follow from results. A test of many thousand games needs none of them to know
    /// what is next.
    pub fn looks_back(&self) -> bool {
        match self {
            Format::Swiss(_) | Format::Knockout(_) | Format::Championship(_, _) => true,
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Pairs { .. }
            | Format::Boards { .. }
            | Format::Exhibition(_) => false,
        }
    }

    /// Whether its games are rapid bouts among equals.
    pub fn is_play_off(&self) -> bool {
        matches!(self, Format::Championship(_, Part::Qualifying | Part::Places))
    }

    /// The championship it is a part of.
    pub fn championship(&self) -> Option<&Championship> {
        match self {
            Format::Championship(event, _) => Some(event),
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Pairs { .. }
            | Format::Swiss(_)
            | Format::Knockout(_)
            | Format::Boards { .. }
            | Format::Exhibition(_) => None,
        }
    }

    /// Its settings, if it is an exhibition: all its games are played as one.
    pub fn exhibition(&self) -> Option<Exhibition> {
        match self {
            Format::Exhibition(exhibition) => Some(*exhibition),
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Pairs { .. }
            | Format::Swiss(_)
            | Format::Knockout(_)
            | Format::Boards { .. }
            | Format::Championship(_, _) => None,
        }
    }

    /// Whether this format can be played by so many entrants. Errors: the number of entrants, a setting
    /// out of range, or more than [`MAX_GAMES`] games. [`Format::round`] names no pairings where this fails.
    pub fn check(&self, entrants: usize) -> Result<(), FormatError> {
        match *self {
            Format::RoundRobin { cycles, .. } => {
                field("a round robin", entrants, 2, MAX_ENTRANTS)?;
                within("cycles", cycles.into(), MAX_CYCLES.into())?;
            }
            Format::Gauntlet { seeds, games } => {
                field("a gauntlet", entrants, 2, MAX_ENTRANTS)?;
                within("seeds", seeds as u64, entrants as u64 - 1)?;
                within("games", games.into(), MAX_GAMES)?;
            }
            Format::Pairs { pairs } => {
                field("a match in pairs of games", entrants, 2, 2)?;
                within("pairs", pairs.into(), MAX_GAMES / 2)?;
            }
            Format::Swiss(Swiss { rounds, games }) => {
                field("a Swiss tournament", entrants, 2, MAX_ENTRANTS)?;
                within("rounds", rounds.into(), swiss::most_rounds(entrants).into())?;
                within("games", games.into(), MAX_BOUT.into())?;
            }
            Format::Knockout(Knockout { games, .. }) => {
                field("a knockout", entrants, 2, MAX_ENTRANTS)?;
                within("games", games.into(), MAX_BOUT.into())?;
            }
            Format::Boards { games } => {
                field("a match on boards", entrants, 2, MAX_ENTRANTS)?;
                within("games", games.into(), MAX_BOUT.into())?;
                if !entrants.is_multiple_of(2) {
                    return Err(FormatError::Odd(entrants));
                }
            }
            Format::Exhibition(_) => field("an exhibition", entrants, 2, MAX_BOARDS + 1)?,
            Format::Championship(ref event, _) => event.check(entrants)?,
        }
        match self.planned_games(entrants) {
            Some(games) if games > MAX_GAMES => Err(FormatError::Games(games)),
            Some(_) | None => Ok(()),
        }
    }

    fn planned_games(&self, entrants: usize) -> Option<u64> {
        match *self {
            Format::RoundRobin { cycles, .. } => Some(round_robin::games(entrants, cycles)),
            Format::Gauntlet { seeds, games } => Some(gauntlet::games(entrants, seeds, games)),
            Format::Pairs { pairs } => Some(2 * u64::from(pairs)),
            Format::Swiss(Swiss { rounds, games }) => {
                Some(u64::from(rounds) * u64::from(games) * (entrants / 2) as u64)
            }
            Format::Knockout(_) => None,
            Format::Boards { games } => Some(u64::from(games) * (entrants / 2) as u64),
            Format::Exhibition(_) => Some(entrants as u64 - 1),
            Format::Championship(ref event, part) => event.games(part),
        }
    }

    /// How many rounds there are, where that is known beforehand and the format can be played at all.
    pub fn rounds(&self, entrants: usize) -> Option<u32> {
        self.check(entrants).ok()?;
        match *self {
            Format::RoundRobin { cycles, order } => Some(round_robin::rounds(entrants, cycles, order)),
            Format::Gauntlet { seeds, games } => Some(gauntlet::rounds(entrants, seeds, games)),
            Format::Pairs { pairs } => Some(pairs),
            Format::Swiss(Swiss { rounds, .. }) => Some(rounds),
            Format::Knockout(_) => None,
            Format::Boards { .. } | Format::Exhibition(_) => Some(1),
            Format::Championship(ref event, part) => event.rounds(part),
        }
    }

    /// How many games there are, where that is known beforehand and the format can be played at all.
    pub fn games(&self, entrants: usize) -> Option<u64> {
        self.check(entrants).ok()?;
        self.planned_games(entrants)
    }

    /// What a round (from 1) of stage `stage` needs: its pairings, results of earlier rounds, a ruling, or
    /// nothing. Fixed formats never wait. A function of the results before the round alone, so a round
    /// once played is found again.
    pub fn next(&self, stage: u8, round: u32, entrants: usize, results: &[GameResult]) -> Next {
        self.next_of(stage, round, entrants, &Known { results, ..Known::default() })
    }

    /// As [`Format::next`], with all that is known of the event beside its results.
    pub fn next_of(&self, stage: u8, round: u32, entrants: usize, known: &Known<'_>) -> Next {
        let results = known.results;
        if round == 0 || self.check(entrants).is_err() || self.rounds(entrants).is_some_and(|all| round > all)
        {
            return Next::Over;
        }
        match *self {
            Format::RoundRobin { cycles, order } => {
                Next::Round(round_robin::round(entrants, cycles, order, round))
            }
            Format::Gauntlet { seeds, games } => Next::Round(gauntlet::round(entrants, seeds, games, round)),
            Format::Pairs { .. } => Next::Round(pairs::round(round)),
            Format::Swiss(swiss) => swiss::next(swiss, entrants, round, &of_stage(stage, results)),
            Format::Knockout(knockout) => {
                knockout::next(knockout, entrants, round, &of_stage(stage, results))
            }
            Format::Boards { games } => Next::Round(boards::round(entrants, games)),
            Format::Exhibition(exhibition) => Next::Round(exhibition::round(exhibition, entrants)),
            Format::Championship(ref event, part) => event.next(part, round, known),
        }
    }

    /// The pairings of a round (from 1), or `None` when it has none: [`Format::next`] says why.
    pub fn round(
        &self,
        stage: u8,
        round: u32,
        entrants: usize,
        results: &[GameResult],
    ) -> Option<Vec<Pairing>> {
        match self.next(stage, round, entrants, results) {
            Next::Round(pairings) => Some(pairings),
            Next::Waiting | Next::Held(_) | Next::Over => None,
        }
    }

    /// For each entrant its points for byes, in units (2 a win), from the results of this stage; empty
    /// where byes bring nothing.
    pub fn bonus(&self, entrants: usize, results: &[GameResult]) -> Vec<u32> {
        match *self {
            Format::Swiss(swiss) if self.check(entrants).is_ok() => {
                swiss::bonus(swiss, entrants, &counted(results))
            }
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Pairs { .. }
            | Format::Swiss(_)
            | Format::Knockout(_)
            | Format::Boards { .. }
            | Format::Exhibition(_)
            | Format::Championship(_, _) => Vec::new(),
        }
    }

    /// For each entrant how many tiers of a knockout it has survived, from the results of this stage; empty
    /// for other formats.
    pub fn survived(&self, entrants: usize, results: &[GameResult]) -> Vec<u32> {
        match *self {
            Format::Knockout(knockout) if self.check(entrants).is_ok() => {
                knockout::survived(knockout, entrants, &counted(results))
            }
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Pairs { .. }
            | Format::Swiss(_)
            | Format::Knockout(_)
            | Format::Boards { .. }
            | Format::Exhibition(_)
            | Format::Championship(_, _) => Vec::new(),
        }
    }
}

/// The results of a stage that count.
fn of_stage(stage: u8, results: &[GameResult]) -> Vec<GameResult> {
    counted(results).iter().filter(|result| result.id.stage == stage).copied().collect()
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    /// What the whole schedule of a fixed format gives.
    pub struct Tally {
        /// For each two that meet (lower index first): games, and how many more the lower one is Red.
        pub met: HashMap<(usize, usize), (u32, i32)>,
        /// For each entrant: how many more games as Red than as Black.
        pub balance: Vec<i32>,
        /// All games.
        pub games: u64,
    }

    /// Walks a fixed format's schedule and holds what is true of every one: ids and serials increase,
    /// pairs are numbered from 1, nobody sits at two boards, idle rounds differ by at most a cycle's share.
    pub fn tally(format: &Format, entrants: usize) -> Tally {
        let mut tally = Tally { met: HashMap::new(), balance: vec![0; entrants], games: 0 };
        let (mut serial, mut last) = (0, None);
        for round in 1..=format.rounds(entrants).expect("known") {
            let mut seated = HashSet::new();
            let pairings = format.round(1, round, entrants, &[]).expect("a round");
            assert!(!pairings.is_empty());
            for (place, pairing) in pairings.iter().enumerate() {
                assert_eq!((pairing.pair as usize, pairing.serial), (place + 1, serial));
                serial += 1;
                assert!(seated.insert(pairing.first) && seated.insert(pairing.second), "twice in {round}");
                for leg in 1..=pairing.legs {
                    let id = Some(GameId { stage: 1, round, pair: pairing.pair, leg, attempt: 1 });
                    assert!(id > last);
                    last = id;
                    let (red, black) = pairing.seats(leg);
                    tally.balance[red] += 1;
                    tally.balance[black] -= 1;
                    tally.games += 1;
                    let met = tally.met.entry((red.min(black), red.max(black))).or_insert((0, 0));
                    met.0 += 1;
                    met.1 += if red < black { 1 } else { -1 };
                }
            }
        }
        assert_eq!(format.round(1, format.rounds(entrants).expect("known") + 1, entrants, &[]), None);
        tally
    }

    #[test]
    fn what_cannot_be_played_is_refused() {
        let bouts = CycleOrder::Bouts;
        for (format, entrants, said) in [
            (
                Format::RoundRobin { cycles: 2, order: bouts },
                1,
                "a round robin needs 2 to 1000 entrants, there are 1",
            ),
            (Format::RoundRobin { cycles: 0, order: bouts }, 4, "cycles must be 1 to 200, not 0"),
            (Format::RoundRobin { cycles: 201, order: bouts }, 4, "cycles must be 1 to 200, not 201"),
            (Format::Gauntlet { seeds: 4, games: 2 }, 4, "seeds must be 1 to 3, not 4"),
            (Format::Gauntlet { seeds: 1, games: 0 }, 4, "games must be 1 to 100000000, not 0"),
            (
                Format::Gauntlet { seeds: 1, games: 100_000_000 },
                4,
                "300000000 games are too many for a stage (at most 100000000)",
            ),
            (Format::Pairs { pairs: 1 }, 3, "a match in pairs of games needs 2 to 2 entrants, there are 3"),
            (Format::Pairs { pairs: u32::MAX }, 2, "pairs must be 1 to 50000000, not 4294967295"),
        ] {
            let error = format.check(entrants).expect_err("refused");
            assert_eq!(error.to_string(), said);
            assert_eq!((format.rounds(entrants), format.round(1, 1, entrants, &[])), (None, None));
        }
    }

    #[test]
    fn the_largest_schedules_end_within_their_numbers() {
        for (format, entrants) in [
            (Format::RoundRobin { cycles: MAX_CYCLES, order: CycleOrder::Cycles }, MAX_ENTRANTS),
            (Format::RoundRobin { cycles: MAX_CYCLES, order: CycleOrder::Bouts }, MAX_ENTRANTS),
            (Format::Gauntlet { seeds: 500, games: 400 }, MAX_ENTRANTS),
            (Format::Gauntlet { seeds: 999, games: 100_000 }, MAX_ENTRANTS),
            (Format::Pairs { pairs: 50_000_000 }, 2),
        ] {
            let last = format.rounds(entrants).expect("playable");
            let pairings = format.round(1, last, entrants, &[]).expect("a round");
            let serial = pairings.last().expect("a pairing").serial;
            assert!(format.games(entrants).expect("known") <= MAX_GAMES && u64::from(serial) < MAX_GAMES);
        }
    }

    #[test]
    fn the_last_attempt_counts() {
        let result = |attempt, outcome| GameResult {
            id: GameId { stage: 1, round: 1, pair: 1, leg: 1, attempt },
            red: 0,
            black: 1,
            outcome,
        };
        let second = result(2, Outcome::BlackWins);
        assert_eq!(*counted(&[second, result(1, Outcome::RedWins)]), [second]);
        assert_eq!(*counted(&[second]), [second]);
        assert_eq!((second.score_of(0), second.score_of(1), second.score_of(2)), (Some(0), Some(2), None));
    }
}
