//! Openings as text, one a line: a FEN with or without moves, or moves from the usual start position. Every
//! line is played through; an illegal one is told with its number. Start at [`read`].

use std::path::Path;

use sha2::{Digest, Sha256};

use super::Files;
use super::engines::{join, squares_of};
use super::form::{OpeningOrderForm, OpeningsFields, OpeningsForm};
use super::problem::{Problem, element, quoted};
use super::typed::BUILT_IN_OPENINGS;
use crate::tournament::{Opening, OpeningBook, OpeningOrder};
use crate::xiangqi::{Move, Position, Setup, SquareStyle};

/// Most bytes of an opening file: a million openings of 64 bytes.
const MAX_FILE: usize = 64 << 20;
/// Most openings.
const MAX_OPENINGS: usize = 1_000_000;
/// Most wrong or odd lines that are told one by one.
const MAX_TOLD: usize = 10;

/// Openings that were read.
#[derive(Default)]
pub struct Read {
    /// The book.
    pub book: OpeningBook,
    /// Path as written and SHA-256 of the file, if there was one.
    pub source: Option<(String, String)>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What is odd.
    pub warnings: Vec<Problem>,
}

/// A line: the path and the place by which messages name it, and its text.
struct Line {
    path: String,
    place: String,
    text: String,
}

/// Reads openings. `told` says whether something is known to be wrong at a path already.
pub fn read(
    form: &OpeningsForm,
    base: &str,
    seed: u64,
    files: &dyn Files,
    told: impl Fn(&str) -> bool,
) -> Read {
    let whole =
        OpeningsFields { file: None, list: None, squares: None, order: None, start: None, plies: None };
    let (fields, path) = match form {
        OpeningsForm::File(file) => (&OpeningsFields { file: Some(file.clone()), ..whole }, "openings"),
        OpeningsForm::Fields(fields) => (fields, "openings.file"),
    };
    let mut read = Read::default();
    let told = told("openings");
    let lines = match (&fields.file, &fields.list) {
        (Some(file), None) => file_lines(file, path, base, files, &mut read),
        (None, Some(list)) => list_lines(list),
        (Some(_), Some(_)) => {
            let message = "stands beside `file`; only one of the two can be given";
            read.problems.push(Problem::new("openings.list", message));
            Vec::new()
        }
        (None, None) if told => Vec::new(),
        (None, None) => {
            let problem = Problem::new("openings", "names no openings");
            read.problems.push(problem.hint("give a `file` or a `list`"));
            Vec::new()
        }
    };
    let openings = play_lines(&lines, fields, &mut read);
    let count = openings.len();
    let first = fields.start.unwrap_or(1);
    if read.problems.is_empty() && !told {
        if count == 0 {
            read.problems.push(Problem::new("openings", "holds no opening at all"));
        } else if first as usize > count {
            let message = format!("is {first}, but there are only {count} openings");
            read.problems.push(Problem::new("openings.start", message));
        }
    }
    let order = match fields.order {
        None | Some(OpeningOrderForm::InOrder) => OpeningOrder::InOrder,
        Some(OpeningOrderForm::Shuffled) => OpeningOrder::Shuffled,
    };
    read.book = OpeningBook::new(openings, order, seed, u64::from(first.saturating_sub(1)));
    read
}

/// The openings of all lines that hold one; the others are told, the first of them one by one.
fn play_lines(lines: &[Line], fields: &OpeningsFields, read: &mut Read) -> Vec<Opening> {
    let style = fields.squares.map_or(SquareStyle::Zero, squares_of);
    let mut openings = Vec::new();
    let (mut wrong, mut odd) = (0usize, 0usize);
    for line in lines {
        let problem = |why: String| Problem::new(line.path.as_str(), format!("{}: {why}", line.place));
        match opening(&line.text, &line.place, style, fields.plies) {
            Ok(None) => {}
            Ok(Some((opening, oddity))) => {
                openings.push(opening);
                if let Some(oddity) = oddity {
                    odd += 1;
                    if odd <= MAX_TOLD {
                        read.warnings.push(problem(oddity));
                    }
                }
            }
            Err(why) => {
                wrong += 1;
                if wrong <= MAX_TOLD {
                    read.problems.push(problem(why));
                }
            }
        }
    }
    if wrong > MAX_TOLD {
        let message = format!("{} more lines are no openings", wrong - MAX_TOLD);
        read.problems.push(Problem::new("openings", message));
    }
    if odd > MAX_TOLD {
        let message = format!("{} more openings are odd", odd - MAX_TOLD);
        read.warnings.push(Problem::new("openings", message));
    }
    if openings.len() > MAX_OPENINGS {
        let message = format!("holds {} openings; at most {MAX_OPENINGS} are read", openings.len());
        read.problems.push(Problem::new("openings", message));
    }
    openings
}

/// The lines of a list in the config itself.
fn list_lines(list: &[String]) -> Vec<Line> {
    let line = |(index, text): (usize, &String)| Line {
        path: element("openings.list", index),
        place: format!("opening {}", index + 1),
        text: text.clone(),
    };
    list.iter().enumerate().map(line).collect()
}

/// The lines of a file.
fn file_lines(file: &str, path: &str, base: &str, files: &dyn Files, read: &mut Read) -> Vec<Line> {
    let full = join(base, file);
    match file_text(&full, files) {
        Ok((text, hash)) => {
            read.source = Some((file.to_owned(), hash));
            let line = |(index, line): (usize, &str)| Line {
                path: path.to_owned(),
                place: format!("line {}", index + 1),
                text: line.to_owned(),
            };
            text.lines().enumerate().map(line).collect()
        }
        Err(why) => {
            read.problems.push(Problem::new(path, why));
            Vec::new()
        }
    }
}

/// The text of the opening list that is compiled in.
pub const BUILT_IN_LIST: &str = include_str!("../../openings/chuhe-500.epd");

/// A file's text without its byte order mark, and the SHA-256 of all its bytes.
fn file_text(full: &str, files: &dyn Files) -> Result<(String, String), String> {
    let bytes = if Path::new(full).file_name().is_some_and(|name| name == BUILT_IN_OPENINGS) {
        BUILT_IN_LIST.as_bytes().to_vec()
    } else if files.exists(full) {
        files.read(full).map_err(|why| format!("{full} cannot be read: {why}"))?
    } else {
        return Err(format!("there is no file {full}"));
    };
    if bytes.len() > MAX_FILE {
        return Err(format!("{full} has {} bytes; at most {MAX_FILE} are read", bytes.len()));
    }
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = String::from_utf8(bytes).map_err(|_| format!("{full} is no UTF-8 text"))?;
    Ok((text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text), hash))
}

/// One line: nothing, an opening and what is odd in it, or why it is none.
pub(super) fn opening(
    line: &str,
    place: &str,
    style: SquareStyle,
    plies: Option<usize>,
) -> Result<Option<(Opening, Option<String>)>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (text, title) = line.split_once(';').unwrap_or((line, ""));
    let mut words = text.split_whitespace().peekable();
    while matches!(words.peek(), Some(&("position" | "fen" | "startpos"))) {
        words.next();
    }
    let mut fen = Vec::new();
    if words.peek().is_some_and(|word| word.contains('/')) {
        while let Some(word) = words.next_if(|word| *word != "moves" && (fen.is_empty() || !is_move(word))) {
            fen.push(word);
        }
    }
    words.next_if(|word| *word == "moves");
    let (start, odd) = if fen.is_empty() {
        (Position::start(), None)
    } else {
        let setup = Setup::parse(&fen.join(" ")).map_err(|error| error.to_string())?;
        let start = setup.playable().map_err(|error| error.to_string())?;
        (start, setup.oddities().first().map(ToString::to_string))
    };
    let moves = play(&start, words.take(plies.unwrap_or(usize::MAX)), style)?;
    let title = title.trim();
    let name = if title.is_empty() { place.to_owned() } else { title.chars().take(100).collect() };
    Ok(Some((Opening { start, moves, name }, odd)))
}

/// Whether a word looks like a move in coordinates, legal or not.
fn is_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 4 && bytes[0].is_ascii_alphabetic() && bytes[1].is_ascii_digit()
}

/// Plays moves through; the position after them must be one to play on from.
fn play<'a>(
    start: &Position,
    words: impl Iterator<Item = &'a str>,
    style: SquareStyle,
) -> Result<Vec<Move>, String> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in words {
        let number = moves.len() + 1;
        let mv = style
            .read(word.as_bytes())
            .ok_or_else(|| format!("move {number}, '{}', is no move in coordinates", quoted(word)))?;
        if !position.is_legal(mv) {
            return Err(format!("move {number}, {word}, is not legal in {}", position.fen()));
        }
        position.make(mv);
        moves.push(mv);
    }
    if position.has_legal_move() {
        Ok(moves)
    } else {
        Err(format!("the side to move has no move in {}", position.fen()))
    }
}
