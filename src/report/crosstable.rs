//! Cross tables as plain text in English and Chinese and as Markdown. Start at [`text`].

use super::Style;
use super::event;
use super::header;
use super::lang::Lang;
use super::lines::{Align, Table, cut, one_line};
use super::reasons;
use super::sheet::{Cell, CellGame, CellKind, MatchScore, Row, Sheet, decided, faults, mark, sheets, token};
use super::testing;
use crate::record::{GameSummary, Run};
use crate::tournament::{Points, Wdl};

/// Widest name in a text table.
const NAME_WIDTH: usize = 24;
/// Most games that get a footnote; the games' table and the journal have all of them.
const FOOTNOTES: usize = 20;

/// `crosstable.txt`.
pub fn english(run: &Run, _style: &Style) -> String {
    text(run, Lang::English)
}

/// `crosstable.zh.txt`.
pub fn chinese(run: &Run, _style: &Style) -> String {
    text(run, Lang::Chinese)
}

/// An entrant's name in a language.
pub fn name(run: &Run, entrant: usize, lang: Lang) -> &str {
    let own = run.settings().and_then(|settings| settings.entrants.get(entrant));
    let chinese = own.and_then(|entrant| entrant.name_zh.as_deref()).filter(|_| lang == Lang::Chinese);
    chinese.unwrap_or_else(|| run.name(entrant))
}

/// The name in a language of an entrant by the name in the journal.
pub fn called<'a>(run: &'a Run, entrant: &'a str, lang: Lang) -> &'a str {
    run.index_of(entrant).map_or(entrant, |index| name(run, index, lang))
}

/// The whole document as text.
pub fn text(run: &Run, lang: Lang) -> String {
    let mut out = header::text(run, lang);
    let sheets = sheets(run);
    for sheet in &sheets {
        out.push('\n');
        if sheets.len() > 1 {
            out.push_str(&format!("{}: {}\n\n", lang.pick("Stage", "阶段"), one_line(sheet.title(lang))));
        }
        out.push_str(&table(run, sheet, lang).render(lang.pick("-", "=").chars().next().unwrap_or('-')));
    }
    for line in below(run, &sheets, lang) {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The table of a stage.
pub fn table(run: &Run, sheet: &Sheet, lang: Lang) -> Table {
    let mut table = Table::default();
    let ranked = sheet.exhibition.is_none();
    table.column(sheet.number_heading(lang), Align::Right);
    table.column(lang.pick("Engine", "棋软"), Align::Left);
    if sheet.grid {
        for column in 1..=sheet.rows.len() {
            table.column(&column.to_string(), Align::Centre);
        }
    }
    let heads = [("Gm", "局"), ("W", "胜"), ("D", "和"), ("L", "负"), ("Pts", "积分"), ("BW", "后胜")];
    let sums_shown = if ranked { heads.len() } else { heads.len() - 1 };
    for (english, chinese) in &heads[..sums_shown] {
        table.column(lang.pick(english, chinese), Align::Right);
    }
    if ranked {
        table.column(lang.pick("Order decided by", "排名依据"), Align::Left);
    }
    for row in &sheet.rows {
        let mut cells = vec![sheet.number(row)];
        cells.push(cut(name(run, row.entrant, lang), NAME_WIDTH).into_owned());
        cells.extend(row.cells.iter().map(|cell| cell_text(cell, sheet.points, lang)));
        cells.extend(sums(row, sheet.points).into_iter().take(sums_shown));
        if ranked {
            cells.push(decided(row.line.decided, sheet.points, lang));
        }
        table.row(cells);
    }
    table
}

/// Games, wins, draws, losses, points, wins as Black.
fn sums(row: &Row, points: Points) -> [String; 6] {
    let total = row.line.total();
    let Wdl { wins, draws, losses } = total;
    let numbers = [total.games(), wins, draws, losses].map(|number| number.to_string());
    let [games, wins, draws, losses] = numbers;
    [games, wins, draws, losses, points.write(row.line.points), row.line.black.wins.to_string()]
}

fn cell_text(cell: &Cell, points: Points, lang: Lang) -> String {
    match cell {
        Cell::Own => lang.pick("**", "----").to_owned(),
        Cell::Games(games) => games.iter().map(|game| game_text(game.as_ref(), points, lang)).collect(),
        Cell::Sum(sum) if sum.games() == 0 => ".".to_owned(),
        Cell::Sum(sum) => wdl(*sum),
    }
}

/// Wins, draws and losses as `5-3-2`.
pub fn wdl(sum: Wdl) -> String {
    format!("{}-{}-{}", sum.wins, sum.draws, sum.losses)
}

/// A game's mark in a cell: `2`, `2f`, `.`.
pub fn game_text(game: Option<&CellGame>, points: Points, lang: Lang) -> String {
    let Some(game) = game else { return ".".to_owned() };
    let mark = match (lang, game.score) {
        (Lang::English, score) => mark(score, points),
        (Lang::Chinese, 0) => "负",
        (Lang::Chinese, 1) => "和",
        (Lang::Chinese, _) => "胜",
    };
    format!("{mark}{}", if game.fault { "f" } else { "" })
}

/// What stands below the tables: the legend, footnotes, the result of a match of two.
pub fn below(run: &Run, sheets: &[Sheet], lang: Lang) -> Vec<String> {
    let words = event::decisions(run, lang).into_iter().chain(event::spoken(run, lang));
    below_with(run, sheets, lang, words.collect())
}

/// The same with other lines in the place of the words of the referee's desk.
pub fn below_with(run: &Run, sheets: &[Sheet], lang: Lang, words: Vec<String>) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(first) = sheets.first() else { return lines };
    lines.push(legend(first, lang));
    for sheet in sheets {
        lines.extend(event::below_sheet(run, sheet, lang));
    }
    lines.extend(footnotes(run, lang));
    lines.extend(event::held(run, lang));
    lines.extend(words);
    if let Some(score) = MatchScore::of(run) {
        lines.push(String::new());
        lines.extend(match_lines(run, score, first.points, lang));
    }
    lines
}

/// What cells mean, naming the scale.
pub fn legend(sheet: &Sheet, lang: Lang) -> String {
    let byes = if sheet.rows.iter().any(|row| row.line.bonus > 0) {
        lang.pick("  Points include byes.", "积分含轮空。")
    } else {
        ""
    };
    let [win, draw, loss] = [2, 1, 0].map(|units| sheet.points.write(units));
    let halves = sheet.points == Points::OneHalfZero;
    match lang {
        Lang::English => {
            let cell = match sheet.cell {
                CellKind::Single => "Cell: points of the row's engine.  ",
                CellKind::Both => "Cell: points as Red, then as Black.  ",
                CellKind::Sums => "Cell: wins-draws-losses.  ",
            };
            let cell = if sheet.grid { cell } else { "" };
            let equal = if halves && sheet.cell != CellKind::Sums { " (=)" } else { "" };
            let black = if sheet.exhibition.is_none() { "  BW: wins as Black." } else { "" };
            format!("{cell}Win {win}, draw {draw}{equal}, loss {loss}.{black}{byes}")
        }
        Lang::Chinese => {
            let cell = match sheet.cell {
                CellKind::Single => "格内为该行棋软的结果；",
                CellKind::Both => "格内先列执红、后列执黑的结果；",
                CellKind::Sums => "格内为胜-和-负局数；",
            };
            let cell = if sheet.grid { cell } else { "" };
            let black = if sheet.exhibition.is_none() { "后胜：执黑胜局。" } else { "" };
            format!("说明：{cell}胜 {win} 分、和 {draw} 分、负 {loss} 分。{black}{byes}")
        }
    }
}

fn footnotes(run: &Run, lang: Lang) -> Vec<String> {
    let total = faults(run).count();
    if total == 0 {
        return Vec::new();
    }
    let mut lines = vec![lang.pick("f: decided by an engine fault:", "f：因引擎故障判定：").to_owned()];
    lines.extend(faults(run).take(FOOTNOTES).map(|game| format!("  {}", game_line(run, &game, lang))));
    if total > FOOTNOTES {
        let more = total - FOOTNOTES;
        lines.push(match lang {
            Lang::English => format!("  and {more} more"),
            Lang::Chinese => format!("  另有 {more} 局"),
        });
    }
    lines
}

/// A game in one line: id, players, result, reason.
pub fn game_line(run: &Run, game: &GameSummary, lang: Lang) -> String {
    let (red, black) = (one_line(name(run, game.red, lang)), one_line(name(run, game.black, lang)));
    let reason = reasons::sentence(&game.termination, lang);
    format!("{}  {red} - {black}  {}  {}", game.id, token(game.outcome), one_line(&reason))
}

/// The result of a match of two, with wins, draws and losses by colour.
pub fn match_lines(run: &Run, score: MatchScore, points: Points, lang: Lang) -> Vec<String> {
    let total = score.total();
    let (own, other) = (points.write(total.units()), points.write(total.reversed().units()));
    let (first, second) = (one_line(name(run, 0, lang)), one_line(name(run, 1, lang)));
    let (red, black, total) = (wdl(score.red), wdl(score.black), wdl(total));
    let elo = elo_line(score, lang);
    let mut lines = match lang {
        Lang::English => vec![
            format!("Match: {first} {own} - {other} {second}"),
            format!("{first}: W-D-L {total}; as Red {red}; as Black {black}"),
        ],
        Lang::Chinese => vec![
            format!("对抗赛：{first} {own} : {other} {second}"),
            format!("{first}：胜-和-负 {total}；执红 {red}；执黑 {black}"),
        ],
    };
    lines.extend(elo);
    lines.extend(testing::pairs_line(score, lang));
    lines.extend(testing::sprt_line(run, lang));
    lines.extend(testing::beside_line(score, lang));
    lines
}

/// The estimate of strength with its 95 % error, where the games define one.
fn elo_line(score: MatchScore, lang: Lang) -> Option<String> {
    let sample = score.sample();
    if sample.size() == 0 {
        return None;
    }
    let undefined = || "n/a".to_owned();
    let elo = sample.elo().map_or_else(undefined, |elo| {
        let error = elo.error.map_or(String::new(), |error| format!(" +/- {error:.1}"));
        // A level score gives a zero with a sign.
        format!("{:+.1}{error}", elo.value + 0.0)
    });
    let superior = sample.los().map_or_else(undefined, |los| format!("{:.1} %", 100.0 * los));
    Some(match lang {
        Lang::English => format!("Elo {elo} (95 %); likely the stronger: {superior}"),
        Lang::Chinese => format!("等级分差 {elo}（95 %）；较强的可能性 {superior}"),
    })
}

/// Makes a text safe inside a Markdown table or line.
pub fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '#' | '~' => out.extend(['\\', letter]),
            _ => out.push(letter),
        }
    }
    out
}

/// The head as a Markdown table.
pub fn markdown_head(run: &Run, lang: Lang) -> String {
    let mut out =
        format!("| {} | {} |\n|:--|:--|\n", lang.pick("Setting", "项目"), lang.pick("Value", "内容"));
    for (label, fact) in header::facts(run, lang) {
        out.push_str(&format!("| {} | {} |\n", escape_markdown(&label), escape_markdown(&fact)));
    }
    out
}

/// The event's name, the tables of all stages and what stands below them: how every Markdown document begins.
pub fn markdown_standings(run: &Run, lang: Lang) -> String {
    let event = run.settings().map_or("", |settings| settings.event.as_str());
    let mut out = format!("# {}\n\n", escape_markdown(event));
    let sheets = sheets(run);
    for sheet in &sheets {
        if sheets.len() > 1 {
            out.push_str(&format!("## {}\n\n", escape_markdown(sheet.title(lang))));
        }
        out.push_str(&markdown_table(run, sheet, lang));
        out.push('\n');
    }
    for line in below(run, &sheets, lang).iter().filter(|line| !line.is_empty()) {
        out.push_str(&format!("{}\n\n", escape_markdown(line.trim())));
    }
    out
}

/// `crosstable.md`.
pub fn markdown(run: &Run, style: &Style) -> String {
    let lang = style.lang;
    let mut out = markdown_standings(run, lang);
    out.push_str(&markdown_head(run, lang));
    out
}

/// The table of a stage in Markdown.
fn markdown_table(run: &Run, sheet: &Sheet, lang: Lang) -> String {
    let columns = if sheet.grid { sheet.rows.len() } else { 0 };
    let ranked = sheet.exhibition.is_none();
    let number = if ranked { "#" } else { sheet.number_heading(lang) };
    let mut head = format!("| {number} | {} |", lang.pick("Engine", "棋软"));
    let mut rule = "|--:|:--|".to_owned();
    for column in 1..=columns {
        head.push_str(&format!(" {column} |"));
        rule.push_str(":-:|");
    }
    head.push_str(lang.pick(" W-D-L | Pts |", " 胜-和-负 | 积分 |"));
    rule.push_str(":-:|--:|");
    if ranked {
        head.push_str(lang.pick(" Wins as Black | Decided by |", " 后胜 | 排名依据 |"));
        rule.push_str("--:|:--|");
    }
    head.push('\n');
    rule.push('\n');
    let mut out = head + &rule;
    for row in &sheet.rows {
        out.push_str(&format!(
            "| {} | {} |",
            sheet.number(row),
            escape_markdown(name(run, row.entrant, lang))
        ));
        for cell in &row.cells {
            let text = match cell {
                Cell::Own => "x".to_owned(),
                Cell::Games(games) => {
                    let marks = games.iter().map(|game| game_text(game.as_ref(), sheet.points, lang));
                    marks.collect::<Vec<_>>().join(" ")
                }
                Cell::Sum(_) => cell_text(cell, sheet.points, lang),
            };
            out.push_str(&format!(" {text} |"));
        }
        let points = sheet.points.write(row.line.points);
        let decided = decided(row.line.decided, sheet.points, lang);
        let black = row.line.black.wins;
        out.push_str(&format!(" {} | **{points}** |", wdl(row.line.total())));
        if ranked {
            out.push_str(&format!(" {black} | {decided} |"));
        }
        out.push('\n');
    }
    out
}
