//! A playable position: board, side to move, counters and key, with moves made and unmade without
//! allocation, and the legal moves (`tournaments.md` 4). Knows nothing of repetition or results
//! beyond "no legal move". Start at [`Position`].

use std::fmt;

use super::board::Board;
use super::piece::{Kind, Piece};
use super::setup::{START_FEN, Setup, Unplayable};
use super::side::{BySide, Side};
use super::square::{Move, Square};
use super::zobrist::{BLACK_TO_MOVE, piece_key};

/// A position that can be played: one general each in its palace, the side that waits not in check.
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    board: Board,
    generals: BySide<Square>,
    side: Side,
    key: u64,
    quiet: u16,
    number: u32,
}

/// What [`Position::make`] needs to be taken back.
#[derive(Debug, Clone, Copy)]
pub struct Undo {
    mv: Move,
    captured: Option<Piece>,
    key: u64,
    quiet: u16,
}

impl Undo {
    /// What the move captured.
    pub fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

impl Position {
    /// The usual start position.
    pub fn start() -> Position {
        match Position::from_fen(START_FEN) {
            Ok(position) => position,
            Err(_) => unreachable!("the start position is playable"),
        }
    }

    /// Reads a FEN and checks that it can be played.
    ///
    /// # Errors
    /// In words, why the text is no FEN or the board cannot be played.
    pub fn from_fen(fen: &str) -> Result<Position, String> {
        let setup = Setup::parse(fen).map_err(|error| error.to_string())?;
        setup.playable().map_err(|why| format!("this position cannot be played: {why}"))
    }

    /// Checks a set-up board.
    ///
    /// # Errors
    /// Why it cannot be played.
    pub fn from_setup(setup: &Setup) -> Result<Position, Unplayable> {
        let board = &setup.board;
        for side in Side::BOTH {
            let pieces = board.squares(side).count();
            if pieces > 16 {
                return Err(Unplayable::TooManyPieces(side, pieces));
            }
        }
        let red = the_general(board, Side::Red)?;
        let black = the_general(board, Side::Black)?;
        let generals = BySide { red, black };
        if board.between(red, black) == Some(0) && red.file() == black.file() {
            return Err(Unplayable::Facing(red));
        }
        let waiting = !setup.side;
        if let Some(by) = board.attackers_of_general(generals[waiting], waiting).first() {
            return Err(Unplayable::WaitingInCheck { side: waiting, by: *by });
        }
        let mut position = Position {
            board: board.clone(),
            generals,
            side: setup.side,
            key: 0,
            quiet: setup.quiet,
            number: setup.number,
        };
        position.key = position.key_from_scratch();
        Ok(position)
    }

    /// The position as a set-up board.
    pub fn setup(&self) -> Setup {
        Setup { board: self.board.clone(), side: self.side, quiet: self.quiet, number: self.number }
    }

    /// The FEN with all six fields.
    pub fn fen(&self) -> String {
        self.setup().fen()
    }

    /// The pieces.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The piece on a point.
    #[inline]
    pub fn get(&self, square: Square) -> Option<Piece> {
        self.board.get(square)
    }

    /// Who is to move.
    #[inline]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Where a side's general stands.
    #[inline]
    pub fn general(&self, side: Side) -> Square {
        self.generals[side]
    }

    /// Zobrist key of board and side to move (kinds and colours, not identities).
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Plies since the last capture, going on from the FEN's counter.
    #[inline]
    pub fn quiet(&self) -> u16 {
        self.quiet
    }

    /// Full-move number.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The key computed from nothing but the board; always equal to [`Position::key`].
    pub fn key_from_scratch(&self) -> u64 {
        let side = if self.side == Side::Black { BLACK_TO_MOVE } else { 0 };
        self.board.pieces().fold(side, |key, (square, piece)| key ^ piece_key(piece, square))
    }

    /// Whether a side's general is attacked (a facing general included).
    #[inline]
    pub fn in_check(&self, side: Side) -> bool {
        self.board.general_attacked(self.generals[side], side)
    }

    /// Makes a move of the side to move. The move must be legal; [`Position::is_legal`] tells.
    #[inline]
    pub fn make(&mut self, mv: Move) -> Undo {
        let (old_key, quiet) = (self.key, self.quiet);
        let moving = self.board.get(mv.from);
        let captured = self.board.shift(mv);
        if let Some(piece) = moving {
            self.key ^= piece_key(piece, mv.from) ^ piece_key(piece, mv.to);
            if piece.kind() == Kind::General {
                self.generals[piece.side()] = mv.to;
            }
        }
        self.quiet = self.quiet.saturating_add(1);
        if let Some(piece) = captured {
            self.key ^= piece_key(piece, mv.to);
            self.quiet = 0;
        }
        self.number += u32::from(self.side == Side::Black);
        self.key ^= BLACK_TO_MOVE;
        self.side = !self.side;
        Undo { mv, captured, key: old_key, quiet }
    }

    /// Takes back the last move made.
    #[inline]
    pub fn unmake(&mut self, undo: Undo) {
        self.board.unshift(undo.mv, undo.captured);
        self.side = !self.side;
        self.number -= u32::from(self.side == Side::Black);
        if let Some(piece) = self.board.get(undo.mv.from)
            && piece.kind() == Kind::General
        {
            self.generals[piece.side()] = undo.mv.from;
        }
        self.key = undo.key;
        self.quiet = undo.quiet;
    }

    /// The side to move passes (blindfold event, II.5): an irreversible point, so the count of quiet
    /// plies starts anew. Only for a side that is not in check.
    pub fn pass(&mut self) {
        self.number += u32::from(self.side == Side::Black);
        self.key ^= BLACK_TO_MOVE;
        self.side = !self.side;
        self.quiet = 0;
    }

    /// The position after a legal move, by copy.
    pub fn after(&self, mv: Move) -> Position {
        let mut position = self.clone();
        position.make(mv);
        position
    }

    /// Whether the side to move may play a move.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.get(mv.from).is_some_and(|piece| piece.side() == self.side) && self.would_be_legal(mv)
    }

    /// Whether a move would be legal for the side that owns the piece, whoever's turn it is.
    pub fn would_be_legal(&self, mv: Move) -> bool {
        let Some(piece) = self.get(mv.from) else { return false };
        self.board.reaches(mv) && !self.leaves_general_attacked(piece, mv)
    }

    fn leaves_general_attacked(&self, piece: Piece, mv: Move) -> bool {
        let side = piece.side();
        let general = if piece.kind() == Kind::General { mv.to } else { self.generals[side] };
        self.board.after(mv).general_attacked(general, side)
    }

    /// Calls `visit` with every legal move of the side to move.
    #[inline]
    pub fn each_legal(&self, visit: impl FnMut(Move)) {
        self.each_legal_where(|_| true, visit);
    }

    /// Calls `visit` with every legal capture of the side to move.
    #[inline]
    pub fn each_capture(&self, visit: impl FnMut(Move)) {
        self.each_legal_where(|to| self.board.is_own(to, !self.side), visit);
    }

    #[inline]
    fn each_legal_where(&self, wanted: impl Fn(Square) -> bool, mut visit: impl FnMut(Move)) {
        let side = self.side;
        let general = self.generals[side];
        let in_check = self.in_check(side);
        // Unless the general is in check, only moves that touch its lines or a horse's leg beside it
        // can expose it; all others need no test.
        let lines = sensitive(general);
        let mut scratch = self.board.clone();
        for from in self.board.squares(side) {
            let is_general = from == general;
            let suspect = in_check || is_general || lines >> from.index() & 1 != 0;
            self.board.each_reach(from, &mut |to| {
                if !wanted(to) {
                    return;
                }
                let mv = Move { from, to };
                if suspect || lines >> to.index() & 1 != 0 {
                    let captured = scratch.shift(mv);
                    let exposed = scratch.general_attacked(if is_general { to } else { general }, side);
                    scratch.unshift(mv, captured);
                    if exposed {
                        return;
                    }
                }
                visit(mv);
            });
        }
    }

    /// All legal moves, ordered by origin and then as the piece's geometry lists them.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        self.each_legal(|mv| moves.push(mv));
        moves
    }

    /// Number of legal moves.
    #[inline]
    pub fn count_legal(&self) -> u64 {
        let mut count = 0;
        self.each_legal(|_| count += 1);
        count
    }

    /// Whether the side to move has a legal move. Without one it has lost, in check or not.
    pub fn has_legal_move(&self) -> bool {
        let side = self.side;
        let mut found = false;
        let lines = sensitive(self.generals[side]);
        let in_check = self.in_check(side);
        for from in self.board.squares(side) {
            self.board.each_reach(from, &mut |to| {
                if found {
                    return;
                }
                let mv = Move { from, to };
                let quiet_piece = !in_check
                    && from != self.generals[side]
                    && (lines >> from.index() | lines >> to.index()) & 1 == 0;
                found = quiet_piece
                    || self.get(from).is_some_and(|piece| !self.leaves_general_attacked(piece, mv));
            });
            if found {
                return true;
            }
        }
        false
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

fn the_general(board: &Board, side: Side) -> Result<Square, Unplayable> {
    let general = Piece::new(side, Kind::General);
    let mut places = board.pieces().filter(|(_, piece)| *piece == general).map(|(square, _)| square);
    let first = places.next().ok_or(Unplayable::NoGeneral(side))?;
    let more = places.count();
    if more > 0 {
        return Err(Unplayable::ManyGenerals(side, more + 1));
    }
    if first.in_palace(side) { Ok(first) } else { Err(Unplayable::OutsidePalace(side, first)) }
}

/// File and rank of a general and the four points diagonally beside it (legs of horses that attack it).
const fn sensitive_points(general: Square) -> u128 {
    let mut points = 0u128;
    let mut index = 0;
    while index < 90 {
        let square = Square::known(index);
        let files = square.file().abs_diff(general.file());
        let ranks = square.rank().abs_diff(general.rank());
        if files == 0 || ranks == 0 || (files == 1 && ranks == 1) {
            points |= 1 << index;
        }
        index += 1;
    }
    points
}

const fn sensitive_table() -> [u128; 90] {
    let mut table = [0; 90];
    let mut index = 0;
    while index < 90 {
        table[index] = sensitive_points(Square::known(index as u8));
        index += 1;
    }
    table
}

static SENSITIVE: [u128; 90] = sensitive_table();

#[inline]
fn sensitive(general: Square) -> u128 {
    SENSITIVE[general.index()]
}
