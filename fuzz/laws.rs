//! What must hold of any bytes at all, one law a reader: no reader panics, hangs or lets anything through
//! that it cannot write again. The fuzzer's targets and the ordinary test run (`tests/laws.rs`) hold
//! the same laws; nothing here reads a file or a clock. Start at [`LAWS`].

use std::sync::Arc;

use chuhe::config::{self, Files, Overrides};
use chuhe::engine::{Go, Manifest, Protocol, Session, Sheet};
use chuhe::formats::{Encoding, FileKind, Record, Target, WriteError, read, write_checked};
use chuhe::law::{Book, Rules, Trail, ending, explain, judge, loses_by_repetition, losing_moves};
use chuhe::record::{Event, JournalReader, Run, encode};
use chuhe::report::{Album, DOCUMENTS, Diagram, Lang, Style, disturbs, game_page};
use chuhe::xiangqi::{Kind, Move, Notation, Position, Setup, SquareStyle, read_move, write_move};

/// A law: it panics when the bytes break it.
pub type Law = fn(&[u8]);

/// Every law with its name, which is that of its target and of its folder of examples.
pub const LAWS: &[(&str, Law)] = &[
    ("position", position),
    ("notation", notation),
    ("records", records),
    ("dialogue", dialogue),
    ("config", config),
    ("journal", journal),
    ("repetition", repetition),
];

/// A FEN that is read is written as one that reads the same; of a playable position, moves and keys agree.
pub fn position(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(setup) = Setup::parse(&text) else { return };
    assert_eq!(Setup::parse(&setup.fen()).as_ref(), Ok(&setup), "{}", setup.fen());
    let _ = setup.oddities();
    let Ok(position) = setup.playable() else { return };
    let mut again = Position::from_fen(&position.fen()).expect("its own FEN");
    assert_eq!(again.fen(), position.fen());
    assert_eq!(position.key(), position.key_from_scratch());
    let legal = position.legal_moves();
    assert_eq!(legal.is_empty(), !position.has_legal_move());
    assert_eq!(legal.len() as u64, position.count_legal());
    for mv in legal {
        assert!(position.is_legal(mv), "{mv} in {}", position.fen());
        let undo = again.make(mv);
        assert_eq!(again.key(), again.key_from_scratch(), "after {mv} in {}", position.fen());
        again.unmake(undo);
        assert_eq!((again.key(), again.fen()), (position.key(), position.fen()), "{mv} taken back");
    }
}

/// Where the moves of the laws begin.
const STARTS: [&str; 4] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "3k5/4P4/2P1P4/2P1P4/4c4/9/2p6/2p3p2/4A4/3AK1B2 w - - 0 1",
    "3k5/9/1n2r4/9/9/5c3/9/4R4/3C5/4K4 b - - 3 9",
    "2b1k4/9/b3c1n2/9/2p6/6p2/3C5/2R1B1N2/4A4/2B1KA3 w - - 0 1",
];

/// The position and the moves that bytes stand for: the first names the start, each other a legal move.
fn walk(bytes: &[u8]) -> Trail {
    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let start = Position::from_fen(STARTS[usize::from(*first) % STARTS.len()]).expect("a start");
    let mut trail = Trail::new(start);
    for byte in rest.iter().take(300) {
        let legal = trail.position().legal_moves();
        if legal.is_empty() {
            break;
        }
        // A move back where that is legal, for every fourth byte: chance alone repeats nothing.
        let plies = trail.plies();
        let back = (byte % 4 == 3 && plies >= 2)
            .then(|| trail.halves()[plies - 2].mv.map(|mv| Move::new(mv.to, mv.from)));
        let mv = match back.flatten() {
            Some(mv) if trail.position().is_legal(mv) => mv,
            _ => legal[usize::from(byte / 4) * legal.len() / 64],
        };
        trail.play(mv);
    }
    trail
}

/// The two halves of bytes, cut at the first zero.
fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.iter().position(|byte| *byte == 0);
    at.map_or((&[], bytes), |at| (&bytes[..at], &bytes[at + 1..]))
}

/// A move that is read is legal; a legal move that is written reads as itself. Bytes before the first zero
/// lead to the position, the others are the text of a move.
pub fn notation(bytes: &[u8]) {
    let (way, text) = halves(bytes);
    let trail = walk(way);
    let position = trail.position();
    let text = String::from_utf8_lossy(text);
    for hint in Notation::ALL.map(Some).into_iter().chain([None]) {
        if let Ok(mv) = read_move(position, &text, hint) {
            assert!(position.is_legal(mv), "{text:?} was read as {mv}");
        }
    }
    let legal = position.legal_moves();
    let Some(mv) = legal.get(text.len() % legal.len().max(1)) else { return };
    for notation in Notation::ALL {
        let written = write_move(position, *mv, notation);
        assert_eq!(read_move(position, &written, Some(notation)), Ok(*mv), "{written:?} as {notation:?}");
    }
}

/// Formats that a record is written in.
const TARGETS: [&str; 10] =
    ["pgn", "wxf", "chinese", "xboard", "wxf-file", "dhtmlxq", "uci", "uci1", "epd", "jsonl"];

/// Most games of one input that are written again: the fuzzer finds nothing new in the others.
const MOST_GAMES: usize = 4;

/// Whatever a reader takes can be written in every format and as a page that nothing breaks out of. The
/// first byte names the format that is read.
pub fn records(bytes: &[u8]) {
    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let kind = FileKind::ALL[usize::from(*first) % FileKind::ALL.len()];
    let forced = [None, Some(Notation::Uci1), Some(Notation::San0), Some(Notation::Wxf)];
    let forced = forced[usize::from(*first) / 64];
    for (number, record) in read(rest, kind, forced).enumerate() {
        match record {
            Ok(record) if number < MOST_GAMES => written_again(&record),
            Ok(_) => {}
            Err(error) => drop(error.to_string()),
        }
    }
}

/// Whether a record begins with more pieces of a kind than a set has.
fn more_than_a_set(record: &Record) -> bool {
    let pieces = || record.start.board().pieces().map(|(_, piece)| piece);
    let in_a_set = |kind: Kind| match kind {
        Kind::General => 1,
        Kind::Soldier => 5,
        _ => 2,
    };
    pieces().any(|piece| pieces().filter(|other| *other == piece).count() > in_a_set(piece.kind()))
}

fn written_again(record: &Record) {
    for name in TARGETS {
        let target = Target::from_name(name, None).expect(name);
        match write_checked(record, target) {
            // DhtmlXQ has places for the pieces of a set.
            Err(WriteError::MoreThanASet) if name == "dhtmlxq" && more_than_a_set(record) => {}
            Err(why) => panic!("{name}: {why}"),
            Ok(_) => {}
        }
    }
    let gbk = Target::from_name("chinese", Some(Encoding::Gb18030)).expect("a target");
    let _ = write_checked(record, gbk).map_err(|why| why.to_string());
    let page = game_page(record, record.moves.len(), Diagram::default(), Lang::English);
    assert_eq!(page.matches("<script").count(), 1, "a record broke out of its page");
    assert!(!page.contains(|c: char| c != '\n' && disturbs(c)), "a record disturbs the terminal");
}

/// The engine of bytes: protocol and squares by the first.
fn manifest(first: u8) -> Manifest {
    let protocol = Protocol::ALL[usize::from(first) % Protocol::ALL.len()];
    let mut manifest = Manifest::new("engine", protocol);
    if first & 8 != 0 {
        manifest.squares = SquareStyle::One;
    }
    manifest.ping = first & 16 == 0;
    manifest.options.push(("Hash".to_owned(), "16".to_owned()));
    manifest
}

/// Whatever an engine says and whenever it says so, the session answers in whole lines of bounded length and
/// keeps a phase. Lines that begin with a control character are calls of the runner; the others are heard.
pub fn dialogue(bytes: &[u8]) {
    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let manifest = manifest(*first);
    let mut position = Position::start();
    let mut sheet = Sheet::new(&manifest, &position);
    let mut session = Session::new(Arc::new(manifest));
    let mut out = Vec::new();
    session.open(&mut out);
    for line in rest.split(|byte| *byte == b'\n') {
        let go = Go::new(position.side());
        match line.first() {
            Some(1) => session.ask(&mut sheet, &go, &mut out),
            Some(2) => session.stop(&mut out),
            Some(3) => drop(session.new_game(&mut sheet, &mut out)),
            Some(4) => drop(session.settle(&mut out)),
            Some(5) => drop(session.ponder_hit(line.len() % 2 == 0, &mut out)),
            Some(6) => session.disregard_answer(),
            Some(7) => session.quit(&mut out),
            Some(byte @ 8..=31) => {
                let legal = position.legal_moves();
                if let Some(mv) = legal.get(usize::from(*byte)) {
                    if byte % 2 == 0 {
                        let _ = session.ponder(&mut sheet, *mv, &go, &mut out);
                    } else {
                        let captured = position.make(*mv).captured().is_some();
                        sheet.played(*mv, captured, &position);
                    }
                }
            }
            _ => drop(format!("{:?}", session.hear(line, &mut out))),
        }
        let _ = (session.phase(), session.silence(), session.reusable(), session.thought());
        let (ends, length) = (out.ends_with(b"\n"), out.len());
        assert!(out.is_empty() || ends, "half a line was written: {:?}", String::from_utf8_lossy(&out));
        assert!(length < 1 << 16, "{length} bytes were written at once");
        out.clear();
    }
}

/// No file is there, but for a list of openings.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match path.ends_with(".epd") {
            true => Ok(STARTS.join("\n").into_bytes()),
            false => Err("there are no files here".to_owned()),
        }
    }

    fn exists(&self, path: &str) -> bool {
        path.ends_with(".epd")
    }
}

/// A config is a plan or problems that have words; the resolved config makes the same plan.
pub fn config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match config::read(&text, "/", &NoFiles, &Overrides::default()) {
        Ok(resolved) => {
            let again = config::from_value(&resolved.config, "/", &NoFiles, &Overrides::default());
            match again {
                Ok(again) => assert_eq!(again.plan, resolved.plan, "resolved: {}", resolved.config),
                Err(problems) => panic!("the resolved config is refused: {problems:?}\n{}", resolved.config),
            }
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            assert!(problems.iter().all(|problem| !problem.to_string().trim().is_empty()));
        }
    }
}

/// Longest journal of the law, in bytes.
const MOST_JOURNAL: usize = 1 << 16;

/// What is recovered of a journal is written as it was read, recovers again, and can be drawn.
pub fn journal(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(MOST_JOURNAL)];
    let mut reader = JournalReader::new(bytes);
    let events: Vec<Event> = reader.by_ref().map_while(Result::ok).collect();
    let good = reader.good_length() as usize;
    assert!(good <= bytes.len());
    let again: Vec<Event> = JournalReader::new(&bytes[..good]).map_while(Result::ok).collect();
    assert_eq!(again, events, "the good part of a journal reads otherwise");
    let written: String = events.iter().map(encode).collect();
    let again: Vec<Event> = JournalReader::new(written.as_bytes()).map_while(Result::ok).collect();
    assert_eq!(again, events, "written as\n{written}");
    let mut run = Run::new();
    for event in &events {
        if let Err(misfit) = run.apply(event) {
            drop(misfit.to_string());
            return;
        }
    }
    if run.head().is_some() {
        let album = Album::of(&events);
        for document in DOCUMENTS {
            drop(document.draw(&run, &album, &Style::default()));
        }
    }
}

/// Whatever is played, every book gives a verdict on every repetition, the explanation says the same, and
/// the moves that would lose are those that lose.
pub fn repetition(bytes: &[u8]) {
    let trail = walk(bytes);
    let rules = Rules::default();
    let _ = ending(&trail, &rules);
    let mut losing = Vec::new();
    losing_moves(&trail, &rules, &mut losing);
    for mv in trail.position().legal_moves() {
        assert_eq!(losing.contains(&mv), loses_by_repetition(&trail, &rules, mv), "{mv}");
    }
    let Some(earlier) = trail.earlier().last() else { return };
    for book in Book::ALL {
        let Ok(ruling) = judge(&trail, earlier..trail.plies(), book) else { continue };
        if let Ok(explanation) = explain(&trail, &ruling) {
            drop(format!("{explanation:?}"));
        }
    }
}
