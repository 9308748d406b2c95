//! Doc comments of a Rust file, by their lines: no parser, since comments inside macros count as well.

/// First line of a doc comment; with the rest of its paragraph if it has only two words and goes on.
pub struct FirstLine {
    /// Number of the line in the file.
    pub line: usize,
    /// Text of the line, trimmed.
    pub text: String,
}

/// Text that opens a doc comment in a line of code.
const BLOCK: &str = concat!("/*", "* ");

/// Returns the text of a file without its module of tests, which is at the end.
pub fn without_tests(text: &str) -> &str {
    let mut from = 0;
    while let Some(at) = text[from..].find("#[cfg(test)]\n").map(|at| from + at) {
        let after = text[at + "#[cfg(test)]\n".len()..].trim_start();
        let is_module = after.starts_with("mod ") && after.lines().next().is_some_and(|line| line.ends_with('{'));
        if is_module {
            return &text[..at];
        }
        from = at + 1;
    }
    text
}

/// Returns the text of a line of a doc comment; `None` for other lines.
pub fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("//!").or_else(|| line.strip_prefix("///").filter(|rest| !rest.starts_with('/')))?;
    Some(text.trim())
}

/// Returns the first lines of all doc comments in a file.
pub fn first_lines(text: &str) -> Vec<FirstLine> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if let Some(at) = line.find(BLOCK) {
            let text = line[at + BLOCK.len()..].split("*/").next().unwrap_or_default().trim();
            found.push(FirstLine { line: i + 1, text: text.to_string() });
            continue;
        }
        let Some(first) = doc_text(line) else { continue };
        let kind = |line: &str| line.trim_start().as_bytes()[2];
        let goes_on = i > 0 && doc_text(lines[i - 1]).is_some() && kind(lines[i - 1]) == kind(line);
        if goes_on {
            continue;
        }
        let mut text = first.to_string();
        let next = lines.get(i + 1).and_then(|line| doc_text(line)).unwrap_or_default();
        if super::openings::words(&text) <= 2 && !next.is_empty() && !text.ends_with('.') {
            text = format!("{text} {next}");
        }
        found.push(FirstLine { line: i + 1, text });
    }
    found
}
