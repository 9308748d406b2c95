//! `raywarp simulate --measured`, and what is refused of its tables and of `--counters`'.

use crate::common_folder::{Folder, document, text};
use crate::common_scene::scattered;
use serde_json::Value;
use std::process::Output;

const SIZE: &str = "--size 32x24 --rays-per-pixel 2";

/// A folder with a scene and the table of a run on it, which says that an H200 had made it.
fn folder() -> Folder {
    let folder = Folder::with_files([("scattered.obj", scattered())]);
    folder.succeeds(&format!(
        "bench scattered.obj -q {SIZE} --device cpu --runs 1 --warmup 0 --check 16 --kind primary,ao --trees good,single \
         --variant al09-while-while,raywarp-h8-direct,cpu --record run"
    ));
    let document: serde_json::Value = serde_json::from_str(&folder.text("run/bench.json")).unwrap();
    let cpu = document["scenes"][0]["target"].as_str().unwrap();
    folder.file("bench.csv", folder.text("run/bench.csv").replace(cpu, "NVIDIA H200"));
    folder
}

/// `raywarp simulate` of the table.
fn simulate(folder: &Folder, options: &str) -> Output {
    folder.run(&format!("simulate scattered.obj -q {SIZE} --machine h200 {options}"))
}

#[test]
fn a_recorded_run_stands_beside_its_bounds_on_the_terminal_and_in_json() {
    let folder = folder();
    let output = simulate(&folder, "--measured bench.csv --sample 400 --json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = document(&output);
    let rows = found["rows"].as_array().unwrap();
    // Three that trace, two trees, two kinds; only kernels have bounds.
    assert_eq!((rows.len(), &found["pass"], &found["machine"]), (12, &true.into(), &"H200".into()));
    for row in rows {
        let time = row["time_percent"].as_object();
        if row["name"] == "cpu" {
            assert!(time.is_none() && row["lowest"].is_null(), "{row}");
            continue;
        }
        let sum: f64 = time.unwrap().values().map(|part| part.as_f64().unwrap()).sum();
        assert!((sum - 100.0).abs() < 1e-6, "{row}");
        let [measured, bound] =
            [&row["measured_mrays_per_s"], &row["lowest"]["mrays_per_s"]].map(|v| v.as_f64().unwrap());
        assert!((row["ratio"].as_f64().unwrap() * bound / measured - 1.0).abs() < 1e-9 && measured < bound, "{row}");
    }
    let output = simulate(&folder, "--measured bench.csv --sample 400 --kind ao --variant raywarp-h8-direct");
    let text = text(&output.stdout);
    // A CPU has no machine code of a kernel to write down, which is said first.
    let first = text.lines().position(|line| line.starts_with("scattered, view 1: ")).unwrap();
    assert!(first > 0 && text.contains(" H200 ") && text.contains(" 1980 MHz"), "{text}");
    for tree in ["good/1", "single/1"] {
        assert_eq!(
            text.lines().filter(|line| line.starts_with("raywarp-h8-direct ") && line.contains(tree)).count(),
            1,
            "{text}"
        );
    }
}

/// The same table with this text in each cell of the column `code`.
fn with_code(table: &str, code: &str) -> String {
    let place = table.lines().next().unwrap().split(',').position(|column| column == "code").unwrap();
    let line = |(number, line): (usize, &str)| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if number > 0 {
            cells[place] = code;
        }
        cells.join(",") + "\n"
    };
    table.lines().enumerate().map(line).collect()
}

#[test]
fn a_kernel_that_has_changed_since_the_run_is_named_in_the_first_line() {
    let folder = folder();
    let name = "al09-while-while";
    let today = raywarp_lab::cuda::code_hash(&name.parse().unwrap(), raywarp::Query::Closest, 90).unwrap().to_string();
    // A run that had one bit more.
    let last = u8::from_str_radix(&today[15..], 16).unwrap() ^ 1;
    let planted = format!("{}{last:x}", &today[..15]);
    let table = folder.text("bench.csv");
    let options = format!("--sample 400 --kind primary --variant {name}");
    for (code, state) in [(&today, "same"), (&planted, "changed"), (&"driver".to_string(), "unknown")] {
        folder.file("code.csv", with_code(&table, code));
        let output = simulate(&folder, &format!("--measured code.csv {options}"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let first = said.split("scattered, view 1: ").next().unwrap();
        assert_eq!(first.is_empty(), state == "same", "{said}");
        assert_eq!(first.contains(&today) && first.contains(&planted), state == "changed", "{said}");
        let json = document(&simulate(&folder, &format!("--measured code.csv {options} --json")));
        assert_eq!((&json["kernels_then"][0]["state"], &json["kernels_then"][1]), (&state.into(), &Value::Null));
    }
    // Where the table does not say, the run's facts beside it do.
    folder.file("run/bench.csv", &table);
    let kernel = "direct_while_while_bvh2__closest";
    let facts = |code: &str| {
        format!(
            "date = \"2026-01-02\"\nmachine = \"NVIDIA H200\"\narchitecture = 90\n[[files]]\nnames = [\"bench.csv\"]\n\
             command = \"\"\n[files.code]\n{kernel} = \"{code}\"\n"
        )
    };
    for (code, state) in [(&today, "same"), (&planted, "changed")] {
        folder.file("run/run.toml", facts(code));
        let json = document(&simulate(&folder, &format!("--measured run/bench.csv {options} --json")));
        assert_eq!(json["kernels_then"][0]["state"], state);
    }
    folder.file("run/run.toml", "date = 1");
    let output = simulate(&folder, &format!("--measured run/bench.csv {options}"));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn a_rate_above_a_strict_bound_ends_with_status_1() {
    let folder = folder();
    let options = "--measured fast.csv --sample 4294967295 --variant al09-while-while --kind primary";
    let table = folder.text("bench.csv");
    let place = |name: &str| table.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
    let fastest = place("mrays_max");
    for (rate, status) in [("1000.0", 0), ("99000.0", 1)] {
        let faster = |line: &str| -> String {
            let mut cells: Vec<&str> = line.split(',').collect();
            if cells[0] == "scattered" {
                cells[fastest] = rate;
            }
            cells.join(",")
        };
        folder.file("fast.csv", table.lines().map(faster).collect::<Vec<_>>().join("\n"));
        let output = simulate(&folder, options);
        let text = text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert_eq!(
            text.contains("WRONG: scattered al09-while-while, ") && text.contains(": 99000.0 Mrays/s"),
            status == 1
        );
        let json = simulate(&folder, &format!("{options} --json"));
        assert_eq!((json.status.code(), &document(&json)["pass"]), (Some(status), &(status == 0).into()));
    }
}

#[test]
fn a_clock_that_is_set_counts_and_one_of_the_run_otherwise() {
    let folder = folder();
    let table = folder.text("bench.csv").replace(",NVIDIA H200,,", ",NVIDIA H200,345,990");
    folder.file("slow.csv", table);
    let clock = |options: &str| {
        let found = document(&simulate(&folder, &format!("{options} --sample 400 --kind ao --json")));
        (found["clock_mhz"].as_f64().unwrap(), found["rows"][0]["lowest"]["mrays_per_s"].as_f64().unwrap())
    };
    let (of_file, half, set) = (
        clock("--measured bench.csv"),
        clock("--measured slow.csv"),
        clock("--measured slow.csv --set clock.mhz=1980"),
    );
    assert_eq!((of_file.0, half.0, set), (1980.0, 990.0, of_file));
    assert!((of_file.1 / half.1 - 2.0).abs() < 1e-9);
}

/// A table of counters with one launch on the scattered triangles.
const COUNTERS: &str = "scene,variant,kind,tree,rays,blocks,warp_instructions,thread_instructions,ns,cycles,wavefronts,global_load_sectors\n\
    scattered,direct/while-while/bvh2,primary,sweep+0/8,768,24,1e5,2e6,5000,6000,4e4,8e4\n";

#[test]
fn tables_that_are_none_are_refused_in_a_line() {
    let folder = folder();
    let bench = folder.text("bench.csv");
    let no_cpu: String = bench.lines().filter(|line| !line.contains(",cpu,")).map(|line| format!("{line}\n")).collect();
    // The second line of each is its first row.
    let edit = |text: &str, find: &str, replace: &str| text.replacen(find, replace, 1).into_bytes();
    let row = no_cpu.lines().nth(1).unwrap();
    let median = row.split(',').nth(15).unwrap();
    for (flag, bytes, name) in [
        ("measured", Vec::new(), "column scene"),
        ("measured", edit(&no_cpu, ",mrays_max,", ",most,"), "column mrays_max"),
        ("measured", edit(&no_cpu, median, "fast"), "\"fast\""),
        ("measured", edit(&no_cpu, "direct/while-while/bvh2", "direct/while-when/bvh2"), "line 2: variant"),
        ("measured", no_cpu.replace(",768,", ",770,").into_bytes(), "768"),
        ("measured", no_cpu.replace("scattered,", "hall,").into_bytes(), "scattered"),
        ("measured", no_cpu.replace("H200", "A100").into_bytes(), "A100"),
        ("measured", no_cpu.replace("raywarp,", "al09,").into_bytes(), "raywarp"),
        ("measured", no_cpu.lines().next().unwrap().into(), "rows"),
        ("measured", vec![0xff; 99], "UTF-8"),
        ("counters", Vec::new(), "column scene"),
        ("counters", edit(COUNTERS, ",cycles,", ",clocks,"), "column cycles"),
        ("counters", edit(COUNTERS, "1e5", "many"), "\"many\""),
        ("counters", edit(COUNTERS, "while-while", "while-when"), "line 2: variant"),
        ("counters", edit(COUNTERS, ",768,", ",770,"), "768"),
        ("counters", edit(COUNTERS, "scattered", "hall"), "scattered"),
        ("counters", COUNTERS.lines().next().unwrap().into(), "scattered"),
        ("counters", vec![0xff; 99], "UTF-8"),
    ] {
        folder.file("table.csv", bytes);
        let output = simulate(&folder, &format!("--{flag} table.csv --sample 400 --kind primary"));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "--{flag}, {name}: {error}");
        assert!(error.contains(name) && output.stdout.is_empty(), "--{flag}, {name}: {error}");
        assert!(error.trim_end().lines().count() <= 2 && !error.contains("panicked"), "{error}");
    }
    // Longer than any table, and a folder.
    std::fs::File::create(folder.at("huge.csv")).unwrap().set_len(1 << 30).unwrap();
    for flag in ["measured", "counters"] {
        for (file, name) in [("huge.csv", "bytes"), (".", "directory"), ("none.csv", "none.csv")] {
            let output = simulate(&folder, &format!("--{flag} {file}"));
            let error = text(&output.stderr);
            assert!(output.status.code() == Some(3) && error.contains(name), "--{flag} {file}: {error}");
        }
    }
}

#[test]
fn what_a_table_lacks_is_named_with_what_it_has() {
    let folder = folder();
    folder.file("hall.csv", folder.text("bench.csv").replace("scattered,", "hall,"));
    folder.file("a100.csv", folder.text("bench.csv").replace("H200", "A100"));
    for (options, said) in [
        ("--measured hall.csv", "--measured: no such rates of the scene scattered; they are of hall\n"),
        ("--measured a100.csv", "--measured: no such rates of scattered on H200; they are of NVIDIA A100\n"),
        ("--measured bench.csv --workload al09", "it has no rates of workload al09; it has raywarp\n"),
        (
            "--measured bench.csv --variant al09-if-if",
            "it has no rates of al09-if-if; it has al09-while-while, cpu, raywarp-h8-direct\n",
        ),
        ("--measured bench.csv --kind diffuse", "it has no rates of diffuse rays; it has primary, ao\n"),
    ] {
        let output = simulate(&folder, &format!("{options} --sample 400"));
        let error = text(&output.stderr);
        assert!(output.status.code() == Some(3) && error.contains(said), "{options}: {error}");
    }
}

#[test]
fn a_run_is_of_one_gpu_and_brings_its_kernels() {
    let folder = folder();
    for (options, name) in [
        ("--measured bench.csv --machine a100", "--machine"),
        ("--measured bench.csv --set leaves=nested", "run"),
        ("--measured bench.csv --set cost.visit_node=3", "run"),
        ("--measured bench.csv --width 16", "--width"),
        ("--measured bench.csv --what-if", "--report"),
        ("--measured bench.csv --counters bench.csv", "--counters"),
    ] {
        let output = simulate(&folder, options);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {error}");
        assert!(error.contains(name) && output.stdout.is_empty(), "{options}: {error}");
    }
    let output = folder.run(&format!("simulate scattered.obj {SIZE} --efficiency --measured bench.csv"));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn that_rates_are_of_older_kernels_is_said_before_they_are_simulated() {
    let folder = folder();
    let output = folder.run(&format!("simulate scattered.obj {SIZE} --machine h200 --measured bench.csv --sample 400"));
    let (error, table) = (text(&output.stderr), text(&output.stdout));
    let warning = "warning: not all of these rates are of today's kernels; the table's first lines say which";
    let at = error.find(warning).unwrap_or_else(|| panic!("{error}"));
    assert!(error.find("simulating").is_none_or(|progress| at < progress), "{error}");
    let first = table.lines().next().unwrap();
    assert!(first.contains("Nobody knows") || first.contains("has changed"), "{table}");
    // Who wants no notes reads the table's own.
    let quiet = simulate(&folder, "--measured bench.csv --sample 400");
    assert!(text(&quiet.stderr).is_empty() && text(&quiet.stdout).starts_with(first), "{quiet:?}");
}
