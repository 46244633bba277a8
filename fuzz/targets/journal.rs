//! The fuzzer's way into the law `journal`. Holds no law of its own; start at `fuzz/laws.rs`.
#![no_main]

#[allow(dead_code)]
#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::journal(bytes));
