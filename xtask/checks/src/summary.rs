//! `cargo xtask check`'s counts: crates, imports and circles, the product's door and the prose, beside their ceilings.

use crate::api::Interface;
use crate::circles::{self, Crate};
use crate::{ceilings, hidden, prose, type_names};
use std::path::Path;

/// Prints the counts of the workspace at `root`, and returns those that are above their ceilings.
///
/// # Errors
/// Text that says which file or package could not be read.
pub fn print(root: &Path) -> Result<Vec<String>, String> {
    let crates = circles::crates(root)?;
    print_crates(&crates);
    let shared_types = type_names::shared(root)?;
    let counts = counts(root, &crates, &shared_types)?;
    let (lines, faults) = ceilings::table(&counts);
    lines.iter().for_each(|line| println!("{line}"));
    shared_types.iter().for_each(|name| println!("  {name}"));
    Ok(faults)
}

/// Prints every circle of source files with the imports in it, largest circles first.
///
/// # Errors
/// Text that says which file or package could not be read.
pub fn print_circles(root: &Path) -> Result<(), String> {
    let crates = circles::crates(root)?;
    let mut all: Vec<(&Crate, Vec<&str>)> =
        crates.iter().flat_map(|of| of.circles().into_iter().map(move |circle| (of, circle))).collect();
    all.sort_by_key(|(_, circle)| std::cmp::Reverse(circle.len()));
    for (of, circle) in all {
        println!("{} files of {}", circle.len(), of.name);
        of.imports_within(&circle).iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}

fn counts(root: &Path, crates: &[Crate], shared_types: &[String]) -> Result<[f64; ceilings::CEILINGS.len()], String> {
    let door = Interface::read(root, "raywarp", None)?.counts();
    let prose = prose::total(&prose::by_crate(root));
    Ok(ceilings::counts(&door, shared_types, hidden::items(root).len(), crates, &prose))
}

fn print_crates(crates: &[Crate]) {
    let arrows: usize = crates.iter().map(|of| of.depends_on.len()).sum();
    println!("{} crates, {arrows} dependencies between them", crates.len());
    println!("{:24} {:>5} {:>8} {:>8} {:>10}", "crate", "files", "imports", "circles", "in circles");
    let mut all = [0; 4];
    for of in crates {
        let circles = of.circles();
        let row = [of.files.len(), of.imports.len(), circles.len(), circles.iter().map(Vec::len).sum()];
        println!("{:24} {:>5} {:>8} {:>8} {:>10}", of.name, row[0], row[1], row[2], row[3]);
        all.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    println!("{:24} {:>5} {:>8} {:>8} {:>10}", "all", all[0], all[1], all[2], all[3]);
    let mut largest: Vec<Vec<&str>> = crates.iter().flat_map(Crate::circles).collect();
    largest.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    println!("the largest circles of files (`cargo xtask circles` shows the imports in them):");
    for circle in largest.iter().take(5) {
        println!("  {}: {}", circle.len(), circle.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_count_is_above_its_ceiling() {
        let root = crate::root();
        let shared_types = type_names::shared(&root).unwrap();
        let counts = counts(&root, &circles::crates(&root).unwrap(), &shared_types).unwrap();
        let (lines, faults) = ceilings::table(&counts);
        let say = || [faults.join("\n"), lines.join("\n"), shared_types.join("\n")].join("\n");
        assert!(faults.is_empty(), "{}", say());
    }
}
