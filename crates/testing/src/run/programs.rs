//! The programs of tests that cargo built: which they are, and how one is run as cargo runs it.

use super::output_of;
use super::tally::Tally;
use raywarp_testing::NOTES;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Test binary that cargo has built.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    executable: PathBuf,
    /// Folder of the package, in which its tests run.
    folder: PathBuf,
    /// Name of the package.
    package: String,
    /// Name of the test target within its package.
    target: String,
}

impl Program {
    /// Parses a line of cargo's messages (`--message-format=json`); `None` if it is not about a test binary.
    pub fn parse(message: &str) -> Option<Self> {
        // One document a line, in which each key that is read here stands before any text of others; the profile, which
        // says whether this is a program of tests, before the features.
        let is_test =
            message.contains(r#""reason":"compiler-artifact""#) && message.contains(r#""test":true},"features""#);
        let executable = is_test.then(|| value(message, "executable")).flatten()?;
        let manifest = PathBuf::from(value(message, "manifest_path")?);
        // `path+file:///work/crates/geom#raywarp-geom@0.1.0`, or `...#0.1.0` where the folder has the package's name.
        let id = value(message, "package_id")?;
        let (place, name) = id.rsplit_once('#')?;
        let package = name.split_once('@').map_or_else(|| place.rsplit('/').next().unwrap_or(name), |(name, _)| name);
        let target = value(message.split_once(r#""target":"#)?.1, "name")?;
        Some(Self {
            executable: executable.into(),
            folder: manifest.parent()?.to_path_buf(),
            package: package.to_string(),
            target,
        })
    }

    /// Returns the binary's name for output, such as `raywarp-geom tests`.
    pub fn name(&self) -> String {
        format!("{} {}", self.package, self.target)
    }

    /// Runs the test binary with `arguments`; returns its exit status, its combined output and the counts in that.
    pub fn run(&self, arguments: &[String], notes: &Path, timed: bool) -> io::Result<(ExitStatus, Vec<u8>, Tally)> {
        let mut command = Command::new(&self.executable);
        command.args(arguments).current_dir(&self.folder).env(NOTES, notes);
        command.env("CARGO_MANIFEST_DIR", &self.folder).env("CARGO_PKG_NAME", &self.package);
        if timed {
            // The stable toolchain's tests say how long they take if this is set when they run.
            command.args(["-Z", "unstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
        }
        let (status, output) = output_of(command)?;
        let mut tally = Tally::of(self.name());
        String::from_utf8_lossy(&output).lines().for_each(|line| tally.read(line));
        Ok((status, output, tally))
    }
}

/// Returns the first string value of `key` in a JSON document.
fn value(document: &str, key: &str) -> Option<String> {
    let (_, rest) = document.split_once(&format!("\"{key}\":\""))?;
    let mut text = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///work/crates/geom#raywarp-geom@0.1.0","manifest_path":"/work/crates/geom/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"raywarp_geom","src_path":"/work/crates/geom/src/lib.rs","edition":"2024","doc":true,"doctest":true,"test":true},"profile":{"opt_level":"3","debuginfo":0,"debug_assertions":false,"overflow_checks":false,"test":true},"features":[],"filenames":["/t/release/deps/raywarp_geom-b87e"],"executable":"/t/release/deps/raywarp_geom-b87e","fresh":true}"#;

    #[test]
    fn programs_of_tests_are_found_among_cargos_messages() {
        let found = Program::parse(TEST).unwrap();
        let want = Program {
            executable: "/t/release/deps/raywarp_geom-b87e".into(),
            folder: "/work/crates/geom".into(),
            package: "raywarp-geom".into(),
            target: "raywarp_geom".into(),
        };
        assert_eq!(found, want);
        // The same as a library that others use, which has no program; a package whose folder has its name.
        let library = TEST.replace(r#""executable":"/t/release/deps/raywarp_geom-b87e""#, r#""executable":null"#);
        assert_eq!(Program::parse(&library), None);
        assert_eq!(Program::parse(&TEST.replace(r#","test":true},"features""#, r#","test":false},"features""#)), None);
        let named = TEST.replace("#raywarp-geom@0.1.0", "#0.1.0");
        assert_eq!(Program::parse(&named).unwrap().package, "geom");
        assert_eq!(Program::parse(r#"{"reason":"build-finished","success":true}"#), None);
        assert_eq!(value(r#"{"a":"C:\\x \"y\""}"#, "a").unwrap(), r#"C:\x "y""#);
    }
}
