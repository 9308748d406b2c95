//! `cargo xtask neon`: the vector code of 64-bit ARM, run by an emulator on another machine.
//!
//! The tests of `raywarp-lanes` and `raywarp-cpu` and those of the library's queries run as they do natively, and
//! `xtask-pictures` renders small pictures, which must be those of this machine's own build byte for byte. The emulator
//! tells nothing about speed. Tests of many random cases try a quarter of them there; with `--all` they try all, as
//! they do natively.
//!
//! Debian has what it needs in `qemu-user`, `gcc-aarch64-linux-gnu` and `libc6-dev-arm64-cross`, rustup in
//! `rustup target add aarch64-unknown-linux-gnu`. Where something is missing, the check is skipped, and says so; with
//! `--required` that is a failure. `--no-run` only compiles, so that the rest can run beside what else cargo builds.

use std::path::{Path, PathBuf};
use std::process::Command;
use xtask_checks::program;

pub const USAGE: &str = "cargo xtask neon [--required] [--no-run | --all]";

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";
/// Folder in which Debian installs the C library of 64-bit ARM.
const SYSROOT: &str = "/usr/aarch64-linux-gnu";

/// Package and program that renders the pictures into the folder that it is given.
const PROGRAM: &str = "xtask-pictures";

/// Tests of queries that are left out but with `--all`: each takes more than 20 s there. What threads read of a file's
/// pieces (32 s) has no vector code.
const TOO_SLOW: [&str; 1] = ["what_threads_read_of_a_file_is_what_a_stream_gives"];

/// Name of each picture.
const PICTURES: [&str; 5] = ["built-in.exr", "room.exr", "clay.exr", "knot.exr", "materials.exr"];

/// Runs the check of 64-bit ARM code; returns `true` if all went well, or if it was skipped and is not required.
pub fn run(options: &[String]) -> Result<bool, String> {
    let has = |name: &str| options.iter().any(|option| option == name);
    let (required, is_run, is_all) = (has("--required"), !has("--no-run"), has("--all"));
    if options.len() != usize::from(required) + usize::from(!is_run) + usize::from(is_all) || is_all && !is_run {
        return Err(format!("usage: {USAGE}"));
    }
    if let Some(reason) = missing() {
        raywarp_testing::skip(raywarp_testing::Reason::Arm, &reason);
        return Ok(!required);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the workspace has no folder")?;
    let release = program::of_this_build().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    let own = release.ok_or("this program has no folder")?.join(PROGRAM);
    // The same packages in both, so that what they share has the same features and is compiled once.
    let packages = ["-p", PROGRAM, "-p", "raywarp-cpu", "-p", "raywarp-lanes"];
    let tests = [&packages[..], &["--lib", "--test", "tests"]].concat();
    // Without GPUs, as pictures have it, so that the library is compiled once but for its tests.
    let library = [&packages[..], &["-p", "raywarp", "--no-default-features", "--lib"]].concat();
    // The command is compiled for it too, but to no machine code: that took as long as all else.
    let command = ["-p", "raywarp-cli"];
    let cargo = |task: &str, options: &[&str]| cargo(root, task, options, if is_all { "" } else { "quarter" });
    if !cargo("build", &packages)? {
        return Ok(false);
    }
    if !is_run {
        let compiled = |tests: &[&str]| cargo("test", &[tests, &["--no-run"]].concat());
        return Ok(compiled(&tests)? && compiled(&library)? && cargo("check", &command)?);
    }
    program::check_age(&own)?;
    let skipped = TOO_SLOW.iter().filter(|_| !is_all).flat_map(|name| ["--skip", name]);
    let queries = [&library[..], &["--", "query::"], &skipped.collect::<Vec<_>>()].concat();
    if !cargo("test", &tests)? || !cargo("test", &queries)? || !cargo("check", &command)? {
        return Ok(false);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let emulated = target.join(TARGET).join("release").join(PROGRAM);
    let folder = target.join("neon-pictures");
    let want = render(&mut Command::new(&own), &folder.join("own"))?;
    let mut all_equal = true;
    for isa in ["neon", "portable"] {
        let mut command = Command::new(EMULATOR);
        command.args(["-L", SYSROOT]).arg(&emulated).env("RAYWARP_ISA", isa);
        let got = render(&mut command, &folder.join(isa))?;
        for ((name, want), got) in PICTURES.iter().zip(&want).zip(&got) {
            let verdict = if got == want { "is this machine's, byte for byte" } else { "DIFFERS" };
            println!("{name:<13} of {isa:<8} {verdict}");
            all_equal &= got == want;
        }
    }
    Ok(all_equal)
}

/// Returns what the check lacks on this machine; `None` if it can run.
fn missing() -> Option<String> {
    if cfg!(target_arch = "aarch64") {
        return Some("this is 64-bit ARM, where `cargo test` runs the same".to_string());
    }
    for (program, package) in [(EMULATOR, "qemu-user"), (LINKER, "gcc-aarch64-linux-gnu")] {
        if Command::new(program).arg("--version").output().is_err() {
            return Some(format!("no {program} (Debian: {package})"));
        }
    }
    if !Path::new(SYSROOT).join("lib").is_dir() {
        return Some(format!("no C library in {SYSROOT} (Debian: libc6-dev-arm64-cross)"));
    }
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output().ok();
    let library = library.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    if !library.is_some_and(|library| library.is_dir()) {
        return Some(format!("no standard library for it (rustup target add {TARGET})"));
    }
    None
}

/// Names of the crates of vector code and of what it traces, which are compiled with optimisation as for users. Others
/// are compiled faster and run slower, with the same results: an optimiser may not change a float's bits.
const OPTIMISED: [&str; 6] =
    ["raywarp-lanes", "raywarp-geom", "raywarp-sample", "raywarp-bvh", "raywarp-layout", "raywarp-cpu"];

/// Names of crates with a level of their own, as for users.
const LESS_OPTIMISED: [&str; 1] = ["raywarp-render"];

/// Names of crates that are compiled without optimisation, as they run for moments here and take long to optimise.
const NOT_OPTIMISED: [&str; 9] = [
    "raywarp-cuda",
    "raywarp-cuda-emulation",
    "raywarp-family",
    "raywarp-scene",
    "raywarp-system",
    "raywarp-workload",
    "basisu",
    "cudarc",
    "exr",
];

/// Runs cargo for 64-bit ARM on the workspace in `root`, where tests try this share of their cases; returns `true` if
/// it succeeded.
fn cargo(root: &Path, task: &str, options: &[&str], cases: &str) -> Result<bool, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args([task, "--release", "--locked", "--target", TARGET]);
    command.args(["--config", "profile.release.opt-level=1"]);
    for (names, level) in [(&OPTIMISED[..], 3), (&LESS_OPTIMISED[..], 2), (&NOT_OPTIMISED[..], 0)] {
        for name in names {
            command.arg("--config").arg(format!("profile.release.package.{name}.opt-level={level}"));
        }
    }
    // Last, as they may end with options of the tests.
    command.args(options).env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{EMULATOR} -L {SYSROOT}"));
    // What was set for this machine, such as its own CPU, does not hold there.
    command.env_remove("RUSTFLAGS").env_remove("RAYWARP_ISA").env(raywarp_testing::CASES, cases);
    let status = command.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    Ok(status.success())
}

/// Renders the pictures by `program` into `folder`, and returns the bytes of each.
fn render(program: &mut Command, folder: &Path) -> Result<Vec<Vec<u8>>, String> {
    let output = program.arg(folder).output().map_err(|error| format!("{program:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{program:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let read = |name| {
        let file = folder.join(name);
        std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
    };
    PICTURES.iter().map(read).collect()
}
