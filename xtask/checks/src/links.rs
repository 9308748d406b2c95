//! Links of the documents: files and headings that they lead to exist, and so does every page and source file that a
//! document or a comment names.

use crate::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Documents about the past, which may name files that no longer exist.
const HISTORY: &[&str] = &["CHANGELOG.md", "docs/notebook/", "docs/reference/renamed.md", "bench/runs/"];

/// Returns the faults of all links in the workspace at `root`, as `file:line: what is wrong`.
pub fn faults(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    let documents: BTreeMap<String, Document> = files::ending(root, ".", &[".md"])
        .into_iter()
        .map(|file| (file.clone(), Document::parse(&read(root, &file))))
        .collect();
    for (file, document) in &documents {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, target) in &document.links {
            if let Some(fault) = fault_of(root, &documents, file, folder, target) {
                faults.push(format!("{file}:{line}: {target}: {fault}"));
            }
        }
    }
    let naming = [".md", ".rs", ".toml", ".py", ".cu", ".cuh", ".h", ".cpp", ".sh", "run"];
    for file in files::ending(root, ".", &naming) {
        if file.starts_with("xtask/checks/") || is_history(&file) {
            continue;
        }
        let text = read(root, &file);
        for (number, line) in text.lines().enumerate() {
            let sources = if file.ends_with(".md") { source_paths(line) } else { Vec::new() };
            for named in pages(line).into_iter().chain(sources) {
                if !root.join(&named).exists() {
                    faults.push(format!("{file}:{}: {named} does not exist", number + 1));
                }
            }
        }
    }
    faults
}

/// Returns `true` for a document about the past.
pub(crate) fn is_history(file: &str) -> bool {
    HISTORY.iter().any(|history| file.starts_with(history))
}

fn read(root: &Path, file: &str) -> String {
    let bytes = std::fs::read(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Checks a link in `file`, which is in `folder`, and returns what is wrong with it.
fn fault_of(
    root: &Path,
    documents: &BTreeMap<String, Document>,
    file: &str,
    folder: &str,
    target: &str,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let to = if path.is_empty() { file.to_string() } else { joined(folder, path)? };
    if !root.join(&to).exists() {
        return Some(format!("{to} does not exist"));
    }
    let anchor = anchor?;
    let anchors = match documents.get(&to) {
        Some(document) => &document.anchors,
        // Lines of source files and parts of pictures are not looked into.
        None => return None,
    };
    (!anchors.contains(anchor)).then(|| format!("{to} has no heading #{anchor}"))
}

/// Returns `path` relative to `folder`, without `.` and `..`; a path that leaves the workspace stays as it is, and so
/// does not exist.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    Some(parts.join("/"))
}

/// The links and headings of a Markdown file.
#[derive(Debug, Default)]
struct Document {
    /// Line number and target of each link.
    links: Vec<(usize, String)>,
    /// Anchors in the file that links with `#...` may name.
    anchors: BTreeSet<String>,
}

impl Document {
    fn parse(text: &str) -> Document {
        let mut document = Document::default();
        let mut repeated: BTreeMap<String, usize> = BTreeMap::new();
        let mut fence: Option<&str> = None;
        for (number, line) in text.lines().enumerate() {
            let trimmed = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(_)) => fence = mark,
                (Some(open), Some(mark)) if open == mark => fence = None,
                _ => {}
            }
            if fence.is_some() || mark.is_some() {
                continue;
            }
            let hashes = line.len() - line.trim_start_matches('#').len();
            if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
                let slug = slug(line[hashes..].trim().trim_end_matches('#').trim());
                let count = repeated.entry(slug.clone()).or_default();
                document.anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                *count += 1;
            }
            let plain = without_code(line);
            document.links.extend(targets(&plain).into_iter().map(|target| (number + 1, target)));
            for attribute in ["id=\"", "name=\""] {
                document.anchors.extend(quoted_after(&plain, attribute));
            }
        }
        document
    }
}

/// Returns the anchor that GitHub gives a heading.
fn slug(heading: &str) -> String {
    // Of a link only its text counts.
    let mut text = String::new();
    let mut rest = heading;
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Returns a line with the code between backticks replaced by blanks.
fn without_code(line: &str) -> String {
    let mut out = String::new();
    for (i, part) in line.split('`').enumerate() {
        out.push_str(if i % 2 == 0 { part } else { "" });
    }
    out
}

/// Returns the targets of the links and pictures in a line, and of a reference definition.
fn targets(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("](") {
        let end = after.find(')').unwrap_or(after.len());
        found.push(after[..end].split_whitespace().next().unwrap_or_default().to_string());
        rest = &after[end..];
    }
    if line.starts_with('[')
        && let Some((_, target)) = line.split_once("]: ")
    {
        found.push(target.split_whitespace().next().unwrap_or_default().to_string());
    }
    for attribute in ["href=\"", "src=\""] {
        found.extend(quoted_after(line, attribute));
    }
    found
}

/// Returns the quoted texts after `attribute`, which itself ends in a quote.
fn quoted_after(line: &str, attribute: &str) -> Vec<String> {
    line.split(attribute).skip(1).filter_map(|rest| rest.split_once('"')).map(|(value, _)| value.to_string()).collect()
}

fn is_of_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/_-.".contains(c)
}

/// Returns the documentation pages that a line names by a path from the root, such as `docs/guide/gpu.md`.
fn pages(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in line.match_indices("docs/") {
        let before = line[..start].chars().next_back();
        let rest = &line[start..];
        let end = rest.find(|c| !is_of_path(c)).unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches('.');
        // Part of a longer path, of an address, or of a link that is looked at as one.
        if before.is_some_and(|c| is_of_path(c) || c == '(') || !path.ends_with(".md") {
            continue;
        }
        found.push(path.to_string());
    }
    found
}

/// Returns the source files and folders that a line names between backticks, such as `crates/bvh/src/build`.
fn source_paths(line: &str) -> Vec<String> {
    let quoted = line.split('`').enumerate().filter(|(i, _)| i % 2 == 1).map(|(_, part)| part);
    let named = quoted.filter(|part| ["crates/", "xtask/", "machines/"].iter().any(|at| part.starts_with(at)));
    // A folder or file in capitals stands for any.
    let stands_for_any = |part: &str| {
        part.split(['/', '.'])
            .any(|name| name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase()) && name != "README")
    };
    let paths = named.filter(|part| part.chars().all(is_of_path) && !stands_for_any(part));
    paths.map(|part| part.trim_end_matches('/').to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_of_the_documents_leads_somewhere() {
        let faults = faults(&crate::root());
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn headings_give_the_anchors_that_github_gives() {
        assert_eq!(slug("What a `render` costs: 3 rules"), "what-a-render-costs-3-rules");
        assert_eq!(slug("[AL09](al09.md) 3.2, table 1"), "al09-32-table-1");
        let document = Document::parse("# Same\n## Same\n```sh\n# not one\n```\n<a id=\"own\"></a>\n");
        assert_eq!(document.anchors, ["same", "same-1", "own"].map(String::from).into());
    }

    #[test]
    fn a_link_to_nowhere_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("README.md", "[a](docs/a.md#here) [b](docs/b.md) [c](docs/a.md#gone) `[d](nowhere)`\n");
        write("docs/a.md", "# Here\n[up](../README.md) [self](#here) [out](https://x.org/#y)\n`crates/x/gone.rs`\n");
        write("crates/x/src/lib.rs", "// See docs/a.md, and docs/gone.md.\n");
        let expected = [
            "README.md:1: docs/b.md: docs/b.md does not exist",
            "README.md:1: docs/a.md#gone: docs/a.md has no heading #gone",
            "crates/x/src/lib.rs:1: docs/gone.md does not exist",
            "docs/a.md:3: crates/x/gone.rs does not exist",
        ];
        assert_eq!(faults(folder.path()), expected);
    }
}
