//! Whoever stops reading the results changes no verdict.

use std::process::{Command, Stdio};

fn raywarp(folder: &std::path::Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    command.current_dir(folder).env_remove("RAYWARP_SCENES").args(line.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The status of a command whose results nobody reads.
fn unread(folder: &std::path::Path, line: &str) -> Option<i32> {
    let mut child = raywarp(folder, line).spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap().code()
}

#[test]
fn a_difference_that_nobody_reads_is_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("s.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    for line in ["render s.obj --size 16x12 --spp 2 -o a.exr", "render s.obj --size 16x12 --spp 2 --seed 1 -o b.exr"] {
        assert_eq!(unread(at, line), Some(0), "{line}");
    }
    for json in ["", " --json"] {
        assert_eq!(unread(at, &format!("diff a.exr b.exr --within 0{json}")), Some(1));
        assert_eq!(unread(at, &format!("diff a.exr a.exr --within 0{json}")), Some(0));
    }
}
