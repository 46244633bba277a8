//! The chief referee's commands: `rule`, `annul`, `replay`, `correct`, `withdraw`, `release`. Each writes a
//! decision into a run that stands still; `chuhe resume` goes on from there. Start at [`execute`].

use std::path::PathBuf;

use super::Exit;
use super::exit::report_error;
use crate::runner::{self, NotDecided, Wish, Word};
use crate::tournament::GameId;

/// Who decides and why; the same for all commands.
#[derive(Debug, clap::Args)]
pub struct Because {
    /// Why
    #[arg(long)]
    reason: String,
    /// The article it rests on; the event's own on disputes or on corrections if not given
    #[arg(long)]
    article: Option<String>,
    /// Who decides
    #[arg(long, default_value = "chief referee")]
    person: String,
}

#[derive(Debug, clap::Args)]
pub struct Rule {
    /// The run folder
    dir: PathBuf,
    /// Which game, as 1.2.3.1 or 1.2.3.1+2 for its second attempt
    #[arg(long)]
    game: GameId,
    /// The result from now on: 1-0, 0-1 or 1/2-1/2
    #[arg(long)]
    result: String,
    #[command(flatten)]
    because: Because,
}

#[derive(Debug, clap::Args)]
pub struct OfGame {
    /// The run folder
    dir: PathBuf,
    /// Which game, as 1.2.3.1 or 1.2.3.1+2 for its second attempt
    #[arg(long)]
    game: GameId,
    #[command(flatten)]
    because: Because,
}

#[derive(Debug, clap::Args)]
pub struct Correct {
    /// The run folder
    dir: PathBuf,
    /// Which game
    #[arg(long)]
    game: GameId,
    /// The last half-move that stands, from 1
    #[arg(long, value_name = "N")]
    to_move: u32,
    /// Time on both clocks, Red first, as `29m,28m30s` or `1740,1710`; as they stood then if not given
    #[arg(long, value_name = "RED,BLACK", value_parser = clocks)]
    clocks: Option<Clocks>,
    #[command(flatten)]
    because: Because,
}

#[derive(Debug, clap::Args)]
pub struct Withdraw {
    /// The run folder
    dir: PathBuf,
    /// Who withdraws
    entrant: String,
    #[command(flatten)]
    because: Because,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Release {
    /// The run folder
    dir: PathBuf,
    /// A held game: it is played again
    #[arg(long, conflicts_with_all = ["entrant", "order"], required_unless_present_any = ["entrant", "order"])]
    game: Option<GameId>,
    /// An entrant with changed files: it plays on with them, its held games are played
    #[arg(long, conflicts_with = "order")]
    entrant: Option<String>,
    /// Equals whose play-off is held, best first, commas between
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    order: Vec<String>,
    #[command(flatten)]
    because: Because,
}

/// Both clocks in µs.
#[derive(Debug, Clone, Copy)]
pub struct Clocks([u64; 2]);

fn clocks(text: &str) -> Result<Clocks, String> {
    runner::read_clocks(text).map(Clocks)
}

pub fn rule(arguments: &Rule) -> Exit {
    execute(&arguments.dir, &Wish::Rule(arguments.game, arguments.result.clone()), &arguments.because)
}

pub fn annul(arguments: &OfGame) -> Exit {
    execute(&arguments.dir, &Wish::Annul(arguments.game), &arguments.because)
}

pub fn replay(arguments: &OfGame) -> Exit {
    execute(&arguments.dir, &Wish::Replay(arguments.game), &arguments.because)
}

pub fn correct(arguments: &Correct) -> Exit {
    let clocks = arguments.clocks.map(|clocks| clocks.0);
    execute(&arguments.dir, &Wish::Correct(arguments.game, arguments.to_move, clocks), &arguments.because)
}

pub fn withdraw(arguments: &Withdraw) -> Exit {
    execute(&arguments.dir, &Wish::Withdraw(arguments.entrant.clone()), &arguments.because)
}

pub fn release(arguments: &Release) -> Exit {
    let wish = match (arguments.game, &arguments.entrant) {
        (Some(game), _) => Wish::Replay(game),
        (None, Some(entrant)) => Wish::Admit(entrant.clone()),
        (None, None) => Wish::Place(arguments.order.iter().map(|name| name.trim().to_owned()).collect()),
    };
    execute(&arguments.dir, &wish, &arguments.because)
}

fn execute(dir: &std::path::Path, wish: &Wish, because: &Because) -> Exit {
    let Because { reason, article, person } = because;
    let word = Word { person: person.clone(), article: article.clone(), reason: reason.clone() };
    match runner::decide(dir, wish, &word) {
        Ok(orders) => {
            for ordered in orders {
                // An event's payload always has a JSON form.
                println!("decided: {}", serde_json::to_string(&ordered).unwrap_or_default());
            }
            println!("the tables are drawn again; if games are due now: chuhe resume {}", dir.display());
            Exit::Done
        }
        Err(NotDecided::Run(error)) => report_error(&error),
        Err(NotDecided::Impossible(why)) => {
            eprintln!("error: {why}");
            Exit::Usage
        }
    }
}
