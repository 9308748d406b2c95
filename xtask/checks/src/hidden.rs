//! Public items that the documentation leaves out: `#[doc(hidden)]` is for macros alone, which need public items that
//! nobody else is to use. What tests or fuzzing need is under a feature or `cfg(test)`.

use std::path::Path;

/// Returns the places of `#[doc(hidden)]` on anything but a macro, in the sources of the workspace at `root`.
pub fn items(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["crates", "xtask", "examples"].into_iter().filter(|folder| root.join(folder).is_dir()) {
        for file in crate::files::ending(root, folder, &[".rs"]) {
            let text = std::fs::read_to_string(root.join(&file)).unwrap_or_default();
            found.extend(lines(&text).into_iter().map(|number| format!("{file}:{number}")));
        }
    }
    found
}

/// Returns the numbers of the lines of a source with a `#[doc(hidden)]` that is not a macro's.
fn lines(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_hidden = |line: &str| (line.starts_with("#[") || line.starts_with("#![")) && line.contains("doc(hidden)");
    let is_macro = |from: usize| {
        let item = lines[from..].iter().find(|line| !line.starts_with("#[") && !line.starts_with("//"));
        item.is_some_and(|item| item.starts_with("macro_rules!") || item.starts_with("pub macro "))
    };
    (0..lines.len()).filter(|&at| is_hidden(lines[at]) && !is_macro(at)).map(|at| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_macros_is_hidden() {
        assert_eq!(items(&crate::root()), Vec::<String>::new());
    }

    #[test]
    fn macros_are_told_from_other_items() {
        let source = |attribute: &str, item: &str| format!("//! A file.\n\n    {attribute}\n    {item}\n");
        assert_eq!(lines(&source("#[doc(hidden)]", "pub fn secret() {}")), [3]);
        assert_eq!(lines(&source("#[cfg_attr(unix, doc(hidden))]", "pub use a::b;")), [3]);
        assert_eq!(lines(&source("#[doc(hidden)]\n#[inline]", "// Why.\npub mod secret;")), [3]);
        assert_eq!(lines(&source("#![doc(hidden)]", "use a::b;")), [3]);
        for item in ["macro_rules! id {", "#[macro_export]\nmacro_rules! id {", "/// An id.\npub macro id() {}"] {
            assert_eq!(lines(&source("#[doc(hidden)]", item)), [0; 0], "{item}");
        }
        assert_eq!(lines(&source("/// Items with `#[doc(hidden)]`.", "let a = \"#[doc(hidden)]\";")), [0; 0]);
    }
}
