//! The games of a run inside a page: each folds out to a board and its moves with scores and times; a few
//! lines of script step through them. Without the script the final position and all moves are there.
//! Never checks a game: what cannot be replayed is shown as recorded. Start at [`write_games`].

use std::fmt::Write as _;

use super::album::Album;
use super::crosstable::name;
use super::diagram_svg::Diagram;
use super::explanation::moves;
use super::html::escape;
use super::lang::Lang;
use super::reasons;
use super::sheet::token;
use crate::formats::pgn::Thought;
use crate::record::{GameOver, GameSummary, Run};
use crate::xiangqi::{Move, Piece, Position, Side, Square, append_move};

/// Most games that are listed at all.
const LISTED: usize = 1_000;

/// The style of games.
pub const STYLE: &str = "\
details.game{border:1px solid #bbb;margin:.3em 0;padding:.2em .6em}summary{cursor:pointer;overflow-wrap:anywhere}\
.view{display:flex;flex-wrap:wrap;gap:1em;margin:.6em 0}.view>div:first-child{flex:1 1 16em;max-width:26em}\
.moves{flex:1 1 18em;line-height:1.8;max-height:30em;overflow:auto;border:1px solid #ddd;padding:.5em}\
.moves a{cursor:pointer;padding:.05em .2em;border-radius:.2em;white-space:nowrap}.moves a.now{background:#0a6cc4;color:#fff}\
.moves i{font-style:normal;font-size:.75em;color:#555;margin:0 .4em 0 .15em;white-space:nowrap}\
.bar button{font-size:1.1em;min-width:2.6em}.told{font-size:.9em;min-height:2.6em}";

/// Steps through a game: makes its positions from the letters of the start and the points of its moves.
pub const SCRIPT: &str = "\
const ns='http://www.w3.org/2000/svg',at=s=>s.charCodeAt(0)-97+9*(s.charCodeAt(1)-48);\n\
const views=new Map();let current=null;\n\
function open(game){\n\
if(views.has(game))return views.get(game);\n\
const board=game.querySelector('svg'),links=[...game.querySelectorAll('a[data-m]')],all=[[...board.dataset.start]];\n\
for(const a of links){const p=[...all[all.length-1]],m=a.dataset.m;if(m!=='--'){const f=at(m);p[at(m.slice(2))]=p[f];p[f]='.'}all.push(p)}\n\
const used=[[0,0]];links.forEach((a,i)=>{const t=[...used[i]],s=/([0-9.]+)s/.exec(a.nextSibling&&a.nextSibling.tagName==='I'?a.nextSibling.textContent:'');\n\
if(s)t[(i+ +board.dataset.black)%2]+=+s[1];used.push(t)});\n\
const told=game.querySelector('.told'),text=told.dataset.text;\n\
const view={now:all.length-1,last:all.length-1,show(n){view.now=n=Math.max(0,Math.min(view.last,n));\n\
while(board.children.length>1)board.lastChild.remove();\n\
const put=(id,i)=>{const u=document.createElementNS(ns,'use');u.setAttribute('href','#'+id);u.setAttribute('x',56+60*(i%9));\
u.setAttribute('y',56+60*(9-Math.floor(i/9)));board.append(u)};\n\
all[n].forEach((c,i)=>{if(c!=='.')put('p'+c,i)});\n\
const a=links[n-1];if(a&&a.dataset.m!=='--'){put('on',at(a.dataset.m));put('on',at(a.dataset.m.slice(2)))}\n\
links.forEach(l=>l.classList.toggle('now',l===a));\n\
if(a){const box=a.parentElement;box.scrollTop=a.offsetTop-box.offsetTop-box.clientHeight/2}\n\
const note=a&&a.nextSibling&&a.nextSibling.tagName==='I'?a.nextSibling.textContent:'';\n\
told.textContent=text.replace('{n}',n).replace('{m}',a?a.textContent+' '+note:'').replace('{r}',used[n][0].toFixed(1)).replace('{b}',used[n][1].toFixed(1))}};\n\
links.forEach((a,i)=>a.onclick=()=>{current=game;view.show(i+1)});\n\
const steps=[()=>0,()=>view.now-1,()=>view.now+1,()=>view.last];\n\
game.querySelectorAll('button').forEach((b,i)=>b.onclick=()=>{current=game;view.show(steps[i]())});\n\
views.set(game,view);view.show(view.now);return view}\n\
document.querySelectorAll('details.game').forEach(game=>{game.querySelector('.bar').hidden=false;\n\
game.addEventListener('toggle',()=>{if(game.open){current=game;open(game)}else if(current===game)current=null});if(game.open)open(game)});\n\
onkeydown=e=>{if(!current||!current.open||e.altKey||e.ctrlKey||e.metaKey)return;const v=open(current),\
to={ArrowLeft:v.now-1,ArrowRight:v.now+1,Home:0,End:v.last}[e.key];if(to!==undefined){e.preventDefault();v.show(to)}};\n\
const follow=()=>{const game=document.getElementById(decodeURIComponent(location.hash.slice(1)));if(game&&game.matches('details.game')){game.open=true;game.scrollIntoView()}};\n\
onhashchange=follow;follow();\n";

/// The list of games, those of the album to fold out.
pub fn write_games(run: &Run, album: &Album, lang: Lang, out: &mut String) {
    let all = run.games().count();
    let kept = run.games().filter(|game| album.game(game.id).is_some()).count();
    let note = match lang {
        _ if all == 0 => lang.pick("No game is finished yet.", "尚无结束的对局。").to_owned(),
        Lang::English if kept < all => format!(
            "{kept} of {all} games fold out here: faults and held games first, then the first of the schedule. \
             All are in games.pgn and games.csv."
        ),
        Lang::Chinese if kept < all => {
            format!(
                "共 {all} 局，此处可展开 {kept} 局（先故障与待裁决局，再按赛程先后）；全部见 games.pgn 与 games.csv。"
            )
        }
        Lang::English | Lang::Chinese => String::new(),
    };
    let keys = lang.pick(
        "Unfold a game; step with the buttons or the keys Left, Right, Home and End.",
        "点开对局后，用按钮或左、右、Home、End 键逐着查看。",
    );
    let keys = if kept > 0 { keys } else { "" };
    let _ = writeln!(out, "<p>{} {keys}</p>", escape(&note));
    for game in run.games().take(LISTED) {
        let heading = heading(run, &game, lang);
        match album.game(game.id) {
            Some(over) => write_game(run, &game, over, &heading, lang, out),
            None => {
                let _ = writeln!(out, "<p id=\"game-{}\">{heading}</p>", game.id);
            }
        }
    }
    if all > LISTED {
        let more = all - LISTED;
        let _ = match lang {
            Lang::English => writeln!(out, "<p>and {more} more</p>"),
            Lang::Chinese => writeln!(out, "<p>另有 {more} 局</p>"),
        };
    }
}

/// Number, players, result and end of a game, escaped.
fn heading(run: &Run, game: &GameSummary, lang: Lang) -> String {
    let (red, black) = (name(run, game.red, lang), name(run, game.black, lang));
    let (moves, end) = (game.plies.div_ceil(2), reasons::sentence(&game.termination, lang));
    let length = match lang {
        Lang::English => format!("{moves} moves"),
        Lang::Chinese => format!("{moves} 回合"),
    };
    format!(
        "{} {} – {} <strong>{}</strong> · {} · {length}",
        game.id,
        escape(red),
        escape(black),
        token(game.outcome),
        escape(&end)
    )
}

fn write_game(run: &Run, game: &GameSummary, over: &GameOver, heading: &str, lang: Lang, out: &mut String) {
    let _ = writeln!(out, "<details class=\"game\" id=\"game-{}\"><summary>{heading}</summary>", game.id);
    let played = Position::from_fen(&over.fen).ok().zip(moves(&over.moves).ok());
    let Some((start, played)) = played else {
        let recorded = escape(&format!("{} {}", over.fen, over.moves));
        let _ =
            writeln!(out, "<div class=\"view\"><div></div></div><p class=\"moves\">{recorded}</p></details>");
        return;
    };
    let mut text = String::new();
    let last = write_moves(over, &start, &played, lang, &mut text);
    let marked: Vec<Square> =
        played.last().copied().flatten().into_iter().flat_map(|mv| [mv.from, mv.to]).collect();
    let letters: String = Square::all().map(|square| start.get(square).map_or('.', Piece::letter)).collect();
    let black = u8::from(start.side() == Side::Black);
    let data = format!("<svg data-start=\"{letters}\" data-black=\"{black}\" ");
    let board = Diagram::of(lang).small(&last, &marked, &last.fen()).replacen("<svg ", &data, 1);
    let buttons = [
        ("|&lt;", lang.pick("start", "开局")),
        ("&lt;", lang.pick("back", "上一着")),
        ("&gt;", lang.pick("next", "下一着")),
        ("&gt;|", lang.pick("end", "终局")),
    ];
    let buttons = buttons.map(|(sign, label)| {
        format!("<button type=\"button\" title=\"{label}\" aria-label=\"{label}\">{sign}</button>")
    });
    let told = lang.pick(
        "Half-move {n}: {m} · used: Red {r} s, Black {b} s",
        "第 {n} 个半回合：{m} · 已用时：红方 {r} 秒，黑方 {b} 秒",
    );
    let _ = writeln!(
        out,
        "<div class=\"view\"><div>\n{board}<div class=\"bar\" hidden>{}</div>\n\
         <p class=\"told\" aria-live=\"polite\" data-text=\"{told}\">{}</p></div>\n<div class=\"moves\">{text}</div></div></details>",
        buttons.join(" "),
        clocks(run, game, over, lang)
    );
}

/// Time used and left at the end.
fn clocks(run: &Run, game: &GameSummary, over: &GameOver, lang: Lang) -> String {
    let side = |side: Side, player: usize| {
        let used = game.used[side].as_secs_f64();
        let left = over.left_us[side as usize].map(|us| us as f64 / 1e6);
        let left = left.map_or(String::new(), |left| match lang {
            Lang::English => format!(", {left:.1} s left"),
            Lang::Chinese => format!("，余 {left:.1} 秒"),
        });
        let player = escape(name(run, player, lang));
        match lang {
            Lang::English => format!("{player}: used {used:.1} s{left}"),
            Lang::Chinese => format!("{player}：用时 {used:.1} 秒{left}"),
        }
    };
    format!("{}<br>{}", side(Side::Red, game.red), side(Side::Black, game.black))
}

/// The moves with what was thought and how long; gives the position they lead to.
fn write_moves(
    over: &GameOver,
    start: &Position,
    played: &[Option<Move>],
    lang: Lang,
    out: &mut String,
) -> Position {
    let (mut position, opening) = (start.clone(), over.opening_plies as usize);
    let offset = usize::from(start.side() == Side::Black);
    for (place, mv) in played.iter().enumerate() {
        let ply = place + offset;
        if ply.is_multiple_of(2) || place == 0 {
            let dots = if ply.is_multiple_of(2) { "." } else { "..." };
            let _ = write!(out, "{}{}{dots}&nbsp;", if place == 0 { "" } else { "\n" }, ply / 2 + 1);
        }
        match mv {
            Some(mv) => {
                let _ = write!(out, "<a data-m=\"{mv}\">");
                append_move(&position, *mv, lang.notation(), out);
                position.make(*mv);
            }
            None => {
                out.push_str("<a data-m=\"--\">--");
                position.pass();
            }
        }
        out.push_str("</a>");
        write_thought(over, place.checked_sub(opening), out);
    }
    position
}

fn write_thought(over: &GameOver, place: Option<usize>, out: &mut String) {
    let Some(place) = place else { return };
    let said = over.thoughts.get(place).copied().unwrap_or_default();
    let thought = Thought {
        cp: said.cp,
        mate: said.mate,
        depth: said.depth,
        nodes: None,
        used_us: over.used_us.get(place).copied(),
    };
    let before = out.len();
    out.push_str("<i>");
    let inside = out.len();
    thought.append(out);
    if out.len() == inside {
        out.truncate(before);
    } else {
        out.push_str("</i>");
    }
}
