//! One engine process: its pipes, its exit, its end. Bytes and stamps only; what the lines mean is the
//! table's business. Start at [`EngineProcess`].

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::process::Child;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus};
use tokio::io::{AsyncRead as _, AsyncReadExt as _, ReadBuf};
use tokio::net::unix::pipe;

use super::idleness::{Busy, Idleness, processor_time};
use super::lines::{LineBuffer, Tail};
use super::spawner::Spawner;
use super::transcript::Transcript;
use crate::time::At;

/// How long after the end of an engine's output its exit status is waited for: a crash must be judged
/// within 100 ms of the exit.
pub const EXIT_GRACE: Duration = Duration::from_millis(50);

/// How long an engine may take after `quit` before it is asked by signal.
const QUIT_PATIENCE: Duration = Duration::from_millis(1000);

/// How long it may take after SIGTERM before it is killed.
const TERM_PATIENCE: Duration = Duration::from_millis(500);

/// A running engine.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    group: Option<Pid>,
    spawner: Spawner,
    pidfd: OwnedFd,
    exit: pipe::Receiver,
    output: pipe::Receiver,
    input: OwnedFd,
    unsent: Vec<u8>,
    writable: Option<pipe::Sender>,
    /// What it has printed and not yet been heard.
    pub lines: LineBuffer,
    /// The end of its output.
    pub said: Tail,
    stderr: Rc<RefCell<Tail>>,
    /// Its transcript, if one is kept.
    pub transcript: Option<Transcript>,
    idleness: Idleness,
    started: Instant,
    reaped: bool,
}

/// What reading brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadEvent {
    /// Bytes were added to the line buffer.
    Grew,
    /// The stream has ended.
    Closed,
}

impl EngineProcess {
    /// Takes over a spawned child: makes its pipes non-blocking and drains its stderr from now on.
    ///
    /// # Errors
    /// What the system says when the descriptors cannot be prepared.
    pub fn adopt(mut child: Child, spawner: Spawner) -> io::Result<EngineProcess> {
        let missing = || io::Error::other("a pipe to the engine is missing");
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pidfd = rustix::process::pidfd_open(group.ok_or_else(missing)?, PidfdFlags::NONBLOCK)?;
        let output = OwnedFd::from(child.stdout.take().ok_or_else(missing)?);
        let input = OwnedFd::from(child.stdin.take().ok_or_else(missing)?);
        let errors = OwnedFd::from(child.stderr.take().ok_or_else(missing)?);
        rustix::io::ioctl_fionbio(&input, true)?;
        let stderr = Rc::new(RefCell::new(Tail::default()));
        tokio::task::spawn_local(drain(pipe::Receiver::from_owned_fd(errors)?, Rc::clone(&stderr)));
        Ok(EngineProcess {
            child,
            group,
            spawner,
            // A pidfd becomes readable when its process ends; nothing is ever read from it.
            exit: pipe::Receiver::from_owned_fd_unchecked(pidfd.try_clone()?)?,
            pidfd,
            output: pipe::Receiver::from_owned_fd(output)?,
            input,
            unsent: Vec::new(),
            writable: None,
            lines: LineBuffer::default(),
            said: Tail::default(),
            stderr,
            transcript: None,
            idleness: Idleness::default(),
            started: Instant::now(),
            reaped: false,
        })
    }

    /// Reads once into the line buffer.
    pub fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<ReadEvent> {
        let mut buffer = ReadBuf::new(self.lines.room());
        let read = ready!(Pin::new(&mut self.output).poll_read(cx, &mut buffer));
        let count = buffer.filled().len();
        if read.is_err() || count == 0 {
            return Poll::Ready(ReadEvent::Closed);
        }
        self.said.push(buffer.filled());
        self.lines.grew(count);
        Poll::Ready(ReadEvent::Grew)
    }

    /// Ready when the process has ended (it is not reaped by this).
    pub fn poll_exit(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.exit.poll_read_ready(cx).map(drop)
    }

    /// Writes all of `text` and empties it; what the pipe does not take now is kept and written by
    /// [`EngineProcess::poll_unsent`]. Returns whether everything was written.
    ///
    /// # Errors
    /// The pipe is broken.
    pub fn write(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        if !self.unsent.is_empty() {
            self.unsent.append(text);
            return Ok(false);
        }
        let written = write_some(&self.input, text)?;
        if written < text.len() {
            self.unsent.extend_from_slice(&text[written..]);
        }
        text.clear();
        Ok(self.unsent.is_empty())
    }

    /// Whether it is time to look at what it does while nothing is asked of it.
    pub fn is_looked_at(&self, now: At) -> bool {
        self.idleness.is_due(now)
    }

    /// It has answered, and is asked nothing until it is written to.
    pub fn rested(&mut self, now: At) {
        let process = self.child.id();
        self.idleness.rests(now, || processor_time(process));
    }

    /// It is written to. What is worth telling of what it did meanwhile, once.
    pub fn called(&mut self, now: At) -> Option<Busy> {
        let process = self.child.id();
        self.idleness.called(now, || processor_time(process))
    }

    /// When it was taken over, a moment after its program was read.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// The number of the process.
    pub fn number(&self) -> u32 {
        self.child.id()
    }

    /// Whether something still waits to be written.
    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Goes on writing what was kept; ready when it is all written or the pipe is broken.
    pub fn poll_unsent(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            if self.writable.is_none() {
                // Registered only now: an engine that reads its input never needs it.
                self.writable = Some(pipe::Sender::from_owned_fd(self.input.try_clone()?)?);
            }
            let Some(writable) = &self.writable else { return Poll::Pending };
            ready!(writable.poll_write_ready(cx))?;
            match writable.try_write(&self.unsent) {
                Ok(written) => drop(self.unsent.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// The last lines of its output and stderr, stderr's marked with `! `.
    pub fn last_lines(&self) -> Vec<String> {
        let mut lines = self.said.lines();
        lines.extend(self.stderr.borrow().lines().into_iter().map(|line| format!("! {line}")));
        lines
    }

    /// Between two games: forgets the last lines, and keeps no memory for what it will say.
    pub fn rest(&mut self) {
        self.lines.release();
        self.clear_tails();
        self.transcript.iter_mut().for_each(Transcript::rest);
    }

    /// Forgets the last lines (a new game begins).
    pub fn clear_tails(&mut self) {
        self.said.clear();
        self.stderr.borrow_mut().clear();
    }

    /// How the process ended, if it has. Does not reap it: while it is a zombie its group's number cannot
    /// be given to anyone else, so the group can still be killed.
    pub fn exit_status(&self) -> Option<String> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::PidFd(self.pidfd.as_fd()), options);
        status.ok().flatten().map(describe)
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Waits for the end after `quit` was sent: patience, SIGTERM to the group, patience, SIGKILL.
    pub async fn finish(mut self) {
        let _ = rustix::io::ioctl_fionbio(&self.input, true);
        for (patience, signal) in [(QUIT_PATIENCE, Signal::TERM), (TERM_PATIENCE, Signal::KILL)] {
            if self.wait_exit(patience).await {
                break;
            }
            self.signal(signal);
        }
        self.reap().await;
    }

    /// Kills the whole group at once and reaps.
    pub async fn kill(mut self) {
        self.signal(Signal::KILL);
        self.reap().await;
    }

    /// Reads and forgets output until the process ends or `patience` is over.
    async fn wait_exit(&mut self, patience: Duration) -> bool {
        let deadline = tokio::time::sleep(patience);
        tokio::pin!(deadline);
        let mut open = true;
        let mut bytes = [0; 4096];
        loop {
            tokio::select! {
                biased;
                _ = self.exit.readable() => return true,
                () = &mut deadline => return false,
                read = self.output.read(&mut bytes), if open => open = read.is_ok_and(|count| count > 0),
            }
        }
    }

    async fn reap(&mut self) {
        // The group first: what the engine itself started goes with it.
        self.signal(Signal::KILL);
        if self.wait_exit(TERM_PATIENCE).await {
            let _ = self.child.wait();
            self.spawner.forget(self.child.id());
        }
        // A process that even SIGKILL does not end hangs in the kernel. Nobody can wait for it, and no other
        // game may; the watchdog still knows its group.
        self.reaped = true;
    }
}

fn write_some(input: &OwnedFd, text: &[u8]) -> io::Result<usize> {
    let mut written = 0;
    while written < text.len() {
        match rustix::io::write(input.as_fd(), &text[written..]) {
            Ok(count) => written += count,
            Err(rustix::io::Errno::AGAIN) => break,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(written)
}

/// Reads stderr for ever, so that no engine waits for a reader. The bytes lie here only while there are
/// some: most engines never say a word.
async fn drain(errors: pipe::Receiver, tail: Rc<RefCell<Tail>>) {
    while errors.readable().await.is_ok() {
        let mut bytes = [0; 4096];
        match errors.try_read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => tail.borrow_mut().push(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
}

fn describe(status: WaitIdStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".to_owned(),
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        if !self.reaped {
            self.signal(Signal::KILL);
            let patience = Timespec::try_from(TERM_PATIENCE).ok();
            let mut exit = [PollFd::new(&self.pidfd, PollFlags::IN)];
            if poll(&mut exit, patience.as_ref()).is_ok_and(|ready| ready > 0) {
                let _ = self.child.wait();
                self.spawner.forget(self.child.id());
            }
        }
    }
}
