//! A life of the runner in virtual time: boards, processes and one queue of happenings, from its start to
//! its end, a power cut or a full disk. Drives the real machines; knows no right or wrong, which is the
//! arbiter's. Start at [`Life::live`].

#[path = "fates.rs"]
mod fates;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use chuhe::director::{Assignment, Director, Finish, Order};
use chuhe::engine::{Phase, Session};
use chuhe::game::Termination;
use chuhe::plan::{Plan, Rotation};
use chuhe::record::{
    CheckedIn, FoldError, Ledger, Noted, Resumed, Run, RunBegan, Scoresheet, Unfinished, What as Entry,
};
use chuhe::table::{Chair, Effect, Input, Manners, Table};
use chuhe::time::At;
use chuhe::tournament::{GameId, GameResult};
use chuhe::xiangqi::{BySide, Side};

use super::arbiter::{Arbiter, Cause};
use super::dice::{Dice, mixed};
use super::head::host;
use super::script::{Act, Allowed, Deed, Quirk, Script, What};

pub use fates::Fates;
use fates::luck_of;

/// How a life is cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Never.
    Never,
    /// The power fails after so many events of this life.
    Power(u64),
    /// The disk is full after so many.
    FullDisk(u64),
    /// The running games are finished and none is started, from the moment of so many on.
    Drain(u64),
    /// The running games are broken off then.
    Now(u64),
}

/// How a life ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Complete,
    Held,
    Stopped,
    PowerCut,
    DiskFull,
    /// An engine could not be greeted.
    NotStarted,
}

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub plan: Arc<Plan>,
    pub head: Arc<RunBegan>,
    /// One process in so many has a quirk; none if 0.
    pub quirks: u64,
    pub seed: u64,
    /// What an event under a regulation meets; nothing in open testing.
    pub fates: Option<Fates>,
}

/// What was met, over all lives.
#[derive(Debug, Default)]
pub struct Met {
    pub quirks: BTreeMap<String, u64>,
    pub ends: BTreeMap<&'static str, u64>,
    pub games: u64,
    pub lives: u64,
    pub cuts: u64,
    pub torn: u64,
    pub full_disks: u64,
    pub stops: u64,
    pub runs: u64,
    pub resumed_games: u64,
}

#[derive(Debug)]
enum Happening {
    Started {
        board: u64,
        side: Side,
        member: usize,
        process: Option<usize>,
    },
    Act {
        process: usize,
        what: What,
        search: Option<u32>,
    },
    Flushed {
        process: usize,
        board: u64,
        side: Side,
    },
    /// Whoever came to the board from the bench is seen to have died there.
    Gone {
        process: usize,
        how: &'static str,
    },
    /// Whoever came to the board from the bench is seen to have been started there.
    Seen {
        board: u64,
        side: Side,
    },
    Timer {
        board: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Lives,
    Ended,
    Killed,
    /// It was told to quit, and will be killed if it does not.
    Leaving,
}

#[derive(Debug)]
struct Process {
    script: Script,
    fate: Fate,
    seat: Option<(u64, Side)>,
    /// What it said between games, and on the bench of a team.
    unheard: Vec<(Vec<u8>, Deed)>,
    /// How it died while nobody listened.
    died: Option<&'static str>,
    /// What it is like, apart from the game it plays.
    nature: u64,
    said_until: At,
    /// Bytes that its pipe does not take.
    blocked: bool,
}

#[derive(Debug)]
struct Board {
    assignment: Assignment,
    table: Table,
    sheet: Scoresheet,
    seats: BySide<Sitting>,
    /// Members of teams that wait for their turn, the next one first.
    benches: BySide<VecDeque<Sitting>>,
    arbiter: Arbiter,
}

/// One member of a side and its process.
#[derive(Debug, Default)]
struct Sitting {
    member: usize,
    process: Option<usize>,
    /// Whether its process is being started.
    starting: bool,
    /// What came of the start while it sat on the bench.
    started: Option<Option<usize>>,
}

/// A runner that lives.
pub struct Life<'a> {
    scenario: &'a Scenario,
    met: &'a mut Met,
    dice: Dice,
    now: At,
    cut: Cut,
    recorded: u64,
    ended: Option<End>,
    breaking: bool,
    /// A test is decided: the running games are broken off.
    decided: bool,
    /// A game ended: free places look again.
    changed: bool,
    journal: Vec<u8>,
    ledger: Ledger,
    director: Director,
    unfinished: BTreeMap<GameId, Unfinished>,
    queue: BinaryHeap<Reverse<(At, u64, u64)>>,
    happenings: BTreeMap<u64, Happening>,
    serial: u64,
    processes: Vec<Process>,
    idle: BTreeMap<(usize, usize), Vec<(usize, Session)>>,
    boards: BTreeMap<u64, Board>,
    next_board: u64,
}

/// Longest lateness of the runner's timers.
const LATENESS_US: u64 = 1_500;

impl<'a> Life<'a> {
    /// A life that goes on from a run and its journal (both empty at first).
    pub fn new(
        scenario: &'a Scenario,
        met: &'a mut Met,
        run: Run,
        journal: Vec<u8>,
        number: u64,
        cut: Cut,
    ) -> Life<'a> {
        let plan = &scenario.plan;
        let now = run.last();
        let fresh = run.event_count() == 0;
        let unfinished = run.going_on(plan.conduct.grain);
        let director = Director::new(Arc::clone(plan), &run);
        let mut life = Life {
            scenario,
            met,
            dice: Dice::new(scenario.seed ^ mixed(number)),
            now,
            cut,
            recorded: 0,
            ended: None,
            breaking: false,
            decided: false,
            changed: false,
            journal,
            ledger: Ledger::new(run),
            director,
            unfinished,
            queue: BinaryHeap::new(),
            happenings: BTreeMap::new(),
            serial: 0,
            processes: Vec::new(),
            idle: BTreeMap::new(),
            boards: BTreeMap::new(),
            next_board: 0,
        };
        life.met.lives += 1;
        if fresh {
            life.record(At::ZERO, Entry::RunBegan(Box::new((*scenario.head).clone())));
        } else {
            let resumed = Resumed { program: "simulation".into(), date: String::new(), host: host() };
            life.record(now, Entry::Resumed(resumed));
        }
        life
    }

    /// Lives to its end: how that came, the journal, and the run as the runner had it.
    pub fn live(mut self) -> (End, Vec<u8>, Run) {
        let end = self.play();
        for idle in std::mem::take(&mut self.idle).into_values().flatten() {
            self.quit(idle);
        }
        // What was being started is ended by whoever started it.
        for happening in std::mem::take(&mut self.happenings).into_values() {
            if let Happening::Started { process: Some(process), .. } = happening {
                self.kill(process);
            }
        }
        let cut = matches!(end, End::PowerCut);
        for (number, process) in self.processes.iter().enumerate() {
            let gone = cut || process.fate != Fate::Lives;
            assert!(gone, "process {number} was neither ended nor let go: {:?}", process.script.quirk);
            if process.script.shown {
                *self.met.quirks.entry(process.script.quirk.name()).or_default() += 1;
            }
        }
        (end, self.journal, self.ledger.into_run())
    }

    fn play(&mut self) -> End {
        if self.ended.is_none() && !self.director.is_exhausted() && !self.check_in() {
            return self.ended.take().unwrap_or(End::NotStarted);
        }
        self.fill();
        self.stop_if_due();
        while self.ended.is_none() && !self.boards.is_empty() {
            let Some(Reverse((at, _, serial))) = self.queue.pop() else {
                let hang = self.boards.values().map(|place| (&place.table, &place.arbiter));
                panic!("nothing will happen any more: {:?}", hang.collect::<Vec<_>>());
            };
            self.now = self.now.max(at);
            if let Some(happening) = self.happenings.remove(&serial) {
                self.happen(happening);
            }
            self.stop_if_due();
            if std::mem::take(&mut self.changed) {
                self.fill();
            }
        }
        if let Some(end) = self.ended.take() {
            self.break_off();
            return end;
        }
        let finish = self.director.finish();
        self.record(self.now, finish.event());
        match (self.ended.take(), finish) {
            (Some(end), _) => end,
            (None, Finish::Complete) => End::Complete,
            (None, Finish::Held) => End::Held,
            (None, Finish::Stopped | Finish::Early(_)) => End::Stopped,
        }
    }

    fn stop_if_due(&mut self) {
        if std::mem::take(&mut self.decided) {
            self.break_off();
        }
        match self.cut {
            Cut::Drain(after) if self.recorded >= after => self.director.stop(),
            Cut::Now(after) if self.recorded >= after && !self.breaking => {
                self.breaking = true;
                self.director.stop();
                self.break_off();
            }
            Cut::Never | Cut::Power(_) | Cut::FullDisk(_) | Cut::Drain(_) | Cut::Now(_) => {}
        }
    }

    fn break_off(&mut self) {
        for board in std::mem::take(&mut self.boards).into_values() {
            self.director.abandoned(board.assignment.id);
            let Board { seats: BySide { red, black }, benches, .. } = board;
            let benched = benches.red.into_iter().chain(benches.black);
            for sitting in [red, black].into_iter().chain(benched) {
                sitting.process.into_iter().for_each(|process| self.kill(process));
                sitting.started.flatten().into_iter().for_each(|process| self.kill(process));
            }
        }
    }

    fn record(&mut self, at: At, what: Entry) {
        if self.ended.is_some() {
            return;
        }
        let full = matches!(self.cut, Cut::FullDisk(after) if self.recorded >= after);
        let journal = &mut self.journal;
        let append = |line: &[u8]| {
            if full {
                return Err(Refused::Full);
            }
            journal.extend_from_slice(line);
            Ok(())
        };
        match self.ledger.record(at, what, append) {
            Ok(_) => self.recorded += 1,
            Err(Refused::Full) => {
                self.ended = Some(End::DiskFull);
                self.director.stop();
            }
            Err(Refused::Misfit(error)) => panic!("an event that does not fit the run: {error}"),
        }
        if self.cut == Cut::Power(self.recorded) {
            self.ended = Some(End::PowerCut);
        }
    }

    fn put(&mut self, at: At, tie: u64, happening: Happening) {
        self.serial += 1;
        let tie = mixed(self.scenario.seed ^ at.0 ^ mixed(tie));
        self.queue.push(Reverse((at, tie, self.serial)));
        self.happenings.insert(self.serial, happening);
    }

    /// `again` where it is started for a game that has begun.
    fn start_process(&mut self, entrant: usize, member: usize, again: bool) -> Option<usize> {
        let mut dice = Dice::new(self.dice.next());
        let odd = self.scenario.quirks > 0 && dice.once_in(self.scenario.quirks);
        let quirk = if odd { Quirk::draw(&mut dice) } else { Quirk::None };
        if quirk == Quirk::NotStarted {
            *self.met.quirks.entry(quirk.name()).or_default() += 1;
            return None;
        }
        let nature = mixed(entrant as u64 + 77 + 1000 * member as u64);
        let offers = mixed(nature).is_multiple_of(3);
        let engine = self.scenario.plan.entrants[entrant].members().nth(member).expect("a member");
        let mut script = Script::new(engine, nature, quirk, dice);
        script.offers = offers;
        script.dies = self.scenario.fates.as_ref().map_or(0, |fates| if again { 0 } else { fates.dies });
        let (fate, unheard) = (Fate::Lives, Vec::new());
        self.processes.push(Process {
            script,
            fate,
            seat: None,
            unheard,
            died: None,
            nature,
            said_until: self.now,
            blocked: false,
        });
        Some(self.processes.len() - 1)
    }

    fn kill(&mut self, process: usize) {
        let fate = &mut self.processes[process].fate;
        if *fate == Fate::Lives {
            *fate = Fate::Killed;
        }
    }

    fn quit(&mut self, (number, mut session): (usize, Session)) {
        let mut words = Vec::new();
        session.quit(&mut words);
        assert_eq!(words, b"quit\n");
        let process = &mut self.processes[number];
        let mut acts = Vec::new();
        process.script.hear("quit", Allowed { clock: None }, &mut acts);
        if process.fate == Fate::Lives {
            process.fate = Fate::Leaving;
        }
    }

    /// The check-in before the first game. False if it failed.
    fn check_in(&mut self) -> bool {
        let plan = Arc::clone(&self.scenario.plan);
        let members = plan.entrants.iter().enumerate().flat_map(|(index, entrant)| {
            entrant.members().enumerate().map(move |(member, engine)| (index, member, entrant, engine))
        });
        for (index, member, entrant, engine) in members {
            let began = self.now;
            let Some(number) = self.start_process(index, member, false) else { return false };
            let mut session = Session::new(Arc::clone(engine));
            let patience = Duration::from_millis(engine.start_patience_ms);
            let Some(greeted) = self.greet(number, &mut session, began + patience) else {
                self.kill(number);
                return false;
            };
            self.now = greeted;
            for mut what in CheckedIn::events(&entrant.name, &session, greeted - began) {
                if let Entry::CheckedIn(checked) = &mut what {
                    checked.member = member;
                }
                self.record(greeted, what);
            }
            if plan.conduct.reuse && session.reusable() {
                self.idle.entry((index, member)).or_default().push((number, session));
            } else {
                self.quit((number, session));
            }
            if self.ended.is_some() {
                return false;
            }
        }
        self.draw_lots();
        self.ended.is_none()
    }

    fn greet(&mut self, number: usize, session: &mut Session, until: At) -> Option<At> {
        let script = &mut self.processes[number].script;
        let (mut words, mut at) = (Vec::new(), self.now);
        let mut due: Vec<(At, What)> = Vec::new();
        session.open(&mut words);
        while session.phase() != Phase::Idle || !words.is_empty() {
            let mut acts = Vec::new();
            let mut said_until = due.iter().map(|(at, _)| *at).max().unwrap_or(at);
            for line in std::str::from_utf8(&words).expect("words are UTF-8").lines() {
                script.hear(line, Allowed { clock: None }, &mut acts);
            }
            words.clear();
            for Act { after, what, .. } in acts {
                said_until = said_until.max(at + after);
                due.push((said_until, what));
            }
            if session.phase() == Phase::Idle {
                break;
            }
            let next = (!due.is_empty()).then(|| due.remove(0))?;
            at = next.0;
            match next.1 {
                What::Say(line, _) if at <= until => {
                    session.hear(&line, &mut words);
                }
                What::Say(..) | What::Die(_) => {
                    self.processes[number].fate = Fate::Ended;
                    return None;
                }
            }
        }
        self.processes[number].said_until = at;
        Some(at)
    }

    /// Every free place looks for a game.
    fn fill(&mut self) {
        while self.ended.is_none() && self.boards.len() < self.scenario.plan.conduct.concurrency {
            if self.breaking {
                return;
            }
            let due = self.scenario.fates.as_ref().and_then(|fates| fates.stop_at);
            if due.is_some_and(|games| self.ledger.run().attempts().count() >= games) {
                self.director.stop();
            }
            match self.director.next_order() {
                Order::Display(_) => panic!("exhibitions are in tests/exhibition.rs"),
                Order::Play(assignment) => match self.may_not_begin(&assignment) {
                    Some(why) => self.settle_unplayed(&assignment, &why),
                    None => self.begin(assignment),
                },
                Order::Forfeit(assignment, loser) => {
                    let why = Termination::Forfeited { loser, reason: "withdrawn".to_owned() };
                    self.settle_unplayed(&assignment, &why);
                }
                Order::Wait | Order::Finished => return,
            }
        }
    }

    fn sheet(&self, assignment: &Assignment) -> Scoresheet {
        let plan = &self.scenario.plan;
        let names = assignment.seats.map(|entrant| plan.entrants[entrant].name.clone());
        let opening = plan.openings.opening(assignment.opening);
        Scoresheet::new(assignment.id, names, opening, self.now, "2006".into())
    }

    fn begin(&mut self, assignment: Assignment) {
        let plan = Arc::clone(&self.scenario.plan);
        let mut sheet = self.sheet(&assignment);
        let (mut before, mut set) = (Vec::new(), None);
        match self.unfinished.remove(&assignment.id) {
            Some(unfinished) => {
                self.met.resumed_games += 1;
                before.clone_from(&unfinished.moves);
                set = unfinished.clocks;
                sheet.go_on(unfinished);
            }
            None => self.record(self.now, Entry::GameBegan(sheet.began())),
        }
        let terms = plan.terms(assignment.id.stage, assignment.seats);
        let game = sheet.game(terms);
        let board = self.next_board;
        self.next_board += 1;
        let mut chairs: BySide<Vec<Chair>> = BySide::default();
        let mut benches: BySide<VecDeque<Sitting>> = BySide::default();
        let mut heard = Vec::new();
        for side in Side::BOTH {
            let entrant = assignment.seats[side];
            for (member, manifest) in plan.entrants[entrant].members().enumerate() {
                let mut sitting = Sitting { member, ..Sitting::default() };
                let start = game.trail().start();
                let mut chair = match self.take_idle(entrant, member) {
                    None => Chair::absent(manifest, start),
                    Some((number, session)) => {
                        sitting.process = Some(number);
                        Chair::seated(manifest, session, start)
                    }
                };
                if let Some(number) = sitting.process.filter(|_| member == 0) {
                    let process = &mut self.processes[number];
                    process.seat = Some((board, side));
                    heard.push((number, std::mem::take(&mut process.unheard)));
                }
                chair.enter_all(game.trail());
                chairs[side].push(chair);
                benches[side].push_back(sitting);
            }
        }
        let sizes = BySide::from_fn(|side| chairs[side].len());
        let further = BySide::from_fn(|side| chairs[side].split_off(1));
        let seats = BySide::from_fn(|side| benches[side].pop_front().expect("a first member"));
        let first = BySide::from_fn(|side| {
            let (entrant, run) = (assignment.seats[side], self.ledger.run());
            match plan.conduct.rotation {
                Rotation::Restart => 0,
                Rotation::Continue => run.moves_in_bout(entrant, assignment.id) as usize % sizes[side],
            }
        });
        let arbiter = Arbiter::new(&game, plan.conduct.crash, &before, set, sizes);
        let at_board = BySide::from_fn(|side| chairs[side].remove(0));
        let table = Table::new(game, at_board, Manners::of(&plan.conduct))
            .with_team(Side::Red, further.red)
            .with_team(Side::Black, further.black)
            .with_first_member(Side::Red, first.red)
            .with_first_member(Side::Black, first.black);
        self.boards.insert(board, Board { assignment, table, sheet, seats, benches, arbiter });
        self.step(board, Cause::Begin, Input::Begin);
        for (process, lines) in heard {
            self.say_again(process, lines);
        }
    }

    fn take_idle(&mut self, entrant: usize, member: usize) -> Option<(usize, Session)> {
        loop {
            let idle = self.idle.get_mut(&(entrant, member))?.pop()?;
            if self.processes[idle.0].fate == Fate::Lives {
                return Some(idle);
            }
        }
    }

    /// What a process said while nobody listened is heard now.
    fn say_again(&mut self, process: usize, lines: Vec<(Vec<u8>, Deed)>) {
        for (line, deed) in lines {
            let (what, search) = (What::Say(line, deed), None);
            self.put(self.now, process as u64, Happening::Act { process, what, search });
        }
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Started { board, side, member, process } => {
                self.started(board, side, member, process);
            }
            Happening::Act { process, what, search } => self.act(process, what, search),
            Happening::Flushed { process, board, side } => {
                let process = &self.processes[process];
                if process.fate == Fate::Lives && process.seat == Some((board, side)) {
                    self.step(board, Cause::Sent(side), Input::Sent(side));
                }
            }
            Happening::Gone { process, how } => {
                if let Some((board, side)) = self.processes[process].seat {
                    self.step(board, Cause::Closed(side), Input::Closed(side, how));
                }
            }
            Happening::Seen { board, side } => self.see_start(board, side),
            Happening::Timer { board } => self.timer(board),
        }
    }

    fn started(&mut self, board: u64, side: Side, member: usize, process: Option<usize>) {
        let place = self.boards.get_mut(&board);
        let sitting = place.and_then(|place| {
            let bench = place.benches[side].iter_mut();
            let mut all = std::iter::once(&mut place.seats[side]).chain(bench);
            all.find(|sitting| sitting.member == member && sitting.starting)
        });
        let Some(sitting) = sitting else {
            process.into_iter().for_each(|process| self.kill(process));
            return;
        };
        sitting.starting = false;
        sitting.started = Some(process);
        self.see_start(board, side);
    }

    /// The start of whoever sits at the board is seen; one on the bench is not looked at.
    fn see_start(&mut self, board: u64, side: Side) {
        let Some(place) = self.boards.get_mut(&board) else { return };
        match place.seats[side].started.take() {
            None => {}
            Some(Some(number)) => {
                place.seats[side].process = Some(number);
                self.processes[number].seat = Some((board, side));
                self.step(board, Cause::Started(side), Input::Started(side));
            }
            Some(None) => self.step(board, Cause::Closed(side), Input::NotStarted(side, "no such program")),
        }
    }

    fn act(&mut self, number: usize, what: What, search: Option<u32>) {
        let process = &mut self.processes[number];
        if process.fate != Fate::Lives || search.is_some_and(|search| search != process.script.search) {
            return;
        }
        match what {
            What::Say(line, deed) => {
                let Some((board, side)) = process.seat else {
                    process.unheard.push((line, deed));
                    return;
                };
                if matches!(deed, Deed::Answer { .. } | Deed::Cheat | Deed::Resign) {
                    process.script.answered();
                }
                self.step(board, Cause::Line(side, deed), Input::Line(side, &line));
            }
            What::Die(how) => {
                process.fate = Fate::Ended;
                match process.seat {
                    Some((board, side)) => self.step(board, Cause::Closed(side), Input::Closed(side, how)),
                    None => process.died = Some(how),
                }
            }
        }
    }

    fn timer(&mut self, board: u64) {
        let due = self.boards.get(&board).and_then(|place| place.table.wakeup());
        if due.is_some_and(|due| self.now >= due) {
            self.step(board, Cause::Timer, Input::Timer);
        }
    }

    fn step(&mut self, board: u64, cause: Cause, input: Input<'_>) {
        if self.ended.is_some() {
            return;
        }
        let Some(place) = self.boards.get_mut(&board) else { return };
        let mut effects = Vec::new();
        let now = self.now;
        let was_due = place.table.wakeup();
        place.table.step(now, input, &mut effects);
        place.arbiter.watch(now, cause, &effects, &place.table);
        for effect in effects {
            self.perform(board, effect);
        }
        let Some(place) = self.boards.get(&board) else { return };
        let due = place.table.wakeup().filter(|due| Some(*due) != was_due);
        if let Some(due) = due {
            let late = if self.dice.once_in(3) { 0 } else { self.dice.below(LATENESS_US) };
            let at = due + Duration::from_micros(late);
            self.put(at, board, Happening::Timer { board });
        }
    }

    fn perform(&mut self, board: u64, effect: Effect) {
        let Some(place) = self.boards.get_mut(&board) else { return };
        let entrant = |side: Side| place.assignment.seats[side];
        match effect {
            Effect::Start(side) => {
                place.seats[side].starting = true;
                let (entrant, member) = (entrant(side), place.seats[side].member);
                let again = place.arbiter.has_begun();
                let process = self.start_process(entrant, member, again);
                let at = self.now + Duration::from_micros(500 + self.dice.below(3_000));
                self.put(at, board, Happening::Started { board, side, member, process });
            }
            Effect::Send(side) => self.send(board, side),
            Effect::Kill(side) => {
                place.seats[side].starting = false;
                if let Some(process) = place.seats[side].process.take() {
                    self.kill(process);
                }
            }
            Effect::Moved(made, thought) => {
                let moved = place.sheet.moved(made, thought, self.scenario.plan.conduct.grain);
                let team = !place.benches[made.side].is_empty();
                let member = team.then(|| place.seats[made.side].member as u8 + 1);
                member.into_iter().for_each(|member| place.sheet.made_by(member));
                if let Some(mut moved) = moved {
                    moved.member = member;
                    self.record(self.now, Entry::Moved(moved));
                }
            }
            Effect::Note(side, kind, text) => {
                let name = self.scenario.plan.entrants[entrant(side)].name.clone();
                let (game, kind) = (Some(place.assignment.id), kind.to_owned());
                self.record(self.now, Entry::Noted(Noted { game, entrant: Some(name), kind, text }));
            }
            Effect::Overran(..) | Effect::Advised(..) => panic!("exhibitions are in tests/exhibition.rs"),
            Effect::Over(termination) => self.over(board, &termination),
            Effect::Rotate(side) => self.rotate(board, side),
            Effect::Settled => self.leave(board),
        }
    }

    /// The next member comes to the board; what it did on the bench is seen now.
    fn rotate(&mut self, board: u64, side: Side) {
        let Some(place) = self.boards.get_mut(&board) else { return };
        let Some(next) = place.benches[side].pop_front() else { return };
        let left = std::mem::replace(&mut place.seats[side], next);
        if let Some(number) = left.process {
            self.processes[number].seat = None;
        }
        place.benches[side].push_back(left);
        if let Some(number) = place.seats[side].process {
            let process = &mut self.processes[number];
            process.seat = Some((board, side));
            let (lines, died) = (std::mem::take(&mut process.unheard), process.died.take());
            self.say_again(number, lines);
            if let Some(how) = died {
                // It is gone; only its seat is told now.
                self.put(self.now, number as u64, Happening::Gone { process: number, how });
            }
        } else if place.seats[side].started.is_some() {
            self.put(self.now, board, Happening::Seen { board, side });
        }
    }

    fn send(&mut self, board: u64, side: Side) {
        let Some(place) = self.boards.get_mut(&board) else { return };
        let text = std::mem::take(place.table.outbox(side));
        let Some(number) = place.seats[side].process else { return };
        let (id, team) = (place.assignment.id, !place.benches[side].is_empty());
        let text = String::from_utf8(text).expect("the runner writes UTF-8");
        let process = &mut self.processes[number];
        if let Some(fates) = &self.scenario.fates {
            let plies = place.table.game().trail().plies();
            process.script.nature = mixed(process.nature ^ self.scenario.seed ^ luck_of(id));
            let ends = fates.gives_up(self.scenario.seed, id);
            process.script.gives_up = ends.is_some_and(|(loser, ply)| loser == side && plies >= ply);
        }
        if process.script.quirk == Quirk::NeverReads && text.contains("go ") {
            process.blocked = true;
        }
        if process.blocked {
            process.script.shown = true;
            return;
        }
        // A pipe may need a moment; the clock runs from the flush.
        let wait = if !team && self.dice.once_in(5) { self.dice.below(300) } else { 0 };
        let flushed = self.now + Duration::from_micros(wait);
        let clock = place.arbiter.allowed(flushed);
        let mut acts = Vec::new();
        for line in text.lines() {
            process.script.hear(line, Allowed { clock }, &mut acts);
        }
        for Act { after, what, search } in acts {
            let at = (flushed + after).max(process.said_until);
            if search.is_none() {
                process.said_until = at;
            }
            let tie = (number as u64) << 32;
            self.serial += 1;
            let key = mixed(self.scenario.seed ^ at.0 ^ mixed(tie));
            self.queue.push(Reverse((at, key, self.serial)));
            self.happenings.insert(self.serial, Happening::Act { process: number, what, search });
        }
        if wait == 0 {
            self.step(board, Cause::Sent(side), Input::Sent(side));
        } else {
            // Before anything that it says.
            self.serial += 1;
            self.queue.push(Reverse((flushed, 0, self.serial)));
            self.happenings.insert(self.serial, Happening::Flushed { process: number, board, side });
        }
    }

    fn over(&mut self, board: u64, termination: &Termination) {
        let Some(place) = self.boards.get_mut(&board) else { return };
        let over = place.sheet.over(self.now, place.table.game(), termination, Duration::ZERO);
        place.arbiter.check_record(&over, termination);
        let Assignment { id, seats: BySide { red, black }, .. } = place.assignment;
        let result = termination.outcome().map(|outcome| GameResult { id, red, black, outcome });
        self.record(self.now, Entry::GameOver(Box::new(over)));
        if self.ended.is_none() {
            self.met.games += 1;
            *self.met.ends.entry(termination.kind()).or_default() += 1;
        }
        self.director.over(id, result);
        self.changed = true;
        self.decided |= self.director.is_decided();
    }

    fn leave(&mut self, board: u64) {
        let Some(place) = self.boards.remove(&board) else { return };
        let teams = place.table.into_teams();
        let (assignment, mut seats, mut benches) = (place.assignment, place.seats, place.benches);
        for (side, chairs) in Side::BOTH.into_iter().zip(teams) {
            let entrant = assignment.seats[side];
            let at_board = std::mem::take(&mut seats[side]);
            let sittings = std::iter::once(at_board).chain(std::mem::take(&mut benches[side]));
            for (sitting, chair) in sittings.zip(chairs) {
                sitting.started.flatten().into_iter().for_each(|process| self.kill(process));
                let Some(number) = sitting.process else { continue };
                let (usable, session) = (chair.is_usable(), chair.into_session());
                self.processes[number].seat = None;
                let reuse = self.scenario.plan.conduct.reuse && session.reusable();
                if usable && reuse && !self.processes[number].blocked {
                    self.idle.entry((entrant, sitting.member)).or_default().push((number, session));
                } else {
                    self.quit((number, session));
                }
            }
        }
        self.changed = true;
    }
}

/// Why the ledger refused an event.
enum Refused {
    Full,
    Misfit(FoldError),
}

impl From<FoldError> for Refused {
    fn from(error: FoldError) -> Refused {
        Refused::Misfit(error)
    }
}
