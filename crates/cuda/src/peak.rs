//! Peak rates of a GPU, computed from what its driver says of it.

use crate::Device;
use cudarc::driver::sys::CUdevice_attribute;

/// Number of warp instructions that a multiprocessor issues in a clock: one for each of its four schedulers, in GPUs of
/// compute capability 7.5 to 12.1 (CUDA C++ Programming Guide, "Compute Capabilities").
const ISSUED_PER_CLOCK: f64 = 4.0;
/// Largest major compute capability whose schedulers are known.
const LAST_KNOWN: i32 = 12;

/// Numbers by the driver for a GPU's peak rates of instructions and memory traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeakRates {
    /// Number of the GPU's multiprocessors.
    pub multiprocessors: u32,
    /// Highest clock of the multiprocessors in kHz.
    pub clock_khz: u32,
    /// Highest clock of the GPU's memory in kHz.
    pub memory_khz: u32,
    /// Width of the memory bus in bits.
    pub memory_bits: u32,
}

impl PeakRates {
    /// Returns the peak number of warp instructions issued per second.
    pub fn instructions(&self) -> f64 {
        ISSUED_PER_CLOCK * f64::from(self.multiprocessors) * f64::from(self.clock_khz) * 1e3
    }

    /// Returns the peak bytes per second to and from the GPU's memory, which transfers twice a clock.
    pub fn bytes(&self) -> f64 {
        2.0 * f64::from(self.memory_khz) * 1e3 * f64::from(self.memory_bits) / 8.0
    }
}

impl Device {
    /// Returns the GPU's peak rates; `None` where the driver does not tell a part of them, or for a GPU younger than
    /// those whose schedulers are known.
    pub fn peak_rates(&self) -> Option<PeakRates> {
        let read = |attribute| {
            let value = self.context().attribute(attribute).ok()?;
            u32::try_from(value).ok().filter(|value| *value > 0)
        };
        let rates = PeakRates {
            multiprocessors: read(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            clock_khz: read(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            memory_khz: read(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
            memory_bits: read(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        };
        (self.capability().0 <= LAST_KNOWN).then_some(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_h200_issues_a_million_million_instructions_and_moves_nearly_five_times_as_many_bytes() {
        // machines/h200.toml: 132 multiprocessors at 1980 MHz; 3201 MHz on 6016 bits, printed as 4.8 TB/s.
        let h200 = PeakRates { multiprocessors: 132, clock_khz: 1_980_000, memory_khz: 3_201_000, memory_bits: 6016 };
        assert_eq!(h200.instructions(), 1_045_440_000_000.0);
        assert_eq!(h200.bytes(), 4_814_304_000_000.0);
    }
}
