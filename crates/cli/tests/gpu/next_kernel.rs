//! Scenes and batches that go to another kernel than the one that was chosen.

use super::place::{AGAIN, CPU, H8, H8_DIRECT, H8_TWIN, Place, SIZE, WATERTIGHT, place, rays, scene};
use crate::common_folder::text;
use crate::common_rays::npy;
use std::process::Output;

#[test]
fn few_rays_get_the_kernel_of_a_ray_per_lane_where_nobody_names_one_and_the_same_hits() {
    let Some(place) = place() else { return };
    // 2500 rays are many for the two blocks that the pretended GPU runs at once, 400 are few.
    std::fs::write(place.folder.join("few.npy"), npy(&rays()[..400])).unwrap();
    for any in ["", "--any"] {
        for (file, by_size) in [("few.npy", H8_DIRECT), ("rays.npy", H8)] {
            let run = |options: &str| {
                let output =
                    place.run_on_h8(&format!("trace scene.obj {file} {any} {options} --json -o sized.npy"), &[]);
                assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
                let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                (document["variant"].as_str().unwrap_or_default().to_string(), place.read("sized.npy"))
            };
            let (_, right) = run("--device cpu");
            for (options, kernel) in [
                ("--device cuda", by_size),
                ("--device cuda --variant auto", by_size),
                // One that was named stays, however few rays there are.
                ("--device cuda --variant raywarp-h8", H8),
                ("--device cuda --variant raywarp-h8-direct", H8_DIRECT),
            ] {
                let (variant, hits) = run(options);
                assert_eq!(variant, kernel, "{file} {options}");
                assert!(hits == right, "{file} {options}: other hits");
            }
            // Whichever of the two that replace rays was found to be faster.
            let twin = place.run_on_twin(&format!("trace scene.obj {file} {any} --device cuda --json -o sized.npy"));
            let document: serde_json::Value = serde_json::from_slice(&twin.stdout).unwrap();
            assert_eq!(document["variant"], if by_size == H8 { H8_TWIN } else { H8_DIRECT }, "{file}");
            assert!(place.read("sized.npy") == right, "{file}: other hits of the twin");
        }
    }
}

/// Whether a line names the kernel that is taken instead of h8.
fn is_instead(line: &str) -> bool {
    line.starts_with("raywarp: watertight ") && line.contains(H8)
}

/// Whether a line says that the CPU traces.
fn is_of_cpu(line: &str) -> bool {
    line.starts_with("raywarp: the CPU ")
}

/// Whether a line is about the device that was asked for.
fn is_of_device(line: &str) -> bool {
    line.starts_with("raywarp: --device cuda")
}

/// As if h8 held no more than so many nodes and leaves.
const SMALL_H8: [(&str, u64); 1] = [("H8_BLOCKS", 20)];

#[test]
fn a_scene_that_h8_cannot_hold_goes_to_the_next_kernel_which_is_named() {
    let Some(place) = place() else { return };
    place.run("trace scene.obj rays.npy --device cpu -o small-cpu.npy", &[]);
    for device in ["cuda", "cuda --variant auto", "cuda:0,1"] {
        let line = format!("trace scene.obj rays.npy --device {device} --json -o small.npy");
        let output = place.run_on_h8(&line, &[SMALL_H8[0], ("DEVICES", 2)]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(place.read("small.npy") == place.read("small-cpu.npy"), "{line}");
        assert_eq!(said.lines().filter(|line| is_instead(line)).count(), 1, "{said}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["variant"], WATERTIGHT);
        assert_eq!(document["kernels"], serde_json::json!([{ "kernel": WATERTIGHT, "rays": 2500 }]));
    }
    // One that was named is not replaced.
    let output = place.run("trace scene.obj rays.npy --device cuda --variant raywarp-h8 -o small-none.npy", &SMALL_H8);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.starts_with("raywarp: scene.obj: ") && said.lines().count() == 1, "{said}");
    // Whole paths are of h8 alone: GPUs trace the rays, by what holds them, and the picture is the same.
    for (device, count) in [("cuda", 1), ("cuda:all", 2)] {
        let picture = format!("scene.obj {SIZE}");
        place.run(&format!("render --device cpu {picture} -o small-cpu.hdr"), &[]);
        let settings = [SMALL_H8[0], ("DEVICES", count)];
        let output = place.run_on_h8(&format!("render --device {device} {picture} --json -o small.hdr"), &settings);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        // Why no GPU shades, and which kernel traces instead of h8.
        assert_eq!(said.lines().filter(|line| is_of_device(line)).count(), 1, "{said}");
        assert_eq!(said.lines().filter(|line| is_instead(line)).count(), 1, "{said}");
        assert!(place.read("small.hdr") == place.read("small-cpu.hdr"), "{device}: another picture");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["devices"].as_array().map(Vec::len), Some(count as usize + 1), "{document}");
    }
    // Texture units would be another picture.
    let line = format!("render scene.obj --device cuda --texture-filter hardware {SIZE} -o small-none.hdr");
    assert_eq!(place.run(&line, &SMALL_H8).status.code(), Some(4));
}

#[test]
fn a_scene_too_large_for_whole_paths_is_traced_by_the_gpu_and_shaded_by_the_cpu() {
    let Some(place) = place() else { return };
    // Coordinates beyond 3e17: the path tracer's kernels refuse them, those that trace do not.
    let small = scene();
    let huge = small.lines().map(|line| match line.strip_prefix("v ") {
        Some(numbers) => format!("v {}\n", numbers.split(' ').map(|x| format!("{x}e18")).collect::<Vec<_>>().join(" ")),
        None => format!("{line}\n"),
    });
    std::fs::write(place.folder.join("huge.obj"), huge.collect::<String>()).unwrap();
    place.run(&format!("render huge.obj --device cpu {SIZE} -o huge-cpu.hdr"), &[]);
    let output = place.run(&format!("render huge.obj --device cuda {SIZE} -o huge.hdr"), &[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.lines().any(|line| is_of_device(line) && line.contains(" 3e17 ")), "{said}");
    assert!(place.read("huge.hdr") == place.read("huge-cpu.hdr"));
}

#[test]
fn a_scene_with_triangles_that_whole_paths_would_miss_is_traced_by_the_gpu_and_shaded_by_the_cpu() {
    let Some(place) = place() else { return };
    // A wall, and right before the camera a triangle so small that the path tracer's kernels do not see it.
    let scene = |size: &str| {
        format!(
            "LookAt 0 0 0  0 0 -1  0 1 0\nCamera \"perspective\" \"float fov\" [ 60 ]\nWorldBegin\n\
             LightSource \"infinite\" \"rgb L\" [ 1 1 1 ]\nMaterial \"diffuse\" \"rgb reflectance\" [ 0.9 0.1 0.1 ]\n\
             Shape \"trianglemesh\" \"point3 P\" [ -9 -9 -2  9 -9 -2  0 9 -2 ] \"integer indices\" [ 0 1 2 ]\n\
             Material \"diffuse\" \"rgb reflectance\" [ 0.1 0.9 0.1 ]\n\
             Shape \"trianglemesh\" \"point3 P\" [ -3{size} -3{size} -9{size}  3{size} -3{size} -9{size}  0 3{size} -9{size} ] \
             \"integer indices\" [ 0 1 2 ]\n"
        )
    };
    let mut pictures = Vec::new();
    for (size, whole) in [("e-3", true), ("e-20", false)] {
        std::fs::write(place.folder.join("tiny.pbrt"), scene(size)).unwrap();
        place.run(&format!("render tiny.pbrt --device cpu {SIZE} -o tiny-cpu.hdr"), &[]);
        let output = place.run(&format!("render tiny.pbrt --device cuda {SIZE} -o tiny.hdr"), &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(place.read("tiny.hdr") == place.read("tiny-cpu.hdr"), "{size}: another picture");
        let is_refused = |line: &str| is_of_device(line) && line.contains(" 3.6e-39,");
        assert_eq!(said.lines().any(is_refused), !whole, "{size}: {said}");
        pictures.push(place.read("tiny.hdr"));
    }
    // It is there in both: green before red.
    std::fs::write(place.folder.join("tiny.pbrt"), scene("e-3").replace(" -9e-3", " 9e-3")).unwrap();
    place.run(&format!("render tiny.pbrt --device cpu {SIZE} -o tiny.hdr"), &[]);
    assert!(pictures.iter().all(|picture| *picture != place.read("tiny.hdr")));
}

#[test]
fn bench_measures_the_next_kernel_where_h8_holds_a_scene_that_auto_chose_it_for_not() {
    let Some(place) = place() else { return };
    let line = "bench scene.obj --device cuda --runs 1 --warmup 0 --size 16x12 --rays-per-pixel 1 --json";
    let run = |options: &str| {
        let output = place.run_on_h8(&format!("{line} {options}"), &SMALL_H8);
        assert_eq!(output.status.code(), Some(0), "{options}: {}", text(&output.stderr));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = |list: &str, key: &str| -> Vec<String> {
            let list = document["scenes"][0][list].as_array().cloned().unwrap_or_default();
            list.iter().map(|row| row[key].as_str().unwrap_or_else(|| panic!("{document:#}")).to_string()).collect()
        };
        let mut measured = of("rows", "variant");
        measured.dedup();
        (measured, of("skipped", "why"))
    };
    let (measured, why) = run("--variant auto");
    assert_eq!(measured, [WATERTIGHT]);
    assert!(why.len() == 1 && why[0].contains("watertight"), "{why:?}");
    // Where that is measured anyway it is so once.
    let (measured, why) = run("--variant watertight,auto");
    assert!(measured == [WATERTIGHT] && why.len() == 1 && !why[0].contains("watertight"), "{measured:?} {why:?}");
    // One that was named is left out with the reason alone.
    let (measured, why) = run("--variant raywarp-h8,auto,al09-while-while");
    assert!(measured.len() == 1 && measured[0] != WATERTIGHT, "{measured:?}");
    assert!(why.len() == 1 && !why[0].contains("watertight"), "{why:?}");
}

/// Runs `trace`, whose hits have to be those that `--device cpu` finds: the kernels that answered with their rays, and what is said.
fn traces(
    place: &Place,
    files: &str,
    settings: &[(&str, u64)],
    run: impl Fn(&str) -> Output,
) -> (Vec<(String, u64)>, String) {
    let cpu = place.run(&format!("trace {files} --device cpu -o next-cpu.npy"), settings);
    assert_eq!(cpu.status.code(), Some(0), "{}", text(&cpu.stderr));
    let output = run(&format!("trace {files} --json -o next.npy"));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{files}: {said}");
    assert!(place.read("next.npy") == place.read("next-cpu.npy"), "{files}: other hits");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let part =
        |part: &serde_json::Value| (part["kernel"].as_str().unwrap().to_string(), part["rays"].as_u64().unwrap());
    (document["kernels"].as_array().unwrap().iter().map(part).collect(), said)
}

#[test]
fn a_tree_deeper_than_the_stack_of_h8_goes_to_the_next_kernel_and_one_deeper_than_all_to_the_cpu() {
    let Some(place) = place() else { return };
    type Case = (&'static [(&'static str, u64)], &'static str, fn(&str) -> bool);
    let settings: [Case; 2] =
        [(&[("H8_STACK", 1)], WATERTIGHT, is_instead), (&[("H8_STACK", 1), ("STACK", 1)], CPU, is_of_cpu)];
    for (settings, kernel, is_said) in settings {
        let run = |line: &str| place.run_on_h8(&format!("{line} --device cuda"), settings);
        let (kernels, said) = traces(place, "scene.obj rays.npy", settings, run);
        assert_eq!(kernels, [(kernel.to_string(), 2500)]);
        assert_eq!(said.lines().filter(|line| is_said(line)).count(), 1, "{said}");
    }
    // Pictures: the same, by whatever holds the scene, and no GPU is named where none traces.
    place.run(&format!("render scene.obj --device cpu {SIZE} -o deep-cpu.hdr"), &[]);
    let settings = [("H8_STACK", 1), ("STACK", 1)];
    let output = place.run_on_h8(&format!("render scene.obj --device cuda {SIZE} --json -o deep.hdr"), &settings);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let is_said = |line: &str| is_of_device(line) && line.contains("; the CPU ");
    assert_eq!(said.lines().filter(|line| is_said(line)).count(), 1, "{said}");
    assert!(place.read("deep.hdr") == place.read("deep-cpu.hdr"));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["devices"], serde_json::json!(["cpu"]));
}

#[test]
fn huge_coordinates_go_to_kernels_that_are_sure_of_them_and_to_the_cpu_where_none_is() {
    let Some(place) = place() else { return };
    let twice = |exponent: i32| {
        let [obj, npy_name] = [format!("e{exponent}.obj"), format!("e{exponent}.npy")];
        let of_line = |line: &str| match line.strip_prefix("v ") {
            Some(numbers) => {
                let far = numbers.split(' ').map(|x| format!("{x}e{exponent}")).collect::<Vec<_>>().join(" ");
                format!("v {far}\n")
            }
            None => format!("{line}\n"),
        };
        std::fs::write(place.folder.join(&obj), scene().lines().map(of_line).collect::<String>()).unwrap();
        let size: f32 = format!("1e{exponent}").parse().unwrap();
        // Some of them along an axis, for which reciprocals of directions are largest.
        let of_ray = |(i, [x, y, z, low, dx, dy, dz, high]): (usize, [f32; 8])| {
            let [dx, dy] = if i % 3 == 0 { [0.0; 2] } else { [dx, dy] };
            [x * size, y * size, z * size, low, dx, dy, dz, high]
        };
        let far: Vec<[f32; 8]> = rays().into_iter().step_by(11).enumerate().map(of_ray).collect();
        std::fs::write(place.folder.join(&npy_name), npy(&far)).unwrap();
        format!("{obj} {npy_name}")
    };
    let by = |files: &str, settings: &[(&str, u64)], two_boxes: bool, any: &str| {
        let run = |line: &str| {
            let line = format!("{line} --device cuda");
            if two_boxes { place.run_on_two_boxes(&line, settings) } else { place.run_on_h8(&line, settings) }
        };
        let (kernels, said) = traces(place, &format!("{files} {any}"), settings, run);
        assert_eq!(kernels.iter().map(|(_, rays)| rays).sum::<u64>(), 228);
        let main = kernels.into_iter().max_by_key(|&(_, rays)| rays).unwrap_or_default().0;
        (main, said.lines().filter(|line| line.contains(" instead ") || is_of_cpu(line)).count())
    };
    for exponent in [20, 25, 28, 31, 37] {
        let files = twice(exponent);
        for any in ["", "--any"] {
            // h8 leaves all rays to the test of each triangle from 1e18 on, and holds nothing beyond 2^100.
            let sure = if exponent < 30 { (AGAIN.to_string(), 0) } else { (CPU.to_string(), 1) };
            assert_eq!(by(&files, &[], false, any), sure, "1e{exponent}");
            // What it cannot hold for another reason is of two boxes up to 1e25.
            let wide = if exponent < 25 { WATERTIGHT } else { CPU };
            assert_eq!(by(&files, &SMALL_H8, false, any), (wide.to_string(), 1), "1e{exponent}, not of h8");
            // And two boxes that were found to be fastest are left for h8 beyond.
            let (kernel, lines) = if exponent < 25 {
                (WATERTIGHT, 0)
            } else if exponent < 30 {
                (AGAIN, 1)
            } else {
                (CPU, 1)
            };
            assert_eq!(by(&files, &[], true, any), (kernel.to_string(), lines), "1e{exponent}, two boxes");
        }
    }
    // One that was named is not replaced.
    let files = twice(31);
    let output = place.run(&format!("trace {files} --device cuda --variant raywarp-h8 -o far-none.npy"), &[]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(4), 1), "{said}");
    assert!(said.contains(" 2^100 "), "{said}");
}
