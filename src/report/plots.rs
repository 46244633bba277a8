//! What is plotted of a run: score and Elo, the path of a sequential test, time used by move, lengths and
//! ends of games. Each is a function of the run and its album, in one language, small however long the
//! run. Never estimates anything itself. Start at [`plots`].

use std::collections::BTreeMap;

use super::Style;
use super::album::{Album, MOVES_TIMED};
use super::chart::{Chart, Range, nothing};
use super::crosstable::name;
use super::lang::Lang;
use super::reasons;
use crate::record::Run;
use crate::tournament::{GameResult, Pentanomial, Sample, SprtTrial, Wdl, ratings};

/// Most points of a line.
const POINTS: usize = 300;
/// Most entrants that have a line.
const LINES: usize = 8;
/// Widest error of an estimate that is drawn, in Elo.
const WIDEST: f64 = 400.0;

/// A plot of a run.
pub type Plot = fn(&Run, &Album, Lang) -> String;

/// The plots that say something of a run.
pub fn plots(run: &Run) -> impl Iterator<Item = Plot> {
    let test: Option<Plot> = run.trial().map(|_| sprt as Plot);
    let first: [Plot; 2] = [score, elo];
    let rest: [Plot; 3] = [clocks, lengths, endings];
    first.into_iter().chain(test).chain(rest)
}

macro_rules! file {
    ($name:ident, $plot:ident, $file:literal) => {
        #[doc = concat!("`", $file, "`.")]
        pub fn $name(run: &Run, album: &Album, style: &Style) -> String {
            $plot(run, album, style.lang)
        }
    };
}

file!(score_file, score, "plot-score.svg");
file!(elo_file, elo, "plot-elo.svg");
file!(sprt_file, sprt, "plot-sprt.svg");
file!(clocks_file, clocks, "plot-clocks.svg");
file!(lengths_file, lengths, "plot-lengths.svg");
file!(endings_file, endings, "plot-endings.svg");

/// Whether the point after so many of all is drawn: the last always is.
fn is_drawn(count: usize, all: usize) -> bool {
    count == all || count.is_multiple_of(all.div_ceil(POINTS).max(1))
}

const fn no_games(lang: Lang) -> &'static str {
    lang.pick("No game has a result yet.", "尚无有结果的对局。")
}

/// Points won of points played by each entrant, in the order of the schedule.
fn score(run: &Run, _album: &Album, lang: Lang) -> String {
    let title = lang.pick("Score over games", "得分率变化");
    let results: Vec<GameResult> = run.results().collect();
    if results.is_empty() {
        return nothing(title, no_games(lang));
    }
    let entrants: Vec<usize> = match run.entrant_count() {
        2 => vec![0],
        count => (0..count.min(LINES)).collect(),
    };
    let lines: Vec<Vec<(f64, f64)>> = entrants
        .iter()
        .map(|entrant| {
            let own: Vec<u32> = results.iter().filter_map(|game| game.score_of(*entrant)).collect();
            let mut sum = 0.0;
            let each = own.iter().enumerate().map(|(place, units)| {
                sum += f64::from(*units);
                (place + 1, 50.0 * sum / (place + 1) as f64)
            });
            each.filter(|(count, _)| is_drawn(*count, own.len()))
                .map(|(n, share)| (n as f64, share))
                .collect()
        })
        .collect();
    let most = lines.iter().flatten().map(|(games, _)| *games).fold(1.0, f64::max);
    let x = (Range { from: 0.0, to: most }, lang.pick("games played", "已赛局数"));
    // The first games, in which anything is possible, do not set the scale of a long match.
    let settled = lines.iter().flatten().filter(|(games, _)| *games * 50.0 >= most).map(|(_, share)| *share);
    let Range { from, to } = Range::around(settled.chain([45.0, 55.0]));
    let y = (Range { from: from.max(0.0), to: to.min(100.0) }, lang.pick("score in %", "得分率（%）"));
    let mut chart = Chart::new(title, x, y);
    chart.level(50.0, "");
    for (series, (entrant, line)) in entrants.iter().zip(&lines).enumerate() {
        chart.line(series, name(run, *entrant, lang), line);
    }
    chart.svg()
}

/// Elo with its error: of a match as it went, of more entrants as it stands.
fn elo(run: &Run, _album: &Album, lang: Lang) -> String {
    if run.entrant_count() == 2 { elo_of_match(run, lang) } else { elo_of_field(run, lang) }
}

/// Finished pairs from the first on without a gap, up to the one that decided a test: the counts after
/// each, where games come in pairs of exchanged colours.
fn pairs(run: &Run) -> Vec<Pentanomial> {
    let mut units: BTreeMap<u32, [Option<u32>; 2]> = BTreeMap::new();
    for game in run.results().filter(|game| game.id.stage == 1 && game.id.leg <= 2) {
        let legs = units.entry(game.id.round).or_default();
        legs[usize::from(game.id.leg.max(1) - 1)] = game.score_of(0);
    }
    let last = run.trial().and_then(SprtTrial::verdict).map_or(u32::MAX, |verdict| verdict.counts.pairs());
    let mut counts = Pentanomial::default();
    let mut all = Vec::new();
    for (nth, (round, legs)) in (1..=last).zip(units) {
        let [Some(first), Some(second)] = legs else { break };
        if round != nth {
            break;
        }
        counts.add(first, second);
        all.push(counts);
    }
    all
}

fn elo_of_match(run: &Run, lang: Lang) -> String {
    let title =
        format!("{}: {}", lang.pick("Elo with 95 % error", "等级分差与 95 % 误差"), name(run, 0, lang));
    let mut samples: Vec<(usize, Sample)> =
        pairs(run).into_iter().enumerate().map(|(place, pairs)| (2 * place + 2, pairs.into())).collect();
    if samples.is_empty() {
        let mut sum = Wdl::default();
        for (place, units) in run.results().filter_map(|game| game.score_of(0)).enumerate() {
            sum.add(units);
            samples.push((place + 1, sum.into()));
        }
    }
    let all = samples.len();
    let drawn = samples.into_iter().enumerate().filter(|(place, _)| is_drawn(place + 1, all));
    let points: Vec<(f64, f64, Option<f64>)> = drawn
        .filter_map(|(_, (games, sample))| {
            let elo = sample.elo()?;
            Some((games as f64, elo.value, elo.error.filter(|error| *error <= WIDEST)))
        })
        .collect();
    if points.is_empty() {
        let why =
            lang.pick("No estimate: all points so far went to one side.", "无法估计：目前所有得分归一方。");
        return nothing(&title, why);
    }
    let band: Vec<(f64, f64, f64)> =
        points.iter().filter_map(|(x, elo, error)| Some((*x, elo - (*error)?, elo + (*error)?))).collect();
    let line: Vec<(f64, f64)> = points.iter().map(|(x, elo, _)| (*x, *elo)).collect();
    let seen = line.iter().map(|(_, elo)| *elo).chain(band.iter().flat_map(|(_, low, high)| [*low, *high]));
    let y = (Range::around(seen.chain([0.0])), "Elo");
    let most = line.last().map_or(1.0, |(games, _)| *games);
    let mut chart =
        Chart::new(&title, (Range { from: 0.0, to: most }, lang.pick("games played", "已赛局数")), y);
    chart.level(0.0, "");
    chart.band(0, &band);
    chart.line(0, "", &line);
    chart.svg()
}

fn elo_of_field(run: &Run, lang: Lang) -> String {
    let title = lang.pick("Elo with 95 % error, mean 0", "等级分与 95 % 误差（平均为 0）");
    let results: Vec<GameResult> = run.results().collect();
    let rated = ratings(run.entrant_count(), &results).ratings;
    let mut rated: Vec<(usize, f64, f64)> = rated
        .iter()
        .enumerate()
        .filter_map(|(entrant, rating)| rating.map(|rating| (entrant, rating.elo, rating.error.min(WIDEST))))
        .collect();
    if rated.is_empty() {
        return nothing(title, lang.pick("The games define no ratings.", "对局不足以确定等级分。"));
    }
    rated.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let shown = rated.len().min(LINES);
    let ends = rated.iter().take(shown).flat_map(|(_, elo, error)| [elo - error, elo + error]);
    let y = (Range::around(ends.chain([0.0])), "Elo");
    let x = (Range { from: 0.5, to: shown as f64 + 0.5 }, lang.pick("strongest first", "由强至弱"));
    let mut chart = Chart::unnumbered(title, x, y);
    chart.level(0.0, "");
    for (series, (entrant, elo, error)) in rated.into_iter().take(shown).enumerate() {
        let at = (series + 1) as f64;
        chart.band(series, &[(at - 0.12, elo - error, elo + error), (at + 0.12, elo - error, elo + error)]);
        chart.line(series, name(run, entrant, lang), &[(at, elo)]);
    }
    chart.svg()
}

/// The log likelihood ratio after every pair, between its bounds.
fn sprt(run: &Run, _album: &Album, lang: Lang) -> String {
    let title = lang.pick("Sequential test", "序贯检验");
    let Some(trial) = run.trial() else {
        return nothing(title, lang.pick("This run has no sequential test.", "本次比赛无序贯检验。"));
    };
    let test = trial.sprt();
    let counts = pairs(run);
    let all = counts.len();
    let drawn = counts.into_iter().enumerate().filter(|(place, _)| is_drawn(place + 1, all));
    let path: Vec<(f64, f64)> =
        drawn.filter_map(|(place, pairs)| Some(((place + 1) as f64, test.llr(pairs)?))).collect();
    if path.is_empty() {
        return nothing(title, lang.pick("No pair of games is finished yet.", "尚无完成的对局对。"));
    }
    let (lower, upper) = test.bounds();
    let title = format!("{title}: Elo [{}, {}], {}", test.elo0, test.elo1, test.model.name());
    let y = Range::around(path.iter().map(|(_, llr)| *llr).chain([lower, upper, 0.0]));
    let x = (Range { from: 0.0, to: all as f64 }, lang.pick("pairs of games", "对局对数"));
    let mut chart = Chart::new(&title, x, (y, "LLR"));
    let bound =
        |value: f64, accepted: &str| format!("{} {accepted} ({value:.2})", lang.pick("accept", "接受"));
    chart.level(upper, &bound(upper, "H1"));
    chart.level(lower, &bound(lower, "H0"));
    chart.line(0, "", &path);
    chart.svg()
}

/// Mean time used at each own move.
fn clocks(run: &Run, album: &Album, lang: Lang) -> String {
    let title = lang.pick("Time used by move", "逐回合平均用时");
    let mut lines: Vec<(usize, Vec<(f64, f64)>)> = Vec::new();
    for entrant in 0..run.entrant_count() {
        let spent = album.spent(run.name(entrant)).iter().enumerate().filter(|(_, spent)| spent.games > 0);
        let line: Vec<(f64, f64)> = spent
            .map(|(place, spent)| ((place + 1) as f64, spent.us as f64 / spent.games as f64 / 1e6))
            .collect();
        if !line.is_empty() && lines.len() < LINES {
            lines.push((entrant, line));
        }
    }
    if lines.is_empty() {
        return nothing(title, lang.pick("No move was timed.", "没有计时的着法。"));
    }
    let points = || lines.iter().flat_map(|(_, line)| line);
    let most = points().map(|(at, _)| *at).fold(1.0, f64::max);
    let highest = points().map(|(_, seconds)| *seconds).fold(1e-6, f64::max);
    let x_label = match lang {
        Lang::English => format!("move of the game (to {MOVES_TIMED})"),
        Lang::Chinese => format!("回合（至第 {MOVES_TIMED} 回合）"),
    };
    let y = Range { from: 0.0, to: highest * 1.05 };
    let mut chart = Chart::new(
        title,
        (Range { from: 0.0, to: most }, &x_label),
        (y, lang.pick("mean seconds of all games", "各局平均（秒）")),
    );
    for (series, (entrant, line)) in lines.iter().enumerate() {
        chart.line(series, name(run, *entrant, lang), line);
    }
    chart.svg()
}

/// How many games had about how many moves.
fn lengths(run: &Run, _album: &Album, lang: Lang) -> String {
    let title = lang.pick("Lengths of games", "对局长度");
    let moves: Vec<u32> = run.games().map(|game| game.plies.div_ceil(2)).collect();
    let Some(longest) = moves.iter().max().copied() else { return nothing(title, no_games(lang)) };
    let width = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|width| longest / width < 40).unwrap_or(200);
    let mut bins: BTreeMap<u32, u32> = BTreeMap::new();
    for count in moves {
        *bins.entry(count / width).or_default() += 1;
    }
    let end = f64::from((longest / width + 1) * width);
    let highest = bins.values().max().copied().unwrap_or(1);
    let mut chart = Chart::new(
        title,
        (Range { from: 0.0, to: end }, lang.pick("moves (opening counted)", "回合数（含开局）")),
        (Range { from: 0.0, to: f64::from(highest) * 1.05 }, lang.pick("games", "局数")),
    );
    let columns = bins
        .iter()
        .map(|(bin, count)| (f64::from(bin * width), f64::from((bin + 1) * width), f64::from(*count)));
    chart.columns(&columns.collect::<Vec<_>>());
    chart.svg()
}

/// How many games ended how.
fn endings(run: &Run, _album: &Album, lang: Lang) -> String {
    let title = lang.pick("How games ended", "终局方式");
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for game in run.games() {
        *kinds.entry(game.termination.kind()).or_default() += 1;
    }
    if kinds.is_empty() {
        return nothing(title, no_games(lang));
    }
    let mut kinds: Vec<(&str, u32)> = kinds.into_iter().collect();
    kinds.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let bars: Vec<(String, f64)> =
        kinds.into_iter().map(|(kind, count)| (reasons::kind(kind, lang), f64::from(count))).collect();
    Chart::bars(title, lang.pick("games", "局数"), &bars)
}
