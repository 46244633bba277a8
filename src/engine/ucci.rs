//! The words of UCCI 3.0 (`engines.md` 3). Writes lines, decides nothing. Start at [`put_go`].

use super::go::{Go, Unit, put_number};
use super::manifest::{Manifest, TimeUnit};
use super::options::{Identity, Listed, OptionKind};
use super::uci::put_moves;
use super::words::put_line;

/// The option that switches an engine's clock to milliseconds.
pub(super) const MILLISECONDS: &str = "usemillisec";
/// The button pressed before a game.
pub(super) const NEW_GAME: &str = "newgame";

/// The option by which a player of several boards asks to be told at which one it is (ours: no engine lists it).
pub(super) const BOARD: &str = "board";

/// The unit that an engine counts its clock in, once its options are known.
pub(super) fn unit(manifest: &Manifest, identity: &Identity) -> Unit {
    match manifest.time_unit {
        TimeUnit::Milliseconds => Unit::Milliseconds,
        TimeUnit::ByProtocol if identity.option(MILLISECONDS).is_some() => Unit::Milliseconds,
        TimeUnit::ByProtocol | TimeUnit::Seconds => Unit::Seconds,
    }
}

/// Appends `setoption` for a listed option: no `name`, no `value`.
pub(super) fn put_option(listed: &Listed, value: &str, out: &mut Vec<u8>) {
    if listed.kind == OptionKind::Button || value.is_empty() {
        put_line(out, &["setoption ", &listed.name]);
    } else {
        put_line(out, &["setoption ", &listed.name, " ", value]);
    }
}

/// Appends `banmoves`, if there are any, and `go`, with their newlines.
///
/// The document knows one mode a `go`. A fixed time is `time T movestogo 1`. With a clock and a limit of
/// nodes or depth the limit follows the clock's words: engines that read one mode stop reading there.
pub(super) fn put_go(manifest: &Manifest, unit: Unit, go: &Go<'_>, ponder: bool, out: &mut Vec<u8>) {
    if !go.ban.is_empty() {
        put_moves(manifest.squares, "banmoves", go.ban, out);
        out.push(b'\n');
    }
    out.extend_from_slice(b"go");
    if ponder {
        out.extend_from_slice(b" ponder");
    } else if go.draw_offered {
        out.extend_from_slice(b" draw");
    }
    let bare = out.len();
    if let Some(time) = go.movetime {
        unit.put_left("time", time, out);
        put_number("movestogo", 1u32, out);
    } else if let Some(own) = go.own {
        unit.put_left("time", own, out);
        match go.moves_to_go {
            Some(moves) => put_number("movestogo", moves.max(1), out),
            None => unit.put_increment("increment", go.own_increment, out),
        }
        if let Some(opponent) = go.opponent {
            unit.put_left("opptime", opponent, out);
            match go.opponent_moves_to_go {
                Some(moves) => put_number("oppmovestogo", moves.max(1), out),
                None => unit.put_increment("oppincrement", go.opponent_increment, out),
            }
        }
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
    out.push(b'\n');
}
