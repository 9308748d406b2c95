//! The report of SIMD efficiency, beside what AL09 found; `sheet.rs` has the columns.

use super::fullness::{Filled, charts, conclusions, fullest};
use super::run::{facts, in_a_line, kernels};
use super::sheet::Line;
use super::{EfficiencyReport, Measurement, TracedRays, headline, name_of};
use raywarp_family::{Key, Operation, Variant};
use raywarp_papers::al09;
use raywarp_report::Document;
use raywarp_workload::rays::{Order, RayKind, Workload};

impl Measurement {
    /// Returns the SIMD efficiency of traversal and of intersection in per cent; NaN for an operation that never ran.
    pub fn percent(&self) -> [f64; 2] {
        [Operation::VisitNode, Operation::TestTriangle].map(|op| 100.0 * self.counts.simd_efficiency(op))
    }
}

/// Text that explains the columns of the table of efficiencies.
const LEGEND: &str = "Below the kind of rays, trav/isect: lanes of a warp (%) that take part when it visits nodes and when it tests triangles. nodes, tris: visited \
    and tested by a ray. over: nodes visited in vain by postponing leaves. Compressed trees hold at most 3 triangles a leaf.";

/// Text that explains the efficiencies on an HTML page.
const MEANING: &str = "Lanes of a warp run one instruction together; those whose ray needs something else wait. The numbers are shares of the lanes that take \
    part when a warp visits nodes (traversal) and tests triangles (intersection).";

/// Title of the table about lanes that share a ray.
const SHARED: &str = "one ray on several lanes: boxes that a ray is tested against, those of while-while on bvh2 (two a node), and the share of the lanes' \
    work that repeats a neighbour's";

/// Text that explains the column of the paper's numbers.
const THEIRS: &str =
    "theirs: Table 1 of AL09, on another version of the scene and another tree; see docs/papers/al09-efficiency.md.";

impl EfficiencyReport {
    /// Returns the report as a document: tables for each warp width and leaf size, and conclusions on an HTML page.
    pub fn document(&self) -> Document {
        let request = &self.request;
        let mut document = Document::new(format!("How full warps are: {}", request.scene));
        document.data("scene", request.scene.clone());
        document.data("workload", (!request.has_own_rays()).then(|| request.workload.name()));
        document.data("views", request.views.len());
        document.data("size", request.size.to_vec());
        document.table(self.sheet().table(&self.measurements).key("measurements"));
        document.line(headline(request, &self.rays));
        document.paragraph(LEGEND);
        if self.measurements.iter().any(|m| self.theirs(&m.variant, m.counts.width, m.leaf_size).is_some()) {
            document.line(THEIRS);
        }
        document.note(in_a_line(request, &self.rays));
        let filled: Vec<Filled<'_>> = self.measurements.iter().map(Filled::new).collect();
        document.heading("In short");
        document.list(conclusions(&filled));
        document.table(fullest(&filled));
        document.note(MEANING);
        document.heading("SIMD efficiency");
        charts(&mut document, &filled);
        document.heading("All kernels");
        for &width in &request.widths {
            for &leaf_size in &request.leaf_sizes {
                self.tables(&mut document, width, leaf_size);
            }
        }
        let shared: Vec<&Measurement> = self.measurements.iter().filter(|m| m.variant.lanes_per_ray() > 1).collect();
        if !shared.is_empty() {
            document.table(self.shared().table(shared).in_text(SHARED));
        }
        let mut rows = facts(request, &self.rays, Some(&request.widths));
        rows.push(kernels(request));
        document.run(rows);
        document
    }

    /// Adds the measured efficiencies at a warp width and leaf size: a line for each kernel in text, for each kernel
    /// and kind of rays on an HTML page.
    fn tables(&self, document: &mut Document, width: u32, leaf_size: u32) {
        let request = &self.request;
        let is_mine =
            |m: &&Measurement| m.counts.width == width && m.leaf_size == leaf_size.min(m.variant.tree().max_leaf());
        let mine: Vec<&Measurement> = self.measurements.iter().filter(is_mine).collect();
        let of = |variant: &Variant| -> Line<'_> {
            let of_kind = |kind: TracedRays| mine.iter().copied().find(|m| m.variant == *variant && m.kind == kind);
            Line(request.traced().into_iter().map(of_kind).collect())
        };
        let lines: Vec<Line<'_>> = request.variants.iter().map(of).filter(|line| line.first().is_some()).collect();
        let leaves = if leaf_size > 0 { format!(", leaves of at most {leaf_size}") } else { String::new() };
        let title = format!("warps of {width}{leaves}");
        document.table(self.lines().table(&lines).in_text(title));
        let caption = format!(
            "Warps of {width}{leaves}. Theirs: Table 1 of AL09, where these are its rays; another version of the scene's tree."
        );
        document.table(self.sheet().table(mine).on_page(caption));
    }

    /// Returns AL09's efficiencies, for warps of 32 lanes on AL09's workload.
    pub(crate) fn theirs(&self, variant: &Variant, width: u32, leaf_size: u32) -> Option<[[u32; 2]; 3]> {
        let request = &self.request;
        // Their figures are of five views at this size, with leaves of up to 8 (AL09 2).
        let same_rays = !request.has_own_rays()
            && matches!(request.workload, Workload::Al09 | Workload::Alk12)
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
}

/// Returns the column of a paper's numbers for rays of a kind; `None` for rays that no paper has.
pub(crate) fn theirs_column(rays: impl Into<TracedRays>) -> Option<usize> {
    rays.into().kind().map(|kind| match kind {
        RayKind::Primary => 0,
        RayKind::Ao => 1,
        RayKind::Diffuse => 2,
    })
}
