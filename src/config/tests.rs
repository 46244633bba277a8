//! Tests of the config: its messages, its plans, and that nothing makes it panic. Never opens a file: a shelf
//! of texts stands in. Start at `try_read` and `check_wrong`.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::engine::Manifest;
use crate::plan::{CrashRule, Grain};
use crate::tournament::{Colours, Format};

/// Files of a test: path and text.
#[derive(Default)]
struct Shelf(BTreeMap<String, String>);

impl Shelf {
    fn with(files: &[(&str, &str)]) -> Shelf {
        Shelf(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }
}

impl Files for Shelf {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(path).map(|text| text.clone().into_bytes()).ok_or_else(|| "not there".to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }
}

const NO_OVERRIDES: Overrides = Overrides {
    concurrency: None,
    seed: None,
    time_scale: None,
    drain: None,
    strict: false,
    affinity: None,
    stagger: None,
};

fn try_read(text: &str, shelf: &Shelf) -> Result<Resolved, Vec<Problem>> {
    read(text, "/runs", shelf, &NO_OVERRIDES)
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

fn check_wrong(text: &str, shelf: &Shelf, expected: Expect) {
    match try_read(text, shelf) {
        Ok(_) => panic!("this was read: {text}"),
        Err(problems) => expected.assert_eq(&lines(&problems)),
    }
}

/// Two entrants and the fields given.
fn two(fields: &str) -> String {
    format!(
        r#"{{"entrants": [{{"name": "A", "engine": "sparring"}}, {{"name": "B", "engine": "sparring"}}]{fields}}}"#
    )
}

fn plan(fields: &str) -> Plan {
    try_read(&two(fields), &Shelf::default()).unwrap_or_else(|problems| panic!("{}", lines(&problems))).plan
}

const CONFIGS: &[(&str, &str)] = &[
    ("first-match", include_str!("../../configs/first-match.json")),
    ("by-nodes", include_str!("../../configs/by-nodes.json")),
    ("gauntlet", include_str!("../../configs/gauntlet.json")),
    ("round-robin-30min", include_str!("../../configs/round-robin-30min.json")),
    ("real-engines", include_str!("../../configs/real-engines.json")),
];

/// A manifest as in `engines/`, with a path that refers to its folder.
const OTHER_ENGINE: &str = r#"{
    "note": "made for tests", "name": "Other", "name_zh": "别的", "command": "./bin/other", "args": ["-x"], "dir": "data",
    "protocol": "uci", "squares": "one", "fen_letters": "eh", "fen_fields": 4, "time_unit": "s",
    "options": {"UCI_Variant": "xiangqi", "Threads": 1, "Ponder": false}, "init": ["hello"],
    "new_game": ["again"], "start_patience": "2s", "reuse": false, "ping": false, "env": {"A": "b"}
}"#;

#[test]
fn the_shortest_config_is_two_names() {
    let shelf = Shelf::with(&[("/runs/engines/other.json", OTHER_ENGINE)]);
    let plan = try_read(r#"{"entrants": ["sparring", "other"]}"#, &shelf).unwrap().plan;
    let names = |entrant: &crate::plan::Entrant| (entrant.name.clone(), entrant.name_zh.clone());
    assert_eq!(names(&plan.entrants[1]), ("Other".to_owned(), Some("别的".to_owned())));
    assert_eq!(plan.stages[0].time.to_string(), "10+0.1");
    assert_eq!((plan.conduct.concurrency, plan.seed), (1, 0));
    assert!(plan.openings.is_empty());
}

#[test]
fn every_config_of_the_project_reads_and_reads_back() {
    for (name, text) in CONFIGS {
        let resolved = try_read(text, &Shelf::default()).unwrap_or_else(|p| panic!("{name}:\n{}", lines(&p)));
        assert_eq!(lines(&resolved.warnings), "", "{name}");
        let again = from_value(&resolved.config, "/runs", &Shelf::default(), &NO_OVERRIDES);
        let again = again.unwrap_or_else(|p| panic!("{name} again:\n{}", lines(&p)));
        assert_eq!((again.plan, again.config), (resolved.plan, resolved.config), "{name}");
    }
}

#[test]
fn every_manifest_of_the_project_reads() {
    for (name, text) in BUILT_IN {
        let (own, manifest) = manifest(text).unwrap_or_else(|p| panic!("{name}:\n{}", lines(&p)));
        assert!(!own.is_empty() && !manifest.command.is_empty(), "{name}");
        let same = from_value(
            &json!({"entrants": [name, {"name": "B", "engine": name}]}),
            "/runs",
            &Shelf::default(),
            &NO_OVERRIDES,
        );
        let same = same.unwrap_or_else(|p| panic!("{name}:\n{}", lines(&p)));
        // A seat that is played from elsewhere gets its number as its argument.
        let seated = match manifest.far() {
            Some(_) => Manifest { args: vec!["2.1".to_owned()], ..manifest },
            None => manifest,
        };
        assert_eq!(*same.plan.entrants[1].engine, seated, "{name}");
    }
}

#[test]
fn a_config_wrong_in_many_places_tells_all_of_them() {
    let text = r#"{
  "event": "Wrong",
  "entrants": [
    {"name": "A", "engine": "sparing"},
    {"name": "A", "engine": {"comand": "x", "protocol": "ucii"}},
    5,
    {"name": "C", "engine": "sparring", "options": {"Level": [3]}, "time": "fast"},
    {"name": "D", "engine": {"command": "~/bin/d", "protocol": "uci", "env": {"A=": "b"}}},
    {"name": "E", "engine": "bin/e"},
    {"name": "F", "engine": {"command": "sjaakii -ucci", "protocol": "ucci"}, "time": {"per_move": 1, "reserve": 2}}
  ],
  "concurency": 2, "seed": "7", "time_scale": 0, "patience": 0,
  "format": {"type": "gauntlett"},
  "rules": {"book": "asian-2007", "occurrences": 1, "no_capture": {"plies": 0}},
  "points": "2-1-0", "warn": true, "journal": "moves", "tc": "10+0.1",
  "openings": {"file": "x.epd", "list": ["h2h5"], "order": "random"},
  "seed": "8"
}"#;
    check_wrong(
        text,
        &Shelf::default(),
        expect![[r#"
            seed: is given twice (keep one of the two)
            entrants[1].engine.comand: there is no such field (did you mean `command`?)
            entrants[1].engine.protocol: "ucii" is not possible here (did you mean `uci`?)
            entrants[1].engine.command: is missing (The program)
            entrants[2]: must be a text or an object, not the number 5
            entrants[3].options.Level: must be a text or a number or true or false, not a list
            concurency: there is no such field (did you mean `concurrency`?)
            seed: must be a whole number, not the text "8" (write 8 without quotes)
            time_scale: must be at least 0.000001, not 0
            format.type: "gauntlett" is not possible here (did you mean `gauntlet`?)
            rules.book: "asian-2007" is not possible here (did you mean `asian-2006`?)
            rules.occurrences: must be at least 2, not 1
            rules.no_capture.plies: must be at least 1, not 0
            points: "2-1-0" is not possible here (one of 2/1/0, 1/0.5/0)
            warn: must be one of none, ucci, all, not true
            journal: "moves" is not possible here (did you mean `move`?)
            tc: there is no such field (did you mean `time`?)
            openings.order: "random" is not possible here (one of in-order, shuffled)
            entrants[0].engine: no engine is called 'sparing'; looked for /runs/engines/sparing.json, /runs/../engines/sparing.json and among those built in (sparring, elephanteye, fairy-stockfish-cecp, fairy-stockfish-ucci, fairy-stockfish-uci, hoixiangqi, maxqi, person, pikafish, remote, sjaakii-cecp, sjaakii-ucci, sjaakii-uci) (did you mean `sparring`?)
            entrants[1].name: 'A' is the name of entrants[0] too (give each entrant a `name` of its own)
            entrants[3].time: 'fast' is no time control: the unit must be ms, s, m or h (examples: 30m, 10+0.1, 40/60+0.5, 60s/move, nodes=5000, depth=8)
            entrants[4].engine.command: '~/bin/d': `~` is the shell's (write the whole path)
            entrants[4].engine.env["A="]: is no name of an environment variable
            entrants[5].engine: 'bin/e' is no engine's name and no manifest file (for a program write {"command": "bin/e", "protocol": "uci"})
            entrants[6].engine.command: 'sjaakii -ucci' is more than a program's name (arguments go into `args`, one by one)
            entrants[6].time.reserve: must be below `per_move`, or the engine has no time at all
            openings.list: stands beside `file`; only one of the two can be given
            patience: must be above 0, or no engine is ever ready
        "#]],
    );
}

#[test]
fn what_the_schema_cannot_say_is_told() {
    let shelf = Shelf::default();
    check_wrong(
        &two(r#", "format": {"type": "gauntlet", "seeds": 2}"#),
        &shelf,
        expect![[r#"
        format.seeds: seeds must be 1 to 1, not 2
    "#]],
    );
    check_wrong(
        &two(r#", "stages": [{"format": {"type": "pairs"}}], "format": "gauntlet""#),
        &shelf,
        expect![[r#"
            format: stands beside `stages`, which name their own (move it into a stage, or take `stages` out)
        "#]],
    );
    check_wrong(
        &two(r#", "time": {"moves": 3}, "openings": {}"#),
        &shelf,
        expect![[r#"
        time.moves: needs a `base`: it is given again after so many moves
        openings: names no openings (give a `file` or a `list`)
    "#]],
    );
    check_wrong(
        &two(r#", "openings": "none.epd", "time": {"base": 0}"#),
        &shelf,
        expect![[r#"
        time: gives no time at all (examples: 30m, 10+0.1, 40/60+0.5, 60s/move, nodes=5000, depth=8)
        openings: there is no file /runs/none.epd
    "#]],
    );
    check_wrong(
        r#"{"entrants": ["sparring", "sparring"]}"#,
        &shelf,
        expect![[r#"
            entrants[1].name: 'Sparring' is the name of entrants[0] too (give each entrant a `name` of its own)
        "#]],
    );
    check_wrong(
        r#"{"entrants": ["sparring"]}"#,
        &shelf,
        expect![[r#"
        entrants: has 1 entries; at least 2 are needed
    "#]],
    );
    check_wrong(
        "{}",
        &shelf,
        expect![[r#"
        entrants: is missing (Who plays, at least two)
    "#]],
    );
    check_wrong(
        "[1]",
        &shelf,
        expect![[r#"
        must be an object, not a list
    "#]],
    );
    let cecp =
        r#"{"entrants": ["sparring", {"engine": {"command": "x", "protocol": "cecp"}}], "time": "nodes=9"}"#;
    check_wrong(
        cecp,
        &shelf,
        expect![[r#"
        entrants[1]: speaks cecp, which has no word for a limit of nodes (give it a `time` of its own with a clock or a depth)
    "#]],
    );
}

#[test]
fn text_that_is_no_json_says_where_and_what_to_do() {
    let shelf = Shelf::default();
    check_wrong(
        "",
        &shelf,
        expect![[r#"
        this is no JSON: EOF while parsing a value at line 1 column 0 (the file is empty)
    "#]],
    );
    check_wrong(
        "{\n  // remark\n}",
        &shelf,
        expect![[r#"
        this is no JSON: key must be a string at line 2 column 3 (JSON has no comments; put remarks into a field `note`)
    "#]],
    );
    check_wrong(
        "{\"seed\": 1 /* x */}",
        &shelf,
        expect![[r#"
        this is no JSON: expected `,` or `}` at line 1 column 12 (JSON has no comments; put remarks into a field `note`)
    "#]],
    );
    check_wrong(
        "{'seed': 1}",
        &shelf,
        expect![[r#"
        this is no JSON: key must be a string at line 1 column 2 (JSON wants texts in double quotes)
    "#]],
    );
    check_wrong(
        "{\"seed\": 1,}",
        &shelf,
        expect![[r#"
        this is no JSON: trailing comma at line 1 column 12 (take out the comma before the closing bracket)
    "#]],
    );
    check_wrong(
        "# seed\nseed: 1",
        &shelf,
        expect![[r#"
        this is no JSON: expected value at line 1 column 1 (JSON has no comments; put remarks into a field `note`)
    "#]],
    );
    check_wrong(
        &"[".repeat(1000),
        &shelf,
        expect![[r#"
        this is no JSON: recursion limit exceeded at line 1 column 128
    "#]],
    );
}

#[test]
fn a_manifest_file_is_found_above_and_its_problems_are_told_at_the_entrant() {
    let text = r#"{"entrants": ["sparring", "other"]}"#;
    let shelf = Shelf::with(&[("/runs/../engines/other.json", OTHER_ENGINE)]);
    let resolved = try_read(text, &shelf).unwrap();
    let (name, mut own) = manifest(OTHER_ENGINE).unwrap();
    assert_eq!(
        (name.as_str(), own.command.as_str(), own.dir.as_deref()),
        ("Other", "./bin/other", Some("data"))
    );
    own.command = "/runs/../engines/./bin/other".to_owned();
    own.dir = Some("/runs/../engines/data".to_owned());
    assert_eq!(*resolved.plan.entrants[1].engine, own);
    assert_eq!(resolved.config["entrants"][1]["engine"]["command"], "../engines/./bin/other");

    let shelf =
        Shelf::with(&[("/runs/engines/other.json", r#"{"command": "x", "protocol": 3, "args": "y"}"#)]);
    check_wrong(
        text,
        &shelf,
        expect![[r#"
        entrants[1]: in /runs/engines/other.json: protocol: must be one of uci, ucci, cecp, not the number 3
        entrants[1]: in /runs/engines/other.json: args: must be a list, not the text "y"
    "#]],
    );
}

#[test]
fn options_of_the_entrant_go_over_those_of_the_manifest() {
    let shelf = Shelf::with(&[("/runs/engines/other.json", OTHER_ENGINE)]);
    let text = r#"{"entrants": ["sparring", {"engine": "other", "options": {"threads": 4, "Hash": 16.5}}]}"#;
    let plan = try_read(text, &shelf).unwrap().plan;
    let options: Vec<String> =
        plan.entrants[1].engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(options, ["UCI_Variant=xiangqi", "Threads=4", "Ponder=false", "Hash=16.5"]);
}

#[test]
fn openings_are_read_played_through_and_hashed() {
    let file = "\u{feff}# made for tests\n\nh2e2 h9g7 h0g2\n\
        rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 ; start\n\
        position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w moves h2e2\n\
        4k4/9/9/9/9/9/9/9/4A4/B3K4 w ; odd\n";
    let shelf = Shelf::with(&[("/runs/o.epd", file)]);
    let read = |fields: &str| try_read(&two(fields), &shelf).unwrap();
    let all = read(r#", "openings": "o.epd""#);
    let shown = |plan: &Plan| -> Vec<String> {
        plan.openings.iter().map(|opening| format!("{} {:?}", opening.name, opening.moves)).collect()
    };
    assert_eq!(shown(&all.plan), ["line 3 [h2e2, h9g7, h0g2]", "start []", "line 5 [h2e2]", "odd []"]);
    expect![[r#"
        openings: o.epd: game 4, line 6: Red's elephant on a0 could never get there
    "#]]
    .assert_eq(&lines(&all.warnings));
    assert_eq!(all.sources["o.epd"].len(), 64);
    let cut = read(r#", "openings": {"file": "o.epd", "start": 3, "plies": 0}"#);
    assert_eq!(shown(&cut.plan), ["line 5 []", "odd []", "line 3 []", "start []"]);
    let one = read(r#", "openings": {"list": ["h3e3 h10g8"], "squares": "one"}"#);
    assert_eq!(shown(&one.plan), ["opening 1 [h2e2, h9g7]"]);

    let wrong =
        "h2e2 h2e2\nhello\n9/9 w\n4k4/9/9/9/9/9/9/9/9/4K4 w\nR3k4/R8/9/9/9/9/9/9/9/3K5 b\nh2e2 e6e4\n";
    let shelf = Shelf::with(&[("/runs/o.epd", wrong)]);
    check_wrong(
        &two(r#", "openings": {"file": "o.epd", "start": 3}"#),
        &shelf,
        expect![[r#"
            openings.file: o.epd: game 1, line 1, ply 2, 'h2e2': illegal: no piece stands on h2
            openings.file: o.epd: game 2, line 2, ply 1, 'hello': this is no move in any notation that is read here
            openings.file: o.epd: game 3, line 3, '9/9 w': start position: a xiangqi board has 10 ranks separated by '/', this one has 2
            openings.file: o.epd: game 4, line 4, '4k4/9/9/9/9/9/9/9/9/4K4 ': start position: this position cannot be played: the generals face each other on file e
            openings.file: o.epd: game 5, line 5: the side to move has no move in R3k4/R8/9/9/9/9/9/9/9/3K5 b - - 0 1
            openings.file: o.epd: game 6, line 6, ply 2, 'e6e4': illegal: the piece on e6 does not go to e4
        "#]],
    );
}

#[test]
fn settings_reach_the_plan() {
    let plan = plan(
        r#", "time": {"base": "1m", "increment": 0.5, "moves": 40, "nodes": 9},
        "stages": [{"name": "First", "format": {"type": "round-robin", "cycles": 3, "order": "cycles"}},
                   {"format": {"type": "pairs", "pairs": 7}, "time": {"per_move": "200ms"}}],
        "rules": {"book": "plain", "occurrences": 4, "dead_position": false, "no_capture": null, "max_plies": 300},
        "crash": "restart", "journal": "move", "time_scale": 0.5, "margin": "10ms", "drain": "90s",
        "faults": {"max": 3}, "tie_break": []"#,
    );
    let times: Vec<String> = plan.stages.iter().map(|stage| stage.time.to_string()).collect();
    assert_eq!(times, ["40/30+0.25 nodes=9", "0.1/move"]);
    assert_eq!(plan.stages[1].name, "Stage 2");
    assert_eq!(plan.stages[1].format, Format::Pairs { pairs: 7 });
    assert_eq!((plan.rules.no_capture, plan.rules.max_plies), (None, Some(300)));
    assert_eq!((plan.rules.repetition.book.name(), plan.rules.repetition.occurrences), ("plain", 4));
    assert_eq!((plan.conduct.crash, plan.conduct.grain), (CrashRule::Restart, Grain::Move));
    assert_eq!(plan.conduct.margin, Duration::from_millis(5));
    assert_eq!(
        (plan.conduct.drain, plan.conduct.patience),
        (Duration::from_secs(90), Duration::from_secs(60))
    );
    assert_eq!((plan.conduct.max_faults, plan.tie_break.0.len()), (Some(3), 0));
}

#[test]
fn every_format_has_a_short_and_a_long_form() {
    let field = |count: usize, format: &str| {
        let names: Vec<String> =
            (0..count).map(|n| format!(r#"{{"name": "{n}", "engine": "sparring"}}"#)).collect();
        let text = format!(r#"{{"entrants": [{}], "format": {format}}}"#, names.join(", "));
        let resolved =
            try_read(&text, &Shelf::default()).unwrap_or_else(|p| panic!("{format}: {}", lines(&p)));
        resolved.plan.stages[0].format.clone()
    };
    for (count, short, long) in [
        (9, r#""round-robin""#, r#"{"type": "round-robin", "cycles": 2, "order": "bouts"}"#),
        (9, r#""gauntlet""#, r#"{"type": "gauntlet", "seeds": 1, "games": 2}"#),
        (2, r#""pairs""#, r#"{"type": "pairs", "pairs": 1}"#),
        (9, r#""swiss""#, r#"{"type": "swiss", "rounds": 4, "games": 2}"#),
        (2, r#""swiss""#, r#"{"type": "swiss", "rounds": 1, "games": 2}"#),
        (9, r#""knockout""#, r#"{"type": "knockout", "games": 2, "extra": 10, "level": "held"}"#),
    ] {
        assert_eq!(field(count, short), field(count, long), "{short}");
    }
}

#[test]
fn overrides_are_in_the_resolved_config() {
    let overrides = Overrides {
        affinity: Some("0,2-3".to_owned()),
        stagger: Some(Duration::from_millis(20)),
        concurrency: Some(3),
        seed: Some(u64::MAX),
        time_scale: Some(0.2),
        drain: Some(Duration::from_micros(1_500_001)),
        strict: true,
    };
    let resolved =
        read(&two(r#", "concurrency": 9, "drain": 5"#), "/runs", &Shelf::default(), &overrides).unwrap();
    let conduct = &resolved.plan.conduct;
    assert_eq!((conduct.concurrency, conduct.max_faults, resolved.plan.seed), (3, Some(0), u64::MAX));
    assert_eq!(conduct.drain, Duration::from_micros(1_500_001));
    assert_eq!(resolved.plan.stages[0].time.to_string(), "2+0.02");
    let again = from_value(&resolved.config, "/runs", &Shelf::default(), &NO_OVERRIDES).unwrap();
    assert_eq!((again.plan, again.config), (resolved.plan, resolved.config));
    let problems = read(&two(""), "", &Shelf::default(), &Overrides { concurrency: Some(0), ..NO_OVERRIDES });
    expect!["concurrency: must be at least 1, not 0\n"].assert_eq(&lines(&problems.unwrap_err()));
}

#[test]
fn ucci_engines_are_warned_in_open_testing_alone() {
    let warned = |text: &str| {
        let conduct =
            try_read(text, &Shelf::default()).unwrap_or_else(|p| panic!("{}", lines(&p))).plan.conduct;
        (conduct.warn, conduct.warn_uci)
    };
    assert_eq!(warned(&two("")), (true, false));
    assert_eq!(warned(&two(r#", "warn": "none""#)), (false, false));
    assert_eq!(warned(&two(r#", "warn": "all""#)), (true, true));
    assert_eq!(warned(include_str!("../../configs/2006-championship.json")), (false, false));
}

#[test]
fn what_does_nothing_is_a_warning() {
    let warned = |fields: &str| {
        let resolved = try_read(&two(fields), &Shelf::default()).unwrap();
        lines(&resolved.warnings)
    };
    assert_eq!(
        warned(
            r#", "warn": "ucci", "rules": {"book": "plain"}, "time": "depth=3", "time_scale": 2, "tie_break": ["wins", "wins"]"#
        ),
        "warn: warns of nothing: under the rule book `plain` no repetition is lost\n\
         time_scale: changes nothing: there is no clock\n\
         tie_break: names one criterion twice; the second decides nothing\n"
    );
    assert_eq!(warned(r#", "warn": "ucci""#), "");
}

#[test]
fn the_schema_describes_every_field() {
    fn check(schema: &Value, place: &str) {
        for (name, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let described = member.get("description").is_some() || member.get("const").is_some();
            assert!(described, "{place}.{name} has no description");
        }
        for branch in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
            check(branch, place);
        }
    }
    let schema = schema();
    check(&schema, "run");
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        check(definition, name);
    }
}

/// Any JSON value, with words of the config among its texts and names.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        "[a-z]{0,3}",
        prop::sample::select(vec![
            "entrants",
            "engine",
            "sparring",
            "command",
            "protocol",
            "uci",
            "time",
            "10+0.1",
            "format",
            "type",
            "pairs",
            "gauntlet",
            "stages",
            "openings",
            "list",
            "file",
            "h2e2 h9g7",
            "rules",
            "no_capture",
            "options",
            "name",
            "base",
            "per_move",
            "reserve",
            "faults",
            "max",
            "0",
            "drain",
            "@self",
        ])
        .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0u8..5).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// All places of a value, as pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| places(value, &format!("{at}/{index}"), found));
        }
        Value::Object(object) => {
            object.iter().for_each(|(name, value)| places(value, &format!("{at}/{name}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A config of the project with one place changed for anything.
fn spoilt_config() -> impl Strategy<Value = Value> {
    (prop::sample::select(CONFIGS), any::<prop::sample::Index>(), any_json()).prop_map(
        |((_, text), index, other)| {
            let mut value: Value = serde_json::from_str(text).unwrap();
            let mut found = Vec::new();
            places(&value, "", &mut found);
            if let Some(place) = value.pointer_mut(&found[index.index(found.len())]) {
                *place = other;
            }
            value
        },
    )
}

#[test]
fn tests_that_make_no_sense_are_refused() {
    let shelf = Shelf::with(&[]);
    let pairs = r#", "format": {"type": "pairs", "pairs": 9}"#;
    for (fields, expected) in [
        (
            format!(r#"{pairs}, "sprt": {{"elo0": 5, "elo1": 0}}"#),
            "sprt: elo0 (5) must be less than elo1 (0)",
        ),
        (
            format!(r#"{pairs}, "sprt": {{"elo1": 300}}"#),
            "sprt: normalized Elo bounds of 0 and 300 are too far",
        ),
        (format!(r#"{pairs}, "sprt": {{"alpha": 0.7}}"#), "sprt: alpha must be more than 0"),
        (
            r#", "format": "round-robin", "sprt": {}"#.to_owned(),
            "sprt: tests a match of two in pairs of games",
        ),
        (r#", "resign": {"move_count": 3}"#.to_owned(), "resign"),
    ] {
        let problems = try_read(&two(&fields), &shelf).map(|_| ()).expect_err(&fields);
        assert!(lines(&problems).contains(expected), "{fields}: {}", lines(&problems));
    }
    let read = try_read(&two(&format!(r#"{pairs}, "sprt": {{}}, "draw": {{"score": 0}}"#)), &shelf);
    let plan = read.map_err(|problems| lines(&problems)).expect("it is right").plan;
    assert_eq!(plan.sprt.map(|sprt| (sprt.elo0, sprt.elo1, sprt.alpha)), Some((0.0, 5.0, 0.05)));
    assert!(plan.conduct.adjudication.draw.is_some() && plan.conduct.adjudication.resign.is_none());
}

/// Nothing panics, an error has a reason, and a plan is the same when read again.
fn check_any(value: &Value) -> Result<(), TestCaseError> {
    let shelf = Shelf::with(&[("/runs/engines/a.json", OTHER_ENGINE)]);
    match from_value(value, "/runs", &shelf, &NO_OVERRIDES) {
        Err(problems) => prop_assert!(!problems.is_empty()),
        Ok(resolved) => {
            prop_assert!(resolved.plan.entrants.len() >= 2 && !resolved.plan.stages.is_empty());
            let again = from_value(&resolved.config, "/runs", &shelf, &NO_OVERRIDES);
            let again = again.map_err(|problems| TestCaseError::fail(lines(&problems)))?;
            prop_assert_eq!(again.plan, resolved.plan);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(value in any_json()) {
        check_any(&value)?;
        let _ = manifest(&value.to_string());
    }

    #[test]
    fn a_spoilt_config_is_read_or_refused(value in spoilt_config()) {
        check_any(&value)?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}\",:a-z0-9/ \n\u{e9}\u{4e00}']{0,40}") {
        let read = try_read(&text, &Shelf::default());
        prop_assert!(read.is_ok() || !read.unwrap_err().is_empty());
    }
}

#[test]
fn settings_of_testing_reach_the_plan_or_are_refused() {
    let plan_of = plan(
        r#", "format": {"type": "pairs", "pairs": 3}, "ponder": true, "draw_as_black_win": true, "min_score": 0.5,
           "colours": "kept-reversed",
           "affinity": "1,0", "stagger": "20ms", "pause": 0.5, "ready_patience": 3, "start_patience": "7s",
           "engine_log": "log.txt", "info_lines": true, "match_line": "^info string x""#,
    );
    let conduct = &plan_of.conduct;
    assert!(plan_of.draw_as_black_win && plan_of.entrants.iter().all(|entrant| entrant.engine.ponder));
    assert_eq!((plan_of.min_score, conduct.affinity.clone().unwrap().cores), (Some(0.5), vec![1, 0]));
    assert_eq!((conduct.stagger, conduct.pause), (Duration::from_millis(20), Duration::from_millis(500)));
    assert_eq!((conduct.ready_patience, conduct.patience), (Duration::from_secs(3), Duration::from_secs(60)));
    assert_eq!(conduct.engine_log.as_deref(), Some("/runs/log.txt"));
    let engine = &plan_of.entrants[0].engine;
    assert_eq!((engine.start_patience_ms, engine.keeps.info), (7000, true));
    assert_eq!(engine.keeps.matching.as_deref(), Some("^info string x"));
    assert_eq!(plan_of.colours, Colours::KeptReversed);
    let plain = plan("");
    assert_eq!(plain.colours, Colours::Exchanged);
    assert!(plain.conduct.affinity.is_none() && !plain.draw_as_black_win && !plain.entrants[0].engine.ponder);
    assert_eq!(plain.conduct.ready_patience, plain.conduct.patience);
    for (fields, told) in [
        (r#", "affinity": "2-1""#, "affinity: the range '2-1' runs backwards"),
        (r#", "match_line": "(""#, "match_line: is no regular expression"),
        (r#", "min_score": 0.5"#, "min_score: ends a match of two in pairs of games"),
        (
            r#", "format": {"type": "round-robin", "order": "cycles"}, "colours": "kept""#,
            "colours: the format shares out the colours itself",
        ),
        (
            r#", "format": "swiss", "colours": "reversed""#,
            "colours: the format shares out the colours itself",
        ),
        (r#", "colours": "black""#, "colours: "),
        (r#", "ready_patience": 0"#, "ready_patience: must be above 0"),
        (
            r#", "regulation": "man-machine", "format": "boards", "time": "45m", "ponder": true"#,
            "ponder: I.3: engines that share a machine do not think on the opponent's time",
        ),
        (
            r#", "regulation": "man-machine", "format": "boards", "time": "45m", "draw_as_black_win": true"#,
            "draw_as_black_win: III.6 gives both sides a point for a draw",
        ),
    ] {
        let problems = try_read(&two(fields), &Shelf::default()).expect_err(fields);
        assert!(lines(&problems).contains(told), "{fields}\n{}", lines(&problems));
    }
    let nodes = try_read(&two(r#", "time": "nodes=100", "ponder": true"#), &Shelf::default()).unwrap();
    assert!(lines(&nodes.warnings).contains("games limited by nodes do not repeat"));
    let one =
        r#"{"entrants": [{"name": "A", "engine": "sparring", "ponder": false}, "sparring"], "ponder": true}"#;
    let ponders: Vec<bool> =
        try_read(one, &Shelf::default()).unwrap().plan.entrants.iter().map(|e| e.engine.ponder).collect();
    assert_eq!(ponders, [false, true]);
}

#[test]
fn an_engine_of_another_programs_list_is_found_by_file_and_name() {
    let list = r#"[{"name": "Eye 3", "command": "./eleeye", "protocol": "ucci"}]"#;
    let shelf = Shelf::with(&[("/runs/lists/engines.json", list)]);
    let text = |name: &str| {
        format!(r#"{{"entrants": [{{"name": "A", "engine": "lists/engines.json#{name}"}}, "sparring"]}}"#)
    };
    let resolved = try_read(&text("Eye 3"), &shelf).unwrap_or_else(|problems| panic!("{}", lines(&problems)));
    assert_eq!(resolved.plan.entrants[0].engine.command, "/runs/lists/./eleeye");
    // Resumed from the journal it needs the list no more.
    let again = from_value(&resolved.config, "/runs", &Shelf::default(), &NO_OVERRIDES).unwrap();
    assert_eq!(again.plan, resolved.plan);
    let problems = try_read(&text("Eye 2"), &shelf).expect_err("it is not there");
    assert!(lines(&problems).contains("has no engine called 'Eye 2'; it has Eye 3"), "{}", lines(&problems));
}
