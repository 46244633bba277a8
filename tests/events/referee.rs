//! The chief referee of simulated events: answers what he is asked and what is held, by the program's own
//! decisions. What he says follows from the run alone, so that it is the same after a power cut.
//! Start at [`agenda`] and [`held`].

use chuhe::game::Termination;
use chuhe::record::{Decision, GameOver, Ledger, Run, What};
use chuhe::runner::{Wish, orders};
use chuhe::tournament::GameId;

use super::dice::mixed;
use super::halls::{Act, Hall, Item};
use super::journal::{events, recover_or_begin};

/// How the reasons of what stands on his list begin.
pub const ITEM: &str = "item";

/// The number of ended games at which he is asked next; none when nothing more is on his list.
pub fn next_stop(hall: &Hall, run: &Run) -> Option<usize> {
    let due = |(place, _): &(usize, &Item)| !is_done(run, &reason_of(*place));
    hall.agenda.iter().enumerate().find(due).map(|(_, item)| item.after.max(run.attempts().count() + 1))
}

fn reason_of(place: usize) -> String {
    format!("{ITEM} {}", place + 1)
}

fn is_done(run: &Run, reason: &str) -> bool {
    run.decisions().iter().any(|decision| decision.reason == reason)
}

/// What he is asked now, and under which reason it is written.
pub fn agenda(hall: &Hall, run: &Run) -> Option<(String, Wish)> {
    let ended = run.attempts().count();
    for (place, item) in hall.agenda.iter().enumerate() {
        let reason = reason_of(place);
        if is_done(run, &reason) {
            continue;
        }
        if ended < item.after {
            return None;
        }
        let last = run.attempts().filter(|game| !game.annulled && game.outcome.is_some()).last();
        let wish = match (item.act, last) {
            (Act::Withdraw(who), _) if !run.withdrawals().iter().any(|one| one.entrant == who) => {
                Wish::Withdraw(run.name(who).to_owned())
            }
            // Nothing has a result yet: he is asked again after the next game.
            (_, None) => return None,
            (Act::Correct, Some(game)) if game.plies > 2 => Wish::Correct(game.id, game.plies / 2, None),
            (Act::Annul, Some(game)) => Wish::Annul(game.id),
            (Act::Replay, Some(game)) => Wish::Replay(game.id),
            (Act::Rule | Act::Correct | Act::Withdraw(_), Some(game)) => {
                let results = ["1-0", "0-1", "1/2-1/2"];
                Wish::Rule(game.id, results[mixed(hall.scenario.seed) as usize % 3].to_owned())
            }
        };
        return Some((reason, wish));
    }
    None
}

/// What he says to everything that is held.
pub fn held(hall: &Hall, run: &Run) -> Vec<(String, Wish)> {
    let seed = hall.scenario.seed;
    let is_held = |termination: &Termination| matches!(termination, Termination::Held { .. });
    let game = run.games().find(|game| game.outcome.is_none() && is_held(&game.termination));
    if let Some(game) = game {
        let (changed, _) = hall.scenario.fates.as_ref().and_then(|fates| fates.changed).expect("a change");
        let name = run.name(changed).to_owned();
        let admitted = is_done(run, "changed files");
        let wish = match mixed(seed ^ 5) % 3 {
            _ if admitted => Wish::Replay(game.id),
            0 => Wish::Admit(name),
            1 => Wish::Rule(game.id, "1-0".to_owned()),
            _ => Wish::Annul(game.id),
        };
        let reason = if matches!(wish, Wish::Admit(_)) { "changed files" } else { "a held game" };
        return vec![(reason.to_owned(), wish)];
    }
    let results: Vec<_> = run.results().collect();
    let known = run.known(&results);
    let stages = &hall.scenario.plan.stages;
    let Some(event) = stages.iter().find_map(|stage| stage.format.championship()) else { return Vec::new() };
    let block = event.held(&known).into_iter().next();
    let place = |mut block: Vec<usize>| {
        block.sort_by_key(|entrant| mixed(seed ^ *entrant as u64));
        Wish::Place(block.iter().map(|entrant| run.name(*entrant).to_owned()).collect())
    };
    block.map(|block| ("equals".to_owned(), place(block))).into_iter().collect()
}

/// A game in progress goes back some moves, where there is one with enough of them (I.12).
pub fn correct_unfinished(journal: &mut Vec<u8>, run: Run) -> Run {
    let game = run.unfinished().find(|game| game.moves.len() > 3);
    let wish = game.map(|game| Wish::Correct(game.began.game, game.moves.len() as u32 - 2, None));
    let Some(wish) = wish else { return run };
    decide(journal, run, "a slip", &wish, false);
    recover_or_begin(journal).expect("a run")
}

/// Writes what a wish comes to into the journal. `is_cut`: the power fails after its first decision.
pub fn decide(journal: &mut Vec<u8>, run: Run, reason: &str, wish: &Wish, is_cut: bool) {
    let record = |game: GameId| -> Option<GameOver> {
        events(journal).into_iter().find_map(|event| match event.what {
            What::GameOver(over) if over.game == game => Some(*over),
            _ => None,
        })
    };
    let orders = orders(&run, wish, &record).unwrap_or_else(|error| panic!("{wish:?}: {error}"));
    let at = run.last();
    let number = run.decisions().len() as u32 + 1;
    let mut ledger = Ledger::new(run);
    for (number, ordered) in (number..).zip(orders).take(if is_cut { 1 } else { usize::MAX }) {
        let decision = Decision {
            number,
            date: String::new(),
            person: "chief referee".to_owned(),
            article: "I.14".to_owned(),
            reason: reason.to_owned(),
            request: None,
            ordered,
        };
        let append = |line: &[u8]| {
            journal.extend_from_slice(line);
            Ok::<(), chuhe::record::FoldError>(())
        };
        ledger.record(at, What::Decided(Box::new(decision)), append).expect("it fits the run");
    }
}
