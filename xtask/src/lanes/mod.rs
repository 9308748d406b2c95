//! `cargo xtask lanes [BINARY]`: in the optimised program every intrinsic is an instruction, not a function.
//!
//! A function with `#[target_feature]` lends its instructions to what is inlined into it, and to nothing else. A
//! closure around intrinsics (also one handed to `array::map`) that the compiler leaves a function of its own has not
//! got them, and calls each intrinsic, with its vectors in memory (rust-lang/rust #58279, #108338). Results stay right
//! and tests pass; once it cost 7 to 10 % of all closest hits. So this reads the program.

mod calls;

use std::path::{Path, PathBuf};
use xtask_checks::program::{check_age, of_this_build};

pub const USAGE: &str = "cargo xtask lanes [BINARY]";

/// Checks the program that the options name, or the `raywarp` beside this program; returns `true` if all its intrinsics
/// are inlined.
pub fn run(options: &[String]) -> Result<bool, String> {
    let binary = match options {
        [] => of_this_build()?,
        [binary] if !binary.starts_with('-') => PathBuf::from(binary),
        _ => return Err(format!("usage: {USAGE}")),
    };
    let faults = faults(&binary)?;
    for fault in &faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() {
        println!("{}: no intrinsic is called, and no closure of the vector code is left", binary.display());
    }
    Ok(faults.is_empty())
}

/// Returns the functions of a program that call intrinsics instead of inlining them, as faults. An error if it cannot
/// be read, or is older than its sources.
fn faults(binary: &Path) -> Result<Vec<String>, String> {
    check_age(binary)?;
    let image = std::fs::read(binary).map_err(|error| format!("{}: {error}", binary.display()))?;
    calls::faults(&image).map_err(|error| format!("{}: {error}", binary.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the program of this build calls no intrinsic; `cargo test --workspace` makes the program before it
    /// runs any test.
    #[test]
    #[cfg_attr(
        debug_assertions,
        ignore = "only an optimised program (cargo test --release) has its intrinsics inlined"
    )]
    #[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), ignore = "programs of x86-64 on Linux are read")]
    fn the_program_calls_no_intrinsic() {
        match faults(&of_this_build().unwrap()) {
            Ok(faults) => assert_eq!(faults, Vec::<String>::new()),
            Err(error) => raywarp_testing::skip(raywarp_testing::Reason::System, &error),
        }
    }
}
