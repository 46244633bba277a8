//! An exhibition in virtual time: the real director, sitting, tables and scoresheets between scripted engines
//! whose thoughts are a function of what they are asked. Lives end by themselves, or by a power cut after so
//! many events. Knows no right or wrong. Start at [`Life::live`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use chuhe::director::{Assignment, Director, Finish, Order, seating};
use chuhe::plan::Plan;
use chuhe::record::{
    Event, FoldError, JournalReader, Ledger, Noted, Resumed, Run, Scoresheet, Unfinished, What,
};
use chuhe::table::{Chair, Doing, Effect, Input, Manners, Sitting, Table};
use chuhe::time::{At, micros};
use chuhe::tournament::{GameId, GameResult, MASTER};
use chuhe::xiangqi::{BySide, Move, Position, Side, SquareStyle};

use super::head::{head, host};

/// What an engine is asked.
#[derive(Debug, Clone)]
pub struct Asked {
    pub entrant: usize,
    pub member: usize,
    /// How many processes this member has had in this life, from 1.
    pub process: u32,
    pub position: Position,
    /// How many half-moves were made.
    pub plies: usize,
    /// Every move it was told, as written.
    pub line: String,
}

/// What it does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Answers with this move so long after.
    Moves(Duration, Move),
    /// Thinks until it is stopped, and answers then.
    Thinks,
    /// As that, but never answers again.
    Hangs,
    /// Its process ends so long after.
    Dies(Duration),
}

pub type Brain = Rc<dyn Fn(&Asked) -> Deed>;

/// What is simulated.
#[derive(Clone)]
pub struct Scenario {
    pub plan: Arc<Plan>,
    pub brain: Brain,
}

/// How a life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Finished(Finish),
    PowerCut,
}

/// What is left of a life.
pub struct Left {
    pub end: End,
    pub journal: Vec<u8>,
    /// What was written to the master's processes, line by line, each with the board he sat at.
    pub master: Vec<(usize, String)>,
    /// How many searches were stopped and answered late.
    pub drained: u32,
    /// Processes that were still searching at the end.
    pub searching: usize,
}

enum Happening {
    Started(usize, Side, Option<usize>),
    Says(usize, u32, String),
    Dies(usize),
    Timer,
}

struct Process {
    entrant: usize,
    member: usize,
    life: u32,
    alive: bool,
    position: Option<Position>,
    line: String,
    /// Number of the search under way, and whether it answers a stop.
    search: Option<(u32, bool)>,
    searches: u32,
}

#[derive(Default)]
struct Seat {
    member: usize,
    process: Option<usize>,
    starting: bool,
}

struct Board {
    assignment: Assignment,
    sheet: Scoresheet,
    seats: BySide<Seat>,
    benches: BySide<VecDeque<Seat>>,
    settled: bool,
}

pub struct Life<'a> {
    scenario: &'a Scenario,
    now: At,
    cut: Option<u64>,
    recorded: u64,
    dead: bool,
    journal: Vec<u8>,
    ledger: Ledger,
    director: Director,
    unfinished: BTreeMap<GameId, Unfinished>,
    queue: BinaryHeap<Reverse<(At, u64)>>,
    happenings: BTreeMap<u64, Happening>,
    serial: u64,
    processes: Vec<Process>,
    lives: BTreeMap<(usize, usize), u32>,
    boards: Vec<Board>,
    sitting: Option<Sitting>,
    master: Vec<(usize, String)>,
    drained: u32,
}

/// How long a process takes to be there, to answer a word, to answer a stop.
const START: Duration = Duration::from_millis(3);
const WORD: Duration = Duration::from_micros(200);
const LATE: Duration = Duration::from_millis(20);

pub fn events(journal: &[u8]) -> Vec<Event> {
    JournalReader::new(journal).collect::<Result<_, _>>().expect("a sound journal")
}

pub fn fold(journal: &[u8]) -> Run {
    let mut run = Run::new();
    for event in events(journal) {
        run.apply(&event).unwrap_or_else(|error| panic!("the journal does not fit together: {error}"));
    }
    run
}

impl<'a> Life<'a> {
    /// A life that goes on from a journal, empty at first; the power fails after so many of its events.
    pub fn live(scenario: &'a Scenario, journal: Vec<u8>, cut: Option<u64>) -> Left {
        let run = fold(&journal);
        let fresh = run.event_count() == 0;
        let now = run.last();
        let mut life = Life {
            scenario,
            now,
            cut,
            recorded: 0,
            dead: false,
            unfinished: run.going_on(scenario.plan.conduct.grain),
            director: Director::new(Arc::clone(&scenario.plan), &run),
            journal,
            ledger: Ledger::new(run),
            queue: BinaryHeap::new(),
            happenings: BTreeMap::new(),
            serial: 0,
            processes: Vec::new(),
            lives: BTreeMap::new(),
            boards: Vec::new(),
            sitting: None,
            master: Vec::new(),
            drained: 0,
        };
        if fresh {
            life.record(What::RunBegan(Box::new(head(&scenario.plan))));
        } else {
            let resumed = Resumed { program: "simulation".into(), date: String::new(), host: host() };
            life.record(What::Resumed(resumed));
        }
        let end = life.play();
        let searching = life.processes.iter().filter(|one| one.alive && one.search.is_some()).count();
        let Life { journal, master, drained, .. } = life;
        Left { end, journal, master, drained, searching }
    }

    fn play(&mut self) -> End {
        while !self.dead {
            match self.director.next_order() {
                Order::Display(assignments) => self.display(assignments),
                Order::Play(assignment) => panic!("{} is no display", assignment.id),
                Order::Forfeit(assignment, _) => panic!("nobody has withdrawn from {}", assignment.id),
                Order::Wait => panic!("it waits although nothing is played"),
                Order::Finished => break,
            }
        }
        if self.dead {
            return End::PowerCut;
        }
        let finish = self.director.finish();
        self.record(finish.event());
        if self.dead { End::PowerCut } else { End::Finished(finish) }
    }

    fn record(&mut self, what: What) {
        if self.dead {
            return;
        }
        let journal = &mut self.journal;
        let append = |line: &[u8]| {
            journal.extend_from_slice(line);
            Ok::<(), FoldError>(())
        };
        self.ledger.record(self.now, what, append).expect("the event fits");
        self.recorded += 1;
        self.dead = self.cut == Some(self.recorded);
    }

    fn display(&mut self, assignments: Vec<Assignment>) {
        let plan = Arc::clone(&self.scenario.plan);
        let exhibition = seating::exhibition(&plan, assignments[0].id).expect("an exhibition");
        let (mut tables, mut games) = (Vec::new(), Vec::new());
        self.boards.clear();
        for assignment in assignments {
            let unfinished = self.unfinished.remove(&assignment.id);
            let names = assignment.seats.map(|entrant| plan.entrants[entrant].name.clone());
            let opening = plan.openings.opening(assignment.opening);
            let mut sheet = Scoresheet::new(assignment.id, names, opening, self.now, "2006".into());
            match &unfinished {
                Some(unfinished) => sheet.go_on(unfinished.clone()),
                None => self.record(What::GameBegan(sheet.began())),
            }
            let game = seating::referee(&plan, &assignment, &sheet, unfinished.as_ref());
            let mut chairs: BySide<VecDeque<Chair>> = BySide::default();
            let mut seats: BySide<VecDeque<Seat>> = BySide::default();
            for side in Side::BOTH {
                for (member, manifest) in plan.entrants[assignment.seats[side]].members().enumerate() {
                    let start = game.trail().start();
                    let master = side == exhibition.colour;
                    let mut chair =
                        if master { Chair::away(manifest, start) } else { Chair::absent(manifest, start) };
                    chair.enter_all(game.trail());
                    chairs[side].push_back(chair);
                    seats[side].push_back(Seat { member, ..Seat::default() });
                }
            }
            let first = BySide::from_fn(|side| chairs[side].pop_front().expect("a member"));
            let table = Table::new(game, first, Manners::of(&plan.conduct))
                .with_team(Side::Red, chairs.red.into())
                .with_team(Side::Black, chairs.black.into());
            tables.push(seating::laid(&plan, table, assignment.id, unfinished.as_ref()));
            games.push((assignment.id, unfinished));
            let first = BySide::from_fn(|side| seats[side].pop_front().expect("a member"));
            self.boards.push(Board { assignment, sheet, seats: first, benches: seats, settled: false });
        }
        let standing = seating::standing(self.ledger.run(), exhibition, &games);
        let start = tables[0].game().trail().start().clone();
        let master = Chair::absent(&plan.entrants[MASTER].engine, &start).for_master();
        let mut sitting = Sitting::exhibition(tables, master, exhibition, standing);
        let mut doings = Vec::new();
        sitting.begin(self.now, &mut doings);
        self.sitting = Some(sitting);
        self.perform(doings);
        self.run_display();
    }

    fn run_display(&mut self) {
        while !self.dead && !self.boards.iter().all(|board| board.settled) {
            let Some(Reverse((at, serial))) = self.queue.pop() else {
                panic!("nothing will happen any more at {}: {:?}", self.now, self.sitting);
            };
            self.now = self.now.max(at);
            if let Some(happening) = self.happenings.remove(&serial) {
                self.happen(happening);
            }
        }
        for process in &mut self.processes {
            process.alive &= process.search.is_some();
        }
        self.sitting = None;
    }

    fn put(&mut self, at: At, happening: Happening) {
        self.serial += 1;
        self.queue.push(Reverse((at, self.serial)));
        self.happenings.insert(self.serial, happening);
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Started(board, side, process) => {
                let seat = &mut self.boards[board].seats[side];
                if !std::mem::take(&mut seat.starting) {
                    return;
                }
                let number = process.expect("all can be started");
                seat.process = Some(number);
                self.step(board, Input::Started(side));
            }
            Happening::Says(process, search, line) => {
                let one = &mut self.processes[process];
                if !one.alive || (search > 0 && one.search.map(|(number, _)| number) != Some(search)) {
                    return;
                }
                if search > 0 {
                    one.search = None;
                }
                let Some((board, side)) = self.place_of(process) else { return };
                self.step(board, Input::Line(side, line.as_bytes()));
            }
            Happening::Dies(process) => {
                if !self.processes[process].alive {
                    return;
                }
                self.processes[process].alive = false;
                self.processes[process].search = None;
                if let Some((board, side)) = self.place_of(process) {
                    self.step(board, Input::Closed(side, "signal 11"));
                }
            }
            Happening::Timer => {
                let Some(sitting) = &mut self.sitting else { return };
                if sitting.wakeup().is_some_and(|due| self.now >= due) {
                    let mut doings = Vec::new();
                    sitting.timer(self.now, &mut doings);
                    self.perform(doings);
                }
            }
        }
    }

    /// Where a process sits; nobody hears those on a bench.
    fn place_of(&self, process: usize) -> Option<(usize, Side)> {
        let at = |(board, place): (usize, &Board)| {
            Side::BOTH
                .into_iter()
                .find(|side| place.seats[*side].process == Some(process))
                .map(|side| (board, side))
        };
        self.boards.iter().enumerate().find_map(at)
    }

    fn step(&mut self, board: usize, input: Input<'_>) {
        let mut doings = Vec::new();
        if let Some(sitting) = &mut self.sitting {
            sitting.step(self.now, board, input, &mut doings);
        }
        self.perform(doings);
    }

    fn perform(&mut self, doings: Vec<Doing>) {
        for doing in doings {
            if self.dead {
                return;
            }
            match doing {
                Doing::At(board, effect) => self.effect(board, effect),
                Doing::Walk { from, to } => {
                    let (_, side) = self.sitting.as_ref().and_then(Sitting::place).expect("a master");
                    assert!(self.boards[to].seats[side].process.is_none(), "two masters");
                    let seat = std::mem::take(&mut self.boards[from].seats[side]);
                    assert!(!seat.starting, "he walks while he is being started");
                    self.boards[to].seats[side] = seat;
                }
                Doing::SessionRuns => {
                    let used = self.sitting.as_ref().map(Sitting::session_used).unwrap_or_default();
                    self.record(What::SessionRuns { used_us: micros(used) });
                }
            }
        }
        if let Some(due) = self.sitting.as_ref().and_then(Sitting::wakeup) {
            self.put(due, Happening::Timer);
        }
    }

    fn effect(&mut self, board: usize, effect: Effect) {
        let grain = self.scenario.plan.conduct.grain;
        let place = &mut self.boards[board];
        match effect {
            Effect::Start(side) => {
                place.seats[side].starting = true;
                let (entrant, member) = (place.assignment.seats[side], place.seats[side].member);
                let process = self.start(entrant, member);
                self.put(self.now + START, Happening::Started(board, side, Some(process)));
            }
            Effect::Send(side) => self.send(board, side),
            Effect::Kill(side) => {
                place.seats[side].starting = false;
                if let Some(process) = place.seats[side].process.take() {
                    self.processes[process].alive = false;
                    self.processes[process].search = None;
                }
            }
            Effect::Moved(made, thought) => {
                let member = place.mover(made.side);
                let moved = place.sheet.moved(made, thought, grain);
                member.into_iter().for_each(|member| place.sheet.made_by(member));
                if let Some(mut moved) = moved {
                    moved.member = member;
                    self.record(What::Moved(moved));
                }
            }
            Effect::Overran(overran, member) => {
                let member = place.numbered(overran.side, member);
                let what = place.sheet.overran(overran, member, grain);
                what.into_iter().for_each(|what| self.record(what));
            }
            Effect::Advised(_, member, said) => {
                let what = place.sheet.advised(member, said);
                self.record(what);
            }
            Effect::Note(side, kind, text) => {
                let entrant = place.assignment.seats[side];
                let entrant = Some(self.scenario.plan.entrants[entrant].name.clone());
                let (game, kind) = (Some(place.assignment.id), kind.to_owned());
                self.record(What::Noted(Noted { game, entrant, kind, text }));
            }
            Effect::Rotate(side) => {
                if let Some(next) = place.benches[side].pop_front() {
                    place.benches[side].push_back(std::mem::replace(&mut place.seats[side], next));
                }
            }
            Effect::Over(why) => {
                let sitting = self.sitting.as_ref().expect("it is played");
                let game = sitting.table(board).game();
                let over = place.sheet.over(self.now, game, &why, Duration::ZERO);
                let Assignment { id, seats: BySide { red, black }, .. } = place.assignment;
                let result = why.outcome().map(|outcome| GameResult { id, red, black, outcome });
                self.record(What::GameOver(Box::new(over)));
                self.director.over(id, result);
            }
            Effect::Settled => place.settled = true,
        }
    }

    fn start(&mut self, entrant: usize, member: usize) -> usize {
        let life = self.lives.entry((entrant, member)).or_default();
        *life += 1;
        self.processes.push(Process {
            entrant,
            member,
            life: *life,
            alive: true,
            position: None,
            line: String::new(),
            search: None,
            searches: 0,
        });
        self.processes.len() - 1
    }

    fn send(&mut self, board: usize, side: Side) {
        let Some(sitting) = &mut self.sitting else { return };
        let text = std::mem::take(sitting.outbox(board, side));
        let Some(process) = self.boards[board].seats[side].process else { return };
        let text = String::from_utf8(text).expect("words are UTF-8");
        assert_eq!(self.processes[process].entrant, self.boards[board].assignment.seats[side]);
        for line in text.lines() {
            if self.processes[process].entrant == MASTER {
                self.master.push((board, line.to_owned()));
            }
            self.hear(process, line);
        }
        if !text.is_empty() {
            self.step(board, Input::Sent(side));
        }
    }

    fn hear(&mut self, process: usize, line: &str) {
        let says = |line: &str| Happening::Says(process, 0, line.to_owned());
        let soon = self.now + WORD;
        match line.split(' ').next().unwrap_or("") {
            "uci" => self.put(soon, says("uciok")),
            "ucci" => {
                self.put(soon, says("option newgame type button"));
                self.put(soon, says("ucciok"));
            }
            "isready" => self.put(soon, says("readyok")),
            "position" => {
                let one = &mut self.processes[process];
                one.position = Some(read_position(line));
                line.clone_into(&mut one.line);
            }
            "go" => self.go(process),
            "stop" => {
                if let Some((search, answers)) = self.processes[process].search
                    && answers
                {
                    self.drained += 1;
                    self.put(self.now + LATE, Happening::Says(process, search, "bestmove a0a1".to_owned()));
                }
            }
            _ => {}
        }
    }

    fn go(&mut self, process: usize) {
        let one = &mut self.processes[process];
        assert!(one.search.is_none(), "asked while it thinks");
        let position = one.position.take().expect("a position before go");
        let asked = Asked {
            entrant: one.entrant,
            member: one.member,
            process: one.life,
            plies: 2 * (position.number() as usize - 1) + usize::from(position.side() == Side::Black),
            line: one.line.clone(),
            position,
        };
        one.searches += 1;
        let search = one.searches;
        let deed = (self.scenario.brain)(&asked);
        self.processes[process].search = Some((search, deed != Deed::Hangs));
        match deed {
            Deed::Moves(after, mv) => {
                self.put(self.now + after, Happening::Says(process, search, format!("bestmove {mv}")));
            }
            Deed::Dies(after) => self.put(self.now + after, Happening::Dies(process)),
            Deed::Thinks | Deed::Hangs => {}
        }
    }
}

impl Board {
    fn mover(&self, side: Side) -> Option<u8> {
        self.numbered(side, self.seats[side].member)
    }

    fn numbered(&self, side: Side, member: usize) -> Option<u8> {
        (!self.benches[side].is_empty()).then_some(member as u8 + 1)
    }
}

fn read_position(line: &str) -> Position {
    let (head, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let mut position = match head.strip_prefix("position fen ") {
        Some(fen) => Position::from_fen(fen).expect("a FEN that can be played"),
        None => Position::start(),
    };
    for word in moves.split_whitespace() {
        let mv = SquareStyle::Zero.read(word.as_bytes()).expect("moves");
        assert!(position.is_legal(mv), "legal moves");
        position.make(mv);
    }
    position
}
