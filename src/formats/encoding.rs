//! Text encodings of records: UTF-8, GB18030 (GBK) and Big5 (`formats.md` 8). Turns bytes into text and
//! back; which of two Chinese encodings fits is for the reader of the moves to say. Start at [`decode`].

use std::borrow::Cow;

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, with or without byte order mark.
    Utf8,
    /// GB18030, of which GBK and GB2312 are parts.
    Gb18030,
    /// Big5.
    Big5,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Gb18030, Encoding::Big5];

    /// Its name in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Gb18030 => "gbk",
            Encoding::Big5 => "big5",
        }
    }

    /// The encoding of a name, in either case; also `utf8`, `gb18030`, `gb2312`.
    pub fn from_name(name: &str) -> Option<Encoding> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Some(Encoding::Utf8),
            "gbk" | "gb18030" | "gb2312" => Some(Encoding::Gb18030),
            "big5" => Some(Encoding::Big5),
            _ => None,
        }
    }

    /// The text of bytes; undecodable ones become U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        let table = match self {
            Encoding::Utf8 => encoding_rs::UTF_8,
            Encoding::Gb18030 => encoding_rs::GB18030,
            Encoding::Big5 => encoding_rs::BIG5,
        };
        table.decode_without_bom_handling(bytes).0
    }

    /// The bytes of a text. Chinese programs read GBK, so that is what is written for GB18030.
    ///
    /// # Errors
    /// The first character that the encoding does not have.
    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, char> {
        let table = match self {
            Encoding::Utf8 => return Ok(Cow::Borrowed(text.as_bytes())),
            Encoding::Gb18030 => encoding_rs::GBK,
            Encoding::Big5 => encoding_rs::BIG5,
        };
        let (bytes, _, unmappable) = table.encode(text);
        if !unmappable {
            return Ok(bytes);
        }
        let missing = |c: &char| table.encode(c.encode_utf8(&mut [0; 4])).2;
        Err(text.chars().find(missing).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

/// The UTF-8 byte order mark.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Text whose encoding need not be found out by its moves: strict UTF-8, or else GB18030.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Encoding) {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Encoding::Utf8),
        Err(_) => (Encoding::Gb18030.decode(bytes), Encoding::Gb18030),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_decodes() {
        for (encoding, text) in
            [(Encoding::Utf8, "炮二平五 馬"), (Encoding::Gb18030, "炮二平五１"), (Encoding::Big5, "馬八進七")]
        {
            assert_eq!(encoding.decode(&encoding.encode(text).unwrap()), text);
            assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::Big5.encode("a马"), Err('马'));
        assert_eq!(decode(b"\xEF\xBB\xBFa"), (Cow::Borrowed("a"), Encoding::Utf8));
        assert_eq!(decode(b"\xC5\xDA").0, "炮");
    }
}
