//! Trees and rays that recorded runs are of, by what today's program makes in their place.
//!
//! `bench/runs/inputs.csv` has a hash of each kind of tree and of rays, of the built-in scene, and the day since which
//! the program makes these. A run from before that day is of others. A test makes them anew, so that a change of a
//! builder or of a workload is seen without the scenes that were measured.

use super::RecordedRun;
use crate::DataHash;

/// What the program makes, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedInput {
    /// Day since which the program makes these, UTC: `2026-11-21`.
    pub since: String,
    /// `tree` and the name of a preset or builder, or `rays` and the name of a workload.
    pub what: String,
    /// Hash of the trees, or of all kinds of rays, of the built-in scene.
    pub hash: DataHash,
}

/// The columns of the file.
const HEAD: &str = "since,what,hash";

/// Reads `inputs.csv`, oldest first.
///
/// # Errors
/// Text that names the line that is wrong.
pub fn read_inputs(text: &str) -> Result<Vec<RecordedInput>, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, head)| head) != Some(HEAD) {
        return Err(format!("line 1: the columns are {HEAD}"));
    }
    let line = |(number, line): (usize, &str)| {
        let mut cells = line.split(',');
        let (since, what, hash) = (cells.next(), cells.next(), cells.next().and_then(|hash| hash.parse().ok()));
        match (since, what, hash, cells.next()) {
            (Some(since), Some(what), Some(hash), None) => {
                Ok(RecordedInput { since: since.to_string(), what: what.to_string(), hash })
            }
            _ => Err(format!("line {}: it is not a day, what it is of, and a hash", number + 1)),
        }
    };
    lines.map(line).collect()
}

impl RecordedRun {
    /// Returns which trees and rays of a file of the run the program makes otherwise today: `tree good`, `rays al09`.
    pub fn changed_inputs<'a>(&self, file: &str, inputs: &'a [RecordedInput]) -> Vec<&'a str> {
        let Some(own) = self.files.iter().find(|files| files.names.iter().any(|name| name == file)) else {
            return Vec::new();
        };
        // "al09: all views of each scene" names its workload; rays of a viewpoint alone are of the default one.
        let workload = match own.rays.as_deref() {
            Some(rays) if rays.contains("view") => rays.split_once(':').map_or("raywarp", |(workload, _)| workload),
            _ => "",
        };
        let trees = own.trees.as_deref().unwrap_or_default();
        let is_own = |what: &str| match what.split_once(' ') {
            Some(("tree", name)) => trees.split([' ', ',', ';']).any(|word| word == name),
            Some(("rays", name)) => name == workload,
            _ => false,
        };
        let changed = inputs.iter().filter(|input| input.since > self.date && is_own(&input.what));
        let mut names: Vec<&str> = changed.map(|input| input.what.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_from_before_a_change_of_its_trees_or_rays_is_of_others() {
        let run = |rays: &str, trees: &str| {
            let text = format!(
                "date = \"2026-11-24\"\nmachine = \"x\"\n[[files]]\nnames = [\"a.csv\"]\ncommand = \"c\"\nrays = \
                 \"{rays}\"\ntrees = \"{trees}\"\n"
            );
            RecordedRun::parse(&text).unwrap()
        };
        let inputs = "2026-11-21,tree good,00000000000000aa\n2026-11-21,rays al09,00000000000000ab\n\
                      2026-11-24,tree best,00000000000000ac\n2026-11-25,rays al09,00000000000000ad\n\
                      2026-11-26,tree good,00000000000000ae\n2026-11-27,tree good,00000000000000af\n";
        let inputs = read_inputs(&format!("{HEAD}\n{inputs}")).unwrap();
        let of = |rays: &str, trees: &str| run(rays, trees).changed_inputs("a.csv", &inputs);
        assert_eq!(of("al09: sibenik, views 1 2", "good"), ["rays al09", "tree good"]);
        assert_eq!(of("view 1 of each scene", "good, leaves of 1"), ["tree good"]);
        assert_eq!(of("paths of each scene", "best"), Vec::<&str>::new());
        assert_eq!(of("g14: all views", "best; good"), ["tree good"]);
        assert_eq!(run("al09: all views", "good").changed_inputs("b.csv", &inputs), Vec::<&str>::new());
    }

    #[test]
    fn a_faulty_line_is_named() {
        assert!(read_inputs("since\n").is_err());
        for line in ["2026-11-21,tree good", "2026-11-21,tree good,ab", "2026-11-21,tree good,00000000000000aa,"] {
            assert!(read_inputs(&format!("{HEAD}\n{line}\n")).unwrap_err().starts_with("line 2"), "{line}");
        }
    }
}
