//! Swiss rounds after the ideas of the Dutch system: equal points meet, upper half against lower half,
//! nobody meets twice, colours balance, a bye counts as a win and comes once. A round is a pure function
//! of the results before it; no chance. Entrants are seeded by their order. Start at [`next`].
//!
//! What gives way when not everything can be had, in this order: closeness of points, colours (no third
//! equal colour running, no difference above two), and last of all, where a small field has played nearly
//! everything, meeting twice and a second bye. Up to half as many rounds as entrants nobody ever meets
//! twice (in such graphs a complete matching always exists).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::format::{GameResult, Next, numbered};
use super::matching::Matching;

/// Settings of a Swiss tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swiss {
    /// How many rounds.
    pub rounds: u32,
    /// Games of two entrants in a round, colours in turn. Colour rules look at the first of them.
    pub games: u8,
}

/// Most rounds for a field: as many as everybody has opponents (or byes).
pub fn most_rounds(entrants: usize) -> u32 {
    (entrants + entrants % 2).saturating_sub(1) as u32
}

/// An entrant before a round.
#[derive(Debug, Clone, Default)]
struct Player {
    points: u32,
    met: Vec<usize>,
    /// Colours of the first games of its rounds, Red is true; rounds without a game are left out.
    colours: Vec<(u32, bool)>,
    byes: u32,
}

/// The colour an entrant should have next, and how urgently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    must: bool,
    imbalance: u32,
    red: bool,
}

impl Player {
    fn wish(&self) -> Option<Wish> {
        let last = self.colours.last()?.1;
        let reds = self.colours.iter().filter(|(_, red)| *red).count();
        let imbalance = reds.abs_diff(self.colours.len() - reds) as u32;
        let twice = self.colours.iter().rev().nth(1).is_some_and(|before| before.1 == last);
        let more_reds = 2 * reds > self.colours.len();
        let red = if twice || imbalance == 0 { !last } else { !more_reds };
        Some(Wish { must: twice || imbalance >= 2, imbalance, red })
    }

    fn colour_in(&self, round: u32) -> Option<bool> {
        self.colours.iter().find(|(played, _)| *played == round).map(|(_, red)| *red)
    }
}

/// How much may be given up to find a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rigour {
    /// Nothing.
    Full,
    /// The colour rules.
    NoColours,
    /// Also meeting twice and a second bye.
    Anything,
}

impl Rigour {
    const IN_ORDER: [Rigour; 3] = [Rigour::Full, Rigour::NoColours, Rigour::Anything];

    fn allows(self, a: &Player, b: &Player, other: usize) -> bool {
        let clash = || match (a.wish(), b.wish()) {
            (Some(a), Some(b)) => a.must && b.must && a.red == b.red,
            (Some(_) | None, _) => false,
        };
        match self {
            Rigour::Full => !a.met.contains(&other) && !clash(),
            Rigour::NoColours => !a.met.contains(&other),
            Rigour::Anything => true,
        }
    }

    fn allows_bye(self, player: &Player) -> bool {
        match self {
            Rigour::Full | Rigour::NoColours => player.byes == 0,
            Rigour::Anything => true,
        }
    }
}

/// Results by their rounds.
fn by_rounds(results: &[GameResult]) -> BTreeMap<u32, Vec<&GameResult>> {
    let mut rounds: BTreeMap<u32, Vec<&GameResult>> = BTreeMap::new();
    for result in results {
        rounds.entry(result.id.round).or_default().push(result);
    }
    rounds
}

/// The field before a round; `None` while games of earlier rounds are missing.
fn field(swiss: Swiss, entrants: usize, round: u32, results: &[GameResult]) -> Option<Vec<Player>> {
    let played = by_rounds(results);
    let mut players = vec![Player::default(); entrants];
    for earlier in 1..round {
        let games = played.get(&earlier)?;
        if games.len() != entrants / 2 * usize::from(swiss.games) {
            return None;
        }
        for game in games {
            if game.red.max(game.black) >= entrants {
                return None;
            }
            for (own, other, red) in [(game.red, game.black, true), (game.black, game.red, false)] {
                players[own].points += game.score_of(own)?;
                if game.id.leg == 1 {
                    players[own].met.push(other);
                    players[own].colours.push((earlier, red));
                }
            }
        }
        for player in &mut players {
            if player.met.len() + (player.byes as usize) < earlier as usize {
                player.byes += 1;
                player.points += 2 * u32::from(swiss.games);
            }
        }
    }
    Some(players)
}

/// The round, or what it waits for. `results` are those of the stage that count.
pub fn next(swiss: Swiss, entrants: usize, round: u32, results: &[GameResult]) -> Next {
    if round > swiss.rounds {
        return Next::Over;
    }
    let Some(players) = field(swiss, entrants, round, results) else { return Next::Waiting };
    let mut order: Vec<usize> = (0..entrants).collect();
    order.sort_by_key(|entrant| (Reverse(players[*entrant].points), *entrant));
    let pairs = Rigour::IN_ORDER.into_iter().find_map(|rigour| pair_up(rigour, &players, &order));
    let meetings: Vec<_> = pairs
        .unwrap_or_default()
        .into_iter()
        .enumerate()
        .map(|(board, (upper, lower))| seat(&players, upper, lower, board.is_multiple_of(2)))
        .collect();
    let serial = (round - 1) * (entrants / 2) as u32;
    let openings = u32::from(swiss.games).div_ceil(2);
    let mut pairings = numbered(&meetings, swiss.games, serial, 0);
    pairings.iter_mut().for_each(|pairing| pairing.opening = pairing.serial * openings);
    Next::Round(pairings)
}

/// Everybody's opponent, the higher placed first, from the top board down; `None` if it cannot be done
/// so rigorously. Each in turn gets the opponent it should have among those that leave a round for the rest.
fn pair_up(rigour: Rigour, players: &[Player], order: &[usize]) -> Option<Vec<(usize, usize)>> {
    let mut matching = Matching::new(players.len(), |a, b| rigour.allows(&players[a], &players[b], b));
    if players.len().is_multiple_of(2) {
        if !matching.complete() {
            return None;
        }
    } else {
        let mut idle: Vec<usize> =
            order.iter().rev().copied().filter(|one| rigour.allows_bye(&players[*one])).collect();
        idle.sort_by_key(|one| players[*one].byes);
        idle.into_iter().find(|one| matching.take_out(*one))?;
    }
    let mut pairs = Vec::with_capacity(players.len() / 2);
    for (place, &upper) in order.iter().enumerate() {
        if !matching.is_present(upper) {
            continue;
        }
        let rest: Vec<usize> =
            order[place + 1..].iter().copied().filter(|one| matching.is_present(*one)).collect();
        let lower = wanted(players, upper, &rest).into_iter().find(|lower| matching.fix(upper, *lower))?;
        pairs.push((upper, lower));
    }
    Some(pairs)
}

/// Opponents for one in the order in which it should have them: not met before, near in points, colours
/// that go together, near the place where the lower half of its group begins.
fn wanted(players: &[Player], upper: usize, rest: &[usize]) -> Vec<usize> {
    let own = &players[upper];
    let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
    let group = 1 + rest.iter().filter(|one| players[**one].points == own.points).count();
    let mut list: Vec<_> = rest
        .iter()
        .map(|&one| {
            let other = &players[one];
            let place = seen.entry(other.points).or_insert(0);
            *place += 1;
            // Within its own group it stands at place 0 and looks for the middle; in a lower group for the top.
            let ideal = if other.points == own.points { group / 2 } else { 1 };
            let met = own.met.iter().filter(|met| **met == one).count();
            let same = own.wish().zip(other.wish()).is_some_and(|(a, b)| a.red == b.red);
            (met, own.points.abs_diff(other.points), same, place.abs_diff(ideal), *place, one)
        })
        .collect();
    list.sort_unstable();
    list.into_iter().map(|(.., one)| one).collect()
}

/// Red and Black: both wishes if they go together, else the more urgent one, else the reverse of the
/// last round in which the two had different colours, else the higher placed one's wish. Without any
/// wish the higher placed one is Red on every second board from the first.
fn seat(players: &[Player], upper: usize, lower: usize, odd_board: bool) -> (usize, usize) {
    let (a, b) = (&players[upper], &players[lower]);
    let upper_red = match (a.wish(), b.wish()) {
        (None, None) => odd_board,
        (Some(wish), None) => wish.red,
        (None, Some(wish)) => !wish.red,
        (Some(own), Some(other)) if own.red != other.red => own.red,
        (Some(own), Some(other)) => match (own.must, own.imbalance).cmp(&(other.must, other.imbalance)) {
            std::cmp::Ordering::Greater => own.red,
            std::cmp::Ordering::Less => !other.red,
            std::cmp::Ordering::Equal => {
                let differing = a.colours.iter().rev().find(|(round, red)| b.colour_in(*round) == Some(!red));
                differing.map_or(own.red, |(_, red)| !red)
            }
        },
    };
    if upper_red { (upper, lower) } else { (lower, upper) }
}

/// Points for byes, in units: as if all games of the round had been won. A bye counts from the first
/// result of its round on.
pub fn bonus(swiss: Swiss, entrants: usize, results: &[GameResult]) -> Vec<u32> {
    let begun = results.iter().map(|result| result.id.round).max().unwrap_or(0).min(swiss.rounds);
    let complete = field(swiss, entrants, begun + 1, results);
    let present = || {
        let mut players = field(swiss, entrants, begun, results)?;
        let Next::Round(pairings) = next(swiss, entrants, begun, results) else { return None };
        for (entrant, player) in players.iter_mut().enumerate() {
            if !pairings.iter().any(|pairing| pairing.first == entrant || pairing.second == entrant) {
                player.byes += 1;
            }
        }
        Some(players)
    };
    let players = complete.or_else(present).unwrap_or_else(|| vec![Player::default(); entrants]);
    players.iter().map(|player| player.byes * 2 * u32::from(swiss.games)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Outcome;
    use crate::tournament::{Chance, Format, GameId, Pairing, Scoresheet, TieBreak};

    /// Plays a round: the stronger (lower) entrant wins more often.
    fn play(round: u32, pairings: &[Pairing], chance: &mut Chance) -> Vec<GameResult> {
        let mut games = Vec::new();
        for pairing in pairings {
            for leg in 1..=pairing.legs {
                let (red, black) = pairing.seats(leg);
                let outcome = match chance.below(10) {
                    0..3 => Outcome::Draw,
                    3..8 if red < black => Outcome::RedWins,
                    3..8 => Outcome::BlackWins,
                    _ if red < black => Outcome::BlackWins,
                    _ => Outcome::RedWins,
                };
                let id = GameId { stage: 1, round, pair: pairing.pair, leg, attempt: 1 };
                games.push(GameResult { id, red, black, outcome });
            }
        }
        games
    }

    #[test]
    fn the_first_rounds_of_eight() {
        let format = Format::Swiss(Swiss { rounds: 3, games: 1 });
        let boards = |round, results: &[GameResult]| -> Vec<(usize, usize)> {
            let pairings = format.round(1, round, 8, results).expect("a round");
            pairings.iter().map(|pairing| (pairing.first + 1, pairing.second + 1)).collect()
        };
        let mut results = Vec::new();
        assert_eq!(boards(1, &results), [(1, 5), (6, 2), (3, 7), (8, 4)]);
        let mut win = |round, boards: &[(usize, usize)]| {
            for (pair, &(red, black)) in (1..).zip(boards) {
                let id = GameId { stage: 1, round, pair, leg: 1, attempt: 1 };
                let outcome = if red < black { Outcome::RedWins } else { Outcome::BlackWins };
                results.push(GameResult { id, red: red - 1, black: black - 1, outcome });
            }
            results.clone()
        };
        let after = win(1, &[(1, 5), (6, 2), (3, 7), (8, 4)]);
        // Winners 1-4, colours red, black, red, black: 1 should meet 3, but both want Black, so 2.
        assert_eq!(boards(2, &after), [(2, 1), (4, 3), (5, 6), (7, 8)]);
        let after = win(2, &[(2, 1), (4, 3), (5, 6), (7, 8)]);
        assert_eq!(boards(3, &after)[0], (1, 3));
        assert_eq!(format.round(1, 4, 8, &win(3, &boards(3, &after))), None);
        assert_eq!(format.next(1, 3, 8, &after[..7]), Next::Waiting);
        assert_eq!(format.next(1, 4, 8, &[]), Next::Over);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn nobody_meets_twice_and_colours_balance(entrants in 2usize..30, seed: u64, games in 1u8..3) {
            let rounds = (entrants.div_ceil(2)).min(11) as u32;
            let swiss = Swiss { rounds, games };
            let format = Format::Swiss(swiss);
            prop_assert_eq!(format.check(entrants), Ok(()));
            let mut chance = Chance::new(seed, "swiss");
            let mut results: Vec<GameResult> = Vec::new();
            for round in 1..=rounds {
                let pairings = format.round(1, round, entrants, &results).expect("a round");
                prop_assert_eq!(pairings.len(), entrants / 2);
                prop_assert_eq!(pairings[0].serial, (round - 1) * (entrants / 2) as u32);
                let mut games = play(round, &pairings, &mut chance);
                chance.shuffle(&mut games);
                results.extend(games);
                prop_assert_eq!(Some(pairings), format.round(1, round, entrants, &results), "the same later");
            }
            let players = field(swiss, entrants, rounds + 1, &results).expect("complete");
            for (entrant, player) in players.iter().enumerate() {
                let mut met = player.met.clone();
                met.sort_unstable();
                met.dedup();
                prop_assert_eq!(met.len(), player.met.len(), "{} meets twice", entrant);
                prop_assert!(player.byes <= (entrants % 2) as u32);
                prop_assert_eq!(met.len() as u32 + player.byes, rounds);
                let reds = player.colours.iter().filter(|(_, red)| *red).count();
                prop_assert!(reds.abs_diff(player.colours.len() - reds) <= 2, "{:?}", player.colours);
                let thrice = player.colours.windows(3).any(|w| w[0].1 == w[1].1 && w[1].1 == w[2].1);
                prop_assert!(!thrice, "{:?}", player.colours);
            }
            let bonus = format.bonus(entrants, &results);
            if entrants / 2 * usize::from(games) > 1 {
                // A round that has begun brings its bye.
                prop_assert_eq!(&format.bonus(entrants, &results[..results.len() - 1]), &bonus);
            }
            let sheet = Scoresheet { bonus: &bonus, ..Scoresheet::new(entrants, &results) };
            for line in sheet.standings(&TieBreak::none()).lines {
                prop_assert_eq!(line.points, players[line.entrant].points);
            }
        }

        #[test]
        fn long_tournaments_go_on(entrants in 2usize..9, seed: u64) {
            let rounds = most_rounds(entrants);
            let format = Format::Swiss(Swiss { rounds, games: 1 });
            let mut chance = Chance::new(seed, "swiss");
            let mut results = Vec::new();
            for round in 1..=rounds {
                let pairings = format.round(1, round, entrants, &results).expect("a round");
                prop_assert_eq!(pairings.len(), entrants / 2);
                results.extend(play(round, &pairings, &mut chance));
            }
        }
    }
}
