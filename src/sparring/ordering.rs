//! In which order moves are tried: the remembered one, captures that win something, killers, quiet
//! moves by their history, captures that lose something. Never leaves a move out. Start at [`Ordering`].

use super::MAX_PLY;
use super::evaluation::worth;
use super::line::Line;
use crate::xiangqi::{Move, Piece};

/// Ranks of the classes of moves; history stays between `LOSING` and `KILLER`.
const REMEMBERED: i32 = 4_000_000;
const WINNING: i32 = 2_000_000;
const KILLER: i32 = 1_000_000;
const LOSING: i32 = -1_000_000;

/// History values stay within this.
const MOST_HISTORY: i32 = 16_000;

/// A move and how soon it is tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked {
    pub mv: Move,
    pub rank: i32,
}

/// What earlier cut-offs taught.
#[derive(Debug)]
pub(super) struct Ordering {
    killers: Vec<[Option<Move>; 2]>,
    history: Box<[[i32; 90]; 14]>,
}

impl Ordering {
    /// Nothing learnt.
    pub fn new() -> Ordering {
        Ordering { killers: vec![[None; 2]; MAX_PLY + 1], history: Box::new([[0; 90]; 14]) }
    }

    /// A new search from another position: killers go, history fades.
    pub fn next_search(&mut self) {
        self.killers.fill([None; 2]);
        self.history.iter_mut().flatten().for_each(|value| *value /= 4);
    }

    /// The rank of a move; higher is sooner.
    pub fn rank(&self, line: &Line, mv: Move, remembered: Option<Move>, ply: usize) -> i32 {
        if remembered == Some(mv) {
            return REMEMBERED;
        }
        let (piece, captured) = line.pieces(mv);
        let Some(piece) = piece else { return LOSING };
        if let Some(captured) = captured {
            return capture_rank(line, mv, piece, captured);
        }
        match self.killers[ply].iter().position(|killer| *killer == Some(mv)) {
            Some(place) => KILLER - place as i32,
            None => self.history[piece.index()][mv.to.index()],
        }
    }

    /// How well a quiet move has done so far.
    pub fn history(&self, line: &Line, mv: Move) -> i32 {
        line.pieces(mv).0.map_or(0, |piece| self.history[piece.index()][mv.to.index()])
    }

    /// A quiet move cut the search off after the quiet moves in `tried`.
    pub fn cut_off(&mut self, line: &Line, mv: Move, tried: &[Ranked], depth: i32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (depth * depth * 16).min(1200);
        self.learn(line, mv, bonus);
        for earlier in tried {
            if line.pieces(earlier.mv).1.is_none() {
                self.learn(line, earlier.mv, -bonus);
            }
        }
    }

    fn learn(&mut self, line: &Line, mv: Move, bonus: i32) {
        if let (Some(piece), _) = line.pieces(mv) {
            let value = &mut self.history[piece.index()][mv.to.index()];
            *value += bonus - *value * bonus.abs() / MOST_HISTORY;
        }
    }
}

fn capture_rank(line: &Line, mv: Move, piece: Piece, captured: Piece) -> i32 {
    let gain = 16 * worth(captured.kind()) - worth(piece.kind()) / 16;
    gain + if loses_exchange(line, mv, piece, captured) { LOSING } else { WINNING }
}

/// Whether a capture gives a dear piece for a cheap one that is defended. Defence by advisors and
/// elephants is not seen.
pub(super) fn loses_exchange(line: &Line, mv: Move, piece: Piece, captured: Piece) -> bool {
    worth(piece.kind()) > worth(captured.kind()) + 50
        && line.position().board().general_attacked(mv.to, piece.side())
}

/// Takes the best of the moves from `next` on to the place `next`.
pub(super) fn pick(moves: &mut [Ranked], next: usize) -> Ranked {
    let mut best = next;
    for other in next + 1..moves.len() {
        if moves[other].rank > moves[best].rank {
            best = other;
        }
    }
    moves.swap(next, best);
    moves[next]
}
