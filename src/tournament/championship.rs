//! The championship (I.4 to I.8): groups by lot, qualifiers, a final, and bouts of rapid games where the
//! text wants equal places separated. Four parts, each a stage of its own, every pairing a pure function of
//! the results known so far; what no game decides is held for the chief referee, never invented.
//! Start at [`Championship::next`] and [`Championship::tables`].

use super::format::{
    CycleOrder, FormatError, GameResult, MAX_ENTRANTS, Next, Pairing, counted, field, numbered, within,
};
use super::id::GameId;
use super::standings::{Scoresheet, Standings};
use super::tiebreak::{PlayOff, TieBreak};
use super::{Chance, arrangement, round_robin};

/// Games of a bout: two, each side having the first move once (I.5, I.8).
pub const GAMES_OF_A_BOUT: u8 = 2;
/// Most bouts a guard may allow: a bout of two short games takes an hour.
pub const MAX_GUARD: u8 = 100;

/// The settings of a championship, with its groups as they were drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Championship {
    /// Number of the stage of its first part; the others follow.
    pub first_stage: u8,
    /// The groups: indices of entrants in the order of their lot numbers.
    pub groups: Vec<Vec<usize>>,
    /// How many of each group come into the final.
    pub qualify: usize,
    /// Whether the bouts of two finalists of one group count in the final and are not played again.
    pub carry_over: bool,
    /// Whether the two games of a bout are played back to back or cycle by cycle.
    pub order: CycleOrder,
    /// Most bouts of one play-off; after that the chief referee has the word.
    pub guard: u8,
    /// The seed of the lot for the first Red of a play-off.
    pub seed: u64,
}

/// A part of a championship, in the order of play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Everybody of a group meets everybody of it.
    Groups,
    /// Rapid bouts between equals where the line of qualifiers runs through them. Not in the text.
    Qualifying,
    /// The qualifiers meet.
    Final,
    /// Rapid bouts between equals of the final (I.8).
    Places,
}

impl Part {
    /// All parts in the order of play.
    pub const ALL: [Part; 4] = [Part::Groups, Part::Qualifying, Part::Final, Part::Places];
}

/// What is known when a pairing is made or a table drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The games of all stages that count, annulled ones left out.
    pub results: &'a [GameResult],
    /// Entrants that have withdrawn.
    pub withdrawn: &'a [Withdrawal],
    /// Games that were annulled and are not played again.
    pub void: &'a [Void],
    /// The chief referee's word on equals that no game separated: each the entrants of a block, best first.
    pub orders: &'a [Vec<usize>],
}

impl Known<'_> {
    /// Whether an entrant withdrew before stage `stage` was over.
    fn is_gone(&self, entrant: usize, stage: u8) -> bool {
        self.withdrawn.iter().any(|one| one.entrant == entrant && one.stage <= stage)
    }
}

/// A game that was annulled and is not played again: it brings nobody anything, and nothing waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Void {
    /// Which game.
    pub id: GameId,
    /// Index of the entrant that was Red.
    pub red: usize,
    /// Index of the entrant that was Black.
    pub black: usize,
}

/// An entrant that plays no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Withdrawal {
    /// Which one.
    pub entrant: usize,
    /// The stage in which it withdrew.
    pub stage: u8,
    /// Whether its results of that stage are cancelled; else its games to come are forfeited.
    pub cancelled: bool,
}

/// A table of a championship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupTable {
    /// Of the groups or of the final.
    pub part: Part,
    /// Which group, from 0; 0 for the final.
    pub group: usize,
    /// Who is in it.
    pub members: Vec<usize>,
    /// The games that count in it, those carried over too.
    pub results: Vec<GameResult>,
    /// The rapid games among its equals.
    pub play_offs: Vec<PlayOff>,
    /// Who stands where; its lines name entrants of the run.
    pub standings: Standings,
}

impl GroupTable {
    fn place(&mut self, known: &Known<'_>) {
        let place = |entrant: usize| self.members.iter().position(|member| *member == entrant);
        let local = |list: &[GameResult]| -> Vec<GameResult> {
            let seats = |game: &GameResult| Some((place(game.red)?, place(game.black)?));
            list.iter()
                .filter_map(|game| seats(game).map(|(red, black)| GameResult { red, black, ..*game }))
                .collect()
        };
        let entrants = |list: &[usize]| list.iter().map(|one| place(*one)).collect::<Option<Vec<usize>>>();
        let results = local(&self.results);
        let play_offs: Vec<PlayOff> = self
            .play_offs
            .iter()
            .filter_map(|one| Some(PlayOff { among: entrants(&one.among)?, results: local(&one.results) }))
            .collect();
        let gone: Vec<usize> = known.withdrawn.iter().filter_map(|one| place(one.entrant)).collect();
        let orders: Vec<Vec<usize>> = known.orders.iter().filter_map(|order| entrants(order)).collect();
        let sheet = Scoresheet {
            play_offs: &play_offs,
            orders: &orders,
            withdrawn: &gone,
            ..Scoresheet::new(self.members.len(), &results)
        };
        let mut standings = sheet.standings(&TieBreak::championship());
        for line in &mut standings.lines {
            line.entrant = self.members[line.entrant];
        }
        self.standings = standings;
    }
}

/// How far a part of play-offs has come.
struct PlayedOff {
    next: Next,
    /// For each table its play-offs.
    found: Vec<Vec<PlayOff>>,
    /// The blocks that have reached the guard.
    held: Vec<Vec<usize>>,
}

impl Championship {
    /// The number of a part's stage.
    pub const fn stage(&self, part: Part) -> u8 {
        self.first_stage.saturating_add(part as u8)
    }

    /// Whether it can be played by so many entrants. Errors: sizes or settings out of range.
    pub fn check(&self, entrants: usize) -> Result<(), FormatError> {
        field("a championship", entrants, 2, MAX_ENTRANTS)?;
        within("groups", self.groups.len() as u64, entrants as u64 / 2)?;
        let smallest = self.groups.iter().map(Vec::len).min().unwrap_or(0);
        within("qualify_per_group", self.qualify as u64, smallest as u64)?;
        within("max_bouts", self.guard.into(), MAX_GUARD.into())
    }

    /// How many games a part has, where that is known beforehand.
    pub fn games(&self, part: Part) -> Option<u64> {
        let bouts = |players: usize| (players * players.saturating_sub(1) / 2) as u64;
        let within_groups: u64 = self.groups.iter().map(|group| bouts(group.len())).sum();
        let played_before = self.groups.len() as u64 * bouts(self.qualify);
        let finalists = bouts(self.groups.len() * self.qualify);
        let bouts = match part {
            Part::Groups => within_groups,
            Part::Final if self.carry_over => finalists - played_before,
            Part::Final => finalists,
            Part::Qualifying | Part::Places => return None,
        };
        Some(bouts * u64::from(GAMES_OF_A_BOUT))
    }

    /// How many rounds a part has, where that is known beforehand.
    pub fn rounds(&self, part: Part) -> Option<u32> {
        match part {
            Part::Groups => {
                let largest = self.groups.iter().map(Vec::len).max().unwrap_or(0);
                Some(round_robin::rounds(largest, GAMES_OF_A_BOUT.into(), self.order))
            }
            Part::Final => Some(self.final_rounds()),
            Part::Qualifying | Part::Places => None,
        }
    }

    fn final_rounds(&self) -> u32 {
        if !self.carry_over {
            let finalists = self.groups.len() * self.qualify;
            return round_robin::rounds(finalists, GAMES_OF_A_BOUT.into(), self.order);
        }
        let rounds = arrangement::rounds(&vec![self.qualify; self.groups.len()]).len() as u32;
        match self.order {
            CycleOrder::Bouts => rounds,
            CycleOrder::Cycles => rounds * u32::from(GAMES_OF_A_BOUT),
        }
    }

    /// What a round (from 1) of a part needs.
    pub fn next(&self, part: Part, round: u32, known: &Known<'_>) -> Next {
        if self.rounds(part).is_some_and(|all| round > all) {
            return Next::Over;
        }
        match part {
            Part::Groups => Next::Round(self.group_round(round)),
            Part::Final => match self.finalists(known) {
                Err(next) => next,
                Ok(groups) => Next::Round(self.final_round(&groups, round)),
            },
            Part::Qualifying => self.play_off(part, self.group_tables(known), known, round).next,
            Part::Places => match self.final_table(known) {
                Err(next) => next,
                Ok(table) => self.play_off(part, vec![table], known, round).next,
            },
        }
    }

    /// The tables that there are so far: one for each group, and the final's once its players are known.
    pub fn tables(&self, known: &Known<'_>) -> Vec<GroupTable> {
        let mut tables = self.group_tables(known);
        let played = self.play_off(Part::Qualifying, tables.clone(), known, u32::MAX);
        for (table, found) in tables.iter_mut().zip(played.found) {
            table.play_offs = found;
            table.place(known);
        }
        if let Ok(mut last) = self.final_table(known) {
            let played = self.play_off(Part::Places, vec![last.clone()], known, u32::MAX);
            last.play_offs = played.found.into_iter().flatten().collect();
            last.place(known);
            tables.push(last);
        }
        tables
    }

    /// The blocks of equals whose play-offs have reached the guard and wait for the chief referee.
    pub fn held(&self, known: &Known<'_>) -> Vec<Vec<usize>> {
        let parts = [
            (Part::Qualifying, self.group_tables(known)),
            (Part::Places, self.final_table(known).into_iter().collect()),
        ];
        parts
            .into_iter()
            .flat_map(|(part, tables)| self.play_off(part, tables, known, u32::MAX).held)
            .collect()
    }

    /// The qualifiers of each group, by their lots; else what has to come before.
    fn finalists(&self, known: &Known<'_>) -> Result<Vec<Vec<usize>>, Next> {
        if !self.is_complete(Part::Groups, known) {
            return Err(Next::Waiting);
        }
        let mut tables = self.group_tables(known);
        let played = self.play_off(Part::Qualifying, tables.clone(), known, u32::MAX);
        match played.next {
            Next::Over => {}
            Next::Held(blocks) => return Err(Next::Held(blocks)),
            Next::Round(_) | Next::Waiting => return Err(Next::Waiting),
        }
        for (table, found) in tables.iter_mut().zip(played.found) {
            table.play_offs = found;
            table.place(known);
        }
        let last = self.stage(Part::Qualifying);
        let plays = |entrant: &usize| !known.is_gone(*entrant, last);
        // In the order of lots: a later word on places inside a group changes no pairing.
        let best = |table: &GroupTable| {
            let order = table.standings.order().into_iter().filter(plays);
            let chosen: Vec<usize> = order.take(self.qualify).collect();
            table.members.iter().copied().filter(|member| chosen.contains(member)).collect()
        };
        Ok(tables.iter().map(best).collect())
    }

    /// Whether every game of the groups has its result, those of the withdrawn aside.
    fn is_complete(&self, part: Part, known: &Known<'_>) -> bool {
        let stage = self.stage(part);
        let results = counted(known.results);
        let gone = |one: usize| known.is_gone(one, stage);
        self.groups.iter().all(|group| {
            let present = group.iter().filter(|one| !gone(**one)).count();
            let expected = present * present.saturating_sub(1) / 2 * usize::from(GAMES_OF_A_BOUT);
            let among = |one: usize| group.contains(&one) && !gone(one);
            let played = results.iter().filter(|game| game.id.stage == stage);
            let played = played.filter(|game| among(game.red) && among(game.black)).count();
            let void = known.void.iter().filter(|game| game.id.stage == stage);
            played + void.filter(|game| among(game.red) && among(game.black)).count() >= expected
        })
    }

    fn group_tables(&self, known: &Known<'_>) -> Vec<GroupTable> {
        let stage = self.stage(Part::Groups);
        let results = counted(known.results);
        let table = |(group, members): (usize, &Vec<usize>)| {
            let own = |game: &&GameResult| {
                game.id.stage == stage && members.contains(&game.red) && members.contains(&game.black)
            };
            let results = results.iter().filter(own).copied().collect();
            self.table(Part::Groups, group, members.clone(), results, known)
        };
        self.groups.iter().enumerate().map(table).collect()
    }

    fn table(
        &self,
        part: Part,
        group: usize,
        members: Vec<usize>,
        results: Vec<GameResult>,
        known: &Known<'_>,
    ) -> GroupTable {
        let standings = Standings { lines: Vec::new() };
        let mut table = GroupTable { part, group, members, results, play_offs: Vec::new(), standings };
        table.place(known);
        table
    }

    fn final_table(&self, known: &Known<'_>) -> Result<GroupTable, Next> {
        let groups = self.finalists(known)?;
        let members: Vec<usize> = groups.iter().flatten().copied().collect();
        let (own, before) = (self.stage(Part::Final), self.stage(Part::Groups));
        let mut results = counted(known.results).into_owned();
        results.retain(|game| {
            let counts = game.id.stage == own || self.carry_over && game.id.stage == before;
            let cancelled = |one: usize| {
                known.withdrawn.iter().any(|gone| gone.entrant == one && gone.stage == own && gone.cancelled)
            };
            let players = [game.red, game.black];
            counts && players.iter().all(|one| members.contains(one) && !cancelled(*one))
        });
        Ok(self.table(Part::Final, 0, members, results, known))
    }

    fn group_round(&self, round: u32) -> Vec<Pairing> {
        let mut pairings = Vec::new();
        let serial_before =
            |round: u32| (round - 1) * self.groups.iter().map(|g| g.len() as u32 / 2).sum::<u32>();
        for group in &self.groups {
            let rounds = round_robin::rounds(group.len(), GAMES_OF_A_BOUT.into(), self.order);
            if round > rounds {
                continue;
            }
            for pairing in round_robin::round(group.len(), GAMES_OF_A_BOUT.into(), self.order, round) {
                let place = pairings.len() as u32;
                let (first, second) = (group[pairing.first], group[pairing.second]);
                let serial = serial_before(round) + place;
                pairings.push(Pairing { pair: place + 1, first, second, serial, ..pairing });
            }
        }
        pairings
    }

    fn final_round(&self, groups: &[Vec<usize>], round: u32) -> Vec<Pairing> {
        let members: Vec<usize> = groups.iter().flatten().copied().collect();
        if !self.carry_over {
            let mut pairings = round_robin::round(members.len(), GAMES_OF_A_BOUT.into(), self.order, round);
            for pairing in &mut pairings {
                (pairing.first, pairing.second) = (members[pairing.first], members[pairing.second]);
            }
            return pairings;
        }
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        let rounds = arrangement::rounds(&sizes);
        let index = round as usize - 1;
        let (cycle, place) = match (self.order, rounds.len()) {
            (CycleOrder::Bouts, _) | (_, 0) => (0, index),
            (CycleOrder::Cycles, length) => (index / length, index % length),
        };
        let legs = match self.order {
            CycleOrder::Bouts => GAMES_OF_A_BOUT,
            CycleOrder::Cycles => 1,
        };
        // A group that came with fewer than were to qualify leaves the last rounds empty.
        let Some(meetings) = rounds.get(place) else { return Vec::new() };
        let opening: usize = rounds[..place].iter().map(Vec::len).sum();
        let serial = opening + cycle * rounds.iter().map(Vec::len).sum::<usize>();
        let seats: Vec<(usize, usize)> = meetings
            .iter()
            .map(|(one, other)| (members[*one], members[*other]))
            .map(|two| if cycle % 2 == 1 { (two.1, two.0) } else { two })
            .collect();
        numbered(&seats, legs, serial as u32, opening as u32)
    }

    /// The blocks of equals that a part of play-offs has to separate, best first, those who withdrew aside.
    fn blocks(&self, part: Part, table: &GroupTable, known: &Known<'_>) -> Vec<Vec<usize>> {
        let stage = self.stage(part);
        let plays = |entrant: &usize| !known.is_gone(*entrant, stage);
        let order: Vec<usize> = table.standings.order().into_iter().filter(plays).collect();
        let (inside, outside) = order.split_at(self.qualify.min(order.len()));
        let has = |list: &[usize], block: &[usize]| block.iter().any(|one| list.contains(one));
        let matters = |block: &[usize]| match part {
            Part::Places => true,
            Part::Groups | Part::Qualifying | Part::Final => has(inside, block) && has(outside, block),
        };
        let blocks = table.standings.shared().into_iter();
        let present = blocks.map(|block| block.into_iter().filter(plays).collect::<Vec<_>>());
        present.filter(|block| block.len() > 1 && matters(block)).collect()
    }

    /// Plays a part of play-offs over: rounds of bouts for all blocks that are still level, until none is or
    /// all have reached the guard.
    fn play_off(&self, part: Part, mut tables: Vec<GroupTable>, known: &Known<'_>, asked: u32) -> PlayedOff {
        let stage = self.stage(part);
        let results: Vec<GameResult> =
            counted(known.results).iter().filter(|game| game.id.stage == stage).copied().collect();
        let mut serial = 0;
        let mut round = 0;
        let mut settled = Vec::new();
        let mut held: Vec<Vec<usize>> = Vec::new();
        let next = loop {
            round += 1;
            held.clear();
            let mut pairings = Vec::new();
            let mut bouts = Vec::new();
            for (place, table) in tables.iter_mut().enumerate() {
                for block in self.open_blocks(part, table, known, &mut settled) {
                    let before = bouts_of(table, &block);
                    if before >= self.guard.into() {
                        held.push(block);
                        continue;
                    }
                    let seats = self.bout(part, &block, before);
                    let first = pairings.len() as u32;
                    pairings.extend(numbered(&seats, GAMES_OF_A_BOUT, serial + first, serial + first));
                    bouts.push((place, block, first + 1..first + 1 + seats.len() as u32));
                }
            }
            for (pair, pairing) in (1..).zip(&mut pairings) {
                pairing.pair = pair;
            }
            if pairings.is_empty() {
                break match held.as_slice() {
                    [] => Next::Over,
                    blocks => Next::Held(blocks.iter().map(|block| (block[0], block[1])).collect()),
                };
            }
            if round == asked {
                break Next::Round(pairings);
            }
            let whole = bouts.iter().all(|(_, _, pairs)| {
                pairs.clone().all(|pair| {
                    let pairing = &pairings[pair as usize - 1];
                    (games_of(&results, round, pairing).count() + void_of(known, stage, round, pairing))
                        >= usize::from(GAMES_OF_A_BOUT)
                })
            });
            if !whole {
                break Next::Waiting;
            }
            serial += pairings.len() as u32;
            for (place, among, pairs) in bouts {
                let of_pair = |pair: u32| games_of(&results, round, &pairings[pair as usize - 1]).copied();
                let results = pairs.flat_map(of_pair).collect();
                tables[place].play_offs.push(PlayOff { among, results });
            }
        };
        PlayedOff { next, held, found: tables.into_iter().map(|table| table.play_offs).collect() }
    }

    /// The blocks that are still level. The chief referee's word on a block counts from the moment at which
    /// the guard ends its bouts, so that it makes no bout needless that was played.
    fn open_blocks(
        &self,
        part: Part,
        table: &mut GroupTable,
        known: &Known<'_>,
        settled: &mut Vec<Vec<usize>>,
    ) -> Vec<Vec<usize>> {
        loop {
            table.place(&Known { orders: settled, ..*known });
            let blocks = self.blocks(part, table, known);
            let spent = |block: &&Vec<usize>| bouts_of(table, block) >= self.guard.into();
            let word = |block: &Vec<usize>| known.orders.iter().rev().find(|order| same_block(order, block));
            let fresh = blocks.iter().filter(spent).filter_map(word).find(|order| !settled.contains(order));
            match fresh {
                Some(order) => settled.push(order.clone()),
                None => return blocks,
            }
        }
    }

    /// The bouts of a block: one of two equals, everybody against everybody of more. Who is Red first is
    /// drawn and changes from bout to bout.
    fn bout(&self, part: Part, block: &[usize], before: u32) -> Vec<(usize, usize)> {
        let mut members = block.to_vec();
        members.sort_unstable();
        // A purpose has 24 bytes; the least two members tell blocks of one part apart well enough for a lot.
        let purpose = format!("red {} {} {}", part as u8, members[0], members[1]);
        Chance::new(self.seed, &purpose).shuffle(&mut members);
        let rounds = round_robin::rounds(members.len(), 1, CycleOrder::Bouts);
        (1..=rounds)
            .flat_map(|round| round_robin::round(members.len(), 1, CycleOrder::Bouts, round))
            .map(|pairing| (members[pairing.first], members[pairing.second]))
            .map(|two| if before % 2 == 1 { (two.1, two.0) } else { two })
            .collect()
    }
}

/// How many bouts exactly these have played.
fn bouts_of(table: &GroupTable, block: &[usize]) -> u32 {
    table.play_offs.iter().filter(|one| same_block(&one.among, block)).count() as u32
}

fn same_block(one: &[usize], other: &[usize]) -> bool {
    one.len() == other.len() && one.iter().all(|member| other.contains(member))
}

/// How many games of a pairing are annulled for good.
fn void_of(known: &Known<'_>, stage: u8, round: u32, pairing: &Pairing) -> usize {
    let players = [pairing.first, pairing.second];
    let same = |game: &&Void| {
        let id = (game.id.stage, game.id.round, game.id.pair) == (stage, round, pairing.pair);
        id && players.contains(&game.red) && players.contains(&game.black)
    };
    known.void.iter().filter(same).count()
}

/// The games of a pairing. A game under its number between others belongs to a bout that a later ruling
/// has made needless.
fn games_of<'a>(
    results: &'a [GameResult],
    round: u32,
    pairing: &Pairing,
) -> impl Iterator<Item = &'a GameResult> {
    let Pairing { pair, first, second, .. } = *pairing;
    results.iter().filter(move |game| {
        let same = (game.red, game.black) == (first, second) || (game.red, game.black) == (second, first);
        same && game.id.round == round && game.id.pair == pair
    })
}
