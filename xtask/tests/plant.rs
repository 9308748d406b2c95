//! `xtask plant --list` before a reader that takes only its first lines.
#![cfg(unix)]

use std::process::{Command, Stdio};

#[test]
fn a_list_that_nobody_reads_to_its_end_is_no_fault() {
    let mut list = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let mut child = list.args(["plant", "--list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{}: {error}", output.status);
}
