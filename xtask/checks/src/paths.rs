//! Paths of our crates that examples of doc comments and pages show, and that must exist.
//!
//! A user of `raywarp` has this crate alone. So examples of what it re-exports show its paths. A crate below `raywarp`
//! cannot depend on it: its examples put their items under the paths of `raywarp` in hidden lines (`# mod raywarp { pub
//! use raywarp_geom::Ray; }`), which the compiler cannot hold against the true ones.

use crate::{api, files, prose};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::iter::Peekable;
use std::path::Path;

/// Page whose paths are C++: `raywarp` is a namespace of kernels there.
const OF_KERNELS: &str = "docs/guide/gpu-programs.md";

/// Returns the faults of all examples and pages in the workspace at `root`, as `file:line: what is wrong`.
pub fn faults(root: &Path) -> Vec<String> {
    let door = Door::parse(&read(root, api::FILE));
    let mut faults = Vec::new();
    for file in files::ending(root, "crates", &[".rs"]) {
        // The laboratory's crate shows whole crates under names of its own.
        if prose::is_test(&file) || file.starts_with("crates/lab/") {
            continue;
        }
        for example in examples(&read(root, &file)) {
            let what = door.faults(&example.shown);
            faults.extend(what.into_iter().map(|what| format!("{file}:{}: {what}", example.line)));
        }
    }
    for file in files::ending(root, ".", &[".md"]) {
        if crate::links::is_history(&file) || file == OF_KERNELS {
            continue;
        }
        for (line, path) in quoted_paths(&read(root, &file)) {
            if !door.paths.contains(&path) && !is_defined(root, &path) {
                faults.push(format!("{file}:{line}: {path} does not exist"));
            }
        }
    }
    faults
}

fn read(root: &Path, file: &str) -> String {
    std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the paths of our crates between single backticks of a page, with the numbers of their lines.
fn quoted_paths(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (i, line) in text.lines().enumerate() {
        in_code ^= line.trim_start().starts_with("```");
        let quoted = line.split('`').skip(1).step_by(2).filter(|_| !in_code);
        let paths = quoted.filter(|part| part.starts_with("raywarp")).map(path_at_start);
        found.extend(paths.filter(|path| path.contains("::")).map(|path| (i + 1, path.to_string())));
    }
    found
}

/// Returns the path that a text begins with, such as `raywarp::bvh` of `raywarp::bvh::{build, presets}`.
fn path_at_start(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(text.len());
    text[..end].trim_end_matches(':')
}

/// Returns `true` if the last name of a path of a lower crate is defined somewhere in that crate.
fn is_defined(root: &Path, path: &str) -> bool {
    let Some((owner, rest)) = path.split_once("::") else { return false };
    let name = rest.rsplit("::").next().unwrap_or(rest);
    let folder = format!("crates/{}/src", owner.trim_start_matches("raywarp_").replace('_', "-"));
    if owner == "raywarp" || !root.join(&folder).is_dir() {
        return false;
    }
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "union"];
    files::ending(root, &folder, &[".rs"]).iter().any(|file| {
        let text = read(root, file);
        kinds.iter().any(|kind| {
            let definition = format!("{kind} {name}");
            text.match_indices(&definition).any(|(at, _)| {
                let after = text[at + definition.len()..].chars().next();
                after.is_none_or(|c| !c.is_alphanumeric() && c != '_')
            })
        })
    })
}

/// The paths of `raywarp`, as its public interface lists them.
struct Door {
    paths: BTreeSet<String>,
}

impl Door {
    fn parse(interface: &str) -> Door {
        let items = interface.lines().filter(|line| !line.starts_with("impl") && !line.starts_with("# "));
        let paths = items.filter_map(|line| line.find("raywarp").map(|at| path_at_start(&line[at..]).to_string()));
        Door { paths: paths.collect() }
    }

    /// Returns `true` if an item of `raywarp` has one of the names in the path of a lower crate, which may end in a
    /// function of the item.
    fn has_name(&self, path: &str) -> bool {
        let is_own = |name: &str| self.paths.iter().any(|own| own.rsplit("::").next() == Some(name));
        path.split("::").skip(1).any(is_own)
    }

    /// Returns what is wrong with the shown lines of an example.
    fn faults(&self, shown: &str) -> Vec<String> {
        let Ok(tokens) = shown.parse::<TokenStream>() else {
            return vec!["its shown lines are no Rust".to_string()];
        };
        let mut paths = Vec::new();
        collect(tokens, &mut paths);
        let (own, lower): (Vec<String>, Vec<String>) =
            paths.into_iter().partition(|path| path == "raywarp" || path.starts_with("raywarp::"));
        let mut faults: Vec<String> = own
            .iter()
            .filter(|path| !self.paths.contains(*path))
            .map(|path| format!("{path} does not exist"))
            .collect();
        if !lower.is_empty() && lower.iter().all(|path| self.has_name(path)) {
            faults.push(format!("shows {}, and raywarp has them: show its paths", lower.join(", ")));
        }
        faults
    }
}

/// An example of a doc comment.
struct Example {
    /// Number of the line in the file that opens the example.
    line: usize,
    /// Lines of the example that a reader sees.
    shown: String,
}

/// Returns the examples in Rust of all doc comments in a file.
fn examples(text: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut open: Option<Example> = None;
    let mut in_other = false;
    for (i, line) in text.lines().enumerate() {
        let Some(line) = prose::doc_text(line) else {
            (open, in_other) = (None, false);
            continue;
        };
        if let Some(words) = line.strip_prefix("```") {
            match open.take() {
                Some(example) => found.push(example),
                None if in_other => in_other = false,
                None if is_rust(words) => open = Some(Example { line: i + 1, shown: String::new() }),
                None => in_other = true,
            }
        } else if let Some(example) = &mut open
            && line != "#"
            && !line.starts_with("# ")
        {
            example.shown += line;
            example.shown.push('\n');
        }
    }
    found
}

/// Returns `true` for the words after the backticks of an example that rustdoc compiles.
fn is_rust(words: &str) -> bool {
    let known = ["", "rust", "no_run", "should_panic", "compile_fail", "ignore"];
    words.split(',').all(|word| known.contains(&word.trim()))
}

/// Adds to `paths` those in `tokens` that begin with the name of a crate of ours, with groups of imports taken apart.
fn collect(tokens: TokenStream, paths: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), paths),
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let is_ours = name == "raywarp" || name.starts_with("raywarp_");
                if is_ours && skip_colons(&mut tokens) {
                    rest_of_path(&name, &mut tokens, paths);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Takes `::` from the front of `tokens`, and returns `true` if it stood there.
fn skip_colons(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> bool {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':');
    tokens.next_if(is_colon).is_some() && tokens.next_if(is_colon).is_some()
}

/// Adds the paths that begin with `before` and go on after `::` in `tokens`.
fn rest_of_path(before: &str, tokens: &mut Peekable<impl Iterator<Item = TokenTree>>, paths: &mut Vec<String>) {
    match tokens.next() {
        Some(TokenTree::Ident(name)) if name == "self" => paths.push(before.to_string()),
        Some(TokenTree::Ident(name)) => {
            let path = format!("{before}::{name}");
            if skip_colons(tokens) { rest_of_path(&path, tokens, paths) } else { paths.push(path) }
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let mut inside = group.stream().into_iter().peekable();
            while inside.peek().is_some() {
                rest_of_path(before, &mut inside, paths);
                // What is left up to the next comma: a new name for the import.
                while inside
                    .next()
                    .is_some_and(|token| !matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','))
                {
                }
            }
        }
        _ => paths.push(before.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_and_pages_show_paths_that_exist() {
        let faults = faults(&crate::root());
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    fn door() -> Door {
        Door::parse(
            "# Generated\nmod raywarp\n#[repr(C)] struct raywarp::Ray { }\nfield raywarp::Ray::t: f32\n\
             mod raywarp::bvh\nfn raywarp::bvh::build<'a>(of: &'a [u32])\nimpl Clone for raywarp::Ghost\n",
        )
    }

    #[test]
    fn a_planted_wrong_path_is_found() {
        let right = "use raywarp::bvh::{self, build as make};\nlet ray: raywarp::Ray = \"raywarp::No\";";
        assert_eq!(door().faults(right), [""; 0]);
        let wrong = "use raywarp::{Ray, bvh::{build, Ghost}};\nraywarp::tree::build();";
        let expected = ["raywarp::bvh::Ghost does not exist", "raywarp::tree::build does not exist"];
        assert_eq!(door().faults(wrong), expected);
    }

    #[test]
    fn an_example_that_shows_only_lower_crates_is_found_where_raywarp_has_all_of_it() {
        let faults = door().faults("use raywarp_bvh::build;\nraywarp_geom::Ray::new();");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(door().faults("use raywarp_bvh::{build, encode};"), [""; 0]);
    }

    #[test]
    fn a_page_that_names_what_is_not_there_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(api::FILE, "mod raywarp\nfn raywarp::build()\n");
        write("crates/bvh/src/lib.rs", "pub enum Builder {}\n");
        write(
            "docs/a.md",
            "`raywarp::build(..)`, `raywarp::gone` and `raywarp render`\n```\n`raywarp::code`\n```\n\
             `raywarp_bvh::Builder`, `raywarp_bvh::Build`, `raywarp_none::Builder`\n",
        );
        write("docs/notebook/b.md", "`raywarp::old`\n");
        let expected = [
            "docs/a.md:1: raywarp::gone does not exist",
            "docs/a.md:5: raywarp_bvh::Build does not exist",
            "docs/a.md:5: raywarp_none::Builder does not exist",
        ];
        assert_eq!(faults(folder.path()), expected);
    }

    #[test]
    fn hidden_lines_and_other_languages_are_not_shown() {
        let text = "/// Text.\n/// ```\n/// # mod raywarp { }\n/// use raywarp::Ray;\n/// #\n/// ```\n\
                    /// ```text\n/// raywarp::No\n/// ```\nfn f() {}\n//! ```no_run\n//! one();\n//! ```\n";
        let found: Vec<(usize, String)> =
            examples(text).into_iter().map(|example| (example.line, example.shown)).collect();
        assert_eq!(found, [(2, "use raywarp::Ray;\n".to_string()), (11, "one();\n".to_string())]);
    }
}
