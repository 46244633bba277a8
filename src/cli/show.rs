//! `chuhe show`: one game in the terminal, a diagram of one position and the moves around it.
//! Reads only. Start at [`execute`].

use std::fmt::Write as _;

use super::Exit;
use super::run::Language;
use super::sources::{Sources, printable};
use crate::formats::{Record, RecordError};
use crate::report::diagram;
use crate::xiangqi::{Notation, Side, Square, write_move};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    sources: Sources,
    /// Number of the game in the file
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// The diagram shows the position after so many half-moves; the last if left out
    #[arg(long)]
    ply: Option<usize>,
    /// Latin letters and WXF moves, or Chinese pieces and moves
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let (files, problems) = arguments.sources.files();
    problems.iter().for_each(|problem| eprintln!("error: {problem}"));
    let mut left = arguments.game;
    for file in files {
        let games = match arguments.sources.open(&file) {
            Ok(games) => games,
            Err(error) => {
                eprintln!("error: {}: {error}", file.display());
                return Exit::Usage;
            }
        };
        for game in games {
            left -= 1;
            if left == 0 {
                return show(arguments, game);
            }
        }
    }
    eprintln!("error: there are only {} games", arguments.game - left);
    Exit::Usage
}

fn show(arguments: &Arguments, game: Result<Record, RecordError>) -> Exit {
    let (record, error) = match game {
        Ok(record) => (Some(record), None),
        Err(mut error) => (error.before.take().map(|record| *record), Some(error)),
    };
    if let Some(record) = &record {
        print!("{}", page(record, arguments.ply, arguments.lang));
    }
    match error {
        None => Exit::Done,
        Some(error) => {
            eprintln!("error: {}", printable(&error.to_string()));
            Exit::Wrong
        }
    }
}

/// Tags, diagram and moves.
fn page(record: &Record, ply: Option<usize>, lang: Language) -> String {
    let mut out = String::new();
    for (name, value) in record.tags.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "{}: {}", printable(name), printable(value));
    }
    let ply = ply.unwrap_or(record.moves.len()).min(record.moves.len());
    let mut position = record.start.clone();
    record.line().take(ply).for_each(|mv| {
        position.make(mv);
    });
    let last = ply.checked_sub(1).and_then(|index| record.moves.get(index)).map(|played| played.mv);
    let marked: Vec<Square> = last.into_iter().flat_map(|mv| [mv.from, mv.to]).collect();
    let _ = write!(out, "\n{}\n", diagram(&position, &marked, lang.into()));
    let _ = writeln!(out, "{}\n", position.fen());
    out += &moves(record, ply, lang);
    out
}

/// The moves, a pair a line, the shown position marked.
fn moves(record: &Record, shown: usize, lang: Language) -> String {
    let notation = if matches!(lang, Language::Zh) { Notation::ChineseSimplified } else { Notation::Wxf };
    let mut out = String::new();
    if !record.preface.is_empty() {
        let _ = writeln!(out, "{{{}}}", printable(&record.preface.replace('\n', " ")));
    }
    let mut position = record.start.clone();
    let offset = usize::from(position.side() == Side::Black);
    for (index, played) in record.moves.iter().enumerate() {
        let ply = index + offset;
        if ply.is_multiple_of(2) || index == 0 {
            let _ = write!(out, "{}{:>3}. ", if index == 0 { "" } else { "\n" }, ply / 2 + 1);
            out.push_str(if ply.is_multiple_of(2) { "" } else { "...      " });
        }
        let _ = write!(out, "{}", write_move(&position, played.mv, notation));
        out.push_str(if index + 1 == shown { "* " } else { "  " });
        if !played.comment.is_empty() {
            let _ = write!(out, "{{{}}} ", printable(&played.comment.replace('\n', " ")));
        }
        if !played.variations.is_empty() {
            let _ = write!(out, "({} variations) ", played.variations.len());
        }
        position.make(played.mv);
    }
    let _ = writeln!(out, "\n{}", record.result.map_or("", |result| result.token()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FileKind, read};

    #[test]
    fn a_page_shows_tags_diagram_and_moves() {
        let text = "[Red \"a\u{1b}b\"]\n[Black \"\"]\n1. h2e2 h9g7 {x} 2. h0g2 1-0";
        let record = read(text.as_bytes(), FileKind::Pgn, None).next().unwrap().unwrap();
        let english = page(&record, Some(2), Language::En);
        assert!(english.starts_with("Red: a\u{FFFD}b\n\n9  r  n  b  a  k  a  b [.] r \n"), "{english}");
        assert!(english.contains("\n7  .  c  .  .  .  . [n] c  . \n"), "{english}");
        assert!(english.ends_with("  1. C2.5  H8+7* {x} \n  2. H2+3  \n1-0\n"), "{english}");
        let chinese = page(&record, None, Language::Zh);
        assert!(
            chinese.contains("车 ") && chinese.contains("車 ") && chinese.contains("马二进三* "),
            "{chinese}"
        );
    }
}
