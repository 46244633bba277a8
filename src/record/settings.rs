//! The settings in force, as every report's header prints them: written once into `run_began`, so
//! that reports need no config. Data only. Start at [`Settings`].

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Manifest;
use crate::game::{Pace, TimeControl, write_seconds};
use crate::law::Rules;
use crate::plan::{Conduct, CrashRule, Entrant, Grain, Plan, Points, Stage};
use crate::time::as_micros;
use crate::tournament::{
    Championship, Criterion, CycleOrder, Format, Knockout, Level, Part, Swiss, TieBreak,
};

/// What a run was played with. Every setting is here, also those left at their default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Name of the event.
    pub event: String,
    /// PGN `Site`.
    pub site: String,
    /// Seed of all chance.
    pub seed: u64,
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
    /// How the runner behaved.
    pub conduct: ConductSettings,
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

/// Who meets whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FormatSettings {
    /// Everybody meets everybody.
    RoundRobin {
        /// How often each two meet.
        cycles: u32,
        /// Whether their games are played back to back.
        bouts: bool,
    },
    /// The first ones meet all others.
    Gauntlet {
        /// Number of challengers.
        seeds: usize,
        /// Games of each pairing.
        games: u32,
    },
    /// Pairs of games between two entrants.
    Pairs {
        /// How many pairs.
        pairs: u32,
    },
    /// Equal points meet, nobody twice.
    Swiss {
        /// How many rounds.
        rounds: u32,
        /// Games of each pairing.
        games: u8,
    },
    /// The loser of a bout is out.
    Knockout {
        /// Games of a bout.
        games: u8,
        /// Most extra pairs of games after a level bout.
        extra: u8,
        /// Whether a bout that stays level waits for the chief referee; else the higher seed goes on.
        held: bool,
    },
    /// Entrants meet by twos, a board each.
    Boards {
        /// Games of each two.
        games: u8,
    },
    /// A part of a championship.
    Championship {
        /// `groups`, `qualifying`, `final` or `places`.
        part: String,
        /// Number of the stage of the groups.
        first_stage: u8,
        /// The groups as drawn: entrants counted from 0, in the order of their lot numbers.
        groups: Vec<Vec<usize>>,
        /// How many of each group come into the final.
        qualify: usize,
        /// Whether bouts of finalists of one group count in the final.
        carry_over: bool,
        /// Whether the games of a bout are played back to back.
        bouts: bool,
        /// Most bouts of one play-off.
        guard: u8,
        /// Seed of the lots.
        seed: u64,
    },
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
}

impl FormatSettings {
    /// The format itself, which knows what byes and survived bouts are worth.
    pub fn format(&self) -> Format {
        match *self {
            FormatSettings::RoundRobin { cycles, bouts } => {
                let order = if bouts { CycleOrder::Bouts } else { CycleOrder::Cycles };
                Format::RoundRobin { cycles, order }
            }
            FormatSettings::Gauntlet { seeds, games } => Format::Gauntlet { seeds, games },
            FormatSettings::Pairs { pairs } => Format::Pairs { pairs },
            FormatSettings::Swiss { rounds, games } => Format::Swiss(Swiss { rounds, games }),
            FormatSettings::Knockout { games, extra, held } => {
                let level = if held { Level::Held } else { Level::HigherSeed };
                Format::Knockout(Knockout { games, extra, level })
            }
            FormatSettings::Boards { games } => Format::Boards { games },
            FormatSettings::Championship {
                ref part,
                first_stage,
                ref groups,
                qualify,
                carry_over,
                bouts,
                guard,
                seed,
            } => {
                let order = if bouts { CycleOrder::Bouts } else { CycleOrder::Cycles };
                let groups = groups.clone();
                let event =
                    Championship { first_stage, groups, qualify, carry_over, order, guard, seed };
                let known = Part::ALL.into_iter().find(|one| part_word(*one) == part);
                Format::Championship(Arc::new(event), known.unwrap_or(Part::Groups))
            }
        }
    }

    /// The settings of a format.
    pub fn of(format: &Format) -> FormatSettings {
        match *format {
            Format::RoundRobin { cycles, order } => {
                FormatSettings::RoundRobin { cycles, bouts: order == CycleOrder::Bouts }
            }
            Format::Gauntlet { seeds, games } => FormatSettings::Gauntlet { seeds, games },
            Format::Pairs { pairs } => FormatSettings::Pairs { pairs },
            Format::Swiss(Swiss { rounds, games }) => FormatSettings::Swiss { rounds, games },
            Format::Knockout(Knockout { games, extra, level }) => {
                FormatSettings::Knockout { games, extra, held: level == Level::Held }
            }
            Format::Boards { games } => FormatSettings::Boards { games },
            Format::Championship(ref event, part) => FormatSettings::Championship {
                part: part_word(part).to_owned(),
                first_stage: event.first_stage,
                groups: event.groups.clone(),
                qualify: event.qualify,
                carry_over: event.carry_over,
                bouts: event.order == CycleOrder::Bouts,
                guard: event.guard,
                seed: event.seed,
            },
        }
    }
}

/// The word of a part in the journal.
const fn part_word(part: Part) -> &'static str {
    match part {
        Part::Groups => "groups",
        Part::Qualifying => "qualifying",
        Part::Final => "final",
        Part::Places => "places",
    }
}

impl Settings {
    /// How many games the run has, where that is known beforehand for all stages.
    pub fn games(&self) -> Option<u64> {
        self.stages.iter().map(|stage| stage.games).sum()
    }

    /// The settings of a plan.
    pub fn of(plan: &Plan) -> Settings {
        Settings {
            event: plan.event.clone(),
            site: plan.site.clone(),
            seed: plan.seed,
            entrants: plan.entrants.iter().map(entrant).collect(),
            stages: plan.stages.iter().map(|one| stage(one, plan.entrants.len())).collect(),
            rules: rules(&plan.rules),
            openings: plan.openings.len(),
            points: plan.points.name().to_owned(),
            tie_break: plan.tie_break.0.iter().map(|one| criterion_word(*one).to_owned()).collect(),
            conduct: conduct(&plan.conduct),
        }
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
    let Manifest { command, args, protocol, options, init, reuse, .. } = &*entrant.engine;
    EntrantSettings {
        name: entrant.name.clone(),
        name_zh: entrant.name_zh.clone(),
        command: std::iter::once(command).chain(args).cloned().collect(),
        protocol: protocol.name().to_owned(),
        options: options.clone(),
        init: init.clone(),
        time: entrant.time.as_ref().map(time),
        reuse: *reuse,
    }
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
        reuse: conduct.reuse,
        warn: conduct.warn,
        warn_uci: conduct.warn_uci,
        draw_offers: conduct.draw_offers,
        time_scale: conduct.time_scale,
        max_faults: conduct.max_faults,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::fixture;

    #[test]
    fn formats_come_back() {
        let order = CycleOrder::Cycles;
        for format in [
            Format::RoundRobin { cycles: 4, order },
            Format::Gauntlet { seeds: 2, games: 6 },
            Format::Pairs { pairs: 9 },
            Format::Swiss(Swiss { rounds: 5, games: 2 }),
            Format::Knockout(Knockout { games: 2, extra: 3, level: Level::HigherSeed }),
            Format::Boards { games: 2 },
            Format::Championship(
                Arc::new(Championship {
                    first_stage: 1,
                    groups: vec![vec![1, 0], vec![3, 2]],
                    qualify: 1,
                    carry_over: true,
                    order,
                    guard: 10,
                    seed: 7,
                }),
                Part::Final,
            ),
        ] {
            let mut plan = fixture::plan(Points::TwoOneZero);
            plan.stages[0].format = format.clone();
            assert_eq!(stage(&plan.stages[0], 4).format.format(), format);
        }
    }
}
