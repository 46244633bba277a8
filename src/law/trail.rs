//! The moves of a game as the law sees them: positions by key, checks, and where the history was
//! last cut by a capture or a pass. Pays one key comparison a move while no position repeats.
//! Never judges. Start at [`Trail`].

use crate::xiangqi::{Move, Piece, Position};

/// One half-move of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Half {
    /// The move; `None` is a pass (blindfold event, II.5).
    pub mv: Option<Move>,
    /// What it captured.
    pub captured: Option<Piece>,
    /// Whether it left the opponent in check.
    pub check: bool,
    /// How often the position after it has stood since the last capture or pass, itself included.
    pub occurrences: u32,
    /// Key of the position before it.
    key: u64,
}

/// A game's start, its half-moves and the position reached.
#[derive(Debug, Clone)]
pub struct Trail {
    start: Position,
    position: Position,
    halves: Vec<Half>,
    cut: usize,
    base: Position,
}

impl Trail {
    /// A game that begins at a position.
    pub fn new(start: Position) -> Trail {
        Trail { position: start.clone(), base: start.clone(), start, halves: Vec::new(), cut: 0 }
    }

    /// A game with moves already played.
    ///
    /// # Errors
    /// The index of the first illegal move.
    pub fn with_moves(start: Position, moves: &[Move]) -> Result<Trail, usize> {
        let mut trail = Trail::new(start);
        for (ply, mv) in moves.iter().enumerate() {
            if !trail.position.is_legal(*mv) {
                return Err(ply);
            }
            trail.play(*mv);
        }
        Ok(trail)
    }

    /// Where the game began.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The position reached.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// All half-moves so far.
    pub fn halves(&self) -> &[Half] {
        &self.halves
    }

    /// Number of half-moves so far.
    pub fn plies(&self) -> usize {
        self.halves.len()
    }

    /// Index of the first half-move after the last capture or pass: no position before it can repeat.
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// The position at [`Trail::cut`], from which UCCI engines are told the game.
    pub fn base(&self) -> &Position {
        &self.base
    }

    /// The position before the half-move `ply` (replayed from the cut when it lies behind it, else from
    /// the start).
    pub fn position_before(&self, ply: usize) -> Position {
        let (mut position, from) =
            if ply >= self.cut { (self.base.clone(), self.cut) } else { (self.start.clone(), 0) };
        for half in &self.halves[from..ply] {
            match half.mv {
                Some(mv) => {
                    position.make(mv);
                }
                None => position.pass(),
            }
        }
        position
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let key = self.position.key();
        let undo = self.position.make(mv);
        let captured = undo.captured();
        let check = self.position.in_check(self.position.side());
        self.halves.push(Half { mv: Some(mv), captured, check, occurrences: 1, key });
        if captured.is_some() {
            self.cut_here();
        } else {
            let occurrences = self.earlier().count() as u32 + 1;
            if let Some(half) = self.halves.last_mut() {
                half.occurrences = occurrences;
            }
        }
    }

    /// The side to move passes; cuts the history.
    pub fn pass(&mut self) {
        let key = self.position.key();
        self.position.pass();
        self.halves.push(Half { mv: None, captured: None, check: false, occurrences: 1, key });
        self.cut_here();
    }

    /// Goes back to the position before the half-move `ply` (a correction, I.12).
    pub fn truncate(&mut self, ply: usize) {
        let kept: Vec<Half> = self.halves.drain(..).take(ply).collect();
        let mut trail = Trail::new(self.start.clone());
        for half in kept {
            match half.mv {
                Some(mv) => trail.play(mv),
                None => trail.pass(),
            }
        }
        *self = trail;
    }

    fn cut_here(&mut self) {
        self.cut = self.halves.len();
        self.base = self.position.clone();
    }

    /// How often the present position (kinds, colours and side to move) has stood since the cut, now
    /// included: at least 1.
    pub fn occurrences(&self) -> u32 {
        self.halves.last().map_or(1, |half| half.occurrences)
    }

    /// How often the position after a legal move will have stood since the cut, that time included: 1
    /// for a new one and for any capture.
    pub fn occurrences_after(&self, mv: Move) -> u32 {
        if self.position.get(mv.to).is_some() {
            return 1;
        }
        let key = self.position.after(mv).key();
        let stood = self.halves[self.cut..].iter().rev().step_by(2).filter(|half| half.key == key);
        stood.count() as u32 + 1
    }

    /// The plies before which the present position stood since the cut, latest first.
    pub fn earlier(&self) -> impl Iterator<Item = usize> + '_ {
        let key = self.position.key();
        let end = self.halves.len();
        (self.cut..end).rev().skip(1).step_by(2).filter(move |ply| self.halves[*ply].key == key)
    }

    /// Whether the side to move stands in check.
    pub fn in_check(&self) -> bool {
        match self.halves.last() {
            Some(half) => half.check,
            None => self.position.in_check(self.position.side()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::SquareStyle;

    fn moves(text: &str) -> Vec<Move> {
        text.split_whitespace().map(|word| SquareStyle::Zero.read(word.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn occurrences_count_from_the_cut() {
        let mut trail = Trail::new(Position::start());
        for round in 1..4 {
            assert_eq!(trail.occurrences(), round);
            for mv in moves("b0c2 b9c7 c2b0 c7b9") {
                let ahead = trail.occurrences_after(mv);
                trail.play(mv);
                assert_eq!(trail.occurrences(), ahead);
            }
        }
        assert_eq!(trail.earlier().collect::<Vec<_>>(), [8, 4, 0]);
        assert_eq!(trail.occurrences_after(moves("h2h9")[0]), 1);
        trail.play(moves("h2h9")[0]);
        assert_eq!((trail.occurrences(), trail.cut()), (1, 13));
        assert_eq!(trail.base().fen(), trail.position().fen());
        trail.truncate(8);
        assert_eq!((trail.occurrences(), trail.plies(), trail.cut()), (3, 8, 0));
    }

    #[test]
    fn an_illegal_move_is_named_by_its_ply() {
        assert_eq!(Trail::with_moves(Position::start(), &moves("b0c2 b9c7 c2c9")).err(), Some(2));
    }
}
