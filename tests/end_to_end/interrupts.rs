//! Runs that are stopped: killed without warning, by one signal, by two; and what a resume makes of them.
//! Start at [`a_killed_run_goes_on_as_if_nothing_had_happened`].

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use chuhe::record::{What, reproducible};
use rustix::process::Signal;
use serde_json::json;

use crate::by_nodes;
use crate::world::{CHUHE, Place, Said, fake, pair, send, wait_until, with};

/// Longest wait for something that surely comes.
const SOON: Duration = Duration::from_secs(20);

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The tables without the head, which names dates.
fn tables(place: &Place) -> String {
    let text = place.read("crosstable.txt");
    text[text.find("\n#").unwrap_or(0)..].to_owned()
}

#[test]
fn a_killed_run_goes_on_as_if_nothing_had_happened() {
    let whole = Place::new("whole");
    whole.run_with(&by_nodes(), &["--quiet"]).expect(0);
    let length = whole.read("journal.jsonl").len();
    // Moments spread over the run, by the bytes its journal has: the machine's speed does not matter.
    for (number, thousandth) in [90, 270, 430, 640, 880].into_iter().enumerate() {
        let place = Place::new(&format!("killed-{number}"));
        let child = place.start(&by_nodes());
        let journal = place.out().join("journal.jsonl");
        let size = || fs::metadata(&journal).map_or(0, |facts| facts.len());
        assert!(wait_until(SOON, || size() as usize * 1000 > length * thousandth));
        kill(child);
        place.expect_nobody("after kill -9");
        let finished = place.games();
        place.resume().expect(0);
        let games = place.games();
        assert_eq!(games[..finished.len()], finished[..], "finished games have changed");
        let ids: BTreeSet<_> = games.iter().map(|game| game.game).collect();
        assert_eq!((games.len(), ids.len()), (6, 6));
        assert_eq!(reproducible(&place.events()), reproducible(&whole.events()));
        assert_eq!(tables(&place), tables(&whole));
        place.expect_nobody("after the end");
    }
}

#[test]
fn a_killed_run_leaves_no_engine_behind_a_script() {
    let place = Place::new("killed-script");
    let line = format!("'{CHUHE}' fake-engine --ignore-eof --think 20\ntrue");
    let script = place.script("engine.sh", &line);
    let engine = json!({ "command": script.to_string_lossy(), "protocol": "uci" });
    let child = place.start(&pair(engine, fake(&["--ignore-eof", "--think", "20"]), "60"));
    let began = || place.events().iter().any(|event| matches!(event.what, What::GameBegan(_)));
    assert!(wait_until(SOON, began));
    assert!(place.alive().len() >= 4, "{:?}", place.alive());
    kill(child);
    place.expect_nobody("after kill -9");
}

#[test]
fn a_game_journalled_by_the_move_goes_on_from_its_last_move() {
    let place = Place::new("by-move");
    let engine = || fake(&["--think", "5"]);
    let config = with(pair(engine(), engine(), "60"), json!({ "crash": "restart", "journal": "move" }));
    let child = place.start(&config);
    let moved = || place.events().iter().filter(|event| matches!(event.what, What::Moved(_))).count();
    assert!(wait_until(SOON, || moved() >= 20));
    kill(child);
    let before = moved();
    place.resume().expect(0);
    let events = place.events();
    let first = events.iter().filter_map(|event| match &event.what {
        What::GameBegan(game) => Some(game.game),
        _ => None,
    });
    assert_eq!(first.count(), 2, "no game began twice");
    assert_eq!(moved(), 2 * 161, "{before} moves stood before the kill");
    assert!(place.games().iter().all(|game| game.termination.kind == "mated"));
}

/// Three pairs of games, two at once, of which each takes a second or more.
fn slow() -> serde_json::Value {
    let engine = || fake(&["--think", "5"]);
    let fields = json!({ "concurrency": 2, "format": { "type": "pairs", "pairs": 2 } });
    with(pair(engine(), engine(), "60"), fields)
}

fn started(place: &Place) -> Child {
    let child = place.start(&slow());
    let began = || place.events().iter().filter(|e| matches!(e.what, What::GameBegan(_))).count();
    assert!(wait_until(SOON, || began() == 2));
    child
}

#[test]
fn one_interrupt_finishes_the_running_games() {
    let place = Place::new("drained");
    let child = started(&place);
    // A second runner is refused meanwhile.
    place.resume().expect(1).expect_error(&["another runner"]);
    send(child.id(), Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(place.games().len(), 2, "the running games and no other");
    place.expect_nobody("after an interrupt");
    place.resume().expect(0);
    assert_eq!(place.games().len(), 4);
}

#[test]
fn two_interrupts_stop_at_once() {
    let place = Place::new("stopped");
    let child = started(&place);
    send(child.id(), Signal::INT);
    // Two signals that come together may be seen as one: the second is sent until the run ends.
    let began = Instant::now();
    let mut child = child;
    let ended = wait_until(SOON, || {
        let ended = child.try_wait().unwrap().is_some();
        if !ended && began.elapsed() > Duration::from_millis(100) {
            send(child.id(), Signal::INT);
            std::thread::sleep(Duration::from_millis(20));
        }
        ended
    });
    assert!(ended);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(place.games().is_empty(), "games take far longer than this");
    place.expect_nobody("after two interrupts");
}

/// Whoever stops the runner (Ctrl-Z, a frozen container) stops all clocks: no side pays for it.
#[test]
fn a_stopped_runner_costs_no_side_its_time() {
    const STOP: Duration = Duration::from_secs(3);
    let engine = |seed| fake(&["--random", seed, "--think", "40"]);
    let place = Place::new("runner-stopped");
    let config = with(
        pair(engine("1"), engine("2"), "2"),
        json!({ "journal": "move", "rules": { "max_plies": 40 }, "concurrency": 2 }),
    );
    let began = Instant::now();
    let child = place.start(&config);
    let moves = || place.events().iter().filter(|event| matches!(event.what, What::Moved(_))).count();
    assert!(wait_until(SOON, || moves() > 12), "nobody moves");
    send(child.id(), Signal::STOP);
    std::thread::sleep(STOP);
    send(child.id(), Signal::CONT);
    let said = Said::from(child.wait_with_output().unwrap());
    said.expect(0);
    let took = began.elapsed();
    for game in place.games() {
        assert_ne!(game.termination.kind, "flag", "{game:?}");
        // Each side had two seconds, less than the stop alone.
        assert!(game.used_us.iter().all(|used| *used < 2_000_000), "{game:?}");
    }
    let events = place.events();
    // A busy machine may hold it up once more.
    let stood = events.iter().filter_map(|event| match &event.what {
        What::Noted(note) if note.kind == "runner_stopped" => {
            note.text.split(' ').find_map(|word| word.parse::<u64>().ok())
        }
        _ => None,
    });
    let stood: u64 = stood.sum();
    assert!((2700..8000).contains(&stood), "{stood} ms are noted");
    let run = Duration::from_micros(events.last().unwrap().at.0);
    assert!(run + STOP - Duration::from_millis(300) < took, "{run:?} of {took:?}");
    place.expect_nobody("after the end");
}
