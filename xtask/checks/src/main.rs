//! The same checks without `cargo xtask`, which compiles the kernels' crates first: `cargo run -p xtask-checks -- api`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = arguments.split_first().and_then(|(command, options)| xtask_checks::run(command, options));
    match done.unwrap_or_else(|| Err(format!("usage: cargo run -p xtask-checks -- {}", xtask_checks::USAGE))) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
