//! Thinking on the opponent's time: who may, what they are asked, and what becomes of it when the opponent has
//! moved. The time before that move is free. After a hit the side's clock runs from the flush of
//! `ponderhit`; after a miss from the flush of `stop`, and it is asked anew only when the stale answer has
//! come. Never decides what a move is worth. Start at [`Table::ponder`].

use super::chair::State;
use super::{Effect, Reply, Table, send};
use crate::engine::{AnsweredMove, Protocol};
use crate::game::Answer;
use crate::law;
use crate::time::At;
use crate::xiangqi::{Move, Side};

impl Table {
    /// The side that has just moved may think on about the reply that it expects. Members of a team never do:
    /// another one of them is to move next (II.3). Nor does the master of an exhibition, who goes on to another board.
    pub(super) fn ponder(&mut self, at: At, side: Side, expected: Option<Move>, effects: &mut Vec<Effect>) {
        let chair = &self.chairs[side];
        let Some(expected) = expected.filter(|_| chair.session.manifest().ponder) else { return };
        let rests = self.over
            || self.game.side() == side
            || chair.state != State::Ready
            || !self.benches[side].is_empty()
            || self.master == Some(side)
            || !chair.session.is_asked_to_ponder()
            || !self.game.trail().position().is_legal(expected);
        if rests {
            return;
        }
        let mut ahead = self.game.trail().clone();
        ahead.play(expected);
        if law::ending(&ahead, &self.game.terms().rules).is_some() {
            return;
        }
        self.list_losing_moves(side, Some(&ahead));
        let chair = &mut self.chairs[side];
        if chair.ponder(at, &self.game, expected, &self.ban, &self.only, self.manners.patience) {
            send(side, chair, effects);
        }
    }

    /// It is the turn of a side that thinks about the position after `expected`.
    pub(super) fn end_pondering(&mut self, at: At, side: Side, expected: Move, effects: &mut Vec<Effect>) {
        let played = self.game.trail().halves().last().and_then(|half| half.mv);
        let patience = self.manners.patience;
        if played != Some(expected) {
            let chair = &mut self.chairs[side];
            if chair.stop_pondering(at, patience) {
                send(side, chair, effects);
            } else {
                self.ask_if_due(at, side, effects);
            }
            return;
        }
        let draw = self.game.draw_offered();
        let chair = &mut self.chairs[side];
        let Some(early) = chair.ponder_hit(at, draw, patience) else {
            send(side, chair, effects);
            return;
        };
        // It had answered already: with no time used.
        self.game.asked(at);
        let reply = match &early.mv {
            Early::Move(mv) => Reply::Move(*mv),
            Early::None(text) if text == b"nobestmove" => Reply::NoBestMove,
            Early::None(text) => Reply::Unreadable(text),
        };
        let answer = Answer { reply, draw: early.draw, resign: early.resign };
        self.answer(at, side, answer, early.ponder, effects);
    }

    /// The stale answer of a stopped thought came, so that the side can be asked about what was played.
    pub(super) fn drained(&mut self, at: At, side: Side, effects: &mut Vec<Effect>) {
        self.chairs[side].state = State::Ready;
        self.ask_if_due(at, side, effects);
    }

    /// The moves that would complete a repetition lost for `side` in the game as it stands, or as it would
    /// stand; for engines that can be told.
    pub(super) fn list_losing_moves(&mut self, side: Side, ahead: Option<&law::Trail>) {
        self.ban.clear();
        self.only.clear();
        let by_ban = match self.chairs[side].session.manifest().protocol {
            Protocol::Ucci if self.manners.warn => true,
            Protocol::Uci if self.manners.warn_uci => false,
            Protocol::Ucci | Protocol::Uci | Protocol::Cecp => return,
        };
        let trail = ahead.unwrap_or_else(|| self.game.trail());
        law::losing_moves(trail, &self.game.terms().rules, &mut self.ban);
        if !self.ban.is_empty() && !by_ban {
            let (banned, only) = (&self.ban, &mut self.only);
            trail.position().each_legal(|mv| {
                if !banned.contains(&mv) {
                    only.push(mv);
                }
            });
            self.ban.clear();
        }
    }
}

/// An answer that came while its engine was pondering.
#[derive(Debug)]
pub(super) struct EarlyAnswer {
    mv: Early,
    ponder: Option<Move>,
    draw: bool,
    resign: bool,
}

#[derive(Debug)]
enum Early {
    Move(Move),
    None(Vec<u8>),
}

impl EarlyAnswer {
    pub(super) fn of(answer: &crate::engine::Answer<'_>) -> EarlyAnswer {
        let mv = match answer.mv {
            AnsweredMove::Move(mv) => Early::Move(mv),
            AnsweredMove::None(text) | AnsweredMove::Unreadable(text) => Early::None(text.to_vec()),
        };
        EarlyAnswer { mv, ponder: answer.ponder, draw: answer.draw, resign: answer.resign }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::super::{Chair, Input, Manners};
    use super::*;
    use crate::engine::Manifest;
    use crate::game::{Adjudication, Game, Terms, TimeControl};
    use crate::law::Rules;
    use crate::plan::CrashRule;
    use crate::xiangqi::{BySide, Position, SquareStyle};

    /// A table with Red pondering, both sides in one protocol, where every send is flushed 1 µs later.
    struct Bench {
        table: Table,
        at: u64,
        log: Vec<String>,
    }

    impl Bench {
        fn new(protocol: Protocol, fen: &str, opening: &str, clock: &str) -> Bench {
            Bench::pondering(protocol, fen, opening, clock, BySide { red: true, black: false })
        }

        fn pondering(
            protocol: Protocol,
            fen: &str,
            opening: &str,
            clock: &str,
            ponder: BySide<bool>,
        ) -> Bench {
            let control = TimeControl::parse(clock).unwrap();
            let terms = Terms {
                rules: Rules::default(),
                controls: BySide { red: control, black: control },
                margin: Duration::ZERO,
                patience: Duration::from_secs(5),
                draw_offers: true,
                adjudication: Adjudication::default(),
                draw_as_black_win: false,
            };
            let mut manifest = Manifest::new("x", protocol);
            manifest.ping = false;
            let manifests = ponder.map(|ponder| Arc::new(Manifest { ponder, ..manifest.clone() }));
            let start = Position::from_fen(fen).unwrap();
            let moves: Vec<Move> = opening
                .split_whitespace()
                .map(|word| SquareStyle::Zero.read(word.as_bytes()).unwrap())
                .collect();
            let game = Game::new(terms, start.clone(), &moves);
            let chairs = BySide::from_fn(|side| {
                let mut chair = Chair::absent(&manifests[side], &start);
                chair.enter_all(game.trail());
                chair
            });
            let patience = Duration::from_secs(5);
            let manners = Manners { crash: CrashRule::Loses, warn: true, warn_uci: true, patience };
            let mut bench = Bench { table: Table::new(game, chairs, manners), at: 0, log: Vec::new() };
            bench.input(Input::Begin);
            for side in Side::BOTH {
                bench.input(Input::Started(side));
                let word = if protocol == Protocol::Uci { "uci" } else { "ucci" };
                let option = if protocol == Protocol::Uci {
                    "option name Ponder type check"
                } else {
                    "option ponder type check"
                };
                bench.input(Input::Line(side, option.as_bytes()));
                bench.input(Input::Line(side, format!("{word}ok").as_bytes()));
            }
            bench.log.clear();
            bench
        }

        fn input(&mut self, input: Input<'_>) {
            let mut effects = Vec::new();
            self.table.step(At(self.at), input, &mut effects);
            for effect in effects {
                match effect {
                    Effect::Send(side) => {
                        let text = std::mem::take(self.table.outbox(side));
                        for line in String::from_utf8_lossy(&text).lines() {
                            if !line.starts_with("position") {
                                self.log.push(format!("{side} < {line}").to_lowercase());
                            }
                        }
                        self.at += 1;
                        self.input(Input::Sent(side));
                    }
                    Effect::Moved(made, _) => {
                        let line = format!("{} {} {} µs", made.side, made.mv, made.used.as_micros());
                        self.log.push(line.to_lowercase());
                    }
                    Effect::Over(why) => self.log.push(why.kind().to_owned()),
                    Effect::Settled => self.log.push("settled".to_owned()),
                    Effect::Start(_)
                    | Effect::Kill(_)
                    | Effect::Note(..)
                    | Effect::Rotate(_)
                    | Effect::Overran(..)
                    | Effect::Advised(..) => {}
                }
            }
        }

        /// `MS SIDE LINE`: so many milliseconds later a side says a line.
        fn say(&mut self, text: &str) -> &mut Bench {
            let mut words = text.splitn(3, ' ');
            self.at += words.next().unwrap().parse::<u64>().unwrap() * 1000;
            let side = if words.next() == Some("red") { Side::Red } else { Side::Black };
            let line = words.next().unwrap().to_owned();
            self.input(Input::Line(side, line.as_bytes()));
            self
        }

        fn expect(&mut self, expected: &[&str]) {
            assert_eq!(std::mem::take(&mut self.log), expected);
        }
    }

    const START: &str = crate::xiangqi::START_FEN;

    #[test]
    fn after_a_hit_only_the_time_from_ponderhit_counts() {
        let mut bench = Bench::new(Protocol::Uci, START, "", "10");
        bench.say("100 red bestmove h2e2 ponder h9g7");
        bench.expect(&[
            "red h2e2 100000 µs",
            "black < go btime 10000 wtime 9900 binc 0 winc 0",
            "red < go ponder wtime 9900 btime 10000 winc 0 binc 0",
        ]);
        bench.say("3000 red info depth 9 score cp 5 pv h0g2").say("10 black bestmove h9g7");
        bench.expect(&["black h9g7 3010001 µs", "red < ponderhit"]);
        bench.say("40 red bestmove h0g2 ponder i9h9");
        assert_eq!(bench.log[0], "red h0g2 40000 µs");
    }

    #[test]
    fn after_a_miss_the_stale_answer_is_drained_before_the_question() {
        let mut bench = Bench::new(Protocol::Uci, START, "", "10");
        bench.say("100 red bestmove h2e2 ponder h9g7").say("1000 black bestmove b9c7");
        let last = bench.log.split_off(3);
        assert_eq!(last, ["black b9c7 1000001 µs", "red < stop"]);
        // The clock runs while the engine takes its time to stop, and it is told what is left.
        bench.log.clear();
        bench.say("5 red bestmove h0g2 ponder a9a8");
        bench.expect(&["red < go wtime 9895 btime 8999 winc 0 binc 0"]);
        bench.say("20 red bestmove h0g2");
        assert_eq!(bench.log[0], "red h0g2 25001 µs");
    }

    #[test]
    fn a_side_that_does_not_stop_loses_on_time() {
        let mut bench = Bench::new(Protocol::Uci, START, "", "1");
        bench.say("100 red bestmove h2e2 ponder h9g7").say("100 black bestmove b9c7");
        bench.log.clear();
        bench.at += 900_001;
        bench.input(Input::Timer);
        bench.expect(&["flag"]);
        bench.say("1 red bestmove h0g2");
        bench.expect(&["settled"]);
    }

    #[test]
    fn an_answer_before_the_hit_costs_no_time_and_one_before_a_miss_is_dropped() {
        let mut bench = Bench::new(Protocol::Uci, START, "", "10");
        bench.say("100 red bestmove h2e2 ponder h9g7").say("5 red bestmove h0g2 ponder i9h9");
        bench.log.clear();
        bench.say("100 black bestmove h9g7");
        bench.expect(&[
            "black h9g7 105001 µs",
            "red h0g2 0 µs",
            "black < go btime 9894 wtime 9900 binc 0 winc 0",
            "red < go ponder wtime 9900 btime 9894 winc 0 binc 0",
        ]);
        bench.say("5 red bestmove i0h0").say("5 black bestmove b9c7");
        assert_eq!(bench.log[1], "red < go wtime 9900 btime 9884 winc 0 binc 0");
    }

    #[test]
    fn nothing_is_pondered_that_is_illegal_or_ends_the_game() {
        let mut bench = Bench::new(Protocol::Uci, START, "", "10");
        bench.say("1 red bestmove h2e2 ponder e2e3").say("1 black bestmove h9g7").say("1 red bestmove h0g2");
        assert!(!bench.log.iter().any(|line| line.contains("ponder")), "{:?}", bench.log);
        let mut bench = Bench::new(Protocol::Uci, "5k3/9/9/9/9/9/9/r8/9/4K4 w - - 0 1", "", "10");
        bench.say("1 red bestmove e0e1 ponder a2a1");
        assert_eq!(bench.log.len(), 3, "{:?}", bench.log);
        let mut bench = Bench::new(Protocol::Uci, "5k3/9/9/9/9/9/9/r8/1r7/3K5 w - - 0 1", "", "10");
        bench.say("1 red bestmove d0e0 ponder a2a0");
        assert!(!bench.log.iter().any(|line| line.contains("ponder")), "mates: {:?}", bench.log);
    }

    #[test]
    fn the_end_of_the_game_stops_a_pondering_engine() {
        let mut bench = Bench::new(Protocol::Uci, START, "", "10");
        bench.say("1 red bestmove h2e2 ponder h9g7").say("1 black bestmove (none)");
        let end = bench.log.split_off(3);
        assert_eq!(end, ["illegal_move", "red < stop"]);
        bench.log.clear();
        bench.say("1 red bestmove h0g2");
        bench.expect(&["settled"]);
    }

    #[test]
    fn offers_and_bans_go_with_the_words_of_ucci() {
        let mut bench = Bench::new(Protocol::Ucci, START, "", "10");
        bench.say("1 red bestmove h2e2 ponder h9g7").say("1 black bestmove h9g7 draw");
        assert_eq!(bench.log.last().map(String::as_str), Some("red < ponderhit draw"));
        bench.say("1 red bestmove h0g2 draw");
        assert_eq!(bench.log.last().map(String::as_str), Some("settled"));
        // Red's chariot checks for ever; the third time loses, and is banned already while Red ponders.
        let fen = "3k5/9/9/9/9/9/9/9/R8/4K4 b - - 0 1";
        let played = "d9d8 a1a8 d8d9 a8a9 d9d8 a9a8 d8d9";
        let mut bench = Bench::new(Protocol::Ucci, fen, played, "10");
        bench.say("1 red bestmove a8a9 ponder d9d8");
        assert!(bench.log.iter().any(|line| line == "red < banmoves a9a8"), "{:?}", bench.log);
        let mut bench = Bench::new(Protocol::Uci, fen, played, "10");
        bench.say("1 red bestmove a8a9 ponder d9d8");
        let told = bench.log.last().cloned().unwrap_or_default();
        assert!(told.contains("go ponder") && told.contains("searchmoves"), "{told}");
        assert!(!told.contains("a9a8"), "{told}");
    }

    /// Draws of a seed (a multiplicative generator; nothing of it matters but that it repeats).
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, bound: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % u64::from(bound)) as u32
        }
    }

    /// Two pondering engines at a table: what each owes, and a clock of our own.
    struct Duel {
        table: Table,
        at: u64,
        chance: Chance,
        /// Who owes an answer.
        owes: BySide<bool>,
        /// Who has answered before it was its turn.
        early: BySide<bool>,
        /// The position that is thought about.
        line: BySide<String>,
        since: BySide<Option<u64>>,
        /// Hits, misses, answers before a hit, answers before a miss.
        met: [u32; 4],
        over: bool,
    }

    fn choose(position: &Position) -> Move {
        let moves = position.legal_moves();
        moves[(position.key() % moves.len() as u64) as usize]
    }

    impl Duel {
        fn new(seed: u64) -> Duel {
            let both = BySide { red: true, black: true };
            let Bench { table, at, .. } = Bench::pondering(Protocol::Uci, START, "", "60", both);
            let mut duel = Duel {
                table,
                at,
                chance: Chance(seed),
                owes: BySide { red: true, black: false },
                early: BySide::default(),
                line: BySide::from_fn(|_| "position startpos".to_owned()),
                since: BySide { red: Some(at), black: None },
                met: [0; 4],
                over: false,
            };
            while !duel.over && duel.table.game().trail().plies() < 80 {
                duel.act();
            }
            duel
        }

        /// Somebody who owes an answer gives it.
        fn act(&mut self) {
            self.at += 1 + u64::from(self.chance.below(3000));
            let mover = self.table.game().side();
            let pondering = self.owes[!mover] && self.chance.below(4) == 0;
            let side = if pondering { !mover } else { mover };
            assert!(self.owes[side], "nobody owes the mover's answer");
            // What it was told, which for a stopped or pondering side is not what stands on the board.
            let (_, words) = self.line[side].split_once(" moves ").unwrap_or_default();
            let mut position = Position::start();
            for word in words.split_whitespace() {
                position.make(SquareStyle::Zero.read(word.as_bytes()).unwrap());
            }
            let mv = choose(&position);
            position.make(mv);
            let mut text = format!("bestmove {mv}");
            if position.has_legal_move() {
                let replies = position.legal_moves();
                let wrong = replies[self.chance.below(replies.len() as u32) as usize];
                let guess = if self.chance.below(3) > 0 { choose(&position) } else { wrong };
                text.push_str(&format!(" ponder {guess}"));
            }
            self.owes[side] = false;
            self.early[side] = pondering;
            self.input(Input::Line(side, text.as_bytes()));
        }

        fn input(&mut self, input: Input<'_>) {
            let mut effects = Vec::new();
            self.table.step(At(self.at), input, &mut effects);
            let at = self.at;
            for effect in effects {
                match effect {
                    Effect::Send(side) => self.send(side),
                    Effect::Moved(made, _) => {
                        let since = self.since[made.side].take();
                        if since.is_none() {
                            self.met[2] += 1;
                            self.early[made.side] = false;
                        }
                        let charge = since.map_or(0, |since| at - since);
                        assert_eq!(made.used.as_micros(), u128::from(charge), "{:?}", self.line[made.side]);
                    }
                    Effect::Over(_) => self.over = true,
                    Effect::Start(_)
                    | Effect::Kill(_)
                    | Effect::Note(..)
                    | Effect::Rotate(_)
                    | Effect::Overran(..)
                    | Effect::Advised(..)
                    | Effect::Settled => {}
                }
            }
        }

        fn send(&mut self, side: Side) {
            let text = String::from_utf8(std::mem::take(self.table.outbox(side))).unwrap();
            let mut counts = false;
            for line in text.lines() {
                let word = line.split(' ').next().unwrap_or_default();
                match word {
                    "position" => line.clone_into(&mut self.line[side]),
                    "go" => {
                        assert!(!self.owes[side], "asked again before it has answered");
                        let ponder = line.starts_with("go ponder");
                        self.met[3] += u32::from(std::mem::take(&mut self.early[side]) && !ponder);
                        self.owes[side] = true;
                        counts |= !ponder;
                    }
                    "ponderhit" | "stop" if !self.over => {
                        self.met[usize::from(word == "stop")] += 1;
                        counts = true;
                    }
                    _ => {}
                }
            }
            self.at += 1 + u64::from(self.chance.below(40));
            if counts && self.table.game().side() == side {
                let at = self.at;
                self.since[side].get_or_insert(at);
            }
            self.input(Input::Sent(side));
        }
    }

    #[test]
    fn charges_are_those_of_an_independent_clock() {
        let mut met = [0; 4];
        for seed in 0..if cfg!(debug_assertions) { 30 } else { 500 } {
            let duel = Duel::new(seed);
            met.iter_mut().zip(duel.met).for_each(|(all, one)| *all += one);
        }
        assert!(met.iter().all(|count| *count > 20), "hits, misses, early hits, early misses: {met:?}");
    }
}
