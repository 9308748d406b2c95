//! Recorded runs: of which machine code their kernels were, and whether that is today's.
//!
//! `bench/runs/NAME/run.toml` says it of each run of the project, and a recorded bench has one beside its tables
//! (bench/runs/README.md has the format). Rates and counters of a kernel say something of today's
//! only where its machine code is the same.

mod built_in;
mod inputs;
mod state;
mod text;

pub use inputs::{RecordedInput, read_inputs};
pub use state::{CodeState, CodeThen};

use raywarp_cuda::CodeHash;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the file that says what a recorded run is of.
pub const FILE: &str = "run.toml";

/// Facts of a recorded run: machine, day and, for each of its files, command, rays, trees and kernels.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRun {
    /// Day of the run, UTC.
    pub date: String,
    /// Name of the GPU or CPU, as its driver or system tells it.
    pub machine: String,
    /// Version of the GPU's driver; `None` where it is not known.
    pub driver: Option<String>,
    /// Clock rate of the GPU while it ran, in MHz; `None` where it is not known.
    pub clock_mhz: Option<f64>,
    /// Architecture that the kernels were compiled for (90 for compute capability 9.0); `None` for a CPU.
    pub architecture: Option<u32>,
    /// Commit of the program; `None` where it is not known, and where files differ in it.
    pub commit: Option<String>,
    /// Files of the run, those together that one command made.
    #[serde(default)]
    pub files: Vec<RecordedFiles>,
}

/// Files of a recorded run that were made alike.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedFiles {
    /// Names of the files.
    pub names: Vec<String>,
    /// Command that made them.
    pub command: String,
    /// Rays that were traced, in words: how to make them. Hashes of them are in `bench.csv` itself.
    pub rays: Option<String>,
    /// Trees that were walked, in words: presets or build options. Hashes of them are in `bench.csv` itself.
    pub trees: Option<String>,
    /// Commit that embeds the kernels which ran; `None` where it is not known.
    pub commit: Option<String>,
    /// Reason why the machine code of `unknown_kernels` is not known.
    pub unknown: Option<String>,
    /// Names of kernels whose machine code is not known.
    #[serde(default)]
    pub unknown_kernels: Vec<String>,
    /// Hashes of the machine code of the other kernels, by name.
    #[serde(default, deserialize_with = "hashes")]
    pub code: BTreeMap<String, CodeHash>,
}

/// Reads hashes by name.
fn hashes<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, CodeHash>, D::Error> {
    let texts = BTreeMap::<String, String>::deserialize(from)?;
    let read = |(name, text): (String, String)| {
        let hash = text.parse().map_err(|error| serde::de::Error::custom(format!("{name}: {error}")))?;
        Ok((name, hash))
    };
    texts.into_iter().map(read).collect()
}

/// A kernel of a recorded run.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCode<'a> {
    /// Names of the files that have its rates or counters.
    pub files: &'a [String],
    /// Name of the kernel ([`raywarp_cuda::kernel_name`]).
    pub kernel: &'a str,
    /// Its machine code then.
    pub then: CodeThen,
}

impl RecordedRun {
    /// Parses a `run.toml`.
    ///
    /// # Errors
    /// What is no such file, or has keys that nobody knows.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Returns a run of the project (`bench/runs`) by the name of its folder; `None` if it has no run of this name, or
    /// one without kernels.
    pub fn built_in(name: &str) -> Option<&'static Self> {
        built_in::runs().get(name)
    }

    /// Returns the names of the project's runs that say of which kernels they are, oldest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        built_in::runs().keys().copied()
    }

    /// Reads the `run.toml` beside a file of a run; `None` if there is none.
    ///
    /// # Errors
    /// Text that says what is wrong with it.
    pub fn beside(file: &Path) -> Result<Option<Self>, String> {
        let path = file.with_file_name(FILE);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| format!("{}: {error}", path.display()))?,
        };
        Self::parse(&text).map(Some).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Returns all kernels of the run, file by file.
    pub fn kernels(&self) -> impl Iterator<Item = RecordedCode<'_>> {
        self.files.iter().flat_map(|files| {
            let code = |(kernel, then)| RecordedCode { files: &files.names, kernel, then };
            let known = files.code.iter().map(|(kernel, hash)| (kernel.as_str(), CodeThen::Known(*hash)));
            let unknown = files.unknown_kernels.iter().map(|kernel| (kernel.as_str(), files.why_unknown()));
            known.chain(unknown).map(code)
        })
    }

    /// Returns what is known of a kernel's machine code in one file of the run.
    pub fn code_in(&self, file: &str, kernel: &str) -> CodeThen {
        let own = |code: &RecordedCode<'_>| code.kernel == kernel && code.files.iter().any(|name| name == file);
        let found = self.kernels().find(own).map(|code| code.then);
        found.unwrap_or_else(|| CodeThen::Unknown(format!("the run's {FILE} names no such kernel of {file}")))
    }
}

impl RecordedFiles {
    fn why_unknown(&self) -> CodeThen {
        CodeThen::Unknown(self.unknown.clone().unwrap_or_else(|| "its run does not say".to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = r#"
        date = "2026-01-02"
        machine = "GPU X"
        architecture = 90
        [[files]]
        names = ["bench.csv", "again.csv"]
        command = "raywarp bench"
        commit = "abc"
        unknown = "a trial"
        unknown_kernels = ["c"]
        [files.code]
        a = "00000000000000aa"
        b = "00000000000000bb"
        [[files]]
        names = ["later.csv"]
        command = "the same"
        [files.code]
        a = "00000000000000ac"
    "#;

    #[test]
    fn a_run_knows_the_kernels_of_each_file() {
        let run = RecordedRun::parse(RUN).unwrap();
        let known = |text: &str| CodeThen::Known(text.parse().unwrap());
        assert_eq!(run.code_in("again.csv", "a"), known("00000000000000aa"));
        assert_eq!(run.code_in("later.csv", "a"), known("00000000000000ac"));
        assert_eq!(run.code_in("bench.csv", "c"), CodeThen::Unknown("a trial".into()));
        assert!(matches!(run.code_in("later.csv", "b"), CodeThen::Unknown(_)));
        assert!(matches!(run.code_in("other.csv", "a"), CodeThen::Unknown(_)));
        let kernels: Vec<&str> = run.kernels().map(|code| code.kernel).collect();
        assert_eq!(kernels, ["a", "b", "c", "a"]);
    }

    #[test]
    fn what_is_no_run_is_refused() {
        assert!(RecordedRun::parse(RUN).is_ok());
        for (find, replace) in [
            ("machine = ", "# "),
            ("date = ", "day = "),
            ("command = \"the same\"", ""),
            ("00000000000000ac", "ac"),
            ("00000000000000ac", "00000000000000xx"),
        ] {
            assert!(RecordedRun::parse(&RUN.replacen(find, replace, 1)).is_err(), "{find}");
        }
    }

    #[test]
    fn a_run_stands_beside_its_tables() {
        let folder = raywarp_testing::Folder::new();
        let table = folder.path().join("bench.csv");
        assert_eq!(RecordedRun::beside(&table), Ok(None));
        std::fs::write(folder.path().join(FILE), RUN).unwrap();
        assert_eq!(RecordedRun::beside(&table), Ok(Some(RecordedRun::parse(RUN).unwrap())));
        std::fs::write(folder.path().join(FILE), "date = 1").unwrap();
        assert!(RecordedRun::beside(&table).is_err());
    }
}
