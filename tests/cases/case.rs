//! A case of the case files (`asian-rules.md` 5) or of the loops file, and its mirror images. Start at
//! [`Case`].

use std::ops::Range;

use chuhe::law::{Book, Chase, Deed, Label, Manner, Ruling, Trail, judge, play_loop};
use chuhe::xiangqi::{Board, Move, Piece, Position, Setup, Side, Square, SquareStyle};
use serde_json::Value;

/// A position, moves that lead to a loop, the loop, and what is expected of it.
#[derive(Clone)]
pub struct Case {
    pub id: String,
    /// The article expected (own cases) or its source's label, a hint (shared cases).
    pub article: Option<u8>,
    pub start: Position,
    pub prefix: Vec<Move>,
    pub round: Vec<Move>,
    /// `draw`, `red_loses` or `black_loses`.
    pub verdict: String,
    /// What each half-move of the loop is, in the words of [`deed`]; own cases only.
    pub deeds: Vec<String>,
    /// The case from which this one differs by a single change; own cases only.
    pub neighbour_of: Option<String>,
    /// The verdict of another program by its own rules; loops only.
    pub computer: Option<String>,
}

fn moves(list: &Value) -> Vec<Move> {
    let words = list.as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    words.map(|word| SquareStyle::Zero.read(word.as_bytes()).unwrap()).collect()
}

fn word(value: &Value, field: &str) -> Option<String> {
    value[field].as_str().map(str::to_owned)
}

impl Case {
    fn read(value: &Value, index: usize) -> Case {
        let [prefix, round, verdict] = if value.get("loop").is_some() {
            ["prefix", "loop", "ours"]
        } else {
            ["prefix_moves", "loop_moves", "verdict"]
        };
        let deeds = value["deeds"].as_array().into_iter().flatten();
        Case {
            id: word(value, "id").unwrap_or_else(|| format!("loop {}", index + 1)),
            article: value["article"].as_u64().map(|number| u8::try_from(number).unwrap()),
            start: Position::from_fen(value["fen"].as_str().unwrap()).unwrap(),
            prefix: moves(&value[prefix]),
            round: moves(&value[round]),
            verdict: word(value, verdict).unwrap(),
            deeds: deeds.map(|deed| deed.as_str().unwrap().to_owned()).collect(),
            neighbour_of: word(value, "neighbour_of"),
            computer: word(value, "pikafish_computer"),
        }
    }

    /// The game in which the loop is played until a position has stood as often as asked.
    pub fn game(&self, occurrences: u32) -> Trail {
        play_loop(self.start.clone(), &self.prefix, &self.round, occurrences)
            .unwrap_or_else(|error| panic!("{}: {error}", self.id))
    }

    /// The ruling over the whole loop at the third occurrence.
    pub fn ruling(&self, book: Book) -> Ruling {
        let trail = self.game(3);
        judge(&trail, span(&trail, 3), book).unwrap_or_else(|error| panic!("{}: {error}", self.id))
    }

    /// The position where the loop begins.
    pub fn entry(&self) -> Position {
        let mut position = self.start.clone();
        for mv in &self.prefix {
            position.make(*mv);
        }
        position
    }

    /// The same loop begun at another half-move, without a prefix.
    pub fn entered_at(&self, ply: usize) -> Case {
        let mut start = self.entry();
        for mv in &self.round[..ply] {
            start.make(*mv);
        }
        let round = [&self.round[ply..], &self.round[..ply]].concat();
        Case {
            id: format!("{} from half-move {ply}", self.id),
            start,
            prefix: Vec::new(),
            round,
            ..self.clone()
        }
    }

    /// The same with left and right exchanged.
    pub fn mirrored(&self) -> Case {
        let turn = |list: &[Move]| list.iter().map(|mv| mv.mirrored()).collect();
        Case {
            id: format!("{} mirrored", self.id),
            start: turned(&self.start, Square::mirrored, false),
            prefix: turn(&self.prefix),
            round: turn(&self.round),
            ..self.clone()
        }
    }

    /// The same with the colours exchanged.
    pub fn swapped(&self) -> Case {
        let turn = |list: &[Move]| list.iter().map(|mv| mv.flipped()).collect();
        let verdict = match self.verdict.as_str() {
            "red_loses" => "black_loses",
            "black_loses" => "red_loses",
            other => other,
        };
        Case {
            id: format!("{} colours exchanged", self.id),
            start: turned(&self.start, Square::flipped, true),
            prefix: turn(&self.prefix),
            round: turn(&self.round),
            verdict: verdict.to_owned(),
            ..self.clone()
        }
    }

    /// The case in every guise that must not matter: mirrored, colours exchanged, entered at every ply.
    pub fn guises(&self) -> Vec<Case> {
        let mut guises = vec![self.mirrored(), self.swapped(), self.swapped().mirrored()];
        guises.extend((0..self.round.len()).map(|ply| self.entered_at(ply)));
        guises
    }
}

fn turned(position: &Position, turn: fn(Square) -> Square, swap: bool) -> Position {
    let setup = position.setup();
    let side = |side: Side| if swap { !side } else { side };
    let mut board = Board::new();
    for (square, piece) in setup.board.pieces() {
        board.put(turn(square), Piece::new(side(piece.side()), piece.kind()));
    }
    Setup { board, side: side(setup.side), ..setup }.playable().unwrap()
}

/// From the first of so many occurrences of the present position to now.
pub fn span(trail: &Trail, occurrences: u32) -> Range<usize> {
    trail.earlier().nth(occurrences as usize - 2).unwrap()..trail.plies()
}

/// The cases of a file: an array, or one object a line.
pub fn read(text: &str) -> Vec<Case> {
    let values: Vec<Value> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).unwrap()
    } else {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    values.iter().enumerate().map(|(index, value)| Case::read(value, index)).collect()
}

/// A half-move in words: its label, and for a chase its pairs as `Ra5xcg5`, `~` for a subversive one.
pub fn deed(side: Side, deed: &Deed) -> String {
    let pair = |chase: &Chase| {
        let letter = |side, kind| Piece::new(side, kind).letter();
        let taker = letter(side, chase.attacker_kind);
        let taken = letter(!side, chase.victim_kind);
        let mark = if chase.manner == Manner::Subversive { "~" } else { "" };
        format!("{taker}{}x{taken}{}{mark}", chase.attacker, chase.victim)
    };
    let label = match deed.label {
        Label::Check => "check",
        Label::Chase => "chase",
        Label::MateThreat => "mate threat",
        Label::Offer => "offer",
        Label::Exchange => "exchange",
        Label::Block => "block",
        Label::CheckAndTake => "check and take",
        Label::Idle => "idle",
    };
    let mut pairs: Vec<String> = deed.chases.iter().map(pair).collect();
    pairs.sort();
    [&[label.to_owned()], pairs.as_slice()].concat().join(" ")
}

/// A ruling's first round in words.
pub fn deeds(case: &Case, ruling: &Ruling) -> Vec<String> {
    let first = case.entry().side();
    let sides = [first, !first];
    (0..case.round.len()).map(|ply| deed(sides[ply % 2], &ruling.deeds[ply])).collect()
}
