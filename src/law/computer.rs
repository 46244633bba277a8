//! The rule book `computer`: what the strongest engine's team plays by (`asian-rules.md` 4). A side
//! that checks on every half-move loses; any other check draws; a side that newly attacks one victim
//! on every half-move loses. Values only: the judging is that of `judge`.

use super::readings::{Newness, Readings, RootsAway};
use crate::xiangqi::Kind;

impl Readings {
    /// The readings of the rule book `computer`.
    pub const COMPUTER: Readings = Readings {
        check_also_chases: false,
        any_check_draws: true,
        rooted_too: &[
            (Kind::Cannon, Kind::Chariot),
            (Kind::Horse, Kind::Chariot),
            (Kind::Advisor, Kind::Chariot),
            (Kind::Advisor, Kind::Horse),
            (Kind::Advisor, Kind::Cannon),
            (Kind::Elephant, Kind::Chariot),
            (Kind::Elephant, Kind::Horse),
            (Kind::Elephant, Kind::Cannon),
        ],
        newness: Newness::Victim,
        roots_away: RootsAway::Chase,
        horse_pinned_chariot: false,
        attack_along_pin: true,
        hitting_back_excuses: true,
    };
}
