//! How a rule book reads the places where rule texts can be read in more than one way
//! (`asian-rules.md` 3 and 4): values only. Start at [`Readings::ASIAN_2006`].

use crate::xiangqi::Kind;

/// What makes a threat new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newness {
    /// This piece did not threaten that piece before the half-move. A piece that goes on attacking from a
    /// new point of the same line makes no new threat.
    Pair,
    /// As `Pair`, and whatever the moved piece threatens is new.
    PairOrMoved,
    /// No piece threatened that piece before the half-move.
    Victim,
}

/// What taking a victim's protection away under a standing attack is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootsAway {
    /// Nothing.
    Permitted,
    /// A chase of its own, lower level.
    LowerChase,
    /// A chase like any other.
    Chase,
}

/// The readings of a rule book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readings {
    /// Whether a half-move that checks also makes the chases that it would make without the check.
    /// Chosen: no, a check is only a check (articles 1 and 7).
    pub check_also_chases: bool,
    /// Whether any check in the span, short of a perpetual one, makes it a draw.
    pub any_check_draws: bool,
    /// Attackers that threaten a victim whether or not it has a root. Chosen: cannon and horse on a
    /// chariot, nothing else (articles 9 and 15); advisors and elephants are not named.
    pub rooted_too: &'static [(Kind, Kind)],
    /// What makes a threat new. Chosen: the pair of attacker and victim.
    pub newness: Newness,
    /// What taking a victim's protection away under a standing attack is. Chosen: a chase of level 1
    /// (articles 21 and 29).
    pub roots_away: RootsAway,
    /// Whether a chariot pinned on an enemy horse's leg is protected above all other chases (level 3,
    /// article 14). Chosen: yes.
    pub horse_pinned_chariot: bool,
    /// Whether a pinned chariot attacks what stands on its own pin line. Chosen: yes, since the capture is
    /// legal (article 22).
    pub attack_along_pin: bool,
    /// Whether a chariot chased by a cannon (article 9), by cannon and horse or by two horses in turn
    /// (article 15) makes it a draw by chasing one piece itself. Chosen: yes, equal levels draw.
    pub hitting_back_excuses: bool,
}

impl Readings {
    /// The Asian rules as this program reads them.
    pub const ASIAN_2006: Readings = Readings {
        check_also_chases: false,
        any_check_draws: false,
        rooted_too: &[(Kind::Cannon, Kind::Chariot), (Kind::Horse, Kind::Chariot)],
        newness: Newness::Pair,
        roots_away: RootsAway::LowerChase,
        horse_pinned_chariot: true,
        attack_along_pin: true,
        hitting_back_excuses: true,
    };

    /// Whether `attacker` threatens `victim` rooted or not.
    pub(crate) fn rooted_too(&self, attacker: Kind, victim: Kind) -> bool {
        self.rooted_too.contains(&(attacker, victim))
    }
}
