//! `chuhe judge --cases FILE..`: loops with the verdict that is expected, in two formats: an array of
//! `{id, article, fen, prefix_moves, loop_moves, verdict, ..}`, or one `{fen, prefix, loop, ours}` a line
//! (fields may be mixed). A case that cannot be judged is a wrong one. Start at [`run`].

use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use super::Arguments;
use crate::cli::Exit;
use crate::cli::sources::printable;
use crate::law::{Repetition, Rules, Ruling, Trail, Verdict, judge, play_loop};
use crate::report::Lang;
use crate::report::explanation::Explained;
use crate::report::reasons;
use crate::xiangqi::{Move, Position, read_move};

/// Largest file of cases in bytes; a case takes half a kilobyte.
const MAX_FILE: u64 = 256 << 20;

/// A case as it stands in a file.
struct Case {
    start: Position,
    prefix: Vec<Move>,
    round: Vec<Move>,
    expected: Verdict,
}

/// A case judged.
struct Judged {
    id: String,
    expected: Verdict,
    trail: Trail,
    ruling: Ruling,
}

/// Judges all cases of all files; the last line says how many and how many are wrong.
pub(super) fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let (mut all, mut wrong, mut unopened) = (0, 0, 0);
    if arguments.json {
        write!(out, "[")?;
    }
    for file in &arguments.files {
        let name = file.display().to_string();
        let text = match read(file) {
            Ok(text) => text,
            Err(error) => {
                writeln!(err, "error: {name}: {error}")?;
                unopened += 1;
                continue;
            }
        };
        for (index, case) in values(&text).into_iter().enumerate() {
            let case = case.and_then(|value| judged(&value, index, arguments, &name, err));
            let right = case.as_ref().is_ok_and(|case| case.ruling.verdict == case.expected);
            if arguments.json {
                let separator = if all > 0 { "," } else { "" };
                write!(out, "{separator}\n{}", object(&name, &case, right, arguments.explain))?;
            } else if arguments.explain || !right {
                write!(out, "{}", told(&name, &case, right, arguments))?;
            }
            all += 1;
            wrong += u64::from(!right);
        }
    }
    let total = format!("{all} cases, {wrong} wrong");
    if arguments.json {
        writeln!(out, "{}]", if all > 0 { "\n" } else { "" })?;
        writeln!(err, "{total}")?;
    } else {
        writeln!(out, "{total}")?;
    }
    Ok(match (wrong, unopened) {
        (0, 0) => Exit::Done,
        (0, _) => Exit::Usage,
        (_, _) => Exit::Wrong,
    })
}

fn read(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    if file == Path::new("-") {
        io::stdin().take(MAX_FILE).read_to_string(&mut text)?;
    } else {
        std::fs::File::open(file)?.take(MAX_FILE).read_to_string(&mut text)?;
    }
    Ok(text)
}

/// The objects of a file; what is no JSON is an error with its place.
fn values(text: &str) -> Vec<Result<Value, String>> {
    if text.trim_start().starts_with('[') {
        return match serde_json::from_str::<Vec<Value>>(text) {
            Ok(values) => values.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error.to_string())],
        };
    }
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| serde_json::from_str(line).map_err(|error| format!("line {number}: {error}")))
        .collect()
}

fn judged(
    value: &Value,
    index: usize,
    arguments: &Arguments,
    file: &str,
    err: &mut dyn Write,
) -> Result<Judged, String> {
    let Some(object) = value.as_object() else { return Err(format!("case {}: not an object", index + 1)) };
    let id = match object.get("id") {
        Some(Value::String(id)) => printable(id),
        Some(Value::Number(id)) => id.to_string(),
        _ => format!("{}", index + 1),
    };
    let fail = |why: String| format!("case {id}: {why}");
    let case = case(object).map_err(fail)?;
    for oddity in case.start.setup().oddities() {
        // That a warning cannot be written changes no verdict.
        let _ = writeln!(err, "warning: {file}: case {id}: {oddity}");
    }
    let Repetition { book, occurrences } = arguments.rules(Rules::default()).repetition;
    let trail =
        play_loop(case.start, &case.prefix, &case.round, occurrences).map_err(|why| fail(why.to_string()))?;
    let first = trail.earlier().nth(occurrences as usize - 2).unwrap_or(0);
    let ruling = judge(&trail, first..trail.plies(), book).map_err(|why| fail(why.to_string()))?;
    Ok(Judged { id, expected: case.expected, trail, ruling })
}

fn case(object: &Map<String, Value>) -> Result<Case, String> {
    let field = |names: [&str; 2]| names.into_iter().find_map(|name| object.get(name));
    let fen = object.get("fen").and_then(Value::as_str).ok_or("there is no `fen`")?;
    let start = Position::from_fen(fen).map_err(|why| format!("FEN: {}", printable(&why)))?;
    let mut position = start.clone();
    let mut ply = 0;
    let prefix = moves(field(["prefix_moves", "prefix"]), &mut position, &mut ply)?;
    let round = field(["loop_moves", "loop"]).ok_or("there is no `loop_moves` (or `loop`)")?;
    let round = moves(Some(round), &mut position, &mut ply)?;
    let word =
        field(["verdict", "ours"]).and_then(Value::as_str).ok_or("there is no `verdict` (or `ours`)")?;
    let expected = [Verdict::Draw, Verdict::RedLoses, Verdict::BlackLoses]
        .into_iter()
        .find(|verdict| verdict.word() == word)
        .ok_or_else(|| {
            format!("the verdict '{}' is none of draw, red_loses, black_loses", printable(word))
        })?;
    Ok(Case { start, prefix, round, expected })
}

/// A list of moves, or a text with blanks between them, played on the position.
fn moves(value: Option<&Value>, position: &mut Position, ply: &mut usize) -> Result<Vec<Move>, String> {
    let words: Vec<&str> = match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => text.split_whitespace().collect(),
        Some(Value::Array(list)) => {
            let words = list.iter().map(|word| word.as_str().ok_or("a move is no text"));
            words.collect::<Result<_, _>>()?
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            return Err("the moves are no list".to_owned());
        }
    };
    let mut moves = Vec::with_capacity(words.len());
    for word in words {
        *ply += 1;
        let mv = read_move(position, word, None)
            .map_err(|why| format!("ply {ply}, '{}': {}", printable(word), printable(&why.to_string())))?;
        position.make(mv);
        moves.push(mv);
    }
    Ok(moves)
}

fn told(file: &str, case: &Result<Judged, String>, right: bool, arguments: &Arguments) -> String {
    let lang = arguments.lang();
    let case = match case {
        Ok(case) => case,
        Err(why) => return format!("WRONG {file}: {why}\n"),
    };
    let mark = if right { "right" } else { "WRONG" };
    let mut text = format!(
        "{mark} {file}: case {}: expected {}, judged {}: {}\n",
        case.id,
        case.expected.word(),
        case.ruling.verdict.word(),
        reasons::repetition(&case.ruling, lang)
    );
    if arguments.explain {
        text.push_str(&format!("\n{}\n", super::explanation(&case.trail, &case.ruling, lang)));
    }
    text
}

fn object(file: &str, case: &Result<Judged, String>, right: bool, explain: bool) -> Value {
    let case = match case {
        Ok(case) => case,
        Err(why) => return json!({"file": file, "right": false, "error": why}),
    };
    let ruling = &case.ruling;
    let mut object = json!({
        "file": file,
        "id": case.id,
        "right": right,
        "expected": case.expected.word(),
        "verdict": ruling.verdict.word(),
        "article": ruling.article,
        "levels": [ruling.levels.red as u8, ruling.levels.black as u8],
        "reason_en": reasons::repetition(ruling, Lang::English),
        "reason_zh": reasons::repetition(ruling, Lang::Chinese),
    });
    if explain {
        let explained = Explained::new(&case.trail, ruling).ok();
        object["explanation"] = explained.map_or(Value::Null, |explained| explained.json());
    }
    object
}
