//! Floor 6: the only floor that touches the world: processes, pipes, timers, files, signals, terminal.
//! Turns them into inputs of the machines below and carries out what those decide; decides nothing
//! itself. Start at [`run`].

mod affinity;
mod board;
mod checkup;
mod decide;
mod delays;
mod descriptors;
mod desk;
mod event;
mod far;
mod files;
pub mod fleet;
mod gallery;
mod hall;
mod hearing;
mod host;
mod idleness;
mod lines;
mod live;
mod lock;
mod mailbox;
mod manifest;
mod play;
mod process;
mod seat;
mod seat_line;
mod seats;
mod show;
mod signals;
mod site;
mod slots;
mod spawner;
mod start;
mod store;
mod tls;
mod trace;
mod transcript;
mod unplayed;
mod verify;
mod wall;

pub use checkup::{Checkup, check_engine, offers_xiangqi};
pub use decide::{NotDecided, Why, Wish, Word, decide, orders, read_clocks};
pub use desk::{DeskError, GAMES};
pub use event::{
    Ended, PROGRAM, RunError, read_config, read_run, redraw, resume, resume_on_fleet, run, run_on_fleet,
    run_unnamed,
};
pub use far::{FarEnd, FarNews, FarSide, sit};
pub use files::{DiskFiles, read_text};
pub use host::fresh_seed;
pub use live::{Live, LiveOptions, look_before_watching, watch};
pub use seat_line::{SEAT_WORD, seat_line};
pub use show::Show;
pub use site::Site;
pub use spawner::{SHIM_WORD, WATCHDOG_WORD, find_program, shim, watchdog};
pub use store::{JOURNAL, StoreError, TRANSCRIPTS, forget_unplayed};
pub use tls::{Distrust, Trust};
pub use trace::{Given, Traced};
pub use verify::{Verdict, verify};
