//! `chuhe check`: reads a config, says everything that is wrong with it, plays nothing.
//! Start at [`execute`].

use std::path::PathBuf;

use super::Exit;
use super::exit::report_problems;
use crate::config::Overrides;
use crate::record::Settings;
use crate::report::{Lang, progress};
use crate::runner;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The config file
    config: PathBuf,
}

pub fn execute(arguments: &Arguments) -> Exit {
    match runner::read_config(&arguments.config, &Overrides::default()) {
        Err(problems) => report_problems(&arguments.config.display().to_string(), &problems),
        Ok((resolved, _)) => {
            for warning in &resolved.warnings {
                println!("warning: {warning}");
            }
            println!("{}: good", arguments.config.display());
            for line in progress::start(&Settings::of(&resolved.plan), Lang::English) {
                println!("{line}");
            }
            Exit::Done
        }
    }
}
