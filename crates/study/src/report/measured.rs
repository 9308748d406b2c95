//! What was measured beside what is possible, in the report of `--machine`.

use super::page::{Grid, Page};
use super::run::{mrays, number};
use crate::launch::expected_cell;
use crate::measured::{MeasuredReport, MeasuredRow, Share};

/// The table.
pub(super) fn write(page: &mut Page, measured: &MeasuredReport) {
    let head = ["kernel", "rays", "tree", "views", "measured", "expected", "bound", "bound by", "ratio"];
    let shares = Share::ALL.map(|share| format!("{}, %", share.name()));
    let several = measured.lines().any(|row| row.rate.view.is_some());
    let line = |row: &MeasuredRow| {
        let bound = row.lowest();
        let mut cells = vec![
            row.name(),
            row.kind(),
            format!("{}/{}", row.rate.tree, row.rate.build.max_leaf),
            if several { row.view() } else { String::new() },
            mrays(row.rate.rays_per_s),
            expected_cell(row.prediction, row.expected, |rate| mrays(1e6 * rate)).unwrap_or_default(),
            bound.map_or_else(String::new, |bound| mrays(bound.rays_per_s) + bound.class.mark()),
            bound.map_or_else(String::new, |bound| bound.limit.name()),
            row.ratio().map_or_else(String::new, |ratio| number(ratio, 2)),
        ];
        cells.extend(
            Share::ALL.map(|share| row.share(share).map_or_else(String::new, |share| number(100.0 * share, 0))),
        );
        cells
    };
    page.grid(Grid {
        caption: format!(
            "Measured beside the lowest bound of the same rays and tree, Mrays/s, at {}; a star marks a strict bound. Tree: its name and the most triangles of a leaf. Then where the measured time went by the model. Latency is what no \
             other part explains; the tail, with the start, is what two launches of half the rays took more than one.",
            measured.clock()
        ),
        head: head.into_iter().map(String::from).chain(shares).collect(),
        rows: measured.lines().map(line).collect(),
    });
}
