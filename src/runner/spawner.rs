//! Starting engines: one long-lived thread that spawns, a shim of our own binary that binds the
//! engine's life to ours, and a watchdog process that ends whole process groups when we are gone.
//! Never talks to engines. Start at [`Spawner`].
//!
//! Why a thread of its own: a spawn blocks its caller until the exec, and the parent-death signal
//! follows the thread that spawned, so that thread must live as long as the runner. Why a shim:
//! setting the signal between fork and exec would force a full fork of a large parent; the shim is
//! posix-spawned, sets the signal for itself, checks that its parent still lives, and execs.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal};
use tokio::sync::oneshot;

/// First argument with which our own binary acts as the shim.
pub const SHIM_WORD: &str = "__engine";

/// First argument with which our own binary acts as the watchdog.
pub const WATCHDOG_WORD: &str = "__watchdog";

/// Exit status of the shim when the engine cannot be executed, as shells use it.
const CANNOT_EXEC: i32 = 127;

/// What is to be started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Resolved program.
    pub program: PathBuf,
    /// Arguments.
    pub args: Vec<String>,
    /// Working directory.
    pub dir: Option<PathBuf>,
    /// Environment to add.
    pub env: Vec<(String, String)>,
    /// The processor cores it is bound to; all that we may use if empty.
    pub cores: Vec<usize>,
}

struct Request {
    launch: Launch,
    answer: oneshot::Sender<std::io::Result<Child>>,
}

/// Handle to the spawning thread and the watchdog.
#[derive(Debug, Clone)]
pub struct Spawner {
    requests: mpsc::Sender<Request>,
    watchdog: Arc<Mutex<Watchdog>>,
}

impl Spawner {
    /// Starts the thread and the watchdog.
    ///
    /// # Errors
    /// What the system says when either cannot be started.
    pub fn start() -> std::io::Result<Spawner> {
        let own = std::env::current_exe()?;
        let watchdog = Watchdog::start(&own)?;
        let (requests, inbox) = mpsc::channel::<Request>();
        std::thread::Builder::new().name("spawner".to_owned()).spawn(move || {
            while let Ok(Request { launch, answer }) = inbox.recv() {
                // A receiver that has gone away no longer wants the engine: it is ended at once.
                if let Err(Ok(mut child)) = answer.send(spawn(&own, &launch)) {
                    let _ = child.kill();
                    let _ = child.wait();
                }
            }
        })?;
        Ok(Spawner { requests, watchdog: Arc::new(Mutex::new(watchdog)) })
    }

    /// Starts an engine in a process group of its own, with pipes for all three streams.
    ///
    /// # Errors
    /// What the system says when it cannot be started.
    pub async fn spawn(&self, launch: Launch) -> std::io::Result<Child> {
        let (answer, reply) = oneshot::channel();
        let gone = || std::io::Error::other("the spawning thread has ended");
        self.requests.send(Request { launch, answer }).map_err(|_| gone())?;
        let child = reply.await.map_err(|_| gone())??;
        self.tell_watchdog('+', child.id());
        Ok(child)
    }

    /// The group of an engine that was reaped needs no watching any more.
    pub fn forget(&self, id: u32) {
        self.tell_watchdog('-', id);
    }

    fn tell_watchdog(&self, sign: char, id: u32) {
        self.watchdog.lock().unwrap_or_else(PoisonError::into_inner).tell(sign, id);
    }
}

fn spawn(own: &Path, launch: &Launch) -> std::io::Result<Child> {
    let cores: Vec<String> = launch.cores.iter().map(usize::to_string).collect();
    let bound = if cores.is_empty() { String::new() } else { format!("@{}", cores.join(",")) };
    let mut command = Command::new(own);
    command
        .arg(SHIM_WORD)
        .arg(format!("{}{bound}", std::process::id()))
        .arg(&launch.program)
        .args(&launch.args)
        .envs(launch.env.iter().map(|(name, value)| (name, value)))
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(dir) = &launch.dir {
        command.current_dir(dir);
    }
    command.spawn()
}

/// The shim's `main`: `PARENT[@CORES] PROGRAM ARGS..`. Returns only when the engine cannot be executed.
pub fn shim(mut args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
    let words = args.next().and_then(|words| words.into_string().ok()).unwrap_or_default();
    let (parent, cores) = words.split_once('@').unwrap_or((&words, ""));
    let (Ok(parent), Some(program)) = (parent.parse::<i32>(), args.next()) else { return CANNOT_EXEC };
    let cores: Vec<usize> = cores.split(',').filter_map(|core| core.parse().ok()).collect();
    if !cores.is_empty()
        && let Err(error) = super::affinity::bind(&cores)
    {
        // It was permitted when the run began; the engine is worth more than its place.
        eprintln!("chuhe: cannot bind the engine to cores {words}: {error}");
    }
    let bound = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let ours = rustix::process::getppid().map(Pid::as_raw_nonzero).map(std::num::NonZero::get);
    if bound.is_err() || ours != Some(parent) {
        return CANNOT_EXEC;
    }
    let error = Command::new(&program).args(args).exec();
    eprintln!("chuhe: cannot start '{}': {error}", program.display());
    CANNOT_EXEC
}

/// The pipe to the watchdog process.
#[derive(Debug)]
struct Watchdog {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    fn start(own: &Path) -> std::io::Result<Watchdog> {
        let mut child = Command::new(own)
            .arg(WATCHDOG_WORD)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pipe = child.stdin.take();
        Ok(Watchdog { child, pipe })
    }

    fn tell(&mut self, sign: char, id: u32) {
        if let Some(pipe) = &mut self.pipe {
            let _ = writeln!(pipe, "{sign}{id}");
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.pipe = None;
        let _ = self.child.wait();
    }
}

/// The watchdog's `main`: reads `+group` and `-group` lines; at the end of its input, which comes when
/// the runner has ended however it died, kills every group that is left.
pub fn watchdog() -> i32 {
    let mut groups = std::collections::BTreeSet::new();
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { break };
        let number = line.get(1..).and_then(|id| id.parse::<i32>().ok());
        if let Some(id) = number {
            if line.starts_with('+') {
                groups.insert(id);
            } else {
                groups.remove(&id);
            }
        }
    }
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
    0
}

/// Finds a program: a path with a slash as it is, a bare name on PATH and then in `/usr/games`, where
/// Debian puts engines and which services seldom have on their PATH.
///
/// # Errors
/// In words, why nothing can be started by this name.
pub fn find_program(command: &str) -> Result<PathBuf, String> {
    if command == "@self" {
        return std::env::current_exe().map_err(|error| format!("cannot find our own program: {error}"));
    }
    if command.contains('/') {
        let path = Path::new(command);
        return executable(path).map(|()| path.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games"), PathBuf::from("/usr/local/bin")])
        .map(|folder| folder.join(command))
        .find(|candidate| executable(candidate).is_ok())
        .ok_or_else(|| format!("'{command}' is neither on PATH nor in /usr/games"))
}

fn executable(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let shown = path.display();
    let facts = std::fs::metadata(path).map_err(|error| format!("'{shown}': {error}"))?;
    if !facts.is_file() {
        return Err(format!("'{shown}' is not a file"));
    }
    if facts.permissions().mode() & 0o111 == 0 {
        return Err(format!("'{shown}' may not be executed (chmod +x it)"));
    }
    Ok(())
}
