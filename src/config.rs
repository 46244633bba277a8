//! Floor 5: a run's JSON text becomes a [`Plan`], or all that is wrong with it, each problem with its
//! JSON path, the reason and a suggestion. Never opens a file itself: the runner lends [`Files`].
//!
//! The way of a text: `text` (JSON, duplicate keys) → `shape` (types, names, ranges, by the schema that
//! `form` derives) → `build` (what the schema cannot say). Every step goes on with what is right,
//! so that all problems are found at once. Start at [`read`].

mod build;
pub mod checklist;
mod cores;
pub mod engine_list;
mod engines;
mod exhibition;
mod form;
mod length;
mod openings;
mod problem;
mod regulation;
mod shape;
mod testing;
mod text;
pub mod typed;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

pub use engines::{BUILT_IN, manifest};
pub use openings::BUILT_IN_LIST;
pub use problem::Problem;

use crate::plan::Plan;

/// Longest config that is read, in bytes: a thousand entrants with all their options need 1 MB.
pub const MAX_CONFIG: usize = 8 << 20;

/// The files that a config names. The runner implements it.
pub trait Files {
    /// All bytes of a file, or why it cannot be read.
    ///
    /// # Errors
    /// The reason in words.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// Whether there is such a file.
    fn exists(&self, path: &str) -> bool;
}

/// What the command line sets over the config. The resolved config holds the values so set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overrides {
    /// Games at once.
    pub concurrency: Option<usize>,
    /// Seed of all chance.
    pub seed: Option<u64>,
    /// Factor on all clocks.
    pub time_scale: Option<f64>,
    /// Time for running games after the first interrupt.
    pub drain: Option<Duration>,
    /// No engine fault is allowed: `faults.max` becomes 0.
    pub strict: bool,
    /// Processor cores of games: `true` or a list of cores.
    pub affinity: Option<String>,
    /// Least time between the beginnings of two games.
    pub stagger: Option<Duration>,
}

/// A config that is right.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// What is to be played. Its clocks are already multiplied by `conduct.time_scale`.
    pub plan: Plan,
    /// The config with manifests inlined, names written out and overrides applied. Paths in it refer to the same
    /// `base`; [`from_value`] makes the same plan of it.
    pub config: Value,
    /// SHA-256 (lower-case hex) of the opening files read, by their path as written in the config.
    pub sources: BTreeMap<String, String>,
    /// What is odd but can be played.
    pub warnings: Vec<Problem>,
}

/// Reads the text of a config. `base` is the folder of its file (best absolute): paths in it refer to that folder.
///
/// # Errors
/// All problems: doubled keys, then wrong types, names and ranges in the order of the text, then the rest.
pub fn read(
    text: &str,
    base: &str,
    files: &dyn Files,
    overrides: &Overrides,
) -> Result<Resolved, Vec<Problem>> {
    if text.len() > MAX_CONFIG {
        let message = format!("the config has {} bytes; at most {MAX_CONFIG} are read", text.len());
        return Err(vec![Problem::new("", message)]);
    }
    let (value, doubled) = text::parse(text).map_err(|problem| vec![problem])?;
    resolve(value, base, files, overrides, doubled)
}

/// Reads a config that is JSON already: on resume, the resolved one from the journal.
///
/// # Errors
/// All problems, as with [`read`].
pub fn from_value(
    value: &Value,
    base: &str,
    files: &dyn Files,
    overrides: &Overrides,
) -> Result<Resolved, Vec<Problem>> {
    resolve(value.clone(), base, files, overrides, Vec::new())
}

/// The JSON Schema (2020-12) of a config, for editors and for the checks of this module.
pub fn schema() -> Value {
    schemars::schema_for!(form::RunForm).to_value()
}

fn resolve(
    mut value: Value,
    base: &str,
    files: &dyn Files,
    overrides: &Overrides,
    mut problems: Vec<Problem>,
) -> Result<Resolved, Vec<Problem>> {
    apply(overrides, &mut value);
    let mut config = value.clone();
    problems.extend(shape::check(&schema(), &mut value));
    let form = match serde_json::from_value(value) {
        Ok(form) => form,
        Err(error) => {
            if problems.is_empty() {
                problems.push(Problem::new("", error.to_string()));
            }
            return Err(problems);
        }
    };
    build::build(&form, &mut config, base, files, problems)
}

/// Writes the overrides into the config, where it is one at all.
fn apply(overrides: &Overrides, value: &mut Value) {
    let Some(top) = value.as_object_mut() else { return };
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            top.insert(key.to_owned(), value);
        }
    };
    set("concurrency", overrides.concurrency.map(Value::from));
    set("seed", overrides.seed.map(Value::from));
    set("time_scale", overrides.time_scale.map(Value::from));
    set("drain", overrides.drain.map(|drain| Value::from(drain.as_secs_f64())));
    set("affinity", overrides.affinity.as_deref().map(affinity));
    set("stagger", overrides.stagger.map(|stagger| Value::from(stagger.as_secs_f64())));
    set("faults", overrides.strict.then(|| json!({ "max": 0 })));
}

/// `true`, `false` or a list of cores as they are typed, as a config has it.
pub fn affinity(typed: &str) -> Value {
    match typed {
        "" | "true" | "on" => Value::from(true),
        "false" | "off" => Value::from(false),
        cores => Value::from(cores),
    }
}

#[cfg(test)]
mod tests;
