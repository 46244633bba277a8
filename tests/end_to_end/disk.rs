//! Folders and disks that fail. Start at [`a_full_disk_stops_the_run_and_a_resume_goes_on`].

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::world::{CHUHE, Place, Said, fake, pair, wait_until, with};

/// Longest wait for something that surely comes.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = Place::new("unwritable");
    let file = place.write("file", "");
    let config = place.write("config.json", &pair(fake(&[]), fake(&[]), "5").to_string());
    let inside = file.join("run");
    let said = place.chuhe(&["run", &config.to_string_lossy(), "--out", &inside.to_string_lossy()]);
    said.expect(70).expect_error(&["cannot", &*inside.to_string_lossy()]);
    said.expect_error(&["error: "]);
    place.expect_nobody("after a refusal");
}

/// A small file system of its own.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    /// A file system of this size at a folder that is made; where none can be mounted that is said.
    fn small(size: &str, at: &'a Path) -> Option<Disk<'a>> {
        std::fs::create_dir_all(at).unwrap();
        let mounted = Disk::mount(&format!("size={size}"), at);
        if !mounted {
            println!("not tested: a small file system cannot be mounted here (root may)");
        }
        mounted.then_some(Disk(at))
    }

    fn mount(options: &str, at: &Path) -> bool {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success())
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).output();
    }
}

#[test]
fn a_full_disk_stops_the_run_and_a_resume_goes_on() {
    let place = Place::new("full");
    let out = place.out();
    let Some(_disk) = Disk::small("256k", &out) else { return };
    let fields = json!({ "format": { "type": "pairs", "pairs": 20 }, "transcripts": false });
    let engine = || fake(&["--info", "1"]);
    let config = with(pair(engine(), engine(), "60"), fields);
    let said = place.run_with(&config, &["--quiet"]);
    said.expect(70).expect_error(&["error: cannot write", "No space left", "chuhe resume"]);
    place.expect_nobody("after a full disk");
    let before = place.games();
    assert!(!before.is_empty() && before.len() < 40, "{}", before.len());
    assert!(Disk::mount("remount,size=16m", &out));
    place.resume().expect(0);
    let games = place.games();
    let ids: BTreeSet<_> = games.iter().map(|game| game.game).collect();
    assert_eq!((games.len(), ids.len()), (40, 40));
    assert_eq!(games[..before.len()], before[..]);
}

/// A run that was broken off after its first game.
fn broken_off(name: &str) -> Place {
    let place = Place::new(name);
    let engine = || fake(&["--think", "1"]);
    let fields = json!({ "format": { "type": "pairs", "pairs": 3 } });
    let mut child = place.start(&with(pair(engine(), engine(), "60"), fields));
    assert!(wait_until(SOON, || !place.games().is_empty()));
    child.kill().unwrap();
    child.wait().unwrap();
    place
}

#[test]
fn a_folder_that_may_only_be_read_is_named() {
    let place = broken_off("read-only");
    let out = place.out();
    let again = |options: &str| {
        let mut command = Command::new("mount");
        command.args(["--bind", "-o", options]).args([&out, &out]);
        command.output().is_ok_and(|output| output.status.success())
    };
    let _disk = Disk(&out);
    let remounted = again("rw") && {
        let mut command = Command::new("mount");
        command.args(["-o", "remount,bind,ro"]).arg(&out);
        command.output().is_ok_and(|output| output.status.success())
    };
    if !remounted {
        println!("not tested: nothing can be mounted here (root may)");
        return;
    }
    let before = place.games();
    place.resume().expect(70).expect_error(&["error: cannot write", "journal.jsonl", "Read-only"]);
    let inside = out.join("new");
    let config = place.path("config.json");
    let said = place.chuhe(&["run", &config.to_string_lossy(), "--out", &inside.to_string_lossy()]);
    said.expect(70).expect_error(&["error: cannot make the folder", &*inside.to_string_lossy()]);
    assert_eq!(place.games(), before);
    place.expect_nobody("in a folder that may only be read");
}

#[test]
fn a_folder_that_is_deleted_ends_the_run_with_its_name() {
    let place = Place::new("deleted");
    let engine = || fake(&["--think", "1"]);
    let fields = json!({ "format": { "type": "pairs", "pairs": 2 } });
    let child = place.start(&with(pair(engine(), engine(), "60"), fields));
    assert!(wait_until(SOON, || !place.games().is_empty()));
    std::fs::remove_dir_all(place.out()).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    // The end of the run reads the journal once more, where it came so far before it missed the folder.
    said.expect(70).expect_error(&["error: cannot ", &*place.out().to_string_lossy()]);
    place.expect_nobody("after its folder was deleted");
}

#[test]
fn a_journal_that_is_wrong_before_its_end_is_refused_with_its_place() {
    let place = broken_off("garbage");
    let journal = place.out().join("journal.jsonl");
    let sound = std::fs::read_to_string(&journal).unwrap();
    let refused = |text: String, words: &[&str]| {
        std::fs::write(&journal, &text).unwrap();
        for command in ["resume", "report"] {
            let said = place.chuhe(&[command, &place.out().to_string_lossy()]);
            said.expect(1).expect_error(words);
        }
        assert_eq!(std::fs::read_to_string(&journal).unwrap(), text, "nothing is changed");
    };
    let lines: Vec<&str> = sound.lines().collect();
    let with_line = |number: usize, line: &str| {
        let mut changed = lines.clone();
        changed[number - 1] = line;
        changed.join("\n") + "\n"
    };
    refused(with_line(3, "\u{0}\u{0}garbage\u{0}"), &["journal.jsonl", "line 3"]);
    refused(with_line(2, &lines[1][..lines[1].len() / 2]), &["journal.jsonl", "line 2"]);
    let future = lines[0].replacen("\"format\":1", "\"format\":2", 1);
    refused(with_line(1, &future), &["journal.jsonl", "journal format 2; this version reads format 1"]);
    std::fs::write(&journal, &sound).unwrap();
    place.resume().expect(0);
    assert_eq!(place.games().len(), 6);
}

#[test]
fn nothing_more_is_played_when_the_disk_is_full() {
    let place = Place::new("full-at-once");
    let out = place.out();
    let Some(_disk) = Disk::small("128k", &out) else { return };
    // A million games: whoever went on without a journal would play them for hours.
    let fields = json!({ "format": { "type": "pairs", "pairs": 500_000 }, "transcripts": false });
    let config = with(pair(fake(&["--info", "1"]), fake(&["--info", "1"]), "60"), fields);
    let mut child = place.start(&config);
    let ended = wait_until(SOON, || child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(ended, "the run goes on without a journal");
    said.expect(70).expect_error(&["error: cannot write", "No space left"]);
    place.expect_nobody("after a full disk");
}

#[test]
fn a_torn_journal_is_cut_where_it_is_sound_and_goes_on() {
    let place = Place::new("torn");
    let engine = |seed: &str| fake(&["--random", seed, "--info", "1"]);
    let fields = json!({
        "seed": 4, "format": { "type": "pairs", "pairs": 3 }, "rules": { "max_plies": 12 }, "transcripts": false,
    });
    place.run_with(&with(pair(engine("1"), engine("2"), "nodes=10"), fields), &["--quiet"]).expect(0);
    let whole = std::fs::read(place.out().join("journal.jsonl")).unwrap();
    let moves = |place: &Place| -> Vec<(String, String)> {
        place.games().into_iter().map(|game| (game.game.to_string(), game.moves)).collect()
    };
    let known = moves(&place);
    assert_eq!(known.len(), 6);
    let ends: Vec<usize> = (1..=whole.len()).filter(|end| whole[end - 1] == b'\n').collect();
    // After an event in the middle and after the last but one: a piece of the next, and what disks put behind it.
    for sound in [ends[ends.len() / 2], ends[ends.len() - 2]] {
        for tail in [&whole[sound..sound + 1], &whole[sound..sound + 40], &[0; 50], b"\0\0{\xFF\"seq\n"] {
            std::fs::write(place.out().join("journal.jsonl"), [&whole[..sound], tail].concat()).unwrap();
            let before = moves(&place);
            place.resume().expect(0);
            let journal = std::fs::read(place.out().join("journal.jsonl")).unwrap();
            assert!(journal.starts_with(&whole[..sound]), "what was sound has changed: {sound}, {tail:?}");
            let after = moves(&place);
            assert_eq!(after[..before.len()], before[..], "a finished game was lost: {sound}, {tail:?}");
            assert_eq!(after, known, "other games: {sound}, {tail:?}");
            place.chuhe(&["verify", &place.out().to_string_lossy()]).expect(0);
        }
    }
    place.expect_nobody("after torn journals");
}

/// What has no end is read to a limit only, and said to be too long; nothing hangs and nothing fills the memory.
#[test]
fn a_file_without_end_is_refused() {
    let place = Place::new("endless");
    let words = [
        (1, &["run", "/dev/zero"][..], "longer than 16 MB"),
        (1, &["check", "/dev/zero"], "longer than 16 MB"),
        (1, &["openings", "/dev/zero"], "longer than 256 MB"),
        (1, &["engines", "import", "/dev/zero"], "longer than 16 MB"),
        (1, &["seat", "--token-file", "/dev/zero", "--", "x"], "longer than 16 MB"),
        (7, &["judge", "/dev/zero"], "a line longer than 16 MB"),
        (7, &["stats", "/dev/zero"], "a line longer than 16 MB"),
        (7, &["show", "/dev/zero"], "a line longer than 16 MB"),
        (7, &["convert", "/dev/zero", "--to", "pgn"], "a line longer than 16 MB"),
        (7, &["judge", "--cases", "/dev/zero"], ""),
        (1, &["resume", "/dev/zero"], "holds no run"),
    ];
    for (code, words, told) in words {
        // More than all of them may need, and less than the machine has.
        let limited = format!("ulimit -v 1500000; exec {CHUHE} {}", words.join(" "));
        let mut command = Command::new("timeout");
        let output =
            command.args(["30", "sh", "-c", &limited]).current_dir(place.path(".")).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {text}");
        assert!(text.contains(told) && text.lines().count() < 9, "{words:?}: {text}");
    }
}

/// To open a pipe in the place of a journal would never end.
#[test]
fn a_pipe_is_no_journal() {
    let place = Place::new("pipe");
    std::fs::create_dir(place.out()).unwrap();
    let journal = place.out().join("journal.jsonl");
    assert!(Command::new("mkfifo").arg(&journal).status().unwrap().success());
    for (code, words) in [
        (1, &["report", "run"][..]),
        (1, &["resume", "run"]),
        (1, &["watch", "run", "--addr", "0"]),
        (1, &["rule", "run", "--game", "1.1.1.1", "--result", "1-0", "--reason", "x"]),
        (7, &["verify", "run"]),
    ] {
        let mut command = Command::new("timeout");
        let output = command.arg("20").arg(CHUHE).args(words).current_dir(place.path(".")).output().unwrap();
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {told}");
        assert!(told.contains("no run") || told.contains("no file"), "{words:?}: {told}");
    }
}
