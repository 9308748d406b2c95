//! Counts of things, worded for sentences.

/// Returns a phrase with a count, singular or plural: `1 line is` or `3 lines are`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_none_is_not() {
        let said = |count| counted(count, "line", "lines");
        assert_eq!([0, 1, 2].map(said), ["0 lines", "1 line", "2 lines"]);
    }
}
