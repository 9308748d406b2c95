//! Reports as JSON: all figures, for programs.

use super::csv::query;
use super::{Line, Row, SceneReport, builder_name};
use crate::{Check, MachineFacts, Quartiles};
use raywarp_geom::Kernels;
use serde_json::{Value, json};

/// Returns all benchmark reports as one JSON document.
pub fn json(reports: &[SceneReport], machine: &MachineFacts, command: &str) -> Value {
    let bar = crate::bar::verdicts(reports);
    json!({
        "command": command,
        "machine": machine.json(),
        "pass": reports.iter().all(SceneReport::passes),
        "scenes": reports.iter().map(scene).collect::<Vec<_>>(),
        "bar": bar.iter().map(crate::bar::BarVerdict::json).collect::<Vec<_>>(),
    })
}

fn scene(report: &SceneReport) -> Value {
    let columns = report.columns.iter().map(|total| {
        json!({
            "kind": total.column.rays.name(),
            "query": query(&total.column.rays),
            "order": total.column.order_name(),
            "rays": total.rays,
            "sort_seconds": total.sort_seconds,
        })
    });
    let trees = report.trees.iter().map(|tree| {
        json!({
            "name": tree.name(),
            "builder": builder_name(tree.builder),
            "reinsertion": tree.options.reinsertion,
            "max_leaf": tree.options.max_leaf,
            "traversal_cost": tree.options.traversal_cost,
            "split_clipping": tree.options.split_clipping,
            "nodes": tree.nodes,
            "seconds": tree.seconds,
        })
    });
    let skipped = report.skipped.iter().map(|(subject, why)| json!({ "variant": subject.to_string(), "why": why }));
    json!({
        "scene": report.scene,
        "target": report.target,
        "triangles": report.triangles,
        "workload": report.workload_name(),
        "size": (!report.is_of_files()).then_some(report.size),
        "views": report.views,
        "one_launch": report.one_launch,
        "warmup": report.runs[0],
        "runs": report.runs[1],
        "width": report.width,
        "clock_mhz": report.clocks.map(|clocks| clocks.mhz),
        "clock_most_mhz": report.clocks.map(|clocks| clocks.most_mhz),
        "complete": report.complete,
        "columns": columns.collect::<Vec<_>>(),
        "trees": trees.collect::<Vec<_>>(),
        "rows": report.rows.iter().map(|line| row(report, line)).collect::<Vec<_>>(),
        "together": report.is_of_files().then(|| together(report)),
        "skipped": skipped.collect::<Vec<_>>(),
    })
}

/// Returns the rates over the rays of all files together.
fn together(report: &SceneReport) -> Vec<Value> {
    let rate = |line @ (subject, tree, bounds): Line| {
        json!({
            "name": subject.name(),
            "variant": subject.to_string(),
            "tree": tree,
            "block_threads": bounds.block_threads,
            "max_registers": bounds.max_registers,
            "mrays": report.together(line),
        })
    };
    report.lines().into_iter().map(rate).collect()
}

fn row(report: &SceneReport, row: &Row) -> Value {
    let views = row.views.iter().map(|view| {
        let number = view.view.and_then(|index| report.views.get(index));
        json!({ "view": number, "mrays": rates(&view.seconds, view.rays), "start_and_tail_seconds": view.start_and_tail, "check": check(&view.check) })
    });
    json!({
        "name": row.subject.name(),
        "variant": row.subject.to_string(),
        "tree": row.tree,
        "block_threads": row.bounds.block_threads,
        "max_registers": row.bounds.max_registers,
        "column": row.column,
        "mrays": rates(&row.seconds(), row.rays()),
        "spread_percent": row.seconds().spread_percent(),
        "check": check(&row.check),
        "kernels": kernels(&row.kernels),
        "registers": row.resources.map(|resources| resources.registers),
        "local_bytes": row.resources.map(|resources| resources.local_bytes),
        "views": views.collect::<Vec<_>>(),
    })
}

fn rates(seconds: &Quartiles, rays: u64) -> Value {
    let rates = seconds.mega_rates(rays);
    json!({
        "rays": rays,
        "median": rates.median,
        "q1": rates.q1,
        "q3": rates.q3,
        "min": rates.min,
        "max": rates.max,
        "seconds": seconds.median,
    })
}

/// Returns the kernels that answered as JSON, with the number of rays of each.
fn kernels(kernels: &Kernels) -> Value {
    kernels.iter().map(|(kernel, rays)| json!({ "kernel": kernel.as_str(), "rays": rays })).collect()
}

fn check(check: &Check) -> Value {
    json!({
        "checked": check.checked,
        "differ": check.differ,
        "explained": check.explained,
        "allowed": check.allowed(),
        "rays": check.rays,
        "hits": check.hits,
        "stray": check.stray,
        "pass": check.passes(),
        "example": check.example.map(|example| example.to_string()),
    })
}
