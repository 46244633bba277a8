//! Words of a line of bytes. Lines may hold anything, so nothing here assumes UTF-8 or fails. Start at
//! [`first_word`].

use std::str::FromStr;

/// The first word and what follows it, without the white space between.
pub(super) fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    (word, rest.trim_ascii_start())
}

/// All words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A word as a number.
pub(super) fn number<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// At most `limit` bytes as text that can be shown; what is not UTF-8 becomes replacement characters.
pub(super) fn lossy(bytes: &[u8], limit: usize) -> String {
    printable(&bytes[..bytes.len().min(limit)]).trim().to_owned()
}

/// Bytes of an engine as text for people: what is not UTF-8 becomes replacement characters, and what a terminal
/// would obey (control characters, changes of direction) becomes blanks.
pub fn printable(bytes: &[u8]) -> String {
    let obeyed = |c: char| c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    String::from_utf8_lossy(bytes).chars().map(|c| if obeyed(c) { ' ' } else { c }).collect()
}

/// Appends a line; line ends inside a word (from a config) become blanks, so that one line stays one.
pub(super) fn put_line(out: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        out.extend(part.bytes().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte }));
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        for (bytes, shown) in [
            (&b"../../x\x1b[31m<script>"[..], "../../x [31m<script>"),
            (b"\x1b]0;owned\x07 \xc2\x9b2J", " ]0;owned   2J"),
            ("\u{202E}dne 炮二平五".as_bytes(), " dne 炮二平五"),
            (b"a\r\nb\tc\0", "a  b c "),
            (b"\xb3\xfe", "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(printable(bytes), shown);
        }
        assert_eq!(lossy(&[b'x'; 5000], 200).len(), 200);
    }
}
