//! Engine manifests: by name from `engines/`, from a file, built in, or written in the config itself. Never
//! starts an engine. Start at [`find`] and [`manifest`].

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Files;
use super::engine_list;
use super::form::{EngineForm, LettersForm, ManifestForm, ProtocolForm, SquaresForm, TimeUnitForm};
use super::length::length;
use super::problem::{Problem, element, member, quoted};
use super::{shape, text};
use crate::engine::{Far, FenFields, FenLetters, Manifest, Protocol, START_PATIENCE_MS, TimeUnit};
use crate::xiangqi::SquareStyle;

/// Manifests that are known without any file, by name. A file of the same name goes before.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("sparring", include_str!("../../engines/sparring.json")),
    ("elephanteye", include_str!("../../engines/elephanteye.json")),
    ("fairy-stockfish-cecp", include_str!("../../engines/fairy-stockfish-cecp.json")),
    ("fairy-stockfish-ucci", include_str!("../../engines/fairy-stockfish-ucci.json")),
    ("fairy-stockfish-uci", include_str!("../../engines/fairy-stockfish-uci.json")),
    ("hoixiangqi", include_str!("../../engines/hoixiangqi.json")),
    ("maxqi", include_str!("../../engines/maxqi.json")),
    ("person", include_str!("../../engines/person.json")),
    ("pikafish", include_str!("../../engines/pikafish.json")),
    ("remote", include_str!("../../engines/remote.json")),
    ("sjaakii-cecp", include_str!("../../engines/sjaakii-cecp.json")),
    ("sjaakii-ucci", include_str!("../../engines/sjaakii-ucci.json")),
    ("sjaakii-uci", include_str!("../../engines/sjaakii-uci.json")),
];

/// Longest manifest file, in bytes: real ones have a few hundred.
const MAX_MANIFEST: usize = 1 << 20;

/// An engine that was found.
pub struct Found {
    /// Its name: the manifest's, else the one it was looked up by, else its program's.
    pub name: String,
    /// Its Chinese name.
    pub name_zh: Option<String>,
    /// How it is started; paths are complete.
    pub manifest: Manifest,
    /// The manifest as it stands in the resolved config: paths refer to the folder of the config.
    pub inlined: Value,
}

/// Reads the text of a manifest file (`engines/NAME.json`) and gives its name and itself; a relative
/// path in it stays as it is.
///
/// # Errors
/// All problems, each with its JSON path.
pub fn manifest(text: &str) -> Result<(String, Manifest), Vec<Problem>> {
    let found = from_text(text, "", "", "")?;
    Ok((found.name, found.manifest))
}

/// The JSON Schema of a manifest file.
fn schema() -> Value {
    schemars::schema_for!(ManifestForm).to_value()
}

/// Finds the engine of an entrant. `inlined` is its value in the config as written.
pub fn find(
    form: &EngineForm,
    written: &Value,
    path: &str,
    base: &str,
    files: &dyn Files,
) -> Result<Found, Vec<Problem>> {
    match form {
        EngineForm::Manifest(form) => {
            let mut inlined = written.clone();
            let manifest = build(form, path, base, "", &mut inlined)?;
            let name = name_of(form, "", &manifest);
            Ok(Found { name, name_zh: form.name_zh.clone(), manifest, inlined })
        }
        EngineForm::Name(name) => named(name, path, base, files),
    }
}

/// Finds an engine by its name or by the path of its manifest.
pub fn named(name: &str, path: &str, base: &str, files: &dyn Files) -> Result<Found, Vec<Problem>> {
    if let Some((file, listed)) = engine_list::split_name(name) {
        return in_list(file, listed, path, base, files);
    }
    let is_file = name.ends_with(".json");
    if !is_file && name.contains(['/', '\\']) {
        let message = format!("'{}' is no engine's name and no manifest file", quoted(name));
        let hint =
            format!("for a program write {{\"command\": \"{}\", \"protocol\": \"uci\"}}", quoted(name));
        return Err(vec![Problem::new(path, message).hint(hint)]);
    }
    let places = match is_file {
        true => vec![name.to_owned()],
        false => vec![format!("engines/{name}.json"), format!("../engines/{name}.json")],
    };
    for place in &places {
        let full = join(base, place);
        if !files.exists(&full) {
            continue;
        }
        let fail = |why: String| vec![Problem::new(path, format!("{full} cannot be read: {why}"))];
        let bytes = files.read(&full).map_err(fail)?;
        if bytes.len() > MAX_MANIFEST {
            return Err(fail(format!("it has {} bytes; a manifest has at most {MAX_MANIFEST}", bytes.len())));
        }
        let text = String::from_utf8(bytes).map_err(|_| fail("it is no UTF-8 text".to_owned()))?;
        let folder = Path::new(place).parent().map(|folder| folder.to_string_lossy().into_owned());
        return from_text(&text, &folder.unwrap_or_default(), base, name)
            .map_err(|problems| problems.into_iter().map(|problem| within(path, &full, problem)).collect());
    }
    if is_file {
        return Err(vec![Problem::new(path, format!("there is no file {}", join(base, name)))]);
    }
    if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
        return from_text(text, "", base, name)
            .map_err(|problems| problems.into_iter().map(|problem| within(path, name, problem)).collect());
    }
    let known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    let message = format!(
        "no engine is called '{}'; looked for {} and among those built in ({})",
        quoted(name),
        places.iter().map(|place| join(base, place)).collect::<Vec<_>>().join(", "),
        known.join(", ")
    );
    Err(vec![Problem::new(path, message).nearest(name, known)])
}

/// Finds an engine in a file that cutechess or Sylvan keeps its engines in.
fn in_list(file: &str, name: &str, path: &str, base: &str, files: &dyn Files) -> Result<Found, Vec<Problem>> {
    let full = join(base, file);
    let fail = |why: String| vec![Problem::new(path, format!("{full} cannot be read: {why}"))];
    let bytes = files.read(&full).map_err(fail)?;
    let text = String::from_utf8(bytes).map_err(|_| fail("it is no UTF-8 text".to_owned()))?;
    let inside = |problems: Vec<Problem>| -> Vec<Problem> {
        problems.into_iter().map(|problem| within(path, &full, problem)).collect()
    };
    let listed = engine_list::read(&text).map_err(inside)?;
    let Some(engine) = listed.iter().find(|engine| engine.name == name) else {
        let known: Vec<&str> = listed.iter().map(|engine| engine.name.as_str()).collect();
        let message = format!("{full} has no engine called '{}'; it has {}", quoted(name), known.join(", "));
        return Err(vec![Problem::new(path, message).nearest(name, known)]);
    };
    let folder = Path::new(file).parent().map(|folder| folder.to_string_lossy().into_owned());
    let text = engine.manifest.to_string();
    from_text(&text, &folder.unwrap_or_default(), base, name).map_err(inside)
}

/// A problem inside a manifest file, told at the entrant.
fn within(path: &str, file: &str, problem: Problem) -> Problem {
    let place = if problem.path.is_empty() { String::new() } else { format!("{}: ", problem.path) };
    Problem { path: path.to_owned(), message: format!("in {file}: {place}{}", problem.message), ..problem }
}

/// A manifest from its text. Paths in it refer to `folder`, which refers to `base`.
fn from_text(text: &str, folder: &str, base: &str, name: &str) -> Result<Found, Vec<Problem>> {
    let (mut value, mut problems) = text::parse(text).map_err(|problem| vec![problem])?;
    let mut inlined = value.clone();
    problems.extend(shape::check(&schema(), &mut value));
    let form: ManifestForm = match serde_json::from_value(value) {
        Ok(form) => form,
        Err(_) if !problems.is_empty() => return Err(problems),
        Err(error) => return Err(vec![Problem::new("", error.to_string())]),
    };
    let built = build(&form, "", base, folder, &mut inlined);
    match built {
        Ok(manifest) if problems.is_empty() => {
            let name = name_of(&form, name, &manifest);
            Ok(Found { name, name_zh: form.name_zh, manifest, inlined })
        }
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}

/// The name of an engine: its own, else the one it was looked up by, else that of its program.
fn name_of(form: &ManifestForm, looked_up: &str, manifest: &Manifest) -> String {
    let own = form.name.as_deref().map(str::trim).unwrap_or_default();
    let looked_up = looked_up.strip_suffix(".json").unwrap_or(looked_up);
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    match (own, looked_up) {
        ("", "") => last(&manifest.command),
        ("", looked_up) => last(looked_up),
        (own, _) => own.to_owned(),
    }
}

/// A path below a folder; an absolute one stays. Only text is joined, nothing is looked up.
pub fn join(folder: &str, path: &str) -> String {
    Path::new(folder).join(path).to_string_lossy().into_owned()
}

/// Makes a manifest of its form, and lets the paths of its inlined value refer to `base`. What the schema check
/// has told already (a missing command) is passed over in silence.
fn build(
    form: &ManifestForm,
    path: &str,
    base: &str,
    folder: &str,
    inlined: &mut Value,
) -> Result<Manifest, Vec<Problem>> {
    let mut problems = Vec::new();
    let (Some(command), Some(protocol)) = (&form.command, form.protocol) else { return Err(problems) };
    let mut manifest = Manifest::new(command.as_str(), protocol_of(protocol));
    if let Some(why) = no_command(command) {
        problems.push(Problem::new(member(path, "command"), why.0).hint(why.1));
    }
    if command.contains('/') && !command.starts_with('@') {
        let place = join(folder, command);
        manifest.command = join(base, &place);
        set(inlined, "command", place);
    }
    if let Some(dir) = &form.dir {
        let place = join(folder, dir);
        manifest.dir = Some(join(base, &place));
        set(inlined, "dir", place);
    }
    for (index, file) in form.files.iter().enumerate() {
        let place = join(folder, file);
        manifest.files.push(join(base, &place));
        if let Some(written) = inlined.get_mut("files").and_then(|files| files.get_mut(index)) {
            *written = Value::String(place);
        }
    }
    if let Some(name) = form.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        let env = member(path, "env");
        problems.push(Problem::new(member(&env, name), "is no name of an environment variable"));
    }
    for (name, lines) in [("init", &form.init), ("new_game", &form.new_game)] {
        for (index, line) in lines.iter().enumerate() {
            if line.contains(['\n', '\r']) {
                problems.push(Problem::new(element(&member(path, name), index), "must be a single line"));
            }
        }
    }
    let settings =
        [("args", form.args.is_empty()), ("env", form.env.is_empty()), ("files", form.files.is_empty())];
    if manifest.far().is_some() {
        for (name, _) in settings.into_iter().filter(|(_, unset)| !unset) {
            problems.push(Problem::new(
                member(path, name),
                "is for a program of this machine; nobody starts one here",
            ));
        }
    }
    manifest.args.clone_from(&form.args);
    manifest.env.clone_from(&form.env);
    manifest.init.clone_from(&form.init);
    manifest.new_game.clone_from(&form.new_game);
    set_language(&mut manifest, form);
    manifest.start_patience_ms = match &form.start_patience {
        None => START_PATIENCE_MS,
        Some(form) => match length(form, &member(path, "start_patience")) {
            Ok(time) => u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1),
            Err(problem) => {
                problems.push(problem);
                START_PATIENCE_MS
            }
        },
    };
    manifest.reuse = form.reuse.unwrap_or(true);
    manifest.ping = form.ping.unwrap_or(true);
    manifest.ponder = form.ponder.unwrap_or(false);
    problems.extend(set_options(&mut manifest.options, &form.options, &member(path, "options")));
    if problems.is_empty() { Ok(manifest) } else { Err(problems) }
}

/// How the engine writes squares, times and FENs.
fn set_language(manifest: &mut Manifest, form: &ManifestForm) {
    manifest.squares = form.squares.map_or(SquareStyle::Zero, squares_of);
    manifest.time_unit = match form.time_unit {
        None | Some(TimeUnitForm::Protocol) => TimeUnit::ByProtocol,
        Some(TimeUnitForm::Ms) => TimeUnit::Milliseconds,
        Some(TimeUnitForm::S) => TimeUnit::Seconds,
    };
    manifest.letters = match form.fen_letters {
        None | Some(LettersForm::Bn) => FenLetters::Bn,
        Some(LettersForm::Eh) => FenLetters::Eh,
    };
    manifest.fen_fields = match form.fen_fields {
        Some(4) => FenFields::Four,
        Some(2) => FenFields::Two,
        _ => FenFields::Six,
    };
}

/// Gives every seat of an entrant whose moves come from elsewhere its number in the event, `ENTRANT.MEMBER` from 1,
/// as the only argument: by it the runner's server knows whose seat it is. Programs keep their arguments.
pub fn seat(first: &mut Manifest, mut further: Vec<Arc<Manifest>>, entrant: usize) -> Vec<Arc<Manifest>> {
    let members = std::iter::once(first).chain(further.iter_mut().map(Arc::make_mut));
    for (member, manifest) in (1..).zip(members) {
        if manifest.far().is_some() {
            manifest.args = vec![format!("{entrant}.{member}")];
        }
    }
    further
}

/// Why a command cannot be meant, and what to write instead.
fn no_command(command: &str) -> Option<(String, &'static str)> {
    let shown = quoted(command);
    if command.starts_with('~') {
        return Some((format!("'{shown}': `~` is the shell's"), "write the whole path"));
    }
    let known = |word: &str| word == "@self" || Far::ALL.iter().any(|far| far.command() == word);
    if command.starts_with('@') && !known(command) {
        let hint =
            "`@self` is the built-in engine, `@person` a person, `@remote` an engine on another machine";
        return Some((format!("'{shown}' is no program"), hint));
    }
    let words = !command.contains('/') && command.contains(char::is_whitespace);
    words
        .then(|| (format!("'{shown}' is more than a program's name"), "arguments go into `args`, one by one"))
}

fn set(object: &mut Value, name: &str, text: String) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), Value::String(text));
    }
}

/// Sets options over others: one of the same name (without case) keeps its place and takes the new value.
pub fn set_options(
    options: &mut Vec<(String, String)>,
    over: &Map<String, Value>,
    path: &str,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, value) in over {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                value.to_string()
            }
        };
        let breaks = |text: &str| text.chars().any(char::is_control);
        if name.trim().is_empty() || breaks(name) || breaks(&text) {
            problems.push(Problem::new(member(path, name), "is no option: name and value are one line each"));
            continue;
        }
        match options.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some(option) => option.1 = text,
            None => options.push((name.clone(), text)),
        }
    }
    problems
}

const fn protocol_of(form: ProtocolForm) -> Protocol {
    match form {
        ProtocolForm::Uci => Protocol::Uci,
        ProtocolForm::Ucci => Protocol::Ucci,
        ProtocolForm::Cecp => Protocol::Cecp,
    }
}

/// How ranks are counted.
pub const fn squares_of(form: SquaresForm) -> SquareStyle {
    match form {
        SquaresForm::Zero => SquareStyle::Zero,
        SquaresForm::One => SquareStyle::One,
    }
}
