//! The referee's desk from outside: the built program plays, a referee at the desk pauses, corrects, overrules,
//! and at each step the public page is asked what it shows. Nobody without the token is heard. Start at
//! [`a_match_under_the_eyes_of_a_referee`].

#[path = "end_to_end/world.rs"]
#[allow(dead_code)]
mod world;

#[path = "end_to_end/served.rs"]
#[allow(dead_code)]
mod served;

#[path = "end_to_end/desk.rs"]
#[allow(dead_code)]
mod desk;

use std::time::Duration;

use chuhe::record::What;
use desk::{Desk, plies, verify};
use serde_json::{Value, json};
use served::{PATIENCE, Served};
use world::{Place, fake, pair, wait_until, with};

fn match_of(think: &str, pairs: u32, plies: u32) -> Value {
    let engine = || fake(&["--think", think]);
    let config = pair(engine(), engine(), "60");
    let format = json!({ "type": "pairs", "pairs": pairs });
    with(
        config,
        json!({ "format": format, "concurrency": 1, "journal": "move", "rules": { "max_plies": plies } }),
    )
}

/// Nobody who has no token, comes from elsewhere or says it wrongly is heard.
fn nobody_else_is_heard(desk: &Desk) {
    let json = "Content-Type: application/json\r\n";
    let pause = json!({ "kind": "pause", "person": "X", "reason": "x" }).to_string();
    let check = |token: &str, more: &str, body: &str, expected: u16| {
        let (status, answer) = desk.post(token, more, body);
        let begins: String = body.chars().take(40).collect();
        assert_eq!(status, expected, "{more:?} {begins:?}: {answer}");
    };
    let wrong = desk.token.chars().rev().collect::<String>();
    let short = &desk.token[..31];
    for token in ["", "x", &wrong, short, &format!("{}0", desk.token)] {
        check(token, json, &pause, 401);
    }
    check(&desk.token, &format!("{json}Origin: http://evil.example\r\n"), &pause, 403);
    check(&desk.token, &format!("{json}Origin: null\r\n"), &pause, 403);
    check(&desk.token, json, &"x".repeat(20_000), 413);
    check(&desk.token, "Content-Type: text/plain\r\n", &pause, 415);
    check(&desk.token, "", &pause, 415);
    check(&desk.token, json, "{", 400);
    check(&desk.token, json, r#"{"kind":"pause","person":"X","reason":"x","more":1}"#, 400);
    let asked = |path: &str, more: &str| {
        let host = &desk.served.address;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n");
        desk.served.raw(request.as_bytes()).split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(asked("/desk/state", ""), "401");
    assert_eq!(asked("/desk/state", "Authorization: Basic eDp5\r\n"), "401");
    assert_eq!(asked(&format!("/desk/state?token={}", desk.token), ""), "401");
    assert_eq!(asked("/desk/say", ""), "405");
    assert_eq!(asked("/desk", ""), "200");
    // Said well, but nothing that can be written.
    let nobody = json!({ "kind": "pause", "person": " ", "reason": "x" });
    desk.refused(400, nobody, "name is missing", "缺少姓名");
    desk.refused(400, json!({ "kind": "pause", "reason": "" }), "reason is missing", "缺少理由");
    desk.refused(400, json!({ "kind": "pause", "reason": "x".repeat(1001) }), "longer than", "超过");
    desk.refused(400, json!({ "kind": "dance" }), "nothing that the desk can do", "无此操作");
    desk.refused(400, json!({ "kind": "rule" }), "game is missing", "缺少对局");
    let early = json!({ "kind": "rule", "game": "1.1.1.1", "result": "1-0" });
    desk.refused(409, early, "has not ended", "尚未结束");
    desk.refused(409, json!({ "kind": "go-on" }), "not paused", "并未暂停");
    desk.refused(409, json!({ "kind": "grant", "request": 7 }), "no request 7", "第 7 号申请");
    desk.refused(409, json!({ "kind": "withdraw", "entrant": "C" }), "no entrant", "不是本赛事");
    let far = json!({ "kind": "ask", "game": "1.1.1.1", "to_move": 900 });
    desk.refused(409, far, "cannot go back to 900", "不能退回第 900");
}

/// A correction is asked for and granted while the game is played, another one is refused.
fn one_correction_is_granted_and_one_refused(place: &Place, desk: &Desk) {
    let moves = |wanted| wait_until(PATIENCE, || plies(place, "1.1.1.1") >= wanted);
    assert!(moves(12), "nobody moves");
    let by = json!({ "kind": "ask", "game": "1.1.1.1", "to_move": 8, "by": "Operator Wang", "reason": "wrong key" });
    desk.order(by.clone());
    let state = desk.public("the request", |state| state["tables"]["desk"]["open"][0]["number"] == 1);
    assert_eq!(state["tables"]["desk"]["open"][0]["by"], "Operator Wang");
    desk.public_word(
        "Operator Wang: asks (request 1) that game 1.1.1.1 go back to half-move 8, entered by Chief Li",
        "申请更正（第 1 号）",
    );
    desk.refused(409, by, "waits already", "尚待答复");
    let written = desk.order(json!({ "kind": "grant", "request": 1, "clocks": "50,40" }));
    assert_eq!(
        (&written[0]["decision"], &written[0]["request"], &written[0]["article"]),
        (&json!("corrected"), &json!(1), &json!("I.12"))
    );
    let before = plies(place, "1.1.1.1");
    let struck = written[0]["struck"].as_str().unwrap().split(' ').count();
    let board = |state: &Value| state["boards"][0].clone();
    let state = desk.public("the board taken back", |state| {
        board(state)["moves"].as_array().is_some_and(|moves| moves.len() >= 8 && moves.len() < 8 + struck)
            && state["tables"]["desk"]["open"] == json!([])
    });
    assert!(board(&state)["left"][0].as_u64().unwrap() <= 50_000_000, "{state}");
    desk.public_word("request 1 is granted: game 1.1.1.1 goes back to half-move 8", "批准第 1 号申请");
    assert!(moves(before + 6), "the game does not go on from there");

    // Another one is refused.
    desk.order(json!({ "kind": "ask", "game": "1.1.1.1", "to_move": 2, "person": "Operator Zhao", "reason": "I do not like it" }));
    desk.order(json!({ "kind": "refuse", "request": 2, "reason": "no slip" }));
    desk.public_word("request 2 is refused, game 1.1.1.1 stands; no slip", "第 2 号申请不予批准");
    desk.refused(409, json!({ "kind": "grant", "request": 2 }), "no request 2", "第 2 号");
}

/// No game begins while the run is paused; a result is overruled meanwhile.
fn a_result_is_overruled_in_a_pause(place: &Place, desk: &Desk) {
    desk.order(json!({ "kind": "pause", "reason": "the hall is too loud" }));
    desk.public("the pause", |state| state["state"]["paused"]["reason"] == "the hall is too loud");
    desk.ended(place, "1.1.1.1");
    assert!(wait_until(PATIENCE, || desk.state()["waits"] == true), "{}", desk.state());
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(plies(place, "1.1.1.2"), 0, "a game began in a pause");
    let automatic = place.games()[0].result.clone().unwrap();
    let new = if automatic == "0-1" { "1-0" } else { "0-1" };
    let written = desk.order(
        json!({ "kind": "rule", "game": "1.1.1.1", "result": new, "article": "I.14", "reason": "a protest" }),
    );
    assert_eq!((&written[0]["old"], &written[0]["new"]), (&json!(automatic), &json!(new)));
    desk.public("the new result", |state| state["tables"]["schedule"]["ended"][0]["result"] == new);
    desk.public_word(&format!("game 1.1.1.1: {automatic} -> {new} (automatic {automatic})"), "自动判定");
    desk.order(json!({ "kind": "announce", "text": "Tea <b>now</b>", "reason": "a pause" }));
    desk.public_word("announcement: Tea <b>now</b>", "通告: Tea <b>now</b>");
    desk.order(json!({ "kind": "go-on", "reason": "it is quiet" }));
    desk.public("that it goes on", |state| state["state"]["paused"].is_null());
}

#[test]
fn a_match_under_the_eyes_of_a_referee() {
    let place = Place::new("desk-match");
    let desk = Desk::open(&place, &match_of("80", 2, 90));
    let moves = |wanted| wait_until(PATIENCE, || plies(&place, "1.1.1.1") >= wanted);
    assert!(moves(4), "nobody moves");
    nobody_else_is_heard(&desk);
    assert!(place.events().iter().all(|event| !matches!(event.what, What::Spoken(_) | What::Decided(_))));

    one_correction_is_granted_and_one_refused(&place, &desk);
    a_result_is_overruled_in_a_pause(&place, &desk);
    // A finished game is played again, another one is annulled, a third goes on after its end.
    desk.ended(&place, "1.1.1.2");
    let written = desk.order(json!({ "kind": "replay", "game": "1.1.1.2", "reason": "the lights went out" }));
    assert_eq!(written[0]["new"], "1.1.1.2+2");
    desk.ended(&place, "1.2.1.1");
    desk.order(json!({ "kind": "annul", "game": "1.2.1.1" }));
    desk.public_word("game 1.2.1.1 annulled", "1.2.1.1 取消");
    desk.order(json!({ "kind": "correct", "game": "1.1.1.1", "to_move": 20 }));
    assert_eq!(desk.served.end(), Some(0));
    let games: Vec<String> = place.games().iter().map(|game| game.game.to_string()).collect();
    for game in ["1.1.1.1", "1.1.1.2", "1.2.1.1", "1.1.1.2+2", "1.2.1.2", "1.1.1.1+2"] {
        assert_eq!(games.iter().filter(|one| *one == game).count(), 1, "{game} of {games:?}");
    }
    assert_eq!(games.len(), 6);
    let reasons: Vec<String> = place
        .events()
        .iter()
        .filter_map(|event| match &event.what {
            What::Interrupted { reason } | What::RunOver { reason } => Some(reason.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, ["complete"], "the run never stood still");
    verify(&place);
    for (file, word) in [
        ("crosstable.txt", "request 2 is refused"),
        ("crosstable.zh.txt", "批准第 1 号申请"),
        ("report.html", "Tea &lt;b&gt;now"),
    ] {
        assert!(place.read(file).contains(word), "{file}");
    }
    let secret = desk.token;
    for file in ["journal.jsonl", "report.html", "summary.json"] {
        assert!(!place.read(file).contains(&secret), "{file} has the token");
    }
    place.resume().expect(0);
    verify(&place);
    place.expect_nobody("after the end");
}

/// A play-off that no game decides waits for the desk instead of ending the run; the referee's word ends it.
#[test]
fn what_is_held_waits_for_the_desk_and_a_signal_ends_it_as_ever() {
    let preset = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/2006-play-off-held.json");
    let preset = preset.to_string_lossy().into_owned();
    let place = Place::new("desk-held");
    let out = place.out().to_string_lossy().into_owned();
    let words = ["run", &preset, "--out", &out, "--live", "0", "--desk"];
    let desk = Desk::of(Served::begin(&place, &words));
    assert!(wait_until(PATIENCE, || desk.state()["waits"] == true), "{}", desk.state());
    assert_eq!(desk.state()["equals"], json!([["Fro and To", "To and Fro"]]), "{}", desk.state());
    desk.public("what is held", |state| {
        let held = &state["tables"]["desk"]["held"];
        held["en"][1].as_str().is_some_and(|line| line.contains("level after all play-offs"))
            && held["zh"][1].as_str().is_some_and(|line| line.contains("仍平"))
    });
    // The folder alone shows it too.
    let watch = Served::begin(&place, &["watch", &out, "--addr", "0"]);
    assert!(watch.json("/state")["tables"]["desk"]["held"]["en"][0].is_string());
    drop(watch);
    desk.refused(409, json!({ "kind": "place", "order": ["To and Fro"] }), "is held", "待裁决");
    // A signal ends it as it ever did, and resumed it waits again.
    world::send(desk.served.child.id(), rustix::process::Signal::INT);
    let (code, said) = desk.served.end_saying();
    assert_eq!(code, Some(6));
    assert!(said.contains("the run waits for the referee's desk"), "{said}");
    let words = ["resume", &out, "--quiet", "--live", "0", "--desk"];
    let desk = Desk::of(Served::begin(&place, &words));
    assert!(wait_until(PATIENCE, || desk.state()["waits"] == true), "{}", desk.state());
    desk.order(json!({ "kind": "place", "order": ["To and Fro", "Fro and To"], "reason": "by lot" }));
    assert_eq!(desk.served.end(), Some(0));
    verify(&place);
    let events = place.events();
    assert!(
        events.iter().any(|event| matches!(&event.what, What::RunOver { reason } if reason == "complete"))
    );
}

/// A power cut in a pause: with a desk the pause goes on, without one the run does; and an entrant that
/// withdraws in the middle of its game loses it there.
#[test]
fn a_pause_outlives_the_runner_and_who_withdraws_plays_no_further() {
    let place = Place::new("desk-cut");
    let desk = Desk::open(&place, &match_of("20", 1, 300));
    assert!(wait_until(PATIENCE, || plies(&place, "1.1.1.1") >= 6), "nobody moves");
    desk.order(json!({ "kind": "pause", "reason": "a storm" }));
    desk.order(json!({ "kind": "ask", "game": "1.1.1.1", "to_move": 4, "by": "Operator" }));
    drop(desk);
    let out = place.out().to_string_lossy().into_owned();
    let resume = ["resume", &out, "--quiet", "--live", "0", "--desk"];
    let desk = Desk::of(Served::begin(&place, &resume));
    assert_eq!(desk.state()["paused"]["reason"], "a storm");
    let before = plies(&place, "1.1.1.1");
    // What is granted in a pause goes on after it.
    desk.order(json!({ "kind": "grant", "request": 1 }));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(plies(&place, "1.1.1.1"), before, "it is played in a pause");
    desk.order(json!({ "kind": "go-on" }));
    assert!(wait_until(PATIENCE, || plies(&place, "1.1.1.1") > before + 4), "it does not go on");
    desk.order(json!({ "kind": "pause" }));
    drop(desk);
    // Nobody at the desk: the run says so and goes on.
    let mut run = Served::begin(&place, &["resume", &out, "--quiet", "--live", "0"]);
    let before = plies(&place, "1.1.1.1");
    assert!(wait_until(PATIENCE, || plies(&place, "1.1.1.1") > before + 4), "it does not go on");
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    drop(run);
    let desk = Desk::of(Served::begin(&place, &resume));
    let before = plies(&place, "1.1.1.1");
    assert!(wait_until(PATIENCE, || plies(&place, "1.1.1.1") > before + 2), "it does not go on");
    let written = desk.order(json!({ "kind": "withdraw", "entrant": "A", "reason": "ill" }));
    assert_eq!(written[0]["decision"], "withdrawn");
    assert_eq!(desk.served.end(), Some(0));
    verify(&place);
    place.expect_nobody("after a withdrawal");
}
