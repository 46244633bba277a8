//! What is said between a session and an engine, as dialogues of our own making: one folder a protocol
//! under `tests/dialogues`, one file a subject. Also replays what real engines wrote, where the shared
//! data are present, and feeds sessions with anything at all. Start at [`check`].
//!
//! | line | means |
//! |---|---|
//! | `@ KEY VALUE` | a setting of the manifest (before the first `!`) |
//! | `! CALL ..` | a call of the session or the sheet |
//! | `< LINE` | the engine writes this; `\t`, `\r`, `\xNN` are bytes |
//! | `> LINE` | the session must have written exactly this, in order, and nothing else |
//! | `= TEXT` | what the call returned or the line was heard as; without it: nothing |
//! | `# ..` | a remark |

mod support;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chuhe::engine::{
    Answer, AnsweredMove, FenFields, FenLetters, Go, Heard, Manifest, Phase, Protocol, Session, Sheet,
    TimeUnit,
};
use chuhe::xiangqi::{Move, Position, SquareStyle};
use proptest::prelude::*;

/// A session, the sheets of its games and the game at hand.
struct Bench {
    session: Session,
    /// Game 0 and the others that `! game N` brings.
    games: Vec<(Sheet, Position)>,
    game: usize,
    out: Vec<u8>,
}

impl Bench {
    fn new(manifest: Manifest) -> Bench {
        let start = Position::start();
        let sheet = Sheet::new(&manifest, &start);
        let session = Session::new(Arc::new(manifest));
        Bench { session, games: vec![(sheet, start)], game: 0, out: Vec::new() }
    }

    fn call(&mut self, call: &str) -> String {
        let (word, rest) = call.split_once(' ').unwrap_or((call, ""));
        let Bench { session, games, game, out } = self;
        let (sheet, position) = &mut games[*game];
        let nothing = String::new();
        match word {
            "open" => session.open(out),
            "settle" => return heard_text(&session.settle(out)),
            "silence" => return format!("{:?}", session.silence()),
            "game" => {
                *game = rest.parse().unwrap();
                while games.len() <= *game {
                    let start = Position::start();
                    games.push((Sheet::new(session.manifest(), &start), start));
                }
            }
            "new_game" => {
                if !rest.is_empty() {
                    *position = Position::from_fen(rest).unwrap();
                    *sheet = Sheet::new(session.manifest(), position);
                }
                return session.new_game(sheet, out).to_string();
            }
            "restart" => *session = Session::new(Arc::new(session.manifest().clone())),
            "played" => rest.split(' ').for_each(|word| {
                let mv = the_move(word);
                assert!(position.is_legal(mv), "{word} is not legal in {position:?}");
                let captured = position.make(mv).captured().is_some();
                sheet.played(mv, captured, position);
            }),
            "passed" => {
                position.pass();
                sheet.passed(position);
            }
            "reset" => {
                *position = Position::from_fen(rest).unwrap();
                sheet.reset(position);
            }
            "ask" => with_go(position, rest, |go| session.ask(sheet, go, out)),
            "ponder" => {
                let (mv, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                let mut sent = false;
                with_go(position, rest, |go| sent = session.ponder(sheet, the_move(mv), go, out));
                return sent.to_string();
            }
            "hit" => {
                let answer = session.ponder_hit(rest == "draw", out);
                return answer.map_or(nothing, |answer| answer_text(&answer));
            }
            "rest" => session.rest(out),
            "stop" => session.stop(out),
            "quit" => session.quit(out),
            "phase" => return format!("{:?}", session.phase()),
            "unlisted" => return session.unlisted().join(", "),
            "xiangqi" => return session.plays_xiangqi().to_string(),
            "reusable" => return session.reusable().to_string(),
            "identity" => {
                let identity = session.identity();
                return format!("{}|{}|{}", identity.name, identity.author, identity.version);
            }
            "thought" => return thought_text(session),
            _ => panic!("no such call: {call}"),
        }
        nothing
    }
}

fn the_move(word: &str) -> Move {
    SquareStyle::Zero.read(word.as_bytes()).unwrap_or_else(|| panic!("no move: {word}"))
}

/// Builds a request from `own=MS opp=MS inc=MS oppinc=MS mtg=N oppmtg=N movetime=MS nodes=N depth=N
/// draw ban=m1,m2 only=m1,m2`.
fn with_go(position: &Position, text: &str, call: impl FnOnce(&Go<'_>)) {
    let mut go = Go::new(position.side());
    let (mut ban, mut only) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = || value.parse::<u32>().unwrap();
        let time = || Duration::from_millis(value.parse().unwrap());
        match key {
            "own" => go.own = Some(time()),
            "opp" => go.opponent = Some(time()),
            "inc" => go.own_increment = time(),
            "oppinc" => go.opponent_increment = time(),
            "mtg" => go.moves_to_go = Some(number()),
            "oppmtg" => go.opponent_moves_to_go = Some(number()),
            "movetime" => go.movetime = Some(time()),
            "nodes" => go.nodes = Some(u64::from(number())),
            "depth" => go.depth = Some(number()),
            "draw" => go.draw_offered = true,
            "ban" => ban.extend(value.split(',').map(the_move)),
            "only" => only.extend(value.split(',').map(the_move)),
            _ => panic!("no such word of go: {word}"),
        }
    }
    call(&Go { ban: &ban, only: &only, ..go });
}

fn set(manifest: &mut Manifest, line: &str) {
    let (key, value) = line.split_once(' ').unwrap();
    match (key, value) {
        ("squares", "one") => manifest.squares = SquareStyle::One,
        ("time_unit", "ms") => manifest.time_unit = TimeUnit::Milliseconds,
        ("time_unit", "s") => manifest.time_unit = TimeUnit::Seconds,
        ("letters", "eh") => manifest.letters = FenLetters::Eh,
        ("fields", "4") => manifest.fen_fields = FenFields::Four,
        ("ping", "no") => manifest.ping = false,
        ("ponder", "yes") => manifest.ponder = true,
        ("init", line) => manifest.init.push(line.to_owned()),
        ("new_game", line) => manifest.new_game.push(line.to_owned()),
        ("option", pair) => {
            let (name, value) = pair.split_once('=').unwrap();
            manifest.options.push((name.to_owned(), value.to_owned()));
        }
        _ => panic!("no such setting: {line}"),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn answer_text(answer: &Answer<'_>) -> String {
    let mut text = match answer.mv {
        AnsweredMove::Move(mv) => format!("Answer {mv}"),
        AnsweredMove::None(word) => format!("Answer none {}", lossy(word)).trim_end().to_owned(),
        AnsweredMove::Unreadable(word) => format!("Answer unreadable {}", lossy(word)),
    };
    if let Some(mv) = answer.ponder {
        let _ = write!(text, " ponder {mv}");
    }
    text.push_str(if answer.draw { " draw" } else { "" });
    text.push_str(if answer.resign { " resign" } else { "" });
    text
}

fn heard_text(heard: &Heard<'_>) -> String {
    match heard {
        Heard::Nothing => String::new(),
        Heard::Answer(answer) => answer_text(answer),
        Heard::Refused(line) => format!("Refused {}", lossy(line)),
        Heard::Claim { line, instead_of_move: false } => format!("Claim {}", lossy(line)),
        Heard::Claim { line, instead_of_move: true } => format!("Claim instead of a move {}", lossy(line)),
        Heard::Greeted => "Greeted".to_owned(),
        Heard::Ready => "Ready".to_owned(),
        Heard::Late => "Late".to_owned(),
        Heard::Offer => "Offer".to_owned(),
        Heard::Resign => "Resign".to_owned(),
        Heard::Bye => "Bye".to_owned(),
    }
}

fn thought_text(session: &Session) -> String {
    let Some(thought) = session.thought() else { return "none".to_owned() };
    let count = |name: &str, value: Option<u64>| value.map(|v| format!(" {name} {v}")).unwrap_or_default();
    let score = thought.score.map_or("no score".to_owned(), |score| format!("{score:?}"));
    let depth = count("depth", thought.depth.map(u64::from));
    let rest = [count("nodes", thought.nodes), count("time", thought.time_ms)].concat();
    format!("{score}{depth}{rest} pv {}", thought.pv).trim_end().to_owned()
}

/// The bytes of a line in which `\t`, `\r` and `\xNN` stand for bytes.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        let used = match escape.as_bytes().first() {
            Some(b't') => (b'\t', 1),
            Some(b'r') => (b'\r', 1),
            Some(b'x') => (u8::from_str_radix(escape.get(1..3).unwrap_or(""), 16).unwrap_or(b'?'), 3),
            _ => (b'\\', 0),
        };
        bytes.push(used.0);
        rest = escape.get(used.1..).unwrap_or("");
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Plays one dialogue.
fn check(protocol: Protocol, name: &str, dialogue: &str) {
    let mut manifest = Manifest::new("engine", protocol);
    let mut bench: Option<Bench> = None;
    let mut said = String::new();
    let settle = |bench: &mut Option<Bench>, said: &mut String, place: &str| {
        let written = bench.as_ref().map(|bench| lossy(&bench.out)).unwrap_or_default();
        assert!(written.is_empty(), "before {place}: written without `>`:\n{written}");
        assert!(said.is_empty(), "before {place}: said without `=`: {said}");
    };
    for (number, line) in dialogue.lines().enumerate() {
        let place = format!("{name}:{}: {line}", number + 1);
        let (mark, text) = line.split_once(' ').unwrap_or((line, ""));
        match mark {
            "" | "#" => {}
            "@" => set(&mut manifest, text),
            "!" | "<" => {
                settle(&mut bench, &mut said, &place);
                let bench = bench.get_or_insert_with(|| Bench::new(manifest.clone()));
                said = if mark == "!" {
                    bench.call(text)
                } else {
                    heard_text(&bench.session.hear(&bytes(text), &mut bench.out))
                };
            }
            ">" => {
                let out = &mut bench.as_mut().unwrap().out;
                let end = out.iter().position(|byte| *byte == b'\n');
                let end = end.unwrap_or_else(|| panic!("{place}: nothing was written"));
                let written: Vec<u8> = out.drain(..=end).collect();
                assert_eq!(lossy(&written[..end]), text, "{place}");
            }
            "=" => assert_eq!(std::mem::take(&mut said), text, "{place}"),
            _ => panic!("{place}: no such mark"),
        }
    }
    settle(&mut bench, &mut said, &format!("the end of {name}"));
}

#[test]
fn manifests_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines");
    let mut spoken = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        match chuhe::config::manifest(&std::fs::read_to_string(&path).unwrap()) {
            Ok((_, manifest)) => spoken.push(manifest.protocol),
            Err(problems) => panic!("{}: {problems:?}", path.display()),
        }
    }
    for protocol in Protocol::ALL {
        assert!(spoken.contains(&protocol), "no engine for {}", protocol.name());
    }
}

#[test]
fn dialogues() {
    for protocol in Protocol::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialogues").join(protocol.name());
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "no dialogue for {}", protocol.name());
        for file in files {
            let name = format!("{}/{}", protocol.name(), file.file_name().unwrap().to_string_lossy());
            check(protocol, &name, &std::fs::read_to_string(&file).unwrap());
        }
    }
}

/// What one transcript of a real engine came to.
#[derive(Debug, Default)]
struct Replay {
    greeted: u32,
    asked: u32,
    answers: u32,
}

/// Replays `ms < LINE` and `ms > LINE`: a `go` of theirs becomes one of ours, and each answer of theirs to
/// it must be heard as one.
fn replay(manifest: Manifest, transcript: &str) -> Replay {
    let manifest = Arc::new(manifest);
    let start = Position::start();
    let mut replay = Replay::default();
    let mut sheet = Sheet::new(&manifest, &start);
    let mut session = Session::new(Arc::clone(&manifest));
    let mut out = Vec::new();
    for (number, line) in transcript.lines().enumerate() {
        out.clear();
        let mut words = line.trim_start().splitn(3, ' ');
        let (_, mark, text) = (words.next(), words.next().unwrap_or(""), words.next().unwrap_or(""));
        match mark {
            ">" if matches!(text, "ucci" | "uci" | "xboard") || text.starts_with("ucicyclone") => {
                session = Session::new(Arc::clone(&manifest));
            }
            ">" if text == "go" || text.starts_with("go ") => {
                session.ask(&mut sheet, &Go::new(start.side()), &mut out);
                replay.asked += 1;
                // Our question may begin with a fence, where an answer came to something that is not replayed
                // (their stop); every engine answers that first.
                if out.starts_with(b"isready\n") {
                    session.hear(b"readyok", &mut Vec::new());
                }
            }
            "<" => {
                let bytes = bytes(text);
                let outstanding = session.phase() == Phase::Thinking;
                let heard = session.hear(&bytes, &mut out);
                replay.greeted += u32::from(heard == Heard::Greeted);
                let is_answer = matches!(heard, Heard::Answer(_));
                replay.answers += u32::from(is_answer);
                let first = text.split_whitespace().next().unwrap_or("");
                if outstanding && matches!(first, "bestmove" | "nobestmove" | "move") {
                    assert!(is_answer, "line {}: {text} was heard as {heard:?}", number + 1);
                }
                if let Heard::Answer(Answer { mv: AnsweredMove::Unreadable(word), .. }) = heard {
                    panic!("line {}: unreadable answer {}", number + 1, lossy(word));
                }
            }
            _ => {}
        }
    }
    replay
}

/// The transcripts do not show the end of these greetings: the first answered later than its driver
/// waited, the other's long feature line is cut.
const GREETING_NOT_SHOWN: [&str; 2] = ["fairy-stockfish-wasm-ucicyclone", "hoixiangqi-cecp"];

#[test]
fn transcripts_of_real_engines() {
    let Some(folder) = support::shared("transcripts") else { return };
    let mut answers = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // The league runner's own log has another form.
        if name == "uccileag-runner-ucci" {
            continue;
        }
        let protocol = match name.as_str() {
            _ if name.ends_with("-ucci") => Protocol::Ucci,
            _ if name.ends_with("-cecp") => Protocol::Cecp,
            _ => Protocol::Uci,
        };
        let mut manifest = Manifest::new(name.clone(), protocol);
        if matches!(name.as_str(), "fairy-stockfish-uci" | "sjaakii-uci" | "sjaakii-ucci") {
            manifest.squares = SquareStyle::One;
        }
        let replay = replay(manifest, &std::fs::read_to_string(&path).unwrap());
        println!("{name}: {replay:?}");
        let greets = !GREETING_NOT_SHOWN.contains(&name.as_str());
        assert_eq!(replay.greeted > 0, greets, "{name}: {replay:?}");
        answers += replay.answers;
    }
    assert!(answers > 100, "only {answers} answers in all transcripts");
}

/// Beginnings that engines' lines have, so that random text reaches the readers behind them.
const BEGINNINGS: [&str; 16] = [
    "",
    "bestmove ",
    "info ",
    "info depth 3 score ",
    "option name ",
    "option ",
    "id name ",
    "feature ",
    "feature option=\"",
    "move ",
    "Illegal move",
    "Error (",
    "pong ",
    "1 2 3 4 ",
    "readyok",
    "nobestmove",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever an engine writes and whenever it is asked something, nothing panics, and what is kept and
    /// written stays bounded by a few lines.
    #[test]
    fn anything_is_survived(
        protocol in 0..3usize,
        script in prop::collection::vec(
            (0..20usize, 0..BEGINNINGS.len(), prop::collection::vec(any::<u8>(), 0..60)), 1..60),
    ) {
        let manifest = Arc::new(Manifest::new("engine", Protocol::ALL[protocol]));
        let start = Position::start();
        let mut sheet = Sheet::new(&manifest, &start);
        let mut session = Session::new(Arc::clone(&manifest));
        for (action, beginning, tail) in script {
            let mut out = Vec::new();
            match action {
                0 => session.stop(&mut out),
                1 => { session.new_game(&mut sheet, &mut out); }
                2 => session.ask(&mut sheet, &Go::new(start.side()), &mut out),
                3 => { session.ponder(&mut sheet, the_move("h2e2"), &Go::new(start.side()), &mut out); }
                4 => { session.ponder_hit(false, &mut out); }
                5 => { session.settle(&mut out); }
                6 => { session.hear(b"uciok", &mut out); session.hear(b"ucciok", &mut out); }
                7 => { session.hear(b"feature done=1 ping=1", &mut out); }
                _ => {
                    let line = [BEGINNINGS[beginning].as_bytes(), &tail].concat();
                    session.hear(&line, &mut out);
                    let _ = session.thought();
                }
            }
            prop_assert!(out.len() < 4096, "{} bytes", out.len());
        }
    }
}

#[test]
fn a_flood_leaves_nothing_behind() {
    let manifest = Arc::new(Manifest::new("engine", Protocol::Uci));
    let start = Position::start();
    let mut sheet = Sheet::new(&manifest, &start);
    let mut session = Session::new(Arc::clone(&manifest));
    let mut out = Vec::new();
    let long = "x".repeat(60_000);
    for _ in 0..3_000 {
        session.hear(format!("option name {long} type string default {long}").as_bytes(), &mut out);
    }
    assert_eq!(session.identity().options.len(), 2_000);
    assert!(session.identity().options.iter().all(|o| o.name.len() <= 200 && o.default.len() <= 200));
    session.hear(b"uciok", &mut out);
    session.hear(b"readyok", &mut out);
    session.ask(&mut sheet, &Go::new(start.side()), &mut out);
    let moves = "h2e2 ".repeat(12_000);
    for _ in 0..1_000 {
        session.hear(format!("info depth 1 score cp 3 pv {moves}").as_bytes(), &mut out);
    }
    assert!(session.thought().unwrap().pv.len() <= 300);
    assert!(out.len() < 500);
}
