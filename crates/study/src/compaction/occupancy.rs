//! Resident warps by the shared memory of a block (W11 figure 2, right).

use raywarp_papers::w11;
use raywarp_report::{
    Column, Document, ReportTable, Sheet, TableColumn, Unit, Value,
    chart::{ChartLine, Points},
};
use raywarp_sim::compaction::occupancy_curve;
use raywarp_sim::machine::Machine;

/// Occupancy of W11's kernel on one GPU, by shared memory.
pub(super) struct Curve {
    /// GPU that the occupancy is of.
    pub machine: Machine,
    /// Fraction of the warps that are resident, by bytes of shared memory of a block.
    pub points: Vec<(u32, f64)>,
}

/// Bytes of shared memory between two points of the printed curve.
const STEP: u32 = 4096;

/// Returns the occupancy of W11's kernel on W11's GPU and on an H200, in steps of this many bytes.
pub(super) fn curves(step_bytes: u32) -> Vec<Curve> {
    let kernel = &w11().kernels;
    let curve = |name: &str| {
        let machine = Machine::find(name).ok()?;
        let points = occupancy_curve(&machine, kernel.registers, kernel.block_threads, step_bytes).ok()?;
        Some(Curve { machine, points: points.into_iter().map(|(bytes, occupancy)| (bytes, occupancy.share)).collect() })
    };
    ["gtx480", "h200"].into_iter().filter_map(curve).collect()
}

/// Adds a chart with the occupancy curves of both GPUs.
pub(super) fn chart(document: &mut Document) {
    let line = |Curve { machine, points }: Curve| ChartLine {
        name: machine.name().to_string(),
        points: points
            .iter()
            .map(|&(bytes, share)| (f64::from(bytes) / 1024.0, 100.0 * share, String::new()))
            .collect(),
    };
    let chart = Points {
        x_axis: "shared memory of a block, KB".into(),
        y_axis: "resident warps, %".into(),
        lines: curves(STEP).into_iter().map(line).collect(),
        ..Points::default()
    };
    let kernel = &w11().kernels;
    let caption = format!(
        "Warps that stay resident with tiles in shared memory (W11 figure 2), blocks of {} threads and {} registers",
        kernel.block_threads, kernel.registers
    );
    document.chart("occupancy", caption, chart);
}

/// Returns a table of both GPUs' occupancy, up to the shared memory that a block of the smaller one may have.
pub(super) fn table() -> ReportTable {
    let curves = curves(STEP);
    let steps = curves.iter().map(|curve| curve.points.len()).min().unwrap_or(0);
    let share = |step: usize| {
        let kilobytes = (STEP / 1024) as usize * step;
        Column::new(Unit::Percent, move |curve: &Curve| Value::Number(curve.points[step].1))
            .text(TableColumn::right(kilobytes.to_string()).rank(1))
    };
    let name = Column::words(|curve: &Curve| curve.machine.name().trim_start_matches("GeForce ").to_string());
    let columns = std::iter::once(name.text(TableColumn::left("KB"))).chain((0..steps).map(share));
    Sheet(columns.collect()).table(&curves).in_text(format!(
        "resident warps, % of the most (W11 figure 2): {} registers, blocks of {}, by KB of shared memory of a block",
        w11().kernels.registers,
        w11().kernels.block_threads
    ))
}
