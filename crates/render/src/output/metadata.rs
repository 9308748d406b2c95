//! Facts that a file states about how it was made.

/// Facts that PNG and EXR carry; Radiance files have no place for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Name and version of the program.
    pub software: String,
    /// The command line; empty if there was none. Two runs give equal bytes only if it names no folders.
    pub command: String,
    /// Further facts, name and value, kept in this order: samples a pixel, seed. Facts that differ from run to run,
    /// such as a time, make files of equal pictures unequal.
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
    /// Returns one line a fact, `name: value`, the command first.
    pub fn text(&self) -> String {
        let command = (!self.command.is_empty()).then_some(("command", self.command.as_str()));
        let entries = self.entries.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let lines: Vec<String> =
            command.into_iter().chain(entries).map(|(n, v)| format!("{}: {}", one_line(n), one_line(v))).collect();
        lines.join("\n")
    }
}

/// Returns a text without line breaks and zero bytes, which the formats' texts cannot hold.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
