//! The text of a `run.toml`.

use super::{RecordedFiles, RecordedRun};
use std::fmt::Display;

impl RecordedRun {
    /// Returns the run as [`RecordedRun::parse`] reads it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        line(&mut text, "date", Some(quoted(&self.date)));
        line(&mut text, "machine", Some(quoted(&self.machine)));
        line(&mut text, "driver", self.driver.as_deref().map(quoted));
        line(&mut text, "clock_mhz", self.clock_mhz);
        line(&mut text, "architecture", self.architecture);
        line(&mut text, "commit", self.commit.as_deref().map(quoted));
        self.files.iter().for_each(|files| files.add_to(&mut text));
        text
    }
}

impl RecordedFiles {
    fn add_to(&self, text: &mut String) {
        *text += "\n[[files]]\n";
        line(text, "names", Some(list(&self.names)));
        line(text, "command", Some(quoted(&self.command)));
        line(text, "rays", self.rays.as_deref().map(quoted));
        line(text, "trees", self.trees.as_deref().map(quoted));
        line(text, "commit", self.commit.as_deref().map(quoted));
        line(text, "unknown", self.unknown.as_deref().map(quoted));
        line(text, "unknown_kernels", (!self.unknown_kernels.is_empty()).then(|| list(&self.unknown_kernels)));
        if !self.code.is_empty() {
            *text += "[files.code]\n";
        }
        for (kernel, hash) in &self.code {
            line(text, kernel, Some(quoted(&hash.to_string())));
        }
    }
}

/// Adds a key with its value; nothing where there is none.
fn line(text: &mut String, key: &str, value: Option<impl Display>) {
    if let Some(value) = value {
        *text += &format!("{key} = {value}\n");
    }
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// Returns a text as a basic string of TOML.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_read_as_it_is_written() {
        for name in RecordedRun::names() {
            let run = RecordedRun::built_in(name).unwrap();
            assert_eq!(RecordedRun::parse(&run.text()).as_ref(), Ok(run), "{name}");
        }
        let mut run = RecordedRun::built_in("2026-11-25-h200-2").unwrap().clone();
        run.machine = "\"GPU\" \\ \n\u{7f}\u{85} é".into();
        run.files[0].command = "raywarp 'a b' \t".into();
        (run.driver, run.clock_mhz, run.architecture) = (None, Some(1980.5), None);
        assert_eq!(RecordedRun::parse(&run.text()), Ok(run));
    }
}
