//! Moves as text in every common notation (`formats.md` 3 to 6): written in one form each, read
//! leniently and always against the legal moves, so that a text names exactly one of them or is
//! refused with the candidates. Never repairs a move. Start at [`write_move`] and [`read_move`].

use std::fmt;

use super::chinese::{self, Script};
use super::filewise::FileMove;
use super::piece::Piece;
use super::position::Position;
use super::san::{self, SanMove};
use super::square::{Move, Square, SquareStyle};
use super::wxf;

/// A way to write moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notation {
    /// `h2e2`, ranks 0 to 9.
    Uci0,
    /// `h3e3`, `h10g8`, ranks 1 to 10.
    Uci1,
    /// `H2-E2`.
    Iccs,
    /// `C2.5`, tandem soldiers as the federation's text has them.
    Wxf,
    /// 炮二平五, Black's digits full-width.
    ChineseSimplified,
    /// The same in traditional characters.
    ChineseTraditional,
    /// `Che2`, ranks 0 to 9 (XBoard).
    San0,
    /// `Che3`, ranks 1 to 10 (pychess, Fairy-Stockfish).
    San1,
}

impl Notation {
    /// All notations.
    pub const ALL: [Notation; 8] = [
        Notation::Uci0,
        Notation::Uci1,
        Notation::Iccs,
        Notation::Wxf,
        Notation::ChineseSimplified,
        Notation::ChineseTraditional,
        Notation::San0,
        Notation::San1,
    ];

    /// Its name in settings and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Uci0 => "uci0",
            Notation::Uci1 => "uci1",
            Notation::Iccs => "iccs",
            Notation::Wxf => "wxf",
            Notation::ChineseSimplified => "chinese",
            Notation::ChineseTraditional => "chinese-traditional",
            Notation::San0 => "san0",
            Notation::San1 => "san1",
        }
    }

    /// The notation of a [`Notation::name`], in either case; also `uci`, `san`, `axf` and
    /// `chinese-simplified`.
    pub fn from_name(name: &str) -> Option<Notation> {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "uci" => Some(Notation::Uci0),
            "san" => Some(Notation::San0),
            "axf" => Some(Notation::Wxf),
            "chinese-simplified" => Some(Notation::ChineseSimplified),
            _ => Notation::ALL.into_iter().find(|notation| notation.name() == name),
        }
    }
}

/// Writes a move of the side to move. Where the file notations cannot name the piece (more like pieces
/// on a file than a set holds, or a move that is not legal), plain coordinates are written instead.
pub fn write_move(position: &Position, mv: Move, notation: Notation) -> String {
    let mut text = String::with_capacity(16);
    append_move(position, mv, notation, &mut text);
    text
}

/// As [`write_move`], to the end of a text.
pub fn append_move(position: &Position, mv: Move, notation: Notation, out: &mut String) {
    match notation {
        Notation::Uci0 => append_coordinates(mv, SquareStyle::Zero, out),
        Notation::Uci1 => append_coordinates(mv, SquareStyle::One, out),
        Notation::Iccs => append_iccs(mv, out),
        Notation::Wxf => {
            let ways: [Writer; 2] = [wxf::append, wxf::append_lettered];
            append_checked(position, mv, &ways, parse_wxf, out);
        }
        Notation::ChineseSimplified => {
            let ways: [Writer; 1] =
                [|position, piece, mv, out| chinese::append(position, piece, mv, Script::Simplified, out)];
            append_checked(position, mv, &ways, parse_chinese, out);
        }
        Notation::ChineseTraditional => {
            let ways: [Writer; 1] =
                [|position, piece, mv, out| chinese::append(position, piece, mv, Script::Traditional, out)];
            append_checked(position, mv, &ways, parse_chinese, out);
        }
        Notation::San0 => append_san(position, mv, SquareStyle::Zero, out),
        Notation::San1 => append_san(position, mv, SquareStyle::One, out),
    }
}

type Writer = fn(&Position, Piece, Move, &mut String);

/// Appends the first writing that names the move and no other legal one.
fn append_checked(
    position: &Position,
    mv: Move,
    ways: &[Writer],
    parse: fn(&[char]) -> Option<FileMove>,
    out: &mut String,
) {
    let start = out.len();
    let piece = position.get(mv.from).filter(|piece| piece.side() == position.side());
    for write in piece.iter().flat_map(|_| ways) {
        if let Some(piece) = piece {
            write(position, piece, mv, out);
        }
        let folded: Vec<char> = out[start..].chars().map(fold_wide).collect();
        let mut found = Found::default();
        if let Some(named) = parse(&folded) {
            named.each(position, &mut |mv| found.offer(position, mv));
        }
        if found.legal == [mv] {
            return;
        }
        out.truncate(start);
    }
    append_coordinates(mv, SquareStyle::Zero, out);
}

fn append_coordinates(mv: Move, style: SquareStyle, out: &mut String) {
    for square in [mv.from, mv.to] {
        out.push(char::from(b'a' + square.file()));
        match (style, square.rank()) {
            (SquareStyle::Zero, rank) => out.push(char::from(b'0' + rank)),
            (SquareStyle::One, 9) => out.push_str("10"),
            (SquareStyle::One, rank) => out.push(char::from(b'1' + rank)),
        }
    }
}

fn append_iccs(mv: Move, out: &mut String) {
    out.push(char::from(b'A' + mv.from.file()));
    out.push(char::from(b'0' + mv.from.rank()));
    out.push('-');
    out.push(char::from(b'A' + mv.to.file()));
    out.push(char::from(b'0' + mv.to.rank()));
}

fn append_san(position: &Position, mv: Move, style: SquareStyle, out: &mut String) {
    match position.get(mv.from) {
        Some(piece) if position.is_legal(mv) => san::append(position, piece, mv, style, out),
        _ => append_coordinates(mv, style, out),
    }
}

/// Longest token that is looked at, in characters: no notation needs more than 9.
const MAX_TOKEN: usize = 16;

/// Why a text names no legal move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotationError {
    /// It has the shape of no notation.
    Unreadable,
    /// It names a rank 10: ranks are counted from 1, which is a setting and not guessed from one move.
    RanksFromOne,
    /// It can be read, but no legal move is meant.
    Illegal(Fault),
    /// It fits several legal moves.
    Ambiguous(Vec<Move>),
}

/// What is wrong with a move that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The side to move has no such piece there, or it can never go that way.
    NoSuchPiece,
    /// Nothing stands on the point of origin.
    EmptyPoint(Square),
    /// The other side's piece stands on the point of origin.
    OtherSide(Square),
    /// The piece does not go there.
    CannotReach(Move),
    /// The move would leave the mover's own general attacked, or facing the other general.
    GeneralAttacked(Move),
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotationError::Unreadable => f.write_str("this is no move in any notation that is read here"),
            NotationError::RanksFromOne => {
                f.write_str("a rank 10 shows that ranks are counted from 1 here; name that style to read it")
            }
            NotationError::Illegal(fault) => write!(f, "illegal: {fault}"),
            NotationError::Ambiguous(moves) => {
                f.write_str("ambiguous: it may mean")?;
                for (index, mv) in moves.iter().enumerate() {
                    write!(f, "{} {mv}", if index == 0 { "" } else { " or" })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoSuchPiece => f.write_str("the side to move has no such piece that can go this way"),
            Fault::EmptyPoint(square) => write!(f, "no piece stands on {square}"),
            Fault::OtherSide(square) => write!(f, "the piece on {square} is the other side's"),
            Fault::CannotReach(mv) => write!(f, "the piece on {} does not go to {}", mv.from, mv.to),
            Fault::GeneralAttacked(mv) => {
                write!(f, "{mv} leaves the mover's general attacked or facing the other general")
            }
        }
    }
}

impl std::error::Error for NotationError {}

/// Reads a move of the side to move. With a hint the token is read in that notation if it has its
/// shape; otherwise, and without a hint, in every notation whose shape it has, coordinates and
/// SAN-like moves with ranks 0 to 9.
///
/// # Errors
/// Why the text does not name exactly one legal move, with the candidates.
pub fn read_move(position: &Position, text: &str, hint: Option<Notation>) -> Result<Move, NotationError> {
    // The common case of large files first: coordinates need no folding.
    let bytes = text.as_bytes();
    let style = if hint == Some(Notation::Uci1) { SquareStyle::One } else { SquareStyle::Zero };
    let coordinates = match hint {
        Some(Notation::San0 | Notation::San1) => false,
        Some(_) => true,
        None => !looks_like_san(text.chars()),
    };
    if coordinates && let Some(mv) = style.read(bytes) {
        if position.is_legal(mv) {
            return Ok(mv);
        }
        if hint.is_some() {
            return Err(NotationError::Illegal(fault(position, mv)));
        }
    }
    let mut characters = ['\0'; MAX_TOKEN];
    let mut count = 0;
    for character in text.chars() {
        *characters.get_mut(count).ok_or(NotationError::Unreadable)? = fold_wide(character);
        count += 1;
    }
    let token = &characters[..count];
    let mut found = Found::default();
    if let Some(notation) = hint {
        found.read(position, token, notation);
    }
    if !found.shaped {
        let first = if looks_like_san(token.iter().copied()) { Notation::San0 } else { Notation::Uci0 };
        let others = [first, Notation::Wxf, Notation::ChineseSimplified, Notation::San0];
        others.into_iter().for_each(|notation| found.read(position, token, notation));
    }
    found.verdict(token)
}

/// The notation whose shape a token has, whatever it may mean: coordinates before file notations before
/// SAN-like moves, ranks from 0 unless only ranks from 1 can be meant. `None` if it has no shape.
pub fn notation_of(text: &str) -> Option<Notation> {
    let mut characters = ['\0'; MAX_TOKEN];
    let mut count = 0;
    for character in text.chars() {
        *characters.get_mut(count)? = fold_wide(character);
        count += 1;
    }
    let token = &characters[..count];
    if parse_chinese(token).is_some() {
        return Some(Notation::ChineseSimplified);
    }
    let bytes = ascii(token)?;
    let bytes = &bytes[..count];
    let coordinates = !looks_like_san(token.iter().copied());
    if coordinates && SquareStyle::Zero.read(bytes).is_some() {
        let iccs = bytes.contains(&b'-') || bytes[0].is_ascii_uppercase();
        return Some(if iccs { Notation::Iccs } else { Notation::Uci0 });
    }
    if coordinates && SquareStyle::One.read(bytes).is_some() {
        return Some(Notation::Uci1);
    }
    if parse_wxf(token).is_some() {
        return Some(Notation::Wxf);
    }
    [(SquareStyle::Zero, Notation::San0), (SquareStyle::One, Notation::San1)]
        .into_iter()
        .find_map(|(style, notation)| san::parse(bytes, style).map(|_| notation))
}

/// What a token may mean.
#[derive(Default)]
struct Found {
    /// Whether some notation could read it.
    shaped: bool,
    legal: Vec<Move>,
    fault: Option<Fault>,
}

impl Found {
    fn offer(&mut self, position: &Position, mv: Move) {
        if self.legal.contains(&mv) {
            return;
        }
        if position.is_legal(mv) {
            self.legal.push(mv);
        } else if !matches!(self.fault, Some(Fault::GeneralAttacked(_))) {
            let fault = fault(position, mv);
            if self.fault.is_none() || matches!(fault, Fault::GeneralAttacked(_)) {
                self.fault = Some(fault);
            }
        }
    }

    fn read(&mut self, position: &Position, token: &[char], notation: Notation) {
        match notation {
            Notation::Uci0 | Notation::Iccs => self.coordinates(position, token, SquareStyle::Zero),
            Notation::Uci1 => self.coordinates(position, token, SquareStyle::One),
            Notation::Wxf => self.file_move(position, parse_wxf(token)),
            Notation::ChineseSimplified | Notation::ChineseTraditional => {
                self.file_move(position, parse_chinese(token));
            }
            Notation::San0 => self.san(position, parse_san(token, SquareStyle::Zero)),
            Notation::San1 => self.san(position, parse_san(token, SquareStyle::One)),
        }
    }

    fn coordinates(&mut self, position: &Position, token: &[char], style: SquareStyle) {
        if let Some(mv) = ascii(token).and_then(|text| style.read(&text[..token.len()])) {
            self.shaped = true;
            self.offer(position, mv);
        }
    }

    fn file_move(&mut self, position: &Position, named: Option<FileMove>) {
        if let Some(named) = named {
            self.shaped = true;
            named.each(position, &mut |mv| self.offer(position, mv));
        }
    }

    fn san(&mut self, position: &Position, named: Option<SanMove>) {
        if let Some(named) = named {
            self.shaped = true;
            named.each(position, &mut |mv| self.offer(position, mv));
        }
    }

    fn verdict(self, token: &[char]) -> Result<Move, NotationError> {
        match self.legal.as_slice() {
            [mv] => Ok(*mv),
            [] if self.shaped => Err(NotationError::Illegal(self.fault.unwrap_or(Fault::NoSuchPiece))),
            [] => Err(if names_rank_ten(token) {
                NotationError::RanksFromOne
            } else {
                NotationError::Unreadable
            }),
            [_, _, ..] => Err(NotationError::Ambiguous(self.legal)),
        }
    }
}

fn fault(position: &Position, mv: Move) -> Fault {
    match position.get(mv.from) {
        None => Fault::EmptyPoint(mv.from),
        Some(piece) if piece.side() != position.side() => Fault::OtherSide(mv.from),
        Some(_) if position.board().reaches(mv) => Fault::GeneralAttacked(mv),
        Some(_) => Fault::CannotReach(mv),
    }
}

/// Whether a token mixes an upper-case first letter with lower-case ones: `E0e2` is an elephant from
/// rank 0, no move from e0.
fn looks_like_san(mut text: impl Iterator<Item = char>) -> bool {
    text.next().is_some_and(|first| first.is_ascii_uppercase()) && text.any(|c| c.is_ascii_lowercase())
}

fn ascii(token: &[char]) -> Option<[u8; MAX_TOKEN]> {
    let mut bytes = [0; MAX_TOKEN];
    for (byte, character) in bytes.iter_mut().zip(token) {
        *byte = u8::try_from(*character).ok().filter(u8::is_ascii)?;
    }
    Some(bytes)
}

fn parse_wxf(token: &[char]) -> Option<FileMove> {
    wxf::parse(&ascii(token)?[..token.len().min(MAX_TOKEN)])
}

fn parse_chinese(token: &[char]) -> Option<FileMove> {
    chinese::parse(token)
}

fn parse_san(token: &[char], style: SquareStyle) -> Option<SanMove> {
    san::parse(&ascii(token)?[..token.len().min(MAX_TOKEN)], style)
}

fn names_rank_ten(token: &[char]) -> bool {
    ascii(token).is_some_and(|text| {
        let text = &text[..token.len().min(MAX_TOKEN)];
        SquareStyle::One.read(text).is_some() || san::parse(text, SquareStyle::One).is_some()
    })
}

/// The half-width form of a full-width character (`Ｃ２＝５`) and of the dashes that stand for a minus.
pub const fn fold_wide(character: char) -> char {
    match character {
        '\u{FF01}'..='\u{FF5E}' => (character as u32 - 0xFEE0) as u8 as char,
        '\u{3000}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &str = "3k5/9/4P4/4P4/4P4/9/9/9/9/5K3 w";
    const TWO_FILES: &str = "3k5/9/9/2P1P4/2P1P4/9/9/9/9/5K3 w";
    const FOUR: &str = "5k3/2P6/2P6/2P6/2P6/9/9/9/9/4K4 w";
    const FIVE: &str = "2P2k3/2P6/2P6/2P6/2P6/9/9/9/9/4K4 w";
    const THREE_AND_TWO: &str = "3k5/9/2P3P2/2P3P2/2P6/9/9/9/9/5K3 w";
    const START: &str = crate::xiangqi::START_FEN;
    const BLACK: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";

    /// One legal move in each notation, in the order of [`Notation::ALL`]; each must read back.
    fn written(fen: &str, texts: [&str; 8]) {
        let position = Position::from_fen(fen).unwrap();
        let mv = SquareStyle::Zero.read(texts[0].as_bytes()).unwrap();
        for (notation, text) in Notation::ALL.into_iter().zip(texts) {
            assert_eq!(write_move(&position, mv, notation), text, "{fen} {mv} {}", notation.name());
            assert_eq!(read_move(&position, text, Some(notation)), Ok(mv), "{fen} {text}");
        }
    }

    #[test]
    fn every_notation_writes_the_usual_moves() {
        written(START, ["h2e2", "h3e3", "H2-E2", "C2.5", "炮二平五", "炮二平五", "Che2", "Che3"]);
        written(START, ["b0c2", "b1c3", "B0-C2", "H8+7", "马八进七", "馬八進七", "Hc2", "Hc3"]);
        written(START, ["i0i1", "i1i2", "I0-I1", "R1+1", "车一进一", "車一進一", "Ri1", "Ri2"]);
        written(BLACK, ["h9g7", "h10g8", "H9-G7", "H8+7", "马８进７", "馬８進７", "Hg7", "Hg8"]);
        written(BLACK, ["c6c5", "c7c6", "C6-C5", "P3+1", "卒３进１", "卒３進１", "c5", "Pc6"]);
        written(BLACK, ["b7b0", "b8b1", "B7-B0", "C2+7", "炮２进７", "炮２進７", "Cxb0", "Cxb1"]);
        let rear = "3ak4/9/9/9/9/9/R8/9/R8/3K5 w";
        written(rear, ["a1a2", "a2a3", "A1-A2", "R-+1", "后车进一", "後車進一", "R1a2", "R2a3"]);
        written(rear, ["a3a9", "a4a10", "A3-A9", "R++6", "前车进六", "前車進六", "Ra9", "Ra10"]);
    }

    fn reads(fen: &str, text: &str, expected: &str) {
        let position = Position::from_fen(fen).unwrap();
        let outcome = match read_move(&position, text, None) {
            Ok(mv) => mv.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(outcome, expected, "{fen} {text}");
    }

    /// The table of `formats.md` 4: federation, XQBase, Fairy-Stockfish, Chinese.
    #[test]
    fn every_school_of_tandem_soldiers_is_read() {
        for (fen, mv, texts) in [
            (THREE, "e7e8", vec!["P++1", "+P+1", "15+1", "前兵进一", "前五進1", "一兵进一"]),
            (THREE, "e6d6", vec!["P5.6", "P..6", "P5=6", "25=6", "中兵平六", "中五平六", "二兵平六"]),
            (THREE, "e5f5", vec!["P-.4", "-P=4", "35=4", "后兵平四", "後兵平4", "三兵平四"]),
            (TWO_FILES, "e6e7", vec!["5++1", "Pa+1", "15+1", "一兵进一", "前五进一"]),
            (TWO_FILES, "e5d5", vec!["5-.6", "Pb.6", "25=6", "二兵平六", "后五平六"]),
            (TWO_FILES, "c6c7", vec!["7++1", "Pc+1", "17+1", "三兵进一", "前七进一"]),
            (TWO_FILES, "c5b5", vec!["7-.8", "pd.8", "27=8", "四兵平八"]),
            (FOUR, "c8d8", vec!["++.6", "Pa.6", "17=6", "一兵平六", "前兵平六"]),
            (FOUR, "c7d7", vec!["P+.6", "Pb.6", "27=6", "二兵平六"]),
            (FOUR, "c6d6", vec!["P-.6", "Pc.6", "37=6", "三兵平六"]),
            (FOUR, "c5d5", vec!["--.6", "Pd.6", "47=6", "四兵平六", "后兵平六"]),
            (FIVE, "c7d7", vec!["P7.6", "Pc.6", "37=6", "三兵平六", "中兵平六"]),
            (FIVE, "c5d5", vec!["--.6", "Pe.6", "57=6", "五兵平六"]),
            (THREE_AND_TWO, "c6d6", vec!["77.6", "Pd.6", "27=6", "四兵平六"]),
        ] {
            texts.into_iter().for_each(|text| reads(fen, text, mv));
        }
    }

    #[test]
    fn lenient_forms() {
        for text in ["h2e2", "H2-E2", "H2E2", "h2-e2", "C2.5", "C2=5", "c2=5", "C25", "Ｃ２＝５", "ｃ２．５"]
        {
            reads(START, text, "h2e2");
        }
        for text in ["炮二平五", "砲２平５", "包2平5", "Che2", "Ch2e2", "Ch2-e2", "Che2+", "Che2!?"]
        {
            reads(START, text, "h2e2");
        }
        for text in ["N8+7", "H87", "傌八进七", "馬8進7", "Nc2", "Hbc2"] {
            reads(START, text, "b0c2");
        }
        for text in ["马８进７", "馬八進七", "马8进7", "h8+7", "n8+7", "Ｈ８＋７", "Hhg7"] {
            reads(BLACK, text, "h9g7");
        }
        reads(START, "c4", "c3c4");
        reads(START, "Pc4", "c3c4");
        reads("3ak4/9/9/9/9/9/R8/9/R8/3K5 w", "+R.6", "a3d3");
        reads("3k5/9/9/9/9/9/9/3A5/9/3AK4 w", "A6+5", "d0e1");
        reads("3k5/9/9/9/9/9/9/3A5/9/3AK4 w", "仕六退五", "d2e1");
    }

    #[test]
    fn refusals_name_the_reason_and_the_candidates() {
        let nowhere = "illegal: the side to move has no such piece that can go this way";
        reads(TWO_FILES, "P++1", "ambiguous: it may mean c6c7 or e6e7");
        reads(TWO_FILES, "前兵进一", "ambiguous: it may mean c6c7 or e6e7");
        reads(TWO_FILES, "P5.6", "ambiguous: it may mean e6d6 or e5d5");
        reads("3k5/9/2P3P2/2P3P2/2P6/9/9/9/9/5K3 w", "33+1", nowhere);
        reads("3k5/9/2P3P2/2P3P2/6P2/9/9/9/9/5K3 w", "33=4", "ambiguous: it may mean g5f5 or g6f6");
        reads(START, "三兵平四", nowhere);
        reads(START, "h3e3", "illegal: no piece stands on h3");
        reads(START, "h7e7", "illegal: the piece on h7 is the other side's");
        reads(START, "h2e3", "illegal: the piece on h2 does not go to e3");
        reads(
            "3kr4/9/9/9/9/9/9/9/4R4/4K4 w",
            "R5.6",
            "illegal: e1d1 leaves the mover's general attacked or facing the other general",
        );
        reads(
            START,
            "h10g8",
            "a rank 10 shows that ranks are counted from 1 here; name that style to read it",
        );
        for text in ["", "x", "1-0", "0000", "O-O", "炮二", "炮二平五五", "hello world, hello world"] {
            reads(START, text, "this is no move in any notation that is read here");
        }
    }

    #[test]
    fn a_hint_outranks_other_readings() {
        let position = Position::start();
        let read = |text, hint| read_move(&position, text, Some(hint)).ok().map(|mv| mv.to_string());
        assert_eq!(read("h3e3", Notation::Uci1).as_deref(), Some("h2e2"));
        assert_eq!(read("Che3", Notation::San1).as_deref(), Some("h2e2"));
        assert_eq!(read("Che3", Notation::San0), None);
        assert_eq!(read("炮二平五", Notation::Iccs).as_deref(), Some("h2e2"));
    }

    #[test]
    fn names_read_back() {
        for notation in Notation::ALL {
            assert_eq!(Notation::from_name(&notation.name().to_uppercase()), Some(notation));
        }
        assert_eq!(Notation::from_name("lalg"), None);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, failure_persistence: None, max_shrink_iters: 20, ..Default::default() })]

        /// Along a random game every legal move reads back in every notation, with its hint and, where
        /// ranks are counted from 0, without one.
        #[test]
        fn what_is_written_reads_back(choices in proptest::collection::vec(0usize..1000, 1..120)) {
            let mut position = Position::start();
            for choice in choices {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                for mv in &legal {
                    for notation in Notation::ALL {
                        let text = write_move(&position, *mv, notation);
                        assert_eq!(read_move(&position, &text, Some(notation)), Ok(*mv), "{position:?} {text}");
                        if !matches!(notation, Notation::Uci1 | Notation::San1) {
                            assert_eq!(read_move(&position, &text, None), Ok(*mv), "{position:?} {text}");
                        }
                    }
                }
                position.make(legal[choice % legal.len()]);
            }
        }

        /// Soldiers in any crowd: what is written names one legal move.
        #[test]
        fn crowds_of_soldiers_read_back(files in proptest::collection::vec((0i8..4, 5i8..9), 1..6)) {
            let mut setup = crate::xiangqi::Setup::parse("3k5/9/9/9/9/9/9/9/9/5K3 w").unwrap();
            let soldier = Piece::new(crate::xiangqi::Side::Red, crate::xiangqi::Kind::Soldier);
            for (file, rank) in files {
                setup.board.put(Square::at(file * 2, rank).unwrap(), soldier);
            }
            if let Ok(position) = setup.playable() {
                for mv in position.legal_moves() {
                    for notation in Notation::ALL {
                        let text = write_move(&position, mv, notation);
                        assert_eq!(read_move(&position, &text, Some(notation)), Ok(mv), "{position:?} {text}");
                    }
                }
            }
        }

        #[test]
        fn reading_never_panics(text in ".{0,20}", token in "[KAEHRCPa-i0-9+.=#x一二兵卒前后中进平退-]{0,12}") {
            let position = Position::start();
            for text in [text.as_str(), token.as_str()] {
                let _ = read_move(&position, text, None);
                for notation in Notation::ALL {
                    let _ = read_move(&position, text, Some(notation));
                }
            }
        }
    }
}
