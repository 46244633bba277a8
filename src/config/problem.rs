//! What is wrong with a config, and where. Start at [`Problem`].

use std::fmt;

/// One thing that is wrong (or, among warnings, odd) in a config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON path, `entrants[2].engine.command`; empty for the text as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that can be said.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem without a hint.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { path: path.into(), message: message.into(), hint: None }
    }

    /// The same with a hint.
    pub fn hint(self, hint: impl Into<String>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }

    /// The same with the name that is nearest to a wrong one, if any is near.
    pub fn nearest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
        match nearest(wrong, known) {
            Some(name) => self.hint(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// Names of other programs' settings and what they are called here, where letters alone do not lead there.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("engines", "entrants"),
    ("players", "entrants"),
    ("participants", "entrants"),
    ("name", "event"),
    ("title", "event"),
    ("threads", "concurrency"),
    ("workers", "concurrency"),
    ("tc", "time"),
    ("clock", "time"),
    ("srand", "seed"),
    ("cmd", "command"),
    ("path", "command"),
    ("program", "command"),
    ("proto", "protocol"),
    ("arguments", "args"),
    ("environment", "env"),
    ("cwd", "dir"),
    ("rounds", "cycles"),
    ("games", "cycles"),
    ("movetime", "per_move"),
    ("st", "per_move"),
    ("book", "openings"),
    ("tournament", "format"),
    ("movetimereserve", "reserve"),
];

/// Names longer than this are compared by nobody: the comparison takes quadratic time.
const MAX_COMPARED: usize = 64;

/// The known name that a wrong one most likely stands for.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.len() > MAX_COMPARED {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let wrong = plain(wrong);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = match OTHER_WORDS.iter().any(|(other, ours)| *other == wrong && *ours == name) {
            true => 0,
            false => strsim::damerau_levenshtein(&wrong, &plain(name)),
        };
        let allowed = name.chars().count().max(3) / 3;
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Longest piece of the user's text that a message repeats, in characters.
const MAX_QUOTED: usize = 60;

/// Text of the user's, shortened, with control characters escaped, for a message.
pub fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_QUOTED).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_QUOTED).is_some() {
        short.push_str("...");
    }
    short
}

/// The path of a member of an object: `a.b`, or `a["b c"]` where the name is no plain word.
pub fn member(path: &str, name: &str) -> String {
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$'))
        && name.len() <= MAX_COMPARED;
    match (plain, path.is_empty()) {
        (true, true) => name.to_owned(),
        (true, false) => format!("{path}.{name}"),
        (false, _) => format!("{path}[\"{}\"]", quoted(name)),
    }
}

/// The path of an element of a list: `a[2]`.
pub fn element(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}
