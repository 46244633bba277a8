//! What a form of competition looks like in a config. Nothing is judged here. Start at [`FormatForm`].

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Length, TimeForm};

/// A form of competition: its name, or its settings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FormatForm {
    /// With its usual settings.
    Name(FormatName),
    /// With its own settings.
    Settings(FormatFields),
}

/// The name of a form of competition.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FormatName {
    /// Everybody meets everybody twice.
    RoundRobin,
    /// The first entrant meets each other one twice.
    Gauntlet,
    /// Two entrants, one pair of games.
    Pairs,
    /// Equal points meet, nobody twice.
    Swiss,
    /// The loser of two games is out.
    Knockout,
    /// Entrants meet by twos in their order, two games a board.
    Boards,
    /// The first entrant, a master, at a board of each other one at the same time.
    Exhibition,
}

/// A form of competition and its settings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FormatFields {
    /// Everybody meets everybody, by Berger's tables.
    RoundRobin {
        /// How often each two meet. 2 if not given.
        #[schemars(range(min = 1, max = 200))]
        cycles: Option<u32>,
        /// Whether the games of two entrants are played back to back or one cycle after the other. `bouts` if not given.
        order: Option<CycleOrderForm>,
    },
    /// The first entrants meet all others, not each other.
    Gauntlet {
        /// How many entrants, from the first, are challengers. 1 if not given.
        #[schemars(range(min = 1, max = 999))]
        seeds: Option<usize>,
        /// Games of each two, colours in turn. 2 if not given.
        #[schemars(range(min = 1, max = 1_000_000))]
        games: Option<u32>,
    },
    /// Two entrants, pairs of games with the same opening and colours exchanged.
    Pairs {
        /// How many pairs of games. 1 if not given.
        #[schemars(range(min = 1, max = 10_000_000))]
        pairs: Option<u32>,
    },
    /// Equal points meet, nobody twice, colours balanced.
    Swiss {
        /// How many rounds. As many as a knockout would have if not given.
        #[schemars(range(min = 1, max = 999))]
        rounds: Option<u32>,
        /// Games of two entrants in a round, colours in turn. 2 if not given.
        #[schemars(range(min = 1, max = 100))]
        games: Option<u8>,
    },
    /// Two entrants meet, the loser is out; drawn up by the order of entrants.
    Knockout {
        /// Games of two entrants, colours in turn. 2 if not given.
        #[schemars(range(min = 1, max = 100))]
        games: Option<u8>,
        /// Most extra pairs of games after level ones. 10 if not given.
        #[schemars(range(min = 0, max = 100))]
        extra: Option<u8>,
        /// What happens when those are level too. `held` if not given.
        level: Option<LevelForm>,
    },
    /// Entrants meet by twos in their order, a board each; level stays level.
    Boards {
        /// Games of each two, colours in turn. 2 if not given.
        #[schemars(range(min = 1, max = 100))]
        games: Option<u8>,
    },
    /// The first entrant, a master, at a board of each other one at the same time, one game each. The time of
    /// the teams is the stage's; the master has a `time` of his own.
    Exhibition {
        /// The master's colour on all boards. `red` if not given, as in 2006.
        colour: Option<SideForm>,
        /// Time of all boards together; what is not decided then is drawn. `2h` if not given.
        session: Option<Length>,
        /// What the master does at a board whose team still thinks. `wait` if not given.
        visit: Option<VisitForm>,
        /// What it means that a team overruns its time for a move. `pass` if not given.
        overrun: Option<OverrunForm>,
        /// The so many-th overrun of a team on end waits for the chief referee instead; 0 is never. 5 if not given.
        #[schemars(range(min = 0, max = 1000))]
        max_overruns: Option<u32>,
        /// Whether the master's engine is told of a new game whenever it comes to another board. True if not given.
        isolate: Option<bool>,
        /// Whether the other members of a team are asked first, and what they say is noted; the one on turn has
        /// the last word and they all share the time. False if not given.
        advice: Option<bool>,
    },
    /// Groups by lot, a final of their best, rapid bouts among equals. Cannot be one of several stages.
    Championship {
        /// How many groups are drawn.
        #[schemars(required, range(min = 1, max = 500))]
        groups: Option<usize>,
        /// How many of each group come into the final.
        #[schemars(required, range(min = 1, max = 500))]
        qualify_per_group: Option<usize>,
        /// Whether finalists of one group do not meet again and their bout counts in the final. False if not given.
        carry_over: Option<bool>,
        /// Whether the games of a bout are played back to back or one cycle after the other. `bouts` if not given.
        order: Option<CycleOrderForm>,
        /// Time control of rapid games among equals. `15m` if not given.
        play_off_time: Option<TimeForm>,
        /// Most bouts of one play-off; after that the chief referee decides. 10 if not given.
        #[schemars(range(min = 1, max = 100))]
        max_bouts: Option<u8>,
        /// The commitment to the seed that was published before entries closed (`chuhe lots SEED` prints it);
        /// another seed is refused then.
        #[schemars(length(min = 64, max = 64))]
        commitment: Option<String>,
    },
}

/// What becomes of a knockout's bout that no game decided.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LevelForm {
    /// It waits for the chief referee.
    Held,
    /// The earlier entrant goes on.
    HigherSeed,
}

/// The order of a round robin with several cycles.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CycleOrderForm {
    /// Back to back, colours exchanged.
    Bouts,
    /// One cycle after the other.
    Cycles,
}

/// A colour.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SideForm {
    /// Red, who moves first.
    Red,
    /// Black.
    Black,
}

/// What the master does at a board whose team still thinks.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VisitForm {
    /// He waits: strictly one board after the other.
    Wait,
    /// He goes on to the next board.
    Skip,
    /// He stays at a board until its game is over.
    Stay,
}

/// What it means that a team overruns its time for a move.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OverrunForm {
    /// The turn is lost and the master moves again; in check the game is lost.
    Pass,
    /// The member on turn is barred, the next one moves.
    NextSeat,
    /// No move at this visit of the master; at the next one the time runs anew.
    Wait,
    /// The game is lost.
    Loses,
}
