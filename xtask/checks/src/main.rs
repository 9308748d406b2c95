//! The same checks without `cargo xtask`, which compiles kernels' crates first: `cargo run -p xtask-checks -- api`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = xtask_checks::root();
    let done = match arguments.split_first().map(|(command, rest)| (command.as_str(), rest)) {
        Some(("api", options)) => xtask_checks::api::run(&root, options),
        Some(("links", [])) => {
            let faults = xtask_checks::links::faults(&root);
            faults.iter().for_each(|fault| println!("{fault}"));
            Ok(faults.is_empty())
        }
        _ => Err("usage: xtask-checks api [--check | --counts] | links".to_string()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
