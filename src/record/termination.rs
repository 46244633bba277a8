//! A game's end between the referee's types and the journal's: `Termination` and `Ruling` as JSON
//! and back. Never decides anything. Start at [`termination_record`] and [`read_termination`].

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::TerminationRecord;
use crate::game::Termination;
use crate::law::{Book, Chase, Deed, Label, Level, Manner, Ruling, Verdict};
use crate::time::micros;
use crate::xiangqi::{BySide, Kind, Side, Square};

/// Why a recorded end cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("termination '{kind}': {reason}")]
pub struct TerminationError {
    /// The recorded kind.
    pub kind: String,
    /// What is wrong.
    pub reason: String,
}

/// The record of a game's end, with the engine's last lines where they help to see why.
pub fn termination_record(termination: &Termination, last_lines: Vec<String>) -> TerminationRecord {
    let mut record = TerminationRecord {
        kind: termination.kind().to_owned(),
        loser: None,
        detail: None,
        flag_us: None,
        ruling: None,
        last_lines,
    };
    let mut lost = |side: Side| record.loser = Some(side.word().to_owned());
    match termination {
        Termination::Mated { loser } | Termination::NoMove { loser } | Termination::Resigned { loser } => {
            lost(*loser);
        }
        Termination::Repetition(ruling) => {
            ruling.verdict.loser().map(lost);
            record.ruling = Some(ruling_record(ruling));
        }
        Termination::Flag { loser, used, allowed } | Termination::OverrunInCheck { loser, used, allowed } => {
            lost(*loser);
            record.flag_us = Some([micros(*used), micros(*allowed)]);
        }
        Termination::IllegalMove { loser, text } => {
            lost(*loser);
            record.detail = Some(text.clone());
        }
        Termination::Forfeited { loser, reason } => {
            lost(*loser);
            record.detail = Some(reason.clone());
        }
        Termination::Crashed { loser, how } => {
            lost(*loser);
            record.detail = Some(how.clone());
        }
        Termination::Stalled { loser, waiting_for } => {
            lost(*loser);
            record.detail = Some(waiting_for.clone());
        }
        Termination::Adjudicated { winner, rule } => {
            winner.map(|winner| lost(!winner));
            record.detail = Some((*rule).to_owned());
        }
        Termination::Held { reason } | Termination::Abandoned { reason } => {
            record.detail = Some(reason.clone());
        }
        Termination::DeadPosition
        | Termination::NoCapture
        | Termination::MaxLength
        | Termination::Agreed
        | Termination::SessionOver => {}
    }
    record
}

/// Reads a record back.
///
/// # Errors
/// An unknown kind, or a field that the kind needs and the record lacks.
pub fn read_termination(record: &TerminationRecord) -> Result<Termination, TerminationError> {
    let fail = |reason: &str| TerminationError { kind: record.kind.clone(), reason: reason.to_owned() };
    let side = match record.loser.as_deref() {
        None => None,
        Some(word) => Some(
            Side::BOTH.into_iter().find(|side| side.word() == word).ok_or_else(|| fail("unknown side"))?,
        ),
    };
    let loser = || side.ok_or_else(|| fail("it names no loser"));
    let detail = || record.detail.clone().ok_or_else(|| fail("its detail is missing"));
    Ok(match record.kind.as_str() {
        "mated" => Termination::Mated { loser: loser()? },
        "no_move" => Termination::NoMove { loser: loser()? },
        "repetition" => {
            let value = record.ruling.as_ref().ok_or_else(|| fail("its ruling is missing"))?;
            Termination::Repetition(read_ruling(value).map_err(|error| fail(&error.to_string()))?)
        }
        "dead_position" => Termination::DeadPosition,
        "no_capture" => Termination::NoCapture,
        "max_length" => Termination::MaxLength,
        kind @ ("flag" | "overrun_in_check") => {
            let [used, allowed] = record.flag_us.ok_or_else(|| fail("its times are missing"))?;
            let (used, allowed) = (Duration::from_micros(used), Duration::from_micros(allowed));
            let loser = loser()?;
            if kind == "flag" {
                Termination::Flag { loser, used, allowed }
            } else {
                Termination::OverrunInCheck { loser, used, allowed }
            }
        }
        "illegal_move" => Termination::IllegalMove { loser: loser()?, text: detail()? },
        "crashed" => Termination::Crashed { loser: loser()?, how: detail()? },
        "stalled" => Termination::Stalled { loser: loser()?, waiting_for: detail()? },
        "resigned" => Termination::Resigned { loser: loser()? },
        "agreed" => Termination::Agreed,
        "adjudicated" => {
            let rule = match record.detail.as_deref() {
                Some("resign") => "resign",
                Some("draw") => "draw",
                Some(_) | None => return Err(fail("it names no rule of adjudication")),
            };
            Termination::Adjudicated { winner: side.map(|loser| !loser), rule }
        }
        "forfeited" => Termination::Forfeited { loser: loser()?, reason: detail()? },
        "session_over" => Termination::SessionOver,
        "held" => Termination::Held { reason: detail()? },
        "abandoned" => Termination::Abandoned { reason: detail()? },
        _ => return Err(fail("unknown kind")),
    })
}

/// A ruling as JSON: `{"book":..,"occurrences":..,"article":..,"verdict":..,"levels":[red,black],
/// "span":[from,to],"deeds":[..]}`; levels are 0..4, the span counts half-moves from 0, its end left out.
pub fn ruling_record(ruling: &Ruling) -> Value {
    let form = RulingForm {
        book: ruling.book.name().to_owned(),
        occurrences: ruling.occurrences,
        article: ruling.article,
        verdict: ruling.verdict.word().to_owned(),
        levels: [ruling.levels.red as u8, ruling.levels.black as u8],
        span: [ruling.span.start, ruling.span.end],
        deeds: ruling.deeds.iter().map(deed_form).collect(),
    };
    // A struct of numbers, strings and lists always has a JSON form.
    serde_json::to_value(form).unwrap_or(Value::Null)
}

/// Reads a ruling back from its JSON.
///
/// # Errors
/// What is missing or unknown.
pub fn read_ruling(value: &Value) -> Result<Ruling, RulingError> {
    let form = RulingForm::deserialize(value).map_err(|error| RulingError(error.to_string()))?;
    let [red, black] = form.levels;
    let [start, end] = form.span;
    Ok(Ruling {
        book: Book::from_name(&form.book).ok_or_else(|| unknown("book", &form.book))?,
        occurrences: form.occurrences,
        article: form.article,
        verdict: named(&VERDICTS, Verdict::word, "verdict", &form.verdict)?,
        levels: BySide { red: level(red)?, black: level(black)? },
        span: start..end,
        deeds: form.deeds.iter().map(read_deed).collect::<Result<_, _>>()?,
    })
}

/// What is wrong with a recorded ruling.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("its ruling cannot be read: {0}")]
pub struct RulingError(String);

#[derive(Serialize, Deserialize)]
struct RulingForm {
    book: String,
    occurrences: u32,
    article: Option<u8>,
    verdict: String,
    levels: [u8; 2],
    span: [usize; 2],
    deeds: Vec<DeedForm>,
}

#[derive(Serialize, Deserialize)]
struct DeedForm {
    label: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    check: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    chases: Vec<ChaseForm>,
}

/// Points in the zero style; `*_id` is the piece's point at the start of the span.
#[derive(Serialize, Deserialize)]
struct ChaseForm {
    attacker: String,
    attacker_kind: char,
    attacker_id: String,
    victim: String,
    victim_kind: char,
    victim_id: String,
    manner: String,
}

const VERDICTS: [Verdict; 3] = [Verdict::Draw, Verdict::RedLoses, Verdict::BlackLoses];
const MANNERS: [Manner; 2] = [Manner::Direct, Manner::Subversive];
const LEVELS: [Level; 5] =
    [Level::Permitted, Level::TakesRootsAway, Level::Chases, Level::ChasesPinnedChariot, Level::Checks];
const LABELS: [Label; 8] = [
    Label::Check,
    Label::Chase,
    Label::MateThreat,
    Label::Offer,
    Label::Exchange,
    Label::Block,
    Label::CheckAndTake,
    Label::Idle,
];

/// The snake-case word of a label in the journal.
pub const fn label_word(label: Label) -> &'static str {
    match label {
        Label::Check => "check",
        Label::Chase => "chase",
        Label::MateThreat => "mate_threat",
        Label::Offer => "offer",
        Label::Exchange => "exchange",
        Label::Block => "block",
        Label::CheckAndTake => "check_and_take",
        Label::Idle => "idle",
    }
}

const fn manner_word(manner: Manner) -> &'static str {
    match manner {
        Manner::Direct => "direct",
        Manner::Subversive => "subversive",
    }
}

fn unknown(what: &str, found: &str) -> RulingError {
    RulingError(format!("unknown {what} '{}'", found.chars().take(40).collect::<String>()))
}

fn named<T: Copy>(
    all: &[T],
    word: impl Fn(T) -> &'static str,
    what: &str,
    found: &str,
) -> Result<T, RulingError> {
    all.iter().copied().find(|value| word(*value) == found).ok_or_else(|| unknown(what, found))
}

fn level(number: u8) -> Result<Level, RulingError> {
    LEVELS
        .into_iter()
        .find(|level| *level as u8 == number)
        .ok_or_else(|| unknown("level", &number.to_string()))
}

fn deed_form(deed: &Deed) -> DeedForm {
    let chases = deed.chases.iter().map(|chase| ChaseForm {
        attacker: chase.attacker.to_string(),
        attacker_kind: chase.attacker_kind.letter(),
        attacker_id: chase.attacker_id.to_string(),
        victim: chase.victim.to_string(),
        victim_kind: chase.victim_kind.letter(),
        victim_id: chase.victim_id.to_string(),
        manner: manner_word(chase.manner).to_owned(),
    });
    DeedForm { label: label_word(deed.label).to_owned(), check: deed.check, chases: chases.collect() }
}

fn read_deed(form: &DeedForm) -> Result<Deed, RulingError> {
    let chases = form.chases.iter().map(|chase| {
        Ok(Chase {
            attacker: square(&chase.attacker)?,
            attacker_kind: kind(chase.attacker_kind)?,
            attacker_id: square(&chase.attacker_id)?,
            victim: square(&chase.victim)?,
            victim_kind: kind(chase.victim_kind)?,
            victim_id: square(&chase.victim_id)?,
            manner: named(&MANNERS, manner_word, "manner", &chase.manner)?,
        })
    });
    Ok(Deed {
        check: form.check,
        chases: chases.collect::<Result<_, _>>()?,
        label: named(&LABELS, label_word, "label", &form.label)?,
    })
}

fn square(text: &str) -> Result<Square, RulingError> {
    Square::parse(text.as_bytes()).ok_or_else(|| unknown("point", text))
}

fn kind(letter: char) -> Result<Kind, RulingError> {
    Kind::ALL
        .into_iter()
        .find(|kind| kind.letter() == letter)
        .ok_or_else(|| unknown("piece", &letter.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::fixture::{ENDS, termination};

    #[test]
    fn every_end_reads_back() {
        for text in ENDS {
            let end = termination(text);
            let record = termination_record(&end, Vec::new());
            assert_eq!(record.kind, end.kind());
            let line = serde_json::to_string(&record).unwrap();
            let back: TerminationRecord = serde_json::from_str(&line).unwrap();
            assert_eq!(read_termination(&back), Ok(end), "{line}");
        }
    }

    fn check(change: impl Fn(&mut Value), complaint: &str) {
        let mut value =
            serde_json::to_value(termination_record(&termination("repetition red"), Vec::new())).unwrap();
        change(&mut value);
        let record: TerminationRecord = serde_json::from_value(value).unwrap();
        let error = read_termination(&record).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        check(|v| v["kind"] = "danced".into(), "'danced': unknown kind");
        check(|v| v["kind"] = "flag".into(), "its times are missing");
        check(|v| v["kind"] = "crashed".into(), "its detail is missing");
        check(|v| v["kind"] = "adjudicated".into(), "names no rule");
        check(|v| v["loser"] = "green".into(), "unknown side");
        check(|v| v["ruling"] = Value::Null, "its ruling is missing");
        check(|v| v["ruling"]["book"] = "tomb".into(), "unknown book 'tomb'");
        check(|v| v["ruling"]["levels"][0] = 9.into(), "unknown level '9'");
        check(|v| v["ruling"]["deeds"][0]["chases"][0]["victim"] = "z9".into(), "unknown point 'z9'");
        check(|v| v["ruling"]["deeds"][0]["label"] = "sneeze".into(), "unknown label");
        let mut record = termination_record(&termination("mated red"), Vec::new());
        record.loser = None;
        assert!(read_termination(&record).unwrap_err().to_string().contains("names no loser"));
    }
}
