//! `render --export-rays` and `bench --rays` as a user meets them.

use crate::common_folder::{Folder, text};
use serde_json::Value;

/// A floor with a wall on its left half, under an open sky: paths leave, soon or late.
const CORNER: &str = "v -4 0 -4\nv 4 0 -4\nv 4 0 4\nv -4 0 4\nv -4 5 -4\nv 0 5 -4\nv 0 0 -4\nf 4 3 2 1\nf 1 7 6 5\n";
const VIEW: &str = "[[corner]]\neye = [3, 4, 9]\ntarget = [0, 1, 0]\nup = [0, 1, 0]\nvfov = 40\n";
const RENDER: &str = "render corner.obj --view views.toml:corner:1 --size 64x48 --spp 1 --sampler padded-halton --clay 0.7 \
    --light white -q";
const BENCH: &str = "bench corner.obj --device cpu --runs 2 --warmup 0 --check all";

/// A folder with the scene and its viewpoint.
fn folder() -> Folder {
    Folder::with_files([("corner.obj", CORNER), ("views.toml", VIEW)])
}

/// Names of the files in a folder of rays.
fn ray_files(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.at(name)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Rays of the files with one query, bounce by bounce.
fn counts(document: &Value, query: &str) -> Vec<u64> {
    let files = document["ray_files"].as_array().unwrap().iter().filter(|file| file["query"] == query);
    files.map(|file| file["rays"].as_u64().unwrap()).collect()
}

#[test]
fn rays_of_each_bounce_are_those_of_the_paths_for_any_number_of_threads() {
    let folder = folder();
    // So large that threads come to different tiles at once.
    let render = RENDER.replace("64x48", "320x240");
    let document = folder.json(&format!("{render} --export-rays one --threads 1"));
    // Every ray that the render counts is in some file.
    let [closest, any] = ["closest", "any"].map(|query| counts(&document, query));
    assert_eq!(document["rays"].as_u64(), Some(closest.iter().chain(&any).sum()));
    // As many paths extend at each bounce as the experiment counts.
    let paths = folder.json(
        "simulate corner.obj --experiment compaction --view views.toml:corner:1 --size 320x240 --max-depth 8 -q --width 32",
    );
    let bounces = paths["counts"][0]["bounces"].as_array().unwrap();
    let active: Vec<u64> = bounces.iter().map(|bounce| bounce["paths"].as_u64().unwrap()).collect();
    assert_eq!(closest, active);
    assert!(closest[0] == 320 * 240 && closest.len() > 3 && closest[3] > 0, "{closest:?}");
    // Each file has 32 bytes a ray behind its header.
    for file in document["ray_files"].as_array().unwrap() {
        let bytes = folder.read(file["file"].as_str().unwrap());
        assert_eq!(bytes.len() as u64, 128 + 32 * file["rays"].as_u64().unwrap());
    }
    for (threads, other) in [(2, "two"), (3, "three")] {
        folder.prints(&format!("{render} --export-rays {other} --threads {threads}"));
        let names = ray_files(&folder, "one");
        assert_eq!(ray_files(&folder, other), names);
        for name in names {
            let [first, same] = ["one", other].map(|at| folder.read(&format!("{at}/{name}")));
            assert!(first == same, "{name} with {threads} threads");
        }
    }
}

#[test]
fn the_picture_is_the_same_and_later_samples_write_no_rays() {
    let folder = folder();
    folder.prints(&format!("{RENDER} --spp 3 -o a.exr").replace("--spp 1 ", ""));
    let said = folder
        .prints(&format!("{RENDER} --spp 3 -o b.exr --export-rays rays").replace("--spp 1 ", "").replace(" -q", ""));
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("wrote ") && last.contains(" rays: "), "{said}");
    let distance = folder.json("diff a.exr b.exr");
    assert_eq!(distance["equal"], true, "{distance}");
    assert_eq!(folder.read("rays/bounce-00.npy").len(), 128 + 32 * 64 * 48);
    folder.prints(&format!("{RENDER} --spp 3 --export-rays rays --export-samples 2").replace("--spp 1 ", ""));
    let twice = folder.read("rays/bounce-00.npy");
    assert_eq!(twice.len(), 128 + 2 * 32 * 64 * 48);
}

#[test]
fn files_of_rays_are_rows_of_every_report() {
    let folder = folder();
    let document = folder.json(&format!("{RENDER} --export-rays rays --max-depth 2"));
    let files = "--rays rays/bounce-00.npy,rays/shadow-01.npy";
    let text = folder.prints(&format!("{BENCH} {files} --variant cpu,al09-while-while --csv out.csv --record run -q"));
    assert!(text.contains("corner: 4 "), "{text}");
    let head = text.lines().find(|line| line.starts_with("Mrays/s  ")).unwrap();
    let words: Vec<&str> = head.split_whitespace().collect();
    assert!(words.starts_with(&["Mrays/s", "bounce-00"]) && words.contains(&"shadow-01"), "{head}");
    assert!(words.contains(&"together"), "{head}");
    assert_eq!(
        text.lines().filter(|line| ["cpu ", "al09-while-while "].iter().any(|n| line.starts_with(n))).count(),
        2
    );
    let csv = folder.text("out.csv");
    assert_eq!(folder.read("run/bench.csv"), csv.as_bytes());
    let starts = ["corner,file,bounce-00,file,all,cpu,", "corner,file,shadow-01,file,all,al09-while-while,"];
    assert!(csv.lines().count() == 5 && starts.iter().all(|start| csv.contains(start)), "{csv}");
    let readme = folder.text("run/README.md");
    assert!(readme.contains("shadow-01") && readme.contains("All hits passed"), "{readme}");

    let of = |line: &str| folder.json(&format!("{BENCH} {files} -q {line}"))["scenes"][0].clone();
    let scene = of("");
    let [rays, hits] = ["rays", "hits"].map(|key| [0, 1].map(|row| scene["rows"][row]["check"][key].as_u64().unwrap()));
    assert_eq!(rays, [counts(&document, "closest")[0], counts(&document, "any")[1]]);
    assert_eq!([0, 1].map(|column| scene["columns"][column]["query"].clone()), ["closest", "any"]);
    assert!(hits[0] > 0 && hits[0] < rays[0] && scene["together"][0]["mrays"].as_f64() > Some(0.0), "{scene}");
    // The paths that went on hit something: at least as many rays as the next bounce has.
    assert!(hits[0] >= counts(&document, "closest")[1]);
    assert_eq!(of("--query any")["columns"][0]["query"], "any");
    assert_eq!(of("--sort morton")["columns"][1]["order"], "sorted");
    assert_eq!(of("--shuffle")["rows"][0]["check"]["hits"], hits[0]);
    // Of one name in two folders.
    folder.prints(&format!("{RENDER} --export-rays other"));
    let twice = folder.json(&format!("{BENCH} --rays rays/bounce-00.npy,other/bounce-00.npy -q"));
    assert_eq!(twice["scenes"][0]["columns"][1]["kind"], "other/bounce-00");
}

#[test]
fn rays_that_cannot_be_timed_are_refused_in_a_line() {
    let folder = folder();
    folder.prints(&format!("{RENDER} --export-rays rays"));
    let good = folder.read("rays/bounce-00.npy");
    let with = |name: &str, number: usize, value: f32| {
        let mut bytes = good.clone();
        bytes[128 + 32 * 5 + 4 * number..][..4].copy_from_slice(&value.to_le_bytes());
        folder.file(name, &bytes);
    };
    with("nan.npy", 4, f32::NAN);
    with("infinite.npy", 0, f32::INFINITY);
    with("behind.npy", 3, -1.0);
    let header = |name: &str, from: &str, to: &str| {
        let (head, data) = good.split_at(128);
        let head = String::from_utf8_lossy(&head[10..]).replace(from, to);
        let mut bytes = good[..10].to_vec();
        bytes.extend(format!("{:<117}\n", head.trim_end()).bytes());
        bytes.extend(data);
        folder.file(name, &bytes);
    };
    header("shape.npy", "(3072, 8)", "(8192, 3)");
    header("type.npy", "<f4", "<i4");
    header("empty.npy", "(3072, 8)", "(0, 8)");
    header("none.npy", "", "");
    folder.file("empty.npy", &folder.read("empty.npy")[..128]);
    folder.file("cut.npy", &good[..good.len() - 7]);
    folder.file("text.npy", "1 2 3\n");
    for (file, parts) in [
        ("nan.npy", &["byte 300: ", " 5 "][..]),
        ("infinite.npy", &["byte 300: ", " 5 "]),
        ("behind.npy", &["byte 300: ", " 5 ", "t_min"]),
        ("shape.npy", &["(8192, 3)"]),
        ("type.npy", &["<i4"]),
        ("empty.npy", &[]),
        ("cut.npy", &["byte ", " 3072 "]),
        ("text.npy", &["byte 0: ", ".npy"]),
        ("missing.npy", &[]),
    ] {
        let parts: Vec<&str> = parts.iter().copied().chain([file]).collect();
        folder.refuses(&format!("{BENCH} --rays rays/bounce-00.npy,{file}"), 3, &parts);
    }
    let files = "--rays rays/bounce-00.npy";
    folder.refuses(&format!("{BENCH} corner.obj {files}"), 2, &["--rays"]);
    folder.refuses(&format!("{BENCH} {files},rays/bounce-00.npy"), 2, &["rays/bounce-00.npy"]);
    folder.refuses(&format!("{BENCH} {files} --csv rays/bounce-00.npy"), 2, &["rays/bounce-00.npy"]);
    for other in ["--kind ao", "--suite table1", "--size 8x8", "--simulate", "--workload al09", "--export-rays x"] {
        folder.refuses(&format!("{BENCH} {files} {other}"), 2, &["--rays", &other[..6]]);
    }
    folder.refuses(&format!("{BENCH} --query any"), 2, &["--rays"]);
    folder.refuses(&format!("{BENCH} {files} --query all"), 2, &["closest"]);
}

#[test]
fn an_export_replaces_only_an_export() {
    let folder = folder();
    let fails = |options: &str, status, parts: &[&str]| folder.refuses(&format!("{RENDER} {options}"), status, parts);
    fails("--export-rays rays --integrator ao", 2, &["--export-rays", "--integrator"]);
    fails("--export-samples 2", 2, &["--export-rays"]);
    fails("--export-rays corner.obj", 5, &["corner.obj"]);
    folder.file("rays/shadow-01.npy", b"somebody's notes");
    fails("--export-rays rays", 5, &["rays/shadow-01.npy"]);
    assert_eq!(ray_files(&folder, "rays"), ["shadow-01.npy"]);
    assert!(!folder.at("corner.png").exists(), "refused before the render");
    folder.file("rays/shadow-01.npy", b"");
    folder.prints(&format!("{RENDER} --export-rays rays"));
    fails("-o new.png --export-rays rays --no-clobber", 5, &["rays/bounce-00.npy", "--no-clobber"]);
    // What an earlier, deeper render left is named, and stays.
    let before = ray_files(&folder, "rays");
    let output = folder.run(&format!("{RENDER} --export-rays rays --max-depth 1").replace(" -q", ""));
    let said = text(&output.stderr);
    assert!(output.status.success() && said.contains(": rays/bounce-02.npy, "), "{said}");
    assert_eq!(ray_files(&folder, "rays"), before);
}
