//! Whole championships in virtual time: seeded results with many ties, endless draws, withdrawals and the
//! chief referee's word; the facts of 2006. Nothing is started here. Start at [`Event::play`].

mod support;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use chuhe::game::Outcome;
use chuhe::tournament::{
    Championship, Chance, CycleOrder, Decided, Format, GameId, GameResult, Known, Next, Pairing, Part,
    TieBreak, Withdrawal, lots, standings,
};

/// A championship and how its games come out.
struct Event {
    championship: Arc<Championship>,
    entrants: usize,
    results: Vec<GameResult>,
    withdrawn: Vec<Withdrawal>,
    orders: Vec<Vec<usize>>,
    chance: Chance,
    /// Of a hundred games so many are drawn.
    draws: u32,
}

/// Where it stopped.
#[derive(Debug, PartialEq)]
enum End {
    Complete,
    Held(Part, Vec<(usize, usize)>),
}

fn championship(seed: u64, entrants: usize, groups: usize, qualify: usize, carry_over: bool) -> Championship {
    let names: Vec<String> = (0..entrants).map(|number| format!("Entrant {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Championship {
        first_stage: 1,
        groups: lots::draw(seed, &names, groups),
        qualify,
        carry_over,
        order: CycleOrder::Bouts,
        guard: 4,
        seed,
    }
}

impl Event {
    fn new(championship: Championship, draws: u32) -> Event {
        let entrants = championship.groups.iter().map(Vec::len).sum();
        let chance = Chance::new(championship.seed, "results");
        Event {
            championship: Arc::new(championship),
            entrants,
            results: Vec::new(),
            withdrawn: Vec::new(),
            orders: Vec::new(),
            chance,
            draws,
        }
    }

    fn known(&self) -> Known<'_> {
        Known { results: &self.results, withdrawn: &self.withdrawn, void: &[], orders: &self.orders }
    }

    fn outcome(&mut self) -> Outcome {
        if self.chance.below(100) < self.draws {
            return Outcome::Draw;
        }
        if self.chance.below(2) == 0 { Outcome::RedWins } else { Outcome::BlackWins }
    }

    /// Plays everything that can be played, as the director does.
    fn play(&mut self) -> End {
        for part in Part::ALL {
            let format = Format::Championship(Arc::clone(&self.championship), part);
            let stage = self.championship.stage(part);
            for round in 1.. {
                let next = format.next_of(stage, round, self.entrants, &self.known());
                match next {
                    Next::Round(pairings) => {
                        let mut seated = HashSet::new();
                        for pairing in pairings {
                            let fresh = seated.insert(pairing.first) && seated.insert(pairing.second);
                            assert!(fresh || format.is_play_off(), "twice in a round of {part:?}");
                            self.bout(stage, round, pairing);
                        }
                    }
                    Next::Over => break,
                    Next::Held(ties) => return End::Held(part, ties),
                    Next::Waiting => panic!("{part:?} round {round} waits although everything was played"),
                }
            }
        }
        End::Complete
    }

    fn bout(&mut self, stage: u8, round: u32, pairing: Pairing) {
        let gone = |one: usize| self.withdrawn.iter().find(|w| w.entrant == one && w.stage <= stage).copied();
        let gone = [gone(pairing.first), gone(pairing.second)];
        if gone.iter().all(Option::is_some) || gone.iter().flatten().any(|w| w.cancelled && w.stage == stage)
        {
            return;
        }
        for leg in 1..=pairing.legs {
            let id = GameId { stage, round, pair: pairing.pair, leg, attempt: 1 };
            let (red, black) = pairing.seats(leg);
            let outcome = match gone.iter().flatten().next() {
                Some(gone) if gone.entrant == red => Outcome::BlackWins,
                Some(_) => Outcome::RedWins,
                None => self.outcome(),
            };
            if !self.results.iter().any(|result| result.id == id) {
                self.results.push(GameResult { id, red, black, outcome });
            }
        }
    }

    /// What must hold of the tables at the end: sums, and every place decided or shared only where a hold is.
    fn check_tables(&self, end: &End) {
        let tables = self.championship.tables(&self.known());
        for table in &tables {
            let points: u32 = table.standings.lines.iter().map(|line| line.points).sum();
            assert_eq!(points as usize, 2 * table.results.len(), "two points a game");
            let listed: HashSet<usize> = table.standings.order().into_iter().collect();
            assert_eq!(listed, table.members.iter().copied().collect());
            let points: Vec<u32> = table.standings.lines.iter().map(|line| line.points).collect();
            assert!(points.is_sorted_by(|one, other| one >= other), "points go first");
            let plays = |one: &&usize| !self.withdrawn.iter().any(|gone| gone.entrant == **one);
            if table.part == Part::Final && *end == End::Complete {
                for block in table.standings.shared() {
                    assert!(block.iter().filter(plays).count() < 2, "nobody decided {block:?}");
                }
            }
        }
    }
}

#[test]
fn the_facts_of_2006() {
    let mut event = Event::new(championship(2006, 18, 3, 3, true), 30);
    assert!(event.championship.groups.iter().all(|group| group.len() == 6));
    let end = event.play();
    event.check_tables(&end);
    let stage = event.championship.stage(Part::Final);
    let last: Vec<&GameResult> = event.results.iter().filter(|game| game.id.stage == stage).collect();
    let rounds: HashSet<u32> = last.iter().map(|game| game.id.round).collect();
    assert_eq!((last.len(), rounds.len()), (2 * 27, 7), "27 bouts in 7 rounds");
    let own: BTreeMap<usize, u32> =
        last.iter().flat_map(|game| [game.red, game.black]).fold(BTreeMap::new(), |mut games, one| {
            *games.entry(one).or_default() += 1;
            games
        });
    assert!(own.len() == 9 && own.values().all(|games| *games == 12), "nine finalists, twelve games each");
    let strict = Event::new(championship(2006, 18, 3, 3, false), 30);
    assert_eq!(strict.championship.games(Part::Final), Some(72));
    assert_eq!(event.championship.games(Part::Groups), Some(90));
}

#[test]
fn every_place_is_decided_by_an_article_or_held() {
    let mut ends = [0u32; 3];
    let mut reasons: HashSet<&str> = HashSet::new();
    let seeds = if cfg!(debug_assertions) { 400 } else { 3000 };
    for seed in 0..seeds {
        let mut chance = Chance::new(seed, "sizes");
        let groups = 1 + chance.below(4) as usize;
        let size = 2 + chance.below(4) as usize;
        let qualify = 1 + chance.below(size as u32) as usize;
        let draws = [0, 30, 70, 95, 100][chance.below(5) as usize];
        if groups * qualify < 2 {
            continue;
        }
        let mut event =
            Event::new(championship(seed, groups * size, groups, qualify, chance.below(2) == 0), draws);
        if chance.below(3) == 0 {
            let entrant = chance.below(event.entrants as u32) as usize;
            let stage = 1 + chance.below(3) as u8;
            event.withdrawn.push(Withdrawal { entrant, stage, cancelled: chance.below(2) == 0 });
        }
        let mut holds = 0;
        let end = loop {
            let end = event.play();
            event.check_tables(&end);
            let End::Held(part, ties) = &end else { break end };
            // The chief referee puts every level block in the order of entry.
            holds += 1;
            assert!(holds < 40, "{part:?} is held for ever: {ties:?}");
            let blocks = event.championship.held(&event.known());
            assert!(!blocks.is_empty());
            event.orders.extend(blocks);
        };
        ends[usize::from(holds > 0)] += 1;
        for line in event.championship.tables(&event.known()).iter().flat_map(|table| &table.standings.lines)
        {
            reasons.insert(match line.decided {
                Decided::Points => "points",
                Decided::HeadToHead { .. } => "head to head",
                Decided::MiniTable { .. } => "mini-table",
                Decided::PlayOff { .. } => "play-off",
                Decided::PlayOffTable { .. } => "play-off table",
                Decided::Withdrawn => "withdrawn",
                Decided::Ruled => "ruled",
                Decided::Shared => "shared",
                other => panic!("{other:?} is no article's"),
            });
        }
        assert_eq!(end, End::Complete);
    }
    assert!(ends[0] > 80 && ends[1] > 25, "{ends:?}");
    assert!(reasons.is_superset(&HashSet::from([
        "points",
        "head to head",
        "mini-table",
        "play-off",
        "ruled"
    ])));
}

#[test]
fn endless_draws_are_held_after_the_guard_and_nobody_is_invented() {
    let mut event = Event::new(championship(7, 2, 1, 2, false), 100);
    let End::Held(Part::Places, ties) = event.play() else { panic!("two that always draw") };
    assert_eq!(ties.len(), 1);
    let rapid = event.results.iter().filter(|game| game.id.stage == 4).count();
    assert_eq!(rapid, 2 * 4, "the guard of four bouts");
    let reds: Vec<usize> = event
        .results
        .iter()
        .filter(|game| game.id.stage == 4 && game.id.leg == 1)
        .map(|game| game.red)
        .collect();
    assert!(reds.windows(2).all(|two| two[0] != two[1]), "the first Red alternates from bout to bout");
    let table = event.championship.tables(&event.known()).pop().expect("the final");
    assert!(table.standings.lines.iter().all(|line| line.decided == Decided::Shared));
    event.orders.push(vec![ties[0].1, ties[0].0]);
    assert_eq!(event.play(), End::Complete);
    let table = event.championship.tables(&event.known()).pop().expect("the final");
    assert_eq!(table.standings.order(), [ties[0].1, ties[0].0]);
}

/// The entrant whose games have survived.
const OWN: &str = "相眼竞技";

/// The surviving games of one entrant of 2006, entered as results.
#[test]
fn the_surviving_games_of_2006() {
    let Some(folder) = support::shared("records/chinese-gbk") else { return };
    let mut results = Vec::new();
    let mut last = Vec::new();
    for file in 1..=20u32 {
        let bytes = std::fs::read(folder.join(format!("ccgc2006-{file:02}.pgn"))).expect("a game");
        let (text, _, _) = encoding_rs::GBK.decode(&bytes);
        let tag = |name: &str| {
            let start = text.find(&format!("[{name} \"")).expect("a tag") + name.len() + 3;
            text[start..].split('"').next().expect("a value").to_owned()
        };
        let outcome = Outcome::from_token(&tag("Result")).expect("a result");
        let (red, black) = if tag("Red") == OWN { (0, 1) } else { (1, 0) };
        assert!(red == 0 || tag("Black") == OWN);
        let id = GameId { stage: 1, round: file, pair: 1, leg: 1, attempt: 1 };
        let result = GameResult { id, red, black, outcome };
        results.push(result);
        if tag("Round").parse::<u32>().expect("a number") >= 11 {
            last.push(result);
        }
    }
    let own = |results: &[GameResult]| {
        let table = standings(2, results, &TieBreak::none());
        let line = *table.line(0).expect("a line");
        let total = line.total();
        (total.wins, total.draws, total.losses, line.points, line.black.wins)
    };
    assert_eq!(own(&results), (6, 3, 11, 15, 3));
    let (wins, draws, losses, points, _) = own(&last);
    assert_eq!((wins, draws, losses, points), (2, 1, 9, 5));
}
