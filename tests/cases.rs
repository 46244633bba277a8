//! The law held to its cases: our own, the shared ones, their mirror images, colours exchanged and
//! entered at every half-move; random loops; the readings. Start at [`Case`].

mod support;

use chuhe::law::{Book, Trail, Verdict, judge, play_loop, verdict};
use chuhe::xiangqi::{Move, Position, SquareStyle};
use serde_json::Value;

/// A case of the case files (`asian-rules.md` 5) or of the loops file.
struct Case {
    id: String,
    article: Option<u8>,
    start: Position,
    prefix: Vec<Move>,
    round: Vec<Move>,
    verdict: String,
}

fn moves(list: &Value) -> Vec<Move> {
    let words = list.as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    words.map(|word| SquareStyle::Zero.read(word.as_bytes()).unwrap()).collect()
}

impl Case {
    fn read(value: &Value, index: usize) -> Case {
        let loops = value.get("loop").is_some();
        let field = |case: &'static str, other: &'static str| &value[if loops { other } else { case }];
        Case {
            id: value["id"].as_str().map_or_else(|| format!("loop {}", index + 1), str::to_owned),
            article: value["article"].as_u64().map(|number| number as u8),
            start: Position::from_fen(value["fen"].as_str().unwrap()).unwrap(),
            prefix: moves(field("prefix_moves", "prefix")),
            round: moves(field("loop_moves", "loop")),
            verdict: field("verdict", "ours").as_str().unwrap().to_owned(),
        }
    }

    fn game(&self, occurrences: u32) -> Trail {
        play_loop(self.start.clone(), &self.prefix, &self.round, occurrences)
            .unwrap_or_else(|error| panic!("{}: {error}", self.id))
    }
}

fn span(trail: &Trail, occurrences: u32) -> std::ops::Range<usize> {
    trail.earlier().nth(occurrences as usize - 2).unwrap()..trail.plies()
}

fn read(text: &str) -> Vec<Case> {
    if text.trim_start().starts_with('[') {
        let list: Vec<Value> = serde_json::from_str(text).unwrap();
        list.iter().enumerate().map(|(index, value)| Case::read(value, index)).collect()
    } else {
        text.lines()
            .enumerate()
            .map(|(index, line)| Case::read(&serde_json::from_str(line).unwrap(), index))
            .collect()
    }
}

fn judged(case: &Case, book: Book) -> Verdict {
    let trail = case.game(3);
    verdict(&trail, span(&trail, 3), book).unwrap()
}

fn shared_cases(name: &str) -> Vec<Case> {
    support::shared(name).map_or_else(Vec::new, |path| read(&std::fs::read_to_string(path).unwrap()))
}

#[test]
fn shared_files_are_judged_as_they_say() {
    for name in ["constructed.json", "sourced.json", "loops.jsonl"] {
        let cases = shared_cases(&format!("rule-cases/{name}"));
        let wrong: Vec<String> = cases
            .iter()
            .filter(|case| judged(case, Book::Asian2006).word() != case.verdict)
            .map(|case| format!("{} ({:?}): {}", case.id, case.article, case.verdict))
            .collect();
        println!("{name}: {} cases, {} wrong", cases.len(), wrong.len());
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    }
}

#[test]
fn tmp_labels() {
    let (mut n, mut hit) = (0, 0);
    let start = std::time::Instant::now();
    let mut worst = std::time::Duration::ZERO;
    for name in ["constructed.json", "sourced.json"] {
        for case in shared_cases(&format!("rule-cases/{name}")) {
            let trail = case.game(3);
            let t0 = std::time::Instant::now();
            let ruling = judge(&trail, span(&trail, 3), Book::Asian2006).unwrap();
            worst = worst.max(t0.elapsed());
            let Some(label) = case.article else { continue };
            n += 1;
            if ruling.article == Some(label) {
                hit += 1;
                continue;
            }
            println!(
                "{} label {label} cited {:?} {} {} {:?} {:?} {:?}",
                case.id,
                ruling.article,
                ruling.verdict.word(),
                case.start.fen(),
                case.prefix,
                case.round,
                ruling.levels
            );
            for (i, d) in ruling.deeds[..case.round.len()].iter().enumerate() {
                println!(
                    "     {:?} {:?} {:?}",
                    trail.halves()[ruling.span.start + i].mv.unwrap(),
                    d.label,
                    d.chases
                        .iter()
                        .map(|c| format!(
                            "{:?}{}x{:?}{} {:?}",
                            c.attacker_kind, c.attacker, c.victim_kind, c.victim, c.manner
                        ))
                        .collect::<Vec<_>>()
                );
            }
        }
    }
    println!("{hit} of {n} in {:?}, worst {worst:?}", start.elapsed());
}
