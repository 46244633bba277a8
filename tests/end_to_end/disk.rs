//! Folders and disks that fail. Start at [`a_full_disk_stops_the_run_and_a_resume_goes_on`].

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::world::{Place, fake, pair, with};

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

impl Disk<'_> {
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
    std::fs::create_dir_all(&out).unwrap();
    if !Disk::mount("size=256k", &out) {
        println!("not tested: a small file system cannot be mounted here (root may)");
        return;
    }
    let _disk = Disk(&out);
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
