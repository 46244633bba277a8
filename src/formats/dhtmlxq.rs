//! DhtmlXQ / UBB: bracketed fields with moves as digits, alone or inside HTML (`formats.md` 9). The
//! files are small and held whole. Start at [`read`] and [`write()`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::branches::{Branch, assemble};
use super::encoding::decode;
use super::movetext::{MAX_MOVES, Parsed, Stop};
use super::pgn::{Game, finish};
use super::record::{GameResult, Odd, Reason, Record, RecordError, RecordedMove, shown};
use crate::xiangqi::{
    Board, Fault, Kind, Move, Notation, NotationError, Piece, Position, Setup, Side, Square, read_move,
};

/// Most fields of one game: the largest known file has some hundreds.
const MAX_FIELDS: usize = 20_000;

/// Field names and the tags that hold them.
const FIELDS: [(&str, &str); 15] = [
    ("title", "Title"),
    ("event", "Event"),
    ("date", "Date"),
    ("place", "Site"),
    ("round", "Round"),
    ("table", "Table"),
    ("red", "Red"),
    ("redteam", "RedTeam"),
    ("redrating", "RedElo"),
    ("black", "Black"),
    ("blackteam", "BlackTeam"),
    ("blackrating", "BlackElo"),
    ("result", "Result"),
    ("remark", "Remark"),
    ("author", "Annotator"),
];

/// A field: name, value and the offset of its value.
type Field<'a> = (&'a str, &'a str, usize);

/// Reads every game of a file's bytes.
pub fn read(bytes: &[u8]) -> Vec<Result<Record, RecordError>> {
    let (text, encoding) = decode(bytes);
    let games = blocks(&text);
    let read = games
        .into_iter()
        .zip(1..)
        .map(|(fields, number)| read_game(&Game { number, text: &text, line: 1, encoding }, &fields));
    read.collect()
}

/// The fields of each block. A value ends at the next closing tag, whatever its name: files close
/// `blacktime` as `time`.
fn blocks(text: &str) -> Vec<Vec<Field<'_>>> {
    let mut games = Vec::new();
    let mut fields: Vec<Field<'_>> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("[DhtmlXQ").map(|found| at + found + "[DhtmlXQ".len()) {
        at = found;
        let rest = &text[at..];
        if rest.starts_with(']') && !fields.is_empty() {
            games.push(std::mem::take(&mut fields));
        }
        let Some(rest) = rest.strip_prefix('_') else { continue };
        let Some(name) = rest.find(']').map(|end| &rest[..end]) else { break };
        let value_at = at + 1 + name.len() + 1;
        let Some(end) = text[value_at..].find("[/DhtmlXQ") else { break };
        if fields.len() < MAX_FIELDS {
            fields.push((name, text[value_at..value_at + end].trim(), value_at));
        }
        at = value_at + end;
    }
    if !fields.is_empty() {
        games.push(fields);
    }
    games
}

/// The place of a piece that is not on the board.
const NOWHERE: [u8; 2] = *b"99";

/// The pieces of `binit` in order: 車馬相仕帥仕相馬車炮炮 and five soldiers, Red then Black.
const BACK_RANK: [Kind; 16] = [
    Kind::Chariot,
    Kind::Horse,
    Kind::Elephant,
    Kind::Advisor,
    Kind::General,
    Kind::Advisor,
    Kind::Elephant,
    Kind::Horse,
    Kind::Chariot,
    Kind::Cannon,
    Kind::Cannon,
    Kind::Soldier,
    Kind::Soldier,
    Kind::Soldier,
    Kind::Soldier,
    Kind::Soldier,
];

/// The piece of a number 0..32 in the order of DhtmlXQ and XQF.
pub(super) fn piece_of(number: usize) -> Piece {
    let side = if number % 32 < 16 { Side::Red } else { Side::Black };
    Piece::new(side, BACK_RANK[number % 16])
}

/// Two digits, file from Red's left and rank from the top.
fn square(digits: &[u8]) -> Option<Square> {
    let [file, rank] = digits else { return None };
    let (file, rank) = (file.wrapping_sub(b'0'), rank.wrapping_sub(b'0'));
    if file > 8 || rank > 9 { None } else { Square::at(file as i8, 9 - rank as i8) }
}

fn moves_of(digits: &str) -> Vec<(Option<Move>, &str)> {
    let token = |pair: usize| digits.get(pair * 4..digits.len().min(pair * 4 + 4)).unwrap_or_default();
    let count = digits.len().div_ceil(4).min(MAX_MOVES);
    (0..count)
        .map(|pair| {
            let text = token(pair);
            let from = text.as_bytes().get(..2).and_then(square);
            let to = text.as_bytes().get(2..).and_then(square);
            (from.zip(to).map(|(from, to)| Move { from, to }), text)
        })
        .collect()
}

fn start(binit: Option<&str>, first: Option<Move>) -> Result<Position, String> {
    let mut setup = Setup::start();
    if let Some(digits) = binit {
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("binit has {} characters, it must have 64 digits", digits.chars().count()));
        }
        setup.board = Board::new();
        for (number, pair) in digits.as_bytes().chunks(2).enumerate() {
            match square(pair) {
                Some(square) => setup.board.put(square, piece_of(number)),
                None if pair == NOWHERE => {}
                None => return Err(format!("binit names no point with '{}'", String::from_utf8_lossy(pair))),
            }
        }
    }
    if let Some(piece) = first.and_then(|mv| setup.board.get(mv.from)) {
        setup.side = piece.side();
        return setup.playable().map_err(|why| why.to_string());
    }
    // Nothing says who is to move: Red, unless Black stands in check and must be.
    let blacks = Setup { side: Side::Black, ..setup.clone() };
    setup.playable().or_else(|why| blacks.playable().map_err(|_| why.to_string()))
}

fn read_game(game: &Game<'_>, fields: &[Field<'_>]) -> Result<Record, RecordError> {
    let find = |wanted: &str| fields.iter().find(|(name, ..)| *name == wanted);
    let movelist = find("movelist").map_or("", |(_, value, _)| value);
    let main_at = find("movelist").map_or(0, |(.., at)| *at);
    let main = moves_of(movelist);
    let binit = find("binit").map(|(_, value, _)| *value).filter(|value| !value.is_empty());
    let start = start(binit, main.first().and_then(|(mv, _)| *mv))
        .map_err(|why| game.error(find("binit").map_or(0, |(.., at)| *at), "", Reason::Position(why)))?;
    let mut parsed = Parsed::default();
    let lines = read_lines(&start, main, main_at, fields, &mut parsed);
    let (moves, lost) = assemble(lines);
    parsed.moves = moves;
    parsed.remarks.extend((lost > 0).then_some((0, Odd::LostVariations(lost))));
    let mut record = Record::new(start);
    let mut tagged = None;
    for (name, value, _) in fields.iter().filter(|(_, value, _)| !value.is_empty()) {
        let known = FIELDS.iter().find(|(field, _)| field == name).map(|(_, tag)| (*tag).to_owned());
        if *name == "result" {
            tagged = GameResult::from_words(value);
        } else if *name == "comment0" {
            (*value).clone_into(&mut parsed.preface);
        } else if !is_moves(name) {
            record.tags.push((known.unwrap_or_else(|| format!("DhtmlXQ_{name}")), (*value).to_owned()));
        }
    }
    finish(game, record, parsed, 0, tagged)
}

/// Whether a field holds board, moves or comments on moves.
fn is_moves(name: &str) -> bool {
    matches!(name, "binit" | "movelist")
        || name.starts_with("move_")
        || name.strip_prefix("comment").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A line as far as it can be read, with all moves from the start of the game to its end.
struct Walked {
    branch: Branch,
    first_ply: usize,
    path: Vec<Move>,
}

fn read_lines(
    start: &Position,
    main: Vec<(Option<Move>, &str)>,
    main_at: usize,
    fields: &[Field<'_>],
    parsed: &mut Parsed,
) -> Vec<Branch> {
    let comments = comments(fields);
    let mut walked: BTreeMap<usize, Walked> = BTreeMap::new();
    let mut total = 0;
    let mut variations: Vec<(usize, usize, usize, Field<'_>)> = fields
        .iter()
        .filter_map(|field| {
            let mut parts = field.0.strip_prefix("move_")?.split('_').map(|part| part.parse().ok());
            Some((parts.next()??, parts.next()??, parts.next()??, *field))
        })
        .filter(|(parent, ply, number, _)| parent < number && *ply > 0)
        .collect();
    variations.sort_by_key(|(_, _, number, _)| *number);
    walked.insert(
        0,
        Walked { branch: Branch { parent: None, moves: Vec::new() }, first_ply: 1, path: Vec::new() },
    );
    let main_line = (0, 1, 0, ("movelist", "", main_at));
    for (parent, ply, number, (_, digits, at)) in std::iter::once(main_line).chain(variations) {
        let Some(from) = walked.get(&parent) else { continue };
        let path: Vec<Move> = from.path.iter().copied().take(ply - 1).collect();
        total += path.len() + digits.len() / 4;
        if path.len() != ply - 1 || ply < from.first_ply || total > MAX_MOVES {
            let reason = "it branches from no move that was read".to_owned();
            parsed.remarks.push((at, Odd::Variation { ply: ply as u32, token: String::new(), reason }));
            continue;
        }
        let parent_at = (number > 0).then(|| (parent, ply - from.first_ply));
        let branch = Branch { parent: parent_at, moves: Vec::new() };
        let mut line = Walked { branch, first_ply: ply, path };
        let moves = if number == 0 { main.clone() } else { moves_of(digits) };
        walk(start, &mut line, &moves, number, at, &comments, parsed);
        walked.insert(number, line);
    }
    renumber(walked)
}

/// Lines under consecutive numbers, as [`assemble`] wants them.
fn renumber(walked: BTreeMap<usize, Walked>) -> Vec<Branch> {
    let places: BTreeMap<usize, usize> = walked.keys().copied().zip(0..).collect();
    let renamed = |parent: usize| places.get(&parent).copied().unwrap_or(usize::MAX);
    walked
        .into_values()
        .map(|line| Branch {
            parent: line.branch.parent.map(|(parent, index)| (renamed(parent), index)),
            moves: line.branch.moves,
        })
        .collect()
}

fn walk(
    start: &Position,
    line: &mut Walked,
    moves: &[(Option<Move>, &str)],
    number: usize,
    at: usize,
    comments: &BTreeMap<(usize, usize), String>,
    parsed: &mut Parsed,
) {
    let mut position = start.clone();
    line.path.iter().for_each(|mv| {
        position.make(*mv);
    });
    for (index, (mv, token)) in moves.iter().enumerate() {
        let ply = line.first_ply + index;
        let error = match mv {
            Some(mv) if position.is_legal(*mv) => {
                let mut played = RecordedMove::plain(*mv);
                played.comment = comments.get(&(number, ply)).cloned().unwrap_or_default();
                line.branch.moves.push(played);
                line.path.push(*mv);
                position.make(*mv);
                continue;
            }
            Some(mv) => illegal(&position, *mv),
            None => NotationError::Unreadable,
        };
        let (ply, at) = (ply as u32, at + index * 4);
        if number == 0 {
            let (token, reason) = (shown(token), Reason::Move(error));
            parsed.stop = Some(Stop { at, ply: Some(ply), token, reason });
        } else {
            let (token, reason) = (shown(token), error.to_string());
            parsed.remarks.push((at, Odd::Variation { ply, token, reason }));
        }
        return;
    }
}

/// Why a move between two points is not legal.
pub(super) fn illegal(position: &Position, mv: Move) -> NotationError {
    match read_move(position, &mv.to_string(), Some(Notation::Uci0)) {
        Err(error) => error,
        Ok(_) => NotationError::Illegal(Fault::CannotReach(mv)),
    }
}

/// Comments by line and ply, `||` turned into line ends.
fn comments(fields: &[Field<'_>]) -> BTreeMap<(usize, usize), String> {
    let mut found = BTreeMap::new();
    for (name, value, _) in fields.iter().filter(|(_, value, _)| !value.is_empty()) {
        let Some(numbers) = name.strip_prefix("comment") else { continue };
        let place = match numbers.split_once('_') {
            Some((line, ply)) => line.parse().ok().zip(ply.parse().ok()),
            None => numbers.parse().ok().map(|ply| (0, ply)),
        };
        if let Some(place) = place {
            found.insert(place, value.replace("||", "\n"));
        }
    }
    found
}

/// Writes a game as one `[DhtmlXQ]` block.
pub fn write(record: &Record) -> String {
    let mut out = String::from("[DhtmlXQ]\n");
    let clean = |value: &str| value.replace(['[', ']'], "|").replace(['\r', '\n'], " ");
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(out, "[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]");
    };
    for (name, tag) in FIELDS {
        if name == "result" {
            field(
                name,
                match record.result {
                    Some(GameResult::RedWins) => "红胜",
                    Some(GameResult::BlackWins) => "黑胜",
                    Some(GameResult::Draw) => "和局",
                    Some(GameResult::Unknown) | None => "未知",
                },
            );
        } else if let Some(value) = record.tag(tag) {
            field(name, &clean(value));
        }
    }
    for (name, value) in &record.tags {
        let is_name = |c: char| c.is_ascii_alphanumeric();
        let foreign = |name: &&str| name.chars().all(is_name) && !is_ours(name);
        if let Some(name) = name.strip_prefix("DhtmlXQ_").filter(foreign) {
            field(name, &clean(value));
        }
    }
    if !record.starts_usually() {
        field("binit", &binit(&record.start));
    }
    field("movelist", &digits(&record.moves));
    let comment = |text: &str| clean(&text.replace('\n', "||"));
    if !record.preface.is_empty() {
        field("comment0", &comment(&record.preface));
    }
    let mut queue: Vec<(usize, usize, &[RecordedMove])> = vec![(0, 1, &record.moves)];
    let mut lines = 0;
    while let Some((number, first_ply, line)) = queue.pop() {
        for (ply, played) in (first_ply..).zip(line) {
            if !played.comment.is_empty() {
                let place = if number == 0 { format!("{ply}") } else { format!("{number}_{ply}") };
                field(&format!("comment{place}"), &comment(&played.comment));
            }
            for variation in &played.variations {
                lines += 1;
                field(&format!("move_{number}_{ply}_{lines}"), &digits(variation));
                queue.push((lines, ply, variation));
            }
        }
    }
    out.push_str("[/DhtmlXQ]\n");
    out
}

/// Whether a field is one that the game itself fills: a tag of that name in a record from elsewhere would stand
/// in the place of its moves.
fn is_ours(name: &str) -> bool {
    ["binit", "movelist"].contains(&name)
        || ["comment", "move"].iter().any(|word| name.starts_with(word))
        || FIELDS.iter().any(|(field, _)| *field == name)
}

fn digits(line: &[RecordedMove]) -> String {
    let mut out = String::with_capacity(line.len() * 4);
    for square in line.iter().flat_map(|played| [played.mv.from, played.mv.to]) {
        out.push(char::from(b'0' + square.file()));
        out.push(char::from(b'0' + 9 - square.rank()));
    }
    out
}

/// Whether a record's start position has more pieces of a kind than a set: `binit` has no place for them.
pub fn has_no_place_for(record: &Record) -> bool {
    !record.starts_usually() && places(&record.start).is_none()
}

/// The 64 digits of a position; of one with more pieces than a set, those of an empty board.
fn binit(position: &Position) -> String {
    let places = places(position).unwrap_or([NOWHERE; 32]);
    places.as_flattened().iter().map(|byte| char::from(*byte)).collect()
}

/// The place of each piece of a set, or `None` if there are pieces beyond those of a set.
fn places(position: &Position) -> Option<[[u8; 2]; 32]> {
    let mut places = [NOWHERE; 32];
    for (square, piece) in position.board().pieces() {
        let number = (0..32).find(|number| piece_of(*number) == piece && places[*number] == NOWHERE)?;
        places[number] = [b'0' + square.file(), b'0' + 9 - square.rank()];
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::SquareStyle;

    #[test]
    fn fields_moves_and_variations() {
        let text = "<p>[DhtmlXQ][DhtmlXQ_red]A[/DhtmlXQ_red][DhtmlXQ_blacktime]x[/DhtmlXQ_time]\
            [DhtmlXQ_result]W[/DhtmlXQ_result][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]\
            [DhtmlXQ_move_0_2_1]1022[/DhtmlXQ_move_0_2_1][DhtmlXQ_comment1_2]a||b[/DhtmlXQ_comment1_2]\
            [DhtmlXQ_move_0_1_2]0000[/DhtmlXQ_move_0_1_2][/DhtmlXQ]</p>";
        let games = read(text.as_bytes());
        let record = games[0].as_ref().unwrap();
        let line: Vec<String> = record.line().map(|mv| mv.to_string()).collect();
        assert_eq!(line, ["h2e2", "h9g7"]);
        assert_eq!(record.result, Some(GameResult::RedWins));
        assert_eq!(
            record.tags,
            [("Red".to_owned(), "A".to_owned()), ("DhtmlXQ_blacktime".to_owned(), "x".to_owned())]
        );
        assert_eq!(record.moves[1].variations[0][0].comment, "a\nb");
        assert_eq!(record.remarks.len(), 1, "{:?}", record.remarks);
        let again = read(write(record).as_bytes());
        assert_eq!(again[0].as_ref().unwrap().moves, record.moves);
        assert_eq!(again[0].as_ref().unwrap().tags, record.tags);
    }

    #[test]
    fn a_tag_takes_no_field_of_the_game() {
        let mut games = read(b"[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]");
        let mut record = games.remove(0).unwrap();
        for name in ["movelist", "binit", "comment0", "move", "result", "red", "owner"] {
            record.tags.push((format!("DhtmlXQ_{name}"), "x".to_owned()));
        }
        let again = read(write(&record).as_bytes()).remove(0).unwrap();
        assert_eq!((again.moves.len(), again.preface.as_str()), (2, ""));
        assert_eq!(again.tags, [("DhtmlXQ_owner".to_owned(), "x".to_owned())]);
    }

    #[test]
    fn errors_keep_what_came_before() {
        let games = read(b"[DhtmlXQ_movelist]77477062774[/DhtmlXQ_movelist]");
        let error = games[0].as_ref().unwrap_err();
        assert_eq!(
            (error.ply, error.token.as_str(), error.before.as_ref().map(|record| record.moves.len())),
            (Some(3), "774", Some(2))
        );
        assert!(read(b"[DhtmlXQ_binit]12[/DhtmlXQ_binit]")[0].is_err());
        assert!(read(b"no game here").is_empty());
    }

    #[test]
    fn positions_survive() {
        let start = Position::from_fen("3k5/9/9/9/9/9/9/9/9/4K3R b").unwrap();
        let mut record = Record::new(start.clone());
        record.moves.push(RecordedMove::plain(SquareStyle::Zero.read(b"d9d8").unwrap()));
        let again = read(write(&record).as_bytes());
        assert_eq!(again[0].as_ref().unwrap().start.fen(), start.fen());
        // Without a move Black is to move only where it must be.
        for (fen, side) in
            [("4k4/9/9/9/9/9/9/9/9/3K4R b", Side::Red), ("4k4/9/9/9/9/9/9/9/4R4/3K5 b", Side::Black)]
        {
            let record = Record::new(Position::from_fen(fen).unwrap());
            assert!(!has_no_place_for(&record));
            let again = read(write(&record).as_bytes());
            assert_eq!(again[0].as_ref().unwrap().start.side(), side, "{fen}");
        }
        let six_soldiers = Position::from_fen("4k4/9/9/9/9/P1P1P1P1P/P8/9/9/4K4 w").unwrap();
        assert!(has_no_place_for(&Record::new(six_soldiers)));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_fields_are_survived(text in "(\\[/?DhtmlXQ(_movelist|_binit|_move_[0-3]_[0-3]_[0-3]|_comment1)?\\]|7747|7062|炮|[0-9]|\\[){0,40}") {
            drop(read(text.as_bytes()));
        }
    }
}
