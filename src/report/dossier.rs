//! `report.html`: all that people ask after a run, in one file that needs nothing else: tables, why each
//! place stands, plots, games to step through, rulings with drawings, the settings in force. Fit for paper.
//! Never decides anything, and loads nothing. Start at [`page`].

use std::fmt::Write as _;

use super::Style;
use super::album::Album;
use super::crosstable::{below, name, wdl};
use super::diagram_svg::{Diagram, STYLE as DRAWING};
use super::html::{STYLE, escape, write_facts, write_table};
use super::lang::Lang;
use super::page::Page;
use super::plots;
use super::rulings::{self, RULING_STYLE};
use super::sheet::{Row, Sheet, decided, sheets};
use super::viewer;
use crate::record::Run;
use crate::tournament::Decided;

/// What the plain pages' style lacks.
const OWN_STYLE: &str = "\
body{margin:1em auto;padding:0 1em;line-height:1.4;color:#111;background:#fff}h1,h2,p,li{overflow-wrap:anywhere}td,th{overflow-wrap:break-word}td.c,td.n{white-space:nowrap}tbody th{min-width:4em}.places{list-style:none;padding:0}\
nav a{margin-right:1em}.wide{overflow-x:auto}h2{margin-top:1.6em;border-bottom:2px solid #999}section h2{border:0;margin-top:1em}\
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27em),1fr));gap:1em}\
svg.plot{width:100%;height:auto;border:1px solid #ddd}\
@media print{nav,.bar,.told{display:none}body{margin:0;max-width:none;font-size:10pt}.moves{max-height:none;overflow:visible;border:0}.moves a.now{background:none;color:#111;font-weight:bold}.plots{grid-template-columns:1fr 1fr}\
.wide,.ruled>div{overflow:visible}section,figure,svg.plot,tr{break-inside:avoid}h2{break-after:avoid}.view>div:first-child{max-width:14em}}";

/// `report.html`.
pub fn english(run: &Run, album: &Album, _style: &Style) -> String {
    page(run, album, Lang::English)
}

/// `report.zh.html`.
pub fn chinese(run: &Run, album: &Album, _style: &Style) -> String {
    page(run, album, Lang::Chinese)
}

/// Writes a part of the page.
type Part = fn(&Run, &Album, Lang, &mut String);

/// The whole page in a language.
fn page(run: &Run, album: &Album, lang: Lang) -> String {
    let event = run.settings().map_or("", |settings| settings.event.as_str());
    let parts: [(&str, &str, Part); 6] = [
        ("standings", lang.pick("Standings", "成绩"), standings),
        ("places", lang.pick("Why each place stands", "名次依据"), places),
        ("plots", lang.pick("Plots", "图表"), plotted),
        ("games", lang.pick("Games", "对局"), viewer::write_games),
        ("rulings", lang.pick("Rulings on repetitions", "循环局面裁决"), ruled),
        ("settings", lang.pick("Settings in force", "比赛设置"), settings),
    ];
    let style = format!("{STYLE}{RULING_STYLE}{}{OWN_STYLE}{DRAWING}", viewer::STYLE);
    let page = Page { title: event, lang, style: &style, script: viewer::SCRIPT };
    page.around(|body| write_body(run, album, lang, parts, body))
}

fn write_body(run: &Run, album: &Album, lang: Lang, parts: [(&str, &str, Part); 6], body: &mut String) {
    let event = run.settings().map_or("", |settings| settings.event.as_str());
    let _ = write!(body, "<h1>{}</h1>\n<nav>", escape(event));
    for (id, title, _) in &parts {
        let _ = write!(body, "<a href=\"#{id}\">{title}</a> ");
    }
    let (file, other) = (lang.pick("report.zh.html", "report.html"), lang.pick("zh-Hans", "en"));
    let _ = writeln!(
        body,
        "<a href=\"{file}\" lang=\"{other}\">{}</a></nav>\n{}",
        lang.pick("中文", "English"),
        Diagram::of(lang).symbols()
    );
    for (id, title, write) in parts {
        let _ = writeln!(body, "<h2 id=\"{id}\">{title}</h2>");
        write(run, album, lang, body);
    }
}

fn standings(run: &Run, _album: &Album, lang: Lang, out: &mut String) {
    let sheets = sheets(run);
    for sheet in &sheets {
        out.push_str("<div class=\"wide\">\n");
        write_table(run, sheet, lang, out);
        out.push_str("</div>\n");
    }
    for line in below(run, &sheets, lang).iter().filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "<p>{}</p>", escape(line.trim()));
    }
}

/// A sentence for every place.
fn places(run: &Run, _album: &Album, lang: Lang, out: &mut String) {
    let sheets = sheets(run);
    for sheet in &sheets {
        if sheets.len() > 1 {
            let _ = writeln!(out, "<h3>{}</h3>", escape(sheet.title(lang)));
        }
        out.push_str("<ul class=\"places\">\n");
        for row in &sheet.rows {
            let _ = writeln!(out, "<li>{}</li>", escape(&place(run, sheet, row, lang)));
        }
        out.push_str("</ul>\n");
    }
}

fn place(run: &Run, sheet: &Sheet, row: &Row, lang: Lang) -> String {
    let points = sheet.points.write(row.line.points);
    let level = sheet.rows.iter().filter(|other| other.line.points == row.line.points).count() - 1;
    let (name, rank, counts) = (name(run, row.entrant, lang), row.line.rank, wdl(row.line.total()));
    let by = decided(row.line.decided, sheet.points, lang);
    let why = match (lang, row.line.decided) {
        (Lang::English, Decided::Points) if level == 0 => "by points alone".to_owned(),
        (Lang::Chinese, Decided::Points) if level == 0 => "仅凭积分".to_owned(),
        (Lang::English, Decided::Points) => format!("level on points with {level} more"),
        (Lang::Chinese, Decided::Points) => format!("与另外 {level} 名同分"),
        (Lang::English, Decided::Shared) => format!("level with {level} more in all that counts, shared"),
        (Lang::Chinese, Decided::Shared) => format!("与另外 {level} 名各项相同，并列"),
        (Lang::English, _) if level > 0 => format!("level on points with {level} more, then: {by}"),
        (Lang::Chinese, _) if level > 0 => format!("与另外 {level} 名同分，再依：{by}"),
        (_, _) => by,
    };
    match lang {
        Lang::English => format!("{rank}. {name}: {points} points ({counts}), {why}"),
        Lang::Chinese => format!("第 {rank} 名 {name}：{points} 分（{counts}），{why}"),
    }
}

fn plotted(run: &Run, album: &Album, lang: Lang, out: &mut String) {
    out.push_str("<div class=\"plots\">\n");
    plots::plots(run).for_each(|plot| out.push_str(&plot(run, album, lang)));
    out.push_str("</div>\n");
}

fn ruled(run: &Run, _album: &Album, lang: Lang, out: &mut String) {
    out.push_str(&rulings::sections(run, RULINGS, lang));
}

/// Most rulings that are explained here; the rulings' own page has more.
const RULINGS: usize = 50;

fn settings(run: &Run, _album: &Album, lang: Lang, out: &mut String) {
    out.push_str("<div class=\"wide\">\n");
    write_facts(run, lang, out);
    out.push_str("</div>\n");
}
