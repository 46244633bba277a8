//! A run of two test engines in a folder that is thrown away. Never keeps anything. Start at [`play`].

use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::fake_engine::{FAKE_ENGINE_WORD, SCRIPT, SCRIPT_PLIES};
use super::BenchError;
use crate::config::{self, Overrides};
use crate::record::Event;
use crate::runner::{self, DiskFiles, RunError, Show};

/// What is played.
#[derive(Debug)]
pub struct Pair<'a> {
    /// Games in all; rounded up to pairs.
    pub games: u32,
    /// Games at once.
    pub concurrency: u16,
    /// Switches of both engines.
    pub switches: &'a [String],
    /// Most plies an engine is asked for; the rest of the script is the opening.
    pub plies: u32,
    /// Whether each game has fresh processes.
    pub fresh: bool,
    /// Whether transcripts are written.
    pub transcripts: bool,
    /// The time control.
    pub time: &'a str,
    /// Least time between the beginnings of two games, in milliseconds.
    pub stagger_ms: u32,
}

/// Folder on which files cost no disk, where there is one.
const MEMORY: &str = "/dev/shm";

/// A folder that goes with this value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let memory = Path::new(MEMORY);
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        Folder(base.join(format!("chuhe-bench-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Plays the pair; `watcher` sees every event as soon as it is journalled.
///
/// # Errors
/// Why it could not be played.
pub fn play(pair: &Pair<'_>, mut watcher: impl FnMut(&Event) + Send + 'static) -> Result<(), BenchError> {
    let arguments: Vec<&str> =
        std::iter::once(FAKE_ENGINE_WORD).chain(pair.switches.iter().map(String::as_str)).collect();
    let engine = json!({ "command": "@self", "args": arguments, "protocol": "uci", "reuse": !pair.fresh });
    let skipped = SCRIPT_PLIES.saturating_sub(pair.plies) as usize;
    let opening: Vec<&str> = SCRIPT.split_ascii_whitespace().take(skipped).collect();
    let mut text = json!({
        "entrants": [{ "name": "A", "engine": engine }, { "name": "B", "engine": engine }],
        "time": pair.time,
        "stagger": format!("{}ms", pair.stagger_ms),
        "format": { "type": "pairs", "pairs": pair.games.div_ceil(2) },
        "concurrency": pair.concurrency,
        "transcripts": pair.transcripts,
    });
    if !opening.is_empty() {
        text["openings"] = json!({ "list": [opening.join(" ")] });
    }
    let folder = Folder::new();
    let resolved = config::read(&text.to_string(), ".", &DiskFiles, &Overrides::default());
    let resolved = resolved.map_err(RunError::Config)?;
    runner::run(&resolved, Path::new("."), &folder.0, Show::watched(move |event, _| watcher(event)), None)?;
    Ok(())
}
