//! What must hold of an event that came to its end: every game that was due has a result or was taken out of
//! it by a word of the chief referee, tables add up, every place is an article's, seats rotated. Counts what
//! was met. Never drives anything. Start at [`audit`].

use std::collections::BTreeSet;

use chuhe::game::Outcome;
use chuhe::plan::Rotation;
use chuhe::record::{GameOver, Ordered, Run, What};
use chuhe::tournament::{Decided, Format, GameId, GameResult, GroupTable, Next, Part, Scoresheet};
use chuhe::xiangqi::Side;

use super::halls::Hall;
use super::journal::events;
use super::{Seen, count};

fn see(seen: &mut Seen, word: impl Into<String>, times: u64) {
    if times > 0 {
        *seen.entry(word.into()).or_default() += times;
    }
}

/// The tables of a run, for comparison.
pub fn shown(run: &Run) -> String {
    let tables = tables(run);
    let lines = tables.iter().flat_map(|table| &table.standings.lines);
    lines.map(|line| format!("{} {} {:?}\n", line.rank, run.name(line.entrant), line.decided)).collect()
}

fn tables(run: &Run) -> Vec<GroupTable> {
    let results: Vec<GameResult> = run.results().collect();
    let formats = run.settings().expect("a head").stages.iter().map(|stage| stage.format.format());
    let event = formats.into_iter().find_map(|format| format.championship().cloned());
    event.map(|event| event.tables(&run.known(&results))).unwrap_or_default()
}

/// Holds an event that is over to everything that must be true of it.
pub fn audit(hall: &Hall, run: &Run, journal: &[u8], seen: &mut Seen) {
    assert_eq!(run.over(), Some("complete"));
    let results: Vec<GameResult> = run.results().collect();
    check_schedule(hall, run, &results);
    check_points(hall, &results);
    for table in tables(run) {
        check_table(&table, run, seen);
    }
    let mut decided = BTreeSet::new();
    for event in events(journal) {
        if let What::GameOver(over) = event.what {
            assert!(decided.insert(over.game), "game {} was decided twice", over.game);
            check_seats(hall, &over, seen);
            let detail = over.termination.detail.as_deref().unwrap_or_default();
            if detail.contains("locked copy") {
                see(seen, format!("lock {}", over.termination.kind), 1);
            }
        }
    }
    see(
        seen,
        "crash restarted",
        count(journal, |what| matches!(what, What::Noted(note) if note.kind == "restarted")),
    );
    if hall.scenario.plan.stages[0].format.championship().is_none() {
        let level = results.chunk_by(|one, other| one.id.pair == other.id.pair).filter(|bout| {
            let points: u32 = bout.iter().filter_map(|game| game.score_of(bout[0].red)).sum();
            points == bout.len() as u32
        });
        see(seen, "level bout", level.count() as u64);
    }
    count_decisions(run, seen);
}

/// Every game that the format wants has a result, unless it was annulled or nobody plays it.
fn check_schedule(hall: &Hall, run: &Run, results: &[GameResult]) {
    let plan = &hall.scenario.plan;
    let known = run.known(results);
    let mut missing = Vec::new();
    let mut scheduled = BTreeSet::new();
    for (number, stage) in (1u8..).zip(&plan.stages) {
        for round in 1.. {
            let next = stage.format.next_of(number, round, plan.entrants.len(), &known);
            let pairings = match next {
                Next::Round(pairings) => pairings,
                Next::Over => break,
                Next::Waiting | Next::Held(_) => panic!("stage {number} round {round}: {next:?}"),
            };
            for pairing in pairings {
                let gone = [pairing.first, pairing.second]
                    .map(|one| run.withdrawals().iter().find(|w| w.entrant == one && w.stage <= number));
                let cancelled = gone.iter().flatten().any(|w| w.cancelled && w.stage == number);
                for leg in 1..=pairing.legs {
                    let (red, black) = pairing.seats(leg);
                    let id = GameId { stage: number, round, pair: pairing.pair, leg, attempt: 1 };
                    scheduled.insert(id);
                    let is = |game: &GameResult| {
                        GameId { attempt: 1, ..game.id } == id && (game.red, game.black) == (red, black)
                    };
                    let void = known.void.iter().any(|game| GameId { attempt: 1, ..game.id } == id);
                    let played = results.iter().any(is);
                    if !(played || void || cancelled || gone.iter().all(Option::is_some)) {
                        missing.push(id);
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "never decided: {missing:?}");
    // A word on a game may make a bout needless that was being played.
    let waits = run.unfinished().find(|game| scheduled.contains(&GameId { attempt: 1, ..game.began.game }));
    assert_eq!(waits, None, "the event is over and a game is not");
    // A word on a game may make bouts needless that were played; without one there are none.
    if run.decisions().iter().all(|one| matches!(one.ordered, Ordered::Placed { .. })) {
        let other = results.iter().find(|game| !scheduled.contains(&GameId { attempt: 1, ..game.id }));
        assert_eq!(other, None, "nobody scheduled it");
    }
}

fn check_points(hall: &Hall, results: &[GameResult]) {
    let sheet = Scoresheet::new(hall.scenario.plan.entrants.len(), results);
    let standings = sheet.standings(&hall.scenario.plan.tie_break);
    let points: u32 = standings.lines.iter().map(|line| line.points).sum();
    assert_eq!(points as usize, 2 * results.len(), "the points do not add up");
    let drawn = results.iter().filter(|game| game.outcome == Outcome::Draw).count();
    let totals: Vec<_> = standings.lines.iter().map(|line| line.total()).collect();
    let wins: u32 = totals.iter().map(|total| total.wins).sum();
    let draws: u32 = totals.iter().map(|total| total.draws).sum();
    assert_eq!((wins as usize, draws as usize), (results.len() - drawn, 2 * drawn));
}

/// Points first, then an article for every place; what is shared is shared where the text lets it be.
fn check_table(table: &GroupTable, run: &Run, seen: &mut Seen) {
    let lines = &table.standings.lines;
    let points: u32 = lines.iter().map(|line| line.points).sum();
    assert_eq!(points as usize, 2 * table.results.len(), "the points of a table do not add up");
    assert!(lines.is_sorted_by(|one, other| one.points >= other.points), "points go first");
    for block in lines.chunk_by(|one, other| one.points == other.points).filter(|block| block.len() > 1) {
        see(seen, format!("tie of {}", block.len()), 1);
    }
    for line in lines {
        let word = match line.decided {
            Decided::Points => "points",
            Decided::HeadToHead { .. } => "head to head",
            Decided::MiniTable { .. } => "mini-table",
            Decided::PlayOff { .. } => "play-off",
            Decided::PlayOffTable { .. } => "play-off table",
            Decided::Withdrawn => "withdrawal",
            Decided::Ruled => "ruling",
            Decided::Shared => "nothing",
            other => panic!("{other:?} is no article's"),
        };
        see(seen, format!("places by {word}"), 1);
    }
    let plays = |one: &usize| !run.withdrawals().iter().any(|gone| gone.entrant == *one);
    let order: Vec<usize> = table.standings.order().into_iter().filter(|one| plays(one)).collect();
    let format = run.settings().expect("a head").stages[0].format.format();
    let Format::Championship(event, _) = format else { panic!("a table of no championship") };
    for block in table.standings.shared() {
        let block: Vec<usize> = block.into_iter().filter(|one| plays(one)).collect();
        let inside = |one: &usize| order.iter().position(|other| other == one) < Some(event.qualify);
        let crosses = block.iter().any(inside) && block.iter().any(|one| !inside(one));
        match table.part {
            Part::Final | Part::Places => assert!(block.len() < 2, "nobody decided {block:?}"),
            Part::Groups | Part::Qualifying => assert!(!crosses, "nobody decided the line in {block:?}"),
        }
    }
}

/// The members of a team moved in turn.
fn check_seats(hall: &Hall, over: &GameOver, seen: &mut Seen) {
    if over.members.is_empty() {
        return;
    }
    let plan = &hall.scenario.plan;
    for side in Side::BOTH {
        let name = if side == Side::Red { &over.red } else { &over.black };
        let entrant = plan.entrants.iter().find(|entrant| entrant.name == *name).expect("an entrant");
        let members = entrant.members().count();
        let own: Vec<usize> = over
            .members
            .iter()
            .enumerate()
            .filter(|(ply, _)| (ply % 2 == 0) == (side == Side::Red))
            .map(|(_, member)| usize::from(*member))
            .collect();
        if members == 1 {
            assert!(own.iter().all(|member| *member == 0), "{name} is no team");
            continue;
        }
        assert!(
            own.windows(2).all(|two| two[1] == two[0] % members + 1),
            "{name} did not move in turn: {own:?}"
        );
        let Some(first) = own.first() else { continue };
        if plan.conduct.rotation == Rotation::Restart || over.game.leg == 1 {
            assert_eq!(*first, 1, "{name} does not begin with its first member");
            see(seen, "seats rotated", 1);
        } else if *first > 1 {
            see(seen, "seats rotated on into the second game", 1);
        }
    }
}

fn count_decisions(run: &Run, seen: &mut Seen) {
    for decision in run.decisions() {
        let word = match &decision.ordered {
            Ordered::Result { .. } => "result overruled",
            Ordered::Annulled { .. } => "game annulled",
            Ordered::Replay { .. } => "game replayed",
            Ordered::Corrected { .. } => "game in progress corrected",
            Ordered::Reopened { .. } => "finished game corrected",
            Ordered::Placed { .. } => "play-off held",
            Ordered::Admitted { .. } => "changed files admitted",
            Ordered::Withdrawn { cancelled, .. } => {
                let how = if *cancelled { "results cancelled" } else { "rest forfeited" };
                see(seen, format!("withdrawal, {how}"), 1);
                "withdrawal"
            }
        };
        see(seen, word, 1);
    }
}
