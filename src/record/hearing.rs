//! What is said at the referee's desk while a run is played and decides no result: pauses, announcements,
//! requests for a correction (I.12) and their refusal. What is granted is a decision that names its request.
//! Data only. Start at [`Spoken`].

use serde::{Deserialize, Serialize};

use crate::tournament::GameId;

/// Something that was said: by whom, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    /// Local date and time, RFC 3339.
    pub date: String,
    /// Who says it; of a request, who asks.
    pub person: String,
    /// The article it rests on, as `I.12`, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// Why, in the person's words.
    pub reason: String,
    /// What is said.
    #[serde(flatten)]
    pub said: Said,
}

/// What is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case")]
pub enum Said {
    /// No further game begins; those under way are played on.
    Paused,
    /// Games begin again.
    WentOn,
    /// Something for everybody.
    Announced {
        /// Its text.
        text: String,
    },
    /// A person asks that a game go back to the end of a half-move (I.12, III.9, IV.10).
    Asked {
        /// Its number in the run, from 1.
        request: u32,
        /// Which game, with its attempt.
        game: GameId,
        /// The last half-move that is to stand, from 1, opening moves counted.
        to_move: u32,
        /// Who entered it, where that was somebody else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entered_by: Option<String>,
    },
    /// A request is refused: the game stands.
    Refused {
        /// Which.
        request: u32,
        /// The game it concerned.
        game: GameId,
    },
}
