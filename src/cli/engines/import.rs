//! `chuhe engines import`: manifests from the list in which cutechess and Sylvan keep their engines. Writes
//! nothing unless the whole list can be read, and over nothing unless told so. Start at [`execute`].

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::cli::Exit;
use crate::cli::exit::report_problems;
use crate::config::engine_list::{self, ListedEngine};
use crate::config::{self, Problem};
use crate::runner::read_text;

/// Writes a manifest for each engine of the list, or for those that are named.
pub fn execute(file: &Path, to: &Path, names: &[String], force: bool) -> Exit {
    let told = file.display().to_string();
    let engines = match read_text(file) {
        Ok(text) => engine_list::read(&text),
        Err(error) => Err(vec![Problem::new("", format!("cannot be read: {error}"))]),
    };
    let engines = match engines.and_then(|engines| wanted(engines, names)) {
        Ok(engines) => engines,
        Err(problems) => return report_problems(&told, &problems),
    };
    let files: Vec<PathBuf> =
        engines.iter().map(|engine| to.join(format!("{}.json", slug(&engine.name)))).collect();
    let mut problems = Vec::new();
    for (place, engine) in engines.iter().enumerate() {
        if let Err(wrong) = config::manifest(&engine.manifest.to_string()) {
            let within =
                |problem: Problem| Problem { path: format!("{}: {}", engine.name, problem.path), ..problem };
            problems.extend(wrong.into_iter().map(within));
        }
        let file = &files[place];
        if files[..place].contains(file) || (file.exists() && !force) {
            let hint = "--force writes over it, --to DIR puts manifests elsewhere";
            problems
                .push(Problem::new(&*engine.name, format!("{} is there already", file.display())).hint(hint));
        }
    }
    if !problems.is_empty() {
        return report_problems(&told, &problems);
    }
    for (engine, file) in engines.iter().zip(&files) {
        if let Err(error) = write(engine, file) {
            eprintln!("error: cannot write '{}': {error}", file.display());
            return Exit::Internal;
        }
        println!("{}: {}", engine.name, file.display());
        for left_out in &engine.left_out {
            println!("  left out: {left_out}");
        }
    }
    Exit::Done
}

fn wanted(engines: Vec<ListedEngine>, names: &[String]) -> Result<Vec<ListedEngine>, Vec<Problem>> {
    let known = || engines.iter().map(|engine| engine.name.as_str());
    let missing = names.iter().filter(|name| known().all(|known| known != name.as_str()));
    let problems: Vec<Problem> = missing
        .map(|name| Problem::new("", format!("has no engine called '{name}'")).nearest(name, known()))
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(engines.into_iter().filter(|engine| names.is_empty() || names.contains(&engine.name)).collect())
}

fn write(engine: &ListedEngine, file: &Path) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text = serde_json::to_string_pretty(&engine.manifest)?;
    std::fs::File::create(file)?.write_all(format!("{text}\n").as_bytes())
}

/// A name as a file's: letters and digits stay, anything else becomes a single `-`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        if letter.is_alphanumeric() {
            slug.extend(letter.to_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "engine".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        for (name, expected) in [
            ("Fairy-Stockfish 11.1", "fairy-stockfish-11-1"),
            ("../x", "x"),
            ("象眼", "象眼"),
            ("//", "engine"),
        ] {
            assert_eq!(slug(name), expected);
        }
    }
}
