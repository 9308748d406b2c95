//! Counts that may only fall: each has a ceiling, above which `cargo xtask check` and a test fail, and a goal.

use crate::api::Counts;
use crate::circles::Crate;
use crate::prose::Prose;

/// Counts of the workspace that may not rise, with their ceilings and goals. A commit that makes a count smaller lowers
/// its ceiling here.
pub const CEILINGS: &[Ceiling] = &[
    Ceiling { count: "items at the root of raywarp", ceiling: 60.0, goal: 60.0 },
    Ceiling { count: "public items of raywarp", ceiling: 450.0, goal: 450.0 },
    Ceiling { count: "globs of whole crates in raywarp", ceiling: 0.0, goal: 0.0 },
    Ceiling { count: "types of raywarp at more than one path", ceiling: 0.0, goal: 0.0 },
    Ceiling { count: "names of raywarp for more than one type", ceiling: 0.0, goal: 0.0 },
    Ceiling { count: "names of crates for more than one public type", ceiling: 0.0, goal: 0.0 },
    Ceiling { count: "items but macros that are doc(hidden)", ceiling: 0.0, goal: 0.0 },
    Ceiling { count: "files of the largest circle within a crate", ceiling: 6.0, goal: 6.0 },
    Ceiling { count: "relative openings in 100 first lines", ceiling: 4.0, goal: 4.0 },
    Ceiling { count: "first lines of two words or fewer", ceiling: 0.0, goal: 0.0 },
    Ceiling { count: "lines of prose above 120 columns", ceiling: 0.0, goal: 0.0 },
];

/// A count of the workspace, with the value that it may have at most.
pub struct Ceiling {
    /// Name of what is counted.
    pub count: &'static str,
    /// Largest value that the count may have now.
    pub ceiling: f64,
    /// Value that the count should reach in the end.
    pub goal: f64,
}

/// Returns the workspace's counts, in the order of [`CEILINGS`]; `hidden` is the number of hidden items.
pub fn counts(
    door: &Counts,
    shared_types: &[String],
    hidden: usize,
    crates: &[Crate],
    prose: &Prose,
) -> [f64; CEILINGS.len()] {
    let largest = crates.iter().flat_map(Crate::circles).map(|circle| circle.len()).max().unwrap_or(0);
    let share = 100.0 * prose.relative.len() as f64 / prose.first_lines.max(1) as f64;
    [
        door.at_root.len() as f64,
        door.listed.len() as f64,
        door.globs.len() as f64,
        door.double_paths.len() as f64,
        door.shared_names.len() as f64,
        shared_types.len() as f64,
        hidden as f64,
        largest as f64,
        share,
        prose.short.len() as f64,
        prose.wide.len() as f64,
    ]
}

/// Returns a table of the counts with their ceilings, and the names of those above their ceiling.
pub fn table(counts: &[f64]) -> (Vec<String>, Vec<String>) {
    let mut lines = vec![format!("{:44} {:>6} {:>7} {:>5}", "", "now", "ceiling", "goal")];
    let mut faults = Vec::new();
    for (row, &now) in CEILINGS.iter().zip(counts) {
        let text = format!("{:44} {:>6} {:>7} {:>5}", row.count, rounded(now), rounded(row.ceiling), rounded(row.goal));
        if now > row.ceiling {
            faults.push(format!("{}: {} is above the ceiling of {}", row.count, rounded(now), rounded(row.ceiling)));
        }
        lines.push(text);
    }
    (lines, faults)
}

fn rounded(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_above_a_ceiling_is_a_fault() {
        let mut counts: Vec<f64> = CEILINGS.iter().map(|row| row.ceiling).collect();
        assert!(table(&counts).1.is_empty());
        counts[1] += 1.0;
        assert_eq!(table(&counts).1.len(), 1);
    }
}
