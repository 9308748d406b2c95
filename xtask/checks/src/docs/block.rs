//! Blocks of a page: what stands between a comment that says how it is made, and one that ends it.

use super::spec::Spec;
use std::ops::Range;

/// How the comment above a block begins.
const BEGIN: &str = "<!-- made by:";
/// The line below a block.
const END: &str = "<!-- end of what is made -->";

/// A block of a page.
#[derive(Debug)]
pub(super) struct Block {
    /// Number of the line that its comment begins on.
    pub line: usize,
    /// Number of the first line of its content.
    pub content_line: usize,
    /// Number of the line that ends it.
    pub end_line: usize,
    /// Place of its content in the text of the page.
    pub content: Range<usize>,
    pub spec: Spec,
}

/// Returns the blocks of a page in their order.
///
/// # Errors
/// The number of the line, and what is wrong with it.
pub(super) fn blocks(page: &str) -> Result<Vec<Block>, (usize, String)> {
    let lines: Vec<(usize, &str)> = lines(page).collect();
    let mut blocks = Vec::new();
    let (mut number, mut fence) = (0, false);
    while number < lines.len() {
        let (_, line) = lines[number];
        if line.trim_start().starts_with("```") {
            fence = !fence;
        }
        if line.starts_with(END) && !fence {
            return Err((number + 1, format!("\"{END}\" without a \"{BEGIN}\" above it")));
        }
        if !line.starts_with(BEGIN) || fence {
            number += 1;
            continue;
        }
        let above = number + 1;
        let find = |from: usize, what: &str| (from..lines.len()).find(|&at| lines[at].1.contains(what));
        let close = find(number, "-->").ok_or_else(|| (above, "a comment without an end".to_string()))?;
        let end = find(close + 1, END).ok_or_else(|| (above, format!("no \"{END}\" below it")))?;
        let comment = page[lines[number].0..lines[close].0 + lines[close].1.len()].trim_end();
        let comment = comment.trim_start_matches("<!--").trim_end_matches("-->");
        let spec = Spec::parse(comment).map_err(|error| (above, error))?;
        let start = lines.get(close + 1).map_or(page.len(), |(at, _)| *at);
        let content = start..lines[end].0;
        blocks.push(Block { line: above, content_line: close + 2, end_line: end + 1, content, spec });
        number = end + 1;
    }
    Ok(blocks)
}

/// Returns the lines of a text with the places where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_what_stands_between_its_comments() {
        let page = "a\n\n<!-- made by: raywarp info x\n     needs: scenes -->\n| a |\n|---|\n<!-- end of what is made -->\nb\n";
        let found = blocks(page).unwrap();
        assert_eq!((found.len(), found[0].line, found[0].content_line, found[0].end_line), (1, 3, 5, 7));
        assert_eq!(&page[found[0].content.clone()], "| a |\n|---|\n");
        let shown = format!("```markdown\n{page}```\n");
        assert_eq!(blocks(&shown).unwrap().len(), 0, "an example in a fence is none");
    }

    #[test]
    fn comments_that_do_not_fit_together_are_told_with_their_line() {
        let line = |page: &str| blocks(page).unwrap_err().0;
        assert_eq!(line("a\n<!-- made by: x -->\n| a |\n"), 2);
        assert_eq!(line("<!-- end of what is made -->\n"), 1);
        assert_eq!(line("\n\n<!-- made by: x\n"), 3);
        assert_eq!(line("<!-- made by: raywarp x\n  check: often -->\n<!-- end of what is made -->\n"), 1);
    }
}
