//! Why a repetition was judged as it was, as data: for every half-move its label, its new threats with
//! what the victim's guards could not do, and its new attacks that are no threats with what spoke
//! against it. Words and diagrams are made elsewhere; nothing here touches a verdict. Start at [`explain`].

use super::asian::cite;
use super::judge::judge_by;
use super::levels::{horse_behind, victims};
use super::readings::Readings;
use super::ruling::{Chase, Label, Manner, Ruling};
use super::span::{Ply, SpanError};
use super::terms::attack::{strikes, uncrossed};
use super::terms::label::facets;
use super::terms::root::{Guard, guards};
use super::trail::Trail;
use crate::xiangqi::{BySide, Kind, Move, Piece, Side, Square};

/// Why an attack is a threat, or why it is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A threat: cannon or horse attacks a chariot, so that roots do not count.
    RootedOrNot,
    /// A threat: nothing guards the victim.
    Rootless,
    /// A threat: guards stand there, and none of them could take back.
    FalseRoots,
    /// No threat: a guard could take back.
    TrueRoot,
    /// No threat: the victim is of the attacker's kind and could take it.
    CouldTakeBack,
    /// No threat: the general and soldiers may attack as they like.
    FreeAttacker,
    /// No threat: a soldier that has not crossed the river may be attacked.
    UncrossedSoldier,
}

impl Why {
    /// Whether it makes the attack a threat.
    pub const fn is_threat(self) -> bool {
        match self {
            Why::RootedOrNot | Why::Rootless | Why::FalseRoots => true,
            Why::TrueRoot | Why::CouldTakeBack | Why::FreeAttacker | Why::UncrossedSoldier => false,
        }
    }
}

/// A new attack of a half-move and what it amounts to; points are those after the half-move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The attacker's point and the victim's.
    pub capture: Move,
    /// What attacks.
    pub attacker: Piece,
    /// What is attacked.
    pub victim: Piece,
    /// Identity of the victim: its point at the start of the span.
    pub victim_id: Square,
    /// Direct or subversive.
    pub manner: Manner,
    /// Why it is a threat or none.
    pub why: Why,
    /// The pieces that guard the victim now, each with why it could not take back.
    pub guards: Vec<Guard>,
    /// For a subversive threat: the guards that could take back before the half-move.
    pub guards_lost: Vec<Guard>,
    /// For a subversive threat: whether the victim itself could take the attacker before the half-move.
    pub could_take_back: bool,
    /// The horse on whose leg the victim stands, if that is a chariot which must not leave it (article 14).
    pub horse: Option<Square>,
}

/// One half-move of the span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedHalf {
    /// Its index in the game.
    pub ply: usize,
    /// Who moved.
    pub side: Side,
    /// What moved.
    pub piece: Piece,
    /// The move.
    pub mv: Move,
    /// The word for it.
    pub label: Label,
    /// Its new attacks: first the threats, then those that are none.
    pub reasons: Vec<Reason>,
}

/// A ruling explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The side whose half-moves the article describes; `None` for a book without articles.
    pub actor: Option<Side>,
    /// The pieces that a side newly threatens on every one of its half-moves, by their points at the start
    /// of the span.
    pub victims: BySide<Vec<Square>>,
    /// Each half-move of the span.
    pub halves: Vec<ExplainedHalf>,
}

/// Explains a ruling of a game. For the rule book `plain` the half-moves are named as the Asian rules
/// would, which decides nothing.
///
/// # Errors
/// The ruling's span is no repetition in this game.
pub fn explain(trail: &Trail, ruling: &Ruling) -> Result<Explanation, SpanError> {
    let readings = ruling.book.readings().unwrap_or(Readings::ASIAN_2006);
    let judged = judge_by(trail, ruling.span.clone(), &readings)?;
    let facets = facets(&judged, &readings);
    let actor = ruling.article.map(|_| cite(&judged, &facets).actor);
    let victims = BySide::from_fn(|side| victims(&judged.span, &judged.deeds, side));
    let mut halves = Vec::with_capacity(facets.len());
    for (place, ply) in judged.span.plies.iter().enumerate() {
        let chases = &judged.deeds[place].chases;
        let Some(piece) = ply.after.get(ply.mv.to) else { continue };
        let mut reasons: Vec<Reason> =
            chases.iter().filter_map(|chase| threat(ply, chase, &readings)).collect();
        reasons.extend(harmless(ply, chases));
        halves.push(ExplainedHalf {
            ply: ruling.span.start + place,
            side: ply.side,
            piece,
            mv: ply.mv,
            label: facets[place].label(),
            reasons,
        });
    }
    Ok(Explanation { actor, victims, halves })
}

fn threat(ply: &Ply, chase: &Chase, readings: &Readings) -> Option<Reason> {
    let capture = Move::new(chase.attacker, chase.victim);
    let found = guards(&ply.after, capture);
    let why = if readings.rooted_too(chase.attacker_kind, chase.victim_kind) {
        Why::RootedOrNot
    } else if found.is_empty() {
        Why::Rootless
    } else {
        Why::FalseRoots
    };
    let mut reason = reason(ply, capture, chase.manner, why, found)?;
    if chase.manner == Manner::Subversive {
        let old = Move::new(ply.earlier_point(capture.from), capture.to);
        reason.guards_lost =
            guards(&ply.before, old).into_iter().filter(|guard| guard.fault.is_none()).collect();
        reason.could_take_back = chase.attacker_kind == chase.victim_kind
            && ply.before.would_be_legal(Move::new(old.to, old.from));
    }
    reason.horse = horse_behind(ply, capture.to);
    Some(reason)
}

/// The new attacks that are no threats.
fn harmless<'a>(ply: &'a Ply, chases: &'a [Chase]) -> impl Iterator<Item = Reason> + 'a {
    strikes(ply).into_iter().filter_map(|strike| {
        let capture = strike.mv;
        if chases.iter().any(|chase| (chase.attacker, chase.victim) == (capture.from, capture.to)) {
            return None;
        }
        let found = guards(&ply.after, capture);
        let why = if matches!(strike.by, Kind::General | Kind::Soldier) {
            Why::FreeAttacker
        } else if strike.on == Kind::Soldier && uncrossed(capture.to, !ply.side) {
            Why::UncrossedSoldier
        } else if found.iter().any(|guard| guard.fault.is_none()) {
            Why::TrueRoot
        } else {
            Why::CouldTakeBack
        };
        reason(ply, capture, Manner::Direct, why, found)
    })
}

fn reason(ply: &Ply, capture: Move, manner: Manner, why: Why, guards: Vec<Guard>) -> Option<Reason> {
    Some(Reason {
        capture,
        attacker: ply.after.get(capture.from)?,
        victim: ply.after.get(capture.to)?,
        victim_id: ply.ids.of(capture.to),
        manner,
        why,
        guards,
        guards_lost: Vec::new(),
        could_take_back: false,
        horse: None,
    })
}
