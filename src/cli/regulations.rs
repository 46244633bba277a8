//! `chuhe regulations`: the articles of the four events, what holds each, and the settings in force.
//! Start at [`execute`].

use std::path::PathBuf;

use super::Exit;
use super::exit::report_problems;
use super::run::Language;
use crate::config::Overrides;
use crate::plan::Regulation;
use crate::record::Settings;
use crate::regulations::{Article, Hold, articles, value};
use crate::report::Lang;
use crate::runner::{self, TRANSCRIPTS};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// An event; all four if none is named
    #[arg(value_parser = ["championship", "blindfold", "man-machine", "net-meeting"])]
    event: Option<String>,
    /// A config whose settings are shown beside the articles; configs/2006-EVENT.json if it is there
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Language of what is printed
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let lang = Lang::from(arguments.lang);
    let only = arguments.event.as_deref().and_then(Regulation::from_name);
    for regulation in Regulation::ALL.into_iter().filter(|one| only.is_none_or(|only| only == *one)) {
        let usual = PathBuf::from(format!("configs/2006-{}.json", regulation.name()));
        let config = arguments.config.clone().or_else(|| usual.exists().then_some(usual));
        let settings = match config.map(|path| (runner::read_config(&path, &Overrides::default()), path)) {
            None => None,
            Some((Ok((resolved, _)), path)) => {
                println!(
                    "{} ({}: {})",
                    regulation.name(),
                    lang.pick("settings of", "设置取自"),
                    path.display()
                );
                Some(Settings::of(&resolved.plan))
            }
            Some((Err(problems), path)) => return report_problems(&path.display().to_string(), &problems),
        };
        if settings.is_none() {
            println!("{}", regulation.name());
        }
        for article in articles(regulation) {
            print_article(article, settings.as_ref(), lang);
        }
        println!();
    }
    Exit::Done
}

fn print_article(article: &Article, settings: Option<&Settings>, lang: Lang) {
    println!("{:<7} {}", article.number, lang.pick(article.title, article.title_zh));
    for hold in article.held_by {
        let line = match hold {
            Hold::Setting(path) => {
                let now = settings.and_then(|settings| value(settings, path));
                let now = now.map(|value| format!(" = {value}")).unwrap_or_default();
                format!("{} {path}{now}", lang.pick("setting", "设置"))
            }
            Hold::Machine(file) => format!("{} {file}", lang.pick("machine", "机制")),
            Hold::Record(places) => records(places, lang),
            Hold::Person(english, chinese) => {
                format!("{} {}", lang.pick("person", "人员"), lang.pick(english, chinese))
            }
            Hold::Missing(why) => format!("{} {why}", lang.pick("missing", "未实现")),
        };
        println!("        {line}");
    }
}

/// Files of the run folder apart from words of the journal.
fn records(places: &str, lang: Lang) -> String {
    let is_file = |place: &&str| place.contains('.') || *place == TRANSCRIPTS;
    let (files, words): (Vec<&str>, Vec<&str>) = places.split(", ").partition(is_file);
    let listed = |list: Vec<&str>, label: &str| {
        (!list.is_empty()).then(|| format!("{label} {}", list.join(lang.pick(", ", "、"))))
    };
    let parts = [listed(files, lang.pick("files", "文件")), listed(words, lang.pick("journal", "日志"))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{} {}", lang.pick("record", "记录"), parts.join(lang.pick("; ", "；")))
}
