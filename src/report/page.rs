//! The frame of every HTML page: head, policy, style and script. A page loads nothing from anywhere; its
//! policy names its one style and its one script by their hashes, so that no text of a record could run
//! or restyle anything even if it got into the markup. Never decides what a page says. Start at [`Page`].

use sha2::{Digest as _, Sha256};

use super::html::escape;
use super::lang::Lang;

/// What frames a page.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// Title, of any text.
    pub title: &'a str,
    /// Language of the page.
    pub lang: Lang,
    /// The style sheet, ours.
    pub style: &'a str,
    /// The script at its end, ours; empty for none.
    pub script: &'a str,
}

impl Page<'_> {
    /// The whole page around what `write` appends. A long report's body is written once, where it stays.
    pub fn around(&self, write: impl FnOnce(&mut String)) -> String {
        let Page { title, lang, style, script } = self;
        let (title, tag) = (escape(title), lang.pick("en", "zh-Hans"));
        let scripts = if script.is_empty() { String::new() } else { format!("<script>{script}</script>\n") };
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>{style}</style>\n</head>\n<body>\n",
            self.policy()
        );
        write(&mut page);
        page.push_str(&scripts);
        page.push_str("</body>\n</html>\n");
        page
    }

    /// Nothing is allowed but this style and this script.
    fn policy(&self) -> String {
        let script = if self.script.is_empty() { String::new() } else { hash(self.script) };
        let script = if script.is_empty() { script } else { format!("; script-src {script}") };
        format!(
            "default-src 'none'; style-src {}{script}; base-uri 'none'; form-action 'none'",
            hash(self.style)
        )
    }
}

/// The hash of a text as policies name it.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

/// Base 64 with its usual letters, filled up with `=`.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, place| bits << 8 | u32::from(*three.get(place).unwrap_or(&0)));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place > three.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_known_texts() {
        let known = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in known {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn a_page_names_what_it_allows() {
        let page = Page { title: "<a>", lang: Lang::English, style: "a{}", script: "" }
            .around(|body| body.push_str("<p>\n"));
        assert!(page.contains("<title>&lt;a&gt;</title>") && !page.contains("script"), "{page}");
        let style = "style-src 'sha256-";
        assert!(page.contains("content=\"default-src 'none'; ") && page.contains(style), "{page}");
        let page = Page { title: "a", lang: Lang::Chinese, style: "a{}", script: "1" }.around(|_| {});
        // The hash of "1", as `printf 1 | openssl dgst -sha256 -binary | base64` gives it.
        let known = "script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='";
        assert!(page.contains(known) && page.contains("<script>1</script>"), "{page}");
    }
}
