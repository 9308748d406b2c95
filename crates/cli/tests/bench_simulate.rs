//! `raywarp bench --simulate` on a pretended GPU with emulated kernels.

use crate::common_scene::scattered;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Place {
    folder: PathBuf,
    driver: &'static str,
}

impl Place {
    fn new(test: &str) -> Option<Self> {
        let driver = raywarp_cuda_emulation::driver_for_test()?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-simulate-{test}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("scattered.obj"), scattered()).unwrap();
        Some(Self { folder, driver })
    }

    /// `raywarp bench` of a few rays.
    fn bench(&self, options: &str, settings: &[(&str, u64)]) -> Output {
        let line = format!(
            "bench scattered.obj -q --size 16x8 --rays-per-pixel 1 --runs 1 --warmup 0 --check 16 --kind primary,ao {options}"
        );
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        command.current_dir(&self.folder).env_remove("RAYWARP_SCENES").args(line.split_whitespace());
        command.env("LD_LIBRARY_PATH", self.driver).env("XDG_CACHE_HOME", self.folder.join("cache"));
        command.envs(settings.iter().map(|(name, value)| (format!("RAYWARP_PRETEND_{name}"), value.to_string())));
        command.output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const KERNELS: &str = "--device cuda --variant al09-while-while,raywarp-h8,direct/while-while/bvh2?sync=implicit";

#[test]
fn what_was_measured_stands_beside_what_is_possible() {
    let Some(place) = Place::new("table") else { return };
    let output = place.bench(&format!("{KERNELS} --simulate --machine h200 --record run"), &[]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}{said}", text(&output.stderr));
    let (_, table) = said.split_once("scattered, view 1: measured beside what H200 could do at 1980 MHz").unwrap();
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
        place.read(file).lines().map(split).collect()
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
    let Some(place) = Place::new("json") else { return };
    let output = place.bench(&format!("{KERNELS} --simulate --machine h200 --simulate-sample 99 --json"), &[]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
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
    let document: Value = serde_json::from_slice(&plain.stdout).unwrap();
    assert!(document.get("simulated").is_none());
}

#[test]
fn a_run_above_a_strict_bound_ends_with_status_1_and_keeps_its_files() {
    let Some(place) = Place::new("strict") else { return };
    // A GPU that issues a hundredth of an instruction a clock, a million clocks a second, on one multiprocessor.
    let h200 = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/h200.toml")).unwrap();
    let slow = h200
        .replace("count = { value = 132,", "count = { value = 1,")
        .replace("mhz = { value = 1980, source = \"run\" }", "mhz = { value = 1, source = \"run\" }")
        .replace("per_scheduler = { value = 1,", "per_scheduler = { value = 0.01,");
    std::fs::write(place.folder.join("slow.toml"), slow).unwrap();
    let output = place.bench(
        "--device cuda --variant al09-while-while --simulate --machine ./slow.toml --simulate-sample 4294967295 --record run",
        &[],
    );
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));
    assert!(said.contains("WRONG: scattered al09-while-while, primary of good, view 1: "), "{said}");
    assert!(place.read("run/bounds.csv").lines().skip(1).all(|line| line.contains(",strict,")));
}

#[test]
fn what_cannot_be_simulated_is_refused_before_anything_is_measured() {
    let Some(place) = Place::new("refused") else { return };
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
        assert!(!place.has("run/bench.csv"), "{options}");
    }
}

#[test]
fn bounds_of_an_earlier_run_do_not_stay_beside_rates_of_another() {
    let Some(place) = Place::new("stale") else { return };
    std::fs::create_dir_all(place.folder.join("run")).unwrap();
    std::fs::write(place.folder.join("run/bounds.csv"), "scene,workload,of,another,run\n").unwrap();
    let line = "--device cuda --variant al09-while-while --simulate --machine h200 --record run";
    let output = place.bench(line, &[("FAILS_AT", 60)]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(!place.has("run/bounds.csv"));
}
