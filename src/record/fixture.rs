//! A made-up run for tests: four entrants, a double round robin of 12 games with many kinds of ends.
//! Also compiled into `tests/reports.rs`. Start at [`events`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Manifest, Protocol};
use crate::game::{Adjudication, Outcome, Termination, TimeControl};
use crate::law::{Book, Rules, Ruling, Trail, Verdict, judge};
use crate::plan::{Conduct, CrashRule, Entrant, Grain, Plan, Points, Stage, Sync};
use crate::record::{
    CheckedIn, Event, FORMAT, GameBegan, GameOver, Host, Noted, Run, RunBegan, Settings, ThoughtRecord, What,
    termination_record,
};
use crate::time::At;
use crate::tournament::{Colours, CycleOrder, Format, GameId, Opening, OpeningBook, OpeningOrder, TieBreak};
use crate::xiangqi::{Position, START_FEN, Side, SquareStyle};

/// Names, with Chinese ones for three of four.
pub(crate) const NAMES: [(&str, Option<&str>); 4] =
    [("Wukong", Some("悟空象棋")), ("Tiger", Some("飞虎")), ("Lotus", None), ("River9", Some("九河"))];

/// Red, Black, how it ended: the double round robin of [`NAMES`] in bouts.
const GAMES: [(usize, usize, &str); 12] = [
    (0, 3, "mated black"),
    (3, 0, "no_capture"),
    (1, 2, "mated black"),
    (2, 1, "dead_position"),
    (3, 2, "repetition draw"),
    (2, 3, "flag red"),
    (0, 1, "max_length"),
    (1, 0, "repetition red"),
    (1, 3, "resigned black"),
    (3, 1, "illegal_move black"),
    (2, 0, "crashed red"),
    (0, 2, "no_move black"),
];

/// The quiet beginning of every game, legal from the start position.
const MOVES: &str = "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5";

pub(crate) fn plan(points: Points) -> Plan {
    let entrants = NAMES.into_iter().map(|(name, name_zh)| {
        let mut engine = Manifest::new(format!("/opt/{}", name.to_lowercase()), Protocol::Ucci);
        engine.args = vec!["--quiet".to_owned()];
        engine.options = vec![("hashsize".to_owned(), "16".to_owned())];
        Entrant {
            name: name.to_owned(),
            name_zh: name_zh.map(str::to_owned),
            engine: Arc::new(engine),
            team: Vec::new(),
            registration: Vec::new(),
            time: (name == "River9").then(|| TimeControl::parse("5s/move").unwrap()),
        }
    });
    let openings = (1..=8).map(|number| Opening {
        start: Position::start(),
        moves: Vec::new(),
        name: number.to_string(),
    });
    Plan {
        event: "Harbour Cup".to_owned(),
        site: "Ningbo".to_owned(),
        regulation: None,
        seed: 2006,
        commitment: None,
        entrants: entrants.collect(),
        stages: vec![Stage {
            name: "Final".to_owned(),
            format: Format::RoundRobin { cycles: 2, order: CycleOrder::Bouts },
            time: TimeControl::parse("60+0.5").unwrap(),
        }],
        rules: Rules::default(),
        points,
        tie_break: TieBreak::default(),
        openings: OpeningBook::new(openings.collect(), OpeningOrder::Shuffled, 2006, 0),
        sprt: None,
        min_score: None,
        draw_as_black_win: false,
        colours: Colours::default(),
        conduct: Conduct {
            concurrency: 2,
            crash: CrashRule::Loses,
            grain: Grain::Game,
            sync: Sync::EverySecond,
            margin: Duration::ZERO,
            patience: Duration::from_secs(30),
            lock: crate::plan::LockRule::Off,
            rotation: crate::plan::Rotation::Restart,
            screens: None,
            reuse: true,
            transcripts: true,
            warn: false,
            warn_uci: false,
            draw_offers: true,
            time_scale: 1.0,
            drain: Duration::from_secs(60),
            max_faults: None,
            adjudication: Adjudication::default(),
            max_failures: None,
            ready_patience: Duration::from_secs(30),
            stagger: Duration::ZERO,
            pause: Duration::ZERO,
            affinity: None,
            engine_log: None,
            time_budget: None,
        },
    }
}

pub(crate) fn host() -> Host {
    Host {
        cpu: "Abacus 9".to_owned(),
        threads: 2,
        memory_mib: 4096,
        system: "Linux 6.1".to_owned(),
        cores: None,
    }
}

/// A game that ends in a repetition: start, moves and ruling. In the draw both sides shuffle, in the other a
/// chariot of the loser chases a cannon whose only guard is pinned.
pub(crate) fn repetition(verdict: Verdict) -> (&'static str, String, Ruling) {
    let (fen, round) = match verdict {
        Verdict::Draw => ("4k3r/9/9/9/9/9/9/9/9/R2K5 w - - 0 1", "a0a1 i9i8 a1a0 i8i9"),
        Verdict::RedLoses => ("4k4/9/R8/4n4/6c2/9/9/9/4R4/5K3 w - - 0 1", "a7a5 g5g7 a5a7 g7g5"),
        Verdict::BlackLoses => ("9/9/3k5/5r3/9/9/9/9/9/4K4 b - - 0 1", "f6e6 e0f0 e6f6 f0e0"),
    };
    let moves = [round, round].join(" ");
    let mut trail = Trail::new(Position::from_fen(fen).unwrap());
    for word in moves.split(' ') {
        trail.play(SquareStyle::Zero.read(word.as_bytes()).unwrap());
    }
    let ruling = judge(&trail, 0..8, Book::Asian2006).unwrap();
    assert_eq!(ruling.verdict, verdict);
    (fen, moves, ruling)
}

/// A termination from a short text: its kind and the loser.
pub(crate) fn termination(text: &str) -> Termination {
    let (kind, word) = text.split_once(' ').unwrap_or((text, ""));
    let loser = if word == "red" { Side::Red } else { Side::Black };
    match kind {
        "mated" => Termination::Mated { loser },
        "no_move" => Termination::NoMove { loser },
        "repetition" => {
            let verdict = if word == "draw" { Verdict::Draw } else { Verdict::losing(Some(loser)) };
            Termination::Repetition(repetition(verdict).2)
        }
        "dead_position" => Termination::DeadPosition,
        "no_capture" => Termination::NoCapture,
        "max_length" => Termination::MaxLength,
        "flag" => Termination::Flag {
            loser,
            used: Duration::from_micros(1_503_100),
            allowed: Duration::from_micros(1_500_000),
        },
        "overrun_in_check" => Termination::OverrunInCheck {
            loser,
            used: Duration::from_micros(60_000_700),
            allowed: Duration::from_secs(60),
        },
        "illegal_move" => Termination::IllegalMove { loser, text: "h2h9 \"quoted\" }".to_owned() },
        "crashed" => Termination::Crashed { loser, how: "signal 11".to_owned() },
        "stalled" => Termination::Stalled { loser, waiting_for: "a move".to_owned() },
        "resigned" => Termination::Resigned { loser },
        "agreed" => Termination::Agreed,
        "adjudicated" => {
            let winner = (word != "draw").then_some(!loser);
            Termination::Adjudicated { winner, rule: if word == "draw" { "draw" } else { "resign" } }
        }
        "forfeited" => Termination::Forfeited { loser, reason: "withdrawn".to_owned() },
        "session_over" => Termination::SessionOver,
        "held" => Termination::Held { reason: "protest".to_owned() },
        "abandoned" => Termination::Abandoned { reason: "the runner was stopped".to_owned() },
        other => panic!("unknown kind {other}"),
    }
}

/// One text for every way a game can end.
pub(crate) const ENDS: [&str; 21] = [
    "mated red",
    "no_move black",
    "repetition draw",
    "repetition red",
    "dead_position",
    "no_capture",
    "max_length",
    "flag black",
    "illegal_move red",
    "crashed black",
    "stalled red",
    "resigned black",
    "forfeited black",
    "agreed",
    "adjudicated black",
    "adjudicated draw",
    "session_over",
    "held",
    "abandoned",
    "resigned red",
    "overrun_in_check black",
];

/// A finished game.
pub(crate) fn game_over(game: GameId, red: &str, black: &str, end: &str) -> GameOver {
    let termination = termination(end);
    let (fen, moves) = match &termination {
        Termination::Repetition(ruling) => {
            let (fen, moves, _) = repetition(ruling.verdict);
            (fen, moves)
        }
        _ => (START_FEN, MOVES.to_owned()),
    };
    let thoughts = [(35, None, 24, 1234), (-8, None, 23, 99), (0, Some(5), 30, 5000), (0, Some(-4), 29, 77)];
    let thought = |(cp, mate, depth, nodes): (i32, Option<i32>, u32, u64)| ThoughtRecord {
        cp: mate.is_none().then_some(cp),
        mate,
        depth: Some(depth),
        nodes: Some(nodes),
    };
    GameOver {
        members: Vec::new(),
        game,
        red: red.to_owned(),
        black: black.to_owned(),
        fen: fen.to_owned(),
        opening_plies: 2,
        opening: "central cannon 7".to_owned(),
        moves,
        used_us: vec![1_532_400, 900, 1_000_000, 2_000_000, 3_000, 40_000],
        thoughts: thoughts.into_iter().map(thought).collect(),
        lines: Vec::new(),
        result: termination.outcome().map(|outcome| Outcome::token(outcome).to_owned()),
        termination: termination_record(
            &termination,
            if termination.fault().is_some() {
                vec!["assertion failed".to_owned(), String::new()]
            } else {
                vec![]
            },
        ),
        left_us: [Some(58_000_000), None],
        time_controls: ["60+0.5".to_owned(), "5/move".to_owned()],
        took_us: 4_600_000,
        date: "2026-01-31T20:00:00+08:00".to_owned(),
        runner_delay_us: 120,
    }
}

/// The head of the run.
pub(crate) fn head(points: Points) -> RunBegan {
    RunBegan {
        format: FORMAT,
        program: "chuhe 0.1.0".to_owned(),
        settings: Settings::of(&plan(points)),
        config: serde_json::json!({"openings": {"file": "openings.epd", "order": "shuffled"}}),
        base: "/home/referee".to_owned(),
        sources: BTreeMap::from([("openings.epd".to_owned(), "9f86d081884c7d65".repeat(4))]),
        date: "2026-01-31T19:59:58+08:00".to_owned(),
        host: host(),
    }
}

/// Numbers events and gives them times.
pub(crate) fn numbered(whats: impl IntoIterator<Item = What>) -> Vec<Event> {
    let event = |(seq, what)| Event { seq, at: At(seq * 1_000_000), what };
    (0..).zip(whats).map(event).collect()
}

/// The whole run with a scale of points.
pub(crate) fn events(points: Points) -> Vec<Event> {
    let mut whats = vec![What::RunBegan(Box::new(head(points)))];
    whats.extend(NAMES.iter().map(|(name, _)| {
        What::CheckedIn(CheckedIn {
            member: 0,
            entrant: (*name).to_owned(),
            id_name: format!("{name} 1.2"),
            id_author: "nobody".to_owned(),
            took_us: 31_000,
            unknown_options: Vec::new(),
        })
    }));
    for (number, (red, black, end)) in (0u32..).zip(GAMES) {
        let bout = number / 2;
        let leg = if number % 2 == 0 { 1 } else { 2 };
        let game = GameId { stage: 1, round: bout / 2 + 1, pair: bout % 2 + 1, leg, attempt: 1 };
        let over = game_over(game, NAMES[red].0, NAMES[black].0, end);
        whats.push(What::GameBegan(GameBegan {
            locks: None,
            game,
            red: over.red.clone(),
            black: over.black.clone(),
            fen: over.fen.clone(),
            opening: "h2e2 h9g7".to_owned(),
            date: over.date.clone(),
        }));
        whats.push(What::GameOver(Box::new(over)));
    }
    whats.push(What::Noted(Noted {
        game: None,
        entrant: Some("Lotus".to_owned()),
        kind: "unknown_option".to_owned(),
        text: "the engine does not list these options, so they were not sent: Threads".to_owned(),
    }));
    whats.push(What::RunOver { reason: "complete".to_owned() });
    numbered(whats)
}

/// The run folded.
pub(crate) fn run(points: Points) -> Run {
    let mut run = Run::new();
    for event in events(points) {
        run.apply(&event).unwrap();
    }
    run
}

/// A match of two engines on the scale with halves: three pairs of games, one game not yet played.
pub(crate) fn match_events() -> Vec<Event> {
    let mut plan = plan(Points::OneHalfZero);
    plan.entrants.truncate(2);
    plan.stages[0].format = Format::Pairs { pairs: 3 };
    let ends = ["mated black", "agreed", "flag red", "no_capture", "resigned red"];
    let games = (0u32..).zip(ends).map(|(number, end)| {
        let leg = if number % 2 == 0 { 1 } else { 2 };
        let game = GameId { stage: 1, round: number / 2 + 1, pair: 1, leg, attempt: 1 };
        let (red, black) = if leg == 1 { (0, 1) } else { (1, 0) };
        What::GameOver(Box::new(game_over(game, NAMES[red].0, NAMES[black].0, end)))
    });
    let head = RunBegan { settings: Settings::of(&plan), ..head(Points::OneHalfZero) };
    numbered(std::iter::once(What::RunBegan(Box::new(head))).chain(games))
}

/// A run whose names and texts try to break every format.
pub(crate) fn hostile_events() -> Vec<Event> {
    let mut head = head(Points::TwoOneZero);
    let names = ["=cmd|'<b>\"&", "a\u{1b}[31m|b\n# x", "<script>alert(1)</script>", "{}\\,\"\r\n@"];
    head.settings.event = "<b>\"Cup\" \\ | \u{1b}[0m".to_owned();
    for (entrant, name) in head.settings.entrants.iter_mut().zip(names) {
        entrant.name = name.to_owned();
        entrant.name_zh = Some(name.to_owned());
    }
    let games = (1u32..).zip(ENDS).map(|(round, end)| {
        let game = GameId { stage: 1, round, pair: 1, leg: 1, attempt: 1 };
        let (red, black) = (names[round as usize % 4], names[(round as usize + 1) % 4]);
        let mut over = game_over(game, red, black, end);
        over.opening = "<b>|{\"".to_owned();
        if let Some(detail) = &mut over.termination.detail.as_mut().filter(|_| !end.starts_with("adj")) {
            **detail = "<b>}{\u{1b}\n|".to_owned();
        }
        What::GameOver(Box::new(over))
    });
    let games: Vec<What> = games.collect();
    numbered(std::iter::once(What::RunBegan(Box::new(head))).chain(games))
}

/// A long match: so many games between two engines.
pub(crate) fn long_events(games: u32) -> Vec<Event> {
    let mut plan = plan(Points::TwoOneZero);
    plan.entrants.truncate(2);
    plan.stages[0].format = Format::Pairs { pairs: games / 2 };
    let head = RunBegan { settings: Settings::of(&plan), ..head(Points::TwoOneZero) };
    let games = (0..games).map(|number| {
        let leg = if number % 2 == 0 { 1 } else { 2 };
        let game = GameId { stage: 1, round: number / 2 + 1, pair: 1, leg, attempt: 1 };
        let (red, black) = if leg == 1 { (0, 1) } else { (1, 0) };
        let end = ENDS[number as usize % 15];
        What::GameOver(Box::new(game_over(game, NAMES[red].0, NAMES[black].0, end)))
    });
    numbered(std::iter::once(What::RunBegan(Box::new(head))).chain(games))
}

/// A game of 161 half-moves with all its times and thoughts.
pub(crate) fn long_game() -> Event {
    let game = GameId { stage: 1, round: 1, pair: 1, leg: 1, attempt: 1 };
    let mut over = game_over(game, NAMES[0].0, NAMES[1].0, "mated red");
    over.moves = ["h2e2"; 161].join(" ");
    over.used_us = vec![1_532_400; 159];
    over.thoughts = vec![over.thoughts[0]; 159];
    Event { seq: 1, at: At(1), what: What::GameOver(Box::new(over)) }
}
