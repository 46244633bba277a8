//! What a manifest looks like, in `engines/*.json` and inside a config. Nothing is judged here. Start at
//! [`ManifestForm`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Length;

/// How an engine is started and what it speaks; also the form of the files in `engines/`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "chuhe engine manifest")]
pub struct ManifestForm {
    /// Address of the schema, for editors.
    #[serde(rename = "$schema")]
    #[expect(dead_code, reason = "read by editors")]
    pub schema: Option<String>,
    /// Remarks for people: where to get it, what to know.
    #[expect(dead_code, reason = "read by people")]
    pub note: Option<Value>,
    /// Its name.
    #[schemars(length(min = 1, max = 80))]
    pub name: Option<String>,
    /// Its Chinese name.
    #[schemars(length(min = 1, max = 80))]
    pub name_zh: Option<String>,
    /// The program: a bare name (found on PATH and in /usr/games), a path with a `/` that refers to the
    /// folder of the file that names it, or `@self` for the built-in engine.
    #[schemars(required, length(min = 1, max = 4096))]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub args: Vec<String>,
    /// Its working directory; the runner's own if not given.
    pub dir: Option<String>,
    /// Environment variables to set.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// What it speaks.
    #[schemars(required)]
    pub protocol: Option<ProtocolForm>,
    /// How it counts ranks. `zero` if not given.
    pub squares: Option<SquaresForm>,
    /// The unit of its clock. `protocol` if not given.
    pub time_unit: Option<TimeUnitForm>,
    /// Its letters for elephant and horse in a FEN. `bn` if not given.
    pub fen_letters: Option<LettersForm>,
    /// How many FEN fields it wants: 6 if not given, 4 or 2.
    #[schemars(extend("enum" = [6, 4, 2, null]))]
    pub fen_fields: Option<u8>,
    /// Options to set, in this order; those it does not list are not sent.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, OptionForm>")]
    pub options: Map<String, Value>,
    /// Lines sent as they are after the greeting.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub init: Vec<String>,
    /// Lines sent as they are before each game, before the protocol's own words for it.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub new_game: Vec<String>,
    /// How long its greeting may take. 15 s if not given.
    pub start_patience: Option<Length>,
    /// Files it reads (nets, books), by paths like `command`'s: under a regulation they are locked with the
    /// program, and it is given a read-only copy of them.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub files: Vec<String>,
    /// Whether one process may play several games. True if not given.
    pub reuse: Option<bool>,
    /// Whether it is asked `isready` before a game. True if not given.
    pub ping: Option<bool>,
    /// Whether it thinks on the opponent's time, where neither the run nor its entrant says so. False if not
    /// given.
    pub ponder: Option<bool>,
}

/// The value of an option: text, number, or true and false.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "stands for its schema; values keep their order as JSON")]
pub enum OptionForm {
    /// As it is.
    Text(String),
    /// Written in digits.
    Number(f64),
    /// Written `true` or `false`.
    Switch(bool),
}

/// A protocol.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolForm {
    /// UCI for xiangqi.
    Uci,
    /// UCCI 3.0.
    Ucci,
    /// XBoard protocol 2.
    Cecp,
}

/// How ranks are counted in moves.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SquaresForm {
    /// 0 to 9: `h2e2`.
    Zero,
    /// 1 to 10: `h3e3`.
    One,
}

/// The unit of an engine's clock.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnitForm {
    /// As the protocol says: milliseconds in UCI; in UCCI if `usemillisec` is listed, else seconds.
    Protocol,
    /// Milliseconds whatever is listed.
    Ms,
    /// Whole seconds.
    S,
}

/// Letters for elephant and horse in a FEN.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LettersForm {
    /// B and N.
    Bn,
    /// E and H.
    Eh,
}
