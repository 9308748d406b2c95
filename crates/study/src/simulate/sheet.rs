//! The columns of the report of SIMD efficiency, for text, JSON and page alike.

use super::{EfficiencyReport, Measurement, name_of, theirs_column};
use raywarp_family::{Block, Operation, TraversalLoop};
use raywarp_report::{Column, Sheet, TableColumn, Unit, Value, number};
use serde_json::json;

/// Returns a fraction of lanes as text in per cent; a dash for an operation that never ran.
fn percent(share: f64) -> String {
    number(100.0 * share, 0)
}

/// Returns the counts of the code blocks that were issued, as JSON.
fn blocks(measurement: &Measurement) -> serde_json::Value {
    let counted = Block::ALL.iter().map(|&block| (block, measurement.counts.block(block)));
    let issued = counted.filter(|(_, count)| count.issued > 0);
    let one = |(block, count): (Block, raywarp_sim::BlockCount)| {
        (block.name().to_string(), json!({ "issued": count.issued, "active_lanes": count.active }))
    };
    issued.map(one).collect::<serde_json::Map<_, _>>().into()
}

/// A line of the table: a kernel's measurements for each kind of rays.
pub(super) struct Line<'m>(pub Vec<Option<&'m Measurement>>);

impl<'m> Line<'m> {
    /// Returns the measurement of the first kind of rays that the kernel has.
    pub fn first(&self) -> Option<&'m Measurement> {
        self.0.iter().copied().flatten().next()
    }
}

impl EfficiencyReport {
    /// Returns the table columns with a kernel's name and rays.
    fn names<'a>() -> Vec<Column<'a, Measurement>> {
        vec![
            Column::plain(|m: &Measurement| Value::Words(name_of(&m.variant)))
                .text(TableColumn::left("kernel"))
                .page(0, "kernel")
                .key("name"),
            Column::plain(|m: &Measurement| Value::Words(m.kind.name().to_string())).page(1, "rays").key("kind"),
            Column::plain(|m: &Measurement| Value::Words(m.variant.to_string())).key("variant"),
            Column::words(|m: &Measurement| m.kind.query().name()).key("query"),
            Column::plain(|m: &Measurement| Value::Count(m.counts.width.into())).key("width"),
            Column::data(|m: &Measurement| Some(m.leaf_size).filter(|&leaf_size| leaf_size > 0)).key("leaf_size"),
        ]
    }

    /// Returns the table columns of a kernel's efficiencies with rays of the kind called `kind`.
    fn measured<'a>(&'a self, kind: &str) -> Vec<Column<'a, Measurement>> {
        let efficiency = |m: &Measurement, operation| m.counts.simd_efficiency(operation);
        let both = move |m: &Measurement| {
            let [traversal, intersection] = [Operation::VisitNode, Operation::TestTriangle].map(|op| efficiency(m, op));
            Value::said(format!("{}/{}", percent(traversal), percent(intersection)), ())
        };
        let theirs = |m: &Measurement| {
            let cells = self.theirs(&m.variant, m.counts.width, m.leaf_size);
            let cells = cells.zip(theirs_column(m.kind)).map(|(cells, column)| cells[column]);
            cells.map_or(Value::Nothing(""), |[t, i]| Value::said(format!("{t}/{i}"), json!([t, i])))
        };
        let overfetch = |m: &Measurement| match m.overfetch {
            0.0 => Value::said("", 0.0),
            share => {
                let page = number(100.0 * share, 1);
                Value::Each { text: format!("{page}%"), page, json: share.into() }
            }
        };
        vec![
            Column::plain(both).text(TableColumn::right(kind)),
            Column::new(Unit::Percent, move |m: &Measurement| Value::Number(efficiency(m, Operation::VisitNode)))
                .page(2, "traversal, %")
                .key("traversal_percent"),
            Column::new(Unit::Percent, move |m: &Measurement| Value::Number(efficiency(m, Operation::TestTriangle)))
                .page(3, "intersection, %")
                .key("intersection_percent"),
            Column::plain(theirs).text(TableColumn::right("theirs").rank(1)).page(4, "theirs").key("theirs_percent"),
            Column::plain(|m: &Measurement| Value::Number(m.counts.nodes_per_ray()))
                .digits(1)
                .text(TableColumn::right("nodes").rank(3))
                .page(5, "nodes a ray")
                .key("nodes_per_ray"),
            Column::plain(|m: &Measurement| Value::Number(m.counts.triangles_per_ray()))
                .digits(1)
                .text(TableColumn::right("tris").rank(3))
                .page(6, "triangles a ray")
                .key("triangles_per_ray"),
            Column::plain(overfetch)
                .text(TableColumn::right("over").rank(2))
                .page(7, "visited in vain, %")
                .key("overfetch"),
            Column::plain(|m: &Measurement| Value::Count(m.counts.rays)).key("rays"),
            Column::plain(|m: &Measurement| Value::Count(m.counts.warps)).key("warps"),
            Column::plain(|m: &Measurement| Value::data(m.counts.lane_visits_per_ray())).key("lane_visits_per_ray"),
            Column::plain(|m: &Measurement| Value::data(m.counts.replicated(m.variant.lanes_per_ray())))
                .key("replicated"),
            Column::plain(|m: &Measurement| Value::data(blocks(m))).key("blocks"),
        ]
    }

    /// Returns all table columns of a measurement.
    pub(super) fn sheet(&self) -> Sheet<'_, Measurement> {
        let mut columns = Self::names();
        columns.extend(self.measured(""));
        Sheet(columns)
    }

    /// Returns the table columns of a kernel, with those of each kind of rays side by side.
    pub(super) fn lines<'a>(&'a self) -> Sheet<'a, Line<'a>> {
        let name = |column: Column<'a, Measurement>| column.of(|line: &Line<'a>| line.first());
        let mut columns: Vec<Column<'a, Line<'a>>> = Self::names().into_iter().map(name).collect();
        for (number, kind) in self.request.traced().into_iter().enumerate() {
            let of_kind = |column: Column<'a, Measurement>| column.of(move |line: &Line<'a>| line.0[number]);
            columns.extend(self.measured(kind.name()).into_iter().map(of_kind));
        }
        Sheet(columns)
    }

    /// Returns the table columns about lanes that share a ray: box tests beside those of a binary tree, and work that
    /// repeats a neighbour's (AL09 5.3).
    pub(super) fn shared<'a>(&'a self) -> Sheet<'a, Measurement> {
        let binary = |m: &Measurement| {
            let is_its = |b: &&Measurement| {
                let same = b.kind == m.kind && b.leaf_size == m.leaf_size;
                same && b.variant.tree() == raywarp_family::Tree::Bvh2
                    && b.variant.postpone() == 0
                    && b.variant.traversal_loop() == TraversalLoop::WhileWhile
            };
            let found = self.measurements.iter().find(is_its);
            found.map_or(Value::Nothing(""), |b| Value::Number(2.0 * b.counts.nodes_per_ray()))
        };
        let repeated = |m: &Measurement| {
            Value::said(format!("{:.0} %", 100.0 * m.counts.replicated(m.variant.lanes_per_ray())), ())
        };
        Sheet(vec![
            Column::plain(|m: &Measurement| Value::Words(name_of(&m.variant))).text(TableColumn::left("kernel")),
            Column::plain(|m: &Measurement| Value::Count(m.counts.width.into())).text(TableColumn::right("warps of")),
            Column::plain(|m: &Measurement| Value::Words(m.kind.name().to_string())).text(TableColumn::left("rays")),
            Column::plain(|m: &Measurement| Value::Number(m.counts.lane_visits_per_ray()))
                .digits(1)
                .text(TableColumn::right("boxes")),
            Column::plain(binary).digits(1).text(TableColumn::right("bvh2")),
            Column::plain(repeated).text(TableColumn::right("repeated")),
        ])
    }
}
