//! The events of a run: what the journal holds, one JSON object a line. Data only; a run is nothing
//! but the fold of its events. Start at [`What`].

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::decision::Decision;
use super::fleet::Fleet;
use super::hearing::Spoken;
use super::settings::Settings;
use crate::engine::Session;
use crate::time::{At, micros};
use crate::tournament::GameId;

/// Format number of the journal, first in every `run_began`. Raised when old readers would err.
pub const FORMAT: u32 = 1;

/// How a pass stands among the moves of a game.
pub const PASS: &str = "--";

/// The run is interrupted until the chief referee has spoken.
pub const HELD: &str = "held for the chief referee";
/// The run is interrupted by a signal.
pub const STOPPED: &str = "stopped by a signal";
/// The run is interrupted because the time for starting games is over.
pub const OUT_OF_TIME: &str = "out of time";

/// One line of the journal: `{"seq":3,"at":1234567,"what":"game_over",..}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// 0, 1, 2 ... without a gap.
    pub seq: u64,
    /// When, in microseconds since the run began.
    pub at: At,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// The first event of every journal.
    RunBegan(Box<RunBegan>),
    /// An entrant's engine was greeted (check-in before the first game, and after a resume).
    CheckedIn(CheckedIn),
    /// A game was begun.
    GameBegan(GameBegan),
    /// A move was made (only where moves are journalled as they are made).
    Moved(Moved),
    /// A side overran its time for a move and lost its turn without a half-move (II.5).
    Overran(Overrun),
    /// A member of a team advised the member on turn (II.2). Decides nothing.
    Advised(Advice),
    /// The clock of all boards of an exhibition runs from now (II.5).
    SessionRuns {
        /// Time of the session that was used before.
        used_us: u64,
    },
    /// Something people should know that decides nothing.
    Noted(Noted),
    /// A game ended; only this event gives it a result.
    GameOver(Box<GameOver>),
    /// The lots were drawn (after check-in).
    Drawn(Drawn),
    /// What an entrant's engine is made of was locked (I.10).
    Locked(Locked),
    /// The chief referee decided something.
    Decided(Box<Decision>),
    /// Something was said at the referee's desk that decides no result.
    Spoken(Box<Spoken>),
    /// Something happened between a coordinator and its workers.
    Fleet(Fleet),
    /// The run went on after the runner had stopped.
    Resumed(Resumed),
    /// The runner stopped before the end of the run.
    Interrupted {
        /// Why: [`HELD`], [`STOPPED`] or [`OUT_OF_TIME`].
        reason: String,
    },
    /// Nothing is left to be played.
    RunOver {
        /// Why: `complete`, or what stopped it early.
        reason: String,
    },
}

/// The head of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunBegan {
    /// [`FORMAT`].
    pub format: u32,
    /// Program and version.
    pub program: String,
    /// The settings in force, for the headers of reports.
    pub settings: Settings,
    /// The config as resolved: manifests inlined, overrides applied. A plan is built from it again on resume.
    pub config: Value,
    /// Folder to which relative paths of the config refer.
    pub base: String,
    /// SHA-256 of the files the config names (openings), by path: a resume refuses changed ones.
    pub sources: BTreeMap<String, String>,
    /// Local date and time, RFC 3339.
    pub date: String,
    /// The machine.
    pub host: Host,
}

/// The machine a run is played on. Never influences play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// CPU model as the system names it.
    pub cpu: String,
    /// Hardware threads.
    pub threads: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Operating system and its version.
    pub system: String,
    /// The cores that games were bound to, or why they were not; left out where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<String>,
}

/// An engine that was greeted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedIn {
    /// Name of the entrant.
    pub entrant: String,
    /// Which member of its team, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub member: usize,
    /// Name the engine gives itself, empty if none.
    pub id_name: String,
    /// Author it names, empty if none.
    pub id_author: String,
    /// Time to the end of the greeting in µs.
    pub took_us: u64,
    /// Options of the config that the engine does not list and that were not sent.
    pub unknown_options: Vec<String>,
}

impl CheckedIn {
    /// The events of a greeting that took `took`: the check-in, and a note if options were not sent.
    pub fn events(entrant: &str, session: &Session, took: Duration) -> Vec<What> {
        let identity = session.identity();
        let unknown_options = session.unlisted().to_vec();
        let note = (!unknown_options.is_empty()).then(|| {
            let listed = unknown_options.join(", ");
            What::Noted(Noted {
                game: None,
                entrant: Some(entrant.to_owned()),
                kind: "unknown_option".to_owned(),
                text: format!("the engine does not list these options, so they were not sent: {listed}"),
            })
        });
        let checked_in = What::CheckedIn(CheckedIn {
            entrant: entrant.to_owned(),
            member: 0,
            id_name: identity.name.clone(),
            id_author: identity.author.clone(),
            took_us: micros(took),
            unknown_options,
        });
        std::iter::once(checked_in).chain(note).collect()
    }
}

/// The lots (I.4): the seed was promised before by its commitment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// What the algorithm is called.
    pub algorithm: String,
    /// SHA-256 of the text `chuhe lots SEED`.
    pub commitment: String,
    /// The seed.
    pub seed: u64,
    /// Names by lot: `A1`, `A2`, `B1` ...
    pub lots: BTreeMap<String, String>,
}

/// What an engine is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// Name of the entrant.
    pub entrant: String,
    /// Which member of its team, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub member: usize,
    /// SHA-256 of everything below: the manifest id.
    pub id: String,
    /// SHA-256 of the executable and of every declared file, by path.
    pub files: BTreeMap<String, String>,
    /// Paths among command and arguments that are files and are not declared: not covered by the lock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<String>,
    /// Command and arguments.
    pub command: Vec<String>,
    /// Environment variables that are set.
    pub env: BTreeMap<String, String>,
    /// Options that are set, in order.
    pub options: Vec<(String, String)>,
    /// `uci`, `ucci` or `cecp`.
    pub protocol: String,
    /// The name the engine gives itself.
    pub id_name: String,
}

/// A game that begins. With one game at a time and games journalled by their end this event is left out
/// for a replayed game's repetition: the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameBegan {
    /// Which game.
    pub game: GameId,
    /// Name of the entrant that is Red.
    pub red: String,
    /// Name of the entrant that is Black.
    pub black: String,
    /// Start position.
    pub fen: String,
    /// Opening moves already played (zero style, blanks between), empty if none.
    pub opening: String,
    /// Ids of the locks that both sides' engines were seen to keep before the game, Red first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locks: Option<[String; 2]>,
    /// Local date and time, RFC 3339.
    pub date: String,
}

/// One move with its stamps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Which game.
    pub game: GameId,
    /// Number of the half-move, from 1, opening moves counted.
    pub ply: u32,
    /// The move in the zero style; `--` is a pass.
    pub mv: String,
    /// Which member of the side's team moved, from 1; absent where there is no team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<u8>,
    /// Time charged.
    pub used_us: u64,
    /// Time left on the mover's clock after the move, if it has one.
    pub left_us: Option<u64>,
    /// Moves to the mover's next period, 0 in sudden death.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub to_go: u32,
    /// Whether a draw was offered or accepted with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draw: bool,
    /// What the engine thought.
    #[serde(flatten)]
    pub thought: ThoughtRecord,
}

/// An overrun that cost a turn and made no half-move: what follows is its rule's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overrun {
    /// Which game.
    pub game: GameId,
    /// Number of the half-move that was due, from 1.
    pub ply: u32,
    /// `next-seat` or `wait`.
    pub rule: String,
    /// Which member of the side's team was on turn, from 1; absent where there is no team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<u8>,
    /// Time used until it was noticed.
    pub used_us: u64,
    /// Time there was.
    pub allowed_us: u64,
}

/// What a member of a team said before the member on turn moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Which game.
    pub game: GameId,
    /// Number of the half-move that is due, from 1.
    pub ply: u32,
    /// Who advises, from 1.
    pub member: u8,
    /// What: a move in the zero style, or the answer as it came, shortened.
    pub said: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_first(member: &usize) -> bool {
    *member == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What an engine said of its last search; all optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThoughtRecord {
    /// Score in hundredths of a soldier, mover's view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to mate, mover's view, negative if it is mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Depth in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// Something people should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// The game it concerns, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The entrant it concerns, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entrant: Option<String>,
    /// A word for programs: `restarted`, `late_answer`, `claim`, `unknown_option`, `repetition_warning` ...
    pub kind: String,
    /// In words.
    pub text: String,
}

/// A finished game, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameOver {
    /// Which game.
    pub game: GameId,
    /// Name of the entrant that was Red.
    pub red: String,
    /// Name of the entrant that was Black.
    pub black: String,
    /// Start position.
    pub fen: String,
    /// How many of the moves are the opening's.
    pub opening_plies: u32,
    /// Name of the opening, empty for the usual start position.
    pub opening: String,
    /// All moves in the zero style, blanks between; `--` is a pass.
    pub moves: String,
    /// Time charged for each move after the opening, µs.
    pub used_us: Vec<u64>,
    /// Which member of its side's team made each move after the opening, from 1 (0 where a side is no team);
    /// empty where no side is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<u8>,
    /// What was thought at each move after the opening; shorter lists end in empty thoughts.
    pub thoughts: Vec<ThoughtRecord>,
    /// What engines wrote at each move after the opening, where it was kept; shorter lists end in nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LinesRecord>,
    /// `1-0`, `0-1`, `1/2-1/2`; absent while the game is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// How it ended.
    pub termination: TerminationRecord,
    /// Time left on each clock at the end, µs, Red first; null without a clock.
    pub left_us: [Option<u64>; 2],
    /// Time controls of both sides as text, Red first.
    pub time_controls: [String; 2],
    /// Wall time of the game, µs.
    pub took_us: u64,
    /// When it began: local date and time, RFC 3339.
    pub date: String,
    /// Longest time between a line's arrival and the runner's attention to it during the game, µs:
    /// the proof beside a time loss.
    pub runner_delay_us: u64,
}

/// Lines of an engine as it wrote them, cut at a kilobyte.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LinesRecord {
    /// The last one with a score.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub info: String,
    /// The last one that matched what was looked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub matched: String,
}

/// How a game ended, for the journal. `kind` is `Termination::kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TerminationRecord {
    /// The kind.
    pub kind: String,
    /// Who lost by it: `red` or `black`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loser: Option<String>,
    /// Fields of the kind that are texts: the illegal answer, how the engine ended ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Time used and allowed at a flag, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag_us: Option<[u64; 2]>,
    /// The ruling of a repetition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Value>,
    /// Last lines of the engine's output and stderr, where they help to see why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
}

/// The run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {
    /// Program and version.
    pub program: String,
    /// Local date and time, RFC 3339.
    pub date: String,
    /// The machine.
    pub host: Host,
}
