//! `chuhe match`: a whole test on one command line. Also what `gate` shares with it. Start at [`execute`].

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};

use super::Exit;
use super::exit::report_problems;
use super::fleet::Fleet;
use super::run::{Language, conclude, show, time};
use super::watch::LiveArguments;
use crate::config::typed::{BUILT_IN_OPENINGS, Beginning, Meeting, Typed, USUAL_LIST};
use crate::config::{self, Overrides, Resolved};
use crate::game::write_seconds;
use crate::runner::{self, DiskFiles, GAMES, RunError, Show};
use crate::tournament::Colours;

/// `--engine` with its words, as often as it is given.
#[derive(Debug, Clone, Default)]
struct Engines(Vec<Vec<String>>);

impl clap::Args for Engines {
    fn augment_args(command: Command) -> Command {
        let help = "An engine: a known name or cmd=PROGRAM, then name= args= dir= proto=uci|ucci|cecp tc= st= nodes= \
                    depth= timemargin= restart=on|off ponder=true squares=zero|one option.NAME=VALUE, or conf=NAME of an \
                    engines.json; repeat for each engine";
        let engine = Arg::new("engine").long("engine").value_name("KEY=VALUE").num_args(1..);
        command.arg(engine.action(ArgAction::Append).required(true).help(help))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Engines::augment_args(command)
    }
}

impl clap::FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Engines, clap::Error> {
        let groups = matches.get_occurrences::<String>("engine").into_iter().flatten();
        Ok(Engines(groups.map(|words| words.cloned().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Engines::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What a test is made of beside its engines.
#[derive(Debug, clap::Args)]
pub struct Test {
    /// Settings of all engines that do not say otherwise, as for --engine
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    each: Vec<String>,
    /// Games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Openings: file=LIST (EPD, FEN, moves, PGN) order=sequential|random start=N plies=N; `none` is the
    /// start position [default: the built-in list, shuffled by the seed]
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    openings: Vec<String>,
    /// Seed of all chance
    #[arg(long, value_name = "S", default_value_t = 0)]
    srand: u64,
    /// Games are lost by scores: movecount=3 score=600 twosided=true (units of the engines)
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    resign: Option<Vec<String>>,
    /// Games are drawn by scores: movenumber=34 movecount=8 score=20
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    draw: Option<Vec<String>>,
    /// Games are drawn after so many moves of both sides
    #[arg(long, value_name = "N")]
    maxmoves: Option<u32>,
    /// Sequential test of the first engine: elo0=0 elo1=5 alpha=0.05 beta=0.05
    /// model=normalized|logistic|bayesian
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    pub sprt: Option<Vec<String>>,
    /// Rule book of repetitions
    #[arg(long, value_name = "BOOK", value_parser = ["asian-2006", "computer", "plain"])]
    book: Option<String>,
    /// Play each game on processor cores of its own: all that we may use, or those of a list like 0,2-5
    #[arg(long, value_name = "CORES", num_args = 0..=1, default_missing_value = "true")]
    affinity: Option<String>,
    /// Least time between the beginnings of two games
    #[arg(long, value_name = "TIME", value_parser = time)]
    stagger: Option<Duration>,
    /// Draw odds: a drawn game counts as won by Black
    #[arg(long)]
    draw_as_black_win: bool,
    /// Both games of a pair have the same colours
    #[arg(long)]
    no_swap: bool,
    /// Every game has the colours opposite to the tables: the first engine begins as Black
    #[arg(long)]
    reverse: bool,
    /// The file of engines that conf=NAME looks in, as cutechess and Sylvan write it [default: engines.json
    /// here, else cutechess's or Sylvan's own]
    #[arg(long, value_name = "FILE")]
    engines_file: Option<PathBuf>,
    /// How long games are started
    #[arg(long, value_name = "TIME", value_parser = time)]
    time_budget: Option<Duration>,
    /// Stop when one engine has lost so many games on end by crash or stall
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    stop_after_failures: Option<u32>,
    /// Name of the event
    #[arg(long)]
    event: Option<String>,
    /// Place of the event
    #[arg(long)]
    site: Option<String>,
    /// Write the games to this file too
    #[arg(long, value_name = "FILE")]
    pgnout: Option<PathBuf>,
    /// Run folder; by default results/<command>-<date and time>
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Exit with 3 if there is any crash, stall, illegal move or time loss
    #[arg(long)]
    pub strict: bool,
    /// No progress, only the cross table
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    fleet: Fleet,
    /// Print the config that says the same, and play nothing
    #[arg(long)]
    pub print_config: bool,
    #[command(flatten)]
    pub live: LiveArguments,
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    engines: Engines,
    /// Rounds: each two engines meet so often
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Games of each two in a round
    #[arg(long, value_name = "N", default_value_t = 2)]
    games: u64,
    /// The first engines meet all others, not each other
    #[arg(long, value_name = "SEEDS", num_args = 0..=1, default_missing_value = "1")]
    gauntlet: Option<usize>,
    #[command(flatten)]
    test: Test,
    /// Language of what is printed
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
}

/// Rounds where none are typed and no test ends the match.
const USUAL_ROUNDS: u64 = 10;

pub fn execute(arguments: &Arguments) -> Exit {
    let test = &arguments.test;
    let usual = if test.sprt.is_some() { 0 } else { USUAL_ROUNDS };
    let meeting = match arguments.gauntlet {
        Some(seeds) => Meeting::Gauntlet { seeds },
        None => Meeting::RoundRobin,
    };
    let typed = Typed {
        engines: arguments.engines.0.clone(),
        meeting,
        rounds: arguments.rounds.unwrap_or(usual),
        games: arguments.games,
        ..Typed::default()
    };
    let (resolved, base) = match test.resolve(typed, "Match") {
        Ok(resolved) => resolved,
        Err(exit) => return exit,
    };
    if test.live.deaf(test.fleet.options().is_some(), false) {
        return Exit::Usage;
    }
    let dir = test.out.clone().unwrap_or_else(|| super::run::dated_folder("match"));
    let lang = arguments.lang.into();
    let show = match test.live.show(show(test.quiet, lang), lang) {
        Ok(show) => show,
        Err(exit) => return exit,
    };
    let result = test.play(&resolved, &base, &dir, show);
    let exit = conclude(&dir, lang, test.quiet, result);
    test.copy_games(&dir).unwrap_or(exit)
}

impl Test {
    /// The plan that was typed. `Err` is the exit code when there is nothing to play.
    pub fn resolve(&self, typed: Typed, event: &str) -> Result<(Resolved, PathBuf), Exit> {
        let openings = self.beginning();
        let typed = Typed {
            each: self.each.clone(),
            openings,
            resign: self.resign.clone(),
            draw: self.draw.clone(),
            sprt: typed.sprt.or_else(|| self.sprt.clone()),
            max_moves: self.maxmoves,
            list: self.engines_file.clone().unwrap_or_else(usual_list).to_string_lossy().into_owned(),
            other: typed.other.into_iter().chain(self.other(event)).collect(),
            ..typed
        };
        let config = typed.config().map_err(|problems| usage(&problems))?;
        let base = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let overrides = Overrides { strict: self.strict, ..Overrides::default() };
        let resolved = config::from_value(&config, &base.to_string_lossy(), &DiskFiles, &overrides);
        let resolved = resolved.map_err(|problems| report_problems("command line", &problems))?;
        if self.print_config {
            let text = serde_json::to_string_pretty(&config).unwrap_or_default();
            // Whoever reads may have read enough.
            let _ = writeln!(std::io::stdout(), "{text}");
            return Err(Exit::Done);
        }
        for warning in &resolved.warnings {
            eprintln!("warning: {warning}");
        }
        Ok((resolved, base))
    }

    /// Plays a test, here or with a fleet.
    pub fn play(
        &self,
        resolved: &Resolved,
        base: &Path,
        dir: &Path,
        show: Show,
    ) -> Result<runner::Ended, RunError> {
        match self.fleet.options() {
            Some(fleet) => runner::run_on_fleet(resolved, base, dir, show, &fleet),
            None => runner::run(resolved, base, dir, show, None),
        }
    }

    fn other(&self, event: &str) -> Map<String, Value> {
        let mut other = Map::new();
        let mut put = |key: &str, value: Value| drop(other.insert(key.to_owned(), value));
        put("event", Value::from(self.event.as_deref().unwrap_or(event)));
        if let Some(site) = &self.site {
            put("site", Value::from(site.as_str()));
        }
        put("seed", self.srand.into());
        put("concurrency", self.concurrency.into());
        if let Some(book) = &self.book {
            put("rules", json!({ "book": book }));
        }
        if let Some(budget) = self.time_budget {
            put("time_budget", Value::from(format!("{}s", write_seconds(budget))));
        }
        if let Some(cores) = &self.affinity {
            put("affinity", config::affinity(cores));
        }
        if let Some(stagger) = self.stagger {
            put("stagger", Value::from(format!("{}s", write_seconds(stagger))));
        }
        if self.draw_as_black_win {
            put("draw_as_black_win", true.into());
        }
        if let Some(colours) = Colours::of(self.no_swap, self.reverse).unusual() {
            put("colours", colours.into());
        }
        if let Some(most) = self.stop_after_failures {
            put("faults", json!({ "stop_after": most }));
        }
        other
    }

    fn beginning(&self) -> Beginning {
        match self.openings.as_slice() {
            [] => Beginning::File(vec![format!("file={BUILT_IN_OPENINGS}"), "order=random".to_owned()]),
            [none] if none == "none" => Beginning::Usual,
            words => Beginning::File(words.to_vec()),
        }
    }

    /// Copies the games to the file that was asked for; an exit code if that fails.
    pub fn copy_games(&self, dir: &Path) -> Option<Exit> {
        let to = self.pgnout.as_ref()?;
        let from = dir.join(GAMES);
        if !from.exists() {
            return None;
        }
        match std::fs::copy(&from, to) {
            Ok(_) => None,
            Err(error) => {
                eprintln!("error: cannot write '{}': {error}", to.display());
                Some(Exit::Internal)
            }
        }
    }
}

/// The file of engines where none is typed: one that lies here, else the one that cutechess or Sylvan keeps.
pub fn usual_list() -> PathBuf {
    let here = PathBuf::from(USUAL_LIST);
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default().join(".config");
    let kept = ["cutechess", "sylvan"].map(|program| home.join(program).join(USUAL_LIST));
    std::iter::once(here.clone()).chain(kept).find(|file| file.is_file()).unwrap_or(here)
}

/// Says what was typed wrong.
pub fn usage(problems: &[String]) -> Exit {
    for problem in problems {
        eprintln!("error: {problem}");
    }
    Exit::Usage
}
