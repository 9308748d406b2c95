//! Planted bugs: each makes tests fail that are there to catch its kind.
//!
//! A bug is a patch, `xtask/plants/AREA/NAME.patch`. Its first line is the test that catches it and what the bug is;
//! the rest is what `git apply` reads, with a line of context, so that it survives changes nearby.
//!
//! `cargo xtask plant [AREA | AREA/NAME]...` copies the tracked files to target/plant, applies a patch, runs its test,
//! and says whether the bug was caught. It takes a minute or two a bug, and so is not part of the tests; `--list` names
//! all bugs.

mod patch;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time after which tests are taken to never end.
const PATIENCE: Duration = Duration::from_secs(300);

/// Outcome of the tests with a planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    NoEnd,
    DoesNotCompile,
}

/// Plants the bugs of the given areas and names, or all, and runs their tests; returns `true` when each was caught.
/// First, without a bug, the tests must pass.
///
/// # Errors
/// One line: an unknown name, a patch that does not apply, or a test that fails without any bug.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the workspace has no folder")?;
    let all = patch::all(root)?;
    let is_listed = arguments.iter().any(|argument| argument == "--list");
    let names: Vec<&String> = arguments.iter().filter(|argument| *argument != "--list").collect();
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|plant| plant.is_named(name))) {
        return Err(format!("no planted bug is named {unknown:?}; `cargo xtask plant --list` names all"));
    }
    let chosen = all.iter().filter(|plant| names.is_empty() || names.iter().any(|name| plant.is_named(name)));
    if is_listed {
        let mut out = std::io::stdout().lock();
        for plant in chosen {
            match writeln!(out, "{}: {}", plant.name, plant.bug) {
                // Whoever read the list has seen enough.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                written => written.map_err(|error| format!("the list cannot be written: {error}"))?,
            }
        }
        return Ok(true);
    }
    let copy = root.join("target/plant");
    let mut all_caught = true;
    let mut sound: Vec<&[String]> = Vec::new();
    for plant in chosen {
        copy_tracked(root, &copy)?;
        if !sound.contains(&&*plant.test) {
            let (outcome, seconds) = test(&copy, &plant.test)?;
            if outcome != Outcome::Passed {
                return Err(format!("without any bug, cargo test {}: {outcome:?}", plant.test.join(" ")));
            }
            println!("{:<40} passes in {seconds:.1} s", plant.test.join(" "));
            sound.push(&plant.test);
        }
        plant.apply(&copy)?;
        let (outcome, seconds) = test(&copy, &plant.test)?;
        let caught = outcome == Outcome::Failed || (outcome == Outcome::NoEnd && plant.may_hang);
        let verdict = if caught { "caught" } else { "NOT CAUGHT" };
        println!("{:<40} {verdict} in {seconds:.1} s ({outcome:?})", plant.name);
        all_caught &= caught;
    }
    Ok(all_caught)
}

/// Runs the tests in `folder`, and returns their outcome and the seconds that they took.
fn test(folder: &Path, args: &[String]) -> Result<(Outcome, f64), String> {
    let cargo = || {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        command.current_dir(folder).env("CARGO_TARGET_DIR", folder.join("../plant-build"));
        command.args(["test", "--release", "--offline"]).args(args);
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        command
    };
    let error = |error| format!("cargo cannot be run: {error}");
    if !cargo().arg("--no-run").status().map_err(error)?.success() {
        return Ok((Outcome::DoesNotCompile, 0.0));
    }
    let start = Instant::now();
    let mut child = cargo().spawn().map_err(error)?;
    loop {
        if let Some(status) = child.try_wait().map_err(error)? {
            let outcome = if status.success() { Outcome::Passed } else { Outcome::Failed };
            return Ok((outcome, start.elapsed().as_secs_f64()));
        }
        if start.elapsed() > PATIENCE {
            // The whole group: the test is a child of cargo.
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
            let _ = child.wait();
            return Ok((Outcome::NoEnd, PATIENCE.as_secs_f64()));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Makes `copy` equal to the files of `root` that git does not ignore; unchanged files keep their times, so that cargo
/// builds little.
fn copy_tracked(root: &Path, copy: &Path) -> Result<(), String> {
    let listed = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|error| format!("git: {error}"))?;
    let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut kept = BTreeSet::new();
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        let (from, to): (PathBuf, PathBuf) = (root.join(name), copy.join(name));
        let Ok(bytes) = std::fs::read(&from) else { continue };
        kept.insert(to.clone());
        if std::fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        let folder = to.parent().ok_or("a file without a folder")?;
        std::fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        std::fs::write(&to, bytes).map_err(|error| at(&to, error))?;
    }
    // What was deleted since the last run would be found by cargo all the same.
    let mut folders = vec![copy.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| at(&folder, error))?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !kept.contains(&path) {
                std::fs::remove_file(&path).map_err(|error| at(&path, error))?;
            }
        }
    }
    Ok(())
}
