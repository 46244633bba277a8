//! Events under a regulation: the stages of a championship, its lots, and settings that contradict an
//! article. Start at [`Builder::championship`] and [`contradictions`].

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::build::{Builder, scaled};
use super::engines;
use super::exhibition;
use super::form::{
    CycleOrderForm, FormatFields, FormatForm, InspectionForm, LockForm, MemberForm, RegistrationForm,
    RegulationForm, RunForm,
};
use super::length::length;
use super::problem::{Problem, element, member};
use crate::engine::Manifest;
use crate::game::{Pace, TimeControl};
use crate::law::Book;
use crate::plan::{Entrant, LockRule, Plan, Points, Regulation, Screens, Stage};
use crate::tournament::{Championship, Colours, CycleOrder, Format, FormatError, Part, lots};

/// Play-offs are games of 15 minutes a side for the whole game (I.8).
const PLAY_OFF: TimeControl = TimeControl::sudden_death(Duration::from_secs(15 * 60));
/// What the committee takes for a playing day at the board (I.2), in yuan.
const FEE_A_DAY: u32 = 200;
/// What it takes for a bout (III.2, IV.2), in yuan.
const FEE_A_BOUT: u32 = 100;
/// The guard where the config names none: a real event needed ten drawn games in a row (2019).
const USUAL_GUARD: u8 = 10;

/// The regulation of a form.
pub const fn regulation_of(form: RegulationForm) -> Regulation {
    match form {
        RegulationForm::Championship => Regulation::Championship,
        RegulationForm::Blindfold => Regulation::Blindfold,
        RegulationForm::ManMachine => Regulation::ManMachine,
        RegulationForm::NetMeeting => Regulation::NetMeeting,
    }
}

/// What an entrant declared, as pairs of a word and a text.
pub fn registration(form: Option<&RegistrationForm>) -> Vec<(String, String)> {
    let Some(form) = form else { return Vec::new() };
    let RegistrationForm {
        authors,
        licence,
        third_party,
        own_work,
        source,
        operator,
        committee_days,
        committee_bouts,
        inspections,
    } = form.clone();
    let days = committee_days.map(|days| format!("{days} x CNY {FEE_A_DAY} = CNY {}", days * FEE_A_DAY));
    let bouts =
        committee_bouts.map(|bouts| format!("{bouts} x CNY {FEE_A_BOUT} = CNY {}", bouts * FEE_A_BOUT));
    let own_work = own_work.map(|own| if own { "yes" } else { "no" }.to_owned());
    let facts = [
        ("authors", authors),
        ("licence", licence),
        ("third party", third_party),
        ("own work", own_work),
        ("source", source),
        ("operator", operator),
        ("committee days", days),
        ("committee bouts", bouts),
    ];
    let inspections = inspections.iter().map(|one| ("inspection", Some(inspection(one))));
    facts.into_iter().chain(inspections).filter_map(|(word, text)| Some((word.to_owned(), text?))).collect()
}

fn inspection(form: &InspectionForm) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let seen = form.seen.as_ref().map(|seen| format!(" [{seen}]")).unwrap_or_default();
    format!("{}, {}{seen}: {}", text(&form.date), text(&form.by), text(&form.finding))
}

/// How the hall shows the games; under a regulation always recorded.
pub fn screens(form: &RunForm, problems: &mut Vec<Problem>) -> Option<Screens> {
    if form.regulation.is_none() && form.screens.is_none() {
        return None;
    }
    let open = matches!(form.regulation, Some(RegulationForm::Championship));
    let own = form.screens.as_ref();
    let delay = own.and_then(|own| own.delay.as_ref()).map(|delay| length(delay, "screens.delay"));
    let delay = delay.unwrap_or(Ok(Duration::ZERO)).unwrap_or_else(|problem| {
        problems.push(problem);
        Duration::ZERO
    });
    let opponent = own.and_then(|own| own.opponent).unwrap_or(open);
    Some(Screens { opponent, thinking: own.and_then(|own| own.thinking).unwrap_or(open), delay })
}

/// The commitment to the seed that a championship's config gives.
pub fn commitment(form: &RunForm) -> Option<String> {
    match &form.format {
        Some(FormatForm::Settings(FormatFields::Championship { commitment, .. })) => commitment.clone(),
        _ => None,
    }
}

/// Entrants of an event under a regulation that declare nothing about their origin: odd, not refused. A
/// program cannot judge authorship (I.1, III.1, IV.1).
pub fn undeclared(plan: &Plan) -> Vec<Problem> {
    // Section II knows no such article: the players were people.
    if plan.regulation.is_none_or(|one| one == Regulation::Blindfold) {
        return Vec::new();
    }
    let silent = |entrant: &&Entrant| !entrant.registration.iter().any(|(word, _)| word == "own work");
    let silent: Vec<&str> =
        plan.entrants.iter().filter(silent).map(|entrant| entrant.name.as_str()).collect();
    if silent.is_empty() {
        return Vec::new();
    }
    let message = format!("{} did not declare whether it is its own work", silent.join(", "));
    vec![Problem::new("entrants", message).hint("`registration`: {\"own_work\": true}")]
}

/// What a change of locked files means; under a regulation they are always locked (I.10, III.8, IV.9).
pub fn lock(form: &RunForm) -> LockRule {
    match form.lock {
        None if form.regulation.is_some() => LockRule::Hold,
        None | Some(LockForm::Off) => LockRule::Off,
        Some(LockForm::Hold) => LockRule::Hold,
        Some(LockForm::Forfeit) => LockRule::Forfeit,
    }
}

impl Builder<'_> {
    /// The engines of a team's further members. `written` is the entrant's value in the config.
    pub(super) fn team(
        &mut self,
        forms: &[MemberForm],
        written: &mut Value,
        entrant: &str,
    ) -> Vec<Arc<Manifest>> {
        let mut team = Vec::new();
        for (index, form) in forms.iter().enumerate() {
            let path = element(&member(entrant, "team"), index);
            let Some(own) = written.get_mut("team").and_then(|list| list.get_mut(index)) else { continue };
            let engine = own.get("engine").cloned().unwrap_or(Value::Null);
            let Some(wanted) = form.engine.as_ref() else { continue };
            let Some(mut found) = self.find(wanted, &engine, &member(&path, "engine")) else { continue };
            let problems =
                engines::set_options(&mut found.manifest.options, &form.options, &member(&path, "options"));
            problems.into_iter().for_each(|problem| self.tell(problem));
            if let Some(object) = own.as_object_mut() {
                object.insert("engine".to_owned(), found.inlined);
            }
            team.push(Arc::new(found.manifest));
        }
        team
    }

    /// The four stages of a championship, if that is the format: groups, rapid games at the line of
    /// qualifiers, final, rapid games among equals.
    pub(super) fn championship(
        &mut self,
        form: &RunForm,
        entrants: &[(usize, Entrant)],
        usual: TimeControl,
        (scale, seed): (f64, u64),
    ) -> Option<Vec<Stage>> {
        let Some(FormatForm::Settings(FormatFields::Championship {
            groups,
            qualify_per_group,
            carry_over,
            order,
            play_off_time,
            max_bouts,
            commitment,
        })) = &form.format
        else {
            return None;
        };
        let play_off = self.time(play_off_time.as_ref(), "format.play_off_time").unwrap_or(PLAY_OFF);
        // What the schema asks for is told already where it is missing.
        let (Some(groups), Some(qualify)) = (*groups, *qualify_per_group) else { return Some(Vec::new()) };
        let names: Vec<&str> = entrants.iter().map(|(_, entrant)| entrant.name.as_str()).collect();
        let event = Arc::new(Championship {
            first_stage: 1,
            groups: lots::draw(seed, &names, groups),
            qualify,
            carry_over: carry_over.unwrap_or(false),
            order: match order {
                None | Some(CycleOrderForm::Bouts) => CycleOrder::Bouts,
                Some(CycleOrderForm::Cycles) => CycleOrder::Cycles,
            },
            guard: max_bouts.unwrap_or(USUAL_GUARD),
            seed,
        });
        if let Err(error) = event.check(names.len())
            && !self.told("entrants")
        {
            let path = match error {
                FormatError::Setting { setting, .. } => member("format", setting),
                FormatError::Entrants { .. } | FormatError::Odd(_) | FormatError::Games(_) => {
                    "format".to_owned()
                }
            };
            self.tell(Problem::new(path, error.to_string()));
        }
        if let Some(promised) = commitment
            && *promised != lots::commitment(seed)
        {
            let message = format!("is not the commitment to the seed {seed}");
            let hint = "`chuhe lots SEED` prints it";
            self.tell(Problem::new("format.commitment", message).hint(hint));
        }
        let stage = |name: &str, part, time| Stage {
            name: name.to_owned(),
            format: Format::Championship(Arc::clone(&event), part),
            time: scaled(time, scale),
        };
        Some(vec![
            stage("Preliminaries", Part::Groups, usual),
            stage("Qualifying play-offs", Part::Qualifying, play_off),
            stage("Final", Part::Final, usual),
            stage("Play-offs", Part::Places, play_off),
        ])
    }
}

/// The settings that contradict an article of the plan's regulation.
pub fn contradictions(plan: &Plan, has_adjudication: bool) -> Vec<Problem> {
    let Some(regulation) = plan.regulation else { return Vec::new() };
    let mut problems = Vec::new();
    let mut tell = |path: &str, message: String| problems.push(Problem::new(path, message));
    let (minutes, clock, points, rules) = match regulation {
        Regulation::Championship => (30, "I.7", "I.6", "I.9"),
        Regulation::Blindfold => (0, "II.5", "II.4", "II.6"),
        Regulation::ManMachine => (45, "III.5", "III.6", "III.7"),
        Regulation::NetMeeting => (50, "IV.6", "IV.7", "IV.8"),
    };
    let fits = plan.stages.iter().all(|stage| match (&stage.format, regulation) {
        (Format::Championship(_, _), Regulation::Championship) => true,
        (Format::Exhibition(_), Regulation::Blindfold) => plan.stages.len() == 1,
        (Format::Boards { games }, Regulation::ManMachine | Regulation::NetMeeting) => *games == 2,
        _ => false,
    });
    if !fits {
        let wanted = match regulation {
            Regulation::Championship => "I.5 wants groups and a final: `\"type\": \"championship\"`",
            Regulation::Blindfold => "II.2 wants one master at five boards: `\"type\": \"exhibition\"`",
            Regulation::ManMachine => "III.4 wants bouts of two games: `\"boards\"`",
            Regulation::NetMeeting => "IV.4 wants bouts of two games: `\"boards\"`",
        };
        tell("format", wanted.to_owned());
    }
    let official = TimeControl::sudden_death(Duration::from_secs(minutes * 60));
    let official = scaled(official, plan.conduct.time_scale);
    let slow = plan.stages.iter().filter(|stage| !stage.format.is_play_off());
    let own = plan.entrants.iter().filter_map(|entrant| entrant.time);
    let bank = regulation != Regulation::Blindfold;
    if bank && slow.map(|stage| stage.time).chain(own).any(|time| time != official) {
        tell("time", format!("{clock} gives each side {minutes} minutes for the whole game"));
    }
    if plan.points != Points::TwoOneZero {
        tell("points", format!("{points} gives 2 points for a win, 1 for a draw"));
    }
    if plan.rules.repetition.book != Book::Asian2006 {
        tell("rules.book", format!("{rules} wants the Asian rules"));
    }
    let rapid = scaled(PLAY_OFF, plan.conduct.time_scale);
    if plan.stages.iter().any(|stage| stage.format.is_play_off() && stage.time != rapid) {
        tell("format.play_off_time", "I.8 gives each side 15 minutes".to_owned());
    }
    let lock = match regulation {
        Regulation::Championship => "I.10",
        Regulation::Blindfold => "II",
        Regulation::ManMachine => "III.8",
        Regulation::NetMeeting => "IV.9",
    };
    if plan.conduct.lock == LockRule::Off {
        tell("lock", format!("{lock} wants programs locked: `hold` or `forfeit`"));
    }
    let team = plan.entrants.iter().find(|entrant| !entrant.team.is_empty());
    let teams = matches!(regulation, Regulation::NetMeeting | Regulation::Blindfold);
    if let Some(team) = team.filter(|_| !teams) {
        tell("entrants", format!("{} is a team; only II.2 and IV.4 let members move in turn", team.name));
    }
    if regulation == Regulation::Championship && plan.conduct.screens.is_some_and(|screens| !screens.opponent)
    {
        tell("screens.opponent", "I.11 lets each side see the other's screen".to_owned());
    }
    testing_only(plan, has_adjudication, points, &mut tell);
    if regulation == Regulation::Blindfold {
        problems.extend(exhibition::contradictions(plan));
    }
    problems
}

/// Settings of engine tests that no event has.
fn testing_only(plan: &Plan, has_adjudication: bool, points: &str, tell: &mut impl FnMut(&str, String)) {
    if plan.entrants.iter().any(|entrant| entrant.members().any(|engine| engine.ponder)) {
        tell("ponder", "I.3: engines that share a machine do not think on the opponent's time".to_owned());
    }
    if plan.draw_as_black_win {
        tell("draw_as_black_win", format!("{points} gives both sides a point for a draw"));
    }
    if plan.colours != Colours::default() {
        tell("colours", "under a regulation they are as its tables have them".to_owned());
    }
    if plan.min_score.is_some() {
        tell("min_score", "every game of an event is played".to_owned());
    }
    if has_adjudication {
        tell("adjudication", "no article lets scores decide a game".to_owned());
    }
    if plan.stages.iter().any(|stage| stage.time.pace == Pace::Untimed) {
        tell("time", "a game under a regulation has a clock".to_owned());
    }
}
