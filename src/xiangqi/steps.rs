//! Tables of the steps of the short-ranged pieces from every point, computed at compile time.
//! No occupancy here. Start at [`Steps`].

use super::side::Side;
use super::square::Square;

/// A step to a point, over a point that must be empty (a horse's leg, an elephant's eye; for the
/// other pieces the target itself, which nobody asks).
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub to: Square,
    pub over: Square,
}

/// Up to eight steps.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    list: [Step; 8],
    length: u8,
}

impl Steps {
    const EMPTY: Steps =
        Steps { list: [Step { to: Square::known(0), over: Square::known(0) }; 8], length: 0 };

    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, Step> {
        self.list[..self.length as usize].iter()
    }

    pub fn contains(&self, to: Square) -> bool {
        self.iter().any(|step| step.to == to)
    }

    const fn with(mut self, to: Option<Square>, over: Option<Square>) -> Steps {
        if let Some(to) = to {
            let over = match over {
                Some(square) => square,
                None => to,
            };
            self.list[self.length as usize] = Step { to, over };
            self.length += 1;
        }
        self
    }
}

type Table = [Steps; 90];

const ORTHOGONAL: [(i8, i8); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT: [(i8, i8); 8] = [(1, 2), (-1, 2), (1, -2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1)];

const fn palace_steps(side: Side, deltas: [(i8, i8); 4]) -> Table {
    let mut table = [Steps::EMPTY; 90];
    let mut index = 0;
    while index < 90 {
        let from = Square::known(index as u8);
        let mut i = 0;
        while i < 4 && from.in_palace(side) {
            if let Some(to) = from.step(deltas[i].0, deltas[i].1)
                && to.in_palace(side)
            {
                table[index] = table[index].with(Some(to), None);
            }
            i += 1;
        }
        index += 1;
    }
    table
}

const fn elephant_steps(side: Side) -> Table {
    let mut table = [Steps::EMPTY; 90];
    let mut index = 0;
    while index < 90 {
        let from = Square::known(index as u8);
        let mut i = 0;
        while i < 4 && from.in_half(side) {
            let (file, rank) = DIAGONAL[i];
            if let Some(to) = from.step(2 * file, 2 * rank)
                && to.in_half(side)
            {
                table[index] = table[index].with(Some(to), from.step(file, rank));
            }
            i += 1;
        }
        index += 1;
    }
    table
}

/// `reverse`: the steps that end on the point, each with the leg that the horse coming from there has.
const fn horse_steps(reverse: bool) -> Table {
    let mut table = [Steps::EMPTY; 90];
    let mut index = 0;
    while index < 90 {
        let here = Square::known(index as u8);
        let mut i = 0;
        while i < 8 {
            let (file, rank) = KNIGHT[i];
            let (leg_file, leg_rank) = if reverse {
                (file.signum(), rank.signum())
            } else if file == 2 || file == -2 {
                (file / 2, 0)
            } else {
                (0, rank / 2)
            };
            table[index] = table[index].with(here.step(file, rank), here.step(leg_file, leg_rank));
            i += 1;
        }
        index += 1;
    }
    table
}

const fn soldier_steps(side: Side, reverse: bool) -> Table {
    let ahead = match side {
        Side::Red => 1,
        Side::Black => -1,
    };
    let mut table = [Steps::EMPTY; 90];
    let mut index = 0;
    while index < 90 {
        let here = Square::known(index as u8);
        let forward = if reverse { -ahead } else { ahead };
        table[index] = table[index].with(here.step(0, forward), None);
        if !here.in_half(side) {
            table[index] = table[index].with(here.step(1, 0), None);
            table[index] = table[index].with(here.step(-1, 0), None);
        }
        index += 1;
    }
    table
}

pub(super) static GENERAL: [Table; 2] =
    [palace_steps(Side::Red, ORTHOGONAL), palace_steps(Side::Black, ORTHOGONAL)];
pub(super) static ADVISOR: [Table; 2] =
    [palace_steps(Side::Red, DIAGONAL), palace_steps(Side::Black, DIAGONAL)];
pub(super) static ELEPHANT: [Table; 2] = [elephant_steps(Side::Red), elephant_steps(Side::Black)];
pub(super) static HORSE: Table = horse_steps(false);
/// Where a horse that attacks the point may stand, and its leg.
pub(super) static HORSE_FROM: Table = horse_steps(true);
pub(super) static SOLDIER: [Table; 2] = [soldier_steps(Side::Red, false), soldier_steps(Side::Black, false)];
/// Where a soldier of the side that attacks the point may stand.
pub(super) static SOLDIER_FROM: [Table; 2] =
    [soldier_steps(Side::Red, true), soldier_steps(Side::Black, true)];
