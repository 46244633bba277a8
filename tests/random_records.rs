//! Records of chance through every writer and reader, and garbage through every reader: what is written
//! reads back as the same game, and nothing that is read makes a reader fall over. Reads no file.
//! Start at `whole_records_survive_every_format`.

use chuhe::formats::encoding::Encoding;
use chuhe::formats::pgn::PgnStyle;
use chuhe::formats::{FileKind, GameResult, Record, RecordedMove, Target, read, write_checked};
use chuhe::report::{Diagram, Lang, disturbs, game_page};
use chuhe::xiangqi::{Notation, Position, SquareStyle};
use proptest::prelude::*;

/// Where records begin: the usual position, Black to move, soldiers in tandem, an end game.
const STARTS: [&str; 4] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 3 9",
    "3k5/4P4/2P1P4/2P1P4/4c4/9/2p6/2p3p2/4A4/3AK1B2 w - - 0 1",
    "3k5/9/9/9/9/9/9/9/9/4K3R b - - 0 1",
];

/// Numbers drawn by proptest, taken one after the other.
struct Draws<'a>(std::slice::Iter<'a, u16>);

impl Draws<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0.next().map_or(0, |draw| usize::from(*draw) % bound.max(1))
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 24] = [
            "a",
            "炮",
            "\"",
            "\\",
            "{",
            "}",
            "(",
            ")",
            ";",
            "\n",
            "[Event \"x\"]",
            "1-0",
            "*",
            "$3",
            "h2e2",
            " ",
            "}END",
            "[/DhtmlXQ]",
            "||",
            "<i>",
            "\u{1b}[31m",
            "马８进７",
            "%",
            "1.",
        ];
        (0..self.below(8)).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }

    fn line(&mut self, position: &Position, most: usize, depth: usize) -> Vec<RecordedMove> {
        let mut position = position.clone();
        let mut line = Vec::new();
        for _ in 0..self.below(most) {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mut played = RecordedMove::plain(legal[self.below(legal.len())]);
            if self.below(4) == 0 {
                played.comment = self.text();
            }
            if self.below(9) == 0 {
                played.nags = vec![self.below(140) as u8];
            }
            if depth < 3 && self.below(9) == 0 {
                played.variations = vec![self.line(&position, 5, depth + 1)];
                played.variations.retain(|line| !line.is_empty());
            }
            position.make(played.mv);
            line.push(played);
        }
        line
    }

    fn record(&mut self) -> Record {
        let start = Position::from_fen(STARTS[self.below(STARTS.len())]).expect("a start");
        let mut record = Record::new(start.clone());
        for name in ["Event", "Red", "Black", "Title", "Opening", "odd name", "Result", "FEN"] {
            if self.below(2) == 0 {
                record.tags.push((name.to_owned(), self.text()));
            }
        }
        record.preface = self.text();
        record.moves = self.line(&start, 60, 0);
        record.result = GameResult::ALL.get(self.below(5)).copied();
        record
    }
}

fn targets() -> Vec<Target> {
    let names = [
        "pgn",
        "wxf",
        "chinese",
        "traditional",
        "xboard",
        "pychess",
        "wxf-file",
        "dhtmlxq",
        "uci",
        "uci1",
        "epd",
        "jsonl",
    ];
    let mut targets: Vec<Target> = names.map(|name| Target::from_name(name, None).expect(name)).to_vec();
    for notation in [Notation::Uci0, Notation::Uci1] {
        targets.push(Target::Pgn(PgnStyle { notation, ..PgnStyle::ICCS }, Encoding::Utf8));
    }
    targets.push(Target::Pgn(PgnStyle::CHINESE, Encoding::Gb18030));
    targets
}

/// What comments become in PGN.
fn as_written(text: &str) -> String {
    let plain = |c: char| match c {
        '{' => '(',
        '}' => ')',
        _ if c.is_control() => ' ',
        _ => c,
    };
    text.chars().map(plain).collect::<String>().trim().to_owned()
}

fn flat(line: &[RecordedMove]) -> Vec<String> {
    line.iter()
        .flat_map(|played| {
            let own = format!("{} {:?} {:?}", played.mv, as_written(&played.comment), played.nags);
            let variations = played.variations.iter().flat_map(|line| flat(line));
            std::iter::once(own).chain(variations.map(|text| format!("({text})"))).collect::<Vec<_>>()
        })
        .collect()
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn whole_records_survive_every_format(draws in prop::collection::vec(any::<u16>(), 0..500)) {
        let record = Draws(draws.iter()).record();
        for target in targets() {
            let written = write_checked(&record, target);
            prop_assert!(written.is_ok(), "{target:?}: {}", written.err().map(|why| why.to_string()).unwrap_or_default());
            if let (Target::Pgn(..), Ok(bytes)) = (target, written) {
                let again = read(&bytes[..], FileKind::Pgn, None).next().expect("a game").expect("good");
                prop_assert_eq!(flat(&again.moves), flat(&record.moves), "{:?}", target);
                prop_assert_eq!(as_written(&again.preface), as_written(&record.preface));
            }
        }
        let page = game_page(&record, 3, Diagram::default(), Lang::English);
        prop_assert_eq!(page.matches("<script").count(), 1);
        prop_assert!(!page.contains("<i>") && !page.contains(|c: char| c != '\n' && disturbs(c)));
    }
}

/// Pieces of every format.
const SOUP: &str = "(rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR|9|/| w| b| - - 0 1|;|id \"|bm |weight |position |startpos|moves| |\n|h2e2|h9g7|炮二平五|C2\\.5|\\{\"moves\":|\\[\"h2e2\"\\]|\\}|\"comments\":\\{\"1\":|FORMAT WXF\n|START\\{|\\}END|RED |\\{\"seq\":0,\"what\":\"game_over\"|,\"fen\":\"|\\(|\\)|\"|\\[DhtmlXQ_movelist\\]7747|\\[/DhtmlXQ\\]|1-0){0,40}";

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn any_bytes_are_survived_by_every_reader(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for kind in FileKind::ALL {
            read(&bytes[..], kind, None).for_each(drop);
        }
    }

    #[test]
    fn any_soup_is_survived_by_every_reader(text in SOUP) {
        for kind in FileKind::ALL {
            for forced in [None, Some(Notation::Uci1), Some(Notation::San0), Some(Notation::Wxf)] {
                read(text.as_bytes(), kind, forced).for_each(drop);
            }
        }
    }
}

/// 10,000 half-moves, a comment of more than a megabyte and hostile tags, as a page.
#[test]
fn a_monstrous_game_makes_a_page() {
    let mut record = Record::new(Position::start());
    let shuffle =
        ["i0i1", "a9a8", "i1i0", "a8a9"].map(|text| SquareStyle::Zero.read(text.as_bytes()).expect(text));
    record.moves = shuffle.into_iter().cycle().take(10_000).map(RecordedMove::plain).collect();
    let nasty = "</span></script><script>alert(1)</script>'\"\u{202E}\u{1b}&";
    record.moves[5_000].comment = nasty.repeat(20_000);
    record.tags = ["Red", nasty].map(|name| (name.to_owned(), nasty.to_owned())).to_vec();
    let page = game_page(&record, 7_000, Diagram { chinese: true, black_below: true }, Lang::Chinese);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("data-m=").count(), 10_000);
    assert!(!page.contains(|c: char| c != '\n' && disturbs(c)));
    assert!(page.len() > 1_500_000 && page.len() < 6_000_000, "{}", page.len());
}
