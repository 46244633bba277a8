//! The statistics of a match as lines and JSON: what the sequential test says, always with its model and
//! bounds, and estimates of strength. What is undefined is `n/a` or null. Start at [`sprt_line`].

use serde_json::{Value, json};

use super::lang::Lang;
use super::sheet::MatchScore;
use crate::record::Run;
use crate::tournament::{Estimate, Sprt, SprtState, SprtTrial};

/// The log likelihood ratio that stands: the deciding one once there is a verdict.
fn standing(trial: &SprtTrial) -> (Option<f64>, SprtState, u32) {
    match trial.verdict() {
        Some(verdict) => (Some(verdict.llr), verdict.state, verdict.counts.pairs()),
        None => (trial.llr(), SprtState::Undecided, trial.counts().pairs()),
    }
}

/// How far the ratio is on its way to the bound on its side, in per cent, negative towards H0.
pub fn percent(sprt: &Sprt, llr: f64) -> f64 {
    let (lower, upper) = sprt.bounds();
    100.0 * if llr < 0.0 { -llr / lower } else { llr / upper }
}

/// A number with two decimals, or `n/a`.
fn number(value: Option<f64>) -> String {
    // Adding zero takes the sign off a zero.
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{:.2}", value + 0.0))
}

/// The test in one line, if the run has one: `LLR 1.20 (40.8 %) in (-2.94, 2.94), SPRT [0.00, 5.00]
/// normalized: undecided after 120 pairs`.
pub fn sprt_line(run: &Run, lang: Lang) -> Option<String> {
    let trial = run.trial()?;
    let sprt = trial.sprt();
    let (llr, state, pairs) = standing(trial);
    let (lower, upper) = sprt.bounds();
    let share = llr.map_or(String::new(), |llr| format!(" ({:.1} %)", percent(sprt, llr) + 0.0));
    let test = format!(
        "LLR {}{share} in ({lower:.2}, {upper:.2}), SPRT [{:.2}, {:.2}] {}",
        number(llr),
        sprt.elo0,
        sprt.elo1,
        sprt.model.name()
    );
    Some(match (lang, state) {
        (Lang::English, SprtState::Undecided) => format!("{test}: undecided after {pairs} pairs"),
        (Lang::English, SprtState::H0) => format!("{test}: H0 accepted after {pairs} pairs"),
        (Lang::English, SprtState::H1) => format!("{test}: H1 accepted after {pairs} pairs"),
        (Lang::Chinese, SprtState::Undecided) => format!("{test}：{pairs} 对后未决"),
        (Lang::Chinese, SprtState::H0) => format!("{test}：{pairs} 对后接受 H0"),
        (Lang::Chinese, SprtState::H1) => format!("{test}：{pairs} 对后接受 H1"),
    })
}

/// Normalized Elo and the counts of pairs in one line; `None` if no pair is finished.
pub fn pairs_line(score: MatchScore, lang: Lang) -> Option<String> {
    let pairs = score.pairs.filter(|pairs| pairs.pairs() > 0)?;
    let nelo = score.sample().nelo();
    let error = nelo.and_then(|nelo| nelo.error).map_or(String::new(), |error| format!(" +/- {error:.1}"));
    let nelo =
        nelo.map_or_else(|| "n/a".to_owned(), |Estimate { value, .. }| format!("{:+.1}{error}", value + 0.0));
    let [ll, ld, level, wd, ww] = pairs.ptnml();
    let count = pairs.pairs();
    Some(match lang {
        Lang::English => format!("{count} pairs by points 0-2: {ll}, {ld}, {level}, {wd}, {ww}; nElo {nelo}"),
        Lang::Chinese => {
            format!("{count} 对，按得分 0-2 计：{ll}、{ld}、{level}、{wd}、{ww}；标准化等级分差 {nelo}")
        }
    })
}

/// Says how many games were finished beside those that decided the test.
pub fn beside_line(score: MatchScore, lang: Lang) -> Option<String> {
    let games = score.beside;
    (games > 0).then(|| match lang {
        Lang::English => {
            format!("{games} more finished before the test was decided and are not counted here")
        }
        Lang::Chinese => format!("另有 {games} 局在裁定前结束，未计入"),
    })
}

/// The test as JSON; null if the run has none.
pub fn sprt_json(run: &Run) -> Value {
    let Some(trial) = run.trial() else { return Value::Null };
    let sprt = trial.sprt();
    let (llr, state, pairs) = standing(trial);
    let (lower, upper) = sprt.bounds();
    let verdict = match state {
        SprtState::Undecided => Value::Null,
        SprtState::H0 => json!("H0"),
        SprtState::H1 => json!("H1"),
    };
    json!({
        "model": sprt.model.name(),
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "lower": lower,
        "upper": upper,
        "llr": llr,
        "pairs": pairs,
        "verdict": verdict,
    })
}
