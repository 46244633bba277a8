//! The journal as text: one event a line out, and back in line by line with the place of every
//! mistake. Only the last line may be torn. Never opens files: it reads any `BufRead`.
//! Start at [`encode`] and [`Reader`].

use std::io::BufRead;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::event::{Event, FORMAT, What};
use crate::time::At;

/// Longest line that is read. A game of 10,000 half-moves is about 1 MB; more is no journal of ours.
const MAX_LINE: usize = 16 << 20;

/// The line of an event, with its `\n`.
pub fn encode(event: &Event) -> String {
    let mut line = Vec::with_capacity(256);
    encode_into(event, &mut line);
    String::from_utf8(line).unwrap_or_default()
}

/// Appends the line of an event, with its `\n`, to a buffer that is used again and again.
pub fn encode_into(event: &Event, out: &mut Vec<u8>) {
    // Writing to memory cannot fail and events have string keys only, so there is no error to lose.
    let written = serde_json::to_writer(&mut *out, event);
    debug_assert!(written.is_ok());
    out.push(b'\n');
}

/// Why a journal is refused, and where.
#[derive(Debug, thiserror::Error)]
#[error("journal line {line} (byte {offset}): {reason}")]
pub struct JournalError {
    /// Number of the line, from 1.
    pub line: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a line of a journal.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// The line is no JSON although more lines follow, or an event lacks what it needs.
    #[error("not an event: {0}")]
    NotAnEvent(serde_json::Error),
    /// A word in `what` that this version does not know.
    #[error("unknown event '{0}'")]
    Unknown(String),
    /// The first event is not `run_began`.
    #[error("a journal begins with run_began, not with {0}")]
    NoHead(String),
    /// `run_began` comes again.
    #[error("run_began comes a second time")]
    SecondHead,
    /// The journal's format is not ours.
    #[error("journal format {found}; this version reads format {FORMAT}")]
    Format {
        /// The number it names.
        found: u64,
    },
    /// A number is missing or comes again.
    #[error("event {found} where {expected} was due")]
    Gap {
        /// The number due.
        expected: u64,
        /// The number found.
        found: u64,
    },
    /// Something follows `run_over`.
    #[error("an event after the end of the run")]
    AfterEnd,
    /// The line is longer than any event.
    #[error("longer than {MAX_LINE} bytes")]
    TooLong,
    /// It could not be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
}

/// A last line that was dropped: the write was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Number of the line, from 1.
    pub line: u64,
    /// Bytes dropped.
    pub length: u64,
}

/// Reads a journal event by event; after the last one [`Reader::good_length`] says where to append.
/// Stops at the first error.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    buffer: Vec<u8>,
    line: u64,
    good_length: u64,
    next_seq: u64,
    over: bool,
    finished: bool,
    torn: Option<Torn>,
}

impl<R: BufRead> Reader<R> {
    /// Reads from the beginning of a journal.
    pub fn new(source: R) -> Reader<R> {
        Reader {
            source,
            buffer: Vec::new(),
            line: 0,
            good_length: 0,
            next_seq: 0,
            over: false,
            finished: false,
            torn: None,
        }
    }

    /// Goes on where reading stopped, when the journal has grown: `source` begins at [`Reader::good_length`].
    /// A line that was torn then may be whole now.
    #[must_use]
    pub fn go_on(self, source: R) -> Reader<R> {
        let line = self.line - u64::from(self.torn.is_some());
        Reader { source, line, torn: None, finished: false, ..self }
    }

    /// Length in bytes of the sound part read so far: a torn tail begins here.
    pub fn good_length(&self) -> u64 {
        self.good_length
    }

    /// The last line, if it was torn.
    pub fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    /// The number that the next event must have.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    fn event(&mut self) -> Result<Option<Event>, Reason> {
        self.buffer.clear();
        // `by_ref` and `take` so that a line without end cannot fill the memory.
        let mut limited = std::io::Read::take(&mut self.source, MAX_LINE as u64 + 1);
        limited.read_until(b'\n', &mut self.buffer)?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        if self.buffer.len() > MAX_LINE {
            return Err(Reason::TooLong);
        }
        if self.buffer.last() != Some(&b'\n') {
            return Ok(self.drop_tail());
        }
        let event = match self.decode() {
            Err(Reason::NotAnEvent(error)) if is_garbage(&error, &self.buffer) => {
                return if self.source.fill_buf()?.is_empty() {
                    Ok(self.drop_tail())
                } else {
                    Err(Reason::NotAnEvent(error))
                };
            }
            decoded => decoded?,
        };
        let goes_on = matches!(event.what, What::Resumed(_));
        self.over = matches!(event.what, What::RunOver { .. }) || self.over && !goes_on;
        self.next_seq += 1;
        self.good_length += self.buffer.len() as u64;
        Ok(Some(event))
    }

    fn drop_tail(&mut self) -> Option<Event> {
        self.torn = Some(Torn { line: self.line, length: self.buffer.len() as u64 });
        None
    }

    fn decode(&self) -> Result<Event, Reason> {
        let head: Head = parse(&self.buffer)?;
        match (self.next_seq, head.what.as_str()) {
            (0, "run_began") => check_format(&self.buffer)?,
            (0, other) => return Err(Reason::NoHead(other.to_owned())),
            (_, "run_began") => return Err(Reason::SecondHead),
            (_, _) => {}
        }
        if head.seq != self.next_seq {
            return Err(Reason::Gap { expected: self.next_seq, found: head.seq });
        }
        // After the end only the chief referee has a word, and what follows from it.
        if self.over && !matches!(head.what.as_str(), "decided" | "locked" | "resumed") {
            return Err(Reason::AfterEnd);
        }
        let what = decode_what(&head.what, &self.buffer)?;
        Ok(Event { seq: head.seq, at: head.at, what })
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let result = self.event();
        self.finished = !matches!(result, Ok(Some(_)));
        result
            .map_err(|reason| JournalError { line: self.line, offset: self.good_length, reason })
            .transpose()
    }
}

/// What every line has. The rest is read by a second pass, which is much faster than serde's
/// flattened and tagged reading, that copies every value first.
#[derive(Deserialize)]
struct Head {
    seq: u64,
    at: At,
    what: String,
}

#[derive(Deserialize)]
struct Reasoned {
    reason: String,
}

#[derive(Deserialize)]
struct Used {
    used_us: u64,
}

#[derive(Deserialize)]
struct Format {
    format: u64,
}

/// Whether a line is no JSON at all, as a power cut leaves it, rather than JSON of another shape.
fn is_garbage(error: &serde_json::Error, line: &[u8]) -> bool {
    error.is_syntax() || error.is_eof() || serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err()
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, Reason> {
    serde_json::from_slice(line).map_err(Reason::NotAnEvent)
}

/// Looks at the format number alone: a future `run_began` may have any other fields.
fn check_format(line: &[u8]) -> Result<(), Reason> {
    let Format { format: found } = parse(line)?;
    if found == u64::from(FORMAT) { Ok(()) } else { Err(Reason::Format { found }) }
}

fn decode_what(word: &str, line: &[u8]) -> Result<What, Reason> {
    Ok(match word {
        "run_began" => What::RunBegan(parse(line)?),
        "checked_in" => What::CheckedIn(parse(line)?),
        "game_began" => What::GameBegan(parse(line)?),
        "moved" => What::Moved(parse(line)?),
        "overran" => What::Overran(parse(line)?),
        "advised" => What::Advised(parse(line)?),
        "session_runs" => What::SessionRuns { used_us: parse::<Used>(line)?.used_us },
        "noted" => What::Noted(parse(line)?),
        "game_over" => What::GameOver(parse(line)?),
        "drawn" => What::Drawn(parse(line)?),
        "locked" => What::Locked(parse(line)?),
        "decided" => What::Decided(parse(line)?),
        "spoken" => What::Spoken(parse(line)?),
        "fleet" => What::Fleet(parse(line)?),
        "resumed" => What::Resumed(parse(line)?),
        "interrupted" => What::Interrupted { reason: parse::<Reasoned>(line)?.reason },
        "run_over" => What::RunOver { reason: parse::<Reasoned>(line)?.reason },
        other => return Err(Reason::Unknown(other.chars().take(40).collect())),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plan::Points;
    use crate::record::fixture::{ENDS, events, game_over, head, numbered};
    use crate::record::{GameBegan, Moved, Noted, ThoughtRecord};
    use crate::tournament::GameId;

    fn text(events: &[Event]) -> String {
        events.iter().map(encode).collect()
    }

    fn read(bytes: &[u8]) -> (Vec<Event>, Option<JournalError>, u64, Option<Torn>) {
        let mut reader = Reader::new(bytes);
        let mut events = Vec::new();
        let mut failed = None;
        for event in &mut reader {
            match event {
                Ok(event) => events.push(event),
                Err(error) => failed = Some(error),
            }
        }
        (events, failed, reader.good_length(), reader.torn().cloned())
    }

    #[test]
    fn a_journal_that_grows_is_read_on() {
        let whole: Vec<u8> =
            events(Points::TwoOneZero).iter().flat_map(|event| encode(event).into_bytes()).collect();
        for cut in [0, 1, whole.len() / 3, whole.len() - 1, whole.len()] {
            let mut reader = Reader::new(&whole[..cut]);
            let mut read: Vec<Event> = reader.by_ref().map(|event| event.unwrap()).collect();
            let good = usize::try_from(reader.good_length()).unwrap();
            let mut reader = reader.go_on(&whole[good..]);
            read.extend(reader.by_ref().map(|event| event.unwrap()));
            assert!(read == events(Points::TwoOneZero), "cut at {cut}");
            assert_eq!((reader.good_length(), reader.torn()), (whole.len() as u64, None));
        }
    }

    #[test]
    fn a_journal_reads_back() {
        let events = events(Points::TwoOneZero);
        let text = text(&events);
        let (back, failed, good, torn) = read(text.as_bytes());
        assert!(failed.is_none() && torn.is_none());
        assert_eq!(good, text.len() as u64);
        assert_eq!(back, events);
    }

    #[test]
    fn a_tail_torn_at_any_byte_leaves_whole_events() {
        let events = &events(Points::TwoOneZero)[..8];
        let text = text(events);
        for cut in 0..=text.len() {
            let (back, failed, good, torn) = read(&text.as_bytes()[..cut]);
            assert!(failed.is_none(), "cut at {cut}");
            let part = &text.as_bytes()[..cut];
            let whole = part.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(back, events[..whole], "cut at {cut}");
            let sound = part.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            assert_eq!(good, sound as u64, "cut at {cut}");
            assert_eq!(torn.map_or(0, |torn| torn.length), (cut - sound) as u64, "cut at {cut}");
        }
    }

    #[test]
    fn garbage_at_the_end_is_dropped_even_with_a_newline() {
        let sound = text(&events(Points::TwoOneZero)[..3]);
        for tail in ["\0\0\0\0", "{\"seq\":3,\"at\"\n", "\0\0\n", "\n", "{\"seq\":3}}\n"] {
            let (back, failed, good, torn) = read(format!("{sound}{tail}").as_bytes());
            assert!(failed.is_none(), "{tail:?}");
            assert_eq!((back.len(), good), (3, sound.len() as u64), "{tail:?}");
            assert_eq!(torn, Some(Torn { line: 4, length: tail.len() as u64 }), "{tail:?}");
        }
    }

    fn refused(lines: &[String], line: u64, reason: &str) {
        let text = lines.concat();
        let (back, failed, _, torn) = read(text.as_bytes());
        let error = failed.unwrap_or_else(|| panic!("not refused: {reason}"));
        let offset: usize = lines[..line as usize - 1].iter().map(String::len).sum();
        assert_eq!((error.line, error.offset), (line, offset as u64), "{error}");
        assert!(error.reason.to_string().contains(reason), "{error}");
        assert_eq!(back.len() as u64, line - 1);
        assert_eq!(torn, None);
    }

    #[test]
    fn what_is_wrong_before_the_end_is_refused_with_its_place() {
        let lines: Vec<String> = events(Points::TwoOneZero).iter().map(encode).collect();
        let with = |at: usize, line: &str| {
            let mut lines = lines.clone();
            lines[at] = line.to_owned();
            lines
        };
        refused(&with(2, "\0\0\0\n"), 3, "not an event");
        refused(&with(2, "\u{fffd}half a line\n"), 3, "not an event");
        refused(&with(2, "{\"seq\":2,\"at\":5}\n"), 3, "missing field");
        refused(&with(2, "{\"seq\":2,\"at\":5,\"what\":\"danced\"}\n"), 3, "unknown event 'danced'");
        refused(&with(2, &lines[3]), 3, "event 3 where 2 was due");
        refused(&with(2, &lines[1]), 3, "event 1 where 2 was due");
        refused(&with(2, &lines[0]), 3, "run_began comes a second time");
        refused(&lines[1..3], 1, "a journal begins with run_began, not with checked_in");
        refused(&with(0, &lines[0].replace("\"format\":1", "\"format\":2")), 1, "journal format 2");
        refused(
            &with(0, "{\"seq\":0,\"at\":0,\"what\":\"run_began\",\"format\":99}\n"),
            1,
            "journal format 99",
        );
        let mut longer = lines.clone();
        longer.push(encode(&Event {
            seq: lines.len() as u64,
            at: At(1),
            what: What::RunOver { reason: "again".to_owned() },
        }));
        refused(&longer, longer.len() as u64, "after the end");
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let text = vec![b'x'; MAX_LINE + 2];
        assert!(matches!(read(&text).1.unwrap().reason, Reason::TooLong));
    }

    fn id() -> impl Strategy<Value = GameId> {
        (1u8..=255, 1u32.., 1u32.., 1u8..=255, 1u8..=255)
            .prop_map(|(stage, round, pair, leg, attempt)| GameId { stage, round, pair, leg, attempt })
    }

    fn thought() -> impl Strategy<Value = ThoughtRecord> {
        let some = proptest::option::of::<proptest::arbitrary::StrategyFor<i32>>;
        (
            some(any::<i32>()),
            some(any::<i32>()),
            proptest::option::of(any::<u32>()),
            proptest::option::of(any::<u64>()),
        )
            .prop_map(|(cp, mate, depth, nodes)| ThoughtRecord { cp, mate, depth, nodes })
    }

    fn what() -> impl Strategy<Value = What> {
        prop_oneof![
            any::<String>().prop_map(|reason| What::Interrupted { reason }),
            (id(), any::<[String; 5]>()).prop_map(|(game, [red, black, fen, opening, date])| {
                What::GameBegan(GameBegan { game, red, black, fen, opening, locks: None, date })
            }),
            (proptest::option::of(id()), proptest::option::of(any::<String>()), any::<[String; 2]>())
                .prop_map(|(game, entrant, [kind, text])| What::Noted(Noted { game, entrant, kind, text })),
            (id(), any::<(u32, String, u64, Option<u64>, u32, bool)>(), thought()).prop_map(
                |(game, (ply, mv, used_us, left_us, to_go, draw), thought)| {
                    What::Moved(Moved { game, ply, mv, member: None, used_us, left_us, to_go, draw, thought })
                }
            ),
            (id(), 0..ENDS.len(), any::<[String; 2]>(), proptest::collection::vec(thought(), 0..4)).prop_map(
                |(game, end, [red, black], thoughts)| {
                    let over = game_over(game, &red, &black, ENDS[end]);
                    What::GameOver(Box::new(crate::record::GameOver { thoughts, ..over }))
                }
            ),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_events_read_back(whats in proptest::collection::vec(what(), 0..6), cut in any::<prop::sample::Index>()) {
            let first = What::RunBegan(Box::new(head(Points::OneHalfZero)));
            let events = numbered(std::iter::once(first).chain(whats));
            let text = text(&events);
            let (back, failed, _, _) = read(text.as_bytes());
            prop_assert!(failed.is_none());
            prop_assert_eq!(&back, &events);
            let (part, failed, _, _) = read(&text.as_bytes()[..cut.index(text.len() + 1)]);
            prop_assert!(failed.is_none());
            prop_assert_eq!(&part[..], &events[..part.len()]);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }
}
