//! Zobrist keys: one fixed 64-bit number per piece and point, the same on every platform and build.
//! Start at [`piece_key`].

use super::piece::Piece;
use super::square::Square;

const fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x6368_7568_6531_3031);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn table() -> [[u64; 90]; 14] {
    let mut keys = [[0; 90]; 14];
    let mut piece = 0;
    while piece < 14 {
        let mut square = 0;
        while square < 90 {
            keys[piece][square] = split_mix((piece * 90 + square + 1) as u64);
            square += 1;
        }
        piece += 1;
    }
    keys
}

static KEYS: [[u64; 90]; 14] = table();

/// Part of the key when Black is to move.
pub(super) const BLACK_TO_MOVE: u64 = split_mix(0x5eed);

/// Part of the key for a piece on a point.
pub(super) fn piece_key(piece: Piece, square: Square) -> u64 {
    KEYS[piece.index()][square.index()]
}
