//! `raywarp paper`: lists, tables, statements, numbers that are made now, and what is refused.

use crate::common_folder::Folder;
use crate::common_scene::scattered;
use serde_json::Value;

#[test]
fn the_list_leads_to_every_name() {
    let folder = Folder::new();
    let list = folder.json("paper");
    let papers = list["papers"].as_array().unwrap();
    assert_eq!(papers.len(), 5);
    for paper in papers {
        let key = paper["key"].as_str().unwrap();
        for exhibit in paper["exhibits"].as_array().unwrap() {
            let name = exhibit["name"].as_str().unwrap();
            let made = folder.json(&format!("paper {key} {name} --recorded"));
            assert!(made["cells"].as_array().is_some_and(|cells| !cells.is_empty()), "{key} {name}");
        }
        let all = folder.json(&format!("paper {key}"));
        let statement = &all["statements"][0];
        let shown = folder.json(&format!("paper {key} {}", statement["name"].as_str().unwrap()));
        assert_eq!(shown["status"], statement["status"], "{key}");
    }
}

#[test]
fn a_scene_that_is_there_is_simulated_and_others_are_named() {
    let folder = Folder::with_files([("sibenik.obj", scattered())]);
    let made = folder.json("paper al09 table1 --sample 96 --scenes . -q --device cpu");
    let of = |scene: &str, quantity: &str| -> Vec<Value> {
        let cells = made["cells"].as_array().unwrap().iter();
        cells.filter(|cell| cell["scene"] == scene && cell["quantity"] == quantity).cloned().collect()
    };
    let simulated = of("sibenik", "traversal");
    assert_eq!(simulated.len(), 5 * 3);
    for cell in &simulated {
        assert_eq!(cell["source"], "simulated", "{cell}");
        assert!(cell["ours"].as_f64().is_some_and(|share| share > 0.0 && share <= 100.0), "{cell}");
        assert!(cell["theirs"].is_number() && cell["theirs_text"].is_string(), "{cell}");
    }
    // Nothing stands empty where there is a record, and the paper's own numbers stand alone where there is none.
    assert!(of("conference", "traversal").iter().all(|cell| cell["ours"].is_f64() && cell["source"] != "simulated"));
    assert!(of("fairy", "measured").iter().all(|cell| cell["ours"].is_null() && cell["theirs"].is_number()));
    let missing = made["missing"].to_string();
    assert!(missing.contains("conference") && missing.contains("fairy") && missing.contains("GPU"), "{missing}");
}

#[test]
fn experiments_fill_the_same_cells_as_the_record() {
    let folder = Folder::with_files([("sibenik.obj", scattered())]);
    let keys = |line: &str| -> Vec<String> {
        let made = folder.json(line);
        let cells = made["cells"].as_array().unwrap().iter().filter(|cell| cell["scene"] == "sibenik");
        let key = |cell: &Value| format!("{} {} {}", cell["subject"], cell["rays"], cell["quantity"]);
        let mut keys: Vec<String> = cells.map(key).collect();
        keys.sort();
        keys
    };
    for (name, sample) in [("nodes", ""), ("speculation", SAMPLE), ("queue", SAMPLE), ("width", SAMPLE)] {
        let recorded = keys(&format!("paper al09 {name} --recorded"));
        let made = keys(&format!("paper al09 {name} {sample} --only sibenik --scenes . -q"));
        assert_eq!(made, recorded, "{name}");
    }
}

#[test]
fn a_record_is_of_the_trees_that_the_paper_s_options_make() {
    let Some(scenes) = raywarp_testing::scenes() else { return };
    let folder = Folder::new();
    let nodes = |line: &str| -> Vec<(String, f64)> {
        let made = folder.json(line);
        let cells = made["cells"].as_array().unwrap().iter().filter(|cell| cell["scene"] == "sibenik");
        cells.map(|cell| (cell["subject"].to_string(), cell["ours"].as_f64().unwrap())).collect()
    };
    let recorded = nodes("paper al09 nodes --recorded");
    let made = nodes(&format!("paper al09 nodes --only sibenik --scenes {} -q", scenes.display()));
    assert_eq!(made, recorded);
}

#[test]
fn numbers_and_pages_go_into_files() {
    let folder = Folder::new();
    folder.succeeds("paper al09 width --recorded --csv width.csv --report width.html");
    let files: Vec<String> = folder.files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(files, ["width.csv", "width.html"]);
    let table = String::from_utf8(folder.files().remove(0).1).unwrap();
    assert!(
        table.starts_with("scene,subject,rays,quantity,theirs,ours,source,unit,half,draws\n")
            && table.lines().count() > 90
    );
    // `--html` is another name of `--report`.
    folder.succeeds("paper al09 width --recorded --html again.html");
    let page = |name: &str| folder.files().into_iter().find(|(file, _)| file == name).map(|(_, bytes)| bytes);
    assert!(page("again.html").is_some_and(|bytes| bytes.starts_with(b"<!") && bytes.len() > 1000));
    // The same again replaces them; another kind of file is left alone.
    folder.succeeds("paper al09 width --recorded --csv width.csv");
    folder.refuses("paper al09 width --recorded --csv width.html", 5, &["width.html"]);
}

#[test]
fn what_has_no_numbers_or_pictures_writes_no_empty_file() {
    let folder = Folder::new();
    folder.succeeds("paper al09 --csv statements.csv --svg pictures");
    let [(name, table)] = &folder.files()[..] else { panic!("{:?}", folder.files()) };
    assert_eq!(name, "statements.csv");
    let table = String::from_utf8_lossy(table);
    assert!(table.starts_with("name,place,says,status,how_close\n") && table.lines().count() > 30, "{table}");
    folder.refuses("paper --csv list.csv", 2, &["KEY"]);
    folder.refuses("paper al09 --only sibenik", 2, &["NAME"]);
    folder.refuses("paper al09 fairy --csv fairy.csv", 2, &["fairy", "--csv"]);
}

/// Options about scenes and threads, each as it is typed.
const LOADING: &str = "--scenes . --format ply --light-units auto --gltf-scene 0 --material-variant 0 --animation 0 --at 1 \
                       --threads 1";
const SAMPLE: &str = "--sample 32";

#[test]
fn what_has_no_effect_is_refused() {
    let folder = Folder::new();
    let flags = |options: &str| -> Vec<String> {
        options.split_whitespace().filter(|word| word.starts_with("--")).map(String::from).collect()
    };
    for (answer, named, options) in [
        ("paper", "list", format!("{LOADING} --device cuda")),
        ("paper al09", "list", format!("{LOADING} --device cuda:1")),
        ("paper al09 if-if-slower", "if-if-slower", format!("{LOADING} {SAMPLE} --only sibenik --device cuda")),
        ("paper al09 width --recorded", "--recorded", format!("{LOADING} {SAMPLE} --intervals --device cuda")),
        ("paper w11 table1", "table1", format!("{LOADING} {SAMPLE} --intervals --device cuda")),
        ("paper al09 nodes", "nodes", format!("{SAMPLE} --intervals --device cuda:99")),
        ("paper al09 queue", "queue", "--device cuda:99".to_string()),
    ] {
        // All of them are named, also where they stand before the command.
        let flags = flags(&options);
        let names: Vec<&str> = flags.iter().map(String::as_str).chain([named]).collect();
        folder.refuses(&format!("{answer} {options}"), 2, &names);
    }
    folder.refuses("--threads 2 paper al09", 2, &["--threads"]);
    folder.refuses("paper al09 nodes --sample 5", 2, &["nodes", "--sample"]);
    // What the environment says is no request, and that nothing measures is true.
    for line in ["paper", "paper al09 if-if-slower", "paper al09 width --recorded --only sibenik --device cpu"] {
        assert!(folder.command(line).env("RAYWARP_SCENES", ".").output().unwrap().status.success(), "{line}");
    }
}

#[test]
fn names_that_are_not_there_are_refused() {
    let folder = Folder::new();
    folder.refuses("paper al10", 2, &["al10", "al09"]);
    folder.refuses("paper al09 table9", 2, &["table9", "paper al09"]);
    // Of two tables in one each has its name.
    let table = |name: &str| folder.json(&format!("paper g14 {name} --recorded"))["name"].clone();
    assert_eq!((table("table3"), table("table1")), ("table1".into(), "table1".into()));
    folder.refuses("paper al09 table1 --only kitchen", 2, &["--only", "kitchen", "sibenik"]);
    folder.refuses("paper al09 table1 --sample 0", 2, &["--sample"]);
    // Numbers of several scenes together are of none of them.
    folder.refuses("paper alk12 figure3 --recorded --only sibenik", 2, &["figure3", "together (all)"]);
    assert!(!folder.json("paper alk12 table2 --recorded --only sibenik")["cells"].as_array().unwrap().is_empty());
}

#[test]
fn a_papers_suite_on_a_cpu_is_refused_when_it_takes_hours() {
    let folder = Folder::with_files([("s.obj", scattered())]);
    folder.refuses("bench s.obj --suite table1 --device cpu -q", 2, &["table1", " h ", "--runs"]);
    let small = "bench s.obj --suite table1 --device cpu --size 8x8 --rays-per-pixel 1 --runs 1 --warmup 0 -q";
    folder.succeeds(small);
}

#[test]
fn statements_are_rows_of_markdown_with_their_links() {
    let text = Folder::new().prints("paper al09 --markdown");
    let row = text.lines().find(|line| line.contains("16 lanes against 32")).unwrap();
    assert!(row.starts_with("| 6, 16 lanes against 32 |") && row.contains("| not reproduced |"), "{row}");
    assert!(text.contains("](al09-efficiency.md"), "{text}");
}

#[test]
fn intervals_are_found_by_further_samples() {
    let folder = Folder::with_files([("sibenik.obj", scattered())]);
    let line = "paper al09 shuffled --only sibenik --sample 400 --scenes . -q --device cpu";
    let cells = |line: &str| -> Vec<Value> {
        let made = folder.json(line);
        made["cells"].as_array().unwrap().iter().filter(|cell| cell["source"] == "simulated").cloned().collect()
    };
    let (plain, wide) = (cells(line), cells(&format!("{line} --intervals")));
    assert!(!wide.is_empty() && wide.len() == plain.len());
    for (plain, wide) in plain.iter().zip(&wide) {
        assert_eq!((&plain["ours"], wide["unit"].as_str()), (&wide["ours"], Some("Mrays/s")), "{wide}");
        assert!(wide["half"].as_f64().is_some_and(|half| half >= 0.0), "{wide}");
    }
    let text = folder.prints(&format!("{line} --intervals"));
    assert!(text.contains("95 % intervals: simulated +-"), "{text}");
    folder.refuses("paper al09 shuffled --recorded --intervals", 2, &["--intervals", "--recorded"]);
}
