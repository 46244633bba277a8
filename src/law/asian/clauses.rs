//! When an article describes a judged span: one row per clause, in order of priority, the first that
//! applies is cited (`asian-citation.md`). A clause that prescribes a loss is asked of the side that
//! lost, one that prescribes a draw of either side. Never decides who loses. Start at [`CLAUSES`].
//!
//! Hard to tell apart by rule, and chosen here: 19 before 35 when a piece attacks its like and the victim
//! is rootless; 34 before 4 when a block threatens mate too; 5 before 4 when both sides threaten mate;
//! 29 before 25 at level 1; 31 before 13 whenever the taker's own kind is newly offered.

use super::facts::{
    Facts, Half, Victim, attackers_of, bound_on_one_line, has_true_root, only_false_roots, pinned_by_cannon,
};
use crate::law::ruling::{Level, Manner};
use crate::law::terms::attack::uncrossed;
use crate::xiangqi::{Kind, Move, Side};

/// What a clause prescribes for the side it is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// That side loses.
    Loses,
    /// Nobody loses.
    Draw,
}

/// One way in which an article applies.
pub(super) struct Clause {
    /// The article; 0 is the general rule.
    pub article: u8,
    /// What it prescribes.
    pub outcome: Outcome,
    /// Whether it describes what a side did.
    pub applies: fn(&Facts<'_>, Side) -> bool,
    /// The articles that it is more specific than.
    pub before: &'static [u8],
}

const fn loses(article: u8, applies: fn(&Facts<'_>, Side) -> bool, before: &'static [u8]) -> Clause {
    Clause { article, outcome: Outcome::Loses, applies, before }
}

const fn draw(article: u8, applies: fn(&Facts<'_>, Side) -> bool, before: &'static [u8]) -> Clause {
    Clause { article, outcome: Outcome::Draw, applies, before }
}

/// All clauses, the more specific first.
pub(super) static CLAUSES: &[Clause] = &[
    loses(1, perpetual_check, &[14, 28, 0]),
    loses(3, two_checks_to_one, &[14, 28, 0]),
    draw(2, both_check, &[0]),
    loses(14, pinned_by_horse, &[9, 13, 15, 16, 18, 19, 22, 25, 26, 28, 29, 31, 32, 0]),
    loses(32, bound, &[22, 31, 15, 16, 9]),
    loses(22, chases_cannon_pinned, &[19, 9, 29]),
    loses(21, |facts, side| screens(facts, side, &[Kind::Chariot]), &[25, 9, 28]),
    loses(20, |facts, side| screens(facts, side, SCREENED), &[25, 9, 28]),
    loses(29, false_roots, &[13, 18, 25]),
    loses(25, general_or_soldier_moves, &[31, 9, 28]),
    loses(31, offers_exchange_too, &[15, 9, 13, 28]),
    loses(16, one_horse_on_chariot, &[9, 28]),
    loses(15, cannon_and_horse_on_chariot, &[9, 28]),
    loses(9, cannon_on_chariot, &[28]),
    loses(19, own_kind_helpless, &[28]),
    loses(13, |facts, side| one_chariot_on(facts, side, Kind::Cannon), &[0]),
    loses(18, |facts, side| one_chariot_on(facts, side, Kind::Horse), &[0]),
    loses(26, |facts, side| one_chariot_on(facts, side, Kind::Soldier), &[0]),
    loses(28, several_on_one, &[0]),
    loses(0, |facts, side| facts.level(side) > facts.level(!side), &[]),
    draw(17, chariot_and_horse, &[0]),
    draw(9, cannon_and_chariot, &[0]),
    draw(7, check_and_chase, &[6, 11, 12, 30]),
    draw(6, check_and_mate_threat, &[4, 8]),
    draw(30, several_on_rooted, &[10, 4, 11]),
    draw(12, chariot_on_rooted_cannon, &[10, 4, 11]),
    draw(10, cannon_on_chariots, &[27, 4]),
    draw(27, one_after_the_other, &[4]),
    draw(20, uncrossed_behind_screens, &[19, 4]),
    draw(22, cannon_pinned_slides_or_rooted, &[19, 4]),
    draw(23, |facts, side| strikes_with(facts, side, Kind::General), &[4, 11, 35]),
    draw(24, |facts, side| strikes_with(facts, side, Kind::Soldier), &[4, 11, 35]),
    draw(19, offers_own_kind, &[33, 35]),
    draw(33, |facts, side| permitted(facts, side, |half| half.facets.check_and_take), &[11, 8]),
    draw(5, both_threaten_mate, &[4, 11, 8]),
    draw(
        34,
        |facts, side| permitted(facts, side, |half| half.facets.block && !half.facets.chase),
        &[4, 11, 8],
    ),
    draw(4, |facts, side| permitted(facts, side, |half| half.facets.mate_threat), &[11, 8]),
    draw(11, |facts, side| idle(facts, side) && facts.some(side, |half| half.facets.chase), &[]),
    draw(8, |facts, side| idle(facts, side) && facts.some(side, |half| half.facets.check), &[]),
    draw(35, |facts, side| permitted(facts, side, |half| half.facets.offer), &[]),
    draw(0, |facts, side| facts.level(side) == facts.level(!side), &[]),
];

/// What article 20 names as standing behind screens; rootless, since else it is no chase.
const SCREENED: &[Kind] = &[Kind::Horse, Kind::Elephant, Kind::Advisor, Kind::Soldier];

fn idle(facts: &Facts<'_>, side: Side) -> bool {
    facts.level(side) == Level::Permitted
}

/// Whether a side that broke no rule did something on every half-move.
fn permitted(facts: &Facts<'_>, side: Side, holds: impl Fn(Half<'_>) -> bool) -> bool {
    idle(facts, side) && facts.every(side, holds)
}

/// Whether a side that chases has a victim of every half-move for which something holds.
fn some_victim(facts: &Facts<'_>, side: Side, holds: impl Fn(&Victim) -> bool) -> bool {
    facts.victims(side).iter().any(holds)
}

fn perpetual_check(facts: &Facts<'_>, side: Side) -> bool {
    facts.level(side) == Level::Checks && !facts.some(!side, |half| half.deed.check)
}

fn two_checks_to_one(facts: &Facts<'_>, side: Side) -> bool {
    facts.level(side) == Level::Checks
        && facts.level(!side) != Level::Checks
        && facts.some(!side, |half| half.deed.check)
}

fn both_check(facts: &Facts<'_>, side: Side) -> bool {
    facts.level(side) == Level::Checks && facts.level(!side) == Level::Checks
}

fn pinned_by_horse(facts: &Facts<'_>, side: Side) -> bool {
    facts.level(side) == Level::ChasesPinnedChariot
}

fn bound(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |victim| {
        victim.is(Kind::Chariot)
            && victim.only(&[Kind::Cannon, Kind::Horse])
            && facts.every(side, |half| {
                victim.chases_in(half.deed).all(|chase| bound_on_one_line(half.ply, chase.victim))
            })
    })
}

fn chases_cannon_pinned(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |victim| {
        victim.is(Kind::Chariot)
            && facts.every(side, |half| {
                victim.chases_in(half.deed).all(|chase| pinned_by_cannon(half.ply, chase.victim))
            })
    })
}

fn screens(facts: &Facts<'_>, side: Side, kinds: &[Kind]) -> bool {
    some_victim(facts, side, |victim| {
        kinds.iter().any(|kind| victim.is(*kind))
            && victim.chases.iter().filter(|chase| chase.attacker_kind == Kind::Cannon).any(|cannon| {
                let by_it = |half: Half<'_>| {
                    victim.chases_in(half.deed).any(|chase| chase.attacker_id == cannon.attacker_id)
                };
                facts.every(side, by_it) && facts.stand_still([cannon.attacker_id, victim.id])
            })
    })
}

fn false_roots(facts: &Facts<'_>, side: Side) -> bool {
    if facts.level(side) == Level::TakesRootsAway {
        return true;
    }
    some_victim(facts, side, |victim| {
        facts.some(side, |half| {
            victim.chases_in(half.deed).any(|chase| {
                let rooted_too = chase.victim_kind == Kind::Chariot
                    && matches!(chase.attacker_kind, Kind::Cannon | Kind::Horse);
                !rooted_too
                    && chase.manner == Manner::Direct
                    && only_false_roots(half.ply, Move::new(chase.attacker, chase.victim))
            })
        })
    })
}

fn general_or_soldier_moves(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |_| true)
        && facts.every(side, |half| {
            half.ply.mover().is_some_and(|piece| matches!(piece.kind(), Kind::General | Kind::Soldier))
        })
}

fn offers_exchange_too(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |_| true) && facts.some(side, |half| half.facets.like_for_like)
}

fn one_horse_on_chariot(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |victim| {
        victim.is(Kind::Chariot)
            && victim.chases.iter().filter(|chase| chase.attacker_kind == Kind::Horse).any(|horse| {
                facts.every(side, |half| {
                    victim.chases_in(half.deed).any(|chase| chase.attacker_id == horse.attacker_id)
                })
            })
    })
}

fn cannon_and_horse_on_chariot(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |victim| {
        victim.is(Kind::Chariot)
            && victim.only(&[Kind::Cannon, Kind::Horse])
            && !victim.only(&[Kind::Cannon])
            && victim.attackers() > 1
    })
}

fn cannon_on_chariot(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |victim| {
        victim.is(Kind::Chariot)
            && facts.every(side, |half| {
                victim.chases_in(half.deed).any(|chase| chase.attacker_kind == Kind::Cannon)
            })
    })
}

fn own_kind_helpless(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |victim| {
        victim.chases.iter().all(|chase| chase.attacker_kind == chase.victim_kind)
    })
}

fn one_chariot_on(facts: &Facts<'_>, side: Side, kind: Kind) -> bool {
    some_victim(facts, side, |victim| {
        victim.is(kind) && victim.only(&[Kind::Chariot]) && victim.attackers() == 1
    })
}

fn several_on_one(facts: &Facts<'_>, side: Side) -> bool {
    some_victim(facts, side, |victim| victim.attackers() > 1)
}

fn both_chase(facts: &Facts<'_>, side: Side) -> bool {
    facts.level(side) == Level::Chases && facts.level(!side) == Level::Chases
}

/// A chariot and a horse attack each other on every half-move.
fn chariot_and_horse(facts: &Facts<'_>, side: Side) -> bool {
    let only = |victim: &Victim, kind: Kind, attacker: &Victim| {
        victim.is(kind) && victim.chases.iter().all(|chase| chase.attacker_id == attacker.id)
    };
    both_chase(facts, side)
        && some_victim(facts, side, |horse| {
            some_victim(facts, !side, |chariot| {
                only(horse, Kind::Horse, chariot) && only(chariot, Kind::Chariot, horse)
            })
        })
}

/// A cannon attacks the same chariot on every half-move, and chariots attack one and the same piece of the
/// cannon's side.
fn cannon_and_chariot(facts: &Facts<'_>, side: Side) -> bool {
    both_chase(facts, side)
        && cannon_on_chariot(facts, side)
        && some_victim(facts, !side, |back| {
            facts.every(!side, |half| {
                back.chases_in(half.deed)
                    .any(|chase| chase.attacker_kind == Kind::Chariot && chase.manner == Manner::Direct)
            })
        })
}

fn check_and_chase(facts: &Facts<'_>, side: Side) -> bool {
    idle(facts, side)
        && facts.some(side, |half| half.facets.check)
        && facts.some(side, |half| half.facets.chase)
}

fn check_and_mate_threat(facts: &Facts<'_>, side: Side) -> bool {
    permitted(facts, side, |half| half.facets.check || half.facets.mate_threat)
        && facts.some(side, |half| half.facets.check)
        && facts.some(side, |half| half.facets.mate_threat)
}

fn several_on_rooted(facts: &Facts<'_>, side: Side) -> bool {
    let doubled = |half: Half<'_>, at| attackers_of(half.ply, at) > 1;
    let struck = facts.struck(side, |half, strike| doubled(half, strike.mv.to));
    idle(facts, side)
        && struck.iter().any(|id| {
            facts.some(side, |half| {
                half.strikes.iter().any(|strike| strike.on_id == *id && has_true_root(half.ply, strike.mv))
            })
        })
}

fn chariot_on_rooted_cannon(facts: &Facts<'_>, side: Side) -> bool {
    idle(facts, side)
        && !facts.struck(side, |_, strike| strike.by == Kind::Chariot && strike.on == Kind::Cannon).is_empty()
}

fn one_after_the_other(facts: &Facts<'_>, side: Side) -> bool {
    permitted(facts, side, |half| half.facets.chase)
}

fn cannon_on_chariots(facts: &Facts<'_>, side: Side) -> bool {
    permitted(facts, side, |half| {
        half.facets.chase
            && half
                .deed
                .chases
                .iter()
                .all(|chase| chase.attacker_kind == Kind::Cannon && chase.victim_kind == Kind::Chariot)
    })
}

fn uncrossed_behind_screens(facts: &Facts<'_>, side: Side) -> bool {
    let struck = facts.struck(side, |half, strike| {
        strike.by == Kind::Cannon
            && strike.on == Kind::Soldier
            && uncrossed(strike.mv.to, !side)
            && facts.stand_still([half.ply.ids.of(strike.mv.from), strike.on_id])
    });
    idle(facts, side) && !struck.is_empty()
}

fn cannon_pinned_slides_or_rooted(facts: &Facts<'_>, side: Side) -> bool {
    let slides = facts.every(side, |half| {
        half.ply.mover().is_some_and(|piece| piece.kind() == Kind::Chariot)
            && pinned_by_cannon(half.ply, half.ply.mv.to)
    });
    let struck = facts
        .struck(side, |half, strike| strike.on == Kind::Chariot && pinned_by_cannon(half.ply, strike.mv.to));
    idle(facts, side) && (slides || !struck.is_empty())
}

fn strikes_with(facts: &Facts<'_>, side: Side, kind: Kind) -> bool {
    permitted(facts, side, |half| half.strikes.iter().any(|strike| strike.by == kind))
}

fn offers_own_kind(facts: &Facts<'_>, side: Side) -> bool {
    permitted(facts, side, |half| {
        half.strikes.iter().any(|strike| {
            strike.by == strike.on
                && half.ply.after.would_be_legal(Move::new(strike.mv.to, strike.mv.from))
                && !has_true_root(half.ply, strike.mv)
                && !has_true_root(half.ply, Move::new(strike.mv.to, strike.mv.from))
        })
    })
}

fn both_threaten_mate(facts: &Facts<'_>, side: Side) -> bool {
    let threatens = |half: Half<'_>| half.facets.mate_threat;
    permitted(facts, side, threatens) && permitted(facts, !side, threatens)
}
