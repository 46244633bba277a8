//! Signals as people send them: what is said, what a terminal looks like afterwards, and that the run goes
//! on. Start at [`sigterm_finishes_the_running_games_and_says_so`].

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use chuhe::record::What;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::world::{CHUHE, Place, Said, fake, pair, send, wait_until, with};

/// Longest wait for something that surely comes.
const SOON: Duration = Duration::from_secs(20);

/// Two pairs of games, two at once, of a second each.
fn slow() -> Value {
    let engine = || fake(&["--think", "6"]);
    let fields = json!({ "concurrency": 2, "format": { "type": "pairs", "pairs": 2 } });
    with(pair(engine(), engine(), "60"), fields)
}

fn began(place: &Place) -> usize {
    place.events().iter().filter(|event| matches!(event.what, What::GameBegan(_))).count()
}

#[test]
fn sigterm_finishes_the_running_games_and_says_so() {
    let place = Place::new("sigterm");
    let config = place.write("config.json", &with(slow(), json!({ "drain": "45s" })).to_string());
    let mut command = Command::new(CHUHE);
    command.args(["run", &config.to_string_lossy(), "--out", &place.out().to_string_lossy()]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(wait_until(SOON, || began(&place) == 2));
    send(child.id(), Signal::TERM);
    let said = Said::from(child.wait_with_output().unwrap());
    said.expect(130).expect_error(&[
        "stopping: running games are finished, at most 45 s long; once more stops now",
        "Not finished; go on with: chuhe resume",
    ]);
    assert!(said.stdout.contains("Order decided by"), "the table is printed: {}", said.stdout);
    assert_eq!(place.games().len(), 2);
    place.resume().expect(0);
    assert_eq!(place.games().len(), 4);

    let place = Place::new("sigterm-zh");
    let config = place.write("config.json", &slow().to_string());
    let mut command = Command::new(CHUHE);
    command.args(["run", &config.to_string_lossy(), "--lang", "zh", "--out", &place.out().to_string_lossy()]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(wait_until(SOON, || began(&place) == 2));
    send(child.id(), Signal::TERM);
    let said = Said::from(child.wait_with_output().unwrap());
    said.expect(130).expect_error(&["最多 60 秒；再按一次立即停止", "尚未结束，继续请用"]);
}

#[test]
fn running_games_are_broken_off_when_their_time_is_over() {
    let place = Place::new("drain");
    let child = place.start(&with(slow(), json!({ "drain": 0.2 })));
    assert!(wait_until(SOON, || began(&place) == 2));
    send(child.id(), Signal::INT);
    Said::from(child.wait_with_output().unwrap()).expect(130);
    assert!(place.games().is_empty(), "games take a second");
    place.expect_nobody("after the time for running games");
    place.resume().expect(0);
    assert_eq!(place.games().len(), 4);
}

#[test]
fn a_time_budget_ends_the_run_and_it_goes_on() {
    let place = Place::new("budget");
    place.run_with(&with(slow(), json!({ "time_budget": 0.2 })), &["--quiet"]).expect(130);
    assert_eq!(place.games().len(), 2, "the running games are finished");
    // The whole time again.
    place.resume().expect(130);
    assert!(place.games().len() > 2 || place.resume().code == Some(0), "{}", place.games().len());
    place.expect_nobody("after the time budget");
}

/// Runs in a terminal, is interrupted so many times, and leaves the terminal as it was.
fn check_terminal(interrupts: usize, code: &str) {
    if !std::path::Path::new("/usr/bin/script").exists() {
        println!("not tested: there is no `script` that makes a terminal");
        return;
    }
    let place = Place::new(&format!("terminal-{interrupts}"));
    let config = place.write("config.json", &slow().to_string());
    let (config, out) = (config.to_string_lossy(), place.out());
    let inside = place.script(
        "inside.sh",
        &format!(
            "cd '{}'\nstty -g > before\n'{CHUHE}' run '{config}' --out '{}'\necho $? > code\nstty -g > after",
            place.path("").display(),
            out.display(),
        ),
    );
    let mut command = Command::new("script");
    command.args(["-qc", &inside.to_string_lossy(), &place.path("typescript").to_string_lossy()]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    assert!(wait_until(SOON, || began(&place) == 2));
    let runner = || {
        let is_runner = |id: &u32| {
            let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).nth(1) == Some(b"run")
        };
        processes_of(&place).into_iter().find(is_runner)
    };
    for _ in 0..interrupts {
        runner().into_iter().for_each(|id| send(id, Signal::INT));
        std::thread::sleep(Duration::from_millis(60));
    }
    assert!(wait_until(SOON, || child.try_wait().unwrap().is_some()));
    let read = |name: &str| fs::read_to_string(place.path(name)).unwrap_or_default();
    assert_eq!(read("code").trim(), code, "{interrupts} interrupts");
    assert!(!read("before").is_empty() && read("before") == read("after"), "the terminal's settings differ");
    let shown = String::from_utf8_lossy(&fs::read(place.path("typescript")).unwrap()).into_owned();
    let (hidden, back) = (shown.matches("\u{1b}[?25l").count(), shown.matches("\u{1b}[?25h").count());
    assert!(hidden <= back, "the cursor is hidden: {hidden} {back}");
    // The bar is gone: the last thing drawn on its line is nothing.
    let bar = shown.rfind("left").unwrap_or(0);
    assert!(shown[bar..].contains("\u{1b}[2K") || shown[bar..].contains("\u{1b}[K"), "{:?}", &shown[bar..]);
    place.expect_nobody("in a terminal");
}

/// Processes whose command line names a place.
fn processes_of(place: &Place) -> Vec<u32> {
    let name = place.path("").to_string_lossy().into_owned();
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let names = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&name)
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(number).filter(names).collect()
}

#[test]
fn a_terminal_is_left_as_it_was() {
    check_terminal(0, "0");
    check_terminal(1, "130");
    check_terminal(2, "130");
    check_terminal(3, "130");
}
