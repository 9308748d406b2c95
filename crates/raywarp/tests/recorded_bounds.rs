//! No rate that was ever recorded is above a strict bound: `bench/bounds` (a folder a tree) against `bench/runs`.

use raywarp::bench::Subject;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A rate of a recorded run on an H200: first viewpoint, workload `raywarp`.
#[derive(Debug, Clone, PartialEq)]
struct Measured {
    scene: String,
    /// The kernel's row, or its text.
    kernel: String,
    kind: String,
    /// Preset of the tree.
    tree: String,
    mrays: f64,
    run: PathBuf,
}

fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench")
}

/// Files of a folder and of those in it, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] })
        .collect();
    found.sort();
    found
}

/// Rates that `raywarp bench --record` wrote.
fn from_csv(text: &str, run: &Path) -> Vec<Measured> {
    let mut lines = text.lines();
    let Some(header) = lines.next() else { return Vec::new() };
    let columns: Vec<&str> = header.split(',').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name);
    let names =
        ["scene", "variant", "kind", "tree", "mrays_max", "workload", "order", "view", "max_registers", "target"];
    let places: Vec<usize> = names.into_iter().filter_map(place).collect();
    if places.len() < names.len() {
        return Vec::new();
    }
    let read = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let of: Vec<&str> = places.iter().filter_map(|&place| fields.get(place).copied()).collect();
        let [scene, kernel, kind, tree, mrays, workload, order, view, registers, target] = of[..] else { return None };
        let ours = (workload, order, view, registers) == ("raywarp", "workload", "1", "") && target.contains("H200");
        let [scene, kernel, kind, tree] = [scene, kernel, kind, tree].map(str::to_string);
        ours.then(|| Some(Measured { scene, kernel, kind, tree, mrays: mrays.parse().ok()?, run: run.into() }))
            .flatten()
    };
    lines.filter_map(read).collect()
}

/// Rates of launches that a profiler counted: replayed, with caches flushed and at no higher clock, so that they are rates like
/// others. The folder of such a tree has its name, with a dash for the slash.
fn from_counters(text: &str, run: &Path) -> Vec<Measured> {
    let Ok(rows) = raywarp::counters::read_counters(text) else { return Vec::new() };
    let trees: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').nth(3).unwrap_or_default()).collect();
    let rate = |(row, tree): (raywarp::counters::Counted, &str)| Measured {
        scene: row.scene,
        kernel: row.variant.to_string(),
        kind: row.kind.name().to_string(),
        tree: tree.replace('/', "-"),
        mrays: 1e3 * row.rays as f64 / row.ns,
        run: run.into(),
    };
    rows.into_iter().zip(trees).map(rate).collect()
}

/// Medians of tables that `raywarp bench` printed.
fn from_text(text: &str, run: &Path) -> Vec<Measured> {
    let (mut scene, mut tree, mut found) = (None, String::new(), Vec::new());
    for line in text.lines() {
        if let Some((name, rest)) = line.split_once(": ").filter(|(_, rest)| rest.contains("triangles; workload")) {
            let ours = rest.contains("workload raywarp, 1024 x 768, view 1; NVIDIA H200");
            scene = ours.then(|| name.to_string());
        }
        if let Some((name, _)) = line.strip_prefix("tree ").and_then(|rest| rest.split_once(':')) {
            tree = name.to_string();
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(scene), [kernel, rest @ ..]) = (&scene, &words[..]) else { continue };
        // A rate and its spread for each kind.
        let rates: Vec<f64> =
            rest.chunks(2).map_while(|pair| pair[0].trim_end_matches('*').parse().ok()).take(3).collect();
        let spreads = rest.iter().skip(1).step_by(2).take(3).all(|spread| spread.ends_with('%'));
        if rates.len() == 3 && spreads {
            for (kind, mrays) in ["primary", "ao", "diffuse"].into_iter().zip(rates) {
                let (kernel, kind, tree) = (kernel.to_string(), kind.to_string(), tree.clone());
                found.push(Measured { scene: scene.clone(), kernel, kind, tree, mrays, run: run.into() });
            }
        }
    }
    found
}

fn recorded() -> Vec<Measured> {
    let mut found = Vec::new();
    for path in files(&bench().join("runs")) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => {
                found.extend(from_csv(&text, &path));
                found.extend(from_counters(&text, &path));
            }
            Some("txt") => found.extend(from_text(&text, &path)),
            _ => {}
        }
    }
    found
}

/// `alk12-fermi?box=float` as the variant that it is.
fn canonical(kernel: &str) -> Option<String> {
    match kernel.parse() {
        Ok(Subject::Kernel(variant)) => Some(variant.to_string()),
        _ => None,
    }
}

/// Every measured rate above a bound that is `meant`, and how many were compared.
fn violations(
    measured: &[Measured],
    documents: &[(String, Value)],
    meant: impl Fn(&Value) -> bool,
) -> (Vec<String>, usize) {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (tree, document) in documents {
        for row in document["rows"].as_array().into_iter().flatten() {
            let same = |m: &&Measured| {
                *tree == m.tree
                    && document["scene"] == m.scene.as_str()
                    && row["kind"] == m.kind.as_str()
                    && canonical(&m.kernel).is_some_and(|kernel| row["variant"] == kernel.as_str())
            };
            for m in measured.iter().filter(same) {
                for bound in row["bounds"].as_array().into_iter().flatten().filter(|bound| meant(bound)) {
                    compared += 1;
                    let most = bound["mrays_per_s"].as_f64().unwrap_or(0.0);
                    if m.mrays > most {
                        wrong.push(format!("{m:?} is above {most} ({})", bound["limit"]));
                    }
                }
            }
        }
    }
    (wrong, compared)
}

fn is_strict(bound: &Value) -> bool {
    bound["class"] == "strict"
}

/// A latency bound of the machine code's chains.
fn is_of_code(bound: &Value) -> bool {
    bound["limit"] == "latency" && bound["why"].as_str().is_some_and(|why| why.contains("machine code"))
}

/// What `raywarp simulate --machine` printed, each with its tree, or `None` with a printed reason.
fn bounds() -> Option<Vec<(String, Value)>> {
    let read = |path: PathBuf| {
        let tree = path.parent()?.file_name()?.to_str()?.to_string();
        Some((tree, serde_json::from_str(&std::fs::read_to_string(&path).ok()?).ok()?))
    };
    let json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let found: Vec<_> = files(&bench().join("bounds")).into_iter().filter(json).filter_map(read).collect();
    if found.is_empty() {
        eprintln!("skipped: bench/bounds is not here");
        return None;
    }
    Some(found)
}

/// No recorded rate is above a bound that is `meant`, and at least so many were compared.
#[track_caller]
fn check(measured: &[Measured], documents: &[(String, Value)], meant: impl Fn(&Value) -> bool, least: usize) {
    let (wrong, compared) = violations(measured, documents, meant);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= least, "{compared} comparisons of {} recorded rates", measured.len());
}

/// Some rate would be above a bound that is `meant` if all kernels were so many times as fast.
#[track_caller]
fn check_faster(measured: &[Measured], documents: &[(String, Value)], meant: impl Fn(&Value) -> bool, times: f64) {
    let faster: Vec<Measured> = measured.iter().map(|m| Measured { mrays: times * m.mrays, ..m.clone() }).collect();
    assert!(!violations(&faster, documents, meant).0.is_empty());
}

#[test]
fn no_recorded_rate_is_above_a_strict_bound() {
    let Some(documents) = bounds() else { return };
    check(&recorded(), &documents, is_strict, 20);
}

#[test]
fn no_recorded_rate_is_above_what_a_lone_warps_time_allows() {
    let Some(documents) = bounds() else { return };
    let measured = recorded();
    check(&measured, &documents, is_of_code, 18);
    // And it is no slack one.
    check_faster(&measured, &documents, is_of_code, 4.0);
}

#[test]
fn a_rate_above_a_strict_bound_is_found() {
    let Some(documents) = bounds() else { return };
    // A kernel that is half as fast again is above some bound.
    check_faster(&recorded(), &documents, is_strict, 1.6);
}

#[test]
fn rows_of_runs_are_read_as_they_were_written() {
    let csv = "scene,workload,kind,order,view,name,variant,tree,mrays_max,max_registers,target\n\
        sibenik,raywarp,ao,workload,1,x,direct/phased/h8,best,9.5,,NVIDIA H200\n\
        sibenik,raywarp,ao,workload,all,x,direct/phased/h8,best,9.5,,NVIDIA H200\n\
        sibenik,raywarp,ao,workload,1,x,direct/phased/h8,best,9.5,32,NVIDIA H200\n";
    let read = from_csv(csv, Path::new("run"));
    assert_eq!((read.len(), read[0].mrays, read[0].kernel.as_str()), (1, 9.5, "direct/phased/h8"));
    let text = "sibenik: 75,275 triangles; workload raywarp, 1024 x 768, view 1; NVIDIA H200; 20 runs after 3\n\
        tree best: sbvh, leaves of at most 8; as bvh2\n\
        Mrays/s    primary   ao  diffuse\n\
        alk12-fermi?box=float&planes=plain    5978.8   0.8%    4019.3   0.1%    3081.6*  0.1%     12263\n\
        hall: 5 triangles; workload al09, 1024 x 768, view 1; NVIDIA H200; 20 runs after 3\n\
        alk12-fermi    5978.8   0.8%    4019.3   0.1%    3081.6*  0.1%     12263\n";
    let read = from_text(text, Path::new("run"));
    assert_eq!(read.iter().map(|m| m.mrays).collect::<Vec<_>>(), [5978.8, 4019.3, 3081.6]);
    assert!(read.iter().all(|m| m.tree == "best"));
    assert_eq!(
        canonical(&read[0].kernel).unwrap(),
        "direct/speculative-while-while/bvh2?fetch=needed&leaves=nested&planes=plain"
    );
}

#[test]
fn the_gtx_285s_costs_are_those_that_the_recorded_run_fits() {
    let prices = raywarp::sim::Al09Prices::default();
    let path = bench().join("bounds/gtx285/full-leaves-split/sibenik.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no {}", path.display());
        return;
    };
    let document: Value = serde_json::from_str(&text).unwrap();
    let fit = &document["al09_fit"];
    assert_eq!(fit["cells"], 12);
    for (name, cost) in [
        ("visit_node", prices.visit_node),
        ("test_triangle", prices.test_triangle),
        ("loop", prices.turn),
        ("postpone", prices.postpone),
    ] {
        let found = fit["all"][name].as_f64().unwrap();
        assert!((found - cost).abs() < 0.06, "{name}: {found}, {cost} in the code");
    }
    // Every cell without packets within 6 % of the paper's.
    let mut cells = 0;
    for row in document["rows"].as_array().unwrap() {
        let issue = row["bounds"].as_array().unwrap().iter().find(|bound| bound["limit"] == "issue").unwrap();
        let (ours, theirs) = (issue["mrays_per_s"].as_f64().unwrap(), row["theirs_mrays_per_s"].as_f64().unwrap());
        if row["name"] != "al09-packet" {
            assert!((ours / theirs - 1.0).abs() < 0.06, "{}, {}: {ours}, {theirs}", row["name"], row["kind"]);
            cells += 1;
        }
    }
    assert_eq!(cells, 12);
}
