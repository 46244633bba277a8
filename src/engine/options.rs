//! Who an engine says it is and which options it lists. Everything is cut to a limit; names are compared
//! without case and with blank and underscore alike. Start at [`Identity`].

use super::words::{first_word, lossy, number, words};

/// Most options that are kept: the richest engine known lists about 30, fleets of parameters some hundreds.
const MAX_OPTIONS: usize = 2000;
/// Most values of one option: Fairy-Stockfish lists about a hundred variants.
const MAX_VARS: usize = 500;
/// Longest name, default or value that is kept, in bytes.
const MAX_TEXT: usize = 200;

/// What an engine says of itself. Text is cut to 200 bytes and made UTF-8 lossily.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// Its name; empty if it gave none.
    pub name: String,
    /// Its author.
    pub author: String,
    /// Its version, where it is given apart from the name.
    pub version: String,
    /// The options it listed, in its order.
    pub options: Vec<Listed>,
}

/// An option that an engine listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name in the engine's spelling.
    pub name: String,
    /// Its kind.
    pub kind: OptionKind,
    /// The value it has if nobody sets it.
    pub default: String,
    /// Least value.
    pub min: Option<i64>,
    /// Greatest value.
    pub max: Option<i64>,
    /// The values to choose from.
    pub vars: Vec<String>,
}

/// The kind of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check,
    /// A whole number.
    Spin,
    /// One of several values.
    Combo,
    /// Something that happens when it is pressed; it has no value.
    Button,
    /// Text, a file or a folder.
    String,
    /// A heading, or a kind that we do not know.
    Other,
}

impl OptionKind {
    /// The word of the protocols.
    pub const fn name(self) -> &'static str {
        match self {
            OptionKind::Check => "check",
            OptionKind::Spin => "spin",
            OptionKind::Combo => "combo",
            OptionKind::Button => "button",
            OptionKind::String => "string",
            OptionKind::Other => "other",
        }
    }

    fn read(word: &[u8]) -> OptionKind {
        match word {
            b"check" => OptionKind::Check,
            b"spin" | b"slider" => OptionKind::Spin,
            b"combo" => OptionKind::Combo,
            b"button" | b"save" | b"reset" => OptionKind::Button,
            b"string" | b"file" | b"path" => OptionKind::String,
            _ => OptionKind::Other,
        }
    }
}

/// Whether two option names are the same: case does not count, and UCCI engines write `_` for a blank.
pub(super) fn same_name(a: &str, b: &str) -> bool {
    let plain = |byte: u8| if byte == b'_' { b' ' } else { byte.to_ascii_lowercase() };
    a.len() == b.len() && a.bytes().map(plain).eq(b.bytes().map(plain))
}

impl Identity {
    /// A listed option by its name, in any case.
    pub fn option(&self, name: &str) -> Option<&Listed> {
        self.options.iter().find(|listed| same_name(&listed.name, name))
    }

    /// Whether an option's values contain a word.
    pub fn offers(&self, name: &str, var: &str) -> bool {
        self.option(name).is_some_and(|listed| listed.vars.iter().any(|v| v.eq_ignore_ascii_case(var)))
    }

    /// What follows `id`.
    pub(super) fn hear_id(&mut self, rest: &[u8]) {
        let (field, text) = first_word(rest);
        match field {
            b"name" => self.name = lossy(text, MAX_TEXT),
            b"author" => self.author = lossy(text, MAX_TEXT),
            b"version" => self.version = lossy(text, MAX_TEXT),
            _ => {}
        }
    }

    /// CECP's `myname`.
    pub(super) fn set_name(&mut self, text: &[u8]) {
        self.name = lossy(text, MAX_TEXT);
    }

    /// CECP's `myversion`.
    pub(super) fn set_version(&mut self, text: &[u8]) {
        self.version = lossy(text, MAX_TEXT);
    }

    /// What follows `option` in UCI (`name NAME type ..`) and UCCI (`NAME type ..`).
    pub(super) fn hear_option(&mut self, rest: &[u8]) {
        let rest = match first_word(rest) {
            (b"name", after) if first_word(after).0 != b"type" => after,
            _ => rest,
        };
        let mut listed = Listed::new();
        let mut field: &[u8] = b"name";
        let mut value: Vec<u8> = Vec::new();
        for word in words(rest) {
            if matches!(word, b"type" | b"default" | b"min" | b"max" | b"var") {
                listed.set(field, &value);
                field = word;
                value.clear();
            } else if value.len() < MAX_TEXT {
                if !value.is_empty() {
                    value.push(b' ');
                }
                value.extend_from_slice(word);
            }
        }
        listed.set(field, &value);
        self.add(listed);
    }

    /// The text of CECP's `feature option="NAME -KIND ARGUMENTS"`.
    pub(super) fn hear_feature_option(&mut self, text: &[u8]) {
        let Some(dash) = text.windows(2).position(|pair| pair == b" -") else { return };
        let mut listed = Listed::new();
        listed.name = lossy(&text[..dash], MAX_TEXT);
        let (kind, rest) = first_word(&text[dash + 2..]);
        listed.kind = OptionKind::read(kind);
        match listed.kind {
            OptionKind::Spin => {
                let mut numbers = words(rest);
                listed.default = numbers.next().map(|word| lossy(word, MAX_TEXT)).unwrap_or_default();
                listed.min = numbers.next().and_then(number);
                listed.max = numbers.next().and_then(number);
            }
            OptionKind::Combo => {
                let text = String::from_utf8_lossy(rest);
                for value in text.split("///").map(str::trim).take(MAX_VARS) {
                    let chosen = value.strip_prefix('*');
                    let value = lossy(chosen.unwrap_or(value).as_bytes(), MAX_TEXT);
                    if chosen.is_some() {
                        listed.default.clone_from(&value);
                    }
                    listed.vars.push(value);
                }
            }
            OptionKind::Check | OptionKind::Button | OptionKind::String | OptionKind::Other => {
                listed.default = lossy(rest, MAX_TEXT);
            }
        }
        self.add(listed);
    }

    fn add(&mut self, listed: Listed) {
        if !listed.name.is_empty() && self.options.len() < MAX_OPTIONS {
            self.options.push(listed);
        }
    }
}

impl Listed {
    fn new() -> Listed {
        Listed {
            name: String::new(),
            kind: OptionKind::Other,
            default: String::new(),
            min: None,
            max: None,
            vars: Vec::new(),
        }
    }

    fn set(&mut self, field: &[u8], value: &[u8]) {
        match field {
            b"name" => self.name = lossy(value, MAX_TEXT),
            b"type" => self.kind = OptionKind::read(value),
            b"default" => self.default = lossy(value, MAX_TEXT),
            b"min" => self.min = number(value),
            b"max" => self.max = number(value),
            _ if self.vars.len() < MAX_VARS => self.vars.push(lossy(value, MAX_TEXT)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let mut identity = Identity::default();
        match line.strip_prefix("feature ") {
            Some(text) => identity.hear_feature_option(text.as_bytes()),
            None => identity.hear_option(line.strip_prefix("option ").unwrap().as_bytes()),
        }
        let shown = identity.options.first().map(|l| {
            format!("{}|{:?}|{}|{:?}|{:?}|{}", l.name, l.kind, l.default, l.min, l.max, l.vars.join(","))
        });
        assert_eq!(shown.as_deref().unwrap_or("nothing"), expected, "{line}");
    }

    #[test]
    fn option_lines() {
        check(
            "option name Skill Level type spin default 20 min -20 max 20",
            "Skill Level|Spin|20|Some(-20)|Some(20)|",
        );
        check(
            "option hashsize type spin min 16 max 1024 default 16",
            "hashsize|Spin|16|Some(16)|Some(1024)|",
        );
        check(
            "option name Book File type string default my  book.dat",
            "Book File|String|my book.dat|None|None|",
        );
        check("option name Log type string default ", "Log|String||None|None|");
        check("option newgame type button", "newgame|Button||None|None|");
        check(
            "option idle type combo var none var very small default none",
            "idle|Combo|none|None|None|none,very small",
        );
        check(
            "option name Style\ttype combo default Solid var Solid var Normal",
            "Style|Combo|Solid|None|None|Solid,Normal",
        );
        check("option name type check default true", "name|Check|true|None|None|");
        check("option ", "nothing");
        check("option type check", "nothing");
    }

    #[test]
    fn feature_options() {
        check("feature Skill Level -spin 20 -20 20", "Skill Level|Spin|20|Some(-20)|Some(20)|");
        check("feature Level -combo Clueless /// *Normal", "Level|Combo|Normal|None|None|Clueless,Normal");
        check(
            "feature Mate -combo Off /// *On for drops",
            "Mate|Combo|On for drops|None|None|Off,On for drops",
        );
        check("feature Clear Hash -button", "Clear Hash|Button||None|None|");
        check("feature Path -string <empty>", "Path|String|<empty>|None|None|");
        check("feature nonsense", "nothing");
    }

    #[test]
    fn names_and_limits() {
        assert!(same_name("Skill Level", "skill_level"));
        assert!(!same_name("Skill", "Skill Level"));
        let mut identity = Identity::default();
        for _ in 0..3000 {
            identity.hear_option(b"name X type check");
            identity.hear_id(format!("name {}", "n".repeat(5000)).as_bytes());
        }
        assert_eq!(identity.options.len(), MAX_OPTIONS);
        assert_eq!(identity.name.len(), MAX_TEXT);
    }
}
