//! A run in the lines that test frameworks read from the runners they were made for, fastchess and
//! cutechess: the same words in the same order. Pure: events in, lines out, in ASCII, never an empty one.
//! Red is called White there. Start at [`Lines::event`].

pub mod json;
pub mod pgn;
mod play;

use std::collections::BTreeMap;

use super::testing::percent;
use crate::game::{FaultClass, Outcome, Termination};
use crate::record::{CheckedIn, Event, GameOver, Run, What, read_termination};
use crate::time::At;
use crate::tournament::{GameId, Next, Pentanomial, Sample, Sprt, SprtState, SprtTrial, Wdl};
use crate::xiangqi::Side;

/// Whose lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// fastchess.
    #[default]
    Fastchess,
    /// cutechess-cli.
    Cutechess,
}

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Whose lines.
    pub dialect: Dialect,
    /// A block of results after so many pairs (games, where games are not counted in pairs); 0 is only
    /// at the end.
    pub rating_interval: u32,
    /// cutechess's score after so many games; 0 is only at the end.
    pub score_interval: u32,
    /// Whether games are counted in pairs.
    pub pairs: bool,
    /// Whether lines of play that announce mate are looked at.
    pub check_mates: bool,
    /// What stands in brackets behind the names: clock, threads, hash, book.
    pub conditions: String,
}

/// What an event becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// Lines before the game is written to its file.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
    /// Lines for people and parsers of warnings, beside the results.
    pub warnings: Vec<String>,
}

/// A run on its way, as lines.
#[derive(Debug)]
pub struct Lines {
    wanted: Wanted,
    numbers: Numbers,
    games: Vec<Wdl>,
    pairs: Vec<Pentanomial>,
    /// The first finished game of each pair: entrant and its units.
    halves: BTreeMap<u64, (usize, u32)>,
    finished_games: u32,
    finished_pairs: u32,
    /// What the last block counted.
    shown: Option<(u32, Wdl)>,
}

/// Numbers of games in the order of the schedule, from 1: pair k has the games 2k - 1 and 2k.
#[derive(Debug, Default)]
struct Numbers {
    firsts: BTreeMap<(u8, u32, u32), u64>,
    total: u64,
    /// A match in pairs needs no table.
    is_pairs: bool,
}

/// Most games that are numbered by a table; beyond they are numbered by their place in a round.
const MAX_NUMBERED: u64 = 10_000_000;

impl Numbers {
    fn of(run: &Run) -> Numbers {
        let Some(settings) = run.settings() else { return Numbers::default() };
        let entrants = settings.entrants.len();
        let formats: Vec<_> = settings.stages.iter().map(|stage| stage.format.format()).collect();
        let total = settings.games().unwrap_or(0);
        if let [crate::tournament::Format::Pairs { .. }] = formats.as_slice() {
            return Numbers { firsts: BTreeMap::new(), total, is_pairs: true };
        }
        let mut numbers = Numbers { firsts: BTreeMap::new(), total, is_pairs: false };
        let mut next = 1;
        for (stage, format) in (1u8..).zip(&formats).filter(|(_, format)| format.is_fixed()) {
            for round in 1.. {
                let Next::Round(pairings) = format.next(stage, round, entrants, &[]) else { break };
                for pairing in pairings {
                    numbers.firsts.insert((stage, round, pairing.pair), next);
                    next += u64::from(pairing.legs);
                }
                if next > MAX_NUMBERED {
                    break;
                }
            }
        }
        numbers
    }

    fn number(&self, id: GameId) -> u64 {
        let leg = u64::from(id.leg);
        if self.is_pairs {
            return 2 * u64::from(id.round) - 2 + leg;
        }
        self.firsts.get(&(id.stage, id.round, id.pair)).map_or(leg, |first| first + leg - 1)
    }
}

impl Lines {
    /// A run that has not begun.
    pub fn new(wanted: Wanted) -> Lines {
        Lines {
            wanted,
            numbers: Numbers::default(),
            games: Vec::new(),
            pairs: Vec::new(),
            halves: BTreeMap::new(),
            finished_games: 0,
            finished_pairs: 0,
            shown: None,
        }
    }

    /// The number of a game.
    pub fn number(&self, id: GameId) -> u64 {
        self.numbers.number(id)
    }

    /// An event that `run` has taken.
    pub fn event(&mut self, event: &Event, run: &Run) -> Told {
        let mut told = Told::default();
        match &event.what {
            What::RunBegan(_) => {
                self.numbers = Numbers::of(run);
                self.games = vec![Wdl::default(); run.entrant_count()];
                self.pairs = vec![Pentanomial::default(); run.entrant_count()];
            }
            What::CheckedIn(CheckedIn { entrant, unknown_options, .. }) => {
                let missed = unknown_options.iter().filter(|option| !is_one_thread(run, entrant, option));
                let warning = |option: &String| format!("Warning; {entrant} doesn't have option {option}");
                told.warnings.extend(missed.map(warning));
            }
            What::GameBegan(game) => {
                let (number, total) = (self.number(game.game), self.numbers.total);
                told.before
                    .push(format!("Started game {number} of {total} ({} vs {})", game.red, game.black));
            }
            What::GameOver(game) => self.game_over(game, run, &mut told),
            What::Interrupted { .. } => self.end(run, event.at, false, &mut told),
            What::RunOver { .. } => self.end(run, event.at, true, &mut told),
            What::Moved(_)
            | What::Overran(_)
            | What::Advised(_)
            | What::SessionRuns { .. }
            | What::Noted(_)
            | What::Drawn(_)
            | What::Locked(_)
            | What::Decided(_)
            | What::Spoken(_)
            | What::Fleet(_)
            | What::Resumed(_) => {}
        }
        for line in told.before.iter_mut().chain(&mut told.after).chain(&mut told.warnings) {
            ascii(line);
        }
        told
    }

    fn game_over(&mut self, game: &GameOver, run: &Run, told: &mut Told) {
        let (number, GameOver { red, black, .. }) = (self.number(game.game), game);
        let result = game.result.as_deref().unwrap_or("*");
        let termination = read_termination(&game.termination).ok();
        let reason = termination.as_ref().map_or_else(|| game.termination.kind.clone(), reason);
        if let Some(Termination::IllegalMove { loser, text }) = &termination {
            let name = if *loser == Side::Red { red } else { black };
            told.warnings.push(format!("Warning; Illegal move {text} played by {name}"));
        }
        told.warnings.extend(play::warnings(game, self.wanted.check_mates));
        told.before.push(format!("Finished game {number} ({red} vs {black}): {result} {{{reason}}}"));
        let outcome = game.result.as_deref().and_then(Outcome::from_token);
        let players = run.index_of(red).zip(run.index_of(black));
        if let (Some(outcome), Some(players)) = (outcome, players) {
            self.count(number, outcome, players);
        }
        let (score, rating) = (self.wanted.score_interval, self.wanted.rating_interval);
        let due = |interval: u32, count: u32| interval > 0 && count > 0 && count.is_multiple_of(interval);
        match self.wanted.dialect {
            Dialect::Cutechess => {
                if due(score, self.finished_games) {
                    told.after.extend(self.score_of(run));
                }
                if due(rating, self.finished_games) {
                    told.after.extend(self.elo_difference(run));
                }
            }
            Dialect::Fastchess => {
                let count = if self.wanted.pairs { self.finished_pairs } else { self.finished_games };
                if due(rating, count) {
                    self.block(run, &mut told.after);
                }
            }
        }
    }

    fn count(&mut self, number: u64, outcome: Outcome, (red, black): (usize, usize)) {
        self.finished_games += 1;
        let units = match outcome {
            Outcome::RedWins => 2,
            Outcome::Draw => 1,
            Outcome::BlackWins => 0,
        };
        for (player, units) in [(red, units), (black, 2 - units)] {
            if let Some(games) = self.games.get_mut(player) {
                games.add(units);
            }
        }
        let pair = number.div_ceil(2);
        let Some((other, first)) = self.halves.remove(&pair) else {
            self.halves.insert(pair, (red, units));
            return;
        };
        // The other game of the pair had the colours exchanged.
        let second = if other == red { units } else { 2 - units };
        let opponent = if other == red { black } else { red };
        self.finished_pairs += 1;
        for (player, first, second) in [(other, first, second), (opponent, 2 - first, 2 - second)] {
            if let Some(pairs) = self.pairs.get_mut(player) {
                pairs.add(first, second);
            }
        }
    }

    /// What an engine's numbers are made from. A sequential test counts pairs in schedule order, up to
    /// the one that decided it; else every finished pair counts at once.
    fn sample(&self, run: &Run, player: usize) -> Sample {
        if let (Some(trial), 0) = (run.trial(), player) {
            return trial.verdict().map_or_else(|| trial.counts(), |verdict| verdict.counts).into();
        }
        match (self.wanted.pairs, self.pairs.get(player)) {
            (true, Some(pairs)) => (*pairs).into(),
            (true, None) | (false, _) => self.games.get(player).copied().unwrap_or_default().into(),
        }
    }

    /// A block of results, if there is anything new to tell.
    fn block(&mut self, run: &Run, out: &mut Vec<String>) {
        let sample = self.sample(run, 0);
        let state = (self.finished_pairs, games_of(sample));
        if sample.size() == 0 || self.shown == Some(state) {
            return;
        }
        self.shown = Some(state);
        out.push(RULE.to_owned());
        if run.entrant_count() == 2 {
            let (first, second) = (run.name(0), run.name(1));
            out.push(format!("Results of {first} vs {second} ({}):", self.wanted.conditions));
            out.extend(results(sample));
            out.extend(run.trial().map(llr_line));
        } else {
            out.extend(self.ranking(run));
        }
        out.push(RULE.to_owned());
    }

    fn ranking(&self, run: &Run) -> Vec<String> {
        let mut rows: Vec<(usize, Sample)> =
            (0..run.entrant_count()).map(|player| (player, self.sample(run, player))).collect();
        let key = |sample: Sample| sample.score().unwrap_or(0.0);
        rows.sort_by(|one, other| key(other.1).total_cmp(&key(one.1)));
        let width = rows.iter().map(|(player, _)| run.name(*player).len()).max().unwrap_or(0).max(4);
        let mut lines = vec![format!(
            "Rank {:<width$} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8} {:>7} {}",
            "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw", "Ptnml(0-2)"
        )];
        for (rank, (player, sample)) in (1..).zip(rows) {
            let (elo, nelo) = (sample.elo(), sample.nelo());
            let ptnml = match sample {
                Sample::Pairs(pairs) => format!("{:?}", pairs.ptnml()),
                Sample::Games(_) => "n/a".to_owned(),
            };
            lines.push(format!(
                "{rank:>4} {:<width$} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8} {:>7} {ptnml}",
                run.name(player),
                two(elo.map(|elo| elo.value)),
                two(elo.and_then(|elo| elo.error)),
                two(nelo.map(|nelo| nelo.value)),
                two(nelo.and_then(|nelo| nelo.error)),
                games_of(sample).games(),
                share(sample.score()),
                share(sample.draw_ratio()),
            ));
        }
        lines
    }

    fn score_of(&self, run: &Run) -> Option<String> {
        let score = self.games.first().filter(|_| run.entrant_count() == 2)?;
        let Wdl { wins, draws, losses } = *score;
        let share = Sample::Games(*score).score().unwrap_or(0.0);
        let (first, second) = (run.name(0), run.name(1));
        Some(format!(
            "Score of {first} vs {second}: {wins} - {losses} - {draws}  [{share:.3}] {}",
            score.games()
        ))
    }

    fn elo_difference(&self, run: &Run) -> Vec<String> {
        let Some(score) = self.games.first().filter(|_| run.entrant_count() == 2) else { return Vec::new() };
        let sample = Sample::Games(*score);
        let elo = sample.elo();
        let one = |value: Option<f64>| {
            value.map_or_else(|| "nan".to_owned(), |value| format!("{:.1}", value + 0.0))
        };
        let per_cent = |value: Option<f64>| one(value.map(|value| 100.0 * value));
        let mut lines = vec![format!(
            "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %",
            one(elo.map(|elo| elo.value)),
            one(elo.and_then(|elo| elo.error)),
            per_cent(score.los_of_decided()),
            per_cent(sample.draw_ratio()),
        )];
        lines.extend(run.trial().map(|trial| {
            let (llr, state) = standing(trial);
            let (lower, upper) = trial.sprt().bounds();
            let accepted = match state {
                SprtState::Undecided => "",
                SprtState::H0 => " - H0 was accepted",
                SprtState::H1 => " - H1 was accepted",
            };
            let llr = llr.unwrap_or(0.0);
            format!(
                "SPRT: llr {llr:.3} ({:.1}%), lbound {lower:.2}, ubound {upper:.2}{accepted}",
                percent(trial.sprt(), llr) + 0.0
            )
        }));
        lines
    }

    fn end(&mut self, run: &Run, at: At, complete: bool, told: &mut Told) {
        match self.wanted.dialect {
            Dialect::Cutechess => {
                told.after.extend(self.score_of(run));
                told.after.extend(self.elo_difference(run));
            }
            Dialect::Fastchess => {
                self.block(run, &mut told.after);
                let decided = run.trial().and_then(SprtTrial::verdict);
                told.after.push(match (decided, run.trial()) {
                    (Some(verdict), Some(trial)) => {
                        let Sprt { elo0, elo1, .. } = trial.sprt();
                        let hypothesis = if verdict.state == SprtState::H1 { "H1" } else { "H0" };
                        format!("SPRT ([{elo0:.2}, {elo1:.2}]) completed - {hypothesis} was accepted")
                    }
                    (Some(_) | None, _) if complete => "Tournament finished".to_owned(),
                    (Some(_) | None, _) => "Tournament was interrupted".to_owned(),
                });
                for player in 0..run.entrant_count() {
                    let count = |class| run.faults(player, class);
                    told.after.push(format!("Player: {}", run.name(player)));
                    told.after.push(format!("  Timeouts: {}", count(FaultClass::Time)));
                    told.after
                        .push(format!("  Crashed: {}", count(FaultClass::Crash) + count(FaultClass::Stall)));
                }
            }
        }
        if complete {
            told.after.push("Finished match".to_owned());
        }
        if self.wanted.dialect == Dialect::Fastchess {
            let seconds = at.0 / 1_000_000;
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            told.after.push(format!(
                "Total Time: {hours:02}:{minutes:02}:{:02} (hours:minutes:seconds)",
                seconds % 60
            ));
        }
    }
}

/// Frameworks set one thread for every engine and stop at the warning that an engine has no such option:
/// an engine without it has one thread.
fn is_one_thread(run: &Run, entrant: &str, option: &str) -> bool {
    let settings = run.settings().and_then(|settings| settings.entrants.get(run.index_of(entrant)?));
    let value = |(name, value): &(String, String)| (name == option).then(|| value.clone());
    let value = settings.and_then(|entrant| entrant.options.iter().find_map(value));
    option.eq_ignore_ascii_case("Threads") && value.as_deref() == Some("1")
}

/// The rule above and below a block.
const RULE: &str = "--------------------------------------------------";

fn standing(trial: &SprtTrial) -> (Option<f64>, SprtState) {
    match trial.verdict() {
        Some(verdict) => (Some(verdict.llr), verdict.state),
        None => (trial.llr(), SprtState::Undecided),
    }
}

fn games_of(sample: Sample) -> Wdl {
    match sample {
        Sample::Games(games) => games,
        Sample::Pairs(pairs) => pairs.games(),
    }
}

/// Two decimals; what is undefined is `n/a`. Adding zero takes the sign off a zero.
fn two(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{:.2}", value + 0.0))
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{:.2} %", 100.0 * value))
}

/// The lines of a block between two engines.
fn results(sample: Sample) -> Vec<String> {
    let (elo, nelo) = (sample.elo(), sample.nelo());
    let games @ Wdl { wins, draws, losses } = games_of(sample);
    let (los, draw) = (share(sample.los()), share(sample.draw_ratio()));
    let points = f64::from(games.units()) / 2.0;
    let mut lines = vec![format!(
        "Elo: {} +/- {}, nElo: {} +/- {}",
        two(elo.map(|elo| elo.value)),
        two(elo.and_then(|elo| elo.error)),
        two(nelo.map(|nelo| nelo.value)),
        two(nelo.and_then(|nelo| nelo.error)),
    )];
    match sample {
        Sample::Pairs(pairs) => {
            lines.push(format!("LOS: {los}, DrawRatio: {draw}, PairsRatio: {}", two(pairs.pairs_ratio())));
        }
        Sample::Games(_) => lines.push(format!("LOS: {los}, DrawRatio: {draw}")),
    }
    lines.push(format!(
        "Games: {}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({})",
        games.games(),
        share(sample.score()),
    ));
    if let Sample::Pairs(pairs) = sample {
        let ratio = two(pairs.wl_dd_ratio());
        lines.push(format!("Ptnml(0-2): {:?}, WL/DD Ratio: {ratio}", pairs.ptnml()));
    }
    lines
}

fn llr_line(trial: &SprtTrial) -> String {
    let sprt = trial.sprt();
    let llr = standing(trial).0.unwrap_or(0.0);
    let (lower, upper) = sprt.bounds();
    format!(
        "LLR: {:.2} ({:.1}%) ({lower:.2}, {upper:.2}) [{:.2}, {:.2}]",
        llr + 0.0,
        percent(sprt, llr) + 0.0,
        sprt.elo0,
        sprt.elo1
    )
}

const fn colour(side: Side) -> &'static str {
    match side {
        Side::Red => "White",
        Side::Black => "Black",
    }
}

/// How a game ended, in the words that parsers look for. Each kind of fault has its word in one line a
/// game only.
pub fn reason(termination: &Termination) -> String {
    match termination {
        Termination::Mated { loser } => format!("{} mates", colour(!*loser)),
        Termination::NoMove { loser } => format!("{} has no legal move", colour(*loser)),
        Termination::Repetition(ruling) => match ruling.verdict.loser() {
            None => "Draw by 3-fold repetition".to_owned(),
            Some(loser) => format!("{} breaks the repetition rule", colour(loser)),
        },
        Termination::DeadPosition => "Draw by insufficient mating material".to_owned(),
        // Their words; the limit itself is that of the rules in force.
        Termination::NoCapture => "Draw by fifty moves rule".to_owned(),
        Termination::MaxLength | Termination::Adjudicated { winner: None, .. } => {
            "Draw by adjudication".to_owned()
        }
        Termination::Adjudicated { winner: Some(winner), .. } => {
            format!("{} wins by adjudication", colour(*winner))
        }
        Termination::Flag { loser, used, allowed } | Termination::OverrunInCheck { loser, used, allowed } => {
            let over = used.saturating_sub(*allowed).as_millis();
            format!("{} loses on time ({over}ms overrun)", colour(*loser))
        }
        Termination::IllegalMove { loser, .. } => format!("{} makes an illegal move", colour(*loser)),
        Termination::Crashed { loser, .. } => format!("{} disconnects", colour(*loser)),
        Termination::Stalled { loser, .. } => format!("{}'s connection stalls", colour(*loser)),
        Termination::Resigned { loser } => format!("{} resigns", colour(*loser)),
        Termination::Forfeited { loser, .. } => format!("{} forfeits", colour(*loser)),
        Termination::Agreed => "Draw by agreement".to_owned(),
        Termination::SessionOver | Termination::Held { .. } | Termination::Abandoned { .. } => {
            "Game interrupted".to_owned()
        }
    }
}

/// Parsers read ASCII only; a name in other letters keeps its place.
fn ascii(line: &mut String) {
    if !line.is_ascii() || line.contains(|c: char| c.is_control()) {
        let plain = |c: char| if c.is_ascii() && !c.is_control() { c } else { '?' };
        *line = line.chars().map(plain).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Model;

    #[test]
    fn a_block_is_printed_as_its_readers_know_it() {
        let pairs = Pentanomial { ll: 43, ld: 61, wl: 119, dd: 25, wd: 55, ww: 37 };
        assert_eq!(
            results(pairs.into()),
            [
                "Elo: -9.20 +/- 20.93, nElo: -11.50 +/- 26.11",
                "LOS: 19.41 %, DrawRatio: 42.35 %, PairsRatio: 0.88",
                "Games: 680, Wins: 248, Losses: 266, Draws: 166, Points: 331.0 (48.68 %)",
                "Ptnml(0-2): [43, 61, 144, 55, 37], WL/DD Ratio: 4.76",
            ]
        );
        let sprt = Sprt { elo0: 0.0, elo1: 2.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
        let llr = sprt.llr(pairs).unwrap();
        assert_eq!(format!("{llr:.2} {:.1}", percent(&sprt, llr)), "-0.14 -4.8");
    }

    #[test]
    fn what_is_undefined_is_no_number_and_names_stay_ascii() {
        let pairs = Pentanomial { ww: 1, ..Pentanomial::default() };
        assert_eq!(results(pairs.into())[0], "Elo: n/a +/- n/a, nElo: n/a +/- n/a");
        let mut line = "象棋 a\tb".to_owned();
        ascii(&mut line);
        assert_eq!(line, "?? a?b");
    }

    #[test]
    fn each_end_has_the_word_that_is_looked_for() {
        let side = Side::Black;
        let ms = std::time::Duration::from_millis;
        for (termination, expected) in [
            (Termination::Mated { loser: side }, "White mates"),
            (
                Termination::Flag { loser: side, used: ms(1012), allowed: ms(1000) },
                "Black loses on time (12ms overrun)",
            ),
            (Termination::Crashed { loser: side, how: "signal 11".to_owned() }, "Black disconnects"),
            (
                Termination::Stalled { loser: side, waiting_for: "a move".to_owned() },
                "Black's connection stalls",
            ),
            (Termination::Adjudicated { winner: Some(side), rule: "resign" }, "Black wins by adjudication"),
            (Termination::MaxLength, "Draw by adjudication"),
        ] {
            assert_eq!(reason(&termination), expected);
        }
    }
}
