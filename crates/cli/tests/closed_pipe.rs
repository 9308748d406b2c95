//! Whoever stops reading the results changes no verdict.

use crate::common_folder::{Folder, TRIANGLE};
use std::process::Stdio;

/// The status of a command whose results nobody reads.
fn unread(folder: &Folder, line: &str) -> Option<i32> {
    let mut child = folder.command(line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap().code()
}

#[test]
fn a_difference_that_nobody_reads_is_a_difference() {
    let folder = Folder::with_files([("s.obj", TRIANGLE)]);
    for line in ["render s.obj --size 16x12 --spp 2 -o a.exr", "render s.obj --size 16x12 --spp 2 --seed 1 -o b.exr"] {
        assert_eq!(unread(&folder, line), Some(0), "{line}");
    }
    for json in ["", " --json"] {
        assert_eq!(unread(&folder, &format!("diff a.exr b.exr --within 0{json}")), Some(1));
        assert_eq!(unread(&folder, &format!("diff a.exr a.exr --within 0{json}")), Some(0));
    }
}
