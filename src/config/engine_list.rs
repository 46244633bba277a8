//! The file in which cutechess and Sylvan keep their engines, `engines.json`, turned into manifests of ours.
//! What a manifest has no place for is told, not lost in silence. Never opens a file. Start at [`read`].

use serde_json::{Map, Value, json};

use super::problem::{Problem, element, member, quoted};
use super::{MAX_CONFIG, text, typed};

/// How a config names an engine of such a file: its path, which ends in `.json`, a `#`, the name.
pub fn join_name(file: &str, name: &str) -> String {
    format!("{file}#{name}")
}

/// The path and the name that [`join_name`] has joined.
pub fn split_name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(".json#")? + ".json".len();
    Some((&text[..end], &text[end + 1..]))
}

/// An engine of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedEngine {
    /// Its name there.
    pub name: String,
    /// Its manifest, in the form of the files in `engines/`.
    pub manifest: Value,
    /// What the list says and a manifest does not, in words.
    pub left_out: Vec<String>,
}

/// Reads the text of such a file.
///
/// # Errors
/// All problems, each with its JSON path.
pub fn read(content: &str) -> Result<Vec<ListedEngine>, Vec<Problem>> {
    if content.len() > MAX_CONFIG {
        let message = format!("it has {} bytes; at most {MAX_CONFIG} are read", content.len());
        return Err(vec![Problem::new("", message)]);
    }
    let (value, mut problems) = text::parse(content).map_err(|problem| vec![problem])?;
    let Some(list) = value.as_array() else {
        return Err(vec![Problem::new(
            "",
            "is no list of engines; cutechess and Sylvan write `[ {..}, .. ]`",
        )]);
    };
    let mut engines: Vec<ListedEngine> = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let place = element("", index);
        let Some(fields) = value.as_object() else {
            problems.push(Problem::new(place, "must be an engine, `{\"name\": .., \"command\": ..}`"));
            continue;
        };
        let mut reader = Reader { fields, place: &place, problems: &mut problems, left_out: Vec::new() };
        let (name, manifest) = reader.engine();
        let left_out = reader.left_out;
        if let Some(first) = engines.iter().position(|engine| engine.name == name && !name.is_empty()) {
            let message = format!("'{}' is the name of engine {first} too", quoted(&name));
            problems.push(Problem::new(member(&place, "name"), message));
        }
        engines.push(ListedEngine { name, manifest: Value::Object(manifest), left_out });
    }
    if problems.is_empty() { Ok(engines) } else { Err(problems) }
}

struct Reader<'a> {
    fields: &'a Map<String, Value>,
    place: &'a str,
    problems: &'a mut Vec<Problem>,
    left_out: Vec<String>,
}

/// Fields that the list has for its own windows and statistics.
const UNUSED: [&str; 9] = [
    "stderrFile",
    "validateClaims",
    "variants",
    "rating",
    "whitepov",
    "whiteEvalPov",
    "timeoutScale",
    "displayName",
    "tScale",
];

impl Reader<'_> {
    fn wrong(&mut self, field: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(member(self.place, field), message));
    }

    fn wrong_at(&mut self, path: String, message: impl Into<String>) {
        self.problems.push(Problem::new(path, message));
    }

    /// A text; empty where there is none.
    fn text(&mut self, field: &str) -> String {
        match self.fields.get(field) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(_) => {
                self.wrong(field, "must be a text");
                String::new()
            }
        }
    }

    fn engine(&mut self) -> (String, Map<String, Value>) {
        let name = self.text("name").trim().to_owned();
        if name.is_empty() && !self.told("name") {
            self.wrong("name", "is missing");
        }
        let mut manifest = Map::new();
        manifest.insert("name".to_owned(), Value::from(name.as_str()));
        self.command(&mut manifest);
        self.protocol(&mut manifest);
        self.lines(&mut manifest);
        self.options(&mut manifest);
        self.restart(&mut manifest);
        match self.fields.get("ponder") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(on)) => drop(manifest.insert("ponder".to_owned(), Value::from(*on))),
            Some(_) => self.wrong("ponder", "must be true or false"),
        }
        let known = [
            "name",
            "command",
            "arguments",
            "workingDirectory",
            "protocol",
            "initStrings",
            "options",
            "restart",
            "ponder",
        ];
        for (field, value) in self.fields {
            let empty = matches!(value, Value::Null | Value::Bool(false))
                || value == &json!("")
                || value == &json!([]);
            if UNUSED.contains(&field.as_str()) {
                if !empty {
                    self.left_out.push(format!("{field}: a manifest has no such setting"));
                }
            } else if !known.contains(&field.as_str()) {
                self.left_out.push(format!("{field}: not known here"));
            }
        }
        (name, manifest)
    }

    fn told(&self, field: &str) -> bool {
        let path = member(self.place, field);
        self.problems.iter().any(|problem| problem.path == path)
    }

    /// A program with its arguments in one line, quotes hold words together. A relative path that names a
    /// folder refers to the working directory, as there.
    fn command(&mut self, manifest: &mut Map<String, Value>) {
        let mut words = typed::split_arguments(&self.text("command").replace('\\', "/"));
        if words.is_empty() {
            if !self.told("command") {
                self.wrong("command", "is missing");
            }
            return;
        }
        let program = words.remove(0);
        match self.fields.get("arguments") {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                words.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            Some(_) => self.wrong("arguments", "must be a list of texts"),
        }
        let dir = self.text("workingDirectory").replace('\\', "/");
        let is_relative = program.contains('/') && !program.starts_with('/');
        let program = match (dir.is_empty(), is_relative) {
            (false, true) => format!("{}/{}", dir.trim_end_matches('/'), program.trim_start_matches("./")),
            (true, _) | (false, false) => program,
        };
        manifest.insert("command".to_owned(), Value::from(program));
        if !words.is_empty() {
            manifest.insert("args".to_owned(), Value::from(words));
        }
        if !dir.is_empty() {
            manifest.insert("dir".to_owned(), Value::from(dir));
        }
    }

    fn protocol(&mut self, manifest: &mut Map<String, Value>) {
        let written = self.text("protocol");
        let protocol = match written.to_ascii_lowercase().as_str() {
            "uci" => "uci",
            "ucci" => "ucci",
            "xboard" | "cecp" | "winboard" => "cecp",
            "" => {
                if !self.told("protocol") {
                    self.wrong("protocol", "is missing: uci, ucci or xboard");
                }
                return;
            }
            _ => {
                self.wrong("protocol", format!("'{}' is not known: uci, ucci or xboard", quoted(&written)));
                return;
            }
        };
        manifest.insert("protocol".to_owned(), Value::from(protocol));
    }

    fn lines(&mut self, manifest: &mut Map<String, Value>) {
        let Some(written) = self.fields.get("initStrings") else { return };
        let list = match written {
            Value::Null => return,
            // An entry may hold several lines.
            Value::String(line) => vec![line.as_str()],
            Value::Array(list) if list.iter().all(Value::is_string) => {
                list.iter().filter_map(Value::as_str).collect()
            }
            _ => return self.wrong("initStrings", "must be a list of texts"),
        };
        let lines: Vec<&str> =
            list.into_iter().flat_map(str::lines).filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            manifest.insert("init".to_owned(), Value::from(lines));
        }
    }

    fn options(&mut self, manifest: &mut Map<String, Value>) {
        let list = match self.fields.get("options") {
            None | Some(Value::Null) => return,
            Some(Value::Array(list)) => list,
            Some(_) => return self.wrong("options", "must be a list of `{\"name\": .., \"value\": ..}`"),
        };
        let mut options = Map::new();
        for (index, option) in list.iter().enumerate() {
            let place = element(&member(self.place, "options"), index);
            let name = option.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
            if name.is_empty() {
                self.wrong_at(member(&place, "name"), "must be the option's name");
                continue;
            }
            let value = option.get("value").unwrap_or(&Value::Null);
            // The default is what the engine does anyway; a button has no value.
            if value.is_null() || option.get("default") == Some(value) {
                continue;
            }
            let is_button = option.get("type").and_then(Value::as_str) == Some("button");
            match value {
                Value::String(_) | Value::Number(_) | Value::Bool(_) if options.contains_key(name) => {
                    self.wrong_at(member(&place, "name"), format!("'{}' is set twice", quoted(name)));
                }
                Value::Bool(false) if is_button => {}
                Value::String(_) | Value::Number(_) | Value::Bool(_) => {
                    options.insert(name.to_owned(), value.clone());
                }
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    self.wrong_at(member(&place, "value"), "must be a text, a number, true or false");
                }
            }
        }
        if !options.is_empty() {
            manifest.insert("options".to_owned(), Value::Object(options));
        }
    }

    fn restart(&mut self, manifest: &mut Map<String, Value>) {
        match self.text("restart").as_str() {
            "" | "auto" | "off" => {}
            "on" => drop(manifest.insert("reuse".to_owned(), Value::from(false))),
            other => self.wrong("restart", format!("'{}' is not auto, on or off", quoted(other))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_both_programs() {
        let text = r#"[
            { "name": "Fairy", "command": "\"/opt/my engines/fairy\" -x", "workingDirectory": "", "protocol": "uci",
              "stderrFile": "", "initStrings": ["setoption name A value 1\nsetoption name B value 2"],
              "options": [ { "name": "UCI_Variant", "type": "combo", "value": "xiangqi", "default": "chess" },
                           { "name": "Clear Hash", "type": "button", "value": null },
                           { "name": "Hash", "type": "spin", "value": 16, "default": 16, "min": 1, "max": 1024 },
                           { "name": "Skill Level", "type": "spin", "value": 5, "default": 20 } ],
              "restart": "on", "ponder": true, "whitepov": true, "variants": ["xiangqi"], "colour": 1 },
            { "name": "Eye", "command": "./eleeye", "workingDirectory": "/opt/eleeye", "protocol": "ucci" },
            { "name": "Max", "command": "maxqi", "protocol": "xboard", "restart": "auto" } ]"#;
        let engines = read(text).expect("it is right");
        let manifests: Vec<&Value> = engines.iter().map(|engine| &engine.manifest).collect();
        let fairy = json!({
            "name": "Fairy", "command": "/opt/my engines/fairy", "args": ["-x"], "protocol": "uci",
            "init": ["setoption name A value 1", "setoption name B value 2"],
            "options": { "UCI_Variant": "xiangqi", "Skill Level": 5 }, "reuse": false, "ponder": true
        });
        let eye = json!({
            "name": "Eye", "command": "/opt/eleeye/eleeye", "dir": "/opt/eleeye", "protocol": "ucci"
        });
        let max = json!({ "name": "Max", "command": "maxqi", "protocol": "cecp" });
        assert_eq!(manifests, [&fairy, &eye, &max]);
        assert_eq!(engines[0].left_out.len(), 3, "{:?}", engines[0].left_out);
        for engine in &engines {
            crate::config::manifest(&engine.manifest.to_string()).expect("it is a manifest");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, expected) in [
            ("{}", "is no list of engines"),
            ("[1]", "[0]: must be an engine"),
            (r#"[{"command":"a","protocol":"uci"}]"#, "[0].name: is missing"),
            (r#"[{"name":"A","protocol":"uci"}]"#, "[0].command: is missing"),
            (r#"[{"name":"A","command":"a"}]"#, "[0].protocol: is missing"),
            (r#"[{"name":"A","command":"a","protocol":"usi"}]"#, "[0].protocol: 'usi' is not known"),
            (r#"[{"name":"A","command":7,"protocol":"uci"}]"#, "[0].command: must be a text"),
            (
                r#"[{"name":"A","command":"a","protocol":"uci"},{"name":"A","command":"b","protocol":"uci"}]"#,
                "[1].name: 'A' is the name of engine 0 too",
            ),
            (
                r#"[{"name":"A","command":"a","protocol":"uci","options":[{"value":1}]}]"#,
                "[0].options[0].name: must be the option's name",
            ),
            (
                r#"[{"name":"A","command":"a","protocol":"uci","options":[{"name":"X","value":[]}]}]"#,
                "[0].options[0].value: must be",
            ),
            (r#"[{"name":"A","command":"a","protocol":"uci","restart":"maybe"}]"#, "[0].restart: 'maybe'"),
            (r#"[{"name":"A","command":"a","protocol":"uci","initStrings":3}]"#, "[0].initStrings: must be"),
            ("[", "line 1"),
        ] {
            let problems = read(text).expect_err(text);
            let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
            assert!(told.iter().any(|one| one.contains(expected)), "{text}\n{told:?}\n{expected}");
        }
    }
}
