//! Half-moves by sides and bouts: what the order of a team's seats needs where it runs on from one game of a
//! bout into the next (IV.4). Never seats anybody. Start at [`Run::moves_in_bout`].

use super::{GameSummary, Run, plies_of};
use crate::record::GameOver;
use crate::tournament::GameId;
use crate::xiangqi::{BySide, Side};

impl Run {
    /// How many half-moves an entrant made in the earlier games of the bout of game `id`: where the order of a
    /// team's seats runs on, its next member is the one after so many turns (IV.4).
    pub fn moves_in_bout(&self, entrant: usize, id: GameId) -> u32 {
        let bout = |one: GameId| (one.stage, one.round, one.pair);
        let earlier = self.games().filter(|game| bout(game.id) == bout(id) && game.id.leg < id.leg);
        let own = |game: GameSummary| {
            let side = Side::BOTH.into_iter().find(|side| game.player(*side) == entrant);
            side.map_or(0, |side| game.moves_of[side])
        };
        earlier.map(own).sum()
    }
}

/// Counts the half-moves of each side.
pub(super) fn moves_by(over: &GameOver) -> BySide<u32> {
    moves_of(plies_of(&over.moves), over.fen.split_ascii_whitespace().nth(1) == Some("b"))
}

/// The half-moves of each side; whoever moves in the start position made the first.
pub(super) fn moves_of(plies: u32, black_first: bool) -> BySide<u32> {
    let (first, second) = (plies.div_ceil(2), plies / 2);
    if black_first { BySide { red: second, black: first } } else { BySide { red: first, black: second } }
}
