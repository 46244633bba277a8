//! The readers and writers of `formats` held against the shared corpus of records: every row of its
//! manifest, its broken files, its derived writings, and every game written and read back in every way.
//! Never writes a file. Start at `every_row_of_the_manifest`.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chuhe::formats::encoding::Encoding;
use chuhe::formats::pgn::PgnStyle;
use chuhe::formats::{
    FileKind, GameResult, Reason, Record, RecordError, RecordedMove, Target, detect, dhtmlxq, read,
    write_checked,
};
use chuhe::report::{Diagram, Lang, disturbs, game_page};
use chuhe::xiangqi::{Move, Notation, NotationError, Position, SquareStyle, read_move, write_move};

fn corpus() -> Option<PathBuf> {
    support::shared("records")
}

fn read_file(path: &Path) -> Vec<Result<Record, RecordError>> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.file_name().and_then(|name| name.to_str());
    read(&bytes[..], detect(&bytes, name), None).collect()
}

/// A row of `manifest.tsv`.
struct Row {
    file: String,
    game: usize,
    plies: usize,
    result: String,
    start: Position,
    last: Position,
}

fn manifest(corpus: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(corpus.join("manifest.tsv")).expect("manifest");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        Row {
            file: cells[0].to_owned(),
            game: cells[3].parse().expect("game number"),
            plies: cells[4].parse().expect("plies"),
            result: cells[5].to_owned(),
            start: Position::from_fen(cells[7]).expect("start"),
            last: Position::from_fen(cells[8]).expect("final position"),
        }
    };
    text.lines().skip(1).map(row).collect()
}

fn same_board(a: &Position, b: &Position) -> bool {
    a.board() == b.board() && a.side() == b.side()
}

/// Every game of the corpus outside `broken/`, with its row.
fn games(corpus: &Path) -> Vec<(Row, Record)> {
    let mut files: BTreeMap<String, Vec<Option<Record>>> = BTreeMap::new();
    let rows = manifest(corpus);
    for row in &rows {
        files.entry(row.file.clone()).or_insert_with(|| {
            let read = read_file(&corpus.join(&row.file));
            read.into_iter()
                .map(|game| Some(game.unwrap_or_else(|error| panic!("{}: {error}", row.file))))
                .collect()
        });
    }
    let take = |row: Row| {
        let game = files.get_mut(&row.file).and_then(|games| games.get_mut(row.game - 1)?.take());
        let game = game.unwrap_or_else(|| panic!("{} has no game {}", row.file, row.game));
        (row, game)
    };
    let taken: Vec<_> = rows.into_iter().map(take).collect();
    for (file, left) in files {
        assert!(left.iter().all(Option::is_none), "{file} has more games than the manifest");
    }
    taken
}

#[test]
fn every_row_of_the_manifest() {
    let Some(corpus) = corpus() else { return };
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (row, record) in games(&corpus) {
        let place = format!("{} game {}", row.file, row.game);
        assert_eq!(record.moves.len(), row.plies, "{place}");
        assert!(same_board(&record.start, &row.start), "{place}: {:?}", record.start);
        assert!(same_board(&record.last_position(), &row.last), "{place}: {:?}", record.last_position());
        // The manifest leaves out the results that DhtmlXQ files write in Chinese.
        let told = GameResult::from_words(&row.result);
        let draw = row.file.contains("seven-stars").then_some(GameResult::Draw);
        let told = told.or(draw).unwrap_or(GameResult::Unknown);
        assert_eq!(record.result.unwrap_or(GameResult::Unknown), told, "{place}");
        assert_eq!(record.origin.game, row.game as u64, "{place}");
        let folder = row.file.split('/').next().unwrap_or_default().to_owned();
        let count = counts.entry(folder).or_default();
        *count = (count.0 + 1, count.1 + row.plies);
    }
    println!("{counts:#?}");
    let expected = [
        ("chinese-big5", (60, 7551)),
        ("chinese-gbk", (71, 3344)),
        ("chinese-utf8", (15, 1378)),
        ("derived", (200, 25015)),
        ("dhtmlxq", (17, 1472)),
        ("uci0", (185, 17268)),
        ("wxf", (15, 1378)),
        ("xboard-san", (3, 240)),
        ("xqf", (10, 582)),
    ];
    assert_eq!(counts, expected.map(|(folder, count)| (folder.to_owned(), count)).into_iter().collect());
}

#[test]
fn what_the_corpus_says_besides_moves() {
    let Some(corpus) = corpus() else { return };
    let one = |file: &str| read_file(&corpus.join(file)).remove(0).expect(file);
    let manual = one("chinese-gbk/manual1632-14.pgn");
    assert!(manual.preface.contains("第十四局"), "{}", manual.preface);
    assert!(manual.moves[8].comment.contains("变二"), "{:?}", manual.moves[8]);
    assert_eq!(manual.origin.encoding, Encoding::Gb18030);
    assert_eq!(one("chinese-big5/computer-01.pgn").origin.encoding, Encoding::Big5);
    let xboard = one("xboard-san/engine-1.pgn");
    assert_eq!(xboard.moves[0].comment, "+0,10/7");
    assert_eq!(xboard.origin.notation, Some(Notation::San0));
    let small = one("dhtmlxq/variations-small.ubb");
    assert_eq!(small.moves[4].variations.len(), 3);
    assert_eq!(small.moves[4].variations[2].len(), 6);
    assert_eq!(small.moves[4].comment, "Here branching occurrs");
    let many = one("dhtmlxq/seven-stars-many-variations.ubb");
    assert!(many.remarks.is_empty(), "{:?}", many.remarks);
    let lines = |record: &Record| 1 + variations(&record.moves);
    assert_eq!(lines(&one("xqf/sample-3.xqf")), 20);
    assert_eq!(lines(&one("xqf/sample-4.xqf")), 5);
    assert_eq!(lines(&one("xqf/sample-5.xqf")), 6);
    let text = std::fs::read_to_string(corpus.join("dhtmlxq/seven-stars-many-variations.ubb")).unwrap();
    assert_eq!(variations(&many.moves), text.matches("[DhtmlXQ_move_").count());
}

fn variations(line: &[RecordedMove]) -> usize {
    line.iter().flat_map(|played| &played.variations).map(|line| 1 + variations(line)).sum()
}

/// What must happen with a file of `broken/`.
enum Told {
    /// The game ends with an error at this ply after so many good ones; part of the message.
    Stops(u32, &'static str),
    /// The game is read; so many plies, and a remark with this text (none if empty).
    Reads(usize, &'static str),
}

#[test]
fn broken_files_are_told_and_survived() {
    let Some(corpus) = corpus() else { return };
    use Told::{Reads, Stops};
    let attacked = "leaves the mover's general attacked";
    let mut count = 0;
    for (file, games) in [
        ("real-illegal-last-move-1.pgn", vec![Stops(115, attacked)]),
        ("real-illegal-last-move-2.pgn", vec![Stops(72, attacked)]),
        ("real-illegal-last-move-3.pgn", vec![Stops(72, attacked)]),
        ("silent-tandem-pawn-uci.pgn", vec![Reads(76, "")]),
        ("silent-tandem-pawn-wxf.pgn", vec![Reads(76, "")]),
        ("silent-tandem-pawn-chinese.pgn", vec![Reads(76, "")]),
        // The moves after the main lines of 1, 2 and 4 are all legal as we read them (every record of the
        // files is reached); in 3 the tenth half-move of the main line is not.
        // Every record of 1, 2 and 4 is a legal move, in the main line and in the variations (43, 39 and 17);
        // of 3 alone one is not: it goes on after the end with a move of the advisor that left e1 at ply 5.
        ("xqf-badmove-1.xqf", vec![Reads(43, "")]),
        ("xqf-badmove-2.xqf", vec![Reads(35, "")]),
        ("xqf-badmove-3.xqf", vec![Stops(10, "illegal: no piece stands on e1")]),
        ("xqf-badmove-4.xqf", vec![Reads(9, "")]),
        ("made-gbk-truncated-half-char.pgn", vec![Stops(53, "bytes that are no character")]),
        ("made-mojibake.pgn", vec![Stops(1, "the text was encoded twice")]),
        ("made-mixed-encodings.pgn", vec![Reads(116, ""), Reads(116, "")]),
        ("made-result-disagrees.pgn", vec![Reads(116, "the Result tag says 1-0, the moves end with 0-1")]),
        ("made-brace-never-closed.pgn", vec![Stops(0, "a comment is opened with '{'")]),
        ("made-wrong-format-tag.pgn", vec![Reads(116, "the Format tag says 'ICCS'")]),
        ("made-uci-ranks-1-10-as-0-9.pgn", vec![Stops(1, "illegal: no piece stands on h3")]),
        ("made-black-first.pgn", vec![Reads(2, "")]),
        ("made-two-pawns-two-files.pgn", vec![Stops(1, "ambiguous: it may mean c6c7 or e6e7")]),
        ("made-side-letter-r.pgn", vec![Reads(2, "")]),
        ("made-letters-e-h.fen", vec![Reads(0, "")]),
    ] {
        let read = read_file(&corpus.join("broken").join(file));
        assert_eq!(read.len(), games.len(), "{file}");
        for (told, read) in games.iter().zip(&read) {
            check_broken(file, told, read);
        }
        count += 1;
    }
    let there = std::fs::read_dir(corpus.join("broken")).expect("broken").count();
    assert_eq!(count, there - 2, "README.md and fens-bad.tsv are no records");
}

fn check_broken(file: &str, told: &Told, read: &Result<Record, RecordError>) {
    match (told, read) {
        (Told::Stops(ply, text), Err(error)) => {
            println!("{file}: {error}");
            assert!(error.to_string().contains(text), "{file}: {error}");
            assert!(error.line > 0, "{file}: {error}");
            let kept = error.before.as_ref().map_or(0, |record| record.moves.len());
            match error.ply {
                Some(at) => assert_eq!((at, kept + 1), (*ply, *ply as usize), "{file}: {error}"),
                None => assert_eq!((error.reason.clone(), kept), (Reason::OpenComment, 4), "{file}"),
            }
        }
        (Told::Reads(plies, text), Ok(record)) => {
            let remarks: Vec<String> = record.remarks.iter().map(|remark| remark.what.to_string()).collect();
            println!("{file}: {} plies, {remarks:?}", record.moves.len());
            assert_eq!(record.moves.len(), *plies, "{file}");
            let fits =
                if text.is_empty() { remarks.is_empty() } else { remarks.iter().any(|r| r.contains(text)) };
            assert!(fits, "{file}: {remarks:?}");
        }
        (Told::Stops(..), Ok(record)) => panic!("{file} reads to {} plies", record.moves.len()),
        (Told::Reads(..), Err(error)) => panic!("{file}: {error}"),
    }
}

/// The three writings of one game differ at ply 71, where two Red soldiers share a file.
#[test]
fn a_silent_difference_stays_visible() {
    let Some(corpus) = corpus() else { return };
    let at_71 = |name: &str| {
        let file = format!("broken/silent-tandem-pawn-{name}.pgn");
        read_file(&corpus.join(file)).remove(0).expect(name).moves[70].mv.to_string()
    };
    assert_eq!((at_71("uci"), at_71("wxf"), at_71("chinese")), ("e5e6".into(), "e3e4".into(), "e3e4".into()));
}

#[test]
fn bad_fens_are_refused_or_remarked() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("broken/fens-bad.tsv")).expect("fens");
    let (mut refused, mut remarked) = (0, 0);
    for line in text.lines().skip(1) {
        let fen = line.split('\t').next().unwrap_or_default();
        match read(fen.as_bytes(), FileKind::Positions, None).next() {
            Some(Err(error)) => {
                assert!(matches!(error.reason, Reason::Position(_)), "{line}: {error}");
                refused += 1;
            }
            Some(Ok(record)) => {
                assert!(!record.remarks.is_empty(), "{line} was read without a word");
                remarked += 1;
            }
            None => panic!("{line} was passed over"),
        }
    }
    // An elephant and a soldier off their points, and a side left out, are remarks.
    assert_eq!((refused, remarked), (18, 3));
}

#[test]
fn five_writings_of_forty_games_are_the_same_games() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("derived/40-moves.tsv")).expect("moves");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 40);
    for file in ["40-iccs", "40-wxf", "40-chinese-utf8", "40-chinese-utf8-bom-crlf", "40-chinese-gbk"] {
        let games = read_file(&corpus.join("derived").join(format!("{file}.pgn")));
        assert_eq!(games.len(), 40, "{file}");
        for (row, game) in rows.iter().zip(games) {
            let game = game.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(game.remarks.is_empty(), "{file} {}: {:?}", row[0], game.remarks);
            for (style, cell) in [(SquareStyle::Zero, row[3]), (SquareStyle::One, row[4])] {
                let told: Vec<Move> =
                    cell.split(' ').map(|text| style.read(text.as_bytes()).expect("move")).collect();
                assert!(game.line().eq(told), "{file} game {}", row[0]);
            }
        }
    }
}

/// Every position of every game of the corpus: its move in every notation reads back.
#[test]
fn every_move_of_the_corpus_in_every_notation() {
    let Some(corpus) = corpus() else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, record) in games(&corpus).into_iter().filter(|(row, _)| !row.file.starts_with("derived/")) {
        let mut position = record.start.clone();
        for mv in record.line() {
            for notation in Notation::ALL {
                let text = write_move(&position, mv, notation);
                let read = read_move(&position, &text, Some(notation));
                assert_eq!(read, Ok(mv), "{} {position:?} {text}", row.file);
                *counts.entry(notation.name()).or_default() += 1;
            }
            position.make(mv);
        }
    }
    println!("{counts:?}");
    assert!(counts.values().all(|count| *count == 33_213), "{counts:?}");
}

fn all_targets() -> Vec<Target> {
    let traditional = PgnStyle { notation: Notation::ChineseTraditional, ..PgnStyle::CHINESE };
    let coordinates = |notation| PgnStyle { notation, ..PgnStyle::ICCS };
    vec![
        Target::Pgn(PgnStyle::ICCS, Encoding::Utf8),
        Target::Pgn(PgnStyle::WXF, Encoding::Utf8),
        Target::Pgn(PgnStyle::CHINESE, Encoding::Gb18030),
        Target::Pgn(PgnStyle::CHINESE, Encoding::Utf8),
        Target::Pgn(traditional, Encoding::Utf8),
        Target::Pgn(PgnStyle::XBOARD, Encoding::Utf8),
        Target::Pgn(PgnStyle::PYCHESS, Encoding::Utf8),
        Target::Pgn(coordinates(Notation::Uci0), Encoding::Utf8),
        Target::Pgn(coordinates(Notation::Uci1), Encoding::Utf8),
        Target::WxfFile,
        Target::DhtmlXq(Encoding::Utf8),
        Target::DhtmlXq(Encoding::Gb18030),
        Target::Moves(SquareStyle::Zero),
        Target::Moves(SquareStyle::One),
        Target::Epd,
        Target::JsonLines,
    ]
}

/// Every game of the corpus in every format that is written.
#[test]
fn every_game_of_the_corpus_in_every_format() {
    let Some(corpus) = corpus() else { return };
    let targets = all_targets();
    let mut written = vec![0; targets.len()];
    let mut refused = Vec::new();
    for (row, record) in games(&corpus).into_iter().filter(|(row, _)| !row.file.starts_with("derived/")) {
        for (target, count) in targets.iter().zip(&mut written) {
            match write_checked(&record, *target) {
                Ok(_) => *count += 1,
                Err(error) => refused.push(format!("{} game {} {target:?}: {error}", row.file, row.game)),
            }
        }
    }
    println!("{written:?} {refused:#?}");
    assert_eq!(written, vec![376; targets.len()], "{refused:#?}");
}

/// Variations and comments survive PGN and DhtmlXQ.
#[test]
fn variations_survive() {
    let Some(corpus) = corpus() else { return };
    for file in
        ["dhtmlxq/seven-stars-many-variations.ubb", "dhtmlxq/variations-small.ubb", "xqf/sample-2.xqf"]
    {
        let record = read_file(&corpus.join(file)).remove(0).expect(file);
        let pgn = write_checked(&record, Target::Pgn(PgnStyle::CHINESE, Encoding::Utf8)).expect(file);
        let again = read(&pgn[..], FileKind::Pgn, None).next().expect(file).expect(file);
        let flat = |record: &Record| format!("{:?}", record.moves).replace("\\n", " ");
        assert_eq!(flat(&again), flat(&record), "{file}");
        let ubb = dhtmlxq::write(&record);
        let again = dhtmlxq::read(ubb.as_bytes()).remove(0).expect(file);
        assert_eq!(again.moves, record.moves, "{file}");
    }
}

#[test]
fn real_engine_games_end_as_recorded() {
    let Some(path) = support::shared("real-games.jsonl") else { return };
    let games = read_file(&path);
    assert_eq!(games.len(), 158);
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for game in games {
        let record = game.unwrap_or_else(|error| panic!("{error}"));
        assert!(record.remarks.is_empty(), "{:?}", record.remarks);
        let last = record.last_position();
        let termination = record.tag("Termination").unwrap_or_default().to_owned();
        let lost = [GameResult::BlackWins, GameResult::RedWins][last.side() as usize];
        match termination.as_str() {
            "checkmate" => assert!(!last.has_legal_move() && last.in_check(last.side()), "{last:?}"),
            "stalemate" => assert!(!last.has_legal_move() && !last.in_check(last.side()), "{last:?}"),
            _ => assert!(last.has_legal_move(), "{last:?} {termination}"),
        }
        if !last.has_legal_move() {
            assert_eq!(record.result, Some(lost), "{last:?}");
        }
        *ends.entry(termination).or_default() += 1;
    }
    println!("{ends:?}");
    assert_eq!((ends["checkmate"], ends["stalemate"]), (106, 20));
}

#[test]
fn lists_of_positions_and_lines() {
    let Some(corpus) = corpus() else { return };
    for (file, count) in [
        ("openings/xiangqi-1996.epd", 1996),
        ("endgames/xiangqibench-mates.epd", 119),
        ("endgames/wukong-tactics-200.fen", 200),
        ("endgames/funny-gbk.epd", 240),
    ] {
        let read = read_file(&corpus.join(file));
        assert_eq!(read.len(), count, "{file}");
        for record in read {
            let record = record.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(record.start.has_legal_move(), "{file} {:?}", record.start);
            if let Some(best) = record.tag("bm") {
                assert!(read_move(&record.start, best, Some(Notation::Uci0)).is_ok(), "{file} {best}");
            }
            if file.ends_with("gbk.epd") {
                assert!(
                    record.tag("Title").is_some_and(|title| title.starts_with('第')),
                    "{:?}",
                    record.tags
                );
            }
        }
    }
    let lines = read_file(&corpus.join("openings/wukong-lines.txt"));
    let plies: Vec<usize> = lines.iter().map(|line| line.as_ref().expect("line").moves.len()).collect();
    assert_eq!(plies.len(), 15);
    println!("{plies:?}");
}

/// The figures that a book in the wild must give: moves of the usual position, and its heaviest.
#[test]
fn a_book_in_the_wild_gives_its_lines() {
    let Some(corpus) = corpus() else { return };
    let lines = read_file(&corpus.join("openings/eleeye-BOOK.DAT"));
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let mut plies = 0;
    for line in &lines {
        let record = line.as_ref().expect("a line");
        plies += record.moves.len();
        first.insert(record.moves[0].mv.to_string(), record.moves[0].comment.clone());
    }
    println!("{} lines, {plies} plies, {first:?}", lines.len());
    assert_eq!(first.len(), 16);
    for cannon in ["b2e2", "h2e2"] {
        assert_eq!(first[cannon], "1473");
    }
}

/// Nothing in the corpus makes a reader of another format fall over, nor do cut files.
#[test]
fn wrong_readers_and_cut_files_are_survived() {
    let Some(corpus) = corpus() else { return };
    for file in [
        "xqf/sample-3.xqf",
        "dhtmlxq/variations-small.ubb",
        "chinese-big5/computer-11.pgn",
        "xboard-san/engine-2.pgn",
        "openings/eleeye-BOOK.DAT",
    ] {
        let bytes = std::fs::read(corpus.join(file)).expect(file);
        let bytes = &bytes[..bytes.len().min(8_000)];
        for kind in FileKind::ALL {
            read(bytes, kind, None).take(1_000).for_each(drop);
            for cut in (0..bytes.len()).step_by(97) {
                read(&bytes[..cut], kind, None).take(100).for_each(drop);
            }
        }
    }
}

/// A game of 10,000 plies with a comment of a megabyte and hostile tags, in every format.
#[test]
fn a_monstrous_game_survives() {
    let mut record = Record::new(Position::start());
    let shuffle =
        ["i0i1", "a9a8", "i1i0", "a8a9"].map(|text| SquareStyle::Zero.read(text.as_bytes()).unwrap());
    record.moves = shuffle.into_iter().cycle().take(10_000).map(RecordedMove::plain).collect();
    let nasty = "\"]\n[Event \"fake\"]\n{}();$1 }END [/DhtmlXQ] \u{1b}[31m \\";
    record.moves[5_000].comment = nasty.repeat(20_000);
    record.preface = nasty.to_owned();
    record.tags = ["Red", "Black", "Event", "Title"].map(|name| (name.to_owned(), nasty.to_owned())).to_vec();
    record.result = Some(GameResult::Draw);
    for target in all_targets() {
        let bytes = write_checked(&record, target).unwrap_or_else(|error| panic!("{target:?}: {error}"));
        assert!(bytes.len() > 40, "{target:?}");
    }
}

/// A PGN as nobody should write it: quotes, backslashes, a tag over two lines, markup, terminal escapes, a
/// comment of a megabyte and 10,000 half-moves. It reads whole, goes through every format, and becomes a
/// page in which nothing of it is markup.
#[test]
fn a_hostile_pgn_survives_reading_writing_and_its_page() {
    let nasty = "</span><script>alert(1)</script> \u{1b}[2J\u{7}\u{9b}31m \u{202E}&amp;' onload=x \\";
    let mut text = format!(
        "[Event \"quoted \\\"name\\\" \\\\ end\"]\n[Site \"two\nlines\"]\n[Red \"{nasty} \"]\n\
         [Black \"<script>alert(1)</script>\"]\n[<script>alert(1)</script> \"x\"]\n[Result \"1/2-1/2\"]\n\n{{{nasty}}} "
    );
    let shuffle = ["i0i1", "a9a8", "i1i0", "a8a9"];
    for (ply, mv) in shuffle.iter().cycle().take(10_000).enumerate() {
        text.push_str(&format!("{mv} "));
        if ply == 5_000 {
            text.push_str(&format!("{{{}}} ", nasty.repeat(20_000)));
        }
    }
    text.push_str("1/2-1/2\n\n[Event \"the next game\"]\n\n1. h2e2 *\n");
    assert!(text.len() > 1_000_000);
    let games: Vec<_> = read(text.as_bytes(), FileKind::Pgn, None).collect();
    assert_eq!(games.len(), 2, "the game after it is kept");
    let record = games[0].as_ref().expect("it reads");
    assert_eq!((record.moves.len(), record.result), (10_000, Some(GameResult::Draw)));
    assert_eq!(record.tag("Event"), Some("quoted \"name\" \\ end"));
    assert_eq!(record.remarks.len(), 3, "the torn tag and the name that is none are told");
    assert_eq!(record.tag("Black"), Some("<script>alert(1)</script>"));
    assert!(record.moves[5_000].comment.len() > 1_000_000);
    for target in all_targets() {
        // GBK has no sign that turns the direction of writing; the writer says so and writes nothing.
        if let Err(error) = write_checked(record, target) {
            assert!(error.to_string().contains("gbk has no character"), "{target:?}: {error}");
        }
    }
    for lang in [Lang::English, Lang::Chinese] {
        let page = game_page(record, 5_000, Diagram::default(), lang);
        assert_eq!(page.matches("<script").count(), 1, "only our own script");
        assert!(page.matches("&lt;script&gt;alert(1)").count() > 20_000, "shown, not run");
        assert!(!page.contains(|c: char| c != '\n' && disturbs(c)) && !page.contains("' onload"));
    }
}

/// Inputs that would take a careless reader quadratic time; each is some megabytes long.
#[test]
fn nasty_repetitions_take_no_long_time() {
    let began = std::time::Instant::now();
    for unit in [
        "(",
        "{",
        "{{}",
        "h2e2 (",
        "(1",
        "({a}",
        ")",
        "}",
        "炮二平五",
        "车一进一车１进１车一退一车１退１",
        "$",
        ";",
        "1",
        ".",
        "[A \"",
        "[A \"\"]",
        "\"]",
        "[DhtmlXQ_a]",
        "[DhtmlXQ]",
        "[DhtmlXQ_move_0_1_1]7747[/DhtmlXQ]",
        "/",
        "9/",
        "{\"moves\":",
        "START{",
        "}END",
        "h2e2 b2e2 (b2e2 ",
        "\r",
        "\u{FEFF}",
        "x",
    ] {
        let text = unit.repeat(1_000_000 / unit.len());
        for kind in FileKind::ALL {
            read(text.as_bytes(), kind, None).for_each(drop);
            read(format!("[Event \"x\"]\nh2e2 {text}").as_bytes(), kind, None).for_each(drop);
        }
        println!("{unit}: {:?}", began.elapsed());
    }
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}

#[test]
fn ambiguity_lists_its_moves() {
    let Some(corpus) = corpus() else { return };
    let read = read_file(&corpus.join("broken/made-two-pawns-two-files.pgn")).remove(0);
    let Err(RecordError { reason: Reason::Move(NotationError::Ambiguous(moves)), .. }) = read else {
        panic!("not ambiguous");
    };
    assert_eq!(moves.len(), 2);
}
