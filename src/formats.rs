//! Floor 1: records, positions and openings as bytes and text. Readers take any byte source and give
//! one game at a time; what writers wrote is read back and replayed before it counts. Never opens files
//! and never knows who plays or why. Start at [`read`] and [`write_checked`].

mod book_dat;
mod branches;
mod detect;
pub mod dhtmlxq;
mod each_line;
pub mod encoding;
pub mod epd;
mod journal;
pub mod jsonl;
mod list;
pub mod movelist;
mod movetext;
pub mod pgn;
pub mod record;
mod source;
mod target;
pub mod wxf_file;
pub mod xqf;

use std::io::BufRead;

use crate::xiangqi::Notation;

pub use detect::{FileKind, detect};
pub use encoding::Encoding;
pub use movetext::{MAX_DEPTH, MAX_MOVES};
pub use record::{GameResult, Odd, Origin, Reason, Record, RecordError, RecordedMove, Remark};
pub use source::{MAX_LINE, MAX_WHOLE};
pub use target::{Target, WriteError, write_checked};

/// The games of a source, one after the other.
pub type Games<'a> = Box<dyn Iterator<Item = Result<Record, RecordError>> + 'a>;

/// Reads the games of a source. Text formats and lists hold one game in memory, DhtmlXQ and XQF the whole
/// file (at most [`MAX_WHOLE`] bytes). An error ends its game and keeps what came before it; reading goes
/// on with the next. A forced notation outranks what the file says and settles whether ranks are counted
/// from 0 or from 1.
pub fn read<'a>(source: impl BufRead + 'a, kind: FileKind, forced: Option<Notation>) -> Games<'a> {
    match kind {
        FileKind::Pgn => Box::new(pgn::PgnGames::new(source, forced)),
        FileKind::WxfFile => Box::new(wxf_file::WxfGames::new(source, forced)),
        FileKind::Positions | FileKind::MoveLists => Box::new(list::games(source, forced)),
        FileKind::JsonLines => Box::new(jsonl::games(source, forced)),
        FileKind::Journal => Box::new(journal::games(source)),
        FileKind::DhtmlXq => match source::whole(source) {
            Ok(bytes) => Box::new(dhtmlxq::read(&bytes).into_iter()),
            Err(error) => Box::new(std::iter::once(Err(error))),
        },
        FileKind::BookDat => match source::whole(source).and_then(|bytes| book_dat::games(&bytes)) {
            Ok(lines) => Box::new(lines),
            Err(error) => Box::new(std::iter::once(Err(error))),
        },
        FileKind::Xqf => Box::new(std::iter::once(source::whole(source).and_then(|bytes| xqf::read(&bytes)))),
    }
}
