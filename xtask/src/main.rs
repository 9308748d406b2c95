//! Checks and figures of the project: `cargo xtask check` runs every check that cargo has no word
//! for. The same checks run as tests.
#![forbid(unsafe_code)]

mod architecture;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("check"), None) => report(&architecture::check()),
        _ => {
            eprintln!("usage: cargo xtask check");
            ExitCode::from(2)
        }
    }
}

fn report(faults: &[String]) -> ExitCode {
    for fault in faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() {
        println!("the crates depend on each other as designed");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
