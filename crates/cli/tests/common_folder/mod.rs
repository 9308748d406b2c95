//! A folder of files for a test, the command in it, and what every failure of the command has in common.

use serde_json::Value;
use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// One triangle, as an OBJ file.
pub const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// The command with the words of `line`, in `folder`.
pub fn raywarp(folder: impl AsRef<Path>, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    command.current_dir(folder).env_remove("RAYWARP_SCENES").args(line.split_whitespace());
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The document that a command printed.
#[track_caller]
pub fn document(output: &Output) -> Value {
    let parsed = serde_json::from_slice(&output.stdout);
    parsed.unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// Checks that a command ended with `status` and a line that holds all of `names`, behind warnings at most, and printed
/// nothing but, with `--json`, the failure.
#[track_caller]
pub fn check_fails(output: &Output, status: i32, names: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{said}");
    for name in names {
        assert!(said.contains(name), "{said} does not name {name}");
    }
    let lines = said.lines().filter(|line| !line.starts_with("raywarp: warning: ")).count();
    assert!(lines == 1 && !said.contains("panicked"), "{said}");
    let printed = text(&output.stdout);
    assert!(printed.is_empty() || printed.starts_with('{') && printed.contains("\"error\""), "{said}{printed}");
}

/// A folder of its own for one test, removed at the end.
pub struct Folder(raywarp_testing::Folder);

impl Deref for Folder {
    type Target = raywarp_testing::Folder;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl Folder {
    pub fn new() -> Self {
        Self(raywarp_testing::Folder::new())
    }

    /// One that holds files, each with its name and contents.
    pub fn with_files<N: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (N, B)>) -> Self {
        Self(raywarp_testing::Folder::with_files(files))
    }

    /// Names and contents of all files in the folder, sorted, but not of those in its folders.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let names = self.names().into_iter().filter(|name| self.at(name).is_file());
        names.map(|name| (name.clone(), self.read(&name))).collect()
    }

    /// The command with the words of `line`.
    pub fn command(&self, line: &str) -> Command {
        raywarp(self, line)
    }

    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a line with `input` on its standard input.
    pub fn run_piped(&self, line: &str, input: impl AsRef<[u8]>) -> Output {
        let mut command = self.command(line);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Those that refuse their input close the pipe early.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        child.wait_with_output().unwrap()
    }

    /// Runs a line of a shell in which the command is `$R`.
    #[cfg(unix)]
    pub fn run_shell(&self, line: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.current_dir(self).env("R", env!("CARGO_BIN_EXE_raywarp")).args(["-c", line]).output().unwrap()
    }

    /// Runs a line that must succeed.
    #[track_caller]
    pub fn succeeds(&self, line: &str) -> Output {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        output
    }

    /// What a line that must succeed prints.
    #[track_caller]
    pub fn prints(&self, line: &str) -> String {
        text(&self.succeeds(line).stdout)
    }

    /// What a line that must succeed says on standard error.
    #[track_caller]
    pub fn says(&self, line: &str) -> String {
        text(&self.succeeds(line).stderr)
    }

    /// The document that a line prints with `--json`.
    #[track_caller]
    pub fn json(&self, line: &str) -> Value {
        document(&self.run(&format!("{line} --json")))
    }

    /// Runs a line that must fail as [`check_fails`] says and change no byte of the folder.
    #[track_caller]
    pub fn refuses(&self, line: &str, status: i32, names: &[&str]) {
        let before = (self.names(), self.files());
        let output = self.run(line);
        check_fails(&output, status, names);
        assert!(before == (self.names(), self.files()), "{line} changed something: {:?}", self.names());
    }
}
