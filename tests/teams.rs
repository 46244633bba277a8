//! Teams at a table in virtual time: members move in turn on one clock, all are ready before the game
//! begins, a member that dies is started again at its turn. Start at [`play`].

use std::sync::Arc;
use std::time::Duration;

use chuhe::engine::{Manifest, Protocol};
use chuhe::game::{Game, Terms, TimeControl};
use chuhe::law::Rules;
use chuhe::plan::CrashRule;
use chuhe::table::{Chair, Effect, Input, Manners, Table};
use chuhe::time::At;
use chuhe::xiangqi::{BySide, Position, Side};

/// Which member of each side's team made each move; the engines answer with the first legal move after a
/// millisecond. `dies` is a half-move before which the member whose turn it is has died.
fn play(
    red: usize,
    black: usize,
    plies: usize,
    dies: Option<usize>,
) -> (Vec<(Side, usize)>, Table, Vec<String>) {
    let control = TimeControl::parse("60").expect("a time");
    let terms = Terms {
        rules: Rules::default(),
        controls: BySide { red: control, black: control },
        margin: Duration::ZERO,
        patience: Duration::from_secs(60),
        draw_offers: false,
        adjudication: chuhe::game::Adjudication::default(),
        draw_as_black_win: false,
    };
    let start = Position::start();
    let manifest = Arc::new(Manifest::new("/opt/member", Protocol::Ucci));
    let chair = || Chair::absent(&manifest, &start);
    let manners = Manners {
        crash: CrashRule::Restart,
        warn: false,
        warn_uci: false,
        patience: Duration::from_secs(60),
    };
    let game = Game::new(terms, start.clone(), &[]);
    let mut table = Table::new(game, BySide { red: chair(), black: chair() }, manners)
        .with_team(Side::Red, (1..red).map(|_| chair()).collect())
        .with_team(Side::Black, (1..black).map(|_| chair()).collect());
    let (mut at, mut movers, mut notes) = (At::ZERO, Vec::new(), Vec::new());
    let mut effects = Vec::new();
    let mut inputs: Vec<(Side, Given)> = Vec::new();
    table.step(at, Input::Begin, &mut effects);
    let mut died = false;
    while movers.len() < plies {
        for effect in std::mem::take(&mut effects) {
            match effect {
                Effect::Start(side) => inputs.push((side, Given::Started)),
                Effect::Send(side) => {
                    let text = String::from_utf8(std::mem::take(table.outbox(side))).expect("words");
                    inputs.push((side, Given::Sent));
                    for line in text.lines() {
                        match line.split(' ').next() {
                            Some("ucci") => inputs.push((side, Given::Line("ucciok".to_owned()))),
                            Some("isready") => inputs.push((side, Given::Line("readyok".to_owned()))),
                            Some("go") if dies == Some(movers.len()) && !died => {
                                died = true;
                                inputs.push((side, Given::Closed));
                            }
                            Some("go") => {
                                let mv = first_move(&table);
                                inputs.push((side, Given::Line(format!("bestmove {mv}"))));
                            }
                            _ => {}
                        }
                    }
                }
                Effect::Moved(made, _) => movers.push((made.side, table.member(made.side))),
                Effect::Note(_, kind, _) => notes.push(kind.to_owned()),
                Effect::Over(why) => panic!("over: {why:?}"),
                Effect::Overran(..) | Effect::Advised(..) => panic!("nobody overruns or advises"),
                Effect::Rotate(_) | Effect::Kill(_) | Effect::Settled => {}
            }
        }
        assert!(!inputs.is_empty(), "nothing happens after {movers:?}");
        let (side, given) = inputs.remove(0);
        at += Duration::from_millis(1);
        match given {
            Given::Started => table.step(at, Input::Started(side), &mut effects),
            Given::Sent => table.step(at, Input::Sent(side), &mut effects),
            Given::Line(line) => table.step(at, Input::Line(side, line.as_bytes()), &mut effects),
            Given::Closed => table.step(at, Input::Closed(side, "signal 9"), &mut effects),
        }
    }
    (movers, table, notes)
}

enum Given {
    Started,
    Sent,
    Line(String),
    Closed,
}

fn first_move(table: &Table) -> String {
    let mut first = None;
    table.game().trail().position().each_legal(|mv| first = Some(mv).filter(|_| first.is_none()).or(first));
    first.expect("a move").to_string()
}

#[test]
fn members_move_in_turn_on_the_clock_of_their_side() {
    for (red, black) in [(1, 1), (3, 1), (1, 2), (5, 3)] {
        let (movers, table, _) = play(red, black, 14, None);
        for (ply, (side, member)) in movers.iter().enumerate() {
            let (expected, size) = if ply % 2 == 0 { (Side::Red, red) } else { (Side::Black, black) };
            assert_eq!((*side, *member), (expected, ply / 2 % size), "{red} against {black}");
        }
        let left = Side::BOTH.map(|side| table.game().clock(side).left().expect("a clock"));
        let used = left.map(|left| Duration::from_secs(60) - left);
        assert!(used.iter().all(|used| *used >= Duration::from_millis(7)), "one clock a side: {used:?}");
    }
}

#[test]
fn a_member_that_dies_is_started_again_at_its_turn() {
    let (movers, table, notes) = play(3, 1, 12, Some(4));
    let red: Vec<usize> =
        movers.iter().filter(|(side, _)| *side == Side::Red).map(|(_, member)| *member).collect();
    assert_eq!(red, [0, 1, 2, 0, 1, 2]);
    assert!(notes.contains(&"restarted".to_owned()), "{notes:?}");
    assert!(table.game().clock(Side::Red).left() < table.game().clock(Side::Black).left());
}
