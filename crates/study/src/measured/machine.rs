//! The simulated machine of a GPU, and its clock.

use super::MeasuredRate;
use raywarp_bench::Clocks;
use raywarp_sim::machine::{Machine, keys};

/// Name and sizes of a GPU, as its driver tells them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuFacts<'a> {
    /// Name of the GPU by its driver.
    pub name: &'a str,
    /// Compute capability of the GPU, major and minor.
    pub capability: (i32, i32),
    /// Number of the GPU's multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of the GPU's memory, free or in all.
    pub memory_bytes: u64,
}

/// Factor by which a GPU may report more memory than its machine's file has, as vendors round in units of their own:
/// 141 GB of an H200 are 150.8 * 10^9 bytes.
const MEMORY_SLACK: f64 = 1.1;

/// Returns the built-in machine for a GPU: one whose name is in the driver's, with its compute capability and number of
/// multiprocessors, and no more memory. Other boards have names like it and other numbers, which would make wrong
/// bounds: an "RTX 4090 D" has fewer multiprocessors, an "A100 80GB" faster memory.
///
/// None where there is no such file.
pub fn machine_of(gpu: &GpuFacts<'_>) -> Option<Machine> {
    let is_it = |machine: &Machine| {
        let (major, minor) = machine.capability();
        let holds = machine.get(keys::DRAM_BYTES).is_none_or(|bytes| MEMORY_SLACK * bytes >= gpu.memory_bytes as f64);
        is_named(gpu.name, machine.name())
            && (i64::from(major), i64::from(minor)) == (i64::from(gpu.capability.0), i64::from(gpu.capability.1))
            && gpu.multiprocessors == machine.count(keys::SM_COUNT)
            && holds
    };
    Machine::builtin().into_iter().find(is_it)
}

/// Returns `true` if the words of `machine` occur in `name` side by side and in order, in any case.
pub(super) fn is_named(name: &str, machine: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    let wanted = words(machine);
    !wanted.is_empty() && words(name).windows(wanted.len()).any(|found| found == wanted)
}

impl MeasuredRate {
    /// Returns `true` if the rate was measured on a GPU of this machine's name.
    pub fn ran_on(&self, machine: &Machine) -> bool {
        is_named(&self.target, machine.name())
    }
}

/// Clock rate that a machine has after [`set_clock`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClockUsed {
    /// Clock of the machine's file, as the run recorded none.
    File(f64),
    /// Clock that the driver told after the run, which is also the highest that it allows.
    Told(f64),
    /// Highest clock that the driver allows; after the run it told a lower one, when the GPU may have been idle.
    Most {
        /// Highest clock rate in MHz that the driver allows.
        mhz: f64,
        /// Clock rate in MHz that the driver told after the run.
        told: f64,
    },
}

impl std::fmt::Display for ClockUsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(mhz) => write!(f, "{mhz:.0} MHz, of its file"),
            Self::Told(mhz) => write!(f, "{mhz:.0} MHz, as its driver said after the run"),
            Self::Most { mhz, told } => {
                write!(f, "{mhz:.0} MHz, the most that its driver allows; {told:.0} MHz after the run")
            }
        }
    }
}

/// Sets the clock rate of `machine` to that of a run, and returns where it is from. A bound at a lower clock than the
/// run had would be passed by right, so that what counts is the most that the driver allows. A clock that the machine's
/// other numbers contradict changes nothing.
pub fn set_clock(machine: &mut Machine, clocks: Option<Clocks>) -> ClockUsed {
    let file = ClockUsed::File(machine.need(keys::CLOCK_MHZ));
    let Some(Clocks { mhz: told, most_mhz: mhz }) = clocks else { return file };
    match machine.set(keys::CLOCK_MHZ.path, &mhz.to_string()) {
        Ok(()) if told < mhz => ClockUsed::Most { mhz, told },
        Ok(()) => ClockUsed::Told(mhz),
        Err(_) => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_the_machine_of_its_name_and_sizes() {
        let found = |name, capability, multiprocessors, gigabytes: u64| {
            let gpu = GpuFacts { name, capability, multiprocessors, memory_bytes: gigabytes * 1_000_000_000 };
            machine_of(&gpu).map(|machine| machine.name().to_string())
        };
        for (name, capability, count, gigabytes, machine) in [
            ("NVIDIA H200", (9, 0), 132, 150, "H200"),
            ("NVIDIA H100 80GB HBM3", (9, 0), 132, 85, "H100"),
            ("NVIDIA A100-SXM4-40GB", (8, 0), 108, 42, "A100"),
            ("NVIDIA GeForce RTX 4090", (8, 9), 128, 25, "GeForce RTX 4090"),
        ] {
            assert_eq!(found(name, capability, count, gigabytes).as_deref(), Some(machine));
            // Some of it may be taken.
            assert_eq!(found(name, capability, count, 1).as_deref(), Some(machine));
        }
        for (name, capability, count, gigabytes) in [
            ("NVIDIA H100 PCIe", (9, 0), 114, 85),
            ("NVIDIA H100 NVL", (9, 0), 132, 100),
            ("NVIDIA A100-SXM4-80GB", (8, 0), 108, 85),
            ("NVIDIA GeForce RTX 4090 D", (8, 9), 114, 25),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", (8, 9), 76, 17),
            ("NVIDIA GH200 480GB", (9, 0), 132, 100),
            ("NVIDIA H2000", (9, 0), 132, 1),
            ("NVIDIA H200", (10, 0), 132, 150),
            ("pretended GPU", (9, 0), 132, 1),
            ("", (9, 0), 132, 1),
        ] {
            assert_eq!(found(name, capability, count, gigabytes), None, "{name}");
        }
    }

    #[test]
    fn a_clock_that_may_have_been_higher_is_not_used() {
        let clock = |clocks| {
            let mut machine = Machine::find("rtx4090").unwrap();
            let used = set_clock(&mut machine, clocks);
            (used, machine.need(keys::CLOCK_MHZ))
        };
        let file = Machine::find("rtx4090").unwrap().need(keys::CLOCK_MHZ);
        let told = |mhz, most_mhz| Some(Clocks { mhz, most_mhz });
        assert_eq!(clock(None), (ClockUsed::File(file), file));
        assert_eq!(clock(told(3105.0, 3105.0)), (ClockUsed::Told(3105.0), 3105.0));
        assert_eq!(clock(told(210.0, 3105.0)), (ClockUsed::Most { mhz: 3105.0, told: 210.0 }, 3105.0));
        assert_eq!(clock(told(1.0, 1e9)), (ClockUsed::File(file), file));
    }
}
