//! GPUs that are not there, fail or have no room: a line, a status, and no file.

use super::place::{SIZE, is_of_tuning, place};
use crate::common_folder::{check_fails, text};

#[test]
fn gpus_that_are_not_there_or_cannot_share_are_refused_in_a_line() {
    let Some(place) = place() else { return };
    // The flags at fault and the numbers; what is wrong with them are errors with values of their own.
    for (options, devices, status, begin, names) in [
        ("--device cuda:0,2", 2, 4, "--device cuda:0,2: ", &[" 2; 2 ", "--device cpu "][..]),
        ("--device cuda", 0, 4, "--device cuda: ", &[" 0; 0 ", "--device cpu "]),
        ("--device cuda:0", 0, 4, "--device cuda:0: ", &[" 0; 0 ", "--device cpu "]),
        ("--device cuda:all", 0, 4, "--device cuda:all: ", &[" 0; 0 "]),
        (
            "--device cuda:0,1 --export-rays rays",
            2,
            2,
            "--device cuda:0,1: ",
            &["--organisation rays", "--export-rays"],
        ),
        ("--device cuda --integrator cost", 1, 2, "--device cuda: --integrator cost ", &["--device cpu "]),
        ("--device cuda:all --integrator cost", 2, 2, "--device cuda:all: --integrator cost ", &["--device cpu "]),
        (
            "--device cuda:all --organisation rays",
            2,
            2,
            "--device cuda:all: ",
            &["--organisation rays", "--export-rays"],
        ),
        ("--texture-filter hardware", 1, 2, "--texture-filter hardware with --device auto: ", &["--device cuda"]),
        (
            "--texture-filter hardware --device cpu",
            1,
            2,
            "--texture-filter hardware with --device cpu: ",
            &["--device cuda"],
        ),
        // A GPU is asked for by the name of its organisation, or not at all.
        ("--organisation compact --device cpu", 1, 2, "--organisation compact with --device cpu: ", &["--device cuda"]),
        ("--organisation rays --device cpu", 1, 2, "--organisation rays with --device cpu: ", &["--device cuda"]),
        ("--paths-in-flight 100 --device cpu", 1, 2, "--paths-in-flight with --device cpu: ", &["--device cuda"]),
        ("--organisation naive", 0, 4, "--organisation megakernel (naive) needs a GPU: ", &[" 0; 0 ", "leave it out"]),
        ("--organisation rays", 0, 4, "--organisation rays needs a GPU: ", &[" 0; 0 ", "leave it out"]),
        ("--organisation compact --device cuda", 0, 4, "--device cuda: ", &[" 0; 0 "]),
        ("--organisation split --integrator cost", 1, 2, "--organisation split: --integrator cost ", &["leave it out"]),
        (
            "--texture-filter hardware --device cuda --organisation rays",
            1,
            2,
            "--texture-filter hardware: ",
            &["--organisation rays", "--export-rays", "--integrator cost"],
        ),
        (
            "--texture-filter hardware --device cuda --integrator depth --layers all",
            1,
            2,
            "--texture-filter hardware: ",
            &["--organisation rays", "--export-rays", "--integrator cost"],
        ),
    ] {
        let output = place.run(&format!("render {options} {SIZE} -o none.hdr"), &[("DEVICES", devices)]);
        check_fails(&output, status, names);
        let said = text(&output.stderr);
        assert!(said.starts_with(&format!("raywarp: {begin}")), "{said}");
        assert!(!place.folder.join("none.hdr").exists());
    }
    // One GPU is as many as there may be.
    let line = format!("render --device cuda:all --integrator normal {SIZE} -o normal.hdr");
    assert_eq!(place.run(&line, &[]).status.code(), Some(0));
}

/// A small scene with a camera and a light, of which nothing is said, with glass and an image.
const LIT: &str = r#"LookAt 0 2 6  0 0.5 0  0 1 0
Camera "perspective" "float fov" 40
WorldBegin
LightSource "point" "point3 from" [2 5 3] "rgb I" [40 40 40]
LightSource "infinite" "rgb L" [0.2 0.3 0.4]
Texture "squares" "spectrum" "checkerboard" "float uscale" 4 "float vscale" 4
Material "diffuse" "texture reflectance" "squares"
Shape "bilinearmesh" "point3 P" [-3 0 -3  3 0 -3  -3 0 3  3 0 3]
Material "dielectric"
Translate 0 1 0
Shape "sphere" "float radius" 0.8
"#;

#[test]
fn a_gpu_that_fails_leaves_no_picture() {
    let Some(place) = place() else { return };
    std::fs::write(place.folder.join("lit.pbrt"), LIT).unwrap();
    place.run(&format!("render --device cpu lit.pbrt {SIZE} -o right.hdr"), &[]);
    let line = format!("render --device cuda lit.pbrt {SIZE} -o failed.hdr");
    place.fails_well(&line, "failed.hdr", &place.read("right.hdr"), 1 << 30, 37);
    place.run(&format!("render --device cpu --integrator ao lit.pbrt {SIZE} -o right-ao.hdr"), &[]);
    let line = format!("render --device cuda --integrator ao lit.pbrt {SIZE} -o failed.hdr");
    place.fails_well(&line, "failed.hdr", &place.read("right-ao.hdr"), 1 << 30, 11);
    // Its kernels are timed first, by hundreds of calls where no file has the choice.
    let line = format!("render --device cuda --organisation rays lit.pbrt {SIZE} -o failed.hdr");
    place.fails_well(&line, "failed.hdr", &place.read("right.hdr"), 1 << 30, 97);
}

#[test]
fn a_gpu_that_fails_leaves_no_hits() {
    let Some(place) = place() else { return };
    place.run("trace scene.obj rays.npy --device cpu -o right.npy", &[]);
    // Memory for a thousand rays at a time.
    place.fails_well(
        "trace scene.obj rays.npy --device cuda -o failed.npy",
        "failed.npy",
        &place.read("right.npy"),
        130_000,
        3,
    );
}

#[test]
fn one_of_several_gpus_that_fails_leaves_no_hits() {
    let Some(place) = place() else { return };
    place.run("trace scene.obj rays.npy --device cpu -o right.npy", &[]);
    let mut failures = 0;
    for call in (0..400).step_by(13) {
        let settings = [("DEVICES", 2), ("FAILS_DEVICE", 1), ("FAILS_AT", call)];
        let ended = place.run("trace scene.obj rays.npy --device cuda:0,1 -o one-failed.npy", &settings);
        let said = text(&ended.stderr);
        if ended.status.code() == Some(0) {
            assert!(place.read("one-failed.npy") == place.read("right.npy"), "call {call}: other hits");
            std::fs::remove_file(place.folder.join("one-failed.npy")).unwrap();
            continue;
        }
        failures += 1;
        assert_eq!(ended.status.code(), Some(4), "call {call}: {said}");
        let said: Vec<&str> = said.lines().filter(|line| !is_of_tuning(line)).collect();
        assert!((1..=2).contains(&said.len()) && said[0].starts_with("raywarp: "), "call {call}: {said:?}");
        assert!(!place.folder.join("one-failed.npy").exists(), "call {call} failed, but there is a result");
    }
    assert!(failures > 3, "{failures}");
}

#[test]
fn a_scene_that_a_gpu_cannot_hold_is_refused_with_what_it_needs() {
    let Some(place) = place() else { return };
    let output = place.run("trace scene.obj rays.npy --device cuda -o none.npy", &[("MEMORY", 9000)]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("raywarp: scene.obj: ") && message.contains(" 1 MiB "), "{message}");
    assert!(!place.folder.join("none.npy").exists());
    // A picture with all of it, and its film alone.
    for (options, memory, film) in [("--size 20x12", 9000, "film 0.0"), ("--size 2000x2000", 50_000_000, "film 92.3")] {
        let line = format!("render scene.obj --device cuda:0,1 {options} --spp 1 -o none.hdr");
        let output = place.run(&line, &[("DEVICES", 2), ("MEMORY_1", memory)]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{message}");
        let said: Vec<&str> = message.lines().filter(|line| line.contains("memory")).collect();
        assert!(said.len() == 1 && said[0].contains("cuda:1: "), "{message}");
        assert!(said[0].contains(film) && said[0].contains(" MiB "), "{message}");
        assert!(!place.folder.join("none.hdr").exists());
    }
}

#[test]
fn the_version_names_the_gpu_and_never_fails() {
    let Some(place) = place() else { return };
    let said = text(&place.run("--version", &[]).stdout);
    assert!(said.contains("\ngpu  pretended GPU, ") && said.contains(" 9.0, "), "{said}");
    for call in 0..8 {
        let output = place.run("--version", &[("FAILS_AT", call)]);
        assert!(output.status.success() && text(&output.stdout).contains("\ngpu  "), "call {call}");
    }
}
