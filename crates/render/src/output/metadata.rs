//! Facts that a file states about how it was made.

/// Facts about how a picture was made, which PNG and EXR files carry, but Radiance files cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Name and version of the program that made the picture.
    pub software: String,
    /// Command line that made the picture; empty if there was none. Two runs give equal bytes only if it names no
    /// folders.
    pub command: String,
    /// Further facts as (name, value) in this order: samples per pixel, seed and so on. Facts that differ from run to
    /// run, such as a time, make files of equal pictures unequal.
    pub entries: Vec<(String, String)>,
}

impl Default for Metadata {
    fn default() -> Self {
        Self {
            software: concat!("Raywarp ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: String::new(),
            entries: Vec::new(),
        }
    }
}

impl Metadata {
    /// Returns the facts as text, one per line as `name: value`, the command first.
    pub fn text(&self) -> String {
        let command = (!self.command.is_empty()).then_some(("command", self.command.as_str()));
        let entries = self.entries.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let lines: Vec<String> =
            command.into_iter().chain(entries).map(|(n, v)| format!("{}: {}", one_line(n), one_line(v))).collect();
        lines.join("\n")
    }
}

/// Replaces line breaks and zero bytes in a text, which picture formats cannot hold.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
