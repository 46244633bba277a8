//! The floor under [`super::overhead`]: the same lines between the same engines, moved by a bare loop
//! over epoll: no rules, no clock, no record. Start at [`measure`].

use std::io::{self, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use rustix::event::epoll;

use super::super::fake_engine::{FAKE_ENGINE_WORD, SCRIPT_PLIES};
use super::{BenchError, Row, cpu_time, micros_each, peak_memory};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Games in all
    #[arg(long, default_value_t = 400)]
    games: u32,
    /// Games at once
    #[arg(long, default_value_t = 8)]
    concurrency: u16,
    /// Info lines a move
    #[arg(long, default_value_t = 1)]
    infos: u32,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What is told of the clock: the words the runner sends, of the same length.
const GO: &[u8] = b"\ngo wtime 1000000 btime 1000000\n";

const BEGIN: &[u8] = b"position startpos";

/// An engine and what it has printed of the line under way.
struct Seat {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
}

/// Two engines, even ones Red, and the text that both are told.
struct Board {
    seats: [Seat; 2],
    text: Vec<u8>,
    plies: u32,
}

/// Plays games on boards with kept engines and measures from the first question to the last answer.
pub fn measure(arguments: &Arguments) -> Result<Vec<Row>, BenchError> {
    let boards = u32::from(arguments.concurrency);
    let mut boards: Vec<Board> =
        (0..boards).map(|_| Board::new(arguments.infos)).collect::<io::Result<_>>()?;
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(io::Error::from)?;
    for (number, seat) in boards.iter().flat_map(|board| &board.seats).enumerate() {
        let data = epoll::EventData::new_u64(number as u64);
        epoll::add(&poll, &seat.output, data, epoll::EventFlags::IN).map_err(io::Error::from)?;
    }
    let (cpu, wall) = (cpu_time(), Instant::now());
    let mut left = arguments.games;
    let mut running = 0;
    for board in &mut boards {
        running += u32::from(board.begin(&mut left)?);
    }
    let mut events = Vec::with_capacity(64);
    while running > 0 {
        events.clear();
        epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), None).map_err(io::Error::from)?;
        for event in &events {
            let number = event.data.u64() as usize;
            let over = boards[number / 2].hear(number % 2)?;
            if over && !boards[number / 2].begin(&mut left)? {
                running -= 1;
            }
        }
    }
    let (cpu, wall) = (cpu_time() - cpu, wall.elapsed());
    boards.iter_mut().try_for_each(Board::close)?;
    let moves = u64::from(arguments.games) * u64::from(SCRIPT_PLIES);
    Ok(vec![
        ("moves counted", moves as f64, ""),
        ("floor CPU a move", micros_each(cpu, moves), "us"),
        ("games", f64::from(arguments.games) / wall.as_secs_f64(), "1/s"),
        ("peak memory", peak_memory(), "MB"),
    ])
}

impl Board {
    fn new(infos: u32) -> io::Result<Board> {
        Ok(Board { seats: [Seat::start(infos)?, Seat::start(infos)?], text: Vec::new(), plies: 0 })
    }

    /// Asks for the first move of another game, if one is left.
    fn begin(&mut self, left: &mut u32) -> io::Result<bool> {
        if *left == 0 {
            return Ok(false);
        }
        *left -= 1;
        self.plies = 0;
        self.text.clear();
        self.text.extend_from_slice(BEGIN);
        self.ask(0)?;
        Ok(true)
    }

    fn ask(&mut self, seat: usize) -> io::Result<()> {
        let length = self.text.len();
        self.text.extend_from_slice(GO);
        self.seats[seat].input.write_all(&self.text)?;
        self.text.truncate(length);
        Ok(())
    }

    /// Reads once; true when the game's last move has come.
    fn hear(&mut self, seat: usize) -> io::Result<bool> {
        let Some(mv) = self.seats[seat].read()? else { return Ok(false) };
        self.text.extend_from_slice(if self.plies == 0 { b" moves " } else { b" " });
        self.text.extend_from_slice(&mv);
        self.plies += 1;
        if self.plies == SCRIPT_PLIES {
            return Ok(true);
        }
        self.ask(1 - seat)?;
        Ok(false)
    }

    fn close(&mut self) -> io::Result<()> {
        for seat in &mut self.seats {
            seat.input.write_all(b"quit\n")?;
            seat.child.wait()?;
        }
        Ok(())
    }
}

impl Seat {
    fn start(infos: u32) -> io::Result<Seat> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([FAKE_ENGINE_WORD, "--script", "--info", &infos.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("a pipe to the engine is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        // Both ends stay blocking: the engine reads all it is told, and reading follows readiness.
        Ok(Seat { child, input, output, buffer: Vec::with_capacity(4096) })
    }

    /// The move of a whole `bestmove` line, if it has come.
    fn read(&mut self) -> io::Result<Option<[u8; 4]>> {
        let mut bytes = [0; 4096];
        let count = self.output.read(&mut bytes)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.extend_from_slice(&bytes[..count]);
        if self.buffer.last() != Some(&b'\n') {
            return Ok(None);
        }
        let best = memchr::memmem::find(&self.buffer, b"bestmove ");
        let mv = best.and_then(|at| self.buffer.get(at + 9..at + 13)?.try_into().ok());
        self.buffer.clear();
        Ok(mv)
    }
}
