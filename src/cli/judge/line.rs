//! `chuhe judge --fen F --moves ".."`: one line of moves, explained. Start at [`run`].

use std::io::{self, Write};

use super::Arguments;
use super::games::{Sheet, object, text};
use crate::cli::Exit;
use crate::cli::sources::printable;
use crate::formats::GameResult;
use crate::law::{Rules, Trail, play_loop};
use crate::report::Lang;
use crate::report::audit::audit;
use crate::xiangqi::{Move, Position, START_FEN, read_move};

/// Judges the moves that were typed.
pub(super) fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let rules = arguments.rules(Rules::default());
    let (start, moves) = match typed(arguments) {
        Ok(typed) => typed,
        Err(why) => {
            writeln!(err, "error: {why}")?;
            return Ok(Exit::Usage);
        }
    };
    for oddity in start.setup().oddities() {
        writeln!(err, "warning: {oddity}")?;
    }
    let typed = moves.len();
    let moves = match played_on(&start, &moves, &rules) {
        Some(trail) => trail.halves().iter().map(|half| half.mv).collect(),
        None => moves.into_iter().map(Some).collect::<Vec<_>>(),
    };
    let added = moves.len() - typed;
    let sheet = Sheet {
        file: "-".to_owned(),
        game: 1,
        names: None,
        start: Some(start.clone()),
        moves: moves.clone(),
        draw_odds: false,
        recorded: GameResult::Unknown,
        error: None,
        remarks: Vec::new(),
    };
    let judged = match audit(start, moves, &rules) {
        Ok(judged) => judged,
        Err(ply) => {
            writeln!(err, "error: ply {}: the move is illegal", ply + 1)?;
            return Ok(Exit::Usage);
        }
    };
    if judged.over.is_none() {
        let times = rules.repetition.occurrences;
        writeln!(
            err,
            "error: after half-move {typed} no position has stood {times} times, nor does the line come back to \
             one: there is nothing to judge"
        )?;
        return Ok(Exit::Usage);
    }
    let lang = arguments.lang();
    if arguments.json {
        writeln!(out, "[\n{}\n]", object(&sheet, Some(&judged), None, false, true))?;
        return Ok(Exit::Done);
    }
    if added > 0 {
        match lang {
            Lang::English => writeln!(out, "The loop was played on: {added} half-moves were added.\n")?,
            Lang::Chinese => writeln!(out, "循环已续走 {added} 个半回合。\n")?,
        }
    }
    if judged.rulings.is_empty() {
        write!(out, "{}", text(&sheet, &judged, None, arguments))?;
    }
    for ruling in &judged.rulings {
        let text = crate::report::explanation::Explained::new(&judged.trail, ruling);
        match text {
            Ok(explained) => write!(out, "{}", explained.text(lang))?,
            Err(why) => writeln!(err, "error: {why}")?,
        }
    }
    Ok(Exit::Done)
}

/// Position and moves.
fn typed(arguments: &Arguments) -> Result<(Position, Vec<Move>), String> {
    let fen = match arguments.fen.as_deref() {
        None | Some("startpos") => START_FEN,
        Some(fen) => fen,
    };
    let start = Position::from_fen(fen).map_err(|why| format!("FEN: {}", printable(&why)))?;
    let mut position = start.clone();
    let mut moves = Vec::new();
    let words = arguments.moves.as_deref().unwrap_or_default();
    for (index, word) in
        words.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).enumerate()
    {
        let mv = read_move(&position, word, arguments.notation).map_err(|why| {
            format!("ply {}, '{}': {}", index + 1, printable(word), printable(&why.to_string()))
        })?;
        position.make(mv);
        moves.push(mv);
    }
    Ok((start, moves))
}

/// A line that comes back to a position without its standing often enough, with its loop played on.
fn played_on(start: &Position, moves: &[Move], rules: &Rules) -> Option<Trail> {
    let trail = Trail::with_moves(start.clone(), moves).ok()?;
    let wanted = rules.repetition.occurrences;
    if trail.halves().iter().any(|half| half.occurrences >= wanted) {
        return None;
    }
    let first = trail.earlier().next()?;
    let (prefix, round) = moves.split_at(first);
    play_loop(start.clone(), prefix, round, wanted).ok()
}
