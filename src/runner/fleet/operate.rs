//! What an operator asks and orders from any machine: how runs and workers stand; pause, go on, stop, purge.
//! Orders change how a run stands by compare-and-set; the coordinator obeys. Start at [`standings`] and
//! [`operate`].

use std::collections::BTreeMap;

use super::link::{Address, Link, RESULT, RunName, WORK};
use super::message::{Card, Notice, State};

/// Most attempts to change how a run stands while others change it too.
const ATTEMPTS: u32 = 20;

/// How everything stands.
#[derive(Debug)]
pub struct Standing {
    /// The runs, each with the pairs at the server that are not done, and with the results stored.
    pub runs: BTreeMap<RunName, (Notice, usize, usize)>,
    /// The workers.
    pub workers: BTreeMap<String, Card>,
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// No pair is begun for now.
    Pause,
    /// Pairs are begun again.
    Continue,
    /// The coordinator stops; the run can be resumed.
    Stop,
    /// Everything of a run that stands still is removed from the server.
    Purge,
}

fn wait<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    runtime.map_err(|error| error.to_string())?.block_on(work)
}

/// Asks how everything stands.
///
/// # Errors
/// In words, why the server cannot be asked.
pub fn standings(address: &Address) -> Result<Standing, String> {
    wait(async {
        let link = Link::connect(address, "status").await?;
        let mut runs = BTreeMap::new();
        for (run, notice) in link.runs().await? {
            let undone = link.subjects(WORK, &run.work("*")).await?.len();
            let stored = link.subjects(RESULT, &run.result("*")).await?.len();
            runs.insert(run, (notice, undone, stored));
        }
        Ok(Standing { runs, workers: link.workers().await? })
    })
}

/// Gives an order.
///
/// # Errors
/// In words, why it cannot be obeyed.
pub fn operate(address: &Address, run: &RunName, operation: Operation) -> Result<(), String> {
    wait(async {
        let link = Link::connect(address, "operator").await?;
        for _ in 0..ATTEMPTS {
            let Some((mut notice, revision)) = link.notice(run).await? else {
                return Err(format!("there is no run {}", run.dotted()));
            };
            notice.state = match (operation, notice.state) {
                (Operation::Purge, State::Running | State::Paused) => {
                    return Err(format!("{} is being played; stop it first", run.dotted()));
                }
                (Operation::Purge, _) => return link.forget(run).await,
                (_, State::Stopped) => return Err(format!("{} is over", run.dotted())),
                (Operation::Pause, _) => State::Paused,
                (Operation::Continue, _) => State::Running,
                (Operation::Stop, _) => State::Cancelled,
            };
            if link.set_notice(run, &notice, revision).await? {
                if operation == Operation::Stop {
                    // The coordinator does it too; it may not be there.
                    link.purge(WORK, &run.work("*")).await?;
                }
                return Ok(());
            }
        }
        Err("others change it all the time".to_owned())
    })
}
