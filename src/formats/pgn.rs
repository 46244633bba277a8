//! PGN in the dialects of the xiangqi world (`formats.md` 7): tags and moves, several games a file.
//! Reads from a byte source one game at a time; writes text. Start at [`PgnGames`] and [`write()`].

mod read;
mod tags;
mod text;
mod write;

pub use read::{MAX_GAME, PgnGames};
pub use tags::MAX_TAGS;
pub(super) use tags::{Game, finish, is_tag_line, notation_of_format, remark_at};
pub use text::{Quotes, Thought, append_comment, append_number, append_tag, day};
pub use write::{PgnStyle, write};

/// The tag of a drawn game that counts as won by the side it names.
pub const DRAW_ODDS: &str = "DrawOdds";
