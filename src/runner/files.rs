//! Reading the files a config names. Start at [`DiskFiles`].

use std::fs;
use std::path::Path;

use crate::config::Files;

/// Largest file that is read whole (opening lists of 34,000 lines have 2.4 MB).
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Files on disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
        if size > MAX_FILE {
            return Err(format!("it has {size} bytes; at most {MAX_FILE} are read"));
        }
        fs::read(path).map_err(|error| error.to_string())
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }
}
