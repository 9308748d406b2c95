//! The report of the experiment; `sheet.rs` has the columns.

use super::occupancy::{Curve, chart, curves, table};
use super::sheet::work_json;
use super::{CompactionReport, Counts};
use raywarp_papers::w11;
use raywarp_report::{
    Document,
    chart::{ChartLine, Points},
    number,
};
use raywarp_sim::compaction::Bounce;
use serde_json::json;

/// Text that explains the columns of the table of bounces.
const LEGEND: &str = "paths: extended at this bounce; %: of bounce 0's. naive, compact: warps that run without and with compaction. per warp: paths of a naive \
    warp that still runs. saved: naive warps over compacted ones, this bounce and those before. theirs: W11 Table 2, the fairy scene at 1280 x 768, warps of 32.\n\
    steps: node visits and triangle tests that a warp issues under while-while, and in how many a ray takes part; x: over those of bounce 0. \
    theirs: time of a warp over that of bounce 0 (W11 Table 3), shading, shadow rays and memory with it.";

impl CompactionReport {
    /// Returns the report as a document, to be written as text, JSON or an HTML page: W11's tables beside our counts,
    /// with charts and conclusions on a page.
    pub fn document(&self) -> Document {
        let request = &self.request;
        let [columns, rows] = request.size;
        let mut document = Document::new(format!("Paths that end and warps that run on: {}", request.scene));
        self.data(&mut document);
        document.line(format!(
            "{}: {columns} x {rows}, {} frame{} of one path a pixel, up to {} bounces; per frame",
            request.scene,
            self.frames,
            if self.frames == 1 { "" } else { "s" },
            request.max_depth,
        ));
        document.paragraph(LEGEND);
        document.heading("In short");
        document.list(self.counts.iter().map(conclusion).collect());
        for counts in &self.counts {
            document.heading(format!("Warps of {}", counts.width));
            self.charts(&mut document, counts);
        }
        document.heading("What tiles cost");
        chart(&mut document);
        document.heading("Bounce by bounce");
        for counts in &self.counts {
            document.item("counts", |document| self.describe(document, counts));
        }
        document.table(table());
        document.run([
            ("scene", request.scene.clone()),
            ("frames", format!("{}, of {columns} x {rows} pixels and one path a pixel", self.frames)),
            ("bounces", format!("at most {}", request.max_depth)),
        ]);
        document
    }

    /// Adds the run's settings and W11's numbers, for programs that read the report.
    fn data(&self, document: &mut Document) {
        let request = &self.request;
        document.data("experiment", "compaction");
        document.data("scene", request.scene.clone());
        document.data("size", request.size.to_vec());
        document.data("frames", self.frames);
        document.data("max_depth", request.max_depth);
        let theirs = w11().table_2.bounce.iter().map(|row| {
            json!({
                "paths": 1e3 * row.kilo_paths,
                "naive_warps": row.naive_warps,
                "compact_warps": 1e3 * row.kilo_compact_warps,
                "saved_so_far": row.saved,
            })
        });
        document.data("theirs", theirs.collect::<Vec<_>>());
        let curve = |curve: &Curve| json!({ "machine": curve.machine.name(), "share_by_shared_bytes": curve.points });
        document.data("occupancy", curves(1024).iter().map(curve).collect::<Vec<_>>());
    }

    /// Adds the tables of a warp width: the bounces, and W11's Table 3 with issued instructions beside the growth of
    /// its times.
    fn describe(&self, document: &mut Document, counts: &Counts) {
        let caption = format!(
            "Warps of {}: a frame, bounce by bounce. Saved: naive warps over compacted ones, this bounce and those before. Theirs: W11 table 2, the fairy scene.",
            counts.width
        );
        let bounces = counts.sheet(self.frames).table_with_total(&counts.bounce_rows(), "all", &counts.all_row());
        document.table(bounces.in_text(format!("warps of {}", counts.width)).on_page(caption).key("bounces"));
        let tiles = counts.tiles.iter().map(|(m, sum)| format!("M {m}: {}", number(sum.saved_by_tiles(), 2)));
        document.line(format!("saved by tiles of 64 x M paths: {}", tiles.collect::<Vec<_>>().join(", ")));
        let work: Vec<_> = counts.work.iter().copied().enumerate().collect();
        let title = "steps of a warp, naive and compact, and of a ray";
        document.table(counts.work_sheet().table(&work).in_text(title));
        let [least, most] = w11().table_1.gains();
        document.line(format!(
            "steps of all warps, naive over compact: {} (W11 Table 1, frames a second, compact over naive: {least:.2} to {most:.2})",
            number(counts.saved_steps(), 2)
        ));
        let tile = |(m, sum): &(u32, Bounce)| json!({ "paths_per_thread": m, "warps": sum.tiled_warps });
        document.data("width", counts.width);
        document.data("saved_steps", counts.saved_steps());
        document.data("work", json!(counts.work.iter().map(|pair| pair.each_ref().map(work_json)).collect::<Vec<_>>()));
        document.data("tiles", counts.tiles.iter().map(tile).collect::<Vec<_>>());
    }

    /// Adds the charts of a warp width.
    fn charts(&self, document: &mut Document, counts: &Counts) {
        let frames = self.frames.max(1) as f64;
        let line = |name: &str, of: &dyn Fn(&Bounce) -> f64| ChartLine {
            name: name.into(),
            points: counts
                .bounces
                .iter()
                .enumerate()
                .map(|(i, bounce)| (i as f64, of(bounce), String::new()))
                .collect(),
        };
        let warps = Points {
            x_axis: "bounce".into(),
            y_axis: "warps of a frame".into(),
            lines: vec![
                line("naive", &|bounce| bounce.naive_warps as f64 / frames),
                line("compacted", &|bounce| bounce.compact_warps as f64 / frames),
            ],
            ..Points::default()
        };
        document.chart(format!("warps-of-{}", counts.width), "Warps that run at each bounce", warps);
        let mut lines = vec![line("ours", &Bounce::naive_paths_per_warp)];
        if counts.width == 32 {
            let printed = w11().table_2.bounce.iter().enumerate();
            let points = printed.map(|(i, row)| (i as f64, row.paths_per_naive_warp(), String::new())).collect();
            lines.push(ChartLine { name: "W11, the fairy scene".into(), points });
        }
        let paths =
            Points { x_axis: "bounce".into(), y_axis: "paths of a naive warp".into(), lines, ..Points::default() };
        document.chart(
            format!("paths-of-{}", counts.width),
            "Paths that live in a naive warp that still runs (W11 table 2)",
            paths,
        );
    }
}

/// Returns the conclusions for a warp width as text.
fn conclusion(counts: &Counts) -> String {
    let all = counts.total();
    let [least, most] = w11().table_1.gains();
    let theirs = format!(
        " W11 has {:.1} paths, {:.1} times, and frames a second rose {least:.2} to {most:.2} times.",
        w11().paths_per_warp.mean,
        w11().table_2.saved()
    );
    format!(
        "Warps of {}: without compaction a warp that runs has {} paths on average, and {} times as many warps run; in steps of traversal that \
         warps issue the ratio is {}, since lanes of full warps disagree, too.{}",
        counts.width,
        number(all.naive_paths_per_warp(), 1),
        number(all.saved(), 2),
        number(counts.saved_steps(), 2),
        if counts.width == 32 { theirs.as_str() } else { "" }
    )
}
