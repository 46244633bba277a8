//! The cross table as one HTML page: real tables, no script, nothing loaded from elsewhere, every text
//! escaped. Start at [`page`].

use super::Style;
use super::crosstable::{below, game_text, name, wdl};
use super::header;
use super::lang::Lang;
use super::page::Page;
use super::reasons;
use super::sheet::{Cell, CellKind, Row, Sheet, decided, sheets, token};
use crate::record::Run;

/// The style of plain pages.
pub(super) const STYLE: &str = "body{font-family:sans-serif;margin:2em;max-width:70em}\
table{border-collapse:collapse;margin:1em 0}caption{text-align:left;font-weight:bold;padding:.3em 0}\
th,td{border:1px solid #999;padding:.2em .5em}td.n{text-align:right}td.c{text-align:center}\
td.own{background:#ddd}th{background:#eee;text-align:left}";

/// Whether a character of a foreign text disturbs what is around it: control characters, and those that
/// turn the direction of writing.
pub fn disturbs(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Makes a text safe in element content and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if disturbs(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// `crosstable.html`.
pub fn page(run: &Run, style: &Style) -> String {
    let lang = style.lang;
    let event = run.settings().map_or("", |settings| settings.event.as_str());
    Page { title: event, lang, style: STYLE, script: "" }.around(|out| write_body(run, event, lang, out))
}

fn write_body(run: &Run, event: &str, lang: Lang, out: &mut String) {
    out.push_str(&format!("<h1>{}</h1>\n", escape(event)));
    let sheets = sheets(run);
    for sheet in &sheets {
        write_table(run, sheet, lang, out);
    }
    for line in below(run, &sheets, lang).iter().filter(|line| !line.is_empty()) {
        out.push_str(&format!("<p>{}</p>\n", escape(line.trim())));
    }
    if sheets.iter().any(has_links) {
        write_games(run, lang, out);
    }
    write_facts(run, lang, out);
}

/// Whether cells show single games, which link to the list of games below.
fn has_links(sheet: &Sheet) -> bool {
    sheet.grid && sheet.cell != CellKind::Sums
}

/// A stage's cross table; single games are links to `#game-ID`.
pub(super) fn write_table(run: &Run, sheet: &Sheet, lang: Lang, out: &mut String) {
    let caption = format!("{}: {}", lang.pick("Cross table", "成绩表"), sheet.title(lang));
    out.push_str(&format!("<table>\n<caption>{}</caption>\n<thead>\n<tr>", escape(&caption)));
    let mut heads = vec![sheet.number_heading(lang).to_owned(), lang.pick("Engine", "棋软").to_owned()];
    if sheet.grid {
        heads.extend((1..=sheet.rows.len()).map(|column| column.to_string()));
    }
    let rest = [
        ("Games", "局"),
        ("W-D-L", "胜-和-负"),
        ("Points", "积分"),
        ("Wins as Black", "后胜"),
        ("Decided by", "排名依据"),
    ];
    let shown = if sheet.exhibition.is_none() { rest.len() } else { rest.len() - 2 };
    heads.extend(rest[..shown].iter().map(|(english, chinese)| lang.pick(english, chinese).to_owned()));
    for head in heads {
        out.push_str(&format!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in &sheet.rows {
        write_row(run, sheet, row, lang, out);
    }
    out.push_str("</tbody>\n</table>\n");
}

fn write_row(run: &Run, sheet: &Sheet, row: &Row, lang: Lang, out: &mut String) {
    let entrant = escape(name(run, row.entrant, lang));
    out.push_str(&format!("<tr><td class=\"n\">{}</td><th scope=\"row\">{entrant}</th>", sheet.number(row)));
    for cell in &row.cells {
        match cell {
            Cell::Own => out.push_str("<td class=\"own c\">x</td>"),
            Cell::Sum(sum) if sum.games() == 0 => out.push_str("<td class=\"c\">.</td>"),
            Cell::Sum(sum) => out.push_str(&format!("<td class=\"c\">{}</td>", wdl(*sum))),
            Cell::Games(games) => {
                let marks = games.iter().map(|game| {
                    let text = game_text(game.as_ref(), sheet.points, lang);
                    match game {
                        None => text,
                        Some(game) => format!("<a href=\"#game-{}\">{text}</a>", game.id),
                    }
                });
                let marks = marks.collect::<Vec<_>>().join(" ");
                out.push_str(&format!("<td class=\"c\">{marks}</td>"));
            }
        }
    }
    let total = row.line.total();
    out.push_str(&format!(
        "<td class=\"n\">{}</td><td class=\"c\">{}</td><td class=\"n\"><strong>{}</strong></td>",
        total.games(),
        wdl(total),
        sheet.points.write(row.line.points),
    ));
    if sheet.exhibition.is_none() {
        out.push_str(&format!(
            "<td class=\"n\">{}</td><td>{}</td>",
            row.line.black.wins,
            escape(&decided(row.line.decided, sheet.points, lang)),
        ));
    }
    out.push_str("</tr>\n");
}

fn write_games(run: &Run, lang: Lang, out: &mut String) {
    out.push_str(&format!("<table>\n<caption>{}</caption>\n<thead>\n<tr>", lang.pick("Games", "对局")));
    let heads = [
        ("Game", "局号"),
        ("Red", "红方"),
        ("Black", "黑方"),
        ("Result", "结果"),
        ("Moves", "回合"),
        ("Reason", "原因"),
    ];
    for (english, chinese) in heads {
        out.push_str(&format!("<th scope=\"col\">{}</th>", lang.pick(english, chinese)));
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for game in run.games() {
        let id = game.id;
        out.push_str(&format!(
            "<tr id=\"game-{id}\"><th scope=\"row\">{id}</th><td>{}</td><td>{}</td><td class=\"c\">{}</td>\
             <td class=\"n\">{}</td><td>{}</td></tr>\n",
            escape(name(run, game.red, lang)),
            escape(name(run, game.black, lang)),
            token(game.outcome),
            game.plies.div_ceil(2),
            escape(&reasons::sentence(&game.termination, lang)),
        ));
    }
    out.push_str("</tbody>\n</table>\n");
}

/// The settings in force.
pub(super) fn write_facts(run: &Run, lang: Lang, out: &mut String) {
    out.push_str(&format!("<table>\n<caption>{}</caption>\n<tbody>\n", lang.pick("Settings", "设置")));
    for (label, fact) in header::facts(run, lang) {
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            escape(&label),
            escape(&fact)
        ));
    }
    out.push_str("</tbody>\n</table>\n");
}
