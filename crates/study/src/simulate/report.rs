//! SIMD efficiency as text and as JSON, beside what AL09 found.

use super::{EfficiencyReport, Measurement, headline, name_of};
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_family::{Key, Operation, Tree, Variant};
use raywarp_papers::al09;
use raywarp_workload::rays::{Order, RayKind, Workload};
use std::fmt::Write;

impl Measurement {
    /// SIMD efficiency of traversal and of intersection, per cent; NaN for an operation that never ran.
    pub fn percent(&self) -> [f64; 2] {
        [Operation::VisitNode, Operation::TestTriangle].map(|op| 100.0 * self.counts.simd_efficiency(op))
    }
}

/// A share as text; nothing for an operation that never ran.
fn percent(share: f64) -> String {
    if share.is_nan() { "-".to_string() } else { format!("{share:.0}") }
}

/// What the columns mean.
const LEGEND: &str = "Below the kind of rays, trav/isect: lanes of a warp (%) that take part when it visits nodes and when it tests triangles. nodes, tris: visited \
    and tested by a ray. over: nodes visited in vain by postponing leaves. Compressed trees hold at most 3 triangles a leaf.";

/// What a column of the paper's numbers means.
const THEIRS: &str =
    "theirs: Table 1 of AL09, on another version of the scene and another tree; see docs/papers/al09-efficiency.md.";

impl EfficiencyReport {
    /// Tables as text: one a width and leaf size, a kernel a line.
    pub fn text(&self, room: Room) -> String {
        let request = &self.request;
        let (mut text, mut hidden) = (headline(request, &self.rays), Hidden::default());
        let _ = writeln!(text, "\n{}", wrapped(LEGEND));
        let compared = self.measurements.iter().any(|m| self.theirs(&m.variant, m.counts.width, m.leaf_size).is_some());
        if compared {
            let _ = writeln!(text, "{}", wrapped(THEIRS));
        }
        for &width in &request.widths {
            for &leaf_size in &request.leaf_sizes {
                let _ = writeln!(text, "\nwarps of {width}, leaves of at most {leaf_size}");
                self.table(width, leaf_size).write(&mut text, room, &mut hidden);
            }
        }
        self.shared_rays(&mut text, room, &mut hidden);
        hidden.finish(&mut text);
        text
    }

    fn table(&self, width: u32, leaf_size: u32) -> Table {
        let request = &self.request;
        let mut columns = vec![TableColumn::left("kernel")];
        for kind in &request.kinds {
            columns.push(TableColumn::right(kind.name()));
            columns.push(TableColumn::right("theirs").rank(1));
            columns.push(TableColumn::right("nodes").rank(3));
            columns.push(TableColumn::right("tris").rank(3));
            columns.push(TableColumn::right("over").rank(2));
        }
        let mut table = Table::new(columns);
        for variant in &request.variants {
            let of = |kind: RayKind| {
                let wanted = leaf_size.min(variant.tree().max_leaf());
                let mut all = self.measurements.iter();
                all.find(|m| {
                    m.variant == *variant && m.kind == kind && m.counts.width == width && m.leaf_size == wanted
                })
            };
            if !request.kinds.iter().any(|&kind| of(kind).is_some()) {
                continue;
            }
            let mut cells = vec![name_of(variant)];
            for &kind in &request.kinds {
                let Some(m) = of(kind) else {
                    cells.extend([const { String::new() }; 5]);
                    continue;
                };
                let [traversal, intersection] = m.percent();
                let theirs = self.theirs(variant, width, leaf_size).map(|cells| cells[theirs_column(kind)]);
                cells.push(format!("{}/{}", percent(traversal), percent(intersection)));
                cells.push(theirs.map_or_else(String::new, |[t, i]| format!("{t}/{i}")));
                cells.push(format!("{:.1}", m.counts.nodes_per_ray()));
                cells.push(format!("{:.1}", m.counts.triangles_per_ray()));
                cells.push(if m.overfetch == 0.0 { String::new() } else { format!("{:.1}%", 100.0 * m.overfetch) });
            }
            table.row(cells);
        }
        table
    }

    /// Where lanes share a ray: the boxes that a ray is tested against beside those of a binary tree, and how
    /// much of the lanes' work only repeats a neighbour's (AL09 5.3).
    fn shared_rays(&self, text: &mut String, room: Room, hidden: &mut Hidden) {
        let wide: Vec<&Measurement> = self.measurements.iter().filter(|m| m.variant.lanes_per_ray() > 1).collect();
        if wide.is_empty() {
            return;
        }
        let title = "one ray on several lanes: boxes that a ray is tested against, those of while-while on bvh2 (two a node), and the share of the lanes' \
            work that repeats a neighbour's";
        let _ = writeln!(text, "\n{}", wrapped(title));
        let numbers = ["boxes", "bvh2", "repeated"].map(TableColumn::right);
        let names = [TableColumn::left("kernel"), TableColumn::right("warps of"), TableColumn::left("rays")];
        let mut table = Table::new(names.into_iter().chain(numbers));
        for m in wide {
            let binary = self.measurements.iter().find(|b| {
                let same = b.kind == m.kind && b.leaf_size == m.leaf_size;
                same && b.variant.tree() == Tree::Bvh2
                    && b.variant.postpone() == 0
                    && b.variant.to_string().contains("/while-while/")
            });
            table.row([
                name_of(&m.variant),
                m.counts.width.to_string(),
                m.kind.name().to_string(),
                format!("{:.1}", m.counts.lane_visits_per_ray()),
                binary.map_or_else(String::new, |b| format!("{:.1}", 2.0 * b.counts.nodes_per_ray())),
                format!("{:.0} %", 100.0 * m.counts.replicated(m.variant.lanes_per_ray())),
            ]);
        }
        table.write(text, room, hidden);
    }

    /// What AL09 found, for warps of 32 on its workload.
    pub(crate) fn theirs(&self, variant: &Variant, width: u32, leaf_size: u32) -> Option<[[u32; 2]; 3]> {
        let request = &self.request;
        // Their figures are of five views at this size, with leaves of up to 8 (AL09 2).
        let same_rays = matches!(request.workload, Workload::Al09 | Workload::Alk12)
            && request.order == Order::Workload
            && request.views.len() == 5
            && request.size == raywarp_workload::rays::RESOLUTION;
        let comparable = width == 32 && same_rays && leaf_size == 8;
        // What the paper leaves open: when a lane starts its next leaf, and how exact its boxes are.
        let stated = [(Key::Leaves, "flat"), (Key::Planes, "padded")]
            .into_iter()
            .fold(*variant, |variant, (key, value)| variant.with(key, value).unwrap_or(variant));
        al09().table_1.efficiencies(&request.scene, &name_of(&stated)).filter(|_| comparable)
    }

    /// The same as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let request = &self.request;
        let measurement = |m: &Measurement| {
            let [traversal, intersection] = m.percent();
            let blocks: serde_json::Map<String, serde_json::Value> = raywarp_family::Block::ALL
                .iter()
                .map(|&block| (block, m.counts.block(block)))
                .filter(|(_, count)| count.issued > 0)
                .map(|(block, count)| {
                    (
                        block.name().to_string(),
                        serde_json::json!({ "issued": count.issued, "active_lanes": count.active }),
                    )
                })
                .collect();
            let theirs = self.theirs(&m.variant, m.counts.width, m.leaf_size).map(|cells| cells[theirs_column(m.kind)]);
            serde_json::json!({
                "name": name_of(&m.variant),
                "variant": m.variant.to_string(),
                "kind": m.kind.name(),
                "width": m.counts.width,
                "leaf_size": m.leaf_size,
                "rays": m.counts.rays,
                "warps": m.counts.warps,
                "traversal_percent": traversal,
                "intersection_percent": intersection,
                "theirs_percent": theirs,
                "nodes_per_ray": m.counts.nodes_per_ray(),
                "lane_visits_per_ray": m.counts.lane_visits_per_ray(),
                "triangles_per_ray": m.counts.triangles_per_ray(),
                "replicated": m.counts.replicated(m.variant.lanes_per_ray()),
                "overfetch": m.overfetch,
                "blocks": blocks,
            })
        };
        serde_json::json!({
            "scene": request.scene,
            "workload": request.workload.name(),
            "views": request.views.len(),
            "size": request.size,
            "measurements": self.measurements.iter().map(measurement).collect::<Vec<_>>(),
        })
    }
}

pub(crate) fn theirs_column(kind: RayKind) -> usize {
    match kind {
        RayKind::Primary => 0,
        RayKind::Ao => 1,
        RayKind::Diffuse => 2,
    }
}
