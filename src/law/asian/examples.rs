//! A worked example for the general rule and for each article: a position and a loop that comes back to
//! it. Data only; all are cases of our own tests. Start at [`EXAMPLES`].

/// A position and a loop, to be played again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// Board and side to move.
    pub fen: &'static str,
    /// The loop's moves, ranks 0 to 9, separated by blanks.
    pub round: &'static str,
}

/// The examples by article number, the general rule's first.
pub(super) static EXAMPLES: [Example; 36] = [
    Example { fen: "9/3k5/9/9/9/9/9/1r7/5K3/2B6 b", round: "b2b0 c0e2 b0b2 e2c0" },
    Example { fen: "9/9/3k5/5r3/9/9/9/9/9/4K4 b", round: "f6e6 e0f0 e6f6 f0e0" },
    Example { fen: "3rk4/3c5/4R4/9/9/9/9/9/9/3KC4 b", round: "d8e8 e7d7 e8d8 d7e7" },
    Example { fen: "3rk4/3c5/4R4/9/9/9/9/9/9/3K5 b", round: "d8e8 e7d7 e8d8 d7e7" },
    Example { fen: "5k3/9/9/9/4R4/9/9/9/4K4/9 b", round: "f9f8 e5g5 f8f9 g5e5" },
    Example { fen: "9/4k4/6R2/9/9/4r4/9/5K3/9/R8 b", round: "e4b4 g7c7 b4e4 c7g7" },
    Example { fen: "9/9/5k3/9/9/9/1R7/9/4K4/9 w", round: "b3b7 f7f8 b7b3 f8f7" },
    Example { fen: "C2k5/P8/9/R8/9/n8/9/9/9/5K3 w", round: "a6d6 d9e9 d6a6 e9d9" },
    Example { fen: "3k5/9/3a5/9/2b6/9/3R5/5K3/9/9 w", round: "d3g3 d7e8 g3d3 e8d7" },
    Example { fen: "9/3k5/9/6R2/6b2/2n6/2c6/5K3/9/9 b", round: "c3g3 g6c6 g3c3 c6g6" },
    Example { fen: "3k5/9/9/9/8C/9/pp5pp/9/r7r/4K4 b", round: "i1h1 i5a5 a1b1 a5h5 h1i1 h5b5 b1a1 b5i5" },
    Example { fen: "9/9/4k4/9/9/2R6/cN7/9/3K5/9 w", round: "c4c3 a3a4 c3c4 a4a3" },
    Example { fen: "4k4/9/R8/4n4/6c2/9/9/9/9/5K3 w", round: "a7a5 g5g7 a5a7 g7g5" },
    Example { fen: "9/9/4k4/9/9/2R6/c8/9/3K5/9 w", round: "c4c3 a3a4 c3c4 a4a3" },
    Example { fen: "5k3/9/9/9/9/9/7r1/4N4/2nRA3c/3nK4 w", round: "e1f0 h3h1 f0e1 h1h3" },
    Example { fen: "9/9/C2k5/9/N8/9/9/r8/9/5K3 b", round: "a2d2 a5c4 d2a2 c4a5" },
    Example { fen: "3k5/3N5/9/2r6/9/9/9/9/9/4K4 b", round: "c6c7 d8e6 c7c6 e6d8" },
    Example { fen: "3a1k3/9/3R5/9/4n4/9/9/3A5/9/4K4 w", round: "d7e7 e5c6 e7e6 c6d8 e6d6 d8f7 d6d7 f7e5" },
    Example { fen: "4k4/9/9/9/9/1R4n2/9/9/9/5K3 b", round: "g4h6 b4b6 h6g4 b6b4" },
    Example { fen: "4k4/9/9/R8/4r4/9/9/4R4/9/5K3 w", round: "a6a5 e5e6 a5a6 e6e5" },
    Example { fen: "3k5/4n4/9/9/3P2b2/9/9/9/4C4/5K3 w", round: "d5e5 g5e7 e5d5 e7g5" },
    Example { fen: "3k5/9/4r4/9/9/9/3p5/9/4C4/5KB2 w", round: "g0e2 d3e3 e2g0 e3d3" },
    Example { fen: "4k4/4a4/9/9/4r4/R8/9/9/4C4/3K5 w", round: "a4a5 e5e4 a5a4 e4e5" },
    Example { fen: "3k5/9/9/9/9/9/5N3/4K4/5p3/9 w", round: "e2f2 f1e1 f2e2 e1f1" },
    Example { fen: "9/4k4/7c1/7P1/9/9/9/9/9/3K5 b", round: "h7g7 h6g6 g7h7 g6h6" },
    Example { fen: "3k5/9/9/9/9/9/4NN3/4K4/5p3/9 w", round: "e2f2 f1e1 f2e2 e1f1" },
    Example { fen: "5k3/9/9/6R2/9/9/7p1/9/3K5/9 w", round: "g6h6 h3g3 h6g6 g3h3" },
    Example { fen: "4k4/4a4/6Rn1/9/9/9/9/3A5/4K4/9 w", round: "g7g8 e9f9 g8g7 f9e9" },
    Example { fen: "5k3/9/3R5/9/9/c7R/9/9/4K4/9 w", round: "d7d4 a4c4 d4d7 c4a4" },
    Example { fen: "4k4/9/R8/4n4/6c2/9/9/9/4R4/5K3 w", round: "a7a5 g5g7 a5a7 g7g5" },
    Example { fen: "4k4/9/R8/4n4/6c2/9/9/9/9/5KR2 w", round: "a7a5 g5g7 a5a7 g7g5" },
    Example { fen: "9/4k4/9/9/9/9/5N3/1c7/9/2N1nK3 b", round: "b2b1 c0d2 b1b2 d2c0" },
    Example { fen: "9/9/5k3/9/9/9/9/9/7N1/3KR1r1c w", round: "h1f2 g0f0 f2h1 f0g0" },
    Example { fen: "3k5/9/9/9/1r6N/9/9/5K3/9/9 b", round: "b5e5 f2f1 e5b5 f1f2" },
    Example { fen: "5k3/5r3/9/9/9/9/9/9/4KR3/9 w", round: "f1h1 f8f4 h1f1 f4f8" },
    Example { fen: "9/4k4/9/9/9/9/5N3/1c7/9/1rN1nK3 b", round: "b2b1 c0d2 b1b2 d2c0" },
];
