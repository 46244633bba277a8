//! How equal points are separated: criteria in an order that is a setting, applied to blocks of equal
//! entrants; a block that splits starts again with its own games only (the reading of I.8 for three
//! and more). Never invents a winner: what nothing separates stays shared. Start at [`Criterion`].

use std::collections::BTreeMap;

use super::format::GameResult;
use super::standings::Line;

/// One way of separating entrants with equal points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Points in the games of the tied against each other (I.8). Applies only where each two of them
    /// met equally often, and met at all.
    HeadToHead,
    /// Points in the extra games played among exactly these entrants (I.8).
    PlayOff,
    /// Games won with Black.
    WinsAsBlack,
    /// Games won.
    Wins,
    /// The points of the beaten and half of those of the drawn.
    SonnebornBerger,
}

/// The order in which criteria are asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TieBreak(pub Vec<Criterion>);

impl TieBreak {
    /// Nothing separates equal points: places are shared (II, III, IV, two-engine matches, UCCI league).
    pub fn none() -> TieBreak {
        TieBreak(Vec::new())
    }

    /// The final of the championship: head to head, then extra games (I.8).
    pub fn championship() -> TieBreak {
        TieBreak(vec![Criterion::HeadToHead, Criterion::PlayOff])
    }
}

impl Default for TieBreak {
    /// Open testing: head to head, then wins as Black (the harder colour; Chinese tables count them),
    /// then shared. Our convention.
    fn default() -> TieBreak {
        TieBreak(vec![Criterion::HeadToHead, Criterion::WinsAsBlack])
    }
}

/// Extra games among entrants that nothing else had separated; they count for nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayOff {
    /// Who had to play, in any order. Several play-offs of the same entrants are added up.
    pub among: Vec<usize>,
    /// Their games.
    pub results: Vec<GameResult>,
}

/// What gave an entrant its place. Points are units: 2 a win, 1 a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decided {
    /// How far it came in a knockout.
    Survival,
    /// Points alone.
    Points,
    /// The games of two equals against each other.
    HeadToHead {
        /// Its points in them.
        own: u32,
        /// The other's.
        other: u32,
    },
    /// The games of three or more equals among each other.
    MiniTable {
        /// Its points in them.
        own: u32,
        /// How many were equal.
        among: usize,
    },
    /// Extra games of two equals.
    PlayOff {
        /// Its points in them.
        own: u32,
        /// The other's.
        other: u32,
    },
    /// Extra games of three or more equals.
    PlayOffTable {
        /// Its points in them.
        own: u32,
        /// How many were equal.
        among: usize,
    },
    /// Games won with Black.
    WinsAsBlack(u32),
    /// Games won.
    Wins(u32),
    /// Sonneborn-Berger, in units of both factors.
    SonnebornBerger(u64),
    /// It has withdrawn and stands behind its equals.
    Withdrawn,
    /// The chief referee's word (I.14).
    Ruled,
    /// Nothing: the place is shared.
    Shared,
}

/// What the criteria look at.
pub(super) struct Evidence<'a> {
    pub criteria: &'a [Criterion],
    pub results: &'a [GameResult],
    pub play_offs: &'a [PlayOff],
    pub orders: &'a [Vec<usize>],
    pub withdrawn: &'a [usize],
    pub lines: &'a [Line],
}

/// Splits a block of equal entrants into blocks in the order of places, each entrant with what gave it
/// its place. `so_far` is what made the block.
pub(super) fn separate(
    evidence: &Evidence<'_>,
    block: &[usize],
    so_far: Decided,
) -> Vec<Vec<(usize, Decided)>> {
    if block.len() < 2 {
        return vec![block.iter().map(|entrant| (*entrant, so_far)).collect()];
    }
    let (gone, present): (Vec<usize>, Vec<usize>) =
        block.iter().partition(|entrant| evidence.withdrawn.contains(entrant));
    if !gone.is_empty() && !present.is_empty() {
        let mut split = separate(evidence, &present, so_far);
        split.push(gone.into_iter().map(|entrant| (entrant, Decided::Withdrawn)).collect());
        return split;
    }
    for criterion in evidence.criteria {
        let Some(values) = measure(evidence, *criterion, block) else { continue };
        let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (entrant, value) in block.iter().zip(&values) {
            groups.entry(*value).or_default().push(*entrant);
        }
        if groups.len() > 1 {
            let total = values.iter().sum();
            return groups
                .into_iter()
                .rev()
                .flat_map(|(value, group)| {
                    separate(evidence, &group, decided(*criterion, value, total, block.len()))
                })
                .collect();
        }
    }
    let same =
        |order: &&Vec<usize>| order.len() == block.len() && block.iter().all(|one| order.contains(one));
    match evidence.orders.iter().rev().find(same) {
        Some(order) => order.iter().map(|entrant| vec![(*entrant, Decided::Ruled)]).collect(),
        None => vec![block.iter().map(|entrant| (*entrant, Decided::Shared)).collect()],
    }
}

fn decided(criterion: Criterion, value: u64, total: u64, among: usize) -> Decided {
    let units = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let (own, other) = (units(value), units(total.saturating_sub(value)));
    match criterion {
        Criterion::HeadToHead if among == 2 => Decided::HeadToHead { own, other },
        Criterion::HeadToHead => Decided::MiniTable { own, among },
        Criterion::PlayOff if among == 2 => Decided::PlayOff { own, other },
        Criterion::PlayOff => Decided::PlayOffTable { own, among },
        Criterion::WinsAsBlack => Decided::WinsAsBlack(own),
        Criterion::Wins => Decided::Wins(own),
        Criterion::SonnebornBerger => Decided::SonnebornBerger(value),
    }
}

/// A criterion's value for each of the block, greater is better; `None` where it does not apply.
fn measure(evidence: &Evidence<'_>, criterion: Criterion, block: &[usize]) -> Option<Vec<u64>> {
    let of_lines = |value: fn(&Line) -> u64| {
        block.iter().map(|entrant| evidence.lines.get(*entrant).map(value)).collect::<Option<Vec<_>>>()
    };
    match criterion {
        Criterion::HeadToHead => mini_table(evidence.results.iter(), block),
        Criterion::PlayOff => {
            let same = |play_off: &&PlayOff| {
                play_off.among.len() == block.len() && block.iter().all(|one| play_off.among.contains(one))
            };
            mini_table(evidence.play_offs.iter().filter(same).flat_map(|play_off| &play_off.results), block)
        }
        Criterion::WinsAsBlack => of_lines(|line| line.black.wins.into()),
        Criterion::Wins => of_lines(|line| line.total().wins.into()),
        Criterion::SonnebornBerger => of_lines(|line| line.sonneborn_berger),
    }
}

/// Points of each in the games among the block; `None` unless each two met equally often and at all.
fn mini_table<'a>(results: impl Iterator<Item = &'a GameResult>, block: &[usize]) -> Option<Vec<u64>> {
    let place: BTreeMap<usize, usize> = block.iter().enumerate().map(|(place, one)| (*one, place)).collect();
    let mut points = vec![0; block.len()];
    let mut met: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    for result in results {
        let (Some(&red), Some(&black)) = (place.get(&result.red), place.get(&result.black)) else { continue };
        points[red] += u64::from(result.score_of(result.red)?);
        points[black] += u64::from(result.score_of(result.black)?);
        *met.entry((red.min(black), red.max(black))).or_default() += 1;
    }
    let all_met = met.len() == block.len() * (block.len() - 1) / 2;
    let equally = met.values().all(|games| Some(games) == met.values().next());
    (all_met && equally).then_some(points)
}
