//! SIMD efficiency as text and as JSON, beside what AL09 found; `sheet.rs` has the columns.

use super::{EfficiencyReport, Measurement, headline, name_of};
use raywarp_bench::table::{Hidden, Room, Table, wrapped};
use raywarp_family::{Key, Operation, Variant};
use raywarp_papers::al09;
use raywarp_workload::rays::{Order, RayKind, Workload};
use std::fmt::Write;

impl Measurement {
    /// Returns the SIMD efficiency of traversal and of intersection, per cent; NaN for an operation that never ran.
    pub fn percent(&self) -> [f64; 2] {
        [Operation::VisitNode, Operation::TestTriangle].map(|op| 100.0 * self.counts.simd_efficiency(op))
    }
}

/// The meaning of the columns.
const LEGEND: &str = "Below the kind of rays, trav/isect: lanes of a warp (%) that take part when it visits nodes and when it tests triangles. nodes, tris: visited \
    and tested by a ray. over: nodes visited in vain by postponing leaves. Compressed trees hold at most 3 triangles a leaf.";

/// The meaning of a column of the paper's numbers.
const THEIRS: &str =
    "theirs: Table 1 of AL09, on another version of the scene and another tree; see docs/papers/al09-efficiency.md.";

impl EfficiencyReport {
    /// Returns the tables as text: one a width and leaf size, a kernel a line.
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

    /// Returns a table with a kernel a line, and the columns of each kind of rays side by side.
    fn table(&self, width: u32, leaf_size: u32) -> Table {
        let request = &self.request;
        let names = Self::names();
        let kinds: Vec<_> = request.kinds.iter().map(|&kind| (kind, self.measured(kind.name()))).collect();
        let mut columns: Vec<_> = names.text_columns().collect();
        columns.extend(kinds.iter().flat_map(|(_, sheet)| sheet.text_columns()));
        let mut table = Table::new(columns);
        for variant in &request.variants {
            let wanted = leaf_size.min(variant.tree().max_leaf());
            let of = |kind: RayKind| {
                let mut all = self.measurements.iter();
                all.find(|m| {
                    m.variant == *variant && m.kind == kind && m.counts.width == width && m.leaf_size == wanted
                })
            };
            let Some(first) = request.kinds.iter().find_map(|&kind| of(kind)) else { continue };
            let mut cells = names.text_cells(first);
            for (kind, sheet) in &kinds {
                match of(*kind) {
                    Some(measurement) => cells.extend(sheet.text_cells(measurement)),
                    None => cells.extend(sheet.text_columns().map(|_| String::new())),
                }
            }
            table.row(cells);
        }
        table
    }

    /// Writes the table of kernels whose lanes share a ray: the boxes that a ray is tested against beside those of a
    /// binary tree, and how much of the lanes' work only repeats a neighbour's (AL09 5.3).
    fn shared_rays(&self, text: &mut String, room: Room, hidden: &mut Hidden) {
        let wide: Vec<&Measurement> = self.measurements.iter().filter(|m| m.variant.lanes_per_ray() > 1).collect();
        if wide.is_empty() {
            return;
        }
        let title = "one ray on several lanes: boxes that a ray is tested against, those of while-while on bvh2 (two a node), and the share of the lanes' \
            work that repeats a neighbour's";
        let _ = writeln!(text, "\n{}", wrapped(title));
        self.shared().table(wide).write(text, room, hidden);
    }

    /// Returns AL09's efficiencies, for warps of 32 on its workload.
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

    /// Returns the report as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let request = &self.request;
        serde_json::json!({
            "scene": request.scene,
            "workload": request.workload.name(),
            "views": request.views.len(),
            "size": request.size,
            "measurements": self.sheet().objects(&self.measurements),
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
