//! `raywarp simulate` on rays of one's own, and on operations that were written down.

use crate::common_folder::{Folder, text};
use crate::common_rays::npy;
use crate::common_scene::scattered;
use serde_json::Value;

const VIEW: &str = "[[scattered]]\neye = [0, 0, 30]\ntarget = [0, 0, 0]\nup = [0, 1, 0]\nvfov = 40\n";
const SIMULATE: &str =
    "simulate scattered.obj --view views.toml:scattered:1 --size 32x24 --rays-per-pixel 1 --sample 4294967295 -q";
/// Kernels whose rays walk in two kinds of trees, of which a pool is shared, and one of nobody's paper.
const KERNELS: &str = "--variant al09-while-while,al09-if-if,al09-queue,l9-mbvh,own-while-if";

fn folder() -> Folder {
    Folder::with_files([("scattered.obj", &scattered()[..]), ("views.toml", VIEW)])
}

/// The measurements of a document, or its rows, without the columns that say where rays are from.
fn rows(document: &Value) -> Vec<Value> {
    let rows = document["measurements"].as_array().or(document["rows"].as_array()).unwrap();
    let without = |row: &Value| {
        let mut row = row.clone();
        for key in ["kind", "leaf_size", "theirs_percent", "overfetch"] {
            row.as_object_mut().unwrap().remove(key);
        }
        row
    };
    rows.iter().map(without).collect()
}

/// The rays of a workload, written to files and read again, are simulated as the workload's are.
#[test]
fn rays_of_files_are_counted_as_those_of_the_workload_that_made_them() {
    let folder = folder();
    folder.prints(
        "bench scattered.obj --view views.toml:scattered:1 --size 32x24 --rays-per-pixel 1 --device cpu --runs 1 --warmup 0 \
         --variant cpu --export-rays rays -q",
    );
    let kinds = ["primary", "ao", "diffuse"];
    for mode in ["--efficiency", "--machine h200"] {
        let theirs = folder.json(&format!("{SIMULATE} {mode} {KERNELS}"));
        for (number, kind) in kinds.into_iter().enumerate() {
            let query = if kind == "ao" { "--query any" } else { "" };
            let rays = format!("--rays rays/scattered-view1-{kind}.npy {query} --sample 4294967295");
            let own = folder.json(&format!("simulate scattered.obj -q {rays} {mode} {KERNELS}"));
            assert_eq!(own["workload"], Value::Null);
            let (own, theirs) = (rows(&own), rows(&theirs));
            assert_eq!(theirs.len(), 3 * own.len());
            for (own, theirs) in own.iter().zip(theirs.iter().skip(number).step_by(3)) {
                assert_eq!(own["query"], if kind == "ao" { "any" } else { "closest" });
                let mut keys = vec!["variant", "query", "rays"];
                keys.extend(if mode == "--efficiency" { vec!["blocks", "warps"] } else { vec!["memory", "bounds"] });
                for key in keys {
                    assert_eq!(own[key], theirs[key], "{kind} {mode} {key}");
                }
            }
        }
    }
}

/// Rays that end before the scene, or begin behind it, find what those do that turn their back on it.
#[test]
fn rays_of_files_keep_where_they_begin_and_end() {
    let folder = folder();
    let places = || (0..64).map(|i| [(i % 8) as f32 / 4.0 - 1.0, (i / 8) as f32 / 4.0 - 1.0]);
    let files =
        [("all", 0.0, 100.0, -1.0), ("short", 0.0, 1.0, -1.0), ("late", 60.0, 100.0, -1.0), ("away", 0.0, 100.0, 1.0)];
    for (name, t_min, t_max, z) in files {
        let rays: Vec<[f32; 8]> = places().map(|[x, y]| [x, y, 30.0, t_min, 0.0, 0.0, z, t_max]).collect();
        folder.file(&format!("{name}.npy"), npy(&rays));
    }
    let rays = "--rays all.npy,short.npy,late.npy,away.npy --variant al09-while-while";
    let document = folder.json(&format!("simulate scattered.obj -q --efficiency {rays}"));
    let blocks: Vec<&Value> = document["measurements"].as_array().unwrap().iter().map(|row| &row["blocks"]).collect();
    let [all, short, late, away] = blocks[..] else { panic!("{document}") };
    assert!(all != away && away.is_object(), "{away}");
    assert_eq!([short, late], [away; 2]);
}

#[test]
fn rays_of_each_bounce_have_rows_that_say_what_they_ask() {
    let folder = folder();
    folder.prints(
        "render scattered.obj --view views.toml:scattered:1 --size 32x24 --spp 1 --clay 0.7 --light white -q --export-rays rays \
         -o out.png",
    );
    let rays = "--rays rays/bounce-01.npy,rays/shadow-00.npy --variant al09-while-while";
    let printed = folder.prints(&format!("simulate scattered.obj -q --machine h200 {rays}"));
    assert!(printed.contains("bounce-01 (closest-hit)") && printed.contains("shadow-00 (any-hit)"), "{printed}");
    let of = |options: &str| {
        let document = folder.json(&format!("simulate scattered.obj -q --efficiency {rays} {options}"));
        let rows = document["measurements"].as_array().unwrap().clone();
        rows.iter().map(|row| (row["kind"].clone(), row["query"].clone())).collect::<Vec<_>>()
    };
    let pair = |name: &str, query: &str| (Value::from(name), Value::from(query));
    assert_eq!(of(""), [pair("bounce-01", "closest"), pair("shadow-00", "any")]);
    assert_eq!(of("--query any"), [pair("bounce-01", "any"), pair("shadow-00", "any")]);
}

#[test]
fn rays_that_make_no_sense_are_refused_in_a_line() {
    let folder = folder();
    folder.file("rays.npy", npy(&[[0.0, 0.0, 30.0, 0.0, 0.0, 0.0, -1.0, 100.0]]));
    folder.file("none.npy", npy(&[]));
    folder.file("nan.npy", npy(&[[f32::NAN, 0.0, 30.0, 0.0, 0.0, 0.0, -1.0, 100.0]]));
    let run = "simulate scattered.obj --efficiency --variant al09-if-if -q --rays";
    for (options, status, names) in [
        ("rays.npy --workload al09", 2, &["--rays", "--workload"][..]),
        ("rays.npy --kind ao", 2, &["--rays", "--kind"]),
        ("rays.npy --view views.toml:scattered:1", 2, &["--rays", "--view"]),
        ("rays.npy --size 8x8", 2, &["--rays", "--size"]),
        ("rays.npy --rays-per-pixel 2", 2, &["--rays", "--rays-per-pixel"]),
        ("rays.npy,rays.npy", 2, &["rays.npy is named twice"]),
        ("missing.npy", 3, &["missing.npy"]),
        ("none.npy", 3, &["none.npy"]),
        ("nan.npy", 3, &["nan.npy", "ray 0"]),
        ("scattered.obj", 3, &["scattered.obj", "byte 0"]),
    ] {
        folder.refuses(&format!("{run} {options}"), status, names);
    }
    folder.refuses("simulate scattered.obj --experiment queue --rays rays.npy -q", 2, &["--rays", "--efficiency"]);
    folder.refuses("simulate scattered.obj --efficiency --query any -q", 2, &["--rays"]);
}

#[test]
fn operations_that_were_written_down_give_the_counts_of_tracing() {
    let folder = folder();
    let traced = folder.json(&format!("{SIMULATE} --efficiency {KERNELS} --export-operations operations.txt"));
    assert!(folder.text("operations.txt").starts_with("raywarp-operations 1\nlaunch primary closest direct/"));
    // Kernels of both trees: a launch of either is replayed by those that walk it.
    let replayed = folder.json(&format!("simulate --operations operations.txt --efficiency {KERNELS} -q"));
    let (traced, replayed) = (rows(&traced), rows(&replayed));
    assert_eq!(traced.len(), 5 * 3);
    for (traced, replayed) in traced.iter().zip(&replayed) {
        assert_eq!(traced, replayed);
    }
    assert_eq!(traced.len(), replayed.len());
    // What instructions cost is told too, without a scene; of memory there is nothing.
    let one = "--variant al09-while-while --kind diffuse";
    let traced = folder.json(&format!("{SIMULATE} --machine h200 {one} --export-operations one.txt"));
    let replayed = folder.json("simulate --operations one.txt --machine h200 --variant al09-while-while -q");
    let (traced, replayed) = (&rows(&traced)[0], &rows(&replayed)[0]);
    for key in ["warp_instructions_per_ray", "instructions_by_pipe_per_ray", "thread_instructions_per_ray", "rays"] {
        assert_eq!(traced[key], replayed[key], "{key}");
    }
    let bound =
        |row: &Value, limit: &str| row["bounds"].as_array().unwrap().iter().find(|b| b["limit"] == limit).cloned();
    for limit in ["issue", "full lanes", "pipe alu"] {
        assert_eq!(bound(traced, limit).unwrap(), bound(replayed, limit).unwrap(), "{limit}");
    }
    assert!(bound(replayed, "DRAM, cold").is_none() && replayed["memory"].is_null());
    // Of kernels that are not named those that can.
    let all = folder.json("simulate --operations one.txt --efficiency -q");
    let names: Vec<&str> =
        all["measurements"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(
        names.contains(&"al09-queue") && names.contains(&"own-while-if") && !names.contains(&"al09-packet"),
        "{names:?}"
    );
    assert!(folder.prints("simulate --operations one.txt --efficiency -q").contains("diffuse (closest-hit)"));
}

#[test]
fn operations_that_are_wrong_or_do_not_fit_are_refused_in_a_line() {
    let folder = folder();
    folder.file("good.txt", "raywarp-operations 1\nlaunch a closest direct/while-while/bvh2\nv.\n");
    folder.file("mac.txt", "raywarp-operations 1\rlaunch a closest direct/while-while/bvh2\rv.\r");
    folder.file("bad.txt", "raywarp-operations 1\nlaunch a closest direct/while-while/bvh2\nv.\nv+.\n");
    folder.file(
        "four.txt",
        "raywarp-operations 1\nlaunch a closest direct/while-while/bvh2?box=integer&planes=plain\nv.\n",
    );
    for (options, status, names) in [
        ("--operations good.txt", 2, &["--efficiency", "--machine"][..]),
        ("--operations missing.txt --efficiency", 3, &["missing.txt"]),
        ("--operations bad.txt --efficiency", 3, &["bad.txt: line 4, letter 3: "]),
        ("--operations scattered.obj --efficiency", 3, &["scattered.obj: line 1: "]),
        ("--operations good.txt --efficiency --variant al09-packet", 2, &["packet"]),
        ("--operations good.txt --efficiency --variant l9-mbvh", 2, &["direct/while-while/bvh2"]),
        ("--operations four.txt --efficiency", 2, &["--variant"]),
        ("--operations good.txt --efficiency --max-leaf 4", 2, &["--max-leaf", "--operations"]),
        ("scattered.obj --operations good.txt --efficiency", 2, &["--operations"]),
        ("--operations good.txt --efficiency --sample 3", 2, &["--operations", "--sample"]),
        ("--operations good.txt --experiment queue", 2, &["--operations", "--efficiency"]),
        ("--operations good.txt --efficiency --scenes . --at 3", 2, &["--operations", "--scenes", "--at"]),
        ("--operations good.txt --efficiency --light-units auto", 2, &["--operations", "--light-units"]),
        ("--operations - --efficiency", 2, &["-: ", "./-"]),
        ("--operations good.txt --machine h200 --set l1.line_bytes=64", 2, &["--set", "l1.line_bytes"]),
        ("--operations mac.txt --efficiency", 3, &["mac.txt: line 1: ", "carriage return"]),
        ("scattered.obj --efficiency --variant al09-packet --export-operations out.txt", 2, &["packet"]),
        ("scattered.obj --efficiency --export-operations views.toml", 5, &["views.toml"]),
        ("scattered.obj --efficiency --export-operations scattered.obj", 2, &["scattered.obj"]),
    ] {
        folder.refuses(&format!("simulate {options} -q"), status, names);
    }
    assert!(!folder.at("out.txt").exists());
    let said =
        folder.prints("simulate --operations good.txt --machine h200 --variant al09-while-while,own-while-if -q");
    let line = said.lines().find(|line| line.starts_with("own-while-if ")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("no code"), "{}", text(said.as_bytes()));
}

#[test]
fn a_launch_without_rays_has_no_row_and_lines_may_end_as_on_windows() {
    let folder = folder();
    let launch = "closest direct/while-while/bvh2";
    let text = format!("raywarp-operations 1\nlaunch empty {launch}\nlaunch full {launch}\nv.\n");
    folder.file("unix.txt", &text);
    folder.file("windows.txt", text.replace('\n', "\r\n"));
    for mode in ["--efficiency", "--machine h200"] {
        let rows =
            |file: &str| rows(&folder.json(&format!("simulate --operations {file} {mode} --variant al09-if-if")));
        assert_eq!((rows("unix.txt").len(), rows("windows.txt")), (1, rows("unix.txt")), "{mode}");
    }
    let said = folder.says("simulate --operations unix.txt --efficiency --variant al09-if-if");
    assert!(said.contains("launch empty "), "{said}");
}
