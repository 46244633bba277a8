//! Checks a value against a JSON Schema of our own making and takes out what is wrong, so that what is
//! left can be read on. It knows the words that `schemars` writes for `form`: `$ref`, `anyOf`, `oneOf`, `type`,
//! `const`, `enum`, `properties`, `required`, `additionalProperties`, `items` and the limits. It is no
//! validator for schemas of others. Start at [`check`].

use serde_json::{Map, Value};

use super::problem::{Problem, element, member, quoted};

/// More problems of shape than this help nobody.
const MAX_PROBLEMS: usize = 200;

/// Checks a value. What is wrong is told and then removed (members) or made neutral (elements of lists, so that
/// the places of the others stay).
pub fn check(schema: &Value, value: &mut Value) -> Vec<Problem> {
    let empty = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&empty);
    let mut walker = Walker { definitions, problems: Vec::new() };
    walker.visit(schema, "", value);
    if walker.problems.len() > MAX_PROBLEMS {
        walker.problems.truncate(MAX_PROBLEMS);
        walker.problems.push(Problem::new("", "there are more problems; these are the first of them"));
    }
    walker.problems
}

struct Walker<'s> {
    definitions: &'s Map<String, Value>,
    problems: Vec<Problem>,
}

impl<'s> Walker<'s> {
    /// Whether the value may stay; if not, a problem has been told.
    fn visit(&mut self, schema: &'s Value, path: &str, value: &mut Value) -> bool {
        let mut leaves = Vec::new();
        self.collect_leaves(schema, &mut leaves);
        let fitting: Vec<&'s Value> = leaves.iter().copied().filter(|leaf| accepts(leaf, value)).collect();
        match (value, fitting.as_slice()) {
            (value, []) => {
                let problem = wrong_type(path, &leaves, value);
                self.tell(problem)
            }
            (Value::Object(object), [leaf]) => self.object(leaf, path, object),
            (Value::Object(object), leaves) => self.tagged(leaves, path, object),
            (Value::Array(list), [leaf, ..]) => self.list(leaf, path, list),
            (Value::String(text), leaves) => self.text(leaves, path, text),
            (Value::Number(number), [leaf, ..]) => match number_problem(leaf, path, number) {
                Some(problem) => self.tell(problem),
                None => true,
            },
            (Value::Null | Value::Bool(_), _) => true,
        }
    }

    /// The alternatives of a schema, references followed.
    fn collect_leaves(&self, schema: &'s Value, leaves: &mut Vec<&'s Value>) {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let name = name.trim_start_matches("#/$defs/");
            if let Some(definition) = self.definitions.get(name) {
                self.collect_leaves(definition, leaves);
            }
            return;
        }
        let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
        match branches {
            Some(branches) => branches.iter().for_each(|branch| self.collect_leaves(branch, leaves)),
            None => leaves.push(schema),
        }
    }

    fn tell(&mut self, problem: Problem) -> bool {
        self.problems.push(problem);
        false
    }

    fn object(&mut self, schema: &'s Value, path: &str, object: &mut Map<String, Value>) -> bool {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return self.map(schema, path, object);
        };
        object.retain(|name, value| {
            let path = member(path, name);
            match properties.get(name) {
                Some(schema) => self.visit(schema, &path, value),
                None => {
                    let problem = unknown(&path, name, properties);
                    self.tell(problem)
                }
            }
        });
        let told = |problems: &[Problem], path: &str| problems.iter().any(|problem| problem.path == path);
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str().filter(|name| !object.contains_key(*name)) else { continue };
            let path = member(path, name);
            if !told(&self.problems, &path) {
                let about = properties.get(name).and_then(|schema| schema.get("description"));
                let problem = Problem::new(path, "is missing");
                self.tell(match about.and_then(Value::as_str) {
                    Some(about) => problem.hint(first_words(about)),
                    None => problem,
                });
            }
        }
        true
    }

    /// An object with names of the user's.
    fn map(&mut self, schema: &'s Value, path: &str, object: &mut Map<String, Value>) -> bool {
        if let Some(values) = schema.get("additionalProperties") {
            object.retain(|name, value| self.visit(values, &member(path, name), value));
        }
        true
    }

    /// One of several objects, told apart by a member that is constant in each.
    fn tagged(&mut self, leaves: &[&'s Value], path: &str, object: &mut Map<String, Value>) -> bool {
        let tag_of = |leaf: &'s Value| {
            let properties = leaf.get("properties")?.as_object()?;
            properties.iter().find_map(|(name, schema)| Some((name, schema.get("const")?.as_str()?)))
        };
        let tags: Vec<(&String, &str)> = leaves.iter().filter_map(|leaf| tag_of(leaf)).collect();
        let Some((tag, _)) = tags.first() else { return true };
        let known = tags.iter().map(|(_, value)| *value);
        let problem = match object.get(tag.as_str()) {
            None => Problem::new(member(path, tag), "is missing").hint(one_of(known)),
            Some(Value::String(given)) => {
                let leaf = leaves.iter().find(|leaf| tag_of(leaf).is_some_and(|(_, value)| value == given));
                if let Some(leaf) = leaf {
                    return self.object(leaf, path, object);
                }
                no_such_word(&member(path, tag), given, known)
            }
            Some(other) => Problem::new(member(path, tag), format!("must be a text, not {}", found(other)))
                .hint(one_of(known)),
        };
        self.tell(problem)
    }

    fn list(&mut self, schema: &'s Value, path: &str, list: &mut [Value]) -> bool {
        let mut fine = true;
        let count = list.len() as u64;
        let limit = |word: &str| schema.get(word).and_then(Value::as_u64);
        if let Some(least) = limit("minItems").filter(|least| count < *least) {
            fine = self.tell(Problem::new(path, format!("has {count} entries; at least {least} are needed")));
        }
        if let Some(most) = limit("maxItems").filter(|most| count > *most) {
            fine = self.tell(Problem::new(path, format!("has {count} entries; at most {most} are possible")));
        }
        if let Some(items) = schema.get("items") {
            for (index, value) in list.iter_mut().enumerate() {
                if !self.visit(items, &element(path, index), value) {
                    *value = self.neutral(items);
                }
            }
        }
        fine
    }

    /// A value that stands for a wrong element of a list.
    fn neutral(&self, schema: &'s Value) -> Value {
        let mut leaves = Vec::new();
        self.collect_leaves(schema, &mut leaves);
        let candidates = [Value::Object(Map::new()), Value::from(""), Value::from(0), Value::from(false)];
        let fits = |value: &Value| leaves.iter().any(|leaf| accepts(leaf, value));
        candidates.into_iter().find(fits).unwrap_or(Value::Null)
    }

    fn text(&mut self, leaves: &[&'s Value], path: &str, text: &str) -> bool {
        let words: Vec<&str> = leaves.iter().flat_map(|leaf| words(leaf)).collect();
        if let Some(free) = leaves.iter().find(|leaf| !is_closed(leaf)) {
            let count = text.chars().count() as u64;
            let limit = |word: &str| free.get(word).and_then(Value::as_u64);
            if limit("minLength").is_some_and(|least| count < least) {
                return self.tell(Problem::new(path, "must not be empty"));
            }
            if let Some(most) = limit("maxLength").filter(|most| count > *most) {
                let message = format!("has {count} characters; at most {most} are possible");
                return self.tell(Problem::new(path, message));
            }
            return true;
        }
        words.contains(&text) || self.tell(no_such_word(path, text, words))
    }
}

/// The constant texts that a leaf allows.
fn words(leaf: &Value) -> Vec<&str> {
    let listed = leaf.get("enum").and_then(Value::as_array).into_iter().flatten();
    listed.chain(leaf.get("const")).filter_map(Value::as_str).collect()
}

/// Whether a leaf names its values one by one.
fn is_closed(leaf: &Value) -> bool {
    leaf.get("enum").is_some() || leaf.get("const").is_some()
}

/// The JSON types a leaf allows; none named is all.
fn types(leaf: &Value) -> Vec<&str> {
    match leaf.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a leaf allows values of this JSON type.
fn accepts(leaf: &Value, value: &Value) -> bool {
    let types = types(leaf);
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) if types.contains(&"number") => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    types.is_empty() || types.contains(&name)
}

fn wrong_type(path: &str, leaves: &[&Value], value: &Value) -> Problem {
    let mut expected: Vec<&str> = Vec::new();
    for name in leaves.iter().flat_map(|leaf| types(leaf)) {
        let words = match name {
            "null" => continue,
            "boolean" => "true or false",
            "integer" => "a whole number",
            "number" => "a number",
            "string" => "a text",
            "array" => "a list",
            _ => "an object",
        };
        if !expected.contains(&words) {
            expected.push(words);
        }
    }
    let listed: Vec<&str> = leaves.iter().flat_map(|leaf| words(leaf)).collect();
    if !listed.is_empty() && expected == ["a text"] {
        let message = format!("must be {}, not {}", one_of(listed), found(value));
        return Problem::new(path, message);
    }
    let problem = Problem::new(path, format!("must be {}, not {}", expected.join(" or "), found(value)));
    let number = expected.iter().any(|words| words.ends_with("number"));
    match value {
        Value::String(text) if number && text.trim().parse::<f64>().is_ok() => {
            problem.hint(format!("write {} without quotes", text.trim()))
        }
        Value::String(text) if expected == ["true or false"] && matches!(text.as_str(), "true" | "false") => {
            problem.hint(format!("write {text} without quotes"))
        }
        _ => problem,
    }
}

/// A value as a message names it.
fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text \"{}\"", quoted(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn unknown(path: &str, name: &str, properties: &Map<String, Value>) -> Problem {
    let known = || properties.keys().map(String::as_str).filter(|name| !name.starts_with('$'));
    let problem = Problem::new(path, "there is no such field").nearest(name, known());
    if problem.hint.is_some() {
        return problem;
    }
    let listed: Vec<&str> = known().filter(|name| *name != "note").collect();
    problem.hint(format!("the fields here are {}", listed.join(", ")))
}

fn no_such_word<'a>(path: &str, given: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Problem {
    let problem = Problem::new(path, format!("\"{}\" is not possible here", quoted(given)));
    let near = problem.clone().nearest(given, known.clone());
    if near.hint.is_some() { near } else { problem.hint(one_of(known)) }
}

fn one_of<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = known.into_iter().collect();
    format!("one of {}", words.join(", "))
}

/// The first words of a description, up to where it goes into detail.
fn first_words(text: &str) -> String {
    let ends = [". ", ".\n", ": ", " ("];
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim_end_matches('.').replace('\n', " ")
}

/// What is wrong with a number of the right type.
fn number_problem(leaf: &Value, path: &str, number: &serde_json::Number) -> Option<Problem> {
    if let Some(listed) = leaf.get("enum").and_then(Value::as_array) {
        if listed.iter().any(|value| value.as_number() == Some(number)) {
            return None;
        }
        let listed: Vec<String> = listed.iter().filter(|v| !v.is_null()).map(Value::to_string).collect();
        let problem = Problem::new(path, format!("{number} is not possible here"));
        return Some(problem.hint(format!("one of {}", listed.join(", "))));
    }
    let value = number.as_f64()?;
    let limit = |word: &str| leaf.get(word).and_then(Value::as_f64);
    let widest = match leaf.get("format").and_then(Value::as_str) {
        Some("uint8") => Some(f64::from(u8::MAX)),
        Some("uint32") => Some(f64::from(u32::MAX)),
        _ => None,
    };
    if let Some(least) = limit("minimum").filter(|least| value < *least) {
        return Some(Problem::new(path, format!("must be at least {least}, not {number}")));
    }
    let most = limit("maximum").or(widest).filter(|most| value > *most)?;
    Some(Problem::new(path, format!("must be at most {most}, not {number}")))
}
