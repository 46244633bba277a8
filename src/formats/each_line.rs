//! Sources in which every line is a game by itself: lists, JSON lines, journals. Holds one line.
//! Knows no format. Start at [`EachLine`].

use std::io::BufRead;

use super::encoding::decode;
use super::pgn::Game;
use super::record::{Record, RecordError};
use super::source::Lines;

/// The games of a source, read line by line with a function that gives nothing for lines without one.
pub(super) struct EachLine<R, F> {
    lines: Lines<R>,
    read: F,
    count: u64,
    ended: bool,
}

impl<R, F> EachLine<R, F>
where
    R: BufRead,
    F: FnMut(&Game<'_>) -> Option<Result<Record, RecordError>>,
{
    /// Reads from a source.
    pub fn new(source: R, read: F) -> EachLine<R, F> {
        EachLine { lines: Lines::new(source), read, count: 0, ended: false }
    }
}

impl<R, F> Iterator for EachLine<R, F>
where
    R: BufRead,
    F: FnMut(&Game<'_>) -> Option<Result<Record, RecordError>>,
{
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = Vec::new();
        while !self.ended {
            bytes.clear();
            let more = self.lines.read(&mut bytes);
            let (text, encoding) = decode(&bytes);
            let game = Game { number: self.count + 1, text: &text, line: self.lines.number, encoding };
            match more {
                Ok(true) => {}
                Ok(false) => return None,
                Err(reason) => {
                    self.ended = true;
                    return Some(Err(game.error(0, "", reason)));
                }
            }
            if let Some(read) = (self.read)(&game) {
                self.count += 1;
                return Some(read);
            }
        }
        None
    }
}
