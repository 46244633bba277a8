//! placeholder
use super::Exit;
#[derive(Debug, clap::Args)]
pub struct Arguments {}
pub fn execute(_: &Arguments) -> Exit { Exit::Done }
