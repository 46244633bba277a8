//! Floor 2: what engines are told and what they say. State machines over lines; never knows of
//! processes, clocks that run, or the law. Start at [`Manifest`].

mod manifest;

pub use manifest::{FenFields, FenLetters, Manifest, Protocol, START_PATIENCE_MS, TimeUnit};
