//! Reads a FEN a line and answers each with a line: the legal moves in the zero style, sorted, or
//! `error: why` for what cannot be played. It knows no protocol and keeps no state; scripts compare the
//! board with other programs through it. Start at [`answer`].

use std::io::{self, BufRead, Write};

use chuhe::xiangqi::Position;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&line?))?;
        out.flush()?;
    }
    Ok(())
}

/// The answer to one FEN.
fn answer(fen: &str) -> String {
    match Position::from_fen(fen) {
        Ok(position) => {
            let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
            moves.sort();
            moves.join(" ")
        }
        Err(why) => format!("error: {why}"),
    }
}
