//! What the clauses of the articles ask about a judged span: who was attacked by whom on every
//! half-move, who moved, what stood on a line. Facts only; which article they make is said in
//! `clauses`. Start at [`Facts`].

use crate::law::judge::Judged;
use crate::law::levels;
use crate::law::ruling::{Chase, Deed, Level};
use crate::law::span::Ply;
use crate::law::terms::attack::{Strike, each_attack, strikes};
use crate::law::terms::label::Facets;
use crate::law::terms::root::guards;
use crate::xiangqi::{Kind, Move, Piece, Side, Square};

/// One half-move of the side in question.
#[derive(Clone, Copy)]
pub(super) struct Half<'a> {
    /// The half-move.
    pub ply: &'a Ply,
    /// What it did.
    pub deed: &'a Deed,
    /// What it was for.
    pub facets: Facets,
    /// Its new attacks; none when it checks.
    pub strikes: &'a [Strike],
}

/// A judged span, ready for questions.
pub(super) struct Facts<'a> {
    judged: &'a Judged,
    facets: &'a [Facets],
    strikes: Vec<Vec<Strike>>,
}

impl<'a> Facts<'a> {
    /// Looks at a span.
    pub fn new(judged: &'a Judged, facets: &'a [Facets]) -> Facts<'a> {
        let strikes = judged.span.plies.iter().map(strikes).collect();
        Facts { judged, facets, strikes }
    }

    /// A side's level.
    pub fn level(&self, side: Side) -> Level {
        self.judged.levels[side]
    }

    /// A side's half-moves.
    pub fn halves(&self, side: Side) -> impl Iterator<Item = Half<'_>> + Clone {
        self.judged.span.of(side).map(|(place, ply)| Half {
            ply,
            deed: &self.judged.deeds[place],
            facets: self.facets[place],
            strikes: &self.strikes[place],
        })
    }

    /// Whether something holds on every half-move of a side.
    pub fn every(&self, side: Side, holds: impl Fn(Half<'_>) -> bool) -> bool {
        self.halves(side).all(holds)
    }

    /// Whether something holds on some half-move of a side.
    pub fn some(&self, side: Side, holds: impl Fn(Half<'_>) -> bool) -> bool {
        self.halves(side).any(holds)
    }

    /// The pieces that a side chases on every half-move.
    pub fn victims(&self, side: Side) -> Vec<Victim> {
        let (span, deeds) = (&self.judged.span, self.judged.deeds.as_slice());
        levels::victims(span, deeds, side)
            .into_iter()
            .map(|id| Victim { id, chases: levels::chases_of(span, deeds, side, id).copied().collect() })
            .collect()
    }

    /// The pieces that strikes of a kind hit on every half-move of a side.
    pub fn struck(&self, side: Side, counts: impl Fn(Half<'_>, &Strike) -> bool) -> Vec<Square> {
        let mut halves = self.halves(side);
        let Some(first) = halves.next() else { return Vec::new() };
        let hit = |half: Half<'_>| -> Vec<Square> {
            let strikes = half.strikes.iter().filter(|strike| counts(half, strike));
            strikes.map(|strike| strike.on_id).collect()
        };
        let mut common = hit(first);
        for half in halves {
            let here = hit(half);
            common.retain(|id| here.contains(id));
        }
        common
    }

    /// Whether neither piece moves in the whole span.
    pub fn stand_still(&self, pieces: [Square; 2]) -> bool {
        self.judged.span.plies.iter().all(|ply| !pieces.contains(&ply.ids.of(ply.mv.to)))
    }
}

/// A piece chased on every half-move of a side.
pub(super) struct Victim {
    /// Its identity.
    pub id: Square,
    /// All chases of it.
    pub chases: Vec<Chase>,
}

impl Victim {
    /// What it is.
    pub fn is(&self, kind: Kind) -> bool {
        self.chases.iter().all(|chase| chase.victim_kind == kind)
    }

    /// Whether all its attackers are of these kinds.
    pub fn only(&self, kinds: &[Kind]) -> bool {
        self.chases.iter().all(|chase| kinds.contains(&chase.attacker_kind))
    }

    /// How many different pieces attack it.
    pub fn attackers(&self) -> usize {
        let mut ids: Vec<Square> = self.chases.iter().map(|chase| chase.attacker_id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    }

    /// The chases of it that a half-move makes.
    pub fn chases_in<'d>(&self, deed: &'d Deed) -> impl Iterator<Item = &'d Chase> + 'd {
        let id = self.id;
        deed.chases.iter().filter(move |chase| chase.victim_id == id)
    }
}

/// How many pieces of the side that moved attack a point.
pub(super) fn attackers_of(ply: &Ply, point: Square) -> usize {
    let mut count = 0;
    each_attack(&ply.after, ply.side, &mut |mv| count += usize::from(mv.to == point));
    count
}

/// Whether a capture finds guards and none of them can take back.
pub(super) fn only_false_roots(ply: &Ply, capture: Move) -> bool {
    let guards = guards(&ply.after, capture);
    !guards.is_empty() && guards.iter().all(|guard| guard.fault.is_some())
}

/// Whether a capture finds a guard that can take back.
pub(super) fn has_true_root(ply: &Ply, capture: Move) -> bool {
    guards(&ply.after, capture).iter().any(|guard| guard.fault.is_none())
}

/// Whether lifting the piece on a point would let an enemy cannon attack its general.
pub(super) fn pinned_by_cannon(ply: &Ply, point: Square) -> bool {
    let board = ply.after.board();
    let Some(piece) = board.get(point) else { return false };
    let general = ply.after.general(piece.side());
    let cannon = Piece::new(!piece.side(), Kind::Cannon);
    let mut lifted = board.clone();
    lifted.lift(point);
    lifted
        .attackers_of_general(general, piece.side())
        .into_iter()
        .any(|by| board.get(by) == Some(cannon) && !board.reaches(Move::new(by, general)))
}

/// Whether the mover's general and `victim` share a line that also holds a chariot of the mover's and a
/// cannon of the opponent's.
pub(super) fn bound_on_one_line(ply: &Ply, victim: Square) -> bool {
    let general = ply.after.general(ply.side);
    let chariot = Piece::new(ply.side, Kind::Chariot);
    let cannon = Piece::new(!ply.side, Kind::Cannon);
    let holds = |on_line: &dyn Fn(Square) -> bool, wanted: Piece| {
        ply.after.board().pieces().any(|(square, piece)| piece == wanted && on_line(square))
    };
    let line = |on_line: &dyn Fn(Square) -> bool| {
        on_line(victim) && holds(on_line, chariot) && holds(on_line, cannon)
    };
    line(&|square| square.file() == general.file()) || line(&|square| square.rank() == general.rank())
}
