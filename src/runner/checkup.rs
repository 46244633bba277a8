//! Checking one engine: greeting, what it lists, a few legal moves against itself, and what is wrong
//! with it. Start at [`check_engine`].

use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::LocalSet;

use super::hall::Idle;
use super::process::ReadEvent;
use super::spawner::Spawner;
use super::start::greet;
use super::transcript::Transcript;
use super::wall::Wall;
use crate::engine::{AnsweredMove, Go, Heard, Listed, Manifest, Sheet, printable};
use crate::time::At;
use crate::xiangqi::{Move, Position};

/// The option by which engines of several games are told which.
const VARIANT: &str = "UCI_Variant";

/// Moves that are asked for.
const MOVES: usize = 8;

/// Time an engine is told for each move.
const MOVETIME: Duration = Duration::from_millis(100);

/// Time after which an answer counts as missing.
const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// What was found out about an engine.
#[derive(Debug, Default)]
pub struct Checkup {
    /// Its own name.
    pub name: String,
    /// Its author.
    pub author: String,
    /// Time to the end of its greeting.
    pub greeting: Duration,
    /// Options it lists.
    pub options: Vec<Listed>,
    /// Moves it played, with the time of each.
    pub moves: Vec<(Move, Duration)>,
    /// What is wrong.
    pub faults: Vec<String>,
    /// What is odd but survived.
    pub remarks: Vec<String>,
    /// Its last lines, where something is wrong.
    pub last_lines: Vec<String>,
}

/// Greets an engine and lets it play a few moves against itself. With a path every line between the
/// runner and the engine is written there.
///
/// # Errors
/// The system refuses what every run needs (threads, pipes).
pub fn check_engine(manifest: &Arc<Manifest>, transcript: Option<&Path>) -> std::io::Result<Checkup> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let spawner = Spawner::start()?;
    let transcript = transcript.map(Transcript::open).transpose()?;
    let local = LocalSet::new();
    Ok(local.block_on(&runtime, check(manifest, &spawner, transcript)))
}

/// Whether an engine, once greeted, lists xiangqi among several variants: such engines count ranks from 1.
/// `None` if it would not start.
///
/// # Errors
/// The system refuses what every run needs (threads, pipes).
pub fn offers_xiangqi(manifest: &Arc<Manifest>) -> std::io::Result<Option<bool>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let spawner = Spawner::start()?;
    let local = LocalSet::new();
    Ok(local.block_on(&runtime, async {
        let wall = Wall::starting_at(At::ZERO);
        let mut idle = greet(&spawner, manifest, &[], &wall, None, &mut |_| ()).await.ok()?;
        let offers = idle.session.identity().offers(VARIANT, "xiangqi");
        let mut words = Vec::new();
        idle.session.quit(&mut words);
        let _ = idle.process.write(&mut words);
        idle.process.finish().await;
        Some(offers)
    }))
}

async fn check(manifest: &Arc<Manifest>, spawner: &Spawner, transcript: Option<Transcript>) -> Checkup {
    let wall = Wall::starting_at(At::ZERO);
    let mut found = Checkup::default();
    let mut idle = match greet(spawner, manifest, &[], &wall, transcript, &mut |_| ()).await {
        Ok(idle) => idle,
        Err(not) => {
            found.faults.push(format!("it would not start: {}", not.reason));
            found.last_lines = not.last_lines;
            return found;
        }
    };
    found.greeting = wall.now() - At::ZERO;
    let identity = idle.session.identity();
    found.name = identity.name.clone();
    found.author = identity.author.clone();
    found.options = identity.options.clone();
    for name in idle.session.unlisted() {
        found.remarks.push(format!("it does not list the option '{name}' of the manifest; it was not sent"));
    }
    if let Err(fault) = play_moves(&mut idle, manifest, &wall, MOVES, &mut found.moves).await {
        found.faults.push(fault);
        found.last_lines = idle.process.last_lines();
    }
    let mut words = Vec::new();
    idle.session.quit(&mut words);
    let _ = idle.process.write(&mut words);
    let asked = wall.now();
    let ended = tokio::time::timeout(Duration::from_secs(1), poll_fn(|cx| idle.process.poll_exit(cx))).await;
    if ended.is_err() {
        found.remarks.push("it did not end within 1 s of quit and was killed".to_owned());
    } else if wall.now() - asked > Duration::from_millis(500) {
        found.remarks.push(format!("it took {} ms to quit", (wall.now() - asked).as_millis()));
    }
    idle.process.kill().await;
    found
}

/// Lets an engine play so many moves against itself from the start position.
///
/// # Errors
/// In words, what it did instead.
pub async fn play_moves(
    idle: &mut Idle,
    manifest: &Manifest,
    wall: &Wall,
    count: usize,
    moves: &mut Vec<(Move, Duration)>,
) -> Result<(), String> {
    let mut position = Position::start();
    let mut sheet = Sheet::new(manifest, &position);
    let mut words = Vec::new();
    if idle.session.new_game(&mut sheet, &mut words) {
        exchange(idle, &mut words, wall, |heard| matches!(heard, Heard::Ready).then_some(()))
            .await
            .map_err(|why| format!("not ready for a new game: {why}"))?;
    }
    for _ in 0..count {
        let go = Go { movetime: Some(MOVETIME), ..Go::new(position.side()) };
        idle.session.ask(&mut sheet, &go, &mut words);
        let asked = wall.now();
        let mv = exchange(idle, &mut words, wall, |heard| match heard {
            Heard::Answer(answer) => Some(match answer.mv {
                AnsweredMove::Move(mv) => Ok(mv),
                AnsweredMove::None(text) | AnsweredMove::Unreadable(text) => Err(printable(text)),
            }),
            Heard::Refused(text) => Some(Err(printable(text))),
            _ => None,
        })
        .await
        .map_err(|why| format!("no move in {}: {why}", position.fen()))?
        .map_err(|text| format!("answered '{text}' in {}", position.fen()))?;
        if !position.is_legal(mv) {
            return Err(format!("played {mv}, which is illegal in {}", position.fen()));
        }
        moves.push((mv, wall.now() - asked));
        let captured = position.make(mv).captured().is_some();
        sheet.played(mv, captured, &position);
    }
    Ok(())
}

/// Writes `words` and listens until `wanted` finds what is waited for.
///
/// # Errors
/// In words, why nothing came.
pub async fn exchange<T>(
    idle: &mut Idle,
    words: &mut Vec<u8>,
    wall: &Wall,
    mut wanted: impl FnMut(&Heard<'_>) -> Option<T>,
) -> Result<T, String> {
    let deadline = tokio::time::Instant::now() + ANSWER_PATIENCE;
    loop {
        if let Some(transcript) = &mut idle.process.transcript {
            transcript.sent(wall.now(), words);
        }
        let _ = idle.process.write(words);
        let read = poll_fn(|cx| idle.process.poll_read(cx));
        match tokio::time::timeout_at(deadline, read).await {
            Err(_) => return Err(format!("no answer within {} s", ANSWER_PATIENCE.as_secs())),
            Ok(ReadEvent::Closed) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let how = idle.process.exit_status().unwrap_or_else(|| "it closed its output".to_owned());
                return Err(format!("it ended ({how})"));
            }
            Ok(ReadEvent::Grew) => {}
        }
        let at = wall.now();
        let mut found = None;
        while let Some(line) = idle.process.lines.next_line() {
            if let Some(transcript) = &mut idle.process.transcript {
                transcript.heard(at, line);
            }
            let heard = idle.session.hear(line, words);
            found = found.or_else(|| wanted(&heard));
        }
        if let Some(found) = found {
            return Ok(found);
        }
    }
}
