//! The laws of the fuzzer (`fuzz/laws.rs`) in the ordinary test run: on the examples under `fuzz/corpus`,
//! which are seeds and what was once found, on those with a few bytes changed, and on bytes of chance.
//! Finds nothing that takes hours: that is the fuzzer's. Start at `examples_and_findings`.

#[path = "../fuzz/laws.rs"]
mod laws;

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use laws::{LAWS, Law};

fn examples(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let listed = std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut files: Vec<PathBuf> = listed.map(|file| file.expect("it can be listed").path()).collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), std::fs::read(file).expect("it can be read"))).collect()
}

/// Holds a law on some bytes and names them where it is broken.
fn check(law: Law, bytes: &[u8], what: &dyn std::fmt::Display) {
    if let Err(panic) = std::panic::catch_unwind(|| law(bytes)) {
        eprintln!("the law is broken by {what}: {:?}", String::from_utf8_lossy(bytes));
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn examples_and_findings() {
    for (name, law) in LAWS {
        let examples = examples(name);
        assert!(examples.len() >= 3, "{name} has too few examples");
        for (file, bytes) in examples {
            check(*law, &bytes, &file.display());
        }
    }
}

#[test]
fn every_law_has_a_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("the fuzzer's manifest");
    for (name, _) in LAWS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is no target");
        let target = std::fs::read_to_string(folder.join(format!("targets/{name}.rs"))).expect(name);
        assert!(target.contains(&format!("laws::{name}(bytes)")), "{name} has another law's target");
    }
}

/// One change of an example: at a place, so many bytes become others.
type Change = (prop::sample::Index, usize, Vec<u8>);

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (place, removed, put) in changes {
        let at = place.index(bytes.len() + 1);
        let end = (at + removed).min(bytes.len());
        bytes.splice(at..end, put.iter().copied());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn examples_with_changes(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..6, prop::collection::vec(any::<u8>(), 0..4)), 1..5),
    ) {
        for (name, law) in LAWS {
            let examples = examples(name);
            let (file, bytes) = &examples[which.index(examples.len())];
            check(*law, &changed(bytes, &changes), &file.display());
        }
    }

    #[test]
    fn bytes_of_chance(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (name, law) in LAWS {
            check(*law, &bytes, name);
        }
    }
}
