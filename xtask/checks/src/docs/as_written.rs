//! Numbers of a block that nothing makes: the paper's own beside ours, and those of a recorded run that has no table.
//! The block's comment has a short hash of them, so that a check fails where one of them changes.

use super::block::Block;
use super::filling::not_made;
use super::marks;
use super::spec::Spec;
use super::tolerance::squeezed;

/// Says what is wrong with the hash of a block: that it is missing or another, or that there is nothing it could be of.
pub(super) fn fault(block: &Block, content: &str) -> Option<String> {
    let (has, today) = (block.spec.as_written.as_deref(), mark(&block.spec, &marks::without_mark(content)));
    match (has, today) {
        (Some(has), Some(today)) if has != today => {
            Some(format!("a number that nothing makes has changed; if that is meant, it is `as written: {today}`"))
        }
        (None, Some(today)) => Some(format!(
            "it has numbers that nothing makes; a template is to make them, or it says `as written: {today}`"
        )),
        (Some(_), None) => Some("`as written:` of a block whose numbers are all made".to_string()),
        _ => None,
    }
}

/// Returns the hash of a block's numbers that nothing makes, with the words around them; `None` if it has none.
pub(super) fn mark(spec: &Spec, content: &str) -> Option<String> {
    let is_cells = !spec.cells.is_empty();
    let left = match spec.text.is_some() || !is_cells && !spec.is_mark_alone() {
        true => Vec::new(),
        false if is_cells => not_made(spec, content),
        false => content.lines().map(String::from).collect(),
    };
    let numbers: Vec<String> = left.iter().filter(|text| has_number(text)).map(|text| squeezed(text)).collect();
    (!numbers.is_empty()).then(|| format!("{:08x}", hash(&numbers.join("\n"))))
}

/// Returns `true` for text with a digit that is of no name, such as `bathroom2` or `bmw_m6`.
fn has_number(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c: char| !is_of_name(c)).any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// FNV-1a of 32 bits: one byte that differs makes another hash.
pub(super) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(comment: &str, content: &str, wanted: Option<&str>) {
        let block = Block { line: 1, content_line: 2, end_line: 9, content: 0..0, spec: Spec::parse(comment).unwrap() };
        let fault = fault(&block, content);
        assert_eq!(fault.is_some(), wanted.is_some(), "{fault:?}");
        assert!(fault.as_deref().unwrap_or_default().contains(wanted.unwrap_or_default()), "{fault:?}");
    }

    #[test]
    fn a_digit_that_nothing_makes_is_compared_too() {
        let table = "| kernel | theirs | ours |\n|---|---:|---:|\n| if-if | 54 | 55 |\n";
        let cells = "made by: raywarp x\n rows: kernel = variant\n | ours | {a}";
        let hash = mark(&Spec::parse(cells).unwrap(), table).unwrap();
        check(cells, table, Some("as written: "));
        let written = format!("{cells}\n as written: {hash} (the paper's own)");
        check(&written, table, None);
        check(&written, &table.replace("55", "56"), None);
        check(&written, &table.replace("54", "53"), Some("has changed"));
        check(&written, &table.replace("54", "-"), Some("all made"));
        check(cells, &table.replace("54", "-"), None);
        check(cells, &table.replace("54", "bathroom2 of bmw_m6"), None);
        // What chooses a row, or stands in a template, is not free.
        let keys = "made by: raywarp x\n rows: kernel = -; theirs = -\n | ours | {a(b={1})}";
        check(keys, &table.replace("54", "-").replace("if-if", "4"), None);
        check(keys, table, Some("as written: "));
    }

    #[test]
    fn a_block_of_a_run_without_a_template_says_so() {
        let alone = "made by: bench/runs/2026-11-23-h200/renders.txt";
        let content = "| a |\n|---|\n| 4.3 |\n\n*(of 23 November 2026's kernels: 1 of 1 has changed since (b))*\n";
        let hash = mark(&Spec::parse(alone).unwrap(), &marks::without_mark(content)).unwrap();
        check(alone, content, Some("as written: "));
        let written = format!("{alone}\n as written: {hash}");
        check(&written, content, None);
        check(&written, &content.replace("23 Nov", "24 Nov"), None);
        check(&written, &content.replace("4.3", "4.4"), Some("has changed"));
        for made in ["text: {a}", "columns: a = b", "needs: scenes"] {
            check(&format!("made by: raywarp x\n {made}"), "| a |\n|---|\n| 1 |\n", None);
        }
    }
}
