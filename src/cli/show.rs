//! `chuhe show`: one game in the terminal, a diagram of one position and the moves around it; or as an
//! SVG drawing or an HTML page. Start at [`execute`].

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Exit;
use super::convert::create;
use super::run::Language;
use super::sources::{Sources, printable};
use crate::formats::{Record, RecordError};
use crate::report::{Diagram, Lang, game_page};
use crate::xiangqi::{Move, Position, Side, Square, write_move};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    sources: Sources,
    /// Number of the game in the file
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// Show the position after so many half-moves; the last if left out
    #[arg(long)]
    ply: Option<usize>,
    /// Latin letters and WXF moves, or Chinese pieces and moves
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    /// What stands on the pieces; by the language if left out
    #[arg(long, value_enum, value_name = "LETTERS")]
    pieces: Option<Pieces>,
    /// Black below
    #[arg(long)]
    flip: bool,
    /// Write the position as an SVG drawing
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the game as one HTML page with a board to step through; needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

/// Letters on pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Pieces {
    /// 车马相仕帅
    Chinese,
    /// R H E A K
    Latin,
}

impl Arguments {
    fn diagram(&self) -> Diagram {
        let by_language = matches!(self.lang, Language::Zh);
        let chinese = self.pieces.map_or(by_language, |pieces| pieces == Pieces::Chinese);
        Diagram { chinese, black_below: self.flip }
    }
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
    if let Some(record) = &record
        && let Err(why) = show_record(arguments, record)
    {
        eprintln!("error: {why}");
        return if why.kind() == std::io::ErrorKind::AlreadyExists { Exit::Usage } else { Exit::Internal };
    }
    match error {
        None => Exit::Done,
        Some(error) => {
            eprintln!("error: {}", printable(&error.to_string()));
            Exit::Wrong
        }
    }
}

/// Writes the files that were asked for, or else the terminal's page.
fn show_record(arguments: &Arguments, record: &Record) -> std::io::Result<()> {
    let ply = arguments.ply.unwrap_or(record.moves.len()).min(record.moves.len());
    let (diagram, lang) = (arguments.diagram(), Lang::from(arguments.lang));
    let write = |path: &Path, text: &str| create(path, arguments.force)?.write_all(text.as_bytes());
    if let Some(path) = &arguments.svg {
        let (position, last) = position_at(record, ply);
        write(path, &diagram.svg(&position, last))?;
    }
    if let Some(path) = &arguments.html {
        write(path, &game_page(record, ply, diagram, lang))?;
    }
    if arguments.svg.is_none() && arguments.html.is_none() {
        print!("{}", page(record, ply, diagram, lang));
    }
    Ok(())
}

/// The position after so many half-moves and the move that led there.
fn position_at(record: &Record, ply: usize) -> (Position, Option<Move>) {
    let mut position = record.start.clone();
    record.line().take(ply).for_each(|mv| {
        position.make(mv);
    });
    let last = ply.checked_sub(1).and_then(|index| record.moves.get(index)).map(|played| played.mv);
    (position, last)
}

/// Tags, diagram and moves.
fn page(record: &Record, ply: usize, style: Diagram, lang: Lang) -> String {
    let mut out = String::new();
    for (name, value) in record.tags.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "{}: {}", printable(name), printable(value));
    }
    let (position, last) = position_at(record, ply);
    let marked: Vec<Square> = last.into_iter().flat_map(|mv| [mv.from, mv.to]).collect();
    let _ = write!(out, "\n{}\n", style.text(&position, &marked));
    let _ = writeln!(out, "{}\n", position.fen());
    out += &moves(record, ply, lang);
    out
}

/// The moves, a pair a line, the shown position marked.
fn moves(record: &Record, shown: usize, lang: Lang) -> String {
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
        let _ = write!(out, "{}", write_move(&position, played.mv, lang.notation()));
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
        let english = page(&record, 2, Diagram::default(), Lang::English);
        assert!(english.starts_with("Red: a\u{FFFD}b\n\n9  r  h  e  a  k  a  e [.] r \n"), "{english}");
        assert!(english.contains("\n7  .  c  .  .  .  . [h] c  . \n"), "{english}");
        assert!(english.ends_with("  1. C2.5  H8+7* {x} \n  2. H2+3  \n1-0\n"), "{english}");
        let chinese = page(&record, 3, Diagram { chinese: true, black_below: true }, Lang::Chinese);
        assert!(
            chinese.contains("车 ") && chinese.contains("車 ") && chinese.contains("马二进三* "),
            "{chinese}"
        );
    }

    #[test]
    fn a_hostile_game_leaves_the_terminal_alone() {
        let nasty = "\u{1b}[2J\u{7}\u{9b}31m\r\u{202E}\"]\\";
        let moves = "i0i1 a9a8 i1i0 a8a9 ".repeat(2_500);
        let object = serde_json::json!({
            "red": nasty, nasty: nasty, "moves": moves, "comments": {"0": nasty, "77": nasty.repeat(60_000)},
        });
        let record = read(object.to_string().as_bytes(), FileKind::JsonLines, None).next().unwrap().unwrap();
        assert_eq!(record.moves.len(), 10_000);
        leaves_the_terminal_alone(&record);
        let moves = "i0i1 a9a8 i1i0 a8a9 ".repeat(2_500);
        let pgn = format!(
            "[Red \"\u{1b}[2J\u{9b}31m\\\\\"]\n{{{nasty}}} i0i1 {{{}}} a9a8 i1i0 a8a9 {moves} *",
            nasty.repeat(60_000)
        );
        let record = read(pgn.as_bytes(), FileKind::Pgn, None).next().unwrap().unwrap();
        assert_eq!(record.moves.len(), 10_004);
        leaves_the_terminal_alone(&record);
    }

    fn leaves_the_terminal_alone(record: &Record) {
        for lang in [Lang::English, Lang::Chinese] {
            let page = page(record, 5_000, Diagram::of(lang), lang);
            assert!(page.len() > 1_000_000);
            assert!(!page.contains(|c: char| c != '\n' && crate::report::disturbs(c)));
        }
    }
}
