//! Which simulated machine a GPU is, and its clock.

use super::MeasuredRate;
use raywarp_bench::Clocks;
use raywarp_sim::machine::{Machine, keys};

/// The built-in machine that a GPU is: one whose name is in the driver's, of the same compute capability and number of
/// multiprocessors. A board that is named after another has other chips ("RTX 4090 D", "RTX 4090 Laptop GPU"), which the number
/// tells.
///
/// None where there is no such file.
pub fn machine_of(name: &str, capability: (i32, i32), multiprocessors: Option<u32>) -> Option<Machine> {
    let is_it = |machine: &Machine| {
        let (major, minor) = machine.capability();
        is_named(name, machine.name())
            && (i64::from(major), i64::from(minor)) == (i64::from(capability.0), i64::from(capability.1))
            && multiprocessors.is_none_or(|count| count == machine.count(keys::SM_COUNT))
    };
    Machine::builtin().into_iter().find(is_it)
}

/// Whether the words of `machine` stand in `name` in their order and side by side, whatever their case.
pub(super) fn is_named(name: &str, machine: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    let wanted = words(machine);
    !wanted.is_empty() && words(name).windows(wanted.len()).any(|found| found == wanted)
}

impl MeasuredRate {
    /// Whether it ran on a GPU of this name.
    pub fn ran_on(&self, machine: &Machine) -> bool {
        is_named(&self.target, machine.name())
    }
}

/// Which clock a machine has after [`set_clock`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClockUsed {
    /// That of its file: nobody wrote down another.
    File(f64),
    /// That which the driver told after the run, and allows at most: no run was faster.
    Told(f64),
    /// The most that the driver allows: it told another after the run, when the GPU may have slept.
    Most {
        /// That.
        mhz: f64,
        /// What it told.
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

/// Gives `machine` the clock of a run. A bound at a lower clock than the run had would be passed by right, so that what
/// counts is the most that the driver allows. A clock that the machine's other numbers contradict changes nothing.
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
    fn a_gpu_is_the_machine_of_its_name_and_size() {
        let found = |name, capability, count| machine_of(name, capability, Some(count)).map(|m| m.name().to_string());
        assert_eq!(found("NVIDIA H200", (9, 0), 132).as_deref(), Some("H200"));
        assert_eq!(found("NVIDIA H100 80GB HBM3", (9, 0), 132).as_deref(), Some("H100"));
        assert_eq!(found("NVIDIA A100-SXM4-80GB", (8, 0), 108).as_deref(), Some("A100"));
        assert_eq!(found("NVIDIA GeForce RTX 4090", (8, 9), 128).as_deref(), Some("GeForce RTX 4090"));
        for (name, capability, count) in [
            ("NVIDIA H100 PCIe", (9, 0), 114),
            ("NVIDIA GeForce RTX 4090 D", (8, 9), 114),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", (8, 9), 76),
            ("NVIDIA H2000", (9, 0), 132),
            ("NVIDIA H200", (10, 0), 132),
            ("pretended GPU", (9, 0), 132),
            ("", (9, 0), 132),
        ] {
            assert_eq!(found(name, capability, count), None, "{name}");
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
