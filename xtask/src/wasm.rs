//! `cargo xtask wasm`: the vector code of WebAssembly, run by Node.js.
//!
//! The tests of `raywarp-lanes` and `raywarp-cpu` run as they do natively, all but those that need a panic to be
//! caught, compiled with `simd128`: that set and plain Rust must give the same bits as scalars and as every triangle
//! does. Addresses have 32 bits there, so that numbers that only 64 can hold show too.
//!
//! Node.js is in Debian's `nodejs`, the standard library in `rustup target add wasm32-wasip1`. Where one is missing,
//! the check is skipped, and says so; with `--required` that is a failure. `--no-run` only compiles.

use std::path::{Path, PathBuf};
use std::process::Command;

pub const USAGE: &str = "cargo xtask wasm [--required] [--no-run]";

const TARGET: &str = "wasm32-wasip1";
const ENGINE: &str = "node";
/// What it is told. Its optimised code calls the functions of WASI in a short way that spoils its own stack, so that a
/// program that asked for the time often ends by a fault (Node.js issue 53087; 11 of 13 runs with Node.js 20.20).
const ENGINE_OPTIONS: [&str; 2] = ["--no-warnings", "--no-turbo-fast-api-calls"];
/// First version of Node.js that runs such programs without being asked twice.
const FIRST_VERSION: u32 = 18;

/// Runs the check of WebAssembly; returns `true` if all went well, or if it was skipped and is not required.
pub fn run(options: &[String]) -> Result<bool, String> {
    let has = |name: &str| options.iter().any(|option| option == name);
    let (required, is_run) = (has("--required"), !has("--no-run"));
    if options.len() != usize::from(required) + usize::from(!is_run) {
        return Err(format!("usage: {USAGE}"));
    }
    if let Some(reason) = missing() {
        raywarp_testing::skip(raywarp_testing::Reason::Node, &reason);
        return Ok(!required);
    }
    let tasks = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = tasks.parent().ok_or("the workspace has no folder")?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(["test", "--release", "--locked", "--target", TARGET]);
    command.args(["-p", "raywarp-cpu", "-p", "raywarp-lanes", "--lib", "--test", "tests"]);
    if !is_run {
        command.arg("--no-run");
    }
    let mut set = |setting: String| {
        command.arg("--config").arg(setting);
    };
    set(format!("target.{TARGET}.rustflags=['-Ctarget-feature=+simd128']"));
    // A list, since the path may have blanks. Debug prints it as TOML writes it.
    let program = tasks.join("src/wasi.mjs").display().to_string();
    let runner: Vec<&str> = [ENGINE].into_iter().chain(ENGINE_OPTIONS).chain([program.as_str()]).collect();
    set(format!("target.{TARGET}.runner={runner:?}"));
    set("profile.release.opt-level=0".to_string());
    for name in OPTIMISED {
        set(format!("profile.release.package.{name}.opt-level=3"));
    }
    // What was set for this machine, such as its own CPU, does not hold there.
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("RAYWARP_ISA");
    let status = command.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    Ok(status.success())
}

/// Names of the crates of vector code and of what it traces, which are compiled with optimisation as for users. The
/// others run for moments here, and take long to optimise.
const OPTIMISED: [&str; 6] =
    ["raywarp-lanes", "raywarp-geom", "raywarp-bvh", "raywarp-layout", "raywarp-workload", "raywarp-cpu"];

/// Returns what the check lacks on this machine; `None` if it can run.
fn missing() -> Option<String> {
    let version = Command::new(ENGINE).arg("--version").output().ok();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    match version {
        None => return Some(format!("no {ENGINE} (Debian: nodejs)")),
        Some(version) if major(&version).is_none_or(|major| major < FIRST_VERSION) => {
            return Some(format!("{ENGINE} is {version}; it has to be v{FIRST_VERSION} or later"));
        }
        Some(_) => {}
    }
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output().ok();
    let library = library.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    if !library.is_some_and(|library| library.is_dir()) {
        return Some(format!("no standard library for it (rustup target add {TARGET})"));
    }
    None
}

/// Returns the first number of a version such as `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn a_version_of_node_is_known_by_its_first_number() {
        assert_eq!((major("v20.20.2"), major("v8"), major("20.1"), major("")), (Some(20), Some(8), None, None));
    }
}
