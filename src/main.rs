//! The program `chuhe`. Its own binary is also the shim through which engines are started, the
//! watchdog that ends them and the line of a seat that is played from elsewhere (see `runner`). Start at [`chuhe::cli::main`].

use std::process::{ExitCode, Termination as _};

use chuhe::{cli, runner};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(|word| word.to_str()) {
        Some(runner::SHIM_WORD) => exit_code(runner::shim(arguments)),
        Some(runner::WATCHDOG_WORD) => exit_code(runner::watchdog(arguments)),
        Some(runner::SEAT_WORD) => exit_code(runner::seat_line(arguments)),
        Some(cli::FAKE_ENGINE_WORD) => exit_code(cli::fake_engine(arguments)),
        Some(_) | None => cli::main().report(),
    }
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(70))
}
