//! `chuhe judge`: games, a line of moves or cases, checked by a rule book: every repetition judged and
//! explained, the result by the rules beside the recorded one. Start at [`run`].
//!
//! Exit codes: 1 for what was typed wrong (a file that cannot be opened, a FEN or a move of the command line,
//! moves that repeat nothing); 7 for a game that cannot be read to its end, for a wrong case and, with
//! `--strict`, for a recorded result that the rules contradict.

mod cases;
mod games;
mod line;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Exit;
use super::run::Language;
use super::sources::{self, Sources};
use crate::formats::FileKind;
use crate::law::{Book, Repetition, Rules, Ruling, Trail};
use crate::report::Lang;
use crate::report::explanation::Explained;
use crate::report::reasons;
use crate::runner::JOURNAL;
use crate::xiangqi::Notation;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of games (PGN, move lists, DhtmlXQ, XQF, journals ..), folders of them, folders of runs, `-` for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["fen", "moves"], conflicts_with_all = ["fen", "moves"])]
    files: Vec<PathBuf>,
    /// Judge one line of moves from this position (or `startpos`)
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// The moves, in any notation; one round of a loop is played on until it is a repetition
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// The files hold cases: a position, a loop and the verdict that is expected
    #[arg(long, conflicts_with_all = ["fen", "moves", "strict"])]
    cases: bool,
    /// Rule book: asian-2006, computer, plain; a journal's own if not given, else asian-2006
    #[arg(long, value_parser = book)]
    book: Option<Book>,
    /// How often a position must stand to be judged; a journal's own if not given, else 3
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=MAX_OCCURRENCES))]
    occurrences: Option<u32>,
    /// Language of the explanations
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    /// Print an array of objects
    #[arg(long)]
    json: bool,
    /// Explain every ruling: diagram, loop, half-moves, levels, article
    #[arg(long)]
    explain: bool,
    /// Exit with 7 when a recorded result is not the one by the rules
    #[arg(long)]
    strict: bool,
    /// Format of the files, if it is not to be found out: pgn dhtmlxq xqf wxf epd moves jsonl
    #[arg(long, value_name = "FORMAT", value_parser = sources::kind)]
    from: Option<FileKind>,
    /// Notation of the moves, if it is not to be found out
    #[arg(long, value_name = "NOTATION", value_parser = sources::notation)]
    notation: Option<Notation>,
}

/// Most occurrences that can be asked for: rule books in use ask for 3, 4 or 7.
const MAX_OCCURRENCES: i64 = 100;

fn book(name: &str) -> Result<Book, String> {
    let names = || Book::ALL.map(Book::name).join(", ");
    Book::from_name(name).ok_or_else(|| format!("rule books are {}", names()))
}

impl Arguments {
    /// The rules to judge by, where a source has none of its own.
    fn rules(&self, base: Rules) -> Rules {
        let Repetition { book, occurrences } = base.repetition;
        let repetition = Repetition {
            book: self.book.unwrap_or(book),
            occurrences: self.occurrences.unwrap_or(occurrences),
        };
        Rules { repetition, ..base }
    }

    fn lang(&self) -> Lang {
        self.lang.into()
    }
}

pub fn execute(arguments: &Arguments) -> Exit {
    let outcome = run(arguments, &mut io::BufWriter::new(io::stdout().lock()), &mut io::stderr());
    super::exit::written(outcome)
}

/// The command with its output going anywhere.
///
/// # Errors
/// The output cannot be written.
pub fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let exit = if arguments.cases {
        cases::run(arguments, out, err)
    } else if arguments.fen.is_some() || arguments.moves.is_some() {
        line::run(arguments, out, err)
    } else {
        let files = arguments.files.iter().map(|file| journal_of(file)).collect();
        let sources = Sources::new(files, arguments.from, arguments.notation);
        games::run(arguments, &sources, out, err)
    }?;
    out.flush()?;
    Ok(exit)
}

/// A run's folder stands for its journal, which has all that the other files there say again.
fn journal_of(file: &Path) -> PathBuf {
    let journal = file.join(JOURNAL);
    if journal.is_file() { journal } else { file.to_owned() }
}

/// One line about a ruling: where, who loses, by what.
fn one_line(ruling: &Ruling, lang: Lang) -> String {
    let sentence = reasons::repetition(ruling, lang);
    let (from, to) = (ruling.span.start + 1, ruling.span.end);
    match lang {
        Lang::English => format!("half-moves {from}-{to}: {sentence}"),
        Lang::Chinese => format!("第 {from}-{to} 个半回合：{sentence}"),
    }
}

/// The explanation of a ruling of a game, indented.
fn explanation(trail: &Trail, ruling: &Ruling, lang: Lang) -> String {
    match Explained::new(trail, ruling) {
        Ok(explained) => explained.text(lang).lines().fold(String::new(), |mut text, line| {
            text.push_str(format!("  {line}").trim_end());
            text.push('\n');
            text
        }),
        Err(why) => format!("  {why}\n"),
    }
}
