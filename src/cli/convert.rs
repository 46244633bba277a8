//! `chuhe convert`: records from any format into any other. A game that was not read to its end is told
//! and left out unless asked for; nothing is written that does not read back as the same game.
//! Start at [`execute`].

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Exit;
use super::sources::{Sources, printable};
use crate::formats::{Encoding, Record, RecordError, Target, write_checked};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    sources: Sources,
    /// Format to write: pgn wxf chinese traditional xboard pychess wxf-file dhtmlxq uci uci1 epd jsonl
    #[arg(long, default_value = "pgn", value_name = "FORMAT")]
    to: String,
    /// Encoding to write: utf-8 gbk big5
    #[arg(long, value_name = "ENCODING", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// File to write, standard output if left out; with --split a folder
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write each game to a file of its own in the folder --out
    #[arg(long, requires = "out")]
    split: bool,
    /// Also write the good part of games that have an error
    #[arg(long)]
    partial: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

fn encoding(name: &str) -> Result<Encoding, String> {
    Encoding::from_name(name).ok_or_else(|| "encodings are utf-8, gbk, big5".to_owned())
}

/// How many games went which way.
#[derive(Default)]
struct Count {
    written: usize,
    partial: usize,
    failed: usize,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let Some(target) = Target::from_name(&arguments.to, arguments.encoding) else {
        eprintln!("error: unknown format '{}' (see --help)", arguments.to);
        return Exit::Usage;
    };
    let (files, problems) = arguments.sources.files();
    problems.iter().for_each(|problem| eprintln!("error: {problem}"));
    let mut count = Count { failed: problems.len(), ..Count::default() };
    let outcome = Output::new(arguments).and_then(|mut output| {
        for file in files {
            convert_file(arguments, &file, target, &mut output, &mut count)?;
        }
        output.finish()
    });
    if let Err(error) = outcome {
        eprintln!("error: {error}");
        return if error.kind() == io::ErrorKind::AlreadyExists { Exit::Usage } else { Exit::Internal };
    }
    let Count { written, partial, failed } = count;
    eprintln!("{written} games written, {partial} of them in part, {failed} errors");
    if failed == 0 { Exit::Done } else { Exit::Wrong }
}

/// Converts a file; only trouble with the output ends the whole.
fn convert_file(
    arguments: &Arguments,
    file: &Path,
    target: Target,
    output: &mut Output,
    count: &mut Count,
) -> io::Result<()> {
    let name = file.display();
    let games = match arguments.sources.open(file) {
        Ok(games) => games,
        Err(error) => {
            eprintln!("error: {name}: {error}");
            count.failed += 1;
            return Ok(());
        }
    };
    for game in games {
        let record = match game {
            Ok(record) => record,
            Err(error) => {
                eprintln!("error: {name}: {}", printable(&error.to_string()));
                count.failed += 1;
                match partial(arguments, error) {
                    Some(record) => {
                        count.partial += 1;
                        record
                    }
                    None => continue,
                }
            }
        };
        for remark in &record.remarks {
            eprintln!(
                "{name}: game {}, line {}: {}",
                record.origin.game,
                remark.line,
                printable(&remark.what.to_string())
            );
        }
        match write_checked(&record, target) {
            Ok(bytes) => {
                output.write(file, record.origin.game, &arguments.to, &bytes)?;
                count.written += 1;
            }
            Err(error) => {
                eprintln!("error: {name}: game {}: {}", record.origin.game, printable(&error.to_string()));
                count.failed += 1;
            }
        }
    }
    Ok(())
}

/// What is to be written of a game with an error.
fn partial(arguments: &Arguments, error: RecordError) -> Option<Record> {
    error.before.map(|record| *record).filter(|_| arguments.partial)
}

/// Where the games go.
enum Output {
    One(Box<dyn Write>),
    Folder { path: PathBuf, force: bool, count: usize },
}

impl Output {
    fn new(arguments: &Arguments) -> io::Result<Output> {
        Ok(match &arguments.out {
            None => Output::One(Box::new(io::BufWriter::new(io::stdout().lock()))),
            Some(path) if arguments.split => {
                std::fs::create_dir_all(path)?;
                Output::Folder { path: path.clone(), force: arguments.force, count: 0 }
            }
            Some(path) => Output::One(Box::new(io::BufWriter::new(create(path, arguments.force)?))),
        })
    }

    fn write(&mut self, source: &Path, game: u64, format: &str, bytes: &[u8]) -> io::Result<()> {
        match self {
            Output::One(out) => out.write_all(bytes),
            Output::Folder { path, force, count } => {
                *count += 1;
                let stem = source.file_stem().and_then(|stem| stem.to_str()).filter(|stem| *stem != "-");
                let name = format!("{count:05}-{}-{game}.{}", stem.unwrap_or("game"), ending(format));
                create(&path.join(name), *force)?.write_all(bytes)
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Output::One(mut out) => out.flush(),
            Output::Folder { .. } => Ok(()),
        }
    }
}

/// A file to write; one that exists only if it may be replaced.
pub(super) fn create(path: &Path, force: bool) -> io::Result<std::fs::File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).create_new(!force).open(path);
    file.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// The ending of file names.
fn ending(format: &str) -> &'static str {
    match format.to_ascii_lowercase().as_str() {
        "wxf-file" => "wxf",
        "dhtmlxq" | "ubb" => "ubb",
        "uci" | "uci0" | "uci1" | "moves" => "txt",
        "epd" | "fen" => "epd",
        "jsonl" | "json" => "jsonl",
        _ => "pgn",
    }
}
