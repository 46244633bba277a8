//! `chuhe regulations`: the articles of the four events, what holds each, and the settings in force.
//! Decides nothing. Start at [`run`].

use std::io::{self, Write};
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
    super::exit::written(run(arguments, &mut io::BufWriter::new(io::stdout().lock())))
}

/// The command with its output going anywhere.
///
/// # Errors
/// The output cannot be written.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> io::Result<Exit> {
    let lang = Lang::from(arguments.lang);
    let only = arguments.event.as_deref().and_then(Regulation::from_name);
    for regulation in Regulation::ALL.into_iter().filter(|one| only.is_none_or(|only| only == *one)) {
        let usual = PathBuf::from(format!("configs/2006-{}.json", regulation.name()));
        let config = arguments.config.clone().or_else(|| usual.exists().then_some(usual));
        let title = title(regulation, lang);
        let settings = match config.map(|path| (runner::read_config(&path, &Overrides::default()), path)) {
            None => {
                writeln!(out, "{title}")?;
                None
            }
            Some((Ok((resolved, _)), path)) => {
                let of = lang.pick("settings of", "设置取自");
                writeln!(out, "{title} ({of} {})", path.display())?;
                Some(Settings::of(&resolved.plan))
            }
            Some((Err(problems), path)) => {
                return Ok(report_problems(&path.display().to_string(), &problems));
            }
        };
        for article in articles(regulation) {
            write_article(article, settings.as_ref(), lang, out)?;
        }
        writeln!(out)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// The event's number, what it was, and its word in configs.
fn title(regulation: Regulation, lang: Lang) -> String {
    let (number, english, chinese) = match regulation {
        Regulation::Championship => ("I", "Championship", "锦标赛"),
        Regulation::Blindfold => ("II", "Blindfold exhibition", "盲棋表演赛"),
        Regulation::ManMachine => ("III", "Man-machine match", "人机大战"),
        Regulation::NetMeeting => ("IV", "Net players' meeting", "网络棋手人机大会"),
    };
    format!("{number}  {} [{}]", lang.pick(english, chinese), regulation.name())
}

fn write_article(
    article: &Article,
    settings: Option<&Settings>,
    lang: Lang,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{:<7} {}", article.number, lang.pick(article.title, article.title_zh))?;
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
        writeln!(out, "        {line}")?;
    }
    Ok(())
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
