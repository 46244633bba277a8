//! Which format a file has, from its first bytes and its name. Content goes before the name: files are
//! renamed and concatenated. Start at [`detect`].

use super::encoding::{BOM, decode};
use super::journal::is_event;
use super::pgn::is_tag_line;
use crate::xiangqi::notation_of;

/// A kind of file that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// PGN in any dialect.
    Pgn,
    /// DhtmlXQ, alone or in HTML.
    DhtmlXq,
    /// XQF.
    Xqf,
    /// The WXF file format (not PGN with WXF moves).
    WxfFile,
    /// FEN and EPD lists.
    Positions,
    /// A sequence of moves a line.
    MoveLists,
    /// A JSON object a line.
    JsonLines,
    /// The journal of a run.
    Journal,
    /// ElephantEye's opening book.
    BookDat,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [FileKind; 9] = [
        FileKind::Pgn,
        FileKind::DhtmlXq,
        FileKind::Xqf,
        FileKind::WxfFile,
        FileKind::Positions,
        FileKind::MoveLists,
        FileKind::JsonLines,
        FileKind::Journal,
        FileKind::BookDat,
    ];

    /// Its name in settings and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            FileKind::Pgn => "pgn",
            FileKind::DhtmlXq => "dhtmlxq",
            FileKind::Xqf => "xqf",
            FileKind::WxfFile => "wxf",
            FileKind::Positions => "epd",
            FileKind::MoveLists => "moves",
            FileKind::JsonLines => "jsonl",
            FileKind::Journal => "journal",
            FileKind::BookDat => "book",
        }
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<FileKind> {
        FileKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }
}

/// Finds the kind of a file from its first bytes (a few thousand are enough) and its name, if it has one.
/// What fits nothing is taken for PGN, whose reader will say what it cannot read.
pub fn detect(head: &[u8], name: Option<&str>) -> FileKind {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    if head.starts_with(b"XQ") && head.get(2).is_some_and(|version| (0x0A..0x20).contains(version)) {
        return FileKind::Xqf;
    }
    let (text, _) = decode(head);
    let first =
        text.lines().map(str::trim).find(|line| !line.is_empty() && !is_remark(line)).unwrap_or_default();
    // A PGN may say anything in its tags and comments; one made of DhtmlXQ has its names as tags.
    if is_tag_line(first.as_bytes()) {
        return FileKind::Pgn;
    }
    if memchr::memmem::find(head, b"[DhtmlXQ").is_some() {
        return FileKind::DhtmlXq;
    }
    let extension = name.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase());
    if first.starts_with("FORMAT") || text.contains("START{") {
        return FileKind::WxfFile;
    }
    if is_event(first) {
        return FileKind::Journal;
    }
    if first.starts_with('{') && first.contains("\"moves\"") {
        return FileKind::JsonLines;
    }
    let words = || first.split_whitespace().map(|word| word.trim_matches(['\'', '"', '`', '[', ',']));
    let first_word = words().next().unwrap_or_default();
    let fen_with_moves = words().skip(2).any(|word| word == "moves" || notation_of(word).is_some());
    let ten_ranks = first_word.matches('/').count() == 9;
    match extension.as_deref() {
        Some("pgn" | "pgns") => FileKind::Pgn,
        Some("jsonl" | "ndjson") => FileKind::JsonLines,
        Some("html" | "htm" | "ubb" | "che") => FileKind::DhtmlXq,
        Some("dat") => FileKind::BookDat,
        Some("fen" | "epd") => FileKind::Positions,
        _ if matches!(first_word, "position" | "startpos") => FileKind::MoveLists,
        _ if ten_ranks && fen_with_moves && !first.contains(';') => FileKind::MoveLists,
        _ if ten_ranks => FileKind::Positions,
        _ if notation_of(first_word).is_some() => FileKind::MoveLists,
        _ => FileKind::Pgn,
    }
}

fn is_remark(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_before_name() {
        const FEN: &str = "3k5/9/9/9/9/9/9/9/9/4K3R b - - 0 1";
        for (head, name, kind) in [
            ("[Game \"Chinese Chess\"]\n", None, FileKind::Pgn),
            ("1. h2e2 h9g7", Some("a.pgn"), FileKind::Pgn),
            ("XQ\u{12}", Some("a.pgn"), FileKind::Xqf),
            ("[Game \"x\"]\n[DhtmlXQ_ver \"y\"]\n{[DhtmlXQ] START{", Some("x.ubb"), FileKind::Pgn),
            ("[DhtmlXQ_ver]y", None, FileKind::DhtmlXq),
            ("<html>[DhtmlXQ]", None, FileKind::DhtmlXq),
            ("<html>", Some("x.html"), FileKind::DhtmlXq),
            ("FORMAT WXF\n", None, FileKind::WxfFile),
            ("{\"moves\": []}\n", Some("x.txt"), FileKind::JsonLines),
            ("{\"seq\":0,\"at\":0,\"what\":\"run_began\"", Some("x.txt"), FileKind::Journal),
            (FEN, None, FileKind::Positions),
            (FEN, Some("x.txt"), FileKind::Positions),
            ("3k5/9/9/9/9/9/9/9/9/4K3R b - - bm d9d8; id \"x\";", None, FileKind::Positions),
            ("3k5/9/9/9/9/9/9/9/9/4K3R b d9d8", None, FileKind::MoveLists),
            ("# lines\n'h2e2 h9g7',", Some("x.txt"), FileKind::MoveLists),
            ("position startpos moves h2e2", None, FileKind::MoveLists),
            ("\u{FEFF}[Event \"x\"]", None, FileKind::Pgn),
            ("", None, FileKind::Pgn),
        ] {
            assert_eq!(detect(head.as_bytes(), name), kind, "{head} {name:?}");
        }
        for kind in FileKind::ALL {
            assert_eq!(FileKind::from_name(kind.name()), Some(kind));
        }
    }
}
