//! What was said at the referee's desk as far as it goes on: whether the run is paused, which requests for a
//! correction (I.12) wait for an answer, and everything in the order in which it was said.
//! Never answers anything. Start at [`Hearing`].

use super::{Misfit, Run};
use crate::record::{Decision, Ordered, Said, Spoken};
use crate::tournament::GameId;

/// What was said so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Hearing {
    words: Vec<DeskWord>,
    requests: Vec<Request>,
    /// The place of the pause among the words, while it lasts.
    paused: Option<usize>,
}

/// One word of the referee's desk.
#[derive(Debug, Clone, PartialEq)]
pub enum DeskWord {
    /// A decision, by its place in [`Run::decisions`].
    Decided(usize),
    /// What decides no result.
    Spoken(Box<Spoken>),
}

/// A request for a correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its number in the run, from 1.
    pub number: u32,
    /// Which game, with its attempt.
    pub game: GameId,
    /// The last half-move that is to stand, from 1, opening moves counted.
    pub to_move: u32,
    /// Who asks.
    pub by: String,
    /// Why.
    pub reason: String,
    /// What became of it.
    pub answer: Answer,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It waits.
    Open,
    /// It was granted by the decision of this number.
    Granted(u32),
    /// It was refused.
    Refused,
}

impl Run {
    /// Takes in what was said and decides no result.
    pub(super) fn spoken(&mut self, spoken: &Spoken) -> Result<(), Misfit> {
        let hearing = &mut self.hearing;
        match &spoken.said {
            Said::Paused => hearing.paused = Some(hearing.words.len()),
            Said::WentOn => hearing.paused = None,
            Said::Announced { .. } => {}
            Said::Asked { request, game, to_move, .. } => {
                let due = hearing.requests.len() as u32 + 1;
                if *request != due {
                    return Err(Misfit::Decision(format!("request {request} where {due} was due")));
                }
                hearing.requests.push(Request {
                    number: due,
                    game: *game,
                    to_move: *to_move,
                    by: spoken.person.clone(),
                    reason: spoken.reason.clone(),
                    answer: Answer::Open,
                });
            }
            Said::Refused { request, .. } => hearing.open(*request)?.answer = Answer::Refused,
        }
        hearing.words.push(DeskWord::Spoken(Box::new(spoken.clone())));
        Ok(())
    }

    /// A decision may grant a request for a correction of its game; nothing has changed if it cannot.
    pub(super) fn check_grant(&mut self, decision: &Decision) -> Result<(), Misfit> {
        let Some(number) = decision.request else { return Ok(()) };
        let asked = self.hearing.open(number)?.game;
        match &decision.ordered {
            Ordered::Corrected { game, .. } | Ordered::Reopened { game, .. } if *game == asked => Ok(()),
            _ => {
                Err(Misfit::Decision(format!("it does not grant request {number}, which is of game {asked}")))
            }
        }
    }

    /// A decision was taken in.
    pub(super) fn granted(&mut self, decision: &Decision) {
        if let Some(Ok(request)) = decision.request.map(|number| self.hearing.open(number)) {
            request.answer = Answer::Granted(decision.number);
        }
        self.hearing.words.push(DeskWord::Decided(self.decisions.len().saturating_sub(1)));
    }

    /// Everything said and decided at the referee's desk, in order.
    pub fn desk_words(&self) -> &[DeskWord] {
        &self.hearing.words
    }

    /// All requests for a correction, in order.
    pub fn requests(&self) -> &[Request] {
        &self.hearing.requests
    }

    /// The word that paused the run, while it is paused.
    pub fn paused(&self) -> Option<&Spoken> {
        match self.hearing.words.get(self.hearing.paused?)? {
            DeskWord::Spoken(spoken) => Some(spoken),
            DeskWord::Decided(_) => None,
        }
    }
}

impl Hearing {
    /// A request that waits for an answer.
    fn open(&mut self, number: u32) -> Result<&mut Request, Misfit> {
        let place = (number as usize).checked_sub(1);
        let request = place.and_then(|place| self.requests.get_mut(place));
        let request = request.filter(|request| request.answer == Answer::Open);
        request.ok_or_else(|| Misfit::Decision(format!("no request {number} waits for an answer")))
    }
}
