//! The chief referee's decisions (I.12, I.14, II.7, III.9, III.11, IV.10, IV.12) as events: who, when, why,
//! the old value and the new. The automatic verdict stays in the journal beside them. Data only.
//! Start at [`Decision`].

use serde::{Deserialize, Serialize};

use super::event::{GameBegan, Moved};
use crate::tournament::GameId;

/// A decision of the chief referee.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Its number in the run, from 1.
    pub number: u32,
    /// Local date and time, RFC 3339.
    pub date: String,
    /// Who decided.
    pub person: String,
    /// The article it rests on, as `I.14`.
    pub article: String,
    /// Why, in the person's words.
    pub reason: String,
    /// The request for a correction that it grants (I.12), by its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u32>,
    /// What is decided.
    #[serde(flatten)]
    pub ordered: Ordered,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Ordered {
    /// A game's result.
    Result {
        /// Which game, with its attempt.
        game: GameId,
        /// The result until now: `1-0`, `0-1`, `1/2-1/2`; absent while it was held.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
        /// The result from now on.
        new: String,
    },
    /// A game counts for nothing and is not played again.
    Annulled {
        /// Which game, with its attempt.
        game: GameId,
        /// The result until now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
    },
    /// A game counts for nothing and is played again.
    Replay {
        /// Which game, with its attempt.
        game: GameId,
        /// The result until now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
        /// The attempt that is to be played.
        new: GameId,
    },
    /// A game in progress goes back to the end of a half-move.
    Corrected {
        /// Which game.
        game: GameId,
        /// The last half-move that stands, from 1, opening moves counted.
        to_move: u32,
        /// The half-moves struck out, zero style, blanks between.
        struck: String,
        /// Time on both clocks from now on, µs, Red first.
        clocks_us: [u64; 2],
    },
    /// A finished game goes on from the end of a half-move, as a new attempt; the old one counts for nothing.
    Reopened {
        /// Which game, with its attempt.
        game: GameId,
        /// The result until now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
        /// The attempt that goes on.
        new: GameId,
        /// The last half-move that stands, from 1, opening moves counted.
        to_move: u32,
        /// The half-moves struck out, zero style, blanks between.
        struck: String,
        /// Time on both clocks from now on, µs, Red first.
        clocks_us: [u64; 2],
        /// How the new attempt begins.
        began: Box<GameBegan>,
        /// Its moves that stand, opening moves left out, as they were made.
        made: Vec<Moved>,
    },
    /// An entrant plays no more.
    Withdrawn {
        /// Its name.
        entrant: String,
        /// The stage in which it withdrew.
        stage: u8,
        /// Whether its results of that stage are cancelled; else its games to come are forfeited.
        cancelled: bool,
    },
    /// The order of equals that no game separated.
    Placed {
        /// Their names, best first.
        order: Vec<String>,
    },
    /// An entrant whose files have changed may go on with them as they are now.
    Admitted {
        /// Its name.
        entrant: String,
    },
}
