//! The files that a match in another program's words leaves: games with their checksum, end positions, and what
//! was printed. Prints nothing. Start at [`Games`].

use std::fs::{File, OpenOptions};
use std::io::Write as _;

use super::flags::{EpdOut, Flags, LogOut, PgnOut};
use crate::config::Resolved;
use crate::record::GameOver;
use crate::report::dropin::pgn::{self, Details};
use crate::report::explanation::replay;
use crate::time::At;

fn open(name: &str, append: bool) -> std::io::Result<File> {
    OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(name)
}

/// The file of games and the checksum of all it holds.
pub struct Games {
    name: String,
    file: File,
    details: Details,
    crc: Option<crc32fast::Hasher>,
}

impl Games {
    /// Opens the file.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(out: &PgnOut, flags: &Flags, resolved: &Resolved) -> std::io::Result<Games> {
        let mut crc = crc32fast::Hasher::new();
        if out.append && flags.crc32 {
            match std::fs::read(&out.file) {
                Ok(held) => crc.update(&held),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let file = open(&out.file, out.append)?;
        let details = Details {
            event: resolved.plan.event.clone(),
            site: resolved.plan.site.clone(),
            ..out.details.clone()
        };
        Ok(Games { name: out.file.clone(), file, details, crc: flags.crc32.then_some(crc) })
    }

    /// Writes a game; the line with the checksum, if one is wanted.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, game: &GameOver, number: u64) -> std::io::Result<Option<String>> {
        let text = pgn::game(game, number, &self.details);
        self.file.write_all(text.as_bytes())?;
        let name = &self.name;
        Ok(self.crc.as_mut().map(|crc| {
            crc.update(text.as_bytes());
            format!("File {name} has CRC32: {:#x}", crc.clone().finalize())
        }))
    }
}

/// The file of end positions: a FEN a line, in the order in which the games end.
pub struct Ends {
    file: File,
}

impl Ends {
    /// Opens the file.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(out: &EpdOut) -> std::io::Result<Ends> {
        Ok(Ends { file: open(&out.file, out.append)? })
    }

    /// Writes the position in which a game ended. An illegal move that ended it is not among its moves.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, game: &GameOver) -> std::io::Result<()> {
        let Some(trail) = replay(&game.fen, &game.moves) else { return Ok(()) };
        writeln!(self.file, "{}", trail.position().fen())
    }
}

/// What is printed, in a file too, with its moment in seconds since the match began.
pub struct Log {
    file: File,
    warnings_only: bool,
}

impl Log {
    /// Opens the file.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(out: &LogOut) -> std::io::Result<Log> {
        let mut options = OpenOptions::new();
        // Engines' lines are appended beside ours.
        if !out.append {
            File::create(&out.file)?;
        }
        let file = options.create(true).append(true).open(&out.file)?;
        Ok(Log { file, warnings_only: out.warnings_only })
    }

    /// Writes lines. A log that cannot be written decides nothing.
    pub fn write(&mut self, at: At, warnings: &[String], printed: &[&Vec<String>]) {
        let seconds = at.0 as f64 / 1e6;
        let mut text = String::new();
        let printed = printed.iter().flat_map(|lines| lines.iter()).filter(|_| !self.warnings_only);
        for (level, line) in
            warnings.iter().map(|line| ("WARN", line)).chain(printed.map(|line| ("INFO", line)))
        {
            text.push_str(&format!("[{seconds:.6}] <{level}> {line}\n"));
        }
        let _ = self.file.write_all(text.as_bytes());
    }
}
