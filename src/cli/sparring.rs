//! `chuhe sparring`: the built-in engine at standard input and output.
//! Only moves lines, looks at the clock and waits; what is said and played is decided in
//! `crate::sparring`. A thread reads, the main thread thinks and answers. Start at [`run`].

use std::io::{self, BufRead, Read as _, StdoutLock, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::Instant;

use crate::sparring::{Dialogue, Engine, Job, Moment, Out, Progress, Settings, Watch};

/// Longest line read; a game of ten thousand moves has room.
const LONGEST_LINE: u64 = 1 << 20;

/// Lines that may wait between the reading thread and the engine.
const LINES_WAITING: usize = 64;

/// A line and the moment it was read.
type Heard = (Instant, String);

/// Plays until `quit`, the end of input or a closed output.
pub fn run() {
    let (sender, lines) = sync_channel(LINES_WAITING);
    std::thread::spawn(move || read(&sender));
    let mut desk = Desk {
        dialogue: Dialogue::new(),
        lines,
        output: io::stdout().lock(),
        asked: Instant::now(),
        charged_from: None,
        job: None,
        gone: false,
    };
    let mut engine = Engine::new(Settings::default());
    while let Some(job) = desk.next_job() {
        let outcome = engine.think(&job, &mut desk);
        while desk.dialogue.must_hold() && !desk.gone {
            desk.wait();
        }
        if !desk.gone {
            let outs = desk.dialogue.answer(&outcome);
            desk.act(outs, Instant::now());
        }
    }
}

/// Reads lines until the input ends or nobody wants them any more.
fn read(lines: &SyncSender<Heard>) {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if lines.send((Instant::now(), String::from_utf8_lossy(&line).into_owned())).is_err() {
            return;
        }
    }
}

/// Where the engine sits: its ear, its mouth and its watch.
struct Desk {
    dialogue: Dialogue,
    lines: Receiver<Heard>,
    output: StdoutLock<'static>,
    /// When the present search was asked for.
    asked: Instant,
    /// When its time began to count.
    charged_from: Option<Instant>,
    job: Option<Box<Job>>,
    /// Nobody is there any more.
    gone: bool,
}

impl Desk {
    fn next_job(&mut self) -> Option<Box<Job>> {
        while self.job.is_none() && !self.gone {
            self.wait();
        }
        if self.gone { None } else { self.job.take() }
    }

    /// Waits for one line and does what it asks.
    fn wait(&mut self) {
        match self.lines.recv() {
            Ok(heard) => self.hear(&heard),
            Err(_) => self.leave(),
        }
    }

    fn hear(&mut self, (at, line): &Heard) {
        let outs = self.dialogue.hear(line);
        self.act(outs, *at);
        if self.charged_from.is_none() && !self.dialogue.is_pondering() {
            self.charged_from = Some(*at);
        }
    }

    fn act(&mut self, outs: Vec<Out>, at: Instant) {
        for out in outs {
            match out {
                Out::Say(line) => self.say(&line),
                Out::Quit => self.leave(),
                Out::Think(job) => {
                    self.asked = at;
                    self.charged_from = (!self.dialogue.is_pondering()).then_some(at);
                    self.job = Some(job);
                }
            }
        }
    }

    fn say(&mut self, line: &str) {
        if writeln!(self.output, "{line}").and_then(|()| self.output.flush()).is_err() {
            self.leave();
        }
    }

    fn leave(&mut self) {
        self.gone = true;
        self.dialogue.stop();
    }
}

impl Watch for Desk {
    fn moment(&mut self) -> Moment {
        loop {
            match self.lines.try_recv() {
                Ok(heard) => self.hear(&heard),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.leave();
                    break;
                }
            }
        }
        Moment {
            elapsed: self.asked.elapsed(),
            charged: self.charged_from.map(|from| from.elapsed()),
            stop: self.gone || self.dialogue.stop_asked(),
        }
    }

    fn finished(&mut self, progress: &Progress<'_>) {
        for line in self.dialogue.progress(progress) {
            self.say(&line);
        }
    }
}
