//! Recorded runs stay as they were recorded: rates, hashes of rays and trees, commands and commits.
//!
//! `bench/runs/sums.txt` has a line for each run, a hash of its files but for what is said of them in Markdown. A page
//! that is made of a run is of what was measured then, so that a change of a run is a fault, not a reason to make pages
//! again.

use std::collections::BTreeMap;
use std::path::Path;

const RUNS: &str = "bench/runs";
/// Name of the file with a hash of each run.
const SUMS: &str = "bench/runs/sums.txt";

/// Returns a line for each run that is not what it was when it was recorded; none where there are no runs.
pub fn faults(root: &Path) -> Vec<String> {
    if !root.join(SUMS).is_file() {
        return Vec::new();
    }
    let (then, today) = (written(root), sums(root));
    let runs: std::collections::BTreeSet<&String> = then.keys().chain(today.keys()).collect();
    let fault = |run: &String| match (then.get(run), today.get(run)) {
        (Some(then), Some(today)) if then == today => None,
        (Some(_), Some(_)) => Some(format!(
            "{RUNS}/{run}: a file of it is not what was recorded; if that is meant, take its line out of {SUMS}, and \
             `cargo xtask copies` writes another"
        )),
        (Some(_), None) => Some(format!("{SUMS} has {run}, which is not there")),
        (None, _) => Some(format!("{SUMS} has no line of {run}; `cargo xtask copies` writes it")),
    };
    runs.into_iter().filter_map(fault).collect()
}

/// Adds the runs that have no line yet. Those that have one keep it.
///
/// # Errors
/// Text that names a file that cannot be written.
pub fn add(root: &Path) -> Result<(), String> {
    if !root.join(RUNS).is_dir() {
        return Ok(());
    }
    let mut all = sums(root);
    all.extend(written(root));
    let text: String = all.iter().map(|(run, sum)| format!("{sum}  {run}\n")).collect();
    std::fs::write(root.join(SUMS), text).map_err(|error| format!("{SUMS}: {error}"))
}

/// Returns the hashes that are written down, by run.
fn written(root: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root.join(SUMS)).unwrap_or_default();
    let line = |line: &str| line.split_once("  ").map(|(sum, run)| (run.to_string(), sum.to_string()));
    text.lines().filter_map(line).collect()
}

/// Returns the hash of each run that is there.
fn sums(root: &Path) -> BTreeMap<String, String> {
    let mut hashes: BTreeMap<String, u64> = BTreeMap::new();
    for file in crate::files::ending(root, RUNS, &[""]) {
        let Some((run, name)) = file.strip_prefix(RUNS).and_then(|name| name[1..].split_once('/')) else { continue };
        if name.ends_with(".md") {
            continue;
        }
        let bytes = std::fs::read(root.join(&file)).unwrap_or_default();
        let hash = hashes.entry(run.to_string()).or_insert(0xCBF2_9CE4_8422_2325);
        *hash = [name.as_bytes(), &[0], &bytes, &[0]].into_iter().flatten().fold(*hash, step);
    }
    hashes.into_iter().map(|(run, hash)| (run, format!("{hash:016x}"))).collect()
}

/// FNV-1a of 64 bits: one byte that differs makes another hash.
fn step(hash: u64, byte: &u8) -> u64 {
    (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_as_they_were_recorded() {
        let root = crate::root();
        assert!(written(&root).len() > 20);
        assert_eq!(faults(&root), Vec::<String>::new());
    }

    #[test]
    fn a_digit_a_file_and_a_run_that_change_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |name: &str, text: &str| {
            let path = root.join(RUNS).join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("day-gpu/run.toml", "trees = \"good\"\n");
        write("day-gpu/bench.csv", "a,b\n1,2\n");
        write("day-gpu/README.md", "words\n");
        write("day-cpu/one.txt", "3\n");
        add(root).unwrap();
        assert_eq!(faults(root), Vec::<String>::new());
        write("day-gpu/README.md", "other words\n");
        assert_eq!(faults(root), Vec::<String>::new());
        write("day-gpu/bench.csv", "a,b\n1,3\n");
        // A run that changed keeps its line until that is taken out.
        add(root).unwrap();
        assert!(faults(root)[0].contains("day-gpu: a file of it is not what was recorded"), "{:?}", faults(root));
        write("day-gpu/bench.csv", "a,b\n1,2\n");
        write("day-gpu/more.csv", "");
        assert_eq!(faults(root).len(), 1);
        std::fs::remove_file(root.join(RUNS).join("day-gpu/more.csv")).unwrap();
        write("late/one.txt", "4\n");
        assert!(faults(root)[0].contains("no line of late"), "{:?}", faults(root));
        std::fs::remove_dir_all(root.join(RUNS).join("day-cpu")).unwrap();
        assert_eq!(faults(root).len(), 2);
    }
}
