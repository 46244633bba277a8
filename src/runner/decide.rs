//! Writing a decision of the chief referee (corrections: I.12, III.9, IV.10) into a run that stands still: its number, old values and
//! consequences are looked up in the journal; the person gives the rest. Start at [`decide`].

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;

use super::desk::{Desk, fold};
use super::event::RunError;
use super::lock::{locks, relock};
use super::store::{JOURNAL, Store};
use super::wall::date;
use crate::game::{Clock, Outcome, TimeControl, parse_time};
use crate::plan::{Regulation, Sync};
use crate::record::{Decision, GameBegan, GameOver, JournalReader, Locked, Moved, Ordered, Run, What};
use crate::time::micros;
use crate::tournament::{GameId, GameResult, Next};
use crate::xiangqi::{BySide, Side};

/// What a person wants to decide.
#[derive(Debug, Clone)]
pub enum Wish {
    /// Give a game another result: `1-0`, `0-1`, `1/2-1/2`.
    Rule(GameId, String),
    /// Let a game count for nothing.
    Annul(GameId),
    /// Have a game played again.
    Replay(GameId),
    /// Let a game go back to the end of a half-move, with these clocks (µs, Red first) or as they stood then.
    /// A game in progress goes on itself; a finished one goes on as a new attempt.
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
    /// The article, as `I.14`; the one of the run's regulation that fits the decision if not given.
    pub article: Option<String>,
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
    Impossible(Why),
}

impl From<Why> for NotDecided {
    fn from(why: Why) -> NotDecided {
        NotDecided::Impossible(why)
    }
}

/// Why something cannot be, in both languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// In English.
    pub english: String,
    /// In Chinese.
    pub chinese: String,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

impl Why {
    /// Both texts.
    pub fn new(english: impl Into<String>, chinese: impl Into<String>) -> Why {
        Why { english: english.into(), chinese: chinese.into() }
    }
}

/// Writes the decision and draws all documents again. Returns what was written, in order.
///
/// # Errors
/// Why nothing was decided; the folder is unchanged then.
pub fn decide(dir: &Path, wish: &Wish, word: &Word) -> Result<Vec<Ordered>, NotDecided> {
    let failed = |error| NotDecided::Run(RunError::from(error));
    let store = Store::open(dir, Sync::EveryEvent).map_err(|error| failed(error.into()))?;
    let (run, length) = fold(dir).map_err(failed)?;
    let relocked = match wish {
        Wish::Admit(entrant) => {
            let read = locks(&run, entrant).and_then(|(index, locks)| relock(dir, index, locks));
            read?.locked
        }
        Wish::Rule(..)
        | Wish::Annul(_)
        | Wish::Replay(_)
        | Wish::Correct(..)
        | Wish::Withdraw(_)
        | Wish::Place(_) => Vec::new(),
    };
    let (orders, events) = written(dir, &run, wish, word, (None, relocked))?;
    let mut store = store;
    store.cut(length).map_err(|error| failed(error.into()))?;
    let at = run.last();
    let mut desk = Desk::open(store, run).map_err(failed)?;
    for what in events {
        desk.record(at, what).map_err(failed)?;
    }
    desk.write_games_again().map_err(failed)?;
    desk.finish().map_err(failed)?;
    super::event::seal(&desk).map_err(|error| failed(error.into()))?;
    Ok(orders)
}

/// What a wish comes to in the run in a folder: the orders, and the events that are to be journalled for them.
/// With them goes the number of the request for a correction that is granted, and what the engines of an admitted
/// entrant are locked as from now on. Writes nothing.
///
/// # Errors
/// Why it cannot be.
pub fn written(
    dir: &Path,
    run: &Run,
    wish: &Wish,
    word: &Word,
    (request, relocked): (Option<u32>, Vec<Locked>),
) -> Result<(Vec<Ordered>, Vec<What>), NotDecided> {
    let orders = orders(run, wish, &|game| record_of(dir, game))?;
    let before = run.decisions().len() as u32;
    let regulation = run.settings().and_then(|settings| settings.regulation.as_deref());
    let article = word.article.clone().unwrap_or_else(|| usual_article(regulation, wish).to_owned());
    let decided = |(number, ordered): (u32, &Ordered)| {
        What::Decided(Box::new(Decision {
            number,
            date: date(),
            person: word.person.clone(),
            article: article.clone(),
            reason: word.reason.clone(),
            request,
            ordered: ordered.clone(),
        }))
    };
    let events = (before + 1..).zip(&orders).map(decided);
    let events = events.chain(relocked.into_iter().map(What::Locked)).collect();
    Ok((orders, events))
}

/// Both clocks as typed, Red first: `29m,28m30s` or `1740,1710`, in µs.
///
/// # Errors
/// What is wrong with them.
pub fn read_clocks(text: &str) -> Result<[u64; 2], String> {
    let (red, black) = text.split_once(',').ok_or("two times with a comma between")?;
    let time = |text: &str| parse_time(text.trim()).map(micros).map_err(str::to_owned);
    Ok([time(red)?, time(black)?])
}

/// The article a decision rests on where nobody names one: that on corrections or that on disputes.
pub fn usual_article(regulation: Option<&str>, wish: &Wish) -> &'static str {
    let corrects = matches!(wish, Wish::Correct(..));
    match regulation.and_then(Regulation::from_name) {
        Some(Regulation::Blindfold) => "II.7",
        Some(Regulation::ManMachine) if corrects => "III.9",
        Some(Regulation::ManMachine) => "III.11",
        Some(Regulation::NetMeeting) if corrects => "IV.10",
        Some(Regulation::NetMeeting) => "IV.12",
        Some(Regulation::Championship) | None if corrects => "I.12",
        Some(Regulation::Championship) | None => "I.14",
    }
}

/// The record of a finished game, from the journal.
fn record_of(dir: &Path, game: GameId) -> Option<GameOver> {
    let file = File::open(dir.join(JOURNAL)).ok()?;
    JournalReader::new(BufReader::new(file)).filter_map(Result::ok).find_map(|event| match event.what {
        What::GameOver(over) if over.game == game => Some(*over),
        _ => None,
    })
}

fn impossible<T>(english: impl Into<String>, chinese: impl Into<String>) -> Result<T, NotDecided> {
    Err(NotDecided::Impossible(Why::new(english, chinese)))
}

/// The index of an entrant.
///
/// # Errors
/// There is none of this name.
pub fn entrant(run: &Run, name: &str) -> Result<usize, Why> {
    let unknown =
        || Why::new(format!("'{name}' is no entrant of this run"), format!("“{name}”不是本赛事的参赛者"));
    run.index_of(name).ok_or_else(unknown)
}

/// The result of a finished game that is not annulled.
fn old_result(run: &Run, game: GameId) -> Result<Option<String>, NotDecided> {
    match run.attempt(game) {
        None => impossible(
            format!("game {game} has not ended; `1.2.3.1+2` is the second attempt of 1.2.3.1"),
            format!("对局 {game} 尚未结束；1.2.3.1+2 表示 1.2.3.1 的第二次对局"),
        ),
        Some(summary) => Ok(summary.outcome.map(|outcome| outcome.token().to_owned())),
    }
}

/// What a wish comes to in a run, in order; `record` finds the record of a finished game. Writes nothing.
///
/// # Errors
/// Why it cannot be.
pub fn orders(
    run: &Run,
    wish: &Wish,
    record: &dyn Fn(GameId) -> Option<GameOver>,
) -> Result<Vec<Ordered>, NotDecided> {
    let one = |ordered| Ok(vec![ordered]);
    match wish {
        Wish::Rule(game, new) => {
            if Outcome::from_token(new).is_none() {
                return impossible(
                    format!("'{new}' is no result; write 1-0, 0-1 or 1/2-1/2"),
                    format!("“{new}”不是结果；请写 1-0、0-1 或 1/2-1/2"),
                );
            }
            one(Ordered::Result { game: *game, old: old_result(run, *game)?, new: new.clone() })
        }
        Wish::Annul(game) => one(Ordered::Annulled { game: *game, old: old_result(run, *game)? }),
        Wish::Replay(game) => one(replay(run, *game)?),
        Wish::Correct(game, to_move, clocks) if run.attempt(*game).is_some() => {
            let Some(over) = record(*game) else {
                return impossible(format!("game {game} has no record"), format!("对局 {game} 没有记录"));
            };
            one(reopen(run, &over, *to_move, *clocks)?)
        }
        Wish::Correct(game, to_move, clocks) => one(correct(run, *game, *to_move, *clocks)?),
        Wish::Withdraw(name) => one(withdraw(run, name)?),
        Wish::Place(order) => {
            let listed: Vec<usize> = order.iter().map(|name| entrant(run, name)).collect::<Result<_, _>>()?;
            if !held_blocks(run).iter().any(|block| same(block, &listed)) {
                let blocks = held_blocks(run).iter().map(|block| names(run, block)).collect::<Vec<_>>();
                let held = if blocks.is_empty() { "none".to_owned() } else { blocks.join("; ") };
                return impossible(
                    format!("no play-off of exactly these is held (held: {held})"),
                    format!("没有恰由这些参赛者组成的待裁决加赛（待裁决：{held}）"),
                );
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
    Ok(Ordered::Replay { game, old: old_result(run, game)?, new: next_attempt(run, game)? })
}

/// The attempt after the last one of a game.
fn next_attempt(run: &Run, game: GameId) -> Result<GameId, NotDecided> {
    let last = run.attempts().filter(|other| GameId { attempt: game.attempt, ..other.id } == game);
    let last = last.map(|other| other.id.attempt).max().unwrap_or(game.attempt).max(run.attempt_due(game));
    match last.checked_add(1) {
        None => impossible(
            format!("game {game} has had all its attempts"),
            format!("对局 {game} 的重赛次数已用尽"),
        ),
        Some(attempt) => Ok(GameId { attempt, ..game }),
    }
}

/// A finished game goes on from a half-move: it was over because of the mistake that is corrected.
fn reopen(run: &Run, over: &GameOver, to_move: u32, clocks: Option<[u64; 2]>) -> Result<Ordered, NotDecided> {
    let game = over.game;
    if !run.settings().is_some_and(|settings| settings.conduct.every_move) {
        return impossible(
            "only where every move is journalled can a finished game go on; have it played again",
            "仅在逐着记录的比赛中，已结束的对局才能续赛；请安排重赛",
        );
    }
    if run.attempt(game).is_some_and(|summary| summary.annulled) {
        return impossible(format!("game {game} was annulled"), format!("对局 {game} 已取消"));
    }
    let (old, new) = (old_result(run, game)?, next_attempt(run, game)?);
    let words: Vec<&str> = over.moves.split_ascii_whitespace().collect();
    let opening = over.opening_plies as usize;
    let keep = (to_move as usize).checked_sub(opening).filter(|_| (to_move as usize) < words.len());
    let Some(keep) = keep else {
        let last = words.len();
        return impossible(
            format!("game {game} ended at half-move {last}; it cannot go back to {to_move}"),
            format!("对局 {game} 终于第 {last} 个半回合，不能退回第 {to_move} 个"),
        );
    };
    let (made, standing) =
        moves_made(run, over, new, keep).map_err(|why| NotDecided::Impossible(Why::new(why.clone(), why)))?;
    let began = GameBegan {
        game: new,
        red: over.red.clone(),
        black: over.black.clone(),
        fen: over.fen.clone(),
        opening: words[..opening].join(" "),
        locks: None,
        date: over.date.clone(),
    };
    let struck = words[to_move as usize..].join(" ");
    let clocks_us = clocks.unwrap_or(standing);
    Ok(Ordered::Reopened { game, old, new, to_move, struck, clocks_us, began: Box::new(began), made })
}

/// The first moves of a finished game as a new attempt has them, and both clocks after them, µs, Red first.
/// Where the chief referee had set the clocks before, they stand as he set them.
fn moves_made(
    run: &Run,
    over: &GameOver,
    new: GameId,
    keep: usize,
) -> Result<(Vec<Moved>, [u64; 2]), String> {
    let control = |text: &String| match text.is_empty() {
        true => Ok(TimeControl::UNLIMITED),
        false => TimeControl::parse(text).map_err(|error| error.to_string()),
    };
    let [red, black] = &over.time_controls;
    let controls = BySide { red: control(red)?, black: control(black)? };
    let mut clocks = controls.map(Clock::new);
    let set = clocks_set(run, over.game);
    let mut made = Vec::new();
    let opening = over.opening_plies as usize;
    let black_first = over.fen.split_ascii_whitespace().nth(1) == Some("b");
    let words = over.moves.split_ascii_whitespace().skip(opening);
    for (place, mv) in words.enumerate().take(keep + 1) {
        let ply = opening + place;
        if let Some((_, standing)) = set.iter().rev().find(|(after, _)| *after == ply) {
            for (side, left) in Side::BOTH.into_iter().zip(standing) {
                let to_go = clocks[side].moves_left();
                clocks[side] = Clock::standing_at(controls[side], Duration::from_micros(*left), to_go);
            }
        }
        if place == keep {
            break;
        }
        let side = if (ply % 2 == 1) == black_first { Side::Red } else { Side::Black };
        let used_us = over.used_us.get(place).copied().unwrap_or(0);
        clocks[side].charge(Duration::from_micros(used_us));
        made.push(Moved {
            game: new,
            ply: ply as u32 + 1,
            mv: mv.to_owned(),
            member: over.members.get(place).copied().filter(|member| *member > 0),
            used_us,
            left_us: clocks[side].left().map(micros),
            to_go: clocks[side].moves_left(),
            draw: false,
            thought: over.thoughts.get(place).copied().unwrap_or_default(),
        });
    }
    Ok((made, Side::BOTH.map(|side| clocks[side].left().map_or(0, micros))))
}

/// Where earlier decisions set the clocks of an attempt: after so many half-moves, to these, µs, Red first.
fn clocks_set(run: &Run, attempt: GameId) -> Vec<(usize, [u64; 2])> {
    let set = |decision: &Decision| match &decision.ordered {
        Ordered::Corrected { game, to_move, clocks_us, .. } if *game == attempt => {
            Some((*to_move as usize, *clocks_us))
        }
        Ordered::Reopened { new, to_move, clocks_us, .. } if *new == attempt => {
            Some((*to_move as usize, *clocks_us))
        }
        _ => None,
    };
    run.decisions().iter().filter_map(set).collect()
}

fn correct(run: &Run, game: GameId, to_move: u32, clocks: Option<[u64; 2]>) -> Result<Ordered, NotDecided> {
    let Some(unfinished) = run.unfinished().find(|one| one.began.game == game) else {
        return impossible(
            format!("game {game} is neither in progress nor finished"),
            format!("对局 {game} 既不在进行中，也未结束"),
        );
    };
    if !run.settings().is_some_and(|settings| settings.conduct.every_move) {
        return impossible(
            "only where every move is journalled can a game go back; it can be played again when it has ended",
            "仅在逐着记录的比赛中才能退回着法；终局后可以重赛",
        );
    }
    let opening = unfinished.began.opening.split_whitespace().count();
    let Some(keep) = (to_move as usize).checked_sub(opening).filter(|keep| *keep < unfinished.moves.len())
    else {
        let last = opening + unfinished.moves.len();
        return impossible(
            format!("game {game} stands at half-move {last}; it cannot go back to {to_move}"),
            format!("对局 {game} 现为第 {last} 个半回合，不能退回第 {to_move} 个"),
        );
    };
    let struck: Vec<&str> = unfinished.moves[keep..].iter().map(|moved| moved.mv.as_str()).collect();
    let Some(clocks_us) = clocks.or_else(|| clocks_after(unfinished, keep)) else {
        return impossible(
            "each side must have moved before for its clock to be known; give the clocks",
            "双方此前须各走过一着才能得知余时；请给出双方余时",
        );
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
pub fn held_blocks(run: &Run) -> Vec<Vec<usize>> {
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
