//! The report of the experiment: tables for people, JSON for programs; `sheet.rs` has the columns.

use super::sheet::work_json;
use super::{CompactionReport, Counts, KERNEL};
use crate::report::number;
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_papers::w11;
use raywarp_sim::compaction::{Bounce, occupancy_curve};
use raywarp_sim::machine::Machine;
use serde_json::json;
use std::fmt::Write;

/// The meaning of the columns.
const LEGEND: &str = "paths: extended at this bounce; %: of bounce 0's. naive, compact: warps that run without and with compaction. per warp: paths of a naive \
    warp that still runs. saved: naive warps over compacted ones, this bounce and those before. theirs: W11 Table 2, the fairy scene at 1280 x 768, warps of 32.\n\
    steps: node visits and triangle tests that a warp issues under while-while, and in how many a ray takes part; x: over those of bounce 0. \
    theirs: time of a warp over that of bounce 0 (W11 Table 3), shading, shadow rays and memory with it.";

/// The place of a table: the text before it, the room it has, and what it leaves out.
type Place<'a> = (&'a mut String, Room, &'a mut Hidden);

impl CompactionReport {
    /// Returns the tables for people, W11's beside ours.
    pub fn text(&self, room: Room) -> String {
        let request = &self.request;
        let [columns, rows] = request.size;
        let head = format!(
            "{}: {columns} x {rows}, {} frame{} of one path a pixel, up to {} bounces; per frame",
            request.scene,
            self.frames,
            if self.frames == 1 { "" } else { "s" },
            request.max_depth,
        );
        let (mut text, mut hidden) = (format!("{}\n\n{}\n", wrapped(&head), wrapped(LEGEND)), Hidden::default());
        for counts in &self.counts {
            self.table((&mut text, room, &mut hidden), counts);
            work_table((&mut text, room, &mut hidden), counts);
        }
        occupancy((&mut text, room, &mut hidden));
        hidden.finish(&mut text);
        text
    }

    fn table(&self, (text, room, hidden): Place<'_>, counts: &Counts) {
        let _ = writeln!(text, "\nwarps of {}", counts.width);
        let (mut rows, all) = (counts.bounce_rows(), counts.all_row());
        rows.push(all);
        counts.sheet(self.frames).table(&rows).write(text, room, hidden);
        let tiles: Vec<String> =
            counts.tiles.iter().map(|(m, sum)| format!("M {m}: {}", number(sum.saved_by_tiles(), 2))).collect();
        let _ = writeln!(text, "{}", wrapped(&format!("saved by tiles of 64 x M paths: {}", tiles.join(", "))));
    }

    /// Returns the report as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let request = &self.request;
        let counts = |counts: &Counts| {
            let tile = |(m, sum): &(u32, Bounce)| json!({ "paths_per_thread": m, "warps": sum.tiled_warps });
            let [bounces, all] = self.bounces_json(counts);
            json!({
                "width": counts.width,
                "bounces": bounces,
                "all": all,
                "saved_steps": counts.saved_steps(),
                "work": counts.work.iter().map(|pair| pair.each_ref().map(work_json)).collect::<Vec<_>>(),
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
            "theirs": w11().table_2.bounce.iter().map(|row| json!({
                "paths": 1e3 * row.kilo_paths,
                "naive_warps": row.naive_warps,
                "compact_warps": 1e3 * row.kilo_compact_warps,
                "saved_so_far": row.saved,
            })).collect::<Vec<_>>(),
            "occupancy": curves(1024).into_iter().map(|(machine, points)| curve(machine.name(), points)).collect::<Vec<_>>(),
        })
    }
}

/// Writes W11's Table 3 without memory: what a warp issues, beside how its time grew.
fn work_table((text, room, hidden): Place<'_>, counts: &Counts) {
    text.push_str("\nsteps of a warp, naive and compact, and of a ray\n");
    let rows: Vec<_> = counts.work.iter().copied().enumerate().collect();
    counts.work_sheet().table(&rows).write(text, room, hidden);
    let line = format!(
        "steps of all warps, naive over compact: {} (W11 Table 1, frames a second, compact over naive: 1.12 to 1.16)",
        number(counts.saved_steps(), 2)
    );
    let _ = writeln!(text, "{}", wrapped(&line));
}

/// Returns the occupancy of W11's kernel on its GPU and on ours: share of the warps that stay resident, by shared
/// memory of a block.
pub(crate) fn curves(step_bytes: u32) -> Vec<(Machine, Vec<(u32, f64)>)> {
    let curve = |name: &str| {
        let machine = Machine::find(name).ok()?;
        let points = occupancy_curve(&machine, KERNEL[0], KERNEL[1], step_bytes).ok()?;
        Some((machine, points.into_iter().map(|(bytes, occupancy)| (bytes, occupancy.share)).collect()))
    };
    ["gtx480", "h200"].into_iter().filter_map(curve).collect()
}

/// Writes figure 2, right, in steps of 4 KB up to what a block of the smaller machine may have.
fn occupancy((text, room, hidden): Place<'_>) {
    let title = format!(
        "resident warps, % of the most (W11 figure 2): {} registers, blocks of {}, by KB of shared memory of a block",
        KERNEL[0], KERNEL[1]
    );
    let _ = writeln!(text, "\n{}", wrapped(&title));
    let curves = curves(4096);
    let steps = curves.iter().map(|(_, points)| points.len()).min().unwrap_or(0);
    let columns = (0..steps).map(|step| TableColumn::right((4 * step).to_string()).rank(1));
    let mut table = Table::new(std::iter::once(TableColumn::left("KB")).chain(columns));
    for (machine, points) in &curves {
        let shares = points[..steps].iter().map(|(_, share)| format!("{:.0}", 100.0 * share));
        table.row(std::iter::once(machine.name().trim_start_matches("GeForce ").to_string()).chain(shares));
    }
    table.write(text, room, hidden);
}
