//! Compiles a `.cu` of one's own that issues the events of the family's schedules, for `raywarp explain --own`.
//!
//! Its kernels have the names of the family's: a name says by which schedule rays' operations are simulated, and which
//! measured kernel its basic blocks are likened to, by the source lines that they have in common.

use super::block_costs::costs;
use super::set::SETS;
use super::source::Sources;
use super::{Job, MEASURED, MEASURED_FILE, chains, compile, known, lines, resources};
use raywarp_costs::{COST_COLUMNS, Word, write_costs};
use raywarp_cuda::{Query, compiled, kernel_name};
use std::path::Path;

/// Folder below that of compiled sources which holds the copy of the user's: the disassembler names lines of kernels by
/// their path below a folder of this name.
const COPIES: &str = "own";

/// Compiles `source` and writes what is known of it into the folder `out`.
///
/// # Errors
/// What the compiler says; a kernel whose name is none of the family's.
pub fn run(root: &Path, nvcc: &Path, source: &Path, out: &Path) -> Result<(), String> {
    let set = SETS.iter().find(|set| set.schedules.is_some()).ok_or("no crate embeds schedules")?;
    let schedules = set.schedules.as_ref().ok_or("no crate embeds schedules")?;
    let text = std::fs::read_to_string(source).map_err(|error| format!("{}: {error}", source.display()))?;
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = root.join("target/kernels");
    let copies = folder.join(COPIES);
    // Of an earlier one nothing is to be found.
    let _ = std::fs::remove_dir_all(&copies);
    write(&copies, &format!("{name}.h"), text.as_bytes())?;
    let mut folders = set.header_folders(root);
    let mut sources = Sources::read(&folders)?;
    sources.add(&format!("{COPIES}/{name}.h"), &text)?;
    folders.push(folder);
    let text = format!("#include \"{COPIES}/{name}.h\"\n");
    let job = Job { source: format!("{COPIES}_{name}"), text, architecture: MEASURED, has_costs: true };
    let compiled = compile(root, nvcc, set, &job, &sources)?;
    let known = known(&set.prebuilt(root)?.join(MEASURED_FILE))?;
    let references = (schedules.references)(&known);
    let mut table = format!("{COST_COLUMNS}\n");
    for kernel in &compiled.kernels {
        is_of_the_family(&kernel.name)?;
        let mut costs = costs(kernel, references.get(&kernel.name).copied());
        chains::time(Word::all(&kernel.code), MEASURED, &mut costs)
            .map_err(|error| format!("{}: {error}", kernel.name))?;
        table += &write_costs(&kernel.name, &costs);
    }
    let (lines, left) = lines::table(&compiled.placed.iter().collect::<Vec<_>>(), &folders)?;
    if !left.is_empty() {
        eprintln!("with line information these are other code, and have no lines: {}", left.join(", "));
    }
    let needs = compiled.resources.iter().map(|needs| (needs.clone(), MEASURED)).collect();
    write(
        out,
        "kernel.cubin",
        &std::fs::read(root.join("target/kernels").join(job.file()).with_extension("")).map_err(|e| e.to_string())?,
    )?;
    write(out, "costs.csv", table.as_bytes())?;
    write(out, "lines.txt", lines.as_bytes())?;
    write(out, "resources.csv", resources::table(needs).as_bytes())
}

/// Checks that a kernel has the name of one of the family's.
fn is_of_the_family(name: &str) -> Result<(), String> {
    let all = compiled();
    let mut names = all.iter().flat_map(|variant| Query::ALL.map(|query| kernel_name(variant, query)));
    match names.any(|known| known == name) {
        true => Ok(()),
        false => Err(format!(
            "{name}: no kernel of the family has this name, which says by which schedule it is simulated; \
             crates/cuda/prebuilt/resources.csv has all names"
        )),
    }
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, bytes));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_ones_own_has_the_name_of_a_schedule() {
        assert_eq!(is_of_the_family("direct_while_while_bvh2__closest"), Ok(()));
        assert!(is_of_the_family("mine").is_err_and(|error| error.starts_with("mine: ")));
    }
}
