//! `chuhe lots`: the commitment to a seed, to be published before entries close. Start at [`execute`].

use super::Exit;
use crate::tournament::lots;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The seed that the lots will be drawn with; take a large one, a small one is soon guessed
    seed: u64,
}

pub fn execute(arguments: &Arguments) -> Exit {
    println!("{}", lots::commitment(arguments.seed));
    Exit::Done
}
