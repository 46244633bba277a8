//! JSON text to a value, with what serde_json lets pass (doubled keys) and with advice on the usual slips.
//! Start at [`parse`].

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::problem::{Problem, element, member};

/// Reads JSON. Doubled keys are listed; the last one counts.
///
/// # Errors
/// Where the text is no JSON, and why.
pub fn parse(text: &str) -> Result<(Value, Vec<Problem>), Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut doubled = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Node { path: String::new(), doubled: &mut doubled }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    match value {
        Ok(value) => Ok((value, doubled)),
        Err(error) => Err(syntax(text, &error)),
    }
}

/// A syntax error with the advice that its line suggests.
fn syntax(text: &str, error: &serde_json::Error) -> Problem {
    let problem = Problem::new("", format!("this is no JSON: {error}"));
    if text.trim().is_empty() {
        return problem.hint("the file is empty");
    }
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or("");
    let rest = line.get(error.column().saturating_sub(1)..).unwrap_or("");
    if rest.starts_with(['/', '#']) {
        return problem.hint("JSON has no comments; put remarks into a field `note`");
    }
    if rest.starts_with('\'') {
        return problem.hint("JSON wants texts in double quotes");
    }
    if error.to_string().starts_with("trailing comma") {
        return problem.hint("take out the comma before the closing bracket");
    }
    problem
}

/// A value that is being read, at its path.
struct Node<'a> {
    path: String,
    doubled: &'a mut Vec<Problem>,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Node {
            path: element(&self.path, values.len()),
            doubled: &mut *self.doubled,
        })? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let path = member(&self.path, &key);
            let value = object.next_value_seed(Node { path: path.clone(), doubled: &mut *self.doubled })?;
            if values.insert(key, value).is_some() {
                self.doubled.push(Problem::new(path, "is given twice").hint("keep one of the two"));
            }
        }
        Ok(Value::Object(values))
    }
}
