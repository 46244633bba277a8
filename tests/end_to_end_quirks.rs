//! Engines that misbehave in every known way, against the built program: what the journal says of each,
//! how soon, that nobody else notices, and that nothing of them is left. Draws up `QUIRKS.md` from the
//! same tables. Start at [`every_quirk_has_its_verdict`].

#[path = "end_to_end_quirks/complaints.rs"]
mod complaints;
#[path = "end_to_end_quirks/crowd.rs"]
mod crowd;
#[path = "end_to_end_quirks/document.rs"]
mod document;
#[path = "end_to_end_quirks/killing.rs"]
mod killing;
#[path = "end_to_end_quirks/processes.rs"]
mod processes;
#[path = "end_to_end_quirks/signals.rs"]
mod signals;
mod support;
#[path = "end_to_end_quirks/table.rs"]
mod table;
#[path = "end_to_end/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chuhe::record::{GameOver, What};
use serde_json::{Value, json};
use table::{Held, ROWS, Row, Verdict};
use world::{Place, fake, with};

/// Rows that are played at the same time.
const AT_ONCE: usize = 6;

/// A crash must be seen so soon after the exit. The engine exits when it has read its `go`; on a busy
/// machine it may itself come late to that, so the sooner one of two games counts.
const CRASH_SEEN: Duration = Duration::from_millis(100);

/// A hanging engine must be judged so soon after its time.
const HANG_SEEN: Duration = Duration::from_secs(1);

/// Whatever an engine says, the journal of four short games stays so small beside its config.
const MOST_JOURNAL: u64 = 100_000;

/// So large its transcripts become at most: 320 KiB for each of 24 moves and some greetings.
const MOST_TRANSCRIPTS: u64 = 12_000_000;

/// A run of two boards: A, who has the quirk, against B; and C against D, who must not notice.
fn config(engine: Value, row: &Row) -> Value {
    let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let sparring = |name: &str, seed: u32| json!({ "name": name, "engine": "sparring", "options": { "Level": 2, "Seed": seed } });
    let a = json!({ "name": "A", "engine": with(engine, read(row.manifest)), "time": row.time });
    let config = json!({
        "event": "Quirks",
        "entrants": [a, sparring("B", 1), sparring("C", 2), sparring("D", 3)],
        "time": "nodes=40",
        "format": { "type": "boards", "games": 2 },
        "concurrency": 2,
        "rules": { "max_plies": 24 },
    });
    with(config, read(row.fields))
}

fn engine(row: &Row, place: &Place) -> Option<Value> {
    match row.held {
        Held::Played(protocol, switches) => {
            let switches: Vec<&str> = ["--random", "7"].iter().chain(switches).copied().collect();
            Some(with(fake(&switches), json!({ "protocol": protocol })))
        }
        Held::Made(make) => Some(make(place)),
        Held::Elsewhere(_) => None,
    }
}

/// Red, Black, moves and kind of each game of these entrants.
fn games_of(place: &Place, first: &str) -> Vec<GameOver> {
    let mut games = place.games();
    games.retain(|game| game.red == first || game.black == first);
    games.sort_by_key(|game| game.game);
    games
}

fn told(games: &[GameOver]) -> Vec<String> {
    let told =
        |game: &GameOver| format!("{} {} {} {}", game.red, game.black, game.termination.kind, game.moves);
    games.iter().map(told).collect()
}

/// What the games of A and of C come to where nobody has a quirk.
struct Usual {
    a: Vec<String>,
    c: Vec<String>,
}

/// Microseconds from the last `go` that A was sent to the recorded end of each of its games.
fn delays(place: &Place) -> Vec<Duration> {
    let goes: Vec<u64> = place
        .transcript(1)
        .lines()
        .filter(|line| [" > go", " > usermove"].iter().any(|word| line.contains(word)))
        .filter_map(|line| line.split(' ').next()?.parse().ok())
        .collect();
    let ends = place
        .events()
        .into_iter()
        .filter(|event| matches!(&event.what, What::GameOver(game) if game.red == "A" || game.black == "A"));
    ends.filter_map(|event| {
        let last = goes.iter().filter(|go| **go <= event.at.0).max()?;
        Some(Duration::from_micros(event.at.0 - last))
    })
    .collect()
}

/// The kind of a termination and what its detail says.
fn kind_and_words(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Crash(how) => ("crashed", how),
        Verdict::Stall(what) => ("stalled", what),
        Verdict::Time => ("flag", ""),
        Verdict::Illegal(text) => ("illegal_move", text),
        Verdict::Resigned => ("resigned", ""),
        Verdict::Agreed => ("agreed", ""),
        Verdict::None | Verdict::NotStarted(_) => ("", ""),
    }
}

/// Plays a row and compares. What is wrong is given back in words.
fn check(row: &Row, number: usize, usual: &Usual) -> Result<(), String> {
    let place = Place::new(&format!("quirk-{number}"));
    let Some(engine) = engine(row, &place) else { return Ok(()) };
    let said = place.run_with(&config(engine, row), &["--quiet"]);
    if !world::wait_until(Duration::from_secs(1), || place.alive().is_empty()) {
        return Err(format!("still alive: {:?}", place.alive()));
    }
    if let Verdict::NotStarted(words) = row.verdict {
        let missing = words.iter().find(|word| !said.stderr.contains(**word));
        return match (said.code, missing) {
            (Some(2), None) if said.stderr.contains("A would not start") => Ok(()),
            _ => Err(format!("{said:#?}")),
        };
    }
    if said.code != Some(0) {
        return Err(format!("{said:#?}"));
    }
    let size = fs::metadata(place.out().join("journal.jsonl")).map_or(0, |facts| facts.len());
    let config = fs::metadata(place.path("config.json")).map_or(0, |facts| facts.len());
    if size > config + MOST_JOURNAL {
        return Err(format!("a journal of {size} bytes"));
    }
    let transcripts: u64 = fs::read_dir(place.out().join("transcripts"))
        .map_or(0, |files| files.flatten().map(|file| file.metadata().map_or(0, |facts| facts.len())).sum());
    if transcripts > MOST_TRANSCRIPTS {
        return Err(format!("transcripts of {transcripts} bytes"));
    }
    if told(&games_of(&place, "C")) != usual.c {
        return Err(format!("other games differ: {:#?}", told(&games_of(&place, "C"))));
    }
    check_note(row, &place)?;
    check_games(row, &place, usual)
}

/// The journal has the note that is due.
fn check_note(row: &Row, place: &Place) -> Result<(), String> {
    let notes: Vec<String> = place
        .events()
        .into_iter()
        .filter_map(|event| match event.what {
            What::Noted(note) => Some(format!("{}: {}", note.kind, note.text)),
            _ => None,
        })
        .collect();
    if row.note.is_empty() || notes.iter().any(|note| note.starts_with(row.note)) {
        Ok(())
    } else {
        Err(format!("no note '{}' among {notes:#?}", row.note))
    }
}

fn check_games(row: &Row, place: &Place, usual: &Usual) -> Result<(), String> {
    let games = games_of(place, "A");
    if row.verdict == Verdict::None {
        return if told(&games) == usual.a { Ok(()) } else { Err(format!("{:#?}", told(&games))) };
    }
    let (kind, words) = kind_and_words(row.verdict);
    let (pgn, table) = (place.read("games.pgn"), place.read("crosstable.txt"));
    for game in &games {
        let own = if game.red == "A" { "red" } else { "black" };
        let end = &game.termination;
        let fits = end.kind == kind && end.loser.as_deref().is_none_or(|loser| loser == own);
        let detail = end.detail.as_deref().unwrap_or("");
        if !fits || !detail.contains(words) {
            return Err(format!("{end:?} after {}", game.moves));
        }
        // People read the same in the record and below the table.
        if !pgn.contains(words) || (game.termination.kind != "resigned" && !table.contains(words)) {
            return Err(format!("'{words}' is not in the documents: {table}"));
        }
        if let Some([used, allowed]) = end.flag_us {
            let margin: Value = serde_json::from_str(row.fields).unwrap();
            let margin = Duration::from_secs_f64(margin["margin"].as_f64().unwrap_or(0.0));
            if Duration::from_micros(used - allowed) > margin + HANG_SEEN {
                return Err(format!("judged too late: {used} of {allowed} µs"));
            }
        }
    }
    check_delays(row, &delays(place), games.len())
}

/// The verdict came in time.
fn check_delays(row: &Row, delays: &[Duration], games: usize) -> Result<(), String> {
    let (Some(least), Some(most)) = (delays.iter().min(), delays.iter().max()) else { return Ok(()) };
    let patience: Value = serde_json::from_str(row.fields).unwrap();
    let patience = Duration::from_secs_f64(patience["patience"].as_f64().unwrap_or(0.0));
    let in_time = match row.verdict {
        Verdict::Crash(_) | Verdict::Illegal(_) | Verdict::Resigned => {
            *least <= CRASH_SEEN && *most <= HANG_SEEN
        }
        Verdict::Stall(_) => *most <= patience + HANG_SEEN,
        Verdict::Time | Verdict::None | Verdict::Agreed | Verdict::NotStarted(_) => true,
    };
    if in_time && games == 2 { Ok(()) } else { Err(format!("{games} games, judged after {delays:?}")) }
}

/// A row in words, for messages.
fn title(row: &Row) -> String {
    let switches = match row.held {
        Held::Played(protocol, switches) => format!("{protocol} {}", switches.join(" ")),
        Held::Made(_) | Held::Elsewhere(_) => String::new(),
    };
    format!("{} '{}' ({switches})", row.number, row.quirk)
}

fn usual() -> Usual {
    let place = Place::new("usual");
    let row = Row { held: Held::Played("uci", &[]), verdict: Verdict::None, ..ROWS[0] };
    let engine = engine(&row, &place).unwrap();
    place.run_with(&config(engine, &row), &["--quiet"]).expect(0);
    let (a, c) = (told(&games_of(&place, "A")), told(&games_of(&place, "C")));
    assert_eq!((a.len(), c.len()), (2, 2));
    assert!(a.iter().all(|game| game.contains(" max_length ")), "a game of 24 plies: {a:?}");
    Usual { a, c }
}

#[test]
fn every_quirk_has_its_verdict() {
    let usual = usual();
    let next = AtomicUsize::new(0);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let play = || {
            let mut wrong = Vec::new();
            while let Some((number, row)) = Some(next.fetch_add(1, Ordering::Relaxed))
                .and_then(|number| Some((number, ROWS.get(number)?)))
            {
                let began = std::time::Instant::now();
                if let Err(why) = check(row, number, &usual) {
                    wrong.push(format!("{}: {why}", title(row)));
                }
                println!("{:6} ms {}", began.elapsed().as_millis(), title(row));
            }
            wrong
        };
        let threads: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(play)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), ROWS.len(), wrong.join("\n"));
}

#[test]
fn every_number_and_every_switch_has_a_row() {
    let numbers: BTreeSet<u8> = ROWS.iter().map(|row| row.number).collect();
    let all: Vec<u8> = (1..=52).filter(|number| !numbers.contains(number)).collect();
    assert!(all.is_empty(), "no row for {all:?}");
    let place = Place::new("switches");
    let usage = place.chuhe(&["fake-engine", "--nothing"]).stderr;
    let listed: BTreeSet<&str> =
        usage.lines().filter_map(|line| line.trim().split(' ').next()?.strip_prefix("--")).collect();
    let sources =
        [include_str!("end_to_end_quirks/table.rs"), include_str!("end_to_end_quirks/processes.rs")].concat();
    let ours = ["script", "random", "moves", "shuffle", "info", "think", "spin", "elapsed"];
    let untried: Vec<_> = listed
        .iter()
        .filter(|switch| !ours.contains(switch) && !sources.contains(&format!("--{switch}")))
        .collect();
    assert!(listed.len() > 60 && untried.is_empty(), "no row for {untried:?}");
}

/// Whether a test that a row names is there.
fn is_there(test: &str) -> bool {
    let (file, function) = test.split_once("::").unwrap_or((test, ""));
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(path)
        .is_ok_and(|text| function.is_empty() || text.contains(&format!("fn {function}(")))
}
