//! Ending a game by the scores that the engines give themselves: open testing only, off by default. A
//! score is taken as the engine prints it, from the mover's view: UCI and CECP count a soldier as 100,
//! UCCI a minor piece, so limits are meant in the unit of the engines that play. Pure counting; never
//! looks at a board. Start at [`Adjudicator::scored`].

use super::termination::Termination;
use crate::xiangqi::{BySide, Side};

/// What a mate counts as: beyond every score.
pub const MATE_SCORE: i32 = i32::MAX;

/// When scores end a game; nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Adjudication {
    /// When a side is taken to have given up.
    pub resign: Option<ResignRule>,
    /// When a game is taken to be drawn.
    pub draw: Option<DrawRule>,
}

/// A side has given up when it sees itself lost for so many of its moves on end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignRule {
    /// How many moves, at least 1.
    pub move_count: u32,
    /// How far behind, at least 1: its score is not above minus this.
    pub score: i32,
    /// Whether the other side must see itself ahead as far and as long.
    pub two_sided: bool,
}

/// A game is drawn when both sides see it level for so many moves of each on end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// Not before so many full moves of the game, opening moves counted.
    pub move_number: u32,
    /// How many moves of each side, at least 1.
    pub move_count: u32,
    /// How far from level a score may be, at least 0.
    pub score: i32,
}

/// How many moves on end a side has seen itself lost, won, or level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Streaks {
    lost: u32,
    won: u32,
    level: u32,
}

/// The counting of one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Adjudicator {
    rules: Adjudication,
    streaks: BySide<Streaks>,
}

impl Adjudicator {
    /// Nothing is counted yet.
    pub fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator { rules, streaks: BySide::default() }
    }

    /// `side` moved and gave this score (a mate is ± [`MATE_SCORE`]); the game now has `plies`
    /// half-moves. A move without a score breaks every streak.
    pub fn scored(&mut self, side: Side, score: Option<i32>, plies: usize) -> Option<Termination> {
        let Adjudication { resign, draw } = self.rules;
        let count = |streak: u32, goes_on: bool| if goes_on { streak.saturating_add(1) } else { 0 };
        let within = |holds: &dyn Fn(i32) -> bool| score.is_some_and(holds);
        let streaks = &mut self.streaks[side];
        let limit = resign.map(|rule| rule.score);
        streaks.lost = count(streaks.lost, limit.is_some_and(|limit| within(&|score| score <= -limit)));
        streaks.won = count(streaks.won, limit.is_some_and(|limit| within(&|score| score >= limit)));
        let limit = draw.map(|rule| rule.score);
        let level = |score: i32, limit: i32| (-limit..=limit).contains(&score);
        streaks.level = count(streaks.level, limit.is_some_and(|limit| within(&|score| level(score, limit))));
        self.verdict(plies)
    }

    /// What the scores so far say of a game that has `plies` half-moves.
    pub fn verdict(&self, plies: usize) -> Option<Termination> {
        self.resigned().or_else(|| self.drawn(plies))
    }

    fn resigned(&self) -> Option<Termination> {
        let rule = self.rules.resign?;
        let loser = Side::BOTH.into_iter().find(|side| {
            let agreed = !rule.two_sided || self.streaks[!*side].won >= rule.move_count;
            self.streaks[*side].lost >= rule.move_count && agreed
        })?;
        Some(Termination::Adjudicated { winner: Some(!loser), rule: "resign" })
    }

    fn drawn(&self, plies: usize) -> Option<Termination> {
        let rule = self.rules.draw?;
        let late = plies / 2 >= rule.move_number as usize;
        let level = Side::BOTH.into_iter().all(|side| self.streaks[side].level >= rule.move_count);
        (late && level).then_some(Termination::Adjudicated { winner: None, rule: "draw" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores move by move, Red first, `-` for none; the half-move after which the game ended, and how.
    fn check(rules: Adjudication, scores: &str, expected: Option<(usize, Option<Side>)>) {
        let mut adjudicator = Adjudicator::new(rules);
        let mut side = Side::Red;
        let mut found = None;
        for (ply, word) in (1..).zip(scores.split_whitespace()) {
            if let Some(Termination::Adjudicated { winner, .. }) =
                adjudicator.scored(side, word.parse().ok(), ply)
            {
                found = Some((ply, winner));
                break;
            }
            side = !side;
        }
        assert_eq!(found, expected, "{rules:?} {scores}");
    }

    #[test]
    fn scores_end_games_only_when_a_rule_says_so() {
        let resign = |two_sided| Adjudication {
            resign: Some(ResignRule { move_count: 2, score: 500, two_sided }),
            draw: None,
        };
        let draw =
            Adjudication { resign: None, draw: Some(DrawRule { move_number: 3, move_count: 2, score: 10 }) };
        let lost = "-500 400 -600 400 -700 510 -800 520 -900";
        check(Adjudication::default(), lost, None);
        check(resign(false), lost, Some((3, Some(Side::Black))));
        check(resign(true), lost, Some((8, Some(Side::Black))));
        check(resign(false), "-500 0 -499 0 -500 0 - 0 -500", None);
        check(resign(false), "0 -2147483647 0 -2147483647", Some((4, Some(Side::Red))));
        check(draw, "0 0 0 0 0 0", Some((6, None)));
        check(draw, "0 0 0 0 0 11 0 0 0 0", Some((10, None)));
        check(draw, "0 0 0 - 0 0 0 11", None);
    }
}
