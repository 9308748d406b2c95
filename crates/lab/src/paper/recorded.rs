//! The recorded runs that an exhibit's numbers are from: of which commit, and whether their kernels are today's.

use super::exhibit::{Exhibit, Making};
use super::record::{NumberSource, Record};
use raywarp_bench::corpus::{CodeState, RecordedRun};
use raywarp_cuda::{FAMILY, KernelSet, Query, kernel_name};
use raywarp_family::Variant;
use serde_json::{Value as Json, json};

/// A file of a recorded run that has numbers of an exhibit.
pub(super) struct RecordedFile {
    /// Name of the run and of the file, such as `2026-11-29-h200/table1.txt`.
    name: String,
    run: &'static RecordedRun,
    commit: Option<&'static str>,
    /// Kernels whose numbers they are, and whether their machine code is today's.
    kernels: Vec<(String, CodeState)>,
}

/// Returns the files of recorded runs that records are from, as far as it is known of which kernels they are.
pub(super) fn recorded_files(exhibit: &Exhibit, records: &[Record]) -> Vec<RecordedFile> {
    let mut names: Vec<&str> = Vec::new();
    for record in records.iter().filter(|record| record.ours.is_some()) {
        let NumberSource::Recorded(source) = &record.source else { continue };
        for word in source.split([' ', ',', ';']).filter(|word| word.contains('/')) {
            if !names.contains(&word) {
                names.push(word);
            }
        }
    }
    names.into_iter().filter_map(|name| recorded_file(exhibit, name)).collect()
}

fn recorded_file(exhibit: &Exhibit, name: &str) -> Option<RecordedFile> {
    let (folder, file) = name.split_once('/')?;
    let run = RecordedRun::built_in(folder)?;
    let of = run.files.iter().find(|files| files.names.iter().any(|own| own == file))?;
    let sets: [&KernelSet; 3] = [&FAMILY, &raywarp_render_cuda::KERNELS, &raywarp_experiments::KERNELS];
    let own = names_of(exhibit);
    let is_own = |kernel: &str| own.is_empty() || own.iter().any(|(name, _)| name == kernel);
    let all = run.kernels().filter(|code| code.files.iter().any(|own| own == file) && is_own(code.kernel));
    let said = |kernel: &str| own.iter().find(|(name, _)| name == kernel).map_or(kernel, |(_, said)| said).to_string();
    let kernels = all.map(|code| (said(code.kernel), run.state_of(file, code.kernel, &sets))).collect();
    let commit = of.commit.as_deref().or(run.commit.as_deref());
    Some(RecordedFile { name: name.to_string(), run, commit, kernels })
}

/// Returns the kernels of an exhibit by their names in recorded runs, with what they are called on the command line;
/// none of an exhibit whose kernels are its run's.
fn names_of(exhibit: &Exhibit) -> Vec<(String, String)> {
    let Making::Kernels(kernels) = exhibit.making else { return Vec::new() };
    let named = |name: &str| {
        let variant = name.parse::<Variant>().ok()?;
        Some([Query::Closest, Query::Any].map(|query| (kernel_name(&variant, query), name.to_string())))
    };
    kernels.runs.iter().filter_map(|(_, kernel, _)| named(kernel)).flatten().collect()
}

impl RecordedFile {
    /// Returns of what the file is, and which of its kernels are no longer today's.
    pub fn line(&self) -> String {
        let commit = self.commit.map_or_else(|| "commit not known".to_string(), |commit| format!("commit {commit}"));
        format!("{}: {}, {}, {commit}; {}", self.name, self.run.machine, self.run.date, self.code())
    }

    fn code(&self) -> String {
        let of = |is: fn(&CodeState) -> bool| {
            let mut names: Vec<&str> = Vec::new();
            for (name, _) in self.kernels.iter().filter(|(_, state)| is(state)) {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            names
        };
        let changed = of(|state| matches!(state, CodeState::Changed { .. } | CodeState::Gone(_)));
        let unknown = of(|state| matches!(state, CodeState::Unknown(_)));
        // A file of many kernels has their names for programs.
        let words = |names: &[&str]| match names.len() {
            0..=7 => format!("\"{}\"", names.join("\", \"")),
            count => format!("{count} of its {} kernels", of(|_| true).len()),
        };
        let mut parts = Vec::new();
        if self.kernels.is_empty() {
            return "of which kernels it is is not known".to_string();
        }
        if !changed.is_empty() {
            parts.push(format!("compiled anew since, to other machine code: {}", words(&changed)));
        }
        if !unknown.is_empty() {
            parts.push(format!("not known whether the machine code is today's: {}", words(&unknown)));
        }
        if parts.is_empty() { "its kernels are today's".to_string() } else { parts.join("; ") }
    }

    /// Returns the file and its kernels for programs.
    pub fn json(&self) -> Json {
        let kernel = |(name, state): &(String, CodeState)| {
            let then = state.then().map(|hash| hash.to_string());
            json!({ "name": name, "state": state.name(), "then": then })
        };
        let kernels: Vec<Json> = self.kernels.iter().map(kernel).collect();
        json!({
            "file": self.name, "machine": self.run.machine, "date": self.run.date, "commit": self.commit,
            "kernels": kernels,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{Paper, all, find, stored};

    fn files(paper: Paper, name: &str) -> Vec<RecordedFile> {
        let exhibit = find(paper, name).unwrap();
        recorded_files(exhibit, &stored(exhibit))
    }

    #[test]
    fn a_table_names_its_run_with_commit_and_kernels_that_changed() {
        let [table1] = &files(Paper::Al09, "table1")[..] else { panic!("it is of one file") };
        let line = table1.line();
        assert!(line.starts_with("2026-11-29-h200/table1.txt: NVIDIA H200, 2026-11-29, commit 6ce5cec8; "), "{line}");
        // Seven kernels, for closest and for any hits.
        assert_eq!(table1.kernels.len(), 14);
        let json = table1.json();
        assert_eq!(json["kernels"].as_array().unwrap().len(), 14);
        let mut planted = RecordedFile { kernels: table1.kernels.clone(), name: table1.name.clone(), ..*table1 };
        planted.kernels.iter_mut().for_each(|(_, state)| *state = CodeState::Same(state.then().unwrap()));
        assert!(planted.line().ends_with("; its kernels are today's"), "{}", planted.line());
        let hash = planted.kernels[0].1.then().unwrap();
        planted.kernels[0].1 = CodeState::Changed { then: hash, today: hash };
        let name = planted.kernels[0].0.clone();
        assert!(planted.line().ends_with(&format!("to other machine code: \"{name}\"")), "{}", planted.line());
    }

    #[test]
    fn every_recorded_file_of_a_gpu_is_one_of_a_run() {
        let mut count = 0;
        for exhibit in all() {
            let files = recorded_files(exhibit, &stored(exhibit));
            for record in stored(exhibit) {
                let NumberSource::Recorded(source) = &record.source else { continue };
                let is_known = || files.iter().any(|file| source.contains(&file.name));
                assert!(!source.contains("200") || !source.contains('/') || is_known(), "{source}");
            }
            count += files.len();
        }
        assert!(count >= 10, "{count}");
    }
}
