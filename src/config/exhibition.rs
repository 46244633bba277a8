//! Exhibitions in a config (II): their settings, and what cannot be: a master who is a team or has no time of
//! his own, a clock of which nothing is left after an overrun that does not lose. Start at [`read`].

use std::time::Duration;

use super::build::Builder;
use super::form::{FormatFields, Length, OverrunForm, SideForm, VisitForm};
use super::length;
use super::problem::{Problem, element, member};
use crate::game::{OverrunRule, Pace, TimeControl, scale_time};
use crate::plan::{Entrant, Exhibition, Plan, Regulation, Stage, Visit};
use crate::tournament::MASTER;
use crate::xiangqi::Side;

/// Two hours for all boards (II.5).
pub const SESSION: Duration = Duration::from_secs(2 * 60 * 60);
/// Sixty seconds a move for the groups (II.5).
pub const MOVE: Duration = Duration::from_secs(60);
/// Five groups (II.2).
pub const GROUPS: usize = 5;
/// So many overruns on end and nobody seems to be there.
const USUAL_MOST: u32 = 5;

/// An exhibition of which the config says nothing but the name.
pub static USUAL: FormatFields = FormatFields::Exhibition {
    colour: None,
    session: None,
    visit: None,
    overrun: None,
    max_overruns: None,
    isolate: None,
    advice: None,
};

/// The settings of an exhibition; the usual ones for any other form.
pub fn read(form: &FormatFields, scale: f64) -> Exhibition {
    match form {
        FormatFields::Exhibition { colour, session, visit, overrun, max_overruns, isolate, advice } => {
            let session = session.as_ref().and_then(|form| length::length(form, "").ok()).unwrap_or(SESSION);
            Exhibition {
                colour: match colour {
                    None | Some(SideForm::Red) => Side::Red,
                    Some(SideForm::Black) => Side::Black,
                },
                session: if scale == 1.0 { session } else { scale_time(session, scale) },
                visit: match visit {
                    None | Some(VisitForm::Wait) => Visit::Wait,
                    Some(VisitForm::Skip) => Visit::Skip,
                    Some(VisitForm::Stay) => Visit::Stay,
                },
                overrun: match overrun {
                    None | Some(OverrunForm::Pass) => OverrunRule::Pass,
                    Some(OverrunForm::NextSeat) => OverrunRule::NextSeat,
                    Some(OverrunForm::Wait) => OverrunRule::Wait,
                    Some(OverrunForm::Loses) => OverrunRule::Loses,
                },
                most_overruns: max_overruns.unwrap_or(USUAL_MOST),
                isolate: isolate.unwrap_or(true),
                advice: advice.unwrap_or(false),
            }
        }
        _ => read(&USUAL, scale),
    }
}

impl Builder<'_> {
    /// The session of an exhibition must be a length of time above nothing.
    pub(super) fn check_session(&mut self, form: &FormatFields, path: &str) {
        let FormatFields::Exhibition { session: Some(session), .. } = form else { return };
        let path = member(path, "session");
        match length::length(session, &path) {
            Err(problem) => self.tell(problem),
            Ok(time) if time.is_zero() => self.zero(&path, session),
            Ok(_) => {}
        }
    }

    fn zero(&mut self, path: &str, _: &Length) {
        self.tell(Problem::new(path, "must be above 0, or all boards are drawn at once").hint("`2h` (II.5)"));
    }

    /// What an exhibition wants of the entrants and of the teams' time.
    pub(super) fn check_exhibitions(&mut self, entrants: &[(usize, Entrant)], stages: &[Stage]) {
        let Some((stage, exhibition)) =
            stages.iter().find_map(|stage| Some((stage, stage.format.exhibition()?)))
        else {
            return;
        };
        let path = element("entrants", MASTER);
        if let Some((_, master)) = entrants.iter().find(|(index, _)| *index == MASTER) {
            if !master.team.is_empty() {
                let message = format!("{} is the master of the exhibition and cannot be a team", master.name);
                self.tell(
                    Problem::new(member(&path, "team"), message).hint("the master is one engine (II.2)"),
                );
            }
            if master.time.is_none() && !self.told(&member(&path, "time")) {
                let message = "is missing: the master of an exhibition needs a time of his own";
                self.tell(Problem::new(member(&path, "time"), message).hint("\"time\": \"10s/move\""));
            }
            if master.time.is_some_and(|time| matches!(time.pace, Pace::Bank { .. })) {
                let message =
                    "must be a time a move or a limit of nodes or depth: the master has no clock (II.5)";
                self.tell(Problem::new(member(&path, "time"), message).hint("\"time\": \"10s/move\""));
            }
        }
        if exhibition.overrun == OverrunRule::Loses {
            return;
        }
        let banks = |time: &TimeControl| matches!(time.pace, Pace::Bank { .. });
        let message = format!(
            "an overrun that means `{}` needs a fixed time a move; a clock for the whole game has run out then",
            exhibition.overrun.name()
        );
        let teams = entrants.iter().filter(|(index, _)| *index != MASTER);
        for (index, team) in teams {
            if team.time.as_ref().is_some_and(banks) {
                let path = member(&element("entrants", *index), "time");
                self.tell(Problem::new(path, message.clone()).hint("`60s/move`, or `overrun`: `loses`"));
            }
        }
        if banks(&stage.time) && !self.told("time") {
            self.tell(Problem::new("time", message).hint("`60s/move`, or `overrun`: `loses`"));
        }
    }
}

/// What contradicts II.1 to II.5 beside what all regulations want.
pub fn contradictions(plan: &Plan) -> Vec<Problem> {
    let Some(exhibition) = plan.stages.iter().find_map(|stage| stage.format.exhibition()) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    let mut tell = |path: &str, message: String| problems.push(Problem::new(path, message));
    if plan.entrants.len() != GROUPS + 1 {
        let groups = plan.entrants.len().saturating_sub(1);
        tell("entrants", format!("II.2 wants a master and {GROUPS} groups; there are {groups} groups"));
    }
    let scale = plan.conduct.time_scale;
    let official = if scale == 1.0 { SESSION } else { scale_time(SESSION, scale) };
    if exhibition.session != official {
        tell("format.session", "II.5 gives all boards 2 hours".to_owned());
    }
    let limit = if scale == 1.0 { MOVE } else { scale_time(MOVE, scale).max(Duration::from_millis(1)) };
    let teams = plan.entrants.iter().enumerate().filter(|(index, _)| *index != MASTER);
    let own = teams.filter_map(|(_, team)| team.time);
    let fits = |time: TimeControl| matches!(time.pace, Pace::PerMove { limit: own, .. } if own == limit);
    if plan.stages.iter().map(|stage| stage.time).chain(own).any(|time| !fits(time)) {
        tell("time", "II.5 gives the groups 60 seconds a move: `60s/move`".to_owned());
    }
    problems
}

/// What is odd about an exhibition under II and not refused.
pub fn oddities(plan: &Plan) -> Vec<Problem> {
    if plan.regulation != Some(Regulation::Blindfold) {
        return Vec::new();
    }
    let sizes: Vec<usize> = plan.entrants.iter().skip(1).map(|team| team.members().count()).collect();
    if sizes.windows(2).all(|two| two[0] == two[1]) {
        return Vec::new();
    }
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let message = format!("the groups are not of one size: {}", sizes.join(", "));
    vec![Problem::new("entrants", message)]
}
