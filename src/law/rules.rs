//! The settings of the law: rule book, occurrences, the other draw limits (`asian-rules.md` 3 and 4).
//! Values only, no judging. Start at [`Rules`].

/// A rule book for repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Book {
    /// The Asian rules' 35 articles of 2006.
    #[default]
    Asian2006,
    /// What strong engines' teams play by: perpetual check loses, a simple chase rule beside it.
    Computer,
    /// Every repetition is a draw.
    Plain,
}

impl Book {
    /// All rule books.
    pub const ALL: [Book; 3] = [Book::Asian2006, Book::Computer, Book::Plain];

    /// The name used in configs and records.
    pub const fn name(self) -> &'static str {
        match self {
            Book::Asian2006 => "asian-2006",
            Book::Computer => "computer",
            Book::Plain => "plain",
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<Book> {
        Book::ALL.into_iter().find(|book| book.name() == name)
    }
}

/// How repetition is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Repetition {
    /// The rule book.
    pub book: Book,
    /// How often the same position must stand before it is judged (3 in general, 4 in the 2006 presets).
    pub occurrences: u32,
}

impl Default for Repetition {
    fn default() -> Self {
        Repetition { book: Book::default(), occurrences: 3 }
    }
}

/// How checks count towards the no-capture limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CheckCounting {
    /// Every ply counts.
    All,
    /// Each side's checks beyond its tenth and the answers to them are not counted.
    #[default]
    First10,
    /// No check and no answer to a check is counted.
    None,
}

impl CheckCounting {
    /// All ways.
    pub const ALL: [CheckCounting; 3] = [CheckCounting::All, CheckCounting::First10, CheckCounting::None];

    /// The name used in configs and records.
    pub const fn name(self) -> &'static str {
        match self {
            CheckCounting::All => "all",
            CheckCounting::First10 => "first10",
            CheckCounting::None => "none",
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<CheckCounting> {
        CheckCounting::ALL.into_iter().find(|way| way.name() == name)
    }
}

/// The no-capture limit ("natural limit").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NoCapture {
    /// Plies without a capture that make a draw.
    pub plies: u32,
    /// How checks count.
    pub checks: CheckCounting,
}

/// Everything the law needs to end a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Repetition.
    pub repetition: Repetition,
    /// Draw when neither side has a piece that can attack (only generals, advisors, elephants).
    pub dead_position: bool,
    /// The no-capture limit; `None` switches it off.
    pub no_capture: Option<NoCapture>,
    /// Most half-moves of a game before it is a draw; `None` switches it off.
    pub max_plies: Option<u32>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            repetition: Repetition::default(),
            dead_position: true,
            no_capture: Some(NoCapture { plies: 120, checks: CheckCounting::First10 }),
            max_plies: None,
        }
    }
}
