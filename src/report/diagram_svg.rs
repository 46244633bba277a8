//! A position as an SVG drawing: board, pieces in Chinese or Latin letters, either side below, the last
//! move marked. Fit for print: red pieces are light discs, black ones dark. Pure text; nothing is loaded
//! from elsewhere. Start at [`Diagram::svg`].

use std::fmt::Write as _;

use super::lang::Lang;
use crate::xiangqi::{Kind, Move, Piece, Position, Side, Square, piece_character};

/// How a position is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Diagram {
    /// Chinese characters on pieces, river and edges instead of Latin letters.
    pub chinese: bool,
    /// Black below instead of Red.
    pub black_below: bool,
}

/// Distance of two neighbouring points.
const STEP: i32 = 60;
/// Distance of the outer lines from the edge of the drawing.
const EDGE: i32 = 56;
/// Width and height of the drawing.
const SIZE: (i32, i32) = (8 * STEP + 2 * EDGE, 9 * STEP + 2 * EDGE);

/// Four corners around the origin.
const CORNERS: &str = "M-28 -18V-28H-18M18 -28H28V-18M28 18V28H18M-18 28H-28V18";

/// The style of all drawings. Classes: `r` and `b` are pieces, `e` an empty point.
pub(super) const STYLE: &str = "\
.board{fill:none;stroke:#444;stroke-width:2;stroke-linecap:square}\
.edge{fill:none;stroke:#444;stroke-width:4}\
.mark{fill:none;stroke:#0a6cc4;stroke-width:4;stroke-linecap:round}\
.label text,.river text,.r text,.b text{font-family:'Noto Serif CJK SC','Source Han Serif SC','Songti SC',KaiTi,STKaiti,SimSun,\
'Noto Sans CJK SC','WenQuanYi Micro Hei',serif;text-anchor:middle}\
.label text{font-size:20px;fill:#555}.river text{font-size:30px;fill:#555;letter-spacing:.5em}\
.r text,.b text{font-size:32px;font-weight:bold}\
.r circle{fill:#fff;stroke:#b00018;stroke-width:2.5}.r text{fill:#b00018}\
.b circle{fill:#262626;stroke:#000;stroke-width:2.5}.b text{fill:#fff}\
.r .in,.b .in{fill:none;stroke-width:1}.b .in{stroke:#fff}\
.e{display:none}.symbols{position:absolute}.small{background:#fffdf5}";

impl Diagram {
    /// What readers of a language are used to, Red below.
    pub fn of(lang: Lang) -> Diagram {
        Diagram { chinese: lang == Lang::Chinese, black_below: false }
    }

    /// A drawing that is a file by itself; `last` is the move that led to the position.
    pub fn svg(&self, position: &Position, last: Option<Move>) -> String {
        let (width, height) = SIZE;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n<rect width=\"{width}\" height=\"{height}\" \
             fill=\"#fffdf5\"/>\n",
            position.fen()
        );
        self.draw(position, last, false, &mut out);
        out.push_str("</svg>\n");
        out
    }

    /// The board with its pieces as an element of a page, every point with a group of its own for scripts:
    /// in the order of `Square::index`, the marks of the last move after them.
    pub(super) fn element(&self, position: &Position, last: Option<Move>) -> String {
        let (width, height) = SIZE;
        let mut out =
            format!("<svg id=\"board\" viewBox=\"0 0 {width} {height}\" role=\"img\"><g id=\"turn\">\n");
        self.draw(position, last, true, &mut out);
        out.push_str("</g></svg>\n");
        out
    }

    /// Board and pieces as symbols, once for all small drawings of a page; hidden.
    pub(super) fn symbols(&self) -> String {
        let (width, height) = SIZE;
        let mut out = format!(
            "<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n<symbol id=\"grid\" viewBox=\"0 0 {width} \
             {height}\">\n"
        );
        self.lines(&mut out);
        self.texts(&mut out);
        out.push_str("</symbol>\n");
        for piece in Side::BOTH.into_iter().flat_map(|side| Kind::ALL.map(|kind| Piece::new(side, kind))) {
            let (name, class) = (symbol(piece), class(piece.side()));
            let _ = writeln!(out, "<g id=\"{name}\" class=\"{class}\">{}</g>", self.disc(piece));
        }
        let _ = writeln!(out, "<path id=\"on\" class=\"mark\" d=\"{CORNERS}\"/>\n</defs></svg>");
        out
    }

    /// A small drawing made of a page's [`Diagram::symbols`], the marked points in corners.
    pub(super) fn small(&self, position: &Position, marked: &[Square], label: &str) -> String {
        let (width, height) = SIZE;
        let mut out = format!(
            "<svg class=\"small\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n\
             <use href=\"#grid\" width=\"{width}\" height=\"{height}\"/>",
            super::html::escape(label)
        );
        let mut stamp = |name: &str, square: Square| {
            let (x, y) = self.place(square.file().into(), square.rank().into());
            let _ = write!(out, "<use href=\"#{name}\" x=\"{x}\" y=\"{y}\"/>");
        };
        for square in Square::all() {
            if let Some(piece) = position.get(square) {
                stamp(&symbol(piece), square);
            }
        }
        marked.iter().for_each(|square| stamp("on", *square));
        out.push_str("\n</svg>\n");
        out
    }

    /// What a piece shows: its character, or its letter in WXF moves.
    pub fn letter(self, piece: Piece) -> char {
        match piece.kind() {
            _ if self.chinese => piece_character(piece),
            Kind::Elephant => 'E',
            Kind::Horse => 'H',
            kind @ (Kind::General | Kind::Advisor | Kind::Chariot | Kind::Cannon | Kind::Soldier) => {
                kind.letter()
            }
        }
    }

    fn draw(&self, position: &Position, last: Option<Move>, all_points: bool, out: &mut String) {
        self.lines(out);
        self.texts(out);
        out.push_str("<g id=\"points\">\n");
        for square in Square::all() {
            match position.get(square) {
                None if !all_points => {}
                piece => self.point(square, piece, out),
            }
        }
        out.push_str("</g>\n");
        for square in [last.map(|mv| mv.from), last.map(|mv| mv.to)] {
            match square {
                None if !all_points => {}
                square => self.mark(square, out),
            }
        }
    }

    /// Where a point is drawn.
    fn place(&self, file: i32, rank: i32) -> (i32, i32) {
        let (x, y) = if self.black_below { (8 - file, rank) } else { (file, 9 - rank) };
        (EDGE + STEP * x, EDGE + STEP * y)
    }

    fn lines(&self, out: &mut String) {
        let mut path = String::new();
        let mut line = |a: (i32, i32), b: (i32, i32)| {
            let ((x1, y1), (x2, y2)) = (self.place(a.0, a.1), self.place(b.0, b.1));
            let _ = write!(path, "M{x1} {y1}L{x2} {y2}");
        };
        (0..10).for_each(|rank| line((0, rank), (8, rank)));
        for file in 0..9 {
            if file % 8 == 0 {
                line((file, 0), (file, 9));
            } else {
                line((file, 0), (file, 4));
                line((file, 5), (file, 9));
            }
        }
        for rank in [0, 7] {
            line((3, rank), (5, rank + 2));
            line((5, rank), (3, rank + 2));
        }
        let soldiers = (0..5).flat_map(|nth| [(2 * nth, 3), (2 * nth, 6)]);
        for (file, rank) in soldiers.chain([(1, 2), (7, 2), (1, 7), (7, 7)]) {
            let (x, y) = self.place(file, rank);
            let inside = |side: &i32| (EDGE..=EDGE + 8 * STEP).contains(&(x + side * STEP));
            for (right, down) in
                [-1, 1].iter().filter(|side| inside(side)).flat_map(|right| [(right, -1), (right, 1)])
            {
                let (x, y) = (x + right * 6, y + down * 6);
                let _ = write!(path, "M{x} {}V{y}H{}", y + down * 10, x + right * 10);
            }
        }
        let (x, y) = (EDGE - 6, EDGE - 6);
        let (width, height) = (8 * STEP + 12, 9 * STEP + 12);
        let _ = writeln!(
            out,
            "<path class=\"board\" d=\"{path}\"/>\n\
             <rect class=\"edge\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        );
    }

    /// River and edges: files a to i and ranks 0 to 9, or each side's own files.
    fn texts(&self, out: &mut String) {
        let text = |class: &str, (x, y): (i32, i32), text: &dyn std::fmt::Display, out: &mut String| {
            let _ = writeln!(
                out,
                "<g class=\"{class}\" transform=\"translate({x} {y})\"><text dy=\".35em\">{text}</text></g>"
            );
        };
        let away = STEP * 2 / 3;
        let down = if self.black_below { -away } else { away };
        for (file, letter) in (0..9).zip("abcdefghi".chars()) {
            let ((x, below), (_, above)) = (self.place(file, 0), self.place(file, 9));
            if self.chinese {
                let own: Vec<char> = "九八七六五四三二一".chars().collect();
                text("label", (x, below + down), &own[file as usize], out);
                text("label", (x, above - down), &(file + 1), out);
            } else {
                let lower = if self.black_below { above } else { below };
                text("label", (x, lower + away), &letter, out);
            }
        }
        if self.chinese {
            let river = EDGE + STEP * 9 / 2;
            text("river", (EDGE + 2 * STEP + 8, river), &"楚河", out);
            text("river", (EDGE + 6 * STEP + 8, river), &"漢界", out);
        } else {
            (0..10).for_each(|rank| text("label", (EDGE - away, self.place(0, rank).1), &rank, out));
        }
    }

    fn point(&self, square: Square, piece: Option<Piece>, out: &mut String) {
        let (x, y) = self.place(square.file().into(), square.rank().into());
        let shown = piece.unwrap_or(Piece::new(Side::Red, Kind::General));
        let class = piece.map_or("e", |piece| class(piece.side()));
        let disc = self.disc(shown);
        let _ = writeln!(out, "<g class=\"{class}\" transform=\"translate({x} {y})\">{disc}</g>");
    }

    /// A piece around the origin.
    fn disc(self, piece: Piece) -> String {
        let letter = self.letter(piece);
        format!("<circle r=\"27\"/><circle class=\"in\" r=\"23\"/><text dy=\".35em\">{letter}</text>")
    }

    /// Four corners around a point.
    fn mark(&self, square: Option<Square>, out: &mut String) {
        let class = if square.is_some() { "mark" } else { "mark e" };
        let (x, y) = square.map_or((0, 0), |at| self.place(at.file().into(), at.rank().into()));
        let _ = writeln!(out, "<path class=\"{class}\" transform=\"translate({x} {y})\" d=\"{CORNERS}\"/>");
    }
}

/// The class of a side's pieces.
const fn class(side: Side) -> &'static str {
    match side {
        Side::Red => "r",
        Side::Black => "b",
    }
}

/// Name of a piece's symbol on a page: `pR`, `pr`.
fn symbol(piece: Piece) -> String {
    format!("p{}", piece.letter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::SquareStyle;

    fn count(text: &str, part: &str) -> usize {
        text.matches(part).count()
    }

    #[test]
    fn every_piece_is_drawn_where_it_stands() {
        let mv = SquareStyle::Zero.read(b"h2e2").unwrap();
        let position = Position::start().after(mv);
        for chinese in [false, true] {
            for black_below in [false, true] {
                let svg = Diagram { chinese, black_below }.svg(&position, Some(mv));
                assert_eq!((count(&svg, "<g class=\"r\""), count(&svg, "<g class=\"b\"")), (16, 16));
                assert_eq!(count(&svg, "class=\"mark\""), 2);
                // The cannon on e2: files from the left, ranks from below, or both turned.
                let (x, y) = (EDGE + 4 * STEP, EDGE + STEP * if black_below { 2 } else { 7 });
                let letter = if chinese { '炮' } else { 'C' };
                let cannon = format!(
                    "<g class=\"r\" transform=\"translate({x} {y})\"><circle r=\"27\"/><circle class=\"in\" r=\"23\"/><text dy=\".35em\">{letter}</text>"
                );
                assert!(svg.contains(&cannon), "{svg}");
                assert_eq!(svg.is_ascii(), !chinese, "Latin diagrams need no Chinese font");
                assert!(svg.ends_with("</svg>\n"));
            }
        }
    }

    #[test]
    fn small_drawings_name_symbols_that_are_there() {
        let mv = SquareStyle::Zero.read(b"h2e2").unwrap();
        let diagram = Diagram { chinese: true, black_below: false };
        let small = diagram.small(&Position::start().after(mv), &[mv.from, mv.to], "a \"label\"");
        let symbols = diagram.symbols();
        assert_eq!((count(&small, "href=\"#p"), count(&small, "href=\"#on")), (32, 2));
        for name in small.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert_eq!(count(&symbols, &format!("id=\"{name}\"")), 1, "{name}");
        }
        assert!(small.contains("a &quot;label&quot;") && small.len() < 2_500, "{}", small.len());
    }

    #[test]
    fn pages_have_a_group_for_every_point() {
        let element = Diagram::default().element(&Position::start(), None);
        assert_eq!(count(&element, "<g class=\"e\""), 90 - 32);
        assert_eq!(count(&element, "class=\"mark e\""), 2);
    }
}
