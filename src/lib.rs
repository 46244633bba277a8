//! chuhe (楚河): match runner, referee and record keeper for xiangqi engines. This file is the map.
//!
//! The journal is the only state. Everything before it is a pure machine that decides what to append;
//! everything after it is a pure view of what was appended. Modules form floors that import only
//! downward (`tests/tidy.rs` holds the table):
//!
//! | floor | modules | what |
//! |---|---|---|
//! | 0 | [`xiangqi`], [`time`] | the board; moments of a run |
//! | 1 | [`law`], [`formats`] | from moves to rulings; records as text |
//! | 2 | [`game`], [`engine`] | the referee of one game; what engines say |
//! | 3 | [`table`], [`tournament`], [`plan`], [`sparring`] | two seats; who meets whom; a run to be played; the built-in engine |
//! | 4 | [`record`], [`regulations`] | events, journal, the run folded from them; the articles of the four events |
//! | 5 | [`config`], [`director`], [`report`] | JSON to a plan; which game is next; documents |
//! | 6 | [`runner`] | processes, pipes, timers, files, signals, terminal |
//! | 7 | [`cli`] | one file a command |
//!
//! Never decides anything itself. Start at [`cli::main`] for the program, at [`game::Game`] for the referee,
//! at [`law::ending`] for the rules.

pub mod cli;
pub mod config;
pub mod director;
pub mod engine;
pub mod formats;
pub mod game;
pub mod law;
pub mod plan;
pub mod record;
pub mod regulations;
pub mod report;
pub mod runner;
pub mod sparring;
pub mod table;
pub mod time;
pub mod tournament;
pub mod xiangqi;
