//! Plain text laid out by display width: columns, rules, cut names. Pads by columns of a terminal, not
//! by bytes or characters; uses ASCII for all lines and blanks, because the width of box-drawing
//! characters and of many signs differs between terminals. Start at [`Table`].

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Where a cell's text stands in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At the left.
    Left,
    /// In the middle; an odd blank goes to the right.
    Centre,
    /// At the right.
    Right,
}

/// Columns a text takes on a terminal: 2 for East Asian wide characters, 0 for combining ones.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// One line without control characters (they become blanks), so that no name can break a table.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        Cow::Owned(text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Cuts a text to a width; what was cut off leaves `..`.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let text = one_line(text);
    if width(&text) <= most {
        return text;
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used + 2 <= most
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push_str(&".."[..most.min(2)]);
    Cow::Owned(kept)
}

/// Pads a text with blanks to a width.
pub fn pad(text: &str, to: usize, align: Align) -> String {
    let blanks = to.saturating_sub(width(text));
    let left = match align {
        Align::Left => 0,
        Align::Centre => blanks / 2,
        Align::Right => blanks,
    };
    format!("{:left$}{text}{:right$}", "", "", right = blanks - left)
}

/// A table of text.
#[derive(Debug, Clone, Default)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Blanks between two columns.
    const GAP: &'static str = "  ";

    /// Adds a column with its heading, to the right.
    pub fn column(&mut self, heading: &str, align: Align) {
        self.columns.push((heading.to_owned(), align));
    }

    /// Adds a row; it has one cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// All lines, padded to one width: headings, a rule, the rows.
    pub fn lines(&self, rule: char) -> Vec<String> {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.chain([&self.columns[column].0]).map(|cell| width(cell)).max().unwrap_or(0)
            })
            .collect();
        let line = |cells: &mut dyn Iterator<Item = &String>| {
            let cells = cells.zip(&widths).zip(&self.columns);
            let padded: Vec<String> =
                cells.map(|((cell, width), (_, align))| pad(cell, *width, *align)).collect();
            padded.join(Self::GAP)
        };
        let total = widths.iter().sum::<usize>() + Self::GAP.len() * widths.len().saturating_sub(1);
        let mut lines = vec![line(&mut self.columns.iter().map(|(heading, _)| heading))];
        lines.push(std::iter::repeat_n(rule, total).collect());
        lines.extend(self.rows.iter().map(|row| line(&mut row.iter())));
        lines
    }

    /// All lines with blanks at their ends cut off, each ended by a newline.
    pub fn render(&self, rule: char) -> String {
        self.lines(rule).iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
    }
}

/// Breaks a text into lines of at most a width at its blanks; a longer word stands alone.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().map_or(0, |line| width(line));
        if line > 0 && line + 1 + width(word) > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Breaks a text without blanks (Chinese) behind its marks into lines of at most a width; a longer part
/// stands alone.
pub fn wrap_wide(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(['，', '。', '；', '：', '、']) {
        if let Some(line) = lines.last_mut() {
            if line.is_empty() || width(line) + width(part) <= most {
                line.push_str(part);
            } else {
                lines.push(part.to_owned());
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_cut_by_width() {
        for (text, most, expected) in [
            ("Tiger", 5, "Tiger"),
            ("Tiger", 4, "Ti.."),
            ("悟空象棋", 8, "悟空象棋"),
            ("悟空象棋", 7, "悟空.."),
            ("悟空象棋", 6, "悟空.."),
            ("悟空象棋", 5, "悟.."),
            ("abc", 1, "."),
            ("a\tb\n", 9, "a b "),
        ] {
            assert_eq!(cut(text, most), expected, "{text} {most}");
        }
    }

    #[test]
    fn texts_are_padded_by_width() {
        assert_eq!(pad("胜", 5, Align::Centre), " 胜  ");
        assert_eq!(pad("胜", 5, Align::Right), "   胜");
        assert_eq!(pad("胜", 5, Align::Left), "胜   ");
        assert_eq!(pad("too long", 3, Align::Left), "too long");
    }

    #[test]
    fn lines_are_wrapped() {
        assert_eq!(wrap("aa bb cccc d", 5), ["aa bb", "cccc", "d"]);
        assert_eq!(wrap("toolongword a", 5), ["toolongword", "a"]);
        assert_eq!(wrap_wide("一，二三，四。五六", 10), ["一，二三，", "四。五六"]);
        assert_eq!(wrap_wide("一二三四，五", 6), ["一二三四，", "五"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn all_lines_of_a_table_are_equally_wide(
            cells in proptest::collection::vec(proptest::collection::vec("[a-z象棋王0-9 ]{0,9}", 3), 0..5)
        ) {
            let mut table = Table::default();
            table.column("名次", Align::Right);
            table.column("Engine", Align::Left);
            table.column("1", Align::Centre);
            for row in cells {
                table.row(row);
            }
            let lines = table.lines('=');
            for line in &lines {
                prop_assert_eq!(width(line), width(&lines[0]));
            }
        }

        #[test]
        fn a_cut_text_is_never_wider(text in "\\PC{0,20}", most in 0usize..12) {
            prop_assert!(width(&cut(&text, most)) <= most);
        }
    }
}
