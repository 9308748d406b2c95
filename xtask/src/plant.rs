//! Planted bugs: each must make the tests fail that are there to catch its kind.
//!
//! `cargo xtask plant [NAME...]` copies the tracked files to target/plant, changes them, runs the tests, and
//! says which bugs were caught. It takes a minute or two a bug, and so is not part of the tests.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A text in a file and what stands there instead.
struct Edit {
    file: &'static str,
    find: &'static str,
    replace: &'static str,
}

/// A bug and the tests that must fail: arguments of `cargo test --release`.
struct Plant {
    name: &'static str,
    edits: &'static [Edit],
    test: &'static [&'static str],
}

const CONFORMANCE: &[&str] = &["-p", "raywarp", "--test", "conformance"];
const EVENTS: &[&str] = &["-p", "raywarp-traverse", "--test", "events"];

/// A schedule that never ends is caught by waiting this long.
const PATIENCE: Duration = Duration::from_secs(300);

const PLANTS: &[Plant] = &[
    Plant {
        name: "a lost pop",
        edits: &[Edit {
            file: "crates/traverse/src/ops/pop.rs",
            find: "let (entry, index) = lane.stack.pop();",
            replace: "if i == 1 { lane.stack.pop(); }\nlet (entry, index) = lane.stack.pop();",
        }],
        test: CONFORMANCE,
    },
    Plant {
        name: "a wrong child order with early exit",
        edits: &[
            Edit {
                file: "crates/traverse/src/tree/bvh2.rs",
                find: "out.children.extend(",
                replace: "out.hits.reverse();\nout.children.extend(",
            },
            Edit {
                file: "crates/traverse/src/ops/test_triangle.rs",
                find: "if lane.leaf_ended || lane.found.blocked {",
                replace: "if lane.found.index != u32::MAX && !launch.any_hit { lane.end(); }\nif lane.leaf_ended || lane.found.blocked {",
            },
        ],
        test: CONFORMANCE,
    },
    Plant {
        name: "a vote that counts dead lanes",
        edits: &[Edit {
            file: "crates/traverse/src/supply/replace.rs",
            find: "let alive = warp.alive();",
            replace: "let alive = warp.holding();",
        }],
        test: EVENTS,
    },
    Plant {
        name: "a postponed leaf dropped at ray end",
        edits: &[Edit {
            file: "crates/traverse/src/lane.rs",
            find: "!matches!(self.work, Work::Done) || self.postponed.len() > 0",
            replace: "!matches!(self.work, Work::Done)",
        }],
        test: CONFORMANCE,
    },
    Plant {
        name: "a t_max not shortened",
        edits: &[Edit { file: "crates/traverse/src/lane.rs", find: "self.limit = t;", replace: "let _ = t;" }],
        test: EVENTS,
    },
    Plant {
        name: "a parked ray forgotten",
        edits: &[Edit {
            file: "crates/traverse/src/supply/queue.rs",
            find: "} else if parked.iter().any(Lane::has_ended) {",
            replace: "} else if false {",
        }],
        test: CONFORMANCE,
    },
    Plant {
        name: "a lane left out of a mask",
        edits: &[Edit {
            file: "crates/traverse/src/lanes/lockstep.rs",
            find: "let mut left = mask.0;",
            replace: "let mut left = mask.0 & !(1 << 31);",
        }],
        test: EVENTS,
    },
    Plant {
        name: "a child of the wrong slot",
        edits: &[Edit {
            file: "crates/traverse/src/tree/cwbvh8.rs",
            find: "out.node = group.base + (group.inner & ((1 << slot) - 1)).count_ones();",
            replace: "out.node = group.base + (group.inner & ((2 << slot) - 1)).count_ones() - u32::from(slot < 7);",
        }],
        test: CONFORMANCE,
    },
    Plant {
        name: "boxes without their padding",
        edits: &[
            Edit {
                file: "crates/traverse/src/ray.rs",
                find: "BoxPlanes::Padded => {",
                replace: "BoxPlanes::Padded if ray.t_min > 1e30 => {",
            },
            Edit { file: "crates/traverse/src/ray.rs", find: "BoxPlanes::Plain => {", replace: "_ => {" },
        ],
        test: CONFORMANCE,
    },
];

/// Runs the plants of the given names, or all; true when each was caught.
pub fn run(names: &[String]) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the workspace has no folder")?;
    let copy = root.join("target/plant");
    let mut all_caught = true;
    for plant in PLANTS.iter().filter(|plant| names.is_empty() || names.iter().any(|name| name == plant.name)) {
        copy_tracked(root, &copy)?;
        for edit in plant.edits {
            let file = copy.join(edit.file);
            let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            if !text.contains(edit.find) {
                return Err(format!("{}: the text to change is not there; update xtask/src/plant.rs", edit.file));
            }
            let changed = text.replacen(edit.find, edit.replace, 1);
            std::fs::write(&file, changed).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let outcome = test(&copy, plant.test)?;
        println!("{:<40} {}", plant.name, outcome.0);
        all_caught &= outcome.1;
    }
    Ok(all_caught)
}

/// Runs the tests in `folder`: what happened, and whether they failed as tests do.
fn test(folder: &Path, args: &[&str]) -> Result<(String, bool), String> {
    let cargo = || {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        command.current_dir(folder).env("CARGO_TARGET_DIR", folder.join("../plant-build"));
        command.args(["test", "--release", "--offline"]).args(args);
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        command
    };
    let error = |error| format!("cargo cannot be run: {error}");
    if !cargo().arg("--no-run").status().map_err(error)?.success() {
        return Ok(("does not compile: nothing was tested".to_string(), false));
    }
    let start = Instant::now();
    let mut child = cargo().spawn().map_err(error)?;
    loop {
        if let Some(status) = child.try_wait().map_err(error)? {
            let seconds = start.elapsed().as_secs_f64();
            let verdict = if status.success() { "NOT CAUGHT" } else { "caught" };
            return Ok((format!("{verdict} in {seconds:.1} s"), !status.success()));
        }
        if start.elapsed() > PATIENCE {
            // The whole group: the test is a child of cargo.
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
            let _ = child.wait();
            return Ok((format!("caught: it did not end in {} s", PATIENCE.as_secs()), true));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Brings `copy` to what git tracks in `root`; unchanged files keep their times, so that cargo builds little.
fn copy_tracked(root: &Path, copy: &Path) -> Result<(), String> {
    let output =
        Command::new("git").arg("-C").arg(root).arg("ls-files").output().map_err(|error| format!("git: {error}"))?;
    for name in String::from_utf8_lossy(&output.stdout).lines() {
        let (from, to): (PathBuf, PathBuf) = (root.join(name), copy.join(name));
        let Ok(bytes) = std::fs::read(&from) else { continue };
        if std::fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        let folder = to.parent().ok_or("a file without a folder")?;
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        std::fs::write(&to, bytes).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planted_text_stands_where_it_is_looked_for() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for plant in PLANTS {
            for edit in plant.edits {
                let text = std::fs::read_to_string(root.join(edit.file)).unwrap();
                assert!(text.contains(edit.find), "{}: {}", plant.name, edit.file);
            }
        }
    }
}
