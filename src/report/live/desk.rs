//! The referee's desk for those who watch and for those who sit at it, as data in both languages: what was said
//! and decided, which requests for a correction (I.12) wait, what is held. Never decides anything.
//! Start at [`public`] and [`desk_state`].

use serde_json::{Value, json};

use super::tables::{both, ended};
use crate::record::{Answer, GameSummary, Request, Run};
use crate::report::crosstable::name;
use crate::report::event;
use crate::report::lang::Lang;

/// Most words shown, the latest ones.
const WORDS_SHOWN: usize = 100;
/// Most finished games that the desk is given, the latest ones.
const ENDED_SHOWN: usize = 200;

/// What everybody may see.
pub fn public(run: &Run) -> Value {
    let words = run.desk_words();
    let latest = words.iter().skip(words.len().saturating_sub(WORDS_SHOWN));
    let open = run.requests().iter().filter(|request| request.answer == Answer::Open);
    json!({
        "words": latest.map(|word| both(|lang| event::word_line(run, word, lang))).collect::<Vec<_>>(),
        "open": open.map(request_json).collect::<Vec<_>>(),
        "held": { "en": event::held(run, Lang::English), "zh": event::held(run, Lang::Chinese) },
    })
}

/// Who paused the run and why, while it is paused.
pub fn paused(run: &Run) -> Value {
    run.paused().map_or(Value::Null, |spoken| json!({ "person": spoken.person, "reason": spoken.reason }))
}

fn request_json(request: &Request) -> Value {
    let Request { number, game, to_move, by, reason, answer: _ } = request;
    json!({ "number": number, "game": game.to_string(), "to_move": to_move, "by": by, "reason": reason })
}

/// How the run stands for the referee at the desk: what everybody sees, and the games and entrants that can be
/// decided on.
pub fn desk_state(run: &Run) -> Value {
    let settings = run.settings();
    let names = |entrant| [name(run, entrant, Lang::English), name(run, entrant, Lang::Chinese)];
    let running = run.unfinished().map(|game| {
        let began = &game.began;
        let opening = began.opening.split_ascii_whitespace().count();
        json!({
            "id": began.game.to_string(),
            "red": run.index_of(&began.red),
            "black": run.index_of(&began.black),
            "plies": opening + game.moves.len(),
        })
    });
    let mut last: Vec<GameSummary> = run.attempts().collect();
    last.sort_by_key(|game| std::cmp::Reverse(game.at));
    last.truncate(ENDED_SHOWN);
    let last = last.into_iter().map(|game| {
        let mut shown = ended(&game);
        if let Value::Object(fields) = &mut shown {
            fields.insert("annulled".to_owned(), json!(game.annulled));
            fields.insert("decision".to_owned(), json!(game.decision));
        }
        shown
    });
    let withdrawn = |entrant| run.withdrawals().iter().any(|one| one.entrant == entrant);
    json!({
        "event": settings.map(|settings| &settings.event),
        "regulation": settings.and_then(|settings| settings.regulation.as_ref()),
        "every_move": settings.is_some_and(|settings| settings.conduct.every_move),
        "entrants": (0..run.entrant_count())
            .map(|entrant| json!({
                "name": run.name(entrant), "names": names(entrant), "withdrawn": withdrawn(entrant),
            }))
            .collect::<Vec<_>>(),
        "running": running.collect::<Vec<_>>(),
        "ended": last.collect::<Vec<_>>(),
        "paused": paused(run),
        "desk": public(run),
        "over": run.over(),
    })
}
