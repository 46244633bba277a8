//! The table of verdicts: what an engine does wrong, and what must come of it. Data only. A row is either
//! played against the built program or names the tests that hold it. Start at [`ROWS`].

use serde_json::{Value, json};

use crate::world::{CHUHE, Place, fake, with};

/// What comes of a quirk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: the games are those of an engine without the quirk, move for move.
    None,
    /// The game is lost: the engine ended, and how.
    Crash(&'static str),
    /// The game is lost: the engine is silent where no clock runs, and what was waited for.
    Stall(&'static str),
    /// The game is lost on time.
    Time,
    /// The game is lost: the answer is no legal move, and how it is named.
    Illegal(&'static str),
    /// The game is lost: the engine gives up.
    Resigned,
    /// The game is drawn by agreement.
    Agreed,
    /// The engine would not start; the run ends before its first game and says so in these words.
    NotStarted(&'static [&'static str]),
}

/// How a row is held.
#[derive(Clone, Copy)]
pub enum Held {
    /// Played by an engine of these switches in this protocol.
    Played(&'static str, &'static [&'static str]),
    /// Played by an engine that is made in the place of the test.
    Made(fn(&Place) -> Value),
    /// By these tests elsewhere: `FILE` or `FILE::FUNCTION`.
    Elsewhere(&'static [&'static str]),
}

/// A row.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its number in the list of quirks that every runner must survive (0: not in it).
    pub number: u8,
    /// What the engine does.
    pub quirk: &'static str,
    pub verdict: Verdict,
    pub held: Held,
    /// The engine's own clock.
    pub time: &'static str,
    /// Fields of the config, as JSON.
    pub fields: &'static str,
    /// Fields of the manifest, as JSON.
    pub manifest: &'static str,
    /// What a note in the journal must be called, if one must be there.
    pub note: &'static str,
}

const fn row(number: u8, quirk: &'static str, verdict: Verdict, held: Held) -> Row {
    Row { number, quirk, verdict, held, time: "10", fields: "{}", manifest: "{}", note: "" }
}

const fn uci(number: u8, quirk: &'static str, verdict: Verdict, switches: &'static [&'static str]) -> Row {
    row(number, quirk, verdict, Held::Played("uci", switches))
}

const fn ucci(number: u8, quirk: &'static str, verdict: Verdict, switches: &'static [&'static str]) -> Row {
    row(number, quirk, verdict, Held::Played("ucci", switches))
}

const fn cecp(number: u8, quirk: &'static str, verdict: Verdict, switches: &'static [&'static str]) -> Row {
    row(number, quirk, verdict, Held::Played("cecp", switches))
}

const fn made(number: u8, quirk: &'static str, verdict: Verdict, make: fn(&Place) -> Value) -> Row {
    row(number, quirk, verdict, Held::Made(make))
}

const fn elsewhere(number: u8, quirk: &'static str, verdict: Verdict, tests: &'static [&'static str]) -> Row {
    row(number, quirk, verdict, Held::Elsewhere(tests))
}

impl Row {
    const fn time(mut self, time: &'static str) -> Row {
        self.time = time;
        self
    }

    const fn fields(mut self, fields: &'static str) -> Row {
        self.fields = fields;
        self
    }

    const fn manifest(mut self, manifest: &'static str) -> Row {
        self.manifest = manifest;
        self
    }

    const fn note(mut self, note: &'static str) -> Row {
        self.note = note;
        self
    }
}

use Verdict::{Agreed, Crash, Illegal, None, NotStarted, Resigned, Stall, Time};

/// A short patience, for rows in which it ends.
const SHORT: &str = r#"{"patience":1.5}"#;

/// A short patience for greetings.
const SHORT_START: &str = r#"{"start_patience":0.3}"#;

/// An option that is set.
const HASH: &str = r#"{"options":{"Hash":32}}"#;

/// All rows, in the order of their numbers.
pub const ROWS: &[Row] = &[
    uci(1, "banner, blank lines and a board before the greeting and in it", None, &["--banner"]),
    ucci(1, "banner, blank lines and a board before the greeting and in it", None, &["--banner"]),
    cecp(1, "banner, blank lines and a board before the greeting and in it", None, &["--banner"]),
    uci(1, "three megabytes of options", None, &["--many-options", "3000"]),
    uci(1, "something of three megabytes among its options", None, &["--long-option", "3"]),
    uci(1, "a name of three hundred kilobytes", None, &["--long-name", "300"]),
    uci(2, "greets before it was asked, and again when asked", None, &["--ok-unasked"]),
    ucci(2, "greets before it was asked, and again when asked", None, &["--ok-unasked"]),
    uci(3, "slow greeting within its patience, which is no clock's time", None, &["--greet-slowly", "1500"])
        .time("1+0.2"),
    uci(3, "slow greeting beyond its patience", NotStarted(&["within 0.3 s"]), &["--greet-slowly", "2000"])
        .manifest(SHORT_START),
    uci(4, "the greeting never ends", NotStarted(&["within 0.3 s"]), &["--no-greeting"])
        .manifest(SHORT_START),
    ucci(
        4,
        "does not know the protocol's first word",
        NotStarted(&["within 0.3 s", "Unknown command: ucci"]),
        &["--deaf"],
    )
    .manifest(SHORT_START),
    cecp(
        4,
        "another protocol: a UCI engine behind CECP's greeting is asked and does not answer",
        Stall("a move"),
        &["--deaf", "--hang-at-ply", "0", "--hang-at-ply", "1"],
    )
    .time("depth=5")
    .fields(SHORT),
    uci(4, "lines for ever in place of a greeting", NotStarted(&["within 0.3 s"]), &["--flood-at-greeting"])
        .manifest(SHORT_START),
    cecp(4, "lines for ever in place of a greeting", NotStarted(&["within 0.3 s"]), &["--flood-at-greeting"])
        .manifest(SHORT_START),
    uci(5, "lines end in \\r\\n", None, &["--crlf"]),
    ucci(5, "lines end in \\r\\n", None, &["--crlf"]),
    cecp(5, "lines end in \\r\\n", None, &["--crlf"]),
    uci(5, "blanks and tabs around all words", None, &["--blanks"]),
    ucci(5, "blanks and tabs around all words", None, &["--blanks"]),
    uci(5, "a byte order mark before the first line", None, &["--bom"]),
    ucci(5, "a byte order mark before the first line", None, &["--bom"]),
    uci(5, "every byte is written alone", None, &["--byte-by-byte"]),
    uci(6, "names and words in GBK and Latin-1", None, &["--gbk"]),
    uci(6, "NUL bytes alone and within lines", None, &["--nul-bytes"]),
    uci(7, "options in every odd form", None, &["--odd-options"]),
    ucci(7, "options in every odd form", None, &["--odd-options"]),
    uci(8, "refuses an option it listed, in four spellings", None, &["--refuse-options"]).manifest(HASH),
    ucci(8, "refuses an option it listed, in four spellings", None, &["--refuse-options"]).manifest(HASH),
    uci(9, "readyok comes late, outside any clock", None, &["--ready-late", "1200"]).time("1+0.2"),
    uci(9, "readyok never comes", NotStarted(&["within 0.3 s"]), &["--never-ready"]).manifest(SHORT_START),
    uci(10, "greets well, then has no network at its first move", Crash("exit status 3"), &["--no-network"]),
    made(
        11,
        "the program does not exist",
        NotStarted(&["nowhere", "No such file"]),
        |place| json!({ "command": place.path("nowhere").to_string_lossy(), "protocol": "uci" }),
    ),
    made(
        11,
        "the program may not be executed",
        NotStarted(&["plain", "may not be executed"]),
        |place| json!({ "command": place.write("plain", "text").to_string_lossy(), "protocol": "uci" }),
    ),
    made(
        11,
        "the program is a folder",
        NotStarted(&["is not a file"]),
        |place| json!({ "command": place.path("").to_string_lossy(), "protocol": "uci" }),
    ),
    made(11, "the program is for another machine", NotStarted(&["alien", "for another machine"]), |place| {
        let alien = place.script("alien", "");
        std::fs::write(&alien, b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xff\x7f\x01\0\0\0").unwrap();
        json!({ "command": alien.to_string_lossy(), "protocol": "uci" })
    }),
    made(11, "a script without an interpreter", NotStarted(&["cannot start", "No such file"]), |place| {
        let script = place.script("script", "");
        std::fs::write(&script, "#!/nowhere/interpreter\n").unwrap();
        json!({ "command": script.to_string_lossy(), "protocol": "uci" })
    }),
    made(0, "its path has blanks, quotes and dollars", None, |place| {
        let line = format!("[ \"$1 $2\" = 'two words $HOME;' ] || exit 1\nshift 2\nexec '{CHUHE}' \"$@\"");
        let script = place.script("my 'engine' \"$HOME\" & co.sh", &line);
        let args = ["two words", "$HOME;", "fake-engine", "--random", "7"];
        json!({ "command": script.to_string_lossy(), "args": args, "protocol": "uci" })
    }),
    made(11, "needs a folder of its own and has none", NotStarted(&["exit status 1"]), in_folder(false)),
    made(11, "needs a folder of its own", None, in_folder(true)),
    made(11, "its working folder does not exist", NotStarted(&["working directory", "gone"]), |place| {
        with(fake(&[]), json!({ "dir": place.path("gone").to_string_lossy() }))
    }),
    uci(0, "exits before it reads anything", NotStarted(&["exit status 3"]), &["--exit-at-start"]),
    uci(0, "exits when it is greeted", NotStarted(&["exit status 3"]), &["--exit-at-greeting"]),
    uci(0, "exits after its greeting", NotStarted(&["exit status 3"]), &["--exit-after-greeting"]),
    ucci(0, "exits when it is greeted", NotStarted(&["exit status 3"]), &["--exit-at-greeting"]),
    cecp(0, "exits when it is greeted", NotStarted(&["exit status 3"]), &["--exit-at-greeting"]),
    uci(0, "exits when asked whether it is ready", NotStarted(&["exit status 3"]), &["--exit-at-ready"]),
    cecp(0, "exits when asked whether it is ready", NotStarted(&["exit status 3"]), &["--exit-at-ready"]),
    uci(0, "exits when an option is set", NotStarted(&["exit status 3"]), &["--exit-at-option"])
        .manifest(HASH),
    uci(0, "gives itself another name after the greeting and with each move", None, &["--renames"]),
    uci(0, "has a name made of paths, terminal codes and markup", None, &["--hostile-name"]),
    elsewhere(
        12,
        "ranks from 1 to 10",
        None,
        &["tests/dialogues/uci/variants.txt", "src/xiangqi/square.rs::coordinates_in_both_styles"],
    ),
    elsewhere(
        13,
        "other letters for elephant and horse",
        None,
        &["tests/dialogues/ucci/own_dialect.txt", "src/engine/sheet.rs::what_each_protocol_is_told"],
    ),
    elsewhere(
        14,
        "startpos is not understood",
        None,
        &["src/engine/sheet.rs::what_each_protocol_is_told", "tests/dialogues/ucci/league_game.txt"],
    ),
    elsewhere(15, "wants exactly one blank between words", None, &["tests/dialogues.rs::dialogues"]),
    elsewhere(
        16,
        "lines of thousands of characters",
        None,
        &["src/engine/sheet.rs::a_long_quiet_game_gets_a_new_fen"],
    ),
    elsewhere(
        17,
        "ends itself at a count of quiet moves above 119",
        None,
        &["tests/dialogues/uci/variants.txt"],
    ),
    cecp(
        18,
        "calls a legal move illegal",
        Illegal("Illegal move"),
        &["--refuse-at-ply", "8", "--refuse-at-ply", "9"],
    )
    .note("refused"),
    uci(
        19,
        "a move that is against the rules",
        Illegal("a0b9"),
        &["--illegal-at-ply", "8", "--illegal-at-ply", "9"],
    ),
    uci(19, "bestmove 0000", Illegal("0000"), &["--null-move"]),
    uci(19, "bestmove (none) with moves left", Illegal("(none)"), &["--none-move"]),
    ucci(19, "bestmove (none) with moves left", Illegal("(none)"), &["--none-move"]),
    uci(19, "bestmove without a move", Illegal(""), &["--empty-move"]),
    uci(19, "bestmove xxxx", Illegal("xxxx"), &["--nonsense-move"]),
    uci(19, "a move from a point to itself", Illegal("a0a0"), &["--same-point"]),
    uci(19, "a move off the board", Illegal("a0j7"), &["--off-board"]),
    uci(19, "a move in Chinese notation", Illegal("炮二平五"), &["--chinese-move"]),
    uci(19, "a move of the opponent", Illegal(""), &["--their-move"]),
    uci(19, "capitals", None, &["--capitals"]),
    uci(19, "a dash within the move", None, &["--dashes"]),
    uci(19, "ponder and no move after it", None, &["--half-ponder"]),
    uci(19, "ponder and something that is no move", None, &["--wild-ponder"]),
    uci(20, "remarks after the move", None, &["--remarks"]),
    ucci(20, "a draw is offered with each move and never accepted", None, &["--draw-words"]),
    ucci(20, "a draw is offered where offers are off", None, &["--draw-words"])
        .fields(r#"{"draw_offers":false}"#),
    ucci(
        21,
        "resigns in the line of a move, which is not played",
        Resigned,
        &["--resign-at-ply", "8", "--resign-at-ply", "9"],
    ),
    ucci(
        22,
        "nobestmove with moves left",
        Resigned,
        &["--nobestmove-at-ply", "8", "--nobestmove-at-ply", "9"],
    )
    .note("nobestmove"),
    uci(23, "fails in a finished position, for which it is never asked", None, &["--crash-at-ply", "24"]),
    uci(24, "answers the question of before", Illegal(""), &["--stale"]),
    uci(
        24,
        "answers only when it is stopped, then plays on in the next game",
        Time,
        &["--answers-at-stop", "0"],
    )
    .time("0.2"),
    uci(24, "answers long after it was stopped", Time, &["--answers-at-stop", "5000"])
        .time("0.2")
        .note("killed"),
    uci(25, "answers everything twice", None, &["--twice"]),
    ucci(25, "answers everything twice", None, &["--twice"]),
    ucci(25, "nobestmove after its answer", None, &["--second-thoughts"]),
    uci(26, "moves that nobody asked for", None, &["--unasked"]),
    ucci(26, "moves that nobody asked for", None, &["--unasked"]),
    elsewhere(27, "answers while it ponders", None, &["tests/dialogues/uci/pondering.txt"]),
    uci(28, "thinks aloud after its answer", None, &["--info-after"]),
    uci(29, "claims results with each move", None, &["--claims"]),
    cecp(29, "claims results with each move", None, &["--claims"]).note("claim"),
    cecp(29, "claims a draw in place of a move", Time, &["--claim-at-ply", "8", "--claim-at-ply", "9"])
        .time("0.2")
        .note("claim"),
    cecp(30, "resigns apart from a move", Resigned, &["--give-up-at-ply", "8", "--give-up-at-ply", "9"]),
    cecp(30, "offers a draw before each move", None, &["--offers"]),
    elsewhere(
        31,
        "seconds, milliseconds, centiseconds",
        None,
        &[
            "tests/dialogues/ucci/seconds.txt",
            "tests/dialogues/ucci/milliseconds_by_hand.txt",
            "tests/dialogues/cecp/limits.txt",
        ],
    ),
    elsewhere(32, "takes a time of zero for no limit", None, &["tests/dialogues/uci/limits.txt"]),
    uci(33, "answers a millisecond after its time", Time, &["--late", "1"]).time("0.2"),
    uci(33, "answers 200 ms after its time", Time, &["--late", "200"]).time("0.2/move").note("late_answer"),
    uci(33, "answers after the margin too", Time, &["--late", "300"])
        .time("0.2/move")
        .fields(r#"{"margin":0.1}"#),
    uci(34, "never answers, with a clock", Time, &["--hang-at-ply", "8", "--hang-at-ply", "9"]).time("0.2"),
    ucci(34, "never answers, with a clock", Time, &["--hang-at-ply", "8", "--hang-at-ply", "9"]).time("0.2"),
    cecp(34, "never answers, with a clock", Time, &["--hang-at-ply", "8", "--hang-at-ply", "9"]).time("0.2"),
    uci(34, "never answers, without a clock", Stall("a move"), &["--hang-at-ply", "8", "--hang-at-ply", "9"])
        .time("nodes=5")
        .fields(SHORT),
    elsewhere(35, "keeps limits of an earlier game", None, &["tests/dialogues/cecp/limits.txt"]),
    uci(36, "a new game takes longer than its clock has", None, &["--new-game-slow", "1200"]).time("1+0.2"),
    uci(36, "reads nothing after a new game", Stall("readiness"), &["--new-game-never"]).fields(SHORT),
    uci(37, "lines for ever after its first readyok", Stall("readiness"), &["--flood-when-ready"])
        .fields(SHORT),
    uci(37, "reads nothing any more", Stall("readiness"), &["--never-reads"]).fields(SHORT),
    made(37, "reads nothing any more, and its pipe is full", Stall("readiness"), |_| {
        let lines: Vec<String> = (0..99).map(|number| format!("{number}{}", "x".repeat(4000))).collect();
        with(fake(&["--never-reads"]), json!({ "new_game": lines }))
    })
    .fields(SHORT),
    uci(38, "its answer appears with the next line it reads", Time, &["--unflushed"])
        .time("0.2")
        .note("late_answer"),
    uci(39, "thousands of lines before each move", None, &["--flood", "2000"]),
    uci(39, "lines for ever and no move", Time, &["--flood-at-ply", "8", "--flood-at-ply", "9"]).time("0.2"),
    uci(39, "lines for ever, whoever is to move, beside its play", None, &["--flood-for-ever"]),
    uci(39, "a line of four megabytes before each move", None, &["--endless-line", "4"]),
    uci(40, "a megabyte on stderr before it greets", None, &["--stderr-flood", "18000"]),
    uci(40, "writes to stderr for ever, beside its play", None, &["--stderr-for-ever"]),
    uci(40, "speaks the protocol on stderr", None, &["--stderr-protocol"]),
    uci(41, "answers without a newline and exits", Crash("exit status 3"), &["--last-words"]),
    uci(41, "says half of its answer and exits", Crash("exit status 3"), &["--cut-short"]),
    uci(41, "writes its answers in two pieces", None, &["--half-line"]),
    uci(42, "repeats what it hears", None, &["--echo"]),
    uci(43, "words of the protocol in wrong places", None, &["--words-elsewhere"]),
    uci(43, "thinks aloud in broken lines", None, &["--odd-info"]),
    uci(44, "takes no notice of quit", None, &["--ignore-quit"]),
    cecp(44, "takes no notice of quit", None, &["--ignore-quit"]),
    uci(45, "lives on when its input ends", None, &["--ignore-eof"]),
    uci(
        45,
        "takes no notice of quit, the end of its input, SIGTERM and SIGINT",
        None,
        &["--ignore-quit", "--ignore-eof", "--ignore-signals"],
    ),
    elsewhere(
        45,
        "lives on when the runner is killed",
        None,
        &["tests/end_to_end_quirks/processes.rs::a_killed_runner_leaves_no_engine_of_any_kind"],
    ),
    elsewhere(
        46,
        "Ctrl-C of the terminal reaches it",
        None,
        &["tests/end_to_end_quirks/processes.rs::an_interrupt_of_the_whole_group_kills_no_engine"],
    ),
    made(47, "a shell script that waits for the engine", None, |place| {
        let line = format!("'{CHUHE}' fake-engine --random 7 --ignore-eof --ignore-quit\ntrue");
        json!({ "command": place.script("engine.sh", &line).to_string_lossy(), "protocol": "uci" })
    }),
    made(47, "a shell script that ignores signals and waits for an engine that does too", None, |place| {
        let line = format!(
            "trap '' TERM INT HUP\n'{CHUHE}' fake-engine --random 7 --ignore-eof --ignore-quit --ignore-signals\n\
             sleep 100"
        );
        json!({ "command": place.script("engine.sh", &line).to_string_lossy(), "protocol": "uci" })
    }),
    made(
        47,
        "a shell script whose engine dies while the script lives on",
        Crash("closed its output"),
        |place| {
            let line = format!(
                "'{CHUHE}' fake-engine --random 7 --exit-at-ply 8 --exit-at-ply 9\nexec >&- 2>&-\nsleep 100"
            );
            json!({ "command": place.script("engine.sh", &line).to_string_lossy(), "protocol": "uci" })
        },
    ),
    uci(48, "a process it left keeps its output open", None, &["--fork-grandchild"]),
    uci(
        48,
        "it ends while a process it left keeps its output open",
        Crash("exit status 3"),
        &["--fork-grandchild", "--exit-at-ply", "8", "--exit-at-ply", "9"],
    ),
    uci(48, "leaves a process in a session of its own", None, &["--fork-runaway"]),
    uci(49, "closes its input", Crash("closed its input"), &["--closes-input", "--ignore-eof"]),
    uci(49, "closes its output", Crash("closed its output"), &["--closes-output"]),
    uci(50, "exits when asked", Crash("exit status 3"), &["--exit-at-ply", "8", "--exit-at-ply", "9"]),
    ucci(50, "exits when asked", Crash("exit status 3"), &["--exit-at-ply", "8", "--exit-at-ply", "9"]),
    cecp(50, "exits when asked", Crash("exit status 3"), &["--exit-at-ply", "8", "--exit-at-ply", "9"]),
    uci(
        50,
        "exits when asked, without a clock",
        Crash("exit status 3"),
        &["--exit-at-ply", "8", "--exit-at-ply", "9"],
    )
    .time("nodes=5"),
    uci(50, "dies by a signal", Crash("signal 6"), &["--crash-at-ply", "8", "--crash-at-ply", "9"]),
    uci(50, "exits when a new game is announced", Crash("exit status 3"), &["--exit-at-new-game"]),
    cecp(50, "exits when a new game is announced", Crash("exit status 3"), &["--exit-at-new-game"]),
    cecp(50, "exits when it is given a move", Crash("exit status 3"), &["--exit-at-position"]),
    cecp(
        50,
        "exits after its answer, while the other side thinks",
        Crash("exit status 3"),
        &["--exit-after-answer"],
    ),
    ucci(50, "dies by a signal", Crash("signal 6"), &["--crash-at-ply", "8", "--crash-at-ply", "9"]),
    uci(50, "exits when it is given a position", Crash("exit status 3"), &["--exit-at-position"]),
    uci(
        50,
        "exits after its answer, while the other side thinks",
        Crash("exit status 3"),
        &["--exit-after-answer"],
    ),
    uci(50, "is late, and exits when it is stopped", Time, &["--exit-at-stop"]).time("0.2"),
    uci(51, "crashes at quit, after its games", None, &["--crash-at-quit"]),
    elsewhere(
        52,
        "ends again and again: nothing stays in the table of processes",
        None,
        &["tests/end_to_end_quirks/processes.rs::no_ended_process_waits_to_be_reaped"],
    ),
    uci(0, "burns time whoever is to move", None, &["--burns"]),
    elsewhere(
        0,
        "accepts a draw that was offered",
        Agreed,
        &["src/game/referee.rs::an_offer_is_accepted_in_the_very_next_answer_only"],
    ),
];

/// A script that plays only where its data lie; with the folder named or not.
const fn in_folder(named: bool) -> fn(&Place) -> Value {
    fn make(place: &Place, named: bool) -> Value {
        std::fs::create_dir_all(place.path("data")).unwrap();
        place.write("data/net.bin", "a network");
        let line = format!("[ -e net.bin ] || exit 1\nexec '{CHUHE}' fake-engine --random 7");
        let engine =
            json!({ "command": place.script("engine.sh", &line).to_string_lossy(), "protocol": "uci" });
        if named { with(engine, json!({ "dir": place.path("data").to_string_lossy() })) } else { engine }
    }
    if named { |place| make(place, true) } else { |place| make(place, false) }
}
