//! How a run tells the live page what happens: a channel that nobody waits at, so that sending wakes no
//! thread and makes no system call, and for each game a place where the last line of each engine lies.
//! Nothing here can hold up a game. Start at [`Feed`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use crate::engine::Thought;
use crate::game::Game;
use crate::record::{Event, Kept, Moved};
use crate::report::live::Asked;
use crate::runner::wall::Face;
use crate::time::{At, micros};
use crate::tournament::GameId;
use crate::xiangqi::{BySide, Side, SquareStyle};

/// Longest line that is looked at: longer ones are cut and still tell score and depth.
const MOST_BYTES: usize = 1024;

/// What the live page is told.
#[derive(Debug)]
pub enum Message {
    /// An event that is in the journal, and what the desk keeps of the game that it ends.
    Event(Box<Event>, Option<Kept>),
    /// A move that the journal has with the game's end only.
    Moved(At, Moved),
    /// A side was asked for a move.
    Asked(Asked),
    /// A game has sat down; here its engines' lines are found.
    Seated(GameId, Arc<Aloud>),
    /// An engine's line, read.
    Thought(GameId, Side, Box<Thought>),
    /// The clock of the run.
    Clock(Face),
    /// The runner is gone: clocks stand still.
    Still,
    /// Nothing follows.
    End,
}

/// The last lines of the engines of a game.
#[derive(Debug, Default)]
pub struct Aloud {
    lines: BySide<Mutex<Vec<u8>>>,
    fresh: BySide<AtomicBool>,
    styles: BySide<SquareStyle>,
}

impl Aloud {
    /// For engines that write squares in these styles.
    pub fn new(styles: BySide<SquareStyle>) -> Aloud {
        Aloud { styles, ..Aloud::default() }
    }

    /// An engine wrote a line. One that tells no score is passed over, and one that comes while the page
    /// reads the last is lost: the game never waits.
    pub fn heard(&self, side: Side, line: &[u8]) {
        let thinking = line.trim_ascii_start();
        if !(thinking.starts_with(b"info ") || thinking.first().is_some_and(u8::is_ascii_digit)) {
            return;
        }
        if let Ok(mut kept) = self.lines[side].try_lock() {
            kept.clear();
            kept.extend_from_slice(&line[..line.len().min(MOST_BYTES)]);
            self.fresh[side].store(true, Ordering::Release);
        }
    }

    /// What a side thought last, if that is new.
    pub fn thought(&self, side: Side) -> Option<Thought> {
        if !self.fresh[side].swap(false, Ordering::Acquire) {
            return None;
        }
        let line = std::mem::take(&mut *self.lines[side].lock().unwrap_or_else(PoisonError::into_inner));
        Thought::of_line(&line, self.styles[side])
    }
}

/// Where a run tells what happens.
#[derive(Debug, Clone)]
pub struct Feed(mpsc::Sender<Message>);

impl Feed {
    /// A feed and where it comes out.
    pub fn new() -> (Feed, mpsc::Receiver<Message>) {
        let (sender, receiver) = mpsc::channel();
        (Feed(sender), receiver)
    }

    /// Tells something. Nobody there is no failure.
    pub fn tell(&self, message: Message) {
        let _ = self.0.send(message);
    }

    /// Tells how the clocks of a game stand, if one runs.
    pub fn asked(&self, id: GameId, game: &Game) {
        if let Some(since) = game.running_since() {
            let left_us = BySide::from_fn(|side| game.clock(side).left().map(micros));
            self.tell(Message::Asked(Asked { game: id, side: game.side(), since, left_us }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_scored_line_is_read_once() {
        let aloud = Aloud::new(BySide { red: SquareStyle::One, black: SquareStyle::Zero });
        aloud.heard(Side::Red, b"info depth 4 score cp 5 pv h3e3");
        aloud.heard(Side::Red, b"bestmove h3e3");
        let thought = aloud.thought(Side::Red).unwrap();
        assert_eq!((thought.depth, thought.pv.as_str()), (Some(4), "h2e2"));
        assert_eq!((aloud.thought(Side::Red), aloud.thought(Side::Black)), (None, None));
    }
}
