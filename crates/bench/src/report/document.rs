//! The reports of a run as one document, with the comparisons of several scenes.

use super::{SceneReport, summary};
use crate::bar::{self, BarVerdict};
use crate::{MachineFacts, papers};
use raywarp_report::Document;

/// Returns the reports of a run as one document: for programs all of them, as text what stands below their own texts.
///
/// That is tables over several scenes, with the geometric mean; then the comparisons with papers and other tracers.
/// With `top`, for when there is room for few lines, it says first the meaning of the signs, then the so many fastest
/// of each kind of rays, for one scene too, and what is wrong.
pub fn document(reports: &[SceneReport], machine: &MachineFacts, command: &str, top: Option<usize>) -> Document {
    let mut document = Document::new("raywarp bench");
    document.data("command", command);
    document.data("machine", machine.json());
    document.data("pass", reports.iter().all(SceneReport::passes));
    document.for_programs(|document| document.array("scenes", reports, |scene, report| report.describe(scene)));
    summary::describe(reports, top, &mut document);
    papers::describe(reports, &mut document);
    document.whole(bar::text(reports).trim_end());
    document.data("bar", bar::verdicts(reports).iter().map(BarVerdict::json).collect::<Vec<_>>());
    document
}
