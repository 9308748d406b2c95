//! The workspace's packages as `cargo metadata` describes them, and which of their features a door's own turn on.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A package of the workspace, as `cargo metadata` describes it.
#[derive(Debug, Clone, Deserialize)]
pub struct Package {
    /// Name of the package, with hyphens.
    pub name: String,
    /// Path of the package's `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// Packages that the package depends on, in the workspace and outside.
    pub dependencies: Vec<Dependency>,
    /// Features of the package, with what each turns on.
    pub features: BTreeMap<String, Vec<String>>,
    /// Libraries, programs and tests of the package.
    pub targets: Vec<Target>,
    /// Registries that the package may be published to; an empty list for `publish = false`.
    pub publish: Option<Vec<String>>,
}

impl Package {
    /// Returns `true` if the package may be published to a registry.
    pub fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    /// Returns the package's folder, relative to the workspace's root.
    pub fn folder(&self, root: &Path) -> String {
        let folder = self.manifest_path.parent().expect("a file is in a folder");
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().replace('\\', "/")
    }
}

/// A library, program or test of a package.
#[derive(Debug, Clone, Deserialize)]
pub struct Target {
    /// Kinds of the target, such as `lib`, `bin` and `test`.
    pub kind: Vec<String>,
    /// Path of the target's first source file.
    pub src_path: PathBuf,
}

/// A dependency of a package, as `cargo metadata` describes it.
#[derive(Debug, Clone, Deserialize)]
pub struct Dependency {
    /// Name of the package that is depended on.
    pub name: String,
    /// Name by which the depending package calls it, if another.
    pub rename: Option<String>,
    /// Kind of the dependency: `dev`, `build`, or `None` for an ordinary one.
    pub kind: Option<String>,
    /// `true` if only a feature turns the dependency on.
    pub optional: bool,
    /// `true` if the feature `default` of the dependency is on.
    pub uses_default_features: bool,
    /// Features of the dependency that are turned on.
    pub features: Vec<String>,
    /// Folder of the dependency, if it is a package of the workspace.
    pub path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// Returns the packages of the workspace at `root`, from `cargo metadata`.
///
/// # Errors
/// Text that says why `cargo metadata` could not be run or understood.
pub fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let output = std::process::Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata fails: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata is not understood: {error}"))?;
    Ok(metadata.packages)
}

/// Returns the active features of each package when `door` is compiled with `features`; packages that it does not use
/// are absent.
pub fn active(packages: &[Package], door: &str, features: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let by_name: BTreeMap<&str, &Package> = packages.iter().map(|package| (package.name.as_str(), package)).collect();
    let mut on: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open: Vec<(String, Vec<String>)> = vec![(door.to_string(), features.to_vec())];
    while let Some((name, wanted)) = open.pop() {
        let Some(package) = by_name.get(name.as_str()) else { continue };
        let is_new = !on.contains_key(&name);
        let have = on.entry(name.clone()).or_default();
        let before = have.len();
        let mut wanted = wanted;
        while let Some(feature) = wanted.pop() {
            if have.insert(feature.clone()) {
                wanted.extend(package.features.get(&feature).into_iter().flatten().cloned());
            }
        }
        if !is_new && have.len() == before {
            continue;
        }
        let have = have.clone();
        for dependency in package.dependencies.iter().filter(|d| d.kind.is_none() && d.path.is_some()) {
            let local = dependency.rename.as_ref().unwrap_or(&dependency.name);
            let named = |f: &String| f == &format!("dep:{local}") || f == local || f.starts_with(&format!("{local}/"));
            if dependency.optional && !have.iter().any(named) {
                continue;
            }
            let mut theirs = dependency.features.clone();
            if dependency.uses_default_features {
                theirs.push("default".into());
            }
            let asked = have.iter().filter_map(|f| f.split_once('/'));
            theirs.extend(asked.filter(|(of, _)| of.trim_end_matches('?') == local).map(|(_, f)| f.to_string()));
            open.push((dependency.name.clone(), theirs));
        }
    }
    on
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, features: &[(&str, &[&str])], uses: &[(&str, bool)]) -> Package {
        let dependency = |&(name, optional): &(&str, bool)| Dependency {
            name: name.into(),
            rename: None,
            kind: None,
            optional,
            uses_default_features: true,
            features: Vec::new(),
            path: Some("x".into()),
        };
        Package {
            name: name.into(),
            manifest_path: "x/Cargo.toml".into(),
            dependencies: uses.iter().map(dependency).collect(),
            features: features
                .iter()
                .map(|(name, on)| (name.to_string(), on.iter().map(ToString::to_string).collect()))
                .collect(),
            targets: Vec::new(),
            publish: None,
        }
    }

    #[test]
    fn a_feature_turns_on_optional_crates_and_their_features() {
        let door = package(
            "door",
            &[("default", &["gpu"]), ("gpu", &["dep:gpu"]), ("fast", &["gpu?/fast"])],
            &[("gpu", true)],
        );
        let gpu = package("gpu", &[("fast", &[])], &[("geom", false)]);
        let packages = [door, gpu, package("geom", &[], &[])];
        let on = |features: &[&str]| {
            active(&packages, "door", &features.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert!(!on(&[]).contains_key("gpu"));
        assert!(!on(&["fast"]).contains_key("gpu"));
        assert!(!on(&["default"])["gpu"].contains("fast"));
        assert!(on(&["default", "fast"])["gpu"].contains("fast"));
        assert!(on(&["default"]).contains_key("geom"));
    }
}
