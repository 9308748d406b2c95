//! What was made of a block that a check cannot always make, or makes from a sample: its comment has a short hash of
//! the content, written by `cargo xtask docs` when it made the block. Comparing it needs no command.

use super::as_written::hash;
use super::block::{Block, blocks};
use super::spec::Spec;
use super::tolerance::{Tolerance, squeezed};
use super::{findings, marks};
use std::path::Path;

/// The key of the hash in a comment.
const KEY: &str = "made: ";

/// Returns `true` if a check may leave the block out or allows a difference, so that it needs a hash.
fn is_guarded(spec: &Spec) -> bool {
    !spec.needs.is_empty() || spec.check.is_sampled() || spec.check.tolerance != Tolerance::Exact
}

/// Returns the hash of a block's content.
fn of(content: &str) -> String {
    format!("{:08x}", hash(&squeezed(&marks::without_mark(content))))
}

/// Says what is wrong with the content of a block: that it is not what was made.
fn fault(spec: &Spec, content: &str, place: &str) -> Option<String> {
    let again = format!("`cargo xtask docs {place}` makes it again");
    match (&spec.made, is_guarded(spec)) {
        (Some(has), true) if *has != of(content) => {
            Some(format!("{place}: it is not what was made (`{KEY}{has}`); {again}"))
        }
        (None, true) => Some(format!("{place}: it does not say what was made; {again} and writes `{KEY}`")),
        (Some(_), false) => Some(format!("{place}: `{KEY}` of a block that every check makes")),
        _ => None,
    }
}

/// Returns a line for each block of all pages and statements that is not what was made.
pub(super) fn faults(root: &Path) -> Vec<String> {
    let of_page = |page: String| -> Vec<String> {
        let text = std::fs::read_to_string(root.join(&page)).unwrap_or_default();
        let place = |line: usize| format!("{page}:{line}");
        // Comments that cannot be read are told of elsewhere.
        if page.ends_with(".toml") {
            let contents = findings::contents(&text);
            return contents.iter().filter_map(|(line, spec, content)| fault(spec, content, &place(*line))).collect();
        }
        let of_block = |block: &Block| fault(&block.spec, &text[block.content.clone()], &place(block.line));
        blocks(&text).unwrap_or_default().iter().filter_map(of_block).collect()
    };
    super::pages(root).into_iter().flat_map(of_page).collect()
}

/// Returns the comment of a block with the hash of what was just made: `end` stands behind it, and `begin` before a new
/// line of it. One that needs none stays as it is.
pub(super) fn written(comment: &str, spec: &Spec, content: &str, (begin, end): (&str, &str)) -> String {
    if !is_guarded(spec) {
        return comment.to_string();
    }
    let today = of(content);
    match &spec.made {
        Some(has) => comment.replace(&format!("{KEY}{has}"), &format!("{KEY}{today}")),
        None => {
            let said = comment.trim_end().trim_end_matches(end).trim_end();
            let blanks = &comment[comment.trim_end().len()..];
            format!("{said}\n{begin}{KEY}{today}{}{end}{blanks}", if end.is_empty() { "" } else { " " })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| a | b |\n|---|---:|\n| x | 1.25 |\n";

    /// Returns a page with a block that needs scenes.
    fn page(comment: &str) -> String {
        format!("# Page\n\n{comment}{TABLE}<!-- end of what is made -->\n")
    }

    #[test]
    fn all_blocks_that_a_check_may_leave_out_are_what_was_made() {
        assert_eq!(faults(&crate::root()), Vec::<String>::new());
    }

    #[test]
    fn a_planted_digit_of_a_block_that_is_left_out_is_told() {
        let comment = "<!-- made by: raywarp info x --json\n     rows: a = -\n     | b | {n:2}\n     needs: scenes; minutes -->\n";
        let spec = blocks(&page(comment)).unwrap().remove(0).spec;
        let made = written(comment, &spec, TABLE, ("     ", "-->"));
        assert!(made.starts_with(&comment.replace(" -->\n", "\n     made: ")) && made.ends_with(" -->\n"), "{made}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("docs")).unwrap();
        let told = |page: String| {
            std::fs::write(folder.path().join("docs/a.md"), page).unwrap();
            faults(folder.path())
        };
        assert_eq!(told(page(&made)), Vec::<String>::new());
        let mark = "\n*(of 1 May 2026's kernels: 1 of 1 has changed since (b))*\n<!-- end";
        assert_eq!(told(page(&made).replace("<!-- end", mark)), Vec::<String>::new());
        let found = told(page(&made).replace("1.25", "1.26"));
        assert!(found.len() == 1 && found[0].starts_with("docs/a.md:3: it is not what was made"), "{found:?}");
        assert!(told(page(comment))[0].contains("does not say what was made"));
        let always = made.replace("     needs: scenes; minutes\n", "");
        assert!(told(page(&always))[0].contains("that every check makes"));
        // What is made anew has the hash of its own digits.
        let other = blocks(&page(&made)).unwrap().remove(0).spec;
        let anew = written(&made, &other, &TABLE.replace("1.25", "1.26"), ("     ", "-->"));
        assert_eq!(told(page(&anew).replace("1.25", "1.26")), Vec::<String>::new());
    }

    #[test]
    fn a_note_that_is_left_out_is_guarded_as_well() {
        let comment = "# made by: raywarp info x --json\n#   text: It is {n:1}.\n#   needs: scenes\n";
        let file = |comment: &str, n: &str| format!("[[row]]\n{comment}note = \"It is {n}.\"\n");
        let spec = findings::contents(&file(comment, "4.5")).remove(0).1;
        let made = written(comment, &spec, "It is 4.5.", ("#   ", ""));
        let told = |text: &str| {
            let (line, spec, content) = findings::contents(text).remove(0);
            fault(&spec, &content, &format!("x.toml:{line}"))
        };
        assert_eq!(told(&file(&made, "4.5")), None);
        assert!(told(&file(&made, "4.6")).is_some_and(|fault| fault.starts_with("x.toml:2: it is not")));
    }
}
