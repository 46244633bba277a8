//! A fleet from outside: a real NATS server, coordinators and workers as processes, and everything that can
//! happen to them. Passes with a message where there is no `nats-server`. Start at
//! [`three_workers_make_the_tables_of_a_run_at_home`].

#[path = "end_to_end/nats.rs"]
mod nats;
#[path = "end_to_end/proxy.rs"]
#[expect(dead_code, reason = "no connection goes dead here without being closed")]
mod proxy;
mod support;
#[path = "end_to_end/world.rs"]
#[expect(dead_code, reason = "the other end-to-end tests use the rest")]
mod world;

use std::collections::BTreeSet;
use std::time::Duration;

use chuhe::record::{Brought, Event, Fleet, Run, What, reproducible};
use chuhe::runner::fleet::message::{self, Bag};
use nats::{Rogue, Server, Worker, coordinate, end, go_on};
use proxy::Proxy;
use rustix::process::Signal;
use serde_json::{Value, json};
use world::{CHUHE, Place, wait_until, with};

/// How long a run of these tests may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);

/// Three levels of the built-in engine by nodes: games that are the same everywhere.
/// `nodes` are those of a build without optimisation: an optimised one is given eight times as many, so that a
/// run takes as long and something can happen to it.
fn by_nodes(games: u32, nodes: u32) -> Value {
    let nodes = if cfg!(debug_assertions) { nodes } else { 8 * nodes };
    let entrant = |level: u32| {
        json!({
            "name": format!("Level {level}"), "engine": "sparring",
            "options": { "Level": level, "Seed": level, "Noise": 30 },
        })
    };
    json!({
        "event": "By nodes",
        "entrants": [entrant(2), entrant(5), entrant(8)],
        "time": format!("nodes={nodes}"),
        "format": { "type": "round-robin", "cycles": games },
        "openings": { "file": "@chuhe-500", "order": "shuffled" },
        "seed": 7,
        "rules": { "max_plies": 80 },
        "concurrency": 2,
        "transcripts": false,
    })
}

/// Documents of a run without the lines that name a date.
fn tables(place: &Place) -> Vec<String> {
    let names = ["crosstable.txt", "crosstable.zh.txt", "crosstable.md", "crosstable.csv", "rulings.txt"];
    let undated = |text: String| -> String {
        let words = ["Begun", "Resumed", "开始", "开赛", "续赛"];
        let dated = |line: &&str| line.contains(":") && words.iter().any(|word| line.contains(word));
        text.lines().filter(|line| !dated(line)).map(|line| format!("{line}\n")).collect()
    };
    names.map(|name| undated(place.read(name))).to_vec()
}

fn facts(place: &Place) -> String {
    reproducible(&place.events())
}

/// The same config played at home.
fn at_home(name: &str, config: &Value) -> Place {
    let place = Place::new(name);
    place.run_with(config, &["--quiet"]).expect(0);
    place
}

fn fleet_events(place: &Place) -> Vec<Fleet> {
    let fleet = |event: Event| match event.what {
        What::Fleet(fleet) => Some(fleet),
        _ => None,
    };
    place.events().into_iter().filter_map(fleet).collect()
}

fn workers_of(place: &Place) -> BTreeSet<String> {
    let brought = |event: Fleet| match event {
        Fleet::Brought(brought) => Some(brought.worker),
        _ => None,
    };
    fleet_events(place).into_iter().filter_map(brought).collect()
}

/// Every game is in the journal once, and the run is what it is at home.
fn expect_the_same(fleet: &Place, home: &Place) {
    let games = fleet.games();
    let ids: BTreeSet<_> = games.iter().map(|game| game.game).collect();
    assert_eq!(ids.len(), games.len(), "a game stands in the journal twice");
    assert_eq!(games.len(), home.games().len());
    assert_eq!(facts(fleet), facts(home));
    assert_eq!(tables(fleet), tables(home));
}

#[test]
fn three_workers_make_the_tables_of_a_run_at_home() {
    let Some(program) = support::nats() else { return };
    let config = by_nodes(8, 400);
    let home = at_home("fleet-home", &config);
    let place = Place::new("fleet");
    let server = Server::start(&place, program);
    let workers: Vec<Worker> =
        ["one", "two", "three"].map(|name| Worker::start(&place, &server.url(), name, &[])).into();
    let said = end(coordinate(&place, &config, &server.url(), &[]), LIMIT);
    said.expect(0);
    assert!(said.stdout.contains(&place.read("crosstable.txt")));
    expect_the_same(&place, &home);
    assert_eq!(workers_of(&place).len(), 3, "everybody plays: {:?}", fleet_events(&place));
    let status = server.status();
    assert!(status.contains("over (complete)") && status.contains("0 at the server"), "{status}");
    for worker in workers {
        assert_eq!(worker.stop(), Some(130));
    }
    assert!(server.status().starts_with("0 workers"));
    // What is in the folder is what a run at home is made of: it is drawn again and verified.
    let verified = place.chuhe(&["verify", &place.out().to_string_lossy()]);
    verified.expect(0);
}

/// Waits until so many games are in the journal.
fn wait_for_games(place: &Place, many: usize) {
    let there = wait_until(LIMIT, || place.games().len() >= many);
    assert!(there, "{} games are there, {many} are waited for", place.games().len());
}

/// Waits until the run is published, and gives its name at the server.
fn run_name(place: &Place, server: &Server<'_>) -> String {
    let mut run = None;
    let published = wait_until(LIMIT, || {
        run = fleet_events(place).into_iter().find_map(|event| match event {
            Fleet::Opened { publisher, name } => Some(format!("{publisher}.{name}")),
            _ => None,
        });
        run.as_ref().is_some_and(|run| {
            let status = server.status();
            status.contains(&format!("{run}: running")) && !status.contains(" 0 at the server")
        })
    });
    assert!(published, "nothing is published: {}", server.status());
    run.unwrap()
}

#[test]
fn whoever_is_killed_nothing_is_lost_and_nothing_counts_twice() {
    let Some(program) = support::nats() else { return };
    let config = by_nodes(30, 400);
    let home = at_home("fleet-kills-home", &config);
    let place = Place::new("fleet-kills");
    let mut server = Server::start(&place, program);
    let url = server.url();
    let worker = |name: &str| Worker::start(&place, &url, name, &[]);
    let (one, two, _three) = (worker("one"), worker("two"), worker("three"));
    let mut coordinator = coordinate(&place, &config, &url, &["--lease", "2s", "--quiet"]);
    wait_for_games(&place, 4);
    one.kill();
    wait_for_games(&place, 10);
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    let _one = worker("one");
    let mut coordinator = go_on(&place, &url, &["--lease", "2s", "--quiet"]);
    wait_for_games(&place, 18);
    server.kill();
    server.revive();
    wait_for_games(&place, 24);
    two.kill();
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    server.kill();
    server.revive();
    end(go_on(&place, &url, &["--lease", "2s"]), LIMIT).expect(0);
    expect_the_same(&place, &home);
    let pairs = home.games().len() / 2;
    let status = server.status();
    assert!(status.contains("pairs 0 out, 0 at the server"), "{status}");
    // A server that is killed may forget what it has just confirmed: such a pair is given out again, and its
    // result can come twice. So does the second game of a pair of which a killed coordinator had written the first
    // down. It counts once all the same, and nothing is stored that was not given out.
    let is_again = |event: &&Fleet| match event {
        Fleet::Issued { .. } => true,
        Fleet::Brought(brought) => brought.games.len() == 1,
        _ => false,
    };
    let again = fleet_events(&place).iter().filter(is_again).count();
    let results = status.split(" results").next().and_then(|text| text.rsplit(' ').next());
    let results: usize = results.unwrap().parse().unwrap();
    assert!(
        (pairs..=pairs + again).contains(&results),
        "{pairs} pairs, {again} again: {status}{:?}",
        fleet_events(&place)
    );
}

#[test]
fn a_worker_that_hangs_with_its_lease_loses_the_pair() {
    let Some(program) = support::nats() else { return };
    let config = by_nodes(4, 3000);
    let home = at_home("fleet-hang-home", &config);
    let place = Place::new("fleet-hang");
    let server = Server::start(&place, program);
    let one = Worker::start(&place, &server.url(), "one", &[]);
    let coordinator = coordinate(&place, &config, &server.url(), &["--lease", "1s", "--quiet"]);
    one.waits_to_say("joined");
    let rogue = Rogue::join(&server, &run_name(&place, &server));
    // It has to be stopped while it plays a pair, not while it brings one.
    let hangs = wait_until(LIMIT, || {
        one.send(Signal::CONT);
        std::thread::sleep(Duration::from_millis(50));
        one.send(Signal::STOP);
        std::thread::sleep(LANDED);
        rogue.played() > 0
    });
    assert!(hangs, "{}", one.log());
    let _two = Worker::start(&place, &server.url(), "two", &[]);
    end(coordinator, LIMIT).expect(0);
    one.send(Signal::CONT);
    expect_the_same(&place, &home);
    let again = |event: &Fleet| matches!(event, Fleet::Brought(Brought { deliveries: 2.., .. }));
    assert!(fleet_events(&place).iter().any(again), "{:?}", fleet_events(&place));
    one.waits_to_say("over: complete");
    assert!(wait_until(LIMIT, || server.status().contains("slots, 0 busy")));
}

/// A bag of nothing, as a worker with other engines would send it.
fn bag_of_others(program: &str) -> Vec<u8> {
    let bag = Bag {
        format: message::FORMAT,
        program: program.to_owned(),
        worker: "rogue".to_owned(),
        engines: vec!["0".repeat(64); 3],
        games: Vec::new(),
        notes: Vec::new(),
        speed: None,
        scale: None,
        deliveries: 1,
        played_us: 0,
        waited_us: 0,
    };
    message::write(&bag).unwrap()
}

#[test]
fn garbage_other_engines_and_late_answers_count_for_nothing() {
    let Some(program) = support::nats() else { return };
    let config = by_nodes(6, 400);
    let home = at_home("fleet-garbage-home", &config);
    let place = Place::new("fleet-garbage");
    let server = Server::start(&place, program);
    let coordinator = coordinate(&place, &config, &server.url(), &["--lease", "2s", "--quiet"]);
    let rogue = Rogue::join(&server, &run_name(&place, &server));
    let take = || rogue.take(Duration::from_secs(5)).unwrap();
    let (garbage, others, old, late) = (take(), take(), take(), take());
    rogue.store(Rogue::result_of(&garbage), b"\0garbage{}".to_vec(), true).unwrap();
    rogue.acknowledge(&garbage);
    rogue.store(Rogue::result_of(&others), bag_of_others(chuhe::runner::PROGRAM), true).unwrap();
    rogue.store(Rogue::result_of(&old), bag_of_others("chuhe 0.0.1"), true).unwrap();
    let _workers: Vec<Worker> =
        ["one", "two"].map(|name| Worker::start(&place, &server.url(), name, &[])).into();
    end(coordinator, LIMIT).expect(0);
    expect_the_same(&place, &home);
    let reasons: String = fleet_events(&place)
        .into_iter()
        .filter_map(|event| match event {
            Fleet::Refused { reason, .. } => Some(reason + "\n"),
            _ => None,
        })
        .collect();
    for word in ["not a bag", "other engines", "chuhe 0.0.1"] {
        assert!(reasons.contains(word), "{reasons}");
    }
    // The pair whose lease ran out was brought by somebody else: neither a polite nor a rude answer changes that.
    let before = place.read("journal.jsonl");
    for politely in [true, false] {
        let refused = rogue.store(Rogue::result_of(&late), bag_of_others("late"), politely).unwrap_err();
        assert!(
            refused.contains("10071") || refused.contains("10077") || refused.contains("WrongLast"),
            "{refused}"
        );
    }
    assert_eq!(place.read("journal.jsonl"), before);
}

#[test]
fn a_pair_that_silences_every_worker_is_given_up_and_can_be_tried_again() {
    let Some(program) = support::nats() else { return };
    let config = with(by_nodes(1, 300), json!({ "format": { "type": "gauntlet", "games": 2 } }));
    let home = at_home("fleet-poison-home", &config);
    let place = Place::new("fleet-poison");
    let server = Server::start(&place, program);
    let coordinator = coordinate(&place, &config, &server.url(), &["--lease", "0.5s"]);
    let rogue = Rogue::join(&server, &run_name(&place, &server));
    // It takes every pair and dies with it.
    let taken = (0..40).take_while(|_| rogue.take(Duration::from_secs(3)).is_some()).count();
    let said = end(coordinator, LIMIT);
    said.expect(3).expect_error(&["is given out again", "is given up: every worker that had it fell silent"]);
    assert_eq!(taken, 2 * 2 * 5, "two pairs, given out twice, handed out five times each");
    assert!(place.games().is_empty());
    let _one = Worker::start(&place, &server.url(), "one", &[]);
    end(go_on(&place, &server.url(), &["--quiet"]), LIMIT).expect(0);
    expect_the_same(&place, &home);
}

#[test]
fn engines_go_by_their_hashes_and_only_where_their_publisher_is_allowed() {
    let Some(program) = support::nats() else { return };
    let place = Place::new("fleet-engines");
    let sent = place.script("sent.sh", &format!("exec {CHUHE} sparring"));
    let local =
        |args: &[&str]| json!({ "name": "Local", "command": CHUHE, "args": args, "protocol": "ucci" });
    let config = json!({
        "entrants": [
            { "name": "Sent", "engine": { "command": sent, "protocol": "ucci" }, "options": { "Level": 3 } },
            { "name": "Local", "engine": local(&["sparring"]), "options": { "Level": 3, "Seed": 5 } },
        ],
        "time": "nodes=200",
        "format": { "type": "pairs", "pairs": 4 },
        "rules": { "max_plies": 60 },
        "transcripts": false,
    });
    let home = at_home("fleet-engines-home", &config);
    for (folder, args) in [("good", &["sparring"][..]), ("bad", &["sparring", "--other"][..])] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
        place.write(&format!("{folder}/local.json"), &local(args).to_string());
    }
    let server = Server::start(&place, program);
    let coordinator = coordinate(&place, &config, &server.url(), &["--publisher", "alice"]);
    let folder = |name: &str| place.path(name).to_string_lossy().into_owned();
    let start = |name: &str, more: &[&str]| Worker::start(&place, &server.url(), name, more);
    let other = start("other", &["--allow", "alice", "--engines", &folder("bad")]);
    let stranger = start("stranger", &["--allow", "bob", "--engines", &folder("good")]);
    other.waits_to_say("refused: Local: the engine");
    other.waits_to_say("engines here: Local");
    stranger.waits_to_say("refused: Sent: the engine");
    stranger.waits_to_say("'alice' is not named by --allow");
    let known = || server.status().matches("refuses").count() == 2;
    assert!(wait_until(LIMIT, known), "{}", server.status());
    assert!(!place.path("cache").join("x").parent().unwrap().join("program").exists());
    let good = start("good", &["--allow", "alice", "--engines", &folder("good")]);
    end(coordinator, LIMIT)
        .expect(0)
        .expect_error(&["worker other does not play", "worker stranger does not play"]);
    expect_the_same(&place, &home);
    assert_eq!(workers_of(&place).into_iter().collect::<Vec<_>>(), ["good"]);
    // What was fetched is looked at again before it plays again.
    assert_eq!(good.stop(), Some(130));
}

fn verdict(place: &Place) -> String {
    let mut run = Run::new();
    place.events().iter().for_each(|event| run.apply(event).unwrap());
    format!("{:?}", run.trial().unwrap().verdict().unwrap())
}

#[test]
fn a_test_decides_as_at_home_and_everybody_stops() {
    let Some(program) = support::nats() else { return };
    let entrant = |level: u32| {
        json!({
            "name": format!("E{level}"), "engine": "sparring",
            "options": { "Level": level, "Noise": 60, "Seed": level },
        })
    };
    let config = json!({
        "entrants": [entrant(6), entrant(1)],
        "time": "nodes=150",
        "format": { "type": "pairs", "pairs": 5000 },
        "openings": { "file": "@chuhe-500", "order": "shuffled" },
        "rules": { "max_plies": 60 },
        "sprt": { "elo0": 0, "elo1": 60 },
        "transcripts": false,
    });
    let home = at_home("fleet-sprt-home", &config);
    let place = Place::new("fleet-sprt");
    let server = Server::start(&place, program);
    let _workers: Vec<Worker> =
        ["one", "two", "three"].map(|name| Worker::start(&place, &server.url(), name, &[])).into();
    end(coordinate(&place, &config, &server.url(), &["--quiet"]), LIMIT).expect(0);
    assert_eq!(verdict(&place), verdict(&home));
    let idle = || {
        let status = server.status();
        status.contains("over (sprt_h1)")
            && status.contains(" 0 at the server")
            && status.contains("3 slots, 0 busy")
    };
    assert!(wait_until(Duration::from_secs(12), idle), "{}", server.status());
    // A late result is stored and not counted.
    let run = fleet_events(&place).into_iter().find_map(|event| match event {
        Fleet::Opened { publisher, name } => Some(format!("{publisher}.{name}")),
        _ => None,
    });
    let rogue = Rogue::join(&server, &run.unwrap());
    let before = (place.read("journal.jsonl"), place.read("crosstable.txt"));
    rogue.store(rogue.result("1-4999-1-1-1-1"), bag_of_others(chuhe::runner::PROGRAM), true).unwrap();
    end(go_on(&place, &server.url(), &["--quiet"]), LIMIT).expect(0);
    assert_eq!((place.read("journal.jsonl"), place.read("crosstable.txt")), before);
}

/// By then what was under way to the server is there, on a slow disk too.
const LANDED: Duration = Duration::from_millis(700);

fn check_cut(name: &str, lease: &str) {
    let Some(program) = support::nats() else { return };
    let config = by_nodes(14, 400);
    let home = at_home(&format!("{name}-home"), &config);
    let place = Place::new(name);
    let server = Server::start(&place, program);
    let proxy = Proxy::before(server.port(), Duration::ZERO);
    let _far = Worker::start(&place, &format!("nats://{}", proxy.address()), "far", &["--slots", "2"]);
    let coordinator = coordinate(&place, &config, &server.url(), &["--lease", lease, "--quiet"]);
    wait_for_games(&place, 2);
    let rogue = Rogue::join(&server, &run_name(&place, &server));
    // The cut has to fall into a game, not between two.
    let fell = wait_until(LIMIT, || {
        proxy.cut(false);
        let games = place.games().len();
        wait_for_games(&place, games + 1);
        proxy.cut(true);
        let cut = std::time::Instant::now();
        wait_until(LIMIT, || cut.elapsed() >= LANDED) && rogue.played() > 0
    });
    assert!(fell, "no pair is held");
    let cut = std::time::Instant::now();
    assert!(wait_until(LIMIT, || cut.elapsed() >= Duration::from_secs(5)));
    let near = (lease == "2s").then(|| Worker::start(&place, &server.url(), "near", &[]));
    if near.is_some() {
        wait_for_games(&place, 10);
    }
    proxy.cut(false);
    end(coordinator, LIMIT).expect(0);
    expect_the_same(&place, &home);
    let again = |event: &Fleet| matches!(event, Fleet::Brought(Brought { deliveries: 2.., .. }));
    assert!(near.is_none() || fleet_events(&place).iter().any(again), "nothing was handed on");
}

#[test]
fn a_cut_shorter_than_the_lease_costs_nothing() {
    check_cut("fleet-cut-short", "30s");
}

#[test]
fn a_cut_longer_than_the_lease_costs_a_replay() {
    check_cut("fleet-cut-long", "2s");
}

#[test]
fn an_operator_pauses_goes_on_stops_and_purges() {
    let Some(program) = support::nats() else { return };
    let config = by_nodes(20, 400);
    let place = Place::new("fleet-operator");
    let server = Server::start(&place, program);
    let _one = Worker::start(&place, &server.url(), "one", &[]);
    let coordinator = coordinate(&place, &config, &server.url(), &[]);
    wait_for_games(&place, 2);
    let run = run_name(&place, &server);
    let order = |word: &str| place.chuhe(&["fleet", word, &run, "--fleet", &server.url()]);
    order("pause").expect(0);
    assert!(wait_until(LIMIT, || server.status().contains("slots, 0 busy")), "{}", server.status());
    let games = place.games().len();
    order("purge").expect(1).expect_error(&["stop it first"]);
    order("continue").expect(0);
    wait_for_games(&place, games + 2);
    order("stop").expect(0);
    end(coordinator, LIMIT).expect(130).expect_error(&["stopped by an operator", "chuhe resume"]);
    assert!(server.status().contains(&format!("{run}: stopped")));
    order("purge").expect(0);
    assert!(server.status().contains("0 runs"));
    order("pause").expect(1).expect_error(&["there is no run"]);
}

#[test]
fn clocks_are_scaled_where_that_is_asked_for_and_it_is_written_down() {
    let Some(program) = support::nats() else { return };
    let place = Place::new("fleet-scale");
    let entrant = |name: &str| json!({ "name": name, "engine": "sparring", "options": { "Level": 2 } });
    let config = json!({
        "entrants": [entrant("A"), entrant("B")],
        "time": "2+0.1",
        "margin": "5s",
        "format": { "type": "pairs", "pairs": 2 },
        "rules": { "max_plies": 12 },
        "transcripts": false,
    });
    let server = Server::start(&place, program);
    let _one = Worker::start(&place, &server.url(), "one", &[]);
    let coordinator = coordinate(&place, &config, &server.url(), &["--scale-clocks", "--quiet"]);
    end(coordinator, LIMIT).expect(0);
    let brought: Vec<Brought> = fleet_events(&place)
        .into_iter()
        .filter_map(|event| match event {
            Fleet::Brought(brought) => Some(brought),
            _ => None,
        })
        .collect();
    assert_eq!(brought.len(), 2);
    let scaled = |one: &Brought| one.scale.is_some_and(|scale| (0.25..=4.0).contains(&scale));
    assert!(brought.iter().all(|one| scaled(one) && one.speed.is_some()), "{brought:?}");
    let summary: Value = serde_json::from_str(&place.read("summary.json")).unwrap();
    assert_eq!(summary["fleet"]["workers"]["one"]["games"], 4);
    assert!(place.read("summary.md").contains("| one | 4 | 0 |"));
}

#[test]
fn a_run_moves_from_home_to_a_fleet_and_back() {
    let Some(program) = support::nats() else { return };
    let config = by_nodes(12, 400);
    let home = at_home("fleet-moves-home", &config);
    let place = Place::new("fleet-moves");
    let mut child = place.start(&config);
    wait_for_games(&place, 4);
    child.kill().unwrap();
    child.wait().unwrap();
    let server = Server::start(&place, program);
    let _one = Worker::start(&place, &server.url(), "one", &[]);
    let before = place.games().len();
    let mut coordinator = go_on(&place, &server.url(), &["--quiet"]);
    wait_for_games(&place, before + 6);
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    place.resume().expect(0);
    expect_the_same(&place, &home);
}

#[test]
fn the_permissions_of_the_example_are_enough_and_not_too_many() {
    let Some(program) = support::nats() else { return };
    let place = Place::new("fleet-permissions");
    let sent = place.script("sent.sh", &format!("exec {CHUHE} sparring"));
    let engine = |level: u32| {
        json!({
            "name": format!("Level {level}"), "engine": { "command": sent, "protocol": "ucci" },
            "options": { "Level": level },
        })
    };
    let config = json!({
        "entrants": [engine(1), engine(2)],
        "time": "nodes=100",
        "format": { "type": "pairs", "pairs": 3 },
        "rules": { "max_plies": 40 },
        "transcripts": false,
    });
    let home = at_home("fleet-permissions-home", &config);
    let conf = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fleet/nats.conf");
    let server = Server::with(&place, program, Some(conf));
    let worker = server.url_of("worker", "change-me-too");
    let _one = Worker::start(&place, &worker, "one", &["--allow", "alice"]);
    let alice = server.url_of("alice", "change-me");
    end(coordinate(&place, &config, &alice, &["--publisher", "alice", "--quiet"]), LIMIT).expect(0);
    expect_the_same(&place, &home);
    let other = Place::new("fleet-permissions-other");
    let said = end(coordinate(&other, &config, &alice, &["--publisher", "bob", "--quiet"]), LIMIT);
    said.expect(1).expect_error(&["the NATS server"]);
    let run = fleet_events(&place).into_iter().find_map(|event| match event {
        Fleet::Opened { publisher, name } => Some(format!("{publisher}.{name}")),
        _ => None,
    });
    let run = run.unwrap();
    let purge = |url: &str| place.chuhe(&["fleet", "purge", &run, "--fleet", url]);
    purge(&worker).expect(1);
    purge(&server.url_of("operator", "change-me-three")).expect(0);
    place.chuhe(&["fleet", "status", "--fleet", &server.url_of("worker", "wrong")]).expect(1);
}

#[test]
fn an_event_under_a_regulation_is_refused() {
    let place = Place::new("fleet-regulation");
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/2006-net-meeting.json");
    let config: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let config = with(config, json!({}));
    let said = end(coordinate(&place, &config, "nats://127.0.0.1:1", &[]), LIMIT);
    said.expect(1).expect_error(&["cannot be given to a fleet", "regulation"]);
    assert!(!place.out().join("journal.jsonl").exists());
}
