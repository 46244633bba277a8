//! A match of two entrants in pairs of games: round k is pair k, both games with one opening and
//! colours exchanged, the first entrant Red in the odd games. Start at [`round`].

use super::format::{Pairing, numbered};

/// Games of a pair.
pub const GAMES_OF_A_PAIR: u8 = 2;

/// The pairing of a round, from 1.
pub fn round(round: u32) -> Vec<Pairing> {
    let serial = round.saturating_sub(1);
    numbered(&[(0, 1)], GAMES_OF_A_PAIR, serial, serial)
}

#[cfg(test)]
mod tests {
    use crate::tournament::Format;

    #[test]
    fn round_k_is_pair_k() {
        let format = Format::Pairs { pairs: 3 };
        assert_eq!((format.rounds(2), format.games(2), format.is_fixed()), (Some(3), Some(6), true));
        for k in 1..=3 {
            let round = format.round(1, k, 2, &[]).expect("a round");
            let [pairing] = round[..] else { panic!("{round:?}") };
            assert_eq!((pairing.pair, pairing.legs, pairing.serial, pairing.opening), (1, 2, k - 1, k - 1));
            assert_eq!((pairing.seats(1), pairing.seats(2)), ((0, 1), (1, 0)));
            assert_eq!(pairing.opening_of(2), k - 1);
        }
        assert_eq!(format.round(1, 4, 2, &[]), None);
        assert_eq!(format.round(1, 0, 2, &[]), None);
        assert_eq!(format.round(1, 1, 3, &[]), None, "two entrants only");
    }
}
