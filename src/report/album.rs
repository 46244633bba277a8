//! What the report shows of games beside their results: some whole games, and how much time every engine
//! used at each of its moves. A fold of the journal's finished games, read again at the end of a run, so
//! that a run in progress carries none of it; bounded, however long the run. Start at [`Album::add`].

use std::collections::BTreeMap;

use crate::game::FaultClass;
use crate::record::{Event, GameOver, What, read_termination};
use crate::tournament::GameId;

/// Most games that are kept whole.
pub const GAMES_KEPT: usize = 200;
/// Most half-moves of all games that are kept whole.
const HALF_MOVES_KEPT: usize = 40_000;
/// Moves of a side whose times are summed; later ones are left out.
pub const MOVES_TIMED: usize = 150;

/// The games of a run, as far as documents show them.
#[derive(Debug, Clone, Default)]
pub struct Album {
    /// Faults and games that are held come first, then all others, each in schedule order; only the first
    /// are kept. Which those are does not depend on the order of adding.
    games: BTreeMap<(bool, GameId), Box<GameOver>>,
    half_moves: usize,
    /// The first game that was not kept.
    cut: Option<(bool, GameId)>,
    clocks: BTreeMap<String, Vec<Spent>>,
}

/// Time used at one move, over all games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Sum, µs.
    pub us: u64,
    /// Games in which the move was made.
    pub games: u64,
}

impl Album {
    /// The album of a run's events.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Album {
        let mut album = Album::default();
        events.into_iter().for_each(|event| album.add(event));
        album
    }

    /// Takes in an event; only the ends of games say anything here.
    pub fn add(&mut self, event: &Event) {
        let What::GameOver(over) = &event.what else { return };
        self.time(over);
        let key = (!stands_out(over), over.game);
        // An attempt that was given up before is no more than this one's beginning.
        if let Some(old) = self.games.remove(&(!key.0, key.1)) {
            self.half_moves -= half_moves(&old);
        }
        if self.cut.is_some_and(|cut| cut <= key) {
            return;
        }
        if let Some(old) = self.games.insert(key, over.clone()) {
            self.half_moves -= half_moves(&old);
        }
        self.half_moves += half_moves(over);
        while self.games.len() > 1 && (self.games.len() > GAMES_KEPT || self.half_moves > HALF_MOVES_KEPT) {
            let Some((key, last)) = self.games.pop_last() else { break };
            self.half_moves -= half_moves(&last);
            self.cut = Some(key);
        }
    }

    /// A game that was kept.
    pub fn game(&self, id: GameId) -> Option<&GameOver> {
        let found = self.games.get(&(false, id)).or_else(|| self.games.get(&(true, id)));
        found.map(|over| &**over)
    }

    /// Time used at each own move of an entrant, by its name, from the first.
    pub fn spent(&self, entrant: &str) -> &[Spent] {
        self.clocks.get(entrant).map_or(&[], Vec::as_slice)
    }

    fn time(&mut self, over: &GameOver) {
        let black_first = over.fen.split_ascii_whitespace().nth(1) == Some("b");
        for (ply, used) in (over.opening_plies as usize..).zip(&over.used_us) {
            let name = if ply.is_multiple_of(2) == black_first { &over.black } else { &over.red };
            if ply / 2 >= MOVES_TIMED {
                break;
            }
            if !self.clocks.contains_key(name) {
                self.clocks.insert(name.clone(), Vec::new());
            }
            let Some(moves) = self.clocks.get_mut(name) else { break };
            if moves.len() <= ply / 2 {
                moves.resize(ply / 2 + 1, Spent::default());
            }
            moves[ply / 2].us += used;
            moves[ply / 2].games += 1;
        }
    }
}

fn half_moves(over: &GameOver) -> usize {
    over.moves.split_ascii_whitespace().count()
}

/// Whether people will look for this game first.
fn stands_out(over: &GameOver) -> bool {
    let fault: Option<FaultClass> = read_termination(&over.termination).ok().and_then(|end| end.fault());
    fault.is_some() || over.result.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Points;
    use crate::record::fixture;

    #[test]
    fn what_is_kept_does_not_depend_on_the_order_and_is_bounded() {
        let mut events = fixture::events(Points::TwoOneZero);
        let forwards = Album::of(&events);
        events.reverse();
        let backwards = Album::of(&events);
        assert_eq!(format!("{forwards:?}"), format!("{backwards:?}"));
        let mut long = fixture::long_events(1_000);
        let forwards = Album::of(&long);
        long.reverse();
        assert!(forwards.games.keys().eq(Album::of(&long).games.keys()));
        assert!(!forwards.games.is_empty());
        let long = fixture::long_events(1_000);
        let album = Album::of(&long);
        assert!(album.games.len() <= GAMES_KEPT && album.half_moves <= HALF_MOVES_KEPT);
        assert!(album.games.len() == GAMES_KEPT || album.half_moves > HALF_MOVES_KEPT / 2);
    }

    #[test]
    fn one_endless_game_is_kept_alone_and_its_clock_is_cut() {
        let mut event = fixture::long_game();
        let What::GameOver(over) = &mut event.what else { panic!("a game") };
        over.moves = "a0a1 a9a8 a1a0 a8a9 ".repeat(20_000);
        over.used_us = vec![7; 80_000];
        over.opening_plies = 0;
        let (id, red) = (over.game, over.red.clone());
        let album = Album::of([&event]);
        assert!(album.game(id).is_some());
        assert_eq!(album.spent(&red).len(), MOVES_TIMED);
        assert!(album.spent(&red).iter().all(|spent| *spent == Spent { us: 7, games: 1 }));
    }
}
