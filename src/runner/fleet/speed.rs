//! How fast an engine searches on this machine: a fixed number of nodes from the start position, timed. Only
//! ever a factor on clocks or a number in a report. Start at [`measure`].

use std::time::Duration;

use super::check::SCALES;
use crate::engine::{AnsweredMove, Go, Heard, Manifest, Sheet};
use crate::runner::checkup::exchange;
use crate::runner::hall::Idle;
use crate::runner::wall::Wall;
use crate::xiangqi::Position;

/// Nodes of the first search; each further one has eight times as many.
const NODES: u64 = 20_000;

/// A search shorter than this says little.
const SHORT: Duration = Duration::from_millis(150);

/// Most searches.
const SEARCHES: u32 = 4;

/// Nodes a second of a greeted engine; `None` where its protocol has no word for nodes or it does not answer.
pub async fn measure(idle: &mut Idle, manifest: &Manifest, wall: &Wall) -> Option<u64> {
    if !manifest.protocol.limits_nodes() {
        return None;
    }
    let position = Position::start();
    let mut nodes = NODES;
    let mut speed = None;
    for _ in 0..SEARCHES {
        let mut sheet = Sheet::new(manifest, &position);
        let mut words = Vec::new();
        if idle.session.new_game(&mut sheet, &mut words) {
            exchange(idle, &mut words, wall, |heard| matches!(heard, Heard::Ready).then_some(()))
                .await
                .ok()?;
        }
        let go = Go { nodes: Some(nodes), ..Go::new(position.side()) };
        idle.session.ask(&mut sheet, &go, &mut words);
        let asked = wall.now();
        let moved = exchange(idle, &mut words, wall, |heard| match heard {
            Heard::Answer(answer) => Some(matches!(answer.mv, AnsweredMove::Move(_))),
            Heard::Refused(_) => Some(false),
            _ => None,
        });
        let took = moved.await.ok().filter(|moved| *moved).map(|_| wall.now() - asked)?;
        // An engine that limits itself searches fewer; it says how many.
        let searched = idle.session.thought().and_then(|thought| thought.nodes).unwrap_or(nodes);
        speed = Some((searched as f64 / took.as_secs_f64().max(1e-4)) as u64);
        if took >= SHORT || searched < nodes / 2 {
            break;
        }
        nodes *= 8;
    }
    speed
}

/// The factor on the clocks of a worker: slower machines get more time.
pub fn scale(reference: Option<u64>, own: Option<u64>) -> Option<f64> {
    let reference = reference?;
    let factor = own.map_or(1.0, |own| reference as f64 / own.max(1) as f64);
    // Three digits are more than the measurement has, and what is recorded is what was used.
    let rounded = (factor * 1000.0).round() / 1000.0;
    Some(rounded.clamp(*SCALES.start(), *SCALES.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_machines_get_more_time_within_limits() {
        assert_eq!(scale(None, Some(1)), None);
        assert_eq!(scale(Some(1000), None), Some(1.0));
        assert_eq!(scale(Some(1000), Some(500)), Some(2.0));
        assert_eq!(scale(Some(1000), Some(3000)), Some(0.333));
        assert_eq!((scale(Some(1000), Some(1)), scale(Some(1), Some(1000))), (Some(4.0), Some(0.25)));
    }
}
