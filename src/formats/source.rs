//! Lines of a byte source with their numbers and a limit. Never opens anything and never holds more
//! than one line. Start at [`Lines`].

use std::io::{BufRead, Read};

use super::record::{Reason, RecordError};

/// Longest line that is read, in bytes: a comment of several megabytes on one line is read, endless
/// garbage is not.
pub const MAX_LINE: u64 = 16 << 20;

/// Largest file that must be held whole, in bytes (HTML, XQF).
pub const MAX_WHOLE: u64 = 64 << 20;

/// A byte source, line by line.
pub(super) struct Lines<R> {
    source: R,
    /// Number of the line read last, from 1.
    pub number: u64,
    /// A line that was too long ends the source: what follows it may be as endless.
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub fn new(source: R) -> Lines<R> {
        Lines { source, number: 0, ended: false }
    }

    /// Appends the next line with its end to `out`; `false` at the end of the source, which a line of more than
    /// [`MAX_LINE`] is.
    pub fn read(&mut self, out: &mut Vec<u8>) -> Result<bool, Reason> {
        if self.ended {
            return Ok(false);
        }
        let before = out.len();
        let mut limited = (&mut self.source).take(MAX_LINE);
        limited.read_until(b'\n', out).map_err(|error| Reason::Source(error.to_string()))?;
        if out.len() == before {
            return Ok(false);
        }
        self.number += 1;
        if (out.len() - before) as u64 == MAX_LINE && out.last() != Some(&b'\n') {
            self.ended = true;
            return Err(Reason::TooMuch("a line longer than 16 MB, and nothing behind it"));
        }
        Ok(true)
    }
}

/// The whole source, up to [`MAX_WHOLE`].
pub(super) fn whole(source: impl Read) -> Result<Vec<u8>, RecordError> {
    let mut bytes = Vec::new();
    let stopped =
        |reason| RecordError { game: 1, line: 1, ply: None, token: String::new(), reason, before: None };
    let mut limited = source.take(MAX_WHOLE + 1);
    limited.read_to_end(&mut bytes).map_err(|error| stopped(Reason::Source(error.to_string())))?;
    if bytes.len() as u64 > MAX_WHOLE {
        return Err(stopped(Reason::TooMuch("a file longer than 64 MB")));
    }
    Ok(bytes)
}
