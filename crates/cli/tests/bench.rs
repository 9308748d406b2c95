//! `raywarp bench` as a user meets it.

use crate::common_folder::{Folder, document, text};
use std::fmt::Write;

/// A folder with two scenes and viewpoints of them.
fn folder() -> Folder {
    let view = |eye: &str| format!("eye = {eye}\ntarget = [8, 0, 8]\nup = [0, 1, 0]\nvfov = 60\n");
    let views =
        format!("[[hills]]\n{}[[hills]]\n{}[[steps]]\n{}", view("[8, 9, 0]"), view("[0, 6, 8]"), view("[8, 9, 0]"));
    let hills = grid(|x, z| f64::from((x * 7 + z * 13) % 5) * 0.2);
    Folder::with_files([("hills.obj", hills), ("steps.obj", grid(|x, _| f64::from(x % 2))), ("views.toml", views)])
}

/// 16 x 16 squares at some heights.
fn grid(height: impl Fn(i32, i32) -> f64) -> String {
    let mut text = String::new();
    for z in 0..=16 {
        for x in 0..=16 {
            writeln!(text, "v {x} {} {z}", height(x, z)).unwrap();
        }
    }
    for z in 0..16 {
        for x in 0..16 {
            let a = z * 17 + x + 1;
            writeln!(text, "f {a} {} {}\nf {} {} {}", a + 1, a + 17, a + 1, a + 18, a + 17).unwrap();
        }
    }
    text
}

const SMALL: &str = "--device cpu --scenes . --size 32x24 --runs 2 --warmup 0 --check all";

#[test]
fn several_kernels_on_several_scenes_give_tables_and_files() {
    let folder = folder();
    let line = format!("bench hills steps --variant cpu,al09-while-while,ykl17 {SMALL} --csv out.csv --record run");
    let output = folder.run(&line);
    let (said, text) = (text(&output.stderr), text(&output.stdout));
    assert!(output.status.success(), "{said}");
    assert!(text.contains("hills: 512 ") && text.contains(" 32 x 24, ") && text.contains(" 1 2; "), "{text}");
    // In its scene's table, and in a summary for each kind.
    for name in ["cpu ", "al09-while-while ", "ykl17 "] {
        assert_eq!(text.lines().filter(|line| line.starts_with(name)).count(), 2 + 3, "{name}: {text}");
    }
    assert!(said.contains("hills: ykl17: "), "{said}");
    // All views, two of hills and one of steps, for three kernels and kinds.
    assert_eq!(folder.text("out.csv").lines().count(), 1 + 9 * (1 + 2 + 1 + 1));
    assert_eq!(folder.text("run/bench.csv"), folder.text("out.csv"));
    assert!(folder.text("run/README.md").contains("All hits passed their checks."));
    let document: serde_json::Value = serde_json::from_str(&folder.text("run/bench.json")).unwrap();
    assert_eq!((&document["pass"], document["scenes"].as_array().unwrap().len()), (&true.into(), 2));
}

#[test]
fn json_has_every_ray_checked() {
    let folder = folder();
    let output = folder.run(&format!("bench hills --views 2 --kind ao --json -q --variant al09-if-if {SMALL}"));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let document = document(&output);
    let (scene, row) = (&document["scenes"][0], &document["scenes"][0]["rows"][0]);
    assert_eq!(
        (&scene["views"][0], &row["name"], &row["check"]["differ"]),
        (&2.into(), &"al09-if-if".into(), &0.into())
    );
    assert_eq!(row["check"]["checked"], row["check"]["rays"]);
    assert!(row["mrays"]["median"].as_f64().unwrap() > 0.0 && row["check"]["hits"].as_u64().is_some());
}

#[test]
fn suites_set_what_is_not_named() {
    let folder = folder();
    let document = |line: &str| folder.json(&format!("{line} -q {SMALL}"));
    let scene = &document("bench hills --suite table1 --views 1 --rays-per-pixel 2")["scenes"][0];
    assert_eq!((&scene["workload"], scene["rows"].as_array().unwrap().len()), (&"al09".into(), 7 * 3));
    let scene = &document("bench hills --suite all-views --variant cpu")["scenes"][0];
    assert_eq!((&scene["one_launch"], &scene["columns"][0]["rays"]), (&true.into(), &(2 * 32 * 24).into()));
    let scene = &document("bench hills --suite sorted --variant cpu --views 1")["scenes"][0];
    let orders: Vec<_> = scene["columns"].as_array().unwrap().iter().map(|c| c["order"].clone()).collect();
    assert_eq!(orders, ["workload", "sorted", "workload", "sorted"]);
}

#[test]
fn rays_can_be_kept_and_traced_again() {
    let folder = folder();
    let line = format!("bench hills --views 1 --kind primary,diffuse --rays-per-pixel 3 --export-rays rays {SMALL}");
    assert!(folder.run(&line).status.success());
    let document = folder.json("trace hills.obj rays/hills-view1-primary.npy -o hits.npy");
    assert_eq!(document["rays"], 32 * 24);
    let hits = document["hits"].as_u64().unwrap();
    let document = folder.json("trace hills.obj rays/hills-view1-diffuse.npy -o hits.npy");
    assert_eq!(document["rays"].as_u64().unwrap(), 3 * hits);
}

#[test]
fn the_fastest_alone_can_be_printed() {
    let folder = folder();
    let output = folder.run(&format!("bench hills --kind ao --top 1 --variant cpu,al09-if-if,g14 {SMALL} -q"));
    let text = text(&output.stdout);
    assert_eq!(text.lines().filter(|line| ["cpu", "al09", "g14"].iter().any(|name| line.starts_with(name))).count(), 1);
    assert!(text.contains("(2 more)"), "{text}");
}

#[test]
fn trees_and_leaf_sizes_are_lines_of_a_table() {
    let folder = folder();
    let line = format!("bench hills --kind ao --variant al09-if-if --trees balanced,best --leaf-size 1,4 {SMALL} -q");
    let output = folder.run(&line);
    let text = text(&output.stdout);
    for name in ["balanced leaf 1", "balanced leaf 4", "best leaf 1", "best leaf 4"] {
        assert_eq!(text.matches(&format!("\nal09-if-if {name} ")).count(), 1, "{text}");
    }
}

#[test]
fn what_is_wrong_with_the_command_is_said() {
    let folder = folder();
    let fails = |line: &str, status, parts: &[&str]| folder.refuses(&format!("{line} {SMALL} -q"), status, parts);
    fails("bench", 2, &["raywarp: "]);
    fails("bench hills --suite fairy", 2, &["table1", "bar"]);
    fails("bench hills --variant direct/packet/wide4", 2, &["bvh2"]);
    fails("bench hills --variant fast", 2, &["fast"]);
    fails("bench hills --views 3", 2, &["--views 3", "hills"]);
    fails("bench hills --views 1 --view views.toml:hills:1", 2, &["--view"]);
    fails("bench hills --kind glossy", 2, &["primary", "ao", "diffuse"]);
    fails("bench hills --shuffle --sort morton", 2, &["--shuffle"]);
    fails("bench hills --leaf-size 0", 2, &["0"]);
    fails("bench hills --traversal-cost=-1", 2, &["traversal_cost"]);
    fails("bench hills castle", 3, &["castle"]);
    fails("bench hills --csv nowhere/out.csv", 5, &["nowhere"]);
    fails("bench hills --record hills.obj", 5, &["hills.obj"]);
    folder.succeeds(&format!("bench hills --variant al09-if-if,direct/if-if/bvh2?sync=implicit -q --kind ao {SMALL}"));
    // Its tables, without a number in them, come before the error.
    let none = folder.run(&format!("bench hills --variant direct/if-if/bvh2?sync=implicit {SMALL} -q"));
    let said = text(&none.stderr);
    assert!(none.status.code() == Some(4) && said.starts_with("raywarp: ") && said.lines().count() == 1, "{said}");
    fails("bench hills --block-threads 64", 4, &["--block-threads", "GPU"]);
    fails("bench hills --max-registers 32", 4, &["--max-registers", "GPU"]);
    for wrong in [
        "--block-threads 48",
        "--block-threads 2048",
        "--max-registers 8",
        "--check 0",
        "--check some",
        "--runs 0",
        "--top 0",
    ] {
        folder.refuses(&format!("bench hills --device cpu --scenes . -q {wrong}"), 2, &[&wrong[..5]]);
    }
}

#[test]
fn without_a_gpu_cuda_is_refused_and_auto_goes_on() {
    let folder = folder();
    let rest = "bench hills --scenes . --size 8x8 --runs 1 --warmup 0 --kind primary";
    // A machine with GPUs shows none of them then.
    let run = |line: &str| folder.command(line).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let output = run(&format!("{rest} --device cuda"));
    assert_eq!(output.status.code(), Some(4));
    let said = text(&output.stderr);
    assert!(said.lines().count() == 1 && said.contains("--device cuda: "), "{said}");
    let output = run(rest);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.lines().filter(|line| line.ends_with(" CPU")).count(), 1, "{said}");
}
