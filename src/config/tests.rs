use std::collections::BTreeMap;

use super::*;

/// Files of a test: path and text.
#[derive(Default)]
struct Shelf(BTreeMap<String, String>);

impl Shelf {
    fn with(files: &[(&str, &str)]) -> Shelf {
        Shelf(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }
}

impl Files for Shelf {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(path).map(|text| text.clone().into_bytes()).ok_or_else(|| "not there".to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }
}

fn try_read(text: &str, shelf: &Shelf) -> Result<Resolved, Vec<Problem>> {
    read(text, "/runs", shelf, &Overrides::default())
}

#[test]
fn the_shortest_config_is_two_names() {
    let text =
        r#"{"entrants": ["sparring", {"name": "Second", "engine": "sparring", "options": {"Level": 3}}]}"#;
    let resolved = try_read(text, &Shelf::default()).unwrap();
    let plan = &resolved.plan;
    assert_eq!(plan.entrants.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["sparring", "Second"]);
    assert_eq!(plan.stages[0].time.to_string(), "10+0.1");
    assert_eq!(plan.entrants[1].engine.options, [("Level".to_owned(), "3".to_owned())]);
    assert_eq!(resolved.warnings, []);
    let again = from_value(&resolved.config, "/runs", &Shelf::default(), &Overrides::default()).unwrap();
    assert_eq!((again.plan, again.config), (resolved.plan, resolved.config));
}
