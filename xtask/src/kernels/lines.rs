//! Source lines of machine code: which line each instruction of an embedded kernel comes from.
//!
//! Kernels are embedded without line information, which makes images four times as large, and compiled once more with
//! it. The table has only kernels of which both compilations are word for word the same: of others nobody knows which
//! line an embedded instruction is from.

use super::disassembly::{Machine, Place};
use super::pack::{Content, pack};
use super::set::{KernelSet, SETS};
use super::toolkit::compiler;
use super::{Compiled, File, Job, LINES_FILE, MEASURED, compile_all, jobs, write_or_check};
use raywarp_costs::{LineTable, SourceFile};
use raywarp_cuda::elf::fingerprint;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A kernel with the source lines of its instructions.
#[derive(Debug, Clone)]
pub struct PlacedKernel {
    pub name: String,
    /// Hash of the kernel's machine code.
    pub fingerprint: u64,
    /// Chain of places of each instruction, from the innermost outwards; `None` where line information changes the
    /// kernel's machine code.
    pub chains: Option<Vec<Vec<Place>>>,
}

/// Returns the kernels of an image with their source lines: `code` is embedded, `with_lines` was compiled with line
/// information and is what `machines` shows, all sorted by name.
pub fn placed(machines: &[Machine], code: &[(&str, &[u8])], with_lines: &[(&str, &[u8])]) -> Vec<PlacedKernel> {
    let lined: BTreeMap<&str, &[u8]> = with_lines.iter().copied().collect();
    let of = |(machine, (name, code)): (&Machine, &(&str, &[u8]))| {
        let instructions = machine.blocks.iter().flat_map(|block| &block.instructions);
        let is_same = lined.get(name) == Some(code) && machine.name == *name;
        PlacedKernel {
            name: (*name).to_string(),
            fingerprint: fingerprint(code),
            chains: is_same.then(|| instructions.map(|instruction| instruction.places.clone()).collect()),
        }
    };
    machines.iter().zip(code).map(of).collect()
}

/// Returns the text of the table of source lines, with the sources below `folders`, and the names of the kernels that
/// are not in it.
///
/// # Errors
/// A source that cannot be read, or a place that is in none.
pub fn table(kernels: &[&PlacedKernel], folders: &[PathBuf]) -> Result<(String, Vec<String>), String> {
    let chains = || kernels.iter().filter_map(|kernel| kernel.chains.as_ref());
    let mut names: Vec<&str> = chains().flatten().flatten().map(|place| place.file.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let read = |name: &str| -> Result<SourceFile, String> {
        let path = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
        let path = path.ok_or_else(|| format!("{name}: no folder of kernels has this file"))?;
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(SourceFile { name: name.to_string(), lines: text.lines().map(str::to_string).collect() })
    };
    let mut table = LineTable::of_files(names.into_iter().map(read).collect::<Result<_, _>>()?);
    let mut left = Vec::new();
    for kernel in kernels {
        let Some(chains) = &kernel.chains else {
            left.push(kernel.name.clone());
            continue;
        };
        let chains = chains.iter().map(|chain| chain.iter().map(|place| (place.file.clone(), place.line)).collect());
        table.add(&kernel.name, kernel.fingerprint, chains).map_err(|(file, line)| {
            format!("{}: an instruction is from line {line} of {file}, which has fewer", kernel.name)
        })?;
    }
    Ok((table.write(), left))
}

/// Returns the table of source lines of a set's kernels, and says which kernels are not in it.
pub fn file(set: &KernelSet, root: &Path, jobs: &[Job], compiled: &[Compiled]) -> Result<File, String> {
    let of = jobs.iter().zip(compiled).filter(|(job, _)| job.architecture == MEASURED);
    let placed: Vec<&PlacedKernel> = of.flat_map(|(_, compiled)| &compiled.placed).collect();
    let (text, left) = table(&placed, &set.header_folders(root))?;
    println!("{} kernels have source lines; other code with line information: {left:?}", placed.len() - left.len());
    Ok((LINES_FILE.to_string(), pack(text.as_bytes(), Content::Text)?))
}

/// Compiles the kernels for [`MEASURED`] alone, and writes or checks their source lines; returns `false` when a check
/// failed, or what is embedded is not what the sources compile to.
pub fn run(root: &Path, check: bool) -> Result<bool, String> {
    let nvcc = compiler(root)?;
    let mut same = true;
    for set in SETS.iter().filter(|set| set.schedules.is_some()) {
        let prebuilt = set.prebuilt(root)?;
        let jobs: Vec<Job> = jobs(set, Some(MEASURED)).into_iter().filter(|job| job.has_costs).collect();
        let compiled = compile_all(root, &nvcc, set, &jobs)?;
        let images: Vec<File> =
            jobs.iter().zip(&compiled).map(|(job, compiled)| (job.file(), compiled.image.clone())).collect();
        same &= write_or_check(&prebuilt, &images, true)?;
        same &= write_or_check(&prebuilt, &[file(set, root, &jobs, &compiled)?], check)?;
    }
    Ok(same)
}

#[cfg(test)]
mod tests {
    use super::super::disassembly::parse;
    use super::*;

    const TEXT: &str = "\n//--------------------- .text.loop --------------------------\n\
        \t//## File \"/x/kernels/ops/vote.h\", line 5 inlined at \"/x/kernels/ops/pop.h\", line 11\n\
        \t//## File \"/x/kernels/ops/pop.h\", line 11\n\
        /*0000*/ LDC R1, c[0x0][0x28] ;\n\
        /*0010*/ EXIT ;\n";

    #[test]
    fn a_kernel_has_lines_only_where_they_change_no_word_of_its_code() {
        let machines = parse(TEXT).unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels");
        let lines = |code: &[u8], with_lines: &[u8]| {
            let placed = placed(&machines, &[("loop", code)], &[("loop", with_lines)]);
            table(&placed.iter().collect::<Vec<_>>(), std::slice::from_ref(&folder)).unwrap()
        };
        let (text, left) = lines(&[1; 32], &[1; 32]);
        let table = LineTable::read(&text).unwrap();
        let kernel = table.kernel("loop").unwrap();
        assert_eq!((kernel.fingerprint, left.len()), (fingerprint(&[1; 32]), 0));
        // The frame that it holds from one instruction to the next.
        let places = |frame: Option<usize>| -> Vec<(String, usize)> {
            table.chain(frame.unwrap()).map(|f| (table.files()[f.file].name.clone(), f.line)).collect()
        };
        let chain = vec![("ops/vote.h".to_string(), 5), ("ops/pop.h".to_string(), 11)];
        assert_eq!(kernel.frames.iter().map(|frame| places(*frame)).collect::<Vec<_>>(), [chain.clone(), chain]);
        // One byte is another.
        let (text, left) = lines(&[1; 32], &[[1; 31].as_slice(), &[2]].concat());
        assert_eq!(left, ["loop"]);
        assert_eq!(LineTable::read(&text).unwrap().kernel("loop"), None);
    }

    #[test]
    fn a_place_without_a_source_is_an_error() {
        let machines = parse(&TEXT.replace("pop.h", "pops.h")).unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels");
        let placed = placed(&machines, &[("loop", &[1])], &[("loop", &[1])]);
        assert!(table(&placed.iter().collect::<Vec<_>>(), &[folder]).is_err_and(|error| error.contains("pops.h")));
    }

    /// Returns the lines of a source without comments and what is around them; empty ones are left out.
    fn code<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        lines.map(|line| line.split("//").next().unwrap_or_default().trim()).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn the_table_has_todays_sources_and_lines_of_every_kernel_with_costs() {
        let table = LineTable::read(raywarp_cuda::line_table(MEASURED).unwrap()).unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels");
        for file in table.files() {
            let today = std::fs::read_to_string(folder.join(&file.name)).unwrap();
            let same = code(today.lines()) == code(file.lines.iter().map(String::as_str));
            assert!(same, "{}: changed since its lines were written; cargo xtask kernels --lines", file.name);
        }
        let costs = raywarp_cuda::FAMILY.cost_table(MEASURED).unwrap();
        let named = |line: &'static str| line.split(',').next().unwrap();
        let with_costs: std::collections::BTreeSet<&str> = costs.lines().skip(1).map(named).collect();
        let without: Vec<&&str> = with_costs.iter().filter(|name| table.kernel(name).is_none()).collect();
        assert!(without.is_empty(), "line information changes their machine code: {without:?}");
        for variant in raywarp_cuda::compiled() {
            for query in raywarp_cuda::Query::ALL {
                let Some(lines) = table.kernel(&raywarp_cuda::kernel_name(&variant, query)) else { continue };
                let code = raywarp_cuda::machine_code(&variant, query, MEASURED).unwrap();
                assert_eq!((lines.fingerprint, 16 * lines.frames.len()), (fingerprint(code), code.len()), "{variant}");
            }
        }
    }
}
