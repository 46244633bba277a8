//! What machine this is, for report headers. Facts only; nothing depends on them. Start at [`host`].

use std::fs::{self, File};
use std::io::Read as _;

use crate::record::Host;

/// A seed that nobody can guess, from the system's own source of chance.
///
/// # Errors
/// The system gives none.
pub fn fresh_seed() -> std::io::Result<u64> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Reads CPU model, threads, memory and system; what cannot be read is `unknown` or 0.
pub fn host() -> Host {
    let field = |text: &str, name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
    };
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = field(&memory, "MemTotal").and_then(|value| value.split(' ').next()?.parse::<u64>().ok());
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Host {
        cpu: field(&cpus, "model name").unwrap_or_else(|| "unknown".to_owned()),
        threads: std::thread::available_parallelism().map_or(0, |count| count.get() as u32),
        memory_mib: kib.unwrap_or(0) / 1024,
        system: format!("{} {}", std::env::consts::OS, release.trim()).trim().to_owned(),
        cores: None,
    }
}
