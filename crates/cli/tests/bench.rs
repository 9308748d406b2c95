//! `raywarp bench` as a user meets it.

use std::fmt::Write;
use std::process::{Command, Output};

/// A folder of its own for one test, with two scenes; removed at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hills.obj"), grid(|x, z| f64::from((x * 7 + z * 13) % 5) * 0.2)).unwrap();
        std::fs::write(folder.path().join("steps.obj"), grid(|x, _| f64::from(x % 2))).unwrap();
        let view = |eye: &str| format!("eye = {eye}\ntarget = [8, 0, 8]\nup = [0, 1, 0]\nvfov = 60\n");
        let views =
            format!("[[hills]]\n{}[[hills]]\n{}[[steps]]\n{}", view("[8, 9, 0]"), view("[0, 6, 8]"), view("[8, 9, 0]"));
        std::fs::write(folder.path().join("views.toml"), views).unwrap();
        Self(folder)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        command.current_dir(&self.0).env_remove("RAYWARP_SCENES").args(line.split_whitespace());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }
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

#[track_caller]
fn check_fails(folder: &Folder, line: &str, status: i32, named: &[&str]) {
    let output = folder.run(line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{line}: {said}");
    assert!(named.iter().all(|name| said.contains(name)), "{line}: {said}");
}

#[test]
fn several_kernels_on_several_scenes_give_tables_and_files() {
    let folder = Folder::new();
    let line = format!("bench hills steps --variant cpu,al09-while-while,ykl17 {SMALL} --csv out.csv --record run");
    let output = folder.run(&line);
    let (said, text) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{said}");
    assert!(text.contains("hills: 512 triangles; workload raywarp, 32 x 24, views 1 2; "), "{text}");
    // In its scene's table, and in a summary for each kind.
    for name in ["cpu ", "al09-while-while ", "ykl17 "] {
        assert_eq!(text.lines().filter(|line| line.starts_with(name)).count(), 2 + 3, "{name}: {text}");
    }
    assert!(said.contains("hills: ykl17: primary "), "{said}");
    // All views, two of hills and one of steps, for three kernels and kinds.
    assert_eq!(folder.read("out.csv").lines().count(), 1 + 9 * (1 + 2 + 1 + 1));
    assert_eq!(folder.read("run/bench.csv"), folder.read("out.csv"));
    assert!(folder.read("run/README.md").contains("All hits passed their checks."));
    let document: serde_json::Value = serde_json::from_str(&folder.read("run/bench.json")).unwrap();
    assert_eq!((&document["pass"], document["scenes"].as_array().unwrap().len()), (&true.into(), 2));
}

#[test]
fn json_has_every_ray_checked() {
    let folder = Folder::new();
    let output = folder.run(&format!("bench hills --views 2 --kind ao --json -q --variant al09-if-if {SMALL}"));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
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
    let folder = Folder::new();
    let document = |line: &str| -> serde_json::Value {
        let output = folder.run(&format!("{line} --json -q {SMALL}"));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    };
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
    let folder = Folder::new();
    let line = format!("bench hills --views 1 --kind primary,diffuse --rays-per-pixel 3 --export-rays rays {SMALL}");
    assert!(folder.run(&line).status.success());
    let output = folder.run("trace hills.obj rays/hills-view1-primary.npy -o hits.npy --json");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["rays"], 32 * 24);
    let hits = document["hits"].as_u64().unwrap();
    let output = folder.run("trace hills.obj rays/hills-view1-diffuse.npy -o hits.npy --json");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["rays"].as_u64().unwrap(), 3 * hits);
}

#[test]
fn the_fastest_alone_can_be_printed() {
    let folder = Folder::new();
    let output = folder.run(&format!("bench hills --kind ao --top 1 --variant cpu,al09-if-if,g14 {SMALL} -q"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().filter(|line| ["cpu", "al09", "g14"].iter().any(|name| line.starts_with(name))).count(), 1);
    assert!(text.contains("(2 more)"), "{text}");
}

#[test]
fn trees_and_leaf_sizes_are_lines_of_a_table() {
    let folder = Folder::new();
    let line = format!("bench hills --kind ao --variant al09-if-if --trees balanced,best --leaf-size 1,4 {SMALL} -q");
    let output = folder.run(&line);
    let text = String::from_utf8_lossy(&output.stdout);
    for name in ["balanced leaf 1", "balanced leaf 4", "best leaf 1", "best leaf 4"] {
        assert_eq!(text.matches(&format!("\nal09-if-if {name} ")).count(), 1, "{text}");
    }
}

#[test]
fn what_is_wrong_with_the_command_is_said() {
    let folder = Folder::new();
    let fails = |line: &str, status, parts: &[&str]| check_fails(&folder, &format!("{line} {SMALL}"), status, parts);
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
    fails("bench hills --variant al09-if-if,direct/if-if/bvh2?sync=implicit --json -q --kind ao", 0, &[]);
    fails("bench hills --variant direct/if-if/bvh2?sync=implicit", 4, &["raywarp: "]);
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
        check_fails(&folder, &format!("bench hills --device cpu --scenes . {wrong}"), 2, &[&wrong[..5]]);
    }
}

#[test]
fn without_a_gpu_cuda_is_refused_and_auto_goes_on() {
    let folder = Folder::new();
    let rest = "bench hills --scenes . --size 8x8 --runs 1 --warmup 0 --kind primary";
    // A machine with GPUs shows none of them then.
    let run = |line: &str| folder.command(line).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let output = run(&format!("{rest} --device cuda"));
    assert_eq!(output.status.code(), Some(4));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.lines().count() == 1 && said.contains("--device cuda: "), "{said}");
    let output = run(rest);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.lines().filter(|line| line.ends_with(" CPU")).count(), 1, "{said}");
}
