//! `raywarp simulate --experiment compaction` as a user meets it.

use crate::common_folder::{Folder, check_fails, text};
use std::process::Output;

/// A floor with a wall on its left half, under an open sky: paths leave, soon or late.
const CORNER: &str = "v -4 0 -4\nv 4 0 -4\nv 4 0 4\nv -4 0 4\nv -4 5 -4\nv 0 5 -4\nv 0 0 -4\nf 4 3 2 1\nf 1 7 6 5\n";

fn simulate(options: &str) -> Output {
    simulate_on(CORNER, options)
}

/// `raywarp simulate` on a file of this text, OBJ where `options` name no other format.
fn simulate_on(scene: &str, options: &str) -> Output {
    Folder::with_files([("corner.obj", scene)]).run(&format!("simulate corner.obj -q {options}"))
}

#[track_caller]
fn document(options: &str) -> serde_json::Value {
    let output = simulate(&format!("--experiment compaction --json {options}"));
    assert!(output.status.success(), "{options}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn paths_and_warps_of_each_bounce_are_told() {
    let all = document("--size 64x48 --width 32,8 --frames 2");
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
    assert_eq!(all, document("--size 64x48 --width 32,8 --frames 2 --threads 1"));
    let short = document("--size 64x48 --width 32,8 --frames 2 --max-depth 1");
    let of = |document: &serde_json::Value| document["counts"][0]["bounces"].as_array().unwrap().clone();
    assert_eq!(of(&short), of(&all)[..2]);
}

#[test]
fn people_get_a_table_with_the_papers_beside_it() {
    let output = simulate("--experiment compaction --size 64x48 --lens-radius 0.01 --clay off");
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for part in ["corner: 64 x 48, 1 ", "warps of 32\n", "  53.7 ", " tiles", "GTX 480", "H200"] {
        assert!(printed.contains(part), "{part} is not in\n{printed}");
    }
}

#[test]
fn what_no_path_does_is_a_dash() {
    // A surface that cannot be seen: no ray hits it, and no warp tests anything.
    let output = simulate_on(
        "WorldBegin Material \"interface\" Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]",
        "--format pbrt --experiment compaction --size 8x8 --report page.html",
    );
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(printed.contains(": - (W11") && !printed.contains("NaN"), "{printed}");
}

#[test]
fn what_does_not_fit_is_wrong_usage() {
    for (options, name) in [
        ("", "--efficiency"),
        ("--experiment compaction --efficiency", "--experiment"),
        ("--experiment magic", "compaction"),
        ("--efficiency --frames 2", "--experiment"),
        ("--experiment compaction --max-depth 10001", "10000"),
        ("--experiment compaction --size 8x8 --width 24", "--width: "),
        ("--experiment compaction --clay 1.5", "--clay 1.5"),
        ("--experiment compaction --kind ao", "--kind"),
        ("--experiment compaction --workload raywarp", "--workload"),
        ("--experiment compaction --sample 99", "--sample"),
        ("--experiment compaction --rays-per-pixel 2", "--rays-per-pixel"),
        ("--experiment compaction --shuffle", "--shuffle"),
        ("--experiment compaction --sort morton", "--sort"),
        ("--experiment compaction --leaf-size 2", "--leaf-size"),
        ("--experiment compaction --operation-cost loop=2", "--operation-cost"),
        ("--experiment compaction --size 1048576x1048576", "1099511627776 "),
    ] {
        let output = simulate(options);
        check_fails(&output, 2, &[name]);
    }
}
