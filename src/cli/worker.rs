//! `chuhe worker`: plays pairs of runs that others published. Start at [`execute`].

use std::path::PathBuf;
use std::time::Duration;

use super::Exit;
use super::exit::report_error;
use super::fleet::{Server, name};
use super::run::time;
use crate::runner::fleet::{WorkerOptions, work};

/// Longest name of a machine that becomes a worker's name.
const MAX_HOST: usize = 24;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    server: Server,
    /// Pairs at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    slots: u32,
    /// Its own engines: a folder of manifests like engines/, on this machine or shared
    #[arg(long, value_name = "DIR")]
    engines: Option<PathBuf>,
    /// Run engines that this publisher sends (repeat for several); without it none is ever fetched
    #[arg(long, value_name = "PUBLISHER", value_parser = name)]
    allow: Vec<String>,
    /// Where fetched engines are kept [default: chuhe-engines in the folder of caches]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Its name, unique at the server [default: the machine's and the process's]
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<String>,
    /// End after so long without a pair (for batch systems)
    #[arg(long, value_name = "TIME", value_parser = time)]
    idle_exit: Option<Duration>,
    /// Print only what is wrong
    #[arg(long, short)]
    quiet: bool,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let options = WorkerOptions {
        address: arguments.server.address(),
        name: arguments.name.clone().unwrap_or_else(usual_name),
        slots: arguments.slots,
        engines: arguments.engines.clone(),
        allow: arguments.allow.clone(),
        cache: arguments.cache.clone().unwrap_or_else(usual_cache),
        idle_exit: arguments.idle_exit,
        quiet: arguments.quiet,
    };
    match work(options) {
        Ok(ended) => Exit::from(ended),
        Err(error) => report_error(&error),
    }
}

fn usual_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let clean: String =
        host.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(MAX_HOST).collect();
    format!("{clean}-{}", std::process::id())
}

fn usual_cache() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    caches.unwrap_or_else(std::env::temp_dir).join("chuhe-engines")
}
