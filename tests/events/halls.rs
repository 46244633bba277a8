//! Halls drawn from a seed: an event's plan, what its games and engines will meet, and what the chief referee
//! will be asked. Never plays anything. Start at [`championship`] and [`boards`].

use std::sync::Arc;
use std::time::Duration;

use chuhe::engine::{Manifest, Protocol};
use chuhe::game::{Adjudication, TimeControl};
use chuhe::law::{Book, Repetition, Rules};
use chuhe::plan::{
    Conduct, CrashRule, Entrant, Grain, LockRule, Plan, Points, Regulation, Rotation, Stage, Sync,
};
use chuhe::tournament::{
    Championship, Colours, CycleOrder, Format, GameId, OpeningBook, Part, TieBreak, lots,
};
use chuhe::xiangqi::SquareStyle;

use super::dice::Dice;
use super::head::head;
use super::world::{Fates, Scenario};

/// Something the chief referee is asked as soon as so many games have ended.
#[derive(Debug, Clone)]
pub struct Item {
    pub after: usize,
    pub act: Act,
}

/// What he is asked.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// An entrant withdraws.
    Withdraw(usize),
    /// The last game gets another result.
    Rule,
    /// The last game counts for nothing.
    Annul,
    /// The last game is played again.
    Replay,
    /// The last game goes on from its middle.
    Correct,
}

/// An event and what it meets.
#[derive(Debug, Clone)]
pub struct Hall {
    pub scenario: Scenario,
    /// One process in so many misbehaves; none if 0.
    pub quirks: u64,
    pub agenda: Vec<Item>,
}

const NAMES: [&str; 12] = [
    "Dragon", "Tiger", "Bird", "Tortoise", "Star", "River", "Mountain", "Lake", "Wind", "Gate", "Bridge",
    "Horse",
];

fn engine(number: usize, dice: &mut Dice) -> Arc<Manifest> {
    let protocol = dice.pick(&[Protocol::Uci, Protocol::Ucci]);
    let mut engine = Manifest::new(format!("/opt/script-{number}"), protocol);
    engine.squares = dice.pick(&[SquareStyle::Zero, SquareStyle::One]);
    engine.reuse = !dice.once_in(5);
    Arc::new(engine)
}

fn entrant(index: usize, members: usize, dice: &mut Dice) -> Entrant {
    Entrant {
        name: NAMES[index].to_owned(),
        name_zh: None,
        engine: engine(index, dice),
        team: (1..members).map(|member| engine(100 * member + index, dice)).collect(),
        time: None,
        registration: Vec::new(),
    }
}

fn plan(regulation: Regulation, entrants: Vec<Entrant>, stages: Vec<Stage>, dice: &mut Dice) -> Plan {
    Plan {
        event: "Simulation".into(),
        regulation: Some(regulation),
        site: "nowhere".into(),
        seed: 0,
        commitment: None,
        entrants,
        stages,
        rules: Rules {
            repetition: Repetition { book: Book::Asian2006, occurrences: 4 },
            dead_position: true,
            no_capture: None,
            // The texts have no such limit; here it draws games.
            max_plies: Some(8 + dice.below(4) as u32),
        },
        points: Points::TwoOneZero,
        tie_break: TieBreak::none(),
        openings: OpeningBook::default(),
        conduct: Conduct {
            lock: dice.pick(&[LockRule::Hold, LockRule::Forfeit]),
            rotation: dice.pick(&[Rotation::Restart, Rotation::Continue]),
            screens: None,
            concurrency: dice.pick(&[1, 1, 1, 2, 3]),
            crash: CrashRule::Restart,
            grain: Grain::Move,
            sync: Sync::EveryEvent,
            margin: Duration::ZERO,
            patience: Duration::from_secs(60),
            reuse: !dice.once_in(4),
            transcripts: false,
            warn: false,
            warn_uci: false,
            draw_offers: true,
            time_scale: 1.0,
            drain: Duration::from_secs(60),
            max_faults: None,
            adjudication: Adjudication::default(),
            max_failures: None,
            time_budget: None,
            ready_patience: Duration::from_secs(60),
            stagger: Duration::ZERO,
            pause: Duration::ZERO,
            affinity: None,
            engine_log: None,
        },
        sprt: None,
        min_score: None,
        draw_as_black_win: false,
        colours: Colours::default(),
    }
}

fn stage(name: &str, format: Format, minutes: u64) -> Stage {
    let time = TimeControl::sudden_death(Duration::from_secs(60 * minutes));
    Stage { name: name.to_owned(), format, time }
}

fn stages(event: Championship) -> Vec<Stage> {
    let event = Arc::new(event);
    let part = |name, part, minutes| stage(name, Format::Championship(Arc::clone(&event), part), minutes);
    vec![
        part("Preliminaries", Part::Groups, 30),
        part("Qualifying play-offs", Part::Qualifying, 15),
        part("Final", Part::Final, 30),
        part("Play-offs", Part::Places, 15),
    ]
}

fn hall(plan: Plan, seed: u64, fates: Fates, quirks: u64, agenda: Vec<Item>) -> Hall {
    let plan = Plan { seed, ..plan };
    let head = Arc::new(head(&plan));
    let scenario = Scenario { plan: Arc::new(plan), head, quirks, seed, fates: Some(fates) };
    Hall { scenario, quirks, agenda }
}

/// What may come: files that change at some game, engines that die, words of the chief referee.
fn fates(entrants: usize, (stages, rounds): (u64, u64), dice: &mut Dice) -> (Fates, Vec<Item>) {
    let game = GameId {
        stage: 1 + dice.below(stages) as u8,
        round: 1 + dice.below(rounds) as u32,
        pair: 1,
        leg: 1 + dice.below(2) as u8,
        attempt: 1,
    };
    let changed = dice.once_in(4).then(|| (dice.below(entrants as u64) as usize, game));
    let fates = Fates {
        draws: dice.pick(&[0, 20, 50, 80, 100]),
        dies: dice.pick(&[0, 9, 30]),
        changed,
        stop_at: None,
    };
    let mut agenda = Vec::new();
    let mut after = 0;
    while dice.once_in(2) && agenda.len() < 3 {
        after += 1 + dice.below(if agenda.is_empty() { 4 } else { 12 }) as usize;
        let who = dice.below(entrants as u64) as usize;
        let act =
            dice.pick(&[Act::Withdraw(who), Act::Rule, Act::Annul, Act::Replay, Act::Correct, Act::Correct]);
        agenda.push(Item { after, act });
    }
    (fates, agenda)
}

/// A championship of two to twelve entrants.
pub fn championship(seed: u64) -> Hall {
    let mut dice = Dice::new(seed ^ 0x2006_0808);
    let (groups, size) = loop {
        let (groups, size) = (1 + dice.below(3) as usize, 2 + dice.below(3) as usize);
        if groups * size <= 9 {
            break (groups, size);
        }
    };
    let most = size as u64;
    let qualify = (1 + dice.below(most) as usize).max(if groups == 1 { 2 } else { 1 });
    let entrants: Vec<Entrant> = (0..groups * size).map(|index| entrant(index, 1, &mut dice)).collect();
    let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let event = Championship {
        first_stage: 1,
        groups: lots::draw(seed, &names, groups),
        qualify,
        carry_over: dice.once_in(2),
        order: dice.pick(&[CycleOrder::Bouts, CycleOrder::Bouts, CycleOrder::Cycles]),
        guard: dice.pick(&[1, 2, 3]),
        seed,
    };
    let count = entrants.len();
    let plan = plan(Regulation::Championship, entrants, stages(event), &mut dice);
    let (fates, agenda) = fates(count, (4, 3), &mut dice);
    let quirks = dice.pick(&[0, 0, 0, 6]);
    hall(plan, seed, fates, quirks, agenda)
}

/// A man-machine match or a net players' meeting of one to four boards.
pub fn boards(seed: u64) -> Hall {
    let mut dice = Dice::new(seed ^ 0x2006_0809);
    let boards = 1 + dice.below(4) as usize;
    let meeting = !dice.once_in(3);
    let entrants: Vec<Entrant> = (0..2 * boards)
        .map(|index| {
            let members = if meeting && !dice.once_in(3) { 2 + dice.below(3) as usize } else { 1 };
            entrant(index, members, &mut dice)
        })
        .collect();
    let (regulation, minutes) =
        if meeting { (Regulation::NetMeeting, 50) } else { (Regulation::ManMachine, 45) };
    let count = entrants.len();
    let stages = vec![stage("Boards", Format::Boards { games: 2 }, minutes)];
    let plan = plan(regulation, entrants, stages, &mut dice);
    let (fates, agenda) = fates(count, (1, 1), &mut dice);
    let quirks = dice.pick(&[0, 0, 0, 6]);
    hall(plan, seed, fates, quirks, agenda)
}

/// A championship of three with everything in it, small enough to be cut everywhere: level games, engines
/// that die, a program that changes in the final, a game that is corrected.
pub fn small(seed: u64) -> Hall {
    let mut dice = Dice::new(seed ^ 0x2006_0810);
    let entrants: Vec<Entrant> = (0..3).map(|index| entrant(index, 1, &mut dice)).collect();
    let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let event = Championship {
        first_stage: 1,
        groups: lots::draw(seed, &names, 1),
        qualify: 2,
        carry_over: false,
        order: CycleOrder::Bouts,
        guard: 1,
        seed,
    };
    let mut plan = plan(Regulation::Championship, entrants, stages(event), &mut dice);
    plan.conduct.concurrency = 1;
    plan.conduct.lock = LockRule::Hold;
    let changed = Some((0, GameId { stage: 1, round: 1, pair: 1, leg: 2, attempt: 1 }));
    let fates = Fates { draws: 100, dies: 7, changed, stop_at: None };
    let agenda = vec![Item { after: 2, act: Act::Correct }, Item { after: 5, act: Act::Replay }];
    hall(plan, seed, fates, 0, agenda)
}
