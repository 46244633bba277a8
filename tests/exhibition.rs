//! The blindfold exhibition (II) in virtual time: the order of visits and seats, all readings of an overrun, the
//! two hours, a master that dies, power cuts after every event, and what a config may not say. Starts no
//! process and never sleeps. Start at [`play`] and [`audit`].

#[path = "simulate/dice.rs"]
#[expect(dead_code, reason = "the dice themselves are thrown in tests/simulate.rs")]
mod dice;
#[path = "simulate/head.rs"]
mod head;
#[path = "exhibition/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use chuhe::config::{self, Overrides};
use chuhe::director::Finish;
use chuhe::plan::Plan;
use chuhe::record::{Decision, Event, GameOver, Ordered, Run, What, encode, reproducible};
use chuhe::report::{Album, DOCUMENTS, Style};
use chuhe::runner::DiskFiles;
use chuhe::tournament::MASTER;
use chuhe::xiangqi::{Move, Position, Side, SquareStyle};
use serde_json::{Value, json};

use dice::mixed;
use world::{Asked, Brain, Deed, End, Left, Life, Scenario, events, fold};

const SECOND: Duration = Duration::from_secs(1);
const COMPLETE: End = End::Finished(Finish::Complete);

/// The preset's settings with scripted engines, groups of `size`, and these changes.
fn config(groups: usize, size: usize, format: Value, more: Value) -> Value {
    let engine = |name: &str| json!({ "command": format!("/opt/{name}"), "protocol": "uci" });
    let mut entrants = vec![json!({ "name": "Master", "engine": engine("master"), "time": "10s/move" })];
    for group in 1..=groups {
        let team: Vec<Value> = (1..size).map(|_| json!({ "engine": engine("member") })).collect();
        entrants.push(json!({ "name": format!("Group {group}"), "engine": engine("member"), "team": team }));
    }
    let mut config = json!({
        "entrants": entrants, "time": "60s/move", "format": { "type": "exhibition" },
        "rules": { "occurrences": 4, "no_capture": false, "max_plies": 24 },
        "crash": "restart", "journal": "move",
    });
    for (target, source) in [("format", format), ("", more)] {
        let target = if target.is_empty() { &mut config } else { &mut config[target] };
        for (key, value) in source.as_object().expect("an object") {
            target[key] = value.clone();
        }
    }
    config
}

fn read(config: &Value) -> Result<Plan, Vec<String>> {
    let read = config::from_value(config, "/", &DiskFiles, &Overrides::default());
    read.map(|resolved| resolved.plan)
        .map_err(|problems| problems.iter().map(|one| format!("{}: {}", one.path, one.message)).collect())
}

fn plan(groups: usize, size: usize, format: Value, more: Value) -> Arc<Plan> {
    Arc::new(read(&config(groups, size, format, more)).expect("a good config"))
}

/// A move of a player in a position: always the same one.
fn choice(asked: &Asked) -> Move {
    let nature = mixed(asked.position.key() ^ mixed((asked.entrant * 100 + asked.member) as u64));
    let mut best: Option<(u64, Move)> = None;
    asked.position.each_legal(|mv| {
        let worth = mixed(nature ^ (mv.from.index() * 90 + mv.to.index()) as u64);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, mv));
        }
    });
    best.expect("asked with a move to make").1
}

/// Thinks a while that is a function of the position, the master at most four seconds, a group at most twenty.
fn calm(asked: &Asked) -> Deed {
    let most = if asked.entrant == MASTER { 4_000_000 } else { 20_000_000 };
    let after = mixed(asked.position.key() ^ asked.entrant as u64) % most;
    Deed::Moves(Duration::from_micros(after + 1_000), choice(asked))
}

fn brain(think: impl Fn(&Asked) -> Deed + 'static) -> Brain {
    Rc::new(think)
}

/// Plays a run to its end in one life.
fn play(plan: &Arc<Plan>, think: Brain) -> Left {
    let scenario = Scenario { plan: Arc::clone(plan), brain: think };
    let left = Life::live(&scenario, Vec::new(), None);
    audit(plan, &left.journal);
    assert_eq!(left.searching, 0, "a search was not stopped");
    left
}

/// The number of a game's board, from 1.
fn board(game: chuhe::tournament::GameId) -> usize {
    game.pair as usize
}

fn overs(journal: &[u8]) -> BTreeMap<usize, GameOver> {
    let over = |event: Event| match event.what {
        What::GameOver(over) => Some((board(over.game), *over)),
        _ => None,
    };
    events(journal).into_iter().filter_map(over).collect()
}

fn ends(journal: &[u8]) -> Vec<String> {
    overs(journal).into_values().map(|over| over.termination.kind).collect()
}

fn notes(journal: &[u8], kind: &str) -> usize {
    let noted = |event: &Event| matches!(&event.what, What::Noted(noted) if noted.kind == kind);
    events(journal).iter().filter(|event| noted(event)).count()
}

/// Whether a half-move (from 1) is the master's.
fn is_masters(plan: &Plan, ply: u32) -> bool {
    let colour = plan.stages[0].format.exhibition().expect("an exhibition").colour;
    let mover = if ply % 2 == 1 { Side::Red } else { Side::Black };
    let first = plan.openings.opening(0).map_or(Side::Red, |opening| opening.start.side());
    (mover == colour) == (first == Side::Red)
}

/// The boards at which the master moved, in order.
fn visits(plan: &Plan, journal: &[u8]) -> Vec<usize> {
    let visit = |event: Event| match event.what {
        What::Moved(moved) if is_masters(plan, moved.ply) => Some(board(moved.game)),
        _ => None,
    };
    events(journal).into_iter().filter_map(visit).collect()
}

/// What must be true of every journal of an exhibition: seats in turn, times, strictly cyclic visits, draws by
/// the session at one moment, a journal that folds.
fn audit(plan: &Plan, journal: &[u8]) {
    let exhibition = plan.stages[0].format.exhibition().expect("an exhibition");
    let boards = plan.entrants.len() - 1;
    let mut turns = vec![0usize; boards + 1];
    let mut live = vec![true; boards + 1];
    let mut last = 0;
    let mut session_over = None;
    let strictly = exhibition.visit.name() == "wait" && exhibition.overrun.name() != "wait";
    for event in events(journal) {
        let (number, seat) = match &event.what {
            What::Moved(moved) if is_masters(plan, moved.ply) => {
                let number = board(moved.game);
                let next = (1..=boards).map(|step| (last + step - 1) % boards + 1).find(|next| live[*next]);
                assert!(!strictly || last == 0 || next == Some(number), "from {last} to {number}");
                last = number;
                assert_eq!(moved.member, None, "the master is no team");
                continue;
            }
            What::Moved(moved) => {
                let late = moved.used_us > 60_000_000;
                assert_eq!(late, moved.mv == "--", "a move in {} us", moved.used_us);
                (board(moved.game), moved.member)
            }
            What::Overran(overrun) => {
                assert!(overrun.used_us > overrun.allowed_us && overrun.rule == exhibition.overrun.name());
                (board(overrun.game), overrun.member)
            }
            What::Decided(decision) => {
                let Ordered::Corrected { game, to_move, struck, .. } = &decision.ordered else { continue };
                let gone = (*to_move + 1..).zip(struck.split_whitespace());
                turns[board(*game)] -= gone.filter(|(ply, _)| !is_masters(plan, *ply)).count();
                continue;
            }
            // A cut between the ends of two boards: the others end when the runner is there again.
            What::Resumed(_) => {
                session_over = None;
                continue;
            }
            What::GameOver(over) => {
                assert!(std::mem::take(&mut live[board(over.game)]), "over twice");
                if over.termination.kind == "session_over" {
                    assert_eq!(*session_over.get_or_insert(event.at), event.at, "not all at once");
                }
                continue;
            }
            _ => continue,
        };
        let size = plan.entrants[number].members().count();
        let due = (size > 1).then(|| (turns[number] % size) as u8 + 1);
        assert_eq!(seat, due, "turn {} of group {number}", turns[number]);
        turns[number] += 1;
    }
    let run = fold(journal);
    for document in DOCUMENTS {
        let drawn = document.draw(&run, &Album::default(), &Style::default());
        assert!(!drawn.is_empty() || document.file == "rulings.txt");
    }
}

#[test]
fn the_master_goes_round_and_is_given_moves_only() {
    for (visit, isolate, protocol) in
        [("wait", true, "uci"), ("wait", false, "ucci"), ("skip", true, "ucci"), ("stay", true, "uci")]
    {
        let mut config = config(5, 5, json!({ "visit": visit, "isolate": isolate }), json!({}));
        config["entrants"][0]["engine"]["protocol"] = json!(protocol);
        let plan = Arc::new(read(&config).expect("a good config"));
        let left = play(&plan, brain(calm));
        assert_eq!(left.end, COMPLETE, "{visit}");
        let visits = visits(&plan, &left.journal);
        match visit {
            "wait" => assert_eq!(visits[..11], [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1]),
            "skip" => assert!(visits.len() == 60 && visits[..5] == [1, 2, 3, 4, 5]),
            _ => assert!(visits.is_sorted() && visits[..12] == [1; 12]),
        }
        let count = |word: &str| left.master.iter().filter(|(_, line)| line.starts_with(word)).count();
        assert_eq!(count("go "), 60);
        let positions = left.master.iter().filter(|(_, line)| line.starts_with("position"));
        assert!(
            positions.clone().all(|(_, line)| line.starts_with("position startpos")),
            "no board is shown"
        );
        // A new game is told at each change of boards, and once at the beginning.
        let walks = visits.windows(2).filter(|two| two[0] != two[1]).count();
        let word = if protocol == "uci" { "ucinewgame" } else { "setoption newgame" };
        assert_eq!(count(word), if isolate { walks + 1 } else { 1 }, "{visit}");
        let mut games: BTreeMap<usize, &str> = BTreeMap::new();
        for (board, line) in positions {
            let before = games.insert(*board, line).unwrap_or("position startpos");
            assert!(line.starts_with(before), "the game of one board goes on: {before} | {line}");
        }
        assert!(overs(&left.journal).values().all(|over| over.termination.kind == "max_length"));
    }
}

#[test]
fn the_master_may_have_black() {
    let plan = plan(3, 2, json!({ "colour": "black" }), json!({}));
    let left = play(&plan, brain(calm));
    assert_eq!((left.end, visits(&plan, &left.journal)[..4].to_vec()), (COMPLETE, vec![1, 2, 3, 1]));
    assert!(overs(&left.journal).values().all(|over| over.black == "Master"));
}

/// A group's member at a certain moment thinks for ever.
fn slow(entrant: usize, plies: usize) -> Brain {
    brain(move |asked| match (asked.entrant, asked.plies) {
        now if now == (entrant, plies) => Deed::Thinks,
        _ => calm(asked),
    })
}

#[test]
fn every_reading_of_an_overrun() {
    // Group 2 does not answer at its third turn: half-move 6, member 3.
    let lost = |rule: &str| {
        let plan = plan(3, 5, json!({ "overrun": rule }), json!({}));
        let left = play(
            &plan,
            brain(move |asked| match (asked.entrant, asked.plies, asked.member) {
                (2, 5, 2) => Deed::Thinks,
                _ => calm(asked),
            }),
        );
        (left, plan)
    };
    let third = |journal: &[u8]| -> Vec<String> {
        let turn = |event: Event| match event.what {
            What::Moved(moved) if board(moved.game) == 2 && (5..9).contains(&moved.ply) => {
                Some(format!("{}:{}", moved.member.unwrap_or(0), if moved.mv == "--" { "--" } else { "mv" }))
            }
            What::Overran(overrun) => Some(format!("{}:{}", overrun.member.unwrap_or(0), overrun.rule)),
            _ => None,
        };
        events(journal).into_iter().filter_map(turn).collect()
    };
    let (left, _) = lost("pass");
    assert_eq!((left.end, left.drained), (COMPLETE, 1));
    assert_eq!(third(&left.journal), ["0:mv", "3:--", "0:mv", "4:mv"]);
    let shown = left.master.iter().find(|(board, line)| *board == 1 && line.starts_with("position fen"));
    assert!(shown.is_some(), "after a pass the position has to be shown");
    let (left, _) = lost("next-seat");
    assert_eq!((left.end, left.drained), (COMPLETE, 1));
    assert_eq!(third(&left.journal), ["0:mv", "3:next-seat", "4:mv", "0:mv", "5:mv"]);
    let (left, plan) = lost("wait");
    assert_eq!((left.end, left.drained), (COMPLETE, 1));
    assert_eq!(third(&left.journal), ["0:mv", "3:wait", "4:mv", "0:mv", "5:mv"]);
    // The visit at which the move was due is lost: one round without a move there.
    assert_eq!(visits(&plan, &left.journal)[6..14], [1, 2, 3, 1, 3, 1, 2, 3]);
    let (left, _) = lost("loses");
    assert_eq!(ends(&left.journal), ["max_length", "flag", "max_length"]);
    assert_eq!(overs(&left.journal)[&2].result.as_deref(), Some("1-0"));
}

#[test]
fn an_overrun_in_check_loses_where_the_turn_is_lost() {
    // The master's chariot checks at once.
    let openings = json!({ "openings": { "list": ["4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1"] } });
    let check = |asked: &Asked| {
        let mv = SquareStyle::Zero.read(b"a1e1").expect("a move");
        match (asked.entrant, asked.plies) {
            (MASTER, 0) => Deed::Moves(SECOND, mv),
            (1, 1) => Deed::Thinks,
            _ => calm(asked),
        }
    };
    for (rule, end) in [("pass", "overrun_in_check"), ("loses", "flag")] {
        let plan = plan(2, 2, json!({ "overrun": rule }), openings.clone());
        let left = play(&plan, brain(check));
        assert_eq!(ends(&left.journal)[0], end);
        assert_eq!(overs(&left.journal)[&1].result.as_deref(), Some("1-0"));
    }
    let plan = plan(2, 2, json!({ "overrun": "next-seat" }), openings);
    let left = play(&plan, brain(move |asked| if asked.member == 1 { calm(asked) } else { check(asked) }));
    let first = &overs(&left.journal)[&1];
    assert_ne!(first.termination.kind, "overrun_in_check");
    assert_eq!(first.members[..2], [0, 2], "the second member answered the check");
}

#[test]
fn exactly_sixty_seconds_are_in_time() {
    for (late, passes) in [(0, 0), (1, 1)] {
        let plan = plan(2, 3, json!({}), json!({}));
        let after = Duration::from_micros(60_000_000 + late);
        let left = play(
            &plan,
            brain(move |asked| match (asked.entrant, asked.plies) {
                (1, 3) => Deed::Moves(after, choice(asked)),
                _ => calm(asked),
            }),
        );
        let over = &overs(&left.journal)[&1];
        assert_eq!(over.moves.matches("--").count(), passes, "{late} us late");
    }
}

#[test]
fn too_many_overruns_on_end_are_held() {
    for rule in ["pass", "next-seat", "wait"] {
        let plan = plan(2, 5, json!({ "overrun": rule, "max_overruns": 3 }), json!({}));
        let left = play(&plan, brain(|asked| if asked.entrant == 2 { Deed::Hangs } else { calm(asked) }));
        assert_eq!(left.end, End::Finished(Finish::Held), "{rule}");
        assert_eq!(ends(&left.journal), ["max_length", "held"], "{rule}");
        // What does not answer a stop is killed; nobody was started again, for every turn was another's.
        assert_eq!(notes(&left.journal, "killed"), 3, "{rule}");
    }
}

#[test]
fn a_group_of_one_that_hangs_is_started_again_once() {
    let plan = plan(2, 1, json!({ "max_overruns": 4 }), json!({}));
    let left = play(&plan, brain(|asked| if asked.entrant == 1 { Deed::Hangs } else { calm(asked) }));
    assert_eq!(ends(&left.journal), ["held", "max_length"]);
    assert_eq!(notes(&left.journal, "restarted"), 1);
}

#[test]
fn after_two_hours_all_boards_are_drawn_in_the_middle_of_thoughts() {
    for visit in ["wait", "skip"] {
        let more = json!({ "rules": { "occurrences": 9, "no_capture": false, "dead_position": false } });
        let plan = plan(5, 5, json!({ "visit": visit }), more);
        // Nobody captures or checks: a group moves a chariot to and fro, all think long.
        let left = play(&plan, brain(shuffle));
        assert_eq!(left.end, COMPLETE);
        assert_eq!(ends(&left.journal), ["session_over"; 5], "{visit}");
        let began = events(&left.journal);
        let at = |wanted: fn(&What) -> bool| began.iter().find(|one| wanted(&one.what)).expect("an event").at;
        let session = at(|what| matches!(what, What::GameOver(_)))
            - at(|what| matches!(what, What::SessionRuns { .. }));
        assert_eq!(session, Duration::from_secs(7200), "{visit}");
        assert!(left.drained >= 4, "the groups were thinking: {}", left.drained);
        assert!(overs(&left.journal).values().all(|over| over.result.as_deref() == Some("1/2-1/2")));
    }
}

/// Moves that lead nowhere, so that only time ends the game: generals and advisors stay, the answer is the
/// first quiet move of a soldier that is left, else any quiet move; half a minute each.
fn shuffle(asked: &Asked) -> Deed {
    let seconds = if asked.entrant == MASTER { 7 } else { 58 };
    let mut best: Option<(u64, Move)> = None;
    let stood = mixed(asked.plies as u64 ^ (asked.entrant as u64) << 32);
    asked.position.each_legal(|mv| {
        let after = asked.position.after(mv);
        let quiet = asked.position.get(mv.to).is_none() && !after.in_check(after.side());
        // No repetition: another move each time.
        let worth =
            u64::from(quiet) << 63 | mixed(stood ^ (mv.from.index() * 90 + mv.to.index()) as u64) >> 1;
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, mv));
        }
    });
    Deed::Moves(Duration::from_secs(seconds), best.expect("a move").1)
}

#[test]
fn a_mate_before_the_end_of_the_session_counts() {
    // Red mates in one; the session is 30 s, and the master thinks up to its last millisecond.
    let openings =
        json!({ "openings": { "list": ["4k4/7R1/9/9/9/9/9/8R/9/5K3 w - - 0 1"] }, "time": "60s/move" });
    let mate = SquareStyle::Zero.read(b"i2i9").expect("a move");
    for (before, end) in [(1_000, "mated"), (1, "mated"), (0, "session_over")] {
        let mut config = config(2, 1, json!({ "session": "9s" }), openings.clone());
        config["entrants"][0]["time"] = json!("10s/move");
        let plan = Arc::new(read(&config).expect("a good config"));
        let after = Duration::from_micros(9_000_000 - before);
        let left = play(&plan, brain(move |_| Deed::Moves(after, mate)));
        assert_eq!(ends(&left.journal), [end, "session_over"], "{before} us before the end");
    }
}

#[test]
fn a_master_that_dies_is_started_again_and_loses_only_where_he_does_not_come_back() {
    let once = brain(|asked| match (asked.entrant, asked.process, asked.plies) {
        (MASTER, 1, 4) => Deed::Dies(SECOND),
        _ => calm(asked),
    });
    let calm_plan = plan(3, 3, json!({}), json!({}));
    let left = play(&calm_plan, once);
    assert_eq!((left.end, notes(&left.journal, "restarted")), (COMPLETE, 1));
    assert_eq!(ends(&left.journal), ["max_length"; 3]);
    // The same master without a death plays the same moves.
    let sound = play(&calm_plan, brain(calm));
    assert_eq!(reproducible(&events(&sound.journal)), reproducible(&events(&left.journal)));
    // At board 1 he dies at every attempt.
    let always = brain(|asked| {
        let at_first = asked.line == "position startpos" && asked.process <= 2;
        if asked.entrant == MASTER && at_first { Deed::Dies(SECOND) } else { calm(asked) }
    });
    let left = play(&calm_plan, always);
    assert_eq!(
        (left.end, ends(&left.journal)),
        (COMPLETE, vec!["crashed".into(), "max_length".into(), "max_length".into()])
    );
    assert_eq!(overs(&left.journal)[&1].result.as_deref(), Some("0-1"));
    // Where a crash loses at once.
    let strict = plan(3, 3, json!({}), json!({ "crash": "loses" }));
    let left = play(
        &strict,
        brain(|asked| match (asked.entrant, asked.process, asked.plies) {
            (MASTER, 1, 4) => Deed::Dies(SECOND),
            _ => calm(asked),
        }),
    );
    // For the other boards, which are other games, he is started anew.
    assert_eq!(ends(&left.journal), ["crashed", "max_length", "max_length"]);
    // A master who is silent has stalled at that board when patience with him ends, and is missed at no other.
    let left = play(
        &calm_plan,
        brain(|asked| match (asked.entrant, asked.process, asked.plies) {
            (MASTER, 1, 2) => Deed::Hangs,
            _ => calm(asked),
        }),
    );
    assert_eq!(ends(&left.journal), ["stalled", "max_length", "max_length"]);
}

#[test]
fn advice_is_noted_and_the_member_on_turn_has_the_last_word() {
    let plan = plan(2, 3, json!({ "advice": true }), json!({}));
    let left = play(
        &plan,
        brain(|asked| match calm(asked) {
            Deed::Moves(after, mv) => Deed::Moves(after / 4, mv),
            other => other,
        }),
    );
    assert_eq!(left.end, COMPLETE);
    let mut advisers: BTreeMap<(usize, u32), Vec<u8>> = BTreeMap::new();
    for event in events(&left.journal) {
        match event.what {
            What::Advised(advice) => {
                assert_eq!(advice.said.len(), 4);
                advisers.entry((board(advice.game), advice.ply)).or_default().push(advice.member);
            }
            What::Moved(moved) if !is_masters(&plan, moved.ply) => {
                let mut heard = advisers.remove(&(board(moved.game), moved.ply)).unwrap_or_default();
                heard.push(moved.member.expect("a member"));
                heard.sort_unstable();
                assert_eq!(heard, [1, 2, 3], "everybody was heard once");
            }
            _ => {}
        }
    }
    // An adviser who never answers costs the group its turn, and no more.
    let left = play(
        &plan,
        brain(|asked| match (asked.entrant, asked.plies, asked.member) {
            (1, 3, 0) => Deed::Thinks,
            _ => calm_quarter(asked),
        }),
    );
    assert_eq!(overs(&left.journal)[&1].moves.matches("--").count(), 1);
}

fn calm_quarter(asked: &Asked) -> Deed {
    match calm(asked) {
        Deed::Moves(after, mv) => Deed::Moves(after / 4, mv),
        other => other,
    }
}

/// Overruns now and then, as a function of the position and the member alone.
fn moody(asked: &Asked) -> Deed {
    let mood = mixed(asked.position.key() ^ mixed((asked.entrant * 31 + asked.member) as u64)) % 7;
    if asked.entrant != MASTER && mood == 0 { Deed::Thinks } else { calm(asked) }
}

/// The order of what was done at the boards, lost turns and seats with it.
fn deeds(journal: &[u8]) -> Vec<String> {
    let deed = |event: Event| match event.what {
        What::Moved(moved) => Some(format!("{} {} {:?} {}", moved.game, moved.ply, moved.member, moved.mv)),
        What::Overran(one) => Some(format!("{} {} {:?} {}", one.game, one.ply, one.member, one.rule)),
        _ => None,
    };
    events(journal).into_iter().filter_map(deed).collect()
}

#[test]
fn a_run_that_is_cut_anywhere_goes_on_as_if_it_were_not() {
    for (rule, visit) in [
        ("pass", "wait"),
        ("next-seat", "wait"),
        ("wait", "wait"),
        ("loses", "wait"),
        ("pass", "skip"),
        ("wait", "stay"),
    ] {
        let format = json!({ "overrun": rule, "visit": visit, "max_overruns": 9 });
        let plan = plan(3, 3, format, json!({ "rules": { "max_plies": 12, "no_capture": false } }));
        let scenario = Scenario { plan: Arc::clone(&plan), brain: brain(moody) };
        let whole = Life::live(&scenario, Vec::new(), None);
        audit(&plan, &whole.journal);
        let count = events(&whole.journal).len() as u64;
        assert!(count > 25, "{rule}: {count} events");
        for cut in 1..count {
            let first = Life::live(&scenario, Vec::new(), Some(cut));
            assert_eq!(first.end, End::PowerCut);
            let again = Life::live(&scenario, first.journal, None);
            assert_eq!(again.end, whole.end, "{rule} {visit} cut after event {cut}");
            audit(&plan, &again.journal);
            assert_eq!(reproducible(&events(&again.journal)), reproducible(&events(&whole.journal)));
            for number in 1..=3 {
                let own = |journal: &[u8]| -> Vec<String> {
                    deeds(journal)
                        .into_iter()
                        .filter(|deed| deed.starts_with(&format!("1.1.{number}.")))
                        .collect()
                };
                assert_eq!(
                    own(&again.journal),
                    own(&whole.journal),
                    "board {number}, {rule} cut after {cut}"
                );
            }
            if visit != "skip" {
                let (again, whole) = (visits(&plan, &again.journal), visits(&plan, &whole.journal));
                assert_eq!(again, whole, "{rule} {visit} cut after event {cut}");
            }
        }
    }
}

#[test]
fn a_corrected_board_goes_on_in_the_order_of_visits() {
    for rule in ["pass", "wait"] {
        let plan = plan(3, 3, json!({ "overrun": rule }), json!({}));
        let scenario = Scenario { plan: Arc::clone(&plan), brain: brain(calm) };
        let mut journal = Life::live(&scenario, Vec::new(), Some(45)).journal;
        let run = fold(&journal);
        let game = run.unfinished().nth(1).expect("board 2 is in progress");
        let struck: Vec<&str> = game.moves[4..].iter().map(|moved| moved.mv.as_str()).collect();
        assert!(struck.len() >= 6);
        let ordered = Ordered::Corrected {
            game: game.began.game,
            to_move: 4,
            struck: struck.join(" "),
            clocks_us: [10_000_000, 60_000_000],
        };
        let (person, article) = ("referee".to_owned(), "II.7".to_owned());
        let decision = Decision {
            number: 1,
            date: String::new(),
            person,
            article,
            reason: "a slip".into(),
            request: None,
            ordered,
        };
        let event = Event { seq: run.event_count(), at: run.last(), what: What::Decided(Box::new(decision)) };
        journal.extend_from_slice(encode(&event).as_bytes());
        let before = visits(&plan, &journal).len();
        let left = Life::live(&scenario, journal, None);
        assert_eq!(left.end, COMPLETE);
        audit(&plan, &left.journal);
        let after = &visits(&plan, &left.journal)[before..];
        assert!(after[..9].windows(3).all(|three| three[0] != three[1] && three[0] != three[2]), "{after:?}");
        assert_eq!(overs(&left.journal)[&2].moves.split(' ').count(), 24);
    }
}

#[test]
fn a_game_that_is_played_again_has_a_display_of_its_own() {
    let plan = plan(3, 3, json!({}), json!({}));
    let scenario = Scenario { plan: Arc::clone(&plan), brain: brain(calm) };
    let mut journal = Life::live(&scenario, Vec::new(), None).journal;
    let run = fold(&journal);
    let game = run.games().nth(1).expect("board 2").id;
    let new = chuhe::tournament::GameId { attempt: 2, ..game };
    let old = Some("1/2-1/2".to_owned());
    let (person, article) = ("referee".to_owned(), "II.7".to_owned());
    let ordered = Ordered::Replay { game, old, new };
    let decision = Decision {
        number: 1,
        date: String::new(),
        person,
        article,
        reason: "again".into(),
        request: None,
        ordered,
    };
    let event = Event { seq: run.event_count(), at: run.last(), what: What::Decided(Box::new(decision)) };
    journal.extend_from_slice(encode(&event).as_bytes());
    for cut in [None, Some(12)] {
        let first = Life::live(&scenario, journal.clone(), cut);
        let last = if cut.is_some() { Life::live(&scenario, first.journal, None) } else { first };
        assert_eq!(last.end, COMPLETE);
        let told = events(&last.journal);
        let used: Vec<u64> = told
            .iter()
            .filter_map(|event| match event.what {
                What::SessionRuns { used_us } => Some(used_us),
                _ => None,
            })
            .collect();
        assert_eq!(used[..2], [0, 0], "the session of the new display is whole");
        assert!(cut.is_none() || used[2] > 0, "{used:?}");
        assert_eq!(fold(&last.journal).attempts().count(), 4);
    }
}

#[test]
fn the_clock_of_all_boards_stands_still_while_the_runner_is_down() {
    let more = json!({ "rules": { "occurrences": 9, "no_capture": false, "dead_position": false } });
    let plan = plan(5, 5, json!({ "session": "30m" }), more);
    let scenario = Scenario { plan: Arc::clone(&plan), brain: brain(shuffle) };
    let mut journal = Vec::new();
    let (mut used, mut lives) = (Duration::ZERO, 0);
    loop {
        let left = Life::live(&scenario, journal, Some(40));
        journal = left.journal;
        lives += 1;
        let told = events(&journal);
        let runs =
            told.iter().rposition(|event| matches!(event.what, What::SessionRuns { .. })).expect("it ran");
        let What::SessionRuns { used_us } = told[runs].what else { continue };
        assert_eq!(Duration::from_micros(used_us), used, "life {lives} does not go on where the clock stood");
        used += told.last().expect("an event").at - told[runs].at;
        if left.end != End::PowerCut {
            break;
        }
    }
    assert!(lives > 3 && ends(&journal).iter().all(|end| end == "session_over"));
    let over = events(&journal).into_iter().rfind(|event| matches!(event.what, What::GameOver(_)));
    let runs = events(&journal).into_iter().rfind(|event| matches!(event.what, What::SessionRuns { .. }));
    let (over, runs) = (over.expect("an end"), runs.expect("it ran"));
    let What::SessionRuns { used_us } = runs.what else { panic!("it was looked for") };
    assert_eq!(Duration::from_micros(used_us) + (over.at - runs.at), Duration::from_secs(1800));
    audit(&plan, &journal);
}

#[test]
fn odd_engines_never_stop_the_show() {
    let seeds = if cfg!(debug_assertions) { 60 } else { 1000 };
    let mut met: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..seeds {
        let pick = |list: &[&'static str], salt: u64| list[(mixed(seed ^ salt) % list.len() as u64) as usize];
        let format = json!({
            "overrun": pick(&["pass", "next-seat", "wait", "loses"], 1), "visit": pick(&["wait", "skip", "stay"], 2),
            "colour": pick(&["red", "black"], 3), "isolate": mixed(seed ^ 4).is_multiple_of(2),
            "advice": mixed(seed ^ 5).is_multiple_of(3), "session": pick(&["2h", "10m", "90s"], 6),
        });
        let more = json!({ "crash": pick(&["restart", "restart", "loses"], 7) });
        let plan = plan(1 + (mixed(seed ^ 8) % 4) as usize, 1 + (mixed(seed ^ 9) % 3) as usize, format, more);
        let rate = 4 + mixed(seed ^ 10) % 40;
        let scenario = Scenario {
            plan: Arc::clone(&plan),
            brain: brain(move |asked| {
                let whim =
                    mixed(seed ^ asked.position.key() ^ mixed((asked.entrant * 31 + asked.member) as u64));
                let soon = Duration::from_micros(whim % 70_000_000);
                match (whim >> 32) % (3 * rate) {
                    0 => Deed::Thinks,
                    1 => Deed::Hangs,
                    2 | 3 => Deed::Dies(soon),
                    4 => Deed::Moves(soon, choice(asked)),
                    _ => calm_quarter(asked),
                }
            }),
        };
        let mut journal = Vec::new();
        for life in 0.. {
            assert!(life < 200, "seed {seed} does not come to its end");
            let cut =
                (mixed(seed ^ 11).is_multiple_of(2) && life < 20).then(|| 1 + mixed(seed * 100 + life) % 60);
            let left = Life::live(&scenario, journal, cut);
            journal = left.journal;
            if left.end != End::PowerCut {
                assert!(matches!(left.end, End::Finished(Finish::Complete | Finish::Held)), "seed {seed}");
                assert_eq!(left.searching, 0, "seed {seed}: a search was not stopped");
                break;
            }
        }
        audit(&plan, &journal);
        for end in ends(&journal) {
            *met.entry(end).or_default() += 1;
        }
    }
    for end in ["max_length", "session_over", "flag", "crashed", "stalled", "held"] {
        assert!(met.contains_key(end), "{end} was never met: {met:?}");
    }
}

/// Each wrong config gives this one message.
fn refused(config: &Value, expected: &str) {
    assert_eq!(read(config).expect_err("refused"), [expected], "{config}");
}

#[test]
fn what_a_config_may_not_say() {
    let good = || config(5, 5, json!({}), json!({ "regulation": "blindfold", "lock": "hold" }));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut config = good();
        change(&mut config);
        config
    };
    assert!(read(&good()).is_ok());
    refused(
        &with(&|config| config["format"]["session"] = json!(0)),
        "format.session: must be above 0, or all boards are drawn at once",
    );
    refused(
        &with(&|config| config["entrants"][0]["team"] = json!([{ "engine": "sparring" }])),
        "entrants[0].team: Master is the master of the exhibition and cannot be a team",
    );
    refused(
        &with(&|config| drop(config["entrants"][0].as_object_mut().expect("an object").remove("time"))),
        "entrants[0].time: is missing: the master of an exhibition needs a time of his own",
    );
    refused(
        &with(&|config| config["entrants"].as_array_mut().expect("a list").truncate(4)),
        "entrants: II.2 wants a master and 5 groups; there are 3 groups",
    );
    refused(
        &with(&|config| config["entrants"].as_array_mut().expect("a list").truncate(1)),
        "entrants: has 1 entries; at least 2 are needed",
    );
    refused(
        &with(&|config| config["time"] = json!("30s/move")),
        "time: II.5 gives the groups 60 seconds a move: `60s/move`",
    );
    refused(
        &with(&|config| config["time"] = json!("10m")),
        "time: an overrun that means `pass` needs a fixed time a move; a clock for the whole game has run out then",
    );
    refused(
        &with(&|config| config["entrants"][2]["time"] = json!("10m")),
        "entrants[2].time: an overrun that means `pass` needs a fixed time a move; a clock for the whole game has run out then",
    );
    refused(
        &with(&|config| config["format"]["session"] = json!("1h")),
        "format.session: II.5 gives all boards 2 hours",
    );
    refused(
        &with(&|config| config["format"] = json!("round-robin")),
        "format: II.2 wants one master at five boards: `\"type\": \"exhibition\"`",
    );
    refused(
        &with(&|config| config["format"]["overrun"] = json!("forbidden")),
        "format.overrun: \"forbidden\" is not possible here",
    );
    refused(
        &with(&|config| config["lock"] = json!("off")),
        "lock: II wants programs locked: `hold` or `forfeit`",
    );
    refused(
        &with(&|config| config["entrants"][0]["time"] = json!("30m")),
        "entrants[0].time: must be a time a move or a limit of nodes or depth: the master has no clock (II.5)",
    );
    let mut open = config(2, 1, json!({}), json!({ "time": "10m" }));
    open["format"]["overrun"] = json!("loses");
    assert!(read(&open).is_ok(), "an exhibition of one's own");
}

#[test]
fn a_run_tells_how_far_it_is() {
    let plan = plan(2, 2, json!({}), json!({}));
    let left = play(&plan, slow(1, 3));
    let run: Run = fold(&left.journal);
    let lost: Vec<u32> = run.games().map(|game| game.lost_turns).collect();
    assert_eq!(lost, [1, 0]);
    let table = DOCUMENTS.iter().find(|one| one.file == "crosstable.txt").expect("a table");
    let table = table.draw(&run, &Album::default(), &Style::default());
    assert!(table.contains("Board 1: Master 1 - 1 Group 1 (12 moves, 1 turn lost): Draw"), "{table}");
    let start = Position::start();
    assert_eq!(start.side(), Side::Red);
}
