//! A run as the fold of its events: who played, every game's result in brief, faults, notes, and the
//! moves of games that go on. Keeps no moves of finished games but of those that were judged for a
//! repetition. Never decides a result. Start at [`Run`].

mod brief;
mod decisions;
mod exhibition;
mod hearing;
mod seats;
mod shelf;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use brief::{last_words, plies_of, print_of, used_by};
pub use hearing::{Answer, DeskWord, Request};
pub use shelf::Kept;
use shelf::Shelf;

use super::decision::Decision;
use super::event::{
    CheckedIn, Drawn, Event, GameBegan, GameOver, Locked, Moved, Noted, Overrun, Resumed, RunBegan, What,
};
use super::fleet::FleetRun;
use super::settings::{Settings, SprtSettings};
use super::termination::{TerminationError, read_termination};
use crate::game::{FaultClass, Outcome, Termination};
use crate::plan::Grain;
use crate::time::At;
use crate::tournament::{GameId, GameResult, Known, SprtTrial, Void, Withdrawal};
use crate::xiangqi::{BySide, Side};

/// Most notes kept; the journal has them all. A flapping engine may write thousands.
const NOTES_KEPT: usize = 1000;
/// Most judged games whose moves and deeds are kept for the explanation of the ruling (about 3 KB each).
const RULED_KEPT: usize = 1000;

/// A run, folded from its events.
#[derive(Debug, Clone, Default)]
pub struct Run {
    head: Option<Box<RunBegan>>,
    indexes: HashMap<String, usize>,
    check_ins: Vec<Option<CheckedIn>>,
    notes: Vec<Noted>,
    notes_left_out: u64,
    games: Shelf,
    unfinished: BTreeMap<GameId, Unfinished>,
    faults: Vec<[u32; FaultClass::ALL.len()]>,
    ruled: usize,
    trial: Option<SprtTrial>,
    failing: Vec<u32>,
    decided: u64,
    resumed: Vec<Resumed>,
    interrupted: Option<String>,
    over: Option<String>,
    events: u64,
    last: At,
    drawn: Option<Drawn>,
    locks: BTreeMap<(usize, usize), Locked>,
    decisions: Vec<Decision>,
    withdrawals: Vec<Withdrawal>,
    orders: Vec<Vec<usize>>,
    replays: BTreeMap<GameId, u8>,
    void: Vec<Void>,
    display: exhibition::Display,
    hearing: hearing::Hearing,
    pub(super) fleet: Option<Box<FleetRun>>,
}

/// A game that ended, in brief.
#[derive(Debug, Clone, PartialEq)]
pub struct GameSummary {
    /// Which game.
    pub id: GameId,
    /// Index of the entrant that was Red.
    pub red: usize,
    /// Index of the entrant that was Black.
    pub black: usize,
    /// The result that counts; `None` while it is held, when it was abandoned, and when it was annulled.
    pub outcome: Option<Outcome>,
    /// Whether the chief referee annulled it.
    pub annulled: bool,
    /// Number of the chief referee's last decision on it; `termination` keeps the automatic verdict.
    pub decision: Option<u32>,
    /// A short hash of start position and moves: games with different ones differ.
    pub print: u64,
    /// How it ended. A repetition's deeds are dropped when too many games were judged.
    pub termination: Termination,
    /// Turns that were lost by overruns of the time for a move.
    pub lost_turns: u32,
    /// Half-moves, opening moves counted.
    pub plies: u32,
    /// How many of them are the opening's.
    pub opening_plies: u32,
    /// Name of the opening, empty for the usual start position.
    pub opening: Arc<str>,
    /// Time charged to each side over the game.
    pub used: BySide<Duration>,
    /// Half-moves of each side, opening moves counted.
    pub moves_of: BySide<u32>,
    /// Wall time of the game.
    pub took: Duration,
    /// Longest delay of the runner during the game.
    pub runner_delay: Duration,
    /// When the game's end was recorded.
    pub at: At,
    /// The last line of the losing engine, for faults.
    pub last_line: Option<Arc<str>>,
    /// Start position and moves, of judged games only.
    pub moves: Option<Arc<JudgedMoves>>,
}

/// What a ruling's explanation needs of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedMoves {
    /// Start position.
    pub fen: String,
    /// All moves in the zero style, blanks between; `--` is a pass.
    pub moves: String,
}

/// A game that began and has no end yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// How it began.
    pub began: GameBegan,
    /// When.
    pub at: At,
    /// Its moves after the opening; empty where moves are journalled with the game's end.
    pub moves: Vec<Moved>,
    /// Turns that a side lost by an overrun without a half-move.
    pub overruns: Vec<Overrun>,
    /// Visits of an exhibition's master, by his colour, that the chief referee's corrections have struck out.
    pub struck: BySide<u32>,
    /// After so many of them the chief referee set the clocks to this (I.12).
    pub clocks: Option<(usize, BySide<Duration>)>,
}

/// Why an event does not fit the run so far.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq}: {reason}")]
pub struct FoldError {
    /// Number of the event.
    pub seq: u64,
    /// What is wrong.
    pub reason: Misfit,
}

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The run's head is missing or comes twice.
    #[error("a run begins with run_began, once")]
    Head,
    /// Two entrants have one name.
    #[error("two entrants are called '{0}'")]
    SameName(String),
    /// A name that is no entrant's.
    #[error("'{0}' is no entrant of this run")]
    UnknownEntrant(String),
    /// An entrant against itself.
    #[error("game {0}: an entrant cannot play itself")]
    SamePlayers(GameId),
    /// A stage the run does not have.
    #[error("game {0}: there is no such stage")]
    UnknownStage(GameId),
    /// A game that already has its result.
    #[error("game {0} was decided before")]
    Decided(GameId),
    /// A move of a game that is not being played.
    #[error("game {0} has not begun")]
    NotBegun(GameId),
    /// A move out of order.
    #[error("game {game}: half-move {found} where {expected} was due")]
    Ply {
        /// Which game.
        game: GameId,
        /// The number due.
        expected: u32,
        /// The number found.
        found: u32,
    },
    /// An end that cannot be read.
    #[error("game {game}: {error}")]
    Termination {
        /// Which game.
        game: GameId,
        /// What is wrong with it.
        error: TerminationError,
    },
    /// A result that does not follow from the termination.
    #[error("game {game}: result {found}, but its termination gives {expected}")]
    Result {
        /// Which game.
        game: GameId,
        /// What the termination gives.
        expected: &'static str,
        /// What is recorded.
        found: String,
    },
    /// A decision that cannot be.
    #[error("a decision of the chief referee: {0}")]
    Decision(String),
    /// Something follows the end of the run.
    #[error("the run was over")]
    Over,
}

impl Run {
    /// A run of which nothing is known yet.
    pub fn new() -> Run {
        Run::default()
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// Why it does not fit; the run is unchanged then.
    pub fn apply(&mut self, event: &Event) -> Result<(), FoldError> {
        self.take(event).map_err(|reason| FoldError { seq: event.seq, reason })?;
        self.events += 1;
        self.last = event.at;
        Ok(())
    }

    fn take(&mut self, event: &Event) -> Result<(), Misfit> {
        // After the end only the chief referee has a word, and what follows from it.
        if self.over.is_some() && !matches!(event.what, What::Decided(_) | What::Locked(_) | What::Resumed(_))
        {
            return Err(Misfit::Over);
        }
        if self.head.is_some() == matches!(event.what, What::RunBegan(_)) {
            return Err(Misfit::Head);
        }
        match &event.what {
            What::RunBegan(head) => self.begin(head)?,
            What::CheckedIn(checked) => {
                let index = self.entrant(&checked.entrant)?;
                self.check_ins[index] = Some(checked.clone());
            }
            What::GameBegan(began) => self.game_began(event.at, began)?,
            What::Moved(moved) => self.moved(moved)?,
            What::Overran(overrun) => self.overran(overrun)?,
            What::Advised(_) => {}
            What::SessionRuns { used_us } => self.display.runs(event.at, *used_us),
            What::Noted(noted) => {
                if let Some(name) = &noted.entrant {
                    self.entrant(name)?;
                }
                if self.notes.len() < NOTES_KEPT {
                    self.notes.push(noted.clone());
                } else {
                    self.notes_left_out += 1;
                }
            }
            What::GameOver(over) => self.game_over(event.at, over)?,
            What::Drawn(drawn) => self.drawn = Some(drawn.clone()),
            What::Locked(locked) => {
                let index = self.entrant(&locked.entrant)?;
                self.locks.insert((index, locked.member), locked.clone());
            }
            What::Decided(decision) => self.decide(event.at, decision)?,
            What::Spoken(spoken) => self.spoken(spoken)?,
            What::Fleet(event) => self.fleet.get_or_insert_default().apply(event),
            What::Resumed(resumed) => {
                self.over = None;
                self.interrupted = None;
                self.display.stops(event.at);
                self.resumed.push(resumed.clone());
            }
            What::Interrupted { reason } => self.interrupted = Some(reason.clone()),
            What::RunOver { reason } => self.over = Some(reason.clone()),
        }
        Ok(())
    }

    fn begin(&mut self, head: &RunBegan) -> Result<(), Misfit> {
        let mut indexes = HashMap::new();
        for (index, entrant) in head.settings.entrants.iter().enumerate() {
            if indexes.insert(entrant.name.clone(), index).is_some() {
                return Err(Misfit::SameName(entrant.name.clone()));
            }
        }
        self.check_ins = vec![None; indexes.len()];
        self.faults = vec![[0; FaultClass::ALL.len()]; indexes.len()];
        self.failing = vec![0; indexes.len()];
        let sprt = head.settings.sprt.as_ref().and_then(SprtSettings::sprt);
        self.trial = sprt.map(SprtTrial::new);
        self.indexes = indexes;
        self.head = Some(Box::new(head.clone()));
        Ok(())
    }

    fn entrant(&self, name: &str) -> Result<usize, Misfit> {
        self.index_of(name).ok_or_else(|| Misfit::UnknownEntrant(name.chars().take(80).collect()))
    }

    fn players(&self, game: GameId, red: &str, black: &str) -> Result<(usize, usize), Misfit> {
        let stages = self.settings().map_or(0, |settings| settings.stages.len());
        if usize::from(game.stage) > stages {
            return Err(Misfit::UnknownStage(game));
        }
        let (red, black) = (self.entrant(red)?, self.entrant(black)?);
        if red == black { Err(Misfit::SamePlayers(game)) } else { Ok((red, black)) }
    }

    /// Refuses a second decision of one attempt; an abandoned one may be played again.
    fn check_open(&self, game: GameId) -> Result<(), Misfit> {
        match self.games.get(game).map(|game| game.termination) {
            None | Some(Termination::Abandoned { .. }) => Ok(()),
            Some(_) => Err(Misfit::Decided(game)),
        }
    }

    fn game_began(&mut self, at: At, began: &GameBegan) -> Result<(), Misfit> {
        self.players(began.game, &began.red, &began.black)?;
        self.check_open(began.game)?;
        if self.unfinished.is_empty() {
            self.display = exhibition::Display::default();
        }
        let (moves, overruns) = (Vec::new(), Vec::new());
        let struck = BySide::default();
        let unfinished = Unfinished { began: began.clone(), at, moves, overruns, struck, clocks: None };
        self.unfinished.insert(began.game, unfinished);
        Ok(())
    }

    fn has_draw_odds(&self) -> bool {
        self.settings().is_some_and(|settings| settings.draw_as_black_win)
    }

    fn moved(&mut self, moved: &Moved) -> Result<(), Misfit> {
        let game = moved.game;
        let unfinished = self.unfinished.get_mut(&game).ok_or(Misfit::NotBegun(game))?;
        let opening = unfinished.began.opening.split_whitespace().count();
        let expected = u32::try_from(opening + unfinished.moves.len() + 1).unwrap_or(u32::MAX);
        if moved.ply != expected {
            return Err(Misfit::Ply { game, expected, found: moved.ply });
        }
        unfinished.moves.push(moved.clone());
        self.display.moved(unfinished, moved);
        Ok(())
    }

    fn game_over(&mut self, at: At, over: &GameOver) -> Result<(), Misfit> {
        let game = over.game;
        let (red, black) = self.players(game, &over.red, &over.black)?;
        self.check_open(game)?;
        let mut termination =
            read_termination(&over.termination).map_err(|error| Misfit::Termination { game, error })?;
        let outcome = termination.counted(self.has_draw_odds());
        let expected = outcome.map_or("no result", Outcome::token);
        let found = over.result.as_deref().unwrap_or("no result");
        if expected != found {
            return Err(Misfit::Result { game, expected, found: found.chars().take(20).collect() });
        }
        let mut moves = None;
        if let Termination::Repetition(ruling) = &mut termination {
            if self.ruled < RULED_KEPT {
                moves = Some(Arc::new(JudgedMoves { fen: over.fen.clone(), moves: over.moves.clone() }));
            } else {
                ruling.deeds = Vec::new();
            }
            self.ruled += 1;
        }
        let mut last_line = None;
        if let Some(class) = termination.fault() {
            let loser = if outcome == Some(Outcome::RedWins) { black } else { red };
            self.faults[loser][class as usize] += 1;
            last_line = last_words(&over.termination.last_lines);
        }
        self.count_failures(&termination, outcome, [red, black]);
        if let (Some(trial), Some(outcome)) = (&mut self.trial, outcome) {
            trial.add(&GameResult { id: game, red, black, outcome });
        }
        let lost_turns = self.close_game(at, over);
        let had_result = self.has_result(game);
        let summary = GameSummary {
            id: game,
            red,
            black,
            outcome,
            annulled: false,
            decision: None,
            print: print_of(over),
            termination,
            lost_turns,
            plies: plies_of(&over.moves),
            opening_plies: over.opening_plies,
            opening: Arc::from(over.opening.as_str()),
            used: used_by(over),
            moves_of: seats::moves_by(over),
            took: Duration::from_micros(over.took_us),
            runner_delay: Duration::from_micros(over.runner_delay_us),
            at,
            last_line,
            moves,
        };
        self.games.put(summary);
        self.decided += u64::from(self.has_result(game));
        self.decided -= u64::from(had_result);
        Ok(())
    }

    /// An engine that crashed or stalled has one failure more on end; one that played its game has none.
    fn count_failures(&mut self, termination: &Termination, outcome: Option<Outcome>, players: [usize; 2]) {
        let failed = match termination.fault() {
            Some(FaultClass::Crash | FaultClass::Stall) => outcome.and_then(Outcome::winner),
            Some(FaultClass::Illegal | FaultClass::Time) | None => None,
        };
        for (side, player) in Side::BOTH.into_iter().zip(players) {
            if let Some(count) = self.failing.get_mut(player) {
                *count = if failed == Some(!side) { *count + 1 } else { 0 };
            }
        }
    }

    /// Whether the attempt of a game that counts has a result.
    fn has_result(&self, game: GameId) -> bool {
        let attempts = self.games.attempts(game);
        attempts.iter().rfind(|game| counts(game)).is_some_and(|game| game.outcome.is_some())
    }

    /// The run's head, once it has begun.
    pub fn head(&self) -> Option<&RunBegan> {
        self.head.as_deref()
    }

    /// The settings in force, once it has begun.
    pub fn settings(&self) -> Option<&Settings> {
        self.head.as_ref().map(|head| &head.settings)
    }

    /// Number of entrants.
    pub fn entrant_count(&self) -> usize {
        self.check_ins.len()
    }

    /// An entrant's name; empty for an index that is none.
    pub fn name(&self, index: usize) -> &str {
        self.settings().and_then(|s| s.entrants.get(index)).map_or("", |entrant| &entrant.name)
    }

    /// An entrant's index by its name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.indexes.get(name).copied()
    }

    /// What an entrant's engine said at its last greeting.
    pub fn checked_in(&self, index: usize) -> Option<&CheckedIn> {
        self.check_ins.get(index)?.as_ref()
    }

    /// The first notes, at most 1000, and how many more there were.
    pub fn notes(&self) -> (&[Noted], u64) {
        (&self.notes, self.notes_left_out)
    }

    /// All attempts that ended, in schedule order.
    pub fn attempts(&self) -> impl Iterator<Item = GameSummary> {
        self.games.iter()
    }

    /// One attempt.
    pub fn attempt(&self, id: GameId) -> Option<GameSummary> {
        self.games.get(id)
    }

    /// The attempts that count, in schedule order: of each game the last that was not abandoned and not
    /// annulled.
    pub fn games(&self) -> impl Iterator<Item = GameSummary> {
        let mut attempts = self.attempts().filter(counts).peekable();
        std::iter::from_fn(move || {
            let mut game = attempts.next()?;
            while let Some(later) = attempts.next_if(|later| same_game(later.id, game.id)) {
                game = later;
            }
            Some(game)
        })
    }

    /// The games that have a result, as formats and standings see them.
    pub fn results(&self) -> impl Iterator<Item = GameResult> {
        self.games().filter(|game| !self.is_cancelled(game)).filter_map(|game| {
            let GameSummary { id, red, black, .. } = game;
            game.outcome.map(|outcome| GameResult { id, red, black, outcome })
        })
    }

    /// The sequential test as it stands, if the run has one.
    pub fn trial(&self) -> Option<&SprtTrial> {
        self.trial.as_ref()
    }

    /// How many of its latest games an engine lost on end by crash or stall: the most of any.
    pub fn failures_on_end(&self) -> u32 {
        self.failing.iter().copied().max().unwrap_or(0)
    }

    /// How many games have a result: the length of [`Run::results`], counted as events come.
    pub fn decided(&self) -> u64 {
        self.decided
    }

    /// Games that began and have no end yet, in schedule order: what a resume has to go on with.
    pub fn unfinished(&self) -> impl Iterator<Item = &Unfinished> {
        self.unfinished.values()
    }

    /// The games that a resumed run goes on with where they stood; where games are journalled with their
    /// ends there are none, and they are played again.
    pub fn going_on(&self, grain: Grain) -> BTreeMap<GameId, Unfinished> {
        match grain {
            Grain::Game => BTreeMap::new(),
            Grain::Move => self.unfinished.clone(),
        }
    }

    /// How many games an entrant lost by faults of a class.
    pub fn faults(&self, index: usize, class: FaultClass) -> u32 {
        self.faults.get(index).map_or(0, |faults| faults[class as usize])
    }

    /// All faults of all entrants.
    pub fn fault_count(&self) -> u32 {
        self.faults.iter().flatten().sum()
    }

    /// Every time the run went on after a stop.
    pub fn resumed(&self) -> &[Resumed] {
        &self.resumed
    }

    /// Why the run stands still, if it was stopped and not resumed.
    pub fn interrupted(&self) -> Option<&str> {
        self.interrupted.as_deref()
    }

    /// Why the run is over, if it is: `complete`, or what stopped it.
    pub fn over(&self) -> Option<&str> {
        self.over.as_deref()
    }

    /// The lots, once they are drawn.
    pub fn drawn(&self) -> Option<&Drawn> {
        self.drawn.as_ref()
    }

    /// What the engine of an entrant's member (from 0) is made of, where that is locked.
    pub fn lock(&self, index: usize, member: usize) -> Option<&Locked> {
        self.locks.get(&(index, member))
    }

    /// What pairings and tables depend on; `results` are those of [`Run::results`].
    pub fn known<'a>(&'a self, results: &'a [GameResult]) -> Known<'a> {
        Known { results, withdrawn: &self.withdrawals, void: &self.void, orders: &self.orders }
    }

    /// Number of events taken: the number of the next one.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// When the last event was: a resumed run's time goes on from here.
    pub fn last(&self) -> At {
        self.last
    }
}

impl GameSummary {
    /// The entrant on a side.
    pub fn player(&self, side: Side) -> usize {
        match side {
            Side::Red => self.red,
            Side::Black => self.black,
        }
    }
}

/// Whether an attempt can be the one that counts.
fn counts(game: &GameSummary) -> bool {
    !game.annulled && !matches!(game.termination, Termination::Abandoned { .. })
}

fn same_game(one: GameId, other: GameId) -> bool {
    GameId { attempt: 1, ..one } == GameId { attempt: 1, ..other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Points;
    use crate::record::ThoughtRecord;
    use crate::record::fixture::{self, game_over, numbered};

    fn id(text: &str) -> GameId {
        text.parse().unwrap()
    }

    fn over(game: &str, red: &str, black: &str, end: &str) -> What {
        What::GameOver(Box::new(game_over(id(game), red, black, end)))
    }

    fn fold(whats: Vec<What>) -> Result<Run, FoldError> {
        let head = What::RunBegan(Box::new(fixture::head(Points::TwoOneZero)));
        let mut run = Run::new();
        for event in numbered(std::iter::once(head).chain(whats)) {
            run.apply(&event)?;
        }
        Ok(run)
    }

    #[test]
    fn the_run_of_the_fixture() {
        let run = fixture::run(Points::TwoOneZero);
        assert_eq!(run.results().count(), 12);
        assert_eq!(run.over(), Some("complete"));
        assert_eq!(run.unfinished().count(), 0);
        assert_eq!(run.fault_count(), 3);
        let faults = |name, class| run.faults(run.index_of(name).unwrap(), class);
        assert_eq!(faults("Lotus", FaultClass::Time), 1);
        assert_eq!(faults("Lotus", FaultClass::Crash), 1);
        assert_eq!(faults("Tiger", FaultClass::Illegal), 1);
        let game = run.attempt(id("1.1.1.1")).unwrap();
        assert_eq!((game.plies, game.opening_plies), (8, 2));
        assert_eq!(game.used.red, Duration::from_micros(2_535_400));
        assert_eq!(game.used.black, Duration::from_micros(2_040_900));
        let crashed = run.attempt(id("1.3.2.1")).unwrap();
        assert_eq!(crashed.last_line.as_deref(), Some("assertion failed"));
    }

    #[test]
    fn the_last_attempt_that_was_not_abandoned_counts() {
        let run = fold(vec![
            over("1.1.1.1", "Tiger", "Lotus", "mated black"),
            over("1.1.1.1+2", "Tiger", "Lotus", "mated red"),
            over("1.1.1.1+3", "Tiger", "Lotus", "abandoned"),
            over("1.1.1.2", "Lotus", "Tiger", "abandoned"),
            over("1.1.1.2", "Lotus", "Tiger", "agreed"),
            over("1.1.2.1", "Wukong", "River9", "held"),
        ])
        .unwrap();
        let results: Vec<_> = run.results().map(|game| (game.id.to_string(), game.outcome)).collect();
        let expected = [("1.1.1.1+2".to_owned(), Outcome::BlackWins), ("1.1.1.2".to_owned(), Outcome::Draw)];
        assert_eq!(results, expected);
        assert_eq!((run.attempts().count(), run.games().count(), run.decided()), (5, 3, 2));
    }

    #[test]
    fn an_unfinished_game_keeps_its_moves_until_its_end() {
        let began = |game: &str| {
            let (red, black) = ("Tiger".to_owned(), "Lotus".to_owned());
            let opening = "h2e2 h9g7".to_owned();
            What::GameBegan(GameBegan {
                game: id(game),
                red,
                black,
                fen: String::new(),
                opening,
                locks: None,
                date: String::new(),
            })
        };
        let moved = |game: &str, ply| {
            let (mv, thought) = ("h0g2".to_owned(), ThoughtRecord::default());
            What::Moved(Moved {
                game: id(game),
                ply,
                mv,
                member: None,
                used_us: 5,
                left_us: Some(7),
                to_go: 0,
                draw: false,
                thought,
            })
        };
        let run = fold(vec![began("1.1.1.1"), moved("1.1.1.1", 3), moved("1.1.1.1", 4)]).unwrap();
        assert_eq!(run.unfinished().map(|game| game.moves.len()).collect::<Vec<_>>(), [2]);
        let again = fold(vec![began("1.1.1.1"), moved("1.1.1.1", 3), began("1.1.1.1")]).unwrap();
        assert_eq!(again.unfinished().map(|game| game.moves.len()).collect::<Vec<_>>(), [0]);
        let ended = vec![began("1.1.1.1"), moved("1.1.1.1", 3), over("1.1.1.1", "Tiger", "Lotus", "agreed")];
        assert_eq!(fold(ended).unwrap().unfinished().count(), 0);
        check(vec![began("1.1.1.1"), moved("1.1.1.1", 5)], "half-move 5 where 3 was due");
        check(vec![moved("1.1.1.1", 1)], "has not begun");
    }

    fn check(whats: Vec<What>, complaint: &str) {
        let error = fold(whats).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }

    #[test]
    fn events_that_do_not_fit_are_refused() {
        let game = || over("1.1.1.1", "Tiger", "Lotus", "agreed");
        check(vec![game(), game()], "game 1.1.1.1 was decided before");
        check(vec![over("1.1.1.1", "Tiger", "Cat", "agreed")], "event 1: 'Cat' is no entrant");
        check(vec![over("1.1.1.1", "Tiger", "Tiger", "agreed")], "cannot play itself");
        check(vec![over("2.1.1.1", "Tiger", "Lotus", "agreed")], "no such stage");
        check(
            vec![What::RunBegan(Box::new(fixture::head(Points::TwoOneZero)))],
            "begins with run_began, once",
        );
        check(vec![What::RunOver { reason: "complete".to_owned() }, game()], "the run was over");
        let mut wrong = game_over(id("1.1.1.1"), "Tiger", "Lotus", "mated red");
        wrong.result = Some("1-0".to_owned());
        check(vec![What::GameOver(Box::new(wrong))], "result 1-0, but its termination gives 0-1");
    }

    #[test]
    fn a_refused_event_changes_nothing() {
        let mut run = fixture::run(Points::TwoOneZero);
        let before = format!("{run:?}");
        let event = Event { seq: 99, at: At(1), what: over("1.1.1.1", "Tiger", "Lotus", "agreed") };
        assert!(run.apply(&event).is_err());
        assert_eq!(format!("{run:?}"), before);
    }
}
