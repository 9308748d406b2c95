//! Skips of many threads and processes are noted once a test, and `cargo tests` reads them back.

use raywarp_testing::{NOTES, Note, Reason, read_notes, skip};
use std::process::Command;

/// The variable by which this test starts itself.
const CHILD: &str = "RAYWARP_SKIPS_CHILD";
const THREADS: usize = 8;
const SKIPS: usize = 50;

#[test]
fn skips_of_many_processes_and_threads_are_noted_once_per_test() {
    if let Ok(child) = std::env::var(CHILD) {
        return skip_often(&child);
    }
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("skips of many.tsv");
    let _ = std::fs::remove_file(&file);
    let mut children: Vec<_> = (0..4)
        .map(|child| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "skips_of_many_processes_and_threads_are_noted_once_per_test"]);
            // Else its results would be counted with those of this program.
            command.stdout(std::process::Stdio::null());
            command.env(CHILD, child.to_string()).env(NOTES, &file).spawn().unwrap()
        })
        .collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    let notes = read_notes(&file).unwrap();
    assert_eq!(notes.len(), 4 * THREADS);
    let binary = format!("{}/skips", env!("CARGO_PKG_NAME"));
    let first = Note { reason: Reason::Gpu, binary, test: "0 0".into(), why: "a reason of two lines".into() };
    assert!(notes.contains(&first), "{notes:?}");
    let lines = std::fs::read_to_string(&file).unwrap().lines().count();
    assert_eq!(lines, 4 * THREADS * SKIPS, "no line is lost or cut");
}

fn skip_often(child: &str) {
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let named = std::thread::Builder::new().name(format!("{child} {thread}"));
            named.spawn(|| (0..SKIPS).for_each(|_| skip(Reason::Gpu, "a reason\nof two\tlines"))).unwrap()
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_test_without_notes_has_none_and_other_files_are_refused() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    assert_eq!(read_notes(&folder.join("no such file")).unwrap(), []);
    let other = folder.join("no notes.tsv");
    std::fs::write(&other, "moon\ta\tb\tc\n").unwrap();
    assert!(read_notes(&other).is_err());
}
