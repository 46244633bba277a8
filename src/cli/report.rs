//! `chuhe report`: draws all documents of a run again from its journal alone, or prints one.
//! Start at [`execute`].

use std::path::{Path, PathBuf};

use super::Exit;
use super::exit::report_error;
use super::run::Language;
use crate::report::{Album, DOCUMENTS, Style};
use crate::runner;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run folder
    dir: PathBuf,
    /// What is printed; all documents are drawn into the folder in any case
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Language of what is printed
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
}

/// What can be printed.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub enum Format {
    /// The cross table as text
    #[default]
    Txt,
    /// The cross table as Markdown
    Md,
    /// The standings as CSV
    Csv,
    /// The cross table as HTML
    Html,
    /// The summary as JSON
    Json,
    /// All games as PGN
    Pgn,
    /// The rulings on repetitions
    Rulings,
    /// The whole report as HTML: tables, plots, games to step through, rulings, settings
    Report,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let run = match runner::redraw(&arguments.dir) {
        Ok(run) => run,
        Err(error) => return report_error(&error),
    };
    let file = match (arguments.format, arguments.lang) {
        (Format::Txt, Language::En) => "crosstable.txt",
        (Format::Txt, Language::Zh) => "crosstable.zh.txt",
        (Format::Md, _) => "crosstable.md",
        (Format::Csv, _) => "crosstable.csv",
        (Format::Html, _) => "crosstable.html",
        (Format::Json, _) => "summary.json",
        (Format::Rulings, _) => "rulings.txt",
        (Format::Pgn, _) => return print_file(&arguments.dir, runner::GAMES),
        (Format::Report, Language::En) => return print_file(&arguments.dir, "report.html"),
        (Format::Report, Language::Zh) => return print_file(&arguments.dir, "report.zh.html"),
    };
    let style = Style { lang: arguments.lang.into() };
    if let Some(document) = DOCUMENTS.iter().find(|document| document.file == file) {
        // None of these needs an album.
        print!("{}", document.draw(&run, &Album::default(), &style));
    }
    Exit::Done
}

/// Prints what was just drawn.
fn print_file(dir: &Path, file: &str) -> Exit {
    match std::fs::read_to_string(dir.join(file)) {
        Ok(text) => {
            print!("{text}");
            Exit::Done
        }
        Err(error) => {
            eprintln!("error: {error}");
            Exit::Internal
        }
    }
}
