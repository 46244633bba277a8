//! Where a run keeps its finished games: the latest as they are, all others packed, about 40 bytes each, in
//! blocks that folds of the same run share. Never forgets anything of a game. Start at [`Shelf`].

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use super::seats::moves_of;
use super::{GameSummary, JudgedMoves};
use crate::game::{Outcome, Termination};
use crate::law::Deed;
use crate::record::packed::{put, put_id, take, take_id};
use crate::time::{At, micros};
use crate::tournament::GameId;
use crate::xiangqi::BySide;

/// Games of a block when it is packed. Games end nearly in their order: those that end late are put into their
/// block, which is packed anew.
const BLOCK: usize = 64;
/// Games of a block before it is made two.
const FULL: usize = 2 * BLOCK;

/// Finished games, in schedule order.
#[derive(Debug, Clone, Default)]
pub(super) struct Shelf {
    /// Each block's games come before those of the next.
    blocks: Vec<Arc<Block>>,
    /// Games after those of all blocks; without what is in `judged`.
    loose: BTreeMap<GameId, GameSummary>,
    judged: BTreeMap<GameId, Arc<Judged>>,
    terminations: Said<Termination>,
    texts: Said<str>,
    /// The block that the last game changed.
    changed: Option<Arc<Block>>,
}

/// Games in a row, packed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    first: GameId,
    last: GameId,
    bytes: Box<[u8]>,
}

/// What only some games have, and only for the explanation of their rulings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Judged {
    moves: Arc<JudgedMoves>,
    deeds: Vec<Deed>,
}

/// What one fold of a run keeps of its last game, to be held by others in place of their own copy.
#[derive(Debug, Clone)]
pub struct Kept {
    block: Option<Arc<Block>>,
    judged: Option<(GameId, Arc<Judged>)>,
}

impl Shelf {
    /// A game.
    pub(super) fn get(&self, id: GameId) -> Option<GameSummary> {
        match self.block_of(id) {
            Some(place) => self.open(&self.blocks[place]).find(|game| game.id == id),
            None => self.loose.get(&id).map(|game| self.whole(game.clone())),
        }
    }

    /// All games, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = GameSummary> {
        let packed = self.blocks.iter().flat_map(|block| self.open(block));
        packed.chain(self.loose.values().map(|game| self.whole(game.clone())))
    }

    /// The games from one number to another, both counted in, in order.
    pub(super) fn between(&self, first: GameId, last: GameId) -> impl Iterator<Item = GameSummary> {
        let from = self.blocks.partition_point(|block| block.last < first);
        let blocks = self.blocks[from..].iter().take_while(move |block| block.first <= last);
        let packed = blocks.flat_map(|block| self.open(block));
        let loose = (first <= last).then(|| self.loose.range(first..=last));
        let loose = loose.into_iter().flatten().map(|(_, game)| self.whole(game.clone()));
        packed.filter(move |game| (first..=last).contains(&game.id)).chain(loose)
    }

    /// All attempts of a game, in order.
    pub(super) fn attempts(&self, game: GameId) -> Vec<GameSummary> {
        self.between(GameId { attempt: 0, ..game }, GameId { attempt: u8::MAX, ..game }).collect()
    }

    /// Puts a game in its place, where another may stand.
    pub(super) fn put(&mut self, mut game: GameSummary) {
        let id = game.id;
        self.changed = None;
        self.judged.remove(&id);
        if let Some(moves) = game.moves.take() {
            let deeds = match &mut game.termination {
                Termination::Repetition(ruling) => std::mem::take(&mut ruling.deeds),
                _ => Vec::new(),
            };
            self.judged.insert(id, Arc::new(Judged { moves, deeds }));
        }
        if let Some(place) = self.block_of(id) {
            let mut games: Vec<GameSummary> = self.open(&self.blocks[place]).collect();
            match games.binary_search_by_key(&id, |game| game.id) {
                Ok(at) => games[at] = game,
                Err(at) => games.insert(at, game),
            }
            let half = if games.len() > FULL { games.len() / 2 } else { games.len() };
            let blocks: Vec<Arc<Block>> = games.chunks(half).filter_map(|games| self.pack(games)).collect();
            self.changed = blocks.first().cloned();
            self.blocks.splice(place..=place, blocks);
            return;
        }
        self.loose.insert(id, game);
        if self.loose.len() >= 2 * BLOCK {
            let games: Vec<GameSummary> =
                std::iter::from_fn(|| self.loose.pop_first()).take(BLOCK).map(|(_, game)| game).collect();
            self.changed = self.pack(&games);
            self.blocks.extend(self.changed.clone());
        }
    }

    /// What the last game has left here, if it is that game.
    pub(super) fn kept(&self, id: GameId) -> Kept {
        let judged = self.judged.get(&id).map(|judged| (id, Arc::clone(judged)));
        Kept { block: self.changed.clone(), judged }
    }

    /// Holds what another fold holds in place of the own copy, where they are the same.
    pub(super) fn share(&mut self, kept: Kept) {
        if let Some(block) = kept.block
            && let Some(place) = self.block_of(block.first)
            && self.blocks[place] == block
        {
            self.blocks[place] = block;
            self.changed = None;
        }
        if let Some((id, judged)) = kept.judged
            && let Some(own) = self.judged.get_mut(&id).filter(|own| **own == judged)
        {
            *own = judged;
        }
    }

    /// The block in which a game stands or would stand; `None` if it comes after all of them.
    fn block_of(&self, id: GameId) -> Option<usize> {
        let place = self.blocks.partition_point(|block| block.last < id);
        (place < self.blocks.len()).then_some(place)
    }

    fn open<'a>(&'a self, block: &'a Block) -> impl Iterator<Item = GameSummary> + 'a {
        let (mut bytes, mut before) = (&block.bytes[..], 0);
        std::iter::from_fn(move || {
            let game = self.unpack(&mut bytes, before)?;
            before = game.at.0;
            Some(self.whole(game))
        })
    }

    fn whole(&self, mut game: GameSummary) -> GameSummary {
        if let Some(judged) = self.judged.get(&game.id) {
            game.moves = Some(Arc::clone(&judged.moves));
            if let Termination::Repetition(ruling) = &mut game.termination {
                ruling.deeds.clone_from(&judged.deeds);
            }
        }
        game
    }

    fn pack(&mut self, games: &[GameSummary]) -> Option<Arc<Block>> {
        let (first, last) = (games.first()?.id, games.last()?.id);
        let (mut bytes, mut before) = (Vec::new(), 0);
        for game in games {
            self.pack_one(game, before, &mut bytes);
            before = game.at.0;
        }
        Some(Arc::new(Block { first, last, bytes: bytes.into() }))
    }

    fn pack_one(&mut self, game: &GameSummary, before: u64, out: &mut Vec<u8>) {
        put_id(out, game.id);
        let black_first = game.moves_of != moves_of(game.plies, false);
        let outcome = match game.outcome {
            None => 0,
            Some(Outcome::RedWins) => 1,
            Some(Outcome::Draw) => 2,
            Some(Outcome::BlackWins) => 3,
        };
        out.push(outcome | u8::from(game.annulled) << 2 | u8::from(black_first) << 3);
        out.extend(game.print.to_le_bytes());
        let (termination, numbers) = without_numbers(&game.termination);
        let termination = self.terminations.number(&termination, |said| Arc::new(said.clone()));
        let opening = self.texts.number(&game.opening, |text| text.into());
        let last_line =
            game.last_line.as_deref().map_or(0, |line| 1 + self.texts.number(line, |text| text.into()));
        let later = game.at.0.wrapping_sub(before).cast_signed();
        for number in [
            game.red as u64,
            game.black as u64,
            game.decision.map_or(0, |number| 1 + u64::from(number)),
            termination,
            numbers[0],
            numbers[1],
            game.lost_turns.into(),
            game.plies.into(),
            game.opening_plies.into(),
            opening,
            micros(game.used.red),
            micros(game.used.black),
            micros(game.took),
            micros(game.runner_delay),
            // Small numbers for small differences of either sign.
            (later << 1 ^ later >> 63).cast_unsigned(),
            last_line,
        ] {
            put(out, number);
        }
    }

    fn unpack(&self, bytes: &mut &[u8], before: u64) -> Option<GameSummary> {
        let id = take_id(bytes)?;
        let (flags, rest) = bytes.split_first()?;
        let (print, rest) = rest.split_first_chunk()?;
        *bytes = rest;
        let mut numbers = [0; 16];
        for number in &mut numbers {
            *number = take(bytes)?;
        }
        let [red, black, decision, termination, first, second, rest @ ..] = numbers;
        let [lost_turns, plies, opening_plies, opening, red_used, black_used, rest @ ..] = rest;
        let [took, runner_delay, later, last_line] = rest;
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let outcome = [None, Some(Outcome::RedWins), Some(Outcome::Draw), Some(Outcome::BlackWins)];
        let used = BySide { red: red_used, black: black_used };
        Some(GameSummary {
            id,
            red: red as usize,
            black: black as usize,
            outcome: outcome[usize::from(flags & 3)],
            annulled: flags & 4 != 0,
            decision: decision.checked_sub(1).map(small),
            print: u64::from_le_bytes(*print),
            termination: with_numbers(self.terminations.get(termination)?.as_ref().clone(), [first, second]),
            lost_turns: small(lost_turns),
            plies: small(plies),
            opening_plies: small(opening_plies),
            opening: Arc::clone(self.texts.get(opening)?),
            used: used.map(Duration::from_micros),
            moves_of: moves_of(small(plies), flags & 8 != 0),
            took: Duration::from_micros(took),
            runner_delay: Duration::from_micros(runner_delay),
            at: At(before.wrapping_add(later >> 1 ^ (later & 1).wrapping_neg())),
            last_line: last_line.checked_sub(1).and_then(|number| self.texts.get(number)).cloned(),
            moves: None,
        })
    }
}

/// A termination as many games have it, and the numbers that are each game's own.
fn without_numbers(termination: &Termination) -> (Termination, [u64; 2]) {
    let mut same = termination.clone();
    let numbers = match &mut same {
        Termination::Flag { used, allowed, .. } | Termination::OverrunInCheck { used, allowed, .. } => {
            [std::mem::take(used), std::mem::take(allowed)].map(micros)
        }
        Termination::Repetition(ruling) => {
            let span = std::mem::take(&mut ruling.span);
            [span.start as u64, span.end as u64]
        }
        _ => [0, 0],
    };
    (same, numbers)
}

fn with_numbers(mut termination: Termination, [first, second]: [u64; 2]) -> Termination {
    match &mut termination {
        Termination::Flag { used, allowed, .. } | Termination::OverrunInCheck { used, allowed, .. } => {
            (*used, *allowed) = (Duration::from_micros(first), Duration::from_micros(second));
        }
        Termination::Repetition(ruling) => ruling.span = first as usize..second as usize,
        _ => {}
    }
    termination
}

/// What was said before, each once, by number.
#[derive(Debug)]
struct Said<T: ?Sized> {
    list: Vec<Arc<T>>,
    numbers: HashMap<Arc<T>, u32>,
}

impl<T: ?Sized> Clone for Said<T> {
    fn clone(&self) -> Self {
        Said { list: self.list.clone(), numbers: self.numbers.clone() }
    }
}

impl<T: ?Sized> Default for Said<T> {
    fn default() -> Self {
        Said { list: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: ?Sized + Eq + Hash> Said<T> {
    fn number(&mut self, said: &T, new: impl FnOnce(&T) -> Arc<T>) -> u64 {
        if let Some(known) = self.numbers.get(said) {
            return u64::from(*known);
        }
        let (said, number) = (new(said), self.list.len());
        self.list.push(Arc::clone(&said));
        self.numbers.insert(said, number as u32);
        number as u64
    }

    fn get(&self, number: u64) -> Option<&Arc<T>> {
        self.list.get(usize::try_from(number).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Book, Label, Level, Ruling, Verdict};
    use crate::xiangqi::Side;

    /// Numbers without rhyme, the same every time.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }
    }

    fn termination(chance: &mut Chance, place: u64) -> Termination {
        let loser = if place.is_multiple_of(2) { Side::Red } else { Side::Black };
        let time = |number: u64| Duration::from_micros(number);
        let flag = (time(chance.below(1 << 40)), time(chance.below(1000)));
        match chance.below(8) {
            0 => Termination::Mated { loser },
            1 => Termination::Flag { loser, used: flag.0, allowed: flag.1 },
            2 => Termination::OverrunInCheck { loser, used: flag.0, allowed: flag.1 },
            3 => Termination::Crashed { loser, how: format!("exit status {}", chance.below(3)) },
            4 => Termination::Abandoned { reason: "stopped".to_owned() },
            5 => Termination::Adjudicated { winner: None, rule: "draw" },
            6 => Termination::Agreed,
            _ => {
                let deed = Deed { check: true, chases: Vec::new(), label: Label::Check };
                let levels = BySide { red: Level::Permitted, black: Level::Permitted };
                let (article, verdict, occurrences) = (Some(7), Verdict::Draw, 3);
                let from = chance.below(300) as usize;
                let (span, deeds) = (from..from + 1, vec![deed]);
                let book = Book::default();
                Termination::Repetition(Ruling { book, occurrences, article, verdict, levels, span, deeds })
            }
        }
    }

    fn game(chance: &mut Chance, place: u64) -> GameSummary {
        let (round, pair) = (1 + place as u32 / 50, 1 + place as u32 % 50);
        let mut termination = termination(chance, place);
        let mut moves = None;
        if let Termination::Repetition(ruling) = &mut termination {
            if chance.below(2) == 0 {
                moves = Some(Arc::new(JudgedMoves { fen: "fen".to_owned(), moves: place.to_string() }));
            } else {
                ruling.deeds.clear();
            }
        }
        let plies = chance.below(400) as u32;
        let used = BySide { red: chance.below(1 << 45), black: chance.below(2) };
        let last_line = (chance.below(3) == 0).then(|| Arc::from(format!("line {}", chance.below(5))));
        GameSummary {
            id: GameId {
                stage: 1,
                round,
                pair,
                leg: 1 + (place % 2) as u8,
                attempt: 1 + chance.below(3) as u8,
            },
            red: chance.below(300) as usize,
            black: chance.below(3) as usize,
            outcome: [None, Some(Outcome::Draw), Some(Outcome::BlackWins)][chance.below(3) as usize],
            annulled: chance.below(9) == 0,
            decision: (chance.below(9) == 0).then_some(u32::MAX),
            print: chance.below(1 << 30) << 31,
            termination,
            lost_turns: chance.below(2) as u32,
            plies,
            opening_plies: chance.below(20) as u32,
            opening: Arc::from(format!("opening {}", chance.below(7))),
            used: used.map(Duration::from_micros),
            moves_of: moves_of(plies, chance.below(2) == 0),
            took: Duration::from_micros(chance.below(1 << 40)),
            runner_delay: Duration::from_micros(chance.below(1 << 20)),
            at: At(chance.below(1 << 50)),
            last_line,
            moves,
        }
    }

    #[test]
    fn games_are_found_as_they_were_whatever_their_order() {
        let mut chance = Chance(1);
        let (mut shelf, mut other) = (Shelf::default(), Shelf::default());
        let mut model = BTreeMap::new();
        for step in 0..4000 {
            // Mostly in order, some far behind.
            let place = if chance.below(10) == 0 { chance.below(step + 1) } else { step };
            let game = game(&mut chance, place);
            let id = game.id;
            model.insert(id, game.clone());
            shelf.put(game.clone());
            other.put(game.clone());
            other.share(shelf.kept(id));
            assert_eq!(shelf.get(id).as_ref(), Some(&game));
            assert_eq!(shelf.get(GameId { attempt: 9, ..id }), None);
        }
        assert!(shelf.iter().eq(model.values().cloned()) && other.iter().eq(model.values().cloned()));
        for id in model.keys() {
            let own = model.range(GameId { attempt: 0, ..*id }..=GameId { attempt: 99, ..*id });
            assert!(shelf.attempts(*id).iter().eq(own.map(|(_, game)| game)));
        }
        let (first, last) =
            (GameId { attempt: 0, ..*model.keys().nth(700).unwrap() }, *model.keys().nth(2000).unwrap());
        assert!(shelf.between(first, last).eq(model.range(first..=last).map(|(_, game)| game.clone())));
        assert_eq!(shelf.between(last, first).count(), 0);
        let shared =
            shelf.blocks.iter().zip(&other.blocks).filter(|(one, two)| Arc::ptr_eq(one, two)).count();
        assert!(shared * 10 > shelf.blocks.len() * 9, "{shared} of {} blocks are shared", shelf.blocks.len());
        assert!(shelf.judged.iter().all(|(id, judged)| Arc::ptr_eq(judged, &other.judged[id])));
        let (bytes, packed) = (
            shelf.blocks.iter().map(|block| block.bytes.len()).sum::<usize>(),
            model.len() - shelf.loose.len(),
        );
        assert!(bytes < 60 * packed && shelf.loose.len() < 2 * BLOCK, "{bytes} bytes for {packed} games");
    }
}
