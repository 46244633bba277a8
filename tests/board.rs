//! The board against known counts and against itself: perft, and what must hold in every position,
//! reached by play or put together at random. It never looks at repetition, clocks or engines.
//! Start at [`holds`].

mod support;

use std::time::Instant;

use chuhe::xiangqi::{Kind, Move, Piece, Position, START_FEN, Setup, Side, Square, SquareStyle, perft};
use proptest::prelude::*;

/// Counts of the start position that are known everywhere, from depth 1 on.
const START_COUNTS: [u64; 4] = [44, 1_920, 79_666, 3_290_240];

/// Most nodes of a row of the shared perft table that is counted, unless `CHUHE_PERFT_MAX` says
/// otherwise: seconds when optimised, and seconds when not.
const MOST_NODES: u64 = if cfg!(debug_assertions) { 4_000_000 } else { 50_000_000 };

fn count(fen: &str, depth: u32, expected: u64) {
    let position = Position::from_fen(fen).unwrap_or_else(|why| panic!("{fen}: {why}"));
    assert_eq!(perft(&position, depth), expected, "{fen} at depth {depth}");
}

#[test]
fn perft_of_the_start_position() {
    let begun = Instant::now();
    for (depth, nodes) in (1..).zip(START_COUNTS) {
        count(START_FEN, depth, nodes);
    }
    let nodes: u64 = START_COUNTS.iter().sum();
    println!("start position: {:.1} million nodes/s", nodes as f64 / begun.elapsed().as_secs_f64() / 1e6);
}

/// Each of these shows a rule at work; the counts are reasoned, not computed.
#[test]
fn perft_of_small_positions() {
    // The general may go ahead or to f0; on d0 it would face the other.
    count("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1", 1, 2);
    // The soldier between the generals may go ahead but not leave the file; the general has 3 moves.
    count("4k4/9/9/9/4P4/9/9/9/9/4K4 w - - 0 1", 1, 4);
    // All legs of the horse are occupied: soldiers 3 (past the river), 1, 1 and 0, the general 3.
    count("3k5/9/9/9/4P4/3PNP3/4P4/9/9/4K4 w - - 0 1", 1, 8);
    // No check and no move.
    count("3k5/9/9/9/9/9/9/9/4p4/3p1K3 w - - 0 1", 1, 0);
    // Elephants: one with an eye occupied 1, one at the river, which it never crosses, 2; the soldier on
    // the eye 1, the general 3.
    count("3k5/9/9/9/9/6B2/9/9/3P5/2B1K4 w - - 0 1", 1, 7);
    // Only the cannon can move: 8 points along its rank, e2, e3, and over the screen on e4 the capture of e5.
    count("3k5/9/9/9/4p4/4p4/9/9/4C4/3AKA3 w - - 0 1", 1, 11);
}

#[test]
fn perft_of_the_shared_rows() {
    let Some(path) = support::shared("perft.json") else { return };
    let most = std::env::var("CHUHE_PERFT_MAX").map_or(MOST_NODES, |text| text.parse().unwrap());
    let rows: Vec<serde_json::Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut counted, mut nodes, begun) = (0, 0, Instant::now());
    for row in &rows {
        let expected = row["nodes"].as_u64().unwrap();
        if expected <= most {
            let depth = u32::try_from(row["depth"].as_u64().unwrap()).unwrap();
            count(row["fen"].as_str().unwrap(), depth, expected);
            counted += 1;
            nodes += expected;
        }
    }
    let rate = nodes as f64 / begun.elapsed().as_secs_f64() / 1e6;
    println!(
        "{counted} of {} rows (up to {most} nodes), {nodes} nodes, {rate:.1} million nodes/s",
        rows.len()
    );
    assert!(counted > 0, "no row of the table was counted");
}

/// The same board with every point mapped and, if wanted, the colours exchanged.
fn mapped(position: &Position, point: impl Fn(Square) -> Square, exchange: bool) -> Position {
    let mut setup = position.setup();
    for (square, _) in position.board().pieces() {
        setup.board.lift(square);
    }
    for (square, piece) in position.board().pieces() {
        let side = if exchange { !piece.side() } else { piece.side() };
        setup.board.put(point(square), Piece::new(side, piece.kind()));
    }
    if exchange {
        setup.side = !setup.side;
    }
    setup.playable().expect("the image of a playable position is playable")
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.into_iter().collect();
    moves.sort();
    moves
}

fn all_moves() -> impl Iterator<Item = Move> {
    Square::all().flat_map(|from| Square::all().map(move |to| Move::new(from, to)))
}

/// What must hold in every position.
fn holds(position: &Position) {
    let moves = sorted(position.legal_moves());
    assert_eq!(moves, sorted(all_moves().filter(|mv| position.is_legal(*mv))), "{position:?}");
    assert_eq!(moves.len() as u64, position.count_legal(), "{position:?}");
    assert_eq!(!moves.is_empty(), position.has_legal_move(), "{position:?}");
    let mut captures = Vec::new();
    position.each_capture(|mv| captures.push(mv));
    assert_eq!(sorted(captures), sorted(moves.iter().copied().filter(|mv| position.get(mv.to).is_some())));

    assert_eq!(Position::from_fen(&position.fen()).as_ref(), Ok(position));
    assert_eq!(position.key(), position.key_from_scratch());
    for side in Side::BOTH {
        assert_eq!(position.get(position.general(side)), Some(Piece::new(side, Kind::General)));
        let attackers = position.board().attackers_of_general(position.general(side), side);
        assert_eq!(position.in_check(side), !attackers.is_empty(), "{position:?} {side}");
    }
    assert!(!position.in_check(!position.side()), "{position:?}");
    for mv in &moves {
        made_and_unmade(position, *mv);
    }

    let mirrored = mapped(position, Square::mirrored, false);
    assert_eq!(sorted(mirrored.legal_moves()), sorted(moves.iter().map(|mv| mv.mirrored())), "{position:?}");
    let flipped = mapped(position, Square::flipped, true);
    assert_eq!(sorted(flipped.legal_moves()), sorted(moves.iter().map(|mv| mv.flipped())), "{position:?}");
}

fn made_and_unmade(position: &Position, mv: Move) {
    let mut other = position.clone();
    let captured = position.get(mv.to);
    let undo = other.make(mv);
    assert_eq!(undo.captured(), captured);
    assert_eq!(other, position.after(mv));
    assert_eq!(other.key(), other.key_from_scratch(), "{position:?} {mv}");
    assert_ne!(other.key(), position.key(), "{position:?} {mv}");
    assert_eq!(other.side(), !position.side());
    assert_eq!(other.quiet(), if captured.is_some() { 0 } else { position.quiet().saturating_add(1) });
    assert_eq!(other.number(), position.number() + u32::from(position.side() == Side::Black));
    // What was made is playable: the strict reader accepts it, whole.
    assert_eq!(Position::from_fen(&other.fen()), Ok(other.clone()), "{position:?} {mv}");
    other.unmake(undo);
    assert_eq!(&other, position, "{mv} taken back");
    for style in [SquareStyle::Zero, SquareStyle::One] {
        let mut text = Vec::new();
        style.write(mv, &mut text);
        assert_eq!(style.read(&text), Some(mv));
        assert_eq!(style.read(&text.to_ascii_uppercase()), Some(mv));
    }
}

/// A position some plies after the start, each move chosen by a number.
fn by_play() -> impl Strategy<Value = Position> {
    prop::collection::vec(any::<u16>(), 0..160).prop_map(|choices| {
        let mut position = Position::start();
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[usize::from(choice) % moves.len()]);
        }
        position
    })
}

/// Pieces anywhere, also where no game brings them, the generals in their palaces; whatever can be
/// played of it.
fn by_placement() -> impl Strategy<Value = Position> {
    let piece = (any::<bool>(), 1..7usize, 0..90usize);
    let pieces = prop::collection::vec(piece, 0..24);
    (0..9usize, 0..9usize, pieces, any::<bool>(), 0..100u16, 1..300u32).prop_filter_map(
        "cannot be played",
        |(red, black, pieces, red_moves, quiet, number)| {
            let side = |red: bool| if red { Side::Red } else { Side::Black };
            let palace = |at: usize| Square::at(3 + (at % 3) as i8, (at / 3) as i8);
            let mut setup = Setup { side: side(red_moves), quiet, number, ..empty() };
            for (is_red, kind, at) in pieces {
                setup.board.put(Square::from_index(at)?, Piece::new(side(is_red), Kind::ALL[kind]));
            }
            setup.board.put(palace(red)?, Piece::new(Side::Red, Kind::General));
            setup.board.put(palace(black)?.flipped(), Piece::new(Side::Black, Kind::General));
            // The side in check is to move, if only one is.
            setup.playable().or_else(|_| Setup { side: !setup.side, ..setup }.playable()).ok()
        },
    )
}

fn empty() -> Setup {
    Setup::parse("9/9/9/9/9/9/9/9/9/9 w").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_position_reached_by_play_holds(position in by_play()) {
        holds(&position);
    }

    #[test]
    fn every_position_put_together_holds(position in by_placement()) {
        holds(&position);
    }

    #[test]
    fn a_game_taken_back_ends_where_it_began(choices in prop::collection::vec(any::<u16>(), 0..200)) {
        let mut position = Position::start();
        let mut undos = Vec::new();
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            undos.push(position.make(moves[usize::from(choice) % moves.len()]));
        }
        while let Some(undo) = undos.pop() {
            position.unmake(undo);
        }
        prop_assert_eq!(position, Position::start());
    }

    #[test]
    fn no_text_breaks_the_readers(text in "\\PC{0,120}", bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        let _ = Setup::parse(&text);
        for style in [SquareStyle::Zero, SquareStyle::One] {
            if let Some(mv) = style.read(&bytes) {
                let mut written = Vec::new();
                style.write(mv, &mut written);
                prop_assert_eq!(style.read(&written), Some(mv));
            }
        }
    }

    #[test]
    fn a_bent_fen_is_refused_or_reads_back(
        at in 0..START_FEN.len(),
        letter in "[A-Za-z0-9/ _\\[\\];-]",
        more in prop::bool::ANY,
    ) {
        let end = if more { at } else { at + 1 };
        let bent = format!("{}{letter}{}", &START_FEN[..at], &START_FEN[end..]);
        if let Ok(setup) = Setup::parse(&bent) {
            prop_assert_eq!(Setup::parse(&setup.fen()), Ok(setup));
        }
    }
}
