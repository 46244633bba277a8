//! chuhe (楚河): match runner, referee and record keeper for xiangqi engines.

pub mod law;
pub mod sparring;
pub mod time;
pub mod xiangqi;
