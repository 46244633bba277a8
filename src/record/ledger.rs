//! The ledger: events in order, each numbered, written to the journal and only then folded into the run.
//! Never opens files: the journal is whatever takes a line. Start at [`Ledger::record`].

use super::event::{Event, What};
use super::journal::encode_into;
use super::run::{FoldError, Run};
use crate::time::At;

/// A journal that is being written and the run folded from it.
#[derive(Debug, Default)]
pub struct Ledger {
    run: Run,
    line: Vec<u8>,
}

impl Ledger {
    /// A ledger that goes on after `run`, what its journal says so far.
    pub fn new(run: Run) -> Ledger {
        Ledger { run, line: Vec::new() }
    }

    /// The run so far.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The run, when nothing more is recorded.
    pub fn into_run(self) -> Run {
        self.run
    }

    /// Records what happened at `at` (or at the last event, if that was later): `append` has the line,
    /// with its newline, before the run knows of it.
    ///
    /// # Errors
    /// What `append` says, and then the run is unchanged; or the event does not fit the run, which is
    /// our own fault.
    pub fn record<E: From<FoldError>>(
        &mut self,
        at: At,
        what: What,
        append: impl FnOnce(&[u8]) -> Result<(), E>,
    ) -> Result<Event, E> {
        let event = Event { seq: self.run.event_count(), at: at.max(self.run.last()), what };
        self.line.clear();
        encode_into(&event, &mut self.line);
        append(&self.line)?;
        self.run.apply(&event)?;
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Points;
    use crate::record::{JournalReader, fixture};

    #[test]
    fn the_journal_has_it_first() {
        let mut journal = Vec::new();
        let mut ledger = Ledger::default();
        for event in fixture::events(Points::TwoOneZero) {
            let full = |_: &[u8]| Err(FoldError { seq: 0, reason: crate::record::Misfit::Over });
            assert!(ledger.record(event.at, event.what.clone(), full).is_err());
            let before = ledger.run().event_count();
            assert_eq!(before, event.seq, "what the journal refused is not in the run");
            let append = |line: &[u8]| {
                journal.extend_from_slice(line);
                Ok::<(), FoldError>(())
            };
            assert_eq!(ledger.record(event.at, event.what.clone(), append), Ok(event));
        }
        let read: Vec<_> = JournalReader::new(&journal[..]).map(Result::unwrap).collect();
        assert_eq!(read, fixture::events(Points::TwoOneZero));
    }
}
