//! The report of a self-test as a document.

use super::{AimedResult, EngineResult, PictureResult, SelfTestReport};
use raywarp_report::{Column, Document, Sheet, TableColumn, Value};
use serde_json::{Value as Json, json};

/// Text that explains the columns of the self-test's table.
const LEGEND: &str = "rays: asked over all cases and queries. rounded: answers unlike the oracle's by what rounding explains; share: of all. unlike: rays \
    whose answer is not that of the same triangle test without a tree.";

impl SelfTestReport {
    /// Returns `true` if every tracer passed every case, every picture equals the CPU's, and no aimed ray was lost.
    pub fn passed(&self) -> bool {
        self.engines.iter().all(|engine| engine.faults.is_empty())
            && self.pictures.iter().all(|picture| picture.different == 0)
            && self.aimed.as_ref().is_none_or(AimedResult::passed)
    }

    /// Returns the report as a document. As text it is the faults of each tracer and the verdict, with a line for
    /// every tracer when `verbose`.
    pub fn document(&self, verbose: bool) -> Document {
        let mut document = Document::new("raywarp selftest");
        document.data("passed", self.passed());
        document.data("cases", self.cases);
        document.data("seconds", self.elapsed.as_secs_f64());
        let (sheet, failed) = (sheet(), self.engines.iter().filter(|engine| !engine.faults.is_empty()).count());
        document.table(sheet.table(&self.engines).key("engines"));
        if failed > 0 || (verbose && !self.engines.is_empty()) {
            document.line(LEGEND);
            document.gap();
            let shown = self.engines.iter().filter(|engine| verbose || !engine.faults.is_empty());
            document.table(sheet.table(shown).in_text_untitled());
            document.gap();
        }
        let rays: u64 = self.engines.iter().map(|engine| engine.rays).sum();
        let skipped: usize = self.engines.iter().map(|engine| self.cases.saturating_sub(engine.cases)).sum();
        if skipped > 0 {
            document.line(format!(
                "skipped: {skipped} times a case whose rays begin before t = 0, by kernels that compare boxes as integers"
            ));
        }
        document.whole(format!(
            "{}: {} of {} engines pass {} cases; {:.1} million rays in {:.1} s",
            verdict(failed == 0),
            self.engines.len() - failed,
            self.engines.len(),
            self.cases,
            rays as f64 / 1e6,
            self.elapsed.as_secs_f64()
        ));
        document.array("pictures", &self.pictures, |document, picture| picture.describe(document));
        match &self.aimed {
            Some(aimed) => document.member("aimed", |document| aimed.describe(document)),
            None => document.data("aimed", Json::Null),
        }
        document
    }
}

pub(super) fn verdict(passes: bool) -> &'static str {
    if passes { "PASS" } else { "FAIL" }
}

/// Returns the columns of the tracers that were tested.
fn sheet() -> Sheet<'static, EngineResult> {
    let share = |engine: &EngineResult| format!("{:.1e}", engine.excused as f64 / engine.rays.max(1) as f64);
    Sheet(vec![
        Column::plain(|engine: &EngineResult| Value::said(engine.engine.short(), engine.engine.to_string()))
            .text(TableColumn::left("engine"))
            .key("engine"),
        Column::words(|engine: &EngineResult| if engine.faults.is_empty() { "pass" } else { "FAIL" })
            .text(TableColumn::left("verdict")),
        Column::count(|engine: &EngineResult| engine.cases as u64).text(TableColumn::right("cases")).key("cases"),
        Column::count(|engine: &EngineResult| engine.rays).text(TableColumn::right("rays")).key("rays"),
        Column::count(|engine: &EngineResult| engine.excused)
            .text(TableColumn::right("rounded"))
            .key("within_rounding"),
        Column::words(share).text(TableColumn::right("share").rank(2)),
        Column::count(|engine: &EngineResult| engine.unlike_brute_force)
            .text(TableColumn::right("unlike").rank(1))
            .key("unlike_brute_force"),
        Column::data(|engine: &EngineResult| engine.watertight).key("watertight"),
        Column::plain(|engine: &EngineResult| Value::said(engine.faults.join("\n"), engine.faults.clone()))
            .remark()
            .key("faults"),
    ])
}

impl PictureResult {
    fn describe(&self, document: &mut Document) {
        let Self { organisation, pixels, different } = self;
        let (verdict, equal) = (verdict(*different == 0), pixels - different);
        document.whole(format!(
            "{verdict}: {organisation} renders {equal} of {pixels} pixels as the CPU does, bit for bit"
        ));
        document.fields(json!({ "organisation": organisation, "pixels": pixels, "different": different }));
    }
}
