//! Moves named by files, the ground that WXF and Chinese notation share (`formats.md` 4 and 5):
//! files counted from each side's right hand, places in a column of like pieces, directions.
//! Knows no letters and no characters. Start at [`FileMove`].

use super::board::Board;
use super::piece::{Kind, Piece};
use super::position::Position;
use super::side::Side;
use super::square::{Move, Square};

/// A file as its side counts, 1..=9 from its own right hand, of a board file 0..9.
pub(super) const fn own_file(file: u8, side: Side) -> u8 {
    match side {
        Side::Red => 9 - file,
        Side::Black => file + 1,
    }
}

/// The board file of a side's own file; meaningful for 1..=9.
const fn board_file(own: u8, side: Side) -> i8 {
    match side {
        Side::Red => 9 - own as i8,
        Side::Black => own as i8 - 1,
    }
}

/// The pieces of one kind on a board file, the one nearest the enemy first.
pub(super) fn column(board: &Board, piece: Piece, file: u8) -> impl Iterator<Item = Square> + '_ {
    (0..10).filter_map(move |depth| {
        let rank = if piece.side() == Side::Red { 9 - depth } else { depth };
        Square::at(file as i8, rank).filter(|square| board.get(*square) == Some(piece))
    })
}

/// The soldiers that share their file with another of their side: files from the side's right to its
/// left, front to rear in a file. This is the order of the newer Chinese rule and of XQBase's letters.
pub(super) fn tandem_soldiers(board: &Board, side: Side) -> impl Iterator<Item = Square> + '_ {
    let soldier = Piece::new(side, Kind::Soldier);
    (1..=9u8)
        .map(move |own| board_file(own, side) as u8)
        .filter(move |file| column(board, soldier, *file).nth(1).is_some())
        .flat_map(move |file| column(board, soldier, file))
}

/// Whether soldiers stand in tandem on more than one file.
pub(super) fn two_tandem_files(board: &Board, side: Side) -> bool {
    let mut squares = tandem_soldiers(board, side);
    squares.next().is_some_and(|first| squares.any(|square| square.file() != first.file()))
}

/// Which way a piece goes, seen from its own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Towards the enemy.
    Forward,
    /// Homewards.
    Backward,
    /// Along the rank.
    Sideways,
}

/// A place in a column of two or more like pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// 前: the foremost.
    First,
    /// 后: the rearmost.
    Last,
    /// 中, `.`, or the bare file digit: the middle one of three or five.
    Middle,
    /// `+`: the foremost of two or three, the second of four or five.
    Plus,
    /// `-`: the rearmost of two or three, the last but one of four or five.
    Minus,
    /// `++`: the foremost of four or five.
    Foremost,
    /// `--`: the rearmost of four or five.
    Rearmost,
    /// Counted from the front, 0-based.
    Nth(u8),
}

impl Place {
    /// Index from the front in a column of `count` pieces; `None` if the column has no such place.
    fn index(self, count: usize) -> Option<usize> {
        if count < 2 {
            return None;
        }
        let long = count >= 4;
        match self {
            Place::First => Some(0),
            Place::Last => Some(count - 1),
            Place::Middle => (count % 2 == 1).then_some(count / 2),
            Place::Plus => Some(usize::from(long)),
            Place::Minus => Some(count - 1 - usize::from(long)),
            Place::Foremost => long.then_some(0),
            Place::Rearmost => long.then_some(count - 1),
            Place::Nth(index) => Some(usize::from(index)).filter(|index| *index < count),
        }
    }
}

/// Which piece a move names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// A kind and the file it stands on.
    OnFile { kind: Kind, file: u8 },
    /// A kind and a place in whichever column holds two or more.
    Placed { kind: Kind, place: Place },
    /// A soldier by place and file.
    SoldierOnFile { place: Place, file: u8 },
    /// A soldier by its number among all tandem soldiers, 0-based.
    Counted(u8),
    /// Two digits: place from the front and file (Fairy-Stockfish), or, the digits being the same,
    /// the middle one of three where another file is doubled too (federation).
    Digits { first: u8, file: u8 },
}

/// A move as file notations name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileMove {
    /// The piece.
    pub who: Who,
    /// Which way; `None` where the writer left the sign out.
    pub direction: Option<Direction>,
    /// 1..=9: the own file reached, or the number of steps.
    pub number: u8,
}

impl FileMove {
    /// Calls `visit` with each move the text may mean, legal or not.
    pub fn each(&self, position: &Position, visit: &mut impl FnMut(Move)) {
        let (board, side) = (position.board(), position.side());
        let soldier = Piece::new(side, Kind::Soldier);
        let mut offer = |kind: Kind, from: Square| {
            let all = [Direction::Forward, Direction::Backward, Direction::Sideways];
            for direction in all {
                if self.direction.is_none_or(|wanted| wanted == direction)
                    && let Some(to) = target(kind, from, side, direction, self.number)
                {
                    visit(Move { from, to });
                }
            }
        };
        let mut in_column = |piece: Piece, file: u8, place: Place| {
            let count = column(board, piece, file).count();
            if let Some(from) = place.index(count).and_then(|index| column(board, piece, file).nth(index)) {
                offer(piece.kind(), from);
            }
        };
        match self.who {
            Who::OnFile { kind, file } => {
                let (piece, file) = (Piece::new(side, kind), board_file(file, side) as u8);
                let count = column(board, piece, file).count();
                if kind == Kind::Soldier && (count == 3 || count == 5) {
                    in_column(piece, file, Place::Middle);
                } else {
                    column(board, piece, file).for_each(|from| offer(kind, from));
                }
            }
            Who::Placed { kind, place } => {
                (0..9).for_each(|file| in_column(Piece::new(side, kind), file, place));
            }
            Who::SoldierOnFile { place, file } => in_column(soldier, board_file(file, side) as u8, place),
            Who::Counted(number) => {
                if let Some(from) = tandem_soldiers(board, side).nth(usize::from(number)) {
                    offer(Kind::Soldier, from);
                }
            }
            Who::Digits { first, file } => {
                let same = first == file;
                let file = board_file(file, side) as u8;
                in_column(soldier, file, Place::Nth(first.saturating_sub(1)));
                if same && column(board, soldier, file).count() == 3 && two_tandem_files(board, side) {
                    in_column(soldier, file, Place::Middle);
                }
            }
        }
    }
}

/// Where a piece arrives; `None` off the board or where such a piece never goes.
fn target(kind: Kind, from: Square, side: Side, direction: Direction, number: u8) -> Option<Square> {
    let ahead = if side == Side::Red { 1 } else { -1 };
    let sign = match direction {
        Direction::Forward => ahead,
        Direction::Backward => -ahead,
        Direction::Sideways => 0,
    };
    let across = board_file(number, side) - from.file() as i8;
    match kind {
        Kind::General | Kind::Chariot | Kind::Cannon | Kind::Soldier => {
            if sign == 0 {
                from.step(across, 0)
            } else {
                from.step(0, sign * number as i8)
            }
        }
        Kind::Advisor | Kind::Elephant | Kind::Horse => {
            let ranks = match (kind, across.abs()) {
                (Kind::Advisor, 1) | (Kind::Horse, 2) => 1,
                (Kind::Elephant, 2) | (Kind::Horse, 1) => 2,
                _ => return None,
            };
            if sign == 0 { None } else { from.step(across, sign * ranks) }
        }
    }
}

/// Direction and number of a move of `kind`, as both notations write them.
pub(super) fn motion(kind: Kind, mv: Move, side: Side) -> (Direction, u8) {
    let ranks = mv.to.rank() as i8 - mv.from.rank() as i8;
    let ahead = if side == Side::Red { ranks } else { -ranks };
    let direction = match ahead {
        0 => Direction::Sideways,
        1.. => Direction::Forward,
        _ => Direction::Backward,
    };
    let counts_steps = match kind {
        Kind::General | Kind::Chariot | Kind::Cannon | Kind::Soldier => ahead != 0,
        Kind::Advisor | Kind::Elephant | Kind::Horse => false,
    };
    (direction, if counts_steps { ahead.unsigned_abs() } else { own_file(mv.to.file(), side) })
}

/// Where a piece stands among its like: what a writer must know to name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Pieces of this kind and side on the file.
    pub count: usize,
    /// Index from the front.
    pub index: usize,
    /// Number among all tandem soldiers, if it is one and another file is doubled too or the column
    /// holds four or five; 0-based.
    pub counted: Option<usize>,
    /// Whether soldiers of this side are doubled on more than one file.
    pub two_files: bool,
}

/// Finds the standing of the piece on `from`. For advisors and elephants the count is always 1: the
/// direction tells them apart.
pub(super) fn standing(board: &Board, piece: Piece, from: Square) -> Standing {
    let alone = Standing { count: 1, index: 0, counted: None, two_files: false };
    match piece.kind() {
        Kind::General | Kind::Advisor | Kind::Elephant => alone,
        Kind::Horse | Kind::Chariot | Kind::Cannon | Kind::Soldier => {
            let count = column(board, piece, from.file()).count();
            if count < 2 {
                return alone;
            }
            let index = column(board, piece, from.file()).position(|square| square == from).unwrap_or(0);
            if piece.kind() != Kind::Soldier {
                return Standing { count, index, ..alone };
            }
            let two_files = two_tandem_files(board, piece.side());
            let counted = if two_files || count >= 4 {
                tandem_soldiers(board, piece.side()).position(|square| square == from)
            } else {
                None
            };
            Standing { count, index, counted, two_files }
        }
    }
}
