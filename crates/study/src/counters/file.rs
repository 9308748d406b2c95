//! Tables of counters, as `peers/nsight/counters.py`, `stalls.py`, `executed.py` and `sampled.py` print them.

use super::{ExecutedCounters, SampledCounters};
use crate::kernel_then::code_cell;
use crate::simulate::{SimulateError, query_of};
use crate::table_fault::TableFault;
use raywarp_bench::corpus::{CodeThen, RecordedRun};
use raywarp_bvh::Builder;
use raywarp_cuda::kernel_name;
use raywarp_family::Variant;
use raywarp_sim::pace::StallCause;
use raywarp_workload::rays::RayKind;

/// A profiler's counts of one launch, as read from a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// Name of the scene.
    pub scene: String,
    /// Variant of the kernel.
    pub variant: Variant,
    /// Kind of the rays.
    pub kind: RayKind,
    /// Builder of the tree, number of reinsertion passes, and largest number of triangles in a leaf.
    pub tree: (Builder, u32, u32),
    /// Number of rays of the launch.
    pub rays: u64,
    /// Number of thread blocks of the launch.
    pub blocks: u64,
    /// Number of warp instructions: `smsp__inst_executed`.
    pub warp_instructions: f64,
    /// Time of the launch on the GPU in nanoseconds.
    pub ns: f64,
    /// Average number of clocks during which a multiprocessor had warps.
    pub cycles: f64,
    /// Counts of lanes and memory accesses, as `counters.py` writes them.
    pub work: Option<WorkCounters>,
    /// Counts of stalls, as `stalls.py` writes them.
    pub stalls: Option<StallCounters>,
    /// Counts of each instruction, as `executed.py` writes them.
    pub executed: Option<ExecutedCounters>,
    /// Machine code of the kernel; `None` if the table has no column `code`.
    pub code: Option<CodeThen>,
    /// Instructions at which warps were found, as `sampled.py` writes them.
    pub sampled: Option<SampledCounters>,
}

/// A profiler's counts of lanes and of memory accesses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkCounters {
    /// Number of instructions executed by single threads: `smsp__thread_inst_executed`.
    pub thread_instructions: f64,
    /// Number of passes through the first cache's (L1) data stage.
    pub wavefronts: f64,
    /// Number of sectors that loads read from global memory.
    pub load_sectors: f64,
}

/// A profiler's counts of stalls, by cause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StallCounters {
    /// Fraction of a scheduler's clocks, 0 to 1, in which it issued an instruction (while its multiprocessor had
    /// warps).
    pub issuing: f64,
    /// Number of warps that waited for each cause, for each instruction issued.
    pub waiting: [f64; StallCause::ALL.len()],
    /// Number of warps that waited for causes that are not in the model.
    pub unmodelled: f64,
}

/// Reason why a profiler's counts cannot be read or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountersError {
    /// A line of the table of counts is wrong.
    #[error("line {line}: {fault}; peers/nsight/counters.py, stalls.py, executed.py and sampled.py write such tables")]
    Line {
        /// Number of the wrong line, from 1.
        line: usize,
        /// What is wrong there.
        fault: TableFault,
    },
    /// The rays made here are not as many as the profiler counted.
    #[error(
        "{counted} {kind} rays were counted, but here are {found}: give the size, view and rays a pixel of that run"
    )]
    Rays {
        /// Kind of the rays.
        kind: &'static str,
        /// Number of rays in the profiler's table.
        counted: u64,
        /// Number of rays made here.
        found: u64,
    },
    /// The counts of single instructions do not add up to the launch's, or are of other machine code.
    #[error(
        "of {kernel} with {kind} rays executed has {executed} instructions, and warp_instructions is {counted}: it is cut, or of \
         other machine code than is known of this machine"
    )]
    Executed {
        /// Name of the kernel.
        kernel: String,
        /// Kind of the kernel's rays.
        kind: &'static str,
        /// Sum of the single counts over the machine code that is known here.
        executed: u64,
        /// Number of instructions that the profiler counted for the launch.
        counted: f64,
    },
    /// The simulation of the launches failed, or was stopped.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// Column names that every table of counts has, in any order; other columns are ignored.
const LAUNCH: [&str; 9] = ["scene", "variant", "kind", "tree", "rays", "blocks", "warp_instructions", "ns", "cycles"];
/// Column names that `counters.py` writes; a table must have all of these, of [`STALLS`], [`EXECUTED`] or [`SAMPLED`].
const WORK: [&str; 3] = ["thread_instructions", "wavefronts", "global_load_sectors"];
/// Column names that `stalls.py` writes.
const STALLS: [&str; 15] = [
    "issue_percent",
    "not_selected",
    "math_pipe_throttle",
    "lg_throttle",
    "mio_throttle",
    "tex_throttle",
    "wait",
    "long_scoreboard",
    "short_scoreboard",
    "branch_resolving",
    "dispatch_stall",
    // No model has these.
    "no_instruction",
    "drain",
    "membar",
    "misc",
];
/// Column name of counts of single instructions, which `executed.py` writes.
const EXECUTED: &str = "executed";
/// Column name of the instructions at which warps were found, which `sampled.py` writes.
const SAMPLED: &str = "sampled";
/// Index in [`STALLS`] of the first cause that is not in the model.
const UNMODELLED: usize = 11;

/// Parses a tree's name such as `sweep+0/8`: builder, number of reinsertion passes, largest number of triangles in a
/// leaf.
fn tree(text: &str) -> Option<(Builder, u32, u32)> {
    let (name, rest) = text.split_once('+')?;
    let (reinsertion, max_leaf) = rest.split_once('/')?;
    let builder = match name {
        "binned" => Builder::BinnedSah,
        "blocks" => Builder::BinnedBlocks,
        "sweep" => Builder::SweepSah,
        "sbvh" => Builder::Sbvh,
        "lbvh" => Builder::Lbvh,
        "ploc" => Builder::Ploc,
        _ => return None,
    };
    Some((builder, reinsertion.parse().ok()?, max_leaf.parse().ok()?))
}

/// Largest number of characters of a field that messages quote.
const MOST_QUOTED: usize = 40;
/// Largest number that is accepted, as no launch counts as much.
const MOST: f64 = 1e18;

/// A line of a table of counts, whose fields are found by column name.
struct Line<'a> {
    /// Number of the line in the file, from 1.
    number: usize,
    header: &'a [&'a str],
    fields: Vec<&'a str>,
}

impl Line<'_> {
    fn text(&self, column: &'static str) -> Result<&str, CountersError> {
        let place = self.header.iter().position(|name| *name == column);
        let field = place.and_then(|place| self.fields.get(place));
        field.copied().ok_or_else(|| self.fault(TableFault::NoField { column }))
    }

    /// Returns what `is` parses from the field of a column; if it parses nothing, an error says that `allowed` is
    /// wanted there.
    fn parsed<T>(
        &self,
        column: &'static str,
        allowed: &'static str,
        is: impl Fn(&str) -> Option<T>,
    ) -> Result<T, CountersError> {
        let text = self.text(column)?;
        is(text).ok_or_else(|| {
            let found = text.chars().take(MOST_QUOTED).collect();
            self.fault(TableFault::Field { column, found, allowed: Some(allowed) })
        })
    }

    /// Parses the field of a column as a number that is not negative.
    fn number(&self, column: &'static str) -> Result<f64, CountersError> {
        self.parsed(column, "a number of 0 or more", |text| text.parse().ok().filter(|n: &f64| (0.0..MOST).contains(n)))
    }

    /// Parses the field of a column as a number above 0.
    fn count(&self, column: &'static str) -> Result<f64, CountersError> {
        self.parsed(column, "a number above 0", |text| text.parse().ok().filter(|n: &f64| *n > 0.0 && *n < MOST))
    }

    /// Parses the field of a column as a whole number above 0 of at most 32 bits, as GPUs number rays and blocks.
    fn whole(&self, column: &'static str) -> Result<u64, CountersError> {
        self.parsed(column, "a whole number of 1 to 4294967295", |text| {
            text.parse().ok().filter(|n: &u32| *n > 0).map(u64::from)
        })
    }

    fn has(&self, columns: &[&str]) -> bool {
        columns.iter().all(|column| self.header.contains(column))
    }

    fn fault(&self, fault: TableFault) -> CountersError {
        CountersError::Line { line: self.number, fault }
    }

    fn work(&self) -> Result<WorkCounters, CountersError> {
        let [thread_instructions, wavefronts, load_sectors] = WORK.map(|column| self.count(column));
        Ok(WorkCounters {
            thread_instructions: thread_instructions?,
            wavefronts: wavefronts?,
            load_sectors: load_sectors?,
        })
    }

    fn stalls(&self) -> Result<StallCounters, CountersError> {
        let mut waiting = [0.0; StallCause::ALL.len()];
        for (sum, cause) in waiting.iter_mut().zip(StallCause::ALL) {
            for &counter in cause.counters() {
                *sum += self.number(counter)?;
            }
        }
        let mut unmodelled = 0.0;
        for &counter in &STALLS[UNMODELLED..] {
            unmodelled += self.number(counter)?;
        }
        let issuing = self.parsed("issue_percent", "a number of 0.1 to 100", |text| {
            text.parse().ok().filter(|percent| (0.1..=100.0).contains(percent)).map(|percent: f64| percent / 100.0)
        })?;
        Ok(StallCounters { issuing, waiting, unmodelled })
    }

    fn counted(&self) -> Result<Counted, CountersError> {
        Ok(Counted {
            scene: self.text("scene")?.to_string(),
            variant: self.parsed("variant", "a kernel, such as direct/while-while/bvh2", |text| text.parse().ok())?,
            kind: self.parsed("kind", "primary, ao or diffuse", RayKind::parse)?,
            tree: self.parsed(
                "tree",
                "a builder, passes of reinsertion and a leaf's triangles, such as sweep+10/1",
                tree,
            )?,
            rays: self.whole("rays")?,
            blocks: self.whole("blocks")?,
            warp_instructions: self.count("warp_instructions")?,
            ns: self.count("ns")?,
            cycles: self.count("cycles")?,
            work: if self.has(&WORK) { Some(self.work()?) } else { None },
            stalls: if self.has(&STALLS) { Some(self.stalls()?) } else { None },
            executed: if self.has(&[EXECUTED]) {
                Some(self.parsed(EXECUTED, "runs of instructions as in 0:4096 48:8192", ExecutedCounters::parse)?)
            } else {
                None
            },
            code: if self.has(&["code"]) {
                Some(self.parsed("code", "the hash of machine code, or driver", code_cell)?)
            } else {
                None
            },
            sampled: if self.has(&[SAMPLED]) {
                Some(self.parsed(SAMPLED, "instructions as in 0:131 32:71", SampledCounters::parse)?)
            } else {
                None
            },
        })
    }
}

impl Counted {
    /// Takes from a run's facts of which machine code the kernel was in this file of the run, where the file's own
    /// table does not say.
    pub fn take_code(&mut self, run: &RecordedRun, file: &str) {
        let kernel = kernel_name(&self.variant, query_of(self.kind));
        self.code.get_or_insert_with(|| run.code_in(file, &kernel));
    }
}

/// Parses a table of a profiler's counts.
///
/// # Errors
/// [`CountersError::Line`]: a column that is missing, a field that is none of its column, a launch that was there
/// before.
pub fn read_counters(text: &str) -> Result<Vec<Counted>, CountersError> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let header: Vec<&str> = lines.next().map_or("", |(_, line)| line).split(',').collect();
    let missing = |columns: &[&'static str]| columns.iter().copied().find(|column| !header.contains(column));
    let has_none = missing(&STALLS).is_some() && missing(&[EXECUTED]).is_some() && missing(&[SAMPLED]).is_some();
    let missing = missing(&LAUNCH).or(missing(&WORK).filter(|_| has_none));
    if let Some(name) = missing {
        return Err(CountersError::Line { line: 1, fault: TableFault::NoColumn { name } });
    }
    let line = |(number, line): (usize, &str)| {
        Line { number: number + 1, header: &header, fields: line.split(',').collect() }.counted()
    };
    let mut rows: Vec<Counted> = Vec::new();
    for (number, text) in lines {
        let row = line((number, text))?;
        let same = |other: &&Counted| {
            (&other.scene, other.variant, other.kind, other.tree) == (&row.scene, row.variant, row.kind, row.tree)
        };
        if rows.iter().any(|other| same(&other)) {
            let Counted { variant, kind, scene, .. } = row;
            let fault = TableFault::SecondLaunch { variant, kind: kind.name(), scene };
            return Err(CountersError::Line { line: number + 1, fault });
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "scene,variant,kind,tree,rays,blocks,extra,warp_instructions,thread_instructions,ns,cycles,wavefronts,global_load_sectors\n\
        hall,direct/phased/h8,ao,sweep+10/1,786432,6144,x,1e6,2.5e7,1000,900.5,77,8\n";

    /// Returns the line at which a table is wrong, and what is wrong there.
    #[track_caller]
    fn refused(table: &str) -> (usize, TableFault) {
        match read_counters(table) {
            Err(CountersError::Line { line, fault }) => (line, fault),
            other => panic!("{other:?}"),
        }
    }

    /// Returns `true` if the fault is the field `found` of a column.
    fn is_field(fault: &TableFault, wanted: &str, text: &str) -> bool {
        matches!(fault, TableFault::Field { column, found, .. } if *column == wanted && found == text)
    }

    #[test]
    fn columns_are_found_by_name() {
        let rows = read_counters(TABLE).unwrap();
        assert_eq!(rows.len(), 1);
        let row = &rows[0];
        assert_eq!((row.scene.as_str(), row.kind, row.rays, row.blocks), ("hall", RayKind::Ao, 786_432, 6144));
        assert_eq!((row.tree, row.cycles), ((Builder::SweepSah, 10, 1), 900.5));
        assert_eq!((row.work.unwrap().load_sectors, row.stalls, &row.code), (8.0, None, &None));
        let with_code = TABLE.replace(",extra,", ",code,");
        let driver = read_counters(&with_code.replace(",x,", ",driver,")).unwrap();
        assert!(matches!(driver[0].code, Some(CodeThen::Unknown(_))));
        let (line, fault) = refused(&with_code);
        assert!(line == 2 && is_field(&fault, "code", "x"), "{fault}");
    }

    #[test]
    fn a_table_of_stalls_has_other_columns_and_sums_what_one_cause_is() {
        let stalls = "issue_percent,not_selected,math_pipe_throttle,wait,dispatch_stall,long_scoreboard,short_scoreboard,\
            branch_resolving,no_instruction,lg_throttle,mio_throttle,tex_throttle,drain,membar,misc";
        let table = format!(
            "scene,variant,kind,tree,rays,blocks,ns,warp_instructions,cycles,{stalls}\n\
            hall,direct/phased/h8,ao,sweep+10/1,786432,6144,1000,1e6,900,80,1,2,3,0.25,5,6,7,0.5,0.125,0,0,0,0,0.0625\n"
        );
        let row = &read_counters(&table).unwrap()[0];
        let StallCounters { issuing, waiting, unmodelled } = row.stalls.unwrap();
        assert_eq!((issuing, waiting, unmodelled), (0.8, [1.0, 2.125, 3.0, 5.0, 6.0, 7.0, 0.25], 0.5625));
        assert_eq!(row.work, None);
        let (line, fault) = refused(&table.replace("branch_resolving", "branches"));
        assert_eq!((line, fault), (1, TableFault::NoColumn { name: "thread_instructions" }));
        let (line, fault) = refused(&table.replace(",80,", ",800,"));
        assert!(line == 2 && is_field(&fault, "issue_percent", "800"), "{fault}");
    }

    #[test]
    fn what_is_no_such_table_is_refused_with_its_line() {
        for (whole, broken, column, found) in [
            ("phased", "fazed", "variant", "direct/fazed/h8"),
            (",ao,", ",ambient,", "kind", "ambient"),
            ("sweep+10/1", "sweep", "tree", "sweep"),
            ("786432", "0", "rays", "0"),
            ("900.5", "NaN", "cycles", "NaN"),
        ] {
            let (line, fault) = refused(&TABLE.replacen(whole, broken, 1));
            assert!(line == 2 && is_field(&fault, column, found), "{fault}");
        }
        let column = refused(&TABLE.replacen(",warp_instructions", ",instructions", 1));
        assert_eq!(column, (1, TableFault::NoColumn { name: "warp_instructions" }));
        let field = refused(&TABLE.replacen(",77,8", ",77", 1));
        assert_eq!(field, (2, TableFault::NoField { column: "global_load_sectors" }));
        assert!(read_counters("").is_err());
        assert_eq!(read_counters(&format!("\u{feff}{TABLE}")).unwrap(), read_counters(TABLE).unwrap());
        let long = TABLE.replace("900.5", &"9x".repeat(1000));
        assert!(read_counters(&long).unwrap_err().to_string().len() < 250);
        let twice = format!("{TABLE}{}\n", TABLE.lines().nth(1).unwrap());
        let variant = "direct/phased/h8".parse().unwrap();
        let second = TableFault::SecondLaunch { variant, kind: "ao", scene: "hall".into() };
        assert_eq!(refused(&twice), (3, second));
    }
}
