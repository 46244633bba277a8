//! All documents over a made-up run, compared with snapshots under `tests/snapshots` (written anew with
//! `UPDATE_EXPECT=1`), their widths, and that they are the same when drawn again from the journal. Plays
//! no games and starts no engines. Start at [`every_document_of_the_made_up_run`].

use std::time::Instant;

use chuhe::formats::{self, FileKind};
use chuhe::plan::Points;
use chuhe::record::{Event, GameSummary, JournalReader, Run, What, encode};
use chuhe::report::{Album, DOCUMENTS, Lang, Style, pgn, progress};
// The fixture is shared with the unit tests of `record`, where these are modules of the crate.
use chuhe::{engine, game, law, plan, record, time, tournament, xiangqi};
use expect_test::expect_file;
use unicode_width::UnicodeWidthStr;

#[path = "../src/record/fixture.rs"]
#[allow(dead_code)]
mod fixture;

fn fold(events: &[Event]) -> Run {
    let mut run = Run::new();
    for event in events {
        run.apply(event).expect("fits");
    }
    run
}

fn snapshot(folder: &str, file: &str, text: &str) {
    let path = format!("{}/tests/snapshots/{folder}/{file}", env!("CARGO_MANIFEST_DIR"));
    expect_file![path].assert_eq(text);
}

fn draw(events: &[Event], run: &Run, lang: Lang) -> impl Iterator<Item = (&'static str, String)> {
    let album = Album::of(events);
    DOCUMENTS.iter().map(move |document| (document.file, document.draw(run, &album, &Style { lang })))
}

#[test]
fn every_document_of_the_made_up_run() {
    let events = fixture::events(Points::TwoOneZero);
    let run = fold(&events);
    // What the report holds is held by other snapshots; its structure has a test of its own.
    let report = |file: &str| file.starts_with("report.");
    for (file, text) in draw(&events, &run, Lang::English).filter(|(file, _)| !report(file)) {
        snapshot("round-robin", file, &text);
    }
    let chinese = ["crosstable.md", "crosstable.html", "rulings.txt", "summary.md"];
    for (file, text) in draw(&events, &run, Lang::Chinese).filter(|(file, _)| chinese.contains(file)) {
        snapshot("round-robin-zh", file, &text);
    }
}

#[test]
fn a_match_of_two_shows_its_score() {
    let events = fixture::match_events();
    let run = fold(&events);
    let shown = ["crosstable.txt", "crosstable.zh.txt", "crosstable.md", "crosstable.csv", "summary.json"];
    for (file, text) in draw(&events, &run, Lang::English).filter(|(file, _)| shown.contains(file)) {
        snapshot("match", file, &text);
    }
}

/// A run's journal and its `games.pgn` hold the same games, as any reader of records sees them.
#[test]
fn the_journal_reads_as_its_pgn() {
    let events = fixture::events(Points::TwoOneZero);
    let journal: String = events.iter().map(encode).collect();
    let What::RunBegan(head) = &events[0].what else { panic!("no head") };
    let heading = pgn::Heading::of(head);
    let over = events.iter().filter_map(|event| match &event.what {
        What::GameOver(over) => Some(pgn::game(over, &heading)),
        _ => None,
    });
    let text: String = over.collect();
    let kind = formats::detect(journal.as_bytes(), None);
    assert_eq!(kind, FileKind::Journal);
    let from_journal: Vec<_> = formats::read(journal.as_bytes(), kind, None).collect();
    let from_pgn: Vec<_> = formats::read(text.as_bytes(), FileKind::Pgn, None).collect();
    assert!(!from_pgn.is_empty());
    assert_eq!(from_journal.len(), from_pgn.len());
    let mut same = 0;
    for (journal, pgn) in from_journal.iter().zip(&from_pgn) {
        match (journal, pgn) {
            (Ok(journal), Ok(pgn)) => {
                assert!(journal.line().eq(pgn.line()));
                assert_eq!(journal.result, pgn.result);
                for tag in ["Event", "Site", "Date", "Round", "Opening", "TimeControl", "PlyCount"] {
                    assert_eq!(journal.tag(tag), pgn.tag(tag), "{tag}");
                }
                // The last comment of the PGN tells the reason of the end too.
                let comments = |record: &formats::Record| -> Vec<String> {
                    let all = record.moves.iter().map(|played| played.comment.clone());
                    all.take(record.moves.len().saturating_sub(1)).collect()
                };
                assert_eq!(comments(journal), comments(pgn));
                same += 1;
            }
            (Err(journal), Err(pgn)) => assert_eq!(journal.ply, pgn.ply),
            (journal, pgn) => panic!("{journal:?} {pgn:?}"),
        }
    }
    println!("{same} games");
    assert!(same > 0);
}

#[test]
fn games_as_pgn() {
    let events = fixture::events(Points::TwoOneZero);
    let mut text = String::new();
    let mut run = Run::new();
    for event in &events {
        run.apply(event).expect("fits");
        if let What::GameOver(over) = &event.what {
            text.push_str(&pgn::game(over, &pgn::Heading::of(run.head().expect("begun"))));
        }
    }
    snapshot("round-robin", "games.pgn", &text);
}

#[test]
fn lines_for_the_terminal() {
    let run = fold(&fixture::events(Points::TwoOneZero));
    let two = fold(&fixture::match_events());
    let mut text = String::new();
    for lang in [Lang::English, Lang::Chinese] {
        for run in [&run, &two] {
            let mut lines = progress::start(run.settings().expect("begun"), lang);
            lines.extend(run.games().take(4).map(|game| progress::finished(run, &game, lang)));
            lines.push(progress::score(run, lang));
            text.push_str(&(lines.join("\n") + "\n\n"));
        }
    }
    snapshot("round-robin", "progress.txt", &text);
}

#[test]
fn documents_drawn_from_the_journal_are_the_same_and_grow_with_every_event() {
    let events = fixture::events(Points::OneHalfZero);
    let journal: String = events.iter().map(encode).collect();
    let read: Vec<Event> =
        JournalReader::new(journal.as_bytes()).map(|event| event.expect("sound")).collect();
    let mut run = Run::new();
    let fresh = Run::new();
    assert_eq!(draw(&[], &fresh, Lang::English).count(), DOCUMENTS.len());
    for (place, event) in events.iter().enumerate() {
        run.apply(event).expect("fits");
        let again = fold(&read[..=place]);
        let both =
            draw(&events[..=place], &run, Lang::Chinese).zip(draw(&read[..=place], &again, Lang::Chinese));
        for ((file, one), (_, other)) in both {
            assert_eq!(one, other, "{file} after event {place}");
        }
    }
}

/// Every line of the table in a document: from the headings to the last row.
fn table_lines<'a>(text: &'a str, rule: &str) -> Vec<&'a str> {
    let lines: Vec<&str> = text.lines().collect();
    let ruled = lines.iter().position(|line| line.starts_with(rule)).expect("a rule");
    let rows = lines[ruled..].iter().take_while(|line| line.starts_with([' ', '-', '=', '1']));
    lines[ruled - 1..ruled].iter().chain(rows).copied().collect()
}

/// Display columns at which a line's cells end: followed by two blanks.
fn column_of(line: &str, cell: &str) -> Option<usize> {
    line.find(cell).map(|at| line[..at].width() + cell.width())
}

#[test]
fn columns_stand_under_each_other_in_both_languages() {
    let run = fold(&fixture::events(Points::TwoOneZero));
    for (file, text) in draw(&[], &run, Lang::English).filter(|(file, _)| file.ends_with(".txt")) {
        assert_eq!(text.width(), text.width_cjk(), "{file}: a sign whose width depends on the terminal");
        assert!(text.lines().all(|line| line == line.trim_end()), "{file}: blanks at a line's end");
        assert!(!text.contains('\t'), "{file}");
    }
    let text = DOCUMENTS.iter().find(|document| document.file == "crosstable.zh.txt").expect("listed");
    let text = text.draw(&run, &Album::default(), &Style::default());
    let lines = table_lines(&text, "====");
    assert_eq!(lines.len(), 6);
    let points = column_of(lines[0], "积分").expect("a heading");
    let (_, width) = (lines[1], lines[1].width());
    for line in &lines[2..] {
        assert!(line.width() <= width);
        // The points end where their heading ends, whatever the width of the names before.
        let before: usize = line
            .chars()
            .scan(0, |used, letter| {
                *used += letter.to_string().width();
                Some((*used, letter))
            })
            .find(|(used, _)| *used == points)
            .map_or(0, |(_, letter)| usize::from(letter.is_ascii_digit()));
        assert_eq!(before, 1, "{line}");
    }
}

/// Every value of an attribute.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// A page stands alone: ids are unique, links within it lead somewhere, elements are closed, nothing is
/// loaded, and its policy allows its one style and script by their hashes alone.
#[track_caller]
fn check_page(file: &str, page: &str) {
    let ids = values(page, "id");
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "{file}: an id twice");
    for link in values(page, "href").into_iter().filter_map(|link| link.strip_prefix('#')) {
        assert!(unique.contains(link), "{file}: #{link} leads nowhere");
    }
    for element in
        ["table", "tr", "td", "details", "summary", "svg", "g", "text", "div", "p", "section", "figure", "a"]
    {
        let open =
            page.matches(&format!("<{element} ")).count() + page.matches(&format!("<{element}>")).count();
        assert_eq!(open, page.matches(&format!("</{element}>")).count(), "{file}: <{element}>");
    }
    let foreign = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!foreign.contains("://") && !page.contains("src=") && !page.contains(" style="), "{file}");
    assert_eq!(page.matches("<style>").count(), 1, "{file}");
    assert!(page.contains("content=\"default-src 'none'; style-src 'sha256-"), "{file}");
    assert!(!page.contains("unsafe-inline"), "{file}");
}

#[test]
fn the_report_holds_what_was_asked_for_and_stands_alone() {
    for (events, tested) in [
        (fixture::events(Points::TwoOneZero), false),
        (fixture::match_events(), true),
        (fixture::hostile_events(), false),
    ] {
        let run = fold(&events);
        for (file, page) in draw(&events, &run, Lang::English).filter(|(file, _)| file.contains(".html")) {
            if file.starts_with("report.") || file.starts_with("rulings.") {
                check_page(file, &page);
            }
            if !file.starts_with("report.") {
                continue;
            }
            let parts =
                values(&page, "id").into_iter().filter(|id| id.chars().all(|c| c.is_ascii_lowercase()));
            let parts: Vec<&str> = parts.filter(|id| !["grid", "on"].contains(id)).collect();
            let named: Vec<&str> = parts.iter().copied().filter(|id| id.len() > 2).collect();
            assert_eq!(named, ["standings", "places", "plots", "games", "rulings", "settings"], "{file}");
            let plots = 5 + usize::from(run.trial().is_some() && tested);
            assert_eq!(page.matches("class=\"plot\"").count(), plots, "{file}");
            let folded = page.matches("<details class=\"game\"").count();
            assert_eq!(folded, run.games().count(), "{file}: every game of a short run folds out");
            let plies: u32 = run.games().map(|game| game.plies).sum();
            let moves = page.matches("<a data-m=").count();
            assert!(moves > 0 && moves <= plies as usize, "{file}: {moves} moves of {plies}");
        }
    }
}

#[test]
fn the_report_of_a_long_run_stays_small() {
    let events = fixture::long_events(20_000);
    let run = fold(&events);
    let begun = Instant::now();
    let album = Album::of(&events);
    println!("album {:?}", begun.elapsed());
    for document in DOCUMENTS
        .iter()
        .filter(|document| document.file.contains("report.") || document.file.contains(".svg"))
    {
        let begun = Instant::now();
        let text = document.draw(&run, &album, &Style::default());
        println!("{} {} bytes {:?}", document.file, text.len(), begun.elapsed());
        let most = if document.file.ends_with(".svg") { 40_000 } else { 6_000_000 };
        assert!(text.len() < most, "{}: {} bytes", document.file, text.len());
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn hostile_names_break_no_document() {
    let events = fixture::hostile_events();
    let run = fold(&events);
    for (file, text) in draw(&events, &run, Lang::English) {
        match file.rsplit_once('.').expect("an extension").1 {
            "html" | "svg" => {
                let own = usize::from(file.starts_with("report."));
                assert!(text.matches("<script").count() == own && !text.contains("<b>"), "{file}");
                let (open, close) = (text.matches("<td").count(), text.matches("</td>").count());
                assert_eq!(open, close, "{file}");
            }
            "json" => assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{file}"),
            "md" => assert!(!text.contains("<b>"), "{file}"),
            "csv" => {
                let formula =
                    |line: &str| line.starts_with(['=', '@']) || line.contains(",=") || line.contains(",\"=");
                assert!(!text.lines().any(formula), "{file}");
            }
            "txt" => assert!(!text.contains('\u{1b}'), "{file}"),
            other => panic!("nothing is held of {other}"),
        }
    }
    for event in &events {
        if let What::GameOver(over) = &event.what {
            let game = pgn::game(over, &pgn::Heading::of(run.head().expect("begun")));
            assert!(game.contains("[Event \"<b>'Cup' \\\\ |  [0m\"]\n"), "{game}");
            assert!(
                game.lines().filter(|line| line.starts_with('[')).all(|line| line.ends_with("\"]")),
                "{game}"
            );
            let moves = game.split_once("\n\n").expect("tags, then moves").1;
            assert_eq!(moves.matches('{').count(), moves.matches('}').count(), "{game}");
        }
    }
}

#[test]
fn long_runs_and_long_games_are_cheap() {
    let (events, game) = (fixture::long_events(20_000), fixture::long_game());
    let begun = Instant::now();
    let run = fold(&events);
    assert_eq!(run.decided(), 20_000);
    println!("fold of 20,000 games {:?}, {} bytes each", begun.elapsed(), size_of::<GameSummary>());
    let begun = Instant::now();
    for document in DOCUMENTS.iter().filter(|document| document.live) {
        let begun = Instant::now();
        let size = document.draw(&run, &Album::default(), &Style::default()).len();
        println!("{} {size} bytes {:?}", document.file, begun.elapsed());
    }
    let drawn = begun.elapsed();
    let begun = Instant::now();
    let lines: usize = (0..100).map(|_| encode(&game).len()).sum();
    println!("a game's line {} bytes {:?}", lines / 100, begun.elapsed() / 100);
    let What::GameOver(over) = &game.what else { panic!("a game") };
    let begun = Instant::now();
    let texts: usize =
        (0..100).map(|_| pgn::game(over, &pgn::Heading::of(run.head().expect("begun"))).len()).sum();
    let per_move = begun.elapsed() / 100 / 161;
    println!("a game's PGN {} bytes, {per_move:?} a move", texts / 100);
    // Bounds far above what is measured, for slow and busy machines: they catch a wrong order of growth.
    assert!(drawn.as_secs() < 20 && per_move.as_micros() < 50, "{drawn:?} {per_move:?}");
}
