//! The level of a side over the span and the verdict from two levels (`asian-rules.md` 1): 4 perpetual
//! check, 3 perpetual chase of a horse-pinned chariot, 2 perpetual chase, 1 perpetual chase by taking
//! roots away, 0 anything else. Cites no article of the rules; it is what the events' articles on rules (I.9,
//! II.6, III.7, IV.8) come to. Start at [`level`].

use super::readings::{Readings, RootsAway};
use super::ruling::{Chase, Deed, Level, Manner, Verdict};
use super::span::{Ply, Span};
use crate::xiangqi::{BySide, Kind, Move, Piece, Side, Square};

/// Both sides' levels.
pub(super) fn levels(span: &Span, deeds: &[Deed], readings: &Readings) -> BySide<Level> {
    let levels = BySide::from_fn(|side| level(span, deeds, side, readings));
    let perpetual = Side::BOTH.iter().any(|side| levels[*side] == Level::Checks);
    if readings.any_check_draws && !perpetual && deeds.iter().any(|deed| deed.check) {
        return BySide { red: Level::Permitted, black: Level::Permitted };
    }
    levels
}

/// The higher level loses; equal levels draw.
pub(super) fn verdict(span: &Span, deeds: &[Deed], levels: BySide<Level>, readings: &Readings) -> Verdict {
    if levels.red == levels.black {
        let both_chase = levels.red == Level::Chases;
        let loser = Side::BOTH
            .into_iter()
            .find(|side| both_chase && !readings.hitting_back_excuses && unexcused(span, deeds, *side));
        return Verdict::losing(loser);
    }
    Verdict::losing(Some(if levels.red > levels.black { Side::Red } else { Side::Black }))
}

fn level(span: &Span, deeds: &[Deed], side: Side, readings: &Readings) -> Level {
    let own = || span.of(side).map(|(place, ply)| (ply, &deeds[place]));
    if own().all(|(_, deed)| deed.check) {
        return Level::Checks;
    }
    let victims = victims(span, deeds, side);
    let any = |holds: &dyn Fn(Square) -> bool| victims.iter().any(|victim| holds(*victim));
    let shielded = |victim| {
        own().all(|(ply, deed)| point_of(deed, victim).is_some_and(|at| horse_behind(ply, at).is_some()))
    };
    if readings.horse_pinned_chariot && any(&shielded) {
        Level::ChasesPinnedChariot
    } else if any(&|victim| own().all(|(_, deed)| fully_chased(deed, victim, readings))) {
        Level::Chases
    } else if readings.roots_away == RootsAway::LowerChase
        && any(&|victim| takes_roots_away(&|| own().map(|(_, deed)| deed), victim))
    {
        Level::TakesRootsAway
    } else {
        Level::Permitted
    }
}

/// Level 1 for one victim of every half-move. If its protection is taken away each time, nothing else
/// matters. If it is chased directly on some half-moves only, it is article 29 unless each of the others
/// directly chases another piece: then it is article 27, two pieces attacked in turn, which is permitted.
fn takes_roots_away<'a, I: Iterator<Item = &'a Deed>>(own: &impl Fn() -> I, victim: Square) -> bool {
    if own().all(|deed| chased(deed, victim, Manner::Subversive)) {
        return true;
    }
    let other_piece = |deed: &Deed| {
        deed.chases.iter().any(|chase| chase.victim_id != victim && chase.manner == Manner::Direct)
    };
    let direct = |deed: &Deed| chased(deed, victim, Manner::Direct);
    own().any(direct) && !own().all(|deed| direct(deed) || other_piece(deed))
}

/// The identities of the pieces that a side chases on every one of its half-moves.
pub(super) fn victims(span: &Span, deeds: &[Deed], side: Side) -> Vec<Square> {
    let mut own = span.of(side).map(|(place, _)| &deeds[place]);
    let Some(first) = own.next() else { return Vec::new() };
    let mut victims: Vec<Square> = first.chases.iter().map(|chase| chase.victim_id).collect();
    victims.sort_unstable();
    victims.dedup();
    for deed in own {
        if victims.is_empty() {
            break;
        }
        victims.retain(|victim| point_of(deed, *victim).is_some());
    }
    victims
}

/// The chases of one victim over a side's half-moves.
pub(super) fn chases_of<'a>(
    span: &'a Span,
    deeds: &'a [Deed],
    side: Side,
    victim: Square,
) -> impl Iterator<Item = &'a Chase> + 'a {
    span.of(side)
        .flat_map(|(place, _)| deeds[place].chases.iter())
        .filter(move |chase| chase.victim_id == victim)
}

/// Whether a chase of the victim counts for level 2.
fn fully_chased(deed: &Deed, victim: Square, readings: &Readings) -> bool {
    chased(deed, victim, Manner::Direct)
        || readings.roots_away == RootsAway::Chase && chased(deed, victim, Manner::Subversive)
}

fn chased(deed: &Deed, victim: Square, manner: Manner) -> bool {
    deed.chases.iter().any(|chase| chase.victim_id == victim && chase.manner == manner)
}

fn point_of(deed: &Deed, victim: Square) -> Option<Square> {
    deed.chases.iter().find(|chase| chase.victim_id == victim).map(|chase| chase.victim)
}

/// The enemy horse on whose leg a chariot stands, if that horse would attack its general were the chariot
/// lifted off, and does not now. It may be any horse of the side that moved.
pub(super) fn horse_behind(ply: &Ply, at: Square) -> Option<Square> {
    let board = ply.after.board();
    if board.get(at) != Some(Piece::new(!ply.side, Kind::Chariot)) {
        return None;
    }
    let general = ply.after.general(!ply.side);
    let horse = Piece::new(ply.side, Kind::Horse);
    let mut lifted = board.clone();
    lifted.lift(at);
    [(0, 1), (0, -1), (1, 0), (-1, 0)].into_iter().filter_map(|(files, ranks)| at.step(files, ranks)).find(
        |from| {
            let mv = Move::new(*from, general);
            board.get(*from) == Some(horse) && !board.reaches(mv) && lifted.reaches(mv)
        },
    )
}

/// The letter of articles 9 and 15, if hitting back is no excuse: the side attacks one chariot on every
/// half-move by cannons and horses, not by one horse alone (that is article 17).
fn unexcused(span: &Span, deeds: &[Deed], side: Side) -> bool {
    victims(span, deeds, side).into_iter().any(|victim| {
        let attackers: Vec<&Chase> = chases_of(span, deeds, side, victim).collect();
        let one_horse = attackers
            .iter()
            .all(|chase| chase.attacker_kind == Kind::Horse && chase.attacker_id == attackers[0].attacker_id);
        !one_horse
            && attackers.iter().all(|chase| {
                chase.victim_kind == Kind::Chariot
                    && matches!(chase.attacker_kind, Kind::Cannon | Kind::Horse)
            })
    })
}
