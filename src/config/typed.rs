//! A test as it is typed on one command line (`--engine cmd=./a tc=10+0.1 option.Hash=16`), turned into
//! the JSON of a config. The words are those that other runners use. Judges only what the config's own
//! checks could not name in the words that were typed. Start at [`Typed::config`].

use serde_json::{Map, Value, json};

use super::engine_list::join_name;

/// Name of the opening list that is compiled in.
pub const BUILT_IN_OPENINGS: &str = "@chuhe-500";

/// The file in which cutechess and Sylvan keep their engines.
pub const USUAL_LIST: &str = "engines.json";

/// Rounds of a test that is only ended by its own rule.
const ENDLESS: u64 = 500_000;

/// Who meets whom, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Meeting {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first ones meet all others.
    Gauntlet {
        /// How many are the first ones.
        seeds: usize,
    },
}

/// Where the games of a test begin, as typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Beginning {
    /// The usual start position.
    #[default]
    Usual,
    /// `file=LIST order=random start=1 plies=8`.
    File(Vec<String>),
}

/// A test as typed: lists of `key=value` words and numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Typed {
    /// The words of each engine.
    pub engines: Vec<Vec<String>>,
    /// Words that hold for every engine that does not say otherwise.
    pub each: Vec<String>,
    /// The file of engines that `conf=` names one of; empty: [`USUAL_LIST`].
    pub list: String,
    /// Who meets whom.
    pub meeting: Meeting,
    /// How many rounds; 0 is as many as the test needs.
    pub rounds: u64,
    /// Games of each two in a round.
    pub games: u64,
    /// Where games begin.
    pub openings: Beginning,
    /// `movecount=3 score=600 twosided=true`.
    pub resign: Option<Vec<String>>,
    /// `movenumber=34 movecount=8 score=20`.
    pub draw: Option<Vec<String>>,
    /// `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized`.
    pub sprt: Option<Vec<String>>,
    /// Full moves after which a game is drawn.
    pub max_moves: Option<u32>,
    /// Everything else, under its name in a config.
    pub other: Map<String, Value>,
}

/// One engine's words, sorted out.
#[derive(Debug, Default)]
struct EngineWords {
    plain: Vec<(String, String)>,
    options: Vec<(String, String)>,
}

/// A word `key=value`.
///
/// # Errors
/// It is none.
fn pair(word: &str) -> Result<(&str, &str), String> {
    word.split_once('=').ok_or_else(|| format!("'{word}' is no setting; write key=value"))
}

fn parsed<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{value}' is no value for {key}"))
}

fn truth(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "true" | "on" | "1" | "yes" => Ok(true),
        "false" | "off" | "0" | "no" => Ok(false),
        _ => Err(format!("{key} is true or false, not '{value}'")),
    }
}

fn unknown(what: &str, key: &str, known: &str) -> String {
    format!("{what} has no setting '{key}'; it has {known}")
}

impl EngineWords {
    fn read(words: &[String]) -> Result<EngineWords, String> {
        let mut read = EngineWords::default();
        for (place, word) in words.iter().enumerate() {
            // The name of a known engine may stand alone at the beginning.
            let (key, value) = match word.as_str() {
                // As cutechess-cli has it.
                "ponder" => ("ponder", "true"),
                word if place == 0 && !word.contains('=') => ("manifest", word),
                word => pair(word)?,
            };
            match key.strip_prefix("option.") {
                Some(option) => read.options.push((option.to_owned(), value.to_owned())),
                None => read.plain.push((key.to_owned(), value.to_owned())),
            }
        }
        Ok(read)
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.plain.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The words of all engines below these.
    fn over(mut self, each: &EngineWords) -> EngineWords {
        let paced = self.get("tc").or(self.get("st")).is_some();
        let sorted = |key: &str| matches!(key, "cmd" | "manifest" | "conf");
        let own = ["cmd", "manifest", "conf"].into_iter().any(|key| self.get(key).is_some());
        for (key, value) in &each.plain {
            let hidden = (paced && matches!(key.as_str(), "tc" | "st")) || (own && sorted(key));
            if self.get(key).is_none() && !hidden {
                self.plain.push((key.clone(), value.clone()));
            }
        }
        let mut options = each.options.clone();
        for (name, value) in self.options {
            match options.iter_mut().find(|(known, _)| *known == name) {
                Some(option) => option.1 = value,
                None => options.push((name, value)),
            }
        }
        self.options = options;
        self
    }

    /// The name that it goes by.
    fn name(&self) -> String {
        let last = |path: &str| {
            let file = path.rsplit('/').next().unwrap_or(path);
            file.strip_suffix(".json").unwrap_or(file).to_owned()
        };
        match (self.get("name").or(self.get("conf")), self.get("manifest"), self.get("cmd")) {
            (Some(name), _, _) => name.to_owned(),
            (None, Some(path), _) | (None, None, Some(path)) => last(path),
            (None, None, None) => String::new(),
        }
    }

    fn check_keys(&self) -> Result<(), String> {
        const KNOWN: [&str; 17] = [
            "manifest",
            "conf",
            "cmd",
            "name",
            "args",
            "dir",
            "proto",
            "tc",
            "st",
            "nodes",
            "depth",
            "plies",
            "timemargin",
            "restart",
            "squares",
            "ponder",
            "whitepov",
        ];
        match self.plain.iter().find(|(key, _)| !KNOWN.contains(&key.as_str())) {
            Some((key, _)) => Err(unknown("an engine", key, &format!("{}, option.NAME", KNOWN.join(", ")))),
            None => Ok(()),
        }
    }

    /// The engine: a name or a manifest. `list`: the file of engines that `conf=` names one of.
    fn engine(&self, list: &str) -> Result<Value, String> {
        let listed = self.get("conf").map(|name| join_name(list, name));
        if let Some(name) = listed.as_deref().or(self.get("manifest")) {
            return match ["cmd", "args", "dir", "proto", "restart", "squares"]
                .into_iter()
                .find(|key| self.get(key).is_some())
            {
                Some(key) => Err(format!("{key} goes with cmd=, not with the known engine '{name}'")),
                None => Ok(Value::from(name)),
            };
        }
        let command = self.get("cmd").ok_or("an engine needs cmd=PROGRAM or manifest=NAME")?;
        let protocol = match self.get("proto").unwrap_or("uci") {
            "xboard" => "cecp",
            other => other,
        };
        let mut manifest = json!({ "command": command, "protocol": protocol });
        let mut set = |key: &str, value: Value| manifest[key] = value;
        if let Some(args) = self.get("args") {
            set("args", Value::from(split_arguments(args)));
        }
        if let Some(dir) = self.get("dir").filter(|dir| !dir.is_empty()) {
            set("dir", Value::from(dir));
        }
        if let Some(squares) = self.get("squares") {
            set("squares", Value::from(squares));
        }
        if let Some(restart) = self.get("restart").filter(|restart| *restart != "auto") {
            set("reuse", Value::from(!truth("restart", restart)?));
        }
        Ok(manifest)
    }

    /// The time control in parts; null if none is typed.
    fn time(&self) -> Result<Value, String> {
        let mut time = Map::new();
        if let Some(tc) = self.get("tc").filter(|tc| !matches!(*tc, "inf" | "infinite")) {
            if self.get("st").is_some() {
                return Err("tc and st exclude each other".to_owned());
            }
            let (moves, rest) = match tc.split_once('/') {
                Some((moves, rest)) => (Some(parsed::<u32>("tc", moves)?), rest),
                None => (None, tc),
            };
            let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
            time.insert("base".to_owned(), seconds("tc", base)?);
            time.insert("increment".to_owned(), seconds("tc", increment)?);
            if let Some(moves) = moves.filter(|moves| *moves > 0) {
                time.insert("moves".to_owned(), moves.into());
            }
        }
        if let Some(st) = self.get("st") {
            time.insert("per_move".to_owned(), seconds("st", st)?);
        }
        if let Some(nodes) = self.get("nodes") {
            time.insert("nodes".to_owned(), parsed::<u64>("nodes", nodes)?.into());
        }
        if let Some(depth) = self.get("depth").or(self.get("plies")) {
            time.insert("depth".to_owned(), parsed::<u32>("depth", depth)?.into());
        }
        Ok(if time.is_empty() { Value::Null } else { Value::Object(time) })
    }

    fn entrant(&self, list: &str) -> Result<Value, String> {
        self.check_keys()?;
        let mut entrant = json!({ "engine": self.engine(list)? });
        if let Some(ponder) = self.get("ponder") {
            entrant["ponder"] = Value::from(truth("ponder", ponder)?);
        }
        if !self.options.is_empty() {
            let options =
                self.options.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
            entrant["options"] = Value::Object(options.collect());
        }
        let time = self.time()?;
        if !time.is_null() {
            entrant["time"] = time;
        }
        Ok(entrant)
    }
}

/// Seconds, or `min:sec`, as a number.
fn seconds(key: &str, text: &str) -> Result<Value, String> {
    let mut total = 0.0;
    for part in text.split(':') {
        total = total * 60.0 + parsed::<f64>(key, part)?;
    }
    // Whole milliseconds, so that sums of parts are written as they were typed.
    let rounded = (total * 1e6).round() / 1e6;
    serde_json::Number::from_f64(rounded).map(Value::Number).ok_or_else(|| format!("'{text}' is no time"))
}

/// The words of an argument line; single and double quotes hold words together.
pub(super) fn split_arguments(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut open) = (String::new(), None, false);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(mark), letter) if letter == mark => quote = None,
            (None, '"' | '\'') => (quote, open) = (Some(letter), true),
            (None, letter) if letter.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (Some(_) | None, letter) => word.push(letter),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

impl Typed {
    /// The config that was meant.
    ///
    /// # Errors
    /// Everything that cannot be read, each with where it was typed.
    pub fn config(&self) -> Result<Value, Vec<String>> {
        let mut problems = Vec::new();
        let mut config = Map::new();
        let mut put = |key: &str, value: Result<Value, String>| match value {
            Ok(Value::Null) => {}
            Ok(value) => drop(config.insert(key.to_owned(), value)),
            Err(problem) => problems.push(problem),
        };
        put("entrants", self.entrants());
        put("format", self.format());
        put("margin", self.margin());
        put("openings", self.book());
        put(
            "rules",
            Ok(self.max_moves.map_or(Value::Null, |moves| json!({ "max_plies": moves.saturating_mul(2) }))),
        );
        put("resign", self.resign.as_deref().map_or(Ok(Value::Null), resign));
        put("draw", self.draw.as_deref().map_or(Ok(Value::Null), draw));
        put("sprt", self.sprt.as_deref().map_or(Ok(Value::Null), sprt));
        for (key, value) in &self.other {
            match (config.get_mut(key).and_then(Value::as_object_mut), value.as_object()) {
                (Some(known), Some(more)) => known.extend(more.clone()),
                (Some(_) | None, _) => drop(config.insert(key.clone(), value.clone())),
            }
        }
        if problems.is_empty() { Ok(Value::Object(config)) } else { Err(problems) }
    }

    fn list(&self) -> &str {
        if self.list.is_empty() { USUAL_LIST } else { &self.list }
    }

    fn words(&self) -> Result<Vec<EngineWords>, String> {
        let each = EngineWords::read(&self.each).map_err(|problem| format!("each: {problem}"))?;
        let read = |(index, words): (usize, &Vec<String>)| {
            let read = EngineWords::read(words).map_err(|problem| format!("engine {}: {problem}", index + 1));
            read.map(|read| read.over(&each))
        };
        self.engines.iter().enumerate().map(read).collect()
    }

    fn entrants(&self) -> Result<Value, String> {
        let mut entrants: Vec<Value> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (index, words) in self.words()?.iter().enumerate() {
            let mut entrant =
                words.entrant(self.list()).map_err(|problem| format!("engine {}: {problem}", index + 1))?;
            let name = words.name();
            let same = |name: &String| names.contains(name);
            let numbered = (2..).map(|number| format!("{name}_{number}"));
            let name = std::iter::once(name.clone()).chain(numbered).find(|name| !same(name)).unwrap_or(name);
            entrant["name"] = Value::from(name.as_str());
            names.push(name);
            entrants.push(entrant);
        }
        Ok(Value::from(entrants))
    }

    fn format(&self) -> Result<Value, String> {
        let rounds = if self.rounds == 0 && self.sprt.is_some() { ENDLESS } else { self.rounds };
        let games = rounds.saturating_mul(self.games);
        let two = self.engines.len() == 2;
        Ok(match self.meeting {
            // A test looks at pairs; a last odd game would never count.
            Meeting::RoundRobin | Meeting::Gauntlet { seeds: 1 }
                if two && (games.is_multiple_of(2) || self.sprt.is_some()) =>
            {
                json!({ "type": "pairs", "pairs": games.div_ceil(2) })
            }
            Meeting::RoundRobin if two => json!({ "type": "gauntlet", "games": games }),
            Meeting::RoundRobin => json!({ "type": "round-robin", "cycles": games, "order": "bouts" }),
            Meeting::Gauntlet { seeds } => json!({ "type": "gauntlet", "seeds": seeds, "games": games }),
        })
    }

    /// There is one margin for all games: the largest that is typed.
    fn margin(&self) -> Result<Value, String> {
        let mut largest = None;
        for words in self.words()? {
            if let Some(margin) = words.get("timemargin") {
                largest = largest.max(Some(parsed::<u64>("timemargin", margin)?));
            }
        }
        Ok(largest.map_or(Value::Null, |ms| Value::from(format!("{ms}ms"))))
    }

    fn book(&self) -> Result<Value, String> {
        let Beginning::File(words) = &self.openings else { return Ok(Value::Null) };
        let mut book = Map::new();
        for word in words {
            let (key, value) = pair(word).map_err(|problem| format!("openings: {problem}"))?;
            let (key, value) = match key {
                "file" => ("file", Value::from(value)),
                "format" | "policy" => continue,
                "order" => match value {
                    "random" | "shuffled" => ("order", Value::from("shuffled")),
                    "sequential" | "in-order" => ("order", Value::from("in-order")),
                    _ => return Err(format!("openings: order is sequential or random, not '{value}'")),
                },
                "start" => ("start", parsed::<u32>("openings start", value)?.max(1).into()),
                "plies" => match parsed::<u64>("openings plies", value)? {
                    // As other runners mean it: no limit.
                    0 => continue,
                    plies => ("plies", plies.into()),
                },
                "squares" => ("squares", Value::from(value)),
                _ => {
                    return Err(unknown(
                        "openings",
                        key,
                        "file, format, order, start, plies, policy, squares",
                    ));
                }
            };
            book.insert(key.to_owned(), value);
        }
        Ok(Value::Object(book))
    }
}

/// Reads `key=value` words by a table of keys: what they are called in a config, and how they are read.
fn settings(
    what: &str,
    words: &[String],
    read: impl Fn(&str, &str) -> Result<Option<(&'static str, Value)>, String>,
) -> Result<Value, String> {
    let mut found = Map::new();
    for word in words {
        let (key, value) = pair(word).map_err(|problem| format!("{what}: {problem}"))?;
        match read(key, value).map_err(|problem| format!("{what}: {problem}"))? {
            Some((key, value)) => drop(found.insert(key.to_owned(), value)),
            None => return Err(format!("{what} has no setting '{key}'")),
        }
    }
    Ok(Value::Object(found))
}

fn resign(words: &[String]) -> Result<Value, String> {
    settings("resign", words, |key, value| {
        Ok(Some(match key {
            "movecount" => ("move_count", parsed::<u32>(key, value)?.into()),
            "score" => ("score", parsed::<i32>(key, value)?.into()),
            "twosided" => ("two_sided", truth(key, value)?.into()),
            _ => return Ok(None),
        }))
    })
}

fn draw(words: &[String]) -> Result<Value, String> {
    settings("draw", words, |key, value| {
        Ok(Some(match key {
            "movenumber" => ("move_number", parsed::<u32>(key, value)?.into()),
            "movecount" => ("move_count", parsed::<u32>(key, value)?.into()),
            "score" => ("score", parsed::<i32>(key, value)?.into()),
            _ => return Ok(None),
        }))
    })
}

fn sprt(words: &[String]) -> Result<Value, String> {
    settings("sprt", words, |key, value| {
        let number = || -> Result<Value, String> { Ok(Value::from(parsed::<f64>(key, value)?)) };
        Ok(Some(match key {
            "elo0" => ("elo0", number()?),
            "elo1" => ("elo1", number()?),
            "alpha" => ("alpha", number()?),
            "beta" => ("beta", number()?),
            "model" => ("model", Value::from(value)),
            _ => return Ok(None),
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        split_arguments(text)
    }

    fn check(typed: &Typed, expected: Value) {
        assert_eq!(typed.config(), Ok(expected), "{typed:?}");
    }

    fn refused(typed: &Typed, expected: &str) {
        let problems = typed.config().expect_err("it is wrong");
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{problems:?}");
    }

    fn two(first: &str, second: &str, each: &str) -> Typed {
        Typed {
            engines: vec![words(first), words(second)],
            each: words(each),
            rounds: 3,
            games: 2,
            ..Typed::default()
        }
    }

    #[test]
    fn engines_and_clocks() {
        let typed = two(
            "cmd=./a name=A tc=40/1:00+0.5 \"option.Clear Hash=true\" args='-x \"y z\"' dir=d restart=on",
            "sparring option.Level=3 st=0.5 timemargin=20",
            "tc=10+0.1 option.Level=9 option.Threads=1",
        );
        check(
            &typed,
            json!({
                "entrants": [
                    {
                        "engine": { "command": "./a", "protocol": "uci", "args": ["-x", "y z"], "dir": "d", "reuse": false },
                        "options": { "Level": "9", "Threads": "1", "Clear Hash": "true" },
                        "time": { "base": 60.0, "increment": 0.5, "moves": 40 },
                        "name": "A"
                    },
                    {
                        "engine": "sparring",
                        "options": { "Level": "3", "Threads": "1" },
                        "time": { "per_move": 0.5 },
                        "name": "sparring"
                    }
                ],
                "format": { "type": "pairs", "pairs": 3 },
                "margin": "20ms"
            }),
        );
    }

    #[test]
    fn rules_of_a_test() {
        let typed = Typed {
            sprt: Some(words("elo0=0 elo1=5 model=logistic")),
            resign: Some(words("movecount=3 score=600 twosided=true")),
            draw: Some(words("movenumber=34 movecount=8 score=20")),
            openings: Beginning::File(words(
                "file=b.epd format=epd order=random plies=0 start=7 policy=round",
            )),
            max_moves: Some(100),
            rounds: 0,
            ..two("sparring", "sparring", "tc=inf nodes=5")
        };
        let config = typed.config().expect("it is right");
        assert_eq!(config["format"], json!({ "type": "pairs", "pairs": 500_000 }));
        assert_eq!(config["entrants"][1]["name"], json!("sparring_2"));
        assert_eq!(config["entrants"][1]["time"], json!({ "nodes": 5 }));
        assert_eq!(config["sprt"], json!({ "elo0": 0.0, "elo1": 5.0, "model": "logistic" }));
        assert_eq!(config["resign"], json!({ "move_count": 3, "score": 600, "two_sided": true }));
        assert_eq!(config["draw"], json!({ "move_number": 34, "move_count": 8, "score": 20 }));
        assert_eq!(config["openings"], json!({ "file": "b.epd", "order": "shuffled", "start": 7 }));
        assert_eq!(config["rules"], json!({ "max_plies": 200 }));
    }

    #[test]
    fn meetings() {
        let third = |typed: Typed| Typed { engines: [typed.engines, vec![words("maxqi")]].concat(), ..typed };
        let format = |typed: Typed| typed.config().expect("it is right")["format"].clone();
        let base = two("sparring", "pikafish", "nodes=1");
        assert_eq!(format(Typed { games: 1, ..base.clone() }), json!({ "type": "gauntlet", "games": 3 }));
        let robin = json!({ "type": "round-robin", "cycles": 6, "order": "bouts" });
        assert_eq!(format(third(base.clone())), robin);
        let meeting = Meeting::Gauntlet { seeds: 1 };
        let gauntlet = json!({ "type": "gauntlet", "seeds": 1, "games": 6 });
        assert_eq!(format(third(Typed { meeting, ..base })), gauntlet);
    }

    #[test]
    fn what_is_wrong_is_named() {
        refused(&two("cmd=a", "name=b", ""), "engine 2: an engine needs cmd=");
        refused(&two("cmd=a colour=red", "cmd=b", ""), "no setting 'colour'");
        refused(&two("cmd=a tc=1 st=1", "cmd=b", ""), "exclude each other");
        refused(&two("cmd=a tc=x", "cmd=b", ""), "engine 1: 'x' is no value for tc");
        refused(&Typed { sprt: Some(words("elo2=4")), ..two("cmd=a", "cmd=b", "") }, "no setting 'elo2'");
    }
}
