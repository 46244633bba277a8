//! Short lines for people who watch a run: what will be played, each game's end, the score so far.
//! Text only; printing is the runner's. Start at [`finished`].

use std::borrow::Cow;

use super::crosstable::{self, name, wdl};
use super::event;
use super::header;
use super::lang::Lang;
use super::lines::{cut, one_line};
use super::reasons;
use super::sheet::{MatchScore, Sheet, sheets, token};
use super::testing;
use crate::record::{Fleet, GameSummary, Run, Settings};

/// What happened between a coordinator and its workers, where people should know.
pub fn fleet(event: &Fleet, lang: Lang) -> Option<String> {
    Some(match (event, lang) {
        (Fleet::Opened { .. } | Fleet::Brought(_), _) => return None,
        (Fleet::Refused { worker, reason, .. }, Lang::English) => {
            format!("Refused: a result of worker {}: {}", one_line(worker), one_line(reason))
        }
        (Fleet::Refused { worker, reason, .. }, Lang::Chinese) => {
            format!("拒收：工作机 {} 的结果：{}", one_line(worker), one_line(reason))
        }
        (Fleet::Issued { game, issue, reason }, Lang::English) => {
            format!("Pair of game {game} is given out again ({issue}): {}", one_line(reason))
        }
        (Fleet::Issued { game, issue, reason }, Lang::Chinese) => {
            format!("第 {game} 局所在的一对重新派发（第 {issue} 次）：{}", one_line(reason))
        }
        (Fleet::Dead { game, reason }, Lang::English) => {
            format!("Pair of game {game} is given up: {}", one_line(reason))
        }
        (Fleet::Dead { game, reason }, Lang::Chinese) => {
            format!("第 {game} 局所在的一对不再派发：{}", one_line(reason))
        }
        (Fleet::PutAside { worker, reason }, Lang::English) => {
            format!("Worker {} is put aside: {}", one_line(worker), one_line(reason))
        }
        (Fleet::PutAside { worker, reason }, Lang::Chinese) => {
            format!("工作机 {} 停用：{}", one_line(worker), one_line(reason))
        }
    })
}

/// The last word of the referee's desk, if there was one.
pub fn desk(run: &Run, lang: Lang) -> Option<String> {
    let line = event::word_line(run, run.desk_words().last()?, lang);
    Some(format!("{}: {line}", lang.pick("Referee's desk", "裁判席")))
}

/// The name of an entrant in a language, by its name in the journal.
pub fn called<'a>(run: &'a Run, entrant: &'a str, lang: Lang) -> Cow<'a, str> {
    cut(crosstable::called(run, entrant, lang), NAME_WIDTH)
}

/// Why a run is interrupted.
pub fn interrupted(reason: &str, lang: Lang) -> String {
    format!("{}: {}", lang.pick("Interrupted", "中断"), one_line(header::interruption(reason, lang)))
}

/// The lots that were drawn.
pub fn lots(run: &Run, lang: Lang) -> String {
    format!("{}: {}", lang.pick("Lots", "抽签"), one_line(&event::lots(run, lang)))
}

/// Most entrants named in a line of the score.
const LEADERS: usize = 5;
/// Widest name in a line.
const NAME_WIDTH: usize = 20;
/// Most entrants that are named before a run.
const NAMED: usize = 12;

/// What will be played: the event, its stages, who plays.
pub fn start(settings: &Settings, lang: Lang) -> Vec<String> {
    let count = settings.entrants.len();
    let games = settings.games();
    let event = one_line(&settings.event);
    let mut lines = vec![match (lang, games) {
        (Lang::English, Some(games)) => format!("{event}: {count} engines, {games} games"),
        (Lang::English, None) => format!("{event}: {count} engines"),
        (Lang::Chinese, Some(games)) => format!("{event}：{count} 个棋软，{games} 局"),
        (Lang::Chinese, None) => format!("{event}：{count} 个棋软"),
    }];
    for stage in &settings.stages {
        let format = header::format(&stage.format, settings.colours(), lang);
        let name = event::stage_name(&stage.format, &stage.name, lang);
        lines.push(format!("  {}: {format}; {}", one_line(&name), stage.time.control));
    }
    let names = settings.entrants.iter().take(NAMED).map(|entrant| {
        let chinese = entrant.name_zh.as_deref().filter(|_| lang == Lang::Chinese);
        cut(chinese.unwrap_or(&entrant.name), NAME_WIDTH).into_owned()
    });
    let more = if count > NAMED { ", .." } else { "" };
    lines.push(format!("  {}{more}", names.collect::<Vec<_>>().join(", ")));
    lines
}

/// A finished game: `Finished 12/90  1.3.2.1  Tiger - Lotus 1-0  mate (53 moves)`.
pub fn finished(run: &Run, game: &GameSummary, lang: Lang) -> String {
    let done = run.decided();
    let of = run.settings().and_then(Settings::games).map_or(String::new(), |games| format!("/{games}"));
    let [red, black] = [game.red, game.black].map(|index| cut(name(run, index, lang), NAME_WIDTH));
    let (id, token, moves) = (game.id, token(game.outcome), game.plies.div_ceil(2));
    let reason = reasons::short(&game.termination, lang);
    match lang {
        Lang::English => {
            format!("Finished {done}{of}  {id}  {red} - {black} {token}  {reason} ({moves} moves)")
        }
        Lang::Chinese => {
            format!("已完成 {done}{of}  {id}  {red} - {black} {token}  {reason}（{moves} 回合）")
        }
    }
}

/// The score so far: a match of two with its wins, draws and losses, or the leaders of the last stage.
/// Looks at every game: call it a few times a second at most.
pub fn score(run: &Run, lang: Lang) -> String {
    let sheets = sheets(run);
    let Some(sheet) = sheets.last() else { return String::new() };
    match MatchScore::of(run) {
        Some(score) => match_score(run, score, sheet, lang),
        None => leaders(run, sheet, lang),
    }
}

fn match_score(run: &Run, score: MatchScore, sheet: &Sheet, lang: Lang) -> String {
    let total = score.total();
    let (own, other) = (sheet.points.write(total.units()), sheet.points.write(total.reversed().units()));
    let [first, second] = [0, 1].map(|index| cut(name(run, index, lang), NAME_WIDTH));
    let test = testing::sprt_line(run, lang).map_or(String::new(), |line| format!("  {line}"));
    format!("{first} {own} - {other} {second}  ({}){test}", wdl(total))
}

fn leaders(run: &Run, sheet: &Sheet, lang: Lang) -> String {
    let leaders = sheet.rows.iter().take(LEADERS).map(|row| {
        let (rank, points) = (row.line.rank, sheet.points.write(row.line.points));
        format!(
            "{rank}. {} {points}/{}",
            cut(name(run, row.entrant, lang), NAME_WIDTH),
            row.line.total().games()
        )
    });
    leaders.collect::<Vec<_>>().join("  ")
}
