//! From a form to a plan: defaults, engines, openings and everything the schema cannot say. Goes on after
//! every problem. Start at [`build`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::form::{
    BookForm, ChecksForm, CrashForm, CriterionForm, CycleOrderForm, EngineForm, EntrantForm, FormatFields,
    FormatForm, FormatName, JournalForm, Length, LevelForm, NoCaptureFields, NoCaptureForm, PointsForm,
    RotationForm, RulesForm, RunForm, SyncForm, TimeForm, WarnForm,
};
use super::problem::{Problem, element, member, quoted};
use super::regulation::{commitment, contradictions, lock, registration, regulation_of, screens, undeclared};
use super::{Files, Resolved, engines, exhibition, length, openings, testing};
use crate::engine::{Manifest, Protocol};
use crate::game::{Pace, TimeControl, scale_time};
use crate::law::{Book, CheckCounting, NoCapture, Repetition, Rules};
use crate::plan::{Conduct, CrashRule, Entrant, Grain, Plan, Points, Rotation, Stage, Sync};
use crate::tournament::{
    Criterion, CycleOrder, Format, FormatError, Knockout, Level, OpeningBook, Swiss, TieBreak,
};

/// Patience and drain where the config names none.
const MINUTE: Duration = Duration::from_secs(60);
/// Extra pairs of games of a level bout, where the config names none: the guard of the 2006 play-offs.
const EXTRA_PAIRS: u8 = 10;
/// The clock where the config names none: ten seconds and a tenth a move.
const USUAL_TIME: TimeControl = TimeControl {
    pace: Pace::Bank { base: Duration::from_secs(10), increment: Duration::from_millis(100), moves: None },
    nodes: None,
    depth: None,
};

/// Makes the plan. `config` is the config as written and becomes the resolved one; `problems` are those
/// found already.
pub fn build(
    form: &RunForm,
    config: &mut Value,
    base: &str,
    files: &dyn Files,
    problems: Vec<Problem>,
) -> Result<Resolved, Vec<Problem>> {
    let mut builder = Builder { base, files, problems, warnings: Vec::new() };
    let scale = form.time_scale.unwrap_or(1.0);
    let seed = form.seed.unwrap_or(0);
    let entrants = builder.entrants(form, config, scale);
    let stages = builder.stages(form, &entrants, (scale, seed));
    let (book, sources) = builder.openings(form, seed);
    let test = testing::read(&mut builder, form, &stages);
    let conduct = builder.conduct(form, scale);
    builder.compare(&entrants, form, &conduct, &stages);
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    let plan = Plan {
        event: form.event.clone().unwrap_or_else(|| "chuhe".to_owned()),
        site: form.site.clone().unwrap_or_else(|| "?".to_owned()),
        regulation: form.regulation.map(regulation_of),
        seed,
        commitment: commitment(form),
        entrants: entrants.into_iter().map(|(_, entrant)| entrant).collect(),
        stages,
        rules: rules(&form.rules),
        points: match form.points {
            None | Some(PointsForm::TwoOneZero) => Points::TwoOneZero,
            Some(PointsForm::OneHalfZero) => Points::OneHalfZero,
        },
        tie_break: form.tie_break.as_deref().map_or_else(TieBreak::default, tie_break),
        openings: book,
        sprt: test.sprt,
        min_score: form.min_score,
        draw_as_black_win: form.draw_as_black_win.unwrap_or(false),
        colours: test.colours,
        conduct,
    };
    let problems = contradictions(&plan, form.resign.is_some() || form.draw.is_some());
    if !problems.is_empty() {
        return Err(problems);
    }
    builder.warnings.extend(undeclared(&plan));
    builder.warnings.extend(exhibition::oddities(&plan));
    Ok(Resolved { plan, config: config.take(), sources, warnings: builder.warnings })
}

pub(super) struct Builder<'a> {
    base: &'a str,
    files: &'a dyn Files,
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Builder<'_> {
    /// Takes a result, or tells its problems.
    fn take<T>(&mut self, result: Result<T, Vec<Problem>>) -> Option<T> {
        result.map_err(|problems| self.problems.extend(problems)).ok()
    }

    pub(super) fn tell(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Whether something at this path or inside it is known to be wrong.
    pub(super) fn told(&self, path: &str) -> bool {
        told(&self.problems, path)
    }

    /// Those entrants that are right, with their places in the config.
    fn entrants(&mut self, run: &RunForm, config: &mut Value, scale: f64) -> Vec<(usize, Entrant)> {
        let forms: &[EntrantForm] = run.entrants.as_deref().unwrap_or_default();
        let mut entrants = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (index, form) in forms.iter().enumerate() {
            let path = element("entrants", index);
            let written = config.get_mut("entrants").and_then(|list| list.get_mut(index));
            let Some(written) = written else { continue };
            let fields = match form {
                EntrantForm::Engine(_) => None,
                EntrantForm::Fields(fields) => Some(&**fields),
            };
            let own = fields.and_then(|fields| fields.name.as_deref());
            let found = self.engine(form, written, &path);
            // The engine's Chinese name goes with the engine's name, not with one given here.
            let (name, name_zh) = match (own, &found) {
                (Some(own), _) => (own.trim().to_owned(), None),
                (None, Some(found)) => (found.name.clone(), found.name_zh.clone()),
                (None, None) => continue,
            };
            self.check_name(&name, index, &mut places, &member(&path, "name"));
            let time = fields.and_then(|fields| self.time(fields.time.as_ref(), &member(&path, "time")));
            let Some(mut found) = found else { continue };
            if let Some(fields) = fields {
                let path = member(&path, "options");
                self.problems.extend(engines::set_options(
                    &mut found.manifest.options,
                    &fields.options,
                    &path,
                ));
            }
            let ponder = fields.and_then(|fields| fields.ponder).or(run.ponder);
            found.manifest.ponder = ponder.unwrap_or(found.manifest.ponder);
            self.watch_lines(run, &mut found.manifest);
            let further = fields.and_then(|fields| fields.team.as_deref()).unwrap_or_default();
            let team = self.team(further, written, &path);
            let name_zh = fields.and_then(|fields| fields.name_zh.clone()).or(name_zh);
            inline(written, &name, name_zh.as_deref(), found.inlined);
            let team = engines::seat(&mut found.manifest, team, index + 1);
            let entrant = Entrant {
                name,
                name_zh,
                engine: Arc::new(found.manifest),
                team,
                time: time.map(|time| scaled(time, scale)),
                registration: registration(fields.and_then(|fields| fields.registration.as_ref())),
            };
            entrants.push((index, entrant));
        }
        entrants
    }

    fn engine(&mut self, form: &EntrantForm, written: &Value, path: &str) -> Option<engines::Found> {
        let found = match form {
            EntrantForm::Engine(name) => engines::named(name, path, self.base, self.files),
            EntrantForm::Fields(fields) => {
                let written = written.get("engine").unwrap_or(&Value::Null);
                return self.find(fields.engine.as_ref()?, written, &member(path, "engine"));
            }
        };
        self.take(found)
    }

    /// Finds an engine; `written` is its value in the config.
    pub(super) fn find(&mut self, form: &EngineForm, written: &Value, path: &str) -> Option<engines::Found> {
        let found = engines::find(form, written, path, self.base, self.files);
        self.take(found)
    }

    fn check_name(&mut self, name: &str, index: usize, places: &mut HashMap<String, usize>, path: &str) {
        if name.is_empty() || name.chars().any(char::is_control) {
            self.tell(Problem::new(path, "must be a name that can be printed on one line"));
            return;
        }
        if let Some(first) = places.get(name) {
            let message = format!("'{}' is the name of entrants[{first}] too", quoted(name));
            self.tell(Problem::new(path, message).hint("give each entrant a `name` of its own"));
        }
        places.entry(name.to_owned()).or_insert(index);
    }

    pub(super) fn time(&mut self, form: Option<&TimeForm>, path: &str) -> Option<TimeControl> {
        let control = length::control(form?, path);
        self.take(control)
    }

    fn stages(&mut self, form: &RunForm, entrants: &[(usize, Entrant)], chance: (f64, u64)) -> Vec<Stage> {
        let scale = chance.0;
        let usual = self.time(form.time.as_ref(), "time").unwrap_or(USUAL_TIME);
        if form.stages.is_none()
            && let Some(stages) = self.championship(form, entrants, usual, chance)
        {
            return stages;
        }
        let count = form.entrants.as_ref().map(Vec::len);
        let Some(stages) = &form.stages else {
            let format = self.format(form.format.as_ref(), "format", (count, scale));
            return vec![Stage { name: "Stage 1".to_owned(), format, time: scaled(usual, scale) }];
        };
        if form.format.is_some() {
            let hint = "move it into a stage, or take `stages` out";
            self.tell(Problem::new("format", "stands beside `stages`, which name their own").hint(hint));
        }
        let mut built = Vec::new();
        for (index, stage) in stages.iter().enumerate() {
            let path = element("stages", index);
            let format = self.format(stage.format.as_ref(), &member(&path, "format"), (count, scale));
            let time = self.time(stage.time.as_ref(), &member(&path, "time")).unwrap_or(usual);
            let name = stage.name.clone().unwrap_or_else(|| format!("Stage {}", index + 1));
            built.push(Stage { name, format, time: scaled(time, scale) });
        }
        built
    }

    fn format(
        &mut self,
        form: Option<&FormatForm>,
        path: &str,
        (entrants, scale): (Option<usize>, f64),
    ) -> Format {
        if let Some(FormatForm::Settings(FormatFields::Championship { .. })) = form {
            let message = "a championship is an event of its own, not a stage";
            self.tell(Problem::new(path, message).hint("write it as `format` and take `stages` out"));
        }
        let format = format(form, entrants.unwrap_or_default(), scale);
        if let Some(Err(error)) = entrants.map(|count| format.check(count))
            && !self.told("entrants")
        {
            let path = match (form, &error) {
                (Some(FormatForm::Settings(_)), FormatError::Setting { setting, .. }) => {
                    member(path, setting)
                }
                (
                    _,
                    FormatError::Entrants { .. }
                    | FormatError::Setting { .. }
                    | FormatError::Odd(_)
                    | FormatError::Games(_),
                ) => path.to_owned(),
            };
            self.tell(Problem::new(path, error.to_string()));
        }
        if let Some(FormatForm::Settings(fields)) = form {
            self.check_session(fields, path);
        }
        format
    }

    fn openings(&mut self, form: &RunForm, seed: u64) -> (OpeningBook, BTreeMap<String, String>) {
        let Some(openings) = &form.openings else { return (OpeningBook::default(), BTreeMap::new()) };
        let problems = &self.problems;
        let read = openings::read(openings, self.base, seed, self.files, |path| told(problems, path));
        self.problems.extend(read.problems);
        self.warnings.extend(read.warnings);
        (read.book, read.source.into_iter().collect())
    }

    fn conduct(&mut self, form: &RunForm, scale: f64) -> Conduct {
        let mut time = |form: &Option<Length>, path: &str, usual: Duration| match form {
            None => usual,
            Some(form) => length::length(form, path).unwrap_or_else(|problem| {
                self.problems.push(problem);
                usual
            }),
        };
        let margin = time(&form.margin, "margin", Duration::ZERO);
        let patience = time(&form.patience, "patience", MINUTE);
        let drain = time(&form.drain, "drain", MINUTE);
        let budget = time(&form.time_budget, "time_budget", MINUTE);
        let ready_patience = time(&form.ready_patience, "ready_patience", patience);
        let stagger = time(&form.stagger, "stagger", Duration::ZERO);
        let pause = time(&form.pause, "pause", Duration::ZERO);
        if patience.is_zero() && !self.told("patience") {
            self.tell(Problem::new("patience", "must be above 0, or no engine is ever ready"));
        }
        if ready_patience.is_zero() && form.ready_patience.is_some() && !self.told("ready_patience") {
            self.tell(Problem::new("ready_patience", "must be above 0, or no engine is ever ready"));
        }
        // The texts of 2006 have no warning; in open testing UCCI engines expect one.
        let usual = if form.regulation.is_some() { WarnForm::None } else { WarnForm::Ucci };
        let warn = form.warn.unwrap_or(usual);
        Conduct {
            concurrency: form.concurrency.unwrap_or(1).max(1),
            crash: match form.crash {
                None | Some(CrashForm::Loses) => CrashRule::Loses,
                Some(CrashForm::Restart) => CrashRule::Restart,
            },
            grain: match form.journal {
                None | Some(JournalForm::Game) => Grain::Game,
                Some(JournalForm::Move) => Grain::Move,
            },
            sync: match form.sync {
                None | Some(SyncForm::EverySecond) => Sync::EverySecond,
                Some(SyncForm::EveryEvent) => Sync::EveryEvent,
                Some(SyncForm::Never) => Sync::Never,
            },
            margin: if scale == 1.0 { margin } else { scale_time(margin, scale) },
            patience,
            lock: lock(form),
            rotation: match form.rotation {
                None | Some(RotationForm::Restart) => Rotation::Restart,
                Some(RotationForm::Continue) => Rotation::Continue,
            },
            screens: screens(form, &mut self.problems),
            reuse: form.reuse.unwrap_or(true),
            transcripts: form.transcripts.unwrap_or(true),
            warn: matches!(warn, WarnForm::Ucci | WarnForm::All),
            warn_uci: matches!(warn, WarnForm::All),
            draw_offers: form.draw_offers.unwrap_or(true),
            time_scale: scale,
            drain,
            max_faults: form.faults.max,
            adjudication: testing::adjudication(form),
            max_failures: form.faults.stop_after,
            time_budget: form.time_budget.is_some().then_some(budget),
            ready_patience,
            stagger,
            pause,
            engine_log: form.engine_log.as_deref().map(|file| engines::join(self.base, file)),
            affinity: form.affinity.as_ref().and_then(|form| {
                super::cores::read(form).unwrap_or_else(|problem| {
                    self.tell(problem);
                    None
                })
            }),
        }
    }

    /// Settings that are possible each for itself and not, or for nothing, together.
    fn compare(
        &mut self,
        entrants: &[(usize, Entrant)],
        form: &RunForm,
        conduct: &Conduct,
        stages: &[Stage],
    ) {
        self.check_exhibitions(entrants, stages);
        for (index, entrant) in entrants {
            let own = entrant.time.map(|time| vec![time]);
            let times = own.unwrap_or_else(|| stages.iter().map(|stage| stage.time).collect());
            let protocol = entrant.engine.protocol;
            if protocol.limits_nodes() || times.iter().all(|time| time.nodes.is_none()) {
                continue;
            }
            let path = element("entrants", *index);
            let only = |time: &TimeControl| {
                time.nodes.is_some() && time.pace == Pace::Untimed && time.depth.is_none()
            };
            let message = format!("speaks {}, which has no word for a limit of nodes", protocol.name());
            if times.iter().any(only) {
                let hint = "give it a `time` of its own with a clock or a depth";
                self.tell(Problem::new(path, message).hint(hint));
            } else {
                self.warnings.push(Problem::new(path, format!("{message}; it goes without")));
            }
        }
        let speaks = |protocol| entrants.iter().any(|(_, entrant)| entrant.engine.protocol == protocol);
        let warned = speaks(Protocol::Ucci) || (conduct.warn_uci && speaks(Protocol::Uci));
        let asked = form.warn.is_some_and(|warn| !matches!(warn, WarnForm::None));
        if asked && rules(&form.rules).repetition.book == Book::Plain {
            let message = "warns of nothing: under the rule book `plain` no repetition is lost";
            self.warnings.push(Problem::new("warn", message));
        } else if asked && !warned {
            self.warnings.push(Problem::new("warn", "warns nobody: no entrant speaks such a protocol"));
        }
        self.compare_pondering(entrants, stages);
        let timed = |time: &TimeControl| time.pace != Pace::Untimed;
        let clocks = stages.iter().any(|stage| timed(&stage.time))
            || entrants.iter().any(|(_, entrant)| entrant.time.as_ref().is_some_and(timed));
        if conduct.time_scale != 1.0 && !clocks {
            self.warnings.push(Problem::new("time_scale", "changes nothing: there is no clock"));
        }
        if form.tie_break.as_ref().is_some_and(|list| has_twin(list)) {
            self.warnings
                .push(Problem::new("tie_break", "names one criterion twice; the second decides nothing"));
        }
    }
}

impl Builder<'_> {
    /// What the run says of all engines: how long they may take to greet, which of their lines are kept.
    fn watch_lines(&mut self, run: &RunForm, manifest: &mut Manifest) {
        if let Some(form) = &run.start_patience {
            match length::length(form, "start_patience") {
                Ok(time) => {
                    manifest.start_patience_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
                }
                Err(problem) if !self.told("start_patience") => self.tell(problem),
                Err(_) => {}
            }
        }
        manifest.keeps.info = run.info_lines.unwrap_or(false);
        manifest.keeps.matching.clone_from(&run.match_line);
        if let Some(Err(error)) = run.match_line.as_deref().map(regex_lite::Regex::new)
            && !self.told("match_line")
        {
            self.tell(Problem::new("match_line", format!("is no regular expression: {error}")));
        }
    }

    /// Thinking on the opponent's time: what contradicts it, and what it costs.
    fn compare_pondering(&mut self, entrants: &[(usize, Entrant)], stages: &[Stage]) {
        let mut by_nodes = false;
        for (index, entrant) in entrants {
            let path = element("entrants", *index);
            if !entrant.members().any(|engine| engine.ponder) {
                continue;
            }
            if !entrant.team.is_empty() {
                let message = "is a team: while one member's move is answered another is to move next (II.3)";
                self.tell(Problem::new(member(&path, "ponder"), message));
            }
            let own = entrant.time.iter().chain(stages.iter().map(|stage| &stage.time));
            by_nodes |= own.into_iter().any(|time| time.nodes.is_some());
        }
        if by_nodes {
            let message = "with thinking on the opponent's time games limited by nodes do not repeat";
            self.warnings.push(Problem::new("ponder", message));
        }
    }
}

fn has_twin(list: &[CriterionForm]) -> bool {
    list.iter().enumerate().any(|(index, criterion)| list[..index].contains(criterion))
}

/// Whether a problem is known at this path or inside it.
fn told(problems: &[Problem], path: &str) -> bool {
    problems.iter().any(|problem| {
        problem.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// Writes an entrant's names and engine out.
fn inline(written: &mut Value, name: &str, name_zh: Option<&str>, engine: Value) {
    if !written.is_object() {
        *written = Value::Object(serde_json::Map::new());
    }
    if let Some(object) = written.as_object_mut() {
        object.insert("name".to_owned(), Value::from(name));
        if let Some(name_zh) = name_zh {
            object.insert("name_zh".to_owned(), Value::from(name_zh));
        }
        object.insert("engine".to_owned(), engine);
    }
}

/// A time control times the scale; untouched where the scale is 1, so that nothing is rounded.
pub(super) fn scaled(time: TimeControl, scale: f64) -> TimeControl {
    if scale == 1.0 { time } else { time.scaled(scale) }
}

/// The format of a stage with this many entrants.
fn format(form: Option<&FormatForm>, entrants: usize, scale: f64) -> Format {
    let round_robin = FormatFields::RoundRobin { cycles: None, order: None };
    let fields = match form {
        None | Some(FormatForm::Name(FormatName::RoundRobin)) => &round_robin,
        Some(FormatForm::Name(FormatName::Gauntlet)) => &FormatFields::Gauntlet { seeds: None, games: None },
        Some(FormatForm::Name(FormatName::Pairs)) => &FormatFields::Pairs { pairs: None },
        Some(FormatForm::Name(FormatName::Swiss)) => &FormatFields::Swiss { rounds: None, games: None },
        Some(FormatForm::Name(FormatName::Knockout)) => {
            &FormatFields::Knockout { games: None, extra: None, level: None }
        }
        Some(FormatForm::Name(FormatName::Boards)) => &FormatFields::Boards { games: None },
        Some(FormatForm::Name(FormatName::Exhibition)) => &exhibition::USUAL,
        Some(FormatForm::Settings(fields)) => fields,
    };
    match fields {
        FormatFields::RoundRobin { cycles, order } => Format::RoundRobin {
            cycles: cycles.unwrap_or(2),
            order: match order {
                None | Some(CycleOrderForm::Bouts) => CycleOrder::Bouts,
                Some(CycleOrderForm::Cycles) => CycleOrder::Cycles,
            },
        },
        FormatFields::Gauntlet { seeds, games } => {
            Format::Gauntlet { seeds: seeds.unwrap_or(1), games: games.unwrap_or(2) }
        }
        FormatFields::Pairs { pairs } => Format::Pairs { pairs: pairs.unwrap_or(1) },
        FormatFields::Swiss { rounds, games } => Format::Swiss(Swiss {
            rounds: rounds.unwrap_or_else(|| entrants.next_power_of_two().ilog2().max(1)),
            games: games.unwrap_or(2),
        }),
        FormatFields::Boards { games } => Format::Boards { games: games.unwrap_or(2) },
        FormatFields::Exhibition { .. } => Format::Exhibition(exhibition::read(fields, scale)),
        // Only where it is refused: a championship has four stages.
        FormatFields::Championship { .. } => Format::RoundRobin { cycles: 2, order: CycleOrder::Bouts },
        FormatFields::Knockout { games, extra, level } => Format::Knockout(Knockout {
            games: games.unwrap_or(2),
            extra: extra.unwrap_or(EXTRA_PAIRS),
            level: match level {
                None | Some(LevelForm::Held) => Level::Held,
                Some(LevelForm::HigherSeed) => Level::HigherSeed,
            },
        }),
    }
}

fn tie_break(forms: &[CriterionForm]) -> TieBreak {
    let criteria = forms.iter().map(|form| match form {
        CriterionForm::HeadToHead => Criterion::HeadToHead,
        CriterionForm::PlayOff => Criterion::PlayOff,
        CriterionForm::WinsAsBlack => Criterion::WinsAsBlack,
        CriterionForm::Wins => Criterion::Wins,
        CriterionForm::SonnebornBerger => Criterion::SonnebornBerger,
    });
    TieBreak(criteria.collect())
}

fn rules(form: &RulesForm) -> Rules {
    let usual = Rules::default();
    let limit = NoCapture { plies: 120, checks: CheckCounting::First10 };
    Rules {
        repetition: Repetition {
            book: match form.book {
                None | Some(BookForm::Asian2006) => Book::Asian2006,
                Some(BookForm::Computer) => Book::Computer,
                Some(BookForm::Plain) => Book::Plain,
            },
            occurrences: form.occurrences.unwrap_or(usual.repetition.occurrences),
        },
        dead_position: form.dead_position.unwrap_or(usual.dead_position),
        no_capture: match &form.no_capture {
            NoCaptureForm::Null | NoCaptureForm::Switch(false) => None,
            NoCaptureForm::Switch(true) => Some(limit),
            NoCaptureForm::Plies(plies) => Some(NoCapture { plies: *plies, ..limit }),
            NoCaptureForm::Fields(NoCaptureFields { plies, checks }) => Some(NoCapture {
                plies: plies.unwrap_or(limit.plies),
                checks: match checks {
                    None | Some(ChecksForm::First10) => CheckCounting::First10,
                    Some(ChecksForm::All) => CheckCounting::All,
                    Some(ChecksForm::None) => CheckCounting::None,
                },
            }),
        },
        max_plies: form.max_plies,
    }
}
