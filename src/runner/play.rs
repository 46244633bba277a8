//! Playing one game: turns pipes, exits and timers into inputs of a table and carries out its effects.
//! Decides nothing. Start at [`play`].

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Sleep;

use super::hall::{Hall, Halt, Idle};
use super::live::{Aloud, Message};
use super::process::{EngineProcess, ReadEvent};
use super::start::start_engine;
use super::trace::{Traced, Tracer};
use super::wall::date;
use crate::director::Assignment;
use crate::game::Termination;
use crate::plan::Grain;
use crate::record::{GameBegan, Noted, Scoresheet, What};
use crate::table::{Chair, Effect, Input, Manners, Table};
use crate::time::{At, micros};
use crate::tournament::{GameId, GameResult};
use crate::xiangqi::{BySide, Side};

/// How long after the end of an engine's output its exit status is waited for: a crash must be judged
/// within 100 ms of the exit.
const EXIT_GRACE: Duration = Duration::from_millis(50);

type Starting = Pin<Box<dyn Future<Output = Result<EngineProcess, String>>>>;

/// What woke the game up.
enum Wake {
    Read(Side),
    OutputClosed(Side),
    Exited(Side),
    Started(Side, Box<Result<EngineProcess, String>>),
    Flushed(Side),
    InputClosed(Side),
    Timer,
}

/// One seat's process and what becomes of it.
#[derive(Default)]
struct Seat {
    /// Which member of its side's team, from 0.
    member: usize,
    process: Option<EngineProcess>,
    starting: Option<Starting>,
    output_closed: bool,
    /// When it is taken for gone if its exit is not seen before, and how it is then said to have ended.
    fading: Option<(At, &'static str)>,
}

struct Playing {
    hall: Rc<Hall>,
    assignment: Assignment,
    table: Table,
    seats: BySide<Seat>,
    /// Members of teams that wait for their turn, the next one first.
    benches: BySide<VecDeque<Seat>>,
    sheet: Scoresheet,
    sleep: Pin<Box<Sleep>>,
    armed: Option<At>,
    /// The moment of the input whose effects are carried out.
    now: At,
    effects: Vec<Effect>,
    performing: Vec<Effect>,
    first: Side,
    settled: bool,
    /// Where the live page finds what the engines say.
    aloud: Option<Arc<Aloud>>,
}

/// Plays a game to its end and records it. Dropping the future breaks the game off: its engines are
/// killed and nothing is recorded.
pub async fn play(hall: Rc<Hall>, assignment: Assignment) {
    let mut playing = Playing::new(hall, assignment);
    playing.step_at(playing.now, Input::Begin);
    while !playing.settled {
        let wake = poll_fn(|cx| playing.poll_wake(cx)).await;
        playing.wake(wake);
    }
    playing.leave();
}

impl Playing {
    fn new(hall: Rc<Hall>, assignment: Assignment) -> Playing {
        let now = hall.wall.now();
        let sheet = begin_sheet(&hall, &assignment, now);
        let game = sheet.game(hall.plan.terms(assignment.id.stage, assignment.seats));
        let mut teams: BySide<VecDeque<Seat>> = BySide::default();
        let mut chairs: BySide<Vec<Chair>> = BySide::default();
        for side in Side::BOTH {
            let entrant = assignment.seats[side];
            for (member, manifest) in hall.plan.entrants[entrant].members().enumerate() {
                let mut seat = Seat { member, ..Seat::default() };
                let mut chair = match hall.take_idle(entrant, member) {
                    None => Chair::absent(manifest, game.trail().start()),
                    Some(Idle { mut process, session }) => {
                        process.clear_tails();
                        seat.process = Some(process);
                        Chair::seated(manifest, session, game.trail().start())
                    }
                };
                chair.enter_all(game.trail());
                teams[side].push_back(seat);
                chairs[side].push(chair);
            }
        }
        let further = BySide::from_fn(|side| chairs[side].split_off(1));
        let first = BySide::from_fn(|side| chairs[side].remove(0));
        let seats = BySide::from_fn(|side| teams[side].pop_front().unwrap_or_default());
        if let Some(trace) = &hall.trace {
            let seated = BySide::from_fn(|side| numbered(&seats[side]));
            let (game, date, seated) = (assignment.id, sheet.date().to_owned(), Tracer::pair(seated));
            trace.write(&Traced::Begun { game, at: now, date, seated });
        }
        let aloud = sit_down_live(&hall, &assignment);
        Playing {
            table: Table::new(game, first, Manners::of(&hall.plan.conduct))
                .with_team(Side::Red, further.red)
                .with_team(Side::Black, further.black),
            seats,
            benches: teams,
            sheet,
            sleep: Box::pin(tokio::time::sleep(Duration::ZERO)),
            armed: None,
            now,
            effects: Vec::new(),
            performing: Vec::new(),
            first: Side::Red,
            settled: false,
            aloud,
            hall,
            assignment,
        }
    }

    fn step(&mut self, input: Input<'_>) {
        self.step_at(self.hall.wall.now(), input);
    }

    fn step_at(&mut self, at: At, input: Input<'_>) {
        self.now = at;
        self.feed(at, input);
        self.perform_all();
    }

    fn feed(&mut self, at: At, input: Input<'_>) {
        give(&self.hall, self.assignment.id, &mut self.table, &mut self.effects, at, input);
    }

    fn poll_wake(&mut self, cx: &mut Context<'_>) -> Poll<Wake> {
        // Each side comes first in turn, so that a flood from one cannot silence the other.
        self.first = !self.first;
        for side in [self.first, !self.first] {
            if let Poll::Ready(wake) = self.poll_seat(side, cx) {
                return Poll::Ready(wake);
            }
        }
        self.poll_timer(cx)
    }

    fn poll_seat(&mut self, side: Side, cx: &mut Context<'_>) -> Poll<Wake> {
        let seat = &mut self.seats[side];
        if let Some(starting) = &mut seat.starting
            && let Poll::Ready(result) = starting.as_mut().poll(cx)
        {
            return Poll::Ready(Wake::Started(side, Box::new(result)));
        }
        let Some(process) = &mut seat.process else { return Poll::Pending };
        if process.has_unsent()
            && seat.fading.is_none()
            && let Poll::Ready(result) = process.poll_unsent(cx)
        {
            let wake = if result.is_ok() { Wake::Flushed(side) } else { Wake::InputClosed(side) };
            return Poll::Ready(wake);
        }
        if !seat.output_closed {
            match process.poll_read(cx) {
                Poll::Ready(ReadEvent::Grew) => return Poll::Ready(Wake::Read(side)),
                Poll::Ready(ReadEvent::Closed) => return Poll::Ready(Wake::OutputClosed(side)),
                Poll::Pending => {}
            }
        }
        process.poll_exit(cx).map(|()| Wake::Exited(side))
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<Wake> {
        let fading = [self.seats.red.fading, self.seats.black.fading];
        let fading = fading.into_iter().flatten().map(|(by, _)| by);
        let Some(due) = fading.chain(self.table.wakeup()).min() else { return Poll::Pending };
        // A timer that rings too early costs one look; re-arming it at each move would cost more.
        if self.armed.is_none_or(|armed| due < armed) {
            self.arm(due);
        }
        loop {
            if self.sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.armed = None;
            if self.hall.wall.now() >= due {
                return Poll::Ready(Wake::Timer);
            }
            self.arm(due);
        }
    }

    fn arm(&mut self, due: At) {
        self.armed = Some(due);
        // The timer's wheel has milliseconds; one more makes sure that the moment has passed.
        let instant = self.hall.wall.instant(due) + Duration::from_millis(1);
        self.sleep.as_mut().reset(instant);
    }

    fn wake(&mut self, wake: Wake) {
        match wake {
            Wake::Read(side) => self.hear(side, false),
            Wake::OutputClosed(side) => {
                self.hear(side, true);
                let seat = &mut self.seats[side];
                seat.output_closed = true;
                let by = self.hall.wall.now() + EXIT_GRACE;
                seat.fading.get_or_insert((by, "closed its output"));
            }
            Wake::Exited(side) => {
                self.hear(side, true);
                let status = self.seats[side].process.as_ref().and_then(EngineProcess::exit_status);
                let how = status.unwrap_or_else(|| "ended".to_owned());
                self.gone(side, &how);
            }
            Wake::Started(side, result) => self.started(side, *result),
            Wake::Flushed(side) => {
                self.step(Input::Sent(side));
                self.tell_clocks();
            }
            Wake::InputClosed(side) => self.input_closed(side),
            Wake::Timer => self.timer(),
        }
    }

    fn input_closed(&mut self, side: Side) {
        let by = self.hall.wall.now() + EXIT_GRACE;
        self.seats[side].fading.get_or_insert((by, "closed its input"));
    }

    fn timer(&mut self) {
        let at = self.hall.wall.now();
        for side in Side::BOTH {
            if let Some((by, how)) = self.seats[side].fading
                && at >= by
            {
                self.gone(side, how);
            }
        }
        self.step_at(at, Input::Timer);
    }

    fn gone(&mut self, side: Side, how: &str) {
        self.seats[side].fading = None;
        let at = self.hall.wall.now();
        let process = self.seats[side].process.as_mut();
        if let Some(transcript) = process.and_then(|process| process.transcript.as_mut()) {
            transcript.remark(at, how);
        }
        self.step(Input::Closed(side, how));
    }

    fn started(&mut self, side: Side, result: Result<EngineProcess, String>) {
        self.seats[side].starting = None;
        match result {
            Ok(process) => {
                let member = self.seats[side].member;
                let transcript = self.hall.transcript(self.assignment.seats[side], member);
                self.seats[side] = Seat { member, process: Some(process), ..Seat::default() };
                if let Some(process) = &mut self.seats[side].process {
                    process.transcript = transcript;
                }
                self.step(Input::Started(side));
            }
            Err(why) => self.step(Input::NotStarted(side, &why)),
        }
    }

    /// Gives all whole lines to the table, stamped now; at the end of the stream also a torn last one.
    fn hear(&mut self, side: Side, last: bool) {
        let at = self.hall.wall.now();
        self.now = at;
        let (hall, game) = (&self.hall, self.assignment.id);
        if let Some(process) = &mut self.seats[side].process {
            while let Some(line) = process.lines.next_line() {
                if let Some(transcript) = &mut process.transcript {
                    transcript.heard(at, line);
                }
                if let Some(aloud) = &self.aloud {
                    aloud.heard(side, line);
                }
                give(hall, game, &mut self.table, &mut self.effects, at, Input::Line(side, line));
            }
            if last && let Some(line) = process.lines.last_line() {
                give(hall, game, &mut self.table, &mut self.effects, at, Input::Line(side, line));
            }
        }
        self.perform_all();
        // Under a flood the timer is never polled; its moment is looked for here.
        if self.table.wakeup().is_some_and(|due| at >= due) {
            self.step_at(at, Input::Timer);
        }
    }

    fn perform_all(&mut self) {
        while !self.effects.is_empty() {
            std::mem::swap(&mut self.effects, &mut self.performing);
            let mut performing = std::mem::take(&mut self.performing);
            for effect in performing.drain(..) {
                self.perform(effect);
            }
            self.performing = performing;
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Send(side) => self.send(side),
            Effect::Start(side) => {
                let entrant = &self.hall.plan.entrants[self.assignment.seats[side]];
                let member = entrant.members().nth(self.seats[side].member);
                let manifest = Arc::clone(member.unwrap_or(&entrant.engine));
                let hall = Rc::clone(&self.hall);
                self.seats[side].starting =
                    Some(Box::pin(async move { start_engine(&hall.spawner, &manifest).await }));
            }
            Effect::Kill(side) => {
                let member = self.seats[side].member;
                let seat = std::mem::replace(&mut self.seats[side], Seat { member, ..Seat::default() });
                if let Some(process) = seat.process {
                    self.sheet.last_lines[side] = process.last_lines();
                    self.hall.close(process, false);
                }
            }
            Effect::Moved(made, thought) => {
                let member = self.mover(made.side);
                let grain = self.hall.plan.conduct.grain;
                let shown = self.hall.live.as_ref().filter(|_| grain == Grain::Game);
                let moved = self.sheet.moved(made, thought, shown.map_or(grain, |_| Grain::Move));
                member.into_iter().for_each(|member| self.sheet.made_by(member));
                if let Some(mut moved) = moved {
                    moved.member = member;
                    match shown {
                        Some(live) => live.tell(Message::Moved(self.now, moved)),
                        None => self.hall.record(self.now, What::Moved(moved)),
                    }
                }
            }
            Effect::Note(side, kind, text) => {
                let noted = Noted {
                    game: Some(self.assignment.id),
                    entrant: Some(self.hall.plan.entrants[self.assignment.seats[side]].name.clone()),
                    kind: kind.to_owned(),
                    text,
                };
                self.hall.record(self.now, What::Noted(noted));
            }
            Effect::Rotate(side) => {
                if let Some(next) = self.benches[side].pop_front() {
                    self.benches[side].push_back(std::mem::replace(&mut self.seats[side], next));
                }
            }
            Effect::Over(termination) => self.over(&termination),
            Effect::Settled => self.settled = true,
        }
    }

    fn send(&mut self, side: Side) {
        let outbox = self.table.outbox(side);
        let Some(process) = &mut self.seats[side].process else {
            outbox.clear();
            return;
        };
        let sent_from = self.hall.wall.now();
        if let Some(transcript) = &mut process.transcript {
            transcript.sent(sent_from, outbox);
        }
        match process.write(outbox) {
            Ok(true) => {
                let at = self.hall.wall.now();
                self.feed(at, Input::Sent(side));
                self.tell_clocks();
            }
            Ok(false) => {}
            Err(_) => self.input_closed(side),
        }
    }

    /// Tells the live page how the clocks stand since the last `go` was sent.
    fn tell_clocks(&self) {
        if let Some(live) = &self.hall.live {
            live.asked(self.assignment.id, self.table.game());
        }
    }

    fn over(&mut self, termination: &Termination) {
        if let Some(loser) = termination.fault_side()
            && self.sheet.last_lines[loser].is_empty()
            && let Some(process) = &self.seats[loser].process
        {
            self.sheet.last_lines[loser] = process.last_lines();
        }
        let delay = self.hall.delay_since(self.sheet.began_at());
        let Assignment { id, seats: BySide { red, black }, .. } = self.assignment;
        if let Some(trace) = &self.hall.trace {
            let last_lines = Tracer::pair(self.sheet.last_lines.clone());
            trace.write(&Traced::Over { game: id, delay_us: micros(delay), last_lines });
        }
        let over = self.sheet.over(self.now, self.table.game(), termination, delay);
        self.hall.record(self.now, What::GameOver(Box::new(over)));
        tell_twin(&self.hall, id, self.now);
        let result = termination.outcome().map(|outcome| GameResult { id, red, black, outcome });
        let decided = {
            let mut director = self.hall.director.borrow_mut();
            director.over(id, result);
            director.failures_on_end(self.hall.desk().run().failures_on_end());
            director.is_decided()
        };
        if decided {
            self.hall.stop(Halt::Now);
        }
        self.hall.changed.notify_waiters();
    }

    /// The member of a side's team that sits at the board, from 1; nobody where the side is no team.
    fn mover(&self, side: Side) -> Option<u8> {
        let member = u8::try_from(self.seats[side].member + 1).unwrap_or(u8::MAX);
        (!self.benches[side].is_empty()).then_some(member)
    }

    /// The game is recorded and settled: engines go to their next game or quit.
    fn leave(mut self) {
        let mut kept = BySide::default();
        let teams = self.table.into_teams();
        for (side, chairs) in Side::BOTH.into_iter().zip(teams) {
            let entrant = self.assignment.seats[side];
            let at_board = std::mem::take(&mut self.seats[side]);
            let seats = std::iter::once(at_board).chain(std::mem::take(&mut self.benches[side]));
            for (seat, chair) in seats.zip(chairs) {
                let Some(mut process) = seat.process else { continue };
                let usable = chair.is_usable();
                let session = chair.into_session();
                if let Some(transcript) = &mut process.transcript {
                    transcript.flush();
                }
                let reuse = self.hall.plan.conduct.reuse && session.reusable();
                let idle = Idle { process, session };
                if usable && reuse && !idle.process.has_unsent() {
                    kept[side] = Some(idle.process.number());
                    self.hall.give_idle(entrant, seat.member, idle);
                } else {
                    self.hall.quit(idle);
                }
            }
        }
        if let Some(trace) = &self.hall.trace {
            trace.write(&Traced::Left { game: self.assignment.id, kept: Tracer::pair(kept) });
        }
    }
}

/// Records a game that is not played: a side has withdrawn or may not play.
pub fn forfeit(hall: &Hall, assignment: &Assignment, loser: Side, reason: &str) {
    settle_unplayed(hall, assignment, &Termination::Forfeited { loser, reason: reason.to_owned() });
}

/// Records a game that cannot begin without a word of the chief referee.
pub fn hold(hall: &Hall, assignment: &Assignment, reason: &str) {
    settle_unplayed(hall, assignment, &Termination::Held { reason: reason.to_owned() });
}

fn settle_unplayed(hall: &Hall, assignment: &Assignment, termination: &Termination) {
    let now = hall.wall.now();
    let mut sheet = begin_sheet(hall, assignment, now);
    let game = sheet.game(hall.plan.terms(assignment.id.stage, assignment.seats));
    let over = sheet.over(now, &game, termination, Duration::ZERO);
    hall.record(now, What::GameOver(Box::new(over)));
    let Assignment { id, seats: BySide { red, black }, .. } = *assignment;
    let result = termination.outcome().map(|outcome| GameResult { id, red, black, outcome });
    hall.director.borrow_mut().over(id, result);
    hall.changed.notify_waiters();
}

/// A rapid game that repeats an earlier one move for move is told at once: two engines without chance in
/// them would go on like that for ever (I.8).
fn tell_twin(hall: &Hall, id: GameId, at: At) {
    let stage = hall.plan.stages.get(usize::from(id.stage).saturating_sub(1));
    if !stage.is_some_and(|stage| stage.format.is_play_off()) {
        return;
    }
    let Some(twin) = hall.desk().run().twin(id) else { return };
    let text = format!("the same moves as in game {twin}: these engines may never decide it by themselves");
    let kind = "identical_game".to_owned();
    hall.record(at, What::Noted(Noted { game: Some(id), entrant: None, kind, text }));
}

/// A sheet for a game; its beginning is journalled, unless it goes on where it stood when the runner
/// stopped.
fn begin_sheet(hall: &Hall, assignment: &Assignment, now: At) -> Scoresheet {
    let names = assignment.seats.map(|entrant| hall.plan.entrants[entrant].name.clone());
    let opening = hall.plan.openings.opening(assignment.opening);
    let mut sheet = Scoresheet::new(assignment.id, names, opening, now, date());
    match hall.take_unfinished(assignment.id) {
        Some(unfinished) => sheet.go_on(unfinished),
        None => {
            let lock = |side: Side| {
                hall.desk().run().lock(assignment.seats[side], 0).map(|locked| locked.id.clone())
            };
            let locks = lock(Side::Red).zip(lock(Side::Black)).map(|(red, black)| [red, black]);
            hall.record(now, What::GameBegan(GameBegan { locks, ..sheet.began() }));
        }
    }
    sheet
}

/// A place for the engines' lines that the live page reads, if there is one.
fn sit_down_live(hall: &Hall, assignment: &Assignment) -> Option<Arc<Aloud>> {
    let live = hall.live.as_ref()?;
    let styles = assignment.seats.map(|entrant| hall.plan.entrants[entrant].engine.squares);
    let aloud = Arc::new(Aloud::new(styles));
    live.tell(Message::Seated(assignment.id, Arc::clone(&aloud)));
    Some(aloud)
}

fn numbered(seat: &Seat) -> Option<u32> {
    seat.process.as_ref().map(EngineProcess::number)
}

/// Gives a table an input, and the trace too if one is kept.
fn give(hall: &Hall, game: GameId, table: &mut Table, effects: &mut Vec<Effect>, at: At, input: Input<'_>) {
    if let Some(trace) = &hall.trace {
        trace.given(game, at, &input);
    }
    table.step(at, input, effects);
}
