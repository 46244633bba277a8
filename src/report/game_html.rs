//! A game as one HTML page: board, moves, tags, and a few lines of script to step through it. Loads
//! nothing from anywhere, and its policy forbids it to; every text of the record is escaped; without
//! scripts it shows one position and all moves. Start at [`game_page`].

use std::fmt::Write as _;

use super::diagram_svg::{Diagram, STYLE as DRAWING};
use super::html::escape;
use super::lang::Lang;
use super::page::Page;
use crate::formats::{GameResult, Record, RecordedMove};
use crate::xiangqi::{Kind, Notation, Piece, Position, Side, Square, append_move};

const STYLE: &str = "body{font-family:sans-serif;margin:1em auto;max-width:70em;padding:0 1em;color:#111;background:#fff}\
h1{font-size:1.3em;overflow-wrap:anywhere}\
main{display:flex;flex-wrap:wrap;gap:1.5em}\
#left{flex:1 1 22em;max-width:36em}#right{flex:1 1 20em}\
#board{width:100%;background:#fffdf5}\
.turned text{transform:rotate(180deg)}\
button{font-size:1.1em;min-width:2.6em}\
#moves{max-height:34em;overflow:auto;line-height:1.7;border:1px solid #ccc;padding:.5em}\
#moves a{color:#111;text-decoration:none;padding:.1em .25em;border-radius:.2em}\
#moves a:hover{background:#eee}#moves a.now{background:#0a6cc4;color:#fff}\
.n{color:#666}.c{color:#365;font-size:.9em;overflow-wrap:anywhere}.v{color:#555;font-size:.9em}.v .v,.v .c{font-size:1em}#moves a,.n{white-space:nowrap}\
table{border-collapse:collapse;font-size:.9em}th{text-align:left;padding-right:1em;vertical-align:top}\
td{overflow-wrap:anywhere}\
@media print{button{display:none}#moves{max-height:none;border:0}}";

/// Positions are made from the start by moving letters; links of the moves name their points.
const SCRIPT: &str = "\
const board=document.getElementById('board'),turn=document.getElementById('turn'),\
points=[...document.getElementById('points').children],marks=[...turn.querySelectorAll('.mark')],\
links=[...document.querySelectorAll('a[data-m]')],names=JSON.parse(board.dataset.names),all=[[...board.dataset.start]];\n\
const at=s=>s.charCodeAt(0)-97+9*(s.charCodeAt(1)-48);\n\
for(const a of links){const p=[...all[all.length-1]],m=a.dataset.m,f=at(m);p[at(m.slice(2))]=p[f];p[f]='.';all.push(p)}\n\
let now=0;\n\
function show(n){now=Math.max(0,Math.min(all.length-1,n));\n\
all[now].forEach((c,i)=>{const g=points[i];g.setAttribute('class',c==='.'?'e':c<'a'?'r':'b');if(c!=='.')g.lastChild.textContent=names[c]});\n\
const link=links[now-1];marks.forEach((mark,i)=>{mark.setAttribute('class',link?'mark':'mark e');\
if(link)mark.setAttribute('transform',points[at(link.dataset.m.slice(2*i))].getAttribute('transform'))});\n\
links.forEach(a=>a.classList.toggle('now',a===link));if(link)link.scrollIntoView({block:'nearest'});\n\
history.replaceState(null,'','#'+now)}\n\
const step={first:()=>show(0),back:()=>show(now-1),next:()=>show(now+1),last:()=>show(all.length-1),\
flip:()=>{const t=turn.classList.toggle('turned');if(t)turn.setAttribute('transform','rotate(180 '+board.viewBox.baseVal.width/2+' '+board.viewBox.baseVal.height/2+')');else turn.removeAttribute('transform')}};\n\
for(const id in step)document.getElementById(id).onclick=step[id];\n\
links.forEach((a,i)=>a.onclick=e=>{e.preventDefault();show(i+1)});\n\
onkeydown=e=>{const k={ArrowLeft:'back',ArrowRight:'next',Home:'first',End:'last'}[e.key];if(k){e.preventDefault();step[k]()}};\n\
onhashchange=()=>show(+location.hash.slice(1)||0);\n\
show(location.hash?+location.hash.slice(1)||0:+board.dataset.ply);\n";

/// A page that shows the position after `ply` half-moves first. Moves are written in Chinese or WXF
/// notation by the language.
pub fn game_page(record: &Record, ply: usize, diagram: Diagram, lang: Lang) -> String {
    let ply = ply.min(record.moves.len());
    let title = title(record, lang);
    let mut out = format!("<h1>{}</h1>\n<main>\n<div id=\"left\">\n", escape(&title));
    out += &board(record, ply, diagram);
    let buttons = [
        ("first", "|&lt;", "start", "开局"),
        ("back", "&lt;", "back", "上一着"),
        ("next", "&gt;", "next", "下一着"),
        ("last", "&gt;|", "end", "终局"),
        ("flip", "&#8645;", "turn the board", "翻转棋盘"),
    ];
    for (id, sign, english, chinese) in buttons {
        let label = lang.pick(english, chinese);
        let _ = write!(out, "<button id=\"{id}\" title=\"{label}\" aria-label=\"{label}\">{sign}</button> ");
    }
    out += "\n</div>\n<div id=\"right\">\n";
    write_moves(record, lang, &mut out);
    write_tags(record, &mut out);
    out += "</div>\n</main>\n";
    Page { title: &title, lang, style: &format!("{STYLE}{DRAWING}"), script: SCRIPT }
        .around(|body| body.push_str(&out))
}

/// `Red - Black 1-0`, or what there is of it.
fn title(record: &Record, lang: Lang) -> String {
    let named = |name: &str| record.tag(name).filter(|value| !value.is_empty());
    let red = named("Red").or(named("White"));
    let result = record.result.filter(|result| *result != GameResult::Unknown);
    let result = result.map_or("", GameResult::token);
    let text = match (red, named("Black")) {
        (None, None) => named("Title").or(named("Event")).unwrap_or(lang.pick("A game", "棋谱")).to_owned(),
        (red, black) => format!("{} - {}", red.unwrap_or("?"), black.unwrap_or("?")),
    };
    format!("{text} {result}").trim_end().to_owned()
}

/// The drawing, with what the script needs to know.
fn board(record: &Record, ply: usize, diagram: Diagram) -> String {
    let mut position = record.start.clone();
    record.line().take(ply).for_each(|mv| {
        position.make(mv);
    });
    let last = ply.checked_sub(1).and_then(|index| record.moves.get(index)).map(|played| played.mv);
    let letter = |square: Square| record.start.get(square).map_or('.', Piece::letter);
    let start: String = Square::all().map(letter).collect();
    let pieces = Side::BOTH.into_iter().flat_map(|side| Kind::ALL.map(|kind| Piece::new(side, kind)));
    let names: Vec<String> =
        pieces.map(|piece| format!("\"{}\":\"{}\"", piece.letter(), diagram.letter(piece))).collect();
    let names = escape(&format!("{{{}}}", names.join(",")));
    let data = format!("<svg data-ply=\"{ply}\" data-start=\"{start}\" data-names=\"{names}\" ");
    diagram.element(&position, last).replacen("<svg ", &data, 1)
}

fn write_moves(record: &Record, lang: Lang, out: &mut String) {
    let notation = lang.notation();
    out.push_str("<div id=\"moves\">\n");
    if !record.preface.is_empty() {
        write_comment(&record.preface, out);
    }
    let mut position = record.start.clone();
    for (index, played) in record.moves.iter().enumerate() {
        write_number(record, index, index == 0, position.side(), out);
        let _ = write!(out, "<a href=\"#{}\" data-m=\"{}\">", index + 1, played.mv);
        write_played(record, played, index, &position, notation, "</a>", out);
        position.make(played.mv);
        out.push('\n');
    }
    if let Some(result) = record.result {
        let _ = writeln!(out, "<b>{}</b>", result.token());
    }
    out.push_str("</div>\n");
}

/// The number before a move of Red and before the first of a line.
fn write_number(record: &Record, index: usize, first: bool, side: Side, out: &mut String) {
    if side == Side::Red || first {
        let ply = index + usize::from(record.start.side() == Side::Black);
        let dots = if side == Side::Red { "." } else { "..." };
        let _ = write!(out, "<span class=\"n\">{}{dots}</span>&nbsp;", ply / 2 + 1);
    }
}

/// A move, what closes its element, its comment and its variations.
fn write_played(
    record: &Record,
    played: &RecordedMove,
    index: usize,
    position: &Position,
    notation: Notation,
    close: &str,
    out: &mut String,
) {
    append_move(position, played.mv, notation, out);
    out.push_str(close);
    out.push(' ');
    if !played.comment.is_empty() {
        write_comment(&played.comment, out);
    }
    for variation in &played.variations {
        out.push_str("<span class=\"v\">(");
        let mut branch = position.clone();
        for (offset, other) in variation.iter().enumerate() {
            write_number(record, index + offset, offset == 0, branch.side(), out);
            write_played(record, other, index + offset, &branch, notation, "", out);
            branch.make(other.mv);
        }
        out.push_str(")</span> ");
    }
}

fn write_comment(text: &str, out: &mut String) {
    let _ = write!(out, "<span class=\"c\">{}</span> ", escape(text));
}

fn write_tags(record: &Record, out: &mut String) {
    out.push_str("<table>\n");
    for (name, value) in record.tags.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(value));
    }
    out.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FileKind, read};

    fn page(text: &str, lang: Lang) -> String {
        let record = read(text.as_bytes(), FileKind::Pgn, None).next().unwrap().unwrap();
        game_page(&record, 1, Diagram { chinese: lang == Lang::Chinese, black_below: false }, lang)
    }

    #[test]
    fn a_page_holds_board_moves_and_tags() {
        let text = "[Red \"A\"]\n[Black \"B\"]\n{first} 1. h2e2 {x} h9g7 (1... b9c7 2. h0g2) 2. h0g2 1-0";
        let english = page(text, Lang::English);
        for part in [
            "<title>A - B 1-0</title>",
            "data-ply=\"1\" data-start=\"RNBAKABNR..........C.....C.P.P.P.P.P",
            "<span class=\"c\">first</span> <span class=\"n\">1.</span>&nbsp;<a href=\"#1\" data-m=\"h2e2\">C2.5</a> <span class=\"c\">x</span>",
            "<a href=\"#2\" data-m=\"h9g7\">H8+7</a> <span class=\"v\">(<span class=\"n\">1...</span>&nbsp;H2+3 <span class=\"n\">2.</span>&nbsp;H2+3 )</span>",
            "<tr><th>Black</th><td>B</td></tr>",
            "<b>1-0</b>",
        ] {
            assert!(english.contains(part), "{part}\n{english}");
        }
        let chinese = page(text, Lang::Chinese);
        assert!(chinese.contains("data-m=\"h2e2\">炮二平五</a>") && chinese.contains("lang=\"zh-Hans\""));
    }

    #[test]
    fn nothing_of_a_record_becomes_markup() {
        let nasty = "</script><script>alert(1)</script>' onload=x \u{202E}&";
        let text = format!("[Red \"{nasty}\"]\n[Event \"{nasty}\"]\n{{{nasty}}} h2e2 {{{nasty}}} *");
        let page = page(&text, Lang::English);
        assert_eq!(page.matches("<script").count(), 1, "{page}");
        assert_eq!(page.matches("alert(1)").count(), 6, "{page}");
        assert!(!page.contains('\u{202E}') && !page.contains("' onload"), "{page}");
        assert!(!page.contains("http://") && !page.contains("https://"), "{page}");
    }
}
