//! Entry for fuzzing, which the feature `fuzz` turns on: files of operations are read from bytes, written again, and
//! replayed.

use crate::{Code, Execution, NamedDump, Probe, RayDump, Replay, WarpEvent, read_operations, write_operations};
use raywarp_family::{Block, Variant};

/// Supplies and loops that replay each launch in the tree of its walk.
pub(crate) const LOOPS: [&str; 4] = ["direct/while-while", "queue/if-if", "replace/while-while", "direct/if-if"];

/// Warps of few lanes, of which many wait for others.
const MACHINE: Execution = Execution::Lockstep { width: 4 };

/// Warps of a launch whose supply starts only as many as run at once.
const RESIDENT: u32 = 1;

/// Reads a file of operations, writes and reads it again, and replays its rays by several loops.
///
/// # Panics
/// If what was read is written as another file, or if a replay loses a ray or an operation: a bug.
pub fn operations(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(launches) = read_operations(text) else { return };
    let text = written(&launches);
    let again = read_operations(&text).map(|launches| written(&launches));
    assert_eq!(again.as_ref(), Ok(&text));
    for launch in &launches {
        replay(&launch.dump);
    }
}

/// Returns the text of a file with these launches.
fn written(launches: &[NamedDump]) -> String {
    let mut text = Vec::new();
    assert!(write_operations(launches, &mut text).is_ok(), "memory takes all that is written");
    String::from_utf8_lossy(&text).into_owned()
}

/// Replays the rays of a dump by each loop that can, and returns the number of these loops.
///
/// # Panics
/// If a replay loses a ray or a visit.
pub(crate) fn replay(dump: &RayDump) -> usize {
    let Some(walk) = dump.walk().map(Variant::to_string) else { return 0 };
    let mut loops = 0;
    for text in LOOPS {
        let Ok(variant) = walk.replace(LOOPS[0], text).parse() else { continue };
        let Ok(replay) = Replay::new(&variant, dump) else { continue };
        let mut lanes = VisitingLanes(0);
        let warps = replay.warp_count(MACHINE, RESIDENT).unwrap_or(0);
        let rays = (0..warps).map(|warp| replay.run_warp(MACHINE, RESIDENT, warp, &mut lanes).unwrap_or(0)).sum();
        assert_eq!((dump.ray_count() as u64, dump.count(Code::Visit)), (rays, lanes.0), "{variant}");
        loops += 1;
    }
    loops
}

/// Probe that counts visits.
struct VisitingLanes(u64);

impl Probe for VisitingLanes {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        if event.block == Block::VisitNode {
            self.0 += u64::from(event.active.count_ones());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    /// Files of the target in `fuzz/`: where fuzzing begins, and what once broke the reader.
    fn files() -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
        let files = |kind: &str| {
            let folder = root.join(kind).join("operations");
            let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        [files("regressions"), files("seeds")].concat()
    }

    fn check(file: &Path, bytes: &[u8]) {
        let ended = std::panic::catch_unwind(|| super::operations(bytes));
        assert!(ended.is_ok(), "{} panics with {} bytes", file.display(), bytes.len());
    }

    #[test]
    fn no_file_of_operations_breaks_its_reader_whole_or_cut_off_anywhere() {
        for file in files() {
            let bytes = std::fs::read(&file).unwrap();
            check(&file, &bytes);
            let step = bytes.len() / 64 + 1;
            (0..bytes.len()).step_by(step).for_each(|length| check(&file, &bytes[..length]));
        }
    }
}
