//! The house rules, held against the sources of the project itself: floors, bans below the runner,
//! headers, sizes, names and words. It never looks at behaviour and never runs anything; all violations
//! are printed at once, each with file and line. Start at [`FLOORS`] and [`the_project_is_tidy`].

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// The floor of every module: imports go downward only.
const FLOORS: &[(&str, u8)] = &[
    ("xiangqi", 0),
    ("time", 0),
    ("law", 1),
    ("formats", 1),
    ("game", 2),
    ("engine", 2),
    ("sparring", 3),
    ("table", 3),
    ("tournament", 3),
    ("plan", 3),
    ("regulations", 4),
    ("record", 4),
    ("report", 5),
    ("config", 5),
    ("director", 5),
    ("runner", 6),
    ("cli", 7),
];

/// Imports on one floor that are wanted nevertheless: (from, to). `plan` is data that `table` obeys.
const BESIDE: &[(&str, &str)] = &[("plan", "tournament"), ("table", "plan"), ("regulations", "record")];

/// Imports that go downward and are unwanted nevertheless: (from, to).
const NEVER: &[(&str, &str)] = &[("engine", "law"), ("report", "table"), ("report", "sparring")];

/// Modules that import only the standard library, themselves and what stands here: they can leave as
/// a crate of their own.
const ALONE: &[(&str, &[&str])] = &[("xiangqi", &[]), ("law", &["xiangqi"])];

/// The first floor that may touch the world.
const RUNNER: u8 = 6;

/// Crates and modules that touch the world.
const WORLD_PATHS: &[&[&str]] = &[
    &["tokio"],
    &["rustix"],
    &["indicatif"],
    &["std", "fs"],
    &["std", "process"],
    &["std", "net"],
    &["std", "env"],
    &["std", "thread"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "io", "stderr"],
    &["rand", "rng"],
];

/// Names that mean a clock or unseeded chance wherever they stand in a path.
const WORLD_NAMES: &[&str] = &[
    "Instant",
    "SystemTime",
    "Utc",
    "Local",
    "thread_rng",
    "from_os_rng",
    "from_entropy",
    "getrandom",
    "OsRng",
];

const PRINTS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];
const UNFINISHED: &[&str] = &["todo", "unimplemented"];
/// File names that say nothing; put together where the word is one of [`NO_WORDS`].
const NO_NAMES: &[&str] =
    &["util", "utils", "common", concat!("hel", "per"), concat!("hel", "pers"), "misc", "manager"];

/// Most lines of a source file, its `#[cfg(test)]` items aside.
const MOST_LINES: usize = 600;
/// Most lines of a file in `tests/`, where everything is a test.
const MOST_TEST_LINES: usize = 900;
/// Most bytes of any file: the data of others stay where they are.
const MOST_BYTES: u64 = 300_000;
/// Files that may be larger.
const LARGE_FILES: &[&str] = &["Cargo.lock"];

/// Folders that are made by running the project.
const MADE: &[&str] = &["target", "results", ".git"];

/// Words that have no place in the project's texts, in lower case, whole words only. They are put
/// together here so that this file may say them.
const NO_WORDS: &[&str] =
    &[concat!("cla", "ude"), concat!("ai ", "assistant"), concat!("hel", "per"), concat!("/wo", "rk/")];

/// Texts that may say one of those words: (file, word). CI looks for the shared folder there.
const WORDS_ALLOWED: &[(&str, &str)] = &[(".ci/run", concat!("/wo", "rk/"))];

// ---------------------------------------------------------------------------------------------
// Violations

struct Violation {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

#[derive(Default)]
struct Found(Vec<Violation>);

impl Found {
    fn add(&mut self, file: &str, line: usize, what: impl Into<String>) {
        self.0.push(Violation { file: file.to_owned(), line, what: what.into() });
    }
}

// ---------------------------------------------------------------------------------------------
// A Rust source as tokens

/// A word, `::`, or one character of punctuation; comments are left out, a literal is `"`.
#[derive(Debug, PartialEq)]
struct Token {
    line: usize,
    text: String,
    /// Whether it stands in an item under `#[cfg(test)]`.
    test: bool,
    /// How many `mod name { .. }` are open around it.
    inner: usize,
}

/// `a::b::c`, groups of `use` opened out.
struct PathFound {
    line: usize,
    test: bool,
    inner: usize,
    parts: Vec<String>,
}

impl PathFound {
    fn starts_with(&self, start: &[&str]) -> bool {
        self.parts.len() >= start.len() && start.iter().zip(&self.parts).all(|(a, b)| a == b)
    }

    fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part == name)
    }
}

struct Source<'a> {
    file: &'a str,
    text: &'a str,
    tokens: Vec<Token>,
    paths: Vec<PathFound>,
}

impl<'a> Source<'a> {
    fn new(file: &'a str, text: &'a str) -> Source<'a> {
        let mut tokens = tokens(text);
        mark_tests(&mut tokens);
        mark_inner_modules(&mut tokens);
        if file.ends_with("/tests.rs") {
            tokens.iter_mut().for_each(|token| token.test = true);
        }
        let paths = paths(&tokens);
        Source { file, text, tokens, paths }
    }

    /// Names of the modules down to this file, `lib.rs` and `main.rs` being none.
    fn module(&self) -> Vec<&'a str> {
        let Some(inside) = self.file.strip_prefix("src/").and_then(|rest| rest.strip_suffix(".rs")) else {
            return Vec::new();
        };
        inside.split('/').filter(|name| !matches!(*name, "lib" | "main")).collect()
    }

    /// The module of the library that a path leads to, if it leads through the crate's root.
    fn leads_to<'p>(&self, path: &'p PathFound) -> Option<&'p str> {
        let ups = path.parts.iter().take_while(|part| *part == "super").count();
        let next = if path.parts[0] == "crate" {
            1
        } else if ups > 0 && ups == self.module().len() + path.inner {
            ups
        } else {
            return None;
        };
        path.parts.get(next).map(String::as_str)
    }

    /// Whether the tokens from `at` on are these.
    fn reads(&self, at: usize, words: &[&str]) -> bool {
        reads(&self.tokens, at, words)
    }

    fn lines_without_tests(&self) -> usize {
        let tests: BTreeSet<usize> =
            self.tokens.iter().filter(|token| token.test).map(|token| token.line).collect();
        let (first, last) = (tests.first().copied(), tests.last().copied());
        let blank_or_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("//");
        let in_tests = |number: usize, line: &str| {
            tests.contains(&number)
                || (blank_or_comment(line)
                    && first.is_some_and(|f| number > f)
                    && last.is_some_and(|l| number < l))
        };
        self.text.lines().enumerate().filter(|(index, line)| !in_tests(index + 1, line)).count()
    }
}

fn reads(tokens: &[Token], at: usize, words: &[&str]) -> bool {
    words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == *word))
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < chars.len() {
        let start = i;
        let here = chars[i];
        let next = chars.get(i + 1).copied().unwrap_or(' ');
        let mut word = None;
        if here == '/' && (next == '/' || next == '*') {
            i = after_comment(&chars, i);
        } else if let Some(end) = after_literal(&chars, i) {
            i = end;
            word = Some("\"".to_owned());
        } else if here == '\'' {
            // A lifetime.
            i += 1;
            while i < chars.len() && (chars[i].is_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
        } else if here.is_alphanumeric() || here == '_' {
            while i < chars.len() && (chars[i].is_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
            word = Some(chars[start..i].iter().collect());
        } else if here == ':' && next == ':' {
            i += 2;
            word = Some("::".to_owned());
        } else {
            i += 1;
            word = (!here.is_whitespace()).then(|| here.to_string());
        }
        if let Some(text) = word {
            found.push(Token { line, text, test: false, inner: 0 });
        }
        line += chars[start..i].iter().filter(|c| **c == '\n').count();
    }
    found
}

fn after_comment(chars: &[char], start: usize) -> usize {
    if chars[start + 1] == '/' {
        return (start..chars.len()).find(|i| chars[*i] == '\n').unwrap_or(chars.len());
    }
    let (mut i, mut depth) = (start, 0);
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

/// The end of a string or character literal that begins at `start`; `None` if none begins there.
fn after_literal(chars: &[char], start: usize) -> Option<usize> {
    let mut i = start;
    for prefix in ['b', 'c'] {
        if chars[i] == prefix && matches!(chars.get(i + 1), Some('"' | '\'' | 'r')) {
            i += 1;
            break;
        }
    }
    let mut fences = 0;
    let raw = chars[i] == 'r';
    if raw {
        fences = chars[i + 1..].iter().take_while(|c| **c == '#').count();
        i += 1 + fences;
    }
    match chars.get(i)? {
        '"' => {}
        // 'x' or '\..', but not the lifetime 'x.
        '\'' if !raw && (chars.get(i + 1) == Some(&'\\') || chars.get(i + 2) == Some(&'\'')) => {}
        _ => return None,
    }
    let quote = chars[i];
    i += 1;
    while i < chars.len() {
        if chars[i] == '\\' && !raw {
            i += 2;
        } else if chars[i] == quote && chars[i + 1..].iter().take_while(|c| **c == '#').count() >= fences {
            return Some(i + 1 + fences);
        } else {
            i += 1;
        }
    }
    Some(chars.len())
}

/// Marks the items under `#[cfg(test)]`, from the attribute to the closing brace or semicolon.
fn mark_tests(tokens: &mut [Token]) {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut at = 0;
    while at < tokens.len() {
        if !reads(tokens, at, &ATTRIBUTE) {
            at += 1;
            continue;
        }
        let (start, mut depth) = (at, 0);
        at += ATTRIBUTE.len();
        while at < tokens.len() {
            match tokens[at].text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 && matches!(tokens[at - 1].text.as_str(), "}" | ";") {
                break;
            }
        }
        tokens[start..at].iter_mut().for_each(|token| token.test = true);
    }
}

fn mark_inner_modules(tokens: &mut [Token]) {
    let mut open = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].text.as_str() {
            "{" => open.push(at >= 2 && tokens[at - 2].text == "mod"),
            "}" => {
                open.pop();
            }
            _ => {}
        }
        tokens[at].inner = open.iter().filter(|module| **module).count();
    }
}

fn paths(tokens: &[Token]) -> Vec<PathFound> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_word(&tokens[at].text) {
            at = path_tree(tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one path or `use` tree from `at` on; returns the place after it.
fn path_tree(tokens: &[Token], mut at: usize, before: &[String], found: &mut Vec<PathFound>) -> usize {
    let mut parts = before.to_vec();
    let mut last = at;
    while let Some(token) = tokens.get(at) {
        if token.text == "{" && !parts.is_empty() {
            at += 1;
            while tokens.get(at).is_some_and(|token| token.text != "}") {
                let name = &tokens[at].text;
                at = if is_word(name) || name == "*" { path_tree(tokens, at, &parts, found) } else { at + 1 };
            }
            return at + 1;
        }
        if !is_word(&token.text) && token.text != "*" {
            break;
        }
        parts.push(token.text.clone());
        last = at;
        at += 1;
        if tokens.get(at).is_none_or(|token| token.text != "::") {
            break;
        }
        at += 1;
    }
    if let Some(Token { line, test, inner, .. }) = tokens.get(last)
        && !parts.is_empty()
    {
        found.push(PathFound { line: *line, test: *test, inner: *inner, parts });
    }
    at.max(last + 1)
}

// ---------------------------------------------------------------------------------------------
// The rules

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// Rules 1 and 2 of the house: who may import whom, and who may touch the world.
fn check_floors(source: &Source<'_>, crates: &[String], found: &mut Found) {
    let Some(home) = source.module().first().copied() else { return };
    if !source.file.starts_with("src/") {
        return;
    }
    let Some(own) = floor(home) else {
        found.add(
            source.file,
            1,
            format!("module `{home}` stands on no floor; add it to the table in tests/tidy.rs"),
        );
        return;
    };
    let alone = ALONE.iter().find(|(name, _)| *name == home).map(|(_, with)| *with);
    for path in &source.paths {
        if let Some(target) = source.leads_to(path).filter(|target| *target != home) {
            match floor(target) {
                None => {
                    found.add(source.file, path.line, format!("`{target}` of the crate stands on no floor"))
                }
                Some(other) if other > own || other == own && !BESIDE.contains(&(home, target)) => found.add(
                    source.file,
                    path.line,
                    format!("`{home}` (floor {own}) must not import `{target}` (floor {other})"),
                ),
                Some(_) if NEVER.contains(&(home, target)) => {
                    found.add(source.file, path.line, format!("`{home}` must know nothing of `{target}`"));
                }
                Some(_) if alone.is_some_and(|with| !with.contains(&target)) => {
                    found.add(
                        source.file,
                        path.line,
                        format!("`{home}` must stand alone, without `{target}`"),
                    );
                }
                Some(_) => {}
            }
        }
        if alone.is_some() && !path.test && path.parts.len() > 1 && crates.contains(&path.parts[0]) {
            found.add(
                source.file,
                path.line,
                format!("`{home}` must stand alone, without `{}`", path.parts[0]),
            );
        }
    }
    if own < RUNNER {
        check_world(source, found);
    }
}

fn check_world(source: &Source<'_>, found: &mut Found) {
    for path in &source.paths {
        let world = WORLD_PATHS.iter().any(|start| path.starts_with(start) && (path.parts.len() > 1))
            || WORLD_NAMES.iter().any(|name| path.has(name));
        if world {
            found.add(source.file, path.line, format!("`{}` below the runner", path.parts.join("::")));
        }
    }
    for (at, token) in source.tokens.iter().enumerate() {
        let prints = PRINTS.contains(&token.text.as_str()) && source.reads(at + 1, &["!"]);
        if prints && !token.test {
            found.add(source.file, token.line, format!("`{}!` below the runner", token.text));
        }
    }
}

/// What no source may contain.
fn check_code(source: &Source<'_>, found: &mut Found) {
    let in_src = source.file.starts_with("src/");
    let is_test = source.file.starts_with("tests/") && !source.file.starts_with("tests/end_to_end");
    for (at, token) in source.tokens.iter().enumerate() {
        let mut bad = |what: &str| found.add(source.file, token.line, what);
        if UNFINISHED.contains(&token.text.as_str()) && source.reads(at + 1, &["!"]) {
            bad("unfinished code");
        }
        if source.reads(at, &["#", "[", "ignore"]) {
            bad("an ignored test");
        }
        let attribute = source.reads(at, &["#", "["]) || source.reads(at, &["#", "!", "["]);
        if in_src
            && attribute
            && (source.reads(at + 2, &["allow", "("]) || source.reads(at + 3, &["allow", "("]))
        {
            bad("`allow`: say `expect` with a reason");
        }
        if source.reads(at, &["[", "expect", "("]) && !says_reason(&source.tokens[at..]) {
            bad("`expect` without a reason");
        }
        if token.text == "unsafe" {
            bad("`unsafe`");
        }
    }
    for path in source.paths.iter().filter(|path| is_test || path.test) {
        if path.parts.len() > 1 && path.parts.last().is_some_and(|name| name == "sleep") {
            found.add(source.file, path.line, "a sleeping test");
        }
        if path.has("Command") && path.has("process") {
            found.add(source.file, path.line, "a process started outside tests/end_to_end");
        }
    }
}

fn says_reason(attribute: &[Token]) -> bool {
    attribute.iter().take_while(|token| token.text != "]").any(|token| token.text == "reason")
}

/// Header, size and name of a source file.
fn check_form(source: &Source<'_>, found: &mut Found) {
    let header: Vec<&str> = source.text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    if header.is_empty() {
        found.add(source.file, 1, "opens with no `//!` header");
    } else if sentences(&header.join(" ")) < 2 {
        found.add(
            source.file,
            1,
            "the header says less than two sentences (what it is, what it never does, where to start)",
        );
    }
    let (lines, most) = if source.file.starts_with("tests/") {
        (source.text.lines().count(), MOST_TEST_LINES)
    } else {
        (source.lines_without_tests(), MOST_LINES)
    };
    if lines > most {
        found.add(
            source.file,
            1,
            format!("{lines} lines; at most {most}, a module's unit tests not counted"),
        );
    }
}

fn sentences(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| word.ends_with(['.', '!', '?', '。']) && !matches!(*word, "e.g." | "i.e."))
        .count()
}

/// Name and size of any file.
fn check_file(file: &str, bytes: u64, found: &mut Found) {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    if NO_NAMES.contains(&stem) {
        found.add(file, 1, format!("`{stem}` says nothing: name it after what it is"));
    }
    if name == "mod.rs" && !file.starts_with("tests/support/") {
        found.add(file, 1, "module roots are `foo.rs` beside `foo/`");
    }
    if bytes > MOST_BYTES && !LARGE_FILES.contains(&file) {
        found.add(file, 1, format!("{bytes} bytes; at most {MOST_BYTES}"));
    }
}

/// The words of any text.
fn check_words(file: &str, text: &str, found: &mut Found) {
    for (index, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for word in NO_WORDS {
            if has_word(&line, word) && !WORDS_ALLOWED.contains(&(file, word)) {
                found.add(file, index + 1, format!("says '{word}'"));
            }
        }
    }
}

/// Whether a word or its plural stands in a line by itself.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let rest = &line[at + word.len()..];
        let after = rest.strip_prefix('s').unwrap_or(rest).chars().next();
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
        let joined_before = letter(before) && letter(word.chars().next());
        let joined_after = letter(after) && letter(word.chars().next_back());
        !joined_before && !joined_after
    })
}

/// Files that are for people to copy: all are named in the README, all manifests are JSON.
fn check_examples(file: &str, text: &str, readme: Option<&str>, found: &mut Found) {
    if let (Some(name), Some(readme)) = (file.strip_prefix("configs/"), readme)
        && !readme.contains(name)
    {
        found.add(file, 1, "not mentioned in README.md");
    }
    if (file.starts_with("engines/") || file.starts_with("configs/"))
        && file.ends_with(".json")
        && let Err(error) = serde_json::from_str::<serde_json::Value>(text)
    {
        found.add(file, error.line(), format!("no JSON: {error}"));
    }
}

fn crates_of(cargo_toml: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in cargo_toml.lines() {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.trim_end().ends_with("dependencies]");
        } else if let (true, Some((name, _))) = (inside, line.split_once(['=', '.'])) {
            names.push(name.trim().replace('-', "_"));
        }
    }
    names
}

/// All rules on one file.
fn check_all(file: &str, text: &str, crates: &[String], readme: Option<&str>, found: &mut Found) {
    check_words(file, text, found);
    check_examples(file, text, readme, found);
    if file.ends_with(".rs") {
        let source = Source::new(file, text);
        check_floors(&source, crates, found);
        check_code(&source, found);
        check_form(&source, found);
    }
}

fn files(root: &Path, folder: &str, out: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(root.join(folder)).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().into_string().unwrap();
        let file = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && !MADE.contains(&name.as_str()) {
            files(root, &file, out);
        } else if kind.is_file() {
            out.push(file);
        }
    }
}

#[test]
fn the_project_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).ok();
    let crates = crates_of(&std::fs::read_to_string(root.join("Cargo.toml")).unwrap());
    let mut all = Vec::new();
    files(root, "", &mut all);
    let mut found = Found::default();
    for file in &all {
        check_file(file, std::fs::metadata(root.join(file)).unwrap().len(), &mut found);
        // Texts only: what is not UTF-8 is no text.
        if file != "Cargo.lock"
            && let Ok(text) = std::fs::read_to_string(root.join(file))
        {
            check_all(file, &text, &crates, readme.as_deref(), &mut found);
        }
    }
    let list: String = found.0.iter().map(|violation| format!("{violation}\n")).collect();
    assert!(list.is_empty(), "{} violations in {} files:\n{list}", found.0.len(), all.len());
    println!("{} files are tidy", all.len());
}

// ---------------------------------------------------------------------------------------------
// The rules themselves, on made-up sources

const HEADER: &str = "//! What it is. What it never does.\n";

/// Puts a header before the code and compares `line: violation` (its beginning), one after the other.
fn check(file: &str, code: &str, expected: &[&str]) {
    let mut found = Found::default();
    let crates = ["serde".to_owned(), "thiserror".to_owned(), "proptest".to_owned()];
    check_all(file, &format!("{HEADER}{code}"), &crates, Some("see configs/known.json"), &mut found);
    let got: Vec<String> = found.0.iter().map(|v| format!("{}: {}", v.line, v.what)).collect();
    assert_eq!(got.len(), expected.len(), "{file}: {code}\n{got:#?}");
    for (got, expected) in got.iter().zip(expected) {
        assert!(got.starts_with(expected), "{file}: {code}\ngot {got}\nexpected {expected}");
    }
}

#[test]
fn imports_go_downward() {
    check("src/game/clock.rs", "use crate::law::Ending;\nuse crate::{time::At, xiangqi::Side};\n", &[]);
    check(
        "src/game/clock.rs",
        "use crate::runner::Run;\n",
        &["2: `game` (floor 2) must not import `runner`"],
    );
    check(
        "src/game.rs",
        "use crate::{\n    law::Ending,\n    cli::{Args, run},\n};\n",
        &["4: `game` (floor 2) must not import `cli`", "4: `game` (floor 2) must not import `cli`"],
    );
    check(
        "src/game.rs",
        "fn f() -> crate::engine::Manifest { g() }\n",
        &["2: `game` (floor 2) must not import `engine`"],
    );
    check("src/game.rs", "use super::table::Table;\n", &["2: `game` (floor 2) must not import `table`"]);
    check(
        "src/game/clock.rs",
        "use super::super::table::Table;\n",
        &["2: `game` (floor 2) must not import `table`"],
    );
    check(
        "src/game/clock.rs",
        "use super::termination::Flag;\nmod tests {\n    use super::super::clock;\n}\n",
        &[],
    );
    check("src/plan.rs", "use crate::tournament::Format;\n", &[]);
    check(
        "src/tournament/swiss.rs",
        "use crate::plan::Plan;\n",
        &["2: `tournament` (floor 3) must not import `plan`"],
    );
    check("src/engine/uci.rs", "use crate::law::Rules;\n", &["2: `engine` must know nothing of `law`"]);
    check("src/report/page.rs", "use crate::table::Table;\n", &["2: `report` must know nothing of `table`"]);
    check("src/wisdom.rs", "", &["1: module `wisdom` stands on no floor"]);
    check("src/cli/run.rs", "use crate::wisdom;\n", &["2: `wisdom` of the crate stands on no floor"]);
    check("src/main.rs", "use chuhe::cli;\nfn main() { println!(\"free\") }\n", &[]);
}

#[test]
fn the_board_and_the_law_stand_alone() {
    check("src/law/trail.rs", "use std::fmt;\nuse crate::xiangqi::Move;\nuse super::rules::Rules;\n", &[]);
    check("src/law/trail.rs", "use serde::Serialize;\n", &["2: `law` must stand alone, without `serde`"]);
    check(
        "src/xiangqi/side.rs",
        "#[derive(serde::Serialize)]\nstruct A;\n",
        &["2: `xiangqi` must stand alone"],
    );
    check("src/law/trail.rs", "use crate::time::At;\n", &["2: `law` must stand alone, without `time`"]);
    check(
        "src/xiangqi/side.rs",
        "use crate::time::At;\n",
        &["2: `xiangqi` (floor 0) must not import `time`"],
    );
    check("src/law/trail.rs", "#[cfg(test)]\nmod tests {\n    use proptest::prelude::*;\n}\n", &[]);
    check("src/game.rs", "use serde::Serialize;\n", &[]);
}

#[test]
fn nothing_below_the_runner_touches_the_world() {
    for (code, what) in [
        ("use std::fs;", "`std::fs`"),
        ("use std::{fmt, thread::spawn};", "`std::thread::spawn`"),
        ("fn f() { std::process::exit(1) }", "`std::process::exit`"),
        ("use std::time::{Duration, Instant};", "`std::time::Instant`"),
        ("fn f() { let now = chrono::Utc::now(); }", "`chrono::Utc::now`"),
        ("use tokio::time;", "`tokio::time`"),
        ("fn f() { rand::rng() }", "`rand::rng`"),
        ("use std::io::{self, Write, stdout};", "`std::io::stdout`"),
        ("fn f() { println!(\"x\"); }", "`println!`"),
        ("fn f<'a>(x: &'a str) -> char { dbg!(x); 'x' }", "`dbg!`"),
    ] {
        check("src/director.rs", code, &[&format!("2: {what} below the runner")]);
        check("src/runner/spawn.rs", code, &[]);
    }
    check("src/game.rs", "// std::fs println!(\n/* Instant /* tokio::x */ Utc */ /// `std::env`\n", &[]);
    check("src/game.rs", "fn f() -> &'static str { \"std::fs::read println!(\\\" Instant\" }\n", &[]);
    check(
        "src/game.rs",
        "const A: &str = r#\"tokio::x \" Instant\"#; const B: u8 = b'\"'; const C: char = '\\'';\n",
        &[],
    );
    check("src/game.rs", "#[cfg(test)]\nmod tests {\n    fn f() { println!(\"x\"); }\n}\n", &[]);
    check(
        "src/game.rs",
        "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\nfn f() { print!(\"x\"); }\n",
        &["4: `std::fs` below", "6: `print!` below"],
    );
}

#[test]
fn code_keeps_its_promises() {
    check("src/game.rs", "#[allow(dead_code)]\nfn f() {}\n", &["2: `allow`"]);
    check("src/game.rs", "#![allow(dead_code)]\n", &["2: `allow`"]);
    check("src/game.rs", "#[expect(dead_code)]\nfn f() {}\n", &["2: `expect` without a reason"]);
    check("src/game.rs", "#[expect(dead_code, reason = \"why\")]\nfn f() { g().expect(\"x\") }\n", &[]);
    check(
        "src/game.rs",
        "fn f() { todo!() }\nfn g() { unimplemented!() }\n",
        &["2: unfinished", "3: unfinished"],
    );
    check("src/runner.rs", "fn f() { unsafe { g() } }\n", &["2: `unsafe`"]);
    check("tests/cases.rs", "#[test]\n#[ignore]\nfn f() {}\n", &["3: an ignored test"]);
    check("tests/cases.rs", "#[ignore = \"slow\"]\nfn f() {}\n", &["2: an ignored test"]);
    check("tests/cases.rs", "fn f() { std::thread::sleep(d) }\n", &["2: a sleeping test"]);
    check("tests/cases.rs", "use std::process::Command;\n", &["2: a process started outside"]);
    check("tests/end_to_end.rs", "use std::process::Command;\nfn f() { std::thread::sleep(d) }\n", &[]);
    check(
        "src/runner/a.rs",
        "fn f() { tokio::time::sleep(d) }\n#[cfg(test)]\nmod tests {\n    use std::thread::sleep;\n}\n",
        &["5: a sleeping test"],
    );
}

#[test]
fn files_have_form() {
    let form = |file: &str, text: &str, expected: &[&str]| {
        let mut found = Found::default();
        check_form(&Source::new(file, text), &mut found);
        let got: Vec<&str> = found.0.iter().map(|v| v.what.as_str()).collect();
        assert!(
            got.len() == expected.len() && got.iter().zip(expected).all(|(a, b)| a.starts_with(b)),
            "{got:?}"
        );
    };
    form("src/game.rs", "use std::fmt;\n", &["opens with no"]);
    form("src/game.rs", "//! One sentence only, e.g. this\n//! one.\n", &["the header says less"]);
    form("src/game.rs", "//! One sentence over\n//! two lines. Another.\n", &[]);
    let long = format!("{HEADER}{}", "fn f() {}\n".repeat(600));
    form("src/game.rs", &long, &["601 lines"]);
    form("tests/cases.rs", &long, &[]);
    let tested =
        format!("{HEADER}#[cfg(test)]\nmod tests {{\n{}}}\n", "    // why\n    fn f() {}\n\n".repeat(300));
    form("src/game.rs", &tested, &[]);
}

#[test]
fn names_sizes_words_and_examples() {
    let file = |file: &str, bytes: u64, expected: usize| {
        let mut found = Found::default();
        check_file(file, bytes, &mut found);
        assert_eq!(found.0.len(), expected, "{file} {bytes}");
    };
    file("src/game.rs", 299_999, 0);
    file("src/utils.rs", 10, 1);
    file("src/game/mod.rs", 10, 1);
    file("tests/support/mod.rs", 10, 0);
    file("tests/data/games.txt", 300_001, 1);
    file("Cargo.lock", 300_001, 0);

    let word = |parts: [&str; 2], expected: usize| {
        let mut found = Found::default();
        check_words("README.md", &parts.concat(), &mut found);
        assert_eq!(found.0.len(), expected, "{parts:?}");
    };
    word(["A pure hel", "per function"], 1);
    word(["Hel", "pers"], 1);
    word(["whel", "perly"], 0);
    word(["see /wo", "rk/shared"], 1);
    word(["done by Cla", "ude"], 1);

    let example = |file: &str, text: &str, expected: usize| {
        let mut found = Found::default();
        check_examples(file, text, Some("see configs/known.json"), &mut found);
        assert_eq!(found.0.len(), expected, "{file}");
    };
    example("configs/known.json", "{}", 0);
    example("configs/unknown.json", "{}", 1);
    example("engines/pikafish.json", "{\"a\":1}", 0);
    example("engines/pikafish.json", "{\"a\":1,}", 1);
}

#[test]
fn dependencies_are_read_from_the_manifest() {
    let toml = "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\nunicode-width = { v = 1 }\n[dev-dependencies]\nproptest.workspace = true\n[lints.rust]\nmissing_docs = \"warn\"\n";
    assert_eq!(crates_of(toml), ["serde", "unicode_width", "proptest"]);
}
