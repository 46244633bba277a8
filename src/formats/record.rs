//! What every reader gives and every writer takes: a game with its tags, start, moves and comments,
//! remarks on what was odd, and errors that name their place and keep what was read before them.
//! Knows no file format. Start at [`Record`].

use std::fmt;

use crate::xiangqi::{Move, Notation, NotationError, Oddity, Position};

use super::encoding::Encoding;

/// The result that a record states. Nothing is concluded from the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`.
    RedWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: unfinished or not known.
    Unknown,
}

impl GameResult {
    /// All four.
    pub const ALL: [GameResult; 4] =
        [GameResult::RedWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];

    /// The PGN token.
    pub const fn token(self) -> &'static str {
        match self {
            GameResult::RedWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }

    /// Reads a PGN token; also `1/2` and `½-½`.
    pub fn from_token(token: &str) -> Option<GameResult> {
        match token {
            "1/2" | "½-½" => Some(GameResult::Draw),
            _ => GameResult::ALL.into_iter().find(|result| result.token() == token),
        }
    }

    /// Reads the words of DhtmlXQ and Chinese files: 红胜, 黑胜, 和局, 未知, `W`, `L`, `D` from Red's view,
    /// or a PGN token.
    pub fn from_words(words: &str) -> Option<GameResult> {
        match words.trim() {
            "红胜" | "紅勝" | "红先胜" | "紅先勝" | "W" | "w" => Some(GameResult::RedWins),
            "黑胜" | "黑勝" | "红先负" | "紅先負" | "L" | "l" => Some(GameResult::BlackWins),
            "和局" | "和棋" | "和" | "红先和" | "紅先和" | "D" | "d" => Some(GameResult::Draw),
            "未知" => Some(GameResult::Unknown),
            other => GameResult::from_token(other),
        }
    }
}

/// A move of a record with what was written about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move.
    pub mv: Move,
    /// The comment after it; empty if there is none.
    pub comment: String,
    /// Numeric glyphs after it (`$1` is 1).
    pub nags: Vec<u8>,
    /// Lines that could have been played instead of it.
    pub variations: Vec<Vec<RecordedMove>>,
}

impl RecordedMove {
    /// A move without comment or variation.
    pub const fn plain(mv: Move) -> RecordedMove {
        RecordedMove { mv, comment: String::new(), nags: Vec::new(), variations: Vec::new() }
    }
}

/// Where a record was found and how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Number of the game in its source, from 1.
    pub game: u64,
    /// Line of its beginning, from 1; in binary files the byte offset.
    pub line: u64,
    /// Encoding of its text.
    pub encoding: Encoding,
    /// Notation of its first move; `None` without moves or where moves are numbers.
    pub notation: Option<Notation>,
}

/// A game, or a position without moves.
#[derive(Debug, Clone)]
pub struct Record {
    /// Tags in their order, the values unescaped. Other formats' fields come under PGN's names.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Position,
    /// The comment before the first move; empty if there is none.
    pub preface: String,
    /// The main line, every move legal.
    pub moves: Vec<RecordedMove>,
    /// The result as the record states it, the token after the moves before the tag; `None` if it
    /// states none.
    pub result: Option<GameResult>,
    /// What was odd without stopping the reader.
    pub remarks: Vec<Remark>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Record {
    /// A record without moves.
    pub fn new(start: Position) -> Record {
        let origin = Origin { game: 1, line: 1, encoding: Encoding::Utf8, notation: None };
        Record {
            tags: Vec::new(),
            start,
            preface: String::new(),
            moves: Vec::new(),
            result: None,
            remarks: Vec::new(),
            origin,
        }
    }

    /// The value of a tag, its name in any case.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Sets a tag, in its place if it is there, else at the end.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(tag, _)| tag.eq_ignore_ascii_case(name)) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The moves of the main line.
    pub fn line(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves.iter().map(|played| played.mv)
    }

    /// The position after the main line.
    pub fn last_position(&self) -> Position {
        let mut position = self.start.clone();
        self.line().for_each(|mv| {
            position.make(mv);
        });
        position
    }

    /// Whether the game starts from the usual position (board and side; counters aside).
    pub fn starts_usually(&self) -> bool {
        let usual = Position::start();
        self.start.board() == usual.board() && self.start.side() == usual.side()
    }
}

/// Something odd that did not stop the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The line it was found in; 0 where the format has no lines.
    pub line: u64,
    /// What it is.
    pub what: Odd,
}

/// Oddities of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Odd {
    /// The `Format` tag names another notation than the moves have.
    FormatTag(String),
    /// The `Result` tag and the token after the moves differ; the token was taken.
    ResultsDiffer {
        /// As the tag says.
        tag: GameResult,
        /// As the token says.
        token: GameResult,
    },
    /// A variation was read only up to a move that cannot be read.
    Variation {
        /// Half-move of the main line or variation, from 1.
        ply: u32,
        /// The move as written.
        token: String,
        /// What is wrong.
        reason: String,
    },
    /// So many variations branch from no line that was read, or too deep; they were left out.
    LostVariations(usize),
    /// There are more moves after the result; they were not read.
    TextAfterResult,
    /// SAN-like moves were read with ranks counted from 1, after ranks from 0 failed.
    RanksFromOne,
    /// SAN-like moves are legal to the end with ranks from 0 and from 1; they were read from 0.
    BothRankStyles,
    /// The start position has a placement that no game reaches.
    Placement(Oddity),
    /// The position does not say who is to move; Red was taken.
    NoSide,
    /// The recorded final position is not the one the moves lead to.
    FinalPosition(String),
    /// A tag line cannot be read; it was left out.
    Tag(String),
    /// A parenthesis was never closed.
    OpenParenthesis,
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Odd::FormatTag(tag) => write!(f, "the Format tag says '{tag}', the moves are written otherwise"),
            Odd::ResultsDiffer { tag, token } => write!(
                f,
                "the Result tag says {}, the moves end with {}; the latter was taken",
                tag.token(),
                token.token()
            ),
            Odd::Variation { ply, token, reason } => {
                write!(f, "a variation stops at ply {ply}, '{token}': {reason}")
            }
            Odd::LostVariations(count) => {
                write!(f, "{count} variations branch from no line that was read, or too deep")
            }
            Odd::TextAfterResult => f.write_str("there are more moves after the result; they were not read"),
            Odd::RanksFromOne => f.write_str("the moves were read with ranks 1 to 10, as 0 to 9 do not fit"),
            Odd::BothRankStyles => {
                f.write_str("the moves fit with ranks 0 to 9 and 1 to 10; they were read with 0 to 9")
            }
            Odd::Placement(oddity) => write!(f, "{oddity}"),
            Odd::NoSide => f.write_str("the position does not say who is to move; Red was taken"),
            Odd::FinalPosition(fen) => write!(f, "the moves do not lead to the recorded position {fen}"),
            Odd::Tag(line) => write!(f, "the tag line '{line}' cannot be read"),
            Odd::OpenParenthesis => f.write_str("a parenthesis was never closed"),
        }
    }
}

/// Why a game could not be read to its end. Reading goes on with the next game.
#[derive(Debug, Clone)]
pub struct RecordError {
    /// Number of the game in its source, from 1.
    pub game: u64,
    /// The line, from 1; in binary files the byte offset.
    pub line: u64,
    /// The half-move, from 1, if moves were being read.
    pub ply: Option<u32>,
    /// The text that stopped the reader; may be empty.
    pub token: String,
    /// What is wrong.
    pub reason: Reason,
    /// The game up to the error, if its start could be read.
    pub before: Option<Box<Record>>,
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The source cannot be read on.
    Source(String),
    /// The start position is no FEN or cannot be played.
    Position(String),
    /// A move.
    Move(NotationError),
    /// A move holds bytes that are no characters (a character cut in half, or a wrong encoding).
    Undecodable,
    /// The text was encoded twice (its characters are the bytes of another encoding).
    EncodedTwice,
    /// The encoding is not read here.
    Encoding(&'static str),
    /// A `{` without its `}`.
    OpenComment,
    /// More than the reader takes of something.
    TooMuch(&'static str),
    /// The file is not of the format it should have.
    Malformed(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Source(why) => write!(f, "the source cannot be read: {why}"),
            Reason::Position(why) => write!(f, "start position: {why}"),
            Reason::Move(why) => write!(f, "{why}"),
            Reason::Undecodable => f.write_str("bytes that are no character in this encoding"),
            Reason::EncodedTwice => {
                f.write_str("the text was encoded twice: bytes of a Chinese encoding saved as Latin letters")
            }
            Reason::Encoding(name) => write!(f, "the encoding {name} is not read"),
            Reason::OpenComment => f.write_str("a comment is opened with '{' and never closed"),
            Reason::TooMuch(what) => write!(f, "more than is read: {what}"),
            Reason::Malformed(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}", self.game, self.line)?;
        if let Some(ply) = self.ply {
            write!(f, ", ply {ply}")?;
        }
        if !self.token.is_empty() {
            write!(f, ", '{}'", self.token)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for RecordError {}

/// Longest token that an error repeats, in characters.
const SHOWN_TOKEN: usize = 24;

/// The beginning of a text, for messages.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN_TOKEN).collect()
}
