//! Opens files of records for the commands that read them: what is typed, which files that means, which
//! format each has. Never judges a game. Start at [`Sources`].

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::formats::{FileKind, Games, detect, read};
use crate::report::disturbs;
use crate::runner::JOURNAL;
use crate::xiangqi::Notation;

/// How much of a file is looked at to find its format.
const HEAD: usize = 1 << 16;

/// Deepest folder that is searched.
const MAX_FOLDERS: usize = 16;

/// Endings of files that a folder is searched for.
const ENDINGS: [&str; 12] =
    ["pgn", "pgns", "xqf", "ubb", "che", "html", "htm", "epd", "fen", "jsonl", "wxf", "txt"];

/// The files to read and how.
#[derive(Debug, clap::Args)]
pub struct Sources {
    /// Files of records, run folders, folders to search for both, or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Format of the files, if it is not to be found out: pgn dhtmlxq xqf wxf epd moves jsonl journal book
    #[arg(long, value_name = "FORMAT", value_parser = kind)]
    from: Option<FileKind>,
    /// Notation of the moves, if it is not to be found out; settles ranks 0-9 or 1-10 (uci1, san1)
    #[arg(long, value_name = "NOTATION", value_parser = notation)]
    notation: Option<Notation>,
}

/// Reads the name of a format.
///
/// # Errors
/// The names there are.
pub fn kind(name: &str) -> Result<FileKind, String> {
    let names = || FileKind::ALL.map(FileKind::name).join(", ");
    FileKind::from_name(name).ok_or_else(|| format!("formats are {}", names()))
}

/// Reads the name of a notation.
///
/// # Errors
/// The names there are.
pub fn notation(name: &str) -> Result<Notation, String> {
    let names = || Notation::ALL.map(Notation::name).join(", ");
    Notation::from_name(name).ok_or_else(|| format!("notations are {}", names()))
}

/// A source of games.
pub enum Opened {
    /// Records.
    Games(Games<'static>),
    /// One of our journals.
    Journal(Box<dyn BufRead>),
}

impl Sources {
    /// These files, read so.
    pub fn new(files: Vec<PathBuf>, from: Option<FileKind>, notation: Option<Notation>) -> Sources {
        Sources { files, from, notation }
    }

    /// The files, those of folders in the order of their names; what cannot be listed is told.
    pub fn files(&self) -> (Vec<PathBuf>, Vec<String>) {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for file in &self.files {
            if file.is_dir() {
                search(file, 0, &mut found, &mut problems);
            } else {
                found.push(file.clone());
            }
        }
        (found, problems)
    }

    /// The games of one file.
    ///
    /// # Errors
    /// The file cannot be opened or read at all.
    pub fn open(&self, file: &Path) -> std::io::Result<Games<'static>> {
        let (mut input, name) = opened(file)?;
        self.kind_of(&mut input, name).map(|kind| read(input, kind, self.notation))
    }

    /// As [`Sources::open`], for commands that read our journals too.
    ///
    /// # Errors
    /// The file cannot be opened or read at all.
    pub fn open_any(&self, file: &Path) -> std::io::Result<Opened> {
        let (mut input, name) = opened(file)?;
        if self.from.is_none() && is_journal(input.fill_buf()?) {
            return Ok(Opened::Journal(input));
        }
        self.kind_of(&mut input, name).map(|kind| Opened::Games(read(input, kind, self.notation)))
    }

    fn kind_of(&self, input: &mut Box<dyn BufRead>, name: Option<&str>) -> std::io::Result<FileKind> {
        match self.from {
            Some(kind) => Ok(kind),
            None => Ok(detect(input.fill_buf()?, name)),
        }
    }
}

/// The bytes of a file, and its name if it has one.
fn opened(file: &Path) -> std::io::Result<(Box<dyn BufRead>, Option<&str>)> {
    if file == Path::new("-") {
        return Ok((Box::new(BufReader::with_capacity(HEAD, std::io::stdin())), None));
    }
    Ok((Box::new(BufReader::with_capacity(HEAD, File::open(file)?)), file.to_str()))
}

/// Whether a file begins as our journals do.
fn is_journal(head: &[u8]) -> bool {
    const BEGINNING: usize = 100;
    let head = &head[..head.len().min(BEGINNING)];
    head.starts_with(b"{\"seq\":0,") && memchr::memmem::find(head, b"\"what\":\"run_began\"").is_some()
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>, problems: &mut Vec<String>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) if depth < MAX_FOLDERS => entries,
        Ok(_) => return problems.push(format!("{}: too many folders inside each other", folder.display())),
        Err(error) => return problems.push(format!("{}: {error}", folder.display())),
    };
    // The other files of a run folder are drawn from its journal: the same games once more.
    let journal = folder.join(JOURNAL);
    if journal.is_file() {
        return found.push(journal);
    }
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        if path.is_dir() {
            search(&path, depth + 1, found, problems);
        } else if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            found.push(path);
        }
    }
}

/// A text of a record as a terminal may show it: without control characters and without the signs that
/// turn the direction of writing.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if disturbs(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_safe() {
        assert_eq!(printable("a\u{1b}[31m\u{202E}b 炮"), "a\u{FFFD}[31m\u{FFFD}b 炮");
    }
}
