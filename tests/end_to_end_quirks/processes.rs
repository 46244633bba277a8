//! Processes, descriptors and signals: nothing outlives the runner, however it dies; nothing of the terminal
//! reaches an engine; what the system refuses is told and loses no game. Start at
//! [`a_killed_runner_leaves_no_engine_of_any_kind`].

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use chuhe::record::What;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use serde_json::{Value, json};

use crate::world::{CHUHE, Place, Said, fake, pair, send, wait_until, with};

/// Longest wait for something that surely comes.
const SOON: Duration = Duration::from_secs(20);

fn began(place: &Place) -> usize {
    place.events().iter().filter(|event| matches!(event.what, What::GameBegan(_))).count()
}

/// A run of an entrant for each engine, every two at a time; started, and all its games under way.
fn started(place: &Place, engines: &[Value], fields: Value) -> Child {
    let entrants: Vec<Value> = engines
        .iter()
        .enumerate()
        .map(|(number, engine)| json!({ "name": format!("E{number}"), "engine": engine }))
        .collect();
    let boards = engines.len() / 2;
    let config = json!({
        "event": "Processes", "entrants": entrants, "time": "60",
        "format": { "type": "boards", "games": 2 }, "concurrency": boards,
        "rules": { "max_plies": 60 },
    });
    let child = place.start(&with(config, fields));
    assert!(wait_until(SOON, || began(place) >= boards), "no games: {:?}", place.read("journal.jsonl"));
    child
}

const DEAF: &[&str] = &["--think", "20", "--ignore-eof", "--ignore-quit", "--ignore-signals"];

/// Engines of every kind that tries to live on.
fn survivors(place: &Place) -> Vec<Value> {
    let engine = format!("'{CHUHE}' fake-engine {}", DEAF.join(" "));
    let behind = |name: &str, line: String| {
        let script = place.script(name, &line);
        json!({ "command": script.to_string_lossy(), "protocol": "uci" })
    };
    let deaf = |more: &[&str]| fake(&[DEAF, more].concat());
    vec![
        deaf(&[]),
        deaf(&["--fork-grandchild"]),
        deaf(&["--fork-runaway"]),
        deaf(&["--burns"]),
        behind("plain.sh", format!("{engine}\ntrue")),
        behind("trap.sh", format!("trap '' TERM INT HUP QUIT PIPE\n{engine}\nsleep 1000")),
        behind(
            "background.sh",
            format!("sleep 1000 &\nsleep 1000 >/dev/null 2>&1 </dev/null &\nexec {engine}"),
        ),
        behind(
            "session.sh",
            format!(
                "setsid sh -c 'setsid sleep 1000 & sleep 1000' </dev/null >/dev/null 2>&1 &\nexec {engine}"
            ),
        ),
    ]
}

#[test]
fn a_killed_runner_leaves_no_engine_of_any_kind() {
    let place = Place::new("survivors-killed");
    let mut child = started(&place, &survivors(&place), json!({}));
    assert!(place.alive().len() > 14, "{:?}", place.alive());
    child.kill().unwrap();
    child.wait().unwrap();
    place.expect_nobody("after kill -9");
}

#[test]
fn a_watchdog_that_is_killed_or_stopped_leaves_its_duty_to_the_runner() {
    for signal in [Signal::KILL, Signal::STOP] {
        check_watchdog(signal);
    }
}

fn check_watchdog(signal: Signal) {
    let place = Place::new(&format!("watchdog-{}", signal.as_raw()));
    let engines = [fake(&["--fork-runaway", "--think", "5"]), fake(&["--think", "5"])];
    let child = started(&place, &engines, json!({}));
    let is_watchdog = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).nth(1) == Some(b"__watchdog")
    };
    let watchdog = place.alive().into_iter().find(is_watchdog).unwrap();
    send(watchdog, signal);
    Said::from(child.wait_with_output().unwrap()).expect(0);
    assert_eq!(place.alive(), Vec::<u32>::new());
    assert!(place.games().iter().all(|game| game.termination.kind == "max_length"));
}

#[test]
fn no_engine_of_any_kind_outlives_the_run() {
    let place = Place::new("survivors-interrupted");
    let child = started(&place, &survivors(&place), json!({ "drain": 0.1 }));
    send(child.id(), Signal::TERM);
    let began = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(place.alive(), Vec::<u32>::new(), "nobody is left when the runner has ended");
}

#[test]
fn an_interrupt_of_the_whole_group_kills_no_engine() {
    let place = Place::new("group");
    let engine = || fake(&["--think", "5"]);
    let child = started(&place, &[engine(), engine(), engine(), engine()], json!({}));
    // The runner has a group of its own, as a terminal gives it.
    let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process_group(group, Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let games = place.games();
    assert_eq!(games.len(), 2, "the running games are finished");
    assert!(games.iter().all(|game| game.termination.kind == "max_length"), "{games:#?}");
    place.expect_nobody("after an interrupt of the group");
}

#[test]
fn three_interrupts_leave_at_once() {
    let place = Place::new("thrice");
    let engines: Vec<Value> = (0..4).map(|_| fake(DEAF)).collect();
    let mut child = started(&place, &engines, json!({}));
    let mut sent = 0;
    let began = Instant::now();
    let ended = wait_until(SOON, || {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        // Signals that come together may be seen as one.
        if began.elapsed() > Duration::from_millis(60 * sent) {
            send(child.id(), if sent == 0 { Signal::TERM } else { Signal::INT });
            sent += 1;
        }
        false
    });
    // Engines that take no notice of anything are waited for at the second interrupt, 1.5 s, not at the third.
    assert!(ended && began.elapsed() < Duration::from_millis(1000), "{sent} in {:?}", began.elapsed());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    place.expect_nobody("after three interrupts");
    assert!(place.games().is_empty());
}

#[test]
fn no_ended_process_waits_to_be_reaped() {
    let place = Place::new("zombies");
    let crashes = fake(&["--random", "3", "--exit-at-ply", "6", "--crash-at-ply", "7"]);
    let fields = json!({
        "format": { "type": "pairs", "pairs": 30 }, "reuse": false, "concurrency": 3, "transcripts": false,
    });
    let mut child = place.start(&with(pair(crashes, fake(&["--random", "5"]), "60"), fields));
    let mut seen: BTreeMap<i32, Instant> = BTreeMap::new();
    let (mut longest, mut most) = (Duration::ZERO, 0);
    let ended = wait_until(SOON, || {
        let now = zombies(child.id());
        seen.retain(|id, _| now.contains(id));
        most = most.max(fs::read_dir(format!("/proc/{}/fd", child.id())).map_or(0, Iterator::count));
        for id in now {
            longest = longest.max(seen.entry(id).or_insert_with(Instant::now).elapsed());
        }
        child.try_wait().unwrap().is_some()
    });
    assert!(ended && child.wait().unwrap().code() == Some(0));
    assert_eq!(place.games().len(), 60);
    assert!(longest < Duration::from_millis(500), "a process waited {longest:?} to be reaped");
    // Six engines at once, and some that are ending; 120 were started.
    assert!(most < 150, "{most} open files");
    place.expect_nobody("after a run of crashes");
}

#[test]
fn what_an_engine_has_started_goes_with_it_while_the_run_goes_on() {
    let place = Place::new("offspring");
    let parent = || fake(&["--fork-grandchild", "--think", "20"]);
    let fields = json!({
        "format": { "type": "pairs", "pairs": 8 }, "reuse": false, "rules": { "max_plies": 4 },
        "transcripts": false,
    });
    let mut child = place.start(&with(pair(parent(), parent(), "60"), fields));
    let mut most = 0;
    let ended = wait_until(SOON * 3, || {
        most = most.max(place.alive().len());
        child.try_wait().unwrap().is_some()
    });
    assert!(ended && child.wait().unwrap().code() == Some(0));
    assert_eq!(place.games().len(), 16);
    // 32 engines were started, each with a process of its own. The runner, the watchdog, the engines of a game and
    // those that still have time to end after it, with what they started.
    assert!(most < 24, "{most} processes at once");
    place.expect_nobody("after a run of parents");
}

#[test]
fn an_engine_that_works_while_nothing_is_asked_is_told_once() {
    let place = Place::new("busy");
    let thinker = fake(&["--think", "600"]);
    // Moves at once, so that all of its time but the thinker's is nothing.
    let fields = json!({ "rules": { "max_plies": 14 }, "format": { "type": "pairs", "pairs": 1 } });
    place.run(&with(pair(fake(&["--burns"; 4]), thinker, "60"), fields)).expect(0);
    let notes: Vec<_> = place
        .events()
        .into_iter()
        .filter_map(|event| match event.what {
            What::Noted(noted) if noted.kind == "busy_when_idle" => Some(noted),
            _ => None,
        })
        .collect();
    let [note] = &notes[..] else { panic!("told once: {notes:?}") };
    assert_eq!(note.entrant.as_deref(), Some("A"), "the one that thinks when asked is quiet");
    let numbers: Vec<u64> = note.text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [used, idle] = numbers[..] else { panic!("{note:?}") };
    // Four threads of it work without a rest; on a busy machine they get less than one processor together.
    assert!((1000..4000).contains(&idle) && used * 5 >= idle && used <= idle * 4 + 100, "{note:?}");
    assert!(place.games().iter().all(|game| game.termination.kind == "max_length"));
    assert!(place.read("summary.md").contains(&note.text), "{}", place.read("summary.md"));
}

/// Children of a process that have ended and were not reaped.
fn zombies(parent: u32) -> Vec<i32> {
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
    let is_zombie = |id: &i32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name in brackets may hold anything.
        let mut fields = stat.rsplit(") ").next().unwrap_or("").split(' ');
        fields.next() == Some("Z") && fields.next() == Some(&parent.to_string())
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(number).filter(is_zombie).collect()
}

/// Runs the program to its end after a line of shell.
fn after(place: &Place, line: &str, config: &Value) -> Said {
    let config = place.write("config.json", &config.to_string());
    let line = format!(
        "{line}; exec '{CHUHE}' run '{}' --out '{}' --quiet",
        config.display(),
        place.out().display()
    );
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(place.path("")).stdin(Stdio::null());
    Said::from(command.output().unwrap())
}

#[test]
fn too_few_open_files_are_told_before_anything_is_played() {
    let place = Place::new("few-files");
    let config = with(pair(fake(&[]), fake(&[]), "10"), json!({ "concurrency": 40 }));
    let said = after(&place, "ulimit -n 200", &config);
    said.expect(1).expect_error(&[
        "error: concurrency: 40 games at once need 638 open files, but the system allows 200",
        "at most 8 games at once fit",
    ]);
    assert!(!place.out().exists());
}

#[test]
fn the_limit_of_open_files_is_raised_and_engines_keep_theirs() {
    let place = Place::new("soft-limit");
    let line = format!("ulimit -Sn > '{}'\nexec '{CHUHE}' fake-engine", place.path("limit").display());
    let engine = json!({ "command": place.script("engine.sh", &line).to_string_lossy(), "protocol": "uci" });
    let fields = json!({ "concurrency": 4, "format": { "type": "pairs", "pairs": 4 } });
    after(&place, "ulimit -Sn 30", &with(pair(engine, fake(&[]), "10"), fields)).expect(0);
    assert_eq!(place.games().len(), 8);
    assert_eq!(fs::read_to_string(place.path("limit")).unwrap().trim(), "30");
}

#[test]
fn files_that_run_out_lose_nobody_a_game() {
    let place = Place::new("files-run-out");
    let engine = || fake(&["--think", "2"]);
    let fields = json!({
        "reuse": false, "rules": { "max_plies": 40 }, "format": { "type": "pairs", "pairs": 4 },
    });
    let child = place.start(&with(pair(engine(), engine(), "60"), fields));
    assert!(wait_until(SOON, || !place.games().is_empty()));
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let few = Rlimit { current: Some(12), maximum: Some(4096) };
    prlimit(Some(id), Resource::Nofile, few).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    said.expect(70).expect_error(&["error: cannot start an engine's process: Too many open files"]);
    let games = place.games();
    assert!(games.len() < 8 && games.iter().all(|game| game.termination.kind == "max_length"), "{games:#?}");
    place.expect_nobody("after files have run out");
    place.resume().expect(0);
    assert_eq!(place.games().len(), 8);
}

#[test]
fn idle_engines_make_room_for_others() {
    let place = Place::new("room");
    let crashes = fake(&["--random", "3", "--think", "2", "--exit-at-ply", "6", "--exit-at-ply", "7"]);
    let mut entrants = vec![json!({ "name": "A", "engine": crashes })];
    entrants.extend(
        ('B'..'H').map(
            |name| json!({ "name": name.to_string(), "engine": fake(&["--random", "5", "--think", "2"]) }),
        ),
    );
    let config = json!({
        "event": "Room", "entrants": entrants, "time": "60", "rules": { "max_plies": 20 },
        "format": { "type": "round-robin", "cycles": 2 }, "transcripts": false,
    });
    let child = place.start(&config);
    assert!(wait_until(SOON, || began(&place) > 0));
    let used = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap().count() as u64;
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    // Everybody has checked in and waits: there is room for no further engine.
    let full = Rlimit { current: Some(used - 6), maximum: Some(4096) };
    prlimit(Some(id), Resource::Nofile, full).unwrap();
    Said::from(child.wait_with_output().unwrap()).expect(0);
    let games = place.games();
    assert_eq!(games.len(), 42);
    let crashed = |game: &&chuhe::record::GameOver| game.termination.kind == "crashed";
    assert_eq!(games.iter().filter(crashed).count(), 12);
    for game in games.iter().filter(crashed) {
        let loser = if game.termination.loser.as_deref() == Some("red") { &game.red } else { &game.black };
        assert_eq!((loser.as_str(), game.termination.detail.as_deref()), ("A", Some("exit status 3")));
    }
    place.expect_nobody("after engines made room");
}

/// Everything that a hostile engine says of itself and of its moves, on a terminal and in every file.
#[test]
fn nothing_of_an_engine_is_obeyed() {
    let place = Place::new("obeyed");
    let escapes = place.script(
        "escapes.sh",
        &format!("printf '\\033]0;owned\\007\\033[2J\\n' >&2\nexec '{CHUHE}' fake-engine --hostile-name --exit-at-ply 8 --exit-at-ply 9"),
    );
    let engine = json!({ "command": escapes.to_string_lossy(), "protocol": "uci" });
    let said = place.run(&pair(engine, fake(&[]), "10"));
    said.expect(0);
    let obeyed = |text: &str| text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert!(!obeyed(&said.stdout) && !obeyed(&said.stderr), "{said:#?}");
    assert!(said.stderr.contains("../../x/ [31m<script>"), "its name is shown: {}", said.stderr);
    let mut files = 0;
    for entry in fs::read_dir(place.out()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let text = fs::read_to_string(entry.path()).unwrap();
        assert!(!obeyed(&text), "{:?}", entry.path());
        let markup = ["html", "md"].iter().any(|end| entry.path().extension().is_some_and(|own| own == *end));
        assert!(!(markup && (text.contains("<script>alert") || text.contains("<img"))), "{:?}", entry.path());
        files += 1;
    }
    assert!(files > 8);
    let outside: Vec<_> =
        fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside.len(), 3, "script, config and run folder: {outside:?}");

    let engines = place.chuhe(&["engines", "check", &engine_file(&place, &escapes.to_string_lossy())]);
    assert!(!obeyed(&engines.stdout) && !obeyed(&engines.stderr), "{engines:#?}");
}

/// Names from a config: no file, no shell word, no markup, no terminal code comes of them.
#[test]
fn nothing_of_a_name_is_obeyed() {
    let place = Place::new("names");
    let long = "x".repeat(80);
    let names = [
        "../../x",
        "<script>alert(1)</script>",
        "$(touch owned)`touch owned`;touch owned",
        "-rf",
        &long,
        "\" onload=\"alert(1)",
        "|a|\\|b]]>&amp;",
        "=1+1",
        "a\u{202e}b",
        "{}\u{7684}%s",
    ];
    let entrants: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "engine": "sparring", "options": { "Level": 1 } }))
        .collect();
    let config = json!({
        "event": "../<script>alert(1)</script>", "site": "\"><img src=x>", "entrants": entrants,
        "time": "nodes=20", "format": "boards", "rules": { "max_plies": 4 },
    });
    let said = place.run(&config);
    said.expect(0);
    for entry in fs::read_dir(place.out()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let text = fs::read_to_string(entry.path()).unwrap();
        let path = entry.path();
        match path.extension().and_then(|end| end.to_str()).unwrap() {
            "html" => assert!(!text.contains("<script>alert") && !text.contains("<img"), "{path:?}"),
            "md" => assert!(!text.contains("<script>"), "{path:?}"),
            "json" => drop(serde_json::from_str::<Value>(&text).unwrap()),
            "pgn" => assert_eq!(text.matches("\n[Result \"").count(), 10, "{path:?}"),
            _ => {}
        }
    }
    let mut left: Vec<_> =
        fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["config.json", "run"]);
    let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    for entry in fs::read_dir(place.out().join("transcripts")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(plain(&name), "{name}");
    }
    for name in ["\u{1b}[31m", "a\nb", "", &"x".repeat(81)] {
        let entrants = json!([{ "name": name, "engine": "sparring" }, { "name": "B", "engine": "sparring" }]);
        let config = place.write("refused.json", &json!({ "entrants": entrants }).to_string());
        place.chuhe(&["check", &config.to_string_lossy()]).expect(1).expect_error(&["entrants[0].name"]);
    }
}

fn engine_file(place: &Place, command: &str) -> String {
    let manifest = json!({ "name": "hostile", "command": command, "protocol": "uci" });
    place.write("hostile.json", &manifest.to_string()).to_string_lossy().into_owned()
}
