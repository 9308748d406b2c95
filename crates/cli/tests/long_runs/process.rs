//! Commands that are watched while they run, and spoken to by signals. Nothing here asks how long anything takes: a test waits for
//! a line.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

/// A folder of its own for one test, removed at the end.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Names of what lies in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The program in this folder. With `seconds` a line of progress comes so often.
    pub fn command(&self, line: &str, seconds: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        command.current_dir(&self.0).env_remove("RAYWARP_SCENES").env("RAYWARP_PROGRESS_SECONDS", seconds);
        command.args(line.split_whitespace());
        command
    }

    /// Runs a command to its end without lines of progress.
    pub fn run(&self, line: &str) -> Output {
        self.command(line, "3600").output().unwrap()
    }

    /// Runs one that must succeed, and gives what it prints.
    #[track_caller]
    pub fn check_runs(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.0.path()
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the signals that end jobs: without SIGHUP where it is ignored, as by all that is started under nohup.
pub fn ending_signals() -> Vec<&'static str> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    let hangs_up = ignored & 1 == 0;
    ["INT", "TERM", "HUP"].into_iter().filter(|&signal| signal != "HUP" || hangs_up).collect()
}

/// A command that runs.
pub struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// All that it has said so far.
    pub said: String,
}

impl Running {
    pub fn new(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr, said: String::new() }
    }

    /// Waits for a line that holds all `words`.
    #[track_caller]
    pub fn until(&mut self, words: &[&str]) {
        self.until_that(|line| words.iter().all(|word| line.contains(word)));
    }

    /// Waits for a line.
    #[track_caller]
    pub fn until_that(&mut self, is_it: impl Fn(&str) -> bool) {
        loop {
            let mut line = String::new();
            assert!(self.stderr.read_line(&mut line).unwrap() > 0, "ended too early: {}", self.said);
            self.said += &line;
            if is_it(&line) {
                return;
            }
        }
    }

    /// Sends a signal: TERM, HUP, INT, KILL.
    pub fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    /// Its status, its standard output, and all that it said.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        // Open until the end: whoever reads it waits.
        let _stdin = self.child.stdin.take();
        // Whoever waits to be read is read.
        let rest = std::thread::spawn(move || std::io::read_to_string(&mut self.stderr).unwrap());
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), text(&output.stdout), self.said + &rest.join().unwrap())
    }
}
