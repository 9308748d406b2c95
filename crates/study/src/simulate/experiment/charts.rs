//! Charts of an experiment: bars of our numbers with the paper's beside them, and histograms of warps' times.

use super::Experiment;
use super::report::{ComparedCell, ExperimentRow, ExperimentTable};
use raywarp_report::{
    Document,
    chart::{Bar, Bars, Columns},
};

/// Adds a bar chart with a group for each row and a series for each kind of rays.
pub(super) fn bars(document: &mut Document, experiment: Experiment, number: usize, table: &ExperimentTable) {
    let bar = |cell: &ComparedCell| {
        let value = *cell.numbers.first()?;
        let theirs = if cell.theirs.is_empty() { String::new() } else { format!("  (theirs {})", cell.theirs) };
        value.is_finite().then(|| Bar { value, label: format!("{}{theirs}", cell.ours) })
    };
    let chart = Bars {
        axis: String::new(),
        series: table.columns.clone(),
        groups: table.rows.iter().map(|row| (row.name.clone(), row.cells.iter().map(bar).collect())).collect(),
        least_most: 0.0,
    };
    document.chart(format!("{}-{}", experiment.name(), number + 1), format!("Ours: {}", table.title), chart);
}

/// Adds a chart with a histogram for each kind of rays.
pub(super) fn histograms(document: &mut Document, table: &ExperimentTable) {
    for (column, kind) in table.columns.iter().enumerate() {
        let heights = |which: usize| -> Vec<f64> {
            let height = |row: &ExperimentRow| {
                row.cells.get(column).and_then(|cell| cell.numbers.get(which)).copied().unwrap_or(f64::NAN)
            };
            table.rows.iter().map(height).collect()
        };
        let chart = Columns {
            x_axis: "time of a warp, in means of while-while".into(),
            y_axis: "share of the warps, %".into(),
            bins: table.rows.iter().map(|row| row.name.split(' ').next().unwrap_or_default().to_string()).collect(),
            series: vec![("while-while".into(), heights(0)), ("if-if".into(), heights(1))],
        };
        let caption = format!("How long warps of {kind} rays take; the last column has all that take longer");
        document.chart(format!("warp-times-{kind}"), caption, chart);
    }
}
