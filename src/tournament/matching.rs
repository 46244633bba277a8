//! Complete matchings in general graphs (Edmonds: search trees with contracted odd cycles), so that a
//! Swiss round is found whenever there is one, without trying all. Knows nothing of tournaments. Start at
//! [`Matching::complete`].

use std::collections::VecDeque;

/// Who may be matched with whom, and who is.
#[derive(Debug, Clone)]
pub struct Matching {
    size: usize,
    allowed: Vec<bool>,
    present: Vec<bool>,
    mate: Vec<Option<usize>>,
}

impl Matching {
    /// Nobody is matched yet; `allowed(a, b)` is asked for a < b and holds both ways.
    pub fn new(size: usize, allowed: impl Fn(usize, usize) -> bool) -> Matching {
        let mut matching = Matching {
            size,
            allowed: vec![false; size * size],
            present: vec![true; size],
            mate: vec![None; size],
        };
        for a in 0..size {
            for b in a + 1..size {
                let may = allowed(a, b);
                matching.allowed[a * size + b] = may;
                matching.allowed[b * size + a] = may;
            }
        }
        matching
    }

    /// Whether two that are both present may be matched.
    pub fn may(&self, a: usize, b: usize) -> bool {
        self.present[a] && self.present[b] && self.allowed[a * self.size + b]
    }

    /// Whether one is present: neither taken out nor fixed.
    pub fn is_present(&self, one: usize) -> bool {
        self.present[one]
    }

    /// Matches all that are present; false if that cannot be done (then as many as can be are matched).
    pub fn complete(&mut self) -> bool {
        let mut complete = true;
        for one in 0..self.size {
            if self.present[one] && self.mate[one].is_none() {
                complete &= self.augment(one);
            }
        }
        complete
    }

    /// Takes one out if all others can still be matched; else nothing changes and the answer is false.
    pub fn take_out(&mut self, one: usize) -> bool {
        let before = self.clone();
        if let Some(mate) = self.mate[one].take() {
            self.mate[mate] = None;
        }
        self.present[one] = false;
        let done = self.complete();
        if !done {
            *self = before;
        }
        done
    }

    /// Fixes a pair for good if all others can still be matched; else nothing changes and the answer is
    /// false. The matching must be complete before.
    pub fn fix(&mut self, a: usize, b: usize) -> bool {
        if !self.may(a, b) {
            return false;
        }
        let together = self.mate[a] == Some(b);
        let before = (!together).then(|| self.mate.clone());
        self.present[a] = false;
        self.present[b] = false;
        for one in [a, b] {
            if let Some(mate) = self.mate[one].take() {
                self.mate[mate] = None;
            }
        }
        let done = together || self.complete();
        if let (false, Some(mate)) = (done, before) {
            self.present[a] = true;
            self.present[b] = true;
            self.mate = mate;
        }
        done
    }

    /// Looks for an alternating path from an unmatched one to another and turns it.
    fn augment(&mut self, root: usize) -> bool {
        let mut search = Search::new(self.size, root);
        while let Some(from) = search.queue.pop_front() {
            for to in 0..self.size {
                let within = search.base[from] == search.base[to] || self.mate[from] == Some(to);
                if within || !self.may(from, to) {
                    continue;
                }
                let outer = self.mate[to].is_some_and(|mate| search.parent[mate].is_some());
                if to == root || outer {
                    search.contract(from, to, &self.mate);
                } else if search.parent[to].is_none() {
                    search.parent[to] = Some(from);
                    match self.mate[to] {
                        None => {
                            self.turn(to, &search.parent);
                            return true;
                        }
                        Some(mate) => search.reach(mate),
                    }
                }
            }
        }
        false
    }

    fn turn(&mut self, end: usize, parent: &[Option<usize>]) {
        let mut next = Some(end);
        while let Some(to) = next {
            let Some(from) = parent[to] else { break };
            next = self.mate[from];
            self.mate[to] = Some(from);
            self.mate[from] = Some(to);
        }
    }
}

/// The tree of one search: which were reached at even distance, from where, and which odd cycle (by its
/// base) each belongs to.
struct Search {
    queue: VecDeque<usize>,
    reached: Vec<bool>,
    parent: Vec<Option<usize>>,
    base: Vec<usize>,
}

impl Search {
    fn new(size: usize, root: usize) -> Search {
        let mut search = Search {
            queue: VecDeque::new(),
            reached: vec![false; size],
            parent: vec![None; size],
            base: (0..size).collect(),
        };
        search.reach(root);
        search
    }

    fn reach(&mut self, one: usize) {
        if !self.reached[one] {
            self.reached[one] = true;
            self.queue.push_back(one);
        }
    }

    /// The bases on the way from one to the root.
    fn way(&self, from: usize, mate: &[Option<usize>]) -> Vec<usize> {
        let mut way = vec![self.base[from]];
        let mut at = self.base[from];
        while let Some(up) = mate[at].and_then(|inner| self.parent[inner]) {
            at = self.base[up];
            way.push(at);
        }
        way
    }

    /// Two at even distance are neighbours: the odd cycle through them becomes one.
    fn contract(&mut self, a: usize, b: usize, mate: &[Option<usize>]) {
        let (up, other) = (self.way(a, mate), self.way(b, mate));
        let Some(top) = up.iter().find(|one| other.contains(one)).copied() else { return };
        let mut inside = vec![false; self.base.len()];
        self.mark(a, top, b, mate, &mut inside);
        self.mark(b, top, a, mate, &mut inside);
        for one in 0..self.base.len() {
            if inside[self.base[one]] {
                self.base[one] = top;
                self.reach(one);
            }
        }
    }

    fn mark(&mut self, from: usize, top: usize, child: usize, mate: &[Option<usize>], inside: &mut [bool]) {
        let (mut at, mut child) = (from, child);
        while self.base[at] != top {
            let Some(inner) = mate[at] else { return };
            inside[self.base[at]] = true;
            inside[self.base[inner]] = true;
            self.parent[at] = Some(child);
            child = inner;
            let Some(up) = self.parent[inner] else { return };
            at = up;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether all can be matched, by trying everything.
    fn by_trial(size: usize, allowed: &dyn Fn(usize, usize) -> bool, left: u32) -> bool {
        if left == 0 {
            return true;
        }
        let first = left.trailing_zeros() as usize;
        (first + 1..size).any(|other| {
            left & (1 << other) != 0
                && allowed(first, other)
                && by_trial(size, allowed, left & !(1 << first) & !(1 << other))
        })
    }

    fn sound(matching: &Matching) -> bool {
        (0..matching.size).all(|one| match matching.mate[one] {
            None => !matching.present[one],
            Some(mate) => matching.may(one, mate) && matching.mate[mate] == Some(one),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn found_exactly_where_there_is_one(half in 1usize..6, edges: [u64; 2], rare: bool) {
            let size = 2 * half;
            let bits = u128::from(edges[0]) | u128::from(edges[1]) << 64;
            let bits = if rare { bits & bits.rotate_left(37) } else { bits };
            let allowed = move |a: usize, b: usize| {
                let (a, b) = (a.min(b), a.max(b));
                a != b && bits >> (b * (b - 1) / 2 + a) & 1 == 1
            };
            let mut matching = Matching::new(size, allowed);
            let found = matching.complete();
            prop_assert_eq!(found, by_trial(size, &allowed, (1 << size) - 1));
            if found {
                prop_assert!(sound(&matching));
                for other in 1..size {
                    let mut fixed = matching.clone();
                    let rest = ((1u32 << size) - 1) & !1 & !(1 << other);
                    let possible = allowed(0, other) && by_trial(size, &allowed, rest);
                    prop_assert_eq!(fixed.fix(0, other), possible);
                    prop_assert!(sound(&fixed) && fixed.is_present(0) != possible);
                }
            }
        }
    }
}
