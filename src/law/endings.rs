//! How a game ends by rule after a half-move, in the order of `asian-rules.md` 4: no legal move,
//! repetition, dead position, no-capture limit, maximum length. Time and legality come before all of
//! these and belong to the referee. Start at [`ending`].

use std::ops::Range;

use super::judge::{judge, verdict};
use super::rules::{CheckCounting, NoCapture, Rules};
use super::ruling::Ruling;
use super::trail::Trail;
use crate::xiangqi::{Kind, Move, Side};

/// An ending by rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The side to move has no legal move and loses: mate if in check, else stalemate.
    NoLegalMove {
        /// The side that loses.
        loser: Side,
        /// Whether it stands in check.
        in_check: bool,
    },
    /// The position has stood as often as the rules allow.
    Repetition(Ruling),
    /// Neither side has a piece that can attack.
    DeadPosition,
    /// The no-capture limit is reached.
    NoCapture,
    /// The game is as long as it may be.
    MaxLength,
}

/// Whether and how the game has ended at the present position.
pub fn ending(trail: &Trail, rules: &Rules) -> Option<Ending> {
    let position = trail.position();
    if !position.has_legal_move() {
        return Some(Ending::NoLegalMove { loser: position.side(), in_check: trail.in_check() });
    }
    if let Some(ruling) = repetition(trail, rules) {
        return Some(Ending::Repetition(ruling));
    }
    if rules.dead_position && dead(trail) {
        return Some(Ending::DeadPosition);
    }
    if rules.no_capture.is_some_and(|limit| no_capture(trail, limit)) {
        return Some(Ending::NoCapture);
    }
    if rules.max_plies.is_some_and(|most| trail.plies() >= most as usize) {
        return Some(Ending::MaxLength);
    }
    None
}

/// Whether the side to move would complete a repetition that it loses by playing `mv` (legal): what
/// UCCI's `banmoves` lists.
pub fn loses_by_repetition(trail: &Trail, rules: &Rules, mv: Move) -> bool {
    if trail.occurrences_after(mv) < rules.repetition.occurrences {
        return false;
    }
    let side = trail.position().side();
    let mut ahead = trail.clone();
    ahead.play(mv);
    repeated(&ahead, rules)
        .and_then(|span| verdict(&ahead, span, rules.repetition.book).ok())
        .is_some_and(|verdict| verdict.loser() == Some(side))
}

/// The span to judge, if the present position stands for the time that the rules ask for: from the first
/// of those occurrences to now.
fn repeated(trail: &Trail, rules: &Rules) -> Option<Range<usize>> {
    let earlier = rules.repetition.occurrences.checked_sub(2)?;
    let first = trail.earlier().nth(earlier as usize)?;
    Some(first..trail.plies())
}

/// Appends the legal moves by which the side to move would lose by repetition at once. Costs nothing
/// while no position has stood often enough for the next move to complete a repetition.
pub fn losing_moves(trail: &Trail, rules: &Rules, found: &mut Vec<Move>) {
    let before = rules.repetition.occurrences.saturating_sub(1).max(1);
    // Positions with the opponent to move stand after every second half-move, counted from the last.
    let halves = &trail.halves()[trail.cut()..];
    if !halves.iter().rev().skip(1).step_by(2).any(|half| half.occurrences >= before) && before > 1 {
        return;
    }
    trail.position().each_legal(|mv| {
        if loses_by_repetition(trail, rules, mv) {
            found.push(mv);
        }
    });
}

fn repetition(trail: &Trail, rules: &Rules) -> Option<Ruling> {
    if trail.occurrences() < rules.repetition.occurrences {
        return None;
    }
    let span = repeated(trail, rules)?;
    judge(trail, span, rules.repetition.book).ok()
}

fn dead(trail: &Trail) -> bool {
    let captured = trail.halves().last().is_none_or(|half| half.captured.is_some());
    captured
        && trail
            .position()
            .board()
            .pieces()
            .all(|(_, piece)| matches!(piece.kind(), Kind::General | Kind::Advisor | Kind::Elephant))
}

/// Counts plies since the last capture (going on from the FEN's counter) as the limit says.
fn no_capture(trail: &Trail, limit: NoCapture) -> bool {
    let quiet = u32::from(trail.position().quiet());
    if quiet < limit.plies {
        return false;
    }
    let first = match limit.checks {
        CheckCounting::All => return true,
        CheckCounting::First10 => 10,
        CheckCounting::None => 0,
    };
    let halves = &trail.halves()[trail.cut()..];
    let mut checks = [0u32; 2];
    let mut left_out = 0u32;
    let mut answered = false;
    for (index, half) in halves.iter().enumerate() {
        let uncounted = if half.check {
            let count = &mut checks[index % 2];
            *count += 1;
            *count > first
        } else {
            false
        };
        left_out += u32::from(uncounted || answered);
        answered = uncounted;
    }
    quiet - left_out.min(quiet) >= limit.plies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::{Position, SquareStyle};

    fn play(fen: &str, moves: &str) -> Trail {
        let mut trail = Trail::new(Position::from_fen(fen).unwrap());
        for word in moves.split_whitespace() {
            let mv = SquareStyle::Zero.read(word.as_bytes()).unwrap();
            assert!(trail.position().is_legal(mv), "{word}");
            trail.play(mv);
        }
        trail
    }

    #[test]
    fn mate_and_stalemate_lose() {
        let loser = Side::Black;
        let mate = play("4k4/9/9/9/9/9/9/8R/7R1/5K3 w", "h1h8 e9d9 i2i9");
        assert_eq!(ending(&mate, &Rules::default()), Some(Ending::NoLegalMove { loser, in_check: true }));
        let stale = play("3k5/9/9/9/9/9/9/9/7R1/4K4 w", "h1h8");
        assert_eq!(ending(&stale, &Rules::default()), Some(Ending::NoLegalMove { loser, in_check: false }));
    }

    #[test]
    fn bare_defenders_are_a_dead_position() {
        let trail = play("3k1a3/9/9/9/9/9/9/9/4p4/4K4 w", "e0e1");
        assert_eq!(ending(&trail, &Rules::default()), Some(Ending::DeadPosition));
        let off = Rules { dead_position: false, ..Rules::default() };
        assert_eq!(ending(&trail, &off), None);
    }

    const SHUFFLE: &str = "a0a1 i9i8 a1a2 i8i7 a2a3 i7i6 a3a4 i6i5 a4a5 i5i4";

    #[test]
    fn limits_end_the_game_when_nothing_else_does() {
        let game = play("4k3r/9/9/9/9/9/9/9/9/R2K5 w - - 3 1", SHUFFLE);
        let limit =
            |plies, checks| Rules { no_capture: Some(NoCapture { plies, checks }), ..Rules::default() };
        for checks in CheckCounting::ALL {
            assert_eq!(ending(&game, &limit(13, checks)), Some(Ending::NoCapture), "counts on from the FEN");
            assert_eq!(ending(&game, &limit(14, checks)), None);
        }
        let length = |most| Rules { max_plies: Some(most), ..Rules::default() };
        assert_eq!(ending(&game, &length(10)), Some(Ending::MaxLength));
        assert_eq!(ending(&game, &length(11)), None);
    }

    #[test]
    fn checks_and_their_answers_may_be_left_out_of_the_count() {
        let game = play("4k4/9/9/9/9/9/9/9/R8/3K5 w", "a1e1 e9f9 e1f1 f9e9 f1g1 e9e8");
        let limit =
            |plies, checks| Rules { no_capture: Some(NoCapture { plies, checks }), ..Rules::default() };
        assert_eq!(ending(&game, &limit(6, CheckCounting::All)), Some(Ending::NoCapture));
        assert_eq!(ending(&game, &limit(6, CheckCounting::First10)), Some(Ending::NoCapture));
        assert_eq!(ending(&game, &limit(3, CheckCounting::None)), None, "two checks, two answers, two quiet");
        assert_eq!(ending(&game, &limit(2, CheckCounting::None)), Some(Ending::NoCapture));
    }

    #[test]
    fn a_mate_beats_every_limit_and_a_repetition_the_count() {
        let strict = Rules {
            no_capture: Some(NoCapture { plies: 1, checks: CheckCounting::All }),
            max_plies: Some(1),
            ..Rules::default()
        };
        let mate = play("4k4/9/9/9/9/9/9/8R/7R1/5K3 w", "h1h8 e9d9 i2i9");
        assert_eq!(ending(&mate, &strict), Some(Ending::NoLegalMove { loser: Side::Black, in_check: true }));
        let round = "a0a1 i9i8 a1a0 i8i9";
        let twice = play("4k3r/9/9/9/9/9/9/9/9/R2K5 w", &format!("{round} {round}"));
        assert!(matches!(ending(&twice, &strict), Some(Ending::Repetition(ruling)) if ruling.span == (0..8)));
    }
}
