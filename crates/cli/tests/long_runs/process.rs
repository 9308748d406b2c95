//! Commands that are watched while they run, and spoken to by signals. Nothing here asks how long anything takes: a test waits for
//! a line.

use crate::common_folder::{Folder, text};
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

impl Folder {
    /// The command with the words of `line`, which says so often how far it is.
    pub fn command_every(&self, seconds: &str, line: &str) -> Command {
        let mut command = self.command(line);
        command.env("RAYWARP_PROGRESS_SECONDS", seconds);
        command
    }

    /// Runs a line to its end without lines of progress.
    pub fn run_unwatched(&self, line: &str) -> Output {
        self.command_every("3600", line).output().unwrap()
    }
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
