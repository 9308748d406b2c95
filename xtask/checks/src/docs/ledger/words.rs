//! Words around numbers: units, names and places, and the text of a page without what only names something.

use crate::docs::marks::MONTHS;

/// Words behind a number that was measured or counted.
pub(super) const UNITS: &[&str] = &[
    "%", "clocks", "GB", "GB/s", "hours", "MB", "minutes", "Mrays/s", "ms", "ns", "point", "points", "ps", "s",
    "seconds", "times", "us", "W",
];

/// Whole numbers up to here are in every block by chance.
pub(super) const SMALL: f64 = 12.0;
/// What numbers are names or versions of.
const NAMES: &[&str] = &[
    "AL09",
    "ALK12",
    "Blender",
    "CUDA",
    "Compute",
    "Embree",
    "G14",
    "GTX",
    "L9",
    "Mitsuba",
    "OptiX",
    "RTX",
    "Titan",
    "Unicode",
    "Vulkan",
    "W11",
    "YKL17",
    "Zen",
    "capability",
    "driver",
    "glTF",
    "lecture",
];
/// Parts of papers and pages.
const PLACES: &[&str] =
    &["appendix", "chapter", "equation", "figure", "issue", "line", "page", "section", "slide", "table", "version"];

/// Returns a page's text with spaces in the place of what only names something: code, addresses of links, comments,
/// words in quotation marks and headings. Lines stay where they are.
pub(super) fn prose(page: &str) -> String {
    let mut is_start = true;
    blanked(page, |first, rest| {
        let end = match first {
            '#' if is_start => rest.find('\n').or(Some(rest.len())),
            '<' if rest.starts_with("<!--") => rest.find("-->").map(|at| at + 3),
            '`' if rest.starts_with("```") => rest[3..].find("```").map(|at| at + 6),
            '`' => closed(rest, '`'),
            '"' => closed(rest, '"'),
            'h' if rest.starts_with("http") => rest.find(|c: char| c.is_whitespace() || c == ')').or(Some(rest.len())),
            ']' if rest.starts_with("](") => closed(rest, ')'),
            _ => None,
        };
        is_start = rest[..end.unwrap_or(first.len_utf8())].ends_with('\n');
        end
    })
}

/// Returns a page's text with spaces, and its ends of lines, for what `end` names: of the first character and all from
/// it on it returns where that which goes away ends, or `None` if the character stays.
pub(super) fn blanked(page: &str, mut end: impl FnMut(char, &str) -> Option<usize>) -> String {
    let mut plain = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(first) = rest.chars().next() {
        let end = end(first, rest);
        let (gone, after) = rest.split_at(end.unwrap_or(first.len_utf8()));
        match end {
            Some(_) => plain.extend(gone.chars().map(|c| if c == '\n' { c } else { ' ' })),
            None => plain += gone,
        }
        rest = after;
    }
    plain
}

/// Returns the place behind the next such mark, in the same paragraph.
fn closed(text: &str, mark: char) -> Option<usize> {
    let end = text[1..].find(mark)? + 1;
    (!text[..end].contains("\n\n")).then_some(end + 1)
}

/// Returns `true` for a word whose number is a name, a version or a place in a paper.
pub(super) fn is_naming(word: &str) -> bool {
    let lower = word.to_lowercase();
    NAMES.contains(&word) || PLACES.contains(&lower.trim_end_matches('s')) || MONTHS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_place_in_prose() {
        let lines = |page: &str| prose(page).lines().map(|line| line.trim().to_string()).collect::<Vec<_>>().join("|");
        assert_eq!(lines("# 14 kernels\nthe kernel `a?refill=80`, 3"), "|the kernel              , 3");
        assert_eq!(lines("[a](a.md#14) \"sets of 20\""), "[a");
        assert_eq!(lines("<!-- 20\nof 30 --> https://example.org/issues/411"), "|");
        assert_eq!(lines("a `name of\n20 words` and\n\nan odd ` mark\n\nwith 30"), "a|and||an odd ` mark||with 30");
    }

    #[test]
    fn a_number_behind_a_name_or_a_place_is_its() {
        assert!(is_naming("GTX") && is_naming("Sections") && is_naming("figure") && is_naming("May"));
        assert!(!is_naming("rates") && !is_naming("gtx"));
    }
}
