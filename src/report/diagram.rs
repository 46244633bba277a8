//! The board as text, Red below: letters or one Chinese character a piece, all columns equally wide on a
//! terminal. ASCII signs only in the English form. Start at [`diagram`].

use super::lang::Lang;
use crate::xiangqi::{Position, Square, piece_character};

/// The board in lines that each end with a newline; the marked points stand in brackets.
pub fn diagram(position: &Position, marked: &[Square], lang: Lang) -> String {
    let mut out = String::new();
    for rank in (0..10).rev() {
        out.push(char::from(b'0' + rank as u8));
        out.push(' ');
        for square in (0..9).filter_map(|file| Square::at(file, rank)) {
            let point = match (position.get(square), lang) {
                (Some(piece), Lang::English) => piece.letter(),
                (Some(piece), Lang::Chinese) => piece_character(piece),
                (None, Lang::English) => '.',
                (None, Lang::Chinese) => '・',
            };
            let (open, close) = if marked.contains(&square) { ('[', ']') } else { (' ', ' ') };
            out.extend([open, point, close]);
        }
        out.push('\n');
        if rank == 5 {
            out.push_str(lang.pick("   ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~\n", "      楚  河        汉  界\n"));
        }
    }
    out.push_str("  ");
    for file in 'a'..='i' {
        out.extend([' ', file]);
        out.push_str(lang.pick(" ", "  "));
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::width;

    #[test]
    fn every_rank_is_equally_wide() {
        let position = Position::start();
        let marked = [Square::at(4, 0), Square::at(4, 4)].map(Option::unwrap);
        for (lang, columns) in [(Lang::English, 29), (Lang::Chinese, 38)] {
            let text = diagram(&position, &marked, lang);
            let ranks: Vec<&str> =
                text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
            assert_eq!(ranks.len(), 10);
            for rank in ranks {
                assert_eq!(width(rank), columns, "{rank}");
            }
            assert_eq!(text.matches('[').count(), 2);
            assert!(lang == Lang::Chinese || text.is_ascii());
        }
        assert!(diagram(&position, &marked, Lang::English).contains("\n0  R  N  B  A [K] A  B  N  R \n"));
        assert!(diagram(&position, &marked, Lang::Chinese).contains("[帅]"));
    }
}
