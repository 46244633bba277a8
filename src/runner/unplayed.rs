//! Games that are settled without a move: a side has withdrawn or may not play, or the chief referee must speak
//! first. Records them as the director decided. Start at [`forfeit`] and [`hold`].

use std::time::Duration;

use super::board::begin_sheet;
use super::hall::Hall;
use crate::director::Assignment;
use crate::game::Termination;
use crate::record::What;
use crate::tournament::GameResult;
use crate::xiangqi::{BySide, Side};

/// Records a game that is not played: a side has withdrawn or may not play.
pub fn forfeit(hall: &Hall, assignment: &Assignment, loser: Side, reason: &str) {
    settle_unplayed(hall, assignment, &Termination::Forfeited { loser, reason: reason.to_owned() });
}

/// Records a game that cannot begin without a word of the chief referee.
pub fn hold(hall: &Hall, assignment: &Assignment, reason: &str) {
    settle_unplayed(hall, assignment, &Termination::Held { reason: reason.to_owned() });
}

fn settle_unplayed(hall: &Hall, assignment: &Assignment, termination: &Termination) {
    let now = hall.wall.now();
    let mut sheet = begin_sheet(hall, assignment, now, hall.take_unfinished(assignment.id));
    let game = sheet.game(hall.plan.terms(assignment.id.stage, assignment.seats));
    let over = sheet.over(now, &game, termination, Duration::ZERO);
    hall.record(now, What::GameOver(Box::new(over)));
    let Assignment { id, seats: BySide { red, black }, .. } = *assignment;
    let result = game.outcome(termination).map(|outcome| GameResult { id, red, black, outcome });
    let mut director = hall.director.borrow_mut();
    director.over(id, result);
    if director.is_outdated() {
        director.reconsider(hall.desk().run());
    }
    hall.changed.notify_waiters();
}
