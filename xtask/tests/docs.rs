//! Blocks of pages are made by the program of this build, and whatever drifts fails: a digit, an option of the tree, a
//! number of a machine, the machine code of a kernel.

use raywarp_testing::{Folder, Reason, skip};
use xtask_checks::docs::{Code, Done, done};
use xtask_checks::program;

const SIMULATE: &str = "raywarp simulate room.pbrt --size 64x48 --sample 96 --variant al09-while-while --json";

/// A page with a block by a simulated machine, one by a tree, a paragraph, and one from a recorded run.
fn page() -> String {
    format!(
        "# Page\n\n<!-- made by: {SIMULATE} --machine gpu.toml\n     b: as a --traversal-cost 1 --kind primary\n     rows: rays = kind\n     names: AO = ao\n     \
         | bound | {{mrays_per_s(limit=issue, array=bounds):1}}\n     | on another tree | {{b.warp_instructions_per_ray:2}} | rays = primary -->\n\
         | rays | bound | on another tree |\n|---|---:|---:|\n| primary | ? | ? |\n| AO | ? | |\n<!-- end of what is made -->\n\n\
         <!-- made by: raywarp info room.pbrt --json\n     text: The room has {{mesh_triangles:,}} triangles. -->\n?\n<!-- end of what is made -->\n\n\
         <!-- made by: bench/runs/2026-01-02-gpu/bench.csv\n     rows: kernel = name\n     | rate | {{mrays_median:0}} -->\n\
         | kernel | rate |\n|---|---:|\n| own | ? |\n<!-- end of what is made -->\n\n\
         <!-- made by: raywarp simulate nowhere --machine h200\n     needs: gpu -->\n| a |\n|---|\n<!-- end of what is made -->\n"
    )
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
        copy("machines/h200.toml", "gpu.toml");
        let new = Self { folder, code: Code::Today };
        new.write("docs/README.md", &page());
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
        let codes = |file: &str, variant: &str| {
            assert_eq!(file, "bench/runs/2026-01-02-gpu/bench.csv");
            Ok(if variant == "direct/x" { self.code } else { Code::Changed })
        };
        done(self.folder.path(), &options, Some(&codes)).unwrap()
    }
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
    let mut all = Workspace::new();
    let made = all.run(&[]);
    assert_eq!(made.faults, Vec::<String>::new());
    assert_eq!((made.blocks, made.skipped.len(), made.written.len()), (3, 1, 1), "{:?}", made.skipped);
    let page = all.read("docs/README.md");
    assert!(!page.contains('?') && page.contains("| own | 12 |") && page.contains("The room has "), "{page}");
    let fresh = |all: &Workspace| all.run(&["--check"]).faults;
    assert_eq!(fresh(&all), Vec::<String>::new());

    let triangles = page.lines().find(|line| line.starts_with("The room has ")).unwrap();
    let bound = page.lines().find(|line| line.starts_with("| primary |")).unwrap();
    let digit = bound.replacen(['1', '2', '3', '4', '5', '6', '7'], "8", 1);
    // Where it is planted, what is there and what takes its place, and how many cells that changes.
    let plants = [
        ("docs/README.md", bound, digit.as_str(), 1),
        ("docs/README.md", triangles, "The room has 7 triangles.", 1),
        ("docs/README.md", "--traversal-cost 1 ", "--traversal-cost 9 ", 1),
        ("docs/README.md", "| own | 12 |", "| own | 13 |", 1),
        ("gpu.toml", "per_scheduler = { value = 1,", "per_scheduler = { value = 2,", 2),
    ];
    for (file, find, replace, count) in plants {
        all.plant(file, find, replace);
        let faults = fresh(&all);
        assert_eq!(faults.len(), count, "{find}: {faults:?}");
        assert!(faults.iter().all(|fault| fault.starts_with("docs/README.md:")), "{faults:?}");
        all.plant(file, replace, find);
    }
    all.code = Code::Changed;
    let faults = fresh(&all);
    assert!(faults.len() == 1 && faults[0].contains("no mark"), "{faults:?}");
    assert_eq!(all.run(&[]).faults, Vec::<String>::new());
    let marked = all.read("docs/README.md");
    let mark = "*(of 2 January 2026's kernels: 1 of 1 has changed since (own))*";
    assert!(marked.contains(mark) && marked.trim_end().ends_with("or may have.*"), "{marked}");
    assert_eq!(fresh(&all), Vec::<String>::new());
    all.code = Code::Today;
    assert_eq!(fresh(&all).len(), 1, "a mark without reason");
}
