//! How long to think: from what the clock shows to a budget for one move.
//! Never reads a clock. Start at [`Budget`].

use std::time::Duration;

/// What the clock of the side to move shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time comes; `None` if it must last for the whole game.
    pub moves: Option<u32>,
}

/// Time for one move, from the moment its clock started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// No further depth is begun after this.
    pub soft: Duration,
    /// The search ends at this.
    pub hard: Duration,
}

/// Kept on the clock whatever happens: for pipes, the system's scheduler and the runner.
const RESERVE: Duration = Duration::from_millis(30);

/// What a move may cost besides thinking when the machine is busy. A clock that runs down reaches a
/// point from which every move is answered at once: with nothing added, 230 ms.
const OVERHEAD: Duration = Duration::from_millis(4);

/// A game is planned as if this many moves were still to come.
const MOVES_TO_COME: u32 = 50;

impl Budget {
    /// A budget for one move of a fixed length.
    pub fn of_move(length: Duration) -> Budget {
        let all = length.saturating_sub((length / 5).min(RESERVE));
        Budget { soft: all, hard: all }
    }

    /// A budget from a clock: never more than four fifths of what is there.
    pub fn of_clock(clock: Clock) -> Budget {
        let usable = clock.left.saturating_sub(RESERVE);
        let moves = clock.moves.unwrap_or(MOVES_TO_COME).clamp(1, MOVES_TO_COME);
        let share = (usable / moves).saturating_add(clock.increment / 4 * 3).saturating_sub(OVERHEAD);
        let most = usable / 5 * 4;
        let share = share.min(most);
        Budget { soft: share / 10 * 6, hard: (share / 2).saturating_mul(5).min(most) }
    }

    /// Hundredths of this budget.
    pub(super) fn percent(self, percent: u32) -> Budget {
        Budget { soft: self.soft / 100 * percent, hard: self.hard / 100 * percent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn hard(left: u64, increment: u64, moves: Option<u32>) -> Duration {
        Budget::of_clock(Clock { left: ms(left), increment: ms(increment), moves }).hard
    }

    #[test]
    fn budgets_stay_within_the_clock() {
        for left in [0, 1, 20, 31, 50, 80, 200, 1000, 60_000, 7_200_000] {
            for increment in [0, 10, 1000, 60_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(60)] {
                    let hard = hard(left, increment, moves);
                    assert!(hard <= ms(left).saturating_sub(RESERVE) / 5 * 4, "{left} {increment} {moves:?}");
                }
            }
        }
        assert_eq!(hard(200, 0, None), Duration::ZERO, "answers at once");
        assert!(hard(1000, 0, Some(1)) > ms(700));
        assert_eq!(Budget::of_move(ms(100)).hard, ms(80));
        assert_eq!(Budget::of_move(ms(1000)).hard, ms(970));
        assert_eq!(Budget::of_move(ms(0)).hard, ms(0));
    }

    /// Every move uses its whole hard budget, and `lag` more.
    fn check_lasts(left: Duration, lag: Duration, moves: u32) {
        let mut left = left;
        for number in 1..=moves {
            let budget = Budget::of_clock(Clock { left, increment: Duration::ZERO, moves: None });
            left = left.saturating_sub(budget.hard + lag);
            assert!(left > Duration::ZERO, "flag at move {number} with {lag:?} lost each move");
        }
    }

    #[test]
    fn the_clock_lasts_for_a_whole_game() {
        check_lasts(ms(1000), ms(1), 250);
        check_lasts(ms(1000), ms(3), 100);
        check_lasts(ms(3000), ms(4), 110);
        check_lasts(ms(60_000), ms(4), 150);
    }
}
