//! Faults of machine files, and of numbers that are set by hand, as values.

/// Fault of a machine file or of a number that is set. `key` and `path` name a number, as `l2.bytes`, and `found` is
/// the kind of value that stands there.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum MachineFault {
    /// The text is no TOML.
    #[error("{message}")]
    Toml { message: String },
    #[error("unknown key \"{key}\"{}", hint(near))]
    UnknownKey { key: String, near: Vec<&'static str> },
    #[error("unknown key \"{field}\" in source {name}; it has document, quoted_in and read")]
    UnknownOfSource { field: String, name: String },
    #[error("unknown key \"{field}\" in {path}; it has value, source, note and estimate")]
    UnknownOfNumber { field: String, path: &'static str },
    #[error("{} {} missing", what.join(", "), if what.len() == 1 { "is" } else { "are" })]
    Missing { what: Vec<&'static str> },
    #[error("{name} must be a table, not {found}")]
    NoTable { name: String, found: &'static str },
    #[error("{name} must be a text that says something, not {found}")]
    NoText { name: String, found: &'static str },
    #[error("{name} must be true or false")]
    NoTruth { name: String },
    #[error("source {name} has no document")]
    NoDocument { name: String },
    #[error("source {name} is quoted_in a text, so read = false cannot be said of it")]
    QuotedAndUnread { name: String },
    #[error("compute_capability must be two numbers in a text, as \"9.0\"")]
    Capability,
    #[error("{path} has no source; write {path} as {{ value = .., source = \"..\" }}")]
    NoFields { path: &'static str },
    #[error("{path} has no source")]
    NoSource { path: &'static str },
    #[error("{path} has no value")]
    NoValue { path: &'static str },
    #[error("{path} has source \"{name}\", which [sources] does not list")]
    UnlistedSource { path: &'static str, name: String },
    /// `sections` are those that the file does not have at all, with the keys that may stand in them.
    #[error("no number has source \"{name}\"; remove it, or name it where it belongs{}", lacking(sections))]
    UnusedSource { name: String, sections: Vec<(&'static str, Vec<&'static str>)> },
    #[error("{path} is an estimate; a note must say how it was made")]
    EstimateWithoutNote { path: &'static str },
    #[error("{path} must be a finite decimal number, not {found}")]
    NoNumber { path: &'static str, found: &'static str },
    #[error("{path} is {}; it may be {least} to {most}", plain(*value))]
    OutOfRange { path: &'static str, value: f64, least: f64, most: f64 },
    #[error("{path} is {}; it must be a whole number", plain(*value))]
    NotWhole { path: &'static str, value: f64 },
    #[error("{path} is {value}; it may be a power of two from {least} to {most}")]
    NoPowerOfTwo { path: &'static str, value: f64, least: f64, most: f64 },
    /// Two numbers contradict each other: the first should not be above the second.
    #[error("{path} is {value}, above {limit}, which is {most}")]
    Above { path: &'static str, value: f64, limit: &'static str, most: f64 },
    #[error("{path} is of GPUs of other compute capabilities; of {major}.{minor} write {instead}")]
    Foreign { path: &'static str, major: u32, minor: u32, instead: &'static str },
    /// The first number has to go into the second without a rest.
    #[error("{path} is {value}, and {whole}, which is {of}, is not a multiple of it")]
    NoDivisor { path: &'static str, value: f64, whole: &'static str, of: f64 },
    #[error("{key} is \"{text}\"; give a number, or a factor as in 2x")]
    NotParsed { key: String, text: String },
    #[error("{key} is set to {text}, but {machine} has no such number to multiply")]
    NothingToMultiply { key: String, text: String, machine: String },
}

/// Returns the end of a message about an unknown name, which asks for the names that are like it.
pub(super) fn hint(near: &[&str]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// Returns the end of a message about a file that has none of these sections.
fn lacking(sections: &[(&str, Vec<&str>)]) -> String {
    let section = |(name, keys): &(&str, Vec<&str>)| format!("[{name}] ({})", keys.join(", "));
    match sections {
        [] => String::new(),
        _ => format!("; the file has no {}", sections.iter().map(section).collect::<Vec<_>>().join(", no ")),
    }
}

/// Returns a number as text for messages, with a power of ten in place of many zeros.
fn plain(value: f64) -> String {
    let is_short = value == 0.0 || (1e-6..1e15).contains(&value.abs());
    if is_short { format!("{value}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn tiny_and_huge_numbers_are_written_briefly() {
        for (value, written) in [(1e-300, "1e-300"), (-1e200, "-1e200"), (f64::NAN, "NaN"), (0.001, "0.001")] {
            assert_eq!(plain(value), written);
        }
        assert_eq!(plain(1.0 + 1e-7), "1.0000001");
    }
}
