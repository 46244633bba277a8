//! The board as text: letters of WXF moves, or one Chinese character a piece, all columns equally wide on a
//! terminal, either side below. ASCII signs only in the Latin form. Start at [`Diagram::text`].

use super::diagram_svg::Diagram;
use crate::xiangqi::{Position, Side, Square};

impl Diagram {
    /// The board in lines that each end with a newline; the marked points stand in brackets. Black's Latin
    /// letters are small.
    pub fn text(self, position: &Position, marked: &[Square]) -> String {
        let pick = |latin, chinese| if self.chinese { chinese } else { latin };
        let turned = |place: i8, last: i8| if self.black_below { last - place } else { place };
        let mut out = String::new();
        for rank in (0..10).rev().map(|rank| turned(rank, 9)) {
            out.push_str(&format!("{rank} "));
            for square in (0..9).filter_map(|file| Square::at(turned(file, 8), rank)) {
                let point = match position.get(square) {
                    Some(piece) if piece.side() == Side::Black && !self.chinese => {
                        self.letter(piece).to_ascii_lowercase()
                    }
                    Some(piece) => self.letter(piece),
                    None if self.chinese => '・',
                    None => '.',
                };
                let (open, close) = if marked.contains(&square) { ('[', ']') } else { (' ', ' ') };
                out.extend([open, point, close]);
            }
            out.push('\n');
            if rank == turned(5, 9) {
                out.push_str(pick("   ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~\n", "      楚  河        汉  界\n"));
            }
        }
        out.push_str("  ");
        for file in (0..9).map(|file| turned(file, 8)) {
            out.extend([' ', char::from(b'a' + file as u8)]);
            out.push_str(pick(" ", "  "));
        }
        out.push('\n');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::width;

    #[test]
    fn every_rank_is_equally_wide() {
        let position = Position::start();
        let marked = [Square::at(4, 0), Square::at(4, 4)].map(Option::unwrap);
        for (chinese, black_below, columns) in
            [(false, false, 29), (false, true, 29), (true, false, 38), (true, true, 38)]
        {
            let text = Diagram { chinese, black_below }.text(&position, &marked);
            let ranks: Vec<&str> =
                text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
            assert_eq!(ranks.len(), 10);
            for rank in &ranks {
                assert_eq!(width(rank), columns, "{rank}");
            }
            assert!(ranks[9].starts_with(if black_below { '9' } else { '0' }));
            assert_eq!(text.matches('[').count(), 2);
            assert!(chinese || text.is_ascii());
        }
        let latin = Diagram::default().text(&position, &marked);
        assert!(latin.contains("\n0  R  H  E  A [K] A  E  H  R \n"));
        let chinese = Diagram { chinese: true, black_below: false }.text(&position, &marked);
        assert!(chinese.contains("[帅]"));
    }
}
