//! What a half-move was for: mate threat, block, threat to check and take, offer, exchange
//! (`asian-citation.md`, definitions), one label out of what holds. For explanation and citation; no
//! verdict asks it. Start at [`facets`].

use super::attack::{Tolerated, attacks, each_attack};
use super::threat::{Budget, CHECKS_BEFORE_TAKING, MATE_MOVES, checks_and_takes, mates};
use crate::law::judge::Judged;
use crate::law::readings::Readings;
use crate::law::ruling::Label;
use crate::law::span::{Ply, Span};
use crate::xiangqi::{Kind, Move, Piece, Position, Setup, Side};

/// All that holds of a half-move; several may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Facets {
    /// It checks.
    pub check: bool,
    /// It makes a new threat.
    pub chase: bool,
    /// If the opponent passed, mate would follow by checks alone.
    pub mate_threat: bool,
    /// It stops a mate threat by standing in the way.
    pub block: bool,
    /// If the opponent passed, a check and then a capture would follow.
    pub check_and_take: bool,
    /// The opponent newly may take a piece that is no soldier.
    pub offer: bool,
    /// The opponent newly may take a chariot, horse or cannon with a piece of the same kind.
    pub like_for_like: bool,
    /// The same, and the taker could be taken as well.
    pub exchange: bool,
}

impl Facets {
    /// The word for it. What the law judges comes first; a block that also threatens mate is called a
    /// block (article 34), a mate threat that also offers something a mate threat (article 4).
    pub fn label(self) -> Label {
        [
            (self.check, Label::Check),
            (self.chase, Label::Chase),
            (self.block, Label::Block),
            (self.mate_threat, Label::MateThreat),
            (self.check_and_take, Label::CheckAndTake),
            (self.exchange, Label::Exchange),
            (self.offer, Label::Offer),
        ]
        .into_iter()
        .find_map(|(holds, label)| holds.then_some(label))
        .unwrap_or(Label::Idle)
    }
}

/// The facets of every half-move of a judged span.
pub(crate) fn facets(judged: &Judged, readings: &Readings) -> Vec<Facets> {
    let span = &judged.span;
    let mut all: Vec<Facets> = Vec::with_capacity(span.plies.len());
    for (place, deed) in judged.deeds.iter().enumerate() {
        let first = span.first_like(place);
        let facets = if first < place {
            all[first]
        } else {
            let chase = !deed.chases.is_empty();
            look(span, place, readings, Facets { check: deed.check, chase, ..Facets::default() })
        };
        all.push(facets);
    }
    // A block answers the half-move before; the first one of the span follows on its last.
    for place in 0..all.len() {
        let before = (place + all.len() - 1) % all.len();
        all[place].block = all[before].mate_threat && blocks(&span.plies[place]);
    }
    all
}

fn look(span: &Span, place: usize, readings: &Readings, mut facets: Facets) -> Facets {
    let ply = &span.plies[place];
    exposed(ply, &mut facets);
    if !facets.check {
        let mut again = ply.after.clone();
        again.pass();
        facets.mate_threat = mates(&mut again, MATE_MOVES, &mut Budget::new());
        facets.check_and_take = !facets.chase
            && !facets.mate_threat
            && checks_and_takes(&mut again, CHECKS_BEFORE_TAKING, readings, &mut Budget::new());
    }
    facets
}

/// Offers and exchanges: what the opponent may newly take.
fn exposed(ply: &Ply, facets: &mut Facets) {
    each_attack(&ply.after, !ply.side, &mut |mv| {
        let (Some(taker), Some(taken)) = (ply.after.get(mv.from), ply.after.get(mv.to)) else { return };
        let old = Move::new(mv.from, ply.earlier_point(mv.to));
        if taken.kind() == Kind::Soldier || attacks(&ply.before, old, &Tolerated::NOTHING) {
            return;
        }
        let like = taker.kind() == taken.kind();
        facets.offer = true;
        facets.like_for_like |= like && matches!(taken.kind(), Kind::Chariot | Kind::Horse | Kind::Cannon);
        facets.exchange |= like && ply.after.would_be_legal(Move::new(mv.to, mv.from));
    });
}

/// Whether the moved piece stops a mate threat by standing where it stands: without it the mate is there
/// again, with a stone in its place it is not. (Without the stone, guarding would look like blocking.)
fn blocks(ply: &Ply) -> bool {
    let safe = |position: Option<Position>| match position {
        Some(mut position) => !mates(&mut position, MATE_MOVES, &mut Budget::new()),
        None => false,
    };
    let side = ply.side;
    if ply.mv.to == ply.after.general(side) {
        return false;
    }
    safe(Some(ply.after.clone())) && !safe(with(ply, None)) && safe(with(ply, Some(stone(ply, side))))
}

/// A piece that moves nowhere: an advisor outside its palace; inside, a soldier, which only guards the
/// point ahead of it.
fn stone(ply: &Ply, side: Side) -> Piece {
    let kind = if ply.mv.to.in_palace(side) { Kind::Soldier } else { Kind::Advisor };
    Piece::new(side, kind)
}

/// The position after the half-move with something else in the moved piece's place; `None` if the side
/// that moved would stand in check.
fn with(ply: &Ply, stone: Option<Piece>) -> Option<Position> {
    let mut setup: Setup = ply.after.setup();
    setup.board.lift(ply.mv.to);
    if let Some(piece) = stone {
        setup.board.put(ply.mv.to, piece);
    }
    setup.playable().ok()
}
