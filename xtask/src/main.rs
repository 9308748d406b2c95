//! Checks and figures of the project: `cargo xtask check` runs every check that cargo has no word
//! for, and the same checks run as tests (`xtask/checks` has those that compile nothing: `cargo xtask api` writes down
//! the public interface, `cargo xtask prose` counts); `cargo xtask kernels` compiles the CUDA kernels that the crate
//! `raywarp-cuda` embeds; `cargo xtask lanes` reads the optimised program for intrinsics that became functions;
//! `cargo xtask neon` runs the code of 64-bit ARM in an emulator, `cargo xtask wasm` that of WebAssembly in Node.js;
//! `cargo xtask plant` shows that tests catch planted bugs; `cargo xtask figures` remakes the golden pictures;
//! `cargo xtask tables` computes the tables of models of scattering; `cargo xtask docs` makes the numbers in pages.
#![forbid(unsafe_code)]

mod architecture;
mod docs;
mod figures;
mod kernels;
mod lanes;
mod neon;
#[cfg(unix)]
mod plant;
mod tables;
mod wasm;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((command, options)) = arguments.split_first()
        && command == "docs"
    {
        return exit_code(docs::run(options));
    }
    let of_checks = arguments.split_first().and_then(|(command, options)| xtask_checks::run(command, options));
    if let Some(done) = of_checks {
        return exit_code(done);
    }
    match arguments.split_first().map(|(command, rest)| (command.as_str(), rest)) {
        Some(("check", [])) => {
            let mut faults = architecture::check();
            match xtask_checks::summary::print(&xtask_checks::root()) {
                Ok(above) => faults.extend(above),
                Err(error) => faults.push(error),
            }
            report(&faults)
        }
        Some(("kernels", options)) => exit_code(kernels::run(options)),
        Some(("chains", options @ ([] | [_]))) if options.iter().all(|option| option == "--check") => {
            exit_code(kernels::chains(!options.is_empty(), None))
        }
        Some(("lanes", options)) => exit_code(lanes::run(options)),
        Some(("neon", options)) => exit_code(neon::run(options)),
        Some(("wasm", options)) => exit_code(wasm::run(options)),
        Some(("tables", options)) => exit_code(tables::run(options)),
        Some(("figures", options)) => exit_code(figures::run(options)),
        #[cfg(unix)]
        Some(("plant", names)) => exit_code(plant::run(names)),
        _ => {
            eprintln!(
                "usage: cargo xtask check | {} | kernels [--check] | chains [--check] | plant [--list] [AREA | AREA/NAME]...\n       {}\n       {}\n       {}\n       {}\n       {}",
                xtask_checks::USAGE,
                lanes::USAGE,
                neon::USAGE,
                wasm::USAGE,
                figures::USAGE,
                tables::USAGE
            );
            ExitCode::from(2)
        }
    }
}

fn exit_code(done: Result<bool, String>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn report(faults: &[String]) -> ExitCode {
    for fault in faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() {
        println!("the crates depend on each other as designed, and no count is above its ceiling");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
