//! A run that another program plays, or played, read from its journal alone: what is in it, and what is
//! appended. Never writes and takes no lock. Start at [`Tail::read`].

use std::fs::{self, File, Metadata};
use std::io::{BufReader, Cursor, Read, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::feed::Message;
use crate::record::{JournalError, JournalReader, What};
use crate::runner::desk::DeskError;
use crate::runner::store::{JOURNAL, StoreError};
use crate::runner::wall::Face;
use crate::time::At;

/// How often is looked whether anybody plays.
const LOOK_EVERY: Duration = Duration::from_secs(1);

type Source = BufReader<Box<dyn Read + Send>>;

/// A journal that is read as it grows.
pub struct Tail {
    path: PathBuf,
    reader: Option<JournalReader<Source>>,
    last: At,
    over: bool,
    /// Whether somebody plays, as it was seen last, and when.
    played: bool,
    looked: Option<Instant>,
}

impl Tail {
    /// The journal of a run folder.
    pub fn new(dir: &Path) -> Tail {
        Tail {
            path: dir.join(JOURNAL),
            reader: Some(JournalReader::new(BufReader::new(Box::new(Cursor::new(Vec::new()))))),
            last: At::ZERO,
            over: false,
            played: true,
            looked: None,
        }
    }

    /// What is new, each with the moment at which it happened.
    ///
    /// # Errors
    /// There is no journal, or it is not sound.
    pub fn read(&mut self) -> Result<Vec<(Instant, Message)>, DeskError> {
        // To open a pipe might never end.
        if !fs::metadata(&self.path).map_err(|error| self.cannot(error))?.is_file() {
            let dir = self.path.parent().unwrap_or(&self.path);
            return Err(StoreError::NoRun(dir.to_owned()).into());
        }
        let mut file = File::open(&self.path).map_err(|error| self.cannot(error))?;
        let metadata = file.metadata().map_err(|error| self.cannot(error))?;
        let mut news = Vec::new();
        let Some(reader) = self.reader.take() else { return Ok(news) };
        let length = reader.good_length();
        if metadata.len() <= length {
            self.reader = Some(reader);
            self.look(&metadata, &mut news);
            return Ok(news);
        }
        file.seek(SeekFrom::Start(length)).map_err(|error| self.cannot(error))?;
        let mut reader = reader.go_on(BufReader::with_capacity(1 << 16, Box::new(file)));
        let mut events = Vec::new();
        for event in reader.by_ref() {
            events.push(event.map_err(|error| self.unsound(error))?);
        }
        self.reader = Some(reader);
        if let Some(last) = events.last() {
            self.last = last.at;
            self.over = matches!(last.what, What::RunOver { .. } | What::Decided(_));
            self.played = true;
            self.looked = None;
        }
        // The journal was last written when its last event happened: that is where the run's clock stands.
        let age = age(&metadata);
        let (now, wall) = (Instant::now(), Face::starting_at(self.last + age));
        news.push((now.checked_sub(age).unwrap_or(now), Message::Clock(wall)));
        news.extend(events.into_iter().map(|event| {
            let ago = age.saturating_add(self.last.since(event.at));
            (now.checked_sub(ago).unwrap_or(now), Message::Event(Box::new(event), None))
        }));
        self.look(&metadata, &mut news);
        Ok(news)
    }

    /// A journal that nobody holds grows no more: its clocks stand.
    fn look(&mut self, metadata: &Metadata, news: &mut Vec<(Instant, Message)>) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) || !self.played {
            return;
        }
        self.looked = Some(Instant::now());
        if self.over || !is_held(metadata) {
            self.played = false;
            news.push((Instant::now(), Message::Still));
        }
    }

    fn cannot(&self, error: std::io::Error) -> DeskError {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        match error.kind() {
            std::io::ErrorKind::NotFound => StoreError::NoRun(dir.to_owned()).into(),
            _ => StoreError::Io { what: "read", path: self.path.clone(), error }.into(),
        }
    }

    fn unsound(&self, error: JournalError) -> DeskError {
        DeskError::Journal { path: self.path.display().to_string(), error }
    }
}

fn age(metadata: &Metadata) -> Duration {
    let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    SystemTime::now().duration_since(written).unwrap_or_default()
}

/// Whether somebody has a lock on a file, by the system's list of locks: asking for a lock to see it could
/// keep a runner away. Where there is no such list, somebody has.
fn is_held(metadata: &Metadata) -> bool {
    let Ok(locks) = std::fs::read_to_string("/proc/locks") else { return true };
    let inode = format!(":{}", metadata.ino());
    locks.lines().any(|line| line.split_ascii_whitespace().any(|word| word.ends_with(&inode)))
}
