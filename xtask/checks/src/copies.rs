//! Files that stand at the workspace's root for people, and again in the crates that need them: a package on a registry
//! holds what is in its folder alone.

use crate::api::Package;
use std::path::Path;

/// Folders of data: the one that people edit, the one with copies in the crate that embeds them, and the ending of the
/// files.
const DATA: &[(&str, &str, &str)] = &[
    ("machines", "crates/sim/machines", ".toml"),
    ("papers", "crates/papers/papers", ".toml"),
    ("bench/runs", "crates/bench/runs", "run.toml"),
];

/// Names of the license files, which each published crate has copies of.
const LICENSES: &[&str] = &["LICENSE-MIT", "LICENSE-APACHE"];

/// A file and its copy in a crate, as paths from the workspace's root.
pub struct Copy {
    /// Path of the file that people edit.
    pub of: String,
    /// Path of the copy in the crate.
    pub to: String,
}

/// Returns all copies that there should be.
pub fn all(root: &Path, packages: &[Package]) -> Vec<Copy> {
    let mut copies = Vec::new();
    for &(from, to, ending) in DATA.iter().filter(|(from, ..)| root.join(from).is_dir()) {
        for of in crate::files::ending(root, from, &[ending]) {
            let name = of.strip_prefix(from).expect("a file of the folder");
            copies.push(Copy { to: format!("{to}{name}"), of });
        }
    }
    for package in packages.iter().filter(|package| package.is_published()) {
        let folder = package.folder(root);
        copies.extend(LICENSES.iter().map(|name| Copy { of: name.to_string(), to: format!("{folder}/{name}") }));
    }
    copies
}

/// Returns a line for each copy that is missing, that differs, or whose original is gone.
pub fn faults(root: &Path, packages: &[Package]) -> Vec<String> {
    let copies = all(root, packages);
    let read = |file: &str| std::fs::read(root.join(file)).ok();
    let differs = |copy: &&Copy| read(&copy.of) != read(&copy.to);
    let mut faults: Vec<String> = copies
        .iter()
        .filter(differs)
        .map(|copy| format!("{} is not what {} is; `cargo xtask copies` writes it", copy.to, copy.of))
        .collect();
    for &(_, to, ending) in DATA.iter().filter(|(_, to, _)| root.join(to).exists()) {
        let extra = crate::files::ending(root, to, &[ending]);
        let extra = extra.into_iter().filter(|file| !copies.iter().any(|copy| copy.to == *file));
        faults.extend(extra.map(|file| format!("{file} is a copy of nothing")));
    }
    faults
}

/// Writes all copies of files that crates embed.
///
/// # Errors
/// Text that names a file that cannot be written.
pub fn write(root: &Path, packages: &[Package]) -> Result<(), String> {
    for copy in all(root, packages) {
        let to = root.join(&copy.to);
        let folder = to.parent().expect("a file is in a folder");
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        std::fs::copy(root.join(&copy.of), &to).map_err(|error| format!("{}: {error}", copy.to))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::packages;

    #[test]
    fn copies_in_crates_are_what_the_files_at_the_root_are() {
        let root = crate::root();
        let faults = faults(&root, &packages(&root).unwrap());
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn a_copy_that_differs_and_one_of_nothing_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("machines")).unwrap();
        std::fs::write(root.join("machines/a.toml"), "a = 1\n").unwrap();
        write(root, &[]).unwrap();
        assert!(faults(root, &[]).is_empty());
        std::fs::write(root.join("machines/a.toml"), "a = 2\n").unwrap();
        std::fs::write(root.join("crates/sim/machines/b.toml"), "").unwrap();
        assert_eq!(faults(root, &[]).len(), 2);
    }
}
