//! Starting engines: one long-lived thread that spawns, a shim of our own binary that binds the
//! engine's life to ours, and a watchdog process that ends whole process groups when we are gone.
//! Never talks to engines. Start at [`Spawner`].
//!
//! Why a thread of its own: a spawn blocks its caller until the exec, and the parent-death signal
//! follows the thread that spawned, so that thread must live as long as the runner. Why a shim:
//! setting the signal between fork and exec would force a full fork of a large parent; the shim is
//! posix-spawned, sets the signal for itself, checks that its parent still lives, and execs.

use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tokio::sync::oneshot;

use crate::engine::Far;

/// First argument with which our own binary acts as the shim.
pub const SHIM_WORD: &str = "__engine";

/// First argument with which our own binary acts as the watchdog.
pub const WATCHDOG_WORD: &str = "__watchdog";

/// Exit status of the shim when the engine cannot be executed, as shells use it.
const CANNOT_EXEC: i32 = 127;

/// Every process that an engine of ours starts has this in its environment, unless it takes pains to lose it,
/// with the mark of the runner: by it the watchdog finds those that have left their group.
const MARK: &str = "CHUHE_ENGINE_OF";

/// How long the end of a run waits for the watchdog, which has but to look through the processes.
const WATCHDOG_PATIENCE: Duration = Duration::from_secs(2);

/// Time between two looks whether it has ended.
const WATCHDOG_LOOK: Duration = Duration::from_micros(500);

/// How long the watchdog looks again and again for processes that have left their group, until there is none:
/// what one of them starts while it is being killed is found by the next look, and it returns when all are gone.
const HUNT_PATIENCE: Duration = Duration::from_millis(1000);

/// Time between two of its looks.
const HUNT_LOOK: Duration = Duration::from_millis(1);

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
    /// Where the lines of seats that are played from elsewhere find the runner's server, if there is one.
    seats: Option<Arc<str>>,
    watchdog: Arc<Mutex<Watchdog>>,
}

/// What every spawn needs: our own program, our mark, and the limit of open files that engines are given
/// back.
#[derive(Debug)]
struct Shim {
    own: PathBuf,
    mark: String,
    files: Option<u64>,
}

impl Spawner {
    /// Starts the thread and the watchdog.
    ///
    /// # Errors
    /// What the system says when either cannot be started.
    pub fn start() -> std::io::Result<Spawner> {
        let own = std::env::current_exe()?;
        // Numbers of processes come again; a number and a moment do not.
        let moment = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        let mark = format!("{}-{}.{:09}", std::process::id(), moment.tv_sec, moment.tv_nsec);
        let watchdog = Watchdog::start(&own, &mark)?;
        let shim = Shim { own, mark, files: super::descriptors::raise() };
        let (requests, inbox) = mpsc::channel::<Request>();
        std::thread::Builder::new().name("spawner".to_owned()).spawn(move || {
            while let Ok(Request { launch, answer }) = inbox.recv() {
                // A receiver that has gone away no longer wants the engine: it is ended at once.
                if let Err(Ok(mut child)) = answer.send(spawn(&shim, &launch)) {
                    kill_group(child.id());
                    let _ = child.wait();
                }
            }
        })?;
        Ok(Spawner { requests, seats: None, watchdog: Arc::new(Mutex::new(watchdog)) })
    }

    /// Lets the lines of seats that are played from elsewhere find the runner's server.
    #[must_use]
    pub fn with_seats(self, place: Option<String>) -> Spawner {
        Spawner { seats: place.map(Arc::from), ..self }
    }

    /// Where the lines of such seats find the server.
    pub fn seats(&self) -> Option<&str> {
        self.seats.as_deref()
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

    /// An engine whose pipes cannot be served is ended at once.
    pub fn abandon(&self, id: u32) {
        kill_group(id);
    }

    /// The group of an engine that was reaped needs no watching any more.
    pub fn forget(&self, id: u32) {
        self.tell_watchdog('-', id);
    }

    fn tell_watchdog(&self, sign: char, id: u32) {
        self.watchdog.lock().unwrap_or_else(PoisonError::into_inner).tell(sign, id);
    }
}

fn kill_group(id: u32) {
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

fn spawn(shim: &Shim, launch: &Launch) -> std::io::Result<Child> {
    let mut command = Command::new(&shim.own);
    let files = shim.files.map_or_else(String::new, |files| format!(":{files}"));
    let cores: Vec<String> = launch.cores.iter().map(usize::to_string).collect();
    let bound = if cores.is_empty() { String::new() } else { format!("@{}", cores.join(",")) };
    command
        .arg(SHIM_WORD)
        .arg(format!("{}{files}{bound}", std::process::id()))
        .env(MARK, &shim.mark)
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

/// The shim's `main`: `PARENT[:FILES][@CORES] PROGRAM ARGS..`. Returns only when the engine cannot be executed.
pub fn shim(mut args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
    let words = args.next().and_then(|words| words.into_string().ok()).unwrap_or_default();
    let (first, cores) = words.split_once('@').unwrap_or((&words, ""));
    let (parent, files) = first.split_once(':').unwrap_or((first, ""));
    let (Ok(parent), Some(program)) = (parent.parse::<i32>(), args.next()) else { return CANNOT_EXEC };
    if let Ok(files) = files.parse() {
        super::descriptors::give_back(files);
    }
    let cores: Vec<usize> = cores.split(',').filter_map(|core| core.parse().ok()).collect();
    if !cores.is_empty()
        && let Err(error) = super::affinity::bind(&cores)
    {
        // It was permitted when the run began; the engine is worth more than its place.
        eprintln!("chuhe: cannot bind the engine to cores {cores:?}: {error}");
    }
    let bound = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let ours = rustix::process::getppid().map(Pid::as_raw_nonzero).map(std::num::NonZero::get);
    if bound.is_err() || ours != Some(parent) {
        return CANNOT_EXEC;
    }
    if is_foreign(Path::new(&program)) {
        eprintln!("chuhe: cannot start '{}': it is a program for another machine", program.display());
        return CANNOT_EXEC;
    }
    let error = Command::new(&program).args(args).exec();
    eprintln!("chuhe: cannot start '{}': {error}", program.display());
    CANNOT_EXEC
}

/// Whether a file is a program for another machine and the system has nothing that would run it. The library
/// that executes for us gives such a file to a shell, which reads it as a script.
fn is_foreign(program: &Path) -> bool {
    // Magic number, class and byte order; then, from byte 18, the machine.
    let head = |path: &Path| -> Option<[u8; 20]> {
        let mut head = [0; 20];
        std::fs::File::open(path).ok()?.read_exact(&mut head).ok()?;
        head.starts_with(b"\x7fELF").then_some(head)
    };
    let (Some(own), Some(theirs)) = (head(Path::new("/proc/self/exe")), head(program)) else { return false };
    // A 32-bit program of a 64-bit machine has another class and another number, and runs.
    if own[18..] == theirs[18..] || (own[4] > theirs[4] && own[5] == theirs[5]) {
        return false;
    }
    let translators = std::fs::read_dir("/proc/sys/fs/binfmt_misc").map_or(0, |entries| {
        let known = |name: &std::ffi::OsStr| name == "register" || name == "status";
        entries.flatten().filter(|entry| !known(&entry.file_name())).count()
    });
    translators == 0
}

/// The pipe to the watchdog process.
#[derive(Debug)]
struct Watchdog {
    child: Child,
    pipe: Option<ChildStdin>,
    mark: String,
}

impl Watchdog {
    fn start(own: &Path, mark: &str) -> std::io::Result<Watchdog> {
        let mut child = Command::new(own)
            .arg(WATCHDOG_WORD)
            .arg(mark)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pipe = child.stdin.take();
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Watchdog { child, pipe, mark: mark.to_owned() })
    }

    fn tell(&mut self, sign: char, id: u32) {
        if let Some(pipe) = &mut self.pipe {
            // One write, so that a line comes whole or not at all. A watchdog that does not read, because somebody
            // has stopped it, must not stop us; what it is not told it finds by the mark.
            let _ = pipe.write_all(format!("{sign}{id}\n").as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.pipe = None;
        // It may have been killed or stopped; then its last duty is ours.
        let until = Instant::now() + WATCHDOG_PATIENCE;
        let ended = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.success(),
                Ok(None) if Instant::now() < until => std::thread::sleep(WATCHDOG_LOOK),
                Ok(None) | Err(_) => break false,
            }
        };
        if !ended {
            let _ = self.child.kill();
            let _ = self.child.wait();
            hunt(&self.mark);
        }
    }
}

/// The watchdog's `main`: reads `+group` and `-group` lines; at the end of its input, which comes when
/// the runner has ended however it died, kills every group that is left, and every process that has left its
/// group and bears the runner's mark.
pub fn watchdog(mut args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
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
    if let Some(mark) = args.next().and_then(|mark| mark.into_string().ok()) {
        hunt(&mark);
    }
    0
}

fn hunt(mark: &str) {
    let until = Instant::now() + HUNT_PATIENCE;
    while kill_marked(mark) && Instant::now() < until {
        std::thread::sleep(HUNT_LOOK);
    }
}

/// Kills every process that bears a mark; whether there was any.
fn kill_marked(mark: &str) -> bool {
    let wanted = format!("{MARK}={mark}");
    let bears = |id: i32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let mut found = false;
    for id in ids.filter(|id| bears(*id)).filter_map(Pid::from_raw) {
        found |= rustix::process::kill_process(id, Signal::KILL).is_ok();
    }
    found
}

/// Finds a program: a path with a slash as it is, a bare name on PATH and then in `/usr/games`, where
/// Debian puts engines and which services seldom have on their PATH.
///
/// # Errors
/// In words, why nothing can be started by this name.
pub fn find_program(command: &str) -> Result<PathBuf, String> {
    if command == "@self" || Far::ALL.iter().any(|far| far.command() == command) {
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
