//! A match on boards (III.4, IV.4): entrants meet by twos in the order of entry, one bout a board, level
//! stays level. The organiser pairs them by listing them. Start at [`round`].

use super::format::{Pairing, numbered};

/// The only round: entrants 2k and 2k+1 meet at board k+1, the first-named Red in the first game.
pub fn round(entrants: usize, games: u8) -> Vec<Pairing> {
    let seats: Vec<(usize, usize)> = (0..entrants / 2).map(|board| (2 * board, 2 * board + 1)).collect();
    let mut pairings = numbered(&seats, games, 0, 0);
    let openings = u32::from(games).div_ceil(2);
    for pairing in &mut pairings {
        pairing.opening = pairing.serial * openings;
    }
    pairings
}

#[cfg(test)]
mod tests {
    use crate::tournament::Format;

    #[test]
    fn five_boards_of_two_games() {
        let format = Format::Boards { games: 2 };
        assert_eq!((format.rounds(10), format.games(10), format.is_fixed()), (Some(1), Some(10), true));
        let round = format.round(1, 1, 10, &[]).expect("a round");
        let seats: Vec<_> = round.iter().map(|pairing| (pairing.pair, pairing.seats(1))).collect();
        assert_eq!(seats, [(1, (0, 1)), (2, (2, 3)), (3, (4, 5)), (4, (6, 7)), (5, (8, 9))]);
        assert_eq!(round[4].seats(2), (9, 8));
        assert!(Format::Boards { games: 2 }.check(9).is_err(), "somebody would be alone");
    }
}
