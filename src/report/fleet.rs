//! What each worker of a fleet did for a run, for the summaries. A function of the run; empty where no fleet
//! played it. Start at [`markdown`].

use serde_json::{Map, Value, json};

use super::crosstable::escape_markdown;
use super::lang::Lang;
use crate::record::{FleetRun, Run, Tally};

/// Most workers and pairs that are listed for people.
const LISTED: usize = 200;

/// The fleet's part of `summary.json`.
pub fn json(fleet: &FleetRun) -> Value {
    let worker = |tally: &Tally| {
        json!({
            "pairs": tally.pairs,
            "games": tally.games,
            "time_losses": tally.time_losses,
            "faults": tally.faults,
            "redelivered": tally.redelivered,
            "refused": tally.refused,
            "nodes_a_second": tally.speed,
            "clock_scale": tally.scale,
            "played_s": seconds(tally.played_us),
            "without_game_s": seconds(tally.waited_us),
            "put_aside": tally.aside,
        })
    };
    let workers: Map<String, Value> =
        fleet.workers.iter().map(|(name, tally)| (name.clone(), worker(tally))).collect();
    let dead: Map<String, Value> =
        fleet.dead.iter().map(|(game, why)| (game.to_string(), Value::from(why.as_str()))).collect();
    json!({
        "run": fleet.opened.as_ref().map(|(publisher, name)| format!("{publisher}.{name}")),
        "workers": workers,
        "given_up": dead,
    })
}

fn seconds(micros: u64) -> f64 {
    (micros / 1000) as f64 / 1000.0
}

/// The fleet's part of `summary.md`.
pub fn markdown(run: &Run, lang: Lang) -> String {
    let Some(fleet) = run.fleet() else { return String::new() };
    let mut out = String::from(lang.pick(
        "## Workers\n\n| Worker | Games | Lost on time | Other faults | Handed on | Refused | Nodes a second | Clocks \
         times | Seconds of games | Seconds without |\n|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        "## 工作机\n\n| 工作机 | 局数 | 超时 | 其他故障 | 转派 | 拒收 | 每秒节点 | 时间倍率 | 对局秒数 | 空闲秒数 \
         |\n|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    ));
    for (name, tally) in fleet.workers.iter().take(LISTED) {
        let aside = if tally.aside { lang.pick(" (put aside)", "（停用）") } else { "" };
        out.push_str(&format!(
            "| {}{aside} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.1} |\n",
            escape_markdown(name),
            tally.games,
            tally.time_losses,
            tally.faults.saturating_sub(tally.time_losses),
            tally.redelivered,
            tally.refused,
            tally.speed.map_or("-".to_owned(), |speed| speed.to_string()),
            tally.scale.map_or("1".to_owned(), |scale| scale.to_string()),
            seconds(tally.played_us),
            seconds(tally.waited_us),
        ));
    }
    for (game, why) in fleet.dead.iter().take(LISTED) {
        out.push_str(&match lang {
            Lang::English => format!("\nThe pair of game {game} was given up: {}\n", escape_markdown(why)),
            Lang::Chinese => format!("\n第 {game} 局所在的一对未能完成：{}\n", escape_markdown(why)),
        });
    }
    out.push('\n');
    out
}
