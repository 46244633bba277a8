//! Rounds for a field in which members of one group do not meet again (I.5 with the results carried
//! over): an arrangement in as few rounds as possible, found by search, the same for the same sizes.
//! Pure. Start at [`rounds`].
//!
//! The meetings are the edges of a graph and the rounds its colours. Each meeting gets a round in which
//! both are free; if there is none, two rounds are exchanged along a chain (Kempe). When an order of the
//! meetings does not come out, another is tried; a round more is taken only when all orders failed.

use super::chance::Chance;

/// Orders of the meetings that are tried before a round more is taken. The fields of real events come
/// out within the first few.
const ORDERS: u32 = 200;

/// The rounds: in each the meetings of two entrants, numbered from 0 through all groups in order. Who is
/// named first in a meeting is Red first: everybody about equally often.
pub fn rounds(groups: &[usize]) -> Vec<Vec<(usize, usize)>> {
    let group_of: Vec<usize> =
        groups.iter().enumerate().flat_map(|(group, size)| std::iter::repeat_n(group, *size)).collect();
    let players = group_of.len();
    let mut meetings: Vec<(usize, usize)> = (0..players)
        .flat_map(|one| (one + 1..players).map(move |other| (one, other)))
        .filter(|(one, other)| group_of[*one] != group_of[*other])
        .collect();
    if meetings.is_empty() {
        return Vec::new();
    }
    let mut chance = Chance::new(meetings.len() as u64, "arrangement");
    let least = least_rounds(groups, players, meetings.len());
    for count in least.. {
        for _ in 0..ORDERS {
            if let Some(table) = Table::filled(players, count, &meetings) {
                return balanced(table.rounds(), players);
            }
            chance.shuffle(&mut meetings);
        }
    }
    Vec::new()
}

/// No arrangement has fewer rounds: everybody plays at most once a round, and a round has at most half
/// the field's meetings.
pub fn least_rounds(groups: &[usize], players: usize, meetings: usize) -> usize {
    let smallest = groups.iter().copied().filter(|size| *size > 0).min().unwrap_or(0);
    let boards = (players / 2).max(1);
    (players - smallest).max(meetings.div_ceil(boards))
}

/// Who meets whom in which round: `meets[player][round]`.
struct Table {
    meets: Vec<Vec<Option<usize>>>,
}

impl Table {
    /// All meetings in so many rounds, or nothing if this order does not come out.
    fn filled(players: usize, rounds: usize, meetings: &[(usize, usize)]) -> Option<Table> {
        let mut table = Table { meets: vec![vec![None; rounds]; players] };
        meetings.iter().try_for_each(|(one, other)| table.place(*one, *other))?;
        Some(table)
    }

    fn free(&self, player: usize) -> impl Iterator<Item = usize> + '_ {
        self.meets[player].iter().enumerate().filter(|(_, met)| met.is_none()).map(|(round, _)| round)
    }

    fn seat(&mut self, one: usize, other: usize, round: usize) {
        self.meets[one][round] = Some(other);
        self.meets[other][round] = Some(one);
    }

    fn place(&mut self, one: usize, other: usize) -> Option<()> {
        let both = self.free(one).find(|round| self.meets[other][*round].is_none());
        if let Some(round) = both {
            self.seat(one, other, round);
            return Some(());
        }
        let choices: Vec<(usize, usize)> =
            self.free(one).flat_map(|a| self.free(other).map(move |b| (a, b))).collect();
        for (a, b) in choices {
            if self.exchange(other, one, a, b) {
                self.seat(one, other, a);
                return Some(());
            }
        }
        None
    }

    /// Exchanges the rounds `a` and `b` along the chain of meetings from `start`, which is free in `b`, so
    /// that it becomes free in `a`. Refused when the chain comes to `target`, which would lose its `a`.
    fn exchange(&mut self, start: usize, target: usize, a: usize, b: usize) -> bool {
        let mut chain = vec![start];
        let (mut here, mut round) = (start, a);
        while let Some(next) = self.meets[here][round] {
            if next == target {
                return false;
            }
            chain.push(next);
            here = next;
            round = if round == a { b } else { a };
        }
        for player in chain {
            self.meets[player].swap(a, b);
        }
        true
    }

    fn rounds(&self) -> Vec<Vec<(usize, usize)>> {
        let count = self.meets.first().map_or(0, Vec::len);
        let meetings = |round: usize| {
            let met = self.meets.iter().enumerate();
            let met = met.filter_map(move |(one, rounds)| rounds[round].map(|other| (one, other)));
            met.filter(|(one, other)| one < other).collect()
        };
        (0..count).map(meetings).collect()
    }
}

/// Names first whoever was named first less often so far.
fn balanced(mut rounds: Vec<Vec<(usize, usize)>>, players: usize) -> Vec<Vec<(usize, usize)>> {
    let mut balance = vec![0i32; players];
    for two in rounds.iter_mut().flatten() {
        if balance[two.0] > balance[two.1] {
            *two = (two.1, two.0);
        }
        balance[two.0] += 1;
        balance[two.1] -= 1;
    }
    rounds
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn check(groups: &[usize]) -> usize {
        let found = rounds(groups);
        let players: usize = groups.iter().sum();
        let group_of = |player: usize| {
            let mut end = 0;
            groups.iter().position(|size| {
                end += size;
                player < end
            })
        };
        let mut met = HashSet::new();
        for round in &found {
            let mut seated = HashSet::new();
            for (one, other) in round {
                assert_ne!(group_of(*one), group_of(*other), "{groups:?}");
                assert!(seated.insert(*one) && seated.insert(*other), "{groups:?}: twice in a round");
                assert!(met.insert((*one.min(other), *one.max(other))), "{groups:?}: met twice");
            }
        }
        let squares: usize = groups.iter().map(|size| size * size).sum();
        assert_eq!(met.len(), (players * players - squares) / 2, "{groups:?}: everybody met");
        found.len()
    }

    #[test]
    fn the_final_of_2006_has_27_bouts_in_7_rounds() {
        assert_eq!(check(&[3, 3, 3]), 7);
        assert_eq!(rounds(&[3, 3, 3]).iter().map(Vec::len).sum::<usize>(), 27);
    }

    #[test]
    fn all_sizes_come_out_in_the_least_number_of_rounds() {
        for count in 2usize..=6 {
            for size in 1usize..=5 {
                let groups = vec![size; count];
                let (players, meetings) = (count * size, size * size * count * (count - 1) / 2);
                assert_eq!(check(&groups), least_rounds(&groups, players, meetings), "{groups:?}");
            }
        }
        for groups in [vec![3, 3, 2], vec![4, 3], vec![2, 2, 2, 1], vec![5, 4, 4], vec![1, 1]] {
            check(&groups);
        }
        assert_eq!(check(&[4]), 0);
    }
}
