//! A run as those see it who watch it live: a fold of its events, and beside them the moves, clocks and
//! thinking lines that are in no journal yet. Gives out JSON: all of it, or what changed since the last
//! time, and the texts of the page itself. Never opens a socket and never reads a clock. Start at [`Watched`].

mod boards;
mod desk;
mod pages;
mod tables;

use serde_json::{Value, json};

pub use boards::Asked;
pub use desk::desk_state;
pub use pages::{BOARD, DESK_SCRIPT, DESK_STYLE, ICON, Page, SCRIPT, SEAT_SCRIPT, SEAT_STYLE, STYLE};

use super::rulings;
use crate::engine::Thought;
use crate::game::Termination;
use crate::record::{Event, FoldError, Kept, Moved, Ordered, Run, What};
use crate::time::{At, micros};
use crate::tournament::GameId;
use crate::xiangqi::Side;
use boards::Boards;

/// A run that is watched.
#[derive(Debug, Default)]
pub struct Watched {
    run: Run,
    boards: Boards,
    /// The tables as they were made last, and whether they are out of date.
    tables: Value,
    stale: bool,
}

impl Watched {
    /// A run as it stands.
    pub fn new(run: Run) -> Watched {
        let mut watched = Watched { run, stale: true, ..Watched::default() };
        let most = tables::concurrency(&watched.run);
        for game in watched.run.unfinished() {
            watched.boards.began(game.at, &game.began, most);
            game.moves.iter().for_each(|moved| watched.boards.moved(game.at, moved));
        }
        watched.boards.stand_still();
        watched
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Takes an event that is in the journal; `game` is what another fold of the run holds of the game that
    /// it ends.
    ///
    /// # Errors
    /// It does not fit; nothing has changed then.
    pub fn event(&mut self, event: &Event, game: Option<Kept>) -> Result<(), FoldError> {
        self.run.apply(event)?;
        game.into_iter().for_each(|kept| self.run.share(kept));
        match &event.what {
            What::GameBegan(began) => self.boards.began(event.at, began, tables::concurrency(&self.run)),
            What::Moved(moved) => {
                self.boards.moved(event.at, moved);
                return Ok(());
            }
            What::GameOver(over) => self.boards.over(event.at, over),
            What::Decided(decision) => {
                if let Ordered::Corrected { game, .. } | Ordered::Reopened { new: game, .. } =
                    &decision.ordered
                {
                    self.corrected(event.at, *game);
                }
                // A withdrawal ends games that nobody goes on with and that have no end of their own.
                if let Ordered::Withdrawn { .. } = &decision.ordered {
                    let run = &self.run;
                    self.boards.leave_all_but(event.at, |id| {
                        run.unfinished().any(|unfinished| unfinished.began.game == id)
                    });
                }
            }
            What::Interrupted { .. } | What::RunOver { .. } => self.boards.stand_still(),
            What::RunBegan(_)
            | What::CheckedIn(_)
            | What::Noted(_)
            | What::Drawn(_)
            | What::Locked(_)
            | What::Overran(_)
            | What::Advised(_)
            | What::SessionRuns { .. }
            | What::Spoken(_)
            | What::Fleet(_)
            | What::Resumed(_) => {}
        }
        self.stale = true;
        Ok(())
    }

    fn corrected(&mut self, at: At, game: GameId) {
        if let Some(game) = self.run.unfinished().find(|unfinished| unfinished.began.game == game) {
            let clocks = game.clocks.map(|(_, clocks)| clocks.map(micros));
            self.boards.corrected(at, &game.began, &game.moves, clocks);
        }
    }

    /// A move was made that the journal has with the game's end only.
    pub fn moved(&mut self, at: At, moved: &Moved) {
        self.boards.moved(at, moved);
    }

    /// A side was asked for a move.
    pub fn asked(&mut self, asked: &Asked) {
        self.boards.asked(asked);
    }

    /// An engine thinks aloud.
    pub fn thought(&mut self, game: GameId, side: Side, thought: Thought) {
        self.boards.thought(game, side, thought);
    }

    /// The runner is gone: no clock runs.
    pub fn stand_still(&mut self) {
        self.boards.stand_still();
    }

    /// Whether boards changed since the last [`Watched::change`].
    pub fn has_changed(&self) -> bool {
        self.boards.has_changed()
    }

    /// Whether the tables are out of date. Making them reads every game.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Makes the tables.
    pub fn make_tables(&mut self) {
        self.tables = tables::tables(&self.run);
        self.stale = false;
    }

    /// Everything, as JSON; the clocks stand as of `now`.
    pub fn all(&mut self, now: At) -> String {
        if self.tables.is_null() {
            self.tables = tables::tables(&self.run);
        }
        let mut boards = self.boards.all();
        self.add_ends(&mut boards);
        json!({
            "now": now,
            "event": tables::event(&self.run),
            "state": tables::state(&self.run),
            "boards": boards,
            "tables": self.tables,
        })
        .to_string()
    }

    /// What changed since the last change, as JSON; with the tables, if they were just made.
    pub fn change(&mut self, now: At, tables: bool) -> String {
        let mut boards = self.boards.changes();
        self.add_ends(&mut boards);
        let mut change = json!({ "now": now, "state": tables::state(&self.run), "boards": boards });
        if let (true, Value::Object(fields)) = (tables, &mut change) {
            fields.insert("event".to_owned(), tables::event(&self.run));
            fields.insert("tables".to_owned(), self.tables.clone());
        }
        change.to_string()
    }

    /// A finished game with all its moves, as JSON; none if it is not known or was too long ago.
    pub fn game(&self, id: GameId) -> Option<String> {
        let mut boards = Value::Array(vec![self.boards.finished(id)?]);
        self.add_ends(&mut boards);
        Some(boards[0].to_string())
    }

    /// The explanation of a repetition's ruling in both languages, as JSON.
    pub fn ruling(&self, id: GameId) -> Option<String> {
        let game = self.run.attempt(id)?;
        let Termination::Repetition(ruling) = &game.termination else { return None };
        let text = tables::both(|lang| rulings::explain(&game, ruling, lang).join("\n"));
        Some(json!({ "game": tables::ended(&game), "text": text }).to_string())
    }

    /// How finished games ended, beside their boards.
    fn add_ends(&self, boards: &mut Value) {
        for board in boards.as_array_mut().into_iter().flatten() {
            let id = board["id"].as_str().and_then(|id| id.parse().ok()).filter(|_| board["over"] == true);
            let end = id.and_then(|id| self.run.attempt(id)).map(|game| tables::ended(&game));
            if let (Some(end), Value::Object(fields)) = (end, board) {
                fields.insert("end".to_owned(), end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Points;
    use crate::record::fixture;

    fn watched() -> Watched {
        let mut watched = Watched::default();
        for event in fixture::events(Points::TwoOneZero) {
            watched.event(&event, None).unwrap();
        }
        watched
    }

    fn read(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn everything_is_told_of_a_finished_run() {
        let mut watched = watched();
        let all = read(&watched.all(At(5)));
        assert_eq!((&all["now"], &all["state"]["over"]), (&json!(5), &json!("complete")));
        assert_eq!(all["event"]["entrants"][0], json!(["Wukong", "悟空象棋"]));
        let sheet = &all["tables"]["sheets"][0];
        assert_eq!(sheet["rows"].as_array().unwrap().len(), 4);
        assert_eq!(all["tables"]["schedule"]["ended"].as_array().unwrap().len(), 12);
        let note = &all["tables"]["notes"]["list"][0]["text"];
        let [english, chinese] = ["en", "zh"].map(|lang| note[lang].as_str().unwrap());
        assert!(english.contains("not sent: ") && chinese.contains("故未发送："), "{note}");
        assert_eq!(all["tables"]["schedule"]["coming"], json!([]));
        assert_eq!(all["tables"]["rulings"].as_array().unwrap().len(), 2);
        let ruled = all["tables"]["rulings"][1]["id"].as_str().unwrap().parse().unwrap();
        let ruling = read(&watched.ruling(ruled).unwrap());
        assert!(ruling["text"]["zh"].as_str().unwrap().contains("红方"), "{ruling}");
        assert!(ruling["text"]["en"].as_str().unwrap().contains("Red"), "{ruling}");
        let game = read(&watched.game("1.1.1.1".parse().unwrap()).unwrap());
        assert_eq!(game["moves"].as_array().unwrap().len(), 8);
        assert_eq!(game["end"]["result"], "1-0");
        assert_eq!(
            (watched.game("1.9.1.1".parse().unwrap()), watched.ruling("1.1.1.1".parse().unwrap())),
            (None, None)
        );
    }

    #[test]
    fn games_to_come_are_those_that_are_not_begun() {
        let mut watched = Watched::default();
        for event in fixture::events(Points::TwoOneZero).into_iter().take(6) {
            watched.event(&event, None).unwrap();
        }
        let schedule = &read(&watched.all(At(0)))["tables"]["schedule"];
        let count = |list: &str| schedule[list].as_array().unwrap().len();
        assert_eq!(count("ended") + count("now") + count("coming"), 12, "{schedule}");
    }
}
