//! What a coordinator and its workers tell each other, as bytes: announcements, slips (a pair to be played),
//! bags (its games), notices and cards. Versioned, limited in size, checked when read; never a path and never a
//! command line. Pure. Start at [`write()`] and [`read`].

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{GameOver, Noted};
use crate::tournament::GameId;

/// Number of the message formats; raised when older programs would err.
pub const FORMAT: u32 = 1;

/// Longest name of a publisher, a run or a worker.
const MAX_NAME: usize = 40;

/// A message: how long it may be, and which format it says it has.
pub trait Message: Serialize + DeserializeOwned {
    /// What it is, for errors.
    const WHAT: &'static str;
    /// Most bytes. NATS takes messages of 1 MiB unless it is told otherwise.
    const MOST: usize;
}

/// A run that wants workers: all they must know but openings and engines' files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// [`FORMAT`].
    pub format: u32,
    /// Program and version of the coordinator: a worker must be the same.
    pub program: String,
    /// The config without openings, test and everything that is of one machine.
    pub config: Value,
    /// What the entrants' engines are made of, in their order.
    pub engines: Vec<EngineSpec>,
    /// Without a sign of life for so long a pair is given to somebody else.
    pub lease_ms: u64,
    /// Nodes a second to which workers scale their clocks, if they are to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<u64>,
}

impl Message for Announcement {
    const WHAT: &'static str = "announcement";
    const MOST: usize = 900_000;
}

/// What an engine is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSpec {
    /// SHA-256 over all of it, lower-case hex; `built-in` for the built-in engine.
    pub id: String,
    /// The program; absent for the built-in engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Piece>,
    /// Its data files, in the order of the manifest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Piece>,
    /// Whether program and files are in the object store. Engines with arguments, variables or a working
    /// directory never are: those would come from the network.
    pub stored: bool,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// SHA-256 of its bytes, lower-case hex.
    pub sha256: String,
    /// How many bytes it has.
    pub size: u64,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Pairs are to be played.
    Running,
    /// No pair is to be begun for now.
    Paused,
    /// Nothing more is needed.
    Stopped,
    /// Somebody stopped it; the coordinator may go on with it later.
    Cancelled,
}

/// How a run stands, changed by compare-and-set only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// [`FORMAT`].
    pub format: u32,
    /// How far it is.
    pub state: State,
    /// Why, in a word: `complete`, `sprt_h1`.
    pub reason: String,
    /// Workers that get no more pairs of it.
    pub aside: Vec<String>,
    /// Games that are counted.
    pub decided: u64,
    /// Games there are in all, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Pairs that are out.
    pub out: u64,
    /// Pairs that were handed out more than once.
    pub redelivered: u64,
    /// Pairs that are no longer given out.
    pub dead: u64,
    /// Games a minute over the last minutes.
    pub pace: f64,
}

impl Message for Notice {
    const WHAT: &'static str = "notice";
    const MOST: usize = 256 << 10;
}

/// A pair to be played, or one game where the format has no pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slip {
    /// [`FORMAT`].
    pub format: u32,
    /// Its games, one or two, in order.
    pub games: Vec<Seated>,
    /// Where they begin; absent for the usual start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<OpeningText>,
}

impl Message for Slip {
    const WHAT: &'static str = "slip";
    const MOST: usize = 64 << 10;
}

/// Who sits where in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seated {
    /// Which game.
    pub game: GameId,
    /// Index of the entrant that is Red.
    pub red: usize,
    /// Index of the entrant that is Black.
    pub black: usize,
}

/// An opening as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningText {
    /// Where it starts.
    pub fen: String,
    /// Its moves in the zero style, blanks between.
    pub moves: String,
    /// Its name.
    pub name: String,
}

/// The games of a pair, played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bag {
    /// [`FORMAT`].
    pub format: u32,
    /// Program and version of the worker.
    pub program: String,
    /// Its name.
    pub worker: String,
    /// The ids of the engines it played with, in the order of the entrants.
    pub engines: Vec<String>,
    /// The games, in order.
    pub games: Vec<GameOver>,
    /// What was noted during them.
    pub notes: Vec<Noted>,
    /// Nodes a second of the first entrant's engine, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<u64>,
    /// Factor on the clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// How often the pair had been handed out.
    pub deliveries: u64,
    /// How long the games took, in microseconds.
    pub played_us: u64,
    /// How long the place was empty before, in microseconds.
    pub waited_us: u64,
}

impl Message for Bag {
    const WHAT: &'static str = "bag";
    const MOST: usize = 1_000_000;
}

/// Who is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// [`FORMAT`].
    pub format: u32,
    /// Program and version.
    pub program: String,
    /// Pairs it plays at once.
    pub slots: u32,
    /// Pairs it plays now.
    pub busy: u32,
    /// Hardware threads of its machine.
    pub threads: u32,
    /// Its processor.
    pub cpu: String,
    /// Runs it plays for, as `publisher.name`, with the speed it measured there.
    pub joined: Vec<(String, Option<u64>)>,
    /// Runs it does not play for, and why.
    pub refused: Vec<(String, String)>,
}

impl Message for Card {
    const WHAT: &'static str = "card";
    const MOST: usize = 64 << 10;
}

/// The bytes of a message.
///
/// # Errors
/// In words: it is longer than it may be.
pub fn write<M: Message>(message: &M) -> Result<Vec<u8>, String> {
    let bytes = serde_json::to_vec(message).map_err(|error| error.to_string())?;
    if bytes.len() > M::MOST {
        return Err(format!("the {} has {} bytes; at most {} are sent", M::WHAT, bytes.len(), M::MOST));
    }
    Ok(bytes)
}

/// The message that these bytes are.
///
/// # Errors
/// In words, why they are none.
pub fn read<M: Message>(bytes: &[u8]) -> Result<M, String> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    if bytes.len() > M::MOST {
        return Err(format!("a {} of {} bytes; at most {} are read", M::WHAT, bytes.len(), M::MOST));
    }
    let fail = |error: serde_json::Error| format!("not a {}: {error}", M::WHAT);
    let Format { format } = serde_json::from_slice(bytes).map_err(fail)?;
    if format != FORMAT {
        return Err(format!("a {} of format {format}; this version reads format {FORMAT}", M::WHAT));
    }
    serde_json::from_slice(bytes).map_err(fail)
}

/// Whether a text can be the name of a publisher, a run or a worker: letters, digits, `-` and `_`, so that it
/// can stand in a subject.
pub fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The last word of a pair's subjects: its first game and how often it was given out.
pub fn token(unit: GameId, issue: u8) -> String {
    let GameId { stage, round, pair, leg, attempt } = unit;
    format!("{stage}-{round}-{pair}-{leg}-{attempt}-{issue}")
}

/// Reads a [`token`] back.
pub fn read_token(text: &str) -> Option<(GameId, u8)> {
    let numbers: Vec<u32> = text.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [stage, round, pair, leg, attempt, issue] = numbers[..] else { return None };
    let small = |number: u32| u8::try_from(number).ok().filter(|number| *number > 0);
    let id = GameId { stage: small(stage)?, round, pair, leg: small(leg)?, attempt: small(attempt)? };
    let id = (id.round > 0 && id.pair > 0).then_some(id)?;
    let issue = small(issue)?;
    (token(id, issue) == text).then_some((id, issue))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slip() -> Slip {
        let game = "1.3.1.1".parse().unwrap();
        Slip { format: FORMAT, games: vec![Seated { game, red: 0, black: 1 }], opening: None }
    }

    fn check(text: &str, complaint: &str) {
        let error = read::<Slip>(text.as_bytes()).unwrap_err();
        assert!(error.contains(complaint), "{error}");
    }

    #[test]
    fn messages_read_back_and_others_are_refused() {
        let bytes = write(&slip()).unwrap();
        assert_eq!(read::<Slip>(&bytes), Ok(slip()));
        check("", "not a slip");
        check("[]", "not a slip");
        check("{\"format\":2}", "format 2; this version reads format 1");
        check("{\"format\":1}", "missing field");
        check("{\"format\":1,\"games\":[],\"command\":\"/bin/sh\"}", "unknown field");
        check(&" ".repeat(Slip::MOST + 1), "at most");
        let opening = OpeningText { fen: String::new(), moves: "x".repeat(Slip::MOST), name: String::new() };
        assert!(write(&Slip { opening: Some(opening), ..slip() }).is_err());
    }

    #[test]
    fn tokens_and_names() {
        let id: GameId = "1.20.3.1+2".parse().unwrap();
        assert_eq!(token(id, 4), "1-20-3-1-2-4");
        assert_eq!(read_token("1-20-3-1-2-4"), Some((id, 4)));
        for wrong in
            ["", "1-1-1-1-1", "1-1-1-1-1-0", "0-1-1-1-1-1", "1-01-1-1-1-1", "1-1-1-1-1-256", "a-1-1-1-1-1"]
        {
            assert_eq!(read_token(wrong), None, "{wrong}");
        }
        for name in ["a", "Chuhe-1_b"] {
            assert!(is_name(name));
        }
        for wrong in ["", "a.b", "*", ">", "a b", "河", &"a".repeat(41)] {
            assert!(!is_name(wrong), "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (read::<Slip>(&bytes), read::<Bag>(&bytes), read::<Announcement>(&bytes), read::<Card>(&bytes));
            let _ = read_token(&String::from_utf8_lossy(&bytes));
        }
    }
}
