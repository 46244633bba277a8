//! The judged stretch of a game: its half-moves with the positions before and after each, and the
//! identity of every piece through all of them (a piece keeps its identity while it moves). Never
//! judges. Start at [`Span`].

use std::fmt;
use std::ops::Range;

use super::trail::Trail;
use crate::xiangqi::{Move, Piece, Position, Side, Square};

/// Which piece stands where: for each point the point its piece stood on when the span began.
#[derive(Debug, Clone)]
pub(crate) struct Identities([Square; Square::COUNT]);

impl Identities {
    fn at_start() -> Identities {
        let point = |index| Square::from_index(index).unwrap_or_else(|| unreachable!("an index below 90"));
        Identities(std::array::from_fn(point))
    }

    /// The identity of the piece on a point; for an empty point it means nothing.
    pub fn of(&self, square: Square) -> Square {
        self.0[square.index()]
    }

    fn play(&mut self, mv: Move) {
        self.0[mv.to.index()] = self.0[mv.from.index()];
    }
}

/// One half-move of the span.
#[derive(Debug, Clone)]
pub(crate) struct Ply {
    /// Who moved.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// Whether it gave check.
    pub check: bool,
    /// The position before it.
    pub before: Position,
    /// The position after it.
    pub after: Position,
    /// Identities of the pieces in the position after it.
    pub ids: Identities,
}

impl Ply {
    /// Where the piece that stands on a point after the half-move stood before it.
    pub fn earlier_point(&self, square: Square) -> Square {
        if square == self.mv.to { self.mv.from } else { square }
    }

    /// The piece that moved.
    pub fn mover(&self) -> Option<Piece> {
        self.after.get(self.mv.to)
    }
}

/// The judged stretch.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// Its half-moves, at least one.
    pub plies: Vec<Ply>,
}

/// Why a stretch of a game cannot be judged as a repetition. Plies are indices of half-moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanError {
    /// It is empty or reaches beyond the game.
    Outside {
        /// Half-moves of the game.
        plies: usize,
    },
    /// A capture lies in it.
    Capture(usize),
    /// A pass lies in it.
    Pass(usize),
    /// The position at its end is not the one at its start.
    Open {
        /// First half-move of the stretch.
        start: usize,
        /// One past its last half-move.
        end: usize,
    },
}

impl fmt::Display for SpanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpanError::Outside { plies } => {
                write!(f, "the stretch to judge is empty or reaches beyond the game's {plies} half-moves")
            }
            SpanError::Capture(ply) => write!(f, "half-move {} captures; nothing repeats across it", ply + 1),
            SpanError::Pass(ply) => write!(f, "half-move {} is a pass; nothing repeats across it", ply + 1),
            SpanError::Open { start, end } => write!(
                f,
                "the position after half-move {end} is not the one before half-move {}: nothing repeats",
                start + 1
            ),
        }
    }
}

impl std::error::Error for SpanError {}

impl Span {
    /// The half-moves `range` of a game.
    ///
    /// # Errors
    /// Why they are no repetition.
    pub fn new(trail: &Trail, range: Range<usize>) -> Result<Span, SpanError> {
        let halves = trail.halves();
        if range.is_empty() || range.end > halves.len() {
            return Err(SpanError::Outside { plies: halves.len() });
        }
        let mut position = trail.position_before(range.start);
        let key = position.key();
        let mut ids = Identities::at_start();
        let mut plies = Vec::with_capacity(range.len());
        for index in range.clone() {
            let half = halves[index];
            let mv = half.mv.ok_or(SpanError::Pass(index))?;
            if half.captured.is_some() {
                return Err(SpanError::Capture(index));
            }
            let after = position.after(mv);
            ids.play(mv);
            plies.push(Ply {
                side: position.side(),
                mv,
                check: half.check,
                before: position,
                after: after.clone(),
                ids: ids.clone(),
            });
            position = after;
        }
        if position.key() != key {
            return Err(SpanError::Open { start: range.start, end: range.end });
        }
        Ok(Span { plies })
    }

    /// How often the position at its end has stood in it.
    pub fn occurrences(&self) -> u32 {
        let key = self.plies.last().map(|ply| ply.after.key());
        let stood = self.plies.iter().filter(|ply| Some(ply.before.key()) == key).count();
        u32::try_from(stood).unwrap_or(u32::MAX - 1) + 1
    }

    /// The half-moves of a side, with their places in the span.
    pub fn of(&self, side: Side) -> impl Iterator<Item = (usize, &Ply)> + Clone + '_ {
        self.plies.iter().enumerate().filter(move |(_, ply)| ply.side == side)
    }

    /// The place of the first half-move that is the same as the one at `place`: the same move in the
    /// same position. In later rounds of a loop it is one of the first round.
    pub fn first_like(&self, place: usize) -> usize {
        let ply = &self.plies[place];
        let same = |other: &Ply| other.before.key() == ply.before.key() && other.mv == ply.mv;
        self.plies[..place].iter().position(same).unwrap_or(place)
    }
}
