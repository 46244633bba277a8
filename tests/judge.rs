//! The commands `judge` and `rules`, run through the library: explanations in both languages and as JSON
//! (snapshots under `tests/judge`, written anew with `UPDATE_EXPECT=1`), games, journals and cases, bad input;
//! and the warning before a losing loop is judged. Start at [`an_explanation_in_both_languages`].

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chuhe::cli::{Exit, Said, said};
use chuhe::engine::{Manifest, Protocol};
use chuhe::game::{Adjudication, Game, Terms, TimeControl};
use chuhe::law::{ARTICLES, Repetition, Rules};
use chuhe::plan::{CrashRule, Points};
use chuhe::record::encode;
use chuhe::table::{Chair, Effect, Input, Manners, Table};
use chuhe::time::At;
use chuhe::xiangqi::{BySide, Position, Side};
// The fixture is shared with the unit tests of `record`, where these are modules of the crate.
use chuhe::{engine, game, law, plan, record, time, tournament, xiangqi};
use expect_test::expect_file;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

#[path = "../src/record/fixture.rs"]
#[allow(dead_code)]
mod fixture;

/// A chariot chases a cannon whose only guard is pinned.
const FALSE_ROOT: [&str; 5] =
    ["judge", "--fen", "4k4/9/R8/4n4/6c2/9/9/9/4R4/5K3 w", "--moves", "a7a5 g5g7 a5a7 g7g5"];

/// A soldier's step takes the protection away on one half-move and opens a direct attack on the other; the
/// victim stands on a horse's leg.
const PINNED: [&str; 5] = [
    "judge",
    "--fen",
    "5k3/9/9/9/9/9/7r1/4N4/2nRA3c/3nK4 w",
    "--moves",
    "e1f0 h3h1 f0e1 h1h3 e1f0 h3h1 f0e1 h1h3",
];

fn snapshot(file: &str, text: &str) {
    let path = format!("{}/tests/judge/{file}", env!("CARGO_MANIFEST_DIR"));
    expect_file![path].assert_eq(text);
}

/// A file that lives as long as the test that made it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("chuhe-judge-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn own(name: &str) -> String {
    Path::new("tests").join(name).display().to_string()
}

fn with(words: &[&'static str], more: &[&'static str]) -> Said {
    said(&[words, more].concat())
}

fn json(said: &Said) -> Vec<Value> {
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}", said.out))
}

#[test]
fn an_explanation_in_both_languages() {
    for (name, words) in [("false-root", FALSE_ROOT), ("pinned-chariot", PINNED)] {
        for lang in ["en", "zh"] {
            let said = with(&words, &["--lang", lang]);
            assert_eq!((said.exit, said.err.as_str()), (Exit::Done, ""), "{name}");
            snapshot(&format!("{name}.{lang}.txt"), &said.out);
        }
    }
    let value = json(&with(&FALSE_ROOT, &["--json"]));
    snapshot("false-root.json", &(serde_json::to_string_pretty(&value).unwrap() + "\n"));
}

#[test]
fn a_line_may_be_written_in_any_notation_and_end_otherwise() {
    let fen = "9/9/3k5/5r3/9/9/9/9/9/4K4 b";
    for moves in ["f6e6 e0f0 e6f6 f0e0", "R6.5 K5.4 R5.6 K4.5", "车６平５ 帅五平四 车５平６ 帅四平五"]
    {
        let said = said(&["judge", "--fen", fen, "--moves", moves]);
        assert!(said.out.contains("Black loses by repetition: perpetual check"), "{moves}: {said:?}");
    }
    let mate = said(&["judge", "--fen", "4k4/9/9/9/9/9/9/8R/7R1/5K3 w", "--moves", "h1h8 e9d9 i2i9"]);
    assert!(mate.out.contains("by the rules 1-0\n  after half-move 3: Black is mated"), "{mate:?}");
    for (book, verdict) in [("computer", "Black loses"), ("plain", "Draw")] {
        let said = said(&["judge", "--fen", fen, "--moves", "f6e6 e0f0 e6f6 f0e0", "--book", book]);
        assert!(said.out.contains(&format!("{verdict} by repetition")), "{said:?}");
    }
    let four = with(&FALSE_ROOT, &["--occurrences", "4"]);
    assert!(four.out.contains("The position stood 4 times; half-moves 1 to 12"), "{four:?}");
}

#[test]
fn games_of_a_file() {
    let file = own("judge/games.pgn");
    let plain = said(&["judge", &file]);
    assert_eq!(plain.exit, Exit::Wrong, "an unreadable game");
    snapshot("games.txt", &format!("{}{}", plain.out, plain.err));
    let chinese = said(&["judge", &file, "--lang", "zh", "--explain"]);
    snapshot("games.zh.txt", &chinese.out);
    let values = json(&said(&["judge", &file, "--json"]));
    let of = |field: &str| -> Vec<&Value> { values.iter().map(|value| &value[field]).collect() };
    assert_eq!(of("result_computed"), ["1-0", "1-0", "*", "*"]);
    assert_eq!(of("result_recorded"), ["0-1", "1-0", "1/2-1/2", "1-0"]);
    assert_eq!(of("differs"), [true, false, false, false]);
    assert_eq!(of("plies"), [10, 3, 4, 3]);
    assert_eq!(of("game"), [1, 2, 3, 4]);
    for (value, rulings) in values.iter().zip([1, 0, 0, 0]) {
        assert_eq!(value["file"], file.as_str());
        assert_eq!(value["final_fen"].as_str().unwrap().split(' ').count(), 6);
        assert_eq!(value["rulings"].as_array().unwrap().len(), rulings);
    }
    let ruling = &values[0]["rulings"][0];
    assert_eq!((&ruling["article"], &ruling["ply"]), (&Value::from(1), &Value::from(8)));
    assert!(values[3]["error"].as_str().unwrap().contains("ply 4, 'a9a5'"), "{}", values[3]);
}

#[test]
fn a_differing_result_is_told_and_is_wrong_only_when_that_is_asked() {
    let text = std::fs::read_to_string(own("judge/games.pgn")).unwrap();
    let first = text.split("\n\n[Event").next().unwrap();
    let file = Scratch::new("differs.pgn", first);
    for (words, exit) in [(vec![], Exit::Done), (vec!["--strict"], Exit::Wrong)] {
        let said = said(&[vec!["judge", file.path()], words].concat());
        assert_eq!(said.exit, exit);
        assert!(said.out.ends_with("1 games, 1 rulings, 1 results differ, 0 games cannot be read\n"));
    }
}

#[test]
fn a_journal_is_judged_by_its_own_rules() {
    let journal: String = fixture::events(Points::TwoOneZero).iter().map(encode).collect();
    let file = Scratch::new("journal.jsonl", &journal);
    let said = said(&["judge", "--strict", file.path()]);
    assert_eq!((said.exit, said.err.as_str()), (Exit::Done, ""));
    assert!(
        said.out.ends_with("12 games, 2 rulings, 0 results differ, 0 games cannot be read\n"),
        "{}",
        said.out
    );
    let four = chuhe::cli::said(&["judge", "--occurrences", "4", file.path()]);
    assert!(four.out.contains("12 games, 0 rulings"), "{}", four.out);
    let folder = std::env::temp_dir().join(format!("chuhe-judge-{}-run", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("journal.jsonl"), &journal).unwrap();
    std::fs::write(folder.join("games.pgn"), "1. h2e2 *").unwrap();
    let run = chuhe::cli::said(&["judge", folder.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(run.out.ends_with("12 games, 2 rulings, 0 results differ, 0 games cannot be read\n"));
    let torn = Scratch::new("torn.jsonl", &journal.replacen("\"seq\":3", "\"seq\":4", 1));
    let torn = chuhe::cli::said(&["judge", torn.path()]);
    assert_eq!(torn.exit, Exit::Wrong);
    assert!(torn.err.contains("event 4 where 3 was due"), "{}", torn.err);
}

#[test]
fn cases_of_the_project_and_of_others() {
    let file = own("cases/articles.json");
    let count = std::fs::read_to_string(&file).unwrap().matches("\"verdict\"").count();
    let judged = said(&["judge", "--cases", &file]);
    assert_eq!((judged.exit, judged.out), (Exit::Done, format!("{count} cases, 0 wrong\n")));
    for (name, count) in [("constructed.json", 85), ("sourced.json", 201), ("loops.jsonl", 1697)] {
        let Some(path) = support::shared(&format!("rule-cases/{name}")) else { continue };
        let judged = said(&["judge", "--cases", path.to_str().unwrap()]);
        assert_eq!((judged.exit, judged.out), (Exit::Done, format!("{count} cases, 0 wrong\n")), "{name}");
    }
}

#[test]
fn every_case_can_be_explained_within_a_terminal() {
    let files =
        [Some(PathBuf::from(own("cases/articles.json"))), support::shared("rule-cases/constructed.json")];
    for file in files.into_iter().flatten() {
        let file = file.to_str().unwrap();
        for lang in ["en", "zh"] {
            let judged = said(&["judge", "--cases", "--explain", "--lang", lang, file]);
            let explained = judged.out.lines().filter(|line| line.starts_with("  "));
            let most = explained.map(UnicodeWidthStr::width).max();
            assert!(most.is_some_and(|most| most <= 104), "{file} {lang}: {most:?} columns");
        }
        for case in json(&said(&["judge", "--cases", "--explain", "--json", file])) {
            let told = &case["explanation"];
            let halves = told["half_moves"].as_array().unwrap();
            assert!((halves.len() as u64).is_multiple_of(told["round"].as_u64().unwrap()), "{case}");
            let chased =
                |half: &&Value| half["attacks"].as_array().unwrap().iter().any(|at| at["chase"] == true);
            assert!(halves.iter().filter(chased).all(|half| half["label"] == "chase"), "{case}");
        }
    }
}

#[test]
fn wrong_cases_are_named() {
    let file = own("judge/cases.jsonl");
    let judged = said(&["judge", "--cases", &file]);
    assert_eq!(judged.exit, Exit::Wrong);
    snapshot("cases.txt", &judged.out);
    let values = json(&said(&["judge", "--cases", "--json", &file]));
    let right: Vec<bool> = values.iter().map(|value| value["right"].as_bool().unwrap()).collect();
    assert_eq!(right, [true, false, false, false, false, false, false, false]);
    let array = Scratch::new("array.json", "[{\"fen\": 1}, 2");
    let array = said(&["judge", "--cases", array.path()]);
    assert_eq!((array.exit, array.out.lines().last()), (Exit::Wrong, Some("1 cases, 1 wrong")));
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let check = |words: &[&str], exit: Exit, expected: &str| {
        let said = said(words);
        assert_eq!(said.exit, exit, "{words:?}: {said:?}");
        assert!(said.err.contains(expected), "{words:?}: {}", said.err);
    };
    let line =
        |fen, moves, expected| check(&["judge", "--fen", fen, "--moves", moves], Exit::Usage, expected);
    let fen = "9/9/3k5/5r3/9/9/9/9/9/4K4 b";
    line(fen, "f6e6 e0e1", "ply 2, 'e0e1': illegal");
    line(fen, "f6e6 xyz", "ply 2, 'xyz'");
    line(fen, "f6e6 e0f0", "after half-move 2 no position has stood 3 times");
    line(fen, "", "after half-move 0 no position");
    line("9/9/9/5r3/9/9/9/9/9/4K4 b", "f6e6", "Black has no general");
    line("9/9/9", "f6e6", "FEN: ");
    check(&["judge"], Exit::Usage, "required");
    check(&["judge", "/nowhere/at/all.pgn"], Exit::Usage, "/nowhere/at/all.pgn");
    check(&["judge", "--cases", "/nowhere/at/all.json"], Exit::Usage, "/nowhere/at/all.json");
    check(&["judge", "--book", "home", "x.pgn"], Exit::Usage, "asian-2006, computer, plain");
    check(&["judge", "--occurrences", "1", "x.pgn"], Exit::Usage, "2..=100");
    check(&["rules", "36"], Exit::Usage, "0..=35");
    let odd = "3k5/9/9/9/9/9/9/9/3A5/4KA2r w";
    let said = said(&["judge", "--fen", odd, "--moves", "e0e1 i0i1 e1e0 i1i0"]);
    assert!(said.exit == Exit::Done && said.err.contains("advisor on d1 could never get there"), "{said:?}");
}

#[test]
fn every_article_is_printed_with_an_example_that_cites_it() {
    let all = said(&["rules"]);
    let chinese = said(&["rules", "--lang", "zh"]);
    for article in &ARTICLES {
        let number = article.number;
        assert!(all.out.contains(&format!("Article {number}: {}", article.title.en)));
        assert!(chinese.out.contains(&format!("第 {number} 条 {}", article.title.zh)));
        let one = said(&["rules", &number.to_string()]);
        let cited = format!("Asian rules 2006, article {number} on ");
        assert!(one.exit == Exit::Done && one.out.contains(&cited), "{}", one.out);
        let one = said(&["rules", &number.to_string(), "--lang", "zh"]);
        assert!(one.out.contains(&format!("亚洲棋规 2006，第 {number} 条（")), "{}", one.out);
    }
    assert!(said(&["rules", "0"]).out.contains("Asian rules 2006, general rule\n"));
    snapshot("rules-22.txt", &said(&["rules", "22"]).out);
    snapshot("rules-22.zh.txt", &said(&["rules", "22", "--lang", "zh"]).out);
}

/// Plays moves at a table of two engines that say just them; the notes that were made, with the half-move
/// after which they came.
fn notes(occurrences: u32, fen: &str, moves: &str) -> Vec<(usize, Side, &'static str, String)> {
    let rules = Rules { repetition: Repetition { occurrences, ..Repetition::default() }, ..Rules::default() };
    let untimed = TimeControl::parse("depth=1").unwrap();
    let terms = Terms {
        rules,
        controls: BySide { red: untimed, black: untimed },
        margin: Duration::ZERO,
        patience: Duration::from_secs(60),
        draw_offers: true,
        adjudication: Adjudication::default(),
        draw_as_black_win: false,
    };
    let game = Game::new(terms, Position::from_fen(fen).unwrap(), &[]);
    let manifest = Arc::new(Manifest::new("engine", Protocol::Ucci));
    let chairs = BySide::from_fn(|_| Chair::absent(&manifest, game.trail().start()));
    let manners =
        Manners { crash: CrashRule::Loses, warn: true, warn_uci: false, patience: Duration::from_secs(60) };
    let mut table = Table::new(game, chairs, manners);
    let mut moves = moves.split_whitespace();
    let (mut notes, mut played, mut effects) = (Vec::new(), 0, Vec::new());
    table.step(At::ZERO, Input::Begin, &mut effects);
    while !effects.is_empty() {
        for effect in std::mem::take(&mut effects) {
            match effect {
                Effect::Start(side) => table.step(At::ZERO, Input::Started(side), &mut effects),
                Effect::Send(side) => {
                    let said = String::from_utf8(std::mem::take(table.outbox(side))).unwrap();
                    table.step(At::ZERO, Input::Sent(side), &mut effects);
                    for line in said.lines() {
                        let answer = match line.split(' ').next() {
                            Some("ucci") => "ucciok".to_owned(),
                            Some("isready") => "readyok".to_owned(),
                            Some("go") => format!("bestmove {}", moves.next().unwrap_or("resign")),
                            _ => continue,
                        };
                        table.step(At::ZERO, Input::Line(side, answer.as_bytes()), &mut effects);
                    }
                }
                Effect::Moved(..) => played += 1,
                Effect::Note(side, kind, text) => notes.push((played, side, kind, text)),
                Effect::Over(_) => return notes,
                Effect::Overran(..) | Effect::Advised(..) => panic!("nobody overruns or advises"),
                Effect::Kill(_) | Effect::Rotate(_) | Effect::Settled => {}
            }
        }
    }
    notes
}

#[test]
fn a_losing_loop_is_noted_before_it_is_judged() {
    let warning = |occurrences, fen, moves: &str, expected: &[(usize, Side)]| {
        let notes = notes(occurrences, fen, moves);
        let places: Vec<(usize, Side)> = notes
            .iter()
            .filter(|(_, _, kind, _)| *kind == "repetition_warning")
            .map(|(played, side, ..)| (*played, *side))
            .collect();
        assert_eq!(places, expected, "{notes:?}");
        notes.into_iter().map(|(_, _, _, text)| text).next()
    };
    let checks = "9/9/3k5/5r3/9/9/9/9/9/4K4 b";
    let round = "f6e6 e0f0 e6f6 f0e0 ";
    let text = warning(3, checks, &round.repeat(2), &[(4, Side::Black)]);
    assert_eq!(
        text.as_deref(),
        Some(
            "the position stands for the second time; if the loop goes on, Black loses (article 1, \
             Perpetual check)"
        )
    );
    warning(4, checks, &round.repeat(3), &[(8, Side::Black)]);
    warning(2, checks, round, &[]);
    warning(3, "4k3r/9/9/9/9/9/9/9/9/R2K5 w", "a0a1 i9i8 a1a0 i8i9 a0a1 i9i8 a1a0 i8i9", &[]);
}
