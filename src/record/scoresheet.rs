//! The record of one game while it is played: moves, times, thoughts, and at its end the event that
//! holds it whole. Never judges and never writes anything itself. Start at [`Scoresheet`].

use std::fmt::Write as _;
use std::time::Duration;

use super::event::{Advice, GameBegan, GameOver, LinesRecord, Moved, Overrun, PASS, ThoughtRecord, What};
use super::run::Unfinished;
use super::termination::termination_record;
use crate::engine::{Score, Thought};
use crate::game::{Clock, Game, MATE_SCORE, MoveMade, Overran, OverrunRule, Termination, Terms};
use crate::plan::Grain;
use crate::time::{At, micros};
use crate::tournament::{GameId, Opening};
use crate::xiangqi::{BySide, Move, Position, Side, SquareStyle};

/// A game's record in the making.
#[derive(Debug)]
pub struct Scoresheet {
    game: GameId,
    names: BySide<String>,
    start: Position,
    opening_plies: u32,
    opening: String,
    moves: String,
    plies: u32,
    used_us: Vec<u64>,
    thoughts: Vec<ThoughtRecord>,
    lines: Vec<LinesRecord>,
    members: Vec<u8>,
    /// Clocks after each move of a game that goes on: time left and moves to the next period.
    left: Vec<Option<(Duration, u32)>>,
    /// After so many of these the chief referee set the clocks to this (I.12).
    corrected: Option<(usize, BySide<Duration>)>,
    /// Whether a draw was offered with the last two half-moves of a game that goes on.
    offers: [bool; 2],
    began: At,
    date: String,
    /// Last lines of an engine that went wrong.
    pub last_lines: BySide<Vec<String>>,
}

impl Scoresheet {
    /// A sheet for a game that begins at `at`, on the local date `date` (RFC 3339); without an opening it
    /// begins at the usual start position.
    pub fn new(
        game: GameId,
        names: BySide<String>,
        opening: Option<&Opening>,
        at: At,
        date: String,
    ) -> Scoresheet {
        let mut moves = String::with_capacity(1024);
        let opening_moves = opening.map_or(&[][..], |opening| &opening.moves);
        for mv in opening_moves {
            push_move(&mut moves, mv);
        }
        let opening_plies = u32::try_from(opening_moves.len()).unwrap_or(u32::MAX);
        Scoresheet {
            game,
            names,
            opening_plies,
            plies: opening_plies,
            start: opening.map_or_else(Position::start, |opening| opening.start.clone()),
            opening: opening.map(|opening| opening.name.clone()).unwrap_or_default(),
            moves,
            used_us: Vec::with_capacity(128),
            thoughts: Vec::with_capacity(128),
            lines: Vec::new(),
            members: Vec::new(),
            left: Vec::new(),
            corrected: None,
            offers: [false; 2],
            began: at,
            date,
            last_lines: BySide::default(),
        }
    }

    /// The event of its beginning, to be asked for before the first move.
    pub fn began(&self) -> GameBegan {
        GameBegan {
            game: self.game,
            red: self.names.red.clone(),
            black: self.names.black.clone(),
            fen: self.start.fen(),
            opening: self.moves.clone(),
            locks: None,
            date: self.date.clone(),
        }
    }

    /// When it began.
    pub fn began_at(&self) -> At {
        self.began
    }

    /// The local date and time of its beginning.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Enters what was journalled move by move before the runner stopped: the game goes on from there.
    pub fn go_on(&mut self, unfinished: Unfinished) {
        self.began = unfinished.at;
        self.date = unfinished.began.date;
        self.corrected = unfinished.clocks;
        for moved in unfinished.moves {
            if !self.moves.is_empty() {
                self.moves.push(' ');
            }
            self.moves.push_str(&moved.mv);
            self.plies = moved.ply;
            self.used_us.push(moved.used_us);
            self.thoughts.push(moved.thought);
            self.members.push(moved.member.unwrap_or(0));
            self.offers = [self.offers[1], moved.draw];
            self.left.push(moved.left_us.map(|left| (Duration::from_micros(left), moved.to_go)));
        }
    }

    /// The referee's game: at its beginning, or where it stood when the runner stopped.
    pub fn game(&self, terms: Terms) -> Game {
        let half = |word: &str| match word {
            PASS => Some(None),
            word => SquareStyle::Zero.read(word.as_bytes()).map(Some),
        };
        let game = Game::with_halves(terms, self.start.clone(), self.moves.split(' ').filter_map(half));
        let mut clocks = terms.controls.map(Clock::new);
        let mut since = self.left.len();
        if let Some((after, standing)) = self.corrected {
            since = self.left.len().saturating_sub(after);
            for side in Side::BOTH {
                let to_go = clocks[side].moves_left();
                clocks[side] = Clock::standing_at(terms.controls[side], standing[side], to_go);
            }
        }
        // The last two moves, if they were made since the clocks were set, tell how both clocks stood.
        let last = self.left.iter().rev().take(since.min(2));
        let mut mover = !game.side();
        for left in last {
            if let Some((left, to_go)) = left {
                clocks[mover] = Clock::standing_at(terms.controls[mover], *left, *to_go);
            }
            mover = !mover;
        }
        let score = |thought: &ThoughtRecord| match thought.mate {
            Some(moves) => Some(if moves > 0 { MATE_SCORE } else { -MATE_SCORE }),
            None => thought.cp,
        };
        let scores: Vec<Option<i32>> = self.thoughts.iter().map(score).collect();
        game.with_clocks(clocks).with_offers(self.offers).with_scores(&scores)
    }

    /// A move was made: its event, where moves are journalled as they are made.
    pub fn moved(&mut self, made: MoveMade, thought: Option<Thought>, grain: Grain) -> Option<Moved> {
        push_move(&mut self.moves, &made.mv);
        self.plies += 1;
        if let Some(lines) = thought.as_ref().and_then(|thought| thought.lines.as_deref()) {
            self.lines.resize(self.used_us.len(), LinesRecord::default());
            self.lines.push(LinesRecord { info: lines.info.clone(), matched: lines.matched.clone() });
        }
        let thought = thought.as_ref().map(thought_record).unwrap_or_default();
        self.used_us.push(micros(made.used));
        self.thoughts.push(thought);
        match grain {
            Grain::Game => None,
            Grain::Move => Some(Moved {
                game: self.game,
                ply: self.plies,
                mv: made.mv.to_string(),
                member: None,
                used_us: micros(made.used),
                left_us: made.left.map(micros),
                to_go: made.to_go,
                draw: made.draw,
                thought,
            }),
        }
    }

    /// A side overran its time and lost its turn, which its member (from 1) had: the event of it. A pass is a
    /// half-move like others, and journalled where they are.
    pub fn overran(&mut self, overran: Overran, member: Option<u8>, grain: Grain) -> Option<What> {
        let Overran { rule, used, allowed, .. } = overran;
        if rule == OverrunRule::Pass {
            if !self.moves.is_empty() {
                self.moves.push(' ');
            }
            self.moves.push_str(PASS);
            self.plies += 1;
            self.used_us.push(micros(used));
            self.thoughts.push(ThoughtRecord::default());
            member.into_iter().for_each(|member| self.made_by(member));
            return (grain == Grain::Move).then(|| {
                What::Moved(Moved {
                    game: self.game,
                    ply: self.plies,
                    mv: PASS.to_owned(),
                    member,
                    used_us: micros(used),
                    left_us: Some(micros(allowed)),
                    to_go: 0,
                    draw: false,
                    thought: ThoughtRecord::default(),
                })
            });
        }
        Some(What::Overran(Overrun {
            game: self.game,
            ply: self.plies + 1,
            rule: rule.name().to_owned(),
            member,
            used_us: micros(used),
            allowed_us: micros(allowed),
        }))
    }

    /// A member of a team (from 0) gave advice: its event.
    pub fn advised(&self, member: usize, said: String) -> What {
        let member = u8::try_from(member + 1).unwrap_or(u8::MAX);
        What::Advised(Advice { game: self.game, ply: self.plies + 1, member, said })
    }

    /// Enters which member of a team (from 1) made the last move.
    pub fn made_by(&mut self, member: u8) {
        self.members.resize(self.used_us.len().saturating_sub(1), 0);
        self.members.push(member);
    }

    /// The game is over: the event that holds it whole. The sheet is empty afterwards.
    pub fn over(
        &mut self,
        at: At,
        game: &Game,
        termination: &Termination,
        runner_delay: Duration,
    ) -> GameOver {
        let lines = termination.fault_side().map(|side| std::mem::take(&mut self.last_lines[side]));
        let members = std::mem::take(&mut self.members);
        let members = if members.iter().any(|member| *member > 0) { members } else { Vec::new() };
        let clock = |side: Side| -> &Clock { game.clock(side) };
        GameOver {
            game: self.game,
            red: self.names.red.clone(),
            black: self.names.black.clone(),
            fen: self.start.fen(),
            opening_plies: self.opening_plies,
            opening: std::mem::take(&mut self.opening),
            moves: std::mem::take(&mut self.moves),
            used_us: std::mem::take(&mut self.used_us),
            members,
            thoughts: std::mem::take(&mut self.thoughts),
            lines: std::mem::take(&mut self.lines),
            result: game.outcome(termination).map(|outcome| outcome.token().to_owned()),
            termination: termination_record(termination, lines.unwrap_or_default()),
            left_us: Side::BOTH.map(|side| clock(side).left().map(micros)),
            time_controls: Side::BOTH.map(|side| clock(side).control().to_string()),
            took_us: micros(at - self.began),
            date: std::mem::take(&mut self.date),
            runner_delay_us: micros(runner_delay),
        }
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
