//! Engines that misbehave: what the journal says of each, how soon, and that nothing of them is left.
//! Start at [`check`].

use std::time::Duration;

use chuhe::record::What;
use serde_json::{Value, json};

use crate::world::{CHUHE, Place, fake, pair, with};

/// Plays A, who has the quirk, against B, who has none, and compares how A's games ended: `KIND LOSER
/// DETAIL`, the detail cut to its first words.
fn check(name: &str, switches: &[&str], fields: Value, expected: &str) -> Place {
    let place = Place::new(name);
    let config = with(pair(fake(switches), fake(&[]), "5"), fields);
    place.run_with(&config, &["--quiet"]).expect(0);
    let games = place.games();
    assert_eq!(games.len(), 2, "{name}");
    for game in &games {
        let own = if game.red == "A" { "red" } else { "black" };
        let end = &game.termination;
        let by = match end.loser.as_deref() {
            Some(loser) if loser == own => "A",
            Some(_) => "B",
            None => "-",
        };
        let detail = end.detail.as_deref().unwrap_or("-");
        let shown = format!("{} {by} {detail}", end.kind);
        // The script is won by Red, so by whoever has no quirk or the better seat.
        let fits = expected.split(" or ").any(|one| shown.starts_with(one));
        assert!(fits, "{name}: '{shown}' where '{expected}' was due ({})", game.moves);
    }
    place.expect_nobody(name);
    place
}

/// Microseconds from the last `go` that an engine was sent in a game to the game's recorded end.
fn delays(place: &Place) -> Vec<Duration> {
    let goes: Vec<u64> = [place.transcript(1), place.transcript(2)]
        .concat()
        .lines()
        .filter(|line| line.contains(" > go"))
        .filter_map(|line| line.split(' ').next()?.parse().ok())
        .collect();
    let ends = place.events().into_iter().filter(|event| matches!(event.what, What::GameOver(_)));
    ends.map(|event| {
        let last = goes.iter().filter(|go| **go <= event.at.0).max().unwrap();
        Duration::from_micros(event.at.0 - last)
    })
    .collect()
}

#[test]
fn a_crash_is_seen_at_once_and_says_how() {
    let twice = ["--exit-at-ply", "8", "--exit-at-ply", "9"];
    let place = check("exits", &twice, json!({}), "crashed A exit status 3");
    let last = place.games()[0].termination.last_lines.join("\n");
    assert!(last.contains("! fake engine: fails as told"), "{last}");
    // The engine exits when it has read `go`. On a busy machine it may itself come late to that.
    let delays = delays(&place);
    assert!(delays.iter().min().unwrap() < &Duration::from_millis(100), "{delays:?}");
    let twice = ["--crash-at-ply", "8", "--crash-at-ply", "9"];
    check("aborts", &twice, json!({}), "crashed A signal 6");
}

#[test]
fn a_hanging_engine_loses_by_its_clock() {
    let hangs = ["--hang-at-ply", "8", "--hang-at-ply", "9"];
    let place = check("hangs", &hangs, json!({ "time": "0.3", "margin": 0.1 }), "flag A");
    for delay in delays(&place) {
        assert!(delay < Duration::from_millis(1400), "{delay:?}");
    }
    let by_nodes = json!({ "time": "nodes=10", "patience": 0.5 });
    check("stalls", &hangs, by_nodes, "stalled A a move");
    check("late", &["--late", "100"], json!({ "time": "0.2/move" }), "flag A");
    // It was ready once, at check-in, and has read nothing since.
    check("never-reads", &["--never-reads"], json!({ "patience": 0.3 }), "stalled A readiness");
}

#[test]
fn a_wrong_move_loses() {
    check("illegal", &["--illegal-at-ply", "8", "--illegal-at-ply", "9"], json!({}), "illegal_move A a0b9");
    check("null", &["--null-move"], json!({}), "illegal_move A 0000");
}

#[test]
fn bad_manners_decide_nothing() {
    for (name, switches) in [
        ("half-line", &["--half-line"][..]),
        ("flood", &["--flood", "500"]),
        ("stderr", &["--stderr-flood", "20000"]),
        ("quit", &["--ignore-quit", "--ignore-eof"]),
        ("grandchild", &["--fork-grandchild"]),
        ("slow", &["--greet-slowly", "200"]),
    ] {
        let place = check(name, switches, json!({}), "mated");
        for game in place.games() {
            assert_eq!(game.moves.split(' ').count(), 161, "{name}");
        }
    }
}

#[test]
fn an_engine_that_does_not_start_is_named() {
    let start = |engine: Value, words: &[&str]| {
        let place = Place::new("not-started");
        let config = pair(engine, fake(&[]), "1");
        for _ in 0..2 {
            // The folder is free again: the second time says the same.
            place.run_with(&config, &["--quiet"]).expect(2).expect_error(words);
        }
        place.expect_nobody("after a refusal");
    };
    let silent = with(fake(&["--no-greeting", "--stderr-flood", "3"]), json!({ "start_patience": 0.3 }));
    start(silent, &["A would not start", "0.3 s", "! fake engine: complaint 2"]);
    start(
        fake(&["--exit-at-start"]),
        &["A would not start", "exit status 3", "! fake engine: fails as told"],
    );
    let never_ready = with(fake(&["--never-ready"]), json!({ "start_patience": 0.3 }));
    start(never_ready, &["A would not start", "0.3 s"]);
    let missing = json!({ "command": "/nowhere/engine", "protocol": "uci" });
    let place = Place::new("missing");
    let said = place.run_with(&pair(missing, fake(&[]), "1"), &["--quiet"]);
    assert!(matches!(said.code, Some(1 | 2)), "{said:?}");
    said.expect_error(&["/nowhere/engine"]);
}

#[test]
fn an_engine_behind_a_script_ends_with_its_script() {
    let place = Place::new("wrapper");
    let script =
        place.script("engine.sh", &format!("'{CHUHE}' fake-engine --ignore-eof --ignore-quit\ntrue"));
    let engine = json!({ "command": script.to_string_lossy(), "protocol": "uci" });
    place.run_with(&pair(engine, fake(&[]), "5"), &["--quiet"]).expect(0);
    assert_eq!(place.games().len(), 2);
    place.expect_nobody("behind a script");
}

#[test]
fn a_crashed_engine_is_started_again_under_a_regulation() {
    let place = Place::new("restart");
    let script = place.script(
        "once.sh",
        &format!(
            "if [ -e '{flag}' ]; then exec '{CHUHE}' fake-engine; fi\n\
             touch '{flag}'; exec '{CHUHE}' fake-engine --exit-at-ply 8 --exit-at-ply 9",
            flag = place.path("flag").display()
        ),
    );
    let engine = json!({ "command": script.to_string_lossy(), "protocol": "uci" });
    let config = with(pair(engine, fake(&[]), "20"), json!({ "crash": "restart", "journal": "move" }));
    place.run_with(&config, &["--quiet"]).expect(0);
    assert!(place.games().iter().all(|game| game.termination.kind == "mated"));
    let events = place.events();
    let noted = |kind: &str| {
        events.iter().filter(|event| matches!(&event.what, What::Noted(note) if note.kind == kind)).count()
    };
    assert_eq!(noted("restarted"), 1);
    let moved = events.iter().filter(|event| matches!(event.what, What::Moved(_))).count();
    assert_eq!(moved, 2 * 161);

    // A second crash in one game is not repaired: the flag decides.
    let switches = ["--exit-at-ply", "8", "--exit-at-ply", "9"];
    check("twice", &switches, json!({ "crash": "restart", "time": "0.6" }), "flag A");
}
