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

    /// The search under way shall end: `stop`, `quit` or the end of input.
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
            (_, "seed") => self.settings.seed = ranged(0, Settings::MOST_SEED)?,
            (_, "hash" | "hashsize") => self.settings.hash = ranged(1, Settings::MOST_HASH.into())? as u16,
            (Protocol::Ucci | Protocol::Uci, _) => return Err(format!("no such option: {name}")),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::search::{Engine, Moment, Watch};
    use super::*;

    /// A runner that says one of its lines at each look of the search, on a clock that stands still.
    struct Hall {
        dialogue: Dialogue,
        meanwhile: VecDeque<String>,
        said: Vec<String>,
        jobs: VecDeque<Box<Job>>,
        ended: bool,
    }

    impl Hall {
        fn new() -> Hall {
            Hall {
                dialogue: Dialogue::new(),
                meanwhile: VecDeque::new(),
                said: Vec::new(),
                jobs: VecDeque::new(),
                ended: false,
            }
        }

        fn take(&mut self, outs: Vec<Out>) {
            for out in outs {
                match out {
                    Out::Say(line) => self.said.push(line),
                    Out::Think(job) => self.jobs.push_back(job),
                    Out::Quit => self.ended = true,
                }
            }
        }

        fn tell(&mut self, line: &str) {
            let outs = self.dialogue.hear(line);
            self.take(outs);
        }

        fn tell_next(&mut self) {
            if let Some(line) = self.meanwhile.pop_front() {
                self.tell(&line);
            }
        }

        fn think(&mut self, engine: &mut Engine) {
            while let Some(job) = self.jobs.pop_front() {
                let outcome = engine.think(&job, self);
                while self.dialogue.must_hold() {
                    assert!(!self.meanwhile.is_empty() || self.ended, "the answer is held for ever");
                    self.tell_next();
                }
                if !self.ended {
                    let outs = self.dialogue.answer(&outcome);
                    self.take(outs);
                }
            }
        }
    }

    impl Watch for Hall {
        fn moment(&mut self) -> Moment {
            self.tell_next();
            let charged = (!self.dialogue.is_pondering()).then_some(Duration::ZERO);
            Moment { elapsed: Duration::ZERO, charged, stop: self.dialogue.stop_asked() }
        }

        fn finished(&mut self, progress: &Progress<'_>) {
            assert!(!self.dialogue.progress(progress).is_empty());
        }
    }

    /// `>` the runner's line, `~` its line while the engine thinks, `<` the engine's line (a `*` stands
    /// for any rest). Lines about progress are left out.
    fn check(transcript: &str) {
        let mut hall = Hall::new();
        let mut engine = Engine::default();
        let mut expected = Vec::new();
        let mut lines = transcript.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        while let Some(line) = lines.next() {
            let (mark, text) = line.split_at(1);
            match mark {
                "<" => expected.push(text.trim()),
                ">" => hall.tell(text),
                _ => panic!("{line}"),
            }
            while let Some(meanwhile) = lines.next_if(|line| line.starts_with('~')) {
                hall.meanwhile.push_back(meanwhile[1..].to_owned());
            }
            hall.think(&mut engine);
        }
        let matches = |said: &String, expected: &&str| match expected.strip_suffix('*') {
            Some(beginning) => said.starts_with(beginning),
            None => said == expected,
        };
        let same = hall.said.len() == expected.len()
            && hall.said.iter().zip(&expected).all(|(said, expected)| matches(said, expected));
        assert!(same, "expected {expected:#?}\nsaid {:#?}", hall.said);
        assert!(hall.meanwhile.is_empty(), "not heard: {:?}", hall.meanwhile);
    }

    const UCI: &str = "> uci\n< id name chuhe sparring *\n< id author chuhe
        < option name Ponder type check default false
        < option name Level type spin default 10 min 1 max 10
        < option name Noise type spin default 0 min 0 max 1000
        < option name Seed type spin default 0 min 0 max 4294967295
        < option name Hash type spin default 8 min 1 max 1024
        < uciok\n";

    const UCCI: &str = "> ucci\n< id name chuhe sparring *\n< id author chuhe
        < option usemillisec type check default false
        < option newgame type button
        < option ponder type check default false
        < option Level type spin min 1 max 10 default 10
        < option Noise type spin min 0 max 1000 default 0
        < option Seed type spin min 0 max 4294967295 default 0
        < option hashsize type spin min 1 max 1024 default 8
        < ucciok\n";

    #[test]
    fn talks_in_uci() {
        for transcript in [
            "> isready\n> go depth 1\n> uci\n< *\n< *\n< *\n< *\n< *\n< *\n< *\n< uciok\n> isready\n< readyok",
            "> position startpos moves h2e2 h9g7\n> go depth 2\n< bestmove *",
            "> go wtime 0 btime 0\n< bestmove *",
            "> go wtime -5 btime 100\n< bestmove *",
            // The only legal move, a mated general, a move that is not legal, a FEN that is none.
            "> position fen 3k5/9/9/9/9/9/9/9/9/4K4 b\n> go nodes 50\n< bestmove d9d8 ponder *",
            "> position fen 3k5/9/9/9/9/9/9/9/9/4K4 b\n> go movetime 1000\n< bestmove d9d8",
            "> position fen 3k5/R8/9/9/9/9/9/9/9/4K4 b\n> go depth 9\n< bestmove (none)",
            "> position startpos moves h2h8\n< info string h2h8 is not legal *\n> go depth 1\n< info string *\n< bestmove (none)",
            "> position fen what\n< info string *\n> position startpos\n> go depth 1\n< bestmove *",
            "> go depth 3 searchmoves a0a1 nodes 400\n< bestmove a0a1 *",
            "> setoption name Level value 3\n> setoption name hash value 2\n> go depth 1\n< bestmove *",
            "> setoption name Level value 11\n< info string Level wants a number from 1 to 10, not '11'",
            "> setoption name Own Book value true\n< info string no such option: Own Book",
            // While it thinks: ready at once, other lines afterwards.
            "> go infinite\n~ isready\n~ stop\n< readyok\n< bestmove *",
            "> go infinite depth 1\n~ isready\n~ isready\n~ isready\n~ stop\n< readyok\n< readyok\n< readyok\n< bestmove *",
            "> go ponder wtime 0 btime 0\n~ isready\n~ ponderhit\n< readyok\n< bestmove *",
            "> go ponder movetime 10\n~ stop\n< bestmove *",
            "> go infinite\n~ position fen 3k5/R8/9/9/9/9/9/9/9/4K4 b\n~ go depth 1\n~ stop\n< bestmove *\n< bestmove (none)",
            "> stop\n> ponderhit\n> nonsense\n>\n> go depth 1\n< bestmove *",
            "> go infinite\n~ quit",
        ] {
            let greeted = if transcript.contains("uci\n") { String::new() } else { UCI.to_owned() };
            check(&(greeted + transcript));
        }
    }

    #[test]
    fn talks_in_ucci() {
        let late = "3k5/9/9/9/9/9/9/9/r8/4K4 w - - 0 70";
        for transcript in [
            "> isready\n< readyok\n> go depth 2\n< bestmove *",
            "> setoption usemillisec true\n> position startpos\n> go time 1 increment 0\n< bestmove *",
            "> setoption newgame\n> go nodes 300\n< bestmove *\n> setoption randomness none\n< info message no such option: randomness",
            "> position fen 3k5/9/9/9/9/9/9/9/9/4K4 b\n> banmoves d9d8\n> go depth 3\n< nobestmove",
            "> position fen 3k5/9/9/9/9/9/9/9/9/4K4 b\n> banmoves d9d8\n> position fen 3k5/9/9/9/9/9/9/9/9/4K4 b\n> go depth 1\n< bestmove d9d8",
            "> position fen 3k5/R8/9/9/9/9/9/9/9/4K4 b\n> go depth 3\n< nobestmove",
            "> quit\n< bye",
            "> go infinite\n~ quit\n< bye",
            "> go draw depth 1\n< bestmove b0c2",
            "> go infinite\n~ stop\n< bestmove *",
        ] {
            check(&(UCCI.to_owned() + transcript));
        }
        check(&format!("{UCCI}> position fen {late}\n> go draw depth 1\n< bestmove e0f0 draw"));
        check(&format!(
            "{UCCI}> position fen {late}\n> go ponder depth 1\n~ ponderhit draw\n< bestmove e0f0 draw"
        ));
        check(&format!("{UCCI}> position fen {late}\n> go depth 1\n< bestmove e0f0"));
    }

    #[test]
    fn a_new_game_is_forgotten_in_both_protocols() {
        for (greeting, new_game) in [("ucci", "setoption newgame"), ("uci", "ucinewgame")] {
            let mut hall = Hall::new();
            hall.tell(greeting);
            for expected in [true, false] {
                hall.tell("go depth 1");
                assert_eq!(hall.jobs[0].fresh, expected);
                hall.think(&mut Engine::default());
            }
            hall.tell(new_game);
            hall.tell("go depth 1");
            assert!(hall.jobs[0].fresh);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_line_upsets_it(words in prop::collection::vec(prop::sample::select(vec![
            "\n", "\n", "\n", "go", "position", "startpos", "fen", "moves", "h2e2", "h9g7", "e2e6", "searchmoves",
            "banmoves", "setoption", "name", "value", "Level", "Hash", "hashsize", "usemillisec", "true", "-1", "0", "3",
            "99999999999999999999", "depth", "nodes", "time", "wtime", "movestogo", "ponder", "draw", "uci", "ucci", "é",
            "isready", "stop", "ponderhit", "newgame", "3k5/9/9/9/9/9/9/9/9/4K4", "b", "w",
        ]), 0..40), ucci: bool) {
            let mut hall = Hall::new();
            hall.tell(if ucci { "ucci" } else { "uci" });
            for line in words.join(" ").lines() {
                hall.tell(line);
                while let Some(mut job) = hall.jobs.pop_front() {
                    job.limits.nodes = Some(100);
                    job.settings.hash = 1;
                    let outcome = Engine::default().think(&job, &mut hall);
                    prop_assert!(outcome.best.is_none_or(|mv| job.line.position().is_legal(mv)));
                    let outs = hall.dialogue.answer(&outcome);
                    hall.take(outs);
                }
            }
        }
    }
}
