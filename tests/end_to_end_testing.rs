//! What an engine author and a build use every day, from outside: pondering, draw odds, processor cores,
//! staggered beginnings, engine lists of other programs, a gate in a script, and many games at once with
//! engines that use nearly all of their time. Start at [`a_gate_in_the_script_of_a_build`].

#[path = "end_to_end/world.rs"]
#[expect(dead_code, reason = "the other end-to-end tests use the rest")]
mod world;

mod support;

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chuhe::record::{GameOver, What, reproducible};
use chuhe::xiangqi::{Position, SquareStyle};
use serde_json::{Value, json};
use world::{CHUHE, Place, fake, pair, wait_until, with};

/// The built-in engine at so many nodes, level by name.
fn sparring(name: &str, level: u32) -> Value {
    json!({ "name": name, "engine": "sparring", "options": { "Level": level, "Noise": 30, "Seed": level } })
}

fn flags(games: &[GameOver]) -> Vec<&GameOver> {
    games.iter().filter(|game| game.termination.kind == "flag").collect()
}

#[test]
fn a_gate_in_the_script_of_a_build() {
    let place = Place::new("build");
    let engine = "sparring option.Noise=40 nodes=150 option.Level";
    let broken = format!("cmd={CHUHE} 'args=fake-engine --crash-at-ply 0 --crash-at-ply 1' tc=10");
    let line = |name: &str, words: String| {
        format!(
            "\"$CHUHE\" gate {words} --quiet --maxmoves 40 --out runs/{name} --junit {name}.xml >{name}.txt\n\
             echo \"{name} $?\"\n"
        )
    };
    let script = [
        line(
            "passed",
            format!("--candidate {engine}=8 --baseline {engine}=1 --games 60 --sprt elo0=0 elo1=200"),
        ),
        line("failed", format!("--candidate {engine}=1 --baseline {engine}=8 --games 60 --min-score 0.5")),
        line(
            "undecided",
            format!("--candidate {engine}=8 --baseline {engine}=1 --games 4 --sprt elo0=0 elo1=5"),
        ),
        line(
            "strict",
            format!(
                "--candidate {broken} --baseline {engine}=1 --games 2 --min-score 0 --strict --openings none"
            ),
        ),
    ];
    let script = place.script("ci.sh", &script.concat());
    // Through the shell: a process that another test forks meanwhile may hold the script open.
    let output = Command::new("sh")
        .arg(script)
        .env("CHUHE", CHUHE)
        .env("GITHUB_STEP_SUMMARY", place.path("summary.md"))
        .current_dir(place.path("."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        said,
        "passed 0\nfailed 4\nundecided 5\nstrict 3\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let summary = fs::read_to_string(place.path("summary.md")).unwrap();
    for word in ["Gate passed", "Gate failed", "Gate undecided"] {
        assert!(summary.contains(word), "{word}: {summary}");
    }
    for (name, wanted) in [
        ("passed", "failures=\"0\" errors=\"0\""),
        ("failed", "failures=\"1\" errors=\"0\""),
        ("undecided", "failures=\"0\" errors=\"1\""),
        ("strict", "failures=\"1\" errors=\"0\""),
    ] {
        let junit = fs::read_to_string(place.path(&format!("{name}.xml"))).unwrap();
        assert!(junit.contains(wanted), "{name}: {junit}");
    }
    // The score was out of reach long before the last game.
    let journal = fs::read_to_string(place.path("runs/failed/journal.jsonl")).unwrap();
    let games = journal.matches("\"what\":\"game_over\"").count();
    assert!((30..60).contains(&games), "{games} games");
    assert!(journal.contains("\"reason\":\"score_missed\""));
}

/// Threads that do nothing but wake up, and know how late they did.
struct Witness(Arc<AtomicBool>, Vec<JoinHandle<Duration>>);

impl Witness {
    fn called() -> Witness {
        let goes_on = Arc::new(AtomicBool::new(true));
        let threads = (0..4).map(|_| {
            let goes_on = Arc::clone(&goes_on);
            std::thread::spawn(move || {
                let (pause, mut latest) = (Duration::from_millis(1), Duration::ZERO);
                while goes_on.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    std::thread::sleep(pause);
                    latest = latest.max(began.elapsed().saturating_sub(pause));
                }
                latest
            })
        });
        let threads = threads.collect();
        Witness(goes_on, threads)
    }

    /// The longest that anybody was woken late.
    fn longest(self) -> Duration {
        self.0.store(false, Ordering::Relaxed);
        self.1.into_iter().map(|thread| thread.join().unwrap()).max().unwrap_or_default()
    }
}

#[test]
fn engines_that_use_nearly_all_of_their_time_lose_none_of_it_to_the_runner() {
    const LIMIT_US: u64 = 100_000;
    /// A system that wakes somebody this late does so to everybody.
    const BUSY_US: u64 = 20_000;
    /// Half-moves at the beginning of a game that are left out.
    const SETTLING: usize = 4;
    let place = Place::new("margin");
    let config = with(
        pair(fake(&["--think", "95", "--elapsed"]), fake(&["--think", "95", "--elapsed"]), "0.1/move"),
        json!({
            "format": { "type": "pairs", "pairs": 32 }, "concurrency": 64, "rules": { "max_plies": 12 },
            "stagger": "10ms", "transcripts": false, "start_patience": "60s",
        }),
    );
    let witness = Witness::called();
    place.run_with(&config, &["--quiet"]).expect(0);
    let woken_us = witness.longest().as_micros() as u64;
    println!("the system woke nobody later than {woken_us} µs");
    let games = place.games();
    assert_eq!(games.len(), 64);
    assert!(games.iter().all(|game| matches!(game.termination.kind.as_str(), "flag" | "max_length")));
    let lost = flags(&games);
    println!("{} of 64 games lost on time", lost.len());
    if woken_us > BUSY_US {
        println!("not tested: the machine is too busy to tell whose time it was");
        return;
    }
    for game in &games {
        // What a charge holds beside the engine's own time is what the system needed to wake two processes;
        // how long that takes it the runner measures, and a witness that has nothing to do with it. The first
        // moves are left out: processes that have just started fault their pages in.
        let system = 2 * (game.runner_delay_us + woken_us) + 20_000;
        for (used, thought) in game.used_us.iter().zip(&game.thoughts).skip(SETTLING) {
            let own = thought.nodes.unwrap();
            // It may be less than the engine's own: that has read its question before the runner, put aside by
            // the system, could look at its clock.
            assert!(*used <= LIMIT_US && *used <= own + system, "{used} {own} {system}: {game:?}");
        }
    }
    // Where an engine overslept its own stamps say so, or nothing of its answer was there when the runner
    // looked after the flag had fallen.
    for game in lost.into_iter().filter(|game| game.used_us.len() >= SETTLING) {
        let [used, allowed] = game.termination.flag_us.unwrap();
        assert_eq!(allowed, LIMIT_US);
        let (lines, delay) = (&game.termination.last_lines, game.runner_delay_us);
        if lines.last().is_some_and(|line| line.starts_with("bestmove")) {
            let info = lines.iter().rev().nth(1).unwrap();
            let mut words = info.split(' ').skip_while(|word| *word != "nodes");
            let own: u64 = words.nth(1).unwrap().parse().unwrap();
            let system = 2 * (delay + woken_us) + 20_000;
            println!("game {}: {used} µs, own {own} µs, runner delay {delay} µs", game.game);
            assert!(used <= own + system, "{used} {own} {system}: {game:?}");
        } else {
            println!("game {}: no answer after {used} µs, runner delay {delay} µs", game.game);
        }
    }
}

/// The list of cores on which a process may run, as the system writes it.
fn cores_of(id: u32) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(line.trim().to_owned())
}

fn is_engine(id: u32) -> bool {
    fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| {
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        words.get(1) == Some(&&b"fake-engine"[..])
    })
}

#[test]
fn engines_stay_on_their_cores_or_the_reason_is_told() {
    let own = cores_of(std::process::id()).unwrap();
    let first = own.split([',', '-']).next().unwrap();
    let engine = || fake(&["--think", "20"]);
    let config =
        with(pair(engine(), engine(), "10"), json!({ "affinity": first, "rules": { "max_plies": 60 } }));
    let place = Place::new("cores");
    let mut child = place.start(&config);
    let engines = || place.alive().into_iter().filter(|id| is_engine(*id)).collect::<Vec<u32>>();
    assert!(wait_until(Duration::from_secs(30), || engines().len() == 2));
    for id in engines() {
        assert_eq!(cores_of(id).as_deref(), Some(first));
    }
    child.wait().unwrap();
    let table = place.read("crosstable.txt");
    assert!(table.contains(&format!("each game on its own: {first}")), "{table}");
    // More games at once than cores: refused, and nothing is left behind.
    let place = Place::new("few-cores");
    let said = place.run_with(&pair(engine(), engine(), "10"), &["--affinity", first, "--concurrency", "2"]);
    said.expect(1).expect_error(&["2 games at once", "need 2 cores", &format!("there are 1: {first}")]);
    assert!(!place.out().exists());
    let said = place.run_with(&pair(engine(), engine(), "10"), &["--affinity=8191"]);
    said.expect(1).expect_error(&["core 8191 is not among those"]);
}

#[test]
fn beginnings_are_kept_apart() {
    let engine = || fake(&["--think", "5"]);
    let config = with(
        pair(engine(), engine(), "10"),
        json!({ "format": { "type": "pairs", "pairs": 3 }, "concurrency": 6, "rules": { "max_plies": 4 } }),
    );
    let place = Place::new("apart");
    place.run_with(&config, &["--quiet", "--stagger", "60ms"]).expect(0);
    let began = |event: chuhe::record::Event| match event.what {
        What::GameBegan(_) => Some(event.at.0),
        _ => None,
    };
    let began: Vec<u64> = place.events().into_iter().filter_map(began).collect();
    assert_eq!(began.len(), 6);
    assert!(began.windows(2).all(|two| two[1] - two[0] >= 59_000), "{began:?}");
    assert!(place.read("crosstable.txt").contains("Between beginnings"));
}

#[test]
fn a_drawn_game_is_won_by_black_where_that_is_wanted() {
    let config = with(
        pair(fake(&["--random", "1"]), fake(&["--random", "2"]), "10"),
        json!({ "draw_as_black_win": true, "rules": { "max_plies": 2 } }),
    );
    let place = Place::new("odds");
    place.run_with(&config, &["--quiet"]).expect(0);
    for game in place.games() {
        assert_eq!(
            (game.result.as_deref(), game.termination.kind.as_str()),
            (Some("0-1"), "max_length"),
            "{game:?}"
        );
    }
    let (table, pgn) = (place.read("crosstable.txt"), place.read("games.pgn"));
    assert!(table.contains("Draw odds") && table.contains("won by Black"), "{table}");
    assert!(place.read("crosstable.zh.txt").contains("和棋算黑方胜"));
    assert!(
        pgn.contains("[DrawOdds \"Black\"]") && pgn.contains("draw odds: it counts as won by Black"),
        "{pgn}"
    );
    // A record that says so does not differ from the rules.
    let said = place.chuhe(&["judge", "run/games.pgn"]);
    assert!(!said.stdout.contains("DIFFERS"), "{}", said.stdout);
    let typed =
        ["match", "--engine", "sparring", "--engine", "sparring", "--print-config", "--draw-as-black-win"];
    let config: Value = serde_json::from_str(&place.chuhe(&typed).expect(0).stdout).unwrap();
    assert_eq!(config["draw_as_black_win"], true);
}

/// Plays games with thinking on the opponent's time; how often that was asked for, hit and missed by the first
/// entrant.
fn pondered(name: &str, entrants: Value, games: u32, time: &str) -> [usize; 3] {
    let config = json!({
        "entrants": entrants, "time": time, "ponder": true, "rules": { "max_plies": 60 },
        "format": { "type": "gauntlet", "games": games },
        "openings": { "file": "@chuhe-500", "order": "shuffled" },
    });
    let place = Place::new(name);
    place.run_with(&config, &["--quiet"]).expect(0);
    let played = place.games();
    assert_eq!(played.len(), games as usize);
    for game in &played {
        let kind = game.termination.kind.as_str();
        assert!(!matches!(kind, "illegal_move" | "crashed" | "stalled"), "{kind}: {game:?}");
        // On a busy machine a clock may fall; then the system's delay that the runner measured says why.
        if let Some([used, allowed]) = game.termination.flag_us {
            assert!(used <= allowed + 4 * game.runner_delay_us + 20_000, "{game:?}");
        }
    }
    assert!(place.read("crosstable.txt").contains("ponders"));
    let transcript = place.transcript(1);
    // A new question stands only behind the answer to the stop.
    let mut owes = false;
    for line in transcript.lines() {
        let text = line.split_once(' ').map_or("", |(_, rest)| rest);
        match text {
            "> stop" => owes = true,
            _ if text.starts_with("< bestmove") => owes = false,
            _ if text.starts_with("> go") => assert!(!owes, "asked before the stale answer came: {line}"),
            _ => {}
        }
    }
    ["> go ponder", "> ponderhit", "> stop"].map(|word| transcript.matches(word).count())
}

#[test]
fn the_built_in_engine_ponders_in_both_protocols() {
    for protocol in ["ucci", "uci"] {
        let engine = json!({ "command": "@self", "args": ["sparring"], "protocol": protocol });
        let entrants = json!([
            { "name": "One", "engine": engine },
            { "name": "Two", "engine": engine, "options": { "Level": 5 } },
        ]);
        let [asked, hits, misses] = pondered(&format!("ponder-{protocol}"), entrants, 2, "2+0.05");
        println!("{protocol}: asked {asked}, hits {hits}, misses {misses}");
        assert!(asked > 10 && hits > 0 && misses > 0, "{asked} {hits} {misses}");
    }
}

#[test]
fn fairy_stockfish_ponders_over_ten_games() {
    if support::engine("/usr/games/fairy-stockfish").is_none() {
        return;
    }
    for manifest in ["fairy-stockfish-uci", "fairy-stockfish-ucci"] {
        let entrants = json!([
            { "name": "Fairy", "engine": manifest },
            sparring("Sparring", 6),
        ]);
        let [asked, hits, misses] = pondered(&format!("ponder-{manifest}"), entrants, 5, "2+0.1");
        println!("{manifest}: asked {asked}, hits {hits}, misses {misses}");
        assert!(asked > 10 && hits > 0 && misses > 0, "{asked} {hits} {misses}");
    }
}

#[test]
fn engines_of_other_programs_are_taken_over() {
    let place = Place::new("lists");
    let list = json!([
        {
            "name": "Fake One", "command": format!("{CHUHE} fake-engine --random 1"), "workingDirectory": "",
            "protocol": "uci", "options": [], "restart": "on", "stderrFile": "err.txt",
        },
        { "name": "Fake Two", "command": format!("{CHUHE} fake-engine --random 2"), "protocol": "ucci" },
    ]);
    place.write("engines.json", &list.to_string());
    // Directly, in the drop-in mode and in a match.
    let line = "-engine conf=Fake_One -engine conf=x -rounds 1";
    let words: Vec<&str> = std::iter::once("fastchess").chain(line.split(' ')).collect();
    place.chuhe(&words).expect(1).expect_error(&["engines.json", "no engine called 'Fake_One'"]);
    let words = [
        "fastchess",
        "-engine",
        "conf=Fake One",
        "name=A",
        "-engine",
        "conf=Fake Two",
        "name=B",
        "-rounds",
        "1",
        "-each",
        "tc=5",
        "-maxmoves",
        "3",
    ];
    let said = place.chuhe(&words);
    assert!(said.expect(0).stdout.contains("Finished game 2 (B vs A)"), "{}", said.stdout);
    let words = [
        "match",
        "--engine",
        "conf=Fake One",
        "--engine",
        "conf=Fake Two",
        "--rounds",
        "1",
        "--maxmoves",
        "3",
        "--each",
        "tc=5",
        "--out",
        "run",
        "--quiet",
    ];
    place.chuhe(&words).expect(0);
    assert_eq!(place.games().len(), 2);
    // As manifests, which a config can name.
    let said = place.chuhe(&["engines", "import", "engines.json"]);
    said.expect(0);
    assert!(said.stdout.contains("engines/fake-one.json") && said.stdout.contains("left out: stderrFile"));
    let said = place.chuhe(&["engines", "import", "engines.json"]);
    said.expect(1).expect_error(&["fake-one.json is there already", "--force"]);
    place.chuhe(&["engines", "check", "fake-two"]).expect(0);
    let listed = place.chuhe(&["engines"]);
    assert!(listed.stdout.contains("fake-one"), "{}", listed.stdout);
    place.write("wrong.json", r#"[{ "name": "A", "protocol": "usi" }]"#);
    let said = place.chuhe(&["engines", "import", "wrong.json"]);
    said.expect(1).expect_error(&["[0].command: is missing", "[0].protocol: 'usi' is not known"]);
}

/// The openings that were played, in the order of the schedule; both games of a pair have the same one.
fn openings(place: &Place) -> Vec<String> {
    let mut games = place.games();
    games.sort_by_key(|game| game.game);
    let lines = |game: &GameOver| {
        let words: Vec<&str> = game.moves.split(' ').take(game.opening_plies as usize).collect();
        format!("{} {}", game.fen, words.join(" "))
    };
    for two in games.chunks(2) {
        assert_eq!(lines(&two[0]), lines(&two[1]));
        assert_eq!((&two[0].red, &two[0].black), (&two[1].black, &two[1].red), "colours are exchanged");
    }
    games.iter().step_by(2).map(lines).collect()
}

#[test]
fn one_seed_gives_the_same_games_again_and_starts_give_other_openings() {
    let config = |seed: u32, start: u32, concurrency: u32| {
        json!({
            "entrants": [sparring("One", 3), sparring("Two", 4)],
            "time": "nodes=60", "rules": { "max_plies": 40 }, "seed": seed, "concurrency": concurrency,
            "format": { "type": "pairs", "pairs": 5 }, "transcripts": false,
            "openings": { "file": "@chuhe-500", "order": "shuffled", "start": start },
        })
    };
    let play = |name: &str, config: &Value| {
        let place = Place::new(name);
        place.run_with(config, &["--quiet"]).expect(0);
        (reproducible(&place.events()), openings(&place))
    };
    let (first, own) = play("seed-1", &config(1, 1, 1));
    assert_eq!(play("seed-1-again", &config(1, 1, 3)).0, first, "more games at once change nothing");
    let (_, next) = play("seed-1-next", &config(1, 6, 1));
    assert!(own.iter().all(|opening| !next.contains(opening)), "slices are disjoint");
    let (other, others) = play("seed-2", &config(2, 1, 1));
    assert!(other != first && others != own);
}

/// `-noswap` and `-reverse` of the drop-in mode settle who is Red, `-epdout` keeps how games ended.
#[test]
fn colours_may_be_kept_and_reversed_and_end_positions_written() {
    for (flags, reds) in [
        (&[][..], ["A", "B", "A", "B"]),
        (&["-noswap"][..], ["A", "A", "A", "A"]),
        (&["-reverse"][..], ["B", "A", "B", "A"]),
        (&["-noswap", "-reverse"][..], ["B", "B", "B", "B"]),
    ] {
        let place = Place::new(&format!("colours{}", flags.concat()));
        place.write("ends.epd", "kept\n");
        let line = format!(
            "fastchess -engine cmd={CHUHE} args=fake-engine\u{a0}--random\u{a0}1 name=A -engine cmd={CHUHE} \
             args=fake-engine\u{a0}--random\u{a0}2 name=B -each tc=5 -rounds 2 -maxmoves 3 -out run -epdout file=ends.epd"
        );
        let line: Vec<String> = line.split(' ').map(|word| word.replace('\u{a0}', " ")).collect();
        let words: Vec<&str> = line.iter().map(String::as_str).chain(flags.iter().copied()).collect();
        let said = place.chuhe(&words);
        said.expect(0);
        assert!(!said.stderr.contains("no effect"), "{}", said.stderr);
        let mut games = place.games();
        let ends: Vec<String> =
            fs::read_to_string(place.path("ends.epd")).unwrap().lines().map(str::to_owned).collect();
        assert_eq!((ends.len(), ends[0].as_str()), (5, "kept"), "{ends:?}");
        for (game, end) in games.iter().zip(&ends[1..]) {
            let mut position = Position::from_fen(&game.fen).unwrap();
            for word in game.moves.split_ascii_whitespace() {
                position.make(SquareStyle::Zero.read(word.as_bytes()).unwrap());
            }
            assert_eq!(*end, position.fen(), "{game:?}");
        }
        games.sort_by_key(|game| game.game);
        let found: Vec<&str> = games.iter().map(|game| game.red.as_str()).collect();
        assert_eq!(found, reds, "{flags:?}");
        let table = place.read("crosstable.txt");
        assert_eq!(table.contains("Colours "), !flags.is_empty(), "{table}");
        assert_eq!(table.contains("pairs of games with colours exchanged"), flags.is_empty(), "{table}");
        place.chuhe(&["verify", "run"]).expect(0);
    }
}
