//! Where the events of a worker's games go instead of a journal, and the signs of life of those games. It is
//! read by the worker between games; nothing here waits. Start at [`Tap`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::record::What;
use crate::time::At;
use crate::tournament::{GameId, Opening};

/// How late a game's loop may be before it counts as stuck.
const SLACK: Duration = Duration::from_secs(2);

/// The events and signs of life of the games that are played.
#[derive(Debug, Default)]
pub struct Tap {
    games: RefCell<BTreeMap<GameId, Tapped>>,
}

#[derive(Debug, Default)]
struct Tapped {
    opening: Option<Opening>,
    events: Vec<What>,
    /// When the game's loop has to be heard of again; `None` if it waits for something without a limit.
    due: Option<At>,
}

impl Tap {
    /// A game will be played from this opening.
    pub fn begin(&self, id: GameId, opening: Option<Opening>, at: At) {
        let tapped = Tapped { opening, events: Vec::new(), due: Some(at) };
        self.games.borrow_mut().insert(id, tapped);
    }

    /// The opening of a game.
    pub fn opening(&self, id: GameId) -> Option<Opening> {
        self.games.borrow().get(&id)?.opening.clone()
    }

    /// Takes an event of a game; others are dropped.
    pub fn record(&self, what: What) {
        let game = match &what {
            What::GameOver(over) => Some(over.game),
            What::Noted(noted) => noted.game,
            _ => None,
        };
        let mut games = self.games.borrow_mut();
        if let Some(tapped) = game.and_then(|game| games.get_mut(&game)) {
            tapped.events.push(what);
        }
    }

    /// The loop of a game runs and will look again by `due` at the latest: the moment at which the referee
    /// would end the game by itself.
    pub fn alive(&self, id: GameId, due: Option<At>) {
        if let Some(tapped) = self.games.borrow_mut().get_mut(&id) {
            tapped.due = due;
        }
    }

    /// Whether the loop of a game does what it said: no later than its moment.
    pub fn is_alive(&self, id: GameId, now: At) -> bool {
        self.games.borrow().get(&id).is_some_and(|tapped| tapped.due.is_none_or(|due| now < due + SLACK))
    }

    /// The events of a game that is over or was broken off.
    pub fn take(&self, id: GameId) -> Vec<What> {
        self.games.borrow_mut().remove(&id).map(|tapped| tapped.events).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_is_late_is_not_alive() {
        let (tap, id) = (Tap::default(), "1.1.1.1".parse().unwrap());
        let at = |seconds: u64| At(seconds * 1_000_000);
        assert!(!tap.is_alive(id, at(0)), "it is not played");
        tap.begin(id, None, at(0));
        assert!(tap.is_alive(id, at(1)) && !tap.is_alive(id, at(2)));
        tap.alive(id, Some(at(100)));
        assert!(tap.is_alive(id, at(101)) && !tap.is_alive(id, at(102)));
        tap.alive(id, None);
        assert!(tap.is_alive(id, at(1000)));
        assert!(tap.take(id).is_empty() && !tap.is_alive(id, at(0)));
    }
}
