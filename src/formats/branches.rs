//! Lines that branch from numbered lines, as DhtmlXQ and XQF store them, put together into a main line
//! with variations. Knows no bytes. Start at [`assemble`].

use super::movetext::MAX_DEPTH;
use super::record::RecordedMove;

/// A line of moves.
pub(super) struct Branch {
    /// The line it branches from and the index there of the move it replaces; `None` for the main line.
    pub parent: Option<(usize, usize)>,
    /// Its moves.
    pub moves: Vec<RecordedMove>,
}

/// Hangs every line into the line it branches from, the last first, and gives the main line, which is
/// the first. Lines that branch from nowhere, from a later line, or too deep are left out; their number
/// is the second value.
pub(super) fn assemble(mut lines: Vec<Branch>) -> (Vec<RecordedMove>, usize) {
    let mut depths = vec![0usize; lines.len()];
    for number in 1..lines.len() {
        depths[number] = match lines[number].parent {
            Some((parent, _)) if parent < number => depths[parent].saturating_add(1),
            Some(_) | None => usize::MAX,
        };
    }
    let mut lost = 0;
    for number in (1..lines.len()).rev() {
        let Some(line) = lines.pop() else { break };
        if line.moves.is_empty() {
            continue;
        }
        let target = line
            .parent
            .filter(|_| depths[number] <= MAX_DEPTH)
            .and_then(|(parent, index)| lines.get_mut(parent)?.moves.get_mut(index));
        match target {
            Some(replaced) => replaced.variations.insert(0, line.moves),
            None => lost += 1,
        }
    }
    (lines.pop().map(|main| main.moves).unwrap_or_default(), lost)
}
