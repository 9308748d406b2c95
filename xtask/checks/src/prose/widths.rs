//! Lines of prose that are wider than 120 columns; tables, code and the targets of links do not count.

/// Largest width of a line of prose, in columns.
const COLUMNS: usize = 120;

/// Returns the comments of a Rust file that are too wide, with the numbers of their lines.
pub fn wide_comments(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let Some(comment) = trimmed.strip_prefix("//") else {
            in_code = false;
            continue;
        };
        let prose = comment.trim_start_matches(['/', '!']).trim_start();
        if prose.starts_with("```") {
            in_code = !in_code;
        } else if !in_code && is_wide(line, prose) {
            found.push((i + 1, line));
        }
    }
    found
}

/// Returns the lines of a Markdown document that are too wide, with their numbers.
pub fn wide_lines(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let prose = line.trim_start();
        if prose.starts_with("```") || prose.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code && is_wide(line, prose) {
            found.push((i + 1, line));
        }
    }
    found
}

fn is_wide(line: &str, prose: &str) -> bool {
    if line.chars().count() <= COLUMNS || prose.starts_with('|') || prose.starts_with("<!--") {
        return false;
    }
    let mut width = line.chars().count();
    // Of `[text](target)` the target is free, and so is an address by itself, or the picture of a line of HTML.
    for part in line.split("](").skip(1) {
        width -= part.split(')').next().unwrap_or(part).chars().count();
    }
    for word in line.split_whitespace().filter(|word| word.starts_with("http") || word.starts_with("<http")) {
        width = width.saturating_sub(word.chars().count());
    }
    width > COLUMNS && !(prose.starts_with('[') && prose.contains("]: "))
}
