//! The arbiter of one simulated game: knows what the scripts did and meant, and holds every effect of the
//! table to it with its own arithmetic of clocks and its own look at the board. Never drives anything.
//! Start at [`Arbiter::watch`].

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use chuhe::game::{Game, MoveMade, Pace, Termination, TimeControl};
use chuhe::plan::CrashRule;
use chuhe::record::{GameOver, Moved};
use chuhe::table::{Effect, Table};
use chuhe::time::At;
use chuhe::xiangqi::{BySide, Move, Position, Side, SquareStyle};

use super::script::Deed;

/// What a table was given, as the world means it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    Begin,
    Started(Side),
    Line(Side, Deed),
    Sent(Side),
    /// Its process ended or did not start.
    Closed(Side),
    Timer,
}

/// Inputs that are remembered.
const KEPT: usize = 16;

/// Timers come at most so late.
const MOST_LATE: Duration = Duration::from_micros(2_000);

#[derive(Debug, Clone, Copy)]
struct Glass {
    control: TimeControl,
    left: u64,
    moves: u32,
}

impl Glass {
    fn new(control: TimeControl) -> Glass {
        let (left, moves) = match control.pace {
            Pace::Untimed => (0, 0),
            Pace::Bank { base, moves, .. } => (base.as_micros() as u64, moves.unwrap_or(0)),
            Pace::PerMove { limit, .. } => (limit.as_micros() as u64, 0),
        };
        Glass { control, left, moves }
    }

    fn left(&self) -> Option<u64> {
        (self.control.pace != Pace::Untimed).then_some(self.left)
    }

    fn spend(&mut self, used: u64) {
        if let Pace::Bank { base, increment, moves } = self.control.pace {
            self.left = self.left.saturating_sub(used) + increment.as_micros() as u64;
            if let Some(moves) = moves {
                self.moves -= 1;
                if self.moves == 0 {
                    self.moves = moves;
                    self.left += base.as_micros() as u64;
                }
            }
        }
    }
}

/// What is known of one game.
#[derive(Debug)]
pub struct Arbiter {
    crash: CrashRule,
    margin: u64,
    patience: Duration,
    glasses: BySide<Glass>,
    position: Position,
    moves: Vec<Move>,
    used: Vec<u64>,
    /// Since when the clock of the side to move runs.
    since: Option<At>,
    /// Whether a question stands in the mover's outbox.
    asked: bool,
    begun: bool,
    over: bool,
    /// Which members of each side's team were greeted; the one at the board is `members`.
    greeted: BySide<Vec<bool>>,
    members: BySide<usize>,
    draw: BySide<bool>,
    /// The last inputs, for whoever has to find out why.
    last: VecDeque<(At, Cause)>,
}

impl Arbiter {
    /// For a game that begins, or goes on after `before`; `set` says after how many of those moves the chief
    /// referee set the clocks, and to what.
    pub fn new(
        game: &Game,
        crash: CrashRule,
        before: &[Moved],
        set: Option<(usize, BySide<Duration>)>,
        sizes: BySide<usize>,
    ) -> Arbiter {
        let terms = game.terms();
        let mut glasses = terms.controls.map(Glass::new);
        let opening = game.trail().plies() - before.len();
        let mut side = game.trail().start().side();
        for _ in 0..opening {
            side = !side;
        }
        let (mut used, mut draw) = (Vec::new(), BySide::default());
        for place in 0..=before.len() {
            if let Some((_, standing)) = set.filter(|(after, _)| *after == place) {
                for side in Side::BOTH {
                    glasses[side].left = standing[side].as_micros() as u64;
                }
            }
            let Some(moved) = before.get(place) else { break };
            glasses[side].spend(moved.used_us);
            // How the clock stood before an earlier correction cannot be seen from here.
            if set.is_none() || set.is_some_and(|(after, _)| place >= after) {
                assert_eq!(moved.left_us, glasses[side].left(), "a journalled clock is wrong");
            }
            used.push(moved.used_us);
            draw[side] = moved.draw;
            side = !side;
        }
        for side in Side::BOTH {
            let stands = game.clock(side).left().map(|left| left.as_micros() as u64);
            assert_eq!(stands, glasses[side].left(), "a clock does not go on where it stood");
            assert_eq!(game.clock(side).moves_left(), glasses[side].moves, "its moves to go neither");
        }
        Arbiter {
            crash,
            margin: terms.margin.as_micros() as u64,
            patience: terms.patience,
            glasses,
            position: game.trail().position().clone(),
            moves: game.trail().halves().iter().filter_map(|half| half.mv).collect(),
            used,
            since: None,
            asked: false,
            begun: false,
            over: false,
            greeted: sizes.map(|size| vec![false; size]),
            members: BySide::default(),
            draw,
            last: VecDeque::with_capacity(KEPT),
        }
    }

    /// Whether a question was put: from then on a crash is no reason to call the game off.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Time until the flag of the side to move falls, margin included.
    pub fn allowed(&self, at: At) -> Option<Duration> {
        let left = self.glasses[self.position.side()].left()?;
        let gone = self.since.map_or(0, |since| (at - since).as_micros() as u64);
        Some(Duration::from_micros((left + self.margin).saturating_sub(gone)))
    }

    fn deadline(&self) -> Option<At> {
        let allowed = match self.glasses[self.position.side()].left() {
            Some(left) => Duration::from_micros(left + self.margin),
            None => self.patience,
        };
        self.since.map(|since| since + allowed)
    }

    /// Holds the effects of a step to what was given.
    pub fn watch(&mut self, at: At, cause: Cause, effects: &[Effect], table: &Table) {
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back((at, cause));
        let mover = self.position.side();
        let was_over = self.over;
        let expected = self.expected(at, cause);
        if let Cause::Line(side, Deed::Greeted) = cause {
            self.greeted[side][self.members[side]] = true;
        }
        if let Cause::Sent(side) = cause
            && side == mover
            && self.asked
            && !self.over
        {
            self.since.get_or_insert(at);
        }
        for effect in effects {
            match effect {
                Effect::Moved(made, _) => self.moved(at, cause, *made),
                Effect::Over(why) => {
                    assert!(!self.over, "over twice: {why:?}");
                    self.explain(at, cause, why);
                    self.over = true;
                }
                Effect::Start(side) => self.greeted[*side][self.members[*side]] = false,
                Effect::Send(_) | Effect::Kill(_) | Effect::Note(..) | Effect::Settled => {}
                Effect::Overran(..) | Effect::Advised(..) => panic!("exhibitions are in tests/exhibition.rs"),
                Effect::Rotate(side) => {
                    self.members[*side] = (self.members[*side] + 1) % self.greeted[*side].len();
                }
            }
        }
        for side in Side::BOTH {
            assert_eq!(table.member(side), self.members[side], "another member sits at the board");
        }
        self.follow(at, cause, effects, table);
        let over = effects.iter().find_map(|effect| match effect {
            Effect::Over(why) => Some(why.kind()),
            _ => None,
        });
        if let Some(expected) = expected
            && !was_over
        {
            assert_eq!(over, Some(expected), "after {cause:?} at {at} (clock since {:?})", self.since);
        }
    }

    /// How the game must end by this input alone, if it must.
    fn expected(&self, at: At, cause: Cause) -> Option<&'static str> {
        let mover = self.position.side();
        let late = self.deadline().is_some_and(|deadline| at > deadline);
        let clock = self.glasses[mover].left().is_some();
        match cause {
            Cause::Line(side, Deed::Answer { .. } | Deed::Cheat | Deed::Resign)
                if side == mover && self.since.is_some() && late && clock =>
            {
                Some("flag")
            }
            Cause::Line(side, Deed::Cheat) if side == mover && self.since.is_some() => Some("illegal_move"),
            Cause::Line(side, Deed::Resign) if side == mover && self.since.is_some() => Some("resigned"),
            Cause::Closed(_) if self.crash == CrashRule::Loses || !self.begun => Some("crashed"),
            Cause::Timer if late && clock => Some("flag"),
            Cause::Timer if late => Some("stalled"),
            Cause::Line(..)
            | Cause::Begin
            | Cause::Started(_)
            | Cause::Sent(_)
            | Cause::Closed(_)
            | Cause::Timer => None,
        }
    }

    fn moved(&mut self, at: At, cause: Cause, made: MoveMade) {
        let side = self.position.side();
        let Cause::Line(said, Deed::Answer { mv, draw }) = cause else {
            panic!("a move out of {cause:?}");
        };
        assert_eq!((said, made.side, made.mv), (side, side, mv), "another move than was answered");
        let since = self.since.take().expect("a move without a running clock");
        let used = (at - since).as_micros() as u64;
        assert_eq!(made.used.as_micros() as u64, used, "another time than was used");
        let glass = &mut self.glasses[side];
        assert!(glass.left().is_none_or(|left| used <= left + self.margin), "a late move was accepted");
        glass.spend(used);
        assert_eq!(made.left.map(|left| left.as_micros() as u64), glass.left(), "the clock is wrong");
        assert_eq!(made.to_go, glass.moves, "the moves to go are wrong");
        assert!(self.position.is_legal(mv));
        self.position.make(mv);
        self.moves.push(mv);
        self.used.push(used);
        self.draw[side] = draw;
        self.asked = false;
    }

    /// Keeps track of the question that stands and of a clock that runs without one.
    fn follow(&mut self, at: At, cause: Cause, effects: &[Effect], table: &Table) {
        if self.over {
            return;
        }
        let mover = self.position.side();
        let thinks = table.session(mover).phase() == chuhe::engine::Phase::Thinking;
        self.asked |= thinks;
        self.begun |= thinks;
        let moved = effects.iter().any(|effect| matches!(effect, Effect::Moved(..)));
        let noted = effects
            .iter()
            .any(|effect| matches!(effect, Effect::Note(side, "gone" | "restarted", _) if *side == mover));
        let lost = cause == Cause::Closed(mover) || noted;
        if (moved && !thinks) || (lost && self.begun) {
            self.since.get_or_insert(at);
        }
    }

    /// Whether a text is the last answer of the side to move once more: it came so late that the opponent had
    /// answered meanwhile, and nobody can tell it from an answer to the question that stands.
    fn is_its_last_answer(&self, text: &str) -> bool {
        let last = self.moves.len().checked_sub(2).map(|index| self.moves[index]);
        last.is_some_and(|mv| {
            [SquareStyle::Zero, SquareStyle::One].iter().any(|style| {
                let mut written = Vec::new();
                style.write(mv, &mut written);
                text.as_bytes() == written
            })
        })
    }

    /// Whether an end follows from what was given.
    fn explain(&self, at: At, cause: Cause, why: &Termination) {
        let mover = self.position.side();
        let says = |side: Side, deed: Deed| cause == Cause::Line(side, deed);
        let clock = |side: Side| self.glasses[side].left();
        let good = match why {
            Termination::Flag { loser, used, allowed } => {
                let gone = self.since.map(|since| at - since);
                let told = matches!(cause, Cause::Line(side, _) if side == *loser);
                let limit = Duration::from_micros(clock(*loser).unwrap_or(0) + self.margin);
                let prompt = told || (cause == Cause::Timer && *used <= limit + MOST_LATE);
                *loser == mover
                    && Some(*used) == gone
                    && Some(allowed.as_micros() as u64) == clock(*loser)
                    && *used > limit
                    && prompt
            }
            Termination::IllegalMove { loser, text } => {
                *loser == mover
                    && (says(*loser, Deed::Cheat)
                        || (says(*loser, Deed::Chat) && self.is_its_last_answer(text)))
            }
            Termination::Resigned { loser } => *loser == mover && says(*loser, Deed::Resign),
            Termination::Crashed { loser, .. } => {
                let ended = cause == Cause::Closed(*loser);
                ended || (cause == Cause::Timer && !self.greeted[*loser][self.members[*loser]])
            }
            Termination::Stalled { loser, waiting_for } if waiting_for == "a move" => {
                let gone = self.since.map(|since| at - since).unwrap_or_default();
                *loser == mover
                    && cause == Cause::Timer
                    && clock(*loser).is_none()
                    && gone > self.patience
                    && gone <= self.patience + MOST_LATE
            }
            // A seat that is started again under a running clock may still never get ready.
            Termination::Stalled { .. } => cause == Cause::Timer && (self.since.is_none() || !self.asked),
            Termination::Agreed => self.draw.red && self.draw.black,
            Termination::Mated { loser } => {
                *loser == mover && self.position.in_check(mover) && !self.position.has_legal_move()
            }
            Termination::NoMove { loser } => {
                *loser == mover && !self.position.in_check(mover) && !self.position.has_legal_move()
            }
            Termination::Repetition(_)
            | Termination::DeadPosition
            | Termination::NoCapture
            | Termination::MaxLength
            | Termination::Adjudicated { .. } => {
                cause == Cause::Begin
                    || matches!(cause, Cause::Line(_, Deed::Answer { .. } | Deed::Chat))
                    || !self.begun
            }
            Termination::OverrunInCheck { .. }
            | Termination::Forfeited { .. }
            | Termination::SessionOver
            | Termination::Held { .. }
            | Termination::Abandoned { .. } => false,
        };
        assert!(good, "{why:?} out of {cause:?} at {at}: {self:?}");
    }

    /// Whether the record of the game says what happened.
    pub fn check_record(&self, over: &GameOver, why: &Termination) {
        let moves: Vec<Move> = over
            .moves
            .split_whitespace()
            .map(|word| SquareStyle::Zero.read(word.as_bytes()).expect("recorded moves can be read"))
            .collect();
        assert_eq!(moves, self.moves, "the recorded moves are others");
        assert_eq!(over.used_us, self.used, "the recorded times are others");
        let mut position = Position::from_fen(&over.fen).expect("a recorded FEN can be played");
        let mut stood = HashMap::from([(position.key(), 1u32)]);
        for mv in &moves {
            assert!(position.is_legal(*mv));
            position.make(*mv);
            *stood.entry(position.key()).or_default() += 1;
        }
        if let Termination::Repetition(ruling) = why {
            assert_eq!(stood[&position.key()], ruling.occurrences, "judged at another occurrence");
        }
    }
}
