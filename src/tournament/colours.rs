//! Who is Red in the games of a pairing, where a test wants it otherwise than the tables have it. Never says
//! who meets whom. Start at [`Colours::seats`].

use super::format::{CycleOrder, Format, Pairing};

/// How the games of two entrants share out the colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colours {
    /// As the tables have it, exchanged from game to game.
    #[default]
    Exchanged,
    /// All games of a pairing with the colours of the first.
    Kept,
    /// Exchanged, every game with the colours opposite to the tables.
    Reversed,
    /// All games of a pairing with the colours opposite to the first.
    KeptReversed,
}

impl Colours {
    /// All ways, the usual one first.
    pub const ALL: [Colours; 4] =
        [Colours::Exchanged, Colours::Kept, Colours::Reversed, Colours::KeptReversed];

    /// The way with these two properties.
    pub const fn of(kept: bool, reversed: bool) -> Colours {
        match (kept, reversed) {
            (false, false) => Colours::Exchanged,
            (true, false) => Colours::Kept,
            (false, true) => Colours::Reversed,
            (true, true) => Colours::KeptReversed,
        }
    }

    /// The word in configs and journals.
    pub const fn name(self) -> &'static str {
        match self {
            Colours::Exchanged => "exchanged",
            Colours::Kept => "kept",
            Colours::Reversed => "reversed",
            Colours::KeptReversed => "kept-reversed",
        }
    }

    /// That word where it is not the usual way, which nobody writes down.
    pub fn unusual(self) -> Option<&'static str> {
        (self != Colours::default()).then(|| self.name())
    }

    /// The way of this name.
    pub fn from_name(name: &str) -> Option<Colours> {
        Colours::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Red and Black (indices of entrants) of a game of a pairing, by its leg from 1.
    pub const fn seats(self, pairing: Pairing, leg: u8) -> (usize, usize) {
        let (red, black) = pairing.seats(match self {
            Colours::Exchanged | Colours::Reversed => leg,
            Colours::Kept | Colours::KeptReversed => 1,
        });
        match self {
            Colours::Exchanged | Colours::Kept => (red, black),
            Colours::Reversed | Colours::KeptReversed => (black, red),
        }
    }

    /// Whether a format can be played so: only tests, in which a pairing's games are all of two entrants'.
    pub fn suit(self, format: &Format) -> bool {
        match format {
            Format::Pairs { .. }
            | Format::Gauntlet { .. }
            | Format::RoundRobin { order: CycleOrder::Bouts, .. } => true,
            Format::RoundRobin { order: CycleOrder::Cycles, .. }
            | Format::Swiss(_)
            | Format::Knockout(_)
            | Format::Boards { .. }
            | Format::Exhibition(_)
            | Format::Championship(_, _) => self == Colours::Exchanged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_red_in_four_games_of_two() {
        let pairing = Pairing { pair: 1, first: 0, second: 1, legs: 4, serial: 0, opening: 0 };
        for (colours, reds) in [
            (Colours::Exchanged, [0, 1, 0, 1]),
            (Colours::Kept, [0, 0, 0, 0]),
            (Colours::Reversed, [1, 0, 1, 0]),
            (Colours::KeptReversed, [1, 1, 1, 1]),
        ] {
            let seats = [1, 2, 3, 4].map(|leg| colours.seats(pairing, leg));
            assert_eq!(seats.map(|(red, _)| red), reds, "{colours:?}");
            assert_eq!(seats.map(|(_, black)| black), reds.map(|red| 1 - red), "{colours:?}");
            assert_eq!(Colours::from_name(colours.name()), Some(colours));
        }
        for kept in [false, true] {
            for reversed in [false, true] {
                let (red, _) = Colours::of(kept, reversed).seats(pairing, 2);
                assert_eq!(red, usize::from(kept == reversed), "{kept} {reversed}");
            }
        }
    }
}
