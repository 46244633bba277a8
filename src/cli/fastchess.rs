//! `chuhe fastchess`, or the program called as `fastchess` or `fastchess-ob`: stands in for fastchess
//! behind the workers of test frameworks. Prints what they read and leaves no run folder unless asked.
//! Start at [`main`].

mod files;
mod flags;

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use serde_json::Value;

use super::Exit;
use super::exit::report_error;
use super::testing::{usage, usual_list};
use crate::config::typed::{Beginning, Typed};
use crate::config::{self, Overrides, Resolved};
use crate::record::{Event, GameOver, Run, What};
use crate::report::dropin::{Lines, Told, Wanted, json};
use crate::runner::{self, DiskFiles, Ended, RunError, Show};
use files::{Ends, Games, Log};
use flags::Flags;

/// The version that frameworks ask for, in their words: date and hash have the shape that is looked for.
const VERSION: &str = concat!("fastchess alpha 1.8.1 20260101-0-", env!("CARGO_PKG_VERSION_MINOR"));

/// Plays what the words say.
pub fn main(words: &[String]) -> Exit {
    let mut flags = match Flags::read(words) {
        Ok(flags) => flags,
        Err(problems) => return usage(&problems),
    };
    if flags.version {
        say(VERSION);
        say(&format!("({} speaking as fastchess; it plays xiangqi)", runner::PROGRAM));
        return Exit::Done;
    }
    for note in &flags.notes {
        eprintln!("Note: {note}");
    }
    if flags.typed.list.is_empty() {
        flags.typed.list = usual_list().to_string_lossy().into_owned();
    }
    find_commands(&mut flags.typed);
    if let Err(problem) = find_squares(&mut flags) {
        return usage(&[problem]);
    }
    let (resolved, base) = match resolve(&mut flags) {
        Ok(resolved) => resolved,
        Err(problems) => return usage(&problems),
    };
    let failed = Arc::new(AtomicBool::new(false));
    let show = match Printer::new(&flags, &resolved, Arc::clone(&failed)) {
        Ok(mut printer) => Show::watched(move |event, run| printer.event(event, run)),
        Err(problem) => return usage(&[problem]),
    };
    let result = match &flags.out {
        Some(dir) => runner::run(&resolved, &base, Path::new(dir), show, None),
        None => runner::run_unnamed(&resolved, &base, show),
    };
    match exit(result) {
        Exit::Done if failed.load(Ordering::Relaxed) => Exit::Internal,
        exit => exit,
    }
}

/// Whoever reads standard output may be gone; the match goes on.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn exit(result: Result<Ended, RunError>) -> Exit {
    match result {
        // Frameworks know one code for every match that did not come to its end by itself.
        Ok(Ended::EngineFailures) => Exit::Usage,
        Ok(ended) => Exit::from(ended),
        Err(error) => report_error(&error),
    }
}

/// A program is looked for in its working directory first.
fn find_commands(typed: &mut Typed) {
    let value = |words: &[String], key: &str| {
        words.iter().rev().find_map(|word| word.strip_prefix(key).map(str::to_owned))
    };
    let each = typed.each.clone();
    for words in &mut typed.engines {
        let Some(command) = value(words, "cmd=") else { continue };
        let dir = value(words, "dir=").or_else(|| value(&each, "dir=")).unwrap_or_else(|| ".".to_owned());
        let beside = Path::new(&dir).join(&command);
        if !command.starts_with(['/', '@']) && beside.is_file() {
            // With a slash it is a path and not a name to be searched for.
            words.push(format!("cmd=./{}", beside.display()));
        }
    }
}

/// Engines that list several variants count ranks from 1, all others from 0, unless it is typed.
fn find_squares(flags: &mut Flags) -> Result<(), String> {
    if flags.typed.each.iter().any(|word| word.starts_with("squares=")) {
        return Ok(());
    }
    let config = flags.typed.config().map_err(|problems| problems.join("; "))?;
    let base = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let resolved = config::from_value(&config, &base.to_string_lossy(), &DiskFiles, &Overrides::default());
    let resolved = resolved
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    for (words, entrant) in flags.typed.engines.iter_mut().zip(&resolved.plan.entrants) {
        let settled = |word: &String| {
            word.starts_with("squares=") || word.starts_with("manifest=") || word.starts_with("conf=")
        };
        let ours = entrant.engine.command == "@self";
        if ours || words.iter().any(settled) || words.first().is_some_and(|word| !word.contains('=')) {
            continue;
        }
        let offers = runner::offers_xiangqi(&entrant.engine).map_err(|error| error.to_string())?;
        if offers == Some(true) {
            words.push("squares=one".to_owned());
        }
    }
    Ok(())
}

/// The plan, and the folder its paths refer to.
fn resolve(flags: &mut Flags) -> Result<(Resolved, PathBuf), Vec<String>> {
    if !flags.openings.is_empty() {
        flags.typed.openings = Beginning::File(flags.openings.clone());
    }
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as i64);
    let concurrency = match flags.concurrency {
        many @ 1.. => many,
        fewer => (threads + fewer).max(1),
    };
    let now =
        || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let seed = flags.seed.unwrap_or_else(now);
    let concurrency = usize::try_from(concurrency).unwrap_or(1).min(MOST_GAMES_AT_ONCE);
    flags.typed.other = flags.settings(seed, concurrency);
    let config = flags.typed.config()?;
    let base = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let resolved = config::from_value(&config, &base.to_string_lossy(), &DiskFiles, &Overrides::default());
    let resolved =
        resolved.map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    Ok((resolved, base))
}

/// As many as a config may have.
const MOST_GAMES_AT_ONCE: usize = 1024;

/// The conditions in brackets: clock, threads, hash, book.
fn conditions(flags: &Flags, resolved: &Resolved) -> String {
    let typed = |key: &str| {
        let of =
            |words: &[String]| words.iter().rev().find_map(|word| word.strip_prefix(key).map(str::to_owned));
        let engine = |words: &Vec<String>| of(words).or_else(|| of(&flags.typed.each));
        let values: Vec<String> = flags.typed.engines.iter().filter_map(engine).collect();
        match values.as_slice() {
            [first, rest @ ..] if rest.iter().all(|value| value == first) => Some(first.clone()),
            [] => None,
            values => Some(values.join(" - ")),
        }
    };
    let nodes = || typed("nodes=").map(|nodes| format!("{nodes}n"));
    let clock = typed("tc=").filter(|tc| tc != "inf").or_else(|| typed("st=")).or_else(nodes);
    let book = match resolved
        .config
        .get("openings")
        .and_then(|openings| openings.get("file"))
        .and_then(Value::as_str)
    {
        Some(file) => file.rsplit('/').next().unwrap_or(file).to_owned(),
        None => "startpos".to_owned(),
    };
    format!(
        "{}, {}t, {}MB, {book}",
        clock.unwrap_or_else(|| "NULL".to_owned()),
        typed("option.Threads=").unwrap_or_else(|| "1".to_owned()),
        typed("option.Hash=").unwrap_or_else(|| "16".to_owned()),
    )
}

/// Prints lines and writes files as events come.
struct Printer {
    lines: Lines,
    games: Option<Games>,
    ends: Option<Ends>,
    pairs: Option<(json::Pairs, File)>,
    log: Option<Log>,
    failed: Arc<AtomicBool>,
}

impl Printer {
    fn new(flags: &Flags, resolved: &Resolved, failed: Arc<AtomicBool>) -> Result<Printer, String> {
        let cannot = |name: &str, error: std::io::Error| format!("cannot write '{name}': {error}");
        let wanted = Wanted {
            dialect: flags.dialect,
            rating_interval: flags.rating_interval,
            score_interval: flags.score_interval,
            pairs: flags.pairs && flags.typed.games.is_multiple_of(2),
            check_mates: flags.check_mates,
            conditions: conditions(flags, resolved),
        };
        let games = flags
            .pgn
            .as_ref()
            .map(|out| Games::open(out, flags, resolved).map_err(|error| cannot(&out.file, error)));
        let ends = flags.epd.as_ref().map(|out| Ends::open(out).map_err(|error| cannot(&out.file, error)));
        let pairs = flags.json.as_ref().map(|name| {
            File::create(name).map(|file| (json::Pairs::default(), file)).map_err(|error| cannot(name, error))
        });
        let log = flags.log.as_ref().map(|out| Log::open(out).map_err(|error| cannot(&out.file, error)));
        Ok(Printer {
            lines: Lines::new(wanted),
            games: games.transpose()?,
            ends: ends.transpose()?,
            pairs: pairs.transpose()?,
            log: log.transpose()?,
            failed,
        })
    }

    fn event(&mut self, event: &Event, run: &Run) {
        let Told { before, after, warnings } = self.lines.event(event, run);
        for line in &warnings {
            eprintln!("{line}");
        }
        if let Some(log) = &mut self.log {
            log.write(event.at, &warnings, &[&before, &after]);
        }
        before.iter().for_each(|line| say(line));
        if let What::GameOver(game) = &event.what {
            self.write(game);
        }
        after.iter().for_each(|line| say(line));
    }

    /// A file that cannot be written does not end the match, but its exit code tells.
    fn write(&mut self, game: &GameOver) {
        let number = self.lines.number(game.game);
        let fail = |error: std::io::Error| {
            eprintln!("error: cannot write a game: {error}");
            self.failed.store(true, Ordering::Relaxed);
        };
        match self.games.as_mut().map(|games| games.write(game, number)) {
            Some(Ok(Some(line))) => say(&line),
            Some(Ok(None)) | None => {}
            Some(Err(error)) => fail(error),
        }
        if let Some(Err(error)) = self.ends.as_mut().map(|ends| ends.write(game)) {
            fail(error);
        }
        if let Some((pairs, file)) = &mut self.pairs
            && let Some(line) = pairs.take(game, number)
            && let Err(error) = writeln!(file, "{line}")
        {
            fail(error);
        }
    }
}
