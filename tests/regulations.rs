//! The 44 articles of the four regulations: each has a row, in order, and each row is held by something
//! that is there: a setting that a config accepts, a source file, a record that the journal or a document
//! names, or a person. Start at [`every_article_has_a_row`].

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chuhe::engine::{Manifest, Protocol};
use chuhe::game::{Game, Termination};
use chuhe::plan::Regulation;
use chuhe::record::{Event, Host, Run, RunBegan, Settings, What};
use chuhe::regulations::{Hold, articles};
use chuhe::report::{Album, DOCUMENTS, Style};
use chuhe::table::{Chair, Effect, Input, Manners, Table};
use chuhe::time::At;
use chuhe::xiangqi::{BySide, Position, Side};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A preset read with a change to its config.
fn read(
    name: &str,
    change: impl Fn(&mut serde_json::Value),
) -> Result<chuhe::config::Resolved, Vec<chuhe::config::Problem>> {
    let base = project().join("configs");
    let text = std::fs::read_to_string(base.join(name)).expect("a preset");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    change(&mut value);
    let overrides = chuhe::config::Overrides::default();
    chuhe::config::from_value(&value, &base.to_string_lossy(), &chuhe::runner::DiskFiles, &overrides)
}

#[test]
fn every_article_has_a_row() {
    let expected = [
        (Regulation::Championship, "I", 14),
        (Regulation::Blindfold, "II", 7),
        (Regulation::ManMachine, "III", 11),
        (Regulation::NetMeeting, "IV", 12),
    ];
    let mut all = 0;
    for (regulation, section, count) in expected {
        let numbers: Vec<&str> = articles(regulation).iter().map(|article| article.number).collect();
        let wanted: Vec<String> = (1..=count).map(|number| format!("{section}.{number}")).collect();
        assert_eq!(numbers, wanted);
        all += count;
    }
    assert_eq!(all, 44);
}

/// All paths of the config's schema: `format.groups`, `entrants.team`.
fn settings() -> Vec<String> {
    let schema = chuhe::config::schema();
    let mut paths = Vec::new();
    walk(&schema, &schema, "", &mut paths, 0);
    paths
}

fn walk(
    schema: &serde_json::Value,
    whole: &serde_json::Value,
    path: &str,
    paths: &mut Vec<String>,
    depth: usize,
) {
    if depth > 12 {
        return;
    }
    if let Some(name) = schema.get("$ref").and_then(|name| name.as_str())
        && let Some(target) = whole.pointer(name.trim_start_matches('#'))
    {
        walk(target, whole, path, paths, depth + 1);
    }
    for key in ["anyOf", "oneOf"] {
        for branch in schema.get(key).and_then(|list| list.as_array()).into_iter().flatten() {
            walk(branch, whole, path, paths, depth + 1);
        }
    }
    if let Some(items) = schema.get("items") {
        walk(items, whole, path, paths, depth + 1);
    }
    let members = schema.get("properties").and_then(|members| members.as_object());
    for (name, member) in members.into_iter().flatten() {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if below.split('.').count() <= 2 {
            paths.push(below.clone());
            walk(member, whole, &below, paths, depth + 1);
        }
    }
}

/// Whether a source file names an article: `I.1`, not the `I.1` of `I.12` or `II.1`. One that is shared with
/// other events may name their article.
fn cites(text: &str, number: &str) -> bool {
    let bounded = |at: usize, length: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + length..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    };
    let own = text.match_indices(number).any(|(at, found)| bounded(at, found.len()));
    own || number.starts_with("II.") && ["I.", "III.", "IV."].iter().any(|event| text.contains(event))
}

/// What a record names must be a word of the journal, a document, or a file of the run folder.
fn is_record(place: &str, sources: &BTreeMap<String, String>) -> bool {
    let word = place.trim();
    let named = |text: &String| text.contains(word) || text.contains(&variant(word));
    sources.iter().any(|(file, text)| {
        (file.starts_with("src/record") || file.starts_with("src/report") || file.starts_with("src/runner"))
            && named(text)
    })
}

/// `checked_in` is the event `CheckedIn`.
fn variant(word: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    word.split('_').map(part).collect()
}

fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![project().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(project()).expect("below").to_string_lossy().into_owned();
                found.insert(name, std::fs::read_to_string(path).expect("a text"));
            }
        }
    }
    found
}

#[test]
fn every_row_is_held_by_something_that_is_there() {
    let (settings, sources) = (settings(), sources());
    for article in Regulation::ALL.into_iter().flat_map(articles) {
        let number = article.number;
        assert!(!article.title.is_empty() && !article.title_zh.is_ascii(), "{number}");
        assert!(!article.held_by.is_empty(), "{number} is held by nothing");
        for hold in article.held_by {
            match hold {
                Hold::Setting(path) => {
                    assert!(settings.iter().any(|known| known == path), "{number}: no setting '{path}'");
                }
                Hold::Machine(file) => {
                    let text =
                        sources.get(*file).unwrap_or_else(|| panic!("{number}: no source file '{file}'"));
                    assert!(cites(text, number), "'{file}' is to hold {number} and does not name it");
                }
                Hold::Record(places) => {
                    for place in places.split(", ").flat_map(|place| place.split(": ")) {
                        assert!(is_record(place, &sources), "{number}: no record '{place}'");
                    }
                }
                Hold::Person(english, chinese) => {
                    assert!(!english.is_empty() && !chinese.is_empty(), "{number}")
                }
                Hold::Missing(why) => {
                    panic!("{number} is missing: {why}");
                }
            }
        }
    }
}

/// A presets' clocks are the articles', and what engines are told of them is whole milliseconds.
#[test]
fn the_presets_are_accepted_and_contradictions_are_refused() {
    for (name, milliseconds) in [
        ("2006-championship.json", 1_800_000),
        ("2006-championship-strict.json", 1_800_000),
        ("2006-blindfold.json", 60_000),
        ("2006-man-machine.json", 2_700_000),
        ("2006-net-meeting.json", 3_000_000),
    ] {
        let plan = read(name, |_| ()).expect("a good preset").plan;
        let left = chuhe::game::Clock::new(plan.stages[0].time).left().expect("a clock");
        assert_eq!(left.as_millis(), milliseconds, "{name}");
        for (key, value) in [
            ("time", serde_json::json!("10m")),
            ("points", serde_json::json!("1/0.5/0")),
            ("rules", serde_json::json!({ "book": "plain" })),
            ("lock", serde_json::json!("off")),
            ("format", serde_json::json!("round-robin")),
        ] {
            let refused = read(name, |config| config[key] = value.clone());
            let problems = refused.expect_err("refused");
            assert!(
                problems.iter().any(|problem| problem.path.starts_with(key)),
                "{name} {key}: {problems:?}"
            );
        }
    }
}

/// A table of a preset's first stage at which Red has been asked, at 1 s, and what it was told.
fn asked(preset: &str, protocol: Protocol) -> (Table, String) {
    let path = project().join("configs").join(preset);
    let (resolved, _) =
        chuhe::runner::read_config(&path, &chuhe::config::Overrides::default()).expect("a preset");
    let terms = resolved.plan.terms(1, BySide { red: 0, black: 1 });
    let manifest = Arc::new(Manifest::new("/opt/engine", protocol));
    let chair = || Chair::absent(&manifest, &Position::start());
    let game = Game::new(terms, Position::start(), &[]);
    let manners = Manners::of(&resolved.plan.conduct);
    let mut table = Table::new(game, BySide { red: chair(), black: chair() }, manners);
    step(&mut table, 0, Input::Begin);
    Side::BOTH.into_iter().for_each(|side| drop(step(&mut table, 1, Input::Started(side))));
    for _ in 0..10 {
        for side in Side::BOTH {
            let text = String::from_utf8(std::mem::take(table.outbox(side))).expect("words");
            if text.contains("go ") {
                assert_eq!(side, Side::Red);
                step(&mut table, 1_000_000, Input::Sent(Side::Red));
                return (table, text);
            }
            step(&mut table, 2, Input::Sent(side));
            for line in text.lines() {
                let answers: &[&str] = match line {
                    "uci" => &["uciok"],
                    "ucci" => &["option usemillisec type check", "ucciok"],
                    "isready" => &["readyok"],
                    _ => &[],
                };
                for answer in answers {
                    step(&mut table, 3, Input::Line(side, answer.as_bytes()));
                }
            }
        }
    }
    panic!("nobody is asked: {table:?}");
}

fn step(table: &mut Table, at: u64, input: Input<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    table.step(At(at), input, &mut effects);
    effects
}

/// The articles' minutes are what engines are told, to the millisecond; exactly at zero a side has not lost
/// yet, a microsecond later it has (I.7, III.5, IV.6).
#[test]
fn engines_are_told_the_articles_minutes_and_a_microsecond_too_much_loses() {
    for (preset, milliseconds) in [
        ("2006-championship.json", 1_800_000u64),
        ("2006-championship-strict.json", 1_800_000),
        ("2006-man-machine.json", 2_700_000),
        ("2006-net-meeting.json", 3_000_000),
    ] {
        for (protocol, expected) in [
            (Protocol::Uci, format!("wtime {milliseconds} btime {milliseconds}")),
            (
                Protocol::Ucci,
                format!("time {milliseconds} increment 0 opptime {milliseconds} oppincrement 0"),
            ),
        ] {
            let (_, told) = asked(preset, protocol);
            let go = told.lines().find(|line| line.starts_with("go")).unwrap_or_else(|| panic!("{told}"));
            let words = |text: &str| format!(" {text} ");
            assert!(words(go).contains(&words(&expected)), "{preset}: {go}");
        }
        for (over, lost) in [(0, false), (1, true)] {
            let (mut table, _) = asked(preset, Protocol::Uci);
            let at = 1_000_000 + milliseconds * 1000 + over;
            let effects = step(&mut table, at, Input::Line(Side::Red, b"bestmove h2e2"));
            let flag = |effect: &Effect| matches!(effect, Effect::Over(Termination::Flag { .. }));
            assert_eq!(effects.iter().any(flag), lost, "{preset} {over} us over: {effects:?}");
            let moved = effects.iter().any(|effect| matches!(effect, Effect::Moved(..)));
            assert_eq!(moved, !lost, "{preset} {over} us over");
        }
    }
}

/// Inspections, the ledger of operators' fees and screens are recorded and printed, and change nothing else.
#[test]
fn what_is_only_recorded_is_printed_and_touches_nothing() {
    let inspection = serde_json::json!({
        "date": "2006-08-08 14:00", "by": "Chief referee", "seen": "commit 1f3a", "finding": "own work",
    });
    for (name, fee, expected) in [
        ("2006-championship.json", "committee_days", ["3 x CNY 200 = CNY 600", "组委会代操作（天）"]),
        ("2006-man-machine.json", "committee_bouts", ["3 x CNY 100 = CNY 300", "组委会代操作（场）"]),
        ("2006-net-meeting.json", "committee_bouts", ["3 x CNY 100 = CNY 300", "组委会代操作（场）"]),
    ] {
        let plain = read(name, |_| ()).expect("a good preset").plan;
        let mut plan = read(name, |config| {
            config["entrants"][1]["registration"] =
                serde_json::json!({ "own_work": true, fee: 3, "inspections": [inspection] });
            config["screens"] = serde_json::json!({ "opponent": true, "thinking": false, "delay": "2m" });
        })
        .expect("a good config")
        .plan;
        let shown = |lang: &str| {
            let head = RunBegan {
                format: chuhe::record::FORMAT,
                program: String::new(),
                settings: Settings::of(&plan),
                config: serde_json::Value::Null,
                base: String::new(),
                sources: BTreeMap::new(),
                date: String::new(),
                host: Host {
                    cpu: String::new(),
                    threads: 1,
                    memory_mib: 1,
                    system: String::new(),
                    cores: None,
                },
            };
            let mut run = Run::new();
            let what = What::RunBegan(Box::new(head));
            run.apply(&Event { seq: 0, at: At(0), what }).expect("a head");
            let document = DOCUMENTS.iter().find(|document| document.file == lang).expect("a document");
            // Lines are wrapped.
            document
                .draw(&run, &Album::default(), &Style::default())
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (english, chinese) = (shown("crosstable.txt"), shown("crosstable.zh.txt"));
        for words in [expected[0], "2006-08-08 14:00, Chief referee [commit 1f3a]: own work", "120 s later"] {
            assert!(english.contains(words), "{name}: '{words}' is not in {english}");
        }
        for words in [expected[1], "源码查看", "公众延迟 120 秒观看"] {
            assert!(chinese.contains(words), "{name}: '{words}' is not in {chinese}");
        }
        plan.entrants[1].registration.clone_from(&plain.entrants[1].registration);
        plan.conduct.screens = plain.conduct.screens;
        assert_eq!(plan, plain, "{name}");
    }
    let hidden = read("2006-championship.json", |config| {
        config["screens"] = serde_json::json!({ "opponent": false });
    });
    assert_eq!(
        hidden.expect_err("I.11").first().map(|problem| problem.path.as_str()),
        Some("screens.opponent")
    );
}
