//! `raywarp bench --simulate` on a pretended GPU with emulated kernels.

use crate::common_folder::{Folder, document, text};
use crate::common_scene::scattered;
use std::path::Path;
use std::process::Output;

/// A folder with a scene, and the pretended driver.
struct Place {
    folder: Folder,
    driver: &'static str,
}

impl Place {
    #[track_caller]
    fn new() -> Option<Self> {
        let driver = raywarp_cuda_emulation::driver_for_test()?;
        Some(Self { folder: Folder::with_files([("scattered.obj", scattered())]), driver })
    }

    /// `raywarp bench` of a few rays.
    fn bench(&self, options: &str, settings: &[(&str, u64)]) -> Output {
        let mut command = self.folder.command(&format!(
            "bench scattered.obj -q --size 16x8 --rays-per-pixel 1 --runs 1 --warmup 0 --check 16 --kind primary,ao {options}"
        ));
        command.env("LD_LIBRARY_PATH", self.driver).env("XDG_CACHE_HOME", self.folder.at("cache"));
        command.envs(settings.iter().map(|(name, value)| (format!("RAYWARP_PRETEND_{name}"), value.to_string())));
        command.output().unwrap()
    }
}

const KERNELS: &str = "--device cuda --variant al09-while-while,raywarp-h8,direct/while-while/bvh2?sync=implicit";

#[test]
fn what_was_measured_stands_beside_what_is_possible() {
    let Some(place) = Place::new() else { return };
    let output = place.bench(&format!("{KERNELS} --simulate --machine h200 --record run"), &[]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}{said}", text(&output.stderr));
    let (_, table) = said.split_once("scattered, view 1: ").unwrap();
    for name in ["al09-while-while ", "raywarp-h8 ", "al09-while-while?sync=implicit "] {
        assert_eq!(table.lines().filter(|line| line.starts_with(name)).count(), 2, "{name}: {said}");
    }
    // The same rates as in the run's own table.
    let cells = |file: &str| -> Vec<Vec<String>> {
        // A comma in quotes is no end of a cell.
        let split = |line: &str| -> Vec<String> {
            let mut quoted = false;
            let ends = |c: char| {
                quoted ^= c == '"';
                c == ',' && !quoted
            };
            line.split(ends).map(str::to_string).collect()
        };
        place.folder.text(file).lines().map(split).collect()
    };
    let (bench, bounds) = (cells("run/bench.csv"), cells("run/bounds.csv"));
    let column = |table: &[Vec<String>], name: &str| -> Vec<String> {
        let place = table[0].iter().position(|column| column == name).unwrap();
        // Of one viewpoint, a row of all says the same.
        let view = table[0].iter().position(|column| column == "view").unwrap();
        table[1..].iter().filter(|row| row[view] != "all").map(|row| row[place].clone()).collect()
    };
    for name in ["variant", "kind", "view", "tree", "max_leaf", "rays", "mrays_median", "mrays_max"] {
        assert_eq!(column(&bench, name), column(&bounds, name), "{name}");
    }
    let above = column(&bounds, "above_strict");
    assert!(above.iter().all(|above| above == "0"), "{above:?}");
    assert!(bounds.iter().all(|row| row.len() == bounds[0].len()));
}

#[test]
fn json_is_one_document_and_its_parts_sum_to_the_whole() {
    let Some(place) = Place::new() else { return };
    let output = place.bench(&format!("{KERNELS} --simulate --machine h200 --simulate-sample 99 --json"), &[]);
    let document = document(&output);
    let simulated = &document["simulated"][0];
    let rows = simulated["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &simulated["pass"]), (6, &true.into()));
    for row in rows {
        let parts = row["time_percent"].as_object().unwrap();
        let sum: f64 = parts.values().map(|part| part.as_f64().unwrap()).sum();
        assert!((sum - 100.0).abs() < 1e-6, "{row}");
        assert_eq!(parts.contains_key("the rest"), row["variant"].as_str().unwrap().contains("implicit"), "{row}");
    }
    let plain = place.bench(&format!("{KERNELS} --json"), &[]);
    let document = self::document(&plain);
    assert!(document.get("simulated").is_none());
}

#[test]
fn a_run_above_a_strict_bound_ends_with_status_1_and_keeps_its_files() {
    let Some(place) = Place::new() else { return };
    // A GPU that issues a hundredth of an instruction a clock, a million clocks a second, on one multiprocessor.
    let h200 = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/h200.toml")).unwrap();
    let slow = h200
        .replace("count = { value = 132,", "count = { value = 1,")
        .replace("mhz = { value = 1980, source = \"run\" }", "mhz = { value = 1, source = \"run\" }")
        .replace("per_scheduler = { value = 1,", "per_scheduler = { value = 0.01,");
    place.folder.file("slow.toml", slow);
    let output = place.bench(
        "--device cuda --variant al09-while-while --simulate --machine ./slow.toml --simulate-sample 4294967295 --record run",
        &[],
    );
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));
    assert!(said.contains("WRONG: scattered al09-while-while, "), "{said}");
    assert!(place.folder.text("run/bounds.csv").lines().skip(1).all(|line| line.contains(",strict,")));
}

#[test]
fn what_cannot_be_simulated_is_refused_before_anything_is_measured() {
    let Some(place) = Place::new() else { return };
    for (options, status, name) in [
        ("--device cuda --simulate --record run", 2, "\"pretended GPU\""),
        ("--device cpu --simulate --machine h200 --record run", 4, "--device cuda"),
        ("--device cuda --simulate --machine h2000", 2, "h2000"),
        ("--device cuda --simulate --machine none.toml", 3, "none.toml"),
        ("--device cuda --machine h200", 2, "--simulate"),
        ("--device cuda --simulate-sample 5", 2, "--simulate"),
        ("--device cuda --simulate --machine h200 --simulate-sample 0", 2, "0"),
    ] {
        let output = place.bench(options, &[]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{options}: {error}");
        assert!(error.contains(name) && output.stdout.is_empty(), "{options}: {error}");
        assert!(!place.folder.at("run/bench.csv").exists(), "{options}");
    }
}

#[test]
fn bounds_of_an_earlier_run_do_not_stay_beside_rates_of_another() {
    let Some(place) = Place::new() else { return };
    place.folder.file("run/bounds.csv", "scene,workload,of,another,run\n");
    let line = "--device cuda --variant al09-while-while --simulate --machine h200 --record run";
    let output = place.bench(line, &[("FAILS_AT", 60)]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(!place.folder.at("run/bounds.csv").exists());
}
