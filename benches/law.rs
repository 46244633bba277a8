//! How fast spans are judged, and what an ordinary game pays for the law when nothing repeats. Plain
//! timing: `cargo bench --bench law`. Start at [`main`].

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use chuhe::law::{Book, Rules, Trail, ending, judge, play_loop, verdict};
use chuhe::xiangqi::{Move, Position, SquareStyle};

/// Position, loop: 4 to 12 plies, few and many pieces.
const LOOPS: [(&str, &str); 6] = [
    ("9/9/4k4/9/9/2R6/c8/9/3K5/9 w", "c4c3 a3a4 c3c4 a4a3"),
    ("5k3/9/9/9/9/9/7r1/4N4/2nRA3c/3nK4 w", "e1f0 h3h1 f0e1 h1h3"),
    ("3a1k3/9/3R5/9/4n4/9/9/3A5/9/4K4 w", "d7e7 e5c6 e7e6 c6d8 e6d6 d8f7 d6d7 f7e5"),
    ("3k5/9/9/9/8C/9/pp5pp/9/r7r/4K4 b", "i1h1 i5a5 a1b1 a5h5 h1i1 h5b5 b1a1 b5i5"),
    ("r1bakab1r/9/1cn4c1/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R w", "a0a1 i9i8 a1a0 i8i9"),
    (
        "r1bakab1r/9/1cn4c1/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R w",
        "a0a1 i9i8 a1d1 i8f8 d1f1 f8d8 f1d1 d8f8 d1a1 f8i8 a1a0 i8i9",
    ),
];

fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().filter_map(|word| SquareStyle::Zero.read(word.as_bytes())).collect()
}

fn repetition(fen: &str, round: &str) -> Option<(Trail, Range<usize>)> {
    let trail = play_loop(Position::from_fen(fen).ok()?, &[], &moves(round), 3).ok()?;
    let first = trail.earlier().nth(1)?;
    let span = first..trail.plies();
    Some((trail, span))
}

fn per_second(times: u32, mut work: impl FnMut()) -> f64 {
    let begun = Instant::now();
    for _ in 0..times {
        work();
    }
    f64::from(times) / begun.elapsed().as_secs_f64()
}

fn main() {
    for (fen, round) in LOOPS {
        let Some((trail, span)) = repetition(fen, round) else {
            println!("no loop: {fen}");
            continue;
        };
        let quick = per_second(20_000, || {
            let _ = black_box(verdict(&trail, span.clone(), Book::Asian2006));
        });
        let full = per_second(500, || {
            let _ = black_box(judge(&trail, span.clone(), Book::Asian2006));
        });
        println!("{:2} plies judged: {quick:8.0} verdicts/s, {full:7.0} full rulings/s", span.len());
    }
    let (game, rules) = (ordinary_game(), Rules::default());
    let played = |ask: &dyn Fn(&Trail)| {
        let games = per_second(5_000, || {
            let mut trail = Trail::new(Position::start());
            for mv in &game {
                trail.play(*mv);
                ask(&trail);
            }
        });
        1e9 / games / game.len() as f64
    };
    let bare = played(&|trail| {
        black_box(trail);
    });
    let repeats = played(&|trail| {
        black_box(trail.occurrences());
    });
    let law = played(&|trail| {
        black_box(ending(trail, &rules));
    });
    println!(
        "{} plies without repetition, ns a ply: {bare:.0} to play, {repeats:.0} with repeats looked for, {law:.0} with every ending asked",
        game.len()
    );
}

/// A game in which no position comes twice: the first legal quiet move that leads to a new one.
fn ordinary_game() -> Vec<Move> {
    let mut trail = Trail::new(Position::start());
    let mut game = Vec::new();
    while game.len() < 100 {
        let position = trail.position();
        let moves = position.legal_moves();
        let start = game.len() * 7 % moves.len().max(1);
        let new = moves.iter().cycle().skip(start).take(moves.len()).find(|mv| {
            let mut ahead = trail.clone();
            ahead.play(**mv);
            position.get(mv.to).is_none() && ahead.occurrences() == 1
        });
        let Some(mv) = new else { break };
        trail.play(*mv);
        game.push(*mv);
    }
    game
}
