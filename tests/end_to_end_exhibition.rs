//! The blindfold exhibition with real processes: the preset to its end, groups that overrun, the end of the
//! session in the middle of thoughts, a run that is killed and goes on. Start at
//! [`the_preset_is_played_to_its_end`].

#[path = "end_to_end/world.rs"]
#[expect(dead_code, reason = "the other end-to-end tests use the rest")]
mod world;

use std::time::Duration;

use chuhe::record::{What, reproducible};
use serde_json::{Value, json};
use world::{Place, fake, wait_until, with};

#[test]
fn the_preset_is_played_to_its_end() {
    let place = Place::new("blindfold");
    let preset = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/2006-blindfold.json");
    let out = place.out();
    let out = out.to_string_lossy();
    place.chuhe(&["run", preset, "--time-scale", "0.0005", "--out", &out, "--quiet"]).expect(0);
    assert_eq!(place.games().len(), 5);
    let (english, chinese) = (place.read("crosstable.txt"), place.read("crosstable.zh.txt"));
    for board in 1..=5 {
        assert!(english.contains(&format!("Board {board}: Master ")), "{english}");
        assert!(chinese.contains(&format!("第 {board} 台：大师 ")), "{chinese}");
    }
    assert!(english.contains("All boards: Master") && chinese.contains("各台合计：大师"));
    place.chuhe(&["verify", &out]).expect(0);
    place.expect_nobody("after the end");
}

/// An exhibition of two groups of two.
fn exhibition(master: Value, members: [Value; 2], time: &str, format: Value) -> Value {
    let group = |number: usize| json!({ "name": format!("Group {number}"), "engine": members[0], "team": [{ "engine": members[1] }] });
    json!({
        "event": "Exhibition",
        "entrants": [{ "name": "Master", "engine": master, "time": "nodes=40" }, group(1), group(2)],
        "time": time,
        "format": with(json!({ "type": "exhibition" }), format),
        "rules": { "max_plies": 40, "no_capture": false },
        "crash": "restart",
        "journal": "move",
    })
}

#[test]
fn a_killed_exhibition_goes_on_as_if_nothing_had_happened() {
    // What it answers is a function of the position alone: a process that is started anew answers the same.
    let script = || fake(&["--script", "--think", "4"]);
    let config = || exhibition(script(), [script(), script()], "60s/move", json!({}));
    let whole = Place::new("exhibition-whole");
    whole.run_with(&config(), &["--quiet"]).expect(0);
    let length = whole.read("journal.jsonl").len();
    for (number, thousandth) in [300, 600, 850].into_iter().enumerate() {
        let place = Place::new(&format!("exhibition-killed-{number}"));
        let mut child = place.start(&config());
        let journal = place.out().join("journal.jsonl");
        let size = || std::fs::metadata(&journal).map_or(0, |facts| facts.len());
        assert!(wait_until(Duration::from_secs(20), || size() as usize * 1000 > length * thousandth));
        child.kill().unwrap();
        child.wait().unwrap();
        place.expect_nobody("after kill -9");
        place.resume().expect(0);
        assert_eq!(reproducible(&place.events()), reproducible(&whole.events()));
        let seats = |place: &Place| {
            place.games().into_iter().map(|game| (game.game, game.members)).collect::<Vec<_>>()
        };
        let sorted = |mut list: Vec<_>| {
            list.sort();
            list
        };
        assert_eq!(sorted(seats(&place)), sorted(seats(&whole)));
        place.chuhe(&["verify", &place.out().to_string_lossy()]).expect(0);
    }
}

#[test]
fn groups_overrun_and_the_session_ends_in_the_middle_of_thoughts() {
    // The second member never answers; the first one takes its time.
    let members = [
        fake(&["--random", "7", "--think", "100"]),
        fake(&["--random", "9", "--think", "100", "--hang-at-ply", "3"]),
    ];
    for (rule, lost) in [("pass", "moved"), ("next-seat", "overran"), ("wait", "overran")] {
        let place = Place::new(&format!("overrun-{rule}"));
        let format = json!({ "session": "2.5s", "overrun": rule, "max_overruns": 0 });
        let master = fake(&["--random", "3", "--think", "10"]);
        let mut config = exhibition(master, members.clone(), "0.3s/move", format);
        config["rules"] = json!({ "no_capture": false, "occurrences": 9 });
        config["entrants"][0]["time"] = json!("10s/move");
        place.run_with(&config, &["--quiet"]).expect(0);
        let games = place.games();
        assert!(games.iter().all(|game| game.termination.kind == "session_over"), "{games:?}");
        let events = place.events();
        let is_lost = |what: &What| match what {
            What::Moved(moved) => lost == "moved" && moved.mv == "--" && moved.member == Some(2),
            What::Overran(overrun) => lost == "overran" && overrun.rule == rule && overrun.member == Some(2),
            _ => false,
        };
        assert!(events.iter().any(|event| is_lost(&event.what)), "{rule}: nobody lost a turn");
        let table = place.read("crosstable.txt");
        assert!(table.contains("Draw: the time of the session is over (II.5)"), "{table}");
        place.chuhe(&["verify", &place.out().to_string_lossy()]).expect(0);
        place.expect_nobody("after the end");
    }
}
