//! What the experiment says: tables for people, JSON for programs.

use super::{CompactionReport, Counts, KERNEL};
use crate::report::number;
use raywarp_sim::compaction::{Bounce, W11_TABLE_2, W11_TABLE_3, occupancy_curve};
use raywarp_sim::machine::Machine;
use serde_json::json;
use std::fmt::Write;

impl CompactionReport {
    /// Tables for people, W11's beside ours.
    pub fn text(&self) -> String {
        let request = &self.request;
        let [columns, rows] = request.size;
        let mut text = format!(
            "{}: {columns} x {rows}, {} frame{} of one path a pixel, up to {} bounces; per frame\n",
            request.scene,
            self.frames,
            if self.frames == 1 { "" } else { "s" },
            request.max_depth,
        );
        for counts in &self.counts {
            self.table(&mut text, counts);
            work_table(&mut text, counts);
        }
        text.push_str(
            "\npaths: extended at this bounce. paths/warp: of a naive warp that still runs. saved: naive warps over compacted \
             ones, this\nbounce and those before. theirs: W11 Table 2, the fairy scene at 1280 x 768, warps of 32.\nsteps: node visits and \
             triangle tests that a warp issues under while-while, and in how many a ray takes part; x: over those of bounce 0.\n\
             theirs: time of a warp over that of bounce 0 (W11 Table 3), shading, shadow rays and memory with it.\n",
        );
        occupancy(&mut text);
        text
    }

    fn table(&self, text: &mut String, counts: &Counts) {
        let frames = self.frames.max(1) as f64;
        let theirs = counts.width == 32;
        let _ = writeln!(
            text,
            "\nwarps of {}\nbounce    paths      %  theirs   naive warps  paths/warp  theirs   compact warps  saved  theirs",
            counts.width
        );
        let first = counts.bounces.first().map_or(0, |bounce| bounce.paths);
        let mut sum = Bounce::default();
        for (index, bounce) in counts.bounces.iter().enumerate() {
            sum = sum.plus(*bounce);
            let printed = W11_TABLE_2.get(index).filter(|_| theirs).map(|row| {
                let share = 100.0 * row.kilo_paths / W11_TABLE_2[0].kilo_paths;
                [share, 1e3 * row.kilo_paths / row.naive_warps, row.saved]
            });
            let cell = |column: usize, digits: usize| {
                printed.map_or_else(String::new, |cells| format!("{:.digits$}", cells[column]))
            };
            let _ = writeln!(
                text,
                "{index:>6} {:>8.0} {:>6.1} {:>7} {:>13.0} {:>11} {:>7} {:>15.0} {:>6} {:>7}",
                bounce.paths as f64 / frames,
                100.0 * bounce.paths as f64 / first as f64,
                cell(0, 1),
                bounce.naive_warps as f64 / frames,
                number(bounce.naive_paths_per_warp(), 1),
                cell(1, 1),
                bounce.compact_warps as f64 / frames,
                number(sum.saved(), 2),
                cell(2, 1),
            );
        }
        let _ = writeln!(
            text,
            "   all {:>8.0} {:>6} {:>7} {:>13.0} {:>11} {:>7} {:>15.0} {:>6}",
            sum.paths as f64 / frames,
            "",
            "",
            sum.naive_warps as f64 / frames,
            number(sum.naive_paths_per_warp(), 1),
            if theirs { "13.8" } else { "" },
            sum.compact_warps as f64 / frames,
            number(sum.saved(), 2),
        );
        text.push_str("saved by tiles of 64 x M paths: ");
        let tiles: Vec<String> =
            counts.tiles.iter().map(|(m, sum)| format!("M {m}: {}", number(sum.saved_by_tiles(), 2))).collect();
        let _ = writeln!(text, "{}", tiles.join(", "));
    }

    /// The same as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let request = &self.request;
        let bounce = |bounce: &Bounce| {
            json!({
                "paths": bounce.paths,
                "naive_warps": bounce.naive_warps,
                "compact_warps": bounce.compact_warps,
                "tiled_warps": bounce.tiled_warps,
            })
        };
        let counts = |counts: &Counts| {
            let tile = |(m, sum): &(u32, Bounce)| json!({ "paths_per_thread": m, "warps": sum.tiled_warps });
            json!({
                "width": counts.width,
                "bounces": counts.bounces.iter().map(bounce).collect::<Vec<_>>(),
                "all": bounce(&counts.total()),
                "saved_steps": counts.saved_steps(),
                "work": counts.work.iter().map(|pair| pair.map(|work| json!({
                    "rays": work.rays,
                    "warps": work.warps,
                    "visits": work.visits,
                    "tests": work.tests,
                    "active": work.active,
                }))).collect::<Vec<_>>(),
                "tiles": counts.tiles.iter().map(tile).collect::<Vec<_>>(),
            })
        };
        let curve = |name: &str, curve: Vec<(u32, f64)>| json!({ "machine": name, "share_by_shared_bytes": curve });
        json!({
            "experiment": "compaction",
            "scene": request.scene,
            "size": request.size,
            "frames": self.frames,
            "max_depth": request.max_depth,
            "counts": self.counts.iter().map(counts).collect::<Vec<_>>(),
            "theirs": W11_TABLE_2.map(|row| json!({
                "paths": 1e3 * row.kilo_paths,
                "naive_warps": row.naive_warps,
                "compact_warps": 1e3 * row.kilo_compact_warps,
                "saved_so_far": row.saved,
            })),
            "occupancy": curves(1024).into_iter().map(|(machine, points)| curve(machine.name(), points)).collect::<Vec<_>>(),
        })
    }
}

/// W11's Table 3 without memory: what a warp issues, beside how its time grew.
fn work_table(text: &mut String, counts: &Counts) {
    text.push_str("work of a warp: naive                    compact                   of a ray\nbounce    steps     x  theirs      steps     x  theirs      steps\n");
    let first = counts.work.first().map_or(f64::NAN, |[naive, _]| naive.steps_per_warp());
    for (index, pair) in counts.work.iter().enumerate() {
        let _ = write!(text, "{index:>6}");
        for (column, work) in pair.iter().enumerate() {
            let theirs =
                W11_TABLE_3.get(index).filter(|_| counts.width == 32).map(|row| row[column] / W11_TABLE_3[0][column]);
            let theirs = theirs.map_or_else(String::new, |times| format!("{times:.2}"));
            let steps = work.steps_per_warp();
            let _ = write!(text, " {:>8} {:>5} {theirs:>7}   ", number(steps, 1), number(steps / first, 2));
        }
        let _ = writeln!(text, " {:>7}", number(pair[1].steps_per_ray(), 1));
    }
    let _ = writeln!(
        text,
        "steps of all warps, naive over compact: {} (W11 Table 1, frames a second, compact over naive: 1.12 to 1.16)",
        number(counts.saved_steps(), 2)
    );
}

/// W11's kernel on its GPU and on ours: share of the warps that stay resident, by shared memory of a block.
pub(crate) fn curves(step_bytes: u32) -> Vec<(Machine, Vec<(u32, f64)>)> {
    let curve = |name: &str| {
        let machine = Machine::find(name).ok()?;
        let points = occupancy_curve(&machine, KERNEL[0], KERNEL[1], step_bytes).ok()?;
        Some((machine, points.into_iter().map(|(bytes, occupancy)| (bytes, occupancy.share)).collect()))
    };
    ["gtx480", "h200"].into_iter().filter_map(curve).collect()
}

/// Figure 2, right, in steps of 4 KB up to what a block of the smaller machine may have.
fn occupancy(text: &mut String) {
    let _ = write!(
        text,
        "\nresident warps, % of the most (W11 figure 2): {} registers, blocks of {}\nKB of a block",
        KERNEL[0], KERNEL[1]
    );
    let curves = curves(4096);
    let steps = curves.iter().map(|(_, points)| points.len()).min().unwrap_or(0);
    for step in 0..steps {
        let _ = write!(text, " {:>4}", 4 * step);
    }
    for (machine, points) in &curves {
        let _ = write!(text, "\n{:<13.13}", machine.name().trim_start_matches("GeForce "));
        for (_, share) in &points[..steps] {
            let _ = write!(text, " {:>4.0}", 100.0 * share);
        }
    }
    text.push('\n');
}
