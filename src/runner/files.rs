//! Reading files that people name, none longer than a limit: what is named may have no end. Never writes. Start at
//! [`DiskFiles`] and [`read_text`].

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::config::Files;

/// Largest file that is read whole (opening lists of 34,000 lines have 2.4 MB).
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Longest config, manifest or list of engines that is read, in bytes.
pub const MAX_TEXT: u64 = 16 << 20;

/// Reads a file whole.
///
/// # Errors
/// What the system says; it is longer than `most` bytes.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it is longer than {} MB; no more are read", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// Reads a config, a manifest or a list of engines.
///
/// # Errors
/// What the system says; it is longer than 16 MB, or no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let not_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8");
    String::from_utf8(read_bytes(path, MAX_TEXT)?).map_err(not_utf8)
}

/// Files on disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read_bytes(Path::new(path), MAX_FILE).map_err(|error| error.to_string())
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }
}
