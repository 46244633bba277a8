//! What an engine is told of one game, grown move by move in the engine's own coordinates and letters.
//! Never judges a move. Start at [`Sheet::new`].

use std::io::Write as _;

use super::manifest::{Far, FenFields, FenLetters, Manifest, Protocol};
use crate::xiangqi::{Move, Piece, Position, Square, SquareStyle};

/// One game as one engine is told of it. A sheet belongs to one seat at one table; when the seat's engine
/// is started again, [`super::Session::new_game`] with the same sheet tells the new process everything.
///
/// | protocol | told |
/// |---|---|
/// | UCI | `startpos` or the first FEN, and all moves |
/// | UCCI | the FEN after the last capture, and the quiet moves since; always a FEN |
/// | CECP | the moves one by one |
#[derive(Debug, Clone)]
pub struct Sheet {
    protocol: Protocol,
    style: SquareStyle,
    letters: FenLetters,
    fields: FenFields,
    /// `position ..` without its newline (UCI, UCCI).
    text: Vec<u8>,
    /// The position that `moves` start from.
    base: Position,
    /// The moves since `base`.
    moves: Vec<Move>,
    /// Which game of a CECP engine this is; 0 if its board holds another one.
    pub(super) ticket: u32,
    /// How many of `moves` the CECP engine's board holds.
    pub(super) told: usize,
    /// Whether it is given moves only, as far as that goes: a player who does not see the board (II.2), and a
    /// person, who is shown the whole game.
    moves_only: bool,
}

/// Most plies without a capture that a FEN says: Pikafish ends itself above 119.
const MOST_QUIET: u16 = 119;

/// After so many quiet moves a UCCI engine is given a new FEN: ElephantEye reads 1024 moves at most. What
/// it then no longer sees are repetitions of positions 500 full moves old.
const MOST_UCCI_MOVES: usize = 1000;

impl Sheet {
    /// A game that has not begun.
    pub fn new(manifest: &Manifest, start: &Position) -> Sheet {
        let mut sheet = Sheet {
            protocol: manifest.protocol,
            style: manifest.squares,
            letters: manifest.letters,
            fields: manifest.fen_fields,
            text: Vec::with_capacity(1024),
            base: start.clone(),
            moves: Vec::with_capacity(256),
            ticket: 0,
            told: 0,
            moves_only: manifest.far() == Some(Far::Person),
        };
        sheet.reset(start);
        sheet
    }

    /// A sheet for a player who is given moves only: from the start position in UCCI too, not from the FEN after
    /// the last capture. After a pass, for which engines have no word, and after very many moves a FEN has to be
    /// told all the same. To be asked for before anything is played.
    #[must_use]
    pub fn moves_only(mut self) -> Sheet {
        self.moves_only = true;
        let start = self.base.clone();
        self.reset(&start);
        self
    }

    /// A move was played; `after` is the position that it led to.
    pub fn played(&mut self, mv: Move, captured: bool, after: &Position) {
        let anew = captured && !self.moves_only || self.moves.len() >= MOST_UCCI_MOVES;
        if self.protocol == Protocol::Ucci && anew {
            self.reset(after);
        } else {
            put_move(self.style, self.moves.is_empty(), mv, &mut self.text);
            self.moves.push(mv);
        }
    }

    /// A side passed (an event that allows it): engines know no pass, so they are given the position anew.
    pub fn passed(&mut self, after: &Position) {
        self.reset(after);
    }

    /// Begins again at a position, for corrections: what was told before is void. Moves that stand after
    /// it are given again by [`Sheet::played`].
    pub fn reset(&mut self, start: &Position) {
        self.base.clone_from(start);
        self.moves.clear();
        self.ticket = 0;
        self.told = 0;
        self.text.clear();
        let has_word = self.protocol == Protocol::Uci || self.moves_only;
        if has_word && self.is_usual_start() {
            self.text.extend_from_slice(b"position startpos");
        } else {
            self.text.extend_from_slice(b"position fen ");
            let mut text = std::mem::take(&mut self.text);
            self.put_fen(&mut text);
            self.text = text;
        }
    }

    /// Appends `position ..` and its newline.
    pub(super) fn put_position(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.text);
        out.push(b'\n');
    }

    /// Appends `position ..` as it will be after one more move.
    pub(super) fn put_position_after(&self, mv: Move, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.text);
        put_move(self.style, self.moves.is_empty(), mv, out);
        out.push(b'\n');
    }

    /// The position that [`Sheet::moves`] start from.
    pub(super) fn base(&self) -> &Position {
        &self.base
    }

    /// The moves since the base.
    pub(super) fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Whether the base is the usual start position.
    pub(super) fn is_usual_start(&self) -> bool {
        self.base.number() == 1 && self.base == Position::start()
    }

    /// The engine's letter for a piece.
    pub(super) fn letter(&self, piece: Piece) -> u8 {
        // Piece letters are ASCII.
        let usual = piece.letter() as u8;
        match (self.letters, usual) {
            (FenLetters::Eh, b'B') => b'E',
            (FenLetters::Eh, b'N') => b'H',
            (FenLetters::Eh, b'b') => b'e',
            (FenLetters::Eh, b'n') => b'h',
            (FenLetters::Bn | FenLetters::Eh, _) => usual,
        }
    }

    /// Appends the base as a FEN in the engine's letters and fields. The side to move is always `w` or `b`.
    pub(super) fn put_fen(&self, out: &mut Vec<u8>) {
        for rank in (0..10).rev() {
            self.put_rank(rank, out);
            if rank > 0 {
                out.push(b'/');
            }
        }
        let counters = match self.fields {
            FenFields::Six => " - - ",
            FenFields::Four => " ",
            FenFields::Two => "",
        };
        // Writing into a Vec cannot fail.
        let _ = write!(out, " {}{counters}", self.base.side().letter());
        if self.fields != FenFields::Two {
            let _ = write!(out, "{} {}", self.base.quiet().min(MOST_QUIET), self.base.number());
        }
    }

    fn put_rank(&self, rank: i8, out: &mut Vec<u8>) {
        let mut empty = 0;
        for file in 0..9 {
            match Square::at(file, rank).and_then(|square| self.base.get(square)) {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        out.push(b'0' + empty);
                        empty = 0;
                    }
                    out.push(self.letter(piece));
                }
            }
        }
        if empty > 0 {
            out.push(b'0' + empty);
        }
    }
}

fn put_move(style: SquareStyle, first: bool, mv: Move, out: &mut Vec<u8>) {
    out.extend_from_slice(if first { b" moves " } else { b" " });
    style.write(mv, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::START_FEN;

    /// Plays zero-style moves and compares what the engine is told.
    fn check(manifest: &Manifest, fen: &str, moves: &str, expected: &str) {
        let mut position = Position::from_fen(fen).unwrap();
        let mut sheet = Sheet::new(manifest, &position);
        for word in moves.split_whitespace() {
            if word == "pass" {
                position.pass();
                sheet.passed(&position);
                continue;
            }
            let mv = SquareStyle::Zero.read(word.as_bytes()).unwrap();
            assert!(position.is_legal(mv), "{word}");
            let captured = position.make(mv).captured().is_some();
            sheet.played(mv, captured, &position);
        }
        let mut out = Vec::new();
        sheet.put_position(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{expected}\n"));
    }

    #[test]
    fn what_each_protocol_is_told() {
        let uci = Manifest::new("x", Protocol::Uci);
        let ucci = Manifest::new("x", Protocol::Ucci);
        let mut fairy = uci.clone();
        fairy.squares = SquareStyle::One;
        let mut sjaak = ucci.clone();
        sjaak.squares = SquareStyle::One;
        sjaak.letters = FenLetters::Eh;
        sjaak.fen_fields = FenFields::Four;
        check(&uci, START_FEN, "", "position startpos");
        check(&uci, START_FEN, "h2e2 h9g7 e2e6", "position startpos moves h2e2 h9g7 e2e6");
        check(&fairy, START_FEN, "h2e2 h9g7", "position startpos moves h3e3 h10g8");
        check(
            &uci,
            START_FEN,
            "h2e2 pass",
            "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 0 2",
        );
        check(&ucci, START_FEN, "", &format!("position fen {START_FEN}"));
        check(
            &ucci,
            START_FEN,
            "h2e2 h9g7 e2e6 i9h9",
            "position fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2 moves i9h9",
        );
        check(
            &sjaak,
            START_FEN,
            "b2b9 a9b9",
            "position fen 1reakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/7C1/9/RHEAKAEHR w 0 2",
        );
        check(
            &ucci,
            "3k5/9/9/9/9/9/9/9/R8/4K4 b - - 300 200",
            "",
            "position fen 3k5/9/9/9/9/9/9/9/R8/4K4 b - - 119 200",
        );
    }

    #[test]
    fn a_player_who_sees_no_board_is_given_moves_only() {
        for protocol in [Protocol::Uci, Protocol::Ucci] {
            let manifest = Manifest::new("x", protocol);
            let mut position = Position::start();
            let mut sheet = Sheet::new(&manifest, &position).moves_only();
            for word in ["h2e2", "h9g7", "e2e6", "d9e8"] {
                let mv = SquareStyle::Zero.read(word.as_bytes()).unwrap();
                let captured = position.make(mv).captured().is_some();
                sheet.played(mv, captured, &position);
            }
            let mut out = Vec::new();
            sheet.put_position(&mut out);
            assert_eq!(out, b"position startpos moves h2e2 h9g7 e2e6 d9e8\n", "{protocol:?}");
            position.pass();
            sheet.passed(&position);
            let mut out = Vec::new();
            sheet.put_position(&mut out);
            assert!(out.starts_with(b"position fen "), "engines know no pass");
        }
    }

    #[test]
    fn a_long_quiet_game_gets_a_new_fen() {
        let manifest = Manifest::new("x", Protocol::Ucci);
        let mut position = Position::start();
        let mut sheet = Sheet::new(&manifest, &position);
        for ply in 0..3000 {
            let word = ["a0a1", "a9a8", "a1a0", "a8a9"][ply % 4];
            let mv = SquareStyle::Zero.read(word.as_bytes()).unwrap();
            position.make(mv);
            sheet.played(mv, false, &position);
            assert!(sheet.text.len() < 6000);
        }
    }
}
