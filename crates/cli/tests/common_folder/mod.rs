//! A folder for a test, and the command in it.

use std::path::PathBuf;
use std::process::{Command, Output};

/// One triangle, as an OBJ file.
pub const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A folder of its own for one test, removed at the end.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file; folders in its name are made.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        std::fs::write(self.at(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Names and contents of all files in the folder, sorted.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.path().is_file());
        let mut files: Vec<_> = files
            .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.files().into_iter().map(|(name, _)| name).collect()
    }

    /// The command with the words of `line`.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        command.current_dir(&self.0).env_remove("RAYWARP_SCENES").args(line.split_whitespace());
        command
    }

    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a line that must succeed; what it says on standard error.
    #[track_caller]
    pub fn succeeds(&self, line: &str) -> String {
        let output = self.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{line}: {said}");
        said
    }

    /// Runs a line that must end with `status`, say every word of `says` and change no byte of the folder.
    #[track_caller]
    pub fn refuses(&self, line: &str, status: i32, names: &[&str]) {
        let before = self.files();
        let output = self.run(line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{line}: {said}");
        for name in names {
            assert!(said.contains(name), "{line}: {said} does not name {name}");
        }
        assert!(said.trim_end().lines().count() <= 2 && !said.contains("panicked"), "{line}: {said}");
        let after = self.files();
        assert!(before == after, "{line} changed something: {:?}", self.names());
    }
}
