//! Persons at the board: the built program runs the matches, scripts sit at the seats over plain connections. Whatever
//! a person does, only legal moves reach the board and the clock is the runner's. Start at
//! [`a_man_machine_match_by_preset`].

#[path = "end_to_end/world.rs"]
#[allow(dead_code)]
mod world;

#[path = "end_to_end/served.rs"]
#[allow(dead_code)]
mod served;

#[path = "end_to_end/seated.rs"]
#[allow(dead_code)]
mod seated;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use chuhe::xiangqi::{Move, Notation, Position, write_move};
use seated::{Seated, links};
use serde_json::{Value, json};
use served::Served;
use world::{Place, with};

fn preset(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").join(name);
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn seats(place: &Place, served: &Served) -> BTreeMap<String, Seated> {
    let links = links(place);
    let links = links.as_object().unwrap().iter();
    links
        .map(|(label, token)| (label.clone(), Seated::new(&served.address, token.as_str().unwrap())))
        .collect()
}

fn verified(place: &Place) {
    place.chuhe(&["verify", &place.out().to_string_lossy()]).expect(0);
    assert!(!place.out().join("links.json").exists(), "the folder that is handed in keeps no secrets");
}

/// A text of a move in the `count`-th of the notations that people type.
fn typed(position: &Position, mv: Move, count: usize) -> String {
    let notations = [Notation::Uci0, Notation::Iccs, Notation::Wxf, Notation::ChineseSimplified];
    write_move(position, mv, notations[count % notations.len()])
}

#[test]
fn a_man_machine_match_by_preset() {
    let place = Place::new("man-machine-seat");
    let mut config = preset("2006-man-machine.json");
    let machine = config["entrants"][1].clone();
    config["entrants"] = json!([
        { "name": "Master 1", "name_zh": "大师一", "engine": "person", "registration": { "own_work": true } },
        with(machine, json!({ "options": { "Level": 5, "Seed": 2 } })),
    ]);
    let served = Served::run(&place, &config, &["--time-scale", "0.004"]);
    let seat = seats(&place, &served)["1.1"].clone();

    // Nobody has sat down: check-in waits. Without the link nobody does.
    assert_eq!(Seated::new(&served.address, &"0".repeat(32)).state().0, 401);
    assert_eq!(Seated::new(&served.address, "").say(&json!({ "kind": "here" })).0, 401);
    let (status, state) = seat.state();
    assert_eq!((status, &state["here"], &state["game"]), (200, &json!(false), &Value::Null));
    assert_eq!(
        seat.say(&json!({ "kind": "move", "text": "h2e2", "turn": 1 })).0,
        409,
        "nothing is asked yet"
    );
    assert_eq!(seat.say(&json!({ "kind": "sing" })).0, 400);
    let mut window = seat.window();
    assert_eq!(window.next().unwrap()["here"], false);
    assert_eq!(seat.say(&json!({ "kind": "here" })).0, 200);

    let (mut known, mut moves, mut games) = (Value::Null, 0, 0);
    while let Some(state) = window.turn(&known) {
        let (game, turn) = (&state["game"], &state["turn"]);
        let position = Position::from_fen(game["fen"].as_str().unwrap()).unwrap();
        assert_eq!(turn["legal"].as_array().unwrap().len(), position.legal_moves().len());
        assert_eq!(game["moves"].as_array().unwrap().len(), game["zh"].as_array().unwrap().len());
        assert_eq!(game["start"], Position::start().fen(), "the whole game is shown, also after captures");
        assert!(turn["left_ms"].as_u64().unwrap() <= 10_800 && turn["opponent_left_ms"].is_u64(), "{turn}");
        known = turn["id"].clone();
        if game["number"] != games {
            (games, moves) = (game["number"].as_u64().unwrap(), 0);
        }
        if games == 2 && moves == 3 {
            // The person does not answer any more: the flag falls.
            continue;
        }
        if games == 1 && moves == 1 {
            // An illegal attempt is refused, and the turn is still there.
            let (status, said) = seat.play(turn, "e0e9");
            assert_eq!((status, &said["ok"]), (400, &json!(false)), "{said}");
            assert!(said["en"].as_str().unwrap().contains("e0") && !said["zh"].as_str().unwrap().is_empty());
            assert_eq!(seat.play(turn, "<script>").0, 400);
            assert_eq!(seat.state().1["turn"]["id"], known);
        }
        if games == 1 && moves == 2 {
            // Reloaded in the middle of the game: the same board, the same turn.
            window = seat.window();
            let again = window.next().unwrap();
            assert_eq!((&again["game"], &again["turn"]["id"]), (game, &known));
        }
        if games == 1 && moves == 4 {
            // The connection is lost; the move that is made without one is the same as any.
            drop(std::mem::replace(&mut window, seat.window()));
            assert_eq!(seat.play(&json!({ "id": 0 }), "h2e2").0, 409);
        }
        let legal = position.legal_moves();
        let (status, said) = seat.play(turn, &typed(&position, legal[moves % legal.len()], moves));
        assert_eq!(status, 200, "{said}");
        moves += 1;
    }
    assert_eq!(served.end(), Some(0));
    let ends: Vec<String> = place
        .games()
        .iter()
        .map(|game| serde_json::to_value(&game.termination).unwrap().to_string())
        .collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert!(ends[1].contains("time") || ends[1].contains("flag"), "{ends:?}");
    assert!(!ends[0].contains("illegal") && !ends[0].contains("crash"), "{ends:?}");
    verified(&place);
    place.expect_nobody("after the end");
}

#[test]
fn two_persons_agree_on_a_draw_and_resign() {
    let place = Place::new("two-persons");
    let config = json!({
        "event": "Two persons",
        "entrants": [{ "name": "A", "engine": "person" }, { "name": "B", "engine": "person" }],
        "time": "600",
        "format": { "type": "pairs", "pairs": 1 },
    });
    let served = Served::run(&place, &config, &[]);
    let seats = seats(&place, &served);
    let play = |label: &str| {
        let seat = seats[label].clone();
        std::thread::spawn(move || {
            let mut window = seat.window();
            assert_eq!(seat.say(&json!({ "kind": "here" })).0, 200);
            let mut known = Value::Null;
            while let Some(state) = window.turn(&known) {
                let turn = &state["turn"];
                known = turn["id"].clone();
                let red = state["game"]["colour"] == "red";
                let length = state["game"]["moves"].as_array().unwrap().len();
                let first = turn["legal"][0].as_str().unwrap();
                assert_eq!(turn["draw_offered"], state["game"]["number"] == 1 && length == 3, "{state}");
                match (state["game"]["number"].as_u64().unwrap(), length) {
                    (1, 2) => {
                        assert_eq!(seat.say(&json!({ "kind": "accept-draw", "turn": known })).0, 400);
                        assert_eq!(seat.say(&json!({ "kind": "offer-draw", "on": true })).0, 200);
                        assert_eq!(seat.state().1["offers_draw"], true);
                        assert_eq!(seat.play(turn, first).0, 200);
                    }
                    (1, 3) => {
                        assert!(!red);
                        assert_eq!(seat.say(&json!({ "kind": "accept-draw", "turn": known })).0, 200);
                    }
                    (2, 2) => assert_eq!(seat.say(&json!({ "kind": "resign", "turn": known })).0, 200),
                    _ => assert_eq!(seat.play(turn, first).0, 200),
                }
            }
        })
    };
    ["1.1", "2.1"].map(play).into_iter().for_each(|player| player.join().unwrap());
    assert_eq!(served.end(), Some(0));
    let ends: Vec<(usize, Value)> = place
        .games()
        .iter()
        .map(|game| (game.moves.split_whitespace().count(), serde_json::to_value(&game.termination).unwrap()))
        .collect();
    assert_eq!(ends.len(), 2);
    assert!(ends[0].0 == 3 && ends[0].1.to_string().contains("agree"), "{ends:?}");
    assert!(ends[1].0 == 2 && ends[1].1.to_string().contains("resign"), "{ends:?}");
    verified(&place);
}

/// Plays at a seat whose board is seen, whatever is legal, until the run is over. Returns the number of moves.
fn any_moves(seat: &Seated) -> usize {
    let mut window = seat.window();
    assert_eq!(seat.say(&json!({ "kind": "here" })).0, 200);
    let (mut known, mut moves) = (Value::Null, 0);
    while let Some(state) = window.turn(&known) {
        known = state["turn"]["id"].clone();
        let first = state["turn"]["legal"][0].as_str().unwrap();
        assert_eq!(seat.play(&state["turn"], first).0, 200);
        moves += 1;
    }
    moves
}

/// After so many moves the master gives a board up.
const LONGEST: usize = 8;

/// Plays all boards without seeing one, from the moves that are told. Returns the boards and how many moves were made
/// at each.
fn blindfold(seat: &Seated) -> BTreeMap<u64, usize> {
    let mut window = seat.window();
    assert_eq!(seat.say(&json!({ "kind": "here" })).0, 200);
    let (mut known, mut boards) = (Value::Null, BTreeMap::<u64, (Position, usize)>::new());
    while let Some(state) = window.turn(&known) {
        let (game, turn) = (&state["game"], &state["turn"]);
        known = turn["id"].clone();
        for hidden in ["fen", "start", "moves", "wxf", "zh"] {
            assert!(
                game.get(hidden).is_none() && turn.get("legal").is_none(),
                "the master sees no board: {state}"
            );
        }
        let (position, made) =
            boards.entry(game["board"].as_u64().unwrap()).or_insert((Position::start(), 0));
        assert_eq!((game["colour"].as_str(), game["last"].is_null()), (Some("red"), *made == 0));
        if let Some(last) = game["last"]["move"].as_str() {
            let last = chuhe::xiangqi::read_move(position, last, None).unwrap();
            let told = write_move(position, last, Notation::ChineseSimplified);
            assert_eq!(game["last"]["zh"], told.as_str());
            position.make(last);
        }
        let (status, said) = seat.play(turn, "e0e9");
        assert_eq!((status, said["en"].as_str()), (400, Some("this is not a legal move on this board")));
        if *made == LONGEST {
            assert_eq!(seat.say(&json!({ "kind": "resign", "turn": known })).0, 200);
            continue;
        }
        let legal = position.legal_moves();
        let mv = legal[*made * 7 % legal.len()];
        let text = typed(position, mv, *made);
        let (status, said) = seat.play(turn, &text);
        assert_eq!(status, 200, "{text} on {}: {said}", position.fen());
        position.make(mv);
        *made += 1;
    }
    boards.into_iter().map(|(board, (_, made))| (board, made)).collect()
}

#[test]
fn a_master_without_a_board_plays_five_teams_of_engines_and_persons() {
    let place = Place::new("blindfold-seat");
    let mut config = preset("2006-blindfold.json");
    config["entrants"][0] =
        json!({ "name": "Master", "name_zh": "大师", "engine": "person", "time": "200s/move" });
    config["entrants"][1]["engine"] = json!("person");
    config["entrants"][1].as_object_mut().unwrap().remove("options");
    for (group, member) in [(1, 1), (2, 0), (3, 3), (4, 2)] {
        config["entrants"][group]["team"][member] = json!({ "engine": "person" });
    }
    let served = Served::run(&place, &config, &["--time-scale", "0.05"]);
    let seats = seats(&place, &served);
    assert_eq!(seats.keys().collect::<Vec<_>>(), ["1.1", "2.1", "2.3", "3.2", "4.5", "5.4"]);
    let master = {
        let seat = seats["1.1"].clone();
        std::thread::spawn(move || blindfold(&seat))
    };
    let members: Vec<_> = seats
        .iter()
        .filter(|(label, _)| *label != "1.1")
        .map(|(_, seat)| {
            let seat = seat.clone();
            std::thread::spawn(move || any_moves(&seat))
        })
        .collect();
    let made = master.join().unwrap();
    let moved: Vec<usize> = members.into_iter().map(|member| member.join().unwrap()).collect();
    assert_eq!(served.end(), Some(0));
    assert_eq!(made.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(made.values().all(|moves| *moves >= 3), "{made:?}");
    assert!(moved.iter().all(|moves| *moves > 0), "every person on a team has moved: {moved:?}");
    assert_eq!(place.games().len(), 5);
    verified(&place);
    place.expect_nobody("after the end");
}

#[test]
fn members_advise_and_only_the_one_on_turn_moves() {
    let place = Place::new("advice-seat");
    let config = json!({
        "event": "Team of two",
        "entrants": [
            { "name": "A", "engine": "person", "team": [{ "engine": "person" }] },
            { "name": "B", "engine": "sparring", "options": { "Level": 1 } },
        ],
        "time": "600",
        "format": { "type": "boards", "games": 1 },
        "rules": { "max_plies": 8 },
    });
    let served = Served::run(&place, &config, &[]);
    let seats = seats(&place, &served);
    let pair = ["1.1", "1.2"].map(|label| seats[label].clone());
    let mut windows = pair.clone().map(|seat| seat.window());
    pair.iter().for_each(|seat| assert_eq!(seat.say(&json!({ "kind": "here" })).0, 200));
    let mut known = Value::Null;
    for number in 0..4 {
        let (mover, other) = (number % 2, 1 - number % 2);
        let state = windows[mover].turn(&known).unwrap();
        known = state["turn"]["id"].clone();
        let first = state["turn"]["legal"][0].as_str().unwrap();
        let (_, seen) = pair[other].state();
        assert_eq!((&seen["game"], &seen["turn"]), (&state["game"], &Value::Null), "the team sees one board");
        assert_eq!(pair[other].play(&state["turn"], first).0, 409, "only the member on turn moves");
        let advise = |text: &str| pair[other].say(&json!({ "kind": "advise", "text": text })).0;
        assert_eq!((advise(first), advise("keep calm\u{7}"), advise("  ")), (200, 200, 400));
        let advice = pair[mover].state().1["advice"].clone();
        let member = other + 1;
        assert_eq!(
            advice,
            json!([
                { "member": member, "text": first, "move": first },
                { "member": member, "text": "keep calm", "move": null },
            ])
        );
        assert_eq!(pair[mover].play(&state["turn"], first).0, 200);
    }
    assert_eq!(served.end(), Some(0));
    assert_eq!(place.games()[0].moves.split_whitespace().count(), 8);
    verified(&place);
}

#[test]
fn the_same_seat_in_a_terminal() {
    let place = Place::new("terminal-seat");
    let config = json!({
        "event": "Terminal",
        "entrants": [
            { "name": "A", "engine": "person" },
            { "name": "B", "engine": "sparring", "options": { "Level": 1 } },
        ],
        "time": "600",
        "format": { "type": "boards", "games": 2 },
    });
    let served = Served::run(&place, &config, &[]);
    let link = |token: &str| format!("http://{}/seat#{token}", served.address);
    place.chuhe(&["play", "--seat", &link(&"0".repeat(32))]).expect(1).expect_error(&["opens no seat"]);
    let links = links(&place);
    let token = links["1.1"].as_str().unwrap();
    let mut command = place.command(&["play", "--seat", &link(token), "--lang", "zh"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut typing = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut until = |part: &str| lines.by_ref().find(|line| line.contains(part)).expect(part);
    until("请走棋");
    writeln!(typing, "炮二平五").unwrap();
    until("已走 h2e2");
    until("请走棋");
    // What is no legal move is told; the game goes on.
    writeln!(typing, "帅五进九").unwrap();
    until("不合法");
    writeln!(typing, "H2+3").unwrap();
    until("已走 h0g2");
    until("请走棋");
    writeln!(typing, "resign\nyes").unwrap();
    until("已认输");
    until("第 2 局，黑方");
    until("请走棋");
    writeln!(typing, "resign\nno\nresign\nyes").unwrap();
    until("已认输");
    until("比赛结束");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(served.end(), Some(0));
    verified(&place);
}

/// Whoever answers in the runner's place cannot keep a person waiting for ever, nor fill the machine.
#[test]
fn a_server_that_answers_without_end_is_left() {
    let place = Place::new("endless-answers");
    let answers = [
        ("HTTP/1.0 200 OK\r\n", "X: y\r\n", "the head of the answer does not end"),
        ("HTTP/1.0 200 OK\r\nX: ", "y", "a line of the answer does not end"),
        ("", "\0", "a line of the answer does not end"),
    ];
    for (first, then, told) in answers {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in server.incoming().flatten() {
                let again = then.repeat(1 << 16);
                let _ = stream.write_all(first.as_bytes());
                while stream.write_all(again.as_bytes()).is_ok() {}
            }
        });
        let seat = format!("http://{address}/seat#{}", "0123456789abcdef".repeat(2));
        let said = place.chuhe(&["play", "--seat", &seat]);
        said.expect(1).expect_error(&[told]);
    }
}
