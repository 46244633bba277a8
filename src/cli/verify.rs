//! `chuhe verify`: replays everything in a run folder and names what is not as it should be.
//! Start at [`execute`].

use std::path::PathBuf;

use super::Exit;
use crate::runner::verify;

/// Most faults that are printed.
const SHOWN: usize = 50;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run folder
    dir: PathBuf,
    /// The commitment to the seed of the lots as it was published: the run must have used that seed
    #[arg(long, value_name = "HASH")]
    commitment: Option<String>,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let verdict = verify(&arguments.dir, arguments.commitment.as_deref());
    for wrong in verdict.wrong.iter().take(SHOWN) {
        println!("wrong: {wrong}");
    }
    if verdict.wrong.len() > SHOWN {
        println!("and {} more", verdict.wrong.len() - SHOWN);
    }
    println!(
        "{} events, {} games with {} half-moves replayed, {} moves found in transcripts, {} documents drawn again: {}",
        verdict.events,
        verdict.games,
        verdict.plies,
        verdict.answered,
        verdict.documents,
        if verdict.wrong.is_empty() { "all as it should be" } else { "not as it should be" }
    );
    if verdict.wrong.is_empty() { Exit::Done } else { Exit::Wrong }
}
