//! `chuhe stats`: counts of the games of many files: results, lengths, endings, openings, and what was
//! odd or wrong with them. Start at [`execute`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use super::Exit;
use super::sources::{Sources, printable};
use crate::formats::{Encoding, GameResult, Record};
use crate::report::cut;
use crate::xiangqi::Notation;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    sources: Sources,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
    /// Do not print each error and remark
    #[arg(long, short)]
    quiet: bool,
}

/// How many half-moves of a game count as its opening.
const OPENING_PLIES: usize = 2;

/// How many openings are printed.
const SHOWN_OPENINGS: usize = 10;

/// Most different words for ends that are counted apart; others count as `other`.
const MAX_TERMINATIONS: usize = 100;

/// Most columns of a word for an end.
const SHOWN_TERMINATION: usize = 40;

/// Longest game that is counted by its own length; longer ones count as this long.
const LONGEST: usize = 10_000;

#[derive(Default)]
struct Tally {
    files: usize,
    games: usize,
    errors: usize,
    remarks: usize,
    plies: usize,
    variations: usize,
    /// Games by number of half-moves: flat memory whatever the number of games.
    lengths: BTreeMap<usize, usize>,
    results: BTreeMap<&'static str, usize>,
    endings: BTreeMap<&'static str, usize>,
    /// What records say of their ends, in their own words.
    terminations: BTreeMap<String, usize>,
    openings: BTreeMap<String, usize>,
    notations: BTreeMap<&'static str, usize>,
    encodings: BTreeMap<&'static str, usize>,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let (files, problems) = arguments.sources.files();
    problems.iter().for_each(|problem| eprintln!("error: {problem}"));
    let mut tally = Tally { errors: problems.len(), ..Tally::default() };
    let mut unopened = 0;
    for file in files {
        let name = file.display();
        tally.files += 1;
        let games = match arguments.sources.open(&file) {
            Ok(games) => games,
            Err(error) => {
                eprintln!("error: {name}: {error}");
                tally.errors += 1;
                unopened += 1;
                continue;
            }
        };
        for game in games {
            match game {
                Ok(record) => {
                    for remark in record.remarks.iter().filter(|_| !arguments.quiet) {
                        let what = printable(&remark.what.to_string());
                        eprintln!("{name}: game {}, line {}: {what}", record.origin.game, remark.line);
                    }
                    tally.add(&record);
                }
                Err(error) => {
                    tally.errors += 1;
                    if !arguments.quiet {
                        eprintln!("error: {name}: {}", printable(&error.to_string()));
                    }
                }
            }
        }
    }
    if arguments.json {
        println!("{}", tally.json())
    } else {
        print!("{}", tally.text())
    }
    match (tally.errors, unopened) {
        (0, _) => Exit::Done,
        (_, count) if count == tally.files => Exit::Usage,
        _ => Exit::Wrong,
    }
}

impl Tally {
    fn add(&mut self, record: &Record) {
        let count = record.moves.len();
        self.games += 1;
        self.plies += count;
        self.remarks += record.remarks.len();
        self.variations += record.moves.iter().filter(|played| !played.variations.is_empty()).count();
        *self.lengths.entry(count.min(LONGEST)).or_default() += 1;
        *self.results.entry(record.result.map_or("none", GameResult::token)).or_default() += 1;
        *self.endings.entry(ending(record)).or_default() += 1;
        if let Some(told) = record.tag("Termination").filter(|told| !told.is_empty()) {
            let known = self.terminations.contains_key(told) || self.terminations.len() < MAX_TERMINATIONS;
            let told = if known {
                cut(&printable(told), SHOWN_TERMINATION).into_owned()
            } else {
                "other".to_owned()
            };
            *self.terminations.entry(told).or_default() += 1;
        }
        *self
            .notations
            .entry(record.origin.notation.map_or("numbers or none", Notation::name))
            .or_default() += 1;
        *self.encodings.entry(Encoding::name(record.origin.encoding)).or_default() += 1;
        if record.starts_usually() && count >= OPENING_PLIES {
            let moves: Vec<String> = record.line().take(OPENING_PLIES).map(|mv| mv.to_string()).collect();
            *self.openings.entry(moves.join(" ")).or_default() += 1;
        }
    }

    /// Shortest, median and longest game, by the counts of lengths.
    fn spread(&self) -> [usize; 3] {
        let first = self.lengths.keys().next().copied().unwrap_or_default();
        let last = self.lengths.keys().next_back().copied().unwrap_or_default();
        let mut below = 0;
        let median = self.lengths.iter().find(|(_, count)| {
            below += **count;
            below * 2 >= self.games
        });
        [first, median.map_or(0, |(length, _)| *length), last]
    }

    /// The openings, most frequent first.
    fn favourites(&self) -> Vec<(&String, &usize)> {
        let mut openings: Vec<_> = self.openings.iter().collect();
        openings.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        openings.truncate(SHOWN_OPENINGS);
        openings
    }

    fn text(&self) -> String {
        let [shortest, median, longest] = self.spread();
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            let _ = writeln!(out, "{name:<10} {value}");
        };
        line("files", self.files.to_string());
        line("games", format!("{} ({} errors, {} remarks)", self.games, self.errors, self.remarks));
        line("plies", format!("{} (shortest {shortest}, median {median}, longest {longest})", self.plies));
        if self.games == 0 {
            return out;
        }
        line("branched", format!("{} moves with variations", self.variations));
        line("results", list(&self.results));
        line("endings", list(&self.endings));
        if !self.terminations.is_empty() {
            line("told", list(&self.terminations));
        }
        line("notations", list(&self.notations));
        line("encodings", list(&self.encodings));
        for (opening, count) in self.favourites() {
            line("opening", format!("{opening} {count}"));
        }
        out
    }

    fn json(&self) -> serde_json::Value {
        let [shortest, median, longest] = self.spread();
        let openings: serde_json::Map<String, serde_json::Value> =
            self.favourites().into_iter().map(|(opening, count)| (opening.clone(), json!(count))).collect();
        json!({
            "files": self.files, "games": self.games, "errors": self.errors, "remarks": self.remarks,
            "plies": {"total": self.plies, "shortest": shortest, "median": median, "longest": longest},
            "moves_with_variations": self.variations, "results": self.results, "endings": self.endings,
            "terminations": self.terminations,
            "notations": self.notations, "encodings": self.encodings, "openings": openings,
        })
    }
}

/// `name count, name count`.
fn list<N: std::fmt::Display>(counts: &BTreeMap<N, usize>) -> String {
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// What the last position says by itself.
fn ending(record: &Record) -> &'static str {
    let last = record.last_position();
    match (last.has_legal_move(), last.in_check(last.side())) {
        (false, true) => "mate",
        (false, false) => "no move",
        (true, true) => "in check",
        (true, false) => "open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FileKind, read};

    #[test]
    fn counts_add_up() {
        let text = "[Termination \"a\u{1b}b\"]\nh2e2 h9g7 1-0\n\n[A \"\"]\nh2e2 h9g7 b0c2 *\n[FEN \"3k5/9/9/9/9/9/9/9/9/4K3R w\"]\ni0i9\n";
        let mut tally = Tally::default();
        read(text.as_bytes(), FileKind::Pgn, None).for_each(|game| tally.add(&game.unwrap()));
        assert_eq!((tally.games, tally.plies, tally.spread()), (3, 6, [1, 2, 3]));
        let text = tally.text();
        for part in [
            "results    * 1, 1-0 1, none 1",
            "endings    in check 1, open 2",
            "told       a\u{FFFD}b 1",
            "opening    h2e2 h9g7 2",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(tally.json()["plies"]["median"], 2);
    }
}
