//! The settings in force, as every report's header prints them: written once into `run_began`, so
//! that reports need no config. Data only. Start at [`Settings`].

mod format;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Manifest;
use crate::game::{DrawRule, Pace, ResignRule, TimeControl, write_seconds};
use crate::law::{Book, CheckCounting, NoCapture, Repetition, Rules};
use crate::plan::{Conduct, CrashRule, Entrant, Grain, Plan, Points, Screens, Stage};
use crate::time::as_micros;
use crate::tournament::{Colours, Criterion, Model, Sprt, TieBreak};

pub use format::FormatSettings;

/// What a run was played with. Every setting is here, also those left at their default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Name of the event.
    pub event: String,
    /// PGN `Site`.
    pub site: String,
    /// The official regulation it is held under: `championship`, `blindfold`, `man-machine`, `net-meeting`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regulation: Option<String>,
    /// Seed of all chance.
    pub seed: u64,
    /// The commitment to the seed that was published before entries closed, as the config gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    /// Who plays; games name them, results count them from 0 in this order.
    pub entrants: Vec<EntrantSettings>,
    /// Stages in the order of play.
    pub stages: Vec<StageSettings>,
    /// The law.
    pub rules: RuleSettings,
    /// How many openings there are; 0 is the usual start position only.
    pub openings: usize,
    /// `2/1/0` or `1/0.5/0`.
    pub points: String,
    /// What separates equal points, in order: `head-to-head`, `play-off`, `wins-as-black`, `wins`,
    /// `sonneborn-berger`.
    pub tie_break: Vec<String>,
    /// The test that ends the match early, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSettings>,
    /// The share of points that the first entrant must reach, where the match ends when that is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    /// Draw odds: whether a drawn game counted as won by Black.
    #[serde(default, skip_serializing_if = "is_off")]
    pub draw_as_black_win: bool,
    /// Who is Red in the games of a pairing, where not as the tables have it: `kept`, `reversed`,
    /// `kept-reversed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colours: Option<String>,
    /// How the runner behaved.
    pub conduct: ConductSettings,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_off(on: &bool) -> bool {
    !*on
}

/// One who plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntrantSettings {
    /// Name, unique.
    pub name: String,
    /// Chinese name, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_zh: Option<String>,
    /// Command and arguments.
    pub command: Vec<String>,
    /// `uci`, `ucci` or `cecp`.
    pub protocol: String,
    /// Options set, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Lines sent before the options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// Its own time control, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeSettings>,
    /// Whether its process may serve more than one game.
    pub reuse: bool,
    /// Whether it thought on the opponent's time.
    #[serde(default, skip_serializing_if = "is_off")]
    pub ponder: bool,
    /// Commands and options of a team's further members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub team: Vec<String>,
    /// What it declared when it registered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registration: Vec<(String, String)>,
}

/// A time control in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSettings {
    /// As `TimeControl` writes it: `1800`, `10+0.1`, `1/move`, `nodes=5000`; scaled already.
    pub control: String,
    /// With a fixed time a move: the seconds an engine is told (the flag stays at the limit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

/// A stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageSettings {
    /// Its name.
    pub name: String,
    /// Who meets whom.
    pub format: FormatSettings,
    /// The time control of both sides.
    pub time: TimeSettings,
    /// How many games it has, where that is known beforehand.
    pub games: Option<u64>,
}

/// The law.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSettings {
    /// Rule book of repetition.
    pub book: String,
    /// How often a position must stand to be judged.
    pub occurrences: u32,
    /// Whether bare defenders on both sides are a draw.
    pub dead_position: bool,
    /// Plies without a capture that make a draw; none if off.
    pub no_capture: Option<u32>,
    /// How checks count towards it: `all`, `first10`, `none`.
    pub checks: Option<String>,
    /// Most half-moves of a game; none if off.
    pub max_plies: Option<u32>,
}

impl RuleSettings {
    /// The rules of these settings; `None` if they name what this version does not know.
    pub fn read(&self) -> Option<Rules> {
        let no_capture = match (self.no_capture, self.checks.as_deref()) {
            (None, _) => None,
            (Some(plies), Some(checks)) => {
                Some(NoCapture { plies, checks: CheckCounting::from_name(checks)? })
            }
            (Some(_), None) => return None,
        };
        Some(Rules {
            repetition: Repetition { book: Book::from_name(&self.book)?, occurrences: self.occurrences },
            dead_position: self.dead_position,
            no_capture,
            max_plies: self.max_plies,
        })
    }
}

/// How the runner behaved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConductSettings {
    /// Games at once.
    pub concurrency: usize,
    /// `loses` or `restart`.
    pub crash: String,
    /// Whether every move was journalled as it was made.
    pub every_move: bool,
    /// Margin past zero before a flag falls, µs.
    #[serde(with = "as_micros")]
    pub margin: Duration,
    /// Patience with an engine without a clock, µs.
    #[serde(with = "as_micros")]
    pub patience: Duration,
    /// Whether engines were locked: `off`, `hold` or `forfeit` on a change.
    #[serde(default)]
    pub lock: String,
    /// Who of a team moved first in the second game of a bout: `restart` or `continue`; left out where nobody
    /// was a team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<String>,
    /// How the hall showed the games, where that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screens: Option<ScreensSettings>,
    /// Whether processes were kept between games.
    pub reuse: bool,
    /// Whether UCCI engines were warned with `banmoves`.
    pub warn: bool,
    /// Whether UCI engines were warned with `searchmoves`.
    pub warn_uci: bool,
    /// Whether draws by agreement were possible.
    pub draw_offers: bool,
    /// Factor on all clocks.
    pub time_scale: f64,
    /// Most faults of a clean run; none is no limit.
    pub max_faults: Option<u32>,
    /// When scores end a game as lost; left out if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignSettings>,
    /// When scores end a game as drawn; left out if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawSettings>,
    /// Games that one engine may lose on end by crash or stall before the run stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_failures: Option<u32>,
    /// How long engines had to get ready, where it was not `patience`, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_patience: Option<f64>,
    /// Least time between the beginnings of two games, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stagger: Option<f64>,
    /// How long each place rested between two games, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<f64>,
    /// How long games were started, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget: Option<f64>,
}

/// How the hall showed the games (I.11).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScreensSettings {
    /// Whether each side's operator saw the other side's screen.
    pub opponent: bool,
    /// Whether the public saw what engines thought.
    pub thinking: bool,
    /// How much later the public saw the games, seconds.
    pub delay: f64,
}

/// A sequential test (see `tournament::Sprt`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SprtSettings {
    /// Elo difference of H0.
    pub elo0: f64,
    /// Elo difference of H1.
    pub elo1: f64,
    /// Chance of accepting a false H1.
    pub alpha: f64,
    /// Chance of accepting a false H0.
    pub beta: f64,
    /// `normalized`, `logistic` or `bayesian`.
    pub model: String,
}

impl SprtSettings {
    /// The test itself; `None` if this version does not know its model.
    pub fn sprt(&self) -> Option<Sprt> {
        let model = Model::ALL.into_iter().find(|model| model.name() == self.model)?;
        let SprtSettings { elo0, elo1, alpha, beta, .. } = *self;
        Some(Sprt { elo0, elo1, alpha, beta, model })
    }
}

/// When scores end a game as lost (see `game::ResignRule`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignSettings {
    /// For so many moves on end.
    pub move_count: u32,
    /// Behind by so much.
    pub score: i32,
    /// Whether the other side must agree.
    pub two_sided: bool,
}

/// When scores end a game as drawn (see `game::DrawRule`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawSettings {
    /// Not before this full move.
    pub move_number: u32,
    /// For so many moves of each side on end.
    pub move_count: u32,
    /// Within so much of level.
    pub score: i32,
}

impl Settings {
    /// How many games the run has, where that is known beforehand for all stages.
    pub fn games(&self) -> Option<u64> {
        self.stages.iter().map(|stage| stage.games).sum()
    }

    /// The settings of a plan.
    pub fn of(plan: &Plan) -> Settings {
        let has_team = plan.entrants.iter().any(|entrant| !entrant.team.is_empty());
        Settings {
            event: plan.event.clone(),
            site: plan.site.clone(),
            regulation: plan.regulation.map(|one| one.name().to_owned()),
            seed: plan.seed,
            commitment: plan.commitment.clone(),
            entrants: plan.entrants.iter().map(entrant).collect(),
            stages: plan.stages.iter().map(|one| stage(one, plan.entrants.len())).collect(),
            rules: rules(&plan.rules),
            openings: plan.openings.len(),
            points: plan.points.name().to_owned(),
            tie_break: plan.tie_break.0.iter().map(|one| criterion_word(*one).to_owned()).collect(),
            sprt: plan.sprt.as_ref().map(sprt),
            conduct: ConductSettings {
                rotation: has_team.then(|| plan.conduct.rotation.name().to_owned()),
                ..conduct(&plan.conduct)
            },
            min_score: plan.min_score,
            draw_as_black_win: plan.draw_as_black_win,
            colours: plan.colours.unusual().map(str::to_owned),
        }
    }

    /// Who is Red in the games of a pairing; as the tables have it where the word is unknown.
    pub fn colours(&self) -> Colours {
        self.colours.as_deref().and_then(Colours::from_name).unwrap_or_default()
    }

    /// What separates equal points; unknown words are left out.
    pub fn tie_break(&self) -> TieBreak {
        let known = |word: &String| CRITERIA.into_iter().find(|one| criterion_word(*one) == word);
        TieBreak(self.tie_break.iter().filter_map(known).collect())
    }

    /// How points are counted; an unknown word counts as the default.
    pub fn points(&self) -> Points {
        [Points::TwoOneZero, Points::OneHalfZero]
            .into_iter()
            .find(|points| points.name() == self.points)
            .unwrap_or_default()
    }
}

const CRITERIA: [Criterion; 5] = [
    Criterion::HeadToHead,
    Criterion::PlayOff,
    Criterion::WinsAsBlack,
    Criterion::Wins,
    Criterion::SonnebornBerger,
];

const fn criterion_word(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::HeadToHead => "head-to-head",
        Criterion::PlayOff => "play-off",
        Criterion::WinsAsBlack => "wins-as-black",
        Criterion::Wins => "wins",
        Criterion::SonnebornBerger => "sonneborn-berger",
    }
}

fn entrant(entrant: &Entrant) -> EntrantSettings {
    let Manifest { command, args, protocol, options, init, reuse, ponder, .. } = &*entrant.engine;
    EntrantSettings {
        name: entrant.name.clone(),
        name_zh: entrant.name_zh.clone(),
        command: std::iter::once(command).chain(args).cloned().collect(),
        protocol: protocol.name().to_owned(),
        options: options.clone(),
        init: init.clone(),
        time: entrant.time.as_ref().map(time),
        reuse: *reuse,
        ponder: *ponder,
        team: entrant.team.iter().map(|member| in_a_line(member)).collect(),
        registration: entrant.registration.clone(),
    }
}

/// Command, protocol and options of an engine in one line.
fn in_a_line(manifest: &Manifest) -> String {
    let command = std::iter::once(&manifest.command).chain(&manifest.args).cloned();
    let protocol = format!("[{}]", manifest.protocol.name());
    let options = manifest.options.iter().map(|(name, value)| format!("{name}={value}"));
    command.chain([protocol]).chain(options).collect::<Vec<_>>().join(" ")
}

fn time(control: &TimeControl) -> TimeSettings {
    let told = match control.pace {
        Pace::PerMove { limit, reserve } => Some(write_seconds(limit.saturating_sub(reserve))),
        Pace::Untimed | Pace::Bank { .. } => None,
    };
    TimeSettings { control: control.to_string(), told }
}

fn stage(stage: &Stage, entrants: usize) -> StageSettings {
    let format = FormatSettings::of(&stage.format);
    let games = stage.format.games(entrants);
    StageSettings { name: stage.name.clone(), format, time: time(&stage.time), games }
}

fn rules(rules: &Rules) -> RuleSettings {
    RuleSettings {
        book: rules.repetition.book.name().to_owned(),
        occurrences: rules.repetition.occurrences,
        dead_position: rules.dead_position,
        no_capture: rules.no_capture.map(|limit| limit.plies),
        checks: rules.no_capture.map(|limit| limit.checks.name().to_owned()),
        max_plies: rules.max_plies,
    }
}

fn conduct(conduct: &Conduct) -> ConductSettings {
    let crash = match conduct.crash {
        CrashRule::Loses => "loses",
        CrashRule::Restart => "restart",
    };
    ConductSettings {
        concurrency: conduct.concurrency,
        crash: crash.to_owned(),
        every_move: conduct.grain == Grain::Move,
        margin: conduct.margin,
        patience: conduct.patience,
        lock: conduct.lock.name().to_owned(),
        rotation: None,
        screens: conduct.screens.map(|Screens { opponent, thinking, delay }| ScreensSettings {
            opponent,
            thinking,
            delay: delay.as_secs_f64(),
        }),
        reuse: conduct.reuse,
        warn: conduct.warn,
        warn_uci: conduct.warn_uci,
        draw_offers: conduct.draw_offers,
        time_scale: conduct.time_scale,
        max_faults: conduct.max_faults,
        resign: conduct.adjudication.resign.map(|ResignRule { move_count, score, two_sided }| {
            ResignSettings { move_count, score, two_sided }
        }),
        draw: conduct.adjudication.draw.map(|DrawRule { move_number, move_count, score }| DrawSettings {
            move_number,
            move_count,
            score,
        }),
        max_failures: conduct.max_failures,
        ready_patience: (conduct.ready_patience != conduct.patience)
            .then_some(conduct.ready_patience.as_secs_f64()),
        stagger: some(conduct.stagger),
        pause: some(conduct.pause),
        time_budget: conduct.time_budget.map(|budget| budget.as_secs_f64()),
    }
}

fn some(time: Duration) -> Option<f64> {
    (!time.is_zero()).then_some(time.as_secs_f64())
}

fn sprt(sprt: &Sprt) -> SprtSettings {
    let Sprt { elo0, elo1, alpha, beta, model } = *sprt;
    SprtSettings { elo0, elo1, alpha, beta, model: model.name().to_owned() }
}
