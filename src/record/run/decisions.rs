//! What the chief referee's decisions make of a run: results overruled, games annulled and played again,
//! corrections (I.12, III.9, IV.10), withdrawals, the order of equals. Never decides anything itself. Start at [`Run::decide`].

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Misfit, Run, Unfinished, counts, same_game};
use crate::game::{Outcome, Termination};
use crate::record::{Decision, GameSummary, Ordered};
use crate::time::At;
use crate::tournament::{GameId, GameResult, SprtTrial, Void, Withdrawal};
use crate::xiangqi::BySide;

impl Run {
    /// Takes in a decision made at `at`.
    pub(super) fn decide(&mut self, at: At, decision: &Decision) -> Result<(), Misfit> {
        let due = self.decisions.len() as u32 + 1;
        if decision.number != due {
            return Err(Misfit::Decision(format!("it has number {}, {due} was due", decision.number)));
        }
        self.check_grant(decision)?;
        match &decision.ordered {
            Ordered::Result { game, old, new } => {
                let outcome = Outcome::from_token(new)
                    .ok_or_else(|| Misfit::Decision(format!("'{new}' is no result")))?;
                let summary = self.decided_game(*game, old.as_deref())?;
                let decision = Some(decision.number);
                self.games.put(GameSummary { outcome: Some(outcome), annulled: false, decision, ..summary });
            }
            Ordered::Annulled { game, old } => self.annul(*game, old.as_deref(), decision.number)?,
            Ordered::Replay { game, old, new } => {
                self.replay(*game, old.as_deref(), *new, decision.number)?
            }
            Ordered::Reopened { game, old, new, to_move, clocks_us, began, made, .. } => {
                let opening = began.opening.split_whitespace().count();
                let fits =
                    made.iter().zip(opening as u32 + 1..).all(|(m, ply)| m.ply == ply && m.game == *new);
                if began.game != *new || opening + made.len() != *to_move as usize || !fits {
                    return Err(Misfit::Decision(format!("{new} does not go on after half-move {to_move}")));
                }
                self.players(*new, &began.red, &began.black)?;
                self.replay(*game, old.as_deref(), *new, decision.number)?;
                let [red, black] = clocks_us.map(Duration::from_micros);
                let clocks = Some((made.len(), BySide { red, black }));
                let (began, moves) = ((**began).clone(), made.clone());
                let (overruns, struck) = (Vec::new(), BySide::default());
                self.unfinished.insert(*new, Unfinished { began, at, moves, overruns, struck, clocks });
            }
            Ordered::Corrected { game, to_move, clocks_us, struck } => {
                self.correct(*game, *to_move, *clocks_us, struck)?;
            }
            Ordered::Withdrawn { entrant, stage, cancelled } => {
                let entrant = self.entrant(entrant)?;
                if self.withdrawals.iter().any(|one| one.entrant == entrant) {
                    return Err(Misfit::Decision("it has withdrawn before".to_owned()));
                }
                self.withdrawals.push(Withdrawal { entrant, stage: *stage, cancelled: *cancelled });
                self.drop_games_of_the_gone();
            }
            Ordered::Placed { order } => {
                let order: Vec<usize> =
                    order.iter().map(|name| self.entrant(name)).collect::<Result<_, _>>()?;
                self.orders.push(order);
            }
            Ordered::Admitted { entrant } => {
                self.entrant(entrant)?;
            }
        }
        self.decisions.push(decision.clone());
        self.granted(decision);
        self.look_at_display(at, &decision.ordered);
        self.count_again();
        Ok(())
    }

    fn decided_game(&self, game: GameId, old: Option<&str>) -> Result<GameSummary, Misfit> {
        let summary = self.games.get(game).filter(counts_at_all);
        let summary = summary.ok_or_else(|| Misfit::Decision(format!("there is no finished game {game}")))?;
        let now = summary.outcome.map(Outcome::token);
        if now != old {
            let (now, old) = (now.unwrap_or("no result"), old.unwrap_or("no result"));
            return Err(Misfit::Decision(format!("game {game} has {now}, not {old}")));
        }
        Ok(summary)
    }

    fn annul(&mut self, game: GameId, old: Option<&str>, number: u32) -> Result<(), Misfit> {
        let summary = self.decided_game(game, old)?;
        self.games.put(GameSummary { outcome: None, annulled: true, decision: Some(number), ..summary });
        Ok(())
    }

    /// A game counts for nothing; its later attempt `new` is due.
    fn replay(&mut self, game: GameId, old: Option<&str>, new: GameId, number: u32) -> Result<(), Misfit> {
        if new.attempt <= game.attempt || !same_game(new, game) || self.games.get(new).is_some() {
            return Err(Misfit::Decision(format!("{new} is no later attempt of {game}")));
        }
        self.annul(game, old, number)?;
        self.replays.insert(GameId { attempt: 1, ..game }, new.attempt);
        Ok(())
    }

    fn correct(
        &mut self,
        game: GameId,
        to_move: u32,
        clocks_us: [u64; 2],
        struck: &str,
    ) -> Result<(), Misfit> {
        let unfinished = self.unfinished.get_mut(&game).ok_or(Misfit::NotBegun(game))?;
        let opening = unfinished.began.opening.split_whitespace().count();
        let keep = (to_move as usize).checked_sub(opening).filter(|keep| *keep < unfinished.moves.len());
        let Some(keep) = keep else {
            return Err(Misfit::Decision(format!("game {game} cannot go back to half-move {to_move}")));
        };
        let gone: Vec<&str> = unfinished.moves[keep..].iter().map(|moved| moved.mv.as_str()).collect();
        if gone.join(" ") != struck {
            return Err(Misfit::Decision(format!(
                "game {game}: other moves are struck out than stand there"
            )));
        }
        unfinished.strike(keep, to_move);
        let [red, black] = clocks_us.map(Duration::from_micros);
        unfinished.clocks = Some((keep, BySide { red, black }));
        Ok(())
    }

    /// Games in progress that nobody goes on with: both players have withdrawn, or the results of one are
    /// cancelled.
    fn drop_games_of_the_gone(&mut self) {
        let (withdrawals, indexes) = (&self.withdrawals, &self.indexes);
        self.unfinished.retain(|id, game| {
            let gone = [&game.began.red, &game.began.black].map(|name| {
                let own =
                    |one: &&Withdrawal| indexes.get(name) == Some(&one.entrant) && one.stage <= id.stage;
                withdrawals.iter().find(own)
            });
            let cancelled = gone.iter().flatten().any(|one| one.cancelled && one.stage == id.stage);
            !cancelled && gone.iter().any(Option::is_none)
        });
    }

    /// What makes games of an exhibition due again breaks off all of its boards: their clock stands until they
    /// go on.
    fn look_at_display(&mut self, at: At, ordered: &Ordered) {
        match ordered {
            Ordered::Corrected { .. }
            | Ordered::Reopened { .. }
            | Ordered::Replay { .. }
            | Ordered::Withdrawn { .. } => self.display.stops(at),
            Ordered::Result { .. }
            | Ordered::Annulled { .. }
            | Ordered::Placed { .. }
            | Ordered::Admitted { .. } => {}
        }
    }

    /// Counts results and the sequential test anew: a decision may change any of them.
    fn count_again(&mut self) {
        let results: Vec<GameResult> = self.results().collect();
        self.decided = results.len() as u64;
        let for_good = |game: &GameSummary| {
            game.annulled
                && self.games.attempts(game.id).last().is_none_or(|last| last.id == game.id)
                && self.attempt_due(game.id) <= game.id.attempt
        };
        let void = |game: GameSummary| Void { id: game.id, red: game.red, black: game.black };
        self.void = self.attempts().filter(for_good).map(void).collect();
        if let Some(trial) = &mut self.trial {
            *trial = SprtTrial::new(*trial.sprt());
            results.iter().for_each(|result| trial.add(result));
        }
    }

    /// All decisions of the chief referee, in order.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The entrants that have withdrawn.
    pub fn withdrawals(&self) -> &[Withdrawal] {
        &self.withdrawals
    }

    /// The orders of equals that the chief referee gave, each best first.
    pub fn orders(&self) -> &[Vec<usize>] {
        &self.orders
    }

    /// The games that were annulled and are not played again.
    pub fn void(&self) -> &[Void] {
        &self.void
    }

    /// The attempt of a game that is to be played or was played last, from 1; raised by a replay.
    pub fn attempt_due(&self, game: GameId) -> u8 {
        self.replays.get(&GameId { attempt: 1, ..game }).copied().unwrap_or(1)
    }

    /// All games that are to be played again, by their first attempt, and the attempt that is due.
    pub fn replays(&self) -> &BTreeMap<GameId, u8> {
        &self.replays
    }

    /// An earlier game of the same stage between the same sides with the very same moves.
    pub fn twin(&self, id: GameId) -> Option<GameId> {
        let game = self.games.get(id)?;
        let first = GameId { stage: id.stage, round: 0, pair: 0, leg: 0, attempt: 0 };
        let same = |other: &GameSummary| {
            other.id != id
                && (other.red, other.black, other.print) == (game.red, game.black, game.print)
                && counts(other)
        };
        self.games.between(first, id).find(same).map(|other| other.id)
    }

    /// Whether a withdrawal cancels a result.
    pub(super) fn is_cancelled(&self, game: &GameSummary) -> bool {
        self.withdrawals.iter().any(|one| {
            one.cancelled && one.stage == game.id.stage && [game.red, game.black].contains(&one.entrant)
        })
    }
}

fn counts_at_all(game: &GameSummary) -> bool {
    !matches!(game.termination, Termination::Abandoned { .. })
}
