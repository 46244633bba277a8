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

    /// How a fleet grows, in virtual time: the window between a coordinator that handles one thing after the
    /// other and workers that fetch a pair for each free slot. All times in µs.
    struct Fleet {
        workers: u64,
        slots: u64,
        /// Mean time of a pair; each takes half to one and a half of it.
        pair: u64,
        /// What a pair costs the coordinator: half when it is published, half when its result comes.
        cost: u64,
        /// Way of a message between any two.
        way: u64,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Happens {
        AtServer(GameId),
        Fetched(GameId),
        Played(GameId),
        Result(GameId),
        Free(GameId),
    }

    type Events = std::collections::BTreeSet<(u64, Happens)>;

    impl Fleet {
        /// Plays so many pairs: pairs a second, and the share of the slots' time that is spent in games.
        fn play(&self, pairs: u32) -> (f64, f64) {
            let size = (self.workers * self.slots) as usize * crate::runner::fleet::coordinator::AHEAD;
            let mut window = Window::default();
            let mut chance = crate::tournament::Chance::new(7, "fleet");
            let mut events = Events::new();
            let mut queue = std::collections::VecDeque::new();
            let (mut idle, mut free_at, mut played, mut now, mut left) =
                (self.workers * self.slots, 0_u64, 0_u64, 0_u64, pairs);
            let mut pushed = 0;
            let mut publish = |now: u64, free_at: &mut u64, window: &mut Window, events: &mut Events| {
                while window.len() < size && pushed < pairs {
                    pushed += 1;
                    window.push(assignment(&format!("1.{pushed}.1.1")));
                    window.push(assignment(&format!("1.{pushed}.1.2")));
                }
                while let Some((id, _)) = window.next(size) {
                    window.set_published(id);
                    *free_at = now.max(*free_at) + self.cost / 2;
                    events.insert((*free_at + self.way, Happens::AtServer(id)));
                }
            };
            publish(0, &mut free_at, &mut window, &mut events);
            while left > 0 {
                let (at, what) = events.pop_first().expect("something goes on");
                now = at;
                match what {
                    Happens::AtServer(id) => queue.push_back(id),
                    Happens::Fetched(id) => {
                        let takes = self.pair / 2 + u64::from(chance.below(self.pair as u32));
                        played += takes;
                        events.insert((now + takes, Happens::Played(id)));
                    }
                    // The slot is free when the server has said that the result is stored.
                    Happens::Played(id) => {
                        events.insert((now + self.way, Happens::Result(id)));
                        events.insert((now + 2 * self.way, Happens::Free(id)));
                    }
                    Happens::Free(_) => idle += 1,
                    Happens::Result(id) => {
                        free_at = now.max(free_at) + self.cost / 2;
                        assert!(window.take(id).is_some(), "a pair came back twice");
                        left -= 1;
                        publish(now, &mut free_at, &mut window, &mut events);
                    }
                }
                while idle > 0
                    && let Some(id) = queue.pop_front()
                {
                    idle -= 1;
                    events.insert((now + 2 * self.way, Happens::Fetched(id)));
                }
            }
            let slots = (self.workers * self.slots) as f64;
            (f64::from(pairs) * 1e6 / now as f64, played as f64 / (now as f64 * slots))
        }
    }

    #[test]
    fn a_hundred_workers_are_kept_busy() {
        for workers in [1, 3, 10, 30, 100] {
            // Two slots a worker, pairs of 20 s (10 s + 0.1 s a side take longer), 3 ms a pair at the coordinator
            // (more than was measured), a network of 20 ms.
            let fleet = Fleet { workers, slots: 2, pair: 20_000_000, cost: 3_000, way: 20_000 };
            let pairs = 200 * workers as u32;
            let (pace, share) = fleet.play(pairs);
            eprintln!(
                "{workers} workers: {pace:.2} pairs a second, {:.1} % of the slots' time in games",
                100.0 * share
            );
            // What is missing is the end of the run, when the last pairs run out.
            assert!(share > 0.97, "{workers} workers: {share}");
        }
        // Where pairs are so short that the coordinator is the limit, it is its cost that counts: 333 a second,
        // and a little more at the end, when nothing is left to be published.
        let fleet = Fleet { workers: 100, slots: 2, pair: 100_000, cost: 3_000, way: 1_000 };
        let (pace, _) = fleet.play(4_000);
        assert!((333.0..372.0).contains(&pace), "{pace}");
    }
}
