//! `chuhe lots`: the seed of an event's lots and the commitment to it, which is published before entries
//! close. Draws nothing itself: the run does, and `chuhe verify` checks it. Start at [`execute`].

use super::Exit;
use super::run::Language;
use crate::report::Lang;
use crate::runner::fresh_seed;
use crate::tournament::lots;

/// Seeds below this are tried out in no time by anybody who wants to know one from its commitment.
const GUESSABLE: u64 = 1 << 48;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The seed; a new one that nobody can guess if left out
    seed: Option<u64>,
    /// Language of what is printed
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let lang = Lang::from(arguments.lang);
    if let Some(seed) = arguments.seed {
        println!("{}", lots::commitment(seed));
        if seed < GUESSABLE {
            let warning = lang.pick(
                "warning: so small a seed is soon found from its commitment; `chuhe lots` invents a large one",
                "警告：种子过小，易由承诺值反推；`chuhe lots` 可生成足够大的种子",
            );
            eprintln!("{warning}");
        }
        return Exit::Done;
    }
    match fresh_seed() {
        Ok(seed) => {
            let secret = lang.pick("secret until entries are closed", "报名截止前保密");
            println!("seed        {seed}  ({secret})");
            println!("commitment  {}", lots::commitment(seed));
            let next = lang.pick(
                "Publish the commitment now. When entries are closed, write into the config:",
                "现在公布承诺值。报名截止后写入配置：",
            );
            println!("{next}");
            println!(
                "  \"seed\": {seed}, \"format\": {{ .., \"commitment\": \"{}\" }}",
                lots::commitment(seed)
            );
            let after = lang.pick(
                "After the event anybody can check: chuhe verify DIR --commitment COMMITMENT",
                "赛后任何人可核对：chuhe verify 目录 --commitment 承诺值",
            );
            println!("{after}");
            Exit::Done
        }
        Err(error) => {
            eprintln!("error: /dev/urandom: {error}");
            Exit::Internal
        }
    }
}
