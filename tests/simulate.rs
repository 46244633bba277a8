//! Whole runs in virtual time from a seed: the real machines, scripted engines that answer, stall, die
//! and cheat, power cuts, torn lines and full disks, several games at once. Never sleeps, starts no
//! process, and touches no file but the configs. Start at [`run`].
//!
//! `CHUHE_SEED` plays one seed, `CHUHE_RUNS` says how many random runs are played; the other tests play
//! their share of it.

#[path = "simulate/arbiter.rs"]
mod arbiter;
#[path = "simulate/dice.rs"]
mod dice;
#[path = "simulate/head.rs"]
mod head;
#[path = "simulate/journal.rs"]
mod journal;
#[path = "simulate/scenario.rs"]
mod scenario;
#[path = "simulate/script.rs"]
mod script;
#[path = "simulate/world.rs"]
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chuhe::config::{self, Overrides};
use chuhe::engine::Protocol;
use chuhe::game::{Adjudication, Outcome};
use chuhe::plan::{Grain, Plan};
use chuhe::record::{Event, GameOver, Run, What, reproducible};
use chuhe::report::{Album, DOCUMENTS, Style, pgn};
use chuhe::runner::DiskFiles;
use chuhe::tournament::{
    Format, GameId, GameResult, Known, Next, ScoreGoal, Scoresheet, SprtState, SprtTrial,
};

use dice::{Dice, mixed};
use head::head;
use journal::{events, expect_kept, finished, power_failed, random_cut, recover, recover_or_begin, tear};
use world::{Cut, End, Life, Met, Scenario};

/// Random runs unless `CHUHE_RUNS` says otherwise; a tenth of it without optimisation.
const RUNS: u64 = if cfg!(debug_assertions) { 300 } else { 6_000 };
/// Of so many random runs one is cut after every event, which is some hundred lives.
const EVERY_EVENT: u64 = 100;
/// How a run that was played to its end says so.
const COMPLETE: &str = "complete";
/// Most pairs of games of a config that are simulated.
const MOST_PAIRS: u32 = 12;
/// For so many random runs one plays a config; each config is played at least once.
const CONFIGS: u64 = 60;
/// Lives after which a run is let alone, so that it ends.
const MOST_LIVES: u64 = 40;

/// Plays a run to its end over as many lives as its cuts make: `cut` names the cut of each life.
fn play_out(
    scenario: &Scenario,
    met: &mut Met,
    mut journal: Vec<u8>,
    dice: &mut Dice,
    mut cut: impl FnMut(u64, &mut Dice) -> Cut,
) -> (Vec<u8>, Run) {
    let mut held = 0;
    for life in 0.. {
        assert!(life < 4 * MOST_LIVES, "the run does not come to its end");
        let known = finished(&journal);
        let Some(run) = recover_or_begin(&mut journal) else { continue };
        if run.over().is_some() {
            return (journal, run);
        }
        // Late lives are left alone and have sound engines, so that every run ends.
        let scenario = if life < MOST_LIVES { scenario } else { &Scenario { quirks: 0, ..scenario.clone() } };
        let now = if life < MOST_LIVES { cut(life, dice) } else { Cut::Never };
        let (end, after, lived) = Life::new(scenario, met, run, journal, life, now).live();
        journal = after;
        expect_kept(&known, &journal);
        match end {
            End::Complete => return (journal, lived),
            End::Held => {
                // Only the chief referee can go on: once more shows that nothing is played again.
                held += 1;
                if held == 2 {
                    return (journal, lived);
                }
            }
            End::PowerCut => power_failed(met, &mut journal, dice),
            End::DiskFull => met.full_disks += 1,
            End::Stopped => met.stops += 1,
            End::NotStarted => {}
        }
    }
    unreachable!("the loop has no end")
}

/// What must be true of every run that came to its end.
fn audit(scenario: &Scenario, journal: &[u8], lived: &Run, draw: bool) {
    let plan = &scenario.plan;
    let mut bytes = journal.to_vec();
    let run = recover(&mut bytes).expect("a head");
    assert_eq!(bytes.len(), journal.len(), "the journal of a run that ended is not whole");
    let events = events(journal);
    let mut decided = BTreeSet::new();
    for event in &events {
        if let What::GameOver(over) = &event.what {
            assert!(decided.insert(over.game), "game {} was decided twice", over.game);
        }
    }
    check_moves(scenario, &events);
    let adjudication = &scenario.plan.conduct.adjudication;
    for event in &events {
        if let What::GameOver(over) = &event.what {
            check_adjudication(adjudication, over);
        }
    }
    let results: Vec<GameResult> = run.results().collect();
    assert_eq!(results.len() as u64, run.decided());
    check_schedule(scenario, &run, &results, &decided);
    check_early(plan, &run, &results);
    let entrants = plan.entrants.len();
    let standings = Scoresheet::new(entrants, &results).standings(&plan.tie_break);
    let points: u32 = standings.lines.iter().map(|line| line.points).sum();
    assert_eq!(points as usize, 2 * results.len(), "the points do not add up");
    let (mut wins, mut draws, mut losses) = (0, 0, 0);
    for line in &standings.lines {
        let total = line.total();
        (wins, draws, losses) = (wins + total.wins, draws + total.draws, losses + total.losses);
    }
    let drawn = results.iter().filter(|result| result.outcome == Outcome::Draw).count() as u64;
    assert_eq!(
        (wins as u64, draws as u64, losses as u64),
        (results.len() as u64 - drawn, 2 * drawn, wins as u64)
    );
    // What was under way when a test was decided is broken off.
    if run.over() == Some(COMPLETE) {
        assert_eq!(run.unfinished().count(), 0, "a run is over and a game is not");
    }
    if draw {
        let album = Album::of(&events);
        for document in DOCUMENTS {
            let draw = |run: &Run| document.draw(run, &album, &Style::default());
            let (live, again) = (draw(lived), draw(&run));
            assert_eq!(live, again, "{} drawn from the journal is another", document.file);
        }
        let heading = pgn::Heading::of(run.head().expect("a head"));
        for event in &events {
            if let What::GameOver(over) = &event.what {
                assert!(pgn::game(over, &heading).contains(&over.game.to_string()) || !over.moves.is_empty());
            }
        }
    }
}

/// Where moves are journalled each one was made once, whatever happened between two of them, and a game's end has
/// all of them.
fn check_moves(scenario: &Scenario, events: &[Event]) {
    if scenario.plan.conduct.grain == Grain::Game {
        return;
    }
    let mut made: BTreeMap<GameId, (Vec<&str>, Vec<u64>)> = BTreeMap::new();
    for event in events {
        match &event.what {
            What::GameBegan(began) => {
                let opening = began.opening.split_whitespace().collect();
                let before = made.insert(began.game, (opening, Vec::new()));
                let moves = before.map_or(0, |(_, used)| used.len());
                assert_eq!(moves, 0, "game {} has moves and was begun again", began.game);
            }
            What::Moved(moved) => {
                let (moves, used) = made.get_mut(&moved.game).expect("a game that was begun");
                moves.push(&moved.mv);
                used.push(moved.used_us);
                assert_eq!(
                    moves.len(),
                    moved.ply as usize,
                    "game {}: a move too many or too few",
                    moved.game
                );
            }
            What::GameOver(over) => {
                let told = (over.moves.split_whitespace().collect(), over.used_us.clone());
                let (game, made) = (over.game, made.remove(&over.game).unwrap_or_default());
                assert_eq!(made, told, "game {game}: its end has other moves");
            }
            _ => {}
        }
    }
}

/// A match ended early exactly where its test or its share of the points was decided, however often it was gone on
/// with.
fn check_early(plan: &Plan, run: &Run, results: &[GameResult]) {
    let Some(reason) = run.over() else { return };
    let mut trial = plan.sprt.map(SprtTrial::new);
    for result in results {
        trial.iter_mut().for_each(|trial| trial.add(result));
    }
    let state =
        trial.as_ref().and_then(SprtTrial::verdict).map_or(SprtState::Undecided, |verdict| verdict.state);
    let goal = match (plan.min_score, plan.stages.first().map(|stage| &stage.format)) {
        (Some(least), Some(Format::Pairs { pairs })) => ScoreGoal::of(least, *pairs, results).verdict(),
        _ => None,
    };
    let expected = match (state, goal) {
        (SprtState::H0, _) => "sprt_h0",
        (SprtState::H1, _) => "sprt_h1",
        (SprtState::Undecided, Some(true)) => "score_reached",
        (SprtState::Undecided, Some(false)) => "score_missed",
        (SprtState::Undecided, None) => COMPLETE,
    };
    assert_eq!(reason, expected, "{results:?}");
}

/// A game ended by its scores at the first half-move at which they say so, if the law had not ended it, and at no
/// other.
fn check_adjudication(rules: &Adjudication, over: &GameOver) {
    let score = |index: usize| over.thoughts.get(index).and_then(|thought| thought.cp);
    // The scores of one side's last moves, ending with half-move `last` after the opening.
    let holds = |last: usize, count: u32, wanted: &dyn Fn(i32) -> bool| {
        let mut indexes = (0..count as usize).map(|back| last.checked_sub(2 * back));
        indexes.all(|index| index.and_then(score).is_some_and(wanted))
    };
    let resigned = |last: usize| {
        rules.resign.is_some_and(|rule| {
            let lost = |at: usize| holds(at, rule.move_count, &|score| score <= -rule.score);
            let won = |at: usize| holds(at, rule.move_count, &|score| score >= rule.score);
            let gives_up =
                |own: usize, other: Option<usize>| lost(own) && (!rule.two_sided || other.is_some_and(won));
            let before = last.checked_sub(1);
            gives_up(last, before) || before.is_some_and(|before| gives_up(before, Some(last)))
        })
    };
    let drawn = |last: usize| {
        rules.draw.is_some_and(|rule| {
            let level = |at: usize| holds(at, rule.move_count, &|score| score.abs() <= rule.score);
            let plies = over.opening_plies as usize + last + 1;
            plies / 2 >= rule.move_number as usize && level(last) && last.checked_sub(1).is_some_and(level)
        })
    };
    let first = (0..over.used_us.len()).find(|last| resigned(*last) || drawn(*last));
    let by_scores = over.termination.kind == "adjudicated";
    let due = first.map(|first| first + 1);
    assert!(
        if by_scores {
            due == Some(over.used_us.len())
        } else {
            due.is_none_or(|due| due == over.used_us.len())
        },
        "game {}: the scores decide it after half-move {due:?} of {}: {over:?}",
        over.game,
        over.used_us.len()
    );
}

/// Every scheduled game was decided, and no other; of a run that ended early, no other.
fn check_schedule(scenario: &Scenario, run: &Run, results: &[GameResult], decided: &BTreeSet<GameId>) {
    let plan = &scenario.plan;
    let known = Known { results, withdrawn: run.withdrawals(), void: run.void(), orders: run.orders() };
    let early = run.over().is_some_and(|reason| reason != COMPLETE);
    let mut scheduled = BTreeSet::new();
    'stages: for (index, stage) in plan.stages.iter().enumerate() {
        let number = index as u8 + 1;
        for round in 1.. {
            match stage.format.next_of(number, round, plan.entrants.len(), &known) {
                Next::Round(pairings) => {
                    for pairing in pairings {
                        for leg in 1..=pairing.legs {
                            scheduled.insert(GameId {
                                stage: number,
                                round,
                                pair: pairing.pair,
                                leg,
                                attempt: 1,
                            });
                        }
                    }
                }
                Next::Over => break,
                Next::Held(_) => {
                    assert_eq!(run.over(), None, "a held run cannot be over");
                    break 'stages;
                }
                Next::Waiting if early => break 'stages,
                Next::Waiting => panic!("round {round} waits although the run has ended"),
            }
        }
    }
    if early {
        assert!(decided.is_subset(&scheduled), "games were decided that were not scheduled");
    } else {
        assert_eq!(decided, &scheduled, "other games were decided than scheduled");
    }
}

/// One run without cuts and one with random ones.
fn run(scenario: &Scenario, met: &mut Met) {
    met.runs += 1;
    let mut dice = Dice::new(scenario.seed ^ 0xC07);
    let (whole, undisturbed) = play_out(scenario, met, Vec::new(), &mut dice, |_, _| Cut::Never);
    let draw = dice.once_in(8);
    audit(scenario, &whole, &undisturbed, draw);
    let (cut, lived) = play_out(scenario, met, Vec::new(), &mut dice, |_, dice| random_cut(dice));
    audit(scenario, &cut, &lived, draw);
    // Which games were finished when a match was decided early, and whether it was, depends on the moment.
    let complete = [&undisturbed, &lived].into_iter().all(|run| run.over() == Some(COMPLETE));
    if scenario.quirks == 0 && complete {
        let (whole, cut) = (events(&whole), events(&cut));
        assert_eq!(reproducible(&cut), reproducible(&whole), "the resumed run is another");
    }
}

/// A power cut after every event of a run, and in the middle of every event.
fn cut_everywhere(scenario: &Scenario, met: &mut Met) {
    met.runs += 1;
    let mut dice = Dice::new(scenario.seed ^ 0xE7E);
    let (whole, undisturbed) = play_out(scenario, met, Vec::new(), &mut dice, |_, _| Cut::Never);
    audit(scenario, &whole, &undisturbed, false);
    let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    for end in ends.collect::<Vec<_>>() {
        for torn in [false, true] {
            let mut journal = whole[..end].to_vec();
            met.cuts += 1;
            if torn {
                met.torn += 1;
                tear(&mut journal, &mut dice);
            }
            let (again, lived) = play_out(scenario, met, journal, &mut dice, |_, _| Cut::Never);
            audit(scenario, &again, &lived, false);
            let complete = [&undisturbed, &lived].into_iter().all(|run| run.over() == Some(COMPLETE));
            if scenario.quirks == 0 && complete {
                assert_eq!(reproducible(&events(&again)), reproducible(&events(&whole)), "cut at byte {end}");
            }
        }
    }
}

/// Adds what others met.
fn add(all: &mut Met, other: Met) {
    let Met { quirks, ends, games, lives, cuts, torn, full_disks, stops, runs, resumed_games } = other;
    for (quirk, times) in quirks {
        *all.quirks.entry(quirk).or_default() += times;
    }
    for (end, times) in ends {
        *all.ends.entry(end).or_default() += times;
    }
    all.games += games;
    all.lives += lives;
    all.cuts += cuts;
    all.torn += torn;
    all.full_disks += full_disks;
    all.stops += stops;
    all.runs += runs;
    all.resumed_games += resumed_games;
}

/// Plays seeds on every core, each on whichever is free, until one fails. What was met is added up.
fn on_all_cores(seeds: Range<u64>, play: impl Fn(u64, &mut Met) -> std::thread::Result<()> + Sync) -> Met {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut met = Met::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return met;
            }
            if let Err(panic) = play(seed, &mut met) {
                // A seed that fails is the last one: the others see no more of them.
                next.store(seeds.end, Ordering::Relaxed);
                std::panic::resume_unwind(panic);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut all = Met::default();
        for worker in workers {
            match worker.join() {
                Ok(met) => add(&mut all, met),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

/// Plays seeds and says what was met; of a seed that fails, how to play it again.
fn play_seeds(
    test: &str,
    share: u64,
    least: u64,
    scenario: impl Fn(u64) -> Scenario + Sync,
    play: fn(&Scenario, &mut Met),
) {
    let began = std::time::Instant::now();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("CHUHE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CHUHE_RUNS").unwrap_or(RUNS).div_ceil(share).max(least),
    };
    let met = on_all_cores(seeds, |seed, met| {
        let scenario = scenario(seed);
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(&scenario, met)));
        if played.is_err() {
            let seconds = began.elapsed().as_secs_f64();
            let _ = writeln!(
                std::io::stderr(),
                "failed after {seconds:.1} s; again: CHUHE_SEED={seed} cargo test --test simulate {test}"
            );
        }
        played
    });
    let Met { runs, games, lives, cuts, torn, full_disks, stops, resumed_games, quirks, ends } = &met;
    let (kinds, ways, seconds) = (quirks.len(), ends.len(), began.elapsed().as_secs_f64());
    // Past the test harness, which keeps what tests print to itself.
    let _ = writeln!(
        std::io::stderr(),
        "{test}: {runs} runs, {games} games, {lives} lives, {cuts} power cuts ({torn} torn), \
         {full_disks} full disks, {stops} stops, {resumed_games} games gone on with, {kinds} kinds of \
         engine faults, {ways} ways to end, {seconds:.1} s\n  {quirks:?}\n  {ends:?}"
    );
}

#[test]
fn random_runs() {
    play_seeds("random_runs", 1, 1, scenario::draw, run);
}

#[test]
fn a_power_cut_after_every_event() {
    play_seeds(
        "a_power_cut_after_every_event",
        EVERY_EVENT,
        1,
        |seed| scenario::draw(mixed(seed) >> 8),
        cut_everywhere,
    );
}

#[test]
fn every_config() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the configs are there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    assert!(files.len() >= 5);
    let base = folder.to_string_lossy().into_owned();
    let scenarios: Vec<Scenario> = files
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).expect("it can be read");
            let resolved = config::read(&text, &base, &DiskFiles, &Overrides::default());
            let resolved = resolved.unwrap_or_else(|problems| panic!("{}: {problems:?}", path.display()));
            let again = config::from_value(&resolved.config, &base, &DiskFiles, &Overrides::default());
            assert_eq!(again.expect("the resolved config reads").plan, resolved.plan, "{}", path.display());
            let mut plan = resolved.plan;
            let plies = if plan.entrants.len() > 6 { 30 } else { 80 };
            plan.rules.max_plies = Some(plan.rules.max_plies.map_or(plies, |most| most.min(plies)));
            // Scripts do not speak CECP; what is said there is held by its dialogues.
            for entrant in &mut plan.entrants {
                let engine = Arc::make_mut(&mut entrant.engine);
                if engine.protocol == Protocol::Cecp {
                    engine.protocol = Protocol::Uci;
                }
            }
            for stage in &mut plan.stages {
                if let Format::Pairs { pairs } = &mut stage.format {
                    *pairs = (*pairs).min(MOST_PAIRS);
                }
            }
            // An exhibition's games are played as one, which tests/exhibition.rs does.
            let display = plan.stages.iter().any(|stage| stage.format.exhibition().is_some());
            let head = Arc::new(head(&plan));
            (!display).then(|| Scenario { plan: Arc::new(plan), head, quirks: 0, seed: 0, fates: None })
        })
        .collect();
    let count = scenarios.len() as u64;
    let scenario = |seed: u64| {
        let scenario = scenarios[(seed % count) as usize].clone();
        // Sound scripts repeat themselves, and a play-off of equals would never end.
        let plays_off = scenario.plan.stages.iter().any(|stage| stage.format.is_play_off());
        let quirks = if plays_off { [2, 3, 4] } else { [0, 10, 3] };
        Scenario { seed, quirks: quirks[(seed / count % 3) as usize], ..scenario }
    };
    play_seeds("every_config", CONFIGS, count, scenario, run);
}
