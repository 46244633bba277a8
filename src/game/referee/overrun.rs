//! What it means that a side overruns its time for a move (II.5): a loss as everywhere else, or one of the
//! readings of "moving is forbidden". Never stops a search: that is the table's. Start at [`OverrunRule`].

use std::time::Duration;

use super::{Game, Next};
use crate::game::Termination;
use crate::xiangqi::Side;

/// What an overrun of the time for a move means. II.5 forbids the move and does not say more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OverrunRule {
    /// The game is lost, as under all other articles.
    #[default]
    Loses,
    /// The turn is lost and the other side moves; in check the game is lost.
    Pass,
    /// The member on turn is barred, the next one gets the whole time for the same move.
    NextSeat,
    /// The move may not be made at this visit of the master; at his next one the whole time runs anew.
    Wait,
    /// Nothing: the time for a move is only told, and silence far beyond it is a stall. The master's, to whom
    /// II.5 gives no limit; no setting of the groups.
    Free,
}

impl OverrunRule {
    /// All rules that groups may have, the default of II.5 first.
    pub const ALL: [OverrunRule; 4] =
        [OverrunRule::Pass, OverrunRule::NextSeat, OverrunRule::Wait, OverrunRule::Loses];

    /// The word in configs and journals.
    pub const fn name(self) -> &'static str {
        match self {
            OverrunRule::Loses => "loses",
            OverrunRule::Pass => "pass",
            OverrunRule::NextSeat => "next-seat",
            OverrunRule::Wait => "wait",
            OverrunRule::Free => "free",
        }
    }

    /// The rule of this name.
    pub fn from_name(name: &str) -> Option<OverrunRule> {
        OverrunRule::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// How a side's overruns are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Overruns {
    /// What one means.
    pub rule: OverrunRule,
    /// The so many-th on end is held for the chief referee instead: nobody seems to be there. 0 is never.
    pub most: u32,
}

/// An overrun that does not lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overran {
    /// Who was to move.
    pub side: Side,
    /// What follows.
    pub rule: OverrunRule,
    /// Time used until it was noticed.
    pub used: Duration,
    /// Time there was.
    pub allowed: Duration,
}

impl Game {
    /// How a side's overruns are taken, and how many it has had on end (resume).
    #[must_use]
    pub fn with_overruns(mut self, side: Side, overruns: Overruns, in_row: u32) -> Game {
        self.overruns[side] = overruns;
        self.in_row[side] = in_row;
        self
    }

    /// Whether overrunning its time means anything for a side that has a clock.
    pub fn has_flag(&self, side: Side) -> bool {
        self.clock(side).left().is_some() && !self.is_free(side)
    }

    pub(super) fn is_free(&self, side: Side) -> bool {
        self.overruns[side].rule == OverrunRule::Free
    }

    pub(super) fn overrun(&mut self, side: Side, used: Duration, allowed: Duration) -> Next {
        let Overruns { rule, most } = self.overruns[side];
        self.asked = None;
        self.offer = None;
        self.in_row[side] += 1;
        if rule == OverrunRule::Pass && self.trail.in_check() {
            // Its general could be taken: a pass is no way out of check.
            self.clocks[side].run_down(used);
            return self.end(Termination::OverrunInCheck { loser: side, used, allowed });
        }
        if most > 0 && self.in_row[side] >= most {
            let reason = format!("{} overran its time {most} times on end", side.word());
            return self.end(Termination::Held { reason });
        }
        Next::Overran(Overran { side, rule, used, allowed })
    }

    /// The side to move passes, which no rule of the board knows: nothing before it can repeat.
    pub fn pass(&mut self) -> Next {
        self.trail.pass();
        self.by_law().map_or(Next::Ask, |over| self.end(over))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Adjudication, Answer, Reply, Terms, TimeControl};
    use crate::law::Rules;
    use crate::time::At;
    use crate::xiangqi::{BySide, Position, SquareStyle};

    fn game(fen: &str, rule: OverrunRule, most: u32) -> Game {
        let control = TimeControl::parse("60s/move").unwrap();
        let terms = Terms {
            rules: Rules::default(),
            controls: BySide { red: control, black: control },
            margin: Duration::ZERO,
            patience: Duration::from_secs(600),
            draw_offers: true,
            adjudication: Adjudication::default(),
            draw_as_black_win: false,
        };
        let mut game = Game::new(terms, Position::from_fen(fen).unwrap(), &[]);
        game = game.with_overruns(Side::Black, Overruns { rule, most }, 0);
        assert_eq!(game.begin(), Next::Ask);
        game
    }

    const QUIET: &str = "3k5/4r4/9/9/9/9/9/9/4R4/5K3 b";
    const CHECK: &str = "4k4/9/9/9/9/9/9/9/4R4/5K3 b";

    fn check(fen: &str, rule: OverrunRule, expected: &str) {
        let mut game = game(fen, rule, 0);
        game.asked(At(0));
        assert_eq!(game.timer(At(60_000_000)), Next::Wait, "exactly 60 s are in time");
        let said = match game.timer(At(60_000_001)) {
            Next::Over(why) => why.kind().to_owned(),
            Next::Overran(overran) => format!("overran: {}", overran.rule.name()),
            Next::Ask | Next::Wait => "nothing".to_owned(),
        };
        assert_eq!(said, expected, "{fen} {rule:?}");
    }

    #[test]
    fn each_reading_of_an_overrun() {
        for (rule, quiet, in_check) in [
            (OverrunRule::Loses, "flag", "flag"),
            (OverrunRule::Pass, "overran: pass", "overrun_in_check"),
            (OverrunRule::NextSeat, "overran: next-seat", "overran: next-seat"),
            (OverrunRule::Wait, "overran: wait", "overran: wait"),
        ] {
            check(QUIET, rule, quiet);
            check(CHECK, rule, in_check);
            assert_eq!(OverrunRule::from_name(rule.name()), Some(rule));
        }
    }

    #[test]
    fn a_late_answer_is_no_move_and_a_pass_is_irreversible() {
        let mut game = game(QUIET, OverrunRule::Pass, 0);
        game.asked(At(0));
        let mv = SquareStyle::Zero.read(b"e8a8").unwrap();
        let answer = Answer { reply: Reply::Move(mv), draw: false, resign: false };
        let (made, next) = game.answer(At(60_000_001), answer);
        assert!(made.is_none() && matches!(next, Next::Overran(_)), "{next:?}");
        assert_eq!((game.pass(), game.side(), game.trail().cut()), (Next::Ask, Side::Red, 1));
        assert_eq!(game.clock(Side::Black).left(), Some(Duration::from_secs(60)));
    }

    #[test]
    fn who_is_free_has_patience_beyond_his_time_and_no_flag() {
        let mut game = game(QUIET, OverrunRule::Free, 0);
        game.asked(At(0));
        assert!(!game.has_flag(Side::Black) && game.has_flag(Side::Red));
        let mv = SquareStyle::Zero.read(b"e8a8").unwrap();
        let answer = Answer { reply: Reply::Move(mv), draw: false, resign: false };
        assert!(game.clone().answer(At(600_000_000), answer).0.is_some());
        assert_eq!(game.timer(At(660_000_000)), Next::Wait, "60 s of his own, 600 s of patience");
        assert!(matches!(game.timer(At(660_000_001)), Next::Over(Termination::Stalled { .. })));
    }

    #[test]
    fn too_many_on_end_are_held() {
        let mut game = game(QUIET, OverrunRule::NextSeat, 3);
        for turn in 1..=3u64 {
            let from = turn * 100_000_000;
            game.asked(At(from));
            let next = game.timer(At(from + 60_000_001));
            assert_eq!(matches!(next, Next::Over(Termination::Held { .. })), turn == 3, "{next:?}");
        }
    }
}
