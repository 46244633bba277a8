//! The simulated world is the real one: a run of the built program is traced, and the trace, given to
//! fresh machines without any process or clock, makes the same journal byte for byte. Also what happens
//! to a run folder when an engine does not start on resume. Start at [`replay`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use chuhe::config::{self, Overrides};
use chuhe::director::{Assignment, Director, Order};
use chuhe::engine::Session;
use chuhe::plan::Plan;
use chuhe::record::{CheckedIn, FoldError, JournalReader, Ledger, Noted, Run, RunBegan, Scoresheet, What};
use chuhe::runner::{DiskFiles, Given, Traced};
use chuhe::table::{Chair, Effect, Manners, Table};
use chuhe::time::At;
use chuhe::tournament::{GameId, GameResult};
use chuhe::xiangqi::{BySide, Side};

const CONFIG: &str = r#"{
  "event": "Traced",
  "entrants": [
    { "name": "A", "engine": "sparring", "options": { "Level": 1, "Seed": 1 } },
    { "name": "B", "engine": "sparring", "options": { "Level": 2, "Seed": 2 } },
    { "name": "C", "engine": "sparring", "options": { "Level": 3, "Seed": 3 }, "time": "20+1" }
  ],
  "time": "nodes=60",
  "format": "round-robin",
  "rules": { "max_plies": 30 },
  "journal": "JOURNAL",
  "concurrency": 2
}"#;

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    dir
}

fn chuhe() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chuhe"))
}

/// A game that is played again.
struct Board {
    assignment: Assignment,
    table: Table,
    sheet: Scoresheet,
    processes: BySide<Option<u32>>,
}

/// The machines of a run without their world.
struct Replay {
    plan: Arc<Plan>,
    head: RunBegan,
    director: Director,
    ledger: Ledger,
    journal: Vec<u8>,
    idle: HashMap<u32, Session>,
    boards: HashMap<GameId, Board>,
    /// Of each game: the longest delay and the last lines of its engines.
    facts: HashMap<GameId, (u64, [Vec<String>; 2])>,
}

fn on<T: Clone>(pair: &[T; 2]) -> BySide<T> {
    BySide { red: pair[0].clone(), black: pair[1].clone() }
}

impl Replay {
    fn new(head: RunBegan, trace: &[Traced]) -> Replay {
        let resolved = config::from_value(&head.config, &head.base, &DiskFiles, &Overrides::default());
        let plan = Arc::new(resolved.expect("the journal's config reads").plan);
        let facts = trace.iter().filter_map(|line| match line {
            Traced::Over { game, delay_us, last_lines } => Some((*game, (*delay_us, last_lines.clone()))),
            _ => None,
        });
        Replay {
            director: Director::new(Arc::clone(&plan), &Run::new()),
            plan,
            head,
            ledger: Ledger::default(),
            journal: Vec::new(),
            idle: HashMap::new(),
            boards: HashMap::new(),
            facts: facts.collect(),
        }
    }

    fn record(&mut self, at: At, what: What) {
        let journal = &mut self.journal;
        let append = |line: &[u8]| {
            journal.extend_from_slice(line);
            Ok::<(), FoldError>(())
        };
        self.ledger.record(at, what, append).expect("the event fits");
    }

    fn take(&mut self, line: &Traced) {
        match line {
            Traced::Head { at } => self.record(*at, What::RunBegan(Box::new(self.head.clone()))),
            Traced::Greeted { entrant, process, at, took_us, said } => {
                let entrant = &self.plan.entrants[*entrant];
                let name = entrant.name.clone();
                let mut session = Session::new(Arc::clone(&entrant.engine));
                let mut words = Vec::new();
                session.open(&mut words);
                for line in said {
                    match line {
                        Some(line) => drop(session.hear(line.as_bytes(), &mut words)),
                        None => drop(session.settle(&mut words)),
                    }
                }
                for what in CheckedIn::events(&name, &session, Duration::from_micros(*took_us)) {
                    self.record(*at, what);
                }
                self.idle.insert(*process, session);
            }
            Traced::Begun { game, at, date, seated } => self.begin(*game, *at, date, on(seated)),
            Traced::Given { game, at, input } => self.give(*game, *at, input),
            Traced::Noted { at, noted } => self.record(*at, What::Noted(noted.clone())),
            Traced::Over { .. } => {}
            Traced::Left { game, kept } => self.leave(*game, on(kept)),
            Traced::BrokenOff { game } => {
                self.boards.remove(game);
                self.director.abandoned(*game);
            }
            Traced::Stopped => self.director.stop(),
            Traced::Finished { at } => {
                let finish = self.director.finish();
                self.record(*at, finish.event());
            }
        }
    }

    fn begin(&mut self, game: GameId, at: At, date: &str, seated: BySide<Option<u32>>) {
        let assignment = match self.director.next_order() {
            Order::Play(assignment) => assignment,
            order => panic!("game {game} was begun, and the director says {order:?}"),
        };
        assert_eq!(assignment.id, game, "the director names another game");
        let names = assignment.seats.map(|entrant| self.plan.entrants[entrant].name.clone());
        let opening = self.plan.openings.opening(assignment.opening);
        let sheet = Scoresheet::new(game, names, opening, at, date.to_owned());
        self.record(at, What::GameBegan(sheet.began()));
        let referee = sheet.game(self.plan.terms(game.stage, assignment.seats));
        let chairs = BySide::from_fn(|side| {
            let manifest = &self.plan.entrants[assignment.seats[side]].engine;
            let start = referee.trail().start();
            let mut chair = match seated[side] {
                None => Chair::absent(manifest, start),
                Some(process) => {
                    let session = self.idle.remove(&process).expect("a seated engine was idle");
                    Chair::seated(manifest, session, start)
                }
            };
            chair.enter_all(referee.trail());
            chair
        });
        let table = Table::new(referee, chairs, Manners::of(&self.plan.conduct));
        self.boards.insert(game, Board { assignment, table, sheet, processes: seated });
    }

    fn give(&mut self, game: GameId, at: At, given: &Given) {
        let board = self.boards.get_mut(&game).expect("a game that was begun");
        let mut effects = Vec::new();
        board.table.step(at, given.input(), &mut effects);
        for effect in effects {
            let board = self.boards.get_mut(&game).expect("it is still there");
            match effect {
                Effect::Start(_) | Effect::Kill(_) | Effect::Rotate(_) | Effect::Settled => {}
                Effect::Overran(..) | Effect::Advised(..) => panic!("it is no exhibition"),
                Effect::Send(side) => board.table.outbox(side).clear(),
                Effect::Moved(made, thought) => {
                    let moved = board.sheet.moved(made, thought, self.plan.conduct.grain);
                    if let Some(moved) = moved {
                        self.record(at, What::Moved(moved));
                    }
                }
                Effect::Note(side, kind, text) => {
                    let entrant = Some(self.plan.entrants[board.assignment.seats[side]].name.clone());
                    self.record(
                        at,
                        What::Noted(Noted { game: Some(game), entrant, kind: kind.to_owned(), text }),
                    );
                }
                Effect::Over(termination) => {
                    let (delay, lines) = self.facts.remove(&game).expect("the trace has the game's end");
                    board.sheet.last_lines = on(&lines);
                    let delay = Duration::from_micros(delay);
                    let over = board.sheet.over(at, board.table.game(), &termination, delay);
                    let BySide { red, black } = board.assignment.seats;
                    let result =
                        termination.outcome().map(|outcome| GameResult { id: game, red, black, outcome });
                    self.record(at, What::GameOver(Box::new(over)));
                    self.director.over(game, result);
                }
            }
        }
    }

    fn leave(&mut self, game: GameId, kept: BySide<Option<u32>>) {
        let board = self.boards.remove(&game).expect("a game that was begun");
        let usable = BySide::from_fn(|side| board.table.is_usable(side));
        let mut chairs = board.table.into_chairs().map(Some);
        for side in Side::BOTH {
            let (Some(process), Some(chair)) = (kept[side], chairs[side].take()) else { continue };
            assert!(usable[side], "an engine was kept that cannot be used");
            assert!(board.processes[side].is_none_or(|seated| seated == process));
            self.idle.insert(process, chair.into_session());
        }
    }
}

/// Gives a trace to fresh machines; what they journal.
fn replay(head: RunBegan, trace: &[Traced]) -> String {
    let mut replay = Replay::new(head, trace);
    for line in trace {
        replay.take(line);
    }
    assert!(replay.boards.is_empty(), "a traced game has no end");
    String::from_utf8(replay.journal).expect("journals are UTF-8")
}

fn check(grain: &str) {
    let dir = folder(&format!("trace-{grain}"));
    let (config, trace, out) = (dir.join("run.json"), dir.join("trace.jsonl"), dir.join("out"));
    std::fs::write(&config, CONFIG.replace("JOURNAL", grain)).expect("the config is written");
    let mut run = chuhe();
    run.arg("run").arg(&config).arg("--quiet").arg("--out").arg(&out).arg("--trace").arg(&trace);
    let run = run.output().expect("the program starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let journal = std::fs::read_to_string(out.join("journal.jsonl")).expect("there is a journal");
    let text = std::fs::read_to_string(&trace).expect("there is a trace");
    let lines: Vec<Traced> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line of a trace reads")).collect();
    let first = JournalReader::new(journal.as_bytes()).next().expect("an event").expect("it reads");
    let What::RunBegan(head) = first.what else { panic!("a journal begins with its head") };
    let again = replay(*head, &lines);
    for (played, replayed) in journal.lines().zip(again.lines()) {
        assert_eq!(replayed, played);
    }
    assert_eq!(again.len(), journal.len());
    assert!(journal.contains(r#""what":"run_over""#) && lines.len() > 500);
    let _ = std::fs::remove_dir_all(&dir);
}

#[test]
fn a_replayed_trace_makes_the_same_journal() {
    check("game");
    check("move");
}

#[test]
fn a_resume_whose_engine_does_not_start_keeps_the_run() {
    let dir = folder("missing");
    let (config, out, engine) = (dir.join("run.json"), dir.join("out"), dir.join("engine"));
    std::fs::copy(env!("CARGO_BIN_EXE_chuhe"), &engine).expect("an engine of our own");
    let manifest =
        format!(r#"{{ "command": "{}", "args": ["sparring"], "protocol": "ucci" }}"#, engine.display());
    let text = format!(
        r#"{{ "entrants": [{{ "name": "A", "engine": {manifest} }}, {{ "name": "B", "engine": "sparring" }}],
            "time": "nodes=50", "rules": {{ "max_plies": 6 }} }}"#
    );
    std::fs::write(&config, text).expect("the config is written");
    let run = chuhe().arg("run").arg(&config).arg("--quiet").arg("--out").arg(&out).output();
    let run = run.expect("the program starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    // As if the power had failed after the first game.
    let path = out.join("journal.jsonl");
    let journal = std::fs::read_to_string(&path).expect("there is a journal");
    let end = journal.find(r#""what":"game_over""#).expect("a game ended");
    let end = end + journal[end..].find('\n').expect("its line ends") + 1;
    std::fs::write(&path, &journal[..end]).expect("it is cut");
    std::fs::write(&engine, "#!/bin/false\n").expect("the engine is broken");
    let resumed = chuhe().arg("resume").arg(&out).arg("--quiet").output().expect("the program starts");
    assert_eq!(resumed.status.code(), Some(2), "{}", String::from_utf8_lossy(&resumed.stderr));
    let kept = std::fs::read_to_string(&path).expect("the journal is still there");
    assert!(kept.starts_with(&journal[..end]));
    let _ = std::fs::remove_dir_all(&dir);
}
