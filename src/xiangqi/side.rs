//! The two sides of a game. Knows nothing of pieces or boards. Start at [`Side`].

use std::fmt;
use std::ops::{Index, IndexMut, Not};

/// One of the two colours. Red moves first and is `w` in a FEN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Red: ranks 0 to 4 are its half, upper-case letters.
    Red = 0,
    /// Black: ranks 5 to 9 are its half, lower-case letters.
    Black = 1,
}

impl Side {
    /// Red, then Black.
    pub const BOTH: [Side; 2] = [Side::Red, Side::Black];

    /// The FEN letter of the side to move, `w` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Side::Red => 'w',
            Side::Black => 'b',
        }
    }

    /// The lower-case English word used in JSON: `red` or `black`.
    pub const fn word(self) -> &'static str {
        match self {
            Side::Red => "red",
            Side::Black => "black",
        }
    }
}

impl Not for Side {
    type Output = Side;
    fn not(self) -> Side {
        match self {
            Side::Red => Side::Black,
            Side::Black => Side::Red,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Red => "Red",
            Side::Black => "Black",
        })
    }
}

/// One value for each side, indexed by [`Side`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BySide<T> {
    /// Red's value.
    pub red: T,
    /// Black's value.
    pub black: T,
}

impl<T> BySide<T> {
    /// Builds both values from the side.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        BySide { red: make(Side::Red), black: make(Side::Black) }
    }

    /// Applies a function to both values.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BySide<U> {
        BySide { red: f(self.red), black: f(self.black) }
    }

    /// The same values with the colours exchanged.
    pub fn swapped(self) -> Self {
        BySide { red: self.black, black: self.red }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;
    fn index(&self, side: Side) -> &T {
        match side {
            Side::Red => &self.red,
            Side::Black => &self.black,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Red => &mut self.red,
            Side::Black => &mut self.black,
        }
    }
}
