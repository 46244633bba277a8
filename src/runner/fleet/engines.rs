//! Engines of a fleet: what they are made of by SHA-256, how the config is stripped of paths and command lines
//! before it is sent, and how a worker finds or fetches the same engine. Nothing that comes from the network
//! becomes a path or a command line. Start at [`pack`] and [`Cabinet::seat`].

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;

use super::link::{Link, words};
use super::message::{EngineSpec, Piece};
use crate::config;
use crate::engine::Manifest;
use crate::plan::Plan;
use crate::runner::files::read_text;
use crate::runner::lock::hash_of;
use crate::runner::spawner::find_program;

/// The id of the built-in engine: it is the same in equal versions.
pub const BUILT_IN: &str = "built-in";

/// How a data file stands in an option that is sent, with its number behind.
const FILE: &str = "@file:";

/// Largest file that is fetched: nets have 50 MB.
const MAX_FILE: u64 = 1 << 30;

/// What of a config a worker has to know.
const SENT: &[&str] = &[
    "event",
    "time",
    "format",
    "stages",
    "rules",
    "margin",
    "patience",
    "crash",
    "warn",
    "draw_offers",
    "reuse",
    "time_scale",
    "resign",
    "draw",
];

/// What of an entrant.
const SENT_OF_ENTRANT: &[&str] = &["name", "name_zh", "time", "options"];

/// What of a manifest. Its command becomes a placeholder.
const SENT_OF_ENGINE: &[&str] = &[
    "protocol",
    "squares",
    "time_unit",
    "fen_letters",
    "fen_fields",
    "options",
    "init",
    "new_game",
    "start_patience",
    "reuse",
    "ping",
];

/// A run packed for workers.
#[derive(Debug)]
pub struct Packed {
    /// What the engines are made of.
    pub engines: Vec<EngineSpec>,
    /// The config as it is sent.
    pub config: Value,
    /// Files for the object store, by SHA-256.
    pub files: BTreeMap<String, PathBuf>,
}

/// Packs a run for workers; `config` is its resolved config.
///
/// # Errors
/// In words, what cannot be sent.
pub fn pack(plan: &Plan, config: &Value) -> Result<Packed, String> {
    let mut engines = Vec::new();
    let mut files = BTreeMap::new();
    let mut entrants = Vec::new();
    for (index, entrant) in plan.entrants.iter().enumerate() {
        let fail = |why: String| format!("{}: {why}", entrant.name);
        let spec = spec_of(&entrant.engine, &mut files).map_err(fail)?;
        let written = config.get("entrants").and_then(|list| list.get(index)).unwrap_or(&Value::Null);
        entrants.push(entrant_sent(written, &entrant.engine).map_err(fail)?);
        engines.push(spec);
    }
    let mut sent = kept(config, SENT);
    sent.insert("entrants".to_owned(), Value::Array(entrants));
    sent.insert("transcripts".to_owned(), Value::Bool(false));
    let stored: Vec<&String> = engines.iter().filter(|spec| spec.stored).flat_map(pieces).collect();
    files.retain(|hash, _| stored.contains(&hash));
    Ok(Packed { engines, config: Value::Object(sent), files })
}

fn pieces(spec: &EngineSpec) -> impl Iterator<Item = &String> {
    spec.program.iter().chain(&spec.files).map(|piece| &piece.sha256)
}

fn kept(value: &Value, keys: &[&str]) -> Map<String, Value> {
    let all = value.as_object().into_iter().flatten();
    all.filter(|(key, _)| keys.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn entrant_sent(written: &Value, manifest: &Manifest) -> Result<Value, String> {
    let mut entrant = kept(written, SENT_OF_ENTRANT);
    let mut engine = kept(written.get("engine").unwrap_or(&Value::Null), SENT_OF_ENGINE);
    for options in [entrant.get_mut("options"), engine.get_mut("options")].into_iter().flatten() {
        for (name, value) in options.as_object_mut().into_iter().flatten() {
            if let Some(text) = value.as_str() {
                let sent =
                    without_path(text, &manifest.files).map_err(|why| format!("option {name}: {why}"))?;
                *value = Value::String(sent);
            }
        }
    }
    for line in manifest.init.iter().chain(&manifest.new_game) {
        sendable(line)?;
    }
    engine.insert("command".to_owned(), json!("@self"));
    entrant.insert("engine".to_owned(), Value::Object(engine));
    Ok(Value::Object(entrant))
}

/// A text with the path of a declared file replaced by its number.
fn without_path(text: &str, files: &[String]) -> Result<String, String> {
    let full = std::path::absolute(text).ok();
    let same = |file: &String| text == file || (text.contains('/') && full == std::path::absolute(file).ok());
    match files.iter().position(same) {
        Some(number) => Ok(format!("{FILE}{number}")),
        None => sendable(text).map(|()| text.to_owned()),
    }
}

/// Whether a text may go to an engine on another machine: no path, one line, no number of a file.
fn sendable(text: &str) -> Result<(), String> {
    let path = text.contains(['/', '\\']) || text.starts_with(['~', '.']);
    if path {
        return Err(format!("'{text}' looks like a path that is not among the engine's files"));
    }
    let clean = !text.chars().any(char::is_control) && !text.starts_with(FILE);
    if clean { Ok(()) } else { Err(format!("'{}' cannot be sent", text.escape_debug())) }
}

/// What an engine here is made of. Its files are put down by their hashes.
///
/// # Errors
/// In words, which file cannot be read.
pub fn spec_of(manifest: &Manifest, files: &mut BTreeMap<String, PathBuf>) -> Result<EngineSpec, String> {
    if manifest.command == "@self" {
        let usual = manifest.args == ["sparring"] && manifest.env.is_empty() && manifest.files.is_empty();
        return match usual {
            true => {
                Ok(EngineSpec { id: BUILT_IN.to_owned(), program: None, files: Vec::new(), stored: false })
            }
            false => Err("the built-in engine has arguments, variables or files of its own".to_owned()),
        };
    }
    let program = piece(&find_program(&manifest.command)?, files)?;
    let data = manifest.files.iter().map(|file| piece(Path::new(file), files));
    let data: Vec<Piece> = data.collect::<Result<_, _>>()?;
    let stored = manifest.args.is_empty() && manifest.env.is_empty() && manifest.dir.is_none();
    let word = |text: &String| without_path(text, &manifest.files).unwrap_or_else(|_| text.clone());
    let args: Vec<String> = manifest.args.iter().map(word).collect();
    let env: BTreeMap<&String, String> = manifest.env.iter().map(|(name, text)| (name, word(text))).collect();
    let id = identity(&program, &data, &json!([args, env]));
    Ok(EngineSpec { id, program: Some(program), files: data, stored })
}

fn piece(path: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<Piece, String> {
    let fail = |error: std::io::Error| format!("'{}': {error}", path.display());
    let size = fs::metadata(path).map_err(fail)?.len();
    let sha256 = hash_of(path).map_err(fail)?;
    files.insert(sha256.clone(), path.to_owned());
    Ok(Piece { sha256, size })
}

/// SHA-256 over what an engine is made of and how it is started.
fn identity(program: &Piece, files: &[Piece], started: &Value) -> String {
    let files: Vec<&String> = files.iter().map(|file| &file.sha256).collect();
    let text = json!([program.sha256, files, started]).to_string();
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The engines of a worker: its own by their manifests, and those that allowed publishers send.
#[derive(Debug)]
pub struct Cabinet {
    /// Own engines: name and manifest, by id.
    own: BTreeMap<String, (String, Manifest)>,
    /// Publishers whose engines may be run.
    allow: Vec<String>,
    /// Where fetched engines are kept.
    cache: PathBuf,
}

impl Cabinet {
    /// Opens it. The manifests of `dir` are read and their files hashed.
    ///
    /// # Errors
    /// In words, what is wrong with the folder or a manifest in it.
    pub fn open(dir: Option<&Path>, allow: Vec<String>, cache: PathBuf) -> Result<Cabinet, String> {
        let mut own = BTreeMap::new();
        let Some(dir) = dir else { return Ok(Cabinet { own, allow, cache }) };
        let entries = fs::read_dir(dir).map_err(|error| format!("'{}': {error}", dir.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let fail = |why: String| format!("'{}': {why}", path.display());
            let text = read_text(&path).map_err(|error| fail(error.to_string()))?;
            let read = config::manifest(&text);
            let (name, manifest) =
                read.map_err(|problems| fail(problems.iter().map(ToString::to_string).collect()))?;
            let manifest = placed(manifest, dir);
            let spec = match spec_of(&manifest, &mut BTreeMap::new()) {
                Ok(spec) => spec,
                Err(why) => {
                    eprintln!("warning: {}", fail(why));
                    continue;
                }
            };
            own.insert(spec.id, (name, manifest));
        }
        Ok(Cabinet { own, allow, cache })
    }

    /// The manifest with which an announced engine is started here. `sent` is its manifest as announced.
    ///
    /// # Errors
    /// In words, why the worker cannot or may not run it.
    pub async fn seat(
        &self,
        link: &Link,
        publisher: &str,
        spec: &EngineSpec,
        sent: &Manifest,
    ) -> Result<Manifest, String> {
        for (_, value) in &sent.options {
            if !value.starts_with(FILE) {
                sendable(value)?;
            }
        }
        for line in sent.init.iter().chain(&sent.new_game).chain(sent.options.iter().map(|(name, _)| name)) {
            sendable(line)?;
        }
        let Some(program) = &spec.program else {
            let built_in =
                Manifest { command: "@self".to_owned(), args: vec!["sparring".to_owned()], ..sent.clone() };
            return if spec.id == BUILT_IN {
                Ok(built_in)
            } else {
                Err("its engine has no program".to_owned())
            };
        };
        if let Some((_, own)) = self.own.get(&spec.id) {
            let Manifest { command, args, dir, env, files, .. } = own.clone();
            let options = with_paths(&sent.options, &files)?;
            return Ok(Manifest { command, args, dir, env, files, options, ..sent.clone() });
        }
        if !spec.stored {
            return Err(self.not_here(spec, "its engine is started with arguments and so is never sent"));
        }
        if !self.allow.iter().any(|allowed| allowed == publisher) {
            return Err(self.not_here(spec, &format!("'{publisher}' is not named by --allow")));
        }
        let started = json!([Vec::<String>::new(), BTreeMap::<String, String>::new()]);
        if identity(program, &spec.files, &started) != spec.id {
            return Err("the SHA-256 of its engine is not that of its files".to_owned());
        }
        self.fetched(link, program, spec, sent).await
    }

    fn not_here(&self, spec: &EngineSpec, why: &str) -> String {
        let hash = spec.program.as_ref().map_or("", |program| &program.sha256);
        let own: Vec<String> =
            self.own.iter().map(|(id, (name, _))| format!("{name} {}..", &id[..id.len().min(12)])).collect();
        let own = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
        format!(
            "the engine {}.. (program SHA-256 {}..) is not here, and {why}; engines here: {own}",
            spec.id.get(..12).unwrap_or(""),
            hash.get(..12).unwrap_or("")
        )
    }

    async fn fetched(
        &self,
        link: &Link,
        program: &Piece,
        spec: &EngineSpec,
        sent: &Manifest,
    ) -> Result<Manifest, String> {
        // The id was computed here from the hashes of the files: it is no text of the network any more.
        let dir = self.cache.join(&spec.id);
        fs::create_dir_all(&dir).map_err(|error| format!("'{}': {error}", dir.display()))?;
        let place = |name: String| dir.join(name);
        let command = place("program".to_owned());
        fetch(link, program, &command, 0o500).await?;
        let mut files = Vec::new();
        for (number, file) in spec.files.iter().enumerate() {
            let path = place(format!("file-{number}"));
            fetch(link, file, &path, 0o400).await?;
            files.push(path.to_string_lossy().into_owned());
        }
        let options = with_paths(&sent.options, &files)?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Ok(Manifest { command: text(&command), dir: Some(text(&dir)), files, options, ..sent.clone() })
    }
}

/// Options with the numbers of files replaced by where the files are here.
fn with_paths(options: &[(String, String)], files: &[String]) -> Result<Vec<(String, String)>, String> {
    let placed = options.iter().map(|(name, value)| {
        let Some(number) = value.strip_prefix(FILE) else { return Ok((name.clone(), value.clone())) };
        let file = number.parse::<usize>().ok().and_then(|number| files.get(number));
        let file = file.ok_or_else(|| format!("option {name} names a file that its engine does not have"))?;
        Ok((name.clone(), file.clone()))
    });
    placed.collect()
}

/// A manifest of a folder: paths in it refer to that folder.
fn placed(manifest: Manifest, dir: &Path) -> Manifest {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let join = |path: &String| dir.join(path).to_string_lossy().into_owned();
    let command = match manifest.command.contains('/') {
        true => join(&manifest.command),
        false => manifest.command.clone(),
    };
    let files = manifest.files.iter().map(join).collect();
    let place = manifest.dir.as_ref().map(join);
    Manifest { command, files, dir: place, ..manifest }
}

/// Fetches a file unless it is here; its bytes are hashed in either case.
async fn fetch(link: &Link, piece: &Piece, path: &Path, mode: u32) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("'{}': {error}", path.display());
    if path.exists() && hash_of(path).map_err(fail)? == piece.sha256 {
        return Ok(());
    }
    if piece.size > MAX_FILE {
        return Err(format!("a file of {} bytes; at most {MAX_FILE} are fetched", piece.size));
    }
    let what = words("fetch an engine");
    let object = link.engines().await?.get(piece.sha256.as_str()).await.map_err(|error| what(&error))?;
    let mut bytes = Vec::new();
    object.take(piece.size + 1).read_to_end(&mut bytes).await.map_err(|error| what(&error))?;
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if hash != piece.sha256 {
        return Err(format!(
            "the fetched file has SHA-256 {}.., not {}..",
            &hash[..12],
            piece.sha256.get(..12).unwrap_or("")
        ));
    }
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let _ = fs::remove_file(&beside);
    fs::write(&beside, &bytes).map_err(fail)?;
    fs::set_permissions(&beside, fs::Permissions::from_mode(mode)).map_err(fail)?;
    fs::rename(&beside, path).map_err(fail)
}

/// Puts an engine's files into the store, those that are not there.
///
/// # Errors
/// In words, why not.
pub async fn upload(link: &Link, files: &BTreeMap<String, PathBuf>) -> Result<(), String> {
    let store = link.engines().await?;
    for (hash, path) in files {
        if store.info(hash.as_str()).await.is_ok() {
            continue;
        }
        let bytes = fs::read(path).map_err(|error| format!("'{}': {error}", path.display()))?;
        let put = store.put(hash.as_str(), &mut bytes.as_slice()).await;
        put.map_err(|error| words("store an engine")(&error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_is_sent() {
        let files = vec!["/nets/a.nnue".to_owned()];
        assert_eq!(without_path("/nets/a.nnue", &files).as_deref(), Ok("@file:0"));
        assert_eq!(without_path("16", &files).as_deref(), Ok("16"));
        for wrong in ["/etc/passwd", "../x", "~/x", "a\nb", "@file:0", "C:\\x"] {
            assert!(without_path(wrong, &files).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_files_become_paths_of_this_machine_only() {
        let options = |value: &str| vec![("EvalFile".to_owned(), value.to_owned())];
        let files = vec!["/cache/x/file-0".to_owned()];
        assert_eq!(with_paths(&options("@file:0"), &files), Ok(options("/cache/x/file-0")));
        assert!(with_paths(&options("@file:1"), &files).is_err());
        assert!(with_paths(&options("@file:../../etc"), &files).is_err());
    }

    #[test]
    fn the_built_in_engine_has_no_files() {
        let mut manifest = Manifest::new("@self", crate::engine::Protocol::Ucci);
        manifest.args = vec!["sparring".to_owned()];
        let spec = spec_of(&manifest, &mut BTreeMap::new()).unwrap();
        assert_eq!((spec.id.as_str(), spec.program, spec.stored), (BUILT_IN, None, false));
        manifest.args.push("--evil".to_owned());
        assert!(spec_of(&manifest, &mut BTreeMap::new()).is_err());
    }
}
