//! What the settings of events under a regulation look like. Nothing is judged here.
//! Start at [`RegulationForm`].

use schemars::JsonSchema;
use serde::Deserialize;

/// An official regulation of August 2006; settings that contradict its articles are refused.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RegulationForm {
    /// I: the championship, 30 minutes a side.
    Championship,
    /// II: the blindfold exhibition, one master at five boards, 60 seconds a move for the groups.
    Blindfold,
    /// III: the man-machine match, bouts of two, 45 minutes a side.
    ManMachine,
    /// IV: the net players' meeting, bouts of two, 50 minutes a side, team members move in turn.
    NetMeeting,
}

/// What an entrant declared when it registered; shown, never judged (I.1, I.2, III.1, III.2, IV.1, IV.2).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegistrationForm {
    /// Who wrote it.
    #[schemars(length(max = 200))]
    pub authors: Option<String>,
    /// Its licence.
    #[schemars(length(max = 200))]
    pub licence: Option<String>,
    /// Code, nets and books of others in it.
    #[schemars(length(max = 500))]
    pub third_party: Option<String>,
    /// Whether the entrant declares it its own work.
    pub own_work: Option<bool>,
    /// Where the chief referee may inspect the source: a path, a commit, a hash.
    #[schemars(length(max = 500))]
    pub source: Option<String>,
    /// Who operates it. The runner if not given.
    #[schemars(length(max = 200))]
    pub operator: Option<String>,
}

/// What it means that the files of an engine have changed since check-in.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LockForm {
    /// Nothing is locked.
    Off,
    /// Its games wait for the chief referee.
    Hold,
    /// Its games are forfeited.
    Forfeit,
}
