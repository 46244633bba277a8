//! What the settings of engine testing look like: the sequential test and the rules of adjudication.
//! Nothing is judged here. Start at [`SprtForm`].

use schemars::JsonSchema;
use serde::Deserialize;

/// A sequential probability ratio test of the first entrant against the second.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SprtForm {
    /// Elo difference of the hypothesis H0 (no gain). 0 if not given.
    #[schemars(range(min = -1000.0, max = 1000.0))]
    pub elo0: Option<f64>,
    /// Elo difference of the hypothesis H1 (gain), above `elo0`. 5 above it if not given.
    #[schemars(range(min = -1000.0, max = 1000.0))]
    pub elo1: Option<f64>,
    /// Chance of accepting H1 though H0 is true. 0.05 if not given.
    pub alpha: Option<f64>,
    /// Chance of accepting H0 though H1 is true. 0.05 if not given.
    pub beta: Option<f64>,
    /// In what Elo the bounds are meant. `normalized` if not given.
    pub model: Option<ModelForm>,
}

/// In what Elo the bounds of a test are meant.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelForm {
    /// Normalized Elo: the games needed do not depend on the draw rate.
    Normalized,
    /// Logistic (ordinary) Elo.
    Logistic,
    /// BayesElo at the draw rate seen; looks at games one by one.
    Bayesian,
}

/// Who is Red in the games of two entrants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColoursForm {
    /// As the tables have it, exchanged from game to game.
    Exchanged,
    /// All games of a pairing with the colours of the first.
    Kept,
    /// Exchanged, every game with the colours opposite to the tables.
    Reversed,
    /// All games of a pairing with the colours opposite to the first.
    KeptReversed,
}

/// When a side's own scores lose a game. Scores are taken as engines print them: hundredths of a soldier
/// in UCI and CECP, hundredths of a minor piece in UCCI.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignForm {
    /// For so many of its moves on end. 1 if not given.
    #[schemars(range(min = 1, max = 1000))]
    pub move_count: Option<u32>,
    /// Behind by so much or more.
    #[schemars(required, range(min = 1, max = 1_000_000))]
    pub score: Option<i32>,
    /// Whether the other side must see itself ahead as far and as long. False if not given.
    pub two_sided: Option<bool>,
}

/// When both sides' scores draw a game.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawForm {
    /// Not before so many full moves of the game. 0 if not given.
    #[schemars(range(min = 0, max = 10_000))]
    pub move_number: Option<u32>,
    /// For so many moves of each side on end. 1 if not given.
    #[schemars(range(min = 1, max = 1000))]
    pub move_count: Option<u32>,
    /// Within so much of level.
    #[schemars(required, range(min = 0, max = 1_000_000))]
    pub score: Option<i32>,
}

/// Whether games are bound to processor cores, and which.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(example = true, example = "0,2-5")]
pub enum AffinityForm {
    /// All cores that this process may use, one thread of each first.
    Switch(bool),
    /// These, in this order: numbers and ranges as the system counts them.
    Cores(String),
}
