//! Events under a regulation from outside: programs that change during play, protests and corrections,
//! play-offs without end, the promise of a seed, and `chuhe verify`, which must name every file of a folder
//! in which a byte was changed. Start at [`a_protest_from_the_mistake_to_the_last_table`].

#[path = "end_to_end/world.rs"]
#[expect(dead_code, reason = "the other end-to-end tests use the rest")]
mod world;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chuhe::record::{Decision, Ordered, What};
use rustix::process::Signal;
use serde_json::{Value, json};
use world::{CHUHE, Place, Said, send, wait_until, with};

/// Longest time a moment in a run is waited for.
const SOON: Duration = Duration::from_secs(40);

/// An entrant whose program is a file of its own: a script that starts the built-in engine.
fn entrant(place: &Place, name: &str, level: u32) -> Value {
    let script = place.script(&format!("{name}.sh"), &format!("# {name}\nexec {CHUHE} sparring"));
    json!({
        "name": name,
        "engine": { "command": script.to_string_lossy(), "protocol": "ucci" },
        "options": { "Level": level, "Seed": level },
        "registration": { "own_work": true },
    })
}

/// The settings that the articles leave open, as the presets have them.
fn event(regulation: &str, entrants: Vec<Value>, time: &str, format: Value) -> Value {
    json!({
        "event": "From outside",
        "regulation": regulation,
        "seed": 2006,
        "entrants": entrants,
        "time": time,
        "format": format,
        "tie_break": [],
        "rules": { "book": "asian-2006", "occurrences": 4, "dead_position": true, "no_capture": false },
        "crash": "restart",
        "journal": "move",
        "time_scale": 0.0001,
    })
}

fn championship(place: &Place) -> Value {
    let entrants = ["A", "B", "C"].map(|name| entrant(place, name, 1 + u32::from(name.as_bytes()[0] - b'A')));
    let format = json!({ "type": "championship", "groups": 1, "qualify_per_group": 2, "max_bouts": 2 });
    event("championship", entrants.into(), "30m", format)
}

fn match_of_four(place: &Place) -> Value {
    let entrants = ["A", "B", "C", "D"].map(|name| entrant(place, name, 2));
    event("man-machine", entrants.into(), "45m", json!({ "type": "boards", "games": 2 }))
}

/// A command on the run folder.
fn on_folder(place: &Place, command: &str, more: &[&str]) -> Said {
    let out = place.out();
    let out = out.to_string_lossy();
    let mut words = vec![command, &out];
    words.extend(more);
    place.chuhe(&words)
}

fn verify(place: &Place) -> Said {
    on_folder(place, "verify", &[])
}

/// All files of a folder, the deepest ones too.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The locked copy of an entrant's script.
fn copy_of(place: &Place, name: &str) -> PathBuf {
    let wanted = format!("{name}.sh");
    let all = files(&place.out().join("lock"));
    all.into_iter().find(|file| file.file_name().unwrap().to_string_lossy() == wanted).unwrap()
}

/// Somebody changes the program of an entrant although nobody may.
fn tamper(place: &Place, name: &str) {
    let copy = copy_of(place, name);
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    let text = fs::read_to_string(&copy).unwrap();
    fs::write(&copy, format!("{text}# improved\n")).unwrap();
}

/// Plays until the first game is over, changes C's program, and lets the run go on.
fn play_with_a_change(place: &Place, config: &Value) -> Said {
    let child = place.start(config);
    assert!(wait_until(SOON, || !place.games().is_empty()), "no game ended");
    tamper(place, "C");
    Said::from(child.wait_with_output().unwrap())
}

#[test]
fn a_changed_program_forfeits_its_games() {
    let place = Place::new("forfeit");
    let config = with(championship(&place), json!({ "lock": "forfeit" }));
    let said = play_with_a_change(&place, &config);
    to_the_end(&place, said).expect(0);
    let games = place.games();
    let lost: Vec<_> = games.iter().filter(|game| game.termination.kind == "forfeited").collect();
    assert!(!lost.is_empty(), "{games:?}");
    for game in &lost {
        let loser = if game.result.as_deref() == Some("0-1") { &game.red } else { &game.black };
        let end = &game.termination;
        assert_eq!((loser.as_str(), game.moves.as_str()), ("C", ""), "{end:?}");
        assert!(end.detail.as_ref().unwrap().contains("C.sh has changed"), "{end:?}");
    }
    // From the first forfeit on nothing of C was played.
    let first = games.iter().position(|game| game.termination.kind == "forfeited").unwrap();
    let later = games[first..].iter().filter(|game| game.red == "C" || game.black == "C");
    assert!(later.into_iter().all(|game| game.termination.kind == "forfeited"));
    assert!(place.read("crosstable.txt").contains("forfeit"), "{}", place.read("crosstable.txt"));
    verify(&place).expect(0);
    place.expect_nobody("after the event");
}

/// In the middle of a game nobody looks at a program but when it is started again: what is not what was locked
/// is not started (I.10), and the flag decides, as of any engine that does not come back.
#[test]
fn a_program_that_changed_during_its_game_is_not_started_again() {
    let place = Place::new("restart");
    let words = |ply: u32| format!("exec {CHUHE} fake-engine --think 20 --exit-at-ply {ply}");
    let mut entrants = ["A", "C"].map(|name| entrant(&place, name, 1));
    place.script("C.sh", &format!("# C\n{}", words(40)));
    place.script("A.sh", &format!("# A\n{}", words(400)));
    for entrant in &mut entrants {
        entrant.as_object_mut().unwrap().remove("options");
    }
    let format = json!({ "type": "championship", "groups": 1, "qualify_per_group": 2, "max_bouts": 1 });
    let mut config = event("championship", entrants.into(), "30m", format);
    config["time_scale"] = json!(0.002);
    let child = place.start(&config);
    let journal = place.out().join("journal.jsonl");
    let moves = || {
        fs::read_to_string(&journal)
            .unwrap_or_default()
            .lines()
            .filter(|line| line.contains("\"moved\""))
            .count()
    };
    assert!(wait_until(SOON, || moves() > 10), "no game began");
    tamper(&place, "C");
    Said::from(child.wait_with_output().unwrap()).expect(6);
    let games = place.games();
    let first = &games[0];
    let loser = if first.result.as_deref() == Some("0-1") { &first.red } else { &first.black };
    assert_eq!((first.termination.kind.as_str(), loser.as_str()), ("flag", "C"), "{:?}", first.termination);
    let journal = place.read("journal.jsonl");
    let said = |text: &str| journal.lines().any(|line| line.contains("\"gone\"") && line.contains(text));
    assert!(said("C.sh has changed; not started again, the flag decides"), "{journal}");
    assert_eq!(games[1].termination.kind, "held", "{games:?}");
    place.expect_nobody("after the event");
}

#[test]
fn a_changed_program_is_held_until_the_chief_referee_has_spoken() {
    for word in ["release", "rule"] {
        let place = Place::new(&format!("hold-{word}"));
        play_with_a_change(&place, &championship(&place)).expect(6);
        let held = place.games().into_iter().filter(|game| game.termination.kind == "held");
        let held: Vec<String> = held.map(|game| game.game.to_string()).collect();
        assert!(!held.is_empty());
        assert!(place.read("crosstable.txt").contains("Held for the chief referee"));
        // Without a word nothing goes on.
        place.resume().expect(6);
        if word == "release" {
            on_folder(&place, "release", &["--entrant", "C", "--reason", "a comment only"]).expect(0);
        } else {
            for game in &held {
                let words = ["--game", game, "--result", "1/2-1/2", "--reason", "changed program"];
                on_folder(&place, "rule", &words).expect(0);
            }
        }
        let said = to_the_end(&place, place.resume());
        said.expect(0);
        verify(&place).expect(0);
        let table = place.read("crosstable.txt");
        assert!(table.contains("Decisions of the chief referee"), "{table}");
        assert!(!table.contains("Held for the chief referee"), "{table}");
    }
}

/// What is held once more is decided until the event is over: later games of a changed program, and equals
/// whose rapid games were level to the end.
fn to_the_end(place: &Place, mut said: Said) -> Said {
    for _ in 0..20 {
        if said.code != Some(6) {
            return said;
        }
        let ruled = decisions(place);
        let is_ruled = |id: &String| {
            ruled.iter().any(|one| match &one.ordered {
                Ordered::Result { game, .. } | Ordered::Replay { game, .. } => game.to_string() == *id,
                _ => false,
            })
        };
        let held = place.games().into_iter().filter(|game| game.termination.kind == "held");
        let open: Vec<String> = held.map(|game| game.game.to_string()).filter(|id| !is_ruled(id)).collect();
        for game in &open {
            on_folder(place, "rule", &["--game", game, "--result", "0-1", "--reason", "changed"]).expect(0);
        }
        if open.is_empty() {
            // The error names who is level.
            let asked = on_folder(place, "release", &["--order", "A", "--reason", "lot"]);
            let names = asked.stderr.split("(held: ").nth(1).and_then(|rest| rest.split([')', ';']).next());
            let order = names.expect("nothing is held").replace(", ", ",");
            on_folder(place, "release", &["--order", &order, "--reason", "lot"]).expect(0);
        }
        said = place.resume();
    }
    panic!("it is held for ever: {said:?}");
}

fn decisions(place: &Place) -> Vec<Decision> {
    let decided = |what| match what {
        What::Decided(decision) => Some(*decision),
        _ => None,
    };
    place.events().into_iter().filter_map(|event| decided(event.what)).collect()
}

/// The power fails in the middle of a game; that game is corrected, others annulled, replayed,
/// overruled and taken back after their end; then a byte of each file is changed.
#[test]
fn a_protest_from_the_mistake_to_the_last_table() {
    let place = Place::new("protest");
    let child = place.start(&with(match_of_four(&place), json!({ "time_scale": 0.0005 })));
    let moves = || -> Vec<String> {
        let moved = |what| match what {
            What::Moved(made) if made.game.to_string() == "1.1.1.1" => Some(made.mv),
            _ => None,
        };
        place.events().into_iter().filter_map(|event| moved(event.what)).collect()
    };
    assert!(wait_until(SOON, || moves().len() >= 12), "nobody moves");
    send(child.id(), Signal::KILL);
    child.wait_with_output().unwrap();
    assert!(place.games().is_empty(), "the game was to be broken off");
    // I.12: a slip in the game that is being played.
    let struck = moves()[9..].join(" ");
    let words = ["--game", "1.1.1.1", "--to-move", "9", "--clocks", "4s,3s", "--reason", "wrong key"];
    on_folder(&place, "correct", &words).expect(0);
    on_folder(&place, "correct", &["--game", "1.1.1.1", "--to-move", "99", "--reason", "x"])
        .expect(1)
        .expect_error(&["cannot go back to 99"]);
    let Ordered::Corrected { struck: gone, clocks_us, .. } = &decisions(&place)[0].ordered else {
        panic!("another decision")
    };
    assert_eq!(
        (gone, clocks_us, &decisions(&place)[0].article),
        (&struck, &[4_000_000, 3_000_000], &"III.9".to_owned())
    );
    place.resume().expect(0);
    verify(&place).expect(0);

    // After the end: one overruled, one played again, one taken back to where the mistake was made.
    on_folder(&place, "rule", &["--game", "1.1.1.2", "--result", "1/2-1/2", "--reason", "protest"]).expect(0);
    on_folder(&place, "replay", &["--game", "1.1.2.1", "--reason", "the lights went out"]).expect(0);
    let words = ["--game", "1.1.2.2", "--to-move", "8", "--reason", "an operator's slip"];
    on_folder(&place, "correct", &words).expect(0);
    place.resume().expect(0);
    let games = place.games();
    let of = |id: &str| games.iter().find(|game| game.game.to_string() == id).unwrap();
    let (old, new) = (of("1.1.2.2"), of("1.1.2.2+2"));
    let first = |moves: &str| moves.split(' ').take(8).collect::<Vec<_>>().join(" ");
    assert_eq!((first(&old.moves), &old.used_us[..8]), (first(&new.moves), &new.used_us[..8]));
    assert!(games.iter().any(|game| game.game.to_string() == "1.1.2.1+2"));
    let said = verify(&place);
    assert!(said.expect(0).stdout.contains("6 games"), "{}", said.stdout);
    let (table, zh) = (place.read("crosstable.txt"), place.read("crosstable.zh.txt"));
    for word in
        ["goes back to half-move 9", "goes on from half-move 8 as 1.1.2.2+2", "-> 1/2-1/2", "as 1.1.2.1+2"]
    {
        assert!(table.contains(word), "'{word}' is not in {table}");
    }
    assert!(zh.contains("自第 8 个半回合续赛") && zh.contains("退回第 9 个半回合"), "{zh}");
    change_a_byte_of_every_file(&place);
}

fn change_a_byte_of_every_file(place: &Place) {
    let all = files(&place.out());
    assert!(all.len() > 20, "{all:?}");
    for file in all {
        let name = file.strip_prefix(place.out()).unwrap().to_string_lossy().into_owned();
        let before = fs::read(&file).unwrap();
        let mut after = before.clone();
        match after.len() {
            0 => after.push(b'x'),
            length => after[length / 2] ^= 1,
        }
        let mode = fs::metadata(&file).unwrap().permissions();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(&file, &after).unwrap();
        let said = verify(place);
        assert_eq!(said.code, Some(7), "{name}: {said:?}");
        let named = said.stdout.lines().any(|line| line.starts_with("wrong: ") && line.contains(&name));
        assert!(named, "{name} is not named: {}", said.stdout);
        fs::write(&file, &before).unwrap();
        fs::set_permissions(&file, mode).unwrap();
    }
    verify(place).expect(0);
}

#[test]
fn a_play_off_without_end_is_held_and_the_word_of_the_chief_referee_ends_it() {
    let place = Place::new("endless");
    let preset = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/2006-play-off-held.json");
    let (preset, out) = (preset.to_string_lossy(), place.out());
    place.chuhe(&["run", &preset, "--out", &out.to_string_lossy(), "--quiet"]).expect(6);
    let rapid = place.games().iter().filter(|game| game.game.stage == 4).count();
    assert_eq!((place.games().len(), rapid), (2 + 2 + 6, 6), "three bouts");
    assert!(place.games().iter().all(|game| game.result.as_deref() == Some("1/2-1/2")));
    let table = place.read("crosstable.txt");
    assert!(table.contains("level after all play-offs that the guard allows"), "{table}");
    assert!(
        place
            .events()
            .iter()
            .any(|event| matches!(&event.what, What::Noted(note) if note.kind == "identical_game"))
    );
    place.resume().expect(6);
    on_folder(&place, "release", &["--order", "To and Fro", "--reason", "x"]).expect(1);
    let words = ["--order", "To and Fro,Fro and To", "--reason", "by lot, both agree"];
    on_folder(&place, "release", &words).expect(0);
    place.resume().expect(0);
    let table = place.read("crosstable.txt");
    assert!(table.contains("To and Fro > Fro and To") && table.contains("complete"), "{table}");
    verify(&place).expect(0);
}

#[test]
fn the_seed_of_the_lots_is_promised_before_and_checked_after() {
    let place = Place::new("lots");
    let fresh = [0, 1].map(|_| place.chuhe(&["lots"]).expect(0).stdout.clone());
    let value = |text: &str, word: &str| {
        let line = text.lines().find(|line| line.starts_with(word)).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    let (seed, commitment) = (value(&fresh[0], "seed"), value(&fresh[0], "commitment"));
    assert_ne!(seed, value(&fresh[1], "seed"), "the same seed twice");
    assert_eq!(place.chuhe(&["lots", &seed]).expect(0).stdout.trim(), commitment);
    place.chuhe(&["lots", "2006"]).expect(0).expect_error(&["soon found"]);
    let entrants = ["A", "B"].map(|name| {
        let engine = json!({ "command": CHUHE, "args": ["fake-engine", "--shuffle"], "protocol": "ucci" });
        json!({ "name": name, "engine": engine })
    });
    let format = json!({
        "type": "championship", "groups": 1, "qualify_per_group": 2, "max_bouts": 1, "commitment": commitment,
    });
    let config = event("championship", entrants.into(), "30m", format);
    place
        .run(&config)
        .expect(1)
        .expect_error(&["format.commitment", "is not the commitment to the seed 2006"]);
    let number: u64 = seed.parse().unwrap();
    place.run(&with(config, json!({ "seed": number }))).expect(6);
    verify(&place).expect(0);
    on_folder(&place, "verify", &["--commitment", &commitment]).expect(0);
    let other = value(&fresh[1], "commitment");
    let said = on_folder(&place, "verify", &["--commitment", &other]);
    assert!(said.expect(7).stdout.contains("was not promised"), "{}", said.stdout);
    assert!(place.read("crosstable.txt").contains("promised before by its commitment"));
}

#[test]
fn a_trace_of_teams_is_refused() {
    let place = Place::new("team-trace");
    let preset = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/2006-net-meeting.json");
    let (trace, out) = (place.path("trace"), place.out());
    let words = [
        "run",
        &preset.to_string_lossy(),
        "--trace",
        &trace.to_string_lossy(),
        "--out",
        &out.to_string_lossy(),
    ];
    place.chuhe(&words).expect(1).expect_error(&["--trace", "is a team"]);
    assert!(!out.exists() && !trace.exists(), "something was begun");
}

/// The order of a team's seats begins anew in the second game, or runs on, as the setting says (IV.4); the
/// record shows every seat (IV.11).
#[test]
fn seats_begin_anew_or_run_on() {
    for (rotation, second) in [("restart", 1), ("continue", 3)] {
        let place = Place::new(rotation);
        let engine = json!({ "command": CHUHE, "args": ["fake-engine", "--shuffle"], "protocol": "ucci" });
        let member = || json!({ "engine": engine });
        let team = json!({ "name": "Team", "engine": engine, "team": [member(), member(), member()] });
        let entrants = vec![team, json!({ "name": "Machine", "engine": engine })];
        let format = json!({ "type": "boards", "games": 2 });
        let config = event("net-meeting", entrants, "50m", format);
        place.run(&with(config, json!({ "rotation": rotation }))).expect(0);
        let games = place.games();
        let seats: Vec<Vec<u8>> = games
            .iter()
            .map(|game| game.members.iter().copied().filter(|member| *member > 0).collect())
            .collect();
        // Each side moves six times until the position stands for the fourth time.
        assert_eq!((seats.len(), &seats[0]), (2, &vec![1, 2, 3, 4, 1, 2]));
        assert_eq!(seats[1][0], second, "{rotation}: {seats:?}");
        assert!(place.read("games.pgn").contains("member 3}"));
        verify(&place).expect(0);
    }
}

/// A device in the place of a record is no record, and nobody reads it for ever.
#[test]
fn verify_reads_no_more_than_tells() {
    let place = Place::new("endless");
    place.run(&with(match_of_four(&place), json!({ "rules": { "max_plies": 10 } }))).expect(0);
    verify(&place).expect(0);
    for name in ["games.pgn", "crosstable.txt", "transcripts/1-1.txt", "event-manifest.json"] {
        let (path, kept) = (place.out().join(name), place.path("kept"));
        fs::rename(&path, &kept).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let said = verify(&place);
        let folder = name.split('/').next().unwrap();
        assert!(said.expect(7).stdout.contains(folder), "{name}: {}", said.stdout);
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
    }
    verify(&place).expect(0);
}
