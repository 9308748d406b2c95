//! `raywarp simulate --experiment compaction` as a user meets it.

use std::process::{Command, Output};

/// A floor with a wall on its left half, under an open sky: paths leave, soon or late.
const CORNER: &str = "v -4 0 -4\nv 4 0 -4\nv 4 0 4\nv -4 0 4\nv -4 5 -4\nv 0 5 -4\nv 0 0 -4\nf 4 3 2 1\nf 1 7 6 5\n";

fn simulate(test: &str, options: &str) -> Output {
    simulate_on(test, CORNER, options)
}

/// `raywarp simulate` on a file of this text, OBJ where `options` name no other format.
fn simulate_on(test: &str, scene: &str, options: &str) -> Output {
    let folder = tempfile::Builder::new().prefix(test).tempdir().unwrap();
    std::fs::write(folder.path().join("corner.obj"), scene).unwrap();
    let line = format!("simulate corner.obj -q {options}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    command.current_dir(&folder).env_remove("RAYWARP_SCENES").args(line.split_whitespace()).output().unwrap()
}

#[track_caller]
fn document(test: &str, options: &str) -> serde_json::Value {
    let output = simulate(test, &format!("--experiment compaction --json {options}"));
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn paths_and_warps_of_each_bounce_are_told() {
    let all = document("all", "--size 64x48 --width 32,8 --frames 2");
    assert_eq!(
        (&all["experiment"], &all["scene"], &all["frames"]),
        (&"compaction".into(), &"corner".into(), &2.into())
    );
    for (counts, width) in all["counts"].as_array().unwrap().iter().zip([32, 8]) {
        assert_eq!(counts["width"], width);
        let first = &counts["bounces"][0];
        assert_eq!((&first["paths"], &first["naive_warps"]), (&6144.into(), &(6144 / width).into()));
        let second = &counts["bounces"][1]["paths"];
        assert!(second.as_u64() < Some(6144) && second.as_u64() > Some(600), "{second}");
    }
    assert_eq!(all["theirs"].as_array().unwrap().len(), 9);
    assert_eq!(all["occupancy"][0]["machine"], "GeForce GTX 480");
    // The same whoever works; fewer bounces end paths sooner and nothing else.
    assert_eq!(all, document("threads", "--size 64x48 --width 32,8 --frames 2 --threads 1"));
    let short = document("short", "--size 64x48 --width 32,8 --frames 2 --max-depth 1");
    let of = |document: &serde_json::Value| document["counts"][0]["bounces"].as_array().unwrap().clone();
    assert_eq!(of(&short), of(&all)[..2]);
}

#[test]
fn people_get_a_table_with_the_papers_beside_it() {
    let output = simulate("text", "--experiment compaction --size 64x48 --lens-radius 0.01 --clay off");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in ["corner: 64 x 48, 1 frame of", "warps of 32\n", "  53.7 ", "saved by tiles", "GTX 480", "H200"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn what_no_path_does_is_a_dash() {
    // A surface that cannot be seen: no ray hits it, and no warp tests anything.
    let output = simulate_on(
        "air",
        "WorldBegin Material \"interface\" Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]",
        "--format pbrt --experiment compaction --size 8x8 --report page.html",
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("naive over compact: - (W11") && !text.contains("NaN"), "{text}");
}

#[test]
fn what_does_not_fit_is_wrong_usage() {
    for (test, options, name) in [
        ("none", "", "--efficiency"),
        ("both", "--experiment compaction --efficiency", "--experiment"),
        ("other", "--experiment magic", "compaction"),
        ("frames", "--efficiency --frames 2", "--experiment"),
        ("depth", "--experiment compaction --max-depth 10001", "10000"),
        ("width", "--experiment compaction --size 8x8 --width 24", "--width: "),
        ("clay", "--experiment compaction --clay 1.5", "--clay 1.5"),
        ("kind", "--experiment compaction --kind ao", "--kind"),
        ("workload", "--experiment compaction --workload raywarp", "--workload"),
        ("sample", "--experiment compaction --sample 99", "--sample"),
        ("rays", "--experiment compaction --rays-per-pixel 2", "--rays-per-pixel"),
        ("shuffle", "--experiment compaction --shuffle", "--shuffle"),
        ("sort", "--experiment compaction --sort morton", "--sort"),
        ("leaves", "--experiment compaction --leaf-size 2", "--leaf-size"),
        ("operation-cost", "--experiment compaction --operation-cost loop=2", "--operation-cost"),
        ("paths", "--experiment compaction --size 1048576x1048576", "1099511627776 "),
    ] {
        let output = simulate(test, options);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {message}");
        assert!(output.stdout.is_empty() && message.contains(name), "{options}: {message}");
    }
}
