//! A chair: one seat's session, what its engine was told of the game, and what it is waited for.
//! Never judges. Start at [`Chair`].

use std::sync::Arc;
use std::time::Duration;

use super::pondering::EarlyAnswer;
use super::told_movetime;
use crate::engine::{Go, Manifest, Phase, Session, Sheet};
use crate::game::{Clock, Game, Pace};
use crate::law::Trail;
use crate::time::At;
use crate::xiangqi::{Move, Position, Side};

/// How often a seat's engine is started again in one game under `crash = restart` (I.7's reading).
const RESTARTS: u8 = 1;

/// Where a seat's engine stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No process was asked for yet.
    Absent,
    /// A process is being started or greeted.
    Starting { by: At },
    /// It was told of the new game and has not said that it is ready.
    Preparing { by: At },
    /// It waits to be asked.
    Ready,
    /// It was asked for a move.
    Thinking,
    /// It thinks on the opponent's time about the position after a move.
    Pondering { expected: Move },
    /// The opponent played something else: it was told to stop, and its answer is awaited before it is asked.
    Draining,
    /// Its answer is no longer wanted (the game is over, or its time for the move), and it still owes one.
    Stopping { by: At },
    /// It sits at another table: the master of an exhibition.
    Away,
    /// Its process is of no more use.
    Gone,
}

/// What goes with a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told<'a> {
    /// Moves that must not be played.
    pub(super) ban: &'a [Move],
    /// The only moves to be looked at.
    pub(super) only: &'a [Move],
    /// How many members of a team share the time for the move.
    pub(super) sharers: u32,
}

/// A seat's engine at a table.
#[derive(Debug)]
pub struct Chair {
    manifest: Arc<Manifest>,
    pub(super) session: Session,
    pub(super) sheet: Sheet,
    pub(super) state: State,
    pub(super) outbox: Vec<u8>,
    /// A draw was offered apart from a move (CECP); it goes with the next answer.
    pub(super) offered: bool,
    greeted_at: At,
    unsent_by: Option<At>,
    /// The question is a `ponderhit` that was not flushed yet.
    hit: bool,
    restarts: u8,
    /// Which member of its side's team it is, from 0.
    pub(super) member: usize,
    /// Whether it was told of this game.
    pub(super) is_called: bool,
    /// Whether it serves several tables at once: it is needed when this game is over.
    pub(super) shared: bool,
    /// Whether it has to be told that a new game begins before it is asked: it comes from another table.
    pub(super) fresh: bool,
    /// Whether its process was lost at another table.
    pub(super) was_lost_elsewhere: bool,
}

impl Chair {
    /// A chair whose engine is still to be started.
    pub fn absent(manifest: &Arc<Manifest>, start: &Position) -> Chair {
        Chair::with(manifest, Session::new(Arc::clone(manifest)), start, State::Absent)
    }

    /// A chair whose engine runs and is idle.
    pub fn seated(manifest: &Arc<Manifest>, session: Session, start: &Position) -> Chair {
        Chair::with(manifest, session, start, State::Ready)
    }

    /// The chair at a table for somebody who serves several tables and is given moves only (II.2).
    pub fn away(manifest: &Arc<Manifest>, start: &Position) -> Chair {
        Chair::with(manifest, Session::new(Arc::clone(manifest)), start, State::Away).for_master()
    }

    /// Makes it the chair of somebody who serves several tables and is given moves only (II.2); to be asked
    /// for before anything is entered.
    #[must_use]
    pub fn for_master(mut self) -> Chair {
        self.sheet = self.sheet.moves_only();
        self.shared = true;
        self
    }

    /// Whoever sits here walks over to the chair at another table. What an engine was told of each game, and
    /// how often it was started again in it, stays with the game.
    pub(super) fn walk(&mut self, there: &mut Chair) {
        std::mem::swap(self, there);
        std::mem::swap(&mut self.sheet, &mut there.sheet);
        std::mem::swap(&mut self.restarts, &mut there.restarts);
        if there.state == State::Gone {
            there.was_lost_elsewhere = true;
            there.outbox.clear();
        }
    }

    fn with(manifest: &Arc<Manifest>, session: Session, start: &Position, state: State) -> Chair {
        Chair {
            manifest: Arc::clone(manifest),
            sheet: Sheet::new(manifest, start),
            session,
            state,
            outbox: Vec::new(),
            offered: false,
            greeted_at: At::ZERO,
            unsent_by: None,
            hit: false,
            restarts: 0,
            member: 0,
            is_called: false,
            shared: false,
            fresh: false,
            was_lost_elsewhere: false,
        }
    }

    /// The session, when the game is over.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// Whether its engine may serve another game.
    pub fn is_usable(&self) -> bool {
        self.state == State::Ready
    }

    pub(super) fn is_starting(&self) -> bool {
        matches!(self.state, State::Starting { .. })
    }

    pub(super) fn is_settled(&self) -> bool {
        matches!(self.state, State::Ready | State::Gone | State::Absent | State::Away)
    }

    /// Whether it may leave for another table: nothing is outstanding and nothing unsent.
    pub(super) fn is_free(&self) -> bool {
        self.state == State::Gone || self.is_settled() && self.outbox.is_empty()
    }

    /// The moment at which patience with this engine ends; a thinking engine has the referee's clock.
    pub(super) fn deadline(&self) -> Option<At> {
        let state = match self.state {
            State::Starting { by } | State::Preparing { by } | State::Stopping { by } => Some(by),
            State::Absent
            | State::Ready
            | State::Thinking
            | State::Pondering { .. }
            | State::Draining
            | State::Away
            | State::Gone => None,
        };
        let unsent = self.unsent_by.filter(|_| self.state != State::Gone);
        [state, unsent, self.silence_until()].into_iter().flatten().min()
    }

    /// When a greeting is over without a word from the engine, where the protocol has that (CECP).
    fn silence_until(&self) -> Option<At> {
        let silence = self.session.silence().filter(|_| self.is_starting())?;
        Some(self.greeted_at + silence)
    }

    pub(super) fn silence_is_over(&self, at: At) -> bool {
        self.silence_until().is_some_and(|until| at >= until)
    }

    /// What is waited for, in words that fit after "did not answer" and "no sign of".
    pub(super) fn waiting_for(&self) -> &'static str {
        match self.state {
            State::Starting { .. } => "the end of its greeting",
            State::Preparing { .. } => "readiness for a new game",
            State::Stopping { .. } => "the answer to stop",
            State::Absent
            | State::Ready
            | State::Thinking
            | State::Pondering { .. }
            | State::Draining
            | State::Away
            | State::Gone => "reading its input",
        }
    }

    pub(super) fn expect_start(&mut self, at: At, patience: Duration) {
        let greeting = Duration::from_millis(self.manifest.start_patience_ms);
        self.state = State::Starting { by: at + greeting.max(patience) };
        // Until the process runs the protocol's own silence has not begun.
        self.greeted_at = at + greeting;
    }

    /// The process runs: the greeting is put into the outbox and its patience begins.
    pub(super) fn greet(&mut self, at: At) {
        let greeting = Duration::from_millis(self.manifest.start_patience_ms);
        self.state = State::Starting { by: at + greeting };
        self.greeted_at = at;
        self.session.open(&mut self.outbox);
    }

    pub(super) fn prepare(&mut self, at: At, patience: Duration) {
        self.is_called = true;
        self.fresh = false;
        let waits = self.session.new_game(&mut self.sheet, &mut self.outbox);
        self.state = if waits { State::Preparing { by: at + patience } } else { State::Ready };
    }

    /// A new session for an engine that is to be started, told the game so far.
    pub(super) fn renew(&mut self, trail: &Trail) {
        let (restarts, member, shared) = (self.restarts, self.member, self.shared);
        let chair = Chair::absent(&self.manifest, trail.start());
        let chair = if shared { chair.for_master() } else { chair };
        *self = Chair { restarts, member, ..chair };
        self.enter_all(trail);
    }

    /// Whether the engine may be started once more in this game; if so a new session is laid out and
    /// told the game so far.
    pub(super) fn restart(&mut self, trail: &Trail) -> bool {
        if self.restarts >= RESTARTS {
            return false;
        }
        self.restarts += 1;
        self.renew(trail);
        true
    }

    /// Enters everything that was played before (opening, resumed game, restart).
    pub fn enter_all(&mut self, trail: &Trail) {
        let mut position = trail.start().clone();
        for half in trail.halves() {
            match half.mv {
                Some(mv) => {
                    let captured = position.make(mv).captured().is_some();
                    self.sheet.played(mv, captured, &position);
                }
                None => {
                    position.pass();
                    self.sheet.passed(&position);
                }
            }
        }
    }

    /// Puts the question into the outbox. A fixed time for the move is told as if it were shared by so many.
    pub(super) fn ask(&mut self, at: At, game: &Game, told: &Told<'_>, patience: Duration) {
        let Told { ban, only, sharers } = *told;
        let mut go = question(at, game, game.side(), ban, only);
        go.movetime = go.movetime.map(|time| time / sharers.max(1));
        self.session.ask(&mut self.sheet, &go, &mut self.outbox);
        self.state = State::Thinking;
        self.unsent_by = Some(at + patience);
    }

    /// Lets the engine think about the position after `expected`, a legal move of the opponent; false if it
    /// has no ear for that.
    pub(super) fn ponder(
        &mut self,
        at: At,
        game: &Game,
        expected: Move,
        ban: &[Move],
        only: &[Move],
        patience: Duration,
    ) -> bool {
        let go = question(at, game, !game.side(), ban, only);
        let asked = self.session.ponder(&mut self.sheet, expected, &go, &mut self.outbox);
        if asked {
            self.state = State::Pondering { expected };
            self.unsent_by = Some(at + patience);
        }
        asked
    }

    /// The expected move was played: what it answered already, or `ponderhit` in the outbox.
    pub(super) fn ponder_hit(&mut self, at: At, draw: bool, patience: Duration) -> Option<EarlyAnswer> {
        let early = self.session.ponder_hit(draw, &mut self.outbox).map(|answer| EarlyAnswer::of(&answer));
        self.hit = early.is_none();
        if early.is_none() {
            self.state = State::Thinking;
            self.unsent_by = Some(at + patience);
        }
        early
    }

    /// Another move was played: false if it can be asked at once, else `stop` is in the outbox.
    pub(super) fn stop_pondering(&mut self, at: At, patience: Duration) -> bool {
        self.session.stop(&mut self.outbox);
        let waits = self.session.phase() != Phase::Idle;
        self.state = if waits { State::Draining } else { State::Ready };
        self.unsent_by = waits.then(|| at + patience).or(self.unsent_by);
        waits
    }

    /// Whether a `ponderhit` waits to be flushed.
    pub(super) fn is_hit(&self) -> bool {
        self.hit && self.is_unsent()
    }
}

/// The question to a side, with the clocks as they stand.
fn question<'a>(at: At, game: &Game, side: Side, ban: &'a [Move], only: &'a [Move]) -> Go<'a> {
    let (own, other) = (game.clock(side), game.clock(!side));
    let control = own.control();
    let increment = |pace: Pace| match pace {
        Pace::Bank { increment, .. } => increment,
        Pace::Untimed | Pace::PerMove { .. } => Duration::ZERO,
    };
    let bank = |clock: &Clock| match clock.control().pace {
        Pace::Bank { .. } => clock.left(),
        Pace::Untimed | Pace::PerMove { .. } => None,
    };
    let to_go = |moves: u32| (moves > 0).then_some(moves);
    // Under a restart the clock has been running meanwhile.
    let running = game.running_since().filter(|_| game.side() == side);
    let gone = running.map_or(Duration::ZERO, |since| at - since);
    Go {
        side,
        own: bank(own).map(|left| left.saturating_sub(gone)),
        opponent: bank(other),
        own_increment: increment(control.pace),
        opponent_increment: increment(other.control().pace),
        moves_to_go: to_go(own.moves_left()),
        opponent_moves_to_go: to_go(other.moves_left()),
        movetime: told_movetime(control.pace),
        nodes: control.nodes,
        depth: control.depth,
        draw_offered: game.draw_offered(),
        ban,
        only,
    }
}

impl Chair {
    /// The game is over: an engine that owes an answer is stopped. Returns whether its process is not
    /// worth waiting for.
    pub(super) fn end_game(&mut self, at: At, settle: Duration) -> bool {
        self.unsent_by = None;
        match self.state {
            State::Thinking => self.stop(at, settle),
            // It may have answered already; then nothing is owed.
            State::Pondering { .. } => {
                self.session.stop(&mut self.outbox);
                let idle = self.session.phase() == Phase::Idle;
                self.state = if idle { State::Ready } else { State::Stopping { by: at + settle } };
            }
            State::Draining => self.state = State::Stopping { by: at + settle },
            State::Starting { .. } | State::Preparing { .. } if !self.shared => {
                self.state = State::Gone;
                return true;
            }
            State::Ready => self.session.rest(&mut self.outbox),
            State::Starting { .. }
            | State::Preparing { .. }
            | State::Absent
            | State::Stopping { .. }
            | State::Gone
            | State::Away => {}
        }
        false
    }

    /// Stops its search, if there is one; what it answers is discarded.
    pub(super) fn stop(&mut self, at: At, settle: Duration) {
        if self.state == State::Thinking {
            self.unsent_by = None;
            self.session.stop(&mut self.outbox);
            self.state = State::Stopping { by: at + settle };
        }
    }

    /// Whether the outbox has something to be sent.
    pub(super) fn wants_sending(&self) -> bool {
        !self.outbox.is_empty() && self.state != State::Gone
    }

    /// Whether it was asked and the question is not flushed yet.
    pub(super) fn is_unsent(&self) -> bool {
        self.state == State::Thinking && self.unsent_by.is_some()
    }

    pub(super) fn flushed(&mut self) {
        self.hit = false;
        self.unsent_by = None;
    }
}
