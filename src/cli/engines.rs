//! `chuhe engines`: lists the engines that configs can name, or checks one. Start at [`execute`].

mod import;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Exit;
use super::exit::report_problems;
use crate::config::{self, BUILT_IN, Problem};
use crate::engine::{Listed, Manifest};
use crate::report::{Align, Table};
use crate::runner::{self, Checkup, read_text};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Greet an engine, show what it lists, let it play a few moves, say what is wrong with it
    Check {
        /// A name as in configs, or a manifest file
        engine: String,
        /// Write every line between the runner and the engine to this file
        #[arg(long, value_name = "FILE")]
        transcript: Option<PathBuf>,
    },
    /// Make manifests of the engines in an engines.json of cutechess or Sylvan
    Import {
        /// The file
        file: PathBuf,
        /// Folder for the manifests, one file an engine
        #[arg(long, value_name = "DIR", default_value = ENGINES)]
        to: PathBuf,
        /// Only the engine of this name; may be repeated
        #[arg(long, value_name = "NAME")]
        name: Vec<String>,
        /// Write over files that are there already
        #[arg(long)]
        force: bool,
    },
}

/// Folder in which manifests are looked for, beside the present one.
const ENGINES: &str = "engines";

pub fn execute(arguments: &Arguments) -> Exit {
    match &arguments.action {
        None => list(),
        Some(Action::Check { engine, transcript }) => check(engine, transcript.as_deref()),
        Some(Action::Import { file, to, name, force }) => import::execute(file, to, name, *force),
    }
}

fn list() -> Exit {
    let mut known: Vec<(String, Result<Manifest, Vec<Problem>>)> = Vec::new();
    for (name, text) in BUILT_IN {
        known.push(((*name).to_owned(), config::manifest(text).map(|(_, manifest)| manifest)));
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(ENGINES)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        known.retain(|(known, _)| *known != name);
        let manifest = read(file).map(|(_, manifest)| manifest);
        known.push((name, manifest));
    }
    known.sort_by(|one, other| one.0.cmp(&other.0));
    let mut table = Table::default();
    for heading in ["Name", "Protocol", "Command", "Here"] {
        table.column(heading, Align::Left);
    }
    for (name, manifest) in known {
        table.row(match manifest {
            Ok(manifest) => {
                let here = if runner::find_program(&manifest.command).is_ok() { "yes" } else { "no" };
                let command = std::iter::once(&manifest.command).chain(&manifest.args);
                let command = command.cloned().collect::<Vec<_>>().join(" ");
                vec![name, manifest.protocol.name().to_owned(), command, here.to_owned()]
            }
            Err(problems) => {
                let why = problems.first().map(ToString::to_string).unwrap_or_default();
                vec![name, "?".to_owned(), why, "no".to_owned()]
            }
        });
    }
    print!("{}", table.render('-'));
    Exit::Done
}

fn read(file: &Path) -> Result<(String, Manifest), Vec<Problem>> {
    let text = read_text(file)
        .map_err(|error| vec![Problem::new("", format!("cannot read '{}': {error}", file.display()))])?;
    config::manifest(&text)
}

fn find(engine: &str) -> Result<(String, Manifest), Vec<Problem>> {
    let path = Path::new(engine);
    if path.is_file() {
        return read(path);
    }
    let file = Path::new(ENGINES).join(format!("{engine}.json"));
    if file.is_file() {
        return read(&file);
    }
    match BUILT_IN.iter().find(|(name, _)| *name == engine) {
        Some((_, text)) => config::manifest(text),
        None => {
            let message =
                format!("no engine is called '{engine}'; `chuhe engines` lists those that are known");
            let known = BUILT_IN.iter().map(|(name, _)| *name);
            Err(vec![Problem::new("", message).nearest(engine, known)])
        }
    }
}

fn check(engine: &str, transcript: Option<&Path>) -> Exit {
    let (name, manifest) = match find(engine) {
        Ok(found) => found,
        Err(problems) => return report_problems(engine, &problems),
    };
    println!("{name}: {} [{}]", manifest.command, manifest.protocol.name());
    match runner::check_engine(&Arc::new(manifest), transcript) {
        Ok(found) => show(&found),
        Err(error) => {
            eprintln!("error: {error}");
            Exit::Internal
        }
    }
}

fn show(found: &Checkup) -> Exit {
    if !found.name.is_empty() || !found.author.is_empty() {
        println!("names itself '{}' by '{}'", found.name, found.author);
    }
    if !found.greeting.is_zero() {
        println!("greeted after {} ms", found.greeting.as_millis());
        println!("lists {} options", found.options.len());
    }
    for option in &found.options {
        println!("  {}", describe(option));
    }
    if !found.moves.is_empty() {
        let moves = found.moves.iter().map(|(mv, time)| format!("{mv} ({} ms)", time.as_millis()));
        println!(
            "played {} moves at 100 ms each: {}",
            found.moves.len(),
            moves.collect::<Vec<_>>().join(" ")
        );
    }
    for remark in &found.remarks {
        println!("note: {remark}");
    }
    for fault in &found.faults {
        println!("wrong: {fault}");
    }
    if !found.last_lines.is_empty() {
        println!("its last lines (stderr marked with !):");
        for line in &found.last_lines {
            println!("  {line}");
        }
    }
    if found.faults.is_empty() {
        println!("good");
        Exit::Done
    } else if found.moves.is_empty() && found.greeting.is_zero() {
        Exit::NotStarted
    } else {
        Exit::Wrong
    }
}

fn describe(option: &Listed) -> String {
    let mut text = format!("{} ({}", option.name, option.kind.name());
    if let (Some(min), Some(max)) = (option.min, option.max) {
        text.push_str(&format!(" {min}..{max}"));
    }
    text.push(')');
    if !option.default.is_empty() {
        text.push_str(&format!(" = {}", option.default));
    }
    text
}
