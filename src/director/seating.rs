//! How games that the director names are laid on tables, at their beginning or where they stood when the
//! runner stopped: the referee's game, lost turns, and where the master of an exhibition goes on.
//! Never starts anything. Start at [`referee`].

use super::Assignment;
use crate::game::{Game, OverrunRule, Overruns};
use crate::plan::{Exhibition, Plan};
use crate::record::{Run, Scoresheet, Unfinished};
use crate::table::{Standing, Table};
use crate::tournament::GameId;

/// The exhibition to which a game belongs, if it is one's.
pub fn exhibition(plan: &Plan, game: GameId) -> Option<Exhibition> {
    let stage = usize::from(game.stage).checked_sub(1).and_then(|stage| plan.stages.get(stage));
    stage.and_then(|stage| stage.format.exhibition())
}

/// The referee's game, as its sheet has it.
pub fn referee(
    plan: &Plan,
    assignment: &Assignment,
    sheet: &Scoresheet,
    unfinished: Option<&Unfinished>,
) -> Game {
    let game = sheet.game(plan.terms(assignment.id.stage, assignment.seats));
    let Some(Exhibition { colour, overrun, most_overruns, .. }) = exhibition(plan, assignment.id) else {
        return game;
    };
    let in_row = unfinished.map_or(0, |game| game.overruns_in_row(!colour));
    game.with_overruns(!colour, Overruns { rule: overrun, most: most_overruns }, in_row).with_overruns(
        colour,
        Overruns { rule: OverrunRule::Free, most: 0 },
        0,
    )
}

/// A table as its game wants it: turns lost before, and whether members discuss.
pub fn laid(plan: &Plan, table: Table, game: GameId, unfinished: Option<&Unfinished>) -> Table {
    let Some(Exhibition { advice, overrun, .. }) = exhibition(plan, game) else { return table };
    let table = table.with_discussion(advice);
    let Some(unfinished) = unfinished else { return table };
    let barred = overrun == OverrunRule::Wait && unfinished.is_overrun();
    table.with_lost_turns(unfinished.lost_turns(), barred)
}

/// How an exhibition stands of which these games are played, in the order of their boards.
pub fn standing(run: &Run, exhibition: Exhibition, games: &[(GameId, Option<Unfinished>)]) -> Standing {
    let Exhibition { colour, .. } = exhibition;
    // A board whose game only begins has a display of its own, or none of it was played yet.
    if games.iter().all(|(_, unfinished)| unfinished.is_none()) {
        return Standing::default();
    }
    let served = |game: &Unfinished| game.served(colour);
    let known: Vec<Option<u32>> = games.iter().map(|(_, game)| game.as_ref().map(served)).collect();
    // A game that is played again joins the others in the middle.
    let joins = known.iter().flatten().min().copied().unwrap_or(0);
    // He may have moved last at a board whose game is over now: then he goes on from there.
    let before = run.last_moved(colour).map(|last| games.partition_point(|(id, _)| *id <= last));
    Standing {
        used: run.session_used(),
        served: known.into_iter().map(|served| served.unwrap_or(joins)).collect(),
        last: before.map(|before| before.checked_sub(1).unwrap_or(games.len() - 1)),
    }
}
