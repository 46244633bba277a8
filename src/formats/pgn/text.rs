//! The smallest parts of PGN text, for every writer of PGN: tags, comments, numbers, what an engine
//! thought. Nothing that is given to them can end a tag or a comment before its time. Knows no game.
//! Start at [`append_tag`].

/// What becomes of `"` and `\` in the value of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// `\"` and `\\`, as the standard of PGN has it.
    Escaped,
    /// `'` and `\\`: quotes are shown well by readers that do not unescape, and nothing is lost but them.
    Softened,
    /// `'` and `/`: nothing is left that would have to be unescaped.
    Replaced,
}

/// Appends `[Name "value"]` and a line end; nothing at all if the name is none. Control characters
/// become blanks.
pub fn append_tag(name: &str, value: &str, quotes: Quotes, out: &mut String) {
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return;
    }
    out.push('[');
    out.push_str(name);
    out.push_str(" \"");
    if value.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
        out.push_str(value);
    } else {
        for c in value.chars() {
            match (c, quotes) {
                ('"' | '\\', Quotes::Escaped) | ('\\', Quotes::Softened) => out.extend(['\\', c]),
                ('"', Quotes::Softened | Quotes::Replaced) => out.push('\''),
                ('\\', Quotes::Replaced) => out.push('/'),
                _ if c.is_control() => out.push(' '),
                _ => out.push(c),
            }
        }
    }
    out.push_str("\"]\n");
}

/// Appends a comment in braces: braces inside become parentheses, line ends and control characters
/// blanks, so that no reader takes anything in it for the end or for a tag.
pub fn append_comment(text: &str, out: &mut String) {
    out.push('{');
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'{' | b'}')) {
        out.push_str(text);
    } else {
        out.extend(text.chars().map(|c| match c {
            '{' => '(',
            '}' => ')',
            _ if c.is_control() => ' ',
            _ => c,
        }));
    }
    out.push('}');
}

/// Appends a number with at least so many digits. The formatting machinery takes several times as long,
/// and a game has a thousand numbers.
pub fn append_number(number: u64, least: usize, out: &mut String) {
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    let mut rest = number;
    while rest > 0 {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let first = first.min(digits.len() - least.min(digits.len()));
    out.extend(digits[first..].iter().map(|digit| char::from(*digit)));
}

/// `yyyy.mm.dd`, the value of a `Date` tag, of an RFC 3339 date; question marks for anything else.
pub fn day(date: &str) -> String {
    match date.get(..10) {
        Some(day) if day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => day.replace('-', "."),
        Some(_) | None => "????.??.??".to_owned(),
    }
}

/// What is written behind the move of an engine; all optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thought {
    /// Score in hundredths of a soldier, mover's view.
    pub cp: Option<i32>,
    /// Moves to mate, mover's view, negative if it is mated; goes before `cp`.
    pub mate: Option<i32>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Time charged, µs.
    pub used_us: Option<u64>,
}

impl Thought {
    /// Appends `+0.35/24 1.532s n=1234`; what is not known is left out.
    pub fn append(&self, out: &mut String) {
        let began = out.len();
        self.append_score(out);
        if let Some(depth) = self.depth {
            out.push_str(if out.len() > began { "/" } else { "d=" });
            append_number(depth.into(), 1, out);
        }
        let gap = |out: &mut String| {
            if out.len() > began {
                out.push(' ');
            }
        };
        if let Some(used) = self.used_us {
            gap(out);
            let ms = used.saturating_add(500) / 1000;
            append_number(ms / 1000, 1, out);
            out.push('.');
            append_number(ms % 1000, 3, out);
            out.push('s');
        }
        if let Some(nodes) = self.nodes {
            gap(out);
            out.push_str("n=");
            append_number(nodes, 1, out);
        }
    }

    fn append_score(&self, out: &mut String) {
        let sign = |negative| if negative { '-' } else { '+' };
        if let Some(mate) = self.mate {
            out.push(sign(mate < 0));
            out.push('M');
            append_number(mate.unsigned_abs().into(), 1, out);
        } else if let Some(score) = self.cp {
            out.push(sign(score < 0));
            let size = u64::from(score.unsigned_abs());
            append_number(size / 100, 1, out);
            out.push('.');
            append_number(size % 100, 2, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_tag_or_a_comment() {
        for (quotes, value) in
            [(Quotes::Escaped, r#"a\"b\\ "#), (Quotes::Softened, r"a'b\\ "), (Quotes::Replaced, "a'b/ ")]
        {
            let mut out = String::new();
            append_tag("Red", "a\"b\\\n", quotes, &mut out);
            append_tag("no name", "x", quotes, &mut out);
            append_tag("", "x", quotes, &mut out);
            assert_eq!(out, format!("[Red \"{value}\"]\n"));
        }
        let mut out = String::new();
        append_comment("a}{\n\u{7f}炮", &mut out);
        assert_eq!(out, "{a)(  炮}");
    }

    #[test]
    fn thoughts_leave_out_what_is_unknown() {
        let none = Thought::default();
        for (thought, text) in [
            (none, ""),
            (Thought { depth: Some(3), ..none }, "d=3"),
            (Thought { cp: Some(-7), depth: Some(0), used_us: Some(1_500), ..none }, "-0.07/0 0.002s"),
            (Thought { cp: Some(9), mate: Some(-4), nodes: Some(0), ..none }, "-M4 n=0"),
        ] {
            let mut out = String::new();
            thought.append(&mut out);
            assert_eq!(out, text);
        }
    }
}
