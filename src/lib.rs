//! chuhe (楚河): match runner, referee and record keeper for xiangqi engines.

pub mod cli;
pub mod config;
pub mod director;
pub mod engine;
pub mod formats;
pub mod game;
pub mod law;
pub mod plan;
pub mod record;
pub mod report;
pub mod runner;
pub mod sparring;
pub mod table;
pub mod time;
pub mod tournament;
pub mod xiangqi;
