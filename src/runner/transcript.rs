//! Transcripts: every line between the runner and an engine with its stamp, one file an engine.
//! Buffered; written at the end of each game and when the buffer is full, and before each move is journalled
//! where moves are. Start at [`Transcript`].

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::time::At;

/// Bytes that are kept before they are written.
const BUFFER: usize = 8 * 1024;

/// Longest part of a line that is kept: `position` lines grow with the game, and all moves stand in
/// the journal.
const MAX_SHOWN: usize = 2000;

/// Bytes of lines that are kept between two things sent: over a thousand lines of thinking. An engine that
/// floods must not fill the disk on which the journal is.
const MAX_HEARD: usize = 256 * 1024;

/// Bytes of answers that are kept beyond that.
const MAX_ANSWERS: usize = 64 * 1024;

/// With these words lines begin that are kept as answers.
const ANSWERS: [&[u8]; 6] = [b"bestmove", b"nobestmove", b"move", b"resign", b"readyok", b"pong"];

/// The transcript of one engine process: `µs > sent`, `µs < heard`, `µs # remark`.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    buffer: Vec<u8>,
    /// Whose lines they are, where a file holds those of several engines.
    name: String,
    /// A second file that is given the same.
    beside: Option<Box<Transcript>>,
    /// Bytes heard since something was sent.
    heard: usize,
    /// Lines since then that are not kept.
    left_out: u64,
}

impl Transcript {
    /// Opens (appends to) a transcript file.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Transcript> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Transcript { file, buffer: Vec::new(), name: String::new(), beside: None, heard: 0, left_out: 0 })
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
        self.tell_left_out(at);
        self.heard = 0;
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            self.line(at, b'>', line);
        }
    }

    /// Adds a line that was heard, as long as there are not too many since something was sent.
    pub fn heard(&mut self, at: At, line: &[u8]) {
        let size = line.len().min(MAX_SHOWN);
        let most = if is_answer(line) { MAX_HEARD + MAX_ANSWERS } else { MAX_HEARD };
        if self.heard + size > most {
            self.left_out += 1;
            return;
        }
        self.heard += size;
        self.line(at, b'<', line);
    }

    fn tell_left_out(&mut self, at: At) {
        let lines = std::mem::take(&mut self.left_out);
        if lines > 0 {
            self.line(at, b'#', format!("{lines} lines left out").as_bytes());
        }
    }

    /// Adds a remark of the runner.
    pub fn remark(&mut self, at: At, text: &str) {
        self.tell_left_out(at);
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

    /// Writes what is kept and gives its memory back (a game is over).
    pub fn rest(&mut self) {
        self.flush();
        self.buffer = Vec::new();
        if let Some(beside) = &mut self.beside {
            beside.rest();
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

fn is_answer(line: &[u8]) -> bool {
    let word = line.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default();
    ANSWERS.contains(&word)
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_and_answers_are_kept() {
        let path = std::env::temp_dir().join(format!("chuhe-transcript-{}", std::process::id()));
        let mut transcript = Transcript::open(&path).unwrap();
        let at = At(7);
        for question in 0..2 {
            transcript.sent(at, b"go\n");
            for _ in 0..100_000 {
                transcript.heard(at, b"info depth 1 nodes 1");
            }
            transcript.heard(at, format!(" bestmove h{question}e2").as_bytes());
            for _ in 0..100_000 {
                transcript.heard(at, b"bestmove a0a0");
            }
        }
        transcript.remark(at, "signal 9");
        drop(transcript);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.len() < 1_000_000, "{}", text.len());
        let count = |what: &str| text.lines().filter(|line| line.ends_with(what)).count();
        assert_eq!((count("> go"), count("bestmove h0e2"), count("bestmove h1e2")), (2, 1, 1));
        assert_eq!((count(" lines left out"), count("# signal 9")), (2, 1));
    }
}
