//! The columns of bounds.

use super::{Bounded, BoundsReport};
use crate::launch::{expected_cell, is_implicit, prediction_json};
use crate::simulate::fullness::{Filled, of_counts};
use crate::simulate::name_of;
use raywarp_costs::{Pipe, Wait};
use raywarp_family::Operation;
use raywarp_report::{Column, Sheet, TableColumn, Unit, Value, number, short_mrays};
use raywarp_sim::LaunchInstructions;
use raywarp_sim::bounds::{Bound, Limit, headroom, lowest};
use raywarp_sim::machine::Machine;
use raywarp_sim::memory::Region;
use raywarp_sim::pace::{Pace, StallCause};
use serde_json::{Map, Value as Json, json};

/// Columns of the limits in the table of bounds.
const COLUMNS: [&str; 11] =
    ["lanes", "issue", "pipe", "L1 bytes", "L1 passes", "L2", "DRAM", "cold", "LRU", "latency", "least"];

/// Mark behind the lowest bound of a kernel whose instructions are not known.
const WITHOUT_INSTRUCTIONS: &str = "^";

fn column(limit: Limit) -> usize {
    match limit {
        Limit::Lanes => 0,
        Limit::Issue => 1,
        // Beside what the kernel does, what any way to deal its rays does.
        Limit::LeastIssue | Limit::LeastPipe(_) | Limit::LeastIntegerProducts => 10,
        Limit::Pipe(_) | Limit::IntegerProducts => 2,
        Limit::L1Least => 3,
        Limit::L1Passes => 4,
        Limit::L2 => 5,
        Limit::Dram => 6,
        Limit::DramCold => 7,
        Limit::DramLru => 8,
        Limit::Latency => 9,
    }
}

/// Settings, beside kernels and rays, that differ between rows of a table.
#[derive(Debug, Clone, Copy)]
struct Several {
    /// `true` if warps of several widths were simulated.
    widths: bool,
    /// `true` if rows of this table have several warp widths.
    widths_here: bool,
    /// `true` if there are trees of several leaf sizes.
    leaf_sizes: bool,
}

fn percent(share: f64) -> String {
    number(100.0 * share, 0)
}

fn mrays(bound: &Bound) -> String {
    rounded(bound.rays_per_s / 1e6) + bound.class.mark()
}

fn rounded(mrays: f64) -> String {
    if mrays < 1000.0 { format!("{mrays:.1}") } else { format!("{mrays:.0}") }
}

/// Returns a bound as JSON, as in every report.
pub(crate) fn bound_json(bound: &Bound) -> Json {
    json!({
        "limit": bound.limit.name(),
        "mrays_per_s": bound.rays_per_s / 1e6,
        "class": bound.class.name(),
        "why": bound.why,
    })
}

fn pace_json(pace: Pace) -> Json {
    let causes =
        StallCause::ALL.iter().zip(pace.waiting).map(|(cause, warps)| (cause.name().to_string(), warps.into()));
    json!({
        "instructions_per_clock": pace.instructions_per_clock,
        "warps_waiting_per_instruction": causes.collect::<Map<_, _>>(),
    })
}

impl Bounded {
    /// Returns the fractions of lanes that take part in node visits and in triangle tests.
    fn efficiency(&self) -> [f64; 2] {
        [Operation::VisitNode, Operation::TestTriangle].map(|op| self.profile.counts.simd_efficiency(op))
    }

    /// Returns the kernel's entry for the comparison of how full warps are.
    pub(super) fn filled(&self) -> Filled<'_> {
        of_counts(&self.variant, self.kind, self.leaf_size, &self.profile.counts, self.efficiency())
    }

    fn instructions_per_ray(&self) -> Option<f64> {
        self.instructions.as_ref().map(|issued| issued.warp_instructions() / self.profile.rays() as f64)
    }

    /// Returns the kernel's name, with warp width and leaf size where rows differ in these.
    fn full_name(&self) -> String {
        let form = if is_implicit(&self.variant) { ", lanes left to the hardware" } else { "" };
        format!("{}{form}", name_of(&self.variant))
    }

    /// Returns the mark behind the lowest bound in tables: that of its class, and a caret where it counts no
    /// instructions.
    pub(super) fn mark(&self, bound: &Bound) -> String {
        let without_instructions = if self.instructions.is_none() { WITHOUT_INSTRUCTIONS } else { "" };
        format!("{}{without_instructions}", bound.class.mark())
    }

    /// Returns the text in place of numbers that are not known because costs are not.
    fn unknown(&self) -> &'static str {
        match (self.has_no_code, &self.instructions) {
            (true, _) => "no code",
            (false, None) => "no costs",
            (false, Some(_)) => "-",
        }
    }

    /// Returns the lowest bound of the limits that a table column is about.
    fn of_column(&self, number: usize) -> Value {
        let of_column = self.bounds.iter().filter(|bound| column(bound.limit) == number);
        let is_of_code = matches!(COLUMNS[number], "lanes" | "issue" | "pipe" | "least");
        match lowest(of_column) {
            Some(bound) => Value::Each {
                text: mrays(bound),
                page: short_mrays(bound.rays_per_s) + bound.class.mark(),
                json: Json::Null,
            },
            None => Value::Nothing(if is_of_code { self.unknown() } else { "-" }),
        }
    }

    fn next(&self) -> Value {
        headroom(&self.bounds).map_or(Value::Nothing("-"), |(next, gain)| Value::Each {
            text: format!("{} +{:.0} %", next.limit.name(), 100.0 * gain),
            page: format!("{}, +{:.0} %", next.limit.name(), 100.0 * gain),
            json: Json::Null,
        })
    }

    fn expected(&self) -> Value {
        let cell = |write: &dyn Fn(f64) -> String| expected_cell(self.prediction, self.expected, write);
        Value::Each {
            text: cell(&rounded).unwrap_or_else(|| self.unknown().to_string()),
            page: cell(&|rate| short_mrays(1e6 * rate)).unwrap_or_default(),
            json: self.expected.map(|rate| rate / 1e6).into(),
        }
    }

    /// Returns the number of instructions per ray on each pipeline of the machine, by its key there.
    fn pipes(&self, machine: &Machine) -> Option<Map<String, Json>> {
        let issued = self.instructions.as_ref().filter(|issued| issued.by_pipe)?;
        let name = |pipe| match pipe {
            Pipe::FmaHeavy if !machine.has_fmaheavy() => "imul",
            _ => pipe.name(),
        };
        let of = |pipe: Pipe| (name(pipe).to_string(), json!(issued.pipe(pipe) / self.profile.rays() as f64));
        Some(Pipe::ALL.into_iter().map(of).collect())
    }

    /// Returns the clocks and waits per ray of warps that run alone.
    fn alone(&self) -> Option<Map<String, Json>> {
        let rays = self.profile.rays() as f64;
        let (clocks, waits) = self.instructions.as_ref().and_then(LaunchInstructions::times_alone)?;
        let waits = Wait::ALL.into_iter().zip(waits).map(|(wait, n)| (wait.name().to_string(), json!(n / rays)));
        Some(std::iter::once(("clocks".to_string(), json!(clocks / rays))).chain(waits).collect())
    }

    /// Returns the memory accesses per ray, by region of memory.
    fn memory(&self) -> Option<Map<String, Json>> {
        let memory = self.profile.memory?;
        let of = |region: Region| {
            let counts = memory.region(region);
            let per_ray = |n: u64| n as f64 / self.profile.rays() as f64;
            let counted = json!({
                "accesses_per_ray": per_ray(counts.accesses),
                "lanes_per_access": counts.lanes as f64 / counts.accesses.max(1) as f64,
                "wavefronts_least_per_ray": per_ray(counts.least),
                "wavefronts_passes_per_ray": per_ray(counts.passes),
                "sectors_per_ray": per_ray(counts.sectors),
                "lines_per_ray": per_ray(counts.lines),
                "distinct_sectors": counts.distinct,
            });
            (region.name().to_string(), counted)
        };
        Some(Region::ALL.into_iter().map(of).collect())
    }

    /// Returns the results of the cache model as table cells.
    fn caches(&self) -> Option<Json> {
        let traffic = self.traffic?;
        let per_ray = |n: u64| n as f64 / traffic.rays as f64;
        Some(json!({
            "rays": traffic.rays,
            "l1_hit_percent": 100.0 * traffic.l1_hit_share(),
            "l2_bytes_per_ray": traffic.l2_bytes_per_ray(),
            "l2_missed_sectors_per_ray": per_ray(traffic.missed_l2),
            "of_these_again_per_ray": per_ray(traffic.again),
        }))
    }
}

/// Returns the table columns for readers, with the bounds last; HTML pages have only the limits for which `bounded` is
/// true.
fn for_people(several: Several, bounded: [bool; COLUMNS.len()]) -> Vec<Column<'static, Bounded>> {
    let filled = |row: &Bounded| {
        let [visit, test] = row.efficiency().map(percent);
        Value::said(format!("{visit}/{test}"), ())
    };
    let width = move |row: &Bounded| {
        let width = row.profile.counts.width;
        let where_several = |several: bool| if several { width.to_string() } else { String::new() };
        let (text, page) = (where_several(several.widths), where_several(several.widths_here));
        Value::Each { text, page, json: width.into() }
    };
    let leaf = move |row: &Bounded| {
        let leaf = if several.leaf_sizes { row.leaf_size.to_string() } else { String::new() };
        Value::said(leaf, Some(row.leaf_size).filter(|&leaf_size| leaf_size > 0))
    };
    let name = |row: &Bounded| {
        let name = name_of(&row.variant);
        Value::Each { text: name.clone(), page: row.full_name(), json: name.into() }
    };
    let instructions = |row: &Bounded| match row.instructions_per_ray() {
        Some(n) => Value::Number(n),
        None => Value::Nothing(row.unknown()),
    };
    let lowest_name = |row: &Bounded| {
        row.lowest().map_or(Value::Nothing("-"), |bound| {
            let (name, caret) =
                (bound.limit.name(), if row.instructions.is_none() { WITHOUT_INSTRUCTIONS } else { "" });
            Value::Each { text: name.clone(), page: name.clone() + caret, json: name.into() }
        })
    };
    let mut columns = vec![
        Column::plain(name).text(TableColumn::left("kernel")).page(0, "kernel").key("name"),
        Column::words(|row: &Bounded| row.kind.name()).text(TableColumn::left("rays")).page(1, "rays").key("kind"),
        Column::plain(width).text(TableColumn::right("W")).page(2, "warp").key("width"),
        Column::plain(leaf).text(TableColumn::right("leaf")).key("leaf_size"),
        Column::new(Unit::Millions, |row: &Bounded| {
            row.lowest().map_or(Value::Nothing("-"), |bound| {
                Value::said(rounded(bound.rays_per_s / 1e6) + &row.mark(bound), ())
            })
        })
        .text(TableColumn::right("bound")),
        Column::plain(lowest_name).text(TableColumn::left("set by")).page(101, "lowest").key("lowest"),
        Column::plain(Bounded::next).text(TableColumn::left("next").rank(1)).page(102, "then"),
        Column::new(Unit::Millions, Bounded::expected)
            .text(TableColumn::right("expected"))
            .page(100, "expected")
            .key("expected_mrays_per_s"),
        Column::new(Unit::Percent, filled).text(TableColumn::right("tr/is").rank(2)).page(3, "trav / isect, %"),
        Column::plain(instructions)
            .digits(1)
            .text(TableColumn::right("instr").rank(3))
            .page(4, "instr. a ray")
            .key("warp_instructions_per_ray"),
    ];
    let remark = |row: &Bounded| if is_implicit(&row.variant) { "lanes left to the hardware" } else { "" };
    columns.push(Column::words(remark).remark());
    for (number, (name, is_bounded)) in COLUMNS.into_iter().zip(bounded).enumerate() {
        let of = Column::new(Unit::Millions, move |row: &Bounded| row.of_column(number));
        let of = of.text(TableColumn::right(name).rank(4));
        columns.push(if is_bounded { of.page(5 + number, name) } else { of });
    }
    columns
}

/// Returns the table columns that only programs read.
fn for_programs() -> Vec<Column<'static, Bounded>> {
    let threads = |row: &Bounded| {
        let of =
            |issued: &LaunchInstructions| issued.thread_instructions(&row.profile.counts) / row.profile.rays() as f64;
        Value::data(row.instructions.as_ref().map(of))
    };
    vec![
        Column::words(|row: &Bounded| row.variant.to_string()).key("variant"),
        Column::words(|row: &Bounded| row.kind.query().name()).key("query"),
        Column::plain(|row: &Bounded| Value::Count(row.profile.rays())).key("rays"),
        Column::data(|row: &Bounded| row.profile.launch_rays).key("launch_rays"),
        Column::new(Unit::Percent, |row: &Bounded| Value::Number(row.efficiency()[0])).key("traversal_percent"),
        Column::new(Unit::Percent, |row: &Bounded| Value::Number(row.efficiency()[1])).key("intersection_percent"),
        Column::new(Unit::Percent, |row: &Bounded| {
            Value::known(row.instructions.as_ref().map(|issued| issued.assumed))
        })
        .key("instructions_assumed_percent"),
        Column::plain(threads).key("thread_instructions_per_ray"),
        Column::data(|row: &Bounded| row.alone()).key("warp_alone_per_ray"),
        Column::data(|row: &Bounded| row.memory()).key("memory"),
        Column::data(|row: &Bounded| row.caches()).key("traffic"),
        Column::data(|row: &Bounded| row.doubt.clone()).key("costs_doubt"),
        Column::data(|row: &Bounded| row.has_no_code).key("no_code"),
        Column::data(|row: &Bounded| row.bounds.iter().map(bound_json).collect::<Vec<_>>()).key("bounds"),
        Column::data(|row: &Bounded| row.pace.map(pace_json)).key("expected_pace"),
        Column::data(|row: &Bounded| prediction_json(row.prediction)).key("prediction"),
        Column::new(Unit::Millions, |row: &Bounded| Value::known(row.theirs)).key("theirs_mrays_per_s"),
    ]
}

impl BoundsReport {
    /// Returns the columns of a table of rows; HTML pages leave out limits that no row has a bound for.
    pub(super) fn sheet(&self, rows: &[&Bounded]) -> Sheet<'_, Bounded> {
        let is_bounded =
            |number: usize| rows.iter().any(|row| row.bounds.iter().any(|bound| column(bound.limit) == number));
        let rays = &self.request.rays;
        let width = |row: &Bounded| row.profile.counts.width;
        let several = Several {
            widths: rays.widths.len() > 1,
            widths_here: rows.iter().any(|row| width(row) != width(rows[0])),
            leaf_sizes: rays.leaf_sizes.len() > 1,
        };
        let mut columns = for_people(several, std::array::from_fn(is_bounded));
        columns.extend(for_programs());
        columns.push(
            Column::data(|row: &Bounded| row.pipes(&self.request.machines[row.machine]))
                .key("instructions_by_pipe_per_ray"),
        );
        columns.push(Column::data(|row: &Bounded| self.request.machines[row.machine].name()).key("machine"));
        Sheet(columns)
    }
}
