//! The report of `--experiment compaction`.

use super::chart::{ChartLine, Points};
use super::page::{Grid, Page};
use super::run::{About, number};
use crate::compaction::report::curves;
use crate::compaction::{CompactionReport, Counts};
use raywarp_papers::w11;
use raywarp_sim::compaction::Bounce;

impl CompactionReport {
    /// Returns the report as a page.
    pub fn page(&self, about: &About) -> Page {
        let request = &self.request;
        let mut page = Page::new(format!("Paths that end and warps that run on: {}", request.scene));
        page.heading("In short");
        page.list(self.counts.iter().map(conclusion).collect());
        for counts in &self.counts {
            page.heading(format!("Warps of {}", counts.width));
            self.charts(&mut page, counts);
        }
        page.heading("What tiles cost");
        let line = |(machine, points): (raywarp_sim::machine::Machine, Vec<(u32, f64)>)| ChartLine {
            name: machine.name().to_string(),
            points: points
                .iter()
                .map(|&(bytes, share)| (f64::from(bytes) / 1024.0, 100.0 * share, String::new()))
                .collect(),
        };
        let chart = Points {
            x_axis: "shared memory of a block, KB".into(),
            y_axis: "resident warps, %".into(),
            lines: curves(4096).into_iter().map(line).collect(),
            ..Points::default()
        };
        page.chart("occupancy", "Warps that stay resident with tiles in shared memory (W11 figure 2), blocks of 64 threads and 64 registers", &chart);
        page.heading("Bounce by bounce");
        for counts in &self.counts {
            page.grid(self.grid(counts));
        }
        about.write(
            &mut page,
            vec![
                ("scene", request.scene.clone()),
                (
                    "frames",
                    format!(
                        "{}, of {} x {} pixels and one path a pixel",
                        self.frames, request.size[0], request.size[1]
                    ),
                ),
                ("bounces", format!("at most {}", request.max_depth)),
            ],
        );
        page
    }

    fn charts(&self, page: &mut Page, counts: &Counts) {
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
        page.chart(&format!("warps-of-{}", counts.width), "Warps that run at each bounce", &warps);
        let mut lines = vec![line("ours", &Bounce::naive_paths_per_warp)];
        if counts.width == 32 {
            let printed = w11().table_2.bounce.iter().enumerate();
            let points = printed.map(|(i, row)| (i as f64, row.paths_per_naive_warp(), String::new())).collect();
            lines.push(ChartLine { name: "W11, the fairy scene".into(), points });
        }
        let paths =
            Points { x_axis: "bounce".into(), y_axis: "paths of a naive warp".into(), lines, ..Points::default() };
        page.chart(
            &format!("paths-of-{}", counts.width),
            "Paths that live in a naive warp that still runs (W11 table 2)",
            &paths,
        );
    }

    fn grid(&self, counts: &Counts) -> Grid {
        let caption = format!(
            "Warps of {}: a frame, bounce by bounce. Saved: naive warps over compacted ones, this bounce and those before. Theirs: W11 table 2, the fairy scene.",
            counts.width
        );
        counts.sheet(self.frames).grid(caption, &counts.bounce_rows())
    }
}

fn conclusion(counts: &Counts) -> String {
    let all = counts.total();
    format!(
        "Warps of {}: without compaction a warp that runs has {} paths on average, and {} times as many warps run; in steps of traversal that \
         warps issue the ratio is {}, since lanes of full warps disagree, too.{}",
        counts.width,
        number(all.naive_paths_per_warp(), 1),
        number(all.saved(), 2),
        number(counts.saved_steps(), 2),
        if counts.width == 32 {
            " W11 has 13.8 paths, 2.3 times, and frames a second rose 1.12 to 1.16 times."
        } else {
            ""
        }
    )
}
