//! Floor 7: the command line. One file a command; each says what was typed and calls the floors below.
//! Decides nothing about play. Start at [`main`].

mod bench;
mod check;
mod convert;
mod decide;
mod engines;
mod exit;
mod fake_engine;
mod fastchess;
mod fleet;
mod gate;
mod judge;
mod lots;
mod openings;
mod perft;
mod play;
mod regulations;
mod report;
mod resume;
mod rules;
mod run;
mod schema;
mod seat;
mod show;
mod sources;
mod sparring;
mod stats;
mod testing;
mod verify;
mod watch;
mod worker;

use clap::{CommandFactory as _, Parser, Subcommand};

pub use exit::Exit;
pub use fake_engine::{FAKE_ENGINE_WORD, run as fake_engine};

/// chuhe (楚河): match runner, referee and record keeper for xiangqi engines.
#[derive(Debug, Parser)]
#[command(name = "chuhe", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The exit codes, as `--help` shows them.
const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    usage or config error
  2    an engine would not start
  3    finished, but with more crashes, stalls, illegal moves or time losses than allowed
  4    a gate failed
  5    a gate stayed undecided
  6    held for the chief referee
  7    a check found something wrong
  70   our own fault
  130  interrupted; can be resumed";

#[derive(Debug, Subcommand)]
enum Command {
    /// Play the matches of a config file and print the cross table
    Run(run::Arguments),
    /// Play a test that is given on the command line: engines, clock, openings, SPRT
    Match(Box<testing::Arguments>),
    /// Say whether a candidate may replace a baseline, by exit code and in files for builds
    Gate(Box<gate::Arguments>),
    /// Look an opening list over: illegal lines, positions that come twice or are lost
    Openings(openings::Arguments),
    /// Stand in for fastchess behind a test framework: its flags, its lines
    #[command(disable_help_flag = true)]
    Fastchess {
        /// The flags of fastchess
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Go on with a run that was stopped
    Resume(resume::Arguments),
    /// Play pairs of runs that others gave to the fleet
    Worker(worker::Arguments),
    /// Show and direct the runs and workers of a fleet
    Fleet(fleet::Arguments),
    /// Show a run in the browser, while it is played or later, from its folder alone
    Watch(watch::Arguments),
    /// Carry an engine on this machine to its seat at a run elsewhere
    Seat(seat::Arguments),
    /// Play at a person's seat in the terminal, by the link that the run printed
    Play(play::Arguments),
    /// Draw the documents of a run again from its journal
    Report(report::Arguments),
    /// Overrule the result of a game (chief referee)
    Rule(decide::Rule),
    /// Let a game count for nothing (chief referee)
    Annul(decide::OfGame),
    /// Have a game played again (chief referee)
    Replay(decide::OfGame),
    /// Take a game back to a half-move, from where it goes on (chief referee, I.12)
    Correct(decide::Correct),
    /// Take an entrant out of the event (chief referee)
    Withdraw(decide::Withdraw),
    /// Release what is held: a game, an entrant with changed files, equals after their play-off (chief referee)
    Release(decide::Release),
    /// Replay everything in a run folder and name what is not as it should be
    Verify(verify::Arguments),
    /// Check a config file without playing: all errors at once
    Check(check::Arguments),
    /// List known engines, or check one: greeting, options, a few moves
    Engines(engines::Arguments),
    /// Count legal move sequences of a position
    Perft(perft::Arguments),
    /// Convert records of games between formats; everything written is read back first
    Convert(convert::Arguments),
    /// Show a game in the terminal: a diagram and the moves
    Show(show::Arguments),
    /// Count the games of files: results, lengths, endings, openings
    Stats(stats::Arguments),
    /// Check games by a rule book: every repetition, and the result that the rules give
    Judge(judge::Arguments),
    /// Print the articles on repetition; one of them with a worked example
    Rules(rules::Arguments),
    /// Print the articles of the four events of 2006, what holds each, and the settings in force
    Regulations(regulations::Arguments),
    /// Print the commitment to a seed of lots, to be published before entries close
    Lots(lots::Arguments),
    /// Print the JSON Schema of config files
    Schema,
    /// Be the built-in engine: speaks UCCI and UCI on standard input
    Sparring,
    /// Measure what the runner itself costs, with engines that answer at once
    Bench(bench::Arguments),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The program called by a name of fastchess, in a link: its words go to that mode as they are.
fn called_as_fastchess() -> bool {
    let name = std::env::args_os().next().map(std::path::PathBuf::from);
    let stem = name.as_deref().and_then(|name| name.file_name()?.to_str());
    stem.is_some_and(|stem| matches!(stem, "fastchess" | "fastchess-ob"))
}

/// The program: arguments in, exit code out.
pub fn main() -> Exit {
    if called_as_fastchess() {
        let words: Vec<String> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        return fastchess::main(&words);
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors; everything else is a usage error with our own code.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            let _ = error.print();
            return exit;
        }
    };
    match arguments.command {
        Command::Run(arguments) => run::execute(&arguments),
        Command::Fastchess { words } => fastchess::main(&words),
        Command::Openings(arguments) => openings::execute(&arguments),
        Command::Match(arguments) => testing::execute(&arguments),
        Command::Gate(arguments) => gate::execute(&arguments),
        Command::Resume(arguments) => resume::execute(&arguments),
        Command::Worker(arguments) => worker::execute(&arguments),
        Command::Fleet(arguments) => fleet::execute(&arguments),
        Command::Watch(arguments) => watch::execute(&arguments),
        Command::Seat(arguments) => seat::execute(&arguments),
        Command::Play(arguments) => play::execute(&arguments),
        Command::Report(arguments) => report::execute(&arguments),
        Command::Check(arguments) => check::execute(&arguments),
        Command::Engines(arguments) => engines::execute(&arguments),
        Command::Perft(arguments) => perft::execute(&arguments),
        Command::Convert(arguments) => convert::execute(&arguments),
        Command::Show(arguments) => show::execute(&arguments),
        Command::Stats(arguments) => stats::execute(&arguments),
        Command::Judge(arguments) => judge::execute(&arguments),
        Command::Rules(arguments) => rules::execute(&arguments),
        Command::Regulations(arguments) => regulations::execute(&arguments),
        Command::Lots(arguments) => lots::execute(&arguments),
        Command::Rule(arguments) => decide::rule(&arguments),
        Command::Annul(arguments) => decide::annul(&arguments),
        Command::Replay(arguments) => decide::replay(&arguments),
        Command::Correct(arguments) => decide::correct(&arguments),
        Command::Withdraw(arguments) => decide::withdraw(&arguments),
        Command::Release(arguments) => decide::release(&arguments),
        Command::Verify(arguments) => verify::execute(&arguments),
        Command::Schema => schema::execute(),
        Command::Sparring => {
            sparring::run();
            Exit::Done
        }
        Command::Bench(arguments) => bench::execute(&arguments),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut self::Arguments::command(), "chuhe", &mut std::io::stdout());
            Exit::Done
        }
    }
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub struct Said {
    /// Its exit code.
    pub exit: Exit,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// Runs `judge` or `rules` (the words after `chuhe`) and gives back what it said instead of printing it; for
/// programs that have a game judged. Words that cannot be understood, and other commands, are a usage error.
pub fn said(words: &[&str]) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = match Arguments::try_parse_from(std::iter::once(&"chuhe").chain(words)) {
        Ok(Arguments { command: Command::Judge(arguments) }) => judge::run(&arguments, &mut out, &mut err),
        Ok(Arguments { command: Command::Rules(arguments) }) => rules::run(&arguments, &mut out),
        Ok(_) => Ok(Exit::Usage),
        Err(error) => {
            err = error.to_string().into_bytes();
            Ok(Exit::Usage)
        }
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { exit: exit::written(exit), out: text(out), err: text(err) }
}
