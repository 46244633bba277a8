//! The flags of fastchess (and of cutechess-cli, where they differ) as they are typed: `-engine key=value
//! ..`, `-rounds 4`. Every known flag is accepted; what has no meaning here is noted. Plays nothing.
//! Start at [`Flags::read`].

use serde_json::{Map, Value, json};

use crate::config;
use crate::config::typed::{Meeting, Typed};
use crate::report::dropin::Dialect;
use crate::report::dropin::pgn::{Details, Word};
use crate::tournament::Colours;

/// Where games are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PgnOut {
    /// The file.
    pub file: String,
    /// Whether it keeps what it holds.
    pub append: bool,
    /// What is written.
    pub details: Details,
}

/// Where end positions are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EpdOut {
    /// The file.
    pub file: String,
    /// Whether it keeps what it holds.
    pub append: bool,
}

/// Where everything that is printed is written too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogOut {
    /// The file.
    pub file: String,
    /// Whether it keeps what it holds.
    pub append: bool,
    /// Whether only warnings and errors are written.
    pub warnings_only: bool,
}

/// What was typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flags {
    /// The test.
    pub typed: Typed,
    /// The words of `-openings`.
    pub openings: Vec<String>,
    /// Whose lines are printed.
    pub dialect: Dialect,
    /// Pairs or games between two blocks of results.
    pub rating_interval: u32,
    /// Games between two scores.
    pub score_interval: u32,
    /// Whether games are counted in pairs.
    pub pairs: bool,
    /// Games at once as typed; 0 and less are the machine's threads less so many.
    pub concurrency: i64,
    /// Seed, if one is typed.
    pub seed: Option<u64>,
    /// Where games are written.
    pub pgn: Option<PgnOut>,
    /// Where end positions are written.
    pub epd: Option<EpdOut>,
    /// Whether all games of a pair have the same colours.
    pub no_swap: bool,
    /// Whether all games have the colours opposite to the tables.
    pub reverse: bool,
    /// Whether lines of play that announce mate are looked at.
    pub check_mates: bool,
    /// Whether the checksum of that file is printed.
    pub crc32: bool,
    /// Where results are written as JSON.
    pub json: Option<String>,
    /// Where everything that is printed is written too.
    pub log: Option<LogOut>,
    /// Whether the lines of engines are written there.
    pub log_engines: bool,
    /// Whether a crash does not end the match.
    pub recover: bool,
    /// Whether any fault is an error.
    pub strict: bool,
    /// A run folder, if one is wanted.
    pub out: Option<String>,
    /// Only the version is asked for.
    pub version: bool,
    /// What is accepted without effect.
    pub notes: Vec<String>,
}

/// Flags that change nothing here: our own ways are always on, or there is nothing to be done.
const WITHOUT_EFFECT: [&str; 10] = [
    "force-concurrency",
    "testEnv",
    "show-latency",
    "autosaveinterval",
    "debug",
    "resultformat",
    "bookmode",
    "tbignore50",
    "tbpieces",
    "outcomeinterval",
];

/// Flags that ask for something that is not done; the match is played without.
const NOTED: [&str; 3] = ["tb", "tbadjudicate", "config"];

/// A flag and its words.
type Group = (String, Vec<String>);

/// Whether a word is a flag and no value: a dash, a letter, and no setting.
fn is_flag(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    name.len() < word.len() && !word.contains('=') && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn groups(words: &[String]) -> Result<Vec<Group>, String> {
    let mut groups: Vec<Group> = Vec::new();
    for word in words {
        match groups.last_mut() {
            _ if is_flag(word) => groups.push((word.trim_start_matches('-').to_owned(), Vec::new())),
            Some((_, values)) => values.push(word.clone()),
            None => return Err(format!("'{word}' is no flag")),
        }
    }
    Ok(groups)
}

fn number<T: std::str::FromStr>(flag: &str, values: &[String]) -> Result<T, String> {
    let value = values.first().ok_or_else(|| format!("-{flag} needs a number"))?;
    value.parse().map_err(|_| format!("'{value}' is no value for -{flag}"))
}

/// The value of the last word `key=value`.
fn setting<'a>(values: &'a [String], key: &str) -> Option<&'a str> {
    values.iter().rev().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

fn is_true(values: &[String], key: &str) -> bool {
    matches!(setting(values, key), Some("true" | "1" | "on"))
}

impl Flags {
    /// Reads the words behind the program's name.
    ///
    /// # Errors
    /// Everything that cannot be read.
    pub fn read(words: &[String]) -> Result<Flags, Vec<String>> {
        let mut flags = Flags {
            rating_interval: 10,
            score_interval: 1,
            pairs: true,
            concurrency: 1,
            typed: Typed { rounds: 2, games: 2, ..Typed::default() },
            ..Flags::default()
        };
        let groups = groups(words).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        for (flag, values) in &groups {
            if let Err(problem) = flags.take(flag, values) {
                problems.push(problem);
            }
        }
        let typed = |name: &str| groups.iter().any(|(flag, _)| flag == name);
        // cutechess counts all games of two engines by -games.
        if typed("games") && !typed("rounds") && flags.typed.games > 2 {
            flags.typed.rounds = 1;
        }
        if flags.version || problems.is_empty() { Ok(flags) } else { Err(problems) }
    }

    fn take(&mut self, flag: &str, values: &[String]) -> Result<(), String> {
        match flag {
            "engine" => self.typed.engines.push(engine_words(values)),
            "each" => self.typed.each.extend(values.iter().cloned()),
            "rounds" => self.typed.rounds = number(flag, values)?,
            "games" => self.typed.games = number(flag, values)?,
            "repeat" if values.is_empty() => self.typed.games = self.typed.games.max(2),
            "repeat" => self.typed.games = number(flag, values)?,
            "concurrency" => self.concurrency = number(flag, values)?,
            "tournament" => self.tournament(values)?,
            "seeds" => self.typed.meeting = Meeting::Gauntlet { seeds: number(flag, values)? },
            "variant" => variant(values)?,
            "resign" => self.typed.resign = Some(values.to_vec()),
            "draw" => self.typed.draw = Some(values.to_vec()),
            "maxmoves" => self.typed.max_moves = Some(number(flag, values)?),
            "openings" => self.openings = values.to_vec(),
            "srand" => self.seed = Some(number(flag, values)?),
            "sprt" => self.typed.sprt = Some(values.to_vec()),
            "quick" => self.quick(values),
            "draw-as-black-win" => self.put("draw_as_black_win", true.into()),
            "enginesfile" => self.typed.list = values.first().cloned().ok_or("-enginesfile names no file")?,
            "event" => self.put("event", Value::from(values.join(" "))),
            "site" => self.put("site", Value::from(values.join(" "))),
            "noswap" => self.no_swap = true,
            "reverse" => self.reverse = true,
            "recover" => self.recover = true,
            "strict" => self.strict = true,
            "version" | "v" => self.version = true,
            "out" => self.out = values.first().cloned(),
            _ if self.take_conduct(flag, values)? => {}
            _ => return self.take_output(flag, values),
        }
        Ok(())
    }

    /// Flags about processes and patience; false if it is none of them.
    fn take_conduct(&mut self, flag: &str, values: &[String]) -> Result<bool, String> {
        let ms = || number::<u64>(flag, values).map(|ms| Value::from(format!("{ms}ms")));
        match flag {
            "use-affinity" | "affinity" => self.put("affinity", config::affinity(&values.join(","))),
            "stagger" => self.put("stagger", ms()?),
            "wait" => self.put("pause", ms()?),
            "startup-ms" => self.put("start_patience", ms()?),
            // Readiness is asked for once a game, after the words for a new game.
            "ucinewgame-ms" => self.put("ready_patience", ms()?),
            "ping-ms" => {
                let patience = ms()?;
                self.typed.other.entry("ready_patience").or_insert(patience);
            }
            "log" => {
                self.log = Some(log(values)?);
                self.log_engines = is_true(values, "engine");
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn take_output(&mut self, flag: &str, values: &[String]) -> Result<(), String> {
        match flag {
            "ratinginterval" => self.rating_interval = number(flag, values)?,
            "scoreinterval" => self.score_interval = number(flag, values)?,
            "report" => self.pairs = setting(values, "penta") != Some("false"),
            "output" => {
                self.dialect = match setting(values, "format") {
                    Some("cutechess") => Dialect::Cutechess,
                    Some("fastchess") | None => Dialect::Fastchess,
                    Some(other) => {
                        return Err(format!(
                            "-output: '{other}' is no format; there are fastchess, cutechess"
                        ));
                    }
                }
            }
            "check-mate-pvs" => {
                self.check_mates = true;
                self.put("info_lines", true.into());
            }
            "pgnout" => {
                let out = pgn_out(values)?;
                let Details { words, pv, latency, .. } = &out.details;
                if !words.is_empty() || *pv || *latency {
                    self.put("info_lines", true.into());
                }
                if let Some(pattern) = setting(values, "match_line") {
                    self.put("match_line", Value::from(pattern));
                }
                self.pgn = Some(out);
            }
            "epdout" => {
                let (file, append) = out_file(flag, values)?;
                self.epd = Some(EpdOut { file, append });
            }
            "crc32" => {
                self.crc32 = setting(values, "pgn").or(values.first().map(String::as_str)) != Some("false")
            }
            "jsonout" => {
                self.json = Some(
                    setting(values, "file")
                        .or(values.first().map(String::as_str))
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            "config" if setting(values, "file").is_some() && !values.iter().any(|word| word == "discard") => {
                return Err(
                    "-config file= is not read here: it holds another program's state. Give the match a run folder \
                     with -out DIR; `chuhe resume DIR` goes on with it and loses and doubles no game"
                        .to_owned(),
                );
            }
            _ if NOTED.contains(&flag) => self.notes.push(format!("-{flag} is accepted and has no effect")),
            _ if WITHOUT_EFFECT.contains(&flag) => {}
            _ => return Err(format!("there is no flag '-{flag}'")),
        }
        Ok(())
    }

    fn put(&mut self, key: &str, value: Value) {
        self.typed.other.insert(key.to_owned(), value);
    }

    fn tournament(&mut self, values: &[String]) -> Result<(), String> {
        match values.first().map(String::as_str) {
            Some("roundrobin" | "round-robin") => self.typed.meeting = Meeting::RoundRobin,
            Some("gauntlet") => {
                if self.typed.meeting == Meeting::RoundRobin {
                    self.typed.meeting = Meeting::Gauntlet { seeds: 1 };
                }
            }
            other => {
                let other = other.unwrap_or_default();
                return Err(format!("-tournament: '{other}' is none; there are roundrobin, gauntlet"));
            }
        }
        Ok(())
    }

    /// `-quick cmd=A cmd=B book=FILE`.
    fn quick(&mut self, values: &[String]) {
        for command in values.iter().filter(|word| word.starts_with("cmd=")) {
            self.typed.engines.push(vec![command.clone()]);
        }
        if let Some(book) = setting(values, "book") {
            self.openings = vec![format!("file={book}"), "order=random".to_owned()];
        }
        self.typed.each.push("tc=10+0.1".to_owned());
        self.typed.rounds = 25_000;
        self.typed.draw = Some(["movenumber=30", "movecount=8", "score=8"].map(str::to_owned).to_vec());
        self.recover = true;
    }

    /// Settings of the run that no flag names.
    pub fn settings(&self, seed: u64, concurrency: usize) -> Map<String, Value> {
        let mut other = self.typed.other.clone();
        let mut put = |key: &str, value: Value| drop(other.insert(key.to_owned(), value));
        put("seed", seed.into());
        put("concurrency", concurrency.into());
        put("transcripts", false.into());
        put("drain", json!(DRAIN_SECONDS));
        let mut faults = Map::new();
        if !self.recover {
            faults.insert("stop_after".to_owned(), 1.into());
        }
        if let Some(log) = self.log.as_ref().filter(|_| self.log_engines) {
            put("engine_log", Value::from(log.file.as_str()));
        }
        if let Some(colours) = Colours::of(self.no_swap, self.reverse).unusual() {
            put("colours", colours.into());
        }
        if self.strict {
            faults.insert("max".to_owned(), 0.into());
        }
        put("faults", Value::Object(faults));
        other
    }
}

/// How long running games may go on after an interrupt: the whole must be over within five seconds.
const DRAIN_SECONDS: u64 = 2;

/// Names go between blanks and colons in lines that are split at them.
fn engine_words(values: &[String]) -> Vec<String> {
    let plain = |word: &String| match word.strip_prefix("name=") {
        Some(name) => format!("name={}", name.replace([' ', ':', '\t'], "_")),
        None => word.clone(),
    };
    values.iter().map(plain).collect()
}

fn variant(values: &[String]) -> Result<(), String> {
    match values.first().map(String::as_str) {
        Some("standard" | "xiangqi") => Ok(()),
        other => {
            let other = other.unwrap_or_default();
            Err(format!("-variant {other} is not played here: this is xiangqi (standard means xiangqi)"))
        }
    }
}

fn log(values: &[String]) -> Result<LogOut, String> {
    let file = setting(values, "file").ok_or("-log names no file; write file=FILE")?;
    if let Some(true) = setting(values, "compress").map(|value| value != "false") {
        return Err("-log compress= is not done here; compress the file afterwards".to_owned());
    }
    let warnings_only = match setting(values, "level").unwrap_or("warn") {
        "all" | "trace" | "info" => false,
        "warn" | "err" | "fatal" => true,
        other => return Err(format!("-log: '{other}' is no level; there are trace, info, warn, err, fatal")),
    };
    Ok(LogOut { file: file.to_owned(), append: setting(values, "append") != Some("false"), warnings_only })
}

/// The file that a flag names, bare or by `file=`, and whether it keeps what it holds.
fn out_file(flag: &str, values: &[String]) -> Result<(String, bool), String> {
    let bare = values.first().filter(|word| !word.contains('=')).map(String::as_str);
    let file = setting(values, "file").or(bare).ok_or_else(|| format!("-{flag} names no file"))?;
    Ok((file.to_owned(), setting(values, "append") != Some("false")))
}

fn pgn_out(values: &[String]) -> Result<PgnOut, String> {
    let (file, append) = out_file("pgnout", values)?;
    let minimal = is_true(values, "min") || values.iter().skip(1).any(|word| word == "min");
    Ok(PgnOut {
        file,
        append,
        details: Details {
            nodes: is_true(values, "nodes"),
            words: Word::ALL.into_iter().filter(|word| is_true(values, word.name())).collect(),
            pv: is_true(values, "pv"),
            time_left: is_true(values, "timeleft"),
            latency: is_true(values, "latency"),
            minimal,
            ..Details::default()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_lines_of_both_frameworks_are_read() {
        let fishtest = words(
            "-testEnv -recover -repeat -games 2 -rounds 4 -ratinginterval 1 -scoreinterval 1 -autosaveinterval 0 \
             -report penta=true -pgnout file=r.pgn append=false -crc32 pgn=true -site http://x -event B \
             -srand 18446744073709551615 -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 \
             -variant standard -concurrency 2 -openings file=b.epd format=epd order=random plies=16 start=3 \
             -check-mate-pvs -engine name=New:1 tc=1 cmd=./a dir=. option.X=-1 -engine name=Base tc=1 cmd=./b \
             dir=. -each proto=uci timemargin=10000 option.Threads=1",
        );
        let flags = Flags::read(&fishtest).expect("it is right");
        assert_eq!((flags.typed.rounds, flags.typed.games, flags.seed), (4, 2, Some(u64::MAX)));
        assert_eq!((flags.rating_interval, flags.crc32, flags.recover, flags.pairs), (1, true, true, true));
        assert_eq!(flags.typed.engines[0], words("name=New_1 tc=1 cmd=./a dir=. option.X=-1"));
        assert_eq!(flags.pgn.map(|pgn| (pgn.file, pgn.append)), Some(("r.pgn".to_owned(), false)));
        let flags =
            Flags::read(&words("-games 40 -pgnout r.pgn -output format=cutechess -tournament gauntlet"));
        let flags = flags.expect("it is right");
        assert_eq!((flags.typed.rounds, flags.typed.games, flags.dialect), (1, 40, Dialect::Cutechess));
        assert_eq!((flags.pgn.map(|pgn| pgn.append), flags.recover), (Some(true), false));
    }

    #[test]
    fn patience_pauses_cores_and_the_log_take_effect() {
        let line = words(
            "-use-affinity 0,2-3 -wait 50 -startup-ms 4000 -ping-ms 3000 -ucinewgame-ms 2000 -stagger 10 \
             -draw-as-black-win -noswap -reverse -epdout file=e.epd append=false -log file=l.txt level=trace append=false engine=true -engine conf=A -engine conf=B",
        );
        let flags = Flags::read(&line).expect("it is right");
        let settings = flags.settings(1, 1);
        for (key, value) in [
            ("affinity", json!("0,2-3")),
            ("pause", json!("50ms")),
            ("start_patience", json!("4000ms")),
            ("ready_patience", json!("2000ms")),
            ("stagger", json!("10ms")),
            ("draw_as_black_win", json!(true)),
            ("colours", json!("kept-reversed")),
            ("engine_log", json!("l.txt")),
        ] {
            assert_eq!(settings.get(key), Some(&value), "{key}");
        }
        let log = LogOut { file: "l.txt".to_owned(), append: false, warnings_only: false };
        assert_eq!(flags.log, Some(log));
        assert_eq!(flags.epd, Some(EpdOut { file: "e.epd".to_owned(), append: false }));
        let settings = Flags::read(&words("-affinity -ping-ms 70")).expect("it is right").settings(1, 1);
        assert_eq!((&settings["affinity"], &settings["ready_patience"]), (&json!(true), &json!("70ms")));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, expected) in [
            ("-variant fischerandom", "xiangqi"),
            ("-nonsense 3", "no flag"),
            ("-rounds x", "no value"),
            ("rounds", "no flag"),
            ("-tournament swiss", "gauntlet"),
            ("-config file=config.json", "chuhe resume DIR"),
            ("-log level=warn", "names no file"),
            ("-log file=x level=loud", "no level"),
            ("-wait soon", "no value"),
            ("-epdout append=false", "names no file"),
        ] {
            let problems = Flags::read(&words(line)).expect_err(line);
            assert!(problems[0].contains(expected), "{line}: {problems:?}");
        }
    }
}
