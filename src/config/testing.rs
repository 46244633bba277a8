//! Settings of engine tests in a config: the sequential test, adjudication by scores, who is Red. Start at
//! [`read`]. Never reads who plays.

use super::build::Builder;
use super::form::{ColoursForm, ModelForm, RunForm, SprtForm};
use super::problem::Problem;
use crate::game::{Adjudication, DrawRule, ResignRule};
use crate::plan::Stage;
use crate::tournament::{Colours, Format, Model, Sprt};

/// Gain between a test's hypotheses where the config names none, in Elo.
const USUAL_GAIN: f64 = 5.0;
/// Error rates of a test where the config names none.
const USUAL_ERROR: f64 = 0.05;

/// What a test does beside playing games.
pub(super) struct Test {
    /// When it is decided.
    pub sprt: Option<Sprt>,
    /// Who is Red.
    pub colours: Colours,
}

/// Reads what a test does, and tells what does not suit its stages.
pub(super) fn read(builder: &mut Builder<'_>, form: &RunForm, stages: &[Stage]) -> Test {
    let sprt = form.sprt.as_ref().map(|form| sprt(builder, form, stages));
    if form.min_score.is_some() && !is_match(stages) && !builder.told("format") {
        let hint = "use two entrants and the format `pairs`";
        builder.tell(Problem::new("min_score", "ends a match of two in pairs of games").hint(hint));
    }
    let colours = form.colours.map_or_else(Colours::default, colours);
    if !stages.iter().all(|stage| colours.suit(&stage.format)) && !builder.told("format") {
        let hint = "formats in which they can be settled: pairs, gauntlet, round-robin in bouts";
        builder.tell(Problem::new("colours", "the format shares out the colours itself").hint(hint));
    }
    Test { sprt, colours }
}

fn sprt(builder: &mut Builder<'_>, form: &SprtForm, stages: &[Stage]) -> Sprt {
    let elo0 = form.elo0.unwrap_or(0.0);
    let sprt = Sprt {
        elo0,
        elo1: form.elo1.unwrap_or(elo0 + USUAL_GAIN),
        alpha: form.alpha.unwrap_or(USUAL_ERROR),
        beta: form.beta.unwrap_or(USUAL_ERROR),
        model: match form.model {
            None | Some(ModelForm::Normalized) => Model::Normalized,
            Some(ModelForm::Logistic) => Model::Logistic,
            Some(ModelForm::Bayesian) => Model::Bayesian,
        },
    };
    if let Err(error) = sprt.check()
        && !builder.told("sprt")
    {
        builder.tell(Problem::new("sprt", error.to_string()));
    }
    if !is_match(stages) && !builder.told("format") {
        let hint = "use two entrants and the format `pairs`";
        builder.tell(Problem::new("sprt", "tests a match of two in pairs of games").hint(hint));
    }
    sprt
}

fn is_match(stages: &[Stage]) -> bool {
    matches!(stages, [Stage { format: Format::Pairs { .. }, .. }])
}

const fn colours(form: ColoursForm) -> Colours {
    match form {
        ColoursForm::Exchanged => Colours::Exchanged,
        ColoursForm::Kept => Colours::Kept,
        ColoursForm::Reversed => Colours::Reversed,
        ColoursForm::KeptReversed => Colours::KeptReversed,
    }
}

/// When scores end games.
pub(super) fn adjudication(form: &RunForm) -> Adjudication {
    let resign = form.resign.as_ref().and_then(|form| {
        let (move_count, two_sided) = (form.move_count.unwrap_or(1), form.two_sided.unwrap_or(false));
        Some(ResignRule { move_count, score: form.score?, two_sided })
    });
    let draw = form.draw.as_ref().and_then(|form| {
        let (move_number, move_count) = (form.move_number.unwrap_or(0), form.move_count.unwrap_or(1));
        Some(DrawRule { move_number, move_count, score: form.score? })
    });
    Adjudication { resign, draw }
}
