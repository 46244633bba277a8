//! The journal of a run as records: every `game_over` event is a game. What stands there besides moves
//! becomes tags and comments as in `games.pgn`. Reads JSON and knows nothing of runs; a last line that
//! was cut off is no event, as for the runner, and a result that was changed afterwards is told. Start at [`games`].

use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;

use super::each_line::EachLine;
use super::movetext::read_moves;
use super::pgn::{Game, Thought, day, finish};
use super::record::{GameResult, Reason, Record, RecordError};
use crate::xiangqi::{Notation, Position};

/// Whether a line is an event of a journal.
pub(super) fn is_event(line: &str) -> bool {
    line.starts_with("{\"seq\":") && line.contains("\"what\":\"")
}

/// The finished games of a journal, in the order in which they ended.
pub(super) fn games<R: BufRead>(source: R) -> impl Iterator<Item = Result<Record, RecordError>> + use<R> {
    let mut heading = Heading::default();
    EachLine::new(source, move |game: &Game<'_>| {
        let is = |what: &str| memchr::memmem::find(game.text.as_bytes(), what.as_bytes()).is_some();
        let read = if is("\"what\":\"run_began\"") {
            parse::<Began>(game).map(|began| {
                heading = began.settings;
                None
            })
        } else if is("\"what\":\"game_over\"") {
            parse::<Over>(game).and_then(|over| read_game(game, &over, &heading)).map(Some)
        } else if is("\"what\":\"decided\"") {
            parse::<Decision>(game).and_then(|decision| unheeded(game, &decision)).map(|()| None)
        } else {
            Ok(None)
        };
        let torn = !game.text.ends_with('\n');
        match read {
            Err(error) if torn && error.before.is_none() => None,
            other => other.transpose(),
        }
    })
}

fn parse<'a, T: Deserialize<'a>>(game: &Game<'a>) -> Result<T, RecordError> {
    serde_json::from_str(game.text)
        .map_err(|why| game.error(0, "", Reason::Malformed(format!("no event of a journal: {why}"))))
}

/// A decision of the chief referee, as far as it concerns records that were given before it.
#[derive(Deserialize)]
struct Decision {
    decision: String,
    game: Option<String>,
    new: Option<String>,
}

/// A record has the result its game ended with; that it counts otherwise now is told.
fn unheeded(game: &Game<'_>, decision: &Decision) -> Result<(), RecordError> {
    let now = match (decision.decision.as_str(), &decision.new) {
        ("result", Some(new)) => format!("its result is {new} now"),
        ("annulled", _) => "it counts for nothing".to_owned(),
        ("replay", _) => "it is played again".to_owned(),
        _ => return Ok(()),
    };
    let id = decision.game.as_deref().unwrap_or_default();
    let why = format!("the chief referee decided on game {id}: {now}; the record has the result of its end");
    Err(game.error(0, id, Reason::Malformed(why)))
}

#[derive(Deserialize)]
struct Began {
    settings: Heading,
}

/// What the games of a run have in common.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Heading {
    event: String,
    site: String,
}

/// The members of a `game_over` that a record has places for.
#[derive(Deserialize)]
struct Over {
    game: String,
    red: String,
    black: String,
    fen: String,
    moves: String,
    #[serde(default)]
    opening_plies: usize,
    #[serde(default)]
    opening: String,
    #[serde(default)]
    used_us: Vec<u64>,
    #[serde(default)]
    thoughts: Vec<Said>,
    result: Option<String>,
    termination: End,
    #[serde(default)]
    time_controls: Vec<String>,
    #[serde(default)]
    date: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Said {
    cp: Option<i32>,
    mate: Option<i32>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

#[derive(Deserialize)]
struct End {
    kind: String,
    ruling: Option<Value>,
}

/// How a pass stands in a journal.
const PASS: &str = "--";

fn read_game(game: &Game<'_>, over: &Over, heading: &Heading) -> Result<Record, RecordError> {
    let start =
        Position::from_fen(&over.fen).map_err(|why| game.error(0, &over.fen, Reason::Position(why)))?;
    let mut parsed = read_moves(&over.moves, &start, Some(Notation::Uci0));
    parsed.remarks.clear();
    if let Some(stop) = &mut parsed.stop {
        // Offsets in the moves say nothing about the line.
        stop.at = 0;
        if stop.token == PASS {
            stop.reason = Reason::Malformed("a pass; a record holds moves only".to_owned());
        }
    }
    for (ply, played) in parsed.moves.iter_mut().enumerate() {
        match ply.checked_sub(over.opening_plies) {
            None => "book".clone_into(&mut played.comment),
            Some(place) => {
                let Said { cp, mate, depth, nodes } = over.thoughts.get(place).copied().unwrap_or_default();
                let used_us = over.used_us.get(place).copied();
                Thought { cp, mate, depth, nodes, used_us }.append(&mut played.comment);
            }
        }
    }
    let mut record = Record::new(start);
    record.tags = tags(over, heading, parsed.moves.len());
    let told = over.result.as_deref().map_or(Some(GameResult::Unknown), GameResult::from_token);
    finish(game, record, parsed, 0, told)
}

fn tags(over: &Over, heading: &Heading, plies: usize) -> Vec<(String, String)> {
    let [red_time, black_time] = [0, 1].map(|side| over.time_controls.get(side).cloned().unwrap_or_default());
    let [both, red_time, black_time] = if red_time == black_time {
        [red_time, String::new(), String::new()]
    } else {
        [String::new(), red_time, black_time]
    };
    [
        ("Event", heading.event.clone()),
        ("Site", heading.site.clone()),
        ("Date", day(&over.date)),
        ("Round", over.game.clone()),
        ("Red", over.red.clone()),
        ("Black", over.black.clone()),
        ("Result", over.result.clone().unwrap_or_else(|| GameResult::Unknown.token().to_owned())),
        ("Opening", over.opening.clone()),
        (super::pgn::DRAW_ODDS, if is_counted_draw(over) { "Black".to_owned() } else { String::new() }),
        ("Termination", over.termination.kind.clone()),
        ("Ruling", over.termination.ruling.as_ref().map(ruling).unwrap_or_default()),
        ("TimeControl", both),
        ("RedTimeControl", red_time),
        ("BlackTimeControl", black_time),
        ("PlyCount", plies.to_string()),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

/// Whether it is a draw that counted as a win (draw odds).
fn is_counted_draw(over: &Over) -> bool {
    let ruled = || over.termination.ruling.as_ref().and_then(|ruling| ruling.get("verdict")?.as_str());
    let drawn = match over.termination.kind.as_str() {
        "dead_position" | "no_capture" | "max_length" | "agreed" => true,
        "repetition" => ruled() == Some("draw"),
        _ => false,
    };
    drawn && over.result.as_deref() == Some(GameResult::BlackWins.token())
}

/// `asian-2006 article 13: red_loses`.
fn ruling(ruling: &Value) -> String {
    let text = |name: &str| ruling.get(name).and_then(Value::as_str).unwrap_or_default();
    let article = ruling.get("article").and_then(Value::as_u64);
    let article = article.map_or_else(String::new, |number| format!(" article {number}"));
    format!("{}{article}: {}", text("book"), text("verdict"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"seq":0,"at":0,"what":"run_began","format":1,"settings":{"event":"E \"x\"","site":"S","seed":1}}"#;

    fn over(moves: &str, rest: &str) -> String {
        format!(
            r#"{{"seq":9,"at":5,"what":"game_over","game":"1.2.3.1","red":"A","black":"B","fen":"{}","opening_plies":1,"opening":"line 3","moves":"{moves}","used_us":[1532000],"thoughts":[{{"cp":-35,"depth":9}}],"termination":{{"kind":"repetition","ruling":{{"book":"asian-2006","article":13,"verdict":"red_loses"}}}},"time_controls":["1","2"],"date":"2026-01-31T08:00:00+00:00"{rest}}}"#,
            crate::xiangqi::START_FEN,
        )
    }

    fn read(lines: &[&str]) -> Vec<Result<Record, RecordError>> {
        games((lines.join("\n") + "\n").as_bytes()).collect()
    }

    #[test]
    fn a_game_over_is_a_record() {
        let moved = r#"{"seq":1,"at":0,"what":"moved","game":"1.2.3.1","ply":1,"mv":"h2e2"}"#;
        let game = over("h2e2 h9g7 h0g2", r#","result":"0-1""#);
        let record = read(&[HEAD, moved, &game]).remove(0).unwrap();
        let tags: Vec<String> = record.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            tags.join("|"),
            "Event=E \"x\"|Site=S|Date=2026.01.31|Round=1.2.3.1|Red=A|Black=B|Result=0-1|Opening=line 3|\
             Termination=repetition|Ruling=asian-2006 article 13: red_loses|RedTimeControl=1|BlackTimeControl=2|PlyCount=3"
        );
        let comments: Vec<&str> = record.moves.iter().map(|played| played.comment.as_str()).collect();
        assert_eq!(comments, ["book", "-0.35/9 1.532s", ""]);
        assert_eq!((record.result, record.origin.line), (Some(GameResult::BlackWins), 3));
        assert!(record.remarks.is_empty());
        assert!(is_event(HEAD) && is_event(&game) && !is_event("{\"moves\":[]}"));
    }

    #[test]
    fn faults_are_told_and_a_torn_tail_is_none() {
        let held = over("h2e2 --", "");
        let games = read(&[HEAD, "{\"what\":\"game_over\"}", &held]);
        let errors: Vec<String> = games.iter().map(|read| read.as_ref().unwrap_err().to_string()).collect();
        assert!(
            errors[0].starts_with("game 1, line 2: no event of a journal: missing field"),
            "{}",
            errors[0]
        );
        assert_eq!(errors[1], "game 2, line 3, ply 2, '--': a pass; a record holds moves only");
        let kept = games[1].as_ref().unwrap_err().before.as_ref().unwrap();
        assert_eq!((kept.moves.len(), kept.result), (1, Some(GameResult::Unknown)));
        let decided = r#"{"seq":9,"at":5,"what":"decided","decision":"result","game":"1.2.3.1","old":"0-1","new":"1/2-1/2"}"#;
        let placed = r#"{"seq":9,"at":5,"what":"decided","decision":"placed","order":["A"]}"#;
        let games = read(&[HEAD, &over("h2e2", ""), decided, placed]);
        assert!(games.len() == 2 && games[0].is_ok());
        assert_eq!(
            games[1].as_ref().unwrap_err().to_string(),
            "game 2, line 3, '1.2.3.1': the chief referee decided on game 1.2.3.1: its result is 1/2-1/2 now; \
             the record has the result of its end"
        );
        let whole = over("h2e2", "");
        assert_eq!(super::games(&whole.as_bytes()[..whole.len() - 5]).count(), 0);
        assert_eq!(super::games(whole.as_bytes()).count(), 1);
    }
}
