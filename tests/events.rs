//! Whole events under a regulation in virtual time: championships, man-machine matches and net players'
//! meetings from a seed, by the real director, tables and journal, with crashes that are restarted on the
//! running clock, changed programs, withdrawals, protests, holds and power cuts. The journal is the only
//! state, so a cut between any two effects is a cut after some event. Never sleeps, starts no process and
//! touches no file. Start at [`play_out`].
//!
//! `CHUHE_SEED` plays one seed, `CHUHE_RUNS` says how many events are played.

#[path = "simulate/arbiter.rs"]
mod arbiter;
#[path = "simulate/dice.rs"]
mod dice;
#[path = "events/halls.rs"]
mod halls;
#[path = "simulate/head.rs"]
mod head;
#[path = "simulate/journal.rs"]
mod journal;
#[path = "events/referee.rs"]
mod referee;
#[path = "simulate/script.rs"]
mod script;
#[path = "events/tables.rs"]
mod tables;
#[path = "simulate/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;

use chuhe::director::{Director, Finish};
use chuhe::record::{Decision, Run, What, reproducible};

use dice::Dice;
use halls::Hall;
use journal::{events, expect_kept, finished, power_failed, random_cut, recover_or_begin, tear};
use referee::{agenda, decide, held};
use world::{Cut, End, Life, Met, Scenario};

/// Events unless `CHUHE_RUNS` says otherwise; fewer without optimisation.
const RUNS: u64 = if cfg!(debug_assertions) { 120 } else { 2_000 };
/// Events that are cut after every single event.
const CUT_EVERYWHERE: u64 = if cfg!(debug_assertions) { 1 } else { 8 };
/// Lives after which a run is let alone and has sound engines, so that it ends.
const MOST_LIVES: u64 = 60;

/// What was met, by a word, over all events.
type Seen = BTreeMap<String, u64>;

/// How a hall is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Power {
    /// Never.
    Stays,
    /// The power fails, disks are full, somebody stops the run, at random.
    Fails,
}

/// Plays an event to its end from a journal, over as many lives as there are cuts and words of the chief
/// referee.
fn play_out(
    hall: &Hall,
    met: &mut Met,
    mut journal: Vec<u8>,
    dice: &mut Dice,
    power: Power,
) -> (Vec<u8>, Run) {
    let cuts = power == Power::Fails;
    for life in 0.. {
        assert!(life < 5 * MOST_LIVES, "the event does not come to its end");
        let known = finished(&journal);
        let Some(mut run) = recover_or_begin(&mut journal) else { continue };
        // What the chief referee has to say between two lives; the power may fail between two of his words.
        while let Some((reason, wish)) = agenda(hall, &run) {
            decide(&mut journal, run, &reason, &wish, cuts && dice.once_in(4));
            run = recover_or_begin(&mut journal).expect("a run");
        }
        if cuts && hall.quirks > 0 && dice.once_in(4) {
            run = referee::correct_unfinished(&mut journal, run);
        }
        let finish = Director::new(Arc::clone(&hall.scenario.plan), &run).finish();
        match run.over().map(|_| finish) {
            None | Some(Finish::Stopped) => {}
            // A word after the end has made equals of two who were not.
            Some(Finish::Held) => {
                journal = answer(hall, journal, run, cuts, dice);
                continue;
            }
            Some(Finish::Complete | Finish::Early(_)) => return (journal, run),
        }
        let calm = life >= MOST_LIVES;
        let scenario = hall.scenario_until(referee::next_stop(hall, &run), calm);
        let cut = if cuts && !calm { random_cut(dice) } else { Cut::Never };
        let (end, after, _) = Life::new(&scenario, met, run, journal, life, cut).live();
        journal = after;
        expect_kept(&known, &journal);
        match end {
            End::Held => {
                let run = recover_or_begin(&mut journal).expect("a run");
                journal = answer(hall, journal, run, cuts, dice);
            }
            End::PowerCut => power_failed(met, &mut journal, dice),
            End::DiskFull => met.full_disks += 1,
            End::Stopped => met.stops += 1,
            End::Complete | End::NotStarted => {}
        }
    }
    unreachable!("the loop has no end")
}

/// The chief referee answers what is held.
fn answer(hall: &Hall, mut journal: Vec<u8>, mut run: Run, cuts: bool, dice: &mut Dice) -> Vec<u8> {
    let wishes = held(hall, &run);
    assert!(!wishes.is_empty(), "it is held and nobody knows what for");
    for (reason, wish) in wishes {
        decide(&mut journal, run, &reason, &wish, cuts && dice.once_in(4));
        run = recover_or_begin(&mut journal).expect("a run");
    }
    journal
}

/// What must be the same however often the power failed: the games, and the tables that came of them.
fn outcome(journal: &[u8], run: &Run) -> String {
    // A word that was cut short is said again in other pieces; those on the list are said once.
    let listed = |one: &&Decision| one.reason.starts_with(referee::ITEM);
    let decided: Vec<String> = run
        .decisions()
        .iter()
        .filter(listed)
        .map(|one| format!("{} {:?}\n", one.reason, std::mem::discriminant(&one.ordered)))
        .collect();
    format!("{}{}{}", reproducible(&events(journal)), tables::shown(run), decided.concat())
}

/// Whether an event came out the same, and where not.
fn compare(one: &str, other: &str, when: &str) {
    let differs = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    assert!(one == other, "{when}: the resumed event is another: {differs:#?}");
}

/// An event without cuts and one with random ones. With sound engines (which may die all the same, and are
/// started again) both are the same.
fn play(hall: &Hall, met: &mut Met, seen: &mut Seen) {
    met.runs += 1;
    let mut dice = Dice::new(hall.scenario.seed ^ 0xE7E);
    let (whole, run) = play_out(hall, met, Vec::new(), &mut dice, Power::Stays);
    tables::audit(hall, &run, &whole, seen);
    let (cut, again) = play_out(hall, met, Vec::new(), &mut dice, Power::Fails);
    tables::audit(hall, &again, &cut, seen);
    if hall.quirks == 0 && hall.is_orderly() {
        compare(&outcome(&cut, &again), &outcome(&whole, &run), "cut at random");
        *seen.entry("same after cuts".to_owned()).or_default() += 1;
    }
}

/// A cut after every single event of one event, torn and whole.
fn cut_everywhere(hall: &Hall, met: &mut Met, seen: &mut Seen) {
    met.runs += 1;
    let mut dice = Dice::new(hall.scenario.seed ^ 0xE7F);
    let (whole, run) = play_out(hall, met, Vec::new(), &mut dice, Power::Stays);
    tables::audit(hall, &run, &whole, seen);
    let expected = outcome(&whole, &run);
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for end in ends {
        let mut journal = whole[..end].to_vec();
        met.cuts += 1;
        if dice.once_in(4) {
            met.torn += 1;
            tear(&mut journal, &mut dice);
        }
        let (again, run) = play_out(hall, met, journal, &mut dice, Power::Stays);
        compare(&outcome(&again, &run), &expected, &format!("cut at byte {end}"));
    }
    *seen.entry("same after cuts".to_owned()).or_default() += 1;
}

/// Plays seeds and says what was met; all of `wanted` must have been, but for a single seed.
fn check(
    test: &str,
    runs: u64,
    hall: impl Fn(u64) -> Hall,
    play: fn(&Hall, &mut Met, &mut Seen),
    wanted: &[&str],
) {
    let began = std::time::Instant::now();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let one = number("CHUHE_SEED");
    let seeds = one.map_or(0..runs, |seed| seed..seed + 1);
    let (mut met, mut seen) = (Met::default(), Seen::new());
    for seed in seeds {
        let hall = hall(seed);
        let played =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(&hall, &mut met, &mut seen)));
        if let Err(panic) = played {
            let again = format!("CHUHE_SEED={seed} cargo test --test events {test}");
            let _ = writeln!(std::io::stderr(), "failed; again: {again}");
            std::panic::resume_unwind(panic);
        }
    }
    let Met { runs, games, lives, cuts, torn, full_disks, stops, resumed_games, quirks, ends } = &met;
    let (faults, seconds) = (quirks.values().sum::<u64>(), began.elapsed().as_secs_f64());
    // Past the test harness, which keeps what tests print to itself.
    let _ = writeln!(
        std::io::stderr(),
        "{test}: {runs} events, {games} games, {lives} lives, {cuts} power cuts ({torn} torn), \
         {full_disks} full disks, {stops} stops, {resumed_games} games gone on with, {faults} engine \
         faults of {} kinds, {seconds:.1} s\n  {seen:?}\n  {ends:?}",
        quirks.len(),
    );
    if one.is_none() {
        assert!(*cuts > 0, "no power cut was met");
        for word in wanted {
            assert!(seen.contains_key(*word), "'{word}' was not met: {seen:?}");
        }
    }
}

fn runs(share: u64) -> u64 {
    let all = std::env::var("CHUHE_RUNS").ok().and_then(|text| text.parse().ok());
    all.unwrap_or(RUNS).div_ceil(share)
}

#[test]
fn championships() {
    let wanted = [
        "tie of 2",
        "tie of 3",
        "tie of 4",
        "places by points",
        "places by head to head",
        "places by mini-table",
        "places by play-off",
        "places by ruling",
        "play-off held",
        "lock held",
        "lock forfeited",
        "withdrawal",
        "withdrawal, results cancelled",
        "withdrawal, rest forfeited",
        "crash restarted",
        "result overruled",
        "game annulled",
        "game replayed",
        "finished game corrected",
        "changed files admitted",
        "same after cuts",
    ];
    check("championships", runs(1), halls::championship, play, &wanted);
}

#[test]
fn boards_and_teams() {
    let wanted = [
        "level bout",
        "seats rotated",
        "seats rotated on into the second game",
        "lock held",
        "lock forfeited",
        "crash restarted",
        "withdrawal",
        "finished game corrected",
        "same after cuts",
    ];
    check("boards_and_teams", runs(2), halls::boards, play, &wanted);
}

#[test]
fn a_cut_after_every_event() {
    let wanted = ["same after cuts", "crash restarted", "lock held", "play-off held"];
    check("a_cut_after_every_event", CUT_EVERYWHERE, halls::small, cut_everywhere, &wanted);
}

/// The scenario of a life: until which number of games it begins any.
impl Hall {
    fn scenario_until(&self, stop_at: Option<usize>, calm: bool) -> Scenario {
        let mut scenario = self.scenario.clone();
        if let Some(fates) = &mut scenario.fates {
            fates.stop_at = stop_at;
        }
        scenario.quirks = if calm { 0 } else { self.quirks };
        scenario
    }

    /// Whether what happens does not hang on which of several games ends first.
    fn is_orderly(&self) -> bool {
        self.scenario.plan.conduct.concurrency == 1 || self.agenda.is_empty()
    }
}

/// How many events of a kind a journal has.
fn count(journal: &[u8], is: impl Fn(&What) -> bool) -> u64 {
    events(journal).iter().filter(|event| is(&event.what)).count() as u64
}
