//! `chuhe run`: plays a config in a new run folder. Start at [`execute`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Exit;
use super::exit::{report_error, report_problems};
use super::fleet::Fleet;
use super::watch::LiveArguments;
use crate::config::Overrides;
use crate::game::parse_time;
use crate::report::Lang;
use crate::runner::{self, RunError, Show};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The config file (JSON); `chuhe schema` describes it
    config: PathBuf,
    /// Run folder; by default results/<config name>-<date and time>
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// Factor on all clocks, for rehearsals; printed in every header
    #[arg(long, value_name = "X")]
    time_scale: Option<f64>,
    /// Seed of all chance
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Longest time for running games after the first Ctrl-C (60s unless the config says otherwise)
    #[arg(long, value_name = "TIME", value_parser = time)]
    drain: Option<Duration>,
    /// Play each game on processor cores of its own: all that we may use, or those of a list like 0,2-5
    #[arg(long, value_name = "CORES", num_args = 0..=1, default_missing_value = "true")]
    affinity: Option<String>,
    /// Least time between the beginnings of two games
    #[arg(long, value_name = "TIME", value_parser = time)]
    stagger: Option<Duration>,
    /// Exit with 3 if there is any crash, stall, illegal move or time loss
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    fleet: Fleet,
    /// Write everything the machines are given into this file
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "fleet")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    shown: Shown,
}

/// What is shown of a run while it is played, and in which language.
#[derive(Debug, clap::Args)]
pub struct Shown {
    /// No progress, only the cross table
    #[arg(long, short)]
    quiet: bool,
    /// Language of what is printed
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    #[command(flatten)]
    live: LiveArguments,
}

impl Shown {
    /// The display and the live page that were asked for. `elsewhere`: other machines play; `traced`: the run
    /// is traced.
    ///
    /// # Errors
    /// There cannot be such a page; it has been said.
    pub fn open(&self, elsewhere: bool, traced: bool) -> Result<Show, Exit> {
        if self.live.deaf(elsewhere, traced) {
            return Err(Exit::Usage);
        }
        let lang = self.lang.into();
        self.live.show(show(self.quiet, lang), lang)
    }

    /// Prints the cross table and where everything is, or the error.
    pub fn conclude(&self, dir: &Path, result: Result<runner::Ended, RunError>) -> Exit {
        conclude(dir, self.lang.into(), self.quiet, result)
    }
}

/// The languages, as typed.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub enum Language {
    /// English
    #[default]
    En,
    /// Chinese
    Zh,
}

impl From<Language> for Lang {
    fn from(language: Language) -> Lang {
        match language {
            Language::En => Lang::English,
            Language::Zh => Lang::Chinese,
        }
    }
}

/// A time as typed: `60`, `60s`, `2m`.
pub fn time(text: &str) -> Result<Duration, String> {
    parse_time(text).map_err(str::to_owned)
}

pub fn execute(arguments: &Arguments) -> Exit {
    let overrides = Overrides {
        concurrency: arguments.concurrency.map(usize::from),
        seed: arguments.seed,
        time_scale: arguments.time_scale,
        drain: arguments.drain,
        strict: arguments.strict,
        affinity: arguments.affinity.clone(),
        stagger: arguments.stagger,
    };
    let (resolved, base) = match runner::read_config(&arguments.config, &overrides) {
        Ok(resolved) => resolved,
        Err(problems) => return report_problems(&arguments.config.display().to_string(), &problems),
    };
    for warning in &resolved.warnings {
        eprintln!("warning: {warning}");
    }
    let dir = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.config));
    let fleet = arguments.fleet.options();
    let show = match arguments.shown.open(fleet.is_some(), arguments.trace.is_some()) {
        Ok(show) => show,
        Err(exit) => return exit,
    };
    let result = match fleet {
        Some(fleet) => runner::run_on_fleet(&resolved, &base, &dir, show, &fleet),
        None => runner::run(&resolved, &base, &dir, show, arguments.trace.as_deref()),
    };
    if let Err(RunError::NotStarted { .. }) = result {
        runner::forget_unplayed(&dir);
    }
    arguments.shown.conclude(&dir, result)
}

/// The display that was asked for.
pub fn show(quiet: bool, lang: Lang) -> Show {
    if quiet { Show::quiet(lang) } else { Show::new(lang) }
}

/// Prints the cross table and where everything is, or the error.
pub fn conclude(dir: &Path, lang: Lang, quiet: bool, result: Result<runner::Ended, RunError>) -> Exit {
    let ended = match result {
        Ok(ended) => ended,
        Err(error) => return report_error(&error),
    };
    let table = match lang {
        Lang::English => "crosstable.txt",
        Lang::Chinese => "crosstable.zh.txt",
    };
    match std::fs::read_to_string(dir.join(table)) {
        Ok(text) => print!("{text}"),
        Err(error) => eprintln!("error: cannot read '{}': {error}", dir.join(table).display()),
    }
    if !quiet {
        println!("\n{} {}", lang.pick("Everything is in", "全部文件在"), dir.display());
    }
    if matches!(ended, runner::Ended::Interrupted | runner::Ended::OutOfTime) {
        let words = lang.pick("Not finished; go on with", "尚未结束，继续请用");
        eprintln!("{words}: chuhe resume {}", dir.display());
    }
    Exit::from(ended)
}

fn default_folder(config: &Path) -> PathBuf {
    dated_folder(&config.file_stem().unwrap_or_default().to_string_lossy())
}

/// A run folder that does not exist yet: `results/NAME-DATE-TIME`.
pub fn dated_folder(name: &str) -> PathBuf {
    let date = chrono::Local::now().format("%Y%m%d-%H%M%S");
    let plain = PathBuf::from("results").join(format!("{name}-{date}"));
    // Two runs may begin in one second.
    let numbered = (2..100).map(|number| PathBuf::from(format!("{}-{number}", plain.display())));
    std::iter::once(plain.clone()).chain(numbered).find(|dir| !dir.exists()).unwrap_or(plain)
}
