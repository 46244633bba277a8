//! WXF notation: letters, signs and file digits (`formats.md` 4), `C2.5`. Writes the federation's
//! form; reads every school of tandem soldiers. Knows no other notation. Start at [`parse`].

use super::filewise::{Direction, FileMove, Place, Standing, Who, motion, own_file, standing};
use super::piece::{Kind, Piece};
use super::position::Position;
use super::square::Move;

/// Appends the federation's writing of a move of `piece`. It may name more than one legal move where
/// the federation's text does (the caller looks).
pub(super) fn append(position: &Position, piece: Piece, mv: Move, out: &mut String) {
    let file = own_file(mv.from.file(), piece.side());
    let digit = |number: u8| char::from(b'0' + number);
    let name = letter(piece.kind());
    let Standing { count, index, two_files, .. } = standing(position.board(), piece, mv.from);
    let (first, second) = match count {
        1 => (name, digit(file)),
        _ if two_files => (digit(file), sign(index, count, file)),
        2 | 3 => (name, sign(index, count, file)),
        _ if index == 0 => ('+', '+'),
        _ if index + 1 == count => ('-', '-'),
        _ => (name, sign(index - 1, count - 2, file)),
    };
    out.push(first);
    out.push(second);
    append_motion(piece, mv, out);
}

/// Appends XQBase's lettered writing of a tandem soldier, which is never ambiguous: `Pa+1`.
pub(super) fn append_lettered(position: &Position, piece: Piece, mv: Move, out: &mut String) {
    if let Some(number) = standing(position.board(), piece, mv.from).counted {
        out.push('P');
        out.push(char::from(b'a' + number as u8));
        append_motion(piece, mv, out);
    }
}

fn append_motion(piece: Piece, mv: Move, out: &mut String) {
    let (direction, number) = motion(piece.kind(), mv, piece.side());
    out.push(match direction {
        Direction::Forward => '+',
        Direction::Backward => '-',
        Direction::Sideways => '.',
    });
    out.push(char::from(b'0' + number));
}

/// The sign of a place in a column of two or three; the file digit stands for the middle.
fn sign(index: usize, count: usize, file: u8) -> char {
    if index == 0 {
        '+'
    } else if index + 1 == count {
        '-'
    } else {
        char::from(b'0' + file)
    }
}

/// The federation's letters, which differ from the FEN's in E and H.
pub(super) const fn letter(kind: Kind) -> char {
    match kind {
        Kind::General => 'K',
        Kind::Advisor => 'A',
        Kind::Elephant => 'E',
        Kind::Horse => 'H',
        Kind::Chariot => 'R',
        Kind::Cannon => 'C',
        Kind::Soldier => 'P',
    }
}

fn kind(letter: u8) -> Option<Kind> {
    Piece::from_letter(char::from(letter)).map(Piece::kind)
}

fn file(digit: u8) -> Option<u8> {
    digit.is_ascii_digit().then(|| digit - b'0').filter(|number| *number > 0)
}

fn place(sign: u8) -> Option<Place> {
    match sign {
        b'+' => Some(Place::Plus),
        b'-' => Some(Place::Minus),
        b'.' | b'=' => Some(Place::Middle),
        _ => None,
    }
}

/// Reads a token of ASCII characters; `None` if it has not this shape.
pub(super) fn parse(text: &[u8]) -> Option<FileMove> {
    let (name, direction, number) = match text {
        [a, b, sign, number] => {
            let direction = match sign {
                b'+' => Direction::Forward,
                b'-' => Direction::Backward,
                b'.' | b'=' => Direction::Sideways,
                _ => return None,
            };
            ((*a, *b), Some(direction), *number)
        }
        [a, b, number] => ((*a, *b), None, *number),
        _ => return None,
    };
    Some(FileMove { who: who(name, direction.is_some())?, direction, number: file(number)? })
}

fn who((a, b): (u8, u8), signed: bool) -> Option<Who> {
    if let (Some(kind), Some(file)) = (kind(a), file(b)) {
        return Some(Who::OnFile { kind, file });
    }
    if !signed {
        return None;
    }
    match (a, b) {
        (b'+', b'+') => return Some(Who::Placed { kind: Kind::Soldier, place: Place::Foremost }),
        (b'-', b'-') => return Some(Who::Placed { kind: Kind::Soldier, place: Place::Rearmost }),
        (b'P' | b'p', b'a'..=b'e') => return Some(Who::Counted(b - b'a')),
        (b'P' | b'p', b'A'..=b'E') => return Some(Who::Counted(b - b'A')),
        _ => {}
    }
    // Some programs put the sign first: `+R.6`.
    for (a, b) in [(a, b), (b, a)] {
        if let (Some(kind), Some(place)) = (kind(a), place(b)) {
            return Some(Who::Placed { kind, place });
        }
    }
    match (file(a), file(b), place(b)) {
        (Some(file), _, Some(place)) => Some(Who::SoldierOnFile { place, file }),
        (Some(first), Some(file), None) => Some(Who::Digits { first, file }),
        _ => None,
    }
}
