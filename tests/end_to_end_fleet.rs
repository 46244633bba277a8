//! A fleet from outside: a real NATS server, coordinators and workers as processes, and everything that can
//! happen to them. Passes with a message where there is no `nats-server`. Start at
//! [`three_workers_make_the_tables_of_a_run_at_home`].

#[path = "end_to_end/nats.rs"]
mod nats;
mod support;
#[path = "end_to_end/world.rs"]
#[expect(dead_code, reason = "the other end-to-end tests use the rest")]
mod world;

use std::collections::BTreeSet;
use std::time::Duration;

use chuhe::record::{Event, Fleet, What, reproducible};
use nats::{Server, Worker, coordinate, end};
use serde_json::{Value, json};
use world::{Place, with};

/// How long a run of these tests may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);

/// Three levels of the built-in engine by nodes: games that are the same everywhere.
fn by_nodes(games: u32, nodes: u32) -> Value {
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
        let dated = |line: &&str| line.contains("20") && (line.contains("Begun") || line.contains("开始"));
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
