//! `chuhe openings`: looks an opening list over. Start at [`execute`].

use std::io::Write as _;
use std::path::PathBuf;

use super::Exit;
use crate::config::Files as _;
use crate::config::checklist::{Limit, check};
use crate::config::typed::BUILT_IN_OPENINGS;
use crate::runner::DiskFiles;
use crate::xiangqi::Notation;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The list (FEN or EPD, moves, PGN or other records); @chuhe-500 is built in
    file: PathBuf,
    /// Most that one side may be ahead, in hundredths of a soldier
    #[arg(long, value_name = "SCORE", default_value_t = 200)]
    limit: u32,
    /// Positions the built-in engine searches for each opening
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Take only so many half-moves of each opening
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
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
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(why) => return super::testing::usage(&[format!("cannot read '{shown}': {why}")]),
    };
    let notation = arguments.one.then_some(Notation::Uci1);
    let limit = Limit { score: arguments.limit, nodes: arguments.nodes };
    let (count, findings) = check(&bytes, arguments.file.to_str(), notation, arguments.plies, limit);
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        // Whoever reads may have read enough.
        let _ = writeln!(out, "line {}: {}", finding.line, finding.fault);
    }
    let _ = writeln!(out, "{count} openings, {} findings", findings.len());
    if findings.is_empty() { Exit::Done } else { Exit::Wrong }
}
