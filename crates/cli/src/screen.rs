//! Output to the terminal or to another reader: messages on standard error, results on standard output, and with
//! `--json` one document on standard output, of a failure too.

use crate::escape::{Visible, line};
use crate::exit::Status;
use crate::flags;
use crate::progress::aside;
use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static JSON: AtomicBool = AtomicBool::new(false);
static PRINTED: AtomicBool = AtomicBool::new(false);
/// Warnings about scenes that were printed, each once, for failure documents.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Switches to printing failures as JSON documents too. Known before the command line is parsed, which may fail.
pub fn use_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// Prints a line on standard error, escaped. Nobody may be listening (a closed pipe, a full disk), which is no reason
/// to stop.
pub fn say(message: impl Display) {
    let _ = aside(|| writeln!(std::io::stderr(), "raywarp: {}", line(&flags::named(&message.to_string()))));
}

/// Keeps a scene's warning for the JSON document of a failure, which it may explain.
pub fn keep_warning(warning: &str) {
    let mut kept = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let warning = flags::named(warning);
    if !kept.contains(&warning) {
        kept.push(warning);
    }
}

/// Prints why the command fails. With `--json` that is a document as well, unless one was printed already.
pub fn fail(message: impl Display, status: Status) {
    say(&message);
    if JSON.load(Ordering::Relaxed) && !PRINTED.swap(true, Ordering::Relaxed) {
        let warnings = std::mem::take(&mut *WARNINGS.lock().unwrap_or_else(PoisonError::into_inner));
        let _ = writeln!(std::io::stdout(), "{:#}", document(&flags::named(&message.to_string()), status, &warnings));
    }
}

/// Returns the JSON document of a failure.
fn document(message: &str, status: Status, warnings: &[String]) -> serde_json::Value {
    let error = serde_json::json!({ "message": message, "status": status as u8, "kind": status.name() });
    serde_json::json!({ "error": error, "warnings": warnings })
}

/// Standard output for a command's results.
pub struct Results<W: Write>(W);

impl Results<Visible<std::io::Stdout>> {
    /// Makes an output for text and JSON.
    pub fn text() -> Self {
        Self(Visible(std::io::stdout()))
    }
}

impl Results<std::io::Stdout> {
    /// Makes an output for bytes that no terminal can show.
    pub fn bytes() -> Self {
        Self(std::io::stdout())
    }
}

impl<W: Write> Write for Results<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        PRINTED.store(true, Ordering::Relaxed);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_fail_has_a_status_and_a_name_of_its_own() {
        let all = [
            Status::Failed,
            Status::Usage,
            Status::Input,
            Status::Machine,
            Status::Output,
            Status::Bug,
            Status::Interrupted,
        ];
        let seen = all.map(|status| {
            let error = document("why", status, &[])["error"].take();
            assert_eq!(error["message"], "why");
            (error["status"].as_u64().unwrap(), error["kind"].as_str().unwrap().to_string())
        });
        assert_eq!(seen.clone().map(|(status, _)| status), [1, 2, 3, 4, 5, 101, 130]);
        let kinds = ["failed", "usage", "input", "machine", "output", "bug", "interrupted"];
        assert_eq!(seen.map(|(_, kind)| kind), kinds);
    }
}
