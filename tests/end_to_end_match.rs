//! Engine testing from outside: sequential tests, gates, and the drop-in mode with the command lines of
//! the two test frameworks, their own patterns applied to what is printed. Start at
//! [`a_test_ends_the_same_however_many_games_are_played_at_once`].

#[path = "end_to_end/world.rs"]
#[expect(dead_code, reason = "the other end-to-end tests use the rest")]
mod world;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use chuhe::record::reproducible;
use regex_lite::Regex;
use rustix::process::Signal;
use serde_json::{Value, json};
use world::{CHUHE, Place, Said, send, wait_until, with};

/// A test between two levels by nodes, with chance in their moves.
fn sprt(levels: [u32; 2], elo1: u32, concurrency: u32) -> Value {
    let entrant = |level: u32, seed: u32| {
        json!({
            "name": format!("E{seed}"), "engine": "sparring",
            "options": { "Level": level, "Noise": 60, "Seed": seed },
        })
    };
    json!({
        "event": "SPRT",
        "entrants": [entrant(levels[0], 1), entrant(levels[1], 2)],
        "time": "nodes=150",
        "format": { "type": "pairs", "pairs": 300 },
        "openings": { "file": "@chuhe-500", "order": "shuffled" },
        "rules": { "max_plies": 90 },
        "sprt": { "elo0": 0, "elo1": elo1 },
        "concurrency": concurrency,
        "transcripts": false,
    })
}

/// What the summary says of the test, and the reason of the run's end.
fn outcome(place: &Place) -> (Value, String) {
    let summary: Value = serde_json::from_str(&place.read("summary.json")).unwrap();
    (summary["match"].clone(), summary["over"].as_str().unwrap_or("none").to_owned())
}

#[test]
fn a_test_ends_the_same_however_many_games_are_played_at_once() {
    for (levels, elo1, reason) in [([8, 1], 100, "sprt_h1"), ([4, 4], 120, "sprt_h0")] {
        let mut outcomes = Vec::new();
        for concurrency in [1, 3] {
            let place = Place::new(&format!("{reason}-{concurrency}"));
            place.run_with(&sprt(levels, elo1, concurrency), &["--quiet"]).expect(0);
            let (score, over) = outcome(&place);
            assert_eq!(over, reason, "{score}");
            let table = place.read("crosstable.txt");
            let accepted = format!("{} accepted", if reason == "sprt_h1" { "H1" } else { "H0" });
            assert!(table.contains("normalized") && table.contains(&accepted), "{table}");
            place.expect_nobody("after a decided test");
            // What else was finished when the test was decided is chance.
            outcomes.push(with(score, json!({ "not_counted": 0 })));
        }
        assert_eq!(outcomes[0], outcomes[1], "{reason}");
    }
}

#[test]
fn a_killed_test_goes_on_to_the_same_verdict() {
    let whole = Place::new("sprt-whole");
    whole.run_with(&sprt([8, 1], 100, 1), &["--quiet"]).expect(0);
    let half = whole.read("journal.jsonl").len() as u64 / 2;
    let place = Place::new("sprt-killed");
    let mut child = place.start(&sprt([8, 1], 100, 1));
    let journal = place.out().join("journal.jsonl");
    let written = || fs::metadata(&journal).map_or(0, |facts| facts.len());
    assert!(wait_until(Duration::from_secs(30), || written() > half));
    child.kill().unwrap();
    child.wait().unwrap();
    place.resume().expect(0);
    assert_eq!(outcome(&place), outcome(&whole));
    assert_eq!(reproducible(&place.events()), reproducible(&whole.events()));
}

/// A gate between two engines, given as words.
fn gate(place: &Place, candidate: &[&str], baseline: &[&str], more: &[&str]) -> Said {
    let mut arguments = vec!["gate", "--candidate"];
    arguments.extend(candidate);
    arguments.push("--baseline");
    arguments.extend(baseline);
    arguments.extend(["--quiet", "--maxmoves", "45", "--out", "run"]);
    arguments.extend(["--junit", "gate.xml", "--json", "gate.json", "--summary", "gate.md"]);
    arguments.extend(more);
    place.chuhe(&arguments)
}

/// Name, engines' words, words of the test, further words, exit code, what is said.
type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [&'a str], i32, &'a str);

#[test]
fn a_gate_says_by_its_exit_code_who_may_pass() {
    let strong: &[&str] = &["sparring", "option.Level=8", "option.Noise=40", "nodes=150"];
    let weak: &[&str] = &["sparring", "option.Level=1", "option.Noise=40", "nodes=150"];
    let test: &[&str] = &["--sprt", "elo0=0", "elo1=100", "--games", "200"];
    let crashing = "args=fake-engine --crash-at-ply 0 --crash-at-ply 1";
    let command = format!("cmd={CHUHE}");
    let broken: &[&str] = &[&command, crashing, "tc=10"];
    let cases: [Case<'_>; 6] = [
        ("passed", strong, weak, test, 0, "passed"),
        ("failed", weak, strong, test, 4, "failed"),
        ("undecided", strong, weak, &["--sprt", "elo0=0", "elo1=5", "--games", "4"], 5, "undecided"),
        ("score", weak, strong, &["--min-score", "0.5", "--games", "4"], 4, "failed"),
        (
            "strict",
            broken,
            weak,
            &["--min-score", "0", "--games", "2", "--strict", "--openings", "none"],
            3,
            "passed",
        ),
        (
            "failing",
            broken,
            weak,
            &["--games", "40", "--stop-after-failures", "3", "--openings", "none"],
            3,
            "undecided",
        ),
    ];
    for (name, candidate, baseline, more, code, word) in cases {
        let place = Place::new(&format!("gate-{name}"));
        gate(&place, candidate, baseline, more).expect(code);
        let told: Value =
            serde_json::from_str(&fs::read_to_string(place.path("gate.json")).unwrap()).unwrap();
        assert_eq!(told["gate"], word, "{name}: {told}");
        let junit = fs::read_to_string(place.path("gate.xml")).unwrap();
        let count = |attribute: &str| {
            let pattern = Regex::new(&format!("<testsuite .*{attribute}=\"([0-9]+)\"")).unwrap();
            pattern.captures(&junit).unwrap()[1].parse::<u32>().unwrap()
        };
        let failures = u32::from(word == "failed") + u32::from(name == "strict");
        assert_eq!(
            (count("failures"), count("errors")),
            (failures, u32::from(word == "undecided")),
            "{junit}"
        );
        let summary = fs::read_to_string(place.path("gate.md")).unwrap();
        assert!(summary.starts_with(&format!("## Gate {word}: candidate against baseline")), "{summary}");
        if name == "failing" {
            assert_eq!(place.games().len(), 3, "stopped after three failures on end");
        }
    }
}

#[test]
fn what_is_typed_is_a_config() {
    let place = Place::new("typed");
    let words =
        ["match", "--engine", "sparring", "--engine", "sparring", "option.Level=2", "--each", "nodes=100"];
    let more = ["--rounds", "1", "--maxmoves", "20", "--srand", "5", "--quiet"];
    let line = |end: &[&'static str]| [&words[..], &more[..], end].concat();
    let config = place.chuhe(&line(&["--print-config"]));
    let config: Value = serde_json::from_str(&config.expect(0).stdout).unwrap();
    place.chuhe(&line(&["--out", "typed"])).expect(0);
    place.run_with(&config, &["--quiet"]).expect(0);
    let games = |text: String| text[text.find("[Red ").unwrap()..].to_owned();
    let without_times = Regex::new(r"[0-9]+\.[0-9]{3}s").unwrap();
    let (typed, configured) =
        (fs::read_to_string(place.path("typed/games.pgn")).unwrap(), place.read("games.pgn"));
    let plain = |text: String| without_times.replace_all(&games(text), "").into_owned();
    assert_eq!(plain(typed), plain(configured));
}

/// A place with the program under the name `fastchess`, its engines and a book.
fn drop_in(name: &str) -> Place {
    let place = Place::new(name);
    for (folder, link) in [("", "fastchess"), ("", "fastchess-ob"), ("Engines", "X"), ("Engines", "Y")] {
        fs::create_dir_all(place.path(folder)).unwrap();
        std::os::unix::fs::symlink(CHUHE, place.path(folder).join(link)).unwrap();
    }
    fs::create_dir_all(place.path("PGNs")).unwrap();
    let book: String = include_str!("../openings/chuhe-500.epd")
        .lines()
        .take(60)
        .fold(String::new(), |book, line| book + line + "\n");
    place.write("b.epd", &book);
    place
}

/// Runs a program of the place to its end.
fn call(place: &Place, program: &str, line: &str) -> Said {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        words.push(word.replace('~', " "));
    }
    let mut command = Command::new(place.path(program));
    command.args(&words).current_dir(place.path("")).stdin(Stdio::null());
    let output = command.output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// `peers.md` 3.1 with engines and clocks of ours; `~` is a blank inside a word.
const FISHTEST: &str = "-testEnv -recover -repeat -games 2 -rounds 3 -ratinginterval 1 -scoreinterval 1 \
    -autosaveinterval 0 -report penta=true -pgnout file=results-1-0.pgn append=false -crc32 pgn=true \
    -site https://tests.example/tests/view/1 -event Batch~1:~New~vs~Base -srand 18446744073709551615 \
    -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 -variant standard -concurrency 2 \
    -openings file=b.epd format=epd order=random plies=16 start=3 -check-mate-pvs \
    -engine name=New-0123abc tc=2+0.02 cmd=X dir=Engines args=sparring option.Level=5 \
    -engine name=Base-4567def tc=2+0.02 cmd=./Y dir=Engines args=sparring option.Level=1 \
    -each proto=uci timemargin=10000 option.Threads=1";

#[test]
fn a_fishtest_worker_reads_everything_it_looks_for() {
    let place = drop_in("fishtest");
    let version = call(&place, "fastchess", "--version");
    let pattern = Regex::new(r"^fastchess alpha [0-9]*.[0-9]*.[0-9]* [0-9]*-([0-9a-f-]*)$").unwrap();
    assert!(version.expect(0).stdout.lines().any(|line| pattern.is_match(line)), "{version:?}");

    let said = call(&place, "fastchess", FISHTEST);
    said.expect(0);
    let wld = Regex::new(
        r"Games: ([0-9]+), Wins: ([0-9]+), Losses: ([0-9]+), Draws: ([0-9]+), Points: ([0-9.]+) \(",
    )
    .unwrap();
    let ptnml = Regex::new(r"Ptnml\(0-2\): \[([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+)\]").unwrap();
    let stops = Regex::new("Warning;|Too long mating PV|Sign mismatch").unwrap();
    let (mut games, mut pairs, mut checksum, mut finished) = (0, 0, String::new(), false);
    for line in said.stdout.lines().chain(said.stderr.lines()) {
        assert!(line.is_ascii() && !line.is_empty(), "{line:?}");
        assert!(!stops.is_match(line), "{line}");
        for word in ["disconnect", "stall", "on time", "timeout"] {
            assert!(!line.contains(word), "{line}");
        }
        let number = |found: &regex_lite::Captures<'_>, index: usize| found[index].parse::<u32>().unwrap();
        if let Some(found) = wld.captures(line) {
            assert!(!finished);
            games = number(&found, 1);
            assert_eq!(games, number(&found, 2) + number(&found, 3) + number(&found, 4));
        }
        if let Some(found) = ptnml.captures(line) {
            let sum = (1..=5).map(|index| number(&found, index)).sum::<u32>();
            assert_eq!((games, sum), (2 * sum, pairs + 1), "a block a pair, each pair-complete");
            pairs = sum;
        }
        if line.contains("has CRC32:") {
            checksum = line.split(' ').next_back().unwrap().to_owned();
        }
        finished |= line.contains("Finished match");
    }
    assert_eq!((games, pairs, finished), (6, 3, true), "{}", said.stdout);
    let pgn = fs::read(place.path("results-1-0.pgn")).unwrap();
    assert_eq!(checksum, format!("{:#x}", crc32fast::hash(&pgn)));
    assert_eq!(String::from_utf8(pgn).unwrap().matches("[Result ").count(), 6);

    // The same seed and start: the same openings, and the other colours in the second game of a pair.
    let openings = |place: &Place, name: &str| -> Vec<(u64, String)> {
        let text = fs::read_to_string(place.path(name)).unwrap();
        let tag = |game: &str, tag: &str| {
            let start = game.find(&format!("[{tag} \"")).unwrap() + tag.len() + 3;
            game[start..].split('"').next().unwrap().to_owned()
        };
        let mut list: Vec<_> = text
            .split("[Event ")
            .skip(1)
            .map(|game| (tag(game, "Round").parse().unwrap(), tag(game, "FEN") + &tag(game, "White")))
            .collect();
        list.sort();
        list
    };
    let first = openings(&place, "results-1-0.pgn");
    call(&place, "fastchess", FISHTEST).expect(0);
    assert_eq!(openings(&place, "results-1-0.pgn"), first);
    for pair in first.chunks(2) {
        let [(one, base), (two, new)] = pair else { panic!("{pair:?}") };
        let cut = |text: &str, name: &str| text.strip_suffix(name).unwrap().to_owned();
        assert_eq!((one, cut(base, "Base-4567def")), (two, cut(new, "New-0123abc")));
    }
    // No run folder is left.
    let mut left: Vec<_> =
        fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["Engines", "PGNs", "b.epd", "fastchess", "fastchess-ob", "results-1-0.pgn"]);
}

#[test]
fn an_openbench_client_reads_everything_it_looks_for() {
    let place = drop_in("openbench");
    let line = "-recover -variant standard -testEnv -concurrency 2 -rounds 4 -games 2 -resign movecount=3 score=400 \
        -draw movenumber=40 movecount=8 score=10 \
        -engine dir=Engines/ cmd=./X proto=uci tc=inf nodes=150 args=sparring option.Level=6 name=CHUHE-dev \
        -engine dir=Engines/ cmd=./Y proto=uci tc=inf nodes=150 args=sparring option.Level=2 name=CHUHE-base \
        -openings file=b.epd format=epd order=random start=5 -srand 42 \
        -pgnout file=PGNs/1.2.3.4.pgn seldepth=true nodes=true match_line=^info~string~pgncomment~.*";
    let said = call(&place, "fastchess-ob", line);
    said.expect(0);
    let mut seen = Vec::new();
    for line in said.stdout.lines() {
        assert!(line.is_ascii() && !line.trim().is_empty(), "an empty line would end the reading");
        if line.contains("Finished game") {
            let tokens: Vec<&str> = line.split_whitespace().collect();
            let number: u32 = tokens[2].parse().unwrap();
            assert!(["1-0", "0-1", "1/2-1/2"].contains(&tokens[6]), "{line}");
            assert_eq!(
                tokens[3] == "(CHUHE-dev",
                number % 2 == 1,
                "the first engine is White in odd games: {line}"
            );
            assert!(line.contains(": ") && line.contains('{'));
            seen.push(number);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=8).collect::<Vec<_>>());
    let pgn = fs::read_to_string(place.path("PGNs/1.2.3.4.pgn")).unwrap();
    let parts: Vec<&str> = pgn.trim_end().split("\n\n").collect();
    assert_eq!(parts.len(), 16, "header, blank, moves, blank");
    for pattern in [r"([+-]?M?\d+(?:\.\d+)?)/(\d+)", r"([\d.]+s)", r"n=(\d+)"] {
        assert!(Regex::new(pattern).unwrap().is_match(parts[1]), "{pattern}: {}", parts[1]);
    }
}

#[test]
fn the_other_runner_prints_its_own_lines_too() {
    let place = drop_in("cutechess");
    let line = "fastchess -repeat -games 4 -tournament gauntlet -pgnout results.pgn -srand 7 -resign movecount=8 \
        score=800 -concurrency 1 -output format=cutechess -sprt elo0=0 elo1=5 model=logistic -variant xiangqi \
        -openings file=b.epd format=epd order=random -maxmoves 30 \
        -engine name=stockfish cmd=Engines/X args=sparring -engine name=base cmd=Engines/Y args=sparring \
        option.Level=1 -each proto=uci nodes=100 -jsonout file=pairs.jsonl";
    let words: Vec<&str> = line.split_whitespace().collect();
    let said = place.chuhe(&words);
    said.expect(0);
    for pattern in [
        r"(?m)^Score of stockfish vs base: [0-9]+ - [0-9]+ - [0-9]+  \[[0-9.]+\] 4$",
        r"(?m)^Elo difference: .* \+/- .*, LOS: .* %, DrawRatio: [0-9.]+ %$",
        r"(?m)^SPRT: llr -?[0-9.]+ \(-?[0-9.]+%\), lbound -2.94, ubound 2.94$",
        r"(?m)^Finished game 4 \(base vs stockfish\): ",
        r"(?m)^Finished match$",
    ] {
        assert!(Regex::new(pattern).unwrap().is_match(&said.stdout), "{pattern}: {}", said.stdout);
    }
    assert!(!said.stdout.contains("Results of"));
    let pairs = fs::read_to_string(place.path("pairs.jsonl")).unwrap();
    for line in pairs.lines() {
        let pair: Value = serde_json::from_str(line).unwrap();
        let sum = |key: &str| pair[key].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>();
        assert_eq!((sum("wdl"), sum("fwdl"), sum("ptnml")), (2, 1, 1), "{pair}");
        assert_eq!(pair["game_records"][1]["order"], 1);
    }
    assert_eq!(pairs.lines().count(), 2);
}

#[test]
fn each_fault_is_one_line_in_the_words_looked_for() {
    let place = drop_in("faults");
    for (switch, clock, word, recover, code) in [
        ("--crash-at-ply~3", "tc=10", "disconnect", "-recover", 0),
        ("--crash-at-ply~3", "tc=10", "disconnect", "", 1),
        ("--hang-at-ply~3", "tc=0.1", "on time", "-recover", 0),
        ("--illegal-at-ply~3", "tc=10", "illegal move", "-recover", 0),
    ] {
        let line = format!(
            "{recover} -rounds 2 -games 2 -repeat -engine name=A cmd=Engines/X args=fake-engine~{switch} \
             -engine name=B cmd=Engines/Y args=fake-engine -each {clock} proto=uci"
        );
        let said = call(&place, "fastchess", &line);
        said.expect(code);
        let faulty = said.stdout.lines().filter(|line| line.contains(word)).count();
        let games = said.stdout.lines().filter(|line| line.contains("Finished game")).count();
        let expected = if recover.is_empty() { 1 } else { 2 };
        assert_eq!(faulty, expected, "{word}: {}", said.stdout);
        assert!(games >= expected, "{}", said.stdout);
        assert_eq!(said.stderr.contains("Warning; Illegal move"), word == "illegal move", "{}", said.stderr);
    }
    let refused = call(&place, "fastchess", "-variant fischerandom -engine cmd=a -engine cmd=b");
    refused.expect(1).expect_error(&["xiangqi"]);
    assert!(refused.stdout.is_empty());
}

#[test]
fn an_interrupt_ends_the_drop_in_mode_within_five_seconds() {
    let place = drop_in("interrupt");
    let line = "fastchess -recover -rounds 2 -engine name=A cmd=Engines/X args=fake-engine~--hang-at-ply~2 \
        -engine name=B cmd=Engines/Y args=fake-engine -each tc=1000 proto=uci";
    let words: Vec<String> = line.split_whitespace().map(|word| word.replace('~', " ")).collect();
    let mut command = Command::new(CHUHE);
    command.args(&words).current_dir(place.path("")).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert!(first.starts_with("Started game 1 of 4 (A vs B)"), "{first}");
    let began = Instant::now();
    send(child.id(), Signal::INT);
    let status = child.wait().unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(status.code(), Some(130));
    let rest: Vec<String> = out.lines().map(Result::unwrap).collect();
    assert!(!rest.iter().any(|line| line == "Finished match"), "{rest:?}");
}

#[test]
fn scores_end_games_that_are_decided() {
    let place = Place::new("adjudicated");
    let config = with(
        sprt([8, 1], 100, 1),
        json!({ "sprt": null, "format": { "type": "pairs", "pairs": 2 }, "resign": { "move_count": 1, "score": 150 } }),
    );
    place.run_with(&config, &["--quiet"]).expect(0);
    let resigned =
        place.games().iter().filter(|game| game.termination.detail.as_deref() == Some("resign")).count();
    assert!(
        resigned >= 2,
        "{:?}",
        place.games().iter().map(|game| &game.termination.kind).collect::<Vec<_>>()
    );
    assert!(place.read("crosstable.txt").contains("Adjudicated loss"));
}

#[test]
fn an_opening_list_is_looked_over() {
    let place = Place::new("openings");
    place.write("list.epd", "h2e2 h9g7\nb2e2 b9c7\nh2e3\n");
    let said = place.chuhe(&["openings", "list.epd", "--nodes", "200"]);
    let lines: Vec<&str> = said.expect(7).stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("line 2: the mirror image of line 1"), "{lines:?}");
    place.chuhe(&["openings", "@chuhe-500", "--nodes", "300", "--limit", "400"]).expect(0);
}
