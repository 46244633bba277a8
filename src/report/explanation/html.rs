//! A repetition's explanation as part of an HTML page: its drawing beside what every half-move was. The
//! page brings the drawings' symbols and the style. Never decides anything. Start at [`section`].

use std::fmt::Write as _;

use super::{Explained, words};
use crate::law;
use crate::report::diagram_svg::Diagram;
use crate::report::html::escape;
use crate::report::{Lang, reasons};
use crate::xiangqi::Side;

/// The explanation below a heading that the page writes.
pub fn section(explained: &Explained<'_>, diagram: Diagram, lang: Lang) -> String {
    let Explained { ruling, found, start, .. } = explained;
    let mut out = String::new();
    let _ = writeln!(out, "<p><strong>{}</strong></p>", escape(&words::headline(ruling, lang)));
    let _ = writeln!(out, "<p>{}</p>", escape(&words::basis(ruling, found.actor, lang)));
    if let Some(article) = ruling.article.and_then(law::article) {
        let text = lang.pick(article.content.en, article.content.zh);
        let _ = writeln!(out, "<blockquote>{}</blockquote>", escape(text));
    }
    let before = ruling.span.start + 1;
    let caption = match (lang, reasons::side(start.side(), lang)) {
        (Lang::English, side) => format!("Before half-move {before}, {side} to move; what moves is marked."),
        (Lang::Chinese, side) => format!("第 {before} 个半回合之前，轮到{side}；循环中移动的子加标记。"),
    };
    out.push_str("<div class=\"ruled\">\n<figure>\n");
    out.push_str(&diagram.small(start, &explained.movers(), &start.fen()));
    let _ = writeln!(out, "<figcaption>{}</figcaption>\n</figure>\n<div>", escape(&caption));
    half_moves(explained, lang, &mut out);
    for side in Side::BOTH {
        let level = ruling.levels[side];
        let (name, why) = (reasons::level(level, lang), explained.level_reason(side, lang));
        let side = reasons::side(side, lang);
        let line = match lang {
            Lang::English => format!("{side}: level {}, {name}: {why}", level as u8),
            Lang::Chinese => format!("{side}：第 {} 级，{name}：{why}", level as u8),
        };
        let _ = writeln!(out, "<p>{}</p>", escape(&line));
    }
    let _ = writeln!(out, "<p>{}</p>\n</div>\n</div>", escape(&words::verdict(ruling, lang)));
    out
}

/// One round of the repetition, a row a half-move.
fn half_moves(explained: &Explained<'_>, lang: Lang, out: &mut String) {
    let span = words::span(explained.ruling, explained.round, lang);
    let span = span.trim_end_matches([':', '：']);
    let _ = writeln!(out, "<table>\n<caption>{}</caption>\n<thead>\n<tr>", escape(span));
    let heads = [
        lang.pick("ply", "着"),
        lang.pick("side", "方"),
        lang.pick("move", "坐标"),
        "WXF",
        lang.pick("Chinese", "中文"),
        lang.pick("what it was", "性质"),
    ];
    for head in heads {
        let _ = write!(out, "<th scope=\"col\">{head}</th>");
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    let round = &explained.found.halves[..explained.round];
    for (half, [wxf, chinese]) in round.iter().zip(&explained.written) {
        let (ply, side) = (half.ply + 1, reasons::side(half.side, lang));
        let _ = write!(
            out,
            "<tr><td class=\"n\">{ply}</td><td>{side}</td><td>{}</td><td>{}</td><td lang=\"zh-Hans\">{}</td><td>{}",
            half.mv,
            escape(wxf),
            escape(chinese),
            words::label(half.label, lang)
        );
        for reason in &half.reasons {
            let _ = write!(out, "<br><small>{}</small>", escape(&words::reason(reason, lang)));
        }
        out.push_str("</td></tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}
