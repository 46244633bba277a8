//! Scenarios drawn from a seed: plans of every format, clock, rule and conduct. Never plays anything.
//! Start at [`draw`].

use std::sync::Arc;
use std::time::Duration;

use chuhe::engine::{Manifest, Protocol};
use chuhe::game::{Adjudication, DrawRule, ResignRule, TimeControl};
use chuhe::law::{Book, CheckCounting, NoCapture, Repetition, Rules};
use chuhe::plan::{Conduct, CrashRule, Entrant, Grain, LockRule, Plan, Points, Rotation, Stage, Sync};
use chuhe::tournament::{
    Colours, CycleOrder, Format, Knockout, Level, Model, Opening, OpeningBook, OpeningOrder, Sprt, Swiss,
    TieBreak,
};
use chuhe::xiangqi::{Position, SquareStyle};

use super::dice::Dice;
use super::head::head;
use super::world::Scenario;

const CLOCKS: &[&str] = &[
    "nodes=100",
    "nodes=100",
    "depth=3",
    "10+0.1",
    "1",
    "30m",
    "4/10+0.5",
    "3/1",
    "0.1+1",
    "1s/move",
    "60s/move",
    "0.2+0.02 depth=4",
];

/// Positions near an end, so that games end by the board too.
const STARTS: &[&str] = &[
    "4k4/9/9/9/9/9/9/8R/7R1/5K3 w - - 0 1",
    "3k5/9/9/9/9/9/9/9/R8/4K4 b - - 0 1",
    "4k4/4a4/4b4/9/9/9/9/4B4/4A4/3K5 w - - 0 1",
    "3ak4/9/9/4R4/9/9/9/3r5/9/4KA3 b - - 110 90",
    "r2akP3/9/9/9/9/9/9/9/4A4/R3K4 b - - 0 1",
    "4k4/9/9/9/9/9/9/9/4R4/3K5 b - - 0 1",
];

const LINES: &[&str] = &["h2e2 h9g7", "h2e2", "c3c4 h7e7 h2e2", ""];

fn entrant(index: usize, dice: &mut Dice) -> Entrant {
    let protocol = dice.pick(&[Protocol::Uci, Protocol::Ucci]);
    let mut engine = Manifest::new(format!("/opt/script-{index}"), protocol);
    engine.squares = dice.pick(&[SquareStyle::Zero, SquareStyle::Zero, SquareStyle::One]);
    engine.reuse = !dice.once_in(5);
    engine.ping = !dice.once_in(8);
    if dice.once_in(6) {
        engine.options = vec![("Hash".into(), "16".into()), ("Book".into(), "x".into())];
    }
    if dice.once_in(8) {
        engine.new_game = vec!["uccinewgame".into()];
    }
    let time = dice.once_in(8).then(|| TimeControl::parse(dice.pick(CLOCKS)).expect("it reads"));
    let name = ["Wukong", "Tiger", "Lotus", "River9", "Crane", "Jade"][index].to_owned();
    Entrant {
        name,
        name_zh: None,
        engine: Arc::new(engine),
        time,
        team: Vec::new(),
        registration: Vec::new(),
    }
}

fn format(entrants: usize, dice: &mut Dice) -> Format {
    match dice.below(if entrants == 2 { 8 } else { 5 }) {
        0 => Format::RoundRobin { cycles: 1 + dice.below(2) as u32, order: CycleOrder::Bouts },
        1 => Format::RoundRobin { cycles: 1 + dice.below(2) as u32, order: CycleOrder::Cycles },
        2 => Format::Gauntlet { seeds: 1, games: 1 + dice.below(3) as u32 },
        3 => {
            let most = (entrants + entrants % 2 - 1) as u64;
            Format::Swiss(Swiss {
                rounds: 1 + dice.below(most.min(3)) as u32,
                games: 1 + dice.below(2) as u8,
            })
        }
        4 => Format::Knockout(Knockout {
            games: 1 + dice.below(2) as u8,
            extra: dice.below(2) as u8,
            level: if dice.once_in(6) { Level::Held } else { Level::HigherSeed },
        }),
        _ => Format::Pairs { pairs: 1 + dice.below(6) as u32 },
    }
}

/// What may end a match early: a test so rough that a few pairs decide it, or a wanted share of the points.
fn early(stages: &[Stage], dice: &mut Dice) -> (Option<Sprt>, Option<f64>) {
    let [Stage { format: Format::Pairs { .. }, .. }] = stages else { return (None, None) };
    let error = dice.pick(&[0.2, 0.35, 0.45]);
    let sprt = Sprt { elo0: -150.0, elo1: 150.0, alpha: error, beta: error, model: Model::Logistic };
    match dice.below(3) {
        0 => (Some(sprt), None),
        1 => (None, Some(dice.pick(&[0.25, 0.5, 0.75]))),
        _ => (None, None),
    }
}

fn openings(dice: &mut Dice) -> OpeningBook {
    if dice.once_in(3) {
        return OpeningBook::default();
    }
    let opening = |number: usize, dice: &mut Dice| {
        let (start, line) = if dice.once_in(2) {
            (Position::from_fen(dice.pick(STARTS)).expect("it can be played"), "")
        } else {
            (Position::start(), dice.pick(LINES))
        };
        let moves = line.split_whitespace().filter_map(|word| SquareStyle::Zero.read(word.as_bytes()));
        Opening { start, moves: moves.collect(), name: format!("opening {number}") }
    };
    let list = (0..1 + dice.below(4) as usize).map(|number| opening(number, dice)).collect();
    let order = dice.pick(&[OpeningOrder::InOrder, OpeningOrder::Shuffled]);
    OpeningBook::new(list, order, dice.next(), dice.below(9))
}

fn rules(dice: &mut Dice) -> Rules {
    Rules {
        repetition: Repetition { book: dice.pick(&Book::ALL), occurrences: 2 + dice.below(3) as u32 },
        dead_position: !dice.once_in(4),
        no_capture: (!dice.once_in(3))
            .then(|| NoCapture { plies: 8 + dice.below(120) as u32, checks: dice.pick(&CheckCounting::ALL) }),
        max_plies: Some(4 + dice.below(30) as u32),
    }
}

/// The engines' scores are any from -300 to 299.
fn adjudication(dice: &mut Dice) -> Adjudication {
    let resign = dice.once_in(4).then(|| ResignRule {
        move_count: 1 + dice.below(3) as u32,
        score: 50 + dice.below(200) as i32,
        two_sided: dice.once_in(2),
    });
    let draw = dice.once_in(4).then(|| DrawRule {
        move_number: dice.below(8) as u32,
        move_count: 1 + dice.below(3) as u32,
        score: 50 + dice.below(200) as i32,
    });
    Adjudication { resign, draw }
}

fn conduct(dice: &mut Dice) -> Conduct {
    let conduct = Conduct {
        lock: LockRule::Off,
        rotation: Rotation::Restart,
        screens: None,
        concurrency: dice.pick(&[1, 1, 2, 3, 4]),
        crash: dice.pick(&[CrashRule::Loses, CrashRule::Restart]),
        grain: dice.pick(&[Grain::Game, Grain::Move]),
        sync: Sync::Never,
        margin: Duration::from_millis(dice.pick(&[0, 0, 0, 20])),
        patience: Duration::from_secs(dice.pick(&[1, 10, 30])),
        reuse: !dice.once_in(4),
        transcripts: false,
        warn: dice.once_in(2),
        warn_uci: dice.once_in(2),
        draw_offers: !dice.once_in(4),
        time_scale: 1.0,
        drain: Duration::from_secs(60),
        max_faults: None,
        adjudication: adjudication(dice),
        max_failures: None,
        ready_patience: Duration::ZERO,
        stagger: Duration::ZERO,
        pause: Duration::ZERO,
        affinity: None,
        engine_log: None,
        time_budget: None,
    };
    Conduct { ready_patience: conduct.patience, ..conduct }
}

/// The scenario of a seed.
pub fn draw(seed: u64) -> Scenario {
    let mut dice = Dice::new(seed ^ 0x5CE7_A810);
    let count = 2 + dice.below(3) as usize;
    let entrants: Vec<Entrant> = (0..count).map(|index| entrant(index, &mut dice)).collect();
    let stages = (0..if dice.once_in(5) { 2 } else { 1 }).map(|number| Stage {
        name: format!("Stage {}", number + 1),
        format: format(count, &mut dice),
        time: TimeControl::parse(dice.pick(CLOCKS)).expect("it reads"),
    });
    let stages: Vec<Stage> = stages.collect();
    let (sprt, min_score) = early(&stages, &mut dice);
    let suiting = Colours::ALL.into_iter().filter(|one| stages.iter().all(|stage| one.suit(&stage.format)));
    let colours = dice.pick(&suiting.collect::<Vec<_>>());
    let plan = Plan {
        event: "Simulation".into(),
        regulation: None,
        site: "nowhere".into(),
        seed,
        commitment: None,
        entrants,
        stages,
        rules: rules(&mut dice),
        points: dice.pick(&[Points::TwoOneZero, Points::OneHalfZero]),
        tie_break: TieBreak::default(),
        openings: openings(&mut dice),
        conduct: conduct(&mut dice),
        sprt,
        min_score,
        draw_as_black_win: false,
        colours,
    };
    let quirks = dice.pick(&[0, 2, 4, 12]);
    let head = Arc::new(head(&plan));
    Scenario { plan: Arc::new(plan), head, quirks, seed, fates: None }
}
