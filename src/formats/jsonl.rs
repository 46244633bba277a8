//! Games as JSON, one object a line: `red`, `black`, `start` (a FEN, if not the usual position), `moves`
//! in coordinates, `result`, and whatever else it names. Start at `games` and [`write()`].

use std::io::BufRead;

use serde_json::{Map, Value};

use super::each_line::EachLine;
use super::movetext::{MAX_MOVES, read_moves};
use super::pgn::{Game, finish, remark_at};
use super::record::{GameResult, Odd, Reason, Record, RecordError, RecordedMove};
use crate::xiangqi::{Notation, Position};

/// The games of a source, line by line; blank lines are passed over. A forced notation settles the rank
/// style.
pub(super) fn games<R: BufRead>(
    source: R,
    forced: Option<Notation>,
) -> impl Iterator<Item = Result<Record, RecordError>> + use<R> {
    EachLine::new(source, move |game: &Game<'_>| {
        (!game.text.trim().is_empty()).then(|| read_line(game, forced))
    })
}

/// JSON names that have another name as tags.
const NAMES: [(&str, &str); 11] = [
    ("red", "Red"),
    ("black", "Black"),
    ("white", "Red"),
    ("event", "Event"),
    ("site", "Site"),
    ("date", "Date"),
    ("round", "Round"),
    ("title", "Title"),
    ("termination", "Termination"),
    ("note", "Note"),
    ("variant", "Variant"),
];

fn read_line(game: &Game<'_>, forced: Option<Notation>) -> Result<Record, RecordError> {
    let object: Map<String, Value> = serde_json::from_str(game.text).map_err(|why| {
        game.error(0, game.text.trim(), Reason::Malformed(format!("no JSON object: {why}")))
    })?;
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let start = match text("start").or(text("fen")).or(text("start_fen")) {
        None => Position::start(),
        Some(fen) => Position::from_fen(fen).map_err(|why| game.error(0, fen, Reason::Position(why)))?,
    };
    let moves = match object.get("moves") {
        Some(Value::String(moves)) => moves.clone(),
        Some(Value::Array(moves)) => {
            moves.iter().take(MAX_MOVES + 1).filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            return Err(game.error(0, "", Reason::Malformed("the object has no list of moves".to_owned())));
        }
    };
    let mut parsed = read_moves(&moves, &start, forced);
    // Offsets in the joined moves say nothing about the line.
    parsed.remarks.iter_mut().for_each(|(at, _)| *at = 0);
    parsed.stop.iter_mut().for_each(|stop| stop.at = 0);
    if let Some(comments) = object.get("comments").and_then(Value::as_object) {
        for (ply, comment) in comments {
            put_comment(&mut parsed.moves, &mut parsed.preface, ply, comment);
        }
    }
    let mut record = Record::new(start);
    record.tags = tags(&object);
    let tagged = text("result").and_then(GameResult::from_words);
    let record = finish(game, record, parsed, 0, tagged)?;
    Ok(with_final_position(game, record, text("finalfen").or(text("final_fen"))))
}

fn put_comment(moves: &mut [RecordedMove], preface: &mut String, ply: &str, comment: &Value) {
    let (Ok(ply), Some(comment)) = (ply.parse::<usize>(), comment.as_str()) else { return };
    match ply.checked_sub(1) {
        None => comment.clone_into(preface),
        Some(index) => {
            if let Some(played) = moves.get_mut(index) {
                comment.clone_into(&mut played.comment);
            }
        }
    }
}

fn tags(object: &Map<String, Value>) -> Vec<(String, String)> {
    let own = [
        "start",
        "fen",
        "start_fen",
        "moves",
        "result",
        "comments",
        "finalfen",
        "final_fen",
        "plies",
        "tags",
    ];
    let flat = object.iter().filter(|(name, _)| !own.contains(&name.as_str()));
    let nested = object.get("tags").and_then(Value::as_object).into_iter().flatten();
    flat.chain(nested)
        .filter_map(|(name, value)| {
            let value = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
            let known = NAMES.iter().find(|(json, _)| json == name).map(|(_, tag)| *tag);
            Some((known.unwrap_or(name).to_owned(), value))
        })
        .collect()
}

/// Compares the recorded final position, board and side only.
fn with_final_position(game: &Game<'_>, mut record: Record, fen: Option<&str>) -> Record {
    if let Some(fen) = fen {
        let last = record.last_position();
        let same = Position::from_fen(fen)
            .is_ok_and(|told| told.board() == last.board() && told.side() == last.side());
        if !same {
            record.remarks.push(remark_at(game, 0, Odd::FinalPosition(fen.chars().take(100).collect())));
        }
    }
    record
}

/// Writes a game as one line. Variations have no place in it.
pub fn write(record: &Record) -> String {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    let mut tags = Map::new();
    for (name, value) in &record.tags {
        let player = ["Red", "Black"].into_iter().find(|player| name.eq_ignore_ascii_case(player));
        match player {
            Some(player) => {
                put(&player.to_ascii_lowercase(), Value::from(value.as_str()));
            }
            None if !matches!(name.as_str(), "Result" | "FEN" | "Format") => {
                tags.insert(name.clone(), Value::from(value.as_str()));
            }
            None => {}
        }
    }
    if !record.starts_usually() {
        put("start", Value::from(record.start.fen()));
    }
    put("moves", record.line().map(|mv| mv.to_string()).collect());
    if let Some(result) = record.result {
        put("result", Value::from(result.token()));
    }
    put("plies", Value::from(record.moves.len()));
    put("finalfen", Value::from(record.last_position().fen()));
    let preface = Some((0, &record.preface));
    let comments: Map<String, Value> = preface
        .into_iter()
        .chain((1..).zip(record.moves.iter().map(|played| &played.comment)))
        .filter(|(_, comment)| !comment.is_empty())
        .map(|(ply, comment)| (ply.to_string(), Value::from(comment.as_str())))
        .collect();
    if !comments.is_empty() {
        put("comments", Value::Object(comments));
    }
    if !tags.is_empty() {
        put("tags", Value::Object(tags));
    }
    let mut line = Value::Object(object).to_string();
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Record, RecordError> {
        games(text.as_bytes(), None).next().unwrap()
    }

    #[test]
    fn what_is_written_reads_back() {
        let record =
            one(r#"{"red": "A", "black": "B\n\"x\"", "moves": ["h2e2", "h9g7"], "result": "0-1", "elo": 12,
                "comments": {"0": "p", "2": "q"}}"#
                .replace('\n', " ")
                .as_str())
            .unwrap();
        let again = one(&write(&record)).unwrap();
        assert_eq!((&again.tags, &again.moves, again.result), (&record.tags, &record.moves, record.result));
        assert_eq!((again.tag("Black"), again.tag("elo")), (Some("B\n\"x\""), Some("12")));
        assert_eq!((again.preface.as_str(), again.moves[1].comment.as_str()), ("p", "q"));
        assert!(again.remarks.is_empty());
    }

    #[test]
    fn faults_are_told() {
        let fen = "3k5/9/9/9/9/9/9/9/9/4K3R b - - 0 1";
        let record = one(&format!(r#"{{"start": "{fen}", "moves": "d9d8", "finalfen": "{fen}"}}"#)).unwrap();
        assert_eq!(record.remarks[0].what, Odd::FinalPosition(fen.to_owned()));
        for (text, expected) in [
            ("{", "game 1, line 1, '{': no JSON object: EOF while parsing an object at line 1 column 1"),
            ("{}", "game 1, line 1: the object has no list of moves"),
            (
                r#"{"moves": ["h2e2", "a0a9"]}"#,
                "game 1, line 1, ply 2, 'a0a9': illegal: the piece on a0 is the other side's",
            ),
        ] {
            assert_eq!(one(text).unwrap_err().to_string(), expected);
        }
    }
}
