//! Remote engines (I.3) from outside: `chuhe seat` carries an engine to its seat over loopback, through a proxy that
//! adds delay and can be cut. Games are the same as with the engine at home, and the side's clock pays for its
//! network. Start at [`a_remote_engine_plays_the_games_that_it_plays_at_home`].

#[path = "end_to_end/proxy.rs"]
mod proxy;
#[path = "end_to_end/world.rs"]
#[allow(dead_code)]
mod world;

mod support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chuhe::record::{GameOver, What};
use proxy::Proxy;
use serde_json::{Value, json};
use world::{CHUHE, Place, fake, pair, send, wait_until, with};

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(40);

/// A run with a seat for a remote engine.
struct Hall {
    child: Child,
    said: Arc<Mutex<String>>,
    /// `HOST:PORT`.
    address: String,
    /// The secret of the first seat.
    token: String,
}

impl Hall {
    fn open(place: &Place, config: &Value) -> Hall {
        let config = place.write("config.json", &config.to_string());
        let (config, out) = (config.to_string_lossy(), place.out());
        let mut command = place.command(&["run", &config, "--out", &out.to_string_lossy(), "--live", "0"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = gather(child.stderr.take().unwrap());
        let link = || {
            said.lock().unwrap().split("http://").find(|part| part.contains("/remote#")).map(str::to_owned)
        };
        assert!(wait_until(PATIENCE, || link().is_some_and(|link| link.contains('\n'))), "no link");
        let link = link().unwrap();
        let (address, rest) = link.split_once("/remote#").unwrap();
        let (address, token) = (address.to_owned(), rest[..32].to_owned());
        Hall { child, said, address, token }
    }

    fn port(&self) -> u16 {
        self.address.rsplit(':').next().unwrap().parse().unwrap()
    }

    fn end(mut self) -> (Option<i32>, String) {
        let ended = wait_until(PATIENCE, || self.child.try_wait().unwrap().is_some());
        assert!(ended, "the run does not end: {}", self.said.lock().unwrap());
        let code = self.child.wait().unwrap().code();
        let said = self.said.lock().unwrap().clone();
        (code, said)
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything that a stream says, as it comes.
fn gather(mut stream: impl std::io::Read + Send + 'static) -> Arc<Mutex<String>> {
    let said = Arc::new(Mutex::new(String::new()));
    let all = Arc::clone(&said);
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            all.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    });
    said
}

/// The far side of a seat.
struct Seat {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Seat {
    fn take(place: &Place, address: &str, token: &str, engine: &[&str]) -> Seat {
        let mut command = place.command(&["seat", "--connect", address, "--"]);
        command.args(engine).env("CHUHE_TOKEN", token);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = gather(child.stderr.take().unwrap());
        Seat { child, said }
    }

    fn end(mut self) -> (Option<i32>, String) {
        let ended = wait_until(PATIENCE, || self.child.try_wait().unwrap().is_some());
        assert!(ended, "the far side does not end: {}", self.said.lock().unwrap());
        let code = self.child.wait().unwrap().code();
        // What was said last may still be on its way to us.
        std::thread::sleep(Duration::from_millis(20));
        let said = self.said.lock().unwrap().clone();
        (code, said)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn remote() -> Value {
    speaking("uci", json!({ "command": "@remote", "start_patience": "30s" }))
}

/// An engine in a protocol.
fn speaking(protocol: &str, engine: Value) -> Value {
    with(engine, json!({ "protocol": protocol }))
}

/// Two games of A, who is elsewhere, with B.
fn match_of(a: Value, b: &[&str], time: &str) -> Value {
    pair(a, fake(b), time)
}

/// What makes a game, time aside, and what the engine said last: what it says on stderr stays on its machine.
fn bare(game: &GameOver) -> (String, String, Option<String>, String) {
    let mut end = game.termination.clone();
    end.last_lines.clear();
    (game.game.to_string(), game.moves.clone(), game.result.clone(), format!("{end:?}"))
}

fn all_bare(place: &Place) -> Vec<(String, String, Option<String>, String)> {
    let mut games: Vec<_> = place.games().iter().map(bare).collect();
    games.sort();
    games
}

/// The times charged to an entrant, without its first move of each game.
fn charged(game: &GameOver, entrant: &str) -> Vec<u64> {
    // Red moves first; no opening was played.
    let first = usize::from(game.black == entrant);
    game.used_us.iter().skip(first).step_by(2).copied().collect()
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}

fn play(place: &Place, config: &Value, delay: Option<Duration>, engine: &[&str]) -> (String, String) {
    let hall = Hall::open(place, config);
    let line = delay.map(|delay| Proxy::before(hall.port(), delay));
    let address = line.as_ref().map_or(hall.address.clone(), Proxy::address);
    let seat = Seat::take(place, &address, &hall.token, engine);
    let (code, said) = hall.end();
    assert_eq!(code, Some(0), "{said}\n{}", seat.said.lock().unwrap());
    let (code, far) = seat.end();
    assert_eq!(code, Some(0), "{far}");
    place.expect_nobody("after the end");
    (said, far)
}

#[test]
fn a_remote_engine_plays_the_games_that_it_plays_at_home() {
    let home = Place::new("remote-home");
    home.run_with(&match_of(fake(&["--random", "7"]), &["--random", "8"], "60"), &["--quiet"]).expect(0);
    let away = Place::new("remote-away");
    let config = match_of(remote(), &["--random", "8"], "60");
    let (_, far) = play(&away, &config, None, &[CHUHE, "fake-engine", "--random", "7"]);
    assert_eq!(all_bare(&away), all_bare(&home));
    assert!(far.contains("The run is over") && !far.contains("No connection"), "{far}");
    let times = |place: &Place| median(place.games().iter().flat_map(|game| charged(game, "A")).collect());
    let (there, here) = (times(&away), times(&home));
    println!("a move at home {here} µs, over loopback {there} µs: {} µs more", there.saturating_sub(here));
    let verdict = away.chuhe(&["verify", &away.out().to_string_lossy()]);
    verdict.expect(0);
    // What the engine is made of is on record as its own side declares it.
    let noted = away.events().into_iter().find_map(|event| match event.what {
        What::Noted(noted) if noted.kind == "lock_declared" => Some(noted),
        _ => None,
    });
    let noted = noted.expect("nothing is declared");
    assert_eq!(noted.entrant.as_deref(), Some("A"));
    assert!(noted.text.contains("chuhe (SHA-256 ") && noted.text.len() > 64, "{}", noted.text);
    // The secret is nowhere in the folder once the run is over.
    assert!(!away.path("run/links.json").exists());
}

/// The same match at home and with A elsewhere, its program and arguments given; its line has a delay where it is
/// told. All games are the same.
fn same_at_home(
    name: &str,
    config: &Value,
    (program, args): (&str, &[&str]),
    delay: Option<Duration>,
) -> Place {
    let home = Place::new(&format!("remote-{name}-home"));
    let mut at_home = config.clone();
    at_home["entrants"][0]["engine"]["command"] = json!(program);
    at_home["entrants"][0]["engine"]["args"] = json!(args);
    home.run_with(&at_home, &["--quiet"]).expect(0);
    let away = Place::new(&format!("remote-{name}"));
    let engine: Vec<&str> = std::iter::once(program).chain(args.iter().copied()).collect();
    let (_, far) = play(&away, config, delay, &engine);
    assert_eq!(all_bare(&away), all_bare(&home), "{name}: {far}");
    let moves = |game: &GameOver| game.moves.split(' ').count();
    assert!(away.games().iter().all(|game| moves(game) > 4), "{name}: nothing was played");
    away.chuhe(&["verify", &away.out().to_string_lossy()]).expect(0);
    away
}

#[test]
fn every_protocol_is_carried() {
    for protocol in ["ucci", "cecp"] {
        // CECP has words of its own.
        let (resigns, offers, breaks) = match protocol {
            "cecp" => ("--give-up-at-ply", "--offers", "--refuse-at-ply"),
            _ => ("--resign-at-ply", "--draw-words", "--illegal-at-ply"),
        };
        for (name, switches) in [
            ("plain", &["--random", "7", "--info", "3"][..]),
            ("resigns", &["--random", "7", resigns, "12", resigns, "13"]),
            ("offers", &["--random", "7", offers]),
            ("dies", &["--random", "7", "--exit-at-ply", "12", "--exit-at-ply", "13"]),
            ("breaks", &["--random", "7", breaks, "12", breaks, "13"]),
        ] {
            let switches: Vec<&str> =
                std::iter::once("fake-engine").chain(switches.iter().copied()).collect();
            let config = with(
                match_of(speaking(protocol, remote()), &["--random", "8"], "60"),
                json!({ "rules": { "max_plies": 60 } }),
            );
            let name = format!("{protocol}-{name}");
            drop(same_at_home(&name, &config, (CHUHE, &switches), None));
        }
        // A ping, a `go` and its answer each cross a slow line.
        let config = with(
            match_of(speaking(protocol, remote()), &["--random", "8"], "60"),
            json!({ "rules": { "max_plies": 12 } }),
        );
        let name = format!("{protocol}-slow");
        let switches = ["fake-engine", "--random", "7"];
        drop(same_at_home(&name, &config, (CHUHE, &switches), Some(Duration::from_millis(20))));
    }
}

#[test]
fn the_built_in_engine_is_carried_with_its_options() {
    for protocol in ["uci", "ucci"] {
        let a = json!({ "command": "@remote", "protocol": protocol, "options": { "Level": 6, "Seed": 7 } });
        let b =
            json!({ "command": CHUHE, "args": ["sparring"], "protocol": "ucci", "options": { "Level": 3 } });
        let config = with(pair(a, b, "nodes=2000"), json!({ "rules": { "max_plies": 40 } }));
        let place = same_at_home(&format!("sparring-{protocol}"), &config, (CHUHE, &["sparring"]), None);
        let unknown = |what: &What| matches!(what, What::Noted(noted) if noted.kind == "unknown_option");
        assert!(!place.events().iter().any(|event| unknown(&event.what)));
        assert!(place.transcript(1).contains("Seed"), "its options cross the line");
    }
}

#[test]
fn fairy_stockfish_is_carried() {
    const PROGRAM: &str = "/usr/games/fairy-stockfish";
    if support::engine(PROGRAM).is_none() {
        return;
    }
    for (manifest, time) in [("uci", "nodes=400"), ("ucci", "nodes=400"), ("cecp", "depth=3")] {
        let file = format!("{}/engines/fairy-stockfish-{manifest}.json", env!("CARGO_MANIFEST_DIR"));
        let engine: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let engine = with(engine, json!({ "command": "@remote", "start_patience": "30s" }));
        let b =
            json!({ "command": CHUHE, "args": ["sparring"], "protocol": "ucci", "options": { "Level": 2 } });
        let config = with(pair(engine, b, "depth=3"), json!({ "rules": { "max_plies": 40 } }));
        let mut config = config;
        config["entrants"][0]["time"] = json!(time);
        drop(same_at_home(&format!("fairy-{manifest}"), &config, (PROGRAM, &[]), None));
    }
}

#[test]
fn the_clock_of_a_side_pays_for_its_network() {
    for (delay, plies) in [(50, 24_u32), (500, 6)] {
        let place = Place::new(&format!("remote-delay-{delay}"));
        // The engine at home ends the game, with either colour, so that the test ends too.
        let [last, or_next] = [plies, plies + 1].map(|ply| ply.to_string());
        let b = ["--random", "8", "--exit-at-ply", &last, "--exit-at-ply", &or_next];
        let config = match_of(remote(), &b, "60");
        let hall = Hall::open(&place, &config);
        let line = Proxy::before(hall.port(), Duration::from_millis(delay));
        let seat = Seat::take(&place, &line.address(), &hall.token, &[CHUHE, "fake-engine", "--random", "7"]);
        let (_, said) = hall.end();
        drop(seat);
        let games = place.games();
        assert_eq!(games.len(), 2, "{said}");
        for game in &games {
            let far = charged(game, "A");
            let home = charged(game, "B");
            let least = *far.iter().min().unwrap();
            println!("{delay} ms each way: {} moves, charged {least} µs at least", far.len());
            assert!(least >= 2 * delay * 1000, "{delay} ms: {far:?}");
            assert!(least < 2 * delay * 1000 + 400_000, "{delay} ms: {far:?}");
            assert!(median(home) < 100_000);
        }
    }
}

#[test]
fn a_lost_connection_comes_back_and_no_move_is_lost_or_doubled() {
    let home = Place::new("remote-cut-home");
    let engine = ["--random", "7", "--think", "30", "--info", "2"];
    home.run_with(&match_of(fake(&engine), &["--random", "8"], "60"), &["--quiet"]).expect(0);
    let place = Place::new("remote-cut");
    let config = with(match_of(remote(), &["--random", "8"], "60"), json!({ "journal": "move" }));
    let hall = Hall::open(&place, &config);
    let line = Proxy::before(hall.port(), Duration::ZERO);
    let words: Vec<&str> = [CHUHE, "fake-engine"].into_iter().chain(engine).collect();
    let seat = Seat::take(&place, &line.address(), &hall.token, &words);
    let moves = || place.events().iter().filter(|event| matches!(event.what, What::Moved(_))).count();
    for round in 1..=5 {
        let enough = moves() + 6;
        if !wait_until(PATIENCE, || moves() >= enough || place.games().len() == 2) || place.games().len() == 2
        {
            assert!(round > 3, "the games were over before they were cut");
            break;
        }
        line.cut(true);
        std::thread::sleep(Duration::from_millis(60 * round));
        line.cut(false);
    }
    let (code, said) = hall.end();
    assert_eq!(code, Some(0), "{said}");
    let (code, far) = seat.end();
    assert_eq!(code, Some(0), "{far}");
    assert_eq!(all_bare(&place), all_bare(&home));
    let lost = far.matches("No connection").count();
    assert!(lost >= 3 && far.matches("The seat is taken").count() > 3, "{far}");
    assert_eq!(far.matches("The engine is started").count(), 1, "the engine stayed: {far}");
    let waited = place.games().iter().flat_map(|game| charged(game, "A")).max().unwrap();
    println!("cut {lost} times; longest move {waited} µs");
    assert!(waited > 60_000, "the clock ran while the connection was lost");
    place.expect_nobody("after the end");
}

#[test]
fn a_far_side_waits_for_a_run_that_was_stopped_and_goes_on() {
    let place = Place::new("remote-resume");
    let config = match_of(remote(), &["--random", "8", "--think", "10"], "60");
    let mut hall = Hall::open(&place, &with(config, json!({ "format": { "type": "pairs", "pairs": 3 } })));
    let seat = Seat::take(&place, &hall.address, &hall.token, &[CHUHE, "fake-engine", "--random", "7"]);
    assert!(wait_until(PATIENCE, || !place.games().is_empty()), "no game ends");
    send(hall.child.id(), rustix::process::Signal::TERM);
    let stopped = wait_until(PATIENCE, || hall.child.try_wait().unwrap().is_some());
    assert!(stopped && place.games().len() < 6, "{}", hall.said.lock().unwrap());
    let resumed = place.chuhe(&["resume", &place.out().to_string_lossy(), "--live", &hall.address]);
    resumed.expect(0);
    let (code, far) = seat.end();
    assert_eq!(code, Some(0), "{far}");
    assert_eq!(place.games().len(), 6, "{far}");
    assert!(far.matches("The seat is taken").count() == 2 && far.contains("The run is over"), "{far}");
    place.expect_nobody("after the end");
}

#[test]
fn a_line_that_goes_dead_without_a_word_is_noticed_and_a_second_machine_has_to_wait() {
    let place = Place::new("remote-stalled");
    let config = with(match_of(remote(), &["--random", "8"], "60"), json!({ "journal": "move" }));
    let hall = Hall::open(&place, &config);
    let line = Proxy::before(hall.port(), Duration::ZERO);
    let engine = [CHUHE, "fake-engine", "--random", "7", "--think", "20"];
    let seat = Seat::take(&place, &line.address(), &hall.token, &engine);
    assert!(wait_until(PATIENCE, || place.events().iter().any(|event| matches!(event.what, What::Moved(_)))));
    // Nothing is closed: both ends have to notice by themselves.
    line.stall();
    let second = Seat::take(&place, &hall.address, &hall.token, &[CHUHE, "fake-engine"]);
    let refused = || second.said.lock().unwrap().contains("taken by another machine");
    assert!(wait_until(PATIENCE, refused), "{}", second.said.lock().unwrap());
    drop(second);
    let (code, said) = hall.end();
    assert_eq!(code, Some(0), "{said}");
    let (code, far) = seat.end();
    assert_eq!(code, Some(0), "{far}");
    assert!(far.contains("nothing was heard any more"), "{far}");
    let waited = place.games().iter().flat_map(|game| charged(game, "A")).max().unwrap();
    println!("noticed and joined again after {waited} µs");
    assert!((5_000_000..20_000_000).contains(&waited), "{waited}");
    assert!(place.games().iter().all(|game| game.moves.split(' ').count() > 20));
}

/// Who wants it quiet is told where the links are, in one line and in the language of the run, and nothing else.
#[test]
fn a_quiet_run_tells_where_its_links_are() {
    use std::os::unix::fs::PermissionsExt as _;
    for (lang, page, line) in [
        ("en", "Live page: http://", "The secret links of the seats are in "),
        ("zh", "直播页：http://", "各席位的秘密链接在 "),
    ] {
        let place = Place::new(&format!("remote-quiet-{lang}"));
        let config = match_of(remote(), &["--random", "8", "--think", "5"], "60");
        let config = place.write("config.json", &config.to_string());
        let (config, out) = (config.to_string_lossy(), place.out());
        let out = out.to_string_lossy();
        let words = ["run", &config, "--out", &out, "--live", "0", "--quiet", "--lang", lang];
        let mut run = place.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = gather(run.stderr.take().unwrap());
        let told = format!("{line}{out}/links.json\n");
        assert!(wait_until(PATIENCE, || said.lock().unwrap().ends_with(&told)), "{}", said.lock().unwrap());
        let links = place.out().join("links.json");
        assert_eq!(std::fs::metadata(&links).unwrap().permissions().mode() & 0o777, 0o600);
        let links: Value = serde_json::from_str(&std::fs::read_to_string(links).unwrap()).unwrap();
        // The whole link is there, and is what a far side wants.
        let link = links["1.1"].as_str().unwrap();
        let mut far =
            place.command(&["seat", "--connect", link, "--", CHUHE, "fake-engine", "--random", "7"]);
        let mut far = far.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(wait_until(PATIENCE, || run.try_wait().unwrap().is_some()), "{}", said.lock().unwrap());
        assert_eq!((run.wait().unwrap().code(), far.wait().unwrap().code()), (Some(0), Some(0)));
        let said = said.lock().unwrap();
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with(page), "{said}");
    }
}

/// A WebSocket asked for by hand.
fn knock(address: &str, head: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!(
        "GET /remote HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{head}\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut status = String::new();
    BufReader::new(stream).read_line(&mut status).unwrap();
    status.split(' ').nth(1).unwrap_or("closed").to_owned()
}

#[test]
fn who_has_no_token_is_refused_and_the_match_is_untouched() {
    let place = Place::new("remote-token");
    let hall = Hall::open(&place, &match_of(remote(), &["--random", "8"], "60"));
    let host = format!("Host: {}\r\n", hall.address);
    let wrong = "0".repeat(32);
    for (head, status) in [
        (host.clone(), "401"),
        (format!("{host}Authorization: Bearer {wrong}\r\n"), "401"),
        (format!("{host}Authorization: Bearer x\r\n"), "401"),
        (format!("{host}Authorization: Basic {}\r\n", hall.token), "401"),
        (format!("Host: evil.example\r\nAuthorization: Bearer {}\r\n", hall.token), "421"),
        (format!("{host}Origin: http://evil.example\r\nAuthorization: Bearer {}\r\n", hall.token), "403"),
    ] {
        assert_eq!(knock(&hall.address, &head), status, "{head}");
    }
    let refused = Seat::take(&place, &hall.address, &wrong, &[CHUHE, "fake-engine"]);
    let (code, said) = refused.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("does not know this token"), "{said}");
    let seat = Seat::take(&place, &hall.address, &hall.token, &[CHUHE, "fake-engine", "--random", "7"]);
    let (code, said) = hall.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(seat.end().0, Some(0));
    let journal = place.read("journal.jsonl");
    assert!(!journal.contains(&wrong), "a wrong token is on record");
    assert_eq!(place.games().len(), 2);
}

/// The most memory that a process has ever used, in kB.
fn peak(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB");
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_line_of_ten_megabytes_harms_nobody() {
    let home = Place::new("remote-long-home");
    let long = ["--random", "7", "--endless-line", "10"];
    home.run_with(&match_of(fake(&long), &["--random", "8"], "60"), &["--quiet"]).expect(0);
    let place = Place::new("remote-long");
    let hall = Hall::open(&place, &match_of(remote(), &["--random", "8"], "60"));
    let words: Vec<&str> = [CHUHE, "fake-engine"].into_iter().chain(long).collect();
    let before = peak(hall.child.id());
    let seat = Seat::take(&place, &hall.address, &hall.token, &words);
    let mut most = before;
    let ended = wait_until(PATIENCE, || {
        most = most.max(peak(hall.child.id()));
        place.games().len() == 2
    });
    assert!(ended, "{}", hall.said.lock().unwrap());
    println!("runner's memory: {before} kB before, {most} kB at most");
    assert!(most < before + 10_000, "the runner's memory grew from {before} to {most} kB");
    let (code, said) = hall.end();
    assert_eq!(code, Some(0), "{said}");
    drop(seat);
    assert_eq!(all_bare(&place), all_bare(&home), "judged as at home");
}

/// A frame of a client, masked with nothing, of which only the beginning need be given.
fn frame(kind: u8, length: u64, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | kind, 0x80 | 127];
    frame.extend(length.to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

#[test]
fn a_far_side_that_is_not_ours_harms_nobody() {
    const TEXT: u8 = 1;
    const BINARY: u8 = 2;
    let place = Place::new("remote-rogue");
    let hall = Hall::open(&place, &match_of(remote(), &["--random", "8"], "60"));
    let before = peak(hall.child.id());
    let greeting = b"chuhe 1 rogue - 0";
    let greeted = frame(TEXT, greeting.len() as u64, greeting);
    let line = b"l 1 1\nuciok";
    let endless = [frame(BINARY, 10_000_000, b"l 1 1\n"), vec![b'a'; 10_000_000]].concat();
    let many = frame(BINARY, line.len() as u64, line).repeat(100);
    let new = |number: u64| {
        let text = [format!("l {number} 1\n").into_bytes(), vec![b'a'; 60_000]].concat();
        frame(BINARY, text.len() as u64, &text)
    };
    for (what, words) in [
        ("a line of ten megabytes", [greeted.clone(), endless.clone()].concat()),
        ("one before its greeting", endless),
        ("no greeting", frame(BINARY, 3, b"abc")),
        ("garbage", [greeted.clone(), frame(BINARY, 3, b"abc")].concat()),
        ("an unmasked frame", vec![0x81, 1, b'x']),
        ("half a frame", [greeted.clone(), many, frame(BINARY, 50, b"l 2")].concat()),
        // Ten times what an honest end would have under way; the line of the engine takes what is its own alone.
        ("a flood", std::iter::once(greeted.clone()).chain((1..100).map(new)).collect::<Vec<_>>().concat()),
    ] {
        let mut stream = TcpStream::connect(&hall.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "GET /remote HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            hall.address, hall.token
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 101", "{what}");
        // It may be sent away before it has said everything.
        let _ = stream.write_all(&words);
        let _ = stream.shutdown(Shutdown::Write);
        let began = Instant::now();
        let _ = stream.read_to_end(&mut Vec::new());
        assert!(began.elapsed() < Duration::from_secs(10), "{what} is not sent away");
    }
    let most = peak(hall.child.id());
    println!("runner's memory: {before} kB before, {most} kB at most");
    assert!(most < before + 10_000, "the runner's memory grew from {before} to {most} kB");
    let seat = Seat::take(&place, &hall.address, &hall.token, &[CHUHE, "fake-engine", "--random", "7"]);
    let (code, said) = hall.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!((seat.end().0, place.games().len()), (Some(0), 2));
}

#[test]
fn a_far_engine_that_dies_is_judged_as_one_at_home() {
    let config = |engine: Value| {
        with(match_of(engine, &["--random", "8"], "60"), json!({ "format": { "type": "pairs", "pairs": 2 } }))
    };
    let place = Place::new("remote-dead");
    let hall = Hall::open(&place, &config(remote()));
    let dying = [CHUHE, "fake-engine", "--random", "7", "--exit-at-ply", "9"];
    let seat = Seat::take(&place, &hall.address, &hall.token, &dying);
    let (_, said) = hall.end();
    let (_, far) = seat.end();
    let home = Place::new("remote-dead-home");
    home.run_with(&config(fake(&["--random", "7", "--exit-at-ply", "9"])), &["--quiet"]);
    assert_eq!(all_bare(&place), all_bare(&home), "{said}\n{far}");
    let dead = place.games().into_iter().filter(|game| game.termination.kind == "crashed");
    let dead: Vec<Vec<String>> = dead.map(|game| game.termination.last_lines).collect();
    let last = Some("! the engine on its own machine: exit status 3");
    assert!(
        !dead.is_empty() && dead.iter().all(|lines| lines.last().map(String::as_str) == last),
        "{dead:?}"
    );
    assert!(far.contains("The engine has ended"), "{far}");
    place.expect_nobody("after the end");

    // The far side itself is killed mid-game: nobody stays behind, and another may take the seat.
    let place = Place::new("remote-killed");
    let config = with(config(remote()), json!({ "journal": "move" }));
    let hall = Hall::open(&place, &config);
    let slow = [CHUHE, "fake-engine", "--random", "7", "--think", "20"];
    let seat = Seat::take(&place, &hall.address, &hall.token, &slow);
    assert!(wait_until(PATIENCE, || place.events().iter().any(|event| matches!(event.what, What::Moved(_)))));
    send(seat.child.id(), rustix::process::Signal::KILL);
    drop(seat);
    let seat = Seat::take(&place, &hall.address, &hall.token, &[CHUHE, "fake-engine", "--random", "7"]);
    let (_, said) = hall.end();
    let (code, far) = seat.end();
    assert_eq!(code, Some(0), "{far}");
    assert_eq!(place.games().len(), 4, "{said}");
    place.expect_nobody("after the end");
}
