//! Causes that warps waited for, foretold beside counted.

use super::{Compared, ComparedStalls, CountPair, sheet};
use raywarp_report::Document;
use raywarp_sim::pace::StallCause;

/// Text that explains the columns of the table of stalls.
const LEGEND: &str = "What warps wait for, in warps of a scheduler for each instruction that it issues: as foretold, then as \
    counted. issue: clocks, %, in which a scheduler issues. pipe: its pipeline or the queue of loads is taken. wait: a fixed time after an \
    instruction. load: from the L1 or beyond. short: shared memory, reciprocals, shuffles. branch: a jump's target. more: counted, for causes \
    that are in no model.";

/// Adds a table of stalls with their mean errors, if any launch has such counts.
pub(super) fn describe(document: &mut Document, rows: &[Compared]) {
    let rows: Vec<(&Compared, &ComparedStalls)> =
        rows.iter().filter_map(|row| row.stalls.as_ref().map(|stalls| (row, stalls))).collect();
    if rows.is_empty() {
        return;
    }
    document.paragraph(LEGEND);
    document.line("");
    document.table(sheet::waits().table(rows.iter().map(|(row, _)| *row)).in_text_untitled());
    let count = rows.len() as f64;
    let mean = |of: &dyn Fn(&ComparedStalls) -> f64| rows.iter().map(|(_, stalls)| of(stalls)).sum::<f64>() / count;
    let mut line = format!(
        "On average issue is foretold {:+.1} % off, its size {:.1} %",
        100.0 * mean(&|stalls| stalls.issuing.error()),
        100.0 * mean(&|stalls| stalls.issuing.error().abs())
    );
    for (number, cause) in StallCause::ALL.into_iter().enumerate() {
        let [foretold, counted] = [|pair: CountPair| pair.foretold, |pair: CountPair| pair.counted]
            .map(|side| mean(&|stalls| side(stalls.waiting[number])));
        line += &format!("; {} {foretold:.2} for {counted:.2}", cause.name());
    }
    document.paragraph(line + ".");
}

/// Returns the stalls of a launch as JSON.
pub(super) fn json(stalls: &ComparedStalls) -> serde_json::Value {
    let causes =
        StallCause::ALL.iter().zip(stalls.waiting).map(|(cause, waiting)| (cause.name().to_string(), waiting.json()));
    serde_json::json!({
        "issuing": stalls.issuing.json(),
        "waiting": causes.collect::<serde_json::Map<_, _>>(),
        "unmodelled": stalls.unmodelled,
    })
}
