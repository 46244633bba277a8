//! Every way a game can end, and who wins by it. The only place where winning is decided.
//! Start at [`Termination`].

use std::time::Duration;

use crate::law::{Ending, Ruling};
use crate::xiangqi::Side;

/// The result of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// 1-0.
    RedWins,
    /// 0-1.
    BlackWins,
    /// 1/2-1/2.
    Draw,
}

impl Outcome {
    /// The outcome in which `side` wins.
    pub const fn win(side: Side) -> Outcome {
        match side {
            Side::Red => Outcome::RedWins,
            Side::Black => Outcome::BlackWins,
        }
    }

    /// The winner.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Outcome::RedWins => Some(Side::Red),
            Outcome::BlackWins => Some(Side::Black),
            Outcome::Draw => None,
        }
    }

    /// The PGN token.
    pub const fn token(self) -> &'static str {
        match self {
            Outcome::RedWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
        }
    }

    /// Reads a PGN token.
    pub fn from_token(token: &str) -> Option<Outcome> {
        [Outcome::RedWins, Outcome::BlackWins, Outcome::Draw].into_iter().find(|o| o.token() == token)
    }
}

/// A way a game can end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Termination {
    /// No legal move while in check.
    Mated {
        /// Who lost.
        loser: Side,
    },
    /// No legal move without check: lost as well.
    NoMove {
        /// Who lost.
        loser: Side,
    },
    /// A repetition was judged.
    Repetition(Ruling),
    /// Neither side can attack any more.
    DeadPosition,
    /// The no-capture limit was reached.
    NoCapture,
    /// The game became as long as it may be.
    MaxLength,
    /// A side used more time than it had.
    Flag {
        /// Who lost.
        loser: Side,
        /// Time used for the move (until it was noticed, if no answer came).
        used: Duration,
        /// Time there was, margin left out.
        allowed: Duration,
    },
    /// A side used more time than it had for a move while in check, where an overrun means that it must pass
    /// (II.5).
    OverrunInCheck {
        /// Who lost.
        loser: Side,
        /// Time used until it was noticed.
        used: Duration,
        /// Time there was.
        allowed: Duration,
    },
    /// A side answered with a move that is not legal, or with none although it has one.
    IllegalMove {
        /// Who lost.
        loser: Side,
        /// The answer as it came, shortened.
        text: String,
    },
    /// A side's engine ended.
    Crashed {
        /// Who lost.
        loser: Side,
        /// How it ended: `exit status 1`, `signal 11`, `closed its output`, `did not start: ..`.
        how: String,
    },
    /// A side's engine did not answer where no clock could fall.
    Stalled {
        /// Who lost.
        loser: Side,
        /// What was waited for.
        waiting_for: String,
    },
    /// A side gave up.
    Resigned {
        /// Who lost.
        loser: Side,
    },
    /// Both sides agreed to a draw in turn.
    Agreed,
    /// Ended by agreed scores (open testing only).
    Adjudicated {
        /// Who was given the win; `None` for a draw.
        winner: Option<Side>,
        /// The rule: `resign` or `draw`.
        rule: &'static str,
    },
    /// Not played: a side has withdrawn or may not play.
    Forfeited {
        /// Who lost.
        loser: Side,
        /// Why.
        reason: String,
    },
    /// The session limit of the event was reached: a draw (II.5).
    SessionOver,
    /// Waits for the chief referee.
    Held {
        /// Why.
        reason: String,
    },
    /// Not finished, not counted, to be played again (the runner stopped, an engine of another game
    /// took its seat down).
    Abandoned {
        /// Why.
        reason: String,
    },
}

impl Termination {
    /// The result as it counts: with draw odds a draw is won by Black. `None` while there is none.
    pub fn counted(&self, draw_as_black_win: bool) -> Option<Outcome> {
        match self.outcome() {
            Some(Outcome::Draw) if draw_as_black_win => Some(Outcome::BlackWins),
            outcome => outcome,
        }
    }

    /// The result, or `None` while there is none (held, abandoned).
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Termination::Mated { loser }
            | Termination::NoMove { loser }
            | Termination::Flag { loser, .. }
            | Termination::OverrunInCheck { loser, .. }
            | Termination::IllegalMove { loser, .. }
            | Termination::Crashed { loser, .. }
            | Termination::Stalled { loser, .. }
            | Termination::Resigned { loser }
            | Termination::Forfeited { loser, .. } => Some(Outcome::win(!*loser)),
            Termination::Repetition(ruling) => {
                Some(ruling.verdict.loser().map_or(Outcome::Draw, |loser| Outcome::win(!loser)))
            }
            Termination::DeadPosition
            | Termination::NoCapture
            | Termination::MaxLength
            | Termination::Agreed
            | Termination::SessionOver => Some(Outcome::Draw),
            Termination::Adjudicated { winner, .. } => Some(winner.map_or(Outcome::Draw, Outcome::win)),
            Termination::Held { .. } | Termination::Abandoned { .. } => None,
        }
    }

    /// The snake-case word of the kind, used in the journal and in JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Termination::Mated { .. } => "mated",
            Termination::NoMove { .. } => "no_move",
            Termination::Repetition(_) => "repetition",
            Termination::DeadPosition => "dead_position",
            Termination::NoCapture => "no_capture",
            Termination::MaxLength => "max_length",
            Termination::Flag { .. } => "flag",
            Termination::OverrunInCheck { .. } => "overrun_in_check",
            Termination::IllegalMove { .. } => "illegal_move",
            Termination::Crashed { .. } => "crashed",
            Termination::Stalled { .. } => "stalled",
            Termination::Resigned { .. } => "resigned",
            Termination::Agreed => "agreed",
            Termination::Adjudicated { .. } => "adjudicated",
            Termination::Forfeited { .. } => "forfeited",
            Termination::SessionOver => "session_over",
            Termination::Held { .. } => "held",
            Termination::Abandoned { .. } => "abandoned",
        }
    }

    /// The side that lost by a fault of its engine.
    pub fn fault_side(&self) -> Option<Side> {
        self.fault()?;
        self.outcome()?.winner().map(|winner| !winner)
    }

    /// The class of engine fault behind it, if it is one.
    pub const fn fault(&self) -> Option<FaultClass> {
        match self {
            Termination::Flag { .. } | Termination::OverrunInCheck { .. } => Some(FaultClass::Time),
            Termination::IllegalMove { .. } => Some(FaultClass::Illegal),
            Termination::Crashed { .. } => Some(FaultClass::Crash),
            Termination::Stalled { .. } => Some(FaultClass::Stall),
            Termination::Mated { .. }
            | Termination::NoMove { .. }
            | Termination::Repetition(_)
            | Termination::DeadPosition
            | Termination::NoCapture
            | Termination::MaxLength
            | Termination::Resigned { .. }
            | Termination::Agreed
            | Termination::Adjudicated { .. }
            | Termination::Forfeited { .. }
            | Termination::SessionOver
            | Termination::Held { .. }
            | Termination::Abandoned { .. } => None,
        }
    }
}

impl From<Ending> for Termination {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::NoLegalMove { loser, in_check: true } => Termination::Mated { loser },
            Ending::NoLegalMove { loser, in_check: false } => Termination::NoMove { loser },
            Ending::Repetition(ruling) => Termination::Repetition(ruling),
            Ending::DeadPosition => Termination::DeadPosition,
            Ending::NoCapture => Termination::NoCapture,
            Ending::MaxLength => Termination::MaxLength,
        }
    }
}

/// Kinds of engine faults that are counted and may be limited (`faults.max`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultClass {
    /// The process ended.
    Crash,
    /// It did not answer.
    Stall,
    /// An illegal move.
    Illegal,
    /// Lost on time.
    Time,
}

impl FaultClass {
    /// All classes.
    pub const ALL: [FaultClass; 4] =
        [FaultClass::Crash, FaultClass::Stall, FaultClass::Illegal, FaultClass::Time];

    /// The word used in reports' data.
    pub const fn name(self) -> &'static str {
        match self {
            FaultClass::Crash => "crash",
            FaultClass::Stall => "stall",
            FaultClass::Illegal => "illegal",
            FaultClass::Time => "time",
        }
    }
}
