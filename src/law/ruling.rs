//! What a repetition was judged to be: the verdict, each side's level, every half-move's deed.
//! Data only. Start at [`Ruling`].

use std::ops::Range;

use super::rules::Book;
use crate::xiangqi::{BySide, Kind, Side, Square};

/// Who loses by a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Neither side.
    Draw,
    /// Red broke the rule.
    RedLoses,
    /// Black broke the rule.
    BlackLoses,
}

impl Verdict {
    /// The side that loses.
    pub const fn loser(self) -> Option<Side> {
        match self {
            Verdict::Draw => None,
            Verdict::RedLoses => Some(Side::Red),
            Verdict::BlackLoses => Some(Side::Black),
        }
    }

    /// The verdict in which a side loses, or a draw.
    pub const fn losing(side: Option<Side>) -> Verdict {
        match side {
            None => Verdict::Draw,
            Some(Side::Red) => Verdict::RedLoses,
            Some(Side::Black) => Verdict::BlackLoses,
        }
    }

    /// The word of the case files: `draw`, `red_loses`, `black_loses`.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Draw => "draw",
            Verdict::RedLoses => "red_loses",
            Verdict::BlackLoses => "black_loses",
        }
    }
}

/// What a side did over the whole span (`asian-rules.md` 1); the higher level loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// 0: anything that is allowed.
    Permitted = 0,
    /// 1: perpetual chase by taking roots away.
    TakesRootsAway = 1,
    /// 2: perpetual chase.
    Chases = 2,
    /// 3: perpetual chase of a horse-pinned chariot.
    ChasesPinnedChariot = 3,
    /// 4: perpetual check.
    Checks = 4,
}

/// How a chase came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Manner {
    /// The capture was not legal before the half-move.
    Direct,
    /// The capture was legal before, but the victim was protected or could take back.
    Subversive,
}

/// One new threat made by a half-move; the points are those of the position after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chase {
    /// Where the attacker stands.
    pub attacker: Square,
    /// What it is.
    pub attacker_kind: Kind,
    /// Identity of the attacker: its point at the start of the span.
    pub attacker_id: Square,
    /// Where the victim stands.
    pub victim: Square,
    /// What it is.
    pub victim_kind: Kind,
    /// Identity of the victim: its point at the start of the span.
    pub victim_id: Square,
    /// Direct or subversive.
    pub manner: Manner,
}

/// What a half-move was, for explanation. Never touches a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// Gives check.
    Check,
    /// Makes a new threat.
    Chase,
    /// Threatens mate.
    MateThreat,
    /// Offers a piece.
    Offer,
    /// Offers an exchange.
    Exchange,
    /// Blocks a mate threat.
    Block,
    /// Threatens to check and then take.
    CheckAndTake,
    /// Nothing of these.
    Idle,
}

/// What one half-move of the span was.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Deed {
    /// Whether it gave check (a check is only a check).
    pub check: bool,
    /// The new threats it made; empty when it gave check.
    pub chases: Vec<Chase>,
    /// The word for it.
    pub label: Label,
}

/// A repetition judged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ruling {
    /// The rule book it was judged by.
    pub book: Book,
    /// How often the position had stood.
    pub occurrences: u32,
    /// The article it is an instance of; 0 is the general rule; `None` for books without articles.
    pub article: Option<u8>,
    /// Who loses.
    pub verdict: Verdict,
    /// Each side's level over the span (all 0 for books without levels).
    pub levels: BySide<Level>,
    /// The judged half-moves, as indices into the game.
    pub span: Range<usize>,
    /// One deed per half-move of the span; empty for the book `plain`.
    pub deeds: Vec<Deed>,
}
