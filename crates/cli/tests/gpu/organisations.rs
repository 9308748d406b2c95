//! The orders in which kernels take paths: one picture, and the tables of their suites.

use super::place::{Place, SIZE, place};
use crate::common_folder::{check_fails, document, text};
use std::path::Path;

#[test]
fn each_organisation_gives_the_picture_of_the_cpu() {
    let Some(place) = place() else { return };
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/room.pbrt");
    std::fs::copy(&room, place.folder.join("room.pbrt")).unwrap();
    let picture = "room.pbrt --size 20x15 --spp 3 --sampler xor32";
    place.run(&format!("render --device cpu {picture} -o room-cpu.hdr"), &[]);
    let right = place.read("room-cpu.hdr");
    for options in [
        "wavefront-sorted",
        "wavefront-sorted --counts host --paths-in-flight 200",
        "wavefront",
        "wavefront --counts host",
        "graph",
        "graph --paths-in-flight 70",
        "megakernel",
        "compact",
        "compact --compaction atomics --counts host",
        "compact --compaction off --paths-in-flight 100",
        "tiled-global",
        "tiled-global --paths-a-thread 1",
        "tiled-shared",
        "tiled-shared --paths-a-thread 3",
        "regenerate",
        "regenerate --compaction scan --counts host --paths-in-flight 200",
        "regenerate --compaction atomics --paths-in-flight 70",
        "split",
        "split --paths-in-flight 100",
        "rays",
    ] {
        let line = format!("render --device cuda --organisation {options} {picture} -o room.hdr");
        let ended = place.run(&line, &[]);
        assert_eq!(ended.status.code(), Some(0), "{options}: {}", text(&ended.stderr));
        assert!(place.read("room.hdr") == right, "{options}: another picture");
        std::fs::remove_file(place.folder.join("room.hdr")).unwrap();
    }
    // Named by itself it says that a GPU is to render, small as the picture is.
    let line = format!("render --organisation naive {picture} -o room.hdr --json");
    let document = document(&place.run(&line, &[]));
    assert_eq!(document["devices"], serde_json::json!(["cuda:0"]), "{document}");
    assert!(place.read("room.hdr") == right, "naive: another picture");
}

#[test]
fn what_an_organisation_does_not_know_of_is_refused_in_a_line() {
    let Some(place) = place() else { return };
    // Which options are for which others is tested by value.
    for (options, names) in [
        ("megakernel --compaction scan", &["--compaction ", " compact ", " megakernel"][..]),
        ("compact --compaction off --compaction-at end", &["--compaction off ", "--compaction-at"]),
        ("split --counts host", &["--counts host ", " wavefront-sorted;", " split"]),
        ("rays --paths-in-flight 100", &["--paths-in-flight ", " rays"]),
    ] {
        // Before anything is read, and whatever renders.
        for device in ["cuda", "cpu"] {
            let line = format!("render nothing.obj --device {device} --organisation {options} {SIZE} -o none.hdr");
            check_fails(&place.run(&line, &[]), 2, names);
        }
    }
    // Numbers out of range, and names that there are not.
    for (options, name) in [
        ("tiled-global --paths-a-thread 0", "512"),
        ("tiled-global --paths-a-thread 513", "512"),
        ("wavefront --paths-in-flight 0", "67108864"),
        ("compact --compaction sorted", "scan, atomics"),
        ("compact --compaction-at middle", "start, shadow"),
        ("compact --counts nobody", "device"),
        ("tiled", "tiled-global"),
    ] {
        let output = place.run(&format!("render --device cuda --organisation {options} {SIZE} -o none.hdr"), &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {said}");
        assert!(said.lines().count() == 1 && said.contains(name), "{options}: {said}");
    }
    assert!(!place.folder.join("none.hdr").exists());
}

/// The tables of a suite of paths in a small room, by `--json`.
fn tables(place: &Place, options: &str) -> Vec<serde_json::Value> {
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/room.pbrt");
    std::fs::copy(&room, place.folder.join("suite.pbrt")).unwrap();
    let output = place.run(&format!("bench suite.pbrt --size 4x3 --runs 1 --json {options}"), &[]);
    assert_eq!(output.status.code(), Some(0), "{options}: {}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    document["scenes"][0]["tables"].as_array().unwrap().clone()
}

#[test]
fn a_suite_of_paths_makes_the_tables_that_are_named() {
    let Some(place) = place() else { return };
    let names = |tables: &[serde_json::Value]| -> Vec<String> {
        tables.iter().map(|table| table["name"].as_str().unwrap().to_string()).collect()
    };
    // In their own order.
    assert_eq!(names(&tables(place, "--suite l9 --tables shares,kernels")), ["kernels", "shares"]);
    let blocks = tables(place, "--suite w11 --tables blocks");
    assert_eq!(names(&blocks), ["blocks"]);
    assert_eq!(blocks[0]["same_pictures"], true);
    let rows = blocks[0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2 * (2 + 3 * 6));
    for row in rows {
        // The pretended GPU gives what PTX says, else 32 registers, and holds two blocks.
        let registers = row["limit"].as_f64().unwrap_or(32.0);
        assert_eq!(row["registers"], registers, "{row}");
        assert_eq!(row["warps"], 2.0 * row["threads"].as_f64().unwrap() / 32.0, "{row}");
        assert!(row["frames/s"].as_f64().unwrap() > 0.0, "{row}");
    }
    for first in [0, 20] {
        assert_eq!([&rows[first]["limit"], &rows[first + 1]["limit"]], ["prebuilt", "none"]);
    }
    for (options, says) in [
        (
            "--suite w11 --tables table-1,queues",
            "--tables queues: --suite w11 has no such table; known are table-1, bounces, bounces-while-while, figure-2, steps, \
             places, walks, shading, resolutions, accumulation, blocks",
        ),
        (
            "--suite l9 --tables blocks",
            "--tables blocks: --suite l9 has no such table; known are queues, counts, stages, rounds, kernels, shares, samplers",
        ),
        (
            "--tables blocks",
            "light, materials, lens, last connections, roulette and --tables are for --suite w11 and l9; leave them out",
        ),
    ] {
        let output = place.run(&format!("bench nothing.obj {options}"), &[]);
        assert_eq!(text(&output.stderr), format!("raywarp: {says}\n"), "{options}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{options}");
    }
}
