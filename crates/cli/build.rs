//! Tells the command which commit it is built from. Without git or a repository, as from a crate's archive, it says
//! nothing.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Another repository may hold the archive: only a commit that has this file counts.
    if git(&["ls-files", "build.rs"]).is_none() {
        return;
    }
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else { return };
    println!("cargo::rustc-env=RAYWARP_COMMIT={commit}");
    // Where HEAD points, and what a commit on that branch changes. A file that is not there would make every build run
    // this again.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let Some(path) = git(&["rev-parse", "--git-path", name]) else { continue };
        if std::path::Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}
