//! What the experiment says: tables for people, JSON for programs.

use super::{CompactionReport, Counts, KERNEL};
use crate::report::number;
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_papers::w11;
use raywarp_sim::compaction::{Bounce, occupancy_curve};
use raywarp_sim::machine::Machine;
use serde_json::json;
use std::fmt::Write;

/// What the columns mean.
const LEGEND: &str = "paths: extended at this bounce; %: of bounce 0's. naive, compact: warps that run without and with compaction. per warp: paths of a naive \
    warp that still runs. saved: naive warps over compacted ones, this bounce and those before. theirs: W11 Table 2, the fairy scene at 1280 x 768, warps of 32.\n\
    steps: node visits and triangle tests that a warp issues under while-while, and in how many a ray takes part; x: over those of bounce 0. \
    theirs: time of a warp over that of bounce 0 (W11 Table 3), shading, shadow rays and memory with it.";

/// Where a table goes: the text before it, the room it has, and what it leaves out.
type Place<'a> = (&'a mut String, Room, &'a mut Hidden);

impl CompactionReport {
    /// Tables for people, W11's beside ours.
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
        let frames = self.frames.max(1) as f64;
        let theirs = counts.width == 32;
        let _ = writeln!(text, "\nwarps of {}", counts.width);
        let heads = ["bounce", "paths", "%", "theirs", "naive", "per warp", "theirs", "compact", "saved", "theirs"];
        let mut table = Table::new(heads.map(TableColumn::right));
        let first = counts.bounces.first().map_or(0, |bounce| bounce.paths);
        let mut sum = Bounce::default();
        for (index, bounce) in counts.bounces.iter().enumerate() {
            sum = sum.plus(*bounce);
            let w11s = &w11().table_2.bounce;
            let printed = w11s.get(index).filter(|_| theirs).map(|row| {
                let share = 100.0 * row.kilo_paths / w11s[0].kilo_paths;
                [share, row.paths_per_naive_warp(), row.saved]
            });
            let cell = |column: usize, digits: usize| {
                printed.map_or_else(String::new, |cells| format!("{:.digits$}", cells[column]))
            };
            table.row([
                index.to_string(),
                format!("{:.0}", bounce.paths as f64 / frames),
                format!("{:.1}", 100.0 * bounce.paths as f64 / first as f64),
                cell(0, 1),
                format!("{:.0}", bounce.naive_warps as f64 / frames),
                number(bounce.naive_paths_per_warp(), 1),
                cell(1, 1),
                format!("{:.0}", bounce.compact_warps as f64 / frames),
                number(sum.saved(), 2),
                cell(2, 1),
            ]);
        }
        table.row([
            "all".into(),
            format!("{:.0}", sum.paths as f64 / frames),
            String::new(),
            String::new(),
            format!("{:.0}", sum.naive_warps as f64 / frames),
            number(sum.naive_paths_per_warp(), 1),
            if theirs { format!("{:.1}", w11().paths_per_warp.mean) } else { String::new() },
            format!("{:.0}", sum.compact_warps as f64 / frames),
            number(sum.saved(), 2),
            String::new(),
        ]);
        table.write(text, room, hidden);
        let tiles: Vec<String> =
            counts.tiles.iter().map(|(m, sum)| format!("M {m}: {}", number(sum.saved_by_tiles(), 2))).collect();
        let _ = writeln!(text, "{}", wrapped(&format!("saved by tiles of 64 x M paths: {}", tiles.join(", "))));
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

/// W11's Table 3 without memory: what a warp issues, beside how its time grew.
fn work_table((text, room, hidden): Place<'_>, counts: &Counts) {
    text.push_str("\nsteps of a warp, naive and compact, and of a ray\n");
    let heads = ["bounce", "naive", "x", "theirs", "compact", "x", "theirs", "of a ray"];
    let mut table = Table::new(heads.map(TableColumn::right));
    let first = counts.work.first().map_or(f64::NAN, |[naive, _]| naive.steps_per_warp());
    for (index, pair) in counts.work.iter().enumerate() {
        let mut cells = vec![index.to_string()];
        for (column, work) in pair.iter().enumerate() {
            let w11s = &w11().table_3.bounce;
            let theirs = w11s.get(index).filter(|_| counts.width == 32);
            let theirs = theirs.map(|time| time.pair()[column] / w11s[0].pair()[column]);
            let steps = work.steps_per_warp();
            cells.extend([number(steps, 1), number(steps / first, 2)]);
            cells.push(theirs.map_or_else(String::new, |times| format!("{times:.2}")));
        }
        cells.push(number(pair[1].steps_per_ray(), 1));
        table.row(cells);
    }
    table.write(text, room, hidden);
    let line = format!(
        "steps of all warps, naive over compact: {} (W11 Table 1, frames a second, compact over naive: 1.12 to 1.16)",
        number(counts.saved_steps(), 2)
    );
    let _ = writeln!(text, "{}", wrapped(&line));
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
