//! Processor cores for games: which cores this process may use, and a set of them for each of the places at
//! which games are played. A game's engines take turns, so they share one set; engines that think on the
//! opponent's time work both at once. Never binds anything itself: the shim does, before it becomes the
//! engine. Start at [`Cores::for_plan`].

use std::collections::BTreeSet;
use std::fs;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::plan::{Affinity, Entrant, Plan};

/// Why games cannot be bound to cores.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCores {
    /// There are fewer than the games at once need.
    #[error("affinity: {places} games at once with {each} core(s) each need {} cores, but there are {}: {}; lower the \
             games at once or the engines' threads, or leave affinity out", .places * .each, .found.len(), list(.found))]
    TooFew {
        /// Games at once.
        places: usize,
        /// Cores that each needs.
        each: usize,
        /// The cores there are.
        found: Vec<usize>,
    },
    /// A core was named that there is not, or that this process may not use.
    #[error("affinity: core {core} is not among those that this process may use: {}", list(.found))]
    NotOurs {
        /// The core.
        core: usize,
        /// Those that may be used.
        found: Vec<usize>,
    },
    /// The system refuses.
    #[error("affinity: the system does not permit it: {0}")]
    NotPermitted(String),
}

impl NoCores {
    /// Whether nobody can help it: then games are played without. What was asked for wrongly is refused.
    pub const fn is_systems(&self) -> bool {
        matches!(self, NoCores::NotPermitted(_))
    }
}

/// The cores of each place; no sets where games are not bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cores(Vec<Vec<usize>>);

impl Cores {
    /// The sets that a plan asks for; none if it asks for none.
    ///
    /// # Errors
    /// Why there are none.
    pub fn for_plan(plan: &Plan) -> Result<Cores, NoCores> {
        let Some(wanted) = &plan.conduct.affinity else { return Ok(Cores::default()) };
        let allowed = allowed().map_err(|error| NoCores::NotPermitted(error.to_string()))?;
        divide(wanted, &allowed, plan.conduct.concurrency, cores_a_game(&plan.entrants))
    }

    /// The cores of a place; none if games are not bound.
    pub fn of(&self, place: usize) -> &[usize] {
        self.0.get(place).map_or(&[], Vec::as_slice)
    }

    /// Whether games are bound.
    pub fn is_bound(&self) -> bool {
        !self.0.is_empty()
    }

    /// In words for reports: the sets, one after the other.
    pub fn describe(&self) -> Option<String> {
        let sets: Vec<String> = self.0.iter().map(|set| list(set)).collect();
        self.is_bound().then(|| format!("each game on its own: {}", sets.join(" | ")))
    }
}

fn list(cores: &[usize]) -> String {
    cores.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// How many cores one game keeps busy: the most threads of any engine, twice where an engine thinks on the
/// opponent's time.
fn cores_a_game(entrants: &[Entrant]) -> usize {
    let engines = || entrants.iter().flat_map(Entrant::members);
    let threads = engines()
        .flat_map(|engine| &engine.options)
        .filter(|(name, _)| ["threads", "cores"].iter().any(|known| name.eq_ignore_ascii_case(known)))
        .filter_map(|(_, value)| value.parse::<usize>().ok());
    let most = threads.max().unwrap_or(1).max(1);
    if engines().any(|engine| engine.ponder) { 2 * most } else { most }
}

/// Gives each place its own cores.
fn divide(wanted: &Affinity, allowed: &[usize], places: usize, each: usize) -> Result<Cores, NoCores> {
    let cores = if wanted.cores.is_empty() { allowed } else { &wanted.cores };
    if let Some(core) = cores.iter().find(|core| !allowed.contains(core)) {
        let mut found = allowed.to_vec();
        found.sort_unstable();
        return Err(NoCores::NotOurs { core: *core, found });
    }
    if cores.len() < places.saturating_mul(each) {
        return Err(NoCores::TooFew { places, each, found: cores.to_vec() });
    }
    Ok(Cores(cores.chunks(each).take(places).map(<[usize]>::to_vec).collect()))
}

/// The cores that this process may use: of each physical core one thread first, its siblings later.
fn allowed() -> rustix::io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    // Setting what is set already shows whether setting is permitted at all.
    sched_setaffinity(None, &set)?;
    let mut cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect();
    cores.sort_by_key(|core| (sibling_rank(*core), *core));
    Ok(cores)
}

/// How many threads of the same physical core have a lower number; 0 where the system does not say.
fn sibling_rank(core: usize) -> usize {
    let path = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let text = fs::read_to_string(path).unwrap_or_default();
    siblings(text.trim()).into_iter().filter(|sibling| *sibling < core).count()
}

/// `0,4` or `0-1`.
fn siblings(text: &str) -> BTreeSet<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?)
    };
    text.split(',').filter_map(range).flatten().take(CpuSet::MAX_CPU).collect()
}

/// Binds this process to cores: the shim, before it becomes the engine.
pub fn bind(cores: &[usize]) -> rustix::io::Result<()> {
    let mut set = CpuSet::new();
    cores.iter().filter(|core| **core < CpuSet::MAX_CPU).for_each(|core| set.set(*core));
    sched_setaffinity(None, &set)
}

/// The cores of each place, and what records say of them. Where the system does not permit any the games are
/// played all the same, and the record says so; what is asked for wrongly is refused.
///
/// # Errors
/// They are asked for wrongly.
pub fn cores(plan: &Plan) -> Result<(Cores, Option<String>), NoCores> {
    match Cores::for_plan(plan) {
        Ok(cores) => {
            let bound = cores.describe();
            Ok((cores, bound))
        }
        Err(why) if why.is_systems() => Ok((Cores::default(), Some(unbound(&why)))),
        Err(why) => Err(why),
    }
}

/// Says that games are not bound to cores though that was asked for.
pub fn unbound(why: &NoCores) -> String {
    let text = format!("not bound ({why})");
    eprintln!("warning: {text}");
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{Manifest, Protocol};

    fn check(wanted: &[usize], allowed: &[usize], places: usize, each: usize, expected: &str) {
        let wanted = Affinity { cores: wanted.to_vec() };
        let found = match divide(&wanted, allowed, places, each) {
            Ok(cores) => cores.describe().unwrap_or_default(),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expected), "{found}\n{expected}");
    }

    #[test]
    fn each_place_has_cores_of_its_own_or_the_reason_is_told() {
        check(&[], &[0, 2, 1, 3], 2, 1, "each game on its own: 0 | 2");
        check(&[], &[0, 2, 1, 3], 2, 2, "0,2 | 1,3");
        check(&[3, 1], &[0, 1, 2, 3], 2, 1, "3 | 1");
        check(&[], &[0, 1], 3, 1, "3 games at once with 1 core(s) each need 3 cores, but there are 2: 0,1");
        check(&[], &[0, 1], 1, 4, "need 4 cores");
        check(&[7], &[1, 0], 1, 1, "core 7 is not among those that this process may use: 0,1");
    }

    #[test]
    fn threads_and_pondering_need_cores() {
        let entrant = |options: &[(&str, &str)], ponder: bool| {
            let mut engine = Manifest::new("x", Protocol::Uci);
            engine.options =
                options.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            engine.ponder = ponder;
            Entrant {
                name: "x".to_owned(),
                name_zh: None,
                engine: Arc::new(engine),
                team: Vec::new(),
                time: None,
                registration: Vec::new(),
            }
        };
        assert_eq!(cores_a_game(&[entrant(&[("Hash", "64")], false)]), 1);
        assert_eq!(cores_a_game(&[entrant(&[("threads", "3")], false), entrant(&[], false)]), 3);
        assert_eq!(cores_a_game(&[entrant(&[("Threads", "2")], true), entrant(&[], false)]), 4);
        assert_eq!(siblings("0,4").into_iter().collect::<Vec<_>>(), [0, 4]);
        assert_eq!(siblings("2-3").into_iter().collect::<Vec<_>>(), [2, 3]);
        assert!(siblings("?").is_empty());
    }
}
