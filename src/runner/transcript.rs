//! Transcripts: every line between the runner and an engine with its stamp, one file an engine.
//! Buffered; written at the end of each game and when the buffer is full, and before each move is journalled
//! where moves are. Start at [`Transcript`].

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::time::At;

/// Bytes that are kept before they are written.
const BUFFER: usize = 32 * 1024;

/// Longest part of a line that is kept: `position` lines grow with the game, and all moves stand in
/// the journal.
const MAX_SHOWN: usize = 2000;

/// The transcript of one engine process: `µs > sent`, `µs < heard`, `µs # remark`.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    buffer: Vec<u8>,
    /// Whose lines they are, where a file holds those of several engines.
    name: String,
    /// A second file that is given the same.
    beside: Option<Box<Transcript>>,
}

impl Transcript {
    /// Opens (appends to) a transcript file.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Transcript> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Transcript { file, buffer: Vec::with_capacity(BUFFER), name: String::new(), beside: None })
    }

    /// The same with a name in every line.
    #[must_use]
    pub fn named(mut self, name: &str) -> Transcript {
        self.name = format!("{name} ");
        self
    }

    /// The same with another one that is given every line too.
    #[must_use]
    pub fn beside(mut self, other: Transcript) -> Transcript {
        self.beside = Some(Box::new(other));
        self
    }

    /// Adds what was sent, line by line.
    pub fn sent(&mut self, at: At, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            self.line(at, b'>', line);
        }
    }

    /// Adds a line that was heard.
    pub fn heard(&mut self, at: At, line: &[u8]) {
        self.line(at, b'<', line);
    }

    /// Adds a remark of the runner.
    pub fn remark(&mut self, at: At, text: &str) {
        self.line(at, b'#', text.as_bytes());
    }

    fn line(&mut self, at: At, sign: u8, text: &[u8]) {
        if let Some(beside) = &mut self.beside {
            beside.line(at, sign, text);
        }
        let _ = write!(self.buffer, "{} {}{} ", at.0, self.name, char::from(sign));
        self.buffer.extend_from_slice(&text[..text.len().min(MAX_SHOWN)]);
        if text.len() > MAX_SHOWN {
            self.buffer.extend_from_slice(b" ...");
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    /// Writes what is kept. A transcript that cannot be written is given up silently: it decides
    /// nothing, and the journal reports a full disk by itself.
    pub fn flush(&mut self) {
        if let Some(beside) = &mut self.beside {
            beside.flush();
        }
        let _ = self.file.write_all(&self.buffer);
        self.buffer.clear();
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.flush();
    }
}
