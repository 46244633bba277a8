//! What stands on the boards of a run for those who watch it: moves, clocks, thinking lines, ends. Taking a
//! word of the run costs nothing worth naming; positions and notations are made only when somebody asks to
//! see a board. Never judges and never reads a clock. Start at [`Boards`].

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use crate::engine::{Score, Thought};
use crate::record::{GameBegan, GameOver, Moved, ThoughtRecord};
use crate::time::At;
use crate::tournament::GameId;
use crate::xiangqi::{BySide, Move, Notation, Position, Side, SquareStyle, append_move};

/// Finished games of which all moves are kept for those who come later: some 3 MB.
const KEPT: usize = 300;
/// Most moves of an engine's line of play that are shown.
const LINE_SHOWN: usize = 12;

/// How the clocks of a game stood when a side was asked for a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Which game.
    pub game: GameId,
    /// Whose clock runs.
    pub side: Side,
    /// Since when: its `go` was flushed then.
    pub since: At,
    /// What was left on both clocks, µs; none without a clock.
    pub left_us: BySide<Option<u64>>,
}

/// One move as it is shown.
#[derive(Debug, Clone)]
struct Written {
    mv: String,
    wxf: String,
    chinese: String,
}

/// Positions and notations of a board as far as they were asked for.
#[derive(Debug, Clone)]
struct Drawn {
    position: Position,
    /// Before the last move: what its mover's line of play begins at.
    before: Position,
    written: Vec<Written>,
}

/// What an engine thinks.
#[derive(Debug, Clone, Default)]
struct Thinking {
    thought: Thought,
    /// After so many half-moves.
    ply: usize,
}

/// A board at which a game is played, or was played last.
#[derive(Debug, Clone)]
struct Board {
    began: GameBegan,
    at: At,
    opening: usize,
    moves: Vec<Moved>,
    left_us: BySide<Option<u64>>,
    running: Option<(Side, At)>,
    thinking: BySide<Thinking>,
    over: Option<At>,
    drawn: Option<Drawn>,
    /// Moves that the last change told of; none if the game was not told of yet.
    told: Option<usize>,
    changed: bool,
}

/// All boards of a run.
#[derive(Debug, Default)]
pub struct Boards {
    places: Vec<Board>,
    at: BTreeMap<GameId, usize>,
    finished: VecDeque<Box<GameOver>>,
}

impl Boards {
    /// A game begins: it takes a new board while there are fewer than `most`, then the one that is free
    /// longest.
    pub fn began(&mut self, at: At, began: &GameBegan, most: usize) {
        let board = Board::new(at, began.clone());
        let free = |place: &usize| self.places[*place].over;
        let again = self.at.get(&began.game).copied();
        let free = || (0..self.places.len()).filter(|place| free(place).is_some()).min_by_key(free);
        let place = again.or_else(|| if self.places.len() < most { None } else { free() });
        let place = place.unwrap_or(self.places.len());
        match self.places.get_mut(place) {
            Some(old) => {
                self.at.remove(&old.began.game);
                *old = board;
            }
            None => self.places.push(board),
        }
        self.at.insert(began.game, place);
    }

    /// A move was made at `at`. One that is known already changes nothing.
    pub fn moved(&mut self, at: At, moved: &Moved) {
        let Some(board) = self.board(moved.game) else { return };
        let due = board.opening + board.moves.len() + 1;
        if usize::try_from(moved.ply) != Ok(due) || board.over.is_some() {
            return;
        }
        let side = board.side();
        board.left_us[side] = moved.left_us;
        // Until the runner says that the other side was asked, its move is taken for that.
        board.running = Some((!side, at));
        board.moves.push(moved.clone());
        board.changed = true;
    }

    /// A side was asked for a move.
    pub fn asked(&mut self, asked: &Asked) {
        let Some(board) = self.board(asked.game).filter(|board| board.over.is_none()) else { return };
        board.left_us = asked.left_us;
        board.running = Some((asked.side, asked.since));
        board.changed = true;
    }

    /// An engine thinks aloud.
    pub fn thought(&mut self, game: GameId, side: Side, thought: Thought) {
        let Some(board) = self.board(game).filter(|board| board.over.is_none()) else { return };
        let ply = board.moves.len();
        board.thinking[side] = Thinking { thought, ply };
        board.changed = true;
    }

    /// The chief referee took a game back or had its clocks set: the board is as the record says.
    pub fn corrected(&mut self, at: At, began: &GameBegan, moves: &[Moved], clocks: Option<BySide<u64>>) {
        let Some(board) = self.board(began.game) else { return };
        *board = Board::new(at, began.clone());
        for moved in moves {
            let side = board.side();
            board.left_us[side] = moved.left_us;
            board.moves.push(moved.clone());
        }
        if let Some(clocks) = clocks {
            board.left_us = clocks.map(Some);
        }
    }

    /// A game ended.
    pub fn over(&mut self, at: At, over: &GameOver) {
        if let Some(board) = self.board(over.game) {
            board.over = Some(at);
            board.running = None;
            board.left_us = BySide { red: over.left_us[0], black: over.left_us[1] };
            board.enter_all(over);
            board.changed = true;
        }
        if self.finished.len() == KEPT {
            self.finished.pop_front();
        }
        self.finished.push_back(Box::new(over.clone()));
    }

    /// Nobody plays on at any board but those of the games that still go on.
    pub fn leave_all_but(&mut self, at: At, goes_on: impl Fn(GameId) -> bool) {
        let left = |board: &&mut Board| board.over.is_none() && !goes_on(board.began.game);
        for board in self.places.iter_mut().filter(left) {
            board.over = Some(at);
            board.running = None;
            board.changed = true;
        }
    }

    /// The runner stopped: no clock runs.
    pub fn stand_still(&mut self) {
        for board in self.places.iter_mut().filter(|board| board.running.is_some()) {
            board.running = None;
            board.changed = true;
        }
    }

    /// Whether anything changed since the last [`Boards::changes`].
    pub fn has_changed(&self) -> bool {
        self.places.iter().any(|board| board.changed)
    }

    /// All boards, whole.
    pub fn all(&mut self) -> Value {
        let all = self.places.iter_mut().enumerate().map(|(place, board)| board.json(place, 0));
        Value::Array(all.collect())
    }

    /// The boards that changed since the last time, with their new moves only; a new game whole.
    pub fn changes(&mut self) -> Value {
        let mut changes = Vec::new();
        for (place, board) in self.places.iter_mut().enumerate().filter(|(_, board)| board.changed) {
            let known = board.told.unwrap_or(0);
            changes.push(board.json(place, known));
            board.told = Some(board.moves.len());
            board.changed = false;
        }
        Value::Array(changes)
    }

    /// A finished game, whole; none if it is not kept.
    pub fn finished(&self, id: GameId) -> Option<Value> {
        let over = self.finished.iter().rev().find(|over| over.game == id)?;
        let began = GameBegan {
            game: id,
            red: over.red.clone(),
            black: over.black.clone(),
            fen: over.fen.clone(),
            opening: opening_of(over),
            locks: None,
            date: over.date.clone(),
        };
        let mut board = Board::new(At::ZERO, began);
        board.over = Some(At::ZERO);
        board.left_us = BySide { red: over.left_us[0], black: over.left_us[1] };
        board.enter_all(over);
        Some(board.json(0, 0))
    }

    fn board(&mut self, id: GameId) -> Option<&mut Board> {
        self.at.get(&id).and_then(|place| self.places.get_mut(*place))
    }
}

fn opening_of(over: &GameOver) -> String {
    let words = over.moves.split_ascii_whitespace().take(over.opening_plies as usize);
    words.collect::<Vec<_>>().join(" ")
}

impl Board {
    fn new(at: At, began: GameBegan) -> Board {
        let opening = began.opening.split_ascii_whitespace().count();
        Board {
            began,
            at,
            opening,
            moves: Vec::new(),
            left_us: BySide::default(),
            running: None,
            thinking: BySide::default(),
            over: None,
            drawn: None,
            told: None,
            changed: true,
        }
    }

    /// Who is to move.
    fn side(&self) -> Side {
        let black = self.began.fen.split_ascii_whitespace().nth(1) == Some("b");
        if black ^ ((self.opening + self.moves.len()) % 2 == 1) { Side::Black } else { Side::Red }
    }

    /// Enters the moves of a finished game that were not seen as they were made.
    fn enter_all(&mut self, over: &GameOver) {
        let words = over.moves.split_ascii_whitespace().skip(over.opening_plies as usize);
        for (index, mv) in words.enumerate().skip(self.moves.len()) {
            self.moves.push(Moved {
                game: over.game,
                ply: u32::try_from(self.opening + index + 1).unwrap_or(u32::MAX),
                mv: mv.to_owned(),
                member: over.members.get(index).copied().filter(|member| *member > 0),
                used_us: over.used_us.get(index).copied().unwrap_or(0),
                left_us: None,
                to_go: 0,
                draw: false,
                thought: over.thoughts.get(index).copied().unwrap_or_default(),
            });
        }
    }

    /// Draws what was not drawn yet. A record that cannot be replayed stands still where it cannot go on.
    fn draw(&mut self) -> &Drawn {
        let start = || Position::from_fen(&self.began.fen).unwrap_or_else(|_| Position::start());
        let mut drawn = self.drawn.take().unwrap_or_else(|| {
            let position = start();
            Drawn { before: position.clone(), position, written: Vec::new() }
        });
        let words = self.began.opening.split_ascii_whitespace();
        let words = words.chain(self.moves.iter().map(|moved| moved.mv.as_str()));
        for word in words.skip(drawn.written.len()) {
            let mv = SquareStyle::Zero.read(word.as_bytes());
            drawn.written.push(write(&drawn.position, mv, word));
            drawn.before.clone_from(&drawn.position);
            match mv.filter(|mv| drawn.position.is_legal(*mv)) {
                Some(mv) => drop(drawn.position.make(mv)),
                None => drawn.position.pass(),
            }
        }
        self.drawn.insert(drawn)
    }

    /// The board as it is told to viewers, its moves after the first `known` of the game.
    fn json(&mut self, place: usize, known: usize) -> Value {
        let first = if known == 0 { 0 } else { self.opening + known };
        let black_first = self.began.fen.split_ascii_whitespace().nth(1) == Some("b");
        self.draw();
        let Some(drawn) = &self.drawn else { return Value::Null };
        let moves: Vec<Value> = (first..drawn.written.len())
            .map(|ply| {
                let Written { mv, wxf, chinese } = &drawn.written[ply];
                let made = ply.checked_sub(self.opening).and_then(|index| self.moves.get(index));
                let black = black_first ^ (ply % 2 == 1);
                let (used, value) = made.map_or((Value::Null, [Value::Null, Value::Null]), |made| {
                    (json!(made.used_us), red_view(&made.thought, black))
                });
                let [cp, mate] = value;
                json!([mv, wxf, chinese, used, cp, mate])
            })
            .collect();
        let last = self.moves.last();
        json!({
            "n": place,
            "id": self.began.game.to_string(),
            "red": self.began.red,
            "black": self.began.black,
            "fen": self.began.fen,
            "opening": self.opening,
            "from": first,
            "moves": moves,
            "left": [self.left_us.red, self.left_us.black],
            "running": self.running.map(|(side, since)| json!([side.word(), since])),
            "began": self.at,
            "member": last.and_then(|moved| moved.member),
            "thinking": [self.thinking_json(Side::Red, drawn), self.thinking_json(Side::Black, drawn)],
            "over": self.over.is_some(),
        })
    }

    /// An engine's line, its score seen from Red like all of them.
    fn thinking_json(&self, side: Side, drawn: &Drawn) -> Value {
        let Thinking { thought, ply } = &self.thinking[side];
        let Some(score) = thought.score else { return Value::Null };
        let sign = if side == Side::Red { 1 } else { -1 };
        let (cp, mate) = match score {
            Score::Cp(cp) => (Some(cp.saturating_mul(sign)), None),
            Score::Mate(moves) => (None, Some(moves.saturating_mul(sign))),
        };
        let fits = |position: &&Position| {
            let first = thought.pv.split(' ').next().and_then(|word| SquareStyle::Zero.read(word.as_bytes()));
            position.side() == side && first.is_some_and(|mv| position.is_legal(mv))
        };
        let from = [&drawn.position, &drawn.before].into_iter().find(fits);
        let line = from.map_or_else(Vec::new, |from| line_of_play(from.clone(), &thought.pv));
        json!({
            "depth": thought.depth,
            "cp": cp,
            "mate": mate,
            "nodes": thought.nodes,
            "nps": thought.nps,
            "line": line,
            "text": if line_is_coordinates(&thought.pv) { "" } else { thought.pv.as_str() },
            "old": *ply + 1 < self.moves.len() || self.running.is_some_and(|(runs, _)| runs != side),
        })
    }
}

fn line_is_coordinates(line: &str) -> bool {
    line.split_ascii_whitespace().all(|word| SquareStyle::Zero.read(word.as_bytes()).is_some())
}

/// Score and mate of a move's record as Red sees them.
fn red_view(thought: &ThoughtRecord, black: bool) -> [Value; 2] {
    let sign = if black { -1 } else { 1 };
    [thought.cp, thought.mate].map(|value| json!(value.map(|value| value.saturating_mul(sign))))
}

fn write(position: &Position, mv: Option<Move>, word: &str) -> Written {
    let as_it_is = || word.chars().take(8).collect::<String>();
    let Some(mv) = mv.filter(|mv| position.is_legal(*mv)) else {
        return Written { mv: as_it_is(), wxf: as_it_is(), chinese: as_it_is() };
    };
    let (mut wxf, mut chinese) = (String::with_capacity(8), String::with_capacity(16));
    append_move(position, mv, Notation::Wxf, &mut wxf);
    append_move(position, mv, Notation::ChineseSimplified, &mut chinese);
    Written { mv: mv.to_string(), wxf, chinese }
}

/// The moves of a line in three notations, as far as they are legal.
fn line_of_play(mut position: Position, line: &str) -> Vec<Value> {
    let mut shown = Vec::new();
    for word in line.split_ascii_whitespace().take(LINE_SHOWN) {
        let mv = SquareStyle::Zero.read(word.as_bytes()).filter(|mv| position.is_legal(*mv));
        let Some(mv) = mv else { break };
        let Written { mv: word, wxf, chinese } = write(&position, Some(mv), word);
        shown.push(json!([word, wxf, chinese]));
        position.make(mv);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> GameId {
        text.parse().unwrap()
    }

    fn began(game: &str) -> GameBegan {
        GameBegan {
            game: id(game),
            red: "Tiger".to_owned(),
            black: "Lotus".to_owned(),
            fen: Position::start().fen(),
            opening: "h2e2 h9g7".to_owned(),
            locks: None,
            date: String::new(),
        }
    }

    fn moved(game: &str, ply: u32, mv: &str) -> Moved {
        let thought = ThoughtRecord { cp: Some(30), ..ThoughtRecord::default() };
        let (used_us, left_us) = (5, Some(u64::from(ply)));
        Moved {
            game: id(game),
            ply,
            mv: mv.to_owned(),
            member: None,
            used_us,
            left_us,
            to_go: 0,
            draw: false,
            thought,
        }
    }

    #[test]
    fn a_change_tells_only_what_is_new() {
        let mut boards = Boards::default();
        boards.began(At(1), &began("1.1.1.1"), 2);
        boards.moved(At(2), &moved("1.1.1.1", 3, "h0g2"));
        let first = boards.changes();
        assert_eq!(first[0]["moves"].as_array().unwrap().len(), 3);
        assert_eq!(first[0]["moves"][2], json!(["h0g2", "H2+3", "马二进三", 5, 30, null]));
        assert_eq!((boards.has_changed(), boards.changes()), (false, json!([])));
        boards.moved(At(3), &moved("1.1.1.1", 4, "i9h9"));
        // Known already, and out of order.
        boards.moved(At(3), &moved("1.1.1.1", 4, "i9h9"));
        boards.moved(At(3), &moved("1.1.1.1", 9, "i9h9"));
        let second = boards.changes();
        assert_eq!(second[0]["from"], 3);
        assert_eq!(second[0]["moves"], json!([["i9h9", "R9.8", "车９平８", 5, -30, null]]));
        assert_eq!(second[0]["running"], json!(["red", 3]));
        assert_eq!(second[0]["left"], json!([3, 4]));
        assert_eq!(boards.all()[0]["moves"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn a_new_game_takes_the_board_that_is_free_longest() {
        let mut boards = Boards::default();
        let over = |boards: &mut Boards, at, game: &str| {
            let fixture = crate::record::fixture::game_over(id(game), "Tiger", "Lotus", "agreed");
            boards.over(At(at), &fixture);
        };
        for game in ["1.1.1.1", "1.1.2.1"] {
            boards.began(At(1), &began(game), 2);
        }
        over(&mut boards, 5, "1.1.2.1");
        over(&mut boards, 6, "1.1.1.1");
        boards.began(At(7), &began("1.1.3.1"), 2);
        let ids = |boards: &mut Boards| -> Vec<Value> {
            boards.all().as_array().unwrap().iter().map(|board| board["id"].clone()).collect()
        };
        assert_eq!(ids(&mut boards), ["1.1.1.1", "1.1.3.1"]);
        assert_eq!(boards.finished(id("1.1.2.1")).unwrap()["over"], true);
        assert!(boards.finished(id("1.1.9.1")).is_none());
    }

    #[test]
    fn clocks_and_lines_are_those_of_the_side_that_thinks() {
        let mut boards = Boards::default();
        boards.began(At(1), &began("1.1.1.1"), 1);
        let left_us = BySide { red: Some(9), black: Some(8) };
        boards.asked(&Asked { game: id("1.1.1.1"), side: Side::Red, since: At(7), left_us });
        let line = b"info depth 5 score cp -20 nps 9 pv h0g2 i9h9 a0a9";
        let thought = Thought::of_line(line, SquareStyle::Zero).unwrap();
        boards.thought(id("1.1.1.1"), Side::Red, thought);
        let board = boards.changes()[0].clone();
        assert_eq!((&board["left"], &board["running"]), (&json!([9, 8]), &json!(["red", 7])));
        let thinking = &board["thinking"][0];
        assert_eq!(
            (&thinking["cp"], &thinking["depth"], &thinking["old"]),
            (&json!(-20), &json!(5), &json!(false))
        );
        // The third move of the line is not legal: the chariot does not get there.
        assert_eq!(thinking["line"].as_array().unwrap().len(), 2);
        boards.stand_still();
        assert_eq!(boards.changes()[0]["running"], Value::Null);
    }
}
