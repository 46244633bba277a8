//! What people are told of a game that is going wrong: a loop that would be lost, an engine that says it has no
//! move. Decides nothing. Start at [`Table::note_losing_loop`].

use super::{Effect, Table};
use crate::law;

impl Table {
    /// When a position stands for the last time before the rule book judges it: notes that the loop as played
    /// so far would be lost. Once a loop, though every position of it stands so often.
    pub(super) fn note_losing_loop(&mut self, effects: &mut Vec<Effect>) {
        let rules = self.game.terms().rules.repetition;
        let trail = self.game.trail();
        let stood = trail.occurrences();
        if stood < 2 || stood + 1 != rules.occurrences {
            return;
        }
        let plies = trail.plies();
        let fresh = |first: &usize| *first >= self.warned || self.warned > plies;
        let Some(span) = trail.earlier().nth(stood as usize - 2).filter(fresh).map(|first| first..plies)
        else {
            return;
        };
        let lost =
            law::verdict(trail, span.clone(), rules.book).is_ok_and(|verdict| verdict.loser().is_some());
        let Some(ruling) = lost.then(|| law::judge(trail, span, rules.book).ok()).flatten() else { return };
        let Some(loser) = ruling.verdict.loser() else { return };
        let article = ruling.article.and_then(law::article).map_or_else(String::new, |article| {
            let name =
                if article.number == 0 { String::new() } else { format!("article {}, ", article.number) };
            format!(" ({name}{})", article.title.en)
        });
        let text = format!(
            "the position stands for the {} time; if the loop goes on, {loser} loses{article}",
            ordinal(stood)
        );
        self.warned = plies;
        self.note(loser, "repetition_warning", text, effects);
    }

    /// The cause of a `nobestmove` with moves left, as far as the game shows it.
    pub(super) fn why_no_move(&self) -> String {
        let trail = self.game.trail();
        let quiet = trail.position().quiet();
        let cause = if trail.occurrences() >= 3 {
            format!("the position stands for the {} time", ordinal(trail.occurrences()))
        } else if quiet >= 100 {
            format!("{quiet} plies without a capture")
        } else {
            "no cause that the referee can see".to_owned()
        };
        let moves = trail.position().count_legal();
        format!("nobestmove although there are {moves} legal moves ({cause}); it counts as a resignation")
    }
}

fn ordinal(number: u32) -> String {
    match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        4 => "fourth".to_owned(),
        _ => format!("{number}th"),
    }
}
