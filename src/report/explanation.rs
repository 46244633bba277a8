//! Why a repetition was judged as it was, for people: the diagram, the loop in three notations, what
//! every half-move was and why, each side's level, the article, the verdict; English or Chinese, or all
//! of it as JSON. Pure words for what `law` found: decides nothing. Start at [`Explained`].

mod html;
mod json;
mod words;

use super::diagram_svg::Diagram;
use super::lang::Lang;
use super::lines::{Align, Table, pad, width, wrap, wrap_wide};
use super::reasons;
use crate::law::{self, ExplainedHalf, Explanation, Ruling, SpanError, Trail};
use crate::xiangqi::{Move, Notation, Position, Side, Square, SquareStyle, write_move};

/// Columns of a line of text.
const WIDTH: usize = 100;

/// Indentation of what was found about a half-move.
const REASON_INDENT: usize = 9;

/// A ruling with all that is told of it.
#[derive(Debug, Clone)]
pub struct Explained<'a> {
    ruling: &'a Ruling,
    found: Explanation,
    /// The position before the first half-move of the span.
    start: Position,
    /// WXF and Chinese notation of every half-move.
    written: Vec<[String; 2]>,
    /// After so many half-moves the span says the same again.
    round: usize,
}

impl<'a> Explained<'a> {
    /// Explains a ruling of a game.
    ///
    /// # Errors
    /// The ruling's span is no repetition in this game.
    pub fn new(trail: &Trail, ruling: &'a Ruling) -> Result<Explained<'a>, SpanError> {
        let found = law::explain(trail, ruling)?;
        let start = trail.position_before(ruling.span.start);
        let mut position = start.clone();
        let mut written = Vec::with_capacity(found.halves.len());
        for half in &found.halves {
            let notations = [Notation::Wxf, Notation::ChineseSimplified];
            written.push(notations.map(|notation| write_move(&position, half.mv, notation)));
            position.make(half.mv);
        }
        let round = round(&found.halves);
        Ok(Explained { ruling, found, start, written, round })
    }

    /// What the law found.
    pub fn found(&self) -> &Explanation {
        &self.found
    }

    /// The whole explanation, every line ended by a newline.
    pub fn text(&self, lang: Lang) -> String {
        let mut out = String::new();
        self.heading(lang, &mut out);
        if let Some(article) = self.ruling.article.and_then(law::article) {
            paragraph(lang.pick(article.content.en, article.content.zh), 4, lang, &mut out);
        }
        self.body(lang, &mut out);
        out
    }

    /// The same without what the article says, for those who have just read it.
    pub fn example(&self, lang: Lang) -> String {
        let mut out = String::new();
        self.heading(lang, &mut out);
        self.body(lang, &mut out);
        out
    }

    /// As part of an HTML page that has the symbols of `diagram`.
    pub(super) fn html(&self, diagram: Diagram, lang: Lang) -> String {
        html::section(self, diagram, lang)
    }

    /// As JSON, with the sentences in both languages.
    pub fn json(&self) -> serde_json::Value {
        json::explanation(self)
    }

    fn heading(&self, lang: Lang, out: &mut String) {
        paragraph(&words::headline(self.ruling, lang), 0, lang, out);
        paragraph(&words::basis(self.ruling, self.found.actor, lang), 0, lang, out);
    }

    fn body(&self, lang: Lang, out: &mut String) {
        out.push('\n');
        self.position(lang, out);
        self.the_loop(lang, out);
        self.half_moves(lang, out);
        self.verdict(lang, out);
    }

    fn position(&self, lang: Lang, out: &mut String) {
        let (number, side) = (self.ruling.span.start + 1, reasons::side(self.start.side(), lang));
        out.push_str(&match lang {
            Lang::English => {
                format!("Before half-move {number}, {side} to move; what moves is in brackets:\n\n")
            }
            Lang::Chinese => format!("第 {number} 个半回合之前，轮到{side}；循环中移动的子加方括号：\n\n"),
        });
        let diagram = Diagram::of(lang);
        out.push_str(&diagram.text(&self.start, &self.movers()));
        out.push_str(&format!("\nFEN: {}\n\n", self.start.fen()));
    }

    /// The points on which the pieces that move stand at the start.
    fn movers(&self) -> Vec<Square> {
        let mut reached: Vec<Square> = Vec::new();
        let mut movers = Vec::new();
        for half in &self.found.halves[..self.round] {
            if !reached.contains(&half.mv.from) {
                movers.push(half.mv.from);
            }
            reached.push(half.mv.to);
        }
        movers
    }

    fn the_loop(&self, lang: Lang, out: &mut String) {
        paragraph(&words::span(self.ruling, self.round, lang), 0, lang, out);
        let written = &self.written[..self.round];
        let by = |place: usize| written.iter().map(|ways| ways[place].clone()).collect();
        let coordinates = self.found.halves[..self.round].iter().map(|half| half.mv.to_string()).collect();
        let rows: [(&str, Vec<String>); 3] = [
            (lang.pick("coordinates", "坐标"), coordinates),
            ("WXF", by(0)),
            (lang.pick("Chinese", "中文"), by(1)),
        ];
        let names = rows.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
        for (name, moves) in rows {
            let mut name = name;
            for line in wrap(&moves.join(" "), WIDTH - names - 4) {
                out.push_str(&format!("  {}  {line}\n", pad(name, names, Align::Left)));
                name = "";
            }
        }
        out.push('\n');
    }

    fn half_moves(&self, lang: Lang, out: &mut String) {
        let mut table = Table::default();
        table.column(lang.pick("ply", "着"), Align::Right);
        table.column(lang.pick("side", "方"), Align::Left);
        table.column(lang.pick("move", "坐标"), Align::Left);
        table.column("WXF", Align::Left);
        table.column(lang.pick("Chinese", "中文"), Align::Left);
        table.column(lang.pick("what it was", "性质"), Align::Left);
        let round = &self.found.halves[..self.round];
        for (half, [wxf, chinese]) in round.iter().zip(&self.written) {
            table.row(vec![
                (half.ply + 1).to_string(),
                reasons::side(half.side, lang).to_owned(),
                half.mv.to_string(),
                wxf.clone(),
                chinese.clone(),
                words::label(half.label, lang).to_owned(),
            ]);
        }
        let lines = table.lines('-');
        for (place, line) in lines.iter().enumerate() {
            out.push_str(line.trim_end());
            out.push('\n');
            let Some(half) = place.checked_sub(2).and_then(|place| round.get(place)) else { continue };
            for reason in &half.reasons {
                paragraph(&words::reason(reason, lang), REASON_INDENT, lang, out);
            }
        }
        out.push('\n');
    }

    fn verdict(&self, lang: Lang, out: &mut String) {
        for side in Side::BOTH {
            let level = self.ruling.levels[side];
            let name = reasons::level(level, lang);
            let why = self.level_reason(side, lang);
            let side = reasons::side(side, lang);
            let line = match lang {
                Lang::English => format!("{side}: level {}, {name}: {why}", level as u8),
                Lang::Chinese => format!("{side}：第 {} 级，{name}：{why}", level as u8),
            };
            paragraph(&line, 0, lang, out);
        }
        paragraph(&words::verdict(self.ruling, lang), 0, lang, out);
    }

    /// Why a side's level is what it is.
    fn level_reason(&self, side: Side, lang: Lang) -> String {
        let victims: Vec<String> = self.found.victims[side]
            .iter()
            .filter_map(|id| Some(words::piece(*id, self.start.get(*id)?, lang)))
            .collect();
        words::level_reason(self.ruling, &words::Deeds::of(&self.found.halves, side), &victims, side, lang)
    }
}

/// The moves of a journal's text (zero style, blanks between): `None` for `--`, a pass.
///
/// # Errors
/// The place and the word that is no move.
pub fn moves(text: &str) -> Result<Vec<Option<Move>>, (usize, &str)> {
    let read = |(place, word): (usize, _)| match word {
        "--" => Ok(None),
        _ => SquareStyle::Zero.read(str::as_bytes(word)).map(Some).ok_or((place, word)),
    };
    text.split_ascii_whitespace().enumerate().map(read).collect()
}

/// The game of a recorded start and moves; `None` if they cannot be replayed.
pub fn replay(fen: &str, text: &str) -> Option<Trail> {
    let mut trail = Trail::new(Position::from_fen(fen).ok()?);
    for mv in moves(text).ok()? {
        match mv {
            Some(mv) if !trail.position().is_legal(mv) => return None,
            Some(mv) => trail.play(mv),
            None => trail.pass(),
        }
    }
    Some(trail)
}

/// The shortest beginning of the span of which all of it is a repetition, down to every reason.
fn round(halves: &[ExplainedHalf]) -> usize {
    let same = |a: &ExplainedHalf, b: &ExplainedHalf| {
        (a.side, a.piece, a.mv, a.label, &a.reasons) == (b.side, b.piece, b.mv, b.label, &b.reasons)
    };
    let repeats =
        |length: &usize| halves[*length..].iter().zip(halves).all(|(later, first)| same(later, first));
    (1..halves.len())
        .filter(|length| halves.len().is_multiple_of(*length))
        .find(repeats)
        .unwrap_or(halves.len())
}

/// Adds a text, broken into lines that are all indented.
pub fn paragraph(text: &str, indent: usize, lang: Lang, out: &mut String) {
    let most = WIDTH.saturating_sub(indent);
    let lines = match lang {
        Lang::English => wrap(text, most),
        Lang::Chinese => wrap_wide(text, most),
    };
    for line in lines {
        out.push_str(&format!("{:indent$}{line}\n", ""));
    }
}
