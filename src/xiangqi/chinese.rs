//! Chinese notation, 炮二平五 (`formats.md` 5): simplified and traditional characters, digits of
//! either kind for either side, the newer and the older rule for several soldiers on a file.
//! Knows no other notation. Start at [`parse`].

use super::filewise::{Direction, FileMove, Place, Standing, Who, motion, own_file, standing};
use super::piece::{Kind, Piece};
use super::position::Position;
use super::side::Side;
use super::square::Move;

/// Which characters are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// 马 车 进 后.
    Simplified,
    /// 馬 車 進 後.
    Traditional,
}

const DIGITS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Full-width digits, as most programs write Black's numbers.
const WIDE_DIGITS: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];

/// Appends a move of `piece` by the newer rule: 前 中 后 on one file, 一 二 三 四 五 with four or five
/// on a file or two doubled files.
pub(super) fn append(position: &Position, piece: Piece, mv: Move, script: Script, out: &mut String) {
    let side = piece.side();
    let name = character(piece, script);
    let rear = if script == Script::Simplified { '后' } else { '後' };
    let counted = |number: usize| DIGITS.get(number).copied().unwrap_or('九');
    match standing(position.board(), piece, mv.from) {
        Standing { count: 1, .. } => {
            out.push(name);
            out.push(digit(own_file(mv.from.file(), side), side));
        }
        Standing { counted: Some(number), .. } => out.extend([counted(number), name]),
        Standing { index: 0, .. } => out.extend(['前', name]),
        Standing { index, count, .. } if index + 1 == count => out.extend([rear, name]),
        Standing { .. } => out.extend(['中', name]),
    }
    let (direction, number) = motion(piece.kind(), mv, side);
    out.push(match (direction, script) {
        (Direction::Forward, Script::Simplified) => '进',
        (Direction::Forward, Script::Traditional) => '進',
        (Direction::Backward, _) => '退',
        (Direction::Sideways, _) => '平',
    });
    out.push(digit(number, side));
}

/// The character of a piece.
const fn character(piece: Piece, script: Script) -> char {
    match (piece.kind(), piece.side(), script) {
        (Kind::General, Side::Red, Script::Simplified) => '帅',
        (Kind::General, Side::Red, Script::Traditional) => '帥',
        (Kind::General, Side::Black, Script::Simplified) => '将',
        (Kind::General, Side::Black, Script::Traditional) => '將',
        (Kind::Advisor, Side::Red, _) => '仕',
        (Kind::Advisor, Side::Black, _) => '士',
        (Kind::Elephant, Side::Red, _) => '相',
        (Kind::Elephant, Side::Black, _) => '象',
        (Kind::Horse, _, Script::Simplified) => '马',
        (Kind::Horse, _, Script::Traditional) => '馬',
        (Kind::Chariot, _, Script::Simplified) => '车',
        (Kind::Chariot, _, Script::Traditional) => '車',
        (Kind::Cannon, _, _) => '炮',
        (Kind::Soldier, Side::Red, _) => '兵',
        (Kind::Soldier, Side::Black, _) => '卒',
    }
}

/// One character a piece, the two sides' always different: 马 车 炮 for Red, 馬 車 砲 for Black.
pub const fn piece_character(piece: Piece) -> char {
    match (piece.side(), piece.kind()) {
        (Side::Black, Kind::Cannon) => '砲',
        (Side::Black, Kind::Horse | Kind::Chariot) => character(piece, Script::Traditional),
        _ => character(piece, Script::Simplified),
    }
}

fn digit(number: u8, side: Side) -> char {
    let index = usize::from(number.clamp(1, 9) - 1);
    match side {
        Side::Red => DIGITS[index],
        Side::Black => WIDE_DIGITS[index],
    }
}

/// The kind a character names, of either side and either script.
fn kind(character: char) -> Option<Kind> {
    match character {
        '帅' | '帥' | '将' | '將' => Some(Kind::General),
        '仕' | '士' => Some(Kind::Advisor),
        '相' | '象' => Some(Kind::Elephant),
        '马' | '馬' | '傌' => Some(Kind::Horse),
        '车' | '車' | '俥' => Some(Kind::Chariot),
        '炮' | '砲' | '包' => Some(Kind::Cannon),
        '兵' | '卒' => Some(Kind::Soldier),
        _ => None,
    }
}

/// 1..=9 of a Chinese or (folded) Arabic digit.
fn number(character: char) -> Option<u8> {
    match character {
        '1'..='9' => Some(character as u8 - b'0'),
        _ => DIGITS.iter().position(|digit| *digit == character).map(|index| index as u8 + 1),
    }
}

fn place(character: char) -> Option<Place> {
    match character {
        '前' => Some(Place::First),
        '中' => Some(Place::Middle),
        '后' | '後' => Some(Place::Last),
        _ => None,
    }
}

/// Whether a text could be the beginning of a Chinese move: a piece, a place or a Chinese digit.
pub fn begins_chinese_move(character: char) -> bool {
    kind(character).is_some() || place(character).is_some() || DIGITS.contains(&character)
}

/// Reads four characters whose full-width forms are folded; `None` if they have not this shape.
pub(super) fn parse(text: &[char]) -> Option<FileMove> {
    let [a, b, direction, reached] = text else { return None };
    let direction = match direction {
        '进' | '進' => Direction::Forward,
        '退' => Direction::Backward,
        '平' => Direction::Sideways,
        _ => return None,
    };
    let who = match (kind(*a), kind(*b), place(*a), number(*a), number(*b)) {
        (Some(kind), _, _, _, Some(file)) => Who::OnFile { kind, file },
        (_, Some(kind), Some(place), _, _) => Who::Placed { kind, place },
        (_, Some(Kind::Soldier), _, Some(number), _) => Who::Counted(number - 1),
        (_, _, Some(place), _, Some(file)) => Who::SoldierOnFile { place, file },
        (_, _, _, Some(index), Some(file)) => Who::SoldierOnFile { place: Place::Nth(index - 1), file },
        _ => return None,
    };
    Some(FileMove { who, direction: Some(direction), number: number(*reached)? })
}
