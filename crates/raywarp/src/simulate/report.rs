//! SIMD efficiency as text and as JSON, beside what AL09 found.

use super::{EfficiencyReport, Measurement, headline, name_of};
use raywarp_family::{Operation, Tree, Variant};
use raywarp_sim::table1;
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

impl EfficiencyReport {
    /// Tables as text: one a width and leaf size, a kernel a line.
    pub fn text(&self) -> String {
        let request = &self.request;
        let mut text = headline(request, &self.rays);
        for &width in &request.widths {
            for &leaf_size in &request.leaf_sizes {
                self.table(&mut text, width, leaf_size);
            }
        }
        self.shared_rays(&mut text);
        text.push_str(
            "\ntrav/isect: share of a warp's lanes (%) that take part when it visits nodes and when it tests triangles. \
             nodes, tris: visited and tested by a ray; over: nodes visited in vain by postponing leaves. Compressed trees hold at most 3 triangles a leaf.\n",
        );
        let compared = self.measurements.iter().any(|m| self.theirs(&m.variant, m.counts.width, m.leaf_size).is_some());
        if compared {
            text.push_str(
                "theirs: Table 1 of AL09, on another version of the scene and another tree; see docs/efficiency.md.\n",
            );
        }
        text
    }

    fn table(&self, text: &mut String, width: u32, leaf_size: u32) {
        let request = &self.request;
        let _ = write!(text, "\nwarps of {width}, leaves of at most {leaf_size}\n{:<34}", "kernel");
        for kind in &request.kinds {
            let _ = write!(text, "{:>9} {:>7} {:>6} {:>6} {:>6}", kind.name(), "theirs", "nodes", "tris", "over");
        }
        text.push('\n');
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
            let _ = write!(text, "{:<34}", name_of(variant));
            for (column, &kind) in request.kinds.iter().enumerate() {
                let Some(m) = of(kind) else { continue };
                let [traversal, intersection] = m.percent();
                let theirs = self.theirs(variant, width, leaf_size).map(|cells| cells[theirs_column(kind)]);
                let theirs = theirs.map_or_else(String::new, |[t, i]| format!("{t}/{i}"));
                let _ = write!(
                    text,
                    "{:>9} {:>7} {:>6.1} {:>6.1} {:>6}",
                    format!("{}/{}", percent(traversal), percent(intersection)),
                    theirs,
                    m.counts.nodes_per_ray(),
                    m.counts.triangles_per_ray(),
                    if m.overfetch == 0.0 { String::new() } else { format!("{:.1}%", 100.0 * m.overfetch) },
                );
                debug_assert!(column < 3);
            }
            text.push('\n');
        }
    }

    /// Where lanes share a ray: the boxes that a ray is tested against beside those of a binary tree, and how
    /// much of the lanes' work only repeats a neighbour's (AL09 5.3).
    fn shared_rays(&self, text: &mut String) {
        let wide: Vec<&Measurement> = self.measurements.iter().filter(|m| m.variant.lanes_per_ray() > 1).collect();
        if wide.is_empty() {
            return;
        }
        text.push_str("\none ray on several lanes: boxes a ray (while-while on bvh2 has two a node), repeated work\n");
        for m in wide {
            let binary = self.measurements.iter().find(|b| {
                let same = b.kind == m.kind && b.leaf_size == m.leaf_size;
                same && b.variant.tree() == Tree::Bvh2
                    && b.variant.postpone() == 0
                    && b.variant.to_string().contains("/while-while/")
            });
            let binary = binary.map_or_else(String::new, |b| format!(" ({:.1})", 2.0 * b.counts.nodes_per_ray()));
            let _ = writeln!(
                text,
                "{:<34}warps of {:<3} {:<8} {:>6.1}{binary} boxes, {:.0} % repeated",
                name_of(&m.variant),
                m.counts.width,
                m.kind.name(),
                m.counts.lane_visits_per_ray(),
                100.0 * m.counts.replicated(m.variant.lanes_per_ray()),
            );
        }
    }

    /// What AL09 found, for warps of 32 on its workload.
    pub(crate) fn theirs(&self, variant: &Variant, width: u32, leaf_size: u32) -> Option<[table1::Cell; 3]> {
        let request = &self.request;
        // Their figures are of five views at this size, with leaves of up to 8 (AL09 2).
        let same_rays = request.workload == Workload::Al09
            && request.order == Order::Workload
            && request.views.len() == 5
            && request.size == raywarp_workload::rays::RESOLUTION;
        let comparable = width == 32 && same_rays && leaf_size == 8;
        table1::cells(&request.scene, &name_of(variant)).filter(|_| comparable)
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
