//! What the settings of events under a regulation look like. Nothing is judged here.
//! Start at [`RegulationForm`].

use schemars::JsonSchema;
use serde::Deserialize;

use super::Length;

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
    /// Playing days on which the committee operated it: CNY 200 each (I.2). For the ledger only.
    #[schemars(range(min = 1, max = 100))]
    pub committee_days: Option<u32>,
    /// Bouts in which the committee operated it: CNY 100 each (III.2, IV.2). For the ledger only.
    #[schemars(range(min = 1, max = 1000))]
    pub committee_bouts: Option<u32>,
    /// When the chief referee looked at its source, and what he found (I.1, III.1, IV.1).
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub inspections: Vec<InspectionForm>,
}

/// A look at an entrant's source; shown, never judged.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InspectionForm {
    /// When, for example `2006-08-08 14:00`.
    #[schemars(required, length(min = 1, max = 40))]
    pub date: Option<String>,
    /// Who looked.
    #[schemars(required, length(min = 1, max = 100))]
    pub by: Option<String>,
    /// The commit or hash that was seen.
    #[schemars(length(max = 200))]
    pub seen: Option<String>,
    /// What was found.
    #[schemars(required, length(min = 1, max = 500))]
    pub finding: Option<String>,
}

/// Who of a team moves first in the second game of a bout; the text is silent (IV.4).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RotationForm {
    /// The first member, in every game.
    Restart,
    /// The member after the one that moved last in the first game.
    Continue,
}

/// How the hall shows the games; a record of the committee's arrangement, which play never depends on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScreensForm {
    /// Whether each side's operator can see the other side's screen (I.11). True for the championship if not
    /// given, else false.
    pub opponent: Option<bool>,
    /// Whether the public sees what engines think. True for the championship if not given, else false.
    pub thinking: Option<bool>,
    /// How much later than the players the public sees the games. 0 if not given.
    pub delay: Option<Length>,
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
