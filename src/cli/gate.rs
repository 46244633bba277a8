//! `chuhe gate`: may the candidate take the place of the baseline? For builds: exit codes, JUnit XML,
//! Markdown, JSON. Start at [`execute`].

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Exit;
use super::run::{conclude, show};
use super::testing::{Test, usage};
use crate::config::typed::Typed;
use crate::report::Lang;
use crate::report::gate::{self, Gate, Rule};
use crate::runner::{self, Ended};

/// The file in which build systems collect summaries of their steps.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// The test where none is typed: no regression, which an equal candidate passes.
const USUAL_TEST: [&str; 2] = ["elo0=-10", "elo1=0"];

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The engine to be replaced, as `chuhe match --engine` has it
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., required = true)]
    baseline: Vec<String>,
    /// The engine that wants to pass
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., required = true)]
    candidate: Vec<String>,
    /// Most games, an even number
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(2..))]
    games: u64,
    /// Pass by this score (0 to 1) over all games instead of a sequential test; ends as soon as that is certain
    #[arg(long, value_name = "SCORE", conflicts_with = "sprt")]
    min_score: Option<f64>,
    /// Write JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the verdict as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Append the summary (Markdown) to this file [default: the one that GITHUB_STEP_SUMMARY names]
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    #[command(flatten)]
    test: Test,
}

pub fn execute(arguments: &Arguments) -> Exit {
    if arguments.min_score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
        return usage(&["--min-score is a share of the points, 0 to 1".to_owned()]);
    }
    let test = &arguments.test;
    let usual = || USUAL_TEST.map(str::to_owned).to_vec();
    let typed = Typed {
        engines: vec![named(&arguments.candidate, "candidate"), named(&arguments.baseline, "baseline")],
        rounds: arguments.games / 2,
        games: 2,
        sprt: match (arguments.min_score, test.sprt.as_ref()) {
            (None, None) => Some(usual()),
            (Some(_), _) | (None, Some(_)) => None,
        },
        ..Typed::default()
    };
    let mut typed = typed;
    if let Some(least) = arguments.min_score {
        typed.other.insert("min_score".to_owned(), least.into());
    }
    let (resolved, base) = match test.resolve(typed, "Gate") {
        Ok(resolved) => resolved,
        Err(exit) => return exit,
    };
    let dir = test.out.clone().unwrap_or_else(|| super::run::dated_folder("gate"));
    let show = match test.live.show(show(test.quiet, Lang::English), Lang::English) {
        Ok(show) => show,
        Err(exit) => return exit,
    };
    let result = test.play(&resolved, &base, &dir, show);
    let ended = result.as_ref().ok().copied();
    let exit = conclude(&dir, Lang::English, test.quiet, result);
    let Some(ended) = ended else { return exit };
    let rule = arguments.min_score.map_or(Rule::Sprt, Rule::MinScore);
    let failed = test.copy_games(&dir).or_else(|| arguments.tell(&dir, rule).err());
    failed.unwrap_or_else(|| verdict(&dir, ended, rule, exit))
}

/// The words of an engine, with a name if they have none.
fn named(words: &[String], name: &str) -> Vec<String> {
    let has_name = words.iter().any(|word| word.starts_with("name="));
    let own = (!has_name).then(|| format!("name={name}"));
    words.iter().cloned().chain(own).collect()
}

/// Faults and signals go before the verdict: such games say nothing.
fn verdict(dir: &Path, ended: Ended, rule: Rule, exit: Exit) -> Exit {
    match ended {
        Ended::Faults | Ended::EngineFailures | Ended::Held | Ended::Interrupted => exit,
        Ended::Complete | Ended::OutOfTime => {
            match runner::read_run(dir).map(|run| gate::verdict(&run, rule)) {
                Ok(Gate::Passed) => Exit::Done,
                Ok(Gate::Failed) => Exit::GateFailed,
                Ok(Gate::Undecided) => Exit::GateUndecided,
                Err(error) => super::exit::report_error(&error),
            }
        }
    }
}

impl Arguments {
    /// Prints the verdict and writes the files that were asked for.
    fn tell(&self, dir: &Path, rule: Rule) -> Result<(), Exit> {
        let run = runner::read_run(dir).map_err(|error| super::exit::report_error(&error))?;
        println!("{}", gate::line(&run, rule));
        if let Some(file) = &self.junit {
            write(file, &gate::junit(&run, rule, self.test.strict), false)?;
        }
        if let Some(file) = &self.json {
            write(file, &gate::json(&run, rule), false)?;
        }
        let summary = self.summary.clone().or_else(|| std::env::var_os(SUMMARY_VARIABLE).map(PathBuf::from));
        if let Some(file) = summary.filter(|file| !file.as_os_str().is_empty()) {
            write(&file, &gate::markdown(&run, rule), true)?;
        }
        Ok(())
    }
}

fn write(file: &Path, text: &str, append: bool) -> Result<(), Exit> {
    let written = if append {
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
        opened.and_then(|mut file| file.write_all(text.as_bytes()))
    } else {
        std::fs::write(file, text)
    };
    written.map_err(|error| {
        eprintln!("error: cannot write '{}': {error}", file.display());
        Exit::Internal
    })
}
