//! What an exhibition shows: its form in words, and below its table every board's result, how it ended and
//! which turns were lost. The master stands against all teams together. Start at [`lines`].

use super::crosstable::name;
use super::lang::Lang;
use super::lines::one_line;
use super::reasons;
use super::sheet::Sheet;
use crate::record::{FormatSettings, GameSummary, Run};
use crate::tournament::MASTER;

/// The lines of a table's boards; none where it is no exhibition's.
pub fn lines(run: &Run, sheet: &Sheet, lang: Lang) -> Vec<String> {
    let Some(stage) = sheet.exhibition else { return Vec::new() };
    let games: Vec<GameSummary> = run.games().filter(|game| game.id.stage == stage).collect();
    let mut lines: Vec<String> = games.iter().map(|game| board(run, sheet, game, lang)).collect();
    let won = |as_master: bool| -> u32 {
        let results = run.results().filter(|game| game.id.stage == stage);
        results
            .filter_map(|game| game.score_of(MASTER))
            .map(|own| if as_master { own } else { 2 - own })
            .sum()
    };
    let (own, other) = (sheet.points.write(won(true)), sheet.points.write(won(false)));
    let master = one_line(name(run, MASTER, lang));
    lines.push(match lang {
        Lang::English => format!("All boards: {master} {own} - {other} the teams"),
        Lang::Chinese => format!("各台合计：{master} {own} : {other} 各组"),
    });
    lines
}

/// `Board 3: Master 1 - 1 Team 3 (44 moves, 2 turns lost): Draw: the time of the session is over (II.5)`.
fn board(run: &Run, sheet: &Sheet, game: &GameSummary, lang: Lang) -> String {
    let team = if game.red == MASTER { game.black } else { game.red };
    let (left, right) = (one_line(name(run, MASTER, lang)), one_line(name(run, team, lang)));
    let mark = |entrant: usize| match game.outcome.map(|outcome| outcome.winner()) {
        None => "*".to_owned(),
        Some(None) => sheet.points.write(1),
        Some(Some(winner)) => sheet.points.write(if game.player(winner) == entrant { 2 } else { 0 }),
    };
    let (own, other) = (mark(MASTER), mark(team));
    let (moves, lost) = (game.plies.div_ceil(2), game.lost_turns);
    let how = reasons::sentence(&game.termination, lang);
    let ruled = game.decision.map_or_else(String::new, |number| match lang {
        Lang::English => format!("; ruled otherwise, decision {number}"),
        Lang::Chinese => format!("；裁判长另行裁定（第 {number} 号）"),
    });
    let how = format!("{}{ruled}", one_line(&how));
    match lang {
        Lang::English => {
            let moves = format!("{moves} move{}", if moves == 1 { "" } else { "s" });
            let lost = match lost {
                0 => String::new(),
                1 => ", 1 turn lost".to_owned(),
                _ => format!(", {lost} turns lost"),
            };
            format!("Board {team}: {left} {own} - {other} {right} ({moves}{lost}): {how}")
        }
        Lang::Chinese => {
            let lost = if lost == 0 { String::new() } else { format!("，超时失着 {lost} 次") };
            format!("第 {team} 台：{left} {own} : {other} {right}（{moves} 回合{lost}）：{how}")
        }
    }
}

/// An exhibition's form in a word; its readings are [`facts`].
pub fn format(settings: &FormatSettings, lang: Lang) -> String {
    let FormatSettings::Exhibition { colour, .. } = settings else { return String::new() };
    let red = colour == "red";
    match lang {
        Lang::English => {
            let colour = if red { "Red" } else { "Black" };
            format!(
                "exhibition (II.2), one master ({colour} on all boards: practice, not in the text), one game a team"
            )
        }
        Lang::Chinese => {
            let colour = if red { "执红" } else { "执黑" };
            format!("表演赛（二之2），一位大师（各台{colour}，规程未载），一局定胜负")
        }
    }
}

/// The readings of the articles in force, each with its label in English and Chinese.
pub fn facts(settings: &FormatSettings, lang: Lang) -> Vec<(&'static str, &'static str, String)> {
    let FormatSettings::Exhibition { session, visit, overrun, most_overruns, isolate, advice, .. } = settings
    else {
        return Vec::new();
    };
    let visits = match visit.as_str() {
        "skip" => lang.pick("in turn, past boards whose team still thinks", "轮流，思考中的台次跳过"),
        "stay" => lang.pick("one board after the other to its end", "逐台下完"),
        _ => lang.pick("strictly in turn, waiting where a team still thinks", "严格轮流，思考中则等待"),
    };
    let overruns = match overrun.as_str() {
        "next-seat" => lang.pick("the next member moves instead", "由下一位队员走"),
        "wait" => lang.pick("no move at this visit, the time anew at the next", "本轮不得走棋，下轮重新计时"),
        "loses" => lang.pick("loses the game", "判负"),
        _ => lang.pick("the turn is lost; in check the game", "停走一着；被将军则负"),
    };
    let most = match (most_overruns, lang) {
        (0, _) => String::new(),
        (most, Lang::English) => format!("; number {most} on end is held for the chief referee"),
        (most, Lang::Chinese) => format!("；连续第 {most} 次待裁判长裁决"),
    };
    let seconds = crate::game::write_seconds(*session);
    let session = match lang {
        Lang::English => format!("{seconds} s for all boards, then draws (II.5)"),
        Lang::Chinese => format!("全场 {seconds} 秒，未决判和（二之5）"),
    };
    let told = match isolate {
        true => lang.pick(
            "given moves only, a new game told at each board; his time a move is told, not a limit (II.5)",
            "只报着法，换台报新局；每步用时仅作告知，不限时（二之5）",
        ),
        false => lang.pick(
            "given moves only, no new game told at a board; his time a move is told, not a limit (II.5)",
            "只报着法，换台不报新局；每步用时仅作告知，不限时（二之5）",
        ),
    };
    let advice = match advice {
        true => lang.pick("members advise the one on turn, which is noted", "队员可献策并记录"),
        false => lang.pick("off", "关闭"),
    };
    vec![
        ("Visits", "走台", visits.to_owned()),
        ("Master", "大师", told.to_owned()),
        (
            "Overrun",
            "超时禁走",
            format!("{overruns} ({}){most}", if lang == Lang::English { "II.5" } else { "二之5" }),
        ),
        ("Session", "时限", session),
        ("Discussion", "讨论", advice.to_owned()),
    ]
}
