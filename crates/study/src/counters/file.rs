//! Tables of counters, as `peers/nsight/counters.py` prints them.

use crate::simulate::SimulateError;
use raywarp_bvh::Builder;
use raywarp_family::Variant;
use raywarp_workload::rays::RayKind;

/// What a profiler counted of one launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// Name of the scene.
    pub scene: String,
    /// The kernel.
    pub variant: Variant,
    /// Which rays.
    pub kind: RayKind,
    /// Builder of the tree, passes of reinsertion, most triangles of a leaf.
    pub tree: (Builder, u32, u32),
    /// Rays of the launch.
    pub rays: u64,
    /// Blocks of the launch.
    pub blocks: u64,
    /// `smsp__inst_executed`.
    pub warp_instructions: f64,
    /// `smsp__thread_inst_executed`.
    pub thread_instructions: f64,
    /// Nanoseconds on the GPU.
    pub ns: f64,
    /// Clocks during which a multiprocessor had warps, on average.
    pub cycles: f64,
    /// Passes through the L1's data stage.
    pub wavefronts: f64,
    /// Sectors of loads from global memory.
    pub load_sectors: f64,
}

/// Why counters cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountersError {
    /// No such table.
    #[error("line {line}: {what}; peers/nsight/counters.py writes such tables")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// Other rays than were counted.
    #[error(
        "{counted} {kind} rays were counted, but here are {found}: give the size, view and rays a pixel of that run"
    )]
    Rays {
        /// Of which kind.
        kind: &'static str,
        /// In the file.
        counted: u64,
        /// Here.
        found: u64,
    },
    /// Nothing can be simulated.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// Names of columns, in any order; others are of no interest.
const COLUMNS: [&str; 12] = [
    "scene",
    "variant",
    "kind",
    "tree",
    "rays",
    "blocks",
    "warp_instructions",
    "thread_instructions",
    "ns",
    "cycles",
    "wavefronts",
    "global_load_sectors",
];

/// `sweep+0/8`: builder, passes of reinsertion, most triangles of a leaf.
fn tree(text: &str) -> Option<(Builder, u32, u32)> {
    let (name, rest) = text.split_once('+')?;
    let (reinsertion, max_leaf) = rest.split_once('/')?;
    let builder = match name {
        "binned" => Builder::BinnedSah,
        "sweep" => Builder::SweepSah,
        "sbvh" => Builder::Sbvh,
        "lbvh" => Builder::Lbvh,
        "ploc" => Builder::Ploc,
        _ => return None,
    };
    Some((builder, reinsertion.parse().ok()?, max_leaf.parse().ok()?))
}

/// Reads a table.
///
/// # Errors
/// [`CountersError::Line`]: a column that is missing, a field that is none of its column.
pub fn read_counters(text: &str) -> Result<Vec<Counted>, CountersError> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut places = [0; COLUMNS.len()];
    for (place, name) in places.iter_mut().zip(COLUMNS) {
        let found = header.iter().position(|column| *column == name);
        let missing = || CountersError::Line { line: 1, what: format!("there is no column {name}") };
        *place = found.ok_or_else(missing)?;
    }
    let mut rows = Vec::new();
    for (number, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let wrong = |column: usize| CountersError::Line {
            line: number + 2,
            what: match fields.get(places[column]) {
                Some(field) => format!("{} is {field:?}", COLUMNS[column]),
                None => format!("there is no {}", COLUMNS[column]),
            },
        };
        let field = |column: usize| fields.get(places[column]).copied().ok_or_else(|| wrong(column));
        let count = |column: usize| {
            let parsed = field(column)?.parse::<f64>().ok();
            parsed.filter(|n| n.is_finite() && *n > 0.0).ok_or_else(|| wrong(column))
        };
        // A GPU numbers rays and blocks in 32 bits.
        let whole = |column: usize| {
            let parsed = field(column)?.parse::<u32>().ok();
            parsed.filter(|n| *n > 0).map(u64::from).ok_or_else(|| wrong(column))
        };
        rows.push(Counted {
            scene: field(0)?.to_string(),
            variant: field(1)?.parse().map_err(|_| wrong(1))?,
            kind: RayKind::parse(field(2)?).ok_or_else(|| wrong(2))?,
            tree: tree(field(3)?).ok_or_else(|| wrong(3))?,
            rays: whole(4)?,
            blocks: whole(5)?,
            warp_instructions: count(6)?,
            thread_instructions: count(7)?,
            ns: count(8)?,
            cycles: count(9)?,
            wavefronts: count(10)?,
            load_sectors: count(11)?,
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "scene,variant,kind,tree,rays,blocks,extra,warp_instructions,thread_instructions,ns,cycles,wavefronts,global_load_sectors\n\
        hall,direct/phased/h8,ao,sweep+10/1,786432,6144,x,1e6,2.5e7,1000,900.5,77,8\n";

    #[test]
    fn columns_are_found_by_name() {
        let rows = read_counters(TABLE).unwrap();
        assert_eq!(rows.len(), 1);
        let row = &rows[0];
        assert_eq!((row.scene.as_str(), row.kind, row.rays, row.blocks), ("hall", RayKind::Ao, 786_432, 6144));
        assert_eq!((row.tree, row.cycles, row.load_sectors), ((Builder::SweepSah, 10, 1), 900.5, 8.0));
    }

    #[test]
    fn what_is_no_such_table_is_refused_with_its_line() {
        for (whole, broken, said) in [
            ("warp_instructions", "instructions", "line 1: there is no column warp_instructions"),
            ("phased", "fazed", "line 2: variant is"),
            (",ao,", ",ambient,", "line 2: kind is"),
            ("sweep+10/1", "sweep", "line 2: tree is"),
            ("786432", "0", "line 2: rays is"),
            ("900.5", "NaN", "line 2: cycles is"),
            (",77,8", ",77", "line 2: there is no global_load_sectors"),
        ] {
            let error = read_counters(&TABLE.replacen(whole, broken, 1)).unwrap_err().to_string();
            assert!(error.starts_with(said), "{error}");
        }
        assert!(read_counters("").is_err());
    }
}
