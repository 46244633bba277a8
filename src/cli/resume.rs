//! `chuhe resume`: goes on with a run that was stopped. Start at [`execute`].

use std::path::PathBuf;

use super::Exit;
use super::fleet::Fleet;
use super::run::Shown;
use crate::runner;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run folder
    dir: PathBuf,
    #[command(flatten)]
    fleet: Fleet,
    #[command(flatten)]
    shown: Shown,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let fleet = arguments.fleet.options();
    let show = match arguments.shown.open(fleet.is_some(), false) {
        Ok(show) => show,
        Err(exit) => return exit,
    };
    let result = match fleet {
        Some(fleet) => runner::resume_on_fleet(&arguments.dir, show, &fleet),
        None => runner::resume(&arguments.dir, show),
    };
    arguments.shown.conclude(&arguments.dir, result)
}
