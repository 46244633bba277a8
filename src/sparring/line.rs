//! The game so far and the line being searched on top of it: position, balance, and what must be
//! known of earlier positions to tell a repetition. Never decides a game. Start at [`Line`].

use super::PERPETUAL;
use super::evaluation::Balance;
use crate::xiangqi::{Move, Piece, Position, Side, Undo};

/// Plies without a capture after which the search counts a draw (60 moves of each side).
const QUIET_LIMIT: u16 = 120;

/// A position on the way.
#[derive(Debug, Clone, Copy)]
struct Visit {
    key: u64,
    /// The side to move stands in check.
    check: bool,
    /// Plies on this line since a capture, a pass or the line's beginning.
    reversible: u16,
}

/// A game from its first known position to the present one.
#[derive(Debug, Clone)]
pub struct Line {
    position: Position,
    visits: Vec<Visit>,
    balances: Vec<Balance>,
}

impl Line {
    /// A game that begins here.
    pub fn new(position: Position) -> Line {
        let check = position.in_check(position.side());
        let visits = vec![Visit { key: position.key(), check, reversible: 0 }];
        let balances = vec![Balance::of(position.board())];
        Line { position, visits, balances }
    }

    /// The present position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Plies played since the first position.
    pub fn plies(&self) -> usize {
        self.visits.len() - 1
    }

    fn last(&self) -> Visit {
        // `visits` holds the first position from the beginning and loses only what was pushed.
        self.visits[self.visits.len() - 1]
    }

    fn balance(&self) -> Balance {
        self.balances[self.balances.len() - 1]
    }

    /// Key of the present position.
    pub(super) fn key(&self) -> u64 {
        self.last().key
    }

    /// Whether the side to move stands in check.
    pub(super) fn in_check(&self) -> bool {
        self.last().check
    }

    /// What the position is worth to the side to move.
    pub(super) fn score(&self) -> i32 {
        self.balance().score(self.position.side())
    }

    /// Whether the side to move has a chariot, horse or cannon.
    pub(super) fn has_officers(&self) -> bool {
        self.balance().has_officers(self.position.side())
    }

    /// The piece a move moves, and what it captures.
    pub(super) fn pieces(&self, mv: Move) -> (Option<Piece>, Option<Piece>) {
        (self.position.get(mv.from), self.position.get(mv.to))
    }

    /// Plays a legal move.
    pub fn make(&mut self, mv: Move) -> Undo {
        let (piece, captured) = self.pieces(mv);
        let balance = piece.map_or(self.balance(), |piece| self.balance().after(piece, mv, captured));
        let undo = self.position.make(mv);
        self.balances.push(balance);
        let reversible = if captured.is_some() { 0 } else { self.last().reversible.saturating_add(1) };
        self.visit(reversible);
        undo
    }

    /// Takes the last move back.
    pub(super) fn unmake(&mut self, undo: Undo) {
        self.position.unmake(undo);
        self.visits.pop();
        self.balances.pop();
    }

    /// The side to move, not in check, passes; returns what [`Line::take_back_pass`] needs.
    pub(super) fn pass(&mut self) -> Position {
        let before = self.position.clone();
        self.position.pass();
        self.balances.push(self.balance());
        self.visit(0);
        before
    }

    /// Takes a pass back.
    pub(super) fn take_back_pass(&mut self, before: Position) {
        self.position = before;
        self.visits.pop();
        self.balances.pop();
    }

    fn visit(&mut self, reversible: u16) {
        let check = self.position.in_check(self.position.side());
        self.visits.push(Visit { key: self.position.key(), check, reversible });
    }

    /// The score, for the side to move, of a position that ends the line: one that was there before,
    /// or the last of a long stretch without captures (unless the game is past that limit already).
    /// `ply` counts from the root of the search.
    pub(super) fn settled(&self, ply: usize) -> Option<i32> {
        let quiet = self.position.quiet();
        if quiet >= QUIET_LIMIT && usize::from(quiet - QUIET_LIMIT) < ply {
            return Some(0);
        }
        let (we_checked, they_checked) = self.repeated()?;
        let perpetual = PERPETUAL - ply as i32;
        Some(match (we_checked, they_checked) {
            (true, false) => -perpetual,
            (false, true) => perpetual,
            (true, true) | (false, false) => 0,
        })
    }

    /// If the position was there before: whether each move since then of the side to move, and of its
    /// opponent, gave check.
    fn repeated(&self) -> Option<(bool, bool)> {
        let here = self.last();
        let now = self.visits.len() - 1;
        let (mut we, mut they) = (true, here.check);
        for back in 1..=usize::from(here.reversible) {
            let earlier = self.visits[now - back];
            if back % 2 == 1 {
                we &= earlier.check;
            } else if earlier.key == here.key {
                return Some((we, they));
            } else {
                they &= earlier.check;
            }
        }
        None
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        self.position.side()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::SquareStyle;

    fn check(fen: &str, moves: &str, expected: Option<i32>) {
        let mut line = Line::new(Position::from_fen(fen).unwrap());
        for mv in moves.split(' ') {
            let mv = SquareStyle::Zero.read(mv.as_bytes()).unwrap();
            assert!(line.position().is_legal(mv), "{mv}");
            line.make(mv);
        }
        assert_eq!(line.settled(4), expected, "{fen} {moves}");
    }

    #[test]
    fn repetitions_and_perpetual_checks() {
        let start = crate::xiangqi::START_FEN;
        check(start, "h2e2 h9g7 e2h2", None);
        check(start, "h2e2 h9g7 e2h2 g7h9", Some(0));
        // Red to move after its chariot has checked twice; then seen from Black's side.
        let bare = "4k4/9/9/9/9/9/9/9/4A4/R3K4 w";
        check(bare, "a0a9 e9e8 a9a8 e8e9 a8a9", Some(PERPETUAL - 4));
        check(bare, "a0a9 e9e8 a9a8 e8e9", None);
        check("4k4/9/9/9/9/9/9/R8/4A4/4K4 w", "a2a9 e9e8 a9a8 e8e9 a8a9 e9e8", Some(4 - PERPETUAL));
    }

    #[test]
    fn long_quiet_stretches() {
        check("4k4/9/9/9/9/9/9/9/4A4/R3K4 w - - 119 90", "a0a1", Some(0));
        check("4k4/9/9/9/9/9/9/9/4A4/R3K4 w - - 118 90", "a0a1", None);
        check("4k4/9/9/9/9/9/9/9/4A4/R3K4 w - - 130 90", "a0a1", None);
    }
}
