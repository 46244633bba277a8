//! The reproducible part of a journal: what two runs of one plan by node-limited engines must have in
//! common. Times, numbers, dates, the conduct of the runner and facts of the machine are dropped, games
//! sorted by their ids, abandoned attempts left out.
//! Start at [`reproducible`].

use std::collections::BTreeMap;
use std::fmt::Write;

use super::event::{Event, GameOver, RunBegan, What};
use super::settings::Settings;
use crate::tournament::GameId;

/// The reproducible part as text, one line a fact: the head, then every game in schedule order with
/// its moves, thoughts, result and end. Equal for a run that was interrupted and resumed and for one
/// that was not.
pub fn reproducible<'a>(events: impl IntoIterator<Item = &'a Event>) -> String {
    let mut text = String::new();
    let mut games: BTreeMap<GameId, &GameOver> = BTreeMap::new();
    for event in events {
        match &event.what {
            What::RunBegan(head) => write_head(head, &mut text),
            What::GameOver(over) if over.termination.kind == ABANDONED => {}
            What::GameOver(over) => {
                games.insert(GameId { attempt: 1, ..over.game }, over);
            }
            What::CheckedIn(_)
            | What::GameBegan(_)
            | What::Moved(_)
            | What::Overran(_)
            | What::Advised(_)
            | What::SessionRuns { .. }
            | What::Noted(_)
            | What::Drawn(_)
            | What::Locked(_)
            | What::Decided(_)
            | What::Spoken(_)
            | What::Fleet(_)
            | What::Resumed(_)
            | What::Interrupted { .. }
            | What::RunOver { .. } => {}
        }
    }
    for (game, over) in &games {
        write_game(*game, over, &mut text);
    }
    text
}

/// `Termination::kind` of an attempt that does not count.
const ABANDONED: &str = "abandoned";

fn write_head(head: &RunBegan, text: &mut String) {
    let Settings {
        event,
        site: _,
        seed,
        entrants,
        stages,
        rules,
        openings,
        points,
        tie_break,
        sprt,
        draw_as_black_win,
        colours,
        ..
    } = &head.settings;
    let facts = serde_json::json!({
        "event": event, "seed": seed, "entrants": entrants, "stages": stages, "rules": rules, "openings": openings, "points": points, "tie_break": tie_break, "sprt": sprt,
    });
    if *draw_as_black_win {
        text.push_str("draw odds\n");
    }
    if let Some(colours) = colours {
        let _ = writeln!(text, "colours {colours}");
    }
    let _ = writeln!(text, "settings {facts}");
    for (path, hash) in &head.sources {
        let _ = writeln!(text, "source {hash} {path}");
    }
}

fn write_game(game: GameId, over: &GameOver, text: &mut String) {
    let GameOver { red, black, fen, opening, opening_plies, moves, .. } = over;
    let _ = writeln!(text, "game {game} {red:?} {black:?} {}", over.result.as_deref().unwrap_or("*"));
    let _ = writeln!(text, "  from {fen:?} opening {opening:?} {opening_plies}");
    let _ = writeln!(text, "  moves {moves}");
    let end = &over.termination;
    let ruling = end.ruling.as_ref().map_or(String::new(), |ruling| format!(" {ruling}"));
    let _ = writeln!(
        text,
        "  end {} {} {}{ruling}",
        end.kind,
        end.loser.as_deref().unwrap_or("-"),
        end.detail.as_deref().unwrap_or("-"),
    );
    let _ = write!(text, "  thoughts");
    for thought in &over.thoughts {
        let field = |number: Option<i64>| number.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let nodes = thought.nodes.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let _ = write!(
            text,
            " {}/{}/{}/{nodes}",
            field(thought.cp.map(i64::from)),
            field(thought.mate.map(i64::from)),
            field(thought.depth.map(i64::from)),
        );
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Points;
    use crate::record::fixture::events;
    use crate::time::At;

    #[test]
    fn order_times_and_abandoned_attempts_do_not_matter_but_moves_do() {
        let events = events(Points::TwoOneZero);
        let plain = reproducible(&events);
        assert_eq!(plain.matches("\ngame ").count(), 12);
        let mut other = events.clone();
        other[1..].reverse();
        for event in &mut other {
            event.at = At(event.at.0 * 3 + 1);
            if let What::GameOver(over) = &mut event.what {
                over.used_us.clear();
                over.date.clear();
                over.game.attempt = 2;
            }
        }
        let mut abandoned = other[5].clone();
        if let What::GameOver(over) = &mut abandoned.what {
            over.termination.kind = ABANDONED.to_owned();
            over.game.attempt = 1;
        }
        other.push(abandoned);
        assert_eq!(reproducible(&other), plain);
        for event in &mut other {
            if let What::GameOver(over) = &mut event.what {
                over.moves.push_str(" a0a1");
            }
        }
        assert_ne!(reproducible(&other), plain);
    }
}
