//! A seat at a board: the process of its engine and what becomes of it. Says what happened there; never what
//! it means. Start at [`Seat::poll`].

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::process::{EngineProcess, ReadEvent};
use super::start::StartError;
use crate::time::At;

type Starting = Pin<Box<dyn Future<Output = Result<EngineProcess, StartError>>>>;

/// What woke a game up, at one of its seats.
pub enum Wake {
    /// There are new bytes of output.
    Read,
    /// Its output was closed.
    OutputClosed,
    /// The process ended.
    Exited,
    /// The process was started, or not.
    Started(Box<Result<EngineProcess, StartError>>),
    /// What was held back is written.
    Flushed,
    /// Its input was closed.
    InputClosed,
    /// A deadline has come, of whatever seat.
    Timer,
}

/// One seat's process and what becomes of it.
#[derive(Default)]
pub struct Seat {
    /// Which member of its side's team, from 0.
    pub member: usize,
    /// The process, while there is one.
    pub process: Option<EngineProcess>,
    /// The process that is being started.
    pub starting: Option<Starting>,
    /// Whether its output was seen to be closed.
    pub output_closed: bool,
    /// When it is taken for gone if its exit is not seen before, and how it is then said to have ended.
    pub fading: Option<(At, &'static str)>,
}

impl Seat {
    /// Looks for something that happened here.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Wake> {
        if let Some(starting) = &mut self.starting
            && let Poll::Ready(result) = starting.as_mut().poll(cx)
        {
            return Poll::Ready(Wake::Started(Box::new(result)));
        }
        let Some(process) = &mut self.process else { return Poll::Pending };
        if process.has_unsent()
            && self.fading.is_none()
            && let Poll::Ready(result) = process.poll_unsent(cx)
        {
            return Poll::Ready(if result.is_ok() { Wake::Flushed } else { Wake::InputClosed });
        }
        if !self.output_closed {
            match process.poll_read(cx) {
                Poll::Ready(ReadEvent::Grew) => return Poll::Ready(Wake::Read),
                Poll::Ready(ReadEvent::Closed) => return Poll::Ready(Wake::OutputClosed),
                Poll::Pending => {}
            }
        }
        process.poll_exit(cx).map(|()| Wake::Exited)
    }
}
