//! The talk with a runner: lines in, lines and searches out, in UCCI or UCI as the first line asks.
//! Never searches, waits or reads a clock itself. Start at [`Dialogue::hear`].

use std::collections::VecDeque;
use std::time::Duration;

use super::line::Line;
use super::search::{Job, Limits, Outcome, Progress};
use super::words::{Go, Protocol, read_move};
use super::{MATE, Settings};
use crate::xiangqi::{Move, Position};

/// Lines kept for later while the engine thinks; a runner that sends more is not waiting for answers.
const MOST_QUEUED: usize = 256;

/// A draw is accepted from this move on ...
const DRAW_FROM_MOVE: u32 = 40;

/// ... if the score is not above this.
const DRAW_SCORE: i32 = 20;

/// What is to be done about a line.
#[derive(Debug, Clone)]
pub enum Out {
    /// Say this line.
    Say(String),
    /// Search, then call [`Dialogue::answer`].
    Think(Box<Job>),
    /// End the engine.
    Quit,
}

/// What is known of the search under way.
#[derive(Debug, Clone, Copy)]
struct Thinking {
    pondering: bool,
    endless: bool,
    stop: bool,
    draw_offered: bool,
    move_number: u32,
}

/// One talk with one runner.
#[derive(Debug)]
pub struct Dialogue {
    protocol: Option<Protocol>,
    settings: Settings,
    milliseconds: bool,
    fresh: bool,
    /// `None` after a `position` that could not be followed.
    line: Option<Line>,
    banned: Vec<Move>,
    thinking: Option<Thinking>,
    queued: VecDeque<String>,
}

impl Default for Dialogue {
    fn default() -> Dialogue {
        Dialogue::new()
    }
}

impl Dialogue {
    /// A talk in which nothing has been said yet.
    pub fn new() -> Dialogue {
        Dialogue {
            protocol: None,
            settings: Settings::default(),
            milliseconds: false,
            fresh: true,
            line: Some(Line::new(Position::start())),
            banned: Vec::new(),
            thinking: None,
            queued: VecDeque::new(),
        }
    }

    /// Takes a line of the runner. Before the greeting only a greeting or `quit` is heard; while the
    /// engine thinks `isready`, `stop`, `ponderhit` and `quit` act at once, other lines wait.
    pub fn hear(&mut self, line: &str) -> Vec<Out> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Some(protocol) = self.protocol else {
            return self.hear_greeting(word);
        };
        match (word, &mut self.thinking) {
            ("isready", _) => vec![Out::Say("readyok".to_owned())],
            ("quit", _) => {
                self.stop();
                match protocol {
                    Protocol::Ucci => vec![Out::Say("bye".to_owned()), Out::Quit],
                    Protocol::Uci => vec![Out::Quit],
                }
            }
            ("stop", _) => {
                self.stop();
                Vec::new()
            }
            ("ponderhit", Some(thinking)) => {
                thinking.pondering = false;
                thinking.draw_offered |= rest.trim() == "draw";
                Vec::new()
            }
            (_, Some(_)) => {
                if self.queued.len() < MOST_QUEUED {
                    self.queued.push_back(line.to_owned());
                }
                Vec::new()
            }
            (_, None) => self.hear_idle(protocol, word, rest.trim()),
        }
    }

    /// End of input: as `quit`, with nothing to say.
    pub fn stop(&mut self) {
        if let Some(thinking) = &mut self.thinking {
            thinking.stop = true;
        }
    }

    /// Whether the search under way shall end now.
    pub fn stop_asked(&self) -> bool {
        self.thinking.is_some_and(|thinking| thinking.stop)
    }

    /// Whether the time of the search under way does not count yet.
    pub fn is_pondering(&self) -> bool {
        self.thinking.is_some_and(|thinking| thinking.pondering)
    }

    /// Whether the answer must be held back, although the search may have ended, until more is heard.
    pub fn must_hold(&self) -> bool {
        self.thinking.is_some_and(|thinking| !thinking.stop && (thinking.pondering || thinking.endless))
    }

    /// What to say of a finished depth.
    pub fn progress(&self, progress: &Progress<'_>) -> Vec<String> {
        self.protocol.map_or(Vec::new(), |protocol| protocol.progress(progress))
    }

    /// The search has ended: its answer, and what came of the lines that waited.
    pub fn answer(&mut self, outcome: &Outcome) -> Vec<Out> {
        let (Some(thinking), Some(protocol)) = (self.thinking.take(), self.protocol) else {
            return Vec::new();
        };
        let draw =
            thinking.draw_offered && thinking.move_number >= DRAW_FROM_MOVE && outcome.score <= DRAW_SCORE;
        let mut outs = vec![Out::Say(protocol.answer(outcome, draw))];
        while self.thinking.is_none()
            && let Some(line) = self.queued.pop_front()
        {
            outs.extend(self.hear(&line));
        }
        outs
    }

    fn hear_greeting(&mut self, word: &str) -> Vec<Out> {
        let protocol = match word {
            "ucci" => Protocol::Ucci,
            "uci" => Protocol::Uci,
            "quit" => return vec![Out::Quit],
            _ => return Vec::new(),
        };
        self.protocol = Some(protocol);
        protocol.greeting().into_iter().map(Out::Say).collect()
    }

    fn hear_idle(&mut self, protocol: Protocol, word: &str, rest: &str) -> Vec<Out> {
        let remark = match word {
            "uci" | "ucci" => return self.hear_greeting(word),
            "go" => return self.go(protocol, rest),
            "ucinewgame" => {
                self.new_game();
                None
            }
            "setoption" => self.set_option(protocol, rest).err(),
            "position" => self.set_position(rest).err(),
            "banmoves" => {
                self.banned = rest.split_ascii_whitespace().filter_map(read_move).collect();
                None
            }
            _ => None,
        };
        remark.map(|text| Out::Say(protocol.remark(&text))).into_iter().collect()
    }

    fn new_game(&mut self) {
        self.fresh = true;
        self.banned.clear();
        self.line = Some(Line::new(Position::start()));
    }

    fn set_option(&mut self, protocol: Protocol, text: &str) -> Result<(), String> {
        let (name, value) = match protocol {
            Protocol::Ucci => text.split_once(char::is_whitespace).unwrap_or((text, "")),
            Protocol::Uci => {
                let text = text.strip_prefix("name").unwrap_or(text).trim();
                text.split_once(" value ").unwrap_or((text, ""))
            }
        };
        let (name, value) = (name.trim(), value.trim());
        let ranged = |low: u64, high: u64| match value.parse::<u64>() {
            Ok(number) if (low..=high).contains(&number) => Ok(number),
            Ok(_) | Err(_) => Err(format!("{name} wants a number from {low} to {high}, not '{value}'")),
        };
        match (protocol, name.to_ascii_lowercase().as_str()) {
            (Protocol::Ucci, "newgame") => self.new_game(),
            (Protocol::Ucci, "usemillisec") => self.milliseconds = value.eq_ignore_ascii_case("true"),
            (_, "ponder") => {}
            (_, "level") => {
                let (low, high) = Settings::LEVELS;
                self.settings.level = ranged(low.into(), high.into())? as u8;
            }
            (_, "noise") => self.settings.noise = ranged(0, Settings::MOST_NOISE.into())? as u16,
            (_, "seed") => self.settings.seed = ranged(0, u64::MAX)?,
            (_, "hash" | "hashsize") => self.settings.hash = ranged(1, Settings::MOST_HASH.into())? as u16,
            _ => return Err(format!("no such option: {name}")),
        }
        Ok(())
    }

    fn set_position(&mut self, text: &str) -> Result<(), String> {
        self.banned.clear();
        self.line = None;
        let (place, moves) = match text.split_once("moves") {
            Some((place, moves)) => (place.trim(), moves),
            None => (text, ""),
        };
        let position = match place.split_once(char::is_whitespace) {
            Some(("fen", fen)) => Position::from_fen(fen)?,
            None if place == "startpos" => Position::start(),
            Some(_) | None => return Err(format!("no position: '{place}'")),
        };
        let mut line = Line::new(position);
        for word in moves.split_ascii_whitespace() {
            let mv = read_move(word).ok_or_else(|| format!("'{word}' is no move"))?;
            if !line.position().is_legal(mv) {
                return Err(format!("{mv} is not legal in {}", line.position().fen()));
            }
            line.make(mv);
        }
        self.line = Some(line);
        Ok(())
    }

    fn go(&mut self, protocol: Protocol, text: &str) -> Vec<Out> {
        let Some(line) = self.line.clone() else {
            let none = Outcome { best: None, reply: None, score: -MATE, depth: 0, nodes: 0 };
            let remark = protocol.remark("the last position could not be followed");
            return vec![Out::Say(remark), Out::Say(protocol.answer(&none, false))];
        };
        let unit = Duration::from_millis(if self.milliseconds { 1 } else { 1000 });
        let go = Go::read(protocol, text, line.side(), unit);
        self.thinking = Some(Thinking {
            pondering: go.ponder,
            endless: go.infinite,
            stop: false,
            draw_offered: go.draw,
            move_number: line.position().number(),
        });
        let limits =
            Limits { depth: go.depth, nodes: go.nodes, budget: go.budget, endless: go.infinite || go.ponder };
        let fresh = std::mem::replace(&mut self.fresh, false);
        let (only, banned) = (go.only, self.banned.clone());
        vec![Out::Think(Box::new(Job { line, only, banned, limits, settings: self.settings, fresh }))]
    }
}
