//! Planted changes: each is told, or changes nothing.

use super::*;

/// A page with a block, and a sentence below that quotes it.
const PAGE: &str = "# Rates\n\n<!-- made by: raywarp info x -->\n| rays | rate |\n|---|---|\n| ao | 0.735 |\n\
    | diffuse | 41.2 |\n<!-- end of what is made -->\n\nRays of ao reach 0.735 of the bound, of diffuse ones\n41 %; \
    a trial of 14 scenes gave 0.81.\n";

/// Accepts a page, changes it, and returns what a check says of it.
#[track_caller]
fn told(change: impl Fn(&str) -> String) -> Vec<String> {
    let folder = accepted(PAGE);
    let changed = change(PAGE);
    assert_ne!(changed, PAGE);
    std::fs::write(folder.path().join("docs/a.md"), changed).unwrap();
    checked(folder.path()).faults
}

/// Returns a workspace with a page whose numbers are in the ledger.
fn accepted(page: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("docs/internals")).unwrap();
    std::fs::write(folder.path().join("docs/a.md"), page).unwrap();
    std::fs::write(folder.path().join(LIST), "| page | numbers | quoted |\n|---|---|---|\n| docs/a.md | 0 | 0 |\n")
        .unwrap();
    assert_eq!(accept(folder.path(), &[], &[], &mut |_| ()), Ok(true));
    assert_eq!(checked(folder.path()).faults, Vec::<String>::new());
    folder
}

/// Accepts the numbers of a page that was written anew; returns whether it did, and what was printed.
fn again(folder: &tempfile::TempDir, page: &str, typed: &[&str]) -> (bool, String) {
    std::fs::write(folder.path().join("docs/a.md"), page).unwrap();
    let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
    let mut printed = Vec::new();
    let is_all = accept(folder.path(), &["docs/a.md".to_string()], &typed, &mut |line| printed.push(line)).unwrap();
    assert_eq!(is_all, checked(folder.path()).faults.is_empty());
    (is_all, printed.join("\n"))
}

#[test]
fn every_number_of_the_project_is_in_the_ledger() {
    let checked = checked(&crate::root());
    assert_eq!(checked.faults, Vec::<String>::new());
    assert!(checked.numbers > 4000 && checked.quoted > 100, "{checked:?}");
}

#[test]
fn a_digit_of_a_typed_number_is_told() {
    let found = told(|page| page.replace("0.81", "0.82"));
    assert_eq!(found[0], "docs/a.md:11: it says 0.82, docs/internals/numbers.txt has 0.81");
    assert!(found.len() == 2 && found[1].contains("`cargo xtask docs --accept docs/a.md`"), "{found:?}");
    // Also of one that is too small to be quoted.
    assert!(told(|page| page.replace("14 scenes", "13 scenes"))[0].contains("it says 13"));
}

#[test]
fn a_block_s_number_that_a_sentence_repeats_is_told() {
    let found = told(|page| page.replace("| 0.735 |", "| 0.741 |"));
    assert_eq!(found[0], "docs/a.md:10: the sentence quotes 0.735, which no block of its section says now");
    let found = told(|page| page.replace("| 41.2 |", "| 42.2 |"));
    assert_eq!(found[0], "docs/a.md:11: the sentence quotes 41, which no block of its section says now");
    let twice = PAGE.replace("| 41.2 |", "| 41.2 / 40.9 |");
    let folder = accepted(&twice);
    std::fs::write(folder.path().join("docs/a.md"), twice.replace("40.9", "43.9")).unwrap();
    let found = checked(folder.path()).faults;
    assert!(found[0].ends_with("which 2 numbers of blocks said and 1 of them say now; read it again"), "{found:?}");
}

#[test]
fn lines_that_end_elsewhere_change_nothing() {
    assert_eq!(
        told(|page| page.replace("of the bound, of diffuse ones\n41 %; a", "of the\nbound, of diffuse ones 41 %;\na")),
        [""; 0]
    );
    assert_eq!(told(|page| page.replace("Rays of ao reach", "Of the bound rays of ambient occlusion reach")), [""; 0]);
}

#[test]
fn a_number_that_is_new_says_what_to_do() {
    let found = told(|page| page.replace("a trial", "a first trial, of 3 days,"));
    assert_eq!(found[0], "docs/a.md:11: 3 is not in docs/internals/numbers.txt");
    assert!(found[1].ends_with("`cargo xtask docs --accept docs/a.md` writes them down"), "{found:?}");
    let found = told(|page| page.replace("of 14 scenes ", ""));
    assert_eq!(found[0], "docs/a.md:11: 14 of docs/internals/numbers.txt is gone from here");
    let folder = accepted(PAGE);
    std::fs::write(folder.path().join("docs/b.md"), "It has 7 parts.\n").unwrap();
    let found = checked(folder.path()).faults;
    assert!(found.len() == 1 && found[0].ends_with("`cargo xtask docs --accept docs/b.md`"), "{found:?}");
    std::fs::remove_file(folder.path().join("docs/a.md")).unwrap();
    assert!(checked(folder.path()).faults[1].contains("there is no page docs/a.md"));
}

#[test]
fn what_is_accepted_is_printed() {
    let folder = accepted(PAGE);
    let (is_all, printed) = again(&folder, &PAGE.replace("0.81", "0.82"), &[]);
    assert!(
        is_all && printed.starts_with("docs/a.md:11: it says 0.82, docs/internals/numbers.txt has 0.81\n"),
        "{printed}"
    );
}

#[test]
fn counts_of_a_page_are_the_ledger_s() {
    let folder = accepted(PAGE);
    let list = std::fs::read_to_string(folder.path().join(LIST)).unwrap();
    assert!(list.ends_with("| docs/a.md | 4 | 2 |\n"), "{list}");
    std::fs::write(folder.path().join(LIST), list.replace("| 4 |", "| 5 |")).unwrap();
    let found = checked(folder.path()).faults;
    assert!(found.len() == 1 && found[0].contains("its counts are not the ledger's"), "{found:?}");
}

#[test]
fn a_sentence_that_quotes_nothing_any_more_is_not_accepted() {
    let folder = accepted(PAGE);
    let stale = PAGE.replace("| 0.735 |", "| 0.741 |");
    let (is_all, printed) = again(&folder, &stale, &[]);
    assert!(!is_all && printed.contains("`cargo xtask docs --accept docs/a.md --typed 0.735`"), "{printed}");
    // A quoted number that becomes one which no block says is no better.
    let (is_all, printed) = again(&folder, &PAGE.replace("reach 0.735", "reach 0.736"), &[]);
    assert!(!is_all && printed.contains("--typed 0.736"), "{printed}");
    assert!(again(&folder, &stale.replace("reach 0.735", "reach 0.741"), &[]).0, "the sentence was mended");
    assert!(again(&folder, &PAGE.replace("reach 0.735", "reach 0.736"), &["0.736"]).0, "it is typed now");
}

#[test]
fn a_page_that_a_sentence_links_to_is_quoted_too() {
    let folder = accepted(PAGE);
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("docs/internals/b.md", "As [there](../a.md#rates), 0.735 of it.\n\nElsewhere 0.735.\n");
    assert_eq!(accept(folder.path(), &[], &[], &mut |_| ()), Ok(true));
    write("docs/a.md", &PAGE.replace("0.735", "0.741"));
    assert_eq!(accept(folder.path(), &["docs/a.md".to_string()], &[], &mut |_| ()), Ok(true));
    let found = checked(folder.path()).faults;
    assert_eq!(
        found[0],
        "docs/internals/b.md:1: the sentence quotes 0.735, which no block of a page that it links to says now"
    );
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn numbers_of_statements_are_in_the_ledger_but_for_those_that_are_made() {
    let file = "# The 9 rows\n[[row]]\nname = \"one\"\ntheirs = [\"0.82..1.17\"]\n# made by: run.csv\n#   rows: 1 = -\n\
        #   | ours | {a}\ncells = [\n    { of = \"8 kernels\", theirs = \"7\", ours = 50.5 },\n]\n\
        note = \"Of 50.5 it is 3 less\"\n";
    let page = Page::read("x.toml", file);
    let words: Vec<&str> =
        page.passages.iter().flat_map(|passage| &passage.numbers).map(|typed| typed.text.as_str()).collect();
    assert_eq!(words, ["0.82", "1.17", "8", "7", "50.5", "3"]);
    assert_eq!(page.printed.len(), 1);
    assert!(page.passages[2].numbers[0].quotes.is_some());
}

#[test]
fn a_digit_that_is_typed_in_a_template_is_told() {
    let paragraph = "\n<!-- made by: raywarp info x --json\n     text: It has {n:0} of 194,089 nodes ([at](a-5.md)), \
        {2*m:1} %. -->\nIt has 7 of 194,089 nodes ([at](a-5.md)), 3.5 %.\n<!-- end of what is made -->\n";
    let cells = "\n<!-- made by: raywarp info x --json\n     rows: a = -\n     | b | {100*{1}(kind=5)-7:0} of 48 where cost=3 -->\n| a | b |\n\
        |---|---|\n| x | 9 of 48 |\n<!-- end of what is made -->\n";
    let page = [PAGE, paragraph, cells].concat();
    let folder = accepted(&page);
    for (right, wrong) in [("194,089", "194,098"), ("of 48", "of 49")] {
        std::fs::write(folder.path().join("docs/a.md"), page.replace(right, wrong)).unwrap();
        let found = checked(folder.path()).faults;
        assert!(found.len() == 2 && found[0].contains(&wrong.replace("of ", "it says ")), "{found:?}");
        assert!(found[0].starts_with(if right == "of 48" { "docs/a.md:18: " } else { "docs/a.md:13: " }), "{found:?}");
    }
    // What a field makes is the block's.
    std::fs::write(folder.path().join("docs/a.md"), page.replace("It has 7", "It has 8")).unwrap();
    assert_eq!(checked(folder.path()).faults, Vec::<String>::new());
    let (is_all, printed) = again(&folder, &page.replace("194,089", "194,098"), &[]);
    assert!(is_all && printed.contains("it says 194,098, docs/internals/numbers.txt has 194,089"), "{printed}");
    let note =
        "[[row]]\n# made by: raywarp info x --json\n#   text: Of 2,112 it is {n:0}.\nnote = \"Of 2,112 it is 4.\"\n";
    let passages = Page::read("x.toml", note).passages;
    assert_eq!((passages.len(), passages[0].numbers.len(), passages[0].numbers[0].text.as_str()), (1, 1, "2,112"));
}

/// Returns the places of digits outside of blocks, comments, addresses and names such as `AL09`.
fn digits(name: &str, text: &str) -> Vec<usize> {
    let blocks = crate::docs::block::blocks(text).unwrap();
    let parts = if name.ends_with(".toml") { findings::parts(text) } else { Vec::new() };
    let is_made = |line: usize| parts.iter().any(|part| part.is_made && part.line == line);
    let is_of_block = |at: usize| {
        let line = text[..at].matches('\n').count() + 1;
        blocks.iter().any(|block| (block.line..=block.end_line).contains(&line)) || is_made(line)
    };
    let is_hidden = |at: usize| {
        let (before, line) = (&text[..at], text[..at].rsplit('\n').next().unwrap_or_default());
        let is_open = |open: &str, close: &str| before.rfind(open) > before.rfind(close);
        let word = line.rsplit(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ',')).next();
        is_open("<!--", "-->")
            || line.rfind("](") > line.rfind(')')
            || line.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://"))
            || word.is_some_and(|word| word.contains(|c: char| c.is_alphabetic() || c == '_'))
            || name.ends_with(".toml") && line.starts_with('#')
            || line.starts_with("*(of ")
            || line.starts_with("*Marks ")
    };
    let places = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
    places.filter(|at| !is_hidden(*at) && !is_of_block(*at)).collect()
}

#[test]
fn a_digit_in_any_page_is_found() {
    let root = crate::root();
    let ledger = read(&root).unwrap();
    let mut pages = pages(&root);
    let (mut missed, mut planted) = (Vec::new(), 0);
    for name in pages.keys().cloned().collect::<Vec<_>>() {
        let text = std::fs::read_to_string(root.join(&name)).unwrap();
        // Some of the digits, which are others on each page.
        for at in digits(&name, &text).into_iter().skip(name.len() % 29).step_by(29) {
            let other = if text[at..].starts_with('7') { "8" } else { "7" };
            let wrong = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            pages.insert(name.clone(), Page::read(&name, &wrong));
            planted += 1;
            if compared(&name, ledger.0.get(&name).map_or(&[][..], |old| old), &pages).0.is_empty() {
                missed.push(format!("{name}:{}", text[..at].matches('\n').count() + 1));
            }
        }
        pages.insert(name.clone(), Page::read(&name, &text));
    }
    assert!(missed.is_empty(), "{} of {planted} were missed:\n{}", missed.len(), missed.join("\n"));
    assert!(planted > 300, "{planted}");
}
