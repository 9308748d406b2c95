//! Blocks of pages are made by the program of this build, and whatever drifts fails: a digit, an option of the tree, a
//! number of a machine, a price, the machine code of a kernel, a mark that somebody wrote.

use raywarp_testing::{Folder, Reason, skip};
use xtask_checks::docs::{Code, Corpus, Done, done};
use xtask_checks::program;

const SIMULATE: &str = "raywarp simulate room.pbrt --size 16x16 --sample 32 --variant al09-while-while --json";
const INFO: &str = "raywarp info room.pbrt --builder sweep --traversal-cost 1 --json";

/// A block that is checked on a sample.
const SAMPLED: &str = "<!-- made by: raywarp info room.pbrt --builder sweep --traversal-cost 1 --split 0 --json
     rows: tree = -
     | cost | {sah_cost:2}
     check: --traversal-cost 1.5 within 16 % (of another tree)
     needs: minutes -->
| tree | cost |
|---|---:|
| sweep | ? |
<!-- end of what is made -->
";

/// A block by a table of prices, for all heads at once.
const PRICED: &str = "<!-- made by: costs.csv
     rows: operation = block
     | * | {instructions(kernel={head})} -->
| operation | own |
|---|---:|
| visit_node | ? |
<!-- end of what is made -->

";

/// A page with a block by a simulated machine, one by a tree, a paragraph, one from a recorded run and one of prices.
fn page() -> String {
    let page = format!(
        "# Page\n\n<!-- made by: {SIMULATE} --machine gpu.toml\n     b: {INFO}\n     rows: rays = kind\n     names: AO = ao\n     \
         | bound | {{mrays_per_s(limit=issue, array=bounds):1}}\n     | on another tree | {{b.nodes}} | rays = primary -->\n\
         | rays | bound | on another tree |\n|---|---:|---:|\n| primary | ? | ? |\n| AO | ? | |\n<!-- end of what is made -->\n\n\
         <!-- made by: raywarp info room.pbrt --json\n     text: The room has {{mesh_triangles:,}} triangles. -->\n?\n<!-- end of what is made -->\n\n\
         <!-- made by: bench/runs/2026-01-02-gpu/bench.csv\n     rows: kernel = name\n     | rate | {{mrays_median:0}} -->\n\
         | kernel | rate |\n|---|---:|\n| own | ? |\n<!-- end of what is made -->\n\n\
         <!-- made by: raywarp simulate nowhere --machine h200\n     needs: gpu -->\n| a |\n|---|\n<!-- end of what is made -->\n"
    );
    page.replace("# Page\n\n", &format!("# Page\n\n{PRICED}"))
}

/// A workspace with a page, a scene, a machine and a recorded run.
struct Workspace {
    folder: Folder,
    /// What is known of the kernel of the recorded run.
    code: Code,
}

impl Workspace {
    fn new() -> Self {
        let folder = Folder::new();
        let root = xtask_checks::root();
        let copy = |from: &str, to: &str| {
            std::fs::copy(root.join(from), folder.path().join(to)).unwrap();
        };
        for inner in ["docs", "bench/runs/2026-01-02-gpu"] {
            std::fs::create_dir_all(folder.path().join(inner)).unwrap();
        }
        copy("examples/room.pbrt", "room.pbrt");
        copy("machines/gtx285.toml", "gpu.toml");
        let new = Self { folder, code: Code::Today };
        new.write("docs/README.md", &page());
        new.write("costs.csv", "kernel,block,instructions\nown,visit_node,68\nown,pop,5\nother,visit_node,9\n");
        new.write("bench/runs/2026-01-02-gpu/bench.csv", "name,variant,mrays_median\nown,direct/x,12.4\nother,y,13\n");
        new
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.folder.path().join(file), text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(file)).unwrap()
    }

    /// Replaces words of a file that are in it once.
    fn plant(&self, file: &str, find: &str, replace: &str) {
        let text = self.read(file);
        assert_eq!(text.matches(find).count(), 1, "{find} in {text}");
        self.write(file, &text.replace(find, replace));
    }

    fn run(&self, options: &[&str]) -> Done {
        let program = program::of_this_build().unwrap();
        let options = ["--program", program.to_str().unwrap()].into_iter().chain(options.iter().copied());
        let options: Vec<String> = options.map(String::from).collect();
        done(self.folder.path(), &options, Some(self)).unwrap()
    }
}

impl Corpus for Workspace {
    fn code(&self, file: &str, variant: &str) -> Result<Code, String> {
        assert_eq!(file, "bench/runs/2026-01-02-gpu/bench.csv");
        Ok(if variant == "direct/x" { self.code } else { Code::Changed })
    }

    fn kernels(&self, _: &str) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    fn changed_inputs(&self, _: &str) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

/// The number in the last cell of a row.
fn number(row: &str) -> f64 {
    row.trim_end_matches([' ', '|']).rsplit(' ').next().unwrap().parse().unwrap()
}

/// Returns `true` after saying why, if there is no program that is as new as its sources.
fn is_skipped() -> bool {
    let age = program::of_this_build().and_then(|program| program::check_age(&program));
    age.inspect_err(|error| skip(Reason::System, error)).is_err()
}

#[test]
fn what_drifts_fails_and_is_made_anew() {
    if is_skipped() {
        return;
    }
    let all = Workspace::new();
    let made = all.run(&[]);
    assert_eq!(made.faults, Vec::<String>::new());
    assert_eq!((made.blocks, made.skipped.len(), made.written.len()), (4, 1, 1), "{:?}", made.skipped);
    let page = all.read("docs/README.md");
    assert!(!page.contains('?') && page.contains("| own | 12 |") && page.contains("The room has "), "{page}");
    let fresh = |all: &Workspace| all.run(&["--check"]).faults;
    assert_eq!(fresh(&all), Vec::<String>::new());

    let line = |start: &str| page.lines().rfind(|line| line.starts_with(start)).unwrap();
    let bound = line("| AO |");
    let digit = bound.replacen(['1', '2', '3', '4', '5', '6', '7'], "8", 1);
    // Where it is planted, what is there and what takes its place, and what is wrong then.
    let plants = [
        ("docs/README.md", bound, digit.as_str(), "AO, bound: "),
        ("docs/README.md", line("The room has "), "The room has 7 triangles.", "\"The room has 7 triangles.\""),
        (
            "docs/README.md",
            "cost 1 --json\n     rows: rays",
            "cost 9 --json\n     rows: rays",
            "primary, on another tree: ",
        ),
        ("docs/README.md", "| own | 12 |", "| own | 13 |", "own, rate: "),
        (
            "docs/README.md",
            "# Page\n",
            "# Page\n*(of 1 May 2026's kernels: 1 has changed)*\n",
            "docs/README.md:2: a mark",
        ),
        ("costs.csv", "own,visit_node,68", "own,visit_node,69", "visit_node, own: "),
    ];
    plants.iter().for_each(|(file, find, replace, _)| all.plant(file, find, replace));
    let faults = fresh(&all);
    // The stray mark is not counted either.
    assert_eq!(faults.len(), plants.len() + 1, "{faults:?}");
    for (.., wrong) in plants {
        assert_eq!(faults.iter().filter(|fault| fault.contains(wrong)).count(), 1, "{wrong}: {faults:?}");
    }
    plants.iter().for_each(|(file, find, replace, _)| all.plant(file, replace, find));
    all.plant("gpu.toml", "per_scheduler = { value = 0.5,", "per_scheduler = { value = 1,");
    assert_eq!(fresh(&all).len(), 2, "both bounds");
    all.plant("gpu.toml", "per_scheduler = { value = 1,", "per_scheduler = { value = 0.5,");
}

#[test]
fn a_sample_is_checked_within_its_interval() {
    if is_skipped() {
        return;
    }
    let all = Workspace::new();
    all.write("docs/README.md", SAMPLED);
    assert_eq!(all.run(&[]).faults, Vec::<String>::new());
    let page = all.read("docs/README.md");
    let cost = page.lines().find(|line| line.starts_with("| sweep |")).unwrap();
    let faults = |all: &Workspace, options: &[&str]| all.run(options).faults;
    assert_eq!(faults(&all, &["--check"]), Vec::<String>::new());
    all.plant("docs/README.md", cost, &format!("| sweep | {:.2} |", number(cost) + 0.3));
    assert_eq!(faults(&all, &["--check"]), Vec::<String>::new());
    let whole = faults(&all, &["--check", "--all"]);
    assert!(whole.len() == 1 && whole[0].contains("(exact)"), "not by the sample: {whole:?}");
    all.write("docs/README.md", &page.replace(cost, "| sweep | 10.00 |"));
    let far = faults(&all, &["--check"]);
    assert!(far.len() == 1 && far[0].contains("(within 16 %)"), "{far:?}");
}

#[test]
fn a_part_is_checked_by_a_file_where_there_is_no_scene() {
    if is_skipped() {
        return;
    }
    let all = Workspace::new();
    let rays = "v+vtt+.v.\nv.\n".repeat(16);
    let launches = ["primary", "ao"].map(|kind| format!("launch {kind} closest direct/while-while/bvh2\n{rays}"));
    all.write("rays.txt", &format!("raywarp-operations 1\n{}", launches.join("")));
    let page = |traversal: u32| {
        format!(
            "<!-- made by: raywarp simulate nowhere --efficiency --json\n     rows: kernel = name\n     \
             | primary | {{traversal_percent:0}} where kind=primary\n     | diffuse | {{traversal_percent:0}} where kind=diffuse\n     \
             check: raywarp simulate --operations rays.txt --efficiency --json within 4 points (of a sample)\n     \
             needs: scenes; minutes -->\n| kernel | primary | diffuse |\n|---|---|---|\n| al09-while-while | {traversal} | 9 |\n\
             | al09-packet | 77 | 9 |\n<!-- end of what is made -->\n"
        )
    };
    // One of two neighbours visits three nodes, the other one: 64 of the 96 lanes of a warp's three visits take part.
    for (traversal, count) in [(67, 0), (70, 0), (72, 1)] {
        all.write("docs/README.md", &page(traversal));
        let done = all.run(&["--check"]);
        assert_eq!((done.blocks, done.faults.len()), (1, count), "{traversal}: {:?}", done.faults);
    }
    all.write("docs/README.md", &page(67).replace("al09-while-while |", "al09-packet |"));
    assert!(all.run(&["--check"]).faults[0].contains("none of its cells"));
    let paragraph = |traversal: u32| {
        format!(
            "<!-- made by: raywarp simulate nowhere --efficiency --json\n     \
             text: It has {{traversal_percent(kind=primary):0}} %.\n     \
             check: raywarp simulate --operations rays.txt --efficiency --json\n     \
             needs: scenes; minutes -->\nIt has {traversal} %.\n<!-- end of what is made -->\n"
        )
    };
    for (traversal, count) in [(67, 0), (68, 1)] {
        all.write("docs/README.md", &paragraph(traversal));
        let done = all.run(&["--check"]);
        assert_eq!((done.blocks, done.faults.len()), (1, count), "{traversal}: {:?}", done.faults);
    }
}

#[test]
fn marks_come_and_go_with_the_machine_code() {
    if is_skipped() {
        return;
    }
    let mut all = Workspace::new();
    let line = page().lines().position(|line| line == "| own | ? |").unwrap() + 1;
    let block = format!("docs/README.md:{line}");
    let fresh = |all: &Workspace| all.run(&["--check", &block]).faults;
    assert_eq!(all.run(&[&block]).faults, Vec::<String>::new());
    assert_eq!(fresh(&all), Vec::<String>::new());
    all.code = Code::Changed;
    let faults = fresh(&all);
    assert!(faults.len() == 1 && faults[0].contains("no mark"), "{faults:?}");
    assert_eq!(all.run(&[&block]).faults, Vec::<String>::new());
    let marked = all.read("docs/README.md");
    let mark = "*(of 2 January 2026's kernels: 1 of 1 has changed since (own))*";
    assert!(marked.contains(mark) && marked.trim_end().ends_with("or may have.*"), "{marked}");
    assert_eq!(fresh(&all), Vec::<String>::new());
    all.code = Code::Today;
    assert_eq!(fresh(&all).len(), 1, "a mark without reason");
}
