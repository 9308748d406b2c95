//! What the project's recorded runs are of, embedded: copies of `bench/runs/*/run.toml`.

use super::RecordedRun;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Names and texts of the runs.
const TEXTS: &[(&str, &str)] = &[
    ("2026-11-21-h200-2", include_str!("../../runs/2026-11-21-h200-2/run.toml")),
    ("2026-11-21-h200-3", include_str!("../../runs/2026-11-21-h200-3/run.toml")),
    ("2026-11-21-h200-4", include_str!("../../runs/2026-11-21-h200-4/run.toml")),
    ("2026-11-21-h200", include_str!("../../runs/2026-11-21-h200/run.toml")),
    ("2026-11-22-h200-2", include_str!("../../runs/2026-11-22-h200-2/run.toml")),
    ("2026-11-22-h200-3", include_str!("../../runs/2026-11-22-h200-3/run.toml")),
    ("2026-11-22-h200-alone", include_str!("../../runs/2026-11-22-h200-alone/run.toml")),
    ("2026-11-22-h200-simulate", include_str!("../../runs/2026-11-22-h200-simulate/run.toml")),
    ("2026-11-22-h200", include_str!("../../runs/2026-11-22-h200/run.toml")),
    ("2026-11-23-h200-2", include_str!("../../runs/2026-11-23-h200-2/run.toml")),
    ("2026-11-23-h200-3", include_str!("../../runs/2026-11-23-h200-3/run.toml")),
    ("2026-11-23-h200", include_str!("../../runs/2026-11-23-h200/run.toml")),
    ("2026-11-24-h200", include_str!("../../runs/2026-11-24-h200/run.toml")),
    ("2026-11-25-h100-2", include_str!("../../runs/2026-11-25-h100-2/run.toml")),
    ("2026-11-25-h100", include_str!("../../runs/2026-11-25-h100/run.toml")),
    ("2026-11-25-h200-2", include_str!("../../runs/2026-11-25-h200-2/run.toml")),
    ("2026-11-25-h200", include_str!("../../runs/2026-11-25-h200/run.toml")),
    ("2026-11-26-h100-x2-2", include_str!("../../runs/2026-11-26-h100-x2-2/run.toml")),
    ("2026-11-26-h100-x2", include_str!("../../runs/2026-11-26-h100-x2/run.toml")),
    ("2026-11-26-h200-2", include_str!("../../runs/2026-11-26-h200-2/run.toml")),
    ("2026-11-26-h200-3", include_str!("../../runs/2026-11-26-h200-3/run.toml")),
    ("2026-11-26-h200", include_str!("../../runs/2026-11-26-h200/run.toml")),
    ("2026-11-28-h100-samples", include_str!("../../runs/2026-11-28-h100-samples/run.toml")),
    ("2026-11-28-h100", include_str!("../../runs/2026-11-28-h100/run.toml")),
    ("2026-11-29-h200", include_str!("../../runs/2026-11-29-h200/run.toml")),
];

/// Returns all runs by name.
pub(super) fn runs() -> &'static BTreeMap<&'static str, RecordedRun> {
    static RUNS: LazyLock<BTreeMap<&'static str, RecordedRun>> = LazyLock::new(|| {
        let parse = |&(name, text): &(&'static str, &str)| {
            // Damaged ones are found by the tests.
            (name, RecordedRun::parse(text).unwrap_or_else(|error| panic!("runs/{name}: {error}")))
        };
        TEXTS.iter().map(parse).collect()
    });
    &RUNS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CodeThen;
    use raywarp_cuda::{Query, kernel_name};
    use raywarp_family::Variant;

    #[test]
    fn every_run_parses_and_names_its_files_and_kernels_once() {
        for (name, run) in runs() {
            assert!(run.date.starts_with("2026-") && name.starts_with(&run.date), "{name}");
            let mut files: Vec<&String> = run.files.iter().flat_map(|files| &files.names).collect();
            let all = files.len();
            files.sort();
            files.dedup();
            assert!(all > 0 && files.len() == all, "{name}");
            for of in &run.files {
                let known = |kernel: &String| of.code.contains_key(kernel);
                assert!(!of.unknown_kernels.iter().any(known), "{name}, {:?}", of.names);
                assert_eq!(of.unknown.is_some(), !of.unknown_kernels.is_empty(), "{name}, {:?}", of.names);
                assert_eq!(of.commit.is_some(), !of.code.is_empty(), "{name}, {:?}", of.names);
            }
        }
    }

    /// Compares with the folder of runs, where the repository is at hand.
    #[test]
    fn every_run_with_a_file_of_facts_is_embedded_and_has_its_files() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/runs");
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.map(|entry| entry.unwrap()) {
            let name = entry.file_name().into_string().unwrap();
            let has_facts = entry.path().join(crate::corpus::FILE).exists();
            assert_eq!(has_facts, runs().contains_key(&*name), "{name}");
            // Every run on a GPU of which rates or counters are kept says of which kernels they are.
            assert!(has_facts || !name.contains("h100") && !name.contains("h200"), "{name}");
            for file in runs().get(&*name).into_iter().flat_map(|run| run.files.iter().flat_map(|of| &of.names)) {
                assert!(entry.path().join(file).is_file(), "{name}/{file}");
            }
        }
    }

    #[test]
    fn a_run_of_which_the_code_is_known_says_it() {
        let run = RecordedRun::built_in("2026-11-25-h200-2").unwrap();
        let of = |file: &str| run.code_in(file, &kernel_name(&Variant::RAYWARP_H8, Query::Closest));
        assert_eq!(of("bench-tuned.csv"), CodeThen::Known("e0fa5c1eda1898eb".parse().unwrap()));
        assert_eq!(of("bench-held.csv"), of("bench-tuned.csv"));
        assert_eq!(RecordedRun::built_in("2026-11-25-h200-3"), None);
        assert!(RecordedRun::names().any(|name| name == "2026-11-25-h200-2"));
    }
}
