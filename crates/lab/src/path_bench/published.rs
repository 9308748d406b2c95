//! W11's own figures, to stand beside those of this machine: a GTX 480, 1280 x 768. Its Tables 2 and 3 stand in
//! `raywarp_sim::compaction`.

use raywarp_sim::machine::{Launch, Machine};

/// Table 1, paths of at most eight bounces, frames a second: naive, whole-frame compaction, tiles in shared memory.
pub(crate) const TABLE_1: [(&str, [f64; 3]); 6] = [
    ("fairy", [3.13, 3.54, 1.08]),
    ("moto", [2.03, 2.29, 0.74]),
    ("troll", [3.19, 3.63, 1.10]),
    ("dragon", [3.61, 4.06, 1.21]),
    ("dreamhome", [3.42, 3.88, 1.23]),
    ("refinery", [4.17, 4.84, 1.42]),
];

/// Share of the GTX 480's warps that are resident, in blocks of 64 threads of 64 registers that share so many bytes; none where
/// it has not as many.
pub(super) fn occupancy_then(shared_bytes_per_block: u32) -> Option<f64> {
    let machine = Machine::find("gtx480").ok()?;
    let launch = Launch { registers_per_thread: 63, shared_bytes_per_block, threads_per_block: 64 };
    machine.occupancy(launch).ok().map(|occupancy| occupancy.share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_sim::compaction::{W11_TABLE_2, W11_TABLE_3};

    #[test]
    fn table_3_adds_up_to_the_frames_that_the_paper_tells_of() {
        // 342 ms without compaction, 278 with.
        let rows = || W11_TABLE_2.iter().zip(W11_TABLE_3);
        let off: f64 = rows().map(|(row, [off, _])| row.naive_warps * off).sum();
        let on: f64 = rows().map(|(row, [_, on])| 1e3 * row.kilo_paths / 32.0 * on).sum();
        assert!((off / 1e3 / 342.0 - 1.0).abs() < 0.01, "{off}");
        assert!((on / 1e3 / 278.0 - 1.0).abs() < 0.01, "{on}");
    }

    #[test]
    fn fermi_had_the_occupancies_of_figure_2() {
        let percent = |bytes| occupancy_then(bytes).map(|share| (100.0 * share).round());
        assert_eq!([0, 24 << 10, 40 << 10].map(percent), [Some(33.0), Some(8.0), Some(4.0)]);
        assert_eq!(percent(49 << 10), None);
    }
}
