//! Floor 4: the four event regulations of August 2006 as tables: one row an article, 44 in all, in the
//! order of the text, each with a title in our own words and what holds it. Decides nothing itself: it
//! names the place that does. Start at [`ARTICLES`] and [`Article`].

mod blindfold;
mod championship;
mod holds;
mod man_machine;
mod net_meeting;

use crate::plan::Regulation;
use crate::record::{ScreensSettings, Settings};

/// An article.
#[derive(Debug, Clone, Copy)]
pub struct Article {
    /// Its number: `I.7`.
    pub number: &'static str,
    /// What it is about, in English.
    pub title: &'static str,
    /// What it is about, in Chinese.
    pub title_zh: &'static str,
    /// What holds it, the most important first.
    pub held_by: &'static [Hold],
}

/// What holds an article.
#[derive(Debug, Clone, Copy)]
pub enum Hold {
    /// A setting of the config, by its path, that is shown in every header.
    Setting(&'static str),
    /// A machine: the source file whose code obeys it.
    Machine(&'static str),
    /// Records, commas between: the files of a run folder or the words of its journal that show it.
    Record(&'static str),
    /// A person: what is left to people, in English and Chinese.
    Person(&'static str, &'static str),
    /// Nothing yet, and why: a run that would need it is refused.
    Missing(&'static str),
}

/// All articles, in the order of the text.
pub const ARTICLES: [(Regulation, &[Article]); 4] = [
    (Regulation::Championship, championship::ARTICLES),
    (Regulation::Blindfold, blindfold::ARTICLES),
    (Regulation::ManMachine, man_machine::ARTICLES),
    (Regulation::NetMeeting, net_meeting::ARTICLES),
];

/// The articles of a regulation.
pub fn articles(regulation: Regulation) -> &'static [Article] {
    ARTICLES.iter().find(|(one, _)| *one == regulation).map_or(&[], |(_, articles)| articles)
}

/// The values in force of the settings that articles leave open or fix, by the path of the setting.
pub fn value(settings: &Settings, path: &str) -> Option<String> {
    let stage = settings.stages.first()?;
    let format = serde_json::to_value(&stage.format).ok()?;
    let part = |name: &str| {
        let value = format.get(name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let rules = &settings.rules;
    let conduct = &settings.conduct;
    match path {
        "time" => Some(format!("{} s", stage.time.control)),
        "format.groups" => Some(
            format.get("groups")?.as_array()?.iter().map(|group| group.as_array().map_or(0, Vec::len)).fold(
                String::new(),
                |list, size| {
                    if list.is_empty() { size.to_string() } else { format!("{list}+{size}") }
                },
            ),
        ),
        "format.games" => part("games"),
        "format.qualify_per_group" => part("qualify"),
        "format.carry_over" => part("carry_over"),
        "format.max_bouts" => part("guard"),
        "format.order" => {
            part("bouts").map(|bouts| if bouts == "true" { "bouts" } else { "cycles" }.to_owned())
        }
        "format.visit" => part("visit"),
        "format.colour" => part("colour"),
        "format.isolate" => part("isolate"),
        "format.advice" => part("advice"),
        "format.overrun" => part("overrun"),
        "format.max_overruns" => part("most_overruns"),
        "format.session" => {
            let session = std::time::Duration::from_micros(format.get("session")?.as_u64()?);
            Some(format!("{} s", crate::game::write_seconds(session)))
        }
        "entrants.time" => {
            let own = |entrant: &crate::record::EntrantSettings| {
                let time = entrant.time.as_ref()?;
                Some(format!("{} {} s", entrant.name, time.control))
            };
            Some(settings.entrants.iter().filter_map(own).collect::<Vec<_>>().join(", "))
        }
        "entrants.team" => {
            let sizes = settings.entrants.iter().filter(|entrant| !entrant.team.is_empty());
            let sizes = sizes.map(|entrant| format!("{} of {}", entrant.name, entrant.team.len() + 1));
            Some(sizes.collect::<Vec<_>>().join(", "))
        }
        "format.play_off_time" => settings.stages.get(1).map(|stage| format!("{} s", stage.time.control)),
        "points" => Some(settings.points.clone()),
        "rules.book" => Some(format!("{}, occurrence {}", rules.book, rules.occurrences)),
        "rules.occurrences" => Some(rules.occurrences.to_string()),
        "crash" => Some(conduct.crash.clone()),
        "margin" => Some(format!("{} ms", conduct.margin.as_micros() as f64 / 1000.0)),
        "journal" => Some(if conduct.every_move { "move" } else { "game" }.to_owned()),
        "seed" => Some(settings.seed.to_string()),
        "lock" => Some(conduct.lock.clone()),
        "rotation" => conduct.rotation.clone(),
        "format.commitment" => settings.commitment.clone(),
        "screens" => {
            let ScreensSettings { opponent, thinking, delay } = conduct.screens?;
            Some(format!("opponent {opponent}, thinking {thinking}, delay {delay} s"))
        }
        "entrants" => Some(settings.entrants.len().to_string()),
        _ => None,
    }
}
