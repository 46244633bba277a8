//! The languages of what is shown to people. Start at [`Lang`].

use crate::xiangqi::Notation;

/// A language of reports and progress lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lang {
    /// English.
    #[default]
    English,
    /// Chinese, simplified characters.
    Chinese,
}

impl Lang {
    /// The one of two texts that is in this language.
    pub const fn pick<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self {
            Lang::English => english,
            Lang::Chinese => chinese,
        }
    }

    /// The notation of moves that readers of this language know.
    pub const fn notation(self) -> Notation {
        match self {
            Lang::English => Notation::Wxf,
            Lang::Chinese => Notation::ChineseSimplified,
        }
    }

    /// The tag of the language: `en` or `zh`.
    pub const fn tag(self) -> &'static str {
        match self {
            Lang::English => "en",
            Lang::Chinese => "zh",
        }
    }

    /// Reads a tag.
    pub fn from_tag(tag: &str) -> Option<Lang> {
        [Lang::English, Lang::Chinese].into_iter().find(|lang| lang.tag() == tag)
    }
}
