//! The lock (I.10, III.8, IV.9): what every engine is made of is hashed at check-in and copied, read-only and
//! in the same layout, into the run folder; the copies are what plays. They are looked at again before every
//! game (identity, size, times) and wholly between stages. Never decides what a change means.
//! Start at [`Vault`].

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::decide::Why;
use super::spawner::find_program;
use crate::engine::Manifest;
use crate::plan::{LockRule, Plan};
use crate::record::{Locked, Run};

/// Name of the folder of copies in a run folder.
pub const LOCK: &str = "lock";

/// What can be seen of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Looks {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Looks {
    fn of(path: &Path) -> std::io::Result<Looks> {
        let facts = fs::metadata(path)?;
        Ok(Looks {
            device: facts.dev(),
            inode: facts.ino(),
            size: facts.size(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        })
    }
}

/// A file of an engine.
#[derive(Debug, Clone)]
struct Kept {
    original: String,
    copy: PathBuf,
    hash: String,
    looks: Looks,
}

/// One engine: a member of an entrant.
#[derive(Debug, Clone)]
struct Engine {
    entrant: usize,
    member: usize,
    files: Vec<Kept>,
    changed: Option<String>,
}

/// The copies of a run's engines.
#[derive(Debug, Default)]
pub struct Vault {
    engines: Vec<Engine>,
}

impl Vault {
    /// Copies what the engines of a plan are made of, or finds the copies of a run that goes on, and lets the
    /// plan start the copies. Empty where nothing is locked.
    ///
    /// # Errors
    /// In words, which file cannot be copied.
    pub fn fill(plan: &mut Plan, dir: &Path, run: &Run) -> Result<Vault, String> {
        let mut vault = Vault::default();
        if plan.conduct.lock == LockRule::Off {
            return Ok(vault);
        }
        for (entrant, seat) in plan.entrants.iter_mut().enumerate() {
            let members = std::iter::once(&mut seat.engine).chain(&mut seat.team);
            for (member, manifest) in members.enumerate() {
                // A person has no files; a remote engine's are declared by the far side (I.3).
                if manifest.far().is_some() {
                    continue;
                }
                let root = root(dir, entrant, member);
                let files = match run.lock(entrant, member) {
                    Some(locked) => find(&root, locked).map_err(|lost| lost.why().english)?,
                    None => copy(&dir.join(LOCK), &root, manifest)?,
                };
                let changed = files.iter().zip(run.lock(entrant, member).into_iter().cycle()).find_map(
                    |(kept, locked)| {
                        (locked.files.get(&kept.original) != Some(&kept.hash)).then(|| kept.original.clone())
                    },
                );
                *manifest = Arc::new(moved(manifest, &root, &files)?);
                vault.engines.push(Engine { entrant, member, files, changed });
            }
        }
        // Each further link to a stored file changes its times; they count when all links stand.
        for kept in vault.engines.iter_mut().flat_map(|engine| &mut engine.files) {
            let looks = Looks::of(&kept.copy);
            kept.looks = looks.map_err(|error| format!("'{}': {error}", kept.copy.display()))?;
        }
        Ok(vault)
    }

    /// The event that locks an engine. `manifest` is the engine as the config names it, not its copy.
    pub fn locked(
        &self,
        at: (usize, usize),
        entrant: &str,
        manifest: &Manifest,
        id_name: &str,
    ) -> Option<Locked> {
        let engine = self.engines.iter().find(|engine| (engine.entrant, engine.member) == at)?;
        let files = engine.files.iter().map(|kept| (kept.original.clone(), kept.hash.clone())).collect();
        Some(locked(entrant, at.1, manifest, files, id_name))
    }

    /// What has changed of an entrant's engines since they were locked, as far as can be seen at a glance.
    pub fn change(&self, entrant: usize) -> Option<String> {
        let own = self.engines.iter().filter(|engine| engine.entrant == entrant);
        own.into_iter().find_map(|engine| {
            let seen = |kept: &&Kept| Looks::of(&kept.copy).ok() != Some(kept.looks);
            engine
                .changed
                .clone()
                .or_else(|| engine.files.iter().find(seen).map(|kept| kept.original.clone()))
        })
    }

    /// The chief referee lets an entrant play on with its copies as they were read for him.
    pub fn admit(&mut self, entrant: usize, mut admission: Admission) {
        for engine in self.engines.iter_mut().filter(|engine| engine.entrant == entrant) {
            if let Some(files) = admission.files.remove(&engine.member) {
                (engine.files, engine.changed) = (files, None);
            }
        }
    }

    /// Reads everything again. Returns who has changed and which file, each once.
    pub fn read_again(&mut self) -> Vec<(usize, String)> {
        let mut known: BTreeMap<(u64, u64), String> = BTreeMap::new();
        let mut changed = Vec::new();
        for engine in self.engines.iter_mut().filter(|engine| engine.changed.is_none()) {
            let differs = |kept: &&Kept| {
                let Ok(looks) = Looks::of(&kept.copy) else { return true };
                let hash = known
                    .entry((looks.device, looks.inode))
                    .or_insert_with(|| hash_of(&kept.copy).unwrap_or_default());
                *hash != kept.hash
            };
            if let Some(kept) = engine.files.iter().find(differs) {
                engine.changed = Some(kept.original.clone());
                changed.push((engine.entrant, kept.original.clone()));
            }
        }
        changed
    }
}

/// An entrant's engines as their copies are now, read for a decision of the chief referee to admit them.
#[derive(Debug, Default)]
pub struct Admission {
    /// What the engines are made of from now on, the members of a team in their order.
    pub locked: Vec<Locked>,
    /// By the number of the member.
    files: BTreeMap<usize, Vec<Kept>>,
}

/// What an entrant's engines are locked as, the members of a team in their order.
///
/// # Errors
/// Why they cannot be admitted.
pub fn locks(run: &Run, entrant: &str) -> Result<(usize, Vec<Locked>), Why> {
    let index = super::decide::entrant(run, entrant)?;
    // Persons and engines on other machines have no lock.
    let team =
        run.settings().and_then(|settings| settings.entrants.get(index)).map_or(0, |one| one.team.len());
    let locks: Vec<Locked> = (0..=team).filter_map(|member| run.lock(index, member).cloned()).collect();
    if locks.is_empty() {
        return Err(Why::new(
            format!("nothing of '{entrant}' is locked"),
            format!("“{entrant}”没有封存的文件"),
        ));
    }
    Ok((index, locks))
}

/// Reads what an entrant's engines are made of now. Takes as long as it takes to read all their files.
///
/// # Errors
/// Which copy cannot be read.
pub fn relock(dir: &Path, entrant: usize, locks: Vec<Locked>) -> Result<Admission, Why> {
    let mut admission = Admission::default();
    for locked in locks {
        let found = find(&root(dir, entrant, locked.member), &locked).map_err(|lost| lost.why())?;
        let files = found.iter().map(|kept| (kept.original.clone(), kept.hash.clone())).collect();
        admission.files.insert(locked.member, found);
        admission.locked.push(identified(Locked { files, ..locked }));
    }
    Ok(admission)
}

/// What is said of a locked file that is not what it was, wherever it is found out.
pub fn changed(original: &str) -> String {
    format!("the locked copy of {original} has changed")
}

fn root(dir: &Path, entrant: usize, member: usize) -> PathBuf {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    dir.join(LOCK).join(format!("{}-{}", entrant + 1, member + 1))
}

/// Where the copy of a file stands: the whole path below the engine's own folder.
fn place(root: &Path, original: &Path) -> PathBuf {
    root.join(original.strip_prefix("/").unwrap_or(original))
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("'{}': {error}", path.display()))
}

/// The files of an engine: its program first, then those it declares.
fn originals(manifest: &Manifest) -> Result<Vec<PathBuf>, String> {
    let program = absolute(&find_program(&manifest.command)?)?;
    let declared = manifest.files.iter().map(|file| absolute(Path::new(file)));
    std::iter::once(Ok(program)).chain(declared).collect()
}

/// Copies an engine's files. Equal files of several engines are stored once and linked.
fn copy(store: &Path, root: &Path, manifest: &Manifest) -> Result<Vec<Kept>, String> {
    let mut files = Vec::new();
    for original in originals(manifest)? {
        let failed = |error: std::io::Error| format!("cannot lock '{}': {error}", original.display());
        let hash = hash_of(&original).map_err(failed)?;
        let stored = store.join("files").join(&hash);
        if !stored.exists() {
            fs::create_dir_all(store.join("files")).map_err(failed)?;
            fs::copy(&original, &stored).map_err(failed)?;
            let mode = fs::metadata(&original).map_err(failed)?.permissions().mode();
            fs::set_permissions(&stored, fs::Permissions::from_mode(mode & 0o555)).map_err(failed)?;
            // What was copied is what counts: the original may have changed in between.
            if hash_of(&stored).map_err(failed)? != hash {
                return Err(format!("'{}' changed while it was copied", original.display()));
            }
        }
        let copy = place(root, &original);
        if let Some(folder) = copy.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let _ = fs::remove_file(&copy);
        fs::hard_link(&stored, &copy).map_err(failed)?;
        files.push(Kept {
            original: original.to_string_lossy().into_owned(),
            copy,
            hash,
            looks: Looks::of(&stored).map_err(failed)?,
        });
    }
    Ok(files)
}

/// A locked copy that cannot be read.
struct Lost {
    copy: PathBuf,
    error: std::io::Error,
}

impl Lost {
    fn why(&self) -> Why {
        let (copy, error) = (self.copy.display(), &self.error);
        Why::new(format!("the locked copy '{copy}': {error}"), format!("无法读取封存副本“{copy}”：{error}"))
    }
}

/// The copies of a run that goes on, with their hashes as they are now.
fn find(root: &Path, locked: &Locked) -> Result<Vec<Kept>, Lost> {
    let found = locked.files.keys().map(|original| {
        let copy = place(root, Path::new(original));
        let failed = |error| Lost { copy: copy.clone(), error };
        // Looked at before it is read: what changes meanwhile has changed since.
        let looks = Looks::of(&copy).map_err(failed)?;
        let hash = hash_of(&copy).map_err(failed)?;
        Ok(Kept { original: original.clone(), copy: copy.clone(), hash, looks })
    });
    found.collect()
}

/// The manifest that starts the copies: program, working directory, and every argument, variable and option
/// that names a locked file.
fn moved(manifest: &Manifest, root: &Path, files: &[Kept]) -> Result<Manifest, String> {
    let program = absolute(&find_program(&manifest.command)?)?.to_string_lossy().into_owned();
    let copy_of = |path: &str| {
        let full = std::path::absolute(path).ok()?.to_string_lossy().into_owned();
        files.iter().find(|kept| kept.original == full).map(|kept| kept.copy.to_string_lossy().into_owned())
    };
    let mut moved = manifest.clone();
    moved.command = copy_of(&program).ok_or_else(|| format!("'{program}' was not locked"))?;
    let texts = moved.args.iter_mut().chain(moved.env.values_mut());
    for text in texts.chain(moved.options.iter_mut().map(|(_, value)| value)) {
        if text.contains('/')
            && let Some(copy) = copy_of(text)
        {
            *text = copy;
        }
    }
    if let Some(dir) = &mut moved.dir {
        let place = place(root, &absolute(Path::new(dir))?);
        fs::create_dir_all(&place).map_err(|error| format!("cannot make '{}': {error}", place.display()))?;
        *dir = place.to_string_lossy().into_owned();
    }
    Ok(moved)
}

fn locked(
    entrant: &str,
    member: usize,
    manifest: &Manifest,
    files: BTreeMap<String, String>,
    id_name: &str,
) -> Locked {
    let command: Vec<String> = std::iter::once(&manifest.command).chain(&manifest.args).cloned().collect();
    let words = manifest.args.iter().chain(manifest.options.iter().map(|(_, value)| value));
    let is_file = |word: &&String| word.contains('/') && Path::new(word.as_str()).is_file();
    let not_covered =
        words.filter(is_file).filter(|word| !files.contains_key(word.as_str())).cloned().collect();
    identified(Locked {
        entrant: entrant.to_owned(),
        member,
        id: String::new(),
        files,
        not_covered,
        command,
        env: manifest.env.clone(),
        options: manifest.options.clone(),
        protocol: manifest.protocol.name().to_owned(),
        id_name: id_name.to_owned(),
    })
}

/// Gives a lock its id: the hash of all the rest.
fn identified(locked: Locked) -> Locked {
    let rest = Locked { id: String::new(), ..locked };
    // A struct of texts always has a JSON form.
    let text = serde_json::to_string(&rest).unwrap_or_default();
    Locked { id: hex(&Sha256::digest(text)), ..rest }
}

/// SHA-256 of a file, lower-case hex.
///
/// # Errors
/// It cannot be read.
pub fn hash_of(path: &Path) -> std::io::Result<String> {
    // A device has no end, and a pipe nobody who writes.
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is no file"));
    }
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hash.finalize())),
            read => hash.update(&buffer[..read]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{What, fixture};
    use crate::tournament::Points;

    /// A run in which the first member of Tiger's team is a person, and the second an engine.
    fn run_of_a_team(locked: Locked) -> Run {
        let mut head = fixture::head(Points::TwoOneZero);
        head.settings.entrants[0].team.push("engine".to_owned());
        let entrant = head.settings.entrants[0].name.clone();
        let events = [What::RunBegan(Box::new(head)), What::Locked(Locked { entrant, ..locked })];
        let mut run = Run::default();
        fixture::numbered(events).iter().for_each(|event| run.apply(event).expect("it fits"));
        run
    }

    #[test]
    fn a_team_of_which_one_is_a_person_is_admitted() {
        let dir = std::env::temp_dir().join(format!("chuhe-lock-{}", std::process::id()));
        let original = "/engines/net.bin";
        let locked = Locked {
            entrant: String::new(),
            member: 1,
            id: String::new(),
            files: BTreeMap::from([(original.to_owned(), "as it was".to_owned())]),
            not_covered: Vec::new(),
            command: vec!["engine".to_owned()],
            env: BTreeMap::new(),
            options: Vec::new(),
            protocol: "ucci".to_owned(),
            id_name: "Engine".to_owned(),
        };
        let run = run_of_a_team(locked);
        let name = run.name(0).to_owned();
        let (index, found) = locks(&run, &name).expect("its second member is locked");
        assert_eq!((index, found.len(), found[0].member), (0, 1, 1));
        // Without its copy nothing can be admitted, and both languages say which.
        let why = relock(&dir, index, found.clone()).expect_err("there is no copy");
        assert!(why.english.contains("net.bin") && why.chinese.contains("net.bin"), "{why:?}");

        let copy = place(&root(&dir, 0, 1), Path::new(original));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::write(&copy, "abc").expect("a copy");
        let admission = relock(&dir, index, found).expect("it can be read");
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(admission.locked[0].files[original], hash);
        let kept = &admission.files[&1][0];
        let engine =
            Engine { entrant: 0, member: 1, files: vec![kept.clone()], changed: Some(original.into()) };
        let mut vault = Vault { engines: vec![engine] };
        assert_eq!(vault.change(0).as_deref(), Some(original));
        vault.admit(0, admission);
        assert_eq!(vault.change(0), None);
        // What changes after it was read for him is a change again.
        fs::write(&copy, "abcd").expect("a copy");
        assert_eq!(vault.change(0).as_deref(), Some(original));
        for nobody in [run.name(1), "Nobody"] {
            let why = locks(&run, nobody).expect_err("nothing of it is locked");
            assert!(why.english.contains(nobody) && why.chinese.contains(nobody), "{why:?}");
        }
        let _ = fs::remove_dir_all(&dir);
    }
}
