//! What holds the articles that several regulations share, each once. Names no article's text. Start at
//! [`CLOCK`].

use super::Hold;

/// Every team has an operator (I.2, III.2, IV.2).
pub const OPERATOR: &[Hold] = &[
    Hold::Setting("entrants.registration"),
    Hold::Machine("src/config/regulation.rs"),
    Hold::Person("keeps the fees", "组委会收费"),
];

/// Two points for a win, one for a draw (I.6, III.6, IV.7).
pub const POINTS: &[Hold] = &[Hold::Setting("points"), Hold::Machine("src/tournament/points.rs")];

/// A time for the whole game, and more loses (I.7, III.5, IV.6).
pub const CLOCK: &[Hold] = &[
    Hold::Setting("time"),
    Hold::Machine("src/game/clock.rs"),
    Hold::Setting("margin"),
    Hold::Setting("crash"),
];

/// The Asian rules (I.9, II.6, III.7, IV.8).
pub const BOOK: &[Hold] =
    &[Hold::Setting("rules.book"), Hold::Machine("src/law/levels.rs"), Hold::Record("rulings.txt")];

/// Programs stay as they are (I.10, III.8, IV.9).
pub const LOCK: &[Hold] =
    &[Hold::Setting("lock"), Hold::Machine("src/runner/lock.rs"), Hold::Record("locked")];

/// A mistake is corrected with the chief referee's consent (I.12, III.9, IV.10).
pub const CORRECTION: &[Hold] = &[
    Hold::Machine("src/runner/decide.rs"),
    Hold::Machine("src/record/run/decisions.rs"),
    Hold::Record("decided: corrected, reopened"),
    Hold::Person("consents: `chuhe correct`", "裁判长同意"),
];

/// Records are kept and handed in (I.13, III.10, IV.11).
pub const RECORDS: &[Hold] = &[
    Hold::Setting("journal"),
    Hold::Record("games.pgn, transcripts, event-manifest.json"),
    Hold::Machine("src/runner/verify.rs"),
];

/// The chief referee's word ends every dispute (I.14, III.11, IV.12).
pub const LAST_WORD: &[Hold] = &[
    Hold::Machine("src/record/decision.rs"),
    Hold::Record("decided"),
    Hold::Person("rules: `chuhe rule`, `annul`, `replay`, `withdraw`, `release`", "裁判长裁定"),
];

/// Programs are the entrants' own work (III.1, IV.1).
pub const OWN_WORK: &[Hold] = &[
    Hold::Setting("entrants.registration"),
    Hold::Machine("src/config/regulation.rs"),
    Hold::Person("judges authorship", "裁判长认定"),
];
