//! What happens at the seats of one entrant whose players are persons: the words of a UCCI engine become boards,
//! clocks and turns, and what a person says becomes the words of an engine, legal moves only (II.2, IV.4). A pure
//! machine: it never reads a clock and never touches a line or a page. Start at [`Chamber::hear`] and
//! [`Chamber::say`].

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::chamber_words::{Board, Clocks, Told, read_go, read_position};
use super::seats::FarSeat;
use crate::engine::printable;
use crate::xiangqi::{Fault, Move, NotationError, read_move};

/// Most characters of what somebody says that are kept.
const MOST_TEXT: usize = 200;

/// Most pieces of advice that are kept for one move.
const MOST_ADVICE: usize = 20;

/// Which line of a seat: a number of this entrant's.
pub type LineId = u64;

/// Words for a line, each ending with its newline.
pub type Words = Vec<(LineId, String)>;

/// What a person may say.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Say {
    /// That it is here and may be asked.
    Here {},
    /// A move in any notation, as the answer to a turn.
    Move {
        /// As typed.
        text: String,
        /// The turn that is answered.
        turn: u64,
    },
    /// It resigns.
    Resign {
        /// The turn that is answered.
        turn: u64,
    },
    /// It offers a draw with its next move, or no longer.
    OfferDraw {
        /// Whether it does.
        on: bool,
    },
    /// It accepts the draw that stands offered.
    AcceptDraw {
        /// The turn that is answered.
        turn: u64,
    },
    /// Advice for the member on turn: words or a move.
    Advise {
        /// As typed.
        text: String,
    },
}

/// Whether something said was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It was.
    Yes,
    /// It cannot be done: the move is not legal, nothing was offered.
    No,
    /// It answers a turn that is over.
    Stale,
}

/// What is answered to a person, in both languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Whether it was taken.
    pub taken: Taken,
    english: String,
    chinese: String,
}

impl Reply {
    /// An answer.
    pub fn new(taken: Taken, english: impl Into<String>, chinese: impl Into<String>) -> Reply {
        Reply { taken, english: english.into(), chinese: chinese.into() }
    }

    /// As `{"ok", "en", "zh"}`.
    pub fn json(&self) -> Value {
        json!({ "ok": self.taken == Taken::Yes, "en": self.english, "zh": self.chinese })
    }
}

/// A seat.
#[derive(Debug)]
struct Member {
    facts: FarSeat,
    is_here: bool,
    offers_draw: bool,
    said: Option<Reply>,
}

/// A question that waits for its answer.
#[derive(Debug)]
struct Turn {
    id: u64,
    asked: Instant,
    clocks: Clocks,
    legal: Vec<Move>,
}

/// One line: it is asked for the moves of one game at a time.
#[derive(Debug)]
struct Line {
    member: usize,
    is_open: bool,
    /// Whether its greeting waits for the person.
    greets: bool,
    milliseconds: bool,
    /// Games begun.
    games: u64,
    /// At which board of an exhibition it is.
    place: Option<u64>,
    board: Option<Board>,
    banned: Vec<Move>,
    turn: Option<Turn>,
    /// When it was used last, as a number that grows.
    used: u64,
}

#[derive(Debug)]
struct Advice {
    member: Option<usize>,
    text: String,
    mv: Option<Move>,
}

/// The seats of an entrant.
#[derive(Debug, Default)]
pub struct Chamber {
    members: Vec<Member>,
    lines: BTreeMap<LineId, Line>,
    advice: Vec<Advice>,
    count: u64,
    is_closed: bool,
}

impl Chamber {
    /// A seat more; returns its number.
    pub fn add(&mut self, facts: FarSeat) -> usize {
        self.members.push(Member { facts, is_here: false, offers_draw: false, said: None });
        self.members.len() - 1
    }

    /// A line of a seat is open.
    pub fn open(&mut self, member: usize) -> LineId {
        self.count += 1;
        let line = Line {
            member,
            is_open: true,
            greets: false,
            milliseconds: false,
            games: 0,
            place: None,
            board: None,
            banned: Vec::new(),
            turn: None,
            used: self.count,
        };
        self.lines.insert(self.count, line);
        self.count
    }

    /// A line is closed. The board that was shown last stays to be seen.
    pub fn close(&mut self, id: LineId) {
        let Some(line) = self.lines.get_mut(&id) else { return };
        line.turn = None;
        line.greets = false;
        line.is_open = false;
        let boards = self.lines.iter().filter(|(_, line)| line.board.is_some());
        let last = boards.max_by_key(|(_, line)| line.used).map(|(id, _)| *id);
        self.lines.retain(|id, line| line.is_open || Some(*id) == last);
    }

    /// Nothing follows.
    pub fn end(&mut self) {
        self.is_closed = true;
        self.lines.values_mut().for_each(|line| line.turn = None);
    }

    /// A line of the runner at `now`, without its newline: what is to be answered at once.
    pub fn hear(&mut self, now: Instant, id: LineId, text: &str) -> Words {
        let count = self.count + 1;
        let Some(line) = self.lines.get_mut(&id) else { return Words::new() };
        let member = &mut self.members[line.member];
        let (word, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        match word {
            "ucci" => {
                line.greets = true;
                let greeting = member.is_here.then(|| line.greet(&member.facts));
                return greeting.into_iter().map(|words| (id, words)).collect();
            }
            "isready" => return vec![(id, "readyok\n".to_owned())],
            "setoption" if line.set_option(rest) => {
                self.advice.clear();
                member.offers_draw = false;
            }
            "position" => {
                line.banned.clear();
                line.board = read_position(rest);
            }
            "banmoves" => line.banned = rest.split_ascii_whitespace().filter_map(Told::mv).collect(),
            "go" => {
                self.count = count;
                member.said = None;
                return line.ask(now, count, rest).into_iter().map(|words| (id, words)).collect();
            }
            "stop" if line.turn.take().is_some() => return vec![(id, "nobestmove\n".to_owned())],
            "quit" => {
                line.turn = None;
                return vec![(id, "bye\n".to_owned())];
            }
            _ => {}
        }
        Words::new()
    }

    /// A person says something: what it is answered, and what goes to the runner.
    pub fn say(&mut self, member: usize, say: &Say) -> (Reply, Words) {
        let (reply, words) = match say {
            Say::Here {} => self.here(member),
            Say::Move { text, turn } => self.answer(member, *turn, |this, id| this.move_words(id, text)),
            Say::Resign { turn } => self.answer(member, *turn, |_, _| {
                Ok(("bestmove resign\n".to_owned(), Reply::new(Taken::Yes, "resigned", "已认输")))
            }),
            Say::AcceptDraw { turn } => self.answer(member, *turn, |this, id| {
                let offered = this.lines[&id].turn.as_ref().is_some_and(|turn| turn.clocks.draw_offered);
                if !offered {
                    return Err(Reply::new(Taken::No, "no draw is offered", "对方没有提和"));
                }
                let agreed = Reply::new(Taken::Yes, "the draw is accepted", "同意和棋");
                Ok(("bestmove (none) draw\n".to_owned(), agreed))
            }),
            Say::OfferDraw { on } => {
                self.members[member].offers_draw = *on;
                let [english, chinese] = match on {
                    true => ["a draw goes with the next move", "下一着同时提和"],
                    false => ["no draw is offered", "不提和"],
                };
                (Reply::new(Taken::Yes, english, chinese), Words::new())
            }
            Say::Advise { text } => (self.advise(member, text), Words::new()),
        };
        self.members[member].said = Some(reply.clone());
        (reply, words)
    }

    /// The person is there: greetings that waited for that are answered, and check-in goes on (III.3).
    fn here(&mut self, member: usize) -> (Reply, Words) {
        let person = &mut self.members[member];
        person.is_here = true;
        let own = self.lines.iter_mut().filter(|(_, line)| line.member == member && line.greets);
        let words = own.map(|(id, line)| (*id, line.greet(&person.facts))).collect();
        (Reply::new(Taken::Yes, "you have the seat", "已入座"), words)
    }

    /// The line at which a seat is asked: the one that has waited longest.
    fn asked(&self, member: usize) -> Option<LineId> {
        let own = self.lines.iter().filter(|(_, line)| line.member == member);
        let asked = own.filter_map(|(id, line)| Some((line.turn.as_ref()?.id, *id)));
        asked.min().map(|(_, id)| id)
    }

    fn answer(
        &mut self,
        member: usize,
        turn: u64,
        words: impl FnOnce(&Chamber, LineId) -> Result<(String, Reply), Reply>,
    ) -> (Reply, Words) {
        let stale = || Reply::new(Taken::Stale, "this is not the turn you are asked for", "现在不是这一轮");
        let id = self.asked(member);
        let id = id.filter(|id| self.lines[id].turn.as_ref().is_some_and(|asked| asked.id == turn));
        let Some(id) = id else { return (stale(), Words::new()) };
        let (words, reply) = match words(self, id) {
            Ok(answered) => answered,
            Err(refused) => return (refused, Words::new()),
        };
        self.members[member].offers_draw = false;
        self.advice.clear();
        if let Some(line) = self.lines.get_mut(&id) {
            line.turn = None;
            if let (Some(mv), Some(board)) = (Told::answered(&words), &mut line.board) {
                board.play(mv);
            }
        }
        (reply, vec![(id, words)])
    }

    fn move_words(&self, id: LineId, text: &str) -> Result<(String, Reply), Reply> {
        let line = &self.lines[&id];
        let (person, Some(board)) = (&self.members[line.member], &line.board) else {
            return Err(Reply::new(Taken::No, "there is no board", "没有棋局"));
        };
        let mv = read_move(&board.position, cleaned(text).trim(), None)
            .map_err(|error| refusal(&error, person.facts.blindfold))?;
        if line.banned.contains(&mv) {
            let english = format!("{mv} is forbidden here: it would repeat against the rules");
            return Err(Reply::new(Taken::No, english, format!("{mv} 此时禁止：违反循环规定")));
        }
        let draw = if person.offers_draw { " draw" } else { "" };
        Ok((
            format!("bestmove {mv}{draw}\n"),
            Reply::new(Taken::Yes, format!("played {mv}"), format!("已走 {mv}")),
        ))
    }

    fn advise(&mut self, member: usize, text: &str) -> Reply {
        let text = cleaned(text);
        let text = text.trim();
        if self.members[member].facts.members < 2 {
            return Reply::new(Taken::No, "there is nobody to advise", "没有可以建议的队友");
        }
        if text.is_empty() {
            return Reply::new(Taken::No, "the advice is empty", "建议为空");
        }
        let position =
            self.shown(member).and_then(|(_, line)| line.board.as_ref()).map(|board| &board.position);
        let mv = position.and_then(|position| read_move(position, text, None).ok());
        if self.advice.len() >= MOST_ADVICE {
            self.advice.remove(0);
        }
        self.advice.push(Advice { member: self.members[member].facts.member, text: text.to_owned(), mv });
        Reply::new(Taken::Yes, "the member on turn sees it", "轮走队员可以看到")
    }

    /// The line that a seat is shown: where it is asked, or else the one used last by anybody of the team.
    fn shown(&self, member: usize) -> Option<(LineId, &Line)> {
        let used = || {
            let with_board = self.lines.iter().filter(|(_, line)| line.board.is_some());
            with_board.max_by_key(|(_, line)| line.used).map(|(id, _)| *id)
        };
        let id = self.asked(member).or_else(used)?;
        Some((id, self.lines.get(&id)?))
    }

    /// Everything a seat may see at `now`.
    pub fn state(&self, now: Instant, member: usize) -> Value {
        let Member { facts, is_here, offers_draw, said } = &self.members[member];
        let shown = self.shown(member);
        let game = shown.and_then(|(_, line)| {
            let (board, number) = (line.board.as_ref()?, line.games.max(1));
            Some(if facts.blindfold { board.told(line.place.unwrap_or(number)) } else { board.json(number) })
        });
        let turn = shown.and_then(|(_, line)| line.turn.as_ref().filter(|_| line.member == member));
        let turn = turn.map(|turn| {
            let legal: Vec<String> = turn.legal.iter().map(Move::to_string).collect();
            let mut turn = turn.json(now);
            if !facts.blindfold {
                turn["legal"] = json!(legal);
            }
            turn
        });
        let advice: Vec<Value> = self.advice.iter().map(Advice::json).collect();
        json!({
            "seat": {
                "label": facts.label,
                "entrant": facts.entrant,
                "entrant_zh": facts.entrant_zh,
                "member": facts.member,
                "members": facts.members,
                "blindfold": facts.blindfold,
            },
            "here": is_here,
            "game": game,
            "turn": turn,
            "advice": advice,
            "offers_draw": offers_draw,
            "said": said.as_ref().map(Reply::json),
            "closed": self.is_closed,
        })
    }
}

impl Advice {
    fn json(&self) -> Value {
        json!({ "member": self.member, "text": self.text, "move": self.mv.map(|mv| mv.to_string()) })
    }
}

impl Turn {
    fn json(&self, now: Instant) -> Value {
        let ms = |time: Option<Duration>| time.map(|time| time.as_millis() as u64);
        json!({
            "id": self.id,
            "left_ms": ms(self.clocks.own),
            "opponent_left_ms": ms(self.clocks.opponent),
            "move_ms": ms(self.clocks.move_time),
            "asked_ms": ms(Some(now.saturating_duration_since(self.asked))),
            "draw_offered": self.clocks.draw_offered,
        })
    }
}

impl Line {
    fn greet(&mut self, facts: &FarSeat) -> String {
        self.greets = false;
        let board = if facts.blindfold { "option board type spin min 1 max 1000 default 1\n" } else { "" };
        // A name of several lines would be several words.
        let name = printable(facts.entrant.as_bytes());
        format!(
            "id name {name}\noption usemillisec type check default false\noption newgame type button\n{board}ucciok\n"
        )
    }

    /// Sets an option; true if that begins a game.
    fn set_option(&mut self, text: &str) -> bool {
        let (name, value) = text.split_once(' ').unwrap_or((text, ""));
        match name {
            "usemillisec" => self.milliseconds = value == "true",
            "board" => self.place = value.parse().ok(),
            "newgame" => {
                self.games += 1;
                self.board = None;
                self.banned.clear();
                self.turn = None;
                return true;
            }
            _ => {}
        }
        false
    }

    /// The runner asks for a move; what is answered at once where no person can answer.
    fn ask(&mut self, now: Instant, id: u64, text: &str) -> Option<String> {
        self.used = id;
        let Some(board) = &mut self.board else { return Some("nobestmove\n".to_owned()) };
        board.colour = board.position.side();
        let mut legal = board.position.legal_moves();
        legal.retain(|mv| !self.banned.contains(mv));
        let clocks = read_go(text, self.milliseconds);
        self.turn = Some(Turn { id, asked: now, clocks, legal });
        None
    }
}

/// Text of a person as it may be shown: no control characters, not long.
fn cleaned(text: &str) -> String {
    printable(text.as_bytes()).chars().take(MOST_TEXT).collect()
}

/// Why a text is no move. Who sees no board is told no more than that.
fn refusal(error: &NotationError, blindfold: bool) -> Reply {
    if blindfold && !matches!(error, NotationError::Unreadable | NotationError::RanksFromOne) {
        return Reply::new(Taken::No, "this is not a legal move on this board", "在这一台上不是合法着法");
    }
    let chinese = match error {
        NotationError::Unreadable => "看不懂这一着".to_owned(),
        NotationError::RanksFromOne => "坐标的横线从 0 数到 9".to_owned(),
        NotationError::Ambiguous(moves) => {
            let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
            format!("有几种走法：{}", moves.join("、"))
        }
        NotationError::Illegal(Fault::NoSuchPiece) => "不合法：没有能这样走的棋子".to_owned(),
        NotationError::Illegal(Fault::EmptyPoint(square)) => format!("不合法：{square} 没有棋子"),
        NotationError::Illegal(Fault::OtherSide(square)) => format!("不合法：{square} 是对方的棋子"),
        NotationError::Illegal(Fault::CannotReach(mv)) => {
            format!("不合法：{} 的棋子走不到 {}", mv.from, mv.to)
        }
        NotationError::Illegal(Fault::GeneralAttacked(mv)) => {
            format!("不合法：走 {mv} 后己方将帅被将军或与对方将帅照面")
        }
    };
    Reply::new(Taken::No, error.to_string(), chinese)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Far;

    fn facts(member: Option<usize>, members: usize, blindfold: bool) -> FarSeat {
        let label = format!("1.{}", member.unwrap_or(1));
        let entrant = "A\nquit".to_owned();
        FarSeat { label, far: Far::Person, entrant, entrant_zh: None, member, members, blindfold }
    }

    /// One entrant's seats and what they have said to the runner.
    struct Hall {
        chamber: Chamber,
        now: Instant,
        said: String,
    }

    impl Hall {
        fn new(seats: &[FarSeat]) -> Hall {
            let mut chamber = Chamber::default();
            for facts in seats {
                chamber.add(facts.clone());
            }
            Hall { chamber, now: Instant::now(), said: String::new() }
        }

        fn hear(&mut self, line: LineId, lines: &[&str]) -> &mut Hall {
            for text in lines {
                let words = self.chamber.hear(self.now, line, text);
                self.said.extend(words.into_iter().map(|(to, words)| format!("{to}< {words}")));
            }
            self
        }

        fn say(&mut self, member: usize, what: Value) -> Taken {
            let (reply, words) = self.chamber.say(member, &serde_json::from_value(what).unwrap());
            self.said.extend(words.into_iter().map(|(to, words)| format!("{to}< {words}")));
            reply.taken
        }

        fn expect(&mut self, said: &str) {
            assert_eq!(std::mem::take(&mut self.said), said);
        }

        fn state(&self, member: usize) -> Value {
            self.chamber.state(self.now, member)
        }
    }

    #[test]
    fn a_person_answers_as_an_engine_and_with_legal_moves_only() {
        let mut hall = Hall::new(&[facts(None, 1, false)]);
        let line = hall.chamber.open(0);
        hall.hear(line, &["ucci"]).expect("");
        assert_eq!(hall.say(0, json!({ "kind": "here" })), Taken::Yes);
        hall.expect(
            "1< id name A quit\noption usemillisec type check default false\noption newgame type button\nucciok\n",
        );
        hall.hear(line, &["setoption usemillisec true", "isready", "setoption newgame", "isready"]);
        hall.expect("1< readyok\n1< readyok\n");
        hall.hear(
            line,
            &["position startpos moves h2e2", "banmoves h9g7", "go draw time 60000 opptime 5000"],
        );
        hall.now += Duration::from_millis(1500);
        let turn = hall.state(0)["turn"].clone();
        assert_eq!(
            (&turn["left_ms"], &turn["opponent_left_ms"], &turn["asked_ms"], &turn["draw_offered"]),
            (&json!(60_000), &json!(5000), &json!(1500), &json!(true))
        );
        let id = turn["id"].as_u64().unwrap();
        let legal = turn["legal"].as_array().unwrap();
        assert!(!legal.contains(&json!("h9g7")) && legal.contains(&json!("b9c7")));
        for (text, turn, taken) in [
            ("h9g7", id, Taken::No),
            ("a9a3", id, Taken::No),
            ("\nbestmove h9g7", id, Taken::No),
            ("", id, Taken::No),
            ("b9c7", id + 1, Taken::Stale),
        ] {
            assert_eq!(hall.say(0, json!({ "kind": "move", "text": text, "turn": turn })), taken, "{text}");
        }
        hall.expect("");
        assert_eq!(hall.say(0, json!({ "kind": "offer-draw", "on": true })), Taken::Yes);
        assert_eq!(hall.say(0, json!({ "kind": "move", "text": " 马２进３ ", "turn": id })), Taken::Yes);
        hall.expect("1< bestmove b9c7 draw\n");
        let state = hall.state(0);
        assert_eq!((&state["turn"], &state["offers_draw"]), (&Value::Null, &json!(false)));
        assert_eq!(state["game"]["moves"], json!(["h2e2", "b9c7"]));
        assert_eq!(hall.say(0, json!({ "kind": "move", "text": "h9i7", "turn": id })), Taken::Stale);
        // The flag falls: whatever is said then is too late.
        hall.hear(line, &["go time 1000", "stop", "stop"]).expect("1< nobestmove\n");
        assert_eq!(hall.say(0, json!({ "kind": "resign", "turn": id + 1 })), Taken::Stale);
        hall.hear(line, &["quit"]).expect("1< bye\n");
    }

    #[test]
    fn garbage_on_the_line_upsets_nothing() {
        let mut hall = Hall::new(&[facts(None, 1, false)]);
        let line = hall.chamber.open(0);
        hall.say(0, json!({ "kind": "here" }));
        for text in
            ["", "position", "position fen x", "position startpos moves a0a9", "banmoves x", "setoption"]
        {
            hall.hear(line, &[text]).expect("");
        }
        hall.hear(line, &["go time x opptime"]).expect("1< nobestmove\n");
        hall.hear(line + 1, &["ucci", "go"]).expect("");
    }

    #[test]
    fn who_plays_blindfold_is_told_moves_only() {
        let mut hall = Hall::new(&[facts(None, 1, true)]);
        let line = hall.chamber.open(0);
        hall.say(0, json!({ "kind": "here" }));
        hall.hear(line, &["ucci", "setoption board 3", "position startpos moves h2e2 h9g7"]);
        hall.hear(line, &["go time 60 movestogo 1"]);
        let state = hall.state(0);
        let last = json!({ "move": "h9g7", "wxf": "H8+7", "zh": "马８进７" });
        assert_eq!(state["game"], json!({ "number": 3, "board": 3, "colour": "red", "last": last }));
        assert_eq!((&state["turn"]["move_ms"], &state["turn"]["left_ms"]), (&json!(60_000), &Value::Null));
        assert!(state["turn"].get("legal").is_none());
        let id = &state["turn"]["id"];
        assert_eq!(hall.say(0, json!({ "kind": "move", "text": "a0a5", "turn": id })), Taken::No);
        assert_eq!(hall.state(0)["said"]["en"], "this is not a legal move on this board");
        assert_eq!(hall.say(0, json!({ "kind": "move", "text": "H2+3", "turn": id })), Taken::Yes);
        assert_eq!(hall.state(0)["game"]["last"]["move"], "h9g7");
    }

    #[test]
    fn lines_come_and_go_and_each_turn_is_answered_where_it_was_asked() {
        let mut hall = Hall::new(&[facts(Some(1), 2, false), facts(Some(2), 2, false)]);
        for member in 0..2 {
            hall.say(member, json!({ "kind": "here" }));
        }
        let lines = [hall.chamber.open(0), hall.chamber.open(0), hall.chamber.open(1)];
        for line in lines {
            hall.hear(line, &["position startpos", "go time 60"]);
        }
        let first = hall.state(0)["turn"]["id"].clone();
        assert_eq!(hall.say(0, json!({ "kind": "move", "text": "h2e2", "turn": first })), Taken::Yes);
        let second = hall.state(0)["turn"]["id"].clone();
        assert_eq!(hall.say(0, json!({ "kind": "resign", "turn": second })), Taken::Yes);
        hall.expect("1< bestmove h2e2\n2< bestmove resign\n");
        lines[1..].iter().for_each(|line| hall.chamber.close(*line));
        assert_eq!(hall.state(1)["turn"], Value::Null);
        assert!(!hall.state(1)["game"].is_null(), "the last board is still seen");
        hall.hear(lines[0], &["isready"]).expect("1< readyok\n");
    }
}
