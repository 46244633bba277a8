//! `chuhe rules`: the 35 articles of the Asian rules' section on repetition in our own words; one of them
//! with a worked example, explained. Start at [`run`].

use std::io::{self, Write};

use super::Exit;
use super::run::Language;
use crate::law::{ARTICLES, Article, Book, GENERAL_RULE, Outcome, article, judge, play_loop};
use crate::report::Lang;
use crate::report::explanation::{Explained, paragraph};
use crate::report::reasons;
use crate::xiangqi::{Move, Position, SquareStyle};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Number of an article, 1 to 35; 0 is the general rule. All if left out
    #[arg(value_parser = clap::value_parser!(u8).range(0..=35))]
    number: Option<u8>,
    /// Language
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
    let lang = arguments.lang.into();
    match arguments.number.and_then(article) {
        Some(article) => {
            write!(out, "{}\n{}", entry(article, lang), example(article, lang))?;
        }
        None => {
            for article in std::iter::once(&GENERAL_RULE).chain(&ARTICLES) {
                writeln!(out, "{}", entry(article, lang))?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// Number, title, what it prescribes, what it says.
fn entry(article: &Article, lang: Lang) -> String {
    let outcomes: Vec<&str> = article
        .outcomes()
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Loses => lang.pick("loses", "判负"),
            Outcome::Draw => lang.pick("draw", "判和"),
        })
        .collect();
    let name = reasons::article_name(article.number, lang);
    let title = lang.pick(article.title.en, article.title.zh);
    let title = match (article.number, outcomes.is_empty()) {
        (0, _) => title.to_owned(),
        (_, true) => format!("{name}{}{title}", lang.pick(": ", " ")),
        (_, false) => {
            let outcomes = outcomes.join(lang.pick(" or ", "或"));
            match lang {
                Lang::English => format!("{}{}: {title} ({outcomes})", name[..1].to_uppercase(), &name[1..]),
                Lang::Chinese => format!("{name} {title}（{outcomes}）"),
            }
        }
    };
    let mut text = format!("{title}\n");
    paragraph(lang.pick(article.content.en, article.content.zh), 4, lang, &mut text);
    let less: Vec<String> =
        article.more_specific_than().iter().filter(|number| **number > 0).map(u8::to_string).collect();
    if !less.is_empty() {
        let less = less.join(lang.pick(", ", "、"));
        let line = match lang {
            Lang::English => format!("Goes before: {less}"),
            Lang::Chinese => format!("优先于第 {less} 条"),
        };
        paragraph(&line, 4, lang, &mut text);
    }
    text
}

/// The worked example.
fn example(article: &Article, lang: Lang) -> String {
    let example = article.example();
    let read = |word: &str| SquareStyle::Zero.read(word.as_bytes());
    let moves: Option<Vec<Move>> = example.round.split_ascii_whitespace().map(read).collect();
    let explained = moves.zip(Position::from_fen(example.fen).ok()).and_then(|(moves, start)| {
        let trail = play_loop(start, &[], &moves, 3).ok()?;
        let first = trail.earlier().nth(1)?;
        let ruling = judge(&trail, first..trail.plies(), Book::Asian2006).ok()?;
        Some(Explained::new(&trail, &ruling).ok()?.example(lang))
    });
    // The examples are held to be sound by the tests of the law.
    let text = explained.unwrap_or_default();
    format!("{}\n\n{text}", lang.pick("Example", "示例"))
}
