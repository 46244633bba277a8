//! Floor 3: who plays whom, who stands where and why. Pure functions of results; never knows of
//! games in progress. Start at [`Format`].

mod arrangement;
mod boards;
mod championship;
mod chance;
mod colours;
mod counts;
mod elo;
mod exhibition;
mod format;
mod gauntlet;
mod id;
mod knockout;
pub mod lots;
mod matching;
mod opening;
mod pairs;
mod points;
mod ratings;
mod round_robin;
mod sprt;
mod standings;
mod stop;
mod swiss;
mod tiebreak;

pub use championship::{Championship, GAMES_OF_A_BOUT, GroupTable, Known, MAX_GUARD, Part, Void, Withdrawal};
pub use chance::Chance;
pub use colours::Colours;
pub use counts::{Pentanomial, Sample, Wdl};
pub use elo::{Estimate, NELO_UNIT, Z_95, elo_of_score, normal_cdf, score_of_elo};
pub use exhibition::{Exhibition, MASTER, Visit};
pub use format::{
    CycleOrder, Format, FormatError, GameResult, MAX_BOARDS, MAX_BOUT, MAX_CYCLES, MAX_ENTRANTS, MAX_GAMES,
    Next, Pairing,
};
pub use id::{GameId, GameIdError};
pub use knockout::{Knockout, Level};
pub use opening::{Opening, OpeningBook, OpeningOrder};
pub use points::Points;
pub use ratings::{MAX_RATED, Rating, Ratings, ratings};
pub use sprt::{MAX_ELO_BOUND, Model, Sprt, SprtError, SprtState};
pub use standings::{CrossTable, Line, Mark, Scoresheet, Standings, standings};
pub use stop::{ScoreGoal, SprtTrial, Verdict, certain, contiguous_pairs, sprt_verdict};
pub use swiss::Swiss;
pub use tiebreak::{Criterion, Decided, PlayOff, TieBreak};
