//! Whether a candidate passes a gate, and how that is told to machines that build software: JUnit XML,
//! Markdown, JSON. The candidate is the run's first entrant, the baseline its second. Pure functions of a
//! run. Start at [`verdict`].

use serde_json::{Value, json};

use super::crosstable::{escape_markdown, match_lines, name, wdl};
use super::header;
use super::html::escape;
use super::lang::Lang;
use super::sheet::MatchScore;
use super::testing;
use crate::game::FaultClass;
use crate::record::{Run, Settings};
use crate::tournament::{SprtState, SprtTrial, certain};

/// By what a candidate is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// The run's sequential test: H1 passes, H0 fails.
    Sprt,
    /// At least this score (0 to 1) over all games.
    MinScore(f64),
}

/// What became of the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// It may pass.
    Passed,
    /// It may not.
    Failed,
    /// The games do not tell.
    Undecided,
}

impl Gate {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Gate::Passed => "passed",
            Gate::Failed => "failed",
            Gate::Undecided => "undecided",
        }
    }
}

/// Judges a run. A score counts when all games are played, or when the games left could not change it.
pub fn verdict(run: &Run, rule: Rule) -> Gate {
    match rule {
        Rule::Sprt => match run.trial().and_then(SprtTrial::verdict).map(|verdict| verdict.state) {
            Some(SprtState::H1) => Gate::Passed,
            Some(SprtState::H0) => Gate::Failed,
            Some(SprtState::Undecided) | None => Gate::Undecided,
        },
        Rule::MinScore(least) => {
            let (Some(score), Some(games)) = (MatchScore::of(run), run.settings().and_then(Settings::games))
            else {
                return Gate::Undecided;
            };
            let total = score.total();
            let (all, played) = (2 * games, 2 * u64::from(total.games()));
            match certain(least, total.units().into(), all.saturating_sub(played), all) {
                Some(true) => Gate::Passed,
                Some(false) => Gate::Failed,
                None => Gate::Undecided,
            }
        }
    }
}

/// The verdict in one line.
pub fn line(run: &Run, rule: Rule) -> String {
    let (word, candidate, baseline) =
        (verdict(run, rule).word(), name(run, 0, Lang::English), name(run, 1, Lang::English));
    let total = MatchScore::of(run).unwrap_or_default().total();
    let reason = match rule {
        Rule::Sprt => testing::sprt_line(run, Lang::English).unwrap_or_default(),
        Rule::MinScore(least) => format!("score {}, at least {least} wanted", score_text(run)),
    };
    format!("Gate {word}: {candidate} against {baseline}, W-D-L {}; {reason}", wdl(total))
}

fn score(run: &Run) -> Option<f64> {
    let total = MatchScore::of(run)?.total();
    (total.games() > 0).then(|| f64::from(total.units()) / f64::from(2 * total.games()))
}

fn score_text(run: &Run) -> String {
    score(run).map_or_else(|| "n/a".to_owned(), |score| format!("{score:.4}"))
}

fn faults(run: &Run, index: usize) -> u32 {
    FaultClass::ALL.into_iter().map(|class| run.faults(index, class)).sum()
}

/// The gate for programs.
pub fn json(run: &Run, rule: Rule) -> String {
    let total = MatchScore::of(run).unwrap_or_default().total();
    let engines = (0..run.entrant_count()).map(|index| {
        let classes = FaultClass::ALL.map(|class| (class.name().to_owned(), run.faults(index, class).into()));
        json!({ "name": run.name(index), "faults": Value::Object(classes.into_iter().collect()) })
    });
    super::pretty(&json!({
        "gate": verdict(run, rule).word(),
        "rule": match rule {
            Rule::Sprt => json!("sprt"),
            Rule::MinScore(least) => json!({ "min_score": least }),
        },
        "candidate": run.name(0),
        "baseline": run.name(1),
        "wins": total.wins,
        "draws": total.draws,
        "losses": total.losses,
        "score": score(run),
        "sprt": testing::sprt_json(run),
        "engines": engines.collect::<Vec<_>>(),
        "over": run.over(),
        "interrupted": run.interrupted(),
    }))
}

/// The gate as JUnit XML: one case for the verdict, one for the faults of each engine. An undecided gate
/// is an error, a failed one a failure; faults are failures only if none is allowed.
pub fn junit(run: &Run, rule: Rule, strict: bool) -> String {
    let line = escape(&line(run, rule));
    let seconds = run.last().0 as f64 / 1e6;
    let gate = match verdict(run, rule) {
        Gate::Passed => String::new(),
        Gate::Failed => format!("<failure message=\"{line}\"/>"),
        Gate::Undecided => format!("<error message=\"{line}\"/>"),
    };
    let (mut cases, mut failures) = (String::new(), u32::from(verdict(run, rule) == Gate::Failed));
    let errors = u32::from(verdict(run, rule) == Gate::Undecided);
    for index in 0..run.entrant_count() {
        let (count, engine) = (faults(run, index), escape(run.name(index)));
        let said = format!("{count} games lost by crash, stall, illegal move or time");
        let body = if strict && count > 0 {
            failures += 1;
            format!("<failure message=\"{said}\"/>")
        } else {
            String::new()
        };
        cases.push_str(&format!(
            "    <testcase classname=\"chuhe.gate\" name=\"faults of {engine}\" time=\"0\">{body}\
             <system-out>{said}</system-out></testcase>\n"
        ));
    }
    let event = escape(run.settings().map_or("gate", |settings| settings.event.as_str()));
    let tests = 1 + run.entrant_count();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{event}\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">\n    <testcase \
         classname=\"chuhe.gate\" name=\"gate\" time=\"{seconds:.3}\">{gate}<system-out>{line}</system-out>\
         </testcase>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

/// The gate for people who read a build's page.
pub fn markdown(run: &Run, rule: Rule) -> String {
    let word = verdict(run, rule).word();
    let (candidate, baseline) = (run.name(0), run.name(1));
    let mut out =
        format!("## Gate {word}: {} against {}\n\n", escape_markdown(candidate), escape_markdown(baseline));
    if let (Some(score), Some(settings)) = (MatchScore::of(run), run.settings()) {
        for line in match_lines(run, score, settings.points(), Lang::English) {
            out.push_str(&format!("- {}\n", escape_markdown(&line)));
        }
    }
    if let Rule::MinScore(least) = rule {
        out.push_str(&format!("- score {}, at least {least} wanted\n", score_text(run)));
    }
    out.push_str("\n| Engine | crash | no answer | illegal move | time |\n|:--|--:|--:|--:|--:|\n");
    for index in 0..run.entrant_count() {
        let numbers = FaultClass::ALL.map(|class| run.faults(index, class).to_string()).join(" | ");
        out.push_str(&format!("| {} | {numbers} |\n", escape_markdown(run.name(index))));
    }
    out.push_str("\n<details><summary>Settings</summary>\n\n| Setting | Value |\n|:--|:--|\n");
    for (label, fact) in header::facts(run, Lang::English) {
        out.push_str(&format!("| {} | {} |\n", escape_markdown(&label), escape_markdown(&fact)));
    }
    out.push_str("\n</details>\n");
    out
}
