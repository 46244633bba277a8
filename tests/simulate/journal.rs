//! The journals of simulated lives: read again after a power cut, torn as a power cut tears them, compared.
//! Never writes an event itself. Start at [`recover`].

use std::collections::BTreeMap;

use chuhe::record::{Event, JournalReader, Run};
use serde_json::Value;

use super::dice::Dice;
use super::world::{Cut, Met};

/// A journal as a power cut leaves it is read again.
pub fn recover(journal: &mut Vec<u8>) -> Option<Run> {
    let mut reader = JournalReader::new(&journal[..]);
    let mut run = Run::new();
    for event in reader.by_ref() {
        let event = event.unwrap_or_else(|error| panic!("the journal cannot be read again: {error}"));
        run.apply(&event).unwrap_or_else(|error| panic!("it does not fit together: {error}"));
    }
    let length = reader.good_length() as usize;
    journal.truncate(length);
    run.head().is_some().then_some(run)
}

/// The events of a sound journal.
pub fn events(journal: &[u8]) -> Vec<Event> {
    JournalReader::new(journal).collect::<Result<_, _>>().expect("a sound journal")
}

/// The games that are finished on the disk, by their ids, each with its line of the journal. Looked for in the
/// bytes, without the reader: what that one drops must not be missing here too.
pub fn finished(journal: &[u8]) -> BTreeMap<String, String> {
    let whole = journal.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let mut finished = BTreeMap::new();
    for line in journal[..whole].split(|byte| *byte == b'\n') {
        let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
        if event["what"] == "game_over" {
            let doubled = finished.insert(event["game"].to_string(), event.to_string());
            assert_eq!(doubled, None, "a game is finished twice");
        }
    }
    finished
}

/// Games that were finished before a life are so after it, to the letter.
pub fn expect_kept(known: &BTreeMap<String, String>, journal: &[u8]) {
    let kept = finished(journal);
    for (game, line) in known {
        assert_eq!(kept.get(game), Some(line), "game {game} was finished and has changed");
    }
}

/// The power has failed: what is left of the journal is whole, or torn.
pub fn power_failed(met: &mut Met, journal: &mut Vec<u8>, dice: &mut Dice) {
    met.cuts += 1;
    if dice.once_in(2) {
        met.torn += 1;
        tear(journal, dice);
    }
}

/// Damages the end of a journal as a power cut can: the last line torn at a random byte, and what the
/// disk held before behind it.
pub fn tear(journal: &mut Vec<u8>, dice: &mut Dice) {
    let last = journal[..journal.len() - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let length = (journal.len() - last) as u64;
    journal.truncate(last + dice.below(length) as usize);
    match dice.below(6) {
        0 => journal.extend_from_slice(&[0; 37]),
        1 => journal.extend_from_slice(b"\0\0{\xFF\"seq\n"),
        _ => {}
    }
}

/// The run of a journal; a journal without a head is begun again.
pub fn recover_or_begin(journal: &mut Vec<u8>) -> Option<Run> {
    if journal.is_empty() {
        return Some(Run::new());
    }
    recover(journal).or_else(|| {
        journal.clear();
        Some(Run::new())
    })
}

/// How a life is cut short, or not.
pub fn random_cut(dice: &mut Dice) -> Cut {
    let after = 1 + dice.below(40);
    match dice.below(8) {
        0..=3 => Cut::Power(after),
        4 => Cut::FullDisk(after),
        5 => Cut::Drain(after),
        6 => Cut::Now(after),
        _ => Cut::Never,
    }
}
