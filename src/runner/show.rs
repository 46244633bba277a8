//! What people see while a run is played: a progress bar with lines above it on a terminal, plain lines
//! elsewhere, all on stderr (results go to stdout). Start at [`Show`].

use std::collections::BTreeMap;
use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::live::Live;
use crate::record::{Event, Fleet, Noted, Run, Settings, What};
use crate::report::{Lang, notes, progress};
use crate::tournament::GameId;

/// Shortest time between two looks at the score, which reads every game.
const SCORE_EVERY: Duration = Duration::from_millis(500);

/// Longest time without a line of the score where there is no terminal.
const PLAIN_SCORE_EVERY: Duration = Duration::from_secs(10);

/// The time between two looks is at least this many times what a look took.
const SHARE: u32 = 50;

/// Most boards named in the bar.
const BOARDS: usize = 4;

/// The display of a run.
#[derive(Debug)]
pub struct Show {
    kind: Kind,
    lang: Lang,
    scored: Option<Instant>,
    /// How long the last look at the score took.
    scoring: Duration,
    running: BTreeMap<GameId, String>,
    score: String,
    live: Option<Live>,
}

#[derive(Debug)]
enum Kind {
    Quiet,
    Plain,
    Bar(ProgressBar),
    Watched(Watcher),
}

type Watch = dyn FnMut(&Event, &Run) + Send;

/// Who is told of events instead of people.
struct Watcher(Box<Watch>);

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watcher")
    }
}

impl Show {
    /// Shows nothing but what nobody can do without, in this language.
    pub fn quiet(lang: Lang) -> Show {
        Show::with(Kind::Quiet, lang)
    }

    /// Shows nothing and tells `watcher` of each event that is on disk, and of the run with it.
    pub fn watched(watcher: impl FnMut(&Event, &Run) + Send + 'static) -> Show {
        Show::with(Kind::Watched(Watcher(Box::new(watcher))), Lang::English)
    }

    /// A bar on a terminal, plain lines elsewhere.
    pub fn new(lang: Lang) -> Show {
        let kind = if std::io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(lang.pick(
                "[{bar:24}] {pos}/{len}  {wide_msg}  {eta} left",
                "[{bar:24}] {pos}/{len}  {wide_msg}  剩余 {eta}",
            ));
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            Kind::Bar(bar)
        } else {
            Kind::Plain
        };
        Show::with(kind, lang)
    }

    fn with(kind: Kind, lang: Lang) -> Show {
        Show {
            kind,
            lang,
            scored: None,
            scoring: Duration::ZERO,
            running: BTreeMap::new(),
            score: String::new(),
            live: None,
        }
    }

    /// Says something beside the progress in the display's language.
    pub fn say_either(&self, english: &str, chinese: &str) {
        self.say(self.lang.pick(english, chinese));
    }

    /// Whether somebody wants what engines thought at each move.
    pub fn wants_thoughts(&self) -> bool {
        matches!(self.kind, Kind::Watched(_))
    }

    /// Whether nobody is told how it goes on.
    pub fn is_quiet(&self) -> bool {
        matches!(self.kind, Kind::Quiet)
    }

    /// Says what nobody can do without, beside the progress or where there is none, in the display's language.
    pub fn say_all_the_same(&self, english: &str, chinese: &str) {
        match self.kind {
            Kind::Quiet => drop(writeln!(std::io::stderr(), "{}", self.lang.pick(english, chinese))),
            Kind::Plain | Kind::Bar(_) | Kind::Watched(_) => self.say_either(english, chinese),
        }
    }

    /// Shows the run in the browser too.
    #[must_use]
    pub fn with_live(mut self, live: Option<Live>) -> Show {
        self.live = live;
        self
    }

    /// Whether the run is shown in the browser.
    pub fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// The page for the browser, for whoever serves it.
    pub(super) fn take_live(&mut self) -> Option<Live> {
        self.live.take()
    }

    /// Says something beside the progress.
    pub fn say(&self, text: &str) {
        match &self.kind {
            Kind::Quiet | Kind::Watched(_) => {}
            // A closed stderr must not end the run.
            Kind::Plain => drop(writeln!(std::io::stderr(), "{text}")),
            Kind::Bar(bar) => bar.suspend(|| drop(writeln!(std::io::stderr(), "{text}"))),
        }
    }

    /// Shows an event that is on disk.
    pub fn event(&mut self, event: &Event, run: &Run) {
        match &mut self.kind {
            Kind::Quiet => return,
            Kind::Watched(watcher) => return (watcher.0)(event, run),
            Kind::Plain | Kind::Bar(_) => {}
        }
        match &event.what {
            What::RunBegan(head) => self.begin(&head.settings),
            What::CheckedIn(engine) => {
                let unnamed = self.lang.pick("no name given", "未报名称");
                let name = if engine.id_name.is_empty() { unnamed } else { &engine.id_name };
                let entrant = progress::called(run, &engine.entrant, self.lang);
                let ms = engine.took_us / 1000;
                self.say(&match self.lang {
                    Lang::English => format!("Ready {entrant} ({name}) after {ms} ms"),
                    Lang::Chinese => format!("就绪 {entrant}（{name}），用时 {ms} 毫秒"),
                });
            }
            What::GameBegan(game) => {
                let [red, black] = [&game.red, &game.black].map(|own| progress::called(run, own, self.lang));
                self.running.insert(game.game, format!("{red} - {black}"));
                self.refresh();
            }
            What::GameOver(game) => self.finished(game.game, run),
            What::Noted(note) => self.note(run, note),
            What::Resumed(_) => {
                if let Some(settings) = run.settings() {
                    self.begin(settings);
                }
                let done = run.decided();
                self.say(&match self.lang {
                    Lang::English => format!("Resumed: {done} games were played before"),
                    Lang::Chinese => format!("继续比赛：此前已完成 {done} 局"),
                });
                if let Kind::Bar(bar) = &self.kind {
                    bar.set_position(run.decided());
                    bar.reset_eta();
                }
            }
            What::Interrupted { reason } => {
                self.say(&progress::interrupted(reason, self.lang));
            }
            What::RunOver { .. } => self.close(),
            What::Drawn(_) => {
                self.say(&progress::lots(run, self.lang));
            }
            What::Fleet(event) => self.fleet(event),
            What::Decided(_) | What::Spoken(_) => {
                progress::desk(run, self.lang).into_iter().for_each(|line| self.say(&line));
            }
            What::Moved(_)
            | What::Overran(_)
            | What::Advised(_)
            | What::SessionRuns { .. }
            | What::Locked(_) => {}
        }
    }

    /// Removes the bar: what follows is printed below the lines.
    pub fn close(&self) {
        if let Kind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }

    fn begin(&self, settings: &Settings) {
        for line in progress::start(settings, self.lang) {
            self.say(&line);
        }
        if let (Kind::Bar(bar), Some(games)) = (&self.kind, settings.games()) {
            bar.set_length(games);
        }
    }

    fn fleet(&self, event: &Fleet) {
        if let Some(line) = progress::fleet(event, self.lang) {
            self.say(&line);
        }
    }

    fn note(&self, run: &Run, note: &Noted) {
        let about = self.lang.pick(" in game ", "，第 ");
        let game = note.game.map(|game| format!("{about}{game}")).unwrap_or_default();
        let runner = || self.lang.pick("the runner", "运行程序").into();
        let entrant =
            note.entrant.as_deref().map_or_else(runner, |own| progress::called(run, own, self.lang));
        let head = self.lang.pick("Note", "说明");
        self.say(&format!("{head}: {entrant}{game}: {}", notes::words(note, self.lang)));
    }

    fn finished(&mut self, id: GameId, run: &Run) {
        self.running.remove(&id);
        if let Some(game) = run.attempt(id) {
            self.say(&progress::finished(run, &game, self.lang));
        }
        let every = match self.kind {
            Kind::Quiet | Kind::Watched(_) => return,
            Kind::Plain => PLAIN_SCORE_EVERY,
            Kind::Bar(_) => SCORE_EVERY,
        };
        if self.scored.is_none_or(|scored| scored.elapsed() >= every.max(self.scoring * SHARE)) {
            let began = Instant::now();
            let first = self.scored.is_none();
            self.score = progress::score(run, self.lang);
            self.scored = Some(Instant::now());
            self.scoring = began.elapsed();
            if matches!(self.kind, Kind::Plain) && !first {
                self.say(&format!("{}: {}", self.lang.pick("Score", "比分"), self.score));
            }
        }
        if let Kind::Bar(bar) = &self.kind {
            bar.set_position(run.decided());
        }
        self.refresh();
    }

    fn refresh(&self) {
        if let Kind::Bar(bar) = &self.kind {
            let boards: Vec<&str> = self.running.values().take(BOARDS).map(String::as_str).collect();
            let more = if self.running.len() > BOARDS { " .." } else { "" };
            bar.set_message(format!("{}{more}  {}", boards.join(" | "), self.score));
        }
    }
}
