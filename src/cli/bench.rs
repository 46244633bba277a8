//! `chuhe bench`: what the runner itself costs: CPU, memory and time a move, with engines that answer at
//! once; its floor; and the error of its clock. Measures only; nothing of it is used in play.
//! Start at [`execute`].
//!
//! System calls a move are measured from outside, by the difference of two lengths:
//! `strace -c chuhe bench overhead --games 100`, and again with 300 (without `-f`: the main thread alone, no
//! engines). So are instructions: `perf stat -e instructions:u` where the machine counts them, or
//! `valgrind --tool=callgrind chuhe run CONFIG` where Valgrind knows `pidfd_open` (3.19 does not).
//! The same machine gives other figures when it is busy: compare with `chuhe bench floor` run in turn, and
//! both pinned to one core (`taskset -c 0`).

mod clock;
mod floor;
mod margin;
mod overhead;
mod pair;

use std::time::Duration;

use super::Exit;
use crate::runner::RunError;

/// Arguments of `chuhe bench`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// CPU, games a second, memory and the end of a run, with engines that answer at once
    Overhead(overhead::Arguments),
    /// The same moves between the same engines, moved by a loop that does nothing else
    Floor(floor::Arguments),
    /// Time charged less the engine's own time, with engines that sleep
    Clock(clock::Arguments),
    /// Time losses where engines sleep most of a fixed time a move, each with its proof
    Margin(margin::Arguments),
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
enum BenchError {
    #[error("{0}")]
    Run(#[from] RunError),
    #[error("{0}")]
    System(#[from] std::io::Error),
    #[error("{0}")]
    Unfit(String),
}

/// A measured value and its unit, as it is printed.
type Row = (&'static str, f64, &'static str);

/// Runs what was asked for and prints it.
pub fn execute(arguments: &Arguments) -> Exit {
    let (rows, json) = match &arguments.what {
        What::Overhead(arguments) => (overhead::measure(arguments), arguments.json),
        What::Floor(arguments) => (floor::measure(arguments), arguments.json),
        What::Clock(arguments) => (clock::measure(arguments), arguments.json),
        What::Margin(arguments) => (margin::measure(arguments), arguments.json),
    };
    match rows {
        Ok(rows) => {
            print_rows(&rows, json);
            Exit::Done
        }
        Err(error) => {
            eprintln!("error: {error}");
            Exit::Internal
        }
    }
}

fn print_rows(rows: &[Row], json: bool) {
    if json {
        let key = |name: &str, unit: &str| format!("{name} {unit}").trim_end().replace([' ', '/'], "_");
        let object: serde_json::Map<_, _> =
            rows.iter().map(|(name, value, unit)| (key(name, unit), (*value).into())).collect();
        println!("{}", serde_json::Value::Object(object));
        return;
    }
    for (name, value, unit) in rows {
        println!("{name:<34} {value:>12.3} {unit}");
    }
}

/// CPU time of this process so far, all threads, without its children.
fn cpu_time() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(spent.tv_sec.unsigned_abs(), u32::try_from(spent.tv_nsec).unwrap_or(0))
}

/// Peak memory of this process in megabytes (10^6 bytes), 0 where the system does not say.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0 / 1e6
}

fn micros_each(time: Duration, count: u64) -> f64 {
    time.as_secs_f64() * 1e6 / count.max(1) as f64
}
