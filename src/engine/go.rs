//! What a search may use: clocks, limits, and the words of each unit of time. Numbers only; never reads a
//! clock. Start at [`Go`].

use std::time::Duration;

use crate::xiangqi::{Move, Side};

/// One request for a move. Times are those of the moment of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Go<'a> {
    /// Who is to move.
    pub side: Side,
    /// Its time left; `None` without a clock.
    pub own: Option<Duration>,
    /// The opponent's time left.
    pub opponent: Option<Duration>,
    /// Added to its clock after the move.
    pub own_increment: Duration,
    /// Added to the opponent's clock after a move.
    pub opponent_increment: Duration,
    /// Moves to its next period; `None` in sudden death.
    pub moves_to_go: Option<u32>,
    /// Moves to the opponent's next period.
    pub opponent_moves_to_go: Option<u32>,
    /// A fixed time for this move, already less the reserve; told instead of the clocks.
    pub movetime: Option<Duration>,
    /// Most nodes. CECP has no word for it ([`super::Protocol::limits_nodes`]).
    pub nodes: Option<u64>,
    /// Most plies of depth.
    pub depth: Option<u32>,
    /// The opponent has offered a draw (UCCI, CECP).
    pub draw_offered: bool,
    /// Moves that must not be played here (UCCI `banmoves`); other protocols have no word for it.
    pub ban: &'a [Move],
    /// The only moves to be searched, all if empty (UCI `searchmoves`); others have no word for it.
    pub only: &'a [Move],
}

impl Go<'_> {
    /// A request without any limit.
    pub const fn new(side: Side) -> Go<'static> {
        Go {
            side,
            own: None,
            opponent: None,
            own_increment: Duration::ZERO,
            opponent_increment: Duration::ZERO,
            moves_to_go: None,
            opponent_moves_to_go: None,
            movetime: None,
            nodes: None,
            depth: None,
            draw_offered: false,
            ban: &[],
            only: &[],
        }
    }
}

/// A unit of time on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// 1 ms.
    Milliseconds,
    /// 10 ms (CECP's `time` and `otim`).
    Centiseconds,
    /// 1 s.
    Seconds,
}

impl Unit {
    /// A time in whole units, rounded down.
    pub(super) fn count(self, time: Duration) -> u64 {
        let in_second = time.subsec_millis();
        let count = |parts: u64, part: u32| time.as_secs().saturating_mul(parts).saturating_add(part.into());
        match self {
            Unit::Milliseconds => count(1000, in_second),
            Unit::Centiseconds => count(100, in_second / 10),
            Unit::Seconds => time.as_secs(),
        }
    }

    /// Appends ` WORD N` for time left: never below 1, because 0 means "no limit" to many engines.
    pub(super) fn put_left(self, word: &str, time: Duration, out: &mut Vec<u8>) {
        put_number(word, self.count(time).max(1), out);
    }

    /// Appends ` WORD N` for an increment, which may be 0.
    pub(super) fn put_increment(self, word: &str, time: Duration, out: &mut Vec<u8>) {
        put_number(word, self.count(time), out);
    }
}

/// Appends ` WORD N`. Written out by hand: with the formatting machinery these numbers, up to four at every
/// move, cost more than judging the move.
pub(super) fn put_number(word: &str, value: impl Into<u64>, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(word.as_bytes());
    out.push(b' ');
    let begin = out.len();
    let mut rest = value.into();
    loop {
        // A remainder by ten is a digit.
        out.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[begin..].reverse();
}
