//! A run that can be played: entrants, stages, rules and conduct, all checked. Built by `config`
//! alone; the director plays it. Data only. Start at [`Plan`].

use std::sync::Arc;
use std::time::Duration;

use crate::engine::Manifest;
use crate::game::{Adjudication, Terms, TimeControl};
use crate::law::Rules;
use crate::tournament::{Colours, Format, OpeningBook, Sprt, TieBreak};
use crate::xiangqi::BySide;

pub use crate::tournament::{Exhibition, Points, Visit};

/// Everything that is to be played.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Name of the event, shown in headers and as PGN `Event`.
    pub event: String,
    /// PGN `Site`.
    pub site: String,
    /// The official regulation it is held under, if any.
    pub regulation: Option<Regulation>,
    /// Seed of all chance (openings, lots), the same on every platform.
    pub seed: u64,
    /// The commitment to the seed that was published before entries closed, if one was.
    pub commitment: Option<String>,
    /// Who plays, at least two.
    pub entrants: Vec<Entrant>,
    /// Stages in the order of play, at least one.
    pub stages: Vec<Stage>,
    /// The law.
    pub rules: Rules,
    /// How points are counted.
    pub points: Points,
    /// What separates equal points.
    pub tie_break: TieBreak,
    /// Where games begin.
    pub openings: OpeningBook,
    /// The test that ends a match in pairs of games early, if there is one. Only where the plan has one
    /// stage, of [`Format::Pairs`].
    pub sprt: Option<Sprt>,
    /// The share of all points (0 to 1) that the first entrant must reach: the match ends as soon as the games
    /// left cannot change whether it does. Only where the plan has one stage, of [`Format::Pairs`].
    pub min_score: Option<f64>,
    /// Draw odds: whether a drawn game counts as won by Black.
    pub draw_as_black_win: bool,
    /// Who is Red. Other than exchanged only in tests ([`Colours::suit`]).
    pub colours: Colours,
    /// How the runner behaves.
    pub conduct: Conduct,
}

/// An official regulation of August 2006.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Regulation {
    /// I: the championship.
    Championship,
    /// II: the blindfold exhibition.
    Blindfold,
    /// III: the man-machine match.
    ManMachine,
    /// IV: the net players' meeting.
    NetMeeting,
}

impl Regulation {
    /// All regulations in the order of the text.
    pub const ALL: [Regulation; 4] =
        [Regulation::Championship, Regulation::Blindfold, Regulation::ManMachine, Regulation::NetMeeting];

    /// The word in configs and journals.
    pub const fn name(self) -> &'static str {
        match self {
            Regulation::Championship => "championship",
            Regulation::Blindfold => "blindfold",
            Regulation::ManMachine => "man-machine",
            Regulation::NetMeeting => "net-meeting",
        }
    }

    /// The regulation of this name.
    pub fn from_name(name: &str) -> Option<Regulation> {
        Regulation::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl Plan {
    /// The terms of a game of stage `stage` (from 1) between the entrants of these indices.
    pub fn terms(&self, stage: u8, seats: BySide<usize>) -> Terms {
        let stage = usize::from(stage).checked_sub(1).and_then(|stage| self.stages.get(stage));
        let controls = seats.map(|entrant| {
            let own = self.entrants.get(entrant).and_then(|entrant| entrant.time);
            own.or_else(|| stage.map(|stage| stage.time)).unwrap_or(TimeControl::UNLIMITED)
        });
        Terms {
            rules: self.rules,
            controls,
            margin: self.conduct.margin,
            patience: self.conduct.patience,
            draw_offers: self.conduct.draw_offers,
            adjudication: self.conduct.adjudication,
            draw_as_black_win: self.draw_as_black_win,
        }
    }
}

/// One who plays: an engine under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Entrant {
    /// Name, unique in the plan.
    pub name: String,
    /// Chinese name, if any.
    pub name_zh: Option<String>,
    /// How its engine is started; of a team, the first member's.
    pub engine: Arc<Manifest>,
    /// The engines of a team's further members, who move in turn (II.2, IV.4); empty for all others.
    pub team: Vec<Arc<Manifest>>,
    /// Its own time control, where it differs from the stage's (handicap), already multiplied by
    /// [`Conduct::time_scale`].
    pub time: Option<TimeControl>,
    /// What it declared when it registered, as pairs of a word and a text. Never touches a result.
    pub registration: Vec<(String, String)>,
}

impl Entrant {
    /// The engines of all members, of most entrants the only one.
    pub fn members(&self) -> impl Iterator<Item = &Arc<Manifest>> {
        std::iter::once(&self.engine).chain(&self.team)
    }
}

/// What happens when the files of an engine have changed since they were locked (I.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LockRule {
    /// Nothing is locked (open testing).
    #[default]
    Off,
    /// Its games wait for the chief referee.
    Hold,
    /// Its games are forfeited.
    Forfeit,
}

impl LockRule {
    /// The word in configs and journals.
    pub const fn name(self) -> &'static str {
        match self {
            LockRule::Off => "off",
            LockRule::Hold => "hold",
            LockRule::Forfeit => "forfeit",
        }
    }
}

/// A stage of the event.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Its name, shown in tables.
    pub name: String,
    /// Who meets whom.
    pub format: Format,
    /// The time control of both sides, already multiplied by [`Conduct::time_scale`].
    pub time: TimeControl,
}

/// What happens when an engine ends during a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CrashRule {
    /// The game is lost at once (open testing).
    #[default]
    Loses,
    /// The clock runs on while the engine is started again, once, and given the position; then the
    /// flag decides (reading of I.7).
    Restart,
}

/// How much of a game is journalled while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grain {
    /// A game is written with its end; an unfinished one is played again from its start.
    #[default]
    Game,
    /// Every move is written as it is made; an unfinished game goes on from its last move with its
    /// clocks (regulations).
    Move,
}

/// When the journal is forced to the disk (`fdatasync`); every write reaches the system at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sync {
    /// At most a second apart.
    #[default]
    EverySecond,
    /// At every event (regulations).
    EveryEvent,
    /// Never by us.
    Never,
}

/// Who of a team moves first in the further games of a bout (IV.4, which does not say).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rotation {
    /// The first member, in every game.
    #[default]
    Restart,
    /// The member after the one that moved last in the bout.
    Continue,
}

impl Rotation {
    /// The word in configs and journals.
    pub const fn name(self) -> &'static str {
        match self {
            Rotation::Restart => "restart",
            Rotation::Continue => "continue",
        }
    }
}

/// How the hall shows the games (I.11): what the committee arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screens {
    /// Whether each side's operator sees the other side's screen.
    pub opponent: bool,
    /// Whether the public sees what engines think.
    pub thinking: bool,
    /// How much later the public sees the games.
    pub delay: Duration,
}

/// The processor cores that games are bound to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Affinity {
    /// Numbers of the cores as the system counts them; empty: all that we may use.
    pub cores: Vec<usize>,
}

/// How the runner behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Conduct {
    /// Games at once, at least 1.
    pub concurrency: usize,
    /// What a crash means.
    pub crash: CrashRule,
    /// What is journalled.
    pub grain: Grain,
    /// When the journal is forced to disk.
    pub sync: Sync,
    /// Margin past zero before a flag falls; 0 by default.
    pub margin: Duration,
    /// How long an engine without a clock (nodes or depth only) may think about a move before it counts
    /// as stalled.
    pub patience: Duration,
    /// Whether what engines are made of is locked, and what a change means.
    pub lock: LockRule,
    /// Who of a team moves first in the further games of a bout.
    pub rotation: Rotation,
    /// How the hall shows the games, where that is recorded. Never touches a result.
    pub screens: Option<Screens>,
    /// Whether engine processes are kept between games (where their manifests allow it).
    pub reuse: bool,
    /// Whether transcripts of all engines' lines are written.
    pub transcripts: bool,
    /// Whether UCCI engines are told with `banmoves` which moves would complete a lost repetition.
    pub warn: bool,
    /// Whether UCI engines are told with `searchmoves` (all moves but the losing ones).
    pub warn_uci: bool,
    /// Whether draws by agreement are possible.
    pub draw_offers: bool,
    /// Factor on all clocks and on `margin`, for rehearsals; printed in every header. The plan's times are
    /// multiplied already; `patience` and `drain`, which wait for real processes, never are.
    pub time_scale: f64,
    /// Longest time that running games are given to end after the first interrupt.
    pub drain: Duration,
    /// Most engine faults (of all classes together) with which the run still counts as clean; `None`
    /// is no limit.
    pub max_faults: Option<u32>,
    /// When scores end a game (open testing only).
    pub adjudication: Adjudication,
    /// How many games on end one engine may lose by crash or stall before the run stops; `None` is no
    /// limit.
    pub max_failures: Option<u32>,
    /// How long any engine may take to get ready for a game or to read its input.
    pub ready_patience: Duration,
    /// Least time between the beginnings of two games; 0 by default.
    pub stagger: Duration,
    /// How long each of the places at which games are played rests between two games; 0 by default.
    pub pause: Duration,
    /// On which processor cores games are played, each on cores of its own; `None` leaves it to the system.
    pub affinity: Option<Affinity>,
    /// A file that is given all lines of all engines, beside the transcripts.
    pub engine_log: Option<String>,
    /// How long games may be started; then running ones are finished and the run stops (it can be
    /// resumed, with the whole time again).
    pub time_budget: Option<Duration>,
}
