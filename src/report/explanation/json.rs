//! An explanation as JSON: the same facts for programs, each sentence in both languages. Start at
//! [`explanation`].

use serde_json::{Value, json};

use super::{Explained, words};
use crate::law::{ExplainedHalf, Fault, Guard, Manner, Reason, Why, article};
use crate::record::label_word;
use crate::report::{Lang, reasons};
use crate::xiangqi::{Move, Piece, Side, Square};

/// All of it: `ply` counts from 1; pieces are FEN letters, points are those after the half-move, and
/// `victim_id` and `victims` name pieces by their points in `fen`, the position where the span begins.
pub fn explanation(case: &Explained<'_>) -> Value {
    let ruling = case.ruling;
    let article = ruling.article.and_then(article).map(|article| {
        json!({
            "number": article.number,
            "title": {"en": article.title.en, "zh": article.title.zh},
            "content": {"en": article.content.en, "zh": article.content.zh},
        })
    });
    let halves: Vec<Value> =
        case.found.halves.iter().zip(&case.written).map(|(half, written)| half_move(half, written)).collect();
    json!({
        "book": ruling.book.name(),
        "verdict": ruling.verdict.word(),
        "article": article,
        "actor": case.found.actor.map(Side::word),
        "occurrences": ruling.occurrences,
        "fen": case.start.fen(),
        "first_ply": ruling.span.start + 1,
        "last_ply": ruling.span.end,
        "round": case.round,
        "red": side(case, Side::Red),
        "black": side(case, Side::Black),
        "half_moves": halves,
        "en": case.text(Lang::English),
        "zh": case.text(Lang::Chinese),
    })
}

fn side(case: &Explained<'_>, side: Side) -> Value {
    let level = case.ruling.levels[side];
    let victims: Vec<Value> = case.found.victims[side]
        .iter()
        .filter_map(|id| {
            Some(json!({"piece": case.start.get(*id)?.letter().to_string(), "at": id.to_string()}))
        })
        .collect();
    json!({
        "level": level as u8,
        "name": both(|lang| reasons::level(level, lang).to_owned()),
        "why": both(|lang| case.level_reason(side, lang)),
        "victims": victims,
    })
}

fn both(write: impl Fn(Lang) -> String) -> Value {
    json!({"en": write(Lang::English), "zh": write(Lang::Chinese)})
}

fn half_move(half: &ExplainedHalf, [wxf, chinese]: &[String; 2]) -> Value {
    let ExplainedHalf { ply, side, piece, mv, label, reasons } = half;
    json!({
        "ply": ply + 1,
        "side": side.word(),
        "piece": letter(*piece),
        "move": mv.to_string(),
        "wxf": wxf,
        "chinese": chinese,
        "label": label_word(*label),
        "attacks": reasons.iter().map(attack).collect::<Vec<_>>(),
    })
}

fn attack(reason: &Reason) -> Value {
    let Move { from, to } = reason.capture;
    let side = reason.victim.side();
    let guards = |guards: &[Guard]| guards.iter().map(|found| guard(found, side)).collect::<Vec<_>>();
    let mut value = json!({
        "attacker": on(from, reason.attacker),
        "victim": on(to, reason.victim),
        "victim_id": reason.victim_id.to_string(),
        "chase": reason.why.is_threat(),
        "manner": match reason.manner {
            Manner::Direct => "direct",
            Manner::Subversive => "subversive",
        },
        "why": why_word(reason.why),
        "guards": guards(&reason.guards),
        "words": both(|lang| words::reason(reason, lang)),
    });
    if reason.manner == Manner::Subversive {
        value["guards_lost"] = Value::from(guards(&reason.guards_lost));
        value["could_take_back"] = Value::from(reason.could_take_back);
    }
    if let Some(horse) = reason.horse {
        value["on_leg_of_horse"] = Value::from(horse.to_string());
    }
    value
}

const fn why_word(why: Why) -> &'static str {
    match why {
        Why::RootedOrNot => "rooted_or_not",
        Why::Rootless => "rootless",
        Why::FalseRoots => "false_roots",
        Why::TrueRoot => "true_root",
        Why::CouldTakeBack => "could_take_back",
        Why::FreeAttacker => "free_attacker",
        Why::UncrossedSoldier => "uncrossed_soldier",
    }
}

fn guard(guard: &Guard, side: Side) -> Value {
    let mut value = on(guard.at, Piece::new(side, guard.kind));
    value["true_root"] = Value::from(guard.fault.is_none());
    match guard.fault {
        None => {}
        Some(Fault::LineClosed) => value["fault"] = Value::from("line_closed"),
        Some(Fault::Exposes { by, kind }) => {
            value["fault"] = Value::from("exposes_general");
            value["to"] = on(by, Piece::new(!side, kind));
        }
    }
    value
}

fn on(at: Square, piece: Piece) -> Value {
    json!({"piece": letter(piece), "at": at.to_string()})
}

fn letter(piece: Piece) -> String {
    piece.letter().to_string()
}
