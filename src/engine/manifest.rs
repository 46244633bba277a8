//! How an engine is started and what it speaks: facts that a manifest file gives and that are never
//! guessed while a game runs. Data only. Start at [`Manifest`].

use std::collections::BTreeMap;

use crate::xiangqi::SquareStyle;

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// UCI for xiangqi (`engines.md` 4).
    Uci,
    /// UCCI 3.0 (`engines.md` 3).
    Ucci,
    /// CECP, XBoard protocol 2 (`engines.md` 5).
    Cecp,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Protocol; 3] = [Protocol::Uci, Protocol::Ucci, Protocol::Cecp];

    /// The name used in configs and records.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Ucci => "ucci",
            Protocol::Cecp => "cecp",
        }
    }

    /// Whether a search can be limited by nodes; CECP has no word for it.
    pub const fn limits_nodes(self) -> bool {
        match self {
            Protocol::Uci | Protocol::Ucci => true,
            Protocol::Cecp => false,
        }
    }
}

/// The unit in which a UCCI engine counts its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TimeUnit {
    /// The document's rule: milliseconds if `usemillisec` is listed, else seconds (UCCI); always
    /// milliseconds in UCI.
    #[default]
    ByProtocol,
    /// Milliseconds whatever is listed (Fairy-Stockfish 11.1 in UCCI).
    Milliseconds,
    /// Whole seconds, rounded down, never below 1.
    Seconds,
}

/// The letters an engine wants for elephant and horse in a FEN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FenLetters {
    /// `B` and `N`: nearly all.
    #[default]
    Bn,
    /// `E` and `H`: Sjaak II, HoiXiangqi, XBoard's engines.
    Eh,
}

/// How many FEN fields an engine wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FenFields {
    /// All six (`BOARD w - - 0 1`).
    #[default]
    Six,
    /// Four (`BOARD w 0 1`), HoiXiangqi.
    Four,
    /// Two (`BOARD w`).
    Two,
}

/// Who sits at a seat whose moves come over the runner's own server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Far {
    /// A person at a page or in a terminal.
    Person,
    /// An engine on its team's own machine (I.3).
    Remote,
}

impl Far {
    /// The commands of both in manifests.
    pub const ALL: [Far; 2] = [Far::Person, Far::Remote];

    /// Its command in a manifest.
    pub const fn command(self) -> &'static str {
        match self {
            Far::Person => "@person",
            Far::Remote => "@remote",
        }
    }
}

/// Everything that is known of an engine before it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The program: an absolute path, a path relative to the file that names it (resolved by the
    /// config), a bare name to be found on PATH, or `@self` for the built-in engine. `@person` and
    /// `@remote` are seats whose moves come over the runner's own server (see [`Far`]).
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; the runner's own if absent.
    pub dir: Option<String>,
    /// Environment variables to set.
    pub env: BTreeMap<String, String>,
    /// What it speaks.
    pub protocol: Protocol,
    /// How it counts ranks.
    pub squares: SquareStyle,
    /// The unit of its clock.
    pub time_unit: TimeUnit,
    /// Its letters for elephant and horse.
    pub letters: FenLetters,
    /// Its FEN fields.
    pub fen_fields: FenFields,
    /// Options to set, in order; only those the engine lists are sent (names compared without case).
    pub options: Vec<(String, String)>,
    /// Lines sent as they are after the greeting, before the options.
    pub init: Vec<String>,
    /// Lines sent as they are before each game, before the protocol's own words for it
    /// (`uccinewgame` for Fairy-Stockfish, which lists no `newgame`).
    pub new_game: Vec<String>,
    /// How long the greeting may take, in milliseconds.
    pub start_patience_ms: u64,
    /// Files it reads (nets, books): absolute paths, or relative to the file that names them (resolved by
    /// the config). Locked with the program under a regulation.
    pub files: Vec<String>,
    /// Whether the process may serve more than one game; otherwise it is started anew for each.
    pub reuse: bool,
    /// Whether `isready` is used before a game (some engines never answer it).
    pub ping: bool,
    /// Whether it thinks on the opponent's time. A setting of the run, never of a manifest file.
    pub ponder: bool,
    /// Which of its lines are kept for the journal. A setting of the run.
    pub keeps: Keeps,
}

/// Which lines of an engine are kept with each move, as it wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keeps {
    /// The last one with a score.
    pub info: bool,
    /// The last one that this regular expression matches.
    pub matching: Option<String>,
}

/// Time for an engine's greeting unless its manifest says otherwise: Node and big networks took 6 s
/// on a busy machine.
pub const START_PATIENCE_MS: u64 = 15_000;

impl Manifest {
    /// Who sits there, if that is nobody on this machine.
    pub fn far(&self) -> Option<Far> {
        Far::ALL.into_iter().find(|far| far.command() == self.command)
    }

    /// A manifest with the usual settings for a command and a protocol.
    pub fn new(command: impl Into<String>, protocol: Protocol) -> Manifest {
        Manifest {
            command: command.into(),
            args: Vec::new(),
            dir: None,
            env: BTreeMap::new(),
            protocol,
            squares: SquareStyle::Zero,
            time_unit: TimeUnit::ByProtocol,
            letters: FenLetters::Bn,
            fen_fields: FenFields::Six,
            options: Vec::new(),
            init: Vec::new(),
            new_game: Vec::new(),
            start_patience_ms: START_PATIENCE_MS,
            files: Vec::new(),
            reuse: true,
            ping: true,
            ponder: false,
            keeps: Keeps::default(),
        }
    }
}
