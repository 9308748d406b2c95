//! Measured rates beside what is possible, in the report of `--machine`.

use super::page::Page;
use crate::measured::MeasuredReport;

/// Writes the table.
pub(super) fn write(page: &mut Page, measured: &MeasuredReport) {
    let caption = format!(
        "Measured beside the lowest bound of the same rays and tree, Mrays/s, at {}; a star marks a strict bound. Tree: its name and the most triangles of a leaf. Then where the measured time went by the model. Latency is what no \
         other part explains; the tail, with the start, is what two launches of half the rays took more than one.",
        measured.clock()
    );
    page.grid(measured.sheet().grid(caption, measured.lines()));
}
