//! Floor 5: documents drawn from a run: cross tables, summaries, rulings, games as PGN, lines for the
//! terminal. Pure functions of a `Run` (PGN: of a game's event): drawn again from the journal they are
//! the same byte for byte. Never opens files, never sees a live object. Start at [`DOCUMENTS`].

mod album;
pub mod audit;
mod chart;
mod crosstable;
mod csv;
mod diagram;
mod diagram_svg;
mod dossier;
pub mod dropin;
mod event;
mod exhibition;
pub mod explanation;
mod fleet;
mod game_html;
pub mod gate;
mod header;
mod html;
mod lang;
mod lines;
pub mod live;
pub mod notes;
mod page;
pub mod pgn;
mod plots;
pub mod progress;
pub mod reasons;
mod rulings;
mod sheet;
mod summary;
pub mod testing;
mod viewer;

pub use album::Album;
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
    /// What draws it.
    render: Render,
    /// Whether it is worth drawing while the run goes on: those that grow with every game are not.
    pub live: bool,
}

/// What a document is drawn from.
#[derive(Debug, Clone, Copy)]
enum Render {
    /// From the run alone.
    Run(fn(&Run, &Style) -> String),
    /// From the run and what its album keeps of the games.
    Album(fn(&Run, &Album, &Style) -> String),
}

impl Document {
    /// Draws it. Documents that are live need no album: an empty one does.
    pub fn draw(&self, run: &Run, album: &Album, style: &Style) -> String {
        match self.render {
            Render::Run(render) => render(run, style),
            Render::Album(render) => render(run, album, style),
        }
    }
}

const fn live(file: &'static str, render: fn(&Run, &Style) -> String) -> Document {
    Document { file, render: Render::Run(render), live: true }
}

const fn at_the_end(file: &'static str, render: fn(&Run, &Style) -> String) -> Document {
    Document { file, render: Render::Run(render), live: false }
}

const fn with_games(file: &'static str, render: fn(&Run, &Album, &Style) -> String) -> Document {
    Document { file, render: Render::Album(render), live: false }
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
    with_games("report.html", dossier::english),
    with_games("report.zh.html", dossier::chinese),
    with_games("plot-score.svg", plots::score_file),
    with_games("plot-elo.svg", plots::elo_file),
    with_games("plot-sprt.svg", plots::sprt_file),
    with_games("plot-clocks.svg", plots::clocks_file),
    with_games("plot-lengths.svg", plots::lengths_file),
    with_games("plot-endings.svg", plots::endings_file),
];

/// JSON for people's eyes too, with a newline at its end.
fn pretty(value: &serde_json::Value) -> String {
    // A JSON value can always be written.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
