//! `chuhe resume`: goes on with a run that was stopped. Start at [`execute`].

use std::path::PathBuf;

use super::Exit;
use super::fleet::Fleet;
use super::run::{Language, conclude, show};
use super::watch::LiveArguments;
use crate::runner;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run folder
    dir: PathBuf,
    #[command(flatten)]
    fleet: Fleet,
    /// No progress, only the cross table
    #[arg(long, short)]
    quiet: bool,
    /// Language of what is printed
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    #[command(flatten)]
    live: LiveArguments,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let lang = arguments.lang.into();
    if arguments.live.deaf(arguments.fleet.options().is_some(), false) {
        return Exit::Usage;
    }
    let show = match arguments.live.show(show(arguments.quiet, lang), lang) {
        Ok(show) => show,
        Err(exit) => return exit,
    };
    let result = match arguments.fleet.options() {
        Some(fleet) => runner::resume_on_fleet(&arguments.dir, show, &fleet),
        None => runner::resume(&arguments.dir, show),
    };
    conclude(&arguments.dir, lang, arguments.quiet, result)
}
