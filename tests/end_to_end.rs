//! The built program from outside: whole runs, kills, signals, bad engines, bad folders, real engines.
//! The only tests that start processes. Everything they wait for is looked at again and again, with a
//! limit. Start at [`a_small_tournament_is_played_and_tabulated`].

#[path = "end_to_end/disk.rs"]
mod disk;
#[path = "end_to_end/faults.rs"]
mod faults;
#[path = "end_to_end/interrupts.rs"]
mod interrupts;
#[path = "end_to_end/rulings.rs"]
mod rulings;
mod support;
#[path = "end_to_end/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;
use world::{Place, Said, fake, pair, with};

/// Three levels of the built-in engine by nodes: six games that are the same every time.
fn by_nodes() -> serde_json::Value {
    let entrant = |level: u32| {
        json!({
            "name": format!("Level {level}"), "engine": "sparring",
            "options": { "Level": level, "Seed": level },
        })
    };
    json!({
        "event": "By nodes",
        "entrants": [entrant(2), entrant(5), entrant(8)],
        "time": "nodes=400",
        "rules": { "max_plies": 120 },
        "concurrency": 2,
    })
}

#[test]
fn a_small_tournament_is_played_and_tabulated() {
    let place = Place::new("small");
    let said = place.run(&by_nodes());
    said.expect(0);
    for name in ["Level 2", "Level 5", "Level 8"] {
        assert!(said.stdout.contains(name), "{}", said.stdout);
    }
    let games = place.games();
    let ids: BTreeSet<_> = games.iter().map(|game| game.game).collect();
    assert_eq!((games.len(), ids.len()), (6, 6));
    let pgn = place.read("games.pgn");
    assert_eq!(pgn.matches("[Result ").count(), 6);
    assert!(said.stdout.starts_with(&place.read("crosstable.txt")));
    place.expect_nobody("after the end");

    // Everything drawn again from the journal alone is the same, byte for byte.
    let drawn = |place: &Place| -> Vec<(String, Vec<u8>)> {
        let files = fs::read_dir(place.out()).unwrap().flatten().filter(|entry| entry.path().is_file());
        let mut files: Vec<_> = files
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = drawn(&place);
    for (name, _) in before.iter().filter(|(name, _)| name != "journal.jsonl") {
        fs::remove_file(place.out().join(name)).unwrap();
    }
    let out = place.out();
    let report = place.chuhe(&["report", &out.to_string_lossy()]);
    assert_eq!(report.expect(0).stdout, place.read("crosstable.txt"));
    let after = drawn(&place);
    assert_eq!(before.iter().map(|(name, _)| name).collect::<Vec<_>>(), {
        after.iter().map(|(name, _)| name).collect::<Vec<_>>()
    });
    assert!(before == after, "the documents differ");

    // A folder that holds a run is not used again.
    place.run(&by_nodes()).expect(1).expect_error(&["holds a run already", "chuhe resume"]);
    assert!(drawn(&place) == after, "a refused run has changed something");
}

#[test]
fn a_config_wrong_in_five_places_prints_five_errors_and_starts_nothing() {
    let place = Place::new("five");
    let config = json!({
        "entrants": [
            { "name": "A", "engine": "sparing" },
            { "name": "A", "engine": "sparring", "options": { "Level": [] } },
        ],
        "time": "fast",
        "concurency": 2,
        "rules": { "book": "asian-2007" },
    });
    let said = place.run(&config);
    said.expect(1);
    let errors: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(errors.len() >= 5, "{}", said.stderr);
    said.expect_error(&["entrants", "time", "concurency", "concurrency", "rules.book", "sparring"]);
    assert!(!place.out().exists());
    assert_eq!(place.chuhe(&["check", &place.path("config.json").to_string_lossy()]).code, Some(1));
}

#[test]
fn perft_prints_a_line_a_move_and_the_total_alone() {
    let place = Place::new("perft");
    let said = place.chuhe(&["perft", "startpos", "3"]);
    let lines: Vec<&str> = said.expect(0).stdout.lines().collect();
    assert_eq!((lines.len(), lines[lines.len() - 1]), (45, "79666"));
    place.chuhe(&["perft", "9/9", "3"]).expect(1).expect_error(&["error: "]);
}

#[test]
fn more_faults_than_allowed_are_exit_code_three() {
    let place = Place::new("strict");
    let config = pair(fake(&["--illegal-at-ply", "8", "--illegal-at-ply", "9"]), fake(&[]), "10");
    place.run_with(&config, &["--strict", "--quiet"]).expect(3);
    assert!(place.games().iter().all(|game| game.termination.kind == "illegal_move"));
}

/// A short match of the built-in engine against an installed one.
fn check_real(program: &str, manifests: &[&str]) {
    if support::engine(program).is_none() {
        return;
    }
    for manifest in manifests {
        let place = Place::new(manifest);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("engines/{manifest}.json"));
        let config = with(
            pair(json!(file.to_string_lossy()), json!("sparring"), "1+0.02"),
            json!({ "rules": { "max_plies": 24 }, "margin": "5s", "concurrency": 2 }),
        );
        let said: Said = place.run(&config);
        said.expect(0);
        for game in place.games() {
            let end = &game.termination;
            let sound = !matches!(end.kind.as_str(), "crashed" | "stalled" | "illegal_move" | "flag");
            assert!(sound, "{manifest}: {end:?} in {}", game.moves);
        }
        place.expect_nobody(manifest);
    }
}

#[test]
fn fairy_stockfish_plays() {
    check_real(
        "/usr/games/fairy-stockfish",
        &["fairy-stockfish-uci", "fairy-stockfish-ucci", "fairy-stockfish-cecp"],
    );
}

#[test]
fn sjaak_plays() {
    check_real("/usr/games/sjaakii", &["sjaakii-ucci", "sjaakii-uci", "sjaakii-cecp"]);
}

#[test]
fn hoixiangqi_plays() {
    check_real("/usr/games/hoixiangqi", &["hoixiangqi"]);
}

#[test]
fn maxqi_plays() {
    check_real("/usr/games/maxqi", &["maxqi"]);
}
