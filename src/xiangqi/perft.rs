//! Counting the legal move sequences of a position: the proof of the move generator. Start at [`perft`].

use super::position::Position;
use super::square::Move;

/// Number of legal move sequences of `depth` plies; the last ply is counted, not played.
pub fn perft(position: &Position, depth: u32) -> u64 {
    count(&mut position.clone(), depth)
}

/// The same for each legal first move (empty at depth 0).
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let mut moves = position.legal_moves();
    moves.sort();
    moves.into_iter().map(|mv| (mv, perft(&position.after(mv), depth - 1))).collect()
}

fn count(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal(),
        _ => {
            let mut total = 0;
            for mv in position.legal_moves() {
                let undo = position.make(mv);
                total += count(position, depth - 1);
                position.unmake(undo);
            }
            total
        }
    }
}
