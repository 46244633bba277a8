//! Floor 3: a table: one game and the sessions of its two seats. A pure machine between the lines of
//! engines and the referee: gets engines ready, asks, hears, restarts, and settles what is outstanding
//! when the game is over. Never knows processes, other tables or the tournament. Start at [`Table::step`];
//! what is played as one, a table or an exhibition's boards, is a [`Sitting`].

mod chair;
mod loss;
mod overrun;
mod pondering;
mod sitting;
mod team;
mod warning;

use std::collections::VecDeque;
use std::time::Duration;

use crate::engine::{AnsweredMove, Heard, Phase, Score, Session, Thought, printable};
use crate::game::{Answer, Game, MATE_SCORE, MoveMade, Next, Overran, Pace, Reply, Termination};
use crate::plan::{Conduct, CrashRule};
use crate::time::At;
use crate::xiangqi::{BySide, Move, Side};

pub use chair::Chair;
use chair::{State, Told};
pub use sitting::{Doing, Sitting, Standing};
use team::Discussion;

/// How a table treats its engines.
#[derive(Debug, Clone, Copy)]
pub struct Manners {
    /// What the end of an engine's process means.
    pub crash: CrashRule,
    /// Whether UCCI engines are told the moves that lose by repetition.
    pub warn: bool,
    /// Whether UCI engines are.
    pub warn_uci: bool,
    /// How long an engine may take to get ready for a game or to take its input.
    pub patience: Duration,
}

impl Manners {
    /// What a run's conduct says of its tables.
    pub fn of(conduct: &Conduct) -> Manners {
        Manners {
            crash: conduct.crash,
            warn: conduct.warn,
            warn_uci: conduct.warn_uci,
            patience: conduct.ready_patience,
        }
    }
}

/// What happened.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// The game may begin.
    Begin,
    /// The process that was asked for with [`Effect::Start`] runs.
    Started(Side),
    /// It could not be started.
    NotStarted(Side, &'a str),
    /// An engine printed a line (without its newline).
    Line(Side, &'a [u8]),
    /// All that stood in a seat's outbox was written and flushed.
    Sent(Side),
    /// An engine's process or its output ended, and how.
    Closed(Side, &'a str),
    /// A moment named by [`Table::wakeup`] has come.
    Timer,
    /// The game is broken off and is to be played again.
    Abandon(&'a str),
}

/// What is to be done, in order.
#[derive(Debug)]
pub enum Effect {
    /// Start the process of this seat's engine.
    Start(Side),
    /// Write this seat's outbox and report [`Input::Sent`] when it is flushed.
    Send(Side),
    /// The process of this seat is of no more use: kill it.
    Kill(Side),
    /// A move was made; the mover's last thought: score, depth and nodes alone.
    Moved(MoveMade, Option<Thought>),
    /// The side to move overran its time and does not lose by it; the member whose turn it was, from 0. With
    /// the rule `pass` a half-move was made.
    Overran(Overran, usize),
    /// A member of a side's team advised the member on turn: who, from 0, and what.
    Advised(Side, usize, String),
    /// Something people should know: about a seat, a word for programs, a sentence.
    Note(Side, &'static str, String),
    /// The next member of a team comes to the board: the member there goes to the end of its side's bench,
    /// the first one of the bench sits down.
    Rotate(Side),
    /// The game is over. The table may still be settling.
    Over(Termination),
    /// Nothing is outstanding any more: the sessions can be taken.
    Settled,
}

/// How long an engine may take to answer a `stop` after its game before it is killed.
const SETTLE: Duration = Duration::from_millis(1000);

/// Most notes of one game that are recorded: claims can come with every move.
const MAX_NOTES: u32 = 20;

/// A score as the rules of adjudication want it.
fn value(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value,
        Score::Mate(moves) if moves > 0 => MATE_SCORE,
        Score::Mate(_) => -MATE_SCORE,
    }
}

/// A table.
#[derive(Debug)]
pub struct Table {
    game: Game,
    chairs: BySide<Chair>,
    /// Members of teams that wait for their turn, the next one first.
    benches: BySide<VecDeque<Chair>>,
    /// Which member of each side's team makes the side's first move.
    first: BySide<usize>,
    manners: Manners,
    /// The side of a master who serves other tables too.
    master: Option<Side>,
    /// Whether it may begin when all are ready.
    permitted: bool,
    /// Whether all are ready.
    ready: bool,
    begun: bool,
    over: bool,
    settled: bool,
    ban: Vec<Move>,
    only: Vec<Move>,
    notes: u32,
    /// Half-moves there were when a losing loop was last noted.
    warned: usize,
    /// Who lost for want of an answer, and when.
    awaited: Option<(Side, At)>,
    /// Turns that a side lost without a half-move.
    lost_turns: BySide<u32>,
    /// The side to move may not until the master comes again (II.5, reading `wait`).
    barred: bool,
    discussion: Discussion,
}

impl Table {
    /// A table for a game; a session that is given already runs and is idle.
    pub fn new(game: Game, chairs: BySide<Chair>, manners: Manners) -> Table {
        Table {
            game,
            chairs,
            benches: BySide::default(),
            first: BySide::default(),
            manners,
            master: None,
            permitted: true,
            ready: false,
            begun: false,
            over: false,
            settled: false,
            ban: Vec::new(),
            only: Vec::new(),
            notes: 0,
            warned: 0,
            awaited: None,
            lost_turns: BySide::default(),
            barred: false,
            discussion: Discussion::default(),
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// What is to be written to a seat's engine.
    pub fn outbox(&mut self, side: Side) -> &mut Vec<u8> {
        &mut self.chairs[side].outbox
    }

    /// The session of a seat.
    pub fn session(&self, side: Side) -> &Session {
        &self.chairs[side].session
    }

    /// Takes the chairs back when the table has settled.
    pub fn into_chairs(self) -> BySide<Chair> {
        self.chairs
    }

    /// Whether a seat's engine may serve another game.
    pub fn is_usable(&self, side: Side) -> bool {
        self.chairs[side].is_usable()
    }

    /// The moment after which [`Input::Timer`] is due.
    pub fn wakeup(&self) -> Option<At> {
        let chairs = [self.chairs.red.deadline(), self.chairs.black.deadline()];
        chairs.into_iter().chain([self.game.wakeup()]).flatten().min()
    }

    /// Takes an input; what is to be done is appended to `effects`.
    pub fn step(&mut self, at: At, input: Input<'_>, effects: &mut Vec<Effect>) {
        match input {
            Input::Begin => self.begin(at, effects),
            Input::Started(side) => self.started(at, side, effects),
            Input::NotStarted(side, why) => self.lost(at, side, &format!("did not start: {why}"), effects),
            Input::Line(side, line) => self.line(at, side, line, effects),
            Input::Sent(side) => self.sent(at, side, effects),
            Input::Closed(side, how) => self.lost(at, side, how, effects),
            Input::Timer => self.timer(at, effects),
            Input::Abandon(why) => {
                let why = Termination::Abandoned { reason: why.to_owned() };
                let next = self.game.stop(why);
                self.follow(at, next, effects);
            }
        }
        self.settle(effects);
    }

    fn begin(&mut self, at: At, effects: &mut Vec<Effect>) {
        for side in Side::BOTH {
            self.call(at, side, effects);
        }
        self.begin_when_ready(at, effects);
    }

    /// Gets the member at the board ready for the game.
    fn call(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        let chair = &mut self.chairs[side];
        match chair.state {
            State::Away => {}
            State::Absent => {
                chair.expect_start(at, self.manners.patience);
                effects.push(Effect::Start(side));
            }
            State::Starting { .. }
            | State::Preparing { .. }
            | State::Ready
            | State::Thinking
            | State::Pondering { .. }
            | State::Draining
            | State::Stopping { .. }
            | State::Gone => self.prepare(at, side, effects),
        }
    }

    fn started(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        self.chairs[side].greet(at);
        send(side, &self.chairs[side], effects);
    }

    /// A greeted engine is told that a new game begins.
    fn prepare(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        self.chairs[side].prepare(at, self.manners.patience);
        send(side, &self.chairs[side], effects);
    }

    fn begin_when_ready(&mut self, at: At, effects: &mut Vec<Effect>) {
        if self.over || self.begun {
            return;
        }
        // Both sides get on, whether or not the other one is ready.
        let ready = Side::BOTH.map(|side| self.seat_team(at, side, effects));
        self.ready = ready == [true, true];
        if !self.ready || !self.permitted {
            return;
        }
        self.begun = true;
        let next = self.game.begin();
        self.follow(at, next, effects);
    }

    fn line(&mut self, at: At, side: Side, line: &[u8], effects: &mut Vec<Effect>) {
        let chair = &mut self.chairs[side];
        if chair.state == State::Away {
            return;
        }
        let heard = chair.session.hear(line, &mut chair.outbox);
        send(side, chair, effects);
        self.heard(at, side, heard, effects);
    }

    fn heard(&mut self, at: At, side: Side, heard: Heard<'_>, effects: &mut Vec<Effect>) {
        match heard {
            Heard::Nothing => {}
            Heard::Greeted => {
                self.prepare(at, side, effects);
                self.ready(at, side, effects);
            }
            Heard::Ready => {
                if let State::Preparing { .. } = self.chairs[side].state {
                    self.chairs[side].state = State::Ready;
                }
                self.ready(at, side, effects);
            }
            // Nobody can answer what was not flushed yet: a second answer to the question before.
            Heard::Answer(_) if self.chairs[side].is_unsent() && !self.chairs[side].is_hit() => {
                self.chairs[side].session.disregard_answer();
            }
            Heard::Answer(answer) => {
                let reply = match answer.mv {
                    AnsweredMove::Move(mv) => Reply::Move(mv),
                    AnsweredMove::None(b"nobestmove") => Reply::NoBestMove,
                    AnsweredMove::None(text) | AnsweredMove::Unreadable(text) => Reply::Unreadable(text),
                };
                let draw = answer.draw | std::mem::take(&mut self.chairs[side].offered);
                let expected = answer.ponder;
                let answer = Answer { reply, draw, resign: answer.resign };
                self.answer(at, side, answer, expected, effects);
            }
            Heard::Late => match self.chairs[side].state {
                State::Stopping { .. } => {
                    self.chairs[side].state = State::Ready;
                    self.note_late_answer(at, side, effects);
                    self.ready(at, side, effects);
                }
                State::Draining if self.chairs[side].session.phase() == Phase::Idle => {
                    self.drained(at, side, effects);
                }
                State::Draining
                | State::Absent
                | State::Away
                | State::Starting { .. }
                | State::Preparing { .. }
                | State::Ready
                | State::Thinking
                | State::Pondering { .. }
                | State::Gone => {}
            },
            Heard::Refused(text) => self.refused(at, side, text, effects),
            Heard::Claim { line, .. } => self.note(side, "claim", lossy(line), effects),
            Heard::Resign => {
                let next = self.game.resign(side);
                self.follow(at, next, effects);
            }
            Heard::Offer => self.chairs[side].offered = true,
            Heard::Bye => {}
        }
    }

    /// The answer for want of which the game was lost has come all the same: an engine that was merely late, or
    /// one that does not flush its output.
    fn note_late_answer(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        let Some((_, lost)) = self.awaited.take_if(|(loser, _)| *loser == side) else { return };
        let late = (at - lost).as_millis();
        let text =
            format!("its answer came when it was stopped, {late} ms after the game was lost for want of it");
        self.note(side, "late_answer", text, effects);
    }

    /// A seat has become ready: the game begins, or goes on after a restart.
    fn ready(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        if self.chairs[side].state != State::Ready {
            return;
        }
        if self.begun {
            self.ask_if_due(at, side, effects);
        } else {
            self.begin_when_ready(at, effects);
        }
    }

    /// `expected`: the reply that the engine would like to think about meanwhile.
    fn answer(
        &mut self,
        at: At,
        side: Side,
        answer: Answer<'_>,
        expected: Option<Move>,
        effects: &mut Vec<Effect>,
    ) {
        if self.chairs[side].is_hit() {
            // The answer crossed a `ponderhit` that is not flushed yet: nothing of its time counts.
            self.game.asked(at);
        }
        self.chairs[side].state = State::Ready;
        if self.over || self.game.side() != side {
            return;
        }
        if self.discusses(side) {
            self.advised(at, side, answer, effects);
            return;
        }
        if answer.reply == Reply::NoBestMove {
            let why = self.why_no_move();
            self.note(side, "nobestmove", why, effects);
        }
        let (made, mut next) = self.game.answer(at, answer);
        if let Some(made) = made {
            let session = &self.chairs[side].session;
            let mut thought = session.thought_in_brief();
            if let Some(lines) = session.kept_lines() {
                thought.get_or_insert_default().lines = Some(lines);
            }
            if next == Next::Ask {
                next = self.game.scored(thought.as_ref().and_then(|thought| thought.score).map(value));
            }
            effects.push(Effect::Moved(made, thought));
            self.discussion.heard = 0;
            let (captured, after) = {
                let trail = self.game.trail();
                let captured = trail.halves().last().is_some_and(|half| half.captured.is_some());
                (captured, trail.position())
            };
            for side in Side::BOTH {
                self.chairs[side].sheet.played(made.mv, captured, after);
                for waiting in &mut self.benches[side] {
                    waiting.sheet.played(made.mv, captured, after);
                }
            }
            if !matches!(next, Next::Over(_)) {
                self.note_losing_loop(effects);
            }
        }
        self.follow(at, next, effects);
        self.ponder(at, side, expected, effects);
    }

    fn refused(&mut self, at: At, side: Side, text: &[u8], effects: &mut Vec<Effect>) {
        let text = lossy(text);
        let fen = self.game.trail().position().fen();
        self.note(side, "refused", format!("refuses a legal move or position: {text} ({fen})"), effects);
        let next = self.game.stop(Termination::IllegalMove { loser: side, text });
        self.follow(at, next, effects);
    }

    /// An outbox was flushed: if it held the question, the clock runs from now.
    fn sent(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        let chair = &mut self.chairs[side];
        chair.flushed();
        if matches!(chair.state, State::Thinking | State::Draining) && self.game.side() == side {
            self.game.asked(at);
        }
        if !self.begun && !self.benches[side].is_empty() {
            self.begin_when_ready(at, effects);
        }
    }

    fn timer(&mut self, at: At, effects: &mut Vec<Effect>) {
        if self.game.wakeup().is_some_and(|due| at >= due) {
            let next = self.game.timer(at);
            self.follow(at, next, effects);
        }
        for side in Side::BOTH {
            let chair = &mut self.chairs[side];
            if chair.silence_is_over(at) {
                let heard = chair.session.settle(&mut chair.outbox);
                send(side, chair, effects);
                self.heard(at, side, heard, effects);
            } else if chair.deadline().is_some_and(|due| at >= due) {
                let what = chair.waiting_for();
                self.overdue(at, side, what, effects);
            }
        }
    }

    fn follow(&mut self, at: At, next: Next, effects: &mut Vec<Effect>) {
        match next {
            Next::Wait => {}
            Next::Overran(overran) => self.overran(at, overran, effects),
            Next::Ask => {
                let side = self.game.side();
                self.ask_if_due(at, side, effects);
            }
            Next::Over(why) => {
                self.over = true;
                if let Termination::Flag { loser, .. } | Termination::Stalled { loser, .. } = &why {
                    self.awaited = Some((*loser, at));
                }
                effects.push(Effect::Over(why));
                for side in Side::BOTH {
                    if self.chairs[side].end_game(at, SETTLE) {
                        effects.push(Effect::Kill(side));
                    }
                    send(side, &self.chairs[side], effects);
                }
            }
        }
    }

    fn ask_if_due(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        if self.over || !self.begun || self.game.side() != side || self.barred {
            return;
        }
        if self.is_busy(at, side) {
            return;
        }
        self.bring_to_board(side, effects);
        if self.chairs[side].state == State::Gone && !self.call_back(at, side, effects) {
            return;
        }
        if self.chairs[side].fresh && self.chairs[side].state == State::Ready {
            // It comes from another game. That it gets ready for this one is not charged to it.
            self.prepare(at, side, effects);
            if self.chairs[side].state != State::Ready {
                return;
            }
        }
        if let State::Pondering { expected } = self.chairs[side].state {
            self.end_pondering(at, side, expected, effects);
            return;
        }
        if self.chairs[side].state != State::Ready {
            // It is being started again: its clock runs from the moment it was due to be asked.
            self.let_clock_run(at, side);
            return;
        }
        self.list_losing_moves(side, None);
        let told = Told { ban: &self.ban, only: &self.only, sharers: self.sharers(side) };
        let chair = &mut self.chairs[side];
        chair.ask(at, &self.game, &told, self.manners.patience);
        send(side, chair, effects);
    }

    /// Whether who sits at the board has to be waited for before its side can be asked: it serves another
    /// table, its last search is still being stopped, or it is being started while it is another's turn.
    fn is_busy(&mut self, at: At, side: Side) -> bool {
        match self.chairs[side].state {
            State::Away | State::Stopping { .. } => true,
            State::Starting { .. } | State::Preparing { .. } if !self.benches[side].is_empty() => {
                self.let_clock_run(at, side);
                true
            }
            State::Absent
            | State::Starting { .. }
            | State::Preparing { .. }
            | State::Ready
            | State::Thinking
            | State::Pondering { .. }
            | State::Draining
            | State::Gone => false,
        }
    }

    /// Tells people something; a talkative engine is not allowed to fill the journal.
    fn note(&mut self, side: Side, kind: &'static str, text: String, effects: &mut Vec<Effect>) {
        if self.notes < MAX_NOTES {
            self.notes += 1;
            effects.push(Effect::Note(side, kind, text));
        }
    }

    fn settle(&mut self, effects: &mut Vec<Effect>) {
        let quiet = |side: Side| self.chairs[side].is_settled();
        if self.over && !self.settled && Side::BOTH.into_iter().all(quiet) {
            self.settled = true;
            effects.push(Effect::Settled);
        }
    }
}

fn send(side: Side, chair: &Chair, effects: &mut Vec<Effect>) {
    if chair.wants_sending() {
        effects.push(Effect::Send(side));
    }
}

fn lossy(text: &[u8]) -> String {
    printable(text).chars().take(200).collect()
}

/// What the engine is told of a fixed time a move.
fn told_movetime(pace: Pace) -> Option<Duration> {
    match pace {
        Pace::PerMove { limit, reserve } => Some(limit.saturating_sub(reserve)),
        Pace::Untimed | Pace::Bank { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{Manifest, Protocol};
    use crate::game::{Adjudication, Terms, TimeControl};
    use crate::law::Rules;
    use crate::xiangqi::Position;

    /// A table at which Red has been asked and its question was flushed at 1 ms.
    fn begun() -> Table {
        let control = TimeControl::parse("1").unwrap();
        let terms = Terms {
            rules: Rules::default(),
            controls: BySide { red: control, black: control },
            margin: Duration::ZERO,
            patience: Duration::from_secs(5),
            draw_offers: true,
            adjudication: Adjudication::default(),
            draw_as_black_win: false,
        };
        let mut manifest = Manifest::new("x", Protocol::Uci);
        manifest.ping = false;
        let manifest = Arc::new(manifest);
        let chairs = BySide::from_fn(|_| Chair::absent(&manifest, &Position::start()));
        let patience = Duration::from_secs(5);
        let manners = Manners { crash: CrashRule::Loses, warn: false, warn_uci: false, patience };
        let mut table = Table::new(Game::new(terms, Position::start(), &[]), chairs, manners);
        step(&mut table, 0, Input::Begin);
        for side in Side::BOTH {
            step(&mut table, 1, Input::Started(side));
            step(&mut table, 2, Input::Line(side, b"uciok"));
        }
        step(&mut table, 1000, Input::Sent(Side::Red));
        table
    }

    fn step(table: &mut Table, at: u64, input: Input<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        table.step(At(at), input, &mut effects);
        effects
    }

    fn moves(effects: &[Effect]) -> Vec<(String, u128)> {
        let moved = |effect: &Effect| match effect {
            Effect::Moved(made, _) => Some((made.mv.to_string(), made.used.as_micros())),
            _ => None,
        };
        effects.iter().filter_map(moved).collect()
    }

    #[test]
    fn an_answer_before_its_question_was_flushed_is_none() {
        let mut table = begun();
        let effects = step(&mut table, 1500, Input::Line(Side::Red, b"bestmove h2e2"));
        assert_eq!(moves(&effects), [("h2e2".to_owned(), 500)]);
        step(&mut table, 1501, Input::Sent(Side::Black));
        step(&mut table, 1600, Input::Line(Side::Black, b"bestmove h9g7"));
        // Red's pipe is full, and it says its move once more.
        let effects = step(&mut table, 1700, Input::Line(Side::Red, b"bestmove h2e2"));
        assert!(moves(&effects).is_empty() && !table.game().is_over(), "{effects:?}");
        step(&mut table, 2000, Input::Sent(Side::Red));
        let effects = step(&mut table, 2300, Input::Line(Side::Red, b"bestmove h0g2"));
        assert_eq!(moves(&effects), [("h0g2".to_owned(), 300)]);
    }
}
