//! The keys of a machine file: every number, its unit and its range, in one table.
//!
//! A number's key is its group and its name in it, as the file writes them: `l2.bytes` is `bytes` under `[l2]`.

use super::fault::MachineFault;

/// A number that a machine file may give: its name, unit and range.
#[derive(Debug)]
pub struct MachineKey {
    /// Name of the number: its group and its name in it, with a dot between.
    pub path: &'static str,
    /// Unit of the number, with what it is a number of.
    pub unit: &'static str,
    /// `true` if every machine file must give the number.
    pub required: bool,
    /// `true` if the number is a count, which has no fraction.
    pub whole: bool,
    /// `true` if the number is a power of two: a size by which addresses are divided, or lanes that are halved.
    pub power_of_two: bool,
    /// Smallest value that makes sense.
    pub least: f64,
    /// Largest value that makes sense; above it the unit was mistaken.
    pub most: f64,
    /// Meaning of the number, in words.
    pub meaning: &'static str,
}

macro_rules! keys {
    ($($name:ident, $path:literal, $need:ident, $kind:ident, $least:expr, $most:expr, $unit:literal, $meaning:literal;)*) => {
        $(
            #[doc = $meaning]
            #[doc = concat!("\n\nIn files `", $path, "`, in ", $unit, ".")]
            pub const $name: &MachineKey = &MachineKey {
                path: $path,
                unit: $unit,
                required: keys!(@need $need),
                whole: keys!(@whole $kind),
                power_of_two: keys!(@power $kind),
                least: $least as f64,
                most: $most as f64,
                meaning: $meaning,
            };
        )*
        /// All numbers that machine files may give, in the order of a file.
        pub const ALL: &[&MachineKey] = &[$($name),*];
    };
    (@need must) => { true };
    (@need may) => { false };
    (@whole real) => { false };
    (@whole $kind:ident) => { true };
    (@power power) => { true };
    (@power $kind:ident) => { false };
}

keys! {
    SM_COUNT, "sm.count", must, count, 1, 4096, "multiprocessors", "Multiprocessors that run kernels.";
    SM_SCHEDULERS, "sm.schedulers", must, count, 1, 16, "a multiprocessor", "Warp schedulers.";
    SM_WARP_WIDTH, "sm.warp_width", must, power, 1, 64, "lanes", "Lanes of a warp; the simulator's masks have 64 bits.";
    CLOCK_MHZ, "clock.mhz", must, real, 1, 20_000, "MHz", "The clock that bounds count in: that of the lanes.";
    CLOCK_BASE_MHZ, "clock.base_mhz", may, real, 1, 20_000, "MHz", "The clock that the vendor promises.";
    CLOCK_BOOST_MHZ, "clock.boost_mhz", may, real, 1, 20_000, "MHz", "The vendor's boost clock.";
    CLOCK_MAX_MHZ, "clock.max_mhz", may, real, 1, 20_000, "MHz", "The highest clock that its driver offers.";
    CLOCK_MEASURED_MHZ, "clock.measured_mhz", may, real, 1, 20_000, "MHz", "The clock seen under load in a recorded run.";
    ISSUE_PER_SCHEDULER, "issue.per_scheduler", must, real, 0.01, 16, "warp instructions a clock", "The most that a scheduler issues, with ideal dual issue where there is any.";
    ISSUE_SINGLE, "issue.single_per_scheduler", may, real, 0.01, 16, "warp instructions a clock", "The same without dual issue.";
    ISSUE_FIGURE3_RATE, "issue.figure3_dual_rate", may, real, 1, 2, "instructions for one", "The dual issue rate that ALK12 assumes in its figure 3, and there only.";
    PIPE_ALU, "pipes.alu", must, real, 0.25, 4096, "lanes a clock", "Comparisons, minima, logic, selections.";
    PIPE_FMA, "pipes.fma", must, real, 0.25, 4096, "lanes a clock", "Products and sums of floats.";
    PIPE_FMAHEAVY, "pipes.fmaheavy", may, real, 0.25, 4096, "lanes a clock", "Products of integers, on the heavy half of fma.";
    PIPE_IMUL, "pipes.imul", may, real, 0.25, 4096, "lanes a clock", "Products of integers, on GPUs older than compute capability 7.0, whose fma has no halves.";
    PIPE_SECOND, "pipes.second", may, real, 0.25, 4096, "lanes a clock", "Products of floats that a second pipe takes besides fma (GTX 285).";
    PIPE_HALF, "pipes.half", may, real, 0.25, 4096, "lanes a clock", "Pairs of 16-bit floats; two results a lane.";
    PIPE_DOUBLE, "pipes.double", may, real, 0.25, 4096, "lanes a clock", "64-bit floats.";
    PIPE_XU, "pipes.xu", must, real, 0.25, 4096, "lanes a clock", "Reciprocals, square roots, sines.";
    PIPE_CONVERSION, "pipes.conversion", may, real, 0.25, 4096, "lanes a clock", "Conversions between 32-bit integers and floats; if not given, as xu.";
    PIPE_LSU, "pipes.lsu", may, real, 0.25, 4096, "lanes a clock", "Addresses of loads and stores, and shuffles.";
    L1_BYTES, "l1.bytes", may, count, 0, 1u64 << 30, "bytes a multiprocessor", "The first cache that node fetches use; where it shares its memory with shared memory, all of it.";
    L1_LINE_BYTES, "l1.line_bytes", may, power, 4, 4096, "bytes", "A line.";
    L1_SECTOR_BYTES, "l1.sector_bytes", may, power, 4, 4096, "bytes", "The least that a miss brings.";
    L1_BYTES_PER_CLOCK, "l1.bytes_per_clock", may, real, 1, 65_536, "bytes a clock and multiprocessor", "Read from it at most.";
    L1_WAVEFRONTS_PER_CLOCK, "l1.wavefronts_per_clock", may, real, 0.01, 16, "a clock and multiprocessor", "Passes through its data stage.";
    L1_LINES_PER_WAVEFRONT, "l1.lines_per_wavefront", may, real, 1, 64, "lines", "Lines that one pass may look up.";
    L2_BYTES, "l2.bytes", may, count, 0, 1u64 << 40, "bytes", "The cache of all multiprocessors.";
    L2_LINE_BYTES, "l2.line_bytes", may, power, 4, 4096, "bytes", "A line.";
    L2_SECTOR_BYTES, "l2.sector_bytes", may, power, 4, 4096, "bytes", "The least that is read.";
    L2_BYTES_PER_CLOCK, "l2.bytes_per_clock", may, real, 1, 1_000_000, "bytes a clock", "Read from it at most, by all multiprocessors.";
    L2_REQUESTS_PER_CLOCK, "l2.requests_per_clock", may, real, 0.001, 16, "a clock and multiprocessor", "Requests of a sector that it answers each multiprocessor, while all ask.";
    DRAM_BYTES, "dram.bytes", may, count, 1, 1u64 << 50, "bytes", "The device's memory.";
    DRAM_GB_PER_S, "dram.gb_per_s", must, real, 0.1, 1_000_000, "10^9 bytes a second", "Its bandwidth.";
    LATENCY_ALU, "latency.alu", may, real, 1, 1000, "clocks", "From an arithmetic instruction to one that needs its result.";
    LATENCY_SHARED, "latency.shared", may, real, 1, 100_000, "clocks", "Of a load from shared memory.";
    LATENCY_XU, "latency.xu", may, real, 1, 100_000, "clocks", "Of a reciprocal, a conversion, a count of bits.";
    LATENCY_LANES, "latency.lanes", may, real, 1, 100_000, "clocks", "Of another lane's word: a shuffle.";
    LATENCY_CONSTANT, "latency.constant", may, real, 1, 100_000, "clocks", "Of a constant at an address, and of a special register.";
    LATENCY_L1, "latency.l1_hit", may, real, 1, 100_000, "clocks", "Of a load that hits the first cache.";
    LATENCY_L2, "latency.l2_hit", may, real, 1, 100_000, "clocks", "Of a load that hits the second.";
    LATENCY_DRAM, "latency.dram", may, real, 1, 100_000, "clocks", "Of a load that misses both.";
    REGISTERS_PER_SM, "registers.per_sm", must, count, 1, 1 << 24, "registers of 32 bits", "Of a multiprocessor.";
    REGISTERS_PER_BLOCK, "registers.per_block", must, count, 1, 1 << 24, "registers", "The most that a block may have.";
    REGISTERS_PER_THREAD, "registers.per_thread", must, count, 1, 4096, "registers", "The most that a thread may have.";
    REGISTERS_UNIT, "registers.unit", must, count, 1, 65_536, "registers", "They are given out in multiples of this: to a warp, or to a block where registers.to_blocks is 1.";
    REGISTERS_COARSE_UNIT, "registers.coarse_unit", may, count, 1, 65_536, "registers", "The unit for 21, 22, 29, 30, 37, 38, 45 and 46 registers a thread (compute capability 2).";
    REGISTERS_TO_BLOCKS, "registers.to_blocks", may, count, 0, 1, "1 or 0", "1 where registers are given to whole blocks, of an even number of warps (compute capability 1).";
    REGISTERS_PARTITIONS, "registers.partitions", must, count, 1, 16, "a multiprocessor", "Parts that its registers are divided into; a warp has its own from one of them.";
    SHARED_PER_SM, "shared.per_sm_bytes", must, count, 0, 1 << 30, "bytes", "Shared memory of a multiprocessor, at most.";
    SHARED_PER_BLOCK, "shared.per_block_bytes", must, count, 0, 1 << 30, "bytes", "The most that a block may ask for.";
    SHARED_UNIT, "shared.unit_bytes", must, count, 1, 65_536, "bytes", "It is given out in multiples of this.";
    SHARED_RESERVED, "shared.reserved_bytes", may, count, 0, 65_536, "bytes a block", "What the system takes for each block.";
    RESIDENT_WARPS, "resident.warps", must, count, 1, 4096, "a multiprocessor", "Warps that it can hold.";
    RESIDENT_BLOCKS, "resident.blocks", must, count, 1, 4096, "a multiprocessor", "Blocks that it can hold.";
    RESIDENT_BLOCK_THREADS, "resident.threads_per_block", must, count, 1, 65_536, "threads", "The most that a block may have.";
}

/// Numbers that describe a machine and change nothing: the model has lines of 128 bytes and sectors of 32, and bounds
/// need one clock.
const DESCRIBING: [&MachineKey; 8] = [
    CLOCK_BOOST_MHZ,
    CLOCK_MAX_MHZ,
    PIPE_SECOND,
    L1_LINE_BYTES,
    L1_SECTOR_BYTES,
    L1_LINES_PER_WAVEFRONT,
    L2_LINE_BYTES,
    L2_SECTOR_BYTES,
];

/// Returns the key with this name; `None` if there is none.
pub fn find(path: &str) -> Option<&'static MachineKey> {
    ALL.iter().find(|key| key.path == path).copied()
}

/// Returns the sections of a machine file in its order, with the names of the numbers in each.
pub fn sections() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let split = |key: &&'static MachineKey| key.path.split_once('.').unwrap_or((key.path, ""));
    let groups = ALL.chunk_by(move |a, b| split(a).0 == split(b).0);
    groups.map(move |keys| (split(&keys[0]).0, keys.iter().map(|key| split(key).1).collect()))
}

/// Returns up to three keys whose names are most like `path`, best first; none where nothing is alike.
pub fn near(path: &str) -> Vec<&'static str> {
    let asked = path.to_ascii_lowercase();
    let mut scored: Vec<(f64, &'static str)> = ALL
        .iter()
        .map(|key| {
            let (group, name) = key.path.split_once('.').unwrap_or_default();
            // A name without its group is a likely slip; a wrong group is not.
            let alike = strsim::jaro_winkler(&asked, key.path).max(strsim::jaro_winkler(&asked, name));
            let same_group = asked.split('.').next() == Some(group);
            (if same_group { alike + 0.1 } else { alike }, key.path)
        })
        .filter(|&(alike, _)| alike >= 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(3).map(|(_, path)| path).collect()
}

impl MachineKey {
    /// Returns `true` if a bound, a rate or a doubt depends on the number.
    pub fn has_effect(&self) -> bool {
        !DESCRIBING.iter().any(|key| key.path == self.path)
    }

    /// Returns what is wrong with `value` for this key; `None` if it is fine.
    pub fn fault(&self, value: f64) -> Option<MachineFault> {
        let Self { path, least, most, whole, power_of_two, .. } = *self;
        // Written so that NaN is a fault.
        if !(value >= least && value <= most) {
            return Some(MachineFault::OutOfRange { path, value, least, most });
        }
        if whole && value.fract() != 0.0 {
            return Some(MachineFault::NotWhole { path, value });
        }
        let is_power = (value as u64).is_power_of_two();
        (power_of_two && !is_power).then_some(MachineFault::NoPowerOfTwo { path, value, least, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::Path;

    #[test]
    fn paths_are_unique_and_have_one_dot() {
        for (i, key) in ALL.iter().enumerate() {
            assert_eq!(key.path.matches('.').count(), 1, "{}", key.path);
            assert!(key.least <= key.most, "{}", key.path);
            assert!(ALL[..i].iter().all(|other| other.path != key.path), "{} twice", key.path);
        }
    }

    /// Returns the names of keys that sources in a folder read.
    fn read_in(folder: &Path, names: &mut HashSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let is_of_files = ["keys.rs", "parse.rs", "tests.rs"].iter().any(|file| path.ends_with(file));
            if path.is_dir() {
                read_in(&path, names);
            } else if !is_of_files {
                let text = std::fs::read_to_string(path).unwrap();
                let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                names.extend(text.split("keys::").skip(1).map(name));
            }
        }
    }

    #[test]
    fn numbers_without_an_effect_are_read_nowhere_and_all_others_somewhere() {
        let mut names = HashSet::new();
        for sources in ["src", "../study/src"] {
            read_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join(sources), &mut names);
        }
        let mut seen = 0;
        for line in include_str!("keys.rs").lines() {
            let Some((name, rest)) = line.trim().split_once(", \"") else { continue };
            let is_constant = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            let Some(key) = rest.split('"').next().and_then(find).filter(|_| is_constant) else { continue };
            assert_eq!(key.has_effect(), names.contains(name), "{name}");
            seen += 1;
        }
        assert_eq!(seen, ALL.len());
    }

    #[test]
    fn a_mistyped_key_is_answered_with_the_one_meant() {
        for (typed, meant) in [
            ("l2.byte", "l2.bytes"),
            ("l2.size_bytes", "l2.bytes"),
            ("L2.Bytes", "l2.bytes"),
            ("wavefronts_per_clock", "l1.wavefronts_per_clock"),
            ("pipe.fma", "pipes.fma"),
            ("register.per_sm", "registers.per_sm"),
            ("dram.gbps", "dram.gb_per_s"),
        ] {
            assert!(near(typed).contains(&meant), "{typed}: {:?}", near(typed));
        }
        assert!(near("zzzz").is_empty());
    }
}
