//! Chase: a new threat made by a half-move, direct or subversive (`asian-rules.md` 1). Looks at one
//! half-move only. Start at [`chases`].

use super::attack::{Tolerated, each_reached, played, uncrossed};
use super::root::has_true_root;
use crate::law::readings::{Newness, Readings};
use crate::law::ruling::{Chase, Manner};
use crate::law::span::Ply;
use crate::xiangqi::{Kind, Move, Position};

/// What a capture that a piece reaches amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is not legal.
    Illegal,
    /// It is legal, and the victim has a true root or could take the attacker, its like.
    Answered,
    /// It is a threat.
    Threat,
}

/// The first condition of a threat: the general and soldiers threaten nothing, and neither the general
/// nor a soldier that has not crossed the river is threatened.
pub(crate) fn counts(position: &Position, mv: Move) -> bool {
    let (Some(by), Some(on)) = (position.get(mv.from), position.get(mv.to)) else { return false };
    let attacker = !matches!(by.kind(), Kind::General | Kind::Soldier);
    let victim = match on.kind() {
        Kind::General => false,
        Kind::Soldier => !uncrossed(mv.to, on.side()),
        Kind::Advisor | Kind::Elephant | Kind::Horse | Kind::Chariot | Kind::Cannon => true,
    };
    attacker && victim
}

/// The second condition of a threat. Asks the geometry too.
pub(crate) fn standing(
    position: &Position,
    mv: Move,
    tolerated: &Tolerated,
    readings: &Readings,
) -> Standing {
    let (Some(by), Some(on)) = (position.get(mv.from), position.get(mv.to)) else {
        return Standing::Illegal;
    };
    if by.side() == on.side() || !position.board().reaches(mv) {
        return Standing::Illegal;
    }
    let Some(after) = played(position, mv, by.side(), tolerated) else { return Standing::Illegal };
    if !readings.attack_along_pin && by.kind() == Kind::Chariot && pinned(position, mv) {
        return Standing::Illegal;
    }
    if readings.rooted_too(by.kind(), on.kind()) {
        return Standing::Threat;
    }
    let takes_back = by.kind() == on.kind() && position.would_be_legal(Move::new(mv.to, mv.from));
    if takes_back || has_true_root(&after, mv.to, on.side(), position.general(on.side())) {
        Standing::Answered
    } else {
        Standing::Threat
    }
}

/// Whether the piece on `mv.from` may not leave its line without exposing its general.
fn pinned(position: &Position, mv: Move) -> bool {
    let Some(piece) = position.get(mv.from) else { return false };
    let mut board = position.board().clone();
    board.lift(mv.from);
    board.general_attacked(position.general(piece.side()), piece.side())
}

/// The new threats of a half-move, checks not asked, ordered by attacker and victim.
pub(crate) fn chases(ply: &Ply, readings: &Readings) -> Vec<Chase> {
    let mut found = Vec::new();
    let mut tolerated: Option<Tolerated> = None;
    each_reached(&ply.after, ply.side, &mut |mv| {
        if !counts(&ply.after, mv)
            || standing(&ply.after, mv, &Tolerated::NOTHING, readings) != Standing::Threat
        {
            return;
        }
        let tolerated = tolerated.get_or_insert_with(|| Tolerated::checkers(&ply.before, ply.side));
        if let Some(manner) = newness(ply, mv, tolerated, readings) {
            found.push(chase(ply, mv, manner));
        }
    });
    found
}

/// Whether a threat that stands after the half-move is new, and how it came about.
fn newness(ply: &Ply, mv: Move, tolerated: &Tolerated, readings: &Readings) -> Option<Manner> {
    let old = Move::new(ply.earlier_point(mv.from), mv.to);
    let before = standing(&ply.before, old, tolerated, readings);
    let manner = match before {
        Standing::Illegal => Some(Manner::Direct),
        Standing::Answered => Some(Manner::Subversive),
        Standing::Threat => None,
    };
    match readings.newness {
        Newness::Pair => manner,
        Newness::PairOrMoved if mv.from == ply.mv.to => Some(manner.unwrap_or(Manner::Direct)),
        Newness::PairOrMoved => manner,
        Newness::Victim => {
            let mut threatened = before == Standing::Threat;
            each_reached(&ply.before, ply.side, &mut |other| {
                threatened = threatened
                    || other.to == mv.to
                        && counts(&ply.before, other)
                        && standing(&ply.before, other, tolerated, readings) == Standing::Threat;
            });
            if threatened { None } else { Some(manner.unwrap_or(Manner::Direct)) }
        }
    }
}

fn chase(ply: &Ply, mv: Move, manner: Manner) -> Chase {
    let kind = |square| ply.after.get(square).map_or(Kind::General, |piece| piece.kind());
    Chase {
        attacker: mv.from,
        attacker_kind: kind(mv.from),
        attacker_id: ply.ids.of(mv.from),
        victim: mv.to,
        victim_kind: kind(mv.to),
        victim_id: ply.ids.of(mv.to),
        manner,
    }
}
