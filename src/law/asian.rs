//! The 35 articles of the Asian rules: their titles and what they say in our own words, English and
//! Chinese; and which one describes a judged span. They explain a verdict and never decide it: a clause
//! that prescribes another verdict than the computed one is not asked. Start at [`ARTICLES`].

mod clauses;
mod facts;

use self::clauses::{CLAUSES, Outcome};
use self::facts::Facts;
use super::judge::Judged;
use super::terms::label::Facets;
use crate::xiangqi::Side;

/// An article and the side whose half-moves it describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Citation {
    /// The article; 0 is the general rule.
    pub article: u8,
    /// Whose half-moves it describes: in a draw the side whose clause ranks first, or else the side that
    /// moved last.
    pub actor: Side,
}

/// The article that describes a judged span: the first clause in order of priority that prescribes the
/// computed verdict and applies.
pub(crate) fn cite(judged: &Judged, facets: &[Facets]) -> Citation {
    let facts = Facts::new(judged, facets);
    let last = judged.span.plies.last().map_or(Side::Black, |ply| ply.side);
    let (outcome, sides) = match judged.verdict.loser() {
        Some(loser) => (Outcome::Loses, vec![loser]),
        None => (Outcome::Draw, vec![last, !last]),
    };
    for clause in CLAUSES.iter().filter(|clause| clause.outcome == outcome) {
        for side in &sides {
            if (clause.applies)(&facts, *side) {
                return Citation { article: clause.article, actor: *side };
            }
        }
    }
    Citation { article: 0, actor: last }
}
