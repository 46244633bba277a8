//! Openings as text, one a line: a FEN with or without moves, or moves from the usual start position. Every
//! line is played through; an illegal one is told with its number. Start at [`read`].

use sha2::{Digest, Sha256};

use super::Files;
use super::engines::{join, squares_of};
use super::form::{OpeningOrderForm, OpeningsFields, OpeningsForm, SquaresForm};
use super::problem::{Problem, element, member, quoted};
use crate::tournament::{Opening, OpeningBook, OpeningOrder};
use crate::xiangqi::{Move, Position, Setup, SquareStyle};

/// Most bytes of an opening file: a million openings of 64 bytes.
const MAX_FILE: usize = 64 << 20;
/// Most openings.
const MAX_OPENINGS: usize = 1_000_000;
/// Most wrong lines that are told one by one.
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

/// Reads openings. `told` says whether something is known to be wrong at the path already.
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
    let lines = match (&fields.file, &fields.list) {
        (Some(file), None) => file_lines(file, path, base, files, &mut read),
        (None, Some(list)) => list
            .iter()
            .enumerate()
            .map(|(index, line)| {
                (element("openings.list", index), format!("opening {}", index + 1), line.clone())
            })
            .collect(),
        (Some(_), Some(_)) => {
            read.problems.push(Problem::new(
                "openings.list",
                "stands beside `file`; only one of the two can be given",
            ));
            Vec::new()
        }
        (None, None) => {
            if !told("openings") {
                read.problems
                    .push(Problem::new("openings", "names no openings").hint("give a `file` or a `list`"));
            }
            Vec::new()
        }
    };
    let style = fields.squares.map_or(SquareStyle::Zero, |form: SquaresForm| squares_of(form));
    let mut openings = Vec::new();
    let mut wrong = 0usize;
    for (path, place, line) in &lines {
        match opening(line, place, style, fields.plies) {
            Ok(None) => {}
            Ok(Some((opening, odd))) => {
                read.warnings.extend(odd.map(|odd| Problem::new(path.as_str(), format!("{place}: {odd}"))));
                openings.push(opening);
            }
            Err(why) => {
                wrong += 1;
                if wrong <= MAX_TOLD {
                    read.problems.push(Problem::new(path.as_str(), format!("{place}: {why}")));
                }
            }
        }
    }
    if wrong > MAX_TOLD {
        let message = format!("{} more lines are no openings", wrong - MAX_TOLD);
        read.problems.push(Problem::new("openings", message));
    }
    if openings.is_empty() && read.problems.is_empty() && !told("openings") {
        read.problems.push(Problem::new("openings", "holds no opening at all"));
    }
    if openings.len() > MAX_OPENINGS {
        let message = format!("holds {} openings; at most {MAX_OPENINGS} are read", openings.len());
        read.problems.push(Problem::new("openings", message));
        return read;
    }
    let first = fields.start.unwrap_or(1) as usize;
    if first > openings.len() && read.problems.is_empty() {
        let message = format!("is {first}, but there are only {} openings", openings.len());
        read.problems.push(Problem::new(member("openings", "start"), message));
    }
    let order = match fields.order {
        None | Some(OpeningOrderForm::InOrder) => OpeningOrder::InOrder,
        Some(OpeningOrderForm::Shuffled) => OpeningOrder::Shuffled,
    };
    read.book = OpeningBook::new(openings, order, seed, first.saturating_sub(1) as u64);
    read
}

/// The lines of a file: path and place for messages, and the text.
fn file_lines(
    file: &str,
    path: &str,
    base: &str,
    files: &dyn Files,
    read: &mut Read,
) -> Vec<(String, String, String)> {
    let full = join(base, file);
    let mut fail = |message: String| {
        read.problems.push(Problem::new(path, message));
        Vec::new()
    };
    if !files.exists(&full) {
        return fail(format!("there is no file {full}"));
    }
    let bytes = match files.read(&full) {
        Ok(bytes) if bytes.len() > MAX_FILE => {
            return fail(format!("{full} has {} bytes; at most {MAX_FILE} are read", bytes.len()));
        }
        Ok(bytes) => bytes,
        Err(why) => return fail(format!("{full} cannot be read: {why}")),
    };
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return fail(format!("{full} is no UTF-8 text"));
    };
    read.source = Some((file.to_owned(), hash));
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| (path.to_owned(), format!("line {}", index + 1), line.to_owned())).collect()
}

/// One line: nothing, an opening and what is odd in it, or why it is none.
fn opening(
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
