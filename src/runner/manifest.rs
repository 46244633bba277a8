//! The event manifest (I.13): the SHA-256 of every file of a run folder, written when the run stands still,
//! and the comparison with what is there now. Start at [`write`] and [`differences`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::files::read_text;
use super::live::LINKS;
use super::lock::hash_of;
use super::store::{StoreError, write_whole};

/// Name of the event manifest in a run folder.
pub const MANIFEST: &str = "event-manifest.json";

/// The hashes of all files of a folder by their paths in it; the manifest itself and the
/// secrets of a run's links are left out. What is linked
/// into several places is read once.
///
/// # Errors
/// The folder cannot be read.
fn hashes(dir: &Path) -> std::io::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    let mut read: BTreeMap<(u64, u64), String> = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if ![MANIFEST, LINKS].contains(&name.as_str()) && !name.ends_with(".tmp") {
                let facts = fs::metadata(&path)?;
                let hash = match read.entry((facts.dev(), facts.ino())) {
                    Entry::Occupied(known) => known.get().clone(),
                    Entry::Vacant(fresh) => fresh.insert(hash_of(&path)?).clone(),
                };
                found.insert(name, hash);
            }
        }
    }
    Ok(found)
}

fn id_of(files: &Value) -> String {
    Sha256::digest(files.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the manifest of a folder.
///
/// # Errors
/// The folder cannot be read or written.
pub fn write(dir: &Path) -> Result<(), StoreError> {
    let files = hashes(dir).map_err(|error| StoreError::Io {
        what: "hash the files of",
        path: dir.to_owned(),
        error,
    })?;
    let files = json!(files);
    let whole = json!({ "id": id_of(&files), "files": files });
    // A JSON value can always be written.
    let text = serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n";
    write_whole(&dir.join(MANIFEST), text.as_bytes())
}

/// What is not as the manifest says, each with its file. A folder without a manifest says so.
pub fn differences(dir: &Path) -> Vec<String> {
    let text = match read_text(&dir.join(MANIFEST)) {
        Ok(text) => text,
        Err(error) => return vec![format!("{MANIFEST}: {error}")],
    };
    let written: Value = match serde_json::from_str(&text) {
        Ok(written) => written,
        Err(error) => return vec![format!("{MANIFEST}: {error}")],
    };
    let nothing = Value::Null;
    let files = written.get("files").unwrap_or(&nothing);
    if written.get("id").and_then(Value::as_str) != Some(&id_of(files)) {
        return vec![format!("{MANIFEST}: it was changed after it was written")];
    }
    let listed: BTreeMap<String, String> = serde_json::from_value(files.clone()).unwrap_or_default();
    let present = match hashes(dir) {
        Ok(present) => present,
        Err(error) => return vec![format!("{}: {error}", dir.display())],
    };
    let mut wrong = Vec::new();
    for (name, hash) in &listed {
        match present.get(name) {
            None => wrong.push(format!("{name}: it is missing")),
            Some(now) if now != hash => wrong.push(format!("{name}: it is not what {MANIFEST} says")),
            Some(_) => {}
        }
    }
    let fresh = present.keys().filter(|name| !listed.contains_key(*name));
    wrong.extend(fresh.map(|name| format!("{name}: {MANIFEST} does not know it")));
    wrong
}
