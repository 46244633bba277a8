//! The scorer's desk: takes the events of a run in order: journal first, then the fold, then what
//! people see. Start at [`Desk::record`].

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::path::Path;

use super::gallery::Gallery;
use super::hearing::Waiting;
use super::live::{Feed, LINKS, Message, Served, far_seats};
use super::show::Show;
use super::store::{JOURNAL, Store, StoreError, journal_of};
use crate::plan::Plan;
use crate::record::packed::{put, put_id, take, take_id};
use crate::record::{FoldError, GameOver, JournalError, JournalReader, Ledger, Noted, Run, What};
use crate::report::{self, Album, DOCUMENTS, Style};
use crate::time::At;
use crate::tournament::GameId;

/// Name of the games' file in a run folder.
pub const GAMES: &str = "games.pgn";

/// Bytes read and written at once when the games are put in order: some dozens of games.
const SORT_BUFFER: usize = 1 << 18;

/// Why the run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The folder fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// We recorded something that does not fit: our own fault.
    #[error("an event does not fit the run: {0}")]
    Fold(#[from] FoldError),
    /// The journal cannot be read.
    #[error("{path}: {error}")]
    Journal {
        /// The file.
        path: String,
        /// What is wrong, and where.
        error: JournalError,
    },
}

/// The desk of a run.
#[derive(Debug)]
pub struct Desk {
    store: Store,
    ledger: Ledger,
    /// The games' file, where there is a run folder.
    games: Option<File>,
    places: Places,
    gallery: Option<Gallery>,
    live: Option<Served>,
    /// A decision was recorded: games stand in their file with other results than they have now.
    overruled: bool,
}

/// Where each game stands in the games' file: numbers and lengths in their order there, packed, because a
/// long run has many games.
#[derive(Debug, Default)]
struct Places {
    packed: Vec<u8>,
    last: Option<GameId>,
    unsorted: bool,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    id: GameId,
    from: u64,
    length: u64,
}

impl Places {
    fn push(&mut self, id: GameId, length: u64) {
        self.unsorted |= self.last > Some(id);
        self.last = Some(id);
        put_id(&mut self.packed, id);
        put(&mut self.packed, length);
    }

    /// In the order of the schedule.
    fn sorted(&self) -> Vec<Place> {
        let (mut packed, mut from) = (&self.packed[..], 0);
        let next = || {
            let (id, length) = (take_id(&mut packed)?, take(&mut packed)?);
            from += length;
            Some(Place { id, from: from - length, length })
        };
        let mut places: Vec<Place> = std::iter::from_fn(next).collect();
        places.sort_by_key(|place| place.id);
        places
    }
}

impl Desk {
    /// A desk over an open store. `run` is what its journal says so far; the games' file is written anew
    /// from it.
    ///
    /// # Errors
    /// The folder cannot be read or written.
    pub fn open(store: Store, run: Run) -> Result<Desk, DeskError> {
        let path = store.dir().join(GAMES);
        let games = store.is_named().then(|| {
            let games = OpenOptions::new().create(true).write(true).read(true).truncate(true).open(&path);
            games.map_err(|error| io_error("write", &path, error))
        });
        let games = games.transpose()?;
        let begun = run.event_count() > 0;
        let mut desk = Desk {
            store,
            ledger: Ledger::new(run),
            games,
            places: Places::default(),
            gallery: None,
            live: None,
            overruled: false,
        };
        if begun {
            desk.write_games_again()?;
        }
        Ok(desk)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        self.store.dir()
    }

    /// The run so far.
    pub fn run(&self) -> &Run {
        self.ledger.run()
    }

    /// The run, when nothing more is recorded.
    pub fn into_run(self) -> Run {
        self.ledger.into_run()
    }

    /// Opens the gallery: from now on people see the run, until [`Desk::finish`].
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn open_gallery(&mut self, mut show: Show, plan: &Plan) -> Result<(), DeskError> {
        if let Some(live) = show.take_live() {
            let dir = self.store.is_named().then(|| self.store.dir());
            let served = live.open(self.ledger.run().clone(), far_seats(plan), dir);
            let served = served.map_err(|error| io_error("serve", self.store.dir(), error))?;
            tell_links(&show, &served, dir);
            self.live = Some(served);
        }
        let documents = self.store.is_named().then(|| self.store.dir().to_owned());
        let gallery = Gallery::open(documents, self.ledger.run().clone(), show);
        self.gallery = Some(gallery.map_err(|error| io_error("draw documents in", self.store.dir(), error))?);
        Ok(())
    }

    /// What people see, while it is open.
    pub fn gallery(&self) -> Option<&Gallery> {
        self.gallery.as_ref()
    }

    /// Where the lines of seats that are played from elsewhere find the server, if there are such seats.
    pub fn seats(&self) -> Option<String> {
        self.live.as_ref().and_then(Served::place)
    }

    /// Where the live page is told what happens, if there is one.
    pub fn live(&self) -> Option<&Feed> {
        self.live.as_ref().map(Served::feed)
    }

    /// Whether the referee's desk is open.
    pub fn is_attended(&self) -> bool {
        self.live.as_ref().is_some_and(Served::is_attended)
    }

    /// Where the hall finds what comes from the referee's desk, once, if that is open.
    pub fn take_waiting(&mut self) -> Option<Waiting> {
        self.live.as_mut().and_then(Served::take_waiting)
    }

    /// Records an event: the journal has it before anybody sees it.
    ///
    /// # Errors
    /// The journal cannot take it, or it does not fit the run.
    pub fn record(&mut self, at: At, what: What) -> Result<(), DeskError> {
        let append = |line: &[u8]| self.store.append(line).map_err(DeskError::from);
        let event = self.ledger.record(at, what, append)?;
        if let What::GameOver(game) = &event.what {
            self.append_game(game)?;
        }
        self.overruled |= matches!(event.what, What::Decided(_));
        let game = match &event.what {
            What::GameOver(over) => Some(self.ledger.run().shared(over.game)),
            _ => None,
        };
        if let Some(live) = &self.live {
            live.feed().tell(Message::Event(Box::new(event.clone()), game.clone()));
        }
        if let Some(gallery) = &self.gallery {
            gallery.event(event, game);
        }
        // What a far side declares of its engine (I.10) is recorded where the run stands.
        let declared = self.live.as_ref().map(Served::take_declared).unwrap_or_default();
        for (entrant, text) in declared {
            let kind = "lock_declared".to_owned();
            self.record(at, What::Noted(Noted { game: None, entrant: Some(entrant), kind, text }))?;
        }
        Ok(())
    }

    /// Draws all documents.
    ///
    /// # Errors
    /// The folder cannot be written.
    fn draw(&self) -> Result<(), DeskError> {
        if !self.store.is_named() {
            return Ok(());
        }
        // A run in progress keeps none of what the album has; it is read from the journal again.
        let album = album(self.store.dir())?;
        for document in DOCUMENTS {
            let text = document.draw(self.ledger.run(), &album, &Style::default());
            self.store.document(document.file, &text)?;
        }
        Ok(())
    }

    /// The end: games in the order of the schedule, all documents drawn.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn finish(&mut self) -> Result<(), DeskError> {
        self.gallery = None;
        if std::mem::take(&mut self.overruled) && self.store.is_named() {
            self.write_games_again()?;
        }
        self.sort_games()?;
        self.draw()?;
        self.live = None;
        Ok(())
    }

    fn append_game(&mut self, game: &GameOver) -> Result<(), DeskError> {
        let run = self.ledger.run();
        let Some(head) = run.head() else { return Ok(()) };
        let Some(file) = &mut self.games else { return Ok(()) };
        let text = report::pgn::game_of(run, game, &report::pgn::Heading::of(head));
        let path = self.store.dir().join(GAMES);
        file.write_all(text.as_bytes()).map_err(|error| io_error("write", &path, error))?;
        self.places.push(game.game, text.len() as u64);
        Ok(())
    }

    fn sort_games(&mut self) -> Result<(), DeskError> {
        let Some(games) = self.games.as_mut().filter(|_| self.places.unsorted) else { return Ok(()) };
        let path = self.store.dir().join(GAMES);
        let failed = |error| io_error("sort", &path, error);
        let beside = self.store.dir().join("games.pgn.tmp");
        let mut sorted = OpenOptions::new();
        let mut sorted =
            sorted.create(true).write(true).read(true).truncate(true).open(&beside).map_err(failed)?;
        games.rewind().map_err(failed)?;
        // Games end nearly in their order, so the next one mostly lies in the buffer already.
        let mut unsorted = BufReader::with_capacity(SORT_BUFFER, games);
        let mut writer = BufWriter::with_capacity(SORT_BUFFER, &mut sorted);
        let mut at = 0;
        let mut places = Places::default();
        let mut text = Vec::new();
        for place in self.places.sorted() {
            text.clear();
            text.resize(place.length as usize, 0);
            unsorted.seek_relative(place.from.wrapping_sub(at).cast_signed()).map_err(failed)?;
            unsorted.read_exact(&mut text).map_err(failed)?;
            at = place.from + place.length;
            writer.write_all(&text).map_err(failed)?;
            places.push(place.id, place.length);
        }
        writer.flush().map_err(failed)?;
        drop(writer);
        std::fs::rename(&beside, &path).map_err(failed)?;
        self.games = Some(sorted);
        self.places = places;
        Ok(())
    }

    /// Writes the games' file from the journal (resume, `report`, a decision of the chief referee).
    ///
    /// # Errors
    /// The journal cannot be read or the file not written.
    pub fn write_games_again(&mut self) -> Result<(), DeskError> {
        if let Some(games) = &mut self.games {
            let emptied = games.set_len(0).and_then(|()| games.rewind());
            emptied.map_err(|error| io_error("write", &self.store.dir().join(GAMES), error))?;
        }
        self.places = Places::default();
        let path = self.store.dir().join(JOURNAL);
        let file = File::open(&path).map_err(|error| io_error("read", &path, error))?;
        for event in JournalReader::new(BufReader::new(file)) {
            let event = event.map_err(|error| journal_error(&path, error))?;
            if let What::GameOver(game) = &event.what {
                self.append_game(game)?;
            }
        }
        self.sort_games()
    }
}

/// Folds a journal.
///
/// # Errors
/// It cannot be read, or does not fit together.
pub fn fold(dir: &Path) -> Result<(Run, u64), DeskError> {
    let path = journal_of(dir)?;
    let file = File::open(&path).map_err(|error| io_error("read", &path, error))?;
    let mut reader = JournalReader::new(BufReader::with_capacity(1 << 16, file));
    let mut run = Run::new();
    for event in reader.by_ref() {
        run.apply(&event.map_err(|error| journal_error(&path, error))?)?;
    }
    Ok((run, reader.good_length()))
}

/// The album of a run folder's journal.
///
/// # Errors
/// It cannot be read.
pub fn album(dir: &Path) -> Result<Album, DeskError> {
    let path = dir.join(JOURNAL);
    let file = File::open(&path).map_err(|error| io_error("read", &path, error))?;
    let mut album = Album::default();
    for event in JournalReader::new(BufReader::with_capacity(1 << 16, file)) {
        album.add(&event.map_err(|error| journal_error(&path, error))?);
    }
    Ok(album)
}

/// Tells whoever holds the event the secret link of every seat; he hands each to whom it is meant for. Who wants
/// it quiet is told where they are, if the run has a folder.
fn tell_links(show: &Show, served: &Served, dir: Option<&Path>) {
    if let Some(dir) = dir.filter(|_| show.is_quiet() && served.links().next().is_some()) {
        let links = dir.join(LINKS);
        let links = links.display();
        show.say_all_the_same(
            &format!("The secret links of the seats are in {links}"),
            &format!("各席位的秘密链接在 {links}"),
        );
        return;
    }
    for (seat, link) in served.links() {
        let zh = seat.entrant_zh.as_deref().unwrap_or(&seat.entrant);
        let (member, member_zh) = match seat.member {
            None => (String::new(), String::new()),
            Some(member) => (format!(" (member {member})"), format!("（第 {member} 名队员）")),
        };
        show.say_all_the_same(
            &format!("Seat of {}{member}: {link}", seat.entrant),
            &format!("{zh}{member_zh}的席位：{link}"),
        );
    }
}

fn io_error(what: &'static str, path: &Path, error: std::io::Error) -> DeskError {
    StoreError::Io { what, path: path.to_owned(), error }.into()
}

fn journal_error(path: &Path, error: JournalError) -> DeskError {
    DeskError::Journal { path: path.display().to_string(), error }
}
