//! `cargo tests`: runs the tests of the workspace as `cargo test` does, and says at the end how many passed, how many
//! were skipped, and why.
#![forbid(unsafe_code)]

mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{}", run::USAGE);
        return ExitCode::SUCCESS;
    }
    run::Options::parse(&arguments).and_then(|options| run::run(&options)).unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}
