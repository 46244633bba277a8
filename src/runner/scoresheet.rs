//! The record of one game while it is played: moves, times, thoughts, and at its end the event that
//! holds it whole. Start at [`Scoresheet`].

use std::fmt::Write as _;
use std::time::Duration;

use super::hall::Hall;
use super::wall::date;
use crate::director::Assignment;
use crate::engine::{Score, Thought};
use crate::game::{Clock, Game, MoveMade, Termination, Terms, TimeControl};
use crate::plan::Grain;
use crate::record::{GameBegan, GameOver, Moved, ThoughtRecord, Unfinished, What, termination_record};
use crate::time::{At, micros};
use crate::tournament::{GameResult, Opening};
use crate::xiangqi::{BySide, Move, Position, Side, SquareStyle};

/// A game's record in the making.
#[derive(Debug)]
pub struct Scoresheet {
    assignment: Assignment,
    names: BySide<String>,
    start: Position,
    opening_plies: u32,
    opening: String,
    moves: String,
    plies: u32,
    used_us: Vec<u64>,
    thoughts: Vec<ThoughtRecord>,
    /// Clocks after each move of a game that goes on: time left and moves to the next period.
    left: Vec<Option<(Duration, u32)>>,
    began: At,
    date: String,
    /// Last lines of an engine that went wrong.
    pub last_lines: BySide<Vec<String>>,
}

impl Scoresheet {
    /// Begins the record and journals the beginning; a game that was journalled move by move before the
    /// runner stopped goes on from its last move.
    pub fn begin(hall: &Hall, assignment: &Assignment) -> Scoresheet {
        let opening = hall.director.borrow().opening(assignment).cloned();
        let opening = opening.unwrap_or_else(|| Opening {
            start: Position::start(),
            moves: Vec::new(),
            name: String::new(),
        });
        let mut moves = String::with_capacity(1024);
        for mv in &opening.moves {
            push_move(&mut moves, mv);
        }
        let names = assignment.seats.map(|entrant| hall.plan.entrants[entrant].name.clone());
        let mut sheet = Scoresheet {
            assignment: assignment.clone(),
            names,
            opening_plies: opening.moves.len() as u32,
            plies: opening.moves.len() as u32,
            start: opening.start,
            opening: opening.name,
            moves,
            used_us: Vec::with_capacity(128),
            thoughts: Vec::with_capacity(128),
            left: Vec::new(),
            began: hall.wall.now(),
            date: date(),
            last_lines: BySide::default(),
        };
        match hall.take_unfinished(assignment.id) {
            Some(unfinished) => sheet.go_on(unfinished),
            None => hall.record(What::GameBegan(GameBegan {
                game: assignment.id,
                red: sheet.names.red.clone(),
                black: sheet.names.black.clone(),
                fen: sheet.start.fen(),
                opening: sheet.moves.clone(),
                date: sheet.date.clone(),
            })),
        }
        sheet
    }

    fn go_on(&mut self, unfinished: Unfinished) {
        self.began = unfinished.at;
        self.date = unfinished.began.date;
        for moved in unfinished.moves {
            if !self.moves.is_empty() {
                self.moves.push(' ');
            }
            self.moves.push_str(&moved.mv);
            self.plies = moved.ply;
            self.used_us.push(moved.used_us);
            self.thoughts.push(moved.thought);
            self.left.push(moved.left_us.map(|left| (Duration::from_micros(left), moved.to_go)));
        }
    }

    /// The referee's game: at its beginning, or where it stood when the runner stopped.
    pub fn game(&self, hall: &Hall, assignment: &Assignment) -> Game {
        let director = hall.director.borrow();
        let plan = &hall.plan;
        let stage = director.stage_of(assignment.id);
        let controls = assignment.seats.map(|entrant| {
            let own = plan.entrants[entrant].time;
            own.or_else(|| stage.map(|stage| stage.time)).unwrap_or(TimeControl::UNLIMITED)
        });
        let terms = Terms {
            rules: plan.rules,
            controls,
            margin: plan.conduct.margin,
            patience: plan.conduct.patience,
            draw_offers: plan.conduct.draw_offers,
        };
        let played = self.moves.split(' ').filter_map(|word| SquareStyle::Zero.read(word.as_bytes()));
        let played: Vec<Move> = played.collect();
        let game = Game::new(terms, self.start.clone(), &played);
        let mut clocks = controls.map(Clock::new);
        // The last two moves tell how both clocks stood.
        let last = self.left.iter().rev().take(2);
        let mut mover = !game.side();
        for left in last {
            if let Some((left, to_go)) = left {
                clocks[mover] = Clock::standing_at(controls[mover], *left, *to_go);
            }
            mover = !mover;
        }
        game.with_clocks(clocks)
    }

    /// A move was made.
    pub fn moved(&mut self, hall: &Hall, made: MoveMade, thought: Option<Thought>) {
        push_move(&mut self.moves, &made.mv);
        self.plies += 1;
        let thought = thought.as_ref().map(thought_record).unwrap_or_default();
        self.used_us.push(micros(made.used));
        self.thoughts.push(thought);
        match hall.plan.conduct.grain {
            Grain::Game => {}
            Grain::Move => hall.record(What::Moved(Moved {
                game: self.assignment.id,
                ply: self.plies,
                mv: made.mv.to_string(),
                used_us: micros(made.used),
                left_us: made.left.map(micros),
                to_go: made.to_go,
                thought,
            })),
        }
    }

    /// The game is over: it is journalled whole and the director is told.
    pub fn over(&mut self, hall: &Hall, game: &Game, termination: &Termination) {
        let outcome = termination.outcome();
        let lines = termination.fault_side().map(|side| std::mem::take(&mut self.last_lines[side]));
        let clock = |side: Side| -> &Clock { game.clock(side) };
        let id = self.assignment.id;
        hall.record(What::GameOver(Box::new(GameOver {
            game: id,
            red: self.names.red.clone(),
            black: self.names.black.clone(),
            fen: self.start.fen(),
            opening_plies: self.opening_plies,
            opening: std::mem::take(&mut self.opening),
            moves: std::mem::take(&mut self.moves),
            used_us: std::mem::take(&mut self.used_us),
            thoughts: std::mem::take(&mut self.thoughts),
            result: outcome.map(|outcome| outcome.token().to_owned()),
            termination: termination_record(termination, lines.unwrap_or_default()),
            left_us: Side::BOTH.map(|side| clock(side).left().map(micros)),
            time_controls: Side::BOTH.map(|side| clock(side).control().to_string()),
            took_us: micros(hall.wall.now() - self.began),
            date: std::mem::take(&mut self.date),
            runner_delay_us: micros(hall.delay_since(self.began)),
        })));
        let BySide { red, black } = self.assignment.seats;
        let result = outcome.map(|outcome| GameResult { id, red, black, outcome });
        hall.director.borrow_mut().over(id, result);
        hall.changed.notify_waiters();
    }
}

fn push_move(moves: &mut String, mv: &Move) {
    if !moves.is_empty() {
        moves.push(' ');
    }
    let _ = write!(moves, "{mv}");
}

fn thought_record(thought: &Thought) -> ThoughtRecord {
    let (cp, mate) = match thought.score {
        Some(Score::Cp(cp)) => (Some(cp), None),
        Some(Score::Mate(moves)) => (None, Some(moves)),
        None => (None, None),
    };
    ThoughtRecord { cp, mate, depth: thought.depth, nodes: thought.nodes }
}
