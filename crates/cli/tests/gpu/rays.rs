//! Rays that GPUs trace: the CPU's hits, also of rays that are aimed at edges.

use super::place::{AGAIN, H8, Place, place, rays};
use crate::common_folder::text;
use crate::common_rays::npy;

#[test]
fn a_gpu_answers_rays_as_the_cpu_does() {
    let Some(place) = place() else { return };
    for any in ["", "--any"] {
        for device in ["cpu", "cuda"] {
            let output = place.run(&format!("trace scene.obj rays.npy --device {device} {any} -o {device}.npy"), &[]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
        assert!(place.read("cpu.npy") == place.read("cuda.npy"), "{any}");
    }
    // A kernel by name, on the GPU and on the CPU.
    for (device, file) in [("cuda", "gpu-row.npy"), ("cpu", "cpu-row.npy")] {
        let line = format!("trace scene.obj rays.npy --device {device} --variant watertight -o {file}");
        assert_eq!(place.run(&line, &[]).status.code(), Some(0));
    }
    assert!(place.read("gpu-row.npy") == place.read("cpu-row.npy"));
}

/// Traces the rays by the CPU and by `device`, in both queries, and compares.
fn traces_as_the_cpu(place: &Place, device: &str, settings: &[(&str, u64)]) {
    for any in ["", "--any"] {
        let cpu = place.run(&format!("trace scene.obj rays.npy --device cpu {any} -o shared-cpu.npy"), &[]);
        assert_eq!(cpu.status.code(), Some(0), "{}", text(&cpu.stderr));
        let line = format!("trace scene.obj rays.npy --device {device} {any} -o shared.npy");
        let output = place.run(&line, settings);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
        assert!(place.read("shared.npy") == place.read("shared-cpu.npy"), "{line}: other hits");
    }
}

#[test]
fn several_gpus_share_rays_and_answer_in_their_order() {
    let Some(place) = place() else { return };
    let three = [("DEVICES", 3)];
    for device in ["cuda:0,1", "cuda:2,0", "cuda:all", "cuda:1,0,2 --variant watertight", "cuda:all --variant auto"] {
        traces_as_the_cpu(place, device, &three);
    }
    let report = |device: &str| {
        let line = format!("trace scene.obj rays.npy --device {device} --json -o shared.npy");
        let output = place.run(&line, &three);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}"))
    };
    for (device, machine) in [("cuda", "cuda:0"), ("cuda:2,0", "cuda:2,0"), ("cuda:all", "cuda:0,1,2")] {
        let report = report(device);
        assert_eq!((&report["machine"], &report["rays"]), (&machine.into(), &2500.into()), "{device}");
    }
    // One that is not there, and one that fails: a line with its name, status 4, and no file.
    for (device, settings, begin, name) in [
        ("cuda:0,3", &three[..], "raywarp: --device cuda:0,3: ", " 3; 3 "),
        ("cuda:all", &[("DEVICES", 0)], "raywarp: --device cuda:all: ", " 0; 0 "),
        ("cuda:1,0", &[("DEVICES", 2), ("MEMORY_0", 9000)], "raywarp: scene.obj: cuda:0: ", " 1 MiB"),
    ] {
        let output = place.run(&format!("trace scene.obj rays.npy --device {device} -o lost.npy"), settings);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        let is_named = |line: &str| line.starts_with(begin) && line.contains(name);
        assert!(said.lines().any(is_named) && said.lines().count() <= 2, "{said}");
        assert!(!place.folder.join("lost.npy").exists());
    }
    // Commands that use one still say so.
    for command in ["bench scene.obj", "selftest"] {
        let output = place.run(&format!("{command} --device cuda:0,1"), &three);
        assert!(text(&output.stderr).contains("--device cuda:0,1"), "{command}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_gpu_is_tested_with_rays_that_it_aims_itself() {
    let Some(place) = place() else { return };
    let output = place.run("selftest --device cuda --variant raywarp-h8 --aimed 1.3e3 --spp 1", &[]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("PASS: 0 of 1,300 "), "{said}");
    assert!(words.contains("PASS: wavefront ") && words.contains(" 6144 of 6144 "), "{said}");
    let output = place.run("selftest --device cpu --aimed 1300", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("raywarp: --aimed ") && message.contains("--device cuda"), "{message}");
}

#[test]
fn the_tree_is_the_one_for_gpus_where_nobody_asks_for_another() {
    let Some(place) = place() else { return };
    let report = |line: &str| {
        let output = place.run_on_h8(&format!("{line} --json"), &[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    // Ten passes of reinsertion, and no cuts, which would not pay: preset gpu; the same with cuts; and good, and the CPU's.
    for (options, tree) in [
        ("cuda", ("binned", 10, 1)),
        ("cuda --variant auto", ("binned", 10, 1)),
        ("cuda --preset single-split-inner", ("sbvh", 10, 1)),
        ("cuda --preset good", ("binned", 8, 1)),
        ("cpu", ("binned", 0, 8)),
    ] {
        let document = report(&format!("trace scene.obj rays.npy --device {options} -o tree.npy"));
        let [builder, passes, leaf] = ["builder", "reinsertion", "max_leaf"].map(|key| &document[key]);
        assert_eq!((builder, passes, leaf), (&tree.0.into(), &tree.1.into(), &tree.2.into()), "{options}");
    }
    let line = "bench scene.obj --device cuda --runs 1 --warmup 0 --size 16x12 --rays-per-pixel 1";
    let tree_of = |options: &str| report(&format!("{line} {options}"))["scenes"][0]["trees"][0]["name"].clone();
    assert_eq!(tree_of("--variant auto"), "gpu");
    assert_eq!(tree_of("--variant raywarp-h8"), "good");
}

#[test]
fn rays_from_far_outside_are_traced_again_and_the_last_line_says_how_many() {
    let Some(place) = place() else { return };
    // From 40 sizes of the scene away, and beside those as many from near.
    let far = rays().into_iter().map(|[x, y, ..]| [x, y, 500.0, 0.0, 0.0, 0.0, -1.0, f32::INFINITY]);
    let both: Vec<[f32; 8]> = rays().into_iter().chain(far).collect();
    std::fs::write(place.folder.join("far.npy"), npy(&both)).unwrap();
    for any in ["", "--any"] {
        let trace = |options: &str| {
            let output = place.run_on_h8(&format!("trace scene.obj {options} {any} -o outside.npy"), &[]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            (text(&output.stdout), place.read("outside.npy"))
        };
        let (said, right) = trace("far.npy --device cpu");
        assert!(!said.contains(" again "), "{said}");
        for device in ["cuda", "cuda --variant raywarp-h8-direct"] {
            let (said, hits) = trace(&format!("far.npy --device {device}"));
            assert!(hits == right && said.contains(" 2500 traced "), "{said}");
            let (said, _) = trace(&format!("rays.npy --device {device}"));
            assert!(!said.contains("again"), "{said}");
        }
        // By name: with -v, and for programs.
        let output =
            place.run_on_h8(&format!("trace scene.obj far.npy --device cuda {any} -v --json -o outside.npy"), &[]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let kernel = |name: &str| serde_json::json!({ "kernel": name, "rays": 2500 });
        assert_eq!(document["kernels"], serde_json::Value::from(vec![kernel(H8), kernel(AGAIN)]));
        let line = format!("raywarp: answered by {H8} (2500 rays), {AGAIN} (2500 rays)");
        assert!(text(&output.stderr).lines().any(|said| said == line), "{}", text(&output.stderr));
    }
}
