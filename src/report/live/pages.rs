//! The texts of the pages: their documents, style sheets and scripts, as they are sent. The pages have one head;
//! each names in it what it loads besides. Never knows a run. Start at [`Page::document`].

/// What the scripts of all pages share: loaded before them.
pub const BOARD: &str = include_str!("board.js");
/// The style sheet of all pages.
pub const STYLE: &str = include_str!("page.css");
/// The script of the live page.
pub const SCRIPT: &str = include_str!("page.js");
/// The style sheet of the referee's desk.
pub const DESK_STYLE: &str = include_str!("desk.css");
/// Its script.
pub const DESK_SCRIPT: &str = include_str!("desk.js");
/// The style sheet of a person's seat.
pub const SEAT_STYLE: &str = include_str!("seat.css");
/// Its script.
pub const SEAT_SCRIPT: &str = include_str!("seat.js");
/// The icon of all pages.
pub const ICON: &str = include_str!("icon.svg");

/// The head of every page, to where it names what is its own.
const HEAD: &str = include_str!("head.html");

/// A page.
#[derive(Debug, Clone, Copy)]
pub enum Page {
    /// Everybody's: the boards and tables of a run.
    Live,
    /// The referee's desk.
    Desk,
    /// A person's seat.
    Seat,
}

impl Page {
    /// Its document. The style sheet and the script of its own follow those of all pages, on which they build.
    pub fn document(self) -> String {
        let (own, body) = match self {
            Page::Live => ("<script src=\"live.js\" defer></script>", include_str!("page.html")),
            Page::Desk => (
                "<link rel=\"stylesheet\" href=\"desk.css\">\n<script src=\"desk.js\" defer></script>",
                include_str!("desk.html"),
            ),
            Page::Seat => (
                "<link rel=\"stylesheet\" href=\"seat.css\">\n<script src=\"seat.js\" defer></script>",
                include_str!("seat.html"),
            ),
        };
        format!("{HEAD}{own}\n</head>\n{body}</html>\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Page; 3] = [Page::Live, Page::Desk, Page::Seat];

    /// What the head of a page loads, in order.
    fn loaded(page: Page) -> Vec<String> {
        let document = page.document();
        let head = document.split_once("</head>").unwrap().0;
        let of = |line: &str| {
            line.split_once("href=").or(line.split_once("src=")).map(|(_, rest)| rest.to_owned())
        };
        head.lines().filter_map(of).map(|rest| rest.split('"').nth(1).unwrap().to_owned()).collect()
    }

    #[test]
    fn every_page_is_one_document_that_loads_what_is_shared_and_then_its_own() {
        assert_eq!(loaded(Page::Live), ["icon.svg", "live.css", "board.js", "live.js"]);
        assert_eq!(loaded(Page::Desk), ["icon.svg", "live.css", "board.js", "desk.css", "desk.js"]);
        assert_eq!(loaded(Page::Seat), ["icon.svg", "live.css", "board.js", "seat.css", "seat.js"]);
        for page in ALL {
            let document = page.document();
            let mut rest = document.as_str();
            for tag in
                ["<!DOCTYPE html>", "<html", "<head>", "<title>", "</head>", "<body>", "</body>", "</html>"]
            {
                assert_eq!(document.matches(tag).count(), 1, "{page:?}: {tag}");
                rest = rest.split_once(tag).unwrap_or_else(|| panic!("{page:?}: {tag} out of order")).1;
            }
            assert_eq!(rest, "\n", "{page:?}");
        }
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere_and_runs_nothing_inline() {
        let documents = ALL.map(Page::document);
        let files = [BOARD, STYLE, SCRIPT, DESK_STYLE, DESK_SCRIPT, SEAT_STYLE, SEAT_SCRIPT];
        for text in documents.iter().map(String::as_str).chain(files) {
            let ours = text.replace("http://www.w3.org/2000/svg", "");
            for foreign in
                ["http:", "https:", "url(", "@import", "eval(", "innerHTML", "outerHTML", "insertAdjacent"]
            {
                assert!(!ours.contains(foreign), "{foreign}");
            }
        }
        for inline in ["style=", "onclick", "onload", "<script>", "<style>"] {
            for document in &documents {
                assert!(!document.contains(inline), "{inline}");
            }
        }
    }
}
