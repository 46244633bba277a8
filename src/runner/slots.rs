//! The places of the hall: each plays one game after the other, as the director orders them. Decides neither
//! which game comes next nor how one ends. Start at [`play_here`].

use std::rc::Rc;

use tokio::task::JoinSet;

use super::hall::Hall;
use super::lock::changed;
use super::play::play;
use super::trace::Traced;
use super::unplayed::{forfeit, hold};
use crate::director::{Assignment, Order};
use crate::plan::LockRule;
use crate::xiangqi::Side;

/// Plays whatever the director orders, at all places, until nothing is left.
pub async fn play_here(hall: &Rc<Hall>) {
    let mut slots = JoinSet::new();
    for place in 0..hall.plan.conduct.concurrency {
        slots.spawn_local(slot(Rc::clone(hall), place));
    }
    slots.join_all().await;
}

/// One of the places at which games are played at the same time.
async fn slot(hall: Rc<Hall>, place: usize) {
    let mut played = false;
    loop {
        if std::mem::take(&mut played) {
            hall.rest().await;
        }
        let changed = hall.changed.notified();
        let order = hall.director.borrow_mut().next_order();
        hall.tell_waiting();
        match order {
            Order::Play(assignment) => played = play_together(&hall, vec![assignment], place).await,
            Order::Display(assignments) => played = play_together(&hall, assignments, place).await,
            Order::Forfeit(assignment, loser) => forfeit(&hall, &assignment, loser, "withdrawn"),
            Order::Wait => changed.await,
            Order::Finished => return,
        }
    }
}

/// Plays a game, or those of an exhibition that may begin, at a place of the hall until they are over or
/// broken off. False if none was begun.
async fn play_together(hall: &Rc<Hall>, mut assignments: Vec<Assignment>, place: usize) -> bool {
    assignments.retain(|assignment| !may_not_begin(hall, assignment));
    if assignments.is_empty() {
        return false;
    }
    let games: Vec<_> = assignments.iter().map(|assignment| assignment.id).collect();
    let abandon = || {
        games.iter().for_each(|game| hall.director.borrow_mut().abandoned(*game));
        hall.changed.notify_waiters();
    };
    // The director knows already of what the referee's desk has broken off.
    let seated = hall.seated(&games);
    let may_begin = tokio::select! {
        biased;
        () = seated.apart.notified() => return false,
        may_begin = hall.may_begin() => may_begin,
    };
    if !may_begin {
        abandon();
        return false;
    }
    tokio::select! {
        () = play(Rc::clone(hall), assignments, place, &seated.apart) => {}
        () = hall.broken_off() => {
            if let Some(trace) = &hall.trace {
                games.iter().for_each(|game| trace.write(&Traced::BrokenOff { game: *game }));
            }
            abandon();
        }
    }
    true
}

/// Whether what an engine is made of has changed: the game is held or forfeited then (I.10).
fn may_not_begin(hall: &Hall, assignment: &Assignment) -> bool {
    for side in Side::BOTH {
        let entrant = assignment.seats[side];
        let Some(file) = hall.change(entrant, assignment.id.stage) else { continue };
        let reason = changed(&file);
        match hall.plan.conduct.lock {
            LockRule::Forfeit => forfeit(hall, assignment, side, &reason),
            LockRule::Hold | LockRule::Off => {
                hold(hall, assignment, &format!("{}: {reason}", hall.plan.entrants[entrant].name));
            }
        }
        return true;
    }
    false
}
