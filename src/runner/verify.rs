//! Verifying a run folder (I.13, III.10, IV.11): its journal is replayed against the rules, the clocks and the engines'
//! transcripts, its documents are drawn again, its files hashed. Changes nothing. Start at [`verify`].

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::DiskFiles;
use super::manifest;
use super::store::{JOURNAL, TRANSCRIPTS, journal_of};
use crate::config::{self, Overrides};
use crate::director::seating;
use crate::game::{Clock, Termination, TimeControl};
use crate::law::{self, Rules, Trail};
use crate::plan::{Grain, Plan};
use crate::record::{Decision, Event, GameOver, JournalReader, Ordered, PASS, Run, What, read_termination};
use crate::report::{self, Album, DOCUMENTS, Style};
use crate::tournament::{GameId, lots as draw};
use crate::xiangqi::{BySide, Move, Position, Side, SquareStyle};

/// Longest line of a transcript: no engine's line is kept longer.
const MAX_LINE: u64 = 1 << 20;

/// What was looked at, and what is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Events of the journal.
    pub events: u64,
    /// Finished games replayed.
    pub games: u64,
    /// Their half-moves.
    pub plies: u64,
    /// Moves found in the transcripts of those who made them.
    pub answered: u64,
    /// Documents drawn again.
    pub documents: u64,
    /// What is not as it should be, each with its file or game.
    pub wrong: Vec<String>,
}

/// Looks at a whole run folder. `published` is the commitment to the seed of its lots, as it was published.
pub fn verify(dir: &Path, published: Option<&str>) -> Verdict {
    let mut verdict = Verdict::default();
    let (run, events) = match read(dir) {
        Ok(read) => read,
        Err(why) => {
            verdict.wrong.push(format!("{JOURNAL}: {why}"));
            verdict.wrong.extend(manifest::differences(dir));
            return verdict;
        }
    };
    verdict.events = run.event_count();
    let plan = run.head().and_then(|head| {
        config::from_value(&head.config, &head.base, &DiskFiles, &Overrides::default()).ok()
    });
    let plan = plan.map(|resolved| resolved.plan);
    if plan.is_none() {
        verdict.wrong.push(format!("{JOURNAL}: its config can no longer be read"));
    }
    lots(&run, &events, published, &mut verdict);
    games(&run, &events, plan.as_ref(), &mut verdict);
    // Where moves are journalled with the end of a game, lost turns cannot be told from what came before.
    if let Some(plan) = plan.as_ref().filter(|plan| plan.conduct.grain == Grain::Move) {
        let mut wrong = Vec::new();
        super::seats::seats(&run, &events, plan, &mut wrong);
        verdict.wrong.extend(wrong.into_iter().map(|why| format!("{JOURNAL}: {why}")));
    }
    documents(dir, &run, &events, &mut verdict);
    if let Some(plan) = plan.filter(|plan| plan.conduct.transcripts && plan.regulation.is_some()) {
        transcripts(dir, &run, &events, &plan, &mut verdict);
    }
    if run.settings().is_some_and(|settings| settings.regulation.is_some()) {
        verdict.wrong.extend(manifest::differences(dir));
    }
    verdict
}

fn read(dir: &Path) -> Result<(Run, Vec<Event>), String> {
    let path = journal_of(dir).map_err(|error| error.to_string())?;
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut run = Run::new();
    let mut events = Vec::new();
    let mut reader = JournalReader::new(BufReader::new(file));
    for event in reader.by_ref() {
        let event = event.map_err(|error| error.to_string())?;
        run.apply(&event).map_err(|error| error.to_string())?;
        // Moves stand in the ends of their games too and are compared with them below.
        events.push(event);
    }
    if reader.torn().is_some() {
        return Err("its last line is torn".to_owned());
    }
    Ok((run, events))
}

/// Draws the lots again, and holds their seed to its commitment: the one in the config, and the one that was
/// published.
fn lots(run: &Run, events: &[Event], published: Option<&str>, verdict: &mut Verdict) {
    let event = run.settings().and_then(|settings| {
        let mut stages = settings.stages.iter();
        stages.find_map(|stage| stage.format.format().championship().cloned())
    });
    let mut wrong = |why: String| verdict.wrong.push(format!("{JOURNAL}: the lots: {why}"));
    let (Some(event), Some(settings)) = (event, run.settings()) else {
        if published.is_some() {
            wrong("none were drawn, so there is nothing that was promised".to_owned());
        }
        return;
    };
    let names: Vec<&str> = settings.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let groups = draw::draw(settings.seed, &names, event.groups.len());
    let commitment = draw::commitment(settings.seed);
    if event.seed != settings.seed || event.groups != groups {
        wrong(format!("the groups are not those of the seed {}", settings.seed));
    }
    for promised in [settings.commitment.as_deref(), published].into_iter().flatten() {
        if promised != commitment {
            wrong(format!("the seed {} was not promised: {promised} is another commitment", settings.seed));
        }
    }
    let place = |wanted: fn(&What) -> bool| events.iter().position(|event| wanted(&event.what));
    let drawn = place(|what| matches!(what, What::Drawn(_)));
    let began = place(|what| matches!(what, What::GameBegan(_) | What::GameOver(_)));
    if began.is_some_and(|began| drawn.is_none_or(|drawn| drawn > began)) {
        wrong("a game was begun before they were drawn".to_owned());
    }
    let Some(drawn) = run.drawn() else { return };
    let lot = |index: usize| Some((draw::code(&groups, index)?, names.get(index)?.to_string()));
    let lots: BTreeMap<String, String> = (0..names.len()).filter_map(lot).collect();
    if (drawn.seed, &drawn.commitment, &drawn.lots) != (settings.seed, &commitment, &lots) {
        wrong("what was announced is not what the seed gives".to_owned());
    }
}

/// Where a game was corrected: after so many half-moves, to these clocks.
type Corrections = BTreeMap<GameId, Vec<(usize, BySide<Duration>)>>;

fn corrections(run: &Run) -> Corrections {
    let mut found = Corrections::new();
    for Decision { ordered, .. } in run.decisions() {
        let (game, to_move, clocks_us) = match ordered {
            Ordered::Corrected { game, to_move, clocks_us, .. } => (game, to_move, clocks_us),
            Ordered::Reopened { new, to_move, clocks_us, .. } => (new, to_move, clocks_us),
            _ => continue,
        };
        let [red, black] = clocks_us.map(Duration::from_micros);
        found.entry(*game).or_default().push((*to_move as usize, BySide { red, black }));
    }
    found
}

fn games(run: &Run, events: &[Event], plan: Option<&Plan>, verdict: &mut Verdict) {
    let corrections = corrections(run);
    let mut moved: BTreeMap<GameId, Vec<(String, u64)>> = BTreeMap::new();
    for event in events {
        match &event.what {
            What::GameBegan(began) => drop(moved.insert(began.game, Vec::new())),
            What::Moved(made) => {
                let list = moved.entry(made.game).or_default();
                list.push((made.mv.clone(), made.used_us));
            }
            What::Decided(decision) => match &decision.ordered {
                Ordered::Corrected { game, struck, .. } => {
                    if let Some(list) = moved.get_mut(game) {
                        list.truncate(list.len().saturating_sub(struck.split_ascii_whitespace().count()));
                    }
                }
                Ordered::Reopened { game, new, made, .. } => {
                    let list: Vec<(String, u64)> =
                        made.iter().map(|made| (made.mv.clone(), made.used_us)).collect();
                    if !begins_with(events, *game, &list) {
                        verdict.wrong.push(format!("{JOURNAL}: game {new} does not begin as {game} did"));
                    }
                    moved.insert(*new, list);
                }
                // The rest decides what counts and who plays on, not what was played.
                Ordered::Result { .. }
                | Ordered::Annulled { .. }
                | Ordered::Replay { .. }
                | Ordered::Withdrawn { .. }
                | Ordered::Placed { .. }
                | Ordered::Admitted { .. } => {}
            },
            What::GameOver(over) => {
                let own = moved.remove(&over.game).unwrap_or_default();
                let corrected = corrections.get(&over.game).map_or(&[][..], Vec::as_slice);
                verdict.games += 1;
                if let Err(why) = replay(over, &own, plan, corrected, &mut verdict.plies) {
                    verdict.wrong.push(format!("{JOURNAL}: game {}: {why}", over.game));
                }
            }
            What::RunBegan(_)
            | What::CheckedIn(_)
            | What::Overran(_)
            | What::Advised(_)
            | What::SessionRuns { .. }
            | What::Noted(_)
            | What::Drawn(_)
            | What::Locked(_)
            | What::Spoken(_)
            | What::Fleet(_)
            | What::Resumed(_)
            | What::Interrupted { .. }
            | What::RunOver { .. } => {}
        }
    }
}

/// Whether the record of a game begins with these moves and times, its opening left out.
fn begins_with(events: &[Event], game: GameId, made: &[(String, u64)]) -> bool {
    let over = events.iter().find_map(|event| match &event.what {
        What::GameOver(over) if over.game == game => Some(over),
        _ => None,
    });
    over.is_some_and(|over| {
        let moves = over.moves.split_ascii_whitespace().skip(over.opening_plies as usize);
        let own: Vec<(&str, u64)> = moves.zip(over.used_us.iter().copied()).take(made.len()).collect();
        own == made.iter().map(|(mv, used)| (mv.as_str(), *used)).collect::<Vec<_>>()
    })
}

/// Plays a game again: legality, clocks, the rules at every half-move, the verdict.
///
/// # Errors
/// What cannot be.
pub fn replay(
    over: &GameOver,
    moved: &[(String, u64)],
    plan: Option<&Plan>,
    corrected: &[(usize, BySide<Duration>)],
    plies: &mut u64,
) -> Result<(), String> {
    let termination = read_termination(&over.termination).map_err(|error| error.to_string())?;
    let start = Position::from_fen(&over.fen).map_err(|error| format!("its start: {error}"))?;
    let moves = halves_of(&over.moves)?;
    let opening = over.opening_plies as usize;
    if moves.len() != opening + over.used_us.len() {
        return Err("it has other numbers of moves and of times".to_owned());
    }
    if !moved.is_empty() {
        let words: Vec<(String, u64)> = over
            .moves
            .split_ascii_whitespace()
            .skip(opening)
            .map(str::to_owned)
            .zip(over.used_us.iter().copied())
            .collect();
        if words != moved {
            return Err("its moves as they were made are not those at its end".to_owned());
        }
    }
    let rules = plan.map(|plan| plan.rules);
    let margin = plan.map_or(Duration::ZERO, |plan| plan.conduct.margin);
    let free = plan.and_then(|plan| seating::exhibition(plan, over.game)).map(|display| display.colour);
    let mut clocks = Clocks::new(over)?;
    let mut trail = Trail::new(start);
    for (ply, mv) in moves.iter().enumerate() {
        if ply >= opening
            && let Some(why) = ended_early(&trail, rules)
        {
            return Err(format!("the rules ended it before half-move {}: {why}", ply + 1));
        }
        if let Some((_, standing)) = corrected.iter().rev().find(|(after, _)| *after == ply) {
            clocks.set(*standing);
        }
        let side = trail.position().side();
        match mv {
            None => {
                clocks.overrun(over, ply, opening, side, margin)?;
                trail.pass();
                continue;
            }
            Some(mv) if !trail.position().is_legal(*mv) => {
                return Err(format!("half-move {} ({mv}) is not legal", ply + 1));
            }
            Some(mv) => trail.play(*mv),
        }
        if let Some(used) = ply.checked_sub(opening).and_then(|place| over.used_us.get(place)) {
            // The master of an exhibition has no limit but that of the session (II.5).
            let margin = if free == Some(side) { Duration::MAX } else { margin };
            clocks.charge(side, Duration::from_micros(*used), margin, ply + 1)?;
        }
    }
    if let Some((_, standing)) = corrected.iter().rev().find(|(after, _)| *after == moves.len()) {
        clocks.set(*standing);
    }
    *plies += moves.len() as u64;
    clocks.compare(over, &termination)?;
    judged(&trail, rules, &termination)
}

/// The half-moves of a game; `None` is a pass.
fn halves_of(text: &str) -> Result<Vec<Option<Move>>, String> {
    let word = |word: &str| match (word, SquareStyle::Zero.read(word.as_bytes())) {
        (PASS, _) => Ok(None),
        (_, Some(mv)) => Ok(Some(mv)),
        (_, None) => Err(format!("'{}' is no move", word.escape_debug())),
    };
    text.split_ascii_whitespace().map(word).collect()
}

fn ended_early(trail: &Trail, rules: Option<Rules>) -> Option<String> {
    let ending = law::ending(trail, &rules?)?;
    Some(Termination::from(ending).kind().to_owned())
}

/// Whether the recorded end is the one that the rules give.
fn judged(trail: &Trail, rules: Option<Rules>, termination: &Termination) -> Result<(), String> {
    let Some(rules) = rules else { return Ok(()) };
    let by_law = law::ending(trail, &rules).map(Termination::from);
    let claims_law = matches!(
        termination,
        Termination::Mated { .. }
            | Termination::NoMove { .. }
            | Termination::Repetition(_)
            | Termination::DeadPosition
            | Termination::NoCapture
            | Termination::MaxLength
    );
    match by_law {
        Some(ending) if ending == *termination => Ok(()),
        Some(ending) => Err(format!("the rules give {}, recorded is {}", ending.kind(), termination.kind())),
        None if claims_law => Err(format!("the rules do not give {}", termination.kind())),
        None => Ok(()),
    }
}

struct Clocks {
    clocks: BySide<Clock>,
    controls: BySide<TimeControl>,
}

impl Clocks {
    fn new(over: &GameOver) -> Result<Clocks, String> {
        let control = |text: &String| match text.is_empty() {
            true => Ok(TimeControl::UNLIMITED),
            false => TimeControl::parse(text).map_err(|error| error.to_string()),
        };
        let [red, black] = &over.time_controls;
        let controls = BySide { red: control(red)?, black: control(black)? };
        Ok(Clocks { clocks: controls.map(Clock::new), controls })
    }

    fn set(&mut self, standing: BySide<Duration>) {
        for side in Side::BOTH {
            let to_go = self.clocks[side].moves_left();
            self.clocks[side] = Clock::standing_at(self.controls[side], standing[side], to_go);
        }
    }

    fn charge(&mut self, side: Side, used: Duration, margin: Duration, ply: usize) -> Result<(), String> {
        if self.clocks[side].is_late(used, margin) {
            return Err(format!("half-move {ply} took longer than there was time"));
        }
        self.clocks[side].charge(used);
        Ok(())
    }

    /// A pass stands for a turn that was lost by an overrun; the time for the next move is whole again.
    fn overrun(
        &self,
        over: &GameOver,
        ply: usize,
        opening: usize,
        side: Side,
        margin: Duration,
    ) -> Result<(), String> {
        let used = ply.checked_sub(opening).and_then(|place| over.used_us.get(place)).copied();
        let used = Duration::from_micros(used.unwrap_or_default());
        match self.clocks[side].is_late(used, margin) {
            true => Ok(()),
            false => Err(format!("half-move {} is a pass in time", ply + 1)),
        }
    }

    fn compare(&mut self, over: &GameOver, termination: &Termination) -> Result<(), String> {
        if let Termination::Flag { loser, used, allowed }
        | Termination::OverrunInCheck { loser, used, allowed } = termination
        {
            if self.clocks[*loser].left() != Some(*allowed) {
                return Err(format!("{}'s clock does not add up to its flag", loser.word()));
            }
            self.clocks[*loser].run_down(*used);
        }
        let left = Side::BOTH.map(|side| self.clocks[side].left().map(crate::time::micros));
        if left == over.left_us { Ok(()) } else { Err("its clocks do not add up".to_owned()) }
    }
}

/// Draws everything again.
fn documents(dir: &Path, run: &Run, events: &[Event], verdict: &mut Verdict) {
    let album = Album::of(events);
    for document in DOCUMENTS {
        verdict.documents += 1;
        let drawn = document.draw(run, &album, &Style::default());
        match is_whole(&dir.join(document.file), &drawn) {
            Ok(true) => {}
            Ok(false) => verdict.wrong.push(format!("{}: the journal gives another one", document.file)),
            Err(error) => verdict.wrong.push(format!("{}: {error}", document.file)),
        }
    }
    let Some(head) = run.head() else { return };
    let mut games: Vec<&GameOver> = events
        .iter()
        .filter_map(|event| match &event.what {
            What::GameOver(over) => Some(&**over),
            _ => None,
        })
        .collect();
    games.sort_by_key(|over| over.game);
    let heading = report::pgn::Heading::of(head);
    let text: String = games.into_iter().map(|over| report::pgn::game_of(run, over, &heading)).collect();
    verdict.documents += 1;
    match is_whole(&dir.join(super::desk::GAMES), &text) {
        Ok(true) => {}
        Ok(false) => verdict.wrong.push(format!("{}: the journal gives other games", super::desk::GAMES)),
        Err(error) => verdict.wrong.push(format!("{}: {error}", super::desk::GAMES)),
    }
}

/// Whether a file holds a text and nothing else. No more of it is read than tells.
fn is_whole(path: &Path, text: &str) -> std::io::Result<bool> {
    let mut bytes = Vec::with_capacity(text.len() + 1);
    File::open(path)?.take(text.len() as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes == text.as_bytes())
}

/// The moves that each engine answered with, by entrant and member, must hold every game's own moves one
/// after the other.
fn transcripts(dir: &Path, run: &Run, events: &[Event], plan: &Plan, verdict: &mut Verdict) {
    let mut answers: BTreeMap<(usize, usize), Vec<Move>> = BTreeMap::new();
    for (index, entrant) in plan.entrants.iter().enumerate() {
        for (member, manifest) in entrant.members().enumerate() {
            let team = if entrant.team.is_empty() { String::new() } else { format!("m{}", member + 1) };
            let mut list = Vec::new();
            for path in numbered(&dir.join(TRANSCRIPTS), &format!("{}{team}-", index + 1)) {
                each_line(&path, |line| list.extend(answer(line, manifest.squares)));
            }
            answers.insert((index, member), list);
        }
    }
    let corrections = corrections(run);
    for event in events {
        let What::GameOver(over) = &event.what else { continue };
        let Ok(moves) = halves_of(&over.moves) else { continue };
        let display = seating::exhibition(plan, over.game).is_some();
        let black_first = over.fen.split_ascii_whitespace().nth(1) == Some("b");
        let opening = over.opening_plies as usize;
        let mut cuts: Vec<usize> =
            corrections.get(&over.game).into_iter().flatten().map(|(after, _)| *after).collect();
        cuts.push(moves.len());
        for side in Side::BOTH {
            let name = if side == Side::Red { &over.red } else { &over.black };
            let Some(index) = run.index_of(name) else { continue };
            let members = plan.entrants[index].members().count();
            for member in 0..members {
                let mut from = opening;
                for cut in &cuts {
                    let own = (from..*cut).filter(|ply| {
                        let red_moves = ply.is_multiple_of(2) != black_first;
                        let by = over.members.get(ply - opening).map_or(1, |by| usize::from(*by).max(1));
                        red_moves == (side == Side::Red) && by == member + 1
                    });
                    let own: Vec<Move> = own.filter_map(|ply| moves[ply]).collect();
                    from = (*cut).max(from);
                    let heard = answers.get(&(index, member)).map_or(&[][..], Vec::as_slice);
                    // Where a master answers at several boards, and late answers do not count, others lie between.
                    let found = match display {
                        true => holds_in_order(heard, &own),
                        false => own.is_empty() || heard.windows(own.len()).any(|window| window == own),
                    };
                    if found {
                        verdict.answered += own.len() as u64;
                    } else {
                        verdict.wrong.push(format!(
                            "{TRANSCRIPTS}: game {}: what {name} answered is not what is recorded",
                            over.game
                        ));
                    }
                }
            }
        }
    }
}

/// Whether all of these moves are among the others in their order.
fn holds_in_order(heard: &[Move], own: &[Move]) -> bool {
    let mut heard = heard.iter();
    own.iter().all(|mv| heard.any(|other| other == mv))
}

/// The files of a folder that are called `PREFIX`, a number and `.txt`, by their numbers.
fn numbered(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        Some((name.strip_prefix(prefix)?.strip_suffix(".txt")?.parse::<u32>().ok()?, path))
    };
    let mut files: Vec<(u32, PathBuf)> = names.filter_map(|entry| number(entry.path())).collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

/// Shows every line of a transcript, which may be large. What cannot be read holds no line.
fn each_line(path: &Path, mut show: impl FnMut(&[u8])) {
    // A device in the place of a transcript may have no end.
    let Ok(file) = File::open(path) else { return };
    if !file.metadata().is_ok_and(|facts| facts.is_file()) {
        return;
    }
    let (mut file, mut line) = (BufReader::new(file), Vec::new());
    while (&mut file).take(MAX_LINE).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        show(line.strip_suffix(b"\n").unwrap_or(&line));
        line.clear();
    }
}

/// The move of a line `µs < bestmove ..` (or `move ..`).
fn answer(line: &[u8], squares: SquareStyle) -> Option<Move> {
    let mut words = line.split(|byte| *byte == b' ').skip(1);
    if words.next() != Some(b"<") || !matches!(words.next(), Some(b"bestmove" | b"move")) {
        return None;
    }
    let word = words.next()?;
    squares.read(word.strip_suffix(b"\r").unwrap_or(word))
}
