//! What machine this is, for report headers. Facts only; nothing depends on them. Start at [`host`].

use std::fs;

use crate::record::Host;

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
