//! The words of UCI for xiangqi (`engines.md` 4). Writes lines, decides nothing. Start at [`put_go`].

use super::go::{Go, Unit, put_number};
use super::manifest::{Manifest, TimeUnit};
use super::options::{Listed, OptionKind};
use super::words::put_line;
use crate::xiangqi::{Move, Side, SquareStyle};

/// The option by which engines of many variants are told which game it is.
pub(super) const VARIANT: &str = "UCI_Variant";

/// Appends `setoption` for a listed option.
pub(super) fn put_option(listed: &Listed, value: &str, out: &mut Vec<u8>) {
    if listed.kind == OptionKind::Button {
        put_line(out, &["setoption name ", &listed.name]);
    } else {
        put_line(out, &["setoption name ", &listed.name, " value ", value]);
    }
}

/// Appends `go` with its newline.
pub(super) fn put_go(manifest: &Manifest, go: &Go<'_>, ponder: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if ponder { b"go ponder" } else { b"go" });
    let bare = out.len();
    let unit = match manifest.time_unit {
        TimeUnit::ByProtocol | TimeUnit::Milliseconds => Unit::Milliseconds,
        TimeUnit::Seconds => Unit::Seconds,
    };
    match go.movetime {
        Some(time) => unit.put_left("movetime", time, out),
        None => put_clocks(unit, go, out),
    }
    if let Some(depth) = go.depth {
        put_number("depth", depth, out);
    }
    if let Some(nodes) = go.nodes {
        put_number("nodes", nodes, out);
    }
    if out.len() == bare {
        out.extend_from_slice(b" infinite");
    }
    put_moves(manifest.squares, " searchmoves", go.only, out);
    out.push(b'\n');
}

fn put_clocks(unit: Unit, go: &Go<'_>, out: &mut Vec<u8>) {
    let Some(own) = go.own else { return };
    let words = |side| match side {
        Side::Red => ("wtime", "winc"),
        Side::Black => ("btime", "binc"),
    };
    let (time, increment) = words(go.side);
    let (other_time, other_increment) = words(!go.side);
    unit.put_left(time, own, out);
    // An opponent without a clock is shown the same one: half a pair of clocks confuses some engines.
    unit.put_left(other_time, go.opponent.unwrap_or(own), out);
    unit.put_increment(increment, go.own_increment, out);
    unit.put_increment(other_increment, go.opponent_increment, out);
    if let Some(moves) = go.moves_to_go {
        put_number("movestogo", moves.max(1), out);
    }
}

/// Appends ` WORD m1 m2 ..`, or nothing without moves.
pub(super) fn put_moves(style: SquareStyle, word: &str, moves: &[Move], out: &mut Vec<u8>) {
    for (index, mv) in moves.iter().enumerate() {
        if index == 0 {
            out.extend_from_slice(word.as_bytes());
        }
        out.push(b' ');
        style.write(*mv, out);
    }
}
