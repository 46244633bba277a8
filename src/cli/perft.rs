//! `chuhe perft`: counts legal move sequences: a line per move, the total alone on the last line.
//! Start at [`execute`].

use super::Exit;
use crate::xiangqi::{Position, START_FEN, divide, perft};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The position, or `startpos`
    fen: String,
    /// Number of half-moves
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: u32,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let fen = if arguments.fen == "startpos" { START_FEN } else { &arguments.fen };
    let position = match Position::from_fen(fen) {
        Ok(position) => position,
        Err(why) => {
            eprintln!("error: {why}");
            return Exit::Usage;
        }
    };
    if arguments.depth == 0 {
        println!("{}", perft(&position, 0));
        return Exit::Done;
    }
    let mut total = 0;
    for (mv, count) in divide(&position, arguments.depth) {
        println!("{mv} {count}");
        total += count;
    }
    println!("{total}");
    Exit::Done
}
