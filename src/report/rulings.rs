//! The repetition rulings of a run, each with its full explanation: as text, as a page with drawings, and
//! for programs. Never judges again. Start at [`text`].

use serde_json::{Value, json};

use super::Style;
use super::crosstable::game_line;
use super::diagram_svg::{Diagram, STYLE as DRAWING};
use super::explanation::{Explained, replay};
use super::html::{STYLE, escape};
use super::lang::Lang;
use super::page::Page;
use super::reasons;
use super::sheet::token;
use crate::game::Termination;
use crate::law::Ruling;
use crate::record::{GameSummary, Run, ruling_record};
use crate::xiangqi::Side;

/// Games that ended by a repetition, with their rulings, in schedule order.
fn rulings(run: &Run) -> impl Iterator<Item = (GameSummary, Ruling)> {
    run.games().filter_map(|game| match &game.termination {
        Termination::Repetition(ruling) => {
            let ruling = ruling.clone();
            Some((game, ruling))
        }
        Termination::Mated { .. }
        | Termination::NoMove { .. }
        | Termination::DeadPosition
        | Termination::NoCapture
        | Termination::MaxLength
        | Termination::Flag { .. }
        | Termination::OverrunInCheck { .. }
        | Termination::IllegalMove { .. }
        | Termination::Crashed { .. }
        | Termination::Stalled { .. }
        | Termination::Resigned { .. }
        | Termination::Agreed
        | Termination::Adjudicated { .. }
        | Termination::Forfeited { .. }
        | Termination::SessionOver
        | Termination::Held { .. }
        | Termination::Abandoned { .. } => None,
    })
}

/// `rulings.txt`.
pub fn text(run: &Run, style: &Style) -> String {
    let lang = style.lang;
    let mut out = String::new();
    for (game, ruling) in rulings(run) {
        out.push_str(&format!("{}\n", game_line(run, &game, lang)));
        for line in explain(&game, &ruling, lang) {
            out.push_str(format!("  {line}").trim_end());
            out.push('\n');
        }
        out.push('\n');
    }
    if out.is_empty() {
        out.push_str(&format!("{}\n", none(lang)));
    }
    out
}

/// The explanation of one ruling; where the game cannot be replayed (its moves are not kept, or the journal
/// comes from elsewhere), what the ruling itself says.
pub(super) fn explain(game: &GameSummary, ruling: &Ruling, lang: Lang) -> Vec<String> {
    let text = with_explanation(game, ruling, |explained| explained.text(lang));
    text.map_or_else(|| brief(ruling, lang), |text| text.lines().map(str::to_owned).collect())
}

fn with_explanation<T>(
    game: &GameSummary,
    ruling: &Ruling,
    write: impl FnOnce(&Explained<'_>) -> T,
) -> Option<T> {
    let judged = game.moves.as_ref()?;
    let trail = replay(&judged.fen, &judged.moves)?;
    let explained = Explained::new(&trail, ruling).ok()?;
    Some(write(&explained))
}

fn brief(ruling: &Ruling, lang: Lang) -> Vec<String> {
    let (from, to, stood) = (ruling.span.start + 1, ruling.span.end, ruling.occurrences);
    let judged = match lang {
        Lang::English => format!("judged: half-moves {from} to {to}; the position stood {stood} times"),
        Lang::Chinese => format!("裁决区间：第 {from} 至 {to} 个半回合；同一局面出现 {stood} 次"),
    };
    let levels = Side::BOTH.map(|side| {
        let level = ruling.levels[side];
        let gap = lang.pick(": ", "：");
        format!("{}{gap}{} ({})", reasons::side(side, lang), reasons::level(level, lang), level as u8)
    });
    vec![judged, levels.join(lang.pick("; ", "；"))]
}

/// Most rulings on a page; the JSON has all.
const PAGE_LIMIT: usize = 500;

/// `rulings.html`.
pub fn english(run: &Run, _style: &Style) -> String {
    page(run, Lang::English)
}

/// `rulings.zh.html`.
pub fn chinese(run: &Run, _style: &Style) -> String {
    page(run, Lang::Chinese)
}

fn page(run: &Run, lang: Lang) -> String {
    let event = run.settings().map_or("", |settings| settings.event.as_str());
    let title = format!("{event}{}", lang.pick(": rulings on repetitions", "：循环局面裁决"));
    let style = format!("{STYLE}{RULING_STYLE}{DRAWING}");
    Page { title: &title, lang, style: &style, script: "" }.around(|body| {
        body.push_str(&format!("<h1>{}</h1>\n{}", escape(&title), Diagram::of(lang).symbols()));
        body.push_str(&sections(run, PAGE_LIMIT, lang));
    })
}

/// The style of rulings, for pages that have them.
pub const RULING_STYLE: &str = "\
.ruled{display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start}\
.ruled figure{margin:0;flex:0 1 18em}.ruled>div{flex:1 1 22em;overflow-x:auto}.ruled figcaption{font-size:.9em}\
.small{width:100%;max-width:24em}blockquote{margin:.5em 0;padding-left:.8em;border-left:.2em solid #aaa}\
section{margin-bottom:2em}h2{font-size:1.1em}";

/// The first rulings as sections of a page that has the drawings' symbols.
pub fn sections(run: &Run, most: usize, lang: Lang) -> String {
    let mut out = String::new();
    for (game, ruling) in rulings(run).take(most) {
        let heading = escape(&game_line(run, &game, lang));
        out.push_str(&format!("<section id=\"ruling-{}\">\n<h2>{heading}</h2>\n", game.id));
        let explained = with_explanation(&game, &ruling, |explained| explained.html(Diagram::of(lang), lang));
        let brief = || brief(&ruling, lang).iter().map(|line| format!("<p>{}</p>\n", escape(line))).collect();
        out.push_str(&explained.unwrap_or_else(brief));
        out.push_str("</section>\n");
    }
    if out.is_empty() {
        out.push_str(&format!("<p>{}</p>\n", none(lang)));
    }
    let all = rulings(run).count();
    if all > most {
        out.push_str(&match lang {
            Lang::English => format!("<p>The first {most} of {all}; all are in rulings.json.</p>\n"),
            Lang::Chinese => format!("<p>以上为前 {most} 例，共 {all} 例，全部见 rulings.json。</p>\n"),
        });
    }
    out
}

const fn none(lang: Lang) -> &'static str {
    lang.pick("No game ended by a repetition.", "没有因循环局面结束的对局。")
}

/// `rulings.json`: a list; the same data for programs.
pub fn json(run: &Run, _style: &Style) -> String {
    let rulings: Vec<Value> = rulings(run)
        .map(|(game, ruling)| {
            json!({
                "game": game.id.to_string(),
                "red": run.name(game.red),
                "black": run.name(game.black),
                "result": token(game.outcome),
                "reason_en": reasons::sentence(&game.termination, Lang::English),
                "reason_zh": reasons::sentence(&game.termination, Lang::Chinese),
                "ruling": ruling_record(&ruling),
                "fen": game.moves.as_ref().map(|judged| judged.fen.as_str()),
                "moves": game.moves.as_ref().map(|judged| judged.moves.as_str()),
                "explanation": with_explanation(&game, &ruling, |explained| explained.json()),
            })
        })
        .collect();
    super::pretty(&Value::Array(rulings))
}
