//! A recorded game checked by a rule book: every repetition judged, and where and how the rules end it.
//! What players do off the board (resigning, agreeing, running out of time) is not known here: a game that
//! just stops has no result by the rules. Start at [`audit`].

use crate::game::{Outcome, Termination};
use crate::law::{self, Ending, Rules, Ruling, Trail};
use crate::xiangqi::{Move, Position};

/// What the rules say of a game.
#[derive(Debug, Clone)]
pub struct Audit {
    /// The game.
    pub trail: Trail,
    /// Its repetitions, each ruling over a stretch of its own: while one loop goes on and on, every stretch
    /// in which a position stands so often anew is judged once.
    pub rulings: Vec<Ruling>,
    /// How many half-moves it had when the rules first ended it, and how.
    pub over: Option<(usize, Termination)>,
}

impl Audit {
    /// The result by the rules; `None` if they do not end the game.
    pub fn outcome(&self) -> Option<Outcome> {
        self.over.as_ref().and_then(|(_, how)| how.outcome())
    }

    /// Half-moves that were played after the rules had ended the game.
    pub fn played_on(&self) -> usize {
        self.over.as_ref().map_or(0, |(plies, _)| self.trail.plies() - plies)
    }
}

/// Checks a game; `None` among the moves is a pass.
///
/// # Errors
/// The index of the first illegal move.
pub fn audit(
    start: Position,
    moves: impl IntoIterator<Item = Option<Move>>,
    rules: &Rules,
) -> Result<Audit, usize> {
    let mut audit = Audit { trail: Trail::new(start), rulings: Vec::new(), over: None };
    audit.look(rules);
    for (ply, mv) in moves.into_iter().enumerate() {
        match mv {
            Some(mv) if !audit.trail.position().is_legal(mv) => return Err(ply),
            Some(mv) => audit.trail.play(mv),
            None => audit.trail.pass(),
        }
        audit.look(rules);
    }
    Ok(audit)
}

impl Audit {
    /// Looks at the position reached.
    fn look(&mut self, rules: &Rules) {
        if self.over.is_none()
            && let Some(ending) = law::ending(&self.trail, rules)
        {
            if let Ending::Repetition(ruling) = &ending {
                self.rulings.push(ruling.clone());
            }
            self.over = Some((self.trail.plies(), ending.into()));
        }
        let wanted = rules.repetition.occurrences.max(2);
        if self.trail.occurrences() < wanted {
            return;
        }
        let judged = self.rulings.last().map_or(0, |ruling| ruling.span.end);
        let first = self.trail.earlier().nth(wanted as usize - 2).filter(|first| *first >= judged);
        let ruling = first
            .and_then(|first| law::judge(&self.trail, first..self.trail.plies(), rules.repetition.book).ok());
        self.rulings.extend(ruling);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Verdict;
    use crate::xiangqi::SquareStyle;

    fn check(fen: &str, moves: &str, rulings: &[(usize, usize)], over: Option<(usize, &str)>, result: &str) {
        let read = |word: &str| (word != "--").then(|| SquareStyle::Zero.read(word.as_bytes()).unwrap());
        let start = Position::from_fen(fen).unwrap();
        let audit = audit(start, moves.split_whitespace().map(read), &Rules::default()).unwrap();
        let spans: Vec<_> = audit.rulings.iter().map(|ruling| (ruling.span.start, ruling.span.end)).collect();
        assert_eq!(spans, rulings, "{moves}");
        assert_eq!(audit.over.as_ref().map(|(ply, how)| (*ply, how.kind())), over, "{moves}");
        assert_eq!(audit.outcome().map_or("*", Outcome::token), result, "{moves}");
    }

    #[test]
    fn games_end_where_the_rules_end_them() {
        const PERPETUAL: &str = "9/9/3k5/5r3/9/9/9/9/9/4K4 b";
        let round = "f6e6 e0f0 e6f6 f0e0 ";
        check(PERPETUAL, round, &[], None, "*");
        check(PERPETUAL, &round.repeat(2), &[(0, 8)], Some((8, "repetition")), "1-0");
        check(PERPETUAL, &round.repeat(3), &[(0, 8)], Some((8, "repetition")), "1-0");
        check(PERPETUAL, &round.repeat(4), &[(0, 8), (8, 16)], Some((8, "repetition")), "1-0");
        let mate = "4k4/9/9/9/9/9/9/8R/7R1/5K3 w";
        check(mate, "h1h8 e9d9 i2i9", &[], Some((3, "mated")), "1-0");
        check("3k5/9/9/9/9/9/9/9/7R1/4K4 w", "h1h8", &[], Some((1, "no_move")), "1-0");
        check("3k4r/9/9/9/9/9/9/9/9/R3K4 w", "", &[], None, "*");
        check("3k5/9/9/9/9/9/9/9/9/4K4 w", "", &[], Some((0, "dead_position")), "1/2-1/2");
        check("3k5/9/9/9/9/9/9/9/4p4/4K4 w", "e0e1", &[], Some((1, "dead_position")), "1/2-1/2");
        check("3k4r/9/9/9/9/9/9/9/9/R3K4 w", "a0a1 -- a1a0 --", &[], None, "*");
    }

    #[test]
    fn an_illegal_move_is_named() {
        let moves = ["h2e2", "h9g7", "a0a9"].map(|word| SquareStyle::Zero.read(word.as_bytes()));
        assert_eq!(audit(Position::start(), moves, &Rules::default()).err(), Some(2));
    }

    #[test]
    fn a_game_may_go_on_after_its_end() {
        let moves = "f6e6 e0f0 e6f6 f0e0 f6e6 e0f0 e6f6 f0e0 f6f5 e0e1";
        let start = Position::from_fen("9/9/3k5/5r3/9/9/9/9/9/4K4 b").unwrap();
        let moves = moves.split(' ').map(|word| SquareStyle::Zero.read(word.as_bytes()));
        let audit = audit(start, moves, &Rules::default()).unwrap();
        assert_eq!(audit.played_on(), 2);
        assert_eq!(audit.rulings[0].verdict, Verdict::BlackLoses);
    }
}
