//! The referee of one game: a pure machine that turns answers and moments into moves, clock charges
//! and an ending. Order after an answer: time, legality, no legal move, repetition, other draws
//! (`asian-rules.md` 4), agreement. Never knows who or what sits on a seat. Start at [`Game::answer`].

mod overrun;

use std::time::Duration;

use super::adjudication::{Adjudication, Adjudicator};
use super::clock::{Clock, TimeControl};
use super::termination::{Outcome, Termination};
use crate::law::{Rules, Trail, ending};
use crate::time::At;
use crate::xiangqi::{BySide, Move, Position, Side};

pub use overrun::{Overran, OverrunRule, Overruns};

/// The terms of a game.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// The law.
    pub rules: Rules,
    /// Each side's time control.
    pub controls: BySide<TimeControl>,
    /// Margin past zero before a flag falls.
    pub margin: Duration,
    /// Longest thought where no clock can fall.
    pub patience: Duration,
    /// Whether draws by agreement are possible.
    pub draw_offers: bool,
    /// Whether scores may end it.
    pub adjudication: Adjudication,
    /// Draw odds: whether a drawn game counts as won by Black.
    pub draw_as_black_win: bool,
}

/// What a side answered when it was asked for a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply<'a> {
    /// A well-formed move.
    Move(Move),
    /// UCCI's `nobestmove`: a resignation while legal moves are left.
    NoBestMove,
    /// Something that is no move: `(none)`, `0000`, nonsense; or the words that go with a refusal.
    Unreadable(&'a [u8]),
}

/// An answer: the reply and what was said with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The move, or none.
    pub reply: Reply<'a>,
    /// A draw is offered or accepted.
    pub draw: bool,
    /// The side gives up; the move is not played.
    pub resign: bool,
}

/// A move made, as the records want it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveMade {
    /// Who moved.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// Time charged.
    pub used: Duration,
    /// Time left after the move, if there is a clock.
    pub left: Option<Duration>,
    /// Moves to the next period, 0 in sudden death.
    pub to_go: u32,
    /// Whether a draw was offered or accepted with it.
    pub draw: bool,
}

/// What follows from a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The side to move is to be asked.
    Ask,
    /// Nothing yet.
    Wait,
    /// The side to move overran its time and does not lose by it: its search is to be stopped, and what the
    /// rule says is to be done ([`Game::pass`]).
    Overran(Overran),
    /// The game has ended.
    Over(Termination),
}

/// Longest part of an illegal answer that is kept in the record.
const MAX_ANSWER_TEXT: usize = 80;

/// One game under the referee.
#[derive(Debug, Clone)]
pub struct Game {
    trail: Trail,
    terms: Terms,
    clocks: BySide<Clock>,
    asked: Option<At>,
    offer: Option<Side>,
    /// A draw was agreed before a stop, and the game's end is not in the journal.
    agreed: bool,
    scores: Adjudicator,
    overruns: BySide<Overruns>,
    /// How often each side has overrun its time since its last move.
    in_row: BySide<u32>,
    over: bool,
}

impl Game {
    /// A game with full clocks from a position after opening moves (which must be legal; a move that
    /// is not ends the opening there).
    pub fn new(terms: Terms, start: Position, opening: &[Move]) -> Game {
        Game::with_halves(terms, start, opening.iter().map(|mv| Some(*mv)))
    }

    /// As [`Game::new`], after half-moves of which `None` is a pass.
    pub fn with_halves(
        terms: Terms,
        start: Position,
        halves: impl IntoIterator<Item = Option<Move>>,
    ) -> Game {
        let mut trail = Trail::new(start);
        for half in halves {
            match half {
                None => trail.pass(),
                Some(mv) if trail.position().is_legal(mv) => trail.play(mv),
                Some(_) => break,
            }
        }
        Game {
            trail,
            terms,
            clocks: terms.controls.map(Clock::new),
            asked: None,
            offer: None,
            agreed: false,
            scores: Adjudicator::new(terms.adjudication),
            overruns: BySide::default(),
            in_row: BySide::default(),
            over: false,
        }
    }

    /// Goes on from the present position with clocks as they stood (resume, correction).
    pub fn with_clocks(mut self, clocks: BySide<Clock>) -> Game {
        self.clocks = clocks;
        self
    }

    /// The moves and the position.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }

    /// The terms.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The result that an end of this game brings, draw odds minded.
    pub fn outcome(&self, termination: &Termination) -> Option<Outcome> {
        termination.counted(self.terms.draw_as_black_win)
    }

    /// A side's clock.
    pub fn clock(&self, side: Side) -> &Clock {
        &self.clocks[side]
    }

    /// Who is to move.
    pub fn side(&self) -> Side {
        self.trail.position().side()
    }

    /// Whether a draw offer stands for the side to move.
    pub fn draw_offered(&self) -> bool {
        self.terms.draw_offers && self.offer == Some(!self.side())
    }

    /// Begins the game: a start position may be an end already, and so may the last half-move before a stop be.
    pub fn begin(&mut self) -> Next {
        let plies = self.trail.halves().len();
        let agreed = || self.agreed.then_some(Termination::Agreed);
        let over = self.by_law().or_else(agreed).or_else(|| self.scores.verdict(plies));
        over.map_or(Next::Ask, |over| self.end(over))
    }

    /// The side to move was asked: its `go` was flushed at `at`, and its clock runs from then. If it
    /// runs already (a restart under the clock), it goes on.
    pub fn asked(&mut self, at: At) {
        if !self.over && self.asked.is_none() {
            self.asked = Some(at);
        }
    }

    /// Whether the clock of the side to move runs, and since when.
    pub fn running_since(&self) -> Option<At> {
        self.asked
    }

    /// When the flag of the side to move falls, or its patience ends: the moment after which
    /// [`Game::timer`] must be called.
    pub fn wakeup(&self) -> Option<At> {
        let since = self.asked?;
        let allowed = match self.clocks[self.side()].left() {
            Some(left) if self.is_free(self.side()) => left.saturating_add(self.terms.patience),
            Some(left) => left.saturating_add(self.terms.margin),
            None => self.terms.patience,
        };
        Some(since + allowed + Duration::from_micros(1))
    }

    /// The last moment at which an answer of the side to move is in time, margin included; `None` while no clock
    /// runs or where it has none.
    pub fn last_in_time(&self) -> Option<At> {
        let left = self.clocks[self.side()].left().filter(|_| !self.is_free(self.side()))?;
        Some(self.asked? + left.saturating_add(self.terms.margin))
    }

    /// Time has passed without an answer.
    pub fn timer(&mut self, at: At) -> Next {
        let (Some(since), Some(deadline)) = (self.asked, self.wakeup()) else { return Next::Wait };
        if self.over || at < deadline {
            return Next::Wait;
        }
        let loser = self.side();
        let used = at - since;
        match self.clocks[loser].left() {
            Some(allowed) if !self.is_free(loser) => self.flag(loser, used, allowed),
            Some(_) | None => self.end(Termination::Stalled { loser, waiting_for: "a move".to_owned() }),
        }
    }

    /// The side to move answered; the answer's line was stamped at `at`.
    pub fn answer(&mut self, at: At, answer: Answer<'_>) -> (Option<MoveMade>, Next) {
        let side = self.side();
        let Some(since) = self.asked.filter(|_| !self.over) else { return (None, Next::Wait) };
        let used = at - since;
        let clock = self.clocks[side];
        if clock.is_late(used, self.terms.margin) && !self.is_free(side) {
            let allowed = clock.left().unwrap_or_default();
            return (None, self.flag(side, used, allowed));
        }
        if answer.resign {
            return (None, self.end(Termination::Resigned { loser: side }));
        }
        match answer.reply {
            // A draw that is offered is accepted without a move as well.
            Reply::Unreadable(b"" | b"(none)") if answer.draw && self.draw_offered() => {
                (None, self.end(Termination::Agreed))
            }
            Reply::NoBestMove => (None, self.end(Termination::Resigned { loser: side })),
            Reply::Unreadable(text) => (None, self.illegal(side, text)),
            Reply::Move(mv) if !self.trail.position().is_legal(mv) => {
                (None, self.illegal(side, mv.to_string().as_bytes()))
            }
            Reply::Move(mv) => {
                let (made, next) = self.play(side, mv, used, answer.draw);
                (Some(made), next)
            }
        }
    }

    fn play(&mut self, side: Side, mv: Move, used: Duration, draw: bool) -> (MoveMade, Next) {
        self.clocks[side].charge(used);
        self.asked = None;
        self.in_row[side] = 0;
        self.trail.play(mv);
        let clock = &self.clocks[side];
        let made = MoveMade { side, mv, used, left: clock.left(), to_go: clock.moves_left(), draw };
        if let Some(over) = self.by_law() {
            return (made, self.end(over));
        }
        let accepted = self.terms.draw_offers && draw && self.offer == Some(!side);
        self.offer = draw.then_some(side);
        if accepted {
            return (made, self.end(Termination::Agreed));
        }
        (made, Next::Ask)
    }

    /// What the mover of the last half-move thinks of the game (see [`Adjudication`]; mover's view); to
    /// be told after each move that did not end it.
    pub fn scored(&mut self, score: Option<i32>) -> Next {
        let plies = self.trail.halves().len();
        match self.scores.scored(!self.side(), score, plies) {
            Some(over) if !self.over => self.end(over),
            Some(_) | None => Next::Ask,
        }
    }

    /// Goes on with what was offered before a stop: whether a draw was with the last half-move but one, and with
    /// the last.
    pub fn with_offers(self, [before, last]: [bool; 2]) -> Game {
        let offer = last.then_some(!self.side());
        Game { offer, agreed: before && last && self.terms.draw_offers, ..self }
    }

    /// Goes on with scores that were told before a stop, oldest first, the last one that of the last
    /// half-move.
    pub fn with_scores(mut self, scores: &[Option<i32>]) -> Game {
        let plies = self.trail.halves().len();
        let mut side = if scores.len().is_multiple_of(2) { self.side() } else { !self.side() };
        for (index, score) in scores.iter().enumerate() {
            let _ = self.scores.scored(side, *score, plies.saturating_sub(scores.len() - index - 1));
            side = !side;
        }
        self
    }

    /// A side gives up outside an answer.
    pub fn resign(&mut self, side: Side) -> Next {
        if self.over {
            return Next::Wait;
        }
        self.end(Termination::Resigned { loser: side })
    }

    /// The game ends for a reason that the table knows: an engine that ended or never got ready, a
    /// session that is over, a hold.
    pub fn stop(&mut self, why: Termination) -> Next {
        if self.over {
            return Next::Wait;
        }
        self.end(why)
    }

    /// Whether the game has ended.
    pub fn is_over(&self) -> bool {
        self.over
    }

    fn by_law(&self) -> Option<Termination> {
        ending(&self.trail, &self.terms.rules).map(Termination::from)
    }

    fn flag(&mut self, loser: Side, used: Duration, allowed: Duration) -> Next {
        if self.overruns[loser].rule != OverrunRule::Loses {
            return self.overrun(loser, used, allowed);
        }
        self.clocks[loser].run_down(used);
        self.end(Termination::Flag { loser, used, allowed })
    }

    fn illegal(&mut self, loser: Side, text: &[u8]) -> Next {
        // Records are shown in terminals, which must find nothing to obey in them.
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        let text: String = String::from_utf8_lossy(text).chars().take(MAX_ANSWER_TEXT).map(shown).collect();
        self.end(Termination::IllegalMove { loser, text })
    }

    fn end(&mut self, why: Termination) -> Next {
        self.over = true;
        self.asked = None;
        Next::Over(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::ResignRule;
    use crate::xiangqi::SquareStyle;

    fn terms(time: &str) -> Terms {
        let control = TimeControl::parse(time).unwrap();
        Terms {
            rules: Rules::default(),
            controls: BySide { red: control, black: control },
            margin: Duration::ZERO,
            patience: Duration::from_secs(60),
            draw_offers: true,
            adjudication: Adjudication::default(),
            draw_as_black_win: false,
        }
    }

    fn mv(text: &str) -> Move {
        SquareStyle::Zero.read(text.as_bytes()).unwrap()
    }

    fn plain(text: &str) -> Answer<'static> {
        Answer { reply: Reply::Move(mv(text)), draw: false, resign: false }
    }

    fn begun(time: &str) -> Game {
        let mut game = Game::new(terms(time), Position::start(), &[]);
        assert_eq!(game.begin(), Next::Ask);
        game.asked(At(1000));
        game
    }

    #[test]
    fn a_move_is_charged_from_the_flush_to_the_stamp() {
        let mut game = begun("1+0.1");
        let (made, next) = game.answer(At(251_000), plain("h2e2"));
        let made = made.unwrap();
        assert_eq!((made.used.as_micros(), made.left.unwrap().as_micros()), (250_000, 850_000));
        assert_eq!((next, game.side(), game.wakeup()), (Next::Ask, Side::Black, None));
    }

    #[test]
    fn a_microsecond_over_loses_whatever_the_answer_says() {
        let mut game = begun("1");
        assert_eq!(game.timer(At(1_001_000)), Next::Wait);
        assert!(game.clone().answer(At(1_001_000), plain("h2e2")).0.is_some());
        let (made, next) = game.answer(At(1_001_001), plain("h2e2"));
        let flag = Termination::Flag {
            loser: Side::Red,
            used: Duration::from_micros(1_000_001),
            allowed: Duration::from_secs(1),
        };
        assert_eq!((made, next), (None, Next::Over(flag)));
        assert_eq!(game.clock(Side::Red).left(), Some(Duration::ZERO));
    }

    #[test]
    fn silence_is_a_flag_with_a_clock_and_a_stall_without() {
        let mut game = begun("1");
        assert!(matches!(game.timer(At(1_001_001)), Next::Over(Termination::Flag { .. })));
        let mut game = begun("nodes=10");
        assert_eq!(game.timer(At(60_000_000)), Next::Wait);
        assert!(matches!(game.timer(At(60_001_001)), Next::Over(Termination::Stalled { .. })));
    }

    #[test]
    fn illegal_answers_lose() {
        let answer = |text: &'static str| Answer {
            reply: Reply::Unreadable(text.as_bytes()),
            draw: false,
            resign: false,
        };
        let (_, next) = begun("1").answer(At(2000), plain("h2h9"));
        assert_eq!(next, Next::Ask, "a legal capture");
        let (_, next) = begun("1").answer(At(2000), plain("h2h8"));
        assert!(matches!(next, Next::Over(Termination::IllegalMove { loser: Side::Red, .. })));
        let (_, next) = begun("1").answer(At(2000), answer("(none)"));
        assert!(matches!(next, Next::Over(Termination::IllegalMove { text, .. }) if text == "(none)"));
    }

    #[test]
    fn an_offer_is_accepted_in_the_very_next_answer_only() {
        let offer = |text| Answer { draw: true, ..plain(text) };
        let mut game = begun("10");
        assert_eq!(game.answer(At(2000), offer("h2e2")).1, Next::Ask);
        assert!(game.draw_offered());
        game.asked(At(3000));
        let silent = Answer { reply: Reply::Unreadable(b"(none)"), ..offer("h9g7") };
        assert_eq!(game.clone().answer(At(4000), silent), (None, Next::Over(Termination::Agreed)));
        assert_eq!(game.clone().answer(At(4000), offer("h9g7")).1, Next::Over(Termination::Agreed));
        assert_eq!(game.answer(At(4000), plain("h9g7")).1, Next::Ask);
        game.asked(At(5000));
        assert_eq!(game.answer(At(6000), offer("h0g2")).1, Next::Ask, "the first offer has lapsed");
    }

    #[test]
    fn scores_that_had_decided_a_game_before_a_stop_decide_it_when_it_goes_on() {
        let resign = ResignRule { move_count: 1, score: 500, two_sided: false };
        let terms = Terms { adjudication: Adjudication { resign: Some(resign), draw: None }, ..terms("10") };
        let halves = ["h2e2", "h9g7"].map(|mv| SquareStyle::Zero.read(mv.as_bytes()));
        let game = Game::with_halves(terms, Position::start(), halves);
        assert_eq!(game.clone().with_scores(&[Some(0), Some(-499)]).begin(), Next::Ask);
        let won = Termination::Adjudicated { winner: Some(Side::Red), rule: "resign" };
        assert_eq!(game.with_scores(&[Some(0), Some(-600)]).begin(), Next::Over(won));
    }

    #[test]
    fn the_clock_of_a_restarted_engine_runs_on() {
        let mut game = begun("1");
        game.asked(At(900_000));
        let (made, _) = game.answer(At(951_000), plain("h2e2"));
        assert_eq!(made.unwrap().used.as_micros(), 950_000);
    }

    #[test]
    fn mate_beats_a_draw_limit() {
        let start = Position::from_fen("4k4/9/9/9/9/9/9/8R/7R1/5K3 w - - 119 70").unwrap();
        for (text, over) in [("h1h8", Termination::NoCapture), ("h1h9", Termination::NoCapture)] {
            let mut game = Game::new(terms("10"), start.clone(), &[]);
            game.begin();
            game.asked(At(0));
            assert_eq!(game.answer(At(5), plain(text)).1, Next::Over(over));
        }
        let start = Position::from_fen("4k4/7R1/9/9/9/9/9/8R/9/5K3 w - - 119 70").unwrap();
        let mut game = Game::new(terms("10"), start, &[]);
        game.begin();
        game.asked(At(0));
        assert_eq!(
            game.answer(At(5), plain("i2i9")).1,
            Next::Over(Termination::Mated { loser: Side::Black })
        );
    }
}
