//! Warnings about the lines of play that engines announce, in the words that test frameworks look for: moves
//! that are not legal, lines that go on behind the end, and announced mates whose line is too short, too long
//! or no mate. Pure. Start at [`warnings`].

use super::pgn::line_of_play;
use crate::record::{GameOver, ThoughtRecord};
use crate::xiangqi::{Move, Position, SquareStyle};

/// Lines are kept up to a kilobyte: of a longer one nobody knows how it went on.
const CUT: usize = 1000;

/// All warnings about a game whose lines were kept. `mates`: lines that announce mate are looked at too.
pub fn warnings(over: &GameOver, mates: bool) -> Vec<String> {
    let Ok(mut position) = Position::from_fen(&over.fen) else { return Vec::new() };
    let mut found = Vec::new();
    for (ply, word) in over.moves.split_ascii_whitespace().enumerate() {
        let Some(mv) = SquareStyle::Zero.read(word.as_bytes()) else { break };
        let place = ply.checked_sub(over.opening_plies as usize);
        let lines = place.and_then(|place| over.lines.get(place)).filter(|lines| lines.info.len() < CUT);
        if let (Some(place), Some(line)) = (place, lines.and_then(|lines| line_of_play(&lines.info))) {
            let thought = over.thoughts.get(place).copied().unwrap_or_default();
            let name = if position.side() == crate::xiangqi::Side::Red { &over.red } else { &over.black };
            let fault = fault(&position, mv, line, &thought, mates);
            found.extend(fault.map(|fault| format!("Warning; {fault} from {name}")));
        }
        if !position.is_legal(mv) {
            break;
        }
        position.make(mv);
    }
    found
}

/// What is wrong with a line of play that was announced with a move.
fn fault(start: &Position, played: Move, line: &str, thought: &ThoughtRecord, mates: bool) -> Option<String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let first = words.first()?;
    let mate = thought.mate.filter(|_| mates);
    let styles = [SquareStyle::Zero, SquareStyle::One];
    let own = styles.into_iter().find(|style| style.read(first.as_bytes()) == Some(played));
    // A search that is stopped may change its mind without a word; a mate that was announced is played.
    if own.is_none() && mate.is_some() {
        return Some(format!("Bestmove does not match beginning of last PV - {played} and {first}"));
    }
    let follow = |style: SquareStyle| follow(start, &words, style);
    let position = match own {
        Some(style) => follow(style),
        // Which way it counts ranks is seen by where its line is legal.
        None => follow(SquareStyle::Zero).or_else(|fault| follow(SquareStyle::One).map_err(|_| fault)),
    };
    let position = match position {
        Ok(position) => position,
        Err(fault) => return Some(fault),
    };
    let mate = mate?;
    let wanted = 2 * mate.unsigned_abs() as usize - usize::from(mate > 0);
    let plies = words.len();
    if plies < wanted {
        Some(format!("Incomplete mating PV - mate {mate} needs {wanted} plies and has {plies}"))
    } else if plies > wanted {
        Some(format!("Too long mating PV - mate {mate} needs {wanted} plies and has {plies}"))
    } else {
        let over = !position.has_legal_move();
        (!over).then(|| format!("Mating PV does not end with checkmate - mate {mate}"))
    }
}

/// The position at the end of a line of play, or what is wrong with the line.
fn follow(start: &Position, words: &[&str], style: SquareStyle) -> Result<Position, String> {
    let mut position = start.clone();
    for word in words {
        if !position.has_legal_move() {
            let end = if position.in_check(position.side()) { "checkmate" } else { "stalemate" };
            return Err(format!("PV continues after {end} - move {word}"));
        }
        match style.read(word.as_bytes()).filter(|mv| position.is_legal(*mv)) {
            Some(mv) => drop(position.make(mv)),
            None => return Err(format!("Illegal PV move {word}")),
        }
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::LinesRecord;
    use crate::record::fixture::game_over;

    /// Red mates by `h1h8` or goes on; the line and the score of its first move.
    fn check(line: &str, mate: Option<i32>, expected: &str) {
        let id = "1.1.1.1".parse().unwrap();
        let mut over = game_over(id, "A", "B", "resigned black");
        over.fen = "4k4/9/9/9/9/9/9/8R/7R1/5K3 w - - 0 1".to_owned();
        over.moves = "i2i8 e9d9 h1h9".to_owned();
        over.opening_plies = 0;
        over.thoughts = vec![ThoughtRecord { mate, ..ThoughtRecord::default() }];
        over.lines = vec![LinesRecord { info: format!("info depth 3 pv {line}"), matched: String::new() }];
        let found = warnings(&over, true).join("|");
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines_of_play() {
        check("i2i8 e9d9 h1h9", Some(2), "");
        check("i3i9 e10d10 h2h10", Some(2), "");
        check("i2i8", None, "");
        check("i2i8 e9d9", Some(2), "Warning; Incomplete mating PV - mate 2 needs 3 plies and has 2 from A");
        check(
            "i2i8 e9d9 h1h9",
            Some(1),
            "Warning; Too long mating PV - mate 1 needs 1 plies and has 3 from A",
        );
        check("i2i8 e9d9 h1h8", Some(2), "Warning; Mating PV does not end with checkmate - mate 2 from A");
        check("i2i8 e9e8", Some(2), "Warning; Illegal PV move e9e8 from A");
        check("i2i8 e9d9 h1h9 d9d8", None, "Warning; PV continues after checkmate - move d9d8 from A");
        let other = "Warning; Bestmove does not match beginning of last PV - i2i8 and h1h2 from A";
        check("h1h2 e9d9", Some(4), other);
        check("h1h2 e9d9", None, "");
        check("h2h3 e10d10", None, "");
        check("h1h2 h2h9 e9e7", None, "Warning; Illegal PV move h2h9 from A");
    }
}
