//! What the end-to-end tests share: a place of their own, the built program, its children, its journal.
//! Waits only by looking again and again, with a limit. Start at [`Place`].

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use chuhe::record::{Event, GameOver, JournalReader, What};
use serde_json::{Value, json};

/// The built program.
pub const CHUHE: &str = env!("CARGO_BIN_EXE_chuhe");

/// Every process of a place has this in its environment.
const MARKER: &str = "CHUHE_TEST_PLACE";

/// Longest time a run of these tests may take: generous, because the machine may be busy.
const RUN_LIMIT: Duration = Duration::from_secs(50);

/// A folder of a test; all processes started in it can be found again. Both go with it.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        // Two tests may choose one name.
        static PLACES: AtomicU32 = AtomicU32::new(0);
        let number = PLACES.fetch_add(1, Ordering::Relaxed);
        let dir = format!("{name}-{}-{number}", std::process::id());
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(dir);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Place(dir)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The run folder.
    pub fn out(&self) -> PathBuf {
        self.path("run")
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// An executable shell script.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.write(name, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(CHUHE);
        command.args(arguments).env(MARKER, &self.0).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn chuhe(&self, arguments: &[&str]) -> Said {
        let mut command = self.command(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let watchdog = Watchdog::over(&child);
        let output = child.wait_with_output().unwrap();
        assert!(!watchdog.has_barked(), "{arguments:?} took longer than {RUN_LIMIT:?}: {output:?}");
        Said::from(output)
    }

    /// Starts `chuhe run` of a config into [`Place::out`] and does not wait for it; in a process group of its
    /// own, as a shell in a terminal would.
    pub fn start(&self, config: &Value) -> Child {
        use std::os::unix::process::CommandExt as _;
        let config = self.write("config.json", &config.to_string());
        let (config, out) = (config.to_string_lossy(), self.out());
        let mut command = self.command(&["run", &config, "--out", &out.to_string_lossy(), "--quiet"]);
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Plays a config into [`Place::out`].
    pub fn run(&self, config: &Value) -> Said {
        self.run_with(config, &[])
    }

    /// Plays a config with further arguments.
    pub fn run_with(&self, config: &Value, more: &[&str]) -> Said {
        let config = self.write("config.json", &config.to_string());
        let (config, out) = (config.to_string_lossy(), self.out());
        let mut arguments = vec!["run", &config, "--out"];
        let out = out.to_string_lossy();
        arguments.push(&out);
        arguments.extend(more);
        self.chuhe(&arguments)
    }

    pub fn resume(&self) -> Said {
        self.chuhe(&["resume", &self.out().to_string_lossy(), "--quiet"])
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.out().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The journal's events so far; a torn last line is left out.
    pub fn events(&self) -> Vec<Event> {
        let Ok(file) = File::open(self.out().join("journal.jsonl")) else { return Vec::new() };
        JournalReader::new(BufReader::new(file)).map(|event| event.unwrap()).collect()
    }

    pub fn games(&self) -> Vec<GameOver> {
        let over = |event: Event| match event.what {
            What::GameOver(game) => Some(*game),
            _ => None,
        };
        self.events().into_iter().filter_map(over).collect()
    }

    /// Processes of this place that live, zombies left out.
    pub fn alive(&self) -> Vec<u32> {
        let marker = format!("{MARKER}={}\0", self.0.display());
        let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
        let marked = |id: &u32| {
            fs::read(format!("/proc/{id}/environ"))
                .is_ok_and(|bytes| bytes.windows(marker.len()).any(|window| window == marker.as_bytes()))
        };
        fs::read_dir("/proc").unwrap().flatten().filter_map(number).filter(marked).collect()
    }

    /// Nothing of this place lives a second from now at the latest.
    pub fn expect_nobody(&self, when: &str) {
        let gone = wait_until(Duration::from_secs(1), || self.alive().is_empty());
        assert!(gone, "{when}: still alive: {:?}", self.alive());
    }

    /// The transcripts of the entrant of this number, from 1.
    pub fn transcript(&self, entrant: usize) -> String {
        let folder = self.out().join("transcripts");
        let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
        files.sort();
        let own =
            |file: &&PathBuf| file.file_name().unwrap().to_string_lossy().starts_with(&format!("{entrant}-"));
        files.iter().filter(own).map(|file| fs::read_to_string(file).unwrap()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for id in self.alive() {
            let id = rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
            let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Kills a run that takes too long, so that a test fails instead of hanging.
struct Watchdog(std::sync::Arc<std::sync::atomic::AtomicBool>);

impl Watchdog {
    fn over(child: &Child) -> Watchdog {
        let state = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (weak, id) = (std::sync::Arc::downgrade(&state), child.id());
        std::thread::spawn(move || {
            let done = wait_until(RUN_LIMIT, || weak.strong_count() == 0);
            if let Some(state) = weak.upgrade().filter(|_| !done) {
                state.store(true, std::sync::atomic::Ordering::SeqCst);
                send(id, rustix::process::Signal::KILL);
            }
        });
        Watchdog(state)
    }

    fn has_barked(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

/// How a run of the program ended and what it printed.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Said {
    pub fn expect(&self, code: i32) -> &Said {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    pub fn expect_error(&self, words: &[&str]) {
        for word in words {
            assert!(self.stderr.contains(word), "'{word}' is not said: {}", self.stderr);
        }
    }
}

pub fn send(id: u32, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
    rustix::process::kill_process(id, signal).unwrap();
}

/// Looks again and again until something is so; false when it is not after `limit`.
pub fn wait_until(limit: Duration, mut so: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if so() {
            return true;
        }
        if began.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The test engine with its switches, speaking UCI.
pub fn fake(switches: &[&str]) -> Value {
    let arguments: Vec<&str> = std::iter::once("fake-engine").chain(switches.iter().copied()).collect();
    json!({ "command": CHUHE, "args": arguments, "protocol": "uci", "start_patience": "5s" })
}

/// A match of two games between `A` and `B`.
pub fn pair(a: Value, b: Value, time: &str) -> Value {
    json!({
        "event": "End to end",
        "entrants": [{ "name": "A", "engine": a }, { "name": "B", "engine": b }],
        "time": time,
        "format": { "type": "pairs", "pairs": 1 },
    })
}

/// A config with some fields set over it.
pub fn with(mut config: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    config.as_object_mut().unwrap().extend(fields);
    config
}
