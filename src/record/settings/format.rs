//! A format of the plan as the journal's head holds it, and back. Data only. Start at [`FormatSettings`].

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::OverrunRule;
use crate::time::as_micros;
use crate::tournament::{Championship, CycleOrder, Exhibition, Format, Knockout, Level, Part, Swiss, Visit};
use crate::xiangqi::Side;

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
    /// One master at a board of each team.
    Exhibition {
        /// The master's colour: `red` or `black`.
        colour: String,
        /// Time of all boards together, µs; scaled already.
        #[serde(with = "as_micros")]
        session: Duration,
        /// `wait`, `skip` or `stay`.
        visit: String,
        /// `pass`, `next-seat`, `wait` or `loses`.
        overrun: String,
        /// The so many-th overrun on end is held; 0 is never.
        most_overruns: u32,
        /// Whether the master's engine is told of a new game at each board.
        isolate: bool,
        /// Whether members of teams advise the one on turn.
        advice: bool,
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
            FormatSettings::Exhibition {
                ref colour,
                session,
                ref visit,
                ref overrun,
                most_overruns,
                isolate,
                advice,
            } => Format::Exhibition(Exhibition {
                colour: if colour == Side::Black.word() { Side::Black } else { Side::Red },
                session,
                visit: Visit::from_name(visit).unwrap_or_default(),
                overrun: OverrunRule::from_name(overrun).unwrap_or_default(),
                most_overruns,
                isolate,
                advice,
            }),
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
                let event = Championship { first_stage, groups, qualify, carry_over, order, guard, seed };
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
            Format::Exhibition(exhibition) => FormatSettings::Exhibition {
                colour: exhibition.colour.word().to_owned(),
                session: exhibition.session,
                visit: exhibition.visit.name().to_owned(),
                overrun: exhibition.overrun.name().to_owned(),
                most_overruns: exhibition.most_overruns,
                isolate: exhibition.isolate,
                advice: exhibition.advice,
            },
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

#[cfg(test)]
mod tests {
    use super::*;

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
            Format::Exhibition(Exhibition {
                colour: Side::Black,
                session: Duration::from_millis(7_200_500),
                visit: Visit::Stay,
                overrun: OverrunRule::NextSeat,
                most_overruns: 7,
                isolate: true,
                advice: true,
            }),
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
            assert_eq!(FormatSettings::of(&format).format(), format);
        }
    }
}
