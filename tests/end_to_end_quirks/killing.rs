//! Real engines that are killed and stopped at any moment: every game has the reason that fits what was done
//! to its loser, and nothing else suffers. Ten games in the suite; `CHUHE_KILL_GAMES=100` plays a hundred.
//! Start at [`engines_are_killed_and_stopped_in_every_state`].

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support;
use crate::world::{Place, Said, with};

/// Engines and their manifests.
const ENGINES: [(&str, &str); 4] = [
    ("/usr/games/fairy-stockfish", "fairy-stockfish-uci"),
    ("/usr/games/sjaakii", "sjaakii-ucci"),
    ("/usr/games/hoixiangqi", "hoixiangqi"),
    ("/usr/games/maxqi", "maxqi"),
];

/// The variable by which an engine's process is known for its entrant.
const WHO: &str = "CHUHE_TEST_ENTRANT";

/// Time between two deeds.
const EVERY: Duration = Duration::from_millis(350);

/// Longest time for a game, all in all.
const GAME_LIMIT: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Kill,
    Stop,
    Pause,
}

/// Processes of engines, with their entrants.
fn engines(place: &Place) -> Vec<(u32, String)> {
    let entrant = |id: &u32| {
        let environment = fs::read(format!("/proc/{id}/environ")).ok()?;
        let text = String::from_utf8_lossy(&environment).into_owned();
        text.split('\0').find_map(|variable| variable.strip_prefix(WHO)?.strip_prefix('=').map(str::to_owned))
    };
    place.alive().into_iter().filter_map(|id| Some((id, entrant(&id)?))).collect()
}

fn signal(id: u32, signal: Signal) -> bool {
    Pid::from_raw(i32::try_from(id).unwrap()).is_some_and(|id| kill_process(id, signal).is_ok())
}

/// The same numbers every time; the moments are the machine's.
fn chance(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap()
}

fn config(games: usize, found: &[&str]) -> Value {
    let entrants: Vec<Value> = found
        .iter()
        .map(|manifest| {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("engines/{manifest}.json"));
            let engine: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            let engine = with(engine, json!({ "env": { WHO: manifest }, "start_patience": "5s" }));
            json!({ "name": manifest, "engine": engine })
        })
        .collect();
    let pairs = found.len() * (found.len() - 1) / 2;
    json!({
        "event": "Killed and stopped", "entrants": entrants, "time": "1+0.02", "margin": "3s", "patience": "3s",
        "format": { "type": "round-robin", "cycles": games.div_ceil(pairs) },
        "concurrency": 3, "rules": { "max_plies": 40 },
    })
}

/// Does something to an engine every now and then until the run ends; what was done to whom.
fn harass(place: &Place, child: &mut std::process::Child, games: usize) -> BTreeMap<(String, Deed), u32> {
    let mut done = BTreeMap::new();
    let mut state = 2006;
    let mut paused: Vec<(u32, Instant)> = Vec::new();
    let (began, mut last) = (Instant::now(), Instant::now());
    let deeds = [Deed::Kill, Deed::Stop, Deed::Pause, Deed::Pause];
    while child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < GAME_LIMIT * u32::try_from(games).unwrap(), "the run does not end");
        paused.retain(|(id, until)| {
            let over = Instant::now() >= *until;
            let _ = over && signal(*id, Signal::CONT);
            !over
        });
        std::thread::sleep(Duration::from_millis(10));
        // Everybody has checked in when the first game begins, and the table needs one to begin with.
        if last.elapsed() < EVERY || place.games().is_empty() {
            continue;
        }
        last = Instant::now();
        let alive = engines(place);
        let Some((id, entrant)) = alive.get(chance(&mut state) % alive.len().max(1)) else { continue };
        let deed = deeds[chance(&mut state) % deeds.len()];
        let sent = signal(*id, if deed == Deed::Kill { Signal::KILL } else { Signal::STOP });
        if deed == Deed::Pause {
            paused.push((*id, Instant::now() + Duration::from_millis(50 + chance(&mut state) as u64 % 200)));
        }
        if sent {
            *done.entry((entrant.clone(), deed)).or_insert(0) += 1;
        }
    }
    done
}

#[test]
fn engines_are_killed_and_stopped_in_every_state() {
    let found: Vec<&str> = ENGINES
        .iter()
        .filter(|(program, _)| support::engine(program).is_some())
        .map(|(_, manifest)| *manifest)
        .collect();
    if found.len() < 2 {
        return;
    }
    let games = std::env::var("CHUHE_KILL_GAMES").ok().and_then(|number| number.parse().ok()).unwrap_or(10);
    let place = Place::new("killing");
    let config = config(games, &found);
    let mut child = place.start(&config);
    let done = harass(&place, &mut child, games);
    Said::from(child.wait_with_output().unwrap()).expect(0);
    place.expect_nobody("after kills and stops");

    let played = place.games();
    let pairs = found.len() * (found.len() - 1) / 2;
    assert_eq!(played.len(), games.div_ceil(pairs) * pairs, "every game has its end");
    let count =
        |deed: Deed| done.iter().filter(|((_, one), _)| *one == deed).map(|(_, times)| *times).sum::<u32>();
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    for game in &played {
        let end = &game.termination;
        let who = match end.loser.as_deref() {
            Some("red") => &game.red,
            _ => &game.black,
        };
        let suffered = |deeds: &[Deed]| deeds.iter().any(|deed| done.contains_key(&(who.clone(), *deed)));
        let detail = end.detail.as_deref().unwrap_or("");
        // A pause is short of every patience, so it never decides a game.
        let fits = match end.kind.as_str() {
            "crashed" if detail == "signal 9" => suffered(&[Deed::Kill]),
            "crashed" => detail.contains("no sign of") && suffered(&[Deed::Stop]),
            "flag" | "stalled" => suffered(&[Deed::Stop]),
            kind => !matches!(kind, "illegal_move" | "forfeited" | "abandoned" | "held"),
        };
        assert!(fits, "{who}: {end:?} after {done:?}");
        *ends.entry(format!("{} {detail}", end.kind).trim_end().to_owned()).or_insert(0) += 1;
    }
    let of = |kinds: &[&str]| {
        let is = |game: &&chuhe::record::GameOver| kinds.contains(&game.termination.kind.as_str());
        u32::try_from(played.iter().filter(is).count()).unwrap()
    };
    let (kills, stops, pauses) = (count(Deed::Kill), count(Deed::Stop), count(Deed::Pause));
    println!("{} games; {kills} killed, {stops} stopped, {pauses} paused: {ends:#?}", played.len());
    // One engine is one game's loss at most.
    let faults = of(&["crashed", "flag", "stalled"]);
    assert!(faults <= kills + stops, "{faults} faults of {kills} kills and {stops} stops");
    assert!(kills + stops + pauses > 0);
}
