//! `chuhe judge FILE..`: the games of files, one after the other. Start at [`run`].

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Arguments;
use crate::cli::Exit;
use crate::cli::sources::{Opened, Sources, printable};
use crate::formats::pgn::DRAW_ODDS;
use crate::formats::{GameResult, Record, RecordError};
use crate::game::Outcome;
use crate::law::{Rules, Ruling};
use crate::record::{GameOver, JournalReader, What, ruling_record};
use crate::report::audit::{Audit, audit};
use crate::report::explanation::{Explained, moves};
use crate::report::{Lang, reasons};
use crate::xiangqi::{Move, Position};

/// A game to be checked, wherever it comes from.
pub(super) struct Sheet {
    /// The file's name.
    pub file: String,
    /// Number of the game in the file, from 1.
    pub game: u64,
    /// Red's and Black's names, if known.
    pub names: Option<[String; 2]>,
    /// The position before the first move; `None` if it cannot be read.
    pub start: Option<Position>,
    /// The moves; `None` is a pass.
    pub moves: Vec<Option<Move>>,
    /// The result as recorded.
    pub recorded: GameResult,
    /// It says that it is a draw which counts as a win of Black.
    pub draw_odds: bool,
    /// Why it could not be read to its end.
    pub error: Option<String>,
    /// What was odd.
    pub remarks: Vec<String>,
}

/// What was seen so far.
#[derive(Debug, Default)]
struct Count {
    games: u64,
    rulings: u64,
    differing: u64,
    unreadable: u64,
    unopened: u64,
}

/// Judges all games of all files.
pub(super) fn run(
    arguments: &Arguments,
    sources: &Sources,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Exit> {
    let (files, problems) = sources.files();
    let mut count = Count { unopened: problems.len() as u64, ..Count::default() };
    for problem in problems {
        writeln!(err, "error: {problem}")?;
    }
    if arguments.json {
        write!(out, "[")?;
    }
    for file in files {
        match sources.open_any(&file) {
            Ok(Opened::Games(games)) => {
                for game in games {
                    let sheet = sheet(&file, game);
                    show(arguments, &sheet, &arguments.rules(Rules::default()), &mut count, out, err)?;
                }
            }
            Ok(Opened::Journal(source)) => {
                journal(arguments, &file, JournalReader::new(source), &mut count, out, err)?;
            }
            Err(error) => {
                writeln!(err, "error: {}: {error}", file.display())?;
                count.unopened += 1;
            }
        }
    }
    let Count { games, rulings, differing, unreadable, unopened } = count;
    let total = match arguments.lang() {
        Lang::English => {
            format!(
                "{games} games, {rulings} rulings, {differing} results differ, {unreadable} games cannot be read"
            )
        }
        Lang::Chinese => {
            format!("共 {games} 局，裁决 {rulings} 次，结果不符 {differing} 局，无法读取 {unreadable} 局")
        }
    };
    if arguments.json {
        writeln!(out, "{}]", if games > 0 { "\n" } else { "" })?;
        writeln!(err, "{total}")?;
    } else {
        writeln!(out, "{total}")?;
    }
    Ok(if unreadable > 0 || (arguments.strict && differing > 0) {
        Exit::Wrong
    } else if unopened > 0 {
        Exit::Usage
    } else {
        Exit::Done
    })
}

fn sheet(file: &Path, game: Result<Record, RecordError>) -> Sheet {
    let (number, record, error) = match game {
        Ok(record) => (record.origin.game, Some(record), None),
        Err(mut error) => {
            let before = error.before.take().map(|record| *record);
            (error.game, before, Some(printable(&error.to_string())))
        }
    };
    let name = |tag| record.as_ref().and_then(|record| record.tag(tag)).filter(|name| !name.is_empty());
    let names = match (name("Red"), name("Black")) {
        (None, None) => None,
        (red, black) => Some([red, black].map(|name| printable(name.unwrap_or("?")))),
    };
    let remarks = record.iter().flat_map(|record| &record.remarks);
    Sheet {
        file: file.display().to_string(),
        game: number,
        names,
        remarks: remarks.map(|remark| printable(&remark.what.to_string())).collect(),
        moves: record.iter().flat_map(Record::line).map(Some).collect(),
        recorded: record.as_ref().and_then(|record| record.result).unwrap_or(GameResult::Unknown),
        draw_odds: record.as_ref().is_some_and(|record| record.tag(DRAW_ODDS) == Some("Black")),
        start: record.map(|record| record.start),
        error,
    }
}

/// Judges the games of one of our journals by the rules that it was played by, unless others are asked for.
fn journal(
    arguments: &Arguments,
    file: &Path,
    events: JournalReader<Box<dyn io::BufRead>>,
    count: &mut Count,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<()> {
    let mut rules = arguments.rules(Rules::default());
    let mut number = 0;
    for event in events {
        match event.map(|event| event.what) {
            Ok(What::RunBegan(head)) => match head.settings.rules.read() {
                Some(own) => rules = arguments.rules(own),
                None => writeln!(err, "{}: the rules of the run cannot be read", file.display())?,
            },
            Ok(What::GameOver(over)) => {
                number += 1;
                show(arguments, &journal_sheet(file, number, &over), &rules, count, out, err)?;
            }
            Ok(_) => {}
            Err(error) => {
                writeln!(err, "error: {}: {error}", file.display())?;
                count.unreadable += 1;
            }
        }
    }
    Ok(())
}

fn journal_sheet(file: &Path, game: u64, over: &GameOver) -> Sheet {
    let (start, moves, error) = match (Position::from_fen(&over.fen), moves(&over.moves)) {
        (Ok(start), Ok(moves)) => (Some(start), moves, None),
        (Ok(start), Err((ply, word))) => {
            (Some(start), Vec::new(), Some(format!("game {game}, ply {}, '{word}': no move", ply + 1)))
        }
        (Err(why), _) => (None, Vec::new(), Some(format!("game {game}: start position: {why}"))),
    };
    let recorded = over.result.as_deref().and_then(GameResult::from_token).unwrap_or(GameResult::Unknown);
    Sheet {
        file: file.display().to_string(),
        game,
        names: Some([printable(&over.red), printable(&over.black)]),
        start,
        moves,
        recorded,
        draw_odds: crate::report::pgn::has_draw_odds(over),
        error,
        remarks: Vec::new(),
    }
}

/// Judges a game and shows what came of it.
fn show(
    arguments: &Arguments,
    sheet: &Sheet,
    rules: &Rules,
    count: &mut Count,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<()> {
    let mut error = sheet.error.clone();
    let start = sheet.start.clone();
    let judged = start.and_then(|start| match audit(start, sheet.moves.iter().copied(), rules) {
        Ok(judged) => Some(judged),
        Err(ply) => {
            error.get_or_insert(format!("game {}, ply {}: the move is illegal", sheet.game, ply + 1));
            None
        }
    });
    // Of a game with an error only the part before it is known: nothing is said of its result.
    let differs = error.is_none() && judged.as_ref().is_some_and(|judged| differs(sheet, judged));
    let separator = if count.games > 0 { "," } else { "" };
    count.games += 1;
    count.unreadable += u64::from(error.is_some());
    count.differing += u64::from(differs);
    count.rulings += judged.as_ref().map_or(0, |judged| judged.rulings.len() as u64);
    if let Some(error) = &error {
        writeln!(err, "error: {}: {error}", sheet.file)?;
    }
    for remark in &sheet.remarks {
        writeln!(err, "{}: game {}: {remark}", sheet.file, sheet.game)?;
    }
    if arguments.json {
        let object = object(sheet, judged.as_ref(), error.as_deref(), differs, arguments.explain);
        return write!(out, "{separator}\n{object}");
    }
    match judged {
        Some(judged) => write!(out, "{}", text(sheet, &judged, error.as_deref(), arguments)),
        None => Ok(()),
    }
}

/// Whether the rules give another result than is recorded.
fn differs(sheet: &Sheet, judged: &Audit) -> bool {
    let recorded = sheet.recorded;
    let counted = |outcome| match outcome {
        Outcome::Draw if sheet.draw_odds => Outcome::BlackWins,
        outcome => outcome,
    };
    recorded != GameResult::Unknown
        && judged.outcome().is_some_and(|outcome| counted(outcome).token() != recorded.token())
}

/// The lines about a game.
pub(super) fn text(sheet: &Sheet, judged: &Audit, error: Option<&str>, arguments: &Arguments) -> String {
    let lang = arguments.lang();
    let mut out = heading(sheet, judged, error, lang);
    for ruling in &judged.rulings {
        out.push_str(&format!("  {}\n", super::one_line(ruling, lang)));
        if arguments.explain {
            out.push_str(&format!("\n{}\n", super::explanation(&judged.trail, ruling, lang)));
        }
    }
    if let Some((plies, how)) = &judged.over {
        if !matches!(how.kind(), "repetition") {
            let sentence = reasons::sentence(how, lang);
            out.push_str(&match lang {
                Lang::English => format!("  after half-move {plies}: {sentence}\n"),
                Lang::Chinese => format!("  第 {plies} 个半回合之后：{sentence}\n"),
            });
        }
        let more = judged.played_on();
        if more > 0 {
            out.push_str(&match lang {
                Lang::English => {
                    format!("  by the rules it was over after half-move {plies}; {more} more were played\n")
                }
                Lang::Chinese => format!("  依规则第 {plies} 个半回合后已终局，此后又走了 {more} 个半回合\n"),
            });
        }
    }
    out
}

fn heading(sheet: &Sheet, judged: &Audit, error: Option<&str>, lang: Lang) -> String {
    let Sheet { file, game, recorded, .. } = sheet;
    let names = sheet.names.as_ref().map(|[red, black]| format!(" {red} - {black}")).unwrap_or_default();
    let (plies, recorded) = (judged.trail.plies(), recorded.token());
    let computed = judged.outcome().map_or("*", Outcome::token);
    let mark = match (error.is_some(), differs(sheet, judged)) {
        (true, _) => lang.pick(": CANNOT BE READ ON", "：其后无法读取"),
        (false, true) => lang.pick(": DIFFERS", "：不符"),
        (false, false) => "",
    };
    match lang {
        Lang::English => {
            format!(
                "{file}: game {game}{names}: {plies} half-moves, recorded {recorded}, by the rules {computed}{mark}\n"
            )
        }
        Lang::Chinese => {
            format!(
                "{file}：第 {game} 局{names}：{plies} 个半回合，记录 {recorded}，依规则 {computed}{mark}\n"
            )
        }
    }
}

/// The object about a game.
pub(super) fn object(
    sheet: &Sheet,
    judged: Option<&Audit>,
    error: Option<&str>,
    differs: bool,
    explain: bool,
) -> Value {
    let over = judged.and_then(|judged| judged.over.as_ref());
    let mut object = json!({
        "file": sheet.file,
        "game": sheet.game,
        "red": sheet.names.as_ref().map(|[red, _]| red),
        "black": sheet.names.as_ref().map(|[_, black]| black),
        "plies": judged.map(|judged| judged.trail.plies()),
        "result_recorded": sheet.recorded.token(),
        "result_computed": judged.and_then(Audit::outcome).map_or("*", Outcome::token),
        "differs": differs,
        "ended": over.map(|(plies, how)| json!({
            "ply": plies,
            "kind": how.kind(),
            "reason_en": reasons::sentence(how, Lang::English),
            "reason_zh": reasons::sentence(how, Lang::Chinese),
        })),
        "final_fen": judged.map(|judged| judged.trail.position().fen()),
        "rulings": judged.map_or_else(Vec::new, |judged| {
            judged.rulings.iter().map(|ruling| ruling_object(judged, ruling, explain)).collect()
        }),
    });
    if let Some(error) = error {
        object["error"] = Value::from(error);
    }
    object
}

/// The journal's form of a ruling with sentences, the ply after which it fell, and its explanation if asked.
fn ruling_object(judged: &Audit, ruling: &Ruling, explain: bool) -> Value {
    let mut object = ruling_record(ruling);
    object["ply"] = Value::from(ruling.span.end);
    object["reason_en"] = Value::from(reasons::repetition(ruling, Lang::English));
    object["reason_zh"] = Value::from(reasons::repetition(ruling, Lang::Chinese));
    if explain {
        let explained = Explained::new(&judged.trail, ruling).ok();
        object["explanation"] = explained.map_or(Value::Null, |explained| explained.json());
    }
    object
}
