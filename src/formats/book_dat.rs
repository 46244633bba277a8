//! ElephantEye's opening book `BOOK.DAT` (`formats.md` 13): sorted entries of key, move and weight. The
//! book is walked from the usual start position and gives its lines as records, each up to where the book
//! ends or meets a position it came through before. Only looks up; never weighs. Start at [`games`].

use std::collections::HashSet;

use super::record::{Reason, Record, RecordError, RecordedMove};
use crate::xiangqi::{Kind, Move, Position, Side, Square, Undo};

/// Longest line that is followed, in half-moves; books go 30 or 40 deep.
const MAX_PLIES: usize = 200;

/// Most lines that are given: a book of the usual size has ten thousand.
const MAX_LINES: u64 = 1_000_000;

/// Bytes of an entry.
const ENTRY: usize = 8;

/// One move of the book.
#[derive(Clone, Copy)]
struct Entry {
    key: u32,
    mv: u16,
    weight: u16,
}

/// The lines of a book; the one error of a file that is none.
pub(super) fn games(bytes: &[u8]) -> Result<Lines, RecordError> {
    let book = Book::read(bytes).map_err(|why| RecordError {
        game: 1,
        line: 1,
        ply: None,
        token: String::new(),
        reason: Reason::Malformed(why.to_owned()),
        before: None,
    })?;
    Ok(Lines::new(book))
}

/// The entries, ascending by key, and what keys are made of.
struct Book {
    entries: Vec<Entry>,
    words: Words,
}

impl Book {
    fn read(bytes: &[u8]) -> Result<Book, &'static str> {
        let (chunks, []) = bytes.as_chunks::<ENTRY>() else {
            return Err("no BOOK.DAT: its length is no multiple of 8 bytes");
        };
        let entry = |[a, b, c, d, e, f, g, h]: &[u8; ENTRY]| Entry {
            key: u32::from_le_bytes([*a, *b, *c, *d]),
            mv: u16::from_le_bytes([*e, *f]),
            weight: u16::from_le_bytes([*g, *h]),
        };
        let entries: Vec<Entry> = chunks.iter().map(entry).collect();
        if !entries.is_sorted_by_key(|entry| entry.key) {
            return Err("no BOOK.DAT: its keys do not ascend");
        }
        let book = Book { entries, words: Words::draw() };
        if book.moves(&Position::start()).is_empty() {
            return Err("no BOOK.DAT: it has no move for the usual start position");
        }
        Ok(book)
    }

    /// The legal moves the book has for a position and their weights. One of two mirror images is stored.
    fn moves(&self, position: &Position) -> Vec<(Move, u16)> {
        for mirror in [false, true] {
            let key = self.words.key(position, mirror);
            let first = self.entries.partition_point(|entry| entry.key < key);
            let found: Vec<(Move, u16)> = self.entries[first..]
                .iter()
                .take_while(|entry| entry.key == key)
                .filter_map(|entry| {
                    let mv = Move::new(square(entry.mv & 0xFF)?, square(entry.mv >> 8)?);
                    Some((if mirror { mv.mirrored() } else { mv }, entry.weight))
                })
                .filter(|(mv, _)| position.is_legal(*mv))
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

/// A point of the 16x16 board that the book counts in: its ranks from the top, the board from 3, 3.
fn square(number: u16) -> Option<Square> {
    let (file, rank) = (number % 16, number / 16);
    Square::at(i8::try_from(file).ok()? - 3, 12 - i8::try_from(rank).ok()?)
}

fn number(square: Square) -> usize {
    3 + usize::from(square.file()) + 16 * (12 - usize::from(square.rank()))
}

/// What the key of a position is made of, by exclusive or.
struct Words {
    black_moves: u32,
    pieces: Vec<[u32; 256]>,
}

impl Words {
    /// Draws the words from an RC4 stream under a key of zeros; of each three the last counts.
    fn draw() -> Words {
        let mut stream = Rc4::new();
        let mut third = || [(); 3].map(|()| u32::from_le_bytes([(); 4].map(|()| stream.byte())))[2];
        let black_moves = third();
        let pieces = (0..14).map(|_| [(); 256].map(|()| third())).collect();
        Words { black_moves, pieces }
    }

    fn key(&self, position: &Position, mirror: bool) -> u32 {
        let side = if position.side() == Side::Black { self.black_moves } else { 0 };
        position.board().pieces().fold(side, |key, (at, piece)| {
            let kind = match piece.kind() {
                Kind::General => 0,
                Kind::Advisor => 1,
                Kind::Elephant => 2,
                Kind::Horse => 3,
                Kind::Chariot => 4,
                Kind::Cannon => 5,
                Kind::Soldier => 6,
            };
            let kind = if piece.side() == Side::Red { kind } else { kind + 7 };
            key ^ self.pieces[kind][number(if mirror { at.mirrored() } else { at })]
        })
    }
}

/// The stream cipher, for its numbers.
struct Rc4 {
    state: [u8; 256],
    i: u8,
    j: u8,
}

impl Rc4 {
    /// Under a key of zeros.
    fn new() -> Rc4 {
        let mut state = [0; 256];
        for (value, place) in (0..=255).zip(&mut state) {
            *place = value;
        }
        let mut j = 0u8;
        for i in 0..256 {
            j = j.wrapping_add(state[i]);
            state.swap(i, usize::from(j));
        }
        Rc4 { state, i: 0, j: 0 }
    }

    fn byte(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        self.j = self.j.wrapping_add(self.state[usize::from(self.i)]);
        self.state.swap(usize::from(self.i), usize::from(self.j));
        let sum = self.state[usize::from(self.i)].wrapping_add(self.state[usize::from(self.j)]);
        self.state[usize::from(sum)]
    }
}

/// A walk through the book, every position's moves followed once.
pub(super) struct Lines {
    book: Book,
    position: Position,
    seen: HashSet<u64>,
    /// The moves of the positions on the way, and the move that led there.
    way: Vec<Branching>,
    line: Vec<(Move, u16)>,
    count: u64,
}

/// A position on the way.
struct Branching {
    moves: std::vec::IntoIter<(Move, u16)>,
    undo: Option<Undo>,
}

impl Lines {
    fn new(book: Book) -> Lines {
        let position = Position::start();
        let root = Branching { moves: book.moves(&position).into_iter(), undo: None };
        let seen = HashSet::from([position.key()]);
        Lines { book, position, seen, way: vec![root], line: Vec::new(), count: 0 }
    }

    /// The line walked, each move's weight as its comment, that of the rarest as the weight of the whole.
    fn record(&mut self) -> Record {
        self.count += 1;
        let mut record = Record::new(Position::start());
        record.origin.game = self.count;
        let weighted = |(mv, weight): &(Move, u16)| RecordedMove {
            comment: weight.to_string(),
            ..RecordedMove::plain(*mv)
        };
        record.moves = self.line.iter().map(weighted).collect();
        let weight = self.line.iter().map(|(_, weight)| *weight).min().unwrap_or_default();
        record.tags = vec![("Weight".to_owned(), weight.to_string())];
        record
    }
}

impl Iterator for Lines {
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.count < MAX_LINES {
            let here = self.way.last_mut()?;
            let Some((mv, weight)) = here.moves.next() else {
                if let Some(undo) = self.way.pop().and_then(|done| done.undo) {
                    self.position.unmake(undo);
                    self.line.pop();
                }
                continue;
            };
            let undo = self.position.make(mv);
            self.line.push((mv, weight));
            let is_new = self.seen.insert(self.position.key()) && self.line.len() < MAX_PLIES;
            let moves = if is_new { self.book.moves(&self.position) } else { Vec::new() };
            if moves.is_empty() {
                let record = self.record();
                self.position.unmake(undo);
                self.line.pop();
                return Some(Ok(record));
            }
            self.way.push(Branching { moves: moves.into_iter(), undo: Some(undo) });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::SquareStyle;

    /// A book file of positions after moves, each with the move it has there.
    fn book(entries: &[(&[&str], &str, u16)]) -> Vec<u8> {
        let words = Words::draw();
        let read = |text: &str| SquareStyle::Zero.read(text.as_bytes()).unwrap();
        let mut rows: Vec<(u32, u16, u16)> = entries
            .iter()
            .map(|(line, mv, weight)| {
                let mut position = Position::start();
                line.iter().for_each(|text| {
                    position.make(read(text));
                });
                let mv = read(mv);
                (words.key(&position, false), (number(mv.from) + 256 * number(mv.to)) as u16, *weight)
            })
            .collect();
        rows.sort();
        let bytes = |(key, mv, weight): &(u32, u16, u16)| {
            [&key.to_le_bytes()[..], &mv.to_le_bytes(), &weight.to_le_bytes()].concat()
        };
        rows.iter().flat_map(bytes).collect()
    }

    fn lines(bytes: &[u8]) -> Vec<String> {
        let line = |record: Result<Record, RecordError>| {
            let record = record.unwrap();
            let moves: Vec<String> = record.line().map(|mv| mv.to_string()).collect();
            format!("{} {}", moves.join(" "), record.tag("Weight").unwrap())
        };
        games(bytes).unwrap().map(line).collect()
    }

    #[test]
    fn lines_are_walked_mirrors_found_and_transpositions_cut() {
        // The mirror of the position after h2e2 is the one after b2e2: one entry serves both.
        let bytes = book(&[
            (&[], "h2e2", 9),
            (&[], "b2e2", 9),
            (&[], "a0a1", 0),
            (&["h2e2"], "h9g7", 5),
            (&["h2e2", "h9g7"], "h0g2", 7),
        ]);
        let mut found = lines(&bytes);
        found.sort();
        assert_eq!(found, ["a0a1 0", "b2e2 b9c7 b0c2 5", "h2e2 h9g7 h0g2 5"]);
        let there_and_back = book(&[
            (&[], "i0i1", 1),
            (&["i0i1"], "i9i8", 1),
            (&["i0i1", "i9i8"], "i1i0", 1),
            (&["i0i1", "i9i8", "i1i0"], "i8i9", 1),
        ]);
        assert_eq!(lines(&there_and_back), ["i0i1 i9i8 i1i0 i8i9 1"]);
    }

    #[test]
    fn what_is_no_book_is_told() {
        for (bytes, part) in [
            (&b"123"[..], "no multiple of 8"),
            (&b"\xFF\xFF\xFF\xFF1234\0\0\0\x001234"[..], "do not ascend"),
            (&b""[..], "no move for the usual start"),
        ] {
            let error = games(bytes).err().unwrap().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, cases: 32, ..Default::default() })]

        #[test]
        fn any_moves_are_survived(moves in proptest::collection::vec(proptest::num::u16::ANY, 1..20)) {
            let key = Words::draw().key(&Position::start(), false).to_le_bytes();
            let bytes: Vec<u8> = moves.iter().flat_map(|mv| [&key[..], &mv.to_le_bytes(), &[1, 0]].concat()).collect();
            games(&bytes).into_iter().flatten().for_each(drop);
        }
    }
}
