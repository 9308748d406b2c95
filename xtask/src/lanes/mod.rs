//! `cargo xtask lanes [BINARY]`: in the optimised program every intrinsic is an instruction, not a function.
//!
//! A function with `#[target_feature]` lends its instructions to what is inlined into it, and to nothing else. A
//! closure around intrinsics (also one handed to `array::map`) that the compiler leaves a function of its own has not
//! got them, and calls each intrinsic, with its vectors in memory (rust-lang/rust #58279, #108338). Results stay right
//! and tests pass; once it cost 7 to 10 % of all closest hits. So this reads the program.

mod calls;

use std::path::{Path, PathBuf};

pub const USAGE: &str = "cargo xtask lanes [BINARY]";

/// Checks the program that the options name, or the `raywarp` beside this program; returns `true` if all its intrinsics
/// are inlined.
pub fn run(options: &[String]) -> Result<bool, String> {
    let binary = match options {
        [] => program_of_this_build().ok_or("this program has no folder")?,
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

/// Returns the path of the program `raywarp` in the build that this program is part of.
pub fn program_of_this_build() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let folder = this.ancestors().skip(1).find(|folder| !folder.ends_with("deps"))?;
    Some(folder.join(format!("raywarp{}", std::env::consts::EXE_SUFFIX)))
}

/// Returns the functions of a program that call intrinsics instead of inlining them, as faults. An error if it cannot
/// be read, or is older than its sources.
fn faults(binary: &Path) -> Result<Vec<String>, String> {
    check_age(binary)?;
    let image = std::fs::read(binary).map_err(|error| format!("{}: {error}", binary.display()))?;
    calls::faults(&image).map_err(|error| format!("{}: {error}", binary.display()))
}

/// Checks that a program exists and is not older than its sources.
///
/// # Errors
/// What is wrong with it.
pub fn check_age(binary: &Path) -> Result<(), String> {
    let wrong = match newer_source(binary) {
        Some(source) => format!("older than {source}"),
        None if binary.is_file() => return Ok(()),
        None => "not there".to_string(),
    };
    Err(format!("{}: {wrong}; `cargo build --release` makes it", binary.display()))
}

/// Returns a source file that was changed after `binary` was made, if there is one. Cargo lists its sources in a file
/// beside it; where there is none, as beside a copy, nothing is known.
fn newer_source(binary: &Path) -> Option<String> {
    let listed = std::fs::read_to_string(binary.with_extension("d")).ok()?;
    let changed = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let made = changed(binary)?;
    let sources = listed.split_once(": ")?.1.replace("\\ ", "\0");
    let mut names = sources.split_whitespace().map(|name| name.replace('\0', " "));
    names.find(|name| changed(Path::new(name)).is_some_and(|time| time > made))
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
        match faults(&program_of_this_build().unwrap()) {
            Ok(faults) => assert_eq!(faults, Vec::<String>::new()),
            Err(error) => raywarp_testing::skip(raywarp_testing::Reason::System, &error),
        }
    }

    #[test]
    fn a_program_older_than_a_source_is_not_judged() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (binary, source) = (folder.join("program"), folder.join("a source.rs"));
        std::fs::write(&binary, "").unwrap();
        assert_eq!(newer_source(&binary), None);
        std::fs::write(&source, "").unwrap();
        let name = source.to_str().unwrap();
        std::fs::write(folder.join("program.d"), format!("{}: {}\n", binary.display(), name.replace(' ', "\\ ")))
            .unwrap();
        let set = |path: &Path, seconds: u64| {
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        };
        set(&binary, 2000);
        set(&source, 1000);
        assert_eq!(newer_source(&binary), None);
        set(&source, 3000);
        assert_eq!(newer_source(&binary).as_deref(), Some(name));
        assert!(faults(&binary).unwrap_err().contains(name));
    }
}
