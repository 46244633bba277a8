//! Openings from a list in the config or a file of records in any format that `formats` reads. Every one is
//! played through; what is wrong is told with file, game, line and half-move. Start at [`read`].

use std::collections::HashSet;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Files;
use super::engines::{join, squares_of};
use super::form::{OpeningOrderForm, OpeningsFields, OpeningsForm, WeightsForm};
use super::problem::{Problem, element, quoted};
use super::typed::BUILT_IN_OPENINGS;
use crate::formats::{FileKind, Odd, Record, RecordError, detect, read as read_records};
use crate::tournament::{Opening, OpeningBook, OpeningOrder};
use crate::xiangqi::{Notation, SquareStyle};

/// Most bytes of an opening file: a million openings of 64 bytes.
const MAX_FILE: usize = 64 << 20;
/// Most openings.
const MAX_OPENINGS: usize = 1_000_000;
/// Most places that openings with weights take in the order.
const MAX_PLACES: u64 = 10_000_000;
/// Largest weight: that of a book's move.
const MAX_WEIGHT: u32 = 65_535;
/// Most wrong or odd openings that are told one by one.
const MAX_TOLD: usize = 10;
/// Half-moves taken of a game where the config does not say: eight moves of each side.
const GAME_PLIES: usize = 16;
/// Bytes that show the format of a file.
const HEAD: usize = 1 << 16;
/// Longest name of an opening, in characters.
const MAX_NAME: usize = 100;

/// Openings that were read.
#[derive(Default)]
pub struct Read {
    /// The book.
    pub book: OpeningBook,
    /// Path as written and SHA-256 of the file, if there was one.
    pub source: Option<(String, String)>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What is odd.
    pub warnings: Vec<Problem>,
}

/// Reads openings. `told` says whether something is known to be wrong at a path already.
pub fn read(
    form: &OpeningsForm,
    base: &str,
    seed: u64,
    files: &dyn Files,
    told: impl Fn(&str) -> bool,
) -> Read {
    let whole = OpeningsFields {
        file: None,
        list: None,
        squares: None,
        weights: None,
        order: None,
        start: None,
        plies: None,
    };
    let (fields, path) = match form {
        OpeningsForm::File(file) => (&OpeningsFields { file: Some(file.clone()), ..whole }, "openings"),
        OpeningsForm::Fields(fields) => (fields, "openings.file"),
    };
    let mut read = Read::default();
    let told = told("openings");
    let mut collected = Collected::new(fields);
    match (&fields.file, &fields.list) {
        (Some(file), None) => match file_bytes(&join(base, file), files) {
            Ok((bytes, hash)) => {
                read.source = Some((file.clone(), hash));
                collected.file(file, path, &bytes);
            }
            Err(why) => read.problems.push(Problem::new(path, why)),
        },
        (None, Some(list)) => collected.list(list),
        (Some(_), Some(_)) => {
            let message = "stands beside `file`; only one of the two can be given";
            read.problems.push(Problem::new("openings.list", message));
        }
        (None, None) if told => {}
        (None, None) => {
            let problem = Problem::new("openings", "names no openings");
            read.problems.push(problem.hint("give a `file` or a `list`"));
        }
    }
    let (openings, weights) = collected.finish(&mut read);
    let count: u64 = weights.iter().copied().map(u64::from).sum();
    let first = fields.start.unwrap_or(1);
    if read.problems.is_empty() && !told {
        if count == 0 {
            read.problems.push(Problem::new("openings", "holds no opening at all"));
        } else if u64::from(first) > count {
            let message = format!("is {first}, but there are only {count} openings");
            read.problems.push(Problem::new("openings.start", message));
        }
    }
    let order = match fields.order {
        None | Some(OpeningOrderForm::InOrder) => OpeningOrder::InOrder,
        Some(OpeningOrderForm::Shuffled) => OpeningOrder::Shuffled,
    };
    read.book = OpeningBook::weighted(openings, &weights, order, seed, u64::from(first.saturating_sub(1)));
    read
}

/// Openings as they are found, and what is wrong and odd with them.
struct Collected<'a> {
    fields: &'a OpeningsFields,
    /// The rank style, where the config settles it.
    forced: Option<Notation>,
    openings: Vec<Opening>,
    weights: Vec<u32>,
    /// Keys of the positions that openings lead to.
    reached: HashSet<u64>,
    wrong: Vec<Problem>,
    odd: Vec<Problem>,
    more_wrong: usize,
    more_odd: usize,
}

impl<'a> Collected<'a> {
    fn new(fields: &'a OpeningsFields) -> Collected<'a> {
        let forced = fields.squares.map(|squares| match squares_of(squares) {
            SquareStyle::Zero => Notation::Uci0,
            SquareStyle::One => Notation::Uci1,
        });
        Collected {
            fields,
            forced,
            openings: Vec::new(),
            weights: Vec::new(),
            reached: HashSet::new(),
            wrong: Vec::new(),
            odd: Vec::new(),
            more_wrong: 0,
            more_odd: 0,
        }
    }

    /// The openings of a list in the config itself.
    fn list(&mut self, list: &[String]) {
        for (index, text) in list.iter().enumerate() {
            let path = element("openings.list", index);
            let place = format!("opening {}", index + 1);
            for game in read_records(text.as_bytes(), FileKind::MoveLists, self.forced) {
                let named = |error: &RecordError| {
                    let place = error.ply.map_or(place.clone(), |ply| format!("{place}, ply {ply}"));
                    format!("{place}, '{}': {}", error.token, error.reason)
                };
                self.take(game, &path, &place, self.fields.plies, |_| place.clone(), named);
            }
        }
    }

    /// The openings of a file.
    fn file(&mut self, file: &str, path: &str, bytes: &[u8]) {
        let kind = detect(&bytes[..bytes.len().min(HEAD)], Some(file));
        let lists = matches!(kind, FileKind::Positions | FileKind::MoveLists);
        let plies = self.fields.plies.or((!lists).then_some(GAME_PLIES));
        for game in read_records(bytes, kind, self.forced) {
            let origin = match &game {
                Ok(record) => (record.origin.game, record.origin.line),
                Err(error) => (error.game, error.line),
            };
            let place = format!("{file}: game {}, line {}", origin.0, origin.1);
            let own_name = |record: &Record| {
                let number = if lists { format!("line {}", origin.1) } else { format!("game {}", origin.0) };
                let opening = record.tag("Opening").filter(|name| !lists && !name.is_empty());
                opening.map_or(number.clone(), |name| format!("{number}, {name}"))
            };
            self.take(game, path, &place, plies, own_name, |error| format!("{file}: {error}"));
            if self.openings.len() > MAX_OPENINGS {
                break;
            }
        }
    }

    /// Takes an opening or tells what is wrong. A game that breaks off behind what is taken of it is good.
    fn take(
        &mut self,
        game: Result<Record, RecordError>,
        path: &str,
        place: &str,
        plies: Option<usize>,
        own_name: impl Fn(&Record) -> String,
        in_words: impl Fn(&RecordError) -> String,
    ) {
        let record = match game {
            Ok(record) => record,
            Err(mut error) => {
                let enough = |record: &Record| plies.is_some_and(|plies| plies <= record.moves.len());
                match error.before.take().filter(|record| enough(record)) {
                    Some(record) => {
                        self.note(path, in_words(&error));
                        *record
                    }
                    None => return self.refuse(path, in_words(&error)),
                }
            }
        };
        let odd = |odd: &Odd| {
            matches!(odd, Odd::Placement(_) | Odd::NoSide | Odd::RanksFromOne | Odd::BothRankStyles)
        };
        if let Some(remark) = record.remarks.iter().find(|remark| odd(&remark.what)) {
            self.note(path, format!("{place}: {}", remark.what));
        }
        if let Err(why) = self.keep(&record, plies, own_name(&record)) {
            self.refuse(path, format!("{place}: {why}"));
        }
    }

    fn keep(&mut self, record: &Record, plies: Option<usize>, own_name: String) -> Result<(), String> {
        let mut position = record.start.clone();
        let moves: Vec<_> = record.line().take(plies.unwrap_or(usize::MAX)).collect();
        moves.iter().for_each(|mv| {
            position.make(*mv);
        });
        if !position.has_legal_move() {
            return Err(format!("the side to move has no move in {}", position.fen()));
        }
        let weight = match self.fields.weights.unwrap_or(WeightsForm::Count) {
            WeightsForm::Count => 1,
            WeightsForm::Equal => u32::from(self.reached.insert(position.key())),
            WeightsForm::Given => record.tag("Weight").map_or(Ok(1), weight)?,
        };
        if weight > 0 {
            let title = record.tag("Title").or(record.tag("id")).map(str::trim);
            let name = title.filter(|title| !title.is_empty()).map_or(own_name, str::to_owned);
            let name = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
            self.openings.push(Opening { start: record.start.clone(), moves, name });
            self.weights.push(weight);
        }
        Ok(())
    }

    fn refuse(&mut self, path: &str, message: String) {
        tell(&mut self.wrong, &mut self.more_wrong, path, message);
    }

    fn note(&mut self, path: &str, message: String) {
        tell(&mut self.odd, &mut self.more_odd, path, message);
    }

    /// The openings and their weights; problems and warnings go where those of the config are.
    fn finish(self, read: &mut Read) -> (Vec<Opening>, Vec<u32>) {
        read.problems.extend(self.wrong);
        read.warnings.extend(self.odd);
        if self.more_wrong > 0 {
            let message = format!("{} more are no openings", self.more_wrong);
            read.problems.push(Problem::new("openings", message));
        }
        if self.more_odd > 0 {
            read.warnings.push(Problem::new("openings", format!("{} more openings are odd", self.more_odd)));
        }
        let places: u64 = self.weights.iter().copied().map(u64::from).sum();
        if self.openings.len() > MAX_OPENINGS {
            let message = format!("holds more than {MAX_OPENINGS} openings");
            read.problems.push(Problem::new("openings", message));
        } else if places > MAX_PLACES {
            let message = format!("make {places} together; at most {MAX_PLACES} are possible");
            read.problems.push(Problem::new("openings.weights", message));
            return Default::default();
        }
        (self.openings, self.weights)
    }
}

/// The text of the opening list that is compiled in.
pub const BUILT_IN_LIST: &str = include_str!("../../openings/chuhe-500.epd");

fn tell(told: &mut Vec<Problem>, more: &mut usize, path: &str, message: String) {
    if told.len() < MAX_TOLD {
        told.push(Problem::new(path, message));
    } else {
        *more += 1;
    }
}

fn weight(text: &str) -> Result<u32, String> {
    let number = text.trim().parse().ok().filter(|weight| *weight <= MAX_WEIGHT);
    number.ok_or_else(|| format!("its weight '{}' is no whole number from 0 to {MAX_WEIGHT}", quoted(text)))
}

/// All bytes of a file and their SHA-256.
fn file_bytes(full: &str, files: &dyn Files) -> Result<(Vec<u8>, String), String> {
    let bytes = if Path::new(full).file_name().is_some_and(|name| name == BUILT_IN_OPENINGS) {
        BUILT_IN_LIST.as_bytes().to_vec()
    } else if files.exists(full) {
        files.read(full).map_err(|why| format!("{full} cannot be read: {why}"))?
    } else {
        return Err(format!("there is no file {full}"));
    };
    if bytes.len() > MAX_FILE {
        return Err(format!("{full} has {} bytes; at most {MAX_FILE} are read", bytes.len()));
    }
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((bytes, hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Shelf(&'static str, Vec<u8>);

    impl Files for Shelf {
        fn read(&self, _: &str) -> Result<Vec<u8>, String> {
            Ok(self.1.clone())
        }

        fn exists(&self, path: &str) -> bool {
            path == format!("/runs/{}", self.0)
        }
    }

    /// The openings of a file as `name: moves`, then what is wrong, then what is odd.
    fn check(file: &'static str, content: &str, settings: &str, expected: &[&str]) {
        let mut form: serde_json::Value = serde_json::from_str(settings).unwrap();
        form["file"] = file.into();
        let form: OpeningsForm = serde_json::from_value(form).unwrap();
        let read = read(&form, "/runs", 1, &Shelf(file, content.as_bytes().to_vec()), |_| false);
        let openings = read.book.iter().map(|opening| {
            let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
            format!("{}: {}", opening.name, moves.join(" "))
        });
        let told = read.problems.iter().chain(&read.warnings).map(ToString::to_string);
        let all: Vec<String> = openings.chain(told).collect();
        assert_eq!(all, expected, "{content}");
        assert_eq!(read.source.map(|(path, hash)| (path, hash.len())), Some((file.to_owned(), 64)));
    }

    const PGN: &str = "[Red \"a\"]\n[Opening \"central cannon\"]\n\n1. C2.5 H8+7 2. H2+3 1-0\n\n\
        [Weight \"3\"]\n\n1. h2e2 h9g7 2. h0g2 h2h3\n\n[Title \"third\"]\n\n1. 炮二平五 馬８進７ *\n";

    #[test]
    fn games_of_any_format_are_cut_to_openings() {
        check(
            "g.pgn",
            PGN,
            r#"{"plies": 2}"#,
            &[
                "game 1, central cannon: h2e2 h9g7",
                "game 2: h2e2 h9g7",
                "third: h2e2 h9g7",
                "openings.file: g.pgn: game 2, line 8, ply 4, 'h2h3': illegal: no piece stands on h2",
            ],
        );
        check(
            "g.pgn",
            PGN,
            "{}",
            &[
                "game 1, central cannon: h2e2 h9g7 h0g2",
                "third: h2e2 h9g7",
                "openings.file: g.pgn: game 2, line 8, ply 4, 'h2h3': illegal: no piece stands on h2",
            ],
        );
        let journal = "{\"seq\":0,\"at\":0,\"what\":\"run_began\",\"settings\":{}}\n{\"seq\":1,\"at\":0,\"what\":\"game_over\",\
            \"game\":\"1.1.1.1\",\"red\":\"a\",\"black\":\"b\",\"fen\":\"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\",\
            \"moves\":\"h2e2 h9g7\",\"termination\":{\"kind\":\"agreed\"}}\n";
        check("journal.jsonl", journal, r#"{"plies": 1}"#, &["game 1: h2e2"]);
        let ubb = "[DhtmlXQ]\n[DhtmlXQ_title]a title[/DhtmlXQ_title]\n[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n";
        check("g.ubb", ubb, "{}", &["a title: h2e2 h9g7"]);
        check("g.wxf", "FORMAT WXF\nSTART{\n1. C2.5 h8+7\n}END\n", "{}", &["game 1: h2e2 h9g7"]);
        check("g.jsonl", "{\"moves\": [\"h2e2\"]}\n", "{}", &["game 1: h2e2"]);
    }

    #[test]
    fn weights_are_counted_equal_or_given() {
        let settings = |weights: &str| format!(r#"{{"plies": 2, "weights": "{weights}"}}"#);
        let odd = "openings.file: g.pgn: game 2, line 8, ply 4, 'h2h3': illegal: no piece stands on h2";
        check("g.pgn", PGN, &settings("equal"), &["game 1, central cannon: h2e2 h9g7", odd]);
        check(
            "g.pgn",
            PGN,
            &settings("given"),
            &[
                "game 1, central cannon: h2e2 h9g7",
                "game 2: h2e2 h9g7",
                "game 2: h2e2 h9g7",
                "game 2: h2e2 h9g7",
                "third: h2e2 h9g7",
                odd,
            ],
        );
        let list = "h2e2 ; a; weight 2\nb2e2 ; weight 0\nh2e2 ; weight x\nh2d2 ; weight 70000\n";
        check(
            "l.txt",
            list,
            &settings("given"),
            &[
                "a: h2e2",
                "a: h2e2",
                "openings.file: l.txt: game 3, line 3: its weight 'x' is no whole number from 0 to 65535",
                "openings.file: l.txt: game 4, line 4: its weight '70000' is no whole number from 0 to 65535",
            ],
        );
    }

    #[test]
    fn places_are_limited() {
        let list = "h2e2 ; weight 65535\n".repeat(153);
        check(
            "l.txt",
            &list,
            r#"{"weights": "given"}"#,
            &["openings.weights: make 10026855 together; at most 10000000 are possible"],
        );
    }
}
