//! Lines out of a stream of bytes: one reused buffer, lines are slices of it. Bounded: the rest of a
//! line above the limit is dropped. Never decodes. Start at [`LineBuffer`].

use std::collections::VecDeque;

/// Longest line that is kept whole; no protocol's line comes near it, a flood would. However loud a seat talks,
/// nobody has to listen to more (II.3).
pub const MAX_LINE: usize = 64 * 1024;

/// Size of the buffer while no line is longer.
const FIRST_SIZE: usize = 4096;

/// A buffer between a pipe and the table.
#[derive(Debug, Default)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    begin: usize,
    scanned: usize,
    end: usize,
    dropping: bool,
}

impl LineBuffer {
    /// Free room to read into; never empty.
    pub fn room(&mut self) -> &mut [u8] {
        if self.begin > 0 {
            self.bytes.copy_within(self.begin..self.end, 0);
            self.end -= self.begin;
            self.scanned -= self.begin;
            self.begin = 0;
        }
        if self.end == self.bytes.len() {
            if self.end >= MAX_LINE {
                // Keep what came first, forget the rest up to the next newline.
                self.dropping = true;
                self.end = MAX_LINE - FIRST_SIZE;
                self.scanned = self.end;
            } else {
                self.bytes.resize((self.bytes.len() * 2).clamp(FIRST_SIZE, MAX_LINE), 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// Gives its memory back if nothing lies in it.
    pub fn release(&mut self) {
        if self.begin == self.end && !self.dropping {
            *self = LineBuffer::default();
        }
    }

    /// `count` bytes were read into the room.
    pub fn grew(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
    }

    /// The next whole line without its newline.
    pub fn next_line(&mut self) -> Option<&[u8]> {
        loop {
            let Some(offset) = memchr::memchr(b'\n', &self.bytes[self.scanned..self.end]) else {
                if self.dropping {
                    self.end = self.scanned;
                } else {
                    self.scanned = self.end;
                }
                return None;
            };
            let newline = self.scanned + offset;
            if self.dropping {
                // What stands before `scanned` is the line's beginning; cut the dropped middle out.
                self.dropping = false;
                let kept = self.scanned;
                self.bytes.copy_within(newline..self.end, kept);
                self.end -= newline - kept;
                continue;
            }
            let line = self.begin..newline;
            self.begin = newline + 1;
            self.scanned = self.begin;
            return Some(&self.bytes[line]);
        }
    }

    /// What is left without a newline when the stream has ended.
    pub fn last_line(&mut self) -> Option<&[u8]> {
        let rest = self.begin..self.end;
        self.begin = self.end;
        self.scanned = self.end;
        (!rest.is_empty()).then(|| &self.bytes[rest])
    }
}

/// The last bytes of a stream, for reports of a crash.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: VecDeque<u8>,
}

/// Bytes kept of each stream; a tail takes this much memory, once it takes any, and there are two for each
/// engine.
const TAIL_BYTES: usize = 4096;

/// Lines shown of each stream.
const TAIL_LINES: usize = 20;

impl Tail {
    /// Adds what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        let new = &bytes[bytes.len().saturating_sub(TAIL_BYTES)..];
        let over = (self.bytes.len() + new.len()).saturating_sub(TAIL_BYTES);
        self.bytes.drain(..over);
        if self.bytes.capacity() == 0 {
            self.bytes.reserve_exact(TAIL_BYTES);
        }
        self.bytes.extend(new);
    }

    /// The last lines, decoded lossily, control characters replaced.
    pub fn lines(&self) -> Vec<String> {
        let (first, second) = self.bytes.as_slices();
        let bytes = [first, second].concat();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.trim_end())
            .filter(|line| !line.is_empty())
            .map(|line| line.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect())
            .collect();
        lines[lines.len().saturating_sub(TAIL_LINES)..].to_vec()
    }

    /// Forgets everything and gives its memory back (a game is over).
    pub fn clear(&mut self) {
        self.bytes = VecDeque::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(buffer: &mut LineBuffer, mut bytes: &[u8], step: usize) -> Vec<String> {
        let mut lines = Vec::new();
        while !bytes.is_empty() {
            let room = buffer.room();
            let count = room.len().min(bytes.len()).min(step);
            room[..count].copy_from_slice(&bytes[..count]);
            buffer.grew(count);
            bytes = &bytes[count..];
            while let Some(line) = buffer.next_line() {
                lines.push(String::from_utf8_lossy(line).into_owned());
            }
        }
        lines
    }

    #[test]
    fn lines_come_whole_whatever_the_reads() {
        for step in [1, 2, 3, 7, 4096] {
            let mut buffer = LineBuffer::default();
            assert_eq!(feed(&mut buffer, b"one\ntwo\n\nthree", step), ["one", "two", ""]);
            assert_eq!(buffer.last_line(), Some(&b"three"[..]));
            assert_eq!(buffer.last_line(), None);
        }
    }

    #[test]
    fn the_last_lines_are_kept_in_bounded_room() {
        for step in [1, 100, 3000, 10_000] {
            let mut tail = Tail::default();
            let text: String = (0..3000).map(|number| format!("line {number}\n")).collect();
            for piece in text.as_bytes().chunks(step) {
                tail.push(piece);
                assert!(tail.bytes.len() <= TAIL_BYTES && tail.bytes.capacity() <= TAIL_BYTES);
            }
            let lines = tail.lines();
            assert_eq!((lines.len(), lines[0].as_str(), lines[19].as_str()), (20, "line 2980", "line 2999"));
        }
    }

    #[test]
    fn an_endless_line_is_cut_and_the_next_one_is_whole() {
        for step in [1000, 4096, 70_000] {
            let mut buffer = LineBuffer::default();
            let mut flood = vec![b'x'; 300_000];
            flood.extend_from_slice(b"\nbestmove h2e2\n");
            let lines = feed(&mut buffer, &flood, step);
            assert_eq!(lines.len(), 2);
            assert!(lines[0].len() <= MAX_LINE && lines[0].len() >= MAX_LINE / 2);
            assert_eq!(lines[1], "bestmove h2e2");
            assert!(buffer.bytes.len() <= MAX_LINE);
        }
    }
}
