//! Repetitions in play, by engines that play fixed moves; and the warning before one. Start at [`check`].

use serde_json::{Value, json};

use crate::world::{Place, fake, pair, with};

/// Plays one position with fixed moves on both sides; the first game of the pair counts, its Red is A.
fn check(name: &str, fen: &str, red: &str, black: &str, expected: &str) -> Place {
    let place = Place::new(name);
    let engine = |moves: &str| with(fake(&["--moves", moves]), json!({ "protocol": "ucci" }));
    let mut config = pair(engine(red), engine(black), "60");
    config["warn"] = json!("ucci");
    if !fen.is_empty() {
        config["openings"] = json!({ "list": [fen] });
    }
    place.run_with(&config, &["--quiet"]).expect(0);
    let games = place.games();
    let game = games.iter().find(|game| game.red == "A").unwrap();
    let end = &game.termination;
    let shown =
        format!("{} {} {}", game.result.as_deref().unwrap_or("*"), end.kind, loser(end.loser.as_ref()));
    assert_eq!(shown, expected, "{name}: {end:?} {}", game.moves);
    place
}

fn loser(loser: Option<&String>) -> &str {
    loser.map_or("-", String::as_str)
}

fn article(place: &Place) -> Option<u64> {
    let games = place.games();
    let game = games.iter().find(|game| game.red == "A").unwrap();
    let ruling = serde_json::to_value(game.termination.ruling.as_ref()?).unwrap();
    ruling.get("article").and_then(Value::as_u64)
}

#[test]
fn perpetual_check_loses_with_its_article() {
    let place = check(
        "perpetual",
        "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1",
        "a1a9 | a9a8 a8a9",
        "d9d8 d8d9",
        "0-1 repetition red",
    );
    let article = article(&place).expect("an article is cited");
    let (pgn, rulings) = (place.read("games.pgn"), place.read("rulings.txt"));
    assert!(pgn.contains(&article.to_string()) && pgn.to_lowercase().contains("repetition"), "{pgn}");
    assert!(rulings.contains(&article.to_string()), "{rulings}");
    // The last question named the move that would lose.
    let goes = place.transcript(1);
    assert!(goes.lines().any(|line| line.contains("banmoves")), "{goes}");
}

#[test]
fn a_perpetual_chase_loses_with_its_article() {
    let place = check(
        "chase",
        "4k4/9/9/9/1c7/9/9/9/R8/3K5 w - - 0 1",
        "a1b1 b1a1",
        "b5a5 a5b5",
        "0-1 repetition red",
    );
    assert!(article(&place).is_some());
}

#[test]
fn idle_repetition_is_a_draw() {
    check("idle", "", "a0a1 a1a0", "a9a8 a8a9", "1/2-1/2 repetition -");
}
