//! The moves of PGN and WXF files: numbers, moves in any notation, comments, variations, results
//! (`formats.md` 7 and 15). Every move is read against the legal moves of its position. Knows no tags
//! and no bytes. Start at [`read_moves`].

use crate::xiangqi::{
    Move, Notation, NotationError, Position, Undo, begins_chinese_move, fold_wide, notation_of, read_move,
};

use super::record::{GameResult, Odd, Reason, RecordedMove, shown};

/// Most moves of one game with its variations: a hundred times the longest game ever played.
pub const MAX_MOVES: usize = 100_000;

/// Deepest nesting of variations.
pub const MAX_DEPTH: usize = 100;

/// Longest token, in characters; what is longer is cut, no move has a tenth of it.
const MAX_TOKEN: usize = 64;

/// Most remarks kept about one game; a file of nonsense makes one a token.
const MAX_REMARKS: usize = 100;

/// A piece of move text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Comment(&'a str),
    /// A `{` without its `}`.
    OpenComment,
    /// `(`.
    Open,
    /// `)`.
    Close,
    Nag(u8),
    /// A move number or its points.
    Number,
    Result(GameResult),
    Word(&'a str),
}

/// Cuts move text into tokens.
#[derive(Clone, Copy)]
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Whether braces nest; given up for the rest of a text in which they do not come out even.
    nesting: bool,
    /// Whether a `)` may still come; once one was looked for in vain it is not looked for again.
    closes: bool,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, nesting: true, closes: true }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next token and where it begins.
    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let start = self.at;
            let first = *trimmed.as_bytes().first()?;
            self.at += 1;
            let token = match first {
                b'{' => self.comment(),
                b'(' => Token::Open,
                b')' => Token::Close,
                b'}' => continue,
                b';' => Token::Comment(self.take_line()),
                b'%' if start == 0 || self.text.as_bytes()[start - 1] == b'\n' => {
                    self.take_line();
                    continue;
                }
                b'$' => {
                    let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                    let number = self.rest()[..digits].parse().unwrap_or(0);
                    self.at += digits;
                    Token::Nag(number)
                }
                _ => {
                    self.at = start;
                    match self.word() {
                        Some(token) => token,
                        None => continue,
                    }
                }
            };
            return Some((start, token));
        }
    }

    fn take_line(&mut self) -> &'a str {
        let rest = self.rest();
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        self.at += line.len();
        line
    }

    /// The comment whose `{` was taken.
    fn comment(&mut self) -> Token<'a> {
        let nested = if self.nesting { closing(self.rest(), b'{', b'}') } else { None };
        self.nesting &= nested.is_some();
        match nested.or_else(|| self.rest().find('}')) {
            Some(end) => {
                let text = &self.rest()[..end];
                self.at += end + 1;
                Token::Comment(text)
            }
            None => Token::OpenComment,
        }
    }

    /// The text in parentheses whose `(` was taken.
    fn parenthesis(&mut self) -> Option<&'a str> {
        if !self.closes {
            return None;
        }
        let nested = if self.nesting { closing(self.rest(), b'(', b')') } else { None };
        self.nesting &= nested.is_some();
        let end = nested.or_else(|| self.rest().find(')'));
        self.closes = end.is_some();
        let text = &self.rest()[..end?];
        self.at += text.len() + 1;
        Some(text)
    }

    /// A number, a result or a word; `None` for judgement signs that stand alone.
    fn word(&mut self) -> Option<Token<'a>> {
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | ';' | '$');
        let end = rest.char_indices().zip(0..).find(|((_, c), count)| *count == MAX_TOKEN || is_end(*c));
        let raw = &rest[..end.map_or(rest.len(), |((at, _), _)| at)];
        if let Some(result) = GameResult::from_token(raw) {
            self.at += raw.len();
            return Some(Token::Result(result));
        }
        let number = number_length(raw);
        if number > 0 {
            self.at += number;
            return Some(Token::Number);
        }
        let word = if raw.starts_with(begins_chinese_move) {
            let end = raw.char_indices().nth(4).map_or(raw.len(), |(end, _)| end);
            &raw[..end]
        } else {
            raw
        };
        self.at += word.len();
        let move_text = word.trim_end_matches(['!', '?', ',']);
        if move_text.is_empty() {
            return None;
        }
        if !word.is_ascii()
            && let Some(result) = GameResult::from_words(word)
        {
            return Some(Token::Result(result));
        }
        Some(Token::Word(move_text))
    }
}

/// Where the bracket that is already open closes, counting those inside.
fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 1;
    memchr::memchr2_iter(open, close, text.as_bytes()).find(|at| {
        depth = if text.as_bytes()[*at] == open { depth + 1 } else { depth - 1 };
        depth == 0
    })
}

/// Length of the move number that a word begins with: digits and points, or points alone; 0 if none.
/// `55.6` is a tandem soldier's move, not number 55.
fn number_length(word: &str) -> usize {
    let is_point = |c: char| matches!(fold_wide(c), '.' | '…' | '、' | '·');
    let after_digits = word.trim_start_matches(|c| fold_wide(c).is_ascii_digit());
    let after = after_digits.trim_start_matches(is_point);
    let digits = word.len() - after_digits.len();
    if after.len() == after_digits.len() {
        // No point: a bare number, but never part of a word (`15+1`).
        return if after.is_empty() { digits } else { 0 };
    }
    let soldier = word.len() == 4 && digits == 2 && after.len() == 1 && after.as_bytes()[0].is_ascii_digit();
    let place = digits == 0 && !after.is_empty();
    if soldier || place { 0 } else { word.len() - after.len() }
}

/// A line being read: the main line at the bottom, variations above.
struct Frame {
    position: Position,
    last: Option<Undo>,
    moves: Vec<RecordedMove>,
    /// Half-moves of the line it branches from, before its first move.
    before: usize,
    /// A comment that stands before the first move.
    pending: String,
    /// After a move that cannot be read: parentheses open in the rest, which is skipped.
    broken: Option<usize>,
}

/// Where and why reading stopped.
#[derive(Debug)]
pub(super) struct Stop {
    /// Byte offset in the text.
    pub at: usize,
    /// Half-move, from 1; `None` if no move is to blame.
    pub ply: Option<u32>,
    /// The token.
    pub token: String,
    /// Why.
    pub reason: Reason,
}

/// What move text says.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The comment before the first move.
    pub preface: String,
    /// The main line.
    pub moves: Vec<RecordedMove>,
    /// The token after it.
    pub result: Option<GameResult>,
    /// Oddities with their byte offsets.
    pub remarks: Vec<(usize, Odd)>,
    /// Shape of the first move.
    pub notation: Option<Notation>,
    /// Why the end was not reached.
    pub stop: Option<Stop>,
}

/// Reads move text from a position. A hint is preferred where a token has its shape.
///
/// SAN-like moves are read with ranks from 0; if these fail, or as a check, with ranks from 1, and the
/// reading that gets further counts.
pub(super) fn read_moves(text: &str, start: &Position, hint: Option<Notation>) -> Parsed {
    let mut zero = Reader::new(text, start, hint).run();
    if hint.is_some_and(|hint| hint != Notation::San0)
        || !matches!(zero.notation, Some(Notation::San0 | Notation::San1))
    {
        return zero;
    }
    let mut one = Reader::new(text, start, Some(Notation::San1)).run();
    let (zero_ends, one_ends) = (zero.stop.is_none(), one.stop.is_none());
    if !zero_ends && (one_ends || one.moves.len() > zero.moves.len()) {
        one.remarks.push((0, Odd::RanksFromOne));
        return one;
    }
    if one_ends && !zero.moves.is_empty() {
        zero.remarks.push((0, Odd::BothRankStyles));
    }
    zero
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    frames: Vec<Frame>,
    hint: Option<Notation>,
    read: usize,
    parsed: Parsed,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, start: &Position, hint: Option<Notation>) -> Reader<'a> {
        let main = Frame {
            position: start.clone(),
            last: None,
            moves: Vec::new(),
            before: 0,
            pending: String::new(),
            broken: None,
        };
        Reader { lexer: Lexer::new(text), frames: vec![main], hint, read: 0, parsed: Parsed::default() }
    }

    fn run(mut self) -> Parsed {
        while let Some((at, token)) = self.lexer.next() {
            match token {
                Token::Number => {}
                Token::Word(word) => self.word(at, word),
                Token::Comment(text) => self.comment(text),
                Token::Nag(number) => self.nag(number),
                Token::Open => self.open(at),
                Token::Close => self.close(),
                Token::OpenComment => self.stop(at, None, "{", Reason::OpenComment),
                Token::Result(result) if self.frames.len() == 1 => {
                    self.parsed.result = Some(result);
                    self.after_result();
                    break;
                }
                Token::Result(_) => {}
            }
            if self.parsed.stop.is_some() {
                break;
            }
        }
        if self.frames.len() > 1 && self.parsed.stop.is_none() {
            self.remark(self.lexer.at, Odd::OpenParenthesis);
        }
        while self.frames.len() > 1 {
            self.close_frame();
        }
        if let Some(main) = self.frames.pop() {
            self.parsed.preface = main.pending;
            self.parsed.moves = main.moves;
        }
        self.parsed
    }

    fn stop(&mut self, at: usize, ply: Option<u32>, token: &str, reason: Reason) {
        self.parsed.stop = Some(Stop { at, ply, token: shown(token), reason });
    }

    fn remark(&mut self, at: usize, odd: Odd) {
        if self.parsed.remarks.len() < MAX_REMARKS {
            self.parsed.remarks.push((at, odd));
        }
    }

    /// The innermost line; the main line is never taken off before the end.
    fn frame(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn word(&mut self, at: usize, word: &str) {
        if self.frame().broken.is_some() {
            return;
        }
        if self.parsed.notation.is_none() {
            self.parsed.notation = notation_of(word);
            let san = matches!(self.parsed.notation, Some(Notation::San0 | Notation::San1));
            if san && self.hint.is_none() {
                self.hint = Some(Notation::San0);
            }
        }
        let (hint, is_main) = (self.hint, self.frames.len() == 1);
        let frame = self.frame();
        let ply = (frame.before + frame.moves.len() + 1) as u32;
        match read_move(&frame.position, word, hint) {
            Ok(mv) => self.play(at, mv),
            Err(error) if is_main => {
                self.stop(at, Some(ply), word, move_reason(word, error));
            }
            Err(error) => {
                frame.broken = Some(0);
                let reason = move_reason(word, error).to_string();
                self.remark(at, Odd::Variation { ply, token: shown(word), reason });
            }
        }
    }

    fn play(&mut self, at: usize, mv: Move) {
        self.read += 1;
        if self.read > MAX_MOVES {
            return self.stop(at, None, "", Reason::TooMuch("moves of one game (100,000)"));
        }
        let is_variation = self.frames.len() > 1;
        let frame = self.frame();
        frame.last = Some(frame.position.make(mv));
        let mut played = RecordedMove::plain(mv);
        if is_variation {
            played.comment = std::mem::take(&mut frame.pending);
        }
        frame.moves.push(played);
    }

    fn comment(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let frame = self.frame();
        let target = match frame.moves.last_mut() {
            Some(last) => &mut last.comment,
            None => &mut frame.pending,
        };
        if !target.is_empty() {
            target.push('\n');
        }
        if text.contains('\r') { target.push_str(&text.replace('\r', "")) } else { target.push_str(text) }
    }

    fn nag(&mut self, number: u8) {
        if let Some(last) = self.frame().moves.last_mut()
            && last.nags.len() < MAX_REMARKS
        {
            last.nags.push(number);
        }
    }

    /// A parenthesis opens: a variation if it begins with a move, a comment otherwise.
    fn open(&mut self, at: usize) {
        let variation = self.begins_with_move();
        if let Some(depth) = &mut self.frame().broken {
            *depth += 1;
            return;
        }
        let frame = self.frame();
        if let (true, Some(undo)) = (variation, frame.last) {
            let mut position = frame.position.clone();
            position.unmake(undo);
            let before = frame.before + frame.moves.len() - 1;
            if self.frames.len() > MAX_DEPTH {
                return self.stop(at, None, "(", Reason::TooMuch("variations inside each other (100)"));
            }
            let (moves, pending) = (Vec::new(), String::new());
            self.frames.push(Frame { position, last: None, moves, before, pending, broken: None });
        } else if let Some(text) = self.lexer.parenthesis() {
            self.comment(text);
        } else {
            self.remark(at, Odd::OpenParenthesis);
        }
    }

    fn begins_with_move(&self) -> bool {
        let mut ahead = self.lexer;
        loop {
            match ahead.next() {
                Some((_, Token::Number | Token::Comment(_) | Token::Nag(_))) => {}
                Some((_, Token::Word(word))) => return notation_of(word).is_some(),
                Some((_, Token::OpenComment | Token::Open | Token::Close | Token::Result(_))) | None => {
                    return false;
                }
            }
        }
    }

    fn close(&mut self) {
        match &mut self.frame().broken {
            Some(depth) if *depth > 0 => *depth -= 1,
            Some(_) | None => {
                if self.frames.len() > 1 {
                    self.close_frame();
                }
            }
        }
    }

    fn close_frame(&mut self) {
        if let Some(closed) = self.frames.pop()
            && !closed.moves.is_empty()
            && let Some(last) = self.frame().moves.last_mut()
        {
            last.variations.push(closed.moves);
        }
    }

    /// Text after the result is left alone (sites sign there), but moves among it are told.
    fn after_result(&mut self) {
        let at = self.lexer.at;
        let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        if self.lexer.rest().split_whitespace().any(is_number) {
            self.remark(at, Odd::TextAfterResult);
        }
    }
}

/// The reason behind a token that names no move.
fn move_reason(word: &str, error: NotationError) -> Reason {
    let latin = |c: char| c.is_ascii() || ('\u{80}'..='\u{FF}').contains(&c);
    match error {
        NotationError::Unreadable if word.contains(char::REPLACEMENT_CHARACTER) => Reason::Undecodable,
        NotationError::Unreadable if !word.is_ascii() && word.chars().all(latin) => Reason::EncodedTwice,
        NotationError::Unreadable
        | NotationError::RanksFromOne
        | NotationError::Illegal(_)
        | NotationError::Ambiguous(_) => Reason::Move(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &[RecordedMove]) -> String {
        let mut out = String::new();
        for played in moves {
            out += &format!("{}", played.mv);
            for nag in &played.nags {
                out += &format!("${nag}");
            }
            if !played.comment.is_empty() {
                out += &format!("{{{}}}", played.comment);
            }
            for variation in &played.variations {
                out += &format!("({})", line(variation));
            }
            out.push(' ');
        }
        out.trim_end().to_owned()
    }

    fn check(text: &str, expected: &str) {
        let parsed = read_moves(text, &Position::start(), None);
        let mut got =
            if parsed.preface.is_empty() { String::new() } else { format!("[{}] ", parsed.preface) };
        got += &line(&parsed.moves);
        if let Some(result) = parsed.result {
            got += &format!(" {}", result.token());
        }
        for (_, remark) in parsed.remarks {
            got += &format!(" <{remark}>");
        }
        if let Some(stop) = parsed.stop {
            got += &format!(" !{:?} {} {}", stop.ply, stop.token, stop.reason);
        }
        assert_eq!(got.trim(), expected, "{text}");
    }

    #[test]
    fn tokens_of_every_dialect() {
        check("1. H2-E2 H9-G7 2. h0g2 *", "h2e2 h9g7 h0g2 *");
        check("1.H2-E2 1...H9-G7 1/2-1/2", "h2e2 h9g7 1/2-1/2");
        check("1.炮二平五马8进7 2.马二进三", "h2e2 h9g7 h0g2");
        check("１．炮二平五　马８进７", "h2e2 h9g7");
        check(
            "{one} 1. {two} C2.5! {three\r\nmore} H8+7 $2 {a {nested} b} 1-0",
            "[one\ntwo] h2e2{three\nmore} h9g7$2{a {nested} b} 1-0",
        );
        check(
            "Che2 (a remark) Hg7 ; to the end 1-0\n% not read\nHg2 ?! +-",
            "h2e2{a remark} h9g7{to the end 1-0} h0g2 !Some(4) +- this is no move in any notation that is read here",
        );
        check("{ 1-0 } h2e2 {0-1", "[1-0] h2e2 !None { a comment is opened with '{' and never closed");
        check("{a { b} h2e2 {c} h9g7", "[a { b] h2e2{c} h9g7");
        check(
            "1. h2e2 1-0 1. h2e2 h9g7",
            "h2e2 1-0 <there are more moves after the result; they were not read>",
        );
        check("h2e2 1-0\n====\nhttps://example.org/", "h2e2 1-0");
    }

    #[test]
    fn variations_nest_and_break_alone() {
        check("h2e2 h9g7 (1... b9c7 2. h0g2 (2. b0c2)) 2. h0g2 *", "h2e2 h9g7(b9c7 h0g2(b0c2)) h0g2 *");
        check("h2e2 (b2e2) (c3c4 c6c5) h9g7", "h2e2(b2e2)(c3c4 c6c5) h9g7");
        check(
            "h2e2 (b2e2 a0a9 (x) h9g7) h9g7",
            "h2e2(b2e2) h9g7 <a variation stops at ply 2, 'a0a9': illegal: the piece on a0 is the other side's>",
        );
        check("h2e2 (b2e2 h9g7", "h2e2(b2e2 h9g7) <a parenthesis was never closed>");
        check(
            "h2e2 ) h9g7 ( note",
            "h2e2 h9g7 <a parenthesis was never closed> !Some(3) note this is no move in any notation that is read here",
        );
    }

    #[test]
    fn ranks_of_san_come_from_the_whole_game() {
        check(
            "1. Che3 Hg8 2. Hg3 Ri10",
            "h2e2 h9g7 h0g2 <the moves were read with ranks 1 to 10, as 0 to 9 do not fit> !Some(4) Ri10 illegal: the piece on a9 does not go to i9",
        );
        check(
            "1. Che3 Hg8 2. Hg3 Rh10",
            "h2e2 h9g7 h0g2 i9h9 <the moves were read with ranks 1 to 10, as 0 to 9 do not fit>",
        );
        check("1. Che2 Hg7", "h2e2 h9g7");
        check("h3e3 h10g8", "!Some(1) h3e3 illegal: no piece stands on h3");
    }

    #[test]
    fn numbers_are_no_soldiers() {
        for (word, length) in [
            ("1.", 2),
            ("12", 2),
            ("12...", 5),
            ("...", 3),
            ("1.h2e2", 2),
            ("55.6", 0),
            ("15+1", 0),
            ("5-.6", 0),
            ("…", 3),
        ] {
            assert_eq!(number_length(word), length, "{word}");
        }
    }
}
