//! A planted bug as a patch file, and how it is put into a tree.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A bug to plant, as a patch with the test that must catch it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Area (a folder of xtask/plants) and name of the bug: `cpu/a-packet-across-octants`.
    pub name: String,
    /// Arguments of the `cargo test --release` that must fail with the bug.
    pub test: Vec<String>,
    /// `true` if the bug keeps a warp from ever ending, and tests that do not end count as having caught it.
    pub may_hang: bool,
    /// Line of the patch that describes the bug.
    pub bug: String,
    path: PathBuf,
    hunks: Vec<Hunk>,
}

/// A place in a file that a patch changes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    /// Path of the file, from the workspace's root.
    file: String,
    /// Lines that the patch expects there: those that it removes, and those around them.
    before: Vec<String>,
}

/// Returns all bugs to plant of the workspace at `root`, by name.
///
/// # Errors
/// One line: a file that cannot be read, or whose first line names no test.
pub fn all(root: &Path) -> Result<Vec<Patch>, String> {
    let folder = root.join("xtask/plants");
    let mut found = Vec::new();
    for path in entries(&folder)?.iter().map(|area| entries(area)).collect::<Result<Vec<_>, _>>()?.concat() {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.strip_prefix(&folder).unwrap_or(&path).with_extension("").to_string_lossy().into_owned();
        let patch = Patch::parse(&name, &path, &text);
        found.push(patch.ok_or_else(|| format!("{}: line 1 is not `cargo test ... fails: BUG`", path.display()))?);
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(listed.flatten().map(|entry| entry.path()).collect())
}

impl Patch {
    fn parse(name: &str, path: &Path, text: &str) -> Option<Self> {
        let (first, diff) = text.split_once('\n')?;
        let said = first.strip_prefix("cargo test ")?;
        let (may_hang, (test, bug)) = match said.split_once(" fails or never ends: ") {
            Some(parts) => (true, parts),
            None => (false, said.split_once(" fails: ")?),
        };
        Some(Self {
            name: name.to_string(),
            test: test.split(' ').map(str::to_string).collect(),
            may_hang,
            bug: bug.to_string(),
            path: path.to_path_buf(),
            hunks: hunks(diff),
        })
    }

    /// Returns `true` if `name` is the bug's area, or its own name.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.name.split('/').next() == Some(name)
    }

    /// Applies the bug's patch to the tree at `folder`.
    ///
    /// # Errors
    /// As [`Patch::check`].
    pub fn apply(&self, folder: &Path) -> Result<(), String> {
        self.check(folder)?;
        self.git_apply(folder, &[])
    }

    /// Checks that the patch fits the tree at `folder` at exactly one place: with little context it could fit others
    /// too, of which `git apply` would take the nearest.
    ///
    /// # Errors
    /// One line: no file or place for a change, or several places.
    pub fn check(&self, folder: &Path) -> Result<(), String> {
        for Hunk { file, before } in &self.hunks {
            let told = |what: String| format!("xtask/plants/{}.patch: {file}: {what}", self.name);
            let text = std::fs::read_to_string(folder.join(file)).map_err(|error| told(error.to_string()))?;
            let lines: Vec<&str> = text.lines().collect();
            match lines.windows(before.len()).filter(|lines| *lines == before).count() {
                1 => {}
                places => return Err(told(format!("its lines stand at {places} places: {:?}", before.join("\n")))),
            }
        }
        self.git_apply(folder, &["--check"])
    }

    fn git_apply(&self, folder: &Path, options: &[&str]) -> Result<(), String> {
        let mut git = Command::new("git");
        // Within a repository's folder that is not its root git would leave out files without a word.
        git.current_dir(folder).env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder));
        let ran = git.arg("apply").args(options).arg(&self.path).stdin(Stdio::null()).output();
        let output = ran.map_err(|error| format!("git cannot be run: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(()) } else { Err(format!("xtask/plants/{}.patch: {said}", self.name)) }
    }
}

fn hunks(diff: &str) -> Vec<Hunk> {
    let (mut found, mut file): (Vec<Hunk>, &str) = (Vec::new(), "");
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("--- a/") {
            file = path;
        } else if line.starts_with("@@ ") {
            found.push(Hunk { file: file.to_string(), before: Vec::new() });
        } else if let (Some(hunk), Some(text)) = (found.last_mut(), line.strip_prefix([' ', '-'])) {
            hunk.before.push(text.to_string());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }

    #[test]
    fn every_planted_bug_has_one_place_where_it_applies() {
        let all = all(root()).unwrap();
        let faults: Vec<String> = all.iter().filter_map(|patch| patch.check(root()).err()).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(all.iter().all(|patch| !patch.hunks.is_empty()));
    }

    /// Writes the tables of scattering models, or compares them with the present ones; returns `true` if these are up
    /// to date.
    fn crates() -> std::collections::BTreeMap<String, PathBuf> {
        let folders = entries(&root().join("crates"))
            .unwrap()
            .into_iter()
            .chain([root().join("xtask"), root().join("xtask/checks")]);
        let named = |folder: PathBuf| {
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
            Some((name.trim_matches('"').to_string(), folder))
        };
        folders.filter_map(named).collect()
    }

    #[test]
    fn the_tests_that_catch_bugs_are_there() {
        let crates = crates();
        let after = |test: &[String], option: &str| -> Vec<String> {
            test.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1].clone()).collect()
        };
        for patch in all(root()).unwrap() {
            let folders: Vec<_> = after(&patch.test, "-p").iter().filter_map(|name| crates.get(name)).collect();
            // Most crates have one program of tests, a module a file.
            let module = patch.test.last().and_then(|filter| filter.strip_suffix("::"));
            let is_there = |test: &String| {
                let name = module.filter(|_| test == "tests").unwrap_or(if test == "tests" { "main" } else { test });
                let files = [format!("{name}.rs"), format!("{name}/main.rs"), format!("{name}/mod.rs")];
                folders.iter().any(|folder| files.iter().any(|file| folder.join("tests").join(file).exists()))
            };
            let tests = after(&patch.test, "--test");
            assert!(!folders.is_empty() && tests.iter().all(is_there), "{}: cargo test {:?}", patch.name, patch.test);
        }
    }

    #[test]
    fn bugs_that_fit_nowhere_or_at_two_places_do_not_apply() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let path = folder.join("bug.patch");
        let text = "cargo test -p a counted:: fails or never ends: b: c\n--- a/x.rs\n+++ b/x.rs\n\
            @@ -5,3 +5,3 @@\n {\n-  one\n+  two\n }\n";
        std::fs::write(&path, text).unwrap();
        let patch = Patch::parse("x/bug", &path, text).unwrap();
        assert_eq!((patch.test.join(" "), patch.may_hang, &*patch.bug), ("-p a counted::".to_string(), true, "b: c"));
        assert!(patch.is_named("x") && patch.is_named("x/bug") && !patch.is_named("bug"));
        let applied = |source: &str| {
            std::fs::write(folder.join("x.rs"), source).unwrap();
            patch.apply(folder).map(|()| std::fs::read_to_string(folder.join("x.rs")).unwrap())
        };
        assert_eq!(applied("// Further down.\n{\n  one\n}\n"), Ok("// Further down.\n{\n  two\n}\n".to_string()));
        assert!(applied("{\n  one \n}\n").unwrap_err().contains("0 places"));
        assert!(applied("{\n  one\n}\n{\n  one\n}\n").unwrap_err().contains("2 places"));
    }
}
