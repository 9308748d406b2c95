//! Tables in a terminal: 80 characters across or a line that says how to see the rest, what columns mean above them, no empty
//! column, and the keys of papers explained.

use crate::common_folder::Folder;
use crate::common_scene::scattered;
use raywarp_lab::family::SOURCES;

const BENCH: &str = "scene,workload,kind,order,view,variant,tree,max_leaf,block_threads,max_registers,rays,target,mrays_median,mrays_max,clock_mhz,clock_most_mhz\n\
    scattered,raywarp,primary,workload,all,direct/while-while/bvh2,good,8,,,3072,NVIDIA H200,123.4,123.5,345,1980\n";

/// A line of the command, words of what is above its first table, and how that begins.
type Case = (&'static str, &'static str, &'static str);

/// Every command with a table, of few rays.
const CASES: [Case; 18] = [
    (
        "simulate scattered.obj --machine h200 --sample 32 --variant al09-persistent-spec-while-while,alk12-kepler,g14,l9-mbvh,ykl17,watertight",
        "Rates in Mrays/s",
        "kernel ",
    ),
    (
        "simulate scattered.obj --machine h200,gtx285 --sample 32 --what-if --variant al09-while-while,g14,direct/phased/h8?step=100&occlusion=far&test=50",
        "warp instructions a ray",
        "kernel ",
    ),
    (
        "simulate scattered.obj --efficiency --sample 32 --variant al09-wide8,al09-wide32,al09-persistent-spec-while-while,alk12-kepler,g14,l9-mbvh,ykl17,watertight",
        "lanes of a warp (%)",
        "kernel ",
    ),
    (
        "simulate scattered.obj --efficiency --sample 32 --width 8,32 --leaf-size 2,8 --kind ao --variant al09-if-if,g14",
        "lanes of a warp (%)",
        "kernel ",
    ),
    ("simulate scattered.obj --experiment rates --sample 96", "theirs: the paper's", " "),
    ("simulate scattered.obj --experiment speculation --sample 96", "theirs: the paper's", " "),
    ("simulate scattered.obj --experiment replacement --sample 96", "theirs: the paper's", " "),
    ("simulate scattered.obj --experiment queue --sample 96", "theirs: the paper's", " "),
    ("simulate scattered.obj --experiment width --sample 96", "theirs: the paper's", " "),
    ("simulate scattered.obj --experiment distribution --sample 96", "theirs: the paper's", " "),
    ("simulate scattered.obj --experiment compaction", "naive warps over compacted ones", "bounce "),
    ("simulate scattered.obj --machine h200 --measured bench.csv --sample 32", "measured over that", "kernel "),
    (
        "bench scattered.obj --device cpu --size 64x48 --runs 1 --warmup 0 --rays-per-pixel 1 --variant al09-persistent-spec-while-while,g14",
        "the best",
        "Mrays/s ",
    ),
    (
        "bench scattered.obj scattered.obj --device cpu --size 64x48 --runs 1 --warmup 0 --rays-per-pixel 1 --variant al09-if-if,g14 --top 1",
        "the best",
        "primary, Mrays/s ",
    ),
    ("variants", "its key and", "name "),
    ("variants --legal", "bytes (B)", "variant "),
    ("info scattered.obj", "", "triangles "),
    (
        "selftest --variant al09-while-while,direct/while-while/wide4?order=network5 --legal 0 --width 8 -v",
        "by what",
        "engine ",
    ),
];

/// A folder with a scene and a recorded run.
fn folder() -> Folder {
    Folder::with_files([("scattered.obj", &scattered()[..]), ("bench.csv", BENCH)])
}

/// What a command prints.
fn run(folder: &Folder, line: &str) -> String {
    let sized = if line.starts_with("simulate") { " --size 64x48" } else { "" };
    folder.prints(&format!("{line}{sized} -q"))
}

/// What is wrong with the text of a command.
fn faults(text: &str, (_, legend, head): Case) -> Vec<String> {
    let mut faults = Vec::new();
    faults.extend(text.lines().filter(|line| line.chars().count() > 80).map(|line| format!("longer than 80: {line}")));
    let table = format!("\n{text}").find(&format!("\n{head}"));
    // Wherever its lines end.
    let place = text.replace('\n', " ").find(legend);
    if table.is_none() || place.is_none() || (!legend.is_empty() && place > table) {
        faults.push(format!("\"{legend}\" is not above \"{head}\""));
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    for source in SOURCES.iter().filter(|source| source.key != "RAYWARP") {
        let is_there = words.iter().any(|word| word.eq_ignore_ascii_case(source.key));
        let said = text.replace('\n', " ").contains(&format!("{}: {}", source.key, source.by));
        if is_there && !said {
            faults.push(format!("{} is not explained", source.key));
        }
    }
    faults.extend(empty_columns(text));
    faults
}

/// Names of columns with nothing below them, between the ends of their neighbours.
fn empty_columns(text: &str) -> Vec<String> {
    let heads = ["kernel ", "name ", "engine ", "bounce ", "change ", "Mrays/s "];
    let mut empty = Vec::new();
    for block in text.split("\n\n") {
        let mut lines = block.lines().skip_while(|line| !heads.iter().any(|head| line.starts_with(head)));
        let Some(head) = lines.next() else { continue };
        let rows: Vec<&str> = lines.collect();
        let mut start = 0;
        for name in head.split_whitespace() {
            let at = start + head[start..].find(name).unwrap();
            let next = head[at + name.len()..].find(|c| c != ' ').map_or(usize::MAX, |gap| at + name.len() + gap);
            let is_full = |row: &&&str| row.chars().skip(start).take(next - start).any(|c| c != ' ');
            if !rows.iter().any(|row| is_full(&row)) {
                empty.push(format!("nothing below {name} of: {head}"));
            }
            start = at + name.len();
        }
    }
    empty
}

#[test]
fn tables_fit_80_characters_and_say_what_they_mean() {
    let folder = folder();
    for case in CASES {
        let text = run(&folder, case.0);
        assert_eq!(faults(&text, case), Vec::<String>::new(), "{}:\n{text}", case.0);
    }
}

#[test]
fn what_is_left_out_is_named_and_shown_with_wide() {
    let folder = folder();
    for number in [0, 2, 12, 14, 15] {
        let (line, ..) = CASES[number];
        let text = run(&folder, line);
        let hint: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.contains(" with --wide: "))
            .take_while(|line| !line.is_empty())
            .collect();
        let hint = hint.join(" ");
        let (count, names) = hint.split_once(" with --wide: ").unwrap_or_else(|| panic!("{line}:\n{text}"));
        let names: Vec<&str> = names.split(", ").collect();
        assert_eq!(count.split(' ').next().unwrap().parse(), Ok(names.len()), "{hint}");
        let wide = run(&folder, &format!("{line} --wide"));
        assert!(!wide.contains("--wide"), "{wide}");
        for name in names {
            let heads =
                |text: &str| text.lines().filter(|line| line.split("  ").any(|head| head.trim() == name)).count();
            assert!(heads(&wide) > heads(&text), "{line}: {name}\n{wide}");
        }
    }
}

/// The words of a text's lines.
fn lines_of_words(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn markdown_has_the_rows_of_the_widest_text_and_no_more() {
    let folder = folder();
    for number in [0, 2, 4, 12, 14] {
        let (line, ..) = CASES[number];
        let (wide, markdown) = (run(&folder, &format!("{line} --wide")), run(&folder, &format!("{line} --markdown")));
        let is_timed = number == 12;
        let cells = |row: &str| row.trim_matches('|').replace(" | ", " ").replace("\\*", "*");
        let rows: Vec<String> = markdown.lines().filter(|line| line.starts_with("| ")).map(cells).collect();
        let rules = markdown.lines().filter(|line| line.starts_with("|---|---")).count();
        assert!(rules > 0 && rows.len() > rules, "{line}:\n{markdown}");
        let wide = lines_of_words(&wide);
        for row in rows {
            let words: Vec<&str> = row.split_whitespace().collect();
            // What was timed is another number in each run.
            let length = if is_timed { 1 } else { words.len() };
            let is_there = wide.iter().any(|line| line.get(..length) == words.get(..length));
            assert!(is_there, "{line}: {words:?} is not in\n{wide:?}");
        }
    }
    folder.refuses("variants --markdown --json", 2, &["--markdown", "--json"]);
    folder.refuses("variants --markdown --wide", 2, &["--markdown", "--wide"]);
}

#[test]
fn what_prints_no_wide_table_takes_no_wide() {
    let folder = folder();
    for line in ["info scattered.obj --wide", "render scattered.obj --wide", "variants --wide=yes"] {
        folder.refuses(line, 2, &["--wide"]);
    }
}

#[test]
fn the_check_finds_what_is_wrong() {
    let case = ("", "rate: of", "kernel ");
    let right = "rate: of rays\n\nkernel   rate  set by\ng14         1  issue\n\nG14: Guthe 2014\n";
    assert_eq!(faults(right, case), Vec::<String>::new());
    let long = format!("{right}{}\n", "x".repeat(81));
    let below = format!("{}{}\n", right.replacen("rate: of rays\n\n", "", 1), "rate: of rays");
    for (wrong, said) in [
        (long, "longer than 80"),
        (below, "is not above"),
        (right.replace("Guthe", "somebody"), "G14 is not explained"),
        (right.replace("     1  ", "        "), "nothing below rate"),
    ] {
        let faults = faults(&wrong, case);
        assert!(faults.len() == 1 && faults[0].contains(said), "{said}: {faults:?}");
    }
}
