//! Estimates and tests against numbers that other programs published or that were computed
//! independently from the published formulas (`stats-vectors.json` of the shared data). Every vector is
//! either checked or listed in [`LEFT_OUT`] with a reason; one that is neither fails.
//!
//! Tolerances: recomputed numbers 1e-6 of the value (they are given with ten digits; values near zero
//! 1e-9); numbers as other programs printed them half a unit of their last digit, and 1 % where the
//! source itself allows 1 % (fastchess's tests). Other programs' variants of a formula that we do not
//! use are compared with a tolerance that is named where it is used.

mod support;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use chuhe::config::{self, Overrides};
use chuhe::director::{Assignment, Director, Early, Finish, Order};
use chuhe::game::Outcome;
use chuhe::plan::Plan;
use chuhe::record::{Event, FORMAT, Host, Run, RunBegan, Settings, What};
use chuhe::runner::DiskFiles;
use chuhe::time::At;
use chuhe::tournament::{
    Chance, Estimate, GameResult, Model, NELO_UNIT, Pentanomial, Sample, Sprt, SprtState, SprtTrial, Wdl,
    Z_95, elo_of_score,
};
use serde_json::Value;

/// Vectors that do not concern us, by their `what`, and why.
const LEFT_OUT: [(&str, &str); 4] = [
    (
        "sprt_llr cutechess",
        "adds half a game to each count and rescales the bounds; we offer fastchess's models",
    ),
    ("sprt_llr c-chess-cli approximation", "an approximation of the logistic ratio that we compute exactly"),
    ("fishtest SPRT_elo", "Elo after a sequential stop (median-unbiased) is not reported by us"),
    ("UCCI league Elo update", "a rating list's running update, not an estimate from a match"),
];

fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key)?.as_f64()
}

fn count(value: &Value, key: &str) -> Option<u32> {
    value.get(key)?.as_u64().and_then(|count| u32::try_from(count).ok())
}

fn counts(value: &Value, key: &str) -> Option<Vec<u32>> {
    value.get(key)?.as_array()?.iter().map(|one| one.as_u64().and_then(|n| u32::try_from(n).ok())).collect()
}

/// The games or pairs of a vector in whichever form it gives them.
fn samples(inputs: &Value) -> Vec<Sample> {
    let mut samples = Vec::new();
    for key in ["ptnml(0-2)", "freq_low_to_high", "LDW"] {
        match counts(inputs, key).as_deref() {
            Some(&[ll, ld, level, wd, ww]) => {
                samples.push(Pentanomial { ll, ld, wl: level, dd: 0, wd, ww }.into());
            }
            Some(&[losses, draws, wins]) => samples.push(Wdl { wins, draws, losses }.into()),
            Some(_) | None => {}
        }
    }
    if let (Some(ll), Some(ld), Some(wl), Some(dd), Some(wd), Some(ww)) = (
        count(inputs, "LL"),
        count(inputs, "LD"),
        count(inputs, "WL"),
        count(inputs, "DD"),
        count(inputs, "WD"),
        count(inputs, "WW"),
    ) {
        samples.push(Pentanomial { ll, ld, wl, dd, wd, ww }.into());
    }
    if let (true, Some(wins), Some(draws), Some(losses)) =
        (samples.is_empty(), count(inputs, "wins"), count(inputs, "draws"), count(inputs, "losses"))
    {
        samples.push(Wdl { wins, draws, losses }.into());
    }
    samples
}

fn sprt(inputs: &Value, model: Model) -> Sprt {
    let bounds = counts_of_bounds(inputs);
    Sprt {
        elo0: number(inputs, "elo0").unwrap_or(bounds.0),
        elo1: number(inputs, "elo1").unwrap_or(bounds.1),
        alpha: number(inputs, "alpha").unwrap_or(0.05),
        beta: number(inputs, "beta").unwrap_or(0.05),
        model,
    }
}

fn counts_of_bounds(inputs: &Value) -> (f64, f64) {
    let bound = |place: usize| inputs["bounds"].get(place).and_then(Value::as_f64).unwrap_or(f64::NAN);
    (bound(0), bound(1))
}

/// What was compared, and what went wrong.
#[derive(Default)]
struct Report {
    compared: usize,
    wrong: Vec<String>,
}

impl Report {
    fn near(&mut self, what: &str, found: Option<f64>, expected: Option<f64>, relative: f64) {
        let Some(expected) = expected else { return };
        self.compared += 1;
        let allowed = (expected.abs() * relative).max(1e-9);
        if found.is_none_or(|found| (found - expected).abs() > allowed) {
            self.wrong.push(format!("{what}: found {found:?}, expected {expected} within {allowed:e}"));
        }
    }

    fn printed(&mut self, what: &str, found: Option<f64>, text: Option<&str>) {
        let Some(text) = text.map(|text| text.trim_end_matches([' ', '%'])) else { return };
        self.compared += 1;
        let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let found = found.map(|found| format!("{found:.digits$}"));
        if found.as_deref() != Some(text) && found.as_deref() != Some(&format!("-{text}")) {
            self.wrong.push(format!("{what}: prints {found:?}, expected {text}"));
        }
    }
}

const EXACT: f64 = 1e-6;
const AS_PUBLISHED: f64 = 1e-2;

fn value(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|estimate| estimate.value)
}

fn error(estimate: Option<Estimate>) -> Option<f64> {
    estimate.and_then(|estimate| estimate.error)
}

fn pairs_of(sample: Sample) -> Pentanomial {
    match sample {
        Sample::Pairs(pairs) => pairs,
        Sample::Games(_) => Pentanomial::default(),
    }
}

/// Everything that a match block may state: by number, by recomputed number and as printed.
fn estimates(what: &str, sample: Sample, outputs: &Value, report: &mut Report) {
    let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
    let pairs = pairs_of(sample);
    for (part, tolerance) in [("recomputed", EXACT), ("published", AS_PUBLISHED)] {
        let stated = &outputs[part];
        for (key, found) in [
            ("score", sample.score()),
            ("variance", sample.variance()),
            ("elo", value(sample.elo())),
            ("elo_err", error(sample.elo())),
            ("nelo", value(sample.nelo())),
            ("nelo_err", error(sample.nelo())),
            ("los", sample.los()),
            ("pairs", Some(f64::from(sample.size()))),
            ("draw_ratio_pct", percent(sample.draw_ratio())),
            ("draw_ratio_penta_pct", percent(sample.draw_ratio())),
            ("pairs_ratio", pairs.pairs_ratio()),
            ("wl_dd_ratio", pairs.wl_dd_ratio()),
            ("points_pct", percent(sample.score())),
        ] {
            // A likelihood of less than 1e-10 is given as 0.
            let tolerance = if key == "los" { tolerance.max(1e-5) } else { tolerance };
            report.near(&format!("{what} {part} {key}"), found, number(stated, key), tolerance);
        }
    }
    let text = |key: &str| outputs["published"].get(key).and_then(Value::as_str);
    for (key, estimate) in [("elo", sample.elo()), ("nelo", sample.nelo())] {
        if let Some((middle, spread)) = text(key).and_then(|text| text.split_once(" +/- ")) {
            report.printed(&format!("{what} {key}"), value(estimate), Some(middle));
            report.printed(&format!("{what} {key} error"), error(estimate), Some(spread));
        }
    }
    report.printed(&format!("{what} los"), percent(sample.los()), text("los"));
    report.printed(&format!("{what} draws"), percent(sample.draw_ratio()), text("draw_ratio"));
    report.printed(&format!("{what} pairs ratio"), pairs.pairs_ratio(), text("pairs_ratio"));
}

/// A degenerate block: we say that nothing is defined where others print infinities.
fn degenerate(what: &str, sample: Sample, report: &mut Report) {
    report.compared += 1;
    let pairs = pairs_of(sample);
    if sample.elo().is_some() || sample.nelo().is_some() || pairs.wl_dd_ratio().is_some() {
        report.wrong.push(format!("{what}: defined"));
    }
    report.printed(what, sample.los().map(|los| 100.0 * los), Some("0.00 %"));
    report.printed(what, pairs.pairs_ratio(), Some("0.00"));
}

/// fishtest puts 0.001 for classes never seen; where all were seen the numbers are ours.
fn fishtest(what: &str, sample: Sample, outputs: &Value, report: &mut Report) {
    if sample.classes().iter().any(|(_, count)| *count == 0) {
        report.compared += 1;
        if sample.elo().is_some() {
            report.wrong.push(format!("{what}: an Elo from nothing"));
        }
        return;
    }
    report.near(what, value(sample.elo()), number(outputs, "elo"), EXACT);
    report.near(what, error(sample.elo()), number(outputs, "elo95"), EXACT);
    report.near(what, sample.los(), number(outputs, "los"), EXACT);
}

/// OpenBench's interval uses Student's distribution: with thousands of games within 1e-3 of ours.
fn openbench_elo(what: &str, sample: Sample, outputs: &Value, report: &mut Report) {
    report.near(what, value(sample.elo()), number(outputs, "elo"), EXACT);
    let half = |low: f64, high: f64| (high - low) / 2.0;
    let interval = number(outputs, "elo_low").zip(number(outputs, "elo_high"));
    report.near(what, error(sample.elo()), interval.map(|(low, high)| half(low, high)), 1e-3);
}

/// A line as OpenBench prints it: Elo, error, 95, LLR, both bounds, each within 0.01 of ours. One of the
/// lines takes its error from the single games, beside a ratio from the pairs.
fn published_line(what: &str, sample: Sample, inputs: &Value, outputs: &Value, report: &mut Report) {
    let test = Sprt { beta: 0.1, ..sprt(inputs, Model::Normalized) };
    let llr = test.llr(sample);
    report.near(what, llr, number(outputs, "recomputed_llr"), EXACT);
    let line = outputs["published"].as_str().expect("a line");
    let printed: Vec<f64> = line
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .filter_map(|word| word.parse().ok())
        .collect();
    let &[elo, spread, _, ratio, lower, upper] = printed.as_slice() else { panic!("{line}: {printed:?}") };
    let single = count(inputs, "W").zip(count(inputs, "D")).zip(count(inputs, "L"));
    let games = single.map(|((wins, draws), losses)| Sample::from(Wdl { wins, draws, losses }));
    let near =
        |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 0.0101);
    report.compared += 1;
    let spread_fits =
        near(error(sample.elo()), spread) || near(games.and_then(|all| error(all.elo())), spread);
    let bounds_fit = near(Some(test.bounds().0), lower) && near(Some(test.bounds().1), upper);
    if !(near(value(sample.elo()), elo) && spread_fits && near(llr, ratio) && bounds_fit) {
        report.wrong.push(format!("{what}: {line}: {:?} {games:?} {llr:?}", sample.elo()));
    }
}

/// BayesElo by the plain multinomial (OpenBench, old fishtest) differs from fastchess's by scores, which
/// is ours, by less than two thousandths of the value.
const PLAIN_MULTINOMIAL: f64 = 2e-3;
/// The closed form seen for the normalized model is an approximation.
const CLOSED_FORM: f64 = 1e-3;

fn ratios(what: &str, inputs: &Value, outputs: &Value, report: &mut Report) {
    for sample in samples(inputs) {
        let llr = |model| sprt(inputs, model).llr(sample);
        let of_games = matches!(sample, Sample::Games(_));
        let named = Model::ALL.into_iter().find(|model| what.contains(model.name()));
        if let Some(model) = named {
            report.near(what, llr(model), number(outputs, "llr_recomputed"), EXACT);
            report.near(what, llr(model), number(outputs, "llr_recomputed_score_space_GLLR"), EXACT);
            report.near(
                what,
                llr(model),
                number(outputs, "llr_recomputed_plain_multinomial"),
                PLAIN_MULTINOMIAL,
            );
            report.near(what, llr(model), number(outputs, "llr_published"), AS_PUBLISHED);
        }
        for (key, model, relative) in [
            ("normalized", Model::Normalized, EXACT),
            ("logistic", Model::Logistic, EXACT),
            ("logistic_GLLR", Model::Logistic, EXACT),
            ("bayeselo_plain", Model::Bayesian, PLAIN_MULTINOMIAL),
            ("recomputed_logistic_GLLR", Model::Logistic, EXACT),
            ("recomputed_normalized", Model::Normalized, EXACT),
            ("recomputed_bayeselo", Model::Bayesian, PLAIN_MULTINOMIAL),
            ("trinomial_bayeselo", Model::Bayesian, PLAIN_MULTINOMIAL),
            ("penta_normalized", Model::Normalized, EXACT),
            ("penta_normalized_alt(closed form)", Model::Normalized, CLOSED_FORM),
        ] {
            let of_pairs = key.starts_with("penta");
            let fits = !(of_pairs && of_games || key.starts_with("trinomial") && !of_games);
            if fits {
                report.near(&format!("{what} {key}"), llr(model), number(outputs, key), relative);
            }
        }
        if what.starts_with("fishtest update_SPRT") {
            report.near(what, llr(Model::Logistic), number(outputs, "llr"), EXACT);
        }
    }
}

fn bounds(what: &str, inputs: &Value, outputs: &Value, report: &mut Report) {
    let (lower, upper) = Sprt { elo0: 0.0, elo1: 1.0, ..sprt(inputs, Model::Normalized) }.bounds();
    report.near(what, Some(lower), number(outputs, "lower=ln(beta/(1-alpha))"), EXACT);
    report.near(what, Some(upper), number(outputs, "upper=ln((1-beta)/alpha)"), EXACT);
}

fn pair_index(outputs: &Value, report: &mut Report) {
    let score = |token: &str, first: bool| match token {
        "1/2-1/2" => 1,
        "1-0" => 2 * u32::from(first),
        "0-1" => 2 * u32::from(!first),
        other => panic!("no result: {other}"),
    };
    for (pair, index) in outputs["examples"].as_object().into_iter().flatten() {
        let (first, second) = pair.split_once(',').expect("two results");
        let mut pairs = Pentanomial::default();
        pairs.add(score(first, true), score(second, false));
        report.compared += 1;
        if pairs.ptnml().iter().position(|count| *count == 1) != index.as_u64().map(|index| index as usize) {
            report.wrong.push(format!("{pair}: {pairs:?}"));
        }
    }
}

/// Checks one vector; says whether it was known.
fn check(vector: &Value, report: &mut Report) -> bool {
    let what = vector["what"].as_str().expect("a name");
    let (inputs, outputs) = (&vector["inputs"], &vector["outputs"]);
    let before = report.compared;
    match what {
        "constants" => {
            report.near(what, Some(Z_95), number(outputs, "z_95"), EXACT);
            report.near(what, Some(NELO_UNIT), number(outputs, "nelo_per_nt = 800/ln(10)"), EXACT);
        }
        "sprt_bounds" => bounds(what, inputs, outputs, report),
        "pair -> pentanomial index" => pair_index(outputs, report),
        "fastchess live run block, degenerate" => {
            samples(inputs).into_iter().for_each(|sample| degenerate(what, sample, report));
        }
        "OpenBench published commit line" => {
            samples(inputs)
                .into_iter()
                .for_each(|sample| published_line(what, sample, inputs, outputs, report));
        }
        "sprt_llr normalized pentanomial + nElo" => {
            let test = sprt(inputs, Model::Normalized);
            for sample in samples(inputs) {
                estimates(what, sample, outputs, report);
                report.near(what, test.llr(sample), number(&outputs["recomputed"], "llr"), EXACT);
                assert_eq!(test.state(sample), SprtState::H1);
            }
        }
        _ if what.starts_with("elo OpenBench") => {
            samples(inputs).into_iter().for_each(|sample| openbench_elo(what, sample, outputs, report));
        }
        _ if what.starts_with("get_elo fishtest") => {
            samples(inputs).into_iter().for_each(|sample| fishtest(what, sample, outputs, report));
        }
        _ if what.starts_with("LOS cutechess") => {
            let wdl = |key| count(inputs, key).expect("a count");
            let games = Wdl { wins: wdl("wins"), draws: wdl("draws"), losses: wdl("losses") };
            let found = games.los_of_decided().map(|los| 100.0 * los);
            report.near(what, found, number(outputs, "los_pct"), EXACT);
        }
        _ if what.contains("llr") || what.contains("LLR") || what.contains("SPRT") => {
            ratios(what, inputs, outputs, report);
        }
        _ => samples(inputs).into_iter().for_each(|sample| estimates(what, sample, outputs, report)),
    }
    report.compared > before
}

#[test]
fn published_and_recomputed_numbers() {
    let Some(path) = support::shared("stats-vectors.json") else { return };
    let text = std::fs::read_to_string(path).expect("readable");
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("a list");
    let (mut report, mut checked, mut left_out) = (Report::default(), 0, 0);
    for vector in &vectors {
        let what = vector["what"].as_str().expect("a name");
        if LEFT_OUT.iter().any(|(name, _)| what.starts_with(name)) {
            left_out += 1;
            continue;
        }
        let known = check(vector, &mut report);
        assert!(known, "nothing of this vector was compared: {vector}");
        checked += 1;
    }
    println!("{checked} vectors checked by {} comparisons, {left_out} left out:", report.compared);
    LEFT_OUT.iter().for_each(|(name, reason)| println!("  {name}: {reason}"));
    assert!(report.wrong.is_empty(), "{} wrong:\n{}", report.wrong.len(), report.wrong.join("\n"));
}

#[test]
fn scores_and_elo_are_inverse() {
    for elo in [-400.0, -7.5, 0.0, 20.0, 800.0] {
        let back = elo_of_score(chuhe::tournament::score_of_elo(elo)).expect("defined");
        assert!((back - elo).abs() < 1e-9, "{elo} {back}");
    }
}

/// Runs of one sequential test; fewer without optimisation. `CHUHE_SPRT_RUNS` says otherwise.
const TESTS: u32 = if cfg!(debug_assertions) { 100 } else { 2_000 };
/// Games at once in these runs.
const AT_ONCE: usize = 8;

/// The plan of a test at [0, 30] normalized and its run, which has only begun.
fn sequential_test() -> (Arc<Plan>, Run) {
    let text = r#"{
        "entrants": [{ "name": "New", "engine": "sparring" }, { "name": "Old", "engine": "sparring" }],
        "format": { "type": "pairs", "pairs": 100000 },
        "sprt": { "elo0": 0, "elo1": 30, "alpha": 0.05, "beta": 0.05, "model": "normalized" }
    }"#;
    let plan = config::read(text, ".", &DiskFiles, &Overrides::default()).expect("it is right").plan;
    let head = RunBegan {
        format: FORMAT,
        program: "simulation".to_owned(),
        settings: Settings::of(&plan),
        config: Value::Null,
        base: "/".to_owned(),
        sources: std::collections::BTreeMap::new(),
        date: "2006-09-01T09:00:00+08:00".to_owned(),
        host: Host { cpu: "none".into(), threads: 1, memory_mib: 1, system: "none".into(), cores: None },
    };
    let mut run = Run::new();
    run.apply(&Event { seq: 0, at: At::ZERO, what: What::RunBegan(Box::new(head)) }).expect("a head fits");
    (Arc::new(plan), run)
}

/// A game's result and its length in virtual time: half of all drawn, `wins` of a thousand won by entrant 0.
fn played(game: &Assignment, wins: u32, chance: &mut Chance) -> (u64, GameResult) {
    let (red, black) = (game.seats.red, game.seats.black);
    let own = |won: bool| if won == (red == 0) { Outcome::RedWins } else { Outcome::BlackWins };
    let outcome = match chance.below(1000) {
        won if won < wins => own(true),
        drawn if drawn < wins + 500 => Outcome::Draw,
        _ => own(false),
    };
    // Games of very different lengths, so that they end in another order than they begin.
    (1 + u64::from(chance.below(100_000)), GameResult { id: game.id, red, black, outcome })
}

/// One whole match by the director, several games at once in virtual time; how it ended, and after how many
/// pairs the test was decided.
fn decided(plan: &Arc<Plan>, begun: &Run, wins: u32, chance: &mut Chance) -> (Finish, u32) {
    let mut director = Director::new(Arc::clone(plan), begun);
    let mut trial = SprtTrial::new(plan.sprt.expect("a test"));
    let (mut now, mut running) = (0, BinaryHeap::new());
    let mut results = std::collections::HashMap::new();
    loop {
        while running.len() < AT_ONCE {
            let Order::Play(game) = director.next_order() else { break };
            let (took, result) = played(&game, wins, chance);
            running.push(Reverse((now + took, result.id)));
            results.insert(result.id, result);
        }
        let Some(Reverse((at, id))) = running.pop() else { break };
        now = at;
        let result = results.remove(&id).expect("it was begun");
        trial.add(&result);
        director.over(id, Some(result));
        if director.is_decided() {
            running.drain().for_each(|Reverse((_, id))| director.abandoned(id));
        }
    }
    let pairs = trial.verdict().expect("decided").counts.pairs();
    (director.finish(), pairs)
}

/// Of tests at the bounds [0, 30] with a twentieth of errors allowed, on matches of which the truth is
/// known: errors within three standard errors of that, length near Wald's 355 pairs.
#[test]
fn sequential_tests_keep_their_error_rates() {
    let runs = std::env::var("CHUHE_SPRT_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(TESTS);
    let (plan, begun) = sequential_test();
    // 280.4 wins in a thousand with half drawn are 30 normalized Elo.
    for (truth, wins, seed) in [(Early::SprtH0, 250, 1), (Early::SprtH1, 280, 2)] {
        let mut chance = Chance::new(seed, "simulated matches");
        let (mut wrong, mut pairs) = (0, 0);
        for _ in 0..runs {
            let (finish, length) = decided(&plan, &begun, wins, &mut chance);
            assert!(matches!(finish, Finish::Early(Early::SprtH0 | Early::SprtH1)), "{finish:?}");
            wrong += u32::from(finish != Finish::Early(truth));
            pairs += length;
        }
        let most = 0.05 + 3.0 * (0.05 * 0.95 / f64::from(runs)).sqrt();
        let rate = f64::from(wrong) / f64::from(runs);
        println!(
            "{truth:?} true: {wrong} of {runs} wrong ({rate:.4}, at most {most:.4}), {} pairs on average",
            pairs / runs
        );
        assert!(rate <= most, "{truth:?}: {rate} > {most}");
        assert!((300..410).contains(&(pairs / runs)), "{} pairs", pairs / runs);
    }
}
