//! XQF, the binary records of XQStudio, versions 1.0 (plain) and later (masked with keys from the
//! header), as `formats.md` 10 describes them. Reads only. Start at [`read`].

use super::branches::{Branch, assemble};
use super::dhtmlxq::{illegal, piece_of};
use super::encoding::Encoding;
use super::movetext::{MAX_MOVES, Parsed, Stop};
use super::pgn::{Game, finish};
use super::record::{GameResult, Odd, Reason, Record, RecordError, RecordedMove};
use crate::xiangqi::{Board, Move, NotationError, Position, Setup, Square};

/// Length of the header.
const HEADER: usize = 1024;

/// Longest comment on a move, in bytes.
const MAX_COMMENT: usize = 1 << 20;

/// The text whose bytes mask the key bytes.
const MASK: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// Offset, field length and tag of the header's strings.
const STRINGS: [(usize, usize, &str); 11] = [
    (0x50, 64, "Title"),
    (0xD0, 64, "Event"),
    (0x110, 16, "Date"),
    (0x120, 16, "Site"),
    (0x130, 16, "Red"),
    (0x140, 16, "Black"),
    (0x150, 64, "TimeControl"),
    (0x190, 16, "RedTime"),
    (0x1A0, 16, "BlackTime"),
    (0x1D0, 16, "Annotator"),
    (0x1E0, 16, "Author"),
];

/// Reads the game of a file's bytes.
///
/// # Errors
/// No XQF, an unplayable position, or a bad move of the main line; the line is the byte offset.
pub fn read(bytes: &[u8]) -> Result<Record, RecordError> {
    let game = Game { number: 1, text: "", line: 1, encoding: Encoding::Gb18030 };
    let Some((header, body)) = bytes.split_at_checked(HEADER).filter(|_| bytes.starts_with(b"XQ")) else {
        let why =
            format!("no XQF: {} bytes, a header of {HEADER} that begins with XQ is needed", bytes.len());
        return Err(game.error(0, "", Reason::Malformed(why)));
    };
    let keys = Keys::new(header);
    let mut walk = Walk::new(&keys, body);
    let start = start(header, &keys, walk.first_mover());
    let start = start.map_err(|why| game.error(0, "", Reason::Position(why)))?;
    walk.run(&start);
    let mut record = Record::new(start);
    for (at, length, tag) in STRINGS {
        let text = string(&header[at..at + length]);
        if !text.is_empty() {
            record.tags.push((tag.to_owned(), text));
        }
    }
    let result = match header[0x33] {
        1 => GameResult::RedWins,
        2 => GameResult::BlackWins,
        3 => GameResult::Draw,
        _ => GameResult::Unknown,
    };
    let (moves, lost) = assemble(walk.lines);
    walk.parsed.remarks.extend((lost > 0).then_some((0, Odd::LostVariations(lost))));
    walk.parsed.moves = moves;
    let stopped_at = walk.parsed.stop.as_ref().map(|stop| stop.at);
    let outcome = finish(&game, record, walk.parsed, 0, Some(result));
    outcome.map_err(|mut error| {
        error.line = stopped_at.unwrap_or(0) as u64;
        error
    })
}

/// A string with a leading length byte, in GBK.
fn string(field: &[u8]) -> String {
    let length = usize::from(field[0]).min(field.len() - 1);
    let text = Encoding::Gb18030.decode(&field[1..=length]).into_owned();
    text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned()
}

/// What the header says about masking.
struct Keys {
    plain: bool,
    rotated: bool,
    piece: u8,
    from: u8,
    to: u8,
    comment: u32,
    bytes: [u8; 32],
}

impl Keys {
    fn new(header: &[u8]) -> Keys {
        let version = header[2];
        let h = |at: usize| u32::from(header[at]);
        let turn = |k: u32, factor: u32| ((54 * k * k + 221) * factor) as u8;
        let piece = turn(h(0x0D), h(0x0D));
        let from = turn(h(0x0E), u32::from(piece));
        let to = turn(h(0x0F), u32::from(from));
        let comment = (h(0x0C) * 256 + h(0x0D)) % 32_000 + 767;
        let mut bytes = [0; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = (header[8 + i % 4] | (header[0x0C + i % 4] & header[3])) & MASK[i];
        }
        if version <= 0x0A {
            return Keys {
                plain: true,
                rotated: false,
                piece: 0,
                from: 0,
                to: 0,
                comment: 0,
                bytes: [0; 32],
            };
        }
        Keys { plain: false, rotated: version >= 0x0C, piece, from, to, comment, bytes }
    }
}

/// A point from `file * 10 + rank`.
fn square(value: u8) -> Option<Square> {
    Square::at((value / 10) as i8, (value % 10) as i8)
}

fn start(header: &[u8], keys: &Keys, first: Option<Square>) -> Result<Position, String> {
    let mut setup = Setup::start();
    setup.board = Board::new();
    for (index, byte) in header[0x10..0x30].iter().enumerate() {
        let number = if keys.rotated { (usize::from(keys.piece) + 1 + index) % 32 } else { index };
        if let Some(square) = square(byte.wrapping_sub(keys.piece)) {
            setup.board.put(square, piece_of(number));
        }
    }
    if let Some(piece) = first.and_then(|square| setup.board.get(square)) {
        setup.side = piece.side();
    }
    setup.playable().map_err(|why| why.to_string())
}

/// One move record.
struct Node {
    from: u8,
    to: u8,
    next: bool,
    variation: bool,
    comment: String,
}

/// A place where a variation is still to come: its parent and the position it starts from (`None` after
/// a move that cannot be played).
struct Due {
    parent: Option<(usize, usize)>,
    ply: u32,
    position: Option<Position>,
}

/// Walks through the move records, which follow each other depth first: a line to its end, then the
/// variations of its moves from the last to the first.
struct Walk<'a> {
    keys: &'a Keys,
    body: &'a [u8],
    at: usize,
    lines: Vec<Branch>,
    due: Vec<Due>,
    parsed: Parsed,
    nodes: usize,
}

impl<'a> Walk<'a> {
    fn new(keys: &'a Keys, body: &'a [u8]) -> Walk<'a> {
        let lines = vec![Branch { parent: None, moves: Vec::new() }];
        Walk { keys, body, at: 0, lines, due: Vec::new(), parsed: Parsed::default(), nodes: 0 }
    }

    /// The next bytes, unmasked; zeros where the file ends.
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let masked: &[u8; N] = self.body.get(self.at..)?.first_chunk()?;
        let mut bytes = *masked;
        for (byte, at) in bytes.iter_mut().zip(self.at..) {
            *byte = byte.wrapping_sub(self.keys.bytes[at % 32]);
        }
        self.at += N;
        Some(bytes)
    }

    fn node(&mut self) -> Option<Node> {
        self.nodes += 1;
        if self.nodes > MAX_MOVES {
            return None;
        }
        let [from, to, flag, _] = self.take()?;
        let (next, variation, commented) = if self.keys.plain {
            (flag & 0xF0 != 0, flag & 0x0F != 0, true)
        } else {
            (flag & 0x80 != 0, flag & 0x40 != 0, flag & 0x20 != 0)
        };
        let mut comment = String::new();
        if commented {
            let length = u32::from_le_bytes(self.take()?).wrapping_sub(self.keys.comment) as usize;
            let end =
                self.at.checked_add(length).filter(|end| length <= MAX_COMMENT && *end <= self.body.len())?;
            let keys = &self.keys.bytes;
            let text: Vec<u8> = (self.at..end).map(|at| self.body[at].wrapping_sub(keys[at % 32])).collect();
            comment = Encoding::Gb18030.decode(&text).replace('\r', "").trim().to_owned();
            self.at = end;
        }
        let from = from.wrapping_sub(24).wrapping_sub(self.keys.from);
        let to = to.wrapping_sub(32).wrapping_sub(self.keys.to);
        Some(Node { from, to, next, variation, comment })
    }

    /// Where the first move starts, found by reading ahead.
    fn first_mover(&self) -> Option<Square> {
        let mut ahead = Walk::new(self.keys, self.body);
        ahead.node().filter(|root| root.next)?;
        square(ahead.node()?.from)
    }

    fn run(&mut self, start: &Position) {
        let Some(root) = self.node() else { return };
        self.parsed.preface = root.comment;
        if !root.next {
            return;
        }
        self.line(0, 1, Some(start.clone()));
        while let Some(due) = self.due.pop() {
            self.lines.push(Branch { parent: due.parent, moves: Vec::new() });
            self.line(self.lines.len() - 1, due.ply, due.position);
        }
    }

    fn line(&mut self, number: usize, first_ply: u32, mut position: Option<Position>) {
        for ply in first_ply.. {
            let at = self.at;
            let Some(node) = self.node() else { return };
            let index = self.lines[number].moves.len();
            if node.variation {
                // A variation of a variation's first move is one more of the same parent.
                let parent = if index == 0 { self.lines[number].parent } else { None };
                let parent = parent.or(Some((number, index)));
                self.due.push(Due { parent, ply, position: position.clone() });
            }
            let next = node.next;
            if let Some(before) = position.take() {
                position = self.play(number, before, node, ply, at);
            }
            if !next {
                return;
            }
        }
    }

    /// Plays a record's move; `None` if it cannot be played.
    fn play(
        &mut self,
        number: usize,
        mut position: Position,
        node: Node,
        ply: u32,
        at: usize,
    ) -> Option<Position> {
        let mv = square(node.from).zip(square(node.to)).map(|(from, to)| Move { from, to });
        let error = match mv {
            Some(mv) if position.is_legal(mv) => {
                position.make(mv);
                let comment = node.comment;
                self.lines[number].moves.push(RecordedMove { comment, ..RecordedMove::plain(mv) });
                return Some(position);
            }
            Some(mv) => illegal(&position, mv),
            None => NotationError::Unreadable,
        };
        let token = mv.map_or_else(|| format!("{}-{}", node.from, node.to), |mv| mv.to_string());
        if number == 0 {
            let reason = Reason::Move(error);
            self.parsed.stop = Some(Stop { at: HEADER + at, ply: Some(ply), token, reason });
        } else {
            let reason = error.to_string();
            self.parsed.remarks.push((0, Odd::Variation { ply, token, reason }));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain file: usual start, the records given.
    fn made(records: &[[u8; 4]]) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[..3].copy_from_slice(b"XQ\x0A");
        let start = Position::start();
        for number in 0..32 {
            let mut same = (0..number).filter(|other| piece_of(*other) == piece_of(number)).count();
            let place = start.board().pieces().find(|(_, piece)| {
                let hit = *piece == piece_of(number) && same == 0;
                same -= usize::from(*piece == piece_of(number) && !hit);
                hit
            });
            bytes[0x10 + number] = place.map_or(0xFF, |(square, _)| square.file() * 10 + square.rank());
        }
        bytes[0x33] = 2;
        bytes[0x130..0x133].copy_from_slice(b"\x02ab");
        for record in [[0x18, 0x20, 0xF0, 0xFF]].iter().chain(records) {
            bytes.extend_from_slice(record);
            bytes.extend_from_slice(&[0; 4]);
        }
        bytes
    }

    #[test]
    fn plain_files_with_variations() {
        // h2e2 (with b2e2 as a variation), then h9g7.
        let bytes = made(&[[72 + 24, 42 + 32, 0xFF, 0], [79 + 24, 67 + 32, 0, 0], [12 + 24, 42 + 32, 0, 0]]);
        let record = read(&bytes).unwrap();
        let line: Vec<String> = record.line().map(|mv| mv.to_string()).collect();
        assert_eq!(line, ["h2e2", "h9g7"]);
        assert_eq!(record.moves[0].variations[0][0].mv.to_string(), "b2e2");
        assert_eq!((record.result, record.tag("Red")), (Some(GameResult::BlackWins), Some("ab")));
        assert!(record.starts_usually());
    }

    #[test]
    fn bad_moves_stop_the_main_line_alone() {
        let error = read(&made(&[[72 + 24, 42 + 32, 0xF0, 0], [0, 0, 0, 0]])).unwrap_err();
        assert_eq!((error.ply, error.line, error.before.unwrap().moves.len()), (Some(2), 1040, 1));
        let record = read(&made(&[[72 + 24, 42 + 32, 0x0F, 0], [24, 24, 0, 0]])).unwrap();
        assert_eq!((record.moves.len(), record.remarks.len()), (1, 1));
        assert!(read(b"XQ").is_err());
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_bytes_are_survived(head in proptest::collection::vec(proptest::num::u8::ANY, 0x40), tail in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let mut bytes = made(&[]);
            bytes.truncate(HEADER);
            bytes[2] = head[2];
            bytes[3] = head[3];
            bytes[8..0x10].copy_from_slice(&head[8..0x10]);
            bytes.extend_from_slice(&tail);
            let _ = read(&bytes);
            bytes[..0x40].copy_from_slice(&head);
            let _ = read(&bytes);
        }
    }
}
