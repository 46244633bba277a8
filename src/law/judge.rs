//! Judging a span: what every half-move did, each side's level, the verdict. One definition for all
//! rule books, which differ in their readings. Never asks what the half-moves were *for*: labels and
//! articles come afterwards and touch nothing here. Start at [`judge`].

use std::ops::Range;

use super::asian::cite;
use super::levels;
use super::readings::Readings;
use super::rules::Book;
use super::ruling::{Deed, Label, Level, Ruling, Verdict};
use super::span::{Span, SpanError};
use super::terms::chase::chases;
use super::terms::label::facets;
use super::trail::Trail;
use crate::xiangqi::BySide;

/// A span with its verdict, not yet explained.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The half-moves.
    pub(crate) span: Span,
    /// What each did; the labels say no more than check, chase or neither.
    pub deeds: Vec<Deed>,
    /// Each side's level.
    pub levels: BySide<Level>,
    /// Who loses.
    pub verdict: Verdict,
}

impl Book {
    /// How the book reads the places that can be read in several ways; `None` for a book in which every
    /// repetition is a draw.
    pub const fn readings(self) -> Option<Readings> {
        match self {
            Book::Asian2006 => Some(Readings::ASIAN_2006),
            Book::Computer => Some(Readings::COMPUTER),
            Book::Plain => None,
        }
    }
}

/// Judges the half-moves `span` of a game and explains them: deeds with labels, article.
///
/// # Errors
/// Why they are no repetition.
pub fn judge(trail: &Trail, span: Range<usize>, book: Book) -> Result<Ruling, SpanError> {
    let stretch = Span::new(trail, span.clone())?;
    let occurrences = stretch.occurrences();
    let Some(readings) = book.readings() else {
        return Ok(Ruling {
            book,
            occurrences,
            article: None,
            verdict: Verdict::Draw,
            levels: BySide { red: Level::Permitted, black: Level::Permitted },
            span,
            deeds: Vec::new(),
        });
    };
    let mut judged = judged(stretch, &readings);
    let facets = facets(&judged, &readings);
    for (deed, facets) in judged.deeds.iter_mut().zip(&facets) {
        deed.label = facets.label();
    }
    let article = match book {
        Book::Asian2006 => Some(cite(&judged, &facets).article),
        Book::Computer | Book::Plain => None,
    };
    Ok(Ruling {
        book,
        occurrences,
        article,
        verdict: judged.verdict,
        levels: judged.levels,
        span,
        deeds: judged.deeds,
    })
}

/// Only who loses: what [`judge`] says without its explanation, and much faster.
///
/// # Errors
/// Why the half-moves are no repetition.
pub fn verdict(trail: &Trail, span: Range<usize>, book: Book) -> Result<Verdict, SpanError> {
    match book.readings() {
        Some(readings) => judge_by(trail, span, &readings).map(|judged| judged.verdict),
        None => Span::new(trail, span).map(|_| Verdict::Draw),
    }
}

/// Judges the half-moves `span` of a game by given readings, without explanation.
///
/// # Errors
/// Why they are no repetition.
pub fn judge_by(trail: &Trail, span: Range<usize>, readings: &Readings) -> Result<Judged, SpanError> {
    Ok(judged(Span::new(trail, span)?, readings))
}

fn judged(span: Span, readings: &Readings) -> Judged {
    let deeds = deeds(&span, readings);
    let levels = levels::levels(&span, &deeds, readings);
    let verdict = levels::verdict(&span, &deeds, levels, readings);
    Judged { span, deeds, levels, verdict }
}

/// What each half-move did. In later rounds of a loop the first round's chases are taken over, with the
/// identities of the pieces that now stand on the points.
fn deeds(span: &Span, readings: &Readings) -> Vec<Deed> {
    let mut deeds: Vec<Deed> = Vec::with_capacity(span.plies.len());
    for (place, ply) in span.plies.iter().enumerate() {
        let first = span.first_like(place);
        let deed = if first < place {
            let mut deed = deeds[first].clone();
            for chase in &mut deed.chases {
                chase.attacker_id = ply.ids.of(chase.attacker);
                chase.victim_id = ply.ids.of(chase.victim);
            }
            deed
        } else {
            let silent = ply.check && !readings.check_also_chases;
            let chases = if silent { Vec::new() } else { chases(ply, readings) };
            let label = match (ply.check, chases.is_empty()) {
                (true, _) => Label::Check,
                (false, false) => Label::Chase,
                (false, true) => Label::Idle,
            };
            Deed { check: ply.check, chases, label }
        };
        deeds.push(deed);
    }
    deeds
}
