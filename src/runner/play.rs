//! Playing a game, or all games of an exhibition as one: turns pipes, exits and timers into inputs of the
//! tables and carries out what is to be done. Decides nothing. Start at [`play`].

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Sleep;

use super::board::{Board, let_go, numbered, seat_one, set_up};
use super::event::{RunError, STARTING};
use super::hall::{Hall, Halt};
use super::idleness::Busy;
use super::live::Message;
use super::process::{EXIT_GRACE, EngineProcess};
use super::seat::{Seat, Wake};
use super::start::{StartError, start_seat};
use super::trace::{Traced, Tracer};
use crate::director::{Assignment, seating};
use crate::engine::Manifest;
use crate::game::Termination;
use crate::plan::Grain;
use crate::record::{Noted, What};
use crate::table::{Doing, Effect, Input, Sitting};
use crate::time::{At, micros};
use crate::tournament::{GameId, GameResult, MASTER};
use crate::xiangqi::{BySide, Side};

struct Playing {
    hall: Rc<Hall>,
    /// One board; of an exhibition all of them.
    boards: Vec<Board>,
    sitting: Sitting,
    /// The place of the hall at which it is played, from 0.
    place: usize,
    sleep: Pin<Box<Sleep>>,
    armed: Option<At>,
    /// The moment of the input whose effects are carried out.
    now: At,
    doings: Vec<Doing>,
    performing: Vec<Doing>,
    first: Side,
}

/// Plays a game, or the games of an exhibition, to the end and records them. Dropping the future breaks them
/// off: their engines are killed and nothing is recorded; `apart` does the same while all others go on. `place`
/// is the one of the hall at which they are played, from 0.
pub async fn play(hall: Rc<Hall>, assignments: Vec<Assignment>, place: usize, apart: &Notify) {
    let mut apart = pin!(apart.notified());
    let mut playing = Playing::new(hall, assignments, place);
    playing.begin();
    while !playing.boards.iter().all(|board| board.settled) {
        // Looked at first: what is heard after the word to break off is not recorded any more.
        let wake = poll_fn(|cx| match apart.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => playing.poll_wake(cx).map(Some),
        });
        match wake.await {
            Some(wake) => playing.wake(wake),
            None => return playing.give_up(),
        }
    }
    playing.leave();
}

impl Playing {
    fn new(hall: Rc<Hall>, assignments: Vec<Assignment>, place: usize) -> Playing {
        let now = hall.wall.now();
        let exhibition = assignments.first().and_then(|one| seating::exhibition(&hall.plan, one.id));
        let (mut boards, mut tables, mut games) = (Vec::new(), Vec::new(), Vec::new());
        for assignment in assignments {
            let (board, table, unfinished) = set_up(&hall, assignment, place, now, exhibition);
            games.push((board.assignment.id, unfinished));
            boards.push(board);
            tables.push(table);
        }
        let sitting = match (exhibition, tables.pop()) {
            (None, Some(table)) => Sitting::of(table),
            (Some(exhibition), Some(table)) => {
                let start = table.game().trail().start().clone();
                tables.push(table);
                let standing = seating::standing(hall.desk().run(), exhibition, &games);
                let (seat, chair) = seat_one(&hall, MASTER, 0, place, &start);
                let sitting = Sitting::exhibition(tables, chair.for_master(), exhibition, standing);
                if let Some((board, side)) = sitting.place() {
                    boards[board].seats[side] = seat;
                }
                sitting
            }
            (_, None) => unreachable!("the director names at least one game"),
        };
        if let Some(trace) = &hall.trace {
            for board in &boards {
                let seated = Tracer::pair(BySide::from_fn(|side| numbered(&board.seats[side])));
                let (game, date) = (board.assignment.id, board.sheet.date().to_owned());
                trace.write(&Traced::Begun { game, at: now, date, seated });
            }
        }
        Playing {
            boards,
            sitting,
            sleep: Box::pin(tokio::time::sleep(Duration::ZERO)),
            armed: None,
            now,
            doings: Vec::new(),
            performing: Vec::new(),
            first: Side::Red,
            hall,
            place,
        }
    }

    fn begin(&mut self) {
        if let Some(trace) = &self.hall.trace {
            for board in &self.boards {
                trace.given(board.assignment.id, self.now, &Input::Begin);
            }
        }
        self.sitting.begin(self.now, &mut self.doings);
        self.perform_all();
    }

    fn step(&mut self, board: usize, input: Input<'_>) {
        self.now = self.hall.wall.now();
        self.feed(self.now, board, input);
        self.perform_all();
    }

    fn feed(&mut self, at: At, board: usize, input: Input<'_>) {
        let game = self.boards[board].assignment.id;
        give(&self.hall, game, &mut self.sitting, &mut self.doings, at, board, input);
    }

    /// The moment of a deadline has come.
    fn ring(&mut self, at: At) {
        self.now = at;
        if let Some(trace) = &self.hall.trace {
            trace.given(self.boards[0].assignment.id, at, &Input::Timer);
        }
        self.sitting.timer(at, &mut self.doings);
        self.perform_all();
    }

    fn poll_wake(&mut self, cx: &mut Context<'_>) -> Poll<(usize, Side, Wake)> {
        // Each side comes first in turn, so that a flood from one cannot silence the other.
        self.first = !self.first;
        let (first, count) = (self.first, self.boards.len());
        let turn = if first == Side::Red { 0 } else { count - 1 };
        for board in (turn..turn + count).map(|board| board % count) {
            for side in [first, !first] {
                if let Poll::Ready(wake) = self.boards[board].seats[side].poll(cx) {
                    return Poll::Ready((board, side, wake));
                }
            }
        }
        self.poll_timer(cx).map(|()| (0, Side::Red, Wake::Timer))
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let seats = self.boards.iter().flat_map(|board| [&board.seats.red, &board.seats.black]);
        let fading = seats.filter_map(|seat| seat.fading.map(|(by, _)| by)).min();
        let Some(due) = fading.into_iter().chain(self.sitting.wakeup()).min() else { return Poll::Pending };
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
                return Poll::Ready(());
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

    fn wake(&mut self, (board, side, wake): (usize, Side, Wake)) {
        self.obey(board, side, wake);
        if let Some(tap) = &self.hall.tap {
            tap.alive(self.boards[board].assignment.id, self.sitting.wakeup());
        }
    }

    fn obey(&mut self, board: usize, side: Side, wake: Wake) {
        match wake {
            Wake::Read => self.hear(board, side, false),
            Wake::OutputClosed => {
                if !self.hear_last(board, side) {
                    return;
                }
                let by = self.hall.wall.now() + EXIT_GRACE;
                let seat = &mut self.boards[board].seats[side];
                seat.output_closed = true;
                seat.fading.get_or_insert((by, "closed its output"));
            }
            Wake::Exited => {
                if !self.hear_last(board, side) {
                    return;
                }
                let process = self.boards[board].seats[side].process.as_ref();
                let status = process.and_then(EngineProcess::exit_status);
                let how = status.unwrap_or_else(|| "ended".to_owned());
                self.gone(board, side, &how);
            }
            Wake::Started(result) => self.started(board, side, *result),
            Wake::Flushed => {
                self.step(board, Input::Sent(side));
                self.tell_clocks(board);
            }
            Wake::InputClosed => self.input_closed(board, side),
            Wake::Timer => self.timer(),
        }
    }

    fn input_closed(&mut self, board: usize, side: Side) {
        let by = self.hall.wall.now() + EXIT_GRACE;
        self.boards[board].seats[side].fading.get_or_insert((by, "closed its input"));
    }

    fn timer(&mut self) {
        let at = self.hall.wall.now();
        for board in 0..self.boards.len() {
            for side in Side::BOTH {
                if let Some((by, how)) = self.boards[board].seats[side].fading
                    && at >= by
                {
                    self.gone(board, side, how);
                }
            }
        }
        self.ring(at);
    }

    fn gone(&mut self, board: usize, side: Side, how: &str) {
        let seat = &mut self.boards[board].seats[side];
        seat.fading = None;
        let at = self.hall.wall.now();
        let process = seat.process.as_mut();
        if let Some(transcript) = process.and_then(|process| process.transcript.as_mut()) {
            transcript.remark(at, how);
        }
        self.step(board, Input::Closed(side, how));
    }

    fn started(&mut self, board: usize, side: Side, result: Result<EngineProcess, StartError>) {
        let place = &mut self.boards[board];
        let seat = &mut place.seats[side];
        seat.starting = None;
        match result {
            Ok(process) => {
                let member = seat.member;
                *seat = Seat { member, process: Some(process), ..Seat::default() };
                if let Some(process) = &mut seat.process {
                    process.transcript = self.hall.transcript(place.assignment.seats[side], member);
                }
                self.step(board, Input::Started(side));
            }
            Err(StartError::Engine(why)) => self.step(board, Input::NotStarted(side, &why)),
            // No engine loses a game for what the system refuses us: the run stops, this game is abandoned.
            Err(StartError::System(error)) => {
                self.hall.fail(RunError::System { what: STARTING, error });
            }
        }
    }

    /// Hears the end of an output. False if who said it has left the board by it: what became of the process
    /// is seen where it sits now.
    fn hear_last(&mut self, board: usize, side: Side) -> bool {
        let before = numbered(&self.boards[board].seats[side]);
        self.hear(board, side, true);
        numbered(&self.boards[board].seats[side]) == before
    }

    /// Gives all whole lines to the table, stamped now; at the end of the stream also a torn last one.
    fn hear(&mut self, board: usize, side: Side, last: bool) {
        let at = self.read_at(board, side);
        self.now = at;
        let place = &mut self.boards[board];
        let (hall, game) = (&self.hall, place.assignment.id);
        if let Some(process) = &mut place.seats[side].process {
            while let Some(line) = process.lines.next_line() {
                if let Some(transcript) = &mut process.transcript {
                    transcript.heard(at, line);
                }
                if let Some(aloud) = &place.aloud {
                    aloud.heard(side, line);
                }
                let input = Input::Line(side, line);
                give(hall, game, &mut self.sitting, &mut self.doings, at, board, input);
            }
            if last && let Some(line) = process.lines.last_line() {
                let input = Input::Line(side, line);
                give(hall, game, &mut self.sitting, &mut self.doings, at, board, input);
            }
        }
        self.perform_all();
        // Under a flood the timer is never polled; its moment is looked for here.
        if self.sitting.wakeup().is_some_and(|due| at >= due) {
            self.ring(at);
        }
    }

    /// The moment for which what is read of a side counts: now, unless it is too late by no more than what the
    /// runner itself waited for a processor; then it is noted, and counts for the last moment that was in time.
    fn read_at(&self, board: usize, side: Side) -> At {
        let now = self.hall.wall.now();
        let game = self.sitting.table(board).game();
        let due = game.last_in_time().filter(|_| game.side() == side);
        let Some((at, waited)) = due.and_then(|due| self.hall.delays.excused(now, due)) else { return now };
        // Never before what has happened already.
        let at = at.max(self.now);
        let text = format!(
            "an answer was read {} us too late; the runner itself had waited {} us for a processor, so it counts as in time",
            micros(now - at),
            micros(waited)
        );
        self.hall.remark(at, self.noted(board, side, "runner_waited", text));
        at
    }

    /// A note about a side of a game.
    fn noted(&self, board: usize, side: Side, kind: &str, text: String) -> Noted {
        let Assignment { id, seats, .. } = &self.boards[board].assignment;
        let entrant = Some(self.hall.plan.entrants[seats[side]].name.clone());
        Noted { game: Some(*id), entrant, kind: kind.to_owned(), text }
    }

    fn perform_all(&mut self) {
        while !self.doings.is_empty() {
            std::mem::swap(&mut self.doings, &mut self.performing);
            let mut performing = std::mem::take(&mut self.performing);
            for doing in performing.drain(..) {
                match doing {
                    Doing::At(board, effect) => self.perform(board, effect),
                    Doing::Walk { from, to } => self.walk(from, to),
                    Doing::SessionRuns => {
                        let used_us = micros(self.sitting.session_used());
                        self.hall.record(self.now, What::SessionRuns { used_us });
                    }
                }
            }
            self.performing = performing;
        }
    }

    fn walk(&mut self, from: usize, to: usize) {
        let Some((_, side)) = self.sitting.place() else { return };
        let seat = std::mem::take(&mut self.boards[from].seats[side]);
        self.boards[to].seats[side] = seat;
    }

    fn perform(&mut self, board: usize, effect: Effect) {
        match effect {
            Effect::Send(side) => self.send(board, side),
            Effect::Start(side) => {
                let entrant = self.boards[board].assignment.seats[side];
                let starting =
                    start_seat(Rc::clone(&self.hall), entrant, self.manifest(board, side), self.place);
                self.boards[board].seats[side].starting = Some(Box::pin(starting));
            }
            Effect::Kill(side) => {
                let place = &mut self.boards[board];
                let member = place.seats[side].member;
                let seat = std::mem::replace(&mut place.seats[side], Seat { member, ..Seat::default() });
                if let Some(process) = seat.process {
                    place.sheet.last_lines[side] = process.last_lines();
                    self.hall.close(process, false);
                }
            }
            Effect::Moved(made, thought) => {
                self.rested(board, made.side);
                let place = &mut self.boards[board];
                let member = place.mover(made.side);
                let grain = self.hall.plan.conduct.grain;
                let shown = self.hall.live.as_ref().filter(|_| grain == Grain::Game);
                let moved = place.sheet.moved(made, thought, shown.map_or(grain, |_| Grain::Move));
                member.into_iter().for_each(|member| place.sheet.made_by(member));
                if let Some(mut moved) = moved {
                    moved.member = member;
                    if let Some(live) = shown {
                        live.tell(Message::Moved(self.now, moved));
                        return;
                    }
                    // The side's own record first (I.13): after a power cut it holds every journalled move.
                    let process = place.seats[made.side].process.as_mut();
                    if let Some(transcript) = process.and_then(|process| process.transcript.as_mut()) {
                        transcript.flush();
                    }
                    self.hall.record(self.now, What::Moved(moved));
                }
            }
            Effect::Overran(overran, member) => {
                let place = &mut self.boards[board];
                let member = place.numbered(overran.side, member);
                let what = place.sheet.overran(overran, member, self.hall.plan.conduct.grain);
                what.into_iter().for_each(|what| self.hall.record(self.now, what));
            }
            Effect::Advised(_, member, said) => {
                let what = self.boards[board].sheet.advised(member, said);
                self.hall.record(self.now, what);
            }
            Effect::Note(side, kind, text) => {
                self.hall.record(self.now, What::Noted(self.noted(board, side, kind, text)));
            }
            Effect::Rotate(side) => self.boards[board].rotate(side),
            Effect::Over(termination) => self.over(board, &termination),
            Effect::Settled => self.boards[board].settled = true,
        }
    }

    fn send(&mut self, board: usize, side: Side) {
        let outbox = self.sitting.outbox(board, side);
        let Some(process) = &mut self.boards[board].seats[side].process else {
            outbox.clear();
            return;
        };
        let sent_from = self.hall.wall.now();
        if let Some(transcript) = &mut process.transcript {
            transcript.sent(sent_from, outbox);
        }
        let busy = process.called(sent_from);
        match process.write(outbox) {
            Ok(true) => {
                let at = self.hall.wall.now();
                self.feed(at, board, Input::Sent(side));
                self.tell_clocks(board);
            }
            Ok(false) => {}
            Err(_) => self.input_closed(board, side),
        }
        busy.into_iter().for_each(|busy| self.tell_busy(board, side, busy));
    }

    /// What the engine that sits at a side is made of.
    fn manifest(&self, board: usize, side: Side) -> Arc<Manifest> {
        let place = &self.boards[board];
        let entrant = &self.hall.plan.entrants[place.assignment.seats[side]];
        let member = entrant.members().nth(place.seats[side].member);
        Arc::clone(member.unwrap_or(&entrant.engine))
    }

    /// A side has moved. Its engine rests until it is written to, unless it may ponder (CECP: without a word).
    fn rested(&mut self, board: usize, side: Side) {
        let now = self.now;
        let process = self.boards[board].seats[side].process.as_ref();
        // Nearly always no: it is asked before anything dearer.
        if !process.is_some_and(|process| process.is_looked_at(now)) || self.manifest(board, side).ponder {
            return;
        }
        self.boards[board].seats[side].process.iter_mut().for_each(|process| process.rested(now));
    }

    /// Tells, once of each entrant, that its engine works while nothing is asked of it.
    fn tell_busy(&self, board: usize, side: Side, busy: Busy) {
        if !self.hall.first_busy(self.boards[board].assignment.seats[side]) {
            return;
        }
        let text = format!(
            "used {} ms of processor time in {} ms in which nothing was asked of it",
            busy.used.as_millis(),
            busy.idle.as_millis()
        );
        self.hall.remark(self.hall.wall.now(), self.noted(board, side, "busy_when_idle", text));
    }

    /// Tells the live page how the clocks stand since the last `go` was sent.
    fn tell_clocks(&self, board: usize) {
        if let Some(live) = &self.hall.live {
            live.asked(self.boards[board].assignment.id, self.sitting.table(board).game());
        }
    }

    fn over(&mut self, board: usize, termination: &Termination) {
        let place = &mut self.boards[board];
        if let Some(loser) = termination.fault_side()
            && place.sheet.last_lines[loser].is_empty()
            && let Some(process) = &place.seats[loser].process
        {
            place.sheet.last_lines[loser] = process.last_lines();
        }
        let delay = self.hall.delays.longest_since(place.sheet.began_at());
        let Assignment { id, seats: BySide { red, black }, .. } = place.assignment;
        if let Some(trace) = &self.hall.trace {
            let last_lines = Tracer::pair(place.sheet.last_lines.clone());
            trace.write(&Traced::Over { game: id, delay_us: micros(delay), last_lines });
        }
        let over = place.sheet.over(self.now, self.sitting.table(board).game(), termination, delay);
        self.hall.record(self.now, What::GameOver(Box::new(over)));
        if self.hall.tap.is_some() {
            // The coordinator decides what follows.
            return;
        }
        tell_twin(&self.hall, id, self.now);
        let result = self.sitting.table(board).game().outcome(termination).map(|outcome| GameResult {
            id,
            red,
            black,
            outcome,
        });
        let decided = {
            let mut director = self.hall.director.borrow_mut();
            director.over(id, result);
            let desk = self.hall.desk();
            director.failures_on_end(desk.run().failures_on_end());
            if director.is_outdated() {
                director.reconsider(desk.run());
            }
            director.is_decided()
        };
        if decided {
            self.hall.stop(Halt::Now);
        }
        self.hall.changed.notify_waiters();
    }

    /// The games are broken off: their engines are killed without anybody waiting for it.
    fn give_up(mut self) {
        for board in &mut self.boards {
            for side in Side::BOTH {
                let at_board = std::mem::take(&mut board.seats[side]);
                let seats = std::iter::once(at_board).chain(std::mem::take(&mut board.benches[side]));
                seats.filter_map(|seat| seat.process).for_each(|process| self.hall.close(process, false));
            }
        }
    }

    /// All is recorded and settled: engines go to their next game or quit.
    fn leave(self) {
        let tables = self.sitting.into_tables();
        for (mut board, table) in self.boards.into_iter().zip(tables) {
            let mut kept = BySide::default();
            for (side, chairs) in Side::BOTH.into_iter().zip(table.into_teams()) {
                let at_board = std::mem::take(&mut board.seats[side]);
                let seats = std::iter::once(at_board).chain(std::mem::take(&mut board.benches[side]));
                for (seat, chair) in seats.zip(chairs) {
                    let entrant = board.assignment.seats[side];
                    kept[side] = let_go(&self.hall, entrant, self.place, seat, chair).or(kept[side]);
                }
            }
            if let Some(trace) = &self.hall.trace {
                trace.write(&Traced::Left { game: board.assignment.id, kept: Tracer::pair(kept) });
            }
        }
    }
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
    hall.remark(at, Noted { game: Some(id), entrant: None, kind, text });
}

/// Gives a table an input, and the trace too if one is kept.
fn give(
    hall: &Hall,
    game: GameId,
    sitting: &mut Sitting,
    doings: &mut Vec<Doing>,
    at: At,
    board: usize,
    input: Input<'_>,
) {
    if let Some(trace) = &hall.trace {
        trace.given(game, at, &input);
    }
    sitting.step(at, board, input, doings);
}
