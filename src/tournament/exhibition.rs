//! An exhibition (II.2): one master at a board of each team, turn by turn, one game each. What the master's
//! visits and the groups' overruns mean is a value here; the sitting at the boards obeys it.
//! Start at [`Exhibition`].

use std::time::Duration;

use super::format::{Pairing, numbered};
use crate::game::OverrunRule;
use crate::xiangqi::Side;

/// Index of the master among the entrants: the others are the teams, a board each.
pub const MASTER: usize = 0;

/// The settings of an exhibition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exhibition {
    /// The master's colour on all boards.
    pub colour: Side,
    /// Time from the beginning of the display to its end, one clock for all boards, scaled already; what is
    /// not decided then is drawn (II.5).
    pub session: Duration,
    /// What the master does at a board whose team still thinks.
    pub visit: Visit,
    /// What an overrun of a team's time for a move means.
    pub overrun: OverrunRule,
    /// The so many-th overrun of a team on end is held for the chief referee; 0 is never.
    pub most_overruns: u32,
    /// Whether the master's engine is told of a new game whenever it comes to another board.
    pub isolate: bool,
    /// Whether the other members of a team are asked for advice before the member on turn.
    pub advice: bool,
}

/// How the master goes from board to board. Boards whose game is over are always left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Visit {
    /// Strictly one board after the other; he waits where the team still thinks.
    #[default]
    Wait,
    /// One board after the other, past those where the team still thinks.
    Skip,
    /// He stays at a board until its game is over.
    Stay,
}

impl Visit {
    /// All ways, the default first.
    pub const ALL: [Visit; 3] = [Visit::Wait, Visit::Skip, Visit::Stay];

    /// The word in configs and journals.
    pub const fn name(self) -> &'static str {
        match self {
            Visit::Wait => "wait",
            Visit::Skip => "skip",
            Visit::Stay => "stay",
        }
    }

    /// The way of this name.
    pub fn from_name(name: &str) -> Option<Visit> {
        Visit::ALL.into_iter().find(|visit| visit.name() == name)
    }
}

/// The only round: the master meets the team of entrant k at board k. All boards begin with one opening.
pub fn round(exhibition: Exhibition, entrants: usize) -> Vec<Pairing> {
    let teams = (0..entrants).filter(|one| *one != MASTER);
    let seats: Vec<(usize, usize)> = match exhibition.colour {
        Side::Red => teams.map(|team| (MASTER, team)).collect(),
        Side::Black => teams.map(|team| (team, MASTER)).collect(),
    };
    let mut pairings = numbered(&seats, 1, 0, 0);
    for pairing in &mut pairings {
        pairing.opening = 0;
    }
    pairings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Format;

    #[test]
    fn five_boards_of_one_master() {
        let mut exhibition = Exhibition {
            colour: Side::Red,
            session: Duration::from_secs(7200),
            visit: Visit::Wait,
            overrun: OverrunRule::Pass,
            most_overruns: 5,
            isolate: true,
            advice: false,
        };
        let seats = |exhibition| -> Vec<(usize, usize)> {
            let round = Format::Exhibition(exhibition).round(1, 1, 6, &[]).expect("a round");
            assert!(
                round.iter().zip(1..).all(|(two, board)| (two.pair, two.legs, two.opening) == (board, 1, 0))
            );
            round.iter().map(|pairing| pairing.seats(1)).collect()
        };
        assert_eq!(seats(exhibition), [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]);
        exhibition.colour = Side::Black;
        assert_eq!(seats(exhibition)[4], (5, 0));
        let format = Format::Exhibition(exhibition);
        assert_eq!((format.rounds(6), format.games(6), format.is_fixed()), (Some(1), Some(5), true));
        assert!(format.check(1).is_err(), "nobody to play");
        for visit in Visit::ALL {
            assert_eq!(Visit::from_name(visit.name()), Some(visit));
        }
    }
}
