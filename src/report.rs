//! Floor 5: documents drawn from a run: cross tables, summaries, rulings, games as PGN, lines for the
//! terminal. Pure functions of a `Run` (PGN: of a game's event): drawn again from the journal they are
//! the same byte for byte. Never opens files, never sees a live object. Start at [`DOCUMENTS`].

pub mod audit;
mod crosstable;
mod csv;
mod diagram;
mod diagram_svg;
pub mod dropin;
mod event;
pub mod explanation;
mod game_html;
pub mod gate;
mod header;
mod html;
mod lang;
mod lines;
pub mod live;
mod page;
pub mod pgn;
pub mod progress;
pub mod reasons;
mod rulings;
mod sheet;
mod summary;
pub mod testing;

pub use diagram_svg::Diagram;
pub use game_html::game_page;
pub use header::{Fact, facts};
pub use html::disturbs;
pub use lang::Lang;
pub use lines::{Align, Table, cut, pad, width};

use crate::record::Run;

/// What can be chosen for documents that do not name it themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// The language of documents whose file name does not name one.
    pub lang: Lang,
}

/// A document of a run.
#[derive(Debug, Clone, Copy)]
pub struct Document {
    /// Its file name in the run's folder.
    pub file: &'static str,
    /// Draws it.
    pub render: fn(&Run, &Style) -> String,
    /// Whether it is worth drawing while the run goes on: those that grow with every game are not.
    pub live: bool,
}

const fn live(file: &'static str, render: fn(&Run, &Style) -> String) -> Document {
    Document { file, render, live: true }
}

const fn at_the_end(file: &'static str, render: fn(&Run, &Style) -> String) -> Document {
    Document { file, render, live: false }
}

/// All documents.
pub static DOCUMENTS: &[Document] = &[
    live("crosstable.txt", crosstable::english),
    live("crosstable.zh.txt", crosstable::chinese),
    live("crosstable.md", crosstable::markdown),
    live("crosstable.csv", csv::standings),
    live("crosstable.html", html::page),
    at_the_end("games.csv", csv::games),
    at_the_end("rulings.txt", rulings::text),
    at_the_end("rulings.html", rulings::english),
    at_the_end("rulings.zh.html", rulings::chinese),
    at_the_end("rulings.json", rulings::json),
    live("summary.json", summary::json),
    live("summary.md", summary::markdown),
];

/// JSON for people's eyes too, with a newline at its end.
fn pretty(value: &serde_json::Value) -> String {
    // A JSON value can always be written.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
