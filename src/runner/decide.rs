//! Writing a decision of the chief referee into a run that stands still: its number, old values and
//! consequences are looked up in the journal; the person gives the rest. Start at [`decide`].

use std::path::Path;

use super::desk::{Desk, fold};
use super::event::RunError;
use super::store::Store;
use super::wall::date;
use crate::game::Outcome;
use crate::plan::Sync;
use crate::record::{Decision, Ordered, Run, What};
use crate::tournament::{GameId, GameResult, Next};

/// What a person wants to decide.
#[derive(Debug, Clone)]
pub enum Wish {
    /// Give a game another result: `1-0`, `0-1`, `1/2-1/2`.
    Rule(GameId, String),
    /// Let a game count for nothing.
    Annul(GameId),
    /// Have a game played again.
    Replay(GameId),
    /// Let a game in progress go back to the end of a half-move, with these clocks (µs, Red first) or as
    /// they stood then.
    Correct(GameId, u32, Option<[u64; 2]>),
    /// Take an entrant out of the event.
    Withdraw(String),
    /// Put equals that no game separated in this order, best first.
    Place(Vec<String>),
    /// Let an entrant play on with its changed files, and have its held games played.
    Admit(String),
}

/// Who decides and why.
#[derive(Debug, Clone)]
pub struct Word {
    /// The person.
    pub person: String,
    /// The article, as `I.14`.
    pub article: String,
    /// The reason.
    pub reason: String,
}

/// Why nothing was decided.
#[derive(Debug, thiserror::Error)]
pub enum NotDecided {
    /// The folder fails, or a runner works on it.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What is wished cannot be.
    #[error("{0}")]
    Impossible(String),
}

/// Writes the decision and draws all documents again. Returns what was written, in order.
///
/// # Errors
/// Why nothing was decided; the folder is unchanged then.
pub fn decide(dir: &Path, wish: &Wish, word: &Word) -> Result<Vec<Ordered>, NotDecided> {
    let failed = |error| NotDecided::Run(RunError::from(error));
    let store = Store::open(dir, Sync::EveryEvent).map_err(|error| failed(error.into()))?;
    let (run, length) = fold(dir).map_err(failed)?;
    let orders = ordered(&run, wish)?;
    let relocked = match wish {
        Wish::Admit(entrant) => super::lock::relock(dir, &run, entrant).map_err(NotDecided::Impossible)?,
        Wish::Rule(..)
        | Wish::Annul(_)
        | Wish::Replay(_)
        | Wish::Correct(..)
        | Wish::Withdraw(_)
        | Wish::Place(_) => Vec::new(),
    };
    let mut store = store;
    store.cut(length).map_err(|error| failed(error.into()))?;
    let at = run.last();
    let before = run.decisions().len() as u32;
    let mut desk = Desk::open(store, run).map_err(failed)?;
    for (number, ordered) in (before + 1..).zip(&orders) {
        let decision = Decision {
            number,
            date: date(),
            person: word.person.clone(),
            article: word.article.clone(),
            reason: word.reason.clone(),
            ordered: ordered.clone(),
        };
        desk.record(at, What::Decided(Box::new(decision))).map_err(failed)?;
    }
    for locked in relocked {
        desk.record(at, What::Locked(locked)).map_err(failed)?;
    }
    desk.finish().map_err(failed)?;
    super::event::seal(&desk).map_err(|error| failed(error.into()))?;
    Ok(orders)
}

fn impossible<T>(why: impl Into<String>) -> Result<T, NotDecided> {
    Err(NotDecided::Impossible(why.into()))
}

fn entrant(run: &Run, name: &str) -> Result<usize, NotDecided> {
    run.index_of(name).map_or_else(|| impossible(format!("'{name}' is no entrant of this run")), Ok)
}

/// The result of a finished game that is not annulled.
fn old_result(run: &Run, game: GameId) -> Result<Option<String>, NotDecided> {
    match run.attempt(game) {
        None => {
            impossible(format!("game {game} has not ended; `1.2.3.1+2` is the second attempt of 1.2.3.1"))
        }
        Some(summary) => Ok(summary.outcome.map(|outcome| outcome.token().to_owned())),
    }
}

fn ordered(run: &Run, wish: &Wish) -> Result<Vec<Ordered>, NotDecided> {
    let one = |ordered| Ok(vec![ordered]);
    match wish {
        Wish::Rule(game, new) => {
            if Outcome::from_token(new).is_none() {
                return impossible(format!("'{new}' is no result; write 1-0, 0-1 or 1/2-1/2"));
            }
            one(Ordered::Result { game: *game, old: old_result(run, *game)?, new: new.clone() })
        }
        Wish::Annul(game) => one(Ordered::Annulled { game: *game, old: old_result(run, *game)? }),
        Wish::Replay(game) => one(replay(run, *game)?),
        Wish::Correct(game, to_move, clocks) => one(correct(run, *game, *to_move, *clocks)?),
        Wish::Withdraw(name) => one(withdraw(run, name)?),
        Wish::Place(order) => {
            let listed: Vec<usize> = order.iter().map(|name| entrant(run, name)).collect::<Result<_, _>>()?;
            if !held_blocks(run).iter().any(|block| same(block, &listed)) {
                let blocks = held_blocks(run).iter().map(|block| names(run, block)).collect::<Vec<_>>();
                let held = if blocks.is_empty() { "none".to_owned() } else { blocks.join("; ") };
                return impossible(format!("no play-off of exactly these is held (held: {held})"));
            }
            one(Ordered::Placed { order: order.clone() })
        }
        Wish::Admit(name) => {
            let index = entrant(run, name)?;
            let held =
                run.games().filter(|game| game.outcome.is_none() && [game.red, game.black].contains(&index));
            let held: Vec<GameId> = held.map(|game| game.id).collect();
            let mut orders = vec![Ordered::Admitted { entrant: name.clone() }];
            for game in held {
                orders.push(replay(run, game)?);
            }
            Ok(orders)
        }
    }
}

fn same(one: &[usize], other: &[usize]) -> bool {
    one.len() == other.len() && one.iter().all(|member| other.contains(member))
}

fn names(run: &Run, block: &[usize]) -> String {
    block.iter().map(|one| run.name(*one)).collect::<Vec<_>>().join(", ")
}

fn replay(run: &Run, game: GameId) -> Result<Ordered, NotDecided> {
    let old = old_result(run, game)?;
    let last = run.attempts().filter(|other| GameId { attempt: game.attempt, ..other.id } == game);
    let last = last.map(|other| other.id.attempt).max().unwrap_or(game.attempt);
    match last.checked_add(1) {
        None => impossible(format!("game {game} has had all its attempts")),
        Some(attempt) => Ok(Ordered::Replay { game, old, new: GameId { attempt, ..game } }),
    }
}

fn correct(run: &Run, game: GameId, to_move: u32, clocks: Option<[u64; 2]>) -> Result<Ordered, NotDecided> {
    let Some(unfinished) = run.unfinished().find(|one| one.began.game == game) else {
        return impossible(format!(
            "game {game} is not in progress; a finished game is overruled, annulled or played again"
        ));
    };
    let opening = unfinished.began.opening.split_whitespace().count();
    let Some(keep) = (to_move as usize).checked_sub(opening).filter(|keep| *keep < unfinished.moves.len())
    else {
        let last = opening + unfinished.moves.len();
        return impossible(format!("game {game} stands at half-move {last}; it cannot go back to {to_move}"));
    };
    let struck: Vec<&str> = unfinished.moves[keep..].iter().map(|moved| moved.mv.as_str()).collect();
    let Some(clocks_us) = clocks.or_else(|| clocks_after(unfinished, keep)) else {
        return impossible("each side must have moved before for its clock to be known; give --clocks");
    };
    Ok(Ordered::Corrected { game, to_move, struck: struck.join(" "), clocks_us })
}

/// Both clocks as they stood after so many moves, Red first.
fn clocks_after(unfinished: &crate::record::Unfinished, keep: usize) -> Option<[u64; 2]> {
    let (last, before) = (keep.checked_sub(1)?, keep.checked_sub(2)?);
    let (last, before) = (unfinished.moves.get(last)?, unfinished.moves.get(before)?);
    let black_first = unfinished.began.fen.split_ascii_whitespace().nth(1) == Some("b");
    let last_is_red = (last.ply % 2 == 1) != black_first;
    let (red, black) = if last_is_red { (last, before) } else { (before, last) };
    Some([red.left_us?, black.left_us?])
}

/// Less than half of its games of the present stage played: all its results of it are cancelled; else the
/// games to come are forfeited (the reading of I.5).
fn withdraw(run: &Run, name: &str) -> Result<Ordered, NotDecided> {
    let index = entrant(run, name)?;
    let settings = run.settings();
    let stage = run.attempts().map(|game| game.id.stage).max().unwrap_or(1);
    let format =
        settings.and_then(|settings| settings.stages.get(usize::from(stage) - 1)).map(|s| s.format.format());
    let played = run
        .results()
        .filter(|game| game.id.stage == stage && [game.red, game.black].contains(&index))
        .count() as u64;
    let mut due = 0;
    if let Some(format) = &format {
        let results: Vec<GameResult> = run.results().collect();
        let known = run.known(&results);
        for round in 1.. {
            match format.next_of(stage, round, run.entrant_count(), &known) {
                Next::Round(pairings) => {
                    let own = pairings.iter().filter(|two| [two.first, two.second].contains(&index));
                    due += own.map(|two| u64::from(two.legs)).sum::<u64>();
                }
                Next::Waiting | Next::Held(_) | Next::Over => break,
            }
        }
    }
    // In an exhibition nobody's table suffers: a group's only game is lost by it.
    let display = format.is_some_and(|format| format.exhibition().is_some());
    Ok(Ordered::Withdrawn { entrant: name.to_owned(), stage, cancelled: 2 * played < due && !display })
}

/// The blocks of equals whose play-offs are held.
fn held_blocks(run: &Run) -> Vec<Vec<usize>> {
    let Some(settings) = run.settings() else { return Vec::new() };
    let results: Vec<GameResult> = run.results().collect();
    let known = run.known(&results);
    let events = settings.stages.iter().map(|stage| stage.format.format());
    events.flat_map(|format| format.championship().map(|event| event.held(&known)).unwrap_or_default()).fold(
        Vec::new(),
        |mut list, block| {
            if !list.contains(&block) {
                list.push(block);
            }
            list
        },
    )
}
