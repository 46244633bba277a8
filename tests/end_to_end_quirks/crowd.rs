//! Hostile engines against each other, all in one run, several games at once: every game has a reason that fits
//! its loser, whoever sits opposite. Start at [`everybody_against_everybody`].

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::world::{Place, fake};

/// Name, switches, clock, and the only fault by which it may lose (none: it never may).
type Guest = (&'static str, &'static [&'static str], &'static str, &'static str);

const GUESTS: &[Guest] = &[
    ("plain", &[], "60", ""),
    ("floods", &["--flood", "300", "--stderr-flood", "3000"], "60", ""),
    ("twice", &["--twice"], "60", ""),
    ("dressed", &["--crlf", "--bom", "--gbk", "--banner", "--odd-options"], "60", ""),
    ("elsewhere", &["--words-elsewhere", "--odd-info", "--claims", "--echo"], "60", ""),
    ("endless", &["--endless-line", "1", "--half-line"], "60", ""),
    ("deaf", &["--ignore-quit", "--ignore-eof", "--ignore-signals", "--fork-grandchild"], "60", ""),
    ("dies-at-quit", &["--crash-at-quit", "--fork-runaway"], "60", ""),
    ("errors", &["--stderr-for-ever"], "60", ""),
    ("no-network", &["--no-network"], "60", "crashed"),
    ("dies-after", &["--exit-after-answer"], "60", "crashed"),
    ("dies-late", &["--crash-at-ply", "12", "--exit-at-ply", "13", "--flood", "100"], "60", "crashed"),
    ("closes", &["--closes-output"], "60", "crashed"),
    ("no-game", &["--exit-at-new-game"], "60", "crashed"),
    ("silent", &["--hang-at-ply", "8", "--hang-at-ply", "9"], "0.2", "flag"),
    ("unflushed", &["--unflushed"], "0.2", "flag"),
    ("cheats", &["--illegal-at-ply", "6", "--illegal-at-ply", "7"], "60", "illegal_move"),
    ("nothing", &["--null-move", "--info-after"], "60", "illegal_move"),
];

#[test]
fn everybody_against_everybody() {
    let place = Place::new("crowd");
    let entrants: Vec<Value> = GUESTS
        .iter()
        .enumerate()
        .map(|(number, (name, switches, time, _))| {
            let seed = number.to_string();
            let switches = [&["--random", seed.as_str()], *switches].concat();
            json!({ "name": name, "engine": fake(&switches), "time": time })
        })
        .collect();
    let config = json!({
        "event": "Crowd", "entrants": entrants, "format": { "type": "round-robin", "cycles": 1 },
        "concurrency": 4, "rules": { "max_plies": 20 },
    });
    let said = place.run_with(&config, &["--quiet"]);
    said.expect(0);
    assert_eq!(place.alive(), Vec::<u32>::new(), "nobody is left when the runner has ended");
    let games = place.games();
    assert_eq!(games.len(), GUESTS.len() * (GUESTS.len() - 1) / 2);
    let fault_of = |who: &str| GUESTS.iter().find(|(name, ..)| *name == who).unwrap().3;
    let mut faults: BTreeMap<&str, u32> = BTreeMap::new();
    for game in &games {
        let kind = game.termination.kind.as_str();
        let (loser, other) = match game.termination.loser.as_deref() {
            Some("red") => (&game.red, &game.black),
            _ => (&game.black, &game.red),
        };
        if matches!(kind, "crashed" | "stalled" | "flag" | "illegal_move") {
            assert_eq!(kind, fault_of(loser), "{loser} against {other}: {:?}", game.termination);
            *faults.entry(fault_of(loser)).or_insert(0) += 1;
        } else {
            // Who must fail has failed, unless the other one did so first.
            assert_eq!((fault_of(loser), fault_of(other)), ("", ""), "{:?}", game.termination);
        }
    }
    // Only games between two sound guests end otherwise.
    let sound = GUESTS.iter().filter(|(.., fault)| fault.is_empty()).count();
    assert_eq!(faults.values().sum::<u32>() as usize, games.len() - sound * (sound - 1) / 2, "{faults:?}");
    println!("{} games, faults: {faults:?}", games.len());
}
