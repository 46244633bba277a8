//! Reads files of records with every move checked and says how fast: `cargo run --release --example
//! read_speed FILE.. [--repeat N]`. With `--show` it prints the remarks and errors instead.

use std::io::{BufReader, Cursor, Read};
use std::time::Instant;

use chuhe::formats::{detect, read};

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

/// Most memory this process has held, in MB.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: ?");
    line.split_whitespace()
        .nth(1)
        .and_then(|kb| kb.parse::<u64>().ok())
        .map_or("?".into(), |kb| format!("{}", kb / 1024))
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
    for file in files {
        let bytes = std::fs::read(&file)?;
        let kind = detect(&bytes, Some(&file));
        let size = bytes.len() as f64 * f64::from(repeat);
        let source = BufReader::new(Repeated { bytes: Cursor::new(bytes), left: repeat });
        let began = Instant::now();
        let (mut games, mut plies, mut errors) = (0u64, 0u64, 0u64);
        for game in read(source, kind, None) {
            games += 1;
            match game {
                Ok(record) => {
                    plies += record.moves.len() as u64;
                    record
                        .remarks
                        .iter()
                        .filter(|_| show)
                        .for_each(|remark| println!("{}: {}", remark.line, remark.what));
                }
                Err(error) => {
                    errors += 1;
                    if show {
                        println!("{error}");
                    }
                }
            }
        }
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{file} ({}): {games} games, {errors} errors, {plies} plies, {:.1} MB in {seconds:.2} s: {:.1} MB/s, {:.0} games/s, {:.2} µs a move; peak memory {} MB",
            kind.name(),
            size / 1e6,
            size / 1e6 / seconds,
            games as f64 / seconds,
            seconds * 1e6 / plies.max(1) as f64,
            peak_memory(),
        );
    }
    Ok(())
}
