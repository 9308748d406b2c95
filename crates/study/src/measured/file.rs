//! Rates from the table of a run, `bench.csv`, and from a run itself.

use super::MeasuredError;
use crate::kernel_then::{BY_DRIVER, code_cell};
use crate::simulate::query_of;
use crate::table_fault::TableFault;
use raywarp_bench::corpus::{CodeThen, RecordedRun};
use raywarp_bench::{Clocks, DataHash, LaunchBounds, Quartiles, RayOrder, SceneReport, Subject, TreeFacts};
use raywarp_bvh::BuildOptions;
use raywarp_cuda::kernel_name;
use raywarp_report::cells_of;
use raywarp_workload::rays::{RayKind, Workload};

/// A measured rate in a benchmark run: of a kernel on a tree, with rays of a kind and order from one viewpoint or all.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRate {
    /// Name of the scene.
    pub scene: String,
    /// Workload that made the rays.
    pub workload: Workload,
    /// Kind of the rays.
    pub kind: RayKind,
    /// Order of the rays.
    pub order: RayOrder,
    /// Number of the viewpoint; `None` for all together.
    pub view: Option<usize>,
    /// Kernel or other tracer that was measured.
    pub subject: Subject,
    /// Name of the tree.
    pub tree: String,
    /// Build options of the tree.
    pub build: BuildOptions,
    /// Number of the tree's nodes; `None` where the run did not record it.
    pub tree_nodes: Option<usize>,
    /// Block size and register limit of the launch, where they are not the kernel's own.
    pub bounds: LaunchBounds,
    /// Number of rays of a launch.
    pub rays: u64,
    /// Median rate in rays a second.
    pub rays_per_s: f64,
    /// Rate of the fastest launch in rays a second.
    pub most_rays_per_s: f64,
    /// Name of the GPU or CPU that was measured.
    pub target: String,
    /// Clock rates of the GPU; `None` where the run did not record them.
    pub clocks: Option<Clocks>,
    /// Seconds of start and tail of the launches, as timing halves of them shows; `None` if not recorded.
    pub start_and_tail: Option<f64>,
    /// Machine code of the kernel; `None` if not recorded.
    pub code: Option<CodeThen>,
    /// Hash of the tree; `None` if not recorded.
    pub tree_hash: Option<DataHash>,
    /// Hash of the rays; `None` if not recorded.
    pub rays_hash: Option<DataHash>,
}

const COLUMNS: [&str; 14] = [
    "scene",
    "workload",
    "kind",
    "order",
    "view",
    "variant",
    "tree",
    "max_leaf",
    "block_threads",
    "max_registers",
    "rays",
    "mrays_median",
    "mrays_max",
    "target",
];

/// Column names that older runs lack, and whose cells may be empty.
const OPTIONAL: [&str; 7] =
    ["clock_mhz", "clock_most_mhz", "start_tail_ms", "tree_nodes", "code", "tree_hash", "rays_hash"];

/// Parses `bench.csv` as [`raywarp_bench::record::files`] makes it.
///
/// # Errors
/// [`MeasuredError::Line`]: a column that is missing, a field that is none of its column.
pub fn read_measured(text: &str) -> Result<Vec<MeasuredRate>, MeasuredError> {
    let mut lines = text.lines().enumerate();
    let header = cells_of(lines.next().map_or("", |(_, line)| line));
    let find = |name: &str| header.iter().position(|column| column == name);
    let place = |&name: &&'static str| {
        let missing = || MeasuredError::Line { line: 1, fault: TableFault::NoColumn { name } };
        find(name).ok_or_else(missing)
    };
    let places = COLUMNS.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
    let optional = OPTIONAL.map(find);
    let row = |(number, line): (usize, &str)| {
        let cells = cells_of(line);
        let cell = |column: usize| cells.get(places[column]).map(String::as_str);
        let perhaps = |column: usize| cells.get(optional[column]?).map(String::as_str).filter(|cell| !cell.is_empty());
        read(&cell, &perhaps).map_err(|column| {
            let name = COLUMNS.iter().chain(&OPTIONAL).nth(column).copied().unwrap_or("");
            let found = if column < COLUMNS.len() { cell(column) } else { perhaps(column - COLUMNS.len()) };
            let field = |cell: &str| TableFault::Field { column: name, found: cell.into(), allowed: None };
            let fault = found.map_or(TableFault::NoField { column: name }, field);
            MeasuredError::Line { line: number + 1, fault }
        })
    };
    lines.filter(|(_, line)| !line.is_empty()).map(row).collect()
}

/// Parses a row of `bench.csv`; the error names the column that is wrong.
fn read<'a>(
    cell: &dyn Fn(usize) -> Option<&'a str>,
    perhaps: &dyn Fn(usize) -> Option<&'a str>,
) -> Result<MeasuredRate, usize> {
    const ORDERS: [RayOrder; 3] = [RayOrder::Workload, RayOrder::Morton, RayOrder::Shuffled];
    let text = |column: usize| cell(column).ok_or(column);
    let positive = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    let rate = |column: usize| positive(text(column)?).map(|mrays| 1e6 * mrays).ok_or(column);
    let mhz = |column: usize| match perhaps(column) {
        Some(text) => positive(text).map(Some).ok_or(COLUMNS.len() + column),
        None => Ok(None),
    };
    let start_and_tail = match perhaps(2).map(str::parse::<f64>) {
        None => None,
        Some(Ok(ms)) if ms.is_finite() && ms >= 0.0 => Some(1e-3 * ms),
        Some(_) => return Err(COLUMNS.len() + 2),
    };
    let tree_nodes = match perhaps(3).map(str::parse) {
        None => None,
        Some(Ok(nodes)) => Some(nodes),
        Some(Err(_)) => return Err(COLUMNS.len() + 3),
    };
    let code = match perhaps(4).map(code_cell) {
        None => None,
        Some(Some(code)) => Some(code),
        Some(None) => return Err(COLUMNS.len() + 4),
    };
    let hash = |column: usize| match perhaps(column).map(str::parse) {
        None => Ok(None),
        Some(Ok(hash)) => Ok(Some(hash)),
        Some(Err(_)) => Err(COLUMNS.len() + column),
    };
    let (tree_hash, rays_hash) = (hash(5)?, hash(6)?);
    let bound = |column: usize| match text(column)? {
        "" => Ok(None),
        number => number.parse().ok().filter(|&number: &u32| number > 0).map(Some).ok_or(column),
    };
    (0..COLUMNS.len()).try_for_each(|column| text(column).map(drop))?;
    let max_leaf = text(7)?.parse().ok().filter(|leaf| (1..=255).contains(leaf)).ok_or(7_usize)?;
    let [rays_per_s, most_rays_per_s] = [rate(11)?, rate(12)?];
    if most_rays_per_s < rays_per_s {
        return Err(12);
    }
    Ok(MeasuredRate {
        scene: text(0)?.to_string(),
        workload: Workload::parse(text(1)?).ok_or(1_usize)?,
        kind: RayKind::parse(text(2)?).ok_or(2_usize)?,
        order: ORDERS.into_iter().find(|order| Some(order.name()) == cell(3)).ok_or(3_usize)?,
        view: match text(4)? {
            "all" => None,
            number => Some(number.parse().ok().filter(|&number| number > 0).ok_or(4_usize)?),
        },
        subject: text(5)?.parse().map_err(|_| 5_usize)?,
        tree: text(6)?.to_string(),
        build: TreeFacts::named(text(6)?, max_leaf).ok_or(6_usize)?,
        tree_nodes,
        bounds: LaunchBounds { block_threads: bound(8)?, max_registers: bound(9)? },
        // A GPU numbers rays in 32 bits, and all viewpoints together may have more.
        rays: text(10)?.parse().ok().filter(|&rays| rays > 0 && rays < 1 << 40).ok_or(10_usize)?,
        rays_per_s,
        most_rays_per_s,
        target: text(13)?.to_string(),
        clocks: mhz(0)?.zip(mhz(1)?).map(|(mhz, most_mhz)| Clocks { mhz, most_mhz }),
        start_and_tail,
        code,
        tree_hash,
        rays_hash,
    })
}

impl MeasuredRate {
    /// Takes from a run's facts of which machine code the kernel was in this file of the run, where the file's own
    /// table does not say.
    pub fn take_code(&mut self, run: &RecordedRun, file: &str) {
        if let (None, Subject::Kernel(variant)) = (&self.code, self.subject) {
            self.code = Some(run.code_in(file, &kernel_name(&variant, query_of(self.kind))));
        }
    }
}

/// Returns the rates in a benchmark report, in the order of its table: all viewpoints together, then each.
pub fn rates_of(report: &SceneReport) -> Vec<MeasuredRate> {
    let mut rates = Vec::new();
    for row in &report.rows {
        let (Some(total), Some(tree)) = (report.columns.get(row.column), report.trees.get(row.tree)) else { continue };
        // Rays of files cannot be made again for a simulation.
        let Some(kind) = total.column.kind() else { continue };
        let rate =
            |view: Option<usize>, (rays, hash): (u64, DataHash), seconds: &Quartiles, start_and_tail: Option<f64>| {
                let rates = seconds.mega_rates(rays);
                MeasuredRate {
                    scene: report.scene.clone(),
                    workload: report.workload,
                    kind,
                    order: total.column.order,
                    view,
                    subject: row.subject,
                    tree: tree.name(),
                    build: tree.options,
                    tree_nodes: Some(tree.nodes),
                    bounds: row.bounds,
                    rays,
                    rays_per_s: 1e6 * rates.median,
                    most_rays_per_s: 1e6 * rates.max,
                    target: report.target.clone(),
                    clocks: report.clocks,
                    start_and_tail,
                    code: row.resources.map(|resources| match resources.code {
                        Some(hash) => CodeThen::Known(hash),
                        None => CodeThen::Unknown(BY_DRIVER.to_string()),
                    }),
                    tree_hash: Some(tree.hash),
                    rays_hash: Some(hash),
                }
            };
        rates.push(rate(None, (row.rays(), row.rays_hash()), &row.seconds(), row.start_and_tail()));
        for view in &row.views {
            let number = view.view.and_then(|index| report.views.get(index));
            let rays = (view.rays, view.rays_hash);
            rates.extend(number.map(|&number| rate(Some(number), rays, &view.seconds, view.start_and_tail)));
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "scene,workload,kind,order,view,name,variant,tree,max_leaf,block_threads,max_registers,rays,mrays_median,mrays_max,target";

    fn row(view: &str, variant: &str, rate: &str) -> String {
        format!("\"a, \"\"b\"\"\",raywarp,ao,workload,{view},x,{variant},good,8,,,768,{rate},12,NVIDIA H200")
    }

    #[test]
    fn rows_of_a_bench_are_read_whatever_the_order_of_its_columns() {
        let text =
            [HEADER, &row("all", "direct/while-while/bvh2", "10.5"), "", &row("2", "vulkan-rt", "10")].join("\n");
        let rates = read_measured(&text).unwrap();
        assert_eq!(rates.len(), 2, "{rates:?}");
        let first = &rates[0];
        assert_eq!((first.scene.as_str(), first.view, first.rays_per_s), ("a, \"b\"", None, 10.5e6));
        assert_eq!(
            (first.rays, first.most_rays_per_s, first.bounds, first.clocks),
            (768, 12e6, LaunchBounds::default(), None)
        );
        assert_eq!(first.build, raywarp_bvh::presets::GOOD);
        assert_eq!((rates[1].view, rates[1].subject), (Some(2), Subject::VulkanRt));
        let younger = |clocks: &str| {
            let header = format!("clock_most_mhz,{HEADER},clock_mhz,start_tail_ms,tree_nodes,code,tree_hash,rays_hash");
            read_measured(&format!("{header}\n1980,{},{clocks}", row("all", "cpu", "1")))
        };
        let hash = "00000000000000ab";
        let known = &younger(&format!("345,0.25,99,{hash},{hash},00000000000000ac")).unwrap()[0];
        assert_eq!(known.code, Some(CodeThen::Known(hash.parse().unwrap())));
        assert_eq!(known.tree_hash, Some(hash.parse().unwrap()));
        assert_eq!(known.rays_hash, Some("00000000000000ac".parse().unwrap()));
        assert_eq!(
            (known.clocks, known.start_and_tail, known.tree_nodes),
            (Some(Clocks { mhz: 345.0, most_mhz: 1980.0 }), Some(0.25e-3), Some(99))
        );
        let unknown = &younger(",,").unwrap()[0];
        assert_eq!((unknown.clocks, unknown.start_and_tail, unknown.tree_nodes), (None, None, None));
        assert_eq!((&unknown.code, unknown.tree_hash, unknown.rays_hash), (&None, None, None));
        for (cells, column, found) in [
            ("slow,,", "clock_mhz", "slow"),
            (",-1,", "start_tail_ms", "-1"),
            (",x,", "start_tail_ms", "x"),
            (",,-1", "tree_nodes", "-1"),
            (",,,ab", "code", "ab"),
            (",,,,ab", "tree_hash", "ab"),
            (",,,,,ab", "rays_hash", "ab"),
        ] {
            let fault = TableFault::Field { column, found: found.into(), allowed: None };
            assert_eq!(refused(younger(cells)), (2, fault));
        }
    }

    /// Returns the line at which a table is wrong, and what is wrong there.
    #[track_caller]
    fn refused(read: Result<Vec<MeasuredRate>, MeasuredError>) -> (usize, TableFault) {
        match read {
            Err(MeasuredError::Line { line, fault }) => (line, fault),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_broken_bench_is_named_by_its_line() {
        let good = row("all", "direct/if-if/bvh2", "10");
        let broken = |find: &str, replace: &str| format!("{HEADER}\n\n{}", good.replacen(find, replace, 1));
        let no_column = |name| (1, TableFault::NoColumn { name });
        let no_field = |column| (3, TableFault::NoField { column });
        let field = |column, found: &str| (3, TableFault::Field { column, found: found.into(), allowed: None });
        for (text, fault) in [
            (String::new(), no_column("scene")),
            ("scene,workload".into(), no_column("kind")),
            (HEADER.replace("mrays_max", "mrays_most"), no_column("mrays_max")),
            (format!("{HEADER}\n\nsibenik,raywarp"), no_field("kind")),
            (broken(",raywarp,", ",theirs,"), field("workload", "theirs")),
            (broken(",ao,", ",glossy,"), field("kind", "glossy")),
            (broken(",workload,", ",random,"), field("order", "random")),
            (broken(",all,", ",every,"), field("view", "every")),
            (broken(",all,", ",0,"), field("view", "0")),
            (broken("if-if", "if-or"), field("variant", "direct/if-or/bvh2")),
            (broken(",good,", ",oak,"), field("tree", "oak")),
            (broken(",8,,,", ",0,,,"), field("max_leaf", "0")),
            (broken(",8,,,", ",8,many,,"), field("block_threads", "many")),
            (broken(",768,", ",0,"), field("rays", "0")),
            (broken(",768,", ",7.5,"), field("rays", "7.5")),
            (broken(",768,", ",18446744073709551615,"), field("rays", "18446744073709551615")),
            (broken(",10,12", ",fast,12"), field("mrays_median", "fast")),
            (broken(",10,12", ",NaN,12"), field("mrays_median", "NaN")),
            (broken(",10,12", ",inf,12"), field("mrays_median", "inf")),
            (broken(",10,12", ",10,-1"), field("mrays_max", "-1")),
            (broken(",10,12", ",10,9"), field("mrays_max", "9")),
            (broken(",NVIDIA H200", ""), no_field("target")),
        ] {
            assert_eq!(refused(read_measured(&text)), fault, "{text}");
        }
    }
}
