//! Floor 0: the board. Sides, pieces, points, positions, legal moves, FEN and notations.
//! Never knows of clocks, engines, results or repetition; imports nothing but the standard
//! library. Start at [`Position`].

mod board;
mod chinese;
mod filewise;
mod notation;
mod perft;
mod piece;
mod position;
mod san;
mod setup;
mod side;
mod square;
mod steps;
mod wxf;
mod zobrist;

pub use board::{Board, Squares};
pub use chinese::{begins_chinese_move, piece_character};
pub use notation::{
    Fault, Notation, NotationError, append_move, fold_wide, notation_of, read_move, write_move,
};
pub use perft::{divide, perft};
pub use piece::{Kind, Piece};
pub use position::{Position, Undo};
pub use setup::{FenError, Oddity, START_FEN, Setup, Unplayable};
pub use side::{BySide, Side};
pub use square::{Move, Square, SquareStyle};
