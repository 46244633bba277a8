//! The 44 articles of the four regulations: each has a row, in order, and each row is held by something
//! that is there: a setting that a config accepts, a source file, a record that the journal or a document
//! names, or a person. Start at [`every_article_has_a_row`].

use std::collections::BTreeMap;
use std::path::Path;

use chuhe::plan::Regulation;
use chuhe::regulations::{Hold, articles};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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

/// What a record names must be a word of the journal, a document, or a file of the run folder.
fn is_record(place: &str, sources: &BTreeMap<String, String>) -> bool {
    let word = place.split([':', ',', ' ']).next().unwrap_or_default();
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
                    assert!(sources.contains_key(*file), "{number}: no source file '{file}'");
                }
                Hold::Record(place) => assert!(is_record(place, &sources), "{number}: no record '{place}'"),
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
    let read = |name: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let text = std::fs::read_to_string(project().join("configs").join(name)).expect("a preset");
        let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        change(&mut value);
        let base = project().join("configs");
        let overrides = chuhe::config::Overrides::default();
        chuhe::config::from_value(&value, &base.to_string_lossy(), &chuhe::runner::DiskFiles, &overrides)
    };
    for (name, milliseconds) in [
        ("2006-championship.json", 1_800_000),
        ("2006-championship-strict.json", 1_800_000),
        ("2006-blindfold.json", 60_000),
        ("2006-man-machine.json", 2_700_000),
        ("2006-net-meeting.json", 3_000_000),
    ] {
        let plan = read(name, &|_| ()).expect("a good preset").plan;
        let left = chuhe::game::Clock::new(plan.stages[0].time).left().expect("a clock");
        assert_eq!(left.as_millis(), milliseconds, "{name}");
        for (key, value) in [
            ("time", serde_json::json!("10m")),
            ("points", serde_json::json!("1/0.5/0")),
            ("rules", serde_json::json!({ "book": "plain" })),
            ("lock", serde_json::json!("off")),
            ("format", serde_json::json!("round-robin")),
        ] {
            let refused = read(name, &|config| config[key] = value.clone());
            let problems = refused.expect_err("refused");
            assert!(
                problems.iter().any(|problem| problem.path.starts_with(key)),
                "{name} {key}: {problems:?}"
            );
        }
    }
}
