//! Open files: how many a run needs, and that the system allows them. The soft limit is raised to the hard
//! one; engines are given back what they would have had. Never lowers what a run asked for: it refuses, and
//! says what would fit. Start at [`check`].

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::plan::Plan;

/// What the runner itself holds open: journal, documents, standard streams, timers, signals, the watchdog,
/// and what its libraries open for a moment.
const OWN: u64 = 64;

/// What an engine takes: three pipes, two process descriptors, a transcript, and its input once more while
/// it is full.
const PER_ENGINE: u64 = 7;

/// The limit is too low for the games at once that were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "concurrency: {} {needed} open files, but the system allows {limit} (`ulimit -Hn`); {}",
    wish(.games), fitting(.most)
)]
pub struct Shortage {
    /// Games at once.
    pub games: u64,
    /// Descriptors they need.
    pub needed: u64,
    /// The hard limit.
    pub limit: u64,
    /// Most games at once that fit.
    pub most: u64,
}

fn wish(games: &u64) -> String {
    if *games == 1 { "one game at a time needs".to_owned() } else { format!("{games} games at once need") }
}

fn fitting(most: &u64) -> String {
    match most {
        0 => "not even one game at a time fits".to_owned(),
        1 => "one game at a time fits".to_owned(),
        most => format!("at most {most} games at once fit"),
    }
}

/// Raises the soft limit to the hard one. Returns the soft limit there was, if it was raised.
pub fn raise() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let before = current?;
    if maximum.is_some_and(|maximum| maximum <= before) {
        return None;
    }
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).ok().map(|()| before)
}

/// Sets the soft limit as it was before [`raise`]: some programs count on small numbers of descriptors.
pub fn give_back(before: u64) {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(before), maximum });
}

/// Whether a plan's games at once can have the descriptors they need.
///
/// # Errors
/// They cannot.
pub fn check(plan: &Plan) -> Result<(), Shortage> {
    match getrlimit(Resource::Nofile).maximum {
        None => Ok(()),
        Some(limit) => fits(plan, limit),
    }
}

fn fits(plan: &Plan, limit: u64) -> Result<(), Shortage> {
    let members = plan.entrants.iter().map(|entrant| entrant.members().count() as u64);
    // All members of both teams sit at a table; who has left it may still be ending.
    let ending = if plan.conduct.reuse { 1 } else { 2 };
    let per_game = 2 * members.clone().max().unwrap_or(1) * ending * PER_ENGINE;
    // Every entrant's engines wait between its games.
    let waiting = if plan.conduct.reuse { members.sum::<u64>() * PER_ENGINE } else { 0 };
    let games = plan.conduct.concurrency as u64;
    let needed = OWN + waiting + games * per_game;
    let most = limit.saturating_sub(OWN + waiting) / per_game;
    if needed > limit { Err(Shortage { games, needed, limit, most }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Files, Overrides, Problem};

    struct NoFiles;

    impl Files for NoFiles {
        fn read(&self, _: &str) -> Result<Vec<u8>, String> {
            Err("no files here".to_owned())
        }

        fn exists(&self, _: &str) -> bool {
            false
        }
    }

    fn check(fields: &str, limit: u64, expected: &str) {
        let text = format!(
            r#"{{"entrants":[{{"name":"A","engine":"sparring"}},{{"name":"B","engine":"sparring"}}]{fields}}}"#
        );
        let resolved: Result<_, Vec<Problem>> = config::read(&text, "/", &NoFiles, &Overrides::default());
        let told = match fits(&resolved.unwrap().plan, limit) {
            Ok(()) => "fits".to_owned(),
            Err(shortage) => shortage.to_string(),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        check("", 1024, "fits");
        check(r#","concurrency":67"#, 1024, "fits");
        check(
            r#","concurrency":68"#,
            1024,
            "concurrency: 68 games at once need 1030 open files, but the system allows 1024 (`ulimit -Hn`); \
             at most 67 games at once fit",
        );
        check(
            r#","concurrency":2"#,
            100,
            "concurrency: 2 games at once need 106 open files, but the system allows 100 (`ulimit -Hn`); \
             one game at a time fits",
        );
        check(
            r#","concurrency":1,"reuse":false"#,
            80,
            "concurrency: one game at a time needs 92 open files, but the system allows 80 (`ulimit -Hn`); \
             not even one game at a time fits",
        );
    }
}
