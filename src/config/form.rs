//! What a config looks like: the single source of its schema. Field comments are what `chuhe schema`
//! and editors show. Nothing is judged here; what the schema calls required may be missing in these
//! structures, so that one mistake does not hide the next. Start at [`RunForm`].

mod conduct;
mod engine;
mod format;
mod regulation;
mod testing;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use conduct::{CrashForm, FaultsForm, JournalForm, SyncForm, WarnForm};
pub use engine::{LettersForm, ManifestForm, OptionForm, ProtocolForm, SquaresForm, TimeUnitForm};
pub use format::{
    CycleOrderForm, FormatFields, FormatForm, FormatName, LevelForm, OverrunForm, SideForm, VisitForm,
};
pub use regulation::{InspectionForm, LockForm, RegistrationForm, RegulationForm, RotationForm, ScreensForm};
pub use testing::{AffinityForm, ColoursForm, DrawForm, ModelForm, ResignForm, SprtForm};

/// A run of chuhe: who plays, at what time control, in which form. Only `entrants` must be given.
/// Lengths of time are seconds (`0.5`) or texts with a unit (`500ms`, `10s`, `30m`, `1:30:00`).
/// Paths refer to the folder of this file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "chuhe run")]
pub struct RunForm {
    /// Address of this schema, for editors.
    #[serde(rename = "$schema")]
    #[expect(dead_code, reason = "read by editors")]
    pub schema: Option<String>,
    /// Remarks for people, of any form; JSON has no comments.
    #[expect(dead_code, reason = "read by people")]
    pub note: Option<Value>,
    /// Name of the event, shown in headers and as PGN `Event`.
    #[schemars(length(max = 200), example = "First match")]
    pub event: Option<String>,
    /// Where it is played, PGN `Site`.
    #[schemars(length(max = 200))]
    pub site: Option<String>,
    /// The official regulation it is held under: every entrant makes a legal move at check-in, and settings
    /// that contradict an article are refused. None if not given.
    pub regulation: Option<RegulationForm>,
    /// Seed of all chance (shuffled openings, lots), the same on every platform. 0 if not given.
    pub seed: Option<u64>,
    /// Who plays, at least two. Their order is that of the pairing tables.
    #[schemars(required, length(min = 2, max = 1000))]
    pub entrants: Option<Vec<EntrantForm>>,
    /// Time control of all stages that name no other. `10+0.1` if not given.
    pub time: Option<TimeForm>,
    /// Who meets whom, where there is one stage. A double round robin if not given.
    pub format: Option<FormatForm>,
    /// Several stages in the order of play, instead of `format`.
    #[schemars(length(min = 1, max = 100))]
    pub stages: Option<Vec<StageForm>>,
    /// How points are counted: win, draw, loss. `2/1/0` if not given.
    pub points: Option<PointsForm>,
    /// What separates entrants with equal points, in this order; an empty list shares their places.
    /// `["head-to-head", "wins-as-black"]` if not given.
    #[schemars(length(max = 10))]
    pub tie_break: Option<Vec<CriterionForm>>,
    /// The law.
    #[serde(default)]
    pub rules: RulesForm,
    /// Where games begin: a file's path, or its settings. The usual start position if not given.
    pub openings: Option<OpeningsForm>,
    /// Games at once. 1 if not given.
    #[schemars(range(min = 1, max = 1024))]
    pub concurrency: Option<usize>,
    /// What it means that an engine ends during a game. `loses` if not given.
    pub crash: Option<CrashForm>,
    /// What the journal holds of a game that is being played. `game` if not given.
    pub journal: Option<JournalForm>,
    /// When the journal is forced to the disk. `every-second` if not given.
    pub sync: Option<SyncForm>,
    /// Time past zero before a flag falls. 0 if not given.
    pub margin: Option<Length>,
    /// How long an engine without a clock may think about a move, and how long any engine may take to get
    /// ready for a game. 60 s if not given.
    pub patience: Option<Length>,
    /// Whether programs and declared files of engines are locked at check-in (read-only copies play), and what
    /// a change means. `hold` under a regulation, else `off`.
    pub lock: Option<LockForm>,
    /// Who of a team moves first in the second game of a bout. `restart` if not given.
    pub rotation: Option<RotationForm>,
    /// How the hall shows the games (I.11): recorded and printed, never a matter of play.
    pub screens: Option<ScreensForm>,
    /// Whether engine processes are kept between games, where their manifests allow it. True if not given.
    pub reuse: Option<bool>,
    /// Whether all lines of all engines are written down. True if not given.
    pub transcripts: Option<bool>,
    /// Whether engines are told which moves would complete a lost repetition. `ucci` if not given,
    /// `none` under a regulation.
    pub warn: Option<WarnForm>,
    /// Whether draws by agreement are possible, where protocols know them. True if not given.
    pub draw_offers: Option<bool>,
    /// Factor on all clocks and on `margin`, for rehearsals; printed in every header. 1 if not given.
    #[schemars(range(min = 0.000_001, max = 1000.0))]
    pub time_scale: Option<f64>,
    /// Longest time that running games are given to end after the first interrupt. 60 s if not given.
    pub drain: Option<Length>,
    /// How many engine faults a clean run may have.
    #[serde(default)]
    pub faults: FaultsForm,
    /// A sequential test that ends a match (format `pairs`) as soon as it is decided.
    pub sprt: Option<SprtForm>,
    /// A game is lost by a side whose own scores say so. Off if not given.
    pub resign: Option<ResignForm>,
    /// A game is drawn when both sides' scores say so. Off if not given.
    pub draw: Option<DrawForm>,
    /// How long games are started; then the running ones are finished and the run stops. No limit if not
    /// given.
    pub time_budget: Option<Length>,
    /// A match (format `pairs`) ends as soon as it is certain whether the first entrant gets this share of all
    /// points. Off if not given.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_score: Option<f64>,
    /// Draw odds: a drawn game counts as won by Black. False if not given.
    pub draw_as_black_win: Option<bool>,
    /// Who is Red in the games of two entrants (formats `pairs`, `gauntlet`, and `round-robin` in bouts).
    /// `exchanged` if not given.
    pub colours: Option<ColoursForm>,
    /// Whether engines think on the opponent's time, where their protocol and they themselves can. False if not
    /// given. Games limited by nodes do not repeat then.
    pub ponder: Option<bool>,
    /// How long any engine may take to get ready for a game. `patience` if not given.
    pub ready_patience: Option<Length>,
    /// Least time between the beginnings of two games, so that many do not begin in one instant. 0 if not given.
    pub stagger: Option<Length>,
    /// How long each place at which games are played rests between two games. 0 if not given.
    pub pause: Option<Length>,
    /// Each game's engines run on processor cores of their own. False if not given.
    pub affinity: Option<AffinityForm>,
    /// How long the greeting of any engine may take. What its manifest says if not given.
    pub start_patience: Option<Length>,
    /// Write all lines of all engines into this file too, a game's when it ends. Nowhere if not given.
    pub engine_log: Option<String>,
    /// Keep the last scored line of each move as the engine wrote it in the journal. False if not given.
    pub info_lines: Option<bool>,
    /// Keep the last line of each move that this regular expression matches in the journal. None if not given.
    pub match_line: Option<String>,
}

/// A length of time: seconds as a number, or a text with a unit.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(example = "500ms", example = 10)]
pub enum Length {
    /// Seconds.
    Seconds(#[schemars(range(min = 0.0, max = 3_600_000.0))] f64),
    /// `500ms`, `10s`, `30m`, `2h`, `1:30:00`.
    Text(String),
}

/// A time control: a text, or its parts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(
    example = "30m",
    example = "10+0.1",
    example = "40/60+0.5",
    example = "60s/move",
    example = "nodes=5000"
)]
pub enum TimeForm {
    /// `[MOVES/]TIME[+INCREMENT]` or `TIME/move`, and `nodes=N`, `depth=N`.
    Text(String),
    /// The parts one by one.
    Fields(TimeFields),
}

/// A time control in parts. Without a clock, nodes or depth limit the search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeFields {
    /// Time for the whole game, or for `moves` moves.
    pub base: Option<Length>,
    /// Added after each move.
    pub increment: Option<Length>,
    /// Moves after which `base` is added again.
    #[schemars(range(min = 1, max = 10_000))]
    pub moves: Option<u32>,
    /// Fixed time for each move, instead of `base` and `increment`.
    pub per_move: Option<Length>,
    /// Kept back when an engine is told its `per_move`; the flag stays where it is. min(50 ms, a quarter) if not given.
    pub reserve: Option<Length>,
    /// Most nodes a move.
    #[schemars(range(min = 1))]
    pub nodes: Option<u64>,
    /// Most half-moves of search depth.
    #[schemars(range(min = 1, max = 1000))]
    pub depth: Option<u32>,
}

/// One who plays: the name of an engine, or an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EntrantForm {
    /// An engine by name, as `engine`.
    Engine(String),
    /// An engine under a name of its own.
    Fields(Box<EntrantFields>),
}

/// One who plays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntrantFields {
    /// Remarks for people.
    #[expect(dead_code, reason = "read by people")]
    pub note: Option<Value>,
    /// Its name in all tables, unlike all others. The engine's name if not given.
    #[schemars(length(min = 1, max = 80))]
    pub name: Option<String>,
    /// Its Chinese name.
    #[schemars(length(min = 1, max = 80))]
    pub name_zh: Option<String>,
    /// Which engine: a known name (`sparring` is built in), the path of a manifest file (`.json`), or a manifest.
    #[schemars(required)]
    pub engine: Option<EngineForm>,
    /// Options set over those of the manifest.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, OptionForm>", example = serde_json::json!({"Level": 3}))]
    pub options: Map<String, Value>,
    /// Its own time control, where it differs from the stage's (handicap).
    pub time: Option<TimeForm>,
    /// Whether it thinks on the opponent's time. The run's `ponder` if not given.
    pub ponder: Option<bool>,
    /// Further members of a team: engines that move in turn with the first one, on one clock.
    #[schemars(length(max = 20))]
    pub team: Option<Vec<MemberForm>>,
    /// What it declared when it registered. Never touches a result.
    pub registration: Option<RegistrationForm>,
}

/// A further member of a team.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberForm {
    /// Which engine, as an entrant's.
    #[schemars(required)]
    pub engine: Option<EngineForm>,
    /// Options set over those of the manifest.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, OptionForm>")]
    pub options: Map<String, Value>,
}

/// An engine.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EngineForm {
    /// A name, looked up as `engines/NAME.json` beside this file, then in the folder above, then among
    /// those built in; or the path of a manifest file.
    Name(String),
    /// A manifest.
    Manifest(Box<ManifestForm>),
}

/// A stage of the event.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageForm {
    /// Its name, shown in tables. `Stage N` if not given.
    #[schemars(length(min = 1, max = 80))]
    pub name: Option<String>,
    /// Who meets whom. A double round robin if not given.
    pub format: Option<FormatForm>,
    /// Its time control. The run's if not given.
    pub time: Option<TimeForm>,
}

/// How points are counted.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub enum PointsForm {
    /// Win 2, draw 1, loss 0: the Chinese scale.
    #[serde(rename = "2/1/0")]
    TwoOneZero,
    /// Win 1, draw a half, loss 0.
    #[serde(rename = "1/0.5/0")]
    OneHalfZero,
}

/// One way of separating entrants with equal points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CriterionForm {
    /// Points in the games against each other.
    HeadToHead,
    /// Extra games.
    PlayOff,
    /// Games won with Black.
    WinsAsBlack,
    /// Games won.
    Wins,
    /// The points of the beaten and half of those of the drawn.
    SonnebornBerger,
}

/// The law.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesForm {
    /// The rule book for repetition. `asian-2006` if not given.
    pub book: Option<BookForm>,
    /// How often the same position stands before it is judged: 3 if not given; 4 is three full cycles.
    #[schemars(range(min = 2, max = 9))]
    pub occurrences: Option<u32>,
    /// Draw when neither side has a piece that can attack. True if not given.
    pub dead_position: Option<bool>,
    /// Draw after so many half-moves without a capture; false or null is no limit. 120 if not given.
    #[serde(default)]
    pub no_capture: NoCaptureForm,
    /// Draw after so many half-moves. No limit if not given.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_plies: Option<u32>,
}

/// A rule book.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BookForm {
    /// The Asian rules' 35 articles of 2006.
    #[serde(rename = "asian-2006")]
    Asian2006,
    /// Perpetual check loses, a simple chase rule beside it.
    Computer,
    /// Every repetition is a draw.
    Plain,
}

/// The no-capture limit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NoCaptureForm {
    /// No limit.
    Null,
    /// False is no limit, true the usual one.
    Switch(bool),
    /// The limit in half-moves.
    Plies(#[schemars(range(min = 1, max = 10_000))] u32),
    /// The limit and how checks count.
    Fields(NoCaptureFields),
}

impl Default for NoCaptureForm {
    fn default() -> Self {
        NoCaptureForm::Switch(true)
    }
}

/// The no-capture limit in parts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoCaptureFields {
    /// Half-moves. 120 if not given.
    #[schemars(range(min = 1, max = 10_000))]
    pub plies: Option<u32>,
    /// How checks count. `first10` if not given.
    pub checks: Option<ChecksForm>,
}

/// How checks count towards the no-capture limit.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChecksForm {
    /// Every half-move counts.
    All,
    /// Each side's first ten checks count, later ones and their answers do not.
    First10,
    /// No check and no answer to one counts.
    None,
}

/// Openings: a file's path, or settings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(example = "openings/balanced.epd")]
pub enum OpeningsForm {
    /// A file of openings, taken in order.
    File(String),
    /// Settings.
    Fields(OpeningsFields),
}

/// Openings. One opening serves both games of a pair.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningsFields {
    /// `@chuhe-500`, the list that is compiled in, or a file of any format that `chuhe convert` reads, found
    /// out by its content: lists with one opening a line (positions, moves; empty lines and lines that begin
    /// with `#` are skipped), games (PGN, DhtmlXQ, XQF, WXF, JSON lines, a run's `journal.jsonl`),
    /// ElephantEye's `BOOK.DAT`.
    pub file: Option<String>,
    /// The lines themselves, instead of a file: `FEN [moves h2e2 ..] [; title]`, or moves from the start position.
    #[schemars(length(max = 100_000), example = ["h2e2 h9g7 h0g2 ; central cannon"])]
    pub list: Option<Vec<String>>,
    /// How ranks are counted in moves. `zero` if not given and the file does not say.
    pub squares: Option<SquaresForm>,
    /// How often each opening is taken. `count` if not given.
    pub weights: Option<WeightsForm>,
    /// The order in which they are taken. `in-order` if not given.
    pub order: Option<OpeningOrderForm>,
    /// Number of the first opening to be taken, from 1.
    #[schemars(range(min = 1))]
    pub start: Option<u32>,
    /// Take only so many half-moves of each opening. All of a list's line, 16 of a game if not given.
    #[schemars(range(min = 0, max = 1000))]
    pub plies: Option<usize>,
}

/// How often each opening is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WeightsForm {
    /// As often as it stands in the file: what many games began with is played more often.
    Count,
    /// Each position that openings lead to once.
    Equal,
    /// As often as its own weight says, 1 where it has none: `; weight 5` on a line, a tag `Weight`, the
    /// rarest move of a line in `BOOK.DAT`. 0 leaves it out.
    Given,
}

/// The order in which openings are taken.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningOrderForm {
    /// As listed.
    InOrder,
    /// Shuffled by the seed.
    Shuffled,
}
