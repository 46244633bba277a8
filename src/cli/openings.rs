//! `chuhe openings`: looks an opening list over. Start at [`execute`].

use std::io::Write as _;
use std::path::PathBuf;

use super::Exit;
use crate::config::Files as _;
use crate::config::checklist::{Limit, check};
use crate::config::typed::BUILT_IN_OPENINGS;
use crate::runner::DiskFiles;
use crate::xiangqi::SquareStyle;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The list, one opening a line (FEN or EPD, moves from the start position); @chuhe-500 is built in
    file: PathBuf,
    /// Most that one side may be ahead, in hundredths of a soldier
    #[arg(long, value_name = "SCORE", default_value_t = 200)]
    limit: u32,
    /// Positions the built-in engine searches for each opening
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Moves of the list count ranks from 1
    #[arg(long)]
    one: bool,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let shown = arguments.file.display();
    let bytes = if arguments.file.as_os_str() == BUILT_IN_OPENINGS {
        Ok(crate::config::BUILT_IN_LIST.as_bytes().to_vec())
    } else {
        DiskFiles.read(&arguments.file.to_string_lossy())
    };
    let text = match bytes.map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => return super::testing::usage(&[format!("'{shown}' is no UTF-8 text")]),
        Err(why) => return super::testing::usage(&[format!("cannot read '{shown}': {why}")]),
    };
    let style = if arguments.one { SquareStyle::One } else { SquareStyle::Zero };
    let limit = Limit { score: arguments.limit, nodes: arguments.nodes };
    let (count, findings) = check(&text, style, limit);
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        // Whoever reads may have read enough.
        let _ = writeln!(out, "line {}: {}", finding.line, finding.fault);
    }
    let _ = writeln!(out, "{count} openings, {} findings", findings.len());
    if findings.is_empty() { Exit::Done } else { Exit::Wrong }
}
