//! Writing in any format with proof: the text is read back by the readers and must give the same start,
//! moves and result. Start at [`write_checked`].

use std::fmt;

use super::encoding::Encoding;
use super::pgn::{self, PgnStyle};
use super::record::{GameResult, Record, RecordError};
use super::{FileKind, dhtmlxq, epd, jsonl, movelist, read, wxf_file};
use crate::xiangqi::{Notation, SquareStyle};

/// A format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// PGN in a style and encoding.
    Pgn(PgnStyle, Encoding),
    /// The WXF file format, UTF-8.
    WxfFile,
    /// DhtmlXQ in an encoding.
    DhtmlXq(Encoding),
    /// A line of coordinate moves a game.
    Moves(SquareStyle),
    /// The final position of each game as EPD.
    Epd,
    /// A JSON object a game.
    JsonLines,
}

impl Target {
    /// The format of a name on the command line: `pgn` (or `iccs`), `wxf`, `chinese`, `traditional`,
    /// `xboard`, `pychess`, `wxf-file`, `dhtmlxq`, `uci`, `uci1`, `epd`, `jsonl`. An encoding is heeded
    /// where the format has one; Chinese moves are written as UTF-8 unless one is named.
    pub fn from_name(name: &str, encoding: Option<Encoding>) -> Option<Target> {
        let encoding = encoding.unwrap_or(Encoding::Utf8);
        let pgn = |style| Some(Target::Pgn(style, encoding));
        match name.to_ascii_lowercase().as_str() {
            "pgn" | "iccs" => pgn(PgnStyle::ICCS),
            "wxf" => pgn(PgnStyle::WXF),
            "chinese" => pgn(PgnStyle::CHINESE),
            "traditional" => pgn(PgnStyle { notation: Notation::ChineseTraditional, ..PgnStyle::CHINESE }),
            "xboard" => pgn(PgnStyle::XBOARD),
            "pychess" => pgn(PgnStyle::PYCHESS),
            "wxf-file" => Some(Target::WxfFile),
            "dhtmlxq" | "ubb" => Some(Target::DhtmlXq(encoding)),
            "uci" | "uci0" | "moves" => Some(Target::Moves(SquareStyle::Zero)),
            "uci1" => Some(Target::Moves(SquareStyle::One)),
            "epd" | "fen" => Some(Target::Epd),
            "jsonl" | "json" => Some(Target::JsonLines),
            _ => None,
        }
    }

    fn kind(self) -> FileKind {
        match self {
            Target::Pgn(..) => FileKind::Pgn,
            Target::WxfFile => FileKind::WxfFile,
            Target::DhtmlXq(_) => FileKind::DhtmlXq,
            Target::Moves(_) => FileKind::MoveLists,
            Target::Epd => FileKind::Positions,
            Target::JsonLines => FileKind::JsonLines,
        }
    }

    fn text(self, record: &Record) -> String {
        match self {
            Target::Pgn(style, _) => pgn::write(record, &style),
            Target::WxfFile => wxf_file::write(record),
            Target::DhtmlXq(_) => dhtmlxq::write(record),
            Target::Moves(style) => movelist::write(record, style),
            Target::Epd => epd::write(record),
            Target::JsonLines => jsonl::write(record),
        }
    }

    fn encoding(self) -> Encoding {
        match self {
            Target::Pgn(_, encoding) | Target::DhtmlXq(encoding) => encoding,
            Target::WxfFile | Target::Moves(_) | Target::Epd | Target::JsonLines => Encoding::Utf8,
        }
    }
}

/// Why a game was not written.
#[derive(Debug)]
pub enum WriteError {
    /// The encoding has no such character.
    NotEncodable {
        /// The encoding.
        encoding: Encoding,
        /// The character.
        character: char,
    },
    /// It has places for the pieces of a set, and the position has more of a kind.
    MoreThanASet,
    /// What was written cannot be read back.
    ReadBack(Box<RecordError>),
    /// What was written reads back as something else.
    Differs(&'static str),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::NotEncodable { encoding, character } => {
                write!(f, "{} has no character '{character}'", encoding.name())
            }
            WriteError::MoreThanASet => {
                write!(
                    f,
                    "the start position has more pieces of a kind than a set, and DhtmlXQ no place for them"
                )
            }
            WriteError::ReadBack(error) => write!(f, "what was written cannot be read back: {error}"),
            WriteError::Differs(what) => write!(f, "what was written reads back with another {what}"),
        }
    }
}

impl std::error::Error for WriteError {}

/// Writes a game, reads the bytes back and compares start, moves and result (where the format holds
/// them): nothing is returned that would not be read as the same game.
///
/// # Errors
/// A character that the encoding lacks, or the difference that the format cannot help (a position with
/// more pieces than DhtmlXQ has places for).
pub fn write_checked(record: &Record, target: Target) -> Result<Vec<u8>, WriteError> {
    if matches!(target, Target::DhtmlXq(_)) && dhtmlxq::has_no_place_for(record) {
        return Err(WriteError::MoreThanASet);
    }
    let text = target.text(record);
    let encoding = target.encoding();
    let bytes = encoding
        .encode(&text)
        .map_err(|character| WriteError::NotEncodable { encoding, character })?
        .into_owned();
    if matches!(target, Target::Moves(_)) && record.moves.is_empty() && record.starts_usually() {
        // An empty line says nothing and is read as nothing.
        return Ok(bytes);
    }
    let forced = matches!(target, Target::Moves(SquareStyle::One)).then_some(Notation::Uci1);
    let again = only_game(&bytes, target.kind(), forced)?;
    compare(record, &again, target)?;
    Ok(bytes)
}

/// The one game of what was written.
fn only_game(bytes: &[u8], kind: FileKind, forced: Option<Notation>) -> Result<Record, WriteError> {
    let mut games = read(bytes, kind, forced);
    let first = games.next().ok_or(WriteError::Differs("number of games"))?;
    let record = first.map_err(|error| WriteError::ReadBack(Box::new(error)))?;
    if games.next().is_some() {
        return Err(WriteError::Differs("number of games"));
    }
    Ok(record)
}

fn compare(record: &Record, again: &Record, target: Target) -> Result<(), WriteError> {
    let last = record.last_position();
    let start = if target == Target::Epd { &last } else { &record.start };
    if start.board() != again.start.board() {
        return Err(WriteError::Differs("start position"));
    }
    // DhtmlXQ takes the side from the first move; without one it cannot hold it.
    let holds_side = !matches!(target, Target::DhtmlXq(_)) || !record.moves.is_empty();
    if holds_side && start.side() != again.start.side() {
        return Err(WriteError::Differs("side to move"));
    }
    if target == Target::Epd {
        return Ok(());
    }
    if !record.line().eq(again.line()) {
        return Err(WriteError::Differs("line of moves"));
    }
    let told = |result: Option<GameResult>| result.unwrap_or(GameResult::Unknown);
    if !matches!(target, Target::Moves(_)) && told(record.result) != told(again.result) {
        return Err(WriteError::Differs("result"));
    }
    Ok(())
}
