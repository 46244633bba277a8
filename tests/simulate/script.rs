//! Scripted engines: they speak UCI and UCCI as text, move by a pure function of the position, and
//! misbehave as their quirk says. They read no clock: what they will say comes with its delay.
//! Start at [`Script::hear`].

use std::time::Duration;

use chuhe::engine::{Manifest, Protocol};
use chuhe::xiangqi::{Move, Position, Square, SquareStyle};

use super::dice::{Dice, mixed};

/// What is wrong with a process. The number says at which `go` of its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    None,
    NotStarted,
    DiesBeforeGreeting,
    DiesInGreeting,
    SilentGreeting,
    SlowGreeting,
    DiesAtNewGame,
    NeverReady,
    NeverReads,
    DiesThinking(u32),
    Stalls(u32),
    LateByOne(u32),
    JustInTime(u32),
    Illegal(u32),
    Null(u32),
    Garbage(u32),
    NoBestMove(u32),
    Resigns(u32),
    AnswersTwice(u32),
    AnswersThenDies(u32),
    Floods(u32),
    AnswersUnasked,
    IgnoresQuit,
    IgnoresStop,
    DiesAtQuit,
}

impl Quirk {
    pub fn draw(dice: &mut Dice) -> Quirk {
        let turn = 1 + dice.below(6) as u32;
        match dice.below(25) {
            0 => Quirk::NotStarted,
            1 => Quirk::DiesBeforeGreeting,
            2 => Quirk::DiesInGreeting,
            3 => Quirk::SilentGreeting,
            4 => Quirk::SlowGreeting,
            5 => Quirk::DiesAtNewGame,
            6 => Quirk::NeverReady,
            7 => Quirk::NeverReads,
            8 => Quirk::DiesThinking(turn),
            9 => Quirk::Stalls(turn),
            10 => Quirk::LateByOne(turn),
            11 => Quirk::JustInTime(turn),
            12 => Quirk::Illegal(turn),
            13 => Quirk::Null(turn),
            14 => Quirk::Garbage(turn),
            15 => Quirk::NoBestMove(turn),
            16 => Quirk::Resigns(turn),
            17 => Quirk::DiesThinking(1),
            18 => Quirk::AnswersTwice(turn),
            19 => Quirk::AnswersThenDies(turn),
            20 => Quirk::Floods(turn),
            21 => Quirk::AnswersUnasked,
            22 => Quirk::IgnoresQuit,
            23 => Quirk::IgnoresStop,
            _ => Quirk::DiesAtQuit,
        }
    }

    /// The word it is counted by.
    pub fn name(self) -> String {
        let text = format!("{self:?}");
        text.split('(').next().unwrap_or_default().to_owned()
    }
}

/// What a line is, as its author means it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Nothing that decides anything.
    Chat,
    /// The end of the greeting.
    Greeted,
    /// A legal answer, perhaps with an offer of a draw.
    Answer { mv: Move, draw: bool },
    /// An answer that is no legal move.
    Cheat,
    /// The side gives up.
    Resign,
}

/// Something an engine does, so long after it was spoken to.
#[derive(Debug)]
pub struct Act {
    pub after: Duration,
    pub what: What,
    /// The search it belongs to; a stopped search says nothing any more.
    pub search: Option<u32>,
}

#[derive(Debug)]
pub enum What {
    Say(Vec<u8>, Deed),
    Die(&'static str),
}

/// What a script may know of the clock, so that it can be late by a microsecond.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    /// Time until the flag falls, margin included; none without a clock.
    pub clock: Option<Duration>,
}

/// How it chooses a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temper {
    /// Any legal move.
    Wild,
    /// Takes what it can.
    Greedy,
    /// Moves to and fro.
    Idle,
}

#[derive(Debug)]
pub struct Script {
    protocol: Protocol,
    style: SquareStyle,
    ping: bool,
    /// What it likes: its choice of moves.
    pub nature: u64,
    temper: Temper,
    pub quirk: Quirk,
    /// Whether the quirk has shown.
    pub shown: bool,
    dice: Dice,
    position: Option<Position>,
    turns: u32,
    readies: u32,
    pub search: u32,
    /// Whether it offers draws now and then.
    pub offers: bool,
    thinking: bool,
    /// It gives up at its next turn.
    pub gives_up: bool,
    /// It dies at about one in so many positions; never if 0.
    pub dies: u64,
}

/// Longest thought of a well-behaved engine.
const LONGEST_THOUGHT_US: u64 = 40_000;

impl Script {
    pub fn new(manifest: &Manifest, nature: u64, quirk: Quirk, dice: Dice) -> Script {
        let temper = match mixed(nature) % 4 {
            0 => Temper::Idle,
            1 => Temper::Greedy,
            _ => Temper::Wild,
        };
        Script {
            protocol: manifest.protocol,
            style: manifest.squares,
            ping: manifest.ping,
            nature,
            temper,
            quirk,
            shown: false,
            dice,
            position: None,
            turns: 0,
            readies: 0,
            search: 0,
            offers: false,
            thinking: false,
            gives_up: false,
            dies: 0,
        }
    }

    fn soon(&mut self) -> Duration {
        Duration::from_micros(self.dice.below(800))
    }

    fn say(&mut self, text: impl Into<Vec<u8>>, deed: Deed, acts: &mut Vec<Act>) {
        let after = self.soon();
        acts.push(Act { after, what: What::Say(text.into(), deed), search: None });
    }

    fn die(&mut self, how: &'static str, acts: &mut Vec<Act>) {
        let after = self.soon();
        acts.push(Act { after, what: What::Die(how), search: None });
    }

    /// Takes a line; what it does about it is added to `acts`.
    pub fn hear(&mut self, line: &str, allowed: Allowed, acts: &mut Vec<Act>) {
        let word = line.split_whitespace().next().unwrap_or("");
        match word {
            "uci" | "ucci" => self.greet(acts),
            "isready" => {
                self.readies += 1;
                if self.quirk == Quirk::NeverReady && self.readies > 1 {
                    self.shown = true;
                } else {
                    self.say("readyok", Deed::Chat, acts);
                }
            }
            "ucinewgame" => self.new_game(acts),
            "setoption" if line.contains("newgame") => self.new_game(acts),
            "position" => self.position = Some(read_position(line, self.style)),
            "go" => self.go(allowed, acts),
            "stop" => self.stop(acts),
            "quit" => match self.quirk {
                Quirk::IgnoresQuit => self.shown = true,
                Quirk::DiesAtQuit => {
                    self.shown = true;
                    self.die("signal 11", acts);
                }
                _ => self.die("exit status 0", acts),
            },
            _ => {}
        }
    }

    fn greet(&mut self, acts: &mut Vec<Act>) {
        self.shown |= matches!(
            self.quirk,
            Quirk::DiesBeforeGreeting | Quirk::DiesInGreeting | Quirk::SilentGreeting | Quirk::SlowGreeting
        );
        match self.quirk {
            Quirk::DiesBeforeGreeting => return self.die("exit status 1", acts),
            Quirk::SilentGreeting => return,
            _ => {}
        }
        self.say(format!("id name Script {:x}", self.nature & 0xFFFF), Deed::Chat, acts);
        if self.quirk == Quirk::DiesInGreeting {
            return self.die("signal 6", acts);
        }
        let (end, options): (_, &[&str]) = match self.protocol {
            Protocol::Ucci => ("ucciok", &["option usemillisec type check", "option newgame type button"]),
            Protocol::Uci | Protocol::Cecp => ("uciok", &["option name Hash type spin default 1"]),
        };
        for option in options {
            self.say(*option, Deed::Chat, acts);
        }
        let slow = if self.quirk == Quirk::SlowGreeting { Duration::from_secs(9) } else { self.soon() };
        acts.push(Act { after: slow, what: What::Say(end.into(), Deed::Greeted), search: None });
    }

    fn new_game(&mut self, acts: &mut Vec<Act>) {
        match self.quirk {
            Quirk::DiesAtNewGame => {
                self.shown = true;
                self.die("signal 11", acts);
            }
            // Without a sign of readiness nobody can tell it from an answer.
            Quirk::AnswersUnasked if self.ping => {
                self.shown = true;
                self.say("bestmove a0a1", Deed::Chat, acts);
            }
            _ => {}
        }
    }

    fn stop(&mut self, acts: &mut Vec<Act>) {
        if !std::mem::take(&mut self.thinking) {
            return;
        }
        if self.quirk == Quirk::IgnoresStop {
            self.shown = true;
            self.search += 1;
            return;
        }
        if !self.dice.once_in(4) {
            self.search += 1;
            self.say("bestmove a0a1", Deed::Chat, acts);
        }
    }

    fn thought(&mut self, allowed: Allowed) -> Duration {
        let most = allowed.clock.map_or(LONGEST_THOUGHT_US, |clock| clock.as_micros() as u64 * 3 / 4);
        Duration::from_micros((5 + self.dice.below(LONGEST_THOUGHT_US)).min(most))
    }

    fn go(&mut self, allowed: Allowed, acts: &mut Vec<Act>) {
        let Some(position) = self.position.take() else { panic!("go without a position") };
        self.turns += 1;
        self.search += 1;
        self.thinking = true;
        let chosen = choose(&position, self.nature, self.temper).expect("asked with no move to make");
        let mut text = String::from("bestmove ");
        let mut written = Vec::new();
        self.style.write(chosen, &mut written);
        text.push_str(std::str::from_utf8(&written).expect("squares are ASCII"));
        let mut after = self.thought(allowed);
        let mut deed = Deed::Answer { mv: chosen, draw: false };
        let turn = self.turns;
        let mut shows = true;
        let mut then = None;
        if let Some(instead) = self.no_move(&position) {
            (text, deed) = instead;
            self.shown |= self.quirk != Quirk::None;
        }
        if self.dies > 0 && mixed(position.key() ^ self.nature).is_multiple_of(self.dies) {
            acts.push(Act { after, what: What::Die("signal 11"), search: Some(self.search) });
            return;
        }
        match self.quirk {
            Quirk::DiesThinking(at) if at == turn => {
                let search = Some(self.search);
                acts.push(Act { after, what: What::Die("signal 11"), search });
                self.shown = true;
                return;
            }
            Quirk::Stalls(at) if at == turn => {
                self.shown = true;
                return;
            }
            Quirk::LateByOne(at) if at == turn && allowed.clock.is_some() => {
                after = allowed.clock.unwrap_or_default() + Duration::from_micros(1);
            }
            Quirk::JustInTime(at) if at == turn && allowed.clock.is_some() => {
                after = allowed.clock.unwrap_or_default();
            }
            Quirk::Resigns(at) if at == turn => {
                text.push_str(" resign");
                deed = Deed::Resign;
            }
            // Where no sign of readiness is asked for, the second answer to a game's last question may come after the
            // first question of the next game, and nobody can tell it from the answer to that.
            Quirk::AnswersTwice(at) if at == turn && self.ping => {
                then = Some(What::Say(text.clone().into(), Deed::Chat));
            }
            Quirk::AnswersThenDies(at) if at == turn => then = Some(What::Die("exit status 3")),
            Quirk::Floods(at) if at == turn => {
                for _ in 0..40 {
                    let line = "info string a flood of words".to_owned();
                    acts.push(Act {
                        after: Duration::ZERO,
                        what: What::Say(line.into(), Deed::Chat),
                        search: None,
                    });
                }
            }
            _ => shows = false,
        }
        self.shown |= shows;
        self.offer(&position, &mut deed, &mut text);
        let search = Some(self.search);
        let info = self.info(&position);
        let early = after / 2;
        acts.push(Act { after: early, what: What::Say(info.into(), Deed::Chat), search });
        acts.push(Act { after, what: What::Say(text.into(), deed), search });
        if let Some(what) = then {
            acts.push(Act { after: after + Duration::from_micros(1), what, search: None });
        }
    }

    /// In some positions, always the same, it offers a draw with its move.
    fn offer(&self, position: &Position, deed: &mut Deed, text: &mut String) {
        if self.offers
            && let Deed::Answer { draw, .. } = deed
            && mixed(position.key() ^ self.nature.rotate_left(9)).is_multiple_of(4)
        {
            *draw = true;
            text.push_str(" draw");
        }
    }

    /// What it says of its search.
    fn info(&self, position: &Position) -> String {
        let score = (mixed(position.key() ^ self.nature) % 600) as i64 - 300;
        match self.protocol {
            Protocol::Ucci => format!("info depth 5 score {score} pv"),
            Protocol::Uci | Protocol::Cecp => format!("info depth 5 score cp {score} nodes 77 pv"),
        }
    }

    /// What it answers instead of a move at this turn.
    fn no_move(&self, position: &Position) -> Option<(String, Deed)> {
        let turn = self.turns;
        if self.gives_up {
            return Some(("nobestmove".to_owned(), Deed::Resign));
        }
        match self.quirk {
            Quirk::Illegal(at) if at == turn => Some((illegal_answer(position, self.style), Deed::Cheat)),
            Quirk::Null(at) if at == turn => Some(("bestmove 0000".to_owned(), Deed::Cheat)),
            Quirk::Garbage(at) if at == turn => {
                Some(("bestmove \u{7f}xyzzy\u{4e2d}".to_owned(), Deed::Cheat))
            }
            Quirk::NoBestMove(at) if at == turn => Some(("nobestmove".to_owned(), Deed::Resign)),
            _ => None,
        }
    }

    /// Its answer was delivered.
    pub fn answered(&mut self) {
        self.thinking = false;
    }
}

fn read_position(line: &str, style: SquareStyle) -> Position {
    let (head, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let mut position = match head.strip_prefix("position fen ") {
        Some(fen) => Position::from_fen(fen).expect("the runner sends a FEN that can be played"),
        None => Position::start(),
    };
    for word in moves.split_whitespace() {
        let mv = style.read(word.as_bytes()).expect("the runner sends moves");
        assert!(position.is_legal(mv), "the runner sends legal moves");
        position.make(mv);
    }
    position
}

/// The move of a nature in a position: always the same one.
fn choose(position: &Position, nature: u64, temper: Temper) -> Option<Move> {
    let mut best: Option<(u64, Move)> = None;
    position.each_legal(|mv| {
        let (from, to) = (mv.from.index() as u64, mv.to.index() as u64);
        let worth = match temper {
            Temper::Idle => {
                let way = from.min(to) * 90 + from.max(to);
                // Captures last, so that the same way can be gone back.
                let quiet = u64::from(position.get(mv.to).is_none()) << 63;
                quiet | (mixed(way ^ nature) >> 1)
            }
            Temper::Greedy => {
                let taken = u64::from(position.get(mv.to).is_some()) << 63;
                taken | (mixed((from * 90 + to) ^ nature ^ position.key()) >> 1)
            }
            Temper::Wild => mixed((from * 90 + to) ^ nature ^ position.key()),
        };
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, mv));
        }
    });
    best.map(|(_, mv)| mv)
}

fn illegal_answer(position: &Position, style: SquareStyle) -> String {
    let own = Square::all().find(|square| position.get(*square).is_some_and(|p| p.side() == position.side()));
    let from = own.expect("a side has its general");
    let illegal = Square::all()
        .map(|to| Move::new(from, to))
        .find(|mv| mv.from != mv.to && !position.is_legal(*mv))
        .expect("nothing goes everywhere");
    let mut text = b"bestmove ".to_vec();
    style.write(illegal, &mut text);
    String::from_utf8(text).expect("squares are ASCII")
}
