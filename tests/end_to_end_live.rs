//! The live page from outside: the built program plays, and plain connections ask it for what they may and
//! may not have. Nothing that a viewer does changes a game. Everything that is waited for has a limit. Start
//! at [`bad_requests_are_refused_and_the_match_is_the_same`].

#[path = "end_to_end/world.rs"]
#[allow(dead_code)]
mod world;

#[path = "end_to_end/served.rs"]
#[allow(dead_code)]
mod served;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use served::{PATIENCE, Served};
use world::{Place, fake, pair, wait_until, with};

/// The next message of a stream: its event, its id and its data.
fn message(stream: &mut BufReader<TcpStream>) -> Option<(String, String, Value)> {
    let (mut event, mut id, mut data) = (String::new(), String::new(), Value::Null);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if let Some(value) = line.strip_prefix("event: ") {
            value.clone_into(&mut event);
        } else if let Some(value) = line.strip_prefix("id: ") {
            value.clone_into(&mut id);
        } else if let Some(value) = line.strip_prefix("data: ") {
            data = serde_json::from_str(value).unwrap();
        } else if line.is_empty() && !event.is_empty() {
            return Some((event, id, data));
        }
    }
}

/// A match whose engines take their time.
fn slow_match(think: &str, pairs: u32) -> Value {
    let engine = || fake(&["--think", think, "--info", "2"]);
    with(pair(engine(), engine(), "60"), json!({ "format": { "type": "pairs", "pairs": pairs } }))
}

/// Requests that nobody may make, and what they are told.
fn refuse_bad_requests(served: &Served) {
    let host = format!("Host: {}\r\n", served.address);
    let check = |request: &str, expected: &str| {
        let answer = served.raw(request.as_bytes());
        let status = answer.split(' ').nth(1).unwrap_or("closed").to_owned();
        let begins: String = request.chars().take(60).collect();
        assert_eq!(status, expected, "{begins:?}: {answer}");
        assert!(!answer.contains("root:"), "{begins:?}");
    };
    let close = "Connection: close\r\n";
    let get = |path: &str, more: &str| format!("GET {path} HTTP/1.1\r\n{more}{close}\r\n");
    check(&get("/", &host), "200");
    check(&get("/", "Host: localhost\r\n"), "200");
    check(&format!("HEAD / HTTP/1.1\r\n{host}{close}\r\n"), "200");
    check(&format!("HEAD /events HTTP/1.1\r\n{host}{close}\r\n"), "200");
    // DNS rebinding, and pages of others.
    for foreign in
        ["", "Host: evil.example\r\n", "Host: localhost.evil.example\r\n", "Host: 192.0.2.1\r\n", "Host:\r\n"]
    {
        check(&get("/state", foreign), "421");
    }
    check(&get("/state", &format!("{host}Host: evil.example\r\n")), "421");
    check(&get("http://evil.example/state", &host), "403");
    for origin in ["http://evil.example", "null", "http://localhost.evil.example", "file://"] {
        check(&get("/events", &format!("{host}Origin: {origin}\r\n")), "403");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"] {
        check(&format!("{method} / HTTP/1.1\r\n{host}{close}\r\n"), "405");
    }
    check(&get("/", &format!("{host}Content-Length: 5\r\n")), "400");
    check(&get("/", &format!("{host}Transfer-Encoding: chunked\r\n")), "400");
    for path in [
        "/../../../../etc/passwd",
        "/game/..%2f..%2fetc%2fpasswd",
        "/game/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/live.js/../../etc/passwd",
        "/game/1.1.1.1/../../state",
        "/game/",
        "/game/x",
        "/game/9.9.9.9",
        "/ruling/1.1.1.1%00",
        "/journal.jsonl",
        "/config.json",
        "/%ff",
    ] {
        let answer = served.raw(get(path, &host).as_bytes());
        let status = answer.split(' ').nth(1).unwrap_or("closed");
        assert!(matches!(status, "404" | "400"), "{path}: {answer}");
    }
    check(&get(&format!("/{}", "a".repeat(1000)), &host), "414");
    check(&get("/", &format!("{host}X: {}\r\n", "a".repeat(100_000))), "431");
    check(&get("/", &format!("{host}{}", "X: y\r\n".repeat(200))), "431");
    check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "closed");
    check("\u{1}\u{2}\u{3}\r\n\r\n", "400");

    let answer = served.get("/");
    let head = answer.split("\r\n\r\n").next().unwrap().to_lowercase();
    for said in [
        "content-security-policy: default-src 'none'; script-src 'self'",
        "nosniff",
        "x-frame-options: deny",
        "no-store",
    ] {
        assert!(head.contains(said), "{said}: {head}");
    }
}

#[test]
fn bad_requests_are_refused_and_the_match_is_the_same() {
    let alone = Place::new("live-alone");
    alone.run_with(&slow_match("0", 5), &["--quiet"]).expect(0);
    let place = Place::new("live-bad");
    let served = Served::run(&place, &slow_match("12", 5), &[]);
    // Those who say nothing, half a request, or take nothing of what they asked for.
    let silent: Vec<TcpStream> = (0..30).map(|_| served.connect()).collect();
    let slow: Vec<TcpStream> = (0..30)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: lo").unwrap();
            stream
        })
        .collect();
    let stalled: Vec<_> = (0..5).map(|_| served.events("")).collect();
    let began = Instant::now();

    refuse_bad_requests(&served);
    // Whoever says nothing is sent away, with all the others still there.
    for mut stream in silent.into_iter().chain(slow) {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(began.elapsed() < Duration::from_secs(17), "a silent connection stays open");
    }
    assert!(served.get("/").starts_with("HTTP/1.1 200"), "the page is still there");
    assert_eq!(served.end(), Some(0));
    drop(stalled);
    let games = |place: &Place| -> Vec<_> {
        place.games().into_iter().map(|game| (game.game, game.moves, game.result, game.termination)).collect()
    };
    assert!(games(&place) == games(&alone), "somebody who watched has changed a game");
    place.expect_nobody("after the end");
}

#[test]
fn moves_are_seen_as_they_are_made_and_a_viewer_that_comes_back_misses_nothing() {
    let place = Place::new("live-moves");
    let served = Served::run(&place, &slow_match("20", 30), &[]);
    let mut stream = served.events("");
    let (event, _, all) = message(&mut stream).unwrap();
    assert_eq!(event, "all");
    // Moves of the first game, long before the journal has it.
    let mut moves: Vec<Value> = all["boards"][0]["moves"].as_array().cloned().unwrap_or_default();
    let mut thoughts = [false; 2];
    let mut name = all["event"]["name"].clone();
    let mut last_id = String::new();
    let mut now = 0;
    while moves.len() < 30 || name.is_null() || thoughts != [true, true] {
        let (event, id, change) = message(&mut stream).expect("the stream goes on");
        if event != "change" {
            continue;
        }
        last_id = id;
        if let Some(event) = change.get("event") {
            name = event["name"].clone();
        }
        assert!(change["now"].as_u64().unwrap() >= now, "the clock of the run goes forward");
        now = change["now"].as_u64().unwrap();
        for board in change["boards"].as_array().unwrap() {
            assert_eq!(board["id"], "1.1.1.1", "this test is too slow for its game");
            moves.truncate(usize::try_from(board["from"].as_u64().unwrap()).unwrap());
            moves.extend(board["moves"].as_array().unwrap().iter().cloned());
            for (seen, side) in thoughts.iter_mut().zip([0, 1]) {
                *seen |= board["thinking"][side]["depth"].is_u64();
            }
            if let Some(since) = board["running"][1].as_u64() {
                assert!(since <= now && now - since < 10_000_000, "{board}");
            }
        }
    }
    assert_eq!(name, "End to end");
    assert!(place.games().is_empty(), "the game is not over");
    drop(stream);
    // Back again: whoever has seen the last message is given only what follows, others everything.
    let mut again = served.events(&format!("Last-Event-ID: {last_id}\r\n"));
    let (event, _, first) = message(&mut again).unwrap();
    if event == "all" {
        moves.clear();
        moves.extend(first["boards"][0]["moves"].as_array().unwrap().iter().cloned());
    }
    let mut stranger = served.events("Last-Event-ID: 1-1\r\n");
    assert_eq!(message(&mut stranger).unwrap().0, "all");
    let state = served.json("/state");
    let whole = state["boards"][0]["moves"].as_array().unwrap();
    assert!(whole.starts_with(&moves[..30]), "{whole:?}\n{moves:?}");
    drop(served);
}

#[test]
fn a_delayed_page_shows_nothing_that_is_not_old_enough() {
    let place = Place::new("live-delay");
    let served = Served::run(&place, &slow_match("2", 4), &["--delay", "60s"]);
    assert!(wait_until(PATIENCE, || !place.games().is_empty()), "no game ends");
    let state = served.json("/state");
    assert_eq!(
        (&state["boards"], &state["state"]["done"], &state["now"]),
        (&json!([]), &json!(0), &json!(0))
    );
    drop(served);
}

#[test]
fn a_folder_is_watched_while_it_is_played_and_later() {
    let place = Place::new("live-watch");
    let run = Served::run(&place, &slow_match("2", 3), &[]);
    assert!(wait_until(PATIENCE, || !place.games().is_empty()), "no game ends");
    let out = place.out().to_string_lossy().into_owned();
    let watch = Served::begin(&place, &["watch", &out, "--addr", "0"]);
    let done = |watch: &Served| watch.json("/state")["state"]["done"].as_u64().unwrap();
    assert!(done(&watch) >= 1);
    assert_eq!(run.end(), Some(0));
    assert!(wait_until(PATIENCE, || done(&watch) == 6), "the watcher does not see the end");
    let state = watch.json("/state");
    assert_eq!(state["state"]["over"], "complete");
    let game = watch.json("/game/1.1.1.1");
    let journalled = place.games().into_iter().find(|game| game.game.to_string() == "1.1.1.1").unwrap();
    let moves: Vec<&str> =
        game["moves"].as_array().unwrap().iter().map(|mv| mv[0].as_str().unwrap()).collect();
    assert_eq!(moves.join(" "), journalled.moves);
    drop(watch);

    // An address that is taken is told before anything is played.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let refused = place.chuhe(&["run", "config.json", "--out", "other", "--live", &taken]);
    refused.expect(1).expect_error(&["cannot listen", &taken]);
    assert!(!place.path("other").exists());
    place.chuhe(&["watch", "nowhere", "--addr", "0"]).expect(1).expect_error(&["holds no run"]);
    place.chuhe(&["run", "config.json", "--live", "x"]).expect(1).expect_error(&["expected a port"]);
    place.chuhe(&["run", "config.json", "--delay", "5"]).expect(1).expect_error(&["--live"]);
}

#[test]
fn where_every_move_is_journalled_a_watcher_sees_them_and_clocks_stand_when_the_runner_dies() {
    let place = Place::new("live-grain");
    let config = with(slow_match("50", 1), json!({ "journal": "move" }));
    let mut run = Served::run(&place, &config, &[]);
    let out = place.out().to_string_lossy().into_owned();
    assert!(wait_until(PATIENCE, || place.events().len() > 10), "nothing is journalled");
    let watch = Served::begin(&place, &["watch", &out, "--addr", "0"]);
    let board = |served: &Served| served.json("/state")["boards"][0].clone();
    let moves = |board: &Value| board["moves"].as_array().map_or(0, Vec::len);
    let seen = board(&watch);
    let enough = wait_until(PATIENCE, || moves(&board(&watch)) > moves(&seen) + 10);
    assert!(enough, "moves are not seen as they are journalled");
    assert!(board(&run)["running"].is_array(), "the page of the run knows whose clock runs");
    let state = watch.json("/state");
    let (now, since) = (&state["now"], &state["boards"][0]["running"][1]);
    let ahead = now.as_f64().unwrap() - since.as_f64().expect("a clock runs");
    assert!((-50_000.0..5_000_000.0).contains(&ahead), "the watcher's clock is {ahead} µs ahead");
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    let stands = wait_until(PATIENCE, || board(&watch)["running"].is_null());
    assert!(stands, "clocks of a dead run tick on");
}
