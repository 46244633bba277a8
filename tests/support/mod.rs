//! What several integration tests share: where optional material is found and what its absence means.
//! A test without its material says so and passes, unless `CHUHE_REQUIRE` names the kind of material.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

fn required(kind: &str) -> bool {
    std::env::var("CHUHE_REQUIRE").is_ok_and(|list| list.split(',').any(|word| word.trim() == kind))
}

fn found(kind: &str, path: Option<PathBuf>, what: &str) -> Option<PathBuf> {
    let path = path.filter(|path| path.exists());
    if path.is_none() {
        assert!(!required(kind), "{what} is missing, and CHUHE_REQUIRE names '{kind}'");
        println!("not tested: {what} is not here");
    }
    path
}

/// A file or folder of the shared data (`CHUHE_SHARED` names the folder).
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CHUHE_SHARED").map(PathBuf::from);
    found("shared", folder.map(|folder| folder.join(name)), &format!("shared data {name}"))
}

/// An installed engine, by its absolute path.
pub fn engine(path: &str) -> Option<PathBuf> {
    found("engines", Some(Path::new(path).to_owned()), &format!("engine {path}"))
}

/// The NATS server (Debian's package `nats-server`).
pub fn nats() -> Option<PathBuf> {
    let places = ["/usr/sbin/nats-server", "/usr/local/bin/nats-server", "/usr/bin/nats-server"];
    let place = places.iter().map(Path::new).find(|path| path.exists());
    found("nats", place.map(Path::to_owned), "the program nats-server")
}
