//! The run folder: the journal on disk with its lock, forced to disk by a thread of its own, and the
//! documents written whole. Every write is checked. Never decides what is written. Start at [`Store`].

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::plan::Sync;

/// Name of the journal in a run folder.
pub const JOURNAL: &str = "journal.jsonl";

/// How the first event of every journal begins.
const FIRST_EVENT: &[u8] = b"{\"seq\":0,";

/// Name of the folder of transcripts in a run folder.
pub const TRANSCRIPTS: &str = "transcripts";

/// How long written events may wait to be forced to disk in open testing.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// Names tried for a temporary file.
const MAX_ATTEMPTS: u32 = 100;

/// Why a run folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It holds a run already.
    #[error("'{0}' holds a run already; go on with `chuhe resume {0}` or choose another folder with --out")]
    Occupied(PathBuf),
    /// It holds no run.
    #[error("'{0}' holds no run: there is no {JOURNAL} with a first event in it")]
    NoRun(PathBuf),
    /// Another runner works on it.
    #[error("another runner is working on '{0}'")]
    Locked(PathBuf),
    /// The system refused something.
    #[error("cannot {what} '{path}': {error}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl StoreError {
    fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.to_owned();
        move |error| StoreError::Io { what, path, error }
    }
}

/// An open run folder.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    journal: File,
    length: u64,
    sync: Sync,
    syncer: Option<Syncer>,
    named: bool,
}

impl Store {
    /// Makes a new run folder and its empty journal, and locks it.
    ///
    /// # Errors
    /// It is occupied, locked, or cannot be written.
    pub fn create(dir: &Path, sync: Sync) -> Result<Store, StoreError> {
        fs::create_dir_all(dir).map_err(StoreError::io("make the folder", dir))?;
        let path = dir.join(JOURNAL);
        let journal = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let store = Store::locked(dir, journal.map_err(StoreError::io("write", &path))?, 0, sync)?;
        if !is_unbegun(&store.journal).map_err(StoreError::io("read", &path))? {
            return Err(StoreError::Occupied(dir.to_owned()));
        }
        store.journal.set_len(0).map_err(StoreError::io("cut the torn end of", &path))?;
        Ok(store)
    }

    /// Opens the journal of an existing run and locks it.
    ///
    /// # Errors
    /// There is none, it is locked, or cannot be written.
    pub fn open(dir: &Path, sync: Sync) -> Result<Store, StoreError> {
        let path = journal_of(dir)?;
        let journal = OpenOptions::new().append(true).open(&path).map_err(StoreError::io("write", &path))?;
        let length = journal.metadata().map_err(StoreError::io("read", &path))?.len();
        Store::locked(dir, journal, length, sync)
    }

    /// Cuts a torn last line off: the sound part of the journal is `length` bytes long.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn cut(&mut self, length: u64) -> Result<(), StoreError> {
        if length < self.length {
            let path = self.dir.join(JOURNAL);
            self.journal.set_len(length).map_err(StoreError::io("cut the torn end of", &path))?;
            self.length = length;
        }
        Ok(())
    }

    fn locked(dir: &Path, journal: File, length: u64, sync: Sync) -> Result<Store, StoreError> {
        match journal.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked(dir.to_owned())),
            Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", &dir.join(JOURNAL))(error)),
        }
        let syncer = match sync {
            Sync::EverySecond => Some(Syncer::start(&journal).map_err(StoreError::io("sync", dir))?),
            Sync::EveryEvent | Sync::Never => None,
        };
        Ok(Store { dir: dir.to_owned(), journal, length, sync, syncer, named: true })
    }

    /// A journal without a name, for a run that leaves nothing behind: no folder, no documents, and the
    /// system frees the journal when the program ends, however it ends.
    ///
    /// # Errors
    /// There is no place for temporary files.
    pub fn unnamed() -> Result<Store, StoreError> {
        let dir = std::env::temp_dir();
        let (journal, path) = (0..MAX_ATTEMPTS)
            .map(|attempt| dir.join(format!("chuhe-{}-{attempt}.jsonl", std::process::id())))
            .find_map(|path| {
                let journal = OpenOptions::new().append(true).create_new(true).open(&path).ok()?;
                Some((journal, path))
            })
            .ok_or_else(|| {
                StoreError::io("make a temporary file in", &dir)(io::Error::other("it takes none"))
            })?;
        fs::remove_file(&path).map_err(StoreError::io("unlink", &path))?;
        Ok(Store { dir, journal, length: 0, sync: Sync::Never, syncer: None, named: false })
    }

    /// Whether there is a run folder.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Appends a line (with its newline) to the journal. When this returns the system has it. After a
    /// failed write the journal is cut back to its last whole line, so that nothing torn is left even
    /// if space is made later.
    ///
    /// # Errors
    /// The system refused the write.
    pub fn append(&mut self, line: &[u8]) -> Result<(), StoreError> {
        let path = self.dir.join(JOURNAL);
        if let Err(error) = self.journal.write_all(line) {
            let _ = self.journal.set_len(self.length);
            return Err(StoreError::io("write", &path)(error));
        }
        self.length += line.len() as u64;
        match (self.sync, &self.syncer) {
            (Sync::EveryEvent, _) => self.journal.sync_data().map_err(StoreError::io("sync", &path))?,
            (Sync::EverySecond, Some(syncer)) => syncer.ask(),
            (Sync::EverySecond, None) | (Sync::Never, _) => {}
        }
        Ok(())
    }

    /// Writes a document of the folder whole: a reader sees the old one or the new one.
    ///
    /// # Errors
    /// The system refused it.
    pub fn document(&self, name: &str, text: &str) -> Result<(), StoreError> {
        write_whole(&self.dir.join(name), text.as_bytes())
    }
}

/// Writes a file beside its place and moves it there.
///
/// # Errors
/// The system refused it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".tmp");
    let beside = PathBuf::from(beside);
    fs::write(&beside, bytes).map_err(|error| {
        let _ = fs::remove_file(&beside);
        StoreError::io("write", path)(error)
    })?;
    fs::rename(&beside, path).map_err(StoreError::io("write", path))
}

/// The thread that forces the journal to disk: it can take 40 ms, which no clock may wait for.
#[derive(Debug)]
struct Syncer {
    ask: Option<mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Syncer {
    fn start(journal: &File) -> io::Result<Syncer> {
        let file = journal.try_clone()?;
        let (ask, inbox) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("sync".to_owned()).spawn(move || {
            while inbox.recv().is_ok() {
                // Gather what else comes within the second, then force it all at once.
                let until = Instant::now() + SYNC_EVERY;
                let closed = loop {
                    match inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
                        Ok(()) => {}
                        Err(RecvTimeoutError::Timeout) => break false,
                        Err(RecvTimeoutError::Disconnected) => break true,
                    }
                };
                let _ = file.sync_data();
                if closed {
                    return;
                }
            }
        })?;
        Ok(Syncer { ask: Some(ask), thread: Some(thread) })
    }

    fn ask(&self) {
        if let Some(ask) = &self.ask {
            let _ = ask.send(());
        }
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.ask = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Removes a run folder in which nothing was played, so that the same command can be typed again. Only
/// what the runner itself wrote is removed.
pub fn forget_unplayed(dir: &Path) {
    for name in [JOURNAL, "games.pgn"] {
        let _ = fs::remove_file(dir.join(name));
    }
    let _ = fs::remove_dir_all(dir.join(TRANSCRIPTS));
    let _ = fs::remove_dir_all(dir.join(super::lock::LOCK));
    let _ = fs::remove_file(dir.join(super::manifest::MANIFEST));
    // Fails, as it should, when anything else is in it.
    let _ = fs::remove_dir(dir);
}

/// The journal of a run folder.
///
/// # Errors
/// There is none, or it cannot be looked at. What is no file is none: to open a pipe might never end.
pub fn journal_of(dir: &Path) -> Result<PathBuf, StoreError> {
    let path = dir.join(JOURNAL);
    match fs::metadata(&path) {
        Ok(facts) if facts.is_file() => Ok(path),
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(StoreError::io("read", &path)(error))
        }
        Ok(_) | Err(_) => Err(StoreError::NoRun(dir.to_owned())),
    }
}

/// Whether a journal holds no run: a runner or a machine that died at its first event leaves it empty, with a piece
/// of that event, or with the zeros that a file system puts where nothing was written.
fn is_unbegun(journal: &File) -> io::Result<bool> {
    let mut first = Vec::new();
    io::BufReader::new(journal).read_until(b'\n', &mut first)?;
    let torn = first.iter().zip(FIRST_EVENT).all(|(byte, expected)| byte == expected);
    Ok(first.last() != Some(&b'\n') && (torn || first.iter().all(|byte| *byte == 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_without_its_first_event_is_no_run_and_a_begun_one_is() {
        let dir = std::env::temp_dir().join(format!("chuhe-store-{}", std::process::id()));
        let path = dir.join(JOURNAL);
        drop(Store::create(&dir, Sync::Never).unwrap());
        for left in [&b"{\"se"[..], b"{\"seq\":0,\"at\":0,\"what\":\"run_beg", b"\0\0\0"] {
            fs::write(&path, left).unwrap();
            drop(Store::create(&dir, Sync::Never).unwrap());
            assert_eq!(fs::read(&path).unwrap(), b"");
        }
        for kept in [&b"notes of mine"[..], b"\n", b"{\"seq\":0}\n{\"se", b"\0\n"] {
            fs::write(&path, kept).unwrap();
            assert!(matches!(Store::create(&dir, Sync::Never), Err(StoreError::Occupied(_))));
            assert_eq!(fs::read(&path).unwrap(), kept);
        }
        fs::remove_file(&path).unwrap();
        let mut store = Store::create(&dir, Sync::Never).unwrap();
        assert!(matches!(Store::create(&dir, Sync::Never), Err(StoreError::Locked(_))));
        store.append(b"{}\n").unwrap();
        drop(store);
        assert!(matches!(Store::create(&dir, Sync::Never), Err(StoreError::Occupied(_))));
        fs::remove_dir_all(dir).unwrap();
    }
}
