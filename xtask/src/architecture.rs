//! Dependencies point downwards: each crate may use what its row names and what those use, nothing
//! else. ARCHITECTURE.md shows the same table as a picture.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Names of each crate, and of the crates that it may depend on directly.
const ALLOWED: &[(&str, &[&str])] = &[
    ("raywarp-testing", &[]),
    ("raywarp-system", &[]),
    ("raywarp-lanes", &[]),
    ("raywarp-geom", &["raywarp-lanes"]),
    ("raywarp-sample", &["raywarp-geom"]),
    ("raywarp-bvh", &["raywarp-geom"]),
    ("raywarp-family", &[]),
    ("raywarp-papers", &[]),
    ("raywarp-costs", &["raywarp-family"]),
    ("raywarp-report", &["raywarp-family"]),
    ("raywarp-layout", &["raywarp-bvh", "raywarp-family"]),
    ("raywarp-traverse", &["raywarp-layout", "raywarp-family"]),
    ("raywarp-cpu", &["raywarp-layout", "raywarp-lanes"]),
    ("raywarp-cuda", &["raywarp-layout", "raywarp-family"]),
    ("raywarp-embree", &["raywarp-geom"]),
    ("raywarp-render-cuda", &["raywarp-cuda", "raywarp-render"]),
    ("raywarp-experiments", &["raywarp-render-cuda"]),
    ("raywarp-cuda-emulation", &["raywarp-cuda", "raywarp-render-cuda", "raywarp-testing"]),
    ("raywarp-workload", &["raywarp-scene", "raywarp-sample"]),
    ("raywarp-sim", &["raywarp-traverse", "raywarp-costs", "raywarp-papers"]),
    ("raywarp-scene", &["raywarp-geom"]),
    ("raywarp-render", &["raywarp-system", "raywarp-scene", "raywarp-sample", "raywarp-lanes"]),
    (
        "raywarp-bench",
        &[
            "raywarp-system",
            "raywarp-geom",
            "raywarp-bvh",
            "raywarp-layout",
            "raywarp-family",
            "raywarp-traverse",
            "raywarp-cpu",
            "raywarp-cuda",
            "raywarp-embree",
            "raywarp-papers",
            "raywarp-report",
            "raywarp-scene",
            "raywarp-render",
            "raywarp-workload",
            "raywarp-sim",
        ],
    ),
    (
        "raywarp-study",
        &["raywarp-papers", "raywarp-sim", "raywarp-bench", "raywarp-render", "raywarp-cpu", "raywarp-cuda"],
    ),
    (
        "raywarp",
        &[
            "raywarp-system",
            "raywarp-geom",
            "raywarp-sample",
            "raywarp-bvh",
            "raywarp-layout",
            "raywarp-family",
            "raywarp-cpu",
            "raywarp-cuda",
            "raywarp-scene",
            "raywarp-render",
            "raywarp-render-cuda",
        ],
    ),
    (
        "raywarp-lab",
        &[
            "raywarp",
            "raywarp-traverse",
            "raywarp-workload",
            "raywarp-sim",
            "raywarp-bench",
            "raywarp-study",
            "raywarp-experiments",
        ],
    ),
    ("raywarp-cli", &["raywarp", "raywarp-lab"]),
    ("raywarp-device-rays", &["raywarp"]),
    (
        "xtask",
        &[
            "xtask-checks",
            "raywarp-bench",
            "raywarp-costs",
            "raywarp-cuda",
            "raywarp-render-cuda",
            "raywarp-experiments",
            "raywarp-testing",
        ],
    ),
    ("xtask-checks", &[]),
    ("xtask-pictures", &["raywarp"]),
];

/// Name of a crate that may use only what its row names, not what those use.
const ONLY_DIRECT: &[&str] = &["raywarp-cli"];

/// Names of crates that integration tests of any crate may use as well; others' results are compared with the CPU
/// tracer's bits.
const DEV_ALLOWED: &[&str] = &[
    "raywarp-testing",
    "raywarp-bvh",
    "raywarp-cpu",
    "raywarp-workload",
    "raywarp-traverse",
    "raywarp-cuda-emulation",
    "raywarp-experiments",
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize, Clone)]
struct Dependency {
    name: String,
    kind: Option<String>,
    path: Option<String>,
}

/// Returns the crates that `name` may use: those of its row and, through them, what they use.
fn closure(name: &str) -> BTreeSet<&'static str> {
    let rows: BTreeMap<&str, &[&'static str]> = ALLOWED.iter().copied().collect();
    let mut allowed: BTreeSet<&'static str> = rows.get(name).copied().unwrap_or_default().iter().copied().collect();
    if ONLY_DIRECT.contains(&name) {
        return allowed;
    }
    let mut open: Vec<&str> = allowed.iter().copied().collect();
    while let Some(next) = open.pop() {
        for &below in rows.get(next).copied().unwrap_or_default() {
            if allowed.insert(below) {
                open.push(below);
            }
        }
    }
    allowed
}

/// Returns the forbidden dependencies of the workspace that `cargo metadata` describes.
fn faults(metadata: &Metadata) -> Vec<String> {
    let mut faults = Vec::new();
    for package in &metadata.packages {
        if !ALLOWED.iter().any(|(name, _)| *name == package.name) {
            faults.push(format!("{} has no row in xtask/src/architecture.rs", package.name));
            continue;
        }
        let allowed = closure(&package.name);
        for dependency in package.dependencies.iter().filter(|d| d.path.is_some()) {
            let dev = dependency.kind.as_deref() == Some("dev") && DEV_ALLOWED.contains(&dependency.name.as_str());
            if !allowed.contains(dependency.name.as_str()) && !dev {
                faults.push(format!("{} must not use {}", package.name, dependency.name));
            }
        }
    }
    faults
}

/// Reads the workspace and returns its forbidden dependencies.
pub fn check() -> Vec<String> {
    let output = std::process::Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    match output.map(|o| serde_json::from_slice::<Metadata>(&o.stdout)) {
        Ok(Ok(metadata)) => faults(&metadata),
        Ok(Err(error)) => vec![format!("cargo metadata is not understood: {error}")],
        Err(error) => vec![format!("cargo metadata cannot be run: {error}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_crates_depend_on_each_other_as_designed() {
        assert_eq!(check(), Vec::<String>::new());
    }

    /// Returns the files of programs and kernels below `folder` that name one of `names`.
    fn files_that_name(names: &[&str], folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_code = path.extension().is_some_and(|end| ["rs", "h", "cu"].iter().any(|&code| end == code));
            if path.is_dir() {
                files_that_name(names, &path, found);
            } else if is_code && names.iter().any(|name| std::fs::read_to_string(&path).unwrap().contains(name)) {
                found.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }

    /// Checks the number of files that adding a kind of tree touches: see ARCHITECTURE.md, "Where to start".
    #[test]
    fn a_tree_is_named_in_nine_files() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        for (kind, stem) in [("WideN", "wide_n"), ("Wide4", "wide4"), ("Qbvh4", "qbvh4")] {
            let names = [kind, &format!("mod {stem};"), &format!("{stem}.h\"")];
            let mut found = Vec::new();
            for entry in std::fs::read_dir(&crates).unwrap() {
                let folders = ["src", "kernels"].map(|folder| entry.as_ref().unwrap().path().join(folder));
                folders.iter().filter(|folder| folder.is_dir()).for_each(|f| files_that_name(&names, f, &mut found));
            }
            let mut found: Vec<&str> =
                found.iter().filter_map(|file| file.split_once("../crates/")).map(|f| f.1).collect();
            found.sort_unstable();
            let mut expected = [
                "cuda/kernels/options.h",
                "cuda/kernels/tree/tree.h",
                &format!("cuda/kernels/tree/{stem}.h"),
                "cuda/src/headers.rs",
                "family/src/tree.rs",
                "layout/src/tree/mod.rs",
                &format!("layout/src/tree/{stem}.rs"),
                "traverse/src/tree/mod.rs",
                &format!("traverse/src/tree/{stem}.rs"),
            ];
            expected.sort_unstable();
            assert_eq!(found, expected, "{stem}");
        }
    }

    fn package(name: &str, uses: &str, kind: Option<&str>) -> Metadata {
        let dependency = Dependency { name: uses.into(), kind: kind.map(str::to_string), path: Some("x".into()) };
        Metadata { packages: vec![Package { name: name.into(), dependencies: vec![dependency] }] }
    }

    #[test]
    fn an_arrow_that_points_upwards_is_found() {
        assert_eq!(faults(&package("raywarp-bvh", "raywarp-scene", None)).len(), 1);
        assert_eq!(faults(&package("raywarp-system", "raywarp-geom", None)).len(), 1);
        assert_eq!(faults(&package("raywarp-render", "raywarp-layout", None)).len(), 1);
        assert_eq!(faults(&package("raywarp-render", "raywarp-bvh", None)).len(), 1);
        assert_eq!(faults(&package("raywarp-cli", "raywarp-geom", None)).len(), 1);
        assert_eq!(faults(&package("raywarp-new", "raywarp-geom", None)).len(), 1);
        assert!(faults(&package("raywarp-render", "raywarp-bvh", Some("dev"))).is_empty());
        assert!(faults(&package("raywarp-cpu", "raywarp-geom", None)).is_empty());
    }
}
