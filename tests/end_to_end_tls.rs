//! TLS from outside: `chuhe seat` and `chuhe play` through a proxy that ends TLS, with a certificate authority made
//! for the test. Over TLS everything is as without, and a server that is not trusted is told of at once. Start at
//! [`a_remote_engine_plays_over_tls_what_it_plays_at_home`].

#[path = "end_to_end/world.rs"]
#[allow(dead_code)]
mod world;

#[path = "end_to_end/served.rs"]
#[allow(dead_code)]
mod served;

#[path = "end_to_end/seated.rs"]
#[allow(dead_code)]
mod seated;

#[path = "end_to_end/tls.rs"]
mod tls;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use chuhe::record::What;
use seated::links;
use serde_json::{Value, json};
use served::Served;
use tls::{Authority, Proxy};
use world::{CHUHE, Place, Said, fake, pair, wait_until, with};

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(40);

/// Longest that something final may take, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Years in which these tests are run.
const YEARS: [i32; 2] = [2020, 2120];

/// The variables that say whom a process trusts.
const TRUSTED: &str = "SSL_CERT_FILE";
const TRUSTED_TOO: &str = "SSL_CERT_DIR";

const ENGINE: [&str; 4] = [CHUHE, "fake-engine", "--random", "7"];

fn remote() -> Value {
    json!({ "command": "@remote", "protocol": "uci", "start_patience": "30s" })
}

/// A command that trusts an authority alone, or whom the system trusts.
fn trusting(place: &Place, arguments: &[&str], authority: Option<&Authority>) -> Command {
    let mut command = place.command(arguments);
    command.env_remove(TRUSTED).env_remove(TRUSTED_TOO);
    if let Some(authority) = authority {
        command.env(TRUSTED, place.write("authority.pem", &authority.pem));
    }
    command
}

/// What makes the games, time aside.
fn bare(place: &Place) -> Vec<(String, String, Option<String>)> {
    let bare = |game: chuhe::record::GameOver| (game.game.to_string(), game.moves, game.result);
    let mut games: Vec<_> = place.games().into_iter().map(bare).collect();
    games.sort();
    games
}

fn token(place: &Place) -> String {
    links(place)["1.1"].as_str().unwrap().to_owned()
}

/// Waits for the end of a child and gathers what it said.
fn end(mut child: Child) -> Said {
    let ended = wait_until(PATIENCE, || child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(ended, "it does not end: {said:#?}");
    said
}

fn piped(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs a command to its end, which has to come at once.
fn soon(command: Command) -> Said {
    let began = Instant::now();
    let mut child = piped(command);
    drop(child.stdin.take());
    let said = end(child);
    assert!(began.elapsed() < AT_ONCE, "{:?}: {said:#?}", began.elapsed());
    said
}

#[test]
fn a_remote_engine_plays_over_tls_what_it_plays_at_home() {
    let home = Place::new("tls-home");
    home.run_with(&pair(fake(&["--random", "7"]), fake(&["--random", "8"]), "60"), &["--quiet"]).expect(0);
    let authority = Authority::new("Hall");
    for (name, identity) in
        [("new", authority.server("localhost", YEARS)), ("old", authority.old_server("localhost"))]
    {
        let place = Place::new(&format!("tls-away-{name}"));
        let proxy = Proxy::showing(&identity);
        let config = pair(remote(), fake(&["--random", "8"]), "60");
        let served = Served::run(&place, &config, &[]);
        proxy.before(&served.address);
        // The link as a whole, where nobody else reads it.
        let link = format!("{}/remote#{}\n", proxy.base("localhost"), token(&place));
        let file = place.write("link.txt", &link).display().to_string();
        let arguments = [&["seat", "--token-file", &file, "--"][..], &ENGINE].concat();
        let far = end(piped(trusting(&place, &arguments, Some(&authority))));
        far.expect(0).expect_error(&["The seat is taken", "The run is over"]);
        assert!(!far.stderr.contains("warning") && !far.stderr.contains("No connection"), "{far:#?}");
        assert_eq!(served.end(), Some(0));
        assert_eq!(bare(&place), bare(&home), "{name}");
        assert_eq!(proxy.joined(), 1, "it went another way");
        place.expect_nobody("after the end");
    }
}

#[test]
fn a_tls_connection_that_is_cut_is_made_again_also_past_an_impostor() {
    let home = Place::new("tls-cut-home");
    let engine = ["--random", "7", "--think", "10"];
    home.run_with(&pair(fake(&engine), fake(&["--random", "8"]), "60"), &["--quiet"]).expect(0);
    let (authority, stranger) = (Authority::new("Hall"), Authority::new("Stranger"));
    let (own, forged) = (authority.server("localhost", YEARS), stranger.server("localhost", YEARS));
    let place = Place::new("tls-cut");
    let proxy = Proxy::showing(&own);
    let config = pair(remote(), fake(&["--random", "8"]), "60");
    let served = Served::run(&place, &with(config, json!({ "journal": "move" })), &[]);
    proxy.before(&served.address);
    let link = format!("{}/remote#{}", proxy.base("localhost"), token(&place));
    let arguments = [&["seat", "--connect", &link, "--", CHUHE, "fake-engine"][..], &engine].concat();
    let seat = piped(trusting(&place, &arguments, Some(&authority)));
    let moves = || place.events().iter().filter(|event| matches!(event.what, What::Moved(_))).count();
    for round in 1..=3 {
        let enough = moves() + 6;
        assert!(wait_until(PATIENCE, || moves() >= enough), "{round}: no moves");
        if round == 2 {
            // Somebody else's certificate: the token is not told, the engine stays and waits.
            proxy.show(&forged);
            proxy.cut();
            std::thread::sleep(Duration::from_millis(600));
            assert_eq!(proxy.joined(), 2, "the impostor was trusted");
            proxy.show(&own);
        } else {
            proxy.cut();
        }
        assert!(wait_until(PATIENCE, || proxy.joined() == round + 1), "{round}: not joined again");
    }
    let far = end(seat);
    far.expect(0).expect_error(&["No connection, trying again", "UnknownIssuer"]);
    assert_eq!(served.end(), Some(0));
    assert_eq!(bare(&place), bare(&home));
    assert_eq!(far.stderr.matches("The engine is started").count(), 1, "the engine stayed: {far:#?}");
    assert_eq!(far.stderr.matches("The seat is taken").count(), 4, "{far:#?}");
}

#[test]
fn a_server_that_is_not_trusted_is_told_of_at_once() {
    let place = Place::new("tls-distrust");
    let (authority, stranger) = (Authority::new("Hall"), Authority::new("Stranger"));
    let zeros = "0".repeat(32);
    let link = |base: &str, page: &str| format!("{base}/{page}#{zeros}");
    let refused = |base: &str, trusted: Option<&Authority>, words: &[&str], chinese: &str| {
        let seat = link(base, "remote");
        let arguments = [&["seat", "--connect", &seat, "--quiet", "--"][..], &ENGINE].concat();
        soon(trusting(&place, &arguments, trusted)).expect(1).expect_error(words);
        let arguments = [&["seat", "--lang", "zh", "--connect", &seat, "--"][..], &ENGINE].concat();
        soon(trusting(&place, &arguments, trusted)).expect(1).expect_error(&[base, chinese]);
        let person = link(base, "seat");
        soon(trusting(&place, &["play", "--seat", &person], trusted)).expect(1).expect_error(words);
        let arguments = ["play", "--seat", &person, "--lang", "zh"];
        soon(trusting(&place, &arguments, trusted)).expect(1).expect_error(&[base, chinese]);
    };
    let proxy = Proxy::showing(&authority.server("localhost", YEARS));
    proxy.before("127.0.0.1:9");
    let base = proxy.base("localhost");
    refused(
        &base,
        Some(&stranger),
        &["error: https://localhost", "nobody whom this machine knows"],
        "不信任",
    );
    // The system's own: whoever it trusts, it is not this one, or there is nobody.
    refused(&base, None, &["certificate"], "信任");
    let names = proxy.base("127.0.0.1");
    refused(&names, Some(&authority), &["made out for another name: ", "localhost"], "签给别的名称");
    proxy.show(&authority.server("hall.example", YEARS));
    refused(&base, Some(&authority), &["made out for another name: ", "hall.example"], "签给别的名称");
    proxy.show(&authority.server("localhost", [2020, 2021]));
    refused(&base, Some(&authority), &["not valid today"], "有效期");
    proxy.show(&authority.itself());
    refused(&base, Some(&authority), &["CA:TRUE"], "CA:TRUE");
    assert_eq!(proxy.joined(), 0, "somebody was trusted");
    // Nobody at all is trusted.
    let seat = link(&base, "remote");
    let arguments = [&["seat", "--connect", &seat, "--"][..], &ENGINE].concat();
    let mut command = trusting(&place, &arguments, None);
    command.env(TRUSTED, place.path("missing.pem"));
    soon(command).expect(1).expect_error(&["trusts no certificate at all", "missing.pem"]);
}

/// A server that answers everything with the same.
fn answering(answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                let _ = stream.read(&mut bytes);
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
    port
}

#[test]
fn the_wrong_one_of_http_and_https_is_told_of_at_once() {
    let place = Place::new("tls-wrong-scheme");
    let zeros = "0".repeat(32);
    let moved = answering(
        "HTTP/1.1 301 Moved Permanently\r\nLocation: https://localhost/\r\nContent-Length: 0\r\n\
         Connection: close\r\n\r\n",
    );
    let authority = Authority::new("Hall");
    for (scheme, words) in [("http", "is https:// meant?"), ("https", "is http:// meant?")] {
        let seat = format!("{scheme}://127.0.0.1:{moved}/remote#{zeros}");
        let arguments = [&["seat", "--connect", &seat, "--"][..], &ENGINE].concat();
        soon(trusting(&place, &arguments, Some(&authority))).expect(1).expect_error(&[words]);
        let person = format!("{scheme}://127.0.0.1:{moved}/seat#{zeros}");
        let arguments = ["play", "--seat", &person];
        soon(trusting(&place, &arguments, Some(&authority))).expect(1).expect_error(&[words]);
    }
}

#[test]
fn what_leaves_the_machine_in_the_clear_is_warned_of() {
    let place = Place::new("tls-warning");
    let zeros = "0".repeat(32);
    // An address for documentation: nobody is there, so the machine is left at most in thought.
    for (server, quiet, warned) in
        [("192.0.2.1:9", false, true), ("192.0.2.1:9", true, false), ("127.0.0.1:9", false, false)]
    {
        let mut arguments = vec!["seat", "--connect", server, "--token", &zeros];
        arguments.extend(quiet.then_some("--quiet"));
        arguments.extend(["--", CHUHE]);
        let mut child = piped(trusting(&place, &arguments, None));
        std::thread::sleep(Duration::from_millis(700));
        let _ = child.kill();
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.stderr.contains("warning: nothing is encrypted"), warned, "{server}: {said:#?}");
    }
}

#[test]
fn a_person_plays_in_a_terminal_over_tls_by_the_printed_link() {
    let authority = Authority::new("Hall");
    let proxy = Proxy::showing(&authority.server("localhost", YEARS));
    let place = Place::new("tls-play");
    let config = json!({
        "event": "Terminal",
        "entrants": [
            { "name": "A", "engine": "person" },
            { "name": "B", "engine": "sparring", "options": { "Level": 1 } },
        ],
        "time": "600",
        "format": { "type": "boards", "games": 1 },
    });
    let config = place.write("config.json", &config.to_string()).display().to_string();
    let (out, base) = (place.out().display().to_string(), proxy.base("localhost"));
    let arguments =
        ["run", &config, "--out", &out, "--live", "0", "--host", "https://hall.example", "--host", &base];
    // The first name with https:// is what links begin with: here none of them is asked for.
    let strange =
        Served::begin(&place, &[&arguments[..4], &["--live", "0", "--desk"], &arguments[6..]].concat());
    let answer = |host: &str| {
        let status =
            strange.raw(format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes());
        status.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let answers = ["hall.example", "hall.example:443", "localhost:1", "https://hall.example"].map(answer);
    assert_eq!(answers, ["200", "200", "200", "421"]);
    links(&place);
    // Once lets the games go on that run, and whoever is waited for may still come; twice is enough.
    for _ in 0..2 {
        world::send(strange.child.id(), rustix::process::Signal::TERM);
        std::thread::sleep(Duration::from_millis(200));
    }
    let (_, said) = strange.end_saying();
    for page in ["desk", "seat"] {
        assert!(said.contains(&format!("https://hall.example/{page}#")), "{page}: {said}");
    }
    let served =
        Served::begin(&place, &["resume", &out, "--live", "0", "--host", "hall.example", "--host", &base]);
    proxy.before(&served.address);
    let link = format!("{base}/seat#{}", token(&place));
    let mut child = piped(trusting(&place, &["play", "--seat", &link], Some(&authority)));
    let mut typing = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut until = |part: &str| lines.by_ref().find(|line| line.contains(part)).expect(part);
    until("Your move");
    writeln!(typing, "炮二平五").unwrap();
    until("h2e2");
    until("Your move");
    // What is followed is lost and found again.
    let joined = proxy.joined();
    proxy.cut();
    assert!(wait_until(PATIENCE, || proxy.joined() > joined), "not joined again");
    writeln!(typing, "h0g2").unwrap();
    until("h0g2");
    until("Your move");
    writeln!(typing, "resign\nyes").unwrap();
    until("The match is over");
    let ended = end(child);
    ended.expect(0);
    assert!(!ended.stderr.contains("warning"), "{ended:#?}");
    let (code, said) = served.end_saying();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("Seat of A: {link}\n")), "{said}");
    assert!(place.games()[0].moves.starts_with("h2e2 "), "{:?}", place.games());
    place.expect_nobody("after the end");
}
