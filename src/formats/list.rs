//! Lists of positions and of move sequences, one a line (`formats.md` 13). Both kinds may stand in one
//! list: each line is read by its own shape, a title or `weight N` after `;` becomes a tag.
//! Start at [`games`].

use std::io::BufRead;

use super::each_line::EachLine;
use super::pgn::Game;
use super::record::{Record, RecordError};
use super::{epd, movelist};
use crate::xiangqi::{Notation, SquareStyle};

/// The lines of a source. Blank lines and those that begin with `#` or `//` are passed over; a forced
/// notation settles the rank style.
pub(super) fn games<R: BufRead>(
    source: R,
    forced: Option<Notation>,
) -> impl Iterator<Item = Result<Record, RecordError>> + use<R> {
    EachLine::new(source, move |game: &Game<'_>| {
        let line = game.text.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            None
        } else if is_position(line) {
            Some(epd::read_line(game))
        } else {
            Some(movelist::read_line(game, forced))
        }
    })
}

/// Whether a line is a position without moves: it begins with a board, and the first word that is no
/// part of a FEN is neither `moves` nor a move.
fn is_position(line: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    let board = words.next().is_some_and(|word| {
        word.contains('/') && !word.starts_with(['\'', '"', '`', '[']) && !word.starts_with("http")
    });
    let field =
        |word: &&str| word.len() == 1 || *word == "[]" || word.bytes().all(|byte| byte.is_ascii_digit());
    board
        && words.find(|word| !field(word)).is_none_or(|word| {
            let styles = [SquareStyle::Zero, SquareStyle::One];
            word != "moves" && styles.iter().all(|style| style.read(word.as_bytes()).is_none())
        })
}

/// What stands after `;`: a title, a `weight N`, or both.
pub(super) fn titles(text: &str) -> Vec<(String, String)> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let (before, last) = text.rsplit_once(';').unwrap_or(("", text));
    let weight = last.trim().strip_prefix("weight ").map(str::trim);
    let title = if weight.is_some() { before.trim() } else { text };
    [("Title", Some(title)), ("Weight", weight)]
        .into_iter()
        .filter_map(|(name, value)| {
            Some((name.to_owned(), value.filter(|value| !value.is_empty())?.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line as `side moves {name=value}`, or its error.
    fn check(list: &str, expected: &[&str]) {
        let read: Vec<String> = games(list.as_bytes(), None)
            .map(|read| match read {
                Ok(record) => {
                    let moves: Vec<String> = record.line().map(|mv| mv.to_string()).collect();
                    let tags: Vec<String> =
                        record.tags.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                    format!("{} {}{}", record.start.side().letter(), moves.join(" "), tags.concat())
                }
                Err(error) => error.to_string(),
            })
            .collect();
        assert_eq!(read, expected, "{list}");
    }

    #[test]
    fn lines_of_both_kinds_stand_together() {
        const END: &str = "3k5/9/9/9/9/9/9/9/9/4K3R";
        check(
            "# openings\n\nh2e2 h9g7 ; central cannon\n// more\nh2e2;",
            &["w h2e2 h9g7 Title=central cannon", "w h2e2"],
        );
        check(
            &format!("{END} b - - 0 1 ; end; weight 7\n{END} b moves d9d8; weight 3;\n{END} b d9d8 ; a; b"),
            &["b  Title=end Weight=7", "b d9d8 Weight=3", "b d9d8 Title=a; b"],
        );
        check(&format!("{END} w - - bm i0i9; weight 2;\n{END}"), &["w  bm=i0i9 weight=2", "w "]);
        check("h2e2 {a; b} h9g7 ; c", &["w h2e2 h9g7 Title=c"]);
        check(
            "hello\n9/9 w\n9/9 w h2e2",
            &[
                "game 1, line 1, ply 1, 'hello': this is no move in any notation that is read here",
                "game 2, line 2, '9/9 w': start position: a xiangqi board has 10 ranks separated by '/', this one has 2",
                "game 3, line 3, '9/9 w': start position: a xiangqi board has 10 ranks separated by '/', this one has 2",
            ],
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_line_is_survived(line in "([0-9rnbakcp/]{1,20}|w|b|-| |;|moves|position|fen|h2e2|h9g7|weight|bm|\"|\\{|\\}|\\(|炮二平五|\n){0,40}") {
            games(line.as_bytes(), None).for_each(drop);
        }
    }
}
