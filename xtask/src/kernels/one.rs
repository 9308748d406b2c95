//! `cargo xtask kernels --only NAME`: the kernels of one variant, compiled, with their costs, for trials.
//!
//! Its source alone is compiled, for all architectures. Images, resources and costs of what it holds take the places of
//! what is there, and all else stays. New kernels stand last in the tables, where the whole command sorts them in; so
//! that command is what a commit wants.

use super::pack::{Content, pack, unpack};
use super::set::{KernelSet, SETS};
use super::source::Sources;
use super::toolkit::compiler;
use super::{
    Compiled, File, Job, MEASURED_FILE, RESOURCES_FILE, TABLE_FILE, compile_from, cost_texts, costs_file, jobs, kepler,
    known, known_needs, needs, resources, table, write_or_check,
};
use raywarp_costs::COST_COLUMNS;
use raywarp_family::Variant;
use std::path::Path;

/// Compiles the source with the kernels of the variant `name`, a row or a variant in full, and writes what came of it.
pub(super) fn run(root: &Path, name: &str) -> Result<bool, String> {
    let source = source_of(name)?;
    let nvcc = compiler(root)?;
    for set in SETS.iter().filter(|set| set.schedules.is_some()) {
        let own: Vec<Job> = jobs(set, None).into_iter().filter(|job| job.source == source).collect();
        let sources = Sources::read(&set.header_folders(root))?;
        let compiled = compile_from(root, &nvcc, set, &own, &sources)?;
        let prebuilt = set.prebuilt(root)?;
        write_or_check(&prebuilt, &files(set, &prebuilt, &own, &compiled)?, false)?;
    }
    println!("the source {source} alone; before a commit run cargo xtask kernels");
    Ok(true)
}

/// Returns the name of the source that holds the kernels of a variant.
fn source_of(name: &str) -> Result<String, String> {
    let variant: Variant =
        name.parse().map_err(|error| format!("--only {name}: {error}; or give 90, an architecture"))?;
    let of = raywarp_cuda::sources().into_iter().find(|(_, variants)| variants.contains(&variant));
    of.map(|(source, _)| source).ok_or_else(|| {
        format!(
            "--only {name}: no CUDA kernel of {variant} is compiled: give it a row in crates/family/src/paper.rs or a \
             line in crates/cuda/src/names.rs, where is_written says of which loops there is code"
        )
    })
}

/// Returns the files that change: images, and tables in which the rows of these kernels are new.
fn files(set: &KernelSet, prebuilt: &Path, own: &[Job], compiled: &[Compiled]) -> Result<Vec<File>, String> {
    let mut files: Vec<File> =
        own.iter().zip(compiled).map(|(job, compiled)| (job.file(), compiled.image.clone())).collect();
    let new = needs(own, compiled);
    let mut rows = known_needs(prebuilt)?;
    rows.retain(|(row, at)| !new.iter().any(|(other, architecture)| other.kernel == row.kernel && architecture == at));
    rows.extend(new);
    files.push((RESOURCES_FILE.to_string(), resources::table(rows).into_bytes()));
    files.push((TABLE_FILE.to_string(), table(&jobs(set, None), &kepler::jobs(set)).into_bytes()));
    for (architecture, costs) in cost_texts(set, own, compiled, &known(&prebuilt.join(MEASURED_FILE))?)? {
        let path = prebuilt.join(costs_file(architecture));
        let old = String::from_utf8(unpack(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        files.push((costs_file(architecture), pack(merged(&old, &costs).as_bytes(), Content::Text)?));
    }
    Ok(files)
}

/// Returns the name of the kernel that a row of a table of costs is of.
fn kernel_of(line: &str) -> &str {
    line.split(',').next().unwrap_or(line)
}

/// Returns a table of costs in which the kernels of the table `new` have their new rows: in the place of the old ones,
/// or last.
fn merged(old: &str, new: &str) -> String {
    let rows_of = |name: &str| new.lines().skip(1).filter(|line| kernel_of(line) == name).collect::<Vec<_>>();
    let mut text = format!("{COST_COLUMNS}\n");
    let mut placed: Vec<&str> = Vec::new();
    let mut add = |line: &str| {
        text += line;
        text.push('\n');
    };
    for line in old.lines().skip(1) {
        let name = kernel_of(line);
        let rows = rows_of(name);
        if rows.is_empty() {
            add(line);
        } else if !placed.contains(&name) {
            rows.into_iter().for_each(&mut add);
            placed.push(name);
        }
    }
    for line in new.lines().skip(1).filter(|line| !placed.contains(&kernel_of(line))) {
        add(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_in_one_source_and_others_are_refused_with_what_to_do() {
        let sources: Vec<String> = raywarp_cuda::sources().into_iter().map(|(source, _)| source).collect();
        for name in ["al09-while-while", "direct/while-while/bvh2?sync=implicit", "ykl17"] {
            assert!(sources.contains(&source_of(name).unwrap()), "{name}");
        }
        // One that is simulated alone, one that is not compiled, and none.
        for (name, place) in [
            ("own-while-if", "is_written"),
            ("direct/while-while/bvh2?unroll=3", "crates/cuda/src/names.rs"),
            ("al09-while", "al09-while"),
        ] {
            let error = source_of(name).unwrap_err();
            assert!(error.contains(place) && error.lines().count() == 1, "{error}");
        }
    }

    #[test]
    fn new_rows_take_the_places_of_old_ones_and_others_stay() {
        let table = |rows: &[&str]| {
            format!("{COST_COLUMNS}\n{}", rows.iter().map(|row| format!("{row}\n")).collect::<String>())
        };
        let old = table(&["a,1", "a,2", "b,3", "c,4", "c,5"]);
        let new = table(&["c,6", "a,7", "a,8", "d,9"]);
        assert_eq!(merged(&old, &new), table(&["a,7", "a,8", "b,3", "c,6", "d,9"]));
        assert_eq!(merged(&old, &table(&[])), old);
        assert_eq!(merged(&table(&[]), &new), new);
    }
}
