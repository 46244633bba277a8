//! What a UCCI engine is told, as a seat shows it: positions with their moves in all notations, and clocks. Pure; judges
//! nothing. Start at [`read_position`] and [`read_go`].

use std::time::Duration;

use serde_json::{Value, json};

use crate::xiangqi::{Move, Notation, Position, Side, SquareStyle, write_move};

/// A game as the runner told it.
#[derive(Debug, Clone)]
pub struct Board {
    start: Position,
    moves: Vec<Move>,
    wxf: Vec<String>,
    chinese: Vec<String>,
    /// How it stands.
    pub position: Position,
    /// Whose side the seat plays.
    pub colour: Side,
}

impl Board {
    fn new(start: Position) -> Board {
        Board {
            colour: start.side(),
            position: start.clone(),
            start,
            moves: Vec::new(),
            wxf: Vec::new(),
            chinese: Vec::new(),
        }
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.wxf.push(write_move(&self.position, mv, Notation::Wxf));
        self.chinese.push(write_move(&self.position, mv, Notation::ChineseSimplified));
        self.moves.push(mv);
        self.position.make(mv);
    }

    fn colour_name(&self) -> &'static str {
        match self.colour {
            Side::Red => "red",
            Side::Black => "black",
        }
    }

    /// All of it, as game `number` of its seat.
    pub fn json(&self, number: u64) -> Value {
        let moves: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        json!({
            "number": number,
            "colour": self.colour_name(),
            "start": self.start.fen(),
            "fen": self.position.fen(),
            "moves": moves,
            "wxf": self.wxf,
            "zh": self.chinese,
        })
    }

    /// As it is told to a player who sees no board (II.2): the last move of the opponent.
    pub fn told(&self, board: u64) -> Value {
        let own = self.position.side() != self.colour;
        let index = self.moves.len().checked_sub(if own { 2 } else { 1 });
        let last = index.map(|index| {
            json!({
                "move": self.moves[index].to_string(),
                "wxf": self.wxf[index],
                "zh": self.chinese[index],
            })
        });
        json!({ "number": board, "board": board, "colour": self.colour_name(), "last": last })
    }
}

/// What `position` says after that word: `fen FEN` or `startpos`, then `moves ..`. `None` if it cannot be followed.
pub fn read_position(text: &str) -> Option<Board> {
    let (place, moves) = match text.split_once("moves") {
        Some((place, moves)) => (place.trim(), moves),
        None => (text.trim(), ""),
    };
    let start = match place.split_once(' ') {
        Some(("fen", fen)) => Position::from_fen(fen).ok()?,
        None if place == "startpos" => Position::start(),
        Some(_) | None => return None,
    };
    let mut board = Board::new(start);
    for word in moves.split_ascii_whitespace() {
        let mv = Told::mv(word).filter(|mv| board.position.is_legal(*mv))?;
        board.play(mv);
    }
    board.colour = board.position.side();
    Some(board)
}

/// The words of moves on the line.
#[derive(Debug)]
pub struct Told;

impl Told {
    /// A move as the line writes it.
    pub fn mv(word: &str) -> Option<Move> {
        SquareStyle::Zero.read(word.as_bytes())
    }

    /// The move of an answer.
    pub fn answered(words: &str) -> Option<Move> {
        words.strip_prefix("bestmove ")?.split_ascii_whitespace().next().and_then(Told::mv)
    }
}

/// What `go` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clocks {
    /// What is left on the own clock; none where each move has its own time, or there is no clock.
    pub own: Option<Duration>,
    /// What is left on the opponent's.
    pub opponent: Option<Duration>,
    /// The time for this move alone.
    pub move_time: Option<Duration>,
    /// Whether the opponent offers a draw.
    pub draw_offered: bool,
}

/// What follows `go`.
pub fn read_go(text: &str, milliseconds: bool) -> Clocks {
    let unit = if milliseconds { 1 } else { 1000 };
    let mut clocks = Clocks::default();
    let mut one_move = false;
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        match word {
            "draw" => clocks.draw_offered = true,
            "time" => clocks.own = number().map(|time| Duration::from_millis(time.saturating_mul(unit))),
            "opptime" => {
                clocks.opponent = number().map(|time| Duration::from_millis(time.saturating_mul(unit)))
            }
            "movestogo" => one_move = number() == Some(1) && clocks.opponent.is_none(),
            _ => {}
        }
    }
    if one_move && clocks.opponent.is_none() {
        clocks.move_time = clocks.own.take();
    }
    clocks
}
