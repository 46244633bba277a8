//! The 35 articles of the Asian rules: their titles and what they say in our own words, English and
//! Chinese; and which one describes a judged span. They explain a verdict and never decide it: a clause
//! that prescribes another verdict than the computed one is not asked. Start at [`ARTICLES`].

mod articles;
mod clauses;
mod examples;
mod facts;

pub use self::articles::{ARTICLES, Article, GENERAL_RULE, Text};
use self::clauses::CLAUSES;
pub use self::clauses::Outcome;
use self::examples::EXAMPLES;
pub use self::examples::Example;
use self::facts::Facts;
use super::judge::Judged;
use super::terms::label::Facets;
use crate::xiangqi::Side;

/// The article of a number: 1 to 35, or 0 for the general rule.
pub fn article(number: u8) -> Option<&'static Article> {
    match number {
        0 => Some(&GENERAL_RULE),
        _ => ARTICLES.get(usize::from(number) - 1),
    }
}

impl Article {
    /// What it prescribes for the side whose half-moves it describes, each outcome once: most articles know
    /// one, some know both.
    pub fn outcomes(&self) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = self.clauses().map(|clause| clause.outcome).collect();
        outcomes.dedup();
        outcomes
    }

    /// The articles that it is more specific than, in order; 0 is the general rule.
    pub fn more_specific_than(&self) -> Vec<u8> {
        let mut numbers: Vec<u8> = self.clauses().flat_map(|clause| clause.before).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// A loop that this article describes.
    pub fn example(&self) -> Example {
        EXAMPLES[usize::from(self.number)]
    }

    fn clauses(&self) -> impl Iterator<Item = &'static clauses::Clause> {
        let number = self.number;
        CLAUSES.iter().filter(move |clause| clause.article == number)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_article_has_its_row_and_a_clause() {
        for (number, article) in (1..).zip(&ARTICLES) {
            assert_eq!(article.number, number);
            assert!(!article.outcomes().is_empty(), "article {number} never applies");
            for text in [article.title, article.content] {
                assert!(text.en.is_ascii() && !text.zh.is_ascii(), "article {number}: {text:?}");
            }
        }
        assert_eq!(article(35).map(|article| article.number), Some(35));
        assert_eq!(article(36), None);
        assert!(CLAUSES.iter().all(|clause| article(clause.article).is_some()));
    }

    #[test]
    fn the_more_specific_clause_stands_first() {
        for (place, clause) in CLAUSES.iter().enumerate() {
            for less in clause.before {
                let later = CLAUSES[place..]
                    .iter()
                    .any(|other| other.article == *less && other.outcome == clause.outcome);
                let earlier = CLAUSES[..place].iter().any(|other| {
                    other.article == *less
                        && other.outcome == clause.outcome
                        && other.article != clause.article
                });
                assert!(later && !earlier, "article {} before {less}", clause.article);
            }
        }
    }
}
