//! Reads files of records with every move checked, writes them again, and says how fast, in processor
//! time where the system tells it: `cargo run --release --example read_speed FILE.. [--repeat N]`.
//! With `--show` it prints the remarks and errors too.

use std::io::{BufReader, Cursor, Read};
use std::time::Instant;

use chuhe::formats::pgn::{self, PgnStyle};
use chuhe::formats::{Record, detect, read};

/// A text repeated without being held more than once.
struct Repeated {
    bytes: Cursor<Vec<u8>>,
    left: u32,
}

impl Read for Repeated {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(out)?;
        if count == 0 && self.left > 1 {
            self.left -= 1;
            self.bytes.set_position(0);
            return self.bytes.read(out);
        }
        Ok(count)
    }
}

/// Seconds of processor time used so far; wall time where the system does not say.
fn seconds(began: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.map_or_else(|| began.elapsed().as_secs_f64(), |count| count / 1e9)
}

/// Most memory this process has held, in MB.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let kilobytes = line.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    kilobytes.map_or_else(|| "?".to_owned(), |count| (count / 1024).to_string())
}

/// Microseconds a move that writing takes.
fn write_speed(records: &[Record], style: &PgnStyle) -> f64 {
    let began = Instant::now();
    let before = seconds(began);
    let (mut bytes, mut moves) = (0, 0);
    while moves < 200_000 {
        for record in records {
            bytes += pgn::write(record, style).len();
            moves += record.moves.len().max(1);
        }
    }
    assert!(bytes > 0);
    (seconds(began) - before) * 1e6 / moves as f64
}

fn measure(file: &str, repeat: u32, show: bool) -> std::io::Result<()> {
    let bytes = std::fs::read(file)?;
    let kind = detect(&bytes, Some(file));
    let megabytes = bytes.len() as f64 * f64::from(repeat) / 1e6;
    let source = BufReader::new(Repeated { bytes: Cursor::new(bytes), left: repeat });
    let (mut games, mut plies, mut errors) = (0u64, 0u64, 0u64);
    let mut kept = Vec::new();
    let began = Instant::now();
    let before = seconds(began);
    for game in read(source, kind, None) {
        games += 1;
        match game {
            Ok(record) => {
                plies += record.moves.len() as u64;
                if show {
                    record
                        .remarks
                        .iter()
                        .for_each(|remark| println!("line {}: {}", remark.line, remark.what));
                }
                if kept.len() < 40 {
                    kept.push(record);
                }
            }
            Err(error) => {
                errors += 1;
                if show {
                    println!("{error}");
                }
            }
        }
    }
    let used = seconds(began) - before;
    println!(
        "{file} ({}): {games} games, {errors} errors, {plies} plies, {megabytes:.1} MB in {used:.2} s: \
         {:.1} MB/s, {:.0} games/s, {:.2} µs a move; peak memory {} MB",
        kind.name(),
        megabytes / used,
        games as f64 / used,
        used * 1e6 / plies.max(1) as f64,
        peak_memory(),
    );
    for style in [PgnStyle::ICCS, PgnStyle::WXF, PgnStyle::CHINESE, PgnStyle::XBOARD] {
        println!("  written as {}: {:.2} µs a move", style.notation.name(), write_speed(&kept, &style));
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut files = Vec::new();
    let (mut repeat, mut show) = (1, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--repeat" => repeat = words.next().and_then(|count| count.parse().ok()).unwrap_or(1),
            "--show" => show = true,
            _ => files.push(word),
        }
    }
    files.iter().try_for_each(|file| measure(file, repeat, show))
}
