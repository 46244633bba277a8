//! The window of pairs that are out: which games make a pair, which pairs are published, which came back, which
//! are given out again. A pure machine without a clock; it never talks to the server. Start at [`Window`].

use std::collections::BTreeMap;

use crate::director::Assignment;
use crate::tournament::GameId;

/// How often a pair is given out at most: results that cannot be, pairs that got lost.
pub const MAX_ISSUES: u8 = 5;

/// How often a pair is given out at most whose workers all fell silent: each time several of them did.
pub const MAX_DEATHS: u8 = 2;

/// A pair that is to be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its games, one or two, in order.
    pub games: Vec<Assignment>,
    /// How often it was given out, with this time.
    pub issue: u8,
    /// How often all its workers fell silent.
    pub deaths: u8,
    /// Whether it is at the server.
    pub published: bool,
}

/// The pairs that are not back yet.
#[derive(Debug, Default)]
pub struct Window {
    units: BTreeMap<GameId, Unit>,
    /// A first game whose second may follow.
    open: Option<Assignment>,
}

impl Window {
    /// Takes the director's next game. Two games are a pair when the second is the next even leg of the first.
    pub fn push(&mut self, assignment: Assignment) {
        let follows = |first: &Assignment| {
            let expected = GameId { leg: first.id.leg.saturating_add(1), ..first.id };
            first.id.leg % 2 == 1 && expected == assignment.id
        };
        match self.open.take() {
            Some(first) if follows(&first) => self.put(vec![first, assignment]),
            other => {
                other.into_iter().for_each(|alone| self.put(vec![alone]));
                self.open = Some(assignment);
            }
        }
    }

    /// No further game follows for now: one that waits for its second is played alone.
    pub fn flush(&mut self) {
        if let Some(alone) = self.open.take() {
            self.put(vec![alone]);
        }
    }

    fn put(&mut self, games: Vec<Assignment>) {
        if let Some(first) = games.first() {
            self.units.insert(first.id, Unit { games, issue: 1, deaths: 0, published: false });
        }
    }

    /// How many pairs are not back.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// How many pairs are out.
    pub fn out(&self) -> usize {
        self.units.values().filter(|unit| unit.published).count()
    }

    /// Whether nothing is to come any more.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty() && self.open.is_none()
    }

    /// A pair by its first game.
    pub fn get(&self, id: GameId) -> Option<&Unit> {
        self.units.get(&id)
    }

    /// The next pair to be published when at most `size` are out: the first in the schedule.
    pub fn next(&self, size: usize) -> Option<(GameId, &Unit)> {
        let next = self.units.iter().find(|(_, unit)| !unit.published);
        next.filter(|_| self.out() < size).map(|(id, unit)| (*id, unit))
    }

    /// The pairs that are out, with the number of their issue.
    pub fn published(&self) -> impl Iterator<Item = (GameId, u8)> {
        self.units.iter().filter(|(_, unit)| unit.published).map(|(id, unit)| (*id, unit.issue))
    }

    /// A pair is at the server now.
    pub fn set_published(&mut self, id: GameId) {
        if let Some(unit) = self.units.get_mut(&id) {
            unit.published = true;
        }
    }

    /// A pair of an earlier life was given out so often.
    pub fn set_issue(&mut self, id: GameId, issue: u8) {
        if let Some(unit) = self.units.get_mut(&id) {
            unit.issue = unit.issue.max(issue);
        }
    }

    /// A pair came back.
    pub fn take(&mut self, id: GameId) -> Option<Unit> {
        self.units.remove(&id)
    }

    /// A pair is to be given out again, unless that was done too often. Gives the number of the issue.
    pub fn again(&mut self, id: GameId, fell_silent: bool) -> Option<u8> {
        let unit = self.units.get_mut(&id)?;
        unit.deaths += u8::from(fell_silent);
        if unit.issue >= MAX_ISSUES || unit.deaths >= MAX_DEATHS {
            return None;
        }
        unit.issue += 1;
        unit.published = false;
        Some(unit.issue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::BySide;

    fn assignment(id: &str) -> Assignment {
        Assignment { id: id.parse().unwrap(), seats: BySide { red: 0, black: 1 }, opening: 0 }
    }

    fn check(ids: &[&str], expected: &[&str]) {
        let mut window = Window::default();
        ids.iter().for_each(|id| window.push(assignment(id)));
        window.flush();
        let units: Vec<String> = window
            .units
            .values()
            .map(|unit| unit.games.iter().map(|game| game.id.to_string()).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(units, expected);
    }

    #[test]
    fn games_are_put_together_to_pairs() {
        check(&["1.1.1.1", "1.1.1.2", "1.2.1.1", "1.2.1.2"], &["1.1.1.1 1.1.1.2", "1.2.1.1 1.2.1.2"]);
        check(&["1.1.1.2", "1.2.1.1", "1.2.1.2"], &["1.1.1.2", "1.2.1.1 1.2.1.2"]);
        check(&["1.1.1.1", "1.1.2.1", "1.2.1.1"], &["1.1.1.1", "1.1.2.1", "1.2.1.1"]);
        check(&["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"], &["1.1.1.1 1.1.1.2", "1.1.1.3 1.1.1.4"]);
        check(&["1.1.1.1", "1.1.1.2+2"], &["1.1.1.1", "1.1.1.2+2"]);
    }

    #[test]
    fn the_window_is_never_wider_than_it_may_be_and_goes_in_order() {
        let mut window = Window::default();
        for round in 1..=5 {
            window.push(assignment(&format!("1.{round}.1.1")));
            window.push(assignment(&format!("1.{round}.1.2")));
        }
        let mut published = Vec::new();
        while let Some((id, _)) = window.next(2) {
            published.push(id.round);
            window.set_published(id);
        }
        assert_eq!((published, window.out(), window.len()), (vec![1, 2], 2, 5));
        let first = "1.1.1.1".parse().unwrap();
        assert_eq!(window.take(first).unwrap().games.len(), 2);
        assert_eq!(window.take(first), None, "a second result of a pair finds nothing");
        assert_eq!(window.next(2).unwrap().0.round, 3);
    }

    #[test]
    fn a_pair_is_given_out_again_but_not_for_ever() {
        let mut window = Window::default();
        window.push(assignment("1.1.1.1"));
        window.flush();
        let id = "1.1.1.1".parse().unwrap();
        for issue in 2..=MAX_ISSUES {
            window.set_published(id);
            assert_eq!(window.again(id, false), Some(issue));
            assert_eq!(window.next(1).unwrap().1.issue, issue);
        }
        assert_eq!(window.again(id, false), None);
        window.push(assignment("1.2.1.1"));
        window.flush();
        let id = "1.2.1.1".parse().unwrap();
        assert_eq!((window.again(id, true), window.again(id, true)), (Some(2), None));
    }
}
