//! Draws up `QUIRKS.md` from the two tables and holds the project's copy to it. `UPDATE_EXPECT=1` writes it
//! anew. Start at [`the_document_says_what_the_tables_say`].

use std::fmt::Write as _;
use std::path::Path;

use crate::complaints::COMPLAINTS;
use crate::is_there;
use crate::table::{Held, ROWS, Row, Verdict};

const HEAD: &str = "# Hostile engines\n\n\
    Drawn up by `UPDATE_EXPECT=1 cargo test --test end_to_end_quirks` from the tables in \
    `tests/end_to_end_quirks/`; the same test plays every row with real processes and holds this file to the \
    tables. In each row the engine with the quirk plays two games on one board while two other engines play on \
    another: their games are the same, move for move, as without it, the run ends with exit code 0 (2 where an \
    engine does not start), and no process is left a second later. Where the verdict is *none* the games of the \
    engine with the quirk, too, are the same as without it.\n\n\
    `chuhe fake-engine` is the engine; a wrong switch makes it list them all.\n\n\
    | verdict | is seen |\n|---|---|\n\
    | crash | within 100 ms of the exit |\n\
    | illegal move, resignation | with the answer |\n\
    | time | within 1 s of flag and margin |\n\
    | no answer | within 1 s of `patience`, where no clock runs |\n\
    | not started | at check-in, at once or when `start_patience` is over; no game is played |\n\n";

fn verdict(row: &Row) -> (String, &'static str) {
    match row.verdict {
        Verdict::None => ("none".to_owned(), "-"),
        Verdict::Crash(how) => (format!("crash: {how}"), "100 ms"),
        Verdict::Stall(what) => (format!("no answer: {what}"), "patience + 1 s"),
        Verdict::Time => ("time".to_owned(), "margin + 1 s"),
        Verdict::Illegal("") => ("illegal move".to_owned(), "with the answer"),
        Verdict::Illegal(text) => (format!("illegal move: `{text}`"), "with the answer"),
        Verdict::Resigned => ("resignation".to_owned(), "with the answer"),
        Verdict::Agreed => ("draw agreed".to_owned(), "with the answer"),
        Verdict::NotStarted(words) => (format!("not started: {}", words.join(", ")), "check-in"),
    }
}

fn held(row: &Row) -> String {
    match row.held {
        Held::Played(protocol, switches) => format!("{} `{}`", protocol.to_uppercase(), switches.join(" ")),
        Held::Made(_) => "a program made by the test".to_owned(),
        Held::Elsewhere(tests) => tests.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", "),
    }
}

fn document() -> String {
    let mut text = HEAD.to_owned();
    text.push_str(
        "## Quirks\n\n| no. | the engine | verdict | seen within | held by |\n|---|---|---|---|---|\n",
    );
    for row in ROWS {
        let number = if row.number == 0 { "-".to_owned() } else { row.number.to_string() };
        let ((verdict, within), held) = (verdict(row), held(row));
        let note = if row.note.is_empty() { String::new() } else { format!(" (noted: {})", row.note) };
        let _ = writeln!(text, "| {number} | {} | {verdict}{note} | {within} | {held} |", row.quirk);
    }
    text.push_str(
        "\n## What users of other runners have met\n\n\
         Complaints from the trackers of other runners, in our own words, and what happens here.\n\n\
         | where | what happened | here | held by |\n|---|---|---|---|\n",
    );
    for complaint in COMPLAINTS {
        let tests: Vec<String> = complaint.tests.iter().map(|test| format!("`{test}`")).collect();
        let tests = if tests.is_empty() { "-".to_owned() } else { tests.join(", ") };
        let _ = writeln!(
            text,
            "| {} {} | {} | {} | {tests} |",
            complaint.peer, complaint.mark, complaint.happened, complaint.here
        );
    }
    text
}

#[test]
fn the_document_says_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("QUIRKS.md");
    let drawn = document();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let line = kept.lines().zip(drawn.lines()).position(|(kept, drawn)| kept != drawn);
    assert!(
        kept == drawn,
        "QUIRKS.md is not what the tables say (line {line:?}); UPDATE_EXPECT=1 draws it up"
    );
}

#[test]
fn every_named_test_is_there() {
    let rows = ROWS.iter().filter_map(|row| match row.held {
        Held::Elsewhere(tests) => Some(tests),
        Held::Played(..) | Held::Made(_) => None,
    });
    let named: Vec<&str> =
        rows.chain(COMPLAINTS.iter().map(|complaint| complaint.tests)).flatten().copied().collect();
    let missing: Vec<_> = named.iter().filter(|test| !is_there(test)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(named.len() > 100);
    assert!(!is_there("tests/tidy.rs::no_such_test") && !is_there("tests/no_such_file.rs"));
}
