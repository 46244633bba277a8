//! Root: a piece that can legally take back after a capture, on the board after it (`asian-rules.md` 1).
//! Guards that cannot are false roots and count as none. Never compares numbers of attackers and roots,
//! never looks further than the take-back. Start at [`has_true_root`].

use crate::xiangqi::{Board, Kind, Move, Piece, Position, Side, Square};

/// Whether a piece of `owner` can legally take on `target` on the board after the capture.
pub(super) fn has_true_root(after: &Board, target: Square, owner: Side, general: Square) -> bool {
    let mut scratch: Option<Board> = None;
    after.squares(owner).any(|from| {
        let mv = Move::new(from, target);
        if !after.reaches(mv) {
            return false;
        }
        let board = scratch.get_or_insert_with(|| after.clone());
        let taken = board.shift(mv);
        let safe = !board.general_attacked(if from == general { target } else { general }, owner);
        board.unshift(mv, taken);
        safe
    })
}

/// Why a guard cannot take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Its general would then be attacked by the piece on this point (a pin; if that piece is the
    /// other general, the generals would face each other).
    Exposes {
        /// Where the piece stands.
        by: Square,
        /// What it is.
        kind: Kind,
    },
    /// The capture itself closes its line (or takes away its screen).
    LineClosed,
}

/// A piece that guards a point by its geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Where it stands.
    pub at: Square,
    /// What it is.
    pub kind: Kind,
    /// Why it is a false root; `None` for a true one.
    pub fault: Option<Fault>,
}

/// All guards of the piece on `capture.to` against a capture by the piece on `capture.from`, those
/// that guard it on the board as it stands and those that can take back only after the capture.
pub(crate) fn guards(position: &Position, capture: Move) -> Vec<Guard> {
    let (Some(by), Some(victim)) = (position.get(capture.from), position.get(capture.to)) else {
        return Vec::new();
    };
    let owner = victim.side();
    let mut standing = position.board().clone();
    standing.put(capture.to, Piece::new(!owner, victim.kind()));
    let after = position.board().after(capture);
    let mut found = Vec::new();
    for at in after.squares(owner) {
        let mv = Move::new(at, capture.to);
        let Some(piece) = after.get(at) else { continue };
        let reaches = after.reaches(mv);
        if !reaches && !standing.reaches(mv) {
            continue;
        }
        let fault = if reaches {
            let general = if piece.kind() == Kind::General { capture.to } else { position.general(owner) };
            let board = after.after(mv);
            let attackers = board.attackers_of_general(general, owner);
            attackers.first().map(|from| Fault::Exposes {
                by: *from,
                kind: board.get(*from).map_or(by.kind(), Piece::kind),
            })
        } else {
            Some(Fault::LineClosed)
        };
        found.push(Guard { at, kind: piece.kind(), fault });
    }
    found
}
