//! `cargo xtask docs [--check]`: numbers in pages are made by commands (`xtask_checks::docs`), and what was measured on
//! kernels that are no longer today's gets a mark.

use raywarp_bench::Subject;
use raywarp_bench::corpus::{CodeState, RecordedInput, RecordedRun, read_inputs};
use raywarp_cuda::{FAMILY, KernelSet, Query, kernel_name};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use xtask_checks::docs::{Code, Corpus};

/// Trees and rays that the program makes, and since when.
const INPUTS: &str = "bench/runs/inputs.csv";

/// Makes the blocks of pages, or checks them; returns `true` if nothing is wrong.
///
/// # Errors
/// Text for wrong usage, and for a program or a page that is not there.
pub fn run(options: &[String]) -> Result<bool, String> {
    let root = xtask_checks::root();
    let sets = [&FAMILY, &raywarp_render_cuda::KERNELS, &raywarp_experiments::KERNELS];
    let mut runs = RecordedRuns::new(root.clone(), &sets);
    runs.read_inputs()?;
    xtask_checks::docs::run(&root, options, Some(&runs))
}

/// The recorded runs of a workspace, beside the kernels that are embedded today.
struct RecordedRuns<'a> {
    root: PathBuf,
    sets: &'a [&'a KernelSet],
    /// Trees and rays that the program makes, and since when.
    inputs: Vec<RecordedInput>,
    /// Runs that were read, by folder: a page asks for each of a file's kernels.
    known: RefCell<HashMap<PathBuf, Option<Rc<RecordedRun>>>>,
}

impl<'a> RecordedRuns<'a> {
    fn new(root: PathBuf, sets: &'a [&'a KernelSet]) -> Self {
        Self { root, sets, inputs: Vec::new(), known: RefCell::default() }
    }

    /// Reads which trees and rays the program makes, and since when.
    fn read_inputs(&mut self) -> Result<(), String> {
        let path = self.root.join(INPUTS);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{INPUTS}: {error}"))?;
        self.inputs = read_inputs(&text).map_err(|error| format!("{INPUTS}: {error}"))?;
        Ok(())
    }

    /// Returns the run that a file is of, and the file's name.
    fn run<'file>(&self, file: &'file str) -> Result<(Option<Rc<RecordedRun>>, &'file str), String> {
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
        let mut known = self.known.borrow_mut();
        let run = match known.get(&PathBuf::from(folder)) {
            Some(run) => run.clone(),
            None => {
                let run = RecordedRun::beside(&self.root.join(file))?.map(Rc::new);
                known.insert(folder.into(), run.clone());
                run
            }
        };
        Ok((run, name))
    }
}

impl Corpus for RecordedRuns<'_> {
    fn code(&self, file: &str, variant: &str) -> Result<Code, String> {
        let (run, name) = self.run(file)?;
        let run = run.ok_or_else(|| format!("{file}: no run.toml beside it"))?;
        // A variant, a row's name with or without options, or a kernel's own name.
        let kernels = match variant.parse::<Subject>() {
            Ok(Subject::Kernel(variant)) => {
                [Query::Closest, Query::Any].map(|query| kernel_name(&variant, query)).to_vec()
            }
            _ => vec![variant.to_string()],
        };
        let is_recorded = |kernel: &&String| {
            run.kernels().any(|code| code.kernel == kernel.as_str() && code.files.iter().any(|own| own == name))
        };
        let states: Vec<CodeState> =
            kernels.iter().filter(is_recorded).map(|kernel| run.state_of(name, kernel, self.sets)).collect();
        let any = |wanted: fn(&CodeState) -> bool| states.iter().any(wanted);
        Ok(match states.is_empty() || any(|state| matches!(state, CodeState::Unknown(_))) {
            _ if any(|state| matches!(state, CodeState::Changed { .. } | CodeState::Gone(_))) => Code::Changed,
            true => Code::Unknown,
            false => Code::Today,
        })
    }

    fn kernels(&self, file: &str) -> Result<Vec<String>, String> {
        let (Some(run), name) = self.run(file)? else { return Ok(Vec::new()) };
        let own = run.kernels().filter(|code| code.files.iter().any(|own| own == name));
        Ok(own.map(|code| code.kernel.to_string()).collect())
    }

    fn changed_inputs(&self, file: &str) -> Result<Vec<String>, String> {
        let (Some(run), name) = self.run(file)? else { return Ok(Vec::new()) };
        Ok(run.changed_inputs(name, &self.inputs).into_iter().map(String::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::pack::{Content, pack, unpack};
    use raywarp_cuda::KernelImage;
    use raywarp_testing::{Folder, Reason, skip};
    use xtask_checks::{docs, program};

    const RUN: &str = "bench/runs/2026-11-21-h200-4/counters.csv";

    /// Returns the family's kernels of if-if for an H200 as a set that is packed anew, with `change` made to the
    /// machine code of the one for any hit.
    fn packed_anew(change: fn(&mut [u8])) -> KernelSet {
        let path = xtask_checks::root().join("crates/cuda/prebuilt/if_if.sm_90.cubin.xz");
        let mut cubin = unpack(&path).unwrap();
        let code = FAMILY.machine_code("if_if", "direct_if_if_bvh2__any", 90).unwrap();
        let at = cubin.windows(code.len()).position(|bytes| bytes == code).unwrap();
        change(&mut cubin[at..at + code.len()]);
        let packed: &[u8] = pack(&cubin, Content::MachineCode).unwrap().leak();
        let image: &[KernelImage] = vec![(90, packed)].leak();
        KernelSet { images: vec![("if_if", image)].leak(), costs: &[], lines: &[], resources: "" }
    }

    #[test]
    fn a_byte_of_a_shipped_kernel_makes_a_recorded_run_old() {
        let of = |change: fn(&mut [u8])| {
            let set = packed_anew(change);
            let sets = [&set];
            let runs = RecordedRuns::new(xtask_checks::root(), &sets);
            (runs.code(RUN, "al09-if-if"), runs.kernels(RUN).unwrap().len())
        };
        let (code, count) = of(|_| {});
        assert_eq!(code, Ok(Code::Today));
        assert!(count > 50, "{count}");
        assert_eq!(of(|code| code[code.len() / 2] ^= 1).0, Ok(Code::Changed));
        // Kernels by the names of their rows, with options too, are those of their machine code.
        let sets = [&FAMILY];
        let all = RecordedRuns::new(xtask_checks::root(), &sets);
        let run = "bench/runs/2026-11-29-h200/alk12.txt";
        for name in ["alk12-kepler", "alk12-fermi?box=float", "alk12-kepler?refill=20"] {
            assert_eq!(all.code(run, name), Ok(Code::Today), "{name}");
        }
        let (runs, none) = (RecordedRuns::new(xtask_checks::root(), &[]), "bench/bounds/strip.py");
        assert_eq!(runs.code(RUN, "al09-if-if"), Ok(Code::Changed), "there is no such kernel any more");
        assert_eq!(runs.kernels(none), Ok(Vec::new()));
        assert!(runs.code(none, "al09-if-if").is_err());
    }

    #[test]
    fn trees_that_the_program_makes_otherwise_make_a_recorded_run_old() {
        let mut runs = RecordedRuns::new(xtask_checks::root(), &[]);
        runs.read_inputs().unwrap();
        let run = "bench/runs/2026-11-29-h200/table1.csv";
        assert_eq!(runs.changed_inputs(run), Ok(Vec::new()));
        let good = runs.inputs.iter().find(|input| input.what == "tree good").unwrap().clone();
        runs.inputs.push(RecordedInput { since: "2027-01-01".to_string(), ..good });
        assert_eq!(runs.changed_inputs(run), Ok(vec!["tree good".to_string()]));
    }

    #[test]
    fn a_page_fails_once_a_kernel_s_byte_changes() {
        if let Err(why) = program::of_this_build().and_then(|program| program::check_age(&program)) {
            return skip(Reason::System, &why);
        }
        let folder = Folder::new();
        let inner = folder.path().join(RUN);
        for inner in [inner.parent().unwrap(), &folder.path().join("docs")] {
            std::fs::create_dir_all(inner).unwrap();
        }
        for file in [RUN, "bench/runs/2026-11-21-h200-4/run.toml"] {
            std::fs::copy(xtask_checks::root().join(file), folder.path().join(file)).unwrap();
        }
        let page = format!(
            "<!-- made by: {RUN}\n     kernels: direct/if-if/bvh2 -->\n| a |\n|---|\n<!-- end of what is made -->\n"
        );
        std::fs::write(folder.path().join("docs/README.md"), page).unwrap();
        let faults = |change: fn(&mut [u8])| {
            let set = packed_anew(change);
            let sets = [&set];
            let runs = RecordedRuns::new(folder.path().to_path_buf(), &sets);
            docs::done(folder.path(), &["--check".to_string()], Some(&runs)).unwrap().faults
        };
        assert_eq!(faults(|_| {}), Vec::<String>::new());
        let changed = faults(|code| code[0] ^= 1);
        assert!(changed.len() == 1 && changed[0].contains("of 21 November 2026's kernels"), "{changed:?}");
    }
}
