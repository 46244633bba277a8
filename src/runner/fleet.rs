//! Many machines: a run given to workers through a NATS server with JetStream. The coordinator's journal stays
//! the only truth; a worker can only add a result that nobody brought yet. Messages, window, checks and the rule
//! that puts workers aside are pure; the rest talks to the server. Start at [`Options`] and [`work`].

mod check;
mod coordinator;
mod engines;
mod follow;
mod joined;
mod link;
pub mod message;
mod operate;
mod pair;
mod roster;
mod speed;
mod tap;
mod window;
mod worker;

pub use coordinator::{Options, conduct, playable};
pub use link::{Address, RunName};
pub use operate::{Operation, Standing, operate, standings};
pub use tap::Tap;
pub use worker::{Options as WorkerOptions, work};
