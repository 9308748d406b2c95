//! The number of warps that W11's GPU kept resident, to stand beside this machine's.

use raywarp_sim::machine::{LaunchResources, Machine};

/// Returns the fraction of the GTX 480's warps that are resident, in blocks of 64 threads of 64 registers with this
/// many shared bytes; `None` if a block does not fit.
pub(super) fn occupancy_then(shared_bytes_per_block: u32) -> Option<f64> {
    let machine = Machine::find("gtx480").ok()?;
    let launch = LaunchResources { registers_per_thread: 63, shared_bytes_per_block, threads_per_block: 64 };
    machine.occupancy(launch).ok().map(|occupancy| occupancy.share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fermi_had_the_occupancies_of_figure_2() {
        let percent = |bytes| occupancy_then(bytes).map(|share| (100.0 * share).round());
        assert_eq!([0, 24 << 10, 40 << 10].map(percent), [Some(33.0), Some(8.0), Some(4.0)]);
        assert_eq!(percent(49 << 10), None);
    }
}
