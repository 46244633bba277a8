//! What the test engine does to the system it runs in: processes it leaves, pipes it closes, signals it
//! ignores, time it burns; and how its lines are dressed. Never speaks the protocol. Start at
//! [`leave_grandchild`].

use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Command, Stdio};

use tokio::signal::unix::{SignalKind, signal};

use super::FAKE_ENGINE_WORD;
use super::quirks::Dress;

/// Writes so many lines to stderr.
pub fn complain(lines: u64) {
    let mut errors = io::stderr().lock();
    for number in 0..lines {
        // Whoever does not listen any more is told nothing more.
        if writeln!(errors, "fake engine: complaint {number} about nothing in particular").is_err() {
            return;
        }
    }
}

/// A thread that writes useless lines for ever, always whole ones.
pub fn flood_aside() {
    let lines = b"info depth 1 currmove a0a1 currmovenumber 1\n".repeat(100);
    std::thread::spawn(move || while io::stdout().lock().write_all(&lines).is_ok() {});
}

/// A process that keeps our output open after we have ended.
pub fn leave_grandchild() {
    let Ok(own) = std::env::current_exe() else { return };
    let _ = Command::new(own).args([FAKE_ENGINE_WORD, "--ignore-eof"]).stdin(Stdio::null()).spawn();
}

/// A process in a session of its own: no signal to our group reaches it.
pub fn leave_runaway() {
    let Ok(own) = std::env::current_exe() else { return };
    let command = format!("exec '{}' {FAKE_ENGINE_WORD} --ignore-eof --ignore-signals", own.display());
    let quiet = || (Stdio::null(), Stdio::null(), Stdio::null());
    let (input, output, errors) = quiet();
    let _ = Command::new("setsid")
        .args(["sh", "-c", &command])
        .stdin(input)
        .stdout(output)
        .stderr(errors)
        .spawn();
}

/// Puts nothing in the place of the input, so that its pipe has no reader.
pub fn close_input() {
    if let Ok(nothing) = std::fs::File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(nothing.as_fd());
    }
}

/// Puts nothing in the place of the output, so that its pipe has no writer.
pub fn close_output() {
    if let Ok(nothing) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nothing.as_fd());
    }
}

/// A thread that never rests.
pub fn burn() {
    std::thread::spawn(|| {
        loop {
            std::hint::spin_loop();
        }
    });
}

/// From now on SIGTERM and SIGINT go to a handler that nobody asks.
pub fn ignore_signals() {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    let _inside = runtime.enter();
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let _ = signal(kind);
    }
}

/// The bytes as they are written.
pub fn dressed(bytes: &[u8], dress: Option<Dress>) -> Vec<u8> {
    let mut dressed = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match dress {
            None | Some(Dress::Bytes) => dressed.extend_from_slice(line),
            Some(Dress::Crlf) => {
                dressed.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
                dressed.extend_from_slice(b"\r\n");
            }
            Some(Dress::Blanks) => {
                dressed.extend_from_slice(b" \t ");
                for byte in line.strip_suffix(b"\n").unwrap_or(line) {
                    dressed.extend_from_slice(if *byte == b' ' {
                        b" \t "
                    } else {
                        std::slice::from_ref(byte)
                    });
                }
                dressed.extend_from_slice(b"\t \n");
            }
        }
    }
    dressed
}
