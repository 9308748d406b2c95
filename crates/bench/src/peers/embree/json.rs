//! Reports of races as JSON, for programs.

use super::Agreement;
use super::report::{ModeRow, PeerReport, PeerRow, Total, totals};
use crate::{MachineFacts, Quartiles};
use raywarp_embree::SceneOptions;
use raywarp_workload::rays::Workload;
use serde_json::{Value, json as value};

/// Returns all reports of comparisons with Embree as one JSON document.
pub fn json(reports: &[PeerReport], machine: &MachineFacts, command: &str) -> Value {
    let total = |total: Total| {
        let Total { name, wall, processor, count } = total;
        value!({
            "kind": name,
            "scenes": count,
            "mean": wall[0],
            "least": wall[1],
            "processor_mean": processor.map(|both| both[0]),
            "processor_least": processor.map(|both| both[1]),
        })
    };
    value!({
        "command": command,
        "machine": machine.json(),
        "pass": reports.iter().all(PeerReport::passes),
        "scenes": reports.iter().map(scene).collect::<Vec<_>>(),
        "ratios": totals(reports).into_iter().map(total).collect::<Vec<_>>(),
    })
}

fn scene(report: &PeerReport) -> Value {
    let build = |(options, seconds): &(SceneOptions, f64)| value!({ "quality": options.quality.name(), "robust": options.robust, "seconds": seconds });
    value!({
        "scene": report.scene,
        "triangles": report.triangles,
        "workload": report.workload.map(Workload::name),
        "size": report.workload.map(|_| report.size),
        "views": report.views,
        "threads": report.threads,
        "raywarp": {
            "isa": report.isa,
            "tree": report.tree.name(),
            "max_leaf": report.tree.options.max_leaf,
            "build_seconds": report.tree.seconds,
        },
        "embree": {
            "version": report.version,
            "config": report.config,
            "native_packets_of_8": report.native_packets[0],
            "native_packets_of_16": report.native_packets[1],
            "builds": report.builds.iter().map(build).collect::<Vec<_>>(),
        },
        "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn row(row: &PeerRow) -> Value {
    let mode = |mode: &ModeRow| {
        let Agreement { missed, apart, example, .. } = mode.agreement;
        value!({
            "mode": mode.mode.to_string(),
            "rays_per_call": mode.mode.width.lanes(),
            "coherent": mode.mode.coherent,
            "quality": mode.mode.scene.quality.name(),
            "robust": mode.mode.scene.robust,
            "mrays": row.rays as f64 / mode.seconds / 1e6,
            "hit_on_one_side_alone": missed,
            "hit_elsewhere": apart,
            "allowed": mode.agreement.allowed(),
            "pass": mode.agreement.passes(),
            "example": example.map(|example| example.to_string()),
        })
    };
    value!({
        "kind": row.column.rays.name(),
        "any": row.column.rays.is_any(),
        "robust": row.robust,
        "order": row.column.order_name(),
        "rays": row.rays,
        "rounds": row.rounds,
        "raywarp_mrays": rates(&row.ours, row.rays),
        "embree_mrays": rates(&row.theirs, row.rays),
        "ratio": ratio(&row.ratio),
        "processor_ratio": row.processor_ratio.as_ref().map(ratio),
        "mode": row.best().mode.to_string(),
        "modes": row.modes.iter().map(mode).collect::<Vec<_>>(),
    })
}

fn ratio(ratio: &Quartiles) -> Value {
    value!({ "median": ratio.median, "least": ratio.min, "most": ratio.max })
}

fn rates(seconds: &Quartiles, rays: u64) -> Value {
    let rates = seconds.mega_rates(rays);
    value!({ "median": rates.median, "least": rates.min, "most": rates.max })
}
