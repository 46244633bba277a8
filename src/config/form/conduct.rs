//! What the settings of the runner's own conduct look like: faults, crashes, the journal, warnings. Nothing is
//! judged here. Start at [`FaultsForm`].

use schemars::JsonSchema;
use serde::Deserialize;

/// How many engine faults a clean run may have.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultsForm {
    /// Most faults of all classes together. No limit if not given.
    pub max: Option<u32>,
    /// Stop the run when one engine has lost so many games on end by crash or stall. No limit if not given.
    #[schemars(range(min = 1))]
    pub stop_after: Option<u32>,
}

/// What it means that an engine ends during a game.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CrashForm {
    /// The game is lost at once.
    Loses,
    /// It is started again, once, while its clock runs.
    Restart,
}

/// What the journal holds of a game that is being played.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JournalForm {
    /// Nothing before its end: an unfinished game is played again from its start.
    Game,
    /// Every move: an unfinished game goes on from its last move.
    Move,
}

/// When the journal is forced to the disk.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SyncForm {
    /// At most a second apart.
    EverySecond,
    /// At every event.
    EveryEvent,
    /// Never by chuhe.
    Never,
}

/// Which engines are told the moves that would complete a lost repetition.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarnForm {
    /// None.
    None,
    /// UCCI engines, by `banmoves`.
    Ucci,
    /// UCCI engines by `banmoves`, UCI engines by `searchmoves`.
    All,
}
