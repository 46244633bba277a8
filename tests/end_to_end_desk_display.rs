//! The referee's desk beside a blindfold exhibition, and its word for an entrant whose files have changed while the
//! run goes on: boards that are played as one are overruled, taken back, given up and played again one by one.
//! Start at [`a_display_under_the_eyes_of_a_referee`].

#[path = "end_to_end/world.rs"]
#[allow(dead_code)]
mod world;

#[path = "end_to_end/served.rs"]
#[allow(dead_code)]
mod served;

#[path = "end_to_end/desk.rs"]
#[allow(dead_code)]
mod desk;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use chuhe::record::What;
use desk::{Desk, plies, verify};
use serde_json::{Value, json};
use served::PATIENCE;
use world::{CHUHE, Place, wait_until, with};

/// The test engine as a program of its own, so that each entrant has files of its own.
fn engine(place: &Place, name: &str, switches: &str) -> Value {
    let script = place.script(&format!("{name}.sh"), &format!("exec {CHUHE} fake-engine {switches}"));
    json!({ "command": script.to_string_lossy(), "protocol": "ucci", "start_patience": "20s" })
}

/// An exhibition of five boards; `second` are the switches of the first member at board 2.
fn display(place: &Place, second: &str) -> Value {
    let group = |number: u32, switches: &str| {
        let member = |seat: u32, switches: &str| engine(place, &format!("g{number}m{seat}"), switches);
        let other = member(2, &format!("--random {}", 10 + number));
        let (name, name_zh) = (format!("Group {number}"), format!("第{number}组"));
        json!({ "name": name, "name_zh": name_zh, "engine": member(1, switches), "team": [{ "engine": other }] })
    };
    let master = engine(place, "master", "--random 3 --think 15");
    json!({
        "event": "Exhibition",
        "regulation": "blindfold",
        "seed": 2006,
        "entrants": [
            { "name": "Master", "name_zh": "大师", "engine": master, "time": "10s/move" },
            group(1, "--random 1"), group(2, second), group(3, "--random 5"), group(4, "--random 6"),
            group(5, "--random 7"),
        ],
        "time": "60s/move",
        "format": { "type": "exhibition", "colour": "red", "session": "2h", "visit": "wait", "overrun": "pass" },
        "tie_break": [],
        "rules": { "book": "asian-2006", "occurrences": 9, "dead_position": true, "no_capture": false, "max_plies": 80 },
        "crash": "restart",
        "journal": "move",
    })
}

/// What was used of the session each time its clock began to run, µs.
fn sessions(place: &Place) -> Vec<u64> {
    let runs = |what| match what {
        What::SessionRuns { used_us } => Some(used_us),
        _ => None,
    };
    place.events().into_iter().filter_map(|event| runs(event.what)).collect()
}

fn moved_on(place: &Place, game: &str, more: usize) {
    let wanted = plies(place, game) + more;
    assert!(wait_until(PATIENCE, || plies(place, game) >= wanted), "nobody moves in {game}");
}

/// How a game stands in the public list of games that ended.
fn ended(state: &Value, game: &str) -> Value {
    let all = state["tables"]["schedule"]["ended"].as_array().cloned().unwrap_or_default();
    all.into_iter().find(|one| one["id"] == game).unwrap_or_default()
}

#[test]
fn a_display_under_the_eyes_of_a_referee() {
    let place = Place::new("desk-display");
    let desk = Desk::open(&place, &display(&place, "--random 4 --illegal-at-ply 5 --illegal-at-ply 6"));
    // Board 2 is lost while the others are played; it is overruled, and nobody at the others is disturbed.
    desk.ended(&place, "1.1.2.1");
    let written = desk.order(json!({ "kind": "rule", "game": "1.1.2.1", "result": "1/2-1/2" }));
    assert_eq!((&written[0]["old"], &written[0]["article"]), (&json!("1-0"), &json!("II.7")));
    desk.public("the new result", |state| ended(state, "1.1.2.1")["result"] == "1/2-1/2");
    moved_on(&place, "1.1.1.1", 2);
    moved_on(&place, "1.1.3.1", 2);
    assert_eq!(sessions(&place), [0], "the boards were broken off");

    // A pause keeps nothing from being played that is under way; what is taken back in it waits with all others.
    desk.order(json!({ "kind": "pause", "reason": "a protest" }));
    moved_on(&place, "1.1.3.1", 2);
    let written = desk.order(json!({ "kind": "correct", "game": "1.1.1.1", "to_move": 5 }));
    assert_eq!((&written[0]["decision"], &written[0]["article"]), (&json!("corrected"), &json!("II.7")));
    let before = (plies(&place, "1.1.1.1"), plies(&place, "1.1.3.1"));
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(before, (plies(&place, "1.1.1.1"), plies(&place, "1.1.3.1")), "it is played in a pause");
    assert_eq!(desk.state()["waits"], true, "{}", desk.state());
    desk.order(json!({ "kind": "go-on" }));
    moved_on(&place, "1.1.1.1", 4);
    moved_on(&place, "1.1.3.1", 4);
    let used = sessions(&place);
    assert_eq!(used.len(), 2, "{used:?}");
    let began =
        place.events().iter().find(|event| matches!(event.what, What::SessionRuns { .. })).unwrap().at;
    let again =
        place.events().into_iter().rfind(|event| matches!(event.what, What::SessionRuns { .. })).unwrap();
    let lasted = (again.at - began).as_micros() as u64;
    assert!(
        used[1] > 0 && used[1] + 1_500_000 < lasted,
        "the clock of all boards ran in the pause: {used:?}"
    );

    // Annulled after all: the master has one board less.
    let written = desk.order(json!({ "kind": "annul", "game": "1.1.2.1" }));
    assert_eq!(written[0]["old"], "1/2-1/2");
    desk.public_word("game 1.1.2.1 annulled", "1.1.2.1 取消");
    assert_eq!(desk.served.end(), Some(0));
    assert_eq!(sessions(&place).len(), 2, "an annulled board breaks nothing off");
    let games: Vec<String> = place.games().iter().map(|game| game.game.to_string()).collect();
    assert_eq!(games.len(), 5, "{games:?}");
    verify(&place);
    let (english, chinese) = (place.read("crosstable.txt"), place.read("crosstable.zh.txt"));
    for line in
        ["    2  Group 2   0  0  0  0    0", "All boards: Master 4 - 4 the teams", "complete, 4 of 5 games"]
    {
        assert!(english.contains(line), "'{line}' is not in {english}");
    }
    for line in ["各台合计：大师 4 : 4 各组", "1.1.1.1 退回第 5 个半回合", "1.1.2.1 取消", "暂停开始新局"]
    {
        assert!(chinese.contains(line), "'{line}' is not in {chinese}");
    }
    // A folder that is over says the same again.
    place.resume().expect(0);
    verify(&place);
    place.expect_nobody("after the end");
}

/// A board that is played again joins the others where they stand, and a group that withdraws leaves them.
#[test]
fn boards_of_a_display_come_and_go() {
    let place = Place::new("desk-display-again");
    let desk = Desk::open(&place, &display(&place, "--random 4 --illegal-at-ply 5 --illegal-at-ply 6"));
    desk.ended(&place, "1.1.2.1");
    // It joins the others in the middle.
    moved_on(&place, "1.1.5.1", 6);
    desk.order(json!({ "kind": "pause" }));
    let written = desk.order(json!({ "kind": "replay", "game": "1.1.2.1", "reason": "the lights went out" }));
    assert_eq!(written[0]["new"], "1.1.2.1+2");
    desk.public("that it is to be played", |state| {
        state["tables"]["schedule"]["coming"][0]["id"] == "1.1.2.1+2"
    });
    desk.order(json!({ "kind": "go-on" }));
    moved_on(&place, "1.1.2.1+2", 2);
    moved_on(&place, "1.1.5.1", 2);
    let written = desk.order(json!({ "kind": "withdraw", "entrant": "Group 5", "reason": "ill" }));
    assert_eq!(written[0]["cancelled"], false, "nobody's table suffers");
    desk.ended(&place, "1.1.5.1");
    moved_on(&place, "1.1.4.1", 2);
    assert_eq!(desk.served.end(), Some(0));
    let used = sessions(&place);
    assert_eq!((used.len(), used[0]), (3, 0), "{used:?}");
    assert!(used[0] < used[1] && used[1] < used[2], "one session from its beginning to its end: {used:?}");
    let mut games: Vec<String> = place.games().iter().map(|game| game.game.to_string()).collect();
    games.sort();
    assert_eq!(games, ["1.1.1.1", "1.1.2.1", "1.1.2.1+2", "1.1.3.1", "1.1.4.1", "1.1.5.1"]);
    let gone = place.games().into_iter().find(|game| game.game.to_string() == "1.1.5.1").unwrap();
    assert_eq!((gone.termination.kind.as_str(), gone.result.as_deref()), ("forfeited", Some("1-0")));
    assert!(gone.moves.split(' ').count() > 4, "what was played stays: {}", gone.moves);
    verify(&place);
    place.expect_nobody("after the end");
}

/// Somebody changes the locked copy of a program: from now on it also leaves a mark when it is started.
fn tamper(place: &Place, entrant: &str, script: &str) {
    let own = |folder: fs::DirEntry| {
        let copy = folder.path().join(place.path(script).strip_prefix("/").unwrap());
        (folder.file_name() == entrant && copy.exists()).then_some(copy)
    };
    let copy = fs::read_dir(place.out().join("lock")).unwrap().flatten().find_map(own).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    let text = fs::read_to_string(&copy).unwrap();
    let marked = text.replacen("exec ", &format!("echo started >> {}\nexec ", mark(place).display()), 1);
    assert_ne!(text, marked);
    fs::write(&copy, marked).unwrap();
}

fn mark(place: &Place) -> std::path::PathBuf {
    place.path("mark")
}

/// A program is changed while the last engine checks in: its board is held and the others begin. Admitted, it
/// joins them, and what plays is the changed program, not the process of before.
#[test]
fn a_held_board_of_a_display_is_admitted() {
    let place = Place::new("desk-display-admit");
    let mut config = display(&place, "--random 4");
    let go = place.path("go");
    let waits =
        format!("while [ ! -e {} ]; do sleep 0.02; done\nexec {CHUHE} fake-engine --random 8", go.display());
    place.script("g5m2.sh", &waits);
    config["entrants"][5]["team"][0]["engine"]["start_patience"] = json!("30s");
    let desk = Desk::open(&place, &config);
    let greeted = |what: &What| matches!(what, What::CheckedIn(one) if one.entrant == "Group 5");
    assert!(
        wait_until(PATIENCE, || place.events().iter().any(|event| greeted(&event.what))),
        "nobody checks in"
    );
    tamper(&place, "3-2", "g2m2.sh");
    fs::write(&go, "").unwrap();
    desk.ended(&place, "1.1.2.1");
    moved_on(&place, "1.1.5.1", 3);
    assert_eq!(place.games()[0].termination.kind, "held");
    desk.public("what is held", |state| {
        let held = &state["tables"]["desk"]["held"];
        let tells = |lang: &str| held[lang].to_string().contains("1.1.2.1");
        tells("en") && tells("zh")
    });
    assert!(!mark(&place).exists(), "the changed program was started");
    let written = desk.order(json!({ "kind": "admit", "entrant": "Group 2", "reason": "a comment only" }));
    assert_eq!(
        (&written[0]["decision"], &written[1]["new"]),
        (&json!("admitted"), &json!("1.1.2.1+2")),
        "{written}"
    );
    moved_on(&place, "1.1.2.1+2", 6);
    assert!(mark(&place).exists(), "a process of before plays on");
    desk.public_word("Group 2 may play on with its changed files", "第2组 更改后的文件准予继续比赛");
    assert_eq!(desk.served.end(), Some(0));
    assert_eq!((place.games().len(), sessions(&place).len()), (6, 2));
    let (english, chinese) = (place.read("crosstable.txt"), place.read("crosstable.zh.txt"));
    assert!(!english.contains("Held for the chief referee"), "{english}");
    assert!(chinese.contains("更改后的文件准予继续比赛") && !chinese.contains("待裁判长裁决："), "{chinese}");
    verify(&place);
    place.expect_nobody("after the end");
}

/// Two bouts of two games, one after the other; what each plays at is a program of its own.
fn bouts(place: &Place, lock: &str) -> Value {
    let entrant = |name: &str, number: u32| {
        let switches = format!("--random {number} --think 50");
        json!({ "name": name, "engine": engine(place, name, &switches), "registration": { "own_work": true } })
    };
    json!({
        "event": "Man and machine",
        "regulation": "man-machine",
        "seed": 2006,
        "entrants": [entrant("A", 1), entrant("B", 2), entrant("C", 3), entrant("D", 4)],
        "time": "45m",
        "format": { "type": "boards", "games": 2 },
        "tie_break": [],
        "rules": { "book": "asian-2006", "occurrences": 9, "dead_position": true, "no_capture": false, "max_plies": 30 },
        "lock": lock,
        "concurrency": 1,
        "journal": "move",
    })
}

/// An entrant whose program has changed is held while the run goes on, and admitted while it goes on.
#[test]
fn who_is_held_is_admitted_while_the_run_goes_on() {
    let place = Place::new("desk-admit");
    let desk = Desk::open(&place, &bouts(&place, "hold"));
    assert!(wait_until(PATIENCE, || plies(&place, "1.1.1.1") >= 4), "nobody moves");
    tamper(&place, "3-1", "C.sh");
    desk.ended(&place, "1.1.2.2");
    assert!(wait_until(PATIENCE, || desk.state()["waits"] == true), "{}", desk.state());
    desk.refused(409, json!({ "kind": "admit", "entrant": "E" }), "no entrant", "不是本赛事");
    let written = desk.order(json!({ "kind": "admit", "entrant": "C", "reason": "a comment only" }));
    let news: Vec<&Value> = written.as_array().unwrap().iter().map(|one| &one["new"]).collect();
    assert!(news.contains(&&json!("1.1.2.1+2")) && news.contains(&&json!("1.1.2.2+2")), "{written}");
    desk.public_word("C may play on with its changed files", "C 更改后的文件准予继续比赛");
    assert_eq!(desk.served.end(), Some(0));
    let games = place.games();
    assert_eq!(games.len(), 6, "two games each, two of them held before");
    let held = games.iter().filter(|game| game.termination.kind == "held");
    assert!(held.into_iter().all(|game| game.game.attempt == 1 && game.moves.is_empty()));
    assert!(mark(&place).exists(), "a process of before plays on");
    verify(&place);
    place.expect_nobody("after the end");
}

/// Admitted before it was missed: nothing is forfeited, and what plays is the changed program.
#[test]
fn who_is_admitted_in_a_pause_forfeits_nothing() {
    let place = Place::new("desk-admit-pause");
    let desk = Desk::open(&place, &bouts(&place, "forfeit"));
    assert!(wait_until(PATIENCE, || plies(&place, "1.1.1.1") >= 4), "nobody moves");
    desk.order(json!({ "kind": "pause" }));
    desk.ended(&place, "1.1.1.1");
    // B is changed between its two games; its process of before is still there.
    tamper(&place, "2-1", "B.sh");
    desk.order(json!({ "kind": "admit", "entrant": "B", "reason": "a comment only" }));
    desk.order(json!({ "kind": "go-on" }));
    desk.ended(&place, "1.1.1.2");
    assert_eq!(desk.served.end(), Some(0));
    assert!(place.games().iter().all(|game| game.termination.kind != "forfeited"), "{:?}", place.games());
    assert!(mark(&place).exists(), "a process of before plays on");
    verify(&place);
    place.expect_nobody("after the end");
}

/// Nothing of the stage has ended yet when a group withdraws from it: the others are played on.
#[test]
fn who_withdraws_from_a_display_that_has_only_begun() {
    let place = Place::new("desk-display-stage");
    let entrant = |name: &str, number: u32, more: Value| {
        let engine = engine(&place, name, &format!("--random {number} --think 15"));
        with(json!({ "name": name, "engine": engine }), more)
    };
    let config = json!({
        "event": "Two stages",
        "entrants": [
            entrant("Master", 1, json!({ "time": "10s/move" })),
            entrant("One", 2, json!({})), entrant("Two", 3, json!({})), entrant("Three", 4, json!({})),
        ],
        "stages": [
            { "format": { "type": "round-robin", "cycles": 1 } },
            { "format": { "type": "exhibition", "session": "2h" } },
        ],
        "time": "60s/move",
        "rules": { "max_plies": 30 },
        "concurrency": 2,
        "journal": "move",
    });
    let desk = Desk::open(&place, &config);
    assert!(wait_until(PATIENCE, || plies(&place, "2.1.3.1") >= 4), "no display");
    let written = desk.order(json!({ "kind": "withdraw", "entrant": "Two", "reason": "ill" }));
    assert_eq!(written[0]["cancelled"], false);
    assert_eq!(desk.served.end(), Some(0));
    assert_eq!(sessions(&place).len(), 2, "the display goes on without the board");
    let games = place.games();
    assert_eq!(games.len(), 9);
    let gone = games.iter().filter(|game| game.termination.kind == "forfeited");
    assert_eq!(gone.map(|game| game.game.to_string()).collect::<Vec<_>>(), ["2.1.2.1"]);
    verify(&place);
    place.expect_nobody("after the end");
}
