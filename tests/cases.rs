//! The law held to its cases: our own half-move by half-move, the shared ones, their mirror images with
//! colours exchanged and entered at every half-move, random loops, the readings, the citations. Start
//! at [`own_cases_are_judged_half_move_by_half_move`].

mod support;

#[path = "cases/case.rs"]
mod case;
#[path = "cases/random.rs"]
mod random;

use std::collections::BTreeSet;

use case::{Case, deeds, read, span};
use chuhe::law::{
    ARTICLES, Book, Ending, Level, LoopError, Newness, Outcome, Readings, RootsAway, Rules, SpanError, Trail,
    Verdict, Why, article, ending, explain, judge, judge_by, loses_by_repetition, losing_moves, play_loop,
    verdict,
};
use chuhe::xiangqi::{Board, Kind, Move, Position, Side, Square, SquareStyle};
use random::{Dice, jiggled, random_loop, random_position};

const OWN: &str = include_str!("cases/articles.json");

fn own() -> Vec<Case> {
    read(OWN)
}

fn own_case(id: &str) -> Case {
    own().into_iter().find(|case| case.id == id).unwrap_or_else(|| panic!("no case {id}"))
}

fn shared(name: &str) -> Vec<Case> {
    let path = support::shared(&format!("rule-cases/{name}"));
    path.map_or_else(Vec::new, |path| read(&std::fs::read_to_string(path).unwrap()))
}

/// All cases with a label: our own and the shared ones.
fn labelled() -> Vec<Case> {
    [own(), shared("constructed.json"), shared("sourced.json")].concat()
}

fn only_verdict(case: &Case, book: Book) -> Verdict {
    let trail = case.game(3);
    verdict(&trail, span(&trail, 3), book).unwrap()
}

#[test]
fn own_cases_are_judged_half_move_by_half_move() {
    for case in own() {
        let ruling = case.ruling(Book::Asian2006);
        assert_eq!(ruling.verdict.word(), case.verdict, "{}", case.id);
        assert_eq!(ruling.article, case.article, "{}", case.id);
        assert_eq!(deeds(&case, &ruling), case.deeds, "{}", case.id);
        assert_eq!(ruling.occurrences, 3, "{}", case.id);
    }
}

/// Two boards differ by one piece added, taken away, exchanged for another kind, or moved.
fn one_change(a: &Board, b: &Board) -> bool {
    let different: Vec<Square> = Square::all().filter(|square| a.get(*square) != b.get(*square)).collect();
    match different[..] {
        [_] => true,
        [x, y] => {
            let moved = |from, to| a.get(from) == b.get(to) && a.get(to).is_none() && b.get(from).is_none();
            moved(x, y) || moved(y, x)
        }
        _ => false,
    }
}

#[test]
fn every_article_has_a_case_and_a_neighbour_that_turns_it() {
    let cases = own();
    let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), cases.len(), "an id stands twice");
    let mut paired = BTreeSet::new();
    for case in &cases {
        let Some(of) = &case.neighbour_of else { continue };
        let base = own_case(of);
        let same_loop = base.round == case.round && base.prefix == case.prefix;
        let same_board = base.start == case.start;
        assert!(
            same_board != same_loop && (same_board || one_change(base.start.board(), case.start.board())),
            "{} differs from {of} by more than one change",
            case.id
        );
        assert!((&base.verdict, base.article) != (&case.verdict, case.article), "{} turns nothing", case.id);
        paired.extend([base.article.unwrap(), case.article.unwrap()]);
    }
    for number in 0..=35 {
        assert!(paired.contains(&number), "article {number} has no case with a neighbour");
    }
}

#[test]
fn shared_files_are_judged_as_they_say() {
    for name in ["constructed.json", "sourced.json", "loops.jsonl"] {
        let cases = shared(name);
        let wrong: Vec<&str> = cases
            .iter()
            .filter(|case| only_verdict(case, Book::Asian2006).word() != case.verdict)
            .map(|case| case.id.as_str())
            .collect();
        println!("{name}: {} cases, {} wrong", cases.len(), wrong.len());
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
}

#[test]
fn the_computer_book_agrees_with_the_engine_whose_rules_it_states() {
    for case in shared("loops.jsonl") {
        let judged = only_verdict(&case, Book::Computer);
        assert_eq!(Some(judged.word()), case.computer.as_deref(), "{}", case.id);
    }
}

#[test]
fn the_plain_book_draws() {
    for case in own() {
        let ruling = case.ruling(Book::Plain);
        assert_eq!((ruling.verdict, ruling.article, ruling.deeds.len()), (Verdict::Draw, None, 0));
        assert_eq!(only_verdict(&case, Book::Plain), Verdict::Draw);
    }
}

#[test]
fn the_computer_book_draws_at_any_check_and_counts_roots_taken_away() {
    for (id, expected) in [
        ("a01-chariot-checks", "black_loses"),
        ("c02-mutual-check", "draw"),
        ("g03-1", "red_loses"),
        ("c13-cannon-checks-once", "draw"),
        ("a13-alone", "red_loses"),
        ("a21-root-taken-away", "draw"),
    ] {
        assert_eq!(only_verdict(&own_case(id), Book::Computer).word(), expected, "{id}");
    }
}

/// The verdict, levels and article of a case in all its guises.
fn check_guises(case: &Case) {
    let ruling = case.ruling(Book::Asian2006);
    let longer = case.game(4);
    assert_eq!(verdict(&longer, span(&longer, 4), Book::Asian2006), Ok(ruling.verdict), "{}", case.id);
    let computer = only_verdict(case, Book::Computer);
    for guise in case.guises() {
        let turned = guise.ruling(Book::Asian2006);
        let swapped = guise.id.contains("exchanged");
        let as_before = |verdict: Verdict| {
            Verdict::losing(verdict.loser().map(|side| if swapped { !side } else { side }))
        };
        let levels = if swapped { ruling.levels.swapped() } else { ruling.levels };
        let expected = (as_before(ruling.verdict), levels, ruling.article);
        assert_eq!((turned.verdict, turned.levels, turned.article), expected, "{}", guise.id);
        assert_eq!(only_verdict(&guise, Book::Computer), as_before(computer), "{}", guise.id);
    }
}

#[test]
fn colours_sides_and_the_point_of_entry_do_not_matter() {
    for case in labelled() {
        check_guises(&case);
    }
    for case in shared("loops.jsonl") {
        for guise in case.guises() {
            assert_eq!(only_verdict(&guise, Book::Asian2006).word(), guise.verdict, "{}", guise.id);
        }
    }
}

/// A case's loop after random changes to its board, if it still is a loop.
fn varied(dice: &mut Dice, bases: &[Case]) -> Option<(Position, Vec<Move>)> {
    let base = &bases[dice.roll(bases.len())];
    let start = jiggled(dice, &base.entry())?;
    let trail = play_loop(start.clone(), &[], &base.round, 3).ok()?;
    (trail.plies() == 2 * base.round.len()).then(|| (start, base.round.clone()))
}

/// Random loops tried, half of them on random positions, half on changed cases, from a fixed seed: enough that
/// every level occurs.
const RANDOM_LOOPS: usize = 4_000;

#[test]
fn random_loops_are_judged_the_same_in_every_guise() {
    let bases = own();
    let mut dice = Dice(0x00c0_ffee);
    let mut judged = [0; 5];
    let mut tried = 0;
    while tried < RANDOM_LOOPS {
        let (start, round) = if tried % 2 == 0 {
            let Some(start) = random_position(&mut dice, 8) else { continue };
            let Some(round) = random_loop(&mut dice, &start) else { continue };
            (start, round)
        } else {
            let Some(varied) = varied(&mut dice, &bases) else { continue };
            varied
        };
        tried += 1;
        let mut case =
            Case { id: format!("random {} {round:?}", start.fen()), start, round, ..bases[0].clone() };
        let trail = case.game(3);
        let bare = judge_by(&trail, span(&trail, 3), &Readings::ASIAN_2006).unwrap();
        case.verdict = bare.verdict.word().to_owned();
        judged[bare.levels.red.max(bare.levels.black) as usize] += 1;
        for guise in case.guises() {
            assert_eq!(only_verdict(&guise, Book::Asian2006).word(), guise.verdict, "{}", guise.id);
        }
    }
    println!("{RANDOM_LOOPS} random loops, by highest level: {judged:?}");
    assert!(judged.iter().all(|count| *count > 0), "{judged:?}");
}

#[test]
fn a_cited_article_prescribes_the_verdict_and_labels_touch_none() {
    for case in [labelled(), shared("loops.jsonl")].concat() {
        let trail = case.game(3);
        let ruling = judge(&trail, span(&trail, 3), Book::Asian2006).unwrap();
        let row = article(ruling.article.unwrap()).unwrap();
        let expected = if ruling.verdict == Verdict::Draw { Outcome::Draw } else { Outcome::Loses };
        assert!(
            row.outcomes().contains(&expected),
            "{}: article {} prescribes otherwise",
            case.id,
            row.number
        );
        let bare = judge_by(&trail, span(&trail, 3), &Readings::ASIAN_2006).unwrap();
        assert_eq!((ruling.verdict, ruling.levels), (bare.verdict, bare.levels), "{}", case.id);
        assert!(
            ruling.deeds.iter().zip(&bare.deeds).all(|(a, b)| (a.check, &a.chases) == (b.check, &b.chases))
        );
    }
}

/// How many labelled shared cases are given their source's label; many labels contradict each other or
/// their own words. Raise it when the citation gets better.
const LABELS_MET: usize = 240;

#[test]
fn sources_labels_are_met() {
    let cases = [shared("constructed.json"), shared("sourced.json")].concat();
    let labels = cases.iter().filter(|case| case.article.is_some());
    let met = labels.clone().filter(|case| case.ruling(Book::Asian2006).article == case.article).count();
    println!("{met} of {} labels met", labels.clone().count());
    assert!(met >= LABELS_MET || labels.count() == 0, "{met} labels met");
}

#[test]
fn an_explanation_says_what_the_ruling_says() {
    for case in labelled() {
        let trail = case.game(3);
        let ruling = judge(&trail, span(&trail, 3), Book::Asian2006).unwrap();
        let explanation = explain(&trail, &ruling).unwrap();
        assert_eq!(explanation.halves.len(), ruling.deeds.len());
        for (half, deed) in explanation.halves.iter().zip(&ruling.deeds) {
            assert_eq!(half.label, deed.label);
            let threats = half.reasons.iter().filter(|reason| reason.why.is_threat());
            assert_eq!(threats.count(), deed.chases.len(), "{} {}", case.id, half.mv);
            for reason in &half.reasons {
                let true_roots = reason.guards.iter().filter(|guard| guard.fault.is_none()).count();
                let fits = match reason.why {
                    Why::Rootless => reason.guards.is_empty(),
                    Why::FalseRoots => !reason.guards.is_empty() && true_roots == 0,
                    Why::TrueRoot => true_roots > 0,
                    Why::CouldTakeBack => true_roots == 0 && reason.attacker.kind() == reason.victim.kind(),
                    Why::RootedOrNot => reason.victim.kind() == Kind::Chariot,
                    Why::FreeAttacker => matches!(reason.attacker.kind(), Kind::General | Kind::Soldier),
                    Why::UncrossedSoldier => reason.victim.kind() == Kind::Soldier,
                };
                assert!(fits, "{} {}: {reason:?}", case.id, half.mv);
            }
        }
        for side in Side::BOTH {
            let chases = matches!(
                ruling.levels[side],
                Level::TakesRootsAway | Level::Chases | Level::ChasesPinnedChariot
            );
            assert!(!chases || !explanation.victims[side].is_empty(), "{}", case.id);
        }
    }
}

#[test]
fn an_explanation_names_the_false_root_and_the_root_taken_away() {
    let explained = |id: &str| {
        let trail = own_case(id).game(3);
        explain(&trail, &judge(&trail, span(&trail, 3), Book::Asian2006).unwrap()).unwrap()
    };
    let pinned = explained("c29-false-root");
    let reason = &pinned.halves[0].reasons[0];
    assert_eq!((reason.why, reason.guards.len()), (Why::FalseRoots, 1));
    assert_eq!(
        format!("{:?}", reason.guards[0]),
        "Guard { at: e6, kind: Horse, fault: Some(Exposes { by: e1, kind: Chariot }) }"
    );
    let driven_off = explained("a29-root-driven-off");
    let reason = &driven_off.halves[1].reasons[0];
    assert_eq!((reason.why, reason.guards_lost.len()), (Why::FalseRoots, 1));
    let leg = explained("c14-level3-against-level2");
    let horses = leg.halves[1].reasons.iter().map(|reason| reason.horse.map(|at| at.to_string()));
    assert!(horses.clone().count() > 0 && horses.into_iter().all(|horse| horse.as_deref() == Some("c1")));
}

#[test]
fn every_reading_matters() {
    let chosen = Readings::ASIAN_2006;
    let cannon_only =
        &[(Kind::Cannon, Kind::Chariot), (Kind::Horse, Kind::Chariot), (Kind::Advisor, Kind::Cannon)];
    for (id, readings) in [
        ("a07-check-attacks-too", Readings { check_also_chases: true, ..chosen }),
        ("c13-cannon-checks-once", Readings { any_check_draws: true, ..chosen }),
        ("a28-guarded-once", Readings { rooted_too: cannon_only, ..chosen }),
        ("a33-slides-on-the-line", Readings { newness: Newness::PairOrMoved, ..chosen }),
        ("g28-1", Readings { newness: Newness::Victim, ..chosen }),
        ("a29-root-driven-off", Readings { roots_away: RootsAway::Permitted, ..chosen }),
        ("a21-root-taken-away", Readings { roots_away: RootsAway::Chase, ..chosen }),
        ("c14-level3-against-level2", Readings { horse_pinned_chariot: false, ..chosen }),
        ("a13-pinned-chariot-takes-along-the-pin", Readings { attack_along_pin: false, ..chosen }),
        ("a09-both-chase", Readings { hitting_back_excuses: false, ..chosen }),
    ] {
        let case = own_case(id);
        let trail = case.game(3);
        let other = judge_by(&trail, span(&trail, 3), &readings).unwrap().verdict;
        assert_ne!(other.word(), case.verdict, "{id}: {readings:?}");
    }
}

#[test]
fn the_referee_rules_at_the_asked_occurrence_and_not_before() {
    for occurrences in [3, 4] {
        let case = own_case("a13-alone");
        let mut rules = Rules::default();
        rules.repetition.occurrences = occurrences;
        let trail = case.game(occurrences);
        let mut before = Trail::new(case.start.clone());
        for half in trail.halves() {
            assert_eq!(ending(&before, &rules), None);
            let mv = half.mv.unwrap();
            let last = before.plies() + 1 == trail.plies();
            assert!(
                !last || !loses_by_repetition(&before, &rules, mv),
                "Black completes the loop, Red loses it"
            );
            before.play(mv);
        }
        let Some(Ending::Repetition(ruling)) = ending(&trail, &rules) else { panic!("no ruling") };
        assert_eq!((ruling.verdict, ruling.article), (Verdict::RedLoses, Some(13)));
        assert_eq!((ruling.occurrences, ruling.span.len()), (occurrences, 4 * (occurrences as usize - 1)));
    }
}

#[test]
fn a_side_is_warned_of_the_move_that_completes_its_loss() {
    let case = own_case("a13-alone").entered_at(1);
    let trail = case.game(3);
    let rules = Rules::default();
    let mut before = trail.clone();
    before.truncate(trail.plies() - 1);
    let losing: Vec<Move> = before
        .position()
        .legal_moves()
        .into_iter()
        .filter(|mv| loses_by_repetition(&before, &rules, *mv))
        .collect();
    assert_eq!(losing, [trail.halves().last().unwrap().mv.unwrap()]);
    let mut found = Vec::new();
    losing_moves(&before, &rules, &mut found);
    assert_eq!(found, losing);
}

#[test]
fn what_is_no_repetition_is_refused_with_its_place() {
    let mv = |text: &str| SquareStyle::Zero.read(text.as_bytes()).unwrap();
    let list = |text: &str| text.split_whitespace().map(mv).collect::<Vec<_>>();
    let trail = Trail::with_moves(Position::start(), &list("b2b9 a9b9 b0c2 b9b8 c2b0 b8b9")).unwrap();
    let refused = |span| judge(&trail, span, Book::Asian2006).err();
    assert_eq!(refused(0..6), Some(SpanError::Capture(0)));
    assert_eq!(refused(2..6), None);
    assert_eq!(refused(2..5), Some(SpanError::Open { start: 2, end: 5 }));
    assert_eq!(refused(2..2), Some(SpanError::Outside { plies: 6 }));
    assert_eq!(refused(2..9), Some(SpanError::Outside { plies: 6 }));
    let mut passed = trail.clone();
    passed.pass();
    assert_eq!(judge(&passed, 2..7, Book::Asian2006).err(), Some(SpanError::Pass(6)));
    let looped =
        |prefix: &str, round: &str| play_loop(Position::start(), &list(prefix), &list(round), 3).err();
    assert_eq!(looped("", ""), Some(LoopError::Empty));
    assert_eq!(looped("b0c2", "b9c7 c2c9"), Some(LoopError::Illegal { ply: 2, mv: mv("c2c9") }));
    assert_eq!(looped("b0c2", "b9c7 c2b0"), Some(LoopError::Open { plies: 3 }));
    assert_eq!(looped("", "b2b9 a9b9"), Some(LoopError::Open { plies: 2 }));
    assert_eq!(looped("", "b0c2 b9c7 c2b0 c7b9"), None);
}

#[test]
fn the_articles_are_thirty_five_and_each_has_its_example() {
    for row in ARTICLES.iter().chain(article(0)) {
        let example = row.example();
        let round: Vec<Move> = example
            .round
            .split_whitespace()
            .map(|word| SquareStyle::Zero.read(word.as_bytes()).unwrap())
            .collect();
        let trail = play_loop(Position::from_fen(example.fen).unwrap(), &[], &round, 3).unwrap();
        let ruling = judge(&trail, span(&trail, 3), Book::Asian2006).unwrap();
        assert_eq!(ruling.article, Some(row.number), "{example:?}");
    }
    let numbers: Vec<u8> = ARTICLES.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=35).collect::<Vec<u8>>());
}
