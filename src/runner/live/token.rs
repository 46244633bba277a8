//! Secrets of links: who has one may sit at a seat or at the referee's desk. A token is never shown but in the
//! link that is handed out, and comparing one takes as long wherever it differs. Start at [`Token::fresh`].

use std::fmt;
use std::io::Read as _;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

/// Random bytes in a token: 128 bits.
const BYTES: usize = 16;

/// A secret of 128 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; BYTES]);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// A new one from the system's source of randomness.
    ///
    /// # Errors
    /// The system has none to give.
    pub fn fresh() -> std::io::Result<Token> {
        let mut bytes = [0; BYTES];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Token(bytes))
    }

    /// The token as a link has it, 32 hexadecimal digits. For the link alone.
    pub fn link_text(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The token of a link's 32 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Token> {
        let digits = text.as_bytes();
        if digits.len() != 2 * BYTES {
            return None;
        }
        let mut bytes = [0; BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |one: u8| char::from(one).to_digit(16);
            *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
        }
        Some(Token(bytes))
    }

    /// Whether a text is this token; how long that takes does not tell where it differs.
    pub fn matches(&self, text: &str) -> bool {
        let Some(other) = Token::parse(text) else { return false };
        let differs = self.0.iter().zip(other.0).fold(0, |differs, (own, theirs)| differs | (own ^ theirs));
        std::hint::black_box(differs) == 0
    }
}

/// The token that a request brings as `Authorization: Bearer TOKEN`.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let only = all.next().filter(|_| all.next().is_none())?;
    only.to_str().ok()?.strip_prefix("Bearer ").map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_nothing_else() {
        let token = Token::fresh().unwrap();
        let text = token.link_text();
        assert!(token.matches(&text) && token.matches(&text.to_uppercase()));
        assert_eq!(format!("{token:?}"), "Token(..)");
        for wrong in
            ["", "00", &text[1..], &format!("{text}0"), &"g".repeat(32), &Token::fresh().unwrap().link_text()]
        {
            assert!(!token.matches(wrong), "{wrong}");
        }
    }
}
