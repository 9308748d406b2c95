//! Facts of a simulated run, in words, for the reader who was not there.

use super::{EfficiencyRequest, RayCounts, name_of};
use raywarp_bvh::BuildOptions;
use raywarp_workload::rays::Order;

/// Returns the facts of a run: scene, rays and tree, and the warp width if `widths` are the request's.
pub(crate) fn facts(
    request: &EfficiencyRequest,
    rays: &RayCounts,
    widths: Option<&[u32]>,
) -> Vec<(&'static str, String)> {
    let rays: Vec<String> = rays
        .iter()
        .map(|(kind, traced, all)| format!("{} ({traced} of {all} traced)", kind.name_with_query()))
        .collect();
    let order = match request.order {
        Order::Workload if request.has_own_rays() => "as they were given",
        Order::Workload => "as the workload has them",
        Order::Morton => "batches sorted by a Morton key",
        Order::Shuffled(_) => "shuffled",
    };
    let numbers = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let mut before = vec![("scene", request.scene.clone())];
    if !request.has_own_rays() {
        let [columns, rows] = request.size;
        before.push(("viewpoints", format!("{}, of {columns} x {rows} pixels", request.views.len())));
        before.push(("workload", request.workload.name().to_string()));
    }
    before.extend([("rays", rays.join(", ")), ("order of rays", order.to_string())]);
    let lanes = widths.map(|widths| ("lanes of a warp", numbers(widths)));
    let after = match request.leaf_sizes[..] {
        [0] => vec![("tree", "not known: operations were replayed".to_string())],
        _ => vec![("tree", tree(&request.build)), ("most triangles of a leaf", numbers(&request.leaf_sizes))],
    };
    before.into_iter().chain(lanes).chain(after).collect()
}

/// Returns scene and rays as one line, for the top of an HTML page.
pub(crate) fn in_a_line(request: &EfficiencyRequest, rays: &RayCounts) -> String {
    let [columns, rows] = request.size;
    let rays: Vec<String> =
        rays.iter().map(|(kind, traced, _)| format!("{traced} {}", kind.name_with_query())).collect();
    if request.has_own_rays() {
        return format!("{}: {} simulated. The command is at the end.", request.scene, rays.join(", "));
    }
    let count = |number: usize, name: &str| format!("{number} {name}{}", if number == 1 { "" } else { "s" });
    format!(
        "{}: {} of {columns} x {rows} pixels, rays of workload {} ({} simulated). The command is at the end.",
        request.scene,
        count(request.views.len(), "viewpoint"),
        request.workload.name(),
        rays.join(", "),
    )
}

/// Returns a short text on which kernels are simulated.
pub(crate) fn kernels(request: &EfficiencyRequest) -> (&'static str, String) {
    let names: Vec<String> = request.variants.iter().map(name_of).collect();
    let text = if names.len() > 8 {
        format!("{} and {} more", names[..8].join(", "), names.len() - 8)
    } else {
        names.join(", ")
    };
    ("kernels", text)
}

/// Returns a text on how the tree was built.
fn tree(build: &BuildOptions) -> String {
    let clipping = build.split_clipping.map_or_else(String::new, |share| format!(", split clipping {share}"));
    format!(
        "{:?}, {} passes of reinsertion, a node costs {}{clipping}",
        build.builder, build.reinsertion, build.traversal_cost
    )
}
