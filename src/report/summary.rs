//! The run in numbers: counts, standings, faults, settings; as JSON for programs and as Markdown for
//! people. What is undefined is `null`. Start at [`json`].

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Style;
use super::crosstable::{escape_markdown, game_line, markdown_head, markdown_standings, name};
use super::event;
use super::fleet;
use super::lang::Lang;
use super::notes;
use super::reasons;
use super::sheet::{MatchScore, Sheet, decided, faults, sheets};
use super::testing;
use crate::game::{FaultClass, Outcome};
use crate::record::{Run, Settings};
use crate::tournament::{Estimate, GameResult, Pentanomial, Points, Rating, Ratings, Wdl, ratings};

/// Most notes that are printed for people.
const NOTES_PRINTED: usize = 20;

/// Sums over all games.
#[derive(Debug, Clone, Default)]
struct Counts {
    games: u64,
    outcomes: [u64; 4],
    plies: u64,
    longest: u32,
    by_kind: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn of(run: &Run) -> Counts {
        let mut counts = Counts::default();
        for game in run.games() {
            counts.games += 1;
            let place = match game.outcome {
                Some(Outcome::RedWins) => 0,
                Some(Outcome::Draw) => 1,
                Some(Outcome::BlackWins) => 2,
                None => 3,
            };
            counts.outcomes[place] += 1;
            counts.plies += u64::from(game.plies);
            counts.longest = counts.longest.max(game.plies);
            *counts.by_kind.entry(game.termination.kind()).or_default() += 1;
        }
        counts
    }
}

/// `summary.json`.
pub fn json(run: &Run, _style: &Style) -> String {
    let (head, settings) = (run.head(), run.settings());
    let counts = Counts::of(run);
    let [red_wins, draws, black_wins, without_result] = counts.outcomes;
    let sheets = sheets(run);
    let mut value = json!({
        "program": head.map(|head| head.program.as_str()),
        "event": settings.map(|settings| settings.event.as_str()),
        "begun": head.map(|head| head.date.as_str()),
        "resumed": run.resumed().len(),
        "over": run.over(),
        "interrupted": run.interrupted(),
        "games": {
            "planned": settings.and_then(Settings::games),
            "decided": run.decided(),
            "red_wins": red_wins,
            "draws": draws,
            "black_wins": black_wins,
            "without_result": without_result,
            "attempts": run.attempts().count(),
            "plies": counts.plies,
            "longest_plies": counts.longest,
        },
        "terminations": counts.by_kind,
        "stages": sheets.iter().map(|sheet| stage_json(run, sheet)).collect::<Vec<_>>(),
        "ratings": rated(run).map(|ratings| ratings_json(run, &ratings)),
        "match": MatchScore::of(run).map(|score| match_json(run, score)),
        "decisions": run.decisions(),
        "held": event::held(run, Lang::English),
        "faults": faults_json(run),
        "notes": {
            "kept": run.notes().0,
            "left_out": run.notes().1,
        },
        "sources": head.map(|head| &head.sources),
        "host": head.map(|head| &head.host),
        "settings": settings,
    });
    if let Some(fleet) = run.fleet() {
        value["fleet"] = fleet::json(fleet);
    }
    super::pretty(&value)
}

fn wdl_json(sum: Wdl) -> Value {
    json!({ "wins": sum.wins, "draws": sum.draws, "losses": sum.losses })
}

/// Points as a number of the scale.
fn points_json(points: Points, units: u32) -> Value {
    match points {
        Points::TwoOneZero => json!(units),
        Points::OneHalfZero => json!(f64::from(units) / 2.0),
    }
}

fn stage_json(run: &Run, sheet: &Sheet) -> Value {
    let standings = sheet.rows.iter().map(|row| {
        let line = &row.line;
        json!({
            "rank": line.rank,
            "engine": run.name(row.entrant),
            "games": line.total().games(),
            "points": points_json(sheet.points, line.points),
            "red": wdl_json(line.red),
            "black": wdl_json(line.black),
            "decided_by": decided(line.decided, sheet.points, Lang::English),
        })
    });
    json!({ "name": sheet.stage, "standings": standings.collect::<Vec<_>>() })
}

fn match_json(run: &Run, score: MatchScore) -> Value {
    let total = score.total();
    let games = total.games();
    let sample = score.sample();
    let share = (games > 0).then(|| f64::from(total.units()) / f64::from(2 * games));
    json!({
        "engine": run.name(0),
        "opponent": run.name(1),
        "total": wdl_json(total),
        "as_red": wdl_json(score.red),
        "as_black": wdl_json(score.black),
        "score": share,
        "pairs": score.pairs.map(|pairs| json!({ "finished": pairs.pairs(), "ptnml": pairs.ptnml() })),
        "elo": sample.elo().map(estimate_json),
        "nelo": sample.nelo().map(estimate_json),
        "los": sample.los(),
        "draw_ratio": sample.draw_ratio(),
        "pairs_ratio": score.pairs.and_then(Pentanomial::pairs_ratio),
        "sprt": testing::sprt_json(run),
        "not_counted": score.beside,
    })
}

fn estimate_json(estimate: Estimate) -> Value {
    // A level score gives a zero with a sign, which JSON would show.
    json!({ "value": estimate.value + 0.0, "error": estimate.error })
}

fn faults_json(run: &Run) -> Value {
    let mut engines = Map::new();
    for index in 0..run.entrant_count() {
        let classes = FaultClass::ALL.map(|class| (class.name().to_owned(), run.faults(index, class).into()));
        engines.insert(run.name(index).to_owned(), Value::Object(classes.into_iter().collect()));
    }
    json!({ "total": run.fault_count(), "engines": engines })
}

/// `summary.md`.
pub fn markdown(run: &Run, style: &Style) -> String {
    let lang = style.lang;
    let counts = Counts::of(run);
    let mut out = markdown_standings(run, lang);
    write_ratings(run, lang, &mut out);
    write_counts(&counts, lang, &mut out);
    write_faults(run, lang, &mut out);
    write_notes(run, lang, &mut out);
    out.push_str(&fleet::markdown(run, lang));
    out.push_str(&format!("## {}\n\n{}", lang.pick("Settings", "设置"), markdown_head(run, lang)));
    out
}

/// Ratings where three or more play outside an event under a regulation, which counts points alone.
fn rated(run: &Run) -> Option<Ratings> {
    let open = run.settings().is_some_and(|settings| settings.regulation.is_none());
    let results: Vec<GameResult> = run.results().collect();
    (open && run.entrant_count() > 2).then(|| ratings(run.entrant_count(), &results))
}

fn ratings_json(run: &Run, ratings: &Ratings) -> Value {
    let one = |(index, rating): (usize, &Option<Rating>)| {
        // Tenths of a point are more than the games know.
        let tenths = |value: f64| (value * 10.0).round() / 10.0 + 0.0;
        let (elo, error) = (rating.map(|one| tenths(one.elo)), rating.map(|one| tenths(one.error)));
        json!({ "engine": run.name(index), "elo": elo, "error": error })
    };
    ratings.ratings.iter().enumerate().map(one).collect()
}

fn write_ratings(run: &Run, lang: Lang, out: &mut String) {
    let Some(Ratings { ratings, .. }) = rated(run) else { return };
    out.push_str(lang.pick(
        "## Ratings\n\nMost likely strengths, the mean of all rated being 0; 95 % intervals. Whoever won or lost every \
         game has none.\n\n| Engine | Elo | +/- |\n|:--|--:|--:|\n",
        "## 等级分\n\n最可能的棋力，平均为 0，95 % 区间；全胜或全负者无等级分。\n\n| 棋软 | 等级分 | +/- |\n|:--|--:|--:|\n",
    ));
    let mut order: Vec<usize> = (0..ratings.len()).collect();
    let key = |index: usize| ratings[index].map_or(f64::NEG_INFINITY, |rating| rating.elo);
    order.sort_by(|one, other| key(*other).total_cmp(&key(*one)));
    for index in order {
        let numbers = ratings[index].map_or_else(
            || "- | -".to_owned(),
            |Rating { elo, error }| format!("{:+.0} | {error:.0}", elo + 0.0),
        );
        out.push_str(&format!("| {} | {numbers} |\n", escape_markdown(name(run, index, lang))));
    }
    out.push('\n');
}

fn write_counts(counts: &Counts, lang: Lang, out: &mut String) {
    let [red_wins, draws, black_wins, without] = counts.outcomes;
    let moves = counts.plies.checked_div(counts.games).unwrap_or(0).div_ceil(2);
    out.push_str(&match lang {
        Lang::English => format!(
            "## Games\n\n{} games: Red won {red_wins}, {draws} drawn, Black won {black_wins}, {without} without \
             result; {moves} moves on average.\n\n| How they ended | Games |\n|:--|--:|\n",
            counts.games
        ),
        Lang::Chinese => format!(
            "## 对局\n\n共 {} 局：红胜 {red_wins}，和 {draws}，黑胜 {black_wins}，无结果 {without}；平均 {moves} \
             回合。\n\n| 终局原因 | 局数 |\n|:--|--:|\n",
            counts.games
        ),
    });
    for (kind, games) in &counts.by_kind {
        out.push_str(&format!("| {} | {games} |\n", reasons::kind(kind, lang)));
    }
    out.push('\n');
}

fn write_faults(run: &Run, lang: Lang, out: &mut String) {
    if run.fault_count() == 0 {
        return;
    }
    out.push_str(lang.pick(
        "## Engine faults\n\n| Engine | crash | no answer | illegal move | time |\n|:--|--:|--:|--:|--:|\n",
        "## 引擎故障\n\n| 棋软 | 引擎中止 | 无应答 | 违规着法 | 超时 |\n|:--|--:|--:|--:|--:|\n",
    ));
    for index in 0..run.entrant_count() {
        let numbers = FaultClass::ALL.map(|class| run.faults(index, class).to_string()).join(" | ");
        out.push_str(&format!("| {} | {numbers} |\n", escape_markdown(name(run, index, lang))));
    }
    out.push('\n');
    let lines = faults(run).filter(|game| game.last_line.is_some()).take(NOTES_PRINTED);
    for game in lines {
        let last = game.last_line.as_deref().unwrap_or("");
        let said = lang.pick("last line", "最后输出");
        let line = format!("{}; {said}: {last}", game_line(run, &game, lang));
        out.push_str(&format!("- {}\n", escape_markdown(&line)));
    }
    out.push('\n');
}

fn write_notes(run: &Run, lang: Lang, out: &mut String) {
    let (notes, left_out) = run.notes();
    if notes.is_empty() {
        return;
    }
    out.push_str(&format!("## {}\n\n", lang.pick("Notes", "备注")));
    for note in notes.iter().take(NOTES_PRINTED) {
        let game = note.game.map_or(String::new(), |game| format!("{game} "));
        let entrant = note.entrant.as_ref().map_or(String::new(), |entrant| format!("{entrant}: "));
        out.push_str(&format!(
            "- {}\n",
            escape_markdown(&format!("{game}{entrant}{}", notes::words(note, lang)))
        ));
    }
    let more = notes.len().saturating_sub(NOTES_PRINTED) as u64 + left_out;
    if more > 0 {
        out.push_str(&match lang {
            Lang::English => format!("- and {more} more in the journal\n"),
            Lang::Chinese => format!("- 另有 {more} 条，见日志\n"),
        });
    }
    out.push('\n');
}
